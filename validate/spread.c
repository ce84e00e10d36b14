/* Quantiles of sorted values. */
#include "validate/spread.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/cell_quantile.h"

enum { QUANTILE_TYPE = 7 };

static int by_value(const void *a, const void *b)
{
    const double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

void sst_spread_sort(double *values, size_t n) { qsort(values, n, sizeof *values, by_value); }

double sst_spread_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0)
        return NAN;
    const struct cell_rank rank = cell_rank_of((int32_t)n, p, QUANTILE_TYPE);
    return rank.g > 0.0 ? cell_quantile_mix(sorted[rank.k], sorted[rank.k + 1], rank.g) : sorted[rank.k];
}
