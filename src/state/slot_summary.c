/* See the header. */
#include "state/slot_summary.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "kernels/cell_moments.h"
#include "state/slot_state_private.h"

#define HUNDREDTHS_PER_DEGREE 100.0

bool sst_summary_has(const struct sst_state_policy *policy, enum sst_summary_plane plane)
{
    switch (plane) {
    case SST_SUMMARY_HIGHEST:
        return policy->tail.top > 0;
    case SST_SUMMARY_LOWEST:
        return policy->tail.bottom > 0;
    default:
        return true;
    }
}

enum sst_status sst_slot_summary_init(const struct sst_state_policy *policy, struct sst_slot_summary *summary,
                                      struct sst_error *err)
{
    const size_t n = policy->n_cells;
    *summary = (struct sst_slot_summary){.n_cells = n};
    if (!policy->has_moments)
        return sst_fail(err, SST_ERR_STATE, "the state keeps no sums of its days. Export one that does");
    SST_TRY(sst_alloc_large(n, sizeof *summary->n_values, "numbers of values", &summary->n_values, err));
    for (int plane = 0; plane < SST_SUMMARY_N_PLANES; ++plane)
        if (sst_summary_has(policy, (enum sst_summary_plane)plane))
            SST_TRY(sst_alloc_large(n, sizeof(float), "statistics of a slot", &summary->planes[plane], err));
    return SST_OK;
}

void sst_slot_summary_clear(struct sst_slot_summary *summary)
{
    sst_free(summary->n_values);
    for (int plane = 0; plane < SST_SUMMARY_N_PLANES; ++plane)
        sst_free(summary->planes[plane]);
    *summary = (struct sst_slot_summary){0};
}

/* Which classes of a slot have days of the baseline's own years; none has others beside them. */
static void find_classes(const struct sst_slot_state *slot, bool is_own[SST_N_CLASSES])
{
    const struct sst_pool_rule *pools = &slot->policy->pools;
    memset(is_own, 0, SST_N_CLASSES * sizeof *is_own);
    for (int year = pools->first_year; year <= pools->last_year; ++year) {
        const int year_class = sst_pool_class(pools, (struct sst_day){year, slot->slot});
        if (year_class != SST_NO_CLASS)
            is_own[year_class] = true;
    }
}

static struct cell_moments moments_of(const struct sst_slot_state *slot, const bool *is_own, size_t item)
{
    struct cell_moments sum = {0, 0, 0, 0, 0};
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_bin *bin = &slot->moments[year_class];
        if (!is_own[year_class] || sst_bin_is_empty(bin))
            continue;
        sum.n += ((const uint16_t *)bin->planes[SST_MOMENTS_N])[item];
        sum.s1 += ((const int32_t *)bin->planes[SST_MOMENTS_S1])[item];
        sum.s2 += ((const int64_t *)bin->planes[SST_MOMENTS_S2])[item];
        sum.s3 += ((const int64_t *)bin->planes[SST_MOMENTS_S3])[item];
        sum.s4 += ((const int64_t *)bin->planes[SST_MOMENTS_S4])[item];
    }
    return sum;
}

/* The foremost of a list; SST_CODE_MISSING where no value is in it. */
static int foremost(const struct sst_slot_state *slot, const bool *is_own, enum sst_tail_plane plane, size_t item)
{
    int best = SST_CODE_MISSING;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_bin *bin = &slot->tail[year_class];
        if (!is_own[year_class] || sst_bin_is_empty(bin) || bin->estimator->planes[plane].count == 0)
            continue;
        const int first = ((const int16_t *)bin->planes[plane])[item];
        best = first > best ? first : best;
    }
    return best;
}

static size_t count_ice(const struct sst_slot_state *slot, const bool *is_own, size_t item)
{
    size_t n = 0;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        if (is_own[year_class] && !sst_bin_is_empty(&slot->ice[year_class]))
            n += ((const uint16_t *)slot->ice[year_class].planes[0])[item];
    return n;
}

struct summing {
    const struct sst_slot_state *slot;
    struct sst_slot_summary *summary;
    bool is_own[SST_N_CLASSES];
    size_t n_ice_days; /* of them, with ice information */
};

static float degc_of(const struct summing *summing, enum sst_tail_plane plane, size_t item)
{
    const int code = foremost(summing->slot, summing->is_own, plane, item);
    if (code == SST_CODE_MISSING)
        return NAN;
    return (float)sst_lattice_degc(sst_lattice_of(summing->slot->policy->lattice),
                                   plane == SST_TAIL_BOTTOM ? -code : code);
}

static void put_item(const struct summing *summing, size_t item, size_t cell)
{
    const struct cell_moments sums = moments_of(summing->slot, summing->is_own, item);
    float *const *planes = summing->summary->planes;
    summing->summary->n_values[cell] = (int16_t)sums.n;
    if (summing->n_ice_days > 0)
        planes[SST_SUMMARY_ICE][cell] =
            (float)((double)count_ice(summing->slot, summing->is_own, item) / (double)summing->n_ice_days);
    if (planes[SST_SUMMARY_HIGHEST])
        planes[SST_SUMMARY_HIGHEST][cell] = degc_of(summing, SST_TAIL_TOP, item);
    if (planes[SST_SUMMARY_LOWEST])
        planes[SST_SUMMARY_LOWEST][cell] = degc_of(summing, SST_TAIL_BOTTOM, item);
    if (sums.n == 0)
        return;
    const struct cell_shape shape = cell_moments_shape(sums);
    planes[SST_SUMMARY_MEAN][cell] = (float)(shape.mean / HUNDREDTHS_PER_DEGREE);
    planes[SST_SUMMARY_SD][cell] = (float)(shape.sd / HUNDREDTHS_PER_DEGREE);
    planes[SST_SUMMARY_SKEWNESS][cell] = (float)shape.skew;
    planes[SST_SUMMARY_KURTOSIS][cell] = (float)shape.kurt;
}

static void clear_planes(struct sst_slot_summary *summary)
{
    summary->n_days = 0;
    memset(summary->n_values, 0, summary->n_cells * sizeof *summary->n_values);
    for (int plane = 0; plane < SST_SUMMARY_N_PLANES; ++plane)
        for (size_t cell = 0; summary->planes[plane] && cell < summary->n_cells; ++cell)
            summary->planes[plane][cell] = NAN;
}

enum sst_status sst_slot_summary_fill(const struct sst_slot_state *slot, const struct sst_domain *domain,
                                      struct sst_slot_summary *summary, struct sst_error *err)
{
    struct summing summing = {.slot = slot, .summary = summary};
    size_t *item_of = NULL, item = 0;
    find_classes(slot, summing.is_own);
    clear_planes(summary);
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        if (!summing.is_own[slot->ledger[i].year_class])
            continue;
        ++summary->n_days;
        summing.n_ice_days += slot->ledger[i].ice_digest != 0;
    }
    SST_TRY(sst_alloc_large(slot->policy->n_cells, sizeof *item_of, "the order of cells", &item_of, err));
    for (size_t cell = 0; cell < slot->policy->n_cells; ++cell)
        item_of[cell] = slot->cells[cell / 64] >> cell % 64 & 1 ? item++ : SIZE_MAX;
    for (size_t cell = 0; cell < summary->n_cells; ++cell) {
        const size_t at = item_of[sst_domain_canonical(domain, cell)];
        if (at != SIZE_MAX)
            put_item(&summing, at, cell);
    }
    sst_free(item_of);
    return SST_OK;
}
