/* stream/decode: stored numbers become the right codes, whatever their packing, fills, ranges and units. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "stream/decode_private.h"
#include "test_main.h"

enum { N_LAT = 3, N_LON = 4, N_CELLS = N_LAT * N_LON, BIG_LAT = 40, BIG_LON = 60, N_BIG = BIG_LAT * BIG_LON };
enum { M = SST_CODE_MISSING };

static const double lat[N_LAT] = {-10, 0, 10}, lon[N_LON] = {100, 110, 120, 130}, noon[1] = {8401};
static const struct make_nc_axes small_axes = {.lat = lat, .lon = lon, .time = noon, .n_lat = N_LAT, .n_lon = N_LON};
static const double raw[N_CELLS] = {-180, 0, 1, 2999, -999, 3202, 1500, 1501, 1502, 1503, 1504, 1505};
static const int16_t raw_codes[N_CELLS] = {-180, 0, 1, 2999, M, 3202, 1500, 1501, 1502, 1503, 1504, 1505};

static double big_lat[BIG_LAT], big_lon[BIG_LON];
static const struct make_nc_axes big_axes = {
    .lat = big_lat, .lon = big_lon, .time = noon, .n_lat = BIG_LAT, .n_lon = BIG_LON};

static void fill_big_axes(void)
{
    for (int i = 0; i < BIG_LAT; ++i)
        big_lat[i] = -20 + i;
    for (int i = 0; i < BIG_LON; ++i)
        big_lon[i] = 100 + i;
}

static struct decoded read_spec(const struct make_nc_spec *spec, const struct sst_decode_options *options)
{
    struct decoded d;
    const char *path = test_path("%s/file.nc", test_scratch_dir());
    make_nc_write(spec, path);
    decoded_read(&d, path, options);
    return d;
}

static void check_codes(const struct decoded *d, const int16_t *codes)
{
    decoded_must_be_ok(d);
    for (int cell = 0; cell < N_CELLS; ++cell)
        if (d->field.codes[cell] != codes[cell])
            ck_abort_msg("cell %d: %d, not %d", cell, d->field.codes[cell], codes[cell]);
}

static const int formats[] = {0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL};
static const char *const format_names[] = {"netCDF-3 (CDF-1)", "netCDF-3 (CDF-2)", "netCDF-3 (CDF-5)", "netCDF-4",
                                           "netCDF-4"};

START_TEST(every_format_gives_the_same_codes)
{
    struct make_nc_spec spec;
    make_nc_oisst(&spec, formats[_i], &small_axes, raw);
    struct decoded d = read_spec(&spec, NULL);
    check_codes(&d, raw_codes);
    ck_assert_str_eq(d.info->format, format_names[_i]);
    ck_assert_uint_eq(d.stats.n_valid, N_CELLS - 1);
    ck_assert_uint_eq(d.stats.n_missing, 1);
    ck_assert_double_eq(d.stats.raw_min, -180);
    ck_assert_double_eq(d.stats.raw_max, 3202);
    ck_assert(d.info->is_packed && d.info->lattice_is_exact && !d.field.has_ice);
    ck_assert_str_eq(d.notes, "");
    decoded_clear(&d);
}
END_TEST

/* One temperature field in every packing that occurs: type, scale, offset, units, and what is stored for raw[]. */
static const struct {
    nc_type type, attr_type;
    double scale, offset; /* as double; 0 scale: no attributes */
    const char *units;
    enum sst_lattice_kind lattice;
    bool is_exact;
} packings[] = {
    {NC_SHORT, NC_FLOAT, 0.01, 0, "Celsius", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_DOUBLE, 0.01, 0, "degree_C", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_FLOAT, 0.01, 273.15, "kelvin", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_DOUBLE, 0.01, 273.15, "K", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_DOUBLE, 0.001, 25, "degC", SST_LATTICE_MILLI, true},
    {NC_SHORT, NC_DOUBLE, 0.001, 298.15, "kelvin", SST_LATTICE_MILLI, true},
    {NC_SHORT, NC_FLOAT, 0.001, 298.15, "kelvin", SST_LATTICE_MILLI, true},
    {NC_SHORT, NC_DOUBLE, 0.0005, 20, "Celsius", SST_LATTICE_MILLI, false},
    {NC_SHORT, NC_DOUBLE, 0.00137827149108083, 285.927243603512, "K", SST_LATTICE_MILLI, false},
    {NC_INT, NC_DOUBLE, 0.01, 0, "Celsius", SST_LATTICE_CENTI, true},
    {NC_INT, NC_FLOAT, 0.01, 273.15, "kelvin", SST_LATTICE_CENTI, true},
    {NC_INT, NC_DOUBLE, 0.00001, 0, "Celsius", SST_LATTICE_MILLI, false},
    {NC_BYTE, NC_DOUBLE, 0.5, 10, "Celsius", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_DOUBLE, 0.018, 32, "degF", SST_LATTICE_CENTI, true},
    {NC_SHORT, NC_DOUBLE, -0.01, 0, "Celsius", SST_LATTICE_CENTI, true},
};

