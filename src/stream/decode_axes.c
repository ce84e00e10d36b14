/* Which dimension is latitude, longitude or time: by units, standard_name and axis first, names last; and the grid. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "stream/decode_private.h"

/* [cells] Grids beyond this are damaged headers; cell indices stay within 31 bits. */
#define MAX_CELLS ((size_t)INT32_MAX)

/* [deg] Two meridians nearer than this share of the spacing are one: the seam column that some writers repeat. */
#define SEAM_TOLERANCE SST_GRID_TOLERANCE

static const char *const lat_names[] = {"lat", "latitude", "nav_lat", "lats", "latitudes", "y", "rlat"};
static const char *const lon_names[] = {"lon", "longitude", "nav_lon", "lons", "longitudes", "long", "x", "rlon"};
static const char *const time_names[] = {"time", "valid_time", "t", "time_counter", "date"};
static const char *const lat_units[] = {"degrees_north", "degree_north", "degree_N",     "degrees_N",
                                        "degreeN",       "degreesN",     "degrees north"};
static const char *const lon_units[] = {"degrees_east", "degree_east", "degree_E",    "degrees_E",
                                        "degreeE",      "degreesE",    "degrees east"};

#define IN(list, text) is_in(list, sizeof list / sizeof *list, text)

static bool is_in(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; ++i)
        if (strcasecmp(list[i], text) == 0)
            return true;
    return false;
}

static enum sst_decode_role role_by_attributes(const struct sst_file *file, int varid)
{
    char units[SST_DECODE_TEXT_SIZE], standard_name[SST_DECODE_TEXT_SIZE], axis[SST_DECODE_TEXT_SIZE];
    sst_decode_attr_text(file->ncid, varid, "units", units, sizeof units);
    sst_decode_attr_text(file->ncid, varid, "standard_name", standard_name, sizeof standard_name);
    sst_decode_attr_text(file->ncid, varid, "axis", axis, sizeof axis);
    if (IN(lat_units, units) || strcmp(standard_name, "latitude") == 0)
        return SST_ROLE_LAT;
    if (IN(lon_units, units) || strcmp(standard_name, "longitude") == 0)
        return SST_ROLE_LON;
    if (strcmp(standard_name, "time") == 0 || strstr(units, " since "))
        return SST_ROLE_TIME;
    if (strcasecmp(axis, "Y") == 0)
        return SST_ROLE_LAT;
    if (strcasecmp(axis, "X") == 0)
        return SST_ROLE_LON;
    return strcasecmp(axis, "T") == 0 ? SST_ROLE_TIME : SST_ROLE_OTHER;
}

/* Names count for coordinates only: a field may be called "t" too. */
static enum sst_decode_role role_by_name(const char *name, int rank)
{
    if (rank <= 2 && IN(lat_names, name))
        return SST_ROLE_LAT;
    if (rank <= 2 && IN(lon_names, name))
        return SST_ROLE_LON;
    return rank <= 1 && IN(time_names, name) ? SST_ROLE_TIME : SST_ROLE_OTHER;
}

static bool is_number(nc_type type) { return type != NC_CHAR && type != NC_STRING && type <= NC_MAX_ATOMIC_TYPE; }

enum sst_decode_role sst_decode_role_of(const struct sst_file *file, int varid)
{
    char name[NC_MAX_NAME + 1];
    nc_type type = NC_NAT;
    int rank = 0;
    if (nc_inq_var(file->ncid, varid, name, &type, &rank, NULL, NULL) != NC_NOERR || !is_number(type))
        return SST_ROLE_OTHER;
    const enum sst_decode_role role = role_by_attributes(file, varid);
    return role != SST_ROLE_OTHER ? role : role_by_name(name, rank);
}

/* Rank and dimensions of a variable; rank -1 where it has more than are of use here. */
static int rank_of(const struct sst_file *file, int varid, int *dim_ids)
{
    int rank = -1;
    if (nc_inq_varndims(file->ncid, varid, &rank) != NC_NOERR || rank > SST_DECODE_MAX_RANK ||
        nc_inq_vardimid(file->ncid, varid, dim_ids) != NC_NOERR)
        return -1;
    for (int i = 0; i < rank; ++i)
        if (dim_ids[i] < 0 || dim_ids[i] >= file->n_dims)
            return -1;
    return rank;
}

