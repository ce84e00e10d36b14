/*
 * What the device's moments kernels cost, beside a copy of the same device in the same run, and whether every value is the CPU
 * backend's to the bit.
 *
 *   cmake --preset release && cmake --build --preset release --target gpu_moments
 *   build/release/gpu_moments --plugin FILE [--device N] [--lon N] [--lat N] [--bins N] [--years N] [--land PERCENT]
 *                             [--runs N] [--copy-mb N] [--json FILE]
 *
 * Printed are medians of events' times, the traffic of the fewest bytes (each field's codes, bin and result once; a bin that
 * is not new is read and written), and its share of the copy's rate, which counts both ways. Exit 1: a value differs.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_device.h"
#include "gpu_moments_cpu.h"

enum { RESULT_BYTES = 19, MB = 1000000, BLOCK_THREADS = 64, ROW_DAYS = 11 };

struct bench {
    const char *plugin, *json_path;
    struct bench_device device;
    int index, n_runs; /* of the device */
    size_t n_lon, n_lat, n_bins, n_years, copy_mb;
    int land;
    FILE *json;
    struct moments_case *host;
    double copy_rate; /* [B/s] */
    /* In device memory */
    struct gpu_places places;
    struct gpu_fields fields;
    struct gpu_moments_store store;
    struct gpu_results results;
    float *tables[MOMENTS_PERCENTILES], *v_limit;
    struct gpu_results shape; /* sd, skew, kurt, and the second percentile: compared, not timed */
    size_t n_different;
};

static void stop(const char *what)
{
    fprintf(stderr, "gpu_moments: %s\n", what);
    exit(2);
}

static void check(const struct bench *bench, int code, const char *what)
{
    bench_device_check(&bench->device, code, what);
}

static void *take(const struct bench *bench, size_t n_bytes) { return bench_device_take(&bench->device, n_bytes); }

static void *put(const struct bench *bench, const void *host, size_t n_bytes)
{
    return bench_device_put(&bench->device, host, n_bytes);
}

/* --- timing ------------------------------------------------------------------------------------------------------- */

typedef int launch_function(const struct bench *bench, const void *args);

struct timed {
    const struct bench *bench;
    launch_function *launch;
    const void *args;
};

static void run_timed(const void *context)
{
    const struct timed *timed = context;
    check(timed->bench, timed->launch(timed->bench, timed->args), "launch");
}

static double time_of(const struct bench *bench, launch_function *launch, const void *args)
{
    const struct timed timed = {bench, launch, args};
    return bench_device_seconds(&bench->device, run_timed, &timed, bench->n_runs);
}

static void tell(struct bench *bench, const char *name, double seconds, double n_bytes, size_t n_different)
{
    const double share = bench->copy_rate > 0 ? n_bytes / seconds / bench->copy_rate : 1;
    bench->n_different += n_different;
    printf("%-34s %10.4f ms %8.1f GB/s %6.1f %% of copy %8zu bytes differ\n", name, seconds * 1e3,
           n_bytes / seconds / 1e9, share * 100, n_different);
    (void)fflush(stdout);
    if (bench->json)
        fprintf(bench->json,
                "{\"kernel\": \"%s\", \"seconds\": %.9g, \"bytes\": %.0f, \"share\": %.4f, \"differ\": %zu}\n", name,
                seconds, n_bytes, share, n_different);
}

static void measure_copy(struct bench *bench)
{
    const double n_bytes = (double)(bench->copy_mb * MB);
    bench->copy_rate = bench_device_copy_rate(&bench->device, bench->copy_mb * MB, bench->n_runs);
    tell(bench, "copy", 2.0 * n_bytes / bench->copy_rate, 2.0 * n_bytes, 0);
}

/* --- comparing ---------------------------------------------------------------------------------------------------- */

/* Bytes of a device's plane that are not the host's. */
static size_t different(const struct bench *bench, const void *device, const void *host, size_t n_bytes)
{
    unsigned char *got = malloc(n_bytes);
    if (!got)
        stop("no memory");
    bench_device_fetch(&bench->device, got, device, n_bytes);
    const size_t n = bench_differing(got, host, n_bytes, 1);
    free(got);
    return n;
}

