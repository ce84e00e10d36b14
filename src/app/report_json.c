/* The run report and the plan as JSON: everything that is needed to repeat the run. */
#include <jansson.h>

#include "app/json_values.h"
#include "app/report.h"
#include "app/report_blocks.h"
#include "write/clim_nc.h"

static json_t *day_text(const struct sst_job *job, struct sst_day day)
{
    char buffer[SST_DAY_TEXT_SIZE];
    return sst_json_text(sst_day_text(job->catalog->calendar, day, buffer));
}

static json_t *policy_json(const struct sst_job *job)
{
    const struct sst_policy *policy = &job->policy;
    const struct sst_pool_rule *pools = &policy->pools;
    json_t *percentiles = json_array();
    for (size_t q = 0; q < policy->n_percentiles; ++q)
        json_array_append_new(percentiles, sst_json_real(policy->percentiles[q]));
    json_t *out = json_object();
    json_object_set_new(out, "approx", sst_json_text(sst_approx_name(policy->approx)));
    if (policy->approx == SST_APPROX_TAIL) {
        json_object_set_new(out, "greatest_kept", json_integer(sst_policy_tail_k(policy).top));
        json_object_set_new(out, "smallest_kept", json_integer(sst_policy_tail_k(policy).bottom));
    }
    json_object_set_new(out, "percentiles", percentiles);
    json_object_set_new(out, "quantile_type", json_integer(policy->quantile_type));
    json_object_set_new(out, "baseline_first_year", json_integer(pools->first_year));
    json_object_set_new(out, "baseline_last_year", json_integer(pools->last_year));
    json_object_set_new(out, "baseline_type", sst_json_text("fixed"));
    json_object_set_new(out, "window_days", json_integer(2 * pools->half_window_days + 1));
    json_object_set_new(out, "leap", sst_json_text(sst_leap_rule_name(pools->leap)));
    json_object_set_new(out, "calendar", sst_json_text(sst_calendar_name(pools->kind)));
    json_object_set_new(out, "smooth_days", json_integer(policy->smooth_days > 1 ? policy->smooth_days : 0));
    json_object_set_new(out, "min_samples", json_integer(policy->min_samples));
    json_object_set_new(out, "first_slot", json_integer(policy->first_slot));
    json_object_set_new(out, "last_slot", json_integer(policy->last_slot));
    json_object_set_new(out, "value_step_degc", sst_json_real(policy->lattice == SST_LATTICE_CENTI ? 0.01 : 0.001));
    return out;
}

static json_t *days_json(const struct sst_job *job)
{
    const struct sst_coverage *coverage = &job->coverage;
    json_t *missing = json_array();
    for (size_t i = 0; i < coverage->n_missing; ++i)
        json_array_append_new(missing, day_text(job, coverage->missing[i]));
    json_t *out = json_object();
    json_object_set_new(out, "expected", sst_json_integer(coverage->n_expected));
    json_object_set_new(out, "present", sst_json_integer(coverage->n_present));
    json_object_set_new(out, "doubled", sst_json_integer(coverage->n_doubled));
    json_object_set_new(out, "beside_baseline", sst_json_integer(job->n_days_beside));
    json_object_set_new(out, "missing", missing);
    return out;
}

