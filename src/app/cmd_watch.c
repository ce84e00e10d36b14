/*
 * `sststream watch`: a service that counts days as their files arrive.
 *
 *   ┌▶ scan ─▶ ready files ─▶ chunks ─▶ ingest: day ─▶ room? ─▶ commit ─▶ notes durable ─▶ alerts ─▶ late? ─▶ wait ─┐
 *   └───────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * What one file or folder does never ends the service; what happens to the state does, with the exit code that it has in
 * every command, so that whoever started the service decides.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/alerts.h"
#include "app/commands.h"
#include "app/environment.h"
#include "app/ingest_job.h"
#include "app/ingest_policy.h"
#include "app/known_days.h"
#include "app/signals.h"
#include "app/watch_feeds.h"
#include "core/mem.h"
#include "monitor/inbox.h"
#include "monitor/readiness.h"

/* A catalog is no longer than this. */
enum { CHUNK_FILES = 32 };

/* Once the service is asked to end, a file that is being read may take so long. [s] */
#define PATIENCE_SECONDS 10.0

/* While a program of --on-alert runs it is looked after so often. [s] */
#define HOOK_TURN_SECONDS 0.1

struct watch {
    const struct sst_options *options;
    struct sst_state *state;
    struct sst_file_notes *notes;
    struct sst_inbox *inbox;
    struct sst_alerts alerts;
    struct sst_readiness readiness;
    struct sst_ingest_job job;
    struct sst_watch_feeds feeds;
    struct sst_options of_job; /* the same, but for how files are read */
    double asked_to_end; /* [s] when that was seen while one was; 0: not yet */
    struct sst_day newest; /* that is known */
    uint64_t min_free_bytes;
    bool lacks_room;
    char *told_trouble; /* the last that was told of folders; NULL where it is over */
};

static double monotonic(void *user)
{
    (void)user;
    return sst_monotonic_seconds();
}

static double wall(void *user)
{
    (void)user;
    return (double)time(NULL);
}

