/* stream/decode: the day of a step comes from the time variable alone, exactly, and doubt is an error. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decoded.h"
#include "make_nc.h"
#include "test_main.h"

enum { MAX_STEPS = 48, N_CELLS = 4 };

static const double lat[2] = {0, 1}, lon[2] = {10, 11};
static double cells[MAX_STEPS * N_CELLS];

/* A file of n steps with the given time variable. */
static struct make_nc_var *make_spec(struct make_nc_spec *spec, nc_type type, const double *times, size_t n,
                                     const char *units)
{
    *spec = (struct make_nc_spec){.format = NC_NETCDF4};
    make_nc_record_dim(spec, "time", n);
    make_nc_dim(spec, "lat", 2);
    make_nc_dim(spec, "lon", 2);
    make_nc_dim(spec, "nv", 2);
    make_nc_text(make_nc_var(spec, "lat", NC_DOUBLE, "lat", lat), "units", "degrees_north");
    make_nc_text(make_nc_var(spec, "lon", NC_DOUBLE, "lon", lon), "units", "degrees_east");
    make_nc_text(make_nc_var(spec, "sst", NC_FLOAT, "time lat lon", cells), "units", "degC");
    struct make_nc_var *time = make_nc_var(spec, "time", type, "time", times);
    make_nc_text(time, "units", units);
    return time;
}

static struct decoded open_as(const struct make_nc_spec *spec, const char *name)
{
    struct decoded d;
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    make_nc_write(spec, path);
    decoded_open(&d, path, NULL);
    return d;
}

static void check_day(const struct decoded *d, size_t step, int year, int month, int day)
{
    char text[SST_DAY_TEXT_SIZE];
    decoded_must_be_ok(d);
    const struct sst_day found = d->info->steps[step].at.day;
    if (found.year != year || found.slot != sst_calendar_slot(d->info->calendar, month, day))
        ck_abort_msg("step %zu is of %s", step, sst_day_text(d->info->calendar, found, text));
}

/* 1 January 2001, as five products would write it. */
static const struct {
    nc_type type;
    double value;
    const char *units, *calendar;
} axes[] = {
    {NC_FLOAT, 8401, "days since 1978-01-01 12:00:00", ""},
    {NC_DOUBLE, 8401.0 + 0.9999999 - 0.5, "days since 1978-01-01 00:00:00.0", "standard"},
    {NC_INT, 885372, "hours since 1900-01-01 00:00:00.0", "gregorian"},
    {NC_INT, 631195200, "seconds since 1981-01-01 00:00:00 UTC", "Gregorian"},
    {NC_DOUBLE, 73414.375, "days since 1800-1-1", "proleptic_gregorian"},
    {NC_INT64, 978307200, "seconds since 1970-01-01T00:00:00Z", ""},
    {NC_FLOAT, 20 * 365 + 0.5, "days since 1981-01-01", "noleap"},
};

START_TEST(every_epoch_gives_the_same_day)
{
    struct make_nc_spec spec;
    struct make_nc_var *time = make_spec(&spec, axes[_i].type, &axes[_i].value, 1, axes[_i].units);
    make_nc_text(time, "calendar", axes[_i].calendar);
    struct decoded d = open_as(&spec, "sst.20010101.nc");
    check_day(&d, 0, 2001, 1, 1);
    decoded_clear(&d);
}
END_TEST

START_TEST(the_zone_of_the_process_does_not_matter)
{
    static const char *const zones[] = {"Pacific/Kiritimati", "America/Los_Angeles", "UTC"};
    const char *before = getenv("TZ");
    char *kept = before ? strdup(before) : NULL;
    for (size_t i = 0; i < sizeof zones / sizeof *zones; ++i) {
        struct make_nc_spec spec;
        const double late = 8400 + 0.99999;
        (void)setenv("TZ", zones[i], 1);
        tzset();
        (void)make_spec(&spec, NC_DOUBLE, &late, 1, "days since 1978-01-01");
        struct decoded d = open_as(&spec, "zone.nc");
        check_day(&d, 0, 2000, 12, 31);
        ck_assert_int_eq(d.info->steps[0].at.second, 86399);
        decoded_clear(&d);
    }
    if (kept)
        (void)setenv("TZ", kept, 1);
    else
        (void)unsetenv("TZ");
    free(kept);
    tzset();
}
END_TEST