static size_t different_bins(const struct bench *bench)
{
    const size_t n = bench->places.n_cells, pitch = bench->places.pitch;
    const struct gpu_moments_store *d = &bench->store;
    size_t total = 0;
    for (size_t bin = 0; bin < bench->n_bins; ++bin) {
        const struct sst_moments_view h = moments_case_bin(bench->host, bin);
        const size_t at = bin * pitch;
        total += different(bench, d->n + at, h.n, n * sizeof *h.n);
        total += different(bench, d->s1 + at, h.s1, n * sizeof *h.s1);
        total += different(bench, d->s2 + at, h.s2, n * sizeof *h.s2);
        total += different(bench, d->s3 + at, h.s3, n * sizeof *h.s3);
        total += different(bench, d->s4 + at, h.s4, n * sizeof *h.s4);
    }
    return total;
}

static size_t different_results(const struct bench *bench, const struct gpu_window *args,
                                const struct moments_results *host, size_t n_pools)
{
    const size_t n = bench->places.n_cells, pitch = bench->places.pitch;
    const struct gpu_results *d = &args->results;
    size_t total = 0;
    for (size_t pool = 0; pool < n_pools; ++pool) {
        const size_t at = pool * pitch, from = pool * n;
        total += different(bench, d->mean + at, host->mean + from, n * sizeof *d->mean);
        for (int32_t q = 0; q < args->fit.n_percentiles; ++q)
            total += different(bench, d->quantile[q] + at, host->quantile[q] + from, n * sizeof(double));
        total += different(bench, d->n_obs + at, host->n_obs + from, n * sizeof *d->n_obs);
        total += different(bench, d->mark + at, host->mark + from, n);
        if (d->sd) {
            total += different(bench, d->sd + at, host->sd + from, n * sizeof *d->sd);
            total += different(bench, d->skew + at, host->skew + from, n * sizeof *d->skew);
            total += different(bench, d->kurt + at, host->kurt + from, n * sizeof *d->kurt);
        }
    }
    return total;
}

/* --- add ---------------------------------------------------------------------------------------------------------- */

static int launch_add(const struct bench *bench, const void *args)
{
    return bench->device.api->moments_add(args, bench->device.stream);
}

static struct gpu_moments_add make_add(const struct bench *bench, uint32_t first, uint32_t n_fields, uint32_t is_new)
{
    struct gpu_add_task *tasks = calloc(bench->n_bins, sizeof *tasks);
    if (!tasks)
        stop("no memory");
    for (uint32_t bin = 0; bin < bench->n_bins; ++bin)
        tasks[bin] = (struct gpu_add_task){bin, bin * (uint32_t)bench->n_years + first, n_fields, is_new};
    const struct gpu_moments_add args = {bench->places, bench->store, bench->fields,
                                         put(bench, tasks, bench->n_bins * sizeof *tasks), (uint32_t)bench->n_bins};
    free(tasks);
    return args;
}

/* Values are checked after one launch on top of what the CPU has; the time comes after, of any contents. */
static void measure_add(struct bench *bench, const char *name, const char *form, size_t n_fields, bool is_new)
{
    const struct gpu_moments_add args = make_add(bench, 0, (uint32_t)n_fields, is_new);
    const double bytes_per_cell = 2.0 * (double)n_fields + MOMENTS_BIN_BYTES * (is_new ? 1 : 2);
    check(bench, launch_add(bench, &args), "launch");
    if (is_new)
        moments_case_empty(bench->host);
    moments_case_add(bench->host, n_fields);
    const size_t n_different = different_bins(bench);
    const double seconds = time_of(bench, launch_add, &args), n_bins = (double)bench->n_bins * bench->places.n_cells;
    if (form)
        bench_device_row(&bench->device, "add", form, seconds / n_bins / (double)n_fields, false);
    tell(bench, name, seconds, bytes_per_cell * n_bins, n_different);
}

/* As the program adds: launches of up to eight fields, of which the first finds new bins. */
struct batches {
    struct gpu_moments_add *adds;
    size_t n;
};

static int launch_batches(const struct bench *bench, const void *args)
{
    const struct batches *batches = args;
    int code = 0;
    for (size_t i = 0; i < batches->n && code == 0; ++i)
        code = launch_add(bench, &batches->adds[i]);
    return code;
}

