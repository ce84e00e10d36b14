/* Where a climatology file has its latitudes, longitudes and calendar days. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "write/clim_nc_read_private.h"

/* [cells] Grids beyond this are damaged headers. */
#define MAX_CELLS ((size_t)INT32_MAX)

/* [steps] More along a day axis are no climatology by calendar day, or a damaged header. */
#define MAX_DAYS ((size_t)SST_N_SLOTS)

enum {
    N_DAYS_COMMON = 365,
    N_DAYS_360 = 360,
    MAX_VARS = 1000 /* each is held against each: more are no climatology */
};

#define IN(list, text) is_in(list, sizeof list / sizeof *list, text)

static bool is_in(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; ++i)
        if (strcasecmp(list[i], text) == 0)
            return true;
    return false;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

bool sst_clim_nc_is_number(nc_type type) { return type != NC_CHAR && type != NC_STRING && type <= NC_MAX_ATOMIC_TYPE; }

const char *sst_clim_nc_text(int ncid, int varid, const char *name, char *out, size_t size)
{
    nc_type type = NC_NAT;
    size_t length = 0;
    out[0] = '\0';
    if (nc_inq_att(ncid, varid, name, &type, &length) != NC_NOERR)
        return out;
    if (type == NC_CHAR && length < size && nc_get_att_text(ncid, varid, name, out) == NC_NOERR) {
        out[length] = '\0';
    } else if (type == NC_STRING && length == 1) {
        char *text = NULL;
        if (nc_get_att_string(ncid, varid, name, &text) == NC_NOERR) {
            if (text)
                (void)snprintf(out, size, "%s", text);
            (void)nc_free_string(1, &text);
        }
    } else {
        out[0] = '\0';
    }
    return out;
}

size_t sst_clim_nc_numbers(int ncid, int varid, const char *name, double *out, size_t most)
{
    enum { ROOM = 64 };
    double all[ROOM];
    nc_type type = NC_NAT;
    size_t length = 0;
    if (nc_inq_att(ncid, varid, name, &type, &length) != NC_NOERR || !sst_clim_nc_is_number(type) || length > ROOM ||
        nc_get_att_double(ncid, varid, name, all) != NC_NOERR)
        return 0;
    const size_t n = length < most ? length : most;
    memcpy(out, all, n * sizeof *all);
    return n;
}

/* --- dimensions --------------------------------------------------------------------------------------------------- */

enum role { ROLE_OTHER, ROLE_LAT, ROLE_LON, ROLE_DAY };

static const char *const lat_names[] = {"lat", "latitude", "lats", "latitudes", "nav_lat"};
static const char *const lon_names[] = {"lon", "longitude", "lons", "longitudes", "long", "nav_lon"};
static const char *const lat_units[] = {"degrees_north", "degree_north", "degree_N",
                                        "degrees_N",     "degreeN",      "degreesN"};
