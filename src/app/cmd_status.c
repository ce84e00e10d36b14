/* `sststream status`: one look at a state, for people and for monitoring. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <time.h>

#include "app/commands.h"
#include "app/health.h"
#include "app/json_values.h"
#include "core/text.h"

enum { MAX_SHOWN = 10 };

static void print_missing(const struct sst_health *health, FILE *out)
{
    char day[SST_DAY_TEXT_SIZE];
    (void)fprintf(out, "missing    %zu of the last %d days", health->n_missing, SST_HEALTH_DAYS);
    for (size_t i = 0; i < health->n_missing && i < MAX_SHOWN; ++i)
        (void)fprintf(out, "%s %s", i == 0 ? ":" : ",", sst_day_text(health->kind, health->missing[i], day));
    (void)fprintf(out, "%s\n", health->n_missing > MAX_SHOWN ? ", ... (all are in --json)" : "");
}

static void print_health(const struct sst_options *options, const struct sst_health *health, FILE *out)
{
    char day[SST_DAY_TEXT_SIZE], time_text[SST_UTC_TEXT_SIZE], size[SST_SIZE_TEXT];
    (void)fprintf(out, "%s: ", sst_health_level_name(health->level));
    sst_log_put_text(health->text, out);
    (void)fprintf(out, "\nstate      ");
    sst_log_put_text(options->state, out);
    (void)fprintf(out, "\nat         %s\n", sst_utc_text(health->now, time_text));
    if (health->n_known > 0) {
        (void)fprintf(out, "newest     %s", sst_day_text(health->kind, health->newest, day));
        (void)fprintf(out, sst_lateness_has_clock(health->kind) ? ", %" PRId64 " days ago\n" : "\n", health->age_days);
    }
    if (health->expected.slot > 0)
        (void)fprintf(out, "expected   %s\n", sst_day_text(health->kind, health->expected, day));
    (void)fprintf(out, "days       %zu known, %zu of them counted, %zu preliminary\n", health->n_known,
                  health->n_counted, health->n_preliminary);
    print_missing(health, out);
    (void)fprintf(out, "held       %zu file%s%s\n", health->n_held, health->n_held == 1 ? "" : "s",
                  health->n_held > 0 ? " ('sststream quarantine list' shows why)" : "");
    (void)fprintf(out, "writer     %s\n", sst_state_writer_name(health->writer));
    if (health->free_bytes != UINT64_MAX)
        (void)fprintf(out, "free       %s\n", sst_size_text(health->free_bytes, false, size));
    (void)fprintf(out, "format     %d.%d\n", SST_BLOCKS_MAJOR, SST_BLOCKS_MINOR);
}

static json_t *day_json(const struct sst_health *health, struct sst_day day)
{
    char text[SST_DAY_TEXT_SIZE];
    return day.slot > 0 ? json_string(sst_day_text(health->kind, day, text)) : json_null();
}

static json_t *missing_json(const struct sst_health *health)
{
    json_t *list = json_array();
    for (size_t i = 0; i < health->n_missing; ++i)
        (void)json_array_append_new(list, day_json(health, health->missing[i]));
    return list;
}

static enum sst_status write_json(const struct sst_options *options, const struct sst_health *health, FILE *out,
                                  struct sst_error *err)
{
    char time_text[SST_UTC_TEXT_SIZE], format[24];
    const bool has_age = health->newest.slot > 0 && sst_lateness_has_clock(health->kind);
    const bool has_free = health->free_bytes != UINT64_MAX;
    enum sst_status rc = SST_OK;
    (void)snprintf(format, sizeof format, "%d.%d", SST_BLOCKS_MAJOR, SST_BLOCKS_MINOR);
    sst_json_watch();
    json_t *root = json_pack(
        "{s:s, s:s, s:i, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:s}", "schema",
        "sststream-status/1", "level", sst_health_level_name(health->level), "exit_code", (int)health->level, "text",
        sst_json_text(health->text), "state", sst_json_text(options->state), "time",
        sst_utc_text(health->now, time_text), "newest", day_json(health, health->newest), "age_days",
        has_age ? json_integer(health->age_days) : json_null(), "expected", day_json(health, health->expected),
        "days_known", sst_json_integer(health->n_known), "days_counted", sst_json_integer(health->n_counted),
        "days_preliminary", sst_json_integer(health->n_preliminary), "missing", missing_json(health), "files_held",
        sst_json_integer(health->n_held), "writer", sst_state_writer_name(health->writer), "free_bytes",
        has_free ? sst_json_integer(health->free_bytes) : json_null(), "format", format);
    if (!sst_json_is_whole() || !root)
        rc = sst_fail(err, SST_ERR_NOMEM, "the status: out of memory");
    else
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
