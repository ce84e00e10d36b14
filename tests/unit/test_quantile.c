/*
 * Hyndman-Fan types 1 to 9 against numpy 1.24 (np.quantile, methods inverted_cdf ... normal_unbiased); type 3 against
 * the paper's rule (ties go to the even order statistic), which numpy follows only from version 2.
 */
#include <math.h>

#include "exact/quantile.h"
#include "test_main.h"

/* Another order of operations than numpy's may differ in the last bit; type 7 must not. [degC] */
static const double ROUNDING = 1e-12;

static const double seven[] = {-0.43, 1.47, 4.51, 6.44, 18.45, 26.08, 28.44};
static const double ten[] = {-0.67, 2.15, 3.75, 7.41, 9.76, 13.27, 14.87, 19.81, 22.26, 23.76};

static const struct {
    const double *sample;
    size_t n;
    double p;
    double by_type[9];
} cases[] = {
    {seven,
     7,
     0.1,
     {-0.43, -0.43, -0.43, -0.43, -0.049999999999999656, -0.43, 0.7100000000000002, -0.30333333333333334,
      -0.23999999999999982}},
    {seven, 7, 0.5, {6.44, 6.44, 6.44, 5.475, 6.44, 6.44, 6.44, 6.44, 6.44}},
    {seven, 7, 0.9, {28.44, 28.44, 26.08, 26.788, 27.968, 28.44, 27.024, 28.282666666666668, 28.204}},
    {seven, 7, 0.95, {28.44, 28.44, 28.44, 27.613999999999997, 28.44, 28.44, 27.732, 28.44, 28.44}},
    {ten, 10, 0.05, {-0.67, -0.67, -0.67, -0.67, -0.67, -0.67, 0.5989999999999999, -0.67, -0.67}},
    {ten,
     10,
     0.1,
     {-0.67, 0.74, -0.67, -0.67, 0.74, -0.3879999999999998, 1.8679999999999999, 0.364, 0.45799999999999963}},
    {ten, 10, 0.5, {9.76, 11.515, 9.76, 9.76, 11.515, 11.515, 11.515, 11.515, 11.515}},
    {ten, 10, 0.9, {22.26, 23.01, 22.26, 22.26, 23.01, 23.610000000000003, 22.41, 23.21, 23.16}},
    {ten, 10, 0.95, {23.76, 23.76, 23.76, 23.01, 23.76, 23.76, 23.085, 23.76, 23.76}},
    {ten, 2, 0.9, {2.15, 2.15, 2.15, 1.5860000000000003, 2.15, 2.15, 1.868, 2.15, 2.15}},
    {ten, 1, 0.9, {-0.67, -0.67, -0.67, -0.67, -0.67, -0.67, -0.67, -0.67, -0.67}},
};

START_TEST(every_type_gives_the_published_value)
{
    for (int type = 1; type <= 9; ++type) {
        const double got = sst_quantile_sorted(cases[_i].sample, cases[_i].n, cases[_i].p, type);
        ck_assert_msg(fabs(got - cases[_i].by_type[type - 1]) < ROUNDING, "case %d type %d: %.17g, not %.17g", _i, type,
                      got, cases[_i].by_type[type - 1]);
    }
}
END_TEST

START_TEST(type_7_is_numpys_to_the_bit)
{
    ck_assert(sst_quantile_sorted(seven, 7, 0.1, 7) == 0.7100000000000002);
    ck_assert(sst_quantile_sorted(ten, 10, 0.05, 7) == 0.5989999999999999);
    ck_assert(sst_quantile_sorted(ten, 10, 0.1, 7) == 1.8679999999999999);
}
END_TEST

START_TEST(whole_ranks_are_not_missed_by_rounding)
{
    /* 0.7 * 10 and 0.29 * 100 are not whole in double, but the 7th and 29th of type 1 are meant. */
    double hundred[100];
    for (int i = 0; i < 100; ++i)
        hundred[i] = i + 1;
    ck_assert(sst_quantile_sorted(hundred, 10, 0.7, 1) == 7.0);
    ck_assert(sst_quantile_sorted(hundred, 100, 0.29, 1) == 29.0);
    ck_assert(sst_quantile_sorted(hundred, 100, 0.29, 2) == 29.5);
}
END_TEST

START_TEST(no_values_give_nan) { ck_assert(isnan(sst_quantile_sorted(seven, 0, 0.9, 7))); }
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("quantile");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, every_type_gives_the_published_value, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tc, type_7_is_numpys_to_the_bit);
    tcase_add_test(tc, whole_ranks_are_not_missed_by_rounding);
    tcase_add_test(tc, no_values_give_nan);
    suite_add_tcase(suite, tc);
    return suite;
}
