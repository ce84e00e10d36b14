#include "event_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "test_main.h"

static const struct sst_day first_day = {1999, 1};
static const enum sst_calendar_kind calendar = SST_CALENDAR_STANDARD;

int32_t event_day_number(int index) { return (int32_t)sst_calendar_days_since_1970(calendar, first_day) + index; }

struct sst_day event_day(int index) { return sst_calendar_day_at(calendar, event_day_number(index)); }

static float hundredths(double degc) { return (float)(round(100.0 * degc) / 100.0); }

/* On quarters of a hundredth, so that no compiler's sine shows. */
static float quarters(double degc) { return (float)(round(400.0 * degc) / 400.0); }

static float mean_of(int slot, int cell) { return quarters(12.0 + cell * 0.37 + 4.0 * sin(slot * 0.0172)); }

static float threshold_of(enum sst_event_direction direction, int slot, int cell)
{
    const double beyond = cell == 1 ? 0.03 : 0.8 + 0.05 * (cell % 7) + 0.2 * cos(slot * 0.0172);
    if (cell == 2)
        return NAN;
    return quarters((double)mean_of(slot, cell) + (direction == SST_EVENT_WARM ? beyond : -beyond));
}

float event_mean(int index, int cell) { return mean_of(event_day(index).slot, cell); }

float event_threshold(enum sst_event_direction direction, int index, int cell)
{
    return threshold_of(direction, event_day(index).slot, cell);
}

void event_series_make(struct event_series *series, int n_cells, int n_days, uint64_t seed)
{
    struct test_random random = {seed};
    double slow[EVENT_MOST_CELLS] = {0};
    *series = (struct event_series){.n_cells = n_cells, .n_days = n_days};
    for (int day = 0; day < n_days; ++day) {
        series->is_absent[day] = day > 0 && day < n_days - 1 && test_random_below(&random, 40) == 0;
        for (int cell = 0; cell < n_cells; ++cell) {
            slow[cell] = 0.9 * slow[cell] + 0.01 * (test_random_below(&random, 121) - 60);
            const bool is_unknown = series->is_absent[day] || test_random_below(&random, 60) == 0;
            const double sst =
                (double)event_mean(day, cell) + slow[cell] * 1.4 + 0.01 * (test_random_below(&random, 41) - 20);
            series->sst[day][cell] = is_unknown ? NAN : hundredths(sst);
            series->ice[day][cell] = !series->is_absent[day] && cell == 4 && day % 50 < 9;
        }
    }
}

/* --- rings -------------------------------------------------------------------------------------------------------- */

/* Links need to know the direction beside the findings. */
static enum sst_status warm_limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                                   struct sst_error *err)
{
    (void)user, (void)err;
    for (int cell = 0; cell < EVENT_MOST_CELLS; ++cell) {
        mean[cell] = mean_of(day.slot, cell);
        threshold[cell] = threshold_of(SST_EVENT_WARM, day.slot, cell);
        flags[cell] = cell == 3 ? SST_EVENT_DAY_ICY_CLIMATOLOGY : 0;
    }
    return SST_OK;
}

static enum sst_status cold_limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                                   struct sst_error *err)
{
    const enum sst_status rc = warm_limits(user, day, mean, threshold, flags, err);
    for (int cell = 0; cell < EVENT_MOST_CELLS; ++cell)
        threshold[cell] = threshold_of(SST_EVENT_COLD, day.slot, cell);
    return rc;
}

static enum sst_status take_event(void *user, const struct sst_event *event, struct sst_error *err)
{
    struct event_findings *findings = user;
    (void)err;
    if (findings->n_events == EVENT_MOST_EVENTS) /* a passed ck_assert costs a write to Check's log */
        ck_abort_msg("more events than the fixture holds");
    findings->events[findings->n_events++] = *event;
    return SST_OK;
}

static enum sst_status take_day(void *user, const struct sst_event_day *day, struct sst_error *err)
{
    struct event_findings *findings = user;
    (void)err;
    ck_assert_int_lt(findings->n_days, EVENT_MOST_DAYS);
    memcpy(findings->labels[findings->n_days], day->labels, sizeof findings->labels[0]);
    memcpy(findings->starts[findings->n_days], day->starts, sizeof findings->starts[0]);
    ++findings->n_days;
    return SST_OK;
}

static void take_withdrawn(void *user, size_t cell, uint64_t id, uint64_t into)
{
    struct event_findings *findings = user;
    (void)cell;
    ++findings->n_withdrawn;
    findings->withdrawn = id;
    findings->into = into;
}

