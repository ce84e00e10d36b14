/*
 * How far an estimate may be off at cells where nothing exact is known, learnt at the probes.
 *
 *   correction   e / sd  on a cubic in skewness and distance to the moment boundary, by ridge regression (only when wanted)
 *   scale        log |e - correction| on shape, spread and number of values, by ridge regression: sigma of a cell-day
 *   bound        sigma x the quantile of |e - correction| / sigma at cells that did not fit it (split conformal)
 *   likely       share of those scores above tolerance / sigma: the probability of being beyond; flagged above a threshold
 *
 * e = approximate - exact. The cell is the unit: cells, not cell-days, are drawn at random and dealt to folds; a quantile
 * gives each cell of the calibration fold weight 1, shared by its days, and one cell of infinite score beside them.
 *
 * What is applied is fitted on one half of the cells and calibrated on the other. What is reported (coverage, precision,
 * recall, corrected errors) comes from repeated splits into three folds, each of fit, calibration and test in turn, so no
 * figure is of cells that a model has seen. With very many cell-days, fits and coverage take every k-th day of a cell, its
 * first one by the hash of its number; corrected errors are of all days.
 *
 * Source   Lei et al. 2018, JASA 113(523), 1094-1111 (split conformal, scaled residuals); Lee, Barber and Willett 2023,
 *          arXiv:2306.06342 (hierarchical data: the weights above).
 */
#ifndef SST_VALIDATE_ERROR_MODEL_H
#define SST_VALIDATE_ERROR_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/shape.h"
#include "core/status.h"
#include "validate/interval.h"
#include "validate/regions.h"
#include "validate/sample.h"

enum { SST_MAX_COVERAGES = 4 };

struct sst_error_model_options {
    double percentile; /* [percent] which one of the sample's it is, as a value */
    size_t index; /* and which as an index */
    double coverages[SST_MAX_COVERAGES]; /* 0..1 */
    size_t n_coverages;
    double tolerance; /* [degC] */
    bool wants_correction;
    uint64_t seed;
    struct sst_regions regions; /* of the coverage table */
    double z; /* standard normal quantile of the percentile */
    const float *
        maxent_table; /* of the percentile, borrowed for the model's life; NULL: no |cf - maxent| among the predictors */
};

/* Which cell-days a row of the coverage table is of. */
enum sst_stratum { SST_STRATUM_ALL, SST_STRATUM_ICE, SST_STRATUM_SEASON, SST_STRATUM_REGION };

struct sst_coverage_row {
    enum sst_stratum stratum;
    char name[SST_REGION_NAME_SIZE]; /* "all", "ice-free", "ice or no variance", a season, a region */
    size_t n_cells, n_cell_days; /* looked at */
    struct sst_share share; /* covered, area-weighted, with its interval by cells as clusters */
};

struct sst_level_findings {
    double level; /* asked for */
    bool is_available; /* there are cells enough: at least 3 x level / (1 - level) of them, 57 for 95 %, 297 for 99 % */
    double attainable; /* the highest level that so many cells allow */
    double median_bound, mean_bound; /* [degC] over the sample's cell-days, by area; NaN where not available */
    struct sst_coverage_row *rows; /* empty strata are left out */
    size_t n_rows;
    double share_of_cells_below_90; /* cells of which less than 90 % of the days are covered, 0..1 */
};

struct sst_likely_findings {
    bool is_available; /* cells enough, and some but not all cell-days beyond */
    double threshold; /* of the fitted probability, 0..1 */
    double base_rate; /* share of cell-days beyond the tolerance */
    double flagged; /* share flagged at held-out cells */
    double precision, recall; /* at held-out cells; NaN where nothing is flagged */
};

struct sst_error_findings {
    size_t n_cells; /* with at least one cell-day */
    size_t n_levels;
    struct sst_level_findings levels[SST_MAX_COVERAGES];
    bool is_corrected;
    double rmse_before, rmse_after; /* [degC] by area, at held-out cells; equal without correction */
    struct sst_likely_findings likely;
};

struct sst_error_model;

/*
 * Fits. Too few cells are no error: levels are then not available, nothing is likely, nothing is corrected.
 *
 * Owner    the caller; sst_error_model_destroy. The sample may go before the model.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_error_model_fit(const struct sst_sample *sample,
                                                   const struct sst_error_model_options *options,
                                                   struct sst_error_model **out, struct sst_error *err);
void sst_error_model_destroy(struct sst_error_model **model);

/*
 * About the bytes that so many models of a sample of so many probes take, that of fitting one of them included.
 */
uint64_t sst_error_model_bytes(size_t n_probes, size_t n_slots, size_t n_models, bool corrects);

/* Owned by the model. */
const struct sst_error_findings *sst_error_model_findings(const struct sst_error_model *model);

/*
 * The sample's estimates corrected by models that did not see the cell: a column as in the sample. [degC]
 * NULL without correction. Owned by the model.
 */
const float *sst_error_model_held_out(const struct sst_error_model *model);

/* Cell-days to which a model is applied, of one slot. */
struct sst_model_cells {
    size_t n_cells;
    struct sst_shape shape;
    const uint16_t *n_obs; /* 0 with a value: a derived slot; taken as a usual number */
};

struct sst_model_values {
    double *estimate; /* [degC] in and out: corrected in place where the model corrects; NaN stays */
    float *bound[SST_MAX_COVERAGES]; /* [degC] out; NaN where there is no estimate or the level is not available */
    uint8_t *is_likely; /* out; may be NULL */
};

void sst_error_model_apply(const struct sst_error_model *model, const struct sst_model_cells *cells,
                           const struct sst_model_values *values);

/*
 * Which of the sample's cell-days the bound of a level covers when some are left out (repaired ones), as the first row of
 * the coverage table counts them.
 *
 * left_out   a column of marks as in the sample.
 */
SST_MUST_CHECK enum sst_status sst_error_model_coverage_of_rest(const struct sst_error_model *model,
                                                                const struct sst_sample *sample, size_t level,
                                                                const uint8_t *left_out, struct sst_share *out,
                                                                struct sst_error *err);

#endif