static json_t *source_json(const struct sst_job *job)
{
    const struct sst_catalog *catalog = job->catalog;
    json_t *rejects = json_array();
    for (size_t i = 0; i < catalog->n_rejects; ++i) {
        json_t *reject = json_object();
        json_object_set_new(reject, "path", sst_json_text(catalog->rejects[i].path));
        json_object_set_new(reject, "reason", sst_json_text(catalog->rejects[i].reason));
        json_array_append_new(rejects, reject);
    }
    json_t *out = json_object();
    json_object_set_new(out, "files_found", sst_json_integer(catalog->n_scanned));
    json_object_set_new(out, "files_needed", sst_json_integer(job->n_inputs_used));
    json_object_set_new(out, "bytes_needed", sst_json_integer(job->bytes_to_read));
    json_object_set_new(out, "first_day", day_text(job, catalog->first_day));
    json_object_set_new(out, "last_day", day_text(job, catalog->last_day));
    json_object_set_new(out, "variable", sst_json_text(catalog->variable));
    json_object_set_new(out, "standard_name", sst_json_text(catalog->standard_name));
    json_object_set_new(out, "kind", sst_json_text(sst_sst_kind_name(catalog->kind)));
    json_object_set_new(out, "title", sst_json_text(catalog->title));
    json_object_set_new(out, "ice_source", sst_json_text(catalog->ice_source));
    json_object_set_new(out, "mask_source", sst_json_text(catalog->mask_source));
    json_object_set_new(out, "values_are_on_lattice", json_boolean(catalog->lattice_is_exact));
    json_object_set_new(out, "unusable", rejects);
    return out;
}

static json_t *grid_json(const struct sst_job *job)
{
    const struct sst_domain *domain = &job->domain;
    char digest[32];
    (void)snprintf(digest, sizeof digest, "%016llx", (unsigned long long)sst_grid_digest(job->catalog->grid));
    json_t *out = json_object();
    json_object_set_new(out, "digest", sst_json_text(digest));
    json_object_set_new(out, "n_lat", sst_json_integer(domain->n_rows));
    json_object_set_new(out, "n_lon", sst_json_integer(domain->n_cols));
    json_object_set_new(out, "first_lat", sst_json_real(sst_domain_lat(domain, 0)));
    json_object_set_new(out, "last_lat", sst_json_real(sst_domain_lat(domain, domain->n_rows - 1)));
    json_object_set_new(out, "first_lon", sst_json_real(sst_domain_lon(domain, 0)));
    json_object_set_new(out, "last_lon", sst_json_real(sst_domain_lon(domain, domain->n_cols - 1)));
    json_object_set_new(out, "is_masked", json_boolean(job->keep != NULL));
    return out;
}

static json_t *validation_json(const struct sst_report *report)
{
    const struct sst_job *job = report->job;
    if (!report->comparisons)
        return json_null();
    json_t *out = json_object();
    json_object_set_new(out, "probes", sst_json_integer(job->n_probes));
    json_object_set_new(out, "share_of_cells", sst_json_real(job->probe_share));
    json_object_set_new(out, "seed", sst_json_integer(job->options->seed));
    json_object_set_new(out, "tolerance_degc", sst_json_real(job->options->tolerance));
    json_object_set_new(out, "interval", sst_json_text("95 %, cells as clusters (Korn and Graubard 1998)"));
    json_t *errors = json_object();
    for (size_t q = 0; q < job->policy.n_percentiles; ++q) {
        char name[32];
        json_t *rows = json_object();
        for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
            const struct sst_error_row row =
                sst_comparison_row(report->comparisons[q], sst_report_rows[i].which, sst_report_rows[i].weight);
            json_object_set_new(rows, sst_report_rows[i].key, sst_block_error_row(&row));
        }
        json_object_set_new(errors, sst_clim_percentile_name(job->policy.percentiles[q], name), rows);
    }
    json_object_set_new(out, "errors_degc", errors);
    return out;
}

static json_t *count_json(struct sst_flag_count count)
{
    json_t *out = json_object();
    json_object_set_new(out, "cell_days", sst_json_integer(count.n_cell_days));
    json_object_set_new(out, "area_share", sst_json_real(count.area_share));
    return out;
}

static json_t *flags_json(const struct sst_report *report)
{
    json_t *out = json_object();
    json_object_set_new(out, "any", count_json(report->tally.any));
#define X(bit, symbol, name, meaning) json_object_set_new(out, name, count_json(report->tally.by_flag[bit]));
    SST_FLAG_LIST(X)
#undef X
    return out;
}

