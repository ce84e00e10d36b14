/* monitor/feed_page: what the scripts carry comes back as the values that went in; the picture shows each class as it should. */
#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "feed_fixture.h"
#include "made_up_feed.h"
#include "monitor/event_day.h"
#include "page_script.h"
#include "regular_grid.h"
#include "test_main.h"

enum { FIXTURE_DAYS = 22, N_SURFACES = 5, N_LABELS = 6 };

/* --- a day by hand -------------------------------------------------------------------------------------------------- */

enum { MOST_CELLS = 3000 };

/* Open water without anything, until a test changes cells. */
static struct by_hand {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_feed_about about;
    struct sst_feed_page *page;
    struct sst_feed_day day;
    uint8_t surface[MOST_CELLS], label[MOST_CELLS], robust[MOST_CELLS];
    int8_t category[MOST_CELLS];
    float sst[MOST_CELLS], mean[MOST_CELLS], threshold[MOST_CELLS], bound[MOST_CELLS], anomaly[MOST_CELLS],
        severity[MOST_CELLS];
    uint16_t days_above[MOST_CELLS];
    int32_t start[MOST_CELLS];
} hand;

static void hand_open(struct even_axis lat, struct even_axis lon, bool is_cold)
{
    struct sst_error err = {0};
    memset(&hand, 0, sizeof hand);
    hand.grid = regular_grid(lat, lon);
    sst_domain_all(hand.grid, &hand.domain);
    ck_assert_uint_le(hand.domain.n_cells, MOST_CELLS);
    hand.about = (struct sst_feed_about){.domain = &hand.domain,
                                         .calendar = SST_CALENDAR_STANDARD,
                                         .title = "a <b> \"c\" & \\d",
                                         .product = "p\n",
                                         .climatology_id = "",
                                         .estimator = "",
                                         .units = "degree_Celsius",
                                         .percentile = 90,
                                         .is_cold = is_cold,
                                         .min_duration = 5,
                                         .max_gap = 2,
                                         .link = "",
                                         .sibling = "",
                                         .regions = &hand.regions};
    hand.day = (struct sst_feed_day){.day = {2026, 61},
                                     .revision = 3,
                                     .surface = hand.surface,
                                     .label = hand.label,
                                     .category = hand.category,
                                     .sst = hand.sst,
                                     .mean = hand.mean,
                                     .threshold = hand.threshold,
                                     .bound = hand.bound,
                                     .anomaly = hand.anomaly,
                                     .severity = hand.severity,
                                     .days_above = hand.days_above,
                                     .start = hand.start,
                                     .robust = hand.robust};
    for (size_t i = 0; i < hand.domain.n_cells; ++i)
        hand.start[i] = INT32_MIN;
    ck_assert_int_eq(sst_feed_page_create(&hand.about, &hand.page, &err), SST_OK);
}

static void hand_close(void)
{
    sst_feed_page_destroy(&hand.page);
    sst_region_set_clear(&hand.regions);
    sst_grid_destroy(&hand.grid);
}

static void make_event(size_t cell, int category)
{
    hand.label[cell] = SST_EVENT_LABEL_EVENT;
    hand.category[cell] = (int8_t)category;
}

/* --- map.js --------------------------------------------------------------------------------------------------------- */

static unsigned state_of(const struct sst_feed_day *day, size_t cell)
{
    return day->surface[cell] + N_SURFACES * (day->label[cell] + N_LABELS * (unsigned)(day->category[cell] + 1));
}

/* Codes are the nearest ones, and 0 where there is no value. */
static void expect_plane(const json_t *map, const char *name, const float *values, double zero, double step, size_t n)
{
    uint8_t *codes = malloc(n);
    page_script_bytes(json_object_get(map, name), codes, n);
    for (size_t i = 0; i < n; ++i) {
        if (isnan(values[i])) {
            ck_assert_uint_eq(codes[i], 0);
            continue;
        }
        const double value = fmin(fmax((double)values[i], (1 - zero) * step), (255 - zero) * step);
        ck_assert_msg(codes[i] > 0 && fabs((codes[i] - zero) * step - value) <= step / 2 + 1e-6,
                      "%s of cell %zu: %g as %u", name, i, (double)values[i], codes[i]);
    }
    free(codes);
}

