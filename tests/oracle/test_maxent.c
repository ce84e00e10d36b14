/*
 * The maximum-entropy tables against a direct solution of each problem, by another way than that of the program that made
 * them: Powell's hybrid method on monomials, Simpson sums, a walk from the normal distribution, and a CDF by summation.
 * ctest-labels: figures
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multiroots.h>
#include <gsl/gsl_vector.h>
#include <math.h>

#include "kernels/cell_maxent.h"
#include "moments/maxent.h"
#include "random.h"
#include "test_main.h"

/* Interpolated quantiles hold the probability they are for to this... */
static const double MOST_PROBABILITY = 0.006;
/* ...and where the density is not nearly 0, so that a quantile is well determined, are right to this share of an sd. */
static const double MOST_SD = 0.003, LEAST_DENSITY = 0.1;

enum { N_INTERVALS = 4000, DEGREE = 4, N_SHAPES = 150, N_PERCENTILES = 4 };
static const double percentiles[N_PERCENTILES] = {5, 10, 90, 95};

/* A density on the support, as values at equally spaced points with their Simpson weights; sums to 1. */
struct density {
    double x[N_INTERVALS + 1], share[N_INTERVALS + 1], height[N_INTERVALS + 1];
};

struct target {
    double moment[DEGREE];
};

static void density_of(const gsl_vector *lambda, struct density *out)
{
    double most = -INFINITY, sum = 0;
    const double h = 2 * CELL_MAXENT_SUPPORT / N_INTERVALS;
    for (int i = 0; i <= N_INTERVALS; ++i) {
        const double x = -CELL_MAXENT_SUPPORT + h * i;
        out->x[i] = x;
        out->height[i] = 0;
        for (int k = DEGREE; k > 0; --k)
            out->height[i] = (out->height[i] + gsl_vector_get(lambda, (size_t)k - 1)) * x;
        most = fmax(most, out->height[i]);
    }
    for (int i = 0; i <= N_INTERVALS; ++i) {
        const double simpson = i == 0 || i == N_INTERVALS ? 1 : i % 2 ? 4 : 2;
        out->height[i] = exp(out->height[i] - most);
        out->share[i] = out->height[i] * simpson * h / 3;
        sum += out->share[i];
    }
    for (int i = 0; i <= N_INTERVALS; ++i) {
        out->height[i] /= sum;
        out->share[i] /= sum;
    }
}

static int moments_off(const gsl_vector *lambda, void *params, gsl_vector *off, gsl_matrix *jacobian)
{
    const struct target *target = params;
    struct density density;
    double moment[2 * DEGREE + 1] = {0};
    density_of(lambda, &density);
    for (int i = 0; i <= N_INTERVALS; ++i) {
        double power = density.share[i];
        for (int k = 0; k <= 2 * DEGREE; ++k, power *= density.x[i])
            moment[k] += power;
    }
    for (size_t k = 0; k < DEGREE; ++k) {
        if (off)
            gsl_vector_set(off, k, moment[k + 1] - target->moment[k]);
        for (size_t j = 0; j < DEGREE && jacobian; ++j)
            gsl_matrix_set(jacobian, k, j, moment[k + j + 2] - moment[k + 1] * moment[j + 1]);
    }
    return GSL_SUCCESS;
}

static int only_value(const gsl_vector *x, void *params, gsl_vector *f) { return moments_off(x, params, f, NULL); }
static int only_slope(const gsl_vector *x, void *params, gsl_matrix *j) { return moments_off(x, params, NULL, j); }

/* Improves lambda for a shape; false and untouched where it does not arrive. */
static bool solve_near(double skew, double v, gsl_vector *lambda)
{
    struct target target = {{0, 1, skew, v + skew * skew + 1}};
    gsl_multiroot_function_fdf problem = {only_value, only_slope, moments_off, DEGREE, &target};
    gsl_multiroot_fdfsolver *solver = gsl_multiroot_fdfsolver_alloc(gsl_multiroot_fdfsolver_hybridsj, DEGREE);
    int status = gsl_multiroot_fdfsolver_set(solver, &problem, lambda);
    bool is_solved = false;
    for (int i = 0; i < 100 && status == GSL_SUCCESS && !is_solved; ++i) {
        status = gsl_multiroot_fdfsolver_iterate(solver);
        is_solved = gsl_multiroot_test_residual(solver->f, 1e-9) == GSL_SUCCESS;
    }
    if (is_solved)
        gsl_vector_memcpy(lambda, solver->x);
    gsl_multiroot_fdfsolver_free(solver);
    return is_solved;
}

