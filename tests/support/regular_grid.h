/* Grids of even steps, for tests that need places. */
#ifndef SST_REGULAR_GRID_H
#define SST_REGULAR_GRID_H

#include "core/grid.h"

/* Even axes: `n` centres from `first` in steps of `step`, which may be negative for latitudes. [degrees] */
struct even_axis {
    double first, step;
    size_t n;
};

/* Longitudes beyond 360 are told as 360 less. Owner: the caller; sst_grid_destroy. Fails the test where it is no grid. */
struct sst_grid *regular_grid(struct even_axis lat, struct even_axis lon);

#endif
