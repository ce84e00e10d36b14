/* Tables and curves of errors say what was put in: values by hand, sums that agree, the same row as the error table's. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "random.h"
#include "regular_grid.h"
#include "test_main.h"
#include "validate/breakdown.h"
#include "validate/error_table.h"

#define SUM_NOISE 1e-12

/* A sample of all cells of a grid; its values are written by the tests. */
struct fixture {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_sample *sample;
};

static void set_up(struct fixture *f, struct even_axis lat, struct even_axis lon, const int *slots, size_t n_slots)
{
    struct sst_error err = {0};
    f->grid = regular_grid(lat, lon);
    f->sample = NULL;
    sst_domain_all(f->grid, &f->domain);
    size_t *cells = calloc(f->domain.n_cells, sizeof *cells);
    for (size_t cell = 0; cell < f->domain.n_cells; ++cell)
        cells[cell] = cell;
    const struct sst_sample_spec spec = {.domain = &f->domain,
                                         .probes = cells,
                                         .n_probes = f->domain.n_cells,
                                         .slots = slots,
                                         .n_slots = n_slots,
                                         .n_percentiles = 2,
                                         .has_shape = true};
    ck_assert_msg(sst_sample_create(&spec, &f->sample, &err) == SST_OK, "%s", err.text);
    free(cells);
}

static void tear_down(struct fixture *f, struct sst_breakdown *breakdown)
{
    sst_breakdown_clear(breakdown);
    sst_sample_destroy(&f->sample);
    sst_grid_destroy(&f->grid);
}

/* Of the second percentile. */
static struct sst_breakdown make(const struct fixture *f, double tolerance)
{
    struct sst_breakdown out = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_breakdown_make(f->sample, 1, f->sample->approx[1], tolerance, &f->domain, &out, &err) == SST_OK,
                  "%s", err.text);
    return out;
}

static double sum(const double *values, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; ++i)
        total += values[i];
    return total;
}

static size_t cell_days(const struct sst_breakdown_table *table)
{
    size_t n = 0;
    for (size_t i = 0; i < table->n_rows; ++i)
        n += table->rows[i].errors.n_cell_days;
    return n;
}

/* Cells at 60 N (weight 0.5) and 0 N (weight 1), two each; slots 1 and 60. Exact values are 0, so errors are exact. */
static void set_by_hand(struct fixture *f)
{
    const struct even_axis lat = {60, -60, 2}, lon = {10, 1, 2};
    static const int slots[2] = {1, 60};
    static const float errors[8] = {0.5f, -0.25f, 0.125f, 0, 0.25f, NAN, 4, -0.125f};
    static const float skews[8] = {-2, -1.5f, 0, 0.125f, NAN, 0, 7, 1.5f};
    static const float kurts[8] = {-1, -1, -1, -1, -1, -1, -1, 3};
    set_up(f, lat, lon, slots, 2);
    for (size_t i = 0; i < 8; ++i) {
        f->sample->approx[1][i] = errors[i];
        f->sample->exact[1][i] = 0;
        f->sample->shape.skew[i] = skews[i];
        f->sample->shape.kurt[i] = kurts[i];
    }
    f->sample->flags[6] = SST_FLAG_ICE_OR_NO_VARIANCE;
    f->sample->flags[0] = SST_FLAG_FEW_SAMPLES;
}

START_TEST(rows_of_slots_hold_the_values_found_by_hand)
{
    struct fixture f;
    set_by_hand(&f);
    struct sst_breakdown b = make(&f, 0.2);
    ck_assert_uint_eq(b.by_slot.n_rows, 2);
    /* 1 January: 0.5 and -0.25 of weight 0.5, 0.125 and 0 of weight 1. */
    const struct sst_breakdown_row *row = &b.by_slot.rows[0];
    ck_assert_str_eq(row->name, "1 January");
    ck_assert_double_eq(row->low, 1);
    ck_assert_double_eq(row->high, 1);
    ck_assert_uint_eq(row->errors.n_cells, 4);
    ck_assert_uint_eq(row->errors.n_cell_days, 4);
    ck_assert_double_eq_tol(row->errors.bias, (0.25 - 0.125 + 0.125) / 3, SUM_NOISE);
    ck_assert_double_eq_tol(row->errors.rmse, sqrt((0.125 + 0.03125 + 0.015625) / 3), SUM_NOISE);
    ck_assert_double_eq(row->errors.median, 0.125); /* weights 1, 1, 0.5, 0.5 in ascending order */
    ck_assert_double_eq(row->errors.p95, 0.5);
    ck_assert_double_eq(row->errors.max, 0.5);
    ck_assert_double_eq_tol(row->errors.beyond.value, 1.0 / 3, SUM_NOISE);
    ck_assert_uint_eq(row->errors.beyond.n_clusters, 4);
    /* 29 February: 0.25 of weight 0.5, -0.125 of weight 1; one without a value, one with ice. */
    row = &b.by_slot.rows[1];
    ck_assert_str_eq(row->name, "29 February");
    ck_assert_double_eq(row->low, 60);
    ck_assert_uint_eq(row->errors.n_cell_days, 2);
    ck_assert_uint_eq(row->errors.n_cells, 2);
    ck_assert_double_eq_tol(row->errors.bias, (0.125 - 0.125) / 1.5, SUM_NOISE);
    ck_assert_double_eq(row->errors.max, 0.25);
    tear_down(&f, &b);
    ck_assert_ptr_null(b.by_slot.rows);
}
END_TEST

