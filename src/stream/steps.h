/*
 * Decoded steps by catalog entry, fetched by reader processes ahead of their turn, or by this one when they are asked for;
 * and the cache for chunks that span many steps, which are decoded together.
 *
 *   expect(entries) ──▶ tasks in hand ──▶ slots ──▶ take(entry) ──▶ give_back        a slot is a place of the shared ring
 *                                            └────▶ cache: the other steps of a chunk, in memory of their own
 *
 * The reader decides which entries make a day; this part only fetches them, each decoded once.
 */
#ifndef SST_STREAM_STEPS_H
#define SST_STREAM_STEPS_H

#include "stream/reader.h"
#include "stream/step_files.h"

/* One decoded field that is the caller's until it is given back. */
struct sst_step {
    int16_t *codes;
    uint8_t *ice;
    float *degc; /* NULL unless options->wants_degc */
    struct sst_step_outcome outcome;
    size_t slot; /* where the arrays are in the ring; SST_OWN_MEMORY: they are the step's */
};

#define SST_OWN_MEMORY SIZE_MAX

struct sst_steps;

/* catalog, domain and options are borrowed. Owner: the caller; sst_steps_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_steps_create(const struct sst_catalog *catalog, const struct sst_domain *domain,
                                                const struct sst_reader_options *options, struct sst_steps **out,
                                                struct sst_error *err);
void sst_steps_destroy(struct sst_steps **steps);

/* Entries that will be asked for, in this order, in place of those named before. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_steps_expect(struct sst_steps *steps, const uint32_t *entries, size_t n,
                                                struct sst_error *err);

/*
 * The field of an entry, masked.
 *
 * Owner    the caller, until sst_steps_give_back. `*out` is untouched on failure.
 * Errors   of the run: SST_ERR_NOMEM, SST_ERR_INTERRUPTED, SST_ERR_INTERNAL. Of the file: SST_ERR_INPUT and others where it
 *          cannot be opened, is not the one that was scanned, the step cannot be decoded, or its reader died or hung; the
 *          text begins with the path.
 */
SST_MUST_CHECK enum sst_status sst_steps_take(struct sst_steps *steps, size_t entry, struct sst_step **out,
                                              struct sst_error *err);
/* Gives memory back for the next field and nulls the pointer; NULL is accepted. */
void sst_steps_give_back(struct sst_steps *steps, struct sst_step **step);

/* Marks an entry as one that will not be asked for again. */
void sst_steps_pass_over(struct sst_steps *steps, size_t entry);

/* What was fetched so far. */
struct sst_steps_totals {
    size_t n_decoded; /* fields */
    uint64_t bytes_read; /* the share of the files' bytes that they stand for */
    struct sst_timings timings; /* summed over the processes that read */
    size_t n_deaths; /* of readers */
};
const struct sst_steps_totals *sst_steps_totals(const struct sst_steps *steps);

#endif
