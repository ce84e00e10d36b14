/* Puts a box together out of the chunks that it touches; chunks that span steps are kept until another box is wanted. */
#include <assert.h>
#include <string.h>

#include "core/mem.h"
#include "stream/decode_direct.h"

/* One box on its way. */
struct reading {
    struct sst_decode_scratch *scratch;
    const struct sst_direct *direct;
    const struct sst_direct_storage *storage;
    const struct sst_direct_box *box;
    struct sst_direct_out *out;
    uint64_t first_chunk[SST_DECODE_MAX_RANK], n_chunks[SST_DECODE_MAX_RANK]; /* by dimension */
    size_t n_all_chunks;
};

static bool find_chunks(struct reading *reading)
{
    const struct sst_direct_storage *storage = reading->storage;
    reading->n_all_chunks = 1;
    for (size_t i = 0; i < storage->rank; ++i) {
        const uint64_t start = reading->box->start[i], last = start + reading->box->count[i] - 1;
        reading->first_chunk[i] = start / storage->chunk[i];
        reading->n_chunks[i] = last / storage->chunk[i] - reading->first_chunk[i] + 1;
        if (__builtin_mul_overflow(reading->n_all_chunks, reading->n_chunks[i], &reading->n_all_chunks))
            return false;
    }
    return true;
}

static void fill_chunk(const struct sst_direct_storage *storage, unsigned char *out)
{
    for (size_t at = 0; at < storage->chunk_bytes; at += storage->item_bytes)
        memcpy(out + at, storage->fill, storage->item_bytes);
}

static uint64_t n_chunks_along(const struct sst_direct_storage *storage, size_t dim)
{
    return storage->lengths[dim] / storage->chunk[dim] + (storage->lengths[dim] % storage->chunk[dim] != 0);
}

/* The kept place of a chunk; NULL where HDF5 is asked. */
static const struct sst_direct_place *place_of(const struct sst_direct *direct,
                                               const struct sst_direct_storage *storage, const uint64_t *first)
{
    uint64_t at = 0;
    for (size_t i = 0; i < storage->rank; ++i)
        at = at * n_chunks_along(storage, i) + first[i] / storage->chunk[i];
    return at < storage->n_places ? &direct->places[storage->first_place + at] : NULL;
}

/* The chunk as it is in the file goes to scratch->packed; n_bytes 0 where it was never written. */
static enum sst_status fetch(const struct reading *reading, const uint64_t *first, struct sst_direct_packed *out,
                             bool *was_read, struct sst_error *err)
{
    const struct sst_direct *direct = reading->direct;
    struct sst_decode_scratch *scratch = reading->scratch;
    assert(direct); /* storage was found in it */
    const struct sst_direct_place *place = place_of(direct, reading->storage, first);
    *was_read = false;
    *out = (struct sst_direct_packed){0, 0};
    if (place)
        *out = (struct sst_direct_packed){place->n_bytes, place->skipped_filters};
    else if (!sst_direct_hdf5_chunk_size(reading->storage, first, &out->n_bytes))
        return SST_OK;
    *was_read = out->n_bytes == 0;
    if (*was_read || out->n_bytes > direct->size_bytes)
        return SST_OK;
    SST_TRY(sst_grow(&scratch->packed, &scratch->packed_capacity, (size_t)out->n_bytes, 1, "a chunk", err));
    const double start = sst_timings_now();
    *was_read = place ? sst_direct_read_bytes(direct->fd, place->at, (size_t)out->n_bytes, scratch->packed)
                      : sst_direct_hdf5_read_chunk(reading->storage, first, scratch->packed, &out->skipped_filters);
    (void)sst_timings_book(&scratch->timings, SST_PHASE_READ, start);
    return SST_OK;
}

/* first: of the chunk's numbers, by dimension. */
static enum sst_status unpack_chunk(struct reading *reading, const uint64_t *first, struct sst_direct_out *out,
                                    bool *was_read, struct sst_error *err)
{
    const struct sst_direct_storage *storage = reading->storage;
    struct sst_direct_packed packed = {0, 0};
    SST_TRY(fetch(reading, first, &packed, was_read, err));
    if (!*was_read)
        return SST_OK;
    if (packed.n_bytes == 0) {
        fill_chunk(storage, out->numbers);
        *was_read = storage->has_fill;
        return SST_OK;
    }
    return sst_direct_unpack(reading->scratch, storage, &packed, out, was_read, err);
}