static json_t *inputs_json(const struct sst_report *report)
{
    const struct sst_catalog *catalog = report->job->catalog;
    size_t n_days = 0;
    const struct sst_reader_day *days = sst_reader_days(report->reader, &n_days);
    json_t *out = json_array();
    for (size_t i = 0; i < n_days; ++i) {
        const struct sst_catalog_file *file = &catalog->files[days[i].file];
        char digest[32];
        (void)snprintf(digest, sizeof digest, "%016llx", (unsigned long long)days[i].digest);
        json_t *input = json_object();
        json_object_set_new(input, "day", day_text(report->job, days[i].day));
        json_object_set_new(input, "path", sst_json_text(file->path));
        json_object_set_new(input, "step", sst_json_integer(days[i].step));
        json_object_set_new(input, "size", sst_json_integer(file->size_bytes));
        json_object_set_new(input, "xxh3_of_values", sst_json_text(digest));
        json_object_set_new(input, "status", sst_json_text(file->is_preliminary ? "preliminary" : "final"));
        json_array_append_new(out, input);
    }
    return out;
}

static json_t *read_json(const struct sst_report *report)
{
    const struct sst_reader_totals *totals = sst_reader_totals(report->reader);
    json_t *out = json_object();
    json_object_set_new(out, "days", sst_json_integer(totals->n_days_read));
    json_object_set_new(out, "doubled", sst_json_integer(totals->n_days_doubled));
    json_object_set_new(out, "preliminary_replaced", sst_json_integer(totals->n_preliminary_replaced));
    json_object_set_new(out, "unusable", sst_json_integer(totals->n_days_bad));
    json_object_set_new(out, "values_implausible", sst_json_integer(totals->n_cells_implausible));
    json_object_set_new(out, "values_off_lattice", sst_json_integer(totals->n_cells_off_lattice));
    return out;
}

static enum sst_status dump(json_t *whole, FILE *stream, struct sst_error *err)
{
    if (!whole)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for the JSON report");
    const int rc = json_dumpf(whole, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(whole);
    if (rc != 0 || fputc('\n', stream) == EOF || fflush(stream) != 0)
        return sst_fail(err, SST_ERR_OUTPUT, "the JSON report cannot be written");
    return SST_OK;
}

/* What plan and report have in common. */
static json_t *job_json(const struct sst_job *job, const char *schema)
{
    json_t *out = json_object();
    json_object_set_new(out, "schema", sst_json_text(schema));
    json_object_set_new(out, "sststream_version", sst_json_text(sst_version()));
    json_object_set_new(out, "parameters", sst_json_text(job->options->arguments));
    json_object_set_new(out, "output", sst_json_text(job->options->output));
    json_object_set_new(out, "policy", policy_json(job));
    json_object_set_new(out, "source", source_json(job));
    json_object_set_new(out, "grid", grid_json(job));
    json_object_set_new(out, "days", days_json(job));
    json_object_set_new(out, "planned_peak_bytes", sst_json_integer(job->peak_bytes));
    return out;
}

enum sst_status sst_report_write_json(const struct sst_report *report, FILE *stream, struct sst_error *err)
{
    json_t *out = job_json(report->job, SST_REPORT_SCHEMA);
    json_object_set_new(out, "created", sst_json_text(report->created));
    json_object_set_new(out, "climatology_id", sst_json_text(report->climatology_id));
    json_object_set_new(out, "read", read_json(report));
    json_object_set_new(out, "cells", sst_json_integer(report->tally.n_cells));
    json_object_set_new(out, "sea_cells", sst_json_integer(report->tally.n_sea_cells));
    json_object_set_new(out, "validation", validation_json(report));
    json_object_set_new(out, "flags", flags_json(report));
    json_object_set_new(out, "seconds", sst_json_real(report->seconds));
    json_object_set_new(out, "peak_rss_bytes", sst_json_integer(report->peak_rss_bytes));
    json_object_set_new(out, "inputs", inputs_json(report));
    return dump(out, stream, err);
}

enum sst_status sst_plan_write_json(const struct sst_job *job, FILE *stream, struct sst_error *err)
{
    json_t *out = job_json(job, "sststream-plan/1");
    json_object_set_new(out, "probes", sst_json_integer(job->n_probes));
    return dump(out, stream, err);
}
