/* Each block of a report has the keys of docs/report.md, no others, and the values that it was given. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/json_values.h"
#include "app/report_blocks.h"
#include "regular_grid.h"
#include "test_main.h"

/* Printed and read again, as a reader of the report gets it. */
static json_t *read_back(json_t *block)
{
    ck_assert_ptr_nonnull(block);
    char *text = json_dumps(block, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY);
    ck_assert_ptr_nonnull(text);
    json_error_t error;
    json_t *out = json_loads(text, JSON_DECODE_ANY, &error);
    ck_assert_msg(out != NULL, "%s", error.text);
    free(text);
    json_decref(block);
    return out;
}

/* keys: all of them, with blanks between, in any order. */
static void has_keys(const json_t *object, const char *keys)
{
    size_t n = 0;
    char key[64];
    int length = 0;
    for (const char *rest = keys; sscanf(rest, "%63s%n", key, &length) == 1; rest += length, ++n)
        ck_assert_msg(json_object_get(object, key) != NULL, "there is no %s", key);
    ck_assert_uint_eq(json_object_size(object), n);
}

/* A member by its path: names and indices with points between. */
static const json_t *member(const json_t *block, const char *path)
{
    const json_t *value = block;
    char part[64];
    int length = 0;
    for (const char *rest = path; value && sscanf(rest, "%63[^.]%n", part, &length) == 1;) {
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(part)) : json_object_get(value, part);
        rest += length;
        rest += *rest == '.';
    }
    ck_assert_msg(value != NULL, "there is no %s", path);
    return value;
}

static void is_number(const json_t *block, const char *path, double expected)
{
    const json_t *value = member(block, path);
    ck_assert_msg(json_is_number(value) && json_number_value(value) == expected, "%s is %.17g, not %.17g", path,
                  json_number_value(value), expected);
}

static void is_text(const json_t *block, const char *path, const char *expected)
{
    ck_assert_pstr_eq(json_string_value(member(block, path)), expected);
}

static void is_null(const json_t *block, const char *path)
{
    ck_assert_msg(json_is_null(member(block, path)), "%s is not null", path);
}

#define ROW_KEYS "cells cell_days bias rmse median_abs p95_abs p99_abs max_abs beyond_tolerance"

static const struct sst_error_row some_row = {.n_cells = 7,
                                              .n_cell_days = 2562,
                                              .bias = -1.0 / 3,
                                              .rmse = 2.0 / 3,
                                              .median = 0.1,
                                              .p95 = 0.2,
                                              .p99 = 0.3,
                                              .max = 0.4,
                                              .beyond = {0.25, 0.125, 0.5, 6}};

START_TEST(an_error_row_is_told_with_all_digits)
{
    json_t *block = read_back(sst_block_error_row(&some_row));
    has_keys(block, ROW_KEYS);
    is_number(block, "cells", 7);
    is_number(block, "cell_days", 2562);
    is_number(block, "bias", -1.0 / 3);
    is_number(block, "rmse", 2.0 / 3);
    is_number(block, "median_abs", 0.1);
    is_number(block, "p95_abs", 0.2);
    is_number(block, "p99_abs", 0.3);
    is_number(block, "max_abs", 0.4);
    has_keys(member(block, "beyond_tolerance"), "share low high clusters");
    is_number(block, "beyond_tolerance.share", 0.25);
    is_number(block, "beyond_tolerance.low", 0.125);
    is_number(block, "beyond_tolerance.high", 0.5);
    is_number(block, "beyond_tolerance.clusters", 6);
    json_decref(block);
}
END_TEST

START_TEST(numbers_have_six_digits_and_nan_is_null)
{
    static const struct {
        double value, expected;
    } cases[] = {{1.0 / 3, 0.333333}, {0.1 + 0.2, 0.3}, {-1234567.8, -1234570}, {0, 0}, {1.23456789e-9, 1.23457e-9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        json_t *number = read_back(sst_json_rounded(cases[i].value));
        ck_assert_double_eq(json_number_value(number), cases[i].expected);
        json_decref(number);
    }
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; ++i) {
        json_t *rounded = sst_json_rounded(none[i]), *real = sst_json_real(none[i]);
        ck_assert(json_is_null(rounded) && json_is_null(real));
        json_decref(rounded);
        json_decref(real);
    }
}
END_TEST

