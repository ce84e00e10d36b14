/* A feed's day as netCDF: what was given comes back, as the CF conventions have it, and a failure leaves the former file. */
#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "feed_fixture.h"
#include "monitor/event_day.h"
#include "monitor/feed_nc.h"
#include "test_main.h"

static const char path[] = "days/2026/20261130/mhw.nc";

static void must(int status) { ck_assert_msg(status == NC_NOERR, "%s", nc_strerror(status)); }

static void open_fixture(struct feed_fixture *fixture)
{
    static const struct even_axis rows = {15, -10, 4}, cols = {5, 10, 36};
    feed_fixture_open(fixture, rows, cols);
    feed_fixture_heat(fixture, 40, 3);
    feed_fixture_heat(fixture, 41, 0);
    feed_fixture_hide(fixture, 42);
    feed_fixture_make_land(fixture, 43);
    fixture->robust[40] = SST_FEED_NOT_ROBUST;
    fixture->anomaly[44] = -1.234F;
    fixture->anomaly[45] = 400;
    fixture->days_above[40] = 40000;
    fixture->label[44] = SST_EVENT_LABEL_AWAITING;
    feed_fixture_step(fixture);
}

static void write_day(const struct feed_fixture *fixture, struct sst_feed_files *files)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_write_nc(&fixture->about, &fixture->day, test_scratch_dir(), files, &err) == SST_OK, "%s",
                  err.text);
}

static int open_file(void)
{
    int ncid = 0;
    must(nc_open(test_path("%s/%s", test_scratch_dir(), path), NC_NOWRITE, &ncid));
    return ncid;
}

static int variable(int ncid, const char *name)
{
    int id = 0;
    ck_assert_msg(nc_inq_varid(ncid, name, &id) == NC_NOERR, "no variable %s", name);
    return id;
}

static const char *attribute(int ncid, int var, const char *name)
{
    static char out[4096];
    size_t length = 0;
    ck_assert_msg(nc_inq_attlen(ncid, var, name, &length) == NC_NOERR, "no attribute %s", name);
    ck_assert_uint_lt(length, sizeof out);
    must(nc_get_att_text(ncid, var, name, out));
    out[length] = '\0';
    return out;
}

static double value(int ncid, const char *name, size_t cell)
{
    const size_t at[] = {0, cell / 36, cell % 36};
    double out = 0;
    must(nc_get_var1_double(ncid, variable(ncid, name), at, &out));
    return out;
}