START_TEST(one_field_in_every_packing_is_one_field_within_half_a_quantum)
{
    struct make_nc_spec spec;
    double stored[N_CELLS], slack = packings[_i].scale;
    const bool is_kelvin = packings[_i].offset > 200, is_fahrenheit = packings[_i].offset == 32;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const double degc = raw_codes[cell] / 100.0;
        const double value = is_fahrenheit ? degc * 1.8 + 32 : is_kelvin ? degc + 273.15 : degc;
        stored[cell] = raw_codes[cell] == M ? -99 : nearbyint((value - packings[_i].offset) / packings[_i].scale);
        if (packings[_i].type != NC_INT && fabs(stored[cell]) > (packings[_i].type == NC_BYTE ? 127 : INT16_MAX))
            stored[cell] = -99;
    }
    make_nc_oisst(&spec, NC_NETCDF4, &small_axes, stored);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = packings[_i].type;
    make_nc_number(sst, "_FillValue", packings[_i].type, -99);
    make_nc_number(sst, "scale_factor", packings[_i].attr_type, packings[_i].scale);
    make_nc_number(sst, "add_offset", packings[_i].attr_type, packings[_i].offset);
    make_nc_text(sst, "units", packings[_i].units);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_int_eq(d.info->lattice, packings[_i].lattice);
    ck_assert_int_eq(d.info->lattice_is_exact, packings[_i].is_exact);
    const struct sst_lattice lattice = sst_lattice_of(d.info->lattice);
    slack = fabs(slack) / 2 + 0.5 / lattice.steps_per_degree + 1e-5;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        if (stored[cell] == -99) {
            ck_assert_int_eq(d.field.codes[cell], M);
            continue;
        }
        ck_assert_double_eq_tol(sst_lattice_degc(lattice, d.field.codes[cell]), raw_codes[cell] / 100.0, slack);
    }
    ck_assert_uint_gt(d.stats.n_valid, N_CELLS / 2);
    decoded_clear(&d);
}
END_TEST

START_TEST(all_65536_shorts_are_distinct_and_right_to_a_nanodegree)
{
    struct sst_decode_variable sst = {.type = NC_SHORT};
    struct sst_decode_conversion kelvin;
    ck_assert(sst_decode_units_listed("kelvin", &kelvin));
    sst.scale = _i ? 0.01 : (double)0.01F;
    sst.offset = _i ? 273.15 : (double)273.15F;
    double before = -INFINITY;
    for (int stored = INT16_MIN; stored <= INT16_MAX; ++stored) {
        const double degc = sst_decode_degc(&sst, &kelvin, stored);
        const long double exact = (long double)stored * (long double)sst.scale + (long double)sst.offset - 273.15L;
        if (!(fabsl(degc - exact) < 1e-9L) || !(degc > before) || lrint(degc * 100) != stored)
            ck_abort_msg("%d decodes to %.17g, after %.17g", stored, degc, before);
        before = degc;
    }
}
END_TEST

