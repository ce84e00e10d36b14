/* What repeated splits into three folds say of models such as the one that is applied. */
#ifndef SST_VALIDATE_ERROR_MODEL_FINDINGS_H
#define SST_VALIDATE_ERROR_MODEL_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "validate/error_model_fit.h"

enum {
    SST_N_SPLITS = 20, /* each cell is tested once in each */
    SST_N_FOLDS = 3
};

/* Deals cells to folds of equal size, at random by seed and domain cell. `keys` is room for one number a cell. */
struct sst_deal_key {
    uint64_t key;
    size_t c;
};
void sst_error_folds_deal(const struct sst_error_rows *rows, uint64_t seed, uint8_t n_folds, struct sst_deal_key *keys,
                          uint8_t *fold);

/* Counts over the splits. */
struct sst_turns {
    uint8_t *hits[SST_MAX_COVERAGES]; /* by row: splits in which the bound covered the cell-day */
    double all, beyond, flagged, found; /* areas of cell-days at test cells: all, beyond tolerance, flagged, both */
    struct sst_error_fit first[SST_N_FOLDS]; /* of the first split, by the fold that they test */
    uint8_t *fold; /* by cell, of the first split */
};

/* Owner: the caller; sst_turns_clear, also after a failure. Errors: SST_ERR_NOMEM. At least SST_N_FOLDS cells. */
SST_MUST_CHECK enum sst_status sst_turns_take(struct sst_fitter *fitter, struct sst_turns *turns,
                                              struct sst_error *err);
void sst_turns_clear(struct sst_turns *turns);

/*
 * The rows of a level's table, and its share of cells below 90 %. `levels->rows` are the caller's, sst_free.
 * Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_turns_tabulate(const struct sst_fitter *fitter, const uint8_t *hits,
                                                  struct sst_level_findings *findings, struct sst_error *err);

#endif
