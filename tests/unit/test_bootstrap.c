/* Standard errors by resampled years agree with a plain computation of the same draws, and with theory. */
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "exact/quantile.h"
#include "probe_fixture.h"
#include "random.h"
#include "test_main.h"
#include "validate/bootstrap.h"

/* Sums of the same few hundred numbers in another order. */
#define TOLERANCE 1e-11

enum { N_RESAMPLES = 200, MOST_YEARS = 200, MOST_WINDOW = 64, MOST_VALUES = 4096 };

static const struct sst_sampling_options p90 = {.percentile = 90.0, .quantile_type = 7, .smooth_days = 1, .seed = 11};

static double normal(struct test_random *random)
{
    const double u = ((double)(test_random_next(random) >> 11) + 0.5) / 9007199254740992.0;
    const double v = (double)(test_random_next(random) >> 11) / 9007199254740992.0;
    return sqrt(-2.0 * log(u)) * cos(2.0 * 3.14159265358979323846 * v);
}

/* A year effect and day-to-day noise, both of sd in degC; the noise is an AR(1) with the given memory. */
static void play_weather(const struct probe_fixture *f, size_t cell, struct test_random *random,
                         const double sd_year_day_memory[3])
{
    const struct sst_series *series = f->series;
    double noise = 0.0, year_effect = 0.0;
    const double memory = sd_year_day_memory[2];
    for (struct sst_day day = {series->first_year, 1}; day.year <= series->last_year;
         day = sst_calendar_next_day(series->pools.kind, day)) {
        if (day.slot == 1)
            year_effect = sd_year_day_memory[0] * normal(random);
        noise = memory * noise + sqrt(1.0 - memory * memory) * sd_year_day_memory[1] * normal(random);
        const double season = 3.0 * cos(2.0 * 3.14159265358979323846 * day.slot / 366.0);
        *probe_fixture_code(f, cell, day) = (int16_t)lround(100.0 * (15.0 + season + year_effect + noise));
    }
}

static struct sst_sampling_error estimate(const struct probe_fixture *f, const struct sst_sampling_options *options,
                                          const float *approx)
{
    struct sst_sampling_error result;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_sampling_error_estimate(f->series, f->sample, options, approx, &result, &err), SST_OK);
    ck_assert_uint_eq(result.n_resamples, N_RESAMPLES);
    return result;
}

static struct sst_sampling_error estimate_alone(const struct probe_fixture *f,
                                                const struct sst_sampling_options *options)
{
    return estimate(f, options, f->sample->exact[0]);
}

/* A fixture of outputs first_slot .. first_slot + n_slots - 1 whose exact values stand at 20 degC. */
static void make(struct probe_fixture *f, struct sst_pool_rule pools, size_t n_cells, int first_slot, int n_slots)
{
    probe_fixture_make(f,
                       &(struct probe_fixture_spec){
                           .n_lat = 1, .n_lon = n_cells, .pools = pools, .first_slot = first_slot, .n_slots = n_slots});
    for (size_t cell = 0; cell < n_cells; ++cell)
        probe_fixture_thresholds(f, cell, 20.0F, f->sample->exact[0]);
}

/* --- a plain computation: every resample is written out and sorted --- */