START_TEST(a_text_of_another_encoding_is_shown_by_its_bytes)
{
    json_t *text = sst_json_text("caf\xe9 1"), *plain = sst_json_text("caf\xc3\xa9");
    ck_assert_str_eq(json_string_value(text), "caf\\xe9 1");
    ck_assert_str_eq(json_string_value(plain), "caf\xc3\xa9");
    json_decref(text);
    json_decref(plain);
}
END_TEST

START_TEST(a_breakdown_has_its_curves_and_tables)
{
    double shares[2] = {0.25, 0.75}, sizes[3] = {0, 0.1 + 0.2, 0.6}, cumulated[3] = {0.5, 0.9, 1};
    struct sst_breakdown_row slot = {.name = "29 February", .low = 60, .high = 60, .errors = some_row};
    struct sst_breakdown_row region = {.name = "10S-0 180-170W", .low = NAN, .high = NAN, .errors = some_row};
    region.errors.beyond.low = NAN;
    const struct sst_breakdown breakdown = {
        .distribution = {2, -0.5, 0.5, shares, 3, sizes, cumulated}, .by_slot = {&slot, 1}, .by_region = {&region, 1}};
    json_t *block = read_back(sst_block_breakdown(&breakdown));
    has_keys(block, "histogram cumulative by_slot by_latitude by_region by_skewness by_kurtosis");
    has_keys(member(block, "histogram"), "first_edge_degc width_degc share");
    is_number(block, "histogram.first_edge_degc", -0.5);
    is_number(block, "histogram.width_degc", 0.5);
    ck_assert_uint_eq(json_array_size(member(block, "histogram.share")), 2);
    is_number(block, "histogram.share.1", 0.75);
    has_keys(member(block, "cumulative"), "abs_error_degc share");
    ck_assert_uint_eq(json_array_size(member(block, "cumulative.share")), 3);
    is_number(block, "cumulative.abs_error_degc.1", 0.3);
    is_number(block, "cumulative.share.1", 0.9);
    has_keys(member(block, "by_slot.0"), ROW_KEYS " name low high");
    is_text(block, "by_slot.0.name", "29 February");
    is_number(block, "by_slot.0.low", 60);
    is_number(block, "by_slot.0.rmse", 0.666667);
    is_number(block, "by_slot.0.beyond_tolerance.clusters", 6);
    is_text(block, "by_region.0.name", "10S-0 180-170W");
    is_null(block, "by_region.0.low");
    is_null(block, "by_region.0.high");
    is_null(block, "by_region.0.beyond_tolerance.low");
    ck_assert_uint_eq(json_array_size(member(block, "by_kurtosis")), 0);
    json_decref(block);
}
END_TEST

START_TEST(a_breakdown_of_nothing_has_empty_lists)
{
    const struct sst_breakdown breakdown = {.distribution = {.first_edge = NAN, .width = NAN}};
    json_t *block = read_back(sst_block_breakdown(&breakdown));
    is_null(block, "histogram.width_degc");
    ck_assert_uint_eq(json_array_size(member(block, "histogram.share")), 0);
    ck_assert_uint_eq(json_array_size(member(block, "by_slot")), 0);
    json_decref(block);
}
END_TEST

