/* The error table: histograms of absolute errors, sums for bias and RMSE, and one cluster of cell-days per probe. */
#include "validate/compare.h"

#include <math.h>
#include <stdbool.h>

#include "core/flags.h"
#include "core/mem.h"

/* Errors of 5 degC and more share the last bin; their quantiles are the largest error. */
enum { N_BINS = 50000, OVERFLOW_BIN = N_BINS };

#define CONFIDENCE 0.95

/* What is kept for one class of cell-days under one weight. */
struct tally {
    double *histogram; /* [1] N_BINS + 1 sums of weights; whole numbers where each cell-day counts once */
    struct sst_cluster *clusters; /* n_probes */
    double weight, weighted_error, weighted_square; /* sums */
};

struct sst_comparison {
    size_t n_probes;
    double tolerance; /* [degC] */
    struct tally tallies[SST_N_ERROR_CLASSES][SST_N_ERROR_WEIGHTS];
    size_t n_cell_days[SST_N_ERROR_CLASSES];
    double max[SST_N_ERROR_CLASSES]; /* [degC] */
};

static enum sst_status init_tally(struct tally *tally, size_t n_probes, struct sst_error *err)
{
    SST_TRY(sst_alloc(N_BINS + 1, sizeof *tally->histogram, "the error histogram", &tally->histogram, err));
    return sst_alloc(n_probes, sizeof *tally->clusters, "the probes' error counts", &tally->clusters, err);
}

enum sst_status sst_comparison_create(size_t n_probes, const double *weights, double tolerance,
                                      struct sst_comparison **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_comparison *comparison = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *comparison, "the error table", &comparison, err));
    comparison->n_probes = n_probes;
    comparison->tolerance = tolerance;
    for (int which = 0; which < SST_N_ERROR_CLASSES; ++which) {
        for (int weight = 0; weight < SST_N_ERROR_WEIGHTS; ++weight) {
            struct tally *tally = &comparison->tallies[which][weight];
            SST_TRY_GOTO(init_tally(tally, n_probes, err));
            for (size_t probe = 0; probe < n_probes; ++probe)
                tally->clusters[probe].weight = weight == SST_WEIGHT_AREA ? weights[probe] : 1.0;
        }
    }
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
    for (int which = 0; which < SST_N_ERROR_CLASSES; ++which) {
        for (int weight = 0; weight < SST_N_ERROR_WEIGHTS; ++weight) {
            sst_free((*comparison)->tallies[which][weight].histogram);
            sst_free((*comparison)->tallies[which][weight].clusters);
        }
    }
    sst_free(*comparison);
    *comparison = NULL;
}

static size_t bin_of(double absolute_error)
{
    const double bin = absolute_error / SST_ERROR_BIN_DEGC;
    return bin < OVERFLOW_BIN ? (size_t)bin : OVERFLOW_BIN;
}

static void add_to_class(struct sst_comparison *comparison, enum sst_error_class which, size_t probe, double error)
{
    const double size = fabs(error);
    for (int weight = 0; weight < SST_N_ERROR_WEIGHTS; ++weight) {
        struct tally *tally = &comparison->tallies[which][weight];
        struct sst_cluster *cluster = &tally->clusters[probe];
        cluster->n += 1;
        cluster->n_hit += size > comparison->tolerance;
        tally->histogram[bin_of(size)] += cluster->weight;
        tally->weight += cluster->weight;
        tally->weighted_error += cluster->weight * error;
        tally->weighted_square += cluster->weight * error * error;
    }
    ++comparison->n_cell_days[which];
    comparison->max[which] = fmax(comparison->max[which], size);
}

void sst_comparison_add(struct sst_comparison *comparison, const double *approx, const double *exact,
                        const uint16_t *flags, uint8_t *beyond)
{
    for (size_t probe = 0; probe < comparison->n_probes; ++probe) {
        /* Both as they are written, in float32: their difference is what a reader of the file would find. */
        const double error = (double)(float)approx[probe] - (double)(float)exact[probe];
        if (beyond)
            beyond[probe] = fabs(error) > comparison->tolerance;
        if (isnan(error))
            continue;
        add_to_class(comparison, SST_ERRORS_ALL, probe, error);
        if (!(flags[probe] & SST_FLAG_ICE_OR_NO_VARIANCE))
            add_to_class(comparison, SST_ERRORS_ICE_FREE, probe, error);
    }
}

/* Upper edge of the first bin at which the share of errors seen reaches `share`, but no more than the largest error. */
static double quantile(const struct tally *tally, double share, double max)
{
    double total = 0;
    for (size_t bin = 0; bin <= OVERFLOW_BIN; ++bin)
        total += tally->histogram[bin];
    if (!(total > 0))
        return NAN;
    double seen = 0;
    for (size_t bin = 0; bin < OVERFLOW_BIN; ++bin) {
        seen += tally->histogram[bin];
        if (seen >= share * total)
            return fmin((double)(bin + 1) * SST_ERROR_BIN_DEGC, max);
    }
    return max;
}

static size_t count_cells(const struct sst_cluster *clusters, size_t n_clusters)
{
    size_t n = 0;
    for (size_t i = 0; i < n_clusters; ++i)
        n += clusters[i].n > 0;
    return n;
}

struct sst_error_row sst_comparison_row(const struct sst_comparison *comparison, enum sst_error_class which,
                                        enum sst_error_weight weight)
{
    const struct tally *tally = &comparison->tallies[which][weight];
    const double max = comparison->max[which];
    const bool is_empty = comparison->n_cell_days[which] == 0;
    return (struct sst_error_row){
        .n_cells = count_cells(tally->clusters, comparison->n_probes),
        .n_cell_days = comparison->n_cell_days[which],
        .bias = tally->weight > 0 ? tally->weighted_error / tally->weight : NAN,
        .rmse = tally->weight > 0 ? sqrt(tally->weighted_square / tally->weight) : NAN,
        .median = quantile(tally, 0.50, max),
        .p95 = quantile(tally, 0.95, max),
        .p99 = quantile(tally, 0.99, max),
        .max = is_empty ? NAN : max,
        .beyond = sst_share_of_clusters(tally->clusters, comparison->n_probes, CONFIDENCE),
    };
}
