/* The sample has the share that was asked for, and depends on the seed and the canonical cell alone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "test_main.h"
#include "validate/probes.h"

enum { N_MILLION = 1000000 };

static size_t count(uint64_t seed, double share)
{
    size_t n = 0;
    for (uint64_t cell = 0; cell < N_MILLION; ++cell)
        n += sst_probes_has(seed, cell, share);
    return n;
}

START_TEST(the_share_is_met_within_binomial_limits)
{
    static const double shares[] = {0.001, 0.01, 0.3};
    for (size_t i = 0; i < 3; ++i) {
        const double expected = shares[i] * N_MILLION;
        const double limit = 4 * sqrt(expected * (1 - shares[i]));
        for (uint64_t seed = 0; seed < 3; ++seed)
            ck_assert_double_eq_tol((double)count(seed, shares[i]), expected, limit);
    }
    ck_assert_uint_eq(count(1, 1.0), N_MILLION);
    ck_assert_uint_eq(count(1, 0.0), 0);
}
END_TEST

START_TEST(samples_of_one_seed_are_nested_and_seeds_differ)
{
    size_t n_both = 0, n_first = 0;
    for (uint64_t cell = 0; cell < N_MILLION; ++cell) {
        if (sst_probes_has(5, cell, 0.01))
            ck_assert(sst_probes_has(5, cell, 0.02));
        n_first += sst_probes_has(5, cell, 0.1);
        n_both += sst_probes_has(5, cell, 0.1) && sst_probes_has(6, cell, 0.1);
    }
    ck_assert_double_eq_tol((double)n_both / (double)n_first, 0.1, 0.005);
}
END_TEST

START_TEST(the_hash_is_fixed_for_ever)
{
    /* XXH64 of 8 zero bytes, seed 0: 34c96acdcadb1bbb, as share of 2^64: 0.20619837... */
    ck_assert(!sst_probes_has(0, 0, 0.2061));
    ck_assert(sst_probes_has(0, 0, 0.2063));
}
END_TEST

START_TEST(the_default_share_is_one_percent_or_600_cells)
{
    ck_assert_double_eq(sst_probes_default_share(1036800), 0.01);
    ck_assert_double_eq(sst_probes_default_share(60000), 0.01);
    ck_assert_double_eq(sst_probes_default_share(6000), 0.1);
    ck_assert_double_eq(sst_probes_default_share(1024), 600.0 / 1024);
    ck_assert_double_eq(sst_probes_default_share(32), 1.0);
    ck_assert_double_eq(sst_probes_default_share(0), 1.0);
}
END_TEST

enum { N_LAT = 36, N_LON = 72 };

/* A 5-degree grid, north or south first, from `first_lon` on. */
static struct sst_grid *make_grid(bool is_north_first, double first_lon)
{
    double lat[N_LAT], lon[N_LON];
    for (int row = 0; row < N_LAT; ++row)
        lat[row] = is_north_first ? 87.5 - 5 * row : -87.5 + 5 * row;
    for (int col = 0; col < N_LON; ++col)
        lon[col] = first_lon + 5 * col;
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_grid_create(lat, N_LAT, lon, N_LON, &grid, &err) == SST_OK, "%s", err.text);
    return grid;
}

/* Sets marks[lat][lon] (from the south, from 0 E) of the probes of a domain; returns their number. */
static size_t mark_probes(const struct sst_domain *domain, const uint8_t *keep, uint8_t marks[N_LAT][N_LON])
{
    struct sst_error err = {0};
    size_t *cells = NULL, n_cells = 0;
    ck_assert_int_eq(sst_probes_choose(domain, keep, 42, 0.2, &cells, &n_cells, &err), SST_OK);
    for (size_t i = 0; i < n_cells; ++i) {
        ck_assert(i == 0 || cells[i] > cells[i - 1]);
        const double lat = sst_domain_lat(domain, cells[i] / domain->n_cols);
        const double lon = sst_domain_lon(domain, cells[i] % domain->n_cols);
        const int row = (int)lround((lat + 87.5) / 5), col = (int)lround((lon - 2.5) / 5);
        marks[row][(col + 2 * N_LON) % N_LON] = 1;
    }
    sst_free(cells);
    return n_cells;
}

START_TEST(the_same_cells_are_probes_whatever_the_orientation)
{
    uint8_t first[N_LAT][N_LON] = {{0}};
    struct sst_grid *grid = make_grid(false, 2.5);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    const size_t n = mark_probes(&domain, NULL, first);
    ck_assert_uint_gt(n, N_LAT * N_LON / 10);
    sst_grid_destroy(&grid);
    for (int form = 1; form < 4; ++form) {
        uint8_t again[N_LAT][N_LON] = {{0}};
        grid = make_grid(form & 1, form & 2 ? -177.5 : 2.5);
        sst_domain_all(grid, &domain);
        ck_assert_uint_eq(mark_probes(&domain, NULL, again), n);
        ck_assert_mem_eq(again, first, sizeof first);
        sst_grid_destroy(&grid);
    }
}
END_TEST

