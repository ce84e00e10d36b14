/* Asks HDF5 how a variable is stored, and fetches its chunks as they are in the file. */
#include "stream/decode_direct.h"

#include <assert.h>
#include <hdf5.h> /* its functions give a negative number, or 0 for an id or a size, where they fail */
#include <stdio.h>
#include <string.h>

static_assert(sizeof(hid_t) == sizeof(int64_t), "ids of HDF5 are kept as int64_t");

/* What is open while a variable is being looked at. */
struct probe {
    hid_t type, space, properties; /* negative: not open */
};

bool sst_direct_hdf5_open(struct sst_direct *direct, const char *path)
{
    hid_t access = -1;
    void *handle = NULL;
    bool is_plain = false;
    H5E_BEGIN_TRY
    {
        direct->hdf5 = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
        if (direct->hdf5 >= 0)
            access = H5Fget_access_plist(direct->hdf5);
        /* Only this driver's handle is a descriptor. */
        is_plain = access >= 0 && H5Pget_driver(access) == H5FD_SEC2 &&
                   H5Fget_vfd_handle(direct->hdf5, H5P_DEFAULT, &handle) >= 0 && handle;
        if (access >= 0)
            (void)H5Pclose(access);
    }
    H5E_END_TRY
    if (is_plain)
        direct->fd = *(const int *)handle;
    return is_plain;
}

void sst_direct_hdf5_close(struct sst_direct *direct)
{
    H5E_BEGIN_TRY
    {
        for (size_t i = 0; i < direct->n_variables; ++i)
            if (direct->variables[i].dataset >= 0)
                (void)H5Dclose(direct->variables[i].dataset);
        if (direct->hdf5 >= 0)
            (void)H5Fclose(direct->hdf5);
    }
    H5E_END_TRY
}

/* Leaves a reason; false, so that a caller can return it. */
static bool refuse(struct sst_direct_storage *out, const char *reason)
{
    (void)snprintf(out->text, sizeof out->text, "read by netCDF-C: %s", reason);
    return false;
}

/* Integers and floating-point numbers of whole bytes, in either byte order. */
static bool learn_type(const struct probe *probe, struct sst_direct_storage *out)
{
    const hid_t little[] = {H5T_STD_I8LE,  H5T_STD_U8LE,  H5T_STD_I16LE, H5T_STD_U16LE,  H5T_STD_I32LE,
                            H5T_STD_U32LE, H5T_STD_I64LE, H5T_STD_U64LE, H5T_IEEE_F32LE, H5T_IEEE_F64LE};
    const hid_t big[] = {H5T_STD_I8BE,  H5T_STD_U8BE,  H5T_STD_I16BE, H5T_STD_U16BE,  H5T_STD_I32BE,
                         H5T_STD_U32BE, H5T_STD_I64BE, H5T_STD_U64BE, H5T_IEEE_F32BE, H5T_IEEE_F64BE};
    for (size_t i = 0; i < sizeof little / sizeof *little; ++i) {
        const bool is_little = H5Tequal(probe->type, little[i]) > 0;
        if (!is_little && H5Tequal(probe->type, big[i]) <= 0)
            continue;
        out->is_big_endian = !is_little;
        return H5Tget_size(probe->type) == out->item_bytes || refuse(out, "its type is another in HDF5");
    }
    return refuse(out, "its type");
}

/* What is stored may be less than the dimensions say, where an unlimited one grew for another variable. */
static bool learn_lengths(const struct probe *probe, struct sst_direct_storage *out)
{
    hsize_t lengths[SST_DECODE_MAX_RANK];
    if (H5Sget_simple_extent_ndims(probe->space) != (int)out->rank ||
        H5Sget_simple_extent_dims(probe->space, lengths, NULL) != (int)out->rank)
        return refuse(out, "its shape is another in HDF5");
    for (size_t i = 0; i < out->rank; ++i) {
        if (lengths[i] > out->lengths[i])
            return refuse(out, "its shape is another in HDF5");
        out->lengths[i] = lengths[i];
    }
    return true;
}

