/* Error models: what is available with how many cells, what held-out figures are of, and inputs with nothing to learn. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/flags.h"
#include "counted_memory.h"
#include "error_sample.h"
#include "moments/maxent.h"
#include "random.h"
#include "test_main.h"
#include "validate/error_model.h"
#include "validate/error_model_conformal.h"
#include "validate/error_model_math.h"
#include "validate/error_model_ridge.h"
#include "validate/error_model_rows.h"
#include "validate/error_model_sum.h"

enum { N_LEVELS = 2, N_PLACES = 12, SEED = 7 };

static const struct test_error_law usual_law = {.noise = 0.05, .memory = 0.4, .cell_spread = 0.2};
static const struct test_error_law systematic_law = {
    .systematic = 0.3, .noise = 0.05, .memory = 0.4, .cell_spread = 0.2};
static const struct test_error_law exact_law = {0};

static struct sst_error_model_options make_options(bool wants_correction)
{
    return (struct sst_error_model_options){
        .percentile = 90,
        .coverages = {0.95, 0.99},
        .n_coverages = N_LEVELS,
        .tolerance = 0.1,
        .wants_correction = wants_correction,
        .seed = SEED,
        .regions = {.south = 0, .west = 0, .width = 10, .n_lat = 3, .n_lon = 1, .whole_circle = true},
        .z = 1.2815515655446004,
    };
}

static struct sst_error_model *fit(const struct sst_sample *sample, bool wants_correction)
{
    const struct sst_error_model_options options = make_options(wants_correction);
    struct sst_error_model *model = NULL;
    ck_assert_int_eq(sst_error_model_fit(sample, &options, &model, NULL), SST_OK);
    return model;
}

/* --- quantiles ---------------------------------------------------------------------------------------------------- */

/* One score a cell: 1, 2 ... n, in an order that is not sorted. */
static double quantile_of_ranks(size_t n, double level)
{
    struct sst_score *scores = calloc(n, sizeof *scores);
    for (size_t i = 0; i < n; ++i)
        scores[i] = (struct sst_score){(double)((i * 7 + 3) % n) + 1, 1};
    const double quantile = sst_conformal_quantile(scores, n, n, level);
    free(scores);
    return quantile;
}

START_TEST(one_more_cell_of_infinite_score_counts)
{
    ck_assert_double_eq(quantile_of_ranks(19, 0.95), 19); /* ceil(0.95 x 20) */
    ck_assert(isinf(quantile_of_ranks(18, 0.95)));
    ck_assert_double_eq(quantile_of_ranks(39, 0.95), 38); /* not 37.05 of 39 */
    ck_assert_double_eq(quantile_of_ranks(99, 0.99), 99);
    ck_assert(isinf(quantile_of_ranks(98, 0.99)));
    ck_assert(isinf(quantile_of_ranks(1, 0.95)));
}
END_TEST

/* Ten cells of one score each, 1; nine of a thousand days each, 5: pooled by days 9000 of 9010 would be 5. */
START_TEST(cells_weigh_the_same_however_many_days_they_have)
{
    enum { N_DAYS = 1000, N_SHORT = 10, N_LONG = 9, N = N_SHORT + N_LONG * N_DAYS };
    struct sst_score *scores = calloc(N, sizeof *scores);
    for (size_t i = 0; i < N; ++i)
        scores[i] = i < N_SHORT ? (struct sst_score){1, 1} : (struct sst_score){5, 1.0 / N_DAYS};
    ck_assert_double_eq(sst_conformal_quantile(scores, N, N_SHORT + N_LONG, 0.5), 1);
    ck_assert_double_eq(sst_conformal_quantile(scores, N, N_SHORT + N_LONG, 0.51), 5);
    ck_assert_double_eq(sst_conformal_quantile(scores, N, N_SHORT + N_LONG, 0.95), 5);
    free(scores);
}
END_TEST

START_TEST(a_weighted_quantile_is_the_one_of_the_sorted_values)
{
    struct test_random random = {SEED};
    for (int trial = 0; trial < 200; ++trial) {
        struct sst_score values[40], ordered[40];
        const size_t n = 1 + (size_t)test_random_below(&random, 40);
        double sum = 0, reached = 0;
        for (size_t i = 0; i < n; ++i) {
            values[i] = (struct sst_score){test_random_below(&random, 9), 1 + test_random_below(&random, 4)};
            sum += values[i].weight;
            size_t at = i;
            for (; at > 0 && ordered[at - 1].score > values[i].score; --at)
                ordered[at] = ordered[at - 1];
            ordered[at] = values[i];
        }
        size_t at = 0;
        for (; at < n && (reached += ordered[at].weight) < 0.5 * sum;)
            ++at;
        ck_assert_double_eq(sst_conformal_weighted_quantile(values, n, 0.5), ordered[at].score);
    }
    ck_assert(isnan(sst_conformal_weighted_quantile(NULL, 0, 0.5)));
}
END_TEST

