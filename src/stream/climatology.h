/*
 * The engine of the main job: files in calendar order, in one pass, to a climatology that leaves slot by slot.
 *
 *   for each slot in ring order:  read its files ▸ add to its bins
 *   for each centre whose pool is complete:  move the window ▸ finish ▸ smooth ▸ give the slot to the sink
 *
 * On devices, pools are finished in groups: those that follow are computed while the host smooths and writes the first ones,
 * and, where days stay on the devices, reads the slots of the next group.
 * Only what some later slot still needs is in memory; src/stream/schedule.h says until when that is.
 */
#ifndef SST_STREAM_CLIMATOLOGY_H
#define SST_STREAM_CLIMATOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/backend.h"
#include "core/grid.h"
#include "core/shape.h"
#include "stream/field_source.h"
#include "stream/policy.h"
#include "stream/slot_source.h"

enum { SST_MAX_PERCENTILES_AND_BOUNDS = 3 * SST_MAX_PERCENTILES };

/* Arrays of a slot: its percentiles, and where they have bounds a lower and an upper one for each. */
static inline size_t sst_slot_n_quantiles(size_t n_percentiles, bool has_bounds)
{
    return n_percentiles * (has_bounds ? 3 : 1);
}

/* One finished slot. Arrays belong to the engine and live until the callback returns. NaN is missing. */
struct sst_slot_result {
    int slot;
    size_t n_cells;
    const double *mean; /* [degC] */
    const double
        *quantile[SST_MAX_PERCENTILES_AND_BOUNDS]; /* [degC] percentiles; then, with has_bounds, as many lower */
    bool has_bounds; /* and as many upper bounds, equal to the percentile where it is certified */
    const uint16_t *n_obs;
    uint16_t *flags; /* enum sst_flag bits; the sink may set more */
    struct sst_shape
        shape; /* of the slot's own pool, not smoothed; all NULL where it is not wanted or the method has none */
    size_t n_probes;
    const double *probe_quantile[SST_MAX_PERCENTILES]; /* [degC] exact, at the probe cells */
};

/* Takes slots as they are ready (not in order at the ends of the year). A failure ends the run. */
struct sst_slot_sink {
    void *user;
    enum sst_status (*put)(void *user, const struct sst_slot_result *result, struct sst_error *err);
    /* Sees each day whose field enters, once, before it does; may be NULL. */
    void (*field)(void *user, struct sst_day day, const struct sst_field *field);
    void (*progress)(void *user, size_t days_done, size_t days_total, uint64_t bytes_done); /* may be NULL */
    bool (*cancelled)(void *user); /* may be NULL; asked between fields */
};

struct sst_timings;
struct sst_gpu_devices; /* backend/gpu_devices.h */
struct sst_gpu_times; /* backend/gpu.h */

struct sst_climatology_job {
    const struct sst_policy *policy;
    const struct sst_backend *backend;
    const struct sst_field_source *source;
    /* In place of the source, for an estimator with moments or lists on the CPU; else NULL. The sink sees no field then, and
     * its progress is of slots. */
    const struct sst_slot_source *sums;
    size_t n_cells; /* of the domain, whose order fields have */
    const size_t *probes; /* domain cells whose exact percentile is wanted beside the approximation, ascending */
    size_t n_probes;
    bool wants_shape; /* results carry the shape of pools, where the method has moments: 12 bytes a cell and estimate */
    const struct sst_gpu_devices *devices; /* that compute all but the probes; NULL or none: the backend does */
    size_t n_ahead; /* pools that are finished together, at most: src/stream/schedule.h; 0: one at a time */
    bool
        is_resident; /* devices have room for the days of the whole run: what is there once stays, nothing waits for room */
    struct sst_gpu_times *device_times; /* what devices did is added here; may be NULL */
    struct sst_timings *timings; /* what the engine does itself is booked here; may be NULL */
};

/*
 * Runs the job.
 *
 * Errors   SST_ERR_NOMEM; what the source or the sink reports; SST_ERR_INTERRUPTED when cancelled; SST_ERR_DEVICE.
 */
SST_MUST_CHECK enum sst_status sst_climatology_run(const struct sst_climatology_job *job,
                                                   const struct sst_slot_sink *sink, struct sst_error *err);

/* Whether results of an estimator have bounds. */
bool sst_climatology_has_bounds(const struct sst_policy *policy);

/* What the memory of a run depends on beside its policy. */
struct sst_climatology_size {
    size_t n_cells; /* places: see core/cells.h */
    size_t n_domain; /* cells of the domain */
    size_t n_probes; /* 0 where nothing is validated */
    bool has_ice, wants_shape;
    bool lacks_days_beside; /* no file is of the year before or after the baseline: such days have no bins */
    const struct sst_gpu_devices *devices; /* as those of the job */
    size_t n_ahead;
    bool is_resident;
};

/*
 * The most bytes that the engine will hold at a time, but for what does not depend on cells: tables of slots and scratch of
 * threads, of about a megabyte.
 */
uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size);

/* Bytes that the engine takes of each of size->devices, at most; the first is asked for what its kernels take beside. */
uint64_t sst_climatology_device_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size);

/* Pools that a run finishes, so the most that n_ahead can be. */
size_t sst_climatology_n_pools(const struct sst_policy *policy);

#endif
