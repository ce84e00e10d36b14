/* What an error model looks at: numbers made of a pool's shape, centred and scaled by those of the sample. */
#ifndef SST_VALIDATE_ERROR_MODEL_PREDICTORS_H
#define SST_VALIDATE_ERROR_MODEL_PREDICTORS_H

#include <stddef.h>

enum sst_predictor {
    SST_PREDICTOR_SKEW, /* towards the percentile's tail */
    SST_PREDICTOR_ABS_SKEW,
    SST_PREDICTOR_SKEW_SQUARED,
    SST_PREDICTOR_KURT,
    SST_PREDICTOR_KURT_SQUARED,
    SST_PREDICTOR_LOG_SD,
    SST_PREDICTOR_INVERSE_V, /* v = kurt - skew^2 + 2: distance to the moment boundary */
    SST_PREDICTOR_LOG_N,
    SST_PREDICTOR_DISAGREEMENT, /* |cf - maxent| / sd */
    SST_N_SCALE_PREDICTORS, /* those above serve the scale */
    SST_PREDICTOR_LOG_V = SST_N_SCALE_PREDICTORS, /* and this one, with the first, the correction */
    SST_N_PREDICTORS
};

struct sst_pool {
    double sd, skew, kurt; /* [degC], [1], [1]; NaN: not known */
    unsigned n_obs; /* 0: not known */
};

struct sst_predictor_rule {
    double tail; /* +1 for an upper percentile, -1 for a lower one */
    double z; /* standard normal quantile of the percentile */
    const float *maxent_table; /* NULL: no disagreement */
    double centre[SST_N_PREDICTORS], inverse_spread[SST_N_PREDICTORS]; /* 0 where a predictor does not vary */
};

struct sst_predictor_sums {
    double n[SST_N_PREDICTORS], sum[SST_N_PREDICTORS], squares[SST_N_PREDICTORS];
};

/* Adds a pool to what the centres and spreads are made of; start from zeros. */
void sst_predictors_learn(const struct sst_predictor_rule *rule, struct sst_pool pool, struct sst_predictor_sums *sums);
void sst_predictors_settle(const struct sst_predictor_sums *sums, struct sst_predictor_rule *rule);

/*
 * The predictors of a pool, 0 where not known, and its standard deviation as models use it: never below half a hundredth
 * of a degree; the sample's geometric mean where it is not known.
 */
void sst_predictors_of(const struct sst_predictor_rule *rule, struct sst_pool pool, float *predictors, float *sd);

/* Only those that the correction looks at. */
void sst_predictors_of_correction(const struct sst_predictor_rule *rule, struct sst_pool pool, float *predictors,
                                  double *sd);

#endif
