/* The summary and the plan as text. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/job_memory.h"
#include "app/log.h"
#include "app/report.h"
#include "core/text.h"
#include "write/clim_nc.h"

const struct sst_report_row sst_report_rows[SST_N_REPORT_ROWS] = {
    {"ice-free, by area", "ice_free_area", SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA},
    {"ice-free, by count", "ice_free_count", SST_ERRORS_ICE_FREE, SST_WEIGHT_COUNT},
    {"all cells, by area", "all_area", SST_ERRORS_ALL, SST_WEIGHT_AREA},
    {"all cells, by count", "all_count", SST_ERRORS_ALL, SST_WEIGHT_COUNT},
};

static const double BYTES_PER_MB = 1e6;
/* More rejects and days than this go to the JSON report only. */
enum { MAX_LISTED = 10 };

static const char *plural(size_t n) { return n == 1 ? "" : "s"; }

/* Summaries are read on terminals: what is a sentence goes over several lines. [columns] */
enum { COLUMNS = 118, HEADING = 11, NAMED = 29 };

/* Prints words, from column 0 on, later lines from `indent` on; blanks that line things up stay in the first line. */
static void print_wrapped(const char *text, int indent, FILE *out)
{
    int at = 0;
    while (*text) {
        const int blanks = (int)strspn(text, " "), length = (int)strcspn(text + blanks, " ");
        if (at > indent && at + blanks + length > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else {
            fprintf(out, "%*s", blanks, "");
            at += blanks;
        }
        at += fprintf(out, "%.*s", length, text + blanks);
        text += blanks + length;
    }
    fprintf(out, "\n");
}

/* A sentence is put together in memory, and printed when it is whole. */
struct sentence {
    char *text;
    size_t size;
    FILE *stream; /* where it is written to; the output itself without memory */
};

static FILE *sentence_begin(struct sentence *sentence, FILE *out)
{
    *sentence = (struct sentence){0};
    FILE *memory = open_memstream(&sentence->text, &sentence->size);
    sentence->stream = memory ? memory : out;
    return sentence->stream;
}

static void sentence_end(struct sentence *sentence, int indent, FILE *out)
{
    if (sentence->stream == out) {
        fprintf(out, "\n");
        return;
    }
    if (fclose(sentence->stream) == 0)
        print_wrapped(sentence->text, indent, out);
    free(sentence->text);
}

/* What stands before a text that comes from outside, the text, and what stands behind it. */
static void print_around(const char *before, const char *text, const char *behind, FILE *out)
{
    (void)fputs(before, out);
    sst_log_put_text(text, out);
    (void)fputs(behind, out);
}

static void print_policy(const struct sst_job *job, FILE *out)
{
    const struct sst_policy *policy = &job->policy;
    const struct sst_pool_rule *pools = &policy->pools;
    fprintf(out, "baseline   %d-%d, %d-day window, leap %s, ", pools->first_year, pools->last_year,
            2 * pools->half_window_days + 1, sst_leap_rule_name(pools->leap));
    if (policy->smooth_days > 1)
        fprintf(out, "smoothed over %d days\n", policy->smooth_days);
    else
        fprintf(out, "not smoothed\n");
    int slots[SST_N_SLOTS];
    const int n_slots = sst_policy_output_slots(policy, slots);
    if (n_slots < sst_calendar_n_slots(pools->kind)) {
        int month = 0, day = 0;
        sst_calendar_month_day(pools->kind, slots[0], &month, &day);
        fprintf(out, "part       %d day%s from %02d-%02d", n_slots, plural((size_t)n_slots), month, day);
        sst_calendar_month_day(pools->kind, slots[n_slots - 1], &month, &day);
        fprintf(out, " to %02d-%02d\n", month, day);
    }
}

static void print_rejects(const struct sst_catalog *catalog, FILE *out)
{
    for (size_t i = 0; i < catalog->n_rejects && i < MAX_LISTED; ++i) {
        print_around("  not used: ", catalog->rejects[i].path, ": ", out);
        print_around("", catalog->rejects[i].reason, "\n", out);
    }
    if (catalog->n_rejects > MAX_LISTED)
        fprintf(out, "  ... and %zu more (all are in the JSON report)\n", catalog->n_rejects - MAX_LISTED);
}

static void print_missing(const struct sst_job *job, FILE *out)
{
    const struct sst_coverage *coverage = &job->coverage;
    if (coverage->n_missing == 0)
        return;
    fprintf(out, "  missing:");
    for (size_t i = 0; i < coverage->n_missing && i < MAX_LISTED; ++i) {
        char text[SST_DAY_TEXT_SIZE];
        fprintf(out, " %s", sst_day_text(job->policy.pools.kind, coverage->missing[i], text));
    }
    if (coverage->n_missing > MAX_LISTED)
        fprintf(out, " ... and %zu more", coverage->n_missing - MAX_LISTED);
    fprintf(out, "\n");
}

static void print_inputs(const struct sst_job *job, FILE *out)
{
    const struct sst_catalog *catalog = job->catalog;
    char first[SST_DAY_TEXT_SIZE], last[SST_DAY_TEXT_SIZE];
    fprintf(out, "files      %zu found, ", catalog->n_scanned);
    if (job->n_inputs_used > 0)
        fprintf(out, "%zu needed (%.1f MB), ", job->n_inputs_used, (double)job->bytes_to_read / BYTES_PER_MB);
    fprintf(out, "%zu unusable; %s to %s, calendar %s\n", catalog->n_rejects,
            sst_day_text(catalog->calendar, catalog->first_day, first),
            sst_day_text(catalog->calendar, catalog->last_day, last), sst_calendar_name(catalog->calendar));
    print_rejects(catalog, out);
    fprintf(out, "variable   %s (%s)", catalog->variable, sst_sst_kind_name(catalog->kind));
    print_around(catalog->title[0] ? ", " : "", catalog->title, "", out);
    print_around(catalog->ice_source[0] ? "; ice from " : "", catalog->ice_source, "", out);
    print_around(catalog->mask_source[0] ? "; land and lakes from " : "", catalog->mask_source, "\n", out);
    fprintf(out, "values     whole %s degC%s\n",
            catalog->lattice == SST_LATTICE_CENTI ? "hundredths of a" : "thousandths of a",
            catalog->lattice_is_exact ? "" : "; the files are finer and are rounded to them");
}

static void print_days(const struct sst_job *job, FILE *out)
{
    fprintf(out, "days       %zu of %zu in the baseline, %zu missing, %zu doubled, %zu beside it\n",
            job->coverage.n_present, job->coverage.n_expected, job->coverage.n_missing, job->coverage.n_doubled,
            job->n_days_beside);
    print_missing(job, out);
}

static void print_grid(const struct sst_job *job, FILE *out)
{
    const struct sst_domain *domain = &job->domain;
    fprintf(out, "cells      %zu, %zu x %zu (lat x lon), %.3f..%.3f N, %.3f..%.3f E%s\n", domain->n_cells,
            domain->n_rows, domain->n_cols, fmin(sst_domain_lat(domain, 0), sst_domain_lat(domain, domain->n_rows - 1)),
            fmax(sst_domain_lat(domain, 0), sst_domain_lat(domain, domain->n_rows - 1)), sst_domain_lon(domain, 0),
            sst_domain_lon(domain, domain->n_cols - 1), job->keep ? ", masked" : "");
}

static void print_lists(const struct sst_policy *policy, FILE *out)
{
    const struct sst_tail_k k = sst_policy_tail_k(policy), depth = sst_policy_tail_depth(policy);
    if (k.top > 0)
        fprintf(out, ", the %d greatest values of each calendar day (a full pool needs its %d greatest)", k.top,
                depth.top);
    if (k.bottom > 0)
        fprintf(out, ", the %d smallest (of %d)", k.bottom, depth.bottom);
}

void sst_plan_print_found(const struct sst_job *job, FILE *out)
{
    print_inputs(job, out);
    if (job->domain.n_cells > 0)
        print_grid(job, out);
}

/* What a run takes of the machine. */
static void print_needs(const struct sst_job *job, FILE *out)
{
    const int n_readers = job->options->n_readers;
    fprintf(out, "memory     about %.0f MB at most", (double)job->peak_bytes / BYTES_PER_MB);
    if (job->memory_limit_bytes < UINT64_MAX)
        fprintf(out, ", of %.0f MB allowed (--memory)", (double)job->memory_limit_bytes / BYTES_PER_MB);
    fprintf(out, "\n");
    if (job->n_passes > 1)
        fprintf(out, "passes     %zu, of at most %llu row%s each; the first reads the files, the others the scratch\n",
                job->n_passes, (unsigned long long)job->pass_rows, plural(job->pass_rows));
    else
        fprintf(out, "passes     1 over the files\n");
    fprintf(out, "threads    %d; ", job->options->n_threads);
    if (n_readers > 0)
        fprintf(out, "%d process%s read%s files\n", n_readers, n_readers == 1 ? "" : "es", n_readers == 1 ? "s" : "");
    else
        fprintf(out, "the program reads files itself\n");
    if (job->scratch_bytes > 0)
        fprintf(out, "scratch    %.0f MB on the disk beside the output, while the run lasts\n",
                (double)job->scratch_bytes / BYTES_PER_MB);
}

bool sst_plan_state_bytes(const struct sst_job *job, struct sst_state_bytes out[SST_KEEP_ALL + 1])
{
    return !job->options->has_bbox && !job->keep && sst_state_bytes_of(job->options, job->catalog, job->n_sea, out);
}

static void print_state(const struct sst_job *job, FILE *out)
{
    struct sst_state_bytes bytes[SST_KEEP_ALL + 1];
    char text[SST_KEEP_ALL + 1][SST_SIZE_TEXT];
    if (!sst_plan_state_bytes(job, bytes))
        return;
    for (int keep = 0; keep <= SST_KEEP_ALL; ++keep)
        (void)sst_size_text((uint64_t)bytes[keep].all, true, text[keep]);
    fprintf(out, "state      as ingest makes one of all days: about %s with --keep none, %s with probes, %s with all\n",
            text[SST_KEEP_NONE], text[SST_KEEP_PROBES], text[SST_KEEP_ALL]);
    fprintf(
        out,
        "           (values that are kept are stored deflated, which made those of OISST smaller by 45 to 67 %%)\n");
}

/* What computes. */
static void print_device(const struct sst_job *job, FILE *terminal)
{
    const struct sst_device_plan *plan = &job->device;
    char needed[SST_SIZE_TEXT], usable[SST_SIZE_TEXT];
    struct sentence sentence;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out, "device     ");
    for (size_t i = 0; i < plan->devices.n; ++i)
        print_around(i > 0 ? " and " : "", plan->devices.list[i].info.name, "", out);
    if (plan->devices.n == 0)
        print_around("the CPU", *plan->why ? ": " : "", plan->why, out);
    else
        fprintf(out, "; %s, %zu pool%s at a time, %s of %s that may be used%s%s%s",
                plan->is_resident ? "resident: each day stays there" : "streaming: days make room for later ones",
                plan->n_ahead, plural(plan->n_ahead), sst_size_text(plan->bytes, false, needed),
                sst_size_text(plan->usable_bytes, false, usable), plan->devices.n > 1 ? " on each" : "",
                *plan->why ? "; " : "", plan->why);
    sentence_end(&sentence, HEADING, terminal);
}

