/*
 * The launchers of the exact store, on an emulated device, give the bits of the CPU backend: fields are kept in places, and
 * means, counts and percentiles of pools come out of the naive, the blocked and the sorted form.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "crash_scale.h"
#include "kernels/cell_exact.h"
#include "kernels/gpu_launch.h"
#include "random.h"
#include "test_main.h"

enum {
    N_DOMAIN = 152, /* cells; rows of fields are longer */
    STRIDE = 256,
    N_CELLS = 136, /* places: not a multiple of a block's 32 */
    PITCH = 256,
    MOST_DAYS = 48,
    MOST_MEMBERS = 40,
    N_NO_BLOCK = 5, /* a block of places that is not given yet */
    POISON = 0x5A
};

/* A run of pools: days x years of members, windows of some days. */
struct pools_case {
    size_t n_years, n_window, n_pools;
    bool has_holes; /* some days lack a member */
    int type, min_samples;
    enum sst_lattice_kind lattice;
};

static const struct pools_case cases[] = {
    {1, 1, 3, false, 7, 1, SST_LATTICE_CENTI},     {1, 5, 4, false, 1, 2, SST_LATTICE_MILLI},
    {5, 5, 12, true, 2, 0, SST_LATTICE_CENTI},     {5, 11, 25, false, 3, 20, SST_LATTICE_MILLI},
    {30, 1, 3, false, 4, 1, SST_LATTICE_CENTI},    {30, 5, 12, true, 5, 40, SST_LATTICE_CENTI},
    {30, 11, 37, false, 7, 1, SST_LATTICE_CENTI},  {30, 11, 24, true, 6, 150, SST_LATTICE_MILLI},
    {30, 11, 13, true, 8, 1, SST_LATTICE_CENTI},   {40, 11, 24, false, 7, 1, SST_LATTICE_MILLI},
    {40, 11, 13, true, 9, 300, SST_LATTICE_CENTI}, {30, 31, 3, false, 7, 1, SST_LATTICE_CENTI},
    {40, 31, 12, true, 7, 500, SST_LATTICE_MILLI}, {30, 3, 8, true, 7, 1, SST_LATTICE_MILLI},
    {24, 7, 15, true, 7, 1, SST_LATTICE_CENTI}};
enum { N_CASES = sizeof cases / sizeof cases[0] };

/* With a sanitizer cases have fewer pools: their kinds are what it is about. */
static struct pools_case case_of(int i)
{
    enum { LEAST_POOLS = 13 };
    struct pools_case made = cases[i];
    if (crash_is_least() && made.n_pools > LEAST_POOLS)
        made.n_pools = LEAST_POOLS;
    return made;
}

struct world {
    const struct pools_case *of;
    size_t n_days;
    int16_t *fields, *planes; /* day by day, year by year */
    int16_t *expected; /* planes as the CPU has them */
    uint32_t block_at[N_CELLS / GPU_BLOCK_CELLS];
    uint32_t *members; /* by day and year; GPU_NO_BLOCK: a hole */
    struct sst_kept kept[MOST_DAYS];
};

/* What a form gives, or the CPU: by pool, PITCH apart. */
struct results {
    double *mean, *quantile[GPU_MAX_PERCENTILES];
    uint16_t *n_obs;
};

static void *make(size_t n, size_t size)
{
    void *memory = aligned_alloc(256, (n * size + 255) / 256 * 256);
    ck_assert_ptr_nonnull(memory);
    memset(memory, POISON, (n * size + 255) / 256 * 256);
    return memory;
}

/* Each cell has values of its own kind: none, a season with noise, gaps, ties, the ends of the range, few, one, any. */
static int16_t code_of(size_t cell, size_t day, struct test_random *random)
{
    const int season = (int)(1500.0 + 900.0 * sin((double)day / 20.0)), noise = test_random_below(random, 301) - 150;
    switch (cell % 8) {
    case 0:
        return SST_CODE_MISSING;
    case 2:
        return (int16_t)(test_random_below(random, 10) < 3 ? SST_CODE_MISSING : season + noise);
    case 3:
        return (int16_t)(season / 100 + test_random_below(random, 3));
    case 4:
        return (int16_t)(test_random_below(random, 2) ? INT16_MAX - test_random_below(random, 2)
                                                      : -INT16_MAX + test_random_below(random, 2));
    case 5:
        return (int16_t)(test_random_below(random, 10) < 9 ? SST_CODE_MISSING : noise);
    case 6:
        return (int16_t)(cell % 16 == 6 ? -INT16_MAX : INT16_MAX);
    case 7:
        return (int16_t)(test_random_below(random, 2 * INT16_MAX + 1) - INT16_MAX);
    default:
        return (int16_t)(season + noise + test_random_below(random, 200));
    }
}

