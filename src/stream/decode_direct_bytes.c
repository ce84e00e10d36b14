/* Bytes of a file: read, put in this machine's order, unshuffled, and summed to a checksum. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "stream/decode_direct.h"

bool sst_direct_read_bytes(int fd, uint64_t at, size_t n, unsigned char *out)
{
    while (n > 0) {
        const ssize_t got = pread(fd, out, n, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        out += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

bool sst_direct_is_foreign(const struct sst_direct_storage *storage)
{
    return storage->item_bytes > 1 && storage->is_big_endian != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

#define SWAP(type, swap)                                                                                               \
    do {                                                                                                               \
        type *items = (type *)(void *)bytes;                                                                           \
        for (size_t i = 0; i < n_items; ++i)                                                                           \
            items[i] = swap(items[i]);                                                                                 \
    } while (0)

void sst_direct_swap(unsigned char *bytes, size_t n_items, size_t item_bytes)
{
    switch (item_bytes) {
    case 2:
        SWAP(uint16_t, __builtin_bswap16);
        break;
    case 4:
        SWAP(uint32_t, __builtin_bswap32);
        break;
    case 8:
        SWAP(uint64_t, __builtin_bswap64);
        break;
    default:
        break;
    }
}

/* Planes in the order of their weight: `low` has the bytes that count least. Loops that the compiler vectorises. */
static void join_pairs(const unsigned char *restrict low, const unsigned char *restrict high, size_t n,
                       uint16_t *restrict out)
{
    for (size_t i = 0; i < n; ++i)
        out[i] = (uint16_t)(low[i] | high[i] << 8);
}

static void join_fours(const unsigned char *const planes[4], size_t n, uint32_t *restrict out)
{
    const unsigned char *restrict a = planes[0], *restrict b = planes[1];
    const unsigned char *restrict c = planes[2], *restrict d = planes[3];
    for (size_t i = 0; i < n; ++i)
        out[i] = a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 | (uint32_t)d[i] << 24;
}

static void join_eights(const unsigned char *const planes[8], size_t n, uint64_t *restrict out)
{
    for (size_t i = 0; i < n; ++i) {
        uint64_t item = 0;
        for (unsigned byte = 0; byte < 8; ++byte)
            item |= (uint64_t)planes[byte][i] << (8 * byte);
        out[i] = item;
    }
}

void sst_direct_unshuffle(const unsigned char *in, size_t n_bytes, size_t item, bool swaps, unsigned char *out)
{
    const size_t n = n_bytes / item;
    const bool first_is_low = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swaps;
    const unsigned char *planes[SST_DIRECT_MAX_ITEM];
    for (size_t byte = 0; byte < item; ++byte)
        planes[byte] = in + (first_is_low ? byte : item - 1 - byte) * n;
    switch (item) {
    case 2:
        join_pairs(planes[0], planes[1], n, (uint16_t *)(void *)out);
        break;
    case 4:
        join_fours(planes, n, (uint32_t *)(void *)out);
        break;
    case 8:
        join_eights(planes, n, (uint64_t *)(void *)out);
        break;
    default:
        memcpy(out, in, n);
        break;
    }
    memcpy(out + n * item, in + n * item, n_bytes - n * item);
}

/* A sum of ones' complement: of multiples of 65,535 only nothing is 0. */
static uint32_t fold(uint64_t sum)
{
    const uint32_t rest = (uint32_t)(sum % UINT16_MAX);
    return rest == 0 && sum > 0 ? UINT16_MAX : rest;
}

uint32_t sst_direct_fletcher32(const unsigned char *bytes, size_t n)
{
    enum { WORDS_AT_A_TIME = 1 << 16 }; /* so many 16-bit words and their running sums stay within 64 bits */
    uint64_t sum = 0, sum_of_sums = 0;
    size_t at = 0;
    while (at < n) {
        const size_t words_left = (n - at) / 2;
        const size_t n_words = words_left < WORDS_AT_A_TIME ? words_left : WORDS_AT_A_TIME;
        for (size_t i = 0; i < n_words; ++i, at += 2) {
            sum += (uint64_t)bytes[at] << 8 | bytes[at + 1];
            sum_of_sums += sum;
        }
        if (n - at == 1) {
            sum += (uint64_t)bytes[at++] << 8;
            sum_of_sums += sum;
        }
        sum = fold(sum);
        sum_of_sums = fold(sum_of_sums);
    }
    return fold(sum_of_sums) << 16 | fold(sum);
}
