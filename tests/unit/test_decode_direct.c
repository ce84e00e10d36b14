/* stream/decode_direct: what is read without the library is what the library reads, bit by bit, for every supported make. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decoded.h"
#include "make_hdf5.h"
#include "make_nc.h"
#include "parity.h"
#include "random.h"
#include "test_main.h"

/* netCDF-C 4.9.0 and HDF5 themselves lose memory when they open damaged files. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5\nleak:libnetcdf";
}

/* No length is a multiple of a chunk's. */
enum { N_LAT = PARITY_N_LAT, N_LON = PARITY_N_LON, N_STEPS = 5, N_VALUES = N_STEPS * N_LAT * N_LON };

/* One make of file. */
struct make {
    int format;
    nc_type type;
    const char *dims;
    bool north_first, is_fixed; /* latitudes; the time dimension is not the unlimited one */
    size_t chunk_steps, chunk_cells; /* 0: no chunks; cells along each axis, 0 for all */
    int deflate_level, endian;
    bool is_shuffled, has_checksum, is_written;
};

static const nc_type types[] = {NC_BYTE, NC_UBYTE, NC_SHORT, NC_USHORT, NC_INT, NC_UINT, NC_INT64, NC_FLOAT, NC_DOUBLE};
enum { N_TYPES = sizeof types / sizeof *types };
static const char *const orders[] = {"time lat lon", "time lon lat", "time zlev lat lon", "lat time lon"};
enum { N_ORDERS = sizeof orders / sizeof *orders };

static bool is_float(nc_type type) { return type == NC_FLOAT || type == NC_DOUBLE; }
static bool is_byte(nc_type type) { return type == NC_BYTE || type == NC_UBYTE; }
static bool is_classic(const struct make *make) { return (make->format & NC_NETCDF4) == 0; }

/* Stored numbers that are plausible, some of them missing; in whatever order the file has its cells. */
static const double *stored_values(const struct make *make)
{
    static double values[N_VALUES];
    struct test_random random = {20260};
    for (size_t i = 0; i < N_VALUES; ++i) {
        const double hundredths = test_random_below(&random, 3000);
        values[i] = is_byte(make->type)    ? floor(hundredths / 100.0)
                    : is_float(make->type) ? hundredths / 100.0 + 1e-6 * test_random_below(&random, 997)
                                           : hundredths;
        if (test_random_below(&random, 7) == 0)
            values[i] = 99.0;
    }
    return values;
}

static void set_chunks(const struct make *make, struct make_nc_var *sst)
{
    for (size_t i = 0; i < sst->n_dims; ++i) {
        const bool is_time = strcmp(sst->dims[i], "time") == 0, is_level = strcmp(sst->dims[i], "zlev") == 0;
        const size_t all = strcmp(sst->dims[i], "lat") == 0 ? N_LAT : N_LON;
        sst->chunks[i] = is_time ? make->chunk_steps : is_level ? 1 : make->chunk_cells ? make->chunk_cells : all;
    }
}

static void make_file(const struct make *make, const char *path)
{
    static const double level = 0.0, days[N_STEPS] = {0, 1, 2, 3, 4};
    static double lat[N_LAT], lon[N_LON];
    struct make_nc_spec spec = {.format = make->format};
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = make->north_first ? 60.0 - 10.0 * i : -60.0 + 10.0 * i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = 10.0 + 20.0 * i;
    if (make->is_fixed)
        make_nc_dim(&spec, "time", N_STEPS);
    else
        make_nc_record_dim(&spec, "time", N_STEPS);
    make_nc_dim(&spec, "zlev", 1);
    make_nc_dim(&spec, "lat", N_LAT);
    make_nc_dim(&spec, "lon", N_LON);
    make_nc_text(make_nc_var(&spec, "time", NC_DOUBLE, "time", days), "units", "days since 2000-01-01 12:00:00");
    make_nc_text(make_nc_var(&spec, "zlev", NC_FLOAT, "zlev", &level), "units", "meters");
    make_nc_text(make_nc_var(&spec, "lat", NC_FLOAT, "lat", lat), "units", "degrees_north");
    make_nc_text(make_nc_var(&spec, "lon", NC_FLOAT, "lon", lon), "units", "degrees_east");
    struct make_nc_var *sst =
        make_nc_var(&spec, "sst", make->type, make->dims, make->is_written ? stored_values(make) : NULL);
    make_nc_text(sst, "units", "degree_Celsius");
    make_nc_number(sst, "_FillValue", make->type, 99.0);
    if (!is_float(make->type))
        make_nc_number(sst, "scale_factor", NC_DOUBLE, is_byte(make->type) ? 1.0 : 0.01);
    if (make->chunk_steps)
        set_chunks(make, sst);
    sst->is_contiguous = !is_classic(make) && !make->chunk_steps;
    sst->deflate_level = make->deflate_level;
    sst->is_unshuffled = !make->is_shuffled;
    sst->is_shuffled = make->is_shuffled;
    sst->has_checksum = make->has_checksum;
    sst->endian = make->endian;
    make_nc_write(&spec, path);
}