static size_t n_fields_of(const struct world *world) { return world->n_days * world->of->n_years; }

static void make_fields(struct world *world)
{
    struct test_random random = {2026};
    const size_t n_fields = n_fields_of(world);
    world->fields = make(n_fields * STRIDE, sizeof *world->fields);
    world->expected = make(n_fields * PITCH, sizeof *world->expected);
    for (size_t i = 0; i < n_fields * STRIDE; ++i)
        world->fields[i] = i % STRIDE < N_DOMAIN ? code_of(i % STRIDE, i / STRIDE / world->of->n_years, &random)
                                                 : (int16_t)SST_CODE_MISSING;
    for (size_t place = 0; place < N_CELLS / GPU_BLOCK_CELLS; ++place)
        world->block_at[place] =
            place == N_NO_BLOCK ? GPU_NO_BLOCK : (uint32_t)(N_DOMAIN / GPU_BLOCK_CELLS - 1 - place);
    for (size_t i = 0; i < n_fields * PITCH; ++i) {
        const size_t place = i % PITCH, at = place / GPU_BLOCK_CELLS;
        const bool is_given = place < N_CELLS && at != N_NO_BLOCK;
        world->expected[i] =
            is_given
                ? world->fields[i / PITCH * STRIDE + world->block_at[at] * GPU_BLOCK_CELLS + place % GPU_BLOCK_CELLS]
                : (int16_t)SST_CODE_MISSING;
    }
}

static void make_members(struct world *world)
{
    const size_t n_fields = n_fields_of(world);
    world->members = make(n_fields, sizeof *world->members);
    for (size_t i = 0; i < n_fields; ++i)
        world->members[i] = world->of->has_holes && i % 37 == 5 ? GPU_NO_BLOCK : (uint32_t)(n_fields - 1 - i);
}

static void add_member(const struct sst_kept *kept, size_t member, const int16_t *plane)
{
    for (size_t cell = 0; cell < sst_kept_tiles(N_CELLS) * SST_KEPT_LANES; ++cell) {
        struct sst_kept_sums sums;
        const size_t tile = cell / SST_KEPT_LANES, lane = cell % SST_KEPT_LANES;
        memcpy(&sums, sst_kept_head(kept, tile), sizeof sums);
        sst_kept_members(kept, tile)[member][lane] = plane[cell];
        sums.sum[lane] += plane[cell] == SST_CODE_MISSING ? 0 : plane[cell];
        sums.n_valid[lane] = (int16_t)(sums.n_valid[lane] + (plane[cell] != SST_CODE_MISSING));
        memcpy(sst_kept_head(kept, tile), &sums, sizeof sums);
    }
}

static void make_kept(struct world *world)
{
    const size_t n_years = world->of->n_years, tile_rows = SST_KEPT_HEAD_ROWS + n_years;
    for (size_t day = 0; day < world->n_days; ++day) {
        struct sst_kept *kept = &world->kept[day];
        const size_t n_codes = sst_kept_tiles(N_CELLS) * tile_rows * SST_KEPT_LANES;
        int16_t *rows = make(n_codes, sizeof *rows);
        memset(rows, 0, n_codes * sizeof *rows);
        *kept = (struct sst_kept){(int16_t(*)[SST_KEPT_LANES])rows, tile_rows, 0};
        for (size_t year = 0; year < n_years; ++year) {
            const uint32_t plane = world->members[day * n_years + year];
            if (plane != GPU_NO_BLOCK)
                add_member(kept, kept->n_members++, world->expected + (size_t)plane * PITCH);
        }
    }
}

static struct gpu_places places_of(const struct world *world)
{
    return (struct gpu_places){world->block_at, N_CELLS, PITCH};
}

