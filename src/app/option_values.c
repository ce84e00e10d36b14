/* What each option accepts, and what it says where it does not. */
#include "app/option_values.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"

enum { MAX_WINDOW_DAYS = 2 * SST_MAX_HALF_WINDOW + 1, MAX_MIN_SAMPLES = SST_MAX_POOL_DAYS, MAX_LEVEL = 2 };

/* Percentiles are told apart, and named in the output, to this step. [percent] */
#define PERCENTILE_STEP 0.001

/* No approximation worth having is further off than this. [degC] */
#define MAX_TOLERANCE 10.0

/* Bounds of less than half of the cases say nothing; beyond the other end there are never probes enough. [percent] */
#define MIN_COVERAGE 50.0
#define MAX_COVERAGE 99.99

/* The seed also has to fit JSON and netCDF's signed 64-bit integers. */
#define MAX_SEED INT64_MAX

/* "--option value: reason": the failure of one value. */
SST_PRINTF(4, 5)
static enum sst_status refuse(struct sst_error *err, enum sst_option_id id, const char *text, const char *format, ...)
{
    const int max_shown = 60;
    char reason[SST_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return sst_fail(err, SST_ERR_USAGE, "--%s %s%.*s%s: %s", sst_option_rows[id].name, *text ? "" : "''", max_shown,
                    text, strlen(text) > (size_t)max_shown ? "..." : "", reason);
}

/* An option that may be given under two names, which then have to agree. */
static enum sst_status agree(const struct sst_options *options, enum sst_option_id id, const char *text,
                             enum sst_option_id other, bool is_same, struct sst_error *err)
{
    if (options->is_given[other] && !is_same)
        return refuse(err, id, text, "--%s says otherwise. Give one of the two", sst_option_rows[other].name);
    return SST_OK;
}

static enum sst_status read_integer(enum sst_option_id id, const char *text, int64_t low, int64_t high, int64_t *out,
                                    struct sst_error *err)
{
    int64_t value = 0;
    if (!sst_number_integer(text, &value))
        return refuse(err, id, text, "not a whole number. Accepted: %" PRId64 " to %" PRId64, low, high);
    if (value < low || value > high)
        return refuse(err, id, text, "out of range. Accepted: %" PRId64 " to %" PRId64, low, high);
    *out = value;
    return SST_OK;
}

static enum sst_status read_int(enum sst_option_id id, const char *text, int low, int high, int *out,
                                struct sst_error *err)
{
    int64_t value = 0;
    SST_TRY(read_integer(id, text, low, high, &value, err));
    *out = (int)value;
    return SST_OK;
}

/* The index of a word among those of the option's row. */
static enum sst_status read_choice(enum sst_option_id id, const char *text, int *out, struct sst_error *err)
{
    const size_t length = strlen(text);
    const char *word = sst_option_rows[id].argument;
    for (int index = 0;; ++index) {
        const size_t n = strcspn(word, "|");
        if (n == length && memcmp(word, text, n) == 0) {
            *out = index;
            return SST_OK;
        }
        if (!word[n])
            break;
        word += n + 1;
    }
    return refuse(err, id, text, "not one of its choices. Accepted: %s", sst_option_rows[id].argument);
}

static enum sst_status read_text(enum sst_option_id id, const char *text, char **out, struct sst_error *err)
{
    char *copy = NULL;
    if (!*text)
        return refuse(err, id, text, "empty. Give %s, or leave the option out", sst_option_rows[id].argument);
    SST_TRY(sst_strdup(text, &copy, err));
    sst_free(*out);
    *out = copy;
    return SST_OK;
}

static enum sst_status read_output_path(enum sst_option_id id, const char *text, char **out, struct sst_error *err)
{
    if (strcmp(text, "-") == 0)
        return refuse(err, id, text, "standard output cannot take it. Give %s; ./- is a file named so",
                      sst_option_rows[id].argument);
    return read_text(id, text, out, err);
}

/* Defines the setter of a FLAG that does no more than raise its field. */
#define DEFINE_FLAG_SETTER(symbol, field)                                                                              \
    static enum sst_status set_##symbol(struct sst_options *options, const char *text, struct sst_error *err)          \
    {                                                                                                                  \
        (void)text;                                                                                                    \
        (void)err;                                                                                                     \
        options->field = true;                                                                                         \
        return SST_OK;                                                                                                 \
    }

/* Defines the setter of a TEXT that is kept as it is. */
#define DEFINE_TEXT_SETTER(symbol, field)                                                                              \
    static enum sst_status set_##symbol(struct sst_options *options, const char *text, struct sst_error *err)          \
    {                                                                                                                  \
        return read_text(SST_OPTION_ID_##symbol, text, &options->field, err);                                          \
    }

DEFINE_TEXT_SETTER(var, variable)
DEFINE_TEXT_SETTER(units, units)
DEFINE_TEXT_SETTER(ice_var, ice_variable)
DEFINE_TEXT_SETTER(var_a, clim_variables[0][SST_CLIM_PERCENTILE])
DEFINE_TEXT_SETTER(var_b, clim_variables[1][SST_CLIM_PERCENTILE])
DEFINE_TEXT_SETTER(mean_a, clim_variables[0][SST_CLIM_MEAN])
DEFINE_TEXT_SETTER(mean_b, clim_variables[1][SST_CLIM_MEAN])
DEFINE_TEXT_SETTER(units_a, clim_units[0])
DEFINE_TEXT_SETTER(units_b, clim_units[1])

DEFINE_FLAG_SETTER(split, split)
DEFINE_FLAG_SETTER(overwrite, overwrite)
DEFINE_FLAG_SETTER(json, json)
DEFINE_FLAG_SETTER(strict, strict)
DEFINE_FLAG_SETTER(correct, correct)
DEFINE_FLAG_SETTER(repair, repair)
DEFINE_FLAG_SETTER(help, wants_help)
DEFINE_FLAG_SETTER(version, wants_version)

static enum sst_status set_approx(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(read_choice(SST_OPTION_ID_approx, text, &choice, err));
    SST_TRY(agree(options, SST_OPTION_ID_approx, text, SST_OPTION_ID_exact, choice == SST_APPROX_NONE, err));
    options->approx = (enum sst_approx)choice;
    return SST_OK;
}

static enum sst_status set_exact(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->is_given[SST_OPTION_ID_approx] && options->approx != SST_APPROX_NONE)
        return sst_fail(err, SST_ERR_USAGE, "--exact: --approx %s says otherwise. Give one of the two",
                        sst_approx_name(options->approx));
    options->approx = SST_APPROX_NONE;
    return SST_OK;
}

static enum sst_status set_percentile(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_percentile;
    double p[SST_MAX_PERCENTILES + 1];
    size_t n = 0;
    if (!sst_number_list(text, true, SST_MAX_PERCENTILES + 1, p, &n))
        return refuse(err, id, text,
                      "not a list of numbers. Accepted: 1 to %d of them between 0 and 100, as 90 or 10,90",
                      SST_MAX_PERCENTILES);
    if (n > SST_MAX_PERCENTILES)
        return refuse(err, id, text, "too many. Accepted: at most %d", SST_MAX_PERCENTILES);
    for (size_t i = 0; i < n; ++i) {
        if (!(p[i] > 0.0 && p[i] < 100.0))
            return refuse(err, id, text, "%g is no percentile of a sample. Accepted: more than 0, less than 100", p[i]);
        if (fabs(p[i] / PERCENTILE_STEP - round(p[i] / PERCENTILE_STEP)) > 1e-6)
            return refuse(err, id, text, "%.9g is too fine. Accepted: steps of %g", p[i], PERCENTILE_STEP);
        for (size_t j = 0; j < i; ++j) {
            if (fabs(p[i] - p[j]) < 0.5 * PERCENTILE_STEP)
                return refuse(err, id, text, "%g stands there twice. Give each once", p[i]);
        }
    }
    memcpy(options->percentiles, p, n * sizeof *p);
    options->n_percentiles = n;
    return SST_OK;
}

static enum sst_status set_quantile_type(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_int(SST_OPTION_ID_quantile_type, text, 1, 9, &options->quantile_type, err);
}

static enum sst_status set_tail_k(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_int(SST_OPTION_ID_tail_k, text, 1, SST_TAIL_MAX_K, &options->tail_k, err);
}

static enum sst_status set_min_samples(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_int(SST_OPTION_ID_min_samples, text, 1, MAX_MIN_SAMPLES, &options->min_samples, err);
}

static enum sst_status set_baseline(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_baseline;
    int first = 0;
    int last = 0;
    if (!sst_number_years(text, &first, &last))
        return refuse(err, id, text, "not a range of whole years. Accepted: 1991-2020 or 1991-01-01/2020-12-31");
    if (first < 1)
        return refuse(err, id, text, "there is no year 0. Accepted: years 0001 to 9999");
    if (first > last)
        return refuse(err, id, text, "the first year is after the last. Did you mean %04d-%04d?", last, first);
    if (last - first + 1 > SST_MAX_BASELINE_YEARS)
        return refuse(err, id, text, "%d years are too many. Accepted: at most %d", last - first + 1,
                      SST_MAX_BASELINE_YEARS);
    options->first_year = first;
    options->last_year = last;
    return SST_OK;
}

static enum sst_status set_window(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_window;
    int days = 0;
    SST_TRY(read_int(id, text, 1, MAX_WINDOW_DAYS, &days, err));
    if (days % 2 == 0)
        return refuse(err, id, text,
                      "an even number of days has none in its middle. Accepted: odd numbers, as %d or %d", days - 1,
                      days + 1);
    SST_TRY(agree(options, id, text, SST_OPTION_ID_window_half_width, days == options->window_days, err));
    options->window_days = days;
    return SST_OK;
}

static enum sst_status set_window_half_width(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_window_half_width;
    int half = 0;
    SST_TRY(read_int(id, text, 0, SST_MAX_HALF_WINDOW, &half, err));
    SST_TRY(agree(options, id, text, SST_OPTION_ID_window, 2 * half + 1 == options->window_days, err));
    options->window_days = 2 * half + 1;
    return SST_OK;
}

static enum sst_status set_doy(struct sst_options *options, const char *text, struct sst_error *err)
{
    struct sst_part_of_year part = {.kind = SST_PART_DOY};
    const int n_days = 365;
    if (!sst_number_pair(text, '-', &part.first_doy, &part.last_doy) || part.first_doy < 1 || part.last_doy < 1 ||
        part.first_doy > n_days || part.last_doy > n_days)
        return refuse(err, SST_OPTION_ID_doy, text,
                      "not a range of days of a year. Accepted: A-B with 1 to %d each, as 152-243 or 335-59", n_days);
    options->part = part;
    return SST_OK;
}

static enum sst_status set_days(struct sst_options *options, const char *text, struct sst_error *err)
{
    struct sst_part_of_year part = {.kind = SST_PART_MONTH_DAYS};
    if (!sst_number_month_days(text, &part.first_day, &part.last_day))
        return refuse(err, SST_OPTION_ID_days, text,
                      "not a range of calendar days. Accepted: MMDD-MMDD, as 0601-0831 or 1201-0228");
    options->part = part;
    return SST_OK;
}

static enum sst_status set_leap(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(read_choice(SST_OPTION_ID_leap, text, &choice, err));
    options->leap = (enum sst_leap_rule)choice;
    return SST_OK;
}

static enum sst_status read_smooth(struct sst_options *options, enum sst_option_id id, enum sst_option_id other,
                                   const char *text, struct sst_error *err)
{
    int days = 0;
    SST_TRY(read_int(id, text, 0, SST_MAX_SMOOTH_DAYS, &days, err));
    if (days == 0)
        days = 1;
    if (days % 2 == 0)
        return refuse(
            err, id, text,
            "an even number of days has none in its middle. Accepted: odd numbers, as %d or %d, and 0 for none",
            days - 1, days + 1);
    SST_TRY(agree(options, id, text, other, days == options->smooth_days, err));
    options->smooth_days = days;
    return SST_OK;
}

static enum sst_status set_smooth(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_smooth(options, SST_OPTION_ID_smooth, SST_OPTION_ID_smooth_width, text, err);
}

static enum sst_status set_smooth_width(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_smooth(options, SST_OPTION_ID_smooth_width, SST_OPTION_ID_smooth, text, err);
}

static enum sst_status set_validate(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_validate;
    double percent = 0.0;
    if (!sst_number_percent(text, &percent))
        return refuse(err, id, text, "not a percentage. Accepted: more than 0 and at most 100, as 1%% or 0.5");
    if (percent == 0.0)
        return refuse(err, id, text,
                      "an approximation is never left unchecked. Accepted: more than 0 and at most 100 percent; use "
                      "--approx none for exact values, which need no check");
    if (percent < 0.0 || percent > 100.0)
        return refuse(err, id, text, "no share of the cells. Accepted: more than 0 and at most 100 percent");
    options->validate_share = percent / 100.0;
    return SST_OK;
}

static enum sst_status set_tolerance(struct sst_options *options, const char *text, struct sst_error *err)
{
    double degrees = 0.0;
    if (!sst_number_real(text, &degrees) || !(degrees > 0.0 && degrees <= MAX_TOLERANCE))
        return refuse(err, SST_OPTION_ID_tolerance, text,
                      "not a difference of temperatures. Accepted: more than 0 and at most %g degC, as 0.1",
                      MAX_TOLERANCE);
    options->tolerance = degrees;
    return SST_OK;
}

static enum sst_status set_max_share(struct sst_options *options, const char *text, struct sst_error *err)
{
    double percent = 0.0;
    if (!sst_number_percent(text, &percent) || !(percent >= 0.0 && percent <= 100.0))
        return refuse(err, SST_OPTION_ID_max_share, text, "not a percentage. Accepted: 0 to 100, as 5%% or 5");
    options->max_share = percent / 100.0;
    return SST_OK;
}

static enum sst_status set_coverage(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_coverage;
    double percent[SST_MAX_COVERAGES + 1];
    size_t n = 0;
    if (!sst_number_list(text, true, SST_MAX_COVERAGES + 1, percent, &n))
        return refuse(err, id, text, "not a list of percentages. Accepted: 1 to %d of them, as 95 or 95,99",
                      SST_MAX_COVERAGES);
    if (n > SST_MAX_COVERAGES)
        return refuse(err, id, text, "too many. Accepted: at most %d", SST_MAX_COVERAGES);
    for (size_t i = 0; i < n; ++i) {
        if (!(percent[i] >= MIN_COVERAGE && percent[i] <= MAX_COVERAGE))
            return refuse(err, id, text, "%g is not worth a bound. Accepted: %g to %g percent", percent[i],
                          MIN_COVERAGE, MAX_COVERAGE);
        for (size_t j = 0; j < i; ++j)
            if (fabs(percent[i] - percent[j]) < 0.5 * PERCENTILE_STEP)
                return refuse(err, id, text, "%g stands there twice. Give each once", percent[i]);
        options->coverages[i] = percent[i] / 100.0;
    }
    options->n_coverages = n;
    return SST_OK;
}

static enum sst_status set_seed(struct sst_options *options, const char *text, struct sst_error *err)
{
    int64_t seed = 0;
    SST_TRY(read_integer(SST_OPTION_ID_seed, text, 0, MAX_SEED, &seed, err));
    options->seed = (uint64_t)seed;
    return SST_OK;
}

static enum sst_status set_detect(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!*text)
        return refuse(err, SST_OPTION_ID_detect, text, "empty. Give daily SST: a file, a directory or @list");
    SST_TRY(sst_grow(&options->detect, &options->detect_capacity, options->n_detect + 1, sizeof *options->detect,
                     "the list of files", err));
    SST_TRY(sst_strdup(text, &options->detect[options->n_detect], err));
    ++options->n_detect;
    return SST_OK;
}

