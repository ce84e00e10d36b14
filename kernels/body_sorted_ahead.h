/*
 * Days of sliding pools on their way to a thread (body_sorted.h), which wants each of them once: planes are looked up two days
 * ahead, values are fetched one day ahead.
 *
 * Lanes of a warp of CUDA hold a plane each and fetch 16 bytes each, four planes at a time, into rows of fast memory; a row is
 * a plane's words of the warp. Were values fetched to registers, a wait for any other load would be one for them too: the
 * compiler has few counters of loads under way, and gives loads of a loop the same one.
 */
#ifndef SST_KERNELS_BODY_SORTED_AHEAD_H
#define SST_KERNELS_BODY_SORTED_AHEAD_H

#include "cell_exact.h"
#include "gpu_arch.h"
#include "gpu_pair.h"
#include "gpu_rt.h"

struct body_sorted_args {
    struct gpu_sorted sorted;
    struct cell_exact_lattice lattice;
    struct pair_factors factors;
    uint32_t n_blocks; /* of the launch: a block goes on by so many */
    uint32_t n_slow_words; /* of a thread's lists that are not in fast memory */
    uint32_t *counter, *order; /* of CUDA: units that are taken; the first pairs of blocks that have a value */
};

/* Words from an item of a thread's lists to the next. */
enum { SORTED_STRIDE = k_sorted_threads };

GPU_FN uint32_t body_sorted_word(const struct body_sorted_args &args, uint32_t plane, uint32_t pair)
{
    if (plane == GPU_NO_BLOCK)
        return PAIR_MISSING;
    const pair_word *words = reinterpret_cast<const pair_word *>(args.sorted.planes) + pair;
#if defined(GPU_IS_CUDA)
    return __ldcs(words + (size_t)plane * (args.sorted.places.pitch / 2));
#else
    return words[(size_t)plane * (args.sorted.places.pitch / 2)];
#endif
}

#if defined(GPU_IS_CUDA)
template <int MEMBERS> struct sorted_planes {
    uint32_t of_lane[(MEMBERS + SORTED_STRIDE - 1) / SORTED_STRIDE];
};

template <int MEMBERS> struct sorted_ahead {
    static constexpr uint32_t FAST_WORDS = MEMBERS; /* of a thread */
    uint32_t *rows; /* of the block: MEMBERS rows of SORTED_STRIDE words */
    uint32_t chunk; /* the first pair of the block of cells that this lane fetches */
    struct sorted_planes<MEMBERS> planes; /* of the day after the one that is fetched */
};
#else
template <int MEMBERS> struct sorted_planes {
    uint32_t of[MEMBERS];
};

template <int MEMBERS> struct sorted_ahead {
    static constexpr uint32_t FAST_WORDS = 0;
    uint32_t words[MEMBERS];
    struct sorted_planes<MEMBERS> planes;
};
#endif

/*
 * The planes of a day, well before they are fetched from: none beyond the last day. Members that a form has too many are
 * missing.
 */
template <int MEMBERS>
GPU_FN void body_sorted_look(const struct body_sorted_args &args, uint32_t day, struct sorted_planes<MEMBERS> &planes)
{
    const uint32_t n_members = day < args.sorted.n_days ? args.sorted.n_members : 0;
    const uint32_t *members = args.sorted.members + (size_t)day * args.sorted.n_members;
#if defined(GPU_IS_CUDA)
    GPU_UNROLL
    for (uint32_t i = 0; i < sizeof planes.of_lane / sizeof planes.of_lane[0]; ++i) {
        const uint32_t member = i * SORTED_STRIDE + threadIdx.x;
        planes.of_lane[i] = member < n_members ? members[member] : (uint32_t)GPU_NO_BLOCK;
    }
#else
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        planes.of[i] = (uint32_t)i < n_members ? members[i] : (uint32_t)GPU_NO_BLOCK;
#endif
}

#if defined(GPU_IS_CUDA)
/* Four planes a step: a lane fetches a quarter of a row, 4 pairs of one block of cells. */
enum { SORTED_ROWS = 4, SORTED_CHUNKS = SORTED_STRIDE / SORTED_ROWS };

/* 16 bytes on their way to fast memory. They are not read again, and should not push lists out of the L2 cache. */
GPU_FN void body_sorted_copy(uint32_t *to, const unsigned char *from)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile(
        "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
        "l"(from), "l"(policy)
        : "memory");
}

/* IS_WHOLE: all planes are there. */
template <int MEMBERS, bool IS_WHOLE>
GPU_FN void body_sorted_fetch_rows(const struct body_sorted_args &args, const struct sorted_ahead<MEMBERS> &ahead)
{
    const uint32_t lane = threadIdx.x, n_bytes = args.sorted.places.pitch * (uint32_t)sizeof(int16_t);
    const unsigned char *cells =
        reinterpret_cast<const unsigned char *>(reinterpret_cast<const pair_word *>(args.sorted.planes) + ahead.chunk);
    uint32_t *to = ahead.rows + lane * SORTED_ROWS;
    GPU_UNROLL
    for (uint32_t member = 0; member < MEMBERS; member += SORTED_ROWS) {
        const uint32_t row = member + lane / SORTED_CHUNKS;
        const uint32_t plane = __shfl_sync(0xFFFFFFFFU, ahead.planes.of_lane[member / SORTED_STRIDE], (int)row);
        if (member + SORTED_ROWS > MEMBERS && row >= MEMBERS)
            break;
        if (IS_WHOLE || plane != GPU_NO_BLOCK)
            body_sorted_copy(to + member * SORTED_STRIDE, cells + (uint64_t)plane * n_bytes);
        else
            *reinterpret_cast<uint4 *>(to + member * SORTED_STRIDE) =
                make_uint4(PAIR_MISSING, PAIR_MISSING, PAIR_MISSING, PAIR_MISSING);
    }
}

/* `pair` is the thread's own; what a lane fetches is for others too. */
template <int MEMBERS>
GPU_FN void body_sorted_fetch(const struct body_sorted_args &args, uint32_t pair,
                              const struct sorted_ahead<MEMBERS> &ahead)
{
    (void)pair;
    __syncwarp(); /* all have taken what was there */
    bool is_whole = true;
    GPU_UNROLL
    for (uint32_t i = 0; i < sizeof ahead.planes.of_lane / sizeof ahead.planes.of_lane[0]; ++i)
        is_whole &= i * SORTED_STRIDE + threadIdx.x >= MEMBERS || ahead.planes.of_lane[i] != GPU_NO_BLOCK;
    if (__all_sync(0xFFFFFFFFU, is_whole))
        body_sorted_fetch_rows<MEMBERS, true>(args, ahead);
    else
        body_sorted_fetch_rows<MEMBERS, false>(args, ahead);
}

template <int MEMBERS>
GPU_FN void body_sorted_arrive(const struct sorted_ahead<MEMBERS> &ahead, uint32_t (&day)[MEMBERS])
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        day[i] = ahead.rows[i * SORTED_STRIDE + threadIdx.x];
}
#else
template <int MEMBERS>
GPU_FN void body_sorted_fetch(const struct body_sorted_args &args, uint32_t pair, struct sorted_ahead<MEMBERS> &ahead)
{
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        ahead.words[i] = body_sorted_word(args, ahead.planes.of[i], pair);
}

template <int MEMBERS>
GPU_FN void body_sorted_arrive(const struct sorted_ahead<MEMBERS> &ahead, uint32_t (&day)[MEMBERS])
{
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        day[i] = ahead.words[i];
}
#endif

#endif
