/* Areas are the components of a day, are called alike from day to day, and have outlines that hold their cells and no other. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "crash_scale.h"
#include "monitor/area.h"
#include "random.h"
#include "regular_grid.h"
#include "test_main.h"

enum { ROWS = 18, COLS = 36, CELLS = ROWS * COLS };

struct sea {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_area_tracker *tracker;
    uint8_t kind[CELLS], category[CELLS], event[CELLS], candidate[CELLS];
    float anomaly[CELLS], severity[CELLS];
    int day;
};

static void open_tracker(struct sea *sea, struct sst_area_tracker **out)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_area_tracker_create(&sea->domain, SST_CALENDAR_STANDARD, out, &err), SST_OK);
}

static void open_sea(struct sea *sea, struct even_axis lat, struct even_axis lon)
{
    memset(sea, 0, sizeof *sea);
    sea->grid = regular_grid(lat, lon);
    sst_domain_all(sea->grid, &sea->domain);
    ck_assert_uint_le(sea->domain.n_cells, CELLS);
    open_tracker(sea, &sea->tracker);
    memset(sea->kind, SST_REGION_KNOWN, sizeof sea->kind);
    for (size_t i = 0; i < CELLS; ++i)
        sea->anomaly[i] = (float)(i % 7);
    sea->day = 1;
}

static void close_sea(struct sea *sea)
{
    sst_area_tracker_destroy(&sea->tracker);
    sst_grid_destroy(&sea->grid);
}

static void step(struct sea *sea, struct sst_area_tracker *tracker)
{
    const struct sst_region_cells cells = {sea->kind,      sea->category, sea->event,
                                           sea->candidate, sea->anomaly,  sea->severity};
    const struct sst_day day = {2026, sea->day};
    struct sst_error err = {0};
    ck_assert_msg(sst_area_step(tracker, day, &cells, &err) == SST_OK, "%s", err.text);
}

/* Rows from the north, '#' for a cell in an event; of the domain's size. */
static void draw(struct sea *sea, const char *const *rows)
{
    for (size_t row = 0; row < sea->domain.n_rows; ++row)
        for (size_t col = 0; col < sea->domain.n_cols; ++col)
            sea->event[row * sea->domain.n_cols + col] = rows[row][col] == '#';
    step(sea, sea->tracker);
    ++sea->day;
}

static const struct sst_area *present(const struct sea *sea, size_t i)
{
    ck_assert_uint_lt(i, sst_area_n_present(sea->tracker));
    return &sst_area_all(sea->tracker)[i];
}

static const struct sst_area *gone(const struct sea *sea, size_t i)
{
    ck_assert_uint_lt(i, sst_area_n_gone(sea->tracker));
    return &sst_area_all(sea->tracker)[sst_area_n_present(sea->tracker) + i];
}

/* --- from day to day ---------------------------------------------------------------------------------------------- */

static const struct even_axis four_rows = {1.5, -1, 4}, ten_cols = {10.5, 1, 10};

START_TEST(areas_go_on_merge_split_and_end)
{
    struct sea sea;
    char text[SST_AREA_ID_TEXT_SIZE];
    open_sea(&sea, four_rows, ten_cols);
    draw(&sea, (const char *const[]){"##........", "##.....#..", "...#...###", "........#."});
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 3);
    const uint64_t big = present(&sea, 0)->id, small = present(&sea, 2)->id, right = present(&sea, 1)->id;
    ck_assert_str_eq(sst_area_id_text(small, sea.grid, text), "20260101-0.50S-13.50E");
    ck_assert_str_eq(sst_area_id_text(right, sea.grid, text), "20260101-1.50S-18.50E");
    /* All that touch on the left become one, named after the larger; the right one goes on. */
    draw(&sea, (const char *const[]){"####......", "####......", "...#...##.", ".........."});
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 2);
    ck_assert_uint_eq(present(&sea, 0)->id, big);
    ck_assert_uint_eq(present(&sea, 1)->id, right);
    ck_assert_int_eq(present(&sea, 0)->n_days, 2);
    ck_assert_uint_eq(sst_area_n_gone(sea.tracker), 1);
    ck_assert_uint_eq(gone(&sea, 0)->id, small);
    ck_assert_int_eq(gone(&sea, 0)->status, SST_AREA_MERGED);
    ck_assert_uint_eq(gone(&sea, 0)->merged_into, big);
    /* It falls apart: the larger part keeps the name. The right one ends. */
    draw(&sea, (const char *const[]){"#.##......", "#.##......", "...#......", ".........."});
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 2);
    ck_assert_uint_eq(present(&sea, 1)->id, big);
    ck_assert_int_eq(present(&sea, 0)->first.slot, 3);
    ck_assert_uint_eq(present(&sea, 0)->split_from, big);
    ck_assert_uint_eq(present(&sea, 1)->split_from, 0);
    ck_assert_int_eq(gone(&sea, 0)->status, SST_AREA_ENDED);
    ck_assert_uint_eq(gone(&sea, 0)->id, right);
    ck_assert_int_eq(gone(&sea, 0)->last.slot, 2);
    ck_assert_double_gt(present(&sea, 1)->most_km2, present(&sea, 1)->km2);
    draw(&sea, (const char *const[]){"..........", "..........", "..........", ".........."});
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 0);
    ck_assert_uint_eq(sst_area_n_gone(sea.tracker), 2);
    draw(&sea, (const char *const[]){"..........", "..........", "..........", ".........."});
    ck_assert_uint_eq(sst_area_n_gone(sea.tracker), 0);
    close_sea(&sea);
}
END_TEST

