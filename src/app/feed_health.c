/* The days of index.json, held against the clock and against a state. */
#include "app/feed_health.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/feed_json.h"

/* --- index.json --------------------------------------------------------------------------------------------------- */

static enum sst_status read_text(const char *path, struct sst_text *out, struct sst_error *err)
{
    char bytes[1 << 14];
    size_t n = 0;
    FILE *file = fopen(path, "rbe");
    if (!file && errno == ENOENT)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: there is no feed here. 'watch' with --feed, or 'feed rebuild', makes one", path);
    if (!file)
        return sst_fail(err, SST_ERR_INPUT, "%s: %s", path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        sst_text_add_bytes(out, bytes, n);
    const bool has_failed = ferror(file) != 0;
    (void)fclose(file);
    return has_failed ? sst_fail(err, SST_ERR_INPUT, "%s: cannot be read", path) : sst_text_check(out, err);
}

static enum sst_status damaged(const char *path, const char *why, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "%s: damaged: %s. Make the feed anew: sststream feed rebuild", path, why);
}

static bool read_day(enum sst_calendar_kind kind, const char *text, struct sst_day *out)
{
    int year = 0, month = 0, day = 0;
    if (!text || sscanf(text, "%d-%d-%d", &year, &month, &day) != 3)
        return false;
    *out = (struct sst_day){year, sst_calendar_slot(kind, month, day)};
    return out->slot > 0;
}

/* A day whose input is missing has no field. */
static enum sst_status take_day(const json_t *value, const char *path, struct sst_known_days *known,
                                struct sst_error *err)
{
    const char *status = json_string_value(json_object_get(value, "input_status"));
    struct sst_day day = {0};
    if (!status || !read_day(known->kind, json_string_value(json_object_get(value, "day")), &day) ||
        (known->n > 0 && sst_day_compare(day, known->days[known->n - 1]) <= 0))
        return damaged(path, "its days are not as a feed lists them", err);
    if (strcmp(status, "missing") == 0)
        return SST_OK;
    SST_TRY(sst_grow(&known->days, &known->capacity, known->n + 1, sizeof *known->days, "the list of days", err));
    known->days[known->n++] = day;
    known->n_preliminary += strcmp(status, "preliminary") == 0;
    return SST_OK;
}

static enum sst_status take_index(const json_t *whole, const char *path, struct sst_known_days *known,
                                  struct sst_error *err)
{
    const char *schema = json_string_value(json_object_get(whole, "schema"));
    const char *calendar = json_string_value(json_object_get(whole, "calendar"));
    const json_t *days = json_object_get(whole, "days");
    struct sst_error found = {SST_OK, ""};
    if (!schema || strcmp(schema, SST_FEED_INDEX_SCHEMA) != 0 || !json_is_array(days) || !calendar)
        return damaged(path, "this is no index of a feed (" SST_FEED_INDEX_SCHEMA ")", err);
    if (sst_calendar_parse(calendar, &known->kind, &found) != SST_OK)
        return damaged(path, found.text, err);
    for (size_t i = 0; i < json_array_size(days); ++i)
        SST_TRY(take_day(json_array_get(days, i), path, known, err));
    return SST_OK;
}

static enum sst_status read_index(const char *folder, struct sst_known_days *known, struct sst_error *err)
{
    struct sst_text text = {0};
    char *path = NULL;
    json_t *whole = NULL;
    json_error_t where;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_asprintf(&path, err, "%s/index.json", folder));
    SST_TRY_GOTO(read_text(path, &text, err));
    whole = json_loadb(text.data ? text.data : "", text.size, 0, &where);
    if (whole)
        rc = take_index(whole, path, known, err);
    else
        rc = damaged(path, where.text, err);
done:
    json_decref(whole);
    sst_text_clear(&text);
    sst_free(path);
    return rc;
}

/* --- judging ------------------------------------------------------------------------------------------------------ */

/* Days before the feed's first are not expected of it. */
static void find_lacking(const struct sst_known_days *feed, const struct sst_known_days *state,
                         struct sst_feed_health *out)
{
    struct sst_day missing[SST_FEED_HEALTH_DAYS];
    const size_t n = sst_known_days_missing(feed, sst_known_days_newest(state), SST_FEED_HEALTH_DAYS, missing);
    for (size_t i = 0; i < n; ++i)
        if (sst_known_days_has(state, missing[i]))
            out->lacking[out->n_lacking++] = missing[i];
}

static void describe(const struct sst_options *options, const struct sst_known_days *feed,
                     const struct sst_known_days *state, int64_t now, struct sst_feed_health *out)
{
    out->is_read = true;
    out->kind = feed->kind;
    out->newest = sst_known_days_newest(feed);
    out->n_days = feed->n;
    out->n_preliminary = feed->n_preliminary;
    if (sst_lateness_has_clock(out->kind)) {
        if (options->is_given[SST_OPTION_ID_expect_by])
            out->expected = sst_lateness_expected(&options->expectation, out->kind, now);
        if (feed->n > 0)
            out->age_days = sst_lateness_days_between(out->newest, sst_lateness_today(out->kind, now));
    }
    const bool ends_later = out->expected.slot > 0 && sst_day_compare(out->expected, out->newest) > 0;
    out->n_missing =
        sst_known_days_missing(feed, ends_later ? out->expected : out->newest, SST_FEED_HEALTH_DAYS, out->missing);
    if (state && state->n > 0 && state->kind == feed->kind)
        find_lacking(feed, state, out);
}

enum sst_status sst_feed_health_look(const struct sst_options *options, const struct sst_known_days *state, int64_t now,
                                     struct sst_feed_health *out, struct sst_error *err)
{
    struct sst_known_days known = {0};
    *out = (struct sst_feed_health){.folder = options->feeds[0]};
    const enum sst_status rc = read_index(out->folder, &known, err);
    if (rc == SST_OK)
        describe(options, &known, state, now, out);
    sst_known_days_clear(&known);
    return rc;
}
