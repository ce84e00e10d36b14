/* stream/decode: dimensions in any order and number, axes by any name, either way up, from any meridian. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "test_main.h"

enum { N_LAT = 4, N_LON = 6, N_CELLS = N_LAT * N_LON };

static const double noon[1] = {8401};

/* One physical field: what stands at a place, in hundredths. */
static double value_at(double lat, double lon) { return 1000 + 10 * lat + fmod(lon + 720, 360); }

/* A file of one orientation: which way up, from which meridian, in which order of dimensions. */
struct orientation {
    bool up, from_date_line;
    const char *dims;
};

struct arrays {
    double lat[N_LAT], lon[N_LON + 1], sst[N_LAT * (N_LON + 1)];
};

static void fill_arrays(const struct orientation *o, size_t n_lon, struct arrays *a)
{
    for (int i = 0; i < N_LAT; ++i)
        a->lat[i] = o->up ? -30 + 20 * i : 30 - 20 * i;
    for (size_t i = 0; i < n_lon; ++i)
        a->lon[i] = (o->from_date_line ? -180.0 : 0.0) + 60.0 * (double)i;
    const bool lon_first = strstr(o->dims, "lon") < strstr(o->dims, "lat");
    for (size_t row = 0; row < N_LAT; ++row)
        for (size_t col = 0; col < n_lon; ++col)
            a->sst[lon_first ? col * N_LAT + row : row * n_lon + col] = value_at(a->lat[row], a->lon[col]);
}

static void make_spec(struct make_nc_spec *spec, const struct orientation *o, int format, struct arrays *a,
                      size_t n_lon)
{
    const struct make_nc_axes axes = {.lat = a->lat, .lon = a->lon, .time = noon, .n_lat = N_LAT, .n_lon = n_lon};
    fill_arrays(o, n_lon, a);
    make_nc_oisst(spec, format, &axes, a->sst);
    if (format != NC_NETCDF4)
        spec->dims[0].is_unlimited = strncmp(o->dims, "time", 4) == 0;
    struct make_nc_var *sst = make_nc_find(spec, "sst");
    struct make_nc_var reordered = *sst;
    make_nc_remove(spec, "sst");
    sst = make_nc_var(spec, "sst", NC_SHORT, o->dims, a->sst);
    memcpy(sst->attrs, reordered.attrs, sizeof sst->attrs);
    sst->n_attrs = reordered.n_attrs;
}

static struct decoded read_spec(const struct make_nc_spec *spec, const struct sst_decode_options *options)
{
    struct decoded d;
    const char *path = test_path("%s/file.nc", test_scratch_dir());
    make_nc_write(spec, path);
    decoded_read(&d, path, options);
    return d;
}

static void check_places(const struct decoded *d)
{
    decoded_must_be_ok(d);
    for (size_t row = 0; row < d->domain.n_rows; ++row)
        for (size_t col = 0; col < d->domain.n_cols; ++col)
            ck_assert_int_eq(d->field.codes[row * d->domain.n_cols + col],
                             (int)value_at(sst_domain_lat(&d->domain, row), sst_domain_lon(&d->domain, col)));
}

static const struct orientation plain = {true, false, "time zlev lat lon"};
static const struct orientation orientations[] = {
    {true, false, "time zlev lat lon"}, {true, true, "time zlev lat lon"}, {false, false, "time zlev lat lon"},
    {false, true, "time zlev lat lon"}, {true, false, "lon lat time"},     {true, true, "lon lat time"},
    {false, false, "lon lat time"},     {false, true, "lon lat time"},     {true, true, "zlev lat time lon"},
    {false, true, "lon time lat zlev"}, {true, false, "lat lon"},
};
enum { N_ORIENTATIONS = sizeof orientations / sizeof *orientations };

