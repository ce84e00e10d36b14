/* The event automaton gives what finding runs, dropping short ones and joining neighbours gives, day by day and at once. */
#include <string.h>

#include "kernels/cell_event.h"
#include "random.h"
#include "test_main.h"

enum { N_MOST = 2000, N_SHORT = 16 };

static const struct cell_event_rule hobday = {CELL_EVENT_MIN_DAYS, CELL_EVENT_MAX_GAP};

struct span {
    int first, last;
};

/* The rule as it is told: all runs, those that are long enough, then one pass that joins. No state but arrays. */
static int plain_labels(struct cell_event_rule rule, const uint8_t *days, int n, uint8_t *labels)
{
    static struct span spans[N_MOST];
    int n_spans = 0;
    for (int i = 0; i < n; ++i) {
        if (days[i] != CELL_DAY_BEYOND || (i > 0 && days[i - 1] == CELL_DAY_BEYOND))
            continue;
        int last = i;
        while (last + 1 < n && days[last + 1] == CELL_DAY_BEYOND)
            ++last;
        if (last - i + 1 >= rule.min_days)
            spans[n_spans++] = (struct span){i, last};
    }
    int n_events = 0;
    for (int i = 0; i < n; ++i)
        labels[i] = CELL_LABEL_NONE;
    for (int k = 0; k < n_spans; ++k) {
        for (int i = spans[k].first; i <= spans[k].last; ++i)
            labels[i] = CELL_LABEL_EVENT;
        if (k > 0 && spans[k].first - spans[k - 1].last - 1 <= rule.max_gap) {
            for (int i = spans[k - 1].last + 1; i < spans[k].first; ++i)
                labels[i] = CELL_LABEL_BRIDGED;
        } else {
            ++n_events;
        }
    }
    return n_events;
}

/* "#" beyond, "." not, "?" unknown. */
static int read_days(const char *text, uint8_t *days)
{
    const int n = (int)strlen(text);
    for (int i = 0; i < n; ++i)
        days[i] = text[i] == '#' ? CELL_DAY_BEYOND : text[i] == '?' ? CELL_DAY_UNKNOWN : CELL_DAY_NOT_BEYOND;
    return n;
}

/* "E" event, "b" bridged, "." none. */
static void check_case(struct cell_event_rule rule, const char *text, const char *expected, int n_expected)
{
    uint8_t days[64], labels[64];
    char got[64] = "";
    const int n = read_days(text, days);
    const int n_events = cell_event_label_days(rule, days, (size_t)n, labels);
    for (int i = 0; i < n; ++i)
        got[i] = ".Eb"[labels[i]];
    ck_assert_msg(strcmp(got, expected) == 0, "%s gives %s, not %s", text, got, expected);
    ck_assert_int_eq(n_events, n_expected);
}

START_TEST(known_cases_of_the_rule_come_out)
{
    check_case(hobday, ".####.", "......", 0);
    check_case(hobday, ".#####.", ".EEEEE.", 1);
    check_case(hobday, "#####..#####", "EEEEEbbEEEEE", 1);
    check_case(hobday, "#####...#####", "EEEEE...EEEEE", 2);
    check_case(hobday, "#####.####", "EEEEE.....", 1);
    check_case(hobday, "####.#####", ".....EEEEE", 1);
    check_case(hobday, "####.####", ".........", 0);
    check_case(hobday, "#####.#####..#####", "EEEEEbEEEEEbbEEEEE", 1);
    check_case(hobday, "#####.#.#####", "EEEEE...EEEEE", 2);
    check_case((struct cell_event_rule){5, 3}, "#####.#.#####", "EEEEEbbbEEEEE", 1);
    check_case((struct cell_event_rule){5, 0}, "#####.#####", "EEEEE.EEEEE", 2);
    check_case((struct cell_event_rule){1, 0}, "#.#", "E.E", 2);
    check_case(hobday, "#######", "EEEEEEE", 1);
    check_case(hobday, "", "", 0);
}
END_TEST

START_TEST(an_unknown_day_counts_as_not_beyond)
{
    check_case(hobday, "##?###.", ".......", 0);
    check_case(hobday, "#####??#####", "EEEEEbbEEEEE", 1);
    check_case(hobday, "#####???#####", "EEEEE...EEEEE", 2);
}
END_TEST

