/*
 * Lists of greatest values on a device: fields into lists, and the 90th percentile of 11 days' lists, beside a copy of the
 * same run; lists and results are compared with the CPU backend's.
 *
 *   cmake --preset release && cmake --build --preset release --target gpu_tail_bench
 *   build/release/gpu_tail_bench --plugin PATH [--lon N] [--lat N] [--days N] [--years N] [--gaps N] [--k N] [--device N]
 *                                [--runs N]
 *
 * Cells are those that a run computes: blocks with sea. Printed are medians of the times between two events; bytes are the
 * fewest (each input once, each output once), and their rate stands as a share of the copy's, which reads and writes. Lines
 * of JSON are rows for bench/portability. Ends with 1 where a value differs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "gpu_device.h"
#include "gpu_exact_data.h"

enum { N_WINDOW = 11, N_CPU_POOLS = 3, MIN_SAMPLES = 1, RESULT_BYTES = 3 * sizeof(double) + 2 + 1 };
static const double p90 = 0.9;

struct bench {
    struct bench_device device;
    struct bench_data data;
    int index, n_runs, k; /* index: of the device */
    size_t n_years, n_days, n_pools;
    double copy_rate; /* [B/s] */
    size_t n_differing;
    /* On the host */
    struct sst_cells cells;
    int16_t *codes; /* a day's fields */
    struct sst_tail_view *bins; /* by day */
    /* Of the device */
    struct gpu_places places;
    int16_t *fields;
    struct gpu_tail_store store;
    struct gpu_tail tail;
};

#define CHECK(call) bench_device_check(&bench->device, bench->device.api->call, #call)

static void need(bool is_there)
{
    if (is_there)
        return;
    (void)fprintf(stderr, "no memory for so many cells\n");
    exit(2);
}

static size_t list_bytes(const struct bench *bench) { return 2 + 4 + 2 * (size_t)bench->k; }

static void tell(const struct bench *bench, const char *name, double seconds, double bytes)
{
    (void)printf("%-28s %10.3f ms  %8.3f GB  %8.1f GB/s  %5.1f %% of copy\n", name, seconds * 1e3, bytes * 1e-9,
                 bytes / seconds * 1e-9, bytes / seconds / bench->copy_rate * 100.0);
}

static void tell_differing(struct bench *bench, const char *what, size_t n_differing, size_t n)
{
    bench->n_differing += n_differing;
    (void)printf("%-28s %zu of %zu differing\n", what, n_differing, n);
    (void)fflush(stdout);
}

/* --- fields and lists --------------------------------------------------------------------------------------------- */

static void make_day(const struct bench *bench, size_t day)
{
    for (size_t year = 0; year < bench->n_years; ++year)
        bench_make_field(&bench->data, (int)day, (int)year, bench->codes + year * bench->data.stride);
}

static struct sst_field field_of(const struct bench *bench, size_t year)
{
    int16_t *codes = bench->codes + year * bench->data.stride;
    return (struct sst_field){.n_cells = bench->cells.n_domain, .codes = codes, .hundredths = codes};
}