/* How good a variable is as the coordinate of its only dimension: 0 no, 1 by attributes or name, 2 also named so. */
static int fitness_as_coordinate(const struct sst_file *file, int varid, int dim_id)
{
    char variable[NC_MAX_NAME + 1], dimension[NC_MAX_NAME + 1];
    if (sst_decode_role_of(file, varid) == SST_ROLE_OTHER || nc_inq_varname(file->ncid, varid, variable) != NC_NOERR ||
        nc_inq_dimname(file->ncid, dim_id, dimension) != NC_NOERR)
        return 0;
    return strcmp(variable, dimension) == 0 ? 2 : 1;
}

static void mark_bounds(struct sst_file *file, int varid)
{
    static const char *const names[] = {"bounds", "climatology"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char bounds[SST_DECODE_TEXT_SIZE];
        int bounds_id = -1;
        sst_decode_attr_text(file->ncid, varid, names[i], bounds, sizeof bounds);
        if (bounds[0] && nc_inq_varid(file->ncid, bounds, &bounds_id) == NC_NOERR)
            file->is_bounds[bounds_id] = true;
    }
}

enum sst_status sst_decode_find_axes(struct sst_file *file, struct sst_error *err)
{
    if (nc_inq(file->ncid, &file->n_dims, &file->n_vars, NULL, NULL) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "its header cannot be read. Fetch the file again");
    SST_TRY(sst_alloc((size_t)file->n_dims, sizeof *file->dim_roles, "dimensions", &file->dim_roles, err));
    SST_TRY(sst_alloc((size_t)file->n_dims, sizeof *file->dim_coordinates, "dimensions", &file->dim_coordinates, err));
    SST_TRY(sst_alloc((size_t)file->n_vars, sizeof *file->is_bounds, "variables", &file->is_bounds, err));
    for (int dim = 0; dim < file->n_dims; ++dim)
        file->dim_coordinates[dim] = -1;
    for (int varid = 0; varid < file->n_vars; ++varid) {
        mark_bounds(file, varid);
        int dims[SST_DECODE_MAX_RANK];
        const int rank = rank_of(file, varid, dims);
        if (rank == 2) {
            const enum sst_decode_role role = sst_decode_role_of(file, varid);
            file->has_2d_coordinates |= role == SST_ROLE_LAT || role == SST_ROLE_LON;
        }
        if (rank != 1)
            continue;
        const int fitness = fitness_as_coordinate(file, varid, dims[0]);
        const int present = file->dim_coordinates[dims[0]];
        if (fitness > (present < 0 ? 0 : fitness_as_coordinate(file, present, dims[0]))) {
            file->dim_coordinates[dims[0]] = varid;
            file->dim_roles[dims[0]] = sst_decode_role_of(file, varid);
        }
    }
    return SST_OK;
}

bool sst_decode_is_on_grid(const struct sst_file *file, int varid)
{
    int dims[SST_DECODE_MAX_RANK], n_lat = 0, n_lon = 0;
    const int rank = rank_of(file, varid, dims);
    for (int i = 0; i < rank; ++i) {
        n_lat += file->dim_roles[dims[i]] == SST_ROLE_LAT;
        n_lon += file->dim_roles[dims[i]] == SST_ROLE_LON;
    }
    return n_lat == 1 && n_lon == 1;
}

bool sst_decode_is_coordinate(const struct sst_file *file, int varid)
{
    return file->is_bounds[varid] || sst_decode_role_of(file, varid) != SST_ROLE_OTHER;
}

