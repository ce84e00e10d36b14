/* stream/decode: which variable is the SST, of what kind it is, and what tells ice, land and lakes. */
#include <math.h>
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "test_main.h"

enum { N_LAT = 2, N_LON = 4, N_CELLS = N_LAT * N_LON, M = SST_CODE_MISSING };

static const double lat[N_LAT] = {0, 1}, lon[N_LON] = {10, 11, 12, 13}, noon[1] = {8401};
static const double warm[N_CELLS] = {20, 21, 22, 23, 24, 25, 26, 27}, zero[N_CELLS] = {0};

static void make_spec(struct make_nc_spec *spec)
{
    *spec = (struct make_nc_spec){.format = NC_NETCDF4};
    make_nc_record_dim(spec, "time", 1);
    make_nc_dim(spec, "lat", N_LAT);
    make_nc_dim(spec, "lon", N_LON);
    make_nc_text(make_nc_var(spec, "time", NC_INT, "time", noon), "units", "days since 1978-01-01 12:00:00");
    make_nc_text(make_nc_var(spec, "lat", NC_DOUBLE, "lat", lat), "units", "degrees_north");
    make_nc_text(make_nc_var(spec, "lon", NC_DOUBLE, "lon", lon), "units", "degrees_east");
}

static struct make_nc_var *add_field(struct make_nc_spec *spec, const char *name, const char *standard_name,
                                     const char *long_name, const char *units)
{
    struct make_nc_var *var = make_nc_var(spec, name, NC_FLOAT, "time lat lon", warm);
    if (standard_name[0])
        make_nc_text(var, "standard_name", standard_name);
    if (long_name[0])
        make_nc_text(var, "long_name", long_name);
    if (units[0])
        make_nc_text(var, "units", units);
    return var;
}

static struct decoded read_as(const struct make_nc_spec *spec, const char *name,
                              const struct sst_decode_options *options)
{
    struct decoded d;
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    make_nc_write(spec, path);
    decoded_read(&d, path, options);
    return d;
}

struct field {
    const char *name, *standard_name, *long_name, *units;
};

/* Fields in the order of the file, and the name of the one that is taken; or what is said where none can be. */
static const struct {
    struct field fields[4];
    const char *taken, *says, *note;
} choices[] = {
    {{{"sst_anomaly", "", "anomaly", "kelvin"}, {"analysed_sst", "", "", "degC"}}, "analysed_sst", "", ""},
    {{{"anom", "", "Daily sea surface temperature anomalies", "degC"},
      {"err", "", "Estimated error standard deviation of analysed_sst", "degC"},
      {"sst", "", "Daily sea surface temperature", "degC"}},
     "sst",
     "",
     ""},
    {{{"analysis_error", "sea_surface_temperature standard_error", "", "degC"},
      {"field", "sea_surface_foundation_temperature", "", "degC"}},
     "field",
     "",
     ""},
    {{{"delta", "sea_surface_temperature", "SST anomaly", "K"}, {"sst", "", "", "degC"}}, "sst", "", ""},
    {{{"sst", "", "", "degC"}, {"skin", "sea_surface_skin_temperature", "", "degC"}}, "skin", "", ""},
    {{{"tas", "air_temperature", "", "degC"}, {"TOS", "", "", "degC"}}, "TOS", "", ""},
    {{{"thetao", "sea_water_potential_temperature", "", "degC"}}, "thetao", "", ""},
    {{{"thetao", "sea_water_potential_temperature", "", "degC"}, {"SST", "", "", "degC"}}, "SST", "", ""},
    {{{"wind", "", "", "m s-1"}, {"var1", "", "", "degC"}}, "var1", "", "'var1' is taken as the SST"},
    {{{"t2m", "", "2 metre temperature", "K"}},
     "",
     "no SST variable; candidates: t2m. If one is meant, use --var t2m",
     ""},
    {{{"tas", "air_temperature", "", "K"}, {"d2m", "", "dew point", "K"}}, "", "candidates: tas, d2m", ""},
    {{{"wind", "", "", "m s-1"}, {"adjustment", "", "", "K"}}, "", "on its grid are wind, adjustment", ""},
    {{{"sst_anomaly", "", "", "K"}}, "", "no SST variable; the variables on its grid are sst_anomaly", ""},
    {{{"sst", "", "", "degC"}, {"analysed_sst", "", "", "degC"}},
     "",
     "several SST variables: sst, analysed_sst. Choose one: --var sst",
     ""},
    {{{"a", "", "", "degC"}, {"b", "", "", "K"}}, "", "several SST variables: a, b", ""},
    {{{"sea_surface_temperature", "sea_surface_skin_temperature", "", "degC"},
      {"sea_surface_temperature_depth", "sea_surface_temperature", "", "degC"}},
     "",
     "several SST variables",
     ""},
    {{{"sst", "", "", "coulomb"}}, "", "variable 'sst': units 'coulomb' is not a temperature", ""},
};

