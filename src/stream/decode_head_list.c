/* Where the numbers of a netCDF-4 file are, all of them: asked of HDF5. */
#include <hdf5.h> /* its functions give a negative number where they fail */
#include <stdio.h>
#include <string.h>

#include "stream/decode_head.h"

struct listing {
    struct sst_decode_head *head;
    const char *const *values_left_out; /* two */
    bool is_understood;
};

/* A dataset that is open. */
struct dataset {
    const char *name;
    hid_t id, space, type, properties;
    int rank;
};

/* What must be in the head, whether or not it may differ. */
static bool keep_in_head(struct sst_decode_head *head, uint64_t at, uint64_t n_bytes)
{
    uint64_t end = 0;
    if (__builtin_add_overflow(at, n_bytes, &end))
        return false;
    if (end > head->fixed_end)
        head->fixed_end = end;
    return true;
}

static enum sst_head_number number_of(hid_t type)
{
    return H5Tequal(type, H5T_NATIVE_FLOAT) > 0    ? SST_HEAD_F32
           : H5Tequal(type, H5T_NATIVE_DOUBLE) > 0 ? SST_HEAD_F64
           : H5Tequal(type, H5T_NATIVE_INT16) > 0  ? SST_HEAD_I16
           : H5Tequal(type, H5T_NATIVE_INT32) > 0  ? SST_HEAD_I32
           : H5Tequal(type, H5T_NATIVE_INT64) > 0  ? SST_HEAD_I64
                                                   : SST_HEAD_OTHER;
}

/* Values that may differ: stored as they are, in one piece. */
static bool add_values(struct sst_decode_head *head, const struct dataset *dataset, uint64_t at, uint64_t n_bytes)
{
    const hssize_t n = H5Sget_simple_extent_npoints(dataset->space);
    const enum sst_head_number type = number_of(dataset->type);
    if (head->n_values == SST_HEAD_MAX_VALUES || type == SST_HEAD_OTHER || n < 0 || (uint64_t)n > n_bytes ||
        (uint64_t)n * H5Tget_size(dataset->type) > n_bytes || H5Pget_nfilters(dataset->properties) != 0)
        return false;
    struct sst_head_values *values = &head->values[head->n_values++];
    (void)snprintf(values->name, sizeof values->name, "%s", dataset->name);
    values->type = type;
    values->n = (size_t)n;
    values->at = at;
    values->n_bytes = n_bytes;
    return keep_in_head(head, at, n_bytes);
}

/* The only chunk; n_bytes 0 where there is none. False: more than one. */
static bool find_chunk(const struct dataset *dataset, struct sst_head_chunk *out)
{
    hsize_t n_chunks = 0, first[SST_DECODE_MAX_RANK] = {0}, n_bytes = 0;
    haddr_t at = HADDR_UNDEF;
    unsigned skipped = 0;
    memset(out, 0, sizeof *out);
    (void)snprintf(out->name, sizeof out->name, "%s", dataset->name);
    out->rank = (size_t)dataset->rank;
    if (H5Dget_num_chunks(dataset->id, dataset->space, &n_chunks) < 0 || n_chunks > 1)
        return false;
    if (n_chunks == 0)
        return true;
    if (H5Dget_chunk_info(dataset->id, dataset->space, 0, first, &skipped, &at, &n_bytes) < 0 || at == HADDR_UNDEF)
        return false;
    for (size_t i = 0; i < out->rank; ++i)
        out->first[i] = first[i];
    out->place = (struct sst_direct_place){at, n_bytes, skipped};
    return true;
}

/* Lines are coordinates, whose values count; maps may differ. */
static bool list_chunked(struct sst_decode_head *head, const struct dataset *dataset, bool is_left_out)
{
    struct sst_head_chunk chunk;
    if (!find_chunk(dataset, &chunk))
        return false;
    const struct sst_direct_place *place = &chunk.place;
    if (is_left_out)
        return add_values(head, dataset, place->at, place->n_bytes);
    if (place->n_bytes == 0 || dataset->rank < 2)
        return keep_in_head(head, place->at, place->n_bytes);
    if (head->n_chunks == SST_HEAD_MAX_CHUNKS)
        return false;
    head->chunks[head->n_chunks++] = chunk;
    return true;
}

static bool list_contiguous(struct sst_decode_head *head, const struct dataset *dataset, bool is_left_out)
{
    const haddr_t at = H5Dget_offset(dataset->id);
    const hsize_t n_bytes = H5Dget_storage_size(dataset->id);
    if (H5Pget_external_count(dataset->properties) != 0)
        return false;
    if (at == HADDR_UNDEF)
        return !is_left_out && n_bytes == 0;
    return is_left_out ? add_values(head, dataset, at, n_bytes) : keep_in_head(head, at, n_bytes);
}

static bool list_dataset(struct listing *listing, const struct dataset *dataset)
{
    const bool is_left_out = strcmp(dataset->name, listing->values_left_out[0]) == 0 ||
                             strcmp(dataset->name, listing->values_left_out[1]) == 0;
    if (dataset->space < 0 || dataset->type < 0 || dataset->properties < 0 || dataset->rank < 0 ||
        dataset->rank > SST_DECODE_MAX_RANK || strlen(dataset->name) >= SST_HEAD_NAME_SIZE)
        return false;
    switch (H5Pget_layout(dataset->properties)) {
    case H5D_CHUNKED:
        return list_chunked(listing->head, dataset, is_left_out);
    case H5D_CONTIGUOUS:
        return list_contiguous(listing->head, dataset, is_left_out);
    case H5D_COMPACT: /* in its header, which is compared whole */
        return !is_left_out;
    default:
        return false;
    }
}

static herr_t list_link(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct listing *listing = user;
    const hid_t id = info->type == H5L_TYPE_HARD ? H5Dopen2(group, name, H5P_DEFAULT) : -1;
    listing->is_understood = false;
    if (id < 0)
        return 1;
    struct dataset dataset = {.name = name,
                              .id = id,
                              .space = H5Dget_space(id),
                              .type = H5Dget_type(id),
                              .properties = H5Dget_create_plist(id)};
    dataset.rank = H5Sget_simple_extent_ndims(dataset.space);
    listing->is_understood = list_dataset(listing, &dataset);
    (void)H5Sclose(dataset.space);
    (void)H5Tclose(dataset.type);
    (void)H5Pclose(dataset.properties);
    (void)H5Dclose(id);
    return listing->is_understood ? 0 : 1;
}

bool sst_decode_head_list(int64_t hdf5, const char *const values_left_out[2], struct sst_decode_head *head)
{
    struct listing listing = {head, values_left_out, true};
    hsize_t at = 0;
    herr_t status = -1;
    head->n_chunks = head->n_values = 0;
    head->fixed_end = 0;
    H5E_BEGIN_TRY { status = H5Literate(hdf5, H5_INDEX_NAME, H5_ITER_NATIVE, &at, list_link, &listing); }
    H5E_END_TRY
    return status >= 0 && listing.is_understood;
}