START_TEST(bounds_name_their_variables_and_say_what_they_cover)
{
    struct sst_coverage_row rows[2] = {
        {SST_STRATUM_ALL, "all", 60, 21960, {0.951, 0.93, 0.97, 60}},
        {SST_STRATUM_SEASON, "Dec-Feb", 60, 5400, {0.94, NAN, NAN, 1}},
    };
    const struct sst_error_findings findings = {
        .n_cells = 60,
        .n_levels = 2,
        .levels = {{0.95, true, 0.98, 0.11, 0.12, rows, 2, 0.05}, {0.999, false, 0.983607, NAN, NAN, NULL, 0, NAN}},
        .is_corrected = true,
        .rmse_before = 0.08,
        .rmse_after = 0.07,
        .likely = {true, 0.3, 0.1, 0.08, 0.75, NAN}};
    json_t *block = read_back(sst_block_bounds(&findings, 90));
    has_keys(block, "cells levels correction likely");
    is_number(block, "cells", 60);
    has_keys(member(block, "levels.0"),
             "level variable available attainable median_degc mean_degc cells_below_90 coverage");
    is_number(block, "levels.0.level", 0.95);
    is_text(block, "levels.0.variable", "sst_p90_approx_bound95");
    ck_assert(json_is_true(member(block, "levels.0.available")));
    is_number(block, "levels.0.attainable", 0.98);
    is_number(block, "levels.0.median_degc", 0.11);
    is_number(block, "levels.0.mean_degc", 0.12);
    is_number(block, "levels.0.cells_below_90", 0.05);
    ck_assert_uint_eq(json_array_size(member(block, "levels.0.coverage")), 2);
    has_keys(member(block, "levels.0.coverage.0"), "stratum name cells cell_days share low high");
    is_text(block, "levels.0.coverage.0.stratum", "all");
    is_number(block, "levels.0.coverage.0.high", 0.97);
    is_text(block, "levels.0.coverage.1.stratum", "season");
    is_text(block, "levels.0.coverage.1.name", "Dec-Feb");
    is_number(block, "levels.0.coverage.1.cell_days", 5400);
    is_null(block, "levels.0.coverage.1.low");
    is_text(block, "levels.1.variable", "sst_p90_approx_bound99p9");
    ck_assert(json_is_false(member(block, "levels.1.available")));
    is_number(block, "levels.1.attainable", 0.983607);
    is_null(block, "levels.1.median_degc");
    has_keys(member(block, "correction"), "applied rmse_before_degc rmse_after_degc");
    ck_assert(json_is_true(member(block, "correction.applied")));
    is_number(block, "correction.rmse_before_degc", 0.08);
    is_number(block, "correction.rmse_after_degc", 0.07);
    has_keys(member(block, "likely"), "available threshold base_rate flagged precision recall");
    is_number(block, "likely.threshold", 0.3);
    is_number(block, "likely.base_rate", 0.1);
    is_number(block, "likely.flagged", 0.08);
    is_number(block, "likely.precision", 0.75);
    is_null(block, "likely.recall");
    json_decref(block);
}
END_TEST

START_TEST(ice_and_regions_are_strata_too)
{
    struct sst_coverage_row rows[2] = {{.stratum = SST_STRATUM_ICE, .name = "ice-free"},
                                       {.stratum = SST_STRATUM_REGION, .name = "0-10N 0-10E"}};
    const struct sst_error_findings findings = {
        .n_levels = 2, .levels = {{.level = 0.9, .rows = rows, .n_rows = 2}, {.level = 0.9999995}}};
    json_t *block = read_back(sst_block_bounds(&findings, 97.5));
    is_text(block, "levels.0.variable", "sst_p97p5_approx_bound90");
    is_text(block, "levels.1.variable", "sst_p97p5_approx_bound99p99995"); /* as the file's, not rounded to 100 */
    is_text(block, "levels.0.coverage.0.stratum", "ice");
    is_text(block, "levels.0.coverage.1.stratum", "region");
    json_decref(block);
}
END_TEST

START_TEST(repair_tells_what_the_rest_is_covered_by)
{
    const double levels[2] = {0.95, 0.99};
    const struct sst_share rest[2] = {{0.96, 0.95, 0.97, 80}, {NAN, NAN, NAN, 0}};
    json_t *block = read_back(sst_block_repair(1234, levels, rest, 2));
    has_keys(block, "cell_days coverage_of_rest");
    is_number(block, "cell_days", 1234);
    has_keys(member(block, "coverage_of_rest.0"), "level share low high clusters");
    is_number(block, "coverage_of_rest.0.share", 0.96);
    is_number(block, "coverage_of_rest.1.level", 0.99);
    is_null(block, "coverage_of_rest.1.share");
    json_decref(block);
}
END_TEST

