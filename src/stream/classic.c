/* Walks the header of a classic netCDF file to learn how long the file must be, and where a variable's numbers are. */
#include "stream/classic.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

/* The list tags and type codes of the format's grammar. */
enum { TAG_ABSENT = 0, TAG_DIMENSION = 0x0A, TAG_VARIABLE = 0x0B, TAG_ATTRIBUTE = 0x0C };
enum { LAST_CLASSIC_TYPE = 6, LAST_CDF5_TYPE = 11 };
enum { CDF_1 = 1, CDF_2 = 2, CDF_5 = 5 };
enum { ROUNDING = 4 }; /* [B] headers and data are padded to words of this size */

struct header {
    FILE *stream;
    uint64_t size, at; /* [B] of the file; read so far */
    int version;
    uint64_t n_records;
    bool is_streaming; /* the number of records was never written */
    uint64_t *dims; /* lengths; 0 is the record dimension */
    uint64_t n_dims;
    uint64_t needed; /* end of the last byte of data seen so far */
    /* Records interleave: their variables' sizes add up, padded unless there is only one. */
    uint64_t record_bytes_padded, n_record_vars, lone_record_bytes;
    uint64_t *record_ends; /* begin + unpadded bytes of one record, for each record variable */
    size_t record_ends_capacity;
    /* The variable that is looked for, if one is. */
    struct sst_classic_variable *wanted;
    uint64_t wanted_index;
};

static enum sst_status malformed(const struct header *h, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INPUT,
                    "netCDF-3 header: %s near byte %llu. The file is cut short or damaged; fetch it again", what,
                    (unsigned long long)h->at);
}

static enum sst_status read_bytes(struct header *h, void *to, size_t n, struct sst_error *err)
{
    if (n > h->size - h->at || fread(to, 1, n, h->stream) != n)
        return malformed(h, "it ends early", err);
    h->at += n;
    return SST_OK;
}

static enum sst_status read_unsigned(struct header *h, size_t n_bytes, uint64_t *out, struct sst_error *err)
{
    unsigned char bytes[8];
    SST_TRY(read_bytes(h, bytes, n_bytes, err));
    *out = 0;
    for (size_t i = 0; i < n_bytes; ++i)
        *out = *out << 8 | bytes[i];
    return SST_OK;
}

static enum sst_status read_word(struct header *h, uint64_t *out, struct sst_error *err)
{
    return read_unsigned(h, 4, out, err);
}

/* A count or length: 64 bits in CDF-5, else 32; never negative. */
static enum sst_status read_count(struct header *h, uint64_t *out, struct sst_error *err)
{
    SST_TRY(read_unsigned(h, h->version == CDF_5 ? 8 : 4, out, err));
    if (*out > (h->version == CDF_5 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX))
        return malformed(h, "a negative count", err);
    return SST_OK;
}

/* Passes over `bytes` and the padding after them. */
static enum sst_status skip(struct header *h, uint64_t bytes, struct sst_error *err)
{
    if (bytes > h->size)
        return malformed(h, "a length beyond the file's end", err);
    const uint64_t padded = (bytes + ROUNDING - 1) / ROUNDING * ROUNDING;
    if (padded > h->size - h->at || fseeko(h->stream, (off_t)padded, SEEK_CUR) != 0)
        return malformed(h, "it ends early", err);
    h->at += padded;
    return SST_OK;
}

static enum sst_status skip_name(struct header *h, struct sst_error *err)
{
    uint64_t length = 0;
    SST_TRY(read_count(h, &length, err));
    return skip(h, length, err);
}

static enum sst_status read_type(struct header *h, uint64_t *type, uint64_t *bytes, struct sst_error *err)
{
    static const unsigned char size_of[LAST_CDF5_TYPE + 1] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
    SST_TRY(read_word(h, type, err));
    if (*type < 1 || *type > (h->version == CDF_5 ? LAST_CDF5_TYPE : LAST_CLASSIC_TYPE))
        return malformed(h, "an unknown type", err);
    *bytes = size_of[*type];
    return SST_OK;
}

/* The head of a list: its tag, then how many items follow. */
static enum sst_status read_list(struct header *h, uint64_t tag, uint64_t *n_items, struct sst_error *err)
{
    uint64_t found = 0;
    SST_TRY(read_word(h, &found, err));
    SST_TRY(read_count(h, n_items, err));
    if (found != tag && !(found == TAG_ABSENT && *n_items == 0))
        return malformed(h, "a list without its tag", err);
    return SST_OK;
}

