/* Waves of warm water that go round, some noise, land and ice. */
#include "feed_days.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "random.h"

static const enum sst_calendar_kind calendar = SST_CALENDAR_STANDARD;

/* 20 November 2025: the days pass New Year. */
static int32_t first_day(void)
{
    return (int32_t)sst_calendar_days_since_1970(calendar, (struct sst_day){2025, sst_calendar_slot(calendar, 11, 20)});
}

struct sst_day feed_days_day(int index) { return sst_calendar_day_at(calendar, first_day() + index); }

static int index_of(struct sst_day day) { return (int)(sst_calendar_days_since_1970(calendar, day) - first_day()); }

/* --- the sea ------------------------------------------------------------------------------------------------------ */

static float value_of(int index, int cell, bool is_preliminary)
{
    struct test_random random = {(uint64_t)index * 1000 + (uint64_t)cell};
    const double row = cell / FEED_DAYS_COLS, col = cell % FEED_DAYS_COLS;
    const double wave =
        (1.6 + 0.7 * sin(index / 5.0)) * sin(2 * M_PI * (index / 19.0 + col / FEED_DAYS_COLS)) * cos(M_PI * row / 6.0);
    const double noise = (test_random_below(&random, 81) - 40) / 100.0;
    const double value = 15 + wave + noise + (is_preliminary && cell % 7 == index % 7 ? 0.35 : 0);
    return cell == 5 && index % 9 == 4 ? NAN : (float)(round(value * 100) / 100);
}

static enum sst_status limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err)
{
    (void)user, (void)day, (void)err;
    for (size_t cell = 0; cell < FEED_DAYS_CELLS; ++cell) {
        mean[cell] = 15;
        threshold[cell] = 16;
        flags[cell] = cell == 9 ? SST_EVENT_DAY_ICY_CLIMATOLOGY : 0;
    }
    return SST_OK;
}

static int64_t now(void *user) { return ((struct feed_days *)user)->noted.now; }

struct sst_feed_source feed_days_source(int index, bool is_preliminary)
{
    return (struct sst_feed_source){(uint64_t)index * 2 + is_preliminary, 7, is_preliminary};
}

void feed_days_put(struct sst_feed *feed, int index, bool is_preliminary, enum sst_status rc)
{
    struct sst_error err = {SST_OK, ""};
    const struct sst_feed_source source = feed_days_source(index, is_preliminary);
    float sst[FEED_DAYS_CELLS];
    uint8_t ice[FEED_DAYS_CELLS] = {0};
    for (int cell = 0; cell < FEED_DAYS_CELLS; ++cell)
        sst[cell] = value_of(index, cell, is_preliminary);
    ice[3] = index % 5 == 0;
    const enum sst_status got = sst_feed_take(feed, feed_days_day(index), sst, ice, &source, &err);
    if (got != rc)
        ck_abort_msg("day %d: %d in place of %d: %s", index, got, rc, err.text);
}

/* --- the writer --------------------------------------------------------------------------------------------------- */

static void fold(struct sst_digest_chain *chain, const void *bytes, size_t n) { sst_digest_fold(chain, bytes, n); }

static void fold_area(struct sst_digest_chain *chain, const struct sst_area *area)
{
    const uint64_t whole[] = {
        area->id,         area->status,   (uint64_t)area->last.year, (uint64_t)area->last.slot, area->merged_into,
        area->split_from, area->max_cell, (uint64_t)area->n_days,    (uint64_t)area->category};
    const double real[] = {area->km2, area->lat, area->mean_intensity, area->most_km2, area->peak_intensity};
    fold(chain, whole, sizeof whole);
    fold(chain, real, sizeof real);
}

