/* What a stored number means: scale and offset, fills, valid range, and the lattice of a packing. */
#include <float.h>
#include <math.h>

#include "stream/decode_private.h"

/* [1] A scale_factor that differs less than this from a multiple of the step is that multiple: float32 holds 6e-8. */
#define LATTICE_SCALE_TOLERANCE 1e-5
/* [steps] An add_offset may miss the lattice by this much: 298.15 as float32 is off by 0.012 steps of 0.001 degC. */
#define LATTICE_OFFSET_TOLERANCE 0.02
/* [steps] A scale wider than this is no fine packing of temperatures; the lattice is then not asked for. */
#define LATTICE_MAX_MULTIPLE 10000.0

/* [degC] A valid range narrower than this, once unpacked, was not meant as stored numbers. */
#define NARROWEST_VALID_RANGE 5.0

bool sst_decode_is_integer(nc_type type) { return type != NC_FLOAT && type != NC_DOUBLE; }

size_t sst_decode_type_size(nc_type type)
{
    switch (type) {
    case NC_BYTE:
    case NC_UBYTE:
        return 1;
    case NC_SHORT:
    case NC_USHORT:
        return 2;
    case NC_INT:
    case NC_UINT:
    case NC_FLOAT:
        return 4;
    default:
        return 8;
    }
}

/* What the netCDF library leaves where nothing was written; none for bytes, whose every value is data. */
static bool default_fill(nc_type type, double *out)
{
    switch (type) {
    case NC_SHORT:
        *out = NC_FILL_SHORT;
        return true;
    case NC_USHORT:
        *out = NC_FILL_USHORT;
        return true;
    case NC_INT:
        *out = NC_FILL_INT;
        return true;
    case NC_UINT:
        *out = NC_FILL_UINT;
        return true;
    case NC_INT64:
        *out = (double)NC_FILL_INT64;
        return true;
    case NC_UINT64:
        *out = (double)NC_FILL_UINT64;
        return true;
    case NC_FLOAT:
        *out = NC_FILL_FLOAT;
        return true;
    case NC_DOUBLE:
        *out = NC_FILL_DOUBLE;
        return true;
    default:
        return false;
    }
}

/* A value as the variable's type holds it: 1e20 becomes the float next to it; a signed fill of unsigned bits wraps. */
static double as_stored(nc_type type, double value)
{
    if (type == NC_FLOAT)
        return (double)(float)value;
    if (value < 0.0 && type == NC_UBYTE)
        return value + 256.0;
    if (value < 0.0 && type == NC_USHORT)
        return value + 65536.0;
    if (value < 0.0 && type == NC_UINT)
        return value + 4294967296.0;
    return value;
}

static void add_fill(struct sst_decode_variable *variable, double value)
{
    if (isnan(value) || variable->n_fills == SST_DECODE_MAX_FILLS)
        return;
    const double stored = as_stored(variable->type, value);
    for (size_t i = 0; i < variable->n_fills; ++i)
        if (variable->fills[i] == stored)
            return;
    variable->fills[variable->n_fills++] = stored;
}

static enum sst_status read_fills(const struct sst_file *file, struct sst_decode_variable *variable,
                                  struct sst_error *err)
{
    static const char *const names[] = {"_FillValue", "missing_value"};
    double value = 0.0;
    if (default_fill(variable->type, &value))
        add_fill(variable, value);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        double values[SST_DECODE_MAX_FILLS];
        size_t n = 0;
        SST_TRY(sst_decode_attr_numbers(file, variable->id, names[i], values, SST_DECODE_MAX_FILLS - 2, &n, NULL, err));
        for (size_t k = 0; k < n; ++k)
            add_fill(variable, values[k]);
    }
    return SST_OK;
}

static enum sst_status read_factor(const struct sst_file *file, struct sst_decode_variable *variable, const char *name,
                                   double *out, struct sst_error *err)
{
    double value = 0.0;
    size_t n = 0;
    nc_type type = NC_NAT;
    SST_TRY(sst_decode_attr_numbers(file, variable->id, name, &value, 1, &n, &type, err));
    if (n == 0 && type != NC_NAT)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s': %s is empty. Repair the attribute (ncatted) or the file",
                        variable->name, name);
    if (n == 0)
        return SST_OK;
    if (!isfinite(value))
        return sst_fail(err, SST_ERR_INPUT, "variable '%s': %s is %g. Repair the attribute (ncatted)", variable->name,
                        name, value);
    *out = value;
    variable->has_scaling = true;
    return SST_OK;
}

