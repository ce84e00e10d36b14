/*
 * What the CPU backend's loops cost at each instruction set, beside a triad of the same threads in the same run. The exact and
 * tail loops are compiled for several sets by the compiler, which chooses at load time: one row each, "chosen".
 *
 *   cmake --preset release && cmake --build --preset release --target kernel_bench
 *   build/release/kernel_bench [--cells N] [--threads N] [--kernel NAME] [--level NAME] [--json FILE]
 *
 * Printed are medians of 9 runs (exact and tail: the least over the days): time a cell and item (field, member or day), memory
 * traffic, and its share of the triad's. A bin or field larger than the last cache is what a run has; --cells says otherwise.
 * One run of one kernel at one level, as an instruction counter wants it: --kernel batch8 --level avx2 --runs 1.
 */
#include <jansson.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu_loops.h"
#include "kernels_exact.h"

enum { MAX_RUNS = 99, N_MEMBERS = 31, WIDTH = SST_CELLS_WIDTH };

struct bench {
    size_t n_cells; /* places; a multiple of WIDTH */
    int n_runs, n_threads;
    const char *kernel, *level, *json_path;
    struct sst_cells cells;
    int16_t *codes[SST_MAX_BATCH], *gathered;
    uint8_t *marks[SST_MAX_BATCH];
    uint16_t *count;
    struct sst_moments_view bin, window;
    double *members[N_MEMBERS], *mean, *quantile;
    uint8_t *guarded;
};

/*
 * One line of the table. Whoever adds a loop to the backend adds its row here or in kernels_exact.c.
 *
 * run             once over all cells, by the backend
 * n_items         fields or members (item) of a run, of which the time is told
 * bytes_per_cell  that a run reads and writes at least
 */
struct bench_kernel {
    const char *name;
    void (*run)(const struct bench *bench);
    int n_items, bytes_per_cell;
    const char *item;
};

static void add_fields(const struct bench *bench, size_t n_fields)
{
    sst_backend_cpu()->moments_add_fields(bench->bin, &bench->cells, (const int16_t *const *)bench->codes, n_fields);
}

static void run_add_1(const struct bench *bench) { add_fields(bench, 1); }

static void run_add_8(const struct bench *bench) { add_fields(bench, SST_MAX_BATCH); }

static void run_count_8(const struct bench *bench)
{
    sst_backend_cpu()->count_add_fields(bench->count, &bench->cells, (const uint8_t *const *)bench->marks,
                                        SST_MAX_BATCH);
}

typedef void plane_function(void *target, const void *source, enum sst_plane_type type, size_t n_cells);

static void move_window(const struct bench *bench, plane_function *move)
{
    move(bench->window.n, bench->bin.n, SST_PLANE_U16, bench->n_cells);
    move(bench->window.s1, bench->bin.s1, SST_PLANE_I32, bench->n_cells);
    move(bench->window.s2, bench->bin.s2, SST_PLANE_I64, bench->n_cells);
    move(bench->window.s3, bench->bin.s3, SST_PLANE_I64, bench->n_cells);
    move(bench->window.s4, bench->bin.s4, SST_PLANE_I64, bench->n_cells);
}

static void run_window(const struct bench *bench)
{
    move_window(bench, sst_backend_cpu()->plane_add);
    move_window(bench, sst_backend_cpu()->plane_subtract);
}

static void run_finish(const struct bench *bench)
{
    static const double z[1] = {1.2815515655446004};
    const struct sst_moments_fit fit = {.kind = SST_FIT_CF, .n_percentiles = 1, .z = z};
    double *quantile[1] = {bench->quantile};
    const struct sst_finish_out out = {.mean = bench->mean, .quantile = quantile, .guarded = bench->guarded};
    sst_backend_cpu()->moments_finish(bench->bin, &fit, 1, &out, bench->n_cells);
}

static void run_mean(const struct bench *bench)
{
    sst_backend_cpu()->mean_of((const double *const *)bench->members, N_MEMBERS, bench->mean, bench->n_cells);
}

/* By one thread, as the engine calls it. */
static void run_gather(const struct bench *bench)
{
    sst_cells_gather(&bench->cells, bench->codes[0], SST_CODE_MISSING, 0, bench->n_cells, bench->gathered);
}

/* a = b + scalar * c, in doubles: what memory gives. */
static void run_triad(const struct bench *bench)
{
    double *a = bench->members[0];
    const double *b = bench->members[1], *c = bench->members[2];
    const size_t n_cells = bench->n_cells;
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n_cells; ++i)
        a[i] = b[i] + 3.0 * c[i];
}