START_TEST(one_field_written_every_way_has_one_digest)
{
    struct make_nc_spec spec;
    struct arrays a, first_arrays;
    make_spec(&spec, &plain, NC_NETCDF4, &first_arrays, N_LON);
    struct decoded first = read_spec(&spec, NULL);
    check_places(&first);
    const uint64_t digest = sst_domain_digest(&first.domain, first.field.codes);
    for (int format = 0; format < 2; ++format) {
        make_spec(&spec, &orientations[_i], format ? NC_NETCDF4 : 0, &a, N_LON);
        struct decoded d = read_spec(&spec, NULL);
        check_places(&d);
        ck_assert_uint_eq(sst_domain_digest(&d.domain, d.field.codes), digest);
        ck_assert_uint_eq(sst_grid_digest(d.info->grid), sst_grid_digest(first.info->grid));
        /* Into the first file's domain: whole, and boxes across both seams. */
        static const double boxes[][2] = {{-180, 180}, {-70, 70}, {110, -110}, {0, 0}};
        for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k) {
            struct sst_grid_map map;
            struct sst_error err = {0};
            ck_assert_int_eq(sst_grid_match(first.info->grid, d.info->grid, &map, &err), SST_OK);
            struct sst_domain whole = d.domain;
            ck_assert_int_eq(sst_domain_box(first.info->grid, boxes[k][0], -11, boxes[k][1], 35, &d.domain, &err),
                             SST_OK);
            if (sst_file_decode(d.file, 0, &d.domain, &map, SST_LATTICE_CENTI, &d.field, NULL, &err) != SST_OK)
                ck_abort_msg("%s", err.text);
            check_places(&d);
            d.domain = whole;
        }
        decoded_clear(&d);
    }
    decoded_clear(&first);
}
END_TEST

START_TEST(a_repeated_first_meridian_is_left_out_and_told)
{
    struct make_nc_spec spec;
    struct arrays a;
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON + 1);
    struct decoded d = read_spec(&spec, NULL);
    check_places(&d);
    ck_assert_uint_eq(d.domain.n_cols, N_LON);
    ck_assert_ptr_nonnull(strstr(d.notes, "0 and 360 are one meridian"));
    decoded_clear(&d);
}
END_TEST

static const struct {
    const char *lat, *lon, *time, *lat_units, *lon_units, *lat_axis, *lon_axis;
} names[] = {
    {"latitude", "longitude", "valid_time", "degrees_north", "degrees_east", "", ""},
    {"nav_lat", "nav_lon", "time_counter", "degrees_north", "degrees_east", "", ""},
    {"y", "x", "t", "degree_N", "degree_E", "", ""},
    {"lat", "lon", "time", "", "", "", ""},
    {"north", "east", "when", "degrees_north", "degrees_east", "", ""},
    {"a", "b", "c", "degrees", "degrees", "Y", "X"},
    {"x", "y", "time", "degrees_north", "degrees_east", "", ""},
};

START_TEST(axes_are_found_by_what_they_say_before_their_names)
{
    struct make_nc_spec spec = {.format = 0};
    struct arrays a;
    char dims[128];
    (void)snprintf(dims, sizeof dims, "%s %s %s", names[_i].time, names[_i].lat, names[_i].lon);
    fill_arrays(&plain, N_LON, &a);
    make_nc_record_dim(&spec, names[_i].time, 1);
    make_nc_dim(&spec, names[_i].lat, N_LAT);
    make_nc_dim(&spec, names[_i].lon, N_LON);
    struct make_nc_var *time = make_nc_var(&spec, names[_i].time, NC_INT, names[_i].time, noon);
    make_nc_text(time, "units", "days since 1978-01-01 12:00:00");
    struct make_nc_var *lat = make_nc_var(&spec, names[_i].lat, NC_DOUBLE, names[_i].lat, a.lat);
    struct make_nc_var *lon = make_nc_var(&spec, names[_i].lon, NC_DOUBLE, names[_i].lon, a.lon);
    make_nc_text(lat, "units", names[_i].lat_units);
    make_nc_text(lon, "units", names[_i].lon_units);
    make_nc_text(lat, "axis", names[_i].lat_axis);
    make_nc_text(lon, "axis", names[_i].lon_axis);
    struct make_nc_var *sst = make_nc_var(&spec, "tos", NC_FLOAT, dims, a.sst);
    make_nc_text(sst, "units", "degC");
    make_nc_number(sst, "scale_factor", NC_DOUBLE, 0.01);
    struct decoded d = read_spec(&spec, NULL);
    check_places(&d);
    ck_assert_int_eq(d.info->steps[0].at.day.year, 2001);
    decoded_clear(&d);
}
END_TEST

