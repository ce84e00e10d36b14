/* What options of the estimate, of years and days, and of checks accept, and what they say where they do not. */
#include "app/option_values.h"

#include <math.h>
#include <string.h>

#include "app/option_setters.h"

enum { MAX_WINDOW_DAYS = 2 * SST_MAX_HALF_WINDOW + 1, MAX_MIN_SAMPLES = SST_MAX_POOL_DAYS };

/* Percentiles are told apart, and named in the output, to this step. [percent] */
#define PERCENTILE_STEP 0.001

/* No approximation worth having is further off than this. [degC] */
#define MAX_TOLERANCE 10.0

/* Bounds of less than half of the cases say nothing; beyond the other end there are never probes enough. [percent] */
#define MIN_COVERAGE 50.0
#define MAX_COVERAGE 99.99

/* The seed also has to fit JSON and netCDF's signed 64-bit integers. */
#define MAX_SEED INT64_MAX

SST_DEFINE_FLAG_SETTER(correct, correct)
SST_DEFINE_FLAG_SETTER(repair, repair)

enum sst_status sst_set_approx(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(sst_option_choice(SST_OPTION_ID_approx, text, &choice, err));
    SST_TRY(sst_option_agree(options, SST_OPTION_ID_approx, text, SST_OPTION_ID_exact, choice == SST_APPROX_NONE, err));
    options->approx = (enum sst_approx)choice;
    return SST_OK;
}

enum sst_status sst_set_exact(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->is_given[SST_OPTION_ID_approx] && options->approx != SST_APPROX_NONE)
        return sst_fail(err, SST_ERR_USAGE, "--exact: --approx %s says otherwise. Give one of the two",
                        sst_approx_name(options->approx));
    options->approx = SST_APPROX_NONE;
    return SST_OK;
}

enum sst_status sst_set_percentile(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_percentile;
    double p[SST_MAX_PERCENTILES + 1];
    size_t n = 0;
    if (!sst_number_list(text, true, SST_MAX_PERCENTILES + 1, p, &n))
        return sst_option_refuse(err, id, text,
                                 "not a list of numbers. Accepted: 1 to %d of them between 0 and 100, as 90 or 10,90",
                                 SST_MAX_PERCENTILES);
    if (n > SST_MAX_PERCENTILES)
        return sst_option_refuse(err, id, text, "too many. Accepted: at most %d", SST_MAX_PERCENTILES);
    for (size_t i = 0; i < n; ++i) {
        if (!(p[i] > 0.0 && p[i] < 100.0))
            return sst_option_refuse(err, id, text,
                                     "%g is no percentile of a sample. Accepted: more than 0, less than 100", p[i]);
        if (fabs(p[i] / PERCENTILE_STEP - round(p[i] / PERCENTILE_STEP)) > 1e-6)
            return sst_option_refuse(err, id, text, "%.9g is too fine. Accepted: steps of %g", p[i], PERCENTILE_STEP);
        for (size_t j = 0; j < i; ++j) {
            if (fabs(p[i] - p[j]) < 0.5 * PERCENTILE_STEP)
                return sst_option_refuse(err, id, text, "%g stands there twice. Give each once", p[i]);
        }
    }
    memcpy(options->percentiles, p, n * sizeof *p);
    options->n_percentiles = n;
    return SST_OK;
}

enum sst_status sst_set_quantile_type(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_quantile_type, text, 1, 9, &options->quantile_type, err);
}

enum sst_status sst_set_tail_k(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_tail_k, text, 1, SST_TAIL_MAX_K, &options->tail_k, err);
}

enum sst_status sst_set_min_samples(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_int(SST_OPTION_ID_min_samples, text, 1, MAX_MIN_SAMPLES, &options->min_samples, err);
}

