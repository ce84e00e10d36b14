/*
 * Charts and maps as inline SVG: axes with round ticks, series, legends, a colour bar. No script, no outside font or style;
 * same input, same bytes.
 */
#ifndef SST_WRITE_CHART_H
#define SST_WRITE_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "core/text.h"
#include "write/colour.h"

/* --- ticks -------------------------------------------------------------------------------------------------------- */

enum { SST_MAX_TICKS = 16 };

/* Multiples of 1, 2 or 5 times a power of ten within low..high, about `wanted` of them. */
struct sst_ticks {
    size_t n;
    double values[SST_MAX_TICKS];
    int decimals; /* that tell them apart */
};
struct sst_ticks sst_ticks_make(double low, double high, int wanted);

/* --- charts ------------------------------------------------------------------------------------------------------- */

struct sst_chart_tick {
    double at;
    const char *label;
};

struct sst_chart_axis {
    const char *label; /* with unit: "error (°C)" */
    double low, high; /* equal: from the data and marks, from round number to round number; low > high: backwards */
    bool from_zero; /* when from the data */
    const struct sst_chart_tick *ticks; /* own ones (months), in order; NULL: round numbers */
    size_t n_ticks;
};

enum sst_series_kind { SST_SERIES_LINE, SST_SERIES_BARS, SST_SERIES_POINTS };

struct sst_chart_series {
    enum sst_series_kind kind;
    const char *label; /* for the legend; NULL: not in it */
    const double *x, *y; /* n each, x of a bar its middle; a pair with NaN breaks the line, draws no bar or point */
    size_t n;
    double bar_width; /* in units of x; 0: up to the next one */
    int colour; /* 0..5 of the page's palette, chosen to be told apart in grey too */
    bool dashed;
};

struct sst_chart {
    const char *title, *description; /* for <title> and <desc>: readers who hear the page */
    int width, height; /* [px at 100 %]; the picture scales to its column */
    struct sst_chart_axis x, y;
    const struct sst_chart_series *series;
    size_t n_series;
    const double *marks_x; /* vertical hair lines: zero, 29 February */
    size_t n_marks_x;
    const double *marks_y; /* horizontal ones: the tolerance */
    size_t n_marks_y;
};

/* Appends <svg>...</svg>. Texts are escaped here. Errors stick in `out`. */
void sst_chart_write(const struct sst_chart *chart, struct sst_text *out);

/* --- maps --------------------------------------------------------------------------------------------------------- */

struct sst_chart_map {
    const char *title, *description;
    int width; /* [px]; the height follows from the degrees */
    size_t n_rows, n_cols; /* rows from north to south */
    double north, south, west, east; /* [degrees] outer edges */
    const double *values; /* n_rows * n_cols; NaN: none */
    const unsigned char *is_sea; /* n_rows * n_cols; 0: land (grey, its edge drawn as the coastline); NULL: no land */
    enum sst_colour_scale scale;
    double low, high; /* of the colour bar; equal: from the data; a diverging one has low = -high */
    const char *unit;
    bool as_points; /* sparse values (probes) as boxes that stay visible; too many for that: as means of 3 px */
};

/*
 * Appends <svg> with the field as an inline PNG, coastline, ticks in degrees and a colour bar. Values beyond the bar have the
 * colour of its end, which is then an arrow. Fields of more than 1440 rows or columns are drawn by means of blocks. Errors
 * stick in `out`.
 */
void sst_chart_map_write(const struct sst_chart_map *map, struct sst_text *out);

#endif
