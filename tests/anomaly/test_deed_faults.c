/*
 * Days replaced, files noted, states merged, years retired, where every call of the system fails in turn, where an fsync that
 * failed has lost what it was to write, and where the disk is full: what was there stands, and the next attempt does.
 */
#include <stdio.h>
#include <string.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state_deeds.h"
#include "test_main.h"

/* ctest-labels: crash */

static const enum fake_fault faults_of_all[] = {FAKE_EIO,    FAKE_ENOSPC, FAKE_EDQUOT,      FAKE_EINTR,
                                                FAKE_EMFILE, FAKE_ENOLCK, FAKE_SHORT_WRITE, FAKE_SHORT_READ};
enum { N_FAULTS = sizeof faults_of_all / sizeof faults_of_all[0] };

/* States that are ready, to be copied for each attempt. */
struct stage {
    struct deed_world world;
    struct fake_disk *before;
};

static struct stage stage_open(enum state_deed deed)
{
    struct stage stage = {.before = fake_disk_new()};
    deed_world_open(&stage.world, deed);
    deed_prepare(&stage.world, fake_disk_os(stage.before), "");
    return stage;
}

static void stage_close(struct stage *stage)
{
    fake_disk_free(stage->before);
    deed_world_close(&stage->world);
}

struct attempt {
    struct fake_disk *disk;
    struct fake_faults faults;
    struct sst_error err;
    enum sst_status rc;
    int acknowledged;
};

static void start(const struct stage *stage, struct attempt *attempt)
{
    attempt->disk = fake_disk_copy(stage->before);
    attempt->rc = SST_OK;
    sst_error_clear(&attempt->err);
    fake_faults_start(&attempt->faults, attempt->disk);
}

static void act(const struct stage *stage, struct attempt *attempt)
{
    attempt->rc = deed_do(&stage->world, &attempt->faults.table, "", &attempt->acknowledged, &attempt->err);
    ck_assert_uint_eq(fake_disk_n_open(attempt->disk), 0);
    ck_assert_msg(attempt->rc == SST_OK || strlen(attempt->err.text) > 10, "no message");
}

/* On what is seen, or on what there is after a cut of power. */
static enum state_outcome judge(const struct stage *stage, const struct attempt *attempt, bool is_cut, char *why)
{
    struct fake_disk *disk =
        is_cut ? fake_disk_after_cut(attempt->disk, fake_disk_n_entries(attempt->disk), FAKE_CUT_SYNCED, 1)
               : fake_disk_copy(attempt->disk);
    const enum state_outcome outcome =
        deed_judge_and_finish(&stage->world, fake_disk_os(disk), "", attempt->acknowledged, why);
    fake_disk_free(disk);
    return outcome;
}

/* A disk on which nothing changed needs no judge. */
static void expect_sound(const struct stage *stage, const struct attempt *attempt, long at)
{
    char why[SST_ERROR_TEXT_SIZE];
    if (!attempt->acknowledged && fake_disk_is_same(attempt->disk, stage->before))
        return;
    const enum state_outcome outcome = judge(stage, attempt, false, why);
    ck_assert_msg(outcome == STATE_SOUND, "%s, call %ld, fault %d%s: %s: %s (it said: %s)",
                  deed_name(stage->world.deed), at, (int)attempt->faults.fault,
                  attempt->faults.is_sticky ? " from then on" : "", state_outcome_text(outcome), why,
                  attempt->err.text);
}

/* --- every call, every fault -------------------------------------------------------------------------------------- */

/* One fault at every call in turn; how often it was hit. */
static long fail_everywhere(const struct stage *stage, enum fake_fault fault, bool is_sticky)
{
    const long step = crash_size((struct crash_sizes){13, 1, 1, 1});
    long n_hit = 0;
    struct attempt attempt;
    for (long at = 1;; at += step) {
        start(stage, &attempt);
        attempt.faults.at = at;
        attempt.faults.fault = fault;
        attempt.faults.is_sticky = is_sticky;
        act(stage, &attempt);
        const bool was_hit = attempt.faults.n_hit > 0, is_over = attempt.faults.n_calls < at;
        ck_assert_msg(was_hit || attempt.rc == SST_OK, "call %ld: %s", at, attempt.err.text);
        ck_assert_msg(is_sticky || attempt.rc == SST_OK || (fault != FAKE_SHORT_WRITE && fault != FAKE_SHORT_READ),
                      "call %ld: %s", at, attempt.err.text);
        expect_sound(stage, &attempt, at);
        fake_disk_free(attempt.disk);
        n_hit += was_hit;
        if (is_over)
            return n_hit;
    }
}

