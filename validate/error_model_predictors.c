/* Predictors: each is kept within the range in which pools of a few hundred values lie, so no outlier steers a model. */
#include "validate/error_model_predictors.h"

#include <math.h>

#include "kernels/cell_maxent.h"

/* Half a hundredth of a degree, the least that one step of packed data can tell; and beyond any sea. [degC] */
#define LEAST_SD 0.005
#define MOST_SD 100.0

/* Shapes beyond these are of single outliers; the formulas fail there in ways that a model of four numbers cannot follow. */
#define MOST_SKEW 3.0
#define LEAST_KURT (-2.0)
#define MOST_KURT 10.0
#define LEAST_V 0.25
#define MOST_V 12.0
#define MOST_DISAGREEMENT 1.0

/* A predictor that varies by less than this share of its size is a constant with rounding. */
#define NO_SPREAD 1e-6

/* Guarded or not, the place in the table is the same. */
static const float any_v_limit[CELL_MAXENT_N_SKEW];

static double clamp(double x, double least, double most) { return x > least ? fmin(x, most) : least; }

static double disagreement(const struct sst_predictor_rule *rule, double skew, double kurt)
{
    const struct cell_shape shape = {.mean = 0.0, .sd = 1.0, .skew = skew, .kurt = kurt};
    const double cf = cell_cf_quantile(shape, rule->z);
    const double maxent = cell_maxent_standard_quantile(cell_maxent_place_of(shape, any_v_limit), rule->maxent_table);
    return fmin(fabs(cf - maxent), MOST_DISAGREEMENT);
}

/* NaN where not known. */
static void raw_predictors(const struct sst_predictor_rule *rule, struct sst_pool pool, double *raw)
{
    for (int i = 0; i < SST_N_PREDICTORS; ++i)
        raw[i] = NAN;
    if (!isnan(pool.sd))
        raw[SST_PREDICTOR_LOG_SD] = log(clamp(pool.sd, LEAST_SD, MOST_SD));
    if (pool.n_obs > 0)
        raw[SST_PREDICTOR_LOG_N] = log((double)pool.n_obs);
    if (isnan(pool.skew) || isnan(pool.kurt))
        return;
    const double v = clamp(pool.kurt - pool.skew * pool.skew + 2.0, LEAST_V, MOST_V);
    const double skew = clamp(pool.skew, -MOST_SKEW, MOST_SKEW), kurt = clamp(pool.kurt, LEAST_KURT, MOST_KURT);
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
    *sd = (float)(isnan(pool.sd) ? exp(rule->centre[SST_PREDICTOR_LOG_SD]) : clamp(pool.sd, LEAST_SD, MOST_SD));
}