START_TEST(ridge_finds_a_line_and_survives_terms_that_do_not_vary)
{
    struct sst_ridge ridge = {0};
    double coefficients[SST_N_TERMS];
    for (int i = 0; i < 100; ++i) {
        const double terms[SST_N_TERMS] = {1, (i - 49.5) / 30};
        sst_ridge_add_terms(&ridge, terms, 0.01);
        sst_ridge_add_response(&ridge, terms, 0.01 * (2 + 3 * terms[1]));
    }
    sst_ridge_solve(&ridge, 1e-9, coefficients);
    ck_assert_double_eq_tol(coefficients[0], 2, 1e-6);
    ck_assert_double_eq_tol(coefficients[1], 3, 1e-6);
    ck_assert_double_eq(coefficients[2], 0);
}
END_TEST

/* --- sums of predictors ------------------------------------------------------------------------------------------- */

START_TEST(quick_logarithms_and_exponentials_are_right_to_eleven_digits)
{
    ck_assert_double_eq(sst_quick_log(1.0), 0.0);
    ck_assert_double_eq(sst_quick_exp(0.0), 1.0);
    for (double x = 1e-6; x < 1e6; x *= 1.0137)
        ck_assert_double_eq_tol(sst_quick_log(x), log(x), 1e-11 * fmax(1.0, fabs(log(x))));
    for (double x = -30; x < 30; x += 0.0137)
        ck_assert_double_eq_tol(sst_quick_exp(x) / exp(x), 1.0, 1e-11);
}
END_TEST

/* A pool that is calm, or has a shape beyond all limits, or is not known in part. */
static struct sst_pool strange_pool(struct test_random *random)
{
    static const double strange[] = {NAN, -1e6, 1e6, 0.0};
    volatile float value[3] = {1.0F, 0.0F, 0.0F}; /* gcc 12 leaves the rounding of a pair of casts out otherwise */
    for (int i = 0; i < 3; ++i)
        value[i] = test_random_below(random, 4) == 0
                       ? (float)strange[test_random_below(random, 4)]
                       : (float)test_random_below(random, 8000) / 1000.0F - (i ? 4.0F : 0.0F);
    const unsigned n_obs = (unsigned)test_random_below(random, 2) * (unsigned)test_random_below(random, 3000);
    return (struct sst_pool){(double)value[0], (double)value[1], (double)value[2], n_obs};
}

START_TEST(sums_of_many_pools_are_those_of_each_ones_predictors)
{
    static const double coefficients[SST_N_TERMS] = {0.3, 0.5, -0.7, 0.2, 0.4, -0.1, 0.6, 0.9, -0.8, 1.1};
    struct sst_predictor_rule rule = {.tail = -1, .z = -1.2815515655446004, .maxent_table = sst_maxent_table(10)};
    struct sst_predictor_sums learnt = {0};
    struct test_random random = {SEED};
    static struct sst_predictor_sum sum;
    for (int i = 0; i < 1000; ++i)
        sst_predictors_learn(&rule, strange_pool(&random), &learnt);
    sst_predictors_settle(&learnt, &rule);
    sst_predictor_sum_fold(&rule, coefficients, &sum);
    for (int trial = 0; trial < 100; ++trial) {
        struct sst_pools pools = {.n = 1 + (size_t)test_random_below(&random, SST_POOLS)};
        struct sst_pool each[SST_POOLS];
        double sums[SST_POOLS], log_sd[SST_POOLS];
        for (size_t i = 0; i < pools.n; ++i) {
            each[i] = strange_pool(&random);
            pools.sd[i] = (float)each[i].sd;
            pools.skew[i] = (float)each[i].skew;
            pools.kurt[i] = (float)each[i].kurt;
            pools.n_obs[i] = (uint16_t)each[i].n_obs;
        }
        sst_predictor_sum_of(&sum, &pools, sums, log_sd);
        for (size_t i = 0; i < pools.n; ++i) {
            float predictors[SST_N_PREDICTORS], sd = 0;
            double wanted = coefficients[0];
            sst_predictors_of(&rule, each[i], predictors, &sd);
            for (int j = 0; j < SST_N_SCALE_PREDICTORS; ++j)
                wanted += coefficients[j + 1] * (double)predictors[j];
            ck_assert_double_eq_tol(sums[i], wanted, 2e-6);
            ck_assert_double_eq_tol(log_sd[i], log((double)sd), 2e-7);
        }
    }
}
END_TEST

