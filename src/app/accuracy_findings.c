/* What is worked out when all slots are there: held-out errors, coverage of the rest, tables, heatwaves, maps. */
#include "app/accuracy_findings.h"

#include <math.h>

#include "core/mem.h"

/* --- opening and closing ------------------------------------------------------------------------------------------ */

/* A corrected estimate is judged at the sample's cells, where models that did not see them are at hand; others at all probes. */
static enum sst_status open_errors(struct sst_percentile_findings *findings, const struct sst_job *job,
                                   struct sst_error *err)
{
    double *rows = NULL, *weights = NULL;
    enum sst_status rc = SST_OK;
    if (job->options->correct)
        return SST_OK;
    SST_TRY_GOTO(sst_alloc(job->domain.n_rows, sizeof *rows, "row weights", &rows, err));
    SST_TRY_GOTO(sst_alloc(job->n_probes, sizeof *weights, "probe weights", &weights, err));
    sst_domain_row_weights(&job->domain, rows);
    for (size_t i = 0; i < job->n_probes; ++i)
        weights[i] = rows[job->probes[i] / job->domain.n_cols];
    SST_TRY_GOTO(sst_comparison_create(job->n_probes, weights, job->options->tolerance, &findings->errors, err));
done:
    sst_free(rows);
    sst_free(weights);
    return rc;
}

enum sst_status sst_findings_open(struct sst_accuracy_findings *findings, const struct sst_job *job,
                                  struct sst_error *err)
{
    const bool has_model = sst_approx_has_moments(job->policy.approx);
    for (size_t q = 0; q < job->policy.n_percentiles; ++q) {
        struct sst_percentile_findings *of = &findings->by_percentile[q];
        SST_TRY(open_errors(of, job, err));
        if (!findings->is_for_report)
            continue;
        SST_TRY(sst_map_create(&job->domain, &of->probe_bias, err));
        SST_TRY(sst_map_create(&job->domain, &of->probe_rmse, err));
        if (has_model)
            SST_TRY(sst_map_create(&job->domain, &of->bound, err));
    }
    return SST_OK;
}

void sst_findings_clear(struct sst_accuracy_findings *findings)
{
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q) {
        struct sst_percentile_findings *of = &findings->by_percentile[q];
        sst_comparison_destroy(&of->errors);
        sst_error_model_destroy(&of->model);
        sst_breakdown_clear(&of->breakdown);
        sst_map_destroy(&of->probe_bias);
        sst_map_destroy(&of->probe_rmse);
        sst_map_destroy(&of->bound);
    }
    sst_map_destroy(&findings->sea);
    sst_map_destroy(&findings->flagged);
}

void sst_findings_see_bound(struct sst_accuracy_findings *findings, size_t percentile, const float *bound,
                            size_t n_cells)
{
    struct sst_map *map = findings->by_percentile[percentile].bound;
    for (size_t cell = 0; map && cell < n_cells; ++cell)
        sst_map_add(map, cell, (double)bound[cell]);
}

/* --- conclusions -------------------------------------------------------------------------------------------------- */

/* The estimates that are judged: corrected by models that did not see the cell, where there is a correction. */
static const float *judged(const struct sst_percentile_findings *of, const struct sst_sample *sample, size_t q)
{
    const float *held_out = of->model ? sst_error_model_held_out(of->model) : NULL;
    return held_out ? held_out : sample->approx[q];
}

/* The error table of a corrected estimate. */
static enum sst_status compare_held_out(struct sst_percentile_findings *of, const struct sst_evidence *evidence,
                                        size_t q, struct sst_error *err)
{
    const struct sst_sample *sample = evidence->sample;
    const float *approx = judged(of, sample, q);
    double *weights = NULL, *estimate = NULL, *exact = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(sample->n_cells, sizeof *weights, "probe weights", &weights, err));
    SST_TRY_GOTO(sst_alloc(sample->n_cells, sizeof *estimate, "probes", &estimate, err));
    SST_TRY_GOTO(sst_alloc(sample->n_cells, sizeof *exact, "probes", &exact, err));
    for (size_t i = 0; i < sample->n_cells; ++i)
        weights[i] = sample->cells[i].weight;
    SST_TRY_GOTO(sst_comparison_create(sample->n_cells, weights, evidence->job->options->tolerance, &of->errors, err));
    for (size_t place = 0; place < sample->n_places; ++place) {
        const size_t row = place * sample->n_cells;
        for (size_t i = 0; i < sample->n_cells; ++i) {
            estimate[i] = (double)approx[row + i];
            exact[i] = (double)sample->exact[q][row + i];
        }
        sst_comparison_add(of->errors, estimate, exact, sample->flags + row, NULL);
    }
