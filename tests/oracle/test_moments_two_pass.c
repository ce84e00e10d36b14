/* The integer moments against a plain two-pass computation in long double, at the values that break others. */
#include <math.h>

#include "kernels/cell_moments.h"
#include "random.h"
#include "test_main.h"

enum { MAX_N = 2048 };

/* Shapes agree to this share: what doubles leave after the exact shift. */
static const double TOLERANCE = 1e-11;

struct plain {
    long double mean, sd, skew, kurt;
};

static struct plain two_pass(const int *x, int n)
{
    struct plain out = {0};
    for (int i = 0; i < n; ++i)
        out.mean += x[i];
    out.mean /= n;
    long double m2 = 0, m3 = 0, m4 = 0;
    for (int i = 0; i < n; ++i) {
        const long double d = x[i] - out.mean;
        m2 += d * d;
        m3 += d * d * d;
        m4 += d * d * d * d;
    }
    m2 /= n;
    m3 /= n;
    m4 /= n;
    out.sd = sqrtl(m2);
    out.skew = m2 > 0 ? m3 / (m2 * out.sd) : 0;
    out.kurt = m2 > 0 ? m4 / (m2 * m2) - 3 : 0;
    return out;
}

static struct cell_moments sums_of(const int *x, int n)
{
    struct cell_moments sums = {0};
    for (int i = 0; i < n; ++i)
        cell_moments_add(&sums, x[i]);
    return sums;
}

static void assert_agree(const int *x, int n)
{
    const struct plain want = two_pass(x, n);
    const struct cell_shape got = cell_moments_shape(sums_of(x, n));
    ck_assert_double_eq_tol(got.mean, (double)want.mean, TOLERANCE * (1 + fabs((double)want.mean)));
    ck_assert_double_eq_tol(got.sd, (double)want.sd, TOLERANCE * (1 + (double)want.sd));
    ck_assert_double_eq_tol(got.skew, (double)want.skew, 1e-9 * (1 + fabs((double)want.skew)));
    ck_assert_double_eq_tol(got.kurt, (double)want.kurt, 1e-9 * (1 + fabs((double)want.kurt)));
}

/* kinds of pools: mid-latitude, freezing floor, hot, two-peaked, the widest range allowed, one odd value */
static int draw(struct test_random *random, int kind)
{
    switch (kind) {
    case 0:
        return 1500 + test_random_below(random, 200) + test_random_below(random, 200);
    case 1:
        return -180 + test_random_below(random, 3) * test_random_below(random, 2);
    case 2:
        return 3390 + test_random_below(random, 20);
    case 3:
        return test_random_below(random, 2) ? 800 + test_random_below(random, 30)
                                            : 1900 + test_random_below(random, 30);
    case 4:
        return test_random_below(random, 2 * 8191 + 1) - 8191;
    default:
        return test_random_below(random, 300) == 0 ? -179 : -180;
    }
}

START_TEST(moments_match_two_passes)
{
    struct test_random random = {(uint64_t)_i + 1};
    int x[MAX_N];
    const int sizes[] = {1, 2, 5, 330, MAX_N};
    for (int kind = 0; kind < 6; ++kind) {
        for (int s = 0; s < 5; ++s) {
            for (int i = 0; i < sizes[s]; ++i)
                x[i] = draw(&random, kind);
            assert_agree(x, sizes[s]);
        }
    }
}
END_TEST

START_TEST(the_fullest_pool_at_the_edge_of_the_range_does_not_wrap)
{
    int x[MAX_N];
    for (int i = 0; i < MAX_N; ++i)
        x[i] = i % 2 ? 8191 : -8191;
    const struct cell_moments sums = sums_of(x, MAX_N);
    ck_assert_int_gt(sums.s4, 0);
    const struct cell_shape shape = cell_moments_shape(sums);
    ck_assert_double_eq(shape.mean, 0.0);
    ck_assert_double_eq(shape.sd, 8191.0);
    ck_assert_double_eq_tol(shape.kurt, -2.0, 1e-12);
}
END_TEST

START_TEST(shifted_fourth_moment_beyond_63_bits_is_read_as_unsigned)
{
    /* nearly all at one end: the rounded mean is there too, and the far value is 16382 away: 16382^4 > 2^55, times 300 */
    int x[MAX_N];
    for (int i = 0; i < MAX_N; ++i)
        x[i] = i < MAX_N - 300 ? 8191 : -8191;
    assert_agree(x, MAX_N);
}
END_TEST

START_TEST(no_variance_gives_the_mean_exactly)
{
    int x[330];
    for (int i = 0; i < 330; ++i)
        x[i] = -180;
    const struct cell_shape shape = cell_moments_shape(sums_of(x, 330));
    ck_assert(shape.sd == 0.0);
    ck_assert(cell_cf_quantile(shape, 1.2815515655446004) == -180.0);
    ck_assert_int_eq(cell_cf_is_guarded(shape), 0);
}
END_TEST

START_TEST(kurtosis_is_excess_and_never_below_the_boundary)
{
    struct test_random random = {77};
    for (int round = 0; round < 500; ++round) {
        int x[64];
        const int n = 2 + test_random_below(&random, 62);
        for (int i = 0; i < n; ++i)
            x[i] = draw(&random, round % 6);
        const struct cell_shape shape = cell_moments_shape(sums_of(x, n));
        if (shape.sd > 0)
            ck_assert_double_ge(shape.kurt - shape.skew * shape.skew + 2.0, -1e-9);
    }
}
END_TEST

START_TEST(the_formula_gives_a_known_value)
{
    /* z + (z^2-1) sk/6 + (z^3-3z) ku/24 - (2z^3-5z) sk^2/36 for sk = 0.5, ku = -0.3, z = Phi^-1(0.9) is 1.3720962652131294 */
    const struct cell_shape shape = {2000.0, 100.0, 0.5, -0.3};
    const double z = 1.2815515655446004;
    ck_assert_double_eq_tol(cell_cf_quantile(shape, z), 2000.0 + 100.0 * 1.3720962652131294, 1e-10);
}
END_TEST

START_TEST(two_peaked_pools_are_guarded_and_normal_ones_are_not)
{
    int x[330];
    for (int i = 0; i < 330; ++i)
        x[i] = i % 2 ? 900 : 1900;
    ck_assert_int_eq(cell_cf_is_guarded(cell_moments_shape(sums_of(x, 330))), 1);
    struct test_random random = {5};
    for (int i = 0; i < 330; ++i) {
        x[i] = 1500;
        for (int k = 0; k < 12; ++k)
            x[i] += test_random_below(&random, 41) - 20;
    }
    ck_assert_int_eq(cell_cf_is_guarded(cell_moments_shape(sums_of(x, 330))), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("moments");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, moments_match_two_passes, 0, 20);
    tcase_add_test(tc, the_fullest_pool_at_the_edge_of_the_range_does_not_wrap);
    tcase_add_test(tc, shifted_fourth_moment_beyond_63_bits_is_read_as_unsigned);
    tcase_add_test(tc, no_variance_gives_the_mean_exactly);
    tcase_add_test(tc, kurtosis_is_excess_and_never_below_the_boundary);
    tcase_add_test(tc, the_formula_gives_a_known_value);
    tcase_add_test(tc, two_peaked_pools_are_guarded_and_normal_ones_are_not);
    suite_add_tcase(suite, tc);
    return suite;
}
