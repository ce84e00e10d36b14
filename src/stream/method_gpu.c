/* Which term is which bin of the devices; all else is told by the policy and the schedule, or done by backend/gpu.c. */
#include "stream/method_gpu.h"

#include "core/mem.h"
#include "stream/schedule.h"

enum { NO_BIN = -1 };

struct on_device {
    struct sst_method_setup setup;
    struct sst_gpu *gpu;
    struct sst_fit_tables tables;
    struct sst_percentiles percentiles;
    struct sst_quantile_args args;
    uint8_t is_low[SST_MAX_PERCENTILES];
    struct sst_schedule_counts counts;
    struct sst_cells sizes; /* where only sizes are asked for */
    int bins[SST_N_SLOTS + 1][SST_N_CLASSES]; /* NO_BIN where nothing was added */
    size_t *free_bins;
    size_t n_free;
    struct sst_gpu_pool *pools; /* of the group at work */
    size_t *members; /* their bins, one pool after the other */
    size_t n_prepared, n_finished; /* pools of it */
};

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static enum sst_gpu_store store_of(enum sst_approx approx)
{
    switch (approx) {
    case SST_APPROX_CF:
    case SST_APPROX_MAXENT:
        return SST_GPU_MOMENTS;
    case SST_APPROX_TAIL:
        return SST_GPU_TAIL;
    case SST_APPROX_NONE:
        break;
    }
    return SST_GPU_EXACT;
}

/* Fills in what the policy alone tells, and what the device's setup points to. */
static void settle(struct on_device *at, const struct sst_method_setup *setup)
{
    const struct sst_policy *policy = setup->policy;
    at->setup = *setup;
    at->percentiles = sst_percentiles_of(policy);
    at->args = sst_quantile_args_of(policy, &at->percentiles, 0); /* each pool has its own least number */
    at->counts = sst_schedule_count(policy, setup->n_ahead, setup->lacks_days_beside);
    at->sizes.n_domain = setup->n_domain;
    if (setup->is_resident) {
        const struct sst_schedule_counts all = sst_schedule_count(policy, SST_MAX_STEPS, setup->lacks_days_beside);
        at->counts.n_terms = all.n_terms;
        at->counts.n_days = all.n_days;
    }
    for (size_t q = 0; q < policy->n_percentiles; ++q)
        at->is_low[q] = sst_tail_is_low(policy->percentiles[q]);
    if (sst_approx_has_moments(policy->approx))
        sst_fit_tables_init(&at->tables, policy);
}

static struct sst_gpu_setup gpu_setup_of(const struct on_device *at)
{
    const struct sst_policy *policy = at->setup.policy;
    const struct sst_tail_k k =
        policy->approx == SST_APPROX_TAIL ? sst_policy_tail_k(policy) : (struct sst_tail_k){0, 0};
    const bool has_moments = sst_approx_has_moments(policy->approx);
    return (struct sst_gpu_setup){
        .devices = at->setup.devices,
        .store = store_of(policy->approx),
        .cells = at->setup.cells ? at->setup.cells : &at->sizes,
        .n_most_places = sst_cells_most(at->setup.n_domain),
        .n_bins = at->counts.n_terms,
        .n_kept = at->counts.n_days,
        .n_kept_bin = at->counts.n_term_days,
        .n_terms = at->counts.n_pool_terms,
        .n_window = 2 * (size_t)policy->pools.half_window_days + 1,
        .k_top = (size_t)k.top,
        .k_bottom = (size_t)k.bottom,
        .n_results = at->counts.n_pools,
        .fit = has_moments ? &at->tables.fit : NULL,
        .args = has_moments ? NULL : &at->args,
        .is_low = at->is_low,
        .wants_shape = has_moments && at->setup.wants_shape,
        .wants_marks = true,
    };
}

struct sst_gpu_bytes sst_method_gpu_bytes(const struct sst_method_setup *setup)
{
    struct on_device at = {.n_free = 0};
    settle(&at, setup);
    const struct sst_gpu_setup gpu = gpu_setup_of(&at);
    return sst_gpu_bytes(&gpu, setup->devices->n);
}

/* Nothing of a term lies on the host. */
static uint64_t term_bytes(const struct sst_method_setup *setup, struct sst_term term)
{
    (void)setup;
    (void)term;
    return 0;
}

static uint64_t window_bytes(const struct sst_method_setup *setup) { return sst_method_gpu_bytes(setup).host; }

/* --- life --------------------------------------------------------------------------------------------------------- */

static void close_device(void *state)
{
    struct on_device *at = state;
    if (!at)
        return;
    if (at->gpu && at->setup.times) {
        const struct sst_gpu_times times = sst_gpu_times(at->gpu);
        at->setup.times->copy_in += times.copy_in;
        at->setup.times->add += times.add;
        at->setup.times->finish += times.finish;
        at->setup.times->copy_out += times.copy_out;
    }
    sst_gpu_close(&at->gpu);
    sst_free(at->free_bins);
    sst_free(at->pools);
    sst_free(at->members);
    sst_free(at);
}

