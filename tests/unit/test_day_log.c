/* The log of days: what goes in comes out, whatever the order, and what is said where it cannot be. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "fake_os.h"
#include "random.h"
#include "state/day_log.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

enum { N_DAYS = 4 };

static const struct sst_day days[N_DAYS] = {{2010, 40}, {1990, 366}, {2010, 39}, {2011, 1}};

static struct state_fixture fixture;
static struct fake_disk *disk;
static const struct sst_os *os;

static void open_fixture(void)
{
    struct sst_error err = {0};
    state_fixture_open(&fixture);
    disk = fake_disk_new();
    os = fake_disk_os(disk);
    ck_assert_msg(sst_state_make(os, STATE_PATH, &fixture.policy, &err) == SST_OK, "%s", err.text);
}

static void close_fixture(void)
{
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
    fake_disk_free(disk);
    state_fixture_clear(&fixture);
}

static struct sst_state *open_state(enum sst_state_use use)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_state_open(os, STATE_PATH, use, &state, &err) == SST_OK, "%s", err.text);
    return state;
}

/* A day with values that follow from a number; half of them with ice information. */
struct made_day {
    struct sst_log_entry entry;
    struct sst_field field;
    int16_t codes[STATE_N_CELLS];
    uint8_t ice[STATE_N_CELLS];
    char source[32];
};

static void make_day(struct made_day *made, struct sst_day day, enum sst_day_status status, uint64_t number)
{
    struct test_random random = {number};
    *made = (struct made_day){.field = {.n_cells = STATE_N_CELLS, .has_ice = number % 2 == 1}};
    for (int cell = 0; cell < STATE_N_CELLS; ++cell) {
        made->codes[cell] = cell == 2 ? SST_CODE_MISSING : (int16_t)((int)test_random_below(&random, 65535) - 32767);
        made->ice[cell] = made->field.has_ice && test_random_below(&random, 2);
    }
    (void)snprintf(made->source, sizeof made->source, "%llu.nc", (unsigned long long)number);
    made->field.codes = made->field.hundredths = made->codes;
    made->field.ice = made->ice;
    made->entry = (struct sst_log_entry){.at = {.day = day,
                                                .status = status,
                                                .digest = test_random_next(&random),
                                                .ice_digest = made->field.has_ice ? test_random_next(&random) : 0,
                                                .n_valid = STATE_N_CELLS - 1,
                                                .median = made->codes[1]},
                                         .source = made->source,
                                         .field = &made->field};
}

static void log_day(struct sst_state *state, struct sst_day day, enum sst_day_status status, uint64_t number)
{
    struct made_day made;
    struct sst_error err = {0};
    make_day(&made, day, status, number);
    ck_assert_msg(sst_state_log(state, &made.entry, 1, &err) == SST_OK, "%s", err.text);
}

static void expect_day(const struct sst_state *state, struct sst_day day, enum sst_day_status status, uint64_t number)
{
    const struct sst_logged_day *at = sst_state_logged(state, day);
    struct made_day made;
    struct sst_error err = {0};
    int16_t codes[STATE_N_CELLS], hundredths[STATE_N_CELLS];
    uint8_t ice[STATE_N_CELLS];
    struct sst_field field = {.n_cells = STATE_N_CELLS, .codes = codes, .hundredths = hundredths, .ice = ice};
    char *source = NULL;
    make_day(&made, day, status, number);
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(at->status, status);
    ck_assert_uint_eq(at->digest, made.entry.at.digest);
    ck_assert_uint_eq(at->ice_digest, made.entry.at.ice_digest);
    ck_assert_uint_eq(at->n_valid, made.entry.at.n_valid);
    ck_assert_int_eq(at->median, made.entry.at.median);
    ck_assert(at->has_values);
    ck_assert_msg(sst_state_load_logged(state, day, &source, &field, &err) == SST_OK, "%s", err.text);
    ck_assert_str_eq(source, made.source);
    ck_assert_mem_eq(codes, made.codes, sizeof codes);
    ck_assert_mem_eq(hundredths, made.codes, sizeof codes);
    ck_assert_mem_eq(ice, made.ice, sizeof ice);
    ck_assert_int_eq(field.has_ice, made.field.has_ice);
    sst_free(source);
}

