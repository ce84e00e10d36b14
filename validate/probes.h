/*
 * Which cells are probes: the validation sample, whose exact percentiles are computed beside the approximation.
 *
 * A cell is a probe iff (hash(seed, canonical cell) >> 11) < share * 2^53. So the sample is random, does not depend on
 * the order of files, on boxes or on who computes it, and samples of one seed are nested in their share.
 */
#ifndef SST_VALIDATE_PROBES_H
#define SST_VALIDATE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/grid.h"
#include "core/status.h"

/* max(1 %, 600 / cells of the whole grid), at most 1: known before any data. [0..1] */
double sst_probes_default_share(uint64_t n_grid_cells);

/* Whether a cell of the canonical order is a probe. Hash: XXH64 of the index as 8 little-endian bytes, seeded. */
bool sst_probes_has(uint64_t seed, uint64_t canonical_cell, double share);

/*
 * The probes of a domain, ascending by domain cell.
 *
 * keep     domain flags of cells that may be probes (a mask), or NULL.
 * Owner    the caller; sst_free(*cells).
 * Errors   SST_ERR_NOMEM. No probe at all is no error.
 */
SST_MUST_CHECK enum sst_status sst_probes_choose(const struct sst_domain *domain, const uint8_t *keep, uint64_t seed,
                                                 double share, size_t **cells, size_t *n_cells, struct sst_error *err);

/*
 * At most `most` of some probes: those that a smaller share would choose, so the rest of the sample stays random.
 *
 * Owner    the caller; sst_free(*chosen): indices into `cells`, ascending. All of them where there are no more than `most`.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_probes_nested(const struct sst_domain *domain, const size_t *cells, size_t n_cells,
                                                 uint64_t seed, size_t most, size_t **chosen, size_t *n_chosen,
                                                 struct sst_error *err);

#endif
