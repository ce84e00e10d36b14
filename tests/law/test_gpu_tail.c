/* Lists on a device, which the processor plays: the CPU's bits in lists, sums, percentiles, bounds and marks. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "exact/tail.h"
#include "kernels/gpu_launch.h"
#include "random.h"
#include "test_main.h"

enum {
    N_DOMAIN = 1003,
    N_BINS = 9,
    N_FIELDS = 80,
    N_POOLS = 5,
    N_STRIDE = 1024,
    N_PITCH = 1152,
    N_MOST = 400,
    POISON = 0x5A
};

static const struct {
    int k_top, k_bottom, n_spread; /* codes are of so many values: few give ties */
    enum sst_lattice_kind lattice;
    int type;
    double p[GPU_MAX_PERCENTILES];
    size_t n_p;
} cases[] = {
    {6, 3, 900, SST_LATTICE_CENTI, 7, {0.9, 0.1}, 2},
    {1, 1, 900, SST_LATTICE_MILLI, 7, {0.9, 0.95, 0.05}, 3},
    {16, 16, 8, SST_LATTICE_CENTI, 7, {0.1, 0.9}, 2},
    {16, 0, 300, SST_LATTICE_MILLI, 6, {0.9, 0.75, 1.0}, 3},
    {0, 5, 300, SST_LATTICE_CENTI, 2, {0.0, 0.25}, 2},
    {30, 12, 2000, SST_LATTICE_CENTI, 8, {0.9, 0.2}, 2},
    {33, 40, 2000, SST_LATTICE_MILLI, 7, {0.8, 0.1}, 2},
    {64, 14, 900, SST_LATTICE_CENTI, 1, {0.1, 0.99, 0.9, 0.25, 0.75}, 5},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static int now; /* the case */
static struct sst_cells cells;
static int16_t codes[N_BINS * N_FIELDS][N_STRIDE], hundredths[N_BINS * N_FIELDS][N_STRIDE];
static uint32_t block_at[N_PITCH / GPU_BLOCK_CELLS];
static struct sst_tail_view views[N_BINS];
static struct gpu_tail_store store;
static struct gpu_places places;

/* A third of the blocks never has a value; bin b has 1 to N_FIELDS fields, the last bin none. */
static int n_fields_of(int bin) { return bin == N_BINS - 1 ? 0 : 1 + (bin * 31 + 15) % N_FIELDS; }

static void make_fields(void)
{
    struct test_random random = {(uint64_t)now + 1};
    ck_assert_int_eq(sst_cells_init(&cells, N_DOMAIN, NULL), SST_OK);
    for (int f = 0; f < N_BINS * N_FIELDS; ++f) {
        const int season = f / N_FIELDS * cases[now].n_spread / 10;
        for (int cell = 0; cell < N_STRIDE; ++cell) {
            const bool is_land = cell / GPU_BLOCK_CELLS % 3 == 1 || cell >= N_DOMAIN;
            const int code = 40 + season + test_random_below(&random, cases[now].n_spread) - cases[now].n_spread / 3;
            codes[f][cell] = (int16_t)(is_land || test_random_below(&random, 7) == 0 ? GPU_MISSING : code);
        }
        if (cases[now].lattice == SST_LATTICE_MILLI)
            sst_field_hundredths(codes[f], N_STRIDE, hundredths[f]);
        else
            memcpy(hundredths[f], codes[f], sizeof codes[f]);
        const struct sst_field field = {N_DOMAIN, codes[f], hundredths[f], NULL, false, NULL};
        sst_cells_take(&cells, &field);
    }
    ck_assert_uint_lt(cells.n_given * GPU_BLOCK_CELLS, cells.n_places); /* places that are not given yet */
}

static void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);
    ck_assert_ptr_nonnull(memory);
    return memory;
}

static void fill(int16_t *list, size_t n, int16_t code)
{
    for (size_t i = 0; i < n; ++i)
        list[i] = code;
}

static int16_t *none(size_t n)
{
    int16_t *list = zeroed(n, sizeof *list);
    fill(list, n, GPU_MISSING);
    return list;
}

