/* write/colour: white at zero, even steps, one way in grey, apart for those who do not see red or green. */
#include <math.h>

#include "test_main.h"
#include "write/colour.h"

enum { N_STEPS = 200 };

/* Relative luminance (IEC 61966-2-1). */
static double linear(double value) { return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4); }
static double luminance(struct sst_colour c)
{
    return 0.2126 * linear(c.red / 255.0) + 0.7152 * linear(c.green / 255.0) + 0.0722 * linear(c.blue / 255.0);
}

static double lightness_of(double y) { return y > 216.0 / 24389.0 ? 116.0 * cbrt(y) - 16.0 : y * 24389.0 / 27.0; }

static double lab_f(double t) { return t > 216.0 / 24389.0 ? cbrt(t) : (841.0 / 108.0) * t + 4.0 / 29.0; }

/* CIE76 distance, by a way of its own from sRGB to L*a*b*. */
static double distance(struct sst_colour one, struct sst_colour other)
{
    double lab[2][3];
    for (int i = 0; i < 2; ++i) {
        const struct sst_colour c = i ? other : one;
        const double r = linear(c.red / 255.0), g = linear(c.green / 255.0), b = linear(c.blue / 255.0);
        const double fx = lab_f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505), fy = lab_f(luminance(c));
        const double fz = lab_f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0890);
        lab[i][0] = 116.0 * fy - 16.0;
        lab[i][1] = 500.0 * (fx - fy);
        lab[i][2] = 200.0 * (fy - fz);
    }
    return sqrt(pow(lab[0][0] - lab[1][0], 2) + pow(lab[0][1] - lab[1][1], 2) + pow(lab[0][2] - lab[1][2], 2));
}

static void expect_colour(struct sst_colour c, int red, int green, int blue)
{
    ck_assert_msg(c.red == red && c.green == green && c.blue == blue, "%d %d %d, not %d %d %d", c.red, c.green, c.blue,
                  red, green, blue);
}

START_TEST(the_diverging_scale_is_white_at_zero_and_only_there)
{
    expect_colour(sst_colour_at(SST_COLOUR_DIVERGING, 0.5), 255, 255, 255);
    ck_assert(luminance(sst_colour_at(SST_COLOUR_DIVERGING, 0.49)) < 0.99);
    ck_assert(luminance(sst_colour_at(SST_COLOUR_DIVERGING, 0.51)) < 0.99);
}
END_TEST

START_TEST(its_sides_are_blue_and_red_and_as_dark_as_each_other)
{
    for (int i = 1; i <= 10; ++i) {
        const struct sst_colour below = sst_colour_at(SST_COLOUR_DIVERGING, 0.5 - 0.05 * i);
        const struct sst_colour above = sst_colour_at(SST_COLOUR_DIVERGING, 0.5 + 0.05 * i);
        ck_assert_int_gt(below.blue, below.red + 5 * i);
        ck_assert_int_gt(above.red, above.blue + 5 * i);
        ck_assert_double_eq_tol(lightness_of(luminance(below)), lightness_of(luminance(above)), 3.0);
    }
}
END_TEST

START_TEST(lightness_goes_one_way_on_each_side_of_zero)
{
    for (int i = 1; i <= N_STEPS; ++i) {
        const double before = (i - 1) / (double)N_STEPS, here = i / (double)N_STEPS;
        ck_assert_double_lt(luminance(sst_colour_at(SST_COLOUR_SEQUENTIAL, here)),
                            luminance(sst_colour_at(SST_COLOUR_SEQUENTIAL, before)));
        const double one = luminance(sst_colour_at(SST_COLOUR_DIVERGING, before));
        const double next = luminance(sst_colour_at(SST_COLOUR_DIVERGING, here));
        ck_assert(i <= N_STEPS / 2 ? next > one : next < one);
    }
}
END_TEST

/* Longest step by shortest, of twenty on a side; 8-bit rounding and clipping take a little. */
START_TEST(steps_are_even_to_the_eye)
{
    static const struct {
        enum sst_colour_scale scale;
        double from, to;
    } parts[] = {{SST_COLOUR_SEQUENTIAL, 0.0, 1.0}, {SST_COLOUR_DIVERGING, 0.0, 0.5}, {SST_COLOUR_DIVERGING, 0.5, 1.0}};
    double shortest = INFINITY, longest = 0.0;
    const int n_steps = 20;
    for (int i = 0; i < n_steps; ++i) {
        const double width = (parts[_i].to - parts[_i].from) / n_steps;
        const double step = distance(sst_colour_at(parts[_i].scale, parts[_i].from + i * width),
                                     sst_colour_at(parts[_i].scale, parts[_i].from + (i + 1) * width));
        shortest = fmin(shortest, step);
        longest = fmax(longest, step);
    }
    ck_assert_double_gt(shortest, 3.0);
    ck_assert_double_lt(longest / shortest, 1.35);
}
END_TEST

START_TEST(shares_beyond_the_ends_are_the_ends)
{
    for (int scale = SST_COLOUR_SEQUENTIAL; scale <= SST_COLOUR_DIVERGING; ++scale) {
        const struct sst_colour low = sst_colour_at((enum sst_colour_scale)scale, 0.0);
        const struct sst_colour high = sst_colour_at((enum sst_colour_scale)scale, 1.0);
        expect_colour(sst_colour_at((enum sst_colour_scale)scale, -3.0), low.red, low.green, low.blue);
        expect_colour(sst_colour_at((enum sst_colour_scale)scale, NAN), low.red, low.green, low.blue);
        expect_colour(sst_colour_at((enum sst_colour_scale)scale, 7.0), high.red, high.green, high.blue);
        expect_colour(sst_colour_at((enum sst_colour_scale)scale, INFINITY), high.red, high.green, high.blue);
    }
    ck_assert(luminance(sst_colour_at(SST_COLOUR_SEQUENTIAL, 0.0)) > 0.75);
    ck_assert(luminance(sst_colour_at(SST_COLOUR_SEQUENTIAL, 1.0)) < 0.05);
}
END_TEST

START_TEST(series_have_six_colours_that_come_round)
{
    for (int i = 0; i < SST_N_SERIES_COLOURS; ++i) {
        const struct sst_colour colour = sst_colour_of_series(i);
        expect_colour(sst_colour_of_series(i + SST_N_SERIES_COLOURS), colour.red, colour.green, colour.blue);
        expect_colour(sst_colour_of_series(i - SST_N_SERIES_COLOURS), colour.red, colour.green, colour.blue);
        for (int k = 0; k < i; ++k)
            ck_assert_double_gt(distance(colour, sst_colour_of_series(k)), 25.0);
    }
    for (int i = 1; i < 4; ++i) { /* the first ones in grey too */
        for (int k = 0; k < i; ++k)
            ck_assert_double_gt(fabs(lightness_of(luminance(sst_colour_of_series(i))) -
                                     lightness_of(luminance(sst_colour_of_series(k)))),
                                14.0);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("colour");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, the_diverging_scale_is_white_at_zero_and_only_there);
    tcase_add_test(tc, its_sides_are_blue_and_red_and_as_dark_as_each_other);
    tcase_add_test(tc, lightness_goes_one_way_on_each_side_of_zero);
    tcase_add_loop_test(tc, steps_are_even_to_the_eye, 0, 3);
    tcase_add_test(tc, shares_beyond_the_ends_are_the_ends);
    tcase_add_test(tc, series_have_six_colours_that_come_round);
    suite_add_tcase(suite, tc);
    return suite;
}