static const char *const lon_units[] = {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"};
static const char *const month_day_names[] = {"mmdd", "month_day", "monthday", "calendar_day"};
static const char *const doy_names[] = {"doy", "dayofyear", "day_of_year", "yday", "julian_day", "doy366"};
static const char *const time_names[] = {"time", "t", "day", "date"};

static bool names_days(const char *name)
{
    return IN(month_day_names, name) || IN(doy_names, name) || IN(time_names, name);
}

static enum role role_of(int ncid, int varid, const char *name)
{
    char units[SST_CLIM_READ_TEXT_SIZE], standard[SST_CLIM_READ_TEXT_SIZE], axis[SST_CLIM_READ_TEXT_SIZE];
    (void)sst_clim_nc_text(ncid, varid, "units", units, sizeof units);
    (void)sst_clim_nc_text(ncid, varid, "standard_name", standard, sizeof standard);
    (void)sst_clim_nc_text(ncid, varid, "axis", axis, sizeof axis);
    if (IN(lat_units, units) || strcmp(standard, "latitude") == 0 || strcasecmp(axis, "Y") == 0)
        return ROLE_LAT;
    if (IN(lon_units, units) || strcmp(standard, "longitude") == 0 || strcasecmp(axis, "X") == 0)
        return ROLE_LON;
    if (strstr(units, " since ") || strcmp(standard, "time") == 0 || names_days(name))
        return ROLE_DAY;
    if (IN(lat_names, name))
        return ROLE_LAT;
    return IN(lon_names, name) ? ROLE_LON : ROLE_OTHER;
}

/* The coordinate variable of a dimension, which has its name; -1 where there is none. */
static int coordinate_of(int ncid, int dim)
{
    char name[NC_MAX_NAME + 1];
    int varid = -1, rank = 0, dims[SST_CLIM_READ_MAX_RANK];
    nc_type type = NC_NAT;
    if (nc_inq_dimname(ncid, dim, name) != NC_NOERR || nc_inq_varid(ncid, name, &varid) != NC_NOERR ||
        nc_inq_varndims(ncid, varid, &rank) != NC_NOERR || rank != 1 ||
        nc_inq_var(ncid, varid, NULL, &type, NULL, dims, NULL) != NC_NOERR || dims[0] != dim ||
        !sst_clim_nc_is_number(type))
        return -1;
    return varid;
}

/* A one-dimensional variable of that role along a dimension that has no coordinate of its name; -1 without. */
static int auxiliary_of(int ncid, int dim, enum role wanted)
{
    int n_vars = 0;
    if (nc_inq_nvars(ncid, &n_vars) != NC_NOERR)
        return -1;
    for (int varid = 0; varid < n_vars; ++varid) {
        char name[NC_MAX_NAME + 1];
        nc_type type = NC_NAT;
        int rank = 0, dims[SST_CLIM_READ_MAX_RANK];
        if (nc_inq_varndims(ncid, varid, &rank) != NC_NOERR || rank != 1 ||
            nc_inq_var(ncid, varid, name, &type, NULL, dims, NULL) != NC_NOERR || dims[0] != dim ||
            !sst_clim_nc_is_number(type))
            continue;
        if (role_of(ncid, varid, name) == wanted)
            return varid;
    }
    return -1;
}

static int variable_of_axis(int ncid, int dim, enum role role)
{
    const int varid = coordinate_of(ncid, dim);
    return varid >= 0 ? varid : auxiliary_of(ncid, dim, role);
}

static enum role role_of_dim(int ncid, int dim)
{
    char name[NC_MAX_NAME + 1];
    if (nc_inq_dimname(ncid, dim, name) != NC_NOERR)
        return ROLE_OTHER;
    const int varid = coordinate_of(ncid, dim);
    if (varid >= 0)
        return role_of(ncid, varid, name);
    if (auxiliary_of(ncid, dim, ROLE_LAT) >= 0)
        return ROLE_LAT;
    if (auxiliary_of(ncid, dim, ROLE_LON) >= 0)
        return ROLE_LON;
    return names_days(name) || auxiliary_of(ncid, dim, ROLE_DAY) >= 0 ? ROLE_DAY : ROLE_OTHER;
}

/* The dimensions of a variable if it is a field by day: a latitude, a longitude, at most one more that is not of one item. */
static bool dims_of_field(int ncid, int varid, struct sst_clim_dims *out)
{
    nc_type type = NC_NAT;
    int rank = 0, ids[SST_CLIM_READ_MAX_RANK];
    struct sst_clim_dims found = {-1, -1, -1};
    if (nc_inq_varndims(ncid, varid, &rank) != NC_NOERR || rank > SST_CLIM_READ_MAX_RANK ||
        nc_inq_var(ncid, varid, NULL, &type, NULL, ids, NULL) != NC_NOERR || !sst_clim_nc_is_number(type))
        return false;
    for (int i = 0; i < rank; ++i) {
        size_t length = 0;
        if (nc_inq_dimlen(ncid, ids[i], &length) != NC_NOERR)
            return false;
        const enum role role = role_of_dim(ncid, ids[i]);
        int *place = role == ROLE_LAT ? &found.lat : role == ROLE_LON ? &found.lon : &found.day;
        if (length == 1 && role == ROLE_OTHER)
            continue;
        if (*place >= 0)
            return false;
        *place = ids[i];
    }
    *out = found;
    return found.lat >= 0 && found.lon >= 0;
}

bool sst_clim_nc_is_field(const struct sst_clim_nc *nc, int varid)
{
    struct sst_clim_dims dims;
    return dims_of_field(nc->ncid, varid, &dims) && dims.lat == nc->dims.lat && dims.lon == nc->dims.lon &&
           dims.day == nc->dims.day;
}

static bool has_2d_coordinates(int ncid, int n_vars)
{
    for (int varid = 0; varid < n_vars; ++varid) {
        char name[NC_MAX_NAME + 1];
        int rank = 0;
        if (nc_inq_varname(ncid, varid, name) != NC_NOERR || nc_inq_varndims(ncid, varid, &rank) != NC_NOERR)
            continue;
        const enum role role = rank == 2 ? role_of(ncid, varid, name) : ROLE_OTHER;
        if (role == ROLE_LAT || role == ROLE_LON)
            return true;
    }
    return false;
}

static enum sst_status refuse_shape(int ncid, int n_vars, struct sst_error *err)
{
    if (has_2d_coordinates(ncid, n_vars))
        return sst_fail(err, SST_ERR_INPUT,
                        "its latitudes and longitudes are two-dimensional. Remap it to a regular grid first: cdo "
                        "remapbil,global_0.25 FILE OUT.nc");
    return sst_fail(err, SST_ERR_INPUT,
                    "no variable is a field of latitudes and longitudes by calendar day (coordinates are told by units "
                    "degrees_north and degrees_east, or the names lat and lon). Add coordinate variables first");
}

static bool length_of(int ncid, int dim, size_t *length)
{
    return dim < 0 || nc_inq_dimlen(ncid, dim, length) == NC_NOERR;
}

enum sst_status sst_clim_nc_find_dims(struct sst_clim_nc *nc, struct sst_error *err)
{
    int n_vars = 0;
    bool is_found = false;
    if (nc_inq_nvars(nc->ncid, &n_vars) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "its header cannot be read. Fetch the file again");
    if (n_vars > MAX_VARS)
        return sst_fail(err, SST_ERR_INPUT, "%d variables are no climatology. Take those that count: ncks -v NAMES",
                        n_vars);
    for (int varid = 0; varid < n_vars; ++varid) {
        struct sst_clim_dims dims;
        /* A field by day goes before one without days: a mask may stand first. */
        if (!dims_of_field(nc->ncid, varid, &dims) || (is_found && (nc->dims.day >= 0 || dims.day < 0)))
            continue;
        nc->dims = dims;
        is_found = true;
    }
    if (!is_found)
        return refuse_shape(nc->ncid, n_vars, err);
    nc->n_days = nc->n_lat = nc->n_lon = 1;
    if (!length_of(nc->ncid, nc->dims.day, &nc->n_days) || !length_of(nc->ncid, nc->dims.lat, &nc->n_lat) ||
        !length_of(nc->ncid, nc->dims.lon, &nc->n_lon))
        return sst_fail(err, SST_ERR_INPUT, "its dimensions cannot be read. Fetch the file again");
    return SST_OK;
}

/* --- grid --------------------------------------------------------------------------------------------------------- */

/* Values of a coordinate, unpacked. */
static enum sst_status read_values(int ncid, int varid, size_t n, double *out, struct sst_error *err)
{
    char name[NC_MAX_NAME + 1] = "";
    double scale = 1.0, offset = 0.0;
    (void)nc_inq_varname(ncid, varid, name);
    const int status = nc_get_var_double(ncid, varid, out);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' cannot be read: %s. Fetch the file again", name,
                        nc_strerror(status));
    (void)sst_clim_nc_numbers(ncid, varid, "scale_factor", &scale, 1);
    (void)sst_clim_nc_numbers(ncid, varid, "add_offset", &offset, 1);
    for (size_t i = 0; i < n; ++i)
        out[i] = out[i] * scale + offset;
    return SST_OK;
}

