/* The schedule keeps its promises for every kind of policy: all is read once, before it is needed, and kept until after. */
#include <string.h>

#include "stream/climatology.h"
#include "stream/schedule.h"
#include "test_main.h"

static struct sst_policy policy_of(enum sst_leap_rule leap, int half, int smooth, int first_slot, int last_slot)
{
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, leap, 1991, 2020, half},
        .approx = SST_APPROX_CF,
        .percentiles = {90.0},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = smooth,
        .first_slot = first_slot,
        .last_slot = last_slot,
    };
    return policy;
}

static const struct {
    enum sst_leap_rule leap;
    int half, smooth, first_slot, last_slot;
} cases[] = {
    {SST_LEAP_HOBDAY, 5, 31, 1, 366},  {SST_LEAP_HOBDAY, 29, 365, 1, 366}, {SST_LEAP_HOBDAY, 5, 1, 1, 366},
    {SST_LEAP_SKIP, 5, 31, 153, 244},  {SST_LEAP_OWN, 5, 31, 336, 60},     {SST_LEAP_HOBDAY, 5, 1, 60, 60},
    {SST_LEAP_HOBDAY, 0, 1, 366, 366}, {SST_LEAP_HOBDAY, 5, 31, 20, 19},   {SST_LEAP_SKIP, 1, 3, 59, 61},
    {SST_LEAP_HOBDAY, 5, 31, 1, 300},
};

START_TEST(nothing_is_read_twice_late_or_in_vain)
{
    const struct sst_policy policy =
        policy_of(cases[_i].leap, cases[_i].half, cases[_i].smooth, cases[_i].first_slot, cases[_i].last_slot);
    struct sst_schedule schedule;
    sst_schedule_make(&policy, &schedule);
    bool is_read[SST_N_SLOTS + 1] = {false}, is_pooled[SST_N_SLOTS + 1] = {false};
    for (int e = 0; e < schedule.n_estimates; ++e) {
        for (int r = schedule.read_first[e]; r < schedule.read_first[e + 1]; ++r) {
            ck_assert(!is_read[schedule.read_slot[r]]);
            is_read[schedule.read_slot[r]] = true;
        }
        struct sst_term terms[SST_MAX_TERMS];
        const int n_terms = sst_pool_terms(&policy.pools, schedule.estimate_slot[e], terms);
        ck_assert_int_eq(schedule.is_derived[e], n_terms == 0);
        for (int t = 0; t < n_terms; ++t) {
            ck_assert(is_read[terms[t].slot]);
            ck_assert_int_ge(schedule.slot_last_use[terms[t].slot], e);
            is_pooled[terms[t].slot] = true;
        }
    }
    ck_assert_mem_eq(is_read, is_pooled, sizeof is_read);
}
END_TEST

START_TEST(every_output_comes_once_and_after_what_it_averages)
{
    const struct sst_policy policy =
        policy_of(cases[_i].leap, cases[_i].half, cases[_i].smooth, cases[_i].first_slot, cases[_i].last_slot);
    struct sst_schedule schedule;
    int wanted[SST_N_SLOTS], members[SST_N_SLOTS];
    bool is_there[SST_N_SLOTS + 1] = {false};
    sst_schedule_make(&policy, &schedule);
    ck_assert_int_eq(schedule.n_outputs, sst_policy_output_slots(&policy, wanted));
    for (int o = 0; o < schedule.n_outputs; ++o) {
        ck_assert(!is_there[schedule.output_slot[o]]);
        is_there[schedule.output_slot[o]] = true;
        const int n = sst_schedule_members(&schedule, &policy, schedule.output_slot[o], members);
        ck_assert_int_eq(n, policy.smooth_days);
        for (int m = 0; m < n; ++m) {
            ck_assert_int_ge(members[m], 0);
            ck_assert_int_le(members[m], schedule.output_ready[o]);
            ck_assert_int_ge(schedule.estimate_last_use[members[m]], schedule.output_ready[o]);
        }
    }
    for (int o = 0; o < schedule.n_outputs; ++o)
        ck_assert(is_there[wanted[o]]);
    for (int e = 0; e < schedule.n_estimates; ++e) {
        int before = 0, after = 0;
        if (!schedule.is_derived[e])
            continue;
        sst_schedule_parents(&schedule, &before, &after);
        ck_assert(before >= 0 && before < e && after >= 0 && after < e);
        ck_assert(schedule.estimate_last_use[before] >= e && schedule.estimate_last_use[after] >= e);
    }
}
END_TEST

