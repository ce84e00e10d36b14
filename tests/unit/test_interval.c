/* Shares by clusters: exact binomial intervals where clusters are single observations, honest ones where they are not. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "test_main.h"
#include "validate/interval.h"

#define CONFIDENCE 0.95
/* The published limits are given to six places or more. */
#define PRINTED 5e-7

static struct sst_cluster *make_clusters(size_t n_clusters, size_t n_hits, double n_each)
{
    struct sst_cluster *clusters = calloc(n_clusters, sizeof *clusters);
    for (size_t i = 0; i < n_clusters; ++i)
        clusters[i] = (struct sst_cluster){.weight = 1, .n = n_each, .n_hit = i < n_hits ? n_each : 0};
    return clusters;
}

static struct sst_share share_of(size_t n_clusters, size_t n_hits, double n_each)
{
    struct sst_cluster *clusters = make_clusters(n_clusters, n_hits, n_each);
    const struct sst_share share = sst_share_of_clusters(clusters, n_clusters, CONFIDENCE);
    free(clusters);
    return share;
}

static const struct {
    size_t hits, n;
    double low, high;
} clopper_pearson[] = {
    {5, 10, 0.1870860, 0.8129140},
    {1, 10, 0.002528579, 0.445016117},
    {8, 100, 0.03517156, 0.15155763},
};

START_TEST(clusters_of_one_give_clopper_pearson)
{
    const struct sst_share share = share_of(clopper_pearson[_i].n, clopper_pearson[_i].hits, 1);
    ck_assert_double_eq_tol(share.value, (double)clopper_pearson[_i].hits / (double)clopper_pearson[_i].n, 1e-15);
    ck_assert_double_eq_tol(share.low, clopper_pearson[_i].low, PRINTED);
    ck_assert_double_eq_tol(share.high, clopper_pearson[_i].high, PRINTED);
    ck_assert_uint_eq(share.n_clusters, clopper_pearson[_i].n);
}
END_TEST

START_TEST(no_hit_and_all_hits_have_one_sided_limits)
{
    /* (1 - limit)^10 = 0.025 */
    const double limit = 1 - pow(0.025, 0.1);
    const struct sst_share none = share_of(10, 0, 1), all = share_of(10, 10, 1);
    ck_assert_double_eq(none.value, 0);
    ck_assert_double_eq(none.low, 0);
    ck_assert_double_eq_tol(none.high, limit, 1e-12);
    ck_assert_double_eq(all.value, 1);
    ck_assert_double_eq_tol(all.low, 1 - limit, 1e-12);
    ck_assert_double_eq(all.high, 1);
}
END_TEST

START_TEST(without_variance_only_the_clusters_count)
{
    const struct sst_share one_each = share_of(10, 0, 1), many_each = share_of(10, 0, 366);
    ck_assert_double_eq(many_each.high, one_each.high);

    struct sst_cluster same[12];
    for (int i = 0; i < 12; ++i)
        same[i] = (struct sst_cluster){.weight = 1 + 0.1 * i, .n = 300, .n_hit = 100};
    const struct sst_share share = sst_share_of_clusters(same, 12, CONFIDENCE);
    const struct sst_share four_of_twelve = share_of(12, 4, 1);
    ck_assert_double_eq_tol(share.low, four_of_twelve.low, 1e-9);
    ck_assert_double_eq_tol(share.high, four_of_twelve.high, 1e-9);
}
END_TEST

START_TEST(wholly_correlated_clusters_are_worth_one_observation_each)
{
    const struct sst_share one_each = share_of(200, 60, 1), many_each = share_of(200, 60, 366);
    /* Student's t and n / (n - 1) make the difference. */
    ck_assert_double_eq_tol(many_each.low, one_each.low, 0.002);
    ck_assert_double_eq_tol(many_each.high, one_each.high, 0.002);
    ck_assert_double_le(many_each.low, one_each.low);
}
END_TEST

START_TEST(one_cluster_has_a_value_and_no_interval)
{
    const struct sst_cluster cluster = {.weight = 0.5, .n = 8, .n_hit = 2};
    const struct sst_share share = sst_share_of_clusters(&cluster, 1, CONFIDENCE);
    ck_assert_double_eq(share.value, 0.25);
    ck_assert(isnan(share.low) && isnan(share.high));
    ck_assert_uint_eq(share.n_clusters, 1);
}
END_TEST

