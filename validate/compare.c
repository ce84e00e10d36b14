/* The error table: histograms of absolute errors, sums for bias and RMSE, and one cluster of cell-days per probe. */
#include "validate/compare.h"

#include <math.h>
#include <stdbool.h>

#include "core/flags.h"
#include "core/mem.h"

/* Errors of 5 degC and more share the last bin; their quantiles are the largest error. */
enum { N_BINS = 50000, OVERFLOW_BIN = N_BINS };

#define CONFIDENCE 0.95

/* Sums of weights by the size of the error; whole numbers where each cell-day counts once. One cache line holds them all. */
struct bin {
    double weight[SST_N_ERROR_CLASSES][SST_N_ERROR_WEIGHTS];
};

/* Cell-days of one probe, and those beyond the tolerance. */
struct probe {
    uint32_t n[SST_N_ERROR_CLASSES], n_beyond[SST_N_ERROR_CLASSES];
};

struct sums {
    double weight, weighted_error, weighted_square;
};

struct sst_comparison {
    size_t n_probes;
    double tolerance; /* [degC] */
    double *area; /* [1] n_probes */
    struct probe *probes; /* n_probes */
    struct sst_cluster *clusters; /* scratch: n_probes */
    struct bin *histogram; /* N_BINS + 1 */
    struct sums sums[SST_N_ERROR_CLASSES][SST_N_ERROR_WEIGHTS];
    size_t n_cell_days[SST_N_ERROR_CLASSES];
    double max[SST_N_ERROR_CLASSES]; /* [degC] */
};

enum sst_status sst_comparison_create(size_t n_probes, const double *weights, double tolerance,
                                      struct sst_comparison **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_comparison *comparison = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *comparison, "the error table", &comparison, err));
    comparison->n_probes = n_probes;
    comparison->tolerance = tolerance;
    SST_TRY_GOTO(sst_alloc(n_probes, sizeof *comparison->area, "the probes' weights", &comparison->area, err));
    SST_TRY_GOTO(sst_alloc(n_probes, sizeof *comparison->probes, "the probes' error counts", &comparison->probes, err));
    SST_TRY_GOTO(
        sst_alloc(n_probes, sizeof *comparison->clusters, "the probes' error counts", &comparison->clusters, err));
    SST_TRY_GOTO(
        sst_alloc(N_BINS + 1, sizeof *comparison->histogram, "the error histogram", &comparison->histogram, err));
    for (size_t probe = 0; probe < n_probes; ++probe)
        comparison->area[probe] = weights[probe];
    *out = comparison;
    comparison = NULL;
done:
    sst_comparison_destroy(&comparison);
    return rc;
}

void sst_comparison_destroy(struct sst_comparison **comparison)
{
    if (!*comparison)
        return;
    sst_free((*comparison)->area);
    sst_free((*comparison)->probes);
    sst_free((*comparison)->clusters);
    sst_free((*comparison)->histogram);
    sst_free(*comparison);
    *comparison = NULL;
}

uint64_t sst_comparison_bytes(size_t n_probes)
{
    return (uint64_t)n_probes * (sizeof(double) + sizeof(struct probe) + sizeof(struct sst_cluster)) +
           (N_BINS + 1) * sizeof(struct bin);
}

static struct bin *bin_of(const struct sst_comparison *comparison, double absolute_error)
{
    const double bin = absolute_error / SST_ERROR_BIN_DEGC;
    return &comparison->histogram[bin < OVERFLOW_BIN ? (size_t)bin : OVERFLOW_BIN];
}

