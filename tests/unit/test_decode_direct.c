/* stream/decode_direct: what is read without the library is what the library reads, bit by bit, for every supported make. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "make_nc.h"
#include "random.h"
#include "stream/decode.h"
#include "test_main.h"

/* The columns go round the globe; no length is a multiple of a chunk's. */
enum { N_LAT = 13, N_LON = 18, N_STEPS = 5, N_CELLS = N_LAT * N_LON, N_VALUES = N_STEPS * N_CELLS };

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
                    : is_float(make->type) ? hundredths / 100.0
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

/* A file opened one of the two ways. */
struct way {
    struct sst_file *file;
    int16_t codes[N_CELLS], hundredths[N_CELLS];
    uint8_t ice[N_CELLS];
    struct sst_decode_stats stats;
    struct sst_error err;
    enum sst_status rc;
};

static void open_way(struct way *way, const char *path, const struct sst_decode_options *options)
{
    *way = (struct way){0};
    way->rc = sst_file_open(path, options, NULL, NULL, &way->file, &way->err);
}

static void decode_way(struct way *way, size_t step, const struct sst_domain *domain)
{
    struct sst_grid_map map;
    struct sst_field field = {domain->n_cells, way->codes, way->hundredths, way->ice, false};
    const struct sst_file_info *info = sst_file_info(way->file);
    memset(&way->stats, 0, sizeof way->stats);
    way->err = (struct sst_error){0};
    ck_assert_int_eq(sst_grid_match(domain->grid, info->grid, &map, &way->err), SST_OK);
    way->rc = sst_file_decode(way->file, step, domain, &map, info->lattice, &field, &way->stats, &way->err);
}

/* The same answer, or the same refusal. */
static void expect_same(const struct way *direct, const struct way *library, size_t n_cells)
{
    ck_assert_msg(direct->rc == library->rc, "directly %d \"%s\", by the library %d \"%s\"", direct->rc,
                  direct->err.text, library->rc, library->err.text);
    if (direct->rc != SST_OK) {
        ck_assert_str_eq(direct->err.text, library->err.text);
        return;
    }
    ck_assert_int_eq(memcmp(direct->codes, library->codes, n_cells * sizeof *direct->codes), 0);
    ck_assert_int_eq(memcmp(direct->ice, library->ice, n_cells), 0);
    ck_assert_int_eq(memcmp(&direct->stats, &library->stats, sizeof direct->stats), 0);
}

/* The file's own cells, the other way up from another meridian, and a box across the seam. */
enum { N_DOMAINS = 3 };

static struct sst_grid *other_grid(void)
{
    double lat[N_LAT], lon[N_LON];
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = 60.0 - 10.0 * i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = -170.0 + 20.0 * i;
    ck_assert_int_eq(sst_grid_create(lat, N_LAT, lon, N_LON, &grid, &err), SST_OK);
    return grid;
}

static void compare_steps(struct way *direct, struct way *library, const struct sst_domain *domains,
                          const char *reading)
{
    const size_t n_steps = sst_file_info(direct->file)->n_steps;
    for (size_t step = 0; step < n_steps; ++step) {
        for (int i = 0; i < N_DOMAINS; ++i) {
            decode_way(direct, step, &domains[i]);
            decode_way(library, step, &domains[i]);
            expect_same(direct, library, domains[i].n_cells);
            ck_assert_str_eq(sst_file_info(direct->file)->reading, reading);
        }
    }
}

/* reading: what the direct way must say of itself. */
static void expect_parity(const char *path, struct sst_decode_scratch *scratch, const char *reading)
{
    static struct way direct, library;
    struct sst_domain domains[N_DOMAINS];
    struct sst_error err = {0};
    struct sst_grid *other = other_grid();
    open_way(&direct, path, &(struct sst_decode_options){.scratch = scratch});
    open_way(&library, path, &(struct sst_decode_options){.library_only = true});
    ck_assert_msg(direct.rc == SST_OK, "%s", direct.err.text);
    ck_assert_msg(library.rc == SST_OK, "%s", library.err.text);
    ck_assert_str_eq(sst_file_info(direct.file)->reading, "");
    sst_domain_all(sst_file_info(direct.file)->grid, &domains[0]);
    sst_domain_all(other, &domains[1]);
    ck_assert_int_eq(sst_domain_box(other, 300, -35, 60, 45, &domains[2], &err), SST_OK);
    compare_steps(&direct, &library, domains, reading);
    ck_assert_str_eq(sst_file_info(library.file)->reading, "");
    sst_file_close(&direct.file);
    sst_file_close(&library.file);
    sst_grid_destroy(&other);
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

/* A field whole, in parts with edges, and either with several steps in a chunk. */
static const struct {
    size_t steps, cells;
} chunkings[] = {{1, 0}, {1, 7}, {3, 0}, {3, 7}, {5, 4}};
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
        expect_parity(path, i % 2 ? scratch : NULL, filters[filter].reading);
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
        expect_parity(path, NULL, "contiguous, read directly");
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
        expect_parity(path, NULL, "read directly");
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
        expect_parity(path, NULL,
                      make.is_fixed ? "chunks read directly: deflate"
                                    : "read by netCDF-C: reading directly did not succeed");
    }
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
    return suite;
}
