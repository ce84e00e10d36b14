/* Feeds as commands drive them. */
#include "app/feed_job.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/environment.h"
#include "core/digest.h"
#include "core/mem.h"
#include "core/text.h"
#include "monitor/feed_words.h"

/* Slots in which cells are looked for: a cell with a threshold has one in one of these. */
enum { SLOTS_LOOKED_AT = 12 };

/* Of bounds, where the climatology states several. */
#define BOUND_COVERAGE 0.95

/* --- the climatology ---------------------------------------------------------------------------------------------- */

/* Some of the slots that the climatology has, evenly; false where it has none. */
static bool want_slots(const struct sst_clim_read_info *info, bool *wanted)
{
    const int n = info->n_slots < SLOTS_LOOKED_AT ? info->n_slots : SLOTS_LOOKED_AT;
    int seen = 0;
    for (int slot = 1; slot <= SST_N_SLOTS && n > 0; ++slot) {
        if (!info->has_slot[slot])
            continue;
        wanted[slot] = seen * n / info->n_slots != (seen - 1) * n / info->n_slots || seen == 0;
        ++seen;
    }
    return n > 0;
}

/* The slot whose values a day takes: climatologies of 365 days have none for 29 February. */
static int slot_of(const struct sst_clim_read_info *info, struct sst_day day)
{
    return day.slot == SST_SLOT_FEB29 && !info->has_slot[SST_SLOT_FEB29] ? SST_SLOT_FEB29 - 1 : day.slot;
}

static enum sst_status get_limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                                  struct sst_error *err)
{
    struct sst_feed_job *job = user;
    const struct sst_clim_read_info *info = sst_clim_read_info(job->limits.reader);
    const int slot = slot_of(info, day);
    char text[SST_DAY_TEXT_SIZE];
    if (!info->has_slot[slot])
        return sst_fail(err, SST_ERR_INPUT,
                        "--clim %s: it has no values for the calendar day of %s. Give a climatology of the whole year",
                        job->of_limits.clim, sst_day_text(job->series.calendar, day, text));
    return sst_detect_limits_get(&job->limits, slot, mean, threshold, flags, err);
}

/* How far the threshold lies from the farther one of two bounds. */
static enum sst_status get_widths(struct sst_feed_job *job, int slot, float *bound, struct sst_error *err)
{
    struct sst_detect_limits *limits = &job->limits;
    const size_t n = job->n_watched;
    const float *threshold = job->of_bounds + n;
    SST_TRY(sst_detect_limits_get(limits, slot, job->of_bounds, job->of_bounds + n, job->flags_of_bounds, err));
    SST_TRY(sst_clim_read_get(job->bounds, SST_CLIM_MEAN, slot, &limits->domain, &limits->whole, limits->mean, err));
    for (size_t i = 0; i < n; ++i)
        bound[i] = threshold[i] - (float)limits->mean[limits->cells[i]];
    SST_TRY(
        sst_clim_read_get(job->bounds, SST_CLIM_PERCENTILE, slot, &limits->domain, &limits->whole, limits->mean, err));
    for (size_t i = 0; i < n; ++i) {
        const float above = (float)limits->mean[limits->cells[i]] - threshold[i];
        bound[i] = above > bound[i] || isnan(above) ? above : bound[i];
    }
    return SST_OK;
}

static enum sst_status get_bounds_of(struct sst_feed_job *job, int slot, float *bound, struct sst_error *err)
{
    struct sst_detect_limits *limits = &job->limits;
    if (job->has_limits_of_bounds)
        return get_widths(job, slot, bound, err);
    SST_TRY(
        sst_clim_read_get(job->bounds, SST_CLIM_PERCENTILE, slot, &limits->domain, &limits->whole, limits->mean, err));
    for (size_t i = 0; i < job->n_watched; ++i)
        bound[i] = (float)limits->mean[limits->cells[i]];
    return SST_OK;
}

static enum sst_status get_bounds(void *user, struct sst_day day, float *bound, struct sst_error *err)
{
    struct sst_feed_job *job = user;
    return get_bounds_of(job, slot_of(sst_clim_read_info(job->limits.reader), day), bound, err);
}

