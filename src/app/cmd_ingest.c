/* `sststream ingest`: wires files and a state, and tells what becomes of each day. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/ingest_policy.h"
#include "app/job.h"
#include "app/job_memory.h"
#include "app/options.h"
#include "app/signals.h"
#include "state/ingest.h"
#include "stream/source.h"
#include "stream/steps.h"

/* Files and their catalog. */
struct inputs {
    struct sst_sources sources;
    struct sst_catalog *catalog;
};

struct command {
    const struct sst_options *options;
    struct inputs new, old;
    struct sst_state *state;
    struct sst_progress progress;
    struct sst_ingest_totals totals;
    size_t n_rejects_told;
};

/* --- files -------------------------------------------------------------------------------------------------------- */

static void scan_progress(void *user, size_t done, size_t total) { sst_progress_update(user, done, total, 0); }

static enum sst_status scan(struct command *command, char *const *paths, size_t n_paths, struct inputs *out,
                            struct sst_error *err)
{
    const struct sst_options *options = command->options;
    const struct sst_catalog_options catalog_options = {
        .decode = sst_job_decode_options(options),
        .crew = sst_job_crew(options),
        .stop_on_bad = options->stop_on_bad,
        .notes = sst_log_note,
        .notes_user = options->log,
        .progress = scan_progress,
        .progress_user = &command->progress,
    };
    SST_TRY(sst_sources_find((const char *const *)paths, n_paths, &out->sources, err));
    sst_progress_begin(&command->progress, "scan", "files", 0);
    const enum sst_status rc = sst_catalog_scan((const char *const *)out->sources.paths, out->sources.n_paths,
                                                &catalog_options, &out->catalog, err);
    sst_progress_end(&command->progress);
    return rc;
}

/* --- a new state -------------------------------------------------------------------------------------------------- */

/* Cells with values in the first field that can be read; all of the grid where there is none. */
static enum sst_status count_sea(const struct command *command, size_t *n_items, struct sst_error *err)
{
    const struct sst_catalog *catalog = command->new.catalog;
    const struct sst_reader_options options = {
        .decode = sst_job_decode_options(command->options), .crew = sst_job_crew(command->options), .cache_bytes = 1};
    struct sst_error problem = {SST_OK, ""};
    struct sst_steps *steps = NULL;
    struct sst_step *step = NULL;
    struct sst_domain domain;
    sst_domain_all(catalog->grid, &domain);
    *n_items = domain.n_cells;
    SST_TRY(sst_steps_create(catalog, &domain, &options, &steps, err));
    enum sst_status rc = sst_steps_take(steps, 0, &step, &problem);
    if (rc == SST_OK) {
        *n_items = 0;
        for (size_t cell = 0; cell < domain.n_cells; ++cell)
            *n_items += step->codes[cell] != SST_CODE_MISSING;
        sst_steps_give_back(steps, &step);
    }
    sst_steps_destroy(&steps);
    return sst_status_is_of_the_run(rc) ? sst_fail(err, rc, "%s", problem.text) : SST_OK;
}

static enum sst_status tell_size(const struct command *command, const struct sst_state_policy *policy,
                                 struct sst_error *err)
{
    char slot[SST_KEEP_ALL + 1][SST_SIZE_TEXT], all[SST_KEEP_ALL + 1][SST_SIZE_TEXT];
    size_t n_items = 0;
    if (!sst_log_shows(command->options->log, SST_LOG_INFO))
        return SST_OK;
    SST_TRY(count_sea(command, &n_items, err));
    for (int keep = 0; keep <= SST_KEEP_ALL; ++keep) {
        const struct sst_state_bytes bytes = sst_state_bytes(policy, (enum sst_keep)keep, n_items);
        (void)sst_size_text((uint64_t)bytes.slot, true, slot[keep]);
        (void)sst_size_text((uint64_t)bytes.all, true, all[keep]);
    }
    sst_log_info(
        command->options->log,
        "%s: a new state, which keeps %s. With every day counted and before compression a calendar day takes %s, all "
        "of them %s with --keep none; %s and %s with probes; %s and %s with all",
        command->options->state, sst_keep_name(policy->keep), slot[SST_KEEP_NONE], all[SST_KEEP_NONE],
        slot[SST_KEEP_PROBES], all[SST_KEEP_PROBES], slot[SST_KEEP_ALL], all[SST_KEEP_ALL]);
    return SST_OK;
}

