/*
 * Pools finished in groups of any size give what they give one at a time, to the bit and in the same order, whatever cells turn
 * valid between; and a method that prepares is told of each pool once, before it is finished, when all its days are there.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cells.h"
#include "core/mem.h"
#include "engine_setup.h"
#include "stream/climatology.h"
#include "stream/method.h"
#include "stream/schedule.h"
#include "test_main.h"

static const size_t group_sizes[] = {0, 1, 2, 3, 7, 30, 364, 1000};
enum { N_GROUP_SIZES = sizeof group_sizes / sizeof group_sizes[0] };

/* --- a method that prepares --------------------------------------------------------------------------------------- */

/* That of the estimator, which is wrapped so that the engine gets it. */
const struct sst_method *__real_sst_method_of(enum sst_approx approx);
const struct sst_method *__wrap_sst_method_of(enum sst_approx approx);

static bool is_wrapped;
static struct {
    size_t n_ahead, n_pools, n_finished, n_total, n_groups;
    size_t n_added, n_added_between; /* fields, and those that came before the last pool of a group was finished */
    struct sst_term first_term[SST_MAX_STEPS];
    int n_terms[SST_MAX_STEPS];
    size_t n_days[SST_N_SLOTS + 1][SST_N_CLASSES]; /* of each term, that were added */
    bool is_settled[SST_N_SLOTS + 1][SST_N_CLASSES]; /* no day may be added any more */
} seen;

static enum sst_status prepare(void *state, const struct sst_pool *pools, size_t n_pools, struct sst_error *err)
{
    (void)state;
    (void)err;
    ck_assert_uint_eq(seen.n_finished, seen.n_pools); /* all of the last group */
    ck_assert_uint_gt(n_pools, 0);
    ck_assert_uint_le(n_pools, seen.n_ahead > 0 ? seen.n_ahead : 1);
    for (size_t i = 0; i < n_pools; ++i) {
        ck_assert_int_gt(pools[i].n_terms, 0);
        seen.first_term[i] = pools[i].terms[0];
        seen.n_terms[i] = pools[i].n_terms;
        for (int t = 0; t < pools[i].n_terms; ++t)
            seen.is_settled[pools[i].terms[t].slot][pools[i].terms[t].year_class] = true;
    }
    seen.n_pools = n_pools;
    seen.n_finished = 0;
    ++seen.n_groups;
    return SST_OK;
}

static enum sst_status finish(void *state, const struct sst_pool *pool, const struct sst_method_out *out,
                              struct sst_error *err)
{
    const size_t i = seen.n_finished++;
    ck_assert_uint_lt(i, seen.n_pools);
    ++seen.n_total;
    ck_assert_int_eq(pool->n_terms, seen.n_terms[i]);
    return __real_sst_method_of(SST_APPROX_CF)->finish(state, pool, out, err);
}

static enum sst_status add_fields(void *state, struct sst_term term, const struct sst_field *const *fields,
                                  size_t n_fields, struct sst_error *err)
{
    ck_assert(!seen.is_settled[term.slot][term.year_class]);
    seen.n_added += n_fields;
    seen.n_added_between += seen.n_finished < seen.n_pools ? n_fields : 0;
    return __real_sst_method_of(SST_APPROX_CF)->add_fields(state, term, fields, n_fields, err);
}

const struct sst_method *__wrap_sst_method_of(enum sst_approx approx)
{
    static struct sst_method wrapped;
    if (!is_wrapped || approx != SST_APPROX_CF)
        return __real_sst_method_of(approx);
    wrapped = *__real_sst_method_of(SST_APPROX_CF);
    wrapped.prepare = prepare;
    wrapped.finish = finish;
    wrapped.add_fields = add_fields;
    return &wrapped;
}

/* --- what a run gives --------------------------------------------------------------------------------------------- */

enum { N_PERCENTILES = 2 };

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    given_append_result(user, result, N_PERCENTILES);
    return SST_OK;
}