static struct made_up_feed fixture;

START_TEST(a_map_comes_back_to_the_step)
{
    struct sst_feed_page *page = NULL;
    struct sst_error err = {0};
    struct sst_text text = {0};
    made_up_feed_open(&fixture, 3, FIXTURE_DAYS, _i == 1);
    made_up_feed_day(&fixture, FIXTURE_DAYS - 1);
    const size_t n = fixture.domain.n_cells;
    ck_assert_int_eq(sst_feed_page_create(&fixture.about, &page, &err), SST_OK);
    ck_assert_int_eq(sst_feed_page_map(page, &fixture.day, &text, &err), SST_OK);
    ck_assert_int_eq(strncmp(text.data, "SST.map(\"20261130\",{", 20), 0);
    json_t *map = page_script_argument(&text);
    uint8_t *states = malloc(n);
    page_script_inflate(json_object_get(map, "state"), states, n);
    for (size_t i = 0; i < n; ++i)
        ck_assert_uint_eq(states[i], state_of(&fixture.day, i));
    expect_plane(map, "severity", fixture.day.severity, 128, 0.05, n);
    expect_plane(map, "anomaly", fixture.day.anomaly, 128, 0.1, n);
    expect_plane(map, "bound", fixture.day.bound, 1, 0.01, n);
    ck_assert(json_is_true(json_object_get(map, "preliminary")));
    json_decref(map);
    free(states);
    sst_text_clear(&text);
    sst_feed_page_destroy(&page);
    made_up_feed_close(&fixture);
}
END_TEST

START_TEST(a_block_of_a_large_domain_is_its_highest_category)
{
    enum { COLS = 1441, N_MAP = 721 };
    struct sst_error err = {0};
    struct sst_text text = {0};
    uint8_t states[N_MAP];
    hand_open((struct even_axis){-0.1, 0.2, 2}, (struct even_axis){0.1, 0.2, COLS}, false);
    make_event(7, 1);
    make_event(COLS + 6, 3); /* the block of columns 6 and 7 */
    hand.surface[20] = SST_EVENT_SURFACE_LAND; /* one of four: the block stays water */
    hand.category[20] = -1;
    make_event(2 * COLS - 1, 2); /* the last block has one column */
    ck_assert_int_eq(sst_feed_page_map(hand.page, &hand.day, &text, &err), SST_OK);
    json_t *map = page_script_argument(&text);
    page_script_inflate(json_object_get(map, "state"), states, N_MAP);
    for (size_t i = 0; i < N_MAP; ++i)
        ck_assert_uint_eq(states[i], state_of(&hand.day, i == 3 ? COLS + 6 : i == N_MAP - 1 ? 2 * COLS - 1 : 0));
    json_decref(map);
    sst_text_clear(&text);
    hand_close();
}
END_TEST

/* --- tiles ---------------------------------------------------------------------------------------------------------- */

static double temperature(const json_t *plane, uint16_t word)
{
    const int16_t code = (int16_t)word;
    const double base = json_number_value(json_object_get(plane, "base")),
                 step = json_number_value(json_object_get(plane, "step"));
    return code == INT16_MIN ? NAN : base + code * step;
}

static void expect_same(double found, double expected, double slack, size_t cell)
{
    ck_assert_msg(isnan(expected) ? isnan(found) : fabs(found - expected) <= slack, "cell %zu: %.17g for %.17g", cell,
                  found, expected);
}