/* --- availability ------------------------------------------------------------------------------------------------- */

static const struct {
    size_t n_cells;
    bool has_95, has_99;
    double attainable;
} cells_and_levels[] = {
    {56, false, false, 18.0 / 19}, {57, true, false, 0.95}, {296, true, false, 98.0 / 99},
    {297, true, true, 0.99},       {1, false, false, 0},    {2, false, false, 0},
};

START_TEST(a_level_needs_three_folds_that_reach_it)
{
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, cells_and_levels[_i].n_cells, 3);
    struct sst_error_model *model = fit(sample, false);
    const struct sst_error_findings *findings = sst_error_model_findings(model);
    ck_assert_uint_eq(findings->n_cells, cells_and_levels[_i].n_cells);
    ck_assert_uint_eq(findings->n_levels, N_LEVELS);
    const bool has[N_LEVELS] = {cells_and_levels[_i].has_95, cells_and_levels[_i].has_99};
    double estimate = 20;
    float bound[N_LEVELS];
    const struct sst_model_cells one = {1, sample->shape, sample->n_obs};
    sst_error_model_apply(model, &one, &(struct sst_model_values){&estimate, {&bound[0], &bound[1]}, NULL});
    ck_assert_double_eq(estimate, 20);
    for (int level = 0; level < N_LEVELS; ++level) {
        const struct sst_level_findings *found = &findings->levels[level];
        ck_assert_int_eq(found->is_available, has[level]);
        ck_assert_double_eq_tol(found->attainable, cells_and_levels[_i].attainable, 1e-15);
        ck_assert_int_eq(found->n_rows > 0, has[level]);
        ck_assert_int_eq(isfinite(found->mean_bound), has[level]);
        ck_assert_int_eq(isfinite(bound[level]), has[level]);
    }
    ck_assert_int_eq(findings->likely.is_available, has[0]);
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

START_TEST(unusual_levels_need_what_they_need)
{
    ck_assert(sst_conformal_is_available(27, 0.9) && !sst_conformal_is_available(26, 0.9));
    ck_assert(sst_conformal_is_available(12, 0.8) && !sst_conformal_is_available(11, 0.8));
    ck_assert(sst_conformal_is_available(2997, 0.999) && !sst_conformal_is_available(2996, 0.999));
    ck_assert(!sst_conformal_is_available(1000000, 1.0) && !sst_conformal_is_available(10, 0.0));
    ck_assert(!sst_conformal_is_available(10, NAN));
}
END_TEST

/* --- findings ----------------------------------------------------------------------------------------------------- */

START_TEST(the_table_splits_all_by_ice_season_and_region)
{
    enum { N_CELLS = 120 };
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, N_CELLS, N_PLACES);
    for (size_t row = 0; row < N_CELLS; row += 3)
        sample->flags[row] |= SST_FLAG_ICE_OR_NO_VARIANCE;
    struct sst_error_model *model = fit(sample, false);
    const struct sst_level_findings *level = &sst_error_model_findings(model)->levels[0];
    static const char *const names[] = {
        "all",     "ice-free", "ice or no variance", "Dec-Feb", "Mar-May", "Jun-Aug", "Sep-Nov", "0-10N",
        "10N-20N", "20N-30N"};
    const size_t n_rows = sizeof names / sizeof names[0];
    size_t n_days[4] = {0};
    ck_assert_uint_eq(level->n_rows, n_rows);
    for (size_t i = 0; i < n_rows; ++i) {
        ck_assert_str_eq(level->rows[i].name, names[i]);
        n_days[level->rows[i].stratum] += level->rows[i].n_cell_days;
        ck_assert(level->rows[i].share.low <= level->rows[i].share.value);
        ck_assert(level->rows[i].share.value <= level->rows[i].share.high);
    }
    for (int stratum = 0; stratum < 4; ++stratum)
        ck_assert_uint_eq(n_days[stratum], N_CELLS * N_PLACES);
    ck_assert_uint_eq(level->rows[2].n_cell_days, N_CELLS / 3);
    ck_assert_double_eq_tol(level->rows[0].share.value, 0.96, 0.025);
    ck_assert_double_ge(level->share_of_cells_below_90, 0);
    ck_assert_double_le(level->share_of_cells_below_90, 0.3);
    ck_assert_double_gt(level->mean_bound, level->median_bound);
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

