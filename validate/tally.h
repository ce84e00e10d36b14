/*
 * How many cell-days are flagged and why, over the cells that are sea: those with at least one observation in some slot.
 */
#ifndef SST_VALIDATE_TALLY_H
#define SST_VALIDATE_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/flags.h"
#include "core/grid.h"
#include "core/status.h"

struct sst_flag_count {
    size_t n_cell_days; /* of sea cells */
    double area_share; /* of the area of all sea cell-days, 0..1 */
};

struct sst_tally_result {
    size_t n_cells, n_sea_cells;
    size_t n_cell_days; /* of sea cells */
    struct sst_flag_count by_flag[SST_N_FLAGS]; /* by bit */
    struct sst_flag_count any; /* at least one flag */
};

struct sst_tally;

/* domain is borrowed for the call. Owner: the caller; sst_tally_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_tally_create(const struct sst_domain *domain, struct sst_tally **out,
                                                struct sst_error *err);
void sst_tally_destroy(struct sst_tally **tally);

/* Counts one slot: n_obs and flags of every cell. */
void sst_tally_add(struct sst_tally *tally, const uint16_t *n_obs, const uint16_t *flags);

/*
 * Whether a cell is sea so far, and the share of the slots on which its estimate calls for care: beyond the tolerance, likely
 * beyond it, or uncertified, a slot with several of these counting once.
 */
bool sst_tally_is_sea(const struct sst_tally *tally, size_t cell);
double sst_tally_doubtful_share(const struct sst_tally *tally, size_t cell);

struct sst_tally_result sst_tally_result(const struct sst_tally *tally);

#endif