START_TEST(memory_is_that_of_a_window_and_a_smoother_not_of_the_archive)
{
    const size_t n_cells = 1440 * 720;
    const struct sst_policy smoothed = policy_of(SST_LEAP_HOBDAY, 5, 31, 1, 366);
    const struct sst_climatology_size probed = {.n_cells = n_cells, .n_probes = 10368}, plain = {.n_cells = n_cells};
    const double peak = (double)sst_climatology_peak_bytes(&smoothed, &probed) / (double)n_cells;
    /* window and wrap-around bins with their classes, about (11 + 10) x 30 B and 20 of 61 estimates, 20 B each */
    ck_assert_double_gt(peak, 21 * 30);
    ck_assert_double_lt(peak, 3500);
    struct sst_policy longer = smoothed;
    longer.pools.first_year = 1961;
    /* not a byte more for twice the years */
    ck_assert_uint_eq(sst_climatology_peak_bytes(&longer, &plain), sst_climatology_peak_bytes(&smoothed, &plain));
}
END_TEST

START_TEST(shapes_cost_three_floats_a_cell_of_each_live_estimate_and_only_where_there_are_any)
{
    const struct sst_climatology_size plain = {.n_cells = 1000}, shaped = {.n_cells = 1000, .wants_shape = true};
    struct sst_policy policy = policy_of(SST_LEAP_HOBDAY, 5, 1, 1, 366);
    policy.approx = SST_APPROX_CF;
    /* not smoothed: at most three estimates at a time, since 59 waits for 61 and both for 60 */
    const uint64_t cf = sst_climatology_peak_bytes(&policy, &shaped) - sst_climatology_peak_bytes(&policy, &plain);
    ck_assert_uint_ge(cf, 12 * 1000);
    ck_assert_uint_le(cf, 3 * 12 * 1000);
    policy.approx = SST_APPROX_NONE;
    ck_assert_uint_eq(sst_climatology_peak_bytes(&policy, &shaped), sst_climatology_peak_bytes(&policy, &plain));
    policy.approx = SST_APPROX_TAIL;
    ck_assert_uint_eq(sst_climatology_peak_bytes(&policy, &shaped), sst_climatology_peak_bytes(&policy, &plain));
}
END_TEST

START_TEST(bad_policies_are_refused_with_the_option_at_fault)
{
    struct sst_error err = {0};
    struct sst_policy policy = policy_of(SST_LEAP_HOBDAY, 30, 31, 1, 366);
    ck_assert_int_eq(sst_policy_check(&policy, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--window 61"));
    sst_error_clear(&err);
    policy = policy_of(SST_LEAP_HOBDAY, 29, 31, 1, 366);
    policy.pools.first_year = 1980;
    ck_assert_int_eq(sst_policy_check(&policy, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "2048"));
    sst_error_clear(&err);
    policy = policy_of(SST_LEAP_HOBDAY, 5, 30, 1, 366);
    ck_assert_int_eq(sst_policy_check(&policy, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--smooth 30"));
    sst_error_clear(&err);
    policy = policy_of(SST_LEAP_HOBDAY, 5, 31, 1, 366);
    policy.pools.last_year = 1990;
    ck_assert_int_eq(sst_policy_check(&policy, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--baseline 1991-1990"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("schedule");
    TCase *tc = tcase_create("all");
    const int n_cases = (int)(sizeof cases / sizeof cases[0]);
    tcase_add_loop_test(tc, nothing_is_read_twice_late_or_in_vain, 0, n_cases);
    tcase_add_loop_test(tc, every_output_comes_once_and_after_what_it_averages, 0, n_cases);
    tcase_add_test(tc, memory_is_that_of_a_window_and_a_smoother_not_of_the_archive);
    tcase_add_test(tc, shapes_cost_three_floats_a_cell_of_each_live_estimate_and_only_where_there_are_any);
    tcase_add_test(tc, bad_policies_are_refused_with_the_option_at_fault);
    suite_add_tcase(suite, tc);
    return suite;
}
