/* Days that come late, out of order, twice, as preliminary ones first, or after a restart give the events of days in order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "event_fixture.h"
#include "monitor/event_bytes.h"
#include "random.h"
#include "test_main.h"

enum { N_CELLS = 12, N_DAYS = 400, N_RING = 21, N_ORDERS = 200, MOST_MESSAGES = 4 * N_DAYS, SEED = 20160 };

static const struct sst_event_rule rules[] = {
    {SST_EVENT_WARM, 5, 2, 0, 0},
    {SST_EVENT_COLD, 5, 2, 0, 3},
    {SST_EVENT_WARM, 5, 2, 2, 3},
    {SST_EVENT_WARM, 3, 0, 0, 0},
};
enum { N_RULES = sizeof rules / sizeof *rules };

static struct event_series series;
static struct event_findings batch, got;

/* --- restarts ----------------------------------------------------------------------------------------------------- */

/* The ring as it comes back from its bytes; the old one is gone. */
static void restart(struct sst_event_ring **ring, const struct sst_event_ring_spec *spec)
{
    struct sst_error err = {0};
    uint8_t *bytes = NULL, *again = NULL;
    size_t n = 0, n_again = 0;
    ck_assert_int_eq(sst_event_ring_encode(*ring, &bytes, &n, &err), SST_OK);
    sst_event_ring_destroy(ring);
    ck_assert_msg(sst_event_ring_decode(spec, bytes, n, ring, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_event_ring_encode(*ring, &again, &n_again, &err), SST_OK);
    ck_assert_uint_eq(n, n_again);
    ck_assert_mem_eq(bytes, again, n);
    sst_free(bytes);
    sst_free(again);
}

START_TEST(every_split_point_gives_the_events_of_the_whole)
{
    const struct sst_event_rule *rule = &rules[_i];
    event_series_make(&series, N_CELLS, N_DAYS, SEED);
    event_batch(&series, rule, N_RING, &batch);
    ck_assert_int_gt(batch.n_events, 40);
    for (int split = 0; split <= N_DAYS; split += _i == 0 ? 1 : 7) { /* the first rule at every day */
        got = (struct event_findings){0};
        const struct sst_event_ring_spec spec = event_spec(rule, N_CELLS, N_RING, &got);
        struct sst_event_ring *ring = event_ring_new(&spec);
        event_put_days(ring, &series, 0, split);
        restart(&ring, &spec);
        event_put_days(ring, &series, split, N_DAYS);
        event_finish(&ring);
        ck_assert_msg(event_same(&batch, &got), "split before day %d", split);
        ck_assert_mem_eq(batch.labels, got.labels, sizeof got.labels);
        ck_assert_mem_eq(batch.starts, got.starts, sizeof got.starts);
    }
}
END_TEST

/* --- arrival ------------------------------------------------------------------------------------------------------ */

/* A field on its way. */
struct message {
    int day, key; /* messages come in order of their keys */
    bool is_preliminary;
};

static int by_key(const void *a, const void *b)
{
    const struct message *left = a, *right = b;
    return left->key != right->key ? left->key - right->key : left->day - right->day;
}

/*
 * Each day's final field, up to `latest` days late; for some also a preliminary one, before or after it, and the same once
 * more. Nothing comes when a day later than `latest` after it is there.
 */
static int make_messages(struct test_random *random, int latest, struct message *messages)
{
    int n = 0;
    for (int day = 0; day < N_DAYS; ++day) {
        if (series.is_absent[day])
            continue;
        const int is_late = test_random_below(random, 3) == 0;
        const int n_copies = 1 + (test_random_below(random, 4) == 0), n_preliminary = test_random_below(random, 2);
        for (int i = 0; i < n_copies + n_preliminary; ++i)
            messages[n++] = (struct message){
                .day = day,
                .key = day + (is_late ? test_random_below(random, latest + 1) : 0),
                .is_preliminary = i >= n_copies,
            };
    }
    qsort(messages, (size_t)n, sizeof *messages, by_key);
    return n;
}

/* What the preliminary field of a day has in place of the final one. */
static void make_preliminary(struct test_random *random, int day, float *sst, uint8_t *ice)
{
    memcpy(sst, series.sst[day], sizeof series.sst[day]);
    memcpy(ice, series.ice[day], sizeof series.ice[day]);
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const int change = test_random_below(random, 4);
        if (change == 0)
            sst[cell] += (float)(0.5 * (test_random_below(random, 5) - 2));
        else if (change == 1 && test_random_below(random, 5) == 0)
            sst[cell] = NAN;
        ice[cell] ^= test_random_below(random, 20) == 0;
    }
}

