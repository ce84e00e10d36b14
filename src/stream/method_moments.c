/* Moments: sums per term, a window that moves by adding and subtracting them, then percentiles fitted to them. */
#include <string.h>

#include "core/mem.h"
#include "stream/method.h"

struct moments {
    struct sst_method_setup setup;
    struct sst_bin_set set;
    struct sst_fit_tables tables;
};

static void close_moments(void *state)
{
    struct moments *moments = state;
    if (!moments)
        return;
    sst_bin_set_clear(&moments->set);
    sst_free(moments);
}

static enum sst_status open_moments(const struct sst_method_setup *setup, void **state, struct sst_error *err)
{
    struct moments *moments = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *moments, "moments", &moments, err));
    moments->setup = *setup;
    sst_fit_tables_init(&moments->tables, setup->policy);
    SST_TRY_GOTO(sst_bin_set_open(&moments->set, sst_estimator_moments(), setup->n_cells, err));
    *state = moments;
    moments = NULL;
done:
    close_moments(moments);
    return rc;
}

static enum sst_status grow(void *state, struct sst_error *err)
{
    struct moments *moments = state;
    moments->setup.n_cells = moments->setup.cells->n_places;
    return sst_bin_set_grow(&moments->set, moments->setup.n_cells, err);
}

static enum sst_status add_fields(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err)
{
    const int16_t *hundredths[SST_MAX_BATCH];
    struct moments *moments = state;
    struct sst_bin *bin = NULL;
    SST_TRY(sst_bin_set_at(&moments->set, term, sst_estimator_moments(), &bin, err));
    for (size_t i = 0; i < n_fields; ++i)
        hundredths[i] = fields[i]->hundredths;
    moments->setup.backend->moments_add_fields(sst_bin_moments(bin), moments->setup.cells, hundredths, n_fields);
    return SST_OK;
}

static enum sst_status add_sums(void *state, struct sst_term term, const struct sst_packed_bin *sums,
                                struct sst_error *err)
{
    struct moments *moments = state;
    return sst_bin_set_add_packed(&moments->set, moments->setup.backend, term, sst_estimator_moments(), sums, err);
}

static void move(void *state, struct sst_term term, enum sst_window_step step)
{
    struct moments *moments = state;
    sst_bin_set_step(&moments->set, moments->setup.backend, term, step);
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    (void)err;
    const struct moments *moments = state;
    const struct sst_moments_view window = sst_bin_moments(&moments->set.window);
    const struct sst_finish_out values = {
        .mean = out->mean, .quantile = out->quantile, .guarded = out->guarded, .shape = out->shape};
    const size_t n_cells = moments->setup.n_cells;
    moments->setup.backend->moments_finish(window, &moments->tables.fit, pool->min_samples, &values, n_cells);
    if (out->n_obs)
        memcpy(out->n_obs, window.n, n_cells * sizeof *window.n);
    return SST_OK;
}

static void drop_slot(void *state, int slot)
{
    struct moments *moments = state;
    sst_bin_set_drop_slot(&moments->set, slot);
}

static uint64_t window_bytes(const struct sst_method_setup *setup)
{
    return (uint64_t)setup->n_cells * sst_estimator_cell_size(sst_estimator_moments());
}

static uint64_t term_bytes(const struct sst_method_setup *setup, struct sst_term term)
{
    return sst_pool_term_days(&setup->policy->pools, term) > 0 ? window_bytes(setup) : 0;
}

const struct sst_method *sst_method_moments(void)
{
    static const struct sst_method moments = {
        .has_shape = true,
        .open = open_moments,
        .close = close_moments,
        .grow = grow,
        .add_fields = add_fields,
        .add_sums = add_sums,
        .move = move,
        .finish = finish,
        .drop_slot = drop_slot,
        .term_bytes = term_bytes,
        .window_bytes = window_bytes,
    };
    return &moments;
}
