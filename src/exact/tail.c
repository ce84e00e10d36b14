/* Planes of the tail estimator, and how long its lists have to be. */
#include "exact/tail.h"

#include <math.h>

#include "kernels/cell_tail.h"

#define PLANE_N                                                                                                        \
    {                                                                                                                  \
        "n", SST_PLANE_U16, SST_PLANE_SUM, "1", 1                                                                      \
    }
#define PLANE_S1                                                                                                       \
    {                                                                                                                  \
        "s1", SST_PLANE_I32, SST_PLANE_SUM, "0.01 degC", 1                                                             \
    }

void sst_tail_estimator_init(struct sst_tail_estimator *tail, struct sst_tail_k k)
{
    const struct sst_tail_estimator made = {
        .planes = {[SST_TAIL_N] = PLANE_N,
                   [SST_TAIL_S1] = PLANE_S1,
                   [SST_TAIL_TOP] = {"greatest", SST_PLANE_I16, SST_PLANE_TOP, "code", (size_t)k.top},
                   [SST_TAIL_BOTTOM] = {"smallest", SST_PLANE_I16, SST_PLANE_TOP, "-code", (size_t)k.bottom}},
        .estimator = {"tail", 3, 1, NULL, SST_TAIL_N_PLANES},
    };
    *tail = made;
    tail->estimator.planes = tail->planes;
}

const struct sst_estimator *sst_estimator_tail_sums(void)
{
    static const struct sst_plane planes[] = {PLANE_N, PLANE_S1};
    static const struct sst_estimator sums = {"tail sums", 4, 1, planes, sizeof planes / sizeof planes[0]};
    return &sums;
}

bool sst_tail_can(double percentile)
{
    return percentile <= SST_TAIL_HIGHEST_LOW || percentile >= SST_TAIL_LOWEST_HIGH;
}

bool sst_tail_is_low(double percentile) { return cell_tail_is_low(percentile / 100.0); }

int sst_tail_depth_needed(int n, double percentile, int quantile_type)
{
    return cell_tail_rank_of(n, percentile / 100.0, quantile_type).depth + 1;
}

int sst_tail_default_k(int n_years, int window_days, int depth_needed)
{
    const double crowding = 5.5;
    const int k = (int)ceil(crowding * depth_needed / (window_days + 1));
    return k < n_years ? k : n_years;
}
