/* Sums over the cells of a region. */
#include "monitor/region_day.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

enum { N_KEYS = 1 << 16 };

struct weighted {
    float value;
    double weight;
};

struct sst_region_scratch {
    size_t n_cols;
    double *row_km2;
    struct weighted *severities; /* as many as the largest region has cells */
    double *by_key; /* N_KEYS */
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
    SST_TRY_GOTO(sst_alloc(N_KEYS, sizeof *scratch->by_key, "the severities of a region", &scratch->by_key, err));
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
    sst_free(old->by_key);
    sst_free(old);
    *scratch = NULL;
}

static int compare_weighted(const void *a, const void *b)
{
    const float x = ((const struct weighted *)a)->value, y = ((const struct weighted *)b)->value;
    return (x > y) - (x < y);
}

/* A number of 16 bits that grows with the value: sign, exponent and the highest seven bits of the fraction. */
static unsigned key_of(float value)
{
    const float zero_has_one_sign = value + 0.0F;
    uint32_t bits = 0;
    memcpy(&bits, &zero_has_one_sign, sizeof bits);
    return (bits & UINT32_C(0x80000000) ? ~bits : bits | UINT32_C(0x80000000)) >> 16;
}

/* The items of one key, moved to the front. */
static size_t gather_key(struct weighted *items, size_t n, unsigned key)
{
    size_t n_of_key = 0;
    for (size_t i = 0; i < n; ++i)
        if (key_of(items[i].value) == key) {
            const struct weighted item = items[i];
            items[i] = items[n_of_key];
            items[n_of_key++] = item;
        }
    return n_of_key;
}

/* The least value that no more than a tenth of the weight exceeds. Weights by key tell which few items have to be sorted. */
static double percentile_90(struct weighted *items, size_t n, double *by_key)
{
    double above = 0, all = 0;
    unsigned least = N_KEYS - 1, key = N_KEYS - 1;
    if (n == 0)
        return NAN;
    memset(by_key, 0, N_KEYS * sizeof *by_key);
    for (size_t i = 0; i < n; ++i) {
        const unsigned of_item = key_of(items[i].value);
        by_key[of_item] += items[i].weight;
        all += items[i].weight;
        least = of_item < least ? of_item : least;
    }
    while (key > least && above + by_key[key] <= 0.1 * all)
        above += by_key[key--];
    const size_t n_of_key = gather_key(items, n, key); /* at least one: a key without weight is passed over */
    qsort(items, n_of_key, sizeof *items, compare_weighted);
    size_t at = n_of_key - 1;
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
    out->p90_severity = percentile_90(scratch->severities, n_severities, scratch->by_key);
}
