/* app/number takes numbers and nothing that only looks like one. */
#include <locale.h>

#include "app/number.h"
#include "test_main.h"

START_TEST(integers_are_whole_texts)
{
    int64_t value = -1;
    ck_assert(sst_number_integer("0", &value) && value == 0);
    ck_assert(sst_number_integer("-12", &value) && value == -12);
    ck_assert(sst_number_integer("+7", &value) && value == 7);
    ck_assert(sst_number_integer("9223372036854775807", &value) && value == INT64_MAX);
    static const char *const bad[] = {"",    "-",  "1.0", "1e3", " 1", "1 ", "0x10", "12a", "9223372036854775808",
                                      "nan", "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_msg(!sst_number_integer(bad[i], &value), "'%s' was taken", bad[i]);
    ck_assert_int_eq(value, INT64_MAX);
}
END_TEST

START_TEST(reals_are_decimal_and_finite)
{
    double value = 0.0;
    ck_assert(sst_number_real("0.1", &value) && value == 0.1);
    ck_assert(sst_number_real("-1.5e2", &value) && value == -150.0);
    ck_assert(sst_number_real(".5", &value) && value == 0.5);
    ck_assert(sst_number_real("5.", &value) && value == 5.0);
    static const char *const bad[] = {"",   ".",  "nan", "NaN", "inf", "-inf", "infinity", "0x1p3", "1,5",
                                      " 1", "1 ", "1e",  "1e+", "e5",  "1%",   "1e999",    "+-1",   "1..2"};
    value = 42.0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_msg(!sst_number_real(bad[i], &value), "'%s' was taken", bad[i]);
    ck_assert(value == 42.0);
}
END_TEST

START_TEST(a_locale_with_a_decimal_comma_changes_nothing)
{
    double value = 0.0;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "C.UTF-8"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        if (setlocale(LC_ALL, names[i]))
            break;
    }
    ck_assert(sst_number_real("0.25", &value) && value == 0.25);
    ck_assert(!sst_number_real("0,25", &value));
    ck_assert_ptr_nonnull(setlocale(LC_ALL, "C"));
}
END_TEST

START_TEST(a_percentage_may_bear_its_sign)
{
    double value = 0.0;
    ck_assert(sst_number_percent("1%", &value) && value == 1.0);
    ck_assert(sst_number_percent("1", &value) && value == 1.0);
    ck_assert(sst_number_percent("0.5%", &value) && value == 0.5);
    ck_assert(!sst_number_percent("%", &value));
    ck_assert(!sst_number_percent("1%%", &value));
    ck_assert(!sst_number_percent("1 %", &value));
    ck_assert(!sst_number_percent("1%x", &value));
    ck_assert(!sst_number_percent("nan%", &value));
}
END_TEST

struct size_case {
    const char *text;
    uint64_t bytes; /* 0 = refused, "0" apart */
};

static const struct size_case sizes[] = {
    {"1", 1},
    {"1234567", 1234567},
    {"4096B", 4096},
    {"4096b", 4096},
    {"4e9", 4000000000},
    {"1K", 1024},
    {"1k", 1024},
    {"3M", 3 << 20},
    {"4G", UINT64_C(4) << 30},
    {"4g", UINT64_C(4) << 30},
    {"2T", UINT64_C(2) << 40},
    {"1.5GiB", UINT64_C(3) << 29},
    {"1.5gib", UINT64_C(3) << 29},
    {"1KiB", 1024},
    {"1TiB", UINT64_C(1) << 40},
    {"1kB", 1000},
    {"1KB", 1000},
    {"500MB", 500000000},
    {"2.5GB", 2500000000},
    {"1TB", UINT64_C(1000000000000)},
    {"0.0001k", 0},
    {"8388607T", UINT64_C(8388607) << 40},
    {"8388608T", 0},
    {"1e300T", 0},
    {"", 0},
    {"G", 0},
    {"4 G", 0},
    {"4GG", 0},
    {"4Gi", 0},
    {"4GiBs", 0},
    {"4iB", 0},
    {"4E", 0},
    {"4P", 0},
    {"-4G", 0},
    {"4G ", 0},
    {"0x10", 0},
    {"nan", 0},
    {"infG", 0},
    {"4,5G", 0},
    {"50%", 0},
};

START_TEST(sizes_have_units_of_1024_and_of_1000)
{
    uint64_t bytes = 0;
    const bool is_taken = sst_number_size(sizes[_i].text, &bytes);
    ck_assert_msg(bytes == sizes[_i].bytes, "'%s' is %llu", sizes[_i].text, (unsigned long long)bytes);
    ck_assert_msg(is_taken || sizes[_i].bytes == 0, "'%s' was refused", sizes[_i].text);
    ck_assert(sst_number_size("0", &bytes) && bytes == 0);
}
END_TEST