static bool learn_filter(H5Z_filter_t id, struct sst_direct_storage *out)
{
    static const struct {
        H5Z_filter_t id;
        enum sst_direct_filter filter;
        const char *name;
    } known[] = {{H5Z_FILTER_SHUFFLE, SST_DIRECT_SHUFFLE, "shuffle"},
                 {H5Z_FILTER_DEFLATE, SST_DIRECT_DEFLATE, "deflate"},
                 {H5Z_FILTER_FLETCHER32, SST_DIRECT_FLETCHER32, "fletcher32"}};
    static const char *const others[] = {
        [H5Z_FILTER_SZIP] = "szip", [H5Z_FILTER_NBIT] = "nbit", [H5Z_FILTER_SCALEOFFSET] = "scale-offset"};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (known[i].id != id)
            continue;
        for (size_t before = 0; before < out->n_filters; ++before) {
            const enum sst_direct_filter other = out->filters[before];
            if (other == known[i].filter || (other == SST_DIRECT_DEFLATE && id == H5Z_FILTER_SHUFFLE))
                return refuse(out, "its filters stand in an unusual order");
        }
        const size_t length = strlen(out->text);
        (void)snprintf(out->text + length, sizeof out->text - length, "%s %s", out->n_filters > 0 ? "," : ":",
                       known[i].name);
        out->filters[out->n_filters++] = known[i].filter;
        return true;
    }
    char reason[SST_DIRECT_TEXT_SIZE / 2];
    const bool has_name = id >= 0 && (size_t)id < sizeof others / sizeof *others && others[id];
    (void)snprintf(reason, sizeof reason, "filter %d%s%s", (int)id, has_name ? ", " : "", has_name ? others[id] : "");
    return refuse(out, reason);
}

static bool learn_filters(const struct probe *probe, struct sst_direct_storage *out)
{
    const int n = H5Pget_nfilters(probe->properties);
    for (int i = 0; i < n; ++i) {
        unsigned flags = 0;
        size_t n_values = 0;
        const H5Z_filter_t id = H5Pget_filter2(probe->properties, (unsigned)i, &flags, &n_values, NULL, 0, NULL, NULL);
        if (!learn_filter(id, out))
            return false;
    }
    return n >= 0 || refuse(out, "its filters are not known");
}

/* What chunks hold that were never written; without one, what the library gives is chance, and its own affair. */
static void learn_fill(const struct probe *probe, struct sst_direct_storage *out)
{
    H5D_fill_time_t time = H5D_FILL_TIME_ERROR;
    H5D_fill_value_t defined = H5D_FILL_VALUE_ERROR;
    const hid_t native = H5Tget_native_type(probe->type, H5T_DIR_ASCEND);
    out->has_fill = native >= 0 && H5Tget_size(native) == out->item_bytes &&
                    H5Pget_fill_time(probe->properties, &time) >= 0 && time != H5D_FILL_TIME_NEVER &&
                    H5Pfill_value_defined(probe->properties, &defined) >= 0 &&
                    (defined == H5D_FILL_VALUE_DEFAULT || defined == H5D_FILL_VALUE_USER_DEFINED) &&
                    H5Pget_fill_value(probe->properties, native, out->fill) >= 0;
    if (native >= 0)
        (void)H5Tclose(native);
}

static bool learn_chunks(const struct probe *probe, struct sst_direct_storage *out)
{
    hsize_t chunk[SST_DECODE_MAX_RANK];
    unsigned options = 0;
    if (H5Pget_chunk(probe->properties, (int)out->rank, chunk) != (int)out->rank)
        return refuse(out, "its chunks are not known");
    if (H5Pget_chunk_opts(probe->properties, &options) < 0 || options != 0)
        return refuse(out, "chunks at its edges are stored in another way");
    out->chunk_bytes = out->item_bytes;
    for (size_t i = 0; i < out->rank; ++i) {
        out->chunk[i] = chunk[i];
        if (chunk[i] == 0 || __builtin_mul_overflow(out->chunk_bytes, chunk[i], &out->chunk_bytes) ||
            out->chunk_bytes > SST_DIRECT_MAX_SLAB_BYTES)
            return refuse(out, "its chunks are very large");
    }
    learn_fill(probe, out);
    (void)snprintf(out->text, sizeof out->text, "chunks read directly");
    return learn_filters(probe, out);
}

static bool learn_contiguous(const struct probe *probe, struct sst_direct_storage *out)
{
    const haddr_t address = H5Dget_offset(out->dataset);
    uint64_t stride = out->item_bytes;
    if (H5Pget_external_count(probe->properties) != 0)
        return refuse(out, "its values are in another file");
    if (address == HADDR_UNDEF)
        return refuse(out, "nothing was ever written");
    for (size_t i = out->rank; i-- > 0;) {
        out->strides[i] = stride;
        if (__builtin_mul_overflow(stride, out->lengths[i], &stride))
            return refuse(out, "its shape is larger than any file");
    }
    out->origin = address;
    (void)snprintf(out->text, sizeof out->text, "contiguous, read directly");
    return true;
}

