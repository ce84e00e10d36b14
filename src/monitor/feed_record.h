/* What a feed published: its days with their revisions, what was announced, and the regions day by day. */
#ifndef SST_MONITOR_FEED_RECORD_H
#define SST_MONITOR_FEED_RECORD_H

#include "core/digest.h"
#include "monitor/feed_news.h"

/* A day of the record. */
struct sst_feed_entry {
    int32_t day; /* [days since 1970-01-01] */
    int32_t revision;
    struct sst_digest_chain digest; /* of what the revision says */
    bool is_absent, is_preliminary;
    bool is_pending; /* its files may not all be there */
    bool is_dropped; /* its files are not kept; the number of its revision is */
    int64_t first_published, published; /* [s] of 1970, UTC */
    struct sst_region_day *regions; /* n_regions; NULL: not kept */
};

/* An area that was announced, as it was told last. */
struct sst_feed_told {
    struct sst_area area;
    bool is_over; /* that it ended, merged or was withdrawn was told, or is too long ago to be */
    char entry[SST_FEED_ENTRY_ID_SIZE];
};

struct sst_feed_record {
    struct sst_feed_entry *entries; /* ascending days */
    size_t n_entries, entries_capacity;
    struct sst_feed_announcement *announcements; /* in order of time */
    size_t n_announcements, announcements_capacity;
    size_t n_sent; /* of these, told to spec.announce */
    struct sst_feed_told *told; /* in order of announcement */
    size_t n_told, told_capacity;
    int64_t started; /* [s] of 1970, UTC; 0: never published */
    size_t n_regions;
    uint64_t regions_id; /* of their names and cells: numbers of others are not shown */
};

void sst_feed_record_clear(struct sst_feed_record *record);

/* The day's entry, or NULL. Valid until one is added. */
struct sst_feed_entry *sst_feed_record_find(const struct sst_feed_record *record, int32_t day);

/* The same, made with revision 0 where there is none. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_record_entry(struct sst_feed_record *record, int32_t day,
                                                     struct sst_feed_entry **out, struct sst_error *err);

/* NULL where the area was never announced. */
struct sst_feed_told *sst_feed_record_told(const struct sst_feed_record *record, uint64_t id);

/* To bytes and back; out grows from zeros, the record is empty. Errors: SST_ERR_NOMEM; SST_ERR_STATE where they do not fit together. */
SST_MUST_CHECK enum sst_status sst_feed_record_encode(const struct sst_feed_record *record, struct sst_text *out,
                                                      struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_feed_record_decode(struct sst_feed_record *record, const void *bytes, size_t n_bytes,
                                                      struct sst_error *err);

/* An area as bytes, and back. */
struct sst_taken;
void sst_feed_put_area(struct sst_text *out, const struct sst_area *area);
void sst_feed_take_area(struct sst_taken *from, struct sst_area *area);

#endif
