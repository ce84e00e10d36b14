/*
 * A state's log, ledgers, commits, merged and retired states where the n-th allocation fails, once or with all after it, for every
 * n: a clean status, no day half known, nothing half made, and the next call does.
 * The linker sends the allocator's calls through here (--wrap).
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "crash_scale.h"
#include "fake_os.h"
#include "join_fixture.h"
#include "state/day_log.h"
#include "state/state_join.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

void *__real_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);

static long n_left; /* calls until the one that fails; 0: none does */
static bool is_for_ever; /* and all after it, until n_left is 0 */
static bool has_failed;

static bool must_fail(void)
{
    if (n_left == 0 || n_left-- > 1)
        return false;
    has_failed = true;
    n_left = is_for_ever ? 1 : 0;
    return true;
}

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : __real_malloc(size); }
void *__wrap_realloc(void *old, size_t size) { return must_fail() ? NULL : __real_realloc(old, size); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : __real_aligned_alloc(alignment, size);
}
int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    return must_fail() ? ENOMEM : __real_posix_memalign(out, alignment, size);
}

enum { MOST_CALLS = 5000 };

static struct state_fixture fixture;
static struct fake_faults
    faults; /* the system's files, not synchronised; the disk in memory would be short of it too */

static void open_fixture(void)
{
    state_fixture_open(&fixture);
    fake_faults_start(&faults, NULL);
    faults.omissions = FAKE_OMIT_FILE_SYNC | FAKE_OMIT_FOLDER_SYNC;
}

static void close_fixture(void) { state_fixture_clear(&fixture); }

static enum sst_status open_again(struct sst_state *state)
{
    struct sst_state *again = NULL;
    const enum sst_status rc = sst_state_open(&faults.table, sst_state_path(state), SST_STATE_READ, &again, NULL);
    n_left = 0; /* the test needs memory of its own */
    sst_state_close(&again);
    return rc;
}

static enum sst_status load_ledger(struct sst_state *state)
{
    struct sst_ledger ledger;
    const enum sst_status rc = sst_state_load_ledger(state, 40, &ledger, NULL);
    n_left = 0; /* the test needs memory of its own */
    ck_assert(rc == SST_OK ? ledger.n_entries == 3 : ledger.entries == NULL);
    sst_ledger_clear(&ledger);
    return rc;
}

static enum sst_status load_logged(struct sst_state *state)
{
    int16_t codes[STATE_N_CELLS];
    uint8_t ice[STATE_N_CELLS];
    struct sst_field field = {.n_cells = STATE_N_CELLS, .codes = codes, .ice = ice};
    char *source = NULL;
    const enum sst_status rc = sst_state_load_logged(state, state_day(STATE_A_LOGGED_DAY), &source, &field, NULL);
    n_left = 0; /* the test needs memory of its own */
    ck_assert(rc != SST_OK || strcmp(source, "b.nc") == 0);
    sst_free(source);
    return rc;
}

static enum sst_status load_slot(struct sst_state *state)
{
    struct sst_slot_state *slot = NULL;
    const enum sst_status rc = sst_state_load(state, 40, &slot, NULL);
    n_left = 0; /* the test needs memory of its own */
    sst_slot_state_destroy(&slot);
    return rc;
}

static enum sst_status verify(struct sst_state *state) { return sst_state_verify(state, NULL, NULL, NULL); }

/* A batch of two, the second with the longer name: half of it may be in the file when memory is short. */
static enum sst_status log_two(struct sst_state *state)
{
    int16_t codes[STATE_N_CELLS] = {1, 2, 3};
    uint8_t ice[STATE_N_CELLS] = {0};
    const struct sst_field field = {.n_cells = STATE_N_CELLS, .codes = codes, .hundredths = codes, .ice = ice};
    static int year = 2020; /* a day that was not there before */
    ++year;
    const struct sst_log_entry entries[] = {
        {.at = {.day = {year, 7}, .digest = (uint64_t)year}, .source = "c.nc", .field = &field},
        {.at = {.day = {year, 8}, .digest = 1}, .source = "a longer name.nc", .field = &field}};
    const size_t before = sst_state_n_logged(state);
    const enum sst_status rc = sst_state_log(state, entries, 2, NULL);
    n_left = 0; /* the test needs memory of its own */
    ck_assert_uint_eq(sst_state_n_logged(state), before + (rc == SST_OK ? 2 : 0));
    return rc;
}