static struct sst_identity digest_of(const struct sst_state *state)
{
    struct sst_identity digest = {0, 0};
    ck_assert_int_eq(sst_state_digest(state, &digest, NULL), SST_OK);
    return digest;
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

START_TEST(what_was_logged_is_known_then_and_after_opening)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    ck_assert_uint_eq(sst_state_n_logged(state), 0);
    ck_assert_ptr_null(sst_state_logged(state, days[0]));
    ck_assert_int_eq(sst_state_log(state, NULL, 0, NULL), SST_OK);
    for (int i = 0; i < N_DAYS; ++i)
        log_day(state, days[i], SST_DAY_FINAL, (uint64_t)i);
    for (int again = 0; again < 3; ++again) {
        ck_assert_uint_eq(sst_state_n_logged(state), N_DAYS);
        for (int i = 0; i < N_DAYS; ++i)
            expect_day(state, days[i], SST_DAY_FINAL, (uint64_t)i);
        for (size_t i = 1; i < N_DAYS; ++i)
            ck_assert_int_lt(
                sst_day_compare(sst_state_logged_days(state)[i - 1].day, sst_state_logged_days(state)[i].day), 0);
        ck_assert_int_eq(sst_state_verify(state, NULL, NULL, NULL), SST_OK);
        sst_state_close(&state);
        state = open_state(again == 0 ? SST_STATE_READ : SST_STATE_WRITE);
    }
    sst_state_close(&state);
}
END_TEST

START_TEST(the_last_record_of_a_day_is_what_is_known)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    log_day(state, days[0], SST_DAY_PRELIMINARY, 1);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    log_day(state, days[0], SST_DAY_FINAL, 3);
    for (int again = 0; again < 2; ++again) {
        ck_assert_uint_eq(sst_state_n_logged(state), 2);
        expect_day(state, days[0], SST_DAY_FINAL, 3);
        expect_day(state, days[1], SST_DAY_FINAL, 2);
        sst_state_close(&state);
        state = open_state(SST_STATE_READ);
    }
    sst_state_close(&state);
}
END_TEST

START_TEST(days_at_once_are_like_days_one_by_one)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    struct made_day made[N_DAYS];
    struct sst_log_entry entries[N_DAYS];
    struct sst_error err = {0};
    size_t n_bytes[2] = {0, 0};
    for (int i = 0; i < N_DAYS; ++i) {
        make_day(&made[i], days[i], SST_DAY_FINAL, (uint64_t)i);
        entries[i] = made[i].entry;
    }
    ck_assert_msg(sst_state_log(state, entries, N_DAYS, &err) == SST_OK, "%s", err.text);
    const struct sst_identity at_once = digest_of(state);
    unsigned char *bytes = fake_disk_bytes(disk, STATE_PATH "/days", &n_bytes[0]), *copy = malloc(n_bytes[0]);
    memcpy(copy, bytes, n_bytes[0]);
    sst_state_close(&state);

    struct fake_disk *other = fake_disk_new();
    ck_assert_int_eq(sst_state_make(fake_disk_os(other), STATE_PATH, &fixture.policy, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(fake_disk_os(other), STATE_PATH, SST_STATE_WRITE, &state, NULL), SST_OK);
    for (int i = 0; i < N_DAYS; ++i)
        log_day(state, days[i], SST_DAY_FINAL, (uint64_t)i);
    ck_assert(sst_identity_is(at_once, digest_of(state)));
    bytes = fake_disk_bytes(other, STATE_PATH "/days", &n_bytes[1]);
    ck_assert_uint_eq(n_bytes[0], n_bytes[1]);
    ck_assert_mem_eq(bytes, copy, n_bytes[0]);
    sst_state_close(&state);
    fake_disk_free(other);
    free(copy);
}
END_TEST

START_TEST(a_state_that_was_begun_takes_days_too)
{
    struct sst_state *state = NULL;
    size_t n_bytes = 0;
    ck_assert_int_eq(sst_state_begin(os, "other", &fixture.policy, &state, NULL), SST_OK);
    log_day(state, days[0], SST_DAY_FINAL, 1);
    sst_state_close(&state); /* unfinished */
    ck_assert_ptr_null(fake_disk_bytes(disk, "other.part", &n_bytes));
    ck_assert_int_eq(sst_state_begin(os, "other", &fixture.policy, &state, NULL), SST_OK);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    ck_assert_int_eq(sst_state_finish(state, NULL), SST_OK);
    log_day(state, days[2], SST_DAY_FINAL, 3);
    sst_state_close(&state);
    ck_assert_int_eq(sst_state_open(os, "other", SST_STATE_READ, &state, NULL), SST_OK);
    ck_assert_uint_eq(sst_state_n_logged(state), 2);
    expect_day(state, days[1], SST_DAY_FINAL, 2);
    expect_day(state, days[2], SST_DAY_FINAL, 3);
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, NULL), SST_OK);
    sst_state_close(&state);
}
END_TEST