static void open_bins(void)
{
    const size_t k_top = (size_t)cases[now].k_top, k_bottom = (size_t)cases[now].k_bottom, n = cells.n_places;
    for (int bin = 0; bin < N_BINS; ++bin)
        views[bin] = (struct sst_tail_view){zeroed(n, sizeof(uint16_t)),
                                            zeroed(n, sizeof(int32_t)),
                                            none(n * k_top),
                                            none(n * k_bottom),
                                            k_top,
                                            k_bottom};
    const size_t items = (size_t)N_BINS * N_PITCH;
    store = (struct gpu_tail_store){zeroed(items, sizeof(uint16_t)),
                                    zeroed(items, sizeof(int32_t)),
                                    none(items * k_top),
                                    none(items * k_bottom),
                                    (uint32_t)k_top,
                                    (uint32_t)k_bottom};
    for (size_t i = 0; i < N_PITCH / GPU_BLOCK_CELLS; ++i)
        block_at[i] = i < cells.n_given ? cells.block_at[i] : GPU_NO_BLOCK;
    places = (struct gpu_places){block_at, (uint32_t)n, N_PITCH};
}

/* What a bin held for an earlier term, which a new one must not see. */
static void dirty(int bin)
{
    for (size_t i = 0; i < places.n_cells; ++i) {
        store.n[(size_t)bin * N_PITCH + i] = 77;
        store.s1[(size_t)bin * N_PITCH + i] = -12345;
        for (size_t r = 0; r < store.k_top; ++r)
            store.top[((size_t)bin * store.k_top + r) * N_PITCH + i] = 9999;
        for (size_t r = 0; r < store.k_bottom; ++r)
            store.bottom[((size_t)bin * store.k_bottom + r) * N_PITCH + i] = 9999;
    }
}

static void add_on_device(uint32_t bin, uint32_t first, uint32_t n, uint32_t is_new)
{
    /* Two bins of one launch: the second, the empty one, gets no field. */
    const struct gpu_add_task tasks[] = {{bin, bin * N_FIELDS + first, n, is_new}, {N_BINS - 1, 0, 0, 1}};
    const struct gpu_tail_add add = {.places = places,
                                     .store = store,
                                     .codes = {codes[0], N_STRIDE},
                                     .hundredths = {hundredths[0], N_STRIDE},
                                     .tasks = tasks,
                                     .n_tasks = 2};
    ck_assert_int_eq(gpu_launch_tail_add(&add, NULL), 0);
}

static void add_all(void)
{
    for (int bin = 0; bin < N_BINS; ++bin)
        dirty(bin);
    for (int bin = 0; bin < N_BINS - 1; ++bin) {
        const int n = n_fields_of(bin), n_first = n - n / 3;
        for (int f = bin * N_FIELDS; f < bin * N_FIELDS + n; ++f) {
            const struct sst_field field = {N_DOMAIN, codes[f], hundredths[f], NULL, false, NULL};
            const struct sst_field *const batch[] = {&field};
            sst_backend_cpu()->tail_add_fields(views[bin], &cells, batch, 1);
        }
        add_on_device((uint32_t)bin, 0, (uint32_t)n_first, 1);
        add_on_device((uint32_t)bin, (uint32_t)n_first, (uint32_t)(n - n_first), 0);
    }
}

static void open_case(int number)
{
    now = number;
    make_fields();
    open_bins();
    add_all();
}

static void close_case(void)
{
    for (int bin = 0; bin < N_BINS; ++bin) {
        free(views[bin].n);
        free(views[bin].s1);
        free(views[bin].top);
        free(views[bin].bottom);
    }
    free(store.n);
    free(store.s1);
    free(store.top);
    free(store.bottom);
    sst_cells_clear(&cells);
}

/* --- lists -------------------------------------------------------------------------------------------------------- */

/* Behind the places of the cells there is nothing, at all times. */
static void compare_lists(const int16_t *cpu, const int16_t *device, size_t k, int bin)
{
    const size_t n = cells.n_places;
    for (size_t r = 0; r < k; ++r) {
        const int16_t *plane = device + ((size_t)bin * k + r) * N_PITCH;
        ck_assert_mem_eq(cpu + r * n, plane, n * sizeof *cpu);
        for (size_t i = n; i < N_PITCH; ++i)
            ck_assert_int_eq(plane[i], GPU_MISSING);
    }
}

START_TEST(lists_and_sums_are_those_of_the_processor)
{
    open_case(_i);
    for (int bin = 0; bin < N_BINS; ++bin) {
        ck_assert_mem_eq(views[bin].n, store.n + (size_t)bin * N_PITCH, cells.n_places * sizeof *store.n);
        ck_assert_mem_eq(views[bin].s1, store.s1 + (size_t)bin * N_PITCH, cells.n_places * sizeof *store.s1);
        compare_lists(views[bin].top, store.top, store.k_top, bin);
        compare_lists(views[bin].bottom, store.bottom, store.k_bottom, bin);
    }
    close_case();
}
END_TEST

