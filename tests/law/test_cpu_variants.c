/*
 * Every loop of every instruction set that this machine has gives the bits of the plain one, with one thread and with four.
 *
 * ctest-labels: threads
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu_loops.h"
#include "kernels/cell_moments.h"
#include "random.h"
#include "test_main.h"

/* Sizes of every remainder of a vector, and one of several blocks and threads. */
enum { MOST_SMALL = 40, LARGE = 70003, MOST_CELLS = LARGE + 64 };
static const int thread_counts[] = {1, 4};
enum { N_THREAD_COUNTS = sizeof thread_counts / sizeof thread_counts[0], N_SIZES = MOST_SMALL + 1 };

static size_t size_of(int i) { return i < MOST_SMALL ? (size_t)i + 1 : LARGE; }

static void run_at(enum sst_cpu_level level, int n_threads)
{
    sst_backend_cpu_limit(level);
    sst_backend_cpu_set_threads(n_threads);
}

/* What a law computes of one size, at the level and with the threads that are set, into n_bytes at `out`. */
typedef void law_function(size_t n_cells, unsigned char *out);

static void expect_same_at_all_levels(law_function *law, size_t n_cells, size_t n_bytes)
{
    unsigned char *plain = calloc(1, n_bytes), *other = malloc(n_bytes);
    run_at(SST_CPU_PLAIN, 1);
    law(n_cells, plain);
    for (int level = SST_CPU_PLAIN; level <= (int)sst_cpu_best(); ++level) {
        for (int i = 0; i < N_THREAD_COUNTS; ++i) {
            memset(other, 0, n_bytes);
            run_at((enum sst_cpu_level)level, thread_counts[i]);
            law(n_cells, other);
            ck_assert_msg(memcmp(plain, other, n_bytes) == 0, "%zu cells at level %d with %d threads", n_cells, level,
                          thread_counts[i]);
        }
    }
    free(plain);
    free(other);
}

/* Every third block is land, and never has a value; the first field misses more, so that later ones are given places. */
static struct sst_cells sea_cells(size_t n_domain, int16_t *codes)
{
    struct sst_cells cells;
    ck_assert_int_eq(sst_cells_init(&cells, n_domain, NULL), SST_OK);
    sst_cells_take(&cells, &(struct sst_field){.n_cells = n_domain, .codes = codes});
    return cells;
}

static struct sst_cells listed_cells(size_t n_domain)
{
    struct sst_cells cells;
    size_t *list = malloc(n_domain * sizeof *list), n = 0;
    for (size_t cell = 0; cell < n_domain; cell += 1 + cell % 3)
        list[n++] = cell;
    ck_assert_int_eq(sst_cells_init_list(&cells, n_domain, list, n, NULL), SST_OK);
    free(list);
    return cells;
}

enum field_kind { FIELD_RANDOM, FIELD_HIGHEST, FIELD_LOWEST, FIELD_ENDS, FIELD_MISSING, N_FIELD_KINDS };

static int16_t code_of(enum field_kind kind, struct test_random *random)
{
    switch (kind) {
    case FIELD_HIGHEST:
        return SST_MAX_HUNDREDTHS;
    case FIELD_LOWEST:
        return -SST_MAX_HUNDREDTHS;
    case FIELD_ENDS:
        return (int16_t)(test_random_below(random, 2) ? SST_MAX_HUNDREDTHS : -SST_MAX_HUNDREDTHS);
    case FIELD_MISSING:
        return SST_CODE_MISSING;
    default:
        return (int16_t)(test_random_below(random, 4)
                             ? test_random_below(random, 2 * SST_MAX_HUNDREDTHS + 1) - SST_MAX_HUNDREDTHS
                             : SST_CODE_MISSING);
    }
}

static int16_t *make_field(enum field_kind kind, size_t n_cells, uint64_t seed)
{
    struct test_random random = {seed};
    int16_t *codes = malloc(n_cells * sizeof *codes);
    for (size_t cell = 0; cell < n_cells; ++cell)
        codes[cell] = cell / SST_CELLS_WIDTH % 3 == 1 ? SST_CODE_MISSING : code_of(kind, &random);
    return codes;
}

/* The planes one after another: 30 bytes a place. */
static struct sst_moments_view view_of(unsigned char *out, size_t n_places)
{
    struct sst_moments_view view;
    view.s2 = (void *)out;
    view.s3 = view.s2 + n_places;
    view.s4 = view.s3 + n_places;
    view.s1 = (void *)(view.s4 + n_places);
    view.n = (void *)(view.s1 + n_places);
    return view;
}

