/*
 * Adding day fields to moments. A bin is read and written once for a batch of fields, whose sums stay in registers, and
 * values are taken from the fields where they are: a block of eight neighbours is one 16-byte load. Compiled per level.
 */
#include "backend/cpu_loops_level.h"
#include "kernels/body_moments.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

/* Cells whose planes and values stay in a first-level cache while the fields of a batch are added. */
enum { CHUNK = 256 };

/* Any cells: those of lists and of the domain's last block too. */
static void add_gathered(struct sst_moments_view bin, const struct sst_cells *cells, const int16_t *const *hundredths,
                         size_t n_fields, size_t begin, size_t end)
{
    while (begin < end) {
        const size_t n = end - begin < CHUNK ? end - begin : CHUNK;
        const struct body_moments_planes planes = {bin.n + begin, bin.s1 + begin, bin.s2 + begin, bin.s3 + begin,
                                                   bin.s4 + begin};
        int16_t values[CHUNK];
        for (size_t field = 0; field < n_fields; ++field) {
            sst_cells_gather(cells, hundredths[field], SST_CODE_MISSING, begin, begin + n, values);
            for (size_t cell = 0; cell < n; ++cell)
                body_moments_add(planes, values, SST_CODE_MISSING, cell);
        }
        begin += n;
    }
}

#ifdef __AVX2__
/* A batch's sums of x and of x^2 are kept in 32 bits. */
_Static_assert((int64_t)SST_MAX_BATCH *SST_MAX_HUNDREDTHS *SST_MAX_HUNDREDTHS <= INT32_MAX, "a batch is too long");
#endif

#ifdef __AVX512IFMA__
/*
 * 52 x 52 -> 52 bit products: x^4 < 2^52. A negative x or x^3 counts as 2^52 more, which is in the upper bits alone; the
 * batch's true sum of x^3 is within 51 bits and its sign, so a shift up and down gives it back. Missing values are 0.
 */
static inline void add_block(struct sst_moments_view bin, size_t cell, const int16_t *const *hundredths,
                             size_t n_fields, size_t first)
{
    const __m512i zero = _mm512_setzero_si512();
    __m128i missing = _mm_setzero_si128();
    __m512i s1 = zero, s2 = zero, s3 = zero, s4 = zero;
    for (size_t field = 0; field < n_fields; ++field) {
        const __m128i codes = _mm_loadu_si128((const void *)(hundredths[field] + first));
        const __m128i is_missing = _mm_cmpeq_epi16(codes, _mm_set1_epi16(SST_CODE_MISSING));
        const __m512i x = _mm512_cvtepi16_epi64(_mm_andnot_si128(is_missing, codes));
        const __m512i x2 = _mm512_madd52lo_epu64(zero, x, x);
        missing = _mm_add_epi16(missing, is_missing);
        s1 = _mm512_add_epi64(s1, x);
        s2 = _mm512_add_epi64(s2, x2);
        s3 = _mm512_madd52lo_epu64(s3, x2, x);
        s4 = _mm512_madd52lo_epu64(s4, x2, x2);
    }
    const __m128i n = _mm_add_epi16(missing, _mm_set1_epi16((int16_t)n_fields));
    __m128i *at_n = (void *)(bin.n + cell);
    __m256i *at_s1 = (void *)(bin.s1 + cell);
    int64_t *at_s2 = bin.s2 + cell, *at_s3 = bin.s3 + cell, *at_s4 = bin.s4 + cell;
    s3 = _mm512_srai_epi64(_mm512_slli_epi64(s3, 12), 12);
    _mm_storeu_si128(at_n, _mm_add_epi16(_mm_loadu_si128(at_n), n));
    _mm256_storeu_si256(at_s1, _mm256_add_epi32(_mm256_loadu_si256(at_s1), _mm512_cvtepi64_epi32(s1)));
    _mm512_storeu_si512(at_s2, _mm512_add_epi64(_mm512_loadu_si512(at_s2), s2));
    _mm512_storeu_si512(at_s3, _mm512_add_epi64(_mm512_loadu_si512(at_s3), s3));
    _mm512_storeu_si512(at_s4, _mm512_add_epi64(_mm512_loadu_si512(at_s4), s4));
}

#elif defined(__AVX2__)

/* Adds eight 64-bit sums, in order 0 2 4 6 and 1 3 5 7 within each half as products of 32-bit lanes come, to a plane. */
static inline void add_interleaved(int64_t *plane, __m256i even, __m256i odd)
{
    const __m256i pairs_low = _mm256_unpacklo_epi64(even, odd), pairs_high = _mm256_unpackhi_epi64(even, odd);
    const __m256i low = _mm256_permute2x128_si256(pairs_low, pairs_high, 0x20);
    const __m256i high = _mm256_permute2x128_si256(pairs_low, pairs_high, 0x31);
    __m256i *at_low = (void *)plane, *at_high = (void *)(plane + 4);
    _mm256_storeu_si256(at_low, _mm256_add_epi64(_mm256_loadu_si256(at_low), low));
    _mm256_storeu_si256(at_high, _mm256_add_epi64(_mm256_loadu_si256(at_high), high));
}

