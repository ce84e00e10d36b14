/*
 * What reading a field without the library saves: processor time a field, directly and by netCDF-C, in one run.
 *
 *   cmake --preset release && cmake --build --preset release --target sststream direct_decode
 *   build/release/sststream synth -o archive --grid 1440x720 --years 2001-2004 --days 0601-0610
 *   build/release/direct_decode archive/ *.nc
 *
 * The ways take turns, each round of each in a process of its own, so that none finds memory that another has warmed up.
 * Printed are medians over the rounds: stored numbers of the SST, and all from open to close with codes, ice and mask.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "stream/decode_private.h"

enum { N_ROUNDS = 9 };

enum way { LIBRARY, LIBRARY_TUNED, DIRECT, N_WAYS };
static const char *const names[N_WAYS] = {"netCDF-C", "netCDF-C, memory kept", "directly"};

struct cost {
    double numbers, all; /* [ms] a field */
};

static double now_ms(void)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec * 1e-6;
}

static void stop(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void need(enum sst_status rc, const struct sst_error *err)
{
    if (rc != SST_OK)
        stop(err->text);
}

static void look(void *user, const struct sst_decode_raw_row *row) { *(unsigned *)user += row->first[0]; }

/* The first step of a file: its stored numbers, then decoded whole. */
static struct cost read_file(const char *path, const struct sst_decode_options *options, struct sst_field *field)
{
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    struct sst_domain domain;
    struct sst_grid_map map;
    unsigned sum = 0;
    const double start = now_ms();
    need(sst_file_open(path, options, NULL, NULL, &file, &err), &err);
    const struct sst_file_info *info = sst_file_info(file);
    sst_domain_all(info->grid, &domain);
    if (domain.n_cells > field->n_cells)
        stop("fields are larger than those of the first file");
    need(sst_grid_match(info->grid, info->grid, &map, &err), &err);
    const struct sst_decode_box box = {&domain, &map, 0};
    const double opened = now_ms();
    need(sst_decode_read_raw_rows(file, &file->sst, &box, look, &sum, &err), &err);
    const double seen = now_ms();
    struct sst_field part = *field;
    part.n_cells = domain.n_cells;
    need(sst_file_decode(file, 0, &domain, &map, info->lattice, &part, NULL, &err), &err);
    sst_file_close(&file);
    const double end = now_ms();
    return (struct cost){seen - opened, end - start - (seen - opened)};
}

/* Memory of one field, as large as the first file's. */
static struct sst_field new_field(const char *path)
{
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    need(sst_file_open(path, NULL, NULL, NULL, &file, &err), &err);
    const struct sst_grid *grid = sst_file_info(file)->grid;
    const size_t n = grid->n_lat * grid->n_lon;
    struct sst_field field = {n, malloc(n * 2), malloc(n * 2), malloc(n), false};
    if (!field.codes || !field.hundredths || !field.ice)
        stop("no memory");
    sst_file_close(&file);
    return field;
}

static struct cost read_all(enum way way, char **paths, int n)
{
    struct sst_error err = {0};
    struct cost sum = {0, 0};
    struct sst_decode_options options = {.library_only = way != DIRECT};
    struct sst_field field = new_field(paths[0]);
    if (way == DIRECT)
        need(sst_decode_scratch_create(&options.scratch, &err), &err);
    for (int i = 0; i < n; ++i) {
        const struct cost cost = read_file(paths[i], &options, &field);
        sum.numbers += cost.numbers / n;
        sum.all += cost.all / n;
    }
    return sum; /* the process ends: nothing is freed */
}

/* In a process of its own. */
static struct cost measure(enum way way, char **paths, int n)
{
    int ends[2];
    struct cost cost = {0, 0};
    if (pipe(ends) != 0)
        stop("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        if (way == LIBRARY_TUNED) { /* as src/app/main.c */
            (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
            (void)mallopt(M_TRIM_THRESHOLD, 256 << 20);
            (void)mallopt(M_TOP_PAD, 16 << 20);
        }
        cost = read_all(way, paths, n);
        _exit(write(ends[1], &cost, sizeof cost) == (ssize_t)sizeof cost ? 0 : 1);
    }
    (void)close(ends[1]);
    if (child < 0 || read(ends[0], &cost, sizeof cost) != (ssize_t)sizeof cost)
        stop("a measurement failed");
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return cost;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    static double numbers[N_WAYS][N_ROUNDS], all[N_WAYS][N_ROUNDS];
    if (argc < 2)
        stop("usage: direct_decode FILES");
    for (int round = 0; round < N_ROUNDS; ++round) {
        for (int way = 0; way < N_WAYS; ++way) {
            const struct cost cost = measure((enum way)way, argv + 1, argc - 1);
            numbers[way][round] = cost.numbers;
            all[way][round] = cost.all;
        }
    }
    for (int way = 0; way < N_WAYS; ++way) {
        qsort(numbers[way], N_ROUNDS, sizeof numbers[way][0], compare);
        qsort(all[way], N_ROUNDS, sizeof all[way][0], compare);
    }
    printf("%-22s %14s %8s %22s %8s\n", "", "ms, numbers", "times", "ms, open to close", "times");
    for (int way = 0; way < N_WAYS; ++way) {
        const double number = numbers[way][N_ROUNDS / 2], whole = all[way][N_ROUNDS / 2];
        printf("%-22s %14.2f %8.1f %22.2f %8.1f\n", names[way], number, numbers[LIBRARY][N_ROUNDS / 2] / number, whole,
               all[LIBRARY][N_ROUNDS / 2] / whole);
    }
    return 0;
}
