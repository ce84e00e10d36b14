/* The days of a file's steps: from its time variable only, checked against its bounds and against the file's name. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_private.h"

enum { DATE_DIGITS = 8 }; /* YYYYMMDD */

/* The time variable, read whole. */
struct times {
    struct sst_decode_time is; /* as declared */
    char units[SST_DECODE_TEXT_SIZE];
    long long *integers; /* is.n values, if is.is_integer */
    double *reals; /* is.n values */
    double *bounds; /* 2 is.n values, NULL without bounds */
};

static void times_clear(struct times *times)
{
    sst_free(times->integers);
    sst_free(times->reals);
    sst_free(times->bounds);
}

/* A time variable without a dimension of the SST: a scalar, or an axis of one item. valid_time is surer than time. */
static int find_lone_time(const struct sst_file *file)
{
    int found = -1;
    for (int varid = 0; varid < file->n_vars; ++varid) {
        char name[NC_MAX_NAME + 1];
        int rank = 0, dims[NC_MAX_VAR_DIMS];
        size_t length = 1;
        if (file->is_bounds[varid] || nc_inq_varndims(file->ncid, varid, &rank) != NC_NOERR || rank > 1 ||
            nc_inq_vardimid(file->ncid, varid, dims) != NC_NOERR ||
            (rank == 1 && nc_inq_dimlen(file->ncid, dims[0], &length) != NC_NOERR) || length != 1 ||
            nc_inq_varname(file->ncid, varid, name) != NC_NOERR || sst_decode_role_of(file, varid) != SST_ROLE_TIME)
            continue;
        if (found < 0 || strcmp(name, "valid_time") == 0)
            found = varid;
    }
    return found;
}

static enum sst_status find_time(const struct sst_file *file, struct times *times, struct sst_error *err)
{
    const struct sst_decode_variable *sst = &file->sst;
    times->is.n = 1;
    if (sst->time_at < 0) {
        times->is.varid = find_lone_time(file);
        if (times->is.varid < 0)
            return sst_fail(
                err, SST_ERR_TIME,
                "no time: neither a time dimension nor a scalar time variable says which day it is. Add one "
                "first: cdo setreftime,1981-01-01,00:00:00 -settaxis,YYYY-MM-DD,12:00:00 FILE OUT.nc");
    } else {
        const int dim = sst->dim_ids[sst->time_at];
        times->is.varid = file->dim_coordinates[dim];
        if (nc_inq_dimlen(file->ncid, dim, &times->is.n) != NC_NOERR || times->is.n == 0)
            return sst_fail(err, SST_ERR_TIME, "variable '%s' has no time step. Fetch the file again", sst->name);
        if (times->is.n > SST_DECODE_MAX_STEPS)
            return sst_fail(err, SST_ERR_TIME, "variable '%s' has %zu time steps, more than %d. Split the file first",
                            sst->name, times->is.n, SST_DECODE_MAX_STEPS);
    }
    (void)nc_inq_varname(file->ncid, times->is.varid, times->is.name);
    return SST_OK;
}

static enum sst_status read_axis(struct sst_file *file, struct times *times, struct sst_error *err)
{
    char calendar[SST_DECODE_TEXT_SIZE];
    sst_decode_attr_text(file->ncid, times->is.varid, "units", times->units, sizeof times->units);
    sst_decode_attr_text(file->ncid, times->is.varid, "calendar", calendar, sizeof calendar);
    enum sst_status rc = sst_calendar_parse(calendar, &file->info.calendar, err);
    if (rc == SST_OK && !times->units[0])
        rc = sst_fail(err, SST_ERR_TIME, "no units. Add them: ncatted -a units,%s,o,c,'days since 1981-01-01' FILE",
                      times->is.name);
    if (rc == SST_OK)
        rc = sst_time_axis_parse(times->units, file->info.calendar, &times->is.axis, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "variable '%s'", times->is.name);
    return rc;
}

static enum sst_status fail_reading(const struct times *times, int status, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_TIME, "variable '%s' cannot be read: %s. Fetch the file again", times->is.name,
                    nc_strerror(status));
}

static void find_fill(const struct sst_file *file, nc_type type, struct times *times)
{
    struct sst_error ignored = {0};
    size_t n = 0;
    times->is.fill = type == NC_INT      ? NC_FILL_INT
                     : type == NC_SHORT  ? NC_FILL_SHORT
                     : type == NC_FLOAT  ? (double)NC_FILL_FLOAT
                     : type == NC_DOUBLE ? NC_FILL_DOUBLE
                                         : (double)NC_FILL_INT64;
    double declared = 0.0;
    if (sst_decode_attr_numbers(file, times->is.varid, "_FillValue", &declared, 1, &n, NULL, &ignored) == SST_OK &&
        n == 1)
        times->is.fill = declared;
}

