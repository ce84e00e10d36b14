/*
 * Every call of the system that fails: the state is what it was or what it was to become, and the run that is taken up again
 * ends as if nothing had been.
 */
#include <stdio.h>
#include <string.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state/day_log.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

static struct state_fixture fixture;
static long n_runs;

static void open_fixture(void) { state_fixture_open(&fixture); }
static void close_fixture(void) { state_fixture_clear(&fixture); }

/* A run on an empty disk with one fault; whether it was hit. */
static bool run_with(long at, enum fake_fault fault, bool is_sticky)
{
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_error err = {0};
    char why[SST_ERROR_TEXT_SIZE];
    int acknowledged = 0;
    fake_faults_start(&faults, disk);
    faults.at = at;
    faults.fault = fault;
    faults.is_sticky = is_sticky;
    const enum sst_status rc = state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err);
    const bool is_over = faults.n_calls<at, was_hit = faults.n_hit> 0;
    ck_assert_msg(rc != SST_OK || acknowledged == 1 + STATE_N_DAYS, "no failure told at call %ld", at);
    ck_assert_msg(was_hit || rc == SST_OK, "call %ld, fault %d: %s", at, (int)fault, err.text);
    ck_assert_msg(rc == SST_OK || strlen(err.text) > 10, "no message at call %ld", at);
    ck_assert_msg(!(fault == FAKE_SHORT_WRITE || fault == FAKE_SHORT_READ) || rc == SST_OK || is_sticky, "%s",
                  err.text);
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
    const enum state_outcome outcome =
        state_judge_and_finish(fake_disk_os(disk), STATE_PATH, &fixture, acknowledged, why);
    ck_assert_msg(outcome == STATE_SOUND, "call %ld, fault %d%s: %s: %s (the run: %s)", at, (int)fault,
                  is_sticky ? " from then on" : "", state_outcome_text(outcome), why, err.text);
    fake_disk_free(disk);
    n_runs += was_hit;
    return !is_over;
}

static const enum fake_fault faults_of_all[] = {FAKE_EIO,    FAKE_ENOSPC, FAKE_EDQUOT,      FAKE_EINTR,
                                                FAKE_EMFILE, FAKE_ENOLCK, FAKE_SHORT_WRITE, FAKE_SHORT_READ};

START_TEST(a_call_that_fails_once_costs_no_day)
{
    n_runs = 0;
    long at = 1;
    while (run_with(at, faults_of_all[_i], false))
        ++at;
    crash_count("T3", "%ld calls of ingest failed with fault %d once", n_runs, (int)faults_of_all[_i]);
    ck_assert_int_gt(at, 100);
    ck_assert_int_gt(n_runs, 0);
}
END_TEST

/* Nothing but an interruption can be told from one that lasts by trying again. */
START_TEST(calls_that_fail_from_then_on_cost_no_day)
{
    if (faults_of_all[_i] == FAKE_EINTR)
        return;
    n_runs = 0;
    for (long at = 1; run_with(at, faults_of_all[_i], true);)
        ++at;
    crash_count("T3", "%ld calls of ingest failed with fault %d from then on", n_runs, (int)faults_of_all[_i]);
    ck_assert_int_gt(n_runs, 0);
}
END_TEST

START_TEST(interrupted_reads_and_writes_are_gone_on_with)
{
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_error err = {0};
    long n_gone_on = 0;
    int acknowledged = 0;
    fake_faults_start(&faults, disk);
    ck_assert_int_eq(state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err), SST_OK);
    const long n_calls = faults.n_calls;
    fake_disk_free(disk);
    for (long at = 1; at <= n_calls; ++at) {
        disk = fake_disk_new();
        fake_faults_start(&faults, disk);
        faults.at = at;
        faults.fault = FAKE_EINTR;
        sst_error_clear(&err);
        n_gone_on += state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err) == SST_OK;
        fake_disk_free(disk);
    }
    ck_assert_int_gt(n_gone_on, n_calls / 2);
}
END_TEST

/* The n-th call of one commit over a slot's file; whether it was told. The day before is there already. */
static bool is_told_in_commit(long at, long *n_calls, struct sst_error *err)
{
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_state *state = NULL;
    struct sst_slot_state *slot = NULL;
    bool was_there = false;
    fake_faults_start(&faults, disk);
    sst_error_clear(err);
    ck_assert_int_eq(sst_state_make(&faults.table, STATE_PATH, &fixture.policy, err), SST_OK);
    ck_assert_int_eq(sst_state_open(&faults.table, STATE_PATH, SST_STATE_WRITE, &state, err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, err), SST_OK);
    ck_assert_int_eq(sst_state_load(state, 40, &slot, err), SST_OK);
    faults.n_calls = 0;
    faults.at = at;
    faults.fault = FAKE_EIO;
    const enum sst_status rc = sst_state_commit(state, slot, err);
    *n_calls = faults.n_calls;
    ck_assert(rc == SST_OK || rc == SST_ERR_OUTPUT);
    sst_slot_state_destroy(&slot);
    sst_state_close(&state);
    fake_disk_free(disk);
    return rc == SST_ERR_OUTPUT;
}