/* Walks from the normal distribution to a shape, in steps as long as the solver bears. */
static void solve(double skew, double v, struct density *out)
{
    gsl_vector *lambda = gsl_vector_calloc(DEGREE);
    gsl_vector_set(lambda, 1, -0.5);
    double done = 0, step = 0.1;
    while (done < 1) {
        const double next = fmin(1, done + step);
        if (solve_near(next * skew, 2 + next * (v - 2), lambda)) {
            done = next;
            step *= 1.5;
        } else {
            step /= 2;
            ck_assert_msg(step > 1e-5, "no way to skew %g v %g", skew, v);
        }
    }
    density_of(lambda, out);
    gsl_vector_free(lambda);
}

/* Probability below x and density there, by the trapezium rule. */
static double probability_below(const struct density *density, double x, double *at)
{
    const double h = density->x[1] - density->x[0];
    const double place = fmin(fmax((x + CELL_MAXENT_SUPPORT) / h, 0), N_INTERVALS - 1e-9);
    const int last = (int)place;
    double sum = 0;
    for (int i = 0; i < last; ++i)
        sum += (density->height[i] + density->height[i + 1]) / 2 * h;
    const double g = place - last;
    *at = density->height[last] * (1 - g) + density->height[last + 1] * g;
    return sum + (density->height[last] + *at) / 2 * g * h;
}

