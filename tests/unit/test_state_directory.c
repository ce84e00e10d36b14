/* A state's life: made, opened, filled, closed; and what is said where that cannot be. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fake_os.h"
#include "state_fixture.h"
#include "test_main.h"

/* ctest-labels: crash */

static struct state_fixture fixture;
static struct fake_disk *disk;
static const struct sst_os *os;

static void open_fixture(void)
{
    state_fixture_open(&fixture);
    disk = fake_disk_new();
    os = fake_disk_os(disk);
}

static void close_fixture(void)
{
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
    fake_disk_free(disk);
    state_fixture_clear(&fixture);
}

static void expect(enum sst_status got, enum sst_status wanted, struct sst_error *err, const char *text)
{
    ck_assert_msg(got == wanted, "status %d, %s", (int)got, err->text);
    ck_assert_str_eq(err->text, text);
    sst_error_clear(err);
}

static bool has(const char *path)
{
    const int fd = os->open(os->user, AT_FDCWD, path, O_RDONLY, 0);
    return fd >= 0 && os->close(os->user, fd) == 0;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

START_TEST(a_state_of_no_day_is_whole)
{
    struct sst_state *state = NULL;
    struct sst_slot_state *slot = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_state_make(os, STATE_PATH "//", &fixture.policy, &err), SST_OK);
    ck_assert_int_eq(sst_state_open(os, STATE_PATH, SST_STATE_READ, &state, &err), SST_OK);
    ck_assert(sst_identity_is(sst_state_policy(state)->identity, fixture.policy.identity));
    ck_assert_str_eq(sst_state_path(state), STATE_PATH);
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, &err), SST_OK);
    ck_assert_int_eq(sst_state_load(state, 366, &slot, &err), SST_OK);
    ck_assert_uint_eq(slot->n_ledger, 0);
    ck_assert_int_eq(sst_state_commit(state, slot, &err), SST_ERR_INTERNAL); /* opened to read */
    sst_slot_state_destroy(&slot);
    sst_error_clear(&err);
    ck_assert_int_eq(sst_state_load(state, 367, &slot, &err), SST_ERR_INTERNAL);
    sst_state_close(&state);
}
END_TEST

