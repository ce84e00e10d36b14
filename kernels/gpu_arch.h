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
 */
#ifndef SST_KERNELS_GPU_ARCH_H
#define SST_KERNELS_GPU_ARCH_H

#define GPU_ARCH_TABLE(X)                                                                                              \
    X(k_keep, 256, 8, 24, 32, 32, 0,                                                                                   \
      "copies 16 bytes: as many threads as there can be, to have many copies under way")                               \
    X(k_fill_missing, 256, 8, 24, 32, 32, 0, "as k_keep")                                                              \
    X(k_blocked, 320, GPU_BLOCKED_BLOCKS, 96, 96, 48, 0,                                                               \
      "10 pools of 32 cells; 43 KB of shared memory for 330 values, so 5 blocks")                                      \
    X(k_naive, 128, 4, 128, 128, 128, 0, "a reference: its values lie in scratch")                                     \
    X(k_sorted, GPU_SORTED_THREADS, 4, 256, 256, 255, 0,                                                               \
      "lists in registers; the fewest threads, so that 45 KB of lists leave room")

/* A wave; lists of one warp of NVIDIA take 45 KB of shared memory, and there is room for five of them. What k_blocked shares is
 * most of the LDS of a unit of AMD. */
#if defined(__HIP__) || defined(__HIPCC__)
#define GPU_SORTED_THREADS 64
#define GPU_BLOCKED_BLOCKS 1
#else
#define GPU_SORTED_THREADS 32
#define GPU_BLOCKED_BLOCKS 4
#endif

/* k_name_threads and k_name_blocks, for GPU_KERNEL and launches. */
enum gpu_arch_bounds {
#define X(kernel, threads, blocks, gfx906, gfx90a, sm_90, fast, reason)                                                \
    kernel##_threads = (threads), kernel##_blocks = (blocks),
    GPU_ARCH_TABLE(X)
#undef X
        GPU_N_ARCH_BOUNDS
};

#endif