static enum sst_status make_state(struct command *command, struct sst_error *err)
{
    struct sst_state_policy policy;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_ingest_policy(command->options, command->new.catalog, &policy, err));
    SST_TRY_GOTO(tell_size(command, &policy, err));
    SST_TRY_GOTO(sst_state_begin(sst_os_system(), command->options->state, &policy, &command->state, err));
    SST_TRY_GOTO(sst_state_finish(command->state, err));
done:
    sst_state_policy_clear(&policy);
    return rc;
}

/* The state is opened before files are looked at: where another writer has it, that is said at once. */
static enum sst_status open_and_scan(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    const bool is_there = access(options->state, F_OK) == 0;
    if (is_there) {
        SST_TRY(sst_state_open(sst_os_system(), options->state, SST_STATE_WRITE, &command->state, err));
        SST_TRY(sst_ingest_policy_agrees(options, sst_state_policy(command->state), err));
    } else if (!options->is_given[SST_OPTION_ID_baseline]) {
        return sst_fail(
            err, SST_ERR_USAGE,
            "--state %.200s: there is none yet, and to make one its years have to be said: nothing else can be "
            "counted into it later. Give --baseline Y1-Y2",
            options->state);
    }
    SST_TRY(scan(command, options->inputs, options->n_inputs, &command->new, err));
    if (options->n_old > 0)
        SST_TRY(scan(command, options->old, options->n_old, &command->old, err));
    SST_TRY(sst_log_check(options->log, SST_ERR_INPUT, err));
    return is_there ? SST_OK : make_state(command, err);
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

static const char *day_text(const struct command *command, struct sst_day day, char *text)
{
    return sst_day_text(sst_state_policy(command->state)->pools.kind, day, text);
}

static void tell_committed(const struct command *command, const struct sst_ingest_news *news)
{
    char day[SST_DAY_TEXT_SIZE];
    sst_log_wipe_bar(command->options->log);
    (void)printf("committed %s\n", day_text(command, news->day, day));
    (void)fflush(stdout); /* whoever reads may act on it now; main() looks whether it arrived */
    if (news->outcome == SST_INGEST_REPLACE)
        sst_log_info(command->options->log, "%s: replaced by %s", day, news->path);
}

/* Of what is no fault the first of a kind is shown, the rest counted in the summary. */
static void tell_passed_over(const struct command *command, const struct sst_ingest_news *news)
{
    static const char *const texts[SST_INGEST_N_OUTCOMES] = {
        [SST_INGEST_DUPLICATE] = "counted already, with the same values",
        [SST_INGEST_PRELIMINARY_WAITS] = "preliminary: it is not counted, its final file will be",
        [SST_INGEST_PRELIMINARY_LATE] = "preliminary, and a final one is counted already",
        [SST_INGEST_OUTSIDE] = "in no pool of the baseline, so it is not counted",
    };
    char day[SST_DAY_TEXT_SIZE];
    const bool is_first = command->totals.n[news->outcome] == 1 && news->outcome != SST_INGEST_DUPLICATE;
    (is_first ? sst_log_info : sst_log_debug)(command->options->log, "%s: %s (%s)%s", news->path, texts[news->outcome],
                                              day_text(command, news->day, day),
                                              is_first ? "; more of this kind are only counted" : "");
}

static void tell_day(void *user, const struct sst_ingest_news *news)
{
    const struct command *command = user;
    char day[SST_DAY_TEXT_SIZE];
    switch (news->outcome) {
    case SST_INGEST_ADD:
    case SST_INGEST_REPLACE:
        tell_committed(command, news);
        break;
    case SST_INGEST_CONFLICT:
    case SST_INGEST_LEFT_OUT:
        sst_log_warn(command->options->log, "%s: %s left out: %s", news->path, day_text(command, news->day, day),
                     news->reason);
        break;
    case SST_INGEST_UNUSABLE:
        sst_log_warn(command->options->log, "%s: no usable file", day_text(command, news->day, day));
        break;
    default:
        tell_passed_over(command, news);
    }
}

static void tell_rejects(struct command *command)
{
    const struct sst_catalog *catalog = command->new.catalog;
    for (; command->n_rejects_told < catalog->n_rejects; ++command->n_rejects_told) {
        const struct sst_reject *reject = &catalog->rejects[command->n_rejects_told];
        sst_log_warn(command->options->log, "%s: %s", reject->path, reject->reason);
    }
}

static void tell_totals(const struct command *command)
{
    const size_t *n = command->totals.n;
    sst_log_info(
        command->options->log,
        "%s: %zu days committed (%zu in place of others), %zu counted already, %zu preliminary, %zu outside the "
        "baseline, %zu left out",
        command->options->state, n[SST_INGEST_ADD] + n[SST_INGEST_REPLACE], n[SST_INGEST_REPLACE],
        n[SST_INGEST_DUPLICATE], n[SST_INGEST_PRELIMINARY_WAITS] + n[SST_INGEST_PRELIMINARY_LATE],
        n[SST_INGEST_OUTSIDE], n[SST_INGEST_CONFLICT] + n[SST_INGEST_LEFT_OUT] + n[SST_INGEST_UNUSABLE]);
}

static void show_progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    struct command *command = user;
    sst_progress_update(&command->progress, days_done, days_total, bytes_done);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static enum sst_status ingest(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    const struct sst_reader_options reader = {
        .decode = sst_job_decode_options(options),
        .stop_on_bad = options->stop_on_bad,
        .crew = sst_job_crew(options),
        .notes = sst_log_note,
        .notes_user = options->log,
        .details = sst_log_detail,
        .details_user = options->log,
    };
    const struct sst_ingest_options ingest_options = {
        .replaces = options->replaces,
        .accept_product = options->accept_product,
        .accept_stale = options->accept_stale,
        .accept_jump = options->accept_jump,
        .old = command->old.catalog,
        .tell = tell_day,
        .cancelled = sst_signals_cancelled,
        .progress = show_progress,
        .user = command,
    };
    sst_progress_begin(&command->progress, "ingest", "days", 0);
    const enum sst_status rc =
        sst_ingest(command->state, command->new.catalog, &reader, &ingest_options, &command->totals, err);
    sst_progress_end(&command->progress);
    return rc;
}

/* Days that were to be counted and are not. */
static enum sst_status outcome(const struct command *command, struct sst_error *err)
{
    const size_t *n = command->totals.n;
    const size_t n_out = n[SST_INGEST_CONFLICT] + n[SST_INGEST_LEFT_OUT] + n[SST_INGEST_UNUSABLE];
    const size_t n_rejects = command->new.catalog->n_rejects;
    if (n_out == 0 && n_rejects == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s left out, and %zu file%s could not be used", n_out,
                    n_out == 1 ? " was" : "s were", n_rejects, n_rejects == 1 ? "" : "s");
}

int cmd_ingest(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct command command = {.options = options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    enum sst_status rc = SST_OK;
    sst_progress_init(&command.progress, options->progress, &terminal, options->log);
    SST_TRY_GOTO(open_and_scan(&command, &err));
    tell_rejects(&command);
    rc = ingest(&command, &err);
    tell_rejects(&command);
    tell_totals(&command);
    if (rc == SST_OK)
        rc = outcome(&command, &err);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_state_close(&command.state);
    sst_catalog_destroy(&command.new.catalog);
    sst_catalog_destroy(&command.old.catalog);
    sst_sources_clear(&command.new.sources);
    sst_sources_clear(&command.old.sources);
    return sst_status_exit_code(rc);
}
