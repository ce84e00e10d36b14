/* How a file stores its fields: filters that must be at hand, chunks, and a cache that keeps a chunk's steps. */
#include "stream/decode_private.h"

#include <netcdf_filter.h> /* needs netcdf.h before it */

/* [B] The most that one variable's chunks may keep; a chunk beyond it is inflated for each step again. */
#define MAX_CACHE_BYTES ((size_t)256 << 20)
/* [1] Slots of a chunk cache's hash table, a prime well above the number of chunks of a field. */
enum { CACHE_SLOTS = 4099, MAX_FILTERS = 16 };

/* Filters that HDF5 itself brings: deflate, shuffle, fletcher32, szip, nbit, scale-offset. */
enum { LAST_BUILT_IN_FILTER = 6, FILTER_SZIP = 4 };

static const char *filter_name(unsigned id)
{
    static const struct {
        unsigned id;
        const char *name;
    } known[] = {{FILTER_SZIP, "szip"}, {307, "bzip2"}, {32000, "LZF"},  {32001, "Blosc"}, {32004, "LZ4"},
                 {32008, "bitshuffle"}, {32013, "ZFP"}, {32015, "zstd"}, {32017, "SZ"},    {32026, "Blosc2"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i].id == id)
            return known[i].name;
    return "unknown name";
}

static enum sst_status check_filters(const struct sst_file *file, const struct sst_decode_variable *variable,
                                     struct sst_error *err)
{
    size_t n = 0;
    unsigned ids[MAX_FILTERS];
    if (nc_inq_var_filter_ids(file->ncid, variable->id, &n, NULL) != NC_NOERR || n == 0)
        return SST_OK;
    if (n > MAX_FILTERS || nc_inq_var_filter_ids(file->ncid, variable->id, &n, ids) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s': its %zu filters cannot be read", variable->name, n);
    for (size_t i = 0; i < n; ++i) {
        if (ids[i] <= LAST_BUILT_IN_FILTER && ids[i] != FILTER_SZIP)
            continue;
        if (nc_inq_filter_avail(file->ncid, ids[i]) != NC_NOERR)
            return sst_fail(
                err, SST_ERR_INPUT,
                "variable '%s': compressed with HDF5 filter %u (%s), which is not installed here. Install its "
                "plugin and set HDF5_PLUGIN_PATH, or repack the file where it can be read: nccopy -F none",
                variable->name, ids[i], filter_name(ids[i]));
    }
    return SST_OK;
}

/* Bytes of all chunks that one chunk of time touches, so that reading on to the next step inflates nothing again. */
static size_t bytes_of_chunk_row(const struct sst_file *file, const struct sst_decode_variable *variable,
                                 const size_t *chunks)
{
    size_t bytes = sst_decode_type_size(variable->type);
    for (int i = 0; i < variable->rank; ++i) {
        size_t length = 0;
        if (nc_inq_dimlen(file->ncid, variable->dim_ids[i], &length) != NC_NOERR || chunks[i] == 0)
            return 0;
        const size_t n_chunks = i == variable->time_at ? 1 : (length - 1) / chunks[i] + 1;
        if (__builtin_mul_overflow(bytes, chunks[i], &bytes) || __builtin_mul_overflow(bytes, n_chunks, &bytes))
            return MAX_CACHE_BYTES;
    }
    return bytes < MAX_CACHE_BYTES ? bytes : MAX_CACHE_BYTES;
}

static enum sst_status prepare(struct sst_file *file, const struct sst_decode_variable *variable,
                               size_t *steps_per_chunk, struct sst_error *err)
{
    size_t chunks[SST_DECODE_MAX_RANK];
    int storage = NC_CONTIGUOUS;
    *steps_per_chunk = 1;
    if (!file->is_netcdf4)
        return SST_OK;
    SST_TRY(check_filters(file, variable, err));
    if (nc_inq_var_chunking(file->ncid, variable->id, &storage, chunks) != NC_NOERR || storage != NC_CHUNKED)
        return SST_OK;
    if (variable->time_at >= 0)
        *steps_per_chunk = chunks[variable->time_at];
    const size_t bytes = bytes_of_chunk_row(file, variable, chunks);
    if (bytes > 0)
        (void)nc_set_var_chunk_cache(file->ncid, variable->id, bytes, CACHE_SLOTS, 0.0F);
    return SST_OK;
}

enum sst_status sst_decode_prepare_reading(struct sst_file *file, struct sst_error *err)
{
    size_t ignored = 1;
    SST_TRY(prepare(file, &file->sst, &file->info.steps_per_chunk, err));
    if (file->ice.id >= 0)
        SST_TRY(prepare(file, &file->ice, &ignored, err));
    if (file->mask.id >= 0)
        SST_TRY(prepare(file, &file->mask, &ignored, err));
    return SST_OK;
}
