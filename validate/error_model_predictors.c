/* Predictors of one pool. */
#include "validate/error_model_predictors.h"

#include <math.h>
#include <stdbool.h>

#include "kernels/cell_maxent.h"
#include "validate/error_model_limits.h"

/* A predictor that varies by less than this share of its size is a constant with rounding. */
#define NO_SPREAD 1e-6

/* Guarded or not, the place in the table is the same. */
static const float any_v_limit[CELL_MAXENT_N_SKEW];

static double disagreement(const struct sst_predictor_rule *rule, double skew, double kurt)
{
    const struct cell_shape shape = {.mean = 0.0, .sd = 1.0, .skew = skew, .kurt = kurt};
    const double cf = cell_cf_quantile(shape, rule->z);
    const double maxent = cell_maxent_standard_quantile(cell_maxent_place_of(shape, any_v_limit), rule->maxent_table);
    return sst_predictor_limit_disagreement(fabs(cf - maxent));
}

/* NaN where not known. */
static void raw_predictors(const struct sst_predictor_rule *rule, struct sst_pool pool, double *raw)
{
    for (int i = 0; i < SST_N_PREDICTORS; ++i)
        raw[i] = NAN;
    if (!isnan(pool.sd))
        raw[SST_PREDICTOR_LOG_SD] = log(sst_predictor_limit_sd(pool.sd));
    if (pool.n_obs > 0)
        raw[SST_PREDICTOR_LOG_N] = log((double)pool.n_obs);
    if (isnan(pool.skew) || isnan(pool.kurt))
        return;
    const double v = sst_predictor_limit_v(pool.skew, pool.kurt);
    const double skew = sst_predictor_limit_skew(pool.skew), kurt = sst_predictor_limit_kurt(pool.kurt);
    raw[SST_PREDICTOR_SKEW] = rule->tail * skew;
    raw[SST_PREDICTOR_ABS_SKEW] = fabs(skew);
    raw[SST_PREDICTOR_SKEW_SQUARED] = skew * skew;
    raw[SST_PREDICTOR_KURT] = kurt;
    raw[SST_PREDICTOR_KURT_SQUARED] = kurt * kurt;
    raw[SST_PREDICTOR_INVERSE_V] = 1.0 / v;
    raw[SST_PREDICTOR_LOG_V] = log(v);
    if (rule->maxent_table)
        raw[SST_PREDICTOR_DISAGREEMENT] = disagreement(rule, skew, kurt);
}

void sst_predictors_learn(const struct sst_predictor_rule *rule, struct sst_pool pool, struct sst_predictor_sums *sums)
{
    double raw[SST_N_PREDICTORS];
    raw_predictors(rule, pool, raw);
    for (int i = 0; i < SST_N_PREDICTORS; ++i) {
        if (isnan(raw[i]))
            continue;
        sums->n[i] += 1.0;
        sums->sum[i] += raw[i];
        sums->squares[i] += raw[i] * raw[i];
    }
}

void sst_predictors_settle(const struct sst_predictor_sums *sums, struct sst_predictor_rule *rule)
{
    for (int i = 0; i < SST_N_PREDICTORS; ++i) {
        const double n = fmax(sums->n[i], 1.0);
        const double mean = sums->sum[i] / n, spread = sqrt(fmax(sums->squares[i] / n - mean * mean, 0.0));
        rule->centre[i] = mean;
        rule->inverse_spread[i] = spread > NO_SPREAD * (1.0 + fabs(mean)) ? 1.0 / spread : 0.0;
    }
}

void sst_predictors_of(const struct sst_predictor_rule *rule, struct sst_pool pool, float *predictors, float *sd)
{
    double raw[SST_N_PREDICTORS];
    raw_predictors(rule, pool, raw);
    for (int i = 0; i < SST_N_PREDICTORS; ++i)
        predictors[i] = isnan(raw[i]) ? 0.0F : (float)((raw[i] - rule->centre[i]) * rule->inverse_spread[i]);
    *sd = (float)(isnan(pool.sd) ? exp(rule->centre[SST_PREDICTOR_LOG_SD]) : sst_predictor_limit_sd(pool.sd));
}

void sst_predictors_of_correction(const struct sst_predictor_rule *rule, struct sst_pool pool, float *predictors,
                                  double *sd)
{
    static const int which[] = {SST_PREDICTOR_SKEW, SST_PREDICTOR_LOG_V};
    const bool is_known = !isnan(pool.skew) && !isnan(pool.kurt);
    const double raw[] = {is_known ? rule->tail * sst_predictor_limit_skew(pool.skew) : 0.0,
                          is_known ? log(sst_predictor_limit_v(pool.skew, pool.kurt)) : 0.0};
    for (int i = 0; i < 2; ++i)
        predictors[which[i]] =
            is_known ? (float)((raw[i] - rule->centre[which[i]]) * rule->inverse_spread[which[i]]) : 0.0F;
    *sd = (double)(float)(isnan(pool.sd) ? exp(rule->centre[SST_PREDICTOR_LOG_SD]) : sst_predictor_limit_sd(pool.sd));
}
