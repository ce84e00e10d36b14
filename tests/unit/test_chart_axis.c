/* write/chart_axis: ticks are round, two or more, within the range; ranges are round; numbers look like numbers. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "test_main.h"
#include "write/chart_axis.h"

#define MINUS "\xE2\x88\x92"
#define TIMES_TEN                                                                                                      \
    "\xC3\x97"                                                                                                         \
    "10"

/* Doubles of a multiple and of a quotient may differ by their last bit. */
#define SHARE 1e-14

static const struct {
    double low, high;
    int wanted;
    size_t n;
    double first, last;
    int decimals;
} ranges[] = {
    {0, 1, 5, 6, 0, 1, 1},
    {0, 100, 5, 6, 0, 100, 0},
    {-0.15, 0.15, 6, 7, -0.15, 0.15, 2},
    {-3.2, -0.7, 5, 5, -3, -1, 1}, /* by 0.5 */
    {1, 0, 5, 6, 0, 1, 1}, /* backwards: the same ticks */
    {0, 1e-9, 5, 6, 0, 1e-9, 10},
    {-1e-9, 2e-9, 3, 4, -1e-9, 2e-9, 9},
    {1000.001, 1000.002, 5, 6, 1000.001, 1000.002, 4},
    {0, 1e300, 4, 0, 0, 0, 0}, /* held to what can be drawn: only that it is sane */
    {-1.7e308, 1.7e308, 5, 0, 0, 0, 0},
    {5e-324, 1e-323, 5, 1, 0, 0, 0},
    {-INFINITY, INFINITY, 5, 0, 0, 0, 0},
    {3, 3, 5, 1, 3, 3, 0},
    {-0.25, -0.25, 5, 1, -0.25, -0.25, 2},
    {0, 0, 5, 1, 0, 0, 0},
    {0.3, 0.9, 1, 3, 0.4, 0.8, 1}, /* one step would have one tick */
    {0, 1, 0, 3, 0, 1, 1},
    {0, 1, -7, 3, 0, 1, 1},
    {0, 1, 1000000, 11, 0, 1, 1},
    {1, 367, 8, 7, 50, 350, 0},
};

START_TEST(ticks_are_round_and_within_the_range)
{
    const struct sst_ticks ticks = sst_ticks_make(ranges[_i].low, ranges[_i].high, ranges[_i].wanted);
    ck_assert_uint_ge(ticks.n, 1);
    ck_assert_uint_le(ticks.n, SST_MAX_TICKS);
    for (size_t i = 0; i < ticks.n; ++i)
        ck_assert(isfinite(ticks.values[i]) && (i == 0 || ticks.values[i] > ticks.values[i - 1]));
    if (ranges[_i].n == 0)
        return;
    ck_assert_uint_eq(ticks.n, ranges[_i].n);
    ck_assert_double_eq_tol(ticks.values[0], ranges[_i].first, SHARE * fabs(ranges[_i].first) + DBL_MIN);
    ck_assert_double_eq_tol(ticks.values[ticks.n - 1], ranges[_i].last, SHARE * fabs(ranges[_i].last) + DBL_MIN);
    ck_assert_int_eq(ticks.decimals, ranges[_i].decimals);
}
END_TEST

START_TEST(no_number_gives_no_tick)
{
    ck_assert_uint_eq(sst_ticks_make(NAN, 1, 5).n, 0);
    ck_assert_uint_eq(sst_ticks_make(0, NAN, 5).n, 0);
}
END_TEST

/* Every decade, span and offset: steps of 1, 2 or 5, as many as wanted, give or take. */
START_TEST(steps_are_one_two_or_five_times_a_power_of_ten)
{
    for (int exponent = -12; exponent <= 12; ++exponent) {
        for (double span = 1.0; span < 10.0; span += 0.37) {
            const double unit = pow(10.0, exponent);
            const struct sst_ticks ticks = sst_ticks_make(-0.3 * span * unit, 0.7 * span * unit, 6);
            ck_assert_uint_ge(ticks.n, 2);
            ck_assert_uint_le(ticks.n, 7);
            const double step = ticks.values[1] - ticks.values[0];
            const double mantissa = step / pow(10.0, floor(log10(step) + 1e-9));
            ck_assert_msg(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6,
                          "a step of %g", step);
        }
    }
}
END_TEST

/* --- ranges ------------------------------------------------------------------------------------------------------- */

