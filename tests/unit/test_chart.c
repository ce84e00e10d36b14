/* write/chart: pictures are sound whatever the data are, and hold what they should: series, marks, labels, legends. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "svg_check.h"
#include "test_main.h"
#include "write/chart.h"

static const double ramp[] = {0, 1, 2, 3};

static struct sst_chart_series series_of(enum sst_series_kind kind, const double *x, const double *y, size_t n)
{
    return (struct sst_chart_series){.kind = kind, .x = x, .y = y, .n = n};
}

/* Square, of 200 px: room is left for labels. */
static struct sst_chart chart_of(const struct sst_chart_series *series, size_t n_series)
{
    return (struct sst_chart){.title = "t", .width = 200, .height = 200, .series = series, .n_series = n_series};
}

static struct sst_text draw(const struct sst_chart *chart)
{
    struct sst_text svg = {0};
    sst_chart_write(chart, &svg);
    svg_expect_sound(&svg);
    return svg;
}

/* The data of the n-th path (from 0) that has a piece of text among its attributes. */
static const char *path_with(const struct sst_text *svg, const char *piece, int nth, char *buffer, size_t size)
{
    const char *at = svg->data;
    buffer[0] = '\0';
    for (at = strstr(at, "<path "); at; at = strstr(at + 1, "<path ")) {
        const char *data = strstr(at, " d=\""), *end = strstr(at, "\"/>"), *found = strstr(at, piece);
        ck_assert(data && end);
        if (!found || found > data || nth-- > 0)
            continue;
        ck_assert_uint_lt((size_t)(end - data), size);
        memcpy(buffer, data + 4, (size_t)(end - data - 4));
        buffer[end - data - 4] = '\0';
        return buffer;
    }
    return buffer;
}

static size_t count_letters(const char *data, char letter)
{
    size_t n = 0;
    for (; *data; ++data)
        n += *data == letter;
    return n;
}

/* --- data that could do harm -------------------------------------------------------------------------------------- */

static const struct {
    double x[3], y[3];
    size_t n;
    bool is_empty;
} odd[] = {
    {{0}, {0}, 0, true},
    {{NAN, NAN, 1}, {1, NAN, NAN}, 3, true},
    {{INFINITY, 1}, {1, -INFINITY}, 2, true},
    {{5}, {5}, 1, false},
    {{1, 1, 1}, {2, 2, 2}, 3, false},
    {{1, 2, 3}, {-5, -6, -7}, 3, false},
    {{0, 0, 0}, {0, 0, 0}, 3, false},
    {{-DBL_MAX, 0, DBL_MAX}, {DBL_MAX, -DBL_MAX, 1}, 3, false},
    {{5e-324, 1e-323}, {-5e-324, 5e-324}, 2, false},
    {{1e15, 1e15 + 1}, {1e9, 1e9 + 1e-6}, 2, false},
    {{1, NAN, 3}, {1, 2, INFINITY}, 3, false},
};
enum { N_ODD = sizeof odd / sizeof odd[0] };

START_TEST(odd_data_give_a_sane_picture)
{
    static const double widths[] = {0.0, 1.0, NAN, -1.0, INFINITY, DBL_MAX};
    struct sst_text svg = {0};
    size_t n_pictures = 0;
    for (int kind = SST_SERIES_LINE; kind <= SST_SERIES_POINTS; ++kind) {
        for (size_t w = 0; w < (kind == SST_SERIES_BARS ? sizeof widths / sizeof widths[0] : 1); ++w) {
            struct sst_chart_series series = series_of((enum sst_series_kind)kind, odd[_i].x, odd[_i].y, odd[_i].n);
            series.bar_width = widths[w];
            struct sst_chart chart = chart_of(&series, 1);
            chart.y.from_zero = w % 2;
            sst_chart_write(&chart, &svg);
            ++n_pictures;
        }
    }
    svg_expect_sound(&svg);
    ck_assert_uint_eq(svg_count(&svg, ">no data<"), odd[_i].is_empty ? n_pictures : 0);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(odd_ranges_sizes_and_marks_give_a_sane_picture)
{
    static const double limits[] = {0, NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 1.5};
    static const int sizes[] = {-1, 0, 1, 121, 1000000};
    const double marks[] = {NAN, INFINITY, 1.5, -DBL_MAX};
    const struct sst_chart_series series = series_of(SST_SERIES_LINE, ramp, ramp, 4);
    struct sst_text svg = {0};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        struct sst_chart chart = chart_of(&series, 1);
        chart.x = (struct sst_chart_axis){.label = "x", .low = limits[i], .high = limits[_i % 7]};
        chart.y = (struct sst_chart_axis){.label = "y", .low = limits[_i % 7], .high = limits[i]};
        chart.width = sizes[i % 5];
        chart.height = sizes[(i + (size_t)_i) % 5];
        chart.marks_x = chart.marks_y = marks;
        chart.n_marks_x = chart.n_marks_y = 4;
        sst_chart_write(&chart, &svg);
    }
    svg_expect_sound(&svg);
    sst_text_clear(&svg);
}
END_TEST

/* --- what is drawn ------------------------------------------------------------------------------------------------ */

