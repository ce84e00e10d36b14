/* Climatologies of every make are read alike: the value of a calendar day at a place is the same however it is stored. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clim_fixture.h"
#include "core/flags.h"
#include "make_nc.h"
#include "test_main.h"
#include "write/clim_nc_read.h"

enum { N_SPLIT = 12 };
enum { N_LAT = 3, N_LON = 4, N_CELLS = N_LAT * N_LON, LAND_ROW = 1, LAND_COL = 2, MAX_VALUES = SST_N_SLOTS * N_CELLS };

/* Rows from the south, columns from 0 E: a grid that goes round the globe. */
static const double lats[N_LAT] = {-20, -10, 0}, lons[N_LON] = {0, 90, 180, 270};

/* How the days of a file are told. */
enum days { DAYS_TIME, DAYS_LAST_DATE, DAYS_DOY, DAYS_MMDD, DAYS_NONE, DAYS_360 };

/* All zero is a file as ours: float32 (time, lat, lon), 366 days, degC. */
struct form {
    enum days days;
    size_t n_days; /* 0: 366 */
    const char *order; /* "tyx" with t, y, x in any order, and z for a level of one; NULL: tyx */
    bool north_first, west_first; /* rows from the north; columns from -180 */
    nc_type type; /* 0: NC_FLOAT */
    double scale, offset; /* 0: no attributes */
    double added; /* [degC] stored values are this much higher: 273.15 for kelvin */
    const char *units; /* NULL: degree_Celsius, "": none */
    const char *percentile, *mean; /* names; NULL: sst_p90, sst_mean; "": none */
    const char *other; /* one more field, of the percentile's values */
    const char *missing; /* attribute that declares missing values; NULL: _FillValue */
    int format; /* 0: classic */
    bool is_point; /* no latitude */
    size_t chunk_days; /* 0: not chunked */
};

static double value_at(int slot, size_t row, size_t col)
{
    if (row == LAND_ROW && col == LAND_COL)
        return NAN;
    return 10 + slot / 64.0 + lats[row] / 16 + lons[col] / 1024;
}

static int slot_of_step(const struct form *form, size_t step)
{
    const int day = (int)step + 1;
    return form->n_days == 365 && day >= SST_SLOT_FEB29 ? day + 1 : day;
}

/* Values in the order of the form; the mean is 1.25 below. */
static double *make_values(const struct form *form, double below)
{
    static double rooms[3][MAX_VALUES];
    static size_t next;
    double *values = rooms[next++ % 3];
    const char *order = form->order ? form->order : "tyx";
    const size_t n_days = form->n_days ? form->n_days : SST_N_SLOTS;
    const double fill = form->type && form->type != NC_FLOAT && form->type != NC_DOUBLE ? -999 : -9999;
    for (size_t step = 0; step < n_days; ++step)
        for (size_t row = 0; row < N_LAT; ++row)
            for (size_t col = 0; col < N_LON; ++col) {
                const size_t y = form->north_first ? N_LAT - 1 - row : row;
                const size_t x = form->west_first ? (col + N_LON / 2) % N_LON : col;
                size_t at = 0;
                for (const char *dim = order; *dim; ++dim)
                    at = *dim == 't'   ? at * n_days + step
                         : *dim == 'y' ? at * N_LAT + y
                         : *dim == 'x' ? at * N_LON + x
                                       : at;
                const double degc = value_at(slot_of_step(form, step), row, col) - below;
                const double raw = (degc + form->added - form->offset) / (form->scale != 0 ? form->scale : 1);
                values[at] = isnan(degc) ? fill : form->scale != 0 ? round(raw) : raw;
            }
    return values;
}

static const char *day_name(const struct form *form)
{
    static const char *const names[] = {"time", "time", "dayofyear", "mmdd", "n", "time"};
    return names[form->days];
}