START_TEST(consequences_stand_side_by_side)
{
    const struct sst_consequences consequences = {.n_cells = 400,
                                                  .n_years = 30,
                                                  .is_cold = true,
                                                  .exact = {20, 2, 10},
                                                  .approx = {22, 2.5, 8.8},
                                                  .missed = 0.03,
                                                  .added = 0.13,
                                                  .jaccard = 0.86,
                                                  .jaccard_p05 = 0.5,
                                                  .jaccard_median = 0.9,
                                                  .exact_exceedance = {0.1, 0.09, 0.11},
                                                  .approx_exceedance = {0.12, 0.08, NAN}};
    json_t *block = read_back(sst_block_consequences(&consequences));
    has_keys(block, "cells years is_cold exact approx missed added jaccard jaccard_p05 jaccard_median");
    is_number(block, "cells", 400);
    is_number(block, "years", 30);
    ck_assert(json_is_true(member(block, "is_cold")));
    has_keys(member(block, "exact"), "days_per_year events_per_year mean_days exceedance");
    is_number(block, "exact.days_per_year", 20);
    is_number(block, "exact.events_per_year", 2);
    is_number(block, "exact.mean_days", 10);
    has_keys(member(block, "exact.exceedance"), "mean p05 p95");
    is_number(block, "exact.exceedance.mean", 0.1);
    is_number(block, "exact.exceedance.p05", 0.09);
    is_number(block, "approx.days_per_year", 22);
    is_number(block, "approx.exceedance.p05", 0.08);
    is_null(block, "approx.exceedance.p95");
    is_number(block, "missed", 0.03);
    is_number(block, "added", 0.13);
    is_number(block, "jaccard", 0.86);
    is_number(block, "jaccard_p05", 0.5);
    is_number(block, "jaccard_median", 0.9);
    json_decref(block);
}
END_TEST

START_TEST(sampling_budget_and_verdict_have_their_keys)
{
    const struct sst_sampling_error sampling = {100, 2000, 200, 0.11, 0.05, 0.3, 0.08, 0.75};
    json_t *block = read_back(sst_block_sampling(&sampling));
    has_keys(block, "cells cell_days resamples se_median_degc se_p05_degc se_p95_degc approx_rmse_degc "
                    "share_within_one_se");
    is_number(block, "cells", 100);
    is_number(block, "cell_days", 2000);
    is_number(block, "resamples", 200);
    is_number(block, "se_median_degc", 0.11);
    is_number(block, "se_p05_degc", 0.05);
    is_number(block, "se_p95_degc", 0.3);
    is_number(block, "approx_rmse_degc", 0.08);
    is_number(block, "share_within_one_se", 0.75);
    json_decref(block);

    const struct sst_budget_item items[2] = {{"estimator", 0.08, "by far the largest"}, {"days missing", NAN, "few"}};
    block = read_back(sst_block_error_budget(items, 2));
    ck_assert_uint_eq(json_array_size(block), 2);
    has_keys(member(block, "0"), "name size_degc text");
    is_text(block, "0.name", "estimator");
    is_number(block, "0.size_degc", 0.08);
    is_text(block, "1.text", "few");
    is_null(block, "1.size_degc");
    json_decref(block);

    struct sst_verdict_block verdict = {true, 0.04, 0.05, 0.1, "sst_p90", "All is well."};
    block = read_back(sst_block_verdict(&verdict));
    has_keys(block, "pass worst_share tolerance_degc variable max_share text");
    ck_assert(json_is_true(member(block, "pass")));
    is_number(block, "worst_share", 0.04);
    is_number(block, "max_share", 0.05);
    is_number(block, "tolerance_degc", 0.1);
    is_text(block, "variable", "sst_p90");
    is_text(block, "text", "All is well.");
    json_decref(block);
    verdict.variable = NULL;
    block = read_back(sst_block_verdict(&verdict));
    is_null(block, "variable");
    json_decref(block);
}
END_TEST