static void expect_tile(const json_t *tile, const struct sst_feed_day *day, size_t row0, size_t col0)
{
    static const char *const names[] = {"sst", "mean", "spread", "bound"};
    const size_t rows = (size_t)json_integer_value(json_object_get(tile, "rows"));
    const size_t cols = (size_t)json_integer_value(json_object_get(tile, "cols")), n = rows * cols,
                 stride = fixture.domain.n_cols;
    const int64_t today = sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, day->day);
    ck_assert_uint_eq(cols, col0 + 180 > stride ? stride - col0 : 180);
    uint16_t *words[4], *above = malloc(2 * n), *since = malloc(2 * n);
    uint8_t *states = malloc(n), *robust = malloc(n);
    for (size_t p = 0; p < 4; ++p) {
        words[p] = malloc(2 * n);
        page_script_words(json_object_get(json_object_get(tile, names[p]), "codes"), words[p], n);
    }
    page_script_words(json_object_get(tile, "above"), above, n);
    page_script_words(json_object_get(tile, "since"), since, n);
    page_script_inflate(json_object_get(tile, "state"), states, n);
    page_script_inflate(json_object_get(tile, "robust"), robust, n);
    for (size_t i = 0; i < n; ++i) {
        const size_t cell = (row0 + i / cols) * stride + col0 + i % cols;
        const double spread = (double)day->threshold[cell] - (double)day->mean[cell];
        expect_same(temperature(json_object_get(tile, "sst"), words[0][i]), (double)day->sst[cell], 1e-5, cell);
        expect_same(temperature(json_object_get(tile, "mean"), words[1][i]), (double)day->mean[cell], 5.01e-4, cell);
        expect_same(temperature(json_object_get(tile, "spread"), words[2][i]), spread, 5.01e-4, cell);
        expect_same(temperature(json_object_get(tile, "bound"), words[3][i]), (double)day->bound[cell], 5.01e-4, cell);
        ck_assert_uint_eq(states[i], state_of(day, cell));
        ck_assert_uint_eq(robust[i], day->robust[cell]);
        ck_assert_uint_eq(above[i], day->days_above[cell]);
        ck_assert_int_eq(since[i] == UINT16_MAX ? INT32_MIN : today - since[i], day->start[cell]);
    }
    for (size_t p = 0; p < 4; ++p)
        free(words[p]);
    free(above);
    free(since);
    free(states);
    free(robust);
}

START_TEST(tiles_come_back_and_the_last_ones_are_smaller)
{
    struct sst_feed_page *page = NULL;
    struct sst_error err = {0};
    struct sst_text text = {0};
    size_t n_rows, n_cols;
    made_up_feed_open(&fixture, 1.8, FIXTURE_DAYS, false);
    made_up_feed_day(&fixture, FIXTURE_DAYS - 1);
    ck_assert_int_eq(sst_feed_page_create(&fixture.about, &page, &err), SST_OK);
    sst_feed_page_tiles(&fixture.domain, &n_rows, &n_cols);
    ck_assert_uint_eq(n_rows, 1);
    ck_assert_uint_eq(n_cols, 2);
    for (size_t col = 0; col < n_cols; ++col) {
        ck_assert_int_eq(sst_feed_page_tile(page, &fixture.day, 0, col, &text, &err), SST_OK);
        json_t *tile = page_script_argument(&text);
        expect_tile(tile, &fixture.day, 0, 180 * col);
        ck_assert_double_eq(json_number_value(json_object_get(json_object_get(tile, "sst"), "step")), 0.01);
        ck_assert_double_eq(json_number_value(json_object_get(json_object_get(tile, "mean"), "step")), 0.001);
        json_decref(tile);
        sst_text_clear(&text);
    }
    ck_assert_int_eq(sst_feed_page_tile(page, &fixture.day, 0, n_cols, &text, &err), SST_ERR_INTERNAL);
    ck_assert_str_eq(err.text, "there is no tile 0, 2 of a feed's page");
    sst_text_clear(&text);
    sst_feed_page_destroy(&page);
    made_up_feed_close(&fixture);
}
END_TEST

