/*
 * What changed, and its files.
 *
 *   base ─copy─▶ work ─▶ step by each day of the ring ─▶ memo: what the day says ─▶ other than the record? ─▶ revision
 *                         └ days whose input and past are as they were keep their memo, and are not stepped
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/aside.h"
#include "core/mem.h"
#include "monitor/feed_private.h"

/* --- what a day says ---------------------------------------------------------------------------------------------- */

enum sst_status sst_feed_place_work(struct sst_feed *feed, const struct sst_text *after, struct sst_error *err)
{
    struct sst_text base = {0};
    enum sst_status rc = SST_OK;
    if (after)
        return sst_area_decode(feed->work, after->data, after->size, err);
    SST_TRY_GOTO(sst_area_encode(feed->base, &base, err));
    SST_TRY_GOTO(sst_area_decode(feed->work, base.data, base.size, err));
done:
    sst_text_clear(&base);
    return rc;
}

static enum sst_status keep_gone(const struct sst_area_tracker *tracker, struct sst_feed_memo *memo,
                                 struct sst_error *err)
{
    const size_t n_present = sst_area_n_present(tracker);
    memo->n_gone = sst_area_n_gone(tracker);
    if (memo->n_gone == 0)
        return SST_OK;
    SST_TRY(sst_grow(&memo->gone, &memo->gone_capacity, memo->n_gone, sizeof *memo->gone, "areas that are gone", err));
    memcpy(memo->gone, sst_area_all(tracker) + n_present, memo->n_gone * sizeof *memo->gone);
    return SST_OK;
}

static enum sst_status sum_regions(struct sst_feed *feed, struct sst_feed_memo *memo, struct sst_error *err)
{
    enum { PARALLEL_CELLS = 1 << 14 };
    const struct sst_region_set *set = feed->spec.about->regions;
    const struct sst_region_cells cells = sst_feed_region_cells(feed);
    if (!memo->regions)
        SST_TRY(sst_alloc(set->n, sizeof *memo->regions, "a day's regions", &memo->regions, err));
    size_t n_threads = 0;
#pragma omp parallel num_threads(SST_FEED_REGION_THREADS) if (feed->spec.n_cells >= PARALLEL_CELLS)
    {
        size_t thread = 0;
#pragma omp atomic capture
        thread = n_threads++;
#pragma omp for schedule(dynamic)
        for (size_t i = 0; i < set->n; ++i)
            sst_region_sum_day(feed->regions[thread], &set->regions[i], &cells, &memo->regions[i]);
    }
    return SST_OK;
}

static enum sst_status digest_product(const struct sst_feed *feed, struct sst_feed_memo *memo, struct sst_error *err)
{
    struct sst_text gone = {0};
    struct sst_digest_chain chain = memo->input;
    for (size_t i = 0; i < memo->n_gone; ++i)
        sst_feed_put_area(&gone, &memo->gone[i]);
    const enum sst_status rc = sst_text_check(&gone, err);
    sst_digest_fold(&chain, memo->after.data, memo->after.size);
    sst_digest_fold(&chain, gone.data, gone.size);
    sst_digest_fold(&chain, &feed->record.regions_id, sizeof feed->record.regions_id);
    sst_digest_fold(&chain, &feed->spec.limits_id, sizeof feed->spec.limits_id);
    memo->product = chain;
    sst_text_clear(&gone);
    return rc;
}

/*
 * Steps a tracker, which stands after the day before, and says what the day says. A day without a field says nothing of areas: they are
 * as they were.
 */
static enum sst_status look_at(struct sst_feed *feed, struct sst_area_tracker *tracker, const struct sst_event_day *day,
                               struct sst_feed_memo *memo, struct sst_error *err)
{
    const struct sst_region_cells cells = sst_feed_region_cells(feed);
    memo->is_known = false;
    memo->n_gone = 0;
    sst_feed_fill(feed, day);
    if (!day->is_absent) {
        SST_TRY(sst_area_step(tracker, sst_feed_day_at(feed, day->day), &cells, err));
        SST_TRY(keep_gone(tracker, memo, err));
    }
    SST_TRY(sum_regions(feed, memo, err));
    sst_text_clear(&memo->after);
    SST_TRY(sst_area_encode(tracker, &memo->after, err));
    SST_TRY(digest_product(feed, memo, err));
    memo->day = day->day;
    memo->is_known = true;
    return SST_OK;
}

