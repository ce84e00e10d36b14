/* Files of blocks: what was put in comes out; no other bytes are believed, and none can do harm. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "core/digest.h"
#include "fake_os.h"
#include "random.h"
#include "state/block_file.h"
#include "state/packed_codes.h"
#include "test_main.h"

/* ctest-labels: crash */

#define KIND SST_BLOCKS_TAG('T', 'E', 'S', 'T')

enum { HEADER = 40, ENTRY = 40, TRAILER = 40, N_LONG = 5000 };

static const struct sst_identity identity = {0x1122334455667788, 0x99AABBCCDDEEFF00};
static unsigned char zeros[N_LONG], noise[N_LONG];
static struct fake_disk *disk;

static void open_disk(void)
{
    struct test_random random = {1};
    for (int i = 0; i < N_LONG; ++i)
        noise[i] = (unsigned char)test_random_next(&random);
    disk = fake_disk_new();
}

static void close_disk(void)
{
    ck_assert_uint_eq(fake_disk_n_open(disk), 0);
    fake_disk_free(disk);
}

/* The folder that files go into. */
static int open_root(void)
{
    const int folder = fake_disk_os(disk)->open(disk, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY, 0);
    ck_assert_int_ge(folder, 0);
    return folder;
}

static void close_root(int folder) { ck_assert_int_eq(fake_disk_os(disk)->close(disk, folder), 0); }

static void write_file(const char *name)
{
    struct sst_block_writer *writer = NULL;
    struct sst_error err = {0};
    const int root = open_root();
    ck_assert_int_eq(sst_block_writer_create(KIND, identity, &writer, &err), SST_OK);
    ck_assert_int_eq(sst_block_writer_add(writer, 1, 0, "abc", 3, false, &err), SST_OK);
    ck_assert_int_eq(sst_block_writer_add(writer, 1, 7, "", 0, true, &err), SST_OK);
    ck_assert_int_eq(sst_block_writer_add(writer, 2, 0, zeros, sizeof zeros, true, &err), SST_OK);
    ck_assert_int_eq(sst_block_writer_add(writer, 3, 0, noise, 61, true, &err), SST_OK);
    ck_assert_int_eq(sst_block_writer_commit(writer, fake_disk_os(disk), root, "STATE", name, &err), SST_OK);
    sst_block_writer_destroy(&writer);
    close_root(root);
}

static enum sst_status read_file(const char *name, uint32_t kind, const struct sst_identity *of,
                                 struct sst_block_file **file, struct sst_error *err)
{
    const int root = open_root();
    sst_error_clear(err);
    const enum sst_status rc = sst_block_file_read(fake_disk_os(disk), root, "STATE", name, kind, of, file, err);
    close_root(root);
    return rc;
}

/* --- what is written comes back ----------------------------------------------------------------------------------- */

START_TEST(blocks_come_back_by_place_and_by_name)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    write_file("a");
    ck_assert_int_eq(read_file("a", KIND, &identity, &file, &err), SST_OK);
    ck_assert_uint_eq(sst_block_file_n_blocks(file), 4);
    ck_assert(sst_identity_is(sst_block_file_identity(file), identity));
    ck_assert_uint_eq(sst_block_file_at(file, 0).n_bytes, 3);
    ck_assert_mem_eq(sst_block_file_at(file, 0).bytes, "abc", 3);
    ck_assert_ptr_nonnull(sst_block_file_find(file, 1, 7).bytes);
    ck_assert_uint_eq(sst_block_file_find(file, 1, 7).n_bytes, 0);
    ck_assert_uint_eq(sst_block_file_find(file, 2, 0).n_bytes, sizeof zeros);
    ck_assert_mem_eq(sst_block_file_find(file, 2, 0).bytes, zeros, sizeof zeros);
    ck_assert_mem_eq(sst_block_file_find(file, 3, 0).bytes, noise, 61);
    ck_assert_ptr_null(sst_block_file_find(file, 9, 0).bytes);
    sst_block_file_destroy(&file);
    size_t n_bytes = 0;
    ck_assert_ptr_nonnull(fake_disk_bytes(disk, "a", &n_bytes));
    ck_assert_uint_lt(n_bytes, 500); /* zeros were packed */
    ck_assert_ptr_null(fake_disk_bytes(disk, "a.part", &n_bytes));
}
END_TEST

