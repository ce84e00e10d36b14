/* The netCDF side of the climatology file. */
#include "write/clim_nc_layout.h"

#include <errno.h>
#include <hdf5.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "write/clim_nc_chunks.h"
#include "write/clim_nc_parts.h"

enum { N_DIMS = 3, NAME_SIZE = 64, TEXT_SIZE = 1024 };

void sst_clim_prepare_process(void)
{
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)H5dont_atexit(); /* fails only where it was called before */
}

static enum sst_status define_dims(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec, int n_slots,
                                   struct sst_clim_dims *dims, struct sst_error *err)
{
    SST_TRY(sst_clim_nc_check(layout, nc_def_dim(layout->ncid, "time", (size_t)n_slots, &dims->data[0]), "time", err));
    SST_TRY(
        sst_clim_nc_check(layout, nc_def_dim(layout->ncid, "lat", spec->domain->n_rows, &dims->data[1]), "lat", err));
    SST_TRY(
        sst_clim_nc_check(layout, nc_def_dim(layout->ncid, "lon", spec->domain->n_cols, &dims->data[2]), "lon", err));
    return sst_clim_nc_check(layout, nc_def_dim(layout->ncid, "nv", 2, &dims->ends), "nv", err);
}

static enum sst_status define_field(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                    const struct sst_clim_dims *dims, const char *name, nc_type type, int *variable,
                                    struct sst_error *err)
{
    struct sst_clim_chunks chunks;
    sst_clim_chunks_of(spec, &chunks);
    const size_t shape[N_DIMS] = {chunks.n_slots, chunks.n_rows, chunks.n_cols};
    SST_TRY(sst_clim_nc_define(layout, name, type, N_DIMS, dims->data, variable, err));
    SST_TRY(sst_clim_nc_check(layout, nc_def_var_chunking(layout->ncid, *variable, NC_CHUNKED, shape), name, err));
    if (spec->deflate_level == 0)
        return SST_OK;
    return sst_clim_nc_check(layout, nc_def_var_deflate(layout->ncid, *variable, 1, 1, spec->deflate_level), name, err);
}

/* What the values of both kinds of sst variables were made from. */
static void describe_pool(const struct sst_clim_spec *spec, char *buffer, size_t size)
{
    const struct sst_pool_rule *pools = spec->pools;
    char smoothing[NAME_SIZE] = "";
    if (spec->smooth_days > 1)
        (void)snprintf(smoothing, sizeof smoothing, "; then a circular moving mean over %d days", spec->smooth_days);
    (void)snprintf(buffer, size, "Daily values of %d-%d within %d days of the calendar day%s.", pools->first_year,
                   pools->last_year, pools->half_window_days, smoothing);
}

static enum sst_status define_sst(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                  const struct sst_clim_dims *dims, const char *name, int *variable,
                                  struct sst_error *err)
{
    const float fill = spec->split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    const bool named = spec->standard_name && *spec->standard_name;
    const struct sst_clim_text texts[] = {{"standard_name", named ? spec->standard_name : "sea_surface_temperature"},
                                          {"units", "degree_Celsius"},
                                          {"units_metadata", "temperature: on_scale"},
                                          {"ancillary_variables", "n_obs quality_flag"},
                                          {"coverage_content_type", "physicalMeasurement"}};
    SST_TRY(define_field(layout, spec, dims, name, NC_FLOAT, variable, err));
    SST_TRY(sst_clim_nc_check(layout, nc_def_var_fill(layout->ncid, *variable, NC_FILL, &fill), name, err));
    return SST_CLIM_NC_TEXTS(layout, *variable, texts, err);
}

static enum sst_status define_mean(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                   const struct sst_clim_dims *dims, int *variable, struct sst_error *err)
{
    char long_name[TEXT_SIZE], methods[TEXT_SIZE], comment[TEXT_SIZE];
    (void)snprintf(long_name, sizeof long_name, "%s, climatological mean", spec->sst_long_name_prefix);
    /* Word for word the form of CF 7.4, which checkers match by regular expression; section 7.3 wants no "comment:" where
     * the parentheses hold nothing standardised. */
    (void)snprintf(methods, sizeof methods,
                   "time: mean within years time: mean over years (%d-day window centred on the calendar day)",
                   2 * spec->pools->half_window_days + 1);
    describe_pool(spec, comment, sizeof comment);
    const struct sst_clim_text texts[] = {{"long_name", long_name}, {"cell_methods", methods}, {"comment", comment}};
    SST_TRY(define_sst(layout, spec, dims, "sst_mean", variable, err));
    return SST_CLIM_NC_TEXTS(layout, *variable, texts, err);
}