/* Places are given by the first day, as a run does it. */
static void open_places(struct bench *bench)
{
    struct sst_error err = {0};
    need(sst_cells_init(&bench->cells, (size_t)bench->data.n_lon * (size_t)bench->data.n_lat, &err) == SST_OK);
    bench->codes = bench_alloc(bench->n_years * bench->data.stride * sizeof *bench->codes);
    make_day(bench, 0);
    for (size_t year = 0; year < bench->n_years; ++year) {
        const struct sst_field field = field_of(bench, year);
        sst_cells_take(&bench->cells, &field);
    }
    const size_t n_cells = bench->cells.n_places, n_blocks = n_cells / GPU_BLOCK_CELLS;
    uint32_t *block_at = bench_alloc(n_blocks * sizeof *block_at);
    for (size_t i = 0; i < n_blocks; ++i)
        block_at[i] = i < bench->cells.n_given ? bench->cells.block_at[i] : GPU_NO_BLOCK;
    bench->places =
        (struct gpu_places){bench_device_put(&bench->device, block_at, n_blocks * sizeof *block_at), (uint32_t)n_cells,
                            (uint32_t)((n_cells + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS)};
    free(block_at);
}

static struct sst_tail_view make_bin(const struct bench *bench)
{
    const size_t n = bench->places.n_cells, k = (size_t)bench->k;
    struct sst_tail_view bin = {bench_alloc(n * sizeof *bin.n),
                                bench_alloc(n * sizeof *bin.s1),
                                bench_alloc(n * k * sizeof *bin.top),
                                NULL,
                                k,
                                0};
    memset(bin.n, 0, n * sizeof *bin.n);
    memset(bin.s1, 0, n * sizeof *bin.s1);
    for (size_t i = 0; i < n * k; ++i)
        bin.top[i] = SST_CODE_MISSING;
    return bin;
}

/* Each day's fields go to the device, and into the host's list. */
static void open_fields(struct bench *bench)
{
    const size_t n_items = bench->n_years * bench->data.stride;
    bench->fields = bench_device_take(&bench->device, bench->n_days * n_items * sizeof *bench->fields);
    bench->bins = bench_alloc(bench->n_days * sizeof *bench->bins);
    for (size_t day = 0; day < bench->n_days; ++day) {
        struct sst_field fields[BENCH_MAX_YEARS];
        const struct sst_field *pointers[BENCH_MAX_YEARS];
        make_day(bench, day);
        for (size_t year = 0; year < bench->n_years; ++year) {
            fields[year] = field_of(bench, year);
            pointers[year] = &fields[year];
        }
        bench->bins[day] = make_bin(bench);
        sst_backend_cpu()->tail_add_fields(bench->bins[day], &bench->cells, pointers, bench->n_years);
        CHECK(
            copy_in(bench->fields + day * n_items, bench->codes, n_items * sizeof *bench->codes, bench->device.stream));
        CHECK(stream_sync(bench->device.stream));
    }
}

/* --- adding ------------------------------------------------------------------------------------------------------- */

/* Launches that one after the other add all fields of all days, `n_batch` of each day at a time; lists are new in the first. */
struct adding {
    const struct bench *bench;
    struct gpu_add_task *tasks; /* of the device, n_days for a launch */
    size_t n_batch;
};

static struct adding make_adding(const struct bench *bench, size_t n_batch)
{
    const size_t n_years = bench->n_years, n_launches = (n_years + n_batch - 1) / n_batch;
    const size_t n_bytes = n_launches * bench->n_days * sizeof(struct gpu_add_task);
    struct gpu_add_task *tasks = bench_alloc(n_bytes), *task = tasks;
    for (size_t first = 0; first < n_years; first += n_batch)
        for (size_t day = 0; day < bench->n_days; ++day)
            *task++ =
                (struct gpu_add_task){(uint32_t)day, (uint32_t)(day * n_years + first),
                                      (uint32_t)(n_years - first < n_batch ? n_years - first : n_batch), first == 0};
    const struct adding adding = {bench, bench_device_put(&bench->device, tasks, n_bytes), n_batch};
    free(tasks);
    return adding;
}

static void run_add(const void *context)
{
    const struct adding *adding = context;
    const struct bench *bench = adding->bench;
    const struct gpu_fields fields = {bench->fields, bench->data.stride};
    struct gpu_tail_add args = {bench->places, bench->store, fields, fields, adding->tasks, (uint32_t)bench->n_days};
    for (size_t first = 0; first < bench->n_years; first += adding->n_batch, args.tasks += args.n_tasks)
        CHECK(tail_add(&args, bench->device.stream));
}

static void compare_lists(struct bench *bench)
{
    const size_t n = bench->places.n_cells, pitch = bench->places.pitch, k = (size_t)bench->k;
    size_t n_lists = 0, n_sums = 0;
    void *got = bench_alloc(n * sizeof(double));
    for (size_t day = 0; day < bench->n_days; ++day) {
        const struct sst_tail_view *bin = &bench->bins[day];
        bench_device_fetch(&bench->device, got, bench->store.n + day * pitch, n * sizeof *bin->n);
        n_sums += bench_differing(got, bin->n, n, sizeof *bin->n);
        bench_device_fetch(&bench->device, got, bench->store.s1 + day * pitch, n * sizeof *bin->s1);
        n_sums += bench_differing(got, bin->s1, n, sizeof *bin->s1);
        for (size_t r = 0; r < k; ++r) {
            bench_device_fetch(&bench->device, got, bench->store.top + (day * k + r) * pitch, n * sizeof *bin->top);
            n_lists += bench_differing(got, bin->top + r * n, n, sizeof *bin->top);
        }
    }
    free(got);
    tell_differing(bench, "lists and cpu", n_lists, bench->n_days * k * n);
    tell_differing(bench, "counts, sums and cpu", n_sums, 2 * bench->n_days * n);
}

/* Values are compared after the last run: each begins with new lists, so all runs give the same. */
static void measure_add(struct bench *bench, const char *form, size_t n_batch, bool is_taken)
{
    const size_t n_launches = (bench->n_years + n_batch - 1) / n_batch;
    const double n_lists = (double)bench->n_days * bench->places.n_cells, n_values = n_lists * (double)bench->n_years;
    const struct adding adding = make_adding(bench, n_batch);
    char name[64];
    const double seconds = bench_device_seconds(&bench->device, run_add, &adding, bench->n_runs);
    bench_device_release(&bench->device, adding.tasks);
    (void)snprintf(name, sizeof name, "add, %s", form);
    /* A later launch reads what the one before wrote. */
    tell(bench, name, seconds, 2.0 * n_values + n_lists * (double)(list_bytes(bench) * (2 * n_launches - 1)));
    bench_device_row(&bench->device, "tail_add", form, seconds / n_values, is_taken);
    compare_lists(bench);
}

/* --- finishing ---------------------------------------------------------------------------------------------------- */

static void run_tail(const void *context)
{
    const struct bench *bench = context;
    CHECK(tail(&bench->tail, bench->device.stream));
}

static struct gpu_pool *make_pools(const struct bench *bench)
{
    struct gpu_pool *pools = bench_alloc(bench->n_pools * sizeof *pools);
    for (size_t i = 0; i < bench->n_pools; ++i)
        pools[i] = (struct gpu_pool){(uint32_t)i, N_WINDOW, MIN_SAMPLES, (int32_t)i};
    return pools;
}

static void open_tail(struct bench *bench)
{
    const struct bench_device *device = &bench->device;
    const size_t n_items = bench->n_pools * bench->places.pitch, n_most = bench->n_years * N_WINDOW;
    uint32_t *members = bench_alloc(bench->n_days * sizeof *members);
    struct gpu_pool *pools = make_pools(bench);
    struct cell_rank *ranks = bench_ranks((int)n_most, p90);
    for (size_t day = 0; day < bench->n_days; ++day)
        members[day] = (uint32_t)day;
    bench->tail =
        (struct gpu_tail){.places = bench->places,
                          .store = bench->store,
                          .members = bench_device_put(device, members, bench->n_days * sizeof *members),
                          .pools = bench_device_put(device, pools, bench->n_pools * sizeof *pools),
                          .n_pools = (uint32_t)bench->n_pools,
                          .n_most_members = N_WINDOW,
                          .lattice = {100.0, 0.0},
                          .ranks = {bench_device_put(device, ranks, (n_most + 1) * sizeof *ranks), (uint32_t)n_most, 1},
                          .results = {.mean = bench_device_take(device, n_items * sizeof(double)),
                                      .quantile = {bench_device_take(device, n_items * sizeof(double))},
                                      .bound = {bench_device_take(device, n_items * sizeof(double))},
                                      .n_obs = bench_device_take(device, n_items * sizeof(uint16_t)),
                                      .mark = bench_device_take(device, n_items)}};
    free(members);
    free(pools);
    free(ranks);
}

/* What the CPU backend makes of a pool. */
struct expected {
    double *mean, *quantile, *bound;
    uint16_t *n;
    int32_t *s1;
    uint8_t *uncertified;
};

static void finish_on_cpu(const struct bench *bench, size_t pool, const struct expected *expected)
{
    const size_t n = bench->places.n_cells;
    const struct sst_backend *cpu = sst_backend_cpu();
    const struct sst_tail_pool of = {bench->bins + pool, N_WINDOW, expected->n, expected->s1};
    const struct sst_quantile_args args = {&p90, 1, 7, sst_lattice_of(SST_LATTICE_CENTI), MIN_SAMPLES};
    const struct sst_tail_out out = {.mean = expected->mean,
                                     .quantile = &expected->quantile,
                                     .bound = &expected->bound,
                                     .uncertified = expected->uncertified};
    struct sst_error err = {0};
    memset(expected->n, 0, n * sizeof *expected->n);
    memset(expected->s1, 0, n * sizeof *expected->s1);
    for (size_t day = pool; day < pool + N_WINDOW; ++day) {
        cpu->plane_add(expected->n, bench->bins[day].n, SST_PLANE_U16, n);
        cpu->plane_add(expected->s1, bench->bins[day].s1, SST_PLANE_I32, n);
    }
    need(cpu->tail_finish(&of, &args, &out, n, &err) == SST_OK);
}

static void compare_results(struct bench *bench)
{
    const size_t n = bench->places.n_cells;
    const struct gpu_results *results = &bench->tail.results;
    const struct expected expected = {bench_alloc(n * sizeof(double)),  bench_alloc(n * sizeof(double)),
                                      bench_alloc(n * sizeof(double)),  bench_alloc(n * sizeof(uint16_t)),
                                      bench_alloc(n * sizeof(int32_t)), bench_alloc(n)};
    const struct {
        const char *name;
        const void *device, *host;
        size_t size;
    } all[] = {{"mean and cpu", results->mean, expected.mean, sizeof(double)},
               {"P90 and cpu", results->quantile[0], expected.quantile, sizeof(double)},
               {"bound and cpu", results->bound[0], expected.bound, sizeof(double)},
               {"n_obs and cpu", results->n_obs, expected.n, sizeof(uint16_t)},
               {"uncertified and cpu", results->mark, expected.uncertified, 1}};
    enum { N_PLANES = sizeof all / sizeof all[0] };
    size_t n_differing[N_PLANES] = {0};
    void *got = bench_alloc(n * sizeof(double));
    for (size_t i = 0; i < N_CPU_POOLS; ++i) {
        const size_t pool = i * (bench->n_pools - 1) / (N_CPU_POOLS - 1);
        finish_on_cpu(bench, pool, &expected);
        for (int plane = 0; plane < N_PLANES; ++plane) {
            const size_t size = all[plane].size;
            const unsigned char *from = all[plane].device;
            bench_device_fetch(&bench->device, got, from + pool * bench->places.pitch * size, n * size);
            n_differing[plane] += bench_differing(got, all[plane].host, n, size);
        }
    }
    for (int plane = 0; plane < N_PLANES; ++plane)
        tell_differing(bench, all[plane].name, n_differing[plane], N_CPU_POOLS * n);
    void *const memory[] = {
        expected.mean, expected.quantile, expected.bound, expected.n, expected.s1, expected.uncertified, got};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
        free(memory[i]);
}

static void measure_tail(struct bench *bench)
{
    const double n_lists = (double)bench->n_days * bench->places.n_cells;
    const double n_results = (double)bench->n_pools * bench->places.n_cells;
    const double seconds = bench_device_seconds(&bench->device, run_tail, bench, bench->n_runs);
    tell(bench, "finish, P90", seconds, n_lists * (double)list_bytes(bench) + n_results * RESULT_BYTES);
    bench_device_row(&bench->device, "tail", "lists", seconds / n_results, true);
    compare_results(bench);
}

/* --- all ---------------------------------------------------------------------------------------------------------- */

static void run_all(struct bench *bench)
{
    open_places(bench);
    open_fields(bench);
    const size_t n_items = bench->n_days * bench->places.pitch;
    bench->store =
        (struct gpu_tail_store){.n = bench_device_take(&bench->device, n_items * sizeof(uint16_t)),
                                .s1 = bench_device_take(&bench->device, n_items * sizeof(int32_t)),
                                .top = bench_device_take(&bench->device, n_items * (size_t)bench->k * sizeof(int16_t)),
                                .k_top = (uint32_t)bench->k};
    open_tail(bench);
    bench->copy_rate = bench_device_copy_rate(&bench->device, n_items * list_bytes(bench), bench->n_runs);
    (void)printf("%u cells, %zu days of %zu years, lists of %d; copy %.1f GB/s\n", bench->places.n_cells, bench->n_days,
                 bench->n_years, bench->k, bench->copy_rate * 1e-9);
    measure_add(bench, "one by one", 1, false);
    measure_add(bench, "all at once", bench->n_years, false);
    measure_add(bench, "by eight", SST_MAX_BATCH, true);
    measure_tail(bench);
}

static void close_all(const struct bench *bench)
{
    const struct gpu_tail *tail = &bench->tail;
    const void *const memory[] = {
        bench->places.block_at, bench->fields,       bench->store.n,     bench->store.s1,
        bench->store.top,       tail->members,       tail->pools,        tail->ranks.ranks,
        tail->results.mean,     tail->results.n_obs, tail->results.mark, tail->results.quantile[0],
        tail->results.bound[0]};
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; ++i)
        bench_device_release(&bench->device, memory[i]);
    for (size_t day = 0; day < bench->n_days; ++day) {
        free(bench->bins[day].n);
        free(bench->bins[day].s1);
        free(bench->bins[day].top);
    }
    free(bench->bins);
    free(bench->codes);
}

