/* What became of files: remembered over commits, damaged, forgotten. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "fake_os.h"
#include "state/file_notes.h"
#include "state_fixture.h"
#include "test_main.h"

struct bench {
    struct state_fixture fixture;
    struct fake_disk *disk;
    struct sst_state *state;
    struct sst_file_notes *notes;
};

static void reopen(struct bench *bench)
{
    struct sst_error err = {SST_OK, ""};
    sst_file_notes_close(&bench->notes);
    ck_assert_msg(sst_file_notes_open(bench->state, &bench->notes, &err) == SST_OK, "%s", err.text);
}

static void setup(struct bench *bench)
{
    struct sst_error err = {SST_OK, ""};
    *bench = (struct bench){.disk = fake_disk_new()};
    state_fixture_open(&bench->fixture);
    const struct sst_os *os = fake_disk_os(bench->disk);
    ck_assert_msg(sst_state_make(os, STATE_PATH, &bench->fixture.policy, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &bench->state, &err) == SST_OK, "%s", err.text);
    reopen(bench);
}

static void teardown(struct bench *bench)
{
    sst_file_notes_close(&bench->notes);
    sst_state_close(&bench->state);
    state_fixture_clear(&bench->fixture);
    fake_disk_free(bench->disk);
}

static void commit(struct bench *bench)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_file_notes_commit(bench->notes, bench->state, &err) == SST_OK, "%s", err.text);
}

static void take(struct bench *bench, const char *path, int64_t size)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_file_notes_take(bench->notes, path, (struct sst_file_stamp){size, 7}, &err), SST_OK);
}

static bool knows(const struct bench *bench, const char *path, int64_t size)
{
    return sst_file_notes_knows(bench->notes, path, (struct sst_file_stamp){size, 7});
}

static void hold(struct bench *bench, const char *path, enum sst_held_reason reason, int64_t since)
{
    struct sst_error err = {SST_OK, ""};
    const char *text = "an odd thing. Look at it";
    struct sst_held_file file = {
        .stamp = {100, 7}, .has_day = reason != SST_HELD_UNREADABLE, .day = {-3, 60}, .reason = reason, .since = since};
    file.path = strdup(path);
    file.text = strdup(text);
    ck_assert_int_eq(sst_file_notes_hold(bench->notes, &file, &err), SST_OK);
    free(file.path);
    free(file.text);
}

START_TEST(notes_outlive_the_process)
{
    struct bench bench;
    setup(&bench);
    commit(&bench); /* nothing to say, so nothing is written */
    size_t n_bytes = 0;
    ck_assert_ptr_null(fake_disk_bytes(bench.disk, STATE_PATH "/files", &n_bytes));
    take(&bench, "a/1.nc", 10);
    take(&bench, "a/2.nc", 20);
    hold(&bench, "z.nc", SST_HELD_UNREADABLE, 5);
    hold(&bench, "b.nc", SST_HELD_JUMP, 6);
    commit(&bench);
    reopen(&bench);
    ck_assert(knows(&bench, "a/1.nc", 10) && knows(&bench, "a/2.nc", 20));
    ck_assert(knows(&bench, "z.nc", 100) && knows(&bench, "b.nc", 100));
    ck_assert(!knows(&bench, "a/1.nc", 11)); /* another file by now */
    ck_assert(!sst_file_notes_knows(bench.notes, "a/1.nc", (struct sst_file_stamp){10, 8}));
    ck_assert(!knows(&bench, "z.nc", 101) && !knows(&bench, "a/3.nc", 10));
    ck_assert_uint_eq(sst_file_notes_n_held(bench.notes), 2);
    const struct sst_held_file *held = sst_file_notes_held(bench.notes);
    ck_assert_str_eq(held[0].path, "b.nc");
    ck_assert_str_eq(held[1].path, "z.nc");
    ck_assert_str_eq(held[0].text, "an odd thing. Look at it");
    ck_assert(held[0].has_day && held[0].day.year == -3 && held[0].day.slot == 60 && !held[1].has_day);
    ck_assert_int_eq(held[0].reason, SST_HELD_JUMP);
    ck_assert_str_eq(sst_held_reason_name(held[1].reason), "unreadable");
    ck_assert(held[0].since == 6 && held[0].stamp.size_bytes == 100 && held[0].stamp.mtime_ns == 7);
    teardown(&bench);
}
END_TEST

START_TEST(a_file_is_taken_or_held)
{
    struct bench bench;
    setup(&bench);
    hold(&bench, "a.nc", SST_HELD_STALE, 5);
    hold(&bench, "a.nc", SST_HELD_STALE, 9); /* since when stays */
    ck_assert_int_eq(sst_file_notes_held(bench.notes)[0].since, 5);
    hold(&bench, "a.nc", SST_HELD_JUMP, 9);
    ck_assert_uint_eq(sst_file_notes_n_held(bench.notes), 1);
    ck_assert_int_eq(sst_file_notes_held(bench.notes)[0].reason, SST_HELD_JUMP);
    take(&bench, "a.nc", 100);
    ck_assert_uint_eq(sst_file_notes_n_held(bench.notes), 0);
    ck_assert(knows(&bench, "a.nc", 100));
    hold(&bench, "a.nc", SST_HELD_CONFLICT, 9);
    ck_assert(sst_file_notes_forget(bench.notes, "a.nc"));
    ck_assert(!knows(&bench, "a.nc", 100)); /* not taken either */
    ck_assert(!sst_file_notes_forget(bench.notes, "a.nc"));
    take(&bench, "b.nc", 1);
    ck_assert(sst_file_notes_forget(bench.notes, "b.nc") && !knows(&bench, "b.nc", 1));
    teardown(&bench);
}
END_TEST

