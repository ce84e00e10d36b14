/* How a feed fares, for `status`: by its index.json, which is replaced whole, so that no writer is waited for. */
#ifndef SST_APP_FEED_HEALTH_H
#define SST_APP_FEED_HEALTH_H

#include "app/known_days.h"
#include "app/options.h"

enum { SST_FEED_HEALTH_DAYS = 30 };

struct sst_feed_health {
    const char *folder; /* borrowed; NULL: no feed was named */
    bool is_read;
    enum sst_calendar_kind kind;
    struct sst_day newest, expected; /* that has a field; as of struct sst_health */
    int64_t age_days; /* of the newest; negative: it is yet to come */
    size_t n_days, n_preliminary; /* that have a field */
    struct sst_day missing[SST_FEED_HEALTH_DAYS]; /* days without a field among the last ones */
    size_t n_missing;
    struct sst_day
        lacking[SST_FEED_HEALTH_DAYS]; /* days among the state's last ones that it knows and the feed lacks */
    size_t n_lacking;
};

/*
 * Reads what a feed says of its days.
 *
 * state    the days that the state knows; NULL: no state was named
 * now      [s of 1970, UTC]
 * Errors   SST_ERR_INPUT: there is none, or it cannot be read; SST_ERR_STATE: what is there is damaged; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_health_look(const struct sst_options *options,
                                                    const struct sst_known_days *state, int64_t now,
                                                    struct sst_feed_health *out, struct sst_error *err);

#endif