static void add_error(struct sst_comparison *comparison, size_t probe, double error, bool is_ice_free)
{
    const double size = fabs(error);
    const double weights[] = {[SST_WEIGHT_AREA] = comparison->area[probe], [SST_WEIGHT_COUNT] = 1.0};
    struct bin *bin = bin_of(comparison, size);
    /* What is free of ice is in both classes, the rest in the last. */
    for (int which = is_ice_free ? SST_ERRORS_ICE_FREE : SST_ERRORS_ALL; which < SST_N_ERROR_CLASSES; ++which) {
        comparison->probes[probe].n[which] += 1;
        comparison->probes[probe].n_beyond[which] += size > comparison->tolerance;
        ++comparison->n_cell_days[which];
        if (size > comparison->max[which])
            comparison->max[which] = size;
        for (int weight = 0; weight < SST_N_ERROR_WEIGHTS; ++weight) {
            struct sums *sums = &comparison->sums[which][weight];
            bin->weight[which][weight] += weights[weight];
            sums->weight += weights[weight];
            sums->weighted_error += weights[weight] * error;
            sums->weighted_square += weights[weight] * error * error;
        }
    }
}

void sst_comparison_add(struct sst_comparison *comparison, const double *approx, const double *exact,
                        const uint16_t *flags, uint8_t *beyond)
{
    for (size_t probe = 0; probe < comparison->n_probes; ++probe) {
        /* Both as they are written, in float32: their difference is what a reader of the file would find. */
        const double error = (double)(float)approx[probe] - (double)(float)exact[probe];
        if (beyond)
            beyond[probe] = fabs(error) > comparison->tolerance;
        if (!isnan(error))
            add_error(comparison, probe, error, !(flags[probe] & SST_FLAG_ICE_OR_NO_VARIANCE));
    }
}

/* Upper edge of the first bin at which the share of errors seen reaches `share`, but no more than the largest error. */
static double quantile(const struct sst_comparison *comparison, enum sst_error_class which,
                       enum sst_error_weight weight, double share)
{
    const double max = comparison->max[which];
    double total = 0;
    for (size_t bin = 0; bin <= OVERFLOW_BIN; ++bin)
        total += comparison->histogram[bin].weight[which][weight];
    if (!(total > 0))
        return NAN;
    double seen = 0;
    for (size_t bin = 0; bin < OVERFLOW_BIN; ++bin) {
        seen += comparison->histogram[bin].weight[which][weight];
        if (seen >= share * total)
            return fmin((double)(bin + 1) * SST_ERROR_BIN_DEGC, max);
    }
    return max;
}

/* Every probe as a cluster of cell-days; returns how many have any. */
static size_t fill_clusters(const struct sst_comparison *comparison, enum sst_error_class which,
                            enum sst_error_weight weight)
{
    size_t n = 0;
    for (size_t i = 0; i < comparison->n_probes; ++i) {
        const struct probe *probe = &comparison->probes[i];
        comparison->clusters[i] = (struct sst_cluster){
            .weight = weight == SST_WEIGHT_AREA ? comparison->area[i] : 1.0,
            .n = probe->n[which],
            .n_hit = probe->n_beyond[which],
        };
        n += probe->n[which] > 0;
    }
    return n;
}

struct sst_error_row sst_comparison_row(const struct sst_comparison *comparison, enum sst_error_class which,
                                        enum sst_error_weight weight)
{
    const struct sums *sums = &comparison->sums[which][weight];
    const size_t n_cells = fill_clusters(comparison, which, weight);
    return (struct sst_error_row){
        .n_cells = n_cells,
        .n_cell_days = comparison->n_cell_days[which],
        .bias = sums->weight > 0 ? sums->weighted_error / sums->weight : NAN,
        .rmse = sums->weight > 0 ? sqrt(sums->weighted_square / sums->weight) : NAN,
        .median = quantile(comparison, which, weight, 0.50),
        .p95 = quantile(comparison, which, weight, 0.95),
        .p99 = quantile(comparison, which, weight, 0.99),
        .max = comparison->n_cell_days[which] == 0 ? NAN : comparison->max[which],
        .beyond = sst_share_of_clusters(comparison->clusters, comparison->n_probes, CONFIDENCE),
    };
}
