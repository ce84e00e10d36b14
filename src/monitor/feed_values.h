/* Values of a feed's JSON files. A failure sticks in the maker and is asked for once, at the end; jansson's own header stays out of ours. */
#ifndef SST_MONITOR_FEED_VALUES_H
#define SST_MONITOR_FEED_VALUES_H

#include "core/text.h"
#include "monitor/feed_words.h"

struct json_t;

struct sst_feed_maker {
    bool has_failed; /* there was no memory */
    enum sst_calendar_kind calendar;
    const struct sst_grid *grid;
};

struct json_t *sst_feed_object(struct sst_feed_maker *maker);
struct json_t *sst_feed_array(struct sst_feed_maker *maker);

/* Puts a value, which is taken over, into an object or at the end of an array. */
void sst_feed_set(struct sst_feed_maker *maker, struct json_t *object, const char *key, struct json_t *value);
void sst_feed_append(struct sst_feed_maker *maker, struct json_t *array, struct json_t *value);

/* The same for texts, which may hold anything (core/text.h); numbers with so many decimals, NaN as null; and whole ones. */
void sst_feed_set_text(struct sst_feed_maker *maker, struct json_t *object, const char *key, const char *text);
void sst_feed_set_number(struct sst_feed_maker *maker, struct json_t *object, const char *key, double value,
                         int decimals);
void sst_feed_set_count(struct sst_feed_maker *maker, struct json_t *object, const char *key, int64_t value);
void sst_feed_set_bool(struct sst_feed_maker *maker, struct json_t *object, const char *key, bool value);
/* "2026-11-30", null for slot 0; "2026-11-30T06:00:00Z"; the text of an area's id, null for 0. */
void sst_feed_set_day(struct sst_feed_maker *maker, struct json_t *object, const char *key, struct sst_day day);
void sst_feed_set_time(struct sst_feed_maker *maker, struct json_t *object, const char *key,
                       int64_t seconds_since_1970);
void sst_feed_set_area(struct sst_feed_maker *maker, struct json_t *object, const char *key, uint64_t id);
void sst_feed_append_number(struct sst_feed_maker *maker, struct json_t *array, double value, int decimals);

/* What a region's day says: areas, shares, intensities. */
void sst_feed_set_region_day(struct sst_feed_maker *maker, struct json_t *object, const struct sst_region_day *day);

/* Writes a whole text, ended by a newline, and frees the value in any case. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_dump(struct sst_feed_maker *maker, struct json_t *whole, struct sst_text *out,
                                             struct sst_error *err);

#endif
