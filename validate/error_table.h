/*
 * Rows of errors that are too many for a histogram each (validate/compare.h): sums and counts by cell, and quantiles by
 * passing all errors once more in ascending order, sorted once for all tables.
 *
 *   init ── add every cell-day, in any order ── rank every cell-day, by size ── row ── clear
 */
#ifndef SST_VALIDATE_ERROR_TABLE_H
#define SST_VALIDATE_ERROR_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "validate/compare.h"

enum { SST_N_ERROR_QUANTILES = 4 };

/* Shares of the quantiles that are found: those of struct sst_error_row, and the one that charts reach to. */
extern const double sst_error_quantile_shares[SST_N_ERROR_QUANTILES];

struct sst_error_sums {
    size_t n_cell_days;
    double weight, weighted_error, weighted_square; /* sums */
    double max; /* [degC] */
    double ranked; /* sum of weights so far, in ascending order */
    size_t n_quantiles; /* of them found */
    double quantiles[SST_N_ERROR_QUANTILES]; /* [degC] of the absolute error */
};

struct sst_error_table {
    size_t n_rows, n_cells;
    struct sst_error_sums *sums; /* by row */
    uint16_t *n, *n_beyond; /* cell-days by [row * n_cells + cell]: at most one a slot */
};

/* One cell-day of a row. */
struct sst_cell_error {
    size_t row, cell;
    double weight;
    double error; /* [degC] */
};

/* From zeros. Owner: the caller; sst_error_table_clear, also after a failure. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_error_table_init(struct sst_error_table *table, size_t n_rows, size_t n_cells,
                                                    struct sst_error *err);
void sst_error_table_clear(struct sst_error_table *table);

void sst_error_table_add(struct sst_error_table *table, const struct sst_cell_error *value, double tolerance);

/* The second pass: what was added, again, in ascending order of absolute errors. */
void sst_error_table_rank(struct sst_error_table *table, const struct sst_cell_error *value);

/*
 * A row as struct sst_error_row defines it, but that a quantile is the smallest error at which the cumulated weight reaches
 * the share.
 *
 * clusters   n_cells with their weights; counts are written over.
 */
struct sst_error_row sst_error_table_row(const struct sst_error_table *table, size_t row, struct sst_cluster *clusters);

#endif
