/* The run report and the plan as JSON: everything that is needed to repeat the run. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "app/json_values.h"
#include "app/report.h"
#include "app/report_blocks.h"
#include "write/clim_nc.h"

/* Half the distance of float32 numbers from 16 to 32. [degC] */
#define FLOAT_HALF_STEP 9.5367431640625e-7

/* One unit of the whole numbers in a map. */
#define MAP_STEP_DEGC 0.001
#define MAP_STEP_SHARE 0.001

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

/* One block of each percentile, by the name of its variable. */
typedef json_t *percentile_block(const struct sst_report *report, size_t q);

static json_t *by_variable(const struct sst_report *report, percentile_block *block)
{
    json_t *out = json_object();
    for (size_t q = 0; q < report->job->policy.n_percentiles; ++q) {
        char name[32];
        json_object_set_new(out, sst_clim_percentile_name(report->job->policy.percentiles[q], name), block(report, q));
    }
    return out;
}

static const struct sst_percentile_findings *findings_of(const struct sst_report *report, size_t q)
{
    return &report->accuracy->by_percentile[q];
}

static json_t *errors_block(const struct sst_report *report, size_t q)
{
    json_t *rows = json_object();
    for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
        const struct sst_error_row row =
            sst_comparison_row(findings_of(report, q)->errors, sst_report_rows[i].which, sst_report_rows[i].weight);
        json_object_set_new(rows, sst_report_rows[i].key, sst_block_error_row(&row));
    }
    return rows;
}

static json_t *breakdown_block(const struct sst_report *report, size_t q)
{
    return sst_block_breakdown(&findings_of(report, q)->breakdown);
}

static json_t *bounds_block(const struct sst_report *report, size_t q)
{
    return sst_block_bounds(sst_error_model_findings(findings_of(report, q)->model),
                            report->job->policy.percentiles[q]);
}

static json_t *repair_block(const struct sst_report *report, size_t q)
{
    const struct sst_options *options = report->job->options;
    const struct sst_percentile_findings *found = findings_of(report, q);
    return sst_block_repair(found->n_repaired, options->coverages, found->coverage_of_rest,
                            found->model ? options->n_coverages : 0);
}

static json_t *consequences_block(const struct sst_report *report, size_t q)
{
    return sst_block_consequences(&findings_of(report, q)->consequences);
}

static json_t *sampling_block(const struct sst_report *report, size_t q)
{
    return sst_block_sampling(&findings_of(report, q)->sampling);
}

static json_t *verdict_json(const struct sst_report *report)
{
    const struct sst_verdict verdict = sst_report_verdict(report);
    char name[32];
    if (!verdict.is_judged)
        return json_null();
    const struct sst_verdict_block block = {
        .passes = verdict.passes,
        .worst_share = verdict.worst.value,
        .max_share = report->job->options->max_share,
        .tolerance = report->job->options->tolerance,
        .variable = sst_clim_percentile_name(report->job->policy.percentiles[verdict.percentile], name),
        .text = report->verdict,
    };
    return sst_block_verdict(&block);
}

static json_t *validation_json(const struct sst_report *report)
{
    const struct sst_job *job = report->job;
    if (report->accuracy->n_sample_cells == 0)
        return json_null();
    json_t *out = json_object();
    json_object_set_new(out, "probes", sst_json_integer(job->n_probes));
    json_object_set_new(out, "share_of_cells", sst_json_real(job->probe_share));
    json_object_set_new(out, "sample_cells", sst_json_integer(report->accuracy->n_sample_cells));
    json_object_set_new(out, "seed", sst_json_integer(job->options->seed));
    json_object_set_new(out, "tolerance_degc", sst_json_real(job->options->tolerance));
    json_object_set_new(out, "interval", sst_json_text("95 %, cells as clusters (Korn and Graubard 1998)"));
    json_object_set_new(out, "errors_degc", by_variable(report, errors_block));
    json_object_set_new(out, "breakdown", by_variable(report, breakdown_block));
    return out;
}