START_TEST(what_is_left_out_is_not_counted_as_covered)
{
    enum { N_CELLS = 90 };
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, N_CELLS, N_PLACES);
    struct sst_error_model *model = fit(sample, false);
    const struct sst_level_findings *level = &sst_error_model_findings(model)->levels[0];
    uint8_t *left_out = calloc(N_CELLS * N_PLACES, 1);
    struct sst_share rest;
    ck_assert_int_eq(sst_error_model_coverage_of_rest(model, sample, 0, left_out, &rest, NULL), SST_OK);
    ck_assert_double_eq(rest.value, level->rows[0].share.value);
    ck_assert_double_eq(rest.low, level->rows[0].share.low);
    /* Without the tenth of largest errors next to all are covered. */
    for (size_t row = 0; row < N_CELLS * N_PLACES; ++row)
        left_out[row] = fabs((double)sample->approx[0][row] - (double)sample->exact[0][row]) > 0.3;
    ck_assert_int_eq(sst_error_model_coverage_of_rest(model, sample, 0, left_out, &rest, NULL), SST_OK);
    ck_assert_double_gt(rest.value, level->rows[0].share.value + 0.01);
    memset(left_out, 1, N_CELLS * N_PLACES);
    ck_assert_int_eq(sst_error_model_coverage_of_rest(model, sample, 0, left_out, &rest, NULL), SST_OK);
    ck_assert(isnan(rest.value));
    ck_assert_uint_eq(rest.n_clusters, 0);
    /* A level that is not available covers nothing that could be counted. */
    memset(left_out, 0, N_CELLS * N_PLACES);
    ck_assert_int_eq(sst_error_model_coverage_of_rest(model, sample, 1, left_out, &rest, NULL), SST_OK);
    ck_assert(isnan(rest.value));
    free(left_out);
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