static enum sst_status read_axis(const struct sst_clim_nc *nc, int dim, enum role role, size_t n, double **out,
                                 struct sst_error *err)
{
    const char *what = role == ROLE_LAT ? "latitudes" : "longitudes";
    const int varid = variable_of_axis(nc->ncid, dim, role);
    if (varid < 0 || n == 0 || n > MAX_CELLS)
        return sst_fail(err, SST_ERR_GRID, "%s: %zu of them are no map. Fetch the file again", what, n);
    SST_TRY(sst_alloc(n, sizeof **out, what, out, err));
    return read_values(nc->ncid, varid, n, *out, err);
}

enum sst_status sst_clim_nc_read_grid(const struct sst_clim_nc *nc, struct sst_grid **out, struct sst_error *err)
{
    double *lat = NULL, *lon = NULL;
    enum sst_status rc = SST_OK;
    size_t n_cells = 0;
    if (__builtin_mul_overflow(nc->n_lat, nc->n_lon, &n_cells) || n_cells > MAX_CELLS)
        return sst_fail(err, SST_ERR_GRID, "grid of %zu x %zu cells is larger than 2^31 cells. Cut it first", nc->n_lat,
                        nc->n_lon);
    SST_TRY_GOTO(read_axis(nc, nc->dims.lat, ROLE_LAT, nc->n_lat, &lat, err));
    SST_TRY_GOTO(read_axis(nc, nc->dims.lon, ROLE_LON, nc->n_lon, &lon, err));
    SST_TRY_GOTO(sst_grid_create(lat, nc->n_lat, lon, nc->n_lon, out, err));
done:
    sst_free(lat);
    sst_free(lon);
    return rc;
}

