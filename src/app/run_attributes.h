/* What a climatology file says of its making: global attributes and the id of the climatology. */
#ifndef SST_APP_RUN_ATTRIBUTES_H
#define SST_APP_RUN_ATTRIBUTES_H

#include "app/job.h"
#include "core/digest.h"
#include "stream/reader.h"
#include "write/clim_nc.h"

enum { SST_MAX_RUN_ATTRIBUTES = 40 };

/* Texts made for one file. */
struct sst_run_attributes {
    struct sst_attribute list[SST_MAX_RUN_ATTRIBUTES];
    size_t n;
    char *owned[SST_MAX_RUN_ATTRIBUTES]; /* values that were put together, in no order */
    size_t n_owned;
};

enum { SST_ISO_TIME_SIZE = 32 };

/* "2026-11-30T07:00:00Z" into a buffer of SST_ISO_TIME_SIZE; returns it. */
const char *sst_iso_time(int64_t seconds_since_1970, char *buffer);

/*
 * The id of a climatology: a digest of the rule and of every day that went in, so that equal numbers have equal ids
 * whatever the files were called. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_run_id(const struct sst_job *job, const struct sst_reader *reader, char *id,
                                          struct sst_error *err);

/* Owner: the caller; sst_run_attributes_clear, also after a failure. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_run_attributes_make(const struct sst_job *job, const char *id, const char *created,
                                                       struct sst_run_attributes *out, struct sst_error *err);
void sst_run_attributes_clear(struct sst_run_attributes *attributes);

/* How percentiles were made, a sentence for the file. Never NULL. */
const char *sst_run_estimator_text(const struct sst_policy *policy);

#endif
