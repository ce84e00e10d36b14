/* Feeds beside a state. */
#include "app/watch_feeds.h"

#include <string.h>

#include "app/environment.h"
#include "app/kept_days.h"
#include "app/known_days.h"
#include "core/mem.h"
#include "state/day_log.h"

/* --- the hook ----------------------------------------------------------------------------------------------------- */

static double monotonic(void *user)
{
    (void)user;
    return sst_monotonic_seconds();
}

static void tell_hook(void *user, bool is_failure, const char *text)
{
    const struct sst_watch_feeds *feeds = user;
    (is_failure ? sst_log_warn : sst_log_debug)(feeds->options->log, "--on-event: %s", text);
}

static enum sst_status open_hook(struct sst_watch_feeds *feeds, struct sst_error *err)
{
    const struct sst_options *options = feeds->options;
    const struct sst_hook_options hook = {
        .command = options->on_event,
        .environment = sst_environment_all(),
        .limit_seconds = options->hook_seconds,
        .now = monotonic,
        .tell = tell_hook,
        .user = feeds,
    };
    struct sst_error found = {SST_OK, ""};
    if (!options->on_event)
        return SST_OK;
    const enum sst_status rc = sst_hook_open(&hook, &feeds->hook, &found);
    return rc == SST_OK ? SST_OK : sst_fail(err, rc, "--on-event: %s", found.text);
}

/* --- what a feed lacks -------------------------------------------------------------------------------------------- */

/* What the state knows of a day. Owner: the caller, sst_free(*name). */
static enum sst_status known_source(const struct sst_watch_feeds *feeds, struct sst_day day,
                                    struct sst_feed_source *source, char **name, struct sst_error *err)
{
    struct sst_ledger ledger = {0};
    SST_TRY(sst_state_load_ledger(feeds->state, day.slot, &ledger, err));
    const struct sst_ledger_entry *counted = sst_ledger_entry(&ledger, day.year);
    enum sst_status rc = SST_OK;
    if (counted) {
        *source = (struct sst_feed_source){counted->digest, counted->ice_digest, false};
        rc = sst_strdup(counted->source, name, err);
    }
    const bool is_counted = counted != NULL;
    sst_ledger_clear(&ledger);
    if (is_counted || rc != SST_OK)
        return rc;
    const struct sst_logged_day *logged = sst_state_logged(feeds->state, day);
    if (!logged)
        return sst_fail(err, SST_ERR_INTERNAL, "a day that is known is neither counted nor logged");
    *source = (struct sst_feed_source){logged->digest, logged->ice_digest, logged->status == SST_DAY_PRELIMINARY};
    return sst_state_load_logged(feeds->state, day, name, NULL, err);
}

static enum sst_status want(struct sst_watch_feeds *feeds, char *name, struct sst_error *err)
{
    const enum sst_status rc = sst_grow(&feeds->wanted, &feeds->wanted_capacity, feeds->n_wanted + 1,
                                        sizeof *feeds->wanted, "files to be read again", err);
    if (rc == SST_OK)
        feeds->wanted[feeds->n_wanted++] = name;
    else
        sst_free(name);
    return rc;
}

/* A day that the state knows. */
static enum sst_status look_at(struct sst_watch_feeds *feeds, const struct sst_feed_job *job, struct sst_day day,
                               struct sst_error *err)
{
    struct sst_feed_source source = {0};
    char *name = NULL;
    SST_TRY(known_source(feeds, day, &source, &name, err));
    if (sst_feed_has(job->feed, day, &source)) {
        sst_free(name);
        return SST_OK;
    }
    return want(feeds, name, err);
}

/* Earlier days of a feed of no day would be beside what its ring holds. */
static size_t first_day(const struct sst_watch_feeds *feeds, const struct sst_feed_job *job,
                        const struct sst_known_days *known)
{
    const size_t n = (size_t)feeds->options->ring_days;
    return sst_feed_newest(job->feed).slot == 0 && known->n > n ? known->n - n : 0;
}

/* Whom to ask whether to go on. */
struct asked {
    bool (*goes_on)(void *user);
    void *user;
};