static enum sst_status skip_attributes(struct header *h, struct sst_error *err)
{
    uint64_t n_attributes = 0;
    SST_TRY(read_list(h, TAG_ATTRIBUTE, &n_attributes, err));
    for (uint64_t i = 0; i < n_attributes; ++i) {
        uint64_t type = 0, item_bytes = 0, n_items = 0, bytes = 0;
        SST_TRY(skip_name(h, err));
        SST_TRY(read_type(h, &type, &item_bytes, err));
        SST_TRY(read_count(h, &n_items, err));
        if (__builtin_mul_overflow(n_items, item_bytes, &bytes))
            return malformed(h, "a length beyond the file's end", err);
        SST_TRY(skip(h, bytes, err));
    }
    return SST_OK;
}

static enum sst_status read_dimensions(struct header *h, struct sst_error *err)
{
    uint64_t n_dims = 0;
    SST_TRY(read_list(h, TAG_DIMENSION, &n_dims, err));
    if (n_dims > (h->size - h->at) / 8)
        return malformed(h, "more dimensions than the file has room for", err);
    SST_TRY(sst_alloc((size_t)n_dims, sizeof *h->dims, "dimensions", &h->dims, err));
    h->n_dims = n_dims;
    for (uint64_t i = 0; i < n_dims; ++i) {
        SST_TRY(skip_name(h, err));
        SST_TRY(read_count(h, &h->dims[i], err));
    }
    return SST_OK;
}

/*
 * Reads a variable's dimensions; `n_values` becomes the product of the lengths but for the record dimension. `shape` gets
 * as many lengths as it has room for; NULL is accepted.
 */
static enum sst_status read_shape(struct header *h, bool *is_record, uint64_t *n_values,
                                  struct sst_classic_variable *shape, struct sst_error *err)
{
    uint64_t n_dims = 0;
    SST_TRY(read_count(h, &n_dims, err));
    if (shape)
        shape->rank = (size_t)n_dims;
    *is_record = false;
    *n_values = 1;
    for (uint64_t i = 0; i < n_dims; ++i) {
        uint64_t dim = 0;
        SST_TRY(read_count(h, &dim, err));
        if (dim >= h->n_dims)
            return malformed(h, "a dimension that is not there", err);
        if (shape && i < SST_CLASSIC_MAX_RANK)
            shape->lengths[i] = h->dims[dim];
        if (h->dims[dim] == 0 && i == 0)
            *is_record = true;
        else if (__builtin_mul_overflow(*n_values, h->dims[dim], n_values))
            return malformed(h, "a variable larger than any file", err);
    }
    return SST_OK;
}

static enum sst_status add_record_variable(struct header *h, uint64_t bytes, uint64_t end, struct sst_error *err)
{
    const uint64_t padded = (bytes + ROUNDING - 1) / ROUNDING * ROUNDING;
    if (padded < bytes || __builtin_add_overflow(h->record_bytes_padded, padded, &h->record_bytes_padded))
        return malformed(h, "a record larger than any file", err);
    SST_TRY(sst_grow(&h->record_ends, &h->record_ends_capacity, (size_t)h->n_record_vars + 1, sizeof *h->record_ends,
                     "record variables", err));
    h->record_ends[h->n_record_vars++] = end;
    h->lone_record_bytes = bytes;
    return SST_OK;
}

static enum sst_status read_variable(struct header *h, struct sst_classic_variable *out, struct sst_error *err)
{
    uint64_t n_values = 0, type = 0, item_bytes = 0, bytes = 0, stored_size = 0, begin = 0, end = 0;
    bool is_record = false;
    SST_TRY(skip_name(h, err));
    SST_TRY(read_shape(h, &is_record, &n_values, out, err));
    SST_TRY(skip_attributes(h, err));
    SST_TRY(read_type(h, &type, &item_bytes, err));
    /* The size field is too narrow for large variables and may be wrong: the shape tells. */
    SST_TRY(read_unsigned(h, h->version == CDF_5 ? 8 : 4, &stored_size, err));
    SST_TRY(read_unsigned(h, h->version == CDF_1 ? 4 : 8, &begin, err));
    if (__builtin_mul_overflow(n_values, item_bytes, &bytes) || __builtin_add_overflow(begin, bytes, &end))
        return malformed(h, "a variable larger than any file", err);
    if (out) {
        out->begin = begin;
        out->item_bytes = (size_t)item_bytes;
        out->is_record = is_record;
    }
    if (is_record)
        return add_record_variable(h, bytes, end, err);
    if (end > h->needed && bytes > 0)
        h->needed = end;
    return SST_OK;
}

