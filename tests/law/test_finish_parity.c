/* Finishing moments gives the same bits with one thread and with four, and those of the per-cell functions alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "kernels/cell_maxent.h"
#include "moments/maxent.h"
#include "random.h"
#include "test_main.h"

/* Several blocks, and a last one that is not full. */
enum { N_CELLS = 20011, N_PERCENTILES = 4, MIN_SAMPLES = 20 };

static const double percentiles[N_PERCENTILES] = {5, 10, 90, 95};
static const double z[N_PERCENTILES] = {-1.6448536269514722, -1.2815515655446004, 1.2815515655446004,
                                        1.6448536269514722};

struct planes {
    uint16_t n[N_CELLS];
    int32_t s1[N_CELLS];
    int64_t s2[N_CELLS], s3[N_CELLS], s4[N_CELLS];
};

struct finished {
    double mean[N_CELLS], quantile[N_PERCENTILES][N_CELLS];
    uint8_t guarded[N_CELLS];
    float sd[N_CELLS], skew[N_CELLS], kurt[N_CELLS];
};

static const float *tables[N_PERCENTILES];

static struct sst_moments_fit fit_of(enum sst_fit_kind kind)
{
    for (int q = 0; q < N_PERCENTILES; ++q)
        tables[q] = sst_maxent_table(percentiles[q]);
    const struct sst_moments_fit fit = {kind, N_PERCENTILES, z, tables, sst_maxent_v_limit()};
    return fit;
}

/* Pools from near normal to two-peaked, skew, constant, short and empty ones. */
static struct planes *make_planes(void)
{
    struct planes *planes = calloc(1, sizeof *planes);
    struct test_random random = {2024};
    for (int cell = 0; cell < N_CELLS; ++cell) {
        const int n = cell % 7 == 0 ? test_random_below(&random, 30) : 330;
        struct cell_moments sums = {0};
        for (int i = 0; i < n; ++i) {
            int x = 1500 + test_random_below(&random, 200) + test_random_below(&random, 200);
            x += cell % 3 == 0 && test_random_below(&random, 8) == 0 ? test_random_below(&random, 900) : 0;
            x += cell % 5 == 0 ? 700 * test_random_below(&random, 2) : 0;
            cell_moments_add(&sums, cell % 11 == 0 ? -180 : x);
        }
        planes->n[cell] = (uint16_t)sums.n;
        planes->s1[cell] = sums.s1;
        planes->s2[cell] = sums.s2;
        planes->s3[cell] = sums.s3;
        planes->s4[cell] = sums.s4;
    }
    return planes;
}

static struct finished *finish_with(struct planes *planes, enum sst_fit_kind kind, int n_threads, bool wants_shape)
{
    struct finished *finished = calloc(1, sizeof *finished);
    double *quantile[N_PERCENTILES];
    for (int q = 0; q < N_PERCENTILES; ++q)
        quantile[q] = finished->quantile[q];
    const struct sst_moments_view view = {planes->n, planes->s1, planes->s2, planes->s3, planes->s4};
    const struct sst_finish_out out = {.mean = finished->mean,
                                       .quantile = quantile,
                                       .guarded = finished->guarded,
                                       .shape = wants_shape
                                                    ? (struct sst_shape){finished->sd, finished->skew, finished->kurt}
                                                    : (struct sst_shape){NULL, NULL, NULL}};
    const struct sst_moments_fit fit = fit_of(kind);
    sst_backend_cpu_set_threads(n_threads);
    sst_backend_cpu()->moments_finish(view, &fit, MIN_SAMPLES, &out, N_CELLS);
    return finished;
}

static struct finished *finish(struct planes *planes, enum sst_fit_kind kind, int n_threads)
{
    return finish_with(planes, kind, n_threads, true);
}

static struct cell_shape shape_at(const struct planes *planes, int cell)
{
    const struct cell_moments sums = {planes->n[cell], planes->s1[cell], planes->s2[cell], planes->s3[cell],
                                      planes->s4[cell]};
    return cell_moments_shape(sums);
}

