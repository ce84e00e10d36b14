/*
 * The shape of a cell's four power sums as devices compute it: the bits of cell_moments_shape (cell_moments.h), by half the
 * instructions. C++ only: processors have vectors of the plain form, where none of this pays.
 *
 * Bounds used throughout, as of cell_moments.h: |x| <= 8191 and n <= 2048, so with c the centre, a whole number:
 *
 *   |s1| < 2^24   s2 < 2^37   |t1| <= n / 2   t2 < 2^38   |t3| < 2^50   t4 < 2^64
 *
 * (of values within an interval of length L the central moments are at most L^2 / 4, 0.0963 L^3 and L^4 / 12).
 */
#ifndef SST_KERNELS_CELL_SHAPE_H
#define SST_KERNELS_CELL_SHAPE_H

#include "cell_moments.h"

#ifdef __cplusplus
/* --- whole numbers as doubles ------------------------------------------------------------------------------------- */

/*
 * The digits of a whole number below 2^52, written behind the leading bits of 2^52, are the double 2^52 + x; what is
 * subtracted leaves x, exactly. Devices convert at a sixteenth of the rate of such a difference.
 */
SST_FN double cell_of_bits(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

SST_FN uint64_t cell_bits_of(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

#define CELL_BITS_2P52 0x4330000000000000u /* 2^52 */
#define CELL_BITS_3P51 0x4338000000000000u /* 2^52 + 2^51: room for a sign */
#define CELL_BITS_2P84 0x4530000000000000u /* 2^84: what is written behind it counts 2^32 */
#define CELL_3P51 0x1.8p52

SST_FN double cell_double_u32(uint32_t x) { return cell_of_bits(CELL_BITS_2P52 | x) - 0x1p52; }

SST_FN double cell_double_i32(int32_t x)
{
    return cell_of_bits(CELL_BITS_2P52 | ((uint32_t)x ^ 0x80000000u)) - (0x1p52 + 0x1p31);
}

/* x < 2^52 */
SST_FN double cell_double_u52(uint64_t x) { return cell_of_bits(CELL_BITS_2P52 | x) - 0x1p52; }

/* |x| < 2^51 */
SST_FN double cell_double_i51(int64_t x) { return cell_of_bits(CELL_BITS_3P51 + (uint64_t)x) - CELL_3P51; }

/* Any: the upper half less 2^52 is exact, a multiple of 2^32 below 2^64, so that the sum rounds once, as a conversion does. */
SST_FN double cell_double_u64(uint64_t x)
{
    const double upper = cell_of_bits(CELL_BITS_2P84 | (x >> 32)) - (0x1p84 + 0x1p52);
    return upper + cell_of_bits(CELL_BITS_2P52 | (uint32_t)x);
}

/* --- inverses and roots ------------------------------------------------------------------------------------------- */

/*
 * For NVIDIA these are nvcc's own instructions for 1 / b, a / b and the root, without its test whether an operand is near an
 * end of the exponent's range, which none is here and which costs as much again. Elsewhere they are the compiler's.
 */
SST_FN double cell_inverse(double b)
{
#if defined(__CUDA_ARCH__)
    double y;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(b));
    double e = fma(-b, y, 1.0);
    y = fma(fma(e, e, e), y, y);
    return fma(fma(-b, y, 1.0), y, y);
#else
    return 1.0 / b;
#endif
}

SST_FN double cell_quotient(double a, double b)
{
#if defined(__CUDA_ARCH__)
    const double y = cell_inverse(b), q = a * y;
    return fma(y, fma(-b, q, a), q);
#else
    return a / b;
#endif
}

/*
 * a / b, where an `inverse` of b is at hand that is off by some units of the last place: nvcc's last steps. The first of them
 * squares what it is off, to less than 2^-98, as it does from the compiler's own start.
 */
SST_FN double cell_ratio(double a, double b, double inverse)
{
#if defined(__CUDA_ARCH__)
    const double y = fma(fma(-b, inverse, 1.0), inverse, inverse);
    const double q = a * y;
    return fma(y, fma(-b, q, a), q);
#else
    (void)inverse;
    return a / b;
#endif
}

/* The root, and the inverse of it to some units of the last place. */
SST_FN double cell_root(double a, double *inverse)
{
#if defined(__CUDA_ARCH__)
    double y;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(a));
    const double e = fma(a, -(y * y), 1.0);
    y = fma(fma(e, 0.375, 0.5), y * e, y);
    const double root = a * y;
    *inverse = y;
    return fma(0.5 * y, fma(root, -root, a), root);
#else
    *inverse = 0.0;
    return sqrt(a);
#endif
}