static void add_days(struct make_nc_spec *spec, const struct form *form, double *days)
{
    const size_t n_days = form->n_days ? form->n_days : SST_N_SLOTS;
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int month = 0, day = 0;
    make_nc_dim(spec, day_name(form), n_days);
    for (size_t step = 0; step < n_days; ++step) {
        if (++day > month_days[month] || (n_days == 365 && month == 1 && day == 29)) {
            ++month;
            day = 1;
        }
        days[step] = form->days == DAYS_MMDD  ? (month + 1) * 100 + day
                     : form->days == DAYS_DOY ? (double)step + 1
                                              : (double)step;
    }
    if (form->days == DAYS_NONE)
        return;
    struct make_nc_var *var = make_nc_var(spec, day_name(form), NC_DOUBLE, day_name(form), days);
    if (form->days == DAYS_TIME)
        make_nc_text(var, "units", n_days == 365 ? "days since 2003-01-01 12:00:00" : "days since 2004-01-01 12:00:00");
    if (form->days == DAYS_LAST_DATE)
        make_nc_text(var, "units", "days since 2020-01-01");
    if (form->days == DAYS_360) {
        make_nc_text(var, "units", "days since 2000-01-01");
        make_nc_text(var, "calendar", "360_day");
    }
}

static void add_field(struct make_nc_spec *spec, const struct form *form, const char *name, double below)
{
    char dims[64] = "";
    const bool is_packed = form->type && form->type != NC_FLOAT && form->type != NC_DOUBLE;
    size_t n = 0;
    for (const char *dim = form->order ? form->order : "tyx"; *dim; ++dim)
        if (*dim != 'y' || !form->is_point)
            n += (size_t)snprintf(dims + n, sizeof dims - n, "%s%s", n ? " " : "",
                                  *dim == 't'   ? day_name(form)
                                  : *dim == 'y' ? "lat"
                                  : *dim == 'x' ? "lon"
                                                : "zlev");
    struct make_nc_var *var =
        make_nc_var(spec, name, form->type ? form->type : NC_FLOAT, dims, make_values(form, below));
    if (!form->units || form->units[0])
        make_nc_text(var, "units", form->units ? form->units : "degree_Celsius");
    make_nc_number(var, form->missing ? form->missing : "_FillValue", var->type, is_packed ? -999 : -9999);
    if (form->scale != 0) {
        make_nc_number(var, "scale_factor", NC_DOUBLE, form->scale);
        make_nc_number(var, "add_offset", NC_DOUBLE, form->offset);
    }
    if (form->chunk_days) {
        const size_t chunks[] = {form->chunk_days, 2, 2};
        memcpy(var->chunks, chunks, sizeof chunks);
        var->deflate_level = 1;
    }
}

static struct make_nc_spec spec;
static double day_values[SST_N_SLOTS], file_lats[N_LAT], file_lons[N_LON];

static void make_spec(const struct form *form)
{
    spec = (struct make_nc_spec){.format = form->format};
    for (size_t row = 0; row < N_LAT; ++row)
        file_lats[row] = lats[form->north_first ? N_LAT - 1 - row : row];
    for (size_t col = 0; col < N_LON; ++col)
        file_lons[col] = form->west_first ? lons[col] - 180 : lons[col];
    add_days(&spec, form, day_values);
    make_nc_dim(&spec, "lat", N_LAT);
    make_nc_dim(&spec, "lon", N_LON);
    make_nc_dim(&spec, "zlev", 1);
    make_nc_text(make_nc_var(&spec, "lat", NC_DOUBLE, "lat", file_lats), "units", "degrees_north");
    make_nc_text(make_nc_var(&spec, "lon", NC_DOUBLE, "lon", file_lons), "units", "degrees_east");
    if (!form->percentile || form->percentile[0])
        add_field(&spec, form, form->percentile ? form->percentile : "sst_p90", 0);
    if (!form->mean || form->mean[0])
        add_field(&spec, form, form->mean ? form->mean : "sst_mean", 1.25);
    if (form->other)
        add_field(&spec, form, form->other, 0);
}

static const char *write_form(const char *name, const struct form *form)
{
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    make_spec(form);
    make_nc_write(&spec, path);
    return path;
}

