/* The tables of the maximum-entropy estimate, made in the build by tools/maxent_table.c; read by kernels/cell_maxent.h. */
#ifndef SST_MOMENTS_MAXENT_H
#define SST_MOMENTS_MAXENT_H

/* Table of a percentile; NULL where there is none. */
const float *sst_maxent_table(double percentile);

/* The v_limit of cell_maxent_place_of(). Never NULL. */
const float *sst_maxent_v_limit(void);

/* "5, 10, 90, 95": the percentiles that have a table. */
const char *sst_maxent_percentiles(void);

#endif
