/* core/time_axis: units of every spelling in use, and values with noise, give the UTC day that cftime gives. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cftime_cases.h"
#include "core/calendar.h"
#include "test_main.h"

static struct sst_time_axis axis_of(const char *units, enum sst_calendar_kind kind)
{
    struct sst_error err = {0};
    struct sst_time_axis axis = {0};
    const enum sst_status rc = sst_time_axis_parse(units, kind, &axis, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    return axis;
}

static void expect_instant(const char *units, const struct sst_instant *at, enum sst_calendar_kind kind,
                           const char *date, int second)
{
    char text[SST_DAY_TEXT_SIZE];
    sst_day_text(kind, at->day, text);
    ck_assert_msg(strcmp(text, date) == 0 && at->second == second, "%s: %s + %d s, not %s + %d s", units, text,
                  at->second, date, second);
}

static void expect_real(const char *units, double value, const char *date, int second)
{
    struct sst_error err = {0};
    struct sst_instant at = {0};
    const struct sst_time_axis axis = axis_of(units, SST_CALENDAR_STANDARD);
    ck_assert_msg(sst_time_axis_at_real(&axis, value, &at, &err) == SST_OK, "%s: %s", units, err.text);
    expect_instant(units, &at, SST_CALENDAR_STANDARD, date, second);
}

static void expect_integer(const char *units, int64_t value, const char *date, int second)
{
    struct sst_error err = {0};
    struct sst_instant at = {0};
    const struct sst_time_axis axis = axis_of(units, SST_CALENDAR_STANDARD);
    ck_assert_msg(sst_time_axis_at_integer(&axis, value, &at, &err) == SST_OK, "%s: %s", units, err.text);
    expect_instant(units, &at, SST_CALENDAR_STANDARD, date, second);
}

START_TEST(times_are_those_of_cftime)
{
    const int n_cases = (int)(sizeof cftime_times / sizeof *cftime_times);
    ck_assert_int_gt(n_cases, 60);
    for (int i = 0; i < n_cases; ++i) {
        const char *units = cftime_times[i].units;
        const enum sst_calendar_kind kind = cftime_times[i].kind;
        const struct sst_time_axis axis = axis_of(units, kind);
        const struct sst_day day = {cftime_times[i].year,
                                    sst_calendar_slot(kind, cftime_times[i].month, cftime_times[i].day)};
        char date[SST_DAY_TEXT_SIZE];
        sst_day_text(kind, day, date);
        struct sst_error err = {0};
        struct sst_instant at = {0};
        ck_assert_int_eq(sst_time_axis_at_real(&axis, cftime_times[i].real, &at, &err), SST_OK);
        expect_instant(units, &at, kind, date, cftime_times[i].second);
        if (cftime_times[i].is_integer) {
            at = (struct sst_instant){0};
            ck_assert_int_eq(sst_time_axis_at_integer(&axis, cftime_times[i].integer, &at, &err), SST_OK);
            expect_instant(units, &at, kind, date, cftime_times[i].second);
        }
    }
}
END_TEST

START_TEST(five_ways_to_write_one_day_give_one_day)
{
    expect_real("days since 1978-01-01 12:00:00", (double)14975.0f, "2019-01-01", 43200);
    expect_integer("hours since 1900-01-01 00:00:00.0", 1043148, "2019-01-01", 43200);
    expect_integer("seconds since 1981-01-01 00:00:00", 1199188800, "2019-01-01", 43200);
    expect_real("days since 1800-1-1", 79988.5, "2019-01-01", 43200);
    expect_real("days since 2018-12-31", (double)0.9999999f, "2019-01-01", 0);
}
END_TEST

START_TEST(a_value_just_below_midnight_is_midnight_only_within_half_a_second)
{
    expect_real("seconds since 2000-01-01", 86399.49, "2000-01-01", 86399);
    expect_real("seconds since 2000-01-01", 86399.5, "2000-01-02", 0);
    expect_real("seconds since 2000-01-01", -0.5, "2000-01-01", 0);
    expect_real("seconds since 2000-01-01", -0.51, "1999-12-31", 86399);
    expect_integer("milliseconds since 2000-01-01", 86399499, "2000-01-01", 86399);
    expect_integer("milliseconds since 2000-01-01", 86399500, "2000-01-02", 0);
    expect_integer("days since 1999-12-31 23:59:59.4", 0, "1999-12-31", 86399);
    expect_integer("days since 1999-12-31 23:59:59.5", 0, "2000-01-01", 0);
    expect_integer("days since 1999-12-31 23:59:59.4999999999", 0, "1999-12-31", 86399);
}
END_TEST

START_TEST(every_midnight_in_float32_is_its_own_day)
{
    static const char *const units[] = {"days since 1800-01-01", "hours since 1800-01-01", "seconds since 1981-01-01"};
    static const double per_day[] = {1, 24, 86400};
    for (int i = 0; i < 3; ++i) {
        const struct sst_time_axis axis = axis_of(units[i], SST_CALENDAR_STANDARD);
        struct sst_day expected = {i < 2 ? 1950 : 1981, 1};
        while (expected.year < 2045) {
            const int64_t n_days = sst_calendar_days_since_1970(SST_CALENDAR_STANDARD, expected) - axis.epoch_days;
            struct sst_instant at = {0};
            struct sst_error err = {0};
            const float value = (float)((double)n_days * per_day[i]);
            ck_assert_int_eq(sst_time_axis_at_real(&axis, (double)value, &at, &err), SST_OK);
            ck_assert_int_eq(sst_day_compare(at.day, expected), 0);
            ck_assert_int_eq(at.second, 0);
            expected = sst_calendar_next_day(SST_CALENDAR_STANDARD, expected);
        }
    }
}
END_TEST

START_TEST(seconds_beyond_int32_do_not_wrap)
{
    expect_integer("seconds since 1981-01-01", 2147483647, "2049-01-19", 11647);
    expect_integer("seconds since 1981-01-01", INT64_C(2147483648), "2049-01-19", 11648);
    expect_integer("seconds since 1981-01-01", INT64_C(7000000000), "2202-10-28", 44800);
    expect_integer("seconds since 0001-01-01", INT64_C(63000000000), "1997-05-21", 57600);
}
END_TEST

START_TEST(numbers_may_lack_zeros_or_have_blanks_for_them)
{
    expect_integer("days since 1981- 1- 1", 0, "1981-01-01", 0);
    expect_integer("  days   since\t1981-1-1   0: 0: 0  ", 1, "1981-01-02", 0);
    expect_integer("days since 1981-01-01 09:30", 0, "1981-01-01", 34200);
    expect_integer("days since 1981-01-01 9", 0, "1981-01-01", 32400);
    expect_integer("days since 1981-01-01T09:00:00.000000Z", 0, "1981-01-01", 32400);
    expect_integer("days since 1981-01-01t09:00:00.z", 0, "1981-01-01", 32400);
    expect_integer("DAYS SINCE 1981-01-01 00:00:00 utc", 0, "1981-01-01", 0);
    expect_integer("days since 1981-01-01 UTC", 0, "1981-01-01", 0);
    expect_integer("days since 81-01-01", 0, "0081-01-01", 0);
    expect_integer("us since 1981-01-01", 86400000000, "1981-01-02", 0);
}
END_TEST

START_TEST(zones_move_the_epoch_to_utc)
{
    expect_integer("days since 1981-01-01 00:00:00 +0", 0, "1981-01-01", 0);
    expect_integer("days since 1981-01-01 00:00:00 -00:00", 0, "1981-01-01", 0);
    expect_integer("days since 1981-01-01 00:00:00 +01", 0, "1980-12-31", 82800);
    expect_integer("days since 1981-01-01 00:00:00 +9", 0, "1980-12-31", 54000);
    expect_integer("days since 1981-01-01 00:00:00 +530", 0, "1980-12-31", 66600);
    expect_integer("days since 1981-01-01 00:00:00+0530", 0, "1980-12-31", 66600);
    expect_integer("days since 1981-01-01 00:00:00 +5:30", 0, "1980-12-31", 66600);
    expect_integer("days since 1981-01-01 00:00:00 +14:00", 0, "1980-12-31", 36000);
    expect_integer("seconds since 1992-10-8 15:15:42.5 -6:00", 0, "1992-10-08", 76543);
    expect_integer("days since 1981-12-31 18:00 -6", 0, "1982-01-01", 0);
}
END_TEST

static const struct {
    const char *units;
    enum sst_calendar_kind kind;
    const char *reason;
} bad_units[] = {
    {NULL, SST_CALENDAR_STANDARD, "no units"},
    {"", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days since", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days after 1981-01-01", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days sincere 1981-01-01", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days since1981-01-01", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"since 1981-01-01", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"kelvin", SST_CALENDAR_STANDARD, "UNIT since DATE"},
    {"days since ", SST_CALENDAR_STANDARD, "cannot be read"},
    {"months since 1981-01-01", SST_CALENDAR_STANDARD, "vary in length"},
    {"Years since 1981-01-01", SST_CALENDAR_360_DAY, "vary in length"},
    {"fortnights since 1981-01-01", SST_CALENDAR_STANDARD, "unit is unknown"},
    {"dayss since 1981-01-01", SST_CALENDAR_STANDARD, "unit is unknown"},
    {"da since 1981-01-01", SST_CALENDAR_STANDARD, "unit is unknown"},
    {"days since 1981", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 19810101", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 11981-01-01", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since -4712-01-01", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-001-01", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01T", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 24:00:00", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:60:00", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:60", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 EST", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 UTC+1", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 +15:00", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 +00:60", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 +", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01-02", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-01-01 00:00:00 and more", SST_CALENDAR_STANDARD, "cannot be read"},
    {"days since 1981-00-01", SST_CALENDAR_STANDARD, "no such day in calendar standard"},
    {"days since 1981-13-01", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 1981-01-00", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 1981-02-29", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 1981-04-31", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 1582-10-10", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 0000-01-01", SST_CALENDAR_STANDARD, "no such day"},
    {"days since 0000-00-00", SST_CALENDAR_NOLEAP, "no such day in calendar noleap"},
    {"days since 2000-02-29", SST_CALENDAR_NOLEAP, "no such day"},
    {"days since 2000-01-31", SST_CALENDAR_360_DAY, "no such day"},
};

START_TEST(bad_units_are_refused_with_the_reason)
{
    struct sst_error err = {0};
    struct sst_time_axis axis = {.unit_microseconds = 77};
    const char *units = bad_units[_i].units;
    ck_assert_msg(sst_time_axis_parse(units, bad_units[_i].kind, &axis, &err) == SST_ERR_TIME, "taken: %s", units);
    ck_assert_msg(strstr(err.text, bad_units[_i].reason) != NULL, "'%s': %s", units ? units : "NULL", err.text);
    ck_assert_int_eq(axis.unit_microseconds, 77);
}
END_TEST

START_TEST(any_bytes_as_units_are_taken_or_refused_and_never_crash)
{
    static const char alphabet[] = "0123456789-:. +TZdayssince\t\xff";
    enum { N_TRIALS = 30000, SEED = 20240229 };
    srand(SEED);
    for (int trial = 0; trial < N_TRIALS; ++trial) {
        char units[] = "days since 1981-01-01 00:00:00 +00:00";
        const size_t length = sizeof units - 1;
        const int n_changes = 1 + rand() % 4;
        for (int i = 0; i < n_changes; ++i)
            units[(size_t)rand() % length] = alphabet[(size_t)rand() % (sizeof alphabet)];
        struct sst_error err = {0};
        struct sst_time_axis axis = {0};
        if (sst_time_axis_parse(units, SST_CALENDAR_STANDARD, &axis, &err) == SST_OK) {
            ck_assert(axis.unit_microseconds > 0);
            ck_assert(axis.epoch_microseconds >= 0 && axis.epoch_microseconds < INT64_C(86400000000));
        } else {
            ck_assert_uint_gt(strlen(err.text), 20);
        }
    }
}
END_TEST

static void expect_no_integer(const char *units, int64_t value, const char *reason)
{
    struct sst_error err = {0};
    struct sst_instant at = {0};
    const struct sst_time_axis axis = axis_of(units, SST_CALENDAR_STANDARD);
    ck_assert_int_eq(sst_time_axis_at_integer(&axis, value, &at, &err), SST_ERR_TIME);
    ck_assert_msg(strstr(err.text, reason) != NULL, "%s", err.text);
}

static void expect_no_real(const char *units, double value, const char *reason)
{
    struct sst_error err = {0};
    struct sst_instant at = {0};
    const struct sst_time_axis axis = axis_of(units, SST_CALENDAR_STANDARD);
    ck_assert_int_eq(sst_time_axis_at_real(&axis, value, &at, &err), SST_ERR_TIME);
    ck_assert_msg(strstr(err.text, reason) != NULL, "%s", err.text);
}

START_TEST(fills_and_values_that_are_no_number_are_refused)
{
    expect_no_integer("seconds since 1981-01-01", -2147483647, "is a fill");
    expect_no_integer("seconds since 1981-01-01", INT32_MIN, "is a fill");
    expect_no_integer("seconds since 1981-01-01", INT64_C(4294967295), "is a fill");
    expect_no_real("days since 1981-01-01", (double)NAN, "no number");
    expect_no_real("days since 1981-01-01", (double)INFINITY, "no number");
    expect_no_real("days since 1981-01-01", -(double)INFINITY, "no number");
    expect_no_real("days since 1981-01-01", 9.969209968386869e36, "beyond the years 1 to 9999");
    expect_no_real("microseconds since 1981-01-01", -1.7976931348623157e308, "beyond the years");
}
END_TEST

START_TEST(years_1_to_9999_are_taken_and_no_others)
{
    expect_integer("days since 0001-01-01", 0, "0001-01-01", 0);
    expect_no_integer("days since 0001-01-01", -1, "beyond the years 1 to 9999");
    expect_integer("days since 9999-12-31", 0, "9999-12-31", 0);
    expect_integer("seconds since 9999-12-31", 86399, "9999-12-31", 86399);
    expect_no_integer("seconds since 9999-12-31", 86400, "beyond the years");
    expect_no_real("seconds since 9999-12-31", 86399.5, "beyond the years");
    expect_no_integer("hours since 0001-01-01 00:00:00 +01:00", 0, "beyond the years");
    expect_no_integer("days since 1981-01-01", INT64_MAX, "beyond the years");
    expect_no_integer("days since 1981-01-01", INT64_MIN, "beyond the years");
    expect_no_integer("microseconds since 9999-01-01", INT64_MAX, "beyond the years");
    expect_no_integer("microseconds since 0001-01-01", INT64_MIN, "beyond the years");
}
END_TEST

START_TEST(the_process_time_zone_does_not_matter)
{
    static const char *const zones[] = {"Pacific/Kiritimati", "America/Los_Angeles", "UTC"};
    const char *before = getenv("TZ");
    char *kept = before ? strdup(before) : NULL;
    for (int i = 0; i < 3; ++i) {
        ck_assert_int_eq(setenv("TZ", zones[i], 1), 0);
        tzset();
        expect_integer("seconds since 1981-01-01 00:00:00", 757382400, "2005-01-01", 0);
        expect_integer("hours since 1900-01-01 00:00:00.0", 1043135, "2018-12-31", 82800);
    }
    ck_assert_int_eq(kept ? setenv("TZ", kept, 1) : unsetenv("TZ"), 0);
    tzset();
    free(kept);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("time_axis");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, times_are_those_of_cftime);
    tcase_add_test(tc, five_ways_to_write_one_day_give_one_day);
    tcase_add_test(tc, a_value_just_below_midnight_is_midnight_only_within_half_a_second);
    tcase_add_test(tc, every_midnight_in_float32_is_its_own_day);
    tcase_add_test(tc, seconds_beyond_int32_do_not_wrap);
    tcase_add_test(tc, numbers_may_lack_zeros_or_have_blanks_for_them);
    tcase_add_test(tc, zones_move_the_epoch_to_utc);
    tcase_add_loop_test(tc, bad_units_are_refused_with_the_reason, 0, (int)(sizeof bad_units / sizeof *bad_units));
    tcase_add_test(tc, any_bytes_as_units_are_taken_or_refused_and_never_crash);
    tcase_add_test(tc, fills_and_values_that_are_no_number_are_refused);
    tcase_add_test(tc, years_1_to_9999_are_taken_and_no_others);
    tcase_add_test(tc, the_process_time_zone_does_not_matter);
    suite_add_tcase(suite, tc);
    return suite;
}