static int by_value(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* The next day of a window to one side: through the calendar (hobday) or round the ring (own, skip). */
static struct sst_day step(const struct sst_pool_rule *rule, struct sst_day day, int side)
{
    if (rule->leap == SST_LEAP_HOBDAY)
        return side < 0 ? sst_calendar_previous_day(rule->kind, day) : sst_calendar_next_day(rule->kind, day);
    day.slot += side;
    if (rule->leap == SST_LEAP_SKIP && day.slot == SST_SLOT_FEB29)
        day.slot += side;
    if (day.slot < 1)
        return (struct sst_day){day.year - 1, SST_N_SLOTS};
    return day.slot > SST_N_SLOTS ? (struct sst_day){day.year + 1, 1} : day;
}

/* Only hobday's pools take days of the years beside the baseline; else its other end stands for them. */
static struct sst_day taken_for(const struct sst_pool_rule *rule, struct sst_day day)
{
    if (rule->leap != SST_LEAP_HOBDAY && day.year < rule->first_year)
        day.year = rule->last_year;
    if (rule->leap != SST_LEAP_HOBDAY && day.year > rule->last_year)
        day.year = rule->first_year;
    return day;
}

/* The window of H days either side of a centre of one year. */
static size_t window_values(const struct probe_fixture *f, size_t cell, struct sst_day centre, double *values)
{
    const struct sst_pool_rule *rule = &f->series->pools;
    const int half = rule->half_window_days;
    size_t n = 0;
    if (rule->leap == SST_LEAP_HOBDAY && !sst_calendar_has_day(rule->kind, centre))
        return 0;
    struct sst_day day = centre;
    for (int i = 0; i < half; ++i)
        day = step(rule, day, -1);
    for (int i = -half; i <= half; ++i, day = step(rule, day, 1)) {
        const struct sst_day taken = taken_for(rule, day);
        const bool exists = sst_calendar_has_day(rule->kind, taken);
        const int code = exists ? *probe_fixture_code(f, cell, taken) : SST_CODE_MISSING;
        if (code != SST_CODE_MISSING)
            values[n++] = code / 100.0;
    }
    return n;
}

struct draws {
    int years[N_RESAMPLES][MOST_YEARS];
};

/* The draws that the header promises: mt19937, seeded, one whole year after the other. */
static void draw(struct draws *draws, uint64_t seed, int n_years)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    gsl_rng_set(rng, (unsigned long)seed);
    for (int r = 0; r < N_RESAMPLES; ++r)
        for (int i = 0; i < n_years; ++i)
            draws->years[r][i] = (int)gsl_rng_uniform_int(rng, (unsigned long)n_years);
    gsl_rng_free(rng);
}

/* Adds to each resample's statistic the percentile of one slot, of all values of the years drawn. */
static void add_plain_percentiles(const struct probe_fixture *f, const struct sst_sampling_options *options, int slot,
                                  const struct draws *draws, double *statistics)
{
    static double windows[MOST_YEARS][MOST_WINDOW], values[MOST_VALUES];
    size_t sizes[MOST_YEARS];
    const struct sst_pool_rule *rule = &f->series->pools;
    const int n_years = rule->last_year - rule->first_year + 1;
    for (int year = 0; year < n_years; ++year)
        sizes[year] = window_values(f, 0, (struct sst_day){rule->first_year + year, slot}, windows[year]);
    for (int r = 0; r < N_RESAMPLES; ++r) {
        size_t n = 0;
        for (int i = 0; i < n_years; ++i) {
            const int year = draws->years[r][i];
            memcpy(values + n, windows[year], sizes[year] * sizeof *values);
            n += sizes[year];
        }
        qsort(values, n, sizeof *values, by_value);
        statistics[r] += sst_quantile_sorted(values, n, options->percentile / 100.0, options->quantile_type);
    }
}

static void add_plain_slot(const struct probe_fixture *f, const struct sst_sampling_options *options, int slot,
                           const struct draws *draws, double *statistics)
{
    double halves[N_RESAMPLES] = {0.0};
    if (!sst_pool_is_derived(&f->series->pools, slot)) {
        add_plain_percentiles(f, options, slot, draws, statistics);
        return;
    }
    add_plain_percentiles(f, options, slot - 1, draws, halves);
    add_plain_percentiles(f, options, slot + 1, draws, halves);
    for (int r = 0; r < N_RESAMPLES; ++r)
        statistics[r] += halves[r] / 2.0;
}