START_TEST(packed_axes_bounds_scalars_and_string_attributes_do_no_harm)
{
    struct make_nc_spec spec;
    struct arrays a;
    static const double bounds[2 * N_LAT] = {0}, one[1] = {1};
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    make_nc_dim(&spec, "nv", 2);
    make_nc_var(&spec, "lat_bnds", NC_DOUBLE, "lat nv", bounds);
    make_nc_string(make_nc_find(&spec, "lat"), "bounds", "lat_bnds");
    make_nc_text(make_nc_var(&spec, "crs", NC_INT, "", one), "grid_mapping_name", "latitude_longitude");
    make_nc_text(make_nc_var(&spec, "expver", NC_CHAR, "time", NULL), "long_name", "version");
    make_nc_string(make_nc_find(&spec, "lat"), "units", "degrees_north");
    make_nc_string(make_nc_find(&spec, "lon"), "standard_name", "longitude");
    make_nc_drop(make_nc_find(&spec, "lon"), "units");
    make_nc_string(make_nc_find(&spec, "sst"), "units", "kelvin");
    make_nc_string(make_nc_find(&spec, "sst"), "standard_name", "sea_surface_skin_temperature");
    make_nc_number(make_nc_find(&spec, "sst"), "add_offset", NC_FLOAT, 273.15);
    make_nc_string(&spec.global, "title", "of strings");
    double halved[N_LAT];
    for (int i = 0; i < N_LAT; ++i)
        halved[i] = a.lat[i] * 2;
    make_nc_find(&spec, "lat")->type = NC_SHORT;
    make_nc_find(&spec, "lat")->values = halved;
    make_nc_number(make_nc_find(&spec, "lat"), "scale_factor", NC_DOUBLE, 0.5);
    struct decoded d = read_spec(&spec, NULL);
    check_places(&d);
    ck_assert_int_eq(d.info->kind, SST_KIND_SKIN);
    ck_assert_str_eq(d.info->title, "of strings");
    ck_assert_str_eq(d.info->standard_name, "sea_surface_skin_temperature");
    decoded_clear(&d);
}
END_TEST

START_TEST(dimensions_that_want_a_choice_are_refused_with_the_choice)
{
    static const struct {
        const char *name;
        const char *says, *remedy;
    } extras[] = {{"zlev", "dimension 'zlev' has 2 levels", "ncks -d zlev,0"},
                  {"depth", "dimension 'depth' has 2 levels", "ncks -d depth,0"},
                  {"expver", "ERA5T", "ncks -d expver,0"},
                  {"number", "dimension 'number' has 2 items", "ncks -d number,0"}};
    enum { N_EXTRAS = sizeof extras / sizeof *extras };
    struct make_nc_spec spec;
    struct arrays a;
    static double twice[2 * N_CELLS];
    for (int i = 0; i < N_EXTRAS; ++i) {
        for (size_t length = 1; length <= 2; ++length) {
            char dims[64];
            make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
            memcpy(twice, a.sst, sizeof(double) * N_CELLS);
            make_nc_remove(&spec, "zlev");
            spec.dims[1].name = extras[i].name;
            spec.dims[1].length = length;
            struct make_nc_var kept = *make_nc_find(&spec, "sst");
            make_nc_remove(&spec, "sst");
            (void)snprintf(dims, sizeof dims, "time %s lat lon", extras[i].name);
            struct make_nc_var *sst = make_nc_var(&spec, "sst", NC_SHORT, dims, twice);
            memcpy(sst->attrs, kept.attrs, sizeof sst->attrs);
            sst->n_attrs = kept.n_attrs;
            struct decoded d = read_spec(&spec, NULL);
            if (length == 1)
                check_places(&d);
            else
                DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: variable 'sst'", extras[i].says, extras[i].remedy);
            decoded_clear(&d);
        }
    }
}
END_TEST

