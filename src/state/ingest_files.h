/* Files as a state wants their days: in canonical order, on its lattice, looked at. Part of ingest. */
#ifndef SST_STATE_INGEST_FILES_H
#define SST_STATE_INGEST_FILES_H

#include "state/ingest.h"
#include "stream/steps.h"

struct sst_ingest_files {
    struct sst_catalog *catalog; /* borrowed */
    struct sst_domain domain; /* the whole grid, as the files have it */
    struct sst_reader_options options;
    struct sst_reader *reader; /* of whole days; NULL where single entries are looked for */
    struct sst_steps *steps; /* of single entries, from the first that is asked for on; else NULL */
    struct sst_field field; /* of the day read last, canonical order */
    int16_t *marks; /* sea ice of it, domain order */
    uint32_t *counts; /* for sst_ingest_median */
};

/* What files are opened for. */
enum sst_ingest_use {
    SST_INGEST_DAYS, /* one after the other, as the catalog has them */
    SST_INGEST_SINGLE /* entries */
};

/*
 * Opens files that fit the policy (sst_ingest_fits), whose lattice they get. The struct stays where it is until it is closed.
 *
 * Owner    the caller; sst_ingest_files_close, also after a failure; a zeroed struct is accepted. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_ingest_files_open(struct sst_ingest_files *files, enum sst_ingest_use use,
                                                     const struct sst_state_policy *policy, struct sst_catalog *catalog,
                                                     const struct sst_reader_options *options, struct sst_error *err);
void sst_ingest_files_close(struct sst_ingest_files *files);

/*
 * Reads a day into files->field.
 *
 * file     index of the file that it is of; SST_NO_FILE where the day has no usable one.
 * Errors   those of sst_reader_get.
 */
SST_MUST_CHECK enum sst_status sst_ingest_files_read(struct sst_ingest_files *files, struct sst_day day, size_t *file,
                                                     struct sst_ingest_look *look, struct sst_error *err);

/* Leaves the readers to others that single entries are asked of: the next question to this one takes them again. */
void sst_ingest_files_rest(struct sst_ingest_files *files);

/*
 * Reads the entry of a day whose values have these digests into files->field, whatever else is there of the day.
 *
 * Errors   of the run; a file that cannot be read is passed over.
 */
SST_MUST_CHECK enum sst_status sst_ingest_files_find(struct sst_ingest_files *files, struct sst_day day,
                                                     uint64_t digest, uint64_t ice_digest, bool *is_found,
                                                     struct sst_error *err);

#endif
