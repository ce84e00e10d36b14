/*
 * `sststream feed rebuild`: a feed anew, of daily files or of the days of a state that keeps all, in order, as if they had come one
 * by one.
 */
#include <string.h>

#include "app/commands.h"
#include "app/feed_job.h"
#include "app/job.h"
#include "app/kept_days.h"
#include "app/known_days.h"
#include "app/signals.h"
#include "backend/backend.h"
#include "core/mem.h"
#include "stream/reader.h"
#include "stream/source.h"

/* With --from days of a state are read from so many before it on. */
enum { LEAD_DAYS = 366 };

struct rebuild {
    const struct sst_options *options;
    struct sst_progress progress;
    struct sst_feed_job job;
    struct sst_day from; /* --from; slot 0: not given */
    /* Of a state: */
    struct sst_state *state;
    struct sst_known_days known;
    struct sst_kept_days kept;
    /* Of files: */
    struct sst_sources sources;
    struct sst_catalog *catalog;
    struct sst_domain domain; /* the whole grid, as the files have it */
    struct sst_reader *reader;
    size_t *canonical; /* by domain cell */
    int16_t *codes; /* of a day, canonical order */
    uint8_t *ice;
};

static enum sst_status open_feed(struct rebuild *rebuild, const struct sst_feed_series *series, struct sst_error *err)
{
    const struct sst_options *options = rebuild->options;
    SST_TRY(sst_feed_job_open(&rebuild->job, options, 0, series, SST_FEED_ANEW, err));
    if (!options->is_given[SST_OPTION_ID_from])
        return SST_OK;
    const int slot = sst_calendar_slot(series->calendar, options->from_month, options->from_day);
    rebuild->from = (struct sst_day){options->from_year, slot};
    if (slot == 0 || !sst_calendar_has_day(series->calendar, rebuild->from))
        return sst_fail(err, SST_ERR_USAGE, "--from: the calendar of the days, %s, has no such day",
                        sst_calendar_name(series->calendar));
    sst_feed_publish_from(rebuild->job.feed, rebuild->from);
    return SST_OK;
}

/* --- of files ----------------------------------------------------------------------------------------------------- */

static enum sst_status open_feed_of_files(struct rebuild *rebuild, struct sst_error *err)
{
    const struct sst_catalog *catalog = rebuild->catalog;
    const struct sst_feed_series series = {
        .grid = catalog->grid,
        .calendar = catalog->calendar,
        .lattice = catalog->lattice,
        .product = catalog->title,
        .files = rebuild->options->inputs[1],
    };
    return open_feed(rebuild, &series, err);
}

static enum sst_status open_reader(struct rebuild *rebuild, struct sst_error *err)
{
    const struct sst_options *options = rebuild->options;
    const struct sst_reader_options reader_options = {
        .decode = sst_job_decode_options(options),
        .stop_on_bad = options->stop_on_bad,
        .crew = sst_job_crew(options),
        .notes = sst_log_note,
        .notes_user = options->log,
        .details = sst_log_detail,
        .details_user = options->log,
    };
    sst_domain_all(rebuild->catalog->grid, &rebuild->domain);
    const size_t n = rebuild->domain.n_cells;
    SST_TRY(sst_alloc(n, sizeof *rebuild->canonical, "the cells' numbers", &rebuild->canonical, err));
    SST_TRY(sst_alloc(n, sizeof *rebuild->codes, "a day's values", &rebuild->codes, err));
    SST_TRY(sst_alloc(n, 1, "a day's ice", &rebuild->ice, err));
    for (size_t cell = 0; cell < n; ++cell)
        rebuild->canonical[cell] = (size_t)sst_domain_canonical(&rebuild->domain, cell);
    return sst_reader_create(rebuild->catalog, &rebuild->domain, &reader_options, &rebuild->reader, err);
}

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

