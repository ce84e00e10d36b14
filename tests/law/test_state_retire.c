/* Years taken out of states, and baselines that move: what is left is the state that its days would have made. */
#include <string.h>

#include "crash_scale.h"
#include "join_fixture.h"
#include "state/state_join.h"
#include "test_main.h"

struct retirement {
    int years[2]; /* 0, 0: none */
    int baseline[2]; /* 0, 0: stays */
};

static const struct retirement retirements[] = {
    {{2000, 2000}, {0, 0}}, {{2001, 2002}, {0, 0}},       {{2004, 2005}, {0, 0}}, /* an edge day, and logged ones */
    {{0, 0}, {2001, 2004}}, {{0, 0}, {2000, 2005}},       {{0, 0}, {2001, 2002}}, {{0, 0}, {1999, 2002}},
    {{0, 0}, {2004, 2006}}, {{2001, 2001}, {2001, 2005}}, {{1999, 2007}, {0, 0}}};

enum { N_RETIREMENTS = sizeof retirements / sizeof retirements[0] };

static bool is_not_retired(const void *user, struct sst_day day)
{
    const struct retirement *how = user;
    return day.year < how->years[0] || day.year > how->years[1];
}

static struct sst_retire_options options_of(const struct retirement *how)
{
    static const struct sst_reader_options reader = {.cache_bytes = 0};
    return (struct sst_retire_options){.first_year = how->years[0],
                                       .last_year = how->years[1],
                                       .first_baseline_year = how->baseline[0],
                                       .last_baseline_year = how->baseline[1],
                                       .choose_probes = join_choose_probes,
                                       .reader = &reader};
}

/* The policy that a retirement leaves. Owner: the caller. */
static struct sst_state_policy policy_after(const struct join_world *world, struct join_rule rule,
                                            const struct retirement *how)
{
    if (how->baseline[0] != 0) {
        rule.first_year = how->baseline[0];
        rule.last_year = how->baseline[1];
    }
    return join_policy(world, &rule);
}

START_TEST(what_is_left_is_as_if_no_other_day_had_come)
{
    struct join_world *world = &join_worlds[_i % 2];
    const struct join_rule rule = join_rule(_i);
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *state = join_state(world, "state", &policy, NULL, NULL);
    const struct sst_identity before = join_digest(state);
    for (int i = 0; i < N_RETIREMENTS; ++i) {
        const struct retirement *how = &retirements[i];
        const char *path = test_path("retired%d", i);
        struct sst_retire_options options = options_of(how);
        struct sst_retire_totals totals;
        struct sst_error err = {SST_OK, ""};
        struct sst_state_policy after = policy_after(world, rule, how);
        struct sst_state *plain = join_state(world, test_path("plain%d", i), &after, is_not_retired, how);
        options.old = rule.keep == SST_KEEP_ALL ? NULL : world->catalog;
        ck_assert_msg(sst_state_retire(fake_disk_os(world->disk), state, &options, path, &totals, &err) == SST_OK,
                      "%d: %s", i, err.text);
        struct sst_state *made = join_open(world, path);
        ck_assert_msg(join_digests_equal(made, plain), "retirement %d", i);
        ck_assert_uint_eq(totals.n_wanting, 0);
        ck_assert_uint_eq(sst_state_n_logged(made), sst_state_n_logged(plain));
        sst_state_close(&made);
        sst_state_close(&plain);
        sst_state_policy_clear(&after);
    }
    const struct sst_identity now = join_digest(state);
    ck_assert(before.low == now.low && before.high == now.high);
    sst_state_close(&state);
    sst_state_policy_clear(&policy);
}
END_TEST

/* Under `own` all 12 days of each year are pooled; 1 March of 2002 is preliminary. */
START_TEST(what_became_of_days_is_told)
{
    struct join_world *world = &join_worlds[0];
    struct join_rule rule = join_rule(2);
    rule.keep = SST_KEEP_ALL;
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *state = join_state(world, "state", &policy, NULL, NULL);
    const struct retirement how = {{2001, 2001}, {2001, 2004}};
    const struct sst_retire_options options = options_of(&how);
    struct sst_retire_totals totals;
    ck_assert_int_eq(sst_state_retire(fake_disk_os(world->disk), state, &options, "told", &totals, NULL), SST_OK);
    ck_assert_uint_eq(totals.n_kept, 11 + 12); /* 2002, 2003 */
    ck_assert_uint_eq(totals.n_retired, 12); /* 2001 */
    ck_assert_uint_eq(totals.n_logged, 12); /* 2000 */
    ck_assert_uint_eq(totals.n_counted, 12); /* 2004 */
    ck_assert_uint_eq(totals.n_wanting, 0);
    sst_state_close(&state);
    sst_state_policy_clear(&policy);
}
END_TEST

