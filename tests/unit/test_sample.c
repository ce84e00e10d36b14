/* The sample holds what was put, in its columns, of cells that a smaller share of probes would choose too. */
#include <math.h>

#include "core/flags.h"
#include "core/mem.h"
#include "regular_grid.h"
#include "test_main.h"
#include "validate/probes.h"
#include "validate/sample.h"

enum { N_ROWS = 4, N_COLS = 5, N_CELLS = N_ROWS * N_COLS, N_PROBES = 3, N_SLOTS = 2 };

static const size_t probes[N_PROBES] = {2, 7, 18};
static const int slots[N_SLOTS] = {61, 59};

static struct sst_grid *small_grid(struct sst_domain *domain)
{
    const struct even_axis lat = {60, -20, N_ROWS}, lon = {150, 10, N_COLS};
    struct sst_grid *grid = regular_grid(lat, lon);
    sst_domain_all(grid, domain);
    return grid;
}

static struct sst_sample *create(const struct sst_sample_spec *spec)
{
    struct sst_sample *sample = NULL;
    struct sst_error err = {0};
    ck_assert_msg(sst_sample_create(spec, &sample, &err) == SST_OK, "%s", err.text);
    return sample;
}

static struct sst_sample *small_sample(const struct sst_domain *domain, bool has_shape)
{
    const struct sst_sample_spec spec = {.domain = domain,
                                         .calendar = SST_CALENDAR_NOLEAP,
                                         .probes = probes,
                                         .n_probes = N_PROBES,
                                         .slots = slots,
                                         .n_slots = N_SLOTS,
                                         .n_percentiles = 2,
                                         .has_shape = has_shape};
    return create(&spec);
}

/* Values by place: cell, slot and percentile can be read from each. */
static double approx_at(int slot, size_t cell, size_t q) { return slot + 0.1 * (double)cell + 1000 * (double)q; }
static double exact_at(int slot, size_t probe, size_t q) { return -slot - 0.3 * (double)probe - 1000 * (double)q; }

static void put(struct sst_sample *sample, int slot)
{
    double approx[2][N_CELLS], exact[2][N_PROBES];
    float sd[N_CELLS], skew[N_CELLS], kurt[N_CELLS];
    uint16_t n_obs[N_CELLS], flags[N_CELLS];
    for (size_t cell = 0; cell < N_CELLS; ++cell) {
        approx[0][cell] = approx_at(slot, cell, 0);
        approx[1][cell] = approx_at(slot, cell, 1);
        sd[cell] = (float)cell;
        skew[cell] = (float)cell + 100;
        kurt[cell] = (float)cell + 200;
        n_obs[cell] = (uint16_t)(slot + (int)cell);
        flags[cell] = cell == 7 ? SST_FLAG_FEW_SAMPLES : 0;
    }
    for (size_t probe = 0; probe < N_PROBES; ++probe) {
        exact[0][probe] = exact_at(slot, probe, 0);
        exact[1][probe] = exact_at(slot, probe, 1);
    }
    const double *approxes[2] = {approx[0], approx[1]}, *exacts[2] = {exact[0], exact[1]};
    const struct sst_shape shape = {sd, skew, kurt};
    const struct sst_sample_slot values = {
        .slot = slot, .approx = approxes, .exact = exacts, .shape = &shape, .n_obs = n_obs, .flags = flags};
    sst_sample_put(sample, &values);
}

