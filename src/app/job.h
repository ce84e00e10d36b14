/* What a run would do, worked out from options, file headers and one field before the run reads: shared by `run` and `plan`. */
#ifndef SST_APP_JOB_H
#define SST_APP_JOB_H

#include "app/device_plan.h"
#include "app/options.h"
#include "app/progress.h"
#include "core/grid.h"
#include "stream/catalog.h"
#include "stream/policy.h"
#include "stream/source.h"

struct sst_job {
    const struct sst_options *options; /* borrowed */
    struct sst_sources sources;
    struct sst_catalog *catalog;
    struct sst_domain domain;
    uint8_t *keep; /* --mask, by domain cell; NULL without */
    struct sst_policy policy;
    bool wanted[SST_N_SLOTS + 1]; /* slots whose files are read */
    struct sst_coverage coverage; /* of the baseline's days on wanted slots */
    size_t n_days_beside; /* days outside the baseline that hobday's edge pools take */
    size_t n_inputs_used; /* files of which at least one step is read */
    uint64_t bytes_to_read; /* their size */
    size_t *probes; /* domain cells */
    size_t n_probes;
    double probe_share; /* 0..1; 0 where nothing is validated */
    uint64_t scratch_bytes; /* on the disk, while the run lasts */
    bool keeps_slots; /* those that wait for the error model wait in memory */
    size_t n_places; /* cells that are computed, as far as one field tells: see core/cells.h */
    size_t n_sea; /* cells with a value in that field */
    uint64_t peak_bytes; /* most memory that the run will take, readers included, from sizes and what was measured */
    uint64_t memory_limit_bytes; /* --memory: what it may take */
    size_t n_passes; /* parts of the rows, computed one after the other */
    uint64_t pass_rows; /* rows of the domain that a pass computes; the last may have fewer */
    struct sst_device_plan device; /* what computes */
    struct sst_timings timings; /* SST_PHASE_START */
};

/*
 * Scans headers and settles grid, box, mask, baseline, policy, probes and memory.
 *
 * options  settled (sst_options_settle); memory has no limit where they are not.
 * Owner    the caller; sst_job_clear, also after a failure.
 * Errors   SST_ERR_INPUT, SST_ERR_GRID, SST_ERR_TIME (baseline not whole, days for the smoother absent), SST_ERR_USAGE
 *          (a day that the calendar lacks, more memory than --memory allows), SST_ERR_OUTPUT (no room for scratch),
 *          SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_job_prepare(const struct sst_options *options, struct sst_progress *progress,
                                               struct sst_job *job, struct sst_error *err);
void sst_job_clear(struct sst_job *job);

/*
 * The daily files that `inputs` name and what their headers say, with the options' readers; shown as stage "scan".
 *
 * inputs   files, folders, "@list", "-" (stream/source.h).
 * Owner    the caller: sst_sources_clear, sst_catalog_destroy, also after a failure.
 * Errors   as sst_sources_find and sst_catalog_scan.
 */
SST_MUST_CHECK enum sst_status sst_job_scan(const struct sst_options *options, char *const *inputs, size_t n_inputs,
                                            struct sst_progress *progress, struct sst_sources *sources,
                                            struct sst_catalog **catalog, struct sst_error *err);

/*
 * Tries the devices that nobody asked for by name (those are tried first of all, by sst_job_prepare) before the first field of
 * the run is read, and looks whether all of them still have the memory that is planned. One that gives other bits than the CPU
 * is not used: with a warning the CPU computes, for which memory is settled anew. Where memory was taken meanwhile, less is done
 * at a time, or (--device auto) the CPU computes.
 *
 * Errors   SST_ERR_DEVICE; those of settling memory.
 */
SST_MUST_CHECK enum sst_status sst_job_test_devices(struct sst_job *job, struct sst_error *err);

/* The processes that read; NULL where the program reads itself. */
const struct sst_reader_crew *sst_job_crew(const struct sst_options *options);

/* Threads that deflate what is written, beside the one that writes it. */
int sst_job_writer_threads(const struct sst_options *options);

/* The options of file decoding. */
struct sst_decode_options sst_job_decode_options(const struct sst_options *options);

/* "1982-1990, 1993-2016" for the years that have every wanted day; "" if none. Owner: the caller, sst_free. */
SST_MUST_CHECK enum sst_status sst_job_full_years(const struct sst_job *job, char **text, struct sst_error *err);

#endif
