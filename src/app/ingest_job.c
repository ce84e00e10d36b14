/* Files scanned, taken in, told of and noted: what `ingest`, `watch` and `quarantine` have in common. */
#include "app/ingest_job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/environment.h"
#include "app/ingest_news.h"
#include "app/job.h"
#include "app/signals.h"
#include "core/mem.h"

/* A path as it was before it was looked at: what changes later is a new file. */
struct stamped {
    const char *path; /* borrowed */
    struct sst_file_stamp stamp;
    bool is_there;
};

/* What is to be noted of a file of the catalog. */
struct fate {
    bool is_held;
    enum sst_held_reason reason;
    struct sst_day day;
    char *text;
};

/* One catalog at work. */
struct round {
    struct sst_ingest_job *job;
    struct sst_catalog *catalog;
    const struct stamped *stamps; /* by path */
    size_t n_stamps;
    struct fate *fates; /* by file of the catalog */
    struct sst_progress *progress;
    enum sst_status failed; /* telling cannot fail, so its failure waits here */
    size_t n_rejects_told;
};

/* --- stamps ------------------------------------------------------------------------------------------------------- */

static int compare_stamped(const void *a, const void *b)
{
    const struct stamped *x = a, *y = b;
    return strcmp(x->path, y->path);
}

static struct stamped stamp_of(const char *path)
{
    const int64_t ns_per_s = 1000000000;
    struct stat status;
    struct stamped out = {.path = path, .is_there = stat(path, &status) == 0};
    if (out.is_there)
        out.stamp = (struct sst_file_stamp){(int64_t)status.st_size,
                                            (int64_t)status.st_mtim.tv_sec * ns_per_s + status.st_mtim.tv_nsec};
    return out;
}

static enum sst_status stamp_all(const char *const *paths, size_t n, struct stamped **out, struct sst_error *err)
{
    SST_TRY(sst_alloc(n, sizeof **out, "the list of files", out, err));
    for (size_t i = 0; i < n; ++i)
        (*out)[i] = stamp_of(paths[i]);
    if (n > 0)
        qsort(*out, n, sizeof **out, compare_stamped);
    return SST_OK;
}

/* NULL for a file that was gone when it was to be looked at. */
static const struct stamped *find_stamp(const struct round *round, const char *path)
{
    const struct stamped wanted = {.path = path};
    if (round->n_stamps == 0)
        return NULL;
    const struct stamped *found =
        bsearch(&wanted, round->stamps, round->n_stamps, sizeof *round->stamps, compare_stamped);
    return found && found->is_there ? found : NULL;
}

/* --- what is told ------------------------------------------------------------------------------------------------- */

/* The first reason stays. */
static void hold(struct round *round, size_t file, enum sst_held_reason reason, struct sst_day day, const char *text)
{
    struct fate *fate = &round->fates[file];
    if (fate->is_held)
        return;
    *fate = (struct fate){.is_held = true, .reason = reason, .day = day};
    if (sst_strdup(text, &fate->text, NULL) != SST_OK)
        round->failed = SST_ERR_NOMEM;
}

/* Files of a day that has none to use: those that can be read contradict each other. */
static void hold_all(struct round *round, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(round->catalog, day, &first, &count);
    for (size_t entry = first; entry < first + count; ++entry)
        hold(round, round->catalog->entries[entry].file, SST_HELD_CONFLICT, day,
             "another file of the same day has other values, or is of another hour. Take one of them away");
}

static void tell_day(void *user, const struct sst_ingest_news *news)
{
    struct round *round = user;
    struct sst_ingest_job *job = round->job;
    ++job->totals.n[news->outcome];
    sst_ingest_say(job, news);
    if (news->outcome == SST_INGEST_CONFLICT || news->outcome == SST_INGEST_LEFT_OUT)
        hold(round, news->file, news->held, news->day, news->reason);
    else if (news->outcome == SST_INGEST_UNUSABLE)
        hold_all(round, news->day);
    if (job->tell)
        job->tell(job->user, news);
}

static bool may_write(void *user)
{
    const struct sst_ingest_job *job = ((const struct round *)user)->job;
    return !job->may_write || job->may_write(job->user);
}

static void hand_day(void *user, const struct sst_ingest_news *news, const struct sst_ingest_look *look,
                     const struct sst_field *field)
{
    const struct round *round = user;
    round->job->hand(round->job->user, news, look, field);
}

/* Files of other series are no rejects here: their turn comes. */
static void tell_rejects(struct round *round)
{
    const struct sst_catalog *catalog = round->catalog;
    for (; round->n_rejects_told < catalog->n_rejects; ++round->n_rejects_told) {
        const struct sst_reject *reject = &catalog->rejects[round->n_rejects_told];
        if (reject->kind == SST_REJECT_OTHER_SERIES)
            continue;
        sst_log_warn(round->job->options->log, "%s: %s", reject->path, reject->reason);
        ++round->job->n_rejects;
    }
}

static void show_progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    const struct round *round = user;
    sst_progress_update(round->progress, days_done, days_total, bytes_done);
}

