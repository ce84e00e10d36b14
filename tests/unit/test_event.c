/* Events are those that two plain passes over the whole series find, with figures by their definitions; and what is told of them. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "event_fixture.h"
#include "monitor/event_bytes.h"
#include "monitor/event_day.h"
#include "test_main.h"

#define ROUNDING 1e-9 /* [degC] sums of a few hundred doubles */

static const struct sst_event_rule warm = {SST_EVENT_WARM, 5, 2, 0, 0}, cold = {SST_EVENT_COLD, 5, 2, 0, 0};

static struct event_series series;
static struct event_findings found;

/* --- the plain way ------------------------------------------------------------------------------------------------ */

struct plain {
    int first, last;
};

static bool plain_is_beyond(enum sst_event_direction direction, int day, int cell)
{
    const float sst = series.sst[day][cell], threshold = event_threshold(direction, day, cell);
    return direction == SST_EVENT_WARM ? sst > threshold : sst < threshold; /* false for NaN */
}

/* Runs that are long enough, then those joined that are near. */
static int plain_events(const struct sst_event_rule *rule, int cell, struct plain *events)
{
    int n = 0;
    for (int day = 0; day < series.n_days; ++day) {
        int last = day;
        if (!plain_is_beyond(rule->direction, day, cell))
            continue;
        while (last + 1 < series.n_days && plain_is_beyond(rule->direction, last + 1, cell))
            ++last;
        if (last - day + 1 >= rule->min_duration) {
            if (n > 0 && day - events[n - 1].last - 1 <= rule->max_gap)
                events[n - 1].last = last;
            else
                events[n++] = (struct plain){day, last};
        }
        day = last;
    }
    return n;
}

static double plain_sst(int day, int cell)
{
    return (double)(isnan(series.sst[day][cell]) ? event_mean(day, cell) : series.sst[day][cell]);
}

static double from_mean(int day, int cell) { return plain_sst(day, cell) - (double)event_mean(day, cell); }

static double from_threshold(enum sst_event_direction direction, int day, int cell)
{
    return plain_sst(day, cell) - (double)event_threshold(direction, day, cell);
}

static void check_intensity(const struct sst_event_intensity *got, const double *values, int n, int peak)
{
    double sum = 0.0, squares = 0.0;
    for (int i = 0; i < n; ++i)
        sum += values[i];
    for (int i = 0; i < n; ++i)
        squares += (values[i] - sum / n) * (values[i] - sum / n);
    ck_assert_double_eq_tol(got->mean, sum / n, ROUNDING);
    ck_assert_double_eq_tol(got->cumulative, sum, ROUNDING * n);
    ck_assert_double_eq_tol(got->stddev, sqrt(squares / n), ROUNDING);
    ck_assert_double_eq_tol(got->max, values[peak], ROUNDING);
}

static void check_figures(const struct sst_event_rule *rule, const struct sst_event *got, struct plain event, int cell)
{
    const int n = event.last - event.first + 1;
    double mean[EVENT_MOST_DAYS], threshold[EVENT_MOST_DAYS], absolute[EVENT_MOST_DAYS], severity = 0.0;
    int peak = 0, n_category[SST_EVENT_N_CATEGORIES] = {0}, n_none = 0;
    for (int i = 0; i < n; ++i) {
        const int day = event.first + i;
        mean[i] = from_mean(day, cell);
        threshold[i] = from_threshold(rule->direction, day, cell);
        absolute[i] = plain_sst(day, cell);
        if (rule->direction == SST_EVENT_WARM ? mean[i] > mean[peak] : mean[i] < mean[peak])
            peak = i;
        if (!plain_is_beyond(rule->direction, day, cell))
            continue;
        const double ratio = mean[i] / (mean[i] - threshold[i]);
        if (cell == 1 || cell == 3 || series.ice[day][cell]) {
            ++n_none;
            continue;
        }
        severity = fmax(severity, ratio);
        ++n_category[ratio >= 4.0 ? 3 : (int)ratio - 1];
    }
    ck_assert_int_eq(got->peak, event_day_number(event.first + peak));
    check_intensity(&got->from_mean, mean, n, peak);
    check_intensity(&got->from_threshold, threshold, n, peak);
    check_intensity(&got->absolute, absolute, n, peak);
    ck_assert_mem_eq(got->n_category, n_category, sizeof n_category);
    ck_assert_int_eq(got->n_no_category, n_none);
    ck_assert_double_eq_tol(got->severity, severity, ROUNDING);
    ck_assert_int_eq(got->category, severity >= 4.0 ? 4 : (int)severity);
    const double sign = rule->direction == SST_EVENT_WARM ? 1.0 : -1.0;
    if (event.first > 0)
        ck_assert_double_eq_tol(got->rate_onset,
                                sign * (mean[peak] - 0.5 * (mean[0] + from_mean(event.first - 1, cell))) / (peak + 0.5),
                                ROUNDING);
    if (event.last < series.n_days - 1)
        ck_assert_double_eq_tol(got->rate_decline,
                                sign * (mean[peak] - 0.5 * (mean[n - 1] + from_mean(event.last + 1, cell))) /
                                    (n - 1 - peak + 0.5),
                                ROUNDING);
}

