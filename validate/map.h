/*
 * A field of the domain at the resolution of a picture: blocks of cells, each the mean of the values put into it.
 *
 * Rows go from north to south and columns eastwards, whatever the domain does. A block is at most ceil(n/180) rows by
 * ceil(n/360) columns of cells; where these do not divide the domain some blocks are one cell smaller, evenly spread, so that
 * blocks drawn at one size lie where they should.
 */
#ifndef SST_VALIDATE_MAP_H
#define SST_VALIDATE_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "core/grid.h"
#include "core/status.h"

enum { SST_MAP_MAX_ROWS = 180, SST_MAP_MAX_COLS = 360 };

struct sst_map {
    size_t n_rows, n_cols; /* of blocks */
    double north, south, west,
        east; /* [degrees] outer edges, half a cell beyond the centres; east may pass 180 or 360 */
    size_t *block_of_row, *block_of_col; /* by row and column of the domain */
    size_t domain_cols;
    double *sum, *n; /* n_rows * n_cols */
};

/* Owner: the caller; sst_map_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_map_create(const struct sst_domain *domain, struct sst_map **out,
                                              struct sst_error *err);
void sst_map_destroy(struct sst_map **map);

/* Adds a value at a domain cell; NaN is skipped. */
void sst_map_add(struct sst_map *map, size_t domain_cell, double value);

/* Mean of what was put into a block, NaN where nothing was. */
double sst_map_value(const struct sst_map *map, size_t row, size_t col);

#endif
