/* `sststream compare A.nc B.nc`: how two climatologies differ, and what that does to heatwaves. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "app/commands.h"
#include "app/compare_findings.h"
#include "app/compare_json.h"
#include "app/environment.h"
#include "app/report.h"
#include "app/report_files.h"
#include "app/signals.h"
#include "core/mem.h"
#include "write/place.h"

static bool is_same_file(const char *path, const char *other)
{
    struct stat target, input;
    return stat(path, &target) == 0 && stat(other, &input) == 0 && target.st_dev == input.st_dev &&
           target.st_ino == input.st_ino;
}

/* Nothing that is compared, or named for its daily values, is replaced by the report on it. */
static enum sst_status check_place(const struct sst_options *options, const char *path, struct sst_error *err)
{
    SST_TRY(sst_place_check(path, options->overwrite, err));
    for (size_t i = 0; i < options->n_inputs; ++i)
        if (is_same_file(path, options->inputs[i]))
            return sst_fail(err, SST_ERR_OUTPUT,
                            "%s: is one of the climatologies, so it is not replaced. Give another name", path);
    for (size_t i = 0; i < options->n_detect; ++i)
        if (is_same_file(path, options->detect[i]))
            return sst_fail(err, SST_ERR_OUTPUT,
                            "%s: is an input of --detect, so it is not replaced. Give another name", path);
    return SST_OK;
}

static enum sst_status check_report(const struct sst_options *options, struct sst_report_files *files,
                                    struct sst_error *err)
{
    SST_TRY(sst_report_files_name(options->report, options->overwrite, files, err));
    SST_TRY(check_place(options, files->json, err));
    return files->page ? check_place(options, files->page, err) : SST_OK;
}

static enum sst_status compute(const struct sst_options *options, struct sst_progress *progress,
                               struct sst_compare *compare, struct sst_error *err)
{
    SST_TRY(sst_compare_open(options, progress, compare, err));
    SST_TRY(sst_log_check(options->log, SST_ERR_INPUT, err));
    SST_TRY(sst_compare_read(compare, err));
    if (options->n_detect > 0)
        SST_TRY(sst_compare_detect(compare, err));
    return sst_log_check(options->log, SST_ERR_INPUT, err);
}

static enum sst_status say(const struct sst_compare *compare, struct sst_report_files *files, struct sst_error *err)
{
    const struct sst_options *options = compare->options;
    json_t *json = NULL;
    enum sst_status rc = SST_OK;
    if (!options->json)
        sst_compare_print(compare, stdout);
    if (!options->json && !options->report)
        return SST_OK;
    SST_TRY_GOTO(sst_compare_make_json(compare, &json, err));
    if (options->json)
        SST_TRY_GOTO(sst_report_print_json(json, stdout, err));
    if (options->report)
        SST_TRY_GOTO(sst_report_files_stage(files, json, err));
    rc = sst_report_files_commit(files, err);
done:
    json_decref(json);
    return rc;
}

/* The outcome of a comparison whose outputs are written. */
static enum sst_status conclude(const struct sst_compare *compare, struct sst_error *err)
{
    const struct sst_compared_field *field = NULL;
    const struct sst_options *options = compare->options;
    const double worst = sst_compare_worst_share(compare, &field);
    if (options->strict && worst > options->max_share)
        return sst_fail(err, SST_ERR_TOLERANCE,
                        "%s: %.2f %% of the area's cell-days are apart by more than %g degC; --max-share allows %g %%",
                        field->name, 100.0 * worst, options->tolerance, 100.0 * options->max_share);
    if (compare->daily.n_days_bad > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s of --detect had no usable file",
                        compare->daily.n_days_bad, compare->daily.n_days_bad == 1 ? "" : "s");
    return SST_OK;
}

int cmd_compare(const struct sst_options *options)
{
    const double started = sst_monotonic_seconds();
    struct sst_error err = {SST_OK, ""};
    struct sst_compare compare = {0};
    struct sst_report_files files = {0};
    struct sst_progress progress;
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    char created[SST_ISO_TIME_SIZE];
    int64_t now = 0;
    enum sst_status rc = SST_OK;
    sst_progress_init(&progress, options->progress, &terminal, options->log);
    SST_TRY_GOTO(sst_output_time(&now, &err));
    if (options->report)
        SST_TRY_GOTO(check_report(options, &files, &err));
    SST_TRY_GOTO(compute(options, &progress, &compare, &err));
    (void)snprintf(compare.created, sizeof compare.created, "%s", sst_iso_time(now, created));
    compare.seconds = sst_monotonic_seconds() - started;
    SST_TRY_GOTO(say(&compare, &files, &err));
    rc = conclude(&compare, &err);
done:
    sst_report_files_clear(&files);
    sst_compare_clear(&compare);
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    if (rc == SST_ERR_INTERRUPTED)
        sst_signals_die_if_cancelled();
    return sst_status_exit_code(rc);
}
