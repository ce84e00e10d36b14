/* `sststream detect`: wires files, a climatology and the ring of days, and writes what they find. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/commands.h"
#include "app/detect.h"
#include "app/environment.h"
#include "app/job.h"
#include "app/run_attributes.h"
#include "app/signals.h"
#include "backend/backend.h"
#include "core/mem.h"
#include "monitor/event_day.h"
#include "stream/reader.h"
#include "write/place.h"

enum { DEFINITION_SIZE = 512, HISTORY_SIZE = 2048, SOURCE_SIZE = 512 };

/* A day of maps, in the order of the domain. */
struct maps {
    int8_t *category, *status, *surface;
    float *anomaly, *severity;
    int16_t *days_above;
    int64_t *event;
};

struct detect {
    const struct sst_options *options;
    struct sst_progress progress;
    struct sst_sources sources;
    struct sst_catalog *catalog;
    struct sst_detect_limits limits;
    struct sst_domain domain; /* of the daily files */
    size_t *watched; /* its cells that have a threshold */
    size_t n_watched;
    uint64_t *canonical; /* of these */
    struct sst_reader *reader;
    float *sst; /* [degC] by watched cell */
    uint8_t *ice;
    int32_t first_day, last_day; /* [days since 1970-01-01] */
    struct sst_event_ring *ring;
    struct sst_detect_table table;
    struct sst_mhw_file *file;
    struct maps maps;
    char definition[DEFINITION_SIZE];
    size_t n_events, n_by_category[SST_EVENT_N_CATEGORIES + 1];
};

static bool is_cold(const struct detect *detect) { return detect->options->is_cold; }

static enum sst_event_direction direction_of(const struct detect *detect)
{
    return is_cold(detect) ? SST_EVENT_COLD : SST_EVENT_WARM;
}

/* --- what is read ------------------------------------------------------------------------------------------------- */

/* The calendar days that the series touches, days without a file too: an event may bridge them. */
static void want_slots(const struct detect *detect, bool *wanted)
{
    const enum sst_calendar_kind calendar = detect->catalog->calendar;
    for (int32_t day = detect->first_day; day <= detect->last_day && day - detect->first_day < 2 * SST_N_SLOTS; ++day)
        wanted[sst_calendar_day_at(calendar, day).slot] = true;
    if (detect->last_day - detect->first_day >= 2 * SST_N_SLOTS)
        wanted[SST_SLOT_FEB29] = true; /* a leap year may be among the rest */
}

static enum sst_status settle_calendar(struct detect *detect, struct sst_error *err)
{
    const struct sst_catalog *catalog = detect->catalog;
    const enum sst_calendar_kind theirs = sst_clim_read_info(detect->limits.reader)->calendar;
    if ((catalog->calendar == SST_CALENDAR_360_DAY) != (theirs == SST_CALENDAR_360_DAY))
        return sst_fail(err, SST_ERR_TIME,
                        "--clim %s: its calendar is %s, the daily files' is %s. Give one of that calendar",
                        detect->options->clim, sst_calendar_name(theirs), sst_calendar_name(catalog->calendar));
    detect->first_day = (int32_t)sst_calendar_days_since_1970(catalog->calendar, catalog->first_day);
    detect->last_day = (int32_t)sst_calendar_days_since_1970(catalog->calendar, catalog->last_day);
    return SST_OK;
}

static enum sst_status settle_cells(struct detect *detect, struct sst_error *err)
{
    bool wanted[SST_N_SLOTS + 1] = {false};
    struct sst_grid_map map;
    want_slots(detect, wanted);
    SST_TRY(sst_detect_match(&detect->limits, detect->catalog->grid, detect->options->inputs[0], &detect->domain, &map,
                             err));
    SST_TRY(sst_detect_choose_cells(&detect->limits, &detect->domain, &map, wanted, &detect->watched,
                                    &detect->n_watched, err));
    SST_TRY(sst_alloc(detect->n_watched, sizeof *detect->canonical, "the cells' numbers", &detect->canonical, err));
    for (size_t i = 0; i < detect->n_watched; ++i)
        detect->canonical[i] = sst_domain_canonical(&detect->domain, detect->watched[i]);
    SST_TRY(sst_alloc(detect->n_watched, sizeof *detect->sst, "a day's values", &detect->sst, err));
    return sst_alloc(detect->n_watched, 1, "a day's ice", &detect->ice, err);
}

