/* The two files by which programs follow a feed. */
#include "monitor/feed_json.h"

#include <jansson.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/feed_values.h"

static json_t *start(struct sst_feed_maker *maker, const struct sst_feed_about *about, const char *schema,
                     const struct sst_feed_state *state)
{
    *maker = (struct sst_feed_maker){.calendar = about->calendar, .grid = about->domain->grid};
    json_t *out = sst_feed_object(maker);
    sst_feed_set_text(maker, out, "schema", schema);
    sst_feed_set_time(maker, out, "generated", state->now);
    sst_feed_set_text(maker, out, "sststream_version", sst_version());
    sst_feed_set_text(maker, out, "title", about->title);
    sst_feed_set_text(maker, out, "product", about->product);
    sst_feed_set_text(maker, out, "climatology_id", about->climatology_id);
    sst_feed_set_text(maker, out, "calendar", sst_calendar_name(about->calendar));
    return out;
}

static void set_file(struct sst_feed_maker *maker, json_t *object, const struct sst_feed_file *file)
{
    sst_feed_set_text(maker, object, "path", file->path);
    sst_feed_set_count(maker, object, "bytes", (int64_t)file->n_bytes);
    sst_feed_set_text(maker, object, "sha256", file->sha256);
}

/* --- index.json --------------------------------------------------------------------------------------------------- */

static json_t *days_json(struct sst_feed_maker *maker, const struct sst_feed_about *about,
                         const struct sst_feed_state *state)
{
    json_t *out = sst_feed_array(maker);
    for (size_t i = 0; i < state->n_days; ++i) {
        const struct sst_feed_listed *listed = &state->days[i];
        char folder[SST_FEED_FOLDER_SIZE];
        json_t *day = sst_feed_object(maker);
        sst_feed_set_day(maker, day, "day", listed->day);
        sst_feed_set_count(maker, day, "revision", listed->revision);
        sst_feed_set_text(maker, day, "input_status", sst_feed_input_status(listed->is_absent, listed->is_preliminary));
        sst_feed_set_time(maker, day, "published", listed->published);
        sst_feed_set_day(maker, day, "valid_until_revised", sst_feed_final_from(about, listed->day));
        sst_feed_set_text(maker, day, "folder", sst_feed_day_folder(maker->calendar, listed->day, folder));
        sst_feed_append(maker, out, day);
    }
    return out;
}

enum sst_status sst_feed_index_json(const struct sst_feed_about *about, const struct sst_feed_state *state,
                                    const struct sst_feed_files *files, struct sst_text *out, struct sst_error *err)
{
    struct sst_feed_maker maker;
    json_t *whole = start(&maker, about, SST_FEED_INDEX_SCHEMA, state), *list = sst_feed_array(&maker);
    sst_feed_set_day(&maker, whole, "oldest", state->oldest);
    sst_feed_set_day(&maker, whole, "newest", state->newest);
    sst_feed_set(&maker, whole, "days", days_json(&maker, about, state));
    for (size_t i = 0; i < files->n; ++i) {
        json_t *file = sst_feed_object(&maker);
        set_file(&maker, file, &files->files[i]);
        sst_feed_append(&maker, list, file);
    }
    sst_feed_set(&maker, whole, "files", list);
    return sst_feed_dump(&maker, whole, out, err);
}

static bool is_sum(const char *text)
{
    return text && strlen(text) == SST_SHA256_TEXT_SIZE - 1 &&
           strspn(text, "0123456789abcdef") == SST_SHA256_TEXT_SIZE - 1;
}