START_TEST(extremes_are_held_and_finer_values_get_finer_steps)
{
    static const float values[] = {-1.8f, 36.25f, 20.0f, NAN, 55.0f, -40.0f};
    static const double coarse[] = {-1.8, 36.25, 20, NAN, 55, -40},
                        fine[] = {-1.8, 36.25, 20.001, NAN, 47.767, -17.767};
    enum { N = sizeof values / sizeof *values };
    struct sst_error err = {0};
    uint16_t words[N];
    for (int pass = 0; pass < 2; ++pass) {
        struct sst_text text = {0};
        hand_open((struct even_axis){0, 1, 1}, (struct even_axis){0, 1, N}, false);
        memcpy(hand.sst, values, sizeof values);
        if (pass == 1)
            hand.sst[2] = 20.001f;
        hand.start[0] = -70000; /* further back than 16 bits tell */
        hand.start[1] = (int32_t)sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, hand.day.day);
        ck_assert_int_eq(sst_feed_page_tile(hand.page, &hand.day, 0, 0, &text, &err), SST_OK);
        json_t *tile = page_script_argument(&text), *sst = json_object_get(tile, "sst");
        page_script_words(json_object_get(sst, "codes"), words, N);
        for (size_t i = 0; i < N; ++i)
            expect_same(temperature(sst, words[i]), pass == 1 ? fine[i] : coarse[i], 1e-5, i);
        page_script_words(json_object_get(tile, "since"), words, N);
        ck_assert_uint_eq(words[0], UINT16_MAX);
        ck_assert_uint_eq(words[1], 0);
        ck_assert_uint_eq(words[2], UINT16_MAX);
        json_decref(tile);
        sst_text_clear(&text);
        hand_close();
    }
}
END_TEST

/* --- about.js, index.js, index.html --------------------------------------------------------------------------------- */

START_TEST(about_tells_grid_land_and_texts_as_they_are)
{
    enum { ROWS = 3, COLS = 5 };
    struct sst_error err = {0};
    struct sst_text text = {0};
    uint8_t bits[2];
    hand_open((struct even_axis){10, -2.5, ROWS}, (struct even_axis){359, 0.5, COLS}, true);
    hand.surface[1] = hand.surface[14] = SST_EVENT_SURFACE_LAND;
    hand.surface[2] = SST_EVENT_SURFACE_ICE;
    ck_assert_int_eq(sst_feed_page_about(hand.page, hand.surface, &text, &err), SST_OK);
    ck_assert_ptr_null(strchr(text.data, '<'));
    json_t *about = page_script_argument(&text);
    ck_assert_str_eq(json_string_value(json_object_get(about, "title")), hand.about.title);
    ck_assert_str_eq(json_string_value(json_object_get(about, "product")), "p\n");
    ck_assert(json_is_true(json_object_get(about, "cold")));
    const json_t *lat = json_object_get(about, "lat"), *lon = json_object_get(about, "lon");
    ck_assert_uint_eq(json_array_size(lat), ROWS);
    ck_assert_uint_eq(json_array_size(lon), COLS);
    ck_assert_double_eq(json_number_value(json_array_get(lat, 2)), 5);
    ck_assert_double_eq(json_number_value(json_array_get(lon, 4)) - json_number_value(json_array_get(lon, 0)), 2);
    page_script_inflate(json_object_get(about, "land"), bits, sizeof bits);
    ck_assert_uint_eq(bits[0], 1 << 1);
    ck_assert_uint_eq(bits[1], 1 << 6);
    json_decref(about);
    sst_text_clear(&text);
    hand_close();
}
END_TEST

/* The scripts of a day, one after the other. */
static void add_scripts(struct sst_feed_page *page, const struct sst_feed_day *day, struct sst_text *out)
{
    struct sst_error err = {0};
    ck_assert_int_eq(sst_feed_page_map(page, day, out, &err), SST_OK);
    ck_assert_int_eq(sst_feed_page_tile(page, day, 0, 0, out, &err), SST_OK);
}

