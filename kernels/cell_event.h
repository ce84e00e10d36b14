/*
 * The event automaton of one cell: fixed-size state, one step a day. Heatwave and cold-spell days by one rule:
 * at least min_days days beyond the threshold in a row make an event; events at most max_gap days apart are one, the
 * gap's days belonging to it. Runs are judged before events are joined, so a short run between two events is gap.
 *
 *            not beyond                beyond             min_days in a row reached:
 *              ┌────┐                  ┌────┐               CONFIRMED, labels the run
 *              │    ▼     beyond       │    ▼                        ┌──────────┐ beyond:
 *            ┌─┴───────┐ CANDIDATE  ┌──┴────────┐             ┌──────┴──────┐   │ CONTINUED
 *            │  QUIET  ├───────────▶│ CANDIDATE ├────────────▶│    EVENT    │◀──┘
 *            └─────────┘◀───────────┴───────────┘             └───┬─────────┘
 *                 ▲      not beyond                    not beyond │     ▲
 *                 │                                         ENDED │     │ min_days in a row reached:
 *                 │                                               ▼     │   JOINED, labels the gap and the run
 *                 │   more than max_gap days           ┌────────────────┴──────┐
 *                 └────── not in the event ────────────┤ ENDED, or CANDIDATE   │
 *                         when a run may still start   │ of a run that started │
 *                                                      │ within the gap        │
 *                                                      └───────────────────────┘
 *
 * With max_gap 0 an event's end leads to QUIET at once. An event is over for good when `length` is 0 again, never before
 * a day that is not beyond.
 *
 * A step says what its day changes; who wants a label for each day goes back over the newest `n_days` days, of which the
 * oldest `n_gap` were the gap. A label once given is never taken back, so the state after each day is all that a monitor
 * has to keep: it is a plain value, zero at the start, and a copy of it is a checkpoint. Days must be in order, each once.
 *
 * Unknown days break a run, as where marineHeatWaves and heatwaveR put the climatology for a missing value. A monitor that
 * waits for them steps them as unknown too (CELL_DAY_UNKNOWN), and when one comes after all, steps again from a copy that it
 * kept of the state before. So waited for or not, the labels end the same.
 *
 * Source   Hobday et al. 2016, Progress in Oceanography 141, 227-238; order of the two rules as in marineHeatWaves.
 */
#ifndef SST_KERNELS_CELL_EVENT_H
#define SST_KERNELS_CELL_EVENT_H

#include "portable.h"

/* min_days >= 1, max_gap >= 0. [days] */
struct cell_event_rule {
    int32_t min_days, max_gap;
};

/* Of Hobday et al. 2016. [days] */
enum { CELL_EVENT_MIN_DAYS = 5, CELL_EVENT_MAX_GAP = 2 };

struct cell_event {
    int32_t run; /* days beyond in a row, the newest included */
    int32_t length; /* days of the event that goes on or may still be joined, gaps within included; 0: there is none */
    int32_t since; /* days after that event's last day, the newest included; 0 while it goes on */
};

enum cell_event_day { CELL_DAY_NOT_BEYOND, CELL_DAY_BEYOND, CELL_DAY_UNKNOWN };

/* How things stand after a day; an ended event may still be joined where its `length` is not 0, in a candidate run too. */
enum cell_event_status { CELL_EVENT_QUIET, CELL_EVENT_CANDIDATE, CELL_EVENT_GOES_ON, CELL_EVENT_ENDED };

enum cell_event_kind {
    CELL_EVENT_NOTHING, /* the day belongs to no event, so far */
    CELL_EVENT_IS_CANDIDATE, /* beyond, in a run that is too short so far */
    CELL_EVENT_IS_CONFIRMED, /* a new event: this day and the run before it */
    CELL_EVENT_IS_JOINED, /* the last event goes on: this day, the run before it and the gap before that */
    CELL_EVENT_CONTINUES, /* one more day of the event */
    CELL_EVENT_ENDS /* the first day after an event */
};

struct cell_event_change {
    enum cell_event_kind kind;
    int32_t n_days; /* newest days that are found to belong to the event, this one included */
    int32_t n_gap; /* how many of them, the oldest, were the gap */
};

enum cell_event_label { CELL_LABEL_NONE, CELL_LABEL_EVENT, CELL_LABEL_BRIDGED };

SST_FN enum cell_event_status cell_event_status_of(struct cell_event_rule rule, struct cell_event event)
{
    if (event.run >= rule.min_days)
        return CELL_EVENT_GOES_ON;
    if (event.run > 0)
        return CELL_EVENT_CANDIDATE;
    return event.length > 0 ? CELL_EVENT_ENDED : CELL_EVENT_QUIET;
}

SST_FN struct cell_event_change cell_event_step_beyond(struct cell_event_rule rule, struct cell_event *event)
{
    struct cell_event_change change = {CELL_EVENT_IS_CANDIDATE, 0, 0};
    ++event->run;
    if (event->run > rule.min_days) {
        ++event->length;
        change.kind = CELL_EVENT_CONTINUES;
        change.n_days = 1;
        return change;
    }
    if (event->length > 0)
        ++event->since;
    if (event->run < rule.min_days)
        return change;
    /* An event that could not be joined any more was given up at the end of its gap, so this one can. */
    change.kind = event->length > 0 ? CELL_EVENT_IS_JOINED : CELL_EVENT_IS_CONFIRMED;
    change.n_gap = event->length > 0 ? event->since - event->run : 0;
    change.n_days = change.n_gap + event->run;
    event->length += change.n_days;
    event->since = 0;
    return change;
}

SST_FN struct cell_event_change cell_event_step(struct cell_event_rule rule, struct cell_event *event,
                                                enum cell_event_day day)
{
    struct cell_event_change change = {CELL_EVENT_NOTHING, 0, 0};
    if (day == CELL_DAY_BEYOND)
        return cell_event_step_beyond(rule, event);
    if (event->run >= rule.min_days)
        change.kind = CELL_EVENT_ENDS;
    event->run = 0;
    if (event->length > 0)
        ++event->since;
    if (event->since > rule.max_gap) {
        event->length = 0;
        event->since = 0;
    }
    return change;
}

/*
 * Labels a whole series.
 *
 * days     n of enum cell_event_day.
 * labels   n of enum cell_event_label; may be the same array.
 * Returns  the number of events.
 */
SST_FN int32_t cell_event_label_days(struct cell_event_rule rule, const uint8_t *days, size_t n, uint8_t *labels)
{
    struct cell_event event = {0, 0, 0};
    int32_t n_events = 0;
    for (size_t i = 0; i < n; ++i) {
        const struct cell_event_change change = cell_event_step(rule, &event, (enum cell_event_day)days[i]);
        n_events += change.kind == CELL_EVENT_IS_CONFIRMED;
        labels[i] = CELL_LABEL_NONE;
        const size_t n_days = (size_t)change.n_days, n_run = (size_t)(change.n_days - change.n_gap);
        for (size_t back = 0; back < n_days; ++back)
            labels[i - back] = (uint8_t)(back < n_run ? CELL_LABEL_EVENT : CELL_LABEL_BRIDGED);
    }
    return n_events;
}

#endif
