/* stream/decode: whether a file is preliminary, of which version and which sensor. */
#include <string.h>

#include "decoded.h"
#include "make_nc.h"
#include "stream/decode_status.h"
#include "test_main.h"

static const double lat[2] = {0, 1}, lon[2] = {10, 11}, times[2] = {8400, 8401};
static double cells[8];

/* Two days; global attributes are added by the tests. */
static void make_spec(struct make_nc_spec *spec)
{
    *spec = (struct make_nc_spec){.format = NC_NETCDF4};
    make_nc_record_dim(spec, "time", 2);
    make_nc_dim(spec, "lat", 2);
    make_nc_dim(spec, "lon", 2);
    make_nc_text(make_nc_var(spec, "lat", NC_DOUBLE, "lat", lat), "units", "degrees_north");
    make_nc_text(make_nc_var(spec, "lon", NC_DOUBLE, "lon", lon), "units", "degrees_east");
    make_nc_text(make_nc_var(spec, "sst", NC_FLOAT, "time lat lon", cells), "units", "degC");
    make_nc_text(make_nc_var(spec, "time", NC_INT, "time", times), "units", "days since 1978-01-01 12:00:00");
}

static struct decoded open_as(const struct make_nc_spec *spec, const char *name, const char *rule)
{
    struct decoded d;
    const struct sst_decode_options options = {.status_from = rule};
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    make_nc_write(spec, path);
    decoded_open(&d, path, &options);
    decoded_must_be_ok(&d);
    return d;
}

START_TEST(rules_are_read_or_refused)
{
    static const char *const refused[] = {"",           "Final",        "name",         "name:",       "attribute:a",
                                          "attribute:", "attribute:=b", "attribute:a=", "preliminary "};
    struct sst_status_rule rule;
    char text[2 * SST_STATUS_TEXT_SIZE];
    ck_assert(sst_status_rule_read(NULL, &rule) && rule.source == SST_STATUS_AUTO);
    ck_assert(sst_status_rule_read("auto", &rule) && rule.source == SST_STATUS_AUTO);
    ck_assert(sst_status_rule_read("final", &rule) && rule.source == SST_STATUS_FINAL);
    ck_assert(sst_status_rule_read("preliminary", &rule) && rule.source == SST_STATUS_PRELIMINARY);
    ck_assert(sst_status_rule_read("name:*_nrt.nc", &rule) && rule.source == SST_STATUS_NAME);
    ck_assert_str_eq(rule.pattern, "*_nrt.nc");
    ck_assert(sst_status_rule_read("attribute:level=a=b", &rule) && rule.source == SST_STATUS_ATTRIBUTE);
    ck_assert_str_eq(rule.attribute, "level");
    ck_assert_str_eq(rule.pattern, "a=b");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i)
        ck_assert_msg(!sst_status_rule_read(refused[i], &rule), "'%s'", refused[i]);
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    memcpy(text, "name:", 5);
    ck_assert(!sst_status_rule_read(text, &rule)); /* too long */
}
END_TEST

static const struct {
    const char *name, *attribute, *value, *rule;
    bool is_preliminary;
} files[] = {
    {"a.nc", NULL, NULL, NULL, false},
    {"b_preliminary.nc", NULL, NULL, NULL, true},
    {"c_preliminary.nc", NULL, NULL, "final", false},
    {"d.nc", NULL, NULL, "preliminary", true},
    {"e.nc", "title", "OISST - Interim", NULL, true},
    {"f.nc", "product_version", "04.1nrt", NULL, true},
    {"g.nc", "product_version", "04.1", NULL, false},
    {"h.nc", "title", "METOFFICE-GLO-SST-L4-NRT-OBS-SST-V2", NULL, false}, /* has no other files */
    {"i_nrt.nc", NULL, NULL, "name:*_nrt.nc", true},
    {"j_preliminary.nc", NULL, NULL, "name:*_nrt.nc", false}, /* the rule alone holds */
    {"k.nc", "level", "near real time", "attribute:level=near*", true},
    {"l.nc", "level", "near real time", "attribute:level=near", false},
    {"m.nc", NULL, NULL, "attribute:level=*", false},
};

START_TEST(a_file_is_preliminary_by_name_attribute_or_rule)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    if (files[_i].attribute)
        make_nc_text(&spec.global, files[_i].attribute, files[_i].value);
    struct decoded d = open_as(&spec, files[_i].name, files[_i].rule);
    ck_assert_int_eq(d.info->is_preliminary, files[_i].is_preliminary);
    decoded_clear(&d);
}
END_TEST

/* ERA5's variable of numbers: one day of ERA5T makes the file preliminary. */
static const struct {
    double values[2];
    const char *rule;
    bool is_preliminary;
} versions[] = {{{1, 1}, NULL, false}, {{1, 5}, NULL, true}, {{5, 5}, NULL, true}, {{5, 5}, "final", false}};

START_TEST(days_of_era5t_are_preliminary)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    (void)make_nc_var(&spec, "expver", NC_INT, "time", versions[_i].values);
    struct decoded d = open_as(&spec, test_path("era5-%d.nc", _i), versions[_i].rule);
    ck_assert_int_eq(d.info->is_preliminary, versions[_i].is_preliminary);
    decoded_clear(&d);
}
END_TEST

