/*
 * Four power sums of one cell, exactly, and the Cornish-Fisher percentile that they give.
 *
 * Values are integers x in hundredths of a degree, |x| <= 8191, at most 2048 of them: n x^4 < 2^63, so no sum wraps.
 */
#ifndef SST_KERNELS_CELL_MOMENTS_H
#define SST_KERNELS_CELL_MOMENTS_H

#include <math.h>

#include "cell_divide.h"
#include "portable.h"

struct cell_moments {
    uint32_t n;
    int32_t s1; /* sum of x, [0.01 degC] */
    int64_t s2, s3, s4; /* sums of x^2, x^3, x^4 */
};

/* Shape of a sample: population moments, in hundredths. */
struct cell_shape {
    double mean, sd; /* [0.01 degC] */
    double skew; /* m3 / m2^1.5 */
    double kurt; /* excess: m4 / m2^2 - 3 */
};

/*
 * Cornish-Fisher fails systematically for pools whose (skewness, kurtosis) lie this near to kurt = skew^2 - 2, the
 * boundary that no distribution crosses: bimodal and short-tailed pools. Measured: below 1, 63 to 85 % of synthetic
 * cell-days are off by more than 0.1 degC.
 */
#define CELL_CF_BOUNDARY 1.0

/*
 * a / b for b a whole number below 2^17 and `inverse` = 1 / b. Devices divide by some twenty instructions and a branch; where
 * the inverse is at hand three give the same bits. C is for processors, C++ for devices.
 */
SST_FN double cell_divide(double a, double b, double inverse)
{
#ifdef __cplusplus
    return cell_divide_by_inverse(a, b, inverse);
#else
    (void)inverse;
    return a / b;
#endif
}

SST_FN void cell_moments_add(struct cell_moments *m, int32_t x)
{
    const int64_t x2 = (int64_t)x * x;
    m->n += 1;
    m->s1 += x;
    m->s2 += x2;
    m->s3 += x2 * x;
    m->s4 += x2 * x2;
}

/*
 * The sum's share of each value, to the nearest whole number and halves away from 0; n > 0. In double: of whole numbers
 * below 2^33, so far from the next whole number that the rounded quotient does not reach it.
 */
SST_FN int32_t cell_moments_centre(int32_t n, int32_t s1)
{
    const double count = (double)n, twice = 2.0 * (double)s1;
    return (int32_t)cell_divide(twice >= 0.0 ? twice + count : twice - count, 2.0 * count, 0.5 * (1.0 / count));
}

/* Sums of the powers of x - centre. The even ones are unsigned: t4 can pass 2^63. */
struct cell_central {
    int64_t t1;
    uint64_t t2;
    int64_t t3;
    uint64_t t4;
    int is_constant; /* all values are equal: decided in integers, where it is exact */
};

/* Sums shifted to the rounded mean in wrapping 64-bit arithmetic, which is exact; n > 0. */
SST_FN struct cell_central cell_moments_central(struct cell_moments m, int32_t centre)
{
    const uint64_t n = m.n, c = (uint64_t)(int64_t)centre;
    uint64_t t1 = (uint64_t)(int64_t)m.s1 - c * n;
    uint64_t t2 = (uint64_t)m.s2 - c * (uint64_t)(int64_t)m.s1;
    uint64_t t3 = (uint64_t)m.s3 - c * (uint64_t)m.s2;
    uint64_t t4 = (uint64_t)m.s4 - c * (uint64_t)m.s3;
    /* One x of each product is x - c now; then a second, a third and a fourth. */
    t4 -= c * t3;
    t3 -= c * t2;
    t2 -= c * t1;
    t4 -= c * t3;
    t3 -= c * t2;
    t4 -= c * t3;
    const struct cell_central central = {(int64_t)t1, t2, (int64_t)t3, t4, n * t2 == t1 * t1};
    return central;
}

/* Shape from n, the sum and the central sums as doubles: they cancel next to nothing. */
SST_FN struct cell_shape cell_central_shape(double n, double s1, double t1, double t2, double t3, double t4)
{
    const double inverse = 1.0 / n;
    const double d = cell_divide(t1, n, inverse); /* mean - centre, within half a hundredth */
    const double e2 = cell_divide(t2, n, inverse), e3 = cell_divide(t3, n, inverse), e4 = cell_divide(t4, n, inverse);
    const double m2 = e2 - d * d;
    const double m3 = e3 - 3.0 * d * e2 + 2.0 * d * d * d;
    const double m4 = e4 - 4.0 * d * e3 + 6.0 * d * d * e2 - 3.0 * d * d * d * d;
    struct cell_shape shape;
    shape.mean = cell_divide(s1, n, inverse);
    shape.sd = sqrt(m2);
    shape.skew = m3 / (m2 * shape.sd);
    shape.kurt = m4 / (m2 * m2) - 3.0;
    return shape;
}

/* Shape from the sums; n > 0. Where all values are equal only the mean is not 0. */
SST_FN struct cell_shape cell_moments_shape(struct cell_moments m)
{
    const int32_t n = (int32_t)m.n; /* one conversion, so that one inverse does for both */
    const int32_t centre = cell_moments_centre(n, m.s1);
    const struct cell_central central = cell_moments_central(m, centre);
    struct cell_shape shape = cell_central_shape((double)n, (double)m.s1, (double)central.t1, (double)central.t2,
                                                 (double)central.t3, (double)central.t4);
    if (central.is_constant) {
        shape.sd = 0.0;
        shape.skew = 0.0;
        shape.kurt = 0.0;
    }
    return shape;
}

/* What the formula has of a percentile alone. */
struct cell_cf_terms {
    double z, skew, kurt, skew2;
};

SST_FN struct cell_cf_terms cell_cf_terms_of(double z)
{
    const double z2 = z * z, z3 = z2 * z;
    const struct cell_cf_terms terms = {z, z2 - 1.0, z3 - 3.0 * z, 2.0 * z3 - 5.0 * z};
    return terms;
}

/*
 * Cornish-Fisher quantile in hundredths; the mean where nothing varies.
 *
 * Source   Cornish and Fisher 1938, Revue de l'Institut International de Statistique 5(4), 307-320; to fourth order.
 */
SST_FN double cell_cf_quantile_by(struct cell_shape shape, struct cell_cf_terms by)
{
    const double w = by.z + cell_divide(by.skew * shape.skew, 6.0, 1.0 / 6.0) +
                     cell_divide(by.kurt * shape.kurt, 24.0, 1.0 / 24.0) -
                     cell_divide(by.skew2 * shape.skew * shape.skew, 36.0, 1.0 / 36.0);
    return shape.sd == 0.0 ? shape.mean : shape.mean + shape.sd * w;
}

/* For the standard normal quantile z. */
SST_FN double cell_cf_quantile(struct cell_shape shape, double z)
{
    return shape.sd == 0.0 ? shape.mean : cell_cf_quantile_by(shape, cell_cf_terms_of(z));
}

/* Whether the shape lies where the formula is known to fail. */
SST_FN int cell_cf_is_guarded(struct cell_shape shape)
{
    return shape.sd > 0.0 && shape.kurt - shape.skew * shape.skew + 2.0 < CELL_CF_BOUNDARY;
}

#endif
