/*
 * Counting selection over tiles against sorting, cell by cell, with gaps, ties, all-missing cells and every type.
 * ctest-labels: threads
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "core/mem.h"
#include "exact/quantile.h"
#include "kept_fixture.h"
#include "random.h"
#include "test_main.h"

/* A sum of doubles against a sum of integers. [degC] */
static const double MEAN_TOLERANCE = 1e-9;

enum { MAX_CELLS = 200, MAX_MEMBERS = 400 };

struct pool {
    int16_t values[MAX_MEMBERS][MAX_CELLS];
    const int16_t *members[MAX_MEMBERS];
    size_t n_members, n_cells;
};

/* Cells differ in kind: dense, gappy, tied, constant, empty, the ends of the code range. */
static int16_t draw(struct test_random *random, size_t cell)
{
    switch (cell % 7) {
    case 0:
        return (int16_t)(test_random_below(random, 500) + 1500);
    case 1:
        return test_random_below(random, 3) ? SST_CODE_MISSING : (int16_t)(test_random_below(random, 900) - 300);
    case 2:
        return (int16_t)(test_random_below(random, 3) - 180);
    case 3:
        return -180;
    case 4:
        return SST_CODE_MISSING;
    case 5:
        return test_random_below(random, 60) ? SST_CODE_MISSING : 77;
    default:
        if (test_random_below(random, 8) == 0)
            return test_random_below(random, 2) ? INT16_MAX : INT16_MIN + 1;
        return (int16_t)(test_random_below(random, 65535) - 32767);
    }
}