/* Each second time the day has its first values back, so that it is always replaced. */
static enum sst_status replace_day(struct sst_state *state)
{
    const long n = n_left;
    bool was_there = false;
    n_left = 0;
    ck_assert_int_eq(state_remove_day(state, 1, NULL), SST_OK);
    ck_assert_int_eq(state_add_day(state, 1, &was_there, NULL), SST_OK);
    n_left = n;
    const enum sst_status rc = state_replace_day(state, 1, NULL);
    n_left = 0; /* the test needs memory of its own */
    return rc;
}

/* What is made has to be there whole, or not at all; where a part of it is left, the next one goes on with it. */
static enum sst_status expect_made(const char *path, enum sst_status rc)
{
    struct sst_state *made = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(state_is_there(&faults.table, path), rc == SST_OK);
    ck_assert(rc == SST_OK || access(test_path("%s.part", path), F_OK) != 0 || is_for_ever);
    if (rc != SST_OK)
        return rc;
    ck_assert_int_eq(sst_state_open(&faults.table, path, SST_STATE_READ, &made, NULL), SST_OK);
    ck_assert_msg(sst_state_verify(made, NULL, NULL, &err) == SST_OK, "%s", err.text);
    sst_state_close(&made);
    ck_assert_int_eq(system(test_path("rm -r '%s'", path)), 0);
    return rc;
}

static enum sst_status merge(struct sst_state *state)
{
    static const struct sst_join_watch no_watch;
    const struct sst_state *const states[] = {state, state};
    const char *path = test_path("%s-merged", sst_state_path(state));
    const enum sst_status rc = sst_state_merge(&faults.table, states, 2, path, &no_watch, NULL);
    n_left = 0; /* the test needs memory of its own */
    return expect_made(path, rc);
}

static enum sst_status retire(struct sst_state *state)
{
    const struct sst_retire_options options = {
        .first_year = 2003, .last_year = 2003, .choose_probes = join_choose_probes};
    struct sst_retire_totals totals;
    const char *path = test_path("%s-retired", sst_state_path(state));
    const enum sst_status rc = sst_state_retire(&faults.table, state, &options, path, &totals, NULL);
    n_left = 0; /* the test needs memory of its own */
    return expect_made(path, rc);
}

static const char *const names[] = {"opening", "a ledger",  "a logged day", "a slot",  "verify",
                                    "logging", "replacing", "merging",      "retiring"};
static enum sst_status (*const calls[])(struct sst_state *) = {open_again, load_ledger, load_logged, load_slot, verify,
                                                               log_two,    replace_day, merge,       retire};
enum { N_CALLS = sizeof calls / sizeof calls[0] };

START_TEST(a_failed_allocation_is_told_and_costs_nothing)
{
    char path[256];
    (void)snprintf(path, sizeof path, "%s/state-%d", test_scratch_dir(), _i);
    const long step = crash_size((struct crash_sizes){5, 1, 1, 1});
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    int acknowledged = 0;
    long n = 1 - step;
    is_for_ever = _i >= N_CALLS;
    ck_assert_msg(state_run(&faults.table, path, &fixture, &acknowledged, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_state_open(&faults.table, path, SST_STATE_WRITE, &state, NULL), SST_OK);
    do {
        has_failed = false;
        n += step;
        n_left = n;
        const enum sst_status rc = calls[_i % N_CALLS](state);
        n_left = 0;
        ck_assert_msg(rc == (has_failed ? SST_ERR_NOMEM : SST_OK), "allocation %ld: status %d", n, (int)rc);
    } while (has_failed && n < MOST_CALLS);
    crash_count("T7", "%ld allocations of %s failed%s", 1 + (n - 1) / step, names[_i % N_CALLS],
                is_for_ever ? " with all after" : "");
    ck_assert_int_gt(n, 3);
    ck_assert_int_lt(n, MOST_CALLS);
    ck_assert_int_eq(log_two(state), SST_OK); /* it takes more */
    sst_state_close(&state);
    ck_assert_int_eq(sst_state_open(&faults.table, path, SST_STATE_WRITE, &state, NULL), SST_OK);
    ck_assert_msg(sst_state_verify(state, NULL, NULL, &err) == SST_OK, "%s", err.text);
    sst_state_close(&state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_memory");
    TCase *tcase = tcase_create("n-th allocation");
    tcase_add_unchecked_fixture(tcase, open_fixture, close_fixture);
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_failed_allocation_is_told_and_costs_nothing, 0, 2 * N_CALLS);
    suite_add_tcase(suite, tcase);
    return suite;
}
