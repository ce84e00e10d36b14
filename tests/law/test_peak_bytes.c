/*
 * sst_climatology_peak_bytes is what an engine holds, within a tenth.
 * ctest-labels: figures
 */
#include "core/cells.h"
#include "counted_memory.h"
#include "made_up_fields.h"
#include "stream/climatology.h"
#include "stream/method.h"
#include "test_main.h"

/* Large enough that tables which do not depend on cells are a few per cent. */
static const struct made_up seas_like = {.n_rows = 120,
                                         .n_cols = 480,
                                         .first_land_row = 80,
                                         .n_land_rows = 40,
                                         .has_ice = true,
                                         .n_most_held = 8,
                                         .seed = 3};

struct setup {
    enum sst_approx approx;
    int half, smooth, first_slot, last_slot;
    enum sst_leap_rule leap;
    size_t probe_step; /* every so many cells; 0 = none */
    bool wants_shape, no_ice, has_days_beside;
    size_t n_ahead;
    bool is_resident;
};

static const struct setup setups[] = {
    {SST_APPROX_CF, 5, 1, 100, 110, SST_LEAP_HOBDAY, 0, false, false, false, 0, false},
    {SST_APPROX_CF, 5, 31, 100, 110, SST_LEAP_HOBDAY, 20, true, false, false, 0, false},
    {SST_APPROX_CF, 15, 1, 60, 62, SST_LEAP_HOBDAY, 0, false, true, false, 0, false},
    {SST_APPROX_CF, 2, 1, 365, 5, SST_LEAP_HOBDAY, 0, false, false, false, 0, false},
    {SST_APPROX_MAXENT, 5, 1, 100, 130, SST_LEAP_SKIP, 20, true, true, false, 0, false},
    {SST_APPROX_MAXENT, 0, 31, 100, 110, SST_LEAP_OWN, 0, false, false, false, 0, false},
    {SST_APPROX_NONE, 5, 1, 100, 130, SST_LEAP_HOBDAY, 0, false, false, false, 0, false},
    {SST_APPROX_NONE, 15, 31, 100, 105, SST_LEAP_HOBDAY, 0, false, true, false, 0, false},
    {SST_APPROX_TAIL, 5, 1, 100, 110, SST_LEAP_HOBDAY, 20, false, false, false, 0, false},
    {SST_APPROX_TAIL, 5, 31, 100, 105, SST_LEAP_HOBDAY, 0, false, true, false, 0, false},
    {SST_APPROX_TAIL, 5, 1, 45, 80, SST_LEAP_HOBDAY, 0, false, true, false, 0, false},
    {SST_APPROX_TAIL, 5, 1, 350, 20, SST_LEAP_HOBDAY, 0, false, true, true, 0, false},
    {SST_APPROX_TAIL, 5, 1, 350, 20, SST_LEAP_HOBDAY, 0, false, true, false, 0, false},
    {SST_APPROX_CF, 2, 1, 365, 5, SST_LEAP_HOBDAY, 0, false, false, true, 0, false},
    {SST_APPROX_NONE, 5, 1, 355, 5, SST_LEAP_HOBDAY, 0, false, false, true, 0, false},
    {SST_APPROX_NONE, 5, 1, 355, 5, SST_LEAP_HOBDAY, 0, false, false, false, 0, false},
    {SST_APPROX_CF, 5, 31, 100, 130, SST_LEAP_HOBDAY, 20, true, false, false, 8, false},
    {SST_APPROX_CF, 2, 1, 365, 5, SST_LEAP_HOBDAY, 0, false, false, true, 3, false},
    {SST_APPROX_NONE, 5, 1, 100, 130, SST_LEAP_HOBDAY, 0, false, false, false, 400, false},
    {SST_APPROX_TAIL, 5, 31, 100, 105, SST_LEAP_HOBDAY, 20, false, true, false, 10, false},
    {SST_APPROX_CF, 2, 1, 100, 130, SST_LEAP_HOBDAY, 0, false, false, false, 8, true},
    {SST_APPROX_TAIL, 1, 1, 100, 130, SST_LEAP_HOBDAY, 5, false, false, false, 10, true},
};