/* Leaves all fields in the bins, here and on the device. */
static void measure_batches(struct bench *bench)
{
    const size_t n_years = bench->n_years, n = (n_years + SST_MAX_BATCH - 1) / SST_MAX_BATCH;
    const struct batches batches = {calloc(n, sizeof *batches.adds), n};
    const double n_bins = (double)bench->n_bins * bench->places.n_cells;
    if (!batches.adds)
        stop("no memory");
    for (size_t i = 0; i < n; ++i) {
        const size_t first = i * SST_MAX_BATCH, left = n_years - first;
        batches.adds[i] =
            make_add(bench, (uint32_t)first, (uint32_t)(left < SST_MAX_BATCH ? left : SST_MAX_BATCH), i == 0);
    }
    const double seconds = time_of(bench, launch_batches, &batches);
    free(batches.adds);
    bench_device_row(&bench->device, "add", "by eight", seconds / n_bins / (double)n_years, true);
    moments_case_empty(bench->host);
    moments_case_add(bench->host, n_years);
    tell(bench, "add all fields by eight", seconds,
         (2.0 * (double)n_years + MOMENTS_BIN_BYTES * (double)(2 * n - 1)) * n_bins, different_bins(bench));
}

/* --- window ------------------------------------------------------------------------------------------------------- */

static int launch_window(const struct bench *bench, const void *args)
{
    return bench->device.api->window(args, bench->device.stream);
}

static struct gpu_fit fit_of(const struct bench *bench, bool is_maxent)
{
    return (struct gpu_fit){.kind = is_maxent ? GPU_FIT_MAXENT : GPU_FIT_CF,
                            .n_percentiles = 1,
                            .z = {MOMENTS_Z90, MOMENTS_Z10},
                            .table = {bench->tables[0], bench->tables[1]},
                            .v_limit = bench->v_limit};
}

/* So that no form is given what another has found. */
static void forget_results(const struct bench *bench, const struct gpu_results *d, size_t n)
{
    const struct {
        void *plane;
        size_t size;
    } planes[] = {{d->mean, sizeof *d->mean},   {d->quantile[0], sizeof(double)}, {d->quantile[1], sizeof(double)},
                  {d->n_obs, sizeof *d->n_obs}, {d->mark, sizeof *d->mark},       {d->sd, sizeof *d->sd},
                  {d->skew, sizeof *d->skew},   {d->kurt, sizeof *d->kurt}};
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; ++i)
        if (planes[i].plane)
            check(bench, bench->device.api->zero(planes[i].plane, n * planes[i].size, bench->device.stream), "zero");
}

/* As the launcher chooses where it is not told (form_of in kernels/launch_moments.hip.cpp). */
static int taken_form(const struct bench *bench, uint32_t n_ring)
{
    const bool has_few_fast = strcmp(bench->device.api->kind, "hip") == 0;
    return n_ring == 0 ? GPU_WINDOW_REREAD : has_few_fast ? GPU_WINDOW_REGISTERS : GPU_WINDOW_FAST;
}

/* The window of 11 days with its ring, for bench/portability. */
static void tell_row(const struct bench *bench, const struct window_steps *way, int form, double seconds)
{
    static const char *const forms[] = {"chosen", "fast ring", "registers", "reread"};
    bench_device_row(&bench->device, "window", forms[form], seconds / (double)way->n_pools / bench->places.n_cells,
                     form == taken_form(bench, way->n_ring));
}

/* The same with all that can be asked for, which other kernels work out. */
static size_t different_shape(const struct bench *bench, struct gpu_window args, const struct moments_results *expected,
                              size_t n_pools)
{
    args.fit.n_percentiles = MOMENTS_PERCENTILES;
    args.results.quantile[1] = bench->shape.quantile[1];
    args.results.sd = bench->shape.sd;
    args.results.skew = bench->shape.skew;
    args.results.kurt = bench->shape.kurt;
    forget_results(bench, &args.results, n_pools * bench->places.pitch);
    check(bench, launch_window(bench, &args), "launch");
    return different_results(bench, &args, expected, n_pools);
}

