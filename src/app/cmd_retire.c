/* `sststream retire`: wires a state and old files, and says what became of the days. */
#include "app/commands.h"
#include "app/ingest_policy.h"
#include "app/job.h"
#include "app/options.h"
#include "app/signals.h"
#include "state/state_join.h"
#include "stream/source.h"

struct command {
    const struct sst_options *options;
    struct sst_sources sources; /* --old */
    struct sst_catalog *old;
    struct sst_state *state;
    struct sst_progress progress;
    struct sst_retire_totals totals;
};

static void show_progress(void *user, size_t done, size_t total) { sst_progress_update(user, done, total, 0); }

static enum sst_status retire(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    const struct sst_reader_options reader = {
        .decode = sst_job_decode_options(options),
        .crew = sst_job_crew(options),
        .notes = sst_log_note,
        .notes_user = options->log,
        .details = sst_log_detail,
        .details_user = options->log,
    };
    struct sst_retire_options how = {
        .choose_probes = sst_ingest_choose_probes,
        .old = command->old,
        .reader = &reader,
        .watch = {show_progress, sst_signals_cancelled, &command->progress},
    };
    if (options->is_given[SST_OPTION_ID_years]) {
        how.first_year = options->archive.first_year;
        how.last_year = options->archive.last_year;
    }
    if (options->is_given[SST_OPTION_ID_baseline]) {
        how.first_baseline_year = options->first_year;
        how.last_baseline_year = options->last_year;
    }
    sst_progress_begin(&command->progress, "retire", "slots", 0);
    const enum sst_status rc =
        sst_state_retire(sst_os_system(), command->state, &how, options->output, &command->totals, err);
    sst_progress_end(&command->progress);
    return rc;
}

static void tell(const struct command *command)
{
    const struct sst_options *options = command->options;
    const struct sst_retire_totals *n = &command->totals;
    sst_log_info(options->log,
                 "%s: %zu days are counted as before, %zu no longer, %zu moved into the log of days outside the "
                 "baseline, %zu out of it",
                 options->output, n->n_kept, n->n_retired, n->n_logged, n->n_counted);
    if (options->is_given[SST_OPTION_ID_years] && n->n_retired == 0)
        sst_log_warn(options->log, "--years %04d-%04d: %s counted no day of these years", options->archive.first_year,
                     options->archive.last_year, options->state);
    if (n->n_wanting > 0)
        sst_log_warn(options->log,
                     "%zu day%s come%s into the baseline, and the values are not at hand: ingest %s files again",
                     n->n_wanting, n->n_wanting == 1 ? "" : "s", n->n_wanting == 1 ? "s" : "",
                     n->n_wanting == 1 ? "its" : "their");
}

int cmd_retire(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct command command = {.options = options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    enum sst_status rc = SST_OK;
    sst_progress_init(&command.progress, options->progress, &terminal, options->log);
    SST_TRY_GOTO(sst_state_open(sst_os_system(), options->state, SST_STATE_READ, &command.state, &err));
    if (options->n_old > 0)
        SST_TRY_GOTO(sst_job_scan(options, options->old, options->n_old, &command.progress, &command.sources,
                                  &command.old, &err));
    SST_TRY_GOTO(sst_log_check(options->log, SST_ERR_INPUT, &err));
    SST_TRY_GOTO(retire(&command, &err));
    tell(&command);
    rc = sst_log_check(options->log, SST_ERR_STATE, &err);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_state_close(&command.state);
    sst_catalog_destroy(&command.old);
    sst_sources_clear(&command.sources);
    return sst_status_exit_code(rc);
}
