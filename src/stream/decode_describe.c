/* All that the header of a netCDF-4 file says, read by HDF5 alone and put into bytes that can be compared. */
#include <hdf5.h> /* its functions give a negative number where they fail */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* Headers with more are left to the library. Values of coordinates are compared up to VALUES_BYTES. */
enum { MAX_LINKS = 64, MAX_STRINGS = 64, TYPE_BYTES = 96, VALUES_BYTES = 1 << 18, ATTR_BYTES = 1 << 15 };

struct link {
    char name[NC_MAX_NAME + 1];
    int64_t order; /* of creation, which gives variables their numbers */
};

struct description {
    struct sst_decode_bytes *out;
    const char *const *values_left_out; /* two */
    hid_t file;
    struct link *links;
    size_t n_links;
    bool has_dimension_ids; /* of the present variable: the library takes them, in place of its references */
    bool is_whole;
    enum sst_status rc;
    struct sst_error *err;
};

/* What iteration goes on with: 0, or 1 after the end. */
static herr_t leave(struct description *description)
{
    description->is_whole = false;
    return 1;
}

/* Room for so many bytes at the end; NULL where there is none. */
static unsigned char *room_for(struct description *description, size_t n)
{
    struct sst_decode_bytes *out = description->out;
    const enum sst_status rc = sst_grow(&out->at, &out->capacity, out->n + n, 1, "a header", description->err);
    if (rc == SST_OK)
        return out->at + out->n;
    description->rc = rc;
    description->is_whole = false;
    return NULL;
}

static void put(struct description *description, const void *bytes, size_t n)
{
    unsigned char *to = room_for(description, n);
    if (!to)
        return;
    memcpy(to, bytes, n);
    description->out->n += n;
}

static void put_number(struct description *description, int64_t number) { put(description, &number, sizeof number); }

static void put_type(struct description *description, hid_t type)
{
    size_t n = TYPE_BYTES;
    unsigned char *to = room_for(description, n);
    if (!to)
        return;
    memset(to, 0, TYPE_BYTES); /* how much of it HDF5 uses it does not say; only that it wants more */
    if (H5Tencode(type, to, &n) < 0 || n > TYPE_BYTES)
        description->is_whole = false;
    else
        description->out->n += TYPE_BYTES;
}

/* Lengths, and what they may grow to. Gives the number of items, or a negative number. */
static hssize_t put_space(struct description *description, hid_t space)
{
    hsize_t lengths[SST_DECODE_MAX_RANK], limits[SST_DECODE_MAX_RANK];
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > SST_DECODE_MAX_RANK || H5Sget_simple_extent_dims(space, lengths, limits) != rank) {
        description->is_whole = false;
        return -1;
    }
    put_number(description, H5Sget_simple_extent_type(space));
    put_number(description, rank);
    put(description, lengths, (size_t)rank * sizeof *lengths);
    put(description, limits, (size_t)rank * sizeof *limits);
    return H5Sget_simple_extent_npoints(space);
}

/* Texts of any length, each with its NUL. */
static void put_strings(struct description *description, hid_t attribute, hid_t type, hid_t space, hssize_t n)
{
    char *texts[MAX_STRINGS] = {NULL};
    if (n > MAX_STRINGS || H5Aread(attribute, type, texts) < 0) {
        description->is_whole = false;
        return;
    }
    for (hssize_t i = 0; i < n; ++i) {
        put_number(description, texts[i] != NULL);
        if (texts[i])
            put(description, texts[i], strlen(texts[i]) + 1);
    }
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
}

static void put_raw(struct description *description, hid_t attribute, hid_t type, size_t n_bytes)
{
    unsigned char *to = n_bytes <= ATTR_BYTES ? room_for(description, n_bytes) : NULL;
    if (!to || H5Aread(attribute, type, to) < 0)
        description->is_whole = false;
    else
        description->out->n += n_bytes;
}

/* By which dimensions a variable goes, where only references say so: their places among the links. */
static void put_references(struct description *description, hid_t attribute, hid_t type, hid_t space, hssize_t n)
{
    hvl_t lists[SST_DECODE_MAX_RANK];
    memset(lists, 0, sizeof lists);
    if (n > SST_DECODE_MAX_RANK || H5Aread(attribute, type, lists) < 0) {
        description->is_whole = false;
        return;
    }
    for (hssize_t i = 0; i < n; ++i) {
        int64_t found = -1;
        for (size_t k = 0; k < description->n_links && lists[i].len == 1; ++k) {
            hobj_ref_t wanted;
            if (H5Rcreate(&wanted, description->file, description->links[k].name, H5R_OBJECT, -1) >= 0 &&
                memcmp(&wanted, lists[i].p, sizeof wanted) == 0)
                found = (int64_t)k;
        }
        description->is_whole &= found >= 0;
        put_number(description, found);
    }
    (void)H5Dvlen_reclaim(type, space, H5P_DEFAULT, lists);
}

