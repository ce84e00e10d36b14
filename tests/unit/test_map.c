/* A map has north at the top and east to the right whatever the domain does, and its blocks are means. */
#include <math.h>

#include "regular_grid.h"
#include "test_main.h"
#include "validate/map.h"

#define EDGE_NOISE 1e-9 /* [degrees] */

static struct sst_map *make_map(const struct sst_domain *domain)
{
    struct sst_map *map = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_map_create(domain, &map, &err) == SST_OK, "%s", err.text);
    return map;
}

static void check_edges(const struct sst_map *map, double north, double south, double west, double east)
{
    ck_assert_double_eq_tol(map->north, north, EDGE_NOISE);
    ck_assert_double_eq_tol(map->south, south, EDGE_NOISE);
    ck_assert_double_eq_tol(map->west, west, EDGE_NOISE);
    ck_assert_double_eq_tol(map->east, east, EDGE_NOISE);
}

START_TEST(rows_go_from_north_to_south_whichever_way_the_domain_goes)
{
    static const struct even_axis lats[] = {{-1, 1, 3}, {1, -1, 3}};
    const struct even_axis lon = {100, 2, 4};
    struct sst_grid *grid = regular_grid(lats[_i], lon);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    struct sst_map *map = make_map(&domain);
    ck_assert_uint_eq(map->n_rows, 3);
    ck_assert_uint_eq(map->n_cols, 4);
    check_edges(map, 1.5, -1.5, 99, 107);
    for (size_t cell = 0; cell < domain.n_cells; ++cell)
        sst_map_add(map, cell, 1000 * sst_domain_lat(&domain, cell / 4) + sst_domain_lon(&domain, cell % 4));
    for (size_t row = 0; row < 3; ++row)
        for (size_t col = 0; col < 4; ++col)
            ck_assert_double_eq(sst_map_value(map, row, col), 1000 * (1 - (double)row) + 100 + 2 * (double)col);
    sst_map_destroy(&map);
    ck_assert_ptr_null(map);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_block_is_the_mean_of_its_values_without_nan)
{
    const struct even_axis lat = {-89.75, 0.5, 360}, lon = {0.25, 0.5, 720};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    struct sst_map *map = make_map(&domain);
    ck_assert_uint_eq(map->n_rows, SST_MAP_MAX_ROWS);
    ck_assert_uint_eq(map->n_cols, SST_MAP_MAX_COLS);
    check_edges(map, 90, -90, 0, 360);
    /* The block at the north-west corner: the last two rows of the domain. */
    sst_map_add(map, 359 * 720 + 0, 4);
    sst_map_add(map, 359 * 720 + 1, NAN);
    sst_map_add(map, 358 * 720 + 1, 7);
    sst_map_add(map, 358 * 720 + 0, 4);
    ck_assert_double_eq(sst_map_value(map, 0, 0), 5);
    ck_assert(isnan(sst_map_value(map, 0, 1)));
    ck_assert(isnan(sst_map_value(map, 1, 0)));
    sst_map_add(map, 0 * 720 + 719, NAN);
    ck_assert(isnan(sst_map_value(map, 179, 359)));
    sst_map_add(map, 0 * 720 + 719, -2);
    ck_assert_double_eq(sst_map_value(map, 179, 359), -2);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(blocks_of_a_size_that_does_not_divide_lie_where_their_cells_are)
{
    /* 901 rows of 6 to a block would be 150 blocks and one row. */
    const struct even_axis lat = {40, -0.1, 901}, lon = {10, 0.1, 1801};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    struct sst_map *map = make_map(&domain);
    ck_assert_uint_eq(map->n_rows, 151);
    ck_assert_uint_eq(map->n_cols, 301);
    for (size_t col = 0; col < domain.n_cols; ++col)
        sst_map_add(map, 900 * domain.n_cols + col, sst_domain_lon(&domain, col));
    const double width = (map->east - map->west) / 301;
    for (size_t col = 0; col < 301; ++col)
        ck_assert_double_eq_tol(sst_map_value(map, 150, col), map->west + ((double)col + 0.5) * width, 0.1);
    for (size_t row = 0; row < domain.n_rows; ++row)
        ck_assert_double_eq_tol((double)map->block_of_row[row] + 0.5, ((double)row + 0.5) * 151 / 901, 0.6);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_domain_across_the_dateline_is_one_piece)
{
    const struct even_axis lat = {-89, 2, 90}, lon = {-179, 2, 180};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_domain_box(grid, 170, -10, -170, 10, &domain, &err), SST_OK);
    struct sst_map *map = make_map(&domain);
    check_edges(map, 10, -10, 170, 190);
    sst_map_add(map, 9 * 10 + 9, 3);
    ck_assert_double_eq(sst_map_value(map, 0, 9), 3);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(edges_stop_at_the_poles_and_after_one_round)
{
    const struct even_axis lat = {-90, 2.5, 73}, lon = {0, 2.5, 144};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    sst_domain_all(grid, &domain);
    struct sst_map *map = make_map(&domain);
    check_edges(map, 90, -90, -1.25, 358.75);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);

    const double lats[2] = {0, 10}, lons[3] = {0, 100, 250}; /* half steps of 50 and 75 would reach round by 15 */
    struct sst_error err = {0};
    ck_assert_int_eq(sst_grid_create(lats, 2, lons, 3, &grid, &err), SST_OK);
    sst_domain_all(grid, &domain);
    map = make_map(&domain);
    check_edges(map, 15, -5, -50, 310);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(one_cell_is_as_large_as_its_grid_says)
{
    const struct even_axis lat = {-45, 0.5, 9}, lon = {150, 0.25, 9};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_domain_box(grid, 152, -41, 152, -41, &domain, &err), SST_OK);
    ck_assert_uint_eq(domain.n_cells, 1);
    struct sst_map *map = make_map(&domain);
    check_edges(map, -40.75, -41.25, 151.875, 152.125);
    sst_map_destroy(&map);
    ck_assert_int_eq(sst_domain_box(grid, 150, -45, 150, -45, &domain, &err), SST_OK);
    map = make_map(&domain);
    check_edges(map, -44.75, -45.25, 149.875, 150.125);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);

    const struct even_axis lone_lat = {10, 1, 1}, lone_lon = {20, 1, 1}, pair = {20, 0.5, 2};
    grid = regular_grid(lone_lat, lone_lon);
    sst_domain_all(grid, &domain);
    map = make_map(&domain);
    check_edges(map, 10.5, 9.5, 19.5, 20.5);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
    grid = regular_grid(lone_lat, pair);
    sst_domain_all(grid, &domain);
    map = make_map(&domain);
    check_edges(map, 10.25, 9.75, 19.75, 20.75);
    sst_map_destroy(&map);
    sst_grid_destroy(&grid);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("map");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, rows_go_from_north_to_south_whichever_way_the_domain_goes, 0, 2);
    tcase_add_test(tc, a_block_is_the_mean_of_its_values_without_nan);
    tcase_add_test(tc, blocks_of_a_size_that_does_not_divide_lie_where_their_cells_are);
    tcase_add_test(tc, a_domain_across_the_dateline_is_one_piece);
    tcase_add_test(tc, edges_stop_at_the_poles_and_after_one_round);
    tcase_add_test(tc, one_cell_is_as_large_as_its_grid_says);
    suite_add_tcase(suite, tc);
    return suite;
}