/* --- shape -------------------------------------------------------------------------------------------------------- */

/* Whole numbers as doubles. */
struct cell_central_doubles {
    double t1, t2, t3, t4;
    int is_constant;
};

/*
 * As cell_moments_central, with what the products have in common taken out; d2 is the sum of x (x - c):
 *
 *   d2 = s2 - c s1     t2 = d2 - c t1     t3 = s3 - c (s2 + d2 + t2)     t4 = s4 - c (4 s3 - c (3 s2 + 2 d2 + t2))
 *
 * All values are equal if and only if they equal the centre, which is their mean then: t2 = 0.
 */
SST_FN struct cell_central_doubles cell_central_doubles_of(struct cell_moments m, int32_t centre)
{
    const int32_t minus = -centre, t1 = m.s1 + minus * (int32_t)m.n;
    const uint64_t c = (uint64_t)(int64_t)minus, s2 = (uint64_t)m.s2;
    const uint64_t d2 = s2 + (uint64_t)((int64_t)minus * (int64_t)m.s1);
    const uint64_t t2 = d2 + (uint64_t)((int64_t)minus * (int64_t)t1);
    const uint64_t u3 = s2 + d2 + t2, u4 = u3 + d2 + 2 * s2;
    const uint64_t t3 = (uint64_t)m.s3 + c * u3;
    const uint64_t t4 = (uint64_t)m.s4 + c * (4 * (uint64_t)m.s3 + c * u4);
    const struct cell_central_doubles central = {cell_double_i32(t1), cell_double_u52(t2), cell_double_i51((int64_t)t3),
                                                 cell_double_u64(t4), t2 == 0};
    return central;
}

/*
 * As cell_central_shape, whose factors of 2 and 4 are taken last: they round nothing, so the same bits come out. Products
 * by them are exact, so that a sum fused with one rounds once, as it does there.
 */
SST_FN struct cell_shape cell_shape_of_central(double n, double inverse, double mean, struct cell_central_doubles t)
{
    const double d = cell_divide(t.t1, n, inverse), e2 = cell_divide(t.t2, n, inverse);
    const double e3 = cell_divide(t.t3, n, inverse), e4 = cell_divide(t.t4, n, inverse);
    const double d2 = d * d, triple = 3.0 * d, triple2 = triple * d;
    const double m2 = e2 - d2;
    const double m3 = fma(2.0, d2 * d, e3 - triple * e2);
    const double m4 = fma(2.0, triple2 * e2, fma(-4.0, d * e3, e4)) - triple2 * d * d;
    double y;
    const double sd = cell_root(m2, &y);
    const double y2 = y * y;
    struct cell_shape shape;
    shape.mean = mean;
    shape.sd = t.is_constant ? 0.0 : sd;
    shape.skew = t.is_constant ? 0.0 : cell_ratio(m3, m2 * sd, y2 * y);
    shape.kurt = t.is_constant ? 0.0 : cell_ratio(m4, m2 * m2, y2 * y2) - 3.0;
    return shape;
}

/*
 * Shape from the sums; n > 0. The centre is s1 / n to the nearest whole number, halves away from 0: 2^-40 of the quotient moves
 * a half beyond doubt away from 0, and no other number over a half, to which it has 1 / 2n, more than 8191 * 2^-40. The
 * nearest whole number is what is left of it in the lower half of a double between 2^52 and 2^53.
 */
SST_FN struct cell_shape cell_shape_of(struct cell_moments m)
{
    const double n = cell_double_u32(m.n), s1 = cell_double_i32(m.s1);
    const double inverse = cell_inverse(n), q = s1 * inverse;
    const int32_t centre = (int32_t)(uint32_t)cell_bits_of(fma(q, 1.0 + 0x1p-40, CELL_3P51));
    return cell_shape_of_central(n, inverse, fma(fma(-n, q, s1), inverse, q), cell_central_doubles_of(m, centre));
}

#endif
#endif