static void deliver(struct sst_event_ring *ring, struct test_random *random, const struct message *message)
{
    float sst[EVENT_MOST_CELLS];
    uint8_t ice[EVENT_MOST_CELLS];
    if (!message->is_preliminary) {
        (void)event_put(ring, message->day, series.sst[message->day], series.ice[message->day], false);
        return;
    }
    make_preliminary(random, message->day, sst, ice);
    (void)event_put(ring, message->day, sst, ice, true);
}

START_TEST(any_order_within_the_ring_gives_the_events_of_days_in_order)
{
    static struct message messages[MOST_MESSAGES];
    const struct sst_event_rule *rule = &rules[_i];
    int n_withdrawn = 0;
    event_series_make(&series, N_CELLS, N_DAYS, SEED + 1);
    event_batch(&series, rule, N_RING, &batch);
    for (int order = 0; order < N_ORDERS / N_RULES; ++order) {
        struct test_random random = {SEED + (uint64_t)(1000 * _i + order)};
        /* Every other order stays within what labels allow too, and starts anew now and then. */
        const bool is_mild = order % 2 != 0;
        const int latest = is_mild ? N_RING - sst_event_ring_least_days(rule) : N_RING - 1 - rule->max_pad;
        const int n = make_messages(&random, latest, messages);
        got = (struct event_findings){0};
        const struct sst_event_ring_spec spec = event_spec(rule, N_CELLS, N_RING, &got);
        struct sst_event_ring *ring = event_ring_new(&spec);
        for (int i = 0; i < n; ++i) {
            deliver(ring, &random, &messages[i]);
            if (is_mild && test_random_below(&random, 50) == 0)
                restart(&ring, &spec);
        }
        event_finish(&ring);
        ck_assert_msg(event_same(&batch, &got), "rule %d, order %d (seed %d): other events", _i, order,
                      SEED + 1000 * _i + order);
        if (is_mild)
            ck_assert_msg(memcmp(batch.labels, got.labels, sizeof got.labels) == 0 &&
                              memcmp(batch.starts, got.starts, sizeof got.starts) == 0,
                          "rule %d, order %d: other labels", _i, order);
        n_withdrawn += got.n_withdrawn;
    }
    ck_assert_int_gt(n_withdrawn, 10); /* the orders do change what was told */
}
END_TEST

/* --- many cells --------------------------------------------------------------------------------------------------- */

enum { N_MANY = 40008, N_MANY_DAYS = 90, MOST_OF_ONE = 64 }; /* cells that threads share */

struct many {
    struct sst_event_links few; /* the fixture's, of EVENT_MOST_CELLS cells */
    uint8_t n_of_cell[N_MANY];
    struct sst_event of_first[EVENT_MOST_CELLS][MOST_OF_ONE]; /* of the cells that all others repeat */
    int n_other; /* events that the cell which is repeated has not */
};