static struct pool *make_pool(size_t n_members, size_t n_cells, uint64_t seed)
{
    struct pool *pool = calloc(1, sizeof *pool);
    ck_assert_ptr_nonnull(pool);
    struct test_random random = {seed};
    pool->n_members = n_members;
    pool->n_cells = n_cells;
    for (size_t m = 0; m < n_members; ++m) {
        for (size_t cell = 0; cell < n_cells; ++cell)
            pool->values[m][cell] = draw(&random, cell);
        pool->members[m] = pool->values[m];
    }
    return pool;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static size_t sorted_cell(const struct pool *pool, size_t cell, struct sst_lattice lattice, double *out)
{
    size_t n = 0;
    for (size_t m = 0; m < pool->n_members; ++m)
        if (pool->values[m][cell] != SST_CODE_MISSING)
            out[n++] = sst_lattice_degc(lattice, pool->values[m][cell]);
    qsort(out, n, sizeof *out, compare_doubles);
    return n;
}

struct answer {
    double mean[MAX_CELLS], q[2][MAX_CELLS];
    uint16_t n[MAX_CELLS];
};

struct found {
    int16_t codes[2][MAX_CELLS];
};

static void finish_to(const struct pool *pool, const struct sst_quantile_args *args, const struct sst_finish_out *out)
{
    struct kept_fixture store;
    struct sst_error err = {0};
    kept_fixture_open(&store, pool->members, pool->n_members, pool->n_cells);
    ck_assert_int_eq(sst_backend_cpu()->exact_finish(store.kept, store.n_kept, args, out, pool->n_cells, &err), SST_OK);
    kept_fixture_close(&store);
}

static void finish_from(const struct pool *pool, const struct sst_quantile_args *args, struct found *found,
                        struct answer *answer)
{
    double *quantile[] = {answer->q[0], answer->q[1]};
    int16_t *const codes[] = {found ? found->codes[0] : NULL, found ? found->codes[1] : NULL};
    const struct sst_finish_out out = {
        .mean = answer->mean, .quantile = quantile, .found = found ? codes : NULL, .n_obs = answer->n};
    finish_to(pool, args, &out);
}

static void finish(const struct pool *pool, const struct sst_quantile_args *args, struct answer *answer)
{
    finish_from(pool, args, NULL, answer);
}

/* Number of cells whose answer is not the sorted one, bit for bit. */
static size_t count_wrong(const struct pool *pool, const struct sst_quantile_args *args, const struct answer *answer)
{
    size_t n_wrong = 0;
    double sorted[MAX_MEMBERS];
    for (size_t cell = 0; cell < pool->n_cells; ++cell) {
        const size_t n = sorted_cell(pool, cell, args->lattice, sorted);
        bool is_right = n == answer->n[cell];
        double mean = 0.0;
        for (size_t i = 0; i < n; ++i)
            mean += sorted[i] / (double)n;
        is_right &=
            (int)n < args->min_samples ? isnan(answer->mean[cell]) : fabs(mean - answer->mean[cell]) < MEAN_TOLERANCE;
        for (size_t q = 0; q < args->n_percentiles; ++q) {
            const double want =
                (int)n < args->min_samples ? NAN : sst_quantile_sorted(sorted, n, args->p[q], args->type);
            is_right &= isnan(want) ? isnan(answer->q[q][cell]) : want == answer->q[q][cell];
        }
        n_wrong += !is_right;
    }
    return n_wrong;
}

static const double both[] = {0.9, 0.1};

START_TEST(selection_is_sorting_for_every_type_and_size)
{
    const size_t sizes[] = {1, 2, 3, 11, 330, 400};
    const size_t cells[] = {1, 31, 64, 65, 200};
    for (int kind = SST_LATTICE_CENTI; kind <= SST_LATTICE_MILLI; ++kind) {
        const struct sst_quantile_args args = {both, 2, _i, sst_lattice_of((enum sst_lattice_kind)kind), 1};
        for (size_t s = 0; s < 6; ++s) {
            struct pool *pool = make_pool(sizes[s], cells[s % 5], s + 10);
            struct answer *answer = calloc(1, sizeof *answer);
            finish(pool, &args, answer);
            ck_assert_uint_eq(count_wrong(pool, &args, answer), 0);
            free(answer);
            free(pool);
        }
    }
}
END_TEST

START_TEST(too_few_values_give_nan_but_are_counted)
{
    const struct sst_quantile_args args = {both, 2, 7, sst_lattice_of(SST_LATTICE_CENTI), 10};
    struct pool *pool = make_pool(330, 7, 4);
    struct answer *answer = calloc(1, sizeof *answer);
    finish(pool, &args, answer);
    ck_assert_uint_eq(count_wrong(pool, &args, answer), 0);
    ck_assert_uint_lt(answer->n[5], 10);
    ck_assert_uint_gt(answer->n[5], 0);
    ck_assert(isnan(answer->mean[5]) && isnan(answer->q[0][5]));
    ck_assert(isnan(answer->mean[4]));
    ck_assert(answer->mean[3] == -1.8 && answer->q[0][3] == -1.8);
    free(answer);
    free(pool);
}
END_TEST

START_TEST(an_empty_pool_gives_nan_everywhere)
{
    const struct sst_quantile_args args = {both, 2, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    struct pool *pool = make_pool(0, 70, 1);
    struct answer *answer = calloc(1, sizeof *answer);
    finish(pool, &args, answer);
    for (size_t cell = 0; cell < 70; ++cell)
        ck_assert(answer->n[cell] == 0 && isnan(answer->q[0][cell]));
    free(answer);
    free(pool);
}
END_TEST

/* A guess of each kind: what was found, near it, the ends of the code range and beside them, none, anything. */
static int16_t guess(struct test_random *random, int kind, size_t cell, int16_t found)
{
    static const int16_t ends[] = {INT16_MAX, INT16_MAX - 1, INT16_MIN + 1, SST_CODE_MISSING, 0};
    switch (kind == 3 ? (int)(cell % 3) : kind) {
    case 0:
        return found;
    case 1:
        return (int16_t)(found / 2 + test_random_below(random, 41) - 20);
    case 2:
        return ends[cell % 5];
    default:
        return (int16_t)(test_random_below(random, 65536) - 32768);
    }
}

START_TEST(whatever_is_guessed_the_answer_is_that_of_sorting_to_the_bit)
{
    const size_t sizes[] = {1, 2, 11, 330, 400}, cells[] = {63, 64, 65, 130, 200};
    struct test_random random = {(uint64_t)_i};
    struct answer *cold = calloc(1, sizeof *cold), *warm = calloc(1, sizeof *warm);
    struct found *truth = calloc(1, sizeof *truth), *found = calloc(1, sizeof *found);
    for (size_t s = 0; s < 5; ++s) {
        const struct sst_quantile_args args = {both, 2, _i, sst_lattice_of(SST_LATTICE_CENTI), 1 + (int)s};
        struct pool *pool = make_pool(sizes[s], cells[s], s + 50);
        memset(cold, 0, sizeof *cold);
        finish(pool, &args, cold);
        ck_assert_uint_eq(count_wrong(pool, &args, cold), 0);
        for (int q = 0; q < 2; ++q)
            for (size_t cell = 0; cell < MAX_CELLS; ++cell)
                truth->codes[q][cell] = SST_CODE_MISSING;
        memset(warm, 0, sizeof *warm);
        finish_from(pool, &args, truth, warm);
        ck_assert_mem_eq(cold, warm, sizeof *warm);
        for (int kind = 0; kind <= 4; ++kind) {
            for (int q = 0; q < 2; ++q)
                for (size_t cell = 0; cell < MAX_CELLS; ++cell)
                    found->codes[q][cell] = guess(&random, kind, cell, truth->codes[q][cell]);
            memset(warm, 0, sizeof *warm);
            finish_from(pool, &args, found, warm);
            ck_assert_mem_eq(cold, warm, sizeof *warm);
            for (int q = 0; q < 2; ++q)
                for (size_t cell = 0; cell < cells[s]; ++cell)
                    if (warm->n[cell] > 0)
                        ck_assert_int_eq(found->codes[q][cell], truth->codes[q][cell]);
        }
        free(pool);
    }
    free(cold);
    free(warm);
    free(truth);
    free(found);
}
END_TEST

START_TEST(what_was_found_outlives_an_empty_pool_and_nothing_beyond_the_cells_is_touched)
{
    const struct sst_quantile_args args = {both, 2, 1, sst_lattice_of(SST_LATTICE_CENTI), 1};
    struct pool *pool = make_pool(330, 70, 3), *empty = make_pool(0, 70, 3);
    struct answer *answer = calloc(1, sizeof *answer);
    struct found found;
    for (int q = 0; q < 2; ++q)
        for (size_t cell = 0; cell < MAX_CELLS; ++cell)
            found.codes[q][cell] = cell < 70 ? SST_CODE_MISSING : 123;
    finish_from(pool, &args, &found, answer);
    const struct found before = found;
    for (size_t cell = 0; cell < 70; ++cell) /* type 1 is a value of the pool itself */
        ck_assert(answer->n[cell] == 0 ? found.codes[0][cell] == SST_CODE_MISSING
                                       : sst_lattice_degc(args.lattice, found.codes[0][cell]) == answer->q[0][cell]);
    for (size_t cell = 70; cell < MAX_CELLS; ++cell)
        ck_assert(found.codes[0][cell] == 123 && found.codes[1][cell] == 123);
    finish_from(empty, &args, &found, answer);
    ck_assert(isnan(answer->q[0][0]));
    ck_assert_mem_eq(&before, &found, sizeof found);
    free(answer);
    free(pool);
    free(empty);
}
END_TEST

START_TEST(the_mean_may_be_left_out)
{
    const struct sst_quantile_args args = {both, 2, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    struct pool *pool = make_pool(330, 100, 8);
    struct answer *whole = calloc(1, sizeof *whole), *part = calloc(1, sizeof *part);
    double *quantile[] = {part->q[0], part->q[1]};
    const struct sst_finish_out out = {.quantile = quantile};
    finish(pool, &args, whole);
    finish_to(pool, &args, &out);
    ck_assert_mem_eq(whole->q, part->q, sizeof part->q);
    free(whole);
    free(part);
    free(pool);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    const struct sst_quantile_args args = {both, 2, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    struct pool *pool = make_pool(330, 14, 9);
    struct answer *answer = calloc(1, sizeof *answer);
    finish(pool, &args, answer);
    for (size_t day = 0; day < 40; ++day) /* as if 40 days of one cell had been read from elsewhere */
        pool->values[day][0] = 9000;
    ck_assert_uint_eq(count_wrong(pool, &args, answer), 1);
    free(answer);
    free(pool);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("exact_select");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, selection_is_sorting_for_every_type_and_size, 1, 10);
    tcase_add_loop_test(tc, whatever_is_guessed_the_answer_is_that_of_sorting_to_the_bit, 1, 10);
    tcase_add_test(tc, what_was_found_outlives_an_empty_pool_and_nothing_beyond_the_cells_is_touched);
    tcase_add_test(tc, the_mean_may_be_left_out);
    tcase_add_test(tc, too_few_values_give_nan_but_are_counted);
    tcase_add_test(tc, an_empty_pool_gives_nan_everywhere);
    tcase_add_test(tc, a_planted_fault_is_seen);
    suite_add_tcase(suite, tc);
    return suite;
}