static struct sst_clim_reader *open_whole(const char *path, const struct sst_clim_choice *choice)
{
    struct sst_error err = {0};
    struct sst_clim_reader *reader = NULL;
    const struct sst_clim_choice any = {.percentile = NAN};
    ck_assert_msg(sst_clim_read_open(path, &reader, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_clim_read_choose(reader, choice ? choice : &any, &err) == SST_OK, "%s", err.text);
    return reader;
}

/* Asserts that each slot of the reader has the values of value_at, both fields, to within `step`. */
static void expect_values(struct sst_clim_reader *reader, bool has_mean, double step)
{
    struct sst_error err = {0};
    struct sst_grid *grid = NULL;
    struct sst_domain domain;
    struct sst_grid_map map;
    double got[N_CELLS];
    ck_assert_int_eq(sst_grid_create(lats, N_LAT, lons, N_LON, &grid, &err), SST_OK);
    sst_domain_all(grid, &domain);
    ck_assert_msg(sst_grid_match(grid, sst_clim_read_info(reader)->grid, &map, &err) == SST_OK, "%s", err.text);
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        for (int field = 0; field < (has_mean ? SST_N_CLIM_FIELDS : 1); ++field) {
            ck_assert_msg(sst_clim_read_get(reader, (enum sst_clim_field)field, slot, &domain, &map, got, &err) ==
                              SST_OK,
                          "%s", err.text);
            for (size_t cell = 0; cell < N_CELLS; ++cell) {
                const double wanted = sst_clim_read_info(reader)->has_slot[slot]
                                          ? value_at(slot, cell / N_LON, cell % N_LON) - (field ? 1.25 : 0)
                                          : (double)NAN;
                if (isnan(wanted))
                    ck_assert_msg(isnan(got[cell]), "slot %d cell %zu: %g, not missing", slot, cell, got[cell]);
                else
                    ck_assert_msg(fabs(got[cell] - wanted) <= step, "slot %d cell %zu: %.9g, not %.9g", slot, cell,
                                  got[cell], wanted);
            }
        }
    }
    sst_grid_destroy(&grid);
}

static void expect_form(const struct form *form, enum sst_clim_axis axis, int n_slots)
{
    struct sst_clim_reader *reader = open_whole(write_form("form.nc", form), NULL);
    const struct sst_clim_read_info *info = sst_clim_read_info(reader);
    ck_assert_int_eq(info->axis, axis);
    ck_assert_int_eq(info->n_slots, n_slots);
    ck_assert_int_eq(info->has_slot[SST_SLOT_FEB29], n_slots != 365);
    expect_values(reader, true, form->scale != 0 ? form->scale / 1.99 : 1e-9 + (form->added > 0 ? 2e-5 : 0));
    sst_clim_read_close(&reader);
    ck_assert_ptr_null(reader);
}

START_TEST(every_way_of_telling_days_gives_the_same_slots)
{
    const struct {
        enum days days;
        size_t n_days;
        enum sst_clim_axis axis;
    } cases[] = {{DAYS_TIME, 366, SST_CLIM_AXIS_TIME},       {DAYS_TIME, 365, SST_CLIM_AXIS_TIME},
                 {DAYS_LAST_DATE, 366, SST_CLIM_AXIS_TIME},  {DAYS_DOY, 366, SST_CLIM_AXIS_DAY_OF_YEAR},
                 {DAYS_DOY, 365, SST_CLIM_AXIS_DAY_OF_YEAR}, {DAYS_MMDD, 366, SST_CLIM_AXIS_MONTH_DAY},
                 {DAYS_MMDD, 365, SST_CLIM_AXIS_MONTH_DAY},  {DAYS_NONE, 366, SST_CLIM_AXIS_PLACE},
                 {DAYS_NONE, 365, SST_CLIM_AXIS_PLACE},      {DAYS_MMDD, 59, SST_CLIM_AXIS_MONTH_DAY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct form form = {.days = cases[i].days, .n_days = cases[i].n_days};
        if (cases[i].n_days < 365) {
            struct sst_clim_reader *reader = open_whole(write_form("part.nc", &form), NULL);
            ck_assert_int_eq(sst_clim_read_info(reader)->n_slots, 59);
            expect_values(reader, true, 1e-9);
            sst_clim_read_close(&reader);
        } else {
            expect_form(&form, cases[i].axis, (int)cases[i].n_days);
        }
    }
}
END_TEST

START_TEST(a_360_day_year_has_its_own_slots)
{
    const struct form forms[] = {{.days = DAYS_360, .n_days = 360}, {.days = DAYS_NONE, .n_days = 360}};
    for (int i = 0; i < 2; ++i) {
        struct sst_clim_reader *reader = open_whole(write_form("360.nc", &forms[i]), NULL);
        ck_assert_int_eq(sst_clim_read_info(reader)->calendar, SST_CALENDAR_360_DAY);
        ck_assert_int_eq(sst_clim_read_info(reader)->n_slots, 360);
        expect_values(reader, true, 1e-9);
        sst_clim_read_close(&reader);
    }
}
END_TEST

START_TEST(every_order_of_dimensions_gives_the_same_fields)
{
    static const char *const orders[] = {"tyx", "txy", "ytx", "yxt", "xty", "xyt", "tzyx", "yxtz"};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; ++i) {
        const struct form form = {.order = orders[i]};
        const struct form turned = {.order = orders[i], .north_first = true, .west_first = true, .days = DAYS_NONE};
        expect_form(&form, SST_CLIM_AXIS_TIME, 366);
        expect_form(&turned, SST_CLIM_AXIS_PLACE, 366);
    }
}
END_TEST