static void check_rule(const struct sst_event_rule *rule)
{
    static struct plain events[EVENT_MOST_DAYS];
    int n_all = 0;
    event_batch(&series, rule, sst_event_ring_least_days(rule), &found);
    for (int cell = 0; cell < series.n_cells; ++cell) {
        const int n = plain_events(rule, cell, events);
        for (int i = 0; i < n; ++i) {
            const struct sst_event *got = NULL;
            for (int k = 0; k < found.n_events; ++k)
                if (found.events[k].cell == (size_t)cell && found.events[k].first == event_day_number(events[i].first))
                    got = &found.events[k];
            ck_assert_msg(got, "cell %d: no event from day %d on", cell, events[i].first);
            ck_assert_int_eq(got->last, event_day_number(events[i].last));
            ck_assert_int_eq(got->duration, events[i].last - events[i].first + 1);
            check_figures(rule, got, events[i], cell);
        }
        n_all += n;
    }
    ck_assert_int_eq(found.n_events, n_all);
    ck_assert_int_gt(n_all, 30);
}

START_TEST(events_and_figures_are_those_of_two_plain_passes)
{
    static const struct sst_event_rule others[] = {{SST_EVENT_WARM, 1, 0, 0, 0}, {SST_EVENT_COLD, 3, 7, 0, 2}};
    event_series_make(&series, EVENT_MOST_CELLS, 500, 7 + (uint64_t)_i);
    check_rule(&warm);
    check_rule(&cold);
    check_rule(&others[0]);
    check_rule(&others[1]);
}
END_TEST

/* --- cases -------------------------------------------------------------------------------------------------------- */

enum { CELL = 5, N_RING = 21 };

/* Severities of the days of one cell: "1" .. "9" whole ones and a half, "." the mean, "?" unknown, "|" no file. */
static int read_case(const char *text)
{
    series = (struct event_series){.n_cells = EVENT_MOST_CELLS, .n_days = (int)strlen(text)};
    for (int day = 0; day < series.n_days; ++day) {
        for (int cell = 0; cell < EVENT_MOST_CELLS; ++cell)
            series.sst[day][cell] = event_mean(day, cell);
        const float mean = event_mean(day, CELL), beyond = event_threshold(SST_EVENT_WARM, day, CELL) - mean;
        series.is_absent[day] = text[day] == '|';
        if (text[day] == '?' || text[day] == '|')
            series.sst[day][CELL] = NAN;
        else if (text[day] != '.')
            series.sst[day][CELL] = mean + beyond * ((float)(text[day] - '0') + 0.5F);
    }
    return series.n_days;
}

static struct sst_event_ring *ring_of(const char *text, const struct sst_event_rule *rule)
{
    found = (struct event_findings){0};
    const struct sst_event_ring_spec spec = event_spec(rule, EVENT_MOST_CELLS, N_RING, &found);
    struct sst_event_ring *ring = event_ring_new(&spec);
    event_put_days(ring, &series, 0, read_case(text));
    return ring;
}

