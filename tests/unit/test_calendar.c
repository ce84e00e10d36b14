/* core/calendar: which days each calendar has, how they are numbered and named; against cftime and by walking. */
#include <stdio.h>
#include <string.h>

#include "cftime_cases.h"
#include "core/calendar.h"
#include "test_main.h"

static const enum sst_calendar_kind kinds[] = {SST_CALENDAR_STANDARD, SST_CALENDAR_PROLEPTIC_GREGORIAN,
                                               SST_CALENDAR_NOLEAP, SST_CALENDAR_ALL_LEAP, SST_CALENDAR_360_DAY};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static struct sst_day day_of(enum sst_calendar_kind kind, int year, int month, int day)
{
    return (struct sst_day){year, sst_calendar_slot(kind, month, day)};
}

static void expect_kind(const char *text, enum sst_calendar_kind expected)
{
    struct sst_error err = {0};
    enum sst_calendar_kind kind = SST_CALENDAR_ALL_LEAP;
    ck_assert_int_eq(sst_calendar_parse(text, &kind, &err), SST_OK);
    ck_assert_msg(kind == expected, "'%s' is %s", text ? text : "NULL", sst_calendar_name(kind));
}

START_TEST(calendar_names_are_read_in_any_case)
{
    expect_kind(NULL, SST_CALENDAR_STANDARD);
    expect_kind("", SST_CALENDAR_STANDARD);
    expect_kind(" \n", SST_CALENDAR_STANDARD);
    expect_kind("standard", SST_CALENDAR_STANDARD);
    expect_kind("Gregorian", SST_CALENDAR_STANDARD);
    expect_kind("gregorian ", SST_CALENDAR_STANDARD);
    expect_kind("PROLEPTIC_GREGORIAN", SST_CALENDAR_PROLEPTIC_GREGORIAN);
    expect_kind("NoLeap", SST_CALENDAR_NOLEAP);
    expect_kind("365_day", SST_CALENDAR_NOLEAP);
    expect_kind("365_DAY", SST_CALENDAR_NOLEAP);
    expect_kind("all_leap", SST_CALENDAR_ALL_LEAP);
    expect_kind("366_Day", SST_CALENDAR_ALL_LEAP);
    expect_kind("360_day", SST_CALENDAR_360_DAY);
}
END_TEST

static void expect_refusal(const char *text, const char *reason)
{
    struct sst_error err = {0};
    enum sst_calendar_kind kind = SST_CALENDAR_ALL_LEAP;
    ck_assert_int_eq(sst_calendar_parse(text, &kind, &err), SST_ERR_TIME);
    ck_assert_int_eq(err.code, SST_ERR_TIME);
    ck_assert_msg(strstr(err.text, reason) != NULL, "'%s'", err.text);
    ck_assert_int_eq(kind, SST_CALENDAR_ALL_LEAP);
}

START_TEST(other_calendars_are_refused_by_name)
{
    expect_refusal("julian", "calendar 'julian' is not supported");
    expect_refusal("Julian", "calendar 'Julian' is not supported");
    expect_refusal("none", "calendar 'none' is not supported");
    expect_refusal("gregorian_x", "calendar 'gregorian_x' is unknown");
    expect_refusal("greg", "calendar 'greg' is unknown");
    expect_refusal("365", "proleptic_gregorian");
    char long_name[4000];
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    expect_refusal(long_name, "is unknown. Convert");
}
END_TEST

START_TEST(every_written_name_is_read_back)
{
    for (int i = 0; i < N_KINDS; ++i)
        expect_kind(sst_calendar_name(kinds[i]), kinds[i]);
    ck_assert_str_eq(sst_calendar_name(SST_CALENDAR_STANDARD), "standard");
    ck_assert_str_eq(sst_calendar_name(SST_CALENDAR_NOLEAP), "noleap");
}
END_TEST

START_TEST(days_are_numbered_as_cftime_numbers_them)
{
    const int n_cases = (int)(sizeof cftime_days / sizeof *cftime_days);
    ck_assert_int_gt(n_cases, 150);
    for (int i = 0; i < n_cases; ++i) {
        const enum sst_calendar_kind kind = cftime_days[i].kind;
        const struct sst_day day = day_of(kind, cftime_days[i].year, cftime_days[i].month, cftime_days[i].day);
        ck_assert(sst_calendar_has_day(kind, day));
        const int64_t number = sst_calendar_days_since_1970(kind, day);
        ck_assert_msg(number == cftime_days[i].days_since_1970, "%s %d-%d-%d is %lld, not %lld",
                      sst_calendar_name(kind), cftime_days[i].year, cftime_days[i].month, cftime_days[i].day,
                      (long long)number, (long long)cftime_days[i].days_since_1970);
        ck_assert_int_eq(sst_day_compare(sst_calendar_day_at(kind, number), day), 0);
    }
}
END_TEST

START_TEST(walking_day_by_day_counts_one_by_one_both_ways)
{
    for (int i = 0; i < N_KINDS; ++i) {
        const enum sst_calendar_kind kind = kinds[i];
        struct sst_day day = {-5, 1};
        int64_t number = sst_calendar_days_since_1970(kind, day);
        while (day.year < 2410) {
            const struct sst_day next = sst_calendar_next_day(kind, day);
            const bool is_right =
                sst_calendar_has_day(kind, day) && sst_calendar_days_since_1970(kind, day) == number &&
                sst_day_compare(sst_calendar_day_at(kind, number), day) == 0 && sst_day_compare(day, next) < 0 &&
                sst_day_compare(sst_calendar_previous_day(kind, next), day) == 0;
            if (!is_right)
                ck_abort_msg("%s: year %d slot %d, day %lld", sst_calendar_name(kind), day.year, day.slot,
                             (long long)number);
            day = next;
            ++number;
        }
    }
}
END_TEST