static void scan_progress(void *user, size_t done, size_t total) { sst_progress_update(user, done, total, 0); }

static struct sst_progress make_progress(const struct sst_options *options)
{
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    struct sst_progress progress;
    sst_progress_init(&progress, options->progress, &terminal, options->log);
    return progress;
}

/* --- what is noted ------------------------------------------------------------------------------------------------ */

static enum sst_status note_rejects(const struct round *round, int64_t now, struct sst_error *err)
{
    for (size_t i = 0; i < round->catalog->n_rejects; ++i) {
        const struct sst_reject *reject = &round->catalog->rejects[i];
        const struct stamped *stamped = find_stamp(round, reject->path);
        if (!stamped || reject->kind == SST_REJECT_OTHER_SERIES)
            continue;
        const struct sst_held_file held = {.path = reject->path,
                                           .stamp = stamped->stamp,
                                           .reason = reject->kind == SST_REJECT_CONTRADICTS ? SST_HELD_CONFLICT
                                                                                            : SST_HELD_UNREADABLE,
                                           .text = reject->reason,
                                           .since = now};
        SST_TRY(sst_file_notes_hold(round->job->notes, &held, err));
    }
    return SST_OK;
}

static enum sst_status note_file(const struct round *round, size_t file, bool is_done, int64_t now,
                                 struct sst_error *err)
{
    const struct fate *fate = &round->fates[file];
    const struct stamped *stamped = find_stamp(round, round->catalog->files[file].path);
    if (!stamped || (!fate->is_held && !is_done))
        return SST_OK;
    if (!fate->is_held)
        return sst_file_notes_take(round->job->notes, stamped->path, stamped->stamp, err);
    const struct sst_held_file held = {.path = round->catalog->files[file].path,
                                       .stamp = stamped->stamp,
                                       .has_day = true,
                                       .day = fate->day,
                                       .reason = fate->reason,
                                       .text = fate->text,
                                       .since = now};
    return sst_file_notes_hold(round->job->notes, &held, err);
}

/* A change of sensor is no fault, but whoever looks for a step in a series wants to know of it. Told once for each sensor. */
static enum sst_status note_sensors(const struct round *round, struct sst_error *err)
{
    const struct sst_catalog *catalog = round->catalog;
    for (size_t file = 0; file < catalog->n_files; ++file) {
        bool is_new = false;
        if (catalog->files[file].sensor == SST_NO_SENSOR || round->fates[file].is_held)
            continue;
        const char *sensor = catalog->sensors[catalog->files[file].sensor];
        SST_TRY(sst_file_notes_meet_sensor(round->job->notes, sensor, &is_new, err));
        if (is_new)
            sst_log_info(round->job->options->log, "%s: its sensor is '%s', which no file before had",
                         catalog->files[file].path, sensor);
    }
    return SST_OK;
}

/* A file is taken where all was dealt with; a reject is held whatever else it had. */
static enum sst_status note_all(const struct round *round, bool is_done, struct sst_error *err)
{
    int64_t now = 0;
    SST_TRY(sst_output_time(&now, err));
    for (size_t file = 0; file < round->catalog->n_files; ++file)
        SST_TRY(note_file(round, file, is_done, now, err));
    SST_TRY(note_rejects(round, now, err));
    SST_TRY(note_sensors(round, err));
    return sst_file_notes_commit(round->job->notes, round->job->state, err);
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

enum sst_status sst_ingest_job_scan(const struct sst_options *options, const char *const *paths, size_t n_paths,
                                    bool accepts_none, struct sst_catalog **out, struct sst_error *err)
{
    struct sst_progress progress = make_progress(options);
    const struct sst_catalog_options catalog_options = {
        .decode = sst_job_decode_options(options),
        .crew = sst_job_crew(options),
        .stop_on_bad = options->stop_on_bad,
        .accepts_none = accepts_none,
        .notes = sst_log_note,
        .notes_user = options->log,
        .progress = scan_progress,
        .progress_user = &progress,
    };
    sst_progress_begin(&progress, "scan", "files", 0);
    enum sst_status rc = sst_catalog_scan(paths, n_paths, &catalog_options, out, err);
    sst_progress_end(&progress);
    if (rc == SST_OK)
        rc = sst_log_check(options->log, SST_ERR_INPUT, err);
    if (rc != SST_OK)
        sst_catalog_destroy(out);
    return rc;
}

static enum sst_status ingest(struct round *round, struct sst_error *err)
{
    struct sst_ingest_job *job = round->job;
    const struct sst_options *options = job->options;
    struct sst_progress progress = make_progress(options);
    struct sst_ingest_totals totals;
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
        .old = job->old,
        .old_crew = options->old_crew.crew ? &options->old_crew : NULL,
        .tell = tell_day,
        .hand = job->hand ? hand_day : NULL,
        .cancelled = sst_signals_cancelled,
        .may_write = may_write,
        .progress = show_progress,
        .user = round,
    };
    round->progress = &progress;
    sst_progress_begin(&progress, "ingest", "days", 0);
    enum sst_status rc = sst_ingest(job->state, round->catalog, &reader, &ingest_options, &totals, err);
    sst_progress_end(&progress);
    job->totals.n_commits += totals.n_commits;
    job->totals.n_log_commits += totals.n_log_commits;
    if (rc == SST_OK && round->failed != SST_OK)
        rc = sst_fail(err, round->failed, "no memory for notes of files");
    return rc;
}

