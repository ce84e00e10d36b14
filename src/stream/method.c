/* Which method an estimator is, and what methods have in common. */
#include "stream/method.h"

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