static void refuse_retire(struct join_world *world, const struct sst_state *state,
                          const struct sst_retire_options *options, enum sst_status code, const char *text)
{
    struct sst_retire_totals totals;
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_state_retire(fake_disk_os(world->disk), state, options, "refused", &totals, &err), code);
    ck_assert_msg(strstr(err.text, text) != NULL, "'%s' has not '%s'", err.text, text);
    ck_assert(!join_is_there(world, "refused") && !join_is_there(world, "refused.part"));
}

START_TEST(days_whose_values_are_needed_are_listed_before_anything_is_made)
{
    struct join_world *world = &join_worlds[0];
    const struct retirement year = {{2001, 2001}, {0, 0}};
    struct sst_retire_options options = options_of(&year);
    struct join_rule rule = join_rule(0);
    struct sst_state_policy sums = join_policy(world, &rule);
    struct sst_state *state = join_state(world, "sums", &sums, NULL, NULL);
    refuse_retire(world, state, &options, SST_ERR_STATE,
                  "sums: keeps none, so files that were counted are needed, of all days that go, since they are "
                  "subtracted; none is at hand of 2001-01-01, 2001-01-02, 2001-01-03, 2001-01-04, 2001-02-27, "
                  "2001-02-28, 2001-03-01, 2001-03-02, 2001-03-03, 2001-12-29 and 2 more. Give them with --old");
    sst_state_close(&state);
    rule = join_rule(2);
    struct sst_state_policy lists = join_policy(world, &rule);
    state = join_state(world, "lists", &lists, NULL, NULL);
    refuse_retire(world, state, &options, SST_ERR_STATE,
                  "lists: keeps probes, so files that were counted are needed, of all days that stay in a calendar day "
                  "which loses one, since its lists of extremes are made anew; none is at hand of 2000-01-01, "
                  "2002-01-01, 2003-01-01, 2000-01-02,");
    sst_state_close(&state);
    sst_state_policy_clear(&sums);
    sst_state_policy_clear(&lists);
}
END_TEST

START_TEST(files_of_other_values_do_not_count)
{
    struct join_world *world = &join_worlds[0];
    const struct retirement year = {{2001, 2001}, {0, 0}};
    const struct join_rule rule = join_rule(0);
    struct sst_retire_options options = options_of(&year);
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *state = join_state_of_other_values(world, "other", &policy, 8);
    options.old = world->catalog;
    refuse_retire(world, state, &options, SST_ERR_STATE,
                  "other: nothing was made: no file of --old has the values of 2001-01-01 that were counted. Give the "
                  "file that they came in, 2000-winter.nc");
    options.old = join_worlds[1].catalog;
    refuse_retire(world, state, &options, SST_ERR_INPUT, "--old: values finer than 0.01 degC");
    sst_state_close(&state);
    sst_state_policy_clear(&policy);
}
END_TEST

/* 29 February has no pool, so it stays in the log. */
static bool is_pooled_in_no_2004(const void *user, struct sst_day day)
{
    (void)user;
    return day.year != 2004 || day.slot == SST_SLOT_FEB29;
}

/* Without their files days that come into the baseline are told, and are no more in the log. */
START_TEST(days_that_come_into_the_baseline_without_values_are_wanting)
{
    struct join_world *world = &join_worlds[0];
    const struct retirement longer = {{0, 0}, {2000, 2004}};
    const struct join_rule rule = join_rule(3);
    const struct sst_retire_options options = options_of(&longer);
    struct sst_retire_totals totals;
    struct sst_error err = {SST_OK, ""};
    struct sst_state_policy policy = join_policy(world, &rule), after = policy_after(world, rule, &longer);
    struct sst_state *state = join_state(world, "state", &policy, NULL, NULL);
    struct sst_state *plain = join_state(world, "plain", &after, is_pooled_in_no_2004, NULL);
    ck_assert_msg(sst_state_retire(fake_disk_os(world->disk), state, &options, "longer", &totals, &err) == SST_OK, "%s",
                  err.text);
    ck_assert_uint_eq(totals.n_wanting, 11);
    ck_assert_uint_eq(totals.n_counted, 0);
    struct sst_state *made = join_open(world, "longer");
    ck_assert(join_digests_equal(made, plain));
    ck_assert_ptr_null(sst_state_logged(made, (struct sst_day){2004, 1}));
    sst_state_close(&made);
    sst_state_close(&state);
    sst_state_close(&plain);
    sst_state_policy_clear(&policy);
    sst_state_policy_clear(&after);
}
END_TEST