START_TEST(either_way_up_and_any_first_meridian_are_turned)
{
    for (int i = 0; i < 4; ++i) {
        const struct form form = {.north_first = i & 1, .west_first = i & 2};
        expect_form(&form, SST_CLIM_AXIS_TIME, 366);
    }
}
END_TEST

START_TEST(packing_and_kelvin_are_undone)
{
    const struct form forms[] = {
        {.type = NC_SHORT, .scale = 0.01},
        {.type = NC_SHORT, .scale = 0.001, .offset = 20},
        {.type = NC_SHORT, .scale = 0.01, .offset = 273.15, .added = 273.15, .units = "kelvin"},
        {.type = NC_INT, .scale = 0.0001, .missing = "missing_value"},
        {.type = NC_DOUBLE, .added = 273.15, .units = "K"},
        {.type = NC_FLOAT, .added = 273.15, .units = "degrees Kelvin"},
        {.type = NC_DOUBLE, .units = "deg C", .missing = "missing_value"},
        {.type = NC_FLOAT, .units = ""},
        {.type = NC_FLOAT, .format = NC_NETCDF4, .chunk_days = 7},
        {.type = NC_FLOAT, .format = NC_NETCDF4, .chunk_days = 366},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i)
        expect_form(&forms[i], SST_CLIM_AXIS_TIME, 366);
}
END_TEST

START_TEST(units_given_stand_for_those_of_the_file)
{
    const struct form form = {.type = NC_DOUBLE, .added = 273.15, .units = "unknown"};
    const struct sst_clim_choice choice = {.percentile = NAN, .units = "K"};
    struct sst_clim_reader *reader = open_whole(write_form("units.nc", &form), &choice);
    ck_assert_str_eq(sst_clim_read_info(reader)->units[SST_CLIM_PERCENTILE], "K");
    expect_values(reader, true, 1e-9);
    sst_clim_read_close(&reader);
}
END_TEST

START_TEST(unsigned_values_in_signed_storage_are_read_as_meant)
{
    const struct form form = {.type = NC_SHORT, .scale = 0.01};
    make_spec(&form);
    struct make_nc_var *var = make_nc_find(&spec, "sst_p90");
    double *values = make_values(&form, 0);
    for (size_t i = 0; i < MAX_VALUES; ++i)
        values[i] = values[i] == -999 ? -999 : values[i] + 40000 - 65536;
    var->values = values;
    make_nc_text(var, "_Unsigned", "true");
    make_nc_number(var, "add_offset", NC_DOUBLE, -400.0);
    const char *path = test_path("%s/unsigned.nc", test_scratch_dir());
    make_nc_write(&spec, path);
    struct sst_clim_reader *reader = open_whole(path, NULL);
    expect_values(reader, false, 0.0051);
    sst_clim_read_close(&reader);
}
END_TEST

