/* What the parts of a chart share: where its axes lie, and the series drawn between them. */
#ifndef SST_WRITE_CHART_PLOT_H
#define SST_WRITE_CHART_PLOT_H

#include "write/chart.h"
#include "write/chart_axis.h"

struct sst_plot {
    double left, top, right, bottom; /* [px] of the area between the axes */
    struct sst_axis x, y;
};

/* [px]; values beyond an axis are beyond the area. */
double sst_plot_x(const struct sst_plot *plot, double value);
double sst_plot_y(const struct sst_plot *plot, double value);

enum { SST_SWATCH_WIDTH = 24 };

/* Both numbers of a pair are there. */
bool sst_series_has(const struct sst_chart_series *series, size_t i);
/* The given width of a bar, else most of the way from one to its neighbour. */
double sst_series_bar_width(const struct sst_chart_series *series);
/* One <path>; what is outside the area is cut off. */
void sst_series_draw(struct sst_text *out, const struct sst_plot *plot, const struct sst_chart_series *series);
/* The sign of a series in a legend, y being its middle. */
void sst_series_draw_swatch(struct sst_text *out, const struct sst_chart_series *series, double x, double y);

#endif
