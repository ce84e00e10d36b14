/* How a state fares, for `status`: what is known, and what follows from it. */
#ifndef SST_APP_HEALTH_H
#define SST_APP_HEALTH_H

#include "app/feed_health.h"
#include "app/lateness.h"
#include "app/options.h"
#include "app/state_writer.h"
#include "state/file_notes.h"

/* Exit codes of `status`, as monitoring systems take them. CRITICAL: late or damaged; UNKNOWN: nothing can be said. */
enum sst_health_level { SST_HEALTH_OK, SST_HEALTH_WARNING, SST_HEALTH_CRITICAL, SST_HEALTH_UNKNOWN };
const char *sst_health_level_name(enum sst_health_level level); /* "ok", "warning", "critical", "unknown" */

enum { SST_HEALTH_DAYS = 30, SST_HEALTH_TEXT_SIZE = 512 };

struct sst_health {
    enum sst_health_level level;
    char text[SST_HEALTH_TEXT_SIZE]; /* what is wrong, all of it, "; " between; else the newest day */
    enum sst_calendar_kind kind;
    int64_t now; /* [s of 1970] */
    bool has_state; /* one was named; what follows is of it */
    struct sst_day newest, expected; /* slot 0: none; expected is none without --expect-by */
    int64_t age_days; /* of the newest; negative: it is yet to come */
    size_t n_known, n_counted, n_preliminary; /* days */
    struct sst_day missing[SST_HEALTH_DAYS]; /* of the last days up to the newest, or to the one expected */
    size_t n_missing;
    size_t n_held; /* files */
    enum sst_state_writer writer;
    uint64_t free_bytes; /* UINT64_MAX: not known */
    struct sst_feed_health feed; /* of --feed */
};

/* Makes a level worse where it is, and adds a text. */
void sst_health_find(struct sst_health *health, enum sst_health_level level, const char *format, ...) SST_PRINTF(3, 4);

/*
 * Reads what a state, a feed, or both say of themselves; never waits for their writer. Nothing that it meets is an error: it is a level and a text.
 *
 * now   [s of 1970, UTC]
 */
void sst_health_look(const struct sst_options *options, int64_t now, struct sst_health *out);

#endif
