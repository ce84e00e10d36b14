/*
 * Exact percentiles on a device: keeping fields, and the sorted, the blocked and the naive form for an 11-day window, beside
 * a copy of the same run; outputs of all forms are compared with each other and with the CPU backend.
 *
 *   cmake --preset release && cmake --build --preset release --target gpu_exact_bench
 *   build/release/gpu_exact_bench --plugin PATH [--lon N] [--lat N] [--days N] [--years N] [--gaps N] [--device N] [--runs N]
 *                                 [--cpu-pools N]
 *
 * Of so many pools (3) the CPU backend works out the results too, of the first, the last and some between; all: --cpu-pools 999.
 * Printed are medians of the times between two events; bytes are the fewest (each input once, each output once), and their
 * rate stands as a share of the copy's, which reads and writes. A line of text and a line of JSON each; "differing" counts
 * doubles whose bits differ. Ends with 1 where any does.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_device.h"
#include "gpu_exact_data.h"

enum { N_WINDOW = 11, NAIVE_POOLS = 2 };
static const double high = 0.9, low = 0.1;

struct bench {
    struct bench_device device;
    struct bench_data data;
    int index, n_runs, n_cpu_pools; /* index: of the device */
    const char *variant;
    struct gpu_places places;
    size_t n_pools, n_fields, result_items;
    int16_t *staging, *planes, *copy;
    uint32_t *block_at, *members;
    struct gpu_pool *pools;
    struct gpu_keep_task *tasks;
    int32_t *min_samples;
    struct cell_rank *ranks_high, *ranks_low;
    struct gpu_results sorted, blocked, below; /* of the device */
    void *scratch;
    double *host_a, *host_b; /* a pool's results */
    double copy_rate; /* [B/s] */
    size_t n_differing;
};

#define CHECK(call) bench_device_check(&bench->device, bench->device.api->call, #call)

static void *device_memory(struct bench *bench, size_t n_bytes) { return bench_device_take(&bench->device, n_bytes); }

static void *device_copy(struct bench *bench, const void *host, size_t n_bytes)
{
    return bench_device_put(&bench->device, host, n_bytes);
}

static double time_of(struct bench *bench, bench_work *work, int n_runs)
{
    return bench_device_seconds(&bench->device, work, bench, n_runs);
}

static void tell(struct bench *bench, const char *name, double seconds, double bytes)
{
    const double rate = bytes / seconds, share = bench->copy_rate > 0.0 ? rate / bench->copy_rate : 1.0;
    (void)printf("%-6s %-16s %10.3f ms  %8.3f GB  %8.1f GB/s  %5.1f %% of copy\n", bench->variant, name, seconds * 1e3,
                 bytes * 1e-9, rate * 1e-9, share * 100.0);
    (void)printf("{\"bench\": \"gpu_exact\", \"cells\": \"%s\", \"kernel\": \"%s\", \"n_cells\": %u, \"pools\": %zu, "
                 "\"ms\": %.6f, \"bytes\": %.0f, \"share_of_copy\": %.4f}\n",
                 bench->variant, name, bench->places.n_cells, bench->n_pools, seconds * 1e3, bytes, share);
    (void)fflush(stdout);
}

/* Of the cells that a run computes, for bench/portability. */
static void row(const struct bench *bench, const char *kernel, const char *form, double seconds, size_t n_days,
                bool is_taken)
{
    if (strcmp(bench->variant, "ocean") == 0)
        bench_device_row(&bench->device, kernel, form, seconds / (double)n_days / bench->places.n_cells, is_taken);
}

/* --- what is compared ---------------------------------------------------------------------------------------------- */

static void tell_differing(struct bench *bench, const char *what, size_t n_differing, size_t n)
{
    bench->n_differing += n_differing;
    (void)printf("%-6s %-40s %zu of %zu differing\n", bench->variant, what, n_differing, n);
    (void)printf(
        "{\"bench\": \"gpu_exact\", \"cells\": \"%s\", \"compared\": \"%s\", \"n\": %zu, \"differing\": %zu}\n",
        bench->variant, what, n, n_differing);
    (void)fflush(stdout);
}

static void fetch(struct bench *bench, void *host, const void *device, size_t item, size_t size)
{
    const unsigned char *from = device;
    bench_device_fetch(&bench->device, host, from + item * size, bench->places.n_cells * size);
}

