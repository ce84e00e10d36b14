/* write/chart_map and chart_raster: every cell has its colour, coasts are the edges of land, and odd maps stay sound. */
#include <float.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "svg_check.h"
#include "test_main.h"
#include "write/chart_raster.h"

enum { MAX_CELLS = 4096 };

static const struct sst_colour_range diverging = {SST_COLOUR_DIVERGING, -1.0, 1.0};
static const struct sst_raster_view whole = {true, true, SST_RASTER_LARGEST_SIDE, SST_RASTER_LARGEST_SIDE};

static struct sst_chart_map map_of(size_t n_rows, size_t n_cols, const double *values, const unsigned char *is_sea)
{
    return (struct sst_chart_map){.title = "t",
                                  .width = 400,
                                  .n_rows = n_rows,
                                  .n_cols = n_cols,
                                  .north = 10,
                                  .south = -10,
                                  .west = 100,
                                  .east = 120,
                                  .values = values,
                                  .is_sea = is_sea,
                                  .scale = SST_COLOUR_DIVERGING,
                                  .low = -1,
                                  .high = 1};
}

static struct sst_text draw(const struct sst_chart_map *map)
{
    struct sst_text svg = {0};
    sst_chart_map_write(map, &svg);
    svg_expect_sound(&svg);
    return svg;
}

/* --- colours ------------------------------------------------------------------------------------------------------ */

static unsigned digit_of(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (unsigned)(found - digits) : 0;
}

/* The first inline picture as RGBA pixels. */
static size_t decode_picture(const struct sst_text *svg, uint8_t *pixels, size_t size)
{
    static uint8_t bytes[65536];
    size_t n_bytes = 0;
    const char *at = strstr(svg->data, "base64,");
    ck_assert_ptr_nonnull(at);
    for (at += strlen("base64,"); *at != '"'; at += 4) {
        const unsigned group = digit_of(at[0]) << 18 | digit_of(at[1]) << 12 | digit_of(at[2]) << 6 | digit_of(at[3]);
        ck_assert_uint_lt(n_bytes + 3, sizeof bytes);
        bytes[n_bytes++] = (uint8_t)(group >> 16);
        bytes[n_bytes++] = (uint8_t)(group >> 8 & 255);
        bytes[n_bytes++] = (uint8_t)(group & 255);
    }
    png_image png = {.version = PNG_IMAGE_VERSION};
    ck_assert_msg(png_image_begin_read_from_memory(&png, bytes, n_bytes), "%s", png.message);
    png.format = PNG_FORMAT_RGBA;
    ck_assert_uint_le(PNG_IMAGE_SIZE(png), size);
    ck_assert_msg(png_image_finish_read(&png, NULL, pixels, 0, NULL), "%s", png.message);
    return (size_t)png.width * png.height;
}

static void expect_pixel(const uint8_t *pixel, struct sst_colour colour, bool is_opaque)
{
    ck_assert_int_eq(pixel[3], is_opaque ? 255 : 0);
    if (is_opaque)
        ck_assert_msg(pixel[0] == colour.red && pixel[1] == colour.green && pixel[2] == colour.blue,
                      "%d %d %d, not %d %d %d", pixel[0], pixel[1], pixel[2], colour.red, colour.green, colour.blue);
}

START_TEST(each_cell_has_the_colour_of_its_value)
{
    const double values[] = {0, 1, -1, NAN, 0.5, 7, -7, INFINITY};
    const unsigned char is_sea[] = {1, 1, 1, 1, 0, 1, 1, 1};
    uint8_t pixels[64];
    const struct sst_chart_map map = map_of(2, 4, values, is_sea);
    struct sst_text svg = draw(&map);
    ck_assert_uint_eq(decode_picture(&svg, pixels, sizeof pixels), 8);
    const struct sst_colour low = sst_colour_at(SST_COLOUR_DIVERGING, 0), high = sst_colour_at(SST_COLOUR_DIVERGING, 1);
    expect_pixel(&pixels[0], (struct sst_colour){255, 255, 255}, true);
    expect_pixel(&pixels[4], high, true);
    expect_pixel(&pixels[8], low, true);
    expect_pixel(&pixels[12], low, false);
    expect_pixel(&pixels[16], (struct sst_colour){0xC4, 0xC4, 0xC4}, true);
    expect_pixel(&pixels[20], high, true);
    expect_pixel(&pixels[24], low, true);
    expect_pixel(&pixels[28], low, false);
    ck_assert_uint_eq(svg_count(&svg, "stroke-linejoin=\"round\""), 2); /* both ends of the bar are arrows */
    sst_text_clear(&svg);
}
END_TEST