/* CF has no cell method for percentiles, so the number is a scalar coordinate and time has no method. */
static enum sst_status define_percentile(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                         const struct sst_clim_dims *dims, size_t index, int *variable,
                                         struct sst_error *err)
{
    const double percentile = spec->percentiles[index];
    char name[32], coordinate[NAME_SIZE], long_name[TEXT_SIZE], pool[TEXT_SIZE], comment[2 * TEXT_SIZE];
    (void)sst_clim_percentile_name(percentile, name);
    (void)snprintf(coordinate, sizeof coordinate, "percentile_%s", name + strlen("sst_p"));
    (void)snprintf(long_name, sizeof long_name, "%s, climatological percentile %.10g", spec->sst_long_name_prefix,
                   percentile);
    describe_pool(spec, pool, sizeof pool);
    (void)snprintf(comment, sizeof comment, "%s%s%s", spec->estimator ? spec->estimator : "",
                   spec->estimator && *spec->estimator ? " " : "", pool);
    char ancillary[TEXT_SIZE];
    size_t length = (size_t)snprintf(ancillary, sizeof ancillary, "n_obs quality_flag");
    if (spec->has_bounds)
        length += (size_t)snprintf(ancillary + length, sizeof ancillary - length, " %s_lower %s_upper", name, name);
    for (size_t i = 0; i < spec->n_coverages; ++i) {
        char bound[SST_CLIM_NAME_SIZE];
        length += (size_t)snprintf(ancillary + length, sizeof ancillary - length, " %s",
                                   sst_clim_bound_name(percentile, spec->coverages[i], bound));
    }
    const struct sst_clim_text texts[] = {{"long_name", long_name},
                                          {"coordinates", coordinate},
                                          {"comment", comment},
                                          {"ancillary_variables", ancillary}};
    const struct sst_clim_text coordinate_texts[] = {{"long_name", "percentile"}, {"units", "percent"}};
    int scalar;
    SST_TRY(sst_clim_nc_define(layout, coordinate, NC_DOUBLE, 0, NULL, &scalar, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, scalar, coordinate_texts, err));
    SST_TRY(sst_clim_nc_check(layout, nc_put_var_double(layout->ncid, scalar, &percentile), coordinate, err));
    SST_TRY(define_sst(layout, spec, dims, name, variable, err));
    return SST_CLIM_NC_TEXTS(layout, *variable, texts, err);
}

static enum sst_status define_bounds(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                     const struct sst_clim_dims *dims, size_t index, int *lower, struct sst_error *err)
{
    static const char *const sides[] = {"lower", "upper"};
    const float fill = spec->split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    char percentile[32], name[NAME_SIZE], long_name[TEXT_SIZE];
    (void)sst_clim_percentile_name(spec->percentiles[index], percentile);
    for (size_t side = 0; side < 2; ++side) {
        int *variable = lower + side * spec->n_percentiles;
        (void)snprintf(name, sizeof name, "%s_%s", percentile, sides[side]);
        (void)snprintf(long_name, sizeof long_name, "%s bound of %s", sides[side], percentile);
        const struct sst_clim_text texts[] = {
            {"long_name", long_name},
            {"units", "degree_Celsius"},
            {"units_metadata", "temperature: on_scale"},
            {"coverage_content_type", "qualityInformation"},
            {"comment",
             "Proven from the values that were kept: the exact sample percentile of the pooled values, smoothed where "
             "the "
             "percentile is, lies between the lower and the upper bound, ends included. Where quality_flag does not "
             "say "
             "uncertified, both bounds are equal to it. Missing where the values kept prove no bound on that side. "
             "Nothing is said of sampling or analysis error."}};
        SST_TRY(define_field(layout, spec, dims, name, NC_FLOAT, variable, err));
        SST_TRY(sst_clim_nc_check(layout, nc_def_var_fill(layout->ncid, *variable, NC_FILL, &fill), name, err));
        SST_TRY(SST_CLIM_NC_TEXTS(layout, *variable, texts, err));
    }
    return SST_OK;
}