/* --- digest ------------------------------------------------------------------------------------------------------- */

START_TEST(the_digest_is_of_days_that_no_slot_counts_in_no_order)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    const struct sst_identity empty = digest_of(state);
    ck_assert(sst_identity_is(empty, fixture.digests[0]));
    log_day(state, days[1], SST_DAY_PRELIMINARY, 7);
    log_day(state, days[0], SST_DAY_FINAL, 1);
    const struct sst_identity preliminary = digest_of(state);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    const struct sst_identity both = digest_of(state);
    ck_assert(!sst_identity_is(empty, both) && !sst_identity_is(preliminary, both));
    /* A day that its slot counts is not of the log any more. */
    bool was_there = false;
    ck_assert_int_eq(state_add_day(state, 0, &was_there, NULL), SST_OK);
    const struct sst_identity counted = digest_of(state);
    log_day(state, state_day(0), SST_DAY_PRELIMINARY, 9);
    ck_assert(sst_identity_is(counted, digest_of(state)));
    sst_state_close(&state);

    fake_disk_free(disk);
    disk = fake_disk_new();
    os = fake_disk_os(disk);
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, NULL), SST_OK);
    state = open_state(SST_STATE_WRITE);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    log_day(state, days[0], SST_DAY_FINAL, 1);
    ck_assert(sst_identity_is(both, digest_of(state)));
    sst_state_close(&state);
}
END_TEST

/* --- what cannot be ----------------------------------------------------------------------------------------------- */

START_TEST(days_that_are_not_for_the_state_are_refused)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    struct made_day made;
    make_day(&made, days[0], SST_DAY_FINAL, 1);
    made.entry.field = NULL; /* it keeps all */
    ck_assert_int_eq(sst_state_log(state, &made.entry, 1, NULL), SST_ERR_INTERNAL);
    make_day(&made, (struct sst_day){2011, 60}, SST_DAY_FINAL, 1);
    ck_assert_int_eq(sst_state_log(state, &made.entry, 1, NULL), SST_ERR_INTERNAL);
    make_day(&made, days[0], SST_DAY_FINAL, 1);
    made.field.n_cells = 1;
    ck_assert_int_eq(sst_state_log(state, &made.entry, 1, NULL), SST_ERR_INTERNAL);
    ck_assert_int_eq(sst_state_load_logged(state, days[0], NULL, NULL, NULL), SST_ERR_INTERNAL);
    sst_state_close(&state);
    state = open_state(SST_STATE_READ);
    make_day(&made, days[0], SST_DAY_FINAL, 1);
    ck_assert_int_eq(sst_state_log(state, &made.entry, 1, NULL), SST_ERR_INTERNAL);
    sst_state_close(&state);
}
END_TEST

START_TEST(a_state_that_keeps_no_values_logs_none)
{
    struct sst_state_policy policy;
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    struct made_day made;
    char *source = NULL;
    state_policy_keeping(&policy, SST_KEEP_NONE);
    ck_assert_int_eq(sst_state_make(os, "none", &policy, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(os, "none", SST_STATE_WRITE, &state, NULL), SST_OK);
    for (int i = 0; i < 2; ++i) { /* with values and without */
        make_day(&made, days[i], SST_DAY_FINAL, (uint64_t)i);
        made.entry.field = i ? NULL : &made.field;
        ck_assert_int_eq(sst_state_log(state, &made.entry, 1, NULL), SST_OK);
        ck_assert(!sst_state_logged(state, days[i])->has_values);
        ck_assert_int_eq(sst_state_load_logged(state, days[i], &source, NULL, NULL), SST_OK);
        ck_assert_str_eq(source, made.source);
        sst_free(source);
    }
    ck_assert_int_eq(sst_state_load_logged(state, days[0], NULL, &made.field, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text, "none/days: the values of 2010-02-09 are not kept. Give the file of the day, or make a "
                               "state with --keep all");
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, NULL), SST_OK);
    sst_state_close(&state);
    sst_state_policy_clear(&policy);
}
END_TEST