START_TEST(an_area_is_what_its_cells_are)
{
    struct sea sea;
    open_sea(&sea, four_rows, ten_cols);
    sea.anomaly[1] = -5;
    sea.anomaly[2] = 2;
    sea.category[1] = 2;
    sea.category[2] = 3;
    sea.kind[3] = SST_REGION_BESIDE;
    draw(&sea, (const char *const[]){".###......", "..........", "..........", ".........."});
    const struct sst_area *area = present(&sea, 0);
    double rows[ROWS];
    sst_region_row_areas(&sea.domain, rows);
    ck_assert_double_eq_tol(area->km2, 2 * rows[0], 1e-9);
    ck_assert_double_eq_tol(area->lat, 1.5, 1e-3);
    ck_assert_double_eq_tol(area->lon, 12, 1e-9);
    ck_assert_double_eq_tol(area->mean_intensity, -1.5, 1e-12);
    ck_assert_double_eq(area->max_intensity, -5);
    ck_assert_uint_eq(area->max_cell, 1);
    ck_assert_int_eq(area->category, 3);
    sea.anomaly[1] = -4;
    sea.category[2] = 1;
    draw(&sea, (const char *const[]){".##.......", "..........", "..........", ".........."});
    area = present(&sea, 0);
    ck_assert_double_eq(area->max_intensity, -4);
    ck_assert_double_eq(area->peak_intensity, -5);
    ck_assert_int_eq(area->peak.slot, 1);
    ck_assert_int_eq(area->highest_category, 3);
    ck_assert_int_eq(area->category, 2);
    close_sea(&sea);
}
END_TEST

START_TEST(days_must_be_in_order)
{
    struct sea sea;
    struct sst_error err = {0};
    open_sea(&sea, four_rows, ten_cols);
    draw(&sea, (const char *const[]){"#.........", "..........", "..........", ".........."});
    const struct sst_region_cells cells = {sea.kind, sea.category, sea.event, sea.candidate, sea.anomaly, sea.severity};
    ck_assert_int_eq(sst_area_step(sea.tracker, (struct sst_day){2026, 1}, &cells, &err), SST_ERR_INTERNAL);
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 1);
    close_sea(&sea);
}
END_TEST

/* --- against a flood ---------------------------------------------------------------------------------------------- */

static void flood(const struct sea *sea, bool wraps, size_t cell, uint8_t *seen)
{
    size_t stack[CELLS], n = 0;
    const long rows = (long)sea->domain.n_rows, cols = (long)sea->domain.n_cols;
    stack[n++] = cell;
    seen[cell] = 1;
    while (n > 0) {
        const long at = (long)stack[--n];
        for (long dr = -1; dr <= 1; ++dr)
            for (long dc = -1; dc <= 1; ++dc) {
                const long row = at / cols + dr;
                long col = at % cols + dc;
                if (wraps)
                    col = (col + cols) % cols;
                if (row < 0 || row >= rows || col < 0 || col >= cols)
                    continue;
                const size_t to = (size_t)(row * cols + col);
                if (sea->event[to] && !seen[to]) {
                    seen[to] = 1;
                    stack[n++] = to;
                }
            }
    }
}

/* Whether a place lies in the polygons, by the crossings of a line to the west. */
static bool in_outline(const struct sst_outline *outline, double lon, double lat)
{
    bool inside = false;
    for (size_t r = 0; r < outline->n_rings; ++r)
        for (size_t i = 0; i + 1 < outline->rings[r].n; ++i) {
            const size_t a = outline->rings[r].first + i;
            if ((outline->lat[a] > lat) != (outline->lat[a + 1] > lat) && outline->lon[a] < lon)
                inside = !inside;
        }
    return inside;
}

