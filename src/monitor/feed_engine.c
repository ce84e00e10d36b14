/* A feed's life, and days into it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/feed_private.h"

int32_t sst_feed_days_held(const struct sst_feed_spec *spec)
{
    const int32_t view = sst_event_ring_least_days(&spec->rule) - 1;
    const int32_t late = spec->ring_days + view, held = spec->rule.hold_missing + 1;
    return late > held ? late : held;
}

uint64_t sst_feed_bytes(const struct sst_feed_spec *spec)
{
    enum { BYTES_OF_CELL = 8 + 1 + 6 * 4 + 2 + 4 + 8 + 7, SCRATCH = 4 + 1 + 4, LABEL = 4 };
    const uint64_t n_cells = spec->about->domain->n_cells;
    const uint64_t n_days = (uint64_t)sst_feed_days_held(spec);
    const uint64_t trackers = 5 * LABEL * n_cells, snapshots = n_days * LABEL * n_cells;
    return sst_event_ring_bytes(spec->n_cells, (int32_t)n_days) + BYTES_OF_CELL * n_cells + SCRATCH * spec->n_cells +
           trackers + snapshots;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static enum sst_status check_spec(const struct sst_feed_spec *spec, struct sst_error *err)
{
    enum { MOST_DAYS = 366 };
    if (spec->ring_days < 1 || spec->ring_days > MOST_DAYS)
        return sst_fail(err, SST_ERR_USAGE, "a feed that takes days up to %d days late: give 1 to %d", spec->ring_days,
                        (int)MOST_DAYS);
    if (spec->keep_days != 0 && spec->keep_days < sst_feed_days_held(spec))
        return sst_fail(err, SST_ERR_USAGE,
                        "a feed that keeps %d days: days can change for %d days, and have to be kept so long. Give at "
                        "least that, or 0 for all",
                        spec->keep_days, sst_feed_days_held(spec));
    return SST_OK;
}

static uint64_t identity_of(const struct sst_feed_spec *spec)
{
    const struct sst_event_rule *rule = &spec->rule;
    const struct sst_domain *domain = spec->about->domain;
    const uint64_t numbers[] = {spec->limits_id,
                                sst_grid_digest(domain->grid),
                                domain->n_rows,
                                domain->n_cols,
                                (uint64_t)spec->about->calendar,
                                (uint64_t)rule->direction,
                                (uint64_t)rule->min_duration,
                                (uint64_t)rule->max_gap,
                                (uint64_t)rule->max_pad,
                                (uint64_t)rule->hold_missing,
                                (uint64_t)spec->ring_days};
    struct sst_digest_chain chain = {0};
    sst_digest_fold(&chain, numbers, sizeof numbers);
    sst_digest_fold(&chain, spec->canonical, spec->n_cells * sizeof *spec->canonical);
    sst_digest_fold(&chain, spec->cells, spec->n_cells * sizeof *spec->cells);
    return chain.low ^ chain.high;
}

static uint64_t regions_id_of(const struct sst_region_set *set)
{
    struct sst_digest_chain chain = {0};
    for (size_t i = 0; i < set->n; ++i) {
        const struct sst_region *region = &set->regions[i];
        sst_digest_fold(&chain, region->name, strlen(region->name));
        sst_digest_fold(&chain, region->title, strlen(region->title));
        sst_digest_fold(&chain, region->cells, region->n_cells * sizeof *region->cells);
    }
    return chain.low ^ chain.high;
}

/* Numbers of regions that are no longer the same ones are of no use. */
static void settle_regions(struct sst_feed *feed)
{
    struct sst_feed_record *record = &feed->record;
    const struct sst_region_set *set = feed->spec.about->regions;
    const uint64_t id = regions_id_of(set);
    if (record->n_regions == set->n && record->regions_id == id)
        return;
    for (size_t i = 0; i < record->n_entries; ++i) {
        sst_free(record->entries[i].regions);
        record->entries[i].regions = NULL;
    }
    record->n_regions = set->n;
    record->regions_id = id;
}

