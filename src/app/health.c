/* Looks first, judges then. */
#include "app/health.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "app/environment.h"
#include "app/known_days.h"
#include "core/mem.h"
#include "core/text.h"

const char *sst_health_level_name(enum sst_health_level level)
{
    static const char *const names[] = {"ok", "warning", "critical", "unknown"};
    return names[level];
}

void sst_health_find(struct sst_health *health, enum sst_health_level level, const char *format, ...)
{
    const size_t n = strlen(health->text);
    const char *between = n > 0 ? "; " : "";
    va_list args;
    if (level > health->level)
        health->level = level;
    (void)snprintf(health->text + n, sizeof health->text - n, "%s", between);
    va_start(args, format);
    (void)vsnprintf(health->text + strlen(health->text), sizeof health->text - strlen(health->text), format, args);
    va_end(args);
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

static void describe_days(const struct sst_known_days *known, struct sst_health *health)
{
    health->newest = sst_known_days_newest(known);
    health->n_known = known->n;
    health->n_counted = known->n_counted;
    health->n_preliminary = known->n_preliminary;
    const bool ends_later = health->expected.slot > 0 && sst_day_compare(health->expected, health->newest) > 0;
    health->n_missing =
        sst_known_days_missing(known, ends_later ? health->expected : health->newest, SST_HEALTH_DAYS, health->missing);
}

static enum sst_status look_at_files(const struct sst_state *state, struct sst_health *health, struct sst_error *err)
{
    struct sst_file_notes *notes = NULL;
    SST_TRY(sst_file_notes_open(state, &notes, err));
    health->n_held = sst_file_notes_n_held(notes);
    sst_file_notes_close(&notes);
    return SST_OK;
}

static enum sst_status look(const struct sst_options *options, struct sst_health *health, struct sst_known_days *known,
                            struct sst_error *err)
{
    struct sst_state *state = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_state_open(sst_os_system(), options->state, SST_STATE_READ, &state, err));
    health->kind = sst_state_policy(state)->pools.kind;
    if (options->is_given[SST_OPTION_ID_expect_by] && sst_lateness_has_clock(health->kind))
        health->expected = sst_lateness_expected(&options->expectation, health->kind, health->now);
    SST_TRY_GOTO(sst_known_days_read(state, known, err));
    describe_days(known, health);
    SST_TRY_GOTO(look_at_files(state, health, err));
done:
    sst_state_close(&state);
    return rc;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

static bool is_there(const char *state)
{
    char *path = NULL;
    const bool found = sst_asprintf(&path, NULL, "%s/policy", state) != SST_OK || access(path, F_OK) == 0;
    sst_free(path);
    return found;
}

static void judge_newest(const struct sst_options *options, struct sst_health *health)
{
    char newest[SST_DAY_TEXT_SIZE], expected[SST_DAY_TEXT_SIZE], now[SST_UTC_TEXT_SIZE];
    (void)sst_day_text(health->kind, health->newest, newest);
    if (health->newest.slot == 0) {
        sst_health_find(health, SST_HEALTH_UNKNOWN, "no day is counted yet");
        return;
    }
    if (!sst_lateness_has_clock(health->kind)) {
        if (options->is_given[SST_OPTION_ID_expect_by])
            sst_health_find(health, SST_HEALTH_UNKNOWN, "days of the calendar %s cannot be held against a clock",
                            sst_calendar_name(health->kind));
        return;
    }
    health->age_days = sst_lateness_days_between(health->newest, sst_lateness_today(health->kind, health->now));
    if (health->age_days < -1) /* where a day is one day old in one place, it is yet to come in another */
        sst_health_find(health, SST_HEALTH_UNKNOWN,
                        "the newest day, %s, is yet to come: it is %s by the clock of this machine. Set the clock, or "
                        "look what the file was",
                        newest, sst_utc_text(health->now, now));
    else if (health->expected.slot > 0 && sst_day_compare(health->newest, health->expected) < 0)
        sst_health_find(health, SST_HEALTH_CRITICAL, "%s is late: the newest day is %s",
                        sst_day_text(health->kind, health->expected, expected), newest);
}

static void judge_state(const struct sst_options *options, struct sst_health *health)
{
    char has[SST_SIZE_TEXT];
    judge_newest(options, health);
    if (health->n_missing > 0)
        sst_health_find(health, SST_HEALTH_WARNING, "%zu of the last %d days %s missing", health->n_missing,
                        SST_HEALTH_DAYS, health->n_missing == 1 ? "is" : "are");
    if (health->n_held > 0)
        sst_health_find(health, SST_HEALTH_WARNING, "%zu file%s held back", health->n_held,
                        health->n_held == 1 ? " is" : "s are");
    if (options->is_given[SST_OPTION_ID_min_free] && health->free_bytes < options->min_free_bytes)
        sst_health_find(health, SST_HEALTH_WARNING, "only %s are free", sst_size_text(health->free_bytes, false, has));
}

static void look_at_state(const struct sst_options *options, struct sst_health *out, struct sst_known_days *known)
{
    struct sst_error problem = {SST_OK, ""};
    out->has_state = true;
    const enum sst_status rc = look(options, out, known, &problem);
    if (rc != SST_OK) {
        const bool is_damaged = rc == SST_ERR_STATE && is_there(options->state);
        sst_health_find(out, is_damaged ? SST_HEALTH_CRITICAL : SST_HEALTH_UNKNOWN, "%s", problem.text);
        return;
    }
    out->writer = sst_state_writer(options->state);
    out->free_bytes = sst_environment_free_bytes(options->state);
    judge_state(options, out);
}

static void judge_feed(const struct sst_options *options, struct sst_health *health)
{
    const struct sst_feed_health *feed = &health->feed;
    const bool is_expected = options->is_given[SST_OPTION_ID_expect_by];
    char newest[SST_DAY_TEXT_SIZE], day[SST_DAY_TEXT_SIZE];
    (void)sst_day_text(feed->kind, feed->newest, newest);
    if (feed->n_days == 0)
        sst_health_find(health, SST_HEALTH_UNKNOWN, "feed %s: no day is in it yet", feed->folder);
    else if (is_expected && !sst_lateness_has_clock(feed->kind))
        sst_health_find(health, SST_HEALTH_UNKNOWN, "feed %s: days of the calendar %s cannot be held against a clock",
                        feed->folder, sst_calendar_name(feed->kind));
    else if (feed->age_days < -1)
        sst_health_find(health, SST_HEALTH_UNKNOWN, "feed %s: its newest day, %s, is yet to come", feed->folder,
                        newest);
    else if (feed->expected.slot > 0 && sst_day_compare(feed->newest, feed->expected) < 0)
        sst_health_find(health, SST_HEALTH_CRITICAL, "feed %s: %s is late: the newest day is %s", feed->folder,
                        sst_day_text(feed->kind, feed->expected, day), newest);
    if (feed->n_lacking > 0)
        sst_health_find(health, SST_HEALTH_WARNING, "feed %s: it lacks %zu day%s that the state knows, the first %s",
                        feed->folder, feed->n_lacking, feed->n_lacking == 1 ? "" : "s",
                        sst_day_text(feed->kind, feed->lacking[0], day));
    else if (!health->has_state && feed->n_missing > 0)
        sst_health_find(health, SST_HEALTH_WARNING, "feed %s: %zu of the last %d days %s missing", feed->folder,
                        feed->n_missing, SST_FEED_HEALTH_DAYS, feed->n_missing == 1 ? "is" : "are");
}

static void look_at_feed(const struct sst_options *options, const struct sst_known_days *known, struct sst_health *out)
{
    struct sst_error problem = {SST_OK, ""};
    const enum sst_status rc =
        sst_feed_health_look(options, out->has_state ? known : NULL, out->now, &out->feed, &problem);
    if (rc == SST_OK)
        judge_feed(options, out);
    else
        sst_health_find(out, rc == SST_ERR_STATE ? SST_HEALTH_CRITICAL : SST_HEALTH_UNKNOWN, "%s", problem.text);
}

void sst_health_look(const struct sst_options *options, int64_t now, struct sst_health *out)
{
    struct sst_known_days known = {0};
    char newest[SST_DAY_TEXT_SIZE];
    *out = (struct sst_health){.now = now, .writer = SST_WRITER_NOT_KNOWN, .free_bytes = UINT64_MAX};
    if (options->state)
        look_at_state(options, out, &known);
    if (options->n_feeds > 0)
        look_at_feed(options, &known, out);
    sst_known_days_clear(&known);
    if (!out->text[0])
        sst_health_find(out, SST_HEALTH_OK, "the newest day is %s",
                        out->has_state ? sst_day_text(out->kind, out->newest, newest)
                                       : sst_day_text(out->feed.kind, out->feed.newest, newest));
}