/* Opens variables of the climatology beside the threshold; job->bounds is NULL where it has none of that name. */
static enum sst_status choose_bounds(struct sst_feed_job *job, const char *upper, const char *lower,
                                     struct sst_error *err)
{
    struct sst_error found = {SST_OK, ""};
    const struct sst_clim_choice choice = {
        .variables = {[SST_CLIM_PERCENTILE] = upper, [SST_CLIM_MEAN] = lower},
        .units = lower ? NULL : "degree_Celsius", /* a half width is a difference: no offset */
        .percentile = NAN,
    };
    SST_TRY(sst_clim_read_open(job->of_limits.clim, &job->bounds, err));
    const enum sst_status rc = sst_clim_read_choose(job->bounds, &choice, &found);
    if (rc == SST_OK)
        return SST_OK;
    sst_clim_read_close(&job->bounds);
    return rc == SST_ERR_NOMEM ? sst_fail(err, rc, "%s", found.text) : SST_OK;
}

/* The error that the climatology states of its own threshold, if it states one: as a half width, else as two bounds. */
static enum sst_status open_bounds(struct sst_feed_job *job, struct sst_error *err)
{
    char name[SST_CLIM_NAME_SIZE], upper[SST_CLIM_NAME_SIZE + 8], lower[SST_CLIM_NAME_SIZE + 8];
    const double percentile = sst_clim_read_info(job->limits.reader)->percentile;
    if (isnan(percentile))
        return SST_OK;
    SST_TRY(choose_bounds(job, sst_clim_bound_name(percentile, BOUND_COVERAGE, name), NULL, err));
    if (job->bounds)
        return SST_OK;
    (void)sst_clim_percentile_name(percentile, name);
    (void)snprintf(upper, sizeof upper, "%s_upper", name);
    (void)snprintf(lower, sizeof lower, "%s_lower", name);
    SST_TRY(choose_bounds(job, upper, lower, err));
    job->has_limits_of_bounds = job->bounds != NULL;
    if (!job->bounds)
        return SST_OK;
    SST_TRY(sst_alloc_large(2 * job->n_watched, sizeof *job->of_bounds, "bounds", &job->of_bounds, err));
    return sst_alloc_large(job->n_watched, 1, "bounds", &job->flags_of_bounds, err);
}