START_TEST(a_bin_without_lists_has_sums)
{
    open_case(_i);
    struct gpu_tail_store sums = store;
    sums.k_top = sums.k_bottom = 0;
    sums.n = zeroed((size_t)N_BINS * N_PITCH, sizeof *sums.n);
    sums.s1 = zeroed((size_t)N_BINS * N_PITCH, sizeof *sums.s1);
    const struct gpu_add_task task = {3, 3 * N_FIELDS, (uint32_t)n_fields_of(3), 1};
    const struct gpu_tail_add add = {
        places, sums, {codes[0], N_STRIDE}, {hundredths[0], N_STRIDE}, &task, 1,
    };
    ck_assert_int_eq(gpu_launch_tail_add(&add, NULL), 0);
    ck_assert_mem_eq(views[3].n, sums.n + 3 * (size_t)N_PITCH, cells.n_places * sizeof *sums.n);
    ck_assert_mem_eq(views[3].s1, sums.s1 + 3 * (size_t)N_PITCH, cells.n_places * sizeof *sums.s1);
    free(sums.n);
    free(sums.s1);
    close_case();
}
END_TEST

/* --- pools -------------------------------------------------------------------------------------------------------- */

/* Pools that overlap, one of a single bin, one of all, one of the empty bin. */
static const uint32_t members[] = {0, 1, 2, 3, 1, 2, 3, 4, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8};
static const struct gpu_pool pools[N_POOLS] = {{0, 4, 1, 1}, {4, 4, 24, 0}, {8, 1, 0, 2}, {9, 9, 70, 4}, {18, 1, 0, 3}};
static const uint32_t n_most_members = 9;

struct answer {
    double *mean, *quantile[GPU_MAX_PERCENTILES], *bound[GPU_MAX_PERCENTILES];
    uint16_t *n_obs;
    uint8_t *marks;
};

static void *poisoned(size_t count, size_t size)
{
    void *memory = zeroed(count, size);
    memset(memory, POISON, count * size);
    return memory;
}

static void answer_open(struct answer *answer, size_t n)
{
    answer->mean = poisoned(n, sizeof(double));
    answer->n_obs = poisoned(n, sizeof(uint16_t));
    answer->marks = poisoned(n, 1);
    for (size_t q = 0; q < GPU_MAX_PERCENTILES; ++q) {
        answer->quantile[q] = poisoned(n, sizeof(double));
        answer->bound[q] = poisoned(n, sizeof(double));
    }
}

static void answer_close(struct answer *answer)
{
    free(answer->mean);
    free(answer->n_obs);
    free(answer->marks);
    for (size_t q = 0; q < GPU_MAX_PERCENTILES; ++q) {
        free(answer->quantile[q]);
        free(answer->bound[q]);
    }
}

static void finish_on_processor(struct gpu_pool pool, const struct answer *answer)
{
    struct sst_tail_view bins[N_BINS];
    int32_t *s1 = zeroed(cells.n_places, sizeof *s1);
    memset(answer->n_obs, 0, cells.n_places * sizeof *answer->n_obs);
    for (uint32_t j = 0; j < pool.n; ++j) {
        bins[j] = views[members[pool.first + j]];
        for (size_t i = 0; i < cells.n_places; ++i) {
            answer->n_obs[i] = (uint16_t)(answer->n_obs[i] + bins[j].n[i]);
            s1[i] += bins[j].s1[i];
        }
    }
    const struct sst_tail_pool of = {bins, pool.n, answer->n_obs, s1};
    const struct sst_quantile_args args = {cases[now].p, cases[now].n_p, cases[now].type,
                                           sst_lattice_of(cases[now].lattice), pool.min_samples};
    const struct sst_tail_out out = {answer->mean, answer->quantile, answer->bound, NULL, answer->marks};
    ck_assert_int_eq(sst_backend_cpu()->tail_finish(&of, &args, &out, cells.n_places, NULL), SST_OK);
    free(s1);
}

static struct gpu_results results_of(const struct answer *answer)
{
    struct gpu_results results = {.mean = answer->mean, .n_obs = answer->n_obs, .mark = answer->marks};
    for (size_t q = 0; q < cases[now].n_p; ++q) {
        results.quantile[q] = answer->quantile[q];
        results.bound[q] = answer->bound[q];
    }
    return results;
}