static bool is_behind_user_block(const struct sst_direct *direct)
{
    hsize_t n_bytes = 0;
    const hid_t creation = H5Fget_create_plist(direct->hdf5);
    const bool is_known = creation >= 0 && H5Pget_userblock(creation, &n_bytes) >= 0;
    if (creation >= 0)
        (void)H5Pclose(creation);
    return !is_known || n_bytes > 0;
}

static void learn(const struct sst_direct *direct, const struct probe *probe, struct sst_direct_storage *out)
{
    if (probe->type < 0 || probe->space < 0 || probe->properties < 0) {
        (void)refuse(out, "HDF5 does not describe it");
        return;
    }
    if (!learn_type(probe, out) || !learn_lengths(probe, out))
        return;
    if (is_behind_user_block(direct)) {
        (void)refuse(out, "it stands behind a user block");
        return;
    }
    const H5D_layout_t layout = H5Pget_layout(probe->properties);
    if (layout == H5D_CHUNKED) {
        if (learn_chunks(probe, out))
            out->kind = SST_DIRECT_CHUNKED;
    } else if (layout == H5D_CONTIGUOUS) {
        if (learn_contiguous(probe, out))
            out->kind = SST_DIRECT_STRIDED;
    } else {
        (void)refuse(out, layout == H5D_COMPACT ? "compact layout" : "virtual layout");
    }
}

void sst_direct_hdf5_learn(const struct sst_direct *direct, const struct sst_decode_variable *variable,
                           struct sst_direct_storage *out)
{
    struct probe probe = {-1, -1, -1};
    H5E_BEGIN_TRY
    {
        out->dataset = H5Dopen2(direct->hdf5, variable->name, H5P_DEFAULT);
        if (out->dataset >= 0) {
            probe.type = H5Dget_type(out->dataset);
            probe.space = H5Dget_space(out->dataset);
            probe.properties = H5Dget_create_plist(out->dataset);
        }
        learn(direct, &probe, out);
        if (probe.type >= 0)
            (void)H5Tclose(probe.type);
        if (probe.space >= 0)
            (void)H5Sclose(probe.space);
        if (probe.properties >= 0)
            (void)H5Pclose(probe.properties);
    }
    H5E_END_TRY
}

static void offset_of(const struct sst_direct_storage *storage, const uint64_t *first, hsize_t *offset)
{
    for (size_t i = 0; i < storage->rank; ++i)
        offset[i] = first[i];
}

/*
 * Both look a chunk up as HDF5 does when it reads. H5Dget_chunk_info_by_coord does not: of a damaged index it says that
 * chunks were never written which are then read.
 */
bool sst_direct_hdf5_chunk_size(const struct sst_direct_storage *storage, const uint64_t *first, uint64_t *n_bytes)
{
    hsize_t offset[SST_DECODE_MAX_RANK], found = 0;
    herr_t status = -1;
    offset_of(storage, first, offset);
    H5E_BEGIN_TRY { status = H5Dget_chunk_storage_size(storage->dataset, offset, &found); }
    H5E_END_TRY
    *n_bytes = found;
    return status >= 0;
}

bool sst_direct_hdf5_find_chunk(const struct sst_direct_storage *storage, const uint64_t *first,
                                struct sst_direct_place *out)
{
    hsize_t offset[SST_DECODE_MAX_RANK], n_bytes = 0;
    haddr_t at = HADDR_UNDEF;
    unsigned skipped = 0;
    herr_t status = -1;
    *out = (struct sst_direct_place){0, 0, 0};
    if (!sst_direct_hdf5_chunk_size(storage, first, &out->n_bytes))
        return false;
    if (out->n_bytes == 0)
        return true;
    offset_of(storage, first, offset);
    H5E_BEGIN_TRY { status = H5Dget_chunk_info_by_coord(storage->dataset, offset, &skipped, &at, &n_bytes); }
    H5E_END_TRY
    out->at = at;
    out->skipped_filters = skipped;
    return status >= 0 && at != HADDR_UNDEF && n_bytes == out->n_bytes;
}

bool sst_direct_hdf5_read_chunk(const struct sst_direct_storage *storage, const uint64_t *first, unsigned char *out,
                                unsigned *skipped_filters)
{
    hsize_t offset[SST_DECODE_MAX_RANK];
    uint32_t mask = 0;
    herr_t status = -1;
    offset_of(storage, first, offset);
    H5E_BEGIN_TRY { status = H5Dread_chunk(storage->dataset, H5P_DEFAULT, offset, &mask, out); }
    H5E_END_TRY
    *skipped_filters = mask;
    return status >= 0;
}
