/* What launchers share on the host: sizes of grids, fast memory that a block may have, and what a kernel takes. */
#ifndef SST_KERNELS_GPU_HOST_H
#define SST_KERNELS_GPU_HOST_H

#include "gpu_api.h"
#include "gpu_rt.h"

enum { GPU_BAD_ARGUMENT = 1 }; /* cudaErrorInvalidValue, hipErrorInvalidValue */

constexpr uint32_t GPU_MOST_GRID_Y = 65535;

static inline uint32_t gpu_blocks_of(size_t n, uint32_t threads)
{
    return static_cast<uint32_t>((n + threads - 1) / threads);
}

/* Calls launch(first, n) for n items from the first on, as many at a time as a grid has rows; 0, or the first other code. */
template <typename Launch> static inline int gpu_in_rows(uint32_t n_items, Launch launch)
{
    int code = 0;
    uint32_t first = 0;
    while (first < n_items && code == 0) {
        const uint32_t left = n_items - first, n = left < GPU_MOST_GRID_Y ? left : GPU_MOST_GRID_Y;
        code = launch(first, n);
        first += n;
    }
    return code;
}

/* Fast memory that a block may have on the selected device, when it asks for it (gpu_allow_fast). */
static inline int gpu_most_fast_bytes(size_t *n_bytes)
{
#if defined(SST_GPU_EMULATED)
    *n_bytes = GPU_EMULATED_FAST_BYTES;
    return 0;
#else
#if defined(GPU_IS_CUDA)
    const cudaDeviceAttr which = cudaDevAttrMaxSharedMemoryPerBlockOptin;
#else
    const hipDeviceAttribute_t which = hipDeviceAttributeMaxSharedMemoryPerBlock;
#endif
    int device = 0, most = 0;
    int code = gpu_told(GPU_NAME(GetDevice)(&device));
    if (code == 0)
        code = gpu_told(GPU_NAME(DeviceGetAttribute)(&most, which, device));
    *n_bytes = static_cast<size_t>(most);
    return code;
#endif
}

/* CUDA gives a block more than 48 KB when asked to. */
template <typename Args> static inline int gpu_allow_fast(void (*kernel)(Args), size_t n_bytes)
{
#if defined(GPU_IS_CUDA)
    return gpu_told(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                         cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(n_bytes)));
#else
    (void)kernel;
    (void)n_bytes;
    return 0;
#endif
}

/* Puts a kernel into a list of those that plugins tell of. Zeros on a device that is emulated. */
template <typename Args>
static inline int gpu_tell(struct gpu_kernel_info *info, const char *name, void (*kernel)(Args), int32_t threads)
{
    *info = {name, 0, 0, 0, threads};
#if defined(SST_GPU_EMULATED)
    (void)kernel;
    return 0;
#else
    GPU_NAME(FuncAttributes) attributes = {};
    const int code = gpu_told(GPU_NAME(FuncGetAttributes)(&attributes, reinterpret_cast<const void *>(kernel)));
    info->n_registers = attributes.numRegs;
    info->scratch_bytes = static_cast<int32_t>(attributes.localSizeBytes);
    info->static_fast_bytes = static_cast<int32_t>(attributes.sharedSizeBytes);
    return code;
#endif
}

#endif