START_TEST(planes_that_are_remembered_make_the_same_scripts)
{
    struct sst_feed_page *plain = NULL, *page = NULL;
    struct sst_deflate_memo *memo = NULL;
    struct sst_error err = {0};
    made_up_feed_open(&fixture, 3, FIXTURE_DAYS, false);
    ck_assert_int_eq(sst_feed_page_create(&fixture.about, &plain, &err), SST_OK);
    ck_assert_int_eq(sst_feed_page_create(&fixture.about, &page, &err), SST_OK);
    ck_assert_int_eq(sst_deflate_memo_create(&memo, &err), SST_OK);
    sst_feed_page_remember(page, memo);
    size_t n_kept = 0;
    for (int turn = 0; turn < 4; ++turn) { /* two days, each twice: the second time all is known */
        struct sst_text expected = {0}, text = {0};
        if (turn % 2 == 0)
            made_up_feed_day(&fixture, FIXTURE_DAYS - 2 + turn / 2);
        add_scripts(plain, &fixture.day, &expected);
        add_scripts(page, &fixture.day, &text);
        ck_assert_uint_eq(text.size, expected.size);
        ck_assert_mem_eq(text.data, expected.data, text.size);
        ck_assert(turn % 2 == 1 ? sst_deflate_memo_bytes(memo) == n_kept : sst_deflate_memo_bytes(memo) > n_kept);
        n_kept = sst_deflate_memo_bytes(memo);
        sst_text_clear(&expected);
        sst_text_clear(&text);
    }
    sst_deflate_memo_age(memo, 1);
    ck_assert_uint_eq(sst_deflate_memo_bytes(memo), n_kept);
    sst_deflate_memo_age(memo, 1);
    ck_assert_uint_eq(sst_deflate_memo_bytes(memo), 0);
    sst_feed_page_destroy(&plain);
    sst_feed_page_destroy(&page);
    sst_deflate_memo_destroy(&memo);
    made_up_feed_close(&fixture);
}
END_TEST

/* Both pages make the same scripts of a day. */
static void expect_same_scripts(struct sst_feed_page *plain, struct sst_feed_page *page, const struct sst_feed_day *day,
                                const char *what)
{
    struct sst_text expected = {0}, text = {0};
    add_scripts(plain, day, &expected);
    add_scripts(page, day, &text);
    ck_assert_msg(text.size == expected.size && memcmp(text.data, expected.data, text.size) == 0, "%s", what);
    sst_text_clear(&expected);
    sst_text_clear(&text);
}

/* One value of one array after the other, in a map of single cells and in one of blocks. */
START_TEST(whatever_changes_is_not_taken_from_memory)
{
    static const struct even_axis rows[] = {{-15, 10, 4}, {-1, 0.1, 4}}, cols[] = {{5, 10, 36}, {0.1, 0.1, 2880}};
    enum { CELL = 1 };
    struct feed_fixture sea;
    struct sst_feed_page *plain = NULL, *page = NULL;
    struct sst_deflate_memo *memo = NULL;
    struct sst_error err = {0};
    feed_fixture_open(&sea, rows[_i], cols[_i]);
    feed_fixture_step(&sea);
    ck_assert_int_eq(sst_feed_page_create(&sea.about, &plain, &err), SST_OK);
    ck_assert_int_eq(sst_feed_page_create(&sea.about, &page, &err), SST_OK);
    ck_assert_int_eq(sst_deflate_memo_create(&memo, &err), SST_OK);
    sst_feed_page_remember(page, memo);
    expect_same_scripts(plain, page, &sea.day, "nothing");
    float *const reals[] = {sea.sst, sea.mean, sea.threshold, sea.bound, sea.anomaly, sea.severity};
    uint8_t *const bytes[] = {sea.surface, sea.label, sea.robust};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; ++i) {
        reals[i][CELL] = 1.25F + (float)i;
        expect_same_scripts(plain, page, &sea.day, test_path("reals %zu", i));
    }
    sea.category[CELL] = 2;
    expect_same_scripts(plain, page, &sea.day, "category");
    sea.days_above[CELL] += 3;
    expect_same_scripts(plain, page, &sea.day, "days above");
    sea.start[CELL] = (int32_t)sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, sea.day.day) - 4;
    expect_same_scripts(plain, page, &sea.day, "start");
    sea.day.day = sst_calendar_next_day(SST_CALENDAR_STANDARD, sea.day.day);
    expect_same_scripts(plain, page, &sea.day, "day");
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) {
        bytes[i][CELL] ^= 1;
        expect_same_scripts(plain, page, &sea.day, test_path("bytes %zu", i));
    }
    sst_feed_page_destroy(&plain);
    sst_feed_page_destroy(&page);
    sst_deflate_memo_destroy(&memo);
    feed_fixture_close(&sea);
}
END_TEST

