/*
 * stream/crew: readers, launcher and program that die, hang or bloat.
 * ctest-labels: threads
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/timings.h"
#include "crew_fixture.h"
#include "random.h"
#include "test_main.h"

#if defined(__SANITIZE_ADDRESS__)
enum { IS_SANITIZED = true };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif
#else
enum { IS_SANITIZED = false };
#endif

/* The result with a tag; others must be additions that are right. */
static void expect_one_bad(struct sst_crew *crew, int n_tasks, uint64_t bad_tag, struct sst_crew_result *bad)
{
    struct sst_crew_result result;
    bool is_found = false;
    for (int i = 0; i < n_tasks; ++i) {
        fake_next(crew, &result);
        sst_crew_release(crew, result.slot);
        if (result.tag == bad_tag) {
            ck_assert(!is_found);
            is_found = true;
            *bad = result;
            continue;
        }
        ck_assert_msg(result.fate == SST_CREW_DONE && result.status == SST_OK, "%s", result.error.text);
        ck_assert_int_eq(result.n_deaths, 0);
        ck_assert_int_eq(fake_sum(&result), (int64_t)result.tag + 100);
    }
    ck_assert(is_found);
}

static void give_around(struct sst_crew *crew, int n_tasks, int bad_task, enum fake_kind kind)
{
    for (int i = 0; i < n_tasks; ++i)
        fake_give(crew, (uint64_t)i, 0, (struct fake_request){i == bad_task ? kind : FAKE_ADD, i, 100, 0});
}

START_TEST(a_task_whose_reader_dies_is_done_again)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 6);
    struct sst_crew_result result;
    for (int is_short = 0; is_short < 2; ++is_short) {
        options.is_short = is_short != 0;
        fake_start(crew, &options);
        give_around(crew, 6, 2, FAKE_CRASH_ONCE);
        expect_one_bad(crew, 6, 2, &result);
        ck_assert_int_eq(result.fate, SST_CREW_DONE);
        ck_assert_int_eq(result.status, SST_OK);
        ck_assert_int_eq(result.n_deaths, 1);
        fake_work(crew, 50, 0, NULL);
    }
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(the_second_death_is_told_with_its_cause)
{
    static const struct {
        enum fake_kind kind;
        const char *text;
    } deaths[] = {
        {FAKE_CRASH, "its reader was killed by signal 11 (Segmentation fault), twice"},
        {FAKE_ABORT, "its reader was killed by signal 6 (Aborted), twice"},
        {FAKE_EXIT, "its reader ended with code 3, twice"},
        {FAKE_KILL, "its reader was killed by signal 9 (by the system for want of memory, or by hand), twice"},
        {FAKE_TALK_NONSENSE, "its reader sent a reply that makes no sense, twice"},
    };
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 5);
    struct sst_crew_result result;
    for (size_t i = 0; i < 2 * sizeof deaths / sizeof *deaths; ++i) {
        options.is_short = i % 2 != 0;
        fake_start(crew, &options);
        give_around(crew, 5, (int)i % 3, deaths[i / 2].kind);
        expect_one_bad(crew, 5, i % 3, &result);
        ck_assert_int_eq(result.fate, SST_CREW_DIED);
        ck_assert_int_eq(result.status, SST_ERR_INPUT);
        ck_assert_int_eq(result.n_deaths, 2);
        ck_assert_str_eq(result.error.text, deaths[i / 2].text);
        ck_assert_uint_eq(sst_crew_n_free(crew), 5);
        fake_work(crew, 20, 0, NULL);
    }
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_reader_that_dies_at_its_start_costs_tasks_not_the_run)
{
    const uint8_t setup = FAKE_OPEN_CRASHES;
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 4);
    struct sst_crew_result result;
    options.setup = &setup;
    options.setup_bytes = 1;
    fake_start(crew, &options);
    for (int i = 0; i < 4; ++i)
        fake_give(crew, (uint64_t)i, SST_CREW_ANY_READER, (struct fake_request){.kind = FAKE_ADD});
    for (int i = 0; i < 4; ++i) {
        fake_next(crew, &result);
        ck_assert_int_eq(result.fate, SST_CREW_DIED);
        ck_assert_ptr_nonnull(strstr(result.error.text, "signal 11"));
    }
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_reader_that_hangs_is_stopped_and_the_run_goes_on)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 8);
    struct sst_crew_result result;
    options.task_seconds = 0.3;
    for (int is_short = 0; is_short < 2; ++is_short) {
        options.is_short = is_short != 0;
        fake_start(crew, &options);
        give_around(crew, 8, 3, FAKE_HANG);
        const double start = sst_timings_now();
        expect_one_bad(crew, 8, 3, &result);
        ck_assert_double_ge(sst_timings_now() - start, 0.29);
        ck_assert_double_lt(sst_timings_now() - start, 10.0);
        ck_assert_int_eq(result.fate, SST_CREW_TIMED_OUT);
        ck_assert_int_eq(result.status, SST_ERR_INPUT);
        ck_assert_int_eq(result.n_deaths, 1);
        ck_assert_str_eq(result.error.text, "its reader was not done after 0.3 s, and was stopped");
        fake_work(crew, 20, 0, NULL);
    }
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(a_reader_that_hangs_is_stopped_while_others_keep_the_program_busy)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(2, 2);
    struct sst_crew_result result;
    options.task_seconds = 0.5;
    fake_start(crew, &options);
    fake_give(crew, 0, 0, (struct fake_request){.kind = FAKE_HANG});
    const double start = sst_timings_now();
    do {
        fake_give(crew, 1, 1, (struct fake_request){FAKE_ADD, 1, 1, 1});
        fake_next(crew, &result);
        sst_crew_release(crew, result.slot);
        ck_assert_double_lt(sst_timings_now() - start, 10.0);
    } while (result.tag == 1);
    ck_assert_int_eq(result.fate, SST_CREW_TIMED_OUT);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(time_in_which_the_program_stood_still_is_not_the_readers)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(1, 2);
    struct sst_crew_result result;
    options.task_seconds = 0.6;
    fake_start(crew, &options);
    fake_give(crew, 0, 0, (struct fake_request){FAKE_ADD, 1, 1, 50});
    fake_sleep(1.0);
    fake_next(crew, &result);
    ck_assert_int_eq(result.fate, SST_CREW_DONE);
    fake_give(crew, 1, 0, (struct fake_request){FAKE_ADD, 1, 1, 700}); /* stopped with the program, so to speak */
    fake_sleep(0.65);
    fake_next(crew, &result);
    ck_assert_int_eq(result.fate, SST_CREW_DONE);
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(memory_has_a_limit)
{
    struct sst_crew *crew = fake_launch();
    struct sst_crew_options options = fake_options(1, 1);
    struct sst_crew_result result;
    for (int i = 0; i < 2 && !IS_SANITIZED; ++i) {
        options.memory_bytes = i == 0 ? (uint64_t)256 << 20 : (uint64_t)2 << 30;
        fake_start(crew, &options);
        fake_give(crew, 0, 0, (struct fake_request){.kind = FAKE_ALLOCATE});
        fake_next(crew, &result);
        ck_assert_int_eq(result.fate, SST_CREW_DONE);
        ck_assert_int_eq(result.status, i == 0 ? SST_ERR_NOMEM : SST_OK);
        sst_crew_release(crew, result.slot);
    }
    sst_crew_destroy(&crew);
}
END_TEST

