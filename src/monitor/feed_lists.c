/* What a feed's lists are made of, and days that are no longer kept. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/feed_private.h"

/* --- lists -------------------------------------------------------------------------------------------------------- */

static bool has_clock(enum sst_calendar_kind kind)
{
    return kind == SST_CALENDAR_STANDARD || kind == SST_CALENDAR_PROLEPTIC_GREGORIAN;
}

/* How the feed stands. Owner: the caller, sst_free(*listed). */
static enum sst_status state_of(const struct sst_feed *feed, struct sst_day expected, struct sst_feed_listed **listed,
                                struct sst_feed_state *out, struct sst_error *err)
{
    enum { SECONDS_OF_DAY = 86400 };
    const struct sst_feed_record *record = &feed->record;
    *out = (struct sst_feed_state){.now = feed->spec.now(feed->spec.user), .expected = expected, .age_days = NAN};
    SST_TRY(sst_alloc(record->n_entries, sizeof **listed, "a feed's days", listed, err));
    for (size_t i = 0; i < record->n_entries; ++i) {
        const struct sst_feed_entry *entry = &record->entries[i];
        const struct sst_day day = sst_feed_day_at(feed, entry->day);
        if (entry->is_dropped || entry->revision == 0)
            continue;
        (*listed)[out->n_days++] =
            (struct sst_feed_listed){day, entry->revision, entry->is_absent, entry->is_preliminary, entry->published};
        if (!entry->is_absent)
            out->newest = day;
        if (!entry->is_absent && !entry->is_preliminary)
            out->newest_final = day;
    }
    out->days = *listed;
    if (out->n_days > 0)
        out->oldest = (*listed)[0].day;
    if (out->newest.slot > 0 && has_clock(feed->spec.about->calendar))
        out->age_days = (double)out->now / SECONDS_OF_DAY - (sst_feed_number(feed, out->newest) + 1);
    out->is_late = expected.slot > 0 && sst_day_compare(out->newest, expected) < 0;
    return SST_OK;
}