START_TEST(zero_is_white_on_a_diverging_scale_whatever_its_ends_are)
{
    static const double ends[][2] = {{-1, 1}, {-0.3, 0.7}, {-2, -1}, {0, 0}, {NAN, 1}, {1, -1}};
    const double values[] = {0, 0.25};
    uint8_t pixels[8];
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; ++i) {
        struct sst_chart_map map = map_of(1, 2, values, NULL);
        map.low = ends[i][0];
        map.high = ends[i][1];
        struct sst_text svg = draw(&map);
        ck_assert_uint_eq(decode_picture(&svg, pixels, sizeof pixels), 2);
        expect_pixel(pixels, (struct sst_colour){255, 255, 255}, true);
        ck_assert_int_gt(pixels[4], pixels[6]); /* red */
        sst_text_clear(&svg);
    }
}
END_TEST

START_TEST(large_fields_are_drawn_by_means_of_blocks)
{
    enum { ROWS = 3, COLS = 2 * SST_RASTER_LARGEST_SIDE };
    static double values[ROWS * COLS];
    static unsigned char is_sea[ROWS * COLS];
    for (size_t i = 0; i < ROWS * COLS; ++i) {
        values[i] = i % 2 ? 1.0 : 0.0; /* pairs: 0.5 */
        is_sea[i] = 1;
    }
    is_sea[2] = is_sea[3] = 0; /* a whole block */
    is_sea[4] = 0; /* half of one: sea, and the sea's value */
    values[6] = NAN;
    const struct sst_chart_map map = map_of(ROWS, COLS, values, is_sea);
    struct sst_raster raster = {0};
    ck_assert_int_eq(sst_raster_make(&map, &diverging, &whole, &raster), SST_OK);
    ck_assert_uint_eq(raster.n_rows, ROWS);
    ck_assert_uint_eq(raster.n_cols, SST_RASTER_LARGEST_SIDE);
    ck_assert_uint_eq(raster.indices[0], sst_raster_level(&diverging, 0.5));
    ck_assert_uint_eq(raster.indices[1], SST_RASTER_LAND);
    ck_assert_uint_eq(raster.indices[2], sst_raster_level(&diverging, 1.0));
    ck_assert_uint_eq(raster.indices[3], sst_raster_level(&diverging, 1.0));
    sst_free(raster.indices);
}
END_TEST

START_TEST(every_cell_of_a_large_field_is_in_a_block)
{
    static const size_t sizes[] = {1, 7, 1440, 1441, 2879, 2881, 4000};
    static double values[4000];
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
        const struct sst_chart_map map = map_of(1, sizes[i], values, NULL);
        struct sst_raster raster = {0};
        values[sizes[i] - 1] = 1.0;
        ck_assert_int_eq(sst_raster_make(&map, &diverging, &whole, &raster), SST_OK);
        ck_assert_uint_le(raster.n_cols, SST_RASTER_LARGEST_SIDE);
        ck_assert_uint_ge(2 * raster.n_cols, sizes[i] < 1440 ? 2 * sizes[i] : 1440);
        const size_t zero = sst_raster_level(&diverging, 0.0);
        for (size_t col = 0; col + 1 < raster.n_cols; ++col)
            ck_assert_uint_eq(raster.indices[col], zero);
        ck_assert_uint_gt(raster.indices[raster.n_cols - 1], zero);
        values[sizes[i] - 1] = 0.0;
        sst_free(raster.indices);
    }
}
END_TEST

