/* app/option_policy: parts of the year become slots of the files' calendar, and options the policy of a run. */
#include <string.h>

#include "app/options.h"
#include "test_main.h"

static struct sst_options options;
static struct sst_error err;

/* Parses "sststream in.nc OPTION VALUE". */
static void give(const char *option, const char *value)
{
    char words[3][64];
    char program[] = "sststream";
    char *argv[] = {program, words[0], words[1], words[2]};
    sst_error_clear(&err);
    sst_options_clear(&options);
    (void)snprintf(words[0], sizeof words[0], "in.nc");
    (void)snprintf(words[1], sizeof words[1], "%s", option);
    (void)snprintf(words[2], sizeof words[2], "%s", value);
    ck_assert_msg(sst_options_parse(4, argv, &options, &err) == SST_OK, "%s", err.text);
}

struct part_case {
    enum sst_calendar_kind calendar;
    const char *option, *value;
    int first, last; /* 0 = refused */
};

static const struct part_case part_cases[] = {
    {SST_CALENDAR_STANDARD, "--doy", "1-365", 1, 366},       {SST_CALENDAR_STANDARD, "--doy", "59-59", 59, 59},
    {SST_CALENDAR_STANDARD, "--doy", "60-60", 61, 61},       {SST_CALENDAR_STANDARD, "--doy", "59-60", 59, 61},
    {SST_CALENDAR_STANDARD, "--doy", "152-243", 153, 244},   {SST_CALENDAR_STANDARD, "--doy", "335-59", 336, 59},
    {SST_CALENDAR_NOLEAP, "--doy", "60-365", 61, 366},       {SST_CALENDAR_360_DAY, "--doy", "60-360", 60, 360},
    {SST_CALENDAR_360_DAY, "--doy", "1-361", 0, 0},          {SST_CALENDAR_STANDARD, "--days", "0101-1231", 1, 366},
    {SST_CALENDAR_STANDARD, "--days", "0228-0301", 59, 61},  {SST_CALENDAR_STANDARD, "--days", "0229-0229", 60, 60},
    {SST_CALENDAR_STANDARD, "--days", "1201-0228", 336, 59}, {SST_CALENDAR_STANDARD, "--days", "0101-0230", 0, 0},
    {SST_CALENDAR_360_DAY, "--days", "0230-1230", 60, 360},  {SST_CALENDAR_360_DAY, "--days", "0101-0331", 0, 0},
    {SST_CALENDAR_STANDARD, "--window", "11", 1, 366},       {SST_CALENDAR_360_DAY, "--window", "11", 1, 360},
};

START_TEST(parts_of_the_year_become_slots)
{
    const struct part_case *expected = &part_cases[_i];
    int first = 0;
    int last = 0;
    give(expected->option, expected->value);
    const enum sst_status rc = sst_options_slots(&options, expected->calendar, &first, &last, &err);
    if (expected->first == 0) {
        ck_assert_int_eq(rc, SST_ERR_USAGE);
        ck_assert_msg(strncmp(err.text, expected->option, strlen(expected->option)) == 0, "%s", err.text);
        ck_assert_ptr_nonnull(strstr(err.text, sst_calendar_name(expected->calendar)));
    } else {
        ck_assert_int_eq(rc, SST_OK);
        ck_assert_int_eq(first, expected->first);
        ck_assert_int_eq(last, expected->last);
    }
    sst_options_clear(&options);
}
END_TEST

START_TEST(the_policy_is_what_the_options_say)
{
    struct sst_policy policy;
    give("--doy", "10-20");
    options.leap = SST_LEAP_OWN;
    options.window_days = 5;
    options.approx = SST_APPROX_CF;
    options.smooth_days = 7;
    options.min_samples = 9;
    options.tail_k = 12;
    options.quantile_type = 6;
    options.first_year = 1982;
    options.last_year = 2011;
    options.percentiles[0] = 10.0;
    options.percentiles[1] = 97.5;
    options.n_percentiles = 2;
    ck_assert_int_eq(sst_options_policy(&options, SST_CALENDAR_NOLEAP, SST_LATTICE_CENTI, &policy, &err), SST_OK);
    ck_assert_int_eq(policy.pools.kind, SST_CALENDAR_NOLEAP);
    ck_assert_int_eq(policy.pools.leap, SST_LEAP_OWN);
    ck_assert_int_eq(policy.pools.half_window_days, 2);
    ck_assert(policy.pools.first_year == 1982 && policy.pools.last_year == 2011);
    ck_assert_int_eq(policy.approx, SST_APPROX_CF);
    ck_assert(policy.n_percentiles == 2 && policy.percentiles[0] == 10.0 && policy.percentiles[1] == 97.5);
    ck_assert_int_eq(policy.quantile_type, 6);
    ck_assert_int_eq(policy.smooth_days, 7);
    ck_assert_int_eq(policy.min_samples, 9);
    ck_assert_int_eq(policy.tail_k, 12);
    ck_assert(policy.first_slot == 10 && policy.last_slot == 20);
    ck_assert_int_eq(policy.lattice, SST_LATTICE_CENTI);
    sst_options_clear(&options);
}
END_TEST

START_TEST(no_smoothing_is_a_width_of_one_day)
{
    struct sst_policy policy;
    give("--smooth", "0");
    ck_assert_int_eq(sst_options_policy(&options, SST_CALENDAR_STANDARD, SST_LATTICE_CENTI, &policy, &err), SST_OK);
    ck_assert_int_eq(policy.smooth_days, 1);
    ck_assert_int_eq(policy.pools.half_window_days, 5);
    sst_options_clear(&options);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("option_policy");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, parts_of_the_year_become_slots, 0, (int)(sizeof part_cases / sizeof *part_cases));
    tcase_add_test(tc, the_policy_is_what_the_options_say);
    tcase_add_test(tc, no_smoothing_is_a_width_of_one_day);
    suite_add_tcase(suite, tc);
    return suite;
}
