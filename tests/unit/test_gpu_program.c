/* Programs for pools, followed step by step: every pool gets its own bins or planes, each percentile once. */
#include <stdlib.h>
#include <string.h>

#include "backend/gpu_program.h"
#include "core/calendar.h"
#include "exact/tail.h"
#include "random.h"
#include "test_main.h"

enum {
    N_BINS = (SST_N_SLOTS + 1) * SST_N_CLASSES,
    MAX_POOLS = 400,
    MAX_PLANES = 40 * N_BINS,
    MAX_POOL_PLANES = 40 * SST_MAX_TERMS,
    MAX_RING = 24
};

static const struct {
    enum sst_calendar_kind kind;
    enum sst_leap_rule leap;
    int half, n_pools, first_centre; /* 0: by chance */
} cases[] = {
    {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 5, 365, 1}, {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 5, 365, 300},
    {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 5, 365, 1},   {SST_CALENDAR_STANDARD, SST_LEAP_OWN, 5, 366, 1},
    {SST_CALENDAR_360_DAY, SST_LEAP_HOBDAY, 5, 360, 1},  {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 29, 365, 200},
    {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 5, 0, 0},   {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 2, 0, 0},
    {SST_CALENDAR_STANDARD, SST_LEAP_OWN, 7, 0, 0},      {SST_CALENDAR_NOLEAP, SST_LEAP_OWN, 0, 0, 0},
    {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 5, 12, 50}, {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 5, 8, 100},
};
enum { N_CASES = sizeof cases / sizeof cases[0], WHOLE_YEARS = 5 };

static struct {
    struct sst_pool_rule rule;
    struct sst_gpu_pool pools[MAX_POOLS];
    size_t bins[MAX_POOLS][SST_MAX_TERMS];
    size_t n_pools, n_most_bins;
    struct sst_gpu_planes planes[N_BINS];
    uint32_t plane_list[MAX_PLANES];
} group;

/* A bin of a term; terms that follow one another do not have bins that do. */
static size_t bin_of(struct sst_term term)
{
    return ((size_t)term.slot * SST_N_CLASSES + (size_t)term.year_class) * 641 % N_BINS;
}

/* Each term has the planes of its days; with gaps, some days and some whole terms are missing. */
static void make_planes(struct test_random *random, bool has_gaps)
{
    uint32_t n_planes = 0;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
            int n = sst_pool_term_days(&group.rule, term);
            if (has_gaps && n > 0)
                n -= test_random_below(random, 20) == 0 ? n : test_random_below(random, 2);
            group.planes[bin_of(term)] = (struct sst_gpu_planes){group.plane_list + n_planes, (size_t)n};
            for (int day = 0; day < n; ++day, ++n_planes)
                group.plane_list[n_planes] = (n_planes * 7919U) % 1000003U;
        }
}

/* What the calendar does not do: pools that come twice or not at all, or lack a bin. */
enum trouble { NO_TROUBLE, GAPS, GAPS_AND_JUMPS, N_TROUBLES };

static int jump(struct test_random *random, enum trouble trouble)
{
    return trouble == GAPS_AND_JUMPS && test_random_below(random, 25) == 0 ? 2 * test_random_below(random, 2) : 1;
}

static void make_group(int number, enum trouble trouble)
{
    struct test_random random = {(uint64_t)number + 11};
    group.rule = (struct sst_pool_rule){cases[number].kind, cases[number].leap, 1991, 2020, cases[number].half};
    group.n_pools = group.n_most_bins = 0;
    make_planes(&random, trouble != NO_TROUBLE);
    const int n_slots = sst_calendar_n_slots(cases[number].kind);
    const size_t n_pools =
        (size_t)(cases[number].n_pools ? cases[number].n_pools : 20 + test_random_below(&random, 90));
    int centre = cases[number].first_centre ? cases[number].first_centre : 1 + test_random_below(&random, n_slots);
    for (; group.n_pools < n_pools; centre = (centre - 1 + jump(&random, trouble)) % n_slots + 1) {
        struct sst_term terms[SST_MAX_TERMS];
        int n_terms = sst_pool_terms(&group.rule, centre, terms);
        if (n_terms == 0)
            continue;
        n_terms -= trouble == GAPS_AND_JUMPS && test_random_below(&random, 25) == 0;
        size_t *bins = group.bins[group.n_pools];
        for (int t = 0; t < n_terms; ++t)
            bins[t] = bin_of(terms[t]);
        group.pools[group.n_pools++] = (struct sst_gpu_pool){bins, (size_t)n_terms, test_random_below(&random, 9)};
        group.n_most_bins = (size_t)n_terms > group.n_most_bins ? (size_t)n_terms : group.n_most_bins;
    }
}