static enum sst_status put_day(struct rebuild *rebuild, struct sst_day day, const struct sst_field *field,
                               struct sst_error *err)
{
    const size_t n = rebuild->domain.n_cells;
    struct sst_feed_source source = {.is_preliminary = is_preliminary(rebuild->catalog, day)};
    struct sst_field canonical = {.n_cells = n, .codes = rebuild->codes, .ice = rebuild->ice};
    source.digest = sst_domain_digest(&rebuild->domain, field->codes);
    for (size_t cell = 0; cell < n; ++cell)
        rebuild->codes[cell] = field->ice[cell];
    source.ice_digest = field->has_ice ? sst_domain_digest(&rebuild->domain, rebuild->codes) : 0;
    for (size_t cell = 0; cell < n; ++cell) {
        rebuild->codes[rebuild->canonical[cell]] = field->codes[cell];
        rebuild->ice[rebuild->canonical[cell]] = field->ice[cell];
    }
    sst_feed_job_hand(&rebuild->job, day, &source, &canonical);
    sst_feed_job_confirm(&rebuild->job, day, source.is_preliminary);
    return sst_feed_job_flush(&rebuild->job, err);
}

static enum sst_status list_days(const struct sst_catalog *catalog, struct sst_day **out, size_t *n,
                                 struct sst_error *err)
{
    const int64_t first = sst_calendar_days_since_1970(catalog->calendar, catalog->first_day);
    const int64_t last = sst_calendar_days_since_1970(catalog->calendar, catalog->last_day);
    SST_TRY(sst_alloc((size_t)(last - first + 1), sizeof **out, "the list of days", out, err));
    for (int64_t number = first; number <= last; ++number) {
        const struct sst_day day = sst_calendar_day_at(catalog->calendar, number);
        if (sst_catalog_has_day(catalog, day))
            (*out)[(*n)++] = day;
    }
    return SST_OK;
}

static enum sst_status check_cancelled(struct sst_error *err)
{
    return sst_signals_cancelled(NULL)
               ? sst_fail(err, SST_ERR_INTERRUPTED, "interrupted: the feed is whole, but of days up to here")
               : SST_OK;
}

static enum sst_status read_days(struct rebuild *rebuild, const struct sst_day *days, size_t n, struct sst_error *err)
{
    const struct sst_field_source *source = sst_reader_source(rebuild->reader);
    if (source->expect)
        SST_TRY(source->expect(source->user, days, n, err));
    for (size_t i = 0; i < n; ++i) {
        const struct sst_field *field = NULL;
        SST_TRY(check_cancelled(err));
        SST_TRY(source->get(source->user, days[i], &field, err));
        SST_TRY(field ? put_day(rebuild, days[i], field, err) : sst_feed_advance(rebuild->job.feed, days[i], err));
        source->give_back(source->user);
        sst_progress_update(&rebuild->progress, i + 1, n, source->bytes_read(source->user));
    }
    return SST_OK;
}

static enum sst_status make_of_files(struct rebuild *rebuild, struct sst_error *err)
{
    struct sst_day *days = NULL;
    size_t n = 0;
    SST_TRY(list_days(rebuild->catalog, &days, &n, err));
    sst_progress_begin(&rebuild->progress, "feed", "days", 0);
    const enum sst_status rc = read_days(rebuild, days, n, err);
    sst_progress_end(&rebuild->progress);
    sst_free(days);
    SST_TRY(rc);
    return sst_feed_publish(rebuild->job.feed, (struct sst_day){0}, err);
}

static enum sst_status rebuild_of_files(struct rebuild *rebuild, struct sst_error *err)
{
    const struct sst_options *options = rebuild->options;
    /* The first word is what is to be done. */
    SST_TRY(sst_job_scan(options, options->inputs + 1, options->n_inputs - 1, &rebuild->progress, &rebuild->sources,
                         &rebuild->catalog, err));
    SST_TRY(sst_log_check(options->log, SST_ERR_INPUT, err));
    SST_TRY(open_feed_of_files(rebuild, err));
    SST_TRY(open_reader(rebuild, err));
    return make_of_files(rebuild, err);
}

/* --- of a state --------------------------------------------------------------------------------------------------- */

static enum sst_status open_state(struct rebuild *rebuild, struct sst_error *err)
{
    const char *path = rebuild->options->state;
    SST_TRY(sst_state_open(sst_os_system(), path, SST_STATE_READ, &rebuild->state, err));
    const struct sst_state_policy *policy = sst_state_policy(rebuild->state);
    const struct sst_feed_series series = {
        .grid = policy->grid,
        .calendar = policy->pools.kind,
        .lattice = policy->lattice,
        .product = policy->product,
        .files = path,
    };
    SST_TRY(sst_kept_days_open(rebuild->state, &rebuild->kept, err));
    SST_TRY(sst_known_days_read(rebuild->state, &rebuild->known, err));
    if (rebuild->known.n == 0)
        return sst_fail(err, SST_ERR_STATE, "%s: it has no day. Count days into it first: sststream ingest", path);
    return open_feed(rebuild, &series, err);
}

