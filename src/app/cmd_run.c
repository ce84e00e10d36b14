/* `sststream [run]`: wires files, engine, validation, writer and report; computes nothing itself. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "app/accuracy.h"
#include "app/commands.h"
#include "app/environment.h"
#include "app/job_memory.h"
#include "app/report.h"
#include "app/report_files.h"
#include "app/run_attributes.h"
#include "app/signals.h"
#include "core/mem.h"
#include "stream/climatology.h"
#include "stream/crew.h"
#include "stream/reader.h"
#include "stream/tiles.h"
#include "write/clim_nc.h"

/* Everything that lives from the first field to the report. */
struct run {
    const struct sst_options *options;
    struct sst_job job;
    struct sst_progress progress;
    struct sst_reader *reader;
    struct sst_clim_file *file;
    struct sst_accuracy *accuracy;
    struct sst_report_files report_files;
    int slots[SST_N_SLOTS];
    bool has_written; /* a slot */
    double started; /* [s] */
    struct sst_timings timings; /* of what the program does itself */
    struct sst_gpu_times device_times;
    struct sst_timings_report timings_report;
    char created[SST_ISO_TIME_SIZE];
};

/* --- what the engine gives ---------------------------------------------------------------------------------------- */

static enum sst_status write_slot(void *user, const struct sst_clim_values *values, struct sst_error *err)
{
    struct run *run = user;
    if (!run->has_written) /* what passes took is free now, and in pieces too small for the rows of the output */
        sst_environment_give_back_memory();
    run->has_written = true;
    return sst_clim_put(run->file, values, err);
}

/* Books the time since `start` on finishing, but for what was written in it. */
static void book_finish(struct run *run, double start, double written)
{
    (void)sst_timings_book(&run->timings, SST_PHASE_FINISH, start);
    run->timings.seconds[SST_PHASE_FINISH] -= run->timings.seconds[SST_PHASE_WRITE] - written;
}

static enum sst_status put_slot(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    struct run *run = user;
    const struct sst_slot_writer writer = {run, write_slot};
    const double start = sst_timings_now(), written = run->timings.seconds[SST_PHASE_WRITE];
    const enum sst_status rc = sst_accuracy_put(run->accuracy, result, &writer, err);
    book_finish(run, start, written);
    return rc;
}

static void see_day(void *user, struct sst_day day, const struct sst_field *field)
{
    const struct run *run = user;
    sst_accuracy_day(run->accuracy, day, field);
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
        .coverages = run->options->coverages,
        .n_coverages = sst_approx_has_moments(job->policy.approx) ? run->options->n_coverages : 0,
        .smooth_days = job->policy.smooth_days,
        .estimator = sst_run_estimator_text(&job->policy),
        .standard_name = job->catalog->standard_name,
        .sst_long_name_prefix = job->catalog->kind == SST_KIND_FOUNDATION ? "sea surface foundation temperature"
                                                                          : "sea surface temperature",
        .deflate_level = run->options->deflate_level,
        .n_threads = sst_job_writer_threads(run->options),
        .timings = &run->timings,
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
    const struct sst_report_files *report = &run->report_files;
    const char *const reports[] = {report->json, report->page};
    SST_TRY(sst_clim_check(spec, err));
    SST_TRY(refuse_input_as_output(run, run->options->output, err));
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; ++i) {
        if (reports[i] && strcmp(reports[i], run->options->output) == 0)
            return sst_fail(err, SST_ERR_USAGE,
                            "--report %.200s: the climatology is written to %.200s. Give another name",
                            run->options->report, reports[i]);
        if (reports[i])
            SST_TRY(refuse_input_as_output(run, reports[i], err));
    }
    return report->json ? sst_report_files_check(report, err) : SST_OK;
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

/* A run that is to tell of itself in full. */
static bool wants_report(const struct sst_options *options) { return options->report || options->json; }

/* Slots that waited for the error model are finished and written. */
static enum sst_status finish_slots(struct run *run, struct sst_error *err)
{
    const struct sst_slot_writer writer = {run, write_slot};
    const double start = sst_timings_now(), written = run->timings.seconds[SST_PHASE_WRITE];
    const enum sst_status rc = sst_accuracy_finish(run->accuracy, &writer, err);
    book_finish(run, start, written);
    return rc;
}

/* In one piece, or in tiles whose scratch lies in the folder of the output. */
static enum sst_status run_engine(const struct run *run, const struct sst_climatology_job *engine_job,
                                  const struct sst_slot_sink *sink, struct sst_error *err)
{
    const struct sst_job *job = &run->job;
    const struct sst_tiles tiles = {job->n_passes, job->pass_rows};
    char *folder = NULL;
    if (job->n_passes == 1)
        return sst_climatology_run(engine_job, sink, err);
    SST_TRY(sst_job_scratch_folder(job, &folder, err));
    const enum sst_status rc = sst_tiles_run(engine_job, &job->domain, tiles, folder, sink, err);
    sst_free(folder);
    return rc;
}

