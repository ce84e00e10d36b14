/* Limits of predictors: the range in which pools of a few hundred values lie, so no outlier steers a model. */
#ifndef SST_VALIDATE_ERROR_MODEL_LIMITS_H
#define SST_VALIDATE_ERROR_MODEL_LIMITS_H

/* Half a hundredth of a degree, the least that one step of packed data can tell; and beyond any sea. [degC] */
#define SST_PREDICTOR_LEAST_SD 0.005
#define SST_PREDICTOR_MOST_SD 100.0

/* Shapes beyond these are of single outliers; the formulas fail there in ways that a model of four numbers cannot follow. */
#define SST_PREDICTOR_MOST_SKEW 3.0
#define SST_PREDICTOR_LEAST_KURT (-2.0)
#define SST_PREDICTOR_MOST_KURT 10.0
#define SST_PREDICTOR_LEAST_V 0.25
#define SST_PREDICTOR_MOST_V 12.0
#define SST_PREDICTOR_MOST_DISAGREEMENT 1.0

/* The least of what is no number. fmin and fmax are calls. */
static inline double sst_predictor_clamp(double x, double least, double most)
{
    const double above = x > least ? x : least;
    return above < most ? above : most;
}

static inline double sst_predictor_limit_sd(double sd)
{
    return sst_predictor_clamp(sd, SST_PREDICTOR_LEAST_SD, SST_PREDICTOR_MOST_SD);
}

static inline double sst_predictor_limit_skew(double skew)
{
    return sst_predictor_clamp(skew, -SST_PREDICTOR_MOST_SKEW, SST_PREDICTOR_MOST_SKEW);
}

static inline double sst_predictor_limit_kurt(double kurt)
{
    return sst_predictor_clamp(kurt, SST_PREDICTOR_LEAST_KURT, SST_PREDICTOR_MOST_KURT);
}

/* v = kurt - skew^2 + 2: distance to the moment boundary. */
static inline double sst_predictor_limit_v(double skew, double kurt)
{
    return sst_predictor_clamp(kurt - skew * skew + 2.0, SST_PREDICTOR_LEAST_V, SST_PREDICTOR_MOST_V);
}

static inline double sst_predictor_limit_disagreement(double disagreement)
{
    return sst_predictor_clamp(disagreement, 0.0, SST_PREDICTOR_MOST_DISAGREEMENT);
}

#endif