enum { BIN_BYTES = 30 };
static const struct bench_kernel triad = {"triad", run_triad, 1, 24, ""};
static const struct bench_kernel kernels[] = {
    {"add1", run_add_1, 1, 2 * BIN_BYTES + 2, "field"},
    {"batch8", run_add_8, SST_MAX_BATCH, 2 * BIN_BYTES + 2 * SST_MAX_BATCH, "field"},
    {"count8", run_count_8, SST_MAX_BATCH, 4 + SST_MAX_BATCH, "field"},
    {"window", run_window, 1, 2 * 3 * BIN_BYTES, "slot"},
    {"finish_cf", run_finish, 1, BIN_BYTES + 17, "day"},
    {"mean31", run_mean, N_MEMBERS, 8 * (N_MEMBERS + 1), "member"},
    {"gather", run_gather, 1, 4, "field"},
};
enum { N_KERNELS = sizeof kernels / sizeof kernels[0] };
static const char *const level_names[] = {"plain", "avx2", "avx512"};

static void stop(const char *what)
{
    fprintf(stderr, "kernel_bench: %s\n", what);
    exit(1);
}

static void *need(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        stop("no memory for so many cells");
    return memory;
}

static struct sst_moments_view make_view(size_t n)
{
    const struct sst_moments_view view = {need(n, 2), need(n, 4), need(n, 8), need(n, 8), need(n, 8)};
    return view;
}

static uint32_t next_random(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(state >> 33);
}

/* Fields of which two thirds are sea, in runs of neighbours as oceans are. */
static void make_fields(struct bench *bench)
{
    const size_t n_blocks = bench->n_cells / WIDTH / 64 * 96;
    for (int field = 0; field < SST_MAX_BATCH; ++field) {
        bench->codes[field] = need(n_blocks * WIDTH, sizeof *bench->codes[field]);
        bench->marks[field] = need(n_blocks * WIDTH, 1);
        for (size_t i = 0; i < n_blocks * WIDTH; ++i) {
            const bool is_sea = i / WIDTH % 96 < 64;
            bench->codes[field][i] = is_sea ? (int16_t)(1000 + next_random() % 1500) : (int16_t)SST_CODE_MISSING;
            bench->marks[field][i] = is_sea && next_random() % 8 == 0;
        }
    }
    if (sst_cells_init(&bench->cells, n_blocks * WIDTH, NULL) != SST_OK)
        stop("no memory for so many cells");
    const struct sst_field field = {.n_cells = n_blocks * WIDTH, .codes = bench->codes[0]};
    sst_cells_take(&bench->cells, &field);
    bench->n_cells = bench->cells.n_places;
}