/* Memos of all days of the ring, as it stands. */
static enum sst_status look_at_ring(struct sst_feed *feed, int32_t oldest, int32_t newest, struct sst_error *err)
{
    bool is_kept = true; /* all days so far */
    for (int32_t number = oldest; number <= newest; ++number) {
        const struct sst_event_day day = sst_event_ring_day(feed->ring, number);
        struct sst_feed_memo *memo = sst_feed_memo_at(feed, number);
        const struct sst_digest_chain input = sst_feed_input_digest(feed, &day);
        const bool is_same =
            memo->is_known && memo->day == number && memo->input.low == input.low && memo->input.high == input.high;
        if (is_kept && is_same)
            continue;
        if (is_kept)
            SST_TRY(
                sst_feed_place_work(feed, number > oldest ? &sst_feed_memo_at(feed, number - 1)->after : NULL, err));
        is_kept = false;
        memo->input = input;
        SST_TRY(look_at(feed, feed->work, &day, memo, err));
    }
    return SST_OK;
}

/* --- the record --------------------------------------------------------------------------------------------------- */

static enum sst_status keep_regions(struct sst_feed *feed, const struct sst_feed_memo *memo,
                                    struct sst_feed_entry *entry, struct sst_error *err)
{
    const size_t n = feed->record.n_regions;
    if (!entry->regions)
        SST_TRY(sst_alloc(n, sizeof *entry->regions, "a day's regions", &entry->regions, err));
    memcpy(entry->regions, memo->regions, n * sizeof *entry->regions);
    return SST_OK;
}

/* Gives the day its next revision where it says something else than the one before. */
static enum sst_status revise(struct sst_feed *feed, const struct sst_event_day *day, const struct sst_feed_memo *memo,
                              struct sst_error *err)
{
    struct sst_feed_entry *entry = NULL;
    if (day->day < feed->from)
        return SST_OK;
    SST_TRY(sst_feed_record_entry(&feed->record, day->day, &entry, err));
    const bool is_same = entry->revision > 0 && !entry->is_dropped && entry->digest.low == memo->product.low &&
                         entry->digest.high == memo->product.high;
    if (!is_same) {
        entry->published = feed->spec.now(feed->spec.user);
        if (++entry->revision == 1)
            entry->first_published = entry->published;
        entry->digest = memo->product;
        entry->is_pending = true;
        entry->is_dropped = false;
    }
    entry->is_absent = day->is_absent;
    entry->is_preliminary = day->is_preliminary;
    if (feed->record.started == 0)
        feed->record.started = entry->published;
    return keep_regions(feed, memo, entry, err);
}

/* --- a day's files ------------------------------------------------------------------------------------------------ */

/* The areas that are there, and those that the day ended: in one list, as writers want them. */
static enum sst_status list_areas(struct sst_feed *feed, const struct sst_area_tracker *tracker,
                                  const struct sst_feed_memo *memo, struct sst_feed_day *out, struct sst_error *err)
{
    const size_t n_present = sst_area_n_present(tracker);
    SST_TRY(sst_grow(&feed->areas, &feed->areas_capacity, n_present + memo->n_gone + 1, sizeof *feed->areas,
                     "a day's areas", err));
    if (n_present > 0)
        memcpy(feed->areas, sst_area_all(tracker), n_present * sizeof *feed->areas);
    if (memo->n_gone > 0)
        memcpy(feed->areas + n_present, memo->gone, memo->n_gone * sizeof *feed->areas);
    out->areas = feed->areas;
    out->n_present = n_present;
    out->n_gone = memo->n_gone;
    out->area_label = sst_area_labels(tracker);
    return SST_OK;
}