void sst_plan_print(const struct sst_job *job, FILE *out)
{
    print_policy(job, out);
    print_inputs(job, out);
    print_days(job, out);
    print_grid(job, out);
    fprintf(out, "estimate   %s", sst_approx_name(job->policy.approx));
    if (job->policy.approx == SST_APPROX_TAIL)
        print_lists(&job->policy, out);
    if (job->policy.approx != SST_APPROX_NONE)
        fprintf(out, ", %zu probe%s (%.3g %% of the cells, seed %llu)", job->n_probes, plural(job->n_probes),
                100.0 * job->probe_share, (unsigned long long)job->options->seed);
    else
        fprintf(out, " (exact)");
    fprintf(out, "\n");
    print_device(job, out);
    print_needs(job, out);
    print_state(job, out);
    print_around("output     ", job->options->output, "\n", out);
}

static void print_row(const struct sst_report_row *which, const struct sst_error_row *row, FILE *out)
{
    if (row->n_cells == 0) {
        fprintf(out, "  %-20s   none\n", which->name);
        return;
    }
    fprintf(out, "  %-20s %6zu %10zu %+8.4f %7.4f %7.4f %7.4f %7.4f %7.4f %7.2f %% (%.2f..%.2f)\n", which->name,
            row->n_cells, row->n_cell_days, row->bias, row->rmse, row->median, row->p95, row->p99, row->max,
            100.0 * row->beyond.value, 100.0 * row->beyond.low, 100.0 * row->beyond.high);
}