/* --- coasts ------------------------------------------------------------------------------------------------------- */

static const struct {
    size_t n_rows, n_cols;
    const char *cells; /* # is land */
    const char *path;
} coasts[] = {
    {3, 3, ".........", ""},
    {3, 3, "#########", ""},
    {3, 3, "....#....", "M1 1h1v1h-1v-1"},
    {4, 4, ".....##..##.....", "M1 1h2v2h-2v-2"}, /* runs are merged */
    {2, 3, "##.##.", "M2 0v2"}, /* nothing along the frame */
    {2, 2, "##..", "M0 1h2"},
    {1, 1, "#", ""},
    {1, 2, "#.", "M1 0v1"},
    {2, 2, "#..#", "M1 0v2M0 1h2"}, /* two that touch: straight on */
    {3, 4, ".......#....", "M3 1h1M3 1v1h1"},
};

START_TEST(coasts_are_the_edges_of_land_in_long_lines)
{
    uint8_t indices[16];
    struct sst_raster raster = {coasts[_i].n_rows, coasts[_i].n_cols, indices};
    struct sst_text path = {0};
    for (size_t i = 0; coasts[_i].cells[i]; ++i)
        indices[i] = coasts[_i].cells[i] == '#' ? SST_RASTER_LAND : (uint8_t)(i % 2 ? SST_RASTER_NONE : 9);
    sst_raster_add_coast(&path, &raster);
    ck_assert_int_eq(path.failed, SST_OK);
    ck_assert_str_eq(path.data ? path.data : "", coasts[_i].path);
    sst_text_clear(&path);
}
END_TEST

/* Any mask: the lengths of all lines add up to the number of edges. */
START_TEST(each_edge_is_drawn_once)
{
    enum { SIDE = 40 };
    uint8_t indices[SIDE * SIDE];
    struct sst_raster raster = {SIDE, SIDE, indices};
    struct sst_text path = {0};
    unsigned random = 12345;
    long n_edges = 0, drawn = 0;
    for (size_t i = 0; i < SIDE * SIDE; ++i) {
        random = random * 1664525U + 1013904223U;
        indices[i] = (uint8_t)(random >> 31 ? SST_RASTER_LAND : SST_RASTER_NONE);
        n_edges += i % SIDE > 0 && indices[i] != indices[i - 1];
        n_edges += i >= SIDE && indices[i] != indices[i - SIDE];
    }
    sst_raster_add_coast(&path, &raster);
    for (const char *at = path.data; *at; ++at) {
        long length = 0;
        if ((*at == 'h' || *at == 'v') && sscanf(at + 1, "%ld", &length) == 1)
            drawn += labs(length);
    }
    ck_assert_int_eq(drawn, n_edges);
    sst_text_clear(&path);
}
END_TEST

/* --- the picture -------------------------------------------------------------------------------------------------- */

