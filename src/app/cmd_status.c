/* `sststream status`: one look at a state or a feed, for people and for monitoring. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <time.h>

#include "app/commands.h"
#include "app/health.h"
#include "app/json_values.h"
#include "core/text.h"

enum { MAX_SHOWN = 10 };

static void print_days(const char *label, enum sst_calendar_kind kind, const struct sst_day *days, size_t n, FILE *out)
{
    char day[SST_DAY_TEXT_SIZE];
    (void)fprintf(out, "%s", label);
    for (size_t i = 0; i < n && i < MAX_SHOWN; ++i)
        (void)fprintf(out, "%s %s", i == 0 ? ":" : ",", sst_day_text(kind, days[i], day));
    (void)fprintf(out, "%s\n", n > MAX_SHOWN ? ", ... (all are in --json)" : "");
}

static void print_newest(enum sst_calendar_kind kind, struct sst_day newest, int64_t age_days, FILE *out)
{
    char day[SST_DAY_TEXT_SIZE];
    (void)fprintf(out, "newest     %s", sst_day_text(kind, newest, day));
    if (sst_lateness_has_clock(kind))
        (void)fprintf(out, ", %" PRId64 " day%s ago", age_days, age_days == 1 ? "" : "s");
    (void)fputc('\n', out);
}

static void print_expected(enum sst_calendar_kind kind, struct sst_day expected, FILE *out)
{
    char day[SST_DAY_TEXT_SIZE];
    if (expected.slot > 0)
        (void)fprintf(out, "expected   %s\n", sst_day_text(kind, expected, day));
}

static void print_state(const struct sst_options *options, const struct sst_health *health, FILE *out)
{
    char size[SST_SIZE_TEXT], label[64];
    (void)fprintf(out, "state      ");
    sst_log_put_text(options->state, out);
    (void)fputc('\n', out);
    if (health->n_known > 0)
        print_newest(health->kind, health->newest, health->age_days, out);
    print_expected(health->kind, health->expected, out);
    (void)fprintf(out, "days       %zu known, %zu of them counted, %zu preliminary\n", health->n_known,
                  health->n_counted, health->n_preliminary);
    (void)snprintf(label, sizeof label, "missing    %zu of the last %d days", health->n_missing, SST_HEALTH_DAYS);
    print_days(label, health->kind, health->missing, health->n_missing, out);
    (void)fprintf(out, "held       %zu file%s%s\n", health->n_held, health->n_held == 1 ? "" : "s",
                  health->n_held > 0 ? " ('sststream quarantine list' shows why)" : "");
    (void)fprintf(out, "writer     %s\n", sst_state_writer_name(health->writer));
    if (health->free_bytes != UINT64_MAX)
        (void)fprintf(out, "free       %s\n", sst_size_text(health->free_bytes, false, size));
    (void)fprintf(out, "format     %d.%d\n", SST_BLOCKS_MAJOR, SST_BLOCKS_MINOR);
}

static void print_feed(const struct sst_health *health, FILE *out)
{
    const struct sst_feed_health *feed = &health->feed;
    char label[64];
    (void)fprintf(out, "feed       ");
    sst_log_put_text(feed->folder, out);
    (void)fputc('\n', out);
    if (!feed->is_read)
        return;
    if (feed->n_days > 0)
        print_newest(feed->kind, feed->newest, feed->age_days, out);
    print_expected(feed->kind, feed->expected, out);
    (void)fprintf(out, "days       %zu, %zu of them preliminary\n", feed->n_days, feed->n_preliminary);
    (void)snprintf(label, sizeof label, "missing    %zu of the last %d days", feed->n_missing, SST_FEED_HEALTH_DAYS);
    print_days(label, feed->kind, feed->missing, feed->n_missing, out);
    if (!health->has_state)
        return;
    (void)snprintf(label, sizeof label, "lacking    %zu that the state knows", feed->n_lacking);
    print_days(label, feed->kind, feed->lacking, feed->n_lacking, out);
}

static void print_health(const struct sst_options *options, const struct sst_health *health, FILE *out)
{
    char time_text[SST_UTC_TEXT_SIZE];
    (void)fprintf(out, "%s: ", sst_health_level_name(health->level));
    sst_log_put_text(health->text, out);
    (void)fprintf(out, "\nat         %s\n", sst_utc_text(health->now, time_text));
    if (health->has_state)
        print_state(options, health, out);
    if (health->feed.folder)
        print_feed(health, out);
}

static json_t *day_json(enum sst_calendar_kind kind, struct sst_day day)
{
    char text[SST_DAY_TEXT_SIZE];
    return day.slot > 0 ? json_string(sst_day_text(kind, day, text)) : json_null();
}

static json_t *days_json(enum sst_calendar_kind kind, const struct sst_day *days, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; ++i)
        (void)json_array_append_new(list, day_json(kind, days[i]));
    return list;
}

static json_t *age_json(enum sst_calendar_kind kind, struct sst_day newest, int64_t age_days)
{
    return newest.slot > 0 && sst_lateness_has_clock(kind) ? json_integer(age_days) : json_null();
}

static bool is_late(struct sst_day newest, struct sst_day expected)
{
    return expected.slot > 0 && sst_day_compare(newest, expected) < 0;
}

/* null without --feed; of a feed that cannot be read its folder alone. */
static json_t *feed_json(const struct sst_health *health)
{
    const struct sst_feed_health *feed = &health->feed;
    if (!feed->folder)
        return json_null();
    if (!feed->is_read)
        return json_pack("{s:o}", "folder", sst_json_text(feed->folder));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "folder", sst_json_text(feed->folder), "newest",
                     day_json(feed->kind, feed->newest), "age_days", age_json(feed->kind, feed->newest, feed->age_days),
                     "expected", day_json(feed->kind, feed->expected), "is_late",
                     feed->expected.slot > 0 ? json_boolean(is_late(feed->newest, feed->expected)) : json_null(),
                     "days", sst_json_integer(feed->n_days), "days_preliminary", sst_json_integer(feed->n_preliminary),
                     "missing", days_json(feed->kind, feed->missing, feed->n_missing), "lacking",
                     health->has_state ? days_json(feed->kind, feed->lacking, feed->n_lacking) : json_null());
}

