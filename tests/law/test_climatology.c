/*
 * The whole engine, from a file to finished slots, against pools gathered by plain date arithmetic: every leap rule, with
 * gaps, with and without the years beside the baseline, windows of 3, 11 and 59 days, smoothing, parts of the year.
 * ctest-labels: threads
 */
#include <math.h>
#include <stdlib.h>

#include "core/flags.h"
#include "plain_climatology.h"
#include "stream/serve.h"
#include "test_main.h"

static void run_engine(const struct plain_setup *setup, const char *path, struct plain_values *out)
{
    plain_run_engine(setup, 0, path, out);
}

/* --- comparison ------------------------------------------------------------------------------------------------- */

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Cell-days in which the two differ; bits must be equal. */
static int count_differences(const struct plain_setup *setup, const struct plain_values *got,
                             const struct plain_values *want)
{
    int n = 0;
    for (int slot = 1; slot <= 366; ++slot) {
        if (!got->is_there[slot])
            continue;
        for (int cell = 0; cell < PLAIN_N_CELLS; ++cell)
            n += !same(got->mean[slot][cell], want->mean[slot][cell]) ||
                 !same(got->q[0][slot][cell], want->q[0][slot][cell]) ||
                 !same(got->q[1][slot][cell], want->q[1][slot][cell]) ||
                 got->n_obs[slot][cell] != want->n_obs[slot][cell];
        for (int i = 0; i < PLAIN_N_PROBES && setup->approx != SST_APPROX_NONE; ++i)
            n += !same(got->probe[0][slot][plain_probes[i]], want->probe[0][slot][plain_probes[i]]) ||
                 !same(got->probe[1][slot][plain_probes[i]], want->probe[1][slot][plain_probes[i]]);
    }
    return n;
}

static const struct plain_setup setups[] = {
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, false, 0, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 20, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 1, 1, 2001, 2004, true, 15, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 29, 1, 2000, 2003, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 29, 5, 2000, 2002, false, 10, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_HOBDAY, 5, 1, 2004, 2004, true, 5, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 0, 1, 2000, 2004, true, 5, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_SKIP, 29, 31, 2001, 2004, false, 0, 1, 366, SST_APPROX_NONE},
    {SST_LEAP_OWN, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_CF},
    {SST_LEAP_OWN, 5, 31, 2000, 2004, true, 50, 1, 366, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 0, 153, 244, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 3, 336, 60, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 3, 60, 60, SST_APPROX_NONE},
    {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 3, 50, 60, SST_APPROX_CF},
    {SST_LEAP_OWN, 5, 1, 2000, 2004, true, 3, 60, 49, SST_APPROX_CF},
    {SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_MAXENT},
    {SST_LEAP_SKIP, 5, 31, 2000, 2004, false, 20, 1, 366, SST_APPROX_MAXENT},
};