static const struct {
    const char *name;
    bool agrees;
} file_names[] = {
    {"sst.20010101.nc", false},
    {"20010101120000-NCEI-L4_GHRSST-SSTblend-v02.0-fv02.0.nc", false},
    {"oisst-avhrr-v02r01.20001231.nc", true},
    {"oisst-avhrr-v02r01.20001231_preliminary.nc", true},
    {"20001231090000-JPL.nc", true},
    {"sst_20010101_20011231.nc", true},
    {"run20010199.nc", true},
    {"id123456789.nc", true},
    {"sst_2001.nc", true},
    {"20010101.d", false},
};

START_TEST(a_file_name_of_another_day_is_refused_as_ambiguous)
{
    struct make_nc_spec spec;
    const double noon = 8400;
    (void)make_spec(&spec, NC_INT, &noon, 1, "days since 1978-01-01 12:00:00");
    struct decoded d = open_as(&spec, file_names[_i].name);
    if (file_names[_i].agrees) {
        check_day(&d, 0, 2000, 12, 31);
        ck_assert_int_eq(d.info->is_preliminary, strstr(file_names[_i].name, "_preliminary") != NULL);
    } else {
        DECODED_MUST_FAIL(&d, SST_ERR_TIME, file_names[_i].name, "ambiguous day", "2001-01-01", "2000-12-31", "Rename");
    }
    decoded_clear(&d);
}
END_TEST

START_TEST(global_attributes_tell_no_day)
{
    struct make_nc_spec spec;
    const double noon = 8400;
    (void)make_spec(&spec, NC_INT, &noon, 1, "days since 1978-01-01 12:00:00");
    make_nc_text(&spec.global, "time_coverage_start", "20160101T210000Z");
    make_nc_text(&spec.global, "start_time", "20160101T000000Z");
    make_nc_text(&spec.global, "title", "Daily OISST Analysis, Version 2.1 - Interim");
    struct decoded d = open_as(&spec, "plain.nc");
    check_day(&d, 0, 2000, 12, 31);
    ck_assert(d.info->is_preliminary);
    decoded_clear(&d);
}
END_TEST