START_TEST(names_of_other_tools_are_known)
{
    const struct {
        const char *percentile, *mean, *found, *found_mean;
        double p;
    } cases[] = {{"thresh", "seas", "thresh", "seas", NAN},
                 {"p90", "", "p90", "", 90},
                 {"threshHW", "", "threshHW", "", NAN},
                 {"sst_clim_ninetieth_percentile_variable", "sst_clim_mean", "sst_clim_ninetieth_percentile_variable",
                  "sst_clim_mean", NAN},
                 {"sst_p97p5", "sst_mean", "sst_p97p5", "sst_mean", 97.5},
                 {"analysed_sst", "", "analysed_sst", "", NAN},
                 {"tos", "", "tos", "", NAN},
                 {"", "seas", "", "seas", NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const struct form form = {.percentile = cases[i].percentile, .mean = cases[i].mean};
        struct sst_clim_reader *reader = open_whole(write_form("names.nc", &form), NULL);
        const struct sst_clim_read_info *info = sst_clim_read_info(reader);
        ck_assert_str_eq(info->variables[SST_CLIM_PERCENTILE], cases[i].found);
        ck_assert_str_eq(info->variables[SST_CLIM_MEAN], cases[i].found_mean);
        ck_assert(isnan(cases[i].p) ? isnan(info->percentile) : info->percentile == cases[i].p);
        sst_clim_read_close(&reader);
    }
}
END_TEST

START_TEST(the_wanted_percentile_and_named_variables_are_taken)
{
    const struct form form = {.percentile = "sst_p95", .other = "sst_p90"};
    struct sst_clim_choice choice = {.percentile = 90};
    const char *path = write_form("two.nc", &form);
    struct sst_clim_reader *reader = open_whole(path, &choice);
    ck_assert_uint_eq(sst_clim_read_info(reader)->n_percentiles, 2);
    ck_assert_str_eq(sst_clim_read_info(reader)->variables[SST_CLIM_PERCENTILE], "sst_p90");
    sst_clim_read_close(&reader);
    choice = (struct sst_clim_choice){.percentile = 90, .variables = {"sst_p95", "sst_p90"}};
    reader = open_whole(path, &choice);
    ck_assert_str_eq(sst_clim_read_info(reader)->variables[SST_CLIM_PERCENTILE], "sst_p95");
    ck_assert_str_eq(sst_clim_read_info(reader)->variables[SST_CLIM_MEAN], "sst_p90");
    sst_clim_read_close(&reader);
}
END_TEST

START_TEST(our_own_file_gives_back_what_was_written)
{
    struct clim_fixture fixture;
    struct sst_error err = {0};
    const char *path = test_path("%s/own.nc", test_scratch_dir());
    double got[CLIM_FIXTURE_CELLS];
    uint16_t flags[CLIM_FIXTURE_CELLS];
    const struct sst_grid_map same = {0};
    const struct sst_clim_choice choice = {.percentile = 97.5};
    clim_fixture_make(&fixture, path);
    fixture.spec.has_bounds = true;
    ck_assert_msg(clim_fixture_write(&fixture, &err) == SST_OK, "%s", err.text);
    struct sst_clim_reader *reader = open_whole(path, &choice);
    const struct sst_clim_read_info *info = sst_clim_read_info(reader);
    ck_assert_int_eq(info->n_slots, 366);
    ck_assert_uint_eq(info->n_percentiles, 3);
    ck_assert_str_eq(info->title, "Daily climatology of sea surface temperature, a test");
    ck_assert(info->has_flags);
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
            ck_assert_int_eq(
                sst_clim_read_get(reader, (enum sst_clim_field)field, slot, &fixture.domain, &same, got, &err), SST_OK);
            for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell) {
                const double wanted =
                    field == SST_CLIM_MEAN ? clim_fixture_mean(slot, cell) : clim_fixture_percentile(97.5, slot, cell);
                ck_assert(isnan(wanted) ? isnan(got[cell]) : got[cell] == (double)(float)wanted);
            }
        }
        ck_assert_int_eq(sst_clim_read_flags(reader, slot, &fixture.domain, &same, flags, &err), SST_OK);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell)
            ck_assert_uint_eq(flags[cell], clim_fixture_flags(slot, cell));
    }
    sst_clim_read_close(&reader);
    clim_fixture_clear(&fixture);
}
END_TEST

