/* Words that the files of a feed have in common: dates, names, figures. */
#ifndef SST_MONITOR_FEED_WORDS_H
#define SST_MONITOR_FEED_WORDS_H

#include "core/text.h"
#include "monitor/feed_day.h"

enum { SST_FEED_FOLDER_SIZE = 32 };

/* "2026-11-30T06:00:00Z" */
const char *sst_feed_time_text(int64_t seconds_since_1970, char text[SST_FEED_TIME_TEXT_SIZE]);

/* "days/2026/20261130" */
const char *sst_feed_day_folder(enum sst_calendar_kind calendar, struct sst_day day, char text[SST_FEED_FOLDER_SIZE]);

/* "none", "moderate", "strong", "severe", "extreme" */
const char *sst_feed_category_name(int category);

/* "missing", "preliminary", "final" */
const char *sst_feed_input_status(bool is_absent, bool is_preliminary);

/* The day that makes it certain that the files of `day` stay as they are, once the feed has come to it. */
struct sst_day sst_feed_final_from(const struct sst_feed_about *about, struct sst_day day);

/* "marine heatwave", "marine cold spell" */
const char *sst_feed_kind_text(const struct sst_feed_about *about);

/* "above the 90th percentile", "below the 5th percentile" */
void sst_feed_add_threshold(struct sst_text *text, const struct sst_feed_about *about);

/* A sentence: what counts as a heatwave. */
void sst_feed_add_definition(struct sst_text *text, const struct sst_feed_about *about);

/* "35.1 S, 155.4 E" */
void sst_feed_add_place(struct sst_text *text, double lat, double lon);

/* A path under the URL of the feed, or the path itself where no URL is known. */
void sst_feed_add_link(struct sst_text *text, const struct sst_feed_about *about, const char *path);

/* Shares of what is known of a region. [1]; NaN where nothing is known. Heatwaves with their bridged days. */
double sst_feed_event_share(const struct sst_region_day *day);
double sst_feed_unknown_share(const struct sst_region_day *day); /* of what is judged */

/* Whether an area is left out of lists: it never had min_km2. So what was listed stays until it is gone. */
static inline bool sst_feed_is_small(const struct sst_area *area, double min_km2) { return area->most_km2 < min_km2; }

#endif