START_TEST(the_engine_gives_what_plain_date_arithmetic_gives)
{
    const struct plain_setup *setup = &setups[_i];
    struct plain_archive *archive = plain_archive_make(setup, (uint64_t)_i + 1);
    struct plain_values *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine(setup, plain_archive_write(archive), got);
    plain_answer(setup, archive, want);
    int n_there = 0;
    for (int slot = 1; slot <= 366; ++slot)
        n_there += got->is_there[slot];
    ck_assert_int_eq(n_there, (setup->last_slot - setup->first_slot + 366) % 366 + 1);
    ck_assert_int_eq(count_differences(setup, got, want), 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

/* Files read by processes, which are launched before the engine has threads: the first test of the suite. */
START_TEST(readers_give_the_engine_the_same_fields)
{
    const struct plain_setup *setup = &setups[2];
    struct sst_reader_crew crew = {.n_readers = 3, .task_seconds = 60.0};
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_crew_launch(&sst_serve, &crew.crew, &err) == SST_OK, "%s", err.text);
    struct plain_archive *archive = plain_archive_make(setup, 11);
    struct plain_values *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    got->crew = &crew;
    run_engine(setup, plain_archive_write(archive), got);
    plain_answer(setup, archive, want);
    ck_assert_int_eq(count_differences(setup, got, want), 0);
    sst_crew_destroy(&crew.crew);
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(a_planted_fault_is_seen)
{
    const struct plain_setup *setup = &setups[0];
    struct plain_archive *archive = plain_archive_make(setup, 1);
    struct plain_values *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    run_engine(setup, plain_archive_write(archive), got);
    const struct plain_setup narrower = {SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_NONE};
    plain_answer(&narrower, archive, want); /* another leap rule: only a few slots differ */
    ck_assert_int_gt(count_differences(setup, got, want), 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(flags_say_what_the_pool_tells)
{
    struct plain_setup setup = setups[0];
    setup.gaps_percent = 50;
    struct plain_archive *archive = plain_archive_make(&setup, 3);
    struct plain_values *got = calloc(1, sizeof *got);
    run_engine(&setup, plain_archive_write(archive), got);
    for (int slot = 1; slot <= 366; ++slot) {
        ck_assert_uint_eq(got->flags[slot][5],
                          (unsigned)SST_FLAG_MISSING | (slot == 60 ? SST_FLAG_DERIVED_LEAP_DAY : 0));
        ck_assert(got->flags[slot][0] & SST_FLAG_FEW_SAMPLES);
        ck_assert_uint_eq((got->flags[slot][0] & SST_FLAG_DERIVED_LEAP_DAY) != 0, slot == 60);
        ck_assert_int_eq(got->flags[slot][0] & SST_FLAG_ICE_OR_NO_VARIANCE, 0);
    }
    ck_assert_int_eq(got->n_obs[60][0], 0);
    ck_assert(!isnan(got->q[0][60][0]));
    free(got);
    free(archive);
}
END_TEST

static const struct {
    struct plain_setup setup;
    int k; /* 0 = the default */
    bool all_certified;
} tail_setups[] = {
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 0, 1, 366, SST_APPROX_TAIL}, 0, false},
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 20, 1, 366, SST_APPROX_TAIL}, 5, true},
    {{SST_LEAP_HOBDAY, 5, 31, 2000, 2004, true, 20, 1, 366, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_HOBDAY, 29, 1, 2000, 2003, true, 10, 1, 366, SST_APPROX_TAIL}, 1, false},
    {{SST_LEAP_HOBDAY, 29, 1, 2000, 2003, false, 10, 1, 366, SST_APPROX_TAIL}, 64, true},
    {{SST_LEAP_SKIP, 5, 1, 2000, 2004, true, 10, 1, 366, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_OWN, 5, 31, 2000, 2004, true, 50, 1, 366, SST_APPROX_TAIL}, 3, false},
    {{SST_LEAP_OWN, 0, 5, 2000, 2004, true, 30, 300, 61, SST_APPROX_TAIL}, 2, false},
    {{SST_LEAP_HOBDAY, 5, 1, 2000, 2004, true, 60, 60, 60, SST_APPROX_TAIL}, 1, false},
};

enum { N_TAIL_SETUPS = sizeof tail_setups / sizeof tail_setups[0] };

struct tail_tally {
    int n_certified, n_uncertified, n_wrong;
};

/* A cell-day of the tail estimator against the exact answer: equal where certified, bounded where not. */
static void tally_tail(const struct plain_values *got, const struct plain_values *want, int slot, int cell,
                       struct tail_tally *tally)
{
    const bool is_uncertified = got->flags[slot][cell] & SST_FLAG_UNCERTIFIED;
    tally->n_uncertified += is_uncertified;
    tally->n_certified += !is_uncertified;
    tally->n_wrong +=
        !same(got->mean[slot][cell], want->mean[slot][cell]) || got->n_obs[slot][cell] != want->n_obs[slot][cell];
    for (int q = 0; q < 2; ++q) {
        const double value = got->q[q][slot][cell], exact = want->q[q][slot][cell];
        const double lower = got->lower[q][slot][cell], upper = got->upper[q][slot][cell];
        if (is_uncertified) /* a bound that is missing says nothing */
            tally->n_wrong += lower > exact || upper < exact || !same(value, q == 0 ? lower : upper);
        else
            tally->n_wrong += !same(value, exact) || !same(lower, value) || !same(upper, value);
    }
}

static struct tail_tally tally_all(const struct plain_values *got, const struct plain_values *want)
{
    struct tail_tally tally = {0};
    for (int slot = 1; slot <= 366; ++slot)
        for (int cell = 0; got->is_there[slot] && cell < PLAIN_N_CELLS; ++cell)
            tally_tail(got, want, slot, cell, &tally);
    return tally;
}