START_TEST(coordinates_that_are_no_coordinates_are_refused)
{
    struct make_nc_spec spec;
    struct arrays a;
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    make_nc_find(&spec, "lon")->values = NULL;
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_GRID, "file.nc: variable 'lon'", "9.96921e+36", "never written");
    decoded_clear(&d);
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    make_nc_number(make_nc_find(&spec, "lat"), "_FillValue", NC_FLOAT, 30);
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_GRID, "variable 'lat': value 3 is 30, a fill");
    decoded_clear(&d);
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    a.lat[2] = -40;
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_GRID, "latitude: rows 1 and 2 (-10, -40) are out of order");
    decoded_clear(&d);
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    make_nc_remove(&spec, "lat");
    d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "no variable with latitude and longitude dimensions");
    decoded_clear(&d);
}
END_TEST

START_TEST(two_dimensional_coordinates_are_refused_with_the_remedy)
{
    struct make_nc_spec spec = {.format = NC_NETCDF4};
    static const double places[N_CELLS] = {0};
    make_nc_dim(&spec, "time", 1);
    make_nc_dim(&spec, "j", N_LAT);
    make_nc_dim(&spec, "i", N_LON);
    make_nc_text(make_nc_var(&spec, "time", NC_INT, "time", noon), "units", "days since 1978-01-01 12:00:00");
    make_nc_text(make_nc_var(&spec, "lat", NC_FLOAT, "j i", places), "units", "degrees_north");
    make_nc_text(make_nc_var(&spec, "lon", NC_FLOAT, "j i", places), "units", "degrees_east");
    make_nc_text(make_nc_var(&spec, "tos", NC_FLOAT, "time j i", places), "units", "degC");
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "file.nc: variable 'tos'", "two-dimensional", "cdo remapbil");
    decoded_clear(&d);
}
END_TEST

START_TEST(a_grid_beyond_all_products_is_refused_before_memory_is_asked_for)
{
    struct make_nc_spec spec = {.format = NC_NETCDF4};
    make_nc_dim(&spec, "time", 1);
    make_nc_dim(&spec, "lat", (size_t)1 << 40);
    make_nc_dim(&spec, "lon", (size_t)1 << 40);
    static const size_t chunks[MAKE_NC_MAX_DIMS] = {1, 1024, 1024};
    make_nc_text(make_nc_var(&spec, "time", NC_INT, "time", noon), "units", "days since 1978-01-01 12:00:00");
    struct make_nc_var *lat = make_nc_var(&spec, "lat", NC_FLOAT, "lat", NULL);
    struct make_nc_var *lon = make_nc_var(&spec, "lon", NC_FLOAT, "lon", NULL);
    struct make_nc_var *sst = make_nc_var(&spec, "sst", NC_FLOAT, "time lat lon", NULL);
    lat->chunks[0] = lon->chunks[0] = 1024;
    memcpy(sst->chunks, chunks, sizeof chunks);
    make_nc_text(sst, "units", "degC");
    struct decoded d = read_spec(&spec, NULL);
    DECODED_MUST_FAIL(&d, SST_ERR_GRID, "variable 'lat': 1099511627776 cells along it is no map");
    decoded_clear(&d);
}
END_TEST

