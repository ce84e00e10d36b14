/*
 * Year-block bootstrap of exact percentiles.
 *
 * Each pool is sorted once, every value with the baseline year whose window it belongs to; a resample is then a number of
 * draws for each year, and its percentile is found by walking inwards from the nearer end of the pool. Nothing is copied
 * or sorted again, so 200 resamples cost about as much as sorting.
 */
#include "validate/bootstrap.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "core/mem.h"
#include "kernels/cell_quantile.h"
#include "validate/spread.h"

enum {
    MIN_YEARS = 5, /* below it hardly any resample differs from another */
    MAX_CELL_DAYS = 256,
    /* The standard error itself is then good to 1 / sqrt(2 * 200) = 5 % (Efron and Tibshirani, 6.4). */
    N_RESAMPLES = 200,
    /*
     * A smoothed percentile is the mean of up to 365 whose windows overlap, so from 12 days on some stand for all: about
     * every third. With 31 days that changes a standard error by 1 % (measured on made-up and on real series).
     */
    DAYS_PER_CENTRE = 3,
    MIN_CENTRES = 11,
    MAX_CENTRES = 32
};

/* Spreads the days of one cell between those of the others. */
#define GOLDEN_SHARE 0.6180339887498949

/* A value and the baseline year that it is drawn with, ordered by value. */
typedef uint32_t tagged_code;

static tagged_code tag(int code, int block) { return (tagged_code)(code - INT16_MIN) << 16 | (tagged_code)block; }
static int code_of(tagged_code value) { return (int)(value >> 16) + INT16_MIN; }
static int block_of(tagged_code value) { return (int)(value & UINT16_MAX); }

/* The pool of one centre of a statistic. */
struct pool {
    double weight;
    int n_values;
    tagged_code *values; /* ascending */
};

struct study {
    const struct sst_series *series;
    const struct sst_sampling_options *options;
    int n_years;
    int n_pools;
    struct pool pools[2 * MAX_CENTRES]; /* whose percentiles' weighted mean is the statistic at hand */
    tagged_code *values; /* of all pools */
    int *n_drawn; /* n_years: how often each year is in the resample at hand */
    gsl_rng *rng;
};

/* What was found at the cell-days looked at. */
struct findings {
    size_t n_cells, n_cell_days, n_within;
    double errors[MAX_CELL_DAYS]; /* [degC] standard errors */
    double squares; /* [degC^2] sum over cell-days of (approx - exact)^2 */
};

static enum sst_status prepare(struct study *study, struct sst_error *err)
{
    const size_t pool_size = (size_t)(2 * study->series->pools.half_window_days + 2) * (size_t)(study->n_years + 2);
    SST_TRY(sst_alloc(2 * MAX_CENTRES * pool_size, sizeof *study->values, "resampled years", &study->values, err));
    SST_TRY(sst_alloc((size_t)study->n_years, sizeof *study->n_drawn, "resampled years", &study->n_drawn, err));
    for (int i = 0; i < 2 * MAX_CENTRES; ++i)
        study->pools[i].values = study->values + (size_t)i * pool_size;
    study->rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (!study->rng)
        return sst_fail(err, SST_ERR_NOMEM, "resampled years: no memory for the random numbers");
    gsl_rng_set(study->rng, (unsigned long)study->options->seed);
    return SST_OK;
}

static void clear(struct study *study)
{
    sst_free(study->values);
    sst_free(study->n_drawn);
    if (study->rng)
        gsl_rng_free(study->rng);
}

/*
 * The baseline year, counted from 0, with which a day of the window round `centre` is drawn: that of the centre to which
 * it belongs, so a window across New Year stays whole. Where a pool does not take the neighbouring year's days (own, skip)
 * the days left over at one end of the baseline complete the window at its other end.
 */
static int block_of_day(const struct study *study, int centre, struct sst_day day)
{
    const struct sst_pool_rule *rule = &study->series->pools;
    const int half_ring = sst_calendar_n_slots(rule->kind) / 2;
    int block = day.year - rule->first_year;
    if (day.slot - centre > half_ring)
        ++block;
    else if (centre - day.slot > half_ring)
        --block;
    return (block + study->n_years) % study->n_years;
}

static int by_tagged_code(const void *a, const void *b)
{
    const tagged_code left = *(const tagged_code *)a, right = *(const tagged_code *)b;
    return (left > right) - (left < right);
}