static enum sst_status compute(struct run *run, struct sst_error *err)
{
    const struct sst_job *job = &run->job;
    const struct sst_clim_spec spec = clim_spec(run);
    const struct sst_reader_options reader_options = {
        .decode = sst_job_decode_options(run->options),
        .stop_on_bad = run->options->stop_on_bad,
        .keep = job->keep,
        .crew = sst_job_crew(run->options),
        .devices = &job->device.devices,
        .pools = &job->policy.pools,
        .wanted_slots = job->wanted,
        .notes = sst_log_note,
        .notes_user = run->options->log,
        .details = sst_log_detail,
        .details_user = run->options->log,
    };
    SST_TRY(check_outputs(run, &spec, err));
    SST_TRY(sst_log_check(run->options->log, SST_ERR_INPUT, err));
    SST_TRY(
        sst_accuracy_create(job, run->slots, (size_t)spec.n_slots, wants_report(run->options), &run->accuracy, err));
    SST_TRY(sst_reader_create(run->job.catalog, &job->domain, &reader_options, &run->reader, err));
    SST_TRY(sst_clim_create(&spec, &run->file, err));
    const struct sst_climatology_job engine_job = {
        .policy = &job->policy,
        .backend = sst_backend_cpu(),
        .source = sst_reader_source(run->reader),
        .n_cells = job->domain.n_cells,
        .probes = job->probes,
        .n_probes = job->n_probes,
        .wants_shape = sst_accuracy_wants_shape(run->accuracy),
        .timings = &run->timings,
        .devices = &job->device.devices,
        .n_ahead = job->device.n_ahead,
        .is_resident = job->device.is_resident,
        .device_times = &run->device_times,
    };
    const struct sst_slot_sink sink = {
        .user = run,
        .put = put_slot,
        .field = see_day,
        .progress = show_progress,
        .cancelled = sst_signals_cancelled,
    };
    sst_progress_begin(&run->progress, "read", "days", job->bytes_to_read);
    const enum sst_status rc = run_engine(run, &engine_job, &sink, err);
    sst_progress_end(&run->progress);
    SST_TRY(rc);
    return finish_slots(run, err);
}

/* The most of this process, and what the readers, which live, have for themselves. */
static uint64_t peak_rss_bytes(const struct sst_options *options)
{
    struct rusage usage;
    int pids[SST_CREW_MAX_READERS];
    const int n_pids = options->crew.crew ? sst_crew_pids(options->crew.crew, pids, SST_CREW_MAX_READERS) : 0;
    const uint64_t own = getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024u : 0;
    return own + sst_environment_private_bytes(pids, n_pids);
}

