/* The spool: one record a place, packed and unpacked by blocks of cells, which threads share. */
#include "write/spool.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "core/scratch_file.h"

/* Below this many cells a loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 1 << 16 };

enum {
    WORD = 64, /* cells of a word of marks */
    BLOCK = 64 * WORD, /* cells that are packed together: their columns stay in the nearest caches */
    N_SHAPE = 3,
    N_COUNTS = 2 /* columns of uint16: n_obs and flags */
};

/* Where a place's record lies in memory or in the file, and how long it is. [bytes] */
struct record {
    uint64_t offset;
    size_t size; /* 0: never put */
};

struct sst_spool {
    struct sst_spool_spec spec;
    struct sst_scratch_file file;
    unsigned char
        *buffer; /* all records, or of those in a file the one in hand; what is never touched takes no memory */
    uint64_t end; /* of the records so far */
    uint64_t *marks; /* of what is put: cells that are told */
    size_t *first; /* by block: cells that are told before it; one more: all */
    struct record *records;
};

/* --- layout ------------------------------------------------------------------------------------------------------- */

static size_t n_words(const struct sst_spool_spec *spec) { return (spec->n_cells + WORD - 1) / WORD; }

static size_t n_blocks(const struct sst_spool_spec *spec) { return (spec->n_cells + BLOCK - 1) / BLOCK; }

static size_t n_floats(const struct sst_spool_spec *spec)
{
    return 1 + spec->n_percentiles + (spec->has_shape ? N_SHAPE : 0);
}

static size_t cell_bytes(const struct sst_spool_spec *spec)
{
    return n_floats(spec) * sizeof(float) + N_COUNTS * sizeof(uint16_t);
}

/* Where parts of a record begin. */
static size_t flags_at(const struct sst_spool_spec *spec) { return n_words(spec) * sizeof(uint64_t); }

static size_t probes_at(const struct sst_spool_spec *spec) { return flags_at(spec) + sizeof(uint64_t); }

static size_t blocks_at(const struct sst_spool_spec *spec)
{
    return probes_at(spec) + spec->n_percentiles * spec->n_probes * sizeof(float);
}

/* In whole words, so that the next one begins with one. */
static size_t record_size(const struct sst_spool_spec *spec, size_t n_told)
{
    const size_t bytes = blocks_at(spec) + n_told * cell_bytes(spec);
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

uint64_t sst_spool_disk_bytes(const struct sst_spool_spec *spec)
{
    return spec->is_in_memory ? 0 : (uint64_t)record_size(spec, spec->n_cells) * spec->n_places;
}

uint64_t sst_spool_memory_bytes(const struct sst_spool_spec *spec)
{
    const uint64_t n_records = spec->is_in_memory ? spec->n_places : 1;
    return n_records * record_size(spec, spec->n_expected) + spec->n_places * sizeof(struct record) + flags_at(spec) +
           (n_blocks(spec) + 1) * sizeof(size_t);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum sst_status open_file(struct sst_spool *spool, struct sst_error *err)
{
    const char *beside = spool->spec.beside, *slash = strrchr(beside, '/');
    const size_t length = slash == beside ? 1 : slash ? (size_t)(slash - beside) : 0; /* of the folder */
    char *folder = NULL, *about = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_asprintf(&folder, err, "%.*s", length ? (int)length : 1, length ? beside : "."));
    SST_TRY_GOTO(sst_asprintf(&about, err, "%s: the scratch file beside it, of %.1f MB,", beside,
                              (double)sst_spool_disk_bytes(&spool->spec) / 1e6));
    SST_TRY_GOTO(sst_scratch_file_open(folder, about, "Check the space in that folder", &spool->file, err));
done:
    sst_free(folder);
    sst_free(about);
    return rc;
}

enum sst_status sst_spool_create(const struct sst_spool_spec *spec, struct sst_spool **out, struct sst_error *err)
{
    struct sst_spool *spool = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *spool, "the spool", &spool, err));
    spool->spec = *spec;
    SST_TRY_GOTO(sst_alloc(spec->n_places, sizeof *spool->records, "the spool", &spool->records, err));
    SST_TRY_GOTO(sst_alloc(n_words(spec), sizeof *spool->marks, "the spool", &spool->marks, err));
    SST_TRY_GOTO(sst_alloc(n_blocks(spec) + 1, sizeof *spool->first, "the spool", &spool->first, err));
    SST_TRY_GOTO(sst_alloc_large(spec->is_in_memory ? spec->n_places : 1, record_size(spec, spec->n_cells),
                                 "slots that wait", &spool->buffer, err));
    if (!spec->is_in_memory)
        SST_TRY_GOTO(open_file(spool, err));
    *out = spool;
    spool = NULL;
done:
    sst_spool_destroy(&spool);
    return rc;
}

void sst_spool_destroy(struct sst_spool **handle)
{
    struct sst_spool *spool = *handle;
    if (!spool)
        return;
    sst_scratch_file_close(&spool->file);
    sst_free(spool->records);
    sst_free(spool->buffer);
    sst_free(spool->marks);
    sst_free(spool->first);
    sst_free(spool);
    *handle = NULL;
}

