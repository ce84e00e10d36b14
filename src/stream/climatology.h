/*
 * The engine of the main job: files in calendar order, in one pass, to a climatology that leaves slot by slot.
 *
 *   for each slot in ring order:  read its files ▸ add to its bins
 *   for each centre whose pool is complete:  move the window ▸ finish ▸ smooth ▸ give the slot to the sink
 *
 * Only bins, raw values and estimates that some later slot still needs are in memory; the schedule frees each after
 * its last use, so the wrap at New Year, part of a year and the smoother's reach are no special cases.
 */
#ifndef SST_STREAM_CLIMATOLOGY_H
#define SST_STREAM_CLIMATOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "core/calendar.h"
#include "core/grid.h"
#include "stream/reader.h"

enum { SST_MAX_PERCENTILES = 8 };

enum sst_approx { SST_APPROX_NONE, SST_APPROX_CF };

/* "none", "cf". */
const char *sst_approx_name(enum sst_approx approx);

/* The rule by which numbers are made; whoever knows this and the inputs can repeat them. */
struct sst_policy {
    struct sst_pool_rule pools;
    enum sst_approx approx;
    double percentiles[SST_MAX_PERCENTILES]; /* [percent] */
    size_t n_percentiles;
    int quantile_type; /* Hyndman-Fan 1..9 */
    int smooth_days; /* odd width of the circular mean; 1 = none */
    int min_samples; /* fewer: fill; 0 = a third of the expected pool */
    int first_slot, last_slot; /* part of the year that is written; first > last crosses New Year */
    enum sst_lattice_kind lattice;
};

/* One finished slot. Arrays belong to the engine and live until the callback returns. NaN is missing. */
struct sst_slot_result {
    int slot;
    size_t n_cells;
    const double *mean; /* [degC] */
    const double *quantile[SST_MAX_PERCENTILES]; /* [degC] */
    const uint16_t *n_obs;
    const uint16_t *flags; /* enum sst_flag bits that the pool itself tells */
    size_t n_probes;
    const double *probe_quantile[SST_MAX_PERCENTILES]; /* [degC] exact, at the probe cells */
};

/* Takes slots as they are ready (not in order at the ends of the year). A failure ends the run. */
struct sst_slot_sink {
    void *user;
    enum sst_status (*put)(void *user, const struct sst_slot_result *result, struct sst_error *err);
    void (*progress)(void *user, size_t days_done, size_t days_total, uint64_t bytes_done); /* may be NULL */
    bool (*cancelled)(void *user); /* may be NULL; asked between fields */
};

struct sst_climatology_job {
    const struct sst_policy *policy;
    const struct sst_domain *domain;
    const struct sst_backend *backend;
    struct sst_reader *reader;
    const struct sst_catalog *catalog;
    const size_t *probes; /* domain cells whose exact percentile is wanted beside the approximation, ascending */
    size_t n_probes;
};

/*
 * Runs the job.
 *
 * Errors   SST_ERR_NOMEM; what the reader or the sink reports; SST_ERR_INTERRUPTED when cancelled.
 */
SST_MUST_CHECK enum sst_status sst_climatology_run(const struct sst_climatology_job *job,
                                                   const struct sst_slot_sink *sink, struct sst_error *err);

/* Slots written, in order from first_slot; `slots` has room for SST_N_SLOTS. Returns their number. */
int sst_policy_output_slots(const struct sst_policy *policy, int *slots);

/* Flags by slot (SST_N_SLOTS + 1) of those whose files the policy reads. */
void sst_policy_read_slots(const struct sst_policy *policy, bool *wanted);

/* The most bytes that the engine will hold at a time for `n_cells` cells and `n_probes` probes. */
uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, size_t n_cells, size_t n_probes);

#endif
