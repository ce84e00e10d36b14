/* States of states: merged, retired, under another baseline; each is the state that its days would have made. */
#include "state/state_join.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "crash_scale.h"
#include "join_fixture.h"
#include "random.h"
#include "test_main.h"

enum { N_PARTS = 3 };

static const struct sst_join_watch no_watch;

static struct sst_state *merge(struct join_world *world, const char *path, const struct sst_state *const *states,
                               size_t n)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_state_merge(fake_disk_os(world->disk), states, n, path, &no_watch, &err) == SST_OK, "%s",
                  err.text);
    return join_open(world, path);
}

static void refuse_merge(struct join_world *world, const struct sst_state *const *states, size_t n, const char *text)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_state_merge(fake_disk_os(world->disk), states, n, "refused", &no_watch, &err), SST_ERR_STATE);
    ck_assert_msg(strstr(err.text, text) != NULL, "'%s' has not '%s'", err.text, text);
    ck_assert(!join_is_there(world, "refused") && !join_is_there(world, "refused.part"));
}

/* --- merging ------------------------------------------------------------------------------------------------------ */

/* Which part a day goes to; with an overlap every fourth one to the next too. */
struct split {
    uint64_t seed;
    int part;
    bool overlaps;
};

static bool is_of_part(const void *user, struct sst_day day)
{
    const struct split *split = user;
    struct test_random random = {split->seed + (uint64_t)(1000 * day.year + day.slot)};
    const int part = test_random_below(&random, N_PARTS);
    const bool is_doubled = split->overlaps && test_random_below(&random, 4) == 0;
    return split->part == part || (is_doubled && split->part == (part + 1) % N_PARTS);
}

START_TEST(parts_make_the_whole_in_any_order_and_grouping)
{
    struct join_world *world = &join_worlds[_i % 2];
    const struct join_rule rule = join_rule(_i);
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *whole = join_state(world, "whole", &policy, NULL, NULL);
    const uint64_t n_splits = crash_is_least() ? 1 : 3;
    for (uint64_t seed = 0; seed < n_splits; ++seed) {
        struct sst_state *part[N_PARTS], *made[5];
        for (int i = 0; i < N_PARTS; ++i) {
            const struct split split = {100 * seed, i, rule.keep == SST_KEEP_ALL};
            part[i] = join_state(world, test_path("%d.%d", (int)seed, i), &policy, is_of_part, &split);
            ck_assert(!join_digests_equal(part[i], whole));
        }
        const char *path = test_path("made%d", (int)seed);
        made[0] = merge(world, test_path("%s.ab", path), (const struct sst_state *[]){part[0], part[1]}, 2);
        made[1] = merge(world, test_path("%s.bc", path), (const struct sst_state *[]){part[2], part[1]}, 2);
        made[2] = merge(world, test_path("%s.ab-c", path), (const struct sst_state *[]){made[0], part[2]}, 2);
        made[3] = merge(world, test_path("%s.a-bc", path), (const struct sst_state *[]){part[0], made[1]}, 2);
        made[4] = merge(world, test_path("%s.cab", path), (const struct sst_state *[]){part[2], part[0], part[1]}, 3);
        for (int i = 2; i < 5; ++i)
            ck_assert(join_digests_equal(made[i], whole));
        for (int i = 0; i < 5; ++i)
            sst_state_close(&made[i]);
        for (int i = 0; i < N_PARTS; ++i)
            sst_state_close(&part[i]);
    }
    sst_state_close(&whole);
    sst_state_policy_clear(&policy);
}
END_TEST

static bool is_in_years(const void *user, struct sst_day day)
{
    const int *years = user;
    return day.year >= years[0] && day.year <= years[1];
}

