/*
 * Power that is cut after every change of the disk, and what a file system may have kept by then of all that was not
 * synchronised. The same with a call left out has to lose something: else these tests see nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

/* Of every prefix of the log; mutants lose something soon. */
static uint64_t n_subsets(unsigned omissions)
{
    return (uint64_t)crash_size((struct crash_sizes){1, omissions ? 4 : 10, omissions ? 10 : 100, 1000});
}

static struct state_fixture fixture;

static void open_fixture(void) { state_fixture_open(&fixture); }
static void close_fixture(void) { state_fixture_clear(&fixture); }

/* A run, and how many days had been acknowledged at each length of the log. */
struct recorded {
    struct fake_disk *disk;
    size_t acknowledged_at[STATE_N_DAYS + 2]; /* length of the log when so many were */
};

static int acknowledged_by(const struct recorded *recorded, size_t n_entries)
{
    int acknowledged = 0;
    while (acknowledged < STATE_N_DAYS + 1 && recorded->acknowledged_at[acknowledged + 1] <= n_entries)
        ++acknowledged;
    return acknowledged;
}

/* As state_run, step by step. */
static struct recorded record(unsigned omissions)
{
    struct recorded recorded = {.disk = fake_disk_new()};
    struct fake_faults faults;
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    bool was_there = false;
    fake_faults_start(&faults, recorded.disk);
    faults.omissions = omissions;
    ck_assert_msg(sst_state_make(&faults.table, STATE_PATH, &fixture.policy, &err) == SST_OK, "%s", err.text);
    recorded.acknowledged_at[1] = fake_disk_n_entries(recorded.disk);
    ck_assert_msg(sst_state_open(&faults.table, STATE_PATH, SST_STATE_WRITE, &state, &err) == SST_OK, "%s", err.text);
    for (int day = 0; day < STATE_N_DAYS; ++day) {
        ck_assert_msg(state_add_day(state, day, &was_there, &err) == SST_OK, "%s", err.text);
        recorded.acknowledged_at[2 + day] = fake_disk_n_entries(recorded.disk);
    }
    sst_state_close(&state);
    return recorded;
}

struct tally {
    long n_states, n[STATE_N_OUTCOMES];
    char first[SST_ERROR_TEXT_SIZE + 128]; /* of what is not sound */
};

static void judge_cut(const struct recorded *recorded, size_t n_entries, enum fake_cut how, uint64_t seed,
                      struct tally *tally)
{
    char why[SST_ERROR_TEXT_SIZE];
    struct fake_disk *after = fake_disk_after_cut(recorded->disk, n_entries, how, seed);
    const enum state_outcome outcome =
        state_judge_and_finish(fake_disk_os(after), STATE_PATH, &fixture, acknowledged_by(recorded, n_entries), why);
    if (outcome != STATE_SOUND && !tally->first[0])
        (void)snprintf(tally->first, sizeof tally->first, "cut %d after %zu entries, seed %llu: %s: %s", (int)how,
                       n_entries, (unsigned long long)seed, state_outcome_text(outcome), why);
    ++tally->n_states;
    ++tally->n[outcome];
    fake_disk_free(after);
}

static struct tally cut_everywhere(unsigned omissions, const char *what)
{
    const uint64_t n_seeds = n_subsets(omissions);
    static const enum fake_cut plain[] = {FAKE_CUT_SYNCED, FAKE_CUT_ALL, FAKE_CUT_NAMES_FIRST, FAKE_CUT_BYTES_FIRST};
    struct recorded recorded = record(omissions);
    struct tally tally = {0};
    const size_t n_entries = fake_disk_n_entries(recorded.disk);
    for (size_t n = 0; n <= n_entries; ++n) {
        for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
            judge_cut(&recorded, n, plain[i], n, &tally);
        for (uint64_t seed = 0; seed < n_seeds; ++seed)
            judge_cut(&recorded, n, seed % 2 ? FAKE_CUT_TORN_4096 : FAKE_CUT_TORN_512, n_seeds * n + seed, &tally);
    }
    fake_disk_free(recorded.disk);
    crash_count(omissions ? "T18" : "T5",
                "ingest%s%s: %zu prefixes, %ld states: %ld sound, %ld lost, %ld doubled, %ld damaged, %ld stuck",
                omissions ? " without " : "", omissions ? what : "", n_entries + 1, tally.n_states,
                tally.n[STATE_SOUND], tally.n[STATE_LOST], tally.n[STATE_DOUBLED], tally.n[STATE_DAMAGED],
                tally.n[STATE_STUCK]);
    return tally;
}

START_TEST(no_cut_of_power_loses_or_doubles_a_day)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_NOTHING, NULL);
    ck_assert_int_gt(tally.n_states, 400);
    ck_assert_msg(tally.n[STATE_SOUND] == tally.n_states, "%s", tally.first);
}
END_TEST

START_TEST(without_fsync_of_files_the_test_finds_damage)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_FILE_SYNC, "fsync of files");
    ck_assert_int_gt(tally.n[STATE_DAMAGED], 0);
}
END_TEST

START_TEST(without_fsync_of_folders_the_test_finds_lost_days)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_FOLDER_SYNC, "fsync of folders");
    ck_assert_int_gt(tally.n[STATE_LOST], 0);
}
END_TEST

START_TEST(without_renames_the_test_finds_damage)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_RENAME, "renames");
    ck_assert_int_gt(tally.n[STATE_DAMAGED], 0);
}
END_TEST

