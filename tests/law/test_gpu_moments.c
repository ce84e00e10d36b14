/* Moments on a device, which the processor plays: bins and windows of every form have the bits of the CPU backend. */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "kernels/cell_maxent.h"
#include "kernels/gpu_launch.h"
#include "moments/maxent.h"
#include "random.h"
#include "test_main.h"
#include "window_steps.h"

/* The last block is cut short by the domain's end; the places do not fill a block of threads. */
enum { N_DOMAIN = 1237, MOST_FIELDS = 12, POISON = 0x5A };

static void *need(size_t n_bytes, int byte)
{
    void *memory = malloc(n_bytes);
    ck_assert_ptr_nonnull(memory);
    memset(memory, byte, n_bytes);
    return memory;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

/* Every fourth block has no value. Cells differ in what their values are like, by their number. */
static int16_t value_of(size_t cell, struct test_random *random)
{
    const int sum = test_random_below(random, 400) + test_random_below(random, 400) + test_random_below(random, 400);
    const int half = test_random_below(random, 2);
    if (cell / SST_CELLS_WIDTH % 4 == 2 || test_random_below(random, 5) == 0)
        return SST_CODE_MISSING;
    switch (cell % 13) {
    case 3:
        return 1234;
    case 5:
        return (int16_t)(half ? 100 : 300);
    case 7:
        return (int16_t)(half ? SST_MAX_HUNDREDTHS : -SST_MAX_HUNDREDTHS);
    case 9:
        return (int16_t)(test_random_below(random, 12) ? SST_CODE_MISSING : 77 + sum / 100);
    case 11:
        return (int16_t)(test_random_below(random, 40) ? -180 : sum);
    default:
        return (int16_t)(sum + (int)(cell % 700));
    }
}

/* Fields in domain order as the device has them: `stride` apart, missing behind the domain's end. */
struct sea {
    struct sst_cells cells;
    size_t stride, pitch, n_fields;
    int16_t *codes;
    uint32_t *block_at;
    const int16_t **field;
};

static struct sea sea_open(size_t n_fields, uint64_t seed)
{
    struct test_random random = {seed};
    struct sea sea = {.n_fields = n_fields,
                      .stride = (N_DOMAIN + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS};
    sea.codes = need(n_fields * sea.stride * sizeof *sea.codes, 0);
    sea.field = need(n_fields * sizeof *sea.field, 0);
    for (size_t i = 0; i < n_fields; ++i) {
        int16_t *codes = sea.codes + i * sea.stride;
        for (size_t cell = 0; cell < sea.stride; ++cell)
            codes[cell] = cell < N_DOMAIN ? value_of(cell, &random) : SST_CODE_MISSING;
        sea.field[i] = codes;
    }
    ck_assert_int_eq(sst_cells_init(&sea.cells, N_DOMAIN, NULL), SST_OK);
    for (size_t i = 0; i < 2 && i < n_fields; ++i)
        sst_cells_take(&sea.cells, &(struct sst_field){.n_cells = N_DOMAIN, .codes = sea.codes + i * sea.stride});
    const size_t n_blocks = sea.cells.n_places / GPU_BLOCK_CELLS;
    ck_assert_uint_gt(n_blocks, sea.cells.n_given); /* some are free */
    sea.block_at = need(n_blocks * sizeof *sea.block_at, 0xFF);
    memcpy(sea.block_at, sea.cells.block_at, sea.cells.n_given * sizeof *sea.block_at);
    sea.pitch = (sea.cells.n_places + GPU_PITCH_CELLS - 1) / GPU_PITCH_CELLS * GPU_PITCH_CELLS;
    return sea;
}

static void sea_close(struct sea *sea)
{
    sst_cells_clear(&sea->cells);
    free(sea->codes);
    free((void *)sea->field);
    free(sea->block_at);
}

static struct gpu_places places_of(const struct sea *sea)
{
    return (struct gpu_places){sea->block_at, (uint32_t)sea->cells.n_places, (uint32_t)sea->pitch};
}

/* --- bins --------------------------------------------------------------------------------------------------------- */

static struct gpu_moments_store store_open(size_t n_items)
{
    return (struct gpu_moments_store){need(n_items * sizeof(uint16_t), 0), need(n_items * sizeof(int32_t), 0),
                                      need(n_items * sizeof(int64_t), 0), need(n_items * sizeof(int64_t), 0),
                                      need(n_items * sizeof(int64_t), 0)};
}

static void store_close(struct gpu_moments_store store)
{
    free(store.n);
    free(store.s1);
    free(store.s2);
    free(store.s3);
    free(store.s4);
}

static struct sst_moments_view view_at(struct gpu_moments_store store, size_t at)
{
    return (struct sst_moments_view){store.n + at, store.s1 + at, store.s2 + at, store.s3 + at, store.s4 + at};
}

static void expect_same_stores(struct gpu_moments_store got, struct gpu_moments_store expected, size_t n_items)
{
    ck_assert_mem_eq(got.n, expected.n, n_items * sizeof *got.n);
    ck_assert_mem_eq(got.s1, expected.s1, n_items * sizeof *got.s1);
    ck_assert_mem_eq(got.s2, expected.s2, n_items * sizeof *got.s2);
    ck_assert_mem_eq(got.s3, expected.s3, n_items * sizeof *got.s3);
    ck_assert_mem_eq(got.s4, expected.s4, n_items * sizeof *got.s4);
}

static void cpu_add(const struct sea *sea, struct sst_moments_view bin, size_t first, size_t n)
{
    while (n > 0) {
        const size_t batch = n < SST_MAX_BATCH ? n : SST_MAX_BATCH;
        sst_backend_cpu()->moments_add_fields(bin, &sea->cells, sea->field + first, batch);
        first += batch;
        n -= batch;
    }
}

/* What a bin held before, where it holds nothing of what is added next; of places in use alone. */
static void put_former(struct sst_moments_view bin, size_t n_places)
{
    for (size_t i = 0; i < n_places; ++i) {
        bin.n[i] = (uint16_t)(i % 50);
        bin.s1[i] = -(int32_t)i;
        bin.s2[i] = (int64_t)i * 1000000007;
        bin.s3[i] = -bin.s2[i];
        bin.s4[i] = bin.s2[i] * 3;
    }
}

static void empty(struct sst_moments_view bin, size_t n_places)
{
    memset(bin.n, 0, n_places * sizeof *bin.n);
    memset(bin.s1, 0, n_places * sizeof *bin.s1);
    memset(bin.s2, 0, n_places * sizeof *bin.s2);
    memset(bin.s3, 0, n_places * sizeof *bin.s3);
    memset(bin.s4, 0, n_places * sizeof *bin.s4);
}

/* Batches of every length up to three rounds of loads; every third bin is new, every other holds something already. */
START_TEST(bins_are_those_of_the_cpu)
{
    enum { N_FIELDS = 34, N_BINS = N_FIELDS + 1 };
    struct sea sea = sea_open(N_FIELDS, 5);
    const size_t n_items = N_BINS * sea.pitch;
    struct gpu_moments_store got = store_open(n_items), expected = store_open(n_items);
    struct gpu_add_task tasks[N_BINS];
    for (uint32_t i = 0; i < N_BINS; ++i) {
        const uint32_t bin = N_BINS - 1 - i, first = i % 3 < N_FIELDS - i ? i % 3 : N_FIELDS - i;
        const struct sst_moments_view at = view_at(expected, bin * sea.pitch);
        tasks[i] = (struct gpu_add_task){bin, first, i, i % 3 == 0};
        if (i % 2 == 0) {
            put_former(view_at(got, bin * sea.pitch), sea.cells.n_places);
            put_former(at, sea.cells.n_places);
        }
        if (tasks[i].is_new)
            empty(at, sea.cells.n_places);
        cpu_add(&sea, at, first, i);
    }
    const struct gpu_moments_add args = {places_of(&sea), got, {sea.codes, sea.stride}, tasks, N_BINS};
    ck_assert_int_eq(gpu_launch_moments_add(&args, NULL), 0);
    expect_same_stores(got, expected, n_items);
    store_close(got);
    store_close(expected);
    sea_close(&sea);
}
END_TEST

/* More bins than a grid has rows, of one block of places each. */
START_TEST(a_launch_takes_any_number_of_bins)
{
    enum { N_BINS = 65535 + 40, N_PLACES = GPU_BLOCK_CELLS };
    struct sea sea = sea_open(2, 9);
    struct gpu_moments_store got = store_open((size_t)N_BINS * N_PLACES);
    struct gpu_add_task *tasks = need(N_BINS * sizeof *tasks, 0);
    const uint32_t block = 0;
    for (uint32_t bin = 0; bin < N_BINS; ++bin)
        tasks[bin] = (struct gpu_add_task){bin, bin % 2, 1, 1};
    memset(got.n, POISON, (size_t)N_BINS * N_PLACES * sizeof *got.n);
    const struct gpu_places places = {&block, N_PLACES, N_PLACES};
    const struct gpu_moments_add args = {places, got, {sea.codes, sea.stride}, tasks, N_BINS};
    ck_assert_int_eq(gpu_launch_moments_add(&args, NULL), 0);
    for (size_t i = 0; i < (size_t)N_BINS * N_PLACES; ++i) {
        const int16_t code = sea.field[i / N_PLACES % 2][i % N_PLACES];
        const bool is_valid = code != SST_CODE_MISSING;
        if (got.n[i] != is_valid || got.s1[i] != (is_valid ? code : 0))
            ck_abort_msg("bin %zu, place %zu: %d values, sum %d", i / N_PLACES, i % N_PLACES, got.n[i], got.s1[i]);
    }
    free(tasks);
    store_close(got);
    sea_close(&sea);
}
END_TEST

START_TEST(nothing_to_do_is_no_error)
{
    ck_assert_int_eq(gpu_launch_moments_add(&(struct gpu_moments_add){.n_tasks = 0}, NULL), 0);
    ck_assert_int_eq(gpu_launch_window(&(struct gpu_window){.n_steps = 0}, NULL), 0);
}
END_TEST

/* --- windows ------------------------------------------------------------------------------------------------------ */

enum { N_FLOATS = 3 };

/* Results of pools in places, `pitch` apart, with poison where nothing is written. */
struct results {
    double *doubles; /* the mean, then percentiles */
    float *floats;
    uint16_t *n_obs;
    uint8_t *mark;
    size_t n; /* pools by pitch */
    int n_percentiles;
};

static struct results results_open(size_t n, int n_percentiles)
{
    return (struct results){need((size_t)(n_percentiles + 1) * n * sizeof(double), POISON),
                            need(N_FLOATS * n * sizeof(float), POISON),
                            need(n * sizeof(uint16_t), POISON),
                            need(n, POISON),
                            n,
                            n_percentiles};
}

static void results_close(struct results *results)
{
    free(results->doubles);
    free(results->floats);
    free(results->n_obs);
    free(results->mark);
}

static void expect_same_results(const struct results *got, const struct results *expected)
{
    for (int i = 0; i <= got->n_percentiles; ++i)
        ck_assert_msg(memcmp(got->doubles + (size_t)i * got->n, expected->doubles + (size_t)i * got->n,
                             got->n * sizeof(double)) == 0,
                      "%s %d", i == 0 ? "mean" : "percentile", i);
    ck_assert_mem_eq(got->floats, expected->floats, N_FLOATS * got->n * sizeof(float));
    ck_assert_mem_eq(got->n_obs, expected->n_obs, got->n * sizeof(uint16_t));
    ck_assert_mem_eq(got->mark, expected->mark, got->n);
}

static void cpu_move(struct sst_moments_view window, struct sst_moments_view bin, bool enters, size_t n)
{
    const struct sst_backend *cpu = sst_backend_cpu();
    void (*const move)(void *, const void *, enum sst_plane_type, size_t) =
        enters ? cpu->plane_add : cpu->plane_subtract;
    move(window.n, bin.n, SST_PLANE_U16, n);
    move(window.s1, bin.s1, SST_PLANE_I32, n);
    move(window.s2, bin.s2, SST_PLANE_I64, n);
    move(window.s3, bin.s3, SST_PLANE_I64, n);
    move(window.s4, bin.s4, SST_PLANE_I64, n);
}

static void cpu_finish(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                       const struct results *out, size_t at, size_t n_places)
{
    double *quantile[GPU_MAX_PERCENTILES];
    for (size_t q = 0; q < fit->n_percentiles; ++q)
        quantile[q] = out->doubles + (1 + q) * out->n + at;
    const struct sst_finish_out values = {
        .mean = out->doubles + at,
        .quantile = quantile,
        .guarded = out->mark + at,
        .shape = {out->floats + at, out->floats + out->n + at, out->floats + 2 * out->n + at},
    };
    sst_backend_cpu()->moments_finish(window, fit, min_samples, &values, n_places);
    memcpy(out->n_obs + at, window.n, n_places * sizeof *window.n);
}

/* A calendar's windows over bins of a sea, finished by the CPU. */
struct case_of {
    struct sea sea;
    struct window_steps way;
    struct gpu_moments_store bins;
    struct sst_moments_fit fit;
    struct results expected;
};

static void cpu_pass(struct case_of *c)
{
    struct gpu_moments_store sums = store_open(c->sea.cells.n_places);
    const struct sst_moments_view window = view_at(sums, 0);
    for (size_t s = 0; s < c->way.n_steps; ++s) {
        const struct gpu_window_step step = c->way.steps[s];
        if (step.kind == GPU_WINDOW_FINISH)
            cpu_finish(window, &c->fit, step.min_samples, &c->expected, (size_t)step.result * c->sea.pitch,
                       c->sea.cells.n_places);
        else
            cpu_move(window, view_at(c->bins, (size_t)step.bin * c->sea.pitch), step.kind == GPU_WINDOW_ENTER,
                     c->sea.cells.n_places);
    }
    store_close(sums);
}

static struct case_of case_open(const struct sst_pool_rule *rule, int first, int n, uint32_t n_ring, int min_samples,
                                const struct sst_moments_fit *fit)
{
    struct case_of c = {.sea = sea_open(2 * MOST_FIELDS, 17), .fit = *fit};
    c.way = window_steps_make(rule, first, n, n_ring, min_samples);
    c.bins = store_open(c.way.n_bins * c.sea.pitch);
    for (size_t bin = 0; bin < c.way.n_bins; ++bin)
        cpu_add(&c.sea, view_at(c.bins, bin * c.sea.pitch), bin % MOST_FIELDS, 1 + bin * 7 % MOST_FIELDS);
    c.expected = results_open(c.way.n_pools * c.sea.pitch, (int)fit->n_percentiles);
    cpu_pass(&c);
    return c;
}

static void case_close(struct case_of *c)
{
    results_close(&c->expected);
    store_close(c->bins);
    free(c->way.steps);
    sea_close(&c->sea);
}

static struct gpu_fit gpu_fit_of(const struct sst_moments_fit *fit)
{
    struct gpu_fit out = {.kind = fit->kind == SST_FIT_CF ? GPU_FIT_CF : GPU_FIT_MAXENT,
                          .n_percentiles = (int32_t)fit->n_percentiles,
                          .v_limit = fit->v_limit};
    for (size_t q = 0; q < fit->n_percentiles; ++q) {
        out.z[q] = fit->z ? fit->z[q] : 0;
        out.table[q] = fit->table ? fit->table[q] : NULL;
    }
    return out;
}

static struct gpu_window window_of(const struct case_of *c, const struct results *out, int form)
{
    struct gpu_window args = {
        .places = places_of(&c->sea),
        .store = c->bins,
        .steps = c->way.steps,
        .n_steps = (uint32_t)c->way.n_steps,
        .n_ring = c->way.n_ring,
        .form = form,
        .fit = gpu_fit_of(&c->fit),
        .results = {.mean = out->doubles,
                    .n_obs = out->n_obs,
                    .mark = out->mark,
                    .sd = out->floats,
                    .skew = out->floats + out->n,
                    .kurt = out->floats + 2 * out->n},
    };
    for (int q = 0; q < out->n_percentiles; ++q)
        args.results.quantile[q] = out->doubles + (size_t)(1 + q) * out->n;
    return args;
}

static void expect_parity(const struct case_of *c)
{
    for (int form = GPU_WINDOW_CHOOSE; form <= GPU_WINDOW_REREAD; ++form) {
        struct results got = results_open(c->expected.n, c->expected.n_percentiles);
        const struct gpu_window args = window_of(c, &got, form);
        ck_assert_int_eq(gpu_launch_window(&args, NULL), 0);
        expect_same_results(&got, &c->expected);
        results_close(&got);
    }
}

static const double z[GPU_MAX_PERCENTILES] = {-2.3263, -1.6449, -1.2816, 0, 0.6745, 1.2815515655446004, 1.6449, 2.3263};

static struct sst_moments_fit cf_fit(void)
{
    return (struct sst_moments_fit){.kind = SST_FIT_CF, .n_percentiles = GPU_MAX_PERCENTILES, .z = z};
}

static struct sst_moments_fit maxent_fit(void)
{
#define TABLE_OF(percentile) sst_maxent_table(percentile),
    static const float *table[GPU_MAX_PERCENTILES];
    const float *const tables[] = {CELL_MAXENT_PERCENTILES(TABLE_OF)};
    memcpy(table, tables, sizeof tables);
    return (struct sst_moments_fit){.kind = SST_FIT_MAXENT,
                                    .n_percentiles = sizeof tables / sizeof tables[0],
                                    .table = table,
                                    .v_limit = sst_maxent_v_limit()};
}

static const struct windows {
    enum sst_leap_rule leap;
    int half, first, n;
    uint32_t n_ring;
} windows[] = {
    {SST_LEAP_SKIP, 0, 100, 4, 1},    {SST_LEAP_SKIP, 2, 100, 9, 5},     {SST_LEAP_SKIP, 5, 100, 25, 11},
    {SST_LEAP_OWN, 15, 100, 9, 31},   {SST_LEAP_OWN, 15, 100, 36, 11},   {SST_LEAP_HOBDAY, 5, 45, 30, 22},
    {SST_LEAP_HOBDAY, 5, 45, 30, 11}, {SST_LEAP_HOBDAY, 5, 355, 22, 11}, {SST_LEAP_HOBDAY, 5, 55, 12, 5},
    {SST_LEAP_HOBDAY, 0, 57, 7, 1},   {SST_LEAP_HOBDAY, 5, 355, 22, 16}, {SST_LEAP_SKIP, 5, 100, 15, 0},
    {SST_LEAP_OWN, 20, 100, 9, 41}, /* more than fast memory holds */
};
enum { N_WINDOWS = sizeof windows / sizeof windows[0] };

START_TEST(windows_of_every_form_are_those_of_the_cpu)
{
    const struct windows *w = &windows[_i / 2];
    const struct sst_moments_fit fit = _i % 2 ? maxent_fit() : cf_fit();
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, w->leap, 1983, 2012, w->half};
    struct case_of c = case_open(&rule, w->first, w->n, w->n_ring, w->half * 4 + 2, &fit);
    if (w->leap == SST_LEAP_HOBDAY && w->half > 0)
        ck_assert_uint_gt(c.way.most_bins, 2 * (size_t)w->half + 1); /* extra terms */
    expect_parity(&c);
    case_close(&c);
}
END_TEST

/* The made-up cells have what they are made up for. */
START_TEST(every_kind_of_cell_occurs)
{
    const struct sst_moments_fit fit = maxent_fit();
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 1983, 2012, 5};
    struct case_of c = case_open(&rule, 100, 3, 11, 22, &fit);
    size_t n_missing = 0, n_empty = 0, n_constant = 0, n_marked = 0;
    for (size_t i = 0; i < c.sea.cells.n_places; ++i) {
        n_missing += c.expected.doubles[i] != c.expected.doubles[i];
        n_empty += c.expected.n_obs[i] == 0;
        n_constant += c.expected.floats[i] == 0;
        n_marked += c.expected.mark[i];
    }
    ck_assert_uint_gt(n_empty, 8);
    ck_assert_uint_gt(n_missing, n_empty + 10);
    ck_assert_uint_gt(n_constant, 10);
    ck_assert_uint_gt(n_marked, 10);
    ck_assert_uint_lt(n_marked, c.sea.cells.n_places / 2);
    case_close(&c);
}
END_TEST

