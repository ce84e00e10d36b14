/* Regions hold the cells whose centres they surround, each once, with the area of the sphere; days sum up by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/region.h"
#include "monitor/region_day.h"
#include "random.h"
#include "regular_grid.h"
#include "test_main.h"

static struct sst_grid *globe(double step, double first_lon, struct sst_domain *domain)
{
    const struct even_axis lat = {-90 + step / 2, step, (size_t)(180 / step)};
    const struct even_axis lon = {first_lon, step, (size_t)(360 / step)};
    struct sst_grid *grid = regular_grid(lat, lon);
    sst_domain_all(grid, domain);
    return grid;
}

static const struct sst_region *find(const struct sst_region_set *set, const char *name)
{
    for (size_t i = 0; i < set->n; ++i)
        if (strcmp(set->regions[i].name, name) == 0)
            return &set->regions[i];
    ck_abort_msg("no region '%s'", name);
}

static bool holds(const struct sst_region *region, const struct sst_domain *domain, double lat, double lon)
{
    for (size_t i = 0; i < region->n_cells; ++i) {
        const double at = sst_domain_lon(domain, region->cells[i] % domain->n_cols);
        if (fabs(sst_domain_lat(domain, region->cells[i] / domain->n_cols) - lat) < 1e-9 &&
            fabs(remainder(at - lon, 360)) < 1e-9)
            return true;
    }
    return false;
}

static double area(const struct sst_region *region, const struct sst_domain *domain)
{
    double rows[720], sum = 0;
    sst_region_row_areas(domain, rows);
    for (size_t i = 0; i < region->n_cells; ++i)
        sum += rows[region->cells[i] / domain->n_cols];
    return sum;
}

/* R^2 (l2 - l1) (sin f2 - sin f1) */
static double box_area(double west, double south, double east, double north)
{
    const double degree = acos(-1.0) / 180;
    return 6371.0088 * 6371.0088 * (east - west) * degree * (sin(north * degree) - sin(south * degree));
}