/* --- what is found ------------------------------------------------------------------------------------------------ */

static enum sst_status get_limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                                  struct sst_error *err)
{
    struct detect *detect = user;
    return sst_detect_limits_get(&detect->limits, day.slot, mean, threshold, flags, err);
}

static enum sst_status take_event(void *user, const struct sst_event *event, struct sst_error *err)
{
    struct detect *detect = user;
    ++detect->n_events;
    ++detect->n_by_category[event->category];
    return detect->table.file ? sst_detect_table_put(&detect->table, event, err) : SST_OK;
}

static void clear_maps(struct detect *detect)
{
    const struct maps *maps = &detect->maps;
    for (size_t cell = 0; cell < detect->domain.n_cells; ++cell) {
        maps->category[cell] = SST_MHW_FILL_BYTE;
        maps->status[cell] = SST_MHW_FILL_BYTE;
        maps->surface[cell] = SST_EVENT_SURFACE_LAND;
        maps->anomaly[cell] = SST_MHW_FILL;
        maps->severity[cell] = SST_MHW_FILL;
        maps->days_above[cell] = SST_MHW_FILL_DAYS;
        maps->event[cell] = SST_MHW_FILL_EVENT;
    }
}

static void fill_cell(const struct detect *detect, const struct sst_event_day *day, size_t i)
{
    const struct maps *maps = &detect->maps;
    const size_t cell = detect->watched[i];
    const struct sst_event_cell_day told = sst_event_cell_day(day, direction_of(detect), i);
    const enum sst_event_label label = sst_event_ring_label(detect->ring, day->day, i);
    const bool is_in_event =
        label == SST_EVENT_LABEL_CANDIDATE || label == SST_EVENT_LABEL_EVENT || label == SST_EVENT_LABEL_BRIDGED;
    maps->surface[cell] = (int8_t)told.surface;
    if (told.surface == SST_EVENT_SURFACE_LAND)
        return;
    maps->category[cell] = (int8_t)told.category;
    maps->status[cell] = (int8_t)label;
    maps->anomaly[cell] = isnan(told.anomaly) ? SST_MHW_FILL : told.anomaly;
    maps->severity[cell] = isnan(told.severity) ? SST_MHW_FILL : told.severity;
    if (!isnan(day->sst[i]))
        maps->days_above[cell] = (int16_t)(day->runs[i] < INT16_MAX ? day->runs[i] : INT16_MAX);
    if (is_in_event)
        maps->event[cell] = (int64_t)sst_event_id(detect->canonical[i], day->starts[i], direction_of(detect));
}

static enum sst_status take_day(void *user, const struct sst_event_day *day, struct sst_error *err)
{
    struct detect *detect = user;
    const struct maps *maps = &detect->maps;
    if (!detect->file)
        return SST_OK;
    clear_maps(detect);
    for (size_t i = 0; i < detect->n_watched; ++i)
        fill_cell(detect, day, i);
    const struct sst_mhw_day out = {
        .category = maps->category,
        .status = maps->status,
        .surface = maps->surface,
        .anomaly = maps->anomaly,
        .severity = maps->severity,
        .days_above = maps->days_above,
        .event = maps->event,
        .input = day->is_absent        ? SST_MHW_INPUT_MISSING
                 : day->is_preliminary ? SST_MHW_INPUT_PRELIMINARY
                                       : SST_MHW_INPUT_FINAL,
    };
    return sst_mhw_put(detect->file, &out, err);
}

