/* The error table says what was put in: values by hand, classes apart, quantiles as sorting gives them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/flags.h"
#include "test_main.h"
#include "validate/compare.h"

/* float32 of values below 32 degC is within 1e-6 of them. */
#define FLOAT32_NOISE 4e-6

static struct sst_comparison *create(size_t n_probes, const double *weights, double tolerance)
{
    struct sst_error err = {0};
    struct sst_comparison *comparison = NULL;
    ck_assert_msg(sst_comparison_create(n_probes, weights, tolerance, &comparison, &err) == SST_OK, "%s", err.text);
    return comparison;
}

/* Four probes, weights 1, 1, 2, 4; exact 20 degC; the third has ice on the first of two days. */
static void add_two_days(struct sst_comparison *comparison, uint8_t beyond[2][4])
{
    const double exact[4] = {20, 20, 20, 20};
    const double day1[4] = {20.5, 19.75, 20.0, NAN}, day2[4] = {20.25, 20, 21, 19};
    const uint16_t flags1[4] = {0, 0, SST_FLAG_ICE_OR_NO_VARIANCE, 0};
    const uint16_t flags2[4] = {0, SST_FLAG_FEW_SAMPLES, 0, 0};
    sst_comparison_add(comparison, day1, exact, flags1, beyond[0]);
    sst_comparison_add(comparison, day2, exact, flags2, beyond[1]);
}

START_TEST(rows_hold_the_values_found_by_hand)
{
    const double weights[4] = {1, 1, 2, 4};
    struct sst_comparison *comparison = create(4, weights, 0.3);
    uint8_t beyond[2][4];
    add_two_days(comparison, beyond);

    /* All: errors 0.5 -0.25 0 | 0.25 0 1 -1 */
    const struct sst_error_row all = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_uint_eq(all.n_cells, 4);
    ck_assert_uint_eq(all.n_cell_days, 7);
    ck_assert_double_eq_tol(all.bias, 0.5 / 7, 1e-14);
    ck_assert_double_eq_tol(all.rmse, sqrt((0.25 + 0.0625 + 0.0625 + 1 + 1) / 7), 1e-14);
    ck_assert_double_eq_tol(all.median, 0.25, 1.01 * SST_ERROR_BIN_DEGC);
    ck_assert_double_eq(all.max, 1.0);
    ck_assert_double_eq_tol(all.beyond.value, 3.0 / 7, 1e-14);
    ck_assert_uint_eq(all.beyond.n_clusters, 4);

    /* By area: weights 1 1 2 | 1 1 2 4 */
    const struct sst_error_row area = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_AREA);
    ck_assert_double_eq_tol(area.bias, (0.5 - 0.25 + 0.25 + 2 - 4) / 12, 1e-14);
    ck_assert_double_eq_tol(area.rmse, sqrt((0.25 + 0.0625 + 0.0625 + 2 + 4) / 12), 1e-14);
    ck_assert_double_eq_tol(area.beyond.value, (1.0 + 2 + 4) / 12, 1e-14);

    const uint8_t expected[2][4] = {{1, 0, 0, 0}, {0, 0, 1, 1}};
    ck_assert_mem_eq(beyond, expected, sizeof expected);
    sst_comparison_destroy(&comparison);
    ck_assert_ptr_null(comparison);
}
END_TEST

