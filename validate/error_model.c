/* The error model: what is applied, fitted on one half of the cells and calibrated on the other; what is found beside it. */
#include "validate/error_model.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "validate/error_model_findings.h"
#include "validate/error_model_math.h"
#include "validate/error_model_sum.h"

/* A fold has as many cells as the correction has coefficients, at least. */
enum { LEAST_CELLS_TO_CORRECT = SST_N_FOLDS * SST_N_TERMS };

/* Cells that a probability is worth stating from: those of a 95 % bound. */
#define LEVEL_OF_LIKELY 0.95

#define CONFIDENCE 0.95
#define MIDDLE 50.0 /* [percent] */

struct sst_error_model {
    struct sst_error_model_options options;
    struct sst_predictor_rule rule;
    struct sst_error_rows rows;
    struct sst_turns turns;
    struct sst_error_fit fit; /* what is applied */
    double quantile[SST_MAX_COVERAGES]; /* of its scores */
    struct sst_predictor_sum scale; /* of it, in the form that is cheap to look up */
    float *held_out;
    struct sst_error_findings findings;
};

/* --- the applied model -------------------------------------------------------------------------------------------- */

static enum sst_status fit_applied(struct sst_error_model *model, struct sst_fitter *fitter, struct sst_error *err)
{
    enum { FIT, CALIBRATE, N_HALVES };
    struct sst_deal_key *keys = NULL;
    uint8_t *half = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(model->rows.n_cells, sizeof *keys, "the error model", &keys, err));
    SST_TRY_GOTO(sst_alloc(model->rows.n_cells, sizeof *half, "the error model", &half, err));
    sst_error_folds_deal(&model->rows, model->options.seed, N_HALVES, keys, half);
    model->fit = sst_fitter_fit(fitter, half, FIT);
    sst_predictor_sum_fold(&model->rule, model->fit.scale.coefficients, &model->scale);
    sst_fitter_calibrate(fitter, half, CALIBRATE, &model->fit);
    for (size_t level = 0; level < model->options.n_coverages; ++level)
        model->quantile[level] = exp(model->fit.log_quantile[level]);
    sst_fitter_evaluate(fitter, &model->fit, half, FIT); /* so that all rows are */
done:
    sst_free(keys);
    sst_free(half);
    return rc;
}

/* --- findings ----------------------------------------------------------------------------------------------------- */

static void start_findings(struct sst_error_model *model)
{
    struct sst_error_findings *findings = &model->findings;
    const size_t n_cells = model->rows.n_cells;
    *findings = (struct sst_error_findings){.n_cells = n_cells, .n_levels = model->options.n_coverages};
    for (size_t level = 0; level < findings->n_levels; ++level) {
        const double wanted = model->options.coverages[level];
        findings->levels[level] = (struct sst_level_findings){
            .level = wanted,
            .is_available = sst_conformal_is_available(n_cells, wanted),
            .attainable = sst_conformal_attainable(n_cells / SST_N_FOLDS),
            .median_bound = NAN,
            .mean_bound = NAN,
            .share_of_cells_below_90 = NAN,
        };
    }
    findings->rmse_before = findings->rmse_after = NAN;
    findings->likely = (struct sst_likely_findings){
        .threshold = NAN, .base_rate = NAN, .flagged = NAN, .precision = NAN, .recall = NAN};
}

/* Bounds that the applied model gives at the sample's cell-days. */
static void describe_bounds(const struct sst_fitter *fitter, double log_quantile, struct sst_level_findings *level)
{
    const struct sst_error_rows *rows = fitter->rows;
    double sum = 0, weight = 0;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            const double bound = exp(log_quantile + fitter->log_sigma[row]);
            fitter->scores[row] = (struct sst_score){bound, rows->weight[c]};
            sum += rows->weight[c] * bound;
            weight += rows->weight[c];
        }
    }
    level->mean_bound = weight > 0 ? sum / weight : (double)NAN;
    level->median_bound = sst_conformal_weighted_quantile(fitter->scores, rows->n_rows, 0.5);
}

