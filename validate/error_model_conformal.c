/* Weighted order statistics by partition, as in quickselect. */
#include "validate/error_model_conformal.h"

#include <math.h>
#include <stdint.h>

/* Sums of weights such as 1/365 miss whole numbers by rounding; levels are meant to fewer digits than this. */
#define ROUNDING 1e-9

/* Folds of the repeated splits. */
enum { N_FOLDS = 3 };

static void swap(struct sst_score *a, struct sst_score *b)
{
    const struct sst_score kept = *a;
    *a = *b;
    *b = kept;
}

/*
 * Scores in [first, last) are parted into below the pivot, equal to it, and above; their bounds and the weights of the
 * first two come back.
 */
struct parts {
    size_t equal, above;
    double weight_below, weight_equal;
};

static struct parts part(struct sst_score *scores, size_t first, size_t last, double pivot)
{
    struct parts parts = {first, last, 0, 0};
    for (size_t i = first; i < parts.above;) {
        if (scores[i].score < pivot) {
            parts.weight_below += scores[i].weight;
            swap(&scores[i++], &scores[parts.equal++]);
        } else if (scores[i].score > pivot) {
            swap(&scores[i], &scores[--parts.above]);
        } else {
            parts.weight_equal += scores[i++].weight;
        }
    }
    return parts;
}

/* The smallest score whose cumulated weight reaches `wanted`; infinite where all together do not. */
static double select_score(struct sst_score *scores, size_t n, double wanted)
{
    size_t first = 0, last = n;
    uint64_t random = n; /* pivots at random places: no order of the scores is slow */
    while (first < last) {
        random = random * 6364136223846793005U + 1442695040888963407U; /* Knuth's MMIX */
        const double pivot = scores[first + (size_t)((random >> 32) % (last - first))].score;
        const struct parts parts = part(scores, first, last, pivot);
        if (parts.weight_below >= wanted) {
            last = parts.equal;
        } else if (parts.weight_below + parts.weight_equal >= wanted) {
            return pivot;
        } else {
            wanted -= parts.weight_below + parts.weight_equal;
            first = parts.above;
        }
    }
    return INFINITY;
}

double sst_conformal_quantile(struct sst_score *scores, size_t n_scores, size_t n_cells, double level)
{
    const double wanted = level * (double)(n_cells + 1) - ROUNDING;
    return wanted > (double)n_cells ? (double)INFINITY : select_score(scores, n_scores, wanted);
}

double sst_conformal_attainable(size_t n_cells) { return (double)n_cells / (double)(n_cells + 1); }

bool sst_conformal_is_available(size_t n_cells, double level)
{
    if (!(level > 0.0 && level < 1.0))
        return false;
    return (double)n_cells >= ceil(N_FOLDS * level / (1.0 - level) - ROUNDING);
}

double sst_conformal_weighted_quantile(struct sst_score *values, size_t n_values, double share)
{
    double sum = 0;
    for (size_t i = 0; i < n_values; ++i)
        sum += values[i].weight;
    if (!(sum > 0.0))
        return NAN;
    return select_score(values, n_values, share * sum * (1.0 - ROUNDING));
}
