/* What turns moments into percentiles and is computed once per run, on the host. A home of gsl. */
#ifndef SST_MOMENTS_FIT_H
#define SST_MOMENTS_FIT_H

/* Standard normal quantile of p in (0, 1): the z of Cornish-Fisher. */
double sst_fit_normal_quantile(double p);

#endif
