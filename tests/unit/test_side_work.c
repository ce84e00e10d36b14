/*
 * Work begun in order by one thread and finished by several: each item once, none that was not begun.
 *
 * ctest-labels: threads
 */
#include <pthread.h>
#include <string.h>

#include "state/side_work.h"
#include "test_main.h"

enum { N = 1000, MOST = SST_SIDE_MOST_THREADS };

struct tally {
    pthread_t caller;
    size_t n_begun; /* of the caller's thread alone */
    size_t stops_at;
    bool is_foreign, is_numbered_wrong;
    int n_finished[N]; /* each of one thread */
    int n_at_work[MOST]; /* by the number of the thread: 0 or 1 */
};

static bool begin(void *user, size_t item)
{
    struct tally *tally = user;
    tally->is_foreign |= !pthread_equal(pthread_self(), tally->caller) || item != tally->n_begun;
    if (item == tally->stops_at)
        return false;
    ++tally->n_begun;
    return true;
}

/* Two threads of one number would be seen here sooner or later, and by the thread sanitizer at once. */
static void finish(void *user, size_t item, int thread)
{
    struct tally *tally = user;
    if (thread < 0 || thread >= MOST || ++tally->n_at_work[thread] != 1)
        tally->is_numbered_wrong = true;
    ++tally->n_finished[item];
    --tally->n_at_work[thread];
}

static void check(int n_threads, size_t n, size_t stops_at, bool begins)
{
    static struct tally tally;
    memset(&tally, 0, sizeof tally);
    tally.caller = pthread_self();
    tally.stops_at = stops_at;
    const struct sst_side_work work = {n, begins ? begin : NULL, finish, &tally};
    sst_side_work_do(&work, n_threads);
    const size_t n_wanted = begins && stops_at < n ? stops_at : n;
    ck_assert_uint_eq(tally.n_begun, begins ? n_wanted : 0);
    ck_assert(!tally.is_foreign && !tally.is_numbered_wrong);
    for (size_t item = 0; item < N; ++item)
        ck_assert_int_eq(tally.n_finished[item], item < n_wanted);
}

START_TEST(each_item_is_finished_once)
{
    for (int n_threads = 0; n_threads <= MOST + 1; ++n_threads)
        for (int begins = 0; begins <= 1; ++begins) {
            check(n_threads, N, N, begins);
            check(n_threads, 1, N, begins);
            check(n_threads, 0, N, begins);
        }
}
END_TEST

START_TEST(nothing_is_finished_that_was_not_begun)
{
    for (int n_threads = 1; n_threads <= MOST; ++n_threads) {
        check(n_threads, N, 0, true);
        check(n_threads, N, 1, true);
        check(n_threads, N, N / 2, true);
    }
}
END_TEST

/* Alone, an item is finished before the next one begins: memory and calls are then those of one thread, in one order. */
static bool begin_alone(void *user, size_t item)
{
    ck_assert_uint_eq(*(size_t *)user, item);
    return true;
}

static void finish_alone(void *user, size_t item, int thread)
{
    ck_assert_int_eq(thread, 0);
    *(size_t *)user = item + 1;
}

START_TEST(one_thread_takes_turns)
{
    size_t next = 0;
    const struct sst_side_work work = {N, begin_alone, finish_alone, &next};
    sst_side_work_do(&work, 1);
    ck_assert_uint_eq(next, N);
    ck_assert_int_ge(sst_side_threads(), 1);
    ck_assert_int_le(sst_side_threads(), MOST);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("side_work");
    TCase *all = tcase_create("all");
    tcase_add_test(all, each_item_is_finished_once);
    tcase_add_test(all, nothing_is_finished_that_was_not_begun);
    tcase_add_test(all, one_thread_takes_turns);
    suite_add_tcase(suite, all);
    return suite;
}