static enum sst_event_status status_after(const char *text, const struct sst_event_rule *rule)
{
    struct sst_event event;
    (void)read_case(text);
    struct sst_event_ring *ring = ring_of(text, rule);
    const struct sst_day last = event_day(series.n_days - 1);
    struct sst_error err = {0};
    ck_assert_int_eq(sst_event_ring_advance(ring, last, &err), SST_OK); /* absent days at the end */
    const enum sst_event_status status = sst_event_ring_current(ring, CELL, &event) ? event.status : SST_EVENT_NONE;
    sst_event_ring_destroy(&ring);
    return status;
}

START_TEST(status_follows_the_days)
{
    const struct sst_event_rule holds = {SST_EVENT_WARM, 5, 2, 0, 3};
    ck_assert_int_eq(status_after(".....", &warm), SST_EVENT_NONE);
    ck_assert_int_eq(status_after(".1111", &warm), SST_EVENT_CANDIDATE);
    ck_assert_int_eq(status_after(".1111.", &warm), SST_EVENT_NONE);
    ck_assert_int_eq(status_after(".11111", &warm), SST_EVENT_CONFIRMED);
    ck_assert_int_eq(status_after(".11111.", &warm), SST_EVENT_BRIDGED);
    ck_assert_int_eq(status_after(".11111.1", &warm), SST_EVENT_BRIDGED);
    ck_assert_int_eq(status_after(".11111..11111", &warm), SST_EVENT_CONFIRMED);
    ck_assert_int_eq(status_after(".11111...", &warm), SST_EVENT_ENDED);
    ck_assert_int_eq(status_after(".11111...1", &warm), SST_EVENT_CANDIDATE);
    ck_assert_int_eq(status_after(".11111?", &warm), SST_EVENT_BRIDGED);
    ck_assert_int_eq(status_after(".11111|", &holds), SST_EVENT_AWAITING);
    ck_assert_int_eq(status_after(".11111|..", &holds), SST_EVENT_AWAITING);
    ck_assert_int_eq(status_after(".11111|...", &holds), SST_EVENT_ENDED);
    ck_assert_int_eq(status_after(".11111.|", &holds), SST_EVENT_AWAITING);
}
END_TEST

/* "c" candidate, "e" event, "b" bridged, "?" unknown, "w" awaiting, "." none. */
static void check_labels(const char *days, const char *expected, const struct sst_event_rule *rule)
{
    static const char letters[] = ".ceb?w";
    char got[64] = "";
    struct sst_event_ring *ring = ring_of(days, rule);
    int32_t oldest = 0, newest = 0;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_event_ring_advance(ring, event_day(series.n_days - 1), &err), SST_OK);
    ck_assert(sst_event_ring_span(ring, &oldest, &newest));
    for (int32_t day = oldest; day <= newest; ++day)
        got[day - oldest] = letters[sst_event_ring_label(ring, day, CELL)];
    ck_assert_str_eq(got, expected);
    sst_event_ring_destroy(&ring);
}

START_TEST(labels_of_days_follow_what_comes_after_them)
{
    const struct sst_event_rule holds = {SST_EVENT_WARM, 5, 2, 0, 3}, pads = {SST_EVENT_WARM, 5, 2, 2, 0};
    check_labels(".1111", ".cccc", &warm);
    check_labels(".1111.", "......", &warm);
    check_labels(".11111.1", ".eeeee.c", &warm);
    check_labels(".11111..11111.", ".eeeeebbeeeee.", &warm);
    check_labels(".11111...11111.", ".eeeee...eeeee.", &warm);
    check_labels("11111.|11111", "eeeeebbeeeee", &warm);
    check_labels("1111?1111.", "....?.....", &warm);
    check_labels("1111?1111", "....?cccc", &warm);
    check_labels("1111|11", "....www", &holds);
    check_labels("1111|111", "....?ccc", &holds);
    check_labels("1111??111.", "eeeeeeeee.", &pads);
    check_labels("1111???111.", "....???....", &pads);
    check_labels("1111?", "....?", &pads);
}
END_TEST

