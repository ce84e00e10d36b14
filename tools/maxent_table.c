/*
 * Makes the tables behind kernels/cell_maxent.h in the build: maxent_table OUT.inc
 *
 * Of all densities on +-4.5 sd with mean 0, variance 1 and given skewness and kurtosis the one of greatest entropy is
 * exp(polynomial of degree 4). Its coefficients minimise a convex function (log of the integral, less coefficients times
 * moments), so damped Newton steps from the neighbour's solution always arrive. Polynomials are Legendre's, which keep
 * the equations well conditioned; integrals are Gauss-Legendre sums. Quantiles are rounded to a millionth of an sd, so
 * that the last bits of a machine's exp do not show.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_linalg.h>

#include "kernels/cell_maxent.h"

/* Spacing below 0.04 sd; the narrowest peak in the table has about that sd, for which the sum is good to 1e-10. */
enum { N_NODES = 400 };
enum { DEGREE = 4 };

/* A normal pool has 0.006 % beyond 4 sd, an exponential one 0.7 %. */
static const double LUMP_SD = 4.0;
/* More than this beyond LUMP_SD: guarded. */
static const double MOST_LUMP = 0.01;
/*
 * More than this beyond LUMP_SD on the side of the shorter tail, which real tails do not have: from there on the row is
 * continued with its last value. Left alone, percentiles would fall towards the mean as the lumps grow.
 */
static const double MOST_SHORT_LUMP = 0.005;

struct rule {
    double x[N_NODES]; /* -1..1 is the support */
    double weight[N_NODES];
    double basis[N_NODES][DEGREE];
};

/* A density: exp of the sum of coefficient k times Legendre polynomial k + 1, not normalised. */
struct density {
    double coefficient[DEGREE];
};

static void legendre(double x, double out[DEGREE])
{
    out[0] = x;
    out[1] = (3 * x * x - 1) / 2;
    out[2] = (5 * x * x - 3) * x / 2;
    out[3] = ((35 * x * x - 30) * x * x + 3) / 8;
}

static double exponent(const struct density *density, const double basis[DEGREE])
{
    double sum = 0;
    for (int k = 0; k < DEGREE; ++k)
        sum += density->coefficient[k] * basis[k];
    return sum;
}

static bool rule_make(struct rule *rule)
{
    gsl_integration_glfixed_table *nodes = gsl_integration_glfixed_table_alloc(N_NODES);
    if (!nodes)
        return false;
    for (size_t i = 0; i < N_NODES; ++i) {
        (void)gsl_integration_glfixed_point(-1, 1, i, &rule->x[i], &rule->weight[i], nodes);
        legendre(rule->x[i], rule->basis[i]);
    }
    gsl_integration_glfixed_table_free(nodes);
    return true;
}

/* Weight times density at every node, summing to 1; returns the logarithm of what it was divided by. */
static double probabilities(const struct rule *rule, const struct density *density, double out[N_NODES])
{
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < N_NODES; ++i) {
        out[i] = exponent(density, rule->basis[i]);
        most = fmax(most, out[i]);
    }
    for (int i = 0; i < N_NODES; ++i) {
        out[i] = rule->weight[i] * exp(out[i] - most);
        sum += out[i];
    }
    for (int i = 0; i < N_NODES; ++i)
        out[i] /= sum;
    return most + log(sum);
}

/* --- the problem of one shape ----------------------------------------------------------------------------------- */

/* Legendre moments of a shape on the support. */
static void wanted_moments(double skew, double v, double out[DEGREE])
{
    const double b = CELL_MAXENT_SUPPORT, m4 = v + skew * skew + 1;
    const double x2 = 1 / (b * b), x3 = skew / (b * b * b), x4 = m4 / (b * b * b * b);
    out[0] = 0;
    out[1] = (3 * x2 - 1) / 2;
    out[2] = 5 * x3 / 2;
    out[3] = (35 * x4 - 30 * x2 + 3) / 8;
}

static double objective(const struct rule *rule, const struct density *density, const double wanted[DEGREE])
{
    double p[N_NODES];
    return probabilities(rule, density, p) - exponent(density, wanted);
}

/* Newton's step and its decrement (twice what it promises to gain); false where the Hessian is not positive. */
static bool newton_step(const struct rule *rule, const struct density *density, const double wanted[DEGREE],
                        double step[DEGREE], double *decrement)
{
    double p[N_NODES], gradient[DEGREE] = {0}, hessian[DEGREE * DEGREE] = {0};
    (void)probabilities(rule, density, p);
    for (int i = 0; i < N_NODES; ++i)
        for (int k = 0; k < DEGREE; ++k)
            gradient[k] += p[i] * (rule->basis[i][k] - wanted[k]);
    for (int i = 0; i < N_NODES; ++i)
        for (int k = 0; k < DEGREE; ++k)
            for (int j = 0; j < DEGREE; ++j)
                hessian[k * DEGREE + j] += p[i] * (rule->basis[i][k] - wanted[k] - gradient[k]) *
                                           (rule->basis[i][j] - wanted[j] - gradient[j]);
    gsl_matrix_view matrix = gsl_matrix_view_array(hessian, DEGREE, DEGREE);
    const gsl_vector_view right = gsl_vector_view_array(gradient, DEGREE);
    gsl_vector_view solution = gsl_vector_view_array(step, DEGREE);
    if (gsl_linalg_cholesky_decomp1(&matrix.matrix) != GSL_SUCCESS)
        return false;
    (void)gsl_linalg_cholesky_solve(&matrix.matrix, &right.vector, &solution.vector);
    *decrement = 0;
    for (int k = 0; k < DEGREE; ++k)
        *decrement += gradient[k] * step[k];
    return isfinite(*decrement);
}

