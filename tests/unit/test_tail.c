/* How long lists are, what a percentile needs of them, and the small functions that certify. */
#include "exact/tail.h"

#include <string.h>

#include "kernels/cell_tail.h"
#include "stream/policy.h"
#include "test_main.h"

START_TEST(thirty_years_and_p90_take_sixteen_of_thirty_four)
{
    ck_assert_int_eq(sst_tail_depth_needed(330, 90.0, 7), 34);
    ck_assert_int_eq(sst_tail_depth_needed(330, 10.0, 7), 34);
    ck_assert_int_eq(sst_tail_depth_needed(330, 95.0, 7), 18);
    ck_assert_int_eq(sst_tail_default_k(30, 11, 34), 16);
    ck_assert_int_eq(sst_tail_default_k(30, 11, 18), 9);
    ck_assert_int_eq(sst_tail_default_k(10, 11, 34), 10);
    ck_assert_int_eq(sst_tail_default_k(30, 1, 4), 11);
}
END_TEST

START_TEST(the_middle_of_the_distribution_is_out_of_reach)
{
    ck_assert(sst_tail_can(90.0) && sst_tail_can(75.0) && sst_tail_can(25.0) && sst_tail_can(0.5));
    ck_assert(!sst_tail_can(74.999) && !sst_tail_can(25.001) && !sst_tail_can(50.0));
}
END_TEST

static struct sst_policy policy_of(double one, double other, int tail_k)
{
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 1991, 2020, 5},
        .approx = SST_APPROX_TAIL,
        .percentiles = {one, other},
        .n_percentiles = other > 0.0 ? 2 : 1,
        .quantile_type = 7,
        .smooth_days = 1,
        .first_slot = 1,
        .last_slot = 366,
        .tail_k = tail_k,
    };
    return policy;
}

static void check_lists(double one, double other, int tail_k, int top, int bottom)
{
    const struct sst_policy policy = policy_of(one, other, tail_k);
    const struct sst_tail_k k = sst_policy_tail_k(&policy);
    ck_assert_int_eq(k.top, top);
    ck_assert_int_eq(k.bottom, bottom);
    ck_assert_int_eq(sst_policy_check(&policy, NULL), SST_OK);
}

START_TEST(each_end_has_the_list_that_its_percentiles_need)
{
    check_lists(90.0, 0.0, 0, 16, 0);
    check_lists(10.0, 0.0, 0, 0, 16);
    check_lists(90.0, 10.0, 0, 16, 16);
    check_lists(95.0, 90.0, 0, 16, 0);
    check_lists(95.0, 10.0, 0, 9, 16);
    check_lists(90.0, 0.0, 6, 6, 0);
    check_lists(90.0, 0.0, 64, 30, 0); /* no list is longer than the years */
}
END_TEST

START_TEST(what_lists_cannot_reach_is_refused)
{
    struct sst_error err = {0};
    struct sst_policy policy = policy_of(90.0, 60.0, 0);
    ck_assert_int_eq(sst_policy_check(&policy, &err), SST_ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "--percentile 60"));
    policy.approx = SST_APPROX_CF;
    ck_assert_int_eq(sst_policy_check(&policy, NULL), SST_OK);
    policy = policy_of(10.0, 0.0, 3);
    ck_assert_int_eq(sst_policy_check(&policy, NULL), SST_ERR_USAGE);
}
END_TEST

START_TEST(an_estimator_counts_its_planes)
{
    struct sst_tail_estimator tail;
    sst_tail_estimator_init(&tail, (struct sst_tail_k){16, 0});
    ck_assert_uint_eq(sst_estimator_cell_size(&tail.estimator), 38);
    sst_tail_estimator_init(&tail, (struct sst_tail_k){16, 16});
    ck_assert_uint_eq(sst_estimator_cell_size(&tail.estimator), 70);
    ck_assert_uint_eq(sst_estimator_cell_size(sst_estimator_tail_sums()), 6);
}
END_TEST

/* Two bins: 9 8 7 of five values, 6 5 of two. */
static const int16_t kept[] = {9, 8, 7, 6, 5, CELL_TAIL_NONE};
static const size_t first[] = {0, 3, 6};
static const int32_t counts[] = {5, 2};

START_TEST(certificate_and_bound_of_a_pool_in_hand)
{
    const struct cell_tail_lists lists = {kept, 1, first, counts, 2};
    const int16_t cut = cell_tail_cut(cell_tail_cut(CELL_TAIL_NONE, 5, 3, 7), 2, 3, CELL_TAIL_NONE);
    ck_assert_int_eq(cut, 7);
    ck_assert(cell_tail_is_certified(2, 5, 7, cut)); /* 9 8 7: nothing dropped is above 7 */
    ck_assert(!cell_tail_is_certified(3, 5, 6, cut)); /* 6, or a dropped 7 */
    ck_assert(!cell_tail_is_certified(5, 5, 9, cut));
    const int16_t most[] = {9, 8, 7, 7, 7, 6, 5};
    for (int32_t depth = 0; depth < 7; ++depth)
        ck_assert_int_eq(cell_tail_most(lists, depth), most[depth]);
}
END_TEST

START_TEST(low_percentiles_are_high_ones_of_negated_values)
{
    const struct cell_tail_rank low = cell_tail_rank_of(330, 0.1, 7);
    ck_assert_int_eq(low.depth, 33);
    const struct cell_tail_pair pair = cell_tail_pair_of(low, -120, -110);
    ck_assert(pair.a == 110 && pair.b == 120);
    ck_assert_int_eq(cell_tail_rank_of(331, 0.1, 7).depth, 33); /* whole: one order statistic is enough */
    ck_assert_int_eq(cell_tail_negated(CELL_TAIL_NONE), CELL_TAIL_NONE);
    ck_assert_int_eq(cell_tail_negated(-32767), 32767);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("tail");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, thirty_years_and_p90_take_sixteen_of_thirty_four);
    tcase_add_test(tc, the_middle_of_the_distribution_is_out_of_reach);
    tcase_add_test(tc, each_end_has_the_list_that_its_percentiles_need);
    tcase_add_test(tc, what_lists_cannot_reach_is_refused);
    tcase_add_test(tc, an_estimator_counts_its_planes);
    tcase_add_test(tc, certificate_and_bound_of_a_pool_in_hand);
    tcase_add_test(tc, low_percentiles_are_high_ones_of_negated_values);
    suite_add_tcase(suite, tc);
    return suite;
}
