/*
 * latest.json and index.json, by which programs follow a feed.
 *
 *   days, events, regions, pages ... ──▶ index.json: every file with its size and sum ──▶ latest.json: the newest day, and index.json's sum
 */
#ifndef SST_MONITOR_FEED_JSON_H
#define SST_MONITOR_FEED_JSON_H

#include "core/text.h"
#include "monitor/feed_day.h"
#include "monitor/feed_file.h"

#define SST_FEED_LATEST_SCHEMA "sststream-feed-latest/1"
#define SST_FEED_INDEX_SCHEMA "sststream-feed-index/1"

/*
 * Every file that is listed and every day. Neither index.json nor latest.json is in it.
 *
 * Errors   SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_feed_index_json(const struct sst_feed_about *about,
                                                   const struct sst_feed_state *state,
                                                   const struct sst_feed_files *files, struct sst_text *out,
                                                   struct sst_error *err);

/* All is borrowed. */
struct sst_feed_latest {
    const struct sst_feed_about *about;
    const struct sst_feed_state *state;
    const struct sst_feed_day *day; /* the newest; NULL: the feed has none yet */
    const struct sst_feed_files *files; /* those of the day are named */
    const char *index; /* text of index.json, n_index bytes, whose sum is told */
    size_t n_index;
};

/* The newest day: what it says, how old it is, what is late and what is missing. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_latest_json(const struct sst_feed_latest *latest, struct sst_text *out,
                                                    struct sst_error *err);

/*
 * Lists the files that index.json names: for a program that starts again and does not want to sum them all.
 *
 * files    cleared first
 * what     names the text in messages
 * Errors   SST_ERR_INPUT where the text is no index of this schema; `files` is then empty. SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_index_read(const char *text, size_t n_bytes, const char *what,
                                                   struct sst_feed_files *files, struct sst_error *err);

#endif
