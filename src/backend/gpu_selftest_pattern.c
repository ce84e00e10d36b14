/* The pattern of the self-test, and what the CPU backend makes of it. */
#include "backend/gpu_selftest_pattern.h"

#include <string.h>

#include "core/mem.h"
#include "kernels/cell_maxent.h"

enum { MOST_YEARS = SST_PATTERN_MOST_YEARS, BINS = SST_PATTERN_BINS, WINDOW = SST_PATTERN_WINDOW };
enum { PERCENTILES = SST_PATTERN_PERCENTILES, POOLS = SST_PATTERN_POOLS, DOMAIN = SST_PATTERN_DOMAIN };

/* Of the largest kind that systems with devices have. [bytes] */
enum { PAGE = 65536 };

/* A high and a low percentile as they are asked for, and one too far inside for lists. */
static const double shares[PERCENTILES] = {0.9, 0.1, 0.75};

/* --- the pattern -------------------------------------------------------------------------------------------------- */

/* Numbers without order that are the same everywhere: the finishing steps of splitmix64. */
static uint32_t scatter(uint64_t at)
{
    uint64_t z = (at + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(z >> 33);
}

/* Land, gaps, ties, constants, extremes, too few values, and a season with noise. */
static int16_t pattern_code(size_t bin, size_t year, size_t cell, int most)
{
    const uint32_t noise = scatter((bin * MOST_YEARS + year) * DOMAIN + cell);
    const size_t block = cell / SST_CELLS_WIDTH;
    if (block % 7 == 2 || (cell % 3 == 0 && noise % 5 == 0))
        return SST_CODE_MISSING;
    switch (cell % 11) {
    case 1:
        return -180;
    case 2:
        return (int16_t)(noise % 2 == 0 ? most : -most);
    case 3:
        return (int16_t)(100 * (int)(noise % 4));
    case 4:
        return year == bin ? 2000 : SST_CODE_MISSING;
    case 5:
        return bin % 4 == 1 ? SST_CODE_MISSING : (int16_t)(noise % 900);
    default:
        return (int16_t)(1500 + 20 * (int)bin + (int)(noise % 300) + (int)(noise / 512 % 300));
    }
}

static void make_fields(struct sst_pattern *pattern)
{
    const bool is_centi = pattern->of.lattice == SST_LATTICE_CENTI;
    const int most = is_centi ? SST_MAX_HUNDREDTHS : INT16_MAX;
    for (size_t i = 0; i < pattern->n_fields; ++i) {
        int16_t *codes = pattern->codes + i * DOMAIN, *hundredths = pattern->hundredths + i * DOMAIN;
        for (size_t cell = 0; cell < DOMAIN; ++cell)
            codes[cell] = pattern_code(i / pattern->of.n_years, i % pattern->of.n_years, cell, most);
        if (!is_centi)
            sst_field_hundredths(codes, DOMAIN, hundredths);
        pattern->fields[i] = (struct sst_field){DOMAIN, codes, hundredths, pattern->ice, false, NULL};
        sst_cells_take(&pattern->cells, &pattern->fields[i]);
    }
}

struct sst_quantile_args sst_pattern_args(const struct sst_pattern_shape *of)
{
    const size_t n_percentiles = of->is_plain ? 1 : PERCENTILES;
    return (struct sst_quantile_args){shares, n_percentiles, 7, sst_lattice_of(of->lattice), SST_PATTERN_MIN_SAMPLES};
}

static void make_questions(struct sst_pattern *pattern)
{
    const double z[PERCENTILES] = {1.28125, -1.28125, 0.671875};
    float *limit = pattern->table + (size_t)CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U;
    for (size_t q = 0; q < PERCENTILES; ++q) {
        pattern->z[q] = z[q];
        pattern->is_low[q] = shares[q] < 0.5;
        pattern->tables[q] = pattern->table;
    }
    for (size_t i = 0; i < (size_t)CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U; ++i)
        pattern->table[i] = (float)(scatter(i) % 4096) / 1024;
    for (size_t i = 0; i < CELL_MAXENT_N_SKEW; ++i)
        limit[i] = (float)(scatter(i) % 1024) / 256;
    pattern->args = sst_pattern_args(&pattern->of);
    pattern->fit =
        (struct sst_moments_fit){SST_FIT_CF, pattern->args.n_percentiles, pattern->z, pattern->tables, limit};
    for (size_t bin = 0; bin < BINS; ++bin)
        pattern->bins[bin] = bin;
    for (size_t pool = 0; pool < POOLS; ++pool)
        pattern->pools[pool] = (struct sst_gpu_pool){pattern->bins + pool, WINDOW, SST_PATTERN_MIN_SAMPLES};
}

static size_t whole_pages(size_t n_bytes) { return (n_bytes + PAGE - 1) / PAGE * PAGE; }

/* Runtimes page-lock whole pages: nothing else lies in them. */
static enum sst_status open_codes(struct sst_pattern *pattern, struct sst_error *err)
{
    const size_t n_array = whole_pages(pattern->n_fields * DOMAIN * sizeof *pattern->codes);
    const size_t n_arrays = pattern->of.lattice == SST_LATTICE_MILLI ? 2 : 1;
    SST_TRY(sst_alloc(n_arrays * n_array + PAGE, 1, "the pattern of a self-test", &pattern->code_memory, err));
    unsigned char *first = pattern->code_memory;
    first += whole_pages((uintptr_t)first) - (uintptr_t)first;
    pattern->codes = (void *)first;
    pattern->hundredths = (void *)(first + (n_arrays - 1) * n_array);
    pattern->n_block_bytes = n_arrays * n_array;
    return SST_OK;
}

enum sst_status sst_pattern_init(struct sst_pattern *pattern, const struct sst_pattern_shape *of, struct sst_error *err)
{
    const size_t n_fields = BINS * of->n_years;
    const size_t n_table = (size_t)CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U + CELL_MAXENT_N_SKEW;
    const char *what = "the pattern of a self-test";
    enum sst_status rc = SST_OK;
    *pattern = (struct sst_pattern){.of = *of, .n_fields = n_fields};
    SST_TRY_GOTO(sst_cells_init(&pattern->cells, DOMAIN, err));
    SST_TRY_GOTO(sst_alloc(n_fields, sizeof *pattern->fields, what, &pattern->fields, err));
    SST_TRY_GOTO(open_codes(pattern, err));
    SST_TRY_GOTO(sst_alloc(DOMAIN, sizeof *pattern->ice, what, &pattern->ice, err));
    SST_TRY_GOTO(sst_alloc(n_table, sizeof *pattern->table, what, &pattern->table, err));
    make_fields(pattern);
    make_questions(pattern);
done:
    if (rc != SST_OK)
        sst_pattern_clear(pattern);
    return rc;
}

void sst_pattern_clear(struct sst_pattern *pattern)
{
    sst_cells_clear(&pattern->cells);
    sst_free(pattern->fields);
    sst_free(pattern->code_memory);
    sst_free(pattern->ice);
    sst_free(pattern->table);
    *pattern = (struct sst_pattern){0};
}

/* --- results ------------------------------------------------------------------------------------------------------ */

static void *deal_out(struct sst_pattern_results *results, size_t *n_used, size_t n_bytes)
{
    void *at = results->memory + *n_used;
    *n_used += n_bytes;
    return at;
}

enum sst_status sst_pattern_results_init(struct sst_pattern_results *results, const struct sst_pattern *pattern,
                                         enum sst_gpu_store store, struct sst_error *err)
{
    const size_t n = pattern->cells.n_places, n_double = n * sizeof(double), n_float = n * sizeof(float);
    const size_t n_pool = (2 + 2 * PERCENTILES) * n_double + 3 * n_float; /* n_obs and marks share one of the doubles */
    size_t n_used = 0;
    *results = (struct sst_pattern_results){.n_bytes = POOLS * n_pool};
    SST_TRY(sst_alloc(results->n_bytes, 1, "results of a self-test", &results->memory, err));
    for (size_t pool = 0; pool < POOLS; ++pool) {
        struct sst_gpu_result *out = &results->pools[pool];
        out->mean = deal_out(results, &n_used, n_double);
        for (size_t q = 0; q < PERCENTILES; ++q) {
            results->quantile[pool][q] = deal_out(results, &n_used, n_double);
            results->bound[pool][q] = deal_out(results, &n_used, n_double);
        }
        out->quantile = results->quantile[pool];
        out->bound = results->bound[pool];
        out->n_obs = deal_out(results, &n_used, n * sizeof *out->n_obs);
        out->marks = deal_out(results, &n_used, n_double - n * sizeof *out->n_obs);
        if (store == SST_GPU_MOMENTS && !pattern->of.is_plain) {
            out->shape.sd = deal_out(results, &n_used, n_float);
            out->shape.skew = deal_out(results, &n_used, n_float);
            out->shape.kurt = deal_out(results, &n_used, n_float);
        }
    }
    return SST_OK;
}

/* --- by the CPU backend ------------------------------------------------------------------------------------------- */

static const struct sst_field *field_of(const struct sst_pattern *pattern, size_t bin, size_t year)
{
    return &pattern->fields[bin * pattern->of.n_years + year];
}

/* Bins and a window of one plane after the other, each of n_places items: bin b's begin at b * bin_bytes. */
static struct sst_moments_view moments_at(unsigned char *memory, size_t bin, size_t n)
{
    const size_t n_bytes = sizeof(int64_t) * n;
    unsigned char *at = memory + bin * 5 * n_bytes;
    return (struct sst_moments_view){(void *)(at + 3 * n_bytes), (void *)(at + 4 * n_bytes), (void *)at,
                                     (void *)(at + n_bytes), (void *)(at + 2 * n_bytes)};
}

static void sum_window(const struct sst_backend *cpu, unsigned char *memory, size_t pool, size_t n)
{
    const struct sst_moments_view window = moments_at(memory, BINS, n);
    memset(window.s2, 0, 5 * sizeof(int64_t) * n);
    for (size_t bin = pool; bin < pool + WINDOW; ++bin) {
        const struct sst_moments_view from = moments_at(memory, bin, n);
        cpu->plane_add(window.n, from.n, SST_PLANE_U16, n);
        cpu->plane_add(window.s1, from.s1, SST_PLANE_I32, n);
        cpu->plane_add(window.s2, from.s2, SST_PLANE_I64, n);
        cpu->plane_add(window.s3, from.s3, SST_PLANE_I64, n);
        cpu->plane_add(window.s4, from.s4, SST_PLANE_I64, n);
    }
}

static enum sst_status compute_moments(const struct sst_pattern *pattern, const struct sst_pattern_results *out,
                                       struct sst_error *err)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = pattern->cells.n_places;
    unsigned char *memory = NULL;
    SST_TRY(sst_alloc((BINS + 1) * 5 * n, sizeof(int64_t), "bins of a self-test", &memory, err));
    for (size_t bin = 0; bin < BINS; ++bin)
        for (size_t year = 0; year < pattern->of.n_years; ++year) {
            const int16_t *hundredths = field_of(pattern, bin, year)->hundredths;
            cpu->moments_add_fields(moments_at(memory, bin, n), &pattern->cells, &hundredths, 1);
        }
    for (size_t pool = 0; pool < POOLS; ++pool) {
        const struct sst_gpu_result *result = &out->pools[pool];
        const struct sst_finish_out to = {
            .mean = result->mean, .quantile = result->quantile, .guarded = result->marks, .shape = result->shape};
        const struct sst_moments_view window = moments_at(memory, BINS, n);
        sum_window(cpu, memory, pool, n);
        cpu->moments_finish(window, &pattern->fit, SST_PATTERN_MIN_SAMPLES, &to, n);
        memcpy(result->n_obs, window.n, n * sizeof *result->n_obs);
    }
    sst_free(memory);
    return SST_OK;
}

