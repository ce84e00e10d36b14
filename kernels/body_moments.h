/* Moments in memory: five planes; load at i, skip what is missing, call the cell, store. */
#ifndef SST_KERNELS_BODY_MOMENTS_H
#define SST_KERNELS_BODY_MOMENTS_H

#include "cell_moments.h"

struct body_moments_planes {
    uint16_t *SST_RESTRICT n;
    int32_t *SST_RESTRICT s1;
    int64_t *SST_RESTRICT s2;
    int64_t *SST_RESTRICT s3;
    int64_t *SST_RESTRICT s4;
};

/*
 * Adds value i of a field. A missing value adds 0 to every plane, so the loop has no branch and vectorises. Powers are
 * built of 32 x 32 -> 64 bit products, which every vector unit has: |x| <= 8191 keeps x and x^2 within 32 bits.
 *
 * This is what adding means. Backends that add several fields at a time in vectors of their own are tested against it.
 */
SST_FN void body_moments_add(struct body_moments_planes bin, const int16_t *SST_RESTRICT hundredths, int16_t missing,
                             size_t i)
{
    const int32_t is_valid = hundredths[i] != missing;
    const int32_t x = hundredths[i] * is_valid;
    const int32_t x2 = x * x;
    bin.n[i] = (uint16_t)(bin.n[i] + is_valid);
    bin.s1[i] += x;
    bin.s2[i] += x2;
    bin.s3[i] += (int64_t)x2 * x;
    bin.s4[i] += (int64_t)x2 * x2;
}

SST_FN struct cell_moments body_moments_load(struct body_moments_planes bin, size_t i)
{
    struct cell_moments m;
    m.n = bin.n[i];
    m.s1 = bin.s1[i];
    m.s2 = bin.s2[i];
    m.s3 = bin.s3[i];
    m.s4 = bin.s4[i];
    return m;
}

#endif
