/* Axes: a range, ticks within it, and the labels of the ticks. */
#ifndef SST_WRITE_CHART_AXIS_H
#define SST_WRITE_CHART_AXIS_H

#include "write/chart.h"

/* Smallest and largest of finite numbers; empty while n is 0. */
struct sst_extent {
    size_t n;
    double low, high;
};
void sst_extent_add(struct sst_extent *extent, double value);

enum { SST_TICK_LABEL_SIZE = 64 };

struct sst_axis {
    double low, high; /* low > high: it runs backwards */
    struct sst_ticks ticks;
    int exponent, decimals; /* labels are value / 10^exponent with so many decimals */
    const struct sst_chart_tick *own; /* NULL: `ticks` */
    size_t n_own;
};

/* wanted: about so many round ticks. */
void sst_axis_make(struct sst_axis *axis, const struct sst_chart_axis *spec, struct sst_extent data, int wanted);

/* 0 at low, 1 at high; what is beyond is kept within a million. */
double sst_axis_share(const struct sst_axis *axis, double value);

size_t sst_axis_n_ticks(const struct sst_axis *axis);
double sst_axis_tick(const struct sst_axis *axis, size_t tick);
/* buffer: of SST_TICK_LABEL_SIZE, used for round ticks; the label is valid as long as it and the axis. */
const char *sst_axis_label(const struct sst_axis *axis, size_t tick, char *buffer);

#endif