static size_t first_known(const struct rebuild *rebuild)
{
    const struct sst_known_days *known = &rebuild->known;
    size_t first = 0;
    if (rebuild->from.slot == 0)
        return 0;
    const int64_t from = sst_calendar_days_since_1970(known->kind, rebuild->from) - LEAD_DAYS;
    while (first < known->n && sst_calendar_days_since_1970(known->kind, known->days[first]) < from)
        ++first;
    return first;
}

static enum sst_status take_kept_days(struct rebuild *rebuild, struct sst_error *err)
{
    const struct sst_known_days *known = &rebuild->known;
    const size_t first = first_known(rebuild);
    for (size_t i = first; i < known->n; ++i) {
        const struct sst_field *field = NULL;
        struct sst_feed_source source = {0};
        SST_TRY(check_cancelled(err));
        SST_TRY(sst_kept_days_read(&rebuild->kept, known->days[i], &source, &field, err));
        sst_feed_job_hand(&rebuild->job, known->days[i], &source, field);
        sst_feed_job_confirm(&rebuild->job, known->days[i], source.is_preliminary);
        SST_TRY(sst_feed_job_flush(&rebuild->job, err));
        sst_progress_update(&rebuild->progress, i + 1 - first, known->n - first, 0);
    }
    return SST_OK;
}

static enum sst_status rebuild_of_state(struct rebuild *rebuild, struct sst_error *err)
{
    SST_TRY(open_state(rebuild, err));
    sst_progress_begin(&rebuild->progress, "feed", "days", 0);
    const enum sst_status rc = take_kept_days(rebuild, err);
    sst_progress_end(&rebuild->progress);
    SST_TRY(rc);
    return sst_feed_publish(rebuild->job.feed, (struct sst_day){0}, err);
}

/* --- both --------------------------------------------------------------------------------------------------------- */

static enum sst_status conclude(const struct rebuild *rebuild, struct sst_error *err)
{
    const struct sst_options *options = rebuild->options;
    const size_t n_bad = rebuild->reader ? sst_reader_totals(rebuild->reader)->n_days_bad : 0;
    const struct sst_feed_totals *totals = sst_feed_totals(rebuild->job.feed);
    for (size_t i = 0; rebuild->catalog && i < rebuild->catalog->n_rejects; ++i)
        sst_log_warn(options->log, "%s: %s", rebuild->catalog->rejects[i].path, rebuild->catalog->rejects[i].reason);
    sst_log_info(options->log, "%s: %zu days written, %zu entries announced", options->feeds[0], totals->n_days_written,
                 totals->n_announced);
    if (n_bad > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s had no usable file", n_bad,
                        n_bad == 1 ? "" : "s");
    return sst_log_check(options->log, SST_ERR_INPUT, err);
}

static void clear(struct rebuild *rebuild)
{
    sst_feed_job_close(&rebuild->job);
    sst_kept_days_close(&rebuild->kept);
    sst_known_days_clear(&rebuild->known);
    sst_state_close(&rebuild->state);
    sst_reader_destroy(&rebuild->reader);
    sst_catalog_destroy(&rebuild->catalog);
    sst_sources_clear(&rebuild->sources);
    sst_free(rebuild->canonical);
    sst_free(rebuild->codes);
    sst_free(rebuild->ice);
}

int cmd_feed(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct rebuild rebuild = {.options = options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    enum sst_status rc = SST_OK;
    sst_progress_init(&rebuild.progress, options->progress, &terminal, options->log);
    sst_backend_cpu_set_threads(options->n_threads);
    SST_TRY_GOTO(options->state ? rebuild_of_state(&rebuild, &err) : rebuild_of_files(&rebuild, &err));
    rc = conclude(&rebuild, &err);
done:
    clear(&rebuild);
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    return sst_status_exit_code(rc);
}
