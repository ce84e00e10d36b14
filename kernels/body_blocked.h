/*
 * Percentiles of any pools: a block takes 32 cells of up to 10 pools, whose members lie in fast memory once, and each of its
 * threads finds the order statistics of one pool in one cell by counting.
 *
 *   pools of a block     0:  a b c d e f          rows   a b c d e f g h      pool p: rows start[p] .. + n - 1
 *                        1:      c d e f g
 *                        2:        d e f g h
 *
 * A pool joins the block where it goes on as the rows do, from where its first member stands, and where there is room; the
 * block begins anew with the first one that does not. Pools that do not fit at all are read where they lie.
 *
 *   fast memory   [ head | planes of rows: n_rows_most | values: n_rows_most x 32 codes ]
 */
#ifndef SST_KERNELS_BODY_BLOCKED_H
#define SST_KERNELS_BODY_BLOCKED_H

#include "body_exact.h"
#include "body_keep.h"
#include "gpu_arch.h"
#include "gpu_pair.h"
#include "gpu_rt.h"

enum {
    BLOCKED_CELLS = 32, /* 64 bytes of a plane: two sectors */
    BLOCKED_POOLS = k_blocked_threads / BLOCKED_CELLS,
    BLOCKED_HALVING = 8 /* of so many passes one halves the bracket */
};

struct alignas(16) body_blocked_head {
    uint32_t found[BLOCKED_POOLS]; /* row where a pool's first member stands already, UINT32_MAX where it does not */
    uint32_t start[BLOCKED_POOLS]; /* row of a pool's first member */
    uint32_t differs[BLOCKED_POOLS]; /* whether members of a pool stand in another order than the rows */
};

struct body_blocked_args {
    struct gpu_exact exact;
    struct cell_exact_lattice lattice;
    uint32_t n_rows_most;
};

/* A block's part of fast memory. */
struct body_blocked_fast {
    struct body_blocked_head *head;
    uint32_t *planes;
    int16_t *values;
};

SST_FN size_t body_blocked_bytes(uint32_t n_rows)
{
    return sizeof(struct body_blocked_head) + (size_t)n_rows * (sizeof(uint32_t) + BLOCKED_CELLS * sizeof(int16_t));
}

SST_FN struct body_blocked_fast body_blocked_fast_of(unsigned char *fast, uint32_t n_rows_most)
{
    struct body_blocked_fast parts;
    parts.head = reinterpret_cast<struct body_blocked_head *>(fast);
    parts.planes = reinterpret_cast<uint32_t *>(fast + sizeof(struct body_blocked_head));
    parts.values = reinterpret_cast<int16_t *>(parts.planes + n_rows_most); /* n_rows_most is a multiple of 4 */
    return parts;
}

/* --- which pools, by all threads of the block ---------------------------------------------------------------------- */

/* The block's first pool makes the first rows. */
SST_FN void body_blocked_open(struct body_blocked_fast fast, const struct gpu_exact &exact, struct gpu_pool pool,
                              uint32_t thread)
{
    for (uint32_t i = thread; i < pool.n; i += k_blocked_threads)
        fast.planes[i] = exact.members[pool.first + i];
    if (thread < BLOCKED_POOLS) {
        fast.head->found[thread] = UINT32_MAX;
        fast.head->start[thread] = 0;
        fast.head->differs[thread] = 0;
    }
}

/* Looks for a pool's first member among the rows. A plane that stands there twice may give either. */
SST_FN void body_blocked_find(struct body_blocked_fast fast, const struct gpu_exact &exact, struct gpu_pool pool,
                              uint32_t index, uint32_t n_rows, uint32_t thread)
{
    const uint32_t first = pool.n > 0 ? exact.members[pool.first] : (uint32_t)GPU_NO_BLOCK;
    for (uint32_t i = thread; i < n_rows; i += k_blocked_threads)
        if (fast.planes[i] == first)
            fast.head->found[index] = i;
}

/* Compares a pool with the rows that it shares, and puts the rest behind them. */
SST_FN void body_blocked_append(struct body_blocked_fast fast, const struct gpu_exact &exact, struct gpu_pool pool,
                                uint32_t index, uint32_t start, uint32_t n_rows, uint32_t thread)
{
    if (thread == 0)
        fast.head->start[index] = start;
    for (uint32_t i = thread; i < pool.n; i += k_blocked_threads) {
        const uint32_t plane = exact.members[pool.first + i];
        if (start + i >= n_rows)
            fast.planes[start + i] = plane;
        else if (fast.planes[start + i] != plane)
            fast.head->differs[index] = 1;
    }
}

SST_FN void body_blocked_load(struct body_blocked_fast fast, const struct gpu_exact &exact, uint32_t n_rows,
                              uint32_t tile, uint32_t thread)
{
    enum { PARTS = BLOCKED_CELLS / GPU_BLOCK_CELLS, STEP = k_blocked_threads };
    struct body_keep_block *to = reinterpret_cast<struct body_keep_block *>(fast.values);
    for (uint32_t i = thread; i < n_rows * PARTS; i += STEP) {
        const int16_t *row = exact.planes + (size_t)fast.planes[i / PARTS] * exact.places.pitch;
        to[i] = reinterpret_cast<const struct body_keep_block *>(row)[tile * PARTS + i % PARTS];
    }
}

/* --- one pool in one cell ------------------------------------------------------------------------------------------ */

struct body_blocked_rows {
    const int16_t *first;
    GPU_MEMBER int32_t operator()(uint32_t i) const { return first[i * BLOCKED_CELLS]; }
};

