/* How much memory a job takes, and whether it may. */
#ifndef SST_APP_JOB_MEMORY_H
#define SST_APP_JOB_MEMORY_H

#include "app/job.h"
#include "stream/climatology.h"

/*
 * Estimates memory and scratch space, and divides the job so that it keeps to --memory.
 *
 * job      all but memory is settled, job->device.devices too: peak_bytes, scratch_bytes, memory_limit_bytes, n_passes,
 *          pass_rows and the rest of `device` are filled. Devices that were not asked for by name are left out where it
 *          does not fit on them.
 * Errors   SST_ERR_USAGE where the job cannot keep to it, with what would: the run has not begun then, and an option mends it.
 */
SST_MUST_CHECK enum sst_status sst_job_settle_memory(struct sst_job *job, struct sst_error *err);

/* The program itself with its libraries. [bytes] */
enum { SST_PROGRAM_BYTES = 20500000 };

/* What slots take that wait for their chunks to be whole; is_staged: they come in the order of the output. */
uint64_t sst_job_writer_bytes(const struct sst_job *job, bool is_staged);

/* What the engine is told of a job's size. */
struct sst_climatology_size sst_job_size(const struct sst_job *job);

/* The folder where scratch lies: that which holds the output. Owner: the caller; sst_free. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_job_scratch_folder(const struct sst_job *job, char **folder, struct sst_error *err);

/*
 * Whether the disk of the output's folder has room for scratch_bytes.
 *
 * Errors   SST_ERR_OUTPUT with the folder, what is needed and what is free; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_job_check_disk(const struct sst_job *job, struct sst_error *err);

#endif