/* A passed ck_assert costs a write to Check's log; these are many. */
static void same(int got, int expected)
{
    if (got != expected)
        ck_abort_msg("%d, not %d", got, expected);
}

/* Applies the changes one at a time, and holds status and state against what was labelled so far. */
static int stream_labels(struct cell_event_rule rule, const uint8_t *days, int n, uint8_t *labels)
{
    struct cell_event event = {0, 0, 0};
    int n_events = 0;
    for (int i = 0; i < n; ++i) {
        const struct cell_event_change change = cell_event_step(rule, &event, (enum cell_event_day)days[i]);
        const enum cell_event_status status = cell_event_status_of(rule, event);
        labels[i] = CELL_LABEL_NONE;
        for (int back = 0; back < change.n_days; ++back) {
            if (back > 0 && change.kind != CELL_EVENT_CONTINUES)
                same(labels[i - back], CELL_LABEL_NONE);
            labels[i - back] = back < change.n_days - change.n_gap ? CELL_LABEL_EVENT : CELL_LABEL_BRIDGED;
        }
        const bool was_event = i > 0 && labels[i - 1] == CELL_LABEL_EVENT;
        same(status == CELL_EVENT_GOES_ON, labels[i] == CELL_LABEL_EVENT);
        same(status == CELL_EVENT_CANDIDATE, days[i] == CELL_DAY_BEYOND && labels[i] == CELL_LABEL_NONE);
        same(change.kind == CELL_EVENT_ENDS, was_event && days[i] != CELL_DAY_BEYOND);
        same(change.kind == CELL_EVENT_IS_CANDIDATE, status == CELL_EVENT_CANDIDATE);
        same(change.kind == CELL_EVENT_NOTHING,
             status != CELL_EVENT_CANDIDATE && labels[i] == CELL_LABEL_NONE && change.kind != CELL_EVENT_ENDS);
        n_events += change.kind == CELL_EVENT_IS_CONFIRMED;
        /* The length is that of the event so far, and stands as long as a run might still join it. */
        if (status == CELL_EVENT_GOES_ON) {
            int length = 0;
            while (length <= i && labels[i - length] != CELL_LABEL_NONE)
                ++length;
            same(event.length, length);
            same(event.since, 0);
        }
        same(event.since < rule.max_gap + rule.min_days, true);
    }
    return n_events;
}

static void compare_all(struct cell_event_rule rule, const uint8_t *days, int n)
{
    static uint8_t plain[N_MOST], batch[N_MOST], stream[N_MOST];
    const int n_plain = plain_labels(rule, days, n, plain);
    ck_assert_int_eq(cell_event_label_days(rule, days, (size_t)n, batch), n_plain);
    ck_assert_mem_eq(batch, plain, (size_t)n);
    ck_assert_int_eq(stream_labels(rule, days, n, stream), n_plain);
    ck_assert_mem_eq(stream, plain, (size_t)n);
}

START_TEST(every_pattern_of_16_days_is_labelled_as_by_runs)
{
    const struct cell_event_rule rule = {1 + _i / 4, _i % 4};
    for (unsigned pattern = 0; pattern < 1U << N_SHORT; ++pattern) {
        uint8_t days[N_SHORT], plain[N_SHORT], batch[N_SHORT];
        for (int i = 0; i < N_SHORT; ++i)
            days[i] = pattern >> i & 1U ? CELL_DAY_BEYOND : CELL_DAY_NOT_BEYOND;
        const int n_events = plain_labels(rule, days, N_SHORT, plain);
        const int n_found = cell_event_label_days(rule, days, N_SHORT, batch);
        if (n_found != n_events || memcmp(batch, plain, N_SHORT) != 0)
            ck_abort_msg("pattern %04x, min_days %d, max_gap %d", pattern, rule.min_days, rule.max_gap);
    }
}
END_TEST

START_TEST(long_random_series_are_labelled_alike_by_runs_at_once_and_day_by_day)
{
    struct test_random random = {20 + (uint64_t)_i};
    static uint8_t days[N_MOST];
    for (int series = 0; series < 15; ++series) {
        const struct cell_event_rule rule = {1 + test_random_below(&random, 8), test_random_below(&random, 12)};
        const int stay = 2 + test_random_below(&random, 12);
        int day = test_random_below(&random, 2);
        for (int i = 0; i < N_MOST; ++i) {
            day = test_random_below(&random, stay) ? day : !day;
            days[i] = (uint8_t)(day                             ? CELL_DAY_BEYOND
                                : test_random_below(&random, 3) ? CELL_DAY_NOT_BEYOND
                                                                : CELL_DAY_UNKNOWN);
        }
        compare_all(rule, days, N_MOST);
    }
}
END_TEST