/* What was told before a failure is noted all the same, but not where the state cannot be written. */
static enum sst_status take_series(struct sst_ingest_job *job, struct sst_catalog *catalog,
                                   const struct stamped *stamps, size_t n_stamps, struct sst_error *err)
{
    struct round round = {.job = job, .catalog = catalog, .stamps = stamps, .n_stamps = n_stamps};
    SST_TRY(sst_alloc(catalog->n_files, sizeof *round.fates, "the list of files", &round.fates, err));
    tell_rejects(&round);
    enum sst_status rc = ingest(&round, err);
    tell_rejects(&round);
    struct sst_error later = {SST_OK, ""};
    if (rc == SST_OK)
        rc = note_all(&round, true, err);
    else if (rc != SST_ERR_OUTPUT && round.failed == SST_OK && note_all(&round, false, &later) != SST_OK)
        sst_log_failure(job->options->log, &later);
    for (size_t file = 0; file < catalog->n_files; ++file)
        sst_free(round.fates[file].text);
    sst_free(round.fates);
    return rc;
}

/* Paths of files of other series than the catalog's. Borrowed from the stamps. */
static enum sst_status list_others(const struct sst_catalog *catalog, const struct stamped *stamps, size_t n_stamps,
                                   const char ***out, size_t *n, struct sst_error *err)
{
    const struct round round = {.stamps = stamps, .n_stamps = n_stamps};
    *n = 0;
    SST_TRY(sst_alloc(catalog->n_rejects, sizeof **out, "the list of files", out, err));
    for (size_t i = 0; i < catalog->n_rejects; ++i) {
        const struct stamped *stamped = find_stamp(&round, catalog->rejects[i].path);
        if (stamped && catalog->rejects[i].kind == SST_REJECT_OTHER_SERIES)
            (*out)[(*n)++] = stamped->path;
    }
    return SST_OK;
}

/* A catalog is of one series, so each round has fewer files than the one before. */
static enum sst_status take_all(struct sst_ingest_job *job, struct sst_catalog *first, const struct stamped *stamps,
                                size_t n_stamps, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_catalog *catalog = first, *next = NULL;
    const char **others = NULL;
    size_t n_others = 0;
    do {
        SST_TRY_GOTO(take_series(job, catalog, stamps, n_stamps, err));
        sst_free(others);
        others = NULL;
        SST_TRY_GOTO(list_others(catalog, stamps, n_stamps, &others, &n_others, err));
        sst_catalog_destroy(&next);
        if (n_others > 0)
            SST_TRY_GOTO(sst_ingest_job_scan(job->options, others, n_others, true, &next, err));
        catalog = next;
    } while (n_others > 0);
done:
    sst_free(others);
    sst_catalog_destroy(&next);
    return rc;
}

enum sst_status sst_ingest_job_run(struct sst_ingest_job *job, const char *const *paths, size_t n_paths,
                                   struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct stamped *stamps = NULL;
    struct sst_catalog *catalog = NULL;
    SST_TRY_GOTO(stamp_all(paths, n_paths, &stamps, err));
    SST_TRY_GOTO(sst_ingest_job_scan(job->options, paths, n_paths, true, &catalog, err));
    SST_TRY_GOTO(take_all(job, catalog, stamps, n_paths, err));
done:
    sst_catalog_destroy(&catalog);
    sst_free(stamps);
    return rc;
}

enum sst_status sst_ingest_job_take(struct sst_ingest_job *job, struct sst_catalog *catalog, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct stamped *stamps = NULL;
    const char **paths = NULL;
    const size_t n_paths = catalog->n_files + catalog->n_rejects;
    SST_TRY_GOTO(sst_alloc(n_paths, sizeof *paths, "the list of files", &paths, err));
    for (size_t i = 0; i < catalog->n_files; ++i)
        paths[i] = catalog->files[i].path;
    for (size_t i = 0; i < catalog->n_rejects; ++i)
        paths[catalog->n_files + i] = catalog->rejects[i].path;
    SST_TRY_GOTO(stamp_all(paths, n_paths, &stamps, err));
    SST_TRY_GOTO(take_all(job, catalog, stamps, n_paths, err));
done:
    sst_free(paths);
    sst_free(stamps);
    return rc;
}

enum sst_status sst_ingest_job_outcome(const struct sst_ingest_job *job, struct sst_error *err)
{
    const size_t *n = job->totals.n;
    const size_t n_out = n[SST_INGEST_CONFLICT] + n[SST_INGEST_LEFT_OUT] + n[SST_INGEST_UNUSABLE];
    if (n_out == 0 && job->n_rejects == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s left out, and %zu file%s could not be used", n_out,
                    n_out == 1 ? " was" : "s were", job->n_rejects, job->n_rejects == 1 ? "" : "s");
}