START_TEST(rows_of_places_hold_the_values_found_by_hand)
{
    struct fixture f;
    set_by_hand(&f);
    struct sst_breakdown b = make(&f, 0.2);
    /* From the south: the equator's 0.125, 0 | -0.125 first. */
    ck_assert_uint_eq(b.by_latitude.n_rows, 2);
    ck_assert_str_eq(b.by_latitude.rows[0].name, "0-2N");
    ck_assert_double_eq(b.by_latitude.rows[0].low, 0);
    ck_assert_double_eq(b.by_latitude.rows[0].high, 2);
    ck_assert_uint_eq(b.by_latitude.rows[0].errors.n_cell_days, 3);
    ck_assert_double_eq_tol(b.by_latitude.rows[0].errors.bias, 0, SUM_NOISE);
    ck_assert_str_eq(b.by_latitude.rows[1].name, "60N-62N");
    ck_assert_uint_eq(b.by_latitude.rows[1].errors.n_cell_days, 3);
    ck_assert_uint_eq(b.by_latitude.rows[1].errors.n_cells, 2);
    ck_assert_double_eq_tol(b.by_latitude.rows[1].errors.bias, 0.5 / 3, SUM_NOISE);
    ck_assert_double_eq(b.by_latitude.rows[1].errors.median, 0.25);
    ck_assert_double_eq_tol(b.by_latitude.rows[1].errors.beyond.value, 1, SUM_NOISE);
    ck_assert_uint_eq(b.by_region.n_rows, 2);
    ck_assert_str_eq(b.by_region.rows[0].name, "0-2N 10E-12E");
    ck_assert(isnan(b.by_region.rows[0].low) && isnan(b.by_region.rows[0].high));
    tear_down(&f, &b);
}
END_TEST

START_TEST(classes_of_shape_are_round_and_leave_out_what_has_none)
{
    struct fixture f;
    set_by_hand(&f);
    struct sst_breakdown b = make(&f, 0.2);
    /* Skewness -2 | -1.5 | 0, 0.125 | 1.5; 7 has ice, NaN has no class, the other 0 no error. */
    static const char *const names[] = {"below -1.5", "-1.5 to -1", "0 to 0.25", "1.5 and more"};
    static const size_t n[] = {1, 1, 2, 1};
    ck_assert_uint_eq(b.by_skewness.n_rows, 4);
    for (size_t i = 0; i < 4; ++i) {
        ck_assert_str_eq(b.by_skewness.rows[i].name, names[i]);
        ck_assert_uint_eq(b.by_skewness.rows[i].errors.n_cell_days, n[i]);
    }
    ck_assert(isnan(b.by_skewness.rows[0].low) && isnan(b.by_skewness.rows[3].high));
    ck_assert_double_eq(b.by_skewness.rows[0].high, -1.5);
    ck_assert_double_eq(b.by_skewness.rows[2].low, 0);
    ck_assert_double_eq(b.by_skewness.rows[2].high, 0.25);
    ck_assert_double_eq(b.by_skewness.rows[3].low, 1.5);
    ck_assert_double_eq(b.by_skewness.rows[0].errors.bias, 0.5);
    ck_assert_uint_eq(b.by_kurtosis.n_rows, 2);
    ck_assert_str_eq(b.by_kurtosis.rows[0].name, "-1 to -0.75");
    ck_assert_str_eq(b.by_kurtosis.rows[1].name, "2 to 4");
    ck_assert_uint_eq(b.by_kurtosis.rows[0].errors.n_cell_days, 5);
    tear_down(&f, &b);
}
END_TEST