START_TEST(nothing_observed_is_nan)
{
    const struct sst_cluster clusters[2] = {{.weight = 1, .n = 0, .n_hit = 0}, {.weight = 0, .n = 5, .n_hit = 5}};
    const struct sst_share share = sst_share_of_clusters(clusters, 2, CONFIDENCE);
    ck_assert(isnan(share.value) && isnan(share.low) && isnan(share.high));
    ck_assert_uint_eq(share.n_clusters, 0);
    ck_assert(isnan(sst_share_of_clusters(NULL, 0, CONFIDENCE).value));
}
END_TEST

START_TEST(weights_move_the_share)
{
    const struct sst_cluster clusters[3] = {
        {.weight = 3, .n = 10, .n_hit = 10}, {.weight = 1, .n = 10, .n_hit = 0}, {.weight = 1, .n = 20, .n_hit = 10}};
    /* (3*10 + 0 + 10) / (30 + 10 + 20) */
    ck_assert_double_eq_tol(sst_share_of_clusters(clusters, 3, CONFIDENCE).value, 40.0 / 60.0, 1e-15);
}
END_TEST

START_TEST(huge_samples_give_a_narrow_interval_and_not_nan)
{
    struct sst_cluster clusters[1000];
    for (int i = 0; i < 1000; ++i)
        clusters[i] = (struct sst_cluster){.weight = 1, .n = 1e6, .n_hit = i % 2 ? 499999 : 500001};
    const struct sst_share share = sst_share_of_clusters(clusters, 1000, CONFIDENCE);
    ck_assert_double_eq_tol(share.value, 0.5, 1e-12);
    ck_assert_double_gt(share.low, 0.498);
    ck_assert_double_lt(share.high, 0.502);
    ck_assert_double_lt(share.low, 0.5);
}
END_TEST

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double next_uniform(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

enum { N_REPEATS = 1000, N_CELLS = 80, N_DAYS = 60 };

/* One cell in five is often off (35 %), the others seldom (2 %): days of a cell are alike. */
static void draw_cells(uint64_t *state, struct sst_cluster *cells)
{
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        const double chance = next_uniform(state) < 0.2 ? 0.35 : 0.02;
        double n_hit = 0;
        for (int day = 0; day < N_DAYS; ++day)
            n_hit += next_uniform(state) < chance;
        cells[cell] = (struct sst_cluster){.weight = 1, .n = N_DAYS, .n_hit = n_hit};
    }
}

/* The same observations, as if no two were of one cell. */
static struct sst_share share_without_clusters(const struct sst_cluster *cells)
{
    static struct sst_cluster days[N_CELLS * N_DAYS];
    size_t n = 0;
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        for (int day = 0; day < N_DAYS; ++day)
            days[n++] = (struct sst_cluster){.weight = 1, .n = 1, .n_hit = day < cells[cell].n_hit};
    }
    return sst_share_of_clusters(days, n, CONFIDENCE);
}

START_TEST(intervals_cover_as_often_as_they_say_and_naive_ones_do_not)
{
    const double truth = 0.2 * 0.35 + 0.8 * 0.02;
    uint64_t state = 20240229;
    int n_covered = 0, n_naive = 0;
    for (int repeat = 0; repeat < N_REPEATS; ++repeat) {
        struct sst_cluster cells[N_CELLS];
        draw_cells(&state, cells);
        const struct sst_share share = sst_share_of_clusters(cells, N_CELLS, CONFIDENCE);
        n_covered += share.low <= truth && truth <= share.high;
        const struct sst_share naive = share_without_clusters(cells);
        n_naive += naive.low <= truth && truth <= naive.high;
    }
    ck_assert_msg(n_covered >= 930 && n_covered <= 980, "covered %d of %d", n_covered, N_REPEATS);
    ck_assert_msg(n_naive < 800, "even without clusters %d of %d are covered: the test sees nothing", n_naive,
                  N_REPEATS);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("interval");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, clusters_of_one_give_clopper_pearson, 0,
                        (int)(sizeof clopper_pearson / sizeof clopper_pearson[0]));
    tcase_add_test(tc, no_hit_and_all_hits_have_one_sided_limits);
    tcase_add_test(tc, without_variance_only_the_clusters_count);
    tcase_add_test(tc, wholly_correlated_clusters_are_worth_one_observation_each);
    tcase_add_test(tc, one_cluster_has_a_value_and_no_interval);
    tcase_add_test(tc, nothing_observed_is_nan);
    tcase_add_test(tc, weights_move_the_share);
    tcase_add_test(tc, huge_samples_give_a_narrow_interval_and_not_nan);
    tcase_add_test(tc, intervals_cover_as_often_as_they_say_and_naive_ones_do_not);
    suite_add_tcase(suite, tc);
    return suite;
}