/* Batches of 1 to 8 fields of every kind, added one after another until the sums are full. */
static enum field_kind batch_kind;
static bool batch_is_listed;
static int batch_rounds;

static void add_batches(size_t n_cells, unsigned char *out)
{
    int16_t *codes[SST_MAX_BATCH];
    for (int field = 0; field < SST_MAX_BATCH; ++field)
        codes[field] = make_field(batch_kind, n_cells, 7 + (uint64_t)field);
    struct sst_cells cells = batch_is_listed ? listed_cells(n_cells) : sea_cells(n_cells, codes[0]);
    const struct sst_moments_view view = view_of(out, cells.n_places);
    for (int round = 0; round < batch_rounds; ++round) {
        const size_t n_fields = batch_rounds > SST_MAX_BATCH ? SST_MAX_BATCH : (size_t)round % SST_MAX_BATCH + 1;
        sst_backend_cpu()->moments_add_fields(view, &cells, (const int16_t *const *)codes, n_fields);
    }
    sst_cells_clear(&cells);
    for (int field = 0; field < SST_MAX_BATCH; ++field)
        free(codes[field]);
}

enum { BYTES_A_PLACE = 30 };

START_TEST(moments_of_a_batch_are_those_of_the_plain_loop)
{
    for (int kind = 0; kind < N_FIELD_KINDS; ++kind) {
        for (int is_listed = 0; is_listed < 2; ++is_listed) {
            batch_kind = (enum field_kind)kind;
            batch_is_listed = is_listed;
            batch_rounds = SST_MAX_BATCH;
            expect_same_at_all_levels(add_batches, size_of(_i), (size_of(_i) + 64) * BYTES_A_PLACE);
        }
    }
}
END_TEST

/* 2048 values in every cell: the sums of +-8191 are the greatest that there are. */
START_TEST(full_sums_are_those_of_the_plain_loop)
{
    static const enum field_kind kinds[] = {FIELD_RANDOM, FIELD_HIGHEST, FIELD_LOWEST, FIELD_ENDS};
    batch_kind = kinds[_i];
    batch_is_listed = false;
    batch_rounds = SST_MAX_POOL / SST_MAX_BATCH;
    expect_same_at_all_levels(add_batches, 37, (37 + 64) * BYTES_A_PLACE);
    unsigned char *sums = calloc(37 + 64, BYTES_A_PLACE);
    run_at(sst_cpu_best(), 1);
    add_batches(37, sums);
    const struct sst_moments_view view = view_of(sums, 32);
    const int64_t most = SST_MAX_HUNDREDTHS, square = most * most;
    if (batch_kind == FIELD_LOWEST) {
        ck_assert_int_eq(view.n[0], SST_MAX_POOL);
        ck_assert_int_eq(view.s1[0], -SST_MAX_POOL * SST_MAX_HUNDREDTHS);
        ck_assert(view.s2[0] == SST_MAX_POOL * square && view.s3[0] == -SST_MAX_POOL * square * most);
        ck_assert(view.s4[0] == SST_MAX_POOL * square * square);
    }
    free(sums);
}
END_TEST

/* Field i is in all batches of more than i fields. */
static void expect_counts(const struct sst_cells *cells, uint8_t *const *marks, const uint16_t *count)
{
    for (size_t place = 0; place < cells->n_places; ++place) {
        const size_t at = place / cells->width;
        const size_t cell =
            at < cells->n_given ? cells->block_at[at] * cells->width + place % cells->width : cells->n_domain;
        int expected = 0;
        for (int field = 0; field < SST_MAX_BATCH && cell < cells->n_domain; ++field)
            expected += (SST_MAX_BATCH - field) * marks[field][cell];
        ck_assert_int_eq(count[place], expected);
    }
}

static void count_marks(size_t n_cells, unsigned char *out)
{
    struct test_random random = {11};
    uint8_t *marks[SST_MAX_BATCH];
    int16_t *codes = make_field(FIELD_RANDOM, n_cells, 3);
    for (int field = 0; field < SST_MAX_BATCH; ++field) {
        marks[field] = malloc(n_cells);
        for (size_t cell = 0; cell < n_cells; ++cell)
            marks[field][cell] = (uint8_t)(field < 2 || test_random_below(&random, 3) == 0);
    }
    struct sst_cells cells = batch_is_listed ? listed_cells(n_cells) : sea_cells(n_cells, codes);
    for (size_t n_fields = 1; n_fields <= SST_MAX_BATCH; ++n_fields)
        sst_backend_cpu()->count_add_fields((uint16_t *)(void *)out, &cells, (const uint8_t *const *)marks, n_fields);
    expect_counts(&cells, marks, (const uint16_t *)(const void *)out);
    sst_cells_clear(&cells);
    free(codes);
    for (int field = 0; field < SST_MAX_BATCH; ++field)
        free(marks[field]);
}