/* Rings of the fixture have EVENT_MOST_CELLS cells, of which a series fills the first. */
struct sst_event_ring_spec event_spec(const struct sst_event_rule *rule, int n_cells, int32_t n_days,
                                      struct event_findings *findings)
{
    static uint64_t canonical[EVENT_MOST_CELLS];
    ck_assert_int_le(n_cells, EVENT_MOST_CELLS);
    for (int cell = 0; cell < EVENT_MOST_CELLS; ++cell)
        canonical[cell] = 1000 + 3 * (uint64_t)cell;
    struct sst_event_ring_spec spec = {
        .rule = *rule,
        .calendar = calendar,
        .n_cells = EVENT_MOST_CELLS,
        .canonical_cells = canonical,
        .n_days = n_days,
        .limits_id = 7,
        .links = {.user = findings, .limits = rule->direction == SST_EVENT_WARM ? warm_limits : cold_limits},
    };
    if (findings) {
        spec.links.event = take_event;
        spec.links.day = take_day;
        spec.links.withdrawn = take_withdrawn;
    }
    return spec;
}

struct sst_event_ring *event_ring_new(const struct sst_event_ring_spec *spec)
{
    struct sst_event_ring *ring = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_event_ring_create(spec, &ring, &err) == SST_OK, "%s", err.text);
    return ring;
}

enum sst_event_outcome event_put(struct sst_event_ring *ring, int index, const float *sst, const uint8_t *ice,
                                 bool is_preliminary)
{
    enum sst_event_outcome outcome = SST_EVENT_DAY_ADDED;
    struct sst_error err = {0};
    const enum sst_status rc = sst_event_ring_put(ring, event_day(index), sst, ice, is_preliminary, &outcome, &err);
    if (rc != SST_OK)
        ck_abort_msg("%s", err.text);
    return outcome;
}

void event_put_days(struct sst_event_ring *ring, const struct event_series *series, int first, int last)
{
    for (int day = first; day < last; ++day)
        if (!series->is_absent[day])
            (void)event_put(ring, day, series->sst[day], series->ice[day], false);
}

void event_finish(struct sst_event_ring **ring)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_event_ring_finish(*ring, &err), SST_OK);
    sst_event_ring_destroy(ring);
}

void event_batch(const struct event_series *series, const struct sst_event_rule *rule, int32_t n_days,
                 struct event_findings *out)
{
    *out = (struct event_findings){0};
    const struct sst_event_ring_spec spec = event_spec(rule, series->n_cells, n_days, out);
    struct sst_event_ring *ring = event_ring_new(&spec);
    event_put_days(ring, series, 0, series->n_days);
    event_finish(&ring);
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

static int by_cell_and_day(const void *a, const void *b)
{
    const struct sst_event *left = a, *right = b;
    if (left->cell != right->cell)
        return left->cell < right->cell ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

static bool same_double(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool same_intensity(const struct sst_event_intensity *a, const struct sst_event_intensity *b)
{
    return same_double(a->mean, b->mean) && same_double(a->max, b->max) && same_double(a->stddev, b->stddev) &&
           same_double(a->cumulative, b->cumulative);
}

static bool same_event(const struct sst_event *a, const struct sst_event *b)
{
    return a->id == b->id && a->cell == b->cell && a->status == b->status && a->first == b->first &&
           a->last == b->last && a->peak == b->peak && a->duration == b->duration && a->n_unknown == b->n_unknown &&
           a->n_filled == b->n_filled && a->n_no_category == b->n_no_category &&
           memcmp(a->n_category, b->n_category, sizeof a->n_category) == 0 && a->is_open_start == b->is_open_start &&
           a->is_open_end == b->is_open_end && same_intensity(&a->from_mean, &b->from_mean) &&
           same_intensity(&a->from_threshold, &b->from_threshold) && same_intensity(&a->absolute, &b->absolute) &&
           same_double(a->rate_onset, b->rate_onset) && same_double(a->rate_decline, b->rate_decline) &&
           same_double(a->severity, b->severity) && a->category == b->category && a->flags == b->flags;
}

bool event_same(struct event_findings *a, struct event_findings *b)
{
    qsort(a->events, (size_t)a->n_events, sizeof *a->events, by_cell_and_day);
    qsort(b->events, (size_t)b->n_events, sizeof *b->events, by_cell_and_day);
    bool is_same = a->n_events == b->n_events;
    for (int i = 0; is_same && i < a->n_events; ++i)
        is_same = same_event(&a->events[i], &b->events[i]);
    return is_same;
}