/* Of the mean over all days of the smoother; resamples without any value are left out. */
static double plain_standard_error(const struct probe_fixture *f, const struct sst_sampling_options *options, int slot)
{
    static struct draws draws;
    double values[N_RESAMPLES] = {0.0}, mean = 0.0, squares = 0.0;
    draw(&draws, options->seed, f->series->pools.last_year - f->series->pools.first_year + 1);
    const int reach = options->smooth_days / 2;
    for (int offset = -reach; offset <= reach; ++offset)
        add_plain_slot(f, options, (slot + offset + SST_N_SLOTS - 1) % SST_N_SLOTS + 1, &draws, values);
    int n = 0;
    for (int r = 0; r < N_RESAMPLES; ++r)
        if (!isnan(values[r]))
            values[n++] = values[r] / options->smooth_days;
    for (int r = 0; r < n; ++r)
        mean += values[r] / n;
    for (int r = 0; r < n; ++r)
        squares += (values[r] - mean) * (values[r] - mean);
    return sqrt(squares / (n - 1));
}

struct plain_case {
    enum sst_leap_rule leap;
    int slot, half_window;
    double percentile;
    int quantile_type, smooth_days;
};

static const struct plain_case plain_cases[] = {
    {SST_LEAP_HOBDAY, 200, 5, 90.0, 7, 1},  {SST_LEAP_HOBDAY, 3, 5, 90.0, 7, 1},
    {SST_LEAP_HOBDAY, 364, 5, 90.0, 7, 1},  {SST_LEAP_HOBDAY, 366, 5, 10.0, 7, 1},
    {SST_LEAP_HOBDAY, 1, 5, 10.0, 7, 1},    {SST_LEAP_HOBDAY, 58, 5, 90.0, 7, 1},
    {SST_LEAP_HOBDAY, 63, 5, 90.0, 7, 1},   {SST_LEAP_HOBDAY, 60, 5, 90.0, 7, 1},
    {SST_LEAP_SKIP, 2, 5, 90.0, 7, 1},      {SST_LEAP_SKIP, 365, 5, 90.0, 7, 1},
    {SST_LEAP_SKIP, 60, 5, 90.0, 7, 1},     {SST_LEAP_SKIP, 62, 5, 90.0, 7, 1},
    {SST_LEAP_OWN, 1, 5, 90.0, 7, 1},       {SST_LEAP_OWN, 60, 5, 90.0, 7, 1},
    {SST_LEAP_OWN, 60, 0, 90.0, 7, 1},      {SST_LEAP_HOBDAY, 200, 0, 90.0, 7, 1},
    {SST_LEAP_HOBDAY, 200, 15, 99.0, 7, 1}, {SST_LEAP_HOBDAY, 200, 5, 50.0, 7, 1},
    {SST_LEAP_HOBDAY, 200, 5, 90.0, 1, 1},  {SST_LEAP_HOBDAY, 200, 5, 90.0, 2, 1},
    {SST_LEAP_HOBDAY, 200, 5, 90.0, 3, 1},  {SST_LEAP_HOBDAY, 200, 5, 90.0, 5, 1},
    {SST_LEAP_HOBDAY, 200, 5, 10.0, 8, 1},  {SST_LEAP_HOBDAY, 200, 5, 100.0, 7, 1},
    {SST_LEAP_HOBDAY, 200, 5, 0.0, 7, 1},   {SST_LEAP_HOBDAY, 200, 5, 90.0, 7, 5},
    {SST_LEAP_HOBDAY, 61, 5, 90.0, 7, 3},   {SST_LEAP_HOBDAY, 1, 5, 90.0, 7, 5},
    {SST_LEAP_SKIP, 366, 5, 10.0, 7, 3},
};