static double measure_form(struct bench *bench, const struct window_steps *way, const struct moments_results *expected,
                           const char *name, int form, bool is_maxent)
{
    static const char *const forms[] = {"chosen", "fast", "registers", "reread"};
    char line[64];
    struct gpu_window args = {.places = bench->places,
                              .store = bench->store,
                              .steps = put(bench, way->steps, way->n_steps * sizeof *way->steps),
                              .n_steps = (uint32_t)way->n_steps,
                              .n_ring = way->n_ring,
                              .form = form,
                              .fit = fit_of(bench, is_maxent),
                              .results = bench->results};
    const double bytes_per_cell = MOMENTS_BIN_BYTES * (double)way->n_bins + RESULT_BYTES * (double)way->n_pools;
    forget_results(bench, &args.results, way->n_pools * bench->places.pitch);
    const double seconds = time_of(bench, launch_window, &args);
    const size_t n_different =
        different_results(bench, &args, expected, way->n_pools) + different_shape(bench, args, expected, way->n_pools);
    (void)snprintf(line, sizeof line, "%s %s %s ring %u", name, is_maxent ? "maxent" : "cf", forms[form], way->n_ring);
    tell(bench, line, seconds, bytes_per_cell * bench->places.n_cells, n_different);
    return seconds;
}

/* As many pools from slot `first` on as the bins are enough for. */
static struct window_steps fitting_steps(const struct bench *bench, const struct sst_pool_rule *rule, int first,
                                         uint32_t n_ring)
{
    for (int n = (int)bench->n_bins; n > 0; --n) {
        struct window_steps way = window_steps_make(rule, first, n, n_ring, MOMENTS_MIN_SAMPLES);
        if (way.n_bins <= bench->n_bins && way.n_pools > 0)
            return way;
        free(way.steps);
    }
    stop("too few bins for this window; see --bins");
    return (struct window_steps){0};
}

static void measure_window(struct bench *bench, const char *name, enum sst_leap_rule leap, int half, int first)
{
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, leap, 1983, 2012, half};
    uint32_t n_ring = 0;
    check(bench, bench->device.api->window_ring(&n_ring), "ring");
    struct window_steps way = fitting_steps(bench, &rule, first, n_ring);
    struct window_steps whole = fitting_steps(bench, &rule, first, (uint32_t)way.most_bins);
    for (int is_maxent = 0; is_maxent < 2; ++is_maxent) {
        const struct moments_results expected = moments_case_window(bench->host, &way, is_maxent);
        for (int form = GPU_WINDOW_FAST; form <= GPU_WINDOW_REREAD; ++form) {
            const double seconds = measure_form(bench, &way, &expected, name, form, is_maxent);
            if (!is_maxent && leap == SST_LEAP_SKIP && way.most_bins == ROW_DAYS)
                tell_row(bench, &way, form, seconds);
        }
        if (whole.n_ring > way.n_ring &&
            (size_t)whole.n_ring * BLOCK_THREADS * MOMENTS_BIN_BYTES <= bench->device.info.fast_bytes)
            measure_form(bench, &whole, &expected, name, GPU_WINDOW_FAST, is_maxent);
        moments_results_clear(expected);
    }
    free(way.steps);
    free(whole.steps);
}

/* --- setup -------------------------------------------------------------------------------------------------------- */

