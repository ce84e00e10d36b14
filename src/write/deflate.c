/* See the header. */
#include "write/deflate.h"

#include <assert.h>
#include <endian.h>
#include <libdeflate.h>
#include <string.h>

#include "core/mem.h"

/* What libdeflate 1.14 asks for at the levels 2..9; less at level 1. Measured. */
enum { COMPRESSOR_BYTES = 670000 };

struct sst_deflater {
    struct libdeflate_compressor *compressor;
    size_t most_bytes;
    uint8_t *shuffled;
};

enum sst_status sst_deflater_create(int level, size_t most_bytes, struct sst_deflater **out, struct sst_error *err)
{
    struct sst_deflater *deflater = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(1, sizeof *deflater, "a compressor", &deflater, err));
    deflater->most_bytes = most_bytes;
    SST_TRY_GOTO(sst_alloc(most_bytes, 1, "a shuffled chunk", &deflater->shuffled, err));
    deflater->compressor = libdeflate_alloc_compressor(level);
    if (!deflater->compressor)
        SST_TRY_GOTO(sst_fail(err, SST_ERR_NOMEM, "no memory for a compressor of level %d", level));
    *out = deflater;
    deflater = NULL;
done:
    sst_deflater_destroy(&deflater);
    return rc;
}

void sst_deflater_destroy(struct sst_deflater **deflater)
{
    if (!*deflater)
        return;
    libdeflate_free_compressor((*deflater)->compressor);
    sst_free((*deflater)->shuffled);
    sst_free(*deflater);
    *deflater = NULL;
}

uint64_t sst_deflater_bytes(size_t most_bytes) { return (uint64_t)COMPRESSOR_BYTES + most_bytes; }

size_t sst_deflate_room(size_t n_bytes) { return libdeflate_zlib_compress_bound(NULL, n_bytes); }

/* A loop for each width, so that the compiler knows the stride. */
static void shuffle_2(const uint8_t *restrict from, size_t n_values, uint8_t *restrict to)
{
    for (size_t i = 0; i < n_values; ++i) {
        to[i] = from[2 * i];
        to[n_values + i] = from[2 * i + 1];
    }
}

static void shuffle_4(const uint8_t *restrict from, size_t n_values, uint8_t *restrict to)
{
    for (size_t i = 0; i < n_values; ++i) {
        to[i] = from[4 * i];
        to[n_values + i] = from[4 * i + 1];
        to[2 * n_values + i] = from[4 * i + 2];
        to[3 * n_values + i] = from[4 * i + 3];
    }
}

/* Swaps what lies `step` off the diagonal of eight rows of eight bytes, each row a number whose lowest byte is first. */
static inline void swap_bytes(uint64_t *restrict rows, unsigned step, uint64_t mask)
{
    for (unsigned i = 0; i < 8; ++i) {
        if (i & step)
            continue;
        const uint64_t other = (rows[i] >> 8 * step ^ rows[i + step]) & mask;
        rows[i + step] ^= other;
        rows[i] ^= other << 8 * step;
    }
}

/* Eight values at a time, turned as a matrix of bytes. */
static void shuffle_8(const uint8_t *restrict from, size_t n_values, uint8_t *restrict to)
{
    enum { ROWS = 8 };
    size_t i = 0;
    for (; i + ROWS <= n_values; i += ROWS) {
        uint64_t rows[ROWS];
        memcpy(rows, from + 8 * i, sizeof rows);
        for (size_t k = 0; k < ROWS; ++k)
            rows[k] = le64toh(rows[k]);
        swap_bytes(rows, 4, 0x00000000FFFFFFFF);
        swap_bytes(rows, 2, 0x0000FFFF0000FFFF);
        swap_bytes(rows, 1, 0x00FF00FF00FF00FF);
        for (size_t k = 0; k < ROWS; ++k) {
            rows[k] = htole64(rows[k]);
            memcpy(to + k * n_values + i, &rows[k], sizeof rows[k]);
        }
    }
    for (; i < n_values; ++i)
        for (size_t k = 0; k < ROWS; ++k)
            to[k * n_values + i] = from[8 * i + k];
}

size_t sst_deflate_to(struct sst_deflater *deflater, const void *values, size_t n_values, size_t value_bytes, void *out,
                      size_t room)
{
    const size_t n_bytes = n_values * value_bytes;
    assert(n_bytes <= deflater->most_bytes && room >= sst_deflate_room(n_bytes));
    switch (value_bytes) {
    case 2:
        shuffle_2(values, n_values, deflater->shuffled);
        break;
    case 4:
        shuffle_4(values, n_values, deflater->shuffled);
        break;
    case 8:
        shuffle_8(values, n_values, deflater->shuffled);
        break;
    default:
        assert(value_bytes == 1);
        memcpy(deflater->shuffled, values, n_bytes);
        break;
    }
    return libdeflate_zlib_compress(deflater->compressor, deflater->shuffled, n_bytes, out, room);
}

size_t sst_deflate(struct sst_deflater *deflater, void *values, size_t n_values, size_t value_bytes)
{
    return sst_deflate_to(deflater, values, n_values, value_bytes, values, sst_deflate_room(n_values * value_bytes));
}

size_t sst_deflate_plain(struct sst_deflater *deflater, const void *bytes, size_t n_bytes, void *out, size_t room)
{
    assert(room >= sst_deflate_room(n_bytes));
    return libdeflate_zlib_compress(deflater->compressor, bytes, n_bytes, out, room);
}
