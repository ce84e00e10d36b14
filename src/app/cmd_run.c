/* `sststream [run]`: wires files, engine, validation, writer and report; computes nothing itself. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/environment.h"
#include "app/report.h"
#include "app/run_attributes.h"
#include "app/signals.h"
#include "core/mem.h"
#include "stream/climatology.h"
#include "validate/compare.h"
#include "validate/tally.h"
#include "write/clim_nc.h"
#include "write/place.h"

/* Everything that lives from the first field to the report. */
struct run {
    const struct sst_options *options;
    struct sst_job job;
    struct sst_progress progress;
    struct sst_reader *reader;
    struct sst_clim_file *file;
    struct sst_comparison *comparisons[SST_MAX_PERCENTILES];
    struct sst_tally *tally;
    double *at_probes; /* scratch: a percentile at the probes */
    uint16_t *probe_flags; /* scratch */
    uint8_t *beyond; /* scratch */
    int slots[SST_N_SLOTS];
    double started; /* [s] */
    char created[SST_ISO_TIME_SIZE];
};

/* --- one slot ----------------------------------------------------------------------------------------------------- */

/* Compares approximate and exact at the probes and marks those beyond the tolerance. */
static void validate_slot(struct run *run, const struct sst_slot_result *result)
{
    const size_t *probes = run->job.probes;
    for (size_t i = 0; i < result->n_probes; ++i)
        run->probe_flags[i] = result->flags[probes[i]];
    for (size_t q = 0; q < run->job.policy.n_percentiles; ++q) {
        for (size_t i = 0; i < result->n_probes; ++i)
            run->at_probes[i] = result->quantile[q][probes[i]];
        sst_comparison_add(run->comparisons[q], run->at_probes, result->probe_quantile[q], run->probe_flags,
                           run->beyond);
        for (size_t i = 0; i < result->n_probes; ++i)
            if (run->beyond[i])
                result->flags[probes[i]] |= SST_FLAG_MEASURED_BEYOND_TOLERANCE;
    }
}

static enum sst_status put_slot(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    struct run *run = user;
    if (result->n_probes > 0)
        validate_slot(run, result);
    sst_tally_add(run->tally, result->n_obs, result->flags);
    return sst_clim_put(run->file, result->slot, result->mean, result->quantile, result->n_obs, result->flags, err);
}

static void show_progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    struct run *run = user;
    sst_progress_update(&run->progress, days_done, days_total, bytes_done);
}

/* --- the stages --------------------------------------------------------------------------------------------------- */

static struct sst_clim_spec clim_spec(struct run *run)
{
    const struct sst_job *job = &run->job;
    const struct sst_clim_spec spec = {
        .path = run->options->output,
        .overwrite = run->options->overwrite,
        .split = run->options->split,
        .domain = &job->domain,
        .pools = &job->policy.pools,
        .slots = run->slots,
        .n_slots = sst_policy_output_slots(&job->policy, run->slots),
        .percentiles = job->policy.percentiles,
        .n_percentiles = job->policy.n_percentiles,
        .has_bounds = sst_climatology_has_bounds(&job->policy),
        .smooth_days = job->policy.smooth_days,
        .estimator = sst_run_estimator_text(&job->policy),
        .standard_name = job->catalog->standard_name,
        .sst_long_name_prefix = job->catalog->kind == SST_KIND_FOUNDATION ? "sea surface foundation temperature"
                                                                          : "sea surface temperature",
    };
    return spec;
}

/* No input is replaced by an output, whatever its name and whatever -O says. */
static enum sst_status refuse_input_as_output(const struct run *run, const char *output, struct sst_error *err)
{
    struct stat target, input;
    if (stat(output, &target) != 0 || S_ISDIR(target.st_mode))
        return SST_OK;
    const struct sst_sources *sources = &run->job.sources;
    for (size_t i = 0; i <= sources->n_paths; ++i) {
        const char *path = i < sources->n_paths ? sources->paths[i] : run->options->mask_path;
        if (path && stat(path, &input) == 0 && input.st_dev == target.st_dev && input.st_ino == target.st_ino)
            return sst_fail(err, SST_ERR_OUTPUT,
                            "%s: is an input of this run, so it is not replaced. Give another name", output);
    }
    return SST_OK;
}

/* Refuses, before any field is read, what cannot be written at the end. */
static enum sst_status check_outputs(const struct run *run, const struct sst_clim_spec *spec, struct sst_error *err)
{
    const struct sst_options *options = run->options;
    SST_TRY(sst_clim_check(spec, err));
    SST_TRY(refuse_input_as_output(run, options->output, err));
    if (!options->report)
        return SST_OK;
    SST_TRY(sst_place_check(options->report, options->overwrite, err));
    return refuse_input_as_output(run, options->report, err);
}