START_TEST(all_plausible_shorts_decode_to_themselves_with_and_without_the_table)
{
    enum { LOWEST = -500, HIGHEST = 5000, N_SIDE = 600, N = N_SIDE * N_SIDE };
    static double many[N], axis_lat[N_SIDE], axis_lon[N_SIDE];
    struct make_nc_axes axes = {.lat = axis_lat, .lon = axis_lon, .time = noon, .n_lat = N_SIDE, .n_lon = N_SIDE};
    struct make_nc_spec spec;
    for (int i = 0; i < N_SIDE; ++i) {
        axis_lat[i] = -60 + 0.2 * i;
        axis_lon[i] = 0.5 * i;
    }
    for (int i = 0; i < N; ++i)
        many[i] = LOWEST + i % (HIGHEST - LOWEST + 1);
    /* A small field is decoded directly, a large one through the table of 16-bit values. */
    axes.n_lat = _i ? N_SIDE : 10;
    make_nc_oisst(&spec, NC_NETCDF4, &axes, many);
    make_nc_find(&spec, "sst")->n_attrs = 0;
    make_nc_text(make_nc_find(&spec, "sst"), "units", "kelvin");
    make_nc_number(make_nc_find(&spec, "sst"), "scale_factor", NC_FLOAT, 0.01);
    make_nc_number(make_nc_find(&spec, "sst"), "add_offset", NC_FLOAT, 273.15);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    for (size_t cell = 0; cell < d.domain.n_cells; ++cell)
        if (d.field.codes[cell] != (int)many[cell])
            ck_abort_msg("cell %zu: %d, not %g", cell, d.field.codes[cell], many[cell]);
    ck_assert_double_eq(d.stats.raw_min, -500);
    ck_assert_double_eq(d.stats.raw_max, HIGHEST);
    decoded_step(&d, 0, SST_LATTICE_MILLI);
    if (d.status == SST_OK)
        ck_abort_msg("50 degC fits no lattice of thousandths");
    ck_assert_ptr_nonnull(strstr(d.err.text, "do not fit steps of 0.001 degC"));
    decoded_clear(&d);
}
END_TEST

START_TEST(unsigned_bytes_and_shorts_are_read_as_meant)
{
    struct make_nc_spec spec;
    double stored[N_CELLS] = {0, 1, 2, 3, -1, -2, 100, 101, 102, 103, 104, 105};
    const int16_t codes[N_CELLS] = {0, 20, 40, 60, M, 5080 - 100, 2000, 2020, 2040, 2060, 2080, 2100};
    stored[5] = 249 - 256;
    make_nc_oisst(&spec, 0, &small_axes, stored);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = NC_BYTE;
    make_nc_text(sst, "_Unsigned", "true");
    make_nc_number(sst, "_FillValue", NC_BYTE, -1);
    make_nc_number(sst, "scale_factor", NC_DOUBLE, 0.2);
    struct decoded d = read_spec(&spec, NULL);
    check_codes(&d, codes);
    ck_assert_double_eq(d.stats.raw_max, 249);
    decoded_clear(&d);
    static const double large[N_CELLS] = {65535, 40000, 39999, 38000, 37000};
    const int16_t large_codes[N_CELLS] = {M, 3000, 2999, 1000, 0, M, M, M, M, M, M, M};
    make_nc_oisst(&spec, NC_NETCDF4, &small_axes, large);
    sst = make_nc_find(&spec, "sst");
    sst->type = NC_USHORT;
    make_nc_number(sst, "_FillValue", NC_USHORT, 65535);
    make_nc_number(sst, "missing_value", NC_USHORT, 0);
    make_nc_number(sst, "add_offset", NC_FLOAT, -370);
    d = read_spec(&spec, NULL);
    check_codes(&d, large_codes);
    decoded_clear(&d);
}
END_TEST

