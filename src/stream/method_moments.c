/* Moments: sums per term, a window that moves by adding and subtracting them, then a formula. */
#include <string.h>

#include "core/mem.h"
#include "moments/fit.h"
#include "stream/method.h"

struct moments {
    struct sst_method_setup setup;
    struct sst_bins bins;
    struct sst_bin window;
    double z[SST_MAX_PERCENTILES]; /* standard normal quantiles */
};

static void close_moments(void *state)
{
    struct moments *moments = state;
    if (!moments)
        return;
    sst_bins_clear(&moments->bins);
    sst_bin_clear(&moments->window);
    sst_free(moments);
}

static enum sst_status open_moments(const struct sst_method_setup *setup, void **state, struct sst_error *err)
{
    struct moments *moments = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *moments, "moments", &moments, err));
    moments->setup = *setup;
    for (size_t q = 0; q < setup->policy->n_percentiles; ++q)
        moments->z[q] = sst_fit_normal_quantile(setup->policy->percentiles[q] / 100.0);
    SST_TRY_GOTO(sst_bin_init(&moments->window, sst_estimator_moments(), setup->n_cells, err));
    *state = moments;
    moments = NULL;
done:
    close_moments(moments);
    return rc;
}

static enum sst_status add_field(void *state, struct sst_term term, const struct sst_field *field,
                                 struct sst_error *err)
{
    struct moments *moments = state;
    struct sst_bin *bin = NULL;
    SST_TRY(sst_bins_get(&moments->bins, term, sst_estimator_moments(), moments->setup.n_cells, &bin, err));
    moments->setup.backend->moments_add_field(sst_bin_moments(bin), field->hundredths, moments->setup.n_cells);
    return SST_OK;
}

static void move(void *state, struct sst_term term, enum sst_window_step step)
{
    struct moments *moments = state;
    sst_bins_step(&moments->bins, moments->setup.backend, &moments->window, term, step);
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    (void)err;
    const struct moments *moments = state;
    const struct sst_moments_view window = sst_bin_moments(&moments->window);
    const struct sst_finish_out values = {out->mean, out->quantile, out->guarded};
    const size_t n_cells = moments->setup.n_cells;
    moments->setup.backend->moments_finish_cf(window, moments->z, moments->setup.policy->n_percentiles,
                                              pool->min_samples, &values, n_cells);
    if (out->n_obs)
        memcpy(out->n_obs, window.n, n_cells * sizeof *window.n);
    return SST_OK;
}

static void drop_slot(void *state, int slot)
{
    struct moments *moments = state;
    sst_bins_drop_slot(&moments->bins, slot);
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
        .open = open_moments,
        .close = close_moments,
        .add_field = add_field,
        .move = move,
        .finish = finish,
        .drop_slot = drop_slot,
        .term_bytes = term_bytes,
        .window_bytes = window_bytes,
    };
    return &moments;
}
