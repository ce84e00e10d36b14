/* Sums over the cells of a region. */
#include "monitor/region_day.h"

#include <math.h>
#include <stdlib.h>

#include "core/mem.h"

struct weighted {
    float value;
    double weight;
};

struct sst_region_scratch {
    size_t n_cols;
    double *row_km2;
    struct weighted *severities; /* as many as the largest region has cells */
};

enum sst_status sst_region_scratch_create(const struct sst_region_set *set, const struct sst_domain *domain,
                                          struct sst_region_scratch **out, struct sst_error *err)
{
    struct sst_region_scratch *scratch = NULL;
    size_t most = 0;
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < set->n; ++i)
        most = set->regions[i].n_cells > most ? set->regions[i].n_cells : most;
    SST_TRY(sst_alloc(1, sizeof *scratch, "the sums of regions", &scratch, err));
    scratch->n_cols = domain->n_cols;
    SST_TRY_GOTO(sst_alloc(domain->n_rows, sizeof *scratch->row_km2, "the areas of cells", &scratch->row_km2, err));
    SST_TRY_GOTO(
        sst_alloc_large(most, sizeof *scratch->severities, "the severities of a region", &scratch->severities, err));
    sst_region_row_areas(domain, scratch->row_km2);
    *out = scratch;
    scratch = NULL;
done:
    sst_region_scratch_destroy(&scratch);
    return rc;
}

void sst_region_scratch_destroy(struct sst_region_scratch **scratch)
{
    struct sst_region_scratch *old = *scratch;
    if (!old)
        return;
    sst_free(old->row_km2);
    sst_free(old->severities);
    sst_free(old);
    *scratch = NULL;
}

static int compare_weighted(const void *a, const void *b)
{
    const float x = ((const struct weighted *)a)->value, y = ((const struct weighted *)b)->value;
    return (x > y) - (x < y);
}

/* The least value that no more than a tenth of the weight exceeds. */
static double percentile_90(struct weighted *items, size_t n)
{
    double above = 0, all = 0;
    if (n == 0)
        return NAN;
    qsort(items, n, sizeof *items, compare_weighted);
    for (size_t i = 0; i < n; ++i)
        all += items[i].weight;
    size_t at = n - 1;
    while (at > 0 && above + items[at].weight <= 0.1 * all)
        above += items[at--].weight;
    return items[at].value;
}

/* What one known cell adds. */
struct sums {
    double anomaly, anomaly_km2, intensity, intensity_km2;
};

static void add_known(const struct sst_region_cells *cells, uint32_t cell, double km2, struct sums *sums,
                      struct sst_region_day *out)
{
    const unsigned category = cells->category[cell];
    out->known_km2 += km2;
    if (cells->is_candidate[cell])
        out->candidate_km2 += km2;
    if (cells->is_event[cell] && category <= SST_N_CATEGORIES)
        out->category_km2[category] += km2;
    if (isnan(cells->anomaly[cell]))
        return;
    sums->anomaly += km2 * cells->anomaly[cell];
    sums->anomaly_km2 += km2;
    if (category == 0)
        return;
    sums->intensity += km2 * cells->anomaly[cell];
    sums->intensity_km2 += km2;
    if (isnan(out->max_intensity) ||
        fabs((double)cells->anomaly[cell]) > fabs(out->max_intensity)) { /* of cold spells: the coldest */
        out->max_intensity = cells->anomaly[cell];
        out->max_cell = cell;
    }
}

void sst_region_sum_day(struct sst_region_scratch *scratch, const struct sst_region *region,
                        const struct sst_region_cells *cells, struct sst_region_day *out)
{
    struct sums sums = {0};
    size_t n_severities = 0;
    *out = (struct sst_region_day){.max_intensity = NAN};
    for (size_t i = 0; i < region->n_cells; ++i) {
        const uint32_t cell = region->cells[i];
        const double km2 = scratch->row_km2[cell / scratch->n_cols];
        switch ((enum sst_region_cell)cells->kind[cell]) {
        case SST_REGION_NO_SEA:
            break;
        case SST_REGION_BESIDE:
            out->beside_km2 += km2;
            break;
        case SST_REGION_UNKNOWN:
            out->unknown_km2 += km2;
            break;
        case SST_REGION_KNOWN:
            add_known(cells, cell, km2, &sums, out);
            if (!isnan(cells->severity[cell]))
                scratch->severities[n_severities++] = (struct weighted){cells->severity[cell], km2};
            break;
        }
    }
    out->mean_anomaly = sums.anomaly_km2 > 0 ? sums.anomaly / sums.anomaly_km2 : NAN;
    out->mean_intensity = sums.intensity_km2 > 0 ? sums.intensity / sums.intensity_km2 : NAN;
    out->p90_severity = percentile_90(scratch->severities, n_severities);
}
