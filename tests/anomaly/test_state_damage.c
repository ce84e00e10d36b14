/*
 * Files of a state that are not as they were written: each byte, each block, another's file, none at all.
 *
 * The linker sends calls for checksums through here (--wrap): where all are one number, the tests must find what is not told.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crash_scale.h"
#include "fake_os.h"
#include "state/file_notes.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

uint64_t __real_XXH3_64bits(const void *bytes, size_t n_bytes);
uint64_t __wrap_XXH3_64bits(const void *bytes, size_t n_bytes);

static bool has_no_checksums;

uint64_t __wrap_XXH3_64bits(const void *bytes, size_t n_bytes)
{
    return has_no_checksums ? 0 : __real_XXH3_64bits(bytes, n_bytes);
}

static struct state_fixture fixture;
static struct fake_disk *whole;

static void note_a_file(struct fake_disk *disk)
{
    struct sst_state *state = NULL;
    struct sst_file_notes *notes = NULL;
    struct sst_error err = {0};
    const struct sst_file_stamp stamp = {1000, 2000};
    char path[] = "in/a.nc", text[] = "cannot be read";
    const struct sst_held_file held = {
        .path = path, .stamp = stamp, .reason = SST_HELD_UNREADABLE, .text = text, .since = 1};
    ck_assert_int_eq(sst_state_open(fake_disk_os(disk), STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(sst_file_notes_open(state, &notes, &err), SST_OK);
    ck_assert_int_eq(sst_file_notes_take(notes, "in/b.nc", stamp, &err), SST_OK);
    ck_assert_int_eq(sst_file_notes_hold(notes, &held, &err), SST_OK);
    ck_assert_int_eq(sst_file_notes_commit(notes, state, &err), SST_OK);
    sst_file_notes_close(&notes);
    sst_state_close(&state);
}

static void open_fixture(void)
{
    struct sst_error err = {0};
    int acknowledged = 0;
    state_fixture_open(&fixture);
    whole = fake_disk_new();
    ck_assert_msg(state_run(fake_disk_os(whole), STATE_PATH, &fixture, &acknowledged, &err) == SST_OK, "%s", err.text);
    note_a_file(whole);
    fake_disk_kill(whole);
}

static void close_fixture(void)
{
    fake_disk_free(whole);
    state_fixture_clear(&fixture);
}

static const char *const files[] = {"STATE/policy",    "STATE/contents",  "STATE/days", "STATE/slots/040",
                                    "STATE/slots/060", "STATE/slots/300", "STATE/files"};
enum { N_FILES = sizeof files / sizeof files[0], N_NEEDED = N_FILES - 1 /* the last one may be missing */ };

/* A copy of a file's bytes. Owner: the caller; free. */
static unsigned char *bytes_of(struct fake_disk *disk, const char *path, size_t *n_bytes)
{
    const unsigned char *bytes = fake_disk_bytes(disk, path, n_bytes);
    ck_assert_ptr_nonnull(bytes);
    unsigned char *copy = malloc(*n_bytes + 1);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, *n_bytes);
    return copy;
}

static void keep(void *user, const char *text) { (void)snprintf(user, SST_ERROR_TEXT_SIZE, "%s", text); }

/* Whether damage is told: by opening or by verify, with the file's name; nothing may be counted from it. */
static bool is_told(struct fake_disk *disk, const char *path, enum sst_status *rc)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0}, digest_err = {0};
    struct sst_identity digest;
    char text[SST_ERROR_TEXT_SIZE] = "";
    *rc = sst_state_open(fake_disk_os(disk), STATE_PATH, SST_STATE_READ, &state, &err);
    if (*rc != SST_OK)
        return strstr(err.text, path) == err.text;
    *rc = sst_state_verify(state, keep, text, &err);
    const bool is_slot = strstr(path, "/slots/") != NULL;
    const bool is_refused = sst_state_digest(state, &digest, &digest_err) == SST_ERR_STATE;
    sst_state_close(&state);
    ck_assert(*rc == SST_OK || strcmp(err.text, "STATE: 1 faults") == 0);
    return *rc == SST_ERR_STATE && strstr(text, path) == text && (is_refused || !is_slot);
}

static void expect_told(struct fake_disk *disk, const char *path, const char *what)
{
    enum sst_status rc = SST_OK;
    ck_assert_msg(is_told(disk, path, &rc), "%s: %s: not told, status %d", path, what, (int)rc);
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
}

START_TEST(a_whole_state_is_told_whole)
{
    char why[SST_ERROR_TEXT_SIZE];
    const enum state_outcome outcome = state_judge(fake_disk_os(whole), STATE_PATH, &fixture, 1 + STATE_N_DAYS, why);
    ck_assert_msg(outcome == STATE_SOUND, "%s", why);
}
END_TEST