START_TEST(categories_count_days_and_gaps_have_none)
{
    struct sst_event_ring *ring = ring_of(".11238.1..11111?11111....", &warm);
    event_finish(&ring);
    ck_assert_int_eq(found.n_events, 2);
    const struct sst_event *event = &found.events[0];
    const int counts[] = {2, 1, 1, 1};
    ck_assert_int_eq(event->duration, 5);
    ck_assert_mem_eq(event->n_category, counts, sizeof counts);
    ck_assert_int_eq(event->category, 4);
    ck_assert_double_eq_tol(event->severity, 8.5, 1e-5);
    ck_assert_int_eq(found.events[1].duration, 11);
    ck_assert_int_eq(found.events[1].n_unknown, 1);
    ck_assert_int_eq(found.events[1].n_category[0], 10);
}
END_TEST

START_TEST(candidates_have_a_severity_and_no_category)
{
    struct sst_event event;
    struct sst_event_ring *ring = ring_of("..12", &warm);
    ck_assert(sst_event_ring_current(ring, CELL, &event));
    ck_assert_int_eq(event.status, SST_EVENT_CANDIDATE);
    ck_assert_int_eq(event.category, 0);
    ck_assert_double_eq_tol(event.severity, 2.5, 1e-5);
    ck_assert_int_eq(event.first, event_day_number(2));
    sst_event_ring_destroy(&ring);
}
END_TEST

START_TEST(open_ends_are_told)
{
    struct sst_event_ring *ring = ring_of("11111....11111", &warm);
    event_finish(&ring);
    ck_assert_int_eq(found.n_events, 2);
    ck_assert(found.events[0].is_open_start && !found.events[0].is_open_end);
    ck_assert(!found.events[1].is_open_start && found.events[1].is_open_end);
    ck_assert_int_eq(found.events[0].status, SST_EVENT_ENDED);
    ck_assert_int_eq(found.events[1].status, SST_EVENT_CONFIRMED);
    ring = ring_of("11111", &warm); /* from end to end */
    event_finish(&ring);
    ck_assert_int_eq(found.n_events, 1);
    ck_assert(found.events[0].is_open_start && found.events[0].is_open_end);
    ring = ring_of(".11111.11111", &warm); /* its first end was none */
    event_finish(&ring);
    ck_assert_int_eq(found.n_events, 1);
    ck_assert(!found.events[0].is_open_start && found.events[0].is_open_end);
    ring = ring_of(".111111.", &warm); /* two days more might join it to another */
    event_finish(&ring);
    ck_assert_int_eq(found.events[0].status, SST_EVENT_BRIDGED);
}
END_TEST

START_TEST(a_value_at_the_threshold_is_not_beyond_it)
{
    struct sst_event_value value = {.sst = 17.3F, .mean = 15.0F, .threshold = 17.3F};
    ck_assert(!sst_event_is_beyond(SST_EVENT_WARM, &value));
    ck_assert(!sst_event_is_beyond(SST_EVENT_COLD, &value));
    value.sst = nextafterf(17.3F, 18.0F);
    ck_assert(sst_event_is_beyond(SST_EVENT_WARM, &value));
    ck_assert_int_eq(sst_event_category(sst_event_severity(&value)), 1);
}
END_TEST

