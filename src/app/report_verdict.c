/* The verdict: one paragraph on whether the numbers are good enough, with what it rests on. */
#include <math.h>

#include "app/report.h"
#include "write/clim_nc.h"

/* So many of the regions beyond the limit are named. */
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
    const bool is_smoothed = job->policy.smooth_days > 1;
    sst_text_addf(out, "by %s", sst_approx_name(job->policy.approx));
    if (job->options->correct)
        sst_text_add(out, ", corrected");
    if (is_smoothed)
        sst_text_addf(out, ", smoothed over %d days", job->policy.smooth_days);
    if (job->options->correct || is_smoothed)
        sst_text_add(out, ",");
}

/* Number of rows beyond the limit; the worst of them come first in `worst`. */
static size_t find_beyond(const struct sst_breakdown_table *table, double limit,
                          const struct sst_breakdown_row *worst[MAX_NAMED])
{
    size_t n_beyond = 0;
    for (size_t i = 0; i < table->n_rows; ++i) {
        const struct sst_breakdown_row *row = &table->rows[i];
        if (!(row->errors.beyond.value > limit))
            continue;
        size_t place = n_beyond < MAX_NAMED ? n_beyond : MAX_NAMED;
        for (; place > 0 && row->errors.beyond.value > worst[place - 1]->errors.beyond.value; --place)
            if (place < MAX_NAMED)
                worst[place] = worst[place - 1];
        if (place < MAX_NAMED)
            worst[place] = row;
        ++n_beyond;
    }
    return n_beyond;
}

static void add_regions(const struct sst_report *report, const struct sst_percentile_findings *found,
                        struct sst_text *out)
{
    const struct sst_breakdown_table *regions = &found->breakdown.by_region;
    const struct sst_breakdown_row *worst[MAX_NAMED] = {NULL};
    if (regions->n_rows < 2 || is_made_exact(report)) /* their errors are those before repair */
        return;
    const size_t n_beyond = find_beyond(regions, report->job->options->max_share, worst);
    sst_text_addf(out, " Of %zu regions %zu %s beyond that limit", regions->n_rows, n_beyond,
                  n_beyond == 1 ? "is" : "are");
    for (size_t i = 0; i < n_beyond && i < MAX_NAMED; ++i)
        sst_text_addf(out, "%s %s (%.1f %%)", i == 0 ? (n_beyond > MAX_NAMED ? ", worst" : ":") : ",", worst[i]->name,
                      100.0 * worst[i]->errors.beyond.value);
    sst_text_add(out, ".");
}

static void add_repair(const struct sst_report *report, const struct sst_error_row *before, struct sst_text *out)
{
    if (!report->job->options->repair)
        return;
    if (is_made_exact(report))
        sst_text_addf(out,
                      " These are the errors before repair, when %.2f %% were beyond: every cell was compared, and the "
                      "exact percentile has taken the place of what was off by more.",
                      100.0 * before->beyond.value);
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
    add_repair(report, &all, out);
    add_regions(report, found, out);
    return sst_text_check(out, err);
}