START_TEST(each_call_of_a_commit_is_named_where_it_fails)
{
    static const char *const calls[] = {"put beside it",           "written",
                                        "synchronised (fsync)",    "closed",
                                        "given its name (rename)", "the folder cannot be synchronised (fsync)"};
    struct sst_error err = {0};
    long n_calls = 0;
    ck_assert(!is_told_in_commit(0, &n_calls, &err));
    ck_assert_int_eq(n_calls, sizeof calls / sizeof calls[0]);
    for (long at = 1; at <= n_calls; ++at) {
        long n_with_clean_up = 0;
        ck_assert(is_told_in_commit(at, &n_with_clean_up, &err));
        ck_assert_msg(strstr(err.text, calls[at - 1]) != NULL, "call %ld: %s", at, err.text);
        ck_assert_ptr_nonnull(strstr(err.text, "Input/output error. "));
        ck_assert_ptr_eq(strstr(err.text, "STATE/slots"), err.text);
    }
}
END_TEST

/* --- fsync -------------------------------------------------------------------------------------------------------- */

/*
 * A failed fsync that loses what it was to write, and does well when it is asked again: the power is then cut, so that only
 * what is on the disk counts.
 */
START_TEST(a_failed_fsync_is_not_asked_again)
{
    long n_hit = 0;
    for (long at = 1;; ++at) {
        struct fake_disk *disk = fake_disk_new();
        struct fake_faults faults;
        struct sst_error err = {0};
        char why[SST_ERROR_TEXT_SIZE];
        int acknowledged = 0;
        fake_faults_start(&faults, disk);
        faults.at = at;
        faults.fault = FAKE_SYNC_LOSES;
        const enum sst_status rc = state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err);
        const bool is_over = faults.n_calls < at;
        ck_assert_msg((faults.n_hit > 0) == (rc == SST_ERR_OUTPUT), "call %ld: %s", at, err.text);
        ck_assert(rc == SST_OK || strstr(err.text, "fsync"));
        struct fake_disk *after = fake_disk_after_cut(disk, fake_disk_n_entries(disk), FAKE_CUT_SYNCED, 1);
        enum state_outcome outcome =
            state_judge_and_finish(fake_disk_os(after), STATE_PATH, &fixture, acknowledged, why);
        ck_assert_msg(outcome == STATE_SOUND, "call %ld: %s: %s", at, state_outcome_text(outcome), why);
        fake_disk_free(after);
        outcome = state_judge_and_finish(fake_disk_os(disk), STATE_PATH, &fixture, acknowledged, why);
        ck_assert_msg(outcome == STATE_SOUND, "call %ld: %s: %s", at, state_outcome_text(outcome), why);
        fake_disk_free(disk);
        n_hit += faults.n_hit;
        if (is_over)
            break;
    }
    crash_count("T4", "%ld fsyncs of ingest failed and lost what they were to write", n_hit);
    ck_assert_int_gt(n_hit, 15);
}
END_TEST

/* --- a full disk -------------------------------------------------------------------------------------------------- */

START_TEST(a_disk_of_any_size_keeps_what_was_acknowledged)
{
    const long n_rooms = crash_size((struct crash_sizes){10, 50, 200, 500});
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_error err = {0};
    int acknowledged = 0, n_full = 0;
    fake_faults_start(&faults, disk);
    ck_assert_int_eq(state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err), SST_OK);
    const int64_t need = -faults.room;
    fake_disk_free(disk);
    for (long i = 0; i <= n_rooms; ++i) {
        char why[SST_ERROR_TEXT_SIZE];
        disk = fake_disk_new();
        fake_faults_start(&faults, disk);
        faults.has_room_limit = true;
        faults.room = need * i / n_rooms;
        sst_error_clear(&err);
        const enum sst_status rc = state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err);
        ck_assert_int_eq(rc, i < n_rooms ? SST_ERR_OUTPUT : SST_OK);
        ck_assert(rc == SST_OK || strstr(err.text, "No space left on device. What was there stands as it was. Free"));
        const enum state_outcome outcome =
            state_judge_and_finish(fake_disk_os(disk), STATE_PATH, &fixture, acknowledged, why);
        ck_assert_msg(outcome == STATE_SOUND, "room %ld: %s: %s", i, state_outcome_text(outcome), why);
        n_full += rc != SST_OK;
        fake_disk_free(disk);
    }
    crash_count("T6", "%d sizes of a full disk in memory for ingest", n_full);
}
END_TEST