/* Two planes of results of n pools on the device. */
static void compare(struct bench *bench, const char *what, const void *a, const void *b, size_t size, size_t n_pools)
{
    size_t n_differing = 0;
    for (size_t pool = 0; pool < n_pools; ++pool) {
        fetch(bench, bench->host_a, a, pool * bench->places.pitch, size);
        fetch(bench, bench->host_b, b, pool * bench->places.pitch, size);
        n_differing += bench_differing(bench->host_a, bench->host_b, bench->places.n_cells, size);
    }
    tell_differing(bench, what, n_differing, n_pools * bench->places.n_cells);
}

/* The pool's members as they were kept on the device. */
static const struct bench_cpu_results *finish_on_cpu(struct bench *bench, struct bench_cpu *cpu, size_t pool,
                                                     size_t n_members)
{
    for (size_t member = 0; member < n_members; ++member) {
        CHECK(copy_out(bench_cpu_plane(cpu),
                       bench->planes + (pool * (size_t)bench->data.n_years + member) * bench->places.pitch,
                       bench->places.n_cells * sizeof(int16_t), bench->device.stream));
        CHECK(stream_sync(bench->device.stream));
        bench_cpu_put(cpu, member);
    }
    return bench_cpu_finish(cpu, high, low);
}

static size_t differing_from(struct bench *bench, const void *device, size_t item, const void *host, size_t size)
{
    fetch(bench, bench->host_a, device, item, size);
    return bench_differing(bench->host_a, host, bench->places.n_cells, size);
}

/* What a form gave, with the low percentile beside it. */
static void compare_with_cpu(struct bench *bench, const char *form, const struct gpu_results *got, const double *below)
{
    const size_t n_members = (size_t)bench->data.n_years * N_WINDOW, n_cells = bench->places.n_cells;
    const size_t wanted = (size_t)bench->n_cpu_pools, n_pools = wanted < bench->n_pools ? wanted : bench->n_pools;
    static const char *const names[] = {"mean", "P90", "P10", "n_obs"};
    size_t n[sizeof names / sizeof names[0]] = {0};
    struct bench_cpu *cpu = bench_cpu_open(n_cells, n_members);
    for (size_t i = 0; i < n_pools; ++i) {
        const size_t pool = n_pools > 1 ? i * (bench->n_pools - 1) / (n_pools - 1) : 0;
        const size_t at = pool * bench->places.pitch;
        const struct bench_cpu_results *expected = finish_on_cpu(bench, cpu, pool, n_members);
        n[0] += differing_from(bench, got->mean, at, expected->mean, sizeof(double));
        n[1] += differing_from(bench, got->quantile[0], at, expected->high, sizeof(double));
        n[2] += differing_from(bench, below, at, expected->low, sizeof(double));
        n[3] += differing_from(bench, got->n_obs, at, expected->n_obs, sizeof(uint16_t));
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        char what[64];
        (void)snprintf(what, sizeof what, "%s and cpu: %s", form, names[i]);
        tell_differing(bench, what, n[i], n_pools * n_cells);
    }
    bench_cpu_close(cpu);
}

/* --- what is run --------------------------------------------------------------------------------------------------- */

static void run_copy(const void *context)
{
    const struct bench *bench = context;
    CHECK(copy_within(bench->copy, bench->planes, bench->n_fields * bench->places.pitch / 2 * sizeof(int16_t),
                      bench->device.stream));
}

static void run_keep(const void *context)
{
    const struct bench *bench = context;
    const struct gpu_keep args = {bench->places,
                                  bench->planes,
                                  {bench->staging, bench->data.stride},
                                  bench->tasks,
                                  (uint32_t)bench->data.n_years};
    CHECK(keep(&args, bench->device.stream));
}

static struct gpu_ranks ranks_of(const struct bench *bench, bool from_below, int n_percentiles)
{
    return (struct gpu_ranks){from_below ? bench->ranks_low : bench->ranks_high,
                              (uint32_t)bench->data.n_years * N_WINDOW, n_percentiles};
}

static struct gpu_sorted sorted_args(const struct bench *bench, bool from_below)
{
    struct gpu_sorted args = {.places = bench->places,
                              .planes = bench->planes,
                              .members = bench->members,
                              .n_days = (uint32_t)bench->data.n_days,
                              .n_members = (uint32_t)bench->data.n_years,
                              .n_window = N_WINDOW,
                              .from_below = from_below,
                              .min_samples = bench->min_samples,
                              .lattice = {100.0, 0.0},
                              .ranks = ranks_of(bench, from_below, 1),
                              .results = from_below ? bench->below : bench->sorted,
                              .scratch = bench->scratch};
    args.depth = bench_depth((int)args.ranks.n_most, from_below ? low : high, from_below);
    return args;
}

