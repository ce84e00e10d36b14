/* The exact quantile of one sample: the plain path that faster ones are compared with, and the rule they all share. */
#ifndef SST_EXACT_QUANTILE_H
#define SST_EXACT_QUANTILE_H

#include <stddef.h>

/*
 * Quantile of a sorted sample.
 *
 * sorted   n values, ascending, none NaN.
 * p        0..1.
 * type     Hyndman-Fan 1..9.
 * Returns  NaN for n = 0.
 * Source   kernels/cell_quantile.h.
 */
double sst_quantile_sorted(const double *sorted, size_t n, double p, int type);

#endif