enum sst_status sst_feed_tell_day(struct sst_feed *feed, const struct sst_event_day *day,
                                  const struct sst_area_tracker *tracker, const struct sst_feed_memo *memo,
                                  struct sst_feed_day *out, struct sst_error *err)
{
    const struct sst_feed_cells *cells = &feed->cells;
    const struct sst_feed_entry *entry = sst_feed_record_find(&feed->record, day->day);
    SST_TRY(sst_feed_fill_all(feed, day, err));
    *out = (struct sst_feed_day){
        .day = sst_feed_day_at(feed, day->day),
        .revision = entry ? entry->revision : 0,
        .is_absent = day->is_absent,
        .is_preliminary = day->is_preliminary,
        .first_published = entry ? entry->first_published : 0,
        .published = entry ? entry->published : 0,
        .surface = cells->surface,
        .label = cells->label,
        .category = cells->category,
        .sst = cells->sst,
        .mean = cells->mean,
        .threshold = cells->threshold,
        .bound = cells->bound,
        .anomaly = cells->anomaly,
        .severity = cells->severity,
        .days_above = cells->days_above,
        .start = cells->start,
        .event_id = cells->event_id,
        .robust = cells->robust,
        .area_label = feed->no_labels,
        .regions = memo->regions,
    };
    return day->is_absent ? SST_OK : list_areas(feed, tracker, memo, out, err);
}

static enum sst_status write_day(struct sst_feed *feed, const struct sst_event_day *day,
                                 const struct sst_area_tracker *tracker, const struct sst_feed_memo *memo,
                                 struct sst_error *err)
{
    const struct sst_feed_writer *writer = &feed->spec.writer;
    struct sst_feed_day told;
    SST_TRY(sst_feed_tell_day(feed, day, tracker, memo, &told, err));
    return writer->put_day(writer->user, &told, err);
}

static bool is_pending(const struct sst_feed *feed, int32_t day)
{
    const struct sst_feed_entry *entry = sst_feed_record_find(&feed->record, day);
    return entry && entry->is_pending;
}

/* Waits for the files of days that were put: only then are they no longer pending. */
static enum sst_status settle(struct sst_feed *feed, int32_t oldest, int32_t newest, struct sst_error *err)
{
    const struct sst_feed_writer *writer = &feed->spec.writer;
    if (writer->settle)
        SST_TRY(writer->settle(writer->user, err));
    for (int32_t number = oldest; number <= newest; ++number) {
        if (!is_pending(feed, number))
            continue;
        sst_feed_record_find(&feed->record, number)->is_pending = false;
        ++feed->totals.n_days_written;
    }
    return SST_OK;
}

/* --- a day that leaves -------------------------------------------------------------------------------------------- */

static enum sst_status keep_past(struct sst_feed *feed, const struct sst_feed_memo *memo, struct sst_error *err)
{
    SST_TRY(sst_grow(&feed->past, &feed->past_capacity, feed->n_past + memo->n_gone, sizeof *feed->past,
                     "areas that are gone", err));
    for (size_t i = 0; i < memo->n_gone; ++i)
        feed->past[feed->n_past++] = (struct sst_feed_past_area){.area = memo->gone[i]};
    return SST_OK;
}