START_TEST(no_file_is_no_error_and_no_blocks)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    ck_assert_int_eq(read_file("none", KIND, NULL, &file, &err), SST_OK);
    ck_assert_ptr_null(file);
}
END_TEST

START_TEST(a_file_of_another_kind_or_state_is_refused_by_name)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    struct sst_identity other = identity;
    other.high ^= 1;
    write_file("a");
    ck_assert_int_eq(read_file("a", KIND, &other, &file, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text, "STATE/a: belongs to another state. Put back the file of this one");
    ck_assert_int_eq(read_file("a", SST_BLOCKS_TAG('S', 'L', 'O', 'T'), &identity, &file, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text, "STATE/a: is a file of kind TEST where one of kind SLOT belongs. Put it back");
    ck_assert_ptr_null(file);
}
END_TEST

/* --- blocks that are lent, and left in the file ------------------------------------------------------------------ */

enum { LENT = 5, N_LENT = 4997 /* with padding */ };

/* Blocks of LENT between others, long and short, packed and not; lent where `lends`. */
static void write_lent(const char *name, bool lends, const unsigned char *packed, size_t n_packed)
{
    struct sst_block_writer *writer = NULL;
    const int root = open_root();
    ck_assert_int_eq(sst_block_writer_create(KIND, identity, &writer, NULL), SST_OK);
    for (uint32_t number = 0; number < 3; ++number) { /* the second one too short to be lent */
        const size_t n_bytes = number == 1 ? 5 : N_LENT;
        const struct sst_stored_block block = {LENT,    number,  noise + number,
                                               n_bytes, n_bytes, sst_digest_checksum(noise + number, n_bytes)};
        const enum sst_status rc =
            lends ? sst_block_writer_lend(writer, &block, NULL)
                  : sst_block_writer_add(writer, LENT, number, noise + number, n_bytes, false, NULL);
        ck_assert_int_eq(rc, SST_OK);
        ck_assert_int_eq(sst_block_writer_add(writer, 1, number, zeros, sizeof zeros, true, NULL), SST_OK);
    }
    const struct sst_stored_block block = {
        LENT, 3, packed, n_packed, sizeof zeros, sst_digest_checksum(packed, n_packed)};
    if (lends)
        ck_assert_int_eq(sst_block_writer_lend(writer, &block, NULL), SST_OK);
    else
        ck_assert_int_eq(sst_block_writer_add(writer, LENT, 3, zeros, sizeof zeros, true, NULL), SST_OK);
    ck_assert_int_eq(sst_block_writer_commit(writer, fake_disk_os(disk), root, "STATE", name, NULL), SST_OK);
    sst_block_writer_destroy(&writer);
    close_root(root);
}

/* Both files: "added", "lent". */
static void write_both(void)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    write_lent("added", false, NULL, 0);
    ck_assert_int_eq(read_file("added", KIND, &identity, &file, &err), SST_OK);
    const struct sst_block packed = sst_block_file_find(file, LENT, 3);
    ck_assert_uint_lt(packed.n_stored, packed.n_bytes);
    write_lent("lent", true, packed.stored, packed.n_stored);
    sst_block_file_destroy(&file);
}

static struct sst_block_file *read_but_lent(const char *name)
{
    static const uint32_t tags[] = {LENT};
    struct sst_block_file *file = NULL;
    struct sst_error err = {0};
    const int root = open_root();
    const struct sst_block_place place = {fake_disk_os(disk), root, "STATE", name, KIND, &identity};
    ck_assert_msg(sst_block_file_read_but(&place, tags, 1, &file, &err) == SST_OK, "%s", err.text);
    close_root(root);
    return file;
}