static enum sst_status set_bbox(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_bbox;
    double v[5];
    size_t n = 0;
    if (!sst_number_list(text, false, 5, v, &n) || n != 4)
        return refuse(err, id, text,
                      "not four numbers. Accepted: WEST,SOUTH,EAST,NORTH in degrees with commas and no blanks, as "
                      "-10,30,5,40");
    if (fabs(v[0]) > 360.0 || fabs(v[2]) > 360.0 || fabs(v[2] - v[0]) > 360.0)
        return refuse(err, id, text, "no longitudes. Accepted: -180 to 180 or 0 to 360, west first");
    if (fabs(v[1]) > 90.0 || fabs(v[3]) > 90.0)
        return refuse(err, id, text, "no latitudes. Accepted: -90 to 90; the order is WEST,SOUTH,EAST,NORTH");
    if (v[1] > v[3])
        return refuse(err, id, text, "its south is north of its north. Did you mean %g,%g,%g,%g?", v[0], v[3], v[2],
                      v[1]);
    options->has_bbox = true;
    options->bbox = (struct sst_bbox){v[0], v[1], v[2], v[3]};
    return SST_OK;
}

/* FILE:VAR is cut at its last colon, unless a file bears the whole name (times of day in names have colons). */
static enum sst_status set_mask(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_mask;
    const char *colon = strrchr(text, ':');
    SST_TRY(read_text(id, text, &options->mask_path, err));
    sst_free(options->mask_variable);
    options->mask_variable = NULL;
    if (!colon || strchr(colon, '/') || access(text, F_OK) == 0)
        return SST_OK;
    if (colon == text || !colon[1])
        return refuse(err, id, text, "half of it is empty. Accepted: FILE or FILE:VARIABLE");
    options->mask_path[colon - text] = '\0';
    return read_text(id, colon + 1, &options->mask_variable, err);
}