enum sst_status sst_feed_leave(struct sst_feed *feed, const struct sst_event_day *day, struct sst_error *err)
{
    struct sst_feed_memo *memo = sst_feed_memo_at(feed, day->day);
    enum sst_status rc = SST_OK;
    feed->is_ring_saved = false;
    memo->input = sst_feed_input_digest(feed, day);
    SST_TRY_GOTO(look_at(feed, feed->base, day, memo, err));
    SST_TRY_GOTO(keep_past(feed, memo, err));
    SST_TRY_GOTO(revise(feed, day, memo, err));
    if (is_pending(feed, day->day)) {
        feed->is_listed = false;
        SST_TRY_GOTO(sst_feed_save_record(feed, err));
        SST_TRY_GOTO(write_day(feed, day, feed->base, memo, err));
        SST_TRY_GOTO(settle(feed, day->day, day->day, err));
    }
done:
    sst_feed_memo_clear(memo);
    return rc;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static enum sst_status write_pending(struct sst_feed *feed, int32_t oldest, int32_t newest, struct sst_error *err)
{
    for (int32_t number = oldest; number <= newest; ++number) {
        if (!is_pending(feed, number))
            continue;
        const struct sst_event_day day = sst_event_ring_day(feed->ring, number);
        const struct sst_feed_memo *memo = sst_feed_memo_at(feed, number);
        SST_TRY(sst_feed_place_work(feed, &memo->after, err));
        SST_TRY(write_day(feed, &day, feed->work, memo, err));
    }
    return SST_OK;
}

static bool has_pending(const struct sst_feed *feed)
{
    for (size_t i = 0; i < feed->record.n_entries; ++i)
        if (feed->record.entries[i].is_pending)
            return true;
    return false;
}

static enum sst_status announce(struct sst_feed *feed, struct sst_error *err)
{
    const struct sst_day newest = sst_feed_newest(feed);
    if (newest.slot == 0)
        return SST_OK;
    const int32_t number = sst_feed_number(feed, newest);
    SST_TRY(sst_feed_place_work(feed, &sst_feed_memo_at(feed, number)->after, err));
    return sst_feed_announce(feed, number, feed->spec.now(feed->spec.user), err);
}

/* Programs are told of what readers can find by now. */
static void send(struct sst_feed *feed)
{
    struct sst_feed_record *record = &feed->record;
    for (; record->n_sent < record->n_announcements; ++record->n_sent) {
        ++feed->totals.n_announced;
        if (feed->spec.announce)
            feed->spec.announce(feed->spec.user, &record->announcements[record->n_sent]);
    }
}

static enum sst_status revise_ring(struct sst_feed *feed, int32_t oldest, int32_t newest, struct sst_error *err)
{
    SST_TRY(look_at_ring(feed, oldest, newest, err));
    for (int32_t number = oldest; number <= newest; ++number) {
        const struct sst_event_day day = sst_event_ring_day(feed->ring, number);
        SST_TRY(revise(feed, &day, sst_feed_memo_at(feed, number), err));
    }
    return announce(feed, err);
}

static enum sst_status save_ring(void *user, struct sst_error *err) { return sst_feed_save_ring(user, err); }

/* The ring is saved while the days are looked at: neither changes what the other reads. */
static enum sst_status save_and_revise(struct sst_feed *feed, int32_t oldest, int32_t newest, struct sst_error *err)
{
    struct sst_aside saving = {0};
    struct sst_error own = {SST_OK, ""};
    if (!feed->is_ring_saved)
        sst_aside_begin(&saving, save_ring, feed);
    const enum sst_status revised = revise_ring(feed, oldest, newest, &own);
    SST_TRY(sst_aside_end(&saving, err));
    if (revised != SST_OK)
        *err = own;
    return revised;
}

enum sst_status sst_feed_publish(struct sst_feed *feed, struct sst_day expected, struct sst_error *err)
{
    int32_t oldest = 0, newest = -1;
    const bool has_days = sst_event_ring_span(feed->ring, &oldest, &newest);
    const int32_t before = has_days && feed->spec.keep_days > 0 ? newest - feed->spec.keep_days + 1 : INT32_MIN;
    if (!has_days)
        oldest = 0, newest = -1;
    SST_TRY(save_and_revise(feed, oldest, newest, err));
    const bool is_new_expected = sst_day_compare(expected, feed->told_expected) != 0;
    if (!has_pending(feed) && feed->record.n_sent == feed->record.n_announcements && feed->is_listed &&
        !is_new_expected)
        return SST_OK;
    feed->is_listed = false;
    SST_TRY(sst_feed_save_record(feed, err));
    SST_TRY(write_pending(feed, oldest, newest, err));
    SST_TRY(sst_feed_drop_days(feed, before, err));
    sst_feed_forget_days(feed, before);
    SST_TRY(sst_feed_put_lists(feed, expected, oldest, newest, err));
    SST_TRY(settle(feed, oldest, newest, err));
    feed->is_listed = true;
    feed->told_expected = expected;
    send(feed);
    return sst_feed_save_record(feed, err);
}
