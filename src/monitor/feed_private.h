/*
 * What the parts of a feed share.
 *
 *   feed_engine.c      days into the ring and out of it
 *   feed_fill.c        a day of the ring as struct sst_feed_day
 *   feed_publish.c     what changed, and its files
 *   feed_lists.c       what lists are made of, and days that go
 *   feed_announce.c    what is said of areas
 *   feed_checkpoint.c  .engine/
 */
#ifndef SST_MONITOR_FEED_PRIVATE_H
#define SST_MONITOR_FEED_PRIVATE_H

#include "monitor/feed.h"
#include "monitor/feed_record.h"

/* What is known of a day of the ring. */
struct sst_feed_memo {
    bool has_source; /* a field was put; it came from this: */
    struct sst_feed_source source;
    bool is_known; /* what follows is of `day`, as the ring stood when it was last looked at */
    int32_t day;
    struct sst_digest_chain input; /* of the ring's arrays */
    struct sst_digest_chain product; /* of all that the day says */
    struct sst_text after; /* areas after the day, as sst_area_encode makes them */
    struct sst_area *gone; /* that it ended or merged */
    size_t n_gone, gone_capacity;
    struct sst_region_day *regions;
};

/* Threads that sum regions: the world's takes as long as all others. */
enum { SST_FEED_REGION_THREADS = 2 };

/* A day of all cells of the domain; those that are not watched are land for ever. */
struct sst_feed_cells {
    uint8_t *surface, *label, *robust, *kind, *category_of_event, *is_event, *is_candidate;
    int8_t *category;
    float *sst, *mean, *threshold, *bound, *anomaly, *severity;
    uint16_t *days_above;
    int32_t *start;
    uint64_t *event_id;
};

struct sst_feed {
    struct sst_feed_spec spec;
    int32_t n_days; /* that the ring holds */
    uint64_t identity; /* of climatology, cells, rule and ring */
    int folder; /* .engine/, open */
    int lock;
    struct sst_event_ring *ring;
    struct sst_area_tracker *base, *work; /* before the ring's oldest day; of some day of it */
    struct sst_feed_memo *memos; /* of day mod n_days */
    struct sst_feed_cells cells;
    float *bound_scratch; /* by watched cell */
    uint8_t *label_scratch;
    int32_t *start_scratch;
    uint32_t *no_labels; /* of a day without a field, of which no area is told */
    struct sst_region_scratch *regions[SST_FEED_REGION_THREADS];
    struct sst_feed_past_area *past; /* gone before the ring's oldest day */
    size_t n_past, past_capacity;
    struct sst_area *areas; /* of the day that is written */
    size_t areas_capacity;
    struct sst_feed_record record;
    int32_t from; /* earlier days are not published */
    bool is_ring_saved; /* as it stands */
    bool is_listed; /* the lists say what the record does */
    struct sst_day told_expected;
    struct sst_feed_totals totals;
};

static inline struct sst_feed_memo *sst_feed_memo_at(const struct sst_feed *feed, int32_t day)
{
    return &feed->memos[((day % feed->n_days) + feed->n_days) % feed->n_days];
}

static inline int32_t sst_feed_number(const struct sst_feed *feed, struct sst_day day)
{
    return (int32_t)sst_calendar_days_since_1970(feed->spec.about->calendar, day);
}

static inline struct sst_day sst_feed_day_at(const struct sst_feed *feed, int32_t number)
{
    return sst_calendar_day_at(feed->spec.about->calendar, number);
}

void sst_feed_memo_clear(struct sst_feed_memo *memo);

/* --- feed_fill.c -------------------------------------------------------------------------------------------------- */

SST_MUST_CHECK enum sst_status sst_feed_cells_create(const struct sst_domain *domain, struct sst_feed_cells *cells,
                                                     struct sst_error *err);
void sst_feed_cells_clear(struct sst_feed_cells *cells);

/* Fills what areas and regions ask for of feed->cells; and all of it, with bounds where there are any. Errors: those of bounds. */
void sst_feed_fill(struct sst_feed *feed, const struct sst_event_day *day);
SST_MUST_CHECK enum sst_status sst_feed_fill_all(struct sst_feed *feed, const struct sst_event_day *day,
                                                 struct sst_error *err);

/* What areas and regions look at, of feed->cells. */
struct sst_region_cells sst_feed_region_cells(const struct sst_feed *feed);

/* What a day of the ring is, in few words: the same for the same values and labels, however they came. */
struct sst_digest_chain sst_feed_input_digest(struct sst_feed *feed, const struct sst_event_day *day);

/* --- feed_publish.c ----------------------------------------------------------------------------------------------- */

/* A day leaves the ring: base is stepped by it, and it is written where it is not what was published. */
SST_MUST_CHECK enum sst_status sst_feed_leave(struct sst_feed *feed, const struct sst_event_day *day,
                                              struct sst_error *err);

/* Puts work where a copy of a tracker says; NULL: where base stands. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_place_work(struct sst_feed *feed, const struct sst_text *after,
                                                   struct sst_error *err);

/* A day of the ring as writers want it; `tracker` stands after the day. Borrowed until feed->cells change. Errors: those of bounds. */
SST_MUST_CHECK enum sst_status sst_feed_tell_day(struct sst_feed *feed, const struct sst_event_day *day,
                                                 const struct sst_area_tracker *tracker,
                                                 const struct sst_feed_memo *memo, struct sst_feed_day *out,
                                                 struct sst_error *err);

/* --- feed_lists.c ------------------------------------------------------------------------------------------------- */

/* oldest, newest: of the ring, whose memos are as its days are. Errors: those of the writer; SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_put_lists(struct sst_feed *feed, struct sst_day expected, int32_t oldest,
                                                  int32_t newest, struct sst_error *err);

/* Drops the files of days before one; then takes them out of what is told. Errors: those of the writer. */
SST_MUST_CHECK enum sst_status sst_feed_drop_days(struct sst_feed *feed, int32_t before, struct sst_error *err);
void sst_feed_forget_days(struct sst_feed *feed, int32_t before);

/* --- feed_announce.c ---------------------------------------------------------------------------------------------- */

/*
 * Adds to the record what is to be said in view of the newest day, which feed->work stands after. The ring's memos are those of its
 * days as they are.
 *
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_announce(struct sst_feed *feed, int32_t newest, int64_t now,
                                                 struct sst_error *err);

/* --- feed_checkpoint.c -------------------------------------------------------------------------------------------- */

/* Opens FEED/.engine/ and its lock. Errors: SST_ERR_OUTPUT, SST_ERR_LOCKED. */
SST_MUST_CHECK enum sst_status sst_feed_folder_open(struct sst_feed *feed, struct sst_error *err);
void sst_feed_folder_close(struct sst_feed *feed);

/* Durable on return. Errors: SST_ERR_OUTPUT, the old ones stand; SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_save_ring(struct sst_feed *feed, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_feed_save_record(struct sst_feed *feed, struct sst_error *err);

/* What stands there: ring NULL and an empty record where nothing does. Errors: SST_ERR_STATE, SST_ERR_INPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_load(struct sst_feed *feed, enum sst_feed_use use,
                                             const struct sst_event_ring_spec *ring_spec, struct sst_error *err);

#endif