enum { N_SETUPS = sizeof setups / sizeof setups[0], MAX_PROBES = 8192 };

/* A method that prepares, as far as the engine reads ahead for it. */
const struct sst_method *__real_sst_method_of(enum sst_approx approx);
const struct sst_method *__wrap_sst_method_of(enum sst_approx approx);
static bool prepares;

static enum sst_status prepare(void *state, const struct sst_pool *pools, size_t n_pools, struct sst_error *err)
{
    (void)state;
    (void)pools;
    (void)n_pools;
    (void)err;
    return SST_OK;
}

const struct sst_method *__wrap_sst_method_of(enum sst_approx approx)
{
    static struct sst_method wrapped;
    if (!prepares)
        return __real_sst_method_of(approx);
    wrapped = *__real_sst_method_of(approx);
    wrapped.prepare = prepare;
    return &wrapped;
}

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)user;
    (void)result;
    (void)err;
    return SST_OK;
}

START_TEST(the_peak_is_known_before)
{
    static size_t probes[MAX_PROBES];
    const struct setup *setup = &setups[_i];
    struct made_up seas = seas_like;
    struct sst_error err = {0};
    const size_t n_domain = seas.n_rows * seas.n_cols, n_valid = (seas.n_rows - seas.n_land_rows) * seas.n_cols;
    size_t n_probes = 0, still_held = 0;
    for (size_t cell = 0; setup->probe_step > 0 && cell < n_valid; cell += setup->probe_step)
        probes[n_probes++] = cell;
    seas.has_ice = !setup->no_ice;
    seas.first_year = setup->has_days_beside ? 2000 : 2001;
    seas.last_year = setup->has_days_beside ? 2004 : 2003;
    const struct sst_policy policy = {.pools = {SST_CALENDAR_STANDARD, setup->leap, 2001, 2003, setup->half},
                                      .approx = setup->approx,
                                      .percentiles = {90.0},
                                      .n_percentiles = 1,
                                      .quantile_type = 7,
                                      .smooth_days = setup->smooth,
                                      .min_samples = 1,
                                      .first_slot = setup->first_slot,
                                      .last_slot = setup->last_slot,
                                      .lattice = SST_LATTICE_CENTI};
    prepares = setup->is_resident;
    made_up_open(&seas);
    const struct sst_climatology_size size = {.n_cells = sst_cells_expected(n_domain, n_valid),
                                              .n_domain = n_domain,
                                              .n_probes = n_probes,
                                              .has_ice = seas.has_ice,
                                              .wants_shape = setup->wants_shape,
                                              .lacks_days_beside = !setup->has_days_beside,
                                              .n_ahead = setup->n_ahead,
                                              .is_resident = setup->is_resident};
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas.source,
                                            .n_cells = n_domain,
                                            .probes = probes,
                                            .n_probes = n_probes,
                                            .wants_shape = setup->wants_shape,
                                            .n_ahead = setup->n_ahead,
                                            .is_resident = setup->is_resident};
    const struct sst_slot_sink sink = {.put = put};
    counted_memory_begin();
    const enum sst_status rc = sst_climatology_run(&job, &sink, &err);
    const double peak = (double)counted_memory_end(&still_held);
    const double said = (double)sst_climatology_peak_bytes(&policy, &size);
    made_up_close(&seas);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    ck_assert_uint_eq(still_held, 0);
    ck_assert_msg(said > 0.9 * peak && said < 1.1 * peak, "%.1f MB held, %.1f MB said", peak / 1e6, said / 1e6);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("peak_bytes");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, the_peak_is_known_before, 0, N_SETUPS);
    suite_add_tcase(suite, tc);
    return suite;
}