static json_t *index_of(struct made_up_feed *feed)
{
    struct sst_feed_page *page = NULL;
    struct sst_error err = {0};
    struct sst_text text = {0};
    ck_assert_int_eq(sst_feed_page_create(&feed->about, &page, &err), SST_OK);
    const struct sst_feed_page_index index = made_up_feed_index(feed);
    ck_assert_int_eq(sst_feed_page_index(page, &index, &text, &err), SST_OK);
    json_t *out = page_script_argument(&text);
    sst_text_clear(&text);
    sst_feed_page_destroy(&page);
    return out;
}

START_TEST(index_tells_days_areas_and_regions)
{
    char id[SST_AREA_ID_TEXT_SIZE];
    made_up_feed_open(&fixture, 3, FIXTURE_DAYS, false);
    for (int i = 0; i < FIXTURE_DAYS; ++i)
        made_up_feed_day(&fixture, i);
    json_t *index = index_of(&fixture);
    ck_assert_str_eq(json_string_value(json_object_get(index, "newest")), "2026-11-30");
    ck_assert_str_eq(json_string_value(json_object_get(index, "expected")), "2026-12-01");
    ck_assert(json_is_true(json_object_get(index, "late")));
    ck_assert_uint_eq(json_array_size(json_object_get(index, "days")), FIXTURE_DAYS);
    const json_t *absent = json_array_get(json_object_get(index, "days"), FIXTURE_DAYS - 8);
    ck_assert(json_is_true(json_object_get(absent, "absent")));
    ck_assert_int_eq(json_integer_value(json_object_get(absent, "number")), 20787 - 7);
    const json_t *areas = json_object_get(index, "areas"), *last = json_array_get(areas, fixture.n_areas - 1);
    ck_assert_uint_gt(fixture.n_areas, 3);
    ck_assert_uint_eq(json_array_size(areas), fixture.n_areas);
    const struct sst_area *area = &fixture.areas[fixture.n_areas - 1];
    ck_assert_str_eq(json_string_value(json_object_get(last, "id")), sst_area_id_text(area->id, fixture.grid, id));
    ck_assert_double_eq_tol(json_number_value(json_object_get(last, "km2")), area->km2, 0.5);
    ck_assert_double_eq_tol(json_number_value(json_object_get(last, "peak")), area->peak_intensity, 0.005);
    const json_t *row = json_array_get(json_object_get(index, "regions"), FIXTURE_DAYS - 1),
                 *first = json_array_get(row, 1);
    ck_assert_uint_eq(json_array_size(row), 1 + fixture.regions.n);
    const struct sst_region_day *sums = fixture.day.regions;
    ck_assert_double_eq_tol(json_number_value(json_array_get(first, 0)), sums->known_km2, 0.5);
    for (size_t i = 0; i <= SST_N_CATEGORIES; ++i)
        ck_assert_double_eq_tol(json_number_value(json_array_get(first, 4 + i)), sums->category_km2[i], 0.5);
    const json_t *empty = json_array_get(json_array_get(json_object_get(index, "regions"), FIXTURE_DAYS - 8), 1);
    ck_assert(json_is_null(json_array_get(empty, 9))); /* no anomaly of a day that never came */
    json_decref(index);
    made_up_feed_close(&fixture);
}
END_TEST

