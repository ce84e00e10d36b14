/* Sums of predictors: loops without branches over some pools at a time. */
#include "validate/error_model_sum.h"

#include <math.h>

#include "core/cpu_clones.h"
#include "kernels/cell_maxent.h"
#include "validate/error_model_limits.h"
#include "validate/error_model_math.h"

/* The Cornish-Fisher quantile of mean 0 and sd 1 is linear in skewness, kurtosis and the square of the first. */
static void fold_cf(double z, struct sst_predictor_sum *sum)
{
    const struct cell_shape normal = {.sd = 1.0}, skewed = {.sd = 1.0, .skew = 1.0},
                            mirrored = {.sd = 1.0, .skew = -1.0}, peaked = {.sd = 1.0, .kurt = 1.0};
    const double at_0 = cell_cf_quantile(normal, z);
    const double above = cell_cf_quantile(skewed, z) - at_0, below = cell_cf_quantile(mirrored, z) - at_0;
    sum->cf_constant = at_0;
    sum->cf_skew = (above - below) / 2.0;
    sum->cf_skew_squared = (above + below) / 2.0;
    sum->cf_kurt = cell_cf_quantile(peaked, z) - at_0;
}

static double share_of_n(const struct sst_predictor_sum *sum, unsigned n_obs)
{
    return sum->slope[SST_PREDICTOR_LOG_N] * (log((double)n_obs) - sum->rule.centre[SST_PREDICTOR_LOG_N]);
}

void sst_predictor_sum_fold(const struct sst_predictor_rule *rule, const double *coefficients,
                            struct sst_predictor_sum *sum)
{
    *sum = (struct sst_predictor_sum){.rule = *rule, .constant = coefficients[0]};
    for (int i = 0; i < SST_N_SCALE_PREDICTORS; ++i) {
        sum->slope[i] = coefficients[i + 1] * rule->inverse_spread[i];
        if (i != SST_PREDICTOR_LOG_SD && i != SST_PREDICTOR_LOG_N)
            sum->shape_constant -= sum->slope[i] * rule->centre[i];
    }
    fold_cf(rule->z, sum);
    for (unsigned n = 1; n < SST_SUM_N_LOGS; ++n) /* 0, not known, adds nothing */
        sum->by_n[n] = share_of_n(sum, n);
}

/* --- of some pools ------------------------------------------------------------------------------------------------ */

static inline void put_sd(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *restrict sums,
                          double *restrict log_sd)
{
    const double centre = sum->rule.centre[SST_PREDICTOR_LOG_SD], slope = sum->slope[SST_PREDICTOR_LOG_SD];
    const double constant = sum->constant;
    for (size_t i = 0; i < pools->n; ++i) {
        log_sd[i] = sst_quick_log(sst_predictor_limit_sd((double)pools->sd[i]));
        sums[i] = constant + slope * (log_sd[i] - centre);
    }
    for (size_t i = 0; i < pools->n; ++i) {
        if (isnan(pools->sd[i])) {
            log_sd[i] = centre;
            sums[i] = constant;
        }
    }
}

/* 1 or 0: a factor, where a branch would keep the compiler from taking several pools at once. */
static inline double is_known(double skew, double kurt) { return (double)!isnan(skew) * (double)!isnan(kurt); }

static inline void add_shape(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *restrict sums)
{
    const double *slope = sum->slope, by_skew = slope[SST_PREDICTOR_SKEW] * sum->rule.tail;
    for (size_t i = 0; i < pools->n; ++i) {
        const double raw_skew = (double)pools->skew[i], raw_kurt = (double)pools->kurt[i];
        const double skew = sst_predictor_limit_skew(raw_skew), kurt = sst_predictor_limit_kurt(raw_kurt);
        const double share =
            sum->shape_constant + slope[SST_PREDICTOR_INVERSE_V] / sst_predictor_limit_v(raw_skew, raw_kurt) +
            skew * (by_skew + slope[SST_PREDICTOR_SKEW_SQUARED] * skew) + slope[SST_PREDICTOR_ABS_SKEW] * fabs(skew) +
            kurt * (slope[SST_PREDICTOR_KURT] + slope[SST_PREDICTOR_KURT_SQUARED] * kurt);
        sums[i] += share * is_known(raw_skew, raw_kurt);
    }
}