static enum sst_status open_bins(struct on_device *at, struct sst_error *err)
{
    const struct sst_schedule_counts *counts = &at->counts;
    SST_TRY(sst_alloc(counts->n_terms, sizeof *at->free_bins, "bins of devices", &at->free_bins, err));
    SST_TRY(sst_alloc(counts->n_pools, sizeof *at->pools, "pools for devices", &at->pools, err));
    SST_TRY(
        sst_alloc(counts->n_pools * counts->n_pool_terms, sizeof *at->members, "pools for devices", &at->members, err));
    while (at->n_free < counts->n_terms) { /* bin 0 is taken first */
        at->free_bins[at->n_free] = counts->n_terms - 1 - at->n_free;
        ++at->n_free;
    }
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            at->bins[slot][year_class] = NO_BIN;
    return SST_OK;
}

static enum sst_status open_device(const struct sst_method_setup *setup, void **state, struct sst_error *err)
{
    struct on_device *at = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *at, "a method on devices", &at, err));
    settle(at, setup);
    const struct sst_gpu_setup gpu = gpu_setup_of(at);
    SST_TRY_GOTO(open_bins(at, err));
    SST_TRY_GOTO(sst_gpu_open(&gpu, &at->gpu, err));
    *state = at;
    at = NULL;
done:
    close_device(at);
    return rc;
}

/* The devices have room for all places that there can be. */
static enum sst_status grow(void *state, struct sst_error *err)
{
    (void)state;
    (void)err;
    return SST_OK;
}

/* --- work --------------------------------------------------------------------------------------------------------- */

static enum sst_status add_fields(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err)
{
    struct on_device *at = state;
    int *bin = &at->bins[term.slot][term.year_class];
    if (*bin == NO_BIN && at->n_free == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "slot %d finds no free bin of %zu", term.slot, at->counts.n_terms);
    if (*bin == NO_BIN)
        *bin = (int)at->free_bins[--at->n_free];
    return sst_gpu_add_fields(at->gpu, (size_t)*bin, fields, n_fields, err);
}

static enum sst_status prepare(void *state, const struct sst_pool *pools, size_t n_pools, struct sst_error *err)
{
    struct on_device *at = state;
    size_t *members = at->members;
    for (size_t i = 0; i < n_pools; ++i) {
        size_t n_bins = 0;
        for (int t = 0; t < pools[i].n_terms; ++t) {
            const int bin = at->bins[pools[i].terms[t].slot][pools[i].terms[t].year_class];
            if (bin != NO_BIN) /* else no file had it */
                members[n_bins++] = (size_t)bin;
        }
        at->pools[i] = (struct sst_gpu_pool){members, n_bins, pools[i].min_samples};
        members += n_bins;
    }
    at->n_prepared = n_pools;
    at->n_finished = 0;
    return sst_gpu_start(at->gpu, at->pools, n_pools, err);
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    struct on_device *at = state;
    if (at->n_finished >= at->n_prepared || at->pools[at->n_finished].min_samples != pool->min_samples)
        return sst_fail(err, SST_ERR_INTERNAL, "pool %zu of %zu on devices is not the one that was prepared",
                        at->n_finished, at->n_prepared);
    const struct sst_gpu_result result = {
        .mean = out->mean,
        .quantile = out->quantile,
        .bound = out->bound,
        .n_obs = out->n_obs,
        .marks = sst_approx_has_moments(at->setup.policy->approx) ? out->guarded : out->uncertified,
        .shape = out->shape,
    };
    return sst_gpu_result(at->gpu, at->n_finished++, &result, err);
}

static void drop_slot(void *state, int slot)
{
    struct on_device *at = state;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        int *bin = &at->bins[slot][year_class];
        if (*bin == NO_BIN || at->setup.is_resident)
            continue;
        sst_gpu_empty_bin(at->gpu, (size_t)*bin);
        at->free_bins[at->n_free++] = (size_t)*bin;
        *bin = NO_BIN;
    }
}

/* --- the rows ----------------------------------------------------------------------------------------------------- */

/* What rows have in common. */
#define ON_DEVICE                                                                                                      \
    .open = open_device, .close = close_device, .grow = grow, .add_fields = add_fields, .prepare = prepare,            \
    .finish = finish, .drop_slot = drop_slot, .term_bytes = term_bytes, .window_bytes = window_bytes

const struct sst_method *sst_method_gpu(enum sst_approx approx)
{
    static const struct sst_method moments = {.has_shape = true, ON_DEVICE};
    static const struct sst_method exact = {ON_DEVICE};
    static const struct sst_method tail = {.has_bounds = true, ON_DEVICE};
    switch (store_of(approx)) {
    case SST_GPU_MOMENTS:
        return &moments;
    case SST_GPU_TAIL:
        return &tail;
    case SST_GPU_EXACT:
        break;
    }
    return &exact;
}
