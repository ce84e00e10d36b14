/*
 * A feed: days go in as they come, in whatever order, and files come out that say what each is; revised where that changed.
 *
 *   put ──▶ ring of days ──leaves──▶ base tracker of areas          (event_ring.h, area.h)
 *              │ publish: a copy of base is stepped through the ring
 *              ▼
 *   what each day says ──other than the record has?──▶ next revision ──▶ record durable ──▶ files of the day ──▶ lists
 *
 * Batch    days that are late by less than ring_days, or come twice, or first preliminary and then final, end in the files that the
 *          days in order and once would have made, but for numbers of revisions and dates of publication.
 * Crash    a revision is in the record before its first file is written, and what was being written is written again; so
 *          a revision's number stands for one content. Days that were put since the last sst_feed_publish are to be put again:
 *          sst_feed_has tells which.
 *
 *   FEED/.engine/ring     the ring, base, and which fields were put       replaced whole, by renaming, before
 *   FEED/.engine/record   revisions, announcements, regions day by day    and this before the files
 *   FEED/.engine/lock     of the one writer
 */
#ifndef SST_MONITOR_FEED_H
#define SST_MONITOR_FEED_H

#include "monitor/event_ring.h"
#include "monitor/feed_areas.h"
#include "monitor/feed_news.h"
#include "state/state_os.h"

/* So many days are shown region by region. */
enum { SST_FEED_ROWS = 400 };

/* What lists and pages are made of. All is borrowed for the call. */
struct sst_feed_summary {
    const struct sst_feed_state *state;
    const struct sst_feed_day *day; /* the newest that has a field; NULL: there is none */
    const struct sst_area_tracker *tracker; /* stepped to it */
    const struct sst_feed_past_area *past; /* areas that are gone, of the days kept; by their last day */
    size_t n_past;
    const struct sst_feed_announcement *announcements; /* all, in order of time */
    size_t n_announcements;
    const struct sst_feed_row {
        struct sst_day day;
        int revision;
        bool is_absent, is_preliminary;
        const struct sst_region_day *regions; /* about->regions->n */
    } * rows; /* ascending; at most SST_FEED_ROWS days */
    size_t n_rows;
    int64_t started; /* [s] of 1970, UTC; of the feed */
};

/*
 * Who makes files of it. What a function writes is in place, whole, when it returns SST_OK; each may be called again with the same.
 * Only the files of put_day may be on their way still, until settle returns SST_OK: they are written while what comes next is
 * made. All that is told is bytes by then. Lists are in place after all that they name, so put_lists waits too. Days that are
 * dropped are no longer in the lists that are put next, and their files go once those are there.
 */
struct sst_feed_writer {
    void *user;
    enum sst_status (*put_day)(void *user, const struct sst_feed_day *day, struct sst_error *err);
    enum sst_status (*settle)(void *user, struct sst_error *err); /* NULL: nothing is ever on its way */
    enum sst_status (*drop_day)(void *user, struct sst_day day, struct sst_error *err); /* it need not be there */
    enum sst_status (*put_lists)(void *user, const struct sst_feed_summary *summary, struct sst_error *err);
};

/* All is borrowed while the feed is open. */
struct sst_feed_spec {
    const struct sst_os *os; /* for .engine/ */
    const char *folder; /* its parent is there */
    const struct sst_feed_about *about;
    struct sst_event_rule rule;
    /* Cells that have a threshold: their domain cells, ascending, and sst_domain_canonical of these. */
    size_t n_cells;
    const size_t *cells;
    const uint64_t *canonical;
    int32_t ring_days; /* days that may come late: those after newest - ring_days */
    int notify_days; /* of areas that ended, merged or were withdrawn earlier than so many days before the newest day nothing is said */
    int keep_days; /* days whose files stay; 0: all */
    double min_km2; /* smaller areas are not announced */
    uint64_t limits_id; /* names the climatology */
    void *user; /* of what follows */
    /* As in struct sst_event_links. */
    enum sst_status (*limits)(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err);
    /* [degC] Half width of the threshold's error interval, n_cells; NaN: not known. NULL: nowhere. */
    enum sst_status (*bounds)(void *user, struct sst_day day, float *bound, struct sst_error *err);
    int64_t (*now)(void *user); /* [s] of 1970, UTC */
    /* Told of each announcement once its entry can be read; again after a crash at that moment. May be NULL. */
    void (*announce)(void *user, const struct sst_feed_announcement *announcement);
    struct sst_feed_writer writer;
};

