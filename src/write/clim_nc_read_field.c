/* Values of a climatology's variables: packing, units and missing values undone, turned into the order of a domain. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/mem.h"
#include "write/clim_nc_read_private.h"

/* [K] of 0 degC. */
#define ZERO_CELSIUS_KELVIN 273.15

/* Floating-point fills of other writers (1e20, 9.97e36, 1e35) lie beyond this. */
#define LEAST_FILL 1e19

enum temperature_unit { UNIT_NONE, UNIT_CELSIUS, UNIT_KELVIN, UNIT_UNKNOWN };

/* --- units -------------------------------------------------------------------------------------------------------- */

/* Spellings differ by case, by plural, and by what stands between "degree" and its scale. */
static enum temperature_unit read_units(const char *text)
{
    static const char *const kelvin[] = {"k",       "kelvin",   "kelvins",      "degk",
                                         "degreek", "degreesk", "degreekelvin", "degreeskelvin"};
    static const char *const celsius[] = {"c",          "celsius",       "degc",           "degreec",    "degreesc",
                                          "degcelsius", "degreecelsius", "degreescelsius", "centigrade", "\302\260c"};
    char bare[SST_CLIM_READ_TEXT_SIZE];
    size_t n = 0;
    for (; *text && n + 1 < sizeof bare; ++text)
        if (!strchr(" _.", *text))
            bare[n++] = *text;
    bare[n] = '\0';
    if (n == 0)
        return UNIT_NONE;
    for (size_t i = 0; i < sizeof kelvin / sizeof *kelvin; ++i)
        if (strcasecmp(bare, kelvin[i]) == 0)
            return UNIT_KELVIN;
    for (size_t i = 0; i < sizeof celsius / sizeof *celsius; ++i)
        if (strcasecmp(bare, celsius[i]) == 0)
            return UNIT_CELSIUS;
    return UNIT_UNKNOWN;
}

static enum sst_status settle_units(const struct sst_clim_nc *nc, const struct sst_clim_request *request,
                                    struct sst_clim_variable *variable, struct sst_error *err)
{
    if (request->units)
        (void)snprintf(variable->units, sizeof variable->units, "%s", request->units);
    else
        (void)sst_clim_nc_text(nc->ncid, variable->id, "units", variable->units, sizeof variable->units);
    switch (read_units(variable->units)) {
    case UNIT_KELVIN:
        variable->offset -= ZERO_CELSIUS_KELVIN;
        return SST_OK;
    case UNIT_UNKNOWN:
        return sst_fail(
            err, SST_ERR_INPUT,
            "variable '%s': units '%s' are neither kelvin nor degrees Celsius. Name another variable, or say what "
            "they are with %s (K, degC)",
            variable->name, variable->units, request->units_option ? request->units_option : "the options");
    case UNIT_NONE:
    case UNIT_CELSIUS:
        break;
    }
    return SST_OK;
}

/* --- layout ------------------------------------------------------------------------------------------------------- */

static void find_fills(int ncid, int varid, nc_type type, struct sst_clim_variable *variable)
{
    variable->n_fills = sst_clim_nc_numbers(ncid, varid, "missing_value", variable->fills, SST_CLIM_READ_MAX_FILLS - 1);
    double *own = &variable->fills[variable->n_fills];
    if (sst_clim_nc_numbers(ncid, varid, "_FillValue", own, 1) == 1) {
        ++variable->n_fills;
        return;
    }
    /* Single bytes have no default fill: all their values are in use. Those of floating point are beyond LEAST_FILL. */
    if (type == NC_SHORT || type == NC_INT || type == NC_USHORT) {
        *own = type == NC_SHORT ? NC_FILL_SHORT : type == NC_INT ? NC_FILL_INT : NC_FILL_USHORT;
        ++variable->n_fills;
    }
}

static void find_packing(int ncid, int varid, nc_type type, struct sst_clim_variable *variable)
{
    char is_unsigned[SST_CLIM_READ_TEXT_SIZE];
    variable->scale = 1.0;
    (void)sst_clim_nc_numbers(ncid, varid, "scale_factor", &variable->scale, 1);
    (void)sst_clim_nc_numbers(ncid, varid, "add_offset", &variable->offset, 1);
    (void)sst_clim_nc_text(ncid, varid, "_Unsigned", is_unsigned, sizeof is_unsigned);
    if (strcasecmp(is_unsigned, "true") == 0)
        variable->wrap = type == NC_BYTE ? 256.0 : type == NC_SHORT ? 65536.0 : type == NC_INT ? 4294967296.0 : 0.0;
}

/* Steps to be read at once: those that share chunks, or that lie among each other in the file. */
static size_t steps_together(const struct sst_clim_nc *nc, const struct sst_clim_variable *variable)
{
    int storage = NC_CONTIGUOUS;
    size_t chunks[SST_CLIM_READ_MAX_RANK];
    size_t steps = variable->day_at > 0 ? nc->n_days : 1;
    if (variable->day_at < 0)
        return 1;
    if (nc_inq_var_chunking(nc->ncid, variable->id, &storage, chunks) == NC_NOERR && storage == NC_CHUNKED)
        steps = chunks[variable->day_at];
    const size_t most = SST_CLIM_READ_BLOCK_BYTES / (nc->n_lat * nc->n_lon * sizeof *variable->block);
    steps = steps < most ? steps : most;
    steps = steps < nc->n_days ? steps : nc->n_days;
    return steps > 0 ? steps : 1;
}