static enum sst_status make_ring(struct detect *detect, struct sst_error *err)
{
    const struct sst_options *options = detect->options;
    const struct sst_event_rule rule = {direction_of(detect), options->min_duration, options->max_gap, options->max_pad,
                                        options->hold_missing};
    const int32_t least = sst_event_ring_least_days(&rule), held = options->hold_missing + 1;
    const struct sst_event_ring_spec spec = {
        .rule = rule,
        .calendar = detect->catalog->calendar,
        .n_cells = detect->n_watched,
        .canonical_cells = detect->canonical,
        .n_days = least > held ? least : held,
        .links = {.user = detect, .limits = get_limits, .event = take_event, .day = take_day},
    };
    char size[SST_SIZE_TEXT];
    sst_log_debug(options->log, "%zu of %zu cells have a threshold; their events take %s", detect->n_watched,
                  detect->domain.n_cells,
                  sst_size_text(sst_event_ring_bytes(detect->n_watched, spec.n_days), true, size));
    return sst_event_ring_create(&spec, &detect->ring, err);
}

/* --- what is written ---------------------------------------------------------------------------------------------- */

#define X(symbol, name, text) " " name
static const char surface_meanings[] = SST_EVENT_SURFACE_LIST(X);
#undef X
#define X(symbol, name, text) "; " name ": " text
static const char surface_comment[] = SST_EVENT_SURFACE_LIST(X);
#undef X

static void define(struct detect *detect)
{
    const struct sst_options *options = detect->options;
    const struct sst_clim_read_info *info = sst_clim_read_info(detect->limits.reader);
    (void)snprintf(
        detect->definition, sizeof detect->definition,
        "At least %d days in a row strictly %s %.60s, both as float32; events with no more than %d days between "
        "them are one; no more than %d missing days in a row are filled, others end a run (Hobday et al. 2016, "
        "2018).",
        options->min_duration, is_cold(detect) ? "below" : "above", info->variables[SST_CLIM_PERCENTILE],
        options->max_gap, options->max_pad);
}

static enum sst_status alloc_maps(size_t n, struct maps *maps, struct sst_error *err)
{
    const char *what = "a day's maps";
    SST_TRY(sst_alloc(n, sizeof *maps->category, what, &maps->category, err));
    SST_TRY(sst_alloc(n, sizeof *maps->status, what, &maps->status, err));
    SST_TRY(sst_alloc(n, sizeof *maps->surface, what, &maps->surface, err));
    SST_TRY(sst_alloc(n, sizeof *maps->anomaly, what, &maps->anomaly, err));
    SST_TRY(sst_alloc(n, sizeof *maps->severity, what, &maps->severity, err));
    SST_TRY(sst_alloc(n, sizeof *maps->days_above, what, &maps->days_above, err));
    return sst_alloc(n, sizeof *maps->event, what, &maps->event, err);
}

static enum sst_status open_maps(struct detect *detect, const struct sst_attribute *attributes, size_t n_attributes,
                                 struct sst_error *err)
{
    const struct sst_options *options = detect->options;
    const struct sst_mhw_spec spec = {
        .path = options->output,
        .overwrite = options->overwrite,
        .domain = &detect->domain,
        .calendar = detect->catalog->calendar,
        .first_day = detect->first_day,
        .n_days = (size_t)(detect->last_day - detect->first_day + 1),
        .is_cold = is_cold(detect),
        .status =
            {"none candidate confirmed bridged unknown awaiting",
             "none: in no event; candidate: beyond the threshold, for too few days in a row by the end of the series; "
             "confirmed: in an event; bridged: in an event, between two runs; unknown: no value; awaiting: unknown or "
             "later, while an event that was open waits for the day"},
        .surface = {surface_meanings + 1, surface_comment + 2},
        .definition = detect->definition,
        .attributes = attributes,
        .n_attributes = n_attributes,
        .deflate_level = options->deflate_level,
    };
    SST_TRY(alloc_maps(detect->domain.n_cells, &detect->maps, err));
    return sst_mhw_create(&spec, &detect->file, err);
}