/* An ice-bound cell: -1.80 with five days at -1.79. Nothing is divided by next to nothing. */
START_TEST(a_cell_without_variance_has_no_category)
{
    struct sst_event_value value = {.sst = -1.79F, .mean = -1.80F, .threshold = -1.80F};
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_WARM, &value), SST_EVENT_NO_VARIANCE);
    value.threshold = -1.8000011F; /* below the mean, as marineHeatWaves had it */
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_WARM, &value), SST_EVENT_NO_VARIANCE);
    value.threshold = -1.74F;
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_WARM, &value), 0);
    struct sst_event_rule rule = warm;
    struct sst_event_cell cell = sst_event_cell_start();
    struct sst_event_sums spans[2] = {0};
    value.threshold = -1.80F;
    for (int day = 0; day < 5; ++day)
        (void)sst_event_cell_step(&rule, day, &value, &cell, &spans[0], &spans[1]);
    ck_assert_int_eq(spans[0].n_days, 5);
    const struct sst_event event =
        sst_event_of(&(struct sst_event_place){0, 0, SST_EVENT_WARM, SST_EVENT_CONFIRMED}, &spans[0]);
    ck_assert_int_eq(event.category, 0);
    ck_assert_int_eq(event.n_no_category, 5);
    ck_assert_double_eq(event.severity, 0.0);
    ck_assert_uint_eq(event.flags, SST_EVENT_NO_VARIANCE);
}
END_TEST

START_TEST(cold_limits_that_water_cannot_reach_are_flagged)
{
    struct sst_event_value value = {.sst = 0.0F, .mean = 2.0F, .threshold = 1.04F};
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_COLD, &value), SST_EVENT_LIMIT_BELOW_FREEZING); /* 2 - 4 x 0.96 */
    value.threshold = 1.06F;
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_COLD, &value), 0);
    value.threshold = 2.96F;
    ck_assert_uint_eq(sst_event_flags(SST_EVENT_WARM, &value), 0);
}
END_TEST

/* --- areas -------------------------------------------------------------------------------------------------------- */

START_TEST(areas_add_up_and_keep_ice_apart)
{
    const struct sst_event_rule holds = {SST_EVENT_WARM, 5, 2, 0, 3};
    double weights[EVENT_MOST_CELLS];
    struct sst_event_areas areas;
    for (int cell = 0; cell < EVENT_MOST_CELLS; ++cell)
        weights[cell] = 1 << cell;
    struct sst_event_ring *ring = ring_of("11112?", &holds);
    sst_event_ring_areas(ring, event_day_number(4), weights, &areas);
    /* Cells 1 and 3 are outside, 2 is land. */
    ck_assert_double_eq(areas.outside, 2.0 + 8.0);
    ck_assert_double_eq(areas.category[2], 1 << CELL);
    ck_assert_double_eq(areas.category[0], (1 << EVENT_MOST_CELLS) - 1 - 2 - 4 - 8 - (1 << CELL));
    ck_assert_double_eq(areas.unknown, 0.0);
    sst_event_ring_areas(ring, event_day_number(5), weights, &areas);
    ck_assert_double_eq(areas.unknown, 1 << CELL);
    ck_assert_double_eq(areas.category[1] + areas.category[2], 0.0);
    sst_event_ring_destroy(&ring);
}
END_TEST

/* --- days that come late ------------------------------------------------------------------------------------------ */

START_TEST(a_late_day_joins_what_it_parted)
{
    struct sst_event event;
    struct sst_event_ring *ring = ring_of(".1111|1111", &warm);
    float sst[EVENT_MOST_CELLS];
    ck_assert(sst_event_ring_current(ring, CELL, &event));
    ck_assert_int_eq(event.status, SST_EVENT_CANDIDATE);
    memcpy(sst, series.sst[4], sizeof sst);
    ck_assert_int_eq(event_put(ring, 5, sst, NULL, true), SST_EVENT_DAY_ADDED);
    ck_assert(sst_event_ring_current(ring, CELL, &event));
    ck_assert_int_eq(event.status, SST_EVENT_CONFIRMED);
    ck_assert_int_eq(event.duration, 9);
    ck_assert_int_eq(event_put(ring, 5, sst, NULL, true), SST_EVENT_DAY_SAME);
    ck_assert_int_eq(event_put(ring, 5, sst, NULL, false), SST_EVENT_DAY_SAME);
    sst[CELL] = event_mean(5, CELL);
    ck_assert_int_eq(event_put(ring, 5, sst, NULL, true), SST_EVENT_DAY_PRELIMINARY_LATE);
    ck_assert_int_eq(found.n_withdrawn, 0);
    const uint64_t id = event.id;
    ck_assert_int_eq(event_put(ring, 5, sst, NULL, false), SST_EVENT_DAY_REVISED);
    ck_assert_int_eq(found.n_withdrawn, 1);
    ck_assert_uint_eq(found.withdrawn, id);
    ck_assert_uint_eq(found.into, 0);
    sst_event_ring_destroy(&ring);
}
END_TEST