static void describe_likely(const struct sst_error_model *model, struct sst_likely_findings *likely)
{
    const struct sst_turns *turns = &model->turns;
    if (!(turns->all > 0.0))
        return;
    likely->base_rate = turns->beyond / turns->all;
    likely->is_available = sst_conformal_is_available(model->rows.n_cells, LEVEL_OF_LIKELY) && turns->beyond > 0.0 &&
                           turns->beyond < turns->all && isfinite(model->fit.log_likely_sigma);
    if (!likely->is_available)
        return;
    likely->threshold = model->fit.likely_probability;
    likely->flagged = turns->flagged / turns->all;
    likely->precision = turns->flagged > 0.0 ? turns->found / turns->flagged : (double)NAN;
    likely->recall = turns->found / turns->beyond;
}

/* Which turn of the first split tests each cell of the sample; SST_N_FOLDS: none, since it has no row. */
static enum sst_status test_turns_by_cell(const struct sst_error_model *model, size_t n_cells, uint8_t **out,
                                          struct sst_error *err)
{
    SST_TRY(sst_alloc(n_cells, sizeof **out, "the error model", out, err));
    for (size_t cell = 0; cell < n_cells; ++cell)
        (*out)[cell] = SST_N_FOLDS;
    for (size_t c = 0; c < model->rows.n_cells; ++c)
        (*out)[model->rows.cell[c]] = model->turns.fold[c];
    return SST_OK;
}

/* Estimates of every cell-day by the turn that tests the cell; NaN stays. */
static void correct_sample(const struct sst_error_model *model, const struct sst_sample *sample, const uint8_t *turn)
{
    for (size_t at = 0; at < sample->n_cells * sample->n_places; ++at) {
        const size_t cell = at % sample->n_cells;
        const float estimate = sample->approx[model->options.index][at];
        float predictors[SST_N_PREDICTORS], sd = 0;
        model->held_out[at] = estimate;
        if (!isfinite(estimate) || turn[cell] == SST_N_FOLDS)
            continue;
        sst_predictors_of(&model->rule, sst_error_rows_pool_at(&sample->shape, sample->n_obs, at), predictors, &sd);
        const double correction = sst_error_fit_correction(&model->turns.first[turn[cell]], predictors, (double)sd);
        model->held_out[at] = (float)((double)estimate - correction);
    }
}

/* Root of the mean squared error by area, of estimates in the sample's order. */
static double rmse_of(const struct sst_sample *sample, size_t percentile, const float *estimates)
{
    double sum = 0, weight = 0;
    for (size_t at = 0; at < sample->n_cells * sample->n_places; ++at) {
        if (isnan(sst_error_rows_error_at(sample, percentile, at)))
            continue;
        const double error = (double)estimates[at] - (double)sample->exact[percentile][at];
        const double area = sample->cells[at % sample->n_cells].weight;
        sum += area * error * error;
        weight += area;
    }
    return weight > 0 ? sqrt(sum / weight) : (double)NAN;
}

static enum sst_status find_errors(struct sst_error_model *model, const struct sst_sample *sample,
                                   struct sst_error *err)
{
    const size_t index = model->options.index;
    struct sst_error_findings *findings = &model->findings;
    uint8_t *turn = NULL;
    findings->rmse_before = findings->rmse_after = rmse_of(sample, index, sample->approx[index]);
    if (!findings->is_corrected)
        return SST_OK;
    SST_TRY(sst_alloc(sample->n_cells * sample->n_places, sizeof *model->held_out, "the error model", &model->held_out,
                      err));
    SST_TRY(test_turns_by_cell(model, sample->n_cells, &turn, err));
    correct_sample(model, sample, turn);
    findings->rmse_after = rmse_of(sample, index, model->held_out);
    sst_free(turn);
    return SST_OK;
}

static enum sst_status find_levels(struct sst_error_model *model, struct sst_fitter *fitter, struct sst_error *err)
{
    for (size_t i = 0; i < model->findings.n_levels; ++i) {
        struct sst_level_findings *level = &model->findings.levels[i];
        if (!level->is_available)
            continue;
        describe_bounds(fitter, model->fit.log_quantile[i], level);
        SST_TRY(sst_turns_tabulate(fitter, model->turns.hits[i], level, err));
    }
    return SST_OK;
}

/* --- fitting and reading ------------------------------------------------------------------------------------------ */

