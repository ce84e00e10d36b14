/*
 * feed.atom and feed.json: entries for people who subscribe, only where something changed.
 *
 * What was announced stays as it was: a change is an entry of its own that names the former one. The words of an entry follow
 * from its announcement alone, so a feed that is made anew says the same.
 */
#ifndef SST_MONITOR_FEED_NEWS_H
#define SST_MONITOR_FEED_NEWS_H

#include "core/text.h"
#include "monitor/feed_day.h"

enum { SST_FEED_ENTRY_ID_SIZE = 80, SST_FEED_ENTRIES = 200 };

enum sst_feed_news {
    SST_FEED_NEWS_NEW,
    SST_FEED_NEWS_STRONGER, /* by a category */
    SST_FEED_NEWS_MERGED, /* into area.merged_into */
    SST_FEED_NEWS_ENDED,
    SST_FEED_NEWS_WITHDRAWN /* what `former` told is no heatwave after all, in view of days that came or changed since */
};

/* "new", "stronger", "merged", "ended", "withdrawn" */
const char *sst_feed_news_name(enum sst_feed_news news);

struct sst_feed_announcement {
    char id[SST_FEED_ENTRY_ID_SIZE]; /* of the feed's entries, once for ever: sst_feed_entry_id */
    char former[SST_FEED_ENTRY_ID_SIZE]; /* entry that this one follows or takes back; "": none */
    enum sst_feed_news news;
    int64_t time; /* [s] of 1970, UTC */
    struct sst_day day; /* of which it tells */
    int revision; /* of that day */
    bool is_preliminary;
    struct sst_area area; /* as it was on that day */
    double west, south, east, north; /* [degrees] of its cells; west > east across 180 degrees. NaN: not known */
};

/* "20261130-35.12S-155.38E_20261201_new_1": area, day, news and revision. Returns the buffer of SST_FEED_ENTRY_ID_SIZE. */
const char *sst_feed_entry_id(const struct sst_feed_about *about, const struct sst_feed_announcement *announcement,
                              char *text);

/*
 * The address of an entry, a tag: URI (RFC 4151) that names climatology and entry, so that it stays when a feed is moved.
 *
 * id       "": of the feed
 */
void sst_feed_add_tag(struct sst_text *text, const struct sst_feed_about *about, const char *id);

/* A line, and a text of some sentences: what, since when, from which data. Plain text. */
void sst_feed_add_headline(struct sst_text *text, const struct sst_feed_about *about,
                           const struct sst_feed_announcement *announcement);
void sst_feed_add_story(struct sst_text *text, const struct sst_feed_about *about,
                        const struct sst_feed_announcement *announcement);

/* All is borrowed. */
struct sst_feed_entries {
    const struct sst_feed_about *about;
    const struct sst_feed_announcement *items; /* ascending by time */
    size_t n;
    size_t most; /* the newest so many are written: SST_FEED_ENTRIES, or as the user says */
    int64_t started; /* [s] of 1970, UTC; of the feed, which it was updated at as long as it has no entry */
};

/* Atom (RFC 4287) with GeoRSS simple points and boxes, newest entry first. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_atom(const struct sst_feed_entries *entries, struct sst_text *out,
                                             struct sst_error *err);

/* JSON Feed 1.1, newest entry first; what programs want to know is under _sststream. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_json_feed(const struct sst_feed_entries *entries, struct sst_text *out,
                                                  struct sst_error *err);

#endif