/* --- days --------------------------------------------------------------------------------------------------------- */

static enum sst_status days_from_time(const struct sst_clim_nc *nc, const char *units, int varid, const double *values,
                                      struct sst_clim_days *out, struct sst_error *err)
{
    char calendar[SST_CLIM_READ_TEXT_SIZE];
    enum sst_calendar_kind kind = SST_CALENDAR_STANDARD;
    struct sst_time_axis axis;
    SST_TRY(sst_calendar_parse(sst_clim_nc_text(nc->ncid, varid, "calendar", calendar, sizeof calendar), &kind, err));
    SST_TRY(sst_time_axis_parse(units, kind, &axis, err));
    out->axis = SST_CLIM_AXIS_TIME;
    out->calendar = kind == SST_CALENDAR_360_DAY ? kind : SST_CALENDAR_STANDARD;
    for (size_t step = 0; step < nc->n_days; ++step) {
        struct sst_instant at;
        SST_TRY(sst_time_axis_at_real(&axis, values[step], &at, err));
        out->slots[step] = at.day.slot;
    }
    return SST_OK;
}

static bool is_whole(double value) { return value == floor(value); }

static enum sst_status days_from_month_days(const struct sst_clim_nc *nc, const char *name, const double *values,
                                            struct sst_clim_days *out, struct sst_error *err)
{
    out->axis = SST_CLIM_AXIS_MONTH_DAY;
    out->calendar = SST_CALENDAR_STANDARD;
    for (size_t step = 0; step < nc->n_days; ++step) {
        const double value = values[step];
        const int month_day = is_whole(value) && value >= 101.0 && value <= 1231.0 ? (int)value : 0;
        out->slots[step] =
            month_day > 0 ? sst_calendar_slot(SST_CALENDAR_STANDARD, month_day / 100, month_day % 100) : 0;
        if (out->slots[step] == 0)
            return sst_fail(
                err, SST_ERR_TIME,
                "variable '%s': value %zu is %g, not a calendar day as month * 100 + day. Write 101 to 1231", name,
                step, value);
    }
    return SST_OK;
}

/* The slot of day 1..n of a year of n days; 0 where there is no such day. */
static int slot_of_doy(size_t n_days, double doy)
{
    if (!is_whole(doy) || !(doy >= 1.0 && doy <= (double)n_days))
        return 0;
    const int day = (int)doy;
    return n_days == N_DAYS_COMMON && day >= SST_SLOT_FEB29 ? day + 1 : day;
}

static bool is_year(size_t n) { return n == SST_N_SLOTS || n == N_DAYS_COMMON || n == N_DAYS_360; }

