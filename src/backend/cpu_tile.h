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
    int16_t n_valid[SST_TILE_LANES];
};

/*
 * Gathers n_lanes cells of every member into scratch (n_members rows, borrowed) and counts values; lanes beyond are missing.
 */
void sst_tile_load(struct sst_tile *tile, int16_t (*scratch)[SST_TILE_LANES], const int16_t *const *members,
                   size_t n_members, size_t first_cell, size_t n_lanes);

/* The sum of the valid values of each lane. */
void sst_tile_sum(const struct sst_tile *tile, int32_t sum[SST_TILE_LANES]);

/*
 * The k-th smallest valid value of each lane (k from 0) and the next one, by counting: the answer is the least code that
 * no more than n_valid - k - 1 values are above. That needs no sorting, no branch, and treats missing values for free: they
 * are the least code, so never above any.
 *
 * hint    where to look first, best the value of the day before: half of the passes over the pool are saved. Right or wrong,
 *         it changes no answer; SST_CODE_MISSING is no hint.
 * Returns SST_CODE_MISSING twice for a lane without values.
 */
void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], const int16_t hint[SST_TILE_LANES],
                     int16_t value[SST_TILE_LANES], int16_t next[SST_TILE_LANES]);

#endif