START_TEST(an_event_that_another_takes_in_is_withdrawn_into_it)
{
    struct sst_event event;
    struct sst_event_ring *ring = ring_of("11111...11111", &warm);
    float sst[EVENT_MOST_CELLS];
    memcpy(sst, series.sst[6], sizeof sst);
    sst[CELL] = series.sst[0][CELL] + 1.0F;
    (void)event_put(ring, 5, sst, NULL, false);
    ck_assert(sst_event_ring_current(ring, CELL, &event));
    ck_assert_int_eq(event.first, event_day_number(0));
    ck_assert_int_eq(event.duration, 13);
    ck_assert_int_eq(found.n_withdrawn, 1);
    ck_assert_uint_eq(found.withdrawn, sst_event_id(1000 + 3 * CELL, event_day_number(8), SST_EVENT_WARM));
    ck_assert_uint_eq(found.into, event.id);
    sst_event_ring_destroy(&ring);
}
END_TEST

/* Thirty days beyond, of which nine have left the ring when the next three turn out to be none: it ends, and another begins. */
START_TEST(an_event_that_began_before_the_ring_is_cut_and_not_withdrawn)
{
    struct sst_event event;
    struct sst_event_ring *ring = ring_of("111111111111111111111111111111", &warm);
    float sst[EVENT_MOST_CELLS];
    for (int day = 9; day < 12; ++day) {
        memcpy(sst, series.sst[day], sizeof sst);
        sst[CELL] = event_mean(day, CELL);
        ck_assert_int_eq(event_put(ring, day, sst, NULL, false), SST_EVENT_DAY_REVISED);
    }
    ck_assert_int_eq(found.n_withdrawn, 0);
    ck_assert(sst_event_ring_current(ring, CELL, &event));
    ck_assert_int_eq(event.first, event_day_number(12));
    event_finish(&ring);
    ck_assert_int_eq(found.n_events, 2);
    ck_assert_int_eq(found.events[0].duration, 9);
}
END_TEST

START_TEST(a_day_before_the_ring_is_refused_by_name)
{
    enum sst_event_outcome outcome;
    struct sst_error err = {0};
    struct sst_event_ring *ring = ring_of("..............................", &warm); /* 30 days */
    ck_assert_int_eq(event_put(ring, 9, series.sst[9], NULL, false), SST_EVENT_DAY_SAME);
    ck_assert_int_eq(sst_event_ring_put(ring, event_day(8), series.sst[8], NULL, false, &outcome, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text,
                     "events: 1999-01-09 is before 1999-01-10, the earliest day that can still be taken in. Replay "
                     "the log of days, or run: sststream feed rebuild");
    sst_event_ring_destroy(&ring);
}
END_TEST

START_TEST(ids_are_unique_and_exact_as_doubles)
{
    const uint64_t cells[] = {0, 1, 1036799, (1 << 30) - 1};
    const int32_t days[] = {-2000000, -1, 0, 20000, 2000000};
    uint64_t last = 0;
    for (size_t i = 0; i < 4; ++i)
        for (size_t k = 0; k < 5; ++k)
            for (int direction = 0; direction < 2; ++direction) {
                const uint64_t id = sst_event_id(cells[i], days[k], (enum sst_event_direction)direction);
                ck_assert_uint_gt(id, last);
                ck_assert_uint_eq((uint64_t)(double)id, id);
                last = id;
            }
}
END_TEST

/* --- refused ------------------------------------------------------------------------------------------------------ */

static void create_refused(const struct sst_event_rule *rule, int32_t n_days, const char *text)
{
    struct sst_event_ring *ring = NULL;
    struct sst_error err = {0};
    const struct sst_event_ring_spec spec = event_spec(rule, EVENT_MOST_CELLS, n_days, NULL);
    ck_assert_int_eq(sst_event_ring_create(&spec, &ring, &err), SST_ERR_USAGE);
    ck_assert_str_eq(err.text, text);
    ck_assert_ptr_null(ring);
}

START_TEST(rings_and_rules_out_of_range_are_refused)
{
    struct sst_event_rule rule = warm;
    create_refused(&rule, 6,
                   "events: a ring of 6 days is too short: what a day is, is certain only 6 days later. Give at "
                   "least 7");
    rule.min_duration = 0;
    create_refused(&rule, 21,
                   "events: a rule of 0 days of duration, 2 of gap, 0 of padding and 0 of holding is out of range. "
                   "Give numbers of days from 0 (duration: 1) to 10000");
}
END_TEST

static void decode_refused(const struct sst_event_ring_spec *spec, const uint8_t *bytes, size_t n, const char *text)
{
    struct sst_event_ring *ring = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_event_ring_decode(spec, bytes, n, &ring, &err), SST_ERR_STATE);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert_ptr_null(ring);
}

