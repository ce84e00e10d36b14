/* One fitted model: correction, scale, quantiles and the threshold above which a cell-day counts as likely beyond. */
#ifndef SST_VALIDATE_ERROR_MODEL_FIT_H
#define SST_VALIDATE_ERROR_MODEL_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "validate/error_model_conformal.h"
#include "validate/error_model_ridge.h"
#include "validate/error_model_rows.h"

/* Coefficients, and the range of the sums in which they were fitted: outside it a model says what it says at its edge. */
struct sst_linear {
    double coefficients[SST_N_TERMS];
    double least, most;
};

struct sst_error_fit {
    bool corrects;
    struct sst_linear correction; /* of error / sd */
    struct sst_linear scale; /* of log(|error - correction| / sd + least) */
    double log_quantile[SST_MAX_COVERAGES]; /* of the scores; infinite where a level is not reached */
    double log_likely_sigma; /* [log degC] likely beyond from here on; infinite: nothing is */
    double likely_probability; /* that cell-days of this sigma are beyond */
};

/*
 * What all fits to one set of rows share: the normal equations of each cell, and room to work in. Scales and scores stay
 * logarithms, as fitted: sixty fits then take no exponential, and without a correction no logarithm.
 */
struct sst_fitter {
    const struct sst_error_rows *rows;
    const struct sst_error_model_options *options;
    bool corrects;
    double least; /* [1] a small error: keeps the logarithm of none at all finite */
    struct sst_ridge *correction, *scale; /* by cell; with a correction, without the response of the scale */
    struct sst_score *scores; /* n_rows */
    double *log_sd, *log_error; /* by row; log |error| */
    double *residual, *log_sigma, *log_score; /* by row, of what was evaluated last; score: |residual| / sigma */
};

/* rows and options are borrowed. Owner: the caller; sst_fitter_clear, also after a failure. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_fitter_init(const struct sst_error_rows *rows,
                                               const struct sst_error_model_options *options, bool corrects,
                                               struct sst_fitter *fitter, struct sst_error *err);
void sst_fitter_clear(struct sst_fitter *fitter);

/* Fits to the cells of a fold, of which there is at least one; then quantiles and threshold from those of another. */
struct sst_error_fit sst_fitter_fit(struct sst_fitter *fitter, const uint8_t *fold, uint8_t which);
void sst_fitter_calibrate(struct sst_fitter *fitter, const uint8_t *fold, uint8_t which, struct sst_error_fit *fit);

/* Puts residual, log_sigma and log_score of the rows of a fold's cells. */
void sst_fitter_evaluate(struct sst_fitter *fitter, const struct sst_error_fit *fit, const uint8_t *fold,
                         uint8_t which);

/* Of a cell-day: what to subtract from the estimate, 0 without correction. [degC] */
double sst_error_fit_correction(const struct sst_error_fit *fit, const float *predictors, double sd);

/* The logarithm of the scale of what is left, [log degC], from the logarithm of sd and the sum of the scale's terms. */
double sst_error_fit_log_sigma(const struct sst_error_fit *fit, double sum, double log_sd);

#endif