START_TEST(a_file_of_lent_blocks_is_that_of_copies)
{
    size_t n_added = 0, n_lent = 0;
    write_both();
    const unsigned char *added = fake_disk_bytes(disk, "added", &n_added);
    const unsigned char *lent = fake_disk_bytes(disk, "lent", &n_lent);
    ck_assert_uint_eq(n_added, n_lent);
    ck_assert_mem_eq(added, lent, n_added);
}
END_TEST

/* A block as its bytes have to be, checked. */
static enum sst_status read_stored(const struct sst_block_file *file, const struct sst_block *block, void *to,
                                   struct sst_error *err)
{
    SST_TRY(sst_block_file_fetch(file, block, to, err));
    return sst_block_file_check(file, block, sst_digest_checksum(to, block->n_stored), err);
}

START_TEST(blocks_left_in_a_file_are_read_where_they_are_wanted)
{
    unsigned char to[N_LONG];
    write_both();
    struct sst_block_file *file = read_but_lent("lent");
    ck_assert_uint_eq(sst_block_file_n_blocks(file), 7);
    ck_assert_mem_eq(sst_block_file_find(file, 1, 2).bytes, zeros, sizeof zeros);
    for (uint32_t number = 0; number < 3; ++number) {
        const struct sst_block block = sst_block_file_find(file, LENT, number);
        ck_assert_ptr_null(block.bytes);
        ck_assert_ptr_null(block.stored);
        ck_assert_int_eq(read_stored(file, &block, to, NULL), SST_OK);
        ck_assert_mem_eq(to, noise + number, block.n_bytes);
    }
    const struct sst_block block = sst_block_file_find(file, LENT, 3);
    struct sst_unpacker *unpacker = NULL;
    ck_assert_int_eq(sst_unpacker_create(&unpacker, NULL), SST_OK);
    unsigned char stored[N_LONG];
    memset(to, 1, sizeof to);
    ck_assert_int_eq(read_stored(file, &block, stored, NULL), SST_OK);
    ck_assert_int_eq(sst_block_unpack(&block, unpacker, stored, to, NULL), SST_OK);
    sst_unpacker_destroy(&unpacker);
    ck_assert_mem_eq(to, zeros, sizeof zeros);
    sst_block_file_destroy(&file);
}
END_TEST

/* One changed byte of a block that was left, and one of its padding. */
START_TEST(damage_of_a_block_left_in_a_file_is_seen_when_it_is_read)
{
    static const struct {
        size_t at;
        const char *says;
    } faults[] = {
        {HEADER + 100, "damaged: block ???? 0 of 4997 bytes at byte 40 does not have its checksum. Put back a copy of "
                       "this file"},
        {HEADER + N_LENT + 1, "damaged: byte 5038 is not part of a block and not zero. Put back a copy of this file"},
    };
    unsigned char to[N_LONG], *copy = NULL;
    size_t n_bytes = 0;
    write_both();
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; ++i) {
        struct sst_error err = {0};
        const unsigned char *bytes = fake_disk_bytes(disk, "lent", &n_bytes);
        copy = malloc(n_bytes);
        ck_assert_ptr_nonnull(copy);
        memcpy(copy, bytes, n_bytes);
        copy[faults[i].at] ^= 1;
        fake_disk_put(disk, "hurt", copy, n_bytes);
        free(copy);
        struct sst_block_file *file = read_but_lent("hurt");
        const struct sst_block block = sst_block_file_find(file, LENT, 0);
        ck_assert_int_eq(read_stored(file, &block, to, &err), SST_ERR_STATE);
        ck_assert_str_eq(err.text, faults[i].says);
        sst_block_file_destroy(&file);
    }
}
END_TEST

/* --- hostile bytes ------------------------------------------------------------------------------------------------ */

static unsigned char *copy_of_file(size_t *n_bytes)
{
    write_file("a");
    const unsigned char *bytes = fake_disk_bytes(disk, "a", n_bytes);
    unsigned char *copy = malloc(*n_bytes);
    ck_assert_ptr_nonnull(copy);
    memcpy(copy, bytes, *n_bytes);
    return copy;
}

