/* core/grid keeps its header's promises: axes, seams, boxes, canonical order, digests. */
#include <math.h>
#include <string.h>

#include "core/grid.h"
#include "test_main.h"

enum { N_LAT = 6, N_LON = 12 };

/* A global grid of 30 degrees: latitude up or down, first meridian at `first_lon`, longitudes kept within -180..360. */
static struct sst_grid *global_grid(bool up, double first_lon, double noise)
{
    double lat[N_LAT], lon[N_LON];
    for (int i = 0; i < N_LAT; ++i)
        lat[i] = (up ? -75.0 + 30.0 * i : 75.0 - 30.0 * i) + noise;
    for (int i = 0; i < N_LON; ++i) {
        lon[i] = first_lon + 30.0 * i - noise;
        if (first_lon < 0.0 && lon[i] >= 180.0)
            lon[i] -= 360.0;
    }
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    if (sst_grid_create(lat, N_LAT, lon, N_LON, &grid, &err) != SST_OK)
        ck_abort_msg("%s", err.text);
    return grid;
}

static enum sst_status try_grid(const double *lat, size_t n_lat, const double *lon, size_t n_lon, const char *reason)
{
    struct sst_grid *grid = NULL;
    struct sst_error err = {0};
    const enum sst_status rc = sst_grid_create(lat, n_lat, lon, n_lon, &grid, &err);
    if (rc != SST_OK) {
        ck_assert_ptr_null(grid);
        if (!strstr(err.text, reason))
            ck_abort_msg("\"%s\" does not say \"%s\"", err.text, reason);
    }
    sst_grid_destroy(&grid);
    return rc;
}

