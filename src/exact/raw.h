/*
 * Kept values: holistic, the whole pool is remembered. For all cells (exact mode) or the probes alone.
 *
 *   term (slot, class) ──▶ year 0  [cell 0 | cell 1 | ... | cell n-1]   int16 codes
 *                          year 1  [ ...                          ]     2 bytes a cell, year and slot of the window
 */
#ifndef SST_EXACT_RAW_H
#define SST_EXACT_RAW_H

#include "core/calendar.h"
#include "core/field.h"
#include "core/status.h"

struct sst_raw;

/*
 * cells    NULL to keep all n_cells; else the domain cells to keep, ascending, borrowed until sst_raw_destroy.
 * Owner    the caller; sst_raw_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_raw_create(const size_t *cells, size_t n_cells, struct sst_raw **out,
                                              struct sst_error *err);
void sst_raw_destroy(struct sst_raw **raw);

/* Keeps a copy of a field's codes under a term. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_raw_add(struct sst_raw *raw, struct sst_term term, const struct sst_field *field,
                                           struct sst_error *err);

/* Frees the fields of all classes of a slot. */
void sst_raw_drop_slot(struct sst_raw *raw, int slot);

/*
 * The fields of a pool.
 *
 * members   array of n_cells codes each; borrowed until the next add or drop.
 * Returns   their number in *n_members, through an array that belongs to `raw` and lives until the next call.
 * Errors    SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_raw_pool(struct sst_raw *raw, const struct sst_term *terms, int n_terms,
                                            const int16_t *const **members, size_t *n_members, struct sst_error *err);

#endif
