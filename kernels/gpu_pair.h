/*
 * Two neighbouring cells in one word of 32 bits, signed codes of 16 bits each, and what is done to both at a time:
 * processors of AMD and NVIDIA have the greater and the lesser of pairs as one instruction each.
 *
 *   word   [ cell 2 i + 1 | cell 2 i ]      high half, low half
 */
#ifndef SST_KERNELS_GPU_PAIR_H
#define SST_KERNELS_GPU_PAIR_H

#include "gpu_args.h"
#include "gpu_rt.h"

#if defined(GPU_IS_CUDA)
#define GPU_NO_UNROLL _Pragma("unroll 1")
#define GPU_UNROLL_BY_10 _Pragma("unroll 10")
#elif defined(GPU_IS_HIP)
#define GPU_NO_UNROLL _Pragma("clang loop unroll(disable)")
#define GPU_UNROLL_BY_10 _Pragma("unroll 10")
#else
#define GPU_NO_UNROLL
#define GPU_UNROLL_BY_10
#endif

#define PAIR_MISSING 0x80008000U /* GPU_MISSING twice: sorts last */
#define PAIR_GREATEST 0x7FFF7FFFU
#define PAIR_LEAST 0x80018001U /* that is not missing */

/* Codes read as words, and results written as pairs. */
typedef uint32_t __attribute__((may_alias)) pair_word;
struct alignas(16) pair_of_doubles {
    double low, high;
};

GPU_FN int32_t pair_low(uint32_t pair) { return (int16_t)(pair & 0xFFFFU); }
GPU_FN int32_t pair_high(uint32_t pair) { return (int16_t)(pair >> 16); }
GPU_FN uint32_t pair_of(int32_t low, int32_t high) { return ((uint32_t)low & 0xFFFFU) | (uint32_t)high << 16; }

#if defined(GPU_IS_HIP)
typedef short pair_vector __attribute__((ext_vector_type(2)));
typedef unsigned short pair_unsigned __attribute__((ext_vector_type(2)));
#endif

GPU_FN uint32_t pair_max(uint32_t a, uint32_t b)
{
#if defined(GPU_IS_CUDA)
    return __vmaxs2(a, b);
#elif defined(GPU_IS_HIP)
    return __builtin_bit_cast(
        uint32_t, __builtin_elementwise_max(__builtin_bit_cast(pair_vector, a), __builtin_bit_cast(pair_vector, b)));
#else
    return pair_of(pair_low(a) > pair_low(b) ? pair_low(a) : pair_low(b),
                   pair_high(a) > pair_high(b) ? pair_high(a) : pair_high(b));
#endif
}

GPU_FN uint32_t pair_min(uint32_t a, uint32_t b)
{
#if defined(GPU_IS_CUDA)
    return __vmins2(a, b);
#elif defined(GPU_IS_HIP)
    return __builtin_bit_cast(
        uint32_t, __builtin_elementwise_min(__builtin_bit_cast(pair_vector, a), __builtin_bit_cast(pair_vector, b)));
#else
    return pair_of(pair_low(a) < pair_low(b) ? pair_low(a) : pair_low(b),
                   pair_high(a) < pair_high(b) ? pair_high(a) : pair_high(b));
#endif
}

/* -x, wrapping: missing stays missing. */
GPU_FN uint32_t pair_negate(uint32_t x)
{
#if defined(GPU_IS_HIP)
    return __builtin_bit_cast(uint32_t,
                              -__builtin_bit_cast(pair_unsigned, x)); /* signed, -(-32768) would be undefined */
#else
    const uint32_t turned = ~x; /* -x = ~x + 1, with no carry from the low half into the high one */
    return ((turned & PAIR_GREATEST) + 0x00010001U) ^ (turned & PAIR_MISSING);
#endif
}

/* Factors 1 and -1 that the compiler does not know; see pair_exchange. */
struct pair_factors {
    uint32_t one, minus_one;
};

/*
 * Puts the greater of each half into a, the lesser into b. The lesser is also a + b less the greater, as whole words: on
 * NVIDIA, where maxima and minima keep one pipe busy, every second comparator does that by the multipliers, which idle.
 */
template <int TURN> GPU_FN void pair_exchange(uint32_t &a, uint32_t &b, struct pair_factors factors)
{
    const uint32_t greater = pair_max(a, b);
#if !defined(GPU_IS_HIP)
    if constexpr (TURN % 2 != 0)
        b = a * factors.one + (greater * factors.minus_one + b);
    else
#endif
        b = pair_min(a, b);
    a = greater;
    (void)factors;
}

/* Adds the two codes of a word to their sums, missing ones as GPU_MISSING. */
GPU_FN void pair_add(uint32_t pair, int32_t sum[2])
{
#if defined(GPU_IS_CUDA)
    sum[0] = __dp2a_lo((int)pair, 0x0001, sum[0]); /* a product with (1, 0) */
    sum[1] = __dp2a_lo((int)pair, 0x0100, sum[1]);
#else
    sum[0] += pair_low(pair);
    sum[1] += pair_high(pair);
#endif
}

#endif