/* Nothing but an interruption can be told from one that lasts by trying again: it is made once alone. */
START_TEST(a_call_that_fails_leaves_what_was_there)
{
    if (crash_is_least() && faults_of_all[_i / STATE_N_DEEDS] >= FAKE_ENOSPC &&
        faults_of_all[_i / STATE_N_DEEDS] <= FAKE_EDQUOT)
        return; /* a number in a message apart, it is EIO */
    struct stage stage = stage_open((enum state_deed)(_i % STATE_N_DEEDS));
    const enum fake_fault fault = faults_of_all[_i / STATE_N_DEEDS];
    const long n_once = fail_everywhere(&stage, fault, false);
    const long n_sticky = fault == FAKE_EINTR ? 0 : fail_everywhere(&stage, fault, true);
    crash_count("T3", "%ld calls of %s failed with fault %d, %ld of them once", n_once + n_sticky,
                deed_name(stage.world.deed), (int)fault, n_once);
    ck_assert(n_once > 2 || fault == FAKE_SHORT_WRITE || fault == FAKE_SHORT_READ);
    ck_assert(n_once > 0 || crash_is_least());
    stage_close(&stage);
}
END_TEST

START_TEST(a_write_that_is_not_gone_on_with_is_found)
{
    struct stage stage = stage_open((enum state_deed)_i);
    struct attempt attempt;
    char why[SST_ERROR_TEXT_SIZE];
    long n_bad = 0;
    for (long at = 1;; ++at) {
        start(&stage, &attempt);
        attempt.faults.at = at;
        attempt.faults.fault = FAKE_SHORT_WRITE;
        attempt.faults.omissions = FAKE_OMIT_REST;
        act(&stage, &attempt);
        n_bad += judge(&stage, &attempt, false, why) != STATE_SOUND;
        fake_disk_free(attempt.disk);
        if (attempt.faults.n_calls < at)
            break;
    }
    ck_assert_int_gt(n_bad, 0);
    crash_count("T18", "writes not gone on with in %s: found, %ld damaged", deed_name(stage.world.deed), n_bad);
    stage_close(&stage);
}
END_TEST

/* --- fsync -------------------------------------------------------------------------------------------------------- */

/* Every fsync fails in turn and loses what it was to write; on how many disks that is seen after a cut of power. */
static long lose_everywhere(const struct stage *stage, unsigned omissions, long *n_hit)
{
    long n_bad = 0;
    char why[SST_ERROR_TEXT_SIZE];
    struct attempt attempt;
    *n_hit = 0;
    for (long at = 1;; ++at) {
        start(stage, &attempt);
        attempt.faults.at = at;
        attempt.faults.fault = FAKE_SYNC_LOSES;
        attempt.faults.omissions = omissions;
        act(stage, &attempt);
        if (omissions == FAKE_OMIT_NOTHING) {
            ck_assert_msg((attempt.faults.n_hit > 0) == (attempt.rc != SST_OK), "call %ld: %s", at, attempt.err.text);
            ck_assert(attempt.rc == SST_OK || strstr(attempt.err.text, "fsync"));
            expect_sound(stage, &attempt, at);
        }
        n_bad += judge(stage, &attempt, true, why) != STATE_SOUND;
        *n_hit += attempt.faults.n_hit;
        const bool is_over = attempt.faults.n_calls < at;
        fake_disk_free(attempt.disk);
        if (is_over)
            return n_bad;
    }
}