/* --- which cells are told ----------------------------------------------------------------------------------------- */

static bool has_value(const struct sst_spool_spec *spec, const struct sst_spool_in *values, size_t cell)
{
    bool has = values->n_obs[cell] != 0 || !isnan(values->mean[cell]);
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        has = has || !isnan(values->quantile[q][cell]);
    return has;
}

/* The flags of the first cell without a value; of those that have the same none is told. */
static uint16_t shared_flags(const struct sst_spool_spec *spec, const struct sst_spool_in *values)
{
    for (size_t cell = 0; cell < spec->n_cells; ++cell)
        if (!has_value(spec, values, cell))
            return values->flags[cell];
    return 0;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Cells of a block that are told, from its first on; returns how many. */
static size_t list_told(const struct sst_spool_spec *spec, const uint64_t *marks, size_t block, uint16_t *told)
{
    const size_t first = block * BLOCK, n = smaller(BLOCK, spec->n_cells - first);
    size_t n_told = 0;
    for (size_t i = 0; i < n; ++i) {
        told[n_told] = (uint16_t)i;
        n_told += (marks[(first + i) / WORD] >> (i % WORD)) & 1;
    }
    return n_told;
}

static void mark(const struct sst_spool *spool, const struct sst_spool_in *values, uint16_t shared)
{
    const struct sst_spool_spec *spec = &spool->spec;
    const size_t n = n_words(spec);
#pragma omp parallel for schedule(static) if (spec->n_cells >= PARALLEL_CELLS)
    for (size_t word = 0; word < n; ++word) {
        const size_t first = word * WORD, last = smaller(first + WORD, spec->n_cells);
        uint64_t marks = 0;
        for (size_t cell = first; cell < last; ++cell) {
            const bool is_told = values->flags[cell] != shared || has_value(spec, values, cell);
            marks |= (uint64_t)is_told << (cell - first);
        }
        spool->marks[word] = marks;
    }
}

/* Where the blocks of a record begin; returns the cells of all. */
static size_t find_blocks(const struct sst_spool *spool, const uint64_t *marks)
{
    const size_t n = n_words(&spool->spec);
    size_t n_told = 0;
    for (size_t word = 0; word < n; ++word) {
        if (word % (BLOCK / WORD) == 0)
            spool->first[word / (BLOCK / WORD)] = n_told;
        n_told += (size_t)__builtin_popcountll(marks[word]);
    }
    spool->first[n_blocks(&spool->spec)] = n_told;
    return n_told;
}

/* --- packing ------------------------------------------------------------------------------------------------------ */

/* A block in a record: its cells, and columns one behind the other. */
struct block {
    size_t first, n, n_told; /* cell of the domain, cells, those told */
    uint16_t told[BLOCK];
    float *floats;
    uint16_t *counts;
};

static void open_block(const struct sst_spool *spool, const uint64_t *marks, unsigned char *blocks, size_t index,
                       struct block *block)
{
    const struct sst_spool_spec *spec = &spool->spec;
    block->first = index * BLOCK;
    block->n = smaller(BLOCK, spec->n_cells - block->first);
    block->n_told = list_told(spec, marks, index, block->told);
    block->floats = (float *)(void *)(blocks + spool->first[index] * cell_bytes(spec)); /* aligned: see the header */
    block->counts = (uint16_t *)(void *)(block->floats + n_floats(spec) * block->n_told);
}

static void pack_doubles(const struct block *block, const double *from, float *to)
{
    from += block->first;
    if (block->n_told == block->n)
        for (size_t i = 0; i < block->n; ++i)
            to[i] = (float)from[i];
    else
        for (size_t i = 0; i < block->n_told; ++i)
            to[i] = (float)from[block->told[i]];
}

static void pack_floats(const struct block *block, const float *from, float *to)
{
    for (size_t i = 0; i < block->n_told; ++i)
        to[i] = from[block->first + block->told[i]];
}

static void pack_counts(const struct block *block, const uint16_t *from, uint16_t *to)
{
    for (size_t i = 0; i < block->n_told; ++i)
        to[i] = from[block->first + block->told[i]];
}

static void pack_block(const struct sst_spool_spec *spec, const struct sst_spool_in *values, const struct block *block)
{
    const size_t n = block->n_told;
    float *to = block->floats;
    pack_doubles(block, values->mean, to);
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        pack_doubles(block, values->quantile[q], to += n);
    if (spec->has_shape) {
        pack_floats(block, values->shape.sd, to += n);
        pack_floats(block, values->shape.skew, to += n);
        pack_floats(block, values->shape.kurt, to + n);
    }
    pack_counts(block, values->n_obs, block->counts);
    pack_counts(block, values->flags, block->counts + n);
}

static void pack(const struct sst_spool *spool, const struct sst_spool_in *values, uint16_t shared,
                 unsigned char *record)
{
    const struct sst_spool_spec *spec = &spool->spec;
    const size_t n = n_blocks(spec);
    const uint64_t flags = shared;
    float *probes = (float *)(void *)(record + probes_at(spec));
    memcpy(record, spool->marks, flags_at(spec));
    memcpy(record + flags_at(spec), &flags, sizeof flags);
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        for (size_t i = 0; i < spec->n_probes; ++i)
            probes[q * spec->n_probes + i] = (float)values->probe_quantile[q][i];
#pragma omp parallel for schedule(static) if (spec->n_cells >= PARALLEL_CELLS)
    for (size_t index = 0; index < n; ++index) {
        struct block block;
        open_block(spool, spool->marks, record + blocks_at(spec), index, &block);
        pack_block(spec, values, &block);
    }
}

enum sst_status sst_spool_put(struct sst_spool *spool, size_t place, const struct sst_spool_in *values,
                              struct sst_error *err)
{
    const struct sst_spool_spec *spec = &spool->spec;
    if (place >= spec->n_places || spool->records[place].size > 0)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: what waits beside it has no place %zu, or has it already",
                        spec->beside, place);
    const uint16_t shared = shared_flags(spec, values);
    mark(spool, values, shared);
    const struct record record = {spool->end, record_size(spec, find_blocks(spool, spool->marks))};
    pack(spool, values, shared, spec->is_in_memory ? spool->buffer + record.offset : spool->buffer);
    if (!spec->is_in_memory)
        SST_TRY(sst_scratch_file_write(&spool->file, record.offset, spool->buffer, record.size, err));
    spool->records[place] = record;
    spool->end += record.size;
    return SST_OK;
}

