/* Percentiles of a pool in one cell by quickselect in a copy of the thread's own: slow, plain, to compare with. */
#ifndef SST_KERNELS_BODY_NAIVE_H
#define SST_KERNELS_BODY_NAIVE_H

#include "body_exact.h"

enum { BODY_NAIVE_MOST = 512 };

/* Hoare's: afterwards value k stands at k, none before it is greater, none behind it less. */
SST_FN void body_naive_select(int16_t *values, int32_t n, int32_t k)
{
    int32_t first = 0, last = n - 1;
    while (first < last) {
        const int16_t pivot = values[first + (last - first) / 2];
        int32_t i = first, j = last;
        while (i <= j) {
            while (values[i] < pivot)
                ++i;
            while (values[j] > pivot)
                --j;
            if (i > j)
                break;
            const int16_t swapped = values[i];
            values[i++] = values[j];
            values[j--] = swapped;
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

SST_FN void body_naive_pool(const struct gpu_exact *exact, struct cell_exact_lattice lattice, struct gpu_pool pool,
                            size_t place)
{
    int16_t values[BODY_NAIVE_MOST];
    struct body_exact cell;
    cell.at = (size_t)pool.result * exact->places.pitch + place;
    cell.n = cell.sum = 0;
    cell.min_samples = pool.min_samples;
    for (uint32_t i = 0; i < pool.n; ++i) {
        const int16_t x = exact->planes[(size_t)exact->members[pool.first + i] * exact->places.pitch + place];
        if (x == GPU_MISSING)
            continue;
        values[cell.n++] = x;
        cell.sum += x;
    }
    body_exact_put_mean(&exact->results, lattice, cell);
    for (int q = 0; q < exact->ranks.n_percentiles; ++q) {
        const struct cell_rank rank = body_exact_rank(exact->ranks, q, cell.n);
        int32_t value = 0, next = INT16_MAX;
        if (cell.n > 0) {
            body_naive_select(values, cell.n, rank.k);
            value = values[rank.k];
        }
        for (int32_t i = rank.k + 1; i < cell.n; ++i)
            next = values[i] < next ? values[i] : next;
        body_exact_put_quantile(&exact->results, q, lattice, cell, value, rank.k + 1 < cell.n ? next : value, rank.g);
    }
}

#endif
