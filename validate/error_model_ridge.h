/* Ridge regression by normal equations that are summed cell by cell, so that a fit to some of the cells is cheap. */
#ifndef SST_VALIDATE_ERROR_MODEL_RIDGE_H
#define SST_VALIDATE_ERROR_MODEL_RIDGE_H

enum { SST_N_TERMS = 10, SST_N_PAIRS = SST_N_TERMS * (SST_N_TERMS + 1) / 2 };

/* Sums of products of terms (lower triangle, row by row) and of terms with the response. */
struct sst_ridge {
    double xx[SST_N_PAIRS], xy[SST_N_TERMS];
};

void sst_ridge_add_terms(struct sst_ridge *ridge, const double *terms, double weight);
void sst_ridge_add_response(struct sst_ridge *ridge, const double *terms, double weighted_response);
void sst_ridge_merge(struct sst_ridge *into, const struct sst_ridge *other);

/*
 * The coefficients; terms[0] is 1 and its coefficient is not shrunk. Something must have been added.
 *
 * The penalty is `share` of the mean of the squares of the terms. It also makes the equations solvable whatever was added.
 */
void sst_ridge_solve(const struct sst_ridge *ridge, double share, double *coefficients);

#endif
