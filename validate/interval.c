/* Exact binomial intervals at an effective sample size; the only user of GSL's distributions here. */
#include "validate/interval.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* GSL's incomplete beta function no longer converges for sizes of ten million; the interval is narrow long before. */
#define MAX_EFFECTIVE_SIZE 1e6

/* A variance below this share of the binomial one is rounding: all clusters have the same share. */
#define NO_VARIANCE 1e-12

struct share_sums {
    size_t n_clusters;
    double n, weighted_n, weighted_hits;
};

static struct share_sums sum_clusters(const struct sst_cluster *clusters, size_t n_clusters)
{
    struct share_sums sums = {0};
    for (size_t i = 0; i < n_clusters; ++i) {
        if (!(clusters[i].n > 0 && clusters[i].weight > 0))
            continue;
        ++sums.n_clusters;
        sums.n += clusters[i].n;
        sums.weighted_n += clusters[i].weight * clusters[i].n;
        sums.weighted_hits += clusters[i].weight * clusters[i].n_hit;
    }
    return sums;
}

/* Variance of the ratio by Taylor linearisation, clusters as sampling units (with replacement). */
static double ratio_variance(const struct sst_cluster *clusters, size_t n_clusters, const struct share_sums *sums,
                             double share)
{
    double squares = 0;
    for (size_t i = 0; i < n_clusters; ++i) {
        if (!(clusters[i].n > 0 && clusters[i].weight > 0))
            continue;
        const double residual = clusters[i].weight * (clusters[i].n_hit - share * clusters[i].n) / sums->weighted_n;
        squares += residual * residual;
    }
    const double n = (double)sums->n_clusters;
    return squares * n / (n - 1.0);
}

/*
 * Observations divided by the design effect, then by how much wider Student's t is for this few clusters (Korn and
 * Graubard 1998, section 3). The binomial variance has n - 1, so clusters of one observation each give n itself.
 */
static double effective_size(const struct share_sums *sums, double share, double variance, double upper_tail)
{
    const double n = sums->n, binomial = share * (1.0 - share) / (n - 1.0);
    if (!(variance > NO_VARIANCE * binomial))
        return fmin((double)sums->n_clusters, MAX_EFFECTIVE_SIZE);
    const double t =
        gsl_cdf_tdist_Qinv(upper_tail, n - 1.0) / gsl_cdf_tdist_Qinv(upper_tail, (double)sums->n_clusters - 1.0);
    return fmin(fmin(n * binomial / variance * t * t, n), MAX_EFFECTIVE_SIZE);
}

/* The x at which the beta distribution function is `probability`; halving cannot fail, GSL's own inverse ends the program. */
static double beta_quantile(double probability, double a, double b)
{
    double low = 0, high = 1;
    for (;;) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return middle;
        if (gsl_cdf_beta_P(middle, a, b) < probability)
            low = middle;
        else
            high = middle;
    }
}

struct sst_share sst_share_of_clusters(const struct sst_cluster *clusters, size_t n_clusters, double confidence)
{
    const struct share_sums sums = sum_clusters(clusters, n_clusters);
    struct sst_share result = {NAN, NAN, NAN, sums.n_clusters};
    if (sums.n_clusters == 0)
        return result;
    result.value = sums.weighted_hits / sums.weighted_n;
    if (sums.n_clusters == 1)
        return result;
    const double tail = (1.0 - confidence) / 2;
    const double variance = ratio_variance(clusters, n_clusters, &sums, result.value);
    const double size = effective_size(&sums, result.value, variance, tail);
    const double hits = result.value * size;
    result.low = sums.weighted_hits > 0 ? beta_quantile(tail, hits, size - hits + 1) : 0.0;
    result.high = result.value < 1 ? beta_quantile(1 - tail, hits + 1, size - hits) : 1.0;
    return result;
}
