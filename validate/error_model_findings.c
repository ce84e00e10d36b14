/* Repeated splits: fit on one fold, calibrate on the next, look at the third; then the table of coverage. */
#include "validate/error_model_findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/mem.h"

#define CONFIDENCE 0.95
#define LOW_COVERAGE 0.9 /* a cell covered on fewer of its days is counted as badly served */

/* --- folds -------------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    const struct sst_deal_key *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->c > y->c) - (x->c < y->c);
}

void sst_error_folds_deal(const struct sst_error_rows *rows, uint64_t seed, uint8_t n_folds, struct sst_deal_key *keys,
                          uint8_t *fold)
{
    for (size_t c = 0; c < rows->n_cells; ++c)
        keys[c] = (struct sst_deal_key){sst_error_rows_hash(seed, rows->id[c]), c};
    qsort(keys, rows->n_cells, sizeof *keys, by_key);
    for (size_t rank = 0; rank < rows->n_cells; ++rank)
        fold[keys[rank].c] = (uint8_t)(rank % n_folds);
}

/* --- turns -------------------------------------------------------------------------------------------------------- */

/* Looks at the rows of the cells under test, which were just evaluated. */
static void count_turn(const struct sst_fitter *fitter, const struct sst_error_fit *fit, const uint8_t *fold,
                       uint8_t which, struct sst_turns *turns)
{
    const struct sst_error_rows *rows = fitter->rows;
    const struct sst_error_model_options *options = fitter->options;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        if (fold[c] != which)
            continue;
        size_t n_beyond = 0, n_flagged = 0, n_found = 0;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            for (size_t level = 0; level < options->n_coverages; ++level)
                turns->hits[level][row] =
                    (uint8_t)(turns->hits[level][row] + (fitter->log_score[row] <= fit->log_quantile[level]));
            const bool is_beyond = fabs(fitter->residual[row]) > options->tolerance;
            const bool is_flagged = fitter->log_sigma[row] >= fit->log_likely_sigma;
            n_beyond += is_beyond;
            n_flagged += is_flagged;
            n_found += is_beyond && is_flagged;
        }
        turns->all += rows->weight[c] * (double)(rows->first[c + 1] - rows->first[c]);
        turns->beyond += rows->weight[c] * (double)n_beyond;
        turns->flagged += rows->weight[c] * (double)n_flagged;
        turns->found += rows->weight[c] * (double)n_found;
    }
}

enum sst_status sst_turns_take(struct sst_fitter *fitter, struct sst_turns *turns, struct sst_error *err)
{
    const struct sst_error_rows *rows = fitter->rows;
    struct sst_deal_key *keys = NULL;
    uint8_t *fold = NULL;
    enum sst_status rc = SST_OK;
    *turns = (struct sst_turns){0};
    for (size_t level = 0; level < fitter->options->n_coverages; ++level)
        SST_TRY_GOTO(sst_alloc(rows->n_rows, sizeof(uint8_t), "the error model", &turns->hits[level], err));
    SST_TRY_GOTO(sst_alloc(rows->n_cells, sizeof *turns->fold, "the error model", &turns->fold, err));
    SST_TRY_GOTO(sst_alloc(rows->n_cells, sizeof *keys, "the error model", &keys, err));
    SST_TRY_GOTO(sst_alloc(rows->n_cells, sizeof *fold, "the error model", &fold, err));
    for (int split = SST_N_SPLITS - 1; split >= 0; --split) { /* the first last, so that its folds stay */
        sst_error_folds_deal(rows, fitter->options->seed + (uint64_t)split + 1, SST_N_FOLDS, keys, fold);
        for (int turn = 0; turn < SST_N_FOLDS; ++turn) {
            const uint8_t test = (uint8_t)turn;
            struct sst_error_fit fit = sst_fitter_fit(fitter, fold, (uint8_t)((test + 1) % SST_N_FOLDS));
            sst_fitter_calibrate(fitter, fold, (uint8_t)((test + 2) % SST_N_FOLDS), &fit);
            sst_fitter_evaluate(fitter, &fit, fold, test);
            count_turn(fitter, &fit, fold, test, turns);
            turns->first[test] = fit;
        }
    }
    for (size_t c = 0; c < rows->n_cells; ++c)
        turns->fold[c] = fold[c];
done:
    sst_free(keys);
    sst_free(fold);
    return rc;
}