static void fill_device(struct bench *bench)
{
    const struct moments_case *host = bench->host;
    const size_t n_blocks = host->cells.n_places / GPU_BLOCK_CELLS;
    const size_t pitch = (host->cells.n_places + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS;
    const size_t n = bench->n_bins * pitch; /* bins; no fewer than results */
    bench->places = (struct gpu_places){put(bench, host->block_at, n_blocks * sizeof *host->block_at),
                                        (uint32_t)host->cells.n_places, (uint32_t)pitch};
    bench->fields =
        (struct gpu_fields){put(bench, host->codes, host->n_fields * host->stride * sizeof *host->codes), host->stride};
    bench->store = (struct gpu_moments_store){take(bench, n * 2), take(bench, n * 4), take(bench, n * 8),
                                              take(bench, n * 8), take(bench, n * 8)};
    bench->results = (struct gpu_results){.mean = take(bench, n * 8),
                                          .quantile = {take(bench, n * 8)},
                                          .n_obs = take(bench, n * 2),
                                          .mark = take(bench, n)};
    bench->shape = (struct gpu_results){.quantile = {NULL, take(bench, n * 8)},
                                        .sd = take(bench, n * 4),
                                        .skew = take(bench, n * 4),
                                        .kurt = take(bench, n * 4)};
    for (int q = 0; q < MOMENTS_PERCENTILES; ++q)
        bench->tables[q] =
            put(bench, moments_table(q == 0 ? 90 : 10), (size_t)CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U * sizeof(float));
    bench->v_limit = put(bench, moments_v_limit(), CELL_MAXENT_N_SKEW * sizeof(float));
}

static void read_options(struct bench *bench, int argc, char **argv)
{
    const struct {
        const char *name;
        size_t *value;
    } numbers[] = {{"--lon", &bench->n_lon},
                   {"--lat", &bench->n_lat},
                   {"--bins", &bench->n_bins},
                   {"--years", &bench->n_years},
                   {"--copy-mb", &bench->copy_mb}};
    for (int i = 1; i + 1 < argc; i += 2) {
        bool is_known = true;
        if (strcmp(argv[i], "--plugin") == 0)
            bench->plugin = argv[i + 1];
        else if (strcmp(argv[i], "--json") == 0)
            bench->json_path = argv[i + 1];
        else if (strcmp(argv[i], "--device") == 0)
            bench->index = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--runs") == 0)
            bench->n_runs = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--land") == 0)
            bench->land = atoi(argv[i + 1]);
        else
            is_known = false;
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k)
            if (strcmp(argv[i], numbers[k].name) == 0) {
                *numbers[k].value = (size_t)strtoull(argv[i + 1], NULL, 10);
                is_known = true;
            }
        if (!is_known)
            stop(argv[i]);
    }
    if (argc % 2 == 0 || !bench->plugin || bench->n_runs < 1 || bench->n_runs > BENCH_MAX_RUNS || bench->n_bins < 1 ||
        bench->n_years < 1)
        stop("usage: gpu_moments --plugin FILE [--OPTION VALUE]...; see the head of its source");
}

int main(int argc, char **argv)
{
    struct bench bench = {.n_lon = 1440, .n_lat = 721, .n_bins = 102, .n_years = 30, .copy_mb = 6000, .n_runs = 7};
    read_options(&bench, argc, argv);
    if (bench.json_path && !(bench.json = fopen(bench.json_path, "we")))
        stop("the JSON file cannot be written");
    bench_device_open(&bench.device, bench.plugin, bench.index);
    bench.host = moments_case_open(bench.n_lon * bench.n_lat, bench.n_bins, bench.n_years, bench.land);
    if (!bench.host)
        stop("no memory");
    printf("%zu cells, %zu places, %zu bins of %zu fields\n", bench.n_lon * bench.n_lat, bench.host->cells.n_places,
           bench.n_bins, bench.n_years);
    fill_device(&bench);
    measure_copy(&bench);
    measure_add(&bench, "add all fields, new", "batched new", bench.n_years, true);
    measure_add(&bench, "add 8 fields, new", NULL, bench.n_years < 8 ? bench.n_years : 8, true);
    measure_batches(&bench);
    measure_window(&bench, "11 days", SST_LEAP_SKIP, 5, 120);
    measure_window(&bench, "hobday 11", SST_LEAP_HOBDAY, 5, 20);
    measure_window(&bench, "31 days", SST_LEAP_SKIP, 15, 120);
    measure_add(&bench, "add all fields onto", "onto", bench.n_years, false);
    const struct gpu_moments_add anew = make_add(&bench, 0, (uint32_t)bench.n_years, 1);
    check(&bench, launch_add(&bench, &anew), "launch");
    moments_case_empty(bench.host);
    moments_case_add(bench.host, bench.n_years);
    measure_add(&bench, "add 1 field onto", "one by one", 1, false);
    moments_case_close(bench.host);
    if (bench.json)
        (void)fclose(bench.json);
    printf("%zu bytes differ in all\n", bench.n_different);
    return bench.n_different > 0;
}