/* Whether a box is one chunk, whole: it is then unpacked where it is wanted. */
static bool is_one_chunk(const struct reading *reading)
{
    for (size_t i = 0; i < reading->storage->rank; ++i)
        if (reading->box->count[i] != reading->storage->chunk[i])
            return false;
    return reading->n_all_chunks == 1;
}

/* Steps a position in a box of `count` on; false after the last. */
static bool advance(uint64_t *at, const uint64_t *count, size_t rank)
{
    for (size_t i = rank; i-- > 0;) {
        if (++at[i] < count[i])
            return true;
        at[i] = 0;
    }
    return false;
}

/* What a chunk and the box have in common goes to the output, line by line. */
static void copy_common(const struct reading *reading, const uint64_t *first, const unsigned char *chunk)
{
    const struct sst_direct_storage *storage = reading->storage;
    const struct sst_direct_box *box = reading->box;
    const size_t rank = storage->rank, item = storage->item_bytes;
    uint64_t low[SST_DECODE_MAX_RANK], count[SST_DECODE_MAX_RANK], at[SST_DECODE_MAX_RANK] = {0};
    assert(rank > 0 && rank <= SST_DECODE_MAX_RANK); /* who found the chunks saw to it */
    for (size_t i = 0; i < rank; ++i) {
        const uint64_t box_end = box->start[i] + box->count[i], chunk_end = first[i] + storage->chunk[i];
        low[i] = first[i] > box->start[i] ? first[i] : box->start[i];
        count[i] = (chunk_end < box_end ? chunk_end : box_end) - low[i];
    }
    const size_t line_bytes = (size_t)count[rank - 1] * item;
    do {
        uint64_t from = 0, to = 0;
        for (size_t i = 0; i < rank; ++i) {
            from = from * storage->chunk[i] + (low[i] - first[i] + at[i]);
            to = to * box->count[i] + (low[i] - box->start[i] + at[i]);
        }
        memcpy(reading->out->numbers + to * item, chunk + from * item, line_bytes);
    } while (advance(at, count, rank - 1));
}

static void first_of_chunk(const struct reading *reading, const uint64_t *at, uint64_t *first)
{
    for (size_t i = 0; i < reading->storage->rank; ++i)
        first[i] = (reading->first_chunk[i] + at[i]) * reading->storage->chunk[i];
}

/* Each chunk is used once. */
static enum sst_status read_each(struct reading *reading, bool *was_read, struct sst_error *err)
{
    struct sst_decode_scratch *scratch = reading->scratch;
    uint64_t at[SST_DECODE_MAX_RANK] = {0}, first[SST_DECODE_MAX_RANK];
    const bool is_direct = is_one_chunk(reading);
    if (!is_direct)
        SST_TRY(sst_grow(&scratch->chunk, &scratch->chunk_capacity, reading->storage->chunk_bytes, 1, "a chunk", err));
    do {
        first_of_chunk(reading, at, first);
        struct sst_direct_out chunk = {.numbers = scratch->chunk};
        SST_TRY(unpack_chunk(reading, first, is_direct ? reading->out : &chunk, was_read, err));
        if (!*was_read)
            return SST_OK;
        if (!is_direct)
            copy_common(reading, first, chunk.numbers);
    } while (advance(at, reading->n_chunks, reading->storage->rank));
    return SST_OK;
}

static bool is_of(const struct sst_direct_slab *slab, const struct reading *reading)
{
    const size_t n_bytes = reading->storage->rank * sizeof *slab->n_chunks;
    return slab->serial == reading->direct->serial && slab->varid == reading->storage->varid &&
           memcmp(slab->first_chunk, reading->first_chunk, n_bytes) == 0 &&
           memcmp(slab->n_chunks, reading->n_chunks, n_bytes) == 0;
}

/* The slab that holds the chunks of a box, or the one used longest ago; nobody's then. */
static struct sst_direct_slab *find_slab(const struct reading *reading)
{
    struct sst_decode_scratch *scratch = reading->scratch;
    struct sst_direct_slab *oldest = scratch->slabs;
    for (size_t i = 0; i < SST_DIRECT_MAX_SLABS; ++i) {
        struct sst_direct_slab *slab = &scratch->slabs[i];
        if (is_of(slab, reading))
            return slab;
        if (slab->last_use < oldest->last_use)
            oldest = slab;
    }
    oldest->serial = 0;
    return oldest;
}