static void make_bench(struct bench *bench)
{
    make_fields(bench);
    const size_t n = bench->n_cells;
    bench->bin = make_view(n);
    bench->window = make_view(n);
    bench->count = need(n, sizeof *bench->count);
    bench->gathered = need(n, sizeof *bench->gathered);
    bench->mean = need(n, sizeof *bench->mean);
    bench->quantile = need(n, sizeof *bench->quantile);
    bench->guarded = need(n, 1);
    for (int member = 0; member < N_MEMBERS; ++member) {
        bench->members[member] = need(n, sizeof *bench->members[member]);
        for (size_t i = 0; i < n; ++i)
            bench->members[member][i] = 15.0 + 0.01 * member;
    }
    for (int day = 0; day < 8; ++day)
        run_add_8(bench);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Median time of a run [ns], after one that is not counted. */
static double time_of(const struct bench *bench, const struct bench_kernel *kernel)
{
    double ns[MAX_RUNS] = {0};
    if (bench->n_runs > 1)
        kernel->run(bench);
    for (int run = 0; run < bench->n_runs; ++run) {
        const double start = bench_now_ns();
        kernel->run(bench);
        ns[run] = bench_now_ns() - start;
    }
    qsort(ns, (size_t)bench->n_runs, sizeof *ns, compare_doubles);
    return ns[bench->n_runs / 2];
}

static double bytes_per_ns(const struct bench *bench, const struct bench_kernel *kernel, double ns)
{
    return (double)bench->n_cells * kernel->bytes_per_cell / ns;
}

/* A line on paper, and a row of the JSON table. Rates in bytes a nanosecond. */
static void tell(json_t *rows, const char *kernel, const char *level, const char *item, double ns, double rate,
                 double triad_rate)
{
    printf("%-10s %-7s %10.3f %-8s %8.2f %10.2f %10.2f\n", kernel, level, ns, item, rate, triad_rate,
           rate / triad_rate);
    json_array_append_new(rows,
                          json_pack("{s:s, s:s, s:s, s:f, s:f, s:f, s:f}", "kernel", kernel, "level", level, "item",
                                    item, "ns_per_cell_and_item", ns, "bytes_per_second", rate * 1e9,
                                    "triad_bytes_per_second", triad_rate * 1e9, "share_of_triad", rate / triad_rate));
}

static bool is_wanted(const char *wanted, const char *name) { return !wanted || strcmp(wanted, name) == 0; }

/* The triad is measured right before, since other work on the machine comes and goes. */
static void measure(const struct bench *bench, const struct bench_kernel *kernel, int level, json_t *rows)
{
    sst_backend_cpu_limit((enum sst_cpu_level)level);
    const double triad_rate = bytes_per_ns(bench, &triad, time_of(bench, &triad)), ns = time_of(bench, kernel);
    tell(rows, kernel->name, level_names[level], kernel->item, ns / (double)bench->n_cells / kernel->n_items,
         bytes_per_ns(bench, kernel, ns), triad_rate);
}

/* On a grid of which as many cells have values, all rows at once. */
static void measure_exact(const struct bench *bench, json_t *rows)
{
    enum { N_LON = 1440, N_DAYS = 8 };
    struct bench_row found[BENCH_EXACT_ROWS];
    const size_t n_lat = bench->n_cells * 3 / 2 / N_LON;
    const double triad_rate = bytes_per_ns(bench, &triad, time_of(bench, &triad));
    if (bench_exact_rows(N_LON, n_lat > 0 ? n_lat : 1, N_DAYS, found) != 0)
        stop("no memory for so many cells");
    for (int i = 0; i < BENCH_EXACT_ROWS; ++i)
        if (is_wanted(bench->kernel, found[i].name))
            tell(rows, found[i].name, "chosen", found[i].item, found[i].ns, found[i].bytes_per_item / found[i].ns,
                 triad_rate);
}

static void measure_all(const struct bench *bench, json_t *rows)
{
    bool is_own = false;
    printf("%zu cells, %d threads, median of %d\n", bench->n_cells, bench->n_threads, bench->n_runs);
    printf("%-10s %-7s %10s %-8s %8s %10s %10s\n", "kernel", "level", "ns/cell", "and", "GB/s", "triad GB/s", "share");
    for (int i = 0; i < N_KERNELS; ++i) {
        is_own |= bench->kernel && strcmp(bench->kernel, kernels[i].name) == 0;
        for (int level = SST_CPU_PLAIN; level < SST_N_CPU_LEVELS && level <= (int)sst_cpu_best(); ++level)
            if (is_wanted(bench->kernel, kernels[i].name) && is_wanted(bench->level, level_names[level]))
                measure(bench, &kernels[i], level, rows);
    }
    if (!is_own && is_wanted(bench->level, "chosen"))
        measure_exact(bench, rows);
}

static void read_options(int argc, char **argv, struct bench *bench)
{
    for (int i = 1; i < argc; i += 2) {
        const char *name = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!value)
            stop("every option has a value: --cells, --threads, --runs, --kernel, --level, --json");
        if (strcmp(name, "--cells") == 0)
            bench->n_cells = (size_t)strtoul(value, NULL, 10);
        else if (strcmp(name, "--threads") == 0)
            bench->n_threads = (int)strtol(value, NULL, 10);
        else if (strcmp(name, "--runs") == 0)
            bench->n_runs = (int)strtol(value, NULL, 10);
        else if (strcmp(name, "--kernel") == 0)
            bench->kernel = value;
        else if (strcmp(name, "--level") == 0)
            bench->level = value;
        else if (strcmp(name, "--json") == 0)
            bench->json_path = value;
        else
            stop("options are --cells, --threads, --runs, --kernel, --level, --json");
    }
    if (bench->n_cells < WIDTH * 64 || bench->n_runs < 1 || bench->n_runs > MAX_RUNS || bench->n_threads < 1)
        stop("at least 512 cells, 1 thread and 1 to 99 runs");
}

int main(int argc, char **argv)
{
    struct bench bench = {.n_cells = 691200, .n_runs = 9, .n_threads = omp_get_max_threads()};
    read_options(argc, argv, &bench);
    omp_set_num_threads(bench.n_threads);
    make_bench(&bench);
    json_t *rows = json_array();
    measure_all(&bench, rows);
    json_t *root = json_pack("{s:I, s:i, s:i, s:o}", "cells", (json_int_t)bench.n_cells, "threads", bench.n_threads,
                             "runs", bench.n_runs, "kernels", rows);
    if (bench.json_path && json_dump_file(root, bench.json_path, JSON_INDENT(2)) != 0)
        stop("cannot write the JSON file");
    json_decref(root);
    return 0;
}