static enum sst_status compute_exact(const struct sst_pattern *pattern, const struct sst_pattern_results *out,
                                     struct sst_error *err)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = pattern->cells.n_places, tile_rows = SST_KEPT_HEAD_ROWS + pattern->of.n_years;
    const size_t n_rows = sst_kept_tiles(n) * tile_rows;
    int16_t(*rows)[SST_KEPT_LANES] = NULL;
    struct sst_kept kept[BINS];
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(BINS * n_rows, sizeof *rows, "kept values of a self-test", &rows, err));
    for (size_t bin = 0; bin < BINS; ++bin) {
        kept[bin] = (struct sst_kept){rows + bin * n_rows, tile_rows, 0};
        for (size_t year = 0; year < pattern->of.n_years; ++year) {
            const struct sst_field *field = field_of(pattern, bin, year);
            kept[bin].n_members = year + 1;
            cpu->exact_add_fields(&kept[bin], &pattern->cells, &field, 1);
        }
    }
    for (size_t pool = 0; pool < POOLS && rc == SST_OK; ++pool) {
        const struct sst_gpu_result *result = &out->pools[pool];
        const struct sst_finish_out to = {.mean = result->mean, .quantile = result->quantile, .n_obs = result->n_obs};
        rc = cpu->exact_finish(kept + pool, WINDOW, &pattern->args, &to, n, err);
    }
    sst_free(rows);
    return rc;
}

