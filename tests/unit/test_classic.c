/* stream/classic: the size that a netCDF-3 header asks for is the file's, and a file cut short is found out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "make_nc.h"
#include "stream/classic.h"
#include "test_main.h"

static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
enum { N_FORMATS = sizeof formats / sizeof *formats, ROUNDING = 4 };

/* Shapes of record variables: none, one of shorts (unpadded), one of bytes, several, several odd ones. */
enum shape { NO_RECORDS, ONE_SHORT, ONE_BYTE, SEVERAL, SEVERAL_ODD, N_SHAPES };

static void write_file(const char *path, int format, enum shape shape)
{
    static const double values[64] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct make_nc_spec spec = {.format = format};
    make_nc_dim(&spec, "lat", 3);
    make_nc_dim(&spec, "lon", 5);
    make_nc_record_dim(&spec, "time", shape == NO_RECORDS ? 0 : 4);
    make_nc_text(&spec.global, "title", "odd number of bytes");
    make_nc_number(make_nc_var(&spec, "lat", NC_FLOAT, "lat", values), "weight", NC_DOUBLE, 0.5);
    make_nc_var(&spec, "lon", NC_DOUBLE, "lon", values);
    if (shape == ONE_SHORT)
        make_nc_var(&spec, "sst", NC_SHORT, "time lat lon", values);
    if (shape == ONE_BYTE)
        make_nc_var(&spec, "ice", NC_BYTE, "time lat", values);
    if (shape == SEVERAL || shape == SEVERAL_ODD) {
        make_nc_var(&spec, "time", NC_DOUBLE, "time", values);
        make_nc_var(&spec, "sst", shape == SEVERAL ? NC_INT : NC_SHORT, "time lat lon", values);
        make_nc_var(&spec, "ice", NC_BYTE, "time lat lon", values);
        make_nc_var(&spec, "err", shape == SEVERAL ? NC_FLOAT : NC_SHORT, "time lat", values);
    }
    make_nc_write(&spec, path);
}

START_TEST(the_needed_size_is_the_size_of_a_whole_file_but_for_padding)
{
    const char *path = test_path("%s/whole.nc", test_scratch_dir());
    for (int shape = 0; shape < N_SHAPES; ++shape) {
        struct sst_error err = {0};
        uint64_t needed = 0;
        size_t size = 0;
        write_file(path, formats[_i], (enum shape)shape);
        free(read_bytes(path, &size));
        ck_assert_int_eq(sst_classic_needed_size(path, &needed, &err), SST_OK);
        ck_assert_uint_le(needed, size);
        ck_assert_uint_lt(size, needed + ROUNDING);
    }
}
END_TEST

START_TEST(a_file_cut_anywhere_is_refused_or_found_too_short)
{
    const char *whole = test_path("%s/whole.nc", test_scratch_dir());
    for (int shape = 0; shape < N_SHAPES; ++shape) {
        uint64_t needed_by_whole = 0;
        write_file(whole, formats[_i], (enum shape)shape);
        ck_assert_int_eq(sst_classic_needed_size(whole, &needed_by_whole, NULL), SST_OK);
        for (uint64_t length = needed_by_whole; length-- > 0;) {
            struct sst_error err = {0};
            uint64_t needed = 0;
            ck_assert_int_eq(truncate(whole, (off_t)length), 0);
            if (sst_classic_needed_size(whole, &needed, &err) == SST_OK)
                ck_assert_uint_gt(needed, length);
            else
                ck_assert_ptr_nonnull(strstr(err.text, "cut short"));
        }
    }
}
END_TEST

/* A xorshift generator: any sequence will do, the same each time. */
static unsigned next_random(unsigned *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    return *state ^= *state << 5;
}

START_TEST(random_byte_flips_never_crash)
{
    enum { N_FLIPS = 1000, SEED = 20050101 };
    const char *path = test_path("%s/flipped.nc", test_scratch_dir());
    unsigned state = SEED;
    size_t size = 0, n_refused = 0;
    write_file(path, formats[_i], SEVERAL_ODD);
    unsigned char *bytes = read_bytes(path, &size);
    for (int flip = 0; flip < N_FLIPS; ++flip) {
        const size_t at = next_random(&state) % (size / 2);
        const unsigned char old = bytes[at];
        uint64_t needed = 0;
        bytes[at] = (unsigned char)next_random(&state);
        make_bytes(path, bytes, size);
        n_refused += sst_classic_needed_size(path, &needed, NULL) != SST_OK;
        bytes[at] = old;
    }
    free(bytes);
    ck_assert_uint_gt(n_refused, 0);
}
END_TEST

START_TEST(headers_that_announce_more_than_any_file_are_refused)
{
    /* CDF-5: 2^62 records; one dimension list that counts 2^40 items; an attribute of 2^61 doubles. */
    static const unsigned char many_dims[] = "CDF\x05\0\0\0\0\0\0\0\0\0\0\0\x0A\0\0\1\0\0\0\0\0";
    static const unsigned char big_attr[] = "CDF\x05\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x0C\0\0\0\0\0\0\0\1"
                                            "\0\0\0\0\0\0\0\1A\0\0\0\0\0\0\6\x20\0\0\0\0\0\0\0";
    static const unsigned char negative[] = "CDF\1\0\0\0\0\0\0\0\x0A\x80\0\0\1";
    const char *path = test_path("%s/hostile.nc", test_scratch_dir());
    struct sst_error err = {0};
    uint64_t needed = 0;
    make_bytes(path, many_dims, sizeof many_dims - 1);
    ck_assert_int_eq(sst_classic_needed_size(path, &needed, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "more dimensions"));
    sst_error_clear(&err);
    make_bytes(path, big_attr, sizeof big_attr - 1);
    ck_assert_int_eq(sst_classic_needed_size(path, &needed, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "beyond the file's end"));
    sst_error_clear(&err);
    make_bytes(path, negative, sizeof negative - 1);
    ck_assert_int_eq(sst_classic_needed_size(path, &needed, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "negative count"));
    ck_assert_int_eq(sst_classic_needed_size(test_path("%s/none.nc", test_scratch_dir()), &needed, NULL),
                     SST_ERR_INPUT);
}
END_TEST

START_TEST(records_that_were_never_counted_ask_for_nothing)
{
    const char *path = test_path("%s/streaming.nc", test_scratch_dir());
    uint64_t whole = 0, streaming = 0;
    size_t size = 0;
    write_file(path, 0, ONE_SHORT);
    ck_assert_int_eq(sst_classic_needed_size(path, &whole, NULL), SST_OK);
    unsigned char *bytes = read_bytes(path, &size);
    memset(bytes + 4, 0xff, 4);
    make_bytes(path, bytes, size);
    free(bytes);
    ck_assert_int_eq(sst_classic_needed_size(path, &streaming, NULL), SST_OK);
    ck_assert_uint_eq(whole - streaming, 4 * 15 * sizeof(short));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("classic");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, the_needed_size_is_the_size_of_a_whole_file_but_for_padding, 0, N_FORMATS);
    tcase_add_loop_test(tc, a_file_cut_anywhere_is_refused_or_found_too_short, 0, N_FORMATS);
    tcase_add_loop_test(tc, random_byte_flips_never_crash, 0, N_FORMATS);
    tcase_add_test(tc, headers_that_announce_more_than_any_file_are_refused);
    tcase_add_test(tc, records_that_were_never_counted_ask_for_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
