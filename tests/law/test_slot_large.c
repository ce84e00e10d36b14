/*
 * A slot that is large is read and written by several threads: what it is, its file, and what is said of a damaged one do not tell
 * by how many. One thread is had by leaving the process one core.
 *
 * ctest-labels: threads
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "fake_os.h"
#include "slot_fixture.h"
#include "state/side_work.h"
#include "test_main.h"

enum { SLOT = 61, N_DAYS = 5, N_ROWS = 200, N_COLS = 300, KIND = SST_BLOCKS_TAG('T', 'E', 'S', 'T') };

struct law {
    struct sst_state_policy policy;
    struct slot_days days;
    struct fake_disk *disk;
    cpu_set_t cores; /* that this process had */
};

static void law_open(int which, struct law *law)
{
    law->policy = slot_policy_of_size(which, N_ROWS, N_COLS);
    slot_days_make(&law->policy, SLOT, &law->days);
    law->disk = fake_disk_new();
    ck_assert_int_eq(sched_getaffinity(0, sizeof law->cores, &law->cores), 0);
}

static void law_close(struct law *law)
{
    ck_assert_uint_eq(fake_disk_n_open(law->disk), 0);
    fake_disk_free(law->disk);
    slot_days_clear(&law->days);
    sst_state_policy_clear(&law->policy);
}

/* Leaves this process the first of its cores, or gives it all again. */
static void leave_cores(const struct law *law, bool all)
{
    cpu_set_t one;
    size_t first = 0;
    while (!CPU_ISSET(first, &law->cores))
        ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ck_assert_int_eq(sched_setaffinity(0, sizeof one, all ? &law->cores : &one), 0);
    if (!all)
        ck_assert_int_eq(sst_side_threads(), 1);
}

static int open_root(const struct law *law)
{
    const int root = fake_disk_os(law->disk)->open(law->disk, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY, 0);
    ck_assert_int_ge(root, 0);
    return root;
}

static void write_slot(const struct law *law, const struct sst_slot_state *slot, const char *name)
{
    struct sst_block_writer *writer = NULL;
    const int root = open_root(law);
    ck_assert_int_eq(sst_block_writer_create(KIND, law->policy.identity, &writer, NULL), SST_OK);
    ck_assert_int_eq(sst_slot_state_encode(slot, writer, NULL), SST_OK);
    ck_assert_int_eq(sst_block_writer_commit(writer, fake_disk_os(law->disk), root, "STATE", name, NULL), SST_OK);
    sst_block_writer_destroy(&writer);
    ck_assert_int_eq(fake_disk_os(law->disk)->close(law->disk, root), 0);
}

/* As a state reads it: large blocks are left in the file. NULL where it is damaged, as `err` tells. */
static struct sst_slot_state *read_slot(const struct law *law, const char *name, bool shut, struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    struct sst_slot_state *slot = NULL;
    const int root = open_root(law);
    const struct sst_block_place place = {fake_disk_os(law->disk), root, "STATE", name, KIND, &law->policy.identity};
    ck_assert_int_eq(sst_block_file_read_but(&place, sst_slot_large_tags, SST_SLOT_N_LARGE_TAGS, &file, err), SST_OK);
    ck_assert_int_eq(fake_disk_os(law->disk)->close(law->disk, root), 0);
    const enum sst_status rc = sst_slot_state_decode(&law->policy, SLOT, file, shut, &slot, err);
    ck_assert(rc == SST_OK || rc == SST_ERR_STATE);
    sst_block_file_destroy(&file);
    return slot;
}

static struct sst_slot_state *some_days(const struct law *law, size_t n)
{
    struct sst_slot_state *slot = slot_new(&law->policy, SLOT);
    for (size_t i = 0; i < n; ++i)
        slot_add(slot, &law->days.days[i]);
    return slot;
}

static void files_are_alike(const struct law *law, const char *a, const char *b)
{
    size_t n_a = 0, n_b = 0;
    const unsigned char *bytes_a = fake_disk_bytes(law->disk, a, &n_a), *bytes_b = fake_disk_bytes(law->disk, b, &n_b);
    ck_assert_uint_eq(n_a, n_b);
    ck_assert(memcmp(bytes_a, bytes_b, n_a) == 0);
}

/* Written, read shut and open, added to, and written again. */
START_TEST(a_large_slot_does_not_tell_how_many_threads_there_were)
{
    static const char *const names[2][3] = {{"one", "one_shut", "one_open"}, {"all", "all_shut", "all_open"}};
    struct law law;
    law_open(_i, &law);
    struct sst_slot_state *before = some_days(&law, N_DAYS), *after = some_days(&law, N_DAYS + 1);
    ck_assert_uint_gt(before->n_items, 32768);
    for (int all = 0; all <= 1; ++all) {
        struct sst_error err = {0};
        leave_cores(&law, all);
        write_slot(&law, before, names[all][0]);
        for (int open = 0; open <= 1; ++open) {
            struct sst_slot_state *slot = read_slot(&law, names[all][0], !open, &err);
            ck_assert_msg(slot != NULL, "%s", err.text);
            const struct sst_identity a = sst_slot_state_digest(slot), b = sst_slot_state_digest(before);
            ck_assert(sst_identity_is(a, b));
            slot_add(slot, &law.days.days[N_DAYS]);
            write_slot(&law, slot, names[all][1 + open]);
            sst_slot_state_destroy(&slot);
        }
    }
    write_slot(&law, after, "after");
    files_are_alike(&law, "one", "all");
    for (int all = 0; all <= 1; ++all)
        for (int open = 0; open <= 1; ++open)
            files_are_alike(&law, "after", names[all][1 + open]);
    sst_slot_state_destroy(&after);
    sst_slot_state_destroy(&before);
    law_close(&law);
}
END_TEST

/* What is said of a file in which bytes are changed, at these twenty-fourths of its length. */
static struct sst_error say_of(const struct law *law, const size_t *places, size_t n_places, bool all)
{
    size_t n = 0;
    const unsigned char *bytes = fake_disk_bytes(law->disk, "slot", &n);
    unsigned char *copy = malloc(n);
    struct sst_error err = {0};
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, n);
    for (size_t i = 0; i < n_places; ++i)
        copy[n / 24 * places[i]] ^= 1;
    fake_disk_put(law->disk, "hurt", copy, n);
    free(copy);
    leave_cores(law, all);
    ck_assert_ptr_null(read_slot(law, "hurt", all, &err));
    ck_assert_ptr_nonnull(strstr(err.text, "does not have its checksum"));
    return err;
}

/* Of two that are far from each other. */
START_TEST(the_first_fault_of_a_large_slot_is_told)
{
    static const size_t places[] = {14, 17, 20};
    struct law law;
    law_open(_i, &law);
    struct sst_slot_state *slot = some_days(&law, N_DAYS);
    write_slot(&law, slot, "slot");
    for (size_t first = 0; first < 2; ++first) {
        const struct sst_error alone = say_of(&law, places + first, 1, false);
        for (int all = 0; all <= 1; ++all) {
            const struct sst_error both = say_of(&law, places + first, 2, all);
            ck_assert_str_eq(both.text, alone.text);
        }
    }
    sst_slot_state_destroy(&slot);
    law_close(&law);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("slot_large");
    TCase *tcase = tcase_create("large");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_large_slot_does_not_tell_how_many_threads_there_were, 0, SLOT_N_POLICIES);
    tcase_add_loop_test(tcase, the_first_fault_of_a_large_slot_is_told, 0, SLOT_N_POLICIES);
    suite_add_tcase(suite, tcase);
    return suite;
}
