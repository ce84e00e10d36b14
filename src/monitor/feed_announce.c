/*
 * What is said of areas: only what changed since it was said last, and only of recent days.
 *
 *   announced before?   on the newest day                        what is said
 *   no                  there, and large enough                  NEW
 *   yes                 there, of a higher category              STRONGER
 *   yes                 gone, as the days in between say         MERGED, ENDED
 *   yes                 never was, as the days are by now:
 *                         its hottest cell is in none        WITHDRAWN
 *                         ... in one that was announced      MERGED
 *                         ... in one that was not            nothing: it is the same one under another name
 *   it is over          there again                              NEW, naming what was said before
 */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/feed_private.h"
#include "monitor/feed_rings.h"

/* One publication. */
struct round {
    struct sst_feed *feed;
    int32_t newest; /* day */
    int64_t now;
    struct sst_outline outline;
    struct sst_feed_spans spans;
};

/* --- an entry ----------------------------------------------------------------------------------------------------- */

/* Around the cells of an area that is there. */
static enum sst_status box_of(struct round *round, size_t area, struct sst_feed_announcement *out,
                              struct sst_error *err)
{
    double box[4];
    round->spans.n = 0;
    SST_TRY(sst_area_outline(round->feed->work, area, &round->outline, err));
    SST_TRY(sst_feed_spans_add(&round->spans, &round->outline, err));
    if (!sst_feed_spans_box(&round->spans, box))
        return SST_OK;
    out->west = box[0];
    out->south = box[1];
    out->east = box[2];
    out->north = box[3];
    return SST_OK;
}

/* Adds an entry, with its box already in *it, and notes what was told. told: NULL where the area is announced first. */
static enum sst_status add(struct round *round, struct sst_feed_announcement *it, struct sst_feed_told *told,
                           struct sst_error *err)
{
    struct sst_feed_record *record = &round->feed->record;
    const struct sst_feed_entry *entry = sst_feed_record_find(record, sst_feed_number(round->feed, it->day));
    it->time = round->now;
    it->revision = entry ? entry->revision : 0;
    it->is_preliminary = entry && entry->is_preliminary;
    (void)sst_feed_entry_id(round->feed->spec.about, it, it->id);
    SST_TRY(sst_grow(&record->announcements, &record->announcements_capacity, record->n_announcements + 1,
                     sizeof *record->announcements, "announcements", err));
    if (!told) {
        SST_TRY(sst_grow(&record->told, &record->told_capacity, record->n_told + 1, sizeof *record->told,
                         "announced areas", err));
        told = &record->told[record->n_told++];
    }
    told->area = it->area;
    told->is_over = it->news != SST_FEED_NEWS_NEW && it->news != SST_FEED_NEWS_STRONGER;
    memcpy(told->entry, it->id, sizeof told->entry);
    record->announcements[record->n_announcements++] = *it;
    return SST_OK;
}

static struct sst_feed_announcement entry_of(enum sst_feed_news news, struct sst_day day, const struct sst_area *area,
                                             const struct sst_feed_told *told)
{
    struct sst_feed_announcement out = {
        .news = news, .day = day, .area = *area, .west = NAN, .south = NAN, .east = NAN, .north = NAN};
    if (told)
        memcpy(out.former, told->entry, sizeof out.former);
    return out;
}

/* --- areas that are there ----------------------------------------------------------------------------------------- */

static enum sst_status look_at_present(struct round *round, size_t index, struct sst_error *err)
{
    const struct sst_area *area = &sst_area_all(round->feed->work)[index];
    struct sst_feed_told *told = sst_feed_record_told(&round->feed->record, area->id);
    const bool is_new = !told || told->is_over;
    if (area->km2 < round->feed->spec.min_km2 || (!is_new && area->category <= told->area.category))
        return SST_OK;
    struct sst_feed_announcement it = entry_of(is_new ? SST_FEED_NEWS_NEW : SST_FEED_NEWS_STRONGER,
                                               sst_feed_day_at(round->feed, round->newest), area, told);
    SST_TRY(box_of(round, index, &it, err));
    return add(round, &it, told, err);
}

/* --- areas that are not ------------------------------------------------------------------------------------------- */

static const struct sst_area *find(const struct sst_area *areas, size_t n, uint64_t id)
{
    for (size_t i = 0; i < n; ++i)
        if (areas[i].id == id)
            return &areas[i];
    return NULL;
}

/* As a day of the ring, or one before it, ended it. */
static const struct sst_area *find_gone(const struct sst_feed *feed, uint64_t id)
{
    const struct sst_area *found = NULL;
    for (int32_t i = 0; i < feed->n_days && !found; ++i)
        found = find(feed->memos[i].gone, feed->memos[i].is_known ? feed->memos[i].n_gone : 0, id);
    for (size_t i = feed->n_past; i-- > 0 && !found;)
        if (feed->past[i].area.id == id)
            found = &feed->past[i].area;
    return found;
}

/* The area that is there in another's hottest cell, or NULL. */
static const struct sst_area *find_heir(const struct sst_feed *feed, const struct sst_feed_told *told)
{
    if (told->area.max_cell >= feed->spec.about->domain->n_cells)
        return NULL;
    const uint32_t label = sst_area_labels(feed->work)[told->area.max_cell];
    return label > 0 ? &sst_area_all(feed->work)[label - 1] : NULL;
}

/* What became of an area that is not there by its name; *area is it, as it was last. */
static enum sst_feed_news what_became(const struct sst_area *gone, const struct sst_area *heir, struct sst_area *area)
{
    if (gone) {
        *area = *gone;
        return gone->status == SST_AREA_MERGED ? SST_FEED_NEWS_MERGED : SST_FEED_NEWS_ENDED;
    }
    if (!heir)
        return SST_FEED_NEWS_WITHDRAWN;
    area->status = SST_AREA_MERGED;
    area->merged_into = heir->id;
    return SST_FEED_NEWS_MERGED;
}

static enum sst_status look_at_told(struct round *round, size_t index, struct sst_error *err)
{
    struct sst_feed *feed = round->feed;
    struct sst_feed_told *told = &feed->record.told[index];
    if (told->is_over || find(sst_area_all(feed->work), sst_area_n_present(feed->work), told->area.id))
        return SST_OK;
    const struct sst_area *gone = find_gone(feed, told->area.id), *heir = gone ? NULL : find_heir(feed, told);
    if (heir && !sst_feed_record_told(&feed->record, heir->id)) {
        told->area.id = heir->id;
        return SST_OK;
    }
    struct sst_area area = told->area;
    const enum sst_feed_news news = what_became(gone, heir, &area);
    if (round->newest - sst_feed_number(feed, area.last) > feed->spec.notify_days) {
        told->is_over = true;
        return SST_OK;
    }
    struct sst_feed_announcement it = entry_of(news, area.last, &area, told);
    return add(round, &it, told, err);
}

enum sst_status sst_feed_announce(struct sst_feed *feed, int32_t newest, int64_t now, struct sst_error *err)
{
    struct round round = {.feed = feed, .newest = newest, .now = now};
    enum sst_status rc = SST_OK;
    const size_t n_told = feed->record.n_told;
    for (size_t i = 0; i < n_told; ++i)
        SST_TRY_GOTO(look_at_told(&round, i, err));
    for (size_t i = 0; i < sst_area_n_present(feed->work); ++i)
        SST_TRY_GOTO(look_at_present(&round, i, err));
done:
    sst_outline_clear(&round.outline);
    sst_feed_spans_clear(&round.spans);
    return rc;
}
