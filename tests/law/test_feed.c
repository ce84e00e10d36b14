/*
 * Laws of a feed: whatever order days come in and wherever it is stopped, it ends in the files of the days in order and once.
 *
 * ctest-labels: threads
 */
#include <stdlib.h>
#include <string.h>

#include "feed_days.h"
#include "random.h"
#include "test_main.h"

enum { N_DAYS = 60 };

/* A file that comes. */
struct arrival {
    int time, index;
    bool is_preliminary;
};

static struct feed_days batch; /* the answer that all others have to come to */

/* Days in order, once, final, told as each comes. */
static void make_batch(struct feed_days *days, int n_days)
{
    struct sst_feed *feed = NULL;
    feed_days_open(days);
    feed = feed_days_feed(days, SST_FEED_GO_ON);
    for (int i = 0; i < n_days; ++i) {
        feed_days_put(feed, i, false, SST_OK);
        feed_days_publish(feed);
    }
    sst_feed_close(&feed);
}

static void setup(void) { make_batch(&batch, N_DAYS); }
static void teardown(void) { feed_days_close(&batch); }

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    return y->is_preliminary - x->is_preliminary;
}

/* Each day final, late by less than the ring; some of them first preliminary, some twice. Every day comes before the ring's end. */
static size_t make_arrivals(uint64_t seed, struct arrival *arrivals)
{
    struct test_random random = {seed};
    size_t n = 0;
    for (int i = 0; i < N_DAYS; ++i) {
        const int late = i == 0 ? 0 : test_random_below(&random, FEED_DAYS_RING);
        arrivals[n++] = (struct arrival){i + late, i, false};
        if (test_random_below(&random, 2) == 0)
            arrivals[n++] = (struct arrival){i + test_random_below(&random, FEED_DAYS_RING), i, true};
        if (test_random_below(&random, 4) == 0)
            arrivals[n++] = (struct arrival){i + test_random_below(&random, FEED_DAYS_RING), i, false};
    }
    qsort(arrivals, n, sizeof *arrivals, compare_arrivals);
    return n;
}

START_TEST(test_any_order_ends_in_the_batch_answer)
{
    struct arrival arrivals[3 * N_DAYS];
    const size_t n = make_arrivals((uint64_t)_i + 100, arrivals);
    struct test_random random = {(uint64_t)_i};
    struct feed_days days;
    feed_days_open(&days);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    for (size_t i = 0; i < n; ++i) {
        feed_days_put(feed, arrivals[i].index, arrivals[i].is_preliminary, SST_OK);
        if (test_random_below(&random, 3) > 0)
            feed_days_publish(feed);
        if (test_random_below(&random, 20) == 0) { /* and it starts again now and then */
            feed_days_publish(feed);
            sst_feed_close(&feed);
            feed = feed_days_feed(&days, SST_FEED_GO_ON);
        }
    }
    feed_days_publish(feed);
    sst_feed_close(&feed);
    ck_assert(feed_days_same(&days.noted, &batch.noted));
    feed_days_close(&days);
}
END_TEST

/* A process that ends wherever; what is not there is put again, as after a look at the state. */
static void go_on_after(struct feed_days *days, int n_known)
{
    struct sst_feed *feed = feed_days_feed(days, SST_FEED_GO_ON);
    for (int i = 0; i < n_known; ++i) {
        const struct sst_feed_source source = feed_days_source(i, false);
        if (!sst_feed_has(feed, feed_days_day(i), &source))
            feed_days_put(feed, i, false, SST_OK);
    }
    feed_days_publish(feed);
    for (int i = n_known; i < N_DAYS; ++i) {
        feed_days_put(feed, i, false, SST_OK);
        feed_days_publish(feed);
    }
    sst_feed_close(&feed);
}

/* Stops in front of the n-th file or list; false where the run came to its end before. Of the newest days every other is preliminary yet. */
static bool run_until(struct feed_days *days, int n_days, size_t n_written)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_feed *feed = feed_days_feed(days, SST_FEED_GO_ON);
    bool is_stopped = false;
    days->noted.n_left = n_written;
    for (int i = 0; i < n_days && !is_stopped; ++i) {
        feed_days_put(feed, i, i % 2 == 1 && i + FEED_DAYS_RING > n_days, SST_OK);
        if (i % 3 == 2)
            is_stopped = sst_feed_publish(feed, (struct sst_day){0}, &err) != SST_OK;
    }
    days->noted.n_left = SIZE_MAX;
    sst_feed_close(&feed);
    return is_stopped;
}