static enum sst_status set_on_bad(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(read_choice(SST_OPTION_ID_on_bad, text, &choice, err));
    options->stop_on_bad = choice == 1;
    return SST_OK;
}

static enum sst_status set_output(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_output_path(SST_OPTION_ID_output, text, &options->output, err);
}

static enum sst_status set_report(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_output_path(SST_OPTION_ID_report, text, &options->report, err);
}

static enum sst_status set_years(struct sst_options *options, const char *text, struct sst_error *err)
{
    int first = 0;
    int last = 0;
    if (!sst_number_years(text, &first, &last) || first > last)
        return refuse(err, SST_OPTION_ID_years, text, "not a range of whole years. Accepted: Y1-Y2, as 1991-2020");
    options->archive.first_year = first;
    options->archive.last_year = last;
    return SST_OK;
}

/* Two counts with an x between them; synth knows how large they may be. */
static enum sst_status set_grid(struct sst_options *options, const char *text, struct sst_error *err)
{
    int n_lon = 0;
    int n_lat = 0;
    if (!sst_number_pair(text, 'x', &n_lon, &n_lat) || n_lon < 1 || n_lat < 1)
        return refuse(err, SST_OPTION_ID_grid, text, "not a grid. Accepted: NLONxNLAT, as 180x90");
    options->archive.n_lon = n_lon;
    options->archive.n_lat = n_lat;
    return SST_OK;
}