static void add_pool(struct study *study, size_t cell, int centre, double weight)
{
    const struct sst_series *series = study->series;
    struct sst_term terms[SST_MAX_TERMS];
    const int n_terms = sst_pool_terms(&series->pools, centre, terms);
    struct pool *pool = &study->pools[study->n_pools++];
    pool->weight = weight;
    pool->n_values = 0;
    for (int i = 0; i < n_terms; ++i) {
        for (int year = series->first_year; year <= series->last_year; ++year) {
            const struct sst_day day = {year, terms[i].slot};
            if (sst_pool_class(&series->pools, day) != terms[i].year_class)
                continue;
            const int code = series->codes[sst_series_row(series, day) * series->n_cells + cell];
            if (code != SST_CODE_MISSING)
                pool->values[pool->n_values++] = tag(code, block_of_day(study, centre, day));
        }
    }
    qsort(pool->values, (size_t)pool->n_values, sizeof *pool->values, by_tagged_code);
}

/* 29 February is the mean of its neighbours where it has no pool. */
static void add_centre(struct study *study, size_t cell, int centre)
{
    if (!sst_pool_is_derived(&study->series->pools, centre)) {
        add_pool(study, cell, centre, 1.0);
        return;
    }
    add_pool(study, cell, centre - 1, 0.5);
    add_pool(study, cell, centre + 1, 0.5);
}

static int count_centres(int smooth_days)
{
    const int n = (smooth_days + DAYS_PER_CENTRE - 1) / DAYS_PER_CENTRE;
    if (smooth_days <= MIN_CENTRES)
        return smooth_days;
    return n < MIN_CENTRES ? MIN_CENTRES : n > MAX_CENTRES ? MAX_CENTRES : n;
}

/* The pools behind the value of one cell-day: of its own slot, or of some of the slots that smoothing averages. */
static void gather_pools(struct study *study, size_t cell, int slot)
{
    const int n_slots = sst_calendar_n_slots(study->series->pools.kind);
    const int n_days = study->options->smooth_days;
    const int n_centres = count_centres(n_days);
    study->n_pools = 0;
    for (int i = 0; i < n_centres; ++i) {
        /* The middle of the i-th of n equal parts of the smoothed days. */
        const double middle = (i + 0.5) * n_days / n_centres - 0.5 * n_days;
        add_centre(study, cell, (slot - 1 + (int)lround(middle) + n_slots) % n_slots + 1);
    }
}

/* The value at an index of the resample in order, counted from 0, of n in all. */
static int drawn_code(const struct study *study, const struct pool *pool, int index, int n)
{
    int i = 0, n_passed = 0;
    if (index < n / 2) {
        while ((n_passed += study->n_drawn[block_of(pool->values[i])]) <= index)
            ++i;
        return code_of(pool->values[i]);
    }
    i = pool->n_values - 1;
    while ((n_passed += study->n_drawn[block_of(pool->values[i])]) <= n - 1 - index)
        --i;
    return code_of(pool->values[i]);
}

/* [degC] NaN where no year drawn has a value. */
static double drawn_percentile(const struct study *study, const struct pool *pool)
{
    int n = 0;
    for (int i = 0; i < pool->n_values; ++i)
        n += study->n_drawn[block_of(pool->values[i])];
    if (n == 0)
        return NAN;
    const struct cell_rank rank = cell_rank_of(n, study->options->percentile / 100.0, study->options->quantile_type);
    const double a = sst_lattice_degc(study->series->lattice, drawn_code(study, pool, rank.k, n));
    if (rank.g <= 0.0)
        return a;
    return cell_quantile_mix(a, sst_lattice_degc(study->series->lattice, drawn_code(study, pool, rank.k + 1, n)),
                             rank.g);
}

/* Draws as many years as there are and computes the statistic from them; NaN where less than half of it has a value. */
static double resample(struct study *study)
{
    for (int year = 0; year < study->n_years; ++year)
        study->n_drawn[year] = 0;
    for (int i = 0; i < study->n_years; ++i)
        ++study->n_drawn[gsl_rng_uniform_int(study->rng, (unsigned long)study->n_years)];
    double sum = 0.0, weight = 0.0, all_weight = 0.0;
    for (int i = 0; i < study->n_pools; ++i) {
        const double percentile = drawn_percentile(study, &study->pools[i]);
        all_weight += study->pools[i].weight;
        if (isnan(percentile))
            continue;
        sum += study->pools[i].weight * percentile;
        weight += study->pools[i].weight;
    }
    return weight > 0.0 && 2.0 * weight >= all_weight ? sum / weight : NAN;
}