START_TEST(missing_is_the_union_of_all_ways_to_say_so)
{
    struct make_nc_spec spec;
    static double values[N_BIG];
    const double missing[2] = {-999, -32768};
    for (int i = 0; i < N_BIG; ++i)
        values[i] = (float)(10.0 + i % 100 / 100.0);
    values[0] = NAN;
    values[1] = -999;
    values[2] = -32768;
    values[3] = INFINITY;
    values[4] = -INFINITY;
    values[5] = 9.969209968386869e36;
    values[6] = -1000;
    fill_big_axes();
    make_nc_oisst(&spec, NC_NETCDF4, &big_axes, values);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = NC_FLOAT;
    sst->n_attrs = 0;
    make_nc_text(sst, "units", "Celsius");
    make_nc_number(sst, "_FillValue", NC_FLOAT, NAN);
    make_nc_numbers(sst, "missing_value", NC_DOUBLE, 2, missing);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    for (int cell = 0; cell < 7; ++cell)
        ck_assert_int_eq(d.field.codes[cell], M);
    ck_assert_uint_eq(d.stats.n_missing, 6);
    ck_assert_uint_eq(d.stats.n_implausible, 1);
    ck_assert_uint_eq(d.stats.n_valid, N_BIG - 7);
    ck_assert_int_eq(d.field.codes[7], 1007);
    decoded_clear(&d);
}
END_TEST

START_TEST(a_double_fill_of_floats_is_compared_as_float)
{
    struct make_nc_spec spec;
    double values[N_CELLS];
    for (int i = 0; i < N_CELLS; ++i)
        values[i] = 20;
    values[3] = (double)1e20F;
    make_nc_oisst(&spec, 0, &small_axes, values);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = NC_FLOAT;
    sst->n_attrs = 0;
    make_nc_text(sst, "units", "degree_Celsius");
    make_nc_number(sst, "missing_value", NC_DOUBLE, 1e20);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_missing, 1);
    ck_assert_int_eq(d.field.codes[3], M);
    decoded_clear(&d);
}
END_TEST

START_TEST(numbers_written_as_text_are_parsed_or_refused)
{
    struct make_nc_spec spec;
    make_nc_oisst(&spec, NC_NETCDF4, &small_axes, raw);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    make_nc_text(sst, "scale_factor", "0.01");
    make_nc_string(sst, "add_offset", "0.0f");
    make_nc_text(sst, "missing_value", "1505, 1504");
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_int_eq(d.field.codes[0], -180);
    ck_assert_int_eq(d.field.codes[10], M);
    ck_assert_int_eq(d.field.codes[11], M);
    decoded_clear(&d);
    make_nc_text(sst, "scale_factor", "one hundredth");
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: variable 'sst': scale_factor", "one hundredth", "no number");
    decoded_clear(&d);
    make_nc_text(sst, "scale_factor", " ");
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "scale_factor is empty", "ncatted");
    decoded_clear(&d);
}
END_TEST

START_TEST(factors_that_cannot_be_meant_are_refused)
{
    struct make_nc_spec spec;
    const double two[2] = {0.01, 0.02};
    make_nc_oisst(&spec, NC_NETCDF4, &small_axes, raw);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    make_nc_number(sst, "scale_factor", NC_FLOAT, 0);
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: variable 'sst': scale_factor is 0", "ncatted");
    decoded_clear(&d);
    make_nc_number(sst, "scale_factor", NC_FLOAT, NAN);
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "scale_factor is nan");
    decoded_clear(&d);
    make_nc_numbers(sst, "scale_factor", NC_FLOAT, 2, two);
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "scale_factor has 2 values, not 1");
    decoded_clear(&d);
    make_nc_number(sst, "scale_factor", NC_INT64, 1);
    make_nc_number(sst, "add_offset", NC_BYTE, 0);
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "9 of 11 values are outside -5..50 degC",
                      "the first -180 degC (stored as -180)", "latitude -10, longitude 100", "--units");
    decoded_clear(&d);
}
END_TEST