static enum sst_status make_scratch(struct sst_feed *feed, struct sst_error *err)
{
    const struct sst_feed_spec *spec = &feed->spec;
    const struct sst_feed_about *about = spec->about;
    const char *what = "a feed's day";
    SST_TRY(sst_area_tracker_create(about->domain, about->calendar, &feed->base, err));
    SST_TRY(sst_area_tracker_create(about->domain, about->calendar, &feed->work, err));
    SST_TRY(sst_feed_cells_create(about->domain, &feed->cells, err));
    SST_TRY(sst_alloc(spec->n_cells, sizeof *feed->bound_scratch, what, &feed->bound_scratch, err));
    SST_TRY(sst_alloc(spec->n_cells, sizeof *feed->label_scratch, what, &feed->label_scratch, err));
    SST_TRY(sst_alloc(spec->n_cells, sizeof *feed->start_scratch, what, &feed->start_scratch, err));
    SST_TRY(sst_alloc(about->domain->n_cells, sizeof *feed->no_labels, what, &feed->no_labels, err));
    for (int i = 0; i < SST_FEED_REGION_THREADS; ++i)
        SST_TRY(sst_region_scratch_create(about->regions, about->domain, &feed->regions[i], err));
    return sst_alloc((size_t)feed->n_days, sizeof *feed->memos, "a feed's days", &feed->memos, err);
}

static enum sst_status leave(void *user, const struct sst_event_day *day, struct sst_error *err)
{
    return sst_feed_leave(user, day, err);
}

static enum sst_status limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err)
{
    const struct sst_feed *feed = user;
    return feed->spec.limits(feed->spec.user, day, mean, threshold, flags, err);
}

static enum sst_status open_all(struct sst_feed *feed, enum sst_feed_use use, struct sst_error *err)
{
    const struct sst_feed_spec *spec = &feed->spec;
    const struct sst_event_ring_spec ring = {
        .rule = spec->rule,
        .calendar = spec->about->calendar,
        .n_cells = spec->n_cells,
        .canonical_cells = spec->canonical,
        .n_days = feed->n_days,
        .limits_id = spec->limits_id,
        .links = {.user = feed, .limits = limits, .day = leave},
    };
    SST_TRY(sst_feed_folder_open(feed, err));
    SST_TRY(make_scratch(feed, err));
    SST_TRY(sst_feed_load(feed, use, &ring, err));
    settle_regions(feed);
    return feed->ring ? SST_OK : sst_event_ring_create(&ring, &feed->ring, err);
}

enum sst_status sst_feed_open(const struct sst_feed_spec *spec, enum sst_feed_use use, struct sst_feed **out,
                              struct sst_error *err)
{
    struct sst_feed *feed = NULL;
    SST_TRY(check_spec(spec, err));
    SST_TRY(sst_alloc(1, sizeof *feed, "a feed", &feed, err));
    feed->spec = *spec;
    feed->n_days = sst_feed_days_held(spec);
    feed->identity = identity_of(spec);
    feed->folder = feed->lock = -1;
    feed->from = INT32_MIN;
    const enum sst_status rc = open_all(feed, use, err);
    if (rc == SST_OK)
        *out = feed;
    else
        sst_feed_close(&feed);
    return rc;
}

void sst_feed_memo_clear(struct sst_feed_memo *memo)
{
    sst_text_clear(&memo->after);
    sst_free(memo->gone);
    sst_free(memo->regions);
    *memo = (struct sst_feed_memo){0};
}

void sst_feed_close(struct sst_feed **handle)
{
    struct sst_feed *feed = *handle;
    if (!feed)
        return;
    for (int32_t i = 0; feed->memos && i < feed->n_days; ++i)
        sst_feed_memo_clear(&feed->memos[i]);
    sst_free(feed->memos);
    sst_free(feed->past);
    sst_free(feed->areas);
    sst_free(feed->bound_scratch);
    sst_free(feed->label_scratch);
    sst_free(feed->start_scratch);
    sst_free(feed->no_labels);
    sst_feed_cells_clear(&feed->cells);
    for (int i = 0; i < SST_FEED_REGION_THREADS; ++i)
        sst_region_scratch_destroy(&feed->regions[i]);
    sst_area_tracker_destroy(&feed->base);
    sst_area_tracker_destroy(&feed->work);
    sst_event_ring_destroy(&feed->ring);
    sst_feed_record_clear(&feed->record);
    sst_feed_folder_close(feed);
    sst_free(feed);
    *handle = NULL;
}

