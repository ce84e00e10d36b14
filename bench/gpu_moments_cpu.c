/* Fields are a sum of three uniform numbers a value, made of the field's and the cell's number: any thread makes the same. */
#include "gpu_moments_cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "moments/maxent.h"

static void *need(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory) {
        fprintf(stderr, "gpu_moments: no memory for %zu items of %zu bytes\n", n, size);
        exit(2);
    }
    return memory;
}

/* splitmix64 */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

static bool is_land(size_t block, int land) { return (int)(mix(block + 12345) % 100) < land; }

static void make_field(int16_t *codes, size_t n_domain, size_t stride, size_t field, int land)
{
    enum { THIRD = 255, SHIFT = 8 };
    for (size_t cell = 0; cell < stride; ++cell) {
        const uint64_t bits = mix((field + 1) * 0x9E3779B97F4A7C15ULL + cell);
        const int sum = (int)(bits & THIRD) + (int)(bits >> SHIFT & THIRD) + (int)(bits >> 2 * SHIFT & THIRD);
        const bool is_missing = bits >> 3 * SHIFT & THIRD ? false : cell % 3 == 0;
        codes[cell] = (int16_t)(sum - 200 + (int)(cell % 2999));
        if (is_missing || cell >= n_domain || is_land(cell / SST_CELLS_WIDTH, land))
            codes[cell] = SST_CODE_MISSING;
    }
}

struct moments_case *moments_case_open(size_t n_domain, size_t n_bins, size_t n_years, int land)
{
    struct moments_case *host = need(1, sizeof *host);
    host->n_bins = n_bins;
    host->n_years = n_years;
    host->n_fields = n_bins * n_years;
    host->stride = (n_domain + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS;
    host->codes = malloc(host->n_fields * host->stride * sizeof *host->codes); /* each thread touches its own first */
    if (!host->codes || sst_cells_init(&host->cells, n_domain, NULL) != SST_OK) {
        free(host->codes);
        free(host);
        return NULL;
    }
#pragma omp parallel for schedule(static)
    for (size_t field = 0; field < host->n_fields; ++field)
        make_field(host->codes + field * host->stride, n_domain, host->stride, field, land);
    for (size_t field = 0; field < host->n_fields && field < 4; ++field)
        sst_cells_take(&host->cells,
                       &(struct sst_field){.n_cells = n_domain, .codes = host->codes + field * host->stride});
    const size_t n_blocks = host->cells.n_places / SST_CELLS_WIDTH;
    host->block_at = need(n_blocks, sizeof *host->block_at);
    for (size_t i = 0; i < n_blocks; ++i)
        host->block_at[i] = i < host->cells.n_given ? host->cells.block_at[i] : GPU_NO_BLOCK;
    host->bins = need(n_bins * host->cells.n_places, MOMENTS_BIN_BYTES);
    return host;
}

void moments_case_close(struct moments_case *host)
{
    sst_cells_clear(&host->cells);
    free(host->block_at);
    free(host->codes);
    free(host->bins);
    free(host);
}

/* A bin is its planes one after another. */
static struct sst_moments_view view_of(unsigned char *memory, size_t n)
{
    struct sst_moments_view view;
    view.s2 = (int64_t *)(void *)memory;
    view.s3 = view.s2 + n;
    view.s4 = view.s3 + n;
    view.s1 = (int32_t *)(void *)(view.s4 + n);
    view.n = (uint16_t *)(void *)(view.s1 + n);
    return view;
}

struct sst_moments_view moments_case_bin(const struct moments_case *host, size_t bin)
{
    return view_of(host->bins + bin * host->cells.n_places * MOMENTS_BIN_BYTES, host->cells.n_places);
}

void moments_case_empty(struct moments_case *host)
{
    memset(host->bins, 0, host->n_bins * host->cells.n_places * MOMENTS_BIN_BYTES);
}

void moments_case_add(struct moments_case *host, size_t n)
{
    for (size_t bin = 0; bin < host->n_bins; ++bin)
        for (size_t first = 0; first < n; first += SST_MAX_BATCH) {
            const int16_t *fields[SST_MAX_BATCH];
            const size_t n_batch = n - first < SST_MAX_BATCH ? n - first : SST_MAX_BATCH;
            for (size_t i = 0; i < n_batch; ++i)
                fields[i] = host->codes + (bin * host->n_years + first + i) * host->stride;
            sst_backend_cpu()->moments_add_fields(moments_case_bin(host, bin), &host->cells, fields, n_batch);
        }
}

static void move(struct sst_moments_view window, struct sst_moments_view bin, bool enters, size_t n)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    void (*const by)(void *, const void *, enum sst_plane_type, size_t) = enters ? cpu->plane_add : cpu->plane_subtract;
    by(window.n, bin.n, SST_PLANE_U16, n);
    by(window.s1, bin.s1, SST_PLANE_I32, n);
    by(window.s2, bin.s2, SST_PLANE_I64, n);
    by(window.s3, bin.s3, SST_PLANE_I64, n);
    by(window.s4, bin.s4, SST_PLANE_I64, n);
}