static void print_errors(const struct sst_report *report, FILE *out)
{
    const struct sst_job *job = report->job;
    fprintf(out, "validated  %zu probe%s (%.3g %% of the cells, seed %llu): approximate - exact [degC]%s\n",
            job->n_probes, plural(job->n_probes), 100.0 * job->probe_share, (unsigned long long)job->options->seed,
            job->options->correct ? ", corrected by models that did not see the cell" : "");
    for (size_t q = 0; q < job->policy.n_percentiles; ++q) {
        char name[32];
        fprintf(out,
                "  %-20s  cells  cell-days     bias    RMSE  median    95 %%    99 %%     max  beyond %g degC (95 %% "
                "interval)\n",
                sst_clim_percentile_name(job->policy.percentiles[q], name), job->options->tolerance);
        for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
            const struct sst_error_row row = sst_comparison_row(report->accuracy->by_percentile[q].errors,
                                                                sst_report_rows[i].which, sst_report_rows[i].weight);
            print_row(&sst_report_rows[i], &row, out);
        }
    }
}

static void print_level(double percentile, const struct sst_level_findings *level, FILE *terminal)
{
    struct sentence sentence;
    FILE *out = sentence_begin(&sentence, terminal);
    char name[SST_CLIM_NAME_SIZE];
    fprintf(out, "  %-26s", sst_clim_bound_name(percentile, level->level, name));
    if (!level->is_available) {
        fprintf(out, " empty: too few probes");
        if (level->attainable > 0.0)
            fprintf(out, ", which allow %.3g %% at most", 100.0 * level->attainable);
        sentence_end(&sentence, NAMED, terminal);
        return;
    }
    fprintf(out, " median %.3f, mean %.3f degC; covers", level->median_bound, level->mean_bound);
    const char *between = "";
    for (size_t i = 0; i < level->n_rows; ++i) {
        const struct sst_coverage_row *row = &level->rows[i];
        if (row->stratum != SST_STRATUM_ALL && row->stratum != SST_STRATUM_ICE)
            continue;
        fprintf(out, "%s %.2f %% (%.2f..%.2f) of %s", between, 100.0 * row->share.value, 100.0 * row->share.low,
                100.0 * row->share.high, row->stratum == SST_STRATUM_ALL ? "all" : row->name);
        between = ",";
    }
    fprintf(out, "; below 90 %% in %.1f %% of the cells", 100.0 * level->share_of_cells_below_90);
    sentence_end(&sentence, NAMED, terminal);
}