/* What else may differ between the number written and the one that is meant. */
static json_t *error_budget_json(const struct sst_report *report)
{
    const struct sst_job *job = report->job;
    const struct sst_percentile_findings *found = findings_of(report, 0);
    const bool is_exact = job->policy.approx == SST_APPROX_NONE;
    const bool is_validated = report->accuracy->n_sample_cells > 0;
    const bool has_sampling = is_validated && report->accuracy->is_for_report;
    const double step = job->policy.lattice == SST_LATTICE_CENTI ? 0.01 : 0.001;
    double rmse = is_exact ? 0 : NAN;
    if (is_validated)
        rmse = sst_comparison_row(found->errors, SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA).rmse;
    char name[32], approximation[64];
    (void)snprintf(approximation, sizeof approximation, "approximation of %s",
                   sst_clim_percentile_name(job->policy.percentiles[0], name));
    const struct sst_budget_item items[] = {
        {approximation, rmse,
         is_validated && job->options->repair ? "root-mean-square error at the probes before repair, ice-free, by area"
         : is_validated                       ? "root-mean-square error at the probes, ice-free, by area"
         : is_exact                           ? "none"
                                              : "not measured"},
        {"rounding of the values", job->catalog->lattice_is_exact ? 0 : step / 2,
         job->catalog->lattice_is_exact ? "none: the files hold whole steps"
                                        : "at most; the files are finer than the step that is kept"},
        {"sums", 0, "none: they are integers"},
        {"float32 of the output", FLOAT_HALF_STEP, "at most, below 32 degC"},
        {"years at hand", has_sampling ? found->sampling.se_median : NAN,
         "standard error of the exact percentile itself (median), from whole years resampled; no error of the method"},
    };
    return sst_block_error_budget(items, sizeof items / sizeof items[0] - (has_sampling ? 0 : 1));
}

static void add_map(json_t *maps, const struct sst_report *report, const struct sst_map *map,
                    struct sst_map_labels labels)
{
    if (map)
        json_array_append_new(maps, sst_block_map(map, &labels, report->accuracy->sea));
}

