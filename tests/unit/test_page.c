/* The page's numbers and names, its tolerance of odd reports, and its refusal of what is none. */
#include "app/page.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/page_parts.h"
#include "test_main.h"

static struct sst_text text;

static const char *shown(enum sst_page_form form, double value)
{
    sst_text_clear(&text);
    sst_page_put_number(&text, form, value);
    return text.data;
}

START_TEST(numbers_have_sensible_digits)
{
    ck_assert_str_eq(shown(SST_PAGE_COUNT, 0), "0");
    ck_assert_str_eq(shown(SST_PAGE_COUNT, 999), "999");
    ck_assert_str_eq(shown(SST_PAGE_COUNT, 1000), "1,000");
    ck_assert_str_eq(shown(SST_PAGE_COUNT, 344406), "344,406");
    ck_assert_str_eq(shown(SST_PAGE_DEGC, 0.0865), "0.086");
    ck_assert_str_eq(shown(SST_PAGE_DEGC, 0.00049), "&lt;0.001");
    ck_assert_str_eq(shown(SST_PAGE_DEGC, 0), "0.000");
    ck_assert_str_eq(shown(SST_PAGE_SIGNED_DEGC, 0.025), "+0.025");
    ck_assert_str_eq(shown(SST_PAGE_SIGNED_DEGC, -0.025), "\xE2\x88\x92"
                                                          "0.025");
    ck_assert_str_eq(shown(SST_PAGE_SIGNED_DEGC, -0.0004), "0.000");
    ck_assert_str_eq(shown(SST_PAGE_TENTHS, 24.35), "24.4");
    ck_assert_str_eq(shown(SST_PAGE_HUNDREDTHS, 2.094), "2.09");
}
END_TEST

START_TEST(shares_have_more_digits_near_their_ends)
{
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0), "0\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0.00001), "&lt;0.01\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0.0013), "0.13\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0.1329), "13.3\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0.9987), "99.87\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 0.99999), "&gt;99.99\xC2\xA0%");
    ck_assert_str_eq(shown(SST_PAGE_SHARE, 1), "100\xC2\xA0%");
}
END_TEST

START_TEST(a_number_that_does_not_exist_is_a_dash)
{
    for (int form = SST_PAGE_COUNT; form <= SST_PAGE_HUNDREDTHS; ++form) {
        ck_assert_str_eq(shown((enum sst_page_form)form, NAN), "\xE2\x80\x93");
        ck_assert_str_eq(shown((enum sst_page_form)form, -INFINITY), "\xE2\x80\x93");
        ck_assert_uint_lt(strlen(shown((enum sst_page_form)form, -1e308)), 16);
    }
}
END_TEST

START_TEST(variables_are_called_as_people_call_them)
{
    char name[64];
    ck_assert_str_eq(sst_page_variable_name("sst_p90", name, sizeof name), "P90");
    ck_assert_str_eq(sst_page_variable_name("sst_p97p5", name, sizeof name), "P97.5");
    ck_assert_str_eq(sst_page_variable_name("sst_mean", name, sizeof name), "Mean");
    ck_assert_str_eq(sst_page_variable_name("sst_p", name, sizeof name), "sst_p");
    ck_assert_str_eq(sst_page_variable_name("sst_p90_lower", name, sizeof name), "sst_p90_lower");
}
END_TEST

/* The note that a report makes when the value at a.b[1] is read as a number. */
static const char *note_of(const char *json, struct sst_page_notes *notes)
{
    json_t *report = json_loads(json, 0, NULL);
    *notes = (struct sst_page_notes){0};
    ck_assert_ptr_nonnull(report);
    const struct sst_page_node root = sst_page_node_root(report, notes);
    const struct sst_page_node a = sst_page_node_object(&root, "a");
    const struct sst_page_node b = sst_page_node_list(&a, "b");
    ck_assert(isnan(sst_page_node_number_at(&b, 1)));
    ck_assert(isnan(sst_page_node_number_at(&b, 1)));
    json_decref(report);
    return notes->n == 0 ? "" : notes->texts[0];
}

START_TEST(what_is_of_the_wrong_form_is_noted_once_by_its_name)
{
    struct sst_page_notes notes;
    ck_assert_str_eq(note_of("{}", &notes), "");
    ck_assert_str_eq(note_of("{\"a\": null}", &notes), "");
    ck_assert_str_eq(note_of("{\"a\": {\"b\": [1]}}", &notes), "");
    ck_assert_str_eq(note_of("{\"a\": []}", &notes), "a: an object is expected, this is a list");
    ck_assert_str_eq(note_of("{\"a\": {\"b\": 1}}", &notes), "a.b: a list is expected, this is a number");
    ck_assert_str_eq(note_of("{\"a\": {\"b\": [0, true]}}", &notes),
                     "a.b[1]: a number is expected, this is true or false");
    ck_assert_uint_eq(notes.n, 1);
}
END_TEST

START_TEST(notes_of_long_names_are_cut_between_characters)
{
    struct sst_page_notes notes = {0};
    char key[200];
    json_t *report = json_object();
    for (size_t i = 0; i + 2 < sizeof key; i += 2)
        memcpy(key + i, "\xC3\xA9", 2);
    key[sizeof key - 2] = '\0';
    key[0] = 'x'; /* so that the cut falls within a character */
    memmove(key + 1, key + 2, strlen(key + 2) + 1);
    json_object_set_new(report, key, json_true());
    const struct sst_page_node root = sst_page_node_root(report, &notes);
    ck_assert(isnan(sst_page_node_number(&root, key)));
    ck_assert_uint_eq(notes.n, 1);
    json_t *as_text = json_string(notes.texts[0]); /* NULL where it is no UTF-8 */
    ck_assert_ptr_nonnull(as_text);
    ck_assert_ptr_nonnull(strstr(notes.texts[0], ": a number is expected"));
    json_decref(as_text);
    json_decref(report);
}
END_TEST