START_TEST(held_out_estimates_are_corrected_and_missing_ones_stay_missing)
{
    enum { N_CELLS = 150 };
    struct sst_sample *sample = test_error_sample(&systematic_law, SEED, 0, N_CELLS, N_PLACES);
    sample->approx[0][5] = NAN;
    sample->exact[0][6] = NAN;
    struct sst_error_model *model = fit(sample, true);
    const struct sst_error_findings *findings = sst_error_model_findings(model);
    const float *held_out = sst_error_model_held_out(model);
    double squares[2] = {0, 0}, weights = 0;
    ck_assert(findings->is_corrected);
    ck_assert(isnan(held_out[5]));
    ck_assert(isfinite(held_out[6]));
    for (size_t row = 0; row < N_CELLS * N_PLACES; ++row) {
        const double exact = (double)sample->exact[0][row], weight = sample->cells[row % N_CELLS].weight;
        const double before = (double)sample->approx[0][row] - exact, after = (double)held_out[row] - exact;
        if (isnan(before))
            continue;
        squares[0] += weight * before * before;
        squares[1] += weight * after * after;
        weights += weight;
    }
    ck_assert_double_eq_tol(findings->rmse_before, sqrt(squares[0] / weights), 1e-12);
    ck_assert_double_eq_tol(findings->rmse_after, sqrt(squares[1] / weights), 1e-12);
    ck_assert_double_lt(findings->rmse_after, 0.9 * findings->rmse_before);
    sst_error_model_destroy(&model);

    model = fit(sample, false);
    ck_assert_ptr_null(sst_error_model_held_out(model));
    ck_assert_double_eq(sst_error_model_findings(model)->rmse_after, sst_error_model_findings(model)->rmse_before);
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

START_TEST(likely_flags_are_right_more_often_than_chance)
{
    enum { N_CELLS = 150 };
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, N_CELLS, N_PLACES);
    struct sst_error_model_options options = make_options(false);
    options.tolerance = 0.25;
    struct sst_error_model *model = NULL;
    ck_assert_int_eq(sst_error_model_fit(sample, &options, &model, NULL), SST_OK);
    const struct sst_likely_findings *likely = &sst_error_model_findings(model)->likely;
    size_t n_beyond = 0;
    for (size_t row = 0; row < N_CELLS * N_PLACES; ++row)
        n_beyond += fabs((double)sample->approx[0][row] - (double)sample->exact[0][row]) > options.tolerance;
    ck_assert(likely->is_available);
    ck_assert_double_eq_tol(likely->base_rate, (double)n_beyond / (N_CELLS * N_PLACES), 0.02);
    ck_assert_double_gt(likely->precision, 1.4 * likely->base_rate);
    ck_assert_double_gt(likely->recall, likely->flagged);
    ck_assert(likely->threshold > 0 && likely->threshold < 1);
    sst_error_model_destroy(&model);
    options.tolerance = 1e6; /* nothing is beyond */
    ck_assert_int_eq(sst_error_model_fit(sample, &options, &model, NULL), SST_OK);
    likely = &sst_error_model_findings(model)->likely;
    ck_assert(!likely->is_available && likely->base_rate == 0 && isnan(likely->precision));
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

/* Of the days of each cell the share that a level's bound covers, averaged over cells. */
static double coverage_by_cell(const struct sst_error_model *model, const struct sst_sample *others, int level)
{
    double sum = 0;
    for (size_t cell = 0; cell < others->n_cells; ++cell) {
        size_t n = 0, n_covered = 0;
        for (size_t row = cell; row < others->n_cells * others->n_places; row += others->n_cells) {
            double estimate = (double)others->approx[0][row];
            float bound[N_LEVELS];
            sst_error_model_apply(
                model,
                &(struct sst_model_cells){1,
                                          {&others->shape.sd[row], &others->shape.skew[row], &others->shape.kurt[row]},
                                          &others->n_obs[row]},
                &(struct sst_model_values){&estimate, {&bound[0], &bound[1]}, NULL});
            if (isnan(others->exact[0][row]))
                continue;
            ++n;
            n_covered += fabs(estimate - (double)others->exact[0][row]) <= (double)bound[level];
        }
        sum += n ? (double)n_covered / (double)n : 0;
    }
    return sum / (double)others->n_cells;
}

/* Half of the cells have a tenth of the days and three times the errors. Pooled by days, they would hardly count. */
START_TEST(cells_of_few_days_are_covered_like_others)
{
    enum { N_CELLS = 300, N_DAYS = 40, FIRST_OTHER = 100000 };
    static const struct test_error_law law = {.noise = 0.05, .memory = 0.4, .cell_spread = 0.2, .has_gaps = true};
    struct sst_sample *sample = test_error_sample(&law, SEED, 0, N_CELLS, N_DAYS);
    struct sst_sample *others = test_error_sample(&law, SEED, FIRST_OTHER, N_CELLS, N_DAYS);
    struct sst_error_model *model = fit(sample, false);
    ck_assert_double_eq_tol(coverage_by_cell(model, others, 0), 0.95, 0.02);
    sst_error_model_destroy(&model);
    test_error_sample_free(&others);
    test_error_sample_free(&sample);
}
END_TEST

/* --- order and repetition ----------------------------------------------------------------------------------------- */

/* The same cells with the last one first. */
static struct sst_sample *reversed(const struct sst_sample *sample, const struct test_error_law *law)
{
    struct sst_sample *other = test_error_sample(law, SEED, 0, sample->n_cells, sample->n_places);
    for (size_t row = 0; row < sample->n_cells * sample->n_places; ++row) {
        const size_t from = row / sample->n_cells * sample->n_cells + sample->n_cells - 1 - row % sample->n_cells;
        other->approx[0][row] = sample->approx[0][from];
        other->exact[0][row] = sample->exact[0][from];
        other->shape.sd[row] = sample->shape.sd[from];
        other->shape.skew[row] = sample->shape.skew[from];
        other->shape.kurt[row] = sample->shape.kurt[from];
        other->n_obs[row] = sample->n_obs[from];
    }
    for (size_t cell = 0; cell < sample->n_cells; ++cell)
        other->cells[cell] = sample->cells[sample->n_cells - 1 - cell];
    return other;
}

static void check_same_findings(const struct sst_error_model *a, const struct sst_error_model *b)
{
    const struct sst_error_findings *x = sst_error_model_findings(a), *y = sst_error_model_findings(b);
    for (int level = 0; level < N_LEVELS; ++level) {
        ck_assert_mem_eq(&x->levels[level].mean_bound, &y->levels[level].mean_bound, sizeof(double));
        ck_assert_mem_eq(&x->levels[level].median_bound, &y->levels[level].median_bound, sizeof(double));
        ck_assert_uint_eq(x->levels[level].n_rows, y->levels[level].n_rows);
        for (size_t i = 0; i < x->levels[level].n_rows; ++i)
            ck_assert_mem_eq(&x->levels[level].rows[i], &y->levels[level].rows[i], sizeof *x->levels[level].rows);
    }
    ck_assert_mem_eq(&x->likely, &y->likely, sizeof x->likely);
}

START_TEST(the_order_of_cells_changes_nothing_and_the_seed_does)
{
    struct sst_sample *sample = test_error_sample(&systematic_law, SEED, 0, 300, N_PLACES);
    struct sst_sample *other = reversed(sample, &systematic_law);
    struct sst_error_model *first = fit(sample, true), *again = fit(sample, true), *turned = fit(other, true);
    check_same_findings(first, again);
    check_same_findings(first, turned);
    for (size_t cell = 0; cell < sample->n_cells; ++cell)
        ck_assert(sst_error_model_held_out(first)[cell] ==
                  sst_error_model_held_out(turned)[sample->n_cells - 1 - cell]);
    struct sst_error_model_options options = make_options(true);
    struct sst_error_model *reseeded = NULL;
    options.seed = SEED + 1;
    ck_assert_int_eq(sst_error_model_fit(sample, &options, &reseeded, NULL), SST_OK);
    ck_assert_double_ne(sst_error_model_findings(reseeded)->levels[0].mean_bound,
                        sst_error_model_findings(first)->levels[0].mean_bound);
    sst_error_model_destroy(&first);
    sst_error_model_destroy(&again);
    sst_error_model_destroy(&turned);
    sst_error_model_destroy(&reseeded);
    test_error_sample_free(&other);
    test_error_sample_free(&sample);
}
END_TEST

/* --- nothing to learn, and nonsense ------------------------------------------------------------------------------- */

START_TEST(errors_that_are_all_zero_give_bounds_of_zero)
{
    struct sst_sample *sample = test_error_sample(&exact_law, SEED, 0, 300, 4);
    struct sst_error_model *model = fit(sample, true);
    const struct sst_error_findings *findings = sst_error_model_findings(model);
    ck_assert(findings->levels[1].is_available);
    ck_assert_double_eq(findings->levels[1].mean_bound, 0);
    ck_assert_double_eq(findings->levels[1].rows[0].share.value, 1);
    ck_assert_double_eq(findings->rmse_after, 0);
    ck_assert(!findings->likely.is_available);
    ck_assert_double_eq(findings->likely.base_rate, 0);
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

static void check_nothing(const struct sst_sample *sample, size_t n_cells)
{
    struct sst_error_model *model = fit(sample, true);
    const struct sst_error_findings *findings = sst_error_model_findings(model);
    ck_assert_uint_eq(findings->n_cells, n_cells);
    ck_assert(!findings->levels[0].is_available && !findings->is_corrected && !findings->likely.is_available);
    ck_assert_int_eq(isnan(findings->rmse_before), n_cells == 0);
    float skew = 0.1F, kurt = 0, sd = 1;
    const uint16_t n_obs = 330;
    double estimate = 20;
    float bound[N_LEVELS] = {0, 0};
    uint8_t is_likely = 1;
    sst_error_model_apply(model, &(struct sst_model_cells){1, {&sd, &skew, &kurt}, &n_obs},
                          &(struct sst_model_values){&estimate, {&bound[0], &bound[1]}, &is_likely});
    ck_assert(isnan(bound[0]) && isnan(bound[1]) && is_likely == 0 && estimate == 20.0);
    sst_error_model_destroy(&model);
}

START_TEST(samples_without_material_give_no_bound)
{
    struct sst_sample *empty = test_error_sample(&usual_law, SEED, 0, 0, 3);
    struct sst_sample *one_cell = test_error_sample(&usual_law, SEED, 0, 1, 3);
    struct sst_sample *missing = test_error_sample(&usual_law, SEED, 0, 100, 3);
    for (size_t row = 0; row < 300; ++row)
        missing->exact[0][row] = NAN;
    check_nothing(empty, 0);
    check_nothing(one_cell, 1);
    check_nothing(missing, 0);
    test_error_sample_free(&empty);
    test_error_sample_free(&one_cell);
    test_error_sample_free(&missing);
}
END_TEST

static const float strange[] = {0.0F, -0.0F, 1e-30F, 1e30F, -1e30F, INFINITY, -INFINITY, NAN, -2.0F, 1e5F};
enum { N_STRANGE = sizeof strange / sizeof strange[0] };

/* Every bound of a cell-day that has an estimate is a number, and not absurd, whatever its shape. */
START_TEST(strange_shapes_neither_spoil_a_fit_nor_get_absurd_bounds)
{
    enum { N_CELLS = 300 };
    const double sane = 5; /* [degC] for pools whose sd is 1; usual ones get a bound of 0.5 */
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, N_CELLS, 8);
    struct test_random random = {SEED};
    for (int i = 0; i < N_STRANGE; ++i) { /* too few to matter to a 99 % bound */
        const size_t row = (size_t)test_random_below(&random, N_CELLS * 8);
        sample->shape.sd[row] = strange[test_random_below(&random, N_STRANGE)];
        sample->shape.skew[row] = strange[test_random_below(&random, N_STRANGE)];
        sample->shape.kurt[row] = strange[test_random_below(&random, N_STRANGE)];
        sample->n_obs[row] = 0;
    }
    struct sst_error_model *model = fit(sample, true);
    ck_assert(isfinite(sst_error_model_findings(model)->levels[1].mean_bound));
    ck_assert(isfinite(sst_error_model_findings(model)->rmse_after));
    for (int i = 0; i < N_STRANGE; ++i) {
        for (int j = 0; j < N_STRANGE; ++j) {
            float sd = 1, skew = strange[i], kurt = strange[j], bound[N_LEVELS];
            const uint16_t n_obs = (uint16_t)i;
            double estimate = 20;
            uint8_t is_likely = 9;
            sst_error_model_apply(model, &(struct sst_model_cells){1, {&sd, &skew, &kurt}, &n_obs},
                                  &(struct sst_model_values){&estimate, {&bound[0], &bound[1]}, &is_likely});
            ck_assert_double_eq_tol(estimate, 20, 1);
            ck_assert(bound[0] > 0 && bound[0] <= bound[1]);
            ck_assert_double_lt((double)bound[1], sane);
            ck_assert_uint_le(is_likely, 1);
            sd = strange[i];
            estimate = (double)strange[j];
            sst_error_model_apply(model, &(struct sst_model_cells){1, {&sd, &skew, &kurt}, &n_obs},
                                  &(struct sst_model_values){&estimate, {&bound[0], &bound[1]}, NULL});
            ck_assert_int_eq(isfinite(bound[1]) != 0, isfinite(strange[j]) != 0);
        }
    }
    sst_error_model_destroy(&model);
    test_error_sample_free(&sample);
}
END_TEST

START_TEST(one_day_and_pools_without_variance_are_fitted)
{
    struct sst_sample *one_day = test_error_sample(&usual_law, SEED, 0, 300, 1);
    struct sst_error_model *model = fit(one_day, true);
    ck_assert(isfinite(sst_error_model_findings(model)->levels[1].mean_bound));
    sst_error_model_destroy(&model);
    for (size_t row = 0; row < 300; ++row) {
        one_day->shape.sd[row] = one_day->shape.skew[row] = one_day->shape.kurt[row] = 0;
        one_day->approx[0][row] = one_day->exact[0][row];
    }
    model = fit(one_day, true);
    ck_assert_double_eq(sst_error_model_findings(model)->levels[1].mean_bound, 0);
    ck_assert_double_eq(sst_error_model_findings(model)->levels[1].rows[0].share.value, 1);
    sst_error_model_destroy(&model);
    test_error_sample_free(&one_day);
}
END_TEST

START_TEST(without_shapes_bounds_are_one_number_and_nothing_is_corrected)
{
    struct sst_sample *sample = test_error_sample(&usual_law, SEED, 0, 90, N_PLACES);
    const struct sst_shape kept = sample->shape;
    sample->shape = (struct sst_shape){NULL, NULL, NULL};
    struct sst_error_model *model = fit(sample, true);
    const uint16_t n_obs[2] = {330, 330};
    double estimate[2] = {20, 5};
    float bound[N_LEVELS][2];
    ck_assert(!sst_error_model_findings(model)->is_corrected);
    sst_error_model_apply(model, &(struct sst_model_cells){2, sample->shape, n_obs},
                          &(struct sst_model_values){estimate, {bound[0], bound[1]}, NULL});
    ck_assert(bound[0][0] > 0.05F && bound[0][0] == bound[0][1]);
    ck_assert_double_eq(estimate[0], 20);
    sst_error_model_destroy(&model);
    sample->shape = kept;
    test_error_sample_free(&sample);
}
END_TEST

/* 600 cells of 366 days: every third of 219,600 is read. */
START_TEST(days_that_are_not_read_take_no_memory_and_what_is_taken_is_planned)
{
    enum { N_CELLS = 600, N_DAYS = 366, MOST = 80000 };
    struct sst_sample *sample = test_error_sample(&usual_law, 1, 0, N_CELLS, N_DAYS);
    const struct sst_error_model_options options = make_options(false);
    struct sst_predictor_rule rule = {.tail = 1, .z = options.z};
    struct sst_error_rows rows = {0};
    size_t taken = 0;
    counted_memory_begin();
    ck_assert_int_eq(sst_error_rows_init(sample, &options, &rule, &rows, NULL), SST_OK);
    (void)counted_memory_end(&taken);
    ck_assert_uint_eq(rows.n_cells, N_CELLS);
    ck_assert_uint_gt(rows.n_rows, MOST / 2);
    ck_assert_uint_gt(taken, rows.n_rows * sizeof *rows.at);
    ck_assert_uint_le(rows.n_rows, sst_error_rows_most(N_CELLS, N_DAYS));
    const uint64_t planned = sst_error_model_bytes(N_CELLS, N_DAYS, 1, false);
    ck_assert_uint_le(taken, sst_error_rows_bytes(N_CELLS, N_DAYS));
    ck_assert_uint_lt(sst_error_rows_bytes(N_CELLS, N_DAYS), planned);
    ck_assert_uint_lt(planned, 16000000); /* each of 80,600 rows and 600 cells with all that fitting looks at */
    ck_assert_uint_eq(sst_error_model_bytes(N_CELLS, N_DAYS, 1, true) - planned, N_CELLS * N_DAYS * sizeof(float));
    ck_assert_uint_eq(sst_error_model_bytes(N_CELLS, N_DAYS, 0, true), 0);
    ck_assert_uint_eq(sst_error_model_bytes(1000000, N_DAYS, 1, false),
                      sst_error_model_bytes(SST_SAMPLE_MAX_CELLS, N_DAYS, 1, false));
    sst_error_rows_clear(&rows);
    test_error_sample_free(&sample);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("error model");
    TCase *tcase = tcase_create("all");
    tcase_add_test(tcase, one_more_cell_of_infinite_score_counts);
    tcase_add_test(tcase, cells_weigh_the_same_however_many_days_they_have);
    tcase_add_test(tcase, a_weighted_quantile_is_the_one_of_the_sorted_values);
    tcase_add_test(tcase, ridge_finds_a_line_and_survives_terms_that_do_not_vary);
    tcase_add_test(tcase, quick_logarithms_and_exponentials_are_right_to_eleven_digits);
    tcase_add_test(tcase, sums_of_many_pools_are_those_of_each_ones_predictors);
    tcase_add_loop_test(tcase, a_level_needs_three_folds_that_reach_it, 0,
                        sizeof cells_and_levels / sizeof cells_and_levels[0]);
    tcase_add_test(tcase, unusual_levels_need_what_they_need);
    tcase_add_test(tcase, the_table_splits_all_by_ice_season_and_region);
    tcase_add_test(tcase, what_is_left_out_is_not_counted_as_covered);
    tcase_add_test(tcase, held_out_estimates_are_corrected_and_missing_ones_stay_missing);
    tcase_add_test(tcase, likely_flags_are_right_more_often_than_chance);
    tcase_add_test(tcase, cells_of_few_days_are_covered_like_others);
    tcase_add_test(tcase, the_order_of_cells_changes_nothing_and_the_seed_does);
    tcase_add_test(tcase, errors_that_are_all_zero_give_bounds_of_zero);
    tcase_add_test(tcase, samples_without_material_give_no_bound);
    tcase_add_test(tcase, strange_shapes_neither_spoil_a_fit_nor_get_absurd_bounds);
    tcase_add_test(tcase, one_day_and_pools_without_variance_are_fitted);
    tcase_add_test(tcase, without_shapes_bounds_are_one_number_and_nothing_is_corrected);
    tcase_add_test(tcase, days_that_are_not_read_take_no_memory_and_what_is_taken_is_planned);
    suite_add_tcase(suite, tcase);
    return suite;
}