static void run_sorted(const void *context)
{
    const struct bench *bench = context;
    const struct gpu_sorted args = sorted_args(bench, false);
    CHECK(exact_sorted(&args, bench->device.stream));
}

static void run_below(const void *context)
{
    const struct bench *bench = context;
    const struct gpu_sorted args = sorted_args(bench, true);
    CHECK(exact_sorted(&args, bench->device.stream));
}

static struct gpu_exact exact_args(const struct bench *bench, size_t n_pools, bool from_below)
{
    return (struct gpu_exact){.places = bench->places,
                              .planes = bench->planes,
                              .members = bench->members,
                              .pools = bench->pools,
                              .n_pools = (uint32_t)n_pools,
                              .lattice = {100.0, 0.0},
                              .ranks = ranks_of(bench, from_below, 1),
                              .results = bench->blocked};
}

static void run_blocked(const void *context)
{
    const struct bench *bench = context;
    const struct gpu_exact args = exact_args(bench, bench->n_pools, false);
    CHECK(exact_blocked(&args, bench->device.stream));
}

static void run_blocked_low(const struct bench *bench, double *quantile)
{
    struct gpu_exact args = exact_args(bench, bench->n_pools, true);
    args.results.quantile[0] = quantile;
    CHECK(exact_blocked(&args, bench->device.stream));
}

static void run_naive(const void *context)
{
    const struct bench *bench = context;
    const struct gpu_exact args = exact_args(bench, NAIVE_POOLS, false);
    CHECK(exact_naive(&args, bench->device.stream));
}

/* --- set up -------------------------------------------------------------------------------------------------------- */

/* Fields are made day by day, go in, and are kept; some planes come back and are compared. */
static void keep_all(struct bench *bench)
{
    const struct bench_data *data = &bench->data;
    const size_t n_years = (size_t)data->n_years, n_bytes = n_years * data->stride * sizeof(int16_t);
    int16_t *fields = bench_alloc(n_bytes);
    size_t n_differing = 0, n_compared = 0;
    for (size_t day = 0; day < (size_t)data->n_days; ++day) {
        struct gpu_keep_task tasks[BENCH_MAX_YEARS];
        for (size_t year = 0; year < n_years; ++year) {
            bench_make_field(data, (int)day, (int)year, fields + year * data->stride);
            tasks[year] = (struct gpu_keep_task){(uint32_t)year, (uint32_t)(day * n_years + year)};
        }
        CHECK(copy_in(bench->staging, fields, n_bytes, bench->device.stream));
        CHECK(copy_in(bench->tasks, tasks, n_years * sizeof *tasks, bench->device.stream));
        CHECK(stream_sync(bench->device.stream));
        run_keep(bench);
        if (day % 25 > 0)
            continue;
        int16_t *plane = (int16_t *)(void *)bench->host_a, *expected = (int16_t *)(void *)bench->host_b;
        fetch(bench, plane, bench->planes, (day * n_years + n_years - 1) * bench->places.pitch, sizeof *plane);
        bench_gather(data, bench->block_at, bench->places.n_cells, fields + (n_years - 1) * data->stride, expected);
        n_differing += bench_differing(plane, expected, bench->places.n_cells, sizeof *plane);
        n_compared += bench->places.n_cells;
    }
    const double seconds = time_of(bench, run_keep, bench->n_runs); /* the last day once more */
    row(bench, "keep", "planes", seconds, n_years, true);
    tell(bench, "keep", seconds * data->n_days, 4.0 * (double)bench->n_fields * bench->places.n_cells);
    tell_differing(bench, "kept planes and host", n_differing, n_compared);
    free(fields);
}

static struct gpu_results open_results(struct bench *bench)
{
    const size_t n = bench->result_items;
    return (struct gpu_results){.mean = device_memory(bench, n * sizeof(double)),
                                .quantile = {device_memory(bench, n * sizeof(double))},
                                .n_obs = device_memory(bench, n * sizeof(uint16_t))};
}

