/*
 * Approximate against exact at the probes: the error table and which probes are beyond the tolerance.
 *
 * Errors are of the field that is written: float32, smoothed where it is smoothed. Each cell-day counts once, or by its
 * cell's area; cell-days with ice or no variance are kept apart, since their tiny errors would flatter the rest.
 */
#ifndef SST_VALIDATE_COMPARE_H
#define SST_VALIDATE_COMPARE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "validate/interval.h"

/* Which cell-days a row of the table is of, and how they weigh. */
enum sst_error_class { SST_ERRORS_ICE_FREE, SST_ERRORS_ALL, SST_N_ERROR_CLASSES };
enum sst_error_weight { SST_WEIGHT_AREA, SST_WEIGHT_COUNT, SST_N_ERROR_WEIGHTS };

/* One row: errors are approximate - exact. [degC]; NaN where there is no cell-day. */
struct sst_error_row {
    size_t n_cells, n_cell_days;
    double bias, rmse;
    double median, p95, p99; /* of the absolute error: see SST_ERROR_BIN_DEGC */
    double max; /* of the absolute error, as it is */
    struct sst_share beyond; /* share of cell-days beyond the tolerance, 95 % interval by cells as clusters */
};

/*
 * Absolute errors are counted in bins of this width up to 5 degC. [degC]
 *
 * The quantile of share q is the upper edge of the first bin at which at least q of the (weighted) cell-days are counted,
 * but no more than the largest error: never below the smallest error whose cumulated share is q, at most one bin above.
 */
#define SST_ERROR_BIN_DEGC 1e-4

struct sst_comparison;

/*
 * weights         [1] n_probes area weights of the probes, copied.
 * tolerance       [degC] beyond it (strictly) a probe's cell-day is measured_beyond_tolerance.
 * Owner           the caller; sst_comparison_destroy. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_comparison_create(size_t n_probes, const double *weights, double tolerance,
                                                     struct sst_comparison **out, struct sst_error *err);
void sst_comparison_destroy(struct sst_comparison **comparison);
uint64_t sst_comparison_bytes(size_t n_probes);

/*
 * Adds one slot of one percentile.
 *
 * approx, exact   [degC] n_probes values; a pair with a NaN is no observation.
 * flags           n_probes, enum sst_flag; ICE_OR_NO_VARIANCE keeps a cell-day out of the ice-free rows.
 * beyond          n_probes, set to 1 where |float32(approx) - float32(exact)| > tolerance, else 0; may be NULL.
 */
void sst_comparison_add(struct sst_comparison *comparison, const double *approx, const double *exact,
                        const uint16_t *flags, uint8_t *beyond);

/* The table so far. */
struct sst_error_row sst_comparison_row(const struct sst_comparison *comparison, enum sst_error_class which,
                                        enum sst_error_weight weight);

#endif
