/*
 * The launchers of each kind of store, which kernels/plugin.hip.cpp puts in its table (kernels/gpu_api.h says what they do).
 * Each picks a form and a block size (kernels/gpu_arch.h), launches, and returns 0 or the runtime's code.
 */
#ifndef SST_KERNELS_GPU_LAUNCH_H
#define SST_KERNELS_GPU_LAUNCH_H

#include "gpu_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* launch_moments.hip.cpp */
int gpu_launch_moments_add(const struct gpu_moments_add *args, void *stream);
int gpu_launch_window(const struct gpu_window *args, void *stream);
int gpu_window_ring(uint32_t *n_ring);
int gpu_kernels_moments(const struct gpu_kernel_info **out);

/* launch_exact.hip.cpp, launch_sorted.hip.cpp */
int gpu_launch_keep(const struct gpu_keep *args, void *stream);
int gpu_launch_fill_missing(int16_t *codes, size_t n, void *stream);
int gpu_launch_exact_blocked(const struct gpu_exact *args, void *stream);
int gpu_launch_exact_naive(const struct gpu_exact *args, void *stream);
int gpu_kernels_exact(const struct gpu_kernel_info **out);
int gpu_launch_exact_sorted(const struct gpu_sorted *args, void *stream);
int gpu_sorted_form(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                    size_t *scratch_bytes);
const char *gpu_sorted_forms(void);
int gpu_kernels_sorted(const struct gpu_kernel_info **out);

/* launch_tail.hip.cpp */
int gpu_launch_tail_add(const struct gpu_tail_add *args, void *stream);
int gpu_launch_tail(const struct gpu_tail *args, void *stream);
int gpu_kernels_tail(const struct gpu_kernel_info **out);

#ifdef __cplusplus
}
#endif

#endif