static bool is_bookkeeping(const char *name)
{
    return strcmp(name, "DIMENSION_LIST") == 0 || strcmp(name, "REFERENCE_LIST") == 0;
}

/* Numbers and texts; other types have no meaning here and none that bytes could show. */
static void put_value(struct description *description, hid_t attribute, hid_t type, hid_t space, hssize_t n)
{
    const H5T_class_t class = H5Tget_class(type);
    if (n < 0 || n > ATTR_BYTES)
        description->is_whole = false;
    else if (class == H5T_STRING && H5Tis_variable_str(type) > 0)
        put_strings(description, attribute, type, space, n);
    else if (class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_STRING)
        put_raw(description, attribute, type, (size_t)n * H5Tget_size(type));
    else
        description->is_whole = false;
}

static herr_t put_attribute(hid_t object, const char *name, const H5A_info_t *info, void *user)
{
    struct description *description = user;
    (void)info;
    put(description, name, strlen(name) + 1);
    description->has_dimension_ids |= strcmp(name, "_Netcdf4Coordinates") == 0;
    if (is_bookkeeping(name))
        return description->is_whole ? 0 : 1;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0)
        return leave(description);
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    put_type(description, type);
    put_number(description, H5Sget_simple_extent_type(space));
    put_number(description, n);
    if (n >= 0 && type >= 0)
        put_value(description, attribute, type, space, n);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Aclose(attribute);
    return description->is_whole ? 0 : 1;
}

static void put_dimensions(struct description *description, hid_t dataset)
{
    const hid_t attribute = H5Aopen(dataset, "DIMENSION_LIST", H5P_DEFAULT);
    const hid_t type = attribute >= 0 ? H5Aget_type(attribute) : -1;
    const hid_t space = attribute >= 0 ? H5Aget_space(attribute) : -1;
    if (attribute < 0)
        return;
    if (H5Tget_class(type) == H5T_VLEN && H5Sget_simple_extent_ndims(space) == 1)
        put_references(description, attribute, type, space, H5Sget_simple_extent_npoints(space));
    else
        description->is_whole = false;
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Aclose(attribute);
}

static void put_values(struct description *description, hid_t dataset, hid_t type, hssize_t n)
{
    const size_t n_bytes = (size_t)n * H5Tget_size(type);
    const H5T_class_t class = H5Tget_class(type);
    if (n_bytes > VALUES_BYTES || (class != H5T_INTEGER && class != H5T_FLOAT)) {
        description->is_whole = false;
        return;
    }
    unsigned char *to = room_for(description, n_bytes);
    if (!to)
        return;
    if (n > 0 && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to) < 0)
        description->is_whole = false;
    else
        description->out->n += n_bytes;
}

static void put_dataset(struct description *description, const struct link *link)
{
    const hid_t dataset = H5Dopen2(description->file, link->name, H5P_DEFAULT);
    if (dataset < 0) { /* a group, a type, or damaged */
        description->is_whole = false;
        return;
    }
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    hsize_t at = 0;
    put_type(description, type);
    const hssize_t n = put_space(description, space);
    description->has_dimension_ids = false;
    if (H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_NATIVE, &at, put_attribute, description) < 0)
        description->is_whole = false;
    if (description->is_whole && !description->has_dimension_ids)
        put_dimensions(description, dataset);
    const bool is_left_out = strcmp(link->name, description->values_left_out[0]) == 0 ||
                             strcmp(link->name, description->values_left_out[1]) == 0;
    if (description->is_whole && !is_left_out && H5Sget_simple_extent_ndims(space) == 1)
        put_values(description, dataset, type, n);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    (void)H5Dclose(dataset);
}

static herr_t add_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct description *description = user;
    (void)group;
    if (info->type != H5L_TYPE_HARD || description->n_links == MAX_LINKS || strlen(name) > NC_MAX_NAME)
        return leave(description);
    struct link *link = &description->links[description->n_links++];
    (void)snprintf(link->name, sizeof link->name, "%s", name);
    link->order = info->corder_valid ? info->corder : -1;
    return 0;
}

enum sst_status sst_decode_describe(int64_t hdf5, const char *const values_left_out[2], struct sst_decode_bytes *out,
                                    bool *is_whole, struct sst_error *err)
{
    struct description description = {
        .out = out, .values_left_out = values_left_out, .file = hdf5, .is_whole = true, .err = err};
    hsize_t at = 0;
    out->n = 0;
    SST_TRY(sst_alloc(MAX_LINKS, sizeof *description.links, "a header", &description.links, err));
    H5E_BEGIN_TRY
    {
        if (H5Literate(hdf5, H5_INDEX_NAME, H5_ITER_NATIVE, &at, add_link, &description) < 0)
            description.is_whole = false;
        for (size_t i = 0; i < description.n_links && description.is_whole; ++i) {
            const struct link *link = &description.links[i];
            put(&description, link->name, strlen(link->name) + 1);
            put_number(&description, link->order);
            put_dataset(&description, link);
        }
    }
    H5E_END_TRY
    sst_free(description.links);
    *is_whole = description.is_whole;
    return description.rc;
}