/* A dimension that is neither time nor place must have one item; the message says how to take one. */
static enum sst_status refuse_extra_dimension(const char *variable, const char *dim, size_t length,
                                              struct sst_error *err)
{
    static const char *const level_names[] = {"zlev",   "depth", "lev",      "level",
                                              "deptht", "z",     "altitude", "lev_partial"};
    if (strcasecmp(dim, "expver") == 0)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': dimension 'expver' has %zu items: the file mixes final (ERA5) and preliminary "
                        "(ERA5T) data. Make one field of them first, or take one: ncks -d expver,0 FILE OUT.nc",
                        variable, length);
    return sst_fail(
        err, SST_ERR_INPUT,
        "variable '%s': dimension '%s' has %zu %s, and one is wanted. Take it first: ncks -d %s,0 FILE OUT.nc",
        variable, dim, length, IN(level_names, dim) ? "levels" : "items", dim);
}

static enum sst_status refuse_shape(const struct sst_file *file, const struct sst_decode_variable *variable,
                                    struct sst_error *err)
{
    if (file->has_2d_coordinates)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': its latitudes and longitudes are two-dimensional. Remap it to a regular grid "
                        "first: cdo remapbil,global_0.25 FILE OUT.nc",
                        variable->name);
    return sst_fail(
        err, SST_ERR_INPUT,
        "variable '%s': no latitude and longitude dimension (none has units degrees_north and degrees_east, "
        "or is named lat and lon). Add coordinate variables first, or remap to a regular grid",
        variable->name);
}

static enum sst_status place_dimension(const struct sst_file *file, struct sst_decode_variable *variable, int at,
                                       struct sst_error *err)
{
    char name[NC_MAX_NAME + 1];
    size_t length = 0;
    const int dim = variable->dim_ids[at];
    if (nc_inq_dim(file->ncid, dim, name, &length) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s': dimension %d cannot be read", variable->name, at);
    const enum sst_decode_role role = file->dim_roles[dim];
    int *place = role == SST_ROLE_TIME  ? &variable->time_at
                 : role == SST_ROLE_LAT ? &variable->lat_at
                 : role == SST_ROLE_LON ? &variable->lon_at
                                        : NULL;
    if (place && *place < 0) {
        *place = at;
        return SST_OK;
    }
    return length == 1 ? SST_OK : refuse_extra_dimension(variable->name, name, length, err);
}

/* Types as stored, or as `_Unsigned` says that the bits are meant. */
static nc_type type_as_meant(const struct sst_file *file, int varid, nc_type type)
{
    char is_unsigned[SST_DECODE_TEXT_SIZE];
    sst_decode_attr_text(file->ncid, varid, "_Unsigned", is_unsigned, sizeof is_unsigned);
    if (strcasecmp(is_unsigned, "true") != 0)
        return type;
    return type == NC_BYTE ? NC_UBYTE : type == NC_SHORT ? NC_USHORT : type == NC_INT ? NC_UINT : type;
}

enum sst_status sst_decode_lay_out(const struct sst_file *file, int varid, struct sst_decode_variable *out,
                                   struct sst_error *err)
{
    struct sst_decode_variable found = {.id = varid, .time_at = -1, .lat_at = -1, .lon_at = -1, .scale = 1.0};
    nc_type type = NC_NAT;
    if (nc_inq_var(file->ncid, varid, found.name, &type, &found.rank, NULL, NULL) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable %d cannot be read", varid);
    if (!is_number(type))
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' holds no numbers. Name another with --var", found.name);
    if (rank_of(file, varid, found.dim_ids) < 0)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' has %d dimensions, more than %d. Reduce it first",
                        found.name, found.rank, SST_DECODE_MAX_RANK);
    if (!sst_decode_is_on_grid(file, varid))
        return refuse_shape(file, &found, err);
    for (int at = 0; at < found.rank; ++at)
        SST_TRY(place_dimension(file, &found, at, err));
    found.type = type_as_meant(file, varid, type);
    *out = found;
    return SST_OK;
}

/* Refuses values that were never written, and what attributes declare missing. */
static enum sst_status check_axis(const struct sst_file *file, int varid, const char *name, const double *axis,
                                  size_t n, struct sst_error *err)
{
    double fill[1] = {NC_FILL_DOUBLE};
    size_t n_fills = 0;
    char units[SST_DECODE_TEXT_SIZE];
    SST_TRY(sst_decode_attr_numbers(file, varid, "_FillValue", fill, 1, &n_fills, NULL, err));
    for (size_t i = 0; i < n; ++i)
        if (isnan(axis[i]) || axis[i] == fill[0] || fabs(axis[i]) >= (double)NC_FILL_FLOAT)
            return sst_fail(
                err, SST_ERR_GRID,
                "variable '%s': value %zu is %g, a fill: the coordinates were never written. Write them first", name, i,
                axis[i]);
    sst_decode_attr_text(file->ncid, varid, "units", units, sizeof units);
    if (strcasestr(units, "radian"))
        return sst_fail(err, SST_ERR_GRID, "variable '%s': units '%s' are no degrees. Convert it first", name, units);
    return SST_OK;
}

static enum sst_status read_axis(const struct sst_file *file, int dim, double **out, size_t *n, struct sst_error *err)
{
    char name[NC_MAX_NAME + 1] = "";
    double scale[1] = {1.0}, offset[1] = {0.0};
    size_t n_found = 0;
    const int varid = file->dim_coordinates[dim];
    if (nc_inq_dimlen(file->ncid, dim, n) != NC_NOERR || nc_inq_varname(file->ncid, varid, name) != NC_NOERR)
        return sst_fail(err, SST_ERR_GRID, "coordinate variables cannot be read. Fetch the file again");
    if (*n == 0 || *n > MAX_CELLS)
        return sst_fail(err, SST_ERR_GRID, "variable '%s': %zu cells along it is no map", name, *n);
    SST_TRY(sst_alloc(*n, sizeof **out, name, out, err));
    const int status = nc_get_var_double(file->ncid, varid, *out);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_GRID, "variable '%s' cannot be read: %s. Fetch the file again", name,
                        nc_strerror(status));
    SST_TRY(check_axis(file, varid, name, *out, *n, err));
    SST_TRY(sst_decode_attr_numbers(file, varid, "scale_factor", scale, 1, &n_found, NULL, err));
    SST_TRY(sst_decode_attr_numbers(file, varid, "add_offset", offset, 1, &n_found, NULL, err));
    if (scale[0] != 1.0 || offset[0] != 0.0)
        for (size_t i = 0; i < *n; ++i)
            (*out)[i] = (*out)[i] * scale[0] + offset[0];
    return SST_OK;
}

