/*
 * The K greatest values of each bin of a cell, and what they prove about an order statistic of the whole pool.
 *
 * A list is in descending order, CELL_TAIL_NONE where fewer than K values came. Low percentiles use the same code on
 * negated values, so "deep" means far from the end of the distribution that is kept:
 *
 *   kept of all bins, sorted:   43 41 40 | 38 37 | 35 ...      shallow = depth - 1, deep = depth (from 0)
 *                                          ▲deep               a percentile mixes the two
 *
 * What a bin has dropped is at most its smallest kept value. The greatest of these over the bins is the cut: above it,
 * nothing is lost. So the kept list is the pool itself down to the cut, and an order statistic found at or above the cut
 * is that of the whole pool: certified. Below it, dropped values may lie anywhere from the bottom of the scale to their
 * bin's smallest kept value. With all of them at the bottom the deep value found is the true one, with all at the top
 * that of cell_tail_most(); each is attained, so no better bounds follow from the lists.
 */
#ifndef SST_KERNELS_CELL_TAIL_H
#define SST_KERNELS_CELL_TAIL_H

#include "cell_quantile.h"
#include "portable.h"

/* Below every value; also the cut where no bin has dropped anything. */
#define CELL_TAIL_NONE INT16_MIN

/* One step of an insertion: the greater value stays, the other is carried on. No branch, so loops of it vectorise. */
SST_FN void cell_tail_exchange(int16_t *kept, int16_t *carried)
{
    const int16_t old = *kept, carry = *carried;
    *kept = old > carry ? old : carry;
    *carried = old > carry ? carry : old;
}

/* The code as the lists of the low end keep it. */
SST_FN int16_t cell_tail_negated(int16_t code) { return (int16_t)(code == CELL_TAIL_NONE ? CELL_TAIL_NONE : -code); }

/* Whether a share p is reckoned from the low end. */
SST_FN int cell_tail_is_low(double p) { return p < 0.5; }

/* What a percentile asks of the list of its end. */
struct cell_tail_rank {
    int32_t depth; /* of the deep value; the shallow one is at depth - 1 */
    double g; /* weight of the higher of the two, as in struct cell_rank */
    int is_low;
};

/* From its rank among n values, counted from the least. */
SST_FN struct cell_tail_rank cell_tail_rank_from(struct cell_rank rank, int32_t n, int is_low)
{
    struct cell_tail_rank tail;
    tail.is_low = is_low;
    tail.g = rank.g;
    tail.depth = is_low ? rank.k + (rank.g > 0.0) : n - 1 - rank.k;
    return tail;
}

SST_FN struct cell_tail_rank cell_tail_rank_of(int32_t n, double p, int type)
{
    return cell_tail_rank_from(cell_rank_of(n, p, type), n, cell_tail_is_low(p));
}

/* The two order statistics to mix, in ascending order and with the sign of the values. */
struct cell_tail_pair {
    int32_t a, b;
};

SST_FN struct cell_tail_pair cell_tail_pair_of(struct cell_tail_rank rank, int16_t deep, int16_t shallow)
{
    struct cell_tail_pair pair = {deep, shallow};
    if (rank.is_low) {
        pair.a = rank.g > 0.0 ? -shallow : -deep;
        pair.b = -deep;
    }
    return pair;
}

/* The cut, after one more bin of n values, of which k are kept, `smallest` the last of them. */
SST_FN int16_t cell_tail_cut(int16_t cut, int32_t n, int32_t k, int16_t smallest)
{
    return n > k && smallest > cut ? smallest : cut;
}

/* Whether enough is kept to find the deep value at all; if not, the lists bound it from one side only. */
SST_FN int cell_tail_reaches(int32_t depth, int32_t n_kept) { return depth < n_kept; }

/*
 * Whether the deep and shallow values found among the kept are those of the whole pool. Nothing dropped is above the cut,
 * so as many values of the pool as of the kept are above `deep`, and at least as many are equal to it or above.
 */
SST_FN int cell_tail_is_certified(int32_t depth, int32_t n_kept, int16_t deep, int16_t cut)
{
    return cell_tail_reaches(depth, n_kept) && deep >= cut;
}

/* The lists of one end of one cell. Value r of bin b is kept[(first[b] + r) * stride]. */
struct cell_tail_lists {
    const int16_t *kept;
    size_t stride;
    const size_t *first; /* n_bins + 1: where the list of each bin begins, and the end */
    const int32_t *n; /* n_bins: values that the bin holds, kept or not */
    size_t n_bins;
};

/* Values of a bin that are at least a bound which n_above of the k kept ones reach, if dropped ones equal the smallest kept. */
SST_FN int32_t cell_tail_weight(int32_t n_above, int32_t k, int32_t n) { return n_above == k ? n : n_above; }

/* How many values are at least `bound`, if each dropped one equals its bin's smallest kept value. */
SST_FN int32_t cell_tail_count(struct cell_tail_lists lists, int32_t bound)
{
    int32_t count = 0;
    for (size_t bin = 0; bin < lists.n_bins; ++bin) {
        const int32_t k = (int32_t)(lists.first[bin + 1] - lists.first[bin]);
        const int16_t *list = lists.kept + lists.first[bin] * lists.stride;
        int32_t n_above = 0;
        while (n_above < k && n_above < lists.n[bin] && list[(size_t)n_above * lists.stride] >= bound)
            ++n_above;
        count += cell_tail_weight(n_above, k, lists.n[bin]);
    }
    return count;
}

/* The greatest value that the order statistic at a depth can have; depth is less than the number of values. */
SST_FN int16_t cell_tail_most(struct cell_tail_lists lists, int32_t depth)
{
    int32_t low = CELL_TAIL_NONE, high = INT16_MAX + 1; /* count(low) > depth >= count(high) */
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (cell_tail_count(lists, middle) > depth)
            low = middle;
        else
            high = middle;
    }
    return (int16_t)low;
}

#endif
