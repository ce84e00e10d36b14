/*
 * How well the baseline's years determine the exact percentile itself: whole years drawn with replacement, since days of
 * a year are not independent.
 */
#ifndef SST_VALIDATE_BOOTSTRAP_H
#define SST_VALIDATE_BOOTSTRAP_H

#include "core/status.h"
#include "validate/sample.h"
#include "validate/series.h"

struct sst_sampling_options {
    size_t percentile_index;
    double percentile; /* [percent] */
    int quantile_type; /* Hyndman-Fan 1..9 */
    int smooth_days; /* 1 = none: the error is of the field that is written */
    uint64_t seed;
};

struct sst_sampling_error {
    size_t n_cells, n_cell_days, n_resamples;
    double se_median, se_p05,
        se_p95; /* [degC] standard error of the exact percentile, across the cell-days looked at */
    double approx_rmse; /* [degC] of approx - exact at the same cell-days */
    double share_within_one_se; /* cell-days whose |approx - exact| is less than the standard error, 0..1 */
};

/*
 * approx   a column as in the sample.
 *
 * Cells and days looked at are a fixed number at most, spread over cells and the year: about a second of work.
 * Errors   SST_ERR_NOMEM. Fewer than 5 years: all NaN.
 * Source   Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 8 (blocks).
 */
SST_MUST_CHECK enum sst_status sst_sampling_error_estimate(const struct sst_series *series,
                                                           const struct sst_sample *sample,
                                                           const struct sst_sampling_options *options,
                                                           const float *approx, struct sst_sampling_error *out,
                                                           struct sst_error *err);

#endif
