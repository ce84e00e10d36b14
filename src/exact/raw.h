/*
 * Kept values: holistic, the whole pool is remembered. For all cells (exact mode) or the probes alone.
 *
 *   term (slot, class) ──▶ year 0  [place 0 | place 1 | ... | place n-1]   int16 codes
 *                          year 1  [ ...                          ]     2 bytes a cell, year and slot of the window
 */
#ifndef SST_EXACT_RAW_H
#define SST_EXACT_RAW_H

#include "core/calendar.h"
#include "core/cells.h"
#include "core/field.h"
#include "core/status.h"

struct sst_raw;

/*
 * cells    the cells to keep, borrowed until sst_raw_destroy.
 * Owner    the caller; sst_raw_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_raw_create(const struct sst_cells *cells, struct sst_raw **out,
                                              struct sst_error *err);
void sst_raw_destroy(struct sst_raw **raw);

/* After cells->n_places grew: the new places have no value in the fields kept so far. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_raw_grow(struct sst_raw *raw, struct sst_error *err);

/* Keeps a copy of the codes of fields, which are in domain order, under a term. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_raw_add(struct sst_raw *raw, struct sst_term term,
                                           const struct sst_field *const *fields, size_t n_fields,
                                           struct sst_error *err);

/* Frees the fields of all classes of a slot. */
void sst_raw_drop_slot(struct sst_raw *raw, int slot);

/*
 * The fields of a pool.
 *
 * members   arrays of cells->n_places codes; borrowed until the next add or drop.
 * Returns   their number in *n_members, through an array that belongs to `raw` and lives until the next call.
 * Errors    SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_raw_pool(struct sst_raw *raw, const struct sst_term *terms, int n_terms,
                                            const int16_t *const **members, size_t *n_members, struct sst_error *err);

#endif