START_TEST(tail_is_exact_where_certified_and_bounded_where_not)
{
    const struct plain_setup *setup = &tail_setups[_i].setup;
    struct plain_archive *archive = plain_archive_make(setup, (uint64_t)_i + 100);
    struct plain_values *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    plain_run_engine(setup, tail_setups[_i].k, plain_archive_write(archive), got);
    plain_answer(setup, archive, want);
    const struct tail_tally tally = tally_all(got, want);
    ck_assert_int_eq(tally.n_wrong, 0);
    ck_assert_int_gt(tally.n_certified, 0);
    if (tail_setups[_i].all_certified)
        ck_assert_int_eq(tally.n_uncertified, 0);
    for (int slot = 1; slot <= 366; ++slot) /* the probes' path is the exact one */
        for (int i = 0; i < PLAIN_N_PROBES && got->is_there[slot]; ++i)
            ck_assert(same(got->probe[0][slot][plain_probes[i]], want->probe[0][slot][plain_probes[i]]));
    free(got);
    free(want);
    free(archive);
}
END_TEST

START_TEST(short_lists_leave_values_uncertified_and_that_is_seen)
{
    const struct plain_setup *setup = &tail_setups[2].setup;
    struct plain_archive *archive = plain_archive_make(setup, 7);
    struct plain_values *got = calloc(1, sizeof *got), *want = calloc(1, sizeof *want);
    plain_run_engine(setup, 2, plain_archive_write(archive), got);
    plain_answer(setup, archive, want);
    ck_assert_int_gt(tally_all(got, want).n_uncertified, 0);
    for (int slot = 1; slot <= 366; ++slot) /* as if every certificate were given */
        for (int cell = 0; cell < PLAIN_N_CELLS; ++cell)
            got->flags[slot][cell] &= ~(unsigned)SST_FLAG_UNCERTIFIED;
    ck_assert_int_gt(tally_all(got, want).n_wrong, 0);
    free(got);
    free(want);
    free(archive);
}
END_TEST

/*
 * Nothing varies in the pool of 28 February, but it does in that of 1 March, where two days without values make the one that
 * differs count enough to lift the high percentile above the mean: what 29 February says must not depend on the
 * part.
 */
START_TEST(a_part_of_the_year_has_the_flags_of_the_whole)
{
    enum { CELL = 7, FIRST_CALM = 45, LAST_CALM = 65, FIRST_GAP = 57, LAST_GAP = 58 };
    struct plain_setup setup = setups[0];
    struct plain_archive *archive = plain_archive_make(&setup, 4);
    for (int year = setup.y0 - 1; year <= setup.y1 + 1; ++year)
        for (int slot = FIRST_CALM; slot <= LAST_CALM + 1; ++slot) {
            const bool is_gap = slot >= FIRST_GAP && slot <= LAST_GAP;
            const int16_t code = is_gap ? SST_CODE_MISSING : slot <= LAST_CALM ? 1000 : 3000;
            if (plain_has_day(year, slot))
                archive->code[plain_serial_of(year, slot) - archive->first_serial][CELL] = code;
        }
    const char *path = plain_archive_write(archive);
    struct plain_values *whole = calloc(1, sizeof *whole), *part = calloc(1, sizeof *part);
    run_engine(&setup, path, whole);
    setup.first_slot = setup.last_slot = 60;
    run_engine(&setup, path, part);
    ck_assert_uint_eq(whole->flags[59][CELL], SST_FLAG_ICE_OR_NO_VARIANCE);
    for (int q = 0; q < 2; ++q)
        ck_assert_double_gt(fabs(whole->q[q][60][CELL] - whole->mean[60][CELL]), SST_NO_VARIANCE_DEGC);
    ck_assert_uint_eq(whole->flags[60][CELL], SST_FLAG_DERIVED_LEAP_DAY);
    for (int cell = 0; cell < PLAIN_N_CELLS; ++cell)
        ck_assert_uint_eq(part->flags[60][cell], whole->flags[60][cell]);
    free(whole);
    free(part);
    free(archive);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("climatology");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, readers_give_the_engine_the_same_fields);
    tcase_add_loop_test(tc, the_engine_gives_what_plain_date_arithmetic_gives, 0,
                        (int)(sizeof setups / sizeof setups[0]));
    tcase_add_test(tc, a_planted_fault_is_seen);
    tcase_add_test(tc, flags_say_what_the_pool_tells);
    tcase_add_loop_test(tc, tail_is_exact_where_certified_and_bounded_where_not, 0, N_TAIL_SETUPS);
    tcase_add_test(tc, short_lists_leave_values_uncertified_and_that_is_seen);
    tcase_add_test(tc, a_part_of_the_year_has_the_flags_of_the_whole);
    suite_add_tcase(suite, tc);
    return suite;
}