static struct sst_decode_scratch *new_scratch(void)
{
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_decode_scratch_create(&scratch, &err), SST_OK);
    return scratch;
}

/* What the library writes: checksum, shuffle, deflate in this order, whichever are asked for. */
static const struct {
    int deflate_level;
    bool is_shuffled, has_checksum;
    const char *reading;
} filters[] = {
    {0, false, false, "chunks read directly"},
    {0, true, false, "chunks read directly: shuffle"},
    {1, false, false, "chunks read directly: deflate"},
    {9, false, false, "chunks read directly: deflate"},
    {4, true, false, "chunks read directly: shuffle, deflate"},
    {0, false, true, "chunks read directly: fletcher32"},
    {0, true, true, "chunks read directly: fletcher32, shuffle"},
    {6, true, true, "chunks read directly: fletcher32, shuffle, deflate"},
    {6, false, true, "chunks read directly: fletcher32, deflate"},
};
enum { N_FILTERS = sizeof filters / sizeof *filters };

/* A field whole, in parts with edges, and either with several steps in a chunk. Memos have room for 24 chunks. */
static const struct {
    size_t steps, cells;
    bool has_memo;
} chunkings[] = {{1, 0, true}, {1, 7, false}, {3, 0, true}, {3, 7, true}, {5, 4, true}};
enum { N_CHUNKINGS = sizeof chunkings / sizeof *chunkings };

START_TEST(chunks_of_every_make_come_out_as_the_library_reads_them)
{
    const char *path = test_path("%s/chunks.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    for (int i = 0; i < N_FILTERS * N_CHUNKINGS * 2; ++i) {
        const int filter = i % N_FILTERS, chunking = i / N_FILTERS % N_CHUNKINGS;
        const struct make make = {.format = NC_NETCDF4,
                                  .type = types[_i],
                                  .dims = orders[(i + _i) % N_ORDERS],
                                  .north_first = i % 3 == 0,
                                  .is_fixed = i % 4 == 1,
                                  .chunk_steps = chunkings[chunking].steps,
                                  .chunk_cells = chunkings[chunking].cells,
                                  .deflate_level = filters[filter].deflate_level,
                                  .is_shuffled = filters[filter].is_shuffled,
                                  .has_checksum = filters[filter].has_checksum,
                                  .endian = i < N_FILTERS * N_CHUNKINGS ? NC_ENDIAN_LITTLE : NC_ENDIAN_BIG,
                                  .is_written = true};
        make_file(&make, path);
        const bool had_memo = parity_expect(path, i % 2 ? scratch : NULL, filters[filter].reading);
        ck_assert(had_memo == chunkings[chunking].has_memo);
    }
    sst_decode_scratch_destroy(&scratch);
    ck_assert_ptr_null(scratch);
}
END_TEST

START_TEST(contiguous_numbers_come_out_as_the_library_reads_them)
{
    const char *path = test_path("%s/contiguous.nc", test_scratch_dir());
    for (int i = 0; i < N_ORDERS * 2; ++i) {
        const struct make make = {.format = NC_NETCDF4,
                                  .type = types[_i],
                                  .dims = orders[i % N_ORDERS],
                                  .is_fixed = true,
                                  .north_first = i % 3 == 0,
                                  .endian = i < N_ORDERS ? NC_ENDIAN_LITTLE : NC_ENDIAN_BIG,
                                  .is_written = true};
        make_file(&make, path);
        ck_assert(parity_expect(path, NULL, "contiguous, read directly"));
    }
}
END_TEST