/* Signed area in squared degrees; anticlockwise is positive. */
static double ring_area(const struct sst_outline *outline, const struct sst_outline_ring *ring)
{
    double sum = 0;
    for (size_t i = ring->first; i + 1 < ring->first + ring->n; ++i)
        sum += 0.5 * (outline->lon[i] * outline->lat[i + 1] - outline->lon[i + 1] * outline->lat[i]);
    return sum;
}

static void check_outline(const struct sea *sea, size_t area, struct sst_outline *outline)
{
    struct sst_error err = {0};
    const uint32_t *labels = sst_area_labels(sea->tracker);
    size_t n_cells = 0;
    double sum = 0;
    ck_assert_int_eq(sst_area_outline(sea->tracker, area, outline, &err), SST_OK);
    for (size_t cell = 0; cell < sea->domain.n_cells; ++cell) {
        const double lon = remainder(sst_domain_lon(&sea->domain, cell % sea->domain.n_cols), 360.0);
        const double lat = sst_domain_lat(&sea->domain, cell / sea->domain.n_cols);
        const bool belongs = labels[cell] == area + 1;
        ck_assert_msg(in_outline(outline, lon, lat) == belongs, "area %zu, cell %zu: %d", area, cell, (int)belongs);
        n_cells += belongs;
    }
    for (size_t r = 0; r < outline->n_rings; ++r) {
        const struct sst_outline_ring *ring = &outline->rings[r];
        const size_t last = ring->first + ring->n - 1;
        ck_assert(ring->n >= 5 && outline->lon[ring->first] == outline->lon[last] &&
                  outline->lat[ring->first] == outline->lat[last]);
        ck_assert(ring->is_hole == (ring_area(outline, ring) < 0));
        ck_assert(r > 0 || !ring->is_hole);
        sum += ring_area(outline, ring);
        for (size_t i = ring->first; i < last; ++i) /* simple: no corner twice */
            for (size_t k = i + 1; k < last; ++k)
                ck_assert(outline->lon[i] != outline->lon[k] || outline->lat[i] != outline->lat[k]);
    }
    const double of_cell = fabs(sst_domain_lat(&sea->domain, 1) - sst_domain_lat(&sea->domain, 0)) *
                           (sst_domain_lon(&sea->domain, 1) - sst_domain_lon(&sea->domain, 0));
    ck_assert_double_eq_tol(sum, of_cell * (double)n_cells, 1e-9);
}

/* Holes follow the ring that they lie in: a hole's first corner is inside it or on it. */
static void check_nesting(const struct sst_outline *outline)
{
    const struct sst_outline_ring *outer = NULL;
    for (size_t r = 0; r < outline->n_rings; ++r) {
        const struct sst_outline_ring *ring = &outline->rings[r];
        if (!ring->is_hole) {
            outer = ring;
            continue;
        }
        double west = 999, east = -999, south = 999, north = -999, hole_west = 999, hole_north = -999;
        for (size_t i = outer->first; i < outer->first + outer->n; ++i) {
            west = fmin(west, outline->lon[i]);
            east = fmax(east, outline->lon[i]);
            south = fmin(south, outline->lat[i]);
            north = fmax(north, outline->lat[i]);
        }
        for (size_t i = ring->first; i < ring->first + ring->n; ++i) {
            hole_west = fmin(hole_west, outline->lon[i]);
            hole_north = fmax(hole_north, outline->lat[i]);
        }
        ck_assert(hole_west > west && hole_west < east && hole_north < north && hole_north > south);
    }
}

static const struct world {
    struct even_axis lat, lon;
    bool wraps;
} worlds[] = {
    {{-85, 10, 18}, {5, 10, 36}, true},    {{85, -10, 18}, {-175, 10, 36}, true}, {{85, -10, 18}, {25, 10, 36}, true},
    {{-30, 2, 18}, {165.5, 1, 36}, false}, {{-30, 2, 18}, {-20, 1, 36}, false},
};
enum { N_WORLDS = sizeof worlds / sizeof *worlds, N_SHARES = 5, N_DAYS = 2 * N_SHARES };