static json_t *maps_json(const struct sst_report *report)
{
    const struct sst_accuracy_findings *accuracy = report->accuracy;
    json_t *maps = json_array();
    for (size_t q = 0; accuracy->n_sample_cells > 0 && q < report->job->policy.n_percentiles; ++q) {
        const struct sst_percentile_findings *found = findings_of(report, q);
        char name[32], bound[SST_CLIM_NAME_SIZE], title[128];
        const double percentile = report->job->policy.percentiles[q];
        (void)sst_clim_percentile_name(percentile, name);
        (void)sst_clim_bound_name(percentile, report->job->options->coverages[0], bound);
        add_map(maps, report, found->probe_bias,
                (struct sst_map_labels){.key = "probe_bias",
                                        .title = "Mean error over the year at the probes",
                                        .variable = name,
                                        .unit = "degC",
                                        .is_signed = true,
                                        .is_sparse = !accuracy->all_validated,
                                        .step = MAP_STEP_DEGC});
        add_map(maps, report, found->probe_rmse,
                (struct sst_map_labels){.key = "probe_rmse",
                                        .title = "Root-mean-square error over the year at the probes",
                                        .variable = name,
                                        .unit = "degC",
                                        .is_sparse = !accuracy->all_validated,
                                        .step = MAP_STEP_DEGC});
        (void)snprintf(title, sizeof title, "Bound that covers the error of %g %% of the cell-days, mean over the year",
                       100.0 * report->job->options->coverages[0]);
        add_map(maps, report, found->bound,
                (struct sst_map_labels){
                    .key = "bound", .title = title, .variable = bound, .unit = "degC", .step = MAP_STEP_DEGC});
    }
    add_map(maps, report, accuracy->n_sample_cells > 0 ? accuracy->flagged : NULL,
            (struct sst_map_labels){.key = "flagged",
                                    .title = "Share of the days beyond the tolerance, likely so, or uncertified",
                                    .variable = "quality_flag",
                                    .unit = "1",
                                    .step = MAP_STEP_SHARE});
    return maps;
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
    json_object_set_new(out, "any", count_json(report->accuracy->tally.any));
#define X(bit, symbol, name, meaning) json_object_set_new(out, name, count_json(report->accuracy->tally.by_flag[bit]));
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

static char *dump(const json_t *report) { return json_dumps(report, JSON_INDENT(1) | JSON_REAL_PRECISION(17)); }

enum sst_status sst_report_print_json(const json_t *report, FILE *stream, struct sst_error *err)
{
    char *lines = dump(report);
    if (!lines)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for the JSON report");
    const bool is_written = fputs(lines, stream) != EOF && fputc('\n', stream) != EOF && fflush(stream) == 0;
    free(lines);
    return is_written ? SST_OK : sst_fail(err, SST_ERR_OUTPUT, "the JSON report cannot be written");
}

enum sst_status sst_report_put_json(const json_t *report, struct sst_text *out, struct sst_error *err)
{
    char *lines = dump(report);
    if (!lines)
        return sst_fail(err, SST_ERR_NOMEM, "no memory for the JSON report");
    sst_text_add(out, lines);
    sst_text_add(out, "\n");
    free(lines);
    return sst_text_check(out, err);
}

/* What computes, and how much of it is there. */
static json_t *device_json(const struct sst_job *job)
{
    const struct sst_device_plan *plan = &job->device;
    const bool is_cpu = plan->devices.n == 0;
    json_t *out = json_object(), *names = json_array();
    for (size_t i = 0; i < plan->devices.n; ++i)
        json_array_append_new(names, sst_json_text(plan->devices.list[i].info.name));
    json_object_set_new(out, "kind", sst_json_text(is_cpu ? "cpu" : plan->devices.list[0].api->kind));
    json_object_set_new(out, "names", names);
    json_object_set_new(out, "mode",
                        is_cpu ? json_null() : sst_json_text(plan->is_resident ? "resident" : "streaming"));
    json_object_set_new(out, "why", sst_json_text(plan->why));
    json_object_set_new(out, "pools", is_cpu ? json_null() : sst_json_integer(plan->n_ahead));
    json_object_set_new(out, "bytes", is_cpu ? json_null() : sst_json_integer(plan->bytes));
    json_object_set_new(out, "usable_bytes", is_cpu ? json_null() : sst_json_integer(plan->usable_bytes));
    return out;
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
    json_object_set_new(out, "memory_limit_bytes",
                        job->memory_limit_bytes < UINT64_MAX ? sst_json_integer(job->memory_limit_bytes) : json_null());
    json_object_set_new(out, "passes", sst_json_integer(job->n_passes));
    json_object_set_new(out, "pass_rows", sst_json_integer(job->pass_rows));
    json_object_set_new(out, "device", device_json(job));
    return out;
}

static json_t *when(bool is_there, json_t *(*block)(const struct sst_report *, percentile_block *),
                    const struct sst_report *report, percentile_block *of)
{
    return is_there ? block(report, of) : json_null();
}

enum sst_status sst_report_make_json(const struct sst_report *report, json_t **out, struct sst_error *err)
{
    const struct sst_accuracy_findings *accuracy = report->accuracy;
    const bool is_validated = accuracy->n_sample_cells > 0;
    sst_json_watch();
    json_t *json = job_json(report->job, SST_REPORT_SCHEMA);
    json_object_set_new(json, "created", sst_json_text(report->created));
    json_object_set_new(json, "climatology_id", sst_json_text(report->climatology_id));
    json_object_set_new(json, "verdict", verdict_json(report));
    json_object_set_new(json, "read", read_json(report));
    json_object_set_new(json, "cells", sst_json_integer(accuracy->tally.n_cells));
    json_object_set_new(json, "sea_cells", sst_json_integer(accuracy->tally.n_sea_cells));
    json_object_set_new(json, "validation", validation_json(report));
    json_object_set_new(json, "bounds",
                        when(is_validated && accuracy->by_percentile[0].model, by_variable, report, bounds_block));
    json_object_set_new(json, "repair",
                        when(is_validated && report->job->options->repair, by_variable, report, repair_block));
    json_object_set_new(json, "consequences", when(is_validated, by_variable, report, consequences_block));
    json_object_set_new(json, "sampling", when(is_validated, by_variable, report, sampling_block));
    json_object_set_new(json, "error_budget", error_budget_json(report));
    json_object_set_new(json, "flags", flags_json(report));
    json_object_set_new(json, "maps", maps_json(report));
    json_object_set_new(json, "seconds", sst_json_real(report->seconds));
    json_object_set_new(json, "peak_rss_bytes", sst_json_integer(report->peak_rss_bytes));
    json_object_set_new(json, "timings", report->timings ? sst_block_timings(report->timings) : json_null());
    json_object_set_new(json, "reproduce",
                        sst_block_reproduce(report->job->options->arguments, report->job->options->n_threads));
    json_object_set_new(json, "inputs", inputs_json(report));
    if (!sst_json_is_whole()) {
        json_decref(json);
        return sst_fail(err, SST_ERR_NOMEM, "no memory for the JSON report");
    }
    *out = json;
    return SST_OK;
}

/* By what a state keeps; null where ingest would make none. */
static json_t *state_json(const struct sst_job *job)
{
    struct sst_state_bytes bytes[SST_KEEP_ALL + 1];
    if (!sst_plan_state_bytes(job, bytes))
        return json_null();
    json_t *out = json_object();
    for (int keep = 0; keep <= SST_KEEP_ALL; ++keep)
        json_object_set_new(out, sst_keep_name((enum sst_keep)keep), sst_json_integer((uint64_t)bytes[keep].all));
    return out;
}

enum sst_status sst_plan_write_json(const struct sst_job *job, FILE *stream, struct sst_error *err)
{
    sst_json_watch();
    json_t *out = job_json(job, "sststream-plan/1");
    json_object_set_new(out, "probes", sst_json_integer(job->n_probes));
    json_object_set_new(out, "scratch_bytes", sst_json_integer(job->scratch_bytes));
    json_object_set_new(out, "state_bytes", state_json(job));
    enum sst_status rc = sst_fail(err, SST_ERR_NOMEM, "no memory for the plan");
    if (sst_json_is_whole())
        rc = sst_report_print_json(out, stream, err);
    json_decref(out);
    return rc;
}