/* --- days --------------------------------------------------------------------------------------------------------- */

bool sst_feed_accepts(const struct sst_feed *feed, struct sst_day day)
{
    int32_t oldest = 0, newest = 0;
    return !sst_event_ring_span(feed->ring, &oldest, &newest) ||
           sst_feed_number(feed, day) > newest - feed->spec.ring_days;
}

static enum sst_status refuse_late(const struct sst_feed *feed, struct sst_day day, struct sst_error *err)
{
    const enum sst_calendar_kind calendar = feed->spec.about->calendar;
    int32_t oldest = 0, newest = 0;
    char text[SST_DAY_TEXT_SIZE], newest_text[SST_DAY_TEXT_SIZE];
    (void)sst_event_ring_span(feed->ring, &oldest, &newest);
    return sst_fail(err, SST_ERR_STATE,
                    "%s: %s is %d days before %s, the newest day, and only days less than %d days before it can still "
                    "be taken in. Make the feed anew with it: sststream feed rebuild",
                    feed->spec.folder, sst_day_text(calendar, day, text), newest - sst_feed_number(feed, day),
                    sst_day_text(calendar, sst_feed_day_at(feed, newest), newest_text), feed->spec.ring_days);
}

enum sst_status sst_feed_take(struct sst_feed *feed, struct sst_day day, const float *sst, const uint8_t *ice,
                              const struct sst_feed_source *source, struct sst_error *err)
{
    enum sst_event_outcome outcome = SST_EVENT_DAY_ADDED;
    const int32_t number = sst_feed_number(feed, day);
    if (!sst_feed_accepts(feed, day))
        return refuse_late(feed, day, err);
    SST_TRY(sst_event_ring_put(feed->ring, day, sst, ice, source->is_preliminary, &outcome, err));
    if (outcome == SST_EVENT_DAY_PRELIMINARY_LATE)
        return SST_OK;
    struct sst_feed_memo *memo = sst_feed_memo_at(feed, number);
    memo->has_source = true;
    memo->source = *source;
    feed->is_ring_saved = false;
    return SST_OK;
}

enum sst_status sst_feed_advance(struct sst_feed *feed, struct sst_day day, struct sst_error *err)
{
    int32_t oldest = 0, newest = 0;
    if (!sst_event_ring_span(feed->ring, &oldest, &newest) || sst_feed_number(feed, day) <= newest)
        return SST_OK;
    feed->is_ring_saved = false;
    return sst_event_ring_advance(feed->ring, day, err);
}

bool sst_feed_has(const struct sst_feed *feed, struct sst_day day, const struct sst_feed_source *source)
{
    int32_t oldest = 0, newest = 0;
    const int32_t number = sst_feed_number(feed, day);
    if (!sst_event_ring_span(feed->ring, &oldest, &newest) || number > newest)
        return false;
    if (number < oldest)
        return true; /* it is no longer for the ring to say */
    const struct sst_feed_memo *memo = sst_feed_memo_at(feed, number);
    if (!memo->has_source || (memo->source.is_preliminary && !source->is_preliminary))
        return false;
    return (source->is_preliminary && !memo->source.is_preliminary) ||
           (memo->source.digest == source->digest && memo->source.ice_digest == source->ice_digest);
}

struct sst_day sst_feed_newest(const struct sst_feed *feed)
{
    int32_t oldest = 0, newest = 0;
    if (sst_event_ring_span(feed->ring, &oldest, &newest))
        for (int32_t day = newest; day >= oldest; --day)
            if (!sst_event_ring_day(feed->ring, day).is_absent)
                return sst_feed_day_at(feed, day);
    return (struct sst_day){0};
}

void sst_feed_publish_from(struct sst_feed *feed, struct sst_day day)
{
    feed->from = day.slot > 0 ? sst_feed_number(feed, day) : INT32_MIN;
}

const struct sst_feed_totals *sst_feed_totals(const struct sst_feed *feed) { return &feed->totals; }
