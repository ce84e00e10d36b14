/* Undoes what was done to a chunk before it was stored: checksum, deflate, shuffle, byte order. */
#include <libdeflate.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

enum { CHECKSUM_BYTES = 4 };

/* The bytes of a chunk on their way; they may be in the scratch memory or in the output. */
struct unpacking {
    struct sst_decode_scratch *scratch;
    const struct sst_direct_storage *storage;
    struct sst_direct_out *out;
    const unsigned char *bytes;
    size_t n_bytes;
    bool is_native; /* byte order */
};

static bool is_skipped(const struct sst_direct_packed *packed, size_t filter)
{
    return (packed->skipped_filters >> filter & 1U) != 0;
}

/* Bytes of the chunk that were given to a filter when the chunk was written. Only a checksum makes them more. */
static size_t bytes_before(const struct sst_direct_storage *storage, const struct sst_direct_packed *packed,
                           size_t filter)
{
    size_t n_bytes = storage->chunk_bytes;
    for (size_t i = 0; i < filter; ++i)
        n_bytes += storage->filters[i] == SST_DIRECT_FLETCHER32 && !is_skipped(packed, i) ? CHECKSUM_BYTES : 0;
    return n_bytes;
}

static bool take_checksum(struct unpacking *chunk)
{
    if (chunk->n_bytes < CHECKSUM_BYTES)
        return false;
    chunk->n_bytes -= CHECKSUM_BYTES;
    const unsigned char *stored = chunk->bytes + chunk->n_bytes;
    const uint32_t expected =
        stored[0] | (uint32_t)stored[1] << 8 | (uint32_t)stored[2] << 16 | (uint32_t)stored[3] << 24;
    return sst_direct_fletcher32(chunk->bytes, chunk->n_bytes) == expected;
}

/* Where a step may write n bytes: the output if nothing is left to undo, else whichever buffer is not being read. */
static enum sst_status find_room(struct unpacking *chunk, size_t n, bool is_last, unsigned char **to,
                                 struct sst_error *err)
{
    struct sst_decode_scratch *scratch = chunk->scratch;
    if (is_last) {
        *to = chunk->out->numbers;
    } else if (chunk->bytes == scratch->inflated) {
        SST_TRY(sst_grow(&scratch->packed, &scratch->packed_capacity, n, 1, "a chunk", err));
        *to = scratch->packed;
    } else {
        SST_TRY(sst_grow(&scratch->inflated, &scratch->inflated_capacity, n, 1, "an inflated chunk", err));
        *to = scratch->inflated;
    }
    return SST_OK;
}

static enum sst_status inflate(struct unpacking *chunk, unsigned char *to, size_t n, bool *is_good,
                               struct sst_error *err)
{
    struct sst_decode_scratch *scratch = chunk->scratch;
    if (!scratch->inflater)
        scratch->inflater = libdeflate_alloc_decompressor();
    if (!scratch->inflater)
        return sst_fail(err, SST_ERR_NOMEM, "no memory to inflate chunks. Close other programs, or use --bbox");
    /* Without a place for the number of bytes that came out, other than n of them are an error. */
    *is_good =
        libdeflate_zlib_decompress(scratch->inflater, chunk->bytes, chunk->n_bytes, to, n, NULL) == LIBDEFLATE_SUCCESS;
    chunk->bytes = to;
    chunk->n_bytes = n;
    return SST_OK;
}

/* In one go with the byte order, where nothing else wants to see the bytes as they were. */
static void unshuffle(struct unpacking *chunk, unsigned char *to, bool is_last)
{
    const bool swaps = is_last && !chunk->is_native;
    sst_direct_unshuffle(chunk->bytes, chunk->n_bytes, chunk->storage->item_bytes, swaps, to);
    chunk->bytes = to;
    chunk->is_native |= swaps;
}

static enum sst_status undo(struct unpacking *chunk, const struct sst_direct_packed *packed, size_t filter,
                            bool *is_good, struct sst_error *err)
{
    const size_t n = bytes_before(chunk->storage, packed, filter);
    const enum sst_direct_filter kind = chunk->storage->filters[filter];
    bool is_last = true;
    unsigned char *to = NULL;
    for (size_t before = 0; before < filter; ++before)
        is_last &= is_skipped(packed, before);
    if (kind == SST_DIRECT_FLETCHER32) {
        *is_good = take_checksum(chunk);
        return SST_OK;
    }
    *is_good = kind != SST_DIRECT_SHUFFLE || chunk->n_bytes == n;
    if (!*is_good)
        return SST_OK;
    if (kind == SST_DIRECT_SHUFFLE && is_last && chunk->out->takes_planes) {
        const size_t item = chunk->storage->item_bytes;
        sst_direct_find_planes(chunk->bytes, n / item, item, !chunk->is_native, chunk->out->planes);
        return SST_OK;
    }
    SST_TRY(find_room(chunk, n, is_last, &to, err));
    if (kind == SST_DIRECT_DEFLATE)
        return inflate(chunk, to, n, is_good, err);
    unshuffle(chunk, to, is_last);
    return SST_OK;
}

static enum sst_status unpack(struct sst_decode_scratch *scratch, const struct sst_direct_storage *storage,
                              const struct sst_direct_packed *packed, struct sst_direct_out *out, bool *was_read,
                              struct sst_error *err)
{
    struct unpacking chunk = {.scratch = scratch,
                              .storage = storage,
                              .out = out,
                              .bytes = scratch->packed,
                              .n_bytes = (size_t)packed->n_bytes,
                              .is_native = !sst_direct_is_foreign(storage)};
    bool is_good = true;
    *was_read = false;
    out->planes[0] = NULL;
    for (size_t filter = storage->n_filters; is_good && filter-- > 0;) {
        if (!is_skipped(packed, filter))
            SST_TRY(undo(&chunk, packed, filter, &is_good, err));
    }
    if (!is_good || chunk.n_bytes != storage->chunk_bytes)
        return SST_OK;
    *was_read = true;
    if (out->planes[0])
        return SST_OK;
    if (chunk.bytes != out->numbers)
        memcpy(out->numbers, chunk.bytes, chunk.n_bytes);
    if (!chunk.is_native)
        sst_direct_swap(out->numbers, chunk.n_bytes / storage->item_bytes, storage->item_bytes);
    return SST_OK;
}

enum sst_status sst_direct_unpack(struct sst_decode_scratch *scratch, const struct sst_direct_storage *storage,
                                  const struct sst_direct_packed *packed, struct sst_direct_out *out, bool *was_read,
                                  struct sst_error *err)
{
    const double start = sst_timings_now();
    const enum sst_status rc = unpack(scratch, storage, packed, out, was_read, err);
    (void)sst_timings_book(&scratch->timings, SST_PHASE_INFLATE, start);
    return rc;
}

void sst_direct_free_inflater(struct libdeflate_decompressor *inflater)
{
    if (inflater)
        libdeflate_free_decompressor(inflater);
}