START_TEST(test_a_stop_between_files)
{
    enum { N_UNTIL_STOP = 20 };
    for (size_t n = 0;; n += 3) {
        struct feed_days days;
        feed_days_open(&days);
        const bool is_stopped = run_until(&days, N_UNTIL_STOP, n);
        if (is_stopped)
            go_on_after(&days, N_UNTIL_STOP);
        ck_assert(!is_stopped || feed_days_same(&days.noted, &batch.noted));
        feed_days_close(&days);
        if (!is_stopped)
            break;
    }
}
END_TEST

/* The power fails after the n-th write, rename or sync of .engine/; the writer's own files are as they were told. */
static void power_fails(size_t n_entries, enum fake_cut how)
{
    enum { N_UNTIL_CUT = 14 };
    struct feed_days days;
    feed_days_open(&days);
    (void)run_until(&days, N_UNTIL_CUT, SIZE_MAX);
    struct fake_disk *after = fake_disk_after_cut(days.disk, n_entries, how, n_entries);
    fake_disk_free(days.disk);
    days.disk = after;
    fake_faults_start(&days.faults, days.disk);
    days.spec.os = &days.faults.table;
    /* Files were written by the checkpoint that is gone; a real disk may have lost them too, or not. */
    memset(days.noted.by_revision, 0, sizeof days.noted.by_revision);
    memset(days.noted.entries, 0, sizeof days.noted.entries);
    days.noted.n_entries = 0;
    go_on_after(&days, N_UNTIL_CUT);
    ck_assert(feed_days_same(&days.noted, &batch.noted));
    feed_days_close(&days);
}

/* Days leave the ring that nobody published, and the process ends: what the record says is in place is so. */
START_TEST(test_a_stop_after_days_that_left)
{
    for (int n = FEED_DAYS_RING; n < N_DAYS; ++n) {
        struct feed_days days;
        feed_days_open(&days);
        struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
        for (int i = 0; i < n; ++i)
            feed_days_put(feed, i, false, SST_OK);
        sst_feed_close(&feed);
        go_on_after(&days, n);
        ck_assert(feed_days_same(&days.noted, &batch.noted));
        feed_days_close(&days);
    }
}
END_TEST

START_TEST(test_a_power_cut_anywhere)
{
    struct feed_days days;
    feed_days_open(&days);
    (void)run_until(&days, 14, SIZE_MAX);
    const size_t n = fake_disk_n_entries(days.disk);
    feed_days_close(&days);
    ck_assert_uint_gt(n, 30);
    for (size_t entry = 1; entry <= n; entry += 2)
        power_fails(entry, (enum fake_cut)(entry / 2 % 6));
}
END_TEST

/* A full disk: what is there stays, and the next publication does what is left. */
START_TEST(test_a_full_disk_leaves_the_feed_whole)
{
    struct sst_error err = {SST_OK, ""};
    struct feed_days days;
    feed_days_open(&days);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    for (int i = 0; i < N_DAYS; ++i) {
        feed_days_put(feed, i, false, SST_OK);
        days.faults.has_room_limit = i % 4 == 1;
        days.faults.room = 100;
        const enum sst_status rc = sst_feed_publish(feed, (struct sst_day){0}, &err);
        ck_assert_int_eq(rc, i % 4 == 1 ? SST_ERR_OUTPUT : SST_OK);
        ck_assert(rc == SST_OK || strstr(err.text, "FEED"));
        days.faults.has_room_limit = false;
    }
    feed_days_publish(feed);
    sst_feed_close(&feed);
    ck_assert(feed_days_same(&days.noted, &batch.noted));
    feed_days_close(&days);
}
END_TEST

START_TEST(test_an_outage_is_processed_first_and_told_then)
{
    enum { N_BEFORE = 20, N_OUT = 16 };
    struct feed_days days;
    feed_days_open(&days);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    for (int i = 0; i < N_BEFORE; ++i) {
        feed_days_put(feed, i, false, SST_OK);
        feed_days_publish(feed);
    }
    const size_t before = days.noted.n_entries;
    ck_assert_uint_gt(before, 0);
    for (int i = N_BEFORE; i < N_BEFORE + N_OUT; ++i)
        feed_days_put(feed, i, false, SST_OK);
    feed_days_publish(feed);
    ck_assert_uint_gt(days.noted.n_entries, before); /* it does say something */
    for (size_t i = before; i < days.noted.n_entries; ++i) {
        const int64_t age = sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, feed_days_day(N_BEFORE + N_OUT - 1)) -
                            sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, days.noted.entries[i].day);
        ck_assert_int_le(age, 3);
    }
    ck_assert_uint_eq(days.noted.n_told, days.noted.n_entries);
    sst_feed_close(&feed);
    feed_days_close(&days);
}
END_TEST