static struct sst_digest_chain digest_of(const struct feed_days *days, const struct sst_feed_day *day)
{
    const size_t n = FEED_DAYS_CELLS;
    const uint8_t flags[] = {day->is_absent, day->is_preliminary};
    struct sst_digest_chain chain = {0};
    fold(&chain, flags, sizeof flags);
    fold(&chain, day->surface, n);
    fold(&chain, day->label, n);
    fold(&chain, day->category, n);
    fold(&chain, day->sst, n * sizeof *day->sst);
    fold(&chain, day->anomaly, n * sizeof *day->anomaly);
    fold(&chain, day->severity, n * sizeof *day->severity);
    fold(&chain, day->days_above, n * sizeof *day->days_above);
    fold(&chain, day->start, n * sizeof *day->start);
    fold(&chain, day->event_id, n * sizeof *day->event_id);
    fold(&chain, day->robust, n);
    fold(&chain, day->area_label, n * sizeof *day->area_label);
    for (size_t i = 0; i < day->n_present + day->n_gone; ++i)
        fold_area(&chain, &day->areas[i]);
    for (size_t i = 0; i < days->regions.n; ++i) {
        fold(&chain, &day->regions[i].known_km2, sizeof(double));
        fold(&chain, &day->regions[i].unknown_km2, sizeof(double));
        fold(&chain, day->regions[i].category_km2, sizeof day->regions[i].category_km2);
    }
    return chain;
}

static bool may_write(struct feed_noted *noted)
{
    if (noted->n_left == 0)
        return false;
    --noted->n_left;
    return true;
}

static enum sst_status put_day(void *user, const struct sst_feed_day *day, struct sst_error *err)
{
    struct feed_days *days = user;
    struct feed_noted *noted = &days->noted;
    const int index = index_of(day->day);
    const struct sst_digest_chain digest = digest_of(days, day);
    struct sst_digest_chain *known = &noted->by_revision[index][day->revision];
    (void)err;
    if (day->revision < 1 || day->revision >= FEED_NOTED_REVISIONS || day->published < day->first_published)
        ck_abort_msg("revision %d of day %d", day->revision, index);
    if ((known->low || known->high) && (known->low != digest.low || known->high != digest.high))
        ck_abort_msg("revision %d of day %d has two contents", day->revision, index);
    *known = digest;
    ck_assert_uint_lt(days->n_waiting, FEED_DAYS_MOST);
    days->waiting[days->n_waiting++] = (struct feed_waiting){index, {digest, day->revision, true}};
    return SST_OK;
}

static enum sst_status settle(void *user, struct sst_error *err)
{
    struct feed_days *days = user;
    for (size_t i = 0; i < days->n_waiting; ++i) {
        if (!may_write(&days->noted))
            return sst_fail(err, SST_ERR_OUTPUT, "no room");
        days->noted.days[days->waiting[i].index] = days->waiting[i].day;
        ++days->noted.n_puts;
    }
    days->n_waiting = 0;
    return SST_OK;
}

static enum sst_status drop_day(void *user, struct sst_day day, struct sst_error *err)
{
    struct feed_days *days = user;
    (void)err;
    days->noted.days[index_of(day)].is_there = false;
    ++days->noted.n_drops;
    return SST_OK;
}

static enum sst_status put_lists(void *user, const struct sst_feed_summary *summary, struct sst_error *err)
{
    struct feed_days *days = user;
    struct feed_noted *noted = &days->noted;
    const struct sst_feed_state *state = summary->state;
    SST_TRY(settle(days, err));
    if (!may_write(noted))
        return sst_fail(err, SST_ERR_OUTPUT, "no room");
    /* What is listed is there, as it is listed. */
    for (size_t i = 0; i < state->n_days; ++i) {
        const struct feed_noted_day *day = &noted->days[index_of(state->days[i].day)];
        if (!day->is_there || day->revision != state->days[i].revision)
            ck_abort_msg("the list has revision %d of day %d", state->days[i].revision, index_of(state->days[i].day));
    }
    noted->past = (struct sst_digest_chain){0};
    for (size_t i = 0; i < summary->n_past; ++i)
        fold_area(&noted->past, &summary->past[i].area);
    ck_assert_uint_le(summary->n_announcements, FEED_NOTED_ENTRIES);
    /* What was announced stays as it was. */
    for (size_t i = 0; i < noted->n_entries; ++i)
        if (i >= summary->n_announcements || strcmp(noted->entries[i].id, summary->announcements[i].id) != 0)
            ck_abort_msg("entry %zu is no longer there", i);
    if (summary->n_announcements > 0)
        memcpy(noted->entries, summary->announcements, summary->n_announcements * sizeof *noted->entries);
    noted->n_entries = summary->n_announcements;
    noted->n_kept = (int)state->n_days;
    noted->newest_listed = state->newest.slot > 0 ? index_of(state->newest) : -1;
    noted->is_late = state->is_late;
    ++noted->n_lists;
    return SST_OK;
}