static int compare_past(const void *a, const void *b)
{
    const struct sst_area *x = &((const struct sst_feed_past_area *)a)->area,
                          *y = &((const struct sst_feed_past_area *)b)->area;
    const int order = sst_day_compare(x->last, y->last);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Areas that are gone, of base and of the ring, each with its day's revision. Owner: the caller, sst_free. */
static enum sst_status list_past(const struct sst_feed *feed, int32_t oldest, int32_t newest,
                                 struct sst_feed_past_area **out, size_t *n, struct sst_error *err)
{
    size_t capacity = feed->n_past;
    for (int32_t day = oldest; day <= newest; ++day)
        capacity += sst_feed_memo_at(feed, day)->n_gone;
    SST_TRY(sst_alloc(capacity, sizeof **out, "areas that are gone", out, err));
    *n = feed->n_past;
    if (*n > 0)
        memcpy(*out, feed->past, *n * sizeof **out);
    for (int32_t day = oldest; day <= newest; ++day) {
        const struct sst_feed_memo *memo = sst_feed_memo_at(feed, day);
        for (size_t i = 0; i < memo->n_gone; ++i)
            (*out)[(*n)++] = (struct sst_feed_past_area){.area = memo->gone[i]};
    }
    for (size_t i = 0; i < *n; ++i) {
        const struct sst_feed_entry *entry =
            sst_feed_record_find(&feed->record, sst_feed_number(feed, (*out)[i].area.last));
        (*out)[i].revision = entry ? entry->revision : 0;
    }
    if (*n > 0)
        qsort(*out, *n, sizeof **out, compare_past);
    return SST_OK;
}

static enum sst_status list_rows(const struct sst_feed *feed, struct sst_feed_row **out, size_t *n,
                                 struct sst_error *err)
{
    const struct sst_feed_record *record = &feed->record;
    *n = 0;
    SST_TRY(sst_alloc(record->n_entries, sizeof **out, "a feed's days", out, err));
    for (size_t i = 0; i < record->n_entries; ++i) {
        const struct sst_feed_entry *entry = &record->entries[i];
        if (entry->regions && !entry->is_dropped)
            (*out)[(*n)++] = (struct sst_feed_row){sst_feed_day_at(feed, entry->day), entry->revision, entry->is_absent,
                                                   entry->is_preliminary, entry->regions};
    }
    return SST_OK;
}

/* The newest day with a field, as writers want it; work is put after it. */
static enum sst_status tell_newest(struct sst_feed *feed, struct sst_feed_day *day, struct sst_error *err)
{
    const int32_t number = sst_feed_number(feed, sst_feed_newest(feed));
    const struct sst_event_day ring_day = sst_event_ring_day(feed->ring, number);
    const struct sst_feed_memo *memo = sst_feed_memo_at(feed, number);
    SST_TRY(sst_feed_place_work(feed, &memo->after, err));
    return sst_feed_tell_day(feed, &ring_day, feed->work, memo, day, err);
}

enum sst_status sst_feed_put_lists(struct sst_feed *feed, struct sst_day expected, int32_t oldest, int32_t newest,
                                   struct sst_error *err)
{
    const struct sst_feed_writer *writer = &feed->spec.writer;
    struct sst_feed_listed *listed = NULL;
    struct sst_feed_past_area *past = NULL;
    struct sst_feed_row *rows = NULL;
    struct sst_feed_state state;
    struct sst_feed_day day;
    const bool has_day = sst_feed_newest(feed).slot > 0;
    enum sst_status rc = SST_OK;
    struct sst_feed_summary summary = {
        .state = &state,
        .day = has_day ? &day : NULL,
        .tracker = feed->work,
        .announcements = feed->record.announcements,
        .n_announcements = feed->record.n_announcements,
        .started = feed->record.started,
    };
    SST_TRY_GOTO(state_of(feed, expected, &listed, &state, err));
    SST_TRY_GOTO(list_past(feed, oldest, newest, &past, &summary.n_past, err));
    SST_TRY_GOTO(list_rows(feed, &rows, &summary.n_rows, err));
    if (has_day)
        SST_TRY_GOTO(tell_newest(feed, &day, err));
    summary.past = past;
    summary.rows = rows;
    SST_TRY_GOTO(writer->put_lists(writer->user, &summary, err));
done:
    sst_free(listed);
    sst_free(past);
    sst_free(rows);
    return rc;
}

/* --- retention ---------------------------------------------------------------------------------------------------- */

static void forget_regions(struct sst_feed *feed)
{
    struct sst_feed_record *record = &feed->record;
    size_t n_kept = 0;
    for (size_t i = record->n_entries; i-- > 0;) {
        struct sst_feed_entry *entry = &record->entries[i];
        if (entry->regions && ++n_kept > SST_FEED_ROWS) {
            sst_free(entry->regions);
            entry->regions = NULL;
        }
    }
}

static void forget_past(struct sst_feed *feed, int32_t before)
{
    size_t n = 0;
    for (size_t i = 0; i < feed->n_past; ++i)
        if (sst_feed_number(feed, feed->past[i].area.last) >= before)
            feed->past[n++] = feed->past[i];
    feed->n_past = n;
}

enum sst_status sst_feed_drop_days(struct sst_feed *feed, int32_t before, struct sst_error *err)
{
    const struct sst_feed_writer *writer = &feed->spec.writer;
    struct sst_feed_record *record = &feed->record;
    for (size_t i = 0; i < record->n_entries && record->entries[i].day < before; ++i) {
        struct sst_feed_entry *entry = &record->entries[i];
        if (!entry->is_dropped && entry->revision > 0)
            SST_TRY(writer->drop_day(writer->user, sst_feed_day_at(feed, entry->day), err));
    }
    return SST_OK;
}

static void mark_dropped(struct sst_feed *feed, int32_t before)
{
    struct sst_feed_record *record = &feed->record;
    for (size_t i = 0; i < record->n_entries && record->entries[i].day < before; ++i) {
        struct sst_feed_entry *entry = &record->entries[i];
        entry->is_dropped = true;
        entry->is_pending = false;
        sst_free(entry->regions);
        entry->regions = NULL;
    }
}

void sst_feed_forget_days(struct sst_feed *feed, int32_t before)
{
    mark_dropped(feed, before);
    forget_past(feed, before);
    forget_regions(feed);
}