/* {2001, 2002} and {2002, 2003} can only be joined where all is kept, or with a state that has them all. */
START_TEST(days_of_two_states_are_listed_unless_all_is_kept_or_one_state_has_all)
{
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(_i);
    const int early[] = {2001, 2002}, late[] = {2002, 2003}, both[] = {2001, 2003};
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *a = join_state(world, "early", &policy, is_in_years, early);
    struct sst_state *b = join_state(world, "late", &policy, is_in_years, late);
    struct sst_state *all = join_state(world, "both", &policy, is_in_years, both);
    struct sst_state *made = merge(world, "with-all", (const struct sst_state *[]){a, all, a}, 3);
    ck_assert(join_digests_equal(made, all));
    sst_state_close(&made);
    if (rule.keep == SST_KEEP_ALL) {
        made = merge(world, "kept", (const struct sst_state *[]){b, a}, 2);
        ck_assert(join_digests_equal(made, all));
        sst_state_close(&made);
    } else {
        refuse_merge(world, (const struct sst_state *[]){a, b}, 2,
                     "two of them count 2002-01-01, 2002-01-02, 2002-01-03, 2002-01-04, 2002-02-27, 2002-02-28, "
                     "2002-03-02, 2002-03-03, 2002-12-29, 2002-12-30 and 1 more, each counts other years");
        refuse_merge(world, (const struct sst_state *[]){b, all, a}, 3, "two of them count 2002-01-01");
    }
    sst_state_close(&a);
    sst_state_close(&b);
    sst_state_close(&all);
    sst_state_policy_clear(&policy);
}
END_TEST

/* Eight years have 1 January, of which four are counted and one is an edge day; the others are logged. */
START_TEST(days_of_other_values_are_listed_whether_counted_or_logged)
{
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(_i);
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *a = join_state(world, "one", &policy, NULL, NULL);
    struct sst_state *b = join_state_of_other_values(world, "other", &policy, 8);
    struct sst_state *c = join_state_of_other_values(world, "many", &policy, 16);
    refuse_merge(world, (const struct sst_state *[]){a, b}, 2,
                 "different values of 2000-01-01, 2001-01-01, 2002-01-01, "
                 "2003-01-01, ");
    refuse_merge(world, (const struct sst_state *[]){a, a, b}, 3, "2005-01-01, 2006-01-01, 2007-01-01. Replace");
    refuse_merge(world, (const struct sst_state *[]){c, a}, 2, " and 6 more. Replace these days in one of the states");
    sst_state_close(&a);
    sst_state_close(&b);
    sst_state_close(&c);
    sst_state_policy_clear(&policy);
}
END_TEST

static struct sst_state *state_of_one(struct join_world *world, const char *path, const struct sst_state_policy *policy,
                                      const struct join_day *day, enum sst_day_status status, uint64_t added)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state *state = NULL;
    const struct sst_log_entry entry = {.at = {.day = day->day, .status = status, .digest = day->entry.digest + added},
                                        .source = status == SST_DAY_FINAL ? "final.nc" : "preliminary.nc",
                                        .field = &day->field};
    ck_assert_int_eq(sst_state_make(fake_disk_os(world->disk), path, policy, &err), SST_OK);
    ck_assert_int_eq(sst_state_open(fake_disk_os(world->disk), path, SST_STATE_WRITE, &state, &err), SST_OK);
    ck_assert_msg(sst_state_log(state, &entry, 1, &err) == SST_OK, "%s", err.text);
    return state;
}

START_TEST(final_days_of_logs_win_and_counted_days_over_both)
{
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(4);
    struct sst_state_policy policy = join_policy(world, &rule);
    const struct join_day *day = &world->days[0]; /* 2000-01-01 */
    char *source = NULL;
    struct sst_state *final = state_of_one(world, "final", &policy, day, SST_DAY_FINAL, 0);
    struct sst_state *early = state_of_one(world, "early", &policy, day, SST_DAY_PRELIMINARY, 7);
    struct sst_state *other = state_of_one(world, "other", &policy, day, SST_DAY_PRELIMINARY, 8);
    struct sst_state *whole = join_state(world, "whole", &policy, NULL, NULL);
    refuse_merge(world, (const struct sst_state *[]){early, other}, 2, "different values of 2000-01-01. Replace");
    struct sst_state *made = merge(world, "logs", (const struct sst_state *[]){early, other, final}, 3);
    ck_assert(join_digests_equal(made, final));
    ck_assert_int_eq(sst_state_load_logged(made, day->day, &source, NULL, NULL), SST_OK);
    ck_assert_str_eq(source, "final.nc");
    sst_free(source);
    sst_state_close(&made);
    made = merge(world, "counted", (const struct sst_state *[]){early, whole, other, final}, 4);
    ck_assert(join_digests_equal(made, whole));
    ck_assert_ptr_null(sst_state_logged(made, day->day));
    sst_state_close(&made);
    sst_state_close(&final);
    sst_state_close(&early);
    sst_state_close(&other);
    sst_state_close(&whole);
    sst_state_policy_clear(&policy);
}
END_TEST