START_TEST(test_entries_have_names_of_their_own_and_follow_each_other)
{
    const struct feed_noted *noted = &batch.noted;
    bool has_news[5] = {false};
    for (size_t i = 0; i < noted->n_entries; ++i) {
        const struct sst_feed_announcement *entry = &noted->entries[i];
        has_news[entry->news] = true;
        bool is_former_there = !entry->former[0];
        for (size_t k = 0; k < i; ++k) {
            ck_assert_str_ne(noted->entries[k].id, entry->id);
            is_former_there |= strcmp(noted->entries[k].id, entry->former) == 0;
        }
        ck_assert(is_former_there);
        ck_assert(entry->news == SST_FEED_NEWS_NEW || entry->former[0]);
    }
    ck_assert(has_news[SST_FEED_NEWS_NEW] && has_news[SST_FEED_NEWS_STRONGER] && has_news[SST_FEED_NEWS_ENDED]);
}
END_TEST

START_TEST(test_nothing_new_writes_nothing)
{
    struct feed_days days;
    feed_days_open(&days);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    for (int i = 0; i < 20; ++i)
        feed_days_put(feed, i, false, SST_OK);
    feed_days_publish(feed);
    const size_t n_puts = days.noted.n_puts, n_lists = days.noted.n_lists;
    const long n_calls = days.faults.n_calls;
    feed_days_publish(feed);
    ck_assert_int_eq(days.faults.n_calls, n_calls);
    feed_days_put(feed, 19, false, SST_OK);
    feed_days_publish(feed);
    ck_assert_uint_eq(days.noted.n_puts, n_puts);
    ck_assert_uint_eq(days.noted.n_lists, n_lists);
    feed_days_put(feed, 20, false, SST_OK);
    feed_days_publish(feed);
    ck_assert_uint_gt(days.noted.n_puts, n_puts);
    sst_feed_close(&feed);
    feed_days_close(&days);
}
END_TEST

START_TEST(test_days_that_are_no_longer_kept)
{
    struct feed_days days;
    feed_days_open(&days);
    days.spec.keep_days = 20;
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    for (int i = 0; i < N_DAYS; ++i) {
        feed_days_put(feed, i, false, SST_OK);
        feed_days_publish(feed);
    }
    ck_assert_int_eq(days.noted.n_kept, 20);
    for (int i = 0; i < N_DAYS; ++i) {
        ck_assert_int_eq(days.noted.days[i].is_there, i >= N_DAYS - 20);
        if (i >= N_DAYS - 20)
            ck_assert_uint_eq(days.noted.days[i].digest.low, batch.noted.days[i].digest.low);
    }
    ck_assert_uint_eq(days.noted.n_drops, N_DAYS - 20);
    sst_feed_close(&feed);
    feed_days_close(&days);
}
END_TEST

/* Made anew, the feed says the same; and revisions go on where what was published said something else. */
START_TEST(test_made_anew)
{
    struct feed_days days;
    make_batch(&days, 40);
    const struct feed_noted before = days.noted;
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_ANEW);
    sst_feed_publish_from(feed, feed_days_day(10));
    for (int i = 0; i < N_DAYS; ++i)
        feed_days_put(feed, i, false, SST_OK);
    feed_days_publish(feed);
    sst_feed_close(&feed);
    ck_assert(feed_days_same(&days.noted, &batch.noted));
    for (int i = 0; i < 30; ++i)
        ck_assert_int_eq(days.noted.days[i].revision, before.days[i].revision);
    ck_assert_int_eq(days.noted.days[39].revision, before.days[39].revision + 1);
    feed_days_close(&days);
}
END_TEST

/* --- refusals ----------------------------------------------------------------------------------------------------- */

static void refused(const struct sst_feed_spec *spec, enum sst_status rc, const char *text)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_feed *feed = NULL;
    ck_assert_int_eq(sst_feed_open(spec, SST_FEED_GO_ON, &feed, &err), rc);
    ck_assert_msg(strstr(err.text, text) != NULL, "%s", err.text);
    ck_assert_ptr_null(feed);
}