static struct density moved(const struct density *from, const double step[DEGREE], double share)
{
    struct density to = *from;
    for (int k = 0; k < DEGREE; ++k)
        to.coefficient[k] -= share * step[k];
    return to;
}

/* Solves for a shape from the density given, which need only be somewhere near; false if it does not arrive. */
static bool solve(const struct rule *rule, double skew, double v, struct density *density)
{
    enum { MOST_STEPS = 200 };
    const double quadratic = 1e-8, arrived = 1e-19, least_share = 1e-9, least_gain = 1e-4;
    double wanted[DEGREE], step[DEGREE], decrement = INFINITY;
    wanted_moments(skew, v, wanted);
    for (int i = 0; i < MOST_STEPS; ++i) {
        if (!newton_step(rule, density, wanted, step, &decrement))
            return false;
        double share = 1;
        if (decrement > quadratic) {
            /* Beyond the reach of plain Newton steps, but where the objective's own rounding does not yet matter. */
            const double before = objective(rule, density, wanted);
            struct density trial = moved(density, step, share);
            while (!(objective(rule, &trial, wanted) <= before - least_gain * share * decrement)) {
                share /= 2;
                if (share < least_share)
                    return false;
                trial = moved(density, step, share);
            }
        }
        *density = moved(density, step, share);
        if (decrement <= arrived)
            return true;
    }
    return false;
}

/* --- what is read from a density -------------------------------------------------------------------------------- */

/* Probability beyond LUMP_SD on the right (side 1) or left (-1). */
static double lump(const struct rule *rule, const struct density *density, int side)
{
    double p[N_NODES], sum = 0;
    (void)probabilities(rule, density, p);
    for (int i = 0; i < N_NODES; ++i)
        sum += side * rule->x[i] * CELL_MAXENT_SUPPORT > LUMP_SD ? p[i] : 0;
    return sum;
}

/* Density at x, and its integral from the left end to there; both to the scale of exp(-log_scale). */
static double integral_to(const struct rule *rule, const struct density *density, double log_scale, double x,
                          double *at)
{
    double basis[DEGREE], sum = 0;
    for (int i = 0; i < N_NODES; ++i) {
        legendre(-1 + (x + 1) * (rule->x[i] + 1) / 2, basis);
        sum += rule->weight[i] * exp(exponent(density, basis) - log_scale);
    }
    legendre(x, basis);
    *at = exp(exponent(density, basis) - log_scale);
    return sum * (x + 1) / 2;
}

/* Quantile in sd: Newton steps, halving the bracket where they would leave it. */
static double quantile(const struct rule *rule, const struct density *density, double p)
{
    enum { MOST_STEPS = 60 };
    const double close_enough = 1e-10;
    double nodes[N_NODES], low = -1, high = 1, x = 0;
    const double log_scale = probabilities(rule, density, nodes);
    for (int i = 0; i < MOST_STEPS && high - low > close_enough; ++i) {
        double at = 0;
        const double excess = integral_to(rule, density, log_scale, x, &at) - p;
        if (excess < 0)
            low = x;
        else
            high = x;
        const double next = x - excess / at;
        if (fabs(next - x) < close_enough)
            break;
        x = next > low && next < high ? next : (low + high) / 2;
    }
    return x * CELL_MAXENT_SUPPORT;
}

/* --- the tables ------------------------------------------------------------------------------------------------- */

enum { N_HALF = CELL_MAXENT_N_SKEW / 2 + 1, N_PERCENTILES = 4 };

static const double probability[N_PERCENTILES] = {
#define X(percent) (percent) / 100.0,
    CELL_MAXENT_PERCENTILES(X)
#undef X
};

/* Rows of skewness 0 and more; the others are their mirror images. */
struct half {
    double v_limit[N_HALF];
    double quantile[N_PERCENTILES][N_HALF][CELL_MAXENT_N_U];
};

static double skew_of(int row) { return CELL_MAXENT_MAX_SKEW * row / (N_HALF - 1); }

static double v_of(int col)
{
    const double least = cell_maxent_u(CELL_MAXENT_MIN_V), most = cell_maxent_u(CELL_MAXENT_MAX_V);
    const double u = least + (most - least) * col / (CELL_MAXENT_N_U - 1);
    return CELL_MAXENT_HALF * u / (1 - u);
}