/* From the values that the state keeps, in order. */
static enum sst_status take_kept(struct sst_watch_feeds *feeds, struct sst_feed_job *job,
                                 const struct sst_known_days *known, struct sst_kept_days *kept,
                                 const struct asked *asked, struct sst_error *err)
{
    const struct sst_field *field = NULL;
    struct sst_feed_source source = {0};
    size_t n = 0;
    for (size_t i = first_day(feeds, job, known); i < known->n && asked->goes_on(asked->user); ++i) {
        const struct sst_day day = known->days[i];
        char *name = NULL;
        if (!sst_feed_accepts(job->feed, day))
            continue;
        SST_TRY(known_source(feeds, day, &source, &name, err));
        sst_free(name);
        if (sst_feed_has(job->feed, day, &source))
            continue;
        SST_TRY(sst_kept_days_read(kept, day, &source, &field, err));
        sst_feed_job_hand(job, day, &source, field);
        sst_feed_job_confirm(job, day, source.is_preliminary);
        SST_TRY(sst_feed_job_flush(job, err));
        ++n;
    }
    if (n > 0)
        sst_log_info(feeds->options->log, "%s: %zu day%s taken from the state", job->folder, n, n == 1 ? "" : "s");
    return SST_OK;
}

enum sst_status sst_watch_feeds_catch_up(struct sst_watch_feeds *feeds, bool (*goes_on)(void *user), void *user,
                                         struct sst_error *err)
{
    const struct asked asked = {goes_on, user};
    struct sst_kept_days kept = {0};
    struct sst_known_days known = {0};
    enum sst_status rc = SST_OK;
    if (feeds->n_jobs == 0 || sst_state_policy(feeds->state)->keep != SST_KEEP_ALL)
        return SST_OK;
    SST_TRY_GOTO(sst_kept_days_open(feeds->state, &kept, err));
    SST_TRY_GOTO(sst_known_days_read(feeds->state, &known, err));
    for (size_t k = 0; k < feeds->n_jobs; ++k)
        SST_TRY_GOTO(take_kept(feeds, &feeds->jobs[k], &known, &kept, &asked, err));
done:
    sst_known_days_clear(&known);
    sst_kept_days_close(&kept);
    return rc;
}

static enum sst_status look_at_days(struct sst_watch_feeds *feeds, const struct sst_known_days *known,
                                    struct sst_error *err)
{
    for (size_t k = 0; k < feeds->n_jobs; ++k)
        for (size_t i = first_day(feeds, &feeds->jobs[k], known); i < known->n; ++i)
            if (sst_feed_accepts(feeds->jobs[k].feed, known->days[i]))
                SST_TRY(look_at(feeds, &feeds->jobs[k], known->days[i], err));
    return SST_OK;
}

bool sst_watch_feeds_want(const struct sst_watch_feeds *feeds, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < feeds->n_wanted; ++i)
        if (strcmp(feeds->wanted[i], name) == 0)
            return true;
    return false;
}

static void forget_wanted(struct sst_watch_feeds *feeds)
{
    for (size_t i = 0; i < feeds->n_wanted; ++i)
        sst_free(feeds->wanted[i]);
    sst_free(feeds->wanted);
    feeds->wanted = NULL;
    feeds->n_wanted = feeds->wanted_capacity = 0;
}