START_TEST(the_standard_error_is_that_of_resamples_written_out)
{
    const struct plain_case c = plain_cases[_i];
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, c.leap, 1995, 2006, c.half_window};
    const struct sst_sampling_options options = {
        .percentile = c.percentile, .quantile_type = c.quantile_type, .smooth_days = c.smooth_days, .seed = 77};
    struct probe_fixture f;
    struct test_random random = {100 + (uint64_t)_i};
    make(&f, pools, 1, c.slot, 1);
    play_weather(&f, 0, &random, (const double[]){0.6, 0.5, 0.8});
    /* One day in eight is missing, so the years differ in how many values they bring. */
    for (size_t i = 0; i < (size_t)14 * SST_N_SLOTS; ++i)
        if (test_random_below(&random, 8) == 0)
            f.series->codes[i] = SST_CODE_MISSING;
    const struct sst_sampling_error got = estimate_alone(&f, &options);
    const double expected = plain_standard_error(&f, &options, c.slot);
    ck_assert_uint_eq(got.n_cell_days, 1);
    ck_assert_uint_eq(got.n_cells, 1);
    ck_assert_double_gt(expected, 0.01);
    ck_assert_double_eq_tol(got.se_median, expected, TOLERANCE);
    ck_assert_double_eq(got.se_p05, got.se_median);
    ck_assert_double_eq(got.se_p95, got.se_median);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(some_days_stand_for_all_that_the_smoother_averages)
{
    static const int smooth_days[] = {11, 15, 31, 61};
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1990, 2009, 5};
    struct sst_sampling_options options = p90;
    options.smooth_days = smooth_days[_i];
    double thinned = 0.0, all = 0.0;
    for (int repeat = 0; repeat < 6; ++repeat) {
        struct probe_fixture f;
        struct test_random random = {300 + (uint64_t)repeat};
        make(&f, pools, 1, 40 + 50 * repeat, 1);
        play_weather(&f, 0, &random, (const double[]){0.3, 0.8, 0.95});
        const double se = estimate_alone(&f, &options).se_median;
        const double plain = plain_standard_error(&f, &options, 40 + 50 * repeat);
        ck_assert_double_eq_tol(se / plain, 1.0, 0.02);
        thinned += se;
        all += plain;
        probe_fixture_clear(&f);
    }
    ck_assert_double_eq_tol(thinned / all, 1.0, 0.01);
}
END_TEST

START_TEST(the_median_of_independent_normal_years_has_its_known_error)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_NOLEAP, SST_LEAP_OWN, 1801, 2000, 0};
    struct sst_sampling_options options = p90;
    struct probe_fixture f;
    struct test_random random = {5};
    make(&f, pools, 256, 200, 1);
    for (size_t cell = 0; cell < 256; ++cell)
        for (int year = 1801; year <= 2000; ++year)
            *probe_fixture_code(&f, cell, (struct sst_day){year, 200}) = (int16_t)lround(300.0 * normal(&random));
    /* sqrt(p (1 - p) / n) / density: 3 degC, 200 years. */
    options.percentile = 50.0;
    const struct sst_sampling_error median = estimate_alone(&f, &options);
    ck_assert_uint_eq(median.n_cells, 256);
    ck_assert_uint_eq(median.n_cell_days, 256);
    const double expected_median = 3.0 * sqrt(0.25 / 200.0) / 0.3989423;
    ck_assert_double_eq_tol(median.se_median / expected_median, 1.0, 0.1);
    options.percentile = 90.0;
    const double expected_p90 = 3.0 * sqrt(0.09 / 200.0) / 0.1754983;
    ck_assert_double_eq_tol(estimate_alone(&f, &options).se_median / expected_p90, 1.0, 0.1);
    ck_assert_double_lt(median.se_p05, median.se_median);
    ck_assert_double_lt(median.se_median, median.se_p95);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(years_that_differ_make_the_percentile_less_certain_than_days_do)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_NOLEAP, SST_LEAP_OWN, 1981, 2010, 5};
    double ratio[2] = {0.0, 0.0};
    for (int shuffled = 0; shuffled < 2; ++shuffled) {
        struct probe_fixture f;
        struct test_random random = {8};
        make(&f, pools, 64, 200, 1);
        for (size_t cell = 0; cell < 64; ++cell) {
            int16_t codes[330];
            for (int year = 0; year < 30; ++year) {
                const double effect = 0.7 * normal(&random);
                for (int i = 0; i < 11; ++i)
                    codes[year * 11 + i] = (int16_t)lround(100.0 * (effect + 0.7 * normal(&random)));
            }
            /* The same pool either way; shuffled, a value's year says nothing. */
            for (int i = 329; shuffled && i > 0; --i) {
                const int j = test_random_below(&random, i + 1);
                const int16_t swapped = codes[i];
                codes[i] = codes[j];
                codes[j] = swapped;
            }
            for (int i = 0; i < 330; ++i)
                *probe_fixture_code(&f, cell, (struct sst_day){1981 + i / 11, 195 + i % 11}) = codes[i];
        }
        ratio[shuffled] = estimate_alone(&f, &p90).se_median;
        probe_fixture_clear(&f);
    }
    ck_assert_double_gt(ratio[0], 1.6 * ratio[1]);
    ck_assert_double_lt(ratio[0], 4.0 * ratio[1]);
}
END_TEST

