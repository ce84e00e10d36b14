/* Exact: every value of the pool's terms is kept, for all cells or for the probes. */
#include "core/mem.h"
#include "exact/raw.h"
#include "stream/method.h"

struct exact {
    struct sst_method_setup setup;
    struct sst_raw *raw;
    struct sst_percentiles percentiles;
    struct sst_found found;
};

static void close_exact(void *state)
{
    struct exact *exact = state;
    if (!exact)
        return;
    sst_raw_destroy(&exact->raw);
    sst_found_clear(&exact->found);
    sst_free(exact);
}

static enum sst_status open_exact(const struct sst_method_setup *setup, void **state, struct sst_error *err)
{
    struct exact *exact = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *exact, "the exact path", &exact, err));
    exact->setup = *setup;
    exact->percentiles = sst_percentiles_of(setup->policy);
    SST_TRY_GOTO(sst_found_init(&exact->found, setup, err));
    SST_TRY_GOTO(sst_raw_create(setup->cells, &exact->raw, err));
    *state = exact;
    exact = NULL;
done:
    close_exact(exact);
    return rc;
}

static enum sst_status grow(void *state, struct sst_error *err)
{
    struct exact *exact = state;
    const size_t old_count = exact->setup.n_cells;
    exact->setup.n_cells = exact->setup.cells->n_places;
    SST_TRY(sst_found_grow(&exact->found, &exact->setup, old_count, err));
    return sst_raw_grow(exact->raw, err);
}

static enum sst_status add_fields(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err)
{
    struct exact *exact = state;
    struct sst_kept kept;
    const int n_most = sst_pool_term_days(&exact->setup.policy->pools, term);
    SST_TRY(sst_raw_extend(exact->raw, term, n_fields, (size_t)n_most, &kept, err));
    exact->setup.backend->exact_add_fields(&kept, exact->setup.cells, fields, n_fields);
    return SST_OK;
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    struct exact *exact = state;
    const struct sst_quantile_args args =
        sst_quantile_args_of(exact->setup.policy, &exact->percentiles, pool->min_samples);
    const struct sst_finish_out values = {
        .mean = out->mean, .quantile = out->quantile, .found = exact->found.codes, .n_obs = out->n_obs};
    struct sst_kept kept[SST_MAX_TERMS];
    const size_t n_kept = sst_raw_pool(exact->raw, pool->terms, pool->n_terms, kept);
    return exact->setup.backend->exact_finish(kept, n_kept, &args, &values, exact->setup.n_cells, err);
}

static void drop_slot(void *state, int slot)
{
    struct exact *exact = state;
    sst_raw_drop_slot(exact->raw, slot);
}

static uint64_t term_bytes(const struct sst_method_setup *setup, struct sst_term term)
{
    const int days = sst_pool_term_days(&setup->policy->pools, term);
    return sst_raw_term_bytes(setup->n_cells, (size_t)days);
}

static uint64_t window_bytes(const struct sst_method_setup *setup) { return sst_found_bytes(setup); }

const struct sst_method *sst_method_exact(void)
{
    static const struct sst_method exact = {
        .open = open_exact,
        .close = close_exact,
        .grow = grow,
        .add_fields = add_fields,
        .finish = finish,
        .drop_slot = drop_slot,
        .term_bytes = term_bytes,
        .window_bytes = window_bytes,
    };
    return &exact;
}