enum sst_status sst_set_baseline(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_baseline;
    int first = 0;
    int last = 0;
    if (!sst_number_years(text, &first, &last))
        return sst_option_refuse(err, id, text,
                                 "not a range of whole years. Accepted: 1991-2020 or 1991-01-01/2020-12-31");
    if (first < 1)
        return sst_option_refuse(err, id, text, "there is no year 0. Accepted: years 0001 to 9999");
    if (first > last)
        return sst_option_refuse(err, id, text, "the first year is after the last. Did you mean %04d-%04d?", last,
                                 first);
    if (last - first + 1 > SST_MAX_BASELINE_YEARS)
        return sst_option_refuse(err, id, text, "%d years are too many. Accepted: at most %d", last - first + 1,
                                 SST_MAX_BASELINE_YEARS);
    options->first_year = first;
    options->last_year = last;
    return SST_OK;
}

enum sst_status sst_set_window(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_window;
    int days = 0;
    SST_TRY(sst_option_int(id, text, 1, MAX_WINDOW_DAYS, &days, err));
    if (days % 2 == 0)
        return sst_option_refuse(err, id, text,
                                 "an even number of days has none in its middle. Accepted: odd numbers, as %d or %d",
                                 days - 1, days + 1);
    SST_TRY(sst_option_agree(options, id, text, SST_OPTION_ID_window_half_width, days == options->window_days, err));
    options->window_days = days;
    return SST_OK;
}

enum sst_status sst_set_window_half_width(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_window_half_width;
    int half = 0;
    SST_TRY(sst_option_int(id, text, 0, SST_MAX_HALF_WINDOW, &half, err));
    SST_TRY(sst_option_agree(options, id, text, SST_OPTION_ID_window, 2 * half + 1 == options->window_days, err));
    options->window_days = 2 * half + 1;
    return SST_OK;
}

enum sst_status sst_set_doy(struct sst_options *options, const char *text, struct sst_error *err)
{
    struct sst_part_of_year part = {.kind = SST_PART_DOY};
    const int n_days = 365;
    if (!sst_number_pair(text, '-', &part.first_doy, &part.last_doy) || part.first_doy < 1 || part.last_doy < 1 ||
        part.first_doy > n_days || part.last_doy > n_days)
        return sst_option_refuse(err, SST_OPTION_ID_doy, text,
                                 "not a range of days of a year. Accepted: A-B with 1 to %d each, as 152-243 or 335-59",
                                 n_days);
    options->part = part;
    return SST_OK;
}

enum sst_status sst_set_days(struct sst_options *options, const char *text, struct sst_error *err)
{
    struct sst_part_of_year part = {.kind = SST_PART_MONTH_DAYS};
    if (!sst_number_month_days(text, &part.first_day, &part.last_day))
        return sst_option_refuse(err, SST_OPTION_ID_days, text,
                                 "not a range of calendar days. Accepted: MMDD-MMDD, as 0601-0831 or 1201-0228");
    options->part = part;
    return SST_OK;
}

enum sst_status sst_set_leap(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(sst_option_choice(SST_OPTION_ID_leap, text, &choice, err));
    options->leap = (enum sst_leap_rule)choice;
    return SST_OK;
}

static enum sst_status read_smooth(struct sst_options *options, enum sst_option_id id, enum sst_option_id other,
                                   const char *text, struct sst_error *err)
{
    int days = 0;
    SST_TRY(sst_option_int(id, text, 0, SST_MAX_SMOOTH_DAYS, &days, err));
    if (days == 0)
        days = 1;
    if (days % 2 == 0)
        return sst_option_refuse(
            err, id, text,
            "an even number of days has none in its middle. Accepted: odd numbers, as %d or %d, and 0 for none",
            days - 1, days + 1);
    SST_TRY(sst_option_agree(options, id, text, other, days == options->smooth_days, err));
    options->smooth_days = days;
    return SST_OK;
}

enum sst_status sst_set_smooth(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_smooth(options, SST_OPTION_ID_smooth, SST_OPTION_ID_smooth_width, text, err);
}

enum sst_status sst_set_smooth_width(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_smooth(options, SST_OPTION_ID_smooth_width, SST_OPTION_ID_smooth, text, err);
}

