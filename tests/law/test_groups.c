/*
 * Pools finished in groups of any size give what they give one at a time, to the bit and in the same order, whatever cells turn
 * valid between; and a method that prepares is told of each pool once, before it is finished, when all its days are there.
 */
#include <stdlib.h>
#include <string.h>

#include "core/cells.h"
#include "core/mem.h"
#include "made_up_fields.h"
#include "stream/climatology.h"
#include "stream/method.h"
#include "stream/schedule.h"
#include "test_main.h"

static const struct made_up small_seas = {.n_rows = 7,
                                          .n_cols = 13,
                                          .first_land_row = 2,
                                          .n_land_rows = 2,
                                          .first_year = 2000,
                                          .last_year = 2004,
                                          .gaps_percent = 10,
                                          .bad_percent = 10,
                                          .missing_percent = 10,
                                          .has_ice = true,
                                          .has_late_cells = true,
                                          .n_most_held = 3,
                                          .seed = 1};

/* Rows 2 and 3 are land; the last row has none. */
static const size_t probes[] = {0, 12, 13, 14, 25, 40, 52, 60, 70, 77};
enum { N_PROBES = sizeof probes / sizeof probes[0] };

struct setup {
    enum sst_approx approx;
    enum sst_leap_rule leap;
    int half, smooth, first_slot, last_slot;
    bool has_probes, wants_shape, is_milli, no_ice;
};

static const struct setup setups[] = {
    {SST_APPROX_NONE, SST_LEAP_HOBDAY, 5, 1, 1, 366, false, false, false, false},
    {SST_APPROX_NONE, SST_LEAP_OWN, 2, 31, 330, 40, false, false, true, false},
    {SST_APPROX_CF, SST_LEAP_HOBDAY, 5, 31, 1, 366, true, true, false, false},
    {SST_APPROX_CF, SST_LEAP_SKIP, 29, 1, 50, 130, true, false, true, false},
    {SST_APPROX_CF, SST_LEAP_OWN, 0, 5, 100, 130, false, true, false, true},
    {SST_APPROX_MAXENT, SST_LEAP_HOBDAY, 5, 31, 60, 60, true, true, true, false},
    {SST_APPROX_MAXENT, SST_LEAP_OWN, 5, 5, 350, 20, true, true, false, false},
    {SST_APPROX_TAIL, SST_LEAP_HOBDAY, 5, 31, 1, 366, true, false, false, false},
    {SST_APPROX_TAIL, SST_LEAP_OWN, 1, 1, 110, 140, true, false, true, false},
    {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 5, 55, 65, false, false, false, false},
};
enum { N_SETUPS = sizeof setups / sizeof setups[0] };

static const size_t group_sizes[] = {0, 1, 2, 3, 7, 30, 364, 1000};
enum { N_GROUP_SIZES = sizeof group_sizes / sizeof group_sizes[0] };

static struct sst_policy policy_of(const struct setup *setup)
{
    return (struct sst_policy){.pools = {SST_CALENDAR_STANDARD, setup->leap, 2001, 2003, setup->half},
                               .approx = setup->approx,
                               .percentiles = {90.0, 10.0},
                               .n_percentiles = 2,
                               .quantile_type = 7,
                               .smooth_days = setup->smooth,
                               .min_samples = 1,
                               .first_slot = setup->first_slot,
                               .last_slot = setup->last_slot,
                               .tail_k = 2,
                               .lattice = setup->is_milli ? SST_LATTICE_MILLI : SST_LATTICE_CENTI};
}

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

struct given {
    unsigned char *bytes; /* all results, one after the other */
    size_t n_bytes, capacity;
};

static void append(struct given *given, const void *data, size_t n)
{
    if (given->n_bytes + n > given->capacity) {
        given->capacity = 2 * (given->n_bytes + n);
        given->bytes = realloc(given->bytes, given->capacity);
    }
    if (n > 0)
        memcpy(given->bytes + given->n_bytes, data, n);
    given->n_bytes += n;
}

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct given *to = user;
    const size_t n_percentiles = 2, n = result->n_cells;
    append(to, &result->slot, sizeof result->slot);
    append(to, result->mean, n * sizeof(double));
    for (size_t q = 0; q < n_percentiles * (result->has_bounds ? 3 : 1); ++q)
        append(to, result->quantile[q], n * sizeof(double));
    for (size_t q = 0; q < n_percentiles; ++q)
        append(to, result->probe_quantile[q], result->n_probes * sizeof(double));
    append(to, result->n_obs, n * sizeof *result->n_obs);
    append(to, result->flags, n * sizeof *result->flags);
    if (result->shape.sd) {
        append(to, result->shape.sd, n * sizeof(float));
        append(to, result->shape.skew, n * sizeof(float));
        append(to, result->shape.kurt, n * sizeof(float));
    }
    return SST_OK;
}

static struct given run(const struct setup *setup, size_t n_ahead, bool is_resident)
{
    struct given given = {0};
    struct sst_error err = {0};
    struct made_up seas = small_seas;
    const struct sst_policy policy = policy_of(setup);
    seas.is_milli = setup->is_milli;
    seas.has_ice = !setup->no_ice;
    made_up_open(&seas);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas.source,
                                            .n_cells = seas.n_rows * seas.n_cols,
                                            .probes = probes,
                                            .n_probes = setup->has_probes ? N_PROBES : 0,
                                            .wants_shape = setup->wants_shape,
                                            .n_ahead = n_ahead,
                                            .is_resident = is_resident};
    const struct sst_slot_sink sink = {.user = &given, .put = put};
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    made_up_close(&seas);
    return given;
}

static void check_same(const struct given *got, const struct given *want, size_t n_ahead)
{
    ck_assert_uint_eq(got->n_bytes, want->n_bytes);
    size_t first = 0;
    while (first < got->n_bytes && got->bytes[first] == want->bytes[first])
        ++first;
    ck_assert_msg(first == got->n_bytes, "groups of %zu: byte %zu of %zu differs", n_ahead, first, got->n_bytes);
}

START_TEST(groups_give_the_bits_of_single_pools)
{
    const struct setup *setup = &setups[_i];
    struct given single = run(setup, 0, false);
    ck_assert_uint_gt(single.n_bytes, 0);
    for (int g = 1; g < N_GROUP_SIZES; ++g) {
        struct given grouped = run(setup, group_sizes[g], false);
        check_same(&grouped, &single, group_sizes[g]);
        free(grouped.bytes);
    }
    free(single.bytes);
}
END_TEST

START_TEST(pools_are_prepared_before_they_are_finished)
{
    const struct setup *setup = &setups[2];
    const struct sst_policy policy = policy_of(setup);
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
        check_same(&grouped, &single, group_sizes[_i]);
        free(grouped.bytes);
    }
    free(single.bytes);
}
END_TEST

/* --- counts of a group -------------------------------------------------------------------------------------------- */

START_TEST(counts_are_those_of_the_calendar)
{
    struct sst_policy policy = policy_of(&setups[0]); /* hobday, 11 days, the whole year, 2001 to 2003 */
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
    tcase_add_loop_test(tc, groups_give_the_bits_of_single_pools, 0, N_SETUPS);
    tcase_add_loop_test(tc, pools_are_prepared_before_they_are_finished, 0, N_GROUP_SIZES);
    tcase_add_test(tc, counts_are_those_of_the_calendar);
    suite_add_tcase(suite, tc);
    return suite;
}