START_TEST(test_refusals)
{
    struct sst_error err = {SST_OK, ""};
    struct feed_days days;
    make_batch(&days, 30);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    feed_days_put(feed, 30 - FEED_DAYS_RING, false, SST_OK);
    const struct sst_feed_source source = feed_days_source(3, false);
    float sst[FEED_DAYS_CELLS] = {0};
    ck_assert_int_eq(sst_feed_take(feed, feed_days_day(29 - FEED_DAYS_RING), sst, NULL, &source, &err), SST_ERR_STATE);
    ck_assert(strstr(err.text, "FEED: 2025-12-09 is 10 days before 2025-12-19") && strstr(err.text, "feed rebuild"));
    refused(&days.spec, SST_ERR_LOCKED, "FEED: another program writes this feed");
    sst_feed_close(&feed);
    struct sst_feed_spec other = days.spec;
    other.limits_id = 2;
    refused(&other, SST_ERR_STATE, "another climatology");
    other = days.spec;
    other.keep_days = 3;
    refused(&other, SST_ERR_USAGE, "keeps 3 days");
    other.keep_days = other.ring_days = 0;
    refused(&other, SST_ERR_USAGE, "up to 0 days late");
    size_t n = 0;
    fake_disk_bytes(days.disk, "FEED/.engine/ring", &n)[n / 2] ^= 1;
    refused(&days.spec, SST_ERR_STATE, "feed rebuild");
    feed_days_close(&days);
}
END_TEST

START_TEST(test_absent_days_and_lateness)
{
    struct sst_error err = {SST_OK, ""};
    struct feed_days days;
    make_batch(&days, 30);
    struct sst_feed *feed = feed_days_feed(&days, SST_FEED_GO_ON);
    ck_assert_int_eq(sst_feed_advance(feed, feed_days_day(31), &err), SST_OK);
    ck_assert_int_eq(sst_feed_publish(feed, feed_days_day(31), &err), SST_OK);
    ck_assert(days.noted.is_late && days.noted.days[31].is_there);
    ck_assert_int_eq(days.noted.newest_listed, 29);
    for (int i = 30; i < N_DAYS; ++i)
        feed_days_put(feed, i, false, SST_OK);
    ck_assert_int_eq(sst_feed_publish(feed, feed_days_day(31), &err), SST_OK);
    ck_assert(!days.noted.is_late && feed_days_same(&days.noted, &batch.noted));
    sst_feed_close(&feed);
    feed_days_close(&days);
}
END_TEST

/* Two feeds of the same days by two climatologies do not know of each other. */
START_TEST(test_two_climatologies)
{
    struct feed_days a, b;
    feed_days_open(&a);
    feed_days_open(&b);
    b.spec.limits_id = 2;
    struct sst_feed *feeds[] = {feed_days_feed(&a, SST_FEED_GO_ON), feed_days_feed(&b, SST_FEED_GO_ON)};
    for (int i = 0; i < N_DAYS; ++i)
        for (int k = 0; k < 2; ++k) {
            feed_days_put(feeds[k], i, false, SST_OK);
            feed_days_publish(feeds[k]);
        }
    sst_feed_close(&feeds[0]);
    sst_feed_close(&feeds[1]);
    ck_assert(feed_days_same(&a.noted, &batch.noted) && feed_days_same(&b.noted, &batch.noted));
    feed_days_close(&a);
    feed_days_close(&b);
}
END_TEST

Suite *test_suite(void)
{
    enum { N_ORDERS = 12 };
    Suite *suite = suite_create("feed");
    TCase *tcase = tcase_create("feed");
    tcase_set_timeout(tcase, 600);
    tcase_add_unchecked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, test_any_order_ends_in_the_batch_answer, 0, N_ORDERS);
    tcase_add_test(tcase, test_a_stop_between_files);
    tcase_add_test(tcase, test_a_stop_after_days_that_left);
    tcase_add_test(tcase, test_a_power_cut_anywhere);
    tcase_add_test(tcase, test_a_full_disk_leaves_the_feed_whole);
    tcase_add_test(tcase, test_an_outage_is_processed_first_and_told_then);
    tcase_add_test(tcase, test_entries_have_names_of_their_own_and_follow_each_other);
    tcase_add_test(tcase, test_nothing_new_writes_nothing);
    tcase_add_test(tcase, test_days_that_are_no_longer_kept);
    tcase_add_test(tcase, test_made_anew);
    tcase_add_test(tcase, test_refusals);
    tcase_add_test(tcase, test_absent_days_and_lateness);
    tcase_add_test(tcase, test_two_climatologies);
    suite_add_tcase(suite, tcase);
    return suite;
}
