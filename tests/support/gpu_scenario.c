/* Fields are made as they come, remembered for the CPU, and spoilt as soon as the run gives them back. */
#include "gpu_scenario.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cell_maxent.h"
#include "random.h"

enum { N_BINS = 14, MOST_FIELDS = 9, MOST_TERMS = 5, N_POOLS = 47, N_PERCENTILES = 3, K_TOP = 3, K_BOTTOM = 2 };

static const double p[N_PERCENTILES] = {0.9, 0.1, 0.75};
static const double z[N_PERCENTILES] = {1.28125, -1.28125, 0.671875};
static const uint8_t is_low[N_PERCENTILES] = {0, 1, 0};

/* Fields of a bin: codes and hundredths of each, n_domain apart. */
struct content {
    int16_t *codes[MOST_FIELDS], *hundredths[MOST_FIELDS];
    size_t n_fields;
};

struct results {
    double *mean, *quantile[N_PERCENTILES], *bound[N_PERCENTILES];
    uint16_t *n_obs;
    uint8_t *marks;
    float *sd, *skew, *kurt;
    unsigned char *memory;
    size_t n_bytes;
};

struct pool {
    size_t bins[MOST_TERMS], n_bins;
    int min_samples;
};

struct life {
    const struct gpu_scenario *of;
    struct gpu_scenario_seen *seen;
    struct test_random random;
    struct sst_cells cells;
    struct content bins[N_BINS];
    float table[CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U + CELL_MAXENT_N_SKEW];
    const float *tables[N_PERCENTILES];
    struct sst_moments_fit fit;
    struct sst_quantile_args args;
    struct sst_gpu *gpu;
    struct pool pools[N_POOLS];
    struct results expected[N_POOLS];
    size_t n_pools, group_places, n_read;
    int sea_percent;
};

/* --- results ------------------------------------------------------------------------------------------------------ */

static void *deal_out(struct results *results, size_t n_bytes)
{
    void *at = results->memory + results->n_bytes;
    results->n_bytes += n_bytes;
    return at;
}

/* Zeroed arrays of n items: what a store does not give stays 0. */
static struct results results_of(size_t n)
{
    struct results made = {.memory = calloc(n, (1 + 2 * N_PERCENTILES) * sizeof(double) + 16)};
    made.mean = deal_out(&made, n * sizeof(double));
    for (int q = 0; q < N_PERCENTILES; ++q) {
        made.quantile[q] = deal_out(&made, n * sizeof(double));
        made.bound[q] = deal_out(&made, n * sizeof(double));
    }
    made.sd = deal_out(&made, n * sizeof(float));
    made.skew = deal_out(&made, n * sizeof(float));
    made.kurt = deal_out(&made, n * sizeof(float));
    made.n_obs = deal_out(&made, n * sizeof(uint16_t));
    made.marks = deal_out(&made, n);
    return made;
}

static void results_clear(struct results *results)
{
    free(results->memory);
    *results = (struct results){0};
}

/* --- what the CPU gives ------------------------------------------------------------------------------------------- */

static void expect_moments(const struct life *life, const struct pool *pool, struct results *out)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = life->cells.n_places;
    int64_t *memory = calloc(5 * n, sizeof *memory);
    const struct sst_moments_view sums = {out->n_obs, (void *)(memory + 4 * n), memory, memory + n, memory + 2 * n};
    for (size_t i = 0; i < pool->n_bins; ++i) {
        const struct content *bin = &life->bins[pool->bins[i]];
        for (size_t f = 0; f < bin->n_fields; ++f)
            cpu->moments_add_fields(sums, &life->cells, (const int16_t *const *)&bin->hundredths[f], 1);
    }
    const struct sst_finish_out to = {
        .mean = out->mean, .quantile = out->quantile, .guarded = out->marks, .shape = {out->sd, out->skew, out->kurt}};
    cpu->moments_finish(sums, &life->fit, pool->min_samples, &to, n);
    free(memory);
}

static struct sst_field field_of(const struct life *life, const struct content *bin, size_t f)
{
    return (struct sst_field){life->of->n_domain, bin->codes[f], bin->hundredths[f], NULL, false, NULL};
}

static void expect_exact(const struct life *life, const struct pool *pool, struct results *out)
{
    const size_t n = life->cells.n_places, tile_rows = SST_KEPT_HEAD_ROWS + MOST_TERMS * MOST_FIELDS;
    struct sst_quantile_args args = life->args;
    struct sst_kept kept = {aligned_alloc(64, sst_kept_tiles(n) * tile_rows * sizeof *kept.rows), tile_rows, 0};
    const struct sst_finish_out to = {.mean = out->mean, .quantile = out->quantile, .n_obs = out->n_obs};
    for (size_t i = 0; i < pool->n_bins; ++i)
        for (size_t f = 0; f < life->bins[pool->bins[i]].n_fields; ++f) {
            const struct sst_field field = field_of(life, &life->bins[pool->bins[i]], f), *list = &field;
            ++kept.n_members;
            sst_backend_cpu()->exact_add_fields(&kept, &life->cells, &list, 1);
        }
    args.min_samples = pool->min_samples;
    ck_assert_int_eq(sst_backend_cpu()->exact_finish(&kept, kept.n_members > 0, &args, &to, n, NULL), SST_OK);
    free(kept.rows);
}

