/* One tile of the exact paths: order statistics of a pool for each of 32 neighbouring cells, found by counting. */
#ifndef SST_BACKEND_CPU_TILE_H
#define SST_BACKEND_CPU_TILE_H

#include <stddef.h>
#include <stdint.h>

#include "backend/cpu_select_loops.h"

/* Cells of a tile. */
enum { SST_TILE_LANES = SST_KEPT_LANES };

/* Up to SST_MAX_POOL values for each lane, in runs of members; SST_CODE_MISSING where there is none. */
struct sst_tile {
    const struct sst_run *runs;
    size_t n_runs;
    int16_t n_valid[SST_TILE_LANES];
};

/*
 * Gathers n_lanes cells of every member into scratch (n_members rows, borrowed) and counts values; lanes beyond are missing.
 * The tile is the one run, which is borrowed too.
 */
void sst_tile_load(struct sst_tile *tile, struct sst_run *run, int16_t (*scratch)[SST_TILE_LANES],
                   const int16_t *const *members, size_t n_members, size_t first_cell, size_t n_lanes);

/*
 * The k-th smallest valid value of each lane (k from 0) and the next one, by counting: a code that exactly n_valid - k - 1
 * values are above stands between the two, and where they are equal, they are the least code that no more are above. That
 * needs no sorting, no branch, and treats missing values for free: they are the least code, so never above any.
 *
 * hint    where to look first, best the value of the day before: half of the passes over the pool are saved. Right or wrong,
 *         it changes no answer; SST_CODE_MISSING is no hint.
 * Returns next = value for the last value, and SST_CODE_MISSING twice for a lane without values.
 */
void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], const int16_t hint[SST_TILE_LANES],
                     int16_t value[SST_TILE_LANES], int16_t next[SST_TILE_LANES]);

#endif