START_TEST(values_come_back)
{
    struct feed_fixture fixture;
    struct sst_feed_files files = {0};
    open_fixture(&fixture);
    write_day(&fixture, &files);
    const int ncid = open_file();
    const double categories[] = {3, 0, -1, -1, 0}, surfaces[] = {0, 0, 2, 1, 0}, labels[] = {2, 3, 4, 4, 5};
    const double robust[] = {0, 1, 2, -1, 1};
    for (size_t i = 0; i < 5; ++i) {
        ck_assert_double_eq(value(ncid, "mhw_category", 40 + i), categories[i]);
        ck_assert_double_eq(value(ncid, "surface_type", 40 + i), surfaces[i]);
        ck_assert_double_eq(value(ncid, "mhw_status", 40 + i), labels[i]);
        ck_assert_double_eq(value(ncid, "category_robust_to_approximation", 40 + i), robust[i]);
    }
    ck_assert_double_eq(value(ncid, "sst_anomaly", 40), 525);
    ck_assert_double_eq(value(ncid, "sst_anomaly", 42), -32767);
    ck_assert_double_eq(value(ncid, "sst_anomaly", 44), -123);
    ck_assert_double_eq(value(ncid, "sst_anomaly", 45), -32767);
    ck_assert_double_eq(value(ncid, "severity", 40), 3.5);
    ck_assert_double_gt(value(ncid, "severity", 42), 9e36);
    ck_assert_double_eq(value(ncid, "days_above", 40), 32767);
    ck_assert_double_eq(value(ncid, "days_above", 43), -1);
    ck_assert_double_eq(value(ncid, "mhw_event_id", 42), -1);
    const size_t at[] = {0, 1, 4};
    long long id = 0;
    must(nc_get_var1_longlong(ncid, variable(ncid, "mhw_event_id"), at, &id));
    ck_assert_uint_eq((uint64_t)id, fixture.event_id[40]);
    must(nc_close(ncid));
    ck_assert_uint_eq(files.n, 1);
    ck_assert_str_eq(files.files[0].path, path);
    sst_feed_files_clear(&files);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(types_and_attributes_are_as_documented)
{
    struct feed_fixture fixture;
    struct sst_feed_files files = {0};
    int storage = 0, shuffle = 0, deflate = 0, level = 0, revision = 0;
    size_t chunk[3];
    nc_type type = 0;
    double step = 0;
    open_fixture(&fixture);
    fixture.about.title = "\xFF";
    write_day(&fixture, &files);
    const int ncid = open_file();
    const struct {
        const char *name;
        nc_type type;
    } maps[] = {{"mhw_category", NC_BYTE},  {"mhw_status", NC_BYTE},
                {"surface_type", NC_BYTE},  {"sst_anomaly", NC_SHORT},
                {"severity", NC_FLOAT},     {"days_above", NC_SHORT},
                {"mhw_event_id", NC_INT64}, {"category_robust_to_approximation", NC_BYTE}};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; ++i) {
        const int id = variable(ncid, maps[i].name);
        must(nc_inq_vartype(ncid, id, &type));
        ck_assert_int_eq(type, maps[i].type);
        must(nc_inq_var_chunking(ncid, id, &storage, chunk));
        ck_assert(storage == NC_CHUNKED && chunk[0] == 1 && chunk[1] == 4 && chunk[2] == 36);
        must(nc_inq_var_deflate(ncid, id, &shuffle, &deflate, &level));
        ck_assert(shuffle && deflate && level == 1);
    }
    must(nc_get_att_double(ncid, variable(ncid, "sst_anomaly"), "scale_factor", &step));
    ck_assert_double_eq(step, 0.01);
    ck_assert_str_eq(attribute(ncid, variable(ncid, "sst_anomaly"), "units_metadata"), "temperature: difference");
    ck_assert_str_eq(attribute(ncid, variable(ncid, "mhw_status"), "flag_meanings"),
                     "none candidate confirmed bridged unknown awaiting");
    ck_assert_str_eq(attribute(ncid, variable(ncid, "surface_type"), "flag_meanings"),
                     "water land missing ice no_variance");
    must(nc_get_att_int(ncid, NC_GLOBAL, "revision", &revision));
    ck_assert_int_eq(revision, 2);
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "input_status"), "preliminary");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "date_created"), "2026-12-02T00:00:00Z");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "first_published"), "2026-12-01T00:00:00Z");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "valid_until_revised"), "2026-12-27");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "climatology_id"), "0123abcd");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "baseline_period"), "1991-2020");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "Conventions"), "CF-1.11, ACDD-1.3");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "title"), "\xEF\xBF\xBD, 2026-11-30");
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "geospatial_lat_min"), "-15");
    ck_assert_ptr_nonnull(
        strstr(attribute(ncid, NC_GLOBAL, "event_rules"), "beyond: sst > threshold, both as float32"));
    must(nc_close(ncid));
    sst_feed_files_clear(&files);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(an_absent_day_and_a_cold_feed_have_their_names)
{
    struct feed_fixture fixture;
    struct sst_feed_files files = {0};
    signed char input = 0;
    open_fixture(&fixture);
    fixture.about.is_cold = true;
    fixture.day.is_absent = true;
    for (size_t cell = 0; cell < fixture.domain.n_cells; ++cell)
        feed_fixture_hide(&fixture, cell);
    write_day(&fixture, &files);
    const int ncid = open_file();
    ck_assert_str_eq(attribute(ncid, NC_GLOBAL, "input_status"), "missing");
    must(nc_get_var_schar(ncid, variable(ncid, "input_status"), &input));
    ck_assert_int_eq(input, 2);
    ck_assert_double_eq(value(ncid, "mcs_category", 7), -1);
    ck_assert_ptr_nonnull(strstr(attribute(ncid, NC_GLOBAL, "summary"), "nothing is known of it"));
    ck_assert_ptr_nonnull(strstr(attribute(ncid, NC_GLOBAL, "event_rules"), "beyond: sst < threshold"));
    must(nc_close(ncid));
    sst_feed_files_clear(&files);
    feed_fixture_close(&fixture);
}
END_TEST

START_TEST(a_full_disk_leaves_the_former_revision)
{
    enum { LIMIT = 4096 };
    struct feed_fixture fixture;
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    struct rlimit before, limit;
    char sum[SST_SHA256_TEXT_SIZE], again[SST_SHA256_TEXT_SIZE];
    uint64_t n_bytes = 0;
    int revision = 0;
    open_fixture(&fixture);
    write_day(&fixture, &files);
    memcpy(sum, files.files[0].sha256, sizeof sum);
    fixture.day.revision = 3;
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LIMIT;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum sst_status rc = sst_feed_write_nc(&fixture.about, &fixture.day, test_scratch_dir(), &files, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(rc, SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "mhw.nc"));
    ck_assert_int_eq(sst_sha256_of_file(test_path("%s/%s", test_scratch_dir(), path), &n_bytes, again, &err), SST_OK);
    ck_assert_str_eq(again, sum);
    ck_assert_str_eq(files.files[0].sha256, sum);
    write_day(&fixture, &files);
    ck_assert_str_ne(files.files[0].sha256, sum);
    const int ncid = open_file();
    must(nc_get_att_int(ncid, NC_GLOBAL, "revision", &revision));
    ck_assert_int_eq(revision, 3);
    must(nc_close(ncid));
    sst_feed_files_clear(&files);
    feed_fixture_close(&fixture);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_nc");
    TCase *tc = tcase_create("feed_nc");
    tcase_add_test(tc, values_come_back);
    tcase_add_test(tc, types_and_attributes_are_as_documented);
    tcase_add_test(tc, an_absent_day_and_a_cold_feed_have_their_names);
    tcase_add_test(tc, a_full_disk_leaves_the_former_revision);
    suite_add_tcase(suite, tc);
    return suite;
}