START_TEST(several_steps_in_a_day_want_a_daily_mean_first)
{
    struct make_nc_spec spec;
    double hours[MAX_STEPS];
    for (int i = 0; i < MAX_STEPS; ++i)
        hours[i] = 885360 + i;
    (void)make_spec(&spec, NC_INT, hours, MAX_STEPS, "hours since 1900-01-01");
    struct decoded d = open_as(&spec, "hourly.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "hourly.nc: several time steps on 2001-01-01", "cdo daymean");
    decoded_clear(&d);
    /* Out of order, the same day twice. */
    hours[0] = 885360;
    hours[1] = 885360 + 48;
    hours[2] = 885360 + 1;
    (void)make_spec(&spec, NC_INT, hours, 3, "hours since 1900-01-01");
    d = open_as(&spec, "twice.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "several time steps on 2001-01-01");
    decoded_clear(&d);
    hours[2] = 885360 + 24;
    (void)make_spec(&spec, NC_INT, hours, 3, "hours since 1900-01-01");
    d = open_as(&spec, "three.nc");
    check_day(&d, 0, 2001, 1, 1);
    check_day(&d, 1, 2001, 1, 3);
    check_day(&d, 2, 2001, 1, 2);
    decoded_clear(&d);
}
END_TEST

static const struct {
    double time, low, high;
    int day; /* of January 2001 */
} bounds[] = {
    {1, 0, 1, 1}, /* stamped at the end of its day */
    {0, 0, 1, 1}, /* at its start */
    {0.5, 0, 1, 1},
    {1, 1, 0, 1},
    {0.5, 0.5, 0.5, 1},
    {2.5, 0, 1, 3}, /* no interval; time outside of it */
    {0.5, 9.969209968386869e36, 9.969209968386869e36, 1},
};

START_TEST(the_middle_of_the_bounds_tells_the_day)
{
    struct make_nc_spec spec;
    const double both[2] = {bounds[_i].low, bounds[_i].high};
    struct make_nc_var *time = make_spec(&spec, NC_DOUBLE, &bounds[_i].time, 1, "days since 2001-01-01");
    make_nc_text(time, "bounds", "time_bnds");
    make_nc_var(&spec, "time_bnds", NC_DOUBLE, "time nv", both);
    struct decoded d = open_as(&spec, "bounds.nc");
    check_day(&d, 0, 2001, 1, bounds[_i].day);
    decoded_clear(&d);
}
END_TEST

START_TEST(a_scalar_time_serves_a_map_without_a_time_dimension)
{
    struct make_nc_spec spec;
    const double noon = 8401, run = 8391;
    (void)make_spec(&spec, NC_INT, &noon, 1, "");
    make_nc_remove(&spec, "time");
    make_nc_remove(&spec, "sst");
    make_nc_text(make_nc_var(&spec, "sst", NC_FLOAT, "lat lon", cells), "units", "degC");
    struct decoded d = open_as(&spec, "map.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "map.nc: no time", "cdo");
    decoded_clear(&d);
    make_nc_text(make_nc_var(&spec, "time", NC_INT, "", &run), "units", "days since 1978-01-01");
    d = open_as(&spec, "map.nc");
    check_day(&d, 0, 2000, 12, 22);
    decoded_clear(&d);
    make_nc_text(make_nc_var(&spec, "valid_time", NC_INT, "", &noon), "units", "days since 1978-01-01");
    d = open_as(&spec, "map.nc");
    check_day(&d, 0, 2001, 1, 1);
    ck_assert_uint_eq(d.info->steps_per_chunk, 1);
    decoded_step(&d, 0, SST_LATTICE_CENTI);
    decoded_must_be_ok(&d);
    decoded_clear(&d);
}
END_TEST

START_TEST(times_that_are_no_times_are_refused)
{
    struct make_nc_spec spec;
    const double noon = 8401;
    struct make_nc_var *time = make_spec(&spec, NC_DOUBLE, NULL, 1, "days since 1978-01-01");
    struct decoded d = open_as(&spec, "never.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "never.nc: variable 'time': step 0 has no time", "9.96921e+36");
    decoded_clear(&d);
    time = make_spec(&spec, NC_INT, &noon, 1, "days since 1978-01-01");
    make_nc_number(time, "_FillValue", NC_INT, 8401);
    d = open_as(&spec, "fill.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "step 0 has no time (8401 is a fill)");
    decoded_clear(&d);
    (void)make_spec(&spec, NC_INT, &noon, 1, "fortnights since 1978-01-01");
    d = open_as(&spec, "unit.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "unit.nc: variable 'time'", "fortnights");
    decoded_clear(&d);
    time = make_spec(&spec, NC_INT, &noon, 1, "days since 1978-01-01");
    make_nc_text(time, "calendar", "mayan");
    d = open_as(&spec, "calendar.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "calendar.nc: variable 'time'", "mayan");
    decoded_clear(&d);
    time = make_spec(&spec, NC_INT, &noon, 1, "days since 1978-01-01");
    make_nc_drop(time, "units");
    d = open_as(&spec, "none.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "variable 'time': no units", "ncatted");
    decoded_clear(&d);
    (void)make_spec(&spec, NC_INT, NULL, 0, "days since 1978-01-01");
    d = open_as(&spec, "empty.nc");
    DECODED_MUST_FAIL(&d, SST_ERR_TIME, "variable 'sst' has no time step");
    decoded_clear(&d);
}
END_TEST

START_TEST(packed_times_are_unpacked)
{
    struct make_nc_spec spec;
    const double half = 801;
    struct make_nc_var *time = make_spec(&spec, NC_SHORT, &half, 1, "days since 1978-01-01");
    make_nc_number(time, "scale_factor", NC_DOUBLE, 0.5);
    make_nc_number(time, "add_offset", NC_DOUBLE, 8000);
    struct decoded d = open_as(&spec, "packed.nc");
    check_day(&d, 0, 2000, 12, 31);
    ck_assert_int_eq(d.info->steps[0].at.second, 43200);
    decoded_clear(&d);
}
END_TEST

#define COUNT(list) (int)(sizeof list / sizeof *list)

Suite *test_suite(void)
{
    Suite *suite = suite_create("decode_days");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, every_epoch_gives_the_same_day, 0, COUNT(axes));
    tcase_add_test(tc, the_zone_of_the_process_does_not_matter);
    tcase_add_loop_test(tc, a_file_name_of_another_day_is_refused_as_ambiguous, 0, COUNT(file_names));
    tcase_add_test(tc, global_attributes_tell_no_day);
    tcase_add_test(tc, several_steps_in_a_day_want_a_daily_mean_first);
    tcase_add_loop_test(tc, the_middle_of_the_bounds_tells_the_day, 0, COUNT(bounds));
    tcase_add_test(tc, a_scalar_time_serves_a_map_without_a_time_dimension);
    tcase_add_test(tc, times_that_are_no_times_are_refused);
    tcase_add_test(tc, packed_times_are_unpacked);
    suite_add_tcase(suite, tc);
    return suite;
}
