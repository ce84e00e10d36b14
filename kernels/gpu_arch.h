/*
 * Block sizes of kernels, and what each may take of an architecture, once: launchers take their bounds from here, and
 * tests/lint/check_gpu_resources.sh holds what compilers report against it.
 *
 *   X(kernel, threads, blocks, gfx906, gfx90a, sm_90, fast, "reason")
 *
 *   threads         of a block
 *   blocks          that a multiprocessor (compute unit) is to hold at a time: bounds the registers
 *   gfx906 ..       registers a thread at most (vector registers, on AMD); forms of a template share a row
 *   fast            bytes of shared memory (LDS) whose size is known to the compiler; what is given at a launch is not
 *                   reported, and stands in the launcher
 *
 *                   registers a thread                                            shared memory of a block
 *   gfx906 (DCU)    256, by waves a SIMD: 10: 24, 8: 32, 5: 48, 4: 64, 2: 128     64 KiB, which blocks of a unit share
 *   gfx90a          512, by waves a SIMD:  8: 64, 7: 72, 5: 96, 4: 128, 2: 256    64 KiB
 *   sm_90           255, by blocks of 256:  8: 32, 6: 40, 5: 48, 4: 64, 2: 128    227 KiB of 228
 *
 * Scratch (local memory) is refused in all but kernels whose name says that they are naive.
 */
#ifndef SST_KERNELS_GPU_ARCH_H
#define SST_KERNELS_GPU_ARCH_H

/* A wave; lists of one warp of NVIDIA take 27 KB of shared memory, and there is room for eight of them. What k_blocked shares is
 * most of the LDS of a unit of AMD. A window's ring there lies in registers, so that blocks of k_window_fast are few. */
#if defined(__HIP__) || defined(__HIPCC__)
#define GPU_SORTED_THREADS 64
#define GPU_BLOCKED_BLOCKS 1
#define GPU_WINDOW_FAST_BLOCKS 10
#else
#define GPU_SORTED_THREADS 32
#define GPU_BLOCKED_BLOCKS 4
#define GPU_WINDOW_FAST_BLOCKS 16
#endif

#define GPU_ARCH_TABLE(X)                                                                                              \
    X(k_moments_add, 256, 6, 40, 64, 40, 0,                                                                            \
      "ten loads on their way; eight blocks take turns at loading, and are slower")                                    \
    X(k_window_fast, 64, GPU_WINDOW_FAST_BLOCKS, 128, 128, 64, 0, "1024 threads, and the ring leaves 60 KiB of cache") \
    X(k_window_registers, 64, 4, 256, 256, 255, 0, "a wave a SIMD: 16 bins of 8 registers, and percentiles")           \
    X(k_window_reread, 128, 7, 84, 128, 72, 0, "as many threads as the registers of percentiles allow")                \
    X(k_tail_add, 256, 3, 84, 168, 80, 0,                                                                              \
      "a list of up to 32 values stays in registers; four blocks would spill on sm_90")                                \
    X(k_tail_add_long, 256, 4, 64, 64, 64, 0, "lists where they lie: waits for memory, so many waves")                 \
    X(k_tail, 64, 4, 64, 64, 64, 0, "one wave: the lists of 11 bins with 16 values take 22 KiB; no barrier")           \
    X(k_tail_in_place, 256, 4, 64, 64, 64, 0, "lists too long for fast memory: waits for memory, so many waves")       \
    X(k_keep, 256, 8, 24, 32, 32, 0,                                                                                   \
      "copies 16 bytes: as many threads as there can be, to have many copies under way")                               \
    X(k_fill_missing, 256, 8, 24, 32, 32, 0, "as k_keep")                                                              \
    X(k_blocked, 320, GPU_BLOCKED_BLOCKS, 96, 96, 48, 0,                                                               \
      "10 pools of 32 cells; 43 KB of shared memory for 330 values, so 5 would fit")                                   \
    X(k_naive, 128, 4, 128, 128, 128, 0, "a reference: its values lie in scratch")                                     \
    X(k_sorted, GPU_SORTED_THREADS, 4, 256, 256, 255, 0,                                                               \
      "lists in registers; the fewest threads, so that 27 KB of lists leave room for eight blocks")                    \
    X(k_sorted_order, 256, 8, 32, 32, 32, 0, "waits for memory, so many warps")

/* k_name_threads and k_name_blocks, for GPU_KERNEL and launches. */
enum gpu_arch_bounds {
#define X(kernel, threads, blocks, gfx906, gfx90a, sm_90, fast, reason)                                                \
    kernel##_threads = (threads), kernel##_blocks = (blocks),
    GPU_ARCH_TABLE(X)
#undef X
        GPU_N_ARCH_BOUNDS
};

#endif