static enum sst_status take_file(const json_t *value, const char *what, struct sst_feed_files *files,
                                 struct sst_error *err)
{
    const char *path = json_string_value(json_object_get(value, "path"));
    const char *sum = json_string_value(json_object_get(value, "sha256"));
    const json_t *bytes = json_object_get(value, "bytes");
    struct sst_feed_file file = {0};
    if (!path || !*path || !is_sum(sum) || !json_is_integer(bytes) || json_integer_value(bytes) < 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: file %zu has no path, size or sum. Run 'sststream feed rebuild'", what,
                        files->n + 1);
    if (files->n > 0 && strcmp(files->files[files->n - 1].path, path) >= 0)
        return sst_fail(err, SST_ERR_INPUT, "%s: files are not in order at %s. Run 'sststream feed rebuild'", what,
                        path);
    SST_TRY(sst_grow(&files->files, &files->capacity, files->n + 1, sizeof *files->files, "the list of a feed's files",
                     err));
    SST_TRY(sst_strdup(path, &file.path, err));
    file.n_bytes = (uint64_t)json_integer_value(bytes);
    memcpy(file.sha256, sum, sizeof file.sha256);
    files->files[files->n++] = file;
    return SST_OK;
}

enum sst_status sst_feed_index_read(const char *text, size_t n_bytes, const char *what, struct sst_feed_files *files,
                                    struct sst_error *err)
{
    json_error_t where;
    enum sst_status rc = SST_OK;
    sst_feed_files_clear(files);
    json_t *whole = json_loadb(text, n_bytes, 0, &where);
    if (!whole)
        return sst_fail(err, SST_ERR_INPUT, "%s: line %d: %s. Run 'sststream feed rebuild'", what, where.line,
                        where.text);
    const char *schema = json_string_value(json_object_get(whole, "schema"));
    const json_t *list = json_object_get(whole, "files");
    if (!schema || strcmp(schema, SST_FEED_INDEX_SCHEMA) != 0 || !json_is_array(list)) {
        rc = sst_fail(err, SST_ERR_INPUT, "%s: this is no index of a feed (%s). Run 'sststream feed rebuild'", what,
                      SST_FEED_INDEX_SCHEMA);
        goto done;
    }
    for (size_t i = 0; i < json_array_size(list); ++i)
        SST_TRY_GOTO(take_file(json_array_get(list, i), what, files, err));
done:
    json_decref(whole);
    if (rc != SST_OK)
        sst_feed_files_clear(files);
    return rc;
}

/* --- latest.json -------------------------------------------------------------------------------------------------- */

static json_t *definition_json(struct sst_feed_maker *maker, const struct sst_feed_about *about)
{
    json_t *out = sst_feed_object(maker);
    struct sst_text sentence = {0};
    sst_feed_add_definition(&sentence, about);
    sst_feed_set_text(maker, out, "text", sentence.data);
    sst_text_clear(&sentence);
    sst_feed_set_text(maker, out, "kind", sst_feed_kind_text(about));
    sst_feed_set_number(maker, out, "percentile", about->percentile, 6);
    sst_feed_set_text(maker, out, "percentile_method", about->estimator);
    sst_feed_set_count(maker, out, "first_baseline_year", about->first_baseline_year);
    sst_feed_set_count(maker, out, "last_baseline_year", about->last_baseline_year);
    sst_feed_set_count(maker, out, "min_duration_days", about->min_duration);
    sst_feed_set_count(maker, out, "max_gap_days", about->max_gap);
    sst_feed_set_count(maker, out, "hold_missing_days", about->hold_missing);
    sst_feed_set_text(maker, out, "units", about->units);
    return out;
}

static json_t *timeliness_json(struct sst_feed_maker *maker, const struct sst_feed_state *state)
{
    json_t *out = sst_feed_object(maker), *missing = sst_feed_array(maker);
    sst_feed_set_day(maker, out, "newest", state->newest);
    sst_feed_set_day(maker, out, "newest_final", state->newest_final);
    sst_feed_set_day(maker, out, "oldest", state->oldest);
    sst_feed_set_number(maker, out, "age_days", state->age_days, 3);
    sst_feed_set_bool(maker, out, "is_late", state->is_late);
    sst_feed_set_day(maker, out, "expected", state->expected);
    for (size_t i = 0; i < state->n_days; ++i) {
        char text[SST_DAY_TEXT_SIZE];
        if (state->days[i].is_absent)
            sst_feed_append(maker, missing, json_string(sst_day_text(maker->calendar, state->days[i].day, text)));
    }
    sst_feed_set(maker, out, "missing_days", missing);
    return out;
}

