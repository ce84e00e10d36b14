/*
 * Events of all cells as days arrive: late, out of order, twice, or revised, within a ring of recent days.
 *
 *              base ─────────────┐  steps by the day that leaves: what it ends is final
 *   ... days ──▶ │ oldest · · ring of n_days · · newest │ ◀── put(day)
 *                                └─────────────── head ┘  steps by the day that arrives: what is known today
 *
 * Base and head are one struct of fixed size for each cell (event_cell.h), `base` as it was before the ring's oldest day, `head` after
 * its newest. A day in order costs one pass over the cells: a step of each. A day that is late or other than before puts the
 * cells that it changes back to base and steps them through the ring again, so that they are to the bit what they would be
 * had the days come in order, once, in their last form.
 *
 * Days     a day without values is unknown in every cell; days between others that never came are such days. The series
 *          begins with the earliest day that was put.
 * Late     events are as in order for days that are late by less than n_days - max_pad days, and refused beyond.
 * Labels   what each day of the ring is, in view of the sst_event_ring_least_days - 1 days after it; so final when the day
 *          leaves, but where one of those comes or is revised later still.
 * Memory   sst_event_ring_bytes; none after sst_event_ring_create.
 */
#ifndef SST_MONITOR_EVENT_RING_H
#define SST_MONITOR_EVENT_RING_H

#include "core/calendar.h"
#include "core/status.h"
#include "monitor/event_record.h"

enum { SST_EVENT_RING_DAYS = 21 }; /* OISST's final fields come after about two weeks */

/* What a day is in a cell. */
enum sst_event_label {
    SST_EVENT_LABEL_NONE,
    SST_EVENT_LABEL_CANDIDATE, /* beyond, in a run that is too short, so far */
    SST_EVENT_LABEL_EVENT, /* in an event, beyond but in a gap */
    SST_EVENT_LABEL_BRIDGED, /* in an event's gap */
    SST_EVENT_LABEL_UNKNOWN, /* no value, or no threshold, and in no event */
    SST_EVENT_LABEL_AWAITING /* unknown or after an unknown day, for which an open event still waits */
};

/* One day of the ring. Arrays of n_cells belong to the ring, and are valid until its next call. */
struct sst_event_day {
    int32_t day; /* [days since 1970-01-01] */
    bool is_absent, is_preliminary; /* no field of it came; it is not final */
    const float *sst, *mean, *threshold; /* [degC] NaN: unknown. Days filled under max_pad are unknown here */
    const uint8_t *flags; /* of enum sst_event_day_flag */
    const uint8_t *labels; /* enum sst_event_label, but AWAITING: see sst_event_ring_label */
    const int32_t *starts; /* [days since 1970-01-01] first day of the event or run it is in; where the label says so */
    const uint16_t *runs; /* days beyond in a row, the day included */
};

enum sst_event_day_flag {
    SST_EVENT_DAY_ICE = 1 << 0, /* the day's file says sea ice */
    SST_EVENT_DAY_ICY_CLIMATOLOGY = 1 << 1 /* the climatology's flags say ice_or_no_variance */
};

/* Where means and thresholds come from, and where what is found goes. */
struct sst_event_links {
    void *user;
    /*
     * Mean and threshold [degC] of a day, n_cells each, NaN where there is none, and flags: SST_EVENT_DAY_ICY_CLIMATOLOGY or
     * 0. The same day always has the same ones.
     */
    enum sst_status (*limits)(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                              struct sst_error *err);
    /* An event that no later day can change; after sst_event_ring_finish also those that are open. May be NULL. */
    enum sst_status (*event)(void *user, const struct sst_event *event, struct sst_error *err);
    /* A day that leaves, in order, none left out: its labels are final. May be NULL. */
    enum sst_status (*day)(void *user, const struct sst_event_day *day, struct sst_error *err);
    /* A day that came late or revised took an event away; `into` is the event that it is part of now, or 0. May be NULL. */
    void (*withdrawn)(void *user, size_t cell, uint64_t id, uint64_t into);
};

struct sst_event_ring_spec {
    struct sst_event_rule rule;
    enum sst_calendar_kind calendar;
    size_t n_cells;
    const uint64_t *canonical_cells; /* sst_domain_canonical of each; borrowed */
    int32_t n_days; /* of the ring, at least sst_event_ring_least_days */
    uint64_t limits_id; /* names means and thresholds: a checkpoint of others is refused */
    struct sst_event_links links;
};

/* Days after which the label of a day cannot change any more, and one. */
int32_t sst_event_ring_least_days(const struct sst_event_rule *rule);

/* [B] of memory that a ring takes. */
uint64_t sst_event_ring_bytes(size_t n_cells, int32_t n_days);

struct sst_event_ring;

/* Owner: the caller; sst_event_ring_destroy. Errors: SST_ERR_USAGE for a ring that is too short or a rule out of range, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_event_ring_create(const struct sst_event_ring_spec *spec,
                                                     struct sst_event_ring **out, struct sst_error *err);
void sst_event_ring_destroy(struct sst_event_ring **ring);

enum sst_event_outcome {
    SST_EVENT_DAY_ADDED, /* the first field of its day */
    SST_EVENT_DAY_REVISED, /* in place of another field */
    SST_EVENT_DAY_SAME, /* the values are known already; a final field may have taken a preliminary one's place */
    SST_EVENT_DAY_PRELIMINARY_LATE /* a final field is there: nothing changed */
};

/*
 * Takes the field of a day; the days between it and the newest are absent until they come.
 *
 * sst      [degC] n_cells, NaN: unknown
 * ice      n_cells, 1 where the file says sea ice; NULL: nowhere
 * Errors   SST_ERR_STATE for a day before the ring, which only a replay of the day log or `feed rebuild` can take in (nothing
 *          changed); those of the links, after which the ring may only be destroyed.
 */
SST_MUST_CHECK enum sst_status sst_event_ring_put(struct sst_event_ring *ring, struct sst_day day, const float *sst,
                                                  const uint8_t *ice, bool is_preliminary,
                                                  enum sst_event_outcome *outcome, struct sst_error *err);

/*
 * Goes on to a day of which no field came (yet), if it is after the newest; before the first put it begins the series.
 *
 * Errors   those of the links.
 */
SST_MUST_CHECK enum sst_status sst_event_ring_advance(struct sst_event_ring *ring, struct sst_day day,
                                                      struct sst_error *err);

/*
 * There are no more days: hands on those of the ring and the events that are still open. The ring may then only be destroyed.
 *
 * Errors   those of the links.
 */
SST_MUST_CHECK enum sst_status sst_event_ring_finish(struct sst_event_ring *ring, struct sst_error *err);

/* Oldest and newest day that are in the ring and in the series [days since 1970-01-01]; false before the first put. */
bool sst_event_ring_span(const struct sst_event_ring *ring, int32_t *oldest, int32_t *newest);

/* A day of that span. */
struct sst_event_day sst_event_ring_day(const struct sst_event_ring *ring, int32_t day);

/* The label of a cell on a day of that span, with AWAITING. */
enum sst_event_label sst_event_ring_label(const struct sst_event_ring *ring, int32_t day, size_t cell);

/*
 * The event of a cell as it stands on the newest day: one that goes on, may go on, or ended within the ring; else the
 * run that may become one (a candidate: it has a severity, but no category).
 *
 * Returns  false where there is neither.
 */
bool sst_event_ring_current(const struct sst_event_ring *ring, size_t cell, struct sst_event *out);

#endif
