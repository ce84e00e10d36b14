/* Nominal days and climatology bounds of the output; expected day numbers are counted from 1970-01-01 by hand or cftime. */
#include <string.h>

#include "test_main.h"
#include "write/clim_time.h"

static struct sst_clim_time axis;

static void fill(struct sst_pool_rule pools, int first, int last)
{
    int slots[SST_N_SLOTS], n_slots = 0;
    const int in_ring = sst_calendar_n_slots(pools.kind);
    struct sst_error err = {0};
    for (int slot = first;; slot = slot % in_ring + 1) {
        slots[n_slots++] = slot;
        if (slot == last)
            break;
    }
    ck_assert_msg(sst_clim_time_fill(&pools, slots, n_slots, &axis, &err) == SST_OK, "%s", err.text);
}

/* Days since 1970-01-01 of a date in a calendar. */
static double date(enum sst_calendar_kind kind, int year, int month, int day)
{
    return (double)sst_calendar_days_since_1970(kind, (struct sst_day){year, sst_calendar_slot(kind, month, day)});
}

static const struct sst_pool_rule hobday = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 2020, 5};

START_TEST(the_nominal_year_is_the_leap_year_nearest_to_the_middle)
{
    fill(hobday, 1, 366);
    ck_assert(axis.noon[0] == 12418.5); /* 2004-01-01 12:00 */
    ck_assert(axis.noon[365] == 12418.5 + 365);
    ck_assert_int_eq(axis.month_day[0], 101);
    ck_assert_int_eq(axis.month_day[59], 229);
    ck_assert_int_eq(axis.month_day[365], 1231);
    struct sst_pool_rule other = hobday;
    other.first_year = 1982;
    other.last_year = 2011;
    fill(other, 1, 366);
    ck_assert(axis.noon[0] == date(SST_CALENDAR_STANDARD, 1996, 1, 1) + 0.5);
    other.first_year = other.last_year = 1900; /* the farthest from a leap year that can be; both are 4 years off */
    fill(other, 1, 366);
    ck_assert(axis.noon[0] == date(SST_CALENDAR_STANDARD, 1896, 1, 1) + 0.5);
}
END_TEST

START_TEST(bounds_go_from_the_first_window_to_the_end_of_the_last)
{
    fill(hobday, 1, 366);
    ck_assert(axis.bounds[0][0] == date(SST_CALENDAR_STANDARD, 1990, 12, 27));
    ck_assert(axis.bounds[0][1] == date(SST_CALENDAR_STANDARD, 2020, 1, 7));
    ck_assert(axis.bounds[365][0] == date(SST_CALENDAR_STANDARD, 1991, 12, 26));
    ck_assert(axis.bounds[365][1] == date(SST_CALENDAR_STANDARD, 2021, 1, 6));
    const int july = sst_calendar_slot(SST_CALENDAR_STANDARD, 7, 15) - 1;
    ck_assert(axis.bounds[july][0] == date(SST_CALENDAR_STANDARD, 1991, 7, 10));
    ck_assert(axis.bounds[july][1] == date(SST_CALENDAR_STANDARD, 2020, 7, 21));
}
END_TEST

START_TEST(near_29_february_hobday_counts_days_by_date)
{
    fill(hobday, 1, 366);
    /* 3 March: five days before in the common year 1991, five after in the leap year 2020. */
    ck_assert(axis.bounds[62][0] == date(SST_CALENDAR_STANDARD, 1991, 2, 26));
    /* 28 February 2020: the fifth day after is 4 March. */
    ck_assert(axis.bounds[58][1] == date(SST_CALENDAR_STANDARD, 2020, 3, 5));
    /* 29 February is made of 28 February and 1 March. */
    ck_assert(axis.bounds[59][0] == date(SST_CALENDAR_STANDARD, 1991, 2, 23));
    ck_assert(axis.bounds[59][1] == date(SST_CALENDAR_STANDARD, 2020, 3, 7));
}
END_TEST