static struct sst_tail_view expect_bin(const struct life *life, const struct content *bin, struct results *sums)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    const size_t n = life->cells.n_places;
    unsigned char *memory = calloc(n, 6 + 2 * (K_TOP + K_BOTTOM));
    const struct sst_tail_view view = {(void *)(memory + 4 * n),
                                       (void *)memory,
                                       (void *)(memory + 6 * n),
                                       (void *)(memory + (6 + 2 * K_TOP) * n),
                                       K_TOP,
                                       K_BOTTOM};
    for (size_t i = 0; i < n * (K_TOP + K_BOTTOM); ++i)
        view.top[i] = SST_CODE_MISSING; /* and the other list, which follows */
    for (size_t f = 0; f < bin->n_fields; ++f) {
        const struct sst_field field = field_of(life, bin, f), *list = &field;
        cpu->tail_add_fields(view, &life->cells, &list, 1);
    }
    cpu->plane_add(sums->n_obs, view.n, SST_PLANE_U16, n);
    cpu->plane_add(sums->mean, view.s1, SST_PLANE_I32, n); /* for the moment, the sums lie where the means will */
    return view;
}

static void expect_tail(const struct life *life, const struct pool *pool, struct results *out)
{
    const size_t n = life->cells.n_places;
    struct sst_tail_view views[MOST_TERMS];
    struct sst_quantile_args args = life->args;
    size_t n_views = 0;
    args.min_samples = pool->min_samples;
    for (size_t i = 0; i < pool->n_bins; ++i)
        if (life->bins[pool->bins[i]].n_fields > 0)
            views[n_views++] = expect_bin(life, &life->bins[pool->bins[i]], out);
    int32_t *s1 = malloc(n * sizeof *s1);
    memcpy(s1, out->mean, n * sizeof *s1);
    const struct sst_tail_pool of = {views, n_views, out->n_obs, s1};
    const struct sst_tail_out to = {out->mean, out->quantile, out->bound, NULL, out->marks};
    ck_assert_int_eq(sst_backend_cpu()->tail_finish(&of, &args, &to, n, NULL), SST_OK);
    for (size_t i = 0; i < n_views; ++i)
        free(views[i].s1);
    free(s1);
}

static void expect(const struct life *life, const struct pool *pool, struct results *out)
{
    *out = results_of(life->cells.n_places);
    switch (life->of->store) {
    case SST_GPU_MOMENTS:
        expect_moments(life, pool, out);
        break;
    case SST_GPU_EXACT:
        expect_exact(life, pool, out);
        break;
    case SST_GPU_TAIL:
        expect_tail(life, pool, out);
        break;
    }
}

/* --- what may happen ---------------------------------------------------------------------------------------------- */

static int below(struct life *life, int n) { return test_random_below(&life->random, n); }

/* Blocks are sea from a certain percentage on, each from its own. */
static bool is_sea(const struct life *life, size_t block)
{
    return (int)((block * 2654435761U) / 65536 % 100) < life->sea_percent;
}

static void make_field(struct life *life, struct content *bin)
{
    const size_t n = life->of->n_domain, f = bin->n_fields++;
    bin->codes[f] = malloc(n * sizeof(int16_t));
    bin->hundredths[f] = life->of->lattice == SST_LATTICE_MILLI ? malloc(n * sizeof(int16_t)) : bin->codes[f];
    for (size_t cell = 0; cell < n; ++cell) {
        const int value = cell % 17 == 3 ? 100 * below(life, 3) : 1000 + below(life, 500) + below(life, 500);
        const bool is_missing = !is_sea(life, cell / SST_CELLS_WIDTH) || (cell % 5 == 0 && below(life, 3) == 0);
        bin->codes[f][cell] = (int16_t)(is_missing ? SST_CODE_MISSING : value - 700);
    }
    if (life->of->lattice == SST_LATTICE_MILLI)
        sst_field_hundredths(bin->codes[f], n, bin->hundredths[f]);
    const struct sst_field field = field_of(life, bin, f);
    sst_cells_take(&life->cells, &field);
}

