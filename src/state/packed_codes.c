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

/* Eight codes at a time: differences summed within the eight, then what came before them added to all. */
enum { LANES = 8 };
typedef uint16_t eight_codes __attribute__((vector_size(LANES * sizeof(uint16_t))));

static eight_codes sums_of(eight_codes d)
{
    const eight_codes none = {0};
    d += __builtin_shufflevector(none, d, 0, 8, 9, 10, 11, 12, 13, 14);
    d += __builtin_shufflevector(none, d, 0, 0, 8, 9, 10, 11, 12, 13);
    d += __builtin_shufflevector(none, d, 0, 0, 0, 0, 8, 9, 10, 11);
    return d;
}

void sst_unpack_codes(const unsigned char *bytes, size_t n, int16_t *codes)
{
    uint16_t before = 0;
    size_t i = 0;
    for (size_t each = 0; each < n; ++each) { /* the differences first: these need not wait for each other */
        const uint16_t folded = (uint16_t)(bytes[each] | bytes[n + each] << 8);
        codes[each] = (int16_t)(folded >> 1 ^ (uint16_t) - (folded & 1));
    }
    for (; i + LANES <= n; i += LANES) {
        eight_codes d;
        memcpy(&d, codes + i, sizeof d);
        d = sums_of(d) + before;
        memcpy(codes + i, &d, sizeof d);
        before = d[LANES - 1];
    }
    for (; i < n; ++i) {
        before = (uint16_t)(before + (uint16_t)codes[i]);
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
    uint8_t marks_of[256][8]; /* of each byte */
    unsigned beyond = 0;
    for (size_t i = 0; i < 256 * 8; ++i)
        marks_of[i / 8][i % 8] = i / 8 >> i % 8 & 1;
    for (size_t byte = 0; byte < n / 8; ++byte)
        memcpy(marks + 8 * byte, marks_of[bytes[byte]], 8);
    for (size_t i = n / 8 * 8; i < n; ++i)
        marks[i] = bytes[i / 8] >> i % 8 & 1;
    for (size_t i = n; i < n_bits; ++i)
        beyond |= (unsigned)bytes[i / 8] >> i % 8 & 1;
    return beyond == 0;
}

/* --- deflating ---------------------------------------------------------------------------------------------------- */

/* Theirs by another name, so that no header of a state shows the library. */
static struct libdeflate_compressor *theirs(struct sst_packer *packer)
{
    return (struct libdeflate_compressor *)(void *)packer;
}

static struct libdeflate_decompressor *theirs_back(struct sst_unpacker *unpacker)
{
    return (struct libdeflate_decompressor *)(void *)unpacker;
}

enum sst_status sst_packer_create(struct sst_packer **out, struct sst_error *err)
{
    *out = (struct sst_packer *)(void *)libdeflate_alloc_compressor(DEFLATE_LEVEL);
    return *out ? SST_OK : sst_fail(err, SST_ERR_NOMEM, "a file of a state: no memory for a compressor");
}

void sst_packer_destroy(struct sst_packer **packer)
{
    libdeflate_free_compressor(theirs(*packer));
    *packer = NULL;
}

size_t sst_pack_bytes(struct sst_packer *packer, const void *bytes, size_t n_bytes, unsigned char *to)
{
    /* One byte less than it has: what does not shrink does not fit. */
    size_t length = n_bytes > 1 ? libdeflate_zlib_compress(theirs(packer), bytes, n_bytes, to, n_bytes - 1) : 0;
    if (length == 0 && n_bytes > 0)
        memcpy(to, bytes, length = n_bytes);
    return length;
}

bool sst_packed_may_be(uint64_t length, uint64_t raw_length)
{
    return raw_length >= length && raw_length / MOST_GROWTH <= length;
}

enum sst_status sst_unpacker_create(struct sst_unpacker **out, struct sst_error *err)
{
    *out = (struct sst_unpacker *)(void *)libdeflate_alloc_decompressor();
    return *out ? SST_OK : sst_fail(err, SST_ERR_NOMEM, "a file of a state: no memory to unpack it");
}

void sst_unpacker_destroy(struct sst_unpacker **unpacker)
{
    libdeflate_free_decompressor(theirs_back(*unpacker));
    *unpacker = NULL;
}

bool sst_unpack_bytes(struct sst_unpacker *unpacker, const void *bytes, size_t length, void *to, size_t raw_length)
{
    return libdeflate_zlib_decompress(theirs_back(unpacker), bytes, length, to, raw_length, NULL) == LIBDEFLATE_SUCCESS;
}
