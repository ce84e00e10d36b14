/*
 * The engine at work, for the climatology*.c files alone:
 *
 *   climatology.c       walks the schedule: reading, windows, finishing
 *   climatology_sums.c  slots that come with their sums
 *   climatology_put.c   from finished estimates of places to a slot of the domain, with its flags
 *   climatology_size.c  what all of it takes in memory, before the run
 */
#ifndef SST_STREAM_CLIMATOLOGY_PRIVATE_H
#define SST_STREAM_CLIMATOLOGY_PRIVATE_H

#include "core/cells.h"
#include "stream/bins.h"
#include "stream/climatology.h"
#include "stream/estimate.h"
#include "stream/method.h"
#include "stream/method_gpu.h"
#include "stream/schedule.h"

/* A method at work: over all cells, or the exact one over the probes. */
struct sst_worker {
    const struct sst_method *method;
    void *state;
    struct sst_cells cells; /* the probes' own; the engine's are used by the other */
};

enum { SST_MAX_WORKERS = 2 };

/* Fields that are held until there are enough of one term. */
struct sst_batch {
    struct sst_term term;
    const struct sst_field *fields[SST_MAX_BATCH];
    size_t n;
};

/* A slot in domain order; cells that have no place keep what they are given at first. */
struct sst_slot_values {
    double *mean, *quantile[SST_MAX_PERCENTILES_AND_BOUNDS]; /* [degC] */
    uint16_t *n_obs, *flags;
    struct sst_shape shape;
};

struct sst_engine {
    const struct sst_climatology_job *job;
    const struct sst_policy *policy;
    const struct sst_slot_sink *sink;
    struct sst_schedule schedule;
    struct sst_cells cells; /* in whose places all below is, but for the probes */

    struct sst_worker workers[SST_MAX_WORKERS]; /* the estimator's; then that of the probes, where there are any */
    size_t n_workers;
    struct sst_bin_set ice; /* not open until a field has ice */
    struct sst_term terms[SST_MAX_TERMS]; /* of the windows as they stand */
    int n_terms;
    struct sst_batch batch;
    struct sst_pool *pools; /* of the group at work, where the method prepares; its terms are the next */
    struct sst_term *pool_terms;

    struct sst_estimate_shape shape;
    struct sst_estimate estimates[SST_MAX_STEPS];
    struct sst_estimate smoothed;
    uint8_t *guarded; /* scratch */
    uint16_t *written_flags; /* scratch: those of the pool, of the written values and of the sink */
    struct sst_slot_values values;

    struct sst_day *days; /* in the order in which they are read */
    size_t n_days, days_done;
    int reads_done; /* slots of the schedule */

    /* Where slots come with their sums. */
    uint8_t *marks; /* by domain cell */
    uint32_t *item; /* by place */
};

/* Makes room, in everything that has places, for cells that have got one. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_engine_grow(struct sst_engine *engine, struct sst_error *err);

/* Takes a slot from the job's sums. Errors: those of the source, SST_ERR_NOMEM; SST_ERR_INTERRUPTED. */
SST_MUST_CHECK enum sst_status sst_engine_take_slot(struct sst_engine *engine, int slot, struct sst_error *err);

/* Room for a slot's values. Owner: the engine; sst_slot_values_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_slot_values_init(struct sst_slot_values *values, const struct sst_engine *engine,
                                                    struct sst_error *err);
void sst_slot_values_clear(struct sst_slot_values *values);

/* Smooths a slot, flags it and gives it to the sink. */
SST_MUST_CHECK enum sst_status sst_engine_put_slot(struct sst_engine *engine, int slot, struct sst_error *err);

/* The method of all cells, and what it is opened with, but for backend, cells and times. */
const struct sst_method *sst_engine_method(const struct sst_policy *policy, const struct sst_gpu_devices *devices);

/* Slots of the next group are read while this one is finished, where the method computes by itself and has room for them. */
static inline bool sst_engine_reads_ahead(const struct sst_method *method, bool is_resident)
{
    return method->prepare && is_resident;
}
struct sst_method_setup sst_engine_method_setup(const struct sst_policy *policy,
                                                const struct sst_climatology_size *size);

/* Shape of a run's estimates; values are smoothed, pools are not. */
struct sst_estimate_shape sst_engine_shape(const struct sst_policy *policy, const struct sst_climatology_size *size);
struct sst_estimate_shape sst_engine_smoothed_shape(struct sst_estimate_shape shape);

#endif