START_TEST(one_seed_gives_one_answer_and_another_a_near_one)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 2010, 5};
    struct sst_sampling_options options = p90;
    struct probe_fixture f;
    struct test_random random = {9};
    make(&f, pools, 3, 1, 366);
    for (size_t cell = 0; cell < 3; ++cell)
        play_weather(&f, cell, &random, (const double[]){0.5, 0.5, 0.9});
    const struct sst_sampling_error first = estimate_alone(&f, &options), second = estimate_alone(&f, &options);
    ck_assert_mem_eq(&first, &second, sizeof first);
    ck_assert_uint_eq(first.n_cells, 3);
    ck_assert_uint_eq(first.n_cell_days, 255);
    ck_assert_double_lt(first.se_p05, first.se_median);
    options.seed = 12;
    const struct sst_sampling_error other = estimate_alone(&f, &options);
    ck_assert_double_ne(first.se_median, other.se_median);
    ck_assert_double_eq_tol(first.se_median / other.se_median, 1.0, 0.05);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(errors_of_the_approximation_are_held_against_the_standard_error)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 2010, 5};
    struct probe_fixture f;
    struct test_random random = {10};
    make(&f, pools, 4, 100, 10);
    for (size_t cell = 0; cell < 4; ++cell)
        play_weather(&f, cell, &random, (const double[]){0.5, 0.5, 0.9});
    /* Two cells off by far less than any standard error, one by far more, one without an approximation. */
    float approx[40];
    static const float off[] = {0.01F, -0.01F, 3.0F, NAN};
    for (size_t i = 0; i < 40; ++i)
        approx[i] = f.sample->exact[0][i] + off[i % 4];
    const struct sst_sampling_error got = estimate(&f, &p90, approx);
    ck_assert_uint_eq(got.n_cells, 3);
    ck_assert_uint_eq(got.n_cell_days, 30);
    ck_assert_double_eq_tol(got.share_within_one_se, 2.0 / 3.0, 1e-12);
    ck_assert_double_eq_tol(got.approx_rmse, sqrt((0.0001 + 0.0001 + 9.0) / 3.0), 1e-5);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(cell_days_are_spread_over_cells_and_the_year)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 1995, 0};
    struct probe_fixture f;
    make(&f, pools, 1000, 1, 12);
    /* The error of each cell-day tells which it is; only cells of the second half of the grid have values. */
    static float approx[12000];
    for (size_t cell = 0; cell < 1000; ++cell) {
        probe_fixture_fill(&f, cell, 1500);
        for (int year = 1991; year <= 1995; ++year)
            for (int slot = 1; slot <= 12; ++slot)
                *probe_fixture_code(&f, cell, (struct sst_day){year, slot}) = (int16_t)(1500 + 10 * year % 37);
        for (size_t place = 0; place < 12; ++place) {
            f.sample->exact[0][place * 1000 + cell] = cell < 500 ? NAN : 0.0F;
            approx[place * 1000 + cell] = (float)(cell < 750 ? 1.0 : 0.0) * (place < 6 ? 1.0F : 2.0F);
        }
    }
    const struct sst_sampling_error got = estimate(&f, &p90, approx);
    ck_assert_uint_eq(got.n_cell_days, 256);
    ck_assert_uint_eq(got.n_cells, 256);
    /* Half of them by cell, and of those half by day: mean square (1 + 4) / 2 / 2. */
    ck_assert_double_eq_tol(got.approx_rmse * got.approx_rmse, 1.25, 0.05);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(fewer_than_five_years_say_nothing)
{
    for (int n_years = 4; n_years <= 5; ++n_years) {
        const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2001, 2000 + n_years, 5};
        struct probe_fixture f;
        struct test_random random = {13};
        make(&f, pools, 2, 100, 3);
        for (size_t cell = 0; cell < 2; ++cell)
            play_weather(&f, cell, &random, (const double[]){0.5, 0.5, 0.9});
        const struct sst_sampling_error got = estimate_alone(&f, &p90);
        ck_assert_int_eq(isnan(got.se_median), n_years < 5);
        ck_assert_int_eq(isnan(got.se_p05), n_years < 5);
        ck_assert_int_eq(isnan(got.se_p95), n_years < 5);
        ck_assert_int_eq(isnan(got.approx_rmse), n_years < 5);
        ck_assert_int_eq(isnan(got.share_within_one_se), n_years < 5);
        ck_assert_uint_eq(got.n_cell_days, n_years < 5 ? 0 : 6);
        probe_fixture_clear(&f);
    }
}
END_TEST