static bool knows(void *user, const char *path, struct sst_file_stamp stamp)
{
    const struct watch *watch = user;
    return sst_file_notes_knows(watch->notes, path, stamp) && !sst_watch_feeds_want(&watch->feeds, path);
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

/* A writer needs room for a slot beside the one that it replaces, and what is not the state's grows too. */
static uint64_t default_min_free(const struct sst_state_policy *policy)
{
    const double n_slots = 2.0;
    return (uint64_t)(n_slots * sst_state_bytes(policy, policy->keep, policy->n_cells).slot);
}

static enum sst_status open_state(struct watch *watch, struct sst_error *err)
{
    const struct sst_options *options = watch->options;
    struct sst_known_days known = {0};
    SST_TRY(sst_state_open(sst_os_system(), options->state, SST_STATE_WRITE, &watch->state, err));
    const struct sst_state_policy *policy = sst_state_policy(watch->state);
    if (options->is_given[SST_OPTION_ID_expect_by] && !sst_lateness_has_clock(policy->pools.kind))
        return sst_fail(err, SST_ERR_USAGE,
                        "--expect-by: days of the state's calendar, %s, cannot be held against a clock. Leave it out",
                        sst_calendar_name(policy->pools.kind));
    watch->min_free_bytes =
        options->is_given[SST_OPTION_ID_min_free] ? options->min_free_bytes : default_min_free(policy);
    const enum sst_status rc = sst_known_days_read(watch->state, &known, err);
    watch->newest = sst_known_days_newest(&known);
    sst_known_days_clear(&known);
    return rc == SST_OK ? sst_file_notes_open(watch->state, &watch->notes, err) : rc;
}

/* What has to be done now and then, however long a file takes. */
static void come_by(struct watch *watch)
{
    sst_readiness_alive(&watch->readiness, sst_monotonic_seconds());
    (void)sst_alerts_turn(&watch->alerts);
    (void)sst_watch_feeds_turn(&watch->feeds);
}

/* The day in hand is finished when the service is to end, unless its file hangs. */
static bool has_lost_patience(void *user)
{
    struct watch *watch = user;
    const double now = sst_monotonic_seconds();
    come_by(watch);
    if (!sst_signals_cancelled(NULL))
        return false;
    if (watch->asked_to_end == 0.0)
        watch->asked_to_end = now;
    return now - watch->asked_to_end >= PATIENCE_SECONDS;
}

/* A day of which a file came by, whatever became of it; those that were left out are not known. */
static void tell_day(void *user, const struct sst_ingest_news *news)
{
    struct watch *watch = user;
    come_by(watch);
    sst_watch_feeds_tell(&watch->feeds, news);
    if (news->outcome != SST_INGEST_CONFLICT && news->outcome != SST_INGEST_LEFT_OUT &&
        news->outcome != SST_INGEST_UNUSABLE && sst_day_compare(news->day, watch->newest) > 0)
        watch->newest = news->day;
}

/* Asked before a chunk is read, and before each commit: a chunk may take more than was free before it. */
static bool has_room(void *user)
{
    struct watch *watch = user;
    watch->lacks_room = !sst_alerts_check_room(&watch->alerts, sst_environment_free_bytes(watch->options->state),
                                               watch->min_free_bytes, (int64_t)time(NULL));
    return !watch->lacks_room;
}

static void hand_day(void *user, const struct sst_ingest_news *news, const struct sst_ingest_look *look,
                     const struct sst_field *field)
{
    struct watch *watch = user;
    sst_watch_feeds_hand(&watch->feeds, news, look, field);
}

static enum sst_status open_all(struct watch *watch, struct sst_error *err)
{
    const struct sst_options *options = watch->options;
    const struct sst_inbox_options inbox = {
        .folders = (const char *const *)options->inboxes,
        .n_folders = options->n_inboxes,
        .settle_seconds = options->settle_seconds,
        .now = monotonic,
        .wall = options->once ? wall : NULL,
        .knows = knows,
        .user = watch,
    };
    SST_TRY(sst_readiness_open(sst_environment_notify_socket(), sst_environment_watchdog_seconds(), &watch->readiness,
                               err));
    SST_TRY(open_state(watch, err));
    SST_TRY(sst_watch_feeds_open(options, watch->state, &watch->feeds, err));
    SST_TRY(sst_inbox_open(&inbox, &watch->inbox, err));
    SST_TRY(sst_alerts_open(options, sst_state_policy(watch->state)->pools.kind, &watch->alerts, err));
    watch->of_job = *options; /* what it points to stays main()'s */
    watch->of_job.crew.is_short = true; /* what libraries keep of a file goes with the process that read it */
    watch->of_job.crew.cancelled = has_lost_patience;
    watch->of_job.crew.cancelled_user = watch;
    watch->job = (struct sst_ingest_job){.options = &watch->of_job,
                                         .state = watch->state,
                                         .notes = watch->notes,
                                         .tell = tell_day,
                                         .may_write = has_room,
                                         .hand = options->n_feeds > 0 ? hand_day : NULL,
                                         .user = watch};
    sst_log_info(options->log, "%s: %zu folder%s watched, every %g s%s", options->state, options->n_inboxes,
                 options->n_inboxes == 1 ? " is" : "s are", options->poll_seconds,
                 sst_inbox_has_hints(watch->inbox) ? "" : "; the system tells nothing of arrivals");
    return SST_OK;
}

static void close_all(struct watch *watch)
{
    sst_readiness_say(&watch->readiness, "STOPPING=1");
    sst_alerts_close(&watch->alerts);
    sst_watch_feeds_close(&watch->feeds);
    sst_inbox_close(&watch->inbox);
    sst_file_notes_close(&watch->notes);
    sst_state_close(&watch->state);
    sst_readiness_close(&watch->readiness);
    sst_free(watch->told_trouble);
}

/* --- one cycle ---------------------------------------------------------------------------------------------------- */

/* Folders that cannot be read are told of when that begins and when it is over, not in every cycle. */
static void tell_trouble(struct watch *watch, const char *text)
{
    char *copy = NULL;
    if (text && watch->told_trouble && strcmp(text, watch->told_trouble) == 0)
        return;
    if (text)
        sst_log_warn(watch->options->log, "%s", text);
    else if (watch->told_trouble)
        sst_log_info(watch->options->log, "over: %s", watch->told_trouble);
    if (text)
        (void)!sst_strdup(text, &copy, NULL); /* without it the text is told once more */
    sst_free(watch->told_trouble);
    watch->told_trouble = copy;
}

static bool is_of_files(enum sst_status code)
{
    return code == SST_ERR_INPUT || code == SST_ERR_GRID || code == SST_ERR_TIME;
}

static int compare_held(const void *path, const void *file)
{
    return strcmp(path, ((const struct sst_held_file *)file)->path);
}

static void tell_held(struct watch *watch, const char *const *paths, size_t n_paths)
{
    const struct sst_held_file *held[CHUNK_FILES];
    size_t n_held = 0;
    if (sst_file_notes_n_held(watch->notes) == 0)
        return;
    for (size_t i = 0; i < n_paths; ++i) {
        const struct sst_held_file *file =
            bsearch(paths[i], sst_file_notes_held(watch->notes), sst_file_notes_n_held(watch->notes),
                    sizeof(struct sst_held_file), compare_held);
        if (file)
            held[n_held++] = file;
    }
    sst_alerts_held(&watch->alerts, held, n_held, (int64_t)time(NULL));
}

static enum sst_status take_chunk(struct watch *watch, const char *const *paths, size_t n_paths, struct sst_error *err)
{
    struct sst_error problem = {SST_OK, ""};
    const enum sst_status rc = sst_ingest_job_run(&watch->job, paths, n_paths, &problem);
    tell_held(watch, paths, n_paths);
    if (is_of_files(rc)) /* as of a folder that went away: they are looked at again in the next cycle */
        sst_log_warn(watch->options->log, "%s", problem.text);
    else if (rc != SST_OK && rc != SST_ERR_INTERRUPTED)
        return sst_fail(err, rc, "%s", problem.text);
    SST_TRY(sst_watch_feeds_flush(&watch->feeds, err));
    /* Where room lacks that is told, and files stay ready. */
    const bool ends = rc == SST_ERR_INTERRUPTED && !watch->lacks_room;
    return ends ? sst_fail(err, rc, "%s", problem.text) : SST_OK;
}

/* All files that are ready, for as long as there is room and nobody wants the service to end. */
static enum sst_status take_ready(struct watch *watch, struct sst_error *err)
{
    const struct sst_inbox_file *files = sst_inbox_files(watch->inbox);
    const char *paths[CHUNK_FILES];
    size_t n_paths = 0, n_left = sst_inbox_n_ready(watch->inbox);
    for (const struct sst_inbox_file *file = files; n_left > 0; ++file) {
        if (!file->is_ready)
            continue;
        paths[n_paths++] = file->path;
        if (--n_left > 0 && n_paths < CHUNK_FILES)
            continue;
        come_by(watch);
        if (sst_signals_cancelled(NULL) || !has_room(watch))
            return SST_OK;
        SST_TRY(take_chunk(watch, paths, n_paths, err));
        if (watch->lacks_room)
            return SST_OK;
        n_paths = 0;
    }
    return SST_OK;
}

static bool is_there(const struct watch *watch, const char *path)
{
    const struct sst_inbox_file *files = sst_inbox_files(watch->inbox);
    size_t low = 0, high = sst_inbox_n_files(watch->inbox);
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(path, files[middle].path);
        if (order == 0)
            return true;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return false;
}

/* Of files that are gone nothing is kept: as memory, and because somebody removed what was held back. */
static enum sst_status forget_gone(struct watch *watch, struct sst_error *err)
{
    const size_t n_files = sst_inbox_n_files(watch->inbox);
    const char **paths = NULL;
    SST_TRY(sst_alloc(n_files, sizeof *paths, "the list of files", &paths, err));
    for (size_t i = 0; i < n_files; ++i)
        paths[i] = sst_inbox_files(watch->inbox)[i].path;
    sst_file_notes_keep_only(watch->notes, paths, n_files);
    sst_free(paths);
    for (size_t i = sst_file_notes_n_held(watch->notes); i-- > 0;) {
        const char *path = sst_file_notes_held(watch->notes)[i].path;
        if (!sst_inbox_covers(watch->inbox, path) || is_there(watch, path))
            continue;
        sst_log_info(watch->options->log, "%s: was held back, and is gone", path);
        char *copy = NULL; /* the notes' own does not outlive their forgetting it */
        SST_TRY(sst_strdup(path, &copy, err));
        (void)sst_file_notes_forget(watch->notes, copy);
        sst_free(copy);
    }
    return sst_file_notes_commit(watch->notes, watch->state, err);
}

static void tell_cycle(const struct watch *watch, const size_t *before)
{
    const size_t *n = watch->job.totals.n;
    char newest[SST_DAY_TEXT_SIZE], line[128];
    size_t n_news[SST_INGEST_N_OUTCOMES], n_all = 0;
    for (int i = 0; i < SST_INGEST_N_OUTCOMES; ++i)
        n_all += n_news[i] = n[i] - before[i];
    (void)sst_day_text(sst_state_policy(watch->state)->pools.kind, watch->newest, newest);
    (void)snprintf(line, sizeof line, "STATUS=newest day %s, %zu files held back, %zu waited for", newest,
                   sst_file_notes_n_held(watch->notes), sst_inbox_n_waiting(watch->inbox));
    sst_readiness_say(&watch->readiness, line);
    if (n_all > 0)
        sst_log_info(
            watch->options->log,
            "%s: %zu days counted, %zu logged beside them, %zu known already, %zu left out; newest day %s, %zu "
            "files held back",
            watch->options->state, n_news[SST_INGEST_ADD] + n_news[SST_INGEST_REPLACE],
            n_news[SST_INGEST_LOGGED] + n_news[SST_INGEST_LOGGED_REPLACE],
            n_news[SST_INGEST_DUPLICATE] + n_news[SST_INGEST_PRELIMINARY_LATE],
            n_news[SST_INGEST_CONFLICT] + n_news[SST_INGEST_LEFT_OUT] + n_news[SST_INGEST_UNUSABLE], newest,
            sst_file_notes_n_held(watch->notes));
}

/* The day that should be there; slot 0 without --expect-by. */
static struct sst_day expected_day(const struct watch *watch)
{
    const struct sst_options *options = watch->options;
    if (!options->is_given[SST_OPTION_ID_expect_by])
        return (struct sst_day){0};
    return sst_lateness_expected(&options->expectation, sst_state_policy(watch->state)->pools.kind,
                                 (int64_t)time(NULL));
}

/* A feed that cannot be written is tried again in the next cycle; with --once there is none. */
static enum sst_status publish(struct watch *watch, struct sst_error *err)
{
    struct sst_error problem = {SST_OK, ""};
    const bool is_settled =
        sst_inbox_n_waiting(watch->inbox) == 0 && !watch->lacks_room && !sst_signals_cancelled(NULL);
    const enum sst_status rc = sst_watch_feeds_publish(&watch->feeds, expected_day(watch), is_settled, &problem);
    if (rc == SST_OK || (rc == SST_ERR_OUTPUT && !watch->options->once))
        return SST_OK;
    return sst_fail(err, rc, "%s", problem.text);
}

static enum sst_status cycle(struct watch *watch, struct sst_error *err)
{
    size_t before[SST_INGEST_N_OUTCOMES];
    memcpy(before, watch->job.totals.n, sizeof before);
    tell_trouble(watch, sst_inbox_trouble(watch->inbox));
    const enum sst_status rc = take_ready(watch, err);
    if (rc == SST_ERR_INTERRUPTED) /* what was told is in the feeds, as it is in the state */
        SST_TRY(publish(watch, err));
    SST_TRY(rc);
    if (!sst_inbox_trouble(watch->inbox))
        SST_TRY(forget_gone(watch, err));
    sst_alerts_check_late(&watch->alerts, watch->newest, (int64_t)time(NULL));
    SST_TRY(publish(watch, err));
    tell_cycle(watch, before);
    return SST_OK;
}

/* --- cycles ------------------------------------------------------------------------------------------------------- */

/* Until something arrives, the time is over, or the service is to end. */
static void wait_for(struct watch *watch, double seconds)
{
    const double end = sst_monotonic_seconds() + seconds;
    for (double now = 0.0; !sst_signals_cancelled(NULL) && (now = sst_monotonic_seconds()) < end;) {
        const double most = sst_readiness_most_wait(&watch->readiness, end - now);
        const bool has_alert = sst_alerts_turn(&watch->alerts), has_event = sst_watch_feeds_turn(&watch->feeds);
        const bool has_hook = has_alert || has_event;
        const double turn = has_hook && HOOK_TURN_SECONDS < most ? HOOK_TURN_SECONDS : most;
        sst_readiness_alive(&watch->readiness, now);
        if (sst_inbox_wait(watch->inbox, turn, sst_signals_cancel_fd()))
            return;
    }
}

static bool goes_on(void *user)
{
    come_by(user);
    return !sst_signals_cancelled(NULL);
}

static enum sst_status serve(struct watch *watch, struct sst_error *err)
{
    const struct sst_options *options = watch->options;
    while (!sst_signals_cancelled(NULL)) {
        SST_TRY(sst_inbox_scan(watch->inbox, err));
        SST_TRY(cycle(watch, err));
        const bool is_settling =
            sst_inbox_n_waiting(watch->inbox) > 0 && options->settle_seconds < options->poll_seconds;
        wait_for(watch, is_settling ? options->settle_seconds : options->poll_seconds);
    }
    return SST_OK;
}

/* One pass. A file that changed a moment ago gets the time to stand still. */
static enum sst_status serve_once(struct watch *watch, struct sst_error *err)
{
    SST_TRY(sst_inbox_scan(watch->inbox, err));
    if (sst_inbox_n_waiting(watch->inbox) > 0) {
        const double end = sst_monotonic_seconds() + watch->options->settle_seconds;
        while (!sst_signals_cancelled(NULL) && sst_monotonic_seconds() < end)
            wait_for(watch, end - sst_monotonic_seconds());
        SST_TRY(sst_inbox_scan(watch->inbox, err));
    }
    SST_TRY(cycle(watch, err));
    if (sst_signals_cancelled(NULL))
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted; what was told as committed is");
    if (watch->lacks_room)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: too little room: files were left for later", watch->options->state);
    if (sst_inbox_trouble(watch->inbox))
        return sst_fail(err, SST_ERR_INPUT, "%s", sst_inbox_trouble(watch->inbox));
    return sst_ingest_job_outcome(&watch->job, err);
}

int cmd_watch(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct watch watch = {.options = options, .readiness = {.fd = -1}};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(open_all(&watch, &err));
    sst_readiness_say(&watch.readiness, "READY=1");
    SST_TRY_GOTO(sst_watch_feeds_catch_up(&watch.feeds, goes_on, &watch, &err));
    rc = options->once ? serve_once(&watch, &err) : serve(&watch, &err);
    if (rc == SST_ERR_INTERRUPTED && !options->once)
        rc = SST_OK;
    if (rc == SST_OK && !options->once)
        sst_log_info(options->log, "%s: ended as asked; the day in hand is done", options->state);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    close_all(&watch);
    return sst_status_exit_code(rc);
}