START_TEST(a_run_that_starts_in_time_joins_however_late_it_is_confirmed)
{
    struct cell_event event = {0, 0, 0};
    uint8_t days[16] = {0};
    const int n = read_days("#####..####", days);
    struct cell_event_change change = {CELL_EVENT_NOTHING, 0, 0};
    for (int i = 0; i < n; ++i)
        change = cell_event_step(hobday, &event, (enum cell_event_day)days[i]);
    ck_assert_int_eq(change.kind, CELL_EVENT_IS_CANDIDATE);
    ck_assert_int_eq(event.length, 5);
    struct cell_event other = event;
    change = cell_event_step(hobday, &event, CELL_DAY_BEYOND);
    ck_assert_int_eq(change.kind, CELL_EVENT_IS_JOINED);
    ck_assert_int_eq(change.n_days, 7);
    ck_assert_int_eq(change.n_gap, 2);
    ck_assert_int_eq(event.length, 12);
    /* From the copy, a checkpoint, the other future: the event is over for good. */
    change = cell_event_step(hobday, &other, CELL_DAY_NOT_BEYOND);
    ck_assert_int_eq(change.kind, CELL_EVENT_NOTHING);
    ck_assert_int_eq(other.length, 0);
    ck_assert_int_eq(cell_event_status_of(hobday, other), CELL_EVENT_QUIET);
}
END_TEST

START_TEST(an_ended_event_is_over_when_its_gap_has_passed)
{
    struct cell_event event = {0, 0, 0};
    for (int i = 0; i < 6; ++i)
        (void)cell_event_step(hobday, &event, CELL_DAY_BEYOND);
    ck_assert_int_eq(cell_event_step(hobday, &event, CELL_DAY_UNKNOWN).kind, CELL_EVENT_ENDS);
    ck_assert_int_eq(cell_event_status_of(hobday, event), CELL_EVENT_ENDED);
    ck_assert_int_eq(cell_event_step(hobday, &event, CELL_DAY_NOT_BEYOND).kind, CELL_EVENT_NOTHING);
    ck_assert_int_eq(cell_event_status_of(hobday, event), CELL_EVENT_ENDED);
    ck_assert_int_eq(event.length, 6);
    (void)cell_event_step(hobday, &event, CELL_DAY_NOT_BEYOND);
    ck_assert_int_eq(cell_event_status_of(hobday, event), CELL_EVENT_QUIET);
    ck_assert_int_eq(event.length, 0);
}
END_TEST

START_TEST(days_held_back_and_stepped_later_leave_the_same_state)
{
    uint8_t days[32] = {0};
    const int n = read_days("..######??###.#####?####....####", days);
    struct cell_event direct = {0, 0, 0}, held = {0, 0, 0};
    int n_owed = 0;
    for (int i = 0; i < n; ++i) {
        (void)cell_event_step(hobday, &direct, (enum cell_event_day)days[i]);
        if (days[i] == CELL_DAY_UNKNOWN) {
            ++n_owed;
            continue;
        }
        for (; n_owed > 0; --n_owed)
            (void)cell_event_step(hobday, &held, CELL_DAY_UNKNOWN);
        (void)cell_event_step(hobday, &held, (enum cell_event_day)days[i]);
        ck_assert(held.run == direct.run && held.length == direct.length && held.since == direct.since);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cell_event");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, known_cases_of_the_rule_come_out);
    tcase_add_test(tc, an_unknown_day_counts_as_not_beyond);
    tcase_add_loop_test(tc, every_pattern_of_16_days_is_labelled_as_by_runs, 0, 20);
    tcase_add_loop_test(tc, long_random_series_are_labelled_alike_by_runs_at_once_and_day_by_day, 0, 4);
    tcase_add_test(tc, a_run_that_starts_in_time_joins_however_late_it_is_confirmed);
    tcase_add_test(tc, an_ended_event_is_over_when_its_gap_has_passed);
    tcase_add_test(tc, days_held_back_and_stepped_later_leave_the_same_state);
    suite_add_tcase(suite, tc);
    return suite;
}