/* Half-widths measured at the probes; CF has no standard name for such a thing. */
static enum sst_status define_approx_bound(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                           const struct sst_clim_dims *dims, size_t index, double coverage,
                                           int *variable, struct sst_error *err)
{
    const float fill = spec->split ? SST_CLIM_FILL_SPLIT : SST_CLIM_FILL;
    const double percentile = spec->percentiles[index];
    char of[32], name[SST_CLIM_NAME_SIZE], long_name[TEXT_SIZE], comment[TEXT_SIZE];
    (void)sst_clim_percentile_name(percentile, of);
    (void)sst_clim_bound_name(percentile, coverage, name);
    (void)snprintf(long_name, sizeof long_name,
                   "half-width that covers the approximation error of %s in %.10g %% of cases", of, 100.0 * coverage);
    (void)snprintf(
        comment, sizeof comment,
        "Measured at cells chosen at random (split conformal prediction): the exact sample percentile of the "
        "pooled values lies within %s +- this value for %.10g %% of the cell-days of the domain's other "
        "cells, on average over them; not for every cell, and neighbours err alike. It covers the error of "
        "the approximation alone, not that of sampling (years are few) nor that of the analysed values. "
        "Missing where too few cells were compared.",
        of, 100.0 * coverage);
    const struct sst_clim_text texts[] = {{"long_name", long_name},
                                          {"units", "degree_Celsius"},
                                          {"units_metadata", "temperature: difference"},
                                          {"coverage_content_type", "qualityInformation"},
                                          {"comment", comment}};
    SST_TRY(define_field(layout, spec, dims, name, NC_FLOAT, variable, err));
    SST_TRY(sst_clim_nc_check(layout, nc_def_var_fill(layout->ncid, *variable, NC_FILL, &fill), name, err));
    return SST_CLIM_NC_TEXTS(layout, *variable, texts, err);
}

/* Counts and flags have a value in every cell, so no fill: readers that mask would make floats of them. */
static enum sst_status define_counts(struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                     const struct sst_clim_dims *dims, struct sst_error *err)
{
#define X(bit, symbol, name, text) 1 << (bit),
    static const short masks[] = {SST_FLAG_LIST(X)};
#undef X
#define X(bit, symbol, name, text) " " name
    static const char meanings[] = SST_FLAG_LIST(X);
#undef X
#define X(bit, symbol, name, text) "; " name ": " text
    static const char explained[] = SST_FLAG_LIST(X);
#undef X
    const struct sst_clim_text n_obs_texts[] = {{"standard_name", "number_of_observations"},
                                                {"long_name", "number of daily values pooled"},
                                                {"units", "1"},
                                                {"cell_methods", "time: sum within years time: sum over years"},
                                                {"coverage_content_type", "auxiliaryInformation"}};
    const struct sst_clim_text flags_texts[] = {{"standard_name", "quality_flag"},
                                                {"long_name", "reasons for care"},
                                                {"flag_meanings", meanings + strlen(" ")},
                                                {"coverage_content_type", "qualityInformation"},
                                                {"comment", explained + strlen("; ")}};
    SST_TRY(define_field(layout, spec, dims, "n_obs", NC_SHORT, &layout->n_obs, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, layout->n_obs, n_obs_texts, err));
    SST_TRY(define_field(layout, spec, dims, "quality_flag", NC_SHORT, &layout->flags, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, layout->flags, flags_texts, err));
    return sst_clim_nc_check(layout,
                             nc_put_att_short(layout->ncid, layout->flags, "flag_masks", NC_SHORT, SST_N_FLAGS, masks),
                             "flag_masks", err);
}

/* Global attributes that follow from the specification. */
static enum sst_status write_policy(const struct sst_clim_layout *layout, const struct sst_clim_spec *spec,
                                    struct sst_error *err)
{
    const struct sst_pool_rule *pools = spec->pools;
    char period[NAME_SIZE], start[NAME_SIZE], end[NAME_SIZE], duration[NAME_SIZE], smoothing[NAME_SIZE] = "none";
    (void)snprintf(period, sizeof period, "%d-%d", pools->first_year, pools->last_year);
    (void)snprintf(start, sizeof start, "%04d-01-01T00:00:00Z", pools->first_year);
    (void)snprintf(end, sizeof end, "%04d-12-%dT23:59:59Z", pools->last_year,
                   pools->kind == SST_CALENDAR_360_DAY ? 30 : 31);
    (void)snprintf(duration, sizeof duration, "P%dY", pools->last_year - pools->first_year + 1);
    if (spec->smooth_days > 1)
        (void)snprintf(smoothing, sizeof smoothing, "circular moving mean, %d days", spec->smooth_days);
    const struct sst_clim_text texts[] = {{"Conventions", "CF-1.11, ACDD-1.3"},
                                          {"standard_name_vocabulary", "CF Standard Name Table v93"},
                                          {"cdm_data_type", "Grid"},
                                          {"time_coverage_start", start},
                                          {"time_coverage_end", end},
                                          {"time_coverage_duration", duration},
                                          {"time_coverage_resolution", "P1D"},
                                          {"baseline_period", period},
                                          {"baseline_type", "fixed"},
                                          {"percentile_method", spec->estimator},
                                          {"leap_day_rule", sst_leap_rule_name(pools->leap)},
                                          {"smoothing", smoothing}};
    SST_TRY(SST_CLIM_NC_TEXTS(layout, NC_GLOBAL, texts, err));
    SST_TRY(sst_clim_nc_check(
        layout, nc_put_att_int(layout->ncid, NC_GLOBAL, "window_half_width_days", NC_INT, 1, &pools->half_window_days),
        "window_half_width_days", err));
    return sst_clim_nc_check(
        layout,
        nc_put_att_double(layout->ncid, NC_GLOBAL, "percentile", NC_DOUBLE, spec->n_percentiles, spec->percentiles),
        "percentile", err);
}