struct body_blocked_planes {
    const int16_t *cell;
    const uint32_t *members;
    size_t pitch;
    GPU_MEMBER int32_t operator()(uint32_t i) const { return cell[(size_t)members[i] * pitch]; }
};

struct body_blocked_extent {
    int32_t n, sum, least, most;
};

template <class VALUES> GPU_FN struct body_blocked_extent body_blocked_scan(VALUES values, uint32_t n_values)
{
    struct body_blocked_extent extent = {0, 0, INT16_MAX, GPU_MISSING};
    GPU_UNROLL_BY_10
    for (uint32_t i = 0; i < n_values; ++i) {
        const int32_t x = values(i), is_valid = x != GPU_MISSING, candidate = is_valid ? x : INT16_MAX;
        extent.n += is_valid;
        extent.sum += is_valid ? x : 0;
        extent.least = candidate < extent.least ? candidate : extent.least;
        extent.most = x > extent.most ? x : extent.most;
    }
    return extent;
}

template <class VALUES> GPU_FN int32_t body_blocked_above(VALUES values, uint32_t n_values, int32_t bound)
{
    uint32_t n = 0;
    GPU_UNROLL_BY_10
    for (uint32_t i = 0; i < n_values; ++i)
        n += (uint32_t)(bound - values(i)) >> 31; /* the sign */
    return (int32_t)n;
}

/* The greatest value up to the bound and the least above it. */
template <class VALUES>
GPU_FN void body_blocked_around(VALUES values, uint32_t n_values, int32_t bound, int32_t *below, int32_t *above)
{
    int32_t greatest = GPU_MISSING, least = INT16_MAX;
    GPU_UNROLL_BY_10
    for (uint32_t i = 0; i < n_values; ++i) {
        const int32_t x = values(i), low = x > bound ? GPU_MISSING : x, high = x > bound ? x : INT16_MAX;
        greatest = low > greatest ? low : greatest;
        least = high < least ? high : least;
    }
    *below = greatest;
    *above = least;
}

/* Where a bell-shaped pool has about `allowed` values above; any answer between least and most will do. */
GPU_FN int32_t body_blocked_guess(struct body_blocked_extent extent, int32_t allowed)
{
    const float n = (float)extent.n, mean = (float)extent.sum / n, above = ((float)allowed + 0.5F) / n;
    const float tail = above < 0.5F ? above : 1.0F - above, end = (float)(above < 0.5F ? extent.most : extent.least);
    return (int32_t)(mean + (end - mean) * (1.0F - 2.0F * tail) / (1.0F + 8.0F * tail));
}

/*
 * Order statistics k and k + 1 of extent.n > 0 values:  above(low) > allowed >= above(high).  Probes stand where a guess
 * and then a line between both ends says; an end that stays weighs half as much each time (the Illinois rule), so that both move.
 */
template <class VALUES>
GPU_FN void body_blocked_select(VALUES values, uint32_t n_values, struct body_blocked_extent extent, int32_t k,
                                int32_t *value, int32_t *next)
{
    const int32_t allowed = extent.n - k - 1;
    int32_t low = extent.least - 1, high = extent.most, n_high = 0;
    float low_weight = (float)(extent.n - allowed), high_weight = (float)allowed + 0.5F;
    int32_t last_side = 0;
    int32_t move = body_blocked_guess(extent, allowed) - low;
    for (int32_t pass = 1; high - low > 1 && n_high != allowed; ++pass) {
        move = move < 1 ? 1 : move > high - low - 1 ? high - low - 1 : move;
        const int32_t above = body_blocked_above(values, n_values, low + move);
        const int32_t side = above > allowed ? 1 : -1;
        if (side > 0) {
            low += move;
            low_weight = (float)(above - allowed);
            high_weight = last_side == side ? high_weight * 0.5F : high_weight;
        } else {
            high = low + move;
            n_high = above;
            high_weight = (float)(allowed - above) + 0.5F;
            low_weight = last_side == side ? low_weight * 0.5F : low_weight;
        }
        last_side = side;
        move = pass % BLOCKED_HALVING == 0 ? (high - low) / 2
                                           : (int32_t)((float)(high - low) * low_weight / (low_weight + high_weight));
    }
    body_blocked_around(values, n_values, high, value, next);
    if (allowed == 0 || n_high != allowed) /* the last value, or repeated */
        *next = *value;
}

template <class VALUES>
GPU_FN void body_blocked_finish(const struct body_blocked_args &args, struct gpu_pool pool, VALUES values, size_t place)
{
    const struct gpu_exact &exact = args.exact;
    const struct body_blocked_extent extent = body_blocked_scan(values, pool.n);
    struct body_exact cell;
    cell.at = (size_t)pool.result * exact.places.pitch + place;
    cell.n = extent.n;
    cell.sum = extent.sum;
    cell.min_samples = pool.min_samples;
    body_exact_put_mean(&exact.results, args.lattice, cell);
    GPU_NO_UNROLL
    for (int q = 0; q < exact.ranks.n_percentiles; ++q) {
        const struct cell_rank rank = body_exact_rank(exact.ranks, q, cell.n);
        int32_t value = 0, next = 0;
        if (body_exact_has_enough(cell))
            body_blocked_select(values, pool.n, extent, rank.k, &value, &next);
        body_exact_put_quantile(&exact.results, q, args.lattice, cell, value, next, rank.g);
    }
}

#endif