START_TEST(an_fsync_that_failed_is_not_asked_again)
{
    long n_hit = 0;
    struct stage stage = stage_open((enum state_deed)_i);
    ck_assert_int_eq(lose_everywhere(&stage, FAKE_OMIT_NOTHING, &n_hit), 0);
    ck_assert_int_ge(n_hit, 2);
    crash_count("T4", "%ld fsyncs of %s failed and lost what they were to write", n_hit, deed_name(stage.world.deed));
    stage_close(&stage);
}
END_TEST

START_TEST(an_fsync_that_is_asked_again_is_found)
{
    long n_hit = 0;
    struct stage stage = stage_open((enum state_deed)_i);
    const long n_bad = lose_everywhere(&stage, FAKE_OMIT_FAILURE, &n_hit);
    if (stage.world.deed != DEED_NOTE) /* the list may be lost: it is a memory of the service alone */
        ck_assert_int_gt(n_bad, 0);
    crash_count("T18", "fsyncs asked again in %s: %ld losses found", deed_name(stage.world.deed), n_bad);
    stage_close(&stage);
}
END_TEST

/* --- a full disk -------------------------------------------------------------------------------------------------- */

START_TEST(a_disk_of_any_size_keeps_what_was_there)
{
    const long n_rooms = crash_size((struct crash_sizes){10, 50, 200, 500});
    struct stage stage = stage_open((enum state_deed)_i);
    struct attempt attempt;
    long n_full = 0;
    start(&stage, &attempt);
    act(&stage, &attempt);
    ck_assert_int_eq(attempt.rc, SST_OK);
    const int64_t need = -attempt.faults.room;
    fake_disk_free(attempt.disk);
    for (long i = 0; i <= n_rooms; ++i) {
        start(&stage, &attempt);
        attempt.faults.has_room_limit = true;
        attempt.faults.room = need * i / n_rooms;
        act(&stage, &attempt);
        ck_assert_int_eq(attempt.rc, i < n_rooms ? SST_ERR_OUTPUT : SST_OK);
        ck_assert_msg(attempt.rc == SST_OK || strstr(attempt.err.text, "No space left on device. "), "%s",
                      attempt.err.text);
        expect_sound(&stage, &attempt, i);
        n_full += attempt.rc != SST_OK;
        fake_disk_free(attempt.disk);
    }
    crash_count("T6", "%ld sizes of a full disk in memory for %s", n_full, deed_name(stage.world.deed));
    stage_close(&stage);
}
END_TEST

/* --- a cut of power ----------------------------------------------------------------------------------------------- */

struct tally {
    long n_states, n[STATE_N_OUTCOMES];
    char first[SST_ERROR_TEXT_SIZE + 128]; /* of what is not sound */
};

static void cut(const struct stage *stage, struct attempt *attempt, size_t n_entries, enum fake_cut how, uint64_t seed,
                struct tally *tally)
{
    char why[SST_ERROR_TEXT_SIZE];
    struct fake_disk *after = fake_disk_after_cut(attempt->disk, n_entries, how, seed);
    const int acknowledged = n_entries == fake_disk_n_entries(attempt->disk) && attempt->acknowledged;
    const enum state_outcome outcome = deed_judge_and_finish(&stage->world, fake_disk_os(after), "", acknowledged, why);
    if (outcome != STATE_SOUND && !tally->first[0])
        (void)snprintf(tally->first, sizeof tally->first, "cut %d after %zu entries, seed %llu: %s: %s", (int)how,
                       n_entries, (unsigned long long)seed, state_outcome_text(outcome), why);
    ++tally->n_states;
    ++tally->n[outcome];
    fake_disk_free(after);
}