/* As ECMWF's files have it now: texts, "0001" and "0005". */
START_TEST(days_of_era5t_are_known_by_texts_too)
{
    static const char *texts[][2] = {{"0001", "0001"}, {"0001", "0005"}};
    for (size_t i = 0; i < 2; ++i) {
        struct make_nc_spec spec;
        struct decoded d;
        int ncid = -1, dim = -1, varid = -1;
        const char *path = test_path("%s/era5-text%zu.nc", test_scratch_dir(), i);
        make_spec(&spec);
        make_nc_write(&spec, path);
        ck_assert_int_eq(nc_open(path, NC_WRITE, &ncid), NC_NOERR);
        ck_assert_int_eq(nc_redef(ncid), NC_NOERR);
        ck_assert_int_eq(nc_inq_dimid(ncid, "time", &dim), NC_NOERR);
        ck_assert_int_eq(nc_def_var(ncid, "expver", NC_STRING, 1, &dim, &varid), NC_NOERR);
        ck_assert_int_eq(nc_put_vara_string(ncid, varid, (size_t[]){0}, (size_t[]){2}, texts[i]), NC_NOERR);
        ck_assert_int_eq(nc_close(ncid), NC_NOERR);
        decoded_open(&d, path, NULL);
        decoded_must_be_ok(&d);
        ck_assert_int_eq(d.info->is_preliminary, i == 1);
        decoded_clear(&d);
    }
}
END_TEST

/* Files of one make, of which one is of ERA5T, opened one after the other in one process as a reader does. */
START_TEST(a_file_of_era5t_is_no_model_for_others)
{
    static const double values[][2] = {{1, 1}, {5, 5}, {1, 1}};
    struct sst_decode_scratch *scratch = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_decode_scratch_create(&scratch, &err), SST_OK);
    for (size_t i = 0; i < 3; ++i) {
        struct make_nc_spec spec;
        struct decoded d;
        const struct sst_decode_options options = {.scratch = scratch};
        const char *path = test_path("%s/era5-model%zu.nc", test_scratch_dir(), i);
        make_spec(&spec);
        (void)make_nc_var(&spec, "expver", NC_INT, "time", values[i]);
        make_nc_write(&spec, path);
        decoded_open(&d, path, &options);
        decoded_must_be_ok(&d);
        ck_assert_int_eq(d.info->is_preliminary, i == 1);
        decoded_clear(&d);
    }
    sst_decode_scratch_destroy(&scratch);
}
END_TEST

static const struct {
    const char *id, *title, *product_version, *version, *product;
} products[] = {
    {"MUR", "a title", "04.1", NULL, "MUR, version 04.1"},
    {NULL, "OSTIA", NULL, "2.0", "OSTIA, version 2.0"},
    {"oisst-avhrr-v02r01", NULL, "Version v02r01", NULL, "oisst-avhrr-v02r01"}, /* says it already */
    {"CCI", NULL, "3.0", "9", "CCI, version 3.0"},
    {NULL, NULL, "3.0", NULL, ""},
};

START_TEST(a_product_is_of_a_version)
{
    struct make_nc_spec spec;
    const char *const names[] = {"id", "title", "product_version", "version"};
    const char *const values[] = {products[_i].id, products[_i].title, products[_i].product_version,
                                  products[_i].version};
    make_spec(&spec);
    for (size_t i = 0; i < 4; ++i)
        if (values[i])
            make_nc_text(&spec.global, names[i], values[i]);
    struct decoded d = open_as(&spec, test_path("version%d.nc", _i), NULL);
    ck_assert_str_eq(d.info->product, products[_i].product);
    ck_assert_str_eq(d.info->sensor, "");
    decoded_clear(&d);
}
END_TEST

START_TEST(sensors_are_what_three_attributes_say)
{
    struct make_nc_spec spec;
    make_spec(&spec);
    make_nc_text(&spec.global, "platform", "MetOp-A, MetOp-B");
    make_nc_text(&spec.global, "instrument", "AVHRR/3");
    struct decoded d = open_as(&spec, "sensor.nc", NULL);
    ck_assert_str_eq(d.info->sensor, "MetOp-A, MetOp-B; AVHRR/3");
    decoded_clear(&d);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("status of files");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, rules_are_read_or_refused);
    tcase_add_loop_test(tc, a_file_is_preliminary_by_name_attribute_or_rule, 0, (int)(sizeof files / sizeof files[0]));
    tcase_add_loop_test(tc, days_of_era5t_are_preliminary, 0, (int)(sizeof versions / sizeof versions[0]));
    tcase_add_test(tc, days_of_era5t_are_known_by_texts_too);
    tcase_add_test(tc, a_file_of_era5t_is_no_model_for_others);
    tcase_add_loop_test(tc, a_product_is_of_a_version, 0, (int)(sizeof products / sizeof products[0]));
    tcase_add_test(tc, sensors_are_what_three_attributes_say);
    suite_add_tcase(suite, tc);
    return suite;
}