START_TEST(index_html_names_the_newest_picture_and_escapes_the_title)
{
    struct sst_error err = {0};
    struct sst_text text = {0};
    hand_open((struct even_axis){0, 1, 1}, (struct even_axis){0, 1, 4}, false);
    const struct sst_feed_state state = {.newest = {2026, 61}};
    ck_assert_int_eq(sst_feed_page_html(hand.page, &state, &text, &err), SST_OK);
    ck_assert_ptr_nonnull(strstr(text.data, "<img src=\"days/2026/20260301/map.png\""));
    ck_assert_ptr_nonnull(strstr(text.data, "<title>a &lt;b&gt;"));
    ck_assert_ptr_null(strstr(text.data, "<b>"));
    ck_assert_ptr_null(strchr(text.data, '@'));
    ck_assert_ptr_nonnull(strstr(sst_feed_page_script(), "SST.about = "));
    ck_assert_ptr_nonnull(strstr(sst_feed_page_script(), "DOMContentLoaded"));
    ck_assert_ptr_nonnull(strstr(sst_feed_page_style(), "@media print"));
    sst_text_clear(&text);
    hand_close();
}
END_TEST

/* --- map.png -------------------------------------------------------------------------------------------------------- */

static const uint32_t warm_colours[] = {0xffc866, 0xff6900, 0x9e0000, 0x2d0000};

struct shown {
    unsigned width, height;
    uint8_t *pixels; /* RGB */
};

static struct shown picture_of(void)
{
    struct sst_error err = {0};
    uint8_t *bytes = NULL;
    size_t n_bytes = 0;
    ck_assert_msg(sst_feed_page_picture(hand.page, &hand.day, &bytes, &n_bytes, &err) == SST_OK, "%s", err.text);
    png_image png = {.version = PNG_IMAGE_VERSION};
    ck_assert(png_image_begin_read_from_memory(&png, bytes, n_bytes));
    png.format = PNG_FORMAT_RGB;
    struct shown out = {png.width, png.height, malloc(PNG_IMAGE_SIZE(png))};
    ck_assert(png_image_finish_read(&png, NULL, out.pixels, 0, NULL));
    sst_free(bytes);
    return out;
}