START_TEST(classic_files_come_out_as_the_library_reads_them)
{
    static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA};
    const char *path = test_path("%s/classic.nc", test_scratch_dir());
    for (int i = 0; i < 3 * N_ORDERS * 2; ++i) {
        const struct make make = {.format = formats[i % 3],
                                  .type = types[_i],
                                  .dims = orders[i / 3 % N_ORDERS],
                                  .is_fixed = i >= 3 * N_ORDERS || i / 3 % N_ORDERS == 3,
                                  .north_first = i % 2 == 0,
                                  .is_written = true};
        const bool is_of_all =
            types[_i] == NC_BYTE || types[_i] == NC_SHORT || types[_i] == NC_INT || is_float(types[_i]);
        if (make.format != NC_64BIT_DATA && !is_of_all)
            continue;
        make_file(&make, path);
        ck_assert(parity_expect(path, NULL, "read directly"));
    }
}
END_TEST

START_TEST(chunks_never_written_hold_the_fill_value)
{
    const char *path = test_path("%s/never.nc", test_scratch_dir());
    for (int i = 0; i < N_CHUNKINGS * 2; ++i) {
        const struct make make = {.format = NC_NETCDF4,
                                  .type = types[_i],
                                  .dims = orders[0],
                                  .is_fixed = i % 2 == 0,
                                  .chunk_steps = chunkings[i / 2].steps,
                                  .chunk_cells = chunkings[i / 2].cells,
                                  .deflate_level = 1,
                                  .endian = i % 4 == 0 ? NC_ENDIAN_BIG : NC_ENDIAN_LITTLE};
        make_file(&make, path);
        /* Of the unlimited dimension the dataset has no step at all, which only the library knows how to take. */
        const bool had_memo = parity_expect(path, NULL,
                                            make.is_fixed ? "chunks read directly: deflate"
                                                          : "read by netCDF-C: reading directly did not succeed");
        ck_assert(had_memo == (make.is_fixed && chunkings[i / 2].has_memo));
    }
}
END_TEST

/* A deflated file of shorts, of which single tests change one thing. */
static const struct make plain = {.format = NC_NETCDF4,
                                  .type = NC_SHORT,
                                  .dims = "time lat lon",
                                  .is_fixed = true,
                                  .chunk_steps = 2,
                                  .chunk_cells = 7,
                                  .deflate_level = 4,
                                  .is_shuffled = true,
                                  .is_written = true};

START_TEST(what_hdf5_itself_writes_comes_out_as_the_library_reads_it)
{
    static const char *const readings[HDF5_NO_FILL] = {
        [HDF5_CHECKSUM_LAST] = "chunks read directly: shuffle, deflate, fletcher32",
        [HDF5_SHUFFLE_AFTER_DEFLATE] = "read by netCDF-C: its filters stand in an unusual order",
        [HDF5_EDGES_UNFILTERED] = "read by netCDF-C: chunks at its edges are stored in another way",
        [HDF5_SKIPPED_FILTERS] = "chunks read directly: shuffle, deflate",
    };
    const char *path = test_path("%s/again.nc", test_scratch_dir());
    make_file(&plain, path);
    make_hdf5_again(path, "sst", (enum make_hdf5_way)_i);
    ck_assert(parity_expect(path, NULL, readings[_i]) == (strncmp(readings[_i], "chunks", 6) == 0));
}
END_TEST

/* What their cells hold is chance, so the two ways cannot be compared. */
START_TEST(chunks_never_written_that_have_no_fill_value_are_left_to_the_library)
{
    struct decoded d;
    const char *path = test_path("%s/chance.nc", test_scratch_dir());
    make_file(&plain, path);
    make_hdf5_again(path, "sst", HDF5_NO_FILL);
    decoded_read(&d, path, NULL);
    ck_assert_str_eq(d.info->reading, "read by netCDF-C: reading directly did not succeed");
    decoded_clear(&d);
}
END_TEST

static void write_odd(const char *path, bool is_compact, unsigned filter, const unsigned *filter_values, size_t n)
{
    static const double lat[] = {-30, 0, 30}, lon[] = {0, 90, 180, 270}, time = 8000;
    static const double sst[] = {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, -999};
    const struct make_nc_axes axes = {lat, lon, &time, 3, 4};
    struct make_nc_spec spec;
    make_nc_oisst(&spec, NC_NETCDF4, &axes, sst);
    spec.dims[0].is_unlimited = false;
    struct make_nc_var *var = make_nc_find(&spec, "sst");
    var->is_compact = is_compact;
    var->filter = filter;
    var->n_filter_values = n;
    for (size_t i = 0; i < n; ++i)
        var->filter_values[i] = filter_values[i];
    make_nc_write(&spec, path);
}