START_TEST(counts_are_those_of_the_plain_loop)
{
    for (int is_listed = 0; is_listed < 2; ++is_listed) {
        batch_is_listed = is_listed;
        expect_same_at_all_levels(count_marks, size_of(_i), (size_of(_i) + 64) * sizeof(uint16_t));
    }
}
END_TEST

static void fill_random(void *bytes, size_t n, uint64_t seed)
{
    struct test_random random = {seed};
    unsigned char *at = bytes;
    for (size_t i = 0; i < n; ++i)
        at[i] = (unsigned char)test_random_next(&random);
}

/* Planes of any bits: sums wrap. */
static void add_and_subtract_planes(size_t n_cells, unsigned char *out)
{
    static const enum sst_plane_type types[] = {SST_PLANE_U16, SST_PLANE_I32, SST_PLANE_I64};
    void *a = malloc(n_cells * sizeof(int64_t)), *b = malloc(n_cells * sizeof(int64_t));
    fill_random(a, n_cells * sizeof(int64_t), 1);
    fill_random(b, n_cells * sizeof(int64_t), 2);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i, out += n_cells * sizeof(int64_t)) {
        sst_backend_cpu()->plane_add(out, a, types[i], n_cells);
        sst_backend_cpu()->plane_add(out, b, types[i], n_cells);
        sst_backend_cpu()->plane_subtract(out, a, types[i], n_cells);
        ck_assert_mem_eq(out, b, n_cells * sst_plane_type_size(types[i]));
        sst_backend_cpu()->plane_subtract(out, a, types[i], n_cells);
    }
    free(a);
    free(b);
}

START_TEST(planes_are_added_and_taken_away_as_by_the_plain_loop)
{
    expect_same_at_all_levels(add_and_subtract_planes, size_of(_i), size_of(_i) * 3 * sizeof(int64_t));
}
END_TEST

/* A pool's sums, in turn: near normal, of both ends of the range, constant, short, empty, of bits that no pool has. */
static struct cell_moments pool_of(size_t cell, struct test_random *random)
{
    struct cell_moments sums = {0};
    const int n = cell % 7 == 0 ? test_random_below(random, 40) : cell % 13 == 0 ? SST_MAX_POOL : 66;
    const int constant = test_random_below(random, 2 * SST_MAX_HUNDREDTHS + 1) - SST_MAX_HUNDREDTHS;
    if (cell % 17 == 0) {
        sums.n = (uint32_t)test_random_below(random, UINT16_MAX + 1);
        sums.s1 = (int32_t)(test_random_next(random) >> 38) - (1 << 25);
        sums.s2 = (int64_t)test_random_next(random);
        sums.s3 = (int64_t)test_random_next(random);
        sums.s4 = (int64_t)test_random_next(random);
        return sums;
    }
    for (int i = 0; i < n; ++i) {
        int x = 1500 + test_random_below(random, 300) + test_random_below(random, 300);
        if (cell % 3 == 0)
            x = test_random_below(random, 2) ? SST_MAX_HUNDREDTHS : -SST_MAX_HUNDREDTHS + test_random_below(random, 2);
        cell_moments_add(&sums, cell % 5 == 0 ? constant : x);
    }
    return sums;
}

enum { N_PERCENTILES = 3, BYTES_FINISHED = (1 + N_PERCENTILES) * 8 + 3 * 4 + 1 };
static bool wants_shape;
static unsigned char *pools; /* of MOST_CELLS, as view_of lays them out */

static void finish_pools(size_t n_cells, unsigned char *out)
{
    static const double z[N_PERCENTILES] = {-1.2815515655446004, 0.0, 1.2815515655446004};
    const struct sst_moments_fit fit = {.kind = SST_FIT_CF, .n_percentiles = N_PERCENTILES, .z = z};
    double *mean = (void *)out, *quantile[N_PERCENTILES];
    for (size_t q = 0; q < N_PERCENTILES; ++q)
        quantile[q] = mean + (q + 1) * n_cells;
    float *sd = (void *)(mean + (1 + N_PERCENTILES) * n_cells);
    const struct sst_finish_out to = {.mean = mean,
                                      .quantile = quantile,
                                      .guarded = (uint8_t *)(sd + 3 * n_cells),
                                      .shape = wants_shape ? (struct sst_shape){sd, sd + n_cells, sd + 2 * n_cells}
                                                           : (struct sst_shape){NULL, NULL, NULL}};
    sst_backend_cpu()->moments_finish(view_of(pools, MOST_CELLS), &fit, 20, &to, n_cells);
}