/* So many that the table grows, with every third one forgotten, and all but a few dropped at last. */
START_TEST(many_files_are_known_and_what_is_written_does_not_depend_on_their_order)
{
    enum { N = 3000 };
    struct bench bench, turned;
    setup(&bench);
    setup(&turned);
    for (int i = 0; i < N; ++i) {
        take(&bench, test_path("d/%d.nc", i), i);
        take(&turned, test_path("d/%d.nc", N - 1 - i), N - 1 - i);
    }
    for (int i = 0; i < N; i += 3) {
        ck_assert(sst_file_notes_forget(bench.notes, test_path("d/%d.nc", i)));
        ck_assert(sst_file_notes_forget(turned.notes, test_path("d/%d.nc", i)));
    }
    commit(&bench);
    commit(&turned);
    size_t n = 0, n_turned = 0;
    const unsigned char *bytes = fake_disk_bytes(bench.disk, STATE_PATH "/files", &n);
    const unsigned char *others = fake_disk_bytes(turned.disk, STATE_PATH "/files", &n_turned);
    ck_assert_uint_eq(n, n_turned);
    ck_assert_mem_eq(bytes, others, n);
    reopen(&bench);
    for (int i = 0; i < N; ++i)
        ck_assert_int_eq(knows(&bench, test_path("d/%d.nc", i), i), i % 3 != 0);
    const char *const kept[] = {"d/1.nc", "d/2999.nc", "d/3.nc", "elsewhere.nc"};
    sst_file_notes_keep_only(bench.notes, kept, 4);
    commit(&bench);
    reopen(&bench);
    ck_assert(knows(&bench, "d/1.nc", 1) && knows(&bench, "d/2999.nc", 2999) && !knows(&bench, "d/2.nc", 2));
    ck_assert(!knows(&bench, "d/3.nc", 3)); /* forgotten before */
    teardown(&bench);
    teardown(&turned);
}
END_TEST

START_TEST(a_sensor_is_new_once_and_never_the_first)
{
    struct bench bench;
    struct sst_error err = {SST_OK, ""};
    const char *const texts[] = {"MetOp-A", "MetOp-A", "MetOp-B", "MetOp-B", "MetOp-A"};
    const bool are_new[] = {false, false, true, false, false};
    setup(&bench);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        bool is_new = !are_new[i];
        ck_assert_int_eq(sst_file_notes_meet_sensor(bench.notes, texts[i], &is_new, &err), SST_OK);
        ck_assert_int_eq(is_new, are_new[i]);
        commit(&bench);
        reopen(&bench);
    }
    teardown(&bench);
}
END_TEST

/* Every byte of the file in turn. */
START_TEST(a_changed_byte_is_told_and_the_file_may_be_removed)
{
    struct bench bench;
    struct sst_error err = {SST_OK, ""};
    bool is_new = false;
    size_t n_bytes = 0;
    setup(&bench);
    take(&bench, "a.nc", 1);
    hold(&bench, "b.nc", SST_HELD_FOREIGN, 2);
    ck_assert_int_eq(sst_file_notes_meet_sensor(bench.notes, "MetOp-A", &is_new, &err), SST_OK);
    commit(&bench);
    unsigned char *bytes = fake_disk_bytes(bench.disk, STATE_PATH "/files", &n_bytes);
    for (size_t at = 0; at < n_bytes; ++at) {
        struct sst_file_notes *notes = NULL;
        bytes[at] ^= 0x10;
        ck_assert_int_eq(sst_file_notes_open(bench.state, &notes, &err), SST_ERR_STATE);
        ck_assert_ptr_null(notes);
        bytes[at] ^= 0x10;
    }
    ck_assert_msg(strstr(err.text, "or remove it: what became of files is forgotten") != NULL, "%s", err.text);
    const struct sst_os *os = fake_disk_os(bench.disk);
    ck_assert_int_eq(sst_state_verify(bench.state, NULL, NULL, &err), SST_OK);
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, STATE_PATH "/files"), 0);
    reopen(&bench);
    ck_assert(!knows(&bench, "a.nc", 1));
    teardown(&bench);
}
END_TEST

START_TEST(a_write_that_fails_leaves_the_old_notes)
{
    struct bench bench;
    struct sst_error err = {SST_OK, ""};
    setup(&bench);
    take(&bench, "a.nc", 1);
    commit(&bench);
    struct sst_state *reader = NULL;
    ck_assert_int_eq(sst_state_open(fake_disk_os(bench.disk), STATE_PATH, SST_STATE_READ, &reader, &err), SST_OK);
    take(&bench, "b.nc", 1);
    ck_assert_int_eq(sst_file_notes_commit(bench.notes, reader, &err), SST_ERR_INTERNAL); /* not open to write */
    sst_state_close(&reader);
    reopen(&bench);
    ck_assert(knows(&bench, "a.nc", 1) && !knows(&bench, "b.nc", 1));
    teardown(&bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("notes of files");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, notes_outlive_the_process);
    tcase_add_test(tc, a_file_is_taken_or_held);
    tcase_add_test(tc, many_files_are_known_and_what_is_written_does_not_depend_on_their_order);
    tcase_add_test(tc, a_sensor_is_new_once_and_never_the_first);
    tcase_add_test(tc, a_changed_byte_is_told_and_the_file_may_be_removed);
    tcase_add_test(tc, a_write_that_fails_leaves_the_old_notes);
    suite_add_tcase(suite, tc);
    return suite;
}