void sst_turns_clear(struct sst_turns *turns)
{
    for (size_t level = 0; level < SST_MAX_COVERAGES; ++level)
        sst_free(turns->hits[level]);
    sst_free(turns->fold);
    *turns = (struct sst_turns){0};
}

/* --- the table ---------------------------------------------------------------------------------------------------- */

/* One class of a stratum. */
struct class_of {
    enum sst_stratum stratum;
    size_t index;
};

static bool is_of(const struct sst_error_rows *rows, struct class_of class, size_t c, size_t row)
{
    switch (class.stratum) {
    case SST_STRATUM_ICE:
        return rows->is_ice[row] == class.index;
    case SST_STRATUM_SEASON:
        return rows->season[row] == class.index;
    case SST_STRATUM_REGION:
        return rows->region[c] == class.index;
    case SST_STRATUM_ALL:
        break;
    }
    return true;
}

/* Returns whether there is anything of the class. */
static bool make_row(const struct sst_error_rows *rows, const uint8_t *hits, struct class_of class,
                     struct sst_cluster *clusters, struct sst_coverage_row *out)
{
    *out = (struct sst_coverage_row){.stratum = class.stratum};
    for (size_t c = 0; c < rows->n_cells; ++c) {
        size_t n = 0, n_hits = 0;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row) {
            if (is_of(rows, class, c, row)) {
                ++n;
                n_hits += hits[row];
            }
        }
        clusters[c] = (struct sst_cluster){rows->weight[c], (double)n, (double)n_hits / SST_N_SPLITS};
        out->n_cells += n > 0;
        out->n_cell_days += n;
    }
    out->share = sst_share_of_clusters(clusters, rows->n_cells, CONFIDENCE);
    return out->n_cell_days > 0;
}

static void name_row(const struct sst_regions *regions, struct class_of class, struct sst_coverage_row *row)
{
    static const char *const ice[] = {"ice-free", "ice or no variance"};
    switch (class.stratum) {
    case SST_STRATUM_ALL:
        (void)snprintf(row->name, sizeof row->name, "all");
        break;
    case SST_STRATUM_ICE:
        (void)snprintf(row->name, sizeof row->name, "%s", ice[class.index]);
        break;
    case SST_STRATUM_SEASON:
        (void)snprintf(row->name, sizeof row->name, "%s", sst_season_name(class.index));
        break;
    case SST_STRATUM_REGION:
        (void)sst_regions_name(*regions, class.index, row->name);
        break;
    }
}

static double share_of_low_cells(const struct sst_error_rows *rows, const uint8_t *hits)
{
    size_t n_low = 0;
    for (size_t c = 0; c < rows->n_cells; ++c) {
        size_t n_hits = 0;
        for (size_t row = rows->first[c]; row < rows->first[c + 1]; ++row)
            n_hits += hits[row];
        n_low += (double)n_hits < LOW_COVERAGE * SST_N_SPLITS * (double)(rows->first[c + 1] - rows->first[c]);
    }
    return (double)n_low / (double)rows->n_cells;
}

enum sst_status sst_turns_tabulate(const struct sst_fitter *fitter, const uint8_t *hits,
                                   struct sst_level_findings *findings, struct sst_error *err)
{
    const struct sst_regions *regions = &fitter->options->regions;
    const size_t n_classes[] = {1, 2, SST_N_SEASONS, sst_regions_count(*regions)};
    const size_t n_most = 1 + 2 + SST_N_SEASONS + n_classes[SST_STRATUM_REGION];
    struct sst_cluster *clusters = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_most, sizeof *findings->rows, "the coverage table", &findings->rows, err));
    SST_TRY_GOTO(sst_alloc(fitter->rows->n_cells, sizeof *clusters, "the coverage table", &clusters, err));
    for (int stratum = SST_STRATUM_ALL; stratum <= SST_STRATUM_REGION; ++stratum) {
        for (size_t i = 0; i < n_classes[stratum]; ++i) {
            const struct class_of class = {(enum sst_stratum)stratum, i};
            struct sst_coverage_row *row = &findings->rows[findings->n_rows];
            if (!make_row(fitter->rows, hits, class, clusters, row))
                continue;
            name_row(regions, class, row);
            ++findings->n_rows;
        }
    }
    findings->share_of_cells_below_90 = share_of_low_cells(fitter->rows, hits);
done:
    sst_free(clusters);
    return rc;
}
