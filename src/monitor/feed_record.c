/* The record as it is in memory, and as bytes. */
#include "monitor/feed_record.h"

#include <string.h>

#include "core/mem.h"
#include "state/state_wire.h"

enum { LAYOUT = 1 };

void sst_feed_record_clear(struct sst_feed_record *record)
{
    for (size_t i = 0; i < record->n_entries; ++i)
        sst_free(record->entries[i].regions);
    sst_free(record->entries);
    sst_free(record->announcements);
    sst_free(record->told);
    *record = (struct sst_feed_record){0};
}

/* The first entry that is not before the day. */
static size_t place_of(const struct sst_feed_record *record, int32_t day)
{
    size_t low = 0, high = record->n_entries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (record->entries[middle].day < day)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct sst_feed_entry *sst_feed_record_find(const struct sst_feed_record *record, int32_t day)
{
    const size_t at = place_of(record, day);
    return at < record->n_entries && record->entries[at].day == day ? &record->entries[at] : NULL;
}

enum sst_status sst_feed_record_entry(struct sst_feed_record *record, int32_t day, struct sst_feed_entry **out,
                                      struct sst_error *err)
{
    *out = sst_feed_record_find(record, day);
    if (*out)
        return SST_OK;
    SST_TRY(sst_grow(&record->entries, &record->entries_capacity, record->n_entries + 1, sizeof *record->entries,
                     "a feed's days", err));
    *out = &record->entries[place_of(record, day)];
    memmove(*out + 1, *out, (size_t)(&record->entries[record->n_entries] - *out) * sizeof **out);
    **out = (struct sst_feed_entry){.day = day};
    ++record->n_entries;
    return SST_OK;
}

struct sst_feed_told *sst_feed_record_told(const struct sst_feed_record *record, uint64_t id)
{
    for (size_t i = record->n_told; i-- > 0;)
        if (record->told[i].area.id == id)
            return &record->told[i];
    return NULL;
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

static void take_id(struct sst_taken *from, char *id)
{
    const void *bytes = sst_take_bytes(from, SST_FEED_ENTRY_ID_SIZE);
    if (bytes)
        memcpy(id, bytes, SST_FEED_ENTRY_ID_SIZE);
    id[SST_FEED_ENTRY_ID_SIZE - 1] = '\0';
}

void sst_feed_put_area(struct sst_text *out, const struct sst_area *area)
{
    sst_put_u64(out, area->id);
    sst_put_u32(out, (uint32_t)area->status);
    sst_put_day(out, area->first);
    sst_put_day(out, area->last);
    sst_put_u64(out, area->merged_into);
    sst_put_u64(out, area->split_from);
    sst_put_real(out, area->km2);
    sst_put_real(out, area->lat);
    sst_put_real(out, area->lon);
    sst_put_real(out, area->mean_intensity);
    sst_put_real(out, area->max_intensity);
    sst_put_u32(out, area->max_cell);
    sst_put_u32(out, (uint32_t)area->category);
    sst_put_u32(out, (uint32_t)area->n_days);
    sst_put_real(out, area->most_km2);
    sst_put_real(out, area->peak_intensity);
    sst_put_day(out, area->peak);
    sst_put_u32(out, (uint32_t)area->highest_category);
}

void sst_feed_take_area(struct sst_taken *from, struct sst_area *area)
{
    area->id = sst_take_u64(from);
    area->status = (enum sst_area_status)sst_take_u32(from);
    area->first = sst_take_day(from);
    area->last = sst_take_day(from);
    area->merged_into = sst_take_u64(from);
    area->split_from = sst_take_u64(from);
    area->km2 = sst_take_real(from);
    area->lat = sst_take_real(from);
    area->lon = sst_take_real(from);
    area->mean_intensity = sst_take_real(from);
    area->max_intensity = sst_take_real(from);
    area->max_cell = sst_take_u32(from);
    area->category = (int)sst_take_u32(from);
    area->n_days = (int32_t)sst_take_u32(from);
    area->most_km2 = sst_take_real(from);
    area->peak_intensity = sst_take_real(from);
    area->peak = sst_take_day(from);
    area->highest_category = (int)sst_take_u32(from);
}

static void put_region(struct sst_text *out, const struct sst_region_day *day)
{
    sst_put_real(out, day->known_km2);
    sst_put_real(out, day->unknown_km2);
    sst_put_real(out, day->beside_km2);
    for (int i = 0; i <= SST_N_CATEGORIES; ++i)
        sst_put_real(out, day->category_km2[i]);
    sst_put_real(out, day->candidate_km2);
    sst_put_real(out, day->mean_anomaly);
    sst_put_real(out, day->mean_intensity);
    sst_put_real(out, day->max_intensity);
    sst_put_u32(out, day->max_cell);
    sst_put_real(out, day->p90_severity);
}

static void take_region(struct sst_taken *from, struct sst_region_day *day)
{
    day->known_km2 = sst_take_real(from);
    day->unknown_km2 = sst_take_real(from);
    day->beside_km2 = sst_take_real(from);
    for (int i = 0; i <= SST_N_CATEGORIES; ++i)
        day->category_km2[i] = sst_take_real(from);
    day->candidate_km2 = sst_take_real(from);
    day->mean_anomaly = sst_take_real(from);
    day->mean_intensity = sst_take_real(from);
    day->max_intensity = sst_take_real(from);
    day->max_cell = sst_take_u32(from);
    day->p90_severity = sst_take_real(from);
}

/* --- days --------------------------------------------------------------------------------------------------------- */

enum { IS_ABSENT = 1, IS_PRELIMINARY = 2, IS_PENDING = 4, IS_DROPPED = 8, HAS_REGIONS = 16 };

static void put_entry(struct sst_text *out, const struct sst_feed_entry *entry, size_t n_regions)
{
    sst_put_u32(out, (uint32_t)entry->day);
    sst_put_u32(out, (uint32_t)entry->revision);
    sst_put_u64(out, entry->digest.low);
    sst_put_u64(out, entry->digest.high);
    sst_put_u32(out, (entry->is_absent ? IS_ABSENT : 0u) | (entry->is_preliminary ? IS_PRELIMINARY : 0u) |
                         (entry->is_pending ? IS_PENDING : 0u) | (entry->is_dropped ? IS_DROPPED : 0u) |
                         (entry->regions ? HAS_REGIONS : 0u));
    sst_put_u64(out, (uint64_t)entry->first_published);
    sst_put_u64(out, (uint64_t)entry->published);
    for (size_t i = 0; entry->regions && i < n_regions; ++i)
        put_region(out, &entry->regions[i]);
}

static enum sst_status take_entry(struct sst_taken *from, struct sst_feed_record *record, struct sst_error *err)
{
    struct sst_feed_entry *entry = NULL;
    SST_TRY(sst_feed_record_entry(record, (int32_t)sst_take_u32(from), &entry, err));
    entry->revision = (int32_t)sst_take_u32(from);
    entry->digest.low = sst_take_u64(from);
    entry->digest.high = sst_take_u64(from);
    const uint32_t flags = sst_take_u32(from);
    entry->is_absent = flags & IS_ABSENT;
    entry->is_preliminary = flags & IS_PRELIMINARY;
    entry->is_pending = flags & IS_PENDING;
    entry->is_dropped = flags & IS_DROPPED;
    entry->first_published = (int64_t)sst_take_u64(from);
    entry->published = (int64_t)sst_take_u64(from);
    if (!(flags & HAS_REGIONS) || from->failed)
        return SST_OK;
    if (record->n_regions > from->left) {
        from->failed = true;
        return SST_OK;
    }
    SST_TRY(sst_alloc(record->n_regions, sizeof *entry->regions, "a day's regions", &entry->regions, err));
    for (size_t i = 0; i < record->n_regions; ++i)
        take_region(from, &entry->regions[i]);
    return SST_OK;
}

/* --- announcements ------------------------------------------------------------------------------------------------ */

static void put_announcement(struct sst_text *out, const struct sst_feed_announcement *it)
{
    sst_text_add_bytes(out, it->id, sizeof it->id);
    sst_text_add_bytes(out, it->former, sizeof it->former);
    sst_put_u32(out, (uint32_t)it->news);
    sst_put_u64(out, (uint64_t)it->time);
    sst_put_day(out, it->day);
    sst_put_u32(out, (uint32_t)it->revision);
    sst_put_u32(out, it->is_preliminary);
    sst_feed_put_area(out, &it->area);
    sst_put_real(out, it->west);
    sst_put_real(out, it->south);
    sst_put_real(out, it->east);
    sst_put_real(out, it->north);
}

static void take_announcement(struct sst_taken *from, struct sst_feed_announcement *it)
{
    *it = (struct sst_feed_announcement){0};
    take_id(from, it->id);
    take_id(from, it->former);
    it->news = (enum sst_feed_news)sst_take_u32(from);
    it->time = (int64_t)sst_take_u64(from);
    it->day = sst_take_day(from);
    it->revision = (int)sst_take_u32(from);
    it->is_preliminary = sst_take_u32(from) != 0;
    sst_feed_take_area(from, &it->area);
    it->west = sst_take_real(from);
    it->south = sst_take_real(from);
    it->east = sst_take_real(from);
    it->north = sst_take_real(from);
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

enum sst_status sst_feed_record_encode(const struct sst_feed_record *record, struct sst_text *out,
                                       struct sst_error *err)
{
    sst_put_u32(out, LAYOUT);
    sst_put_u64(out, (uint64_t)record->started);
    sst_put_u32(out, (uint32_t)record->n_regions);
    sst_put_u64(out, record->regions_id);
    sst_put_u64(out, record->n_entries);
    for (size_t i = 0; i < record->n_entries; ++i)
        put_entry(out, &record->entries[i], record->n_regions);
    sst_put_u64(out, record->n_announcements);
    for (size_t i = 0; i < record->n_announcements; ++i)
        put_announcement(out, &record->announcements[i]);
    sst_put_u64(out, record->n_sent);
    sst_put_u64(out, record->n_told);
    for (size_t i = 0; i < record->n_told; ++i) {
        sst_feed_put_area(out, &record->told[i].area);
        sst_put_u32(out, record->told[i].is_over);
        sst_text_add_bytes(out, record->told[i].entry, sizeof record->told[i].entry);
    }
    return sst_text_check(out, err);
}

/* Each item has at least a byte, so a number that is beyond what is left is damage and not a reason to ask for memory. */
static size_t take_count(struct sst_taken *from)
{
    const uint64_t n = sst_take_u64(from);
    if (n > from->left)
        from->failed = true;
    return from->failed ? 0 : (size_t)n;
}

static enum sst_status take_all(struct sst_taken *from, struct sst_feed_record *record, struct sst_error *err)
{
    record->started = (int64_t)sst_take_u64(from);
    record->n_regions = sst_take_u32(from);
    record->regions_id = sst_take_u64(from);
    for (size_t n = take_count(from); n > 0 && !from->failed; --n)
        SST_TRY(take_entry(from, record, err));
    record->n_announcements = take_count(from);
    SST_TRY(sst_grow(&record->announcements, &record->announcements_capacity, record->n_announcements,
                     sizeof *record->announcements, "announcements", err));
    for (size_t i = 0; i < record->n_announcements; ++i)
        take_announcement(from, &record->announcements[i]);
    record->n_sent = (size_t)sst_take_u64(from);
    record->n_told = take_count(from);
    SST_TRY(
        sst_grow(&record->told, &record->told_capacity, record->n_told, sizeof *record->told, "announced areas", err));
    for (size_t i = 0; i < record->n_told; ++i) {
        sst_feed_take_area(from, &record->told[i].area);
        record->told[i].is_over = sst_take_u32(from) != 0;
        take_id(from, record->told[i].entry);
    }
    return SST_OK;
}

enum sst_status sst_feed_record_decode(struct sst_feed_record *record, const void *bytes, size_t n_bytes,
                                       struct sst_error *err)
{
    struct sst_taken from = {.at = bytes, .left = n_bytes};
    const uint32_t layout = sst_take_u32(&from);
    enum sst_status rc = SST_OK;
    if (layout != LAYOUT)
        return sst_fail(err, SST_ERR_STATE, "the record of the feed has layout %u, which this program does not know",
                        layout);
    rc = take_all(&from, record, err);
    if (rc == SST_OK && (!sst_took_all(&from) || record->n_sent > record->n_announcements))
        rc = sst_fail(err, SST_ERR_STATE, "the parts of the feed's record do not fit together");
    if (rc != SST_OK)
        sst_feed_record_clear(record);
    return rc;
}