static enum sst_status open_validation(struct run *run, struct sst_error *err)
{
    const struct sst_job *job = &run->job;
    double *rows = NULL, *weights = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_tally_create(&job->domain, &run->tally, err));
    if (job->policy.approx == SST_APPROX_NONE)
        return SST_OK;
    SST_TRY(sst_alloc(job->n_probes, sizeof *run->at_probes, "probes", &run->at_probes, err));
    SST_TRY(sst_alloc(job->n_probes, sizeof *run->probe_flags, "probes", &run->probe_flags, err));
    SST_TRY(sst_alloc(job->n_probes, sizeof *run->beyond, "probes", &run->beyond, err));
    SST_TRY_GOTO(sst_alloc(job->domain.n_rows, sizeof *rows, "row weights", &rows, err));
    SST_TRY_GOTO(sst_alloc(job->n_probes, sizeof *weights, "probe weights", &weights, err));
    sst_domain_row_weights(&job->domain, rows);
    for (size_t i = 0; i < job->n_probes; ++i)
        weights[i] = rows[job->probes[i] / job->domain.n_cols];
    for (size_t q = 0; q < job->policy.n_percentiles; ++q)
        SST_TRY_GOTO(sst_comparison_create(job->n_probes, weights, run->options->tolerance, &run->comparisons[q], err));
done:
    sst_free(rows);
    sst_free(weights);
    return rc;
}

static void warn_about_job(const struct run *run)
{
    const struct sst_job *job = &run->job;
    struct sst_log *log = run->options->log;
    if (job->coverage.n_missing > 0)
        sst_log_warn(log, "baseline %d-%d: %zu of %zu days have no file", job->policy.pools.first_year,
                     job->policy.pools.last_year, job->coverage.n_missing, job->coverage.n_expected);
    if (job->policy.approx != SST_APPROX_NONE && job->n_probes == 0)
        sst_log_warn(log, "--validate: no cell of this box is a probe, so nothing is validated. Use a larger share");
    if (!job->catalog->lattice_is_exact)
        sst_log_info(
            log, "the values of these files are finer than 0.001 degC: they are rounded to it (0.0005 degC at most)");
}

static enum sst_status compute(struct run *run, struct sst_error *err)
{
    const struct sst_job *job = &run->job;
    const struct sst_clim_spec spec = clim_spec(run);
    const struct sst_reader_options reader_options = {
        .decode = sst_job_decode_options(run->options),
        .stop_on_bad = run->options->stop_on_bad,
        .keep = job->keep,
        .pools = &job->policy.pools,
        .wanted_slots = job->wanted,
        .notes = sst_log_note,
        .notes_user = run->options->log,
    };
    SST_TRY(check_outputs(run, &spec, err));
    SST_TRY(sst_log_check(run->options->log, SST_ERR_INPUT, err));
    SST_TRY(open_validation(run, err));
    SST_TRY(sst_reader_create(run->job.catalog, &job->domain, &reader_options, &run->reader, err));
    SST_TRY(sst_clim_create(&spec, &run->file, err));
    const struct sst_climatology_job engine_job = {
        .policy = &job->policy,
        .backend = sst_backend_cpu(),
        .reader = run->reader,
        .catalog = job->catalog,
        .n_cells = job->domain.n_cells,
        .probes = job->probes,
        .n_probes = job->n_probes,
    };
    const struct sst_slot_sink sink = {
        .user = run, .put = put_slot, .progress = show_progress, .cancelled = sst_signals_cancelled};
    sst_progress_begin(&run->progress, "read", "days", job->bytes_to_read);
    const enum sst_status rc = sst_climatology_run(&engine_job, &sink, err);
    sst_progress_end(&run->progress);
    return rc;
}

/* Writes the JSON report under a temporary name and renames it. */
static enum sst_status write_report_file(const struct sst_report *report, const char *path, struct sst_error *err)
{
    char *temporary = NULL;
    SST_TRY(sst_asprintf(&temporary, err, "%s.tmp.%ld", path, (long)getpid()));
    enum sst_status rc = SST_OK;
    FILE *file = fopen(temporary, "w");
    if (!file)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (rc == SST_OK)
        rc = sst_report_write_json(report, file, err);
    if (rc == SST_OK && fsync(fileno(file)) != 0)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (file && fclose(file) != 0 && rc == SST_OK)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s", path, strerror(errno));
    if (rc == SST_OK && rename(temporary, path) != 0)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be put in its place: %s", path, strerror(errno));
    if (rc != SST_OK)
        (void)unlink(temporary);
    sst_free(temporary);
    return rc;
}