START_TEST(nothing_is_replaced_by_a_new_state)
{
    struct sst_error err = {0};
    fake_disk_put(disk, "file", "x", 1);
    expect(sst_state_make(os, "file", &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "file: is there already. Give another name, or remove it");
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_OK);
    expect(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "STATE: is there already. Give another name, or remove it");
    expect(
        sst_state_make(os, "a/b", &fixture.policy, &err), SST_ERR_OUTPUT, &err,
        "a/b: the folder it goes into cannot be opened: No such file or directory. Choose another place, or make this "
        "one writable");
    expect(sst_state_make(os, "", &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "'': does not name a new folder. Give the name of one");
    expect(sst_state_make(os, "STATE/..", &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "'STATE/..': does not name a new folder. Give the name of one");
}
END_TEST

START_TEST(what_is_begun_and_not_finished_leaves_nothing)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    bool was_there = false;
    ck_assert_int_eq(sst_state_begin(os, STATE_PATH, &fixture.policy, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_OK);
    ck_assert(has("STATE.part/slots/040"));
    sst_state_close(&state);
    expect(sst_state_open(os, STATE_PATH, SST_STATE_READ, &state, &err), SST_ERR_STATE, &err,
           "STATE: there is no state. Give the folder of one, or make it first");
    ck_assert_int_eq(os->open(os->user, AT_FDCWD, "STATE.part", O_RDONLY, 0), -1);
}
END_TEST

START_TEST(what_is_begun_filled_and_finished_is_like_one_that_was_filled_later)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    char why[SST_ERROR_TEXT_SIZE];
    bool was_there = false;
    ck_assert_int_eq(sst_state_begin(os, STATE_PATH, &fixture.policy, &state, &err), SST_OK);
    for (int day = 0; day < STATE_N_DAYS - 1; ++day)
        ck_assert_int_eq(state_add_day(state, day, &was_there, &err), SST_OK);
    ck_assert_int_eq(sst_state_finish(state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, STATE_N_DAYS - 1, &was_there, &err), SST_OK);
    ck_assert_int_eq(sst_state_finish(state, &err), SST_ERR_OUTPUT); /* it is already */
    sst_state_close(&state);
    ck_assert_int_eq(state_judge(os, STATE_PATH, &fixture, 1 + STATE_N_DAYS, why), STATE_SOUND);
}
END_TEST

START_TEST(a_part_that_a_crash_left_is_made_anew_and_one_of_others_is_not_touched)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    char why[SST_ERROR_TEXT_SIZE];
    bool was_there = false;
    ck_assert_int_eq(sst_state_begin(os, STATE_PATH, &fixture.policy, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_OK);
    expect(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_ERR_LOCKED, &err,
           "STATE: another process writes into it. Wait for it to end, or stop it");
    struct fake_disk *after = fake_disk_copy(disk);
    ck_assert_int_eq(sst_state_make(fake_disk_os(after), STATE_PATH, &fixture.policy, &err), SST_OK);
    ck_assert_int_eq(state_judge_and_finish(fake_disk_os(after), STATE_PATH, &fixture, 1, why), STATE_SOUND);
    fake_disk_free(after);
    sst_state_close(&state);
    ck_assert_int_eq(os->make_folder(os->user, AT_FDCWD, "STATE.part", 0777), 0);
    fake_disk_put(disk, "STATE.part/novel.txt", "x", 1);
    expect(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "STATE.part: holds novel.txt, so it was not left by us. Remove it, or give another name");
    ck_assert(has("STATE.part/novel.txt"));
    ck_assert(!has("STATE.part/lock"));
}
END_TEST

/* --- opening ------------------------------------------------------------------------------------------------------ */

START_TEST(what_is_no_state_is_said_and_not_written_into)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(os->make_folder(os->user, AT_FDCWD, "folder", 0777), 0);
    fake_disk_put(disk, "file", "x", 1);
    expect(sst_state_open(os, "none", SST_STATE_WRITE, &state, &err), SST_ERR_STATE, &err,
           "none: there is no state. Give the folder of one, or make it first");
    expect(sst_state_open(os, "file", SST_STATE_WRITE, &state, &err), SST_ERR_STATE, &err,
           "file: cannot be opened: Not a directory. Give the folder of a state");
    expect(sst_state_open(os, "folder", SST_STATE_WRITE, &state, &err), SST_ERR_STATE, &err,
           "folder: this is no state: it has no file \"policy\". Give the folder of a state");
    ck_assert(!has("folder/lock"));
    ck_assert_ptr_null(state);
}
END_TEST

START_TEST(a_state_of_a_newer_version_is_refused_by_name)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    size_t n_bytes = 0;
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_OK);
    unsigned char *header = fake_disk_bytes(disk, "STATE/policy", &n_bytes);
    header[8] = 2;
    const uint64_t checksum = XXH3_64bits(header, 32);
    memcpy(header + 32, &checksum, sizeof checksum);
    expect(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_ERR_STATE, &err,
           "STATE/policy: is of format 2.0, and this program reads up to 1. Use a newer sststream");
}
END_TEST

static int open_read_only(void *user, int folder, const char *name, int flags, unsigned mode)
{
    if ((flags & O_ACCMODE) != O_RDONLY) {
        errno = EROFS;
        return -1;
    }
    return fake_disk_os(user)->open(user, folder, name, flags, mode);
}

static int no_folder(void *user, int folder, const char *name, unsigned mode)
{
    (void)user;
    (void)folder;
    (void)name;
    (void)mode;
    errno = EROFS;
    return -1;
}

