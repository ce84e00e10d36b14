/* Normal quantiles from GSL (Wichura's AS241), the same on every device because only the host computes them. */
#include "moments/fit.h"

#include <gsl/gsl_cdf.h>

double sst_fit_normal_quantile(double p) { return gsl_cdf_ugaussian_Pinv(p); }
