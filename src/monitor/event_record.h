/* An event as it is told: made from the sums of its days, with the names and definitions of the field. */
#ifndef SST_MONITOR_EVENT_RECORD_H
#define SST_MONITOR_EVENT_RECORD_H

#include <stddef.h>

#include "monitor/event_cell.h"

/* name, what it says of an event on a day */
#define SST_EVENT_STATUS_LIST(X)                                                                                       \
    X(NONE, "none", "no event")                                                                                        \
    X(CANDIDATE, "candidate", "beyond the threshold, but for fewer days in a row than make an event")                  \
    X(CONFIRMED, "confirmed", "an event that goes on")                                                                 \
    X(BRIDGED, "bridged", "within an event, on a day that is not beyond; the event goes on or may still go on")        \
    X(ENDED, "ended", "over for good")                                                                                 \
    X(WITHDRAWN, "withdrawn", "was told, and is none after all, or is part of another")                                \
    X(AWAITING, "awaiting", "was open when a day came to be unknown, for which it still waits")

enum sst_event_status {
#define X(symbol, name, text) SST_EVENT_##symbol,
    SST_EVENT_STATUS_LIST(X)
#undef X
        SST_EVENT_N_STATUSES
};

/* "candidate", ... Never NULL. */
const char *sst_event_status_name(enum sst_event_status status);

/* Of the differences of one kind. [degC] */
struct sst_event_intensity {
    double mean, max, stddev, cumulative; /* max: on the peak day; cumulative in degC days */
};

struct sst_event {
    uint64_t id; /* sst_event_id */
    size_t cell; /* of the engine */
    enum sst_event_status status;
    int32_t first, last, peak; /* [days since 1970-01-01] */
    int32_t duration; /* [days] gaps within included */
    int32_t n_unknown, n_filled, n_no_category; /* [days] of these */
    int32_t n_category[SST_EVENT_N_CATEGORIES]; /* [days] beyond, by category */
    bool is_open_start, is_open_end; /* from the series' first day on, or to its last: there may be more of it */
    struct sst_event_intensity from_mean, from_threshold, absolute; /* [degC] negative for cold spells' differences */
    double rate_onset, rate_decline; /* [degC/day] towards the peak and from it; positive for cold spells too */
    double severity; /* the greatest of a day; 0 where no day may have a category */
    int category; /* of that severity; 0 where no day may have one, and for candidates */
    uint8_t flags; /* SST_EVENT_ICE | ..., of all days */
};

/*
 * The name of an event, the same however its days arrived: where it is, when it began, and which kind it is.
 *
 *   id = cell << 23 | (first + 2^21) << 1 | cold
 *
 * cell   sst_domain_canonical, so that it does not depend on the box or on which way up a file was; below 2^30 an id is
 *        exact as a double too, which is all that some readers of JSON and CSV have.
 * first  [days since 1970-01-01] within 5,700 years of it.
 */
uint64_t sst_event_id(uint64_t canonical_cell, int32_t first, enum sst_event_direction direction);

/* What sst_event_of needs beside the sums. */
struct sst_event_place {
    size_t cell;
    uint64_t canonical_cell;
    enum sst_event_direction direction;
    enum sst_event_status status;
};

/* The event that the days of `sums` are; there is at least one. */
struct sst_event sst_event_of(const struct sst_event_place *place, const struct sst_event_sums *sums);

#endif
