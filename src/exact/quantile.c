/* Quantile of a sorted array by the shared rank rule. */
#include "exact/quantile.h"

#include <math.h>
#include <stdint.h>

#include "kernels/cell_quantile.h"

double sst_quantile_sorted(const double *sorted, size_t n, double p, int type)
{
    if (n == 0)
        return NAN;
    const struct cell_rank rank = cell_rank_of((int32_t)n, p, type);
    const double a = sorted[rank.k];
    return rank.g > 0.0 ? cell_quantile_mix(a, sorted[rank.k + 1], rank.g) : a;
}