static void open_lists(struct bench *bench)
{
    const size_t n_years = (size_t)bench->data.n_years;
    uint32_t *members = bench_alloc(bench->n_fields * sizeof *members);
    struct gpu_pool *pools = bench_alloc(bench->n_pools * sizeof *pools);
    int32_t *min_samples = bench_alloc(bench->n_pools * sizeof *min_samples);
    for (size_t i = 0; i < bench->n_fields; ++i)
        members[i] = (uint32_t)i;
    for (size_t i = 0; i < bench->n_pools; ++i) {
        pools[i] = (struct gpu_pool){(uint32_t)(i * n_years), (uint32_t)(N_WINDOW * n_years), 1, (int32_t)i};
        min_samples[i] = 1;
    }
    bench->members = device_copy(bench, members, bench->n_fields * sizeof *members);
    bench->pools = device_copy(bench, pools, bench->n_pools * sizeof *pools);
    bench->min_samples = device_copy(bench, min_samples, bench->n_pools * sizeof *min_samples);
    free(members);
    free(pools);
    free(min_samples);
    for (int q = 0; q < 2; ++q) {
        struct cell_rank *ranks = bench_ranks((int)(N_WINDOW * n_years), q ? low : high);
        struct cell_rank **to = q ? &bench->ranks_low : &bench->ranks_high;
        *to = device_copy(bench, ranks, (N_WINDOW * n_years + 1) * sizeof *ranks);
        free(ranks);
    }
}