/* Bounds that do not go with the time are as none. */
static void find_bounds(const struct sst_file *file, struct times *times)
{
    char name[SST_DECODE_TEXT_SIZE];
    int id = -1, rank = 0, dims[NC_MAX_VAR_DIMS];
    size_t n_items = 1;
    sst_decode_attr_text(file->ncid, times->is.varid, "bounds", name, sizeof name);
    if (!name[0] || nc_inq_varid(file->ncid, name, &id) != NC_NOERR)
        return;
    if (nc_inq_varndims(file->ncid, id, &rank) != NC_NOERR || nc_inq_vardimid(file->ncid, id, dims) != NC_NOERR)
        return;
    for (int i = 0; i < rank; ++i) {
        size_t length = 0;
        if (nc_inq_dimlen(file->ncid, dims[i], &length) != NC_NOERR || length > 2 * SST_DECODE_MAX_STEPS)
            return;
        n_items *= length;
        if (n_items > 2 * SST_DECODE_MAX_STEPS)
            return;
    }
    if (n_items != 2 * times->is.n)
        return;
    times->is.bounds_id = id;
    (void)snprintf(times->is.bounds_name, sizeof times->is.bounds_name, "%s", name);
}

/* Numbers of a whole variable, by whatever has the file open. */
static int get_reals(const struct sst_file *file, int varid, const char *name, size_t n, double *out)
{
    if (file->ncid >= 0)
        return nc_get_var_double(file->ncid, varid, out);
    return sst_decode_model_reals(file, name, n, out) ? NC_NOERR : NC_EHDFERR;
}

static int get_integers(const struct sst_file *file, int varid, const char *name, size_t n, long long *out)
{
    if (file->ncid >= 0)
        return nc_get_var_longlong(file->ncid, varid, out);
    return sst_decode_model_integers(file, name, n, out) ? NC_NOERR : NC_EHDFERR;
}

static enum sst_status read_bounds(const struct sst_file *file, struct times *times, struct sst_error *err)
{
    const size_t n = 2 * times->is.n;
    if (times->is.bounds_id < 0)
        return SST_OK;
    SST_TRY(sst_alloc(n, sizeof *times->bounds, times->is.bounds_name, &times->bounds, err));
    if (get_reals(file, times->is.bounds_id, times->is.bounds_name, n, times->bounds) != NC_NOERR) {
        sst_free(times->bounds);
        times->bounds = NULL;
    }
    return SST_OK;
}

static enum sst_status read_packing(const struct sst_file *file, struct times *times, struct sst_error *err)
{
    nc_type type = NC_NAT;
    size_t n = 0;
    SST_TRY(sst_decode_attr_numbers(file, times->is.varid, "scale_factor", &times->is.scale, 1, &n, NULL, err));
    SST_TRY(sst_decode_attr_numbers(file, times->is.varid, "add_offset", &times->is.offset, 1, &n, NULL, err));
    if (nc_inq_vartype(file->ncid, times->is.varid, &type) != NC_NOERR || type == NC_CHAR || type == NC_STRING ||
        type > NC_MAX_ATOMIC_TYPE)
        return sst_fail(err, SST_ERR_TIME, "variable '%s' holds no numbers. Write time as numbers with units first",
                        times->is.name);
    find_fill(file, type, times);
    times->is.is_integer = sst_decode_is_integer(type) && times->is.scale == 1.0 && times->is.offset == 0.0;
    return SST_OK;
}

static enum sst_status read_values(const struct sst_file *file, struct times *times, struct sst_error *err)
{
    SST_TRY(sst_alloc(times->is.n, sizeof *times->reals, times->is.name, &times->reals, err));
    int status = get_reals(file, times->is.varid, times->is.name, times->is.n, times->reals);
    if (status == NC_NOERR && times->is.is_integer) {
        SST_TRY(sst_alloc(times->is.n, sizeof *times->integers, times->is.name, &times->integers, err));
        status = get_integers(file, times->is.varid, times->is.name, times->is.n, times->integers);
    }
    if (status != NC_NOERR)
        return fail_reading(times, status, err);
    for (size_t step = 0; step < times->is.n; ++step)
        if (isnan(times->reals[step]) || times->reals[step] == times->is.fill)
            return sst_fail(err, SST_ERR_TIME, "variable '%s': step %zu has no time (%g is a fill). Write it first",
                            times->is.name, step, times->reals[step]);
    for (size_t step = 0; step < times->is.n && !times->is.is_integer; ++step)
        times->reals[step] = times->reals[step] * times->is.scale + times->is.offset;
    return read_bounds(file, times, err);
}

/* The day in which the middle of the step's bounds lies, where there are bounds and the time is within them. */
static void day_of_bounds(const struct times *times, size_t step, struct sst_instant *at)
{
    struct sst_error ignored = {0};
    struct sst_instant middle;
    if (!times->bounds)
        return;
    const double low = fmin(times->bounds[2 * step], times->bounds[2 * step + 1]);
    const double high = fmax(times->bounds[2 * step], times->bounds[2 * step + 1]);
    const double time = times->reals[step];
    if (!(low < high) || !(time >= low && time <= high))
        return;
    if (sst_time_axis_at_real(&times->is.axis, low + (high - low) / 2.0, &middle, &ignored) == SST_OK)
        at->day = middle.day;
}