/* [degC] NaN where fewer than two resamples have a value. */
static double standard_error(struct study *study)
{
    double values[N_RESAMPLES]; /* less the first, so that equal ones have no error at all */
    double first = NAN, mean = 0.0, squares = 0.0;
    int n = 0;
    for (int i = 0; i < N_RESAMPLES; ++i) {
        const double value = resample(study);
        if (isnan(value))
            continue;
        if (n == 0)
            first = value;
        values[n] = value - first;
        mean += values[n++];
    }
    if (n < 2)
        return NAN;
    mean /= n;
    for (int i = 0; i < n; ++i)
        squares += (values[i] - mean) * (values[i] - mean);
    return sqrt(squares / (n - 1));
}

static bool has_value(const struct sst_sample *sample, const float *exact, size_t column)
{
    for (size_t place = 0; place < sample->n_places; ++place)
        if (!isnan(exact[place * sample->n_cells + column]))
            return true;
    return false;
}

/* Series cells that have an exact percentile at all; returns their number. */
static size_t list_cells(const struct sst_series *series, const struct sst_sample *sample, const float *exact,
                         size_t *cells)
{
    size_t n = 0;
    for (size_t cell = 0; cell < series->n_cells; ++cell)
        if (has_value(sample, exact, series->sample_cell[cell]))
            cells[n++] = cell;
    return n;
}

/* Looks at one cell-day; returns whether it has a standard error. */
static bool look_at(struct study *study, size_t cell, int slot, double error, struct findings *findings)
{
    if (isnan(error))
        return false;
    gather_pools(study, cell, slot);
    const double se = standard_error(study);
    if (isnan(se))
        return false;
    findings->errors[findings->n_cell_days++] = se;
    findings->squares += error * error;
    findings->n_within += fabs(error) < se;
    return true;
}

/* Cells at equal steps, and of each as many days as the number at most allows, at equal steps through the year. */
static void look_at_all(struct study *study, const struct sst_sample *sample, const float *approx, const size_t *cells,
                        size_t n_cells, struct findings *findings)
{
    const float *exact = sample->exact[study->options->percentile_index];
    const size_t n_looked = n_cells < MAX_CELL_DAYS ? n_cells : MAX_CELL_DAYS;
    size_t n_days = MAX_CELL_DAYS / n_looked;
    if (n_days > sample->n_places)
        n_days = sample->n_places;
    for (size_t i = 0; i < n_looked; ++i) {
        const size_t cell = cells[i * n_cells / n_looked];
        const double start = fmod((double)i * GOLDEN_SHARE, 1.0);
        size_t n_found = 0;
        for (size_t j = 0; j < n_days; ++j) {
            const size_t place =
                (size_t)(((double)j + start) * (double)sample->n_places / (double)n_days) % sample->n_places;
            const size_t at = place * sample->n_cells + study->series->sample_cell[cell];
            const double error = (double)approx[at] - (double)exact[at];
            n_found += look_at(study, cell, sample->slots[place], error, findings);
        }
        findings->n_cells += n_found > 0;
    }
}

static void summarise(struct findings *findings, struct sst_sampling_error *out)
{
    const size_t n = findings->n_cell_days;
    out->n_cells = findings->n_cells;
    out->n_cell_days = n;
    if (n == 0)
        return;
    sst_spread_sort(findings->errors, n);
    out->se_median = sst_spread_quantile(findings->errors, n, 0.5);
    out->se_p05 = sst_spread_quantile(findings->errors, n, 0.05);
    out->se_p95 = sst_spread_quantile(findings->errors, n, 0.95);
    out->approx_rmse = sqrt(findings->squares / (double)n);
    out->share_within_one_se = (double)findings->n_within / (double)n;
}

enum sst_status sst_sampling_error_estimate(const struct sst_series *series, const struct sst_sample *sample,
                                            const struct sst_sampling_options *options, const float *approx,
                                            struct sst_sampling_error *out, struct sst_error *err)
{
    struct study study = {
        .series = series, .options = options, .n_years = series->pools.last_year - series->pools.first_year + 1};
    struct findings findings = {0};
    size_t *cells = NULL;
    enum sst_status rc = SST_OK;
    *out = (struct sst_sampling_error){.n_resamples = N_RESAMPLES,
                                       .se_median = NAN,
                                       .se_p05 = NAN,
                                       .se_p95 = NAN,
                                       .approx_rmse = NAN,
                                       .share_within_one_se = NAN};
    if (study.n_years < MIN_YEARS)
        return SST_OK;
    SST_TRY_GOTO(prepare(&study, err));
    SST_TRY_GOTO(sst_alloc(series->n_cells, sizeof *cells, "resampled years", &cells, err));
    const size_t n_cells = list_cells(series, sample, sample->exact[options->percentile_index], cells);
    if (n_cells > 0)
        look_at_all(&study, sample, approx, cells, n_cells, &findings);
    summarise(&findings, out);
done:
    clear(&study);
    sst_free(cells);
    return rc;
}
