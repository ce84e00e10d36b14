/*
 * What lists prove of percentiles, against sorting the whole pool: steep seasons, ties, gaps, constant and empty cells;
 * lists of 1 to 16; every type; both ends. Certified values are exact to the bit, bounds hold always, and a certificate that
 * is wrong is caught.
 * ctest-labels: figures
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "all_cells.h"
#include "exact/quantile.h"
#include "kernels/cell_tail.h"
#include "random.h"
#include "stream/bins.h"
#include "test_main.h"

enum { N_CELLS = 150, N_BINS = 11, N_YEARS = 30, N_KINDS = 8 };

struct pool {
    int16_t codes[N_BINS][N_YEARS][N_CELLS];
};

static const double percentiles[] = {0.9, 0.95, 0.1};
enum { N_P = 3 };
static const int lengths[] = {1, 4, 6, 8, 16, 30};
enum { N_LENGTHS = 6 };

/* Cells differ in kind. */
static int16_t draw(struct test_random *random, size_t cell, int bin)
{
    const int noise = test_random_below(random, 200) + test_random_below(random, 200);
    switch (cell % N_KINDS) {
    case 0:
        return (int16_t)(1500 + noise);
    case 1: /* a season of half a standard deviation a day */
        return (int16_t)(1000 + 40 * bin + noise);
    case 2: /* and one that falls by all the spread each day */
        return (int16_t)(3000 - 400 * bin + noise);
    case 3:
        return (int16_t)(test_random_below(random, 4) - 180);
    case 4:
        return test_random_below(random, 3) ? SST_CODE_MISSING : (int16_t)(noise - 300);
    case 5:
        return -180;
    case 6:
        return SST_CODE_MISSING;
    default: /* a few days of one bin alone, over the whole range of codes */
        return bin != 4 || test_random_below(random, 2) ? SST_CODE_MISSING
                                                        : (int16_t)(test_random_below(random, 65535) - 32767);
    }
}

