/*
 * Where a window remembers its bins until they leave (launch_moments.hip.cpp): in fast memory, in registers, or nowhere; and
 * how bins come from memory.
 */
#ifndef SST_KERNELS_GPU_RING_H
#define SST_KERNELS_GPU_RING_H

#include "body_bins.h"
#include "gpu_arch.h"
#include "gpu_rt.h"

/* Bins that registers hold, 8 each: as many as 11 days have at the turn of the year, and gfx906 has room for. */
constexpr uint32_t REGISTER_RING = 16;

struct fast_ring {
    static constexpr bool REMEMBERS = true;
    struct gpu_moments_store items; /* of one thread */
};

struct register_ring {
    static constexpr bool REMEMBERS = true;
    struct cell_moments items[REGISTER_RING];
};

struct no_ring {
    static constexpr bool REMEMBERS = false;
};

GPU_FN void ring_put(fast_ring &ring, int32_t index, const struct cell_moments &bin)
{
    body_bin_store(ring.items, static_cast<size_t>(index) * k_window_fast_threads, bin);
}

GPU_FN struct cell_moments ring_get(const fast_ring &ring, int32_t index)
{
    return body_bin_load(ring.items, static_cast<size_t>(index) * k_window_fast_threads);
}

/*
 * Registers have no index: a case for each bin, and all threads take the same. What follows in each is no instruction, but
 * differs: else a compiler joins the cases to one access at a computed place, and the ring becomes memory.
 */
#define FIRST_CASES(CASE) CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7)
#define RING_CASES(CASE) FIRST_CASES(CASE) CASE(8) CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
#define KEEP_APART(i) asm volatile("" ::"n"(i))

GPU_FN void ring_put(register_ring &ring, int32_t index, const struct cell_moments &bin)
{
    switch (index) {
#define CASE(i)                                                                                                        \
    case i:                                                                                                            \
        ring.items[i] = bin;                                                                                           \
        KEEP_APART(i);                                                                                                 \
        break;
        RING_CASES(CASE)
#undef CASE
    }
}

GPU_FN struct cell_moments ring_get(const register_ring &ring, int32_t index)
{
    struct cell_moments bin = {};
    switch (index) {
#define CASE(i)                                                                                                        \
    case i:                                                                                                            \
        bin = ring.items[i];                                                                                           \
        KEEP_APART(i);                                                                                                 \
        break;
        RING_CASES(CASE)
#undef CASE
    }
    return bin;
}

GPU_FN void ring_put(no_ring &, int32_t, const struct cell_moments &) {}
GPU_FN struct cell_moments ring_get(const no_ring &, int32_t) { return {}; }

/* A bin; the cache is to keep what is read again when it leaves, before all else. */
GPU_FN struct cell_moments load_bin(struct gpu_moments_store store, size_t at, bool is_read_again)
{
#if defined(GPU_IS_CUDA)
    uint64_t keep, drop;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(keep));
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(drop));
    const uint64_t policy = is_read_again ? keep : drop;
    struct cell_moments m;
    uint16_t n;
    asm volatile("ld.global.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(n) : "l"(store.n + at), "l"(policy));
    asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(m.s1) : "l"(store.s1 + at), "l"(policy));
    asm volatile("ld.global.L2::cache_hint.s64 %0, [%1], %2;" : "=l"(m.s2) : "l"(store.s2 + at), "l"(policy));
    asm volatile("ld.global.L2::cache_hint.s64 %0, [%1], %2;" : "=l"(m.s3) : "l"(store.s3 + at), "l"(policy));
    asm volatile("ld.global.L2::cache_hint.s64 %0, [%1], %2;" : "=l"(m.s4) : "l"(store.s4 + at), "l"(policy));
    m.n = n;
    return m;
#else
    (void)is_read_again;
    return body_bin_load(store, at);
#endif
}

#endif