START_TEST(lists_have_single_commas_and_no_more_items_than_fit)
{
    double v[3] = {0};
    size_t n = 0;
    ck_assert(sst_number_list("-10,30.5,5", false, 3, v, &n) && n == 3 && v[0] == -10.0 && v[1] == 30.5 && v[2] == 5.0);
    ck_assert(sst_number_list("7", false, 3, v, &n) && n == 1 && v[0] == 7.0);
    ck_assert(!sst_number_list("1,2,3,4", false, 3, v, &n));
    ck_assert(!sst_number_list("1,,2", false, 3, v, &n));
    ck_assert(!sst_number_list(",1", false, 3, v, &n));
    ck_assert(!sst_number_list("1,", false, 3, v, &n));
    ck_assert(!sst_number_list("", false, 3, v, &n));
    ck_assert(!sst_number_list("1%,2", false, 3, v, &n));
    ck_assert(
        !sst_number_list("0000000000000000000000000000000000000000000000000000000000000000000000001", false, 3, v, &n));
}
END_TEST

START_TEST(years_are_ranges_of_whole_years)
{
    int first = 0;
    int last = 0;
    ck_assert(sst_number_years("1991-2020", &first, &last) && first == 1991 && last == 2020);
    ck_assert(sst_number_years("1982..1984", &first, &last) && first == 1982 && last == 1984);
    ck_assert(sst_number_years("1982-01-01/2011-12-31", &first, &last) && first == 1982 && last == 2011);
    static const char *const bad[] = {"",
                                      "1991",
                                      "1991-",
                                      "91-20",
                                      "1991-20201",
                                      "1991:2020",
                                      "1991-2020 ",
                                      "1991-01-02/2020-12-31",
                                      "1991-01-01",
                                      "1991-01-01/20",
                                      "-1991-2020",
                                      "1991...2020",
                                      "1991.2020",
                                      "1991..2020-12-31",
                                      "1991-01-01/2020-12-30",
                                      "1991--2020",
                                      "nineteen-2020",
                                      "1991-01-01/2020-12-31x"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_msg(!sst_number_years(bad[i], &first, &last), "'%s' was taken", bad[i]);
}
END_TEST

START_TEST(month_days_are_days_that_some_calendar_has)
{
    struct sst_month_day a = {0, 0};
    struct sst_month_day b = {0, 0};
    ck_assert(sst_number_month_days("0601-0831", &a, &b) && a.month == 6 && a.day == 1 && b.month == 8 && b.day == 31);
    ck_assert(sst_number_month_days("12-01/02-28", &a, &b) && a.month == 12 && a.day == 1 && b.month == 2 &&
              b.day == 28);
    ck_assert(sst_number_month_days("0229-0230", &a, &b) && a.day == 29 && b.day == 30);
    static const char *const bad[] = {"",          "0601",      "0601-",     "601-831",    "1301-0831",   "0001-0831",
                                      "0600-0831", "0601-0931", "0231-0301", "0601-08311", "06-01-08-31", "0601/0831"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_msg(!sst_number_month_days(bad[i], &a, &b), "'%s' was taken", bad[i]);
}
END_TEST

START_TEST(pairs_have_one_separator)
{
    int a = 0;
    int b = 0;
    ck_assert(sst_number_pair("180x90", 'x', &a, &b) && a == 180 && b == 90);
    ck_assert(sst_number_pair("335-59", '-', &a, &b) && a == 335 && b == 59);
    static const char *const bad[] = {"",       "x",        "180",   "180x",   "x90",
                                      "180X90", "180x90x1", "-1x90", "180x+9", "123456x1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        ck_assert_msg(!sst_number_pair(bad[i], 'x', &a, &b), "'%s' was taken", bad[i]);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("number");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, integers_are_whole_texts);
    tcase_add_test(tc, reals_are_decimal_and_finite);
    tcase_add_test(tc, a_locale_with_a_decimal_comma_changes_nothing);
    tcase_add_test(tc, a_percentage_may_bear_its_sign);
    tcase_add_loop_test(tc, sizes_have_units_of_1024_and_of_1000, 0, (int)(sizeof sizes / sizeof *sizes));
    tcase_add_test(tc, lists_have_single_commas_and_no_more_items_than_fit);
    tcase_add_test(tc, years_are_ranges_of_whole_years);
    tcase_add_test(tc, month_days_are_days_that_some_calendar_has);
    tcase_add_test(tc, pairs_have_one_separator);
    suite_add_tcase(suite, tc);
    return suite;
}