static void change_grid(struct sst_state_policy *policy) { policy->grid->lat[0] += 0.25; }

static void change_product(struct sst_state_policy *policy)
{
    sst_free(policy->product);
    ck_assert_int_eq(sst_strdup("OTHER", &policy->product, NULL), SST_OK);
}

static void change_kind(struct sst_state_policy *policy) { policy->kind = SST_KIND_FOUNDATION; }
static void change_lattice(struct sst_state_policy *policy) { policy->lattice = SST_LATTICE_MILLI; }
static void change_baseline(struct sst_state_policy *policy) { ++policy->pools.last_year; }
static void change_leap(struct sst_state_policy *policy) { policy->pools.leap = SST_LEAP_OWN; }
static void change_window(struct sst_state_policy *policy) { ++policy->pools.half_window_days; }
static void change_lists(struct sst_state_policy *policy) { ++policy->tail.top; }
static void change_keep(struct sst_state_policy *policy) { policy->keep = SST_KEEP_PROBES; }
static void change_share(struct sst_state_policy *policy) { policy->probe_share = 0.75; }
static void change_seed(struct sst_state_policy *policy) { policy->seed = 99; }

START_TEST(states_of_unlike_policies_are_refused_by_the_item)
{
    static const struct {
        void (*change)(struct sst_state_policy *policy);
        const char *text;
    } cases[] = {{change_grid, "grid: "},
                 {change_product, "product:  and OTHER"},
                 {change_kind, "kind of temperature: "},
                 {change_lattice, "lattice: 0.01 degC and 0.001 degC about 15 degC"},
                 {change_baseline, "baseline: 2000-2003 and 2000-2004"},
                 {change_leap, "leap rule: hobday and own"},
                 {change_window, "largest window [days]: 5 and 7"},
                 {change_lists, "greatest values kept: 3 and 4"},
                 {change_keep, "values kept: all and probes"},
                 {change_share, "share of probes: 0.5 and 0.75"},
                 {change_seed, "seed: 1 and 99"}};
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(4);
    struct sst_state_policy policy = join_policy(world, &rule);
    const struct sst_os *os = fake_disk_os(world->disk);
    struct sst_state *ours = NULL;
    ck_assert_int_eq(sst_state_make(os, "ours", &policy, NULL), SST_OK);
    ck_assert_int_eq(sst_state_open(os, "ours", SST_STATE_READ, &ours, NULL), SST_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct sst_state_policy other = join_policy(world, &rule);
        struct sst_state *theirs = NULL;
        const char *path = test_path("theirs%d", (int)i);
        cases[i].change(&other);
        ck_assert_int_eq(sst_state_policy_complete(&other, join_choose_probes, NULL), SST_OK);
        ck_assert_int_eq(sst_state_make(os, path, &other, NULL), SST_OK);
        ck_assert_int_eq(sst_state_open(os, path, SST_STATE_READ, &theirs, NULL), SST_OK);
        refuse_merge(world, (const struct sst_state *[]){ours, ours, theirs}, 3,
                     test_path("ours and %s do not merge: %s", path, cases[i].text));
        sst_state_close(&theirs);
        sst_state_policy_clear(&other);
    }
    sst_state_close(&ours);
    sst_state_policy_clear(&policy);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_join");
    TCase *laws = tcase_create("laws");
    tcase_add_unchecked_fixture(laws, join_open_worlds, join_close_worlds);
    tcase_add_checked_fixture(laws, join_new_disks, join_free_disks);
    tcase_add_loop_test(laws, parts_make_the_whole_in_any_order_and_grouping, 0, JOIN_N_RULES);
    tcase_add_loop_test(laws, days_of_two_states_are_listed_unless_all_is_kept_or_one_state_has_all, 0, JOIN_N_RULES);
    tcase_add_loop_test(laws, days_of_other_values_are_listed_whether_counted_or_logged, 0, JOIN_N_RULES);
    tcase_add_test(laws, final_days_of_logs_win_and_counted_days_over_both);
    tcase_add_test(laws, states_of_unlike_policies_are_refused_by_the_item);
    suite_add_tcase(suite, laws);
    return suite;
}