static void expect_damage(const unsigned char *bytes, size_t n_bytes, const char *what)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    fake_disk_put(disk, "a", bytes, n_bytes);
    const enum sst_status rc = read_file("a", KIND, &identity, &file, &err);
    ck_assert_msg(rc == SST_ERR_STATE, "%s: status %d, %s", what, (int)rc, err.text); /* and no memory asked for */
    ck_assert_ptr_null(file);
    ck_assert_msg(strstr(err.text, "STATE/a: ") == err.text, "%s", err.text);
}

START_TEST(every_changed_bit_is_seen)
{
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes);
    for (size_t bit = 0; bit < 8 * n_bytes; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << (bit % 8));
        expect_damage(bytes, n_bytes, test_path("bit %zu", bit));
        bytes[bit / 8] ^= (unsigned char)(1 << (bit % 8));
    }
    free(bytes);
}
END_TEST

START_TEST(every_cut_and_every_lengthening_is_seen)
{
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes), *longer = calloc(n_bytes, 2);
    ck_assert_ptr_nonnull(longer);
    memcpy(longer, bytes, n_bytes);
    for (size_t length = 0; length < 2 * n_bytes; ++length)
        if (length != n_bytes)
            expect_damage(longer, length, test_path("length %zu", length));
    memcpy(longer + n_bytes, bytes, n_bytes);
    expect_damage(longer, 2 * n_bytes, "two files in a row");
    free(longer);
    free(bytes);
}
END_TEST

static uint64_t get(const unsigned char *at)
{
    uint64_t number = 0;
    for (int i = 7; i >= 0; --i)
        number = number << 8 | at[i];
    return number;
}

static void put(unsigned char *at, uint64_t number)
{
    for (int i = 0; i < 8; ++i)
        at[i] = (unsigned char)(number >> (8 * i));
}

/* As somebody would who wants to be believed. */
static void seal_again(unsigned char *bytes, size_t n_bytes, size_t index)
{
    put(bytes + HEADER - 8, XXH3_64bits(bytes, HEADER - 8));
    put(bytes + n_bytes - 16, XXH3_64bits(bytes + index, n_bytes - 16 - index));
}

START_TEST(lies_with_right_checksums_are_seen)
{
    static const uint64_t lies[] = {0,
                                    1,
                                    7,
                                    8,
                                    39,
                                    41,
                                    48,
                                    4096,
                                    1000000,
                                    UINT32_MAX,
                                    UINT64_C(1) << 40,
                                    INT64_MAX,
                                    (uint64_t)INT64_MAX + 1,
                                    UINT64_MAX - 39,
                                    UINT64_MAX - 7,
                                    UINT64_MAX};
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes);
    const size_t index = (size_t)get(bytes + n_bytes - TRAILER);
    ck_assert_uint_eq(index + 4 * ENTRY + TRAILER, n_bytes);
    for (size_t at = index; at < n_bytes - 16; at += 8) {
        const uint64_t was = get(bytes + at);
        if (at < n_bytes - TRAILER && (at - index) % ENTRY == 0)
            continue; /* tag and number: they may be anything */
        for (size_t i = 0; i < sizeof lies / sizeof lies[0]; ++i) {
            put(bytes + at, lies[i]);
            seal_again(bytes, n_bytes, index);
            if (lies[i] != was)
                expect_damage(bytes, n_bytes, test_path("%llu at %zu", (unsigned long long)lies[i], at));
        }
        put(bytes + at, was);
    }
    free(bytes);
}
END_TEST

START_TEST(a_block_that_unpacks_to_another_length_is_seen)
{
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes);
    const size_t index = (size_t)get(bytes + n_bytes - TRAILER);
    unsigned char *raw_length = bytes + index + 2 * ENTRY + 24;
    ck_assert_uint_eq(get(raw_length), sizeof zeros);
    for (int by = -1; by <= 1; by += 2) {
        put(raw_length, (uint64_t)N_LONG + (uint64_t)by);
        seal_again(bytes, n_bytes, index);
        expect_damage(bytes, n_bytes, "raw length off by one");
    }
    free(bytes);
}
END_TEST