START_TEST(land_alone_gives_no_number_and_a_constant_sea_no_error)
{
    const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2001, 2010, 5};
    struct probe_fixture f;
    make(&f, pools, 1, 100, 3);
    const struct sst_sampling_error no_values = estimate_alone(&f, &p90);
    ck_assert_uint_eq(no_values.n_cell_days, 0);
    ck_assert_double_nan(no_values.se_median);
    probe_fixture_fill(&f, 0, -180);
    ck_assert_double_eq(estimate_alone(&f, &p90).se_median, 0.0);
    probe_fixture_thresholds(&f, 0, NAN, f.sample->exact[0]);
    ck_assert_uint_eq(estimate_alone(&f, &p90).n_cells, 0);
    ck_assert_double_nan(estimate_alone(&f, &p90).share_within_one_se);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(a_smoothed_value_with_less_than_half_its_days_has_no_error)
{
    static const int n_days_known[] = {7, 21};
    const struct sst_pool_rule pools = {SST_CALENDAR_NOLEAP, SST_LEAP_OWN, 2001, 2010, 0};
    struct sst_sampling_options options = p90;
    options.smooth_days = 31;
    for (int i = 0; i < 2; ++i) {
        struct probe_fixture f;
        make(&f, pools, 1, 200, 1);
        for (int year = 2001; year <= 2010; ++year)
            probe_fixture_run(&f, 0, (struct sst_day){year, 200 - n_days_known[i] / 2}, n_days_known[i], year);
        ck_assert_uint_eq(estimate_alone(&f, &options).n_cell_days, (size_t)i);
        probe_fixture_clear(&f);
    }
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("bootstrap");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_loop_test(tc, the_standard_error_is_that_of_resamples_written_out, 0,
                        (int)(sizeof plain_cases / sizeof *plain_cases));
    tcase_add_loop_test(tc, some_days_stand_for_all_that_the_smoother_averages, 0, 4);
    tcase_add_test(tc, the_median_of_independent_normal_years_has_its_known_error);
    tcase_add_test(tc, years_that_differ_make_the_percentile_less_certain_than_days_do);
    tcase_add_test(tc, one_seed_gives_one_answer_and_another_a_near_one);
    tcase_add_test(tc, errors_of_the_approximation_are_held_against_the_standard_error);
    tcase_add_test(tc, cell_days_are_spread_over_cells_and_the_year);
    tcase_add_test(tc, fewer_than_five_years_say_nothing);
    tcase_add_test(tc, a_smoothed_value_with_less_than_half_its_days_has_no_error);
    tcase_add_test(tc, land_alone_gives_no_number_and_a_constant_sea_no_error);
    suite_add_tcase(suite, tc);
    return suite;
}
