/*
 * Decoded steps by catalog entry: at most eight open files, and what was decoded ahead because its chunk was open.
 *
 * The reader decides which entries make a day; this part only fetches them, each decoded once.
 */
#ifndef SST_STREAM_STEPS_H
#define SST_STREAM_STEPS_H

#include "stream/reader.h"

/* One decoded field that is the caller's until it is given back. */
struct sst_step {
    int16_t *codes;
    uint8_t *ice;
    bool has_ice;
    struct sst_decode_stats stats;
};

struct sst_steps;

/* catalog, domain and options are borrowed. Owner: the caller; sst_steps_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_steps_create(const struct sst_catalog *catalog, const struct sst_domain *domain,
                                                const struct sst_reader_options *options, struct sst_steps **out,
                                                struct sst_error *err);
void sst_steps_destroy(struct sst_steps **steps);

/*
 * The field of an entry, masked.
 *
 * Owner    the caller, until sst_steps_give_back. `*out` is untouched on failure.
 * Errors   SST_ERR_NOMEM; SST_ERR_INPUT and others where the file cannot be opened, is not the one that was scanned, or
 *          the step cannot be decoded; the text begins with the path.
 */
SST_MUST_CHECK enum sst_status sst_steps_take(struct sst_steps *steps, size_t entry, struct sst_step **out,
                                              struct sst_error *err);
/* Gives memory back for the next field and nulls the pointer; NULL is accepted. */
void sst_steps_give_back(struct sst_steps *steps, struct sst_step **step);

/* Marks an entry as one that will not be asked for again. */
void sst_steps_pass_over(struct sst_steps *steps, size_t entry);

/* Fields decoded so far, and the share of the files' bytes that they stand for. */
size_t sst_steps_n_decoded(const struct sst_steps *steps);
uint64_t sst_steps_bytes_read(const struct sst_steps *steps);

#endif
