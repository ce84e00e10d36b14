/* Values as bytes, and the one place where a state's bytes are deflated. */
#include "state/packed_codes.h"

#include <libdeflate.h>
#include <string.h>

enum {
    DEFLATE_LEVEL = 1, /* an arriving day waits for it; codes shrink little more at higher ones */
    MOST_GROWTH = 1032 /* 258 bytes for two bits */
};

void sst_pack_codes(const int16_t *codes, size_t n, unsigned char *bytes)
{
    uint16_t before = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint16_t code = (uint16_t)codes[i], d = (uint16_t)(code - before);
        const uint16_t folded = (uint16_t)(d << 1 ^ (d >> 15 ? 0xFFFF : 0));
        bytes[i] = (unsigned char)folded;
        bytes[n + i] = (unsigned char)(folded >> 8);
        before = code;
    }
}

void sst_unpack_codes(const unsigned char *bytes, size_t n, int16_t *codes)
{
    uint16_t before = 0;
    for (size_t i = 0; i < n; ++i) {
        const uint16_t folded = (uint16_t)(bytes[i] | bytes[n + i] << 8);
        before = (uint16_t)(before + (uint16_t)(folded >> 1 ^ (folded & 1 ? 0xFFFF : 0)));
        codes[i] = (int16_t)before;
    }
}

void sst_pack_marks(const uint8_t *marks, size_t n, unsigned char *bytes)
{
    memset(bytes, 0, sst_packed_marks_bytes(n));
    for (size_t i = 0; i < n; ++i)
        bytes[i / 8] = (unsigned char)(bytes[i / 8] | marks[i] << i % 8);
}

bool sst_unpack_marks(const unsigned char *bytes, size_t n, uint8_t *marks)
{
    const size_t n_bits = 8 * sst_packed_marks_bytes(n);
    unsigned beyond = 0;
    for (size_t i = 0; i < n; ++i)
        marks[i] = bytes[i / 8] >> i % 8 & 1;
    for (size_t i = n; i < n_bits; ++i)
        beyond |= (unsigned)bytes[i / 8] >> i % 8 & 1;
    return beyond == 0;
}

/* --- deflating ---------------------------------------------------------------------------------------------------- */

/* Theirs by another name, so that no header of a state shows the library. */
static struct libdeflate_compressor *theirs(struct sst_deflater *deflater)
{
    return (struct libdeflate_compressor *)(void *)deflater;
}

static struct libdeflate_decompressor *theirs_back(struct sst_inflater *inflater)
{
    return (struct libdeflate_decompressor *)(void *)inflater;
}

enum sst_status sst_deflater_create(struct sst_deflater **out, struct sst_error *err)
{
    *out = (struct sst_deflater *)(void *)libdeflate_alloc_compressor(DEFLATE_LEVEL);
    return *out ? SST_OK : sst_fail(err, SST_ERR_NOMEM, "a file of a state: no memory for a compressor");
}

void sst_deflater_destroy(struct sst_deflater **deflater)
{
    libdeflate_free_compressor(theirs(*deflater));
    *deflater = NULL;
}

size_t sst_deflate(struct sst_deflater *deflater, const void *bytes, size_t n_bytes, unsigned char *to)
{
    /* One byte less than it has: what does not shrink does not fit. */
    size_t length = n_bytes > 1 ? libdeflate_zlib_compress(theirs(deflater), bytes, n_bytes, to, n_bytes - 1) : 0;
    if (length == 0 && n_bytes > 0)
        memcpy(to, bytes, length = n_bytes);
    return length;
}

bool sst_inflate_may_be(uint64_t length, uint64_t raw_length)
{
    return raw_length >= length && raw_length / MOST_GROWTH <= length;
}

enum sst_status sst_inflater_create(struct sst_inflater **out, struct sst_error *err)
{
    *out = (struct sst_inflater *)(void *)libdeflate_alloc_decompressor();
    return *out ? SST_OK : sst_fail(err, SST_ERR_NOMEM, "a file of a state: no memory to unpack it");
}

void sst_inflater_destroy(struct sst_inflater **inflater)
{
    libdeflate_free_decompressor(theirs_back(*inflater));
    *inflater = NULL;
}

bool sst_inflate(struct sst_inflater *inflater, const void *bytes, size_t length, void *to, size_t raw_length)
{
    return libdeflate_zlib_decompress(theirs_back(inflater), bytes, length, to, raw_length, NULL) == LIBDEFLATE_SUCCESS;
}
