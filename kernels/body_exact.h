/* Results of a pool of kept values in one cell: what the blocked and the naive form store, and how. */
#ifndef SST_KERNELS_BODY_EXACT_H
#define SST_KERNELS_BODY_EXACT_H

#include "cell_exact.h"
#include "gpu_args.h"

/* Where a pool's results in a cell go, and what is known of its values. */
struct body_exact {
    size_t at; /* in planes of results */
    int32_t n, sum; /* of the values that are not missing; sum of codes */
    int32_t min_samples;
};

SST_FN int body_exact_has_enough(struct body_exact cell) { return cell.n > 0 && cell.n >= cell.min_samples; }

SST_FN void body_exact_put_mean(const struct gpu_results *results, struct cell_exact_lattice lattice,
                                struct body_exact cell)
{
    if (results->n_obs)
        results->n_obs[cell.at] = (uint16_t)cell.n;
    if (results->mean)
        results->mean[cell.at] = body_exact_has_enough(cell)
                                     ? cell_exact_mean(lattice, cell.sum, cell.n, 1.0 / (double)cell.n)
                                     : (double)NAN;
}

/* value, next   order statistics k and k + 1; without meaning where there are too few values. */
SST_FN void body_exact_put_quantile(const struct gpu_results *results, int percentile,
                                    struct cell_exact_lattice lattice, struct body_exact cell, int32_t value,
                                    int32_t next, double g)
{
    results->quantile[percentile][cell.at] =
        body_exact_has_enough(cell) ? cell_exact_quantile(lattice, value, next, g) : (double)NAN;
}

SST_FN struct cell_rank body_exact_rank(struct gpu_ranks ranks, int percentile, int32_t n)
{
    return ranks.ranks[(size_t)percentile * (ranks.n_most + 1) + (size_t)(n > 0 ? n : 1)];
}

#endif