/* --- windows ------------------------------------------------------------------------------------------------------ */

/* What a device has in its window and remembers of it. */
struct window {
    bool is_in[N_BINS];
    int32_t place_of[N_BINS];
    bool is_taken[MAX_RING];
    uint32_t n_ring, n_taken;
    size_t n_bins, n_finished;
};

static bool is_in_pool(size_t pool, size_t bin)
{
    for (size_t j = 0; j < group.pools[pool].n_bins; ++j)
        if (group.pools[pool].bins[j] == bin)
            return true;
    return false;
}

static bool will_leave(size_t pool, size_t bin)
{
    while (pool < group.n_pools && is_in_pool(pool, bin))
        ++pool;
    return pool < group.n_pools;
}

static void follow_enter(struct window *window, struct gpu_window_step step)
{
    ck_assert(!window->is_in[step.bin]);
    window->is_in[step.bin] = true;
    window->place_of[step.bin] = step.ring;
    ++window->n_bins;
    if (step.ring < 0) {
        ck_assert(!will_leave(window->n_finished, (size_t)step.bin) || window->n_taken == window->n_ring);
        return;
    }
    ck_assert(will_leave(window->n_finished, (size_t)step.bin));
    ck_assert_int_lt(step.ring, (int)window->n_ring);
    ck_assert(!window->is_taken[step.ring]);
    window->is_taken[step.ring] = true;
    ++window->n_taken;
}

static void follow_leave(struct window *window, struct gpu_window_step step)
{
    ck_assert(window->is_in[step.bin]);
    ck_assert_int_eq(window->place_of[step.bin], step.ring);
    window->is_in[step.bin] = false;
    --window->n_bins;
    if (step.ring >= 0) {
        window->is_taken[step.ring] = false;
        --window->n_taken;
    }
}

static void follow_finish(struct window *window, struct gpu_window_step step)
{
    const struct sst_gpu_pool *pool = &group.pools[window->n_finished];
    ck_assert_int_eq(step.result, (int)window->n_finished);
    ck_assert_int_eq(step.min_samples, pool->min_samples);
    ck_assert_uint_eq(window->n_bins, pool->n_bins);
    size_t n_in = 0; /* one assertion for all: each of them takes its time */
    for (size_t j = 0; j < pool->n_bins; ++j)
        n_in += window->is_in[pool->bins[j]];
    ck_assert_uint_eq(n_in, pool->n_bins);
    ++window->n_finished;
}

static void follow(uint32_t n_ring)
{
    const size_t most = sst_gpu_window_steps_most(group.n_pools, group.n_most_bins);
    struct gpu_window_step *steps = calloc(most, sizeof *steps);
    struct window *window = calloc(1, sizeof *window);
    size_t n_steps = 0;
    ck_assert(steps && window);
    window->n_ring = n_ring;
    ck_assert_int_eq(sst_gpu_window_program(group.pools, group.n_pools, n_ring, steps, &n_steps, NULL), SST_OK);
    ck_assert_uint_le(n_steps, most);
    for (size_t s = 0; s < n_steps; ++s) {
        if (steps[s].kind == GPU_WINDOW_ENTER)
            follow_enter(window, steps[s]);
        else if (steps[s].kind == GPU_WINDOW_LEAVE)
            follow_leave(window, steps[s]);
        else
            follow_finish(window, steps[s]);
    }
    ck_assert_uint_eq(window->n_finished, group.n_pools);
    free(window);
    free(steps);
}

START_TEST(a_window_has_each_pools_bins_and_shares_no_place)
{
    for (int trouble = 0; trouble < N_TROUBLES; trouble += GAPS_AND_JUMPS) {
        make_group(_i, (enum trouble)trouble);
        for (uint32_t n_ring = 0; n_ring <= MAX_RING; n_ring += 8)
            follow(n_ring);
    }
}
END_TEST

START_TEST(a_group_may_be_empty_or_of_any_pools)
{
    static size_t bins[6][3] = {{5, 9, 2}, {2, 9, 5}, {7, 0, 0}, {5, 0, 0}, {1, 2, 3}, {1, 2, 3}};
    static const size_t n_bins[6] = {3, 3, 1, 1, 0, 3};
    group.n_pools = 0;
    group.n_most_bins = 3;
    follow(4);
    for (; group.n_pools < 6; ++group.n_pools)
        group.pools[group.n_pools] = (struct sst_gpu_pool){bins[group.n_pools], n_bins[group.n_pools], 2};
    follow(1);
}
END_TEST

