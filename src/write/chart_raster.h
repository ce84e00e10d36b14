/* The picture of a map: a palette index for each cell, and the line between land and sea. */
#ifndef SST_WRITE_CHART_RASTER_H
#define SST_WRITE_CHART_RASTER_H

#include <stdint.h>

#include "write/chart.h"

/* Palette: none, land, then the scale; an odd number of levels, so that one is the white of zero. */
enum { SST_RASTER_NONE, SST_RASTER_LAND, SST_RASTER_FIRST, SST_RASTER_LEVELS = 127 };
enum { SST_RASTER_COLOURS = SST_RASTER_FIRST + SST_RASTER_LEVELS };

/* More would not be seen on a page, and take megabytes. */
enum { SST_RASTER_LARGEST_SIDE = 1440 };

struct sst_raster {
    size_t n_rows, n_cols;
    uint8_t *indices; /* n_rows * n_cols from the north-west */
};

struct sst_colour_range {
    enum sst_colour_scale scale;
    double low, high; /* low < high */
};

/* Palette index of a value; beyond the range that of its end. */
uint8_t sst_raster_level(const struct sst_colour_range *range, double value);
struct sst_colour sst_raster_colour(enum sst_colour_scale scale, uint8_t index);

struct sst_raster_view {
    bool has_land; /* where most cells of a block are land; else it is as none */
    bool has_values;
    size_t most_rows, most_cols; /* not 0 */
};

/*
 * A field's cells, or the means of blocks of them where there are more than the view may have.
 *
 * Owner        the caller; sst_free(raster->indices).
 * Errors       SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_raster_make(const struct sst_chart_map *map, const struct sst_colour_range *range,
                                               const struct sst_raster_view *view, struct sst_raster *raster);

/* The picture as a data URI. Errors stick in `out`. */
void sst_raster_add_png(struct sst_text *out, const struct sst_raster *raster, enum sst_colour_scale scale);

/*
 * Path data of the edges between land and what is not, in cells from the north-west corner: lines as long as can be, each edge
 * once, nothing along the frame. Errors stick in `out`.
 */
void sst_raster_add_coast(struct sst_text *out, const struct sst_raster *raster);

#endif
