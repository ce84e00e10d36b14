/*
 * One cell from day to day: is the day beyond the threshold, does it belong to an event, and what the event amounts to so far.
 *
 *   value of a day ─▶ beyond? ─▶ automaton (kernels/cell_event.h) ─▶ the day goes to
 *
 *        days       . . b b b b b b . b . . . .        b: beyond, min_duration 5, max_gap 2
 *        pending        1 2 3 4 >              the run so far, or what follows an event that may still go on
 *        event                  5 6                    takes over all that is pending when it is confirmed or joined
 *        pending                    1 2 3              here it comes to nothing: the event is over on its third day after
 *
 * Everything is a plain value of fixed size and only ever changed by stepping one more day, so a copy is a checkpoint, and
 * the same days in the same order give the same bits, whenever and in whatever parts they were computed.
 *
 * Sources  Hobday et al. 2016, Progress in Oceanography 141, 227-238 (events, intensities, rates);
 *          Hobday et al. 2018, Oceanography 31(2), 162-173 (categories). docs/events.md tells where tools differ.
 */
#ifndef SST_MONITOR_EVENT_CELL_H
#define SST_MONITOR_EVENT_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/cell_event.h"

enum sst_event_direction { SST_EVENT_WARM, SST_EVENT_COLD };

struct sst_event_rule {
    enum sst_event_direction direction; /* beyond is above the threshold, or below it */
    int32_t min_duration; /* [days] beyond in a row that make an event, >= 1 */
    int32_t max_gap; /* [days] between events that are one, >= 0 */
    int32_t max_pad; /* [days] unknown in a row that are filled from the days on either side, >= 0 */
    int32_t
        hold_missing; /* [days] for which an open event waits for an unknown day, >= 0; changes what is told, no event */
};

/* Reasons for care about a day, one bit each. Either of the first two keeps the day from a category. */
enum {
    SST_EVENT_ICE = 1 << 0, /* sea ice that day, or in the climatology's pool */
    SST_EVENT_NO_VARIANCE = 1 << 1, /* the threshold is less than SST_NO_VARIANCE_DEGC beyond the mean */
    SST_EVENT_LIMIT_BELOW_FREEZING =
        1 << 2, /* cold: a limit of a category is below SST_EVENT_FREEZING_DEGC, so that sea
                                                water cannot reach it */
    SST_EVENT_NO_CATEGORY = SST_EVENT_ICE | SST_EVENT_NO_VARIANCE
};

/* Sea water freezes. [degC] */
#define SST_EVENT_FREEZING_DEGC (-1.8)

/* Of Hobday et al. 2018: 1 moderate, 2 strong, 3 severe, 4 extreme. */
enum { SST_EVENT_N_CATEGORIES = 4 };

/* A day of a cell. [degC] */
struct sst_event_value {
    float sst; /* NaN: unknown */
    float mean,
        threshold; /* of the calendar day; NaN in either: no event can be told, so the day is as an unknown one */
    uint8_t flags; /* SST_EVENT_ICE, or 0; the other two are found here */
    bool is_filled; /* sst is between the days on either side, and was not measured */
};

/* Whether the day is beyond its threshold: strictly, both as float32. False where something is unknown. */
static inline bool sst_event_is_beyond(enum sst_event_direction direction, const struct sst_event_value *value)
{
    return direction == SST_EVENT_WARM ? value->sst > value->threshold : value->sst < value->threshold;
}

/* How many times as far from the mean as the threshold is: (sst - mean) / (threshold - mean), for either direction. */
static inline double sst_event_severity(const struct sst_event_value *value)
{
    return ((double)value->sst - (double)value->mean) / ((double)value->threshold - (double)value->mean);
}

/* The value's flags and those that follow from it. */
uint8_t sst_event_flags(enum sst_event_direction direction, const struct sst_event_value *value);

/* Category of a severity: 0 below 1, at most SST_EVENT_N_CATEGORIES. */
int sst_event_category(double severity);

/* Count, mean and sum of squared differences from it: Welford's, merged after Chan et al. */
struct sst_event_moments {
    double mean, m2;
};

/* What a span of days amounts to, gaps within included. An unknown day counts as the mean, as marineHeatWaves has it. */
struct sst_event_sums {
    int32_t n_days; /* 0: there is no span */
    int32_t first, peak; /* [days since 1970-01-01] peak: of the day farthest from the mean, the first of several */
    int32_t n_unknown, n_filled; /* days without a value; days with a filled one */
    int32_t n_no_category; /* days beyond that may have none */
    int32_t n_category[SST_EVENT_N_CATEGORIES]; /* days beyond, by category */
    struct sst_event_moments from_mean, from_threshold, absolute; /* [degC] */
    double before, at_first, at_last,
        after; /* [degC] from the mean: at the ends and a day beyond them; NaN: no such day */
    double severity; /* the greatest of the days with a category; 0: there is none */
    float peak_sst, peak_mean, peak_threshold; /* [degC] */
    uint8_t flags; /* of all days */
};

/* What a cell needs every day. */
struct sst_event_cell {
    struct cell_event automaton;
    int16_t n_unknown; /* days since the last value, the newest included; stays at its most */
    int16_t n_held; /* days for which an open event still waits for an unknown day; 0: it does not */
    float known_sst; /* [degC] the last value, for filling; NaN before the first */
    double previous; /* [degC] of the newest day, from the mean; NaN before the first */
};

/* A cell before its first day. */
struct sst_event_cell sst_event_cell_start(void);

/* What a step did. */
struct sst_event_step {
    struct cell_event_change change;
    int32_t n_failed; /* newest days but this one: a run that ended too short */
    bool is_over; /* the event in `event` is over for good; it is overwritten by the next */
};

/*
 * Steps a cell by the day `day` [days since 1970-01-01], which follows its last one.
 *
 * event, pending   the cell's two spans; only looked at where the day is beyond, or the cell's event or run is open.
 */
struct sst_event_step sst_event_cell_step(const struct sst_event_rule *rule, int32_t day,
                                          const struct sst_event_value *value, struct sst_event_cell *cell,
                                          struct sst_event_sums *event, struct sst_event_sums *pending);

/* Whether a run or event is open: whether the spans mean anything. */
static inline bool sst_event_cell_is_open(const struct sst_event_cell *cell)
{
    return cell->automaton.run > 0 || cell->automaton.length > 0;
}

#endif