START_TEST(columns_hold_what_was_put_whatever_the_order_of_slots)
{
    struct sst_domain domain;
    struct sst_grid *grid = small_grid(&domain);
    struct sst_sample *sample = small_sample(&domain, true);
    put(sample, 59);
    put(sample, 61);
    for (size_t place = 0; place < N_SLOTS; ++place) {
        for (size_t i = 0; i < N_PROBES; ++i) {
            const size_t row = place * N_PROBES + i, cell = probes[i];
            const int slot = slots[place];
            ck_assert_float_eq(sample->approx[0][row], (float)approx_at(slot, cell, 0));
            ck_assert_float_eq(sample->approx[1][row], (float)approx_at(slot, cell, 1));
            ck_assert_float_eq(sample->exact[0][row], (float)exact_at(slot, i, 0));
            ck_assert_float_eq(sample->exact[1][row], (float)exact_at(slot, i, 1));
            ck_assert_float_eq(sample->shape.sd[row], (float)cell);
            ck_assert_float_eq(sample->shape.skew[row], (float)cell + 100);
            ck_assert_float_eq(sample->shape.kurt[row], (float)cell + 200);
            ck_assert_uint_eq(sample->n_obs[row], (size_t)slot + cell);
            ck_assert_uint_eq(sample->flags[row], cell == 7 ? SST_FLAG_FEW_SAMPLES : 0);
        }
    }
    sst_sample_destroy(&sample);
    ck_assert_ptr_null(sample);
    sst_sample_destroy(&sample);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(cells_know_their_place_and_area)
{
    struct sst_domain domain;
    struct sst_grid *grid = small_grid(&domain);
    struct sst_sample *sample = small_sample(&domain, false);
    ck_assert_uint_eq(sample->n_cells, N_PROBES);
    ck_assert_int_eq(sample->calendar, SST_CALENDAR_NOLEAP);
    static const double lats[N_PROBES] = {60, 40, 0}, lons[N_PROBES] = {170, 170, 180};
    for (size_t i = 0; i < N_PROBES; ++i) {
        ck_assert_uint_eq(sample->cells[i].domain_cell, probes[i]);
        ck_assert_uint_eq(sample->cells[i].probe, i);
        ck_assert_double_eq(sample->cells[i].lat, lats[i]);
        ck_assert_double_eq(sample->cells[i].lon, lons[i]);
    }
    ck_assert_double_eq_tol(sample->cells[0].weight, 0.5, 1e-12);
    ck_assert_double_eq_tol(sample->cells[2].weight, 1.0, 1e-12);
    sst_sample_destroy(&sample);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(what_is_not_put_has_no_value_and_other_slots_are_ignored)
{
    struct sst_domain domain;
    struct sst_grid *grid = small_grid(&domain);
    struct sst_sample *sample = small_sample(&domain, true), *bare = small_sample(&domain, false);
    put(sample, 60);
    put(sample, 59);
    for (size_t i = 0; i < N_PROBES; ++i) {
        ck_assert(isnan(sample->approx[1][i]) && isnan(sample->exact[1][i]) && isnan(sample->shape.kurt[i]));
        ck_assert(!isnan(sample->approx[1][N_PROBES + i]) && !isnan(sample->shape.kurt[N_PROBES + i]));
    }
    put(bare, 61);
    ck_assert_ptr_null(bare->shape.sd);
    ck_assert_ptr_null(bare->shape.skew);
    ck_assert_ptr_null(bare->shape.kurt);
    ck_assert_float_eq(bare->approx[0][0], (float)approx_at(61, 2, 0));
    sst_sample_destroy(&sample);
    sst_sample_destroy(&bare);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(no_probe_gives_an_empty_sample)
{
    struct sst_domain domain;
    struct sst_grid *grid = small_grid(&domain);
    const struct sst_sample_spec spec = {.domain = &domain, .slots = slots, .n_slots = N_SLOTS, .n_percentiles = 2};
    struct sst_sample *sample = create(&spec);
    ck_assert_uint_eq(sample->n_cells, 0);
    put(sample, 61);
    sst_sample_destroy(&sample);
    sst_grid_destroy(&grid);
}
END_TEST

/* The share of probes that gives `n` of the domain's cells. */
static double share_that_gives(const struct sst_domain *domain, uint64_t seed, size_t n)
{
    double low = 0, high = 1;
    for (;;) {
        const double middle = (low + high) / 2;
        size_t found = 0;
        for (size_t cell = 0; cell < domain->n_cells; ++cell)
            found += sst_probes_has(seed, sst_domain_canonical(domain, cell), middle);
        if (found == n)
            return middle;
        if (found < n)
            low = middle;
        else
            high = middle;
    }
}

START_TEST(too_many_probes_leave_those_of_a_smaller_share)
{
    const uint64_t seed = 7;
    const struct even_axis lat = {59.5, -1, 120}, lon = {0.5, 1, 100};
    struct sst_grid *grid = regular_grid(lat, lon);
    struct sst_domain domain;
    struct sst_error err = {0};
    sst_domain_all(grid, &domain);
    size_t *cells = NULL, n_cells = 0;
    ck_assert_int_eq(sst_probes_choose(&domain, NULL, seed, 0.95, &cells, &n_cells, &err), SST_OK);
    ck_assert_uint_gt(n_cells, SST_SAMPLE_MAX_CELLS);
    const int slot = 1;
    const struct sst_sample_spec spec = {.domain = &domain,
                                         .probes = cells,
                                         .n_probes = n_cells,
                                         .seed = seed,
                                         .slots = &slot,
                                         .n_slots = 1,
                                         .n_percentiles = 1};
    struct sst_sample *sample = create(&spec);
    ck_assert_uint_eq(sample->n_cells, SST_SAMPLE_MAX_CELLS);
    const double share = share_that_gives(&domain, seed, SST_SAMPLE_MAX_CELLS);
    size_t i = 0;
    for (size_t cell = 0; cell < domain.n_cells; ++cell) {
        if (!sst_probes_has(seed, sst_domain_canonical(&domain, cell), share))
            continue;
        if (sample->cells[i].domain_cell != cell || cells[sample->cells[i].probe] != cell)
            ck_abort_msg("cell %zu of the sample is %zu, not %zu", i, sample->cells[i].domain_cell, cell);
        ++i;
    }
    ck_assert_uint_eq(i, SST_SAMPLE_MAX_CELLS);
    sst_sample_destroy(&sample);
    sst_free(cells);
    sst_grid_destroy(&grid);
}
END_TEST

START_TEST(bytes_are_those_of_the_columns_and_stop_growing)
{
    const uint64_t cell = sizeof(struct sst_sample_cell);
    ck_assert_uint_eq(sst_sample_bytes(0, 366, 2, true), 0);
    ck_assert_uint_eq(sst_sample_bytes(10, 366, 1, false), 10 * (cell + 366 * 12));
    ck_assert_uint_eq(sst_sample_bytes(10, 366, 2, true), 10 * (cell + 366 * 32));
    ck_assert_uint_eq(sst_sample_bytes(1000000, 366, 1, false), SST_SAMPLE_MAX_CELLS * (cell + 366 * 12));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("sample");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, columns_hold_what_was_put_whatever_the_order_of_slots);
    tcase_add_test(tc, cells_know_their_place_and_area);
    tcase_add_test(tc, what_is_not_put_has_no_value_and_other_slots_are_ignored);
    tcase_add_test(tc, no_probe_gives_an_empty_sample);
    tcase_add_test(tc, too_many_probes_leave_those_of_a_smaller_share);
    tcase_add_test(tc, bytes_are_those_of_the_columns_and_stop_growing);
    suite_add_tcase(suite, tc);
    return suite;
}