START_TEST(a_map_is_whole_steps_from_the_north)
{
    const struct even_axis lat = {10, 1, 2}, lon = {179, 1, 3};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    struct sst_map *map = NULL, *sea = NULL;
    struct sst_error err = {0};
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_map_create(&domain, &map, &err), SST_OK);
    ck_assert_int_eq(sst_map_create(&domain, &sea, &err), SST_OK);
    static const double values[6] = {0.004, -0.0151, NAN, 0.25, 0, 1e300}; /* from the south */
    static const double is_sea[6] = {1, 1, 0, 1, 1, NAN};
    for (size_t cell = 0; cell < 6; ++cell) {
        sst_map_add(map, cell, values[cell]);
        sst_map_add(sea, cell, is_sea[cell]);
    }
    const struct sst_map_labels labels = {"probe_bias", "Mean error", "sst_p90", "degC", true, false, 0.01};
    json_t *block = read_back(sst_block_map(map, &labels, sea));
    has_keys(block, "key title variable unit is_signed is_sparse rows cols north south west east step values sea");
    is_text(block, "key", "probe_bias");
    is_text(block, "title", "Mean error");
    is_text(block, "variable", "sst_p90");
    is_text(block, "unit", "degC");
    ck_assert(json_is_true(member(block, "is_signed")) && json_is_false(member(block, "is_sparse")));
    is_number(block, "rows", 2);
    is_number(block, "cols", 3);
    is_number(block, "north", 11.5);
    is_number(block, "south", 9.5);
    is_number(block, "west", 178.5);
    is_number(block, "east", 181.5);
    is_number(block, "step", 0.01);
    ck_assert_uint_eq(json_array_size(member(block, "values")), 6);
    is_number(block, "values.0", 25);
    is_number(block, "values.1", 0);
    is_null(block, "values.2");
    is_number(block, "values.3", 0);
    is_number(block, "values.4", -2);
    is_null(block, "values.5");
    ck_assert(json_is_integer(member(block, "values.0")));
    ck_assert_uint_eq(json_array_size(member(block, "sea")), 2);
    is_text(block, "sea.0", "110");
    is_text(block, "sea.1", "110");
    json_decref(block);
    block = read_back(sst_block_map(map, &labels, NULL));
    is_null(block, "sea");
    json_decref(block);
    sst_map_destroy(&map);
    sst_map_destroy(&sea);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_run_can_be_made_again_from_what_it_tells)
{
    json_t *block = read_back(sst_block_reproduce("sststream --approx cf 'a b'", 3));
    has_keys(block, "command version compiler libraries threads device cpu");
    is_text(block, "command", "sststream --approx cf 'a b'");
    is_text(block, "version", sst_version());
    is_text(block, "device", "cpu");
    is_number(block, "threads", 3);
    ck_assert_ptr_nonnull(strstr(json_string_value(member(block, "compiler")), __VERSION__));
    has_keys(member(block, "libraries"), "netCDF HDF5 jansson");
    is_text(block, "libraries.jansson", JANSSON_VERSION);
    static const char *const others[] = {"libraries.netCDF", "libraries.HDF5"};
    for (size_t i = 0; i < 2; ++i) {
        const char *version = json_string_value(member(block, others[i]));
        ck_assert_uint_ge(strspn(version, "0123456789."), 3);
        ck_assert_ptr_null(strchr(version, ' '));
    }
    const json_t *cpu = member(block, "cpu");
    ck_assert(json_is_null(cpu) || (json_string_length(cpu) > 0 && json_string_value(cpu)[0] != ' '));
    json_decref(block);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("report_blocks");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, an_error_row_is_told_with_all_digits);
    tcase_add_test(tc, numbers_have_six_digits_and_nan_is_null);
    tcase_add_test(tc, a_text_of_another_encoding_is_shown_by_its_bytes);
    tcase_add_test(tc, a_breakdown_has_its_curves_and_tables);
    tcase_add_test(tc, a_breakdown_of_nothing_has_empty_lists);
    tcase_add_test(tc, bounds_name_their_variables_and_say_what_they_cover);
    tcase_add_test(tc, ice_and_regions_are_strata_too);
    tcase_add_test(tc, repair_tells_what_the_rest_is_covered_by);
    tcase_add_test(tc, consequences_stand_side_by_side);
    tcase_add_test(tc, sampling_budget_and_verdict_have_their_keys);
    tcase_add_test(tc, a_map_is_whole_steps_from_the_north);
    tcase_add_test(tc, a_run_can_be_made_again_from_what_it_tells);
    suite_add_tcase(suite, tc);
    return suite;
}