/* A fixed number of letters, as netCDF-C stores attributes of type char; numbers are no text, as sst_decode_attr_text has it. */
static bool read_text(hid_t attribute, char *buffer, size_t size)
{
    char text[ATTR_BYTES + 1];
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    const H5T_class_t class = H5Tget_class(type);
    const bool is_number = class == H5T_INTEGER || class == H5T_FLOAT;
    const bool is_plain =
        class == H5T_STRING && H5Tis_variable_str(type) == 0 && n <= 1 && n >= 0 && H5Tget_size(type) <= ATTR_BYTES;
    memset(text, 0, sizeof text);
    const bool is_read = is_plain && (n == 0 || H5Aread(attribute, type, text) >= 0);
    (void)H5Tclose(type);
    (void)H5Sclose(space);
    if (is_read)
        (void)snprintf(buffer, size, "%s", text);
    return is_read || is_number;
}

bool sst_decode_describe_text(int64_t hdf5, const char *name, char *buffer, size_t size)
{
    bool is_read = false;
    buffer[0] = '\0';
    H5E_BEGIN_TRY
    {
        const htri_t exists = H5Aexists(hdf5, name);
        const hid_t attribute = exists > 0 ? H5Aopen(hdf5, name, H5P_DEFAULT) : -1;
        is_read = exists == 0 || (attribute >= 0 && read_text(attribute, buffer, size));
        if (attribute >= 0)
            (void)H5Aclose(attribute);
    }
    H5E_END_TRY
    sst_decode_trim(buffer);
    return is_read;
}

#define CONVERT(type)                                                                                                  \
    do {                                                                                                               \
        const type *values = (const type *)(const void *)bytes;                                                        \
        for (size_t i = 0; i < n; ++i)                                                                                 \
            if (reals)                                                                                                 \
                reals[i] = (double)values[i];                                                                          \
            else                                                                                                       \
                integers[i] = (long long)values[i];                                                                    \
    } while (0)

/* Numbers of this machine, as netCDF-C converts them. False: of another type. */
static bool convert(hid_t type, const unsigned char *bytes, size_t n, double *reals, long long *integers)
{
    if (H5Tequal(type, H5T_NATIVE_FLOAT) > 0)
        CONVERT(float);
    else if (H5Tequal(type, H5T_NATIVE_DOUBLE) > 0)
        CONVERT(double);
    else if (H5Tequal(type, H5T_NATIVE_INT32) > 0)
        CONVERT(int32_t);
    else if (H5Tequal(type, H5T_NATIVE_INT64) > 0)
        CONVERT(int64_t);
    else if (H5Tequal(type, H5T_NATIVE_INT16) > 0)
        CONVERT(int16_t);
    else
        return false;
    return true;
}

/*
 * In the type as stored where this machine has it: to convert numbers itself HDF5 takes, and clears, a megabyte. Room for as
 * many doubles holds any of the types.
 */
static bool read_numbers(int64_t hdf5, const char *variable, size_t n, double *reals, long long *integers)
{
    bool is_read = false;
    struct sst_error ignored = {0};
    unsigned char *bytes = NULL;
    if (sst_alloc(n, sizeof *reals, variable, &bytes, &ignored) != SST_OK)
        return false;
    H5E_BEGIN_TRY
    {
        const hid_t dataset = H5Dopen2(hdf5, variable, H5P_DEFAULT);
        const hid_t space = dataset >= 0 ? H5Dget_space(dataset) : -1, type = dataset >= 0 ? H5Dget_type(dataset) : -1;
        is_read = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == (hssize_t)n &&
                  H5Tget_size(type) <= sizeof *reals &&
                  H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0 &&
                  convert(type, bytes, n, reals, integers);
        if (space >= 0)
            (void)H5Sclose(space);
        if (type >= 0)
            (void)H5Tclose(type);
        if (dataset >= 0)
            (void)H5Dclose(dataset);
    }
    H5E_END_TRY
    sst_free(bytes);
    return is_read;
}

bool sst_decode_describe_reals(int64_t hdf5, const char *variable, size_t n, double *out)
{
    return read_numbers(hdf5, variable, n, out, NULL);
}

bool sst_decode_describe_integers(int64_t hdf5, const char *variable, size_t n, long long *out)
{
    return read_numbers(hdf5, variable, n, NULL, out);
}