static enum sst_status fill_slab(struct reading *reading, struct sst_direct_slab *slab, bool *was_read,
                                 struct sst_error *err)
{
    const size_t chunk_bytes = reading->storage->chunk_bytes;
    uint64_t at[SST_DECODE_MAX_RANK] = {0}, first[SST_DECODE_MAX_RANK];
    *was_read = false;
    SST_TRY(
        sst_grow(&slab->bytes, &slab->capacity, reading->n_all_chunks * chunk_bytes, 1, "the chunks of a field", err));
    struct sst_direct_out to = {.numbers = slab->bytes};
    do {
        first_of_chunk(reading, at, first);
        SST_TRY(unpack_chunk(reading, first, &to, was_read, err));
        if (!*was_read)
            return SST_OK;
        to.numbers += chunk_bytes;
    } while (advance(at, reading->n_chunks, reading->storage->rank));
    slab->serial = reading->direct->serial;
    slab->varid = reading->storage->varid;
    memcpy(slab->first_chunk, reading->first_chunk, sizeof slab->first_chunk);
    memcpy(slab->n_chunks, reading->n_chunks, sizeof slab->n_chunks);
    return SST_OK;
}

/* The chunks hold other steps too, which are likely to be asked for next. */
static enum sst_status read_slab(struct reading *reading, bool *was_read, struct sst_error *err)
{
    struct sst_direct_slab *slab = find_slab(reading);
    uint64_t at[SST_DECODE_MAX_RANK] = {0}, first[SST_DECODE_MAX_RANK];
    *was_read = true;
    if (slab->serial == 0)
        SST_TRY(fill_slab(reading, slab, was_read, err));
    if (!*was_read)
        return SST_OK;
    slab->last_use = ++reading->scratch->clock;
    const unsigned char *chunk = slab->bytes;
    do {
        first_of_chunk(reading, at, first);
        copy_common(reading, first, chunk);
        chunk += reading->storage->chunk_bytes;
    } while (advance(at, reading->n_chunks, reading->storage->rank));
    return SST_OK;
}

enum sst_status sst_direct_read_chunks(struct sst_file *file, const struct sst_direct_storage *storage,
                                       const struct sst_direct_box *box, struct sst_direct_out *out, bool *was_read,
                                       struct sst_error *err)
{
    struct reading reading = {
        .scratch = file->scratch, .direct = file->direct, .storage = storage, .box = box, .out = out};
    bool spans_more = false;
    size_t slab_bytes = 0;
    *was_read = false;
    if (!find_chunks(&reading))
        return SST_OK;
    /* A chunk is used again where a dimension of which the box has one number has more of them in a chunk. */
    for (size_t i = 0; i < storage->rank; ++i)
        spans_more |= box->count[i] == 1 && storage->chunk[i] > 1;
    if (!spans_more)
        return read_each(&reading, was_read, err);
    if (__builtin_mul_overflow(reading.n_all_chunks, storage->chunk_bytes, &slab_bytes) ||
        slab_bytes > SST_DIRECT_MAX_SLAB_BYTES)
        return SST_OK;
    return read_slab(&reading, was_read, err);
}

bool sst_direct_locate_chunks(struct sst_direct *direct, struct sst_direct_storage *storage)
{
    uint64_t n[SST_DECODE_MAX_RANK], at[SST_DECODE_MAX_RANK] = {0}, first[SST_DECODE_MAX_RANK];
    const size_t first_place = direct->n_places;
    size_t n_all = 1;
    for (size_t i = 0; i < storage->rank; ++i) {
        n[i] = n_chunks_along(storage, i);
        if (__builtin_mul_overflow(n_all, n[i], &n_all) || n_all > SST_DIRECT_MAX_PLACES - first_place)
            return false;
    }
    if (n_all == 0)
        return false;
    size_t found = first_place;
    do {
        for (size_t i = 0; i < storage->rank; ++i)
            first[i] = at[i] * storage->chunk[i];
        if (!sst_direct_hdf5_find_chunk(storage, first, &direct->places[found++]))
            return false;
    } while (advance(at, n, storage->rank));
    direct->n_places = found;
    storage->first_place = first_place;
    storage->n_places = n_all;
    return true;
}
