/* How values spread across cells or cell-days: quantiles for tables. */
#ifndef SST_VALIDATE_SPREAD_H
#define SST_VALIDATE_SPREAD_H

#include <stddef.h>

/* Sorts n values, none NaN, in place. */
void sst_spread_sort(double *values, size_t n);

/* Quantile p (0..1) of n sorted values, type 7 (kernels/cell_quantile.h); NaN for n = 0. */
double sst_spread_quantile(const double *sorted, size_t n, double p);

#endif