static double quantile(const struct density *density, double p)
{
    double low = -CELL_MAXENT_SUPPORT, high = CELL_MAXENT_SUPPORT, at = 0;
    while (high - low > 1e-9) {
        const double middle = (low + high) / 2;
        if (probability_below(density, middle, &at) < p)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static struct cell_shape shape_of(double skew, double v)
{
    const struct cell_shape shape = {0, 1, skew, v + skew * skew - 2};
    return shape;
}

static double looked_up(double skew, double v, const float *table)
{
    const struct cell_shape shape = shape_of(skew, v);
    return cell_maxent_quantile(shape, cell_maxent_place_of(shape, sst_maxent_v_limit()), table);
}

/* A shape inside the part of the table that is not guarded. */
static struct cell_shape draw_shape(struct test_random *random)
{
    for (;;) {
        const double skew = -3.5 + 7.0 * test_random_below(random, 1000001) / 1e6;
        const double u = test_random_below(random, 1000001) / 1e6;
        const struct cell_shape shape = shape_of(skew, u / (1.000001 - u));
        if (!cell_maxent_place_of(shape, sst_maxent_v_limit()).is_guarded)
            return shape;
    }
}

struct worst {
    double probability, sd;
    int n_sd;
};

/* The largest differences of a table from direct solutions at n random shapes. */
static struct worst compare(double percentile, const float *table, int n, uint64_t seed)
{
    struct test_random random = {seed};
    struct worst worst = {0, 0, 0};
    for (int i = 0; i < n; ++i) {
        struct density density;
        const struct cell_shape shape = draw_shape(&random);
        const double v = shape.kurt - shape.skew * shape.skew + 2;
        solve(shape.skew, v, &density);
        const double got = looked_up(shape.skew, v, table);
        double at = 0, at_right = 0;
        const double off = fabs(probability_below(&density, got, &at) - percentile / 100);
        worst.probability = fmax(worst.probability, off);
        const double right = quantile(&density, percentile / 100);
        (void)probability_below(&density, right, &at_right);
        if (fmin(at, at_right) < LEAST_DENSITY)
            continue;
        worst.sd = fmax(worst.sd, fabs(got - right));
        ++worst.n_sd;
    }
    return worst;
}

START_TEST(tables_match_the_direct_solution_at_random_shapes)
{
    const struct worst worst = compare(percentiles[_i], sst_maxent_table(percentiles[_i]), N_SHAPES, 41 + (uint64_t)_i);
    printf("P%g: at most %.2g in probability; %.2g sd at the %d of %d shapes with a density of %g or more\n",
           percentiles[_i], worst.probability, worst.sd, worst.n_sd, N_SHAPES, LEAST_DENSITY);
    ck_assert_double_le(worst.probability, MOST_PROBABILITY);
    ck_assert_double_le(worst.sd, MOST_SD);
    ck_assert_int_gt(worst.n_sd, N_SHAPES / 2);
}
END_TEST

START_TEST(a_table_shifted_by_one_column_or_row_is_seen)
{
    const struct worst column = compare(90, sst_maxent_table(90) + 1, 20, 7);
    ck_assert_double_gt(column.probability, MOST_PROBABILITY);
    ck_assert_double_gt(column.sd, MOST_SD);
    static float shifted[CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U];
    for (int i = CELL_MAXENT_N_U; i < CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U; ++i)
        shifted[i] = sst_maxent_table(90)[i - CELL_MAXENT_N_U];
    ck_assert_double_gt(compare(90, shifted, 20, 7).sd, MOST_SD);
}
END_TEST

START_TEST(mesokurtic_symmetric_pools_have_normal_quantiles)
{
    /* The support cuts 7e-6 of the normal distribution off. */
    ck_assert_double_eq_tol(looked_up(0, 2, sst_maxent_table(90)), 1.2815515655446004, 5e-4);
    ck_assert_double_eq_tol(looked_up(0, 2, sst_maxent_table(95)), 1.6448536269514722, 5e-4);
    ck_assert_double_eq_tol(looked_up(0, 2, sst_maxent_table(10)), -1.2815515655446004, 5e-4);
    ck_assert_double_eq_tol(looked_up(0, 2, sst_maxent_table(5)), -1.6448536269514722, 5e-4);
}
END_TEST

START_TEST(the_density_exp_of_minus_x4_is_its_own_maximum_of_entropy)
{
    /* Variance G(3/4)/G(1/4) and kurtosis G(5/4)G(1/4)/G(3/4)^2 - 3 of exp(-x^4). */
    const double sd = sqrt(tgamma(0.75) / tgamma(0.25));
    const double kurt = tgamma(1.25) * tgamma(0.25) / (tgamma(0.75) * tgamma(0.75)) - 3;
    double low = 0, high = 4;
    while (high - low > 1e-12) {
        const double middle = (low + high) / 2;
        if (gsl_cdf_exppow_P(middle, 1, 4) < 0.9)
            low = middle;
        else
            high = middle;
    }
    ck_assert_double_eq_tol(kurt, -0.8115, 1e-4);
    ck_assert_double_eq_tol(looked_up(0, kurt + 2, sst_maxent_table(90)), low / sd, 1e-3);
}
END_TEST

START_TEST(flat_and_heavy_pools_come_near_the_uniform_and_the_logistic)
{
    /* Neither is a maximum of entropy on this support; a normal quantile would be off by 0.104 and 0.070. */
    ck_assert_double_eq_tol(looked_up(0, 2 - 1.2, sst_maxent_table(90)), 0.8 * sqrt(3), 0.07);
    ck_assert_double_eq_tol(looked_up(0, 2 + 1.2, sst_maxent_table(90)), log(9) * sqrt(3) / M_PI, 0.005);
}
END_TEST

START_TEST(low_percentiles_mirror_high_ones)
{
    struct test_random random = {3};
    for (int i = 0; i < 2000; ++i) {
        const struct cell_shape shape = draw_shape(&random);
        const double v = shape.kurt - shape.skew * shape.skew + 2;
        ck_assert_double_eq_tol(looked_up(shape.skew, v, sst_maxent_table(10)),
                                -looked_up(-shape.skew, v, sst_maxent_table(90)), 1e-12);
        ck_assert_double_eq_tol(looked_up(shape.skew, v, sst_maxent_table(5)),
                                -looked_up(-shape.skew, v, sst_maxent_table(95)), 1e-12);
    }
}
END_TEST

START_TEST(quantiles_rise_with_the_percentile_everywhere)
{
    for (double skew = -4; skew <= 4; skew += 0.03) {
        for (double u = 0; u < 0.95; u += 0.01) {
            double before = -CELL_MAXENT_SUPPORT;
            for (int q = 0; q < N_PERCENTILES; ++q) {
                const double value = looked_up(skew, u / (1 - u), sst_maxent_table(percentiles[q]));
                ck_assert_double_gt(value, before);
                before = value;
            }
            ck_assert_double_lt(before, CELL_MAXENT_SUPPORT);
        }
    }
}
END_TEST

static bool is_guarded(double skew, double v)
{
    return cell_maxent_place_of(shape_of(skew, v), sst_maxent_v_limit()).is_guarded;
}

START_TEST(outside_the_table_its_edge_is_given_and_guarded)
{
    const float *table = sst_maxent_table(90);
    const float last = table[CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U - 1];
    ck_assert_double_eq(looked_up(9, 50, table), (double)last);
    ck_assert_double_eq(looked_up(0, 0, table), looked_up(0, CELL_MAXENT_MIN_V, table));
    ck_assert_double_eq(looked_up(-7, 1, table), looked_up(-CELL_MAXENT_MAX_SKEW, 1, table));
    ck_assert(is_guarded(9, 50) && is_guarded(0, 0) && is_guarded(-7, 1) && is_guarded(3.6, 0.2));
    ck_assert(is_guarded(0, 5.5) && is_guarded(0, 200) && is_guarded(1, 4.4) && is_guarded(0, -1e-9));
    ck_assert(!is_guarded(0, 2) && !is_guarded(0, 5.2) && !is_guarded(-2, 2.8) && !is_guarded(1, 0.3));
    const struct cell_shape huge = {0, 1, 40, 1e9}, none = {0, 1, NAN, NAN};
    ck_assert(isfinite(cell_maxent_quantile(huge, cell_maxent_place_of(huge, sst_maxent_v_limit()), table)));
    ck_assert_int_eq(cell_maxent_place_of(none, sst_maxent_v_limit()).is_guarded, 1);
}
END_TEST

START_TEST(without_variance_the_mean_is_given_and_units_are_hundredths)
{
    const struct cell_shape flat = {-180, 0, 0, 0}, wide = {2000, 150, 0, 0};
    const float *table = sst_maxent_table(90);
    ck_assert_double_eq(cell_maxent_quantile(flat, cell_maxent_place_of(flat, sst_maxent_v_limit()), table), -180);
    ck_assert_double_eq_tol(cell_maxent_quantile(wide, cell_maxent_place_of(wide, sst_maxent_v_limit()), table),
                            2000 + 150 * 1.28155, 0.1);
}
END_TEST

START_TEST(only_four_percentiles_have_a_table)
{
    ck_assert_ptr_null(sst_maxent_table(50));
    ck_assert_ptr_null(sst_maxent_table(90.5));
    ck_assert_ptr_null(sst_maxent_table(NAN));
    ck_assert_str_eq(sst_maxent_percentiles(), "5, 10, 90, 95");
}
END_TEST

Suite *test_suite(void)
{
    (void)gsl_set_error_handler_off();
    Suite *suite = suite_create("maxent");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, tables_match_the_direct_solution_at_random_shapes, 0, N_PERCENTILES);
    tcase_add_test(tc, a_table_shifted_by_one_column_or_row_is_seen);
    tcase_add_test(tc, mesokurtic_symmetric_pools_have_normal_quantiles);
    tcase_add_test(tc, the_density_exp_of_minus_x4_is_its_own_maximum_of_entropy);
    tcase_add_test(tc, flat_and_heavy_pools_come_near_the_uniform_and_the_logistic);
    tcase_add_test(tc, low_percentiles_mirror_high_ones);
    tcase_add_test(tc, quantiles_rise_with_the_percentile_everywhere);
    tcase_add_test(tc, outside_the_table_its_edge_is_given_and_guarded);
    tcase_add_test(tc, without_variance_the_mean_is_given_and_units_are_hundredths);
    tcase_add_test(tc, only_four_percentiles_have_a_table);
    suite_add_tcase(suite, tc);
    return suite;
}
