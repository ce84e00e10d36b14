/*
 * Where a percentile lies in a sorted sample: the nine definitions of Hyndman and Fan.
 *
 * Source   Hyndman and Fan 1996, The American Statistician 50(4), 361-365; type 7 computed bit for bit as numpy does.
 */
#ifndef SST_KERNELS_CELL_QUANTILE_H
#define SST_KERNELS_CELL_QUANTILE_H

#include <math.h>

#include "portable.h"

/* The quantile is x[k] and x[k+1] mixed with weight g on the latter; k counts from 0, k <= n-1, g = 0 where k = n-1. */
struct cell_rank {
    int32_t k;
    double g;
};

/* n * p that is a whole number but for rounding counts as whole in the discontinuous types 1 to 3, as in R. */
#define CELL_RANK_FUZZ 8.8817841970012523e-16

SST_FN struct cell_rank cell_rank_at(double position, int32_t n)
{
    struct cell_rank rank = {0, 0.0};
    if (position >= (double)(n - 1)) {
        rank.k = n - 1;
    } else if (position > 0.0) {
        rank.k = (int32_t)position;
        rank.g = position - (double)rank.k;
    }
    return rank;
}

/* Types 1 to 3: whole order statistics, or (type 2) the middle of two. */
SST_FN struct cell_rank cell_rank_discontinuous(int32_t n, double p, int type)
{
    const double np = (double)n * p - (type == 3 ? 0.5 : 0.0);
    const double whole =
        (double)(int64_t)(np + 4.0 * CELL_RANK_FUZZ * (double)n); /* floor: np >= -0.5 gives 0 or more */
    const double rest = np - whole;
    const int is_whole = rest < 4.0 * CELL_RANK_FUZZ * (double)n && rest > -4.0 * CELL_RANK_FUZZ * (double)n;
    double position = whole; /* order statistic whole + 1, counted from 0 */
    if (type == 1 && is_whole)
        position = whole - 1.0;
    if (type == 2 && is_whole)
        position = whole - 0.5;
    if (type == 3 && (np < 0.0 || (is_whole && ((int64_t)whole & 1) == 0)))
        position = whole - 1.0;
    return cell_rank_at(position, n);
}

/* Rank of probability p (0..1) among n > 0 values by Hyndman-Fan type 1..9. */
SST_FN struct cell_rank cell_rank_of(int32_t n, double p, int type)
{
    const double nd = (double)n;
    switch (type) {
    case 1:
    case 2:
    case 3:
        return cell_rank_discontinuous(n, p, type);
    case 4:
        return cell_rank_at(nd * p - 1.0, n);
    case 5:
        return cell_rank_at(nd * p - 0.5, n);
    case 6:
        return cell_rank_at((nd + 1.0) * p - 1.0, n);
    case 8:
        return cell_rank_at(nd * p + (1.0 / 3.0 + p * (1.0 - 2.0 / 3.0)) - 1.0, n);
    case 9:
        return cell_rank_at(nd * p + (3.0 / 8.0 + p * (1.0 - 6.0 / 8.0)) - 1.0, n);
    default:
        return cell_rank_at((nd - 1.0) * p, n);
    }
}

/* a mixed with b by weight g, in the form that gives a at g = 0, b at g = 1 and is monotonic between. */
SST_FN double cell_quantile_mix(double a, double b, double g)
{
    /* Both are computed, so that no branch keeps loops from being vectorised. */
    const double from_a = a + (b - a) * g, from_b = b - (b - a) * (1.0 - g);
    return g < 0.5 ? from_a : from_b;
}

#endif