static struct given run(const struct engine_setup *setup, size_t n_ahead, bool is_resident)
{
    struct given given = {0};
    struct sst_error err = {0};
    struct made_up seas = engine_small_sea();
    const struct sst_policy policy = engine_policy(setup);
    seas.is_milli = setup->is_milli;
    seas.has_ice = !setup->no_ice;
    made_up_open(&seas);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas.source,
                                            .n_cells = seas.n_rows * seas.n_cols,
                                            .probes = engine_probes(),
                                            .n_probes = setup->has_probes ? ENGINE_N_PROBES : 0,
                                            .wants_shape = setup->wants_shape,
                                            .n_ahead = n_ahead,
                                            .is_resident = is_resident};
    const struct sst_slot_sink sink = {.user = &given, .put = put};
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    made_up_close(&seas);
    return given;
}

START_TEST(groups_give_the_bits_of_single_pools)
{
    const struct engine_setup *setup = engine_setup(_i);
    struct given single = run(setup, 0, false);
    ck_assert_uint_gt(single.n_bytes, 0);
    for (int g = 1; g < N_GROUP_SIZES; ++g) {
        struct given grouped = run(setup, group_sizes[g], false);
        given_check_same(&grouped, &single, test_path("groups of %zu", group_sizes[g]));
        free(grouped.bytes);
    }
    free(single.bytes);
}
END_TEST

START_TEST(pools_are_prepared_before_they_are_finished)
{
    const struct engine_setup *setup = engine_setup(2);
    const struct sst_policy policy = engine_policy(setup);
    struct given single = run(setup, 0, false);
    for (int is_resident = 0; is_resident < 2; ++is_resident) {
        memset(&seen, 0, sizeof seen);
        seen.n_ahead = group_sizes[_i];
        is_wrapped = true;
        struct given grouped = run(setup, group_sizes[_i], is_resident != 0);
        is_wrapped = false;
        ck_assert_uint_eq(seen.n_total, sst_climatology_n_pools(&policy));
        ck_assert_uint_eq(seen.n_finished, seen.n_pools);
        if (!is_resident || seen.n_groups == 1)
            ck_assert_uint_eq(seen.n_added_between, 0);
        else if (seen.n_ahead > 1 &&
                 seen.n_ahead < 100) /* in even shares: all but the first group, and the last share */
            ck_assert_uint_gt(seen.n_added_between, seen.n_added / 4);
        given_check_same(&grouped, &single, test_path("groups of %zu", group_sizes[_i]));
        free(grouped.bytes);
    }
    free(single.bytes);
}
END_TEST

/* --- counts of a group -------------------------------------------------------------------------------------------- */

START_TEST(counts_are_those_of_the_calendar)
{
    struct sst_policy policy = engine_policy(engine_setup(0)); /* hobday, 11 days, the whole year, 2001 to 2003 */
    const struct sst_schedule_counts all = sst_schedule_count(&policy, SST_MAX_STEPS, false);
    ck_assert_uint_eq(all.n_pools, 365);
    /* 366 slots; five at each end have three classes, and those round 29 February no leap year. */
    ck_assert_uint_eq(all.n_terms, 365 + 2 * 10);
    ck_assert_uint_eq(all.n_days, 3 * 365 + 10);
    ck_assert_uint_eq(all.n_term_days, 3);
    ck_assert_uint_eq(sst_schedule_count(&policy, SST_MAX_STEPS, true).n_terms, 365 + 10);
    policy.first_slot = 100;
    policy.last_slot = 130;
    ck_assert_uint_eq(sst_schedule_count(&policy, 1, false).n_pools, 1);
    ck_assert_uint_eq(sst_schedule_count(&policy, 1, false).n_terms,
                      11); /* what leaves has gone before the next is read */
    ck_assert_uint_eq(sst_schedule_count(&policy, 8, false).n_terms, 10 + 8);
    ck_assert_uint_eq(sst_schedule_count(&policy, 8, false).n_pool_terms, 11);
    ck_assert_uint_eq(sst_schedule_count(&policy, 400, false).n_terms, 31 + 10);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("groups");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, groups_give_the_bits_of_single_pools, 0, ENGINE_N_SETUPS);
    tcase_add_loop_test(tc, pools_are_prepared_before_they_are_finished, 0, N_GROUP_SIZES);
    tcase_add_test(tc, counts_are_those_of_the_calendar);
    suite_add_tcase(suite, tc);
    return suite;
}