/* A disk that was full left half a record of the log; who does not cut it off appends behind it. */
START_TEST(without_truncation_the_test_finds_damage)
{
    long n_bad = 0;
    struct fake_faults faults;
    struct fake_faults mutant;
    struct sst_error err = {0};
    int acknowledged = 0;
    for (int64_t room = 0;; room += crash_size((struct crash_sizes){512, 64, 16, 8})) {
        char why[SST_ERROR_TEXT_SIZE];
        struct fake_disk *disk = fake_disk_new();
        fake_faults_start(&faults, disk);
        faults.has_room_limit = true;
        faults.room = room;
        sst_error_clear(&err);
        const enum sst_status rc = state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err);
        fake_faults_start(&mutant, disk);
        mutant.omissions = FAKE_OMIT_TRUNCATE;
        n_bad += state_judge_and_finish(&mutant.table, STATE_PATH, &fixture, acknowledged, why) != STATE_SOUND;
        fake_disk_free(disk);
        if (rc == SST_OK)
            break;
    }
    ck_assert_int_gt(n_bad, 0);
    crash_count("T18", "the tail of the log not cut off: found, %ld", n_bad);
}
END_TEST

/* The n-th call of logging a day; whether it was told. */
static bool is_told_in_log(long at, long *n_calls, struct sst_error *err)
{
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_state *state = NULL;
    bool was_there = false;
    fake_faults_start(&faults, disk);
    sst_error_clear(err);
    ck_assert_int_eq(sst_state_make(&faults.table, STATE_PATH, &fixture.policy, err), SST_OK);
    ck_assert_int_eq(sst_state_open(&faults.table, STATE_PATH, SST_STATE_WRITE, &state, err), SST_OK);
    faults.n_calls = 0;
    faults.at = at;
    faults.fault = FAKE_EIO;
    const enum sst_status rc = state_add_day(state, STATE_A_LOGGED_DAY, &was_there, err);
    *n_calls = faults.n_calls;
    ck_assert(rc == SST_OK || rc == SST_ERR_OUTPUT);
    ck_assert_uint_eq(sst_state_n_logged(state), rc == SST_OK);
    sst_state_close(&state);
    fake_disk_free(disk);
    return rc == SST_ERR_OUTPUT;
}

START_TEST(each_call_of_logging_is_named_where_it_fails)
{
    static const char *const calls[] = {"days: cannot be opened to write",
                                        "days: cannot be measured",
                                        "days: cannot be written",
                                        "days: cannot be written",
                                        "days: cannot be synchronised (fsync)",
                                        "days: cannot be closed",
                                        "days: cannot be given its place for good (fsync of the folder)",
                                        "contents: its new content cannot be put beside it"};
    struct sst_error err = {0};
    long n_calls = 0, n_with_clean_up = 0;
    ck_assert(!is_told_in_log(0, &n_calls, &err));
    ck_assert_int_eq(n_calls, sizeof calls / sizeof calls[0] + 5);
    for (long at = 1; at <= n_calls; ++at) {
        ck_assert(is_told_in_log(at, &n_with_clean_up, &err));
        if (at <= (long)(sizeof calls / sizeof calls[0]))
            ck_assert_msg(strstr(err.text, calls[at - 1]) != NULL, "call %ld: %s", at, err.text);
        ck_assert_ptr_nonnull(strstr(err.text, "Input/output error. "));
        ck_assert_ptr_eq(strstr(err.text, "STATE"), err.text);
    }
}
END_TEST

START_TEST(after_a_failure_the_state_takes_no_more_until_it_is_opened_again)
{
    struct fake_disk *disk = fake_disk_new();
    struct fake_faults faults;
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    bool was_there = false;
    fake_faults_start(&faults, disk);
    ck_assert_int_eq(sst_state_make(&faults.table, STATE_PATH, &fixture.policy, &err), SST_OK);
    ck_assert_int_eq(sst_state_open(&faults.table, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    faults.has_room_limit = true;
    faults.room = 0;
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(err.text, "STATE/slots/040: its new content cannot be written: No space left on device. What was "
                               "there stands as it was. Free some space and run again");
    faults.has_room_limit = false;
    sst_error_clear(&err);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(err.text, "STATE: takes no more days after a write that failed. Open it again");
    sst_state_close(&state);
    sst_error_clear(&err);
    ck_assert_int_eq(sst_state_open(&faults.table, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_OK);
    sst_state_close(&state);
    fake_disk_free(disk);
}
END_TEST

Suite *test_suite(void)
{
    const int n_faults = sizeof faults_of_all / sizeof faults_of_all[0];
    Suite *suite = suite_create("state_faults");
    TCase *tcase = tcase_create("faults");
    tcase_add_unchecked_fixture(tcase, open_fixture, close_fixture);
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, a_call_that_fails_once_costs_no_day, 0, n_faults);
    tcase_add_loop_test(tcase, calls_that_fail_from_then_on_cost_no_day, 0, n_faults);
    tcase_add_test(tcase, interrupted_reads_and_writes_are_gone_on_with);
    tcase_add_test(tcase, each_call_of_a_commit_is_named_where_it_fails);
    tcase_add_test(tcase, a_failed_fsync_is_not_asked_again);
    tcase_add_test(tcase, a_disk_of_any_size_keeps_what_was_acknowledged);
    tcase_add_test(tcase, without_truncation_the_test_finds_damage);
    tcase_add_test(tcase, each_call_of_logging_is_named_where_it_fails);
    tcase_add_test(tcase, after_a_failure_the_state_takes_no_more_until_it_is_opened_again);
    suite_add_tcase(suite, tcase);
    return suite;
}
