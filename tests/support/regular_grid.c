/* Axes written out, and a grid made of them. */
#include "regular_grid.h"

#include <check.h>
#include <stdlib.h>

static double *centres(struct even_axis axis)
{
    double *out = calloc(axis.n, sizeof *out);
    ck_assert_ptr_nonnull(out);
    for (size_t i = 0; i < axis.n; ++i)
        out[i] = axis.first + (double)i * axis.step;
    return out;
}

struct sst_grid *regular_grid(struct even_axis lat, struct even_axis lon)
{
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    double *lats = centres(lat), *lons = centres(lon);
    for (size_t i = 0; i < lon.n; ++i)
        if (lons[i] > 360.0)
            lons[i] -= 360.0;
    ck_assert_msg(sst_grid_create(lats, lat.n, lons, lon.n, &grid, &err) == SST_OK, "%s", err.text);
    free(lats);
    free(lons);
    return grid;
}
