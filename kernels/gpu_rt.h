/*
 * The runtime names that the project uses, one spelling for three compilers: HIP's own under hipcc, the same functions of
 * CUDA under nvcc, and under a plain C++ compiler (SST_GPU_EMULATED) a processor that plays device.
 *
 * A kernel is written so that all three can run it: work of one thread stands in GPU_EACH_THREAD, and what threads of a
 * block do after a barrier stands in a loop of its own, with nothing kept in variables between the two.
 *
 *   GPU_KERNEL(threads, blocks) k_name(struct args a)
 *   {
 *       GPU_FAST(int16_t, tile);                      memory that the block shares; its size is given at the launch
 *       GPU_EACH_THREAD(t) { load(tile, a, t); }
 *       GPU_BARRIER();
 *       GPU_EACH_THREAD(t) { use(tile, a, t); }
 *   }
 *   GPU_LAUNCH(k_name, grid_x, grid_y, threads, fast_bytes, stream, args)     is 0 or the runtime's code
 */
#ifndef SST_KERNELS_GPU_RT_H
#define SST_KERNELS_GPU_RT_H

#include "portable.h"

#ifndef __cplusplus
#error "kernels are C++: include gpu_api.h in C"
#endif

#if !defined(__CUDACC__) && !defined(__HIPCC__)
#define SST_GPU_EMULATED 1

#include <cstdlib>
#include <cstring>
#include <ctime>

/* What a device grants at most; a launch that takes more fails here as it does there. */
enum : size_t {
    GPU_EMULATED_THREADS = 1024, /* of a block */
    GPU_EMULATED_GRID_Y = 65535,
    GPU_EMULATED_GRID_THREADS = 0xFFFFFFFF, /* of a row of the grid, on AMD */
    GPU_EMULATED_FAST_BYTES = 65536 /* LDS of gfx906 and gfx90a */
};
/* As CUDA and HIP number them. */
enum { GPU_EMULATED_INVALID = 1, GPU_EMULATED_OUT_OF_MEMORY = 2, GPU_EMULATED_FAILED = 719 };

struct gpu_emulated_block {
    unsigned x, y, threads;
    unsigned char *fast;
    bool shares; /* has fast memory */
    bool is_behind_loop; /* threads have worked since the last barrier */
    bool lacks_barrier; /* and worked again: on a device some would be ahead of others */
};
/* The block that is at work; kernels of an emulated device run on one thread of the host. */
inline thread_local struct gpu_emulated_block gpu_block;

static inline unsigned gpu_emulated_begin(void)
{
    gpu_block.lacks_barrier = gpu_block.lacks_barrier || (gpu_block.shares && gpu_block.is_behind_loop);
    gpu_block.is_behind_loop = true;
    return 0;
}

#define GPU_KERNEL(threads, blocks) static void
#define GPU_BLOCK_X() (gpu_block.x)
#define GPU_BLOCK_Y() (gpu_block.y)
#define GPU_THREADS() (gpu_block.threads)
#define GPU_EACH_THREAD(t) for (unsigned t = gpu_emulated_begin(); t < gpu_block.threads; ++t)
#define GPU_BARRIER() ((void)(gpu_block.is_behind_loop = false))
#define GPU_FAST(type, name) type *name = reinterpret_cast<type *>(gpu_block.fast)

static inline bool gpu_emulated_grants(size_t grid_x, size_t grid_y, size_t threads, size_t fast_bytes)
{
    return grid_x > 0 && grid_y > 0 && threads > 0 && threads <= GPU_EMULATED_THREADS &&
           grid_y <= GPU_EMULATED_GRID_Y && grid_x * threads <= GPU_EMULATED_GRID_THREADS &&
           fast_bytes <= GPU_EMULATED_FAST_BYTES;
}

/*
 * Fast memory is new for each block, and poisoned: who reads what no thread wrote gets other bits than a device gives. A
 * kernel with fast memory whose threads work twice with no barrier between fails.
 */
