/* A made-up sea, days of it in any order, and a writer of a feed that only notes what it was told. */
#ifndef SST_FEED_DAYS_H
#define SST_FEED_DAYS_H

#include "core/digest.h"
#include "fake_os.h"
#include "monitor/feed.h"
#include "regular_grid.h"

enum {
    FEED_DAYS_ROWS = 10,
    FEED_DAYS_COLS = 16,
    FEED_DAYS_CELLS = FEED_DAYS_ROWS * FEED_DAYS_COLS,
    FEED_DAYS_MOST = 96
};
enum { FEED_DAYS_RING = 10 };
#define FEED_DAYS_FOLDER "FEED"

/* What the writer was told of a day: of its content without revision and dates. */
struct feed_noted_day {
    struct sst_digest_chain digest;
    int revision;
    bool is_there;
};

enum { FEED_NOTED_REVISIONS = 64, FEED_NOTED_ENTRIES = 512 };

struct feed_noted {
    struct feed_noted_day days[FEED_DAYS_MOST]; /* by index */
    /* Of each revision that was ever written: a number stands for one content. */
    struct sst_digest_chain by_revision[FEED_DAYS_MOST][FEED_NOTED_REVISIONS];
    struct sst_digest_chain past; /* of the areas that are gone, as the last lists have them */
    struct sst_feed_announcement entries[FEED_NOTED_ENTRIES];
    size_t n_entries, n_lists, n_puts, n_drops, n_told;
    size_t n_left; /* days and lists that can still be written; then the writer fails */
    int n_kept; /* days in the last lists */
    int newest_listed; /* index of the newest day of the last lists, -1: none */
    bool is_late;
    int64_t now; /* [s] of 1970 */
};

struct feed_days {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_feed_about about;
    size_t cells[FEED_DAYS_CELLS];
    uint64_t canonical[FEED_DAYS_CELLS];
    struct feed_noted noted;
    struct feed_waiting { /* days that were put, until the feed settles: another process finds none of them */
        int index;
        struct feed_noted_day day;
    } waiting[FEED_DAYS_MOST];
    size_t n_waiting;
    struct fake_disk *disk;
    struct fake_faults faults;
    struct sst_feed_spec spec;
};

/* Owner: the caller; feed_days_close. */
void feed_days_open(struct feed_days *days);
void feed_days_close(struct feed_days *days);

/* The day of an index 0 .. FEED_DAYS_MOST - 1. */
struct sst_day feed_days_day(int index);

/* Puts a day; of a preliminary one some cells are other than they will be. Fails the test unless `rc` comes back. */
void feed_days_put(struct sst_feed *feed, int index, bool is_preliminary, enum sst_status rc);

/* What a file of it would be known by. */
struct sst_feed_source feed_days_source(int index, bool is_preliminary);

/* Opens, publishes; fails the test where it cannot. */
struct sst_feed *feed_days_feed(struct feed_days *days, enum sst_feed_use use);
void feed_days_publish(struct sst_feed *feed);

/* Whether both writers have the same days and areas by now. */
bool feed_days_same(const struct feed_noted *a, const struct feed_noted *b);

#endif