/* Every field to its plane, in some order. */
static void keep(struct world *world)
{
    const uint32_t n_fields = (uint32_t)n_fields_of(world);
    struct gpu_keep_task *tasks = make(n_fields, sizeof *tasks);
    world->planes = make((size_t)n_fields * PITCH, sizeof *world->planes);
    ck_assert_int_eq(gpu_launch_fill_missing(world->planes, (size_t)n_fields * PITCH, NULL), 0);
    for (uint32_t i = 0; i < n_fields; ++i)
        tasks[i] = (struct gpu_keep_task){n_fields - 1 - i, n_fields - 1 - i};
    const struct gpu_keep args = {places_of(world), world->planes, {world->fields, STRIDE}, tasks, n_fields};
    ck_assert_int_eq(gpu_launch_keep(&args, NULL), 0);
    free(tasks);
}

static void open_world(struct world *world, const struct pools_case *of)
{
    *world = (struct world){.of = of, .n_days = of->n_pools + of->n_window - 1};
    ck_assert(world->n_days <= MOST_DAYS && of->n_years <= MOST_MEMBERS);
    make_fields(world);
    make_members(world);
    make_kept(world);
    keep(world);
}

static void close_world(struct world *world)
{
    free(world->fields);
    free(world->planes);
    free(world->expected);
    free(world->members);
    for (size_t day = 0; day < world->n_days; ++day)
        free(world->kept[day].rows);
}

static struct results open_results(size_t n_pools, size_t n_percentiles)
{
    struct results results = {make(n_pools * PITCH, sizeof(double)), {NULL}, make(n_pools * PITCH, sizeof(uint16_t))};
    for (size_t q = 0; q < n_percentiles; ++q)
        results.quantile[q] = make(n_pools * PITCH, sizeof(double));
    return results;
}

static void close_results(struct results *results)
{
    free(results->mean);
    free(results->n_obs);
    for (size_t q = 0; q < GPU_MAX_PERCENTILES; ++q)
        free(results->quantile[q]);
}

static struct results cpu_results(const struct world *world, const double *p, size_t n_percentiles)
{
    struct results results = open_results(world->of->n_pools, n_percentiles);
    const struct sst_quantile_args args = {p, n_percentiles, world->of->type, sst_lattice_of(world->of->lattice),
                                           world->of->min_samples};
    for (size_t pool = 0; pool < world->of->n_pools; ++pool) {
        double *quantile[GPU_MAX_PERCENTILES];
        for (size_t q = 0; q < n_percentiles; ++q)
            quantile[q] = results.quantile[q] + pool * PITCH;
        const struct sst_finish_out out = {
            .mean = results.mean + pool * PITCH, .quantile = quantile, .n_obs = results.n_obs + pool * PITCH};
        ck_assert_int_eq(
            sst_backend_cpu()->exact_finish(world->kept + pool, world->of->n_window, &args, &out, N_CELLS, NULL),
            SST_OK);
    }
    return results;
}

/* Places behind the cells, of one pool. */
static void expect_untouched(const void *behind, size_t size, const char *form)
{
    const unsigned char *at = behind;
    for (size_t i = 0; i < (PITCH - N_CELLS) * size; ++i)
        if (at[i] != POISON) /* each assertion is recorded, and these are many */
            ck_abort_msg("%s: writes behind the cells", form);
}

static void expect_same(const struct world *world, const struct results *a, const struct results *b,
                        size_t n_percentiles, const char *form)
{
    for (size_t pool = 0; pool < world->of->n_pools; ++pool) {
        const size_t at = pool * PITCH;
        ck_assert_msg(memcmp(a->n_obs + at, b->n_obs + at, N_CELLS * sizeof *a->n_obs) == 0, "%s: n_obs of pool %zu",
                      form, pool);
        ck_assert_msg(memcmp(a->mean + at, b->mean + at, N_CELLS * sizeof *a->mean) == 0, "%s: mean of pool %zu", form,
                      pool);
        for (size_t q = 0; q < n_percentiles; ++q) {
            expect_untouched(b->quantile[q] + at + N_CELLS, sizeof(double), form);
            for (size_t cell = 0; cell < N_CELLS; ++cell)
                if (memcmp(a->quantile[q] + at + cell, b->quantile[q] + at + cell, sizeof(double)) != 0)
                    ck_abort_msg("%s: percentile %zu of pool %zu in cell %zu: %.17g, not %.17g", form, q, pool, cell,
                                 b->quantile[q][at + cell], a->quantile[q][at + cell]);
        }
        expect_untouched(b->n_obs + at + N_CELLS, sizeof *b->n_obs, form);
        expect_untouched(b->mean + at + N_CELLS, sizeof *b->mean, form);
    }
}