/* Conventions apply a valid range only where it is of the type of the stored numbers. */
static enum sst_status read_limit(struct sst_file *file, struct sst_decode_variable *variable, const char *name,
                                  size_t n_wanted, double *out, bool *is_found, struct sst_error *err)
{
    size_t n = 0;
    nc_type type = NC_NAT, stored = NC_NAT;
    *is_found = false;
    if (nc_inq_atttype(file->ncid, variable->id, name, &type) != NC_NOERR)
        return SST_OK;
    (void)nc_inq_vartype(file->ncid, variable->id, &stored);
    if (type != stored && type != variable->type) {
        if (variable == &file->sst)
            sst_decode_note(file, "variable '%s': %s is not of the variable's type and is not applied", variable->name,
                            name);
        return SST_OK;
    }
    SST_TRY(sst_decode_attr_numbers(file, variable->id, name, out, n_wanted, &n, NULL, err));
    *is_found = n == n_wanted;
    for (size_t i = 0; i < n; ++i)
        out[i] = as_stored(variable->type, out[i]);
    return SST_OK;
}

static enum sst_status read_valid_range(struct sst_file *file, struct sst_decode_variable *variable,
                                        struct sst_error *err)
{
    double value[2];
    bool is_found = false;
    variable->valid_min = -DBL_MAX;
    variable->valid_max = DBL_MAX;
    SST_TRY(read_limit(file, variable, "valid_range", 2, value, &is_found, err));
    if (is_found) {
        variable->valid_min = value[0];
        variable->valid_max = value[1];
    }
    SST_TRY(read_limit(file, variable, "valid_min", 1, value, &is_found, err));
    if (is_found)
        variable->valid_min = value[0];
    SST_TRY(read_limit(file, variable, "valid_max", 1, value, &is_found, err));
    if (is_found)
        variable->valid_max = value[0];
    return SST_OK;
}

enum sst_status sst_decode_read_packing(struct sst_file *file, struct sst_decode_variable *variable,
                                        struct sst_error *err)
{
    SST_TRY(read_factor(file, variable, "scale_factor", &variable->scale, err));
    SST_TRY(read_factor(file, variable, "add_offset", &variable->offset, err));
    if (variable->scale == 0.0)
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': scale_factor is 0: all values would be %g. Repair the attribute (ncatted)",
                        variable->name, variable->offset);
    SST_TRY(read_fills(file, variable, err));
    return read_valid_range(file, variable, err);
}

void sst_decode_check_valid_range(struct sst_file *file)
{
    struct sst_decode_variable *sst = &file->sst;
    if (sst->valid_min == -DBL_MAX && sst->valid_max == DBL_MAX)
        return;
    const double a = sst_decode_degc(sst, &file->to_degc, sst->valid_min);
    const double b = sst_decode_degc(sst, &file->to_degc, sst->valid_max);
    const double low = fmin(a, b), high = fmax(a, b);
    if (low < SST_DECODE_MAX_DEGC && high > SST_DECODE_MIN_DEGC && high - low >= NARROWEST_VALID_RANGE)
        return;
    sst_decode_note(file, "variable '%s': valid range %g..%g would leave out nearly everything and is not applied",
                    sst->name, sst->valid_min, sst->valid_max);
    sst->valid_min = -DBL_MAX;
    sst->valid_max = DBL_MAX;
}

static bool is_on_lattice(double scale, double offset, struct sst_lattice lattice)
{
    const double steps = scale * lattice.steps_per_degree;
    const double multiple = nearbyint(steps);
    const double start = offset * lattice.steps_per_degree;
    return fabs(multiple) >= 1.0 && fabs(multiple) <= LATTICE_MAX_MULTIPLE &&
           fabs(steps - multiple) <= LATTICE_SCALE_TOLERANCE * fabs(multiple) &&
           fabs(start - nearbyint(start)) <= LATTICE_OFFSET_TOLERANCE;
}

enum sst_lattice_kind sst_decode_lattice_of(const struct sst_decode_variable *variable,
                                            const struct sst_decode_conversion *conversion, bool *is_exact)
{
    const double scale = variable->scale * conversion->slope;
    const double offset = variable->offset * conversion->slope + conversion->intercept;
    *is_exact = sst_decode_is_integer(variable->type);
    if (!*is_exact || is_on_lattice(scale, offset, sst_lattice_of(SST_LATTICE_CENTI)))
        return SST_LATTICE_CENTI;
    *is_exact = is_on_lattice(scale, offset, sst_lattice_of(SST_LATTICE_MILLI));
    return SST_LATTICE_MILLI;
}