static enum sst_status describe_maps(struct detect *detect, struct sst_error *err)
{
    const struct sst_clim_read_info *info = sst_clim_read_info(detect->limits.reader);
    const struct sst_catalog *catalog = detect->catalog;
    char created[SST_ISO_TIME_SIZE], history[HISTORY_SIZE], source[SOURCE_SIZE];
    int64_t now = 0;
    SST_TRY(sst_output_time(&now, err));
    (void)sst_iso_time(now, created);
    (void)snprintf(history, sizeof history, "%s sststream %s: sststream detect %.1800s", created, sst_version(),
                   detect->options->arguments);
    (void)snprintf(source, sizeof source, "%.200s (%zu files); climatology %.200s",
                   catalog->title[0] ? catalog->title : "daily sea surface temperature", catalog->n_files,
                   detect->options->clim);
    const struct sst_attribute attributes[] = {
        {"title", is_cold(detect) ? "Marine cold spells by cell and day" : "Marine heatwaves by cell and day"},
        {"source", source},
        {"history", history},
        {"climatology_id", info->climatology_id},
        {"date_created", created},
        {"sststream_version", sst_version()},
    };
    return open_maps(detect, attributes, sizeof attributes / sizeof *attributes, err);
}

static enum sst_status open_outputs(struct detect *detect, struct sst_error *err)
{
    const struct sst_options *options = detect->options;
    detect->table = (struct sst_detect_table){
        .path = options->events,
        .domain = &detect->domain,
        .watched = detect->watched,
        .calendar = detect->catalog->calendar,
        .first_day = detect->first_day,
    };
    define(detect);
    if (options->events)
        SST_TRY(sst_detect_table_open(&detect->table, detect->n_watched, options->overwrite, err));
    return options->output ? describe_maps(detect, err) : SST_OK;
}

/* --- the days ----------------------------------------------------------------------------------------------------- */

/* Whether all files that have the day are preliminary. */
static bool is_preliminary(const struct sst_catalog *catalog, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(catalog, day, &first, &count);
    for (size_t i = first; i < first + count; ++i)
        if (!catalog->files[catalog->entries[i].file].is_preliminary)
            return false;
    return true;
}

static enum sst_status put_day(struct detect *detect, struct sst_day day, const struct sst_field *field,
                               struct sst_error *err)
{
    enum sst_event_outcome outcome = SST_EVENT_DAY_ADDED;
    for (size_t i = 0; i < detect->n_watched; ++i) {
        const size_t cell = detect->watched[i];
        detect->sst[i] = field->degc[cell];
        detect->ice[i] = field->ice[cell];
    }
    return sst_event_ring_put(detect->ring, day, detect->sst, detect->ice, is_preliminary(detect->catalog, day),
                              &outcome, err);
}

static enum sst_status list_days(const struct detect *detect, struct sst_day **out, size_t *n, struct sst_error *err)
{
    const struct sst_catalog *catalog = detect->catalog;
    struct sst_day *days = NULL;
    SST_TRY(
        sst_alloc((size_t)(detect->last_day - detect->first_day + 1), sizeof *days, "the list of days", &days, err));
    for (int32_t number = detect->first_day; number <= detect->last_day; ++number) {
        const struct sst_day day = sst_calendar_day_at(catalog->calendar, number);
        if (sst_catalog_has_day(catalog, day))
            days[(*n)++] = day;
    }
    *out = days;
    return SST_OK;
}

static enum sst_status read_days(struct detect *detect, const struct sst_day *days, size_t n, struct sst_error *err)
{
    const struct sst_field_source *source = sst_reader_source(detect->reader);
    if (source->expect)
        SST_TRY(source->expect(source->user, days, n, err));
    for (size_t i = 0; i < n; ++i) {
        const struct sst_field *field = NULL;
        if (sst_signals_cancelled(NULL))
            return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted");
        SST_TRY(source->get(source->user, days[i], &field, err));
        SST_TRY(field ? put_day(detect, days[i], field, err) : sst_event_ring_advance(detect->ring, days[i], err));
        source->give_back(source->user);
        sst_progress_update(&detect->progress, i + 1, n, source->bytes_read(source->user));
    }
    return sst_event_ring_finish(detect->ring, err);
}