static void print_likely(const struct sst_likely_findings *likely, FILE *terminal)
{
    struct sentence sentence;
    if (!likely->is_available)
        return;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out,
            "  likely_beyond_tolerance    at held-out probes: flags %.1f %%, of which %.1f %% are beyond (precision; "
            "%.1f %% "
            "of all are), and finds %.1f %% of those (recall)",
            100.0 * likely->flagged, 100.0 * likely->precision, 100.0 * likely->base_rate, 100.0 * likely->recall);
    sentence_end(&sentence, NAMED, terminal);
}

static void print_repair(const struct sst_report *report, size_t q, FILE *terminal)
{
    struct sentence sentence;
    const struct sst_percentile_findings *found = &report->accuracy->by_percentile[q];
    char name[SST_CLIM_NAME_SIZE];
    if (!report->job->options->repair)
        return;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out, "repaired   %s, %zu cell-days", sst_clim_percentile_name(report->job->policy.percentiles[q], name),
            found->n_repaired);
    const char *before = "; of the other probes' cell-days";
    for (size_t i = 0; found->model && i < report->job->options->n_coverages; ++i) {
        if (!isfinite(found->coverage_of_rest[i].value))
            continue;
        fprintf(out, "%s %.2f %% are within the %.4g %% bound", before, 100.0 * found->coverage_of_rest[i].value,
                100.0 * report->job->options->coverages[i]);
        before = ",";
    }
    sentence_end(&sentence, HEADING, terminal);
}