START_TEST(built_in_boxes_have_their_area)
{
    static const double first_lons[] = {0.5, -179.5, 20.5};
    struct sst_domain domain;
    struct sst_error err = {0};
    struct sst_region_set set = {0};
    struct sst_grid *grid = globe(1, first_lons[_i], &domain);
    ck_assert_int_eq(sst_region_add_builtin(&set, &domain, &err), SST_OK);
    ck_assert_uint_ge(set.n, 20);
    ck_assert_double_eq_tol(area(find(&set, "global_60"), &domain) / box_area(0, -60, 360, 60), 1, 1e-12);
    ck_assert_double_eq_tol(area(find(&set, "nino_3_4"), &domain) / box_area(-170, -5, -120, 5), 1, 1e-12);
    const double globe_km2 = area(find(&set, "north"), &domain) + area(find(&set, "south"), &domain);
    ck_assert_double_eq_tol(globe_km2 / box_area(0, -90, 360, 90), 1, 1e-12);
    ck_assert(holds(find(&set, "mediterranean"), &domain, 35.5, 20.5));
    ck_assert(!holds(find(&set, "mediterranean"), &domain, 43.5, 34.5)); /* the Black Sea */
    ck_assert(!holds(find(&set, "mediterranean"), &domain, 44.5, -3.5)); /* Biscay */
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(only_regions_with_cells_are_built_in)
{
    struct sst_grid *grid = regular_grid((struct even_axis){-40, 1, 8}, (struct even_axis){150, 1, 10});
    struct sst_domain domain;
    struct sst_error err = {0};
    struct sst_region_set set = {0};
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_region_add_builtin(&set, &domain, &err), SST_OK);
    for (size_t i = 0; i < set.n; ++i)
        ck_assert_uint_gt(set.regions[i].n_cells, 0);
    ck_assert_uint_eq(find(&set, "tasman")->n_cells, 80);
    ck_assert_uint_lt(set.n, 6);
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

/* --- GeoJSON ------------------------------------------------------------------------------------------------------ */

static enum sst_status add(struct sst_region_set *set, const struct sst_domain *domain, const char *text,
                           struct sst_error *err)
{
    *err = (struct sst_error){0};
    return sst_region_add_geojson(set, text, strlen(text), "r.geojson", domain, err);
}

#define FEATURE(name, geometry)                                                                                        \
    "{\"type\":\"Feature\",\"properties\":{\"name\":\"" name "\"},\"geometry\":{" geometry "}}"

START_TEST(polygons_share_no_cell_and_miss_none)
{
    /* The world in two, along a slanted line that passes through centres, with a hole in one that the third fills. */
    static const char text[] = "{\"type\":\"FeatureCollection\",\"features\":[" FEATURE(
        "West Side",
        "\"type\":\"Polygon\","
        "\"coordinates\":[[[-180,-90],[-30.5,"
        "-90],[30.5,90],[-180,90],[-180,-90]]"
        ","
        "[[-100.5,-20.5],[-80.5,-20.5],[-80."
        "5,20.5],[-100.5,20.5],[-100.5,-20.5]"
        "]]") "," FEATURE("east", "\"type\":"
                                  "\"Polygon\","
                                  "\"coordinates\":[["
                                  "[-30.5,-90],[180,-"
                                  "90],[180,90],[30."
                                  "5,90],[-30.5,-90]]"
                                  "]") "," FEATURE("h"
                                                   "o"
                                                   "l"
                                                   "e",
                                                   "\"type\":\"Polygon\",\"coordinates\":[[[259.5,-20.5],[279.5,-20.5],"
                                                   "[279.5,20.5],[259.5,20.5],[259.5,-20.5]]]") "]}";
    struct sst_domain domain;
    struct sst_error err;
    struct sst_region_set set = {0};
    struct sst_grid *grid = globe(1, 0.5, &domain);
    uint8_t seen[360 * 180] = {0};
    ck_assert_msg(add(&set, &domain, text, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(set.n, 3);
    for (size_t i = 0; i < set.n; ++i)
        for (size_t c = 0; c < set.regions[i].n_cells; ++c)
            ck_assert_uint_eq(seen[set.regions[i].cells[c]]++, 0);
    for (size_t cell = 0; cell < domain.n_cells; ++cell)
        ck_assert_uint_eq(seen[cell], 1);
    ck_assert_uint_eq(find(&set, "hole")->n_cells, 20 * 41);
    ck_assert_str_eq(find(&set, "west_side")->title, "West Side");
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_polygon_may_cross_the_date_line)
{
    static const char *const texts[] = {
        "{\"type\":\"Polygon\",\"coordinates\":[[[170,-10],[190,-10],[190,10],[170,10],[170,-10]]]}",
        ("{\"type\":\"MultiPolygon\",\"coordinates\":[[[[170,-10],[180,-10],[180,10],[170,10],[170,-10]]],"
         "[[[-180,-10],[-170,-10],[-170,10],[-180,10],[-180,-10]]]]}"),
        "{\"type\":\"Polygon\",\"coordinates\":[[[-190,-10],[-170,-10],[-170,10],[-190,10],[-190,-10]]]}"};
    struct sst_domain domain;
    struct sst_error err;
    struct sst_grid *grid = globe(1, -179.5, &domain);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
        struct sst_region_set set = {0};
        ck_assert_msg(add(&set, &domain, texts[i], &err) == SST_OK, "%s", err.text);
        ck_assert_uint_eq(set.regions[0].n_cells, 400);
        ck_assert(holds(&set.regions[0], &domain, -9.5, 179.5) && holds(&set.regions[0], &domain, 9.5, -170.5));
        ck_assert_str_eq(set.regions[0].name, "region_1");
        sst_region_set_clear(&set);
    }
    sst_grid_destroy(&grid);
}
END_TEST

static const struct refusal {
    const char *text;
    enum sst_status status;
    const char *says;
} refusals[] = {
    {"{\n\"type\": }", SST_ERR_INPUT, "r.geojson: line 2: is not JSON"},
    {"{\"type\":\"FeatureCollection\",\"features\":[]}", SST_ERR_INPUT, "r.geojson: has no feature"},
    {"{\"type\":\"Point\",\"coordinates\":[1,2]}", SST_ERR_INPUT, "feature 1: its geometry is neither"},
    {"{\"type\":\"Feature\",\"geometry\":null}", SST_ERR_INPUT, "feature 1: its geometry is neither"},
    {"[1]", SST_ERR_INPUT, "feature 1: its geometry is neither"},
    {"{\"type\":\"Polygon\",\"coordinates\":[]}", SST_ERR_INPUT, "a polygon has no ring"},
    {"{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[0,0]]]}", SST_ERR_INPUT, "fewer than four positions"},
    {"{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,1],[0,1]]]}", SST_ERR_INPUT,
     "does not end where it begins"},
    {"{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,0],[1,91],[0,0]]]}", SST_ERR_INPUT, "a position is no place"},
    {"{\"type\":\"Polygon\",\"coordinates\":[[[0,0],[1,\"x\"],[1,1],[0,0]]]}", SST_ERR_INPUT, "a position is no place"},
    {"{\"type\":\"Polygon\",\"coordinates\":[[[0.6,0.6],[0.9,0.6],[0.9,0.9],[0.6,0.6]]]}", SST_ERR_GRID,
     "the region 'region_1' holds the centre of no cell of the grid"},
    {"{\"type\":\"FeatureCollection\",\"features\":[" FEATURE(
         "A b",
         "\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,"
         "0],[9,9],[0,0]]]") "," FEATURE("a_B",
                                         "\"type\":\"Polygon\",\"coordinates\":[[[0,0],[9,0],[9,9],[0,0]]]") "]}",
     SST_ERR_INPUT, "feature 2: there is a region 'a_b' already"},
};

START_TEST(what_is_no_region_is_refused)
{
    const struct refusal *refusal = &refusals[_i];
    struct sst_domain domain;
    struct sst_error err;
    struct sst_region_set set = {0};
    struct sst_grid *grid = globe(1, 0.5, &domain);
    ck_assert_int_eq(sst_region_add_builtin(&set, &domain, &err), SST_OK);
    const size_t n = set.n;
    ck_assert_int_eq(add(&set, &domain, refusal->text, &err), refusal->status);
    ck_assert_msg(strstr(err.text, refusal->says), "%s", err.text);
    ck_assert_uint_eq(set.n, n);
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

/* --- days --------------------------------------------------------------------------------------------------------- */

START_TEST(a_day_sums_up_by_hand)
{
    enum { N = 12 };
    static const uint8_t kind[N] = {SST_REGION_NO_SEA, SST_REGION_BESIDE, SST_REGION_UNKNOWN, SST_REGION_KNOWN,
                                    SST_REGION_KNOWN,  SST_REGION_KNOWN,  SST_REGION_KNOWN,   SST_REGION_KNOWN,
                                    SST_REGION_KNOWN,  SST_REGION_KNOWN,  SST_REGION_KNOWN,   SST_REGION_KNOWN};
    static const uint8_t category[N] = {4, 4, 4, 0, 1, 2, 0, 0, 0, 0, 0, 0};
    static const uint8_t event[N] = {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0};
    static const uint8_t candidate[N] = {1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    const float anomaly[N] = {9, 9, 9, 0.5F, 2, 3, 1, 0, 0, 0, 0, NAN};
    const float severity[N] = {9, 9, 9, 0.5F, 1.5F, 2.5F, 1.1F, 0, 0, 0, 0, NAN};
    struct sst_grid *grid = regular_grid((struct even_axis){0, 1, 1}, (struct even_axis){10, 1, N});
    struct sst_domain domain;
    struct sst_error err = {0};
    struct sst_region_set set = {0};
    struct sst_region_scratch *scratch = NULL;
    struct sst_region_day day;
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_region_add_builtin(&set, &domain, &err), SST_OK);
    ck_assert_int_eq(sst_region_scratch_create(&set, &domain, &scratch, &err), SST_OK);
    const struct sst_region_cells cells = {kind, category, event, candidate, anomaly, severity};
    sst_region_sum_day(scratch, find(&set, "tropics"), &cells, &day);
    const double cell = box_area(0, -0.5, 1, 0.5);
    ck_assert_double_eq_tol(day.known_km2, 9 * cell, 1e-6);
    ck_assert_double_eq_tol(day.unknown_km2, cell, 1e-6);
    ck_assert_double_eq_tol(day.beside_km2, cell, 1e-6);
    ck_assert_double_eq_tol(day.candidate_km2, cell, 1e-6);
    ck_assert_double_eq_tol(day.category_km2[0], cell, 1e-6);
    ck_assert_double_eq_tol(day.category_km2[1], cell, 1e-6);
    ck_assert_double_eq_tol(day.category_km2[2], cell, 1e-6);
    ck_assert_double_eq(day.category_km2[4], 0);
    ck_assert_double_eq_tol(day.mean_intensity, 2.5, 1e-12);
    ck_assert_double_eq(day.max_intensity, 3);
    ck_assert_uint_eq(day.max_cell, 5);
    ck_assert_double_eq_tol(day.mean_anomaly, 6.5 / 8, 1e-12);
    ck_assert_double_eq(day.p90_severity, 2.5); /* of eight equal areas no seven are nine tenths */
    sst_region_scratch_destroy(&scratch);
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Cells of one area: the percentile is the value that a tenth of them exceed, whatever they are. */
START_TEST(the_percentile_is_that_of_sorted_values)
{
    enum { N = 360 };
    static const float scales[] = {0, 1e-30F, 1, 3e20F};
    struct sst_grid *grid = regular_grid((struct even_axis){0, 1, 1}, (struct even_axis){0.5, 1, N});
    struct test_random random = {(uint64_t)_i};
    struct sst_domain domain;
    struct sst_error err = {0};
    struct sst_region_set set = {0};
    struct sst_region_scratch *scratch = NULL;
    struct sst_region_day day;
    uint8_t kind[N], none[N] = {0};
    float severity[N], sorted[N];
    sst_domain_all(grid, &domain);
    ck_assert_int_eq(sst_region_add_builtin(&set, &domain, &err), SST_OK);
    ck_assert_int_eq(sst_region_scratch_create(&set, &domain, &scratch, &err), SST_OK);
    for (int round = 0; round < 200; ++round) {
        const int n = 1 + test_random_below(&random, N);
        for (int i = 0; i < N; ++i) {
            kind[i] = i < n ? SST_REGION_KNOWN : SST_REGION_NO_SEA;
            severity[i] = sorted[i] = scales[_i] * (float)(test_random_below(&random, 2001) - 1000) / 1000;
        }
        qsort(sorted, (size_t)n, sizeof *sorted, compare_floats);
        const struct sst_region_cells cells = {kind, none, none, none, severity, severity};
        sst_region_sum_day(scratch, find(&set, "tropics"), &cells, &day);
        const double wanted = sorted[n - 1 - n / 10], beside = sorted[n - 1 - (n % 10 ? n / 10 : n / 10 - 1)];
        ck_assert(day.p90_severity == wanted || day.p90_severity == beside); /* sums of areas round where n is 10 m */
    }
    sst_region_scratch_destroy(&scratch);
    sst_region_set_clear(&set);
    sst_grid_destroy(&grid);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("regions");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, built_in_boxes_have_their_area, 0, 3);
    tcase_add_test(tc, only_regions_with_cells_are_built_in);
    tcase_add_test(tc, polygons_share_no_cell_and_miss_none);
    tcase_add_test(tc, a_polygon_may_cross_the_date_line);
    tcase_add_loop_test(tc, what_is_no_region_is_refused, 0, (int)(sizeof refusals / sizeof *refusals));
    tcase_add_test(tc, a_day_sums_up_by_hand);
    tcase_add_loop_test(tc, the_percentile_is_that_of_sorted_values, 0, 4);
    suite_add_tcase(suite, tc);
    return suite;
}
