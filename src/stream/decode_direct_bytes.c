/* Bytes of a file: read, put in this machine's order, unshuffled, and summed to a checksum. */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "core/cpu_clones.h"
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

/* Items first .. n-1 one by one. Planes are in the order of their weight: the first has the bytes that count least. */
static void join_rest(const unsigned char *const *planes, size_t first, size_t n, size_t item, unsigned char *out)
{
    static const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (size_t i = first; i < n; ++i)
        for (size_t byte = 0; byte < item; ++byte)
            out[i * item + (is_little ? byte : item - 1 - byte)] = planes[byte][i];
}

/* Each of these joins whole vectors of 16 items and tells how many that were; none without the instructions. */
#ifdef __SSE2__
static inline __m128i load(const unsigned char *plane, size_t at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)(plane + at));
}

static inline void store(unsigned char *out, size_t at, __m128i vector)
{
    _mm_storeu_si128((__m128i *)(void *)(out + at), vector);
}

static size_t join_pairs(const unsigned char *const *planes, size_t n, unsigned char *out)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m128i low = load(planes[0], i), high = load(planes[1], i);
        store(out, 2 * i, _mm_unpacklo_epi8(low, high));
        store(out, 2 * i + 16, _mm_unpackhi_epi8(low, high));
    }
    return i;
}

/* Four planes of 16 bytes: 16 items, four a vector. */
static inline void join_vectors(const unsigned char *const *planes, size_t i, __m128i items[4])
{
    const __m128i a = load(planes[0], i), b = load(planes[1], i), c = load(planes[2], i), d = load(planes[3], i);
    const __m128i low_ab = _mm_unpacklo_epi8(a, b), high_ab = _mm_unpackhi_epi8(a, b);
    const __m128i low_cd = _mm_unpacklo_epi8(c, d), high_cd = _mm_unpackhi_epi8(c, d);
    items[0] = _mm_unpacklo_epi16(low_ab, low_cd);
    items[1] = _mm_unpackhi_epi16(low_ab, low_cd);
    items[2] = _mm_unpacklo_epi16(high_ab, high_cd);
    items[3] = _mm_unpackhi_epi16(high_ab, high_cd);
}

static size_t join_fours(const unsigned char *const *planes, size_t n, unsigned char *out)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i items[4];
        join_vectors(planes, i, items);
        for (size_t k = 0; k < 4; ++k)
            store(out, 4 * i + 16 * k, items[k]);
    }
    return i;
}

static size_t join_eights(const unsigned char *const *planes, size_t n, unsigned char *out)
{
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m128i low[4], high[4];
        join_vectors(planes, i, low);
        join_vectors(planes + 4, i, high);
        for (size_t k = 0; k < 4; ++k) {
            store(out, 8 * i + 32 * k, _mm_unpacklo_epi32(low[k], high[k]));
            store(out, 8 * i + 32 * k + 16, _mm_unpackhi_epi32(low[k], high[k]));
        }
    }
    return i;
}

static size_t join_vectors_of(const unsigned char *const *planes, size_t n, size_t item, unsigned char *out)
{
    switch (item) {
    case 2:
        return join_pairs(planes, n, out);
    case 4:
        return join_fours(planes, n, out);
    case 8:
        return join_eights(planes, n, out);
    default:
        return 0;
    }
}
#else
static size_t join_vectors_of(const unsigned char *const *planes, size_t n, size_t item, unsigned char *out)
{
    (void)planes, (void)n, (void)item, (void)out;
    return 0;
}
#endif

void sst_direct_find_planes(const unsigned char *in, size_t n_items, size_t item, bool swaps,
                            const unsigned char *planes[SST_DIRECT_MAX_ITEM])
{
    const bool first_is_low = (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) != swaps;
    for (size_t byte = 0; byte < item; ++byte)
        planes[byte] = in + (first_is_low ? byte : item - 1 - byte) * n_items;
}

void sst_direct_join(const unsigned char *const planes[SST_DIRECT_MAX_ITEM], size_t first, size_t n, size_t item,
                     unsigned char *out)
{
    const unsigned char *from[SST_DIRECT_MAX_ITEM];
    for (size_t byte = 0; byte < item; ++byte)
        from[byte] = planes[byte] + first;
    join_rest(from, join_vectors_of(from, n, item, out), n, item, out);
}

void sst_direct_unshuffle(const unsigned char *in, size_t n_bytes, size_t item, bool swaps, unsigned char *out)
{
    const size_t n = n_bytes / item;
    const unsigned char *planes[SST_DIRECT_MAX_ITEM];
    sst_direct_find_planes(in, n, item, swaps, planes);
    sst_direct_join(planes, 0, n, item, out);
    memcpy(out + n * item, in + n * item, n_bytes - n * item);
}

/* A sum of ones' complement: of multiples of 65,535 only nothing is 0. */
static uint32_t fold(uint64_t sum)
{
    const uint32_t rest = (uint32_t)(sum % UINT16_MAX);
    return rest == 0 && sum > 0 ? UINT16_MAX : rest;
}

/* Sums of whole blocks of words: in a block of N the word at i is in N - i of the running sums, the sum before it in all N. */
enum { BLOCK_WORDS = 64 };

CPU_CLONES
static void add_blocks(const unsigned char *bytes, size_t n_blocks, uint64_t *sum, uint64_t *sum_of_sums)
{
    for (size_t block = 0; block < n_blocks; ++block, bytes += sizeof(uint16_t) * BLOCK_WORDS) {
        uint32_t plain = 0, weighted = 0;
        for (uint32_t i = 0; i < BLOCK_WORDS; ++i) {
            const uint32_t word = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
            plain += word;
            weighted += (BLOCK_WORDS - i) * word;
        }
        *sum_of_sums += BLOCK_WORDS * *sum + weighted;
        *sum += plain;
    }
}

uint32_t sst_direct_fletcher32(const unsigned char *bytes, size_t n)
{
    enum { BLOCKS_AT_A_TIME = 1 << 10 }; /* so many and their running sums stay within 64 bits */
    uint64_t sum = 0, sum_of_sums = 0;
    size_t at = 0;
    while (n - at >= sizeof(uint16_t) * BLOCK_WORDS) {
        const size_t n_left = (n - at) / (sizeof(uint16_t) * BLOCK_WORDS);
        const size_t n_blocks = n_left < BLOCKS_AT_A_TIME ? n_left : BLOCKS_AT_A_TIME;
        add_blocks(bytes + at, n_blocks, &sum, &sum_of_sums);
        at += n_blocks * sizeof(uint16_t) * BLOCK_WORDS;
        sum = fold(sum);
        sum_of_sums = fold(sum_of_sums);
    }
    for (; at < n; at += 2) {
        sum += (uint64_t)bytes[at] << 8 | (n - at > 1 ? bytes[at + 1] : 0);
        sum_of_sums += sum;
    }
    return fold(sum_of_sums) << 16 | fold(sum);
}
