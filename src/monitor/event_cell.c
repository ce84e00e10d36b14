/* The step of a cell, and sums over days. */
#include "monitor/event_cell.h"

#include <math.h>

#include "core/flags.h"

/* --- a day -------------------------------------------------------------------------------------------------------- */

uint8_t sst_event_flags(enum sst_event_direction direction, const struct sst_event_value *value)
{
    const double mean = (double)value->mean, threshold = (double)value->threshold;
    const double beyond = direction == SST_EVENT_WARM ? threshold - mean : mean - threshold;
    unsigned flags = value->flags;
    if (beyond < SST_NO_VARIANCE_DEGC)
        flags |= SST_EVENT_NO_VARIANCE;
    if (direction == SST_EVENT_COLD && mean - SST_EVENT_N_CATEGORIES * beyond < SST_EVENT_FREEZING_DEGC)
        flags |= SST_EVENT_LIMIT_BELOW_FREEZING;
    return (uint8_t)flags;
}

int sst_event_category(double severity)
{
    if (!(severity >= 1.0))
        return 0;
    return severity >= SST_EVENT_N_CATEGORIES ? SST_EVENT_N_CATEGORIES : (int)severity;
}

/* An unknown day is as warm as the mean. */
static double sst_of(const struct sst_event_value *value)
{
    return (double)(isnan(value->sst) ? value->mean : value->sst);
}

/* --- spans -------------------------------------------------------------------------------------------------------- */

static void moments_add(struct sst_event_moments *moments, int32_t n, double value)
{
    const double delta = value - moments->mean;
    moments->mean += delta / n;
    moments->m2 += delta * (value - moments->mean);
}

/* n days are joined by m more. */
static void moments_merge(struct sst_event_moments *moments, int32_t n, const struct sst_event_moments *more, int32_t m)
{
    const double delta = more->mean - moments->mean, total = (double)n + m;
    moments->mean += delta * (m / total);
    moments->m2 += more->m2 + delta * delta * (n * (m / total));
}

static void count_category(enum sst_event_direction direction, const struct sst_event_value *value, unsigned flags,
                           struct sst_event_sums *sums)
{
    if (!sst_event_is_beyond(direction, value))
        return;
    if (flags & SST_EVENT_NO_CATEGORY) {
        ++sums->n_no_category;
        return;
    }
    const double severity = sst_event_severity(value);
    const int category = sst_event_category(severity);
    if (category > 0)
        ++sums->n_category[category - 1];
    if (severity > sums->severity)
        sums->severity = severity;
}

static void take_peak(struct sst_event_sums *sums, int32_t day, float sst, float mean, float threshold)
{
    sums->peak = day;
    sums->peak_sst = sst;
    sums->peak_mean = mean;
    sums->peak_threshold = threshold;
}

static bool is_farther(enum sst_event_direction direction, double from_mean, double than)
{
    return direction == SST_EVENT_WARM ? from_mean > than : from_mean < than;
}

static double peak_from_mean(const struct sst_event_sums *sums)
{
    return (double)sums->peak_sst - (double)sums->peak_mean;
}

static void add_day(enum sst_event_direction direction, struct sst_event_sums *sums, int32_t day,
                    const struct sst_event_value *value, double before)
{
    const double sst = sst_of(value), from_mean = sst - (double)value->mean;
    const unsigned flags = sst_event_flags(direction, value);
    if (sums->n_days == 0)
        *sums = (struct sst_event_sums){.first = day, .before = before, .at_first = from_mean, .after = NAN};
    ++sums->n_days;
    sums->n_unknown += isnan(value->sst);
    sums->n_filled += value->is_filled;
    moments_add(&sums->from_mean, sums->n_days, from_mean);
    moments_add(&sums->from_threshold, sums->n_days, sst - (double)value->threshold);
    moments_add(&sums->absolute, sums->n_days, sst);
    count_category(direction, value, flags, sums);
    if (sums->n_days == 1 || is_farther(direction, from_mean, peak_from_mean(sums)))
        take_peak(sums, day, (float)sst, value->mean, value->threshold);
    sums->at_last = from_mean;
    sums->flags = (uint8_t)(sums->flags | flags);
}