/* The ring holds more days than may come late: what a day is depends on those after it. */
int32_t sst_feed_days_held(const struct sst_feed_spec *spec);

/* [B] of memory that a feed takes, without what its writer does. */
uint64_t sst_feed_bytes(const struct sst_feed_spec *spec);

struct sst_feed;

enum sst_feed_use {
    SST_FEED_GO_ON, /* from where it stopped; a feed of no day where there is none */
    SST_FEED_ANEW /* from no day, but with the record: revisions and announcements go on */
};

/*
 * Opens a feed, as its one writer, whose death frees it; makes the folder where there is none.
 *
 * Owner    the caller; sst_feed_close, which accepts NULL inside.
 * Errors   SST_ERR_STATE: what is there is damaged, or of another grid, climatology, rule or ring (GO_ON); SST_ERR_LOCKED;
 *          SST_ERR_OUTPUT; SST_ERR_USAGE: days or a rule that cannot be; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_open(const struct sst_feed_spec *spec, enum sst_feed_use use,
                                             struct sst_feed **out, struct sst_error *err);
void sst_feed_close(struct sst_feed **feed);

/* What was read of a day: as in struct sst_ledger_entry. */
struct sst_feed_source {
    uint64_t digest, ice_digest;
    bool is_preliminary;
};

/*
 * Takes in the field of a day.
 *
 * sst      [degC] n_cells, NaN: unknown
 * ice      n_cells, 1 where the file says sea ice
 * Errors   SST_ERR_STATE for a day that comes too late, with the remedy; nothing changed. Those of limits, bounds and the
 *          writer, after which the feed is to be closed.
 */
SST_MUST_CHECK enum sst_status sst_feed_take(struct sst_feed *feed, struct sst_day day, const float *sst,
                                             const uint8_t *ice, const struct sst_feed_source *source,
                                             struct sst_error *err);

/* Goes on to a day of which no field came, if it is after the newest. Nothing is done before the first field. Errors: as sst_feed_take. */
SST_MUST_CHECK enum sst_status sst_feed_advance(struct sst_feed *feed, struct sst_day day, struct sst_error *err);

/* Whether the day's field is in already: the same values, or a final day where this is preliminary. */
bool sst_feed_has(const struct sst_feed *feed, struct sst_day day, const struct sst_feed_source *source);

/* Whether a day can still be taken in. */
bool sst_feed_accepts(const struct sst_feed *feed, struct sst_day day);

/* The newest day that has a field; slot 0: none. */
struct sst_day sst_feed_newest(const struct sst_feed *feed);

/* Days before this one are not published, though what they say is used; slot 0, as after opening: all are. */
void sst_feed_publish_from(struct sst_feed *feed, struct sst_day day);

/*
 * Writes what changed since the last time, drops days that are no longer kept, and announces. Without any change nothing is
 * written.
 *
 * expected  the newest day that should be there by now; slot 0: nothing is said about that.
 * Errors    SST_ERR_OUTPUT, of the writer: what is there is whole, and the next call does what is left. SST_ERR_NOMEM; those
 *           of bounds.
 */
SST_MUST_CHECK enum sst_status sst_feed_publish(struct sst_feed *feed, struct sst_day expected, struct sst_error *err);

/* How often days were written, and the newest state told: for the log. */
struct sst_feed_totals {
    size_t n_days_written, n_announced;
};
const struct sst_feed_totals *sst_feed_totals(const struct sst_feed *feed);

#endif