/* Of one bin: sums, and both lists. */
static size_t tail_bytes(const struct sst_pattern *pattern)
{
    return pattern->cells.n_places * (sizeof(int64_t) + (pattern->of.k_top + pattern->of.k_bottom) * sizeof(int16_t));
}

static struct sst_tail_view tail_at(const struct sst_pattern *pattern, unsigned char *memory, size_t bin)
{
    const size_t n = pattern->cells.n_places, n_sums = n * sizeof(int64_t);
    const size_t k_top = pattern->of.k_top, k_bottom = pattern->of.k_bottom;
    unsigned char *at = memory + bin * tail_bytes(pattern), *top = at + n_sums;
    return (struct sst_tail_view){(void *)(at + n_sums / 2),
                                  (void *)at,
                                  (void *)top,
                                  (void *)(top + n * k_top * sizeof(int16_t)),
                                  k_top,
                                  k_bottom};
}

static enum sst_status finish_tail(const struct sst_pattern *pattern, unsigned char *memory, size_t pool,
                                   const struct sst_gpu_result *result, struct sst_error *err)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = pattern->cells.n_places;
    const struct sst_tail_view sums = tail_at(pattern, memory, BINS);
    struct sst_tail_view bins[WINDOW];
    memset(sums.s1, 0, n * sizeof(int64_t));
    for (size_t i = 0; i < WINDOW; ++i) {
        bins[i] = tail_at(pattern, memory, pool + i);
        cpu->plane_add(sums.n, bins[i].n, SST_PLANE_U16, n);
        cpu->plane_add(sums.s1, bins[i].s1, SST_PLANE_I32, n);
    }
    memcpy(result->n_obs, sums.n, n * sizeof *result->n_obs);
    const struct sst_tail_pool of = {bins, WINDOW, sums.n, sums.s1};
    const struct sst_tail_out to = {result->mean, result->quantile, result->bound, NULL, result->marks};
    return cpu->tail_finish(&of, &pattern->args, &to, n, err);
}