enum sst_status sst_clim_variable_open(const struct sst_clim_nc *nc, const struct sst_clim_request *request,
                                       struct sst_clim_variable *out, struct sst_error *err)
{
    const char *name = request->name;
    int ids[SST_CLIM_READ_MAX_RANK];
    nc_type type = NC_NAT;
    sst_clim_variable_clear(out);
    out->day_at = out->lat_at = out->lon_at = -1;
    if (nc_inq_varid(nc->ncid, name, &out->id) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "no variable '%s'. 'ncdump -h FILE' shows those that there are", name);
    if (!sst_clim_nc_is_field(nc, out->id))
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s' is no field of numbers by calendar day, latitude and longitude. Name another",
                        name);
    if (nc_inq_var(nc->ncid, out->id, out->name, &type, &out->rank, ids, NULL) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' cannot be read. Fetch the file again", name);
    for (int at = 0; at < out->rank; ++at) {
        int *place = ids[at] == nc->dims.day   ? &out->day_at
                     : ids[at] == nc->dims.lat ? &out->lat_at
                     : ids[at] == nc->dims.lon ? &out->lon_at
                                               : NULL;
        if (place)
            *place = at;
    }
    find_packing(nc->ncid, out->id, type, out);
    find_fills(nc->ncid, out->id, type, out);
    out->block_steps = steps_together(nc, out);
    return request->is_temperature ? settle_units(nc, request, out, err) : SST_OK;
}

void sst_clim_variable_clear(struct sst_clim_variable *variable)
{
    sst_free(variable->block);
    memset(variable, 0, sizeof *variable);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static enum sst_status read_block(const struct sst_clim_nc *nc, struct sst_clim_variable *variable, size_t step,
                                  struct sst_error *err)
{
    size_t start[SST_CLIM_READ_MAX_RANK] = {0}, count[SST_CLIM_READ_MAX_RANK];
    const size_t first = step / variable->block_steps * variable->block_steps;
    const size_t n = first + variable->block_steps <= nc->n_days ? variable->block_steps : nc->n_days - first;
    if (!variable->block)
        SST_TRY(sst_alloc(variable->block_steps * nc->n_lat * nc->n_lon, sizeof *variable->block, "a block of days",
                          &variable->block, err));
    for (int at = 0; at < variable->rank; ++at)
        count[at] = at == variable->lat_at ? nc->n_lat : at == variable->lon_at ? nc->n_lon : 1;
    if (variable->day_at >= 0) {
        start[variable->day_at] = first;
        count[variable->day_at] = n;
    }
    variable->n_held = 0;
    const int status = nc_get_vara_double(nc->ncid, variable->id, start, count, variable->block);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' cannot be read: %s. Fetch the file again", variable->name,
                        nc_strerror(status));
    variable->first = first;
    variable->n_held = n;
    return SST_OK;
}

/* Distance in the block from one item to the next along a dimension. */
static size_t stride_of(const struct sst_clim_nc *nc, const struct sst_clim_variable *variable, int place)
{
    size_t stride = 1;
    for (int at = variable->rank - 1; at > place; --at)
        stride *= at == variable->lat_at   ? nc->n_lat
                  : at == variable->lon_at ? nc->n_lon
                  : at == variable->day_at ? variable->n_held
                                           : 1;
    return stride;
}

static double value_of(const struct sst_clim_variable *variable, double raw)
{
    if (!isfinite(raw) || fabs(raw) >= LEAST_FILL)
        return NAN;
    for (size_t i = 0; i < variable->n_fills; ++i)
        if (raw == variable->fills[i])
            return NAN;
    if (raw < 0.0)
        raw += variable->wrap;
    return raw * variable->scale + variable->offset;
}

enum sst_status sst_clim_variable_get(const struct sst_clim_nc *nc, struct sst_clim_variable *variable, size_t step,
                                      const struct sst_domain *domain, const struct sst_grid_map *map, double *out,
                                      struct sst_error *err)
{
    if (step < variable->first || step >= variable->first + variable->n_held)
        SST_TRY(read_block(nc, variable, step, err));
    const size_t row_stride = stride_of(nc, variable, variable->lat_at);
    const size_t col_stride = stride_of(nc, variable, variable->lon_at);
    const double *values = variable->block;
    if (variable->day_at >= 0)
        values += (step - variable->first) * stride_of(nc, variable, variable->day_at);
    for (size_t row = 0; row < domain->n_rows; ++row) {
        const size_t run_row = domain->row0 + row;
        const size_t file_row = map->flip_lat ? nc->n_lat - 1 - run_row : run_row;
        size_t file_col = (domain->col0 + map->shift_lon) % nc->n_lon;
        for (size_t col = 0; col < domain->n_cols; ++col) {
            out[row * domain->n_cols + col] = value_of(variable, values[file_row * row_stride + file_col * col_stride]);
            file_col = file_col + 1 < nc->n_lon ? file_col + 1 : 0;
        }
    }
    return SST_OK;
}
