/* Every cell lies in the box that is said to hold it, there are few enough boxes, and they have readable names. */
#include <math.h>
#include <string.h>

#include "regular_grid.h"
#include "test_main.h"
#include "validate/regions.h"

/* Domains: a grid, and a box of it where south < north. */
static const struct domain_case {
    const char *what;
    struct even_axis lat, lon;
    double west, south, east, north;
    double box_width, band_width; /* expected */
} cases[] = {
    {"globe", {-89.5, 1, 180}, {0.5, 1, 360}, 0, 0, 0, 0, 45, 5},
    {"globe from the dateline, north first", {89.5, -1, 180}, {-179.5, 1, 360}, 0, 0, 0, 0, 45, 5},
    {"globe from 20.5 E", {-89.5, 1, 180}, {20.5, 1, 360}, 0, 0, 0, 0, 45, 5},
    {"globe with rows at both poles", {90, -2.5, 73}, {0, 2.5, 144}, 0, 0, 0, 0, 45, 5},
    {"box across the dateline", {-89.5, 1, 180}, {-179.5, 1, 360}, 160, -20, -170, 10, 5, 1},
    {"box across Greenwich", {-89.5, 1, 180}, {0.5, 1, 360}, -10, 40, 12, 61, 5, 1},
    {"one cell", {-30.125, 1, 1}, {150.125, 1, 1}, 0, 0, 0, 0, 1, 1},
    {"one cell at the pole", {90, 1, 1}, {0, 1, 1}, 0, 0, 0, 0, 1, 1},
    {"one row at the pole", {90, 1, 1}, {0, 10, 36}, 0, 0, 0, 0, 10, 1},
    {"one row at the south pole", {-90, 1, 1}, {0, 10, 36}, 0, 0, 0, 0, 10, 1},
    {"cells on edges", {0, 10, 3}, {0, 10, 4}, 0, 0, 0, 0, 5, 1},
    {"small, north first", {-30.1, -0.2, 40}, {150.1, 0.2, 36}, 0, 0, 0, 0, 2, 1},
    {"a strip right round", {0.5, 1, 2}, {0.5, 1, 360}, 0, 0, 0, 0, 10, 1},
};
enum { N_CASES = sizeof cases / sizeof *cases };

static struct sst_grid *make_domain(const struct domain_case *c, struct sst_domain *domain)
{
    struct sst_grid *grid = regular_grid(c->lat, c->lon);
    struct sst_error err = {0};
    sst_domain_all(grid, domain);
    if (c->south < c->north)
        ck_assert_msg(sst_domain_box(grid, c->west, c->south, c->east, c->north, domain, &err) == SST_OK, "%s",
                      err.text);
    return grid;
}

/* The pole itself belongs to the band below it. */
static bool holds_lat(struct sst_regions regions, size_t region, double lat)
{
    const double south = regions.south + (double)(region / regions.n_lon) * regions.width;
    return lat >= south && (lat < south + regions.width || (lat == 90 && south + regions.width == 90));
}

static bool holds_lon(struct sst_regions regions, size_t region, double lon)
{
    const double west = regions.west + (double)(region % regions.n_lon) * regions.width;
    return regions.whole_circle || fmod(lon - west + 1080, 360) < regions.width;
}

/* Also 360 degrees to either side. */
static bool is_right(struct sst_regions regions, size_t region, double lat, double lon)
{
    return region < sst_regions_count(regions) && holds_lat(regions, region, lat) && holds_lon(regions, region, lon) &&
           sst_regions_at(regions, lat, lon - 360) == region && sst_regions_at(regions, lat, lon + 360) == region;
}

static void check_cells(const struct domain_case *c, const struct sst_domain *domain, struct sst_regions regions)
{
    ck_assert_uint_ge(sst_regions_count(regions), 1);
    ck_assert_uint_le(sst_regions_count(regions), SST_MAX_REGIONS);
    ck_assert_double_le((double)regions.n_lon * regions.width, 360);
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        const double lat = sst_domain_lat(domain, cell / domain->n_cols);
        const double lon = sst_domain_lon(domain, cell % domain->n_cols);
        const size_t region = sst_regions_at(regions, lat, lon);
        if (!is_right(regions, region, lat, lon))
            ck_abort_msg("%s: %g N %g E is said to be in %zu", c->what, lat, lon, region);
    }
}

