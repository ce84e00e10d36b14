/* What a C compiler and a device compiler spell differently. Headers here are the common part of C17 and C++17. */
#ifndef SST_KERNELS_PORTABLE_H
#define SST_KERNELS_PORTABLE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SST_FN static inline __host__ __device__
#else
#define SST_FN static inline
#endif

#ifdef __cplusplus
#define SST_RESTRICT __restrict__
#else
#define SST_RESTRICT restrict
#endif

#endif