START_TEST(components_and_outlines_are_those_of_a_flood)
{
    struct sea sea;
    struct test_random random = {(uint64_t)_i + 7};
    struct sst_outline outline = {0};
    const int n_days = crash_is_least() ? N_SHARES : N_DAYS;
    open_sea(&sea, worlds[_i].lat, worlds[_i].lon);
    for (; sea.day <= n_days; ++sea.day) {
        const int share = 10 + 20 * (sea.day % N_SHARES); /* few cells, and most */
        uint8_t seen[CELLS] = {0};
        size_t n = 0;
        for (size_t i = 0; i < CELLS; ++i)
            sea.event[i] = test_random_below(&random, 100) < share;
        step(&sea, sea.tracker);
        const uint32_t *labels = sst_area_labels(sea.tracker);
        for (size_t cell = 0; cell < CELLS; ++cell) {
            uint8_t reached[CELLS] = {0};
            if (!sea.event[cell] || seen[cell]) {
                ck_assert(sea.event[cell] || labels[cell] == 0);
                continue;
            }
            flood(&sea, worlds[_i].wraps, cell, reached);
            ++n;
            for (size_t i = 0; i < CELLS; ++i) {
                seen[i] |= reached[i];
                ck_assert_int_eq(labels[i] == n, reached[i]); /* by the least cell */
            }
        }
        ck_assert_uint_eq(sst_area_n_present(sea.tracker), n);
        for (size_t area = 0; area < n; ++area) {
            check_outline(&sea, area, &outline);
            check_nesting(&outline);
        }
    }
    sst_outline_clear(&outline);
    close_sea(&sea);
}
END_TEST

/* --- checkpoints -------------------------------------------------------------------------------------------------- */

START_TEST(a_tracker_goes_on_from_its_bytes)
{
    struct sea sea;
    struct test_random random = {5};
    struct sst_error err = {0};
    open_sea(&sea, worlds[0].lat, worlds[0].lon);
    for (; sea.day <= N_DAYS; ++sea.day) {
        struct sst_area_tracker *copy = NULL;
        struct sst_text bytes = {0}, after = {0}, after_copy = {0};
        open_tracker(&sea, &copy);
        ck_assert_int_eq(sst_area_encode(sea.tracker, &bytes, &err), SST_OK);
        ck_assert_msg(sst_area_decode(copy, bytes.data, bytes.size, &err) == SST_OK, "%s", err.text);
        for (size_t i = 0; i < CELLS; ++i)
            if (test_random_below(&random, 10) == 0 || sea.day == 1)
                sea.event[i] = test_random_below(&random, 100) < 40;
        step(&sea, sea.tracker);
        step(&sea, copy);
        ck_assert_int_eq(sst_area_encode(sea.tracker, &after, &err), SST_OK);
        ck_assert_int_eq(sst_area_encode(copy, &after_copy, &err), SST_OK);
        ck_assert(after.size == after_copy.size && memcmp(after.data, after_copy.data, after.size) == 0);
        ck_assert_uint_eq(sst_area_n_gone(sea.tracker), sst_area_n_gone(copy));
        sst_text_clear(&bytes);
        sst_text_clear(&after);
        sst_text_clear(&after_copy);
        sst_area_tracker_destroy(&copy);
    }
    close_sea(&sea);
}
END_TEST

START_TEST(bytes_that_do_not_fit_are_refused)
{
    struct sea sea;
    struct sst_error err = {0};
    struct sst_text bytes = {0};
    open_sea(&sea, four_rows, ten_cols);
    draw(&sea, (const char *const[]){"#.........", "..........", "..........", "........##"});
    ck_assert_int_eq(sst_area_encode(sea.tracker, &bytes, &err), SST_OK);
    for (size_t n = 0; n < bytes.size; ++n)
        ck_assert_int_eq(sst_area_decode(sea.tracker, bytes.data, n, &err), SST_ERR_STATE);
    bytes.data[bytes.size - 1] = 1; /* a label beyond the areas */
    ck_assert_int_eq(sst_area_decode(sea.tracker, bytes.data, bytes.size, &err), SST_ERR_STATE);
    ck_assert_ptr_nonnull(strstr(err.text, "Rebuild the feed"));
    ck_assert_uint_eq(sst_area_n_present(sea.tracker), 2);
    sst_text_clear(&bytes);
    close_sea(&sea);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("areas");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, areas_go_on_merge_split_and_end);
    tcase_add_test(tc, an_area_is_what_its_cells_are);
    tcase_add_test(tc, days_must_be_in_order);
    tcase_add_loop_test(tc, components_and_outlines_are_those_of_a_flood, 0, N_WORLDS);
    tcase_add_test(tc, a_tracker_goes_on_from_its_bytes);
    tcase_add_test(tc, bytes_that_do_not_fit_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