static enum sst_status set_lat(struct sst_options *options, const char *text, struct sst_error *err)
{
    double v[2];
    size_t n = 0;
    if (!sst_number_list(text, false, 2, v, &n) || n != 2 || !(v[0] >= -90.0 && v[0] < v[1] && v[1] <= 90.0))
        return refuse(err, SST_OPTION_ID_lat, text,
                      "no two latitudes. Accepted: SOUTH,NORTH from -90 to 90, as -60,60");
    options->archive.south = v[0];
    options->archive.north = v[1];
    return SST_OK;
}

static enum sst_status set_gaps(struct sst_options *options, const char *text, struct sst_error *err)
{
    double percent = 0.0;
    if (!sst_number_percent(text, &percent) || !(percent >= 0.0 && percent < 100.0))
        return refuse(err, SST_OPTION_ID_gaps, text, "not a percentage. Accepted: 0 to less than 100, as 2%%");
    options->archive.gaps_percent = percent;
    return SST_OK;
}

static enum sst_status set_layout(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_choice(SST_OPTION_ID_layout, text, &options->archive.layout, err);
}

static enum sst_status set_threads(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_int(SST_OPTION_ID_threads, text, 1, SST_MAX_THREADS, &options->n_threads, err);
}

static enum sst_status set_progress(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(read_choice(SST_OPTION_ID_progress, text, &choice, err));
    options->progress = (enum sst_progress_mode)choice;
    return SST_OK;
}

static enum sst_status set_quiet(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->verbosity > 0)
        return sst_fail(err, SST_ERR_USAGE, "--quiet: --verbose says otherwise. Give one of the two");
    if (options->verbosity > -MAX_LEVEL)
        --options->verbosity;
    return SST_OK;
}

static enum sst_status set_verbose(struct sst_options *options, const char *text, struct sst_error *err)
{
    (void)text;
    if (options->verbosity < 0)
        return sst_fail(err, SST_ERR_USAGE, "--verbose: --quiet says otherwise. Give one of the two");
    if (options->verbosity < MAX_LEVEL)
        ++options->verbosity;
    return SST_OK;
}

enum sst_status sst_option_set(struct sst_options *options, enum sst_option_id id, const char *text,
                               struct sst_error *err)
{
    switch (id) {
#define SST_OPTION(symbol, name, letter, kind, argument, shown_default, commands, group, help)                         \
    case SST_OPTION_ID_##symbol:                                                                                       \
        return set_##symbol(options, text, err);
#include "app/options.def"
    case SST_N_OPTIONS:
        break;
    }
    return sst_fail(err, SST_ERR_INTERNAL, "an option without a row");
}
