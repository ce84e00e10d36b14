/* stream/decode: values in degC beside the codes. Floating-point ones are rounded once, packed ones are their codes. */
#include <math.h>
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "random.h"
#include "test_main.h"

enum { N_LAT = 40, N_LON = 60, N_CELLS = N_LAT * N_LON, N_MISSING = 8 };

static double lat[N_LAT], lon[N_LON];
static const double noon[1] = {8401};
static const struct make_nc_axes axes = {.lat = lat, .lon = lon, .time = noon, .n_lat = N_LAT, .n_lon = N_LON};

static void fill_axes(bool north_first)
{
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = north_first ? 19 - i : -20 + i;
    for (int i = 0; i < N_LON; ++i)
        lon[i] = 3 + 6 * i;
}

/* A temperature of no lattice, and another at each call. [degC] */
static double some_degc(struct test_random *random)
{
    return -1.9 + 34.0 * test_random_below(random, 1000000007) / 1000000007.0;
}

static void write_spec(struct make_nc_spec *spec, nc_type type, const char *units, const double *values)
{
    make_nc_oisst(spec, NC_NETCDF4, &axes, values);
    struct make_nc_var *sst = make_nc_find(spec, "sst");
    sst->type = type;
    sst->n_attrs = 0;
    make_nc_text(sst, "units", units);
}

static struct decoded read_spec(const struct make_nc_spec *spec, enum sst_lattice_kind lattice)
{
    struct decoded d;
    const char *path = test_path("%s/degc.nc", test_scratch_dir());
    make_nc_write(spec, path);
    decoded_open(&d, path, NULL);
    decoded_must_be_ok(&d);
    decoded_step(&d, 0, lattice);
    decoded_must_be_ok(&d);
    return d;
}

/* NaN exactly where the code is missing. */
static void expect_missing_alike(const struct decoded *d)
{
    for (size_t cell = 0; cell < d->field.n_cells; ++cell)
        ck_assert_msg(isnan(d->field.degc[cell]) == (d->field.codes[cell] == SST_CODE_MISSING), "cell %zu: %g, code %d",
                      cell, d->field.degc[cell], d->field.codes[cell]);
}

/* How floating-point numbers are stored: degC = stored * slope + intercept, in double. */
static const struct {
    nc_type type;
    const char *units;
    double slope, intercept, scale, offset; /* scale 0: no attributes */
} storages[] = {
    {NC_FLOAT, "degree_Celsius", 1, 0, 0, 0},      {NC_DOUBLE, "degree_Celsius", 1, 0, 0, 0},
    {NC_FLOAT, "kelvin", 1, -273.15, 0, 0},        {NC_DOUBLE, "kelvin", 1, -273.15, 0, 0},
    {NC_DOUBLE, "degree_Celsius", 0.5, 2, 0.5, 2},
};
enum { N_STORAGES = sizeof storages / sizeof *storages };

START_TEST(floating_point_values_are_converted_in_double_and_rounded_once)
{
    struct make_nc_spec spec;
    static double values[N_CELLS];
    struct test_random random = {20161};
    size_t n_between = 0;
    const bool is_float = storages[_i].type == NC_FLOAT, has_scale = storages[_i].scale != 0;
    for (int i = 0; i < N_CELLS; ++i) {
        values[i] = (some_degc(&random) - storages[_i].intercept) / storages[_i].slope;
        values[i] = is_float ? (double)(float)values[i] : values[i];
    }
    fill_axes(false);
    write_spec(&spec, storages[_i].type, storages[_i].units, values);
    if (has_scale) {
        make_nc_number(make_nc_find(&spec, "sst"), "scale_factor", NC_DOUBLE, storages[_i].scale);
        make_nc_number(make_nc_find(&spec, "sst"), "add_offset", NC_DOUBLE, storages[_i].offset);
    }
    struct decoded d = read_spec(&spec, SST_LATTICE_MILLI);
    for (int i = 0; i < N_CELLS; ++i) {
        const float expected = (float)(values[i] * storages[_i].slope + storages[_i].intercept);
        const double of_code = sst_lattice_degc(sst_lattice_of(SST_LATTICE_MILLI), d.field.codes[i]);
        ck_assert_msg(d.field.degc[i] == expected, "cell %d: %.9g, not %.9g", i, d.field.degc[i], expected);
        n_between += d.field.degc[i] != (float)of_code;
        ck_assert_double_le(fabs(d.field.degc[i] - of_code), 0.000503);
    }
    ck_assert_uint_gt(n_between, N_CELLS * 9 / 10); /* else nothing was shown */
    decoded_clear(&d);
}
END_TEST