/* What is of the state is null without one. */
static enum sst_status state_json(const struct sst_options *options, const struct sst_health *health, json_t *root,
                                  struct sst_error *err)
{
    char format[24];
    const bool has_free = health->free_bytes != UINT64_MAX;
    (void)snprintf(format, sizeof format, "%d.%d", SST_BLOCKS_MAJOR, SST_BLOCKS_MINOR);
    json_t *of_state = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s}", "state",
        sst_json_text(health->has_state ? options->state : ""), "newest", day_json(health->kind, health->newest),
        "age_days", age_json(health->kind, health->newest, health->age_days), "expected",
        day_json(health->kind, health->expected), "days_known", sst_json_integer(health->n_known), "days_counted",
        sst_json_integer(health->n_counted), "days_preliminary", sst_json_integer(health->n_preliminary), "missing",
        days_json(health->kind, health->missing, health->n_missing), "files_held", sst_json_integer(health->n_held),
        "writer", sst_state_writer_name(health->writer), "free_bytes",
        has_free ? sst_json_integer(health->free_bytes) : json_null(), "format", format);
    const char *key = NULL;
    json_t *value = NULL;
    void *next = NULL;
    if (!of_state)
        return sst_fail(err, SST_ERR_NOMEM, "the status: out of memory");
    if (!health->has_state)
        json_object_foreach_safe(of_state, next, key, value)(void) json_object_set_new(of_state, key, json_null());
    const int failed = json_object_update(root, of_state);
    json_decref(of_state);
    return failed ? sst_fail(err, SST_ERR_NOMEM, "the status: out of memory") : SST_OK;
}

static enum sst_status write_json(const struct sst_options *options, const struct sst_health *health, FILE *out,
                                  struct sst_error *err)
{
    char time_text[SST_UTC_TEXT_SIZE];
    enum sst_status rc = SST_OK;
    sst_json_watch();
    json_t *root = json_pack("{s:s, s:s, s:i, s:o, s:s}", "schema", "sststream-status/1", "level",
                             sst_health_level_name(health->level), "exit_code", (int)health->level, "text",
                             sst_json_text(health->text), "time", sst_utc_text(health->now, time_text));
    if (root)
        rc = state_json(options, health, root, err);
    if (rc == SST_OK && (!root || json_object_set_new(root, "feed", feed_json(health)) != 0 || !sst_json_is_whole()))
        rc = sst_fail(err, SST_ERR_NOMEM, "the status: out of memory");
    if (rc == SST_OK)
        (void)(json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out)); /* main() looks whether it arrived */
    json_decref(root);
    return rc;
}

/* The exit codes are those of monitoring systems here, also for what would have another one elsewhere. */
int cmd_status(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_health health;
    sst_health_look(options, (int64_t)time(NULL), &health);
    if (options->json && write_json(options, &health, stdout, &err) != SST_OK) {
        sst_log_failure(options->log, &err);
        return SST_HEALTH_UNKNOWN;
    }
    if (!options->json)
        print_health(options, &health, stdout);
    return (int)health.level;
}
