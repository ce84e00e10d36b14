/*
 * How percentiles come to be: what a run remembers of its fields and how that becomes the values of a pool.
 *
 *   open ▸ (grow ... add_fields ... prepare ▸ (move ... finish) ... drop_slot) ... ▸ close
 *
 * The engine walks the schedule and knows nothing of estimators; a row of this table knows one estimator and nothing of the
 * schedule. The exact method runs a second time, over the probes alone, beside any other.
 */
#ifndef SST_STREAM_METHOD_H
#define SST_STREAM_METHOD_H

#include "backend/backend.h"
#include "core/calendar.h"
#include "core/cells.h"
#include "core/field.h"
#include "core/shape.h"
#include "stream/bins.h"
#include "stream/policy.h"

struct sst_gpu_devices; /* backend/gpu_devices.h */
struct sst_gpu_times; /* backend/gpu.h */

/* What a method is opened with. Borrowed until it is closed. */
struct sst_method_setup {
    const struct sst_policy *policy;
    const struct sst_backend *backend;
    size_t n_cells; /* places that the method computes; in a run cells->n_places, which may grow */
    const struct sst_cells *cells; /* where in a field they are; NULL where only sizes are asked for */

    /* Of methods on devices alone. */
    const struct sst_gpu_devices *devices;
    size_t n_domain; /* cells that may get a place */
    size_t n_ahead; /* pools that are finished together, at most; 0: one */
    bool is_resident, lacks_days_beside, wants_shape; /* as struct sst_climatology_size has them */
    struct sst_gpu_times *times; /* what devices did is added when it is closed; may be NULL */
};

/* The pool that is finished; its terms have entered and not left. */
struct sst_pool {
    const struct sst_term *terms;
    int n_terms;
    int min_samples; /* fewer values: NaN */
};

/* Where finished values go; n_cells items each. */
struct sst_method_out {
    double *mean; /* [degC]; NULL where the exact method is not to give it */
    double *const *quantile, *const *bound; /* [degC] by percentile; the latter only where has_bounds */
    uint16_t *n_obs; /* NULL where not wanted */
    uint8_t *guarded, *uncertified; /* marks; NULL where not wanted */
    struct sst_shape shape; /* only where has_shape; all NULL where not wanted */
};

struct sst_method {
    bool has_bounds; /* each percentile is exact, or one of two proven bounds of which the other stands beside it */
    bool has_shape; /* knows the moments of a pool */

    /* Errors: SST_ERR_NOMEM, SST_ERR_DEVICE. Owner: the caller; close, which accepts NULL. */
    enum sst_status (*open)(const struct sst_method_setup *setup, void **state, struct sst_error *err);
    void (*close)(void *state);

    /* After cells->n_places grew: new places have had no value. Errors: SST_ERR_NOMEM. */
    enum sst_status (*grow)(void *state, struct sst_error *err);

    /* Remembers days of a term, whose fields are in domain order. Errors: SST_ERR_NOMEM, SST_ERR_DEVICE. */
    enum sst_status (*add_fields)(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err);

    /*
     * The same for days whose sums and lists are there already: a bin of the estimator over some cells, `item` by place. NULL
     * where a method remembers values, or is on devices. Errors: SST_ERR_NOMEM.
     */
    enum sst_status (*add_sums)(void *state, struct sst_term term, const struct sst_packed_bin *sums,
                                struct sst_error *err);

    /* A term enters or leaves the pool. NULL where a method has no window. */
    void (*move)(void *state, struct sst_term term, enum sst_window_step step);

    /*
     * The pools that will be finished next, in this order, whose terms have all their days: what can be computed of them
     * may begin. Borrowed while it is called. NULL where a method computes a pool when it is finished.
     *
     * Errors: SST_ERR_NOMEM, SST_ERR_DEVICE.
     */
    enum sst_status (*prepare)(void *state, const struct sst_pool *pools, size_t n_pools, struct sst_error *err);

    /* Errors: SST_ERR_NOMEM, SST_ERR_DEVICE. */
    enum sst_status (*finish)(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err);

    /* Forgets the terms of a slot, none of which is in the pool. */
    void (*drop_slot)(void *state, int slot);

    /* The most bytes that a term takes, and that the method takes besides. */
    uint64_t (*term_bytes)(const struct sst_method_setup *setup, struct sst_term term);
    uint64_t (*window_bytes)(const struct sst_method_setup *setup);
};

const struct sst_method *sst_method_moments(void);
const struct sst_method *sst_method_exact(void);
const struct sst_method *sst_method_tail(void);

/* The method of an estimator. Never NULL. */
const struct sst_method *sst_method_of(enum sst_approx approx);

/* The percentiles of a policy as shares, for the backend. */
struct sst_percentiles {
    double p[SST_MAX_PERCENTILES]; /* 0..1 */
};
struct sst_percentiles sst_percentiles_of(const struct sst_policy *policy);
struct sst_quantile_args sst_quantile_args_of(const struct sst_policy *policy,
                                              const struct sst_percentiles *percentiles, int min_samples);

/* How sums become the percentiles of a policy that has moments. */
struct sst_fit_tables {
    double z[SST_MAX_PERCENTILES]; /* standard normal quantiles */
    const float *tables[SST_MAX_PERCENTILES];
    struct sst_moments_fit fit; /* points at the two above */
};
/* The policy has been checked, so that every percentile has its table. */
void sst_fit_tables_init(struct sst_fit_tables *tables, const struct sst_policy *policy);

/* What selection found in the last pool, for the next one; see the backend. Starts from zeros. */
struct sst_found {
    int16_t *codes[SST_MAX_PERCENTILES]; /* n_cells each */
};

/* Nothing found yet. Owner: the caller; sst_found_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_found_init(struct sst_found *found, const struct sst_method_setup *setup,
                                              struct sst_error *err);
/* New places of setup->cells, of which nothing is found. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_found_grow(struct sst_found *found, const struct sst_method_setup *setup,
                                              size_t old_count, struct sst_error *err);
void sst_found_clear(struct sst_found *found);
uint64_t sst_found_bytes(const struct sst_method_setup *setup);

#endif
