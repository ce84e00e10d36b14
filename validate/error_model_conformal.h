/* The quantile of scores that makes a bound: cells are the units, and one more cell, of infinite score, is added. */
#ifndef SST_VALIDATE_ERROR_MODEL_CONFORMAL_H
#define SST_VALIDATE_ERROR_MODEL_CONFORMAL_H

#include <stdbool.h>
#include <stddef.h>

struct sst_score {
    double score; /* |error| / sigma */
    double weight; /* 1 / days of its cell */
};

/*
 * The smallest score up to which the weights reach `level` of n_cells + 1; infinite where n_cells / (n_cells + 1) is less
 * than the level. Reorders the scores.
 *
 * Source   Lee, Barber and Willett 2023, arXiv:2306.06342, hierarchical conformal prediction: groups of weight 1/(K + 1).
 */
double sst_conformal_quantile(struct sst_score *scores, size_t n_scores, size_t n_cells, double level);

/* The highest level that so many cells reach. */
double sst_conformal_attainable(size_t n_cells);

/* Whether three folds of n_cells reach a level, each on its own: 57 cells for 0.95, 297 for 0.99. */
bool sst_conformal_is_available(size_t n_cells, double level);

/* The smallest value up to which the weights reach `share` of their sum; NaN without any. Reorders the values. */
double sst_conformal_weighted_quantile(struct sst_score *values, size_t n_values, double share);

#endif