START_TEST(packed_values_are_what_their_codes_stand_for)
{
    static const struct {
        double scale, offset;
        const char *units;
        enum sst_lattice_kind lattice;
    } packings[] = {
        {0.01, 0, "Celsius", SST_LATTICE_CENTI},
        {(double)0.01F, (double)273.15F, "kelvin", SST_LATTICE_CENTI},
        {0.001, 298.15, "kelvin", SST_LATTICE_MILLI},
        {0.00137827149108083, 285.927243603512, "K", SST_LATTICE_MILLI},
    };
    struct make_nc_spec spec;
    static double values[N_CELLS];
    struct test_random random = {20162};
    const double kelvin = strcmp(packings[_i].units, "Celsius") == 0 ? 0 : 273.15;
    for (int i = 0; i < N_CELLS; ++i)
        values[i] = rint((some_degc(&random) + kelvin - packings[_i].offset) / packings[_i].scale);
    values[7] = -32767;
    fill_axes(false);
    write_spec(&spec, NC_SHORT, packings[_i].units, values);
    make_nc_number(make_nc_find(&spec, "sst"), "scale_factor", NC_DOUBLE, packings[_i].scale);
    make_nc_number(make_nc_find(&spec, "sst"), "add_offset", NC_DOUBLE, packings[_i].offset);
    make_nc_number(make_nc_find(&spec, "sst"), "_FillValue", NC_SHORT, -32767);
    struct decoded d = read_spec(&spec, packings[_i].lattice);
    const struct sst_lattice lattice = sst_lattice_of(packings[_i].lattice);
    expect_missing_alike(&d);
    for (int i = 0; i < N_CELLS; ++i)
        ck_assert(i == 7 || d.field.degc[i] == (float)sst_lattice_degc(lattice, d.field.codes[i]));
    ck_assert(isnan(d.field.degc[7]));
    decoded_clear(&d);
}
END_TEST

/* Fills, infinities, numbers beyond the valid range, implausible ones, HadISST's ice, land and lakes. */
START_TEST(values_are_missing_where_codes_are)
{
    static const double nothing[N_MISSING] = {NAN, INFINITY, -INFINITY, -999, 9.969209968386869e36, 49.5, -7, -1000};
    static double values[N_CELLS], flags[N_CELLS];
    struct make_nc_spec spec;
    struct test_random random = {20163};
    for (int i = 0; i < N_CELLS; ++i) {
        values[i] = i < N_MISSING ? nothing[i] : some_degc(&random);
        flags[i] = i == 20 ? 2 : i == 21 ? 4 : 1;
    }
    fill_axes(false);
    write_spec(&spec, NC_DOUBLE, "degree_Celsius", values);
    make_nc_number(make_nc_find(&spec, "sst"), "_FillValue", NC_DOUBLE, -999);
    make_nc_number(make_nc_find(&spec, "sst"), "valid_max", NC_DOUBLE, 49);
    make_nc_text(&spec.global, "title", "Daily version of HadISST");
    struct make_nc_var *mask = make_nc_var(&spec, "mask", NC_BYTE, "time lat lon", flags);
    make_nc_text(mask, "flag_meanings", "water land lake ice");
    make_nc_numbers(mask, "flag_masks", NC_BYTE, 4, (const double[]){1, 2, 4, 8});
    struct decoded d = read_spec(&spec, SST_LATTICE_MILLI);
    expect_missing_alike(&d);
    for (int i = 0; i < N_CELLS; ++i)
        ck_assert_msg(isnan(d.field.degc[i]) == (i < N_MISSING || i == 20 || i == 21), "cell %d: %g", i,
                      d.field.degc[i]);
    ck_assert(d.field.ice[7] == 1 && d.stats.n_implausible == 1 && d.stats.n_land == 1 && d.stats.n_lake == 1);
    decoded_clear(&d);
}
END_TEST

/* In the order of the domain: rows turned round, columns from another meridian, a box across the file's seam. */
START_TEST(values_come_in_the_order_of_the_domain)
{
    struct make_nc_spec spec;
    struct decoded d;
    struct sst_grid *grid = NULL;
    struct sst_domain box;
    struct sst_grid_map map;
    static double values[N_CELLS], other_lon[N_LON];
    struct test_random random = {20164};
    for (int i = 0; i < N_CELLS; ++i)
        values[i] = some_degc(&random);
    fill_axes(false);
    for (int i = 0; i < N_LON; ++i)
        other_lon[i] = -177 + 6 * i;
    ck_assert_int_eq(sst_grid_create(lat, N_LAT, other_lon, N_LON, &grid, &(struct sst_error){0}), SST_OK);
    ck_assert_int_eq(sst_domain_box(grid, -30, -5, 40, 12, &box, &(struct sst_error){0}), SST_OK);
    fill_axes(true);
    write_spec(&spec, NC_DOUBLE, "degree_Celsius", values);
    d = read_spec(&spec, SST_LATTICE_MILLI);
    ck_assert_int_eq(sst_grid_match(grid, d.info->grid, &map, &d.err), SST_OK);
    ck_assert(map.flip_lat && map.shift_lon != 0);
    d.status = sst_file_decode(d.file, 0, &box, &map, SST_LATTICE_MILLI, &d.field, NULL, &d.err);
    decoded_must_be_ok(&d);
    for (size_t cell = 0; cell < box.n_cells; ++cell) {
        const int row = (int)(19 - sst_domain_lat(&box, cell / box.n_cols));
        const int col = (int)(sst_domain_lon(&box, cell % box.n_cols) + 360 - 3) / 6 % N_LON;
        ck_assert_msg(d.field.degc[cell] == (float)values[row * N_LON + col], "cell %zu: row %d, column %d", cell, row,
                      col);
    }
    sst_grid_destroy(&grid);
    decoded_clear(&d);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_degc");
    TCase *tests = tcase_create("values");
    tcase_add_loop_test(tests, floating_point_values_are_converted_in_double_and_rounded_once, 0, N_STORAGES);
    tcase_add_loop_test(tests, packed_values_are_what_their_codes_stand_for, 0, 4);
    tcase_add_test(tests, values_are_missing_where_codes_are);
    tcase_add_test(tests, values_come_in_the_order_of_the_domain);
    suite_add_tcase(suite, tests);
    return suite;
}