/* The days of `more` follow those of `sums`. */
static void append(enum sst_event_direction direction, struct sst_event_sums *sums, const struct sst_event_sums *more)
{
    moments_merge(&sums->from_mean, sums->n_days, &more->from_mean, more->n_days);
    moments_merge(&sums->from_threshold, sums->n_days, &more->from_threshold, more->n_days);
    moments_merge(&sums->absolute, sums->n_days, &more->absolute, more->n_days);
    sums->n_days += more->n_days;
    sums->n_unknown += more->n_unknown;
    sums->n_filled += more->n_filled;
    sums->n_no_category += more->n_no_category;
    for (int i = 0; i < SST_EVENT_N_CATEGORIES; ++i)
        sums->n_category[i] += more->n_category[i];
    if (is_farther(direction, peak_from_mean(more), peak_from_mean(sums)))
        take_peak(sums, more->peak, more->peak_sst, more->peak_mean, more->peak_threshold);
    sums->severity = fmax(sums->severity, more->severity);
    sums->at_last = more->at_last;
    sums->after = NAN;
    sums->flags = (uint8_t)(sums->flags | more->flags);
}

/* --- the step ----------------------------------------------------------------------------------------------------- */

struct sst_event_cell sst_event_cell_start(void) { return (struct sst_event_cell){.known_sst = NAN, .previous = NAN}; }

/* What is remembered of each day, whatever it is. */
static void remember(const struct sst_event_rule *rule, const struct sst_event_value *value, bool is_unknown,
                     bool was_open, struct sst_event_cell *cell)
{
    if (isnan(value->sst) || value->is_filled) {
        cell->n_unknown = (int16_t)(cell->n_unknown < INT16_MAX ? cell->n_unknown + 1 : INT16_MAX);
    } else {
        cell->n_unknown = 0;
        cell->known_sst = value->sst;
    }
    if (cell->n_held > 0)
        --cell->n_held;
    else if (is_unknown && was_open)
        cell->n_held = (int16_t)rule->hold_missing;
}

static void step_beyond(const struct sst_event_rule *rule, int32_t day, const struct sst_event_value *value,
                        double previous, enum cell_event_kind kind, struct sst_event_sums *event,
                        struct sst_event_sums *pending)
{
    if (kind == CELL_EVENT_CONTINUES) {
        add_day(rule->direction, event, day, value, previous);
        return;
    }
    add_day(rule->direction, pending, day, value, previous);
    if (kind == CELL_EVENT_IS_CONFIRMED)
        *event = *pending;
    else if (kind == CELL_EVENT_IS_JOINED)
        append(rule->direction, event, pending);
    else
        return;
    pending->n_days = 0;
}

/* Returns whether the event is over. */
static bool step_not_beyond(const struct sst_event_rule *rule, int32_t day, const struct sst_event_value *value,
                            const struct cell_event *old, const struct cell_event *automaton,
                            struct sst_event_sums *event, struct sst_event_sums *pending)
{
    const bool was_going = old->length > 0 && old->since == 0;
    if (was_going)
        event->after = isnan(value->mean) ? NAN : sst_of(value) - (double)value->mean;
    if (automaton->length == 0) {
        pending->n_days = 0;
        return old->length > 0;
    }
    add_day(rule->direction, pending, day, value, NAN);
    return false;
}

struct sst_event_step sst_event_cell_step(const struct sst_event_rule *rule, int32_t day,
                                          const struct sst_event_value *value, struct sst_event_cell *cell,
                                          struct sst_event_sums *event, struct sst_event_sums *pending)
{
    const struct cell_event_rule days_rule = {rule->min_duration, rule->max_gap};
    const struct cell_event old = cell->automaton;
    const bool was_open = sst_event_cell_is_open(cell);
    const bool is_unknown = isnan(value->sst) || isnan(value->mean) || isnan(value->threshold);
    const bool is_beyond = !is_unknown && sst_event_is_beyond(rule->direction, value);
    const double previous = cell->previous;
    struct sst_event_step step = {{CELL_EVENT_NOTHING, 0, 0}, 0, false};
    remember(rule, value, is_unknown, was_open, cell);
    cell->previous = sst_of(value) - (double)value->mean;
    if (!is_beyond && !was_open)
        return step;
    if (!was_open)
        pending->n_days = 0; /* whatever it was of, it is long over */
    step.change = cell_event_step(days_rule, &cell->automaton,
                                  is_unknown  ? CELL_DAY_UNKNOWN
                                  : is_beyond ? CELL_DAY_BEYOND
                                              : CELL_DAY_NOT_BEYOND);
    if (is_beyond) {
        step_beyond(rule, day, value, previous, step.change.kind, event, pending);
        return step;
    }
    if (old.run < rule->min_duration)
        step.n_failed = old.run;
    step.is_over = step_not_beyond(rule, day, value, &old, &cell->automaton, event, pending);
    return step;
}