START_TEST(every_cell_lies_in_the_box_and_band_that_hold_it)
{
    const struct domain_case *c = &cases[_i];
    struct sst_domain domain;
    struct sst_grid *grid = make_domain(c, &domain);
    check_cells(c, &domain, sst_regions_boxes(&domain));
    check_cells(c, &domain, sst_regions_bands(&domain));
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(the_width_is_the_smallest_that_gives_few_enough)
{
    const struct domain_case *c = &cases[_i];
    struct sst_domain domain;
    struct sst_grid *grid = make_domain(c, &domain);
    ck_assert_msg(sst_regions_boxes(&domain).width == c->box_width, "%s: %g", c->what,
                  sst_regions_boxes(&domain).width);
    ck_assert_msg(sst_regions_bands(&domain).width == c->band_width, "%s: %g", c->what,
                  sst_regions_bands(&domain).width);
    ck_assert_uint_eq(sst_regions_bands(&domain).n_lon, 1);
    sst_grid_destroy(&grid);
}
END_TEST

static void check_name(struct sst_regions regions, size_t region, const char *expected)
{
    char buffer[SST_REGION_NAME_SIZE];
    ck_assert_ptr_eq(sst_regions_name(regions, region, buffer), buffer);
    ck_assert_str_eq(buffer, expected);
}

START_TEST(names_are_limits_with_their_hemisphere)
{
    const struct sst_regions bands = {.south = -10, .width = 10, .n_lat = 2, .n_lon = 1, .whole_circle = true};
    check_name(bands, 0, "10S-0");
    check_name(bands, 1, "0-10N");
    const struct sst_regions boxes = {.south = -60, .west = 120, .width = 30, .n_lat = 2, .n_lon = 8};
    check_name(boxes, 0, "60S-30S 120E-150E");
    check_name(boxes, 1, "60S-30S 150E-180");
    check_name(boxes, 2, "60S-30S 180-150W");
    check_name(boxes, 7, "60S-30S 30W-0");
    check_name(boxes, 8, "30S-0 120E-150E");
    const struct sst_regions western = {.south = 60, .west = -180, .width = 15, .n_lat = 2, .n_lon = 24};
    check_name(western, 0, "60N-75N 180-165W");
    check_name(western, 24 + 12, "75N-90N 0-15E");
}
END_TEST

START_TEST(regions_of_a_box_across_the_dateline_go_east_through_it)
{
    struct sst_domain domain;
    struct sst_grid *grid = make_domain(&cases[4], &domain);
    const struct sst_regions boxes = sst_regions_boxes(&domain);
    ck_assert_uint_eq(boxes.n_lat, 6);
    ck_assert_uint_eq(boxes.n_lon, 6);
    check_name(boxes, 0, "20S-15S 160E-165E");
    check_name(boxes, sst_regions_at(boxes, 9.5, -170.5), "5N-10N 175W-170W");
    check_name(boxes, sst_regions_at(boxes, 9.5, 189.5), "5N-10N 175W-170W");
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_season_is_three_months_in_every_calendar)
{
    static const int months[] = {1, 2, 3, 5, 6, 8, 9, 11, 12};
    static const size_t seasons[] = {0, 0, 1, 1, 2, 2, 3, 3, 0};
    static const enum sst_calendar_kind kinds[] = {SST_CALENDAR_STANDARD, SST_CALENDAR_NOLEAP, SST_CALENDAR_360_DAY};
    for (size_t kind = 0; kind < 3; ++kind)
        for (size_t i = 0; i < 9; ++i)
            ck_assert_uint_eq(sst_season_of(kinds[kind], sst_calendar_slot(kinds[kind], months[i], 30 - months[i])),
                              seasons[i]);
    ck_assert_uint_eq(sst_season_of(SST_CALENDAR_STANDARD, SST_N_SLOTS), 0);
    ck_assert_str_eq(sst_season_name(0), "Dec-Feb");
    ck_assert_str_eq(sst_season_name(3), "Sep-Nov");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("regions");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, every_cell_lies_in_the_box_and_band_that_hold_it, 0, N_CASES);
    tcase_add_loop_test(tc, the_width_is_the_smallest_that_gives_few_enough, 0, N_CASES);
    tcase_add_test(tc, names_are_limits_with_their_hemisphere);
    tcase_add_test(tc, regions_of_a_box_across_the_dateline_go_east_through_it);
    tcase_add_test(tc, a_season_is_three_months_in_every_calendar);
    suite_add_tcase(suite, tc);
    return suite;
}
