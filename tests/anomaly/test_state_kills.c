/*
 * Processes that are gone in front of any call of the system, that write at the same time, that stand still with the lock: on
 * real files.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state/day_log.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

enum { EXIT_LOCKED = 8, EXIT_FAILED = 9 };

static struct state_fixture fixture;
static void *memory;
static volatile int *shared; /* in it: acknowledged, by whichever child */

static void open_fixture(void)
{
    state_fixture_open(&fixture);
    memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    shared = memory;
}

static void close_fixture(void)
{
    state_fixture_clear(&fixture);
    ck_assert_int_eq(munmap(memory, sizeof *shared), 0);
}

/* The system but for fsync, which is counted and not done: a process that dies takes nothing of what it wrote with it. */
static const struct sst_os *unsynced(void)
{
    static struct fake_faults faults;
    if (!faults.inner) {
        fake_faults_start(&faults, NULL);
        faults.omissions = FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC;
    }
    return &faults.table;
}

/* A path that is not there. */
static const char *fresh_path(void)
{
    static int n;
    return test_path("%s/state-%d", test_scratch_dir(), n++);
}

static pid_t fork_child(void)
{
    (void)fflush(NULL);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    return child;
}

static int wait_for(pid_t child)
{
    int status = 0;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* --- gone in front of a call -------------------------------------------------------------------------------------- */

/* A run that is gone in front of call `at`; its exit code. */
static int run_and_die(const char *path, long at)
{
    const pid_t child = fork_child();
    if (child == 0) {
        static struct fake_faults faults;
        struct sst_error err = {0};
        fake_faults_start(&faults, NULL);
        faults.at = at;
        faults.fault = FAKE_EXIT;
        faults.omissions = FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC;
        _exit(state_run(&faults.table, path, &fixture, shared, &err) == SST_OK ? 0 : EXIT_FAILED);
    }
    return wait_for(child);
}

START_TEST(a_process_that_dies_at_any_call_loses_no_day)
{
    const long step = crash_size((struct crash_sizes){3, 1, 1, 1});
    char why[SST_ERROR_TEXT_SIZE];
    long n_kills = 0;
    for (long at = 1;; at += step) {
        const char *path = fresh_path();
        *shared = 0;
        const int code = run_and_die(path, at);
        ck_assert_msg(code == 0 || code == FAKE_EXIT_CODE, "call %ld: exit code %d", at, code);
        const enum state_outcome outcome = state_judge_and_finish(unsynced(), path, &fixture, *shared, why);
        ck_assert_msg(outcome == STATE_SOUND, "call %ld: %s: %s", at, state_outcome_text(outcome), why);
        if (code == 0)
            break;
        ++n_kills;
    }
    crash_count("T2", "%ld processes gone in front of a call of ingesting %d days", n_kills, STATE_N_DAYS);
    ck_assert_int_gt(n_kills, 100 / step);
}
END_TEST

/* Dies again and again, each time a call further into taking up what the one before left. */
START_TEST(a_process_that_dies_while_it_recovers_loses_no_day)
{
    const long gap = crash_size((struct crash_sizes){60, 35, 7, 1}),
               step = crash_size((struct crash_sizes){7, 1, 1, 1});
    char why[SST_ERROR_TEXT_SIZE];
    long n_kills = 0;
    for (long first = 3; first < 130; first += gap) {
        const char *path = fresh_path();
        int acknowledged = 0;
        *shared = 0;
        if (run_and_die(path, first) == 0)
            break;
        acknowledged = *shared;
        for (long at = 1;; at += step, ++n_kills) {
            const int code = run_and_die(path, at);
            acknowledged = *shared > acknowledged ? *shared : acknowledged;
            ck_assert_msg(code == 0 || code == FAKE_EXIT_CODE, "calls %ld, %ld: exit code %d", first, at, code);
            const enum state_outcome outcome = state_judge(unsynced(), path, &fixture, acknowledged, why);
            ck_assert_msg(outcome == STATE_SOUND, "calls %ld, %ld: %s: %s", first, at, state_outcome_text(outcome),
                          why);
            if (code == 0)
                break;
        }
        ck_assert_int_eq(*shared, 1 + STATE_N_DAYS);
    }
    crash_count("T2", "%ld processes gone while they took up ingest", n_kills);
    ck_assert_int_gt(n_kills, 20);
}
END_TEST

/* --- one writer --------------------------------------------------------------------------------------------------- */

static void make_state(const char *path)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_state_make(sst_os_system(), path, &fixture.policy, &err) == SST_OK, "%s", err.text);
}

