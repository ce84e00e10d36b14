/*
 * The states of format 1.0 in state-v1/, with their versions changed: a newer minor version is read, a newer major one refused
 * by name, and nothing is written into it.
 *
 * ctest-labels: crash
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "fake_os.h"
#include "state/block_file_layout.h"
#include "state/state.h"
#include "test_main.h"

enum { MAX_BYTES = 16384, MAJOR_AT = 8, MINOR_AT = 10 };

static const char *const states[] = {"all", "none"};
static const char *const files[] = {"policy", "contents", "slots/001", "slots/002", "days", "files"};
enum { N_STATES = sizeof states / sizeof states[0], N_FILES = sizeof files / sizeof files[0], DAYS = 4 };

static size_t read_file(const char *state, const char *name, unsigned char *bytes)
{
    const char *path = test_path("%s/tests/golden/state-v1/%s/%s", getenv("SST_SOURCE_DIR"), state, name);
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be opened", path);
    const size_t n = fread(bytes, 1, MAX_BYTES, file);
    ck_assert_uint_lt(n, MAX_BYTES);
    (void)fclose(file);
    return n;
}

/* A disk with the state "S", one number of one file's header changed as a program of that version would have written it. */
static struct fake_disk *load(const char *state, const char *changed, int at, uint64_t number)
{
    static unsigned char bytes[MAX_BYTES];
    struct fake_disk *disk = fake_disk_new();
    const struct sst_os *os = fake_disk_os(disk);
    ck_assert_int_eq(os->make_folder(os->user, AT_FDCWD, "S", 0777), 0);
    ck_assert_int_eq(os->make_folder(os->user, AT_FDCWD, "S/slots", 0777), 0);
    fake_disk_put(disk, "S/lock", "", 0);
    for (int i = 0; i < N_FILES; ++i) {
        const size_t n = read_file(state, files[i], bytes);
        if (strcmp(files[i], changed) == 0) {
            (void)sst_blocks_put(bytes + at, number, 2);
            (void)sst_blocks_put(bytes + SST_BLOCKS_HASHED_HEADER, XXH3_64bits(bytes, SST_BLOCKS_HASHED_HEADER), 8);
        }
        fake_disk_put(disk, test_path("S/%s", files[i]), bytes, n);
    }
    return disk;
}

static void keep_text(void *user, const char *text) { (void)snprintf(user, SST_ERROR_TEXT_SIZE, "%s", text); }

/* The digest of a state that is whole, and else what is said of it. */
static enum sst_status look(struct fake_disk *disk, enum sst_state_use use, struct sst_identity *digest, char *said)
{
    struct sst_state *state = NULL;
    struct sst_error err = {SST_OK, ""};
    *said = '\0';
    enum sst_status rc = sst_state_open(fake_disk_os(disk), "S", use, &state, &err);
    if (rc != SST_OK)
        keep_text(said, err.text);
    else
        rc = sst_state_verify(state, keep_text, said, &err);
    if (rc == SST_OK)
        rc = sst_state_digest(state, digest, &err);
    sst_state_close(&state);
    return rc;
}

static struct sst_identity digest_as_written(const char *state)
{
    char path[512], line[256], name[32];
    struct sst_identity digest = {0, 0};
    unsigned long long high = 0, low = 0;
    (void)snprintf(path, sizeof path, "%s/tests/golden/state-v1/expected.csv", getenv("SST_SOURCE_DIR"));
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "%31[a-z],digest,,%16llx%16llx", name, &high, &low) == 3 && strcmp(name, state) == 0)
            digest = (struct sst_identity){low, high};
    (void)fclose(file);
    return digest;
}

START_TEST(a_state_of_format_1_0_is_read)
{
    char said[SST_ERROR_TEXT_SIZE];
    struct sst_identity digest = {0, 0};
    struct fake_disk *disk = load(states[_i], "", 0, 0);
    ck_assert_msg(look(disk, SST_STATE_READ, &digest, said) == SST_OK, "%s", said);
    ck_assert(sst_identity_is(digest, digest_as_written(states[_i])));
    fake_disk_free(disk);
}
END_TEST

/* The chain of the log of days begins with its header: a writer of that version would have written other contents too. */
START_TEST(a_newer_minor_version_is_read)
{
    char said[SST_ERROR_TEXT_SIZE];
    for (int i = 0; i < N_FILES; ++i) {
        struct sst_identity digest = {0, 0};
        if (i == DAYS)
            continue;
        struct fake_disk *disk = load(states[_i], files[i], MINOR_AT, 7);
        ck_assert_msg(look(disk, SST_STATE_READ, &digest, said) == SST_OK, "%s: %s", files[i], said);
        ck_assert(sst_identity_is(digest, digest_as_written(states[_i])));
        fake_disk_free(disk);
    }
}
END_TEST

START_TEST(a_newer_major_version_is_refused_by_name)
{
    char said[SST_ERROR_TEXT_SIZE];
    for (int i = 0; i < N_FILES; ++i) {
        for (enum sst_state_use use = SST_STATE_READ; use <= SST_STATE_WRITE; ++use) {
            struct sst_identity digest = {0, 0};
            struct fake_disk *disk = load(states[_i], files[i], MAJOR_AT, 2);
            struct fake_disk *before = fake_disk_copy(disk);
            ck_assert_int_eq(look(disk, use, &digest, said), SST_ERR_STATE);
            ck_assert_str_eq(said, test_path("S/%s: is of format 2.0, and this program reads up to 1. Use a newer "
                                             "sststream",
                                             files[i]));
            ck_assert_msg(fake_disk_is_same(disk, before), "%s: something was written", files[i]);
            fake_disk_free(before);
            fake_disk_free(disk);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_versions");
    TCase *tcase = tcase_create("versions");
    tcase_add_loop_test(tcase, a_state_of_format_1_0_is_read, 0, N_STATES);
    tcase_add_loop_test(tcase, a_newer_minor_version_is_read, 0, N_STATES);
    tcase_add_loop_test(tcase, a_newer_major_version_is_refused_by_name, 0, N_STATES);
    suite_add_tcase(suite, tcase);
    return suite;
}