/* Some writers give the first meridian again at the end: the last column is then left out. */
static size_t without_seam_column(struct sst_file *file, const double *lon, size_t n)
{
    if (n < 3)
        return n;
    const double tolerance = SEAM_TOLERANCE * fabs(lon[1] - lon[0]);
    if (fabs(lon[n - 1] - lon[0] - 360.0) > tolerance)
        return n;
    sst_decode_note(file, "longitudes %g and %g are one meridian; the last column is left out", lon[0], lon[n - 1]);
    return n - 1;
}

enum sst_status sst_decode_read_grid(struct sst_file *file, const struct sst_decode_variable *variable,
                                     struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    double *lat = NULL, *lon = NULL;
    size_t n_lat = 0, n_lon = 0, n_cells = 0;
    SST_TRY_GOTO(read_axis(file, variable->dim_ids[variable->lat_at], &lat, &n_lat, err));
    SST_TRY_GOTO(read_axis(file, variable->dim_ids[variable->lon_at], &lon, &n_lon, err));
    if (__builtin_mul_overflow(n_lat, n_lon, &n_cells) || n_cells > MAX_CELLS) {
        rc = sst_fail(err, SST_ERR_GRID, "grid of %zu x %zu cells is larger than 2^31 cells. Cut it first", n_lat,
                      n_lon);
        goto done;
    }
    SST_TRY_GOTO(sst_grid_create(lat, n_lat, lon, without_seam_column(file, lon, n_lon), &file->grid, err));
    file->info.grid = file->grid;
done:
    sst_free(lat);
    sst_free(lon);
    return rc;
}
