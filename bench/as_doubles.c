/*
 * Writes daily files again with SST as float64 in degrees Celsius, uncompressed and without sea ice: the form that the original
 * system read.
 *
 *   cmake --preset release && cmake --build --preset release --target sststream as_doubles
 *   build/release/sststream synth -o archive --grid 1440x721 --years 1991-2020 --days 0601-0910
 *   ls archive/ *.nc | xargs -n 64 -P 16 build/release/as_doubles doubles
 */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int code, const char *path, const char *what)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s: %s\n", path, what, nc_strerror(code));
    exit(1);
}

/* Files of the archive are of one make: four axes, then SST. */
enum { N_DIMS = 4 };
static const char *const axes[N_DIMS] = {"time", "zlev", "lat", "lon"};

struct pair {
    const char *path;
    int in, out, var_in, var_out;
    size_t lengths[N_DIMS], n_cells;
};

static double attribute(const struct pair *pair, const char *name, double otherwise)
{
    double value = otherwise;
    if (nc_get_att_double(pair->in, pair->var_in, name, &value) != NC_NOERR)
        return otherwise;
    return value;
}

static void define(struct pair *pair)
{
    int dims[N_DIMS], axis_in = 0, axis_out = 0, n_atts = 0;
    const double missing = -999.0;
    char name[NC_MAX_NAME + 1];
    pair->n_cells = 1;
    for (int d = 0; d < N_DIMS; ++d) {
        int dim = 0;
        need(nc_inq_dimid(pair->in, axes[d], &dim), pair->path, axes[d]);
        need(nc_inq_dimlen(pair->in, dim, &pair->lengths[d]), pair->path, axes[d]);
        need(nc_def_dim(pair->out, axes[d], pair->lengths[d], &dims[d]), pair->path, axes[d]);
        pair->n_cells *= pair->lengths[d];
    }
    for (int d = 0; d < N_DIMS; ++d) {
        need(nc_inq_varid(pair->in, axes[d], &axis_in), pair->path, axes[d]);
        need(nc_def_var(pair->out, axes[d], NC_FLOAT, 1, &dims[d], &axis_out), pair->path, axes[d]);
        need(nc_inq_varnatts(pair->in, axis_in, &n_atts), pair->path, axes[d]);
        for (int a = 0; a < n_atts; ++a) {
            need(nc_inq_attname(pair->in, axis_in, a, name), pair->path, axes[d]);
            need(nc_copy_att(pair->in, axis_in, name, pair->out, axis_out), pair->path, name);
        }
    }
    need(nc_inq_natts(pair->in, &n_atts), pair->path, "attributes");
    for (int a = 0; a < n_atts; ++a) {
        need(nc_inq_attname(pair->in, NC_GLOBAL, a, name), pair->path, "attributes");
        need(nc_copy_att(pair->in, NC_GLOBAL, name, pair->out, NC_GLOBAL), pair->path, name);
    }
    need(nc_def_var(pair->out, "sst", NC_DOUBLE, N_DIMS, dims, &pair->var_out), pair->path, "sst");
    need(nc_def_var_chunking(pair->out, pair->var_out, NC_CONTIGUOUS, NULL), pair->path, "sst");
    need(nc_put_att_double(pair->out, pair->var_out, "_FillValue", NC_DOUBLE, 1, &missing), pair->path, "_FillValue");
    need(nc_put_att_text(pair->out, pair->var_out, "units", strlen("Celsius"), "Celsius"), pair->path, "units");
    need(nc_put_att_text(pair->out, pair->var_out, "long_name", strlen("Daily sea surface temperature"),
                         "Daily sea surface temperature"),
         pair->path, "long_name");
    need(nc_enddef(pair->out), pair->path, "header");
}

static void copy_axes(const struct pair *pair)
{
    for (int d = 0; d < N_DIMS; ++d) {
        int axis_in = 0, axis_out = 0;
        float *values = malloc(pair->lengths[d] * sizeof *values);
        if (!values)
            exit(1);
        need(nc_inq_varid(pair->in, axes[d], &axis_in), pair->path, axes[d]);
        need(nc_inq_varid(pair->out, axes[d], &axis_out), pair->path, axes[d]);
        need(nc_get_var_float(pair->in, axis_in, values), pair->path, axes[d]);
        need(nc_put_var_float(pair->out, axis_out, values), pair->path, axes[d]);
        free(values);
    }
}

static void copy_sst(const struct pair *pair)
{
    short *packed = malloc(pair->n_cells * sizeof *packed);
    double *values = malloc(pair->n_cells * sizeof *values);
    if (!packed || !values)
        exit(1);
    const double scale = attribute(pair, "scale_factor", 1.0), offset = attribute(pair, "add_offset", 0.0);
    const double fill = attribute(pair, "_FillValue", -999.0);
    /* 0.01 is written as a float: the product's decimal number is meant. */
    const double steps = (double)(long)(1.0 / scale + 0.5);
    need(nc_get_var_short(pair->in, pair->var_in, packed), pair->path, "sst");
    for (size_t i = 0; i < pair->n_cells; ++i)
        values[i] = (double)packed[i] == fill ? -999.0 : (double)packed[i] / steps + offset;
    need(nc_put_var_double(pair->out, pair->var_out, values), pair->path, "sst");
    free(values);
    free(packed);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s FOLDER FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; ++i) {
        char path[4096];
        const char *name = strrchr(argv[i], '/');
        struct pair pair = {.path = argv[i]};
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], name ? name + 1 : argv[i]);
        need(nc_open(argv[i], NC_NOWRITE, &pair.in), argv[i], "open");
        need(nc_create(path, NC_CLOBBER | NC_NETCDF4, &pair.out), path, "create");
        need(nc_inq_varid(pair.in, "sst", &pair.var_in), argv[i], "sst");
        define(&pair);
        copy_axes(&pair);
        copy_sst(&pair);
        need(nc_close(pair.in), argv[i], "close");
        need(nc_close(pair.out), path, "close");
    }
    return 0;
}