static uint64_t peak_rss_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024u : 0;
}

/* The outcome of a run whose outputs are written. */
static enum sst_status verdict(const struct run *run, const struct sst_report *report, struct sst_error *err)
{
    const double worst = sst_report_worst_share(report);
    if (run->options->strict && worst > run->options->max_share)
        return sst_fail(
            err, SST_ERR_TOLERANCE,
            "%.2f %% of the probes' cell-days are beyond %g degC; --max-share allows %g %%. The outputs are "
            "written",
            100.0 * worst, run->options->tolerance, 100.0 * run->options->max_share);
    const size_t n_absent = run->job.coverage.n_missing, n_bad = sst_reader_totals(run->reader)->n_days_bad;
    const char *absent = n_absent == 1 ? "day" : "days", *bad = n_bad == 1 ? "day" : "days";
    if (n_absent > 0 && n_bad > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu %s of the baseline had no file and %zu no usable one",
                        n_absent, absent, n_bad);
    if (n_absent > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu %s of the baseline had no file", n_absent, absent);
    if (n_bad > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu %s had no usable file", n_bad, bad);
    return SST_OK;
}

static enum sst_status conclude(struct run *run, struct sst_error *err)
{
    struct sst_report report = {
        .job = &run->job,
        .reader = run->reader,
        .comparisons = run->job.policy.approx != SST_APPROX_NONE && run->job.n_probes > 0
                           ? (const struct sst_comparison *const *)run->comparisons
                           : NULL,
        .tally = sst_tally_result(run->tally),
        .created = run->created,
    };
    struct sst_run_attributes attributes = {0};
    enum sst_status rc = SST_OK;
    if (sst_reader_totals(run->reader)->n_days_read == 0) {
        rc = sst_fail(err, SST_ERR_INPUT, "no day could be read: %s: %s",
                      run->job.catalog->n_rejects ? run->job.catalog->rejects[0].path : "inputs",
                      run->job.catalog->n_rejects ? run->job.catalog->rejects[0].reason : "nothing usable");
        goto done;
    }
    SST_TRY_GOTO(sst_log_check(run->options->log, SST_ERR_INPUT, err));
    SST_TRY_GOTO(sst_run_id(&run->job, run->reader, report.climatology_id, err));
    SST_TRY_GOTO(sst_run_attributes_make(&run->job, report.climatology_id, run->created, &attributes, err));
    SST_TRY_GOTO(sst_clim_finish(&run->file, attributes.list, attributes.n, err));
    report.seconds = sst_monotonic_seconds() - run->started;
    report.peak_rss_bytes = peak_rss_bytes();
    if (sst_log_shows(run->options->log, SST_LOG_INFO))
        sst_report_print(&report, run->options->log->stream);
    if (run->options->json)
        SST_TRY_GOTO(sst_report_write_json(&report, stdout, err));
    if (run->options->report)
        SST_TRY_GOTO(write_report_file(&report, run->options->report, err));
    rc = verdict(run, &report, err);
done:
    sst_run_attributes_clear(&attributes);
    return rc;
}

static void run_clear(struct run *run)
{
    sst_clim_abandon(&run->file);
    sst_reader_destroy(&run->reader);
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q)
        sst_comparison_destroy(&run->comparisons[q]);
    sst_tally_destroy(&run->tally);
    sst_free(run->at_probes);
    sst_free(run->probe_flags);
    sst_free(run->beyond);
    sst_job_clear(&run->job);
}

int cmd_run(const struct sst_options *options)
{
    struct sst_error err = {0};
    struct run run = {.options = options, .started = sst_monotonic_seconds()};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    int64_t now = 0;
    sst_progress_init(&run.progress, options->progress, &terminal, options->log);
    sst_backend_cpu_set_threads(options->n_threads);
    enum sst_status rc = sst_output_time(&now, &err);
    if (rc == SST_OK) {
        (void)sst_iso_time(now, run.created);
        rc = sst_job_prepare(options, &run.progress, &run.job, &err);
    }
    if (rc == SST_OK) {
        warn_about_job(&run);
        rc = compute(&run, &err);
    }
    if (rc == SST_OK)
        rc = conclude(&run, &err);
    run_clear(&run);
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    if (rc == SST_ERR_INTERRUPTED)
        sst_signals_die_if_cancelled();
    return sst_status_exit_code(rc);
}
