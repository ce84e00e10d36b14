/* Confidence intervals for shares of dependent observations: the cell is the cluster. */
#ifndef SST_VALIDATE_INTERVAL_H
#define SST_VALIDATE_INTERVAL_H

#include <stddef.h>

/* One cluster's contribution to a weighted share. */
struct sst_cluster {
    double weight; /* of each of its observations */
    double n; /* observations */
    double n_hit; /* of those, the ones that count */
};

struct sst_share {
    double value, low, high; /* 0..1; NaN where there is no observation, low and high NaN for one cluster */
    size_t n_clusters; /* with at least one observation */
};

/*
 * Share of hits with its interval at `confidence` (0.95), clusters sampled at random.
 *
 * Linearised ratio variance between clusters, turned into an effective sample size (observations over design effect,
 * less for few clusters by Student's t; at most the number of observations, and the number of clusters where no variance
 * is seen), then the exact binomial (Clopper-Pearson) interval at that size.
 * Clusters of no weight or without observations do not count.
 *
 * Source   Korn and Graubard 1998, Survey Methodology 24(2), 193-201.
 */
struct sst_share sst_share_of_clusters(const struct sst_cluster *clusters, size_t n_clusters, double confidence);

#endif
