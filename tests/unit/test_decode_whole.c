/* stream/decode: whole files, large enough for tables, against plain arithmetic value by value. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "plain_code.h"
#include "random.h"
#include "stream/decode_direct.h"
#include "test_main.h"

static struct sst_decode_scratch *new_scratch(void)
{
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_decode_scratch_create(&scratch, &err), SST_OK);
    return scratch;
}

/* No multiples of a vector's length. */
enum { N_LAT = 521, N_LON = 509, N_CELLS = N_LAT * N_LON };

static double sst_numbers[N_CELLS], ice_numbers[N_CELLS], mask_numbers[N_CELLS];

/* At [row][col] of the file. */
static void make_numbers(const struct plain_packing *packing)
{
    struct test_random random = {21};
    for (size_t i = 0; i < N_CELLS; ++i) {
        const double hundredths = test_random_below(&random, 3500) - 200;
        sst_numbers[i] = packing->scale == 1.0 ? (double)(float)(hundredths / 100.0) : hundredths;
        if (test_random_below(&random, 5) == 0)
            sst_numbers[i] = packing->fills[1];
        else if (test_random_below(&random, 5000) == 0)
            sst_numbers[i] = packing->scale == 1.0 ? -6.5 : -650;
        ice_numbers[i] = test_random_below(&random, 3) ? -999 : test_random_below(&random, 110);
        mask_numbers[i] = i > 0 && test_random_below(&random, 40) ? mask_numbers[i - 1] : test_random_below(&random, 9);
    }
}

static void add_field(struct make_nc_spec *spec, const char *name, nc_type type, const char *dims,
                      const double *numbers)
{
    static double turned[3][N_CELLS];
    static int next;
    double *values = turned[next++ % 3];
    const bool lat_is_fastest = strcmp(dims, "time lon lat") == 0;
    for (size_t row = 0; row < N_LAT; ++row)
        for (size_t col = 0; col < N_LON; ++col)
            values[lat_is_fastest ? col * N_LAT + row : row * N_LON + col] = numbers[row * N_LON + col];
    make_nc_var(spec, name, type, dims, values)->deflate_level = 1;
}

static void write_file(const struct plain_packing *packing, const char *dims, const char *path)
{
    static double lat[N_LAT], lon[N_LON], time;
    static const double flag_bits[] = {1, 2, 4};
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = -65.0 + 0.25 * i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = 10.0 + 0.25 * i;
    struct make_nc_spec spec = {.format = NC_NETCDF4};
    make_nc_dim(&spec, "time", 1);
    make_nc_dim(&spec, "lat", N_LAT);
    make_nc_dim(&spec, "lon", N_LON);
    make_nc_text(make_nc_var(&spec, "time", NC_DOUBLE, "time", &time), "units", "days since 2000-01-01 12:00:00");
    make_nc_text(make_nc_var(&spec, "lat", NC_FLOAT, "lat", lat), "units", "degrees_north");
    make_nc_text(make_nc_var(&spec, "lon", NC_FLOAT, "lon", lon), "units", "degrees_east");
    add_field(&spec, "sst", packing->type, dims, sst_numbers);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    make_nc_text(sst, "units", "degree_Celsius");
    make_nc_number(sst, "_FillValue", packing->type, packing->fills[1]);
    if (packing->scale != 1.0)
        make_nc_number(sst, "scale_factor", NC_DOUBLE, packing->scale);
    add_field(&spec, "ice", NC_SHORT, dims, ice_numbers);
    struct make_nc_var *ice = make_nc_find(&spec, "ice");
    make_nc_text(ice, "standard_name", "sea_ice_area_fraction");
    make_nc_number(ice, "_FillValue", NC_SHORT, -999);
    make_nc_number(ice, "scale_factor", NC_FLOAT, 0.01F);
    add_field(&spec, "mask", NC_BYTE, dims, mask_numbers);
    struct make_nc_var *mask = make_nc_find(&spec, "mask");
    make_nc_text(mask, "flag_meanings", "land lake sea_ice");
    make_nc_numbers(mask, "flag_masks", NC_BYTE, 3, flag_bits);
    make_nc_write(&spec, path);
}

