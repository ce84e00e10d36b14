/*
 * Small netCDF files of any make for tests: dimensions, variables and attributes are added to a spec, then written.
 *
 *   struct make_nc_spec spec = {.format = NC_NETCDF4};
 *   make_nc_dim(&spec, "lat", 4);
 *   struct make_nc_var *sst = make_nc_var(&spec, "sst", NC_SHORT, "time lat lon", values);
 *   make_nc_number(sst, "scale_factor", NC_FLOAT, 0.01);
 *   make_nc_write(&spec, path);
 */
#ifndef SST_MAKE_NC_H
#define SST_MAKE_NC_H

#include <netcdf.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    MAKE_NC_MAX_DIMS = 8,
    MAKE_NC_MAX_VARS = 16,
    MAKE_NC_MAX_ATTRS = 12,
    MAKE_NC_MAX_VALUES = 16,
    MAKE_NC_NAME_SIZE = 64,
    MAKE_NC_MAX_FILTER_VALUES = 4
};

struct make_nc_attr {
    const char *name;
    const char *text; /* char or, with type NC_STRING, string attribute; NULL for numbers */
    nc_type type;
    size_t n;
    double values[MAKE_NC_MAX_VALUES];
};

struct make_nc_var {
    const char *name;
    nc_type type;
    char dims[MAKE_NC_MAX_DIMS][MAKE_NC_NAME_SIZE];
    size_t n_dims;
    const double *values; /* in the order of the dimensions; borrowed; NULL: never written */
    size_t chunks[MAKE_NC_MAX_DIMS]; /* 0: as the library likes */
    int deflate_level; /* 0: none; with shuffle, unless */
    bool is_unshuffled;
    bool is_shuffled; /* without deflate too */
    bool has_checksum; /* fletcher32 */
    bool is_contiguous, is_compact;
    int endian; /* NC_ENDIAN_NATIVE (0), NC_ENDIAN_LITTLE or NC_ENDIAN_BIG */
    unsigned filter; /* HDF5's number of one more filter; 0: none */
    unsigned filter_values[MAKE_NC_MAX_FILTER_VALUES];
    size_t n_filter_values;
    struct make_nc_attr attrs[MAKE_NC_MAX_ATTRS];
    size_t n_attrs;
};

struct make_nc_spec {
    int format; /* 0, NC_64BIT_OFFSET, NC_64BIT_DATA, NC_NETCDF4, NC_NETCDF4 | NC_CLASSIC_MODEL */
    struct {
        const char *name;
        size_t length;
        bool is_unlimited;
    } dims[MAKE_NC_MAX_DIMS];
    size_t n_dims;
    struct make_nc_var vars[MAKE_NC_MAX_VARS];
    size_t n_vars;
    struct make_nc_var global; /* its attributes only */
};

void make_nc_dim(struct make_nc_spec *spec, const char *name, size_t length);
void make_nc_record_dim(struct make_nc_spec *spec, const char *name, size_t length);

/* dims: names separated by blanks, slowest first; "" for a scalar. The result lives as long as the spec. */
struct make_nc_var *make_nc_var(struct make_nc_spec *spec, const char *name, nc_type type, const char *dims,
                                const double *values);

/* The variable of that name; the test fails where there is none. */
struct make_nc_var *make_nc_find(struct make_nc_spec *spec, const char *name);

/* Add an attribute, or put it in place of one of the same name. */
void make_nc_text(struct make_nc_var *var, const char *name, const char *text);
void make_nc_string(struct make_nc_var *var, const char *name, const char *text);
void make_nc_number(struct make_nc_var *var, const char *name, nc_type type, double value);
void make_nc_numbers(struct make_nc_var *var, const char *name, nc_type type, size_t n, const double *values);
void make_nc_drop(struct make_nc_var *var, const char *name);

/* Takes a variable out of the spec. */
void make_nc_remove(struct make_nc_spec *spec, const char *name);

/* Writes the file; the test fails where the library does. */
void make_nc_write(const struct make_nc_spec *spec, const char *path);

/*
 * A spec as OISST daily files are: time (1), zlev (1), lat, lon; sst int16 with scale 0.01f, fill -999, degrees Celsius.
 * `time` are days since 1978-01-01 12:00:00. All arrays are borrowed until the file is written.
 */
struct make_nc_axes {
    const double *lat, *lon, *time;
    size_t n_lat, n_lon;
};
void make_nc_oisst(struct make_nc_spec *spec, int format, const struct make_nc_axes *axes, const double *sst);

/* Other files than netCDF: these bytes. */
void make_bytes(const char *path, const void *bytes, size_t n);

/* Reads a whole file; *n gets its length. Owner: the caller, free(). */
unsigned char *read_bytes(const char *path, size_t *n);

#endif
