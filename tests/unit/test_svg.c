/* write/svg: coordinates are short and always numbers, labels fit their room and are escaped. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "svg_check.h"
#include "test_main.h"
#include "write/svg.h"

static const struct {
    double value;
    const char *text;
} numbers[] = {
    {0.0, "0"},
    {-0.0, "0"},
    {12.0, "12"},
    {12.34, "12.3"},
    {-0.04, "0"},
    {-0.06, "-0.1"},
    {99.96, "100"},
    {-7.5, "-7.5"},
    {NAN, "0"},
    {INFINITY, "100000"},
    {1e300, "100000"},
    {5e-324, "0"},
    {-INFINITY, "-100000"},
    {-DBL_MAX, "-100000"},
};

START_TEST(coordinates_are_tenths_and_always_numbers)
{
    struct sst_text text = {0};
    sst_svg_number(&text, numbers[_i].value);
    ck_assert_str_eq(text.data, numbers[_i].text);
    sst_text_clear(&text);
}
END_TEST

START_TEST(widths_count_letters_not_bytes)
{
    ck_assert_double_eq_tol(sst_svg_text_width("30°S", 10), sst_svg_text_width("30xS", 10), 1e-12);
    ck_assert_double_eq_tol(sst_svg_text_width("ab", 20), 4 * sst_svg_text_width("a", 10), 1e-12);
    ck_assert_double_eq_tol(sst_svg_text_width(NULL, 10), 0.0, 1e-12);
}
END_TEST

START_TEST(labels_shrink_to_their_room_but_not_below_what_can_be_read)
{
    struct sst_text text = {0};
    struct sst_svg_label label = {.size = 20, .text = "abcd", .room = sst_svg_text_width("abcd", 10)};
    sst_svg_label(&text, &label);
    ck_assert_ptr_nonnull(strstr(text.data, " font-size=\"10\""));
    ck_assert_ptr_null(strstr(text.data, "textLength"));
    sst_text_clear(&text);
    label.room = 5;
    sst_svg_label(&text, &label);
    ck_assert_ptr_nonnull(strstr(text.data, " font-size=\"8\" textLength=\"5\""));
    sst_text_clear(&text);
    label.room = 1000;
    sst_svg_label(&text, &label);
    ck_assert_ptr_nonnull(strstr(text.data, " font-size=\"20\""));
    sst_text_clear(&text);
}
END_TEST

START_TEST(a_picture_has_a_title_and_what_it_shows_for_those_who_hear_it)
{
    struct sst_text text = {0};
    sst_svg_begin(&text, 100, 50.25, "A & B", "1 < 2");
    sst_svg_path_begin(&text, "stroke=\"#000\"");
    sst_svg_line(&text, 1, 2, 1, 4);
    sst_svg_line(&text, 1, 2, 3, 2);
    sst_svg_line(&text, 1, 2, 3, 4);
    sst_svg_box(&text, 5, 6, 7, 8.5);
    sst_svg_path_end(&text);
    sst_svg_end(&text);
    svg_expect_sound(&text);
    ck_assert_ptr_nonnull(strstr(text.data, "viewBox=\"0 0 100 50.3\""));
    ck_assert_ptr_nonnull(strstr(text.data, "<title>A &amp; B</title>\n<desc>1 &lt; 2</desc>"));
    ck_assert_ptr_nonnull(strstr(text.data, "d=\"M1 2V4M1 2H3M1 2L3 4M5 6h7v8.5h-7z\"/>"));
    sst_text_clear(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("svg");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, coordinates_are_tenths_and_always_numbers, 0, (int)(sizeof numbers / sizeof numbers[0]));
    tcase_add_test(tc, widths_count_letters_not_bytes);
    tcase_add_test(tc, labels_shrink_to_their_room_but_not_below_what_can_be_read);
    tcase_add_test(tc, a_picture_has_a_title_and_what_it_shows_for_those_who_hear_it);
    suite_add_tcase(suite, tc);
    return suite;
}