static struct tally cut_everywhere(const struct stage *stage, unsigned omissions)
{
    const uint64_t n_seeds = (uint64_t)crash_size((struct crash_sizes){1, 10, omissions ? 10 : 100, 1000});
    static const enum fake_cut plain[] = {FAKE_CUT_SYNCED, FAKE_CUT_ALL, FAKE_CUT_NAMES_FIRST, FAKE_CUT_BYTES_FIRST};
    struct tally tally = {0};
    struct attempt attempt;
    start(stage, &attempt);
    attempt.faults.omissions = omissions;
    act(stage, &attempt);
    ck_assert_msg(attempt.rc == SST_OK, "%s", attempt.err.text);
    const size_t n_entries = fake_disk_n_entries(attempt.disk);
    const size_t step = omissions ? 1 : (size_t)crash_size((struct crash_sizes){5, 1, 1, 1});
    for (size_t n = n_entries % step; n <= n_entries; n += step) { /* the last one is all of it */
        for (size_t i = 0; i < sizeof plain / sizeof plain[0]; ++i)
            cut(stage, &attempt, n, plain[i], n, &tally);
        for (uint64_t seed = 0; seed < n_seeds; ++seed)
            cut(stage, &attempt, n, seed % 2 ? FAKE_CUT_TORN_4096 : FAKE_CUT_TORN_512, n_seeds * n + seed, &tally);
    }
    fake_disk_free(attempt.disk);
    return tally;
}

START_TEST(no_cut_of_power_leaves_half_of_it)
{
    struct stage stage = stage_open((enum state_deed)_i);
    const struct tally tally = cut_everywhere(&stage, FAKE_OMIT_NOTHING);
    ck_assert_msg(tally.n[STATE_SOUND] == tally.n_states, "%s", tally.first);
    crash_count("T5", "%ld states after a cut of power in %s, all sound", tally.n_states, deed_name(stage.world.deed));
    stage_close(&stage);
}
END_TEST

/* By deed: what leaves it out has to be seen. Of a list of files nothing is lost. */
static const struct {
    enum state_deed deed;
    unsigned omission;
    const char *what;
} cut_mutants[] = {
    {DEED_REPLACE, FAKE_OMIT_FILE_SYNC, "fsync of files"},
    {DEED_REPLACE, FAKE_OMIT_FOLDER_SYNC, "fsync of folders"},
    {DEED_REPLACE, FAKE_OMIT_RENAME, "renames of files"},
    {DEED_NOTE, FAKE_OMIT_RENAME, "renames of files"},
    {DEED_MERGE, FAKE_OMIT_FILE_SYNC, "fsync of files"},
    {DEED_MERGE, FAKE_OMIT_FOLDER_SYNC, "fsync of folders"},
    {DEED_MERGE, FAKE_OMIT_LOG_SYNC, "fsync of the log"},
    {DEED_MERGE, FAKE_OMIT_STATE_RENAME, "the state's rename"},
    {DEED_RETIRE, FAKE_OMIT_FOLDER_SYNC, "fsync of folders"},
    {DEED_RETIRE, FAKE_OMIT_STATE_RENAME, "the state's rename"},
};

START_TEST(what_is_left_out_is_found_after_a_cut_of_power)
{
    struct stage stage = stage_open(cut_mutants[_i].deed);
    const struct tally tally = cut_everywhere(&stage, cut_mutants[_i].omission);
    const long n_bad = tally.n_states - tally.n[STATE_SOUND];
    ck_assert_msg(n_bad > 0, "%s without %s", deed_name(stage.world.deed), cut_mutants[_i].what);
    crash_count("T18", "%s without %s: found, %ld of %ld states are not sound", deed_name(stage.world.deed),
                cut_mutants[_i].what, n_bad, tally.n_states);
    stage_close(&stage);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("deed_faults");
    TCase *tcase = tcase_create("faults");
    tcase_set_timeout(tcase, 3000);
    tcase_add_loop_test(tcase, a_call_that_fails_leaves_what_was_there, 0, N_FAULTS * STATE_N_DEEDS);
    tcase_add_loop_test(tcase, a_write_that_is_not_gone_on_with_is_found, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, an_fsync_that_failed_is_not_asked_again, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, an_fsync_that_is_asked_again_is_found, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, a_disk_of_any_size_keeps_what_was_there, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, no_cut_of_power_leaves_half_of_it, 0, STATE_N_DEEDS);
    tcase_add_loop_test(tcase, what_is_left_out_is_found_after_a_cut_of_power, 0,
                        sizeof cut_mutants / sizeof cut_mutants[0]);
    suite_add_tcase(suite, tcase);
    return suite;
}