static const struct {
    const char *label;
    nc_type type; /* of the limits */
    double low, high;
    size_t n_missing;
    const char *note;
} ranges[] = {
    {"in stored numbers", NC_SHORT, 0, 3000, 3, ""},
    {"physical, in the wrong type", NC_DOUBLE, -3, 45, 1, "not of the variable's type"},
    {"physical, in the stored type", NC_SHORT, -3, 45, 1, "would leave out nearly everything"},
    {"of kelvin", NC_SHORT, 27000, 31000, 1, "would leave out nearly everything"},
    {"all shorts", NC_SHORT, -32767, 32767, 1, ""},
};

START_TEST(a_valid_range_applies_where_it_is_meant_as_stored_numbers)
{
    struct make_nc_spec spec;
    const double both[2] = {ranges[_i].low, ranges[_i].high};
    make_nc_oisst(&spec, NC_NETCDF4, &small_axes, raw);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    make_nc_number(sst, "valid_min", ranges[_i].type, both[0]);
    make_nc_number(sst, "valid_max", ranges[_i].type, both[1]);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_missing, ranges[_i].n_missing);
    ck_assert_ptr_nonnull(strstr(d.notes, ranges[_i].note));
    decoded_clear(&d);
    make_nc_drop(sst, "valid_min");
    make_nc_drop(sst, "valid_max");
    make_nc_numbers(sst, "valid_range", ranges[_i].type, 2, both);
    d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_missing, ranges[_i].n_missing);
    decoded_clear(&d);
}
END_TEST

START_TEST(floats_on_the_lattice_are_told_from_floats_beside_it)
{
    struct make_nc_spec spec;
    static double values[N_BIG];
    fill_big_axes();
    for (int i = 0; i < N_BIG; ++i)
        values[i] = (double)((float)(i - 180) * 0.01F + (_i ? 273.15F : 0.0F));
    values[7] += 0.004;
    values[8] += 0.002;
    make_nc_oisst(&spec, 0, &big_axes, values);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = NC_FLOAT;
    sst->n_attrs = 0;
    make_nc_text(sst, "units", _i ? "K" : "Celsius");
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert(!d.info->is_packed && !d.info->lattice_is_exact);
    ck_assert_int_eq(d.info->lattice, SST_LATTICE_CENTI);
    ck_assert_uint_eq(d.stats.n_off_lattice, 2);
    for (int cell = 0; cell < N_BIG; ++cell)
        ck_assert_int_eq(d.field.codes[cell], cell - 180);
    decoded_step(&d, 0, SST_LATTICE_MILLI);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_off_lattice, 0);
    ck_assert_int_eq(d.field.codes[7], -1730 + 4 - 15000);
    ck_assert_int_eq(d.field.hundredths[7], -173);
    decoded_clear(&d);
}
END_TEST

START_TEST(hundredths_are_rounded_to_even_from_thousandths)
{
    struct make_nc_spec spec;
    const double milli[N_CELLS] = {-1800, 5, 15, 25, -5, -15, 1234, 1236, 32095, -4, 4, 6};
    const int16_t hundredths[N_CELLS] = {-180, 0, 2, 2, 0, -2, 123, 124, 3210, 0, 0, 1};
    make_nc_oisst(&spec, 0, &small_axes, milli);
    make_nc_number(make_nc_find(&spec, "sst"), "scale_factor", NC_DOUBLE, 0.001);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    for (int cell = 0; cell < N_CELLS; ++cell) {
        ck_assert_int_eq(d.field.codes[cell] + 15000, (int)milli[cell]);
        ck_assert_int_eq(d.field.hundredths[cell], hundredths[cell]);
    }
    decoded_clear(&d);
}
END_TEST