static enum sst_status fit_model(struct sst_error_model *model, const struct sst_sample *sample,
                                 struct sst_fitter *fitter, struct sst_error *err)
{
    const struct sst_error_model_options *options = &model->options;
    model->rule = (struct sst_predictor_rule){
        .tail = options->percentile < MIDDLE ? -1.0 : 1.0, .z = options->z, .maxent_table = options->maxent_table};
    SST_TRY(sst_error_rows_init(sample, options, &model->rule, &model->rows, err));
    start_findings(model);
    model->findings.is_corrected =
        options->wants_correction && sample->shape.sd && model->rows.n_cells >= LEAST_CELLS_TO_CORRECT;
    if (model->rows.n_cells >= SST_N_FOLDS) {
        SST_TRY(sst_fitter_init(&model->rows, options, model->findings.is_corrected, fitter, err));
        SST_TRY(sst_turns_take(fitter, &model->turns, err));
        SST_TRY(fit_applied(model, fitter, err));
        SST_TRY(find_levels(model, fitter, err));
        describe_likely(model, &model->findings.likely);
    }
    return find_errors(model, sample, err);
}

enum sst_status sst_error_model_fit(const struct sst_sample *sample, const struct sst_error_model_options *options,
                                    struct sst_error_model **out, struct sst_error *err)
{
    struct sst_error_model *model = NULL;
    struct sst_fitter fitter = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *model, "the error model", &model, err));
    model->options = *options;
    SST_TRY_GOTO(fit_model(model, sample, &fitter, err));
    *out = model;
    model = NULL;
done:
    sst_fitter_clear(&fitter);
    sst_error_model_destroy(&model);
    return rc;
}

void sst_error_model_destroy(struct sst_error_model **handle)
{
    struct sst_error_model *model = *handle;
    if (!model)
        return;
    for (size_t level = 0; level < SST_MAX_COVERAGES; ++level)
        sst_free(model->findings.levels[level].rows);
    sst_error_rows_clear(&model->rows);
    sst_turns_clear(&model->turns);
    sst_free(model->held_out);
    sst_free(model);
    *handle = NULL;
}

uint64_t sst_error_model_bytes(size_t n_probes, size_t n_slots, size_t n_models, bool corrects)
{
    const uint64_t n_cells = sst_sample_n_cells(n_probes);
    const uint64_t n_rows = sst_error_rows_most((size_t)n_cells, n_slots);
    const uint64_t kept = sst_error_rows_bytes((size_t)n_cells, n_slots) + n_rows * SST_MAX_COVERAGES +
                          (corrects ? n_cells * n_slots * sizeof(float) : 0);
    const uint64_t while_fitted =
        n_cells * (2 * sizeof(struct sst_ridge) + sizeof(struct sst_deal_key) + sizeof(struct sst_cluster)) +
        n_rows * (sizeof(struct sst_score) + 3 * sizeof(double));
    return n_models > 0 ? n_models * kept + while_fitted : 0;
}

const struct sst_error_findings *sst_error_model_findings(const struct sst_error_model *model)
{
    return &model->findings;
}

const float *sst_error_model_held_out(const struct sst_error_model *model) { return model->held_out; }

/* --- applying ----------------------------------------------------------------------------------------------------- */

static bool is_any_level_available(const struct sst_error_findings *findings)
{
    for (size_t level = 0; level < findings->n_levels; ++level)
        if (findings->levels[level].is_available)
            return true;
    return false;
}

/* Cells with a value among some that lie together. */
struct batch {
    uint32_t cell[SST_POOLS];
    struct sst_pools pools;
    double log_sd[SST_POOLS], sum[SST_POOLS];
};

static void collect(const struct sst_model_cells *cells, const double *estimate, size_t first, struct batch *batch)
{
    const size_t last = cells->n_cells - first < SST_POOLS ? cells->n_cells : first + SST_POOLS;
    const struct sst_shape *shape = &cells->shape;
    size_t n = 0;
    for (size_t cell = first; cell < last; ++cell) {
        batch->cell[n] = (uint32_t)(cell - first);
        batch->pools.sd[n] = shape->sd ? shape->sd[cell] : NAN;
        batch->pools.skew[n] = shape->sd ? shape->skew[cell] : NAN;
        batch->pools.kurt[n] = shape->sd ? shape->kurt[cell] : NAN;
        batch->pools.n_obs[n] = cells->n_obs[cell];
        n += isfinite(estimate[cell]) ? 1 : 0;
    }
    batch->pools.n = n;
}