/* One kind of result is left out at a time: it is not written, and all others have the CPU's bits. */
START_TEST(results_may_be_left_out)
{
    enum { MEAN, N_OBS, MARK, SHAPE, N_KINDS };
    const struct sst_moments_fit fit = _i % 2 ? maxent_fit() : cf_fit();
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 1983, 2012, 2};
    struct case_of c = case_open(&rule, 200, 3, 5, 30, &fit);
    for (int kind = MEAN; kind < N_KINDS; ++kind) {
        struct results got = results_open(c.expected.n, c.expected.n_percentiles);
        struct results poison = results_open(c.expected.n, c.expected.n_percentiles);
        struct gpu_window args = window_of(&c, &got, GPU_WINDOW_CHOOSE);
        struct gpu_results *out = &args.results;
        const struct gpu_results whole = *out;
        out->mean = kind == MEAN ? NULL : whole.mean;
        out->n_obs = kind == N_OBS ? NULL : whole.n_obs;
        out->mark = kind == MARK ? NULL : whole.mark;
        if (kind == SHAPE)
            out->sd = out->skew = out->kurt = NULL;
        ck_assert_int_eq(gpu_launch_window(&args, NULL), 0);
        const struct results *mean = kind == MEAN ? &poison : &c.expected,
                             *shape = kind == SHAPE ? &poison : &c.expected;
        ck_assert_mem_eq(got.doubles, mean->doubles, got.n * sizeof(double));
        ck_assert_mem_eq(got.doubles + got.n, c.expected.doubles + got.n, fit.n_percentiles * got.n * sizeof(double));
        ck_assert_mem_eq(got.n_obs, (kind == N_OBS ? &poison : &c.expected)->n_obs, got.n * sizeof *got.n_obs);
        ck_assert_mem_eq(got.mark, (kind == MARK ? &poison : &c.expected)->mark, got.n);
        ck_assert_mem_eq(got.floats, shape->floats, N_FLOATS * got.n * sizeof(float));
        results_close(&got);
        results_close(&poison);
    }
    case_close(&c);
}
END_TEST

