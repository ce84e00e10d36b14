/* Sums of errors by row, and their quantiles from a pass in ascending order. */
#include "validate/error_table.h"

#include <math.h>

#include "core/mem.h"

#define CONFIDENCE 0.95

/* Sums of equal weights differ by rounding with the order in which they are taken; a share reached but for that is reached. */
#define SUM_NOISE 1e-9

enum { MEDIAN, P95, P99, MOST };
const double sst_error_quantile_shares[SST_N_ERROR_QUANTILES] = {
    [MEDIAN] = 0.50, [P95] = 0.95, [P99] = 0.99, [MOST] = 0.999};

enum sst_status sst_error_table_init(struct sst_error_table *table, size_t n_rows, size_t n_cells,
                                     struct sst_error *err)
{
    table->n_rows = n_rows;
    table->n_cells = n_cells;
    SST_TRY(sst_alloc(n_rows, sizeof *table->sums, "a table of errors", &table->sums, err));
    SST_TRY(sst_alloc(n_rows * n_cells, sizeof *table->n, "a table of errors", &table->n, err));
    SST_TRY(sst_alloc(n_rows * n_cells, sizeof *table->n_beyond, "a table of errors", &table->n_beyond, err));
    for (size_t row = 0; row < n_rows; ++row)
        for (int i = 0; i < SST_N_ERROR_QUANTILES; ++i)
            table->sums[row].quantiles[i] = NAN;
    return SST_OK;
}

void sst_error_table_clear(struct sst_error_table *table)
{
    sst_free(table->sums);
    sst_free(table->n);
    sst_free(table->n_beyond);
    *table = (struct sst_error_table){0};
}

void sst_error_table_add(struct sst_error_table *table, const struct sst_cell_error *value, double tolerance)
{
    struct sst_error_sums *sums = &table->sums[value->row];
    const size_t at = value->row * table->n_cells + value->cell;
    const double size = fabs(value->error);
    ++sums->n_cell_days;
    sums->weight += value->weight;
    sums->weighted_error += value->weight * value->error;
    sums->weighted_square += value->weight * value->error * value->error;
    sums->max = fmax(sums->max, size);
    ++table->n[at];
    if (size > tolerance)
        ++table->n_beyond[at];
}

void sst_error_table_rank(struct sst_error_table *table, const struct sst_cell_error *value)
{
    struct sst_error_sums *sums = &table->sums[value->row];
    sums->ranked += value->weight;
    while (sums->n_quantiles < SST_N_ERROR_QUANTILES && value->weight > 0 &&
           sums->ranked >= sst_error_quantile_shares[sums->n_quantiles] * (1 - SUM_NOISE) * sums->weight)
        sums->quantiles[sums->n_quantiles++] = fabs(value->error);
}

struct sst_error_row sst_error_table_row(const struct sst_error_table *table, size_t row, struct sst_cluster *clusters)
{
    const struct sst_error_sums *sums = &table->sums[row];
    size_t n_cells = 0;
    for (size_t cell = 0; cell < table->n_cells; ++cell) {
        const size_t at = row * table->n_cells + cell;
        clusters[cell].n = table->n[at];
        clusters[cell].n_hit = table->n_beyond[at];
        n_cells += table->n[at] > 0;
    }
    return (struct sst_error_row){
        .n_cells = n_cells,
        .n_cell_days = sums->n_cell_days,
        .bias = sums->weight > 0 ? sums->weighted_error / sums->weight : NAN,
        .rmse = sums->weight > 0 ? sqrt(sums->weighted_square / sums->weight) : NAN,
        .median = sums->quantiles[MEDIAN],
        .p95 = sums->quantiles[P95],
        .p99 = sums->quantiles[P99],
        .max = sums->n_cell_days > 0 ? sums->max : NAN,
        .beyond = sst_share_of_clusters(clusters, table->n_cells, CONFIDENCE),
    };
}