START_TEST(what_is_not_understood_is_left_to_the_library)
{
    static const unsigned szip[] = {32, 8}, scale_offset[] = {2, 0};
    const char *path = test_path("%s/odd.nc", test_scratch_dir());
    write_odd(path, true, 0, NULL, 0);
    ck_assert(parity_expect_own(path, "read by netCDF-C: compact layout"));
    write_odd(path, false, 6, scale_offset, 2);
    ck_assert(parity_expect_own(path, "read by netCDF-C: filter 6, scale-offset"));
    write_odd(path, false, 5, NULL, 0);
    ck_assert(parity_expect_own(path, "read by netCDF-C: filter 5, nbit"));
    write_odd(path, false, 4, szip, 2);
    ck_assert(parity_expect_own(path, "read by netCDF-C: filter 4, szip"));
}
END_TEST

/* A new file each time: of those that the library refuses it keeps some open, and would take the next for them. */
static bool is_read_alike(const char *path, const unsigned char *bytes, size_t n)
{
    (void)remove(path);
    make_bytes(path, bytes, n);
    return parity_expect_own(path, NULL);
}

/* HDF5 1.10 runs for ever on some damaged collections of its global heap (4096 bytes), before any field is asked for. */
static bool is_in_heap(const unsigned char *bytes, size_t at)
{
    enum { HEAP_BYTES = 4096 };
    static const char mark[] = {'G', 'C', 'O', 'L'};
    for (size_t back = 0; back < HEAP_BYTES && back <= at; ++back)
        if (memcmp(bytes + at - back, mark, sizeof mark) == 0)
            return true;
    return false;
}

/* Bits of every 97th byte turned, and the file cut there. */
START_TEST(damaged_files_give_what_the_library_gives)
{
    enum { EVERY = 97 };
    static const struct {
        bool has_checksum;
        int format;
    } cases[] = {{false, NC_NETCDF4}, {true, NC_NETCDF4}, {false, 0}};
    struct make make = plain;
    size_t n = 0, n_good = 0, n_cases = 0;
    make.has_checksum = cases[_i].has_checksum;
    make.format = cases[_i].format;
    if (is_classic(&make))
        make.chunk_steps = 0, make.deflate_level = 0, make.is_shuffled = false;
    const char *whole = test_path("%s/whole.nc", test_scratch_dir());
    const char *path = test_path("%s/damaged.nc", test_scratch_dir());
    make_file(&make, whole);
    unsigned char *bytes = read_bytes(whole, &n);
    for (size_t at = 0; at < n; at += EVERY, n_cases += 2) {
        if (at + EVERY < n && !is_in_heap(bytes, at)) {
            bytes[at] ^= 0x55;
            n_good += is_read_alike(path, bytes, n);
            bytes[at] ^= 0x55;
        }
        n_good += is_read_alike(path, bytes, at);
    }
    free(bytes);
    ck_assert_uint_gt(n_good, 0);
    ck_assert_uint_lt(n_good, n_cases / 2);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_direct");
    TCase *parity = tcase_create("parity");
    tcase_set_timeout(parity, 120);
    tcase_add_loop_test(parity, chunks_of_every_make_come_out_as_the_library_reads_them, 0, N_TYPES);
    tcase_add_loop_test(parity, contiguous_numbers_come_out_as_the_library_reads_them, 0, N_TYPES);
    tcase_add_loop_test(parity, classic_files_come_out_as_the_library_reads_them, 0, N_TYPES);
    tcase_add_loop_test(parity, chunks_never_written_hold_the_fill_value, 0, N_TYPES);
    suite_add_tcase(suite, parity);
    TCase *odd = tcase_create("odd");
    tcase_set_timeout(odd, 120);
    tcase_add_loop_test(odd, what_hdf5_itself_writes_comes_out_as_the_library_reads_it, 0, HDF5_NO_FILL);
    tcase_add_test(odd, chunks_never_written_that_have_no_fill_value_are_left_to_the_library);
    tcase_add_test(odd, what_is_not_understood_is_left_to_the_library);
    tcase_add_loop_test(odd, damaged_files_give_what_the_library_gives, 0, 3);
    suite_add_tcase(suite, odd);
    return suite;
}