START_TEST(a_folder_of_one_file_a_day_is_one_climatology)
{
    struct clim_fixture fixture;
    struct sst_error err = {0};
    const char *path = test_path("%s/split", test_scratch_dir());
    double got[CLIM_FIXTURE_CELLS];
    const struct sst_grid_map same = {0};
    const struct sst_clim_choice choice = {.percentile = 90};
    clim_fixture_make(&fixture, path);
    fixture.spec.split = true;
    fixture.spec.n_slots = N_SPLIT;
    ck_assert_msg(clim_fixture_write(&fixture, &err) == SST_OK, "%s", err.text);
    struct sst_clim_reader *reader = open_whole(path, &choice);
    ck_assert_int_eq(sst_clim_read_info(reader)->n_slots, N_SPLIT);
    for (int slot = N_SPLIT; slot >= 1; --slot) {
        ck_assert_int_eq(sst_clim_read_get(reader, SST_CLIM_PERCENTILE, slot, &fixture.domain, &same, got, &err),
                         SST_OK);
        for (size_t cell = 0; cell < CLIM_FIXTURE_CELLS; ++cell) {
            const double wanted = clim_fixture_percentile(90, slot, cell);
            ck_assert(isnan(wanted) ? isnan(got[cell]) : got[cell] == (double)(float)wanted);
        }
    }
    sst_clim_read_close(&reader);
    clim_fixture_clear(&fixture);
}
END_TEST