START_TEST(own_and_skip_count_slots)
{
    struct sst_pool_rule pools = hobday;
    pools.leap = SST_LEAP_OWN;
    fill(pools, 1, 366);
    ck_assert(axis.bounds[59][0] == date(SST_CALENDAR_STANDARD, 1991, 2, 24));
    ck_assert(axis.bounds[59][1] == date(SST_CALENDAR_STANDARD, 2020, 3, 6));
    /* The first day would be 29 February 1991, which is not. */
    ck_assert(axis.bounds[64][0] == date(SST_CALENDAR_STANDARD, 1991, 3, 1));
    pools.leap = SST_LEAP_SKIP;
    fill(pools, 1, 366);
    ck_assert(axis.bounds[58][1] == date(SST_CALENDAR_STANDARD, 2020, 3, 6));
    ck_assert(axis.bounds[60][0] == date(SST_CALENDAR_STANDARD, 1991, 2, 24));
}
END_TEST

START_TEST(time_increases_across_new_year_and_keeps_29_february)
{
    fill(hobday, 335, 91);
    ck_assert_int_eq(axis.n_slots, 123);
    ck_assert(axis.noon[0] == date(SST_CALENDAR_STANDARD, 2003, 11, 30) + 0.5);
    for (int i = 1; i < axis.n_slots; ++i)
        ck_assert(axis.noon[i] > axis.noon[i - 1]);
    ck_assert(axis.noon[32 + 59] == date(SST_CALENDAR_STANDARD, 2004, 2, 29) + 0.5);
    fill(hobday, 40, 20); /* here 29 February is before New Year */
    ck_assert(axis.noon[20] == date(SST_CALENDAR_STANDARD, 2004, 2, 29) + 0.5);
    ck_assert(axis.noon[axis.n_slots - 1] == date(SST_CALENDAR_STANDARD, 2005, 1, 20) + 0.5);
}
END_TEST

START_TEST(other_calendars_keep_their_own_dates)
{
    struct sst_pool_rule pools = hobday;
    pools.kind = SST_CALENDAR_360_DAY;
    fill(pools, 1, 360);
    ck_assert_int_eq(axis.kind, SST_CALENDAR_360_DAY);
    ck_assert(axis.noon[0] == 35 * 360 + 0.5); /* 2005 */
    ck_assert(axis.bounds[0][0] == 21 * 360 - 5);
    ck_assert_int_eq(axis.month_day[59], 230);
    ck_assert(axis.bounds[59][0] == 21 * 360 + 59 - 5); /* 30 February is a day like any other */
    pools.kind = SST_CALENDAR_ALL_LEAP;
    fill(pools, 1, 366);
    ck_assert_int_eq(axis.kind, SST_CALENDAR_ALL_LEAP);
    ck_assert(axis.noon[365] == 35 * 366 + 365 + 0.5);
    pools.kind = SST_CALENDAR_NOLEAP;
    fill(pools, 61, 366);
    ck_assert_int_eq(axis.kind, SST_CALENDAR_NOLEAP);
    ck_assert(axis.noon[0] == 35 * 365 + 59 + 0.5);
    fill(pools, 1, 366); /* has slot 60, which noleap cannot name */
    ck_assert_int_eq(axis.kind, SST_CALENDAR_STANDARD);
    ck_assert(axis.noon[59] == date(SST_CALENDAR_STANDARD, 2004, 2, 29) + 0.5);
    for (int i = 0; i < 366; ++i)
        ck_assert(axis.bounds[i][0] < axis.bounds[i][1]);
}
END_TEST

START_TEST(slots_out_of_range_or_order_are_refused)
{
    const int wrong[][3] = {{0, 1, 2}, {365, 366, 367}, {5, 4, 3}, {5, 5, 6}, {300, 10, 300}, {300, 10, 9}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        struct sst_error err = {0};
        ck_assert_int_eq(sst_clim_time_fill(&hobday, wrong[i], 3, &axis, &err), SST_ERR_INTERNAL);
        ck_assert_ptr_nonnull(strstr(err.text, "time axis"));
    }
    struct sst_error err = {0};
    ck_assert_int_eq(sst_clim_time_fill(&hobday, wrong[0], 0, &axis, &err), SST_ERR_INTERNAL);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("clim_time");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, the_nominal_year_is_the_leap_year_nearest_to_the_middle);
    tcase_add_test(tc, bounds_go_from_the_first_window_to_the_end_of_the_last);
    tcase_add_test(tc, near_29_february_hobday_counts_days_by_date);
    tcase_add_test(tc, own_and_skip_count_slots);
    tcase_add_test(tc, time_increases_across_new_year_and_keeps_29_february);
    tcase_add_test(tc, other_calendars_keep_their_own_dates);
    tcase_add_test(tc, slots_out_of_range_or_order_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