/* --- under way ---------------------------------------------------------------------------------------------------- */

static bool after_three_slots(void *user) { return ++*(int *)user == 3; }

START_TEST(what_is_interrupted_leaves_nothing)
{
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(5);
    const struct retirement year = {{2001, 2001}, {0, 0}};
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *state = join_state(world, "state", &policy, NULL, NULL);
    struct sst_retire_options options = options_of(&year);
    struct sst_error err = {SST_OK, ""};
    int n_asked = 0;
    options.watch = (struct sst_join_watch){.cancelled = after_three_slots, .user = &n_asked};
    refuse_retire(world, state, &options, SST_ERR_INTERRUPTED, "interrupted; nothing was made");
    n_asked = 0;
    ck_assert_int_eq(sst_state_merge(fake_disk_os(world->disk), (const struct sst_state *[]){state, state}, 2,
                                     "refused", &options.watch, &err),
                     SST_ERR_INTERRUPTED);
    ck_assert(!join_is_there(world, "refused") && !join_is_there(world, "refused.part"));
    sst_state_close(&state);
    sst_state_policy_clear(&policy);
}
END_TEST

/* Every 7th call (fewer with a sanitizer) fails in its turn: what is made is not there, or is whole; the states it is made of are as they were. */
START_TEST(a_call_that_fails_leaves_all_states_as_they_were)
{
    const long step = crash_is_least() ? 61 : 7;
    struct join_world *world = &join_worlds[0];
    const struct join_rule rule = join_rule(4);
    const struct retirement moved = {{0, 0}, {2001, 2004}};
    struct sst_retire_options options = options_of(&moved);
    struct sst_state_policy policy = join_policy(world, &rule);
    struct sst_state *state = join_state(world, "state", &policy, NULL, NULL);
    const struct sst_identity before = join_digest(state);
    sst_state_close(&state);
    long n_failed = 0, at = 1;
    for (bool is_done = false; !is_done; at += step) {
        static struct fake_faults faults;
        struct fake_disk *disk = fake_disk_copy(world->disk);
        struct sst_retire_totals totals;
        struct sst_state *made = NULL;
        fake_faults_start(&faults, disk);
        faults.at = at;
        faults.fault = FAKE_EIO;
        enum sst_status rc = sst_state_open(&faults.table, "state", SST_STATE_READ, &state, NULL);
        if (rc == SST_OK)
            rc = sst_state_retire(&faults.table, state, &options, "made", &totals, NULL);
        sst_state_close(&state);
        is_done = faults.n_hit == 0;
        n_failed += rc != SST_OK;
        ck_assert_int_eq(sst_state_open(fake_disk_os(disk), "state", SST_STATE_READ, &state, NULL), SST_OK);
        ck_assert(join_digest(state).low == before.low);
        sst_state_close(&state);
        if (sst_state_open(fake_disk_os(disk), "made", SST_STATE_READ, &made, NULL) == SST_OK)
            ck_assert_int_eq(sst_state_verify(made, NULL, NULL, NULL), SST_OK);
        else
            ck_assert_int_ne(rc, SST_OK);
        sst_state_close(&made);
        fake_disk_free(disk);
    }
    ck_assert_int_gt(n_failed * step, 140);
    sst_state_policy_clear(&policy);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("state_retire");
    TCase *laws = tcase_create("laws");
    tcase_add_unchecked_fixture(laws, join_open_worlds, join_close_worlds);
    tcase_add_checked_fixture(laws, join_new_disks, join_free_disks);
    tcase_add_loop_test(laws, what_is_left_is_as_if_no_other_day_had_come, 0, JOIN_N_RULES);
    tcase_add_test(laws, what_became_of_days_is_told);
    tcase_add_test(laws, days_whose_values_are_needed_are_listed_before_anything_is_made);
    tcase_add_test(laws, files_of_other_values_do_not_count);
    tcase_add_test(laws, days_that_come_into_the_baseline_without_values_are_wanting);
    tcase_add_test(laws, what_is_interrupted_leaves_nothing);
    tcase_add_test(laws, a_call_that_fails_leaves_all_states_as_they_were);
    suite_add_tcase(suite, laws);
    return suite;
}