static void finish_on_device(uint32_t n_most, struct gpu_results results)
{
    static struct cell_rank ranks[GPU_MAX_PERCENTILES][N_MOST + 1];
    const struct sst_lattice lattice = sst_lattice_of(cases[now].lattice);
    struct gpu_tail tail = {.places = places,
                            .store = store,
                            .members = members,
                            .pools = pools,
                            .n_pools = N_POOLS,
                            .n_most_members = n_most,
                            .lattice = {lattice.steps_per_degree, lattice.reference_steps},
                            .ranks = {ranks[0], N_MOST, (int32_t)cases[now].n_p},
                            .results = results};
    for (size_t q = 0; q < cases[now].n_p; ++q) {
        tail.is_low[q] = sst_tail_is_low(100.0 * cases[now].p[q]);
        for (int n = 1; n <= N_MOST; ++n)
            ranks[q][n] = cell_rank_of(n, cases[now].p[q], cases[now].type);
    }
    ck_assert_int_eq(gpu_launch_tail(&tail, NULL), 0);
}

/* One pool's plane of the device: the CPU's bits, or untouched where it was not wanted; untouched behind the cells. */
static void compare_plane(const void *cpu, const void *device, size_t size, bool is_wanted)
{
    const size_t n_bytes = is_wanted ? cells.n_places * size : 0;
    const unsigned char *at = device;
    ck_assert_mem_eq(cpu, at, n_bytes);
    for (size_t i = n_bytes; i < N_PITCH * size; ++i)
        if (at[i] != POISON) /* each assertion is recorded, and these are many */
            ck_abort_msg("byte %zu is written, of %zu", i, n_bytes);
}

/* Of what `wanted` names. Counts what is marked, so that a test can say it saw both. */
static void compare_answers(const struct answer *device, const struct gpu_results *wanted, int n_marks[2])
{
    struct answer cpu;
    const size_t n = cells.n_places;
    answer_open(&cpu, n);
    for (int p = 0; p < N_POOLS; ++p) {
        const size_t first = (size_t)pools[p].result * N_PITCH;
        finish_on_processor(pools[p], &cpu);
        compare_plane(cpu.mean, device->mean + first, sizeof(double), wanted->mean);
        compare_plane(cpu.n_obs, device->n_obs + first, sizeof(uint16_t), wanted->n_obs);
        compare_plane(cpu.marks, device->marks + first, 1, wanted->mark);
        for (size_t q = 0; q < cases[now].n_p; ++q) {
            compare_plane(cpu.quantile[q], device->quantile[q] + first, sizeof(double), wanted->quantile[q]);
            compare_plane(cpu.bound[q], device->bound[q] + first, sizeof(double), wanted->bound[q]);
        }
        for (size_t i = 0; i < n; ++i)
            ++n_marks[cpu.marks[i]];
    }
    answer_close(&cpu);
}

START_TEST(pools_are_those_of_the_processor)
{
    struct answer device;
    int n_marks[2] = {0, 0};
    open_case(_i);
    for (uint32_t n_most = 0; n_most <= n_most_members; n_most += n_most_members) { /* in place, then in fast memory */
        answer_open(&device, (size_t)N_POOLS * N_PITCH);
        const struct gpu_results wanted = results_of(&device);
        finish_on_device(n_most, wanted);
        compare_answers(&device, &wanted, n_marks);
        answer_close(&device);
    }
    ck_assert_int_gt(n_marks[0], 0);
    ck_assert_int_gt(n_marks[1], 0);
    close_case();
}
END_TEST

/* One array is left out at a time, then all but one. */
START_TEST(what_is_not_wanted_is_not_written)
{
    enum { N_LEFT_OUT = 6 };
    int n_marks[2] = {0, 0};
    open_case(_i / N_LEFT_OUT);
    struct answer device;
    answer_open(&device, (size_t)N_POOLS * N_PITCH);
    struct gpu_results wanted = results_of(&device);
    const struct gpu_results alone = {.quantile = {device.quantile[0]}};
    switch (_i % N_LEFT_OUT) {
    case 0:
        wanted.mean = NULL;
        break;
    case 1:
        wanted.n_obs = NULL;
        break;
    case 2:
        wanted.mark = NULL;
        break;
    case 3:
        wanted.quantile[1] = NULL;
        break;
    case 4:
        wanted.bound[0] = NULL;
        break;
    default:
        wanted = alone;
    }
    finish_on_device(n_most_members, wanted);
    compare_answers(&device, &wanted, n_marks);
    answer_close(&device);
    close_case();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_tail");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, lists_and_sums_are_those_of_the_processor, 0, N_CASES);
    tcase_add_loop_test(tc, a_bin_without_lists_has_sums, 0, 2);
    tcase_add_loop_test(tc, pools_are_those_of_the_processor, 0, N_CASES);
    tcase_add_loop_test(tc, what_is_not_wanted_is_not_written, 0, 2 * 6);
    suite_add_tcase(suite, tc);
    return suite;
}