static void announce(void *user, const struct sst_feed_announcement *announcement)
{
    (void)announcement;
    ++((struct feed_days *)user)->noted.n_told;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static void add_region(struct feed_days *days)
{
    static const char text[] =
        "{\"type\": \"Polygon\", \"coordinates\": [[[0, -40], [60, -40], [60, 40], [0, 40], [0, -40]]]}";
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_region_add_geojson(&days->regions, text, sizeof text - 1, "test", &days->domain, &err) == SST_OK,
                  "%s", err.text);
}

void feed_days_open(struct feed_days *days)
{
    memset(days, 0, sizeof *days);
    days->grid =
        regular_grid((struct even_axis){-45, 10, FEED_DAYS_ROWS}, (struct even_axis){11.25, 22.5, FEED_DAYS_COLS});
    sst_domain_all(days->grid, &days->domain);
    for (size_t cell = 0; cell < FEED_DAYS_CELLS; ++cell) {
        days->cells[cell] = cell;
        days->canonical[cell] = sst_domain_canonical(&days->domain, cell);
    }
    add_region(days);
    days->about = (struct sst_feed_about){.domain = &days->domain,
                                          .calendar = calendar,
                                          .title = "test",
                                          .product = "",
                                          .climatology_id = "c",
                                          .estimator = "",
                                          .units = "degree_Celsius",
                                          .percentile = 90,
                                          .min_duration = 5,
                                          .max_gap = 2,
                                          .link = "",
                                          .sibling = "",
                                          .regions = &days->regions};
    days->disk = fake_disk_new();
    fake_faults_start(&days->faults, days->disk);
    days->noted.n_left = SIZE_MAX;
    days->noted.now = 1767000000;
    days->spec = (struct sst_feed_spec){
        .os = &days->faults.table,
        .folder = FEED_DAYS_FOLDER,
        .about = &days->about,
        .rule = {SST_EVENT_WARM, 5, 2, 0, 0},
        .n_cells = FEED_DAYS_CELLS,
        .cells = days->cells,
        .canonical = days->canonical,
        .ring_days = FEED_DAYS_RING,
        .notify_days = 3,
        .min_km2 = 1e6,
        .limits_id = 1,
        .user = days,
        .limits = limits,
        .now = now,
        .announce = announce,
        .writer = {days, put_day, settle, drop_day, put_lists},
    };
}

void feed_days_close(struct feed_days *days)
{
    fake_disk_free(days->disk);
    sst_region_set_clear(&days->regions);
    sst_grid_destroy(&days->grid);
}

struct sst_feed *feed_days_feed(struct feed_days *days, enum sst_feed_use use)
{
    days->n_waiting = 0;
    struct sst_feed *feed = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_feed_open(&days->spec, use, &feed, &err) == SST_OK, "%s", err.text);
    return feed;
}

void feed_days_publish(struct sst_feed *feed)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_feed_publish(feed, (struct sst_day){0}, &err) == SST_OK, "%s", err.text);
}

bool feed_days_same(const struct feed_noted *a, const struct feed_noted *b)
{
    for (int i = 0; i < FEED_DAYS_MOST; ++i)
        if (a->days[i].is_there != b->days[i].is_there ||
            (a->days[i].is_there &&
             (a->days[i].digest.low != b->days[i].digest.low || a->days[i].digest.high != b->days[i].digest.high)))
            return false;
    return a->past.low == b->past.low && a->past.high == b->past.high;
}