START_TEST(every_changed_byte_of_every_file_is_told)
{
    const long n_changes = crash_size((struct crash_sizes){1, 1, 8, 8}); /* one of some bits, or each bit */
    const size_t step = (size_t)crash_size((struct crash_sizes){3, 1, 1, 1});
    size_t n_bytes = 0, n_changed = 0;
    struct fake_disk *disk = fake_disk_copy(whole);
    unsigned char *bytes = bytes_of(disk, files[_i], &n_bytes);
    for (size_t at = 0; at < n_bytes; at += step) {
        for (long k = 0; k < n_changes; ++k, ++n_changed) {
            const unsigned char was = bytes[at],
                                change = (unsigned char)(n_changes == 1 ? 1 + at % 255 : (size_t)1 << k);
            bytes[at] = was ^ change;
            fake_disk_put(disk, files[_i], bytes, n_bytes);
            expect_told(disk, files[_i], test_path("byte %zu", at));
            bytes[at] = was;
        }
    }
    crash_count("T12", "%zu changes of %s, all told", n_changed, files[_i]);
    free(bytes);
    fake_disk_free(disk);
}
END_TEST

/* Without checksums that fixture is written anew, for what is stored in its files is the one number too. */
START_TEST(without_checksums_the_test_finds_what_is_not_told)
{
    struct sst_error err = {0};
    size_t n_bytes = 0, n_untold = 0;
    int acknowledged = 0;
    has_no_checksums = true;
    struct fake_disk *disk = fake_disk_new();
    ck_assert_msg(state_run(fake_disk_os(disk), STATE_PATH, &fixture, &acknowledged, &err) == SST_OK, "%s", err.text);
    note_a_file(disk);
    unsigned char *bytes = bytes_of(disk, files[_i], &n_bytes);
    for (size_t at = 0; at < n_bytes; ++at) {
        enum sst_status rc = SST_OK;
        bytes[at] ^= 1;
        fake_disk_put(disk, files[_i], bytes, n_bytes);
        n_untold += !is_told(disk, files[_i], &rc);
        bytes[at] ^= 1;
    }
    has_no_checksums = false;
    crash_count("T18", "checksums not looked at in %s: found, %zu of %zu changes are not told", files[_i], n_untold,
                n_bytes);
    ck_assert_uint_gt(n_untold, 0);
    free(bytes);
    fake_disk_free(disk);
}
END_TEST

START_TEST(lost_sectors_and_lost_ends_are_told)
{
    static const size_t sizes[] = {64, 512, 4096};
    size_t n_bytes = 0, n_lost = 0;
    struct fake_disk *disk = fake_disk_copy(whole);
    unsigned char *bytes = bytes_of(disk, files[_i], &n_bytes);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
        for (size_t at = 0; at < n_bytes; at += sizes[k], ++n_lost) {
            unsigned char *torn = bytes_of(whole, files[_i], &n_bytes);
            memset(torn + at, 0, at + sizes[k] < n_bytes ? sizes[k] : n_bytes - at);
            fake_disk_put(disk, files[_i], torn, n_bytes);
            expect_told(disk, files[_i], test_path("zeros at %zu", at));
            fake_disk_put(disk, files[_i], bytes, at);
            expect_told(disk, files[_i], test_path("cut at %zu", at));
            free(torn);
        }
    }
    crash_count("T12", "%zu lost sectors and %zu lost ends of %s, all told", n_lost, n_lost, files[_i]);
    ck_assert_uint_ge(n_lost, 5);
    free(bytes);
    fake_disk_free(disk);
}
END_TEST

START_TEST(a_missing_file_is_told)
{
    struct fake_disk *disk = fake_disk_copy(whole);
    const struct sst_os *os = fake_disk_os(disk);
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, files[_i]), 0);
    enum sst_status rc = SST_OK;
    /* Without a policy it is no state, which is told of the folder. */
    ck_assert(is_told(disk, _i == 0 ? STATE_PATH : files[_i], &rc));
    ck_assert_int_eq(rc, SST_ERR_STATE);
    fake_disk_free(disk);
}
END_TEST

START_TEST(a_missing_list_of_files_is_no_damage)
{
    char why[SST_ERROR_TEXT_SIZE];
    struct fake_disk *disk = fake_disk_copy(whole);
    const struct sst_os *os = fake_disk_os(disk);
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, "STATE/files"), 0);
    ck_assert_int_eq(state_judge_and_finish(os, STATE_PATH, &fixture, 1 + STATE_N_DAYS, why), STATE_SOUND);
    fake_disk_free(disk);
}
END_TEST

START_TEST(a_missing_lock_is_told_and_made_again)
{
    struct fake_disk *disk = fake_disk_copy(whole);
    const struct sst_os *os = fake_disk_os(disk);
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, "STATE/lock"), 0);
    expect_told(disk, "STATE/lock", "missing");
    ck_assert_int_eq(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, &err), SST_OK);
    sst_state_close(&state);
    fake_disk_free(disk);
}
END_TEST

/* Any file in the place of any other. */
START_TEST(the_file_of_another_place_is_told)
{
    for (int other = 0; other < N_FILES; ++other) {
        size_t n_bytes = 0;
        if (other == _i)
            continue;
        struct fake_disk *disk = fake_disk_copy(whole);
        unsigned char *bytes = bytes_of(whole, files[other], &n_bytes);
        fake_disk_put(disk, files[_i], bytes, n_bytes);
        expect_told(disk, files[_i], files[other]);
        free(bytes);
        fake_disk_free(disk);
    }
}
END_TEST

