/*
 * Whether netCDF files hold the same variables with the same bytes in them; attributes, which tell of a run, do not count.
 *
 *   build/release/same_values A.nc B.nc...      exit 0: all as the first; 1: the first difference is told
 */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int code, const char *path)
{
    if (code == NC_NOERR)
        return;
    fprintf(stderr, "%s: %s\n", path, nc_strerror(code));
    exit(2);
}

struct variable {
    char name[NC_MAX_NAME + 1];
    nc_type type;
    size_t n_items, n_bytes;
    unsigned char *values;
};

static void read_variable(const char *path, int ncid, int varid, struct variable *out)
{
    int dims[NC_MAX_VAR_DIMS], n_dims = 0;
    size_t length = 0, size = 0;
    need(nc_inq_var(ncid, varid, out->name, &out->type, &n_dims, dims, NULL), path);
    need(nc_inq_type(ncid, out->type, NULL, &size), path);
    out->n_items = 1;
    for (int d = 0; d < n_dims; ++d) {
        need(nc_inq_dimlen(ncid, dims[d], &length), path);
        out->n_items *= length;
    }
    out->n_bytes = out->n_items * size;
    out->values = malloc(out->n_bytes > 0 ? out->n_bytes : 1);
    if (!out->values)
        exit(2);
    need(nc_get_var(ncid, varid, out->values), path);
}

/* 0 where all is the same. */
static int compare(const char *path, const struct variable *a, const struct variable *b)
{
    if (strcmp(a->name, b->name) != 0 || a->type != b->type || a->n_items != b->n_items) {
        printf("%s: has %s where the first has %s, or of another type or size\n", path, b->name, a->name);
        return 1;
    }
    if (memcmp(a->values, b->values, a->n_bytes) == 0)
        return 0;
    size_t n_different = 0;
    const size_t size = a->n_bytes / a->n_items;
    for (size_t i = 0; i < a->n_items; ++i)
        n_different += memcmp(a->values + i * size, b->values + i * size, size) != 0;
    printf("%s: %zu of %zu values of %s differ\n", path, n_different, a->n_items, a->name);
    return 1;
}

static int compare_files(const char *first, const char *other, size_t *n_values)
{
    int a = 0, b = 0, n_a = 0, n_b = 0, failed = 0;
    need(nc_open(first, NC_NOWRITE, &a), first);
    need(nc_open(other, NC_NOWRITE, &b), other);
    need(nc_inq_nvars(a, &n_a), first);
    need(nc_inq_nvars(b, &n_b), other);
    if (n_a != n_b)
        printf("%s: %d variables, and the first has %d\n", other, n_b, n_a);
    *n_values = 0;
    for (int v = 0; v < n_a && n_a == n_b; ++v) {
        struct variable in_a = {.values = NULL}, in_b = {.values = NULL};
        read_variable(first, a, v, &in_a);
        read_variable(other, b, v, &in_b);
        failed |= compare(other, &in_a, &in_b);
        *n_values += in_a.n_items;
        free(in_a.values);
        free(in_b.values);
    }
    need(nc_close(a), first);
    need(nc_close(b), other);
    return failed || n_a != n_b;
}

int main(int argc, char **argv)
{
    int failed = 0;
    size_t n_values = 0;
    if (argc < 3) {
        fprintf(stderr, "usage: %s FIRST OTHER...\n", argv[0]);
        return 2;
    }
    for (int i = 2; i < argc; ++i)
        failed |= compare_files(argv[1], argv[i], &n_values);
    if (!failed)
        printf("%zu values each, 0 differ\n", n_values);
    return failed;
}