static double seconds_now(void)
{
    struct timespec now;
    ck_assert_int_eq(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int signal_fds[2];

static void send_byte(void) { ck_assert_int_eq(write(signal_fds[1], "", 1), 1); }

static void take_byte(void)
{
    char byte;
    ck_assert_int_eq(read(signal_fds[0], &byte, 1), 1);
}

/* A child that opens to write, says so, and stays. */
static pid_t start_holder(const char *path)
{
    ck_assert_int_eq(pipe(signal_fds), 0);
    const pid_t child = fork_child();
    if (child == 0) {
        struct sst_state *state = NULL;
        bool was_there = false;
        if (sst_state_open(sst_os_system(), path, SST_STATE_WRITE, &state, NULL) != SST_OK)
            _exit(EXIT_FAILED);
        send_byte();
        (void)raise(SIGSTOP); /* longer than anybody waits */
        if (state_add_day(state, 0, &was_there, NULL) != SST_OK)
            _exit(EXIT_FAILED);
        send_byte();
        for (;;)
            (void)pause();
    }
    take_byte();
    return child;
}

static void expect_locked(const char *path)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    const double start = seconds_now();
    ck_assert_int_eq(sst_state_open(sst_os_system(), path, SST_STATE_WRITE, &state, &err), SST_ERR_LOCKED);
    ck_assert(seconds_now() - start < 1.0);
    ck_assert_str_eq(err.text, test_path("%s: another process writes into it. Wait for it to end, or stop it", path));
    ck_assert_ptr_null(state);
}

START_TEST(a_second_writer_is_told_at_once_and_the_lock_dies_with_its_process)
{
    const char *path = fresh_path();
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    int status = 0;
    bool was_there = false;
    make_state(path);
    const pid_t holder = start_holder(path);
    ck_assert_int_eq(waitpid(holder, &status, WUNTRACED), holder);
    ck_assert(WIFSTOPPED(status));
    expect_locked(path);
    ck_assert_int_eq(sst_state_open(sst_os_system(), path, SST_STATE_READ, &state, &err), SST_OK);
    sst_state_close(&state);
    ck_assert_int_eq(kill(holder, SIGCONT), 0);
    take_byte(); /* it went on, and committed */
    expect_locked(path);
    ck_assert_int_eq(kill(holder, SIGKILL), 0);
    ck_assert_int_eq(wait_for(holder), -SIGKILL);
    ck_assert_int_eq(sst_state_open(sst_os_system(), path, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_OK);
    ck_assert(was_there);
    expect_locked(path); /* by this very process */
    sst_state_close(&state);
    (void)close(signal_fds[0]);
    (void)close(signal_fds[1]);
}
END_TEST

/* Both open at once and stay until both have tried: 0 where it got in. */
static pid_t start_rival(const char *path, unsigned omissions, const int *gate, const int *tried)
{
    const pid_t child = fork_child();
    if (child == 0) {
        static struct fake_faults faults;
        struct sst_state *state = NULL;
        char byte;
        fake_faults_start(&faults, NULL);
        faults.omissions = omissions | FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC;
        (void)close(gate[1]);
        (void)!read(gate[0], &byte, 1);
        const enum sst_status rc = sst_state_open(&faults.table, path, SST_STATE_WRITE, &state, NULL);
        (void)close(tried[1]);
        (void)!read(tried[0], &byte, 1); /* ends when the other has tried too */
        _exit(rc == SST_OK ? 0 : rc == SST_ERR_LOCKED ? EXIT_LOCKED : EXIT_FAILED);
    }
    return child;
}

/* How many of two got in. */
static int race(const char *path, unsigned omissions)
{
    int gate[2], tried[2], n_in = 0;
    ck_assert_int_eq(pipe(gate), 0);
    ck_assert_int_eq(pipe(tried), 0);
    const pid_t rivals[2] = {start_rival(path, omissions, gate, tried), start_rival(path, omissions, gate, tried)};
    (void)close(gate[0]);
    (void)close(tried[0]);
    (void)close(tried[1]);
    (void)close(gate[1]); /* off they go */
    for (int i = 0; i < 2; ++i) {
        const int code = wait_for(rivals[i]);
        ck_assert_msg(code == 0 || code == EXIT_LOCKED, "exit code %d", code);
        n_in += code == 0;
    }
    return n_in;
}

START_TEST(of_two_writers_that_start_together_one_gets_in)
{
    const long n_starts = crash_size((struct crash_sizes){20, 200, 2000, 10000});
    const char *path = fresh_path();
    make_state(path);
    for (long i = 0; i < n_starts; ++i)
        ck_assert_int_eq(race(path, FAKE_OMIT_NOTHING), 1);
    crash_count("T8", "%ld starts of two writers, of whom one got in", n_starts);
}
END_TEST

START_TEST(without_the_lock_the_test_finds_two_writers)
{
    const char *path = fresh_path();
    make_state(path);
    ck_assert_int_eq(race(path, FAKE_OMIT_LOCK), 2);
    crash_count("T18", "two writers without the lock: found");
}
END_TEST

START_TEST(of_two_that_make_one_state_one_makes_it)
{
    const long n_starts = crash_size((struct crash_sizes){5, 50, 500, 2500});
    for (long i = 0; i < n_starts; ++i) {
        const char *path = fresh_path();
        char why[SST_ERROR_TEXT_SIZE];
        pid_t makers[2];
        int n_made = 0;
        for (int k = 0; k < 2; ++k) {
            makers[k] = fork_child();
            if (makers[k] == 0) {
                const enum sst_status rc = sst_state_make(unsynced(), path, &fixture.policy, NULL);
                _exit(rc == SST_OK ? 0 : rc == SST_ERR_LOCKED || rc == SST_ERR_OUTPUT ? EXIT_LOCKED : EXIT_FAILED);
            }
        }
        for (int k = 0; k < 2; ++k) {
            const int code = wait_for(makers[k]);
            ck_assert(code == 0 || code == EXIT_LOCKED);
            n_made += code == 0;
        }
        ck_assert_int_eq(n_made, 1);
        const enum state_outcome outcome = state_judge_and_finish(unsynced(), path, &fixture, 1, why);
        ck_assert_msg(outcome == STATE_SOUND, "%s: %s", state_outcome_text(outcome), why);
    }
}
END_TEST

/* --- readers ------------------------------------------------------------------------------------------------------ */

/* Logs a day that its slot counts, so that the digest stays. */
static enum sst_status log_counted(struct sst_state *state)
{
    int16_t codes[STATE_N_CELLS] = {0};
    uint8_t ice[STATE_N_CELLS] = {0};
    const struct sst_field field = {.n_cells = STATE_N_CELLS, .codes = codes, .hundredths = codes, .ice = ice};
    const struct sst_log_entry entry = {.at = {.day = state_day(0), .digest = 1}, .source = "c.nc", .field = &field};
    return sst_state_log(state, &entry, 1, NULL);
}

/* Takes the last day away, adds to the log, and adds the day, over and over. */
static void write_for_ever(const char *path)
{
    struct sst_state *state = NULL;
    bool was_there = false;
    if (sst_state_open(unsynced(), path, SST_STATE_WRITE, &state, NULL) != SST_OK)
        _exit(EXIT_FAILED);
    while (state_remove_day(state, STATE_N_DAYS - 1, NULL) == SST_OK && log_counted(state) == SST_OK &&
           state_add_day(state, STATE_N_DAYS - 1, &was_there, NULL) == SST_OK)
        ;
    _exit(EXIT_FAILED);
}

/* What readers found: the last day, no last day, a log with what the writer adds to it. */
struct found {
    long n_with, n_without, n_longer;
};

static bool has_all(const struct found *found)
{
    return found->n_with > 0 && found->n_without > 0 && found->n_longer > 0;
}

/* A read, as a process of its own would: all of it is looked at. */
static void read_once(const char *path, struct found *found)
{
    struct sst_state *state = NULL;
    struct sst_identity digest;
    struct sst_error err = {0};
    ck_assert_msg(sst_state_open(unsynced(), path, SST_STATE_READ, &state, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_digest(state, &digest, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_verify(state, NULL, NULL, &err) == SST_OK, "%s", err.text);
    found->n_longer += sst_state_n_logged(state) == 2; /* with the day that the writer logs */
    sst_state_close(&state);
    const bool with = sst_identity_is(digest, fixture.digests[STATE_N_DAYS]);
    ck_assert(with || sst_identity_is(digest, fixture.digests[STATE_N_DAYS - 1]));
    found->n_with += with;
    found->n_without += !with;
}

/* Beside a writer of its own: the log grows all the while, and each read reads it. */
static void read_beside_a_writer(long n_reads, struct found *found)
{
    const char *path = fresh_path();
    struct sst_error err = {0};
    ck_assert_int_eq(state_run(unsynced(), path, &fixture, shared, &err), SST_OK);
    const pid_t writer = fork_child();
    if (writer == 0)
        write_for_ever(path);
    for (long i = 0; i < n_reads; ++i)
        read_once(path, found);
    ck_assert_int_eq(kill(writer, SIGKILL), 0);
    ck_assert_int_eq(wait_for(writer), -SIGKILL);
}

START_TEST(readers_beside_a_writer_see_whole_days)
{
    enum { N_AT_ONCE = 50, MOST_ROUNDS = 20 };
    const long n_reads = crash_size((struct crash_sizes){50, 300, 5000, 50000});
    struct found found = {0, 0, 0};
    for (long n = 0; n < n_reads || (!has_all(&found) && n < MOST_ROUNDS * n_reads); n += N_AT_ONCE)
        read_beside_a_writer(N_AT_ONCE, &found);
    ck_assert(has_all(&found));
    crash_count("T8",
                "%ld reads beside a writer, each of whole days: %ld with its last, %ld without, %ld of a longer log",
                found.n_with + found.n_without, found.n_with, found.n_without, found.n_longer);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_kills");
    TCase *tcase = tcase_create("kills");
    tcase_add_unchecked_fixture(tcase, open_fixture, close_fixture);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, a_process_that_dies_at_any_call_loses_no_day);
    tcase_add_test(tcase, a_process_that_dies_while_it_recovers_loses_no_day);
    tcase_add_test(tcase, a_second_writer_is_told_at_once_and_the_lock_dies_with_its_process);
    tcase_add_test(tcase, of_two_writers_that_start_together_one_gets_in);
    tcase_add_test(tcase, without_the_lock_the_test_finds_two_writers);
    tcase_add_test(tcase, of_two_that_make_one_state_one_makes_it);
    tcase_add_test(tcase, readers_beside_a_writer_see_whole_days);
    suite_add_tcase(suite, tcase);
    return suite;
}
