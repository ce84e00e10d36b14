/* Fitting to one fold of cells and calibrating on another. */
#include "validate/error_model_fit.h"

#include <math.h>

#include "core/mem.h"

/* Penalty of the regressions: enough for terms that hardly vary, too little to matter for others. */
#define RIDGE_SHARE 1e-3

/* The cubic sees predictors no farther out than this many spreads: its corners hold too few cell-days to be fitted. */
#define MOST_SPREADS 3.0

/* Errors count as no smaller than this share of the mean one, in the logarithm only; and of a thousandth of a thousandth. */
#define LEAST_ERROR_SHARE 0.1
#define LEAST_ERROR 1e-6

/* Below this many rows a loop is done sooner than a second thread is woken. */
enum { PARALLEL_ROWS = 1 << 13 };

/* --- terms -------------------------------------------------------------------------------------------------------- */

/* Of numbers; fmin and fmax, which also know NaN, are calls and take most of a fit's time. */
static double clamp(double x, double least, double most) { return x < least ? least : x > most ? most : x; }

/* Where the cubic is looked up. */
struct corner {
    double a, b;
};

static struct corner corner_of(const float *predictors)
{
    return (struct corner){clamp((double)predictors[SST_PREDICTOR_SKEW], -MOST_SPREADS, MOST_SPREADS),
                           clamp((double)predictors[SST_PREDICTOR_LOG_V], -MOST_SPREADS, MOST_SPREADS)};
}

static void correction_terms(const float *predictors, double *terms)
{
    const struct corner corner = corner_of(predictors);
    const double a = corner.a, b = corner.b;
    const double cubic[SST_N_TERMS] = {1, a, b, a * a, a * b, b * b, a * a * a, a * a * b, a * b * b, b * b * b};
    for (int i = 0; i < SST_N_TERMS; ++i)
        terms[i] = cubic[i];
}

/* The sum of the cubic's terms, by Horner's rule. */
static double correction_sum(const struct sst_linear *linear, const float *predictors)
{
    const struct corner corner = corner_of(predictors);
    const double a = corner.a, b = corner.b, *c = linear->coefficients;
    return (c[0] + b * (c[2] + b * (c[5] + b * c[9]))) +
           a * ((c[1] + b * (c[4] + b * c[8])) + a * ((c[3] + b * c[7]) + a * c[6]));
}

static void scale_terms(const float *predictors, double *terms)
{
    _Static_assert(SST_N_SCALE_PREDICTORS + 1 == SST_N_TERMS, "a constant and the predictors of the scale");
    terms[0] = 1;
    for (int i = 0; i < SST_N_SCALE_PREDICTORS; ++i)
        terms[i + 1] = (double)predictors[i];
}

static double scale_sum(const struct sst_linear *linear, const float *predictors)
{
    const double *c = linear->coefficients;
    double sum = c[0];
    for (int i = 0; i < SST_N_SCALE_PREDICTORS; ++i)
        sum += c[i + 1] * (double)predictors[i];
    return sum;
}

double sst_error_fit_correction(const struct sst_error_fit *fit, const float *predictors, double sd)
{
    if (!fit->corrects)
        return 0;
    return sd * clamp(correction_sum(&fit->correction, predictors), fit->correction.least, fit->correction.most);
}

double sst_error_fit_log_sigma(const struct sst_error_fit *fit, double sum, double log_sd)
{
    return log_sd + clamp(sum, fit->scale.least, fit->scale.most);
}

/* --- the fitter --------------------------------------------------------------------------------------------------- */

static const float *predictors_of(const struct sst_error_rows *rows, size_t row)
{
    return rows->predictors + row * SST_N_PREDICTORS;
}

static double days_of(const struct sst_error_rows *rows, size_t c)
{
    return (double)(rows->first[c + 1] - rows->first[c]);
}

/* What the scale is fitted to. */
static double scale_response(const struct sst_fitter *fitter, double residual, double sd)
{
    return log(fabs(residual) / sd + fitter->least);
}

/* Each cell weighs the same, however many days it has. */
static void sum_cell(struct sst_fitter *fitter, size_t c)
{
    const struct sst_error_rows *rows = fitter->rows;
    struct sst_ridge *correction = &fitter->correction[c], *scale = &fitter->scale[c];
    const double weight = 1.0 / days_of(rows, c);
    double terms[SST_N_TERMS];
    for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
        const double error = (double)rows->error[row], sd = (double)rows->sd[row];
        fitter->log_sd[row] = log(sd);
        fitter->log_error[row] = log(fabs(error));
        scale_terms(predictors_of(rows, row), terms);
        sst_ridge_add_terms(scale, terms, weight);
        if (!fitter->corrects) {
            sst_ridge_add_response(scale, terms, weight * scale_response(fitter, error, sd));
            continue;
        }
        correction_terms(predictors_of(rows, row), terms);
        sst_ridge_add_terms(correction, terms, weight);
        sst_ridge_add_response(correction, terms, weight * error / sd);
    }
}

static double mean_relative_error(const struct sst_error_rows *rows)
{
    double sum = 0;
    for (size_t c = 0; c < rows->n_cells; ++c)
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row)
            sum += fabs((double)rows->error[row]) / (double)rows->sd[row] / days_of(rows, c);
    return rows->n_cells ? sum / (double)rows->n_cells : 0.0;
}