/* The density of a shape, in a walk of short steps of v from one that is known. */
static bool walk(const struct rule *rule, double skew, double from_v, double to_v, struct density *density)
{
    const double longest = 0.25;
    const int n = 1 + (int)(fabs(to_v - from_v) / longest);
    for (int i = 1; i <= n; ++i)
        if (!solve(rule, skew, from_v + (to_v - from_v) * i / n, density))
            return false;
    return true;
}

/* The most v at which the lump (of the shorter tail alone, or of both) is within bounds, and the density there. */
static bool find_limit(const struct rule *rule, double skew, bool is_short_tail, double *limit, struct density *density)
{
    enum { N_HALVINGS = 30 };
    const double most = is_short_tail ? MOST_SHORT_LUMP : MOST_LUMP;
    double low = CELL_MAXENT_MIN_V, high = CELL_MAXENT_MAX_V, at = low;
    if (!walk(rule, skew, 2, low, density))
        return false;
    for (int i = 0; i < N_HALVINGS; ++i) {
        const double middle = (low + high) / 2;
        if (!walk(rule, skew, at, middle, density))
            return false;
        at = middle;
        const double beyond = lump(rule, density, -1) + (is_short_tail ? 0 : lump(rule, density, 1));
        if (beyond <= most)
            low = middle;
        else
            high = middle;
    }
    *limit = low;
    return walk(rule, skew, at, low, density);
}

static void put(const struct rule *rule, const struct density *density, struct half *half, int row, int col)
{
    for (int q = 0; q < N_PERCENTILES; ++q)
        half->quantile[q][row][col] = quantile(rule, density, probability[q]);
    for (int q = 0; q < N_PERCENTILES && row == 0; ++q) {
        const double other = half->quantile[N_PERCENTILES - 1 - q][row][col];
        half->quantile[q][row][col] = (half->quantile[q][row][col] - other) / 2;
        half->quantile[N_PERCENTILES - 1 - q][row][col] = -half->quantile[q][row][col];
    }
}

/* One row from `normal`, its density at v = 2. */
static bool fill_row(const struct rule *rule, int row, const struct density *normal, struct half *half)
{
    const double skew = skew_of(row);
    struct density last = *normal, density = *normal;
    double end = 0, at = 2;
    if (!find_limit(rule, skew, false, &half->v_limit[row], &density))
        return false;
    density = *normal;
    if (!find_limit(rule, skew, true, &end, &last))
        return false;
    for (int col = 0; col < CELL_MAXENT_N_U; ++col) {
        if (v_of(col) >= end) {
            put(rule, &last, half, row, col);
            continue;
        }
        if (!walk(rule, skew, at, v_of(col), &density))
            return false;
        at = v_of(col);
        put(rule, &density, half, row, col);
    }
    return true;
}

static bool fill(const struct rule *rule, struct half *half)
{
    struct density normal = {{0}};
    for (int row = 0; row < N_HALF; ++row) {
        if (!solve(rule, skew_of(row), 2, &normal) || !fill_row(rule, row, &normal, half)) {
            (void)fprintf(stderr, "maxent_table: no solution in the row of skewness %g\n", skew_of(row));
            return false;
        }
    }
    return true;
}

static void print_row(FILE *out, const double *values, double sign, int n)
{
    for (int i = 0; i < n; ++i)
        (void)fprintf(out, "%.6ff,%c", sign * values[i], i % 12 == 11 || i == n - 1 ? '\n' : ' ');
}

static void print(FILE *out, const struct half *half)
{
    (void)fprintf(out, "/* Made by tools/maxent_table.c; rows of skewness -%g to %g, columns of v %g to %g. */\n",
                  CELL_MAXENT_MAX_SKEW, CELL_MAXENT_MAX_SKEW, CELL_MAXENT_MIN_V, CELL_MAXENT_MAX_V);
    (void)fprintf(out, "static const float v_limit[CELL_MAXENT_N_SKEW] = {\n");
    for (int row = -(N_HALF - 1); row < N_HALF; ++row)
        print_row(out, &half->v_limit[abs(row)], 1, 1);
    (void)fprintf(out, "};\n");
    for (int q = 0; q < N_PERCENTILES; ++q) {
        (void)fprintf(out, "static const float table_%g[CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U] = {\n",
                      100 * probability[q]);
        for (int row = -(N_HALF - 1); row < N_HALF; ++row)
            print_row(out, half->quantile[row < 0 ? N_PERCENTILES - 1 - q : q][abs(row)], row < 0 ? -1 : 1,
                      CELL_MAXENT_N_U);
        (void)fprintf(out, "};\n");
    }
}

int main(int argc, char **argv)
{
    struct rule rule;
    struct half half;
    if (argc != 2) {
        (void)fprintf(stderr, "usage: maxent_table OUT.inc\n");
        return EXIT_FAILURE;
    }
    (void)gsl_set_error_handler_off();
    if (!rule_make(&rule) || !fill(&rule, &half))
        return EXIT_FAILURE;
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    print(out, &half);
    const bool is_written = !ferror(out);
    if (fclose(out) != 0 || !is_written) {
        (void)fprintf(stderr, "%s: not written in full\n", argv[1]);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