START_TEST(checkpoints_of_other_rings_and_damaged_ones_are_refused)
{
    struct sst_error err = {0};
    uint8_t *bytes = NULL;
    size_t n = 0;
    event_series_make(&series, EVENT_MOST_CELLS, 60, 3);
    struct sst_event_ring_spec spec = event_spec(&warm, EVENT_MOST_CELLS, N_RING, NULL);
    struct sst_event_ring *ring = event_ring_new(&spec);
    event_put_days(ring, &series, 0, 60);
    ck_assert_int_eq(sst_event_ring_encode(ring, &bytes, &n, &err), SST_OK);
    sst_event_ring_destroy(&ring);
    for (size_t at = 0; at < n; at += 1 + n / 97) {
        bytes[at] ^= 4;
        decode_refused(&spec, bytes, n, "damaged checkpoint");
        bytes[at] ^= 4;
    }
    for (size_t length = 0; length < n; length += 1 + n / 97)
        decode_refused(&spec, bytes, length, "damaged checkpoint");
    spec.limits_id = 8;
    decode_refused(&spec, bytes, n, "another climatology");
    spec.limits_id = 7;
    spec.rule.max_gap = 3;
    decode_refused(&spec, bytes, n, "another rule");
    spec.rule.max_gap = 2;
    spec.calendar = SST_CALENDAR_NOLEAP;
    decode_refused(&spec, bytes, n, "another calendar");
    spec.calendar = SST_CALENDAR_STANDARD;
    spec.n_cells = EVENT_MOST_CELLS - 1;
    decode_refused(&spec, bytes, n, "another set of cells");
    sst_free(bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, events_and_figures_are_those_of_two_plain_passes, 0, 4);
    tcase_add_test(tc, status_follows_the_days);
    tcase_add_test(tc, labels_of_days_follow_what_comes_after_them);
    tcase_add_test(tc, categories_count_days_and_gaps_have_none);
    tcase_add_test(tc, candidates_have_a_severity_and_no_category);
    tcase_add_test(tc, open_ends_are_told);
    tcase_add_test(tc, a_value_at_the_threshold_is_not_beyond_it);
    tcase_add_test(tc, a_cell_without_variance_has_no_category);
    tcase_add_test(tc, cold_limits_that_water_cannot_reach_are_flagged);
    tcase_add_test(tc, areas_add_up_and_keep_ice_apart);
    tcase_add_test(tc, a_late_day_joins_what_it_parted);
    tcase_add_test(tc, an_event_that_another_takes_in_is_withdrawn_into_it);
    tcase_add_test(tc, an_event_that_began_before_the_ring_is_cut_and_not_withdrawn);
    tcase_add_test(tc, a_day_before_the_ring_is_refused_by_name);
    tcase_add_test(tc, ids_are_unique_and_exact_as_doubles);
    tcase_add_test(tc, rings_and_rules_out_of_range_are_refused);
    tcase_add_test(tc, checkpoints_of_other_rings_and_damaged_ones_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