START_TEST(axes_that_are_no_grid_are_refused_with_the_place)
{
    const double lat[3] = {-10, 0, 10}, lon[4] = {0, 90, 180, 270};
    const double jumpy[3] = {-10, 10, 0}, twice[3] = {0, 0, 10}, far[3] = {80, 90, 100}, hole[3] = {0, NAN, 10};
    const double back[4] = {0, 90, 80, 270}, round[5] = {90, 180, -90, 0, 90}, seam[5] = {0, 90, 180, 270, 360},
                 west[4] = {270, 180, 90, 0};
    const double wild[2] = {0, 9.96921e36};
    ck_assert_int_eq(try_grid(lat, 3, lon, 4, ""), SST_OK);
    ck_assert_int_eq(try_grid(lat, 0, lon, 4, "empty"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(jumpy, 3, lon, 4, "rows 1 and 2"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(twice, 3, lon, 4, "rows 0 and 1"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(far, 3, lon, 4, "row 2 is 100"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(hole, 3, lon, 4, "row 1"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, back, 4, "columns 1 and 2"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, west, 2, "eastwards"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, round, 4, ""), SST_OK);
    ck_assert_int_eq(try_grid(lat, 3, round, 5, "one meridian"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, west, 4, "eastwards"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, seam, 5, "one meridian"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 3, wild, 2, "column 1"), SST_ERR_GRID);
    ck_assert_int_eq(try_grid(lat, 1, lon, 1, ""), SST_OK);
}
END_TEST

START_TEST(only_a_grid_right_round_the_globe_wraps)
{
    const double lat[2] = {0, 1}, part[3] = {0, 90, 180}, across[4] = {160, 170, 180, -170};
    struct sst_grid *grid = global_grid(true, 0.0, 0.0);
    struct sst_error err = {0};
    ck_assert(grid->wraps);
    sst_grid_destroy(&grid);
    ck_assert_int_eq(sst_grid_create(lat, 2, part, 3, &grid, &err), SST_OK);
    ck_assert(!grid->wraps);
    sst_grid_destroy(&grid);
    ck_assert_int_eq(sst_grid_create(lat, 2, across, 4, &grid, &err), SST_OK);
    ck_assert(!grid->wraps);
    ck_assert_uint_eq(grid->canonical_col, 0);
    sst_grid_destroy(&grid);
    ck_assert_ptr_null(grid);
    sst_grid_destroy(&grid);
}
END_TEST

static const struct {
    bool up;
    double first_lon;
} orientations[] = {{true, 0}, {false, 0}, {true, -180}, {false, -180}, {true, 30}, {false, -60}};
enum { N_ORIENTATIONS = sizeof orientations / sizeof *orientations };

/* A field whose value is a function of the place alone. */
static void fill_by_place(const struct sst_domain *domain, int16_t *codes)
{
    for (size_t row = 0; row < domain->n_rows; ++row)
        for (size_t col = 0; col < domain->n_cols; ++col) {
            const long lon = lround(sst_domain_lon(domain, col) + 720.0) % 360;
            codes[row * domain->n_cols + col] = (int16_t)(100 * lround(sst_domain_lat(domain, row)) + lon);
        }
}

START_TEST(every_orientation_has_one_digest_and_is_matched)
{
    struct sst_grid *first = global_grid(true, 0.0, 0.0);
    struct sst_grid *grid = global_grid(orientations[_i].up, orientations[_i].first_lon, 1e-4);
    struct sst_domain domain, first_domain;
    struct sst_grid_map map;
    struct sst_error err = {0};
    int16_t codes[N_LAT * N_LON], first_codes[N_LAT * N_LON];
    ck_assert_uint_eq(sst_grid_digest(first), sst_grid_digest(grid));
    ck_assert_int_eq(sst_grid_match(first, grid, &map, &err), SST_OK);
    sst_domain_all(first, &first_domain);
    sst_domain_all(grid, &domain);
    fill_by_place(&first_domain, first_codes);
    fill_by_place(&domain, codes);
    ck_assert_uint_eq(sst_domain_digest(&first_domain, first_codes), sst_domain_digest(&domain, codes));
    for (size_t row = 0; row < N_LAT; ++row)
        for (size_t col = 0; col < N_LON; ++col) {
            const size_t file_row = map.flip_lat ? N_LAT - 1 - row : row, file_col = (col + map.shift_lon) % N_LON;
            ck_assert_int_eq(codes[file_row * N_LON + file_col], first_codes[row * N_LON + col]);
            ck_assert_uint_eq(sst_domain_canonical(&domain, file_row * N_LON + file_col), row * N_LON + col);
        }
    codes[17] = (int16_t)(codes[17] + 1);
    ck_assert_uint_ne(sst_domain_digest(&first_domain, first_codes), sst_domain_digest(&domain, codes));
    sst_grid_destroy(&first);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(a_copy_is_the_grid_and_matches_it_as_it_lies)
{
    struct sst_grid *grid = global_grid(orientations[_i].up, orientations[_i].first_lon, 0.0), *copy = NULL;
    struct sst_grid_map map = {.flip_lat = true, .shift_lon = 3};
    struct sst_error err = {0};
    ck_assert_int_eq(sst_grid_copy(grid, &copy, &err), SST_OK);
    ck_assert_ptr_ne(grid->lat, copy->lat);
    ck_assert_ptr_ne(grid->lon, copy->lon);
    ck_assert_mem_eq(grid->lat, copy->lat, N_LAT * sizeof *grid->lat);
    ck_assert_mem_eq(grid->lon, copy->lon, N_LON * sizeof *grid->lon);
    ck_assert_int_eq(grid->wraps, copy->wraps);
    ck_assert_uint_eq(grid->canonical_col, copy->canonical_col);
    ck_assert_uint_eq(sst_grid_digest(grid), sst_grid_digest(copy));
    ck_assert_int_eq(sst_grid_match(grid, copy, &map, &err), SST_OK);
    ck_assert(!map.flip_lat);
    ck_assert_uint_eq(map.shift_lon, 0);
    sst_grid_destroy(&grid);
    sst_grid_destroy(&copy);
}
END_TEST

START_TEST(grids_join_within_one_hundredth_of_the_spacing_and_not_beyond)
{
    struct sst_grid *run = global_grid(true, 0.0, 0.0);
    struct sst_grid *near = global_grid(true, 0.0, 0.29), *far = global_grid(true, 0.0, 0.31);
    struct sst_grid_map map;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_grid_match(run, near, &map, &err), SST_OK);
    ck_assert_int_eq(sst_grid_match(run, far, &map, &err), SST_ERR_GRID);
    ck_assert_ptr_nonnull(strstr(err.text, "latitude: row 0 is -74.69, not -75"));
    ck_assert_uint_ne(sst_grid_digest(run), sst_grid_digest(far));
    sst_grid_destroy(&near);
    sst_grid_destroy(&far);
    sst_grid_destroy(&run);
}
END_TEST

START_TEST(a_grid_of_another_size_or_longitude_is_told_apart)
{
    const double lat[2] = {0, 10}, lon[3] = {0, 10, 20}, other[3] = {0, 10, 21}, two[2] = {0, 10};
    struct sst_grid *run = NULL, *wide = NULL, *small = NULL;
    struct sst_grid_map map;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_grid_create(lat, 2, lon, 3, &run, &err), SST_OK);
    ck_assert_int_eq(sst_grid_create(lat, 2, other, 3, &wide, &err), SST_OK);
    ck_assert_int_eq(sst_grid_create(lat, 2, two, 2, &small, &err), SST_OK);
    ck_assert_int_eq(sst_grid_match(run, wide, &map, &err), SST_ERR_GRID);
    ck_assert_ptr_nonnull(strstr(err.text, "longitude: column 2 is 21, not 20"));
    sst_error_clear(&err);
    ck_assert_int_eq(sst_grid_match(run, small, &map, &err), SST_ERR_GRID);
    ck_assert_ptr_nonnull(strstr(err.text, "2 x 2 cells, not 2 x 3"));
    sst_grid_destroy(&run);
    sst_grid_destroy(&wide);
    sst_grid_destroy(&small);
}
END_TEST

START_TEST(float32_and_double_axes_of_one_product_are_one_grid)
{
    enum { N = 7200 };
    static double lat[3600], lon[N], lat_f[3600], lon_f[N];
    for (int i = 0; i < 3600; ++i) {
        lat[i] = -89.975 + 0.05 * i;
        lat_f[i] = (double)(float)lat[i];
    }
    for (int i = 0; i < N; ++i) {
        lon[i] = -179.975 + 0.05 * i;
        lon_f[i] = (double)(float)lon[i];
    }
    struct sst_grid *a = NULL, *b = NULL;
    struct sst_grid_map map;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_grid_create(lat, 3600, lon, N, &a, &err), SST_OK);
    ck_assert_int_eq(sst_grid_create(lat_f, 3600, lon_f, N, &b, &err), SST_OK);
    ck_assert(a->wraps && b->wraps);
    ck_assert_int_eq(sst_grid_match(a, b, &map, &err), SST_OK);
    ck_assert_uint_eq(map.shift_lon, 0);
    ck_assert_uint_eq(sst_grid_digest(a), sst_grid_digest(b));
    sst_grid_destroy(&a);
    sst_grid_destroy(&b);
}
END_TEST

static const struct {
    double west, east;
    size_t n_cols;
    double first, last; /* longitudes, modulo 360 */
} boxes[] = {
    {30, 90, 3, 30, 90},     {-30, 30, 3, 330, 30},     {330, 30, 3, 330, 30},   {150, -150, 3, 150, 210},
    {150, 210, 3, 150, 210}, {-180, 180, 12, 180, 150}, {0, 360, 12, 0, 330},    {29.9, 30.1, 1, 30, 30},
    {30, 30, 1, 30, 30},     {90, 60, 12, 90, 60},      {30.2, 89.8, 3, 30, 90}, {30.4, 89.6, 1, 60, 60},
};

START_TEST(boxes_across_greenwich_and_the_date_line_hold_the_same_cells_in_any_convention)
{
    for (int k = 0; k < N_ORIENTATIONS; ++k) {
        struct sst_grid *grid = global_grid(orientations[k].up, orientations[k].first_lon, 0.0);
        struct sst_domain box;
        struct sst_error err = {0};
        if (sst_domain_box(grid, boxes[_i].west, -46, boxes[_i].east, 16, &box, &err) != SST_OK)
            ck_abort_msg("%s", err.text);
        ck_assert_uint_eq(box.n_cols, boxes[_i].n_cols);
        ck_assert_uint_eq(box.n_rows, 3);
        ck_assert_uint_eq(box.n_cells, 3 * boxes[_i].n_cols);
        ck_assert_double_eq(fmod(sst_domain_lon(&box, 0) + 360.0, 360.0), boxes[_i].first);
        ck_assert_double_eq(fmod(sst_domain_lon(&box, box.n_cols - 1) + 360.0, 360.0), boxes[_i].last);
        ck_assert_double_eq(fmin(sst_domain_lat(&box, 0), sst_domain_lat(&box, 2)), -45.0);
        for (size_t col = 1; col < box.n_cols; ++col)
            ck_assert_double_eq(sst_domain_lon(&box, col) - sst_domain_lon(&box, col - 1), 30.0);
        sst_grid_destroy(&grid);
    }
}
END_TEST

START_TEST(one_box_has_one_digest_and_canonical_cells_whatever_the_orientation)
{
    uint64_t digest = 0, sum = 0;
    for (int k = 0; k < N_ORIENTATIONS; ++k) {
        struct sst_grid *grid = global_grid(orientations[k].up, orientations[k].first_lon, 0.0);
        struct sst_domain box;
        struct sst_error err = {0};
        int16_t codes[N_LAT * N_LON];
        uint64_t cells = 0;
        ck_assert_int_eq(sst_domain_box(grid, -60, -50, 60, 50, &box, &err), SST_OK);
        fill_by_place(&box, codes);
        for (size_t cell = 0; cell < box.n_cells; ++cell)
            cells |= UINT64_C(1) << sst_domain_canonical(&box, cell) % 64;
        if (k == 0) {
            digest = sst_domain_digest(&box, codes);
            sum = cells;
        }
        ck_assert_uint_eq(sst_domain_digest(&box, codes), digest);
        ck_assert_uint_eq(cells, sum);
        sst_grid_destroy(&grid);
    }
}
END_TEST

START_TEST(bad_and_empty_boxes_are_refused)
{
    struct sst_grid *grid = global_grid(true, 0.0, 0.0), *part = NULL;
    struct sst_domain box;
    struct sst_error err = {0};
    const double lat[2] = {0, 1}, lon[4] = {0, 100, 200, 300}, regional[4] = {0, 30, 60, 90};
    ck_assert_int_eq(sst_domain_box(grid, 0, 10, 10, -10, &box, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "WEST,SOUTH,EAST,NORTH"));
    ck_assert_int_eq(sst_domain_box(grid, 0, -91, 10, 0, &box, NULL), SST_ERR_USAGE);
    ck_assert_int_eq(sst_domain_box(grid, NAN, -10, 10, 0, &box, NULL), SST_ERR_USAGE);
    ck_assert_int_eq(sst_domain_box(grid, 0, -10, 800, 0, &box, NULL), SST_ERR_USAGE);
    sst_error_clear(&err);
    ck_assert_int_eq(sst_domain_box(grid, 5, -10, 10, 10, &box, &err), SST_ERR_GRID);
    ck_assert_ptr_nonnull(strstr(err.text, "holds no cell"));
    sst_error_clear(&err);
    ck_assert_int_eq(sst_grid_create(lat, 2, lon, 4, &part, &err), SST_OK);
    ck_assert(part->wraps);
    sst_grid_destroy(&part);
    ck_assert_int_eq(sst_grid_create(lat, 2, regional, 4, &part, &err), SST_OK);
    ck_assert_int_eq(sst_domain_box(part, 80, -1, 10, 2, &box, &err), SST_ERR_GRID);
    ck_assert_ptr_nonnull(strstr(err.text, "both ends"));
    sst_grid_destroy(&part);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(rows_weigh_by_the_cosine_of_their_latitude)
{
    struct sst_grid *grid = global_grid(true, 0.0, 0.0);
    struct sst_domain domain;
    double weights[N_LAT];
    sst_domain_all(grid, &domain);
    ck_assert_uint_eq(domain.n_cells, N_LAT * N_LON);
    sst_domain_row_weights(&domain, weights);
    ck_assert_double_eq_tol(weights[0], 0.25881904510252074, 1e-15);
    ck_assert_double_eq_tol(weights[3], 0.9659258262890683, 1e-15);
    sst_grid_destroy(&grid);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("grid");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, axes_that_are_no_grid_are_refused_with_the_place);
    tcase_add_test(tc, only_a_grid_right_round_the_globe_wraps);
    tcase_add_loop_test(tc, every_orientation_has_one_digest_and_is_matched, 0, N_ORIENTATIONS);
    tcase_add_loop_test(tc, a_copy_is_the_grid_and_matches_it_as_it_lies, 0, N_ORIENTATIONS);
    tcase_add_test(tc, grids_join_within_one_hundredth_of_the_spacing_and_not_beyond);
    tcase_add_test(tc, a_grid_of_another_size_or_longitude_is_told_apart);
    tcase_add_test(tc, float32_and_double_axes_of_one_product_are_one_grid);
    tcase_add_loop_test(tc, boxes_across_greenwich_and_the_date_line_hold_the_same_cells_in_any_convention, 0,
                        sizeof boxes / sizeof *boxes);
    tcase_add_test(tc, one_box_has_one_digest_and_canonical_cells_whatever_the_orientation);
    tcase_add_test(tc, bad_and_empty_boxes_are_refused);
    tcase_add_test(tc, rows_weigh_by_the_cosine_of_their_latitude);
    suite_add_tcase(suite, tc);
    return suite;
}
