/*
 * What reading a field without the library saves: processor time a field, directly and by netCDF-C, in one run. A run opens a
 * file directly to look at its header, and by the memo made then to read its fields.
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

#include "stream/decode_memo.h"
#include "stream/decode_private.h"

enum { N_ROUNDS = 9 };

enum way { LIBRARY, LIBRARY_TUNED, DIRECT, BY_MEMO, N_WAYS };
static const char *const names[N_WAYS] = {"netCDF-C", "netCDF-C, memory kept", "directly", "directly, by memo"};

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

struct memo {
    size_t n_bytes; /* 0: none */
    unsigned char bytes[SST_FILE_MEMO_MAX];
};

static struct sst_file *open_file(const char *path, const struct memo *memo, const struct sst_decode_options *options)
{
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    bool is_same = true;
    if (memo->n_bytes > 0)
        need(sst_file_open_memo(path, memo->bytes, memo->n_bytes, options, &file, &is_same, &err), &err);
    else
        need(sst_file_open(path, options, NULL, NULL, &file, &err), &err);
    if (!is_same)
        stop("a file has changed");
    return file;
}

static void look(void *user, const struct sst_decode_raw_row *row) { *(unsigned *)user += row->first[0]; }

/* The first step of a file, whose grid is that of all: its stored numbers, then decoded whole. */
static struct cost read_file(const char *path, const struct memo *memo, const struct sst_decode_options *options,
                             const struct sst_domain *domain, struct sst_field *field)
{
    struct sst_error err = {0};
    unsigned sum = 0;
    const struct sst_grid_map map = {0};
    const struct sst_decode_box box = {domain, &map, 0};
    const double start = now_ms();
    struct sst_file *file = open_file(path, memo, options);
    const double opened = now_ms();
    need(sst_decode_read_raw_rows(file, &file->sst, &box, look, &sum, &err), &err);
    const double seen = now_ms();
    need(sst_file_decode(file, 0, domain, &map, sst_file_info(file)->lattice, field, NULL, &err), &err);
    sst_file_close(&file);
    const double end = now_ms();
    return (struct cost){seen - opened, end - start - (seen - opened)};
}

/* The grid of the first file, open for as long as it is looked at, and memory of a field of it. */
static struct sst_field new_field(const char *path, struct sst_domain *domain)
{
    struct sst_file *file = NULL;
    struct sst_error err = {0};
    need(sst_file_open(path, NULL, NULL, NULL, &file, &err), &err);
    sst_domain_all(sst_file_info(file)->grid, domain);
    const size_t n = domain->n_cells;
    int16_t *codes = malloc(n * sizeof *codes);
    const struct sst_field field = {n, codes, codes, malloc(n), false, NULL}; /* as a run of hundredths has it */
    if (!field.codes || !field.ice)
        stop("no memory");
    return field;
}

/* As a scan makes them, in memory that reading does not use. Files of another grid are refused. */
static struct memo *make_memos(enum way way, char **paths, int n, const struct sst_domain *domain)
{
    struct memo *memos = calloc((size_t)n, sizeof *memos);
    struct sst_decode_options options = {.scratch = NULL};
    struct sst_error err = {0};
    struct sst_grid_map map;
    if (!memos)
        stop("no memory");
    need(sst_decode_scratch_create(&options.scratch, &err), &err);
    for (int i = 0; i < n; ++i) {
        struct sst_file *file = open_file(paths[i], &memos[i], &options);
        need(sst_grid_match(domain->grid, sst_file_info(file)->grid, &map, &err), &err);
        if (map.flip_lat || map.shift_lon > 0)
            stop("files are of several grids");
        if (way == BY_MEMO && (memos[i].n_bytes = sst_file_memo(file, memos[i].bytes)) == 0)
            stop("a file has no memo");
        sst_file_close(&file);
    }
    sst_decode_scratch_destroy(&options.scratch);
    return memos;
}

static struct cost read_all(enum way way, char **paths, int n)
{
    struct sst_error err = {0};
    struct cost sum = {0, 0};
    struct sst_decode_options options = {.library_only = way == LIBRARY || way == LIBRARY_TUNED};
    struct sst_domain domain;
    struct sst_field field = new_field(paths[0], &domain);
    const struct memo *memos = make_memos(way, paths, n, &domain);
    if (!options.library_only)
        need(sst_decode_scratch_create(&options.scratch, &err), &err);
    for (int i = 0; i < n; ++i) {
        const struct cost cost = read_file(paths[i], &memos[i], &options, &domain, &field);
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