START_TEST(curves_hold_the_shares_found_by_hand)
{
    struct fixture f;
    set_by_hand(&f);
    struct sst_breakdown b = make(&f, 0.2);
    const struct sst_error_distribution *d = &b.distribution;
    /* Up to 0.5: 25 steps of 0.02 either side; weights 0.5 0.5 1 1 0.5 1 of 4.5. */
    ck_assert_uint_eq(d->n_bins, 50);
    ck_assert_double_eq_tol(d->width, 0.02, SUM_NOISE);
    ck_assert_double_eq_tol(d->first_edge, -0.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->share[49], 0.5 / 4.5, SUM_NOISE); /* 0.5 itself is beyond the last edge */
    ck_assert_double_eq_tol(d->share[12], 0.5 / 4.5, SUM_NOISE); /* -0.25 */
    ck_assert_double_eq_tol(d->share[25], 1.0 / 4.5, SUM_NOISE); /* 0 */
    ck_assert_double_eq_tol(d->share[31], 1.0 / 4.5, SUM_NOISE); /* 0.125 */
    ck_assert_double_eq_tol(d->share[37], 0.5 / 4.5, SUM_NOISE); /* 0.25 */
    ck_assert_double_eq_tol(d->share[18], 1.0 / 4.5, SUM_NOISE); /* -0.125 */
    ck_assert_double_eq_tol(sum(d->share, d->n_bins), 1, SUM_NOISE);
    /* 67 steps of 0.0075: the first at or beyond 0.125 is the 17th, at or beyond 0.25 the 34th. */
    ck_assert_uint_eq(d->n_points, 68);
    ck_assert_double_eq(d->abs_error[0], 0);
    ck_assert_double_eq_tol(d->abs_error[67], 0.5025, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[0], 1.0 / 4.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[16], 1.0 / 4.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[17], 3.0 / 4.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[33], 3.0 / 4.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[34], 4.0 / 4.5, SUM_NOISE);
    ck_assert_double_eq_tol(d->cumulated[67], 1, SUM_NOISE);
    tear_down(&f, &b);
}
END_TEST

START_TEST(without_an_ice_free_cell_day_nothing_is_told)
{
    struct fixture f;
    set_by_hand(&f);
    for (size_t i = 0; i < 8; ++i)
        f.sample->flags[i] = SST_FLAG_ICE_OR_NO_VARIANCE;
    struct sst_breakdown b = make(&f, 0.2);
    ck_assert_uint_eq(b.distribution.n_bins, 0);
    ck_assert_uint_eq(b.distribution.n_points, 0);
    ck_assert(isnan(b.distribution.width));
    ck_assert_uint_eq(b.by_slot.n_rows + b.by_latitude.n_rows + b.by_region.n_rows, 0);
    ck_assert_uint_eq(b.by_skewness.n_rows + b.by_kurtosis.n_rows, 0);
    tear_down(&f, &b);
}
END_TEST

START_TEST(without_shape_there_are_no_tables_of_it)
{
    struct fixture f;
    set_by_hand(&f);
    sst_free(f.sample->shape.skew);
    sst_free(f.sample->shape.kurt);
    f.sample->shape.skew = f.sample->shape.kurt = NULL;
    struct sst_breakdown b = make(&f, 0.2);
    ck_assert_uint_eq(b.by_skewness.n_rows + b.by_kurtosis.n_rows, 0);
    ck_assert_uint_eq(cell_days(&b.by_slot), 6);
    tear_down(&f, &b);
}
END_TEST

START_TEST(perfect_estimates_have_a_curve_at_one)
{
    struct fixture f;
    set_by_hand(&f);
    for (size_t i = 0; i < 8; ++i)
        f.sample->approx[1][i] = f.sample->exact[1][i] = 20;
    struct sst_breakdown b = make(&f, 0);
    ck_assert_uint_ge(b.distribution.n_bins, 40);
    ck_assert_double_eq_tol(b.distribution.share[b.distribution.n_bins / 2], 1, SUM_NOISE);
    ck_assert_double_eq_tol(b.distribution.cumulated[0], 1, SUM_NOISE);
    ck_assert_double_eq(b.by_slot.rows[0].errors.p99, 0);
    ck_assert_double_eq(b.by_slot.rows[0].errors.beyond.value, 0);
    tear_down(&f, &b);
}
END_TEST