/* The outcome of a run whose outputs are written. */
static enum sst_status outcome(const struct run *run, const struct sst_report *report, struct sst_error *err)
{
    const struct sst_verdict verdict = sst_report_verdict(report);
    if (run->options->strict && verdict.is_judged && !verdict.passes)
        return sst_fail(
            err, SST_ERR_TOLERANCE,
            "%.2f %% of the probes' cell-days are beyond %g degC; --max-share allows %g %%. The outputs are "
            "written",
            100.0 * verdict.worst.value, run->options->tolerance, 100.0 * run->options->max_share);
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

static void warn_about_bound(const struct run *run, const char *name, size_t n_cells, double attainable, bool all)
{
    const char *remedy = all && n_cells == 0 ? "Give files of more years, or a smaller --min-samples"
                         : all               ? "No cell is left to compare: use --exact, or a smaller --coverage"
                                             : "Use a larger --validate, or a smaller --coverage";
    if (attainable > 0.0)
        sst_log_warn(run->options->log,
                     "%s is left empty: %zu probe%s with values allow bounds that cover at most %.3g %%. %s", name,
                     n_cells, n_cells == 1 ? "" : "s", 100.0 * attainable, remedy);
    else
        sst_log_warn(run->options->log, "%s is left empty: %zu probe%s with values allow no bounds. %s", name, n_cells,
                     n_cells == 1 ? "" : "s", remedy);
}

/* Few or no probes: what is then missing from the outputs. */
static void warn_about_bounds(const struct run *run, const struct sst_accuracy_findings *found)
{
    for (size_t q = 0; q < run->job.policy.n_percentiles; ++q) {
        const struct sst_error_model *model = found->by_percentile[q].model;
        if (!model)
            continue;
        const struct sst_error_findings *findings = sst_error_model_findings(model);
        for (size_t i = 0; i < findings->n_levels; ++i) {
            const struct sst_level_findings *level = &findings->levels[i];
            char name[SST_CLIM_NAME_SIZE];
            if (!level->is_available)
                warn_about_bound(run, sst_clim_bound_name(run->job.policy.percentiles[q], level->level, name),
                                 findings->n_cells, level->attainable, found->all_validated);
        }
    }
}

/* Probes that are all land, or have too few values, say nothing: no verdict, and no reason to believe that there is one. */
static void warn_about_verdict(const struct run *run, const struct sst_report *report)
{
    if (report->accuracy->n_sample_cells > 0 && !sst_report_verdict(report).is_judged)
        sst_log_warn(run->options->log,
                     "--validate: no probe of %zu has a value, so nothing is validated. Use a larger share or box",
                     run->job.n_probes);
}

static const struct sst_timings_report *timings_report(struct run *run)
{
    struct sst_timings_report *out = &run->timings_report;
    const struct sst_reader_totals *totals = sst_reader_totals(run->reader);
    *out = (struct sst_timings_report){.readers = run->job.catalog->timings,
                                       .program = run->timings,
                                       .device = run->device_times,
                                       .n_devices = run->job.device.devices.n,
                                       .wall_seconds = sst_monotonic_seconds() - run->started,
                                       .n_readers = run->options->crew.crew ? run->options->n_readers : 0,
                                       .n_threads = run->options->n_threads,
                                       .n_fields = totals->n_steps_decoded,
                                       .n_cells = run->job.domain.n_cells,
                                       .bytes_read = totals->bytes_read,
                                       .n_reader_deaths = run->job.catalog->n_reader_deaths + totals->n_reader_deaths};
    sst_timings_add(&out->readers, &totals->timings);
    sst_timings_add(&out->program, &run->job.timings);
    if (out->n_readers > 0)
        return out;
    sst_timings_add(&out->program, &out->readers);
    out->program.seconds[SST_PHASE_WAIT] = 0.0;
    out->readers = (struct sst_timings){{0.0}};
    return out;
}

/* Everything is written under temporary names first, and takes its place only when all of it is there. */
static enum sst_status write_outputs(struct run *run, struct sst_report *report, struct sst_error *err)
{
    struct sst_run_attributes attributes = {0};
    struct sst_text verdict = {0};
    json_t *json = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_run_id(&run->job, run->reader, report->climatology_id, err));
    SST_TRY_GOTO(sst_run_attributes_make(&run->job, report->climatology_id, run->created, &attributes, err));
    SST_TRY_GOTO(sst_report_verdict_text(report, &verdict, err));
    report->verdict = verdict.data ? verdict.data : "";
    report->seconds = sst_monotonic_seconds() - run->started;
    report->peak_rss_bytes = peak_rss_bytes(run->options);
    report->timings = timings_report(run);
    if (wants_report(run->options))
        SST_TRY_GOTO(sst_report_make_json(report, &json, err));
    if (run->options->report)
        SST_TRY_GOTO(sst_report_files_stage(&run->report_files, json, err));
    SST_TRY_GOTO(sst_clim_finish(&run->file, attributes.list, attributes.n, err));
    SST_TRY_GOTO(sst_report_files_commit(&run->report_files, err));
    report->timings = timings_report(run); /* with the end of writing, which the JSON could not wait for */
    if (sst_log_shows(run->options->log, SST_LOG_INFO))
        sst_report_print(report, run->options->log->stream);
    if (run->options->json)
        SST_TRY_GOTO(sst_report_print_json(json, stdout, err));
done:
    json_decref(json);
    sst_text_clear(&verdict);
    sst_run_attributes_clear(&attributes);
    return rc;
}

static enum sst_status conclude(struct run *run, struct sst_error *err)
{
    struct sst_report report = {.job = &run->job, .reader = run->reader, .created = run->created};
    if (sst_reader_totals(run->reader)->n_days_read == 0)
        return sst_fail(err, SST_ERR_INPUT, "no day could be read: %s: %s",
                        run->job.catalog->n_rejects ? run->job.catalog->rejects[0].path : "inputs",
                        run->job.catalog->n_rejects ? run->job.catalog->rejects[0].reason : "nothing usable");
    SST_TRY(sst_accuracy_conclude(run->accuracy, &report.accuracy, err));
    warn_about_verdict(run, &report);
    warn_about_bounds(run, report.accuracy);
    SST_TRY(sst_log_check(run->options->log, SST_ERR_INPUT, err));
    SST_TRY(write_outputs(run, &report, err));
    return outcome(run, &report, err);
}

static void run_clear(struct run *run)
{
    sst_clim_abandon(&run->file);
    sst_report_files_clear(&run->report_files);
    sst_reader_destroy(&run->reader);
    sst_accuracy_destroy(&run->accuracy);
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
    if (rc == SST_OK && options->report)
        rc = sst_report_files_name(options->report, options->overwrite, &run.report_files, &err);
    if (rc == SST_OK) {
        (void)sst_iso_time(now, run.created);
        rc = sst_job_prepare(options, &run.progress, &run.job, &err);
    }
    if (rc == SST_OK)
        rc = sst_job_test_devices(&run.job, &err);
    if (rc == SST_OK) {
        warn_about_job(&run);
        rc = compute(&run, &err);
    }
    if (rc == SST_OK)
        rc = conclude(&run, &err);
    run_clear(&run);
    if (rc == SST_ERR_DEVICE)
        sst_device_add_remedy(&err);
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    if (rc == SST_ERR_INTERRUPTED)
        sst_signals_die_if_cancelled();
    return sst_status_exit_code(rc);
}