START_TEST(the_sst_is_found_among_its_neighbours_or_asked_for)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    for (int i = 0; i < 4 && choices[_i].fields[i].name; ++i) {
        const struct field *field = &choices[_i].fields[i];
        (void)add_field(&spec, field->name, field->standard_name, field->long_name, field->units);
    }
    struct decoded d = read_as(&spec, "file.nc", NULL);
    if (choices[_i].taken[0]) {
        decoded_must_be_ok(&d);
        ck_assert_str_eq(d.info->variable, choices[_i].taken);
        ck_assert_ptr_nonnull(strstr(d.notes, choices[_i].note));
        ck_assert_int_eq(d.field.codes[1], 2100);
    } else {
        DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: ", choices[_i].says);
    }
    decoded_clear(&d);
}
END_TEST

START_TEST(a_variable_by_name_is_taken_whatever_it_is_called)
{
    struct make_nc_spec spec;
    struct sst_decode_options options = {.variable = "t2m"};
    make_spec(&spec);
    (void)add_field(&spec, "sst", "", "", "degC");
    (void)add_field(&spec, "t2m", "", "2 metre temperature", "degC");
    struct decoded d = read_as(&spec, "file.nc", &options);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->variable, "t2m");
    decoded_clear(&d);
    options.variable = "SST";
    d = read_as(&spec, "file.nc", &options);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: no variable 'SST'", "--var: sst, t2m");
    decoded_clear(&d);
    options.variable = "time";
    d = read_as(&spec, "file.nc", &options);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "variable 'time': no latitude and longitude dimension");
    decoded_clear(&d);
}
END_TEST

static const struct {
    const char *file, *standard_name, *long_name;
    enum sst_sst_kind kind;
    const char *name;
} kinds[] = {
    {"x.nc", "sea_surface_foundation_temperature", "", SST_KIND_FOUNDATION, "foundation"},
    {"x.nc", "sea_surface_skin_temperature", "", SST_KIND_SKIN, "skin"},
    {"x.nc", "sea_surface_subskin_temperature", "", SST_KIND_SUBSKIN, "subskin"},
    {"x-SSTfnd.nc", "sea_surface_temperature", "", SST_KIND_SURFACE, "surface"},
    {"x.nc", "sea_water_temperature", "", SST_KIND_DEPTH, "depth"},
    {"x.nc", "", "foundation sea surface temperature", SST_KIND_FOUNDATION, "foundation"},
    {"GHRSST-SSTskin-x.nc", "", "", SST_KIND_SKIN, "skin"},
    {"GHRSST-SSTsubskin-x.nc", "", "", SST_KIND_SUBSKIN, "subskin"},
    {"GHRSST-SSTblend-x.nc", "", "", SST_KIND_SURFACE, "surface"},
    {"GHRSST-SSTdepth-x.nc", "", "", SST_KIND_DEPTH, "depth"},
    {"x.nc", "", "Daily sea surface temperature", SST_KIND_SURFACE, "surface"},
};

START_TEST(the_kind_comes_from_standard_name_then_long_name_then_file_name)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    (void)add_field(&spec, "sst", kinds[_i].standard_name, kinds[_i].long_name, "degC");
    struct decoded d = read_as(&spec, kinds[_i].file, NULL);
    decoded_must_be_ok(&d);
    ck_assert_int_eq(d.info->kind, kinds[_i].kind);
    ck_assert_str_eq(sst_sst_kind_name(d.info->kind), kinds[_i].name);
    decoded_clear(&d);
}
END_TEST

/* Concentrations 0, 14, 15, 50, 100 %, a fill and a value beyond, in every way to write them. */
static const struct {
    const char *name, *standard_name, *units;
    nc_type type;
    double scale, per_percent, valid_max; /* valid_max 0: none */
} ices[] = {
    {"sea_ice_fraction", "sea_ice_area_fraction", "1", NC_BYTE, 0.01, 1, 100},
    {"sea_ice_fraction", "sea ice area fraction", "fraction (between 0 and 1)", NC_SHORT, 0.01, 1, 100},
    {"ice", "", "percent", NC_SHORT, 0.01, 1, 0}, /* OISST v2: fractions that say percent */
    {"ice", "", "%", NC_SHORT, 0.01, 1, 100}, /* OISST v2.1 */
    {"siconc", "sea_ice_area_fraction", "%", NC_FLOAT, 1, 1, 0},
    {"siconc", "sea_ice_area_fraction", "%", NC_SHORT, 1, 1, 100},
    {"icec", "", "", NC_FLOAT, 1, 0.01, 0},
    {"aice", "", "1", NC_DOUBLE, 1, 0.01, 0},
    {"ICE", "", "", NC_BYTE, 1, 1, 0},
    {"sic", "", "", NC_SHORT, 0.1, 10, 1000},
};

