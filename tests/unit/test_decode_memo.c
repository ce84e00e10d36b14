/* stream/decode_memo: a file is taken for the one of its memo only as long as nothing was done to it. */
#include "stream/decode_memo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoded.h"
#include "make_nc.h"
#include "test_main.h"

enum { N_LAT = 3, N_LON = 4, N_CELLS = N_LAT * N_LON };

/* A memo, and the file it was made of while that was open. */
struct memo {
    unsigned char bytes[SST_FILE_MEMO_MAX];
    size_t n;
};

/* An OISST-like file, of whose SST the test may change a number. */
static void make_file(const char *path, double last)
{
    static const double lat[N_LAT] = {-30, 0, 30}, lon[N_LON] = {0, 90, 180, 270}, time = 8000;
    const double sst[N_CELLS] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, -999, last};
    const struct make_nc_axes axes = {lat, lon, &time, N_LAT, N_LON};
    struct make_nc_spec spec;
    make_nc_oisst(&spec, NC_NETCDF4, &axes, sst);
    struct make_nc_var *var = make_nc_find(&spec, "sst");
    var->deflate_level = 4;
    var->has_checksum = true;
    make_nc_write(&spec, path);
}

static struct memo memo_of(const char *path, const struct sst_decode_options *options)
{
    struct memo memo;
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_file_open(path, options, NULL, NULL, &file, &err) == SST_OK, "%s", err.text);
    memo.n = sst_file_memo(file, memo.bytes);
    sst_file_close(&file);
    return memo;
}

static bool opens_by(const struct memo *memo, const char *path, const struct sst_decode_options *options)
{
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    bool is_same = true;
    ck_assert_int_eq(sst_file_open_memo(path, memo->bytes, memo->n, options, &file, &is_same, &err), SST_OK);
    ck_assert(is_same == (file != NULL));
    sst_file_close(&file);
    return is_same;
}

static void write_at(const char *path, off_t at, const void *bytes, size_t n)
{
    const int fd = open(path, O_WRONLY);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(pwrite(fd, bytes, n, at), (ssize_t)n);
    ck_assert_int_eq(close(fd), 0);
}