START_TEST(on_a_read_only_disk_a_state_can_be_read)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    struct sst_os read_only = *os;
    read_only.open = open_read_only;
    read_only.make_folder = no_folder;
    expect(sst_state_make(&read_only, STATE_PATH, &fixture.policy, &err), SST_ERR_OUTPUT, &err,
           "STATE: the folder cannot be made: Read-only file system. Choose another place, or make this one writable");
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_OK);
    expect(sst_state_open(&read_only, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_ERR_OUTPUT, &err,
           "STATE/lock: cannot be opened to write: Read-only file system. Make the state writable");
    ck_assert_int_eq(sst_state_open(&read_only, STATE_PATH, SST_STATE_READ, &state, &err), SST_OK);
    ck_assert_int_eq(sst_state_verify(state, NULL, NULL, &err), SST_OK);
    sst_state_close(&state);
}
END_TEST

START_TEST(a_slot_of_another_policy_is_not_taken)
{
    struct state_fixture other;
    struct sst_state *state = NULL;
    struct sst_slot_state *slot = NULL;
    struct sst_error err = {0};
    state_fixture_open_seed(&other, 4);
    ck_assert_int_eq(sst_slot_state_create(&other.policy, 40, &slot, &err), SST_OK);
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_OK);
    ck_assert_int_eq(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(sst_state_commit(state, slot, &err), SST_ERR_INTERNAL);
    sst_state_close(&state);
    sst_slot_state_destroy(&slot);
    state_fixture_clear(&other);
}
END_TEST

/* A state that a process left between a slot's rename and the contents: the next writer puts it in. */
START_TEST(a_slot_that_the_contents_do_not_have_yet_is_put_in)
{
    struct sst_state *state = NULL;
    struct sst_error err = {0};
    size_t n_bytes = 0;
    bool was_there = false;
    char text[SST_ERROR_TEXT_SIZE];
    ck_assert_int_eq(sst_state_make(os, STATE_PATH, &fixture.policy, &err), SST_OK);
    const unsigned char *bytes = fake_disk_bytes(disk, "STATE/contents", &n_bytes);
    unsigned char *before = malloc(n_bytes);
    ck_assert_ptr_nonnull(before);
    memcpy(before, bytes, n_bytes);
    ck_assert_int_eq(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_int_eq(state_add_day(state, 0, &was_there, &err), SST_OK);
    sst_state_close(&state);
    fake_disk_put(disk, "STATE/contents", before, n_bytes);
    free(before);
    ck_assert_int_eq(state_judge(os, STATE_PATH, &fixture, 2, text), STATE_SOUND);
    ck_assert_int_eq(sst_state_open(os, STATE_PATH, SST_STATE_WRITE, &state, &err), SST_OK);
    sst_state_close(&state);
    ck_assert_int_eq(os->unlink(os->user, AT_FDCWD, "STATE/slots/040"), 0);
    ck_assert_int_eq(state_judge(os, STATE_PATH, &fixture, 2, text), STATE_DAMAGED);
    ck_assert_str_eq(text, "STATE/slots/040: missing. Put back a copy of this file");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_directory");
    TCase *tcase = tcase_create("directory");
    tcase_add_checked_fixture(tcase, open_fixture, close_fixture);
    tcase_add_test(tcase, a_state_of_no_day_is_whole);
    tcase_add_test(tcase, nothing_is_replaced_by_a_new_state);
    tcase_add_test(tcase, what_is_begun_and_not_finished_leaves_nothing);
    tcase_add_test(tcase, what_is_begun_filled_and_finished_is_like_one_that_was_filled_later);
    tcase_add_test(tcase, a_part_that_a_crash_left_is_made_anew_and_one_of_others_is_not_touched);
    tcase_add_test(tcase, what_is_no_state_is_said_and_not_written_into);
    tcase_add_test(tcase, a_state_of_a_newer_version_is_refused_by_name);
    tcase_add_test(tcase, on_a_read_only_disk_a_state_can_be_read);
    tcase_add_test(tcase, a_slot_of_another_policy_is_not_taken);
    tcase_add_test(tcase, a_slot_that_the_contents_do_not_have_yet_is_put_in);
    suite_add_tcase(suite, tcase);
    return suite;
}