static int days_of_year(enum sst_calendar_kind kind, int year)
{
    int n_days = 0;
    for (int slot = -1; slot <= SST_N_SLOTS + 2; ++slot)
        n_days += sst_calendar_has_day(kind, (struct sst_day){year, slot});
    return n_days;
}

START_TEST(years_have_their_number_of_days)
{
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 2023), 365);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 2024), 366);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 1900), 365);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 2000), 366);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 1500), 366);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_STANDARD, 1582), 355);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_PROLEPTIC_GREGORIAN, 1582), 365);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_PROLEPTIC_GREGORIAN, 1500), 365);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_NOLEAP, 2024), 365);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_ALL_LEAP, 2023), 366);
    ck_assert_int_eq(days_of_year(SST_CALENDAR_360_DAY, 2024), 360);
    ck_assert(!sst_calendar_is_leap(SST_CALENDAR_360_DAY, 2024));
}
END_TEST

START_TEST(first_of_march_is_slot_61_in_every_year)
{
    for (int i = 0; i < 4; ++i) {
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 1, 1), 1);
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 2, 28), 59);
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 3, 1), 61);
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 12, 30), 365);
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 12, 31), 366);
        ck_assert_int_eq(sst_calendar_slot(kinds[i], 2, 29), kinds[i] == SST_CALENDAR_NOLEAP ? 0 : 60);
        ck_assert_int_eq(sst_calendar_n_slots(kinds[i]), 366);
    }
    const struct sst_day before = {2023, 59}, after = {2023, 61};
    ck_assert_int_eq(sst_day_compare(sst_calendar_next_day(SST_CALENDAR_STANDARD, before), after), 0);
    ck_assert_int_eq(sst_day_compare(sst_calendar_previous_day(SST_CALENDAR_STANDARD, after), before), 0);
}
END_TEST

START_TEST(months_of_360_day_all_have_thirty_days)
{
    ck_assert_int_eq(sst_calendar_n_slots(SST_CALENDAR_360_DAY), 360);
    for (int slot = 1; slot <= 360; ++slot) {
        int month = 0, day = 0;
        sst_calendar_month_day(SST_CALENDAR_360_DAY, slot, &month, &day);
        ck_assert_int_eq(30 * (month - 1) + day, slot);
        ck_assert(day >= 1 && day <= 30);
        ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_360_DAY, month, day), slot);
    }
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_360_DAY, 2, 6), 36);
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_360_DAY, 2, 30), 60);
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_360_DAY, 1, 31), 0);
}
END_TEST

START_TEST(a_slot_and_its_month_and_day_are_inverse)
{
    static const int lengths[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int slot = 0;
    for (int month = 1; month <= 12; ++month) {
        for (int day = 1; day <= lengths[month - 1]; ++day) {
            ++slot;
            int month_back = 0, day_back = 0;
            sst_calendar_month_day(SST_CALENDAR_STANDARD, slot, &month_back, &day_back);
            ck_assert_int_eq(month_back, month);
            ck_assert_int_eq(day_back, day);
            ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, month, day), slot);
        }
        ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, month, lengths[month - 1] + 1), 0);
        ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, month, 0), 0);
    }
    ck_assert_int_eq(slot, SST_N_SLOTS);
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, 0, 1), 0);
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, 13, 1), 0);
    ck_assert_int_eq(sst_calendar_slot(SST_CALENDAR_STANDARD, -1, -1), 0);
}
END_TEST

START_TEST(day_texts_are_iso_dates)
{
    char text[SST_DAY_TEXT_SIZE];
    ck_assert_str_eq(sst_day_text(SST_CALENDAR_STANDARD, (struct sst_day){1982, 59}, text), "1982-02-28");
    ck_assert_str_eq(sst_day_text(SST_CALENDAR_STANDARD, (struct sst_day){1982, 366}, text), "1982-12-31");
    ck_assert_str_eq(sst_day_text(SST_CALENDAR_360_DAY, (struct sst_day){5, 60}, text), "0005-02-30");
    ck_assert_str_eq(sst_day_text(SST_CALENDAR_STANDARD, (struct sst_day){0, 0}, text), "no day");
    ck_assert_ptr_eq(sst_day_text(SST_CALENDAR_STANDARD, (struct sst_day){INT32_MIN, 366}, text), text);
    ck_assert_uint_lt(strlen(text), sizeof text);
}
END_TEST

START_TEST(the_number_of_a_distant_day_is_found_back)
{
    for (int i = 0; i < N_KINDS; ++i) {
        for (int year = -999999; year <= 999999; year += 7919) {
            const struct sst_day day = {year, 300};
            const int64_t number = sst_calendar_days_since_1970(kinds[i], day);
            ck_assert_int_eq(sst_day_compare(sst_calendar_day_at(kinds[i], number), day), 0);
        }
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("calendar");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, calendar_names_are_read_in_any_case);
    tcase_add_test(tc, other_calendars_are_refused_by_name);
    tcase_add_test(tc, every_written_name_is_read_back);
    tcase_add_test(tc, days_are_numbered_as_cftime_numbers_them);
    tcase_add_test(tc, walking_day_by_day_counts_one_by_one_both_ways);
    tcase_add_test(tc, years_have_their_number_of_days);
    tcase_add_test(tc, first_of_march_is_slot_61_in_every_year);
    tcase_add_test(tc, months_of_360_day_all_have_thirty_days);
    tcase_add_test(tc, a_slot_and_its_month_and_day_are_inverse);
    tcase_add_test(tc, day_texts_are_iso_dates);
    tcase_add_test(tc, the_number_of_a_distant_day_is_found_back);
    suite_add_tcase(suite, tc);
    return suite;
}