static const struct {
    double low, high; /* of the axis */
    bool from_zero;
    double data[2];
    int n_data;
    double wanted_low, wanted_high;
} axes[] = {
    {0, 0, false, {-0.23, 0.41}, 2, -0.3, 0.5},
    {0, 0, true, {3, 17}, 2, 0, 20},
    {0, 0, true, {-17, -3}, 2, -20, 0},
    {0, 0, false, {5, 5}, 2, 4.4, 5.6},
    {0, 0, true, {5, 5}, 2, 0, 5},
    {0, 0, false, {0, 0}, 2, -1, 1},
    {0, 0, true, {0, 0}, 2, 0, 1},
    {0, 0, false, {-7, -7}, 1, -7.8, -6.2},
    {0, 0, false, {0, 0}, 0, 0, 1},
    {0, 0, false, {1e-300, 2e-300}, 2, -1, 1}, /* no picture tells them from zero */
    {-2, 3, false, {100, 200}, 2, -2, 3},
    {3, -2, false, {100, 200}, 2, 3, -2}, /* backwards */
    {NAN, 4, false, {1, 2}, 2, 1, 2},
    {0, INFINITY, false, {1, 2}, 2, 1, 2},
};

START_TEST(ranges_go_from_round_number_to_round_number)
{
    struct sst_extent data = {0};
    struct sst_axis axis;
    for (int i = 0; i < axes[_i].n_data; ++i)
        sst_extent_add(&data, axes[_i].data[i]);
    sst_extent_add(&data, NAN);
    sst_extent_add(&data, INFINITY);
    ck_assert_uint_eq(data.n, (size_t)axes[_i].n_data);
    const struct sst_chart_axis spec = {.low = axes[_i].low, .high = axes[_i].high, .from_zero = axes[_i].from_zero};
    sst_axis_make(&axis, &spec, data, 7);
    ck_assert_double_eq_tol(axis.low, axes[_i].wanted_low, 1e-9);
    ck_assert_double_eq_tol(axis.high, axes[_i].wanted_high, 1e-9);
    ck_assert_double_eq_tol(sst_axis_share(&axis, axis.low), 0.0, SHARE);
    ck_assert_double_eq_tol(sst_axis_share(&axis, axis.high), 1.0, SHARE);
    ck_assert_uint_ge(axis.ticks.n, 2);
}
END_TEST

/* --- labels ------------------------------------------------------------------------------------------------------- */

static const struct {
    double low, high;
    const char *first, *second, *last;
} labels[] = {
    {-1, 1, MINUS "1.0", MINUS "0.5", "1.0"},
    {-0.06, 0.06, MINUS "0.05", "0.00", "0.05"},
    {0, 400000, "0", "100000", "400000"},
    {0, 4e6, "0", "1" TIMES_TEN "\xE2\x81\xB6", "4" TIMES_TEN "\xE2\x81\xB6"},
    {-4e-9, 0, MINUS "4" TIMES_TEN "\xE2\x81\xBB\xE2\x81\xB9", MINUS "3" TIMES_TEN "\xE2\x81\xBB\xE2\x81\xB9", "0"},
    {0, 2e12, "0", "0.5" TIMES_TEN "\xC2\xB9\xC2\xB2", "2.0" TIMES_TEN "\xC2\xB9\xC2\xB2"},
};

START_TEST(labels_are_as_short_as_they_can_be)
{
    char buffer[SST_TICK_LABEL_SIZE];
    struct sst_axis axis;
    const struct sst_chart_axis spec = {.low = labels[_i].low, .high = labels[_i].high};
    sst_axis_make(&axis, &spec, (struct sst_extent){0}, 4);
    ck_assert_str_eq(sst_axis_label(&axis, 0, buffer), labels[_i].first);
    ck_assert_str_eq(sst_axis_label(&axis, 1, buffer), labels[_i].second);
    ck_assert_str_eq(sst_axis_label(&axis, sst_axis_n_ticks(&axis) - 1, buffer), labels[_i].last);
}
END_TEST

START_TEST(own_ticks_stand_where_and_how_they_are_given)
{
    const struct sst_chart_tick months[] = {{1, "Jan"}, {32, "Feb"}, {61, NULL}};
    const struct sst_chart_axis spec = {.low = 1, .high = 367, .ticks = months, .n_ticks = 3};
    char buffer[SST_TICK_LABEL_SIZE];
    struct sst_axis axis;
    sst_axis_make(&axis, &spec, (struct sst_extent){0}, 5);
    ck_assert_uint_eq(sst_axis_n_ticks(&axis), 3);
    ck_assert_double_eq_tol(sst_axis_tick(&axis, 1), 32, SHARE);
    ck_assert_str_eq(sst_axis_label(&axis, 1, buffer), "Feb");
    ck_assert_str_eq(sst_axis_label(&axis, 2, buffer), "");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("chart_axis");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, ticks_are_round_and_within_the_range, 0, (int)(sizeof ranges / sizeof ranges[0]));
    tcase_add_test(tc, no_number_gives_no_tick);
    tcase_add_test(tc, steps_are_one_two_or_five_times_a_power_of_ten);
    tcase_add_loop_test(tc, ranges_go_from_round_number_to_round_number, 0, (int)(sizeof axes / sizeof axes[0]));
    tcase_add_loop_test(tc, labels_are_as_short_as_they_can_be, 0, (int)(sizeof labels / sizeof labels[0]));
    tcase_add_test(tc, own_ticks_stand_where_and_how_they_are_given);
    suite_add_tcase(suite, tc);
    return suite;
}