static struct pool *make_pool(uint64_t seed)
{
    struct pool *pool = malloc(sizeof *pool);
    ck_assert_ptr_nonnull(pool);
    struct test_random random = {seed};
    for (int bin = 0; bin < N_BINS; ++bin)
        for (int year = 0; year < N_YEARS; ++year)
            for (size_t cell = 0; cell < N_CELLS; ++cell)
                pool->codes[bin][year][cell] = draw(&random, cell, bin);
    return pool;
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int sorted_cell(const struct pool *pool, size_t cell, int *out)
{
    int n = 0;
    for (int bin = 0; bin < N_BINS; ++bin)
        for (int year = 0; year < N_YEARS; ++year)
            if (pool->codes[bin][year][cell] != SST_CODE_MISSING)
                out[n++] = pool->codes[bin][year][cell];
    qsort(out, (size_t)n, sizeof *out, compare_ints);
    return n;
}

/* --- the backend -------------------------------------------------------------------------------------------------- */

struct answer {
    double mean[N_CELLS], q[N_P][N_CELLS], bound[N_P][N_CELLS];
    uint8_t uncertified[N_CELLS];
};

static void finish(const struct pool *pool, int k, const struct sst_quantile_args *args, struct answer *answer)
{
    struct sst_tail_estimator tail;
    struct sst_bin bins[N_BINS], sums;
    struct sst_tail_view views[N_BINS];
    const struct sst_backend *backend = sst_backend_cpu();
    struct sst_cells cells = all_cells(N_CELLS);
    sst_tail_estimator_init(&tail, (struct sst_tail_k){k, k});
    ck_assert_int_eq(sst_bin_init(&sums, sst_estimator_tail_sums(), N_CELLS, NULL), SST_OK);
    for (int bin = 0; bin < N_BINS; ++bin) {
        ck_assert_int_eq(sst_bin_init(&bins[bin], &tail.estimator, N_CELLS, NULL), SST_OK);
        views[bin] = sst_bin_tail(&bins[bin]);
        for (int year = 0; year < N_YEARS; ++year) {
            int16_t codes[N_CELLS], hundredths[N_CELLS];
            memcpy(codes, pool->codes[bin][year], sizeof codes);
            for (int cell = 0; cell < N_CELLS; ++cell) /* sums are of another array, and within its range */
                hundredths[cell] = (int16_t)(codes[cell] == SST_CODE_MISSING ? SST_CODE_MISSING : codes[cell] / 4);
            const struct sst_field field = {N_CELLS, codes, hundredths, NULL, false, NULL};
            const struct sst_field *const batch[] = {&field};
            backend->tail_add_fields(views[bin], &cells, batch, 1);
        }
        sst_bin_add(backend, &sums, &bins[bin]);
    }
    double *q[N_P], *bound[N_P];
    for (int i = 0; i < N_P; ++i) {
        q[i] = answer->q[i];
        bound[i] = answer->bound[i];
    }
    const struct sst_tail_pool lists = {views, N_BINS, sums.planes[SST_TAIL_N], sums.planes[SST_TAIL_S1]};
    const struct sst_tail_out out = {
        .mean = answer->mean, .quantile = q, .bound = bound, .uncertified = answer->uncertified};
    ck_assert_int_eq(backend->tail_finish(&lists, args, &out, N_CELLS, NULL), SST_OK);
    for (int bin = 0; bin < N_BINS; ++bin)
        sst_bin_clear(&bins[bin]);
    sst_bin_clear(&sums);
    sst_cells_clear(&cells);
}

/* --- comparison --------------------------------------------------------------------------------------------------- */

struct tally {
    int n_certified, n_uncertified, n_wrong; /* wrong: certified and not exact, or the bounds do not hold */
    int n_loose; /* certified, but bounds not equal to the value */
};

static double exact_of(const int *sorted, int n, double p, const struct sst_quantile_args *args)
{
    double values[N_BINS * N_YEARS];
    for (int i = 0; i < n; ++i)
        values[i] = sst_lattice_degc(args->lattice, sorted[i]);
    return sst_quantile_sorted(values, (size_t)n, p, args->type);
}

static void tally_cell(const struct pool *pool, const struct sst_quantile_args *args, const struct answer *answer,
                       size_t cell, struct tally *tally)
{
    int sorted[N_BINS * N_YEARS];
    const int n = sorted_cell(pool, cell, sorted);
    for (size_t i = 0; i < args->n_percentiles; ++i) {
        const double value = answer->q[i][cell], bound = answer->bound[i][cell];
        const double lower = args->p[i] < 0.5 ? bound : value, upper = args->p[i] < 0.5 ? value : bound;
        if (n < args->min_samples || n == 0) {
            tally->n_wrong += !isnan(value) || !isnan(bound) || answer->uncertified[cell] || !isnan(answer->mean[cell]);
            continue;
        }
        const double exact = exact_of(sorted, n, args->p[i], args);
        tally->n_wrong += !(lower <= exact && exact <= upper);
        if (answer->uncertified[cell]) {
            ++tally->n_uncertified;
        } else {
            ++tally->n_certified;
            tally->n_wrong += value != exact;
            tally->n_loose += bound != value;
        }
    }
}

START_TEST(certified_values_are_exact_and_bounds_hold)
{
    for (int l = 0; l < N_LENGTHS; ++l) {
        struct tally tally = {0};
        for (int kind = SST_LATTICE_CENTI; kind <= SST_LATTICE_MILLI; ++kind) {
            struct pool *pool = make_pool((uint64_t)(100 * _i + kind));
            struct answer *answer = calloc(1, sizeof *answer);
            for (size_t q = 0; q <= N_P; ++q) { /* each alone, then all together */
                const struct sst_quantile_args args = {q < N_P ? &percentiles[q] : percentiles, q < N_P ? 1 : N_P, _i,
                                                       sst_lattice_of((enum sst_lattice_kind)kind), 5};
                finish(pool, lengths[l], &args, answer);
                for (size_t cell = 0; cell < N_CELLS; ++cell)
                    tally_cell(pool, &args, answer, cell, &tally);
            }
            free(answer);
            free(pool);
        }
        ck_assert_int_eq(tally.n_wrong, 0);
        ck_assert_int_eq(tally.n_loose, 0);
        if (lengths[l] > 1) /* of 11 values none is the 34th from the end */
            ck_assert_int_gt(tally.n_certified, 0);
        if (lengths[l] < 16) /* a season that falls by all its spread a day: the end of the pool is one bin */
            ck_assert_int_gt(tally.n_uncertified, 0);
        if (lengths[l] == N_YEARS)
            ck_assert_int_eq(tally.n_uncertified, 0);
    }
}
END_TEST

/* --- certificates, right and wrong ---------------------------------------------------------------------------------- */

/* One cell's lists as a plain computation has them, for a judge. */
struct case_of_lists {
    int32_t depth, n_kept;
    int16_t deep, shallow;
    int n_bins, k;
    int32_t n[N_BINS];
    int16_t smallest[N_BINS];
};

typedef bool judge(const struct case_of_lists *lists);

static int16_t right_cut(const struct case_of_lists *lists)
{
    int16_t cut = CELL_TAIL_NONE;
    for (int bin = 0; bin < lists->n_bins; ++bin)
        cut = cell_tail_cut(cut, lists->n[bin], lists->k, lists->smallest[bin]);
    return cut;
}

static bool right(const struct case_of_lists *lists)
{
    return cell_tail_is_certified(lists->depth, lists->n_kept, lists->deep, right_cut(lists));
}

static bool always(const struct case_of_lists *lists) { return cell_tail_reaches(lists->depth, lists->n_kept); }

/* The wrong cut: the next order statistic in place of the deep one. */
static bool next_above_cut(const struct case_of_lists *lists)
{
    return cell_tail_is_certified(lists->depth, lists->n_kept, lists->shallow, right_cut(lists));
}

/* Another: only full bins are looked at, those that dropped values are not. */
static bool dropped_ignored(const struct case_of_lists *lists)
{
    int16_t cut = CELL_TAIL_NONE;
    for (int bin = 0; bin < lists->n_bins; ++bin)
        if (lists->n[bin] == lists->k && lists->smallest[bin] > cut)
            cut = lists->smallest[bin];
    return cell_tail_is_certified(lists->depth, lists->n_kept, lists->deep, cut);
}

/* The cut is the least of what the bins dropped, not the greatest. */
static bool least_cut(const struct case_of_lists *lists)
{
    int16_t cut = INT16_MAX;
    for (int bin = 0; bin < lists->n_bins; ++bin)
        if (lists->n[bin] > lists->k && lists->smallest[bin] < cut)
            cut = lists->smallest[bin];
    return cell_tail_is_certified(lists->depth, lists->n_kept, lists->deep, cut == INT16_MAX ? CELL_TAIL_NONE : cut);
}

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

/* Lists of length k of a cell at its high end, by sorting; returns whether the value found is the exact one. */
static bool make_case(const struct pool *pool, size_t cell, int k, double p, struct case_of_lists *out)
{
    int whole[N_BINS * N_YEARS], kept[N_BINS * N_YEARS];
    const int n = sorted_cell(pool, cell, whole);
    const struct cell_tail_rank rank = cell_tail_rank_of(n, p, 7);
    memset(out, 0, sizeof *out);
    out->depth = rank.depth;
    out->n_bins = N_BINS;
    out->k = k;
    for (int bin = 0; bin < N_BINS; ++bin) {
        int values[N_YEARS], n_values = 0;
        for (int year = 0; year < N_YEARS; ++year)
            if (pool->codes[bin][year][cell] != SST_CODE_MISSING)
                values[n_values++] = pool->codes[bin][year][cell];
        qsort(values, (size_t)n_values, sizeof *values, descending);
        out->n[bin] = n_values;
        out->smallest[bin] = n_values >= k ? (int16_t)values[k - 1] : CELL_TAIL_NONE;
        for (int i = 0; i < n_values && i < k; ++i)
            kept[out->n_kept++] = values[i];
    }
    qsort(kept, (size_t)out->n_kept, sizeof *kept, descending);
    if (out->depth >= out->n_kept)
        return false;
    out->deep = (int16_t)kept[out->depth];
    out->shallow = (int16_t)kept[out->depth > 0 ? out->depth - 1 : 0];
    return out->deep == whole[n - 1 - out->depth] && (out->depth == 0 || out->shallow == whole[n - out->depth]);
}

/* Cells that a judge certifies although the value is wrong. */
static int count_caught(judge *certifies, int *n_certified)
{
    int n_caught = 0;
    *n_certified = 0;
    for (uint64_t seed = 0; seed < 12; ++seed) {
        struct pool *pool = make_pool(seed);
        for (size_t cell = 0; cell < N_CELLS; ++cell) {
            if (cell % N_KINDS >= 5) /* the small and the empty pools */
                continue;
            for (int l = 0; l < N_LENGTHS; ++l) {
                struct case_of_lists lists;
                const bool is_exact = make_case(pool, cell, lengths[l], 0.9, &lists);
                *n_certified += certifies(&lists);
                n_caught += certifies(&lists) && !is_exact;
            }
        }
        free(pool);
    }
    return n_caught;
}

START_TEST(wrong_certificates_are_caught)
{
    int n_certified = 0;
    ck_assert_int_eq(count_caught(right, &n_certified), 0);
    ck_assert_int_gt(n_certified, 0);
    judge *const mutants[] = {always, next_above_cut, dropped_ignored, least_cut};
    for (size_t m = 0; m < sizeof mutants / sizeof mutants[0]; ++m)
        ck_assert_msg(count_caught(mutants[m], &n_certified) > 0, "mutant %zu was not caught", m);
}
END_TEST

/* The bounds are the best: each is attained by some pool with the same lists. */
START_TEST(the_upper_bound_is_the_value_of_a_pool_with_the_same_lists)
{
    struct pool *pool = make_pool(77), *fuller = malloc(sizeof *fuller);
    const struct sst_quantile_args args = {percentiles, 1, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    const int k = 4;
    int n_seen = 0;
    struct answer *answer = calloc(1, sizeof *answer);
    finish(pool, k, &args, answer);
    memcpy(fuller, pool, sizeof *fuller);
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        for (int bin = 0; bin < N_BINS; ++bin) {
            int values[N_YEARS];
            for (int year = 0; year < N_YEARS; ++year)
                values[year] = pool->codes[bin][year][cell];
            qsort(values, N_YEARS, sizeof *values, descending);
            for (int year = 0; year < N_YEARS; ++year)
                if (fuller->codes[bin][year][cell] != SST_CODE_MISSING &&
                    fuller->codes[bin][year][cell] < values[k - 1])
                    fuller->codes[bin][year][cell] = (int16_t)values[k - 1];
        }
        int sorted[N_BINS * N_YEARS];
        const int n = sorted_cell(fuller, cell, sorted);
        if (!answer->uncertified[cell])
            continue;
        ++n_seen;
        ck_assert(exact_of(sorted, n, 0.9, &args) == answer->bound[0][cell]);
    }
    ck_assert_int_gt(n_seen, N_CELLS / N_KINDS);
    free(answer);
    free(fuller);
    free(pool);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tail_certified");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, certified_values_are_exact_and_bounds_hold, 1, 10);
    tcase_add_test(tc, wrong_certificates_are_caught);
    tcase_add_test(tc, the_upper_bound_is_the_value_of_a_pool_with_the_same_lists);
    suite_add_tcase(suite, tc);
    return suite;
}