START_TEST(ice_is_fifteen_percent_however_it_is_written)
{
    static const double percent[N_CELLS] = {0, 14, 15, 50, 100, NAN, 16, 1};
    static const uint8_t is_ice[N_CELLS] = {0, 0, 1, 1, 1, 0, 1, 0};
    struct make_nc_spec spec;
    double stored[N_CELLS];
    for (int i = 0; i < N_CELLS; ++i)
        stored[i] = isnan(percent[i]) ? -99 : percent[i] * ices[_i].per_percent;
    make_spec(&spec);
    (void)add_field(&spec, "sst", "", "", "degC");
    struct make_nc_var *ice = make_nc_var(&spec, ices[_i].name, ices[_i].type, "time lat lon", stored);
    make_nc_text(ice, "standard_name", ices[_i].standard_name);
    make_nc_text(ice, "units", ices[_i].units);
    make_nc_number(ice, "_FillValue", ices[_i].type, -99);
    if (ices[_i].scale != 1)
        make_nc_number(ice, "scale_factor", NC_FLOAT, ices[_i].scale);
    if (ices[_i].valid_max != 0)
        make_nc_number(ice, "valid_max", ices[_i].type, ices[_i].valid_max);
    struct decoded d = read_as(&spec, "file.nc", NULL);
    decoded_must_be_ok(&d);
    ck_assert(d.field.has_ice);
    ck_assert_str_eq(d.info->ice_source, ices[_i].name);
    ck_assert_mem_eq(d.field.ice, is_ice, sizeof is_ice);
    ck_assert_uint_eq(d.stats.n_ice, 4);
    ck_assert_uint_eq(d.stats.n_valid, N_CELLS);
    decoded_clear(&d);
}
END_TEST

START_TEST(ice_by_name_is_taken_and_what_does_not_fit_is_refused)
{
    static const double half[N_CELLS] = {0.5};
    struct make_nc_spec spec;
    struct sst_decode_options options = {.ice_variable = "conc"};
    make_spec(&spec);
    make_nc_dim(&spec, "lat2", N_LAT);
    make_nc_text(make_nc_var(&spec, "lat2", NC_DOUBLE, "lat2", lat), "units", "degrees_north");
    (void)add_field(&spec, "sst", "", "", "degC");
    make_nc_var(&spec, "conc", NC_FLOAT, "lat lon", half);
    make_nc_text(make_nc_var(&spec, "ice", NC_FLOAT, "lat2 lon", half), "units", "1");
    struct decoded d = read_as(&spec, "file.nc", &options);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.stats.n_ice, 1);
    decoded_clear(&d);
    d = read_as(&spec, "file.nc", NULL);
    decoded_must_be_ok(&d);
    ck_assert(!d.field.has_ice);
    ck_assert_ptr_nonnull(strstr(d.notes, "variable 'ice' is not on the grid of 'sst' and is not used"));
    decoded_clear(&d);
    options.ice_variable = "ice";
    d = read_as(&spec, "file.nc", &options);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "variable 'ice' is not on the grid of 'sst'", "--ice-var");
    decoded_clear(&d);
    options.ice_variable = "frost";
    d = read_as(&spec, "file.nc", &options);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "no variable 'frost'", "--ice-var: sst, conc, ice");
    decoded_clear(&d);
}
END_TEST

/* A mask of GHRSST: 1 water, 2 land, 5 lake, 9 ice, 13 lake ice; a fill; land where SST is missing anyhow. */
static const struct {
    const char *meanings;
    size_t n_masks, n_values;
    double masks[5], values[5];
} masks[] = {
    {"water land optional_lake_surface sea_ice optional_river_surface", 5, 0, {1, 2, 4, 8, 16}, {0}},
    {"water land lake ice", 0, 0, {0}, {0}},
    {"open_sea land lake sea_ice lake_ice", 0, 5, {0}, {1, 2, 5, 9, 13}},
    {"1=open-sea, 2=land, 5=open-lake, 9=open-sea with ice in the grid, 13=open-lake with ice in the grid",
     5,
     5,
     {1, 2, 4, 8, 16},
     {1, 2, 5, 9, 13}},
    {"open_sea land lake sea_ice lake_ice", 5, 5, {1, 2, 4, 8, 16}, {1, 2, 5, 9, 13}},
    {"water land inland_water sea_ice", 4, 4, {1, 2, 4, 8}, {1, 2, 4, 8}},
};