template <typename Args>
static inline int gpu_emulate(void (*kernel)(Args), unsigned grid_x, unsigned grid_y, unsigned threads,
                              size_t fast_bytes, const Args &args)
{
    int code = gpu_emulated_grants(grid_x, grid_y, threads, fast_bytes) ? 0 : GPU_EMULATED_INVALID;
    for (unsigned y = 0; y < grid_y && code == 0; ++y)
        for (unsigned x = 0; x < grid_x && code == 0; ++x) {
            unsigned char *fast = static_cast<unsigned char *>(std::malloc(fast_bytes > 0 ? fast_bytes : 1));
            if (!fast) {
                code = GPU_EMULATED_OUT_OF_MEMORY;
                break;
            }
            std::memset(fast, 0xA5, fast_bytes);
            gpu_block = {x, y, threads, fast, fast_bytes > 0, false, false};
            kernel(args);
            code = gpu_block.lacks_barrier ? GPU_EMULATED_FAILED : 0;
            std::free(fast);
        }
    return code;
}
#define GPU_LAUNCH(kernel, grid_x, grid_y, threads, fast_bytes, stream, args)                                          \
    ((void)(stream), gpu_emulate(kernel, grid_x, grid_y, threads, fast_bytes, args))
#define GPU_ARGS(type) type
#define GPU_READ(pointer) (*(pointer))
#define GPU_UNROLL
#define GPU_ASSUME(condition) ((void)0)
#define GPU_FN static inline
#define GPU_MEMBER inline

#else

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define GPU_NAME(name) cuda##name
#define GPU_IS_CUDA 1
#else
#include <hip/hip_runtime.h>
#define GPU_NAME(name) hip##name
#define GPU_IS_HIP 1
#endif

/* The second bound: blocks of a multiprocessor for CUDA, waves of each of a unit's four SIMDs for HIP. */
#if defined(GPU_IS_CUDA)
#define GPU_KERNEL(threads, blocks) static __global__ void __launch_bounds__(threads, blocks)
#else
#define GPU_WAVES(threads, blocks) ((threads) * (blocks) > 256 ? (threads) * (blocks) / 256 : 1)
#define GPU_KERNEL(threads, blocks) static __global__ void __launch_bounds__(threads, GPU_WAVES(threads, blocks))
#endif
#define GPU_BLOCK_X() (blockIdx.x)
#define GPU_BLOCK_Y() (blockIdx.y)
#define GPU_THREADS() (blockDim.x)
#define GPU_EACH_THREAD(t) for (unsigned t = threadIdx.x, gpu_once = 1; gpu_once; gpu_once = 0)
#define GPU_BARRIER() __syncthreads()
#define GPU_FAST(type, name)                                                                                           \
    extern __shared__ __attribute__((aligned(16))) unsigned char gpu_fast_memory[];                                    \
    type *name = reinterpret_cast<type *>(gpu_fast_memory)
#define GPU_LAUNCH(kernel, grid_x, grid_y, threads, fast_bytes, stream, args)                                          \
    (kernel<<<dim3(grid_x, grid_y), threads, fast_bytes, static_cast<gpu_stream>(stream)>>>(args),                     \
     static_cast<int>(GPU_NAME(GetLastError)()))

/* Arguments of a kernel that indexes an array in them: CUDA would copy it to memory of each thread. */
#if defined(__CUDACC__)
#define GPU_ARGS(type) const __grid_constant__ type
#else
#define GPU_ARGS(type) type
#endif

/* An int32 that all threads read and no kernel writes. */
#if defined(__CUDACC__)
#define GPU_READ(pointer) __ldg(pointer)
#else
#define GPU_READ(pointer) (*(const __attribute__((address_space(4))) int32_t *)(pointer))
#endif

#define GPU_UNROLL _Pragma("unroll")
#define GPU_ASSUME(condition) __builtin_assume(condition)
/* Inlined before anything else is done: what is an array of registers has only constant indices then. */
#define GPU_MEMBER __forceinline__ __device__
#define GPU_FN static GPU_MEMBER

typedef GPU_NAME(Stream_t) gpu_stream;
typedef GPU_NAME(Event_t) gpu_event;

/* The code, which the runtime then forgets: else the next launch, which asks for the last error, would be blamed for it. */
static inline int gpu_told(GPU_NAME(Error_t) code)
{
    if (code != GPU_NAME(Success))
        (void)GPU_NAME(GetLastError)();
    return static_cast<int>(code);
}

#endif

#endif
