/*
 * Made fields: land in lumps on a third of the domain; each year's anomaly of a cell wanders from day to day, on a seasonal
 * rise of a few hundredths a day. Rows are measured day by day as a run does it: 30 years of a slot enter, 11 slots make a pool.
 */
#include "kernels_exact.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/backend.h"
#include "core/mem.h"
#include "exact/raw.h"
#include "exact/tail.h"
#include "stream/bins.h"

enum { N_YEARS = 30, N_POOL = 11, K = 16, LUMP = 24, N_ROUNDS = 12 };

enum row { ADD, FINISH_COLD, FINISH_WARM, FINISH_TWO, SCAN, TAIL_ADD, TAIL_FINISH };

/* A code is read and kept; a pool is read and its results are written; a list with its sums is read and written by batch. */
enum {
    ADD_BYTES = 2 * 2,
    POOL_BYTES = N_YEARS * N_POOL * 2,
    ONE_BYTES = POOL_BYTES + 2 * 8 + 2 * 2,
    TWO_BYTES = ONE_BYTES + 8 + 2 * 2,
    LIST_BYTES = 2 + 4 + 2 * K
};
static const struct bench_row row_names[BENCH_EXACT_ROWS] = {
    [ADD] = {"exact_add", "field", ADD_BYTES, INFINITY},
    [FINISH_COLD] = {"exact_cold", "day", ONE_BYTES, INFINITY},
    [FINISH_WARM] = {"exact_one", "day", ONE_BYTES, INFINITY},
    [FINISH_TWO] = {"exact_two", "day", TWO_BYTES, INFINITY},
    [SCAN] = {"exact_scan", "day", POOL_BYTES, INFINITY},
    [TAIL_ADD] = {"tail_add", "field", 2 + 2.0 * LIST_BYTES / SST_MAX_BATCH, INFINITY},
    [TAIL_FINISH] = {"tail_one", "day", N_POOL *(2 + 2 * K) + 6 + 3 * 8 + 2 * 2 + 1, INFINITY},
};

struct bench {
    size_t n_lon, n_domain, n_valid;
    int16_t *base, *anomaly[N_YEARS]; /* by cell of the domain */
    int16_t *codes[N_YEARS];
    struct sst_field fields[N_YEARS];
    const struct sst_field *pointers[N_YEARS];
    struct sst_cells cells;
    struct sst_raw *raw;
    struct sst_tail_estimator tail;
    struct sst_bin_set lists;
    int16_t *found[2], *last[2]; /* what selection found on this day, and on the last */
    double *quantile[2], *bound, *mean;
    uint8_t *uncertified;
    uint64_t random;
    struct bench_row *rows;
};

