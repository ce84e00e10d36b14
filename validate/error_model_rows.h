/* The sample's cell-days as error models read them: cell by cell, thinned where there are very many. */
#ifndef SST_VALIDATE_ERROR_MODEL_ROWS_H
#define SST_VALIDATE_ERROR_MODEL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "validate/error_model.h"
#include "validate/error_model_predictors.h"

/*
 * Cells that have an error, ascending by domain cell, whatever the order of the sample; rows of a cell lie together:
 * those of cell c are first[c] .. first[c + 1] - 1.
 */
struct sst_error_rows {
    size_t n_cells, n_rows;
    size_t *first; /* n_cells + 1 */
    size_t *cell; /* index in the sample */
    uint64_t *id; /* domain cell: what is hashed */
    double *weight; /* area of a cell */
    uint8_t *region; /* by cell */
    uint32_t *at; /* by row: index in the sample's columns */
    uint8_t *season, *is_ice; /* by row */
    float *error; /* [degC] approximate - exact */
    float *sd; /* [degC] as models use it */
    float *predictors; /* [row * SST_N_PREDICTORS + predictor] */
};

/*
 * rule     tail, z and table are set; centres and spreads are learnt here.
 * Owner    the caller; sst_error_rows_clear, also after a failure. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_error_rows_init(const struct sst_sample *sample,
                                                   const struct sst_error_model_options *options,
                                                   struct sst_predictor_rule *rule, struct sst_error_rows *rows,
                                                   struct sst_error *err);
void sst_error_rows_clear(struct sst_error_rows *rows);

/* How many rows there are at most, but for cells with gaps just where rows are left out; and about the bytes of all. */
size_t sst_error_rows_most(size_t n_cells, size_t n_places);
uint64_t sst_error_rows_bytes(size_t n_cells, size_t n_places);

/* Approximate - exact at an index of the sample's columns; NaN where one is missing. [degC] */
double sst_error_rows_error_at(const struct sst_sample *sample, size_t percentile, size_t at);

/* The pool at an index of columns. */
struct sst_pool sst_error_rows_pool_at(const struct sst_shape *shape, const uint16_t *n_obs, size_t at);

/* A number that looks random, the same on every machine. */
uint64_t sst_error_rows_hash(uint64_t seed, uint64_t number);

#endif
