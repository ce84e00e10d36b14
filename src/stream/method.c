/* Which method an estimator is, and what methods have in common. */
#include "stream/method.h"

#include "core/mem.h"
#include "moments/fit.h"
#include "moments/maxent.h"

const struct sst_method *sst_method_of(enum sst_approx approx)
{
    switch (approx) {
    case SST_APPROX_CF:
    case SST_APPROX_MAXENT:
        return sst_method_moments();
    case SST_APPROX_TAIL:
        return sst_method_tail();
    case SST_APPROX_NONE:
        break;
    }
    return sst_method_exact();
}

struct sst_percentiles sst_percentiles_of(const struct sst_policy *policy)
{
    struct sst_percentiles percentiles = {{0.0}};
    for (size_t q = 0; q < policy->n_percentiles; ++q)
        percentiles.p[q] = policy->percentiles[q] / 100.0;
    return percentiles;
}

struct sst_quantile_args sst_quantile_args_of(const struct sst_policy *policy,
                                              const struct sst_percentiles *percentiles, int min_samples)
{
    const struct sst_quantile_args args = {
        .p = percentiles->p,
        .n_percentiles = policy->n_percentiles,
        .type = policy->quantile_type,
        .lattice = sst_lattice_of(policy->lattice),
        .min_samples = min_samples,
    };
    return args;
}

void sst_fit_tables_init(struct sst_fit_tables *tables, const struct sst_policy *policy)
{
    const bool is_maxent = policy->approx == SST_APPROX_MAXENT;
    tables->fit = (struct sst_moments_fit){
        .kind = is_maxent ? SST_FIT_MAXENT : SST_FIT_CF,
        .n_percentiles = policy->n_percentiles,
        .z = tables->z,
        .table = tables->tables,
        .v_limit = sst_maxent_v_limit(),
    };
    for (size_t q = 0; q < policy->n_percentiles; ++q) {
        tables->z[q] = sst_fit_normal_quantile(policy->percentiles[q] / 100.0);
        tables->tables[q] = sst_maxent_table(policy->percentiles[q]);
    }
}

enum sst_status sst_found_init(struct sst_found *found, const struct sst_method_setup *setup, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    for (size_t q = 0; q < setup->policy->n_percentiles; ++q) {
        SST_TRY_GOTO(sst_alloc(setup->n_cells, sizeof(int16_t), "what selection found", &found->codes[q], err));
        for (size_t cell = 0; cell < setup->n_cells; ++cell)
            found->codes[q][cell] = SST_CODE_MISSING;
    }
done:
    if (rc != SST_OK)
        sst_found_clear(found);
    return rc;
}

enum sst_status sst_found_grow(struct sst_found *found, const struct sst_method_setup *setup, size_t old_count,
                               struct sst_error *err)
{
    for (size_t q = 0; q < setup->policy->n_percentiles; ++q) {
        SST_TRY(sst_extend(&found->codes[q], old_count, setup->n_cells, sizeof(int16_t), "what selection found", err));
        for (size_t cell = old_count; cell < setup->n_cells; ++cell)
            found->codes[q][cell] = SST_CODE_MISSING;
    }
    return SST_OK;
}

void sst_found_clear(struct sst_found *found)
{
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q) {
        sst_free(found->codes[q]);
        found->codes[q] = NULL;
    }
}

uint64_t sst_found_bytes(const struct sst_method_setup *setup)
{
    return (uint64_t)setup->n_cells * setup->policy->n_percentiles * sizeof(int16_t);
}
