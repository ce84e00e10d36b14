/* The linear sum of a scale's predictors for very many pools: as of sst_predictors_of but for rounding, and far cheaper. */
#ifndef SST_VALIDATE_ERROR_MODEL_SUM_H
#define SST_VALIDATE_ERROR_MODEL_SUM_H

#include <stddef.h>
#include <stdint.h>

#include "validate/error_model_predictors.h"

enum {
    SST_POOLS = 128, /* looked at together: they stay in the nearest cache */
    SST_SUM_N_LOGS = 1024 /* numbers of values whose logarithm is looked up: pools of a usual window have no more */
};

/* Centres and spreads are folded into slopes, of predictors neither centred nor scaled. */
struct sst_predictor_sum {
    struct sst_predictor_rule rule;
    double constant, shape_constant; /* the latter where the shape is known */
    double slope[SST_N_SCALE_PREDICTORS];
    double cf_constant, cf_skew, cf_kurt, cf_skew_squared; /* of the Cornish-Fisher quantile */
    double by_n[SST_SUM_N_LOGS]; /* share of the sum that depends on the number of values */
};

/* coefficients: a constant, and one for each predictor of the scale. */
void sst_predictor_sum_fold(const struct sst_predictor_rule *rule, const double *coefficients,
                            struct sst_predictor_sum *sum);

/* NaN and 0: not known. */
struct sst_pools {
    size_t n;
    float sd[SST_POOLS], skew[SST_POOLS], kurt[SST_POOLS];
    uint16_t n_obs[SST_POOLS];
};

/* Sums, and the logarithms of the standard deviations. */
void sst_predictor_sum_of(const struct sst_predictor_sum *sum, const struct sst_pools *pools, double *sums,
                          double *log_sd);

/* Of n sums, the logarithms of sigma, as sst_error_fit_log_sigma has them; sigmas: logarithms of sd at first. */
void sst_predictor_sum_sigmas(double least, double most, size_t n, double *sums, double *sigmas);

#endif