START_TEST(a_box_holds_the_same_probes_as_the_whole)
{
    uint8_t whole[N_LAT][N_LON] = {{0}}, part[N_LAT][N_LON] = {{0}};
    struct sst_grid *grid = make_grid(true, -177.5);
    struct sst_domain all, box;
    struct sst_error err = {0};
    sst_domain_all(grid, &all);
    (void)mark_probes(&all, NULL, whole);
    ck_assert_msg(sst_domain_box(grid, 150, -30, -120, 30, &box, &err) == SST_OK, "%s", err.text);
    (void)mark_probes(&box, NULL, part);
    size_t n_in_box = 0;
    for (int row = 0; row < N_LAT; ++row) {
        for (int col = 0; col < N_LON; ++col) {
            const double lat = -87.5 + 5 * row, lon = 2.5 + 5 * col;
            const bool is_inside = lat > -30 && lat < 30 && lon > 150 && lon < 240;
            ck_assert_uint_eq(part[row][col], is_inside ? whole[row][col] : 0);
            n_in_box += part[row][col];
        }
    }
    ck_assert_uint_gt(n_in_box, 0);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(masked_cells_are_no_probes)
{
    struct sst_grid *grid = make_grid(false, 2.5);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    uint8_t *keep = calloc(domain.n_cells, 1);
    for (size_t cell = 0; cell < domain.n_cells; cell += 2)
        keep[cell] = 1;
    uint8_t whole[N_LAT][N_LON] = {{0}}, kept[N_LAT][N_LON] = {{0}};
    (void)mark_probes(&domain, NULL, whole);
    (void)mark_probes(&domain, keep, kept);
    for (int row = 0; row < N_LAT; ++row) {
        for (int col = 0; col < N_LON; ++col)
            ck_assert_uint_eq(kept[row][col], col % 2 == 0 ? whole[row][col] : 0);
    }
    memset(keep, 0, domain.n_cells);
    ck_assert_uint_eq(mark_probes(&domain, keep, kept), 0);
    free(keep);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(fewer_of_some_probes_are_those_of_a_smaller_share)
{
    struct sst_grid *grid = make_grid(true, -177.5);
    struct sst_domain domain;
    struct sst_error err = {0};
    sst_domain_all(grid, &domain);
    size_t *many = NULL, *few = NULL, *chosen = NULL, n_many = 0, n_few = 0, n_chosen = 0;
    ck_assert_int_eq(sst_probes_choose(&domain, NULL, 42, 0.5, &many, &n_many, &err), SST_OK);
    ck_assert_int_eq(sst_probes_choose(&domain, NULL, 42, 0.1, &few, &n_few, &err), SST_OK);
    ck_assert_uint_gt(n_few, 100);
    ck_assert_int_eq(sst_probes_nested(&domain, many, n_many, 42, n_few, &chosen, &n_chosen, &err), SST_OK);
    ck_assert_uint_eq(n_chosen, n_few);
    for (size_t i = 0; i < n_few; ++i)
        ck_assert_uint_eq(many[chosen[i]], few[i]);
    sst_free(chosen);
    sst_free(few);
    sst_free(many);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(all_probes_are_kept_where_there_are_no_more_than_wanted)
{
    struct sst_grid *grid = make_grid(false, 2.5);
    struct sst_domain domain;
    struct sst_error err = {0};
    sst_domain_all(grid, &domain);
    const size_t cells[4] = {1, 50, 51, 2000};
    for (size_t most = 0; most < 7; ++most) {
        size_t *chosen = NULL, n_chosen = 9;
        ck_assert_int_eq(sst_probes_nested(&domain, cells, 4, 3, most, &chosen, &n_chosen, &err), SST_OK);
        ck_assert_uint_eq(n_chosen, most < 4 ? most : 4);
        for (size_t i = 0; i < n_chosen; ++i)
            ck_assert(most < 4 || chosen[i] == i);
        for (size_t i = 1; i < n_chosen; ++i)
            ck_assert_uint_gt(chosen[i], chosen[i - 1]);
        sst_free(chosen);
    }
    size_t *chosen = NULL, n_chosen = 9;
    ck_assert_int_eq(sst_probes_nested(&domain, NULL, 0, 3, 5, &chosen, &n_chosen, &err), SST_OK);
    ck_assert_uint_eq(n_chosen, 0);
    sst_free(chosen);
    sst_grid_destroy(&grid);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("probes");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, the_share_is_met_within_binomial_limits);
    tcase_add_test(tc, samples_of_one_seed_are_nested_and_seeds_differ);
    tcase_add_test(tc, the_hash_is_fixed_for_ever);
    tcase_add_test(tc, the_default_share_is_one_percent_or_600_cells);
    tcase_add_test(tc, the_same_cells_are_probes_whatever_the_orientation);
    tcase_add_test(tc, a_box_holds_the_same_probes_as_the_whole);
    tcase_add_test(tc, masked_cells_are_no_probes);
    tcase_add_test(tc, fewer_of_some_probes_are_those_of_a_smaller_share);
    tcase_add_test(tc, all_probes_are_kept_where_there_are_no_more_than_wanted);
    suite_add_tcase(suite, tc);
    return suite;
}