static enum sst_status add_some(struct life *life, size_t index, struct sst_error *err)
{
    struct content *bin = &life->bins[index];
    const size_t first = bin->n_fields, room = MOST_FIELDS - first, places = life->cells.n_places;
    const size_t n_new = room > 0 ? 1 + (size_t)below(life, (int)room) : 0, n = life->of->n_domain;
    struct sst_field fields[MOST_FIELDS];
    const struct sst_field *list[MOST_FIELDS];
    for (size_t i = 0; i < n_new; ++i) {
        make_field(life, bin);
        fields[i] = field_of(life, bin, first + i);
        fields[i].codes = memcpy(malloc(n * sizeof(int16_t)), bin->codes[first + i], n * sizeof(int16_t));
        fields[i].hundredths = fields[i].codes;
        if (life->of->lattice == SST_LATTICE_MILLI)
            fields[i].hundredths = memcpy(malloc(n * sizeof(int16_t)), bin->hundredths[first + i], n * sizeof(int16_t));
        list[i] = &fields[i];
    }
    const enum sst_status rc = sst_gpu_add_fields(life->gpu, index, list, n_new, err);
    for (size_t i = 0; i < n_new && rc == SST_OK; ++i) { /* given back: what is in them now must not matter */
        memset(fields[i].codes, 0x11, n * sizeof(int16_t));
        memset(fields[i].hundredths, 0x11, n * sizeof(int16_t));
    }
    if (rc != SST_OK)
        sst_gpu_close(&life->gpu); /* fields belong to a failed run until it is closed */
    for (size_t i = 0; i < n_new; ++i) {
        if (fields[i].hundredths != fields[i].codes)
            free(fields[i].hundredths);
        free(fields[i].codes);
    }
    life->seen->n_grown += life->cells.n_places > places && places > 0;
    return rc;
}

static void forget_fields(struct content *bin, enum sst_lattice_kind lattice)
{
    for (size_t f = 0; f < bin->n_fields; ++f) {
        if (lattice == SST_LATTICE_MILLI)
            free(bin->hundredths[f]);
        free(bin->codes[f]);
    }
    bin->n_fields = 0;
}

static void empty_one(struct life *life, size_t bin)
{
    life->seen->n_emptied_while_computed += life->n_read < life->n_pools;
    sst_gpu_empty_bin(life->gpu, bin);
    forget_fields(&life->bins[bin], life->of->lattice);
}

/* Windows that slide over the bins, wide and narrow, some empty. */
static enum sst_status start_group(struct life *life, struct sst_error *err)
{
    struct sst_gpu_pool pools[N_POOLS];
    for (size_t i = 0; i < life->n_pools; ++i)
        results_clear(&life->expected[i]);
    life->n_pools = 1 + (size_t)below(life, N_POOLS);
    life->group_places = life->cells.n_places;
    life->n_read = 0;
    const size_t first = (size_t)below(life, N_BINS), n_bins = (size_t)below(life, MOST_TERMS + 1);
    for (size_t i = 0; i < life->n_pools; ++i) {
        struct pool *pool = &life->pools[i];
        pool->n_bins = below(life, 9) == 0 ? (size_t)below(life, MOST_TERMS + 1) : n_bins;
        pool->min_samples = 1 + below(life, 12);
        for (size_t k = 0; k < pool->n_bins; ++k)
            pool->bins[k] = (first + i + k) % N_BINS;
        expect(life, pool, &life->expected[i]);
        pools[i] = (struct sst_gpu_pool){pool->bins, pool->n_bins, pool->min_samples};
    }
    return sst_gpu_start(life->gpu, pools, life->n_pools, err);
}

static void add_to_digest(struct gpu_scenario_seen *seen, const struct results *results)
{
    for (size_t i = 0; i < results->n_bytes; ++i)
        seen->digest = (seen->digest ^ results->memory[i]) * UINT64_C(0x100000001B3);
}

static void compare(const struct life *life, const void *got, const void *expected, size_t size, const char *what)
{
    const unsigned char *a = got, *b = expected;
    size_t place = 0;
    while (place < life->group_places && memcmp(a + place * size, b + place * size, size) == 0)
        ++place;
    ck_assert_msg(place == life->group_places, "%s of place %zu of %zu in pool %zu", what, place, life->group_places,
                  life->n_read);
}