static struct gpu_lattice lattice_of(const struct world *world)
{
    const struct sst_lattice lattice = sst_lattice_of(world->of->lattice);
    return (struct gpu_lattice){lattice.steps_per_degree, lattice.reference_steps};
}

static struct gpu_ranks make_ranks(const struct world *world, const double *p, size_t n_percentiles)
{
    const uint32_t n_most = (uint32_t)(world->of->n_years * world->of->n_window);
    struct cell_rank *ranks = make(n_percentiles * (n_most + 1), sizeof *ranks);
    for (size_t q = 0; q < n_percentiles; ++q)
        for (uint32_t n = 1; n <= n_most; ++n)
            ranks[q * (n_most + 1) + n] = cell_rank_of((int32_t)n, p[q], world->of->type);
    return (struct gpu_ranks){ranks, n_most, (int32_t)n_percentiles};
}

static struct gpu_results device_results(const struct results *results)
{
    struct gpu_results out = {.mean = results->mean, .n_obs = results->n_obs};
    memcpy(out.quantile, results->quantile, sizeof out.quantile);
    return out;
}

static void free_ranks(struct gpu_ranks ranks) { free((void *)(uintptr_t)ranks.ranks); }

/* --- the blocked and the naive form -------------------------------------------------------------------------------- */

/* How pools lie in the list of members: one list of days that they share; a list each; the same in pools' own order. */
enum list_kind { LIST_SHARED, LIST_OWN, LIST_TURNED, N_LIST_KINDS };

static uint32_t put_members(const struct world *world, size_t first_day, size_t n_days, bool turned, uint32_t *to)
{
    const uint32_t *from = world->members + first_day * world->of->n_years;
    const size_t n_all = n_days * world->of->n_years;
    uint32_t n = 0;
    for (size_t i = 0; i < n_all; ++i) {
        const uint32_t plane = from[turned ? n_all - 1 - i : i];
        if (plane != GPU_NO_BLOCK)
            to[n++] = plane;
    }
    return n;
}

static void make_pools(const struct world *world, enum list_kind kind, struct gpu_pool *pools, uint32_t *list)
{
    const size_t n_window = world->of->n_window;
    uint32_t end = 0;
    for (size_t pool = 0; pool < world->of->n_pools; ++pool) {
        const uint32_t first = kind == LIST_SHARED ? put_members(world, 0, pool, false, list) : end;
        const uint32_t n = put_members(world, pool, n_window, kind == LIST_TURNED && pool % 4 == 3, list + first);
        pools[pool] = (struct gpu_pool){first, n, world->of->min_samples, (int32_t)pool};
        end = first + n;
    }
}

static void check_exact(const struct world *world, const struct results *expected, const double *p,
                        size_t n_percentiles, enum list_kind kind)
{
    const size_t n_pools = world->of->n_pools, n_all = n_pools * world->of->n_window * world->of->n_years;
    struct gpu_pool *pools = make(n_pools, sizeof *pools);
    uint32_t *list = make(n_all + n_fields_of(world), sizeof *list);
    struct results blocked = open_results(n_pools, n_percentiles), naive = open_results(n_pools, n_percentiles);
    make_pools(world, kind, pools, list);
    struct gpu_exact args = {places_of(world),
                             world->planes,
                             list,
                             pools,
                             (uint32_t)n_pools,
                             lattice_of(world),
                             make_ranks(world, p, n_percentiles),
                             device_results(&blocked)};
    ck_assert_int_eq(gpu_launch_exact_blocked(&args, NULL), 0);
    expect_same(world, expected, &blocked, n_percentiles, "blocked");
    args.results = device_results(&naive);
    if (args.ranks.n_most <= 512) {
        ck_assert_int_eq(gpu_launch_exact_naive(&args, NULL), 0);
        expect_same(world, expected, &naive, n_percentiles, "naive");
    } else {
        ck_assert_int_ne(gpu_launch_exact_naive(&args, NULL), 0);
    }
    free_ranks(args.ranks);
    free(pools);
    free(list);
    close_results(&blocked);
    close_results(&naive);
}

