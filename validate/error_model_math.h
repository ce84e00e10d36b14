/*
 * Logarithm and exponential of numbers of everyday size, of + - * / and shifts alone: compilers make them of several numbers
 * at once, and they have the same bits everywhere. Errors are below 1e-11 of the result, or of 1 where that is smaller.
 */
#ifndef SST_VALIDATE_ERROR_MODEL_MATH_H
#define SST_VALIDATE_ERROR_MODEL_MATH_H

#include <stdint.h>
#include <string.h>

/* The bits of a double: where its exponent begins, and how far 1's is above 0. */
enum { SST_DOUBLE_FRACTION_BITS = 52 };
#define SST_DOUBLE_ONE 0x3FF0000000000000U
#define SST_DOUBLE_FRACTION 0x000FFFFFFFFFFFFFU

/* Adding it rounds to a whole number, which then stands in the lowest bits: 1.5 x 2^52. */
#define SST_DOUBLE_ROUNDER 0x1.8p52

#define SST_LN_2 0.693147180559945309417
#define SST_SQRT_2 1.41421356237309504880

static inline uint64_t sst_double_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double sst_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Of a number that is above 0, finite and not tiny: log m + e log 2, with log m = 2 atanh((m - 1) / (m + 1)). */
static inline double sst_quick_log(double x)
{
    const uint64_t bits = sst_double_bits(x);
    const double exponent =
        sst_double_of(sst_double_bits(0x1p52) | (bits >> SST_DOUBLE_FRACTION_BITS)) - 0x1p52 - 1023.0;
    const double whole = sst_double_of((bits & SST_DOUBLE_FRACTION) | SST_DOUBLE_ONE); /* 1..2 */
    const double half = whole > SST_SQRT_2 ? 0.5 : 1.0;
    const double m = half * whole, e = exponent + (2.0 - 2.0 * half); /* m: 0.7..1.4 */
    const double s = (m - 1.0) / (m + 1.0), q = s * s;
    const double series =
        1.0 + q * (1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11 + q * (1.0 / 13))))));
    return e * SST_LN_2 + 2.0 * s * series;
}

/* Of a number between -700 and 700: 2^k times the series of what is left, which is at most log(2) / 2. */
static inline double sst_quick_exp(double x)
{
    const double shifted = x * (1.0 / SST_LN_2) + SST_DOUBLE_ROUNDER;
    const double r = x - (shifted - SST_DOUBLE_ROUNDER) * SST_LN_2;
    const double high = 1.0 / 720 + r * (1.0 / 5040 + r * (1.0 / 40320 + r * (1.0 / 362880 + r * (1.0 / 3628800))));
    const double series = 1.0 + r * (1.0 + r * (1.0 / 2 + r * (1.0 / 6 + r * (1.0 / 24 + r * (1.0 / 120 + r * high)))));
    return sst_double_of(sst_double_bits(series) + (sst_double_bits(shifted) << SST_DOUBLE_FRACTION_BITS));
}

#endif
