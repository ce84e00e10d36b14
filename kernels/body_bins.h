/*
 * Bins of moments in a device's memory: five planes of `pitch` items a bin (gpu_args.h). A place's sums are in registers
 * while fields are added to them, or bins enter and leave a window.
 *
 *   ring in fast memory   [ s2 | s3 | s4 | s1 | n ]     of each: bin 0 of every thread, bin 1 of every thread, ...
 *
 * A thread touches its own items of the ring alone, which lie beside its neighbours': no barrier, no bank conflict.
 */
#ifndef SST_KERNELS_BODY_BINS_H
#define SST_KERNELS_BODY_BINS_H

#include "cell_maxent.h"
#include "cell_moments.h"
#include "gpu_args.h"

/* A result, which no kernel reads: it is to leave the cache before bins do, which are read again. */
#if defined(__CUDA_ARCH__)
#define BODY_PUT(pointer, value) __stcs(pointer, value)
#elif defined(__HIP_DEVICE_COMPILE__)
#define BODY_PUT(pointer, value) __builtin_nontemporal_store(value, pointer)
#else
#define BODY_PUT(pointer, value) ((void)(*(pointer) = (value)))
#endif

/* Percentiles are few: a loop that is laid out four times over only crowds out other instructions. */
#if defined(__CUDACC__) || defined(__HIPCC__)
#define BODY_ROLLED _Pragma("unroll 1")
#else
#define BODY_ROLLED
#endif

/* Bytes of a bin's values of one place. */
enum { BODY_BIN_BYTES = 30 };

/* Where place `place` finds its value in every field; only where its block is given. */
SST_FN size_t body_cell_of(uint32_t block, uint32_t place)
{
    return (size_t)block * GPU_BLOCK_CELLS + place % GPU_BLOCK_CELLS;
}

/*
 * Adds one value; a missing one, the only one below -32767, adds 0 everywhere. |x| <= 8191, so x^2 is within 32 bits, as in
 * body_moments_add, and so are the squares of 63 values: the caller adds `squares` to s2.
 */
SST_FN void body_bin_take(struct cell_moments *sums, uint32_t *squares, int32_t hundredths)
{
    const int32_t is_missing = (hundredths + INT16_MAX) >> 31; /* all bits or none */
    const int32_t x = hundredths & ~is_missing;
    const int32_t x2 = x * x;
    sums->n += 1 + (uint32_t)is_missing;
    sums->s1 += x;
    *squares += (uint32_t)x2;
    sums->s3 += (int64_t)x2 * x;
    sums->s4 += (int64_t)x2 * x2;
}

SST_FN struct cell_moments body_bin_load(struct gpu_moments_store store, size_t at)
{
    struct cell_moments m;
    m.n = store.n[at];
    m.s1 = store.s1[at];
    m.s2 = store.s2[at];
    m.s3 = store.s3[at];
    m.s4 = store.s4[at];
    return m;
}

SST_FN void body_bin_store(struct gpu_moments_store store, size_t at, struct cell_moments m)
{
    store.n[at] = (uint16_t)m.n;
    store.s1[at] = m.s1;
    store.s2[at] = m.s2;
    store.s3[at] = m.s3;
    store.s4[at] = m.s4;
}

/* Sums of both; they wrap, as planes do. */
SST_FN struct cell_moments body_bin_sum(struct cell_moments a, struct cell_moments b)
{
    a.n += b.n;
    a.s1 = (int32_t)((uint32_t)a.s1 + (uint32_t)b.s1);
    a.s2 = (int64_t)((uint64_t)a.s2 + (uint64_t)b.s2);
    a.s3 = (int64_t)((uint64_t)a.s3 + (uint64_t)b.s3);
    a.s4 = (int64_t)((uint64_t)a.s4 + (uint64_t)b.s4);
    return a;
}

SST_FN struct cell_moments body_bin_difference(struct cell_moments a, struct cell_moments b)
{
    a.n -= b.n;
    a.s1 = (int32_t)((uint32_t)a.s1 - (uint32_t)b.s1);
    a.s2 = (int64_t)((uint64_t)a.s2 - (uint64_t)b.s2);
    a.s3 = (int64_t)((uint64_t)a.s3 - (uint64_t)b.s3);
    a.s4 = (int64_t)((uint64_t)a.s4 - (uint64_t)b.s4);
    return a;
}

/* The ring of a block of `threads` threads in memory of n_ring * threads * BODY_BIN_BYTES bytes, seen by one of them. */
SST_FN struct gpu_moments_store body_ring_of(int64_t *memory, uint32_t n_ring, uint32_t threads, uint32_t thread)
{
    const size_t n = (size_t)n_ring * threads;
    struct gpu_moments_store ring;
    ring.s2 = memory + thread;
    ring.s3 = memory + n + thread;
    ring.s4 = memory + 2 * n + thread;
    ring.s1 = (int32_t *)(void *)(memory + 3 * n) + thread;
    ring.n = (uint16_t *)(void *)((int32_t *)(void *)(memory + 3 * n) + n) + thread;
    return ring;
}

/* Sums are of hundredths on every lattice. */
SST_FN double body_degrees(double hundredths) { return cell_divide(hundredths, 100.0, 1.0 / 100.0); }

/* Percentiles of a shape as gpu_results has them; returns whether it is guarded. One of these is the fit's kind. */
SST_FN int body_window_cf(int32_t n_percentiles, const struct cell_cf_terms *terms, const struct gpu_results *results,
                          size_t at, struct cell_shape shape)
{
    BODY_ROLLED
    for (int32_t q = 0; q < n_percentiles; ++q)
        BODY_PUT(results->quantile[q] + at, body_degrees(cell_cf_quantile_by(shape, terms[q])));
    return cell_cf_is_guarded(shape);
}

SST_FN int body_window_maxent(int32_t n_percentiles, const struct gpu_fit *fit, const struct gpu_results *results,
                              size_t at, struct cell_shape shape)
{
    const struct cell_maxent_place place = cell_maxent_place_of(shape, fit->v_limit);
    BODY_ROLLED
    for (int32_t q = 0; q < n_percentiles; ++q)
        BODY_PUT(results->quantile[q] + at, body_degrees(cell_maxent_quantile(shape, place, fit->table[q])));
    return shape.sd > 0.0 && place.is_guarded;
}

/* Too few values. NaN is stored as the constant: what arithmetic makes of one differs between devices. */
SST_FN void body_window_nothing(int32_t n_percentiles, const struct gpu_results *results, size_t at)
{
    if (results->mean)
        BODY_PUT(results->mean + at, (double)NAN);
    BODY_ROLLED
    for (int32_t q = 0; q < n_percentiles; ++q)
        BODY_PUT(results->quantile[q] + at, (double)NAN);
    if (results->mark)
        BODY_PUT(results->mark + at, 0);
    if (!results->sd)
        return;
    BODY_PUT(results->sd + at, NAN);
    BODY_PUT(results->skew + at, NAN);
    BODY_PUT(results->kurt + at, NAN);
}

/* All that is wanted of a window but its number of values and percentiles. */
SST_FN void body_window_shape(const struct gpu_results *results, size_t at, struct cell_shape shape, int is_guarded)
{
    if (results->mean)
        BODY_PUT(results->mean + at, body_degrees(shape.mean));
    if (results->mark)
        BODY_PUT(results->mark + at, (uint8_t)is_guarded);
    if (!results->sd)
        return;
    BODY_PUT(results->sd + at, (float)body_degrees(shape.sd));
    BODY_PUT(results->skew + at, (float)shape.skew);
    BODY_PUT(results->kurt + at, (float)shape.kurt);
}

#endif
