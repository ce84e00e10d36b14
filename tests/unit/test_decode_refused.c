/* stream/decode: what is no whole netCDF file is refused in one clear line, whatever its bytes; nothing crashes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "decoded.h"
#include "make_nc.h"
#include "test_main.h"

enum { N_LAT = 6, N_LON = 8, N_CELLS = N_LAT * N_LON };

static const double noon[1] = {8401};

static void write_good(const char *path, int format)
{
    double lat[N_LAT], lon[N_LON], sst[N_CELLS];
    const struct make_nc_axes axes = {.lat = lat, .lon = lon, .time = noon, .n_lat = N_LAT, .n_lon = N_LON};
    struct make_nc_spec spec;
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = 20 + i;
    for (int i = 0; i < N_CELLS; ++i)
        sst[i] = 1000 + i;
    make_nc_oisst(&spec, format, &axes, sst);
    if (format == NC_NETCDF4)
        make_nc_find(&spec, "sst")->deflate_level = 4;
    make_nc_write(&spec, path);
}

#define BYTES(text) text, sizeof text - 1
static const struct {
    const char *bytes;
    size_t n;
    const char *reason, *remedy;
} foreign[] = {
    {BYTES(""), "empty (0 bytes)", "Fetch it again"},
    {BYTES("<!DOCTYPE html><html>404</html>"), "HTML", "fetch it again"},
    {BYTES("\xef\xbb\xbf \n <?xml version=\"1.0\"?>"), "HTML or XML", "fetch it again"},
    {BYTES("PK\x03\x04zip"), "ZIP archive", "Unpack it"},
    {BYTES("\x1f\x8b\x08"), "gzip", "gunzip"},
    {BYTES("BZh91AY"), "bzip2", "bunzip2"},
    {BYTES("\xfd"
           "7zXZ\0"),
     "xz", "unxz"},
    {BYTES("\x28\xb5\x2f\xfd\0"), "zstd", "unzstd"},
    {BYTES("\x0e\x03\x13\x01\0"), "HDF4", "h4tonccf"},
    {BYTES("GRIB\0\0\0\1"), "GRIB", "cdo -f nc4 copy"},
    {BYTES("Error: no such dataset\n"), "begins \"Error: no such dataset\"", "Fetch the file again"},
    {BYTES("\0\0\0\0\0\0"), "not a netCDF file (it begins 00 00 00 00)", "fetch it again"},
    {BYTES("CDF\x03\0\0\0\0"), "not a netCDF file", "fetch it again"},
    {BYTES("CDF\x01\0\0\0"), "cut short", "fetch it again"},
    {BYTES("\x89HDF\r\n\x1a\n"), "cannot be opened", "fetch it again"},
};

START_TEST(files_of_another_kind_are_named_with_their_remedy)
{
    struct decoded d;
    const char *path = test_path("%s/foreign.nc", test_scratch_dir());
    make_bytes(path, foreign[_i].bytes, foreign[_i].n);
    decoded_read(&d, path, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "foreign.nc: ", foreign[_i].reason, foreign[_i].remedy);
    ck_assert_ptr_null(strchr(d.err.text, '\n'));
    decoded_clear(&d);
}
END_TEST

START_TEST(what_is_no_file_is_refused)
{
    struct decoded d;
    decoded_read(&d, test_path("%s/absent.nc", test_scratch_dir()), NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "absent.nc: cannot be read: No such file");
    decoded_clear(&d);
    decoded_read(&d, test_scratch_dir(), NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "not a regular file");
    decoded_clear(&d);
    const char *pipe_path = test_path("%s/pipe.nc", test_scratch_dir());
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
    decoded_read(&d, pipe_path, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "pipe.nc: not a regular file");
    decoded_clear(&d);
}
END_TEST

static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4};
enum { N_FORMATS = sizeof formats / sizeof *formats, N_CUTS = 200 };

START_TEST(a_file_cut_at_any_length_is_refused)
{
    const char *path = test_path("%s/cut.nc", test_scratch_dir());
    size_t size = 0;
    write_good(path, formats[_i]);
    free(read_bytes(path, &size));
    struct decoded whole;
    decoded_read(&whole, path, NULL);
    decoded_must_be_ok(&whole);
    decoded_clear(&whole);
    for (int cut = 1; cut <= N_CUTS; ++cut) {
        struct decoded d;
        const size_t length = size - (size_t)cut * size / N_CUTS;
        if (size - length < 4)
            continue;
        ck_assert_int_eq(truncate(path, (off_t)length), 0);
        decoded_read(&d, path, NULL);
        DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "cut.nc: ", "etch");
        decoded_clear(&d);
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

/* Only classic headers: those of HDF5 are the library's to read, which is why files are read in child processes. */
START_TEST(flipped_bytes_never_crash)
{
    enum { N_FLIPS = 500, SEED = 19820101 };
    const char *good = test_path("%s/good.nc", test_scratch_dir());
    unsigned state = SEED;
    size_t size = 0, n_refused = 0;
    write_good(good, formats[_i]);
    unsigned char *bytes = read_bytes(good, &size);
    for (int flip = 0; flip < N_FLIPS; ++flip) {
        struct decoded d;
        const size_t at = next_random(&state) % size;
        const unsigned char old = bytes[at];
        bytes[at] = (unsigned char)next_random(&state);
        make_bytes(good, bytes, size);
        decoded_read(&d, good, NULL);
        n_refused += d.status != SST_OK;
        ck_assert(d.status == SST_OK || strncmp(d.err.text, good, strlen(good)) == 0);
        decoded_clear(&d);
        bytes[at] = old;
    }
    free(bytes);
    ck_assert_uint_gt(n_refused, 0);
    ck_assert_uint_lt(n_refused, N_FLIPS);
}
END_TEST