static struct test_random kills;
static int n_killed;

/* Kills a reader whose first two tasks are behind it, so that no task meets two deaths. */
static void kill_one(struct sst_crew *crew, int n_done)
{
    int pids[8];
    const int n = sst_crew_pids(crew, pids, 8);
    if (n_done % 15 != 0 || n == 0)
        return;
    const int pid = pids[test_random_below(&kills, n)];
    if (atomic_load(&fake_board->n_served[pid % FAKE_N_PIDS]) < 2)
        return;
    atomic_store(&fake_board->n_served[pid % FAKE_N_PIDS], 0);
    n_killed += kill(pid, SIGKILL) == 0;
}

START_TEST(readers_killed_at_random_lose_nothing)
{
    struct sst_crew *crew = fake_launch();
    kills.state = 2026;
    for (int n_readers = 5; n_killed < 100; n_readers = n_readers == 5 ? 2 : 5) {
        const struct sst_crew_options options = fake_options(n_readers, 12);
        fake_start(crew, &options);
        fake_work(crew, 2000, 1, kill_one);
    }
    sst_crew_destroy(&crew);
}
END_TEST

START_TEST(signals_to_all_are_the_programs_to_decide_on)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGPIPE};
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(1, 1);
    struct sst_crew_result result;
    struct fake_reply first = {0};
    fake_start(crew, &options);
    for (int i = 0; i < 2; ++i) {
        fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_ADD});
        fake_next(crew, &result);
        sst_crew_release(crew, result.slot);
        const struct fake_reply reply = fake_reply(&result);
        ck_assert_int_eq(reply.n_served, i + 1);
        ck_assert(i == 0 || (reply.pid == first.pid && reply.parent == first.parent));
        first = reply;
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) {
            (void)kill(reply.pid, numbers[k]);
            (void)kill(reply.parent, numbers[k]);
        }
    }
    sst_crew_destroy(&crew);
}
END_TEST

/* A program with a reader at work for ever; tells its processes. */
static _Noreturn void be_a_program(int to_test)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(2, 4);
    struct sst_crew_result result;
    int pids[3];
    fake_start(crew, &options);
    fake_give(crew, 0, 0, (struct fake_request){.kind = FAKE_ADD});
    fake_next(crew, &result);
    fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_HANG});
    fake_give(crew, 2, 0, (struct fake_request){.kind = FAKE_HANG});
    pids[2] = fake_reply(&result).parent;
    if (sst_crew_pids(crew, pids, 2) == 2)
        (void)!write(to_test, pids, sizeof pids);
    for (;;)
        (void)pause();
}