static void restore_time(const char *path, const struct stat *as)
{
    const struct timespec times[2] = {as->st_atim, as->st_mtim};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Times of files move in steps of a few milliseconds. */
static void wait_for_another_time(void) { ck_assert_int_eq(usleep(30000), 0); }

START_TEST(a_file_that_was_left_alone_opens_by_its_memo)
{
    const char *path = test_path("%s/same.nc", test_scratch_dir());
    make_file(path, 1200);
    const struct memo memo = memo_of(path, NULL);
    ck_assert_uint_gt(memo.n, 0);
    ck_assert(opens_by(&memo, path, NULL));
}
END_TEST

START_TEST(a_memo_of_a_file_opened_by_its_memo_is_the_same)
{
    const char *path = test_path("%s/again.nc", test_scratch_dir());
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    struct memo again;
    bool is_same = false;
    make_file(path, 1200);
    const struct memo memo = memo_of(path, NULL);
    ck_assert_int_eq(sst_file_open_memo(path, memo.bytes, memo.n, NULL, &file, &is_same, &err), SST_OK);
    again.n = sst_file_memo(file, again.bytes);
    sst_file_close(&file);
    ck_assert_uint_eq(again.n, memo.n);
    ck_assert_int_eq(memcmp(again.bytes, memo.bytes, memo.n), 0);
}
END_TEST

START_TEST(a_file_that_anything_was_done_to_does_not_open_by_its_memo)
{
    const char *path = test_path("%s/done.nc", test_scratch_dir());
    const char *other = test_path("%s/other.nc", test_scratch_dir());
    struct stat before;
    make_file(path, 1200);
    const struct memo memo = memo_of(path, NULL);
    ck_assert_int_eq(stat(path, &before), 0);
    wait_for_another_time();
    switch (_i) {
    case 0: /* changed in place, its time put back */
        write_at(path, before.st_size - 1, "x", 1);
        restore_time(path, &before);
        break;
    case 1: /* replaced */
        make_file(other, 1200);
        restore_time(other, &before);
        ck_assert_int_eq(rename(other, path), 0);
        break;
    case 2:
        ck_assert_int_eq(truncate(path, before.st_size - 1), 0);
        break;
    case 3: /* touched */
        ck_assert_int_eq(utimensat(AT_FDCWD, path, NULL, 0), 0);
        break;
    default:
        ck_assert_int_eq(remove(path), 0);
        break;
    }
    ck_assert(!opens_by(&memo, path, NULL));
}
END_TEST

START_TEST(what_is_no_memo_of_this_program_opens_nothing)
{
    const char *path = test_path("%s/bytes.nc", test_scratch_dir());
    make_file(path, 1200);
    struct memo memo = memo_of(path, NULL);
    --memo.n;
    ck_assert(!opens_by(&memo, path, NULL));
    ++memo.n;
    ++memo.bytes[0];
    ck_assert(!opens_by(&memo, path, NULL));
    memo.n = 0;
    ck_assert(!opens_by(&memo, path, NULL));
}
END_TEST

START_TEST(who_wants_the_library_gets_no_memo_and_opens_by_none)
{
    const struct sst_decode_options by_library = {.library_only = true};
    const char *path = test_path("%s/library.nc", test_scratch_dir());
    make_file(path, 1200);
    ck_assert_uint_eq(memo_of(path, &by_library).n, 0);
    const struct memo memo = memo_of(path, NULL);
    ck_assert(!opens_by(&memo, path, &by_library));
}
END_TEST

/* A change while the file is open would give a memo of old facts and a new state. */
START_TEST(a_file_that_changed_while_it_was_open_gives_no_memo)
{
    unsigned char memo[SST_FILE_MEMO_MAX];
    const char *path = test_path("%s/open.nc", test_scratch_dir());
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    make_file(path, 1200);
    ck_assert_int_eq(sst_file_open(path, NULL, NULL, NULL, &file, &err), SST_OK);
    wait_for_another_time();
    ck_assert_int_eq(utimensat(AT_FDCWD, path, NULL, 0), 0);
    ck_assert_uint_eq(sst_file_memo(file, memo), 0);
    sst_file_close(&file);
}
END_TEST

/* The message of step 0, which is a bad one, decoded by the file's memo. */
static void message_by_memo(const char *path, char *text, size_t size)
{
    int16_t codes[N_CELLS], hundredths[N_CELLS];
    uint8_t ice[N_CELLS];
    unsigned char memo[SST_FILE_MEMO_MAX];
    struct sst_file *file = NULL, *again = NULL;
    struct sst_error err = {0};
    struct sst_domain domain;
    struct sst_grid_map map;
    bool is_same = false;
    ck_assert_msg(sst_file_open(path, NULL, NULL, NULL, &file, &err) == SST_OK, "%s", err.text);
    const struct sst_file_info *info = sst_file_info(file);
    const size_t n = sst_file_memo(file, memo);
    ck_assert_int_eq(sst_file_open_memo(path, memo, n, NULL, &again, &is_same, &err), SST_OK);
    ck_assert(is_same);
    sst_domain_all(info->grid, &domain);
    ck_assert_int_eq(sst_grid_match(info->grid, info->grid, &map, &err), SST_OK);
    struct sst_field field = {N_CELLS, codes, hundredths, ice, false, NULL};
    ck_assert_int_eq(sst_file_decode(again, 0, &domain, &map, info->lattice, &field, NULL, &err), SST_ERR_INPUT);
    (void)snprintf(text, size, "%s", err.text);
    sst_file_close(&again);
    sst_file_close(&file);
}

static void expect_message_of_library(const char *path, const char *part)
{
    const struct sst_decode_options by_library = {.library_only = true};
    char text[SST_ERROR_TEXT_SIZE];
    struct decoded d;
    message_by_memo(path, text, sizeof text);
    decoded_read(&d, path, &by_library);
    ck_assert_int_eq(d.status, SST_ERR_INPUT);
    ck_assert_str_eq(text, d.err.text);
    ck_assert_ptr_nonnull(strstr(text, part));
    decoded_clear(&d);
}

/* Position of the chunk's first bytes: a stream of zlib that inflates into few bytes begins so at level 4. */
static off_t find_bytes(const char *path, const char *wanted, size_t n_wanted)
{
    size_t n = 0;
    unsigned char *bytes = read_bytes(path, &n);
    off_t found = -1;
    for (size_t at = 0; at + n_wanted <= n && found < 0; ++at)
        if (memcmp(bytes + at, wanted, n_wanted) == 0)
            found = (off_t)at;
    free(bytes);
    ck_assert_int_ge(found, 0);
    return found;
}

START_TEST(a_damaged_chunk_gives_the_message_of_the_library)
{
    const char *path = test_path("%s/damaged.nc", test_scratch_dir());
    make_file(path, 1200);
    write_at(path, find_bytes(path, "\x78\x5e", 2) + 4, "\xff\xff\xff\xff", 4);
    expect_message_of_library(path, "cannot be read: NetCDF: HDF error");
}
END_TEST

START_TEST(values_that_are_no_sea_give_the_same_message_with_their_place)
{
    const char *path = test_path("%s/hot.nc", test_scratch_dir());
    make_file(path, 9000);
    expect_message_of_library(path, "90 degC (stored as 9000) at latitude 30, longitude 270");
}
END_TEST

Suite *test_suite(void)
{
    enum { N_DEEDS = 5 };
    Suite *suite = suite_create("decode_memo");
    TCase *same = tcase_create("same");
    tcase_add_test(same, a_file_that_was_left_alone_opens_by_its_memo);
    tcase_add_test(same, a_memo_of_a_file_opened_by_its_memo_is_the_same);
    tcase_add_loop_test(same, a_file_that_anything_was_done_to_does_not_open_by_its_memo, 0, N_DEEDS);
    tcase_add_test(same, what_is_no_memo_of_this_program_opens_nothing);
    tcase_add_test(same, who_wants_the_library_gets_no_memo_and_opens_by_none);
    tcase_add_test(same, a_file_that_changed_while_it_was_open_gives_no_memo);
    suite_add_tcase(suite, same);
    TCase *messages = tcase_create("messages");
    tcase_add_test(messages, a_damaged_chunk_gives_the_message_of_the_library);
    tcase_add_test(messages, values_that_are_no_sea_give_the_same_message_with_their_place);
    suite_add_tcase(suite, messages);
    return suite;
}