/* The checksum of HDF5 metadata: lookup3 of Bob Jenkins, initial value 0, bytes in little-endian order. */
static uint32_t turn(uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

static uint32_t lookup3(const unsigned char *key, size_t length)
{
    static const int mixing[6] = {4, 6, 8, 16, 19, 4}, final[7] = {14, 11, 25, 16, 4, 14, 24};
    uint32_t s[3];
    s[0] = s[1] = s[2] = UINT32_C(0xdeadbeef) + (uint32_t)length;
    for (size_t left = length; left > 0;) {
        const size_t taken = left < 12 ? left : 12;
        for (size_t i = 0; i < taken; ++i)
            s[i / 4] += (uint32_t)key[i] << 8 * (i % 4);
        key += taken;
        left -= taken;
        if (left == 0)
            break;
        for (int i = 0; i < 6; ++i) {
            uint32_t *a = &s[i % 3], *b = &s[(i + 1) % 3], *c = &s[(i + 2) % 3];
            *a -= *c;
            *a ^= turn(*c, mixing[i]);
            *c += *b;
        }
    }
    for (int i = 0; i < 7; ++i) {
        uint32_t *c = &s[(i + 2) % 3], *b = &s[(i + 1) % 3];
        *c ^= *b;
        *c -= turn(*b, final[i]);
    }
    return s[2];
}

static uint32_t word_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/*
 * Makes the file's deflate filter one of another id, as if another library had written it, and mends the checksum.
 *
 *   deflate   id 1 (2 B) | flags (2 B) | 1 parameter (2 B) | level 4 (4 B)
 *   other     id   (2 B) | length of name 0 (2 B) | flags (2 B) | 0 parameters (2 B) | unused (2 B)
 */
static bool change_filter(unsigned char *bytes, size_t size, unsigned id)
{
    enum { FILTER_SIZE = 10, FLAGS_AT = 2, COUNT_AT = 4 };
    static const unsigned char count_and_level[] = {1, 0, 4, 0, 0, 0};
    for (size_t at = 0; at + FILTER_SIZE < size; ++at) {
        if (bytes[at] != 1 || memcmp(bytes + at + COUNT_AT, count_and_level, sizeof count_and_level) != 0)
            continue;
        size_t block = at;
        while (block > 0 && memcmp(bytes + block, "OHDR", 4) != 0 && memcmp(bytes + block, "OCHK", 4) != 0)
            --block;
        for (size_t end = at; end + 4 < size; ++end) {
            if (lookup3(bytes + block, end - block) != word_at(bytes + end))
                continue;
            const unsigned char filter[FILTER_SIZE] = {(unsigned char)id, (unsigned char)(id >> 8), 0, 0,
                                                       bytes[at + FLAGS_AT]};
            memcpy(bytes + at, filter, sizeof filter);
            const uint32_t sum = lookup3(bytes + block, end - block);
            for (int i = 0; i < 4; ++i)
                bytes[end + (size_t)i] = (unsigned char)(sum >> 8 * i);
            return true;
        }
    }
    return false;
}

static const struct {
    unsigned id;
    const char *says;
} filters[] = {{32015, "filter 32015 (zstd)"}, {32001, "filter 32001 (Blosc)"}, {299, "filter 299 (unknown name)"}};

START_TEST(a_filter_that_is_not_installed_is_named)
{
    const char *path = test_path("%s/filter.nc", test_scratch_dir());
    struct decoded d;
    size_t size = 0;
    write_good(path, NC_NETCDF4);
    unsigned char *bytes = read_bytes(path, &size);
    ck_assert(change_filter(bytes, size, filters[_i].id));
    make_bytes(path, bytes, size);
    free(bytes);
    decoded_read(&d, path, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "filter.nc: ", filters[_i].says, "HDF5_PLUGIN_PATH");
    decoded_clear(&d);
}
END_TEST

START_TEST(damaged_data_of_a_whole_header_name_file_variable_and_step)
{
    const char *path = test_path("%s/damaged.nc", test_scratch_dir());
    struct decoded d;
    size_t size = 0;
    write_good(path, NC_NETCDF4);
    unsigned char *bytes = read_bytes(path, &size);
    /* A deflated chunk begins with the two bytes of zlib's header at level 4. */
    size_t at = 0;
    while (at + 1 < size && !(bytes[at] == 0x78 && bytes[at + 1] == 0x5e))
        ++at;
    ck_assert_uint_lt(at + 16, size);
    memset(bytes + at, 0, 16);
    make_bytes(path, bytes, size);
    free(bytes);
    decoded_read(&d, path, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "damaged.nc: variable 'sst': step 0 cannot be read: ", "fetch it again");
    decoded_clear(&d);
}
END_TEST

#define COUNT(list) (int)(sizeof list / sizeof *list)

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_refused");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, files_of_another_kind_are_named_with_their_remedy, 0, COUNT(foreign));
    tcase_add_test(tc, what_is_no_file_is_refused);
    tcase_add_loop_test(tc, a_file_cut_at_any_length_is_refused, 0, N_FORMATS);
    tcase_add_loop_test(tc, flipped_bytes_never_crash, 0, N_FORMATS - 1);
    tcase_add_loop_test(tc, a_filter_that_is_not_installed_is_named, 0, COUNT(filters));
    tcase_add_test(tc, damaged_data_of_a_whole_header_name_file_variable_and_step);
    suite_add_tcase(suite, tc);
    return suite;
}
