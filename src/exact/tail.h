/*
 * The tail estimator: per bin the K greatest codes (and K smallest), with n and the sum for the mean. With K = 16 it takes
 * 38 bytes a cell and bin for one end of the distribution.
 *
 * What it gives: the exact percentile of a pool wherever a certificate, checked for each cell, says so; proven bounds
 * elsewhere. What it cannot: take a value away again, or percentiles near the middle.
 */
#ifndef SST_EXACT_TAIL_H
#define SST_EXACT_TAIL_H

#include <stdbool.h>

#include "core/estimator.h"

enum { SST_TAIL_MAX_K = 64, SST_TAIL_MAX_YEARS = 66 };

/* Percentiles further inside than these would need lists nearly as long as the pool. [percent] */
#define SST_TAIL_HIGHEST_LOW 25.0
#define SST_TAIL_LOWEST_HIGH 75.0

/* Lengths of the lists; 0 where an end is not kept. */
struct sst_tail_k {
    int top, bottom;
};

/* Order of the planes; the first two are sums. */
enum sst_tail_plane { SST_TAIL_N, SST_TAIL_S1, SST_TAIL_TOP, SST_TAIL_BOTTOM, SST_TAIL_N_PLANES };

/* An estimator needs the length of its lists, so it is made, not found. It points into itself: not to be copied. */
struct sst_tail_estimator {
    struct sst_plane planes[SST_TAIL_N_PLANES];
    struct sst_estimator estimator;
};

void sst_tail_estimator_init(struct sst_tail_estimator *tail, struct sst_tail_k k);

/* n and s1 alone: what a window holds. Never NULL. */
const struct sst_estimator *sst_estimator_tail_sums(void);

/* Whether a percentile can be had from lists. [percent] */
bool sst_tail_can(double percentile);

/* Whether it comes from the low end. [percent] */
bool sst_tail_is_low(double percentile);

/*
 * Order statistics of a full pool of n values that a percentile needs, counted from its end of the distribution (330 values,
 * P90, type 7: 34).
 */
int sst_tail_depth_needed(int n, double percentile, int quantile_type);

/*
 * Length of lists that certifies at least 99.9 % of real cell-days: 5.5 m / (window + 1), at most one value a year.
 *
 * The m greatest values of a window are not spread evenly over its days: where the season moves, they crowd on the last of
 * them, the more the faster it moves. With m / window each an even spread would do; 5.5 times that covers seasons that move
 * by 0.1 standard deviations a day.
 */
int sst_tail_default_k(int n_years, int window_days, int depth_needed);

#endif