static enum sst_status place_steps(struct sst_file *file, const struct times *times, struct sst_error *err)
{
    SST_TRY(sst_alloc(times->is.n, sizeof *file->steps, "time steps", &file->steps, err));
    for (size_t step = 0; step < times->is.n; ++step) {
        struct sst_instant *at = &file->steps[step].at;
        const enum sst_status rc = times->is.is_integer
                                       ? sst_time_axis_at_integer(&times->is.axis, times->integers[step], at, err)
                                       : sst_time_axis_at_real(&times->is.axis, times->reals[step], at, err);
        if (rc != SST_OK) {
            sst_error_prefix(err, "variable '%s': step %zu", times->is.name, step);
            return rc;
        }
        day_of_bounds(times, step, at);
    }
    file->info.steps = file->steps;
    file->info.n_steps = times->is.n;
    return SST_OK;
}

static int compare_steps(const void *a, const void *b)
{
    const struct sst_step_info *left = a, *right = b;
    return sst_day_compare(left->at.day, right->at.day);
}

/* Hourly files would count a day 24 times; a mean is the user's choice to make. */
static enum sst_status check_one_step_a_day(const struct sst_file *file, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_step_info *sorted = NULL;
    const size_t n = file->info.n_steps;
    if (n < 2)
        return SST_OK;
    SST_TRY(sst_alloc(n, sizeof *sorted, "time steps", &sorted, err));
    memcpy(sorted, file->steps, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_steps);
    for (size_t i = 1; i < n && rc == SST_OK; ++i) {
        char text[SST_DAY_TEXT_SIZE];
        if (sst_day_compare(sorted[i].at.day, sorted[i - 1].at.day) == 0)
            rc = sst_fail(err, SST_ERR_TIME,
                          "several time steps on %s (UTC). Make a daily mean first: cdo daymean FILE OUT.nc",
                          sst_day_text(file->info.calendar, sorted[i].at.day, text));
    }
    sst_free(sorted);
    return rc;
}

/* Whether digits at `text` begin with a day of the calendar; the run is YYYYMMDD, with or without hh, mm, ss. */
static bool day_in_digits(enum sst_calendar_kind kind, const char *text, size_t n_digits, struct sst_day *out)
{
    if (n_digits < DATE_DIGITS || n_digits > DATE_DIGITS + 6 || n_digits % 2 != 0)
        return false;
    int number = 0;
    for (size_t i = 0; i < DATE_DIGITS; ++i)
        number = number * 10 + (text[i] - '0');
    enum { FIRST_YEAR = 1800, LAST_YEAR = 2199 };
    const int year = number / 10000;
    if (year < FIRST_YEAR || year > LAST_YEAR)
        return false;
    *out = (struct sst_day){.year = year, .slot = sst_calendar_slot(kind, number / 100 % 100, number % 100)};
    return out->slot > 0 && sst_calendar_has_day(kind, *out);
}

/* The number of dates in a file name; `out` gets the last. */
static int find_days_in_name(enum sst_calendar_kind kind, const char *name, struct sst_day *out)
{
    int n_found = 0;
    for (const char *at = name; *at;) {
        size_t n_digits = 0;
        while (isdigit((unsigned char)at[n_digits]))
            ++n_digits;
        struct sst_day day;
        if (n_digits > 0 && day_in_digits(kind, at, n_digits, &day)) {
            *out = day;
            ++n_found;
        }
        at += n_digits > 0 ? n_digits : 1;
    }
    return n_found;
}

static enum sst_status check_file_name(const struct sst_file *file, struct sst_error *err)
{
    struct sst_day named;
    char in_name[SST_DAY_TEXT_SIZE], in_file[SST_DAY_TEXT_SIZE];
    const enum sst_calendar_kind kind = file->info.calendar;
    if (file->info.n_steps != 1 || find_days_in_name(kind, file->base_name, &named) != 1 ||
        sst_day_compare(named, file->steps[0].at.day) == 0)
        return SST_OK;
    return sst_fail(
        err, SST_ERR_TIME,
        "ambiguous day: the file's name says %s, its time variable %s (UTC). Rename the file, or repair its "
        "time",
        sst_day_text(kind, named, in_name), sst_day_text(kind, file->steps[0].at.day, in_file));
}

enum sst_status sst_decode_place_steps(struct sst_file *file, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct times times = {.is = file->time};
    SST_TRY_GOTO(read_values(file, &times, err));
    SST_TRY_GOTO(place_steps(file, &times, err));
    SST_TRY_GOTO(check_one_step_a_day(file, err));
    SST_TRY_GOTO(check_file_name(file, err));
done:
    times_clear(&times);
    return rc;
}

enum sst_status sst_decode_read_steps(struct sst_file *file, struct sst_error *err)
{
    struct times times = {.is = {.varid = -1, .bounds_id = -1, .scale = 1.0}};
    SST_TRY(find_time(file, &times, err));
    SST_TRY(read_axis(file, &times, err));
    SST_TRY(read_packing(file, &times, err));
    find_bounds(file, &times);
    file->time = times.is;
    return sst_decode_place_steps(file, err);
}