START_TEST(padding_that_is_not_zero_is_seen)
{
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes);
    bytes[HEADER + 3] = 1; /* behind "abc" */
    expect_damage(bytes, n_bytes, "padding");
    free(bytes);
}
END_TEST

START_TEST(a_newer_format_is_refused_by_name_and_a_newer_minor_is_read)
{
    struct sst_block_file *file = NULL;
    struct sst_error err;
    size_t n_bytes = 0;
    unsigned char *bytes = copy_of_file(&n_bytes);
    const size_t index = (size_t)get(bytes + n_bytes - TRAILER);
    bytes[10] = 3;
    seal_again(bytes, n_bytes, index);
    fake_disk_put(disk, "a", bytes, n_bytes);
    ck_assert_int_eq(read_file("a", KIND, &identity, &file, &err), SST_OK);
    sst_block_file_destroy(&file);
    bytes[8] = 2;
    seal_again(bytes, n_bytes, index);
    fake_disk_put(disk, "a", bytes, n_bytes);
    ck_assert_int_eq(read_file("a", KIND, &identity, &file, &err), SST_ERR_STATE);
    ck_assert_str_eq(err.text, "STATE/a: is of format 2.3, and this program reads up to 1. Use a newer sststream");
    bytes[8] = 0;
    seal_again(bytes, n_bytes, index);
    expect_damage(bytes, n_bytes, "format 0");
    free(bytes);
}
END_TEST

/* --- the system itself -------------------------------------------------------------------------------------------- */

START_TEST(what_is_no_plain_file_is_not_read_and_not_waited_for)
{
    struct sst_block_file *file = NULL;
    struct sst_error err = {0};
    const char *folder = test_path("%s/kinds", test_scratch_dir());
    ck_assert_int_eq(system(test_path("mkdir '%s' && mkdir '%s/folder' && mkfifo '%s/pipe'", folder, folder, folder)),
                     0);
    const struct sst_os *os = sst_os_system();
    const int fd = os->open(os->user, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY, 0);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(sst_block_file_read(os, fd, "STATE", "folder", KIND, NULL, &file, &err), SST_ERR_INPUT);
    ck_assert_str_eq(err.text, "STATE/folder: cannot be read: Is a directory. Nothing was changed");
    sst_error_clear(&err);
    ck_assert_int_eq(sst_block_file_read(os, fd, "STATE", "pipe", KIND, NULL, &file, &err), SST_ERR_INPUT);
    ck_assert_int_gt(os->free_bytes(os->user, fd), 0);
    ck_assert_int_eq(os->close(os->user, fd), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_blocks");
    TCase *tcase = tcase_create("blocks");
    tcase_add_checked_fixture(tcase, open_disk, close_disk);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, blocks_come_back_by_place_and_by_name);
    tcase_add_test(tcase, no_file_is_no_error_and_no_blocks);
    tcase_add_test(tcase, a_file_of_another_kind_or_state_is_refused_by_name);
    tcase_add_test(tcase, a_file_of_lent_blocks_is_that_of_copies);
    tcase_add_test(tcase, blocks_left_in_a_file_are_read_where_they_are_wanted);
    tcase_add_test(tcase, damage_of_a_block_left_in_a_file_is_seen_when_it_is_read);
    tcase_add_test(tcase, every_changed_bit_is_seen);
    tcase_add_test(tcase, every_cut_and_every_lengthening_is_seen);
    tcase_add_test(tcase, lies_with_right_checksums_are_seen);
    tcase_add_test(tcase, a_block_that_unpacks_to_another_length_is_seen);
    tcase_add_test(tcase, padding_that_is_not_zero_is_seen);
    tcase_add_test(tcase, a_newer_format_is_refused_by_name_and_a_newer_minor_is_read);
    tcase_add_test(tcase, what_is_no_plain_file_is_not_read_and_not_waited_for);
    suite_add_tcase(suite, tcase);
    return suite;
}
