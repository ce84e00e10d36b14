/* The loops of selection and of keeping values: nothing but arithmetic over the lanes of a tile, so they vectorise. */
#ifndef SST_BACKEND_CPU_SELECT_LOOPS_H
#define SST_BACKEND_CPU_SELECT_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/kept.h"

/* Members of a tile that stand together. */
struct sst_run {
    const int16_t (*rows)[SST_KEPT_LANES];
    size_t n_rows;
};

/* For each lane: how many values are above its bound. */
void sst_loop_above(const struct sst_run *runs, size_t n_runs, const int16_t bound[SST_KEPT_LANES],
                    int16_t above[SST_KEPT_LANES]);

/*
 * For each lane: the greatest value that is at most its bound, and the least one above it. Where all values are on one side,
 * what is given for the other has no meaning.
 */
void sst_loop_around(const struct sst_run *runs, size_t n_runs, const int16_t bound[SST_KEPT_LANES],
                     int16_t below[SST_KEPT_LANES], int16_t above[SST_KEPT_LANES]);

/* For each lane: the least and the greatest value; INT16_MAX and SST_CODE_MISSING where there is none. */
void sst_loop_extremes(const struct sst_run *runs, size_t n_runs, int16_t least[SST_KEPT_LANES],
                       int16_t most[SST_KEPT_LANES]);

/* Where the answers of all lanes are searched; see sst_tile_select. Lane by lane:  above(low) > allowed >= above(high). */
struct sst_search {
    int32_t allowed[SST_KEPT_LANES]; /* values above the answer, at most */
    int32_t low[SST_KEPT_LANES], high[SST_KEPT_LANES];
    int32_t n_above_low[SST_KEPT_LANES], n_above_high[SST_KEPT_LANES];
    int32_t step[SST_KEPT_LANES]; /* codes to go for a value too many, while one end is not known */
    int16_t probe[SST_KEPT_LANES]; /* where to count next */
};

/* Takes in what was counted at the probes, and chooses new ones. Returns whether some lane is still open. */
bool sst_loop_narrow(struct sst_search *restrict search, const int16_t above[restrict SST_KEPT_LANES], bool halves);

/* Adds rows to the sums of a tile. */
void sst_loop_sums(struct sst_kept_sums *sums, const int16_t (*rows)[SST_KEPT_LANES], size_t n_rows);

/* What is inserted into lists at a time: as much as 16 registers of 32 bytes hold beside the list. */
enum { SST_INSERT_ROWS = 4, SST_INSERT_LANES = 32 };

/* Inserts rows of neighbouring cells into their lists of k planes, `stride` items apart. */
void sst_loop_insert(int16_t *list, size_t k, size_t stride, const int16_t carried[SST_INSERT_ROWS][SST_INSERT_LANES]);

/* Values [degC] of codes; both divisions are those of sst_lattice_degc and of cell_quantile_mix. */
void sst_loop_mix(const int16_t value[SST_KEPT_LANES], const int16_t next[SST_KEPT_LANES],
                  const double g[SST_KEPT_LANES], const bool is_enough[SST_KEPT_LANES], int reference_steps,
                  int steps_per_degree, double out[SST_KEPT_LANES]);

#endif
