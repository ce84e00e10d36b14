/* Writes the small netCDF files of tests. */
#include "make_nc.h"

#include <check.h>
#include <netcdf_filter.h> /* after netcdf.h, which make_nc.h brings */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int status, const char *what)
{
    if (status != NC_NOERR)
        ck_abort_msg("%s: %s", what, nc_strerror(status));
}

static void add_dim(struct make_nc_spec *spec, const char *name, size_t length, bool is_unlimited)
{
    ck_assert_uint_lt(spec->n_dims, MAKE_NC_MAX_DIMS);
    spec->dims[spec->n_dims].name = name;
    spec->dims[spec->n_dims].length = length;
    spec->dims[spec->n_dims++].is_unlimited = is_unlimited;
}

void make_nc_dim(struct make_nc_spec *spec, const char *name, size_t length) { add_dim(spec, name, length, false); }

void make_nc_record_dim(struct make_nc_spec *spec, const char *name, size_t length)
{
    add_dim(spec, name, length, true);
}

struct make_nc_var *make_nc_var(struct make_nc_spec *spec, const char *name, nc_type type, const char *dims,
                                const double *values)
{
    ck_assert_uint_lt(spec->n_vars, MAKE_NC_MAX_VARS);
    struct make_nc_var *var = &spec->vars[spec->n_vars++];
    *var = (struct make_nc_var){.name = name, .type = type, .values = values};
    for (const char *at = dims; *at;) {
        const size_t length = strcspn(at, " ");
        ck_assert(var->n_dims < MAKE_NC_MAX_DIMS && length < MAKE_NC_NAME_SIZE);
        memcpy(var->dims[var->n_dims++], at, length);
        at += length + strspn(at + length, " ");
    }
    return var;
}

struct make_nc_var *make_nc_find(struct make_nc_spec *spec, const char *name)
{
    for (size_t i = 0; i < spec->n_vars; ++i)
        if (strcmp(spec->vars[i].name, name) == 0)
            return &spec->vars[i];
    ck_abort_msg("no variable %s in the spec", name);
    return NULL;
}

void make_nc_drop(struct make_nc_var *var, const char *name)
{
    for (size_t i = 0; i < var->n_attrs; ++i) {
        if (strcmp(var->attrs[i].name, name) != 0)
            continue;
        memmove(&var->attrs[i], &var->attrs[i + 1], (var->n_attrs - i - 1) * sizeof var->attrs[0]);
        --var->n_attrs;
        return;
    }
}

static struct make_nc_attr *add_attr(struct make_nc_var *var, const char *name)
{
    make_nc_drop(var, name);
    ck_assert_uint_lt(var->n_attrs, MAKE_NC_MAX_ATTRS);
    struct make_nc_attr *attr = &var->attrs[var->n_attrs++];
    *attr = (struct make_nc_attr){.name = name};
    return attr;
}

void make_nc_text(struct make_nc_var *var, const char *name, const char *text)
{
    struct make_nc_attr *attr = add_attr(var, name);
    attr->text = text;
    attr->type = NC_CHAR;
}

void make_nc_string(struct make_nc_var *var, const char *name, const char *text)
{
    struct make_nc_attr *attr = add_attr(var, name);
    attr->text = text;
    attr->type = NC_STRING;
}

void make_nc_numbers(struct make_nc_var *var, const char *name, nc_type type, size_t n, const double *values)
{
    struct make_nc_attr *attr = add_attr(var, name);
    ck_assert_uint_le(n, MAKE_NC_MAX_VALUES);
    attr->type = type;
    attr->n = n;
    memcpy(attr->values, values, n * sizeof *values);
}

void make_nc_number(struct make_nc_var *var, const char *name, nc_type type, double value)
{
    make_nc_numbers(var, name, type, 1, &value);
}

void make_nc_remove(struct make_nc_spec *spec, const char *name)
{
    struct make_nc_var *var = make_nc_find(spec, name);
    const size_t at = (size_t)(var - spec->vars);
    memmove(var, var + 1, (spec->n_vars - at - 1) * sizeof *var);
    --spec->n_vars;
}

static void write_attrs(int ncid, int varid, const struct make_nc_var *var)
{
    for (size_t i = 0; i < var->n_attrs; ++i) {
        const struct make_nc_attr *attr = &var->attrs[i];
        if (attr->type == NC_STRING) {
            const char *strings[1] = {attr->text};
            need(nc_put_att_string(ncid, varid, attr->name, 1, strings), attr->name);
        } else if (attr->text) {
            need(nc_put_att_text(ncid, varid, attr->name, strlen(attr->text), attr->text), attr->name);
        } else {
            need(nc_put_att_double(ncid, varid, attr->name, attr->type, attr->n, attr->values), attr->name);
        }
    }
}

static void define_var(int ncid, const struct make_nc_var *var, int *varid)
{
    int dim_ids[MAKE_NC_MAX_DIMS];
    for (size_t i = 0; i < var->n_dims; ++i)
        need(nc_inq_dimid(ncid, var->dims[i], &dim_ids[i]), var->dims[i]);
    need(nc_def_var(ncid, var->name, var->type, (int)var->n_dims, dim_ids, varid), var->name);
    if (var->chunks[0])
        need(nc_def_var_chunking(ncid, *varid, NC_CHUNKED, var->chunks), var->name);
    if (var->is_contiguous || var->is_compact)
        need(nc_def_var_chunking(ncid, *varid, var->is_compact ? NC_COMPACT : NC_CONTIGUOUS, NULL), var->name);
    if (var->deflate_level || var->is_shuffled)
        need(nc_def_var_deflate(ncid, *varid, !var->is_unshuffled, var->deflate_level > 0, var->deflate_level),
             var->name);
    if (var->has_checksum)
        need(nc_def_var_fletcher32(ncid, *varid, NC_FLETCHER32), var->name);
    if (var->endian)
        need(nc_def_var_endian(ncid, *varid, var->endian), var->name);
    if (var->filter)
        need(nc_def_var_filter(ncid, *varid, var->filter, var->n_filter_values, var->filter_values), var->name);
    write_attrs(ncid, *varid, var);
}