static void correct_batch(const struct sst_error_model *model, const struct batch *batch, double *estimate)
{
    for (size_t i = 0; i < batch->pools.n; ++i) {
        float predictors[SST_N_PREDICTORS] = {0};
        double sd = 0;
        const struct sst_pool pool = {(double)batch->pools.sd[i], (double)batch->pools.skew[i],
                                      (double)batch->pools.kurt[i], batch->pools.n_obs[i]};
        sst_predictors_of_correction(&model->rule, pool, predictors, &sd);
        estimate[batch->cell[i]] -= sst_error_fit_correction(&model->fit, predictors, sd);
    }
}

static void apply_to_batch(const struct sst_error_model *model, struct batch *batch, size_t first,
                           const struct sst_model_values *values)
{
    const struct sst_error_findings *findings = &model->findings;
    const size_t n = batch->pools.n;
    double *sigma = batch->log_sd; /* takes its place */
    if (findings->is_corrected)
        correct_batch(model, batch, values->estimate + first);
    sst_predictor_sum_of(&model->scale, &batch->pools, batch->sum, batch->log_sd);
    sst_predictor_sum_sigmas(model->fit.scale.least, model->fit.scale.most, n, batch->sum, sigma);
    for (size_t level = 0; level < findings->n_levels; ++level)
        for (size_t i = 0; findings->levels[level].is_available && i < n; ++i)
            values->bound[level][first + batch->cell[i]] = (float)(model->quantile[level] * sigma[i]);
    for (size_t i = 0; values->is_likely && findings->likely.is_available && i < n; ++i)
        values->is_likely[first + batch->cell[i]] = batch->sum[i] >= model->fit.log_likely_sigma;
}

void sst_error_model_apply(const struct sst_error_model *model, const struct sst_model_cells *cells,
                           const struct sst_model_values *values)
{
    const struct sst_error_findings *findings = &model->findings;
    const bool says_something =
        findings->is_corrected || findings->likely.is_available || is_any_level_available(findings);
#pragma omp parallel for schedule(static)
    for (size_t first = 0; first < cells->n_cells; first += SST_POOLS) {
        const size_t last = cells->n_cells - first < SST_POOLS ? cells->n_cells : first + SST_POOLS;
        for (size_t level = 0; level < findings->n_levels; ++level)
            for (size_t cell = first; cell < last; ++cell)
                values->bound[level][cell] = NAN;
        if (values->is_likely)
            memset(values->is_likely + first, 0, last - first);
        if (!says_something)
            continue;
        struct batch batch;
        collect(cells, values->estimate, first, &batch);
        if (batch.pools.n > 0)
            apply_to_batch(model, &batch, first, values);
    }
}

enum sst_status sst_error_model_coverage_of_rest(const struct sst_error_model *model, const struct sst_sample *sample,
                                                 size_t level, const uint8_t *left_out, struct sst_share *out,
                                                 struct sst_error *err)
{
    const struct sst_error_rows *rows = &model->rows;
    const bool is_available = model->findings.levels[level].is_available;
    struct sst_cluster *clusters = NULL;
    SST_TRY(sst_alloc(rows->n_cells, sizeof *clusters, "the coverage of the rest", &clusters, err));
    for (size_t c = 0; c < rows->n_cells; ++c) {
        size_t n = 0, n_hits = 0;
        for (size_t row = rows->first[c]; is_available && row < rows->first[c + 1]; ++row) {
            if (!left_out[rows->at[row]]) {
                ++n;
                n_hits += model->turns.hits[level][row];
            }
        }
        clusters[c] =
            (struct sst_cluster){sample->cells[rows->cell[c]].weight, (double)n, (double)n_hits / SST_N_SPLITS};
    }
    *out = sst_share_of_clusters(clusters, rows->n_cells, CONFIDENCE);
    sst_free(clusters);
    return SST_OK;
}