START_TEST(without_fsync_of_the_log_of_days_the_test_finds_damage)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_LOG_SYNC, "fsync of the log");
    ck_assert_int_gt(tally.n[STATE_DAMAGED], 0);
}
END_TEST

START_TEST(without_renames_of_the_contents_the_test_finds_damage)
{
    const struct tally tally = cut_everywhere(FAKE_OMIT_CONTENTS_RENAME, "renames of the contents");
    ck_assert_int_gt(tally.n[STATE_DAMAGED], 0);
}
END_TEST

/* A process may die between a rename and its folder's fsync: the next one must not tell of that day before it is durable. */
START_TEST(what_a_dead_process_left_in_memory_is_made_durable_by_the_next)
{
    struct recorded recorded = record(FAKE_OMIT_NOTHING);
    long n_killed = 0;
    fake_disk_free(recorded.disk);
    for (long at = 1;; ++at) {
        struct fake_disk *disk = fake_disk_new();
        struct fake_faults faults;
        struct sst_error err = {0};
        char why[SST_ERROR_TEXT_SIZE];
        int acknowledged = 0;
        fake_faults_start(&faults, disk);
        faults.at = at;
        faults.fault = FAKE_EIO;
        faults.is_sticky = true; /* nothing gets to the disk any more, as if the process were gone */
        (void)state_run(&faults.table, STATE_PATH, &fixture, &acknowledged, &err);
        const bool is_over = faults.n_calls < at;
        fake_disk_kill(disk);
        struct sst_state *state = NULL;
        sst_error_clear(&err);
        if (sst_state_open(fake_disk_os(disk), STATE_PATH, SST_STATE_WRITE, &state, &err) == SST_OK) {
            struct sst_identity seen, after_cut;
            ck_assert_int_eq(sst_state_digest(state, &seen, &err), SST_OK);
            struct fake_disk *after = fake_disk_after_cut(disk, fake_disk_n_entries(disk), FAKE_CUT_SYNCED, 1);
            struct sst_state *again = NULL;
            const enum sst_status rc = sst_state_open(fake_disk_os(after), STATE_PATH, SST_STATE_READ, &again, &err);
            if (rc == SST_OK) {
                ck_assert_int_eq(sst_state_digest(again, &after_cut, &err), SST_OK);
                ck_assert_msg(sst_identity_is(seen, after_cut), "call %ld: a day that was seen is lost", at);
            } else {
                ck_assert_msg(acknowledged == 0, "call %ld: %s", at, err.text);
            }
            sst_state_close(&again);
            sst_state_close(&state);
            fake_disk_free(after);
            ++n_killed;
        }
        const enum state_outcome outcome =
            state_judge_and_finish(fake_disk_os(disk), STATE_PATH, &fixture, acknowledged, why);
        ck_assert_msg(outcome == STATE_SOUND, "call %ld: %s: %s", at, state_outcome_text(outcome), why);
        fake_disk_free(disk);
        if (is_over)
            break;
    }
    ck_assert_int_gt(n_killed, 50);
}
END_TEST

/* Days of a state that was begun and never finished have no place in the next one of its name. */
START_TEST(files_of_a_part_that_was_left_do_not_come_back)
{
    struct fake_disk *disk = fake_disk_new();
    const struct sst_os *os = fake_disk_os(disk);
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    char why[SST_ERROR_TEXT_SIZE];
    bool was_there = false;
    ck_assert_int_eq(sst_state_begin(os, STATE_PATH, &fixture.policy, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 1, &was_there, &err), SST_OK); /* alone it is no S(k) */
    struct fake_disk *left = fake_disk_after_cut(disk, fake_disk_n_entries(disk), FAKE_CUT_ALL, 1);
    sst_state_close(&state);
    fake_disk_free(disk);
    ck_assert_int_eq(sst_state_make(fake_disk_os(left), STATE_PATH, &fixture.policy, &err), SST_OK);
    for (uint64_t seed = 0; seed < n_subsets(FAKE_OMIT_NOTHING); ++seed) {
        struct fake_disk *after =
            fake_disk_after_cut(left, fake_disk_n_entries(left), seed ? FAKE_CUT_TORN_512 : FAKE_CUT_SYNCED, seed);
        const enum state_outcome outcome = state_judge_and_finish(fake_disk_os(after), STATE_PATH, &fixture, 1, why);
        ck_assert_msg(outcome == STATE_SOUND, "%s: %s", state_outcome_text(outcome), why);
        fake_disk_free(after);
    }
    fake_disk_free(left);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_power_cut");
    TCase *tcase = tcase_create("power_cut");
    tcase_add_unchecked_fixture(tcase, open_fixture, close_fixture);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, no_cut_of_power_loses_or_doubles_a_day);
    tcase_add_test(tcase, without_fsync_of_files_the_test_finds_damage);
    tcase_add_test(tcase, without_fsync_of_folders_the_test_finds_lost_days);
    tcase_add_test(tcase, without_renames_the_test_finds_damage);
    tcase_add_test(tcase, without_fsync_of_the_log_of_days_the_test_finds_damage);
    tcase_add_test(tcase, without_renames_of_the_contents_the_test_finds_damage);
    tcase_add_test(tcase, what_a_dead_process_left_in_memory_is_made_durable_by_the_next);
    tcase_add_test(tcase, files_of_a_part_that_was_left_do_not_come_back);
    suite_add_tcase(suite, tcase);
    return suite;
}