static enum sst_status refuse_length(const char *object, size_t n, struct sst_error *err)
{
    return sst_fail(
        err, SST_ERR_TIME,
        "%s: %zu days are no year, so that it cannot be told which calendar days they are. Give 366, 365 or "
        "360 of them, or a time coordinate (days since ...)",
        object, n);
}

static enum sst_status days_from_doy(const struct sst_clim_nc *nc, const char *name, const double *values,
                                     struct sst_clim_days *out, struct sst_error *err)
{
    out->axis = SST_CLIM_AXIS_DAY_OF_YEAR;
    if (!is_year(nc->n_days))
        return refuse_length(name, nc->n_days, err);
    for (size_t step = 0; step < nc->n_days; ++step) {
        out->slots[step] = slot_of_doy(nc->n_days, values[step]);
        if (out->slots[step] == 0)
            return sst_fail(
                err, SST_ERR_TIME,
                "variable '%s': value %zu is %g, not one of the days 1 to %zu of a year. Write these, or a time "
                "coordinate (days since ...)",
                name, step, values[step], nc->n_days);
    }
    return SST_OK;
}

static enum sst_status days_from_places(const struct sst_clim_nc *nc, const char *dim, struct sst_clim_days *out,
                                        struct sst_error *err)
{
    out->axis = SST_CLIM_AXIS_PLACE;
    if (!is_year(nc->n_days))
        return refuse_length(dim, nc->n_days, err);
    for (size_t step = 0; step < nc->n_days; ++step)
        out->slots[step] = slot_of_doy(nc->n_days, (double)step + 1.0);
    return SST_OK;
}

static double largest(const double *values, size_t n)
{
    double most = -INFINITY;
    for (size_t i = 0; i < n; ++i)
        most = fmax(most, values[i]);
    return most;
}

static enum sst_status days_from_variable(const struct sst_clim_nc *nc, int varid, struct sst_clim_days *out,
                                          struct sst_error *err)
{
    char name[NC_MAX_NAME + 1] = "", units[SST_CLIM_READ_TEXT_SIZE];
    double *values = NULL;
    enum sst_status rc = SST_OK;
    (void)nc_inq_varname(nc->ncid, varid, name);
    SST_TRY(sst_alloc(nc->n_days, sizeof *values, "days", &values, err));
    SST_TRY_GOTO(read_values(nc->ncid, varid, nc->n_days, values, err));
    if (strstr(sst_clim_nc_text(nc->ncid, varid, "units", units, sizeof units), " since ")) {
        rc = days_from_time(nc, units, varid, values, out, err);
        if (rc != SST_OK)
            sst_error_prefix(err, "variable '%s'", name);
    } else if (IN(month_day_names, name) || largest(values, nc->n_days) > SST_N_SLOTS) {
        rc = days_from_month_days(nc, name, values, out, err);
    } else {
        rc = days_from_doy(nc, name, values, out, err);
    }
done:
    sst_free(values);
    return rc;
}

enum sst_status sst_clim_nc_read_days(const struct sst_clim_nc *nc, struct sst_clim_days *out, struct sst_error *err)
{
    char dim[NC_MAX_NAME + 1] = "";
    if (nc->dims.day < 0)
        return sst_fail(err, SST_ERR_TIME,
                        "it is one map, without a dimension of calendar days. Give a climatology of 366 or 365 days");
    (void)nc_inq_dimname(nc->ncid, nc->dims.day, dim);
    if (nc->n_days == 0 || nc->n_days > MAX_DAYS)
        return sst_fail(
            err, SST_ERR_TIME,
            "dimension '%s' has %zu steps: more than the 366 days of a year, or none. Give a climatology, not "
            "the daily values",
            dim, nc->n_days);
    SST_TRY(sst_alloc(nc->n_days, sizeof *out->slots, "days", &out->slots, err));
    out->calendar = nc->n_days == N_DAYS_360 ? SST_CALENDAR_360_DAY : SST_CALENDAR_STANDARD;
    const int varid = variable_of_axis(nc->ncid, nc->dims.day, ROLE_DAY);
    return varid >= 0 ? days_from_variable(nc, varid, out, err) : days_from_places(nc, dim, out, err);
}