static const enum sst_fit_kind kinds[] = {SST_FIT_CF, SST_FIT_MAXENT};

START_TEST(one_and_four_threads_give_the_same_bits)
{
    struct planes *planes = make_planes();
    struct finished *one = finish(planes, kinds[_i], 1), *four = finish(planes, kinds[_i], 4);
    ck_assert_mem_eq(one, four, sizeof *one);
    planes->s3[N_CELLS - 1] += 1; /* a planted fault: one sum off by one in the last cell */
    struct finished *other = finish(planes, kinds[_i], 4);
    ck_assert_mem_ne(one, other, sizeof *one);
    free(one);
    free(four);
    free(other);
    free(planes);
}
END_TEST

START_TEST(maxent_is_the_cell_function_in_every_cell_and_guards_what_it_guards)
{
    struct planes *planes = make_planes();
    struct finished *got = finish(planes, SST_FIT_MAXENT, 2);
    int n_missing = 0, n_guarded = 0, n_constant = 0;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        if (planes->n[cell] < MIN_SAMPLES) {
            ck_assert(isnan(got->mean[cell]) && isnan(got->quantile[0][cell]) && got->guarded[cell] == 0);
            ++n_missing;
            continue;
        }
        const struct cell_shape shape = shape_at(planes, cell);
        const struct cell_maxent_place place = cell_maxent_place_of(shape, sst_maxent_v_limit());
        for (int q = 0; q < N_PERCENTILES; ++q)
            ck_assert_double_eq(got->quantile[q][cell],
                                cell_maxent_quantile(shape, place, sst_maxent_table(percentiles[q])) / 100.0);
        ck_assert_int_eq(got->guarded[cell], shape.sd > 0 && place.is_guarded);
        n_guarded += got->guarded[cell];
        n_constant += shape.sd == 0;
    }
    ck_assert_int_gt(n_missing, 100);
    ck_assert_int_gt(n_guarded, 100);
    ck_assert_int_gt(n_constant, 100);
    ck_assert_int_lt(n_guarded, N_CELLS / 2);
    free(got);
    free(planes);
}
END_TEST

START_TEST(shapes_are_those_of_the_cell_function_and_change_nothing_else)
{
    struct planes *planes = make_planes();
    struct finished *got = finish(planes, kinds[_i], 2), *plain = finish_with(planes, kinds[_i], 2, false);
    ck_assert_mem_eq(got, plain, offsetof(struct finished, sd));
    int n_missing = 0;
    for (int cell = 0; cell < N_CELLS; ++cell) {
        ck_assert(plain->sd[cell] == 0 && plain->skew[cell] == 0 && plain->kurt[cell] == 0); /* not touched */
        if (planes->n[cell] < MIN_SAMPLES) {
            ck_assert(isnan(got->sd[cell]) && isnan(got->skew[cell]) && isnan(got->kurt[cell]));
            ++n_missing;
            continue;
        }
        const struct cell_shape shape = shape_at(planes, cell);
        ck_assert_float_eq(got->sd[cell], (float)(shape.sd / 100.0));
        ck_assert_float_eq(got->skew[cell], (float)shape.skew);
        ck_assert_float_eq(got->kurt[cell], (float)shape.kurt);
    }
    ck_assert_int_gt(n_missing, 100);
    free(got);
    free(plain);
    free(planes);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("finish_parity");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, one_and_four_threads_give_the_same_bits, 0, (int)(sizeof kinds / sizeof kinds[0]));
    tcase_add_test(tc, maxent_is_the_cell_function_in_every_cell_and_guards_what_it_guards);
    tcase_add_loop_test(tc, shapes_are_those_of_the_cell_function_and_change_nothing_else, 0,
                        (int)(sizeof kinds / sizeof kinds[0]));
    suite_add_tcase(suite, tc);
    return suite;
}