enum { N_RANDOM_SLOTS = 40 };

static double unit(struct test_random *random) { return (double)(test_random_next(random) >> 11) * 0x1p-53; }

/* Random errors of some size at `lat`, `lon`; some with ice, some without a value. */
static void set_random(struct fixture *f, struct even_axis lat, struct even_axis lon, double size)
{
    int slots[N_RANDOM_SLOTS];
    struct test_random random = {11};
    for (int i = 0; i < N_RANDOM_SLOTS; ++i)
        slots[i] = 1 + 9 * i;
    set_up(f, lat, lon, slots, N_RANDOM_SLOTS);
    for (size_t i = 0; i < f->sample->n_cells * N_RANDOM_SLOTS; ++i) {
        const double u = unit(&random), v = unit(&random);
        f->sample->exact[1][i] = (float)(20 + u);
        f->sample->approx[1][i] = (float)(20 + u + size * (v * v * v * v - 0.15));
        f->sample->shape.skew[i] = (float)(4 * u - 2);
        f->sample->shape.kurt[i] = (float)(8 * u - 2);
        if (unit(&random) < 0.1)
            f->sample->flags[i] = SST_FLAG_ICE_OR_NO_VARIANCE;
        if (unit(&random) < 0.1)
            f->sample->exact[1][i] = NAN;
    }
}

static struct sst_error_row row_of_comparison(const struct sst_sample *sample, double tolerance)
{
    struct sst_comparison *comparison = NULL;
    struct sst_error err = {0};
    const size_t n = sample->n_cells;
    double *weights = calloc(n, sizeof *weights), *approx = calloc(n, sizeof *approx),
           *exact = calloc(n, sizeof *exact);
    for (size_t i = 0; i < n; ++i)
        weights[i] = sample->cells[i].weight;
    ck_assert_int_eq(sst_comparison_create(n, weights, tolerance, &comparison, &err), SST_OK);
    for (size_t place = 0; place < sample->n_places; ++place) {
        for (size_t i = 0; i < n; ++i) {
            approx[i] = (double)sample->approx[1][place * n + i];
            exact[i] = (double)sample->exact[1][place * n + i];
        }
        sst_comparison_add(comparison, approx, exact, sample->flags + place * n, NULL);
    }
    const struct sst_error_row row = sst_comparison_row(comparison, SST_ERRORS_ICE_FREE, SST_WEIGHT_AREA);
    sst_comparison_destroy(&comparison);
    free(weights);
    free(approx);
    free(exact);
    return row;
}

START_TEST(one_region_of_everything_has_the_row_of_the_error_table)
{
    struct fixture f;
    const struct even_axis lat = {40.01, 0.02, 45}, lon = {10.01, 0.1, 10};
    set_random(&f, lat, lon, 0.4);
    struct sst_breakdown b = make(&f, 0.1);
    ck_assert_uint_eq(b.by_region.n_rows, 1);
    const struct sst_error_row *row = &b.by_region.rows[0].errors, all = row_of_comparison(f.sample, 0.1);
    ck_assert_uint_gt(all.n_cell_days, 10000);
    ck_assert_uint_eq(row->n_cell_days, all.n_cell_days);
    ck_assert_uint_eq(row->n_cells, all.n_cells);
    ck_assert_double_eq_tol(row->bias, all.bias, SUM_NOISE);
    ck_assert_double_eq_tol(row->rmse, all.rmse, SUM_NOISE);
    ck_assert_double_eq(row->max, all.max);
    ck_assert_double_eq_tol(row->beyond.value, all.beyond.value, SUM_NOISE);
    ck_assert_double_eq_tol(row->beyond.low, all.beyond.low, SUM_NOISE);
    ck_assert_double_eq_tol(row->beyond.high, all.beyond.high, SUM_NOISE);
    /* Its quantiles are upper edges of bins: at or above the error itself. */
    const double exact[3] = {row->median, row->p95, row->p99}, binned[3] = {all.median, all.p95, all.p99};
    for (int i = 0; i < 3; ++i) {
        ck_assert_double_gt(exact[i], 0);
        ck_assert_double_le(exact[i], binned[i] + SUM_NOISE);
        ck_assert_double_gt(exact[i], binned[i] - 1.01 * SST_ERROR_BIN_DEGC);
    }
    tear_down(&f, &b);
}
END_TEST

