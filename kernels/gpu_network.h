/*
 * Networks of comparators on lists in registers: made by the compiler, so that every index is a constant. Lists descend.
 *
 *   sort    Batcher's odd-even merge sort, of any length
 *   tidy    a list that falls and then rises, put in order: Batcher's bitonic merge, of any length (Lang)
 *   join    the greatest of two lists, as one
 *
 * Source   Batcher 1968, AFIPS Spring Joint Computer Conference, 307-314; H. W. Lang, bitonic sort for any n.
 */
#ifndef SST_KERNELS_GPU_NETWORK_H
#define SST_KERNELS_GPU_NETWORK_H

#include "gpu_pair.h"
#include "gpu_rt.h"

/* Comparators in their order: the greater goes to `to`, which is the lower index. */
template <int MOST> struct network {
    int n = 0, to[MOST] = {}, from[MOST] = {};
    constexpr void put(int greater, int lesser)
    {
        to[n] = greater;
        from[n++] = lesser;
    }
};

constexpr int network_power_below(int n)
{
    int power = 1;
    while (2 * power < n)
        power *= 2;
    return power;
}

/* 178 comparators for 30, 281 for 40. */
template <int N> constexpr network<N * 8> network_sort()
{
    network<N * 8> made;
    for (int p = 1; p < N; p *= 2)
        for (int k = p; k >= 1; k /= 2)
            for (int j = k % p; j + k < N; j += 2 * k)
                for (int i = 0; i < k && i + j + k < N; ++i)
                    if ((i + j) / (2 * p) == (i + j + k) / (2 * p))
                        made.put(i + j, i + j + k);
    return made;
}

/* Seen from the end a list ascends: there the least comes first, and a list that is not a power of 2 has its rest behind. */
template <int MOST> constexpr void network_tidy_part(network<MOST> &made, int last, int n)
{
    if (n < 2)
        return;
    const int half = network_power_below(n);
    for (int i = 0; i < n - half; ++i)
        made.put(last - i - half, last - i);
    network_tidy_part(made, last, half);
    network_tidy_part(made, last - half, n - half);
}

/* 83 comparators for 34, 115 for 45. */
template <int N> constexpr network<N * 8> network_tidy()
{
    network<N * 8> made;
    network_tidy_part(made, N - 1, N);
    return made;
}

/* As constants, which device code may read. */
template <int N> struct network_half {
    static constexpr int n = network_power_below(N);
};

template <int N> struct network_sorts {
    static constexpr network<N * 8> list = network_sort<N>();
};

template <int N> struct network_tidies {
    static constexpr network<N * 8> list = network_tidy<N>();
};

template <class NETWORK, int FIRST, int N> GPU_FN void network_run_part(uint32_t *items, struct pair_factors factors)
{
    if constexpr (N == 1) {
        constexpr int to = NETWORK::list.to[FIRST], from = NETWORK::list.from[FIRST];
        pair_exchange<FIRST>(items[to], items[from], factors);
    } else if constexpr (N > 1) {
        network_run_part<NETWORK, FIRST, N / 2>(items, factors);
        network_run_part<NETWORK, FIRST + N / 2, N - N / 2>(items, factors);
    }
}

template <int N> GPU_FN void network_sort_pairs(uint32_t (&items)[N], struct pair_factors factors)
{
    network_run_part<network_sorts<N>, 0, network_sorts<N>::list.n>(items, factors);
}

template <int N> GPU_FN void network_tidy_pairs(uint32_t (&items)[N], struct pair_factors factors)
{
    network_run_part<network_tidies<N>, 0, network_tidies<N>::list.n>(items, factors);
}

/* The N greatest of a list of N and one of M: they fall and then rise. */
template <int N, int M> GPU_FN void network_fold_pairs(uint32_t (&items)[N], const uint32_t (&others)[M])
{
    GPU_UNROLL
    for (int i = N > M ? N - M : 0; i < N; ++i)
        items[i] = pair_max(items[i], others[N - 1 - i]);
}

/* The same in order. */
template <int N, int M>
GPU_FN void network_join_pairs(uint32_t (&items)[N], const uint32_t (&others)[M], struct pair_factors factors)
{
    network_fold_pairs(items, others);
    network_tidy_pairs(items, factors);
}

/* Two neighbours of a list; by value, since what pointers point to costs memory on a device. */
struct network_two {
    uint32_t deep, shallow; /* the latter stands before the former */
};

/* The two least of a list that falls and then rises: the lesser halves of what the bitonic merge would go on with. */
template <int N> GPU_FN struct network_two network_least_pairs(const uint32_t (&items)[N])
{
    constexpr int HALF = network_half<N>::n;
    uint32_t left[HALF];
    GPU_UNROLL
    for (int i = 0; i < HALF; ++i)
        left[i] = i < N - HALF ? pair_min(items[N - 1 - i], items[N - 1 - i - HALF < 0 ? 0 : N - 1 - i - HALF])
                               : items[N - 1 - i];
    GPU_UNROLL
    for (int level = 2; level < HALF; level *= 2) { /* level: how many there are beside the two that are left */
        GPU_UNROLL
        for (int i = 0; i < HALF / 2; ++i)
            if (i < HALF / level)
                left[i] = pair_min(left[i], left[i + HALF / level]);
    }
    const struct network_two two = {pair_min(left[0], left[1]), pair_max(left[0], left[1])};
    return two;
}

#endif