static size_t length_of(const struct make_nc_spec *spec, const char *dim)
{
    for (size_t i = 0; i < spec->n_dims; ++i)
        if (strcmp(spec->dims[i].name, dim) == 0)
            return spec->dims[i].length;
    ck_abort_msg("no dimension %s in the spec", dim);
    return 0;
}

/* The library refuses to write infinity as a double into floats. */
static void write_floats(int ncid, int varid, const size_t *start, const size_t *count, size_t n, const double *values)
{
    float *floats = malloc((n ? n : 1) * sizeof *floats);
    ck_assert_ptr_nonnull(floats);
    for (size_t i = 0; i < n; ++i)
        floats[i] = (float)values[i];
    need(nc_put_vara_float(ncid, varid, start, count, floats), "floats");
    free(floats);
}

static void write_values(int ncid, int varid, const struct make_nc_spec *spec, const struct make_nc_var *var)
{
    size_t start[MAKE_NC_MAX_DIMS] = {0}, count[MAKE_NC_MAX_DIMS];
    size_t n = 1;
    for (size_t i = 0; i < var->n_dims; ++i) {
        count[i] = length_of(spec, var->dims[i]);
        n *= count[i];
    }
    if (var->values && var->type == NC_FLOAT)
        write_floats(ncid, varid, start, count, n, var->values);
    else if (var->values)
        need(nc_put_vara_double(ncid, varid, start, count, var->values), var->name);
}

void make_nc_write(const struct make_nc_spec *spec, const char *path)
{
    int ncid = -1, varids[MAKE_NC_MAX_VARS], ignored = 0;
    (void)remove(path); /* one that a failed test left open must not spoil the next */
    need(nc_create(path, NC_CLOBBER | spec->format, &ncid), path);
    for (size_t i = 0; i < spec->n_dims; ++i)
        need(nc_def_dim(ncid, spec->dims[i].name, spec->dims[i].is_unlimited ? NC_UNLIMITED : spec->dims[i].length,
                        &ignored),
             spec->dims[i].name);
    for (size_t i = 0; i < spec->n_vars; ++i)
        define_var(ncid, &spec->vars[i], &varids[i]);
    write_attrs(ncid, NC_GLOBAL, &spec->global);
    need(nc_enddef(ncid), "enddef");
    for (size_t i = 0; i < spec->n_vars; ++i)
        write_values(ncid, varids[i], spec, &spec->vars[i]);
    need(nc_close(ncid), path);
}

void make_nc_oisst(struct make_nc_spec *spec, int format, const struct make_nc_axes *axes, const double *sst)
{
    static const double surface = 0.0;
    *spec = (struct make_nc_spec){.format = format};
    make_nc_record_dim(spec, "time", 1);
    make_nc_dim(spec, "zlev", 1);
    make_nc_dim(spec, "lat", axes->n_lat);
    make_nc_dim(spec, "lon", axes->n_lon);
    struct make_nc_var *var = make_nc_var(spec, "time", NC_FLOAT, "time", axes->time);
    make_nc_text(var, "units", "days since 1978-01-01 12:00:00");
    make_nc_text(make_nc_var(spec, "zlev", NC_FLOAT, "zlev", &surface), "units", "meters");
    make_nc_text(make_nc_var(spec, "lat", NC_FLOAT, "lat", axes->lat), "units", "degrees_north");
    make_nc_text(make_nc_var(spec, "lon", NC_FLOAT, "lon", axes->lon), "units", "degrees_east");
    var = make_nc_var(spec, "sst", NC_SHORT, "time zlev lat lon", sst);
    make_nc_text(var, "long_name", "Daily sea surface temperature");
    make_nc_text(var, "units", "Celsius");
    make_nc_number(var, "_FillValue", NC_SHORT, -999);
    make_nc_number(var, "add_offset", NC_FLOAT, 0.0);
    make_nc_number(var, "scale_factor", NC_FLOAT, 0.01);
}

void make_bytes(const char *path, const void *bytes, size_t n)
{
    FILE *stream = fopen(path, "wb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_uint_eq(fwrite(bytes, 1, n, stream), n);
    ck_assert_int_eq(fclose(stream), 0);
}

unsigned char *read_bytes(const char *path, size_t *n)
{
    FILE *stream = fopen(path, "rb");
    ck_assert_ptr_nonnull(stream);
    ck_assert_int_eq(fseek(stream, 0, SEEK_END), 0);
    const long size = ftell(stream);
    ck_assert_int_ge(size, 0);
    rewind(stream);
    unsigned char *bytes = malloc((size_t)size + 1);
    ck_assert_ptr_nonnull(bytes);
    *n = fread(bytes, 1, (size_t)size, stream);
    ck_assert_uint_eq(*n, (size_t)size);
    ck_assert_int_eq(fclose(stream), 0);
    return bytes;
}
