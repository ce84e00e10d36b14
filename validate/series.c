/* The daily values of a few probes: a block of codes, one row of cells a day. */
#include "validate/series.h"

#include "core/mem.h"
#include "validate/probes.h"

static size_t count_years(const struct sst_pool_rule *pools)
{
    return (size_t)pools->last_year - (size_t)pools->first_year + 3;
}

static enum sst_status choose_cells(const struct sst_sample *sample, const struct sst_domain *domain, uint64_t seed,
                                    struct sst_series *series, struct sst_error *err)
{
    size_t *domain_cells = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(sample->n_cells, sizeof *domain_cells, "the series", &domain_cells, err));
    for (size_t i = 0; i < sample->n_cells; ++i)
        domain_cells[i] = sample->cells[i].domain_cell;
    SST_TRY_GOTO(sst_probes_nested(domain, domain_cells, sample->n_cells, seed, SST_SERIES_MAX_CELLS,
                                   &series->sample_cell, &series->n_cells, err));
    SST_TRY_GOTO(sst_alloc(series->n_cells, sizeof *series->domain_cell, "the series", &series->domain_cell, err));
    for (size_t i = 0; i < series->n_cells; ++i)
        series->domain_cell[i] = domain_cells[series->sample_cell[i]];
done:
    sst_free(domain_cells);
    return rc;
}

enum sst_status sst_series_create(const struct sst_sample *sample, const struct sst_domain *domain, uint64_t seed,
                                  const struct sst_pool_rule *pools, enum sst_lattice_kind lattice,
                                  struct sst_series **out, struct sst_error *err)
{
    struct sst_series *series = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *series, "the series", &series, err));
    series->pools = *pools;
    series->lattice = sst_lattice_of(lattice);
    series->first_year = pools->first_year - 1;
    series->last_year = pools->last_year + 1;
    SST_TRY_GOTO(choose_cells(sample, domain, seed, series, err));
    const size_t n_codes = count_years(pools) * SST_N_SLOTS * series->n_cells;
    SST_TRY_GOTO(sst_alloc(n_codes, sizeof *series->codes, "the series", &series->codes, err));
    for (size_t i = 0; i < n_codes; ++i)
        series->codes[i] = SST_CODE_MISSING;
    *out = series;
    series = NULL;
done:
    sst_series_destroy(&series);
    return rc;
}

void sst_series_destroy(struct sst_series **handle)
{
    struct sst_series *series = *handle;
    if (!series)
        return;
    sst_free(series->sample_cell);
    sst_free(series->domain_cell);
    sst_free(series->codes);
    sst_free(series);
    *handle = NULL;
}

void sst_series_put(struct sst_series *series, struct sst_day day, const struct sst_field *field)
{
    if (day.year < series->first_year || day.year > series->last_year || day.slot < 1 || day.slot > SST_N_SLOTS)
        return;
    int16_t *codes = series->codes + sst_series_row(series, day) * series->n_cells;
    for (size_t i = 0; i < series->n_cells; ++i)
        codes[i] = field->codes[series->domain_cell[i]];
}

uint64_t sst_series_bytes(size_t n_probes, const struct sst_pool_rule *pools)
{
    const uint64_t n_cells = n_probes < SST_SERIES_MAX_CELLS ? n_probes : SST_SERIES_MAX_CELLS;
    return n_cells * (2 * sizeof(size_t) + (uint64_t)count_years(pools) * SST_N_SLOTS * sizeof(int16_t));
}