int main(int argc, char **argv)
{
    struct bench bench = {.n_runs = 7, .k = 16, .data = {.n_lon = 1440, .n_lat = 721, .n_days = 42, .n_years = 30}};
    const char *plugin = NULL;
    const struct {
        const char *name;
        int *to;
    } options[] = {{"--lon", &bench.data.n_lon},   {"--lat", &bench.data.n_lat},
                   {"--days", &bench.data.n_days}, {"--years", &bench.data.n_years},
                   {"--gaps", &bench.data.n_gaps}, {"--device", &bench.index},
                   {"--runs", &bench.n_runs},      {"--k", &bench.k}};
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--plugin") == 0)
            plugin = argv[i + 1];
        for (size_t o = 0; o < sizeof options / sizeof options[0]; ++o)
            if (strcmp(argv[i], options[o].name) == 0)
                *options[o].to = (int)strtol(argv[i + 1], NULL, 10);
    }
    if (!plugin || !bench_data_is_right(&bench.data) || bench.data.n_days < N_WINDOW || bench.k < 1 ||
        bench.n_runs < 1 || bench.n_runs > BENCH_MAX_RUNS) {
        (void)fprintf(stderr, "usage: see the head of bench/gpu_tail.c\n");
        return 2;
    }
    bench.n_years = (size_t)bench.data.n_years;
    bench.n_days = (size_t)bench.data.n_days;
    bench.n_pools = bench.n_days - N_WINDOW + 1;
    bench_device_open(&bench.device, plugin, bench.index);
    run_all(&bench);
    close_all(&bench);
    sst_cells_clear(&bench.cells);
    (void)printf("%zu differing in all\n", bench.n_differing);
    return bench.n_differing > 0;
}