/* --- exact -------------------------------------------------------------------------------------------------------- */

/* Forms that are "built" here; scratch grows with the depth. */
static uint32_t built_members, built_depth;

static int form(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                size_t *scratch_bytes)
{
    ck_assert_uint_eq(n_window, (unsigned)(2 * group.rule.half_window_days + 1));
    *is_built = n_members <= built_members && depth <= built_depth;
    *scratch_bytes = (size_t)depth * n_cells;
    return 0;
}

static const double percentiles[] = {0.9, 0.95, 0.1, 0.5, 0.99};
enum { N_PERCENTILES = sizeof percentiles / sizeof percentiles[0], N_CELLS = 64 };

/* How often each pool has been given what, and by which form. */
static struct {
    int n_given[MAX_POOLS][N_PERCENTILES], n_sums[MAX_POOLS];
    size_t n_sorted_pools, n_sorted_runs; /* of the first percentile */
} covered;

static int compare_planes(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* The planes of a pool in ascending order; their number. */
static size_t planes_of_pool(size_t pool, uint32_t *out)
{
    size_t n = 0;
    for (size_t j = 0; j < group.pools[pool].n_bins; ++j) {
        const struct sst_gpu_planes *planes = &group.planes[group.pools[pool].bins[j]];
        memcpy(out + n, planes->list, planes->n * sizeof *out);
        n += planes->n;
    }
    qsort(out, n, sizeof *out, compare_planes);
    return n;
}

static void expect_planes(size_t pool, uint32_t *found, size_t n_found)
{
    static uint32_t expected[MAX_POOL_PLANES];
    ck_assert_uint_eq(planes_of_pool(pool, expected), n_found);
    qsort(found, n_found, sizeof *found, compare_planes);
    ck_assert_mem_eq(expected, found, n_found * sizeof *found);
}

static void follow_sorted(const struct sst_gpu_exact_program *program, const struct sst_gpu_exact_launch *launch)
{
    static uint32_t found[MAX_POOL_PLANES];
    const uint32_t n_window = 2 * (uint32_t)group.rule.half_window_days + 1;
    ck_assert_uint_ge(launch->n_pools, n_window);
    ck_assert_uint_eq(launch->n_days, launch->n_pools + n_window - 1);
    ck_assert_uint_le(launch->n_members, built_members);
    ck_assert_uint_le(launch->depth, built_depth);
    ck_assert_uint_eq(launch->scratch_bytes, (size_t)launch->depth * N_CELLS);
    for (uint32_t i = 0; i < launch->n_pools; ++i) {
        const uint32_t *members = program->members + launch->first_member + (size_t)i * launch->n_members;
        size_t n_found = 0;
        for (uint32_t m = 0; m < n_window * launch->n_members; ++m)
            if (members[m] != GPU_NO_BLOCK)
                found[n_found++] = members[m];
        expect_planes(launch->first_pool + i, found, n_found);
        ck_assert_int_eq(program->min_samples[launch->first_pool + i], group.pools[launch->first_pool + i].min_samples);
        for (int q = launch->first_percentile; q < launch->first_percentile + launch->n_percentiles; ++q) {
            int depth = 0;
            for (int n = 1; n <= (int)n_found; ++n) {
                const int needed = sst_tail_depth_needed(n, 100.0 * percentiles[q], 7);
                depth = needed > depth ? needed : depth;
            }
            ck_assert_int_le(depth, (int)launch->depth);
            ck_assert_int_eq(launch->from_below, percentiles[q] < 0.5);
        }
    }
    if (launch->first_percentile == 0) {
        covered.n_sorted_pools += launch->n_pools;
        ++covered.n_sorted_runs;
    }
}

static void follow_blocked(const struct sst_gpu_exact_program *program, const struct sst_gpu_exact_launch *launch)
{
    static uint32_t found[MAX_POOL_PLANES];
    for (size_t p = launch->first_pool; p < launch->first_pool + launch->n_pools; ++p) {
        const struct gpu_pool pool = program->pools[p];
        ck_assert_int_eq(pool.result, (int)p);
        ck_assert_int_eq(pool.min_samples, group.pools[p].min_samples);
        memcpy(found, program->members + pool.first, pool.n * sizeof *found);
        expect_planes(p, found, pool.n);
    }
}

static void follow_exact(struct sst_gpu_exact_program *program, size_t scratch_bytes)
{
    const struct sst_quantile_args args = {percentiles, N_PERCENTILES, 7, sst_lattice_of(SST_LATTICE_CENTI), 0};
    const struct sst_gpu_exact_ask ask = {.planes = group.planes,
                                          .args = &args,
                                          .n_window = 2 * (uint32_t)group.rule.half_window_days + 1,
                                          .sorted_form = built_members > 0 ? form : NULL,
                                          .n_cells = N_CELLS,
                                          .scratch_bytes = scratch_bytes};
    memset(&covered, 0, sizeof covered);
    ck_assert_int_eq(sst_gpu_exact_program_make(program, group.pools, group.n_pools, &ask, NULL), SST_OK);
    for (size_t l = 0; l < program->n_launches; ++l) {
        const struct sst_gpu_exact_launch *launch = &program->launches[l];
        (launch->is_sorted ? follow_sorted : follow_blocked)(program, launch);
        for (size_t p = launch->first_pool; p < launch->first_pool + launch->n_pools; ++p) {
            covered.n_sums[p] += launch->has_sums;
            for (int q = launch->first_percentile; q < launch->first_percentile + launch->n_percentiles; ++q)
                ++covered.n_given[p][q];
        }
    }
    for (size_t p = 0; p < group.n_pools; ++p) {
        int n_once = covered.n_sums[p] == 1;
        for (int q = 0; q < N_PERCENTILES; ++q)
            n_once += covered.n_given[p][q] == 1;
        ck_assert_int_eq(n_once, 1 + N_PERCENTILES);
    }
}

START_TEST(each_percentile_of_each_pool_is_given_once_from_its_planes)
{
    static const uint32_t members[] = {30, 29, 60, 15, 0}, depths[] = {34, 180, 20, 400, 400};
    struct sst_gpu_exact_program program = {0};
    for (int trouble = 0; trouble < N_TROUBLES; ++trouble) {
        make_group(_i, (enum trouble)trouble);
        for (int b = 0; b < 5; ++b) {
            built_members = members[b];
            built_depth = depths[b];
            follow_exact(&program, 1000000);
        }
    }
    sst_gpu_exact_program_clear(&program);
}
END_TEST

START_TEST(whole_years_are_few_runs)
{
    /* Near 29 February windows of leap years go on by two days at once; at the year's end the years change. */
    static const size_t n_runs[WHOLE_YEARS] = {2, 3, 1, 1, 1}, n_pools[WHOLE_YEARS] = {365, 365, 365, 366, 360};
    struct sst_gpu_exact_program program = {0};
    make_group(_i, NO_TROUBLE);
    built_members = 30;
    built_depth = 34;
    follow_exact(&program, 1000000);
    ck_assert_uint_eq(covered.n_sorted_runs, n_runs[_i]);
    ck_assert_uint_ge(covered.n_sorted_pools, n_pools[_i]);
    sst_gpu_exact_program_clear(&program);
}
END_TEST

START_TEST(a_form_without_room_for_its_scratch_is_not_used)
{
    struct sst_gpu_exact_program program = {0};
    make_group(2, NO_TROUBLE);
    built_members = 30;
    built_depth = 34;
    follow_exact(&program, 33 * N_CELLS); /* 34 for the first percentile, fewer for others */
    ck_assert_uint_eq(covered.n_sorted_runs, 0);
    ck_assert_uint_gt(program.n_launches, 1);
    sst_gpu_exact_program_clear(&program);
}
END_TEST

START_TEST(depths_are_those_of_the_definition)
{
    ck_assert_uint_eq(sst_gpu_depth_needed(0.9, 7, 330), 34);
    ck_assert_uint_eq(sst_gpu_depth_needed(0.1, 7, 330), 34);
    ck_assert_uint_eq(sst_gpu_depth_needed(1.0, 7, 330), 1);
    ck_assert_uint_eq(sst_gpu_depth_needed(0.0, 7, 330), 1);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_program");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, a_window_has_each_pools_bins_and_shares_no_place, 0, N_CASES);
    tcase_add_test(tc, a_group_may_be_empty_or_of_any_pools);
    tcase_add_loop_test(tc, each_percentile_of_each_pool_is_given_once_from_its_planes, 0, N_CASES);
    tcase_add_loop_test(tc, whole_years_are_few_runs, 0, WHOLE_YEARS);
    tcase_add_test(tc, a_form_without_room_for_its_scratch_is_not_used);
    tcase_add_test(tc, depths_are_those_of_the_definition);
    suite_add_tcase(suite, tc);
    return suite;
}
