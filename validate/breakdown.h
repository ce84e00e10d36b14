/* Where errors lie: their distribution, and tables of them by calendar day, latitude, region and shape of the pool. */
#ifndef SST_VALIDATE_BREAKDOWN_H
#define SST_VALIDATE_BREAKDOWN_H

#include <stdint.h>

#include "core/status.h"
#include "validate/compare.h"
#include "validate/regions.h"
#include "validate/sample.h"

/* One row of a table: errors of ice-free cell-days, by area. */
struct sst_breakdown_row {
    char name[SST_REGION_NAME_SIZE];
    double low,
        high; /* limits of what the row is of: degrees, slot, skewness, kurtosis; NaN where it has none (regions) */
    struct sst_error_row errors;
};

struct sst_breakdown_table {
    struct sst_breakdown_row *rows; /* empty ones are left out */
    size_t n_rows;
};

/* Shares by area of ice-free cell-days; without any, nothing is counted and first_edge and width are NaN. */
struct sst_error_distribution {
    size_t n_bins;
    double first_edge,
        width; /* [degC] of the histogram of signed errors: edges first_edge + i width, zero is one of them */
    double *share; /* n_bins; the outermost take what lies beyond */
    size_t n_points;
    double *abs_error; /* [degC] ascending, round numbers */
    double *cumulated; /* share of cell-days with |error| <= abs_error */
};

struct sst_breakdown {
    struct sst_error_distribution distribution;
    struct sst_breakdown_table by_slot, by_latitude, by_region, by_skewness,
        by_kurtosis; /* the last two empty without shape */
};

/*
 * approx   a column as in the sample.
 * Owner    the caller; sst_breakdown_clear, also after a failure. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_breakdown_make(const struct sst_sample *sample, size_t percentile_index,
                                                  const float *approx, double tolerance,
                                                  const struct sst_domain *domain, struct sst_breakdown *out,
                                                  struct sst_error *err);

/* The most bytes of scratch that making one takes, for a sample of so many probes. */
uint64_t sst_breakdown_scratch_bytes(size_t n_probes, size_t n_slots);

void sst_breakdown_clear(struct sst_breakdown *breakdown);

#endif