START_TEST(degrees_are_written_as_people_do)
{
    const double values[] = {1, 2};
    struct sst_chart_map map = map_of(1, 2, values, NULL);
    map.north = 90, map.south = -90, map.west = 0, map.east = 360, map.width = 860;
    struct sst_text svg = draw(&map);
    static const char *const wanted[] = {">90°N<", ">90°S<", ">30°S<", ">0°<", ">90°E<", ">180°<", ">90°W<"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i)
        ck_assert_msg(svg_count(&svg, wanted[i]) >= 1, "no %s", wanted[i]);
    sst_text_clear(&svg);
    map.west = -200, map.east = -160, map.south = 40, map.north = 60; /* over the date line */
    svg = draw(&map);
    ck_assert_uint_eq(svg_count(&svg, ">170°E<"), 1);
    ck_assert_uint_eq(svg_count(&svg, ">180°<"), 1);
    ck_assert_uint_eq(svg_count(&svg, ">170°W<"), 1);
    sst_text_clear(&svg);
    map.west = 170, map.east = 171, map.south = -0.5, map.north = 0.5;
    svg = draw(&map);
    ck_assert_uint_eq(svg_count(&svg, ">170.4°E<"), 1);
    ck_assert_uint_eq(svg_count(&svg, ">0.2°S<"), 1);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(outside_text_is_escaped_everywhere)
{
    const double value = 1;
    struct sst_chart_map map = map_of(1, 1, &value, NULL);
    map.title = map.description = map.unit = "<&\"'>";
    struct sst_text svg = draw(&map);
    ck_assert_uint_eq(svg_count(&svg, "&lt;&amp;&quot;&#39;&gt;"), 3);
    sst_text_clear(&svg);
}
END_TEST

static const struct {
    size_t n_rows, n_cols;
    double north, south, west, east;
    int width;
} domains[] = {
    {1, 1, 0.25, 0, 10, 10.25, 400},     {1, 1440, 0.25, 0, 0, 360, 800},    {720, 1, 90, -90, 0, 0.25, 400},
    {2, 3, 90, 88, -180, 180, 500},      {3, 2, -70, -90, 20, 21, 1},        {2, 2, 1e9, -1e9, 0, 1, 400},
    {4, 4, 1e-9, 0, 0, 1e-9, 400},       {2, 2, 50, 40, 350, 370, 1000000},  {2, 2, 50, 40, -1e12, 1e12, -5},
    {1, 1, DBL_MAX, -1, 0, DBL_MAX, 99}, {2, 2, 40, 39.999999, 7, 7.1, 400},
};

START_TEST(domains_of_any_shape_give_a_sound_picture)
{
    static double values[MAX_CELLS];
    static unsigned char is_sea[MAX_CELLS];
    const size_t n_cells = domains[_i].n_rows * domains[_i].n_cols;
    struct sst_text svg = {0};
    for (size_t i = 0; i < n_cells; ++i) {
        values[i] = i % 3 ? (double)(i % 5) - 2.0 : NAN;
        is_sea[i] = i % 7 != 5;
    }
    for (int variant = 0; variant < 4; ++variant) {
        struct sst_chart_map map = map_of(domains[_i].n_rows, domains[_i].n_cols, values, variant & 1 ? is_sea : NULL);
        map.north = domains[_i].north, map.south = domains[_i].south;
        map.west = domains[_i].west, map.east = domains[_i].east;
        map.width = domains[_i].width;
        map.as_points = variant & 2;
        map.unit = "a unit that is much longer than the bar of any small map could be (°C per year and cell)";
        sst_chart_map_write(&map, &svg);
    }
    svg_expect_sound(&svg);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(maps_of_nothing_say_so)
{
    const double none[] = {NAN, NAN, INFINITY, NAN};
    const unsigned char land[] = {0, 0, 0, 0};
    struct sst_chart_map maps[6];
    struct sst_text svg = {0};
    for (int i = 0; i < 6; ++i)
        maps[i] = map_of(2, 2, none, i == 1 ? land : NULL);
    maps[2].n_rows = 0;
    maps[3].north = NAN;
    maps[4].east = maps[4].west;
    maps[5].as_points = true;
    for (int i = 0; i < 6; ++i) {
        maps[i].low = maps[i].high = 0.0;
        sst_chart_map_write(&maps[i], &svg);
    }
    svg_expect_sound(&svg);
    ck_assert_uint_eq(svg_count(&svg, ">no data<"), 6);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(values_that_are_huge_or_tiny_or_equal_give_a_sound_picture)
{
    static const double pairs[][2] = {{DBL_MAX, -DBL_MAX}, {5e-324, -5e-324}, {3, 3}, {-4, -4}, {0, 0},
                                      {1e15, 1e15 + 1}};
    struct sst_text svg = {0};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; ++i) {
        for (int scale = SST_COLOUR_SEQUENTIAL; scale <= SST_COLOUR_DIVERGING; ++scale) {
            struct sst_chart_map map = map_of(1, 2, pairs[i], NULL);
            map.scale = (enum sst_colour_scale)scale;
            map.low = map.high = 0.0;
            sst_chart_map_write(&map, &svg);
            map.low = -DBL_MAX, map.high = DBL_MAX;
            sst_chart_map_write(&map, &svg);
        }
    }
    svg_expect_sound(&svg);
    sst_text_clear(&svg);
}
END_TEST

/* --- values that stand alone -------------------------------------------------------------------------------------- */

START_TEST(sparse_values_are_boxes_that_can_be_seen)
{
    enum { SIDE = 500, N = 3 };
    static double values[SIDE * SIDE];
    static const size_t cells[N] = {0, 60000, SIDE * SIDE - 1};
    for (size_t i = 0; i < SIDE * SIDE; ++i)
        values[i] = NAN;
    values[cells[0]] = 0.0;
    values[cells[1]] = -1.0;
    values[cells[2]] = 0.0;
    struct sst_chart_map map = map_of(SIDE, SIDE, values, NULL);
    map.as_points = true;
    struct sst_text svg = draw(&map);
    const struct sst_colour low = sst_colour_at(SST_COLOUR_DIVERGING, 0);
    const char *white = strstr(svg.data, "<path fill=\"#ffffff\"");
    const char *blue = strstr(svg.data, test_path("<path fill=\"#%02x%02x%02x\"", low.red, low.green, low.blue));
    ck_assert(white && blue && white < blue); /* what is far from zero is on top */
    ck_assert_uint_eq(svg_count(&svg, "h4.5v4.5h-4.5z"), N);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(too_many_for_boxes_are_drawn_as_means)
{
    enum { SIDE = 500 };
    static double values[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; ++i)
        values[i] = i % 2 ? NAN : 1.0;
    struct sst_chart_map map = map_of(SIDE, SIDE, values, NULL);
    map.as_points = true;
    struct sst_text svg = draw(&map);
    ck_assert_uint_eq(svg_count(&svg, "<image "), 3); /* land, values, colour bar */
    ck_assert_uint_eq(svg_count(&svg, "<path fill=\"#"), 0);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(the_same_map_is_the_same_bytes)
{
    static double values[MAX_CELLS];
    for (size_t i = 0; i < MAX_CELLS; ++i)
        values[i] = sin((double)i);
    const struct sst_chart_map map = map_of(64, 64, values, NULL);
    struct sst_text svg = draw(&map), again = draw(&map);
    ck_assert_str_eq(svg.data, again.data);
    sst_text_clear(&svg);
    sst_text_clear(&again);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("chart_map");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, each_cell_has_the_colour_of_its_value);
    tcase_add_test(tc, zero_is_white_on_a_diverging_scale_whatever_its_ends_are);
    tcase_add_test(tc, large_fields_are_drawn_by_means_of_blocks);
    tcase_add_test(tc, every_cell_of_a_large_field_is_in_a_block);
    tcase_add_loop_test(tc, coasts_are_the_edges_of_land_in_long_lines, 0, (int)(sizeof coasts / sizeof coasts[0]));
    tcase_add_test(tc, each_edge_is_drawn_once);
    tcase_add_test(tc, degrees_are_written_as_people_do);
    tcase_add_test(tc, outside_text_is_escaped_everywhere);
    tcase_add_loop_test(tc, domains_of_any_shape_give_a_sound_picture, 0, (int)(sizeof domains / sizeof domains[0]));
    tcase_add_test(tc, maps_of_nothing_say_so);
    tcase_add_test(tc, values_that_are_huge_or_tiny_or_equal_give_a_sound_picture);
    tcase_add_test(tc, sparse_values_are_boxes_that_can_be_seen);
    tcase_add_test(tc, too_many_for_boxes_are_drawn_as_means);
    tcase_add_test(tc, the_same_map_is_the_same_bytes);
    suite_add_tcase(suite, tc);
    return suite;
}