enum sst_status sst_fitter_init(const struct sst_error_rows *rows, const struct sst_error_model_options *options,
                                bool corrects, struct sst_fitter *fitter, struct sst_error *err)
{
    *fitter = (struct sst_fitter){.rows = rows, .options = options, .corrects = corrects};
    fitter->least = fmax(LEAST_ERROR_SHARE * mean_relative_error(rows), LEAST_ERROR);
    SST_TRY(sst_alloc(rows->n_cells, sizeof *fitter->correction, "the error model", &fitter->correction, err));
    SST_TRY(sst_alloc(rows->n_cells, sizeof *fitter->scale, "the error model", &fitter->scale, err));
    SST_TRY(sst_alloc(rows->n_rows, sizeof *fitter->scores, "the error model", &fitter->scores, err));
    double **columns[] = {&fitter->log_sd, &fitter->log_error, &fitter->residual, &fitter->log_sigma,
                          &fitter->log_score};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; ++i)
        SST_TRY(sst_alloc(rows->n_rows, sizeof **columns[i], "the error model", columns[i], err));
#pragma omp parallel for schedule(static) if (rows->n_rows >= PARALLEL_ROWS)
    for (size_t c = 0; c < rows->n_cells; ++c)
        sum_cell(fitter, c);
    return SST_OK;
}

void sst_fitter_clear(struct sst_fitter *fitter)
{
    sst_free(fitter->correction);
    sst_free(fitter->scale);
    sst_free(fitter->scores);
    sst_free(fitter->log_sd);
    sst_free(fitter->log_error);
    sst_free(fitter->residual);
    sst_free(fitter->log_sigma);
    sst_free(fitter->log_score);
    *fitter = (struct sst_fitter){0};
}

/* --- fitting ------------------------------------------------------------------------------------------------------ */

/* The range of a linear sum over the rows of a fold. */
static void find_range(const struct sst_error_rows *rows, const uint8_t *fold, uint8_t which,
                       double (*sum_of)(const struct sst_linear *, const float *), struct sst_linear *linear)
{
    linear->least = INFINITY;
    linear->most = -INFINITY;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            const double sum = sum_of(linear, predictors_of(rows, row));
            linear->least = sum < linear->least ? sum : linear->least;
            linear->most = sum > linear->most ? sum : linear->most;
        }
    }
}

static void fit_correction(const struct sst_fitter *fitter, const uint8_t *fold, uint8_t which,
                           struct sst_linear *correction)
{
    struct sst_ridge sum = {0};
    for (size_t c = 0; c < fitter->rows->n_cells; ++c)
        if (fold[c] == which)
            sst_ridge_merge(&sum, &fitter->correction[c]);
    sst_ridge_solve(&sum, RIDGE_SHARE, correction->coefficients);
    find_range(fitter->rows, fold, which, correction_sum, correction);
}

/* Adds the response of a cell's scale to what is left by a correction. */
static void add_corrected(const struct sst_fitter *fitter, const struct sst_error_fit *fit, size_t c,
                          struct sst_ridge *sum)
{
    const struct sst_error_rows *rows = fitter->rows;
    const double weight = 1.0 / days_of(rows, c);
    double terms[SST_N_TERMS];
    for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
        const float *predictors = predictors_of(rows, row);
        const double sd = (double)rows->sd[row];
        const double residual = (double)rows->error[row] - sst_error_fit_correction(fit, predictors, sd);
        scale_terms(predictors, terms);
        sst_ridge_add_response(sum, terms, weight * scale_response(fitter, residual, sd));
    }
}

static void fit_scale(const struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, struct sst_error_fit *fit)
{
    const struct sst_error_rows *rows = fitter->rows;
    struct sst_ridge sum = {0};
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        sst_ridge_merge(&sum, &fitter->scale[c]);
        if (fit->corrects)
            add_corrected(fitter, fit, c, &sum);
    }
    sst_ridge_solve(&sum, RIDGE_SHARE, fit->scale.coefficients);
    find_range(rows, fold, which, scale_sum, &fit->scale);
}

struct sst_error_fit sst_fitter_fit(struct sst_fitter *fitter, const uint8_t *fold, uint8_t which)
{
    struct sst_error_fit fit = {.corrects = fitter->corrects, .log_likely_sigma = INFINITY, .likely_probability = NAN};
    for (size_t level = 0; level < SST_MAX_COVERAGES; ++level)
        fit.log_quantile[level] = INFINITY;
    if (fit.corrects)
        fit_correction(fitter, fold, which, &fit.correction);
    fit_scale(fitter, fold, which, &fit);
    return fit;
}

void sst_fitter_evaluate(struct sst_fitter *fitter, const struct sst_error_fit *fit, const uint8_t *fold, uint8_t which)
{
    const struct sst_error_rows *rows = fitter->rows;
#pragma omp parallel for schedule(static) if (rows->n_rows >= PARALLEL_ROWS)
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            const float *predictors = predictors_of(rows, row);
            const double error = (double)rows->error[row];
            const double correction = sst_error_fit_correction(fit, predictors, (double)rows->sd[row]);
            const double log_left = fit->corrects ? log(fabs(error - correction)) : fitter->log_error[row];
            fitter->residual[row] = error - correction;
            fitter->log_sigma[row] =
                sst_error_fit_log_sigma(fit, scale_sum(&fit->scale, predictors), fitter->log_sd[row]);
            fitter->log_score[row] = log_left - fitter->log_sigma[row];
        }
    }
}