double bench_now_ns(void)
{
    struct timespec at;
    (void)clock_gettime(omp_get_max_threads() == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

static void note(struct bench *bench, enum row row, double start_ns, size_t n)
{
    const double ns = (bench_now_ns() - start_ns) / (double)n;
    bench->rows[row].ns = ns < bench->rows[row].ns ? ns : bench->rows[row].ns;
}

static uint32_t draw(struct bench *bench)
{
    bench->random = bench->random * 6364136223846793005ULL + 1442695040888963407ULL;
    return (uint32_t)(bench->random >> 33);
}

/* About normal. */
static int noise(struct bench *bench, int spread)
{
    const uint32_t r = draw(bench);
    const int sum = (int)(r & 255) + (int)(r >> 8 & 255) + (int)(r >> 16 & 255) - 383;
    return sum * spread / 128;
}

static void make_day(struct bench *bench, int day)
{
    for (int year = 0; year < N_YEARS; ++year) {
        int16_t *anomaly = bench->anomaly[year], *codes = bench->codes[year];
        for (size_t cell = 0; cell < bench->n_domain; ++cell) {
            if (bench->base[cell] == SST_CODE_MISSING)
                continue;
            anomaly[cell] = (int16_t)(anomaly[cell] - anomaly[cell] / 16 + noise(bench, 30));
            codes[cell] = (int16_t)(bench->base[cell] + anomaly[cell] + 3 * day);
        }
    }
}

static enum sst_status open_bench(struct bench *bench, struct sst_error *err)
{
    const size_t n = bench->n_domain;
    SST_TRY(sst_alloc(n, sizeof *bench->base, "bench", &bench->base, err));
    for (size_t cell = 0; cell < n; ++cell) {
        const size_t lump = cell % bench->n_lon / LUMP + cell / bench->n_lon / LUMP * 7;
        const int value = lump % 3 == 0 ? SST_CODE_MISSING : (int)(cell * 2500 / n);
        bench->base[cell] = (int16_t)value;
        bench->n_valid += bench->base[cell] != SST_CODE_MISSING;
    }
    for (int year = 0; year < N_YEARS; ++year) {
        SST_TRY(sst_alloc(n, sizeof **bench->anomaly, "bench", &bench->anomaly[year], err));
        SST_TRY(sst_alloc(n, sizeof **bench->codes, "bench", &bench->codes[year], err));
        for (size_t cell = 0; cell < n; ++cell) {
            bench->codes[year][cell] = bench->base[cell];
            bench->anomaly[year][cell] = (int16_t)noise(bench, 90);
        }
        bench->fields[year] =
            (struct sst_field){.n_cells = n, .codes = bench->codes[year], .hundredths = bench->codes[year]};
        bench->pointers[year] = &bench->fields[year];
    }
    SST_TRY(sst_cells_init(&bench->cells, n, err));
    sst_cells_take(&bench->cells, &bench->fields[0]);
    SST_TRY(sst_raw_create(&bench->cells, &bench->raw, err));
    const size_t n_places = bench->cells.n_places;
    sst_tail_estimator_init(&bench->tail, (struct sst_tail_k){K, 0});
    SST_TRY(sst_bin_set_open(&bench->lists, sst_estimator_tail_sums(), n_places, err));
    for (int q = 0; q < 2; ++q) {
        SST_TRY(sst_alloc(n_places, sizeof **bench->found, "bench", &bench->found[q], err));
        SST_TRY(sst_alloc(n_places, sizeof **bench->last, "bench", &bench->last[q], err));
        SST_TRY(sst_alloc(n_places, sizeof **bench->quantile, "bench", &bench->quantile[q], err));
    }
    SST_TRY(sst_alloc(n_places, sizeof *bench->bound, "bench", &bench->bound, err));
    SST_TRY(sst_alloc(n_places, sizeof *bench->mean, "bench", &bench->mean, err));
    return sst_alloc(n_places, 1, "bench", &bench->uncertified, err);
}

static void close_bench(struct bench *bench)
{
    sst_free(bench->base);
    for (int year = 0; year < N_YEARS; ++year) {
        sst_free(bench->anomaly[year]);
        sst_free(bench->codes[year]);
    }
    sst_cells_clear(&bench->cells);
    sst_raw_destroy(&bench->raw);
    sst_bin_set_clear(&bench->lists);
    for (int q = 0; q < 2; ++q) {
        sst_free(bench->found[q]);
        sst_free(bench->last[q]);
        sst_free(bench->quantile[q]);
    }
    sst_free(bench->bound);
    sst_free(bench->mean);
    sst_free(bench->uncertified);
}

static enum sst_status add_day(struct bench *bench, int day, struct sst_error *err)
{
    const struct sst_term term = {(int16_t)(day + 1), SST_CLASS_COMMON};
    const struct sst_backend *cpu = sst_backend_cpu();
    struct sst_bin *bin = NULL;
    make_day(bench, day);
    const double start = bench_now_ns();
    for (size_t first = 0; first < N_YEARS; first += SST_MAX_BATCH) {
        const size_t n = N_YEARS - first < SST_MAX_BATCH ? N_YEARS - first : SST_MAX_BATCH;
        struct sst_kept kept;
        SST_TRY(sst_raw_extend(bench->raw, term, n, N_YEARS, &kept, err));
        cpu->exact_add_fields(&kept, &bench->cells, bench->pointers + first, n);
    }
    note(bench, ADD, start, bench->n_valid * N_YEARS);
    const double tail_start = bench_now_ns();
    SST_TRY(sst_bin_set_at(&bench->lists, term, &bench->tail.estimator, &bin, err));
    for (size_t first = 0; first < N_YEARS; first += SST_MAX_BATCH) {
        const size_t n = N_YEARS - first < SST_MAX_BATCH ? N_YEARS - first : SST_MAX_BATCH;
        cpu->tail_add_fields(sst_bin_tail(bin), &bench->cells, bench->pointers + first, n);
    }
    note(bench, TAIL_ADD, tail_start, bench->n_valid * N_YEARS);
    sst_bin_set_step(&bench->lists, cpu, term, SST_WINDOW_ENTER);
    return SST_OK;
}

/* As cheap as looking at every line can be. */
static int scan(const struct sst_kept *kept, size_t n_kept, size_t n_tiles)
{
    int sum = 0;
    for (size_t tile = 0; tile < n_tiles; ++tile)
        for (size_t i = 0; i < n_kept; ++i) {
            int16_t(*rows)[SST_KEPT_LANES] = sst_kept_members(&kept[i], tile);
            for (size_t row = 0; row < kept[i].n_members; ++row)
                sum += rows[row][0];
        }
    return sum;
}

static enum sst_status finish_exact(struct bench *bench, const struct sst_kept *kept, size_t n_kept,
                                    size_t n_percentiles, enum row row, struct sst_error *err)
{
    static const double p[] = {0.9, 0.1};
    const struct sst_quantile_args args = {p, n_percentiles, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    const struct sst_finish_out out = {.mean = bench->mean, .quantile = bench->quantile, .found = bench->found};
    const double start = bench_now_ns();
    SST_TRY(sst_backend_cpu()->exact_finish(kept, n_kept, &args, &out, bench->cells.n_places, err));
    note(bench, row, start, bench->n_valid);
    return SST_OK;
}

static enum sst_status finish_tail(struct bench *bench, int day, struct sst_error *err)
{
    static const double p[] = {0.9};
    const struct sst_quantile_args args = {p, 1, 7, sst_lattice_of(SST_LATTICE_CENTI), 1};
    const struct sst_tail_out out = {.mean = bench->mean,
                                     .quantile = bench->quantile,
                                     .bound = &bench->bound,
                                     .found = bench->found,
                                     .uncertified = bench->uncertified};
    struct sst_tail_view views[N_POOL];
    for (int i = 0; i < N_POOL; ++i)
        views[i] = sst_bin_tail(&bench->lists.bins[day + 1 - i][SST_CLASS_COMMON]);
    const struct sst_tail_pool pool = {views, N_POOL, bench->lists.window.planes[SST_TAIL_N],
                                       bench->lists.window.planes[SST_TAIL_S1]};
    const double start = bench_now_ns();
    SST_TRY(sst_backend_cpu()->tail_finish(&pool, &args, &out, bench->cells.n_places, err));
    note(bench, TAIL_FINISH, start, bench->n_valid);
    return SST_OK;
}

static void scan_all(struct bench *bench, const struct sst_kept *kept, size_t n_kept)
{
    const double start = bench_now_ns();
    volatile int sink = scan(kept, n_kept, sst_kept_tiles(bench->cells.n_places));
    (void)sink;
    note(bench, SCAN, start, bench->n_valid);
}

static enum sst_status finish_day(struct bench *bench, int day, bool is_first, struct sst_error *err)
{
    struct sst_term terms[N_POOL];
    struct sst_kept kept[N_POOL];
    const size_t n_places = bench->cells.n_places;
    for (int i = 0; i < N_POOL; ++i)
        terms[i] = (struct sst_term){(int16_t)(day + 1 - i), SST_CLASS_COMMON};
    const size_t n_kept = sst_raw_pool(bench->raw, terms, N_POOL, kept);
    if (is_first) {
        for (int q = 0; q < 2; ++q)
            for (size_t cell = 0; cell < n_places; ++cell)
                bench->found[q][cell] = SST_CODE_MISSING;
        SST_TRY(finish_exact(bench, kept, n_kept, 1, FINISH_COLD, err));
        SST_TRY(finish_exact(bench, kept, n_kept, 2, FINISH_COLD, err));
    } else {
        for (int round = 0; round < N_ROUNDS; ++round) {
            for (int q = 0; q < 2; ++q)
                memcpy(bench->found[q], bench->last[q], n_places * sizeof **bench->found);
            SST_TRY(finish_exact(bench, kept, n_kept, round % 2 ? 2 : 1, round % 2 ? FINISH_TWO : FINISH_WARM, err));
            scan_all(bench, kept, n_kept);
        }
    }
    for (int q = 0; q < 2; ++q)
        memcpy(bench->last[q], bench->found[q], n_places * sizeof **bench->found);
    return finish_tail(bench, day, err);
}

static enum sst_status run_days(struct bench *bench, int n_days, struct sst_error *err)
{
    for (int day = 0; day < N_POOL + n_days; ++day) {
        SST_TRY(add_day(bench, day, err));
        if (day + 1 < N_POOL)
            continue;
        SST_TRY(finish_day(bench, day, day + 1 == N_POOL, err));
        const int leaving = day + 2 - N_POOL;
        sst_bin_set_step(&bench->lists, sst_backend_cpu(), (struct sst_term){(int16_t)leaving, SST_CLASS_COMMON},
                         SST_WINDOW_LEAVE);
        sst_bin_set_drop_slot(&bench->lists, leaving);
        sst_raw_drop_slot(bench->raw, leaving);
    }
    return SST_OK;
}

int bench_exact_rows(size_t n_lon, size_t n_lat, int n_days, struct bench_row rows[BENCH_EXACT_ROWS])
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct sst_error err = {0};
    if (!bench)
        return -1;
    memcpy(rows, row_names, sizeof row_names);
    bench->rows = rows;
    bench->n_lon = n_lon;
    bench->n_domain = n_lon * n_lat;
    const bool is_done = open_bench(bench, &err) == SST_OK && run_days(bench, n_days, &err) == SST_OK;
    close_bench(bench);
    free(bench);
    return is_done ? 0 : -1;
}