static enum sst_status detect_all(struct detect *detect, struct sst_error *err)
{
    const struct sst_options *options = detect->options;
    const struct sst_reader_options reader_options = {
        .decode = sst_job_decode_options(options),
        .stop_on_bad = options->stop_on_bad,
        .wants_degc = true,
        .crew = sst_job_crew(options),
        .notes = sst_log_note,
        .notes_user = options->log,
        .details = sst_log_detail,
        .details_user = options->log,
    };
    struct sst_day *days = NULL;
    size_t n = 0;
    SST_TRY(sst_reader_create(detect->catalog, &detect->domain, &reader_options, &detect->reader, err));
    SST_TRY(list_days(detect, &days, &n, err));
    sst_progress_begin(&detect->progress, "detect", "days", 0);
    const enum sst_status rc = read_days(detect, days, n, err);
    sst_progress_end(&detect->progress);
    sst_free(days);
    return rc;
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static void tell(const struct detect *detect)
{
    const size_t *n = detect->n_by_category;
    const struct sst_catalog *catalog = detect->catalog;
    char first[SST_DAY_TEXT_SIZE], last[SST_DAY_TEXT_SIZE];
    for (size_t i = 0; i < catalog->n_rejects; ++i)
        sst_log_warn(detect->options->log, "%s: %s", catalog->rejects[i].path, catalog->rejects[i].reason);
    sst_log_info(
        detect->options->log,
        "%zu %s in %zu cells, %s to %s: %zu moderate, %zu strong, %zu severe, %zu extreme, %zu without category",
        detect->n_events, is_cold(detect) ? "cold spells" : "heatwaves", detect->n_watched,
        sst_day_text(catalog->calendar, catalog->first_day, first),
        sst_day_text(catalog->calendar, catalog->last_day, last), n[1], n[2], n[3], n[4], n[0]);
}

static enum sst_status conclude(struct detect *detect, struct sst_error *err)
{
    const struct sst_options *options = detect->options;
    const size_t n_bad = sst_reader_totals(detect->reader)->n_days_bad;
    tell(detect);
    SST_TRY(sst_log_check(options->log, SST_ERR_INPUT, err));
    if (options
            ->events) /* whole before the maps take their place, so that both do or neither, but for a crash between */
        SST_TRY(sst_detect_table_complete(&detect->table, err));
    if (options->output)
        SST_TRY(sst_mhw_finish(&detect->file, err));
    if (options->events)
        SST_TRY(sst_detect_table_finish(&detect->table, options->overwrite, err));
    if (n_bad > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s had no usable file", n_bad,
                        n_bad == 1 ? "" : "s");
    return SST_OK;
}

static void clear(struct detect *detect)
{
    void *const arrays[] = {detect->maps.category, detect->maps.status,     detect->maps.surface, detect->maps.anomaly,
                            detect->maps.severity, detect->maps.days_above, detect->maps.event,   detect->sst,
                            detect->ice,           detect->canonical,       detect->watched};
    sst_mhw_abandon(&detect->file);
    sst_detect_table_clear(&detect->table);
    sst_event_ring_destroy(&detect->ring);
    sst_reader_destroy(&detect->reader);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        sst_free(arrays[i]);
    sst_detect_limits_clear(&detect->limits);
    sst_catalog_destroy(&detect->catalog);
    sst_sources_clear(&detect->sources);
}

int cmd_detect(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct detect detect = {.options = options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    enum sst_status rc = SST_OK;
    sst_progress_init(&detect.progress, options->progress, &terminal, options->log);
    sst_backend_cpu_set_threads(options->n_threads);
    if (options->output)
        SST_TRY_GOTO(sst_place_check(options->output, options->overwrite, &err));
    if (options->events)
        SST_TRY_GOTO(sst_place_check(options->events, options->overwrite, &err));
    SST_TRY_GOTO(sst_detect_limits_open(options, &detect.limits, &err));
    SST_TRY_GOTO(sst_job_scan(options, options->inputs, options->n_inputs, &detect.progress, &detect.sources,
                              &detect.catalog, &err));
    SST_TRY_GOTO(sst_log_check(options->log, SST_ERR_INPUT, &err));
    SST_TRY_GOTO(settle_calendar(&detect, &err));
    SST_TRY_GOTO(settle_cells(&detect, &err));
    SST_TRY_GOTO(make_ring(&detect, &err));
    SST_TRY_GOTO(open_outputs(&detect, &err));
    SST_TRY_GOTO(detect_all(&detect, &err));
    rc = conclude(&detect, &err);
done:
    clear(&detect);
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    return sst_status_exit_code(rc);
}