/* What one cell must be, of the file's [row][col]; counted. */
static int16_t plain_cell(const struct plain_packing *packing, size_t at, struct sst_decode_stats *stats, bool *is_ice)
{
    const double number = sst_numbers[at];
    const int mask = (int)mask_numbers[at];
    const int16_t code = plain_code(packing, number);
    *is_ice = ice_numbers[at] >= 15;
    stats->n_missing += code == SST_CODE_MISSING;
    if (code == SST_CODE_MISSING)
        return code;
    stats->raw_min = fmin(stats->raw_min, number);
    stats->raw_max = fmax(stats->raw_max, number);
    stats->n_off_lattice += code >= SST_DECODE_LOWEST_CODE && packing->scale == 1.0 && plain_is_off(packing, number);
    if (mask & 3) {
        stats->n_land += mask & 1;
        stats->n_lake += !(mask & 1);
        return SST_CODE_MISSING;
    }
    if (code == SST_DECODE_IMPLAUSIBLE) {
        ++stats->n_implausible;
        return SST_CODE_MISSING;
    }
    ++stats->n_valid;
    stats->n_ice += *is_ice;
    return code;
}

static const struct plain_packing of_files[] = {
    {NC_SHORT, 0.01, 0, 0, {-32767, -999}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, true},
    {NC_INT, 0.01, 0, 0, {-2147483647, -999}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_FLOAT, 1.0, 0, 0, {9.96921e36F, -999}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
    {NC_DOUBLE, 1.0, 0, 0, {9.96921e36, -999}, 2, PLAIN_ALL_VALID, NAN, SST_LATTICE_CENTI, false},
};
enum { N_OF_FILES = sizeof of_files / sizeof *of_files };

START_TEST(whole_files_have_the_codes_ice_and_counts_of_plain_arithmetic)
{
    static struct decoded d;
    const struct plain_packing *packing = &of_files[_i / 2];
    const char *path = test_path("%s/whole.nc", test_scratch_dir());
    struct sst_decode_scratch *scratch = new_scratch();
    struct sst_decode_stats stats = {.raw_min = INFINITY, .raw_max = -INFINITY};
    make_numbers(packing);
    write_file(packing, _i % 2 ? "time lon lat" : "time lat lon", path);
    decoded_read(&d, path, &(struct sst_decode_options){.scratch = scratch});
    decoded_must_be_ok(&d);
    for (int upside_down = 0; upside_down < 2; ++upside_down) {
        stats = (struct sst_decode_stats){.raw_min = INFINITY, .raw_max = -INFINITY};
        const struct sst_grid_map map = {.flip_lat = upside_down, .shift_lon = 0};
        ck_assert_int_eq(sst_file_decode(d.file, 0, &d.domain, &map, SST_LATTICE_CENTI, &d.field, &d.stats, &d.err),
                         SST_OK);
        for (size_t cell = 0; cell < N_CELLS; ++cell) {
            const size_t row = cell / N_LON;
            bool is_ice = false;
            const size_t at = (upside_down ? N_LAT - 1 - row : row) * N_LON + cell % N_LON;
            const int16_t code = plain_cell(packing, at, &stats, &is_ice);
            if (d.field.codes[cell] != code || d.field.ice[cell] != is_ice)
                ck_abort_msg("cell %zu, stored %g: code %d and ice %d, not %d and %d", cell, sst_numbers[at],
                             d.field.codes[cell], d.field.ice[cell], code, is_ice);
        }
        ck_assert_uint_gt(stats.n_implausible, 0);
        ck_assert_int_eq(memcmp(&stats, &d.stats, sizeof stats), 0);
    }
    ck_assert_double_gt(scratch->timings.seconds[SST_PHASE_INFLATE], 0.0);
    decoded_clear(&d);
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_whole");
    TCase *tc = tcase_create("whole");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, whole_files_have_the_codes_ice_and_counts_of_plain_arithmetic, 0, 2 * N_OF_FILES);
    suite_add_tcase(suite, tc);
    return suite;
}
