/* The verdict: one paragraph on whether the numbers are good enough, with what it rests on. */
#include <math.h>

#include "app/report.h"
#include "write/clim_nc.h"

/* Regions beyond the limit are named up to this many. */
enum { MAX_NAMED = 3 };

static const struct sst_percentile_findings *findings_of(const struct sst_report *report, size_t q)
{
    return &report->accuracy->by_percentile[q];
}

static bool is_made_exact(const struct sst_report *report)
{
    return report->job->options->repair && report->accuracy->all_validated;
}

struct sst_verdict sst_report_verdict(const struct sst_report *report)
{
    struct sst_verdict verdict = {.is_judged = report->accuracy->n_sample_cells > 0, .worst = {.value = NAN}};
    for (size_t q = 0; verdict.is_judged && q < report->job->policy.n_percentiles; ++q) {
        const struct sst_error_row row =
            sst_comparison_row(findings_of(report, q)->errors, SST_ERRORS_ALL, SST_WEIGHT_AREA);
        if (!isnan(verdict.worst.value) && !(row.beyond.value > verdict.worst.value))
            continue;
        verdict.worst = row.beyond;
        verdict.percentile = q;
    }
    if (is_made_exact(report) && !isnan(verdict.worst.value))
        verdict.worst.value = verdict.worst.low = verdict.worst.high = 0.0; /* every one of them has been replaced */
    if (isnan(verdict.worst.value))
        verdict.is_judged = false;
    verdict.passes = verdict.is_judged && verdict.worst.value <= report->job->options->max_share;
    return verdict;
}

static void add_made_by(const struct sst_job *job, struct sst_text *out)
{
    sst_text_addf(out, "by %s", sst_approx_name(job->policy.approx));
    if (job->options->correct)
        sst_text_add(out, ", corrected");
    if (job->policy.smooth_days > 1)
        sst_text_addf(out, ", smoothed over %d days,", job->policy.smooth_days);
}

static void add_regions(const struct sst_report *report, const struct sst_percentile_findings *found,
                        struct sst_text *out)
{
    const struct sst_breakdown_table *regions = &found->breakdown.by_region;
    size_t n_beyond = 0;
    for (size_t i = 0; i < regions->n_rows; ++i)
        n_beyond += regions->rows[i].errors.beyond.value > report->job->options->max_share;
    if (regions->n_rows == 0 || is_made_exact(report)) /* their errors are those before repair */
        return;
    sst_text_addf(out, " Of %zu region%s %zu %s beyond that limit", regions->n_rows, regions->n_rows == 1 ? "" : "s",
                  n_beyond, n_beyond == 1 ? "is" : "are");
    for (size_t i = 0, named = 0; i < regions->n_rows && named < MAX_NAMED; ++i) {
        if (!(regions->rows[i].errors.beyond.value > report->job->options->max_share))
            continue;
        sst_text_addf(out, "%s %s (%.1f %%)", named == 0 ? ":" : ",", regions->rows[i].name,
                      100.0 * regions->rows[i].errors.beyond.value);
        ++named;
    }
    sst_text_add(out, n_beyond > MAX_NAMED ? " and others." : ".");
}

static void add_repair(const struct sst_report *report, struct sst_text *out)
{
    if (!report->job->options->repair)
        return;
    if (is_made_exact(report))
        sst_text_add(out, " Every cell was compared, and what was off has been replaced by the exact percentile.");
    else
        sst_text_add(out,
                     " The errors are those before repair: elsewhere than at the probes nothing could be repaired.");
}

enum sst_status sst_report_verdict_text(const struct sst_report *report, struct sst_text *out, struct sst_error *err)
{
    const struct sst_job *job = report->job;
    const struct sst_verdict verdict = sst_report_verdict(report);
    char name[32];
    if (!verdict.is_judged)
        return sst_text_check(out, err);
    const struct sst_percentile_findings *found = findings_of(report, verdict.percentile);
    const struct sst_error_row all = sst_comparison_row(found->errors, SST_ERRORS_ALL, SST_WEIGHT_AREA);
    const struct sst_error_row free_of_ice = sst_comparison_row(found->errors, SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA);
    sst_text_addf(out, "%s ", sst_clim_percentile_name(job->policy.percentiles[verdict.percentile], name));
    add_made_by(job, out);
    sst_text_addf(out, " is within %g degC of the exact sample percentile on %.2f %% of the sea's cell-days by area",
                  job->options->tolerance, 100.0 * (1.0 - verdict.worst.value));
    if (isfinite(verdict.worst.low) && !report->accuracy->all_validated)
        sst_text_addf(out, " (95 %% interval %.2f to %.2f %%)", 100.0 * (1.0 - verdict.worst.high),
                      100.0 * (1.0 - verdict.worst.low));
    sst_text_addf(out, ", %.2f %% without ice and cells where nothing varies; %g %% may be beyond.",
                  100.0 * (1.0 - (is_made_exact(report) ? 0.0 : free_of_ice.beyond.value)),
                  100.0 * job->options->max_share);
    sst_text_addf(out, " Measured at %zu cell%s %s; root-mean-square error %.4f degC, largest %.3f degC.", all.n_cells,
                  all.n_cells == 1 ? "" : "s", report->accuracy->all_validated ? "(all of them)" : "chosen at random",
                  all.rmse, all.max);
    add_repair(report, out);
    add_regions(report, found, out);
    return sst_text_check(out, err);
}
