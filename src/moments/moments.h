/*
 * The moments estimator: algebraic, a small fixed state and then a formula. 30 bytes a cell and bin, exact and mergeable.
 *
 * What it gives: the mean exactly; percentiles with a root-mean-square error of about 0.09 standard deviations of the pool
 * (330 values), more near the moment boundary. What it cannot bound: any single cell's error; that is what probes are for.
 */
#ifndef SST_MOMENTS_MOMENTS_H
#define SST_MOMENTS_MOMENTS_H

#include "core/estimator.h"

/* Order of the planes. */
enum sst_moments_plane { SST_MOMENTS_N, SST_MOMENTS_S1, SST_MOMENTS_S2, SST_MOMENTS_S3, SST_MOMENTS_S4 };

/* Never NULL. */
const struct sst_estimator *sst_estimator_moments(void);

/* One u16 plane: in how many fields the cell was marked as sea ice. Never NULL. */
const struct sst_estimator *sst_estimator_ice(void);

#endif