START_TEST(a_program_that_is_killed_leaves_nobody)
{
    int from_program[2], pids[3];
    ck_assert_int_eq(pipe(from_program), 0);
    const pid_t program = fork();
    ck_assert_int_ne(program, -1);
    if (program == 0)
        be_a_program(from_program[1]);
    (void)close(from_program[1]);
    ck_assert_int_eq(read(from_program[0], pids, sizeof pids), sizeof pids);
    for (int i = 0; i < 3; ++i)
        ck_assert(fake_is_alive(pids[i]));
    ck_assert_int_eq(kill(program, SIGKILL), 0);
    ck_assert_int_eq(waitpid(program, NULL, 0), program);
    const double start = sst_timings_now();
    for (int i = 0; i < 3; ++i)
        ck_assert(fake_is_gone_within(pids[i], 1.0 + start - sst_timings_now()));
    (void)close(from_program[0]);
}
END_TEST

START_TEST(a_launcher_that_is_killed_is_an_error)
{
    for (int is_short = 0; is_short < 2; ++is_short) {
        struct sst_crew *crew = fake_launch();
        struct sst_crew_options options = fake_options(2, 4);
        struct sst_crew_result result;
        struct sst_error err = {SST_OK, ""};
        int pids[2];
        options.is_short = is_short != 0;
        fake_start(crew, &options);
        fake_give(crew, 0, 0, (struct fake_request){.kind = FAKE_ADD});
        fake_next(crew, &result);
        fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_HANG});
        const int n = sst_crew_pids(crew, pids, 2);
        ck_assert_int_eq(kill(fake_reply(&result).parent, SIGKILL), 0);
        const double start = sst_timings_now();
        ck_assert_int_eq(sst_crew_next(crew, &result, NULL, NULL, &err), SST_ERR_INTERNAL);
        ck_assert_double_lt(sst_timings_now() - start, 5.0);
        ck_assert_str_eq(err.text, "the process that starts the readers was killed from outside. Run it again");
        sst_error_clear(&err);
        ck_assert_int_eq(sst_crew_start(crew, &options, &err), SST_ERR_INTERNAL);
        sst_crew_destroy(&crew);
        for (int i = 0; i < n; ++i)
            ck_assert(fake_is_gone_within(pids[i], 1.0));
    }
}
END_TEST

static double cancel_at;
static int n_asked;

static bool is_cancelled(void *user)
{
    ++n_asked;
    ck_assert_ptr_eq(user, &n_asked);
    return sst_timings_now() >= cancel_at;
}

START_TEST(a_cancelled_wait_ends_soon)
{
    struct sst_crew *crew = fake_launch();
    const struct sst_crew_options options = fake_options(1, 2);
    struct sst_crew_result result;
    struct sst_error err = {SST_OK, ""};
    fake_start(crew, &options);
    fake_give(crew, 1, 0, (struct fake_request){.kind = FAKE_HANG});
    n_asked = 0;
    cancel_at = sst_timings_now() + 1.5;
    ck_assert_int_eq(sst_crew_next(crew, &result, is_cancelled, &n_asked, &err), SST_ERR_INTERRUPTED);
    ck_assert_double_lt(sst_timings_now() - cancel_at, 1.0);
    ck_assert_int_ge(n_asked, 4);
    ck_assert_int_lt(n_asked, 100);
    ck_assert_uint_eq(sst_crew_n_in_hand(crew), 1);
    const double start = sst_timings_now();
    sst_crew_destroy(&crew);
    ck_assert_double_lt(sst_timings_now() - start, 0.9);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("crew_deaths");
    TCase *tests = tcase_create("deaths");
    tcase_set_timeout(tests, 300);
    tcase_add_test(tests, a_task_whose_reader_dies_is_done_again);
    tcase_add_test(tests, the_second_death_is_told_with_its_cause);
    tcase_add_test(tests, a_reader_that_dies_at_its_start_costs_tasks_not_the_run);
    tcase_add_test(tests, a_reader_that_hangs_is_stopped_and_the_run_goes_on);
    tcase_add_test(tests, a_reader_that_hangs_is_stopped_while_others_keep_the_program_busy);
    tcase_add_test(tests, time_in_which_the_program_stood_still_is_not_the_readers);
    tcase_add_test(tests, memory_has_a_limit);
    tcase_add_test(tests, readers_killed_at_random_lose_nothing);
    tcase_add_test(tests, signals_to_all_are_the_programs_to_decide_on);
    tcase_add_test(tests, a_program_that_is_killed_leaves_nobody);
    tcase_add_test(tests, a_launcher_that_is_killed_is_an_error);
    tcase_add_test(tests, a_cancelled_wait_ends_soon);
    suite_add_tcase(suite, tests);
    return suite;
}
