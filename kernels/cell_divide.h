/* Division by a whole number that is at hand with its inverse, with the bits of a division. */
#ifndef SST_KERNELS_CELL_DIVIDE_H
#define SST_KERNELS_CELL_DIVIDE_H

#include <math.h>

#include "portable.h"

/*
 * a / b, correctly rounded, for b a whole number below 2^17 and `inverse` = 1 / b, correctly rounded: q is within two units of
 * the last place, so the remainder is exact, and a / b lies farther from the middle between two doubles (1 / 2b of a unit)
 * than the last step is off (2^-52). Underflow aside, and but for the sign of 0.
 *
 * Source   Markstein 1990, IBM Journal of Research and Development 34(1), 111-119.
 */
SST_FN double cell_divide_by_inverse(double a, double b, double inverse)
{
    const double q = a * inverse;
    return fma(fma(-b, q, a), inverse, q);
}

#endif