/* A state that differs in its seed alone. */
static struct fake_disk *other_state(void)
{
    struct fake_disk *disk = fake_disk_new();
    struct sst_error err = {0};
    int acknowledged = 0;
    struct state_fixture other;
    state_fixture_open_seed(&other, 4);
    ck_assert_msg(state_run(fake_disk_os(disk), STATE_PATH, &other, &acknowledged, &err) == SST_OK, "%s", err.text);
    state_fixture_clear(&other);
    note_a_file(disk);
    return disk;
}

START_TEST(the_file_of_another_state_is_told)
{
    struct fake_disk *other = other_state();
    for (int i = 1; i < N_FILES; ++i) {
        size_t n_bytes = 0;
        struct fake_disk *disk = fake_disk_copy(whole);
        unsigned char *bytes = bytes_of(other, files[i], &n_bytes);
        fake_disk_put(disk, files[i], bytes, n_bytes);
        expect_told(disk, files[i], "of another state");
        free(bytes);
        fake_disk_free(disk);
    }
    /* The other's policy makes all the rest strange: the contents are looked at first. */
    size_t n_bytes = 0;
    struct fake_disk *disk = fake_disk_copy(whole);
    unsigned char *bytes = bytes_of(other, files[0], &n_bytes);
    fake_disk_put(disk, files[0], bytes, n_bytes);
    expect_told(disk, "STATE/contents: belongs to another state", "with another policy");
    free(bytes);
    fake_disk_free(disk);
    fake_disk_free(other);
}
END_TEST

START_TEST(what_is_no_part_of_a_state_is_told)
{
    static const char *const strange[] = {"STATE/notes.txt", "STATE/slots/000",  "STATE/slots/367",
                                          "STATE/slots/40",  "STATE/slots/0400", "STATE/slots/040~"};
    for (size_t i = 0; i < sizeof strange / sizeof strange[0]; ++i) {
        struct fake_disk *disk = fake_disk_copy(whole);
        struct sst_state *state = NULL;
        struct sst_error err = {0};
        char text[SST_ERROR_TEXT_SIZE] = "";
        fake_disk_put(disk, strange[i], "x", 1);
        ck_assert_int_eq(sst_state_open(fake_disk_os(disk), STATE_PATH, SST_STATE_READ, &state, &err), SST_OK);
        ck_assert_int_eq(sst_state_verify(state, keep, text, &err), SST_ERR_STATE);
        ck_assert_str_eq(text, test_path("%s: is no part of a state. Move it elsewhere", strange[i]));
        sst_state_close(&state);
        fake_disk_free(disk);
    }
}
END_TEST

START_TEST(what_a_crash_left_is_no_damage_and_a_writer_removes_it)
{
    static const char *const left[] = {"STATE/policy.part", "STATE/contents.part", "STATE/files.part",
                                       "STATE/slots/040.part", "STATE/slots/200.part"};
    struct fake_disk *disk = fake_disk_copy(whole);
    char why[SST_ERROR_TEXT_SIZE];
    size_t n_bytes = 0;
    for (size_t i = 0; i < sizeof left / sizeof left[0]; ++i)
        fake_disk_put(disk, left[i], "half", 4);
    ck_assert_int_eq(state_judge_and_finish(fake_disk_os(disk), STATE_PATH, &fixture, 1 + STATE_N_DAYS, why),
                     STATE_SOUND);
    for (size_t i = 0; i < sizeof left / sizeof left[0]; ++i)
        ck_assert_ptr_null(fake_disk_bytes(disk, left[i], &n_bytes));
    fake_disk_free(disk);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_damage");
    TCase *tcase = tcase_create("damage");
    tcase_add_unchecked_fixture(tcase, open_fixture, close_fixture);
    tcase_set_timeout(tcase, 300);
    tcase_add_test(tcase, a_whole_state_is_told_whole);
    tcase_add_loop_test(tcase, every_changed_byte_of_every_file_is_told, 0, N_FILES);
    tcase_add_loop_test(tcase, without_checksums_the_test_finds_what_is_not_told, 0, N_FILES);
    tcase_add_loop_test(tcase, lost_sectors_and_lost_ends_are_told, 0, N_FILES);
    tcase_add_loop_test(tcase, a_missing_file_is_told, 0, N_NEEDED);
    tcase_add_test(tcase, a_missing_list_of_files_is_no_damage);
    tcase_add_test(tcase, a_missing_lock_is_told_and_made_again);
    tcase_add_loop_test(tcase, the_file_of_another_place_is_told, 0, N_FILES);
    tcase_add_test(tcase, the_file_of_another_state_is_told);
    tcase_add_test(tcase, what_is_no_part_of_a_state_is_told);
    tcase_add_test(tcase, what_a_crash_left_is_no_damage_and_a_writer_removes_it);
    suite_add_tcase(suite, tcase);
    return suite;
}