static void open_bench(struct bench *bench, bool is_ocean)
{
    const struct bench_data *data = &bench->data;
    size_t n_blocks = 0;
    uint32_t *block_at = bench_places(data, is_ocean, &n_blocks);
    bench->variant = is_ocean ? "ocean" : "all";
    bench->n_fields = (size_t)data->n_days * (size_t)data->n_years;
    bench->n_pools = (size_t)data->n_days - N_WINDOW + 1;
    bench->places.n_cells = (uint32_t)(n_blocks * GPU_BLOCK_CELLS);
    bench->places.pitch = (bench->places.n_cells + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS;
    bench->result_items = bench->n_pools * bench->places.pitch;
    bench->block_at = block_at;
    bench->places.block_at = device_copy(bench, block_at, n_blocks * sizeof *block_at);
    bench->staging = device_memory(bench, (size_t)data->n_years * data->stride * sizeof(int16_t));
    bench->tasks = device_memory(bench, (size_t)data->n_years * sizeof(struct gpu_keep_task));
    bench->planes = device_memory(bench, bench->n_fields * bench->places.pitch * sizeof(int16_t));
    bench->copy = device_memory(bench, bench->n_fields * bench->places.pitch / 2 * sizeof(int16_t));
    CHECK(fill_missing(bench->planes, bench->n_fields * bench->places.pitch, bench->device.stream));
    bench->sorted = open_results(bench);
    bench->blocked = open_results(bench);
    bench->below = (struct gpu_results){.quantile = {device_memory(bench, bench->result_items * sizeof(double))}};
    bench->host_a = bench_alloc(bench->places.pitch * sizeof(double));
    bench->host_b = bench_alloc(bench->places.pitch * sizeof(double));
    open_lists(bench);
}

static void close_bench(struct bench *bench)
{
    const void *const memory[] = {bench->places.block_at,
                                  bench->staging,
                                  bench->tasks,
                                  bench->planes,
                                  bench->copy,
                                  bench->members,
                                  bench->pools,
                                  bench->min_samples,
                                  bench->ranks_high,
                                  bench->ranks_low,
                                  bench->sorted.mean,
                                  bench->sorted.quantile[0],
                                  bench->sorted.n_obs,
                                  bench->blocked.mean,
                                  bench->blocked.quantile[0],
                                  bench->blocked.n_obs,
                                  bench->below.quantile[0],
                                  bench->scratch};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
        bench_device_release(&bench->device, memory[i]);
    bench->scratch = NULL;
    free(bench->block_at);
    free(bench->host_a);
    free(bench->host_b);
}

/* Whether a sorted form is built; takes its scratch. */
static bool has_sorted(struct bench *bench)
{
    const struct gpu_sorted args = sorted_args(bench, false);
    int is_built = 0;
    size_t n_bytes = 0;
    CHECK(sorted_form(args.n_members, N_WINDOW, args.depth, bench->places.n_cells, &is_built, &n_bytes));
    if (n_bytes > 0)
        bench->scratch = device_memory(bench, n_bytes);
    return is_built != 0;
}

/* The sorted form with the blocked one. */
static void compare_forms(struct bench *bench)
{
    const struct gpu_results *a = &bench->sorted, *b = &bench->blocked;
    compare(bench, "sorted and blocked: P90", a->quantile[0], b->quantile[0], sizeof(double), bench->n_pools);
    compare(bench, "sorted and blocked: mean", a->mean, b->mean, sizeof(double), bench->n_pools);
    compare(bench, "sorted and blocked: n_obs", a->n_obs, b->n_obs, sizeof(uint16_t), bench->n_pools);
    run_blocked_low(bench, b->quantile[0]);
    compare(bench, "sorted and blocked: P10", bench->below.quantile[0], b->quantile[0], sizeof(double), bench->n_pools);
}

static void run_all(struct bench *bench, bool is_ocean)
{
    open_bench(bench, is_ocean);
    const double n_cells = bench->places.n_cells, values = 2.0 * (double)bench->n_fields * n_cells;
    const double results = (double)bench->n_pools * n_cells;
    const size_t n_copied = bench->n_fields * bench->places.pitch / 2 * sizeof(int16_t);
    bench->copy_rate = 0.0;
    const double copy_seconds = time_of(bench, run_copy, bench->n_runs);
    tell(bench, "copy", copy_seconds, 2.0 * (double)n_copied);
    bench->copy_rate = 2.0 * (double)n_copied / copy_seconds;
    keep_all(bench);
    const bool is_sorted = has_sorted(bench);
    if (is_sorted) {
        const double seconds = time_of(bench, run_sorted, bench->n_runs);
        row(bench, "exact", "sorted", seconds, bench->n_pools, true);
        tell(bench, "sorted P90", seconds, values + 18.0 * results);
        tell(bench, "sorted P10", time_of(bench, run_below, bench->n_runs), values + 8.0 * results);
    }
    const double naive_seconds = time_of(bench, run_naive, 1);
    row(bench, "exact", "naive", naive_seconds, NAIVE_POOLS, false);
    tell(bench, "naive (few)", naive_seconds,
         (double)(NAIVE_POOLS + N_WINDOW - 1) * bench->data.n_years * 2.0 * n_cells + 18.0 * NAIVE_POOLS * n_cells);
    if (is_sorted)
        compare(bench, "sorted and naive: P90", bench->sorted.quantile[0], bench->blocked.quantile[0], sizeof(double),
                NAIVE_POOLS);
    const double blocked_seconds = time_of(bench, run_blocked, bench->n_runs);
    row(bench, "exact", "blocked", blocked_seconds, bench->n_pools, !is_sorted);
    tell(bench, "blocked P90", blocked_seconds, values + 18.0 * results);
    if (is_sorted)
        compare_forms(bench);
    else
        run_blocked_low(bench, bench->below.quantile[0]);
    compare_with_cpu(bench, is_sorted ? "sorted" : "blocked", is_sorted ? &bench->sorted : &bench->blocked,
                     bench->below.quantile[0]);
    close_bench(bench);
}

int main(int argc, char **argv)
{
    struct bench bench = {
        .n_runs = 7, .n_cpu_pools = 3, .data = {.n_lon = 1440, .n_lat = 721, .n_days = 102, .n_years = 30}};
    const char *plugin = NULL;
    const struct {
        const char *name;
        int *to;
    } options[] = {{"--lon", &bench.data.n_lon},     {"--lat", &bench.data.n_lat},       {"--days", &bench.data.n_days},
                   {"--years", &bench.data.n_years}, {"--gaps", &bench.data.n_gaps},     {"--device", &bench.index},
                   {"--runs", &bench.n_runs},        {"--cpu-pools", &bench.n_cpu_pools}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--plugin") == 0)
            plugin = argv[i + 1];
        for (size_t o = 0; o < sizeof options / sizeof options[0]; ++o)
            if (strcmp(argv[i], options[o].name) == 0)
                *options[o].to = (int)strtol(argv[i + 1], NULL, 10);
    }
    if (!plugin || !bench_data_is_right(&bench.data) || bench.data.n_days < N_WINDOW + NAIVE_POOLS ||
        bench.n_runs < 1 || bench.n_runs > BENCH_MAX_RUNS || bench.n_cpu_pools < 1) {
        (void)fprintf(stderr, "usage: see the head of bench/gpu_exact.c\n");
        return 2;
    }
    bench_device_open(&bench.device, plugin, bench.index);
    (void)printf("sorted forms %s\n", bench.device.api->sorted_forms);
    run_all(&bench, false);
    run_all(&bench, true);
    (void)printf("%zu differing in all\n", bench.n_differing);
    return bench.n_differing > 0;
}