START_TEST(every_table_holds_every_cell_day_and_shares_are_one)
{
    static const double sizes[] = {1e-5, 0.004, 0.07, 0.4, 3.3, 250};
    struct fixture f;
    const struct even_axis lat = {-85, 10, 18}, lon = {5, 20, 18};
    set_random(&f, lat, lon, sizes[_i]);
    struct sst_breakdown b = make(&f, 0.1);
    const size_t n = row_of_comparison(f.sample, 0.1).n_cell_days;
    ck_assert_uint_gt(n, 10000);
    ck_assert_uint_eq(cell_days(&b.by_slot), n);
    ck_assert_uint_eq(cell_days(&b.by_latitude), n);
    ck_assert_uint_eq(cell_days(&b.by_region), n);
    ck_assert_uint_eq(cell_days(&b.by_skewness), n);
    ck_assert_uint_eq(cell_days(&b.by_kurtosis), n);
    ck_assert_uint_eq(b.by_slot.n_rows, N_RANDOM_SLOTS);
    ck_assert_uint_eq(b.by_latitude.n_rows, 18);
    ck_assert_uint_eq(b.by_region.n_rows, 32);
    ck_assert_uint_eq(b.by_skewness.n_rows, 10);

    const struct sst_error_distribution *d = &b.distribution;
    ck_assert(d->n_bins >= 40 && d->n_bins <= 60 && d->n_bins % 2 == 0);
    ck_assert_double_eq_tol(d->first_edge + (double)(d->n_bins / 2) * d->width, 0, SUM_NOISE);
    ck_assert_double_eq_tol(sum(d->share, d->n_bins), 1, SUM_NOISE * 100);
    ck_assert(d->n_points >= 60 && d->n_points <= 100);
    ck_assert_double_eq(d->abs_error[0], 0);
    for (size_t i = 1; i < d->n_points; ++i) {
        ck_assert_double_gt(d->abs_error[i], d->abs_error[i - 1]);
        ck_assert_double_ge(d->cumulated[i], d->cumulated[i - 1]);
    }
    ck_assert_double_ge(d->cumulated[d->n_points - 1], 0.999 - SUM_NOISE * 100);
    ck_assert_double_le(d->cumulated[d->n_points - 1], 1);
    tear_down(&f, &b);
}
END_TEST

START_TEST(quantiles_of_rows_are_those_of_sorting)
{
    enum { N = 200 };
    struct sst_error_table table = {0};
    struct sst_error err = {0};
    struct sst_cluster cluster = {.weight = 0.37};
    ck_assert_int_eq(sst_error_table_init(&table, 2, 1, &err), SST_OK);
    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 1; i <= N; ++i) {
            const struct sst_cell_error value = {.row = 1, .weight = 0.37, .error = i % 3 ? i : -i};
            if (pass == 0)
                sst_error_table_add(&table, &value, 190);
            else
                sst_error_table_rank(&table, &value);
        }
    }
    const struct sst_error_row row = sst_error_table_row(&table, 1, &cluster);
    ck_assert_double_eq(row.median, 100);
    ck_assert_double_eq(row.p95, 190);
    ck_assert_double_eq(row.p99, 198);
    ck_assert_double_eq(row.max, 200);
    ck_assert_double_eq_tol(row.beyond.value, 0.05, SUM_NOISE);
    const struct sst_error_row empty = sst_error_table_row(&table, 0, &cluster);
    ck_assert_uint_eq(empty.n_cell_days, 0);
    ck_assert(isnan(empty.bias) && isnan(empty.rmse) && isnan(empty.median) && isnan(empty.max));
    sst_error_table_clear(&table);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("breakdown");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, rows_of_slots_hold_the_values_found_by_hand);
    tcase_add_test(tc, rows_of_places_hold_the_values_found_by_hand);
    tcase_add_test(tc, classes_of_shape_are_round_and_leave_out_what_has_none);
    tcase_add_test(tc, curves_hold_the_shares_found_by_hand);
    tcase_add_test(tc, without_an_ice_free_cell_day_nothing_is_told);
    tcase_add_test(tc, without_shape_there_are_no_tables_of_it);
    tcase_add_test(tc, perfect_estimates_have_a_curve_at_one);
    tcase_add_test(tc, one_region_of_everything_has_the_row_of_the_error_table);
    tcase_add_loop_test(tc, every_table_holds_every_cell_day_and_shares_are_one, 0, 6);
    tcase_add_test(tc, quantiles_of_rows_are_those_of_sorting);
    suite_add_tcase(suite, tc);
    return suite;
}
