/* See the header. */
#include "write/clim_nc_parts.h"

#include <errno.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"

enum { NAME_SIZE = 64 };

/* Steps of a regular axis differ by less than this share, the rounding of float32 coordinates. */
#define REGULAR_TOLERANCE 0.01

enum sst_status sst_clim_write_failed(const char *path, const char *object, const char *library_reason,
                                      struct sst_error *err)
{
    /* Of a full disk the libraries know only "HDF error"; errno knows more. */
    const bool from_disk = errno == ENOSPC || errno == EDQUOT || errno == EFBIG || errno == EIO || errno == EROFS;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: %s: cannot be written: %s. Check the space in that folder", path, object,
                    from_disk ? strerror(errno) : library_reason);
}

enum sst_status sst_clim_nc_check(const struct sst_clim_layout *layout, int status, const char *object,
                                  struct sst_error *err)
{
    return status == NC_NOERR ? SST_OK : sst_clim_write_failed(layout->path, object, nc_strerror(status), err);
}

enum sst_status sst_clim_nc_texts(const struct sst_clim_layout *layout, int variable, const struct sst_clim_text *texts,
                                  size_t n_texts, struct sst_error *err)
{
    for (size_t i = 0; i < n_texts; ++i)
        if (texts[i].value && *texts[i].value)
            SST_TRY(sst_clim_nc_check(
                layout, nc_put_att_text(layout->ncid, variable, texts[i].name, strlen(texts[i].value), texts[i].value),
                texts[i].name, err));
    return SST_OK;
}

enum sst_status sst_clim_nc_define(const struct sst_clim_layout *layout, const char *name, int type, int n_dims,
                                   const int *dims, int *variable, struct sst_error *err)
{
    return sst_clim_nc_check(layout, nc_def_var(layout->ncid, name, type, n_dims, dims, variable), name, err);
}

enum sst_status sst_clim_nc_times(const struct sst_clim_layout *layout, const struct sst_clim_time *time, int first,
                                  const struct sst_clim_dims *dims, struct sst_error *err)
{
    const bool real_days = time->kind == SST_CALENDAR_STANDARD || time->kind == SST_CALENDAR_PROLEPTIC_GREGORIAN;
    const struct sst_clim_text time_texts[] = {{"standard_name", "time"},
                                               {"long_name", "calendar day, in a nominal year"},
                                               {"units", SST_CLIM_TIME_UNITS},
                                               {"units_metadata", real_days ? "leap_seconds: none" : ""},
                                               {"calendar", sst_calendar_name(time->kind)},
                                               {"axis", "T"},
                                               {"climatology", "climatology_bounds"}};
    const struct sst_clim_text day_texts[] = {{"long_name", "calendar day as month * 100 + day"}, {"units", "1"}};
    const int bounds_dims[] = {dims->data[0], dims->ends};
    int noon, bounds, month_day;
    SST_TRY(sst_clim_nc_define(layout, "time", NC_DOUBLE, 1, dims->data, &noon, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, noon, time_texts, err));
    SST_TRY(sst_clim_nc_define(layout, "climatology_bounds", NC_DOUBLE, 2, bounds_dims, &bounds, err));
    SST_TRY(sst_clim_nc_define(layout, "calendar_day", NC_SHORT, 1, dims->data, &month_day, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, month_day, day_texts, err));
    SST_TRY(sst_clim_nc_check(layout, nc_put_var_double(layout->ncid, noon, &time->noon[first]), "time", err));
    SST_TRY(sst_clim_nc_check(layout, nc_put_var_double(layout->ncid, bounds, time->bounds[first]),
                              "climatology_bounds", err));
    return sst_clim_nc_check(layout, nc_put_var_short(layout->ncid, month_day, &time->month_day[first]), "calendar_day",
                             err);
}

/* One horizontal axis and the attributes that repeat its extent for catalogues. */
struct axis {
    const char *name, *standard_name, *units, *letter;
    int dim;
    size_t length;
    const double *values;
};

static enum sst_status write_extent(const struct sst_clim_layout *layout, const struct axis *axis,
                                    struct sst_error *err)
{
    const double *values = axis->values;
    const double first = values[0], last = values[axis->length - 1];
    const double span[] = {fmin(first, last), fmax(first, last)};
    const double mean_step = axis->length > 1 ? fabs(last - first) / (double)(axis->length - 1) : 0;
    bool regular = axis->length > 1;
    for (size_t i = 1; i < axis->length; ++i)
        regular = regular && fabs(fabs(values[i] - values[i - 1]) - mean_step) < REGULAR_TOLERANCE * mean_step;
    const char *const ends[] = {"min", "max"};
    char name[NAME_SIZE];
    for (int end = 0; end < 2; ++end) {
        (void)snprintf(name, sizeof name, "geospatial_%s_%s", axis->name, ends[end]);
        SST_TRY(sst_clim_nc_check(layout, nc_put_att_double(layout->ncid, NC_GLOBAL, name, NC_DOUBLE, 1, &span[end]),
                                  name, err));
    }
    (void)snprintf(name, sizeof name, "geospatial_%s_resolution", axis->name);
    if (regular)
        SST_TRY(sst_clim_nc_check(layout, nc_put_att_double(layout->ncid, NC_GLOBAL, name, NC_DOUBLE, 1, &mean_step),
                                  name, err));
    (void)snprintf(name, sizeof name, "geospatial_%s_units", axis->name);
    return sst_clim_nc_texts(layout, NC_GLOBAL, &(struct sst_clim_text){name, axis->units}, 1, err);
}

static enum sst_status write_axis(const struct sst_clim_layout *layout, const struct axis *axis, struct sst_error *err)
{
    const struct sst_clim_text texts[] = {{"standard_name", axis->standard_name},
                                          {"long_name", axis->standard_name},
                                          {"units", axis->units},
                                          {"axis", axis->letter}};
    int variable;
    SST_TRY(sst_clim_nc_define(layout, axis->name, NC_DOUBLE, 1, &axis->dim, &variable, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, variable, texts, err));
    SST_TRY(sst_clim_nc_check(layout, nc_put_var_double(layout->ncid, variable, axis->values), axis->name, err));
    return write_extent(layout, axis, err);
}

enum sst_status sst_clim_nc_place(const struct sst_clim_layout *layout, const struct sst_domain *domain,
                                  const struct sst_clim_dims *dims, struct sst_error *err)
{
    double *lat = NULL, *lon = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_domain_axes(domain, &lat, &lon, err));
    SST_TRY_GOTO(write_axis(
        layout, &(struct axis){"lat", "latitude", "degrees_north", "Y", dims->data[1], domain->n_rows, lat}, err));
    SST_TRY_GOTO(write_axis(
        layout, &(struct axis){"lon", "longitude", "degrees_east", "X", dims->data[2], domain->n_cols, lon}, err));
done:
    sst_free(lat);
    sst_free(lon);
    return rc;
}