/* Opens it, or verifies it where that does, and compares what is said. */
static void expect_fault(const char *text)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    char told[SST_ERROR_TEXT_SIZE] = "";
    if (sst_state_open(os, STATE_PATH, SST_STATE_READ, &state, &err) != SST_OK) {
        ck_assert_int_eq(err.code, SST_ERR_STATE);
        ck_assert_str_eq(err.text, text);
        return;
    }
    ck_assert_int_eq(sst_state_verify(state, state_say, told, NULL), SST_ERR_STATE);
    ck_assert_str_eq(told, text);
    sst_state_close(&state);
}

/* Length of the log after two days, of which the first record is at 40. */
static unsigned char *two_days(size_t *n_bytes, size_t *second)
{
    struct sst_state *state = open_state(SST_STATE_WRITE);
    log_day(state, days[0], SST_DAY_FINAL, 1);
    (void)fake_disk_bytes(disk, STATE_PATH "/days", second);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    sst_state_close(&state);
    return fake_disk_bytes(disk, STATE_PATH "/days", n_bytes);
}

START_TEST(faults_are_told_with_their_place)
{
    char text[SST_ERROR_TEXT_SIZE];
    size_t n_bytes = 0, second = 0;
    unsigned char *bytes = two_days(&n_bytes, &second), copy[1024];
    ck_assert_uint_le(n_bytes, sizeof copy);
    memcpy(copy, bytes, n_bytes);
    bytes[second + 30] ^= 1; /* a head */
    (void)snprintf(text, sizeof text,
                   "STATE/days: damaged: the record at byte %zu does not have its checksum. Put back a copy of this "
                   "file and of contents",
                   second);
    expect_fault(text);
    bytes[second + 30] ^= 1;
    bytes[n_bytes - 1] ^= 1; /* values */
    (void)snprintf(text, sizeof text,
                   "STATE/days: damaged: the values at byte %zu do not have their checksum. Put back a copy of this "
                   "file and of contents",
                   second + 104);
    expect_fault(text);
    bytes[n_bytes - 1] ^= 1;
    bytes[0] ^= 1;
    expect_fault("STATE/days: damaged: it does not begin as a file of a state does. Put back a copy of this file and "
                 "of contents");
    bytes[0] ^= 1;
    fake_disk_put(disk, STATE_PATH "/days", copy, second);
    (void)snprintf(text, sizeof text,
                   "STATE/days: damaged: it has %zu bytes, and %zu were written. Put back a copy of this file and of "
                   "contents",
                   second, n_bytes);
    expect_fault(text);
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, STATE_PATH "/days"), 0);
    expect_fault("STATE/days: missing. Put back a copy of this file");
}
END_TEST

/* Two states of one policy whose first days are of one size, and the second record of the one behind the first of the other. */
START_TEST(parts_of_two_logs_are_no_log)
{
    size_t n_bytes = 0, second = 0;
    unsigned char *bytes = two_days(&n_bytes, &second), tail[1024];
    char text[SST_ERROR_TEXT_SIZE];
    memcpy(tail, bytes + second, n_bytes - second);
    struct fake_disk *first = disk;
    disk = fake_disk_new();
    os = fake_disk_os(disk);
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, NULL), SST_OK);
    struct sst_state *state = open_state(SST_STATE_WRITE);
    log_day(state, days[2], SST_DAY_FINAL, 1);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    sst_state_close(&state);
    size_t n_other = 0;
    bytes = fake_disk_bytes(disk, STATE_PATH "/days", &n_other);
    ck_assert_uint_eq(n_other, n_bytes);
    memcpy(bytes + second, tail, n_bytes - second);
    (void)snprintf(text, sizeof text,
                   "STATE/days: damaged: the record at byte %zu does not belong behind the one before it. Put back a "
                   "copy of this file and of contents",
                   second);
    expect_fault(text);
    bytes = fake_disk_bytes(first, STATE_PATH "/days", &n_other); /* the whole of the other log */
    fake_disk_put(disk, STATE_PATH "/days", bytes, n_bytes);
    expect_fault("STATE/days: damaged: its 2 records are not the 2 that contents tells of. Put back a copy of this "
                 "file and of contents");
    fake_disk_free(first);
}
END_TEST