/* [B] From one record to the next. A lone record variable of bytes or shorts is stored without padding between. */
static uint64_t record_stride(const struct header *h)
{
    return h->n_record_vars == 1 ? h->lone_record_bytes : h->record_bytes_padded;
}

/* The last record decides, unless the writer never told how many there are. */
static enum sst_status add_records(struct header *h, struct sst_error *err)
{
    if (h->is_streaming || h->n_records == 0)
        return SST_OK;
    const uint64_t stride = record_stride(h);
    uint64_t before_last = 0;
    if (__builtin_mul_overflow(stride, h->n_records - 1, &before_last))
        return malformed(h, "more records than any file holds", err);
    for (uint64_t i = 0; i < h->n_record_vars; ++i) {
        uint64_t end = 0;
        if (__builtin_add_overflow(h->record_ends[i], before_last, &end))
            return malformed(h, "more records than any file holds", err);
        if (end > h->needed)
            h->needed = end;
    }
    return SST_OK;
}

static enum sst_status read_magic(struct header *h, struct sst_error *err)
{
    unsigned char magic[4];
    SST_TRY(read_bytes(h, magic, sizeof magic, err));
    h->version = magic[3];
    if (memcmp(magic, "CDF", 3) != 0 || (h->version != CDF_1 && h->version != CDF_2 && h->version != CDF_5))
        return malformed(h, "no netCDF-3 magic number", err);
    const bool is_wide = h->version == CDF_5;
    SST_TRY(read_unsigned(h, is_wide ? 8 : 4, &h->n_records, err));
    h->is_streaming = h->n_records == (is_wide ? UINT64_MAX : UINT32_MAX);
    return SST_OK;
}

static enum sst_status walk(struct header *h, struct sst_error *err)
{
    SST_TRY(read_magic(h, err));
    SST_TRY(read_dimensions(h, err));
    SST_TRY(skip_attributes(h, err));
    uint64_t n_variables = 0;
    SST_TRY(read_list(h, TAG_VARIABLE, &n_variables, err));
    for (uint64_t i = 0; i < n_variables; ++i)
        SST_TRY(read_variable(h, h->wanted && i == h->wanted_index ? h->wanted : NULL, err));
    if (h->at > h->needed)
        h->needed = h->at;
    return add_records(h, err);
}

/* Takes the stream over. */
static enum sst_status walk_stream(struct header *h, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct stat status;
    if (!h->stream || fstat(fileno(h->stream), &status) != 0) {
        rc = sst_fail(err, SST_ERR_INPUT, "cannot be read: %s", strerror(errno));
        goto done;
    }
    h->size = (uint64_t)status.st_size;
    SST_TRY_GOTO(walk(h, err));
done:
    if (h->stream)
        (void)fclose(h->stream);
    sst_free(h->dims);
    sst_free(h->record_ends);
    return rc;
}

enum sst_status sst_classic_needed_size(const char *path, uint64_t *needed_bytes, struct sst_error *err)
{
    struct header h = {.stream = fopen(path, "rbe")};
    SST_TRY(walk_stream(&h, err));
    *needed_bytes = h.needed;
    return SST_OK;
}

enum sst_status sst_classic_find(int fd, size_t index, struct sst_classic_variable *out, struct sst_error *err)
{
    struct sst_classic_variable found = {0};
    struct header h = {.wanted = &found, .wanted_index = index};
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own >= 0 && lseek(own, 0, SEEK_SET) == 0)
        h.stream = fdopen(own, "rb");
    if (own >= 0 && !h.stream)
        (void)close(own);
    SST_TRY(walk_stream(&h, err));
    if (found.item_bytes == 0)
        return sst_fail(err, SST_ERR_INPUT, "netCDF-3 header: there is no variable %zu", index);
    if (h.is_streaming && found.is_record)
        return sst_fail(err, SST_ERR_INPUT, "netCDF-3 header: the number of records was never written");
    found.record_stride = found.is_record ? record_stride(&h) : 0;
    if (found.is_record)
        found.lengths[0] = h.n_records;
    *out = found;
    return SST_OK;
}
