/* Alerts as JSON; each is told once, not in every cycle. */
#include "app/alerts.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

#include "app/environment.h"
#include "app/json_values.h"
#include "core/text.h"

static double monotonic(void *user)
{
    (void)user;
    return sst_monotonic_seconds();
}

static void tell_hook(void *user, bool is_failure, const char *text)
{
    const struct sst_alerts *alerts = user;
    (is_failure ? sst_log_warn : sst_log_debug)(alerts->options->log, "--on-alert: %s", text);
}

enum sst_status sst_alerts_open(const struct sst_options *options, enum sst_calendar_kind kind, struct sst_alerts *out,
                                struct sst_error *err)
{
    *out = (struct sst_alerts){.options = options, .kind = kind};
    if (!options->on_alert)
        return SST_OK;
    const struct sst_hook_options hook = {
        .command = options->on_alert,
        .environment = sst_environment_all(),
        .limit_seconds = options->hook_seconds,
        .now = monotonic,
        .tell = tell_hook,
        .user = out,
    };
    const enum sst_status rc = sst_hook_open(&hook, &out->hook, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "--on-alert");
    return rc;
}

void sst_alerts_close(struct sst_alerts *alerts)
{
    if (alerts->hook)
        sst_hook_finish(alerts->hook);
    sst_hook_close(&alerts->hook);
}

bool sst_alerts_turn(struct sst_alerts *alerts) { return alerts->hook && sst_hook_turn(alerts->hook); }

/* Takes over `more`, an object with what only this kind has. */
static void send(const struct sst_alerts *alerts, const char *kind, int64_t now, const char *text, json_t *more)
{
    char time_text[SST_UTC_TEXT_SIZE];
    if (alerts->hook) {
        json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:o}", "schema", "sststream-alert/1", "alert", kind, "time",
                                 sst_utc_text(now, time_text), "state", sst_json_text(alerts->options->state), "text",
                                 sst_json_text(text));
        char *message = root && more && json_object_update(root, more) == 0 ? json_dumps(root, JSON_COMPACT) : NULL;
        if (message)
            sst_hook_send(alerts->hook, message);
        else
            sst_log_warn(alerts->options->log, "--on-alert: out of memory: the program is not told");
        free(message);
        json_decref(root);
    }
    json_decref(more);
}

/* --- late days ---------------------------------------------------------------------------------------------------- */

static json_t *day_json(enum sst_calendar_kind kind, struct sst_day day)
{
    char text[SST_DAY_TEXT_SIZE];
    return day.slot > 0 ? json_string(sst_day_text(kind, day, text)) : json_null();
}

void sst_alerts_check_late(struct sst_alerts *alerts, struct sst_day newest, int64_t now)
{
    const struct sst_options *options = alerts->options;
    char newest_text[SST_DAY_TEXT_SIZE], expected_text[SST_DAY_TEXT_SIZE], text[256];
    if (!options->is_given[SST_OPTION_ID_expect_by] || !sst_lateness_has_clock(alerts->kind))
        return;
    const struct sst_day expected = sst_lateness_expected(&options->expectation, alerts->kind, now);
    (void)sst_day_text(alerts->kind, newest, newest_text);
    if (newest.slot > 0 && sst_day_compare(newest, expected) >= 0) {
        if (alerts->is_late)
            sst_log_info(options->log, "%s is there: no day is late any more", newest_text);
        alerts->is_late = false;
        return;
    }
    if (alerts->is_late && sst_day_compare(expected, alerts->told_late) <= 0)
        return;
    alerts->is_late = true;
    alerts->told_late = expected;
    (void)snprintf(text, sizeof text, "%s is late: the newest day is %s",
                   sst_day_text(alerts->kind, expected, expected_text), newest.slot > 0 ? newest_text : "none");
    sst_log_warn(options->log, "%s", text);
    send(alerts, "late", now, text,
         json_pack("{s:o, s:o}", "newest", day_json(alerts->kind, newest), "expected",
                   day_json(alerts->kind, expected)));
}

/* --- room --------------------------------------------------------------------------------------------------------- */

bool sst_alerts_check_room(struct sst_alerts *alerts, uint64_t free_bytes, uint64_t needed_bytes, int64_t now)
{
    char has[SST_SIZE_TEXT], needs[SST_SIZE_TEXT], text[256];
    if (free_bytes >= needed_bytes) {
        if (alerts->lacks_room)
            sst_log_info(alerts->options->log, "%s: there is room again", alerts->options->state);
        alerts->lacks_room = false;
        return true;
    }
    if (alerts->lacks_room)
        return false;
    alerts->lacks_room = true;
    (void)snprintf(text, sizeof text, "%.100s: only %s are free, less than %s: nothing is taken until there is room",
                   alerts->options->state, sst_size_text(free_bytes, false, has),
                   sst_size_text(needed_bytes, true, needs));
    sst_log_warn(alerts->options->log, "%s", text);
    send(alerts, "disk", now, text,
         json_pack("{s:o, s:o}", "free_bytes", sst_json_integer(free_bytes), "needed_bytes",
                   sst_json_integer(needed_bytes)));
    return false;
}

/* --- files held back ---------------------------------------------------------------------------------------------- */

static void send_held(const struct sst_alerts *alerts, bool is_version, const struct sst_held_file *const *files,
                      size_t n_files, int64_t now)
{
    char text[512];
    json_t *list = json_array();
    const struct sst_held_file *first = NULL;
    size_t n = 0;
    for (size_t i = 0; i < n_files; ++i) {
        if ((files[i]->reason == SST_HELD_PRODUCT) != is_version)
            continue;
        first = first ? first : files[i];
        ++n;
        (void)json_array_append_new(
            list, json_pack("{s:o, s:s, s:o, s:o}", "path", sst_json_text(files[i]->path), "reason",
                            sst_held_reason_name(files[i]->reason), "text", sst_json_text(files[i]->text), "day",
                            files[i]->has_day ? day_json(alerts->kind, files[i]->day) : json_null()));
    }
    if (!first) {
        json_decref(list);
        return;
    }
    (void)snprintf(text, sizeof text, "%zu file%s held back, the first is %.200s: %.200s", n, n == 1 ? " is" : "s are",
                   first->path, first->text);
    send(alerts, is_version ? "version" : "quarantined", now, text, json_pack("{s:o}", "files", list));
}

void sst_alerts_held(struct sst_alerts *alerts, const struct sst_held_file *const *files, size_t n_files, int64_t now)
{
    send_held(alerts, false, files, n_files, now);
    send_held(alerts, true, files, n_files, now);
}