static void finish(struct sst_moments_view window, const struct sst_moments_fit *fit, struct gpu_window_step step,
                   const struct moments_results *results, size_t n)
{
    const size_t at = (size_t)step.result * n;
    double *quantile[MOMENTS_PERCENTILES];
    for (int q = 0; q < MOMENTS_PERCENTILES; ++q)
        quantile[q] = results->quantile[q] + at;
    const struct sst_finish_out out = {.mean = results->mean + at,
                                       .quantile = quantile,
                                       .guarded = results->mark + at,
                                       .shape = {results->sd + at, results->skew + at, results->kurt + at}};
    sst_backend_cpu()->moments_finish(window, fit, step.min_samples, &out, n);
    memcpy(results->n_obs + at, window.n, n * sizeof *window.n);
}

struct moments_results moments_case_window(const struct moments_case *host, const struct window_steps *way,
                                           bool is_maxent)
{
    static const double z[MOMENTS_PERCENTILES] = {MOMENTS_Z90, MOMENTS_Z10};
    const float *const table[MOMENTS_PERCENTILES] = {moments_table(90), moments_table(10)};
    const struct sst_moments_fit fit = {.kind = is_maxent ? SST_FIT_MAXENT : SST_FIT_CF,
                                        .n_percentiles = MOMENTS_PERCENTILES,
                                        .z = z,
                                        .table = table,
                                        .v_limit = moments_v_limit()};
    const size_t n = host->cells.n_places, n_items = way->n_pools * n;
    const struct moments_results results = {.mean = need(n_items, sizeof(double)),
                                            .quantile = {need(n_items, sizeof(double)), need(n_items, sizeof(double))},
                                            .sd = need(n_items, sizeof(float)),
                                            .skew = need(n_items, sizeof(float)),
                                            .kurt = need(n_items, sizeof(float)),
                                            .n_obs = need(n_items, sizeof(uint16_t)),
                                            .mark = need(n_items, 1)};
    unsigned char *memory = need(n, MOMENTS_BIN_BYTES);
    const struct sst_moments_view window = view_of(memory, n);
    for (size_t s = 0; s < way->n_steps; ++s) {
        const struct gpu_window_step step = way->steps[s];
        if (step.kind == GPU_WINDOW_FINISH)
            finish(window, &fit, step, &results, n);
        else
            move(window, moments_case_bin(host, (size_t)step.bin), step.kind == GPU_WINDOW_ENTER, n);
    }
    free(memory);
    return results;
}

void moments_results_clear(struct moments_results results)
{
    free(results.mean);
    for (int q = 0; q < MOMENTS_PERCENTILES; ++q)
        free(results.quantile[q]);
    free(results.sd);
    free(results.skew);
    free(results.kurt);
    free(results.n_obs);
    free(results.mark);
}

const float *moments_table(int percentile) { return sst_maxent_table(percentile); }
const float *moments_v_limit(void) { return sst_maxent_v_limit(); }