START_TEST(pools_of_any_percentiles_are_those_of_the_cpu)
{
    static const double p[] = {0.9, 0.5, 0.1, 0.95, 0.99, 0.0, 1.0};
    enum { N = sizeof p / sizeof p[0] };
    struct world world;
    const struct pools_case of = case_of(_i);
    open_world(&world, &of);
    ck_assert_mem_eq(world.planes, world.expected, n_fields_of(&world) * PITCH * sizeof *world.planes);
    struct results expected = cpu_results(&world, p, N);
    for (int kind = 0; kind < N_LIST_KINDS; ++kind)
        check_exact(&world, &expected, p, N, (enum list_kind)kind);
    close_results(&expected);
    close_world(&world);
}
END_TEST

/* --- the sorted form ----------------------------------------------------------------------------------------------- */

/* The deepest place from the end that any number of values asks for, counted from 1. */
static uint32_t depth_of(struct gpu_ranks ranks, bool from_below)
{
    int32_t depth = 1;
    for (int32_t q = 0; q < ranks.n_percentiles; ++q)
        for (int32_t n = 1; n <= (int32_t)ranks.n_most; ++n) {
            const int32_t k = ranks.ranks[(size_t)q * (ranks.n_most + 1) + (size_t)n].k;
            const int32_t deep = !from_below ? n - k : k + 1 < n ? k + 2 : n;
            depth = deep > depth ? deep : depth;
        }
    return (uint32_t)depth;
}

/* Pools from the second on, whose results come behind those of others: those of the first are not touched. */
static void check_sorted_part(const struct world *world, const struct results *expected, struct gpu_sorted args)
{
    const size_t n_pools = world->of->n_pools, n_percentiles = (size_t)args.ranks.n_percentiles;
    struct results part = open_results(n_pools, n_percentiles), whole = open_results(n_pools, n_percentiles);
    args.members += args.n_members;
    args.n_days -= 1;
    args.first_result = 1;
    args.first_percentile = 0;
    args.results = device_results(&part);
    ck_assert_int_eq(gpu_launch_exact_sorted(&args, NULL), 0);
    for (size_t q = 0; q < n_percentiles; ++q) {
        ck_assert_mem_eq(part.quantile[q], whole.quantile[q], PITCH * sizeof(double)); /* poison */
        memcpy(part.quantile[q], expected->quantile[q], PITCH * sizeof(double));
        expect_untouched(part.quantile[q] + N_CELLS, sizeof(double), "sorted in part");
    }
    memcpy(part.mean, expected->mean, PITCH * sizeof *part.mean);
    memcpy(part.n_obs, expected->n_obs, PITCH * sizeof *part.n_obs);
    expect_same(world, expected, &part, n_percentiles, "sorted in part");
    close_results(&part);
    close_results(&whole);
}

/* Returns whether a form is built for this. */
static bool check_sorted(const struct world *world, const double *p, size_t n_percentiles, bool from_below)
{
    const size_t n_pools = world->of->n_pools;
    const struct gpu_ranks ranks = make_ranks(world, p, n_percentiles);
    const uint32_t n_members = (uint32_t)world->of->n_years, n_window = (uint32_t)world->of->n_window;
    const uint32_t depth = depth_of(ranks, from_below);
    int is_built = -1;
    size_t scratch_bytes = 0;
    ck_assert_int_eq(gpu_sorted_form(n_members, n_window, depth, N_CELLS, &is_built, &scratch_bytes), 0);
    struct results expected = cpu_results(world, p, n_percentiles), sorted = open_results(n_pools, n_percentiles + 1);
    int32_t *min_samples = make(n_pools, sizeof *min_samples);
    void *scratch = scratch_bytes > 0 ? make(scratch_bytes, 1) : NULL;
    for (size_t pool = 0; pool < n_pools; ++pool)
        min_samples[pool] = world->of->min_samples;
    struct gpu_sorted args = {places_of(world),
                              world->planes,
                              world->members,
                              (uint32_t)world->n_days,
                              n_members,
                              n_window,
                              depth,
                              from_below,
                              0,
                              min_samples,
                              lattice_of(world),
                              ranks,
                              device_results(&sorted),
                              0,
                              scratch};
    if (is_built) {
        ck_assert_int_eq(gpu_launch_exact_sorted(&args, NULL), 0);
        expect_same(world, &expected, &sorted, n_percentiles, from_below ? "sorted from below" : "sorted");
        args.results.mean = NULL;
        args.results.n_obs = NULL;
        args.first_percentile = 1;
        ck_assert_int_eq(gpu_launch_exact_sorted(&args, NULL), 0);
        for (size_t pool = 0; pool < n_pools; ++pool)
            ck_assert_mem_eq(sorted.quantile[n_percentiles] + pool * PITCH,
                             expected.quantile[n_percentiles - 1] + pool * PITCH, N_CELLS * sizeof(double));
        check_sorted_part(world, &expected, args);
    } else {
        ck_assert_int_ne(gpu_launch_exact_sorted(&args, NULL), 0);
    }
    free(scratch);
    free(min_samples);
    free_ranks(ranks);
    close_results(&expected);
    close_results(&sorted);
    return is_built;
}