START_TEST(a_leftover_scale_on_floats_is_applied_told_and_caught_where_it_is_wrong)
{
    struct make_nc_spec spec;
    double values[N_CELLS];
    for (int i = 0; i < N_CELLS; ++i)
        values[i] = 293.15;
    make_nc_oisst(&spec, 0, &small_axes, values);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    sst->type = NC_FLOAT;
    make_nc_drop(sst, "_FillValue");
    make_nc_text(sst, "units", "K");
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "12 of 12 values are outside", "-270.219 degC");
    ck_assert_ptr_nonnull(strstr(d.notes, "scale_factor 0.01 and add_offset 0 stand on floating-point values"));
    decoded_clear(&d);
}
END_TEST

START_TEST(one_implausible_value_in_a_thousand_is_left_out_and_more_are_refused)
{
    struct make_nc_spec spec;
    static double values[N_BIG];
    fill_big_axes();
    for (int i = 0; i < N_BIG; ++i)
        values[i] = 2000;
    values[100] = 5001;
    values[200] = -501;
    make_nc_oisst(&spec, NC_NETCDF4, &big_axes, values);
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_implausible, 2);
    ck_assert_uint_eq(d.stats.n_valid, N_BIG - 2);
    ck_assert_int_eq(d.field.codes[100], M);
    decoded_clear(&d);
    values[201] = -501;
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "step 0: 3 of 2400 values are outside", "50.01 degC", "latitude -19",
                      "longitude 140");
    decoded_clear(&d);
}
END_TEST

START_TEST(kelvin_taken_as_celsius_is_refused_and_units_by_option_mend_it)
{
    struct make_nc_spec spec;
    const struct sst_decode_options kelvin = {.units = "kelvin"}, celsius = {.units = "C"};
    make_nc_oisst(&spec, 0, &small_axes, raw);
    struct make_nc_var *sst = make_nc_find(&spec, "sst");
    make_nc_number(sst, "add_offset", NC_FLOAT, 273.15);
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "11 of 11 values are outside", "271.35 degC");
    decoded_clear(&d);
    d = read_spec(&spec, &kelvin);
    check_codes(&d, raw_codes);
    decoded_clear(&d);
    make_nc_drop(sst, "units");
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "variable 'sst': no units", "use --units kelvin");
    decoded_clear(&d);
    make_nc_number(sst, "add_offset", NC_FLOAT, 0);
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "variable 'sst': no units", "--units degree_Celsius");
    decoded_clear(&d);
    d = read_spec(&spec, &celsius);
    check_codes(&d, raw_codes);
    ck_assert_str_eq(d.info->units, "degree_Celsius");
    decoded_clear(&d);
}
END_TEST

START_TEST(hadisst_ice_codes_are_ice_and_no_values)
{
    struct make_nc_spec spec;
    double values[N_CELLS];
    for (int i = 0; i < N_CELLS; ++i)
        values[i] = i < 3 ? -1000 : 5;
    make_nc_oisst(&spec, 0, &small_axes, values);
    make_nc_find(&spec, "sst")->type = NC_FLOAT;
    make_nc_find(&spec, "sst")->n_attrs = 0;
    make_nc_text(make_nc_find(&spec, "sst"), "units", "C");
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "3 of 12 values are outside", "-1000 degC");
    decoded_clear(&d);
    make_nc_text(&spec.global, "title", "Daily version of HadISST");
    d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert(d.field.has_ice && d.field.ice[2] == 1 && d.field.ice[3] == 0);
    ck_assert_int_eq(d.field.codes[2], M);
    ck_assert_uint_eq(d.stats.n_valid, 9);
    ck_assert_uint_eq(d.stats.n_missing, 3);
    ck_assert_uint_eq(d.stats.n_implausible, 0);
    decoded_clear(&d);
}
END_TEST

static const char *const common_units[] = {
    "kelvin", "Kelvin", "K",       "degK",    "degree_Celsius", "degrees_Celsius", "degree_C",    "degrees_C",
    "deg_C",  "degC",   "Celsius", "celsius", "degree_celsius", "degrees_celsius", "\xc2\xb0\x43"}; /* degree sign, C */