/* What models of the error say, and how far to believe them. */
static void print_bounds(const struct sst_report *report, FILE *out)
{
    const struct sst_policy *policy = &report->job->policy;
    fprintf(
        out,
        "bounds     of |approximate - exact| at cells that were not compared; coverage measured at held-out probes\n");
    for (size_t q = 0; q < policy->n_percentiles; ++q) {
        const struct sst_percentile_findings *found = &report->accuracy->by_percentile[q];
        const struct sst_error_findings *findings = sst_error_model_findings(found->model);
        for (size_t i = 0; i < findings->n_levels; ++i)
            print_level(policy->percentiles[q], &findings->levels[i], out);
        if (findings->is_corrected)
            fprintf(out, "  corrected                  RMSE %.4f instead of %.4f degC at held-out probes\n",
                    findings->rmse_after, findings->rmse_before);
        print_likely(&findings->likely, out);
    }
}

static void print_heatwaves(const struct sst_report *report, size_t q, FILE *terminal)
{
    struct sentence sentence;
    const struct sst_consequences *c = &report->accuracy->by_percentile[q].consequences;
    const double percentile = report->job->policy.percentiles[q];
    char name[SST_CLIM_NAME_SIZE];
    if (c->n_cells == 0)
        return;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out,
            "%-10s %s, %zu cell%s, %d years: %.1f days and %.2f events a year by the approximate, %.1f and %.2f by the "
            "exact threshold; ",
            c->is_cold ? "cold spell" : "heatwaves", sst_clim_percentile_name(percentile, name), c->n_cells,
            plural(c->n_cells), c->n_years, c->approx.days_per_year, c->approx.events_per_year, c->exact.days_per_year,
            c->exact.events_per_year);
    if (isfinite(c->missed))
        fprintf(out, "%.1f %% of the days missed, %.1f %% added, Jaccard %.3f; ", 100.0 * c->missed, 100.0 * c->added,
                c->jaccard);
    fprintf(out, "days %s the threshold: %.2f %% and %.2f %% (%.4g %% expected)", c->is_cold ? "below" : "above",
            100.0 * c->approx_exceedance.mean, 100.0 * c->exact_exceedance.mean,
            c->is_cold ? percentile : 100.0 - percentile);
    sentence_end(&sentence, HEADING, terminal);
}