static json_t *regions_json(struct sst_feed_maker *maker, const struct sst_feed_about *about,
                            const struct sst_feed_day *day)
{
    json_t *out = sst_feed_array(maker);
    for (size_t i = 0; i < about->regions->n; ++i) {
        json_t *region = sst_feed_object(maker);
        sst_feed_set_text(maker, region, "name", about->regions->regions[i].name);
        sst_feed_set_text(maker, region, "title", about->regions->regions[i].title);
        sst_feed_set_region_day(maker, region, &day->regions[i]);
        sst_feed_append(maker, out, region);
    }
    return out;
}

static json_t *areas_json(struct sst_feed_maker *maker, const struct sst_feed_day *day)
{
    json_t *out = sst_feed_object(maker);
    const struct sst_area *largest = NULL;
    for (size_t i = 0; i < day->n_present; ++i)
        if (!largest || day->areas[i].km2 > largest->km2)
            largest = &day->areas[i];
    sst_feed_set_count(maker, out, "count", (int64_t)day->n_present);
    sst_feed_set_area(maker, out, "largest", largest ? largest->id : 0);
    sst_feed_set_number(maker, out, "largest_km2", largest ? largest->km2 : 0, 1);
    return out;
}

static json_t *day_json(struct sst_feed_maker *maker, const struct sst_feed_latest *latest)
{
    const struct sst_feed_day *day = latest->day;
    char folder[SST_FEED_FOLDER_SIZE];
    json_t *out = sst_feed_object(maker), *files = sst_feed_array(maker);
    sst_feed_set_day(maker, out, "day", day->day);
    sst_feed_set_count(maker, out, "revision", day->revision);
    sst_feed_set_text(maker, out, "input_status", sst_feed_input_status(day->is_absent, day->is_preliminary));
    sst_feed_set_time(maker, out, "first_published", day->first_published);
    sst_feed_set_time(maker, out, "published", day->published);
    sst_feed_set_day(maker, out, "valid_until_revised", sst_feed_final_from(latest->about, day->day));
    sst_feed_set_text(maker, out, "folder", sst_feed_day_folder(maker->calendar, day->day, folder));
    const size_t length = strlen(folder);
    for (size_t i = 0; i < latest->files->n; ++i) {
        const struct sst_feed_file *listed = &latest->files->files[i];
        if (strncmp(listed->path, folder, length) != 0 || listed->path[length] != '/')
            continue;
        json_t *file = sst_feed_object(maker);
        set_file(maker, file, listed);
        sst_feed_append(maker, files, file);
    }
    sst_feed_set(maker, out, "files", files);
    sst_feed_set(maker, out, "areas", areas_json(maker, day));
    sst_feed_set(maker, out, "regions", regions_json(maker, latest->about, day));
    return out;
}

enum sst_status sst_feed_latest_json(const struct sst_feed_latest *latest, struct sst_text *out, struct sst_error *err)
{
    struct sst_feed_maker maker;
    struct sst_feed_file index = {.n_bytes = latest->n_index};
    json_t *whole = start(&maker, latest->about, SST_FEED_LATEST_SCHEMA, latest->state);
    sst_feed_set_text(&maker, whole, "link", latest->about->link);
    sst_feed_set_text(&maker, whole, "sibling", latest->about->sibling);
    sst_feed_set(&maker, whole, "definition", definition_json(&maker, latest->about));
    sst_feed_set(&maker, whole, "timeliness", timeliness_json(&maker, latest->state));
    sst_feed_set(&maker, whole, "latest", latest->day ? day_json(&maker, latest) : json_null());
    json_t *file = sst_feed_object(&maker);
    sst_feed_set_text(&maker, file, "path", "index.json");
    sst_feed_set_count(&maker, file, "bytes", (int64_t)index.n_bytes);
    sst_feed_set_text(&maker, file, "sha256", sst_sha256_of_bytes(latest->index, latest->n_index, index.sha256));
    sst_feed_set(&maker, whole, "index", file);
    return sst_feed_dump(&maker, whole, out, err);
}