START_TEST(outside_text_is_escaped_everywhere)
{
    const char *evil = "</title><script>&\"'\x01";
    const struct sst_chart_tick tick = {1, evil};
    struct sst_chart_series series[2] = {series_of(SST_SERIES_LINE, ramp, ramp, 4),
                                         series_of(SST_SERIES_BARS, ramp, ramp, 4)};
    series[0].label = series[1].label = evil;
    struct sst_chart chart = chart_of(series, 2);
    chart.title = chart.description = chart.x.label = chart.y.label = evil;
    chart.x.ticks = &tick;
    chart.x.n_ticks = 1;
    chart.width = 2000; /* no label is left out for want of room */
    struct sst_text svg = draw(&chart);
    ck_assert_uint_eq(svg_count(&svg, "<script"), 0);
    ck_assert_uint_eq(svg_count(&svg, "&lt;/title&gt;&lt;script&gt;&amp;&quot;&#39;\xEF\xBF\xBD"), 7);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(a_line_breaks_at_nan_and_a_lone_value_is_a_dot)
{
    const double x[] = {0, 1, 2, 3, 4, 5, 6}, y[] = {0, 1, NAN, 2, NAN, 1, 0};
    char data[512];
    const struct sst_chart_series series = series_of(SST_SERIES_LINE, x, y, 7);
    const struct sst_chart chart = chart_of(&series, 1);
    struct sst_text svg = draw(&chart);
    path_with(&svg, "stroke-linejoin", 0, data, sizeof data);
    ck_assert_uint_eq(count_letters(data, 'M'), 3);
    ck_assert_uint_eq(count_letters(data, 'L'), 2);
    ck_assert_ptr_nonnull(strstr(data, "h0.1"));
    sst_text_clear(&svg);
}
END_TEST

START_TEST(what_leaves_the_axes_is_cut_at_them)
{
    const double x[] = {-10, 10}, y[] = {-10, 10}; /* crosses the square of 0..1 from corner to corner */
    char data[512], axes[1024];
    const struct sst_chart_series series = series_of(SST_SERIES_LINE, x, y, 2);
    struct sst_chart chart = chart_of(&series, 1);
    chart.x.high = chart.y.high = 1.0;
    struct sst_text svg = draw(&chart);
    double from[2], to[2], left = 0, top = 0, bottom = 0;
    ck_assert_int_eq(sscanf(path_with(&svg, "stroke-linejoin", 0, data, sizeof data), "M%lf %lfL%lf %lf", &from[0],
                            &from[1], &to[0], &to[1]),
                     4);
    ck_assert_int_eq(
        sscanf(path_with(&svg, "stroke=\"#444\"", 0, axes, sizeof axes), "M%lf %lfV%lf", &left, &top, &bottom), 3);
    ck_assert_double_eq_tol(from[0], left, 0.051);
    ck_assert_double_eq_tol(from[1], bottom, 0.051);
    ck_assert_double_eq_tol(to[1], top, 0.051);
    ck_assert_double_gt(to[0], from[0] + 50.0);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(bars_stand_on_zero_and_those_of_nothing_are_not_drawn)
{
    const double y[] = {2, 0, -1, NAN};
    char data[512];
    struct sst_chart_series series = series_of(SST_SERIES_BARS, ramp, y, 4);
    series.bar_width = 1.0;
    struct sst_chart chart = chart_of(&series, 1);
    chart.y = (struct sst_chart_axis){.low = -2, .high = 2};
    struct sst_text svg = draw(&chart);
    path_with(&svg, "fill=\"#00548f\"", 0, data, sizeof data);
    ck_assert_uint_eq(count_letters(data, 'z'), 2);
    double x[2], base[3], up = 0, down = 0, across[2];
    ck_assert_int_eq(sscanf(data, "M%lf %lfV%lfH%lfV%lfzM%lf %lfV%lfH%lf", &x[0], &base[0], &up, &across[0], &base[2],
                            &x[1], &base[1], &down, &across[1]),
                     9);
    ck_assert_double_eq_tol(base[0], base[1], 1e-9);
    ck_assert_double_eq_tol(base[0], base[2], 1e-9);
    ck_assert_double_eq_tol(base[0] - up, 2.0 * (down - base[0]), 0.21); /* y grows downwards; tenths of a px */
    ck_assert_double_eq_tol(across[0] - x[0], across[1] - x[1], 0.11);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(points_of_one_place_are_one_dot)
{
    static double x[10000], y[10000];
    char data[512];
    for (size_t i = 0; i < 10000; ++i) {
        x[i] = i % 2 ? 1.0 + 1e-7 * (double)i : 3.0;
        y[i] = 2.0;
    }
    const struct sst_chart_series series = series_of(SST_SERIES_POINTS, x, y, 10000);
    struct sst_chart chart = chart_of(&series, 1);
    chart.x.high = 4.0;
    struct sst_text svg = draw(&chart);
    ck_assert_uint_eq(count_letters(path_with(&svg, "stroke-width=\"3.2\"", 0, data, sizeof data), 'M'), 2);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(a_legend_is_there_for_more_than_one_labelled_series)
{
    struct sst_chart_series series[3] = {series_of(SST_SERIES_LINE, ramp, ramp, 4),
                                         series_of(SST_SERIES_POINTS, ramp, ramp, 4),
                                         series_of(SST_SERIES_LINE, ramp, ramp, 4)};
    series[0].label = "alpha";
    const struct sst_chart chart = chart_of(series, 3);
    struct sst_text svg = draw(&chart);
    ck_assert_uint_eq(svg_count(&svg, "alpha"), 0);
    const size_t n_paths = svg_count(&svg, "<path ");
    sst_text_clear(&svg);
    series[1].label = "beta";
    svg = draw(&chart);
    ck_assert_uint_eq(svg_count(&svg, ">alpha<"), 1);
    ck_assert_uint_eq(svg_count(&svg, ">beta<"), 1);
    ck_assert_uint_eq(svg_count(&svg, "<path "), n_paths + 2);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(marks_within_the_axes_are_hair_lines)
{
    const double marks[] = {0.5, 7.0, NAN, 2.0};
    char data[512];
    const struct sst_chart_series series = series_of(SST_SERIES_LINE, ramp, ramp, 4);
    struct sst_chart chart = chart_of(&series, 1);
    chart.x.high = 3.0;
    chart.marks_x = chart.marks_y = marks;
    chart.n_marks_x = 4;
    chart.n_marks_y = 1;
    struct sst_text svg = draw(&chart);
    path_with(&svg, "stroke-dasharray=\"2 2\"", 0, data, sizeof data);
    ck_assert_uint_eq(count_letters(data, 'V'), 2);
    ck_assert_uint_eq(count_letters(data, 'H'), 1);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(labels_of_ticks_do_not_run_into_each_other)
{
    const struct sst_chart_tick ticks[] = {{0, "Jan"}, {0.2, "Feb"}, {2, "Mar"}, {3, "Apr"}};
    const struct sst_chart_series series = series_of(SST_SERIES_LINE, ramp, ramp, 4);
    struct sst_chart chart = chart_of(&series, 1);
    chart.x = (struct sst_chart_axis){.low = 0, .high = 4, .ticks = ticks, .n_ticks = 4};
    struct sst_text svg = draw(&chart);
    ck_assert_uint_eq(svg_count(&svg, "Jan"), 1);
    ck_assert_uint_eq(svg_count(&svg, "Feb"), 0);
    ck_assert_uint_eq(svg_count(&svg, "Mar"), 1);
    sst_text_clear(&svg);
}
END_TEST

START_TEST(the_same_chart_is_the_same_bytes)
{
    struct sst_chart_series series[2] = {series_of(SST_SERIES_LINE, ramp, ramp, 4),
                                         series_of(SST_SERIES_POINTS, ramp, ramp, 4)};
    const struct sst_chart chart = chart_of(series, 2);
    struct sst_text svg = draw(&chart), again = draw(&chart);
    ck_assert_str_eq(svg.data, again.data);
    sst_text_clear(&svg);
    sst_text_clear(&again);
}
END_TEST

START_TEST(the_checker_of_pictures_sees_planted_faults)
{
#define HEAD "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 9 9\"><title>t</title>"
    const struct sst_text good = {.data = (char[]){HEAD "<path d=\"M1 2L3 4\"/></svg>"}};
    svg_expect_sound(&good);
    svg_expect_complaint(HEAD "<path d=\"M1 2L3 4\"/>", "mismatched tag");
    svg_expect_complaint(HEAD "<text x=\"nan\">a</text></svg>", "nan");
    svg_expect_complaint(HEAD "<path stroke-width=\"-inf\" d=\"M1 1\"/></svg>", "inf");
    svg_expect_complaint(HEAD "<path d=\"M1 20L3 4\"/></svg>", "in a picture of");
    svg_expect_complaint(HEAD "<text x=\"-9\" y=\"1\">a</text></svg>", "in a picture of");
    svg_expect_complaint(HEAD "<script/></svg>", "script");
#undef HEAD
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("chart");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, odd_data_give_a_sane_picture, 0, N_ODD);
    tcase_add_loop_test(tc, odd_ranges_sizes_and_marks_give_a_sane_picture, 0, 7);
    tcase_add_test(tc, outside_text_is_escaped_everywhere);
    tcase_add_test(tc, a_line_breaks_at_nan_and_a_lone_value_is_a_dot);
    tcase_add_test(tc, what_leaves_the_axes_is_cut_at_them);
    tcase_add_test(tc, bars_stand_on_zero_and_those_of_nothing_are_not_drawn);
    tcase_add_test(tc, points_of_one_place_are_one_dot);
    tcase_add_test(tc, a_legend_is_there_for_more_than_one_labelled_series);
    tcase_add_test(tc, marks_within_the_axes_are_hair_lines);
    tcase_add_test(tc, labels_of_ticks_do_not_run_into_each_other);
    tcase_add_test(tc, the_same_chart_is_the_same_bytes);
    tcase_add_test(tc, the_checker_of_pictures_sees_planted_faults);
    suite_add_tcase(suite, tc);
    return suite;
}