START_TEST(a_log_of_another_state_is_refused)
{
    struct state_fixture other;
    size_t n_bytes = 0, second = 0, n_other = 0;
    (void)two_days(&n_bytes, &second);
    state_fixture_open_seed(&other, 4);
    struct fake_disk *there = fake_disk_new();
    struct sst_state *state = NULL;
    ck_assert_int_eq(sst_state_make(fake_disk_os(there), STATE_PATH, &other.policy, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(fake_disk_os(there), STATE_PATH, SST_STATE_WRITE, &state, NULL), SST_OK);
    log_day(state, days[0], SST_DAY_FINAL, 1);
    log_day(state, days[1], SST_DAY_FINAL, 2);
    sst_state_close(&state);
    const unsigned char *bytes = fake_disk_bytes(there, STATE_PATH "/days", &n_other);
    fake_disk_put(disk, STATE_PATH "/days", bytes, n_other);
    expect_fault("STATE/days: belongs to another state. Put back the file of this one");
    fake_disk_free(there);
    state_fixture_clear(&other);
}
END_TEST

/* What became of files is looked at as a file of blocks, and told where it is none. */
START_TEST(notes_of_files_are_verified)
{
    struct sst_block_writer *writer = NULL;
    size_t n_bytes = 0;
    const int folder = os->open(os->user, AT_FDCWD, STATE_PATH, O_RDONLY | O_DIRECTORY, 0);
    ck_assert_int_eq(
        sst_block_writer_create(SST_BLOCKS_TAG('N', 'O', 'T', 'E'), fixture.policy.identity, &writer, NULL), SST_OK);
    ck_assert_int_eq(sst_block_writer_add(writer, SST_BLOCKS_TAG('S', 'E', 'E', 'N'), 0, "x", 1, false, NULL), SST_OK);
    ck_assert_int_eq(sst_block_writer_commit(writer, os, folder, STATE_PATH, "files", NULL), SST_OK);
    ck_assert_int_eq(os->close(os->user, folder), 0);
    struct sst_state *state = open_state(SST_STATE_READ);
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, NULL), SST_OK);
    fake_disk_bytes(disk, STATE_PATH "/files", &n_bytes)[40] ^= 1;
    sst_state_close(&state);
    expect_fault(
        "STATE/files: damaged: block SEEN 0 of 1 bytes at byte 40 does not have its checksum. Put back a copy of "
        "this file");
    sst_block_writer_destroy(&writer);
}
END_TEST

START_TEST(what_a_dead_writer_left_is_cut_by_the_next)
{
    size_t n_bytes = 0, second = 0, n_now = 0;
    unsigned char *bytes = two_days(&n_bytes, &second), copy[2048];
    memcpy(copy, bytes, n_bytes);
    memset(copy + n_bytes, 7, 100);
    fake_disk_put(disk, STATE_PATH "/days", copy, n_bytes + 100);
    struct sst_state *state = open_state(SST_STATE_READ); /* a reader does not care */
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, NULL), SST_OK);
    ck_assert_uint_eq(sst_state_n_logged(state), 2);
    sst_state_close(&state);
    state = open_state(SST_STATE_WRITE);
    (void)fake_disk_bytes(disk, STATE_PATH "/days", &n_now);
    ck_assert_uint_eq(n_now, n_bytes);
    log_day(state, days[3], SST_DAY_FINAL, 3);
    sst_state_close(&state);
    state = open_state(SST_STATE_READ);
    expect_day(state, days[3], SST_DAY_FINAL, 3);
    sst_state_close(&state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("day_log");
    TCase *known = tcase_create("known");
    tcase_add_checked_fixture(known, open_fixture, close_fixture);
    tcase_add_test(known, what_was_logged_is_known_then_and_after_opening);
    tcase_add_test(known, the_last_record_of_a_day_is_what_is_known);
    tcase_add_test(known, days_at_once_are_like_days_one_by_one);
    tcase_add_test(known, a_state_that_was_begun_takes_days_too);
    tcase_add_test(known, the_digest_is_of_days_that_no_slot_counts_in_no_order);
    suite_add_tcase(suite, known);
    TCase *refused = tcase_create("refused");
    tcase_add_checked_fixture(refused, open_fixture, close_fixture);
    tcase_add_test(refused, days_that_are_not_for_the_state_are_refused);
    tcase_add_test(refused, a_state_that_keeps_no_values_logs_none);
    tcase_add_test(refused, faults_are_told_with_their_place);
    tcase_add_test(refused, parts_of_two_logs_are_no_log);
    tcase_add_test(refused, a_log_of_another_state_is_refused);
    tcase_add_test(refused, notes_of_files_are_verified);
    tcase_add_test(refused, what_a_dead_writer_left_is_cut_by_the_next);
    suite_add_tcase(suite, refused);
    return suite;
}