/* Names the climatology by what it says and by some of its values: not every tool gives its files a name of their own. */
static enum sst_status name_limits(struct sst_feed_job *job, const bool *wanted, uint64_t *id, struct sst_error *err)
{
    const struct sst_clim_read_info *info = sst_clim_read_info(job->limits.reader);
    struct sst_digest_chain chain = {0};
    float *values = NULL;
    uint8_t *flags = NULL;
    enum sst_status rc = SST_OK;
    const size_t n = job->n_watched;
    sst_digest_fold(&chain, info->climatology_id, strlen(info->climatology_id));
    sst_digest_fold(&chain, &info->percentile, sizeof info->percentile);
    SST_TRY_GOTO(sst_alloc(2 * n, sizeof *values, "a day of the climatology", &values, err));
    SST_TRY_GOTO(sst_alloc(n, 1, "a day of the climatology", &flags, err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (!wanted[slot])
            continue;
        SST_TRY_GOTO(sst_detect_limits_get(&job->limits, slot, values, values + n, flags, err));
        sst_digest_fold(&chain, values, 2 * n * sizeof *values);
        if (job->bounds)
            SST_TRY_GOTO(get_bounds_of(job, slot, values, err));
        sst_digest_fold(&chain, values, n * sizeof *values);
    }
    *id = chain.low ^ chain.high;
done:
    sst_free(values);
    sst_free(flags);
    return rc;
}

static enum sst_status open_cells(struct sst_feed_job *job, uint64_t *limits_id, struct sst_error *err)
{
    const struct sst_feed_series *series = &job->series;
    bool wanted[SST_N_SLOTS + 1] = {false};
    struct sst_grid_map map;
    SST_TRY(sst_detect_limits_open(&job->of_limits, &job->limits, err));
    const struct sst_clim_read_info *info = sst_clim_read_info(job->limits.reader);
    if ((series->calendar == SST_CALENDAR_360_DAY) != (info->calendar == SST_CALENDAR_360_DAY))
        return sst_fail(err, SST_ERR_TIME, "--clim %s: its calendar is %s, that of the days is %s. Give one of that",
                        job->of_limits.clim, sst_calendar_name(info->calendar), sst_calendar_name(series->calendar));
    if (!want_slots(info, wanted))
        return sst_fail(err, SST_ERR_INPUT, "--clim %s: it has no day", job->of_limits.clim);
    SST_TRY(sst_detect_match(&job->limits, series->grid, series->files, &job->domain, &map, err));
    SST_TRY(sst_detect_choose_cells(&job->limits, &job->domain, &map, wanted, &job->watched, &job->n_watched, err));
    SST_TRY(sst_alloc(job->n_watched, sizeof *job->canonical, "the cells' numbers", &job->canonical, err));
    for (size_t i = 0; i < job->n_watched; ++i)
        job->canonical[i] = sst_domain_canonical(&job->domain, job->watched[i]);
    SST_TRY(sst_alloc(job->n_watched, sizeof *job->sst, "a day's values", &job->sst, err));
    SST_TRY(open_bounds(job, err));
    return name_limits(job, wanted, limits_id, err);
}

/* --- what is the same for all days -------------------------------------------------------------------------------- */

static enum sst_status read_regions(const char *path, struct sst_text *out, struct sst_error *err)
{
    char bytes[1 << 14];
    size_t n = 0;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return sst_fail(err, SST_ERR_INPUT, "--regions %s: %s", path, strerror(errno));
    while ((n = fread(bytes, 1, sizeof bytes, file)) > 0)
        sst_text_add_bytes(out, bytes, n);
    const bool has_failed = ferror(file) != 0;
    (void)fclose(file);
    return has_failed ? sst_fail(err, SST_ERR_INPUT, "--regions %s: cannot be read", path) : sst_text_check(out, err);
}

static enum sst_status open_regions(struct sst_feed_job *job, struct sst_error *err)
{
    const char *path = job->options->regions;
    struct sst_text text = {0};
    SST_TRY(sst_region_add_builtin(&job->regions, &job->domain, err));
    if (!path)
        return SST_OK;
    enum sst_status rc = read_regions(path, &text, err);
    if (rc == SST_OK)
        rc = sst_region_add_geojson(&job->regions, text.data ? text.data : "", text.size, path, &job->domain, err);
    sst_text_clear(&text);
    return rc;
}

/* The last name of a path. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static enum sst_status describe(struct sst_feed_job *job, size_t index, struct sst_error *err)
{
    const struct sst_options *options = job->options;
    const struct sst_clim_read_info *info = sst_clim_read_info(job->limits.reader);
    const char *title = options->is_cold ? "Marine cold spells" : "Marine heatwaves";
    int first_year = 0, last_year = 0;
    if (sscanf(info->baseline_period, "%4d-%4d", &first_year, &last_year) != 2)
        first_year = last_year = 0;
    if (options->n_feeds > 1)
        SST_TRY(sst_asprintf(&job->sibling, err, "../%s", name_of(options->feeds[index == 0 ? 1 : 0])));
    job->about = (struct sst_feed_about){
        .domain = &job->domain,
        .calendar = job->series.calendar,
        .title = options->feed_title ? options->feed_title : title,
        .product = job->series.product,
        .climatology_id = info->climatology_id,
        .estimator = info->percentile_method,
        .units = "degree_Celsius",
        .percentile = info->percentile,
        .first_baseline_year = first_year,
        .last_baseline_year = last_year,
        .is_cold = options->is_cold,
        .min_duration = options->min_duration,
        .max_gap = options->max_gap,
        .hold_missing = options->hold_missing,
        .link = options->feed_url ? options->feed_url : "",
        .sibling = job->sibling ? job->sibling : "",
        .regions = &job->regions,
        .days_kept = options->keep_days,
    };
    return SST_OK;
}

/* --- announcements ------------------------------------------------------------------------------------------------ */

static void announce(void *user, const struct sst_feed_announcement *it)
{
    struct sst_feed_job *job = user;
    struct sst_text text = {0}, story = {0};
    const struct sst_feed_entries one = {.about = &job->about, .items = it, .n = 1, .most = 1, .started = it->time};
    struct sst_error err = {SST_OK, ""};
    sst_feed_add_headline(&story, &job->about, it);
    sst_log_info(job->options->log, "%s: %s: %s", job->folder, sst_feed_news_name(it->news),
                 story.data ? story.data : "");
    if (job->hook && sst_feed_json_feed(&one, &text, &err) == SST_OK)
        sst_hook_send(job->hook, text.data);
    sst_text_clear(&text);
    sst_text_clear(&story);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static int64_t now(void *user)
{
    struct sst_error err = {SST_OK, ""};
    int64_t seconds = 0;
    (void)user;
    return sst_output_time(&seconds, &err) == SST_OK ? seconds : 0;
}

enum sst_status sst_feed_job_open(struct sst_feed_job *job, const struct sst_options *options, size_t index,
                                  const struct sst_feed_series *series, enum sst_feed_use use, struct sst_error *err)
{
    char size[SST_SIZE_TEXT];
    uint64_t limits_id = 0;
    *job = (struct sst_feed_job){.options = options, .of_limits = *options, .series = *series};
    job->of_limits.clim = options->clims[index];
    job->folder = options->feeds[index];
    SST_TRY(open_cells(job, &limits_id, err));
    SST_TRY(open_regions(job, err));
    SST_TRY(describe(job, index, err));
    SST_TRY(sst_feed_files_writer_open(&job->about, job->folder, options->min_area, &job->writer, err));
    const struct sst_feed_spec spec = {
        .os = sst_os_system(),
        .folder = job->folder,
        .about = &job->about,
        .rule = {options->is_cold ? SST_EVENT_COLD : SST_EVENT_WARM, options->min_duration, options->max_gap,
                 options->max_pad, options->hold_missing},
        .n_cells = job->n_watched,
        .cells = job->watched,
        .canonical = job->canonical,
        .ring_days = options->ring_days,
        .notify_days = options->notify_days,
        .keep_days = options->keep_days,
        .min_km2 = options->min_area,
        .limits_id = limits_id,
        .user = job,
        .limits = get_limits,
        .bounds = job->bounds ? get_bounds : NULL,
        .now = now,
        .announce = announce,
        .writer = sst_feed_files_writer_table(job->writer),
    };
    job->about.days_open = sst_feed_days_held(&spec);
    sst_log_info(options->log, "%s: %zu of %zu cells have a threshold; the feed takes %s of memory", job->folder,
                 job->n_watched, job->domain.n_cells, sst_size_text(sst_feed_bytes(&spec), true, size));
    return sst_feed_open(&spec, use, &job->feed, err);
}

static void clear_waiting(struct sst_feed_waiting *waiting)
{
    sst_free(waiting->codes);
    sst_free(waiting->ice);
    *waiting = (struct sst_feed_waiting){0};
}

static void drop_waiting(struct sst_feed_job *job)
{
    for (size_t i = 0; i < job->n_waiting; ++i)
        clear_waiting(&job->waiting[i]);
    job->n_waiting = 0;
}

void sst_feed_job_close(struct sst_feed_job *job)
{
    drop_waiting(job);
    sst_feed_close(&job->feed);
    sst_feed_files_writer_close(&job->writer);
    sst_region_set_clear(&job->regions);
    sst_detect_limits_clear(&job->limits);
    sst_clim_read_close(&job->bounds);
    sst_free(job->watched);
    sst_free(job->canonical);
    sst_free(job->sst);
    sst_free(job->of_bounds);
    sst_free(job->flags_of_bounds);
    sst_free(job->sibling);
    *job = (struct sst_feed_job){0};
}

/* --- days --------------------------------------------------------------------------------------------------------- */

/* Says the first of a kind; the rest is counted. */
static void leave_out(struct sst_feed_job *job, struct sst_day day, const char *reason)
{
    char text[SST_DAY_TEXT_SIZE];
    ++job->n_left_out;
    if (job->has_told_late)
        return;
    job->has_told_late = true;
    sst_log_warn(job->options->log, "%s: %s is not in the feed: %s. More of this kind are only counted", job->folder,
                 sst_day_text(job->series.calendar, day, text), reason);
}

/* A place for a day; where all are taken that of the oldest, which is left out, be it the day itself: then NULL. */
static struct sst_feed_waiting *place_for(struct sst_feed_job *job, struct sst_day day)
{
    static const char reason[] = "too many days came at once. Make the feed anew: sststream feed rebuild";
    struct sst_feed_waiting *oldest = &job->waiting[0];
    if (job->n_waiting < SST_FEED_WAITING)
        return &job->waiting[job->n_waiting++];
    for (size_t i = 1; i < job->n_waiting; ++i)
        if (sst_day_compare(job->waiting[i].day, oldest->day) < 0)
            oldest = &job->waiting[i];
    const bool is_older = sst_day_compare(day, oldest->day) <= 0;
    leave_out(job, is_older ? day : oldest->day, reason);
    if (is_older)
        return NULL;
    clear_waiting(oldest);
    return oldest;
}

void sst_feed_job_hand(struct sst_feed_job *job, struct sst_day day, const struct sst_feed_source *source,
                       const struct sst_field *field)
{
    const size_t n = job->n_watched;
    if (sst_feed_accepts(job->feed, day) && sst_feed_has(job->feed, day, source))
        return;
    struct sst_feed_waiting *waiting = place_for(job, day);
    if (!waiting)
        return;
    waiting->day = day;
    waiting->source = *source;
    if (sst_alloc_large(n, sizeof *waiting->codes, "a day that waits", &waiting->codes, NULL) != SST_OK ||
        sst_alloc_large(n, 1, "a day that waits", &waiting->ice, NULL) != SST_OK) {
        job->failed = SST_ERR_NOMEM;
        return;
    }
    for (size_t i = 0; i < n; ++i) {
        waiting->codes[i] = field->codes[job->canonical[i]];
        waiting->ice[i] = field->ice[job->canonical[i]];
    }
}

void sst_feed_job_confirm(struct sst_feed_job *job, struct sst_day day, bool is_preliminary)
{
    for (size_t i = 0; i < job->n_waiting; ++i)
        if (sst_day_compare(job->waiting[i].day, day) == 0 && job->waiting[i].source.is_preliminary == is_preliminary)
            job->waiting[i].is_durable = true;
}

/* A day's preliminary field before its final one. */
static int compare_waiting(const void *a, const void *b)
{
    const struct sst_feed_waiting *x = a, *y = b;
    const int order = sst_day_compare(x->day, y->day);
    return order ? order : y->source.is_preliminary - x->source.is_preliminary;
}

static enum sst_status take(struct sst_feed_job *job, const struct sst_feed_waiting *waiting, struct sst_error *err)
{
    const struct sst_lattice lattice = sst_lattice_of(job->series.lattice);
    if (!sst_feed_accepts(job->feed, waiting->day)) {
        leave_out(job, waiting->day,
                  "it came later than --ring-days allow. Make the feed anew with it: sststream feed rebuild");
        return SST_OK;
    }
    for (size_t i = 0; i < job->n_watched; ++i)
        job->sst[i] = waiting->codes[i] == SST_CODE_MISSING ? NAN : (float)sst_lattice_degc(lattice, waiting->codes[i]);
    return sst_feed_take(job->feed, waiting->day, job->sst, waiting->ice, &waiting->source, err);
}

enum sst_status sst_feed_job_flush(struct sst_feed_job *job, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    if (job->failed != SST_OK)
        return sst_fail(err, job->failed, "%s: no memory for a day that waits", job->folder);
    qsort(job->waiting, job->n_waiting, sizeof *job->waiting, compare_waiting);
    for (size_t i = 0; i < job->n_waiting && rc == SST_OK; ++i)
        if (job->waiting[i].is_durable)
            rc = take(job, &job->waiting[i], err);
    drop_waiting(job);
    return rc;
}