/* --- unpacking ---------------------------------------------------------------------------------------------------- */

static void unpack_doubles(const struct block *block, const float *from, double *to)
{
    to += block->first;
    if (block->n_told == block->n) {
        for (size_t i = 0; i < block->n; ++i)
            to[i] = (double)from[i];
        return;
    }
    for (size_t i = 0; i < block->n; ++i)
        to[i] = NAN;
    for (size_t i = 0; i < block->n_told; ++i)
        to[block->told[i]] = (double)from[i];
}

static void unpack_floats(const struct block *block, const float *from, float *to)
{
    to += block->first;
    for (size_t i = 0; block->n_told < block->n && i < block->n; ++i)
        to[i] = NAN;
    for (size_t i = 0; i < block->n_told; ++i)
        to[block->told[i]] = from[i];
}

static void unpack_counts(const struct block *block, const uint16_t *from, uint16_t others, uint16_t *to)
{
    to += block->first;
    for (size_t i = 0; block->n_told < block->n && i < block->n; ++i)
        to[i] = others;
    for (size_t i = 0; i < block->n_told; ++i)
        to[block->told[i]] = from[i];
}

static void unpack_block(const struct sst_spool_spec *spec, const struct block *block, uint16_t shared,
                         const struct sst_spool_out *values)
{
    const size_t n = block->n_told;
    const float *from = block->floats;
    unpack_doubles(block, from, values->mean);
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        unpack_doubles(block, from += n, values->quantile[q]);
    if (spec->has_shape) {
        unpack_floats(block, from += n, values->shape.sd);
        unpack_floats(block, from += n, values->shape.skew);
        unpack_floats(block, from + n, values->shape.kurt);
    }
    unpack_counts(block, block->counts, 0, values->n_obs);
    unpack_counts(block, block->counts + n, shared, values->flags);
}

static void unpack(const struct sst_spool *spool, unsigned char *record, const struct sst_spool_out *values)
{
    const struct sst_spool_spec *spec = &spool->spec;
    const size_t n = n_blocks(spec);
    const uint64_t *marks = (const uint64_t *)(const void *)record;
    const float *probes = (const float *)(const void *)(record + probes_at(spec));
    uint64_t flags = 0;
    memcpy(&flags, record + flags_at(spec), sizeof flags);
    (void)find_blocks(spool, marks);
    for (size_t q = 0; q < spec->n_percentiles; ++q)
        for (size_t i = 0; i < spec->n_probes; ++i)
            values->probe_quantile[q][i] = (double)probes[q * spec->n_probes + i];
#pragma omp parallel for schedule(static) if (spec->n_cells >= PARALLEL_CELLS)
    for (size_t index = 0; index < n; ++index) {
        struct block block;
        open_block(spool, marks, record + blocks_at(spec), index, &block);
        unpack_block(spec, &block, (uint16_t)flags, values);
    }
}

enum sst_status sst_spool_get(struct sst_spool *spool, size_t place, const struct sst_spool_out *values,
                              struct sst_error *err)
{
    const struct sst_spool_spec *spec = &spool->spec;
    if (place >= spec->n_places || spool->records[place].size == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: place %zu of what waits beside it was never put", spec->beside,
                        place);
    const struct record record = spool->records[place];
    if (!spec->is_in_memory)
        SST_TRY(sst_scratch_file_read(&spool->file, record.offset, spool->buffer, record.size, err));
    unpack(spool, spec->is_in_memory ? spool->buffer + record.offset : spool->buffer, values);
    return SST_OK;
}