enum sst_status sst_set_validate(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_validate;
    double percent = 0.0;
    if (!sst_number_percent(text, &percent))
        return sst_option_refuse(err, id, text,
                                 "not a percentage. Accepted: more than 0 and at most 100, as 1%% or 0.5");
    if (percent == 0.0)
        return sst_option_refuse(
            err, id, text,
            "an approximation is never left unchecked. Accepted: more than 0 and at most 100 percent; use "
            "--approx none for exact values, which need no check");
    if (percent < 0.0 || percent > 100.0)
        return sst_option_refuse(err, id, text, "no share of the cells. Accepted: more than 0 and at most 100 percent");
    options->validate_share = percent / 100.0;
    return SST_OK;
}

enum sst_status sst_set_tolerance(struct sst_options *options, const char *text, struct sst_error *err)
{
    double degrees = 0.0;
    if (!sst_number_real(text, &degrees) || !(degrees > 0.0 && degrees <= MAX_TOLERANCE))
        return sst_option_refuse(err, SST_OPTION_ID_tolerance, text,
                                 "not a difference of temperatures. Accepted: more than 0 and at most %g degC, as 0.1",
                                 MAX_TOLERANCE);
    options->tolerance = degrees;
    return SST_OK;
}

enum sst_status sst_set_max_share(struct sst_options *options, const char *text, struct sst_error *err)
{
    double percent = 0.0;
    if (!sst_number_percent(text, &percent) || !(percent >= 0.0 && percent <= 100.0))
        return sst_option_refuse(err, SST_OPTION_ID_max_share, text,
                                 "not a percentage. Accepted: 0 to 100, as 5%% or 5");
    options->max_share = percent / 100.0;
    return SST_OK;
}

enum sst_status sst_set_coverage(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_coverage;
    double percent[SST_MAX_COVERAGES + 1];
    size_t n = 0;
    if (!sst_number_list(text, true, SST_MAX_COVERAGES + 1, percent, &n))
        return sst_option_refuse(err, id, text, "not a list of percentages. Accepted: 1 to %d of them, as 95 or 95,99",
                                 SST_MAX_COVERAGES);
    if (n > SST_MAX_COVERAGES)
        return sst_option_refuse(err, id, text, "too many. Accepted: at most %d", SST_MAX_COVERAGES);
    for (size_t i = 0; i < n; ++i) {
        if (!(percent[i] >= MIN_COVERAGE && percent[i] <= MAX_COVERAGE))
            return sst_option_refuse(err, id, text, "%g is not worth a bound. Accepted: %g to %g percent", percent[i],
                                     MIN_COVERAGE, MAX_COVERAGE);
        for (size_t j = 0; j < i; ++j)
            if (fabs(percent[i] - percent[j]) < 0.5 * PERCENTILE_STEP)
                return sst_option_refuse(err, id, text, "%g stands there twice. Give each once", percent[i]);
        options->coverages[i] = percent[i] / 100.0;
    }
    options->n_coverages = n;
    return SST_OK;
}

enum sst_status sst_set_seed(struct sst_options *options, const char *text, struct sst_error *err)
{
    int64_t seed = 0;
    SST_TRY(sst_option_integer(SST_OPTION_ID_seed, text, 0, MAX_SEED, &seed, err));
    options->seed = (uint64_t)seed;
    return SST_OK;
}

enum sst_status sst_option_set(struct sst_options *options, enum sst_option_id id, const char *text,
                               struct sst_error *err)
{
    switch (id) {
#define SST_OPTION(symbol, name, letter, kind, argument, shown_default, commands, group, help)                         \
    case SST_OPTION_ID_##symbol:                                                                                       \
        return sst_set_##symbol(options, text, err);
#include "app/options.def"
    case SST_N_OPTIONS:
        break;
    }
    return sst_fail(err, SST_ERR_INTERNAL, "an option without a row");
}