/* The next result of the group; places that came after its start have no value. */
static enum sst_status read_result(struct life *life, struct sst_error *err)
{
    const struct results *expected = &life->expected[life->n_read];
    struct results got = results_of(life->cells.n_places);
    const bool is_moments = life->of->store == SST_GPU_MOMENTS;
    const struct sst_gpu_result out = {.mean = got.mean,
                                       .quantile = got.quantile,
                                       .bound = got.bound,
                                       .n_obs = got.n_obs,
                                       .marks = got.marks,
                                       .shape = is_moments ? (struct sst_shape){got.sd, got.skew, got.kurt}
                                                           : (struct sst_shape){NULL, NULL, NULL}};
    const enum sst_status rc = sst_gpu_result(life->gpu, life->n_read, &out, err);
    if (rc == SST_OK) {
        compare(life, got.n_obs, expected->n_obs, sizeof *got.n_obs, "number");
        compare(life, got.mean, expected->mean, sizeof *got.mean, "mean");
        for (int q = 0; q < N_PERCENTILES; ++q) {
            compare(life, got.quantile[q], expected->quantile[q], sizeof(double), "percentile");
            compare(life, got.bound[q], expected->bound[q], sizeof(double), "bound");
        }
        compare(life, got.marks, expected->marks, 1, "mark");
        compare(life, got.sd, expected->sd, sizeof(float), "sd");
        compare(life, got.skew, expected->skew, sizeof(float), "skewness");
        compare(life, got.kurt, expected->kurt, sizeof(float), "kurtosis");
        bool is_nothing = true;
        for (size_t place = life->group_places; place < life->cells.n_places; ++place)
            is_nothing &= isnan(got.mean[place]) && isnan(got.quantile[1][place]) && got.n_obs[place] == 0;
        ck_assert(is_nothing);
        ++life->seen->n_results;
        ++life->n_read;
        add_to_digest(life->seen, &got);
    }
    results_clear(&got);
    return rc;
}

static enum sst_status live(struct life *life, struct sst_error *err)
{
    for (int group = 0; group < life->of->n_groups; ++group) {
        for (int i = 0; i < 2 * N_BINS; ++i) {
            const size_t bin = (size_t)below(life, N_BINS);
            if (below(life, 3) == 0)
                empty_one(life, (size_t)below(life, N_BINS));
            SST_TRY(add_some(life, bin, err));
            if (life->n_read < life->n_pools && below(life, 2) == 0)
                SST_TRY(read_result(life, err));
        }
        while (life->n_read < life->n_pools)
            SST_TRY(read_result(life, err));
        SST_TRY(start_group(life, err));
        life->sea_percent += 7;
    }
    while (life->n_read < life->n_pools)
        SST_TRY(read_result(life, err));
    return SST_OK;
}

/* --- the run ------------------------------------------------------------------------------------------------------ */

static struct sst_gpu_setup setup_of(struct life *life)
{
    const size_t n_table = (size_t)CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U;
    for (size_t i = 0; i < n_table + CELL_MAXENT_N_SKEW; ++i)
        life->table[i] = (float)below(life, 4096) / 1024;
    for (int q = 0; q < N_PERCENTILES; ++q)
        life->tables[q] = life->table;
    life->fit = (struct sst_moments_fit){life->of->fit, N_PERCENTILES, z, life->tables, life->table + n_table};
    life->args = (struct sst_quantile_args){p, N_PERCENTILES, 7, sst_lattice_of(life->of->lattice), 1};
    return (struct sst_gpu_setup){.devices = life->of->devices,
                                  .store = life->of->store,
                                  .cells = &life->cells,
                                  .n_most_places = sst_cells_most(life->of->n_domain),
                                  .n_bins = N_BINS,
                                  .n_kept = N_BINS * MOST_FIELDS,
                                  .n_kept_bin = MOST_FIELDS,
                                  .n_terms = MOST_TERMS,
                                  .n_window = MOST_TERMS,
                                  .k_top = K_TOP,
                                  .k_bottom = K_BOTTOM,
                                  .n_results = N_POOLS,
                                  .fit = &life->fit,
                                  .args = &life->args,
                                  .is_low = is_low,
                                  .wants_shape = true,
                                  .wants_marks = true};
}

enum sst_status gpu_scenario_run(const struct gpu_scenario *scenario, struct gpu_scenario_seen *seen,
                                 struct sst_error *err)
{
    struct life *life = calloc(1, sizeof *life);
    *seen = (struct gpu_scenario_seen){0};
    life->of = scenario;
    life->seen = seen;
    life->random.state = scenario->seed;
    life->sea_percent = 45;
    ck_assert_int_eq(sst_cells_init(&life->cells, scenario->n_domain, NULL), SST_OK);
    const struct sst_gpu_setup setup = setup_of(life);
    enum sst_status rc = sst_gpu_open(&setup, &life->gpu, err);
    if (rc == SST_OK)
        rc = live(life, err);
    if (rc == SST_OK) {
        const struct sst_gpu_times times = sst_gpu_times(life->gpu);
        ck_assert(times.copy_in > 0 && times.add > 0 && times.finish > 0 && times.copy_out > 0);
    }
    sst_gpu_close(&life->gpu);
    for (size_t i = 0; i < N_POOLS; ++i)
        results_clear(&life->expected[i]);
    for (size_t bin = 0; bin < N_BINS; ++bin)
        forget_fields(&life->bins[bin], scenario->lattice);
    seen->n_places = life->cells.n_places;
    sst_cells_clear(&life->cells);
    free(life);
    return rc;
}