START_TEST(a_box_of_the_grid_is_cut_out)
{
    const struct form form = {.north_first = true, .west_first = true, .order = "xyt"};
    struct sst_clim_reader *reader = open_whole(write_form("box.nc", &form), NULL);
    struct sst_error err = {0};
    struct sst_grid *grid = NULL;
    struct sst_domain domain;
    struct sst_grid_map map;
    double got[4];
    ck_assert_int_eq(sst_grid_create(lats, N_LAT, lons, N_LON, &grid, &err), SST_OK);
    ck_assert_msg(sst_domain_box(grid, 260, -12, 10, 1, &domain, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(domain.n_cells, 4);
    ck_assert_int_eq(sst_grid_match(grid, sst_clim_read_info(reader)->grid, &map, &err), SST_OK);
    ck_assert_int_eq(sst_clim_read_get(reader, SST_CLIM_PERCENTILE, 100, &domain, &map, got, &err), SST_OK);
    ck_assert_double_eq(got[0], value_at(100, 1, 3));
    ck_assert_double_eq(got[1], value_at(100, 1, 0));
    ck_assert_double_eq(got[2], value_at(100, 2, 3));
    ck_assert_double_eq(got[3], value_at(100, 2, 0));
    sst_grid_destroy(&grid);
    sst_clim_read_close(&reader);
}
END_TEST

/* Opens and chooses; asserts the failure and that its text holds the path and all parts. */
static void expect_refused(const char *path, const struct sst_clim_choice *choice, enum sst_status status,
                           const char *const *parts)
{
    struct sst_error err = {0};
    struct sst_clim_reader *reader = NULL;
    const struct sst_clim_choice any = {.percentile = NAN};
    enum sst_status rc = sst_clim_read_open(path, &reader, &err);
    if (rc == SST_OK)
        rc = sst_clim_read_choose(reader, choice ? choice : &any, &err);
    ck_assert_msg(rc == status, "%s: status %d, not %d: %s", path, (int)rc, (int)status, err.text);
    ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0, "the message does not begin with the path: %s", err.text);
    for (; *parts; ++parts)
        ck_assert_msg(strstr(err.text, *parts), "'%s' is not in: %s", *parts, err.text);
    sst_clim_read_close(&reader);
}

#define EXPECT_REFUSED(path, choice, status, ...)                                                                      \
    expect_refused(path, choice, status, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(what_is_no_climatology_is_refused_with_reason_and_remedy)
{
    const char *text = test_path("%s/text.nc", test_scratch_dir());
    make_bytes(text, "<html>", 6);
    EXPECT_REFUSED(text, NULL, SST_ERR_INPUT, "HTML", "fetch it again");
    EXPECT_REFUSED("absent.nc", NULL, SST_ERR_INPUT, "No such file");
    EXPECT_REFUSED("/dev/null", NULL, SST_ERR_INPUT, "not a regular file");
    const char *empty = test_path("%s/empty", test_scratch_dir());
    ck_assert_int_eq(mkdir(empty, 0777), 0);
    EXPECT_REFUSED(empty, NULL, SST_ERR_INPUT, "no netCDF file", "Name another");
    const struct form point = {.is_point = true, .order = "tx"};
    EXPECT_REFUSED(write_form("point.nc", &point), NULL, SST_ERR_INPUT, "latitudes and longitudes", "Add coordinate");
}
END_TEST

START_TEST(days_that_cannot_be_told_are_refused)
{
    const struct form part = {.days = DAYS_DOY, .n_days = 90}, none = {.days = DAYS_NONE, .n_days = 90};
    EXPECT_REFUSED(write_form("part.nc", &part), NULL, SST_ERR_TIME, "dayofyear", "90 days are no year",
                   "time coordinate");
    EXPECT_REFUSED(write_form("none.nc", &none), NULL, SST_ERR_TIME, "n: 90 days are no year");
    const struct form whole = {.days = DAYS_TIME}, doy = {.days = DAYS_DOY}, mmdd = {.days = DAYS_MMDD};
    const char *path = test_path("%s/days.nc", test_scratch_dir());
    make_spec(&whole);
    day_values[365] = 0;
    make_nc_write(&spec, path);
    EXPECT_REFUSED(path, NULL, SST_ERR_TIME, "01-01 stands there twice", "each day once");
    make_spec(&whole);
    make_nc_text(make_nc_find(&spec, "time"), "units", "months since 2004-01-01");
    make_nc_write(&spec, path);
    EXPECT_REFUSED(path, NULL, SST_ERR_TIME, "variable 'time'", "months");
    make_spec(&doy);
    day_values[10] = 10.5;
    make_nc_write(&spec, path);
    EXPECT_REFUSED(path, NULL, SST_ERR_TIME, "variable 'dayofyear': value 10 is 10.5", "1 to 366");
    make_spec(&mmdd);
    day_values[40] = 231;
    make_nc_write(&spec, path);
    EXPECT_REFUSED(path, NULL, SST_ERR_TIME, "variable 'mmdd': value 40 is 231", "101 to 1231");
    make_spec(&whole);
    spec.dims[0].length = 367;
    make_nc_find(&spec, "time")->values = NULL;
    make_nc_find(&spec, "sst_p90")->values = NULL;
    make_nc_find(&spec, "sst_mean")->values = NULL;
    make_nc_write(&spec, path);
    EXPECT_REFUSED(path, NULL, SST_ERR_TIME, "'time' has 367 steps", "not the daily values");
}
END_TEST

START_TEST(variables_that_are_not_clear_are_listed)
{
    const struct form two = {.percentile = "alpha", .mean = "beta"};
    const char *path = write_form("ambiguous.nc", &two);
    const struct sst_clim_choice a = {.percentile = NAN, .variable_options = {"--var-a", "--mean-a"}};
    EXPECT_REFUSED(path, &a, SST_ERR_INPUT, "not clear which variable is the percentile: 'alpha', 'beta'", "--var-a");
    const struct sst_clim_choice absent = {.percentile = NAN, .variables = {"gamma"}};
    EXPECT_REFUSED(path, &absent, SST_ERR_INPUT, "no variable 'gamma'", "ncdump -h");
    const struct sst_clim_choice axis = {.percentile = NAN, .variables = {"lat"}};
    EXPECT_REFUSED(path, &axis, SST_ERR_INPUT, "variable 'lat' is no field", "Name another");
    const struct form other = {.percentile = "sst_p95"};
    const struct sst_clim_choice p90 = {.percentile = 90, .variable_options = {"--var-b", "--mean-b"}};
    EXPECT_REFUSED(write_form("other.nc", &other), &p90, SST_ERR_INPUT,
                   "percentile 90; there are 'sst_p95', 'sst_mean'", "--var-b");
    const struct form fahrenheit = {.units = "degrees_F"};
    const struct sst_clim_choice units = {.percentile = NAN, .units_option = "--units-a"};
    EXPECT_REFUSED(write_form("units.nc", &fahrenheit), &units, SST_ERR_INPUT, "variable 'sst_p90': units 'degrees_F'",
                   "--units-a (K, degC)");
}
END_TEST

START_TEST(values_no_sea_has_are_refused)
{
    const struct form form = {.added = 273.15, .units = ""};
    const struct sst_clim_choice choice = {.percentile = NAN, .units_option = "--units-b"};
    struct sst_clim_reader *reader = open_whole(write_form("bare.nc", &form), &choice);
    struct sst_domain domain;
    struct sst_error err = {0};
    const struct sst_grid_map same = {0};
    double got[N_CELLS];
    sst_domain_all(sst_clim_read_info(reader)->grid, &domain);
    ck_assert_int_eq(sst_clim_read_get(reader, SST_CLIM_PERCENTILE, 1, &domain, &same, got, &err), SST_ERR_INPUT);
    ck_assert_msg(strstr(err.text, "bare.nc: variable 'sst_p90': 281.9") && strstr(err.text, "Say --units-b K"), "%s",
                  err.text);
    sst_clim_read_close(&reader);
}
END_TEST

START_TEST(a_folder_with_a_stranger_in_it_is_refused)
{
    const char *folder = test_path("%s/strangers", test_scratch_dir());
    const struct form part = {.days = DAYS_MMDD, .n_days = 31}, again = {.days = DAYS_MMDD, .n_days = 1};
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    (void)write_form("strangers/a.nc", &part);
    (void)write_form("strangers/b.nc", &again);
    struct sst_error err = {0};
    struct sst_clim_reader *reader = NULL;
    ck_assert_int_eq(sst_clim_read_open(folder, &reader, &err), SST_ERR_TIME);
    ck_assert_msg(strstr(err.text, "b.nc: the calendar day 01-01 stands there twice"), "%s", err.text);
    ck_assert_ptr_null(reader);
}
END_TEST

START_TEST(damaged_bytes_never_crash_the_reader)
{
    const struct form form = {0};
    const char *path = write_form("whole.nc", &form);
    const char *damaged = test_path("%s/damaged.nc", test_scratch_dir());
    size_t n = 0;
    unsigned char *bytes = read_bytes(path, &n);
    for (size_t at = 0; at < 900; at += 3) {
        const unsigned char kept = bytes[at];
        bytes[at] = (unsigned char)(kept ^ 0x55);
        make_bytes(damaged, bytes, n);
        bytes[at] = kept;
        struct sst_error err = {0};
        struct sst_clim_reader *reader = NULL;
        const struct sst_clim_choice any = {.percentile = NAN};
        enum sst_status rc = sst_clim_read_open(damaged, &reader, &err);
        if (rc == SST_OK)
            rc = sst_clim_read_choose(reader, &any, &err);
        if (rc == SST_OK &&
            sst_clim_read_info(reader)->grid->n_lat * sst_clim_read_info(reader)->grid->n_lon == N_CELLS) {
            struct sst_domain domain;
            const struct sst_grid_map same = {0};
            double got[N_CELLS];
            sst_domain_all(sst_clim_read_info(reader)->grid, &domain);
            rc = sst_clim_read_get(reader, SST_CLIM_PERCENTILE, 1, &domain, &same, got, &err);
        }
        ck_assert(rc == SST_OK || err.text[0] != '\0');
        sst_clim_read_close(&reader);
    }
    free(bytes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("clim_nc_read");
    TCase *tcase = tcase_create("clim_nc_read");
    tcase_add_test(tcase, every_way_of_telling_days_gives_the_same_slots);
    tcase_add_test(tcase, a_360_day_year_has_its_own_slots);
    tcase_add_test(tcase, every_order_of_dimensions_gives_the_same_fields);
    tcase_add_test(tcase, either_way_up_and_any_first_meridian_are_turned);
    tcase_add_test(tcase, packing_and_kelvin_are_undone);
    tcase_add_test(tcase, units_given_stand_for_those_of_the_file);
    tcase_add_test(tcase, unsigned_values_in_signed_storage_are_read_as_meant);
    tcase_add_test(tcase, names_of_other_tools_are_known);
    tcase_add_test(tcase, the_wanted_percentile_and_named_variables_are_taken);
    tcase_add_test(tcase, our_own_file_gives_back_what_was_written);
    tcase_add_test(tcase, a_folder_of_one_file_a_day_is_one_climatology);
    tcase_add_test(tcase, a_box_of_the_grid_is_cut_out);
    tcase_add_test(tcase, what_is_no_climatology_is_refused_with_reason_and_remedy);
    tcase_add_test(tcase, days_that_cannot_be_told_are_refused);
    tcase_add_test(tcase, variables_that_are_not_clear_are_listed);
    tcase_add_test(tcase, values_no_sea_has_are_refused);
    tcase_add_test(tcase, a_folder_with_a_stranger_in_it_is_refused);
    tcase_add_test(tcase, damaged_bytes_never_crash_the_reader);
    suite_add_tcase(suite, tcase);
    return suite;
}
