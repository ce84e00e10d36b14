/* app/lateness and app/state_writer: days against a clock, and what a list of locks says. */
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "app/lateness.h"
#include "app/state_writer.h"
#include "test_main.h"

#define DAY INT64_C(86400)
#define NOON_2024_03_01 (INT64_C(19783) * DAY + DAY / 2)

START_TEST(an_expectation_is_a_time_and_days)
{
    struct sst_expectation found = {-1, -1};
    static const char *const wrong[] = {
        "",          "9:00Z+1d",    "09:00+1d",   "09:00Z",      "09:00Z+d",  "24:00Z+1d", "09:60Z+1d",
        "09:00Z-1d", "09:00Z+367d", "09:00Z+1d ", "09:00Z+1.5d", "09.00Z+1d", "0a:00Z+1d"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
        ck_assert_msg(!sst_expectation_parse(wrong[i], &found) && found.minute == -1, "%s", wrong[i]);
    ck_assert(sst_expectation_parse("09:30Z+1d", &found));
    ck_assert_int_eq(found.minute, 570);
    ck_assert_int_eq(found.n_days, 1);
    ck_assert(sst_expectation_parse("00:00Z+0d", &found));
    ck_assert(sst_expectation_parse("23:59Z+366d", &found));
}
END_TEST

static void expect(const char *text, enum sst_calendar_kind kind, int64_t now, const char *day)
{
    struct sst_expectation expectation;
    char found[SST_DAY_TEXT_SIZE];
    ck_assert(sst_expectation_parse(text, &expectation));
    ck_assert_str_eq(sst_day_text(kind, sst_lateness_expected(&expectation, kind, now), found), day);
}

START_TEST(the_expected_day_follows_the_clock)
{
    const enum sst_calendar_kind standard = SST_CALENDAR_STANDARD;
    expect("12:00Z+1d", standard, NOON_2024_03_01, "2024-02-29");
    expect("12:00Z+1d", standard, NOON_2024_03_01 - 1, "2024-02-28");
    expect("12:01Z+1d", standard, NOON_2024_03_01, "2024-02-28");
    expect("00:00Z+0d", standard, NOON_2024_03_01, "2024-03-01");
    expect("00:00Z+366d", standard, NOON_2024_03_01, "2023-03-01");
    expect("00:00Z+1d", standard, -1, "1969-12-30");
    expect("12:00Z+1d", SST_CALENDAR_NOLEAP, NOON_2024_03_01, "2024-02-28"); /* which has no 29 February */
    expect("12:00Z+1d", SST_CALENDAR_ALL_LEAP, NOON_2024_03_01, "2024-02-29");
    ck_assert(!sst_lateness_has_clock(SST_CALENDAR_360_DAY));
    ck_assert(sst_lateness_has_clock(SST_CALENDAR_NOLEAP));
}
END_TEST

START_TEST(days_are_counted_by_date)
{
    const struct sst_day a = {2024, 59}, b = {2024, 61}, leap_2023 = {2023, SST_SLOT_FEB29};
    char text[SST_UTC_TEXT_SIZE];
    ck_assert_int_eq(sst_lateness_days_between(a, b), 2);
    ck_assert_int_eq(sst_lateness_days_between(b, a), -2);
    ck_assert_int_eq(sst_lateness_days_between(leap_2023, (struct sst_day){2023, 62}), 1);
    ck_assert_str_eq(sst_utc_text(NOON_2024_03_01 + 61, text), "2024-03-01T12:01:01Z");
    ck_assert_str_eq(sst_utc_text(-1, text), "1969-12-31T23:59:59Z");
}
END_TEST

static enum sst_state_writer writer_in(const char *list, dev_t device, ino_t inode)
{
    FILE *file = fmemopen((void *)(uintptr_t)list, strlen(list), "r");
    ck_assert_ptr_nonnull(file);
    const enum sst_state_writer found = sst_state_writer_in(file, device, inode);
    (void)fclose(file);
    return found;
}

START_TEST(a_writer_is_who_holds_the_lock)
{
    static const char list[] = "1: POSIX  ADVISORY  WRITE 9 fe:00:77 0 EOF\n"
                               "2: FLOCK  ADVISORY  WRITE 12 fe:01:98 0 EOF\n"
                               "2: -> FLOCK  ADVISORY  WRITE 12 fe:01:50 0 EOF\n"
                               "3: FLOCK  ADVISORY  READ 12 fe:01:99 0 EOF\n"
                               "4: FLOCK  ADVISORY  WRITE 12 00:2d:60 0 EOF\n";
    ck_assert_int_eq(writer_in(list, makedev(0xfe, 1), 98), SST_WRITER_PRESENT);
    ck_assert_int_eq(writer_in(list, makedev(0xfe, 0), 98), SST_WRITER_NONE); /* another disk */
    ck_assert_int_eq(writer_in(list, makedev(0xfe, 0), 77), SST_WRITER_NONE); /* another kind of lock */
    ck_assert_int_eq(writer_in(list, makedev(0xfe, 1), 99), SST_WRITER_NONE); /* shared */
    ck_assert_int_eq(writer_in(list, makedev(0xfe, 1), 50), SST_WRITER_NONE); /* waits */
    ck_assert_int_eq(writer_in(list, makedev(0, 0x31), 60), SST_WRITER_PRESENT); /* no device of its own */
    ck_assert_str_eq(sst_state_writer_name(sst_state_writer("/nowhere")), "not known");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("lateness");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, an_expectation_is_a_time_and_days);
    tcase_add_test(tc, the_expected_day_follows_the_clock);
    tcase_add_test(tc, days_are_counted_by_date);
    tcase_add_test(tc, a_writer_is_who_holds_the_lock);
    suite_add_tcase(suite, tc);
    return suite;
}