/* Once all that was in the inboxes has been looked at: what is lacking still will not come by itself. */
static enum sst_status tell_lacking(struct sst_watch_feeds *feeds, struct sst_error *err)
{
    struct sst_known_days known = {0};
    const bool had_wanted = feeds->n_wanted > 0;
    if (feeds->is_caught_up)
        return SST_OK;
    feeds->is_caught_up = true;
    forget_wanted(feeds);
    if (!had_wanted)
        return SST_OK;
    enum sst_status rc = sst_known_days_read(feeds->state, &known, err);
    if (rc == SST_OK)
        rc = look_at_days(feeds, &known, err);
    if (rc == SST_OK && feeds->n_wanted > 0)
        sst_log_warn(feeds->options->log,
                     "%zu day%s that the state knows %s not in the feed, the first of %s, and no file of %s is in the "
                     "inbox any more. With the files: sststream feed rebuild",
                     feeds->n_wanted, feeds->n_wanted == 1 ? "" : "s", feeds->n_wanted == 1 ? "is" : "are",
                     feeds->wanted[0], feeds->n_wanted == 1 ? "it" : "them");
    forget_wanted(feeds);
    sst_known_days_clear(&known);
    return rc;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

enum sst_status sst_watch_feeds_open(const struct sst_options *options, const struct sst_state *state,
                                     struct sst_watch_feeds *out, struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    const struct sst_feed_series series = {
        .grid = policy->grid,
        .calendar = policy->pools.kind,
        .lattice = policy->lattice,
        .product = policy->product,
        .files = options->state,
    };
    struct sst_known_days known = {0};
    *out = (struct sst_watch_feeds){.options = options, .state = state};
    if (options->n_feeds == 0)
        return SST_OK;
    SST_TRY(open_hook(out, err));
    SST_TRY(sst_alloc(options->n_feeds, sizeof *out->jobs, "feeds", &out->jobs, err));
    for (size_t i = 0; i < options->n_feeds; ++i) {
        ++out->n_jobs;
        SST_TRY(sst_feed_job_open(&out->jobs[i], options, i, &series, SST_FEED_GO_ON, err));
        out->jobs[i].hook = out->hook;
    }
    if (policy->keep == SST_KEEP_ALL) /* sst_watch_feeds_catch_up */
        return SST_OK;
    enum sst_status rc = sst_known_days_read(state, &known, err);
    if (rc == SST_OK)
        rc = look_at_days(out, &known, err);
    sst_known_days_clear(&known);
    return rc;
}

void sst_watch_feeds_close(struct sst_watch_feeds *feeds)
{
    if (feeds->hook)
        sst_hook_finish(feeds->hook);
    for (size_t i = 0; i < feeds->n_jobs; ++i)
        sst_feed_job_close(&feeds->jobs[i]);
    sst_free(feeds->jobs);
    sst_hook_close(&feeds->hook);
    forget_wanted(feeds);
    *feeds = (struct sst_watch_feeds){0};
}

/* --- days --------------------------------------------------------------------------------------------------------- */

void sst_watch_feeds_hand(struct sst_watch_feeds *feeds, const struct sst_ingest_news *news,
                          const struct sst_ingest_look *look, const struct sst_field *field)
{
    const struct sst_feed_source source = {look->digest, look->ice_digest, news->status == SST_DAY_PRELIMINARY};
    for (size_t i = 0; i < feeds->n_jobs; ++i)
        sst_feed_job_hand(&feeds->jobs[i], news->day, &source, field);
}

void sst_watch_feeds_tell(struct sst_watch_feeds *feeds, const struct sst_ingest_news *news)
{
    const enum sst_ingest_outcome outcome = news->outcome;
    if (outcome == SST_INGEST_ADD || outcome == SST_INGEST_REPLACE || outcome == SST_INGEST_LOGGED ||
        outcome == SST_INGEST_LOGGED_REPLACE || outcome == SST_INGEST_DUPLICATE)
        for (size_t i = 0; i < feeds->n_jobs; ++i)
            sst_feed_job_confirm(&feeds->jobs[i], news->day, news->status == SST_DAY_PRELIMINARY);
}

enum sst_status sst_watch_feeds_flush(struct sst_watch_feeds *feeds, struct sst_error *err)
{
    for (size_t i = 0; i < feeds->n_jobs; ++i)
        SST_TRY(sst_feed_job_flush(&feeds->jobs[i], err));
    return SST_OK;
}

/* After a longer silence than the ring holds the feed stays where it is: it is late, and says so. */
static enum sst_status publish(struct sst_watch_feeds *feeds, struct sst_feed_job *job, struct sst_day expected,
                               struct sst_error *err)
{
    const struct sst_day newest = sst_feed_newest(job->feed);
    if (expected.slot > 0 && newest.slot > 0 && sst_lateness_days_between(newest, expected) < feeds->options->ring_days)
        SST_TRY(sst_feed_advance(job->feed, expected, err));
    const size_t n_before = sst_feed_totals(job->feed)->n_days_written;
    SST_TRY(sst_feed_publish(job->feed, expected, err));
    const size_t n_written = sst_feed_totals(job->feed)->n_days_written - n_before;
    if (n_written > 0)
        sst_log_info(feeds->options->log, "%s: %zu days written", job->folder, n_written);
    return SST_OK;
}

enum sst_status sst_watch_feeds_publish(struct sst_watch_feeds *feeds, struct sst_day expected, bool is_settled,
                                        struct sst_error *err)
{
    enum sst_status outcome = SST_OK;
    for (size_t i = 0; i < feeds->n_jobs; ++i) {
        struct sst_error found = {SST_OK, ""};
        const enum sst_status rc = publish(feeds, &feeds->jobs[i], expected, &found);
        if (rc == SST_OK)
            continue;
        outcome = sst_fail(err, rc, "%s", found.text);
        if (rc != SST_ERR_OUTPUT)
            return rc;
    }
    if (outcome == SST_OK && is_settled)
        SST_TRY(tell_lacking(feeds, err));
    if (outcome != SST_OK && !feeds->has_trouble)
        sst_log_warn(feeds->options->log, "%s", err->text);
    feeds->has_trouble = outcome != SST_OK;
    return outcome;
}

bool sst_watch_feeds_turn(struct sst_watch_feeds *feeds) { return feeds->hook && sst_hook_turn(feeds->hook); }
