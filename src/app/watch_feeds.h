/* The feeds of `watch`: each by its own climatology, of the days that the state takes in. */
#ifndef SST_APP_WATCH_FEEDS_H
#define SST_APP_WATCH_FEEDS_H

#include "app/feed_job.h"
#include "state/ingest.h"

struct sst_watch_feeds {
    const struct sst_options *options; /* borrowed */
    const struct sst_state *state; /* borrowed */
    struct sst_feed_job *jobs;
    size_t n_jobs;
    struct sst_hook *hook; /* --on-event; NULL without */
    char **wanted; /* names of files whose days the state has and a feed lacks, to be read once more */
    size_t n_wanted, wanted_capacity;
    bool is_caught_up; /* these were looked for */
    bool has_trouble; /* files of a feed could not be written, and that was told */
};

/*
 * Opens what --clim and --feed name; none is fine. Where the state does not keep all values, files of days that it knows and a feed
 * lacks are wanted: of the ring's days and later ones. A feed of no day begins with the last days of a ring.
 *
 * Owner    the caller; sst_watch_feeds_close, also after a failure; zeros are accepted.
 * Errors   those of sst_feed_job_open and of the state.
 */
SST_MUST_CHECK enum sst_status sst_watch_feeds_open(const struct sst_options *options, const struct sst_state *state,
                                                    struct sst_watch_feeds *out, struct sst_error *err);
void sst_watch_feeds_close(struct sst_watch_feeds *feeds);

/*
 * Takes the same days from a state that keeps all values; of another one nothing. It may take a while.
 *
 * goes_on   asked between days: where it says no the rest is left for the next start
 * Errors    those of the state and of sst_feed_take.
 */
SST_MUST_CHECK enum sst_status sst_watch_feeds_catch_up(struct sst_watch_feeds *feeds, bool (*goes_on)(void *user),
                                                        void *user, struct sst_error *err);

/* Whether a file is to be read although it is known. */
bool sst_watch_feeds_want(const struct sst_watch_feeds *feeds, const char *path);

/* A day that was read, as struct sst_ingest_options has it. */
void sst_watch_feeds_hand(struct sst_watch_feeds *feeds, const struct sst_ingest_news *news,
                          const struct sst_ingest_look *look, const struct sst_field *field);

/* What became of it. */
void sst_watch_feeds_tell(struct sst_watch_feeds *feeds, const struct sst_ingest_news *news);

/* Days that were told as durable go into the feeds; others that were handed over are forgotten. Errors: those of sst_feed_take. */
SST_MUST_CHECK enum sst_status sst_watch_feeds_flush(struct sst_watch_feeds *feeds, struct sst_error *err);

/*
 * Publishes. Where files cannot be written that is told once, and done again the next time.
 *
 * expected   the newest day that should be there; slot 0: nobody knows. It is gone on to, unless the last one is too long ago
 * is_settled all files of the inboxes were looked at: what a feed lacks now will not come by itself, and is told
 * Returns    SST_OK; SST_ERR_OUTPUT where files could not be written. Errors: others of sst_feed_publish.
 */
SST_MUST_CHECK enum sst_status sst_watch_feeds_publish(struct sst_watch_feeds *feeds, struct sst_day expected,
                                                       bool is_settled, struct sst_error *err);

/* Looks after programs that run; returns whether one does. */
bool sst_watch_feeds_turn(struct sst_watch_feeds *feeds);

#endif