START_TEST(sorted_lists_are_those_of_the_cpu)
{
    static const double high[] = {0.9, 0.95, 0.99, 1.0}, low[] = {0.1, 0.05, 0.01, 0.0}, middle[] = {0.5};
    struct world world;
    const struct pools_case of = case_of(_i);
    open_world(&world, &of);
    const bool is_short = world.of->n_window <= 11;
    for (size_t first = 0; first < 4; first += crash_is_least() ? 3 : 1)
        for (size_t n = 1; n <= 4 - first; n += 3 - first > 0 ? 3 - first : 1) {
            ck_assert_int_eq(check_sorted(&world, high + first, n, false), is_short);
            ck_assert_int_eq(check_sorted(&world, low + first, n, true), is_short);
        }
    ck_assert_int_eq(check_sorted(&world, middle, 1, false), is_short && world.of->n_years * world.of->n_window <= 88);
    close_world(&world);
}
END_TEST

/* --- the cell's arithmetic ----------------------------------------------------------------------------------------- */

START_TEST(divisions_by_reciprocals_have_the_bits_of_divisions)
{
    struct test_random random = {7};
    for (int kind = SST_LATTICE_CENTI; kind <= SST_LATTICE_MILLI; ++kind) {
        const struct sst_lattice lattice = sst_lattice_of((enum sst_lattice_kind)kind);
        const double per = lattice.steps_per_degree;
        for (int code = -INT16_MAX; code <= INT16_MAX; ++code) {
            const double a = code + lattice.reference_steps, got = cell_divide_by_inverse(a, per, 1.0 / per);
            const double expected = a / per;
            if (memcmp(&got, &expected, sizeof got) != 0)
                ck_abort_msg("code %d: %.17g, not %.17g", code, got, expected);
        }
    }
    const int n_means = crash_is_least() ? 100000 : 2000000;
    for (int i = 0; i < n_means; ++i) {
        const int n = 1 + test_random_below(&random, SST_MAX_POOL);
        const int sum = test_random_below(&random, 2 * n * INT16_MAX + 1) - n * INT16_MAX;
        const struct sst_lattice lattice = sst_lattice_of(i % 2 ? SST_LATTICE_MILLI : SST_LATTICE_CENTI);
        const double expected = ((double)sum / (double)n + lattice.reference_steps) / lattice.steps_per_degree;
        const double got = cell_exact_mean(cell_exact_lattice_of(lattice.steps_per_degree, lattice.reference_steps),
                                           sum, n, 1.0 / (double)n);
        if (memcmp(&got, &expected, sizeof got) != 0)
            ck_abort_msg("%d / %d: %.17g, not %.17g", sum, n, got, expected);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_exact");
    TCase *tc = tcase_create("all");
    sst_backend_cpu_set_threads(1);
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, divisions_by_reciprocals_have_the_bits_of_divisions);
    tcase_add_loop_test(tc, pools_of_any_percentiles_are_those_of_the_cpu, 0, N_CASES);
    tcase_add_loop_test(tc, sorted_lists_are_those_of_the_cpu, 0, N_CASES);
    suite_add_tcase(suite, tc);
    return suite;
}