START_TEST(masks_leave_out_land_and_lakes_and_mark_ice)
{
    static const double flags[N_CELLS] = {1, 2, 5, 9, 13, -128, 2, 1};
    static const uint8_t is_ice[N_CELLS] = {0, 0, 0, 1, 1, 0, 0, 0};
    struct make_nc_spec spec;
    double sst[N_CELLS];
    memcpy(sst, warm, sizeof sst);
    sst[6] = NAN;
    sst[1] = -300; /* garbage on land is no reason to refuse the day */
    make_spec(&spec);
    add_field(&spec, "sst", "", "", "degC")->values = sst;
    struct make_nc_var *mask = make_nc_var(&spec, "mask", NC_BYTE, "time lat lon", flags);
    make_nc_number(mask, "_FillValue", NC_BYTE, -128);
    make_nc_text(mask, "flag_meanings", masks[_i].meanings);
    if (masks[_i].n_masks)
        make_nc_numbers(mask, "flag_masks", NC_BYTE, masks[_i].n_masks, masks[_i].masks);
    if (masks[_i].n_values)
        make_nc_numbers(mask, "flag_values", NC_BYTE, masks[_i].n_values, masks[_i].values);
    struct decoded d = read_as(&spec, "file.nc", NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->mask_source, "mask");
    ck_assert_str_eq(d.info->ice_source, "mask");
    ck_assert_mem_eq(d.field.ice, is_ice, sizeof is_ice);
    ck_assert_uint_eq(d.stats.n_land, 1);
    ck_assert_uint_eq(d.stats.n_lake, 2);
    ck_assert_uint_eq(d.stats.n_missing, 1);
    ck_assert_uint_eq(d.stats.n_valid, 4);
    ck_assert_uint_eq(d.stats.n_ice, 1);
    ck_assert_int_eq(d.field.codes[1], M);
    ck_assert_int_eq(d.field.codes[2], M);
    ck_assert_int_eq(d.field.codes[3], 2300);
    ck_assert_int_eq(d.field.codes[4], M);
    ck_assert_int_eq(d.field.codes[5], 2500);
    /* A concentration goes before the mask's ice. */
    make_nc_text(make_nc_var(&spec, "sea_ice_fraction", NC_FLOAT, "time lat lon", zero), "units", "1");
    decoded_clear(&d);
    d = read_as(&spec, "file.nc", NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->ice_source, "sea_ice_fraction");
    ck_assert_uint_eq(d.stats.n_ice, 0);
    ck_assert_uint_eq(d.stats.n_lake, 2);
    decoded_clear(&d);
}
END_TEST

START_TEST(a_mask_without_meanings_is_told_and_not_used)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    (void)add_field(&spec, "sst", "", "", "degC");
    make_nc_var(&spec, "mask", NC_BYTE, "time lat lon", warm);
    struct decoded d = read_as(&spec, "file.nc", NULL);
    decoded_must_be_ok(&d);
    ck_assert_str_eq(d.info->mask_source, "");
    ck_assert_uint_eq(d.stats.n_valid, N_CELLS);
    ck_assert_ptr_nonnull(strstr(d.notes, "variable 'mask' has no flag_meanings"));
    decoded_clear(&d);
}
END_TEST

#define COUNT(list) (int)(sizeof list / sizeof *list)

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_choose");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, the_sst_is_found_among_its_neighbours_or_asked_for, 0, COUNT(choices));
    tcase_add_test(tc, a_variable_by_name_is_taken_whatever_it_is_called);
    tcase_add_loop_test(tc, the_kind_comes_from_standard_name_then_long_name_then_file_name, 0, COUNT(kinds));
    tcase_add_loop_test(tc, ice_is_fifteen_percent_however_it_is_written, 0, COUNT(ices));
    tcase_add_test(tc, ice_by_name_is_taken_and_what_does_not_fit_is_refused);
    tcase_add_loop_test(tc, masks_leave_out_land_and_lakes_and_mark_ice, 0, COUNT(masks));
    tcase_add_test(tc, a_mask_without_meanings_is_told_and_not_used);
    suite_add_tcase(suite, tc);
    return suite;
}