START_TEST(steps_of_one_chunk_are_read_in_any_order)
{
    enum { N_STEPS = 20, STEPS_PER_CHUNK = 8 };
    struct make_nc_spec spec = {.format = NC_NETCDF4};
    struct arrays a;
    static double many[N_STEPS * N_CELLS], days[N_STEPS];
    fill_arrays(&plain, N_LON, &a);
    for (int i = 0; i < N_STEPS * N_CELLS; ++i)
        many[i] = i;
    for (int i = 0; i < N_STEPS; ++i)
        days[i] = 1 + 2 * i;
    make_nc_record_dim(&spec, "time", N_STEPS);
    make_nc_dim(&spec, "lat", N_LAT);
    make_nc_dim(&spec, "lon", N_LON);
    make_nc_text(make_nc_var(&spec, "time", NC_SHORT, "time", days), "units", "days since 1981-12-31");
    make_nc_text(make_nc_var(&spec, "lat", NC_DOUBLE, "lat", a.lat), "units", "degrees_north");
    make_nc_text(make_nc_var(&spec, "lon", NC_DOUBLE, "lon", a.lon), "units", "degrees_east");
    struct make_nc_var *sst = make_nc_var(&spec, "sst", NC_SHORT, "time lat lon", many);
    make_nc_text(sst, "units", "degC");
    make_nc_number(sst, "scale_factor", NC_DOUBLE, 0.01);
    sst->chunks[0] = STEPS_PER_CHUNK;
    sst->chunks[1] = 2;
    sst->chunks[2] = N_LON;
    sst->deflate_level = 1;
    struct decoded d = read_spec(&spec, NULL);
    decoded_must_be_ok(&d);
    ck_assert_uint_eq(d.info->steps_per_chunk, STEPS_PER_CHUNK);
    ck_assert_uint_eq(d.info->n_steps, N_STEPS);
    for (size_t k = 0; k < N_STEPS; ++k) {
        const size_t step = k * 7 % N_STEPS;
        decoded_step(&d, step, SST_LATTICE_CENTI);
        decoded_must_be_ok(&d);
        ck_assert_int_eq(d.field.codes[5], (int)(step * N_CELLS + 5));
        ck_assert_int_eq(d.info->steps[step].at.day.slot, 1 + 2 * (int)step);
    }
    decoded_step(&d, N_STEPS, SST_LATTICE_CENTI);
    DECODED_MUST_FAIL(&d, SST_ERR_INPUT, "step 20 of 20 is not there");
    decoded_clear(&d);
}
END_TEST

START_TEST(a_mask_file_keeps_what_is_not_0_and_not_missing_in_any_orientation)
{
    const char *sst_path = test_path("%s/sst.nc", test_scratch_dir());
    const char *mask_path = test_path("%s/mask.nc", test_scratch_dir());
    struct make_nc_spec spec;
    struct arrays a;
    struct decoded d;
    uint8_t keep[N_CELLS];
    struct sst_error err = {0};
    make_spec(&spec, &plain, NC_NETCDF4, &a, N_LON);
    make_nc_write(&spec, sst_path);
    decoded_read(&d, sst_path, NULL);
    const struct orientation other = {false, true, "lat lon"};
    make_spec(&spec, &other, 0, &a, N_LON);
    for (int cell = 0; cell < N_CELLS; ++cell)
        a.sst[cell] = cell == 0 ? 0 : cell == 1 ? -999 : 1;
    make_nc_write(&spec, mask_path);
    ck_assert_int_eq(sst_file_read_mask(mask_path, NULL, &d.domain, keep, &err), SST_OK);
    /* The mask's first two cells are 30 N, 180 and 120 W: row 3, columns 3 and 4 of the run's grid. */
    for (int cell = 0; cell < N_CELLS; ++cell)
        ck_assert_uint_eq(keep[cell], cell != 3 * N_LON + 3 && cell != 3 * N_LON + 4);
    ck_assert_int_eq(sst_file_read_mask(mask_path, "lsm", &d.domain, keep, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(
        strstr(err.text, "mask.nc: no variable 'lsm'. Name one that is there with --mask FILE:VAR: sst"));
    decoded_clear(&d);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_dims");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, one_field_written_every_way_has_one_digest, 0, N_ORIENTATIONS);
    tcase_add_test(tc, a_repeated_first_meridian_is_left_out_and_told);
    tcase_add_loop_test(tc, axes_are_found_by_what_they_say_before_their_names, 0, sizeof names / sizeof *names);
    tcase_add_test(tc, packed_axes_bounds_scalars_and_string_attributes_do_no_harm);
    tcase_add_test(tc, dimensions_that_want_a_choice_are_refused_with_the_choice);
    tcase_add_test(tc, coordinates_that_are_no_coordinates_are_refused);
    tcase_add_test(tc, two_dimensional_coordinates_are_refused_with_the_remedy);
    tcase_add_test(tc, a_grid_beyond_all_products_is_refused_before_memory_is_asked_for);
    tcase_add_test(tc, steps_of_one_chunk_are_read_in_any_order);
    tcase_add_test(tc, a_mask_file_keeps_what_is_not_0_and_not_missing_in_any_orientation);
    suite_add_tcase(suite, tc);
    return suite;
}