enum sst_status sst_clim_layout_create(const struct sst_clim_spec *spec, const char *path,
                                       const struct sst_clim_time *time, int first, int n_slots,
                                       struct sst_clim_layout *out, struct sst_error *err)
{
    struct sst_clim_dims dims;
    errno = 0;
    *out = (struct sst_clim_layout){.path = path, .ncid = -1, .n_sst = sst_clim_n_sst(spec)};
    SST_TRY(sst_alloc(out->n_sst, sizeof *out->sst, "variables", &out->sst, err));
    int ncid;
    SST_TRY(sst_clim_nc_check(out, nc_create(path, NC_NETCDF4 | NC_CLOBBER, &ncid), "the file", err));
    out->ncid = ncid;
    SST_TRY(write_policy(out, spec, err));
    SST_TRY(define_dims(out, spec, n_slots, &dims, err));
    SST_TRY(sst_clim_nc_times(out, time, first, &dims, err));
    SST_TRY(sst_clim_nc_place(out, spec->domain, &dims, err));
    SST_TRY(define_mean(out, spec, &dims, &out->sst[0], err));
    for (size_t i = 0; i < spec->n_percentiles; ++i)
        SST_TRY(define_percentile(out, spec, &dims, i, &out->sst[1 + i], err));
    for (size_t i = 0; spec->has_bounds && i < spec->n_percentiles; ++i)
        SST_TRY(define_bounds(out, spec, &dims, i, &out->sst[1 + spec->n_percentiles + i], err));
    const size_t n_exact = out->n_sst - spec->n_percentiles * spec->n_coverages;
    for (size_t i = 0; i < spec->n_percentiles * spec->n_coverages; ++i)
        SST_TRY(define_approx_bound(out, spec, &dims, i / spec->n_coverages, spec->coverages[i % spec->n_coverages],
                                    &out->sst[n_exact + i], err));
    SST_TRY(define_counts(out, spec, &dims, err));
    return sst_clim_nc_check(out, nc_enddef(out->ncid), "the header", err);
}

enum sst_status sst_clim_layout_reopen(const char *path, struct sst_clim_layout *out, struct sst_error *err)
{
    errno = 0;
    int ncid;
    *out = (struct sst_clim_layout){.path = path, .ncid = -1};
    SST_TRY(sst_clim_nc_check(out, nc_open(path, NC_WRITE, &ncid), "the file", err));
    out->ncid = ncid;
    return SST_OK;
}

enum sst_status sst_clim_layout_attributes(const struct sst_clim_layout *layout, const struct sst_attribute *attributes,
                                           size_t n_attributes, struct sst_error *err)
{
    errno = 0;
    for (size_t i = 0; i < n_attributes; ++i)
        SST_TRY(sst_clim_nc_texts(layout, NC_GLOBAL, &(struct sst_clim_text){attributes[i].name, attributes[i].value},
                                  1, err));
    return SST_OK;
}

enum sst_status sst_clim_layout_close(struct sst_clim_layout *layout, struct sst_error *err)
{
    errno = 0;
    const int status = layout->ncid >= 0 ? nc_close(layout->ncid) : NC_NOERR;
    layout->ncid = -1;
    sst_free(layout->sst);
    layout->sst = NULL;
    return sst_clim_nc_check(layout, status, "the end of the file", err);
}

void sst_clim_layout_discard(struct sst_clim_layout *layout)
{
    struct sst_error unheard = {0};
    if (sst_clim_layout_close(layout, &unheard) != SST_OK)
        return; /* the failure that led here has been told already */
}