START_TEST(what_is_no_report_gives_no_page)
{
    static const struct {
        const char *json, *reason;
    } cases[] = {{"[]", "JSON of another kind"},
                 {"{}", "schema: not there"},
                 {"{\"schema\": null}", "schema: no text"},
                 {"{\"schema\": \"sststream-run/\"}", "none of sststream's reports"},
                 {"{\"schema\": \"sststream-run/0\"}", "none of sststream's reports"},
                 {"{\"schema\": \"sststream-run/-1\"}", "none of sststream's reports"},
                 {"{\"schema\": \"sststream-plan/1\"}", "is a plan"},
                 {"{\"schema\": \"sststream-compare/2\"}", "a newer sststream"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct sst_error err = {SST_OK, ""};
        json_t *report = json_loads(cases[i].json, 0, NULL);
        sst_text_clear(&text);
        ck_assert_int_eq(sst_page_write(report, &text, &err), SST_ERR_INPUT);
        ck_assert_msg(strstr(err.text, cases[i].reason) != NULL, "%s: %s", cases[i].json, err.text);
        ck_assert_uint_eq(text.size, 0);
        json_decref(report);
    }
}
END_TEST

START_TEST(a_bare_report_gives_a_whole_page)
{
    struct sst_error err = {SST_OK, ""};
    json_t *report = json_loads("{\"schema\": \"sststream-run/1\", \"verdict\": {\"text\": \"1 < 2\"}}", 0, NULL);
    sst_text_clear(&text);
    ck_assert_int_eq(sst_page_write(report, &text, &err), SST_OK);
    ck_assert_int_eq(strncmp(text.data, "<!DOCTYPE html>\n", 16), 0);
    ck_assert_ptr_nonnull(strstr(text.data, "<p class=\"verdict\">1 &lt; 2</p>"));
    ck_assert_str_eq(text.data + text.size - strlen("</html>\n"), "</html>\n");
    ck_assert_ptr_null(strstr(text.data, "id=\"maps\""));
    sst_text_clear(&text);
    json_decref(report);
}
END_TEST

/* Draws errors of all slots 1..n_slots by a calendar's name. */
static void draw_year(const char *calendar, int n_slots)
{
    struct sst_error err = {SST_OK, ""};
    json_t *slots = json_array();
    for (int slot = 1; slot <= n_slots; ++slot)
        json_array_append_new(slots, json_pack("{s:i, s:i, s:f, s:f, s:f}", "low", slot, "high", slot, "bias", 0.01,
                                               "rmse", 0.02, "p95_abs", 0.05));
    json_t *report =
        json_pack("{s:s, s:{s:s}, s:{s:{s:{s:i}}, s:{s:{s:o}}}}", "schema", "sststream-run/1", "policy", "calendar",
                  calendar, "validation", "errors_degc", "sst_p90", "x", 0, "breakdown", "sst_p90", "by_slot", slots);
    sst_text_clear(&text);
    ck_assert_ptr_nonnull(report);
    ck_assert_int_eq(sst_page_write(report, &text, &err), SST_OK);
    json_decref(report);
}

/* Where a label of the axis stands. [px] */
static double place_of(const char *label)
{
    double x = NAN;
    const char *at = strstr(text.data, label);
    ck_assert_ptr_nonnull(at);
    while (strncmp(at, "<text x=\"", 9) != 0)
        --at;
    ck_assert_int_eq(sscanf(at, "<text x=\"%lf\"", &x), 1);
    return x;
}

START_TEST(a_year_of_360_days_has_months_of_30_and_no_29_february_line)
{
    draw_year("standard", 366);
    const double px_per_day = (place_of(">Dec<") - place_of(">Jan<")) / 335;
    ck_assert_double_eq_tol((place_of(">Mar<") - place_of(">Jan<")) / px_per_day, 60, 0.5);
    ck_assert_ptr_nonnull(strstr(text.data, "29 February"));
    draw_year("360_day", 360);
    const double px_per_month = (place_of(">Dec<") - place_of(">Jan<")) / 11;
    ck_assert_double_eq_tol((place_of(">Mar<") - place_of(">Feb<")) / px_per_month, 1, 0.02);
    ck_assert_ptr_null(strstr(text.data, "29 February"));
    sst_text_clear(&text);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("page");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, numbers_have_sensible_digits);
    tcase_add_test(tc, shares_have_more_digits_near_their_ends);
    tcase_add_test(tc, a_number_that_does_not_exist_is_a_dash);
    tcase_add_test(tc, variables_are_called_as_people_call_them);
    tcase_add_test(tc, what_is_of_the_wrong_form_is_noted_once_by_its_name);
    tcase_add_test(tc, notes_of_long_names_are_cut_between_characters);
    tcase_add_test(tc, what_is_no_report_gives_no_page);
    tcase_add_test(tc, a_bare_report_gives_a_whole_page);
    tcase_add_test(tc, a_year_of_360_days_has_months_of_30_and_no_29_february_line);
    suite_add_tcase(suite, tc);
    return suite;
}
