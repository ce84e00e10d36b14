/*
 * Kept values: holistic, the whole pool is remembered. For all cells (exact mode) or the probes alone.
 *
 * One array for each term (slot, class), laid out as core/kept.h says, with room for all fields that the term will have:
 * 2 bytes a cell, year and slot of the window, and 6 for sums.
 */
#ifndef SST_EXACT_RAW_H
#define SST_EXACT_RAW_H

#include "core/calendar.h"
#include "core/cells.h"
#include "core/kept.h"
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

/*
 * Makes room for more fields of a term.
 *
 * n_most   fields that the term will have in all: room for so many is made at once. More may come, but cost a copy.
 * kept     those of the term with the new ones, which come last and which the caller writes in all tiles before the next
 *          call, together with the sums. The array is valid until the term grows again or is dropped.
 * Errors   SST_ERR_NOMEM; what is kept is as before.
 */
SST_MUST_CHECK enum sst_status sst_raw_extend(struct sst_raw *raw, struct sst_term term, size_t n_fields, size_t n_most,
                                              struct sst_kept *kept, struct sst_error *err);

/* Makes the memory of all classes of a slot free for other terms. */
void sst_raw_drop_slot(struct sst_raw *raw, int slot);

/* What is kept of the terms of a pool, those without a field left out; kept has room for n_terms. Returns how many. */
size_t sst_raw_pool(const struct sst_raw *raw, const struct sst_term *terms, int n_terms, struct sst_kept *kept);

/* Bytes that a term of so many fields takes; 0 for none. */
uint64_t sst_raw_term_bytes(size_t n_places, size_t n_fields);

#endif