/* Adds eight 32-bit sums to a plane of 64 bits. */
static inline void add_widened(int64_t *plane, __m256i sums)
{
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(sums));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(sums, 1));
    __m256i *at_low = (void *)plane, *at_high = (void *)(plane + 4);
    _mm256_storeu_si256(at_low, _mm256_add_epi64(_mm256_loadu_si256(at_low), low));
    _mm256_storeu_si256(at_high, _mm256_add_epi64(_mm256_loadu_si256(at_high), high));
}

/* 32 x 32 -> 64 bit products of the even lanes, and of the odd ones moved into their place. Missing values are 0. */
static inline void add_block(struct sst_moments_view bin, size_t cell, const int16_t *const *hundredths,
                             size_t n_fields, size_t first)
{
    const __m256i zero = _mm256_setzero_si256();
    __m128i missing = _mm_setzero_si128();
    __m256i s1 = zero, s2 = zero, s3_even = zero, s3_odd = zero, s4_even = zero, s4_odd = zero;
    for (size_t field = 0; field < n_fields; ++field) {
        const __m128i codes = _mm_loadu_si128((const void *)(hundredths[field] + first));
        const __m128i is_missing = _mm_cmpeq_epi16(codes, _mm_set1_epi16(SST_CODE_MISSING));
        const __m256i x = _mm256_cvtepi16_epi32(_mm_andnot_si128(is_missing, codes));
        const __m256i x2 = _mm256_mullo_epi32(x, x);
        const __m256i x_odd = _mm256_srli_epi64(x, 32), x2_odd = _mm256_srli_epi64(x2, 32);
        missing = _mm_add_epi16(missing, is_missing);
        s1 = _mm256_add_epi32(s1, x);
        s2 = _mm256_add_epi32(s2, x2);
        s3_even = _mm256_add_epi64(s3_even, _mm256_mul_epi32(x2, x));
        s3_odd = _mm256_add_epi64(s3_odd, _mm256_mul_epi32(x2_odd, x_odd));
        s4_even = _mm256_add_epi64(s4_even, _mm256_mul_epi32(x2, x2));
        s4_odd = _mm256_add_epi64(s4_odd, _mm256_mul_epi32(x2_odd, x2_odd));
    }
    const __m128i n = _mm_add_epi16(missing, _mm_set1_epi16((int16_t)n_fields));
    __m128i *at_n = (void *)(bin.n + cell);
    __m256i *at_s1 = (void *)(bin.s1 + cell);
    _mm_storeu_si128(at_n, _mm_add_epi16(_mm_loadu_si128(at_n), n));
    _mm256_storeu_si256(at_s1, _mm256_add_epi32(_mm256_loadu_si256(at_s1), s1));
    add_widened(bin.s2 + cell, s2);
    add_interleaved(bin.s3 + cell, s3_even, s3_odd);
    add_interleaved(bin.s4 + cell, s4_even, s4_odd);
}
#endif

#ifdef __AVX2__
void SST_CPU_NAME(sst_cpu_moments_add)(struct sst_moments_view bin, const struct sst_cells *cells,
                                       const int16_t *const *hundredths, size_t n_fields, size_t begin, size_t end)
{
    if (cells->width != SST_CELLS_WIDTH) {
        add_gathered(bin, cells, hundredths, n_fields, begin, end);
        return;
    }
    const size_t n_whole = cells->n_domain / SST_CELLS_WIDTH, given = cells->n_given * SST_CELLS_WIDTH;
    const size_t last = end < given ? end : given;
    for (size_t cell = begin; cell < last; cell += SST_CELLS_WIDTH) {
        const size_t block = cells->block_at[cell / SST_CELLS_WIDTH];
        if (block < n_whole)
            add_block(bin, cell, hundredths, n_fields, block * SST_CELLS_WIDTH);
        else
            add_gathered(bin, cells, hundredths, n_fields, cell, cell + SST_CELLS_WIDTH);
    }
}
#else
void SST_CPU_NAME(sst_cpu_moments_add)(struct sst_moments_view bin, const struct sst_cells *cells,
                                       const int16_t *const *hundredths, size_t n_fields, size_t begin, size_t end)
{
    add_gathered(bin, cells, hundredths, n_fields, begin, end);
}
#endif