done:
    sst_free(weights);
    sst_free(estimate);
    sst_free(exact);
    return rc;
}

/* Whether bounds still cover what they say when the cell-days that were repaired no longer count. */
static enum sst_status cover_rest(struct sst_percentile_findings *of, const struct sst_evidence *evidence, size_t q,
                                  struct sst_error *err)
{
    const struct sst_sample *sample = evidence->sample;
    const float *approx = judged(of, sample, q);
    const size_t n_rows = sample->n_cells * sample->n_places;
    uint8_t *is_repaired = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(n_rows, 1, "marks", &is_repaired, err));
    for (size_t row = 0; row < n_rows; ++row)
        is_repaired[row] =
            fabs((double)approx[row] - (double)sample->exact[q][row]) > evidence->job->options->tolerance;
    for (size_t level = 0; level < evidence->job->options->n_coverages; ++level)
        SST_TRY_GOTO(
            sst_error_model_coverage_of_rest(of->model, sample, level, is_repaired, &of->coverage_of_rest[level], err));
done:
    sst_free(is_repaired);
    return rc;
}

static void map_errors(struct sst_percentile_findings *of, const struct sst_sample *sample, size_t q)
{
    const float *approx = judged(of, sample, q);
    for (size_t i = 0; i < sample->n_cells; ++i) {
        double sum = 0, squares = 0;
        size_t n = 0;
        for (size_t place = 0; place < sample->n_places; ++place) {
            const size_t row = place * sample->n_cells + i;
            const double error = (double)approx[row] - (double)sample->exact[q][row];
            if (isnan(error))
                continue;
            sum += error;
            squares += error * error;
            ++n;
        }
        if (n == 0)
            continue;
        sst_map_add(of->probe_bias, sample->cells[i].domain_cell, sum / (double)n);
        sst_map_add(of->probe_rmse, sample->cells[i].domain_cell, sqrt(squares / (double)n));
    }
}

/* What only a report shows of a percentile. */
static enum sst_status report_percentile(struct sst_percentile_findings *of, const struct sst_evidence *evidence,
                                         size_t q, struct sst_error *err)
{
    const struct sst_job *job = evidence->job;
    const struct sst_policy *policy = &job->policy;
    const float *approx = judged(of, evidence->sample, q);
    const struct sst_sampling_options sampling = {
        .percentile_index = q,
        .percentile = policy->percentiles[q],
        .quantile_type = policy->quantile_type,
        .smooth_days = policy->smooth_days,
        .seed = job->options->seed,
    };
    map_errors(of, evidence->sample, q);
    SST_TRY(
        sst_breakdown_make(evidence->sample, q, approx, job->options->tolerance, &job->domain, &of->breakdown, err));
    SST_TRY(sst_consequences_count(evidence->series, evidence->sample, q, policy->percentiles[q], approx,
                                   &of->consequences, err));
    return sst_sampling_error_estimate(evidence->series, evidence->sample, &sampling, approx, &of->sampling, err);
}

static enum sst_status map_cells(struct sst_accuracy_findings *findings, const struct sst_evidence *evidence,
                                 struct sst_error *err)
{
    const struct sst_domain *domain = &evidence->job->domain;
    SST_TRY(sst_map_create(domain, &findings->sea, err));
    SST_TRY(sst_map_create(domain, &findings->flagged, err));
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        const bool is_sea = sst_tally_is_sea(evidence->tally, cell);
        sst_map_add(findings->sea, cell, is_sea ? 1.0 : 0.0);
        sst_map_add(findings->flagged, cell, is_sea ? sst_tally_doubtful_share(evidence->tally, cell) : NAN);
    }
    return SST_OK;
}

enum sst_status sst_findings_conclude(struct sst_accuracy_findings *findings, const struct sst_evidence *evidence,
                                      struct sst_error *err)
{
    const struct sst_options *options = evidence->job->options;
    if (findings->is_for_report)
        SST_TRY(map_cells(findings, evidence, err));
    for (size_t q = 0; evidence->sample && q < evidence->job->policy.n_percentiles; ++q) {
        struct sst_percentile_findings *of = &findings->by_percentile[q];
        if (options->correct)
            SST_TRY(compare_held_out(of, evidence, q, err));
        if (options->repair && of->model)
            SST_TRY(cover_rest(of, evidence, q, err));
        if (findings->is_for_report)
            SST_TRY(report_percentile(of, evidence, q, err));
    }
    return SST_OK;
}
