/* Normal equations: ten terms, so a sum over cells and one Cholesky decomposition. */
#include "validate/error_model_ridge.h"

#include <gsl/gsl_linalg.h>

void sst_ridge_add_terms(struct sst_ridge *ridge, const double *terms, double weight)
{
    double *xx = ridge->xx;
    for (int i = 0; i < SST_N_TERMS; ++i) {
        const double weighted = weight * terms[i];
        for (int j = 0; j <= i; ++j)
            *xx++ += weighted * terms[j];
    }
}

void sst_ridge_add_response(struct sst_ridge *ridge, const double *terms, double weighted_response)
{
    for (int i = 0; i < SST_N_TERMS; ++i)
        ridge->xy[i] += weighted_response * terms[i];
}

void sst_ridge_merge(struct sst_ridge *into, const struct sst_ridge *other)
{
    for (int i = 0; i < SST_N_PAIRS; ++i)
        into->xx[i] += other->xx[i];
    for (int i = 0; i < SST_N_TERMS; ++i)
        into->xy[i] += other->xy[i];
}

/* Fills both triangles with the penalised equations. */
static void fill_matrix(const struct sst_ridge *ridge, double share, double *matrix)
{
    double trace = 0;
    const double *xx = ridge->xx;
    for (int i = 0; i < SST_N_TERMS; ++i) {
        for (int j = 0; j <= i; ++j, ++xx)
            matrix[i * SST_N_TERMS + j] = matrix[j * SST_N_TERMS + i] = *xx;
        trace += matrix[i * SST_N_TERMS + i];
    }
    for (int i = 1; i < SST_N_TERMS; ++i)
        matrix[i * SST_N_TERMS + i] += share * trace / SST_N_TERMS;
}

void sst_ridge_solve(const struct sst_ridge *ridge, double share, double *coefficients)
{
    double matrix[SST_N_TERMS * SST_N_TERMS], response[SST_N_TERMS];
    fill_matrix(ridge, share, matrix);
    for (int i = 0; i < SST_N_TERMS; ++i)
        response[i] = ridge->xy[i];
    gsl_matrix_view a = gsl_matrix_view_array(matrix, SST_N_TERMS, SST_N_TERMS);
    gsl_vector_view b = gsl_vector_view_array(response, SST_N_TERMS);
    gsl_vector_view x = gsl_vector_view_array(coefficients, SST_N_TERMS);
    /* Cannot fail: every eigenvalue is at least about the penalty, far above rounding. */
    (void)gsl_linalg_cholesky_decomp1(&a.matrix);
    (void)gsl_linalg_cholesky_solve(&a.matrix, &b.vector, &x.vector);
}
