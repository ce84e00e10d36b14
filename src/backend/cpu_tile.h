/* One tile of the exact paths: order statistics of a pool for each of 64 neighbouring cells, found by counting. */
#ifndef SST_BACKEND_CPU_TILE_H
#define SST_BACKEND_CPU_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "core/field.h"

/* Cells of a tile: its pool of 330 days takes 42 KB, about a first-level cache. */
enum { SST_TILE_LANES = 64 };

/* Up to 2048 values for each lane. */
struct sst_tile {
    const int16_t (*pool)[SST_TILE_LANES];
    size_t n_members;
    int16_t n_missing[SST_TILE_LANES];
    int16_t least[SST_TILE_LANES], most[SST_TILE_LANES]; /* of the valid values */
    int32_t sum[SST_TILE_LANES]; /* of the valid values */
};

/* Gathers n_lanes cells of every member into scratch (n_members rows, borrowed); lanes beyond are missing. */
void sst_tile_load(struct sst_tile *tile, int16_t (*scratch)[SST_TILE_LANES], const int16_t *const *members,
                   size_t n_members, size_t first_cell, size_t n_lanes);

/* How many values, their sum, the least and the greatest, of every lane. */
void sst_tile_scan(struct sst_tile *tile);

/*
 * The k-th smallest valid value of each lane (k from 0) and the next one, by counting: the answer is the least code that
 * at least k + 1 values do not pass. Bisection needs no sorting, no branch, and treats missing values for free: they are
 * the least code, so they only move the count that is wanted.
 */
void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], int16_t value[SST_TILE_LANES],
                     int16_t next[SST_TILE_LANES]);

#endif