static uint32_t colour_at(const struct shown *shown, unsigned x, unsigned y)
{
    const uint8_t *pixel = shown->pixels + 3 * ((size_t)y * shown->width + x);
    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

static bool is_warm(uint32_t colour)
{
    for (size_t i = 0; i < sizeof warm_colours / sizeof *warm_colours; ++i)
        if (warm_colours[i] == colour)
            return true;
    return false;
}

enum { PICTURE_COLS = 8, PIXELS = 90 }; /* of a cell: 720 in all */

START_TEST(the_picture_shows_classes_north_up_and_nothing_but_heatwaves_in_their_colours)
{
    const bool is_southern_first = _i == 0;
    hand_open((struct even_axis){is_southern_first ? 0.5 : 1.5, is_southern_first ? 1 : -1, 2},
              (struct even_axis){0.5, 1, PICTURE_COLS}, false);
    const size_t north = is_southern_first ? PICTURE_COLS : 0;
    for (size_t i = 0; i < 4; ++i)
        make_event(north + i, (int)i + 1);
    hand.label[north + 4] = SST_EVENT_LABEL_CANDIDATE;
    hand.label[north + 5] = SST_EVENT_LABEL_AWAITING;
    hand.surface[north + 5] = SST_EVENT_SURFACE_MISSING;
    hand.surface[north + 6] = SST_EVENT_SURFACE_ICE;
    hand.label[north + 6] = SST_EVENT_LABEL_EVENT; /* ice within an event is ice */
    hand.surface[north + 7] = SST_EVENT_SURFACE_NO_VARIANCE;
    hand.label[north + 7] = SST_EVENT_LABEL_EVENT;
    for (size_t i = 5; i < 8; ++i)
        hand.category[north + i] = -1;
    struct shown shown = picture_of();
    ck_assert_uint_eq(shown.width, PICTURE_COLS * PIXELS);
    ck_assert_uint_gt(shown.height, 2 * PIXELS + 40);
    for (unsigned y = 0; y < 2 * PIXELS; ++y) {
        for (unsigned x = 0; x < shown.width; ++x) {
            const uint32_t colour = colour_at(&shown, x, y);
            if (y < PIXELS && x < 4 * PIXELS)
                ck_assert_uint_eq(colour, warm_colours[x / PIXELS]);
            else
                ck_assert(!is_warm(colour));
        }
    }
    ck_assert_uint_eq(colour_at(&shown, 1, PIXELS + 1), 0xeef4f8);
    ck_assert_uint_eq(colour_at(&shown, 6 * PIXELS + 9, 9), 0xc3d4de);
    ck_assert_uint_ne(colour_at(&shown, 4 * PIXELS, 0), colour_at(&shown, 4 * PIXELS + 1, 0)); /* hatched */
    free(shown.pixels);
    hand_close();
}
END_TEST

START_TEST(cold_spells_have_colours_of_their_own_and_tall_domains_fit)
{
    hand_open((struct even_axis){0, 0.01, 1000}, (struct even_axis){0.5, 0.01, 2}, true);
    for (size_t i = 0; i < hand.domain.n_cells; ++i)
        make_event(i, 1 + (int)(i % 4));
    struct shown shown = picture_of();
    ck_assert_uint_eq(shown.width, 720);
    ck_assert_uint_le(shown.height, 1440 + 160);
    size_t n_warm = 0, n_cold = 0;
    for (unsigned i = 0; i < shown.width * shown.height; ++i) { /* the legend too */
        n_warm += is_warm(colour_at(&shown, i % shown.width, i / shown.width));
        n_cold += colour_at(&shown, i % shown.width, i / shown.width) == 0x08204d;
    }
    ck_assert_uint_eq(n_warm, 0);
    ck_assert_uint_gt(n_cold, 400);
    free(shown.pixels);
    hand_close();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_page");
    TCase *scripts = tcase_create("scripts"), *pictures = tcase_create("pictures");
    tcase_set_timeout(scripts, 120);
    tcase_add_loop_test(scripts, a_map_comes_back_to_the_step, 0, 2);
    tcase_add_test(scripts, a_block_of_a_large_domain_is_its_highest_category);
    tcase_add_test(scripts, tiles_come_back_and_the_last_ones_are_smaller);
    tcase_add_test(scripts, extremes_are_held_and_finer_values_get_finer_steps);
    tcase_add_test(scripts, planes_that_are_remembered_make_the_same_scripts);
    tcase_add_loop_test(scripts, whatever_changes_is_not_taken_from_memory, 0, 2);
    tcase_add_test(scripts, about_tells_grid_land_and_texts_as_they_are);
    tcase_add_test(scripts, index_tells_days_areas_and_regions);
    tcase_add_test(scripts, index_html_names_the_newest_picture_and_escapes_the_title);
    suite_add_tcase(suite, scripts);
    tcase_add_loop_test(pictures, the_picture_shows_classes_north_up_and_nothing_but_heatwaves_in_their_colours, 0, 2);
    tcase_add_test(pictures, cold_spells_have_colours_of_their_own_and_tall_domains_fit);
    suite_add_tcase(suite, pictures);
    return suite;
}