/* Mean, number, mark and one percentile have kernels of their own. */
START_TEST(what_is_mostly_wanted_is_that_of_the_cpu)
{
    struct sst_moments_fit fit = _i % 2 ? maxent_fit() : cf_fit();
    const struct sst_pool_rule rule = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1983, 2012, 5};
    fit.n_percentiles = 1;
    struct case_of c = case_open(&rule, 45, 30, 6, 22, &fit);
    for (int form = GPU_WINDOW_CHOOSE; form <= GPU_WINDOW_REREAD; ++form) {
        struct results got = results_open(c.expected.n, c.expected.n_percentiles);
        struct gpu_window args = window_of(&c, &got, form);
        args.results.sd = args.results.skew = args.results.kurt = NULL;
        ck_assert_int_eq(gpu_launch_window(&args, NULL), 0);
        memcpy(got.floats, c.expected.floats, N_FLOATS * got.n * sizeof(float));
        expect_same_results(&got, &c.expected);
        results_close(&got);
    }
    case_close(&c);
}
END_TEST

START_TEST(kernels_and_ring_are_told)
{
    const struct gpu_kernel_info *kernels = NULL;
    uint32_t n_ring = 0;
    int n = 0;
    ck_assert_int_eq(gpu_kernels_moments(&kernels), 0);
    for (; kernels[n].name; ++n)
        ck_assert_int_gt(kernels[n].threads, 0);
    ck_assert_int_eq(n, 7);
    ck_assert_int_eq(gpu_window_ring(&n_ring), 0);
    ck_assert_uint_ge(n_ring, 6);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("gpu_moments");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, bins_are_those_of_the_cpu);
    tcase_add_test(tc, a_launch_takes_any_number_of_bins);
    tcase_add_test(tc, nothing_to_do_is_no_error);
    tcase_add_loop_test(tc, windows_of_every_form_are_those_of_the_cpu, 0, 2 * N_WINDOWS);
    tcase_add_test(tc, every_kind_of_cell_occurs);
    tcase_add_loop_test(tc, results_may_be_left_out, 0, 2);
    tcase_add_loop_test(tc, what_is_mostly_wanted_is_that_of_the_cpu, 0, 2);
    tcase_add_test(tc, kernels_and_ring_are_told);
    suite_add_tcase(suite, tc);
    return suite;
}