static enum sst_status many_limits(void *user, struct sst_day day, float *mean, float *threshold, uint8_t *flags,
                                   struct sst_error *err)
{
    const struct many *many = user;
    float means[EVENT_MOST_CELLS], thresholds[EVENT_MOST_CELLS];
    uint8_t few_flags[EVENT_MOST_CELLS];
    const enum sst_status rc = many->few.limits(NULL, day, means, thresholds, few_flags, err);
    for (size_t cell = 0; cell < N_MANY; ++cell) {
        mean[cell] = means[cell % EVENT_MOST_CELLS];
        threshold[cell] = thresholds[cell % EVENT_MOST_CELLS];
        flags[cell] = few_flags[cell % EVENT_MOST_CELLS];
    }
    return rc;
}

/* The first cells come first each day, so theirs is known when the others' comes. */
static enum sst_status many_event(void *user, const struct sst_event *event, struct sst_error *err)
{
    struct many *many = user;
    const size_t first = event->cell % EVENT_MOST_CELLS;
    const int n = many->n_of_cell[event->cell]++;
    (void)err;
    if (event->cell == first && n < MOST_OF_ONE)
        many->of_first[first][n] = *event;
    const struct sst_event *same = &many->of_first[first][n];
    many->n_other += same->first != event->first || same->last != event->last || same->severity != event->severity ||
                     memcmp(&same->from_mean, &event->from_mean, sizeof same->from_mean) != 0;
    return SST_OK;
}

START_TEST(threads_that_share_many_cells_give_each_its_events)
{
    static struct many many;
    static uint64_t canonical[N_MANY];
    static float sst[N_MANY];
    static uint8_t ice[N_MANY];
    struct sst_event_ring_spec spec = event_spec(&rules[2], EVENT_MOST_CELLS, 9, NULL);
    event_series_make(&series, EVENT_MOST_CELLS, N_MANY_DAYS, SEED + 2);
    many = (struct many){.few = spec.links};
    for (size_t cell = 0; cell < N_MANY; ++cell)
        canonical[cell] = cell;
    spec.n_cells = N_MANY;
    spec.canonical_cells = canonical;
    spec.links = (struct sst_event_links){.user = &many, .limits = many_limits, .event = many_event};
    struct sst_event_ring *ring = event_ring_new(&spec);
    for (int day = 0; day < N_MANY_DAYS; ++day) {
        if (series.is_absent[day])
            continue;
        for (size_t cell = 0; cell < N_MANY; ++cell) {
            sst[cell] = series.sst[day][cell % EVENT_MOST_CELLS];
            ice[cell] = series.ice[day][cell % EVENT_MOST_CELLS];
        }
        (void)event_put(ring, day, sst, ice, false);
    }
    event_finish(&ring);
    int n_all = 0;
    for (size_t cell = 0; cell < N_MANY; ++cell) {
        if (many.n_of_cell[cell] != many.n_of_cell[cell % EVENT_MOST_CELLS])
            ck_abort_msg("cell %zu", cell);
        n_all += many.n_of_cell[cell];
    }
    ck_assert_int_gt(n_all, N_MANY);
    ck_assert_int_eq(many.n_other, 0);
}
END_TEST

/* The check sees a fault: a final field that is not the last word. */
START_TEST(another_value_is_noticed)
{
    event_series_make(&series, N_CELLS, N_DAYS, SEED);
    event_batch(&series, &rules[0], N_RING, &batch);
    const struct sst_event *event = &batch.events[batch.n_events / 2];
    const int day = event->peak - event_day_number(0);
    series.sst[day][event->cell] += 0.01F;
    event_batch(&series, &rules[0], N_RING, &got);
    ck_assert(!event_same(&batch, &got));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("event_stream");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, every_split_point_gives_the_events_of_the_whole, 0, N_RULES);
    tcase_add_loop_test(tc, any_order_within_the_ring_gives_the_events_of_days_in_order, 0, N_RULES);
    tcase_add_test(tc, threads_that_share_many_cells_give_each_its_events);
    tcase_add_test(tc, another_value_is_noticed);
    suite_add_tcase(suite, tc);
    return suite;
}