START_TEST(ice_is_kept_out_of_the_ice_free_rows_only)
{
    const double weights[4] = {1, 1, 2, 4};
    struct sst_comparison *comparison = create(4, weights, 0.3);
    uint8_t beyond[2][4];
    add_two_days(comparison, beyond);
    const struct sst_error_row free_of_ice = sst_comparison_row(comparison, SST_ERRORS_ICE_FREE, SST_WEIGHT_COUNT);
    ck_assert_uint_eq(free_of_ice.n_cell_days, 6);
    ck_assert_double_eq_tol(free_of_ice.beyond.value, 3.0 / 6, 1e-14);
    const struct sst_error_row area = sst_comparison_row(comparison, SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA);
    ck_assert_double_eq_tol(area.beyond.value, 7.0 / 10, 1e-14);
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(a_pair_with_nan_is_no_observation)
{
    const double weights[3] = {1, 1, 1};
    struct sst_comparison *comparison = create(3, weights, 0.1);
    const double approx[3] = {NAN, 5, 7}, exact[3] = {5, NAN, 7.5};
    const uint16_t flags[3] = {SST_FLAG_MISSING, 0, 0};
    uint8_t beyond[3] = {9, 9, 9};
    sst_comparison_add(comparison, approx, exact, flags, beyond);
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_uint_eq(row.n_cells, 1);
    ck_assert_uint_eq(row.n_cell_days, 1);
    ck_assert_double_eq(row.bias, -0.5);
    ck_assert_double_eq(row.max, 0.5);
    const uint8_t expected[3] = {0, 0, 1};
    ck_assert_mem_eq(beyond, expected, sizeof expected);
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(an_empty_table_is_nan)
{
    struct sst_comparison *comparison = create(0, NULL, 0.1);
    sst_comparison_add(comparison, NULL, NULL, NULL, NULL);
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA);
    ck_assert_uint_eq(row.n_cell_days, 0);
    ck_assert(isnan(row.bias) && isnan(row.rmse) && isnan(row.median) && isnan(row.p99) && isnan(row.max));
    ck_assert(isnan(row.beyond.value));
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(the_tolerance_is_strict)
{
    const double weight = 1, exact = 8, at = 8.125, above = 8.1250010;
    const uint16_t flags = 0;
    struct sst_comparison *comparison = create(1, &weight, 0.125);
    uint8_t beyond = 9;
    sst_comparison_add(comparison, &at, &exact, &flags, &beyond);
    ck_assert_uint_eq(beyond, 0);
    sst_comparison_add(comparison, &above, &exact, &flags, &beyond);
    ck_assert_uint_eq(beyond, 1);
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_double_eq(row.beyond.value, 0.5);
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(errors_are_of_float32)
{
    /* The two doubles differ, their float32 do not. */
    const double weight = 1, exact = 20.0, approx = 20.0 + 1e-7;
    const uint16_t flags = 0;
    uint8_t beyond = 9;
    struct sst_comparison *comparison = create(1, &weight, 0.0);
    sst_comparison_add(comparison, &approx, &exact, &flags, &beyond);
    ck_assert_uint_eq(beyond, 0);
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_double_eq(row.max, 0);
    ck_assert_double_eq(row.median, 0);
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(errors_beyond_the_histogram_are_the_largest)
{
    const double weight = 1, exact = 0, approx = 30;
    const uint16_t flags = 0;
    struct sst_comparison *comparison = create(1, &weight, 0.1);
    sst_comparison_add(comparison, &approx, &exact, &flags, NULL);
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_double_eq(row.median, 30);
    ck_assert_double_eq(row.max, 30);
    sst_comparison_destroy(&comparison);
}
END_TEST

enum { N_PROBES = 101, N_SLOTS = 50, N_ALL = N_PROBES * N_SLOTS };

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Fills the table with a fixed pseudo-random sample and gives its absolute errors, sorted. */
static void add_sample(struct sst_comparison *comparison, double *sorted)
{
    uint32_t state = 7;
    size_t n = 0;
    for (int slot = 0; slot < N_SLOTS; ++slot) {
        double approx[N_PROBES], exact[N_PROBES];
        uint16_t flags[N_PROBES] = {0};
        for (size_t probe = 0; probe < N_PROBES; ++probe) {
            state = state * 1664525u + 1013904223u;
            const double u = (double)state / 4294967296.0;
            exact[probe] = 10 + (double)probe / 10;
            approx[probe] = exact[probe] + 0.4 * u * u * u - 0.02;
            sorted[n++] = fabs((double)(float)approx[probe] - (double)(float)exact[probe]);
        }
        sst_comparison_add(comparison, approx, exact, flags, NULL);
    }
    qsort(sorted, N_ALL, sizeof *sorted, compare_doubles);
}

/* Whether `value` is the order statistic of `share`, or above it by at most one bin. */
static bool is_quantile(double value, const double *sorted, double share)
{
    const double truth = sorted[(size_t)ceil(share * N_ALL) - 1];
    return value >= truth && value <= truth + SST_ERROR_BIN_DEGC * (1 + 1e-9);
}

START_TEST(quantiles_are_those_of_sorting_within_one_bin)
{
    static double sorted[N_ALL];
    double weights[N_PROBES];
    for (size_t probe = 0; probe < N_PROBES; ++probe)
        weights[probe] = 0.5;
    struct sst_comparison *comparison = create(N_PROBES, weights, 0.1);
    add_sample(comparison, sorted);
    for (int weight = 0; weight < SST_N_ERROR_WEIGHTS; ++weight) {
        const struct sst_error_row row =
            sst_comparison_row(comparison, SST_ERRORS_ICE_FREE, (enum sst_error_weight)weight);
        ck_assert(is_quantile(row.median, sorted, 0.50));
        ck_assert(is_quantile(row.p95, sorted, 0.95));
        ck_assert(is_quantile(row.p99, sorted, 0.99));
        ck_assert_double_eq(row.max, sorted[N_ALL - 1]);
        /* The planted fault: the neighbouring share would be found out. */
        ck_assert(!is_quantile(row.p95, sorted, 0.94));
        ck_assert(!is_quantile(row.median, sorted, 0.52));
    }
    sst_comparison_destroy(&comparison);
}
END_TEST

START_TEST(area_weights_move_the_quantiles)
{
    const double weights[2] = {9, 1}, exact[2] = {0, 0}, approx[2] = {0.01, 0.5};
    const uint16_t flags[2] = {0, 0};
    struct sst_comparison *comparison = create(2, weights, 0.1);
    sst_comparison_add(comparison, approx, exact, flags, NULL);
    const struct sst_error_row area = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_AREA);
    ck_assert_double_eq_tol(area.median, 0.01, 1.01 * SST_ERROR_BIN_DEGC);
    ck_assert_double_eq_tol(area.p95, 0.5, 1.01 * SST_ERROR_BIN_DEGC + FLOAT32_NOISE);
    ck_assert_double_eq_tol(area.bias, 0.059, FLOAT32_NOISE);
    ck_assert_double_eq_tol(area.beyond.value, 0.1, 1e-14);
    const struct sst_error_row count = sst_comparison_row(comparison, SST_ERRORS_ALL, SST_WEIGHT_COUNT);
    ck_assert_double_eq_tol(count.bias, 0.255, FLOAT32_NOISE);
    ck_assert_double_eq_tol(count.beyond.value, 0.5, 1e-14);
    sst_comparison_destroy(&comparison);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, rows_hold_the_values_found_by_hand);
    tcase_add_test(tc, ice_is_kept_out_of_the_ice_free_rows_only);
    tcase_add_test(tc, a_pair_with_nan_is_no_observation);
    tcase_add_test(tc, an_empty_table_is_nan);
    tcase_add_test(tc, the_tolerance_is_strict);
    tcase_add_test(tc, errors_are_of_float32);
    tcase_add_test(tc, errors_beyond_the_histogram_are_the_largest);
    tcase_add_test(tc, quantiles_are_those_of_sorting_within_one_bin);
    tcase_add_test(tc, area_weights_move_the_quantiles);
    suite_add_tcase(suite, tc);
    return suite;
}