static void print_sampling(const struct sst_report *report, size_t q, FILE *terminal)
{
    struct sentence sentence;
    const struct sst_sampling_error *s = &report->accuracy->by_percentile[q].sampling;
    const struct sst_policy *policy = &report->job->policy;
    char name[SST_CLIM_NAME_SIZE];
    if (!isfinite(s->se_median))
        return;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out,
            "years      %s: %d years leave the exact percentile itself uncertain by %.3f degC (median standard error, "
            "whole years resampled); the approximation adds %.4f degC (RMSE) to it, every year",
            sst_clim_percentile_name(policy->percentiles[q], name),
            policy->pools.last_year - policy->pools.first_year + 1, s->se_median, s->approx_rmse);
    sentence_end(&sentence, HEADING, terminal);
}

static void print_validation(const struct sst_report *report, FILE *out)
{
    const struct sst_accuracy_findings *accuracy = report->accuracy;
    if (accuracy->n_sample_cells == 0)
        return;
    print_errors(report, out);
    if (accuracy->by_percentile[0].model)
        print_bounds(report, out);
    for (size_t q = 0; q < report->job->policy.n_percentiles; ++q) {
        print_repair(report, q, out);
        if (!accuracy->is_for_report)
            continue;
        print_heatwaves(report, q, out);
        print_sampling(report, q, out);
    }
}

static void print_flags(const struct sst_report *report, FILE *out)
{
    static const char *const texts[SST_N_FLAGS] = {
#define X(bit, symbol, name, text) [bit] = name,
        SST_FLAG_LIST(X)
#undef X
    };
    const struct sst_tally_result *tally = &report->accuracy->tally;
    fprintf(out, "flags      %zu of %zu cell-days of the sea have one or more, %.2f %% of its area\n",
            tally->any.n_cell_days, tally->n_cell_days, 100.0 * tally->any.area_share);
    for (int bit = 0; bit < SST_N_FLAGS; ++bit)
        fprintf(out, "  %-25s %12zu cell-days %8.2f %% of the area\n", texts[bit], tally->by_flag[bit].n_cell_days,
                100.0 * tally->by_flag[bit].area_share);
}

static void print_verdict(const struct sst_report *report, FILE *terminal)
{
    struct sentence sentence;
    FILE *out = sentence_begin(&sentence, terminal);
    fprintf(out, "verdict    %s: %s", sst_report_verdict(report).passes ? "passed" : "not passed", report->verdict);
    sentence_end(&sentence, HEADING, terminal);
}

void sst_report_print(const struct sst_report *report, FILE *out)
{
    const struct sst_job *job = report->job;
    const struct sst_reader_totals *totals = sst_reader_totals(report->reader);
    print_policy(job, out);
    print_inputs(job, out);
    print_days(job, out);
    fprintf(out, "read       %zu day%s", totals->n_days_read, plural(totals->n_days_read));
    if (totals->n_days_doubled)
        fprintf(out, ", %zu doubled (same values, counted once)", totals->n_days_doubled);
    if (totals->n_preliminary_replaced)
        fprintf(out, ", %zu preliminary passed over for final ones", totals->n_preliminary_replaced);
    if (totals->n_days_bad)
        fprintf(out, ", %zu unusable", totals->n_days_bad);
    if (totals->n_cells_implausible)
        fprintf(out, ", %zu values outside -5..50 degC left out", totals->n_cells_implausible);
    fprintf(out, "\n");
    print_grid(job, out);
    fprintf(out, "sea        %zu cell%s\n", report->accuracy->tally.n_sea_cells,
            plural(report->accuracy->tally.n_sea_cells));
    print_validation(report, out);
    print_flags(report, out);
    if (*report->verdict)
        print_verdict(report, out);
    print_device(job, out);
    print_around("output     ", job->options->output, "\n", out);
    fprintf(out, "id         %s\n", report->climatology_id);
    fprintf(out, "time       %.1f s, at most %.0f MB of memory\n", report->seconds,
            (double)report->peak_rss_bytes / BYTES_PER_MB);
    if (report->timings && job->options->wants_timings)
        sst_timings_print(report->timings, out);
}