static void make_pools(void)
{
    struct test_random random = {2026};
    pools = calloc(MOST_CELLS, BYTES_A_PLACE);
    const struct sst_moments_view view = view_of(pools, MOST_CELLS);
    for (size_t cell = 0; cell < MOST_CELLS; ++cell) {
        const struct cell_moments sums = pool_of(cell, &random);
        view.n[cell] = (uint16_t)sums.n;
        view.s1[cell] = sums.s1;
        view.s2[cell] = sums.s2;
        view.s3[cell] = sums.s3;
        view.s4[cell] = sums.s4;
    }
}

START_TEST(finished_windows_are_those_of_the_plain_loop)
{
    for (int with = 0; with < 2; ++with) {
        wants_shape = with;
        expect_same_at_all_levels(finish_pools, size_of(_i), size_of(_i) * BYTES_FINISHED);
    }
}
END_TEST

enum { N_MEMBERS = 31 };
static double *members[N_MEMBERS];
static size_t n_members;

static void mean_of_members(size_t n_cells, unsigned char *out)
{
    sst_backend_cpu()->mean_of((const double *const *)members, n_members, (double *)(void *)out, n_cells);
}

/* NaN in none, some, about half, all of the members. */
static void make_members(void)
{
    struct test_random random = {5};
    for (int member = 0; member < N_MEMBERS; ++member) {
        members[member] = malloc(MOST_CELLS * sizeof(double));
        for (size_t cell = 0; cell < MOST_CELLS; ++cell)
            members[member][cell] = test_random_below(&random, 4) < (int)(cell % 5) && cell % 3
                                        ? NAN
                                        : (double)(int64_t)test_random_next(&random) / 1e15;
    }
}

START_TEST(means_are_those_of_the_plain_loop)
{
    for (n_members = 1; n_members <= N_MEMBERS; n_members += 15)
        expect_same_at_all_levels(mean_of_members, size_of(_i), size_of(_i) * sizeof(double));
}
END_TEST

/* What is compared is not nothing, and a level is what the backend says it runs. */
START_TEST(levels_are_hidden_by_name)
{
    static const char *const names[SST_N_CPU_LEVELS] = {"cpu (plain)", "cpu (AVX2)", "cpu (AVX-512)"};
    for (int level = SST_CPU_PLAIN; level < SST_N_CPU_LEVELS; ++level) {
        const int expected = level < (int)sst_cpu_best() ? level : (int)sst_cpu_best();
        sst_backend_cpu_limit((enum sst_cpu_level)level);
        ck_assert_str_eq(sst_backend_cpu_name(), names[expected]);
        ck_assert_ptr_eq(sst_cpu_loops_chosen(), sst_cpu_loops_of((enum sst_cpu_level)expected));
    }
    unsigned char *sums = calloc(100 + 64, BYTES_A_PLACE), *no_sums = calloc(100 + 64, BYTES_A_PLACE);
    batch_kind = FIELD_RANDOM;
    batch_is_listed = false;
    batch_rounds = 1;
    add_batches(100, sums);
    ck_assert_mem_ne(sums, no_sums, (100 + 64) * BYTES_A_PLACE);
    free(sums);
    free(no_sums);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("cpu_variants");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    make_pools();
    make_members();
    tcase_add_test(tc, levels_are_hidden_by_name);
    tcase_add_loop_test(tc, moments_of_a_batch_are_those_of_the_plain_loop, 0, N_SIZES);
    tcase_add_loop_test(tc, full_sums_are_those_of_the_plain_loop, 0, 4);
    tcase_add_loop_test(tc, counts_are_those_of_the_plain_loop, 0, N_SIZES);
    tcase_add_loop_test(tc, planes_are_added_and_taken_away_as_by_the_plain_loop, 0, N_SIZES);
    tcase_add_loop_test(tc, finished_windows_are_those_of_the_plain_loop, 0, N_SIZES);
    tcase_add_loop_test(tc, means_are_those_of_the_plain_loop, 0, N_SIZES);
    suite_add_tcase(suite, tc);
    return suite;
}