/* A factor that takes a place on the table's last column to the one before, which has a next one. */
#define NOT_THE_LAST (1.0 - 1e-12)

/* Where shapes lie in the table: what cell_maxent_place_of says, of skewnesses that are all inside it, and without a branch. */
struct places {
    int32_t corner[SST_POOLS];
    double row_share[SST_POOLS], col_share[SST_POOLS];
    double cf[SST_POOLS]; /* the other estimate */
};

static inline void find_places(const struct sst_predictor_sum *sum, const struct sst_pools *pools,
                               struct places *restrict places)
{
    const double rows_per_skew = (double)(CELL_MAXENT_N_SKEW - 1) / (2.0 * CELL_MAXENT_MAX_SKEW);
    const double least_u = cell_maxent_u(CELL_MAXENT_MIN_V), most_u = cell_maxent_u(CELL_MAXENT_MAX_V);
    const double cols_per_u = (double)(CELL_MAXENT_N_U - 1) / (most_u - least_u);
    const double cf_constant = sum->cf_constant, cf_skew = sum->cf_skew, cf_skew_squared = sum->cf_skew_squared;
    const double cf_kurt = sum->cf_kurt;
    double skews[SST_POOLS], kurts[SST_POOLS]; /* apart: limits of limited numbers are compiled to branches */
    for (size_t i = 0; i < pools->n; ++i) {
        skews[i] = sst_predictor_limit_skew((double)pools->skew[i]);
        kurts[i] = sst_predictor_limit_kurt((double)pools->kurt[i]);
    }
    for (size_t i = 0; i < pools->n; ++i) {
        const double skew = skews[i], kurt = kurts[i];
        const double v = sst_predictor_clamp(kurt - skew * skew + 2.0, CELL_MAXENT_MIN_V, CELL_MAXENT_MAX_V);
        const double row = (skew + CELL_MAXENT_MAX_SKEW) * rows_per_skew;
        const double col = (cell_maxent_u(v) - least_u) * cols_per_u;
        const int32_t whole_row = (int32_t)row, whole_col = (int32_t)(col * NOT_THE_LAST);
        places->corner[i] = whole_row * CELL_MAXENT_N_U + whole_col;
        places->row_share[i] = row - (double)whole_row;
        places->col_share[i] = col - (double)whole_col;
        places->cf[i] = cf_constant + skew * (cf_skew + cf_skew_squared * skew) + cf_kurt * kurt;
    }
}

CPU_CLONES
static void add_disagreement(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *restrict sums)
{
    const double slope = sum->slope[SST_PREDICTOR_DISAGREEMENT];
    struct places places;
    find_places(sum, pools, &places);
    for (size_t i = 0; i < pools->n; ++i) {
        const float *corner = sum->rule.maxent_table + places.corner[i], *next = corner + CELL_MAXENT_N_U;
        const double h = places.col_share[i];
        const double low = (double)corner[0] + ((double)corner[1] - (double)corner[0]) * h;
        const double high = (double)next[0] + ((double)next[1] - (double)next[0]) * h;
        const double maxent = low + (high - low) * places.row_share[i];
        const double share = slope * sst_predictor_limit_disagreement(fabs(places.cf[i] - maxent));
        sums[i] += share * is_known((double)pools->skew[i], (double)pools->kurt[i]);
    }
}

static inline void add_n(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *restrict sums)
{
    for (size_t i = 0; i < pools->n; ++i) {
        const unsigned n = pools->n_obs[i];
        sums[i] += n < SST_SUM_N_LOGS ? sum->by_n[n] : share_of_n(sum, n);
    }
}

CPU_CLONES
void sst_predictor_sum_of(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *sums,
                          double *log_sd)
{
    put_sd(sum, pools, sums, log_sd);
    add_shape(sum, pools, sums);
    if (sum->rule.maxent_table)
        add_disagreement(sum, pools, sums);
    add_n(sum, pools, sums);
}

CPU_CLONES
void sst_predictor_sum_sigmas(double least, double most, size_t n, double *restrict sums, double *restrict sigmas)
{
    for (size_t i = 0; i < n; ++i)
        sums[i] = sigmas[i] + sst_predictor_clamp(sums[i], least, most);
    for (size_t i = 0; i < n; ++i)
        sigmas[i] = sst_quick_exp(sums[i]);
}
