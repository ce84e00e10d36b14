/* What launchers share: what the runtime tells of a kernel, and the code of arguments that no launcher takes. */
#ifndef SST_KERNELS_GPU_KERNEL_LIST_H
#define SST_KERNELS_GPU_KERNEL_LIST_H

#include "gpu_api.h"
#include "gpu_rt.h"

enum { GPU_BAD_ARGUMENT = 1 }; /* cudaErrorInvalidValue, hipErrorInvalidValue */

/* Zeros where there is no device, and on one that is emulated. */
template <class KERNEL>
static inline struct gpu_kernel_info gpu_kernel_info_of(const char *name, KERNEL *kernel, int32_t threads)
{
    struct gpu_kernel_info info = {};
    info.name = name;
    info.threads = threads;
#if defined(SST_GPU_EMULATED)
    (void)kernel;
#else
    GPU_NAME(FuncAttributes) attributes;
    if (GPU_NAME(FuncGetAttributes)(&attributes, reinterpret_cast<const void *>(kernel)) == GPU_NAME(Success)) {
        info.n_registers = attributes.numRegs;
        info.scratch_bytes = (int32_t)attributes.localSizeBytes;
        info.static_fast_bytes = (int32_t)attributes.sharedSizeBytes;
    }
#endif
    return info;
}

#endif