static enum sst_status compute_tail(const struct sst_pattern *pattern, const struct sst_pattern_results *out,
                                    struct sst_error *err)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = pattern->cells.n_places;
    unsigned char *memory = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(BINS + 1, tail_bytes(pattern), "bins of a self-test", &memory, err));
    for (size_t bin = 0; bin < BINS; ++bin) {
        const struct sst_tail_view view = tail_at(pattern, memory, bin);
        for (size_t i = 0; i < (view.k_top + view.k_bottom) * n; ++i)
            view.top[i] = SST_CODE_MISSING; /* the bottom list lies behind it */
        for (size_t year = 0; year < pattern->of.n_years; ++year) {
            const struct sst_field *field = field_of(pattern, bin, year);
            cpu->tail_add_fields(view, &pattern->cells, &field, 1);
        }
    }
    for (size_t pool = 0; pool < POOLS && rc == SST_OK; ++pool)
        rc = finish_tail(pattern, memory, pool, &out->pools[pool], err);
    sst_free(memory);
    return rc;
}

enum sst_status sst_pattern_compute(const struct sst_pattern *pattern, enum sst_gpu_store store,
                                    const struct sst_pattern_results *out, struct sst_error *err)
{
    switch (store) {
    case SST_GPU_MOMENTS:
        return compute_moments(pattern, out, err);
    case SST_GPU_EXACT:
        return compute_exact(pattern, out, err);
    case SST_GPU_TAIL:
        return compute_tail(pattern, out, err);
    }
    return sst_fail(err, SST_ERR_INTERNAL, "no such store: %d", (int)store);
}