START_TEST(the_list_of_common_units_agrees_with_udunits)
{
    struct sst_decode_conversion listed, parsed;
    struct sst_error err = {0};
    ck_assert(sst_decode_units_listed(common_units[_i], &listed));
    if (sst_decode_units_parsed(common_units[_i], &parsed, &err) != SST_OK)
        ck_abort_msg("%s", err.text);
    ck_assert_double_eq(listed.slope, parsed.slope);
    ck_assert_double_eq(listed.intercept, parsed.intercept);
}
END_TEST

START_TEST(units_that_are_no_temperature_are_refused_with_what_udunits_reads)
{
    struct sst_decode_conversion conversion;
    struct sst_error err = {0};
    char used[SST_DECODE_TEXT_SIZE];
    bool was_alias = true;
    ck_assert_int_eq(sst_decode_units("coulomb", &conversion, used, sizeof used, &was_alias, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(
        strstr(err.text, "units 'coulomb' is not a temperature (UDUNITS reads it as coulomb). Use --units"));
    ck_assert(!was_alias);
    sst_error_clear(&err);
    ck_assert_int_eq(sst_decode_units("warm", &conversion, used, sizeof used, &was_alias, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "not known to UDUNITS"));
    ck_assert_int_eq(sst_decode_units("degrees", &conversion, used, sizeof used, &was_alias, NULL), SST_ERR_INPUT);
    ck_assert_int_eq(sst_decode_units("deg C", &conversion, used, sizeof used, &was_alias, NULL), SST_OK);
    ck_assert(was_alias);
    ck_assert_str_eq(used, "degree_Celsius");
    ck_assert_double_eq(conversion.intercept, 0.0);
    ck_assert_int_eq(sst_decode_units("0.01 K", &conversion, used, sizeof used, &was_alias, NULL), SST_OK);
    ck_assert_double_eq_tol(conversion.slope, 0.01, 1e-12);
}
END_TEST

#define COUNT(list) (int)(sizeof list / sizeof *list)

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, every_format_gives_the_same_codes, 0, COUNT(formats));
    tcase_add_loop_test(tc, one_field_in_every_packing_is_one_field_within_half_a_quantum, 0, COUNT(packings));
    tcase_add_loop_test(tc, all_65536_shorts_are_distinct_and_right_to_a_nanodegree, 0, 2);
    tcase_add_loop_test(tc, all_plausible_shorts_decode_to_themselves_with_and_without_the_table, 0, 2);
    tcase_add_test(tc, unsigned_bytes_and_shorts_are_read_as_meant);
    tcase_add_test(tc, missing_is_the_union_of_all_ways_to_say_so);
    tcase_add_test(tc, a_double_fill_of_floats_is_compared_as_float);
    tcase_add_test(tc, numbers_written_as_text_are_parsed_or_refused);
    tcase_add_test(tc, factors_that_cannot_be_meant_are_refused);
    tcase_add_loop_test(tc, a_valid_range_applies_where_it_is_meant_as_stored_numbers, 0, COUNT(ranges));
    tcase_add_loop_test(tc, floats_on_the_lattice_are_told_from_floats_beside_it, 0, 2);
    tcase_add_test(tc, hundredths_are_rounded_to_even_from_thousandths);
    tcase_add_test(tc, a_leftover_scale_on_floats_is_applied_told_and_caught_where_it_is_wrong);
    tcase_add_test(tc, one_implausible_value_in_a_thousand_is_left_out_and_more_are_refused);
    tcase_add_test(tc, kelvin_taken_as_celsius_is_refused_and_units_by_option_mend_it);
    tcase_add_test(tc, hadisst_ice_codes_are_ice_and_no_values);
    tcase_add_loop_test(tc, the_list_of_common_units_agrees_with_udunits, 0, COUNT(common_units));
    tcase_add_test(tc, units_that_are_no_temperature_are_refused_with_what_udunits_reads);
    suite_add_tcase(suite, tc);
    return suite;
}
