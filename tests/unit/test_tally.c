/*
 * Counts of flags over the sea, by area, and the days that call for care.
 * ctest-labels: threads
 */
#include <stdlib.h>

#include "regular_grid.h"
#include "test_main.h"
#include "validate/tally.h"

#define TOLERANCE 1e-12

enum { N_CELLS = 3, N_SLOTS = 4 }; /* 0, 30 and 60 degrees north; the middle one is land */

static const uint16_t n_obs[N_CELLS] = {11, 0, 11};

static struct sst_tally *tally_of(const uint16_t flags[N_SLOTS][N_CELLS])
{
    struct sst_error err = {0};
    struct sst_domain domain;
    struct sst_tally *tally = NULL;
    struct sst_grid *grid = regular_grid((struct even_axis){0, 30, N_CELLS}, (struct even_axis){10, 1, 1});
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_tally_create(&domain, &tally, &err), SST_OK);
    for (int slot = 0; slot < N_SLOTS; ++slot)
        sst_tally_add(tally, n_obs, flags[slot]);
    sst_grid_destroy(&grid);
    return tally;
}

START_TEST(flags_are_counted_over_the_sea_and_by_its_area)
{
    enum { A = SST_FLAG_FEW_SAMPLES, B = SST_FLAG_GUARDED_ESTIMATE, LAND = SST_FLAG_MISSING };
    static const uint16_t flags[N_SLOTS][N_CELLS] = {{A, LAND, 0}, {A | B, LAND, B}, {0, LAND, B}, {0, LAND, 0}};
    struct sst_tally *tally = tally_of(flags);
    const struct sst_tally_result got = sst_tally_result(tally);
    ck_assert_uint_eq(got.n_cells, N_CELLS);
    ck_assert_uint_eq(got.n_sea_cells, 2);
    ck_assert_uint_eq(got.n_cell_days, 2 * N_SLOTS);
    ck_assert_uint_eq(got.by_flag[0].n_cell_days, 0); /* land does not count */
    ck_assert_uint_eq(got.by_flag[1].n_cell_days, 2);
    ck_assert_double_eq_tol(got.by_flag[1].area_share, 2.0 / 6.0, TOLERANCE); /* weights 1 and 0.5, 4 days each */
    ck_assert_uint_eq(got.any.n_cell_days, 4);
    ck_assert_double_eq_tol(got.any.area_share, (2.0 + 2 * 0.5) / 6.0, TOLERANCE);
    sst_tally_destroy(&tally);
}
END_TEST

START_TEST(a_day_that_calls_for_care_twice_counts_once)
{
    enum { M = SST_FLAG_MEASURED_BEYOND_TOLERANCE, L = SST_FLAG_LIKELY_BEYOND_TOLERANCE, U = SST_FLAG_UNCERTIFIED };
    static const uint16_t flags[N_SLOTS][N_CELLS] = {
        {M | U, 0, L}, {U, 0, SST_FLAG_REPAIRED}, {M | U, 0, 0}, {M, 0, SST_FLAG_GUARDED_ESTIMATE}};
    struct sst_tally *tally = tally_of(flags);
    ck_assert_double_eq(sst_tally_doubtful_share(tally, 0), 1.0);
    ck_assert_double_eq(sst_tally_doubtful_share(tally, 2), 0.25);
    ck_assert(!sst_tally_is_sea(tally, 1));
    sst_tally_destroy(&tally);
}
END_TEST

/* Flag b is set on every (b + 2)nd cell; every fifth cell is land. */
START_TEST(a_large_map_is_counted_by_threads_as_by_one)
{
    enum { N_LAT = 179, N_LON = 401, N_MAPS = 3, N_LARGE = N_LAT * N_LON };
    struct sst_domain domain;
    struct sst_tally *tally = NULL;
    size_t n_sea = 0, n_flagged[SST_N_FLAGS] = {0}, n_any = 0;
    uint16_t *observed = calloc(N_LARGE, sizeof *observed), *flags = calloc(N_LARGE, sizeof *flags);
    for (size_t cell = 0; cell < N_LARGE; ++cell) {
        observed[cell] = cell % 5 != 0;
        for (size_t bit = 0; bit < SST_N_FLAGS; ++bit)
            flags[cell] = (uint16_t)(flags[cell] | (unsigned)(cell % (bit + 2) == 0) << bit);
        n_sea += observed[cell];
        for (size_t bit = 0; bit < SST_N_FLAGS; ++bit)
            n_flagged[bit] += observed[cell] && cell % (bit + 2) == 0;
        n_any += observed[cell] && flags[cell] != 0;
    }
    struct sst_grid *grid = regular_grid((struct even_axis){-60, 0.5, N_LAT}, (struct even_axis){10, 0.5, N_LON});
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_tally_create(&domain, &tally, NULL), SST_OK);
    for (int map = 0; map < N_MAPS; ++map)
        sst_tally_add(tally, observed, flags);
    const struct sst_tally_result got = sst_tally_result(tally);
    ck_assert_uint_eq(got.n_sea_cells, n_sea);
    for (size_t bit = 0; bit < SST_N_FLAGS; ++bit)
        ck_assert_uint_eq(got.by_flag[bit].n_cell_days, N_MAPS * n_flagged[bit]);
    ck_assert_uint_eq(got.any.n_cell_days, N_MAPS * n_any);
    sst_tally_destroy(&tally);
    sst_grid_destroy(&grid);
    free(observed);
    free(flags);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tally");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, flags_are_counted_over_the_sea_and_by_its_area);
    tcase_add_test(tc, a_day_that_calls_for_care_twice_counts_once);
    tcase_add_test(tc, a_large_map_is_counted_by_threads_as_by_one);
    suite_add_tcase(suite, tc);
    return suite;
}
