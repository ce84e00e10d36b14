/*
 * What a device can do at most, as JSON: copying memory, and arithmetic on what lies in registers.
 *
 *   nvcc -x cu -arch=sm_90 -O3 -std=c++17 --fmad=false -I. -o gpu_ceilings bench/gpu_ceilings.hip.cpp
 *   hipcc --offload-arch=gfx90a -O3 -std=c++17 -ffp-contract=off -I. -o gpu_ceilings bench/gpu_ceilings.hip.cpp
 */
#include <algorithm>
#include <cstdio>

#include "ceilings.h"
#include "kernels/gpu_rt.h"

enum { N_ROUNDS = 7, THREADS = 256, N_BLOCKS = 132 * 16, N_STEPS = 2000 };

struct chain_args {
    void *out;
    int n_steps;
};

GPU_KERNEL(THREADS, 1) k_fp64(struct chain_args args)
{
    GPU_EACH_THREAD(t)
    {
        double x[CEILING_CHAINS];
        for (int i = 0; i < CEILING_CHAINS; ++i)
            x[i] = (double)(t + (unsigned)i);
        for (int step = 0; step < args.n_steps; ++step)
            ceiling_step_fp64(x, 0.999);
        for (int i = 1; i < CEILING_CHAINS; ++i)
            x[0] += x[i];
        static_cast<double *>(args.out)[GPU_BLOCK_X() * THREADS + t] = x[0];
    }
}

GPU_KERNEL(THREADS, 1) k_int32(struct chain_args args)
{
    GPU_EACH_THREAD(t)
    {
        uint32_t x[CEILING_CHAINS];
        for (int i = 0; i < CEILING_CHAINS; ++i)
            x[i] = t + (unsigned)i;
        for (int step = 0; step < args.n_steps; ++step)
            ceiling_step_int32(x, (unsigned)args.n_steps);
        for (int i = 1; i < CEILING_CHAINS; ++i)
            x[0] += x[i];
        static_cast<uint32_t *>(args.out)[GPU_BLOCK_X() * THREADS + t] = x[0];
    }
}

/* Two codes a register: the greater of each, then the smaller; four operations. */
#if defined(GPU_IS_CUDA)
static __device__ __forceinline__ unsigned pair_max(unsigned a, unsigned b) { return __vmaxs2(a, b); }
static __device__ __forceinline__ unsigned pair_min(unsigned a, unsigned b) { return __vmins2(a, b); }
#elif defined(GPU_IS_HIP)
typedef short code_pair __attribute__((ext_vector_type(2)));
static __device__ __forceinline__ unsigned pair_max(unsigned a, unsigned b)
{
    return __builtin_bit_cast(
        unsigned, __builtin_elementwise_max(__builtin_bit_cast(code_pair, a), __builtin_bit_cast(code_pair, b)));
}
static __device__ __forceinline__ unsigned pair_min(unsigned a, unsigned b)
{
    return __builtin_bit_cast(
        unsigned, __builtin_elementwise_min(__builtin_bit_cast(code_pair, a), __builtin_bit_cast(code_pair, b)));
}
#endif

GPU_KERNEL(THREADS, 1) k_int16(struct chain_args args)
{
    GPU_EACH_THREAD(t)
    {
        unsigned x[CEILING_CHAINS];
        for (int i = 0; i < CEILING_CHAINS; ++i)
            x[i] = t * 2654435761U + (unsigned)i * 40503U;
        for (int step = 0; step < args.n_steps; ++step)
            for (int i = 0; i < CEILING_CHAINS; i += 2) {
                const unsigned a = pair_max(x[i], x[i + 1]), b = pair_min(x[i], x[i + 1]);
                x[i] = b;
                x[i + 1] = a ^ (unsigned)step;
            }
        for (int i = 1; i < CEILING_CHAINS; ++i)
            x[0] += x[i];
        static_cast<unsigned *>(args.out)[GPU_BLOCK_X() * THREADS + t] = x[0];
    }
}

static void need(int code, const char *what)
{
    if (code == 0)
        return;
    std::fprintf(stderr, "gpu_ceilings: %s: code %d\n", what, code);
    std::exit(1);
}

/* Seconds of a launch or copy, median of the rounds. */
template <typename Work> static double seconds_of(Work work)
{
    float ms[N_ROUNDS];
    gpu_event begin, end;
    need((int)GPU_NAME(EventCreate)(&begin), "event");
    need((int)GPU_NAME(EventCreate)(&end), "event");
    need(work(), "warming up");
    for (float &time : ms) {
        need((int)GPU_NAME(EventRecord)(begin, 0), "event");
        need(work(), "launch");
        need((int)GPU_NAME(EventRecord)(end, 0), "event");
        need((int)GPU_NAME(EventSynchronize)(end), "run");
        need((int)GPU_NAME(EventElapsedTime)(&time, begin, end), "event");
    }
    std::sort(ms, ms + N_ROUNDS);
    return (double)ms[N_ROUNDS / 2] * 1e-3;
}

int main()
{
    const size_t n_bytes = (size_t)4 << 30;
    void *from = nullptr, *to = nullptr;
    need((int)GPU_NAME(Malloc)(&from, n_bytes), "memory");
    need((int)GPU_NAME(Malloc)(&to, n_bytes), "memory");
    need((int)GPU_NAME(Memset)(from, 1, n_bytes), "memset");
    const struct chain_args args = {to, N_STEPS};
    const double copy =
        seconds_of([&] { return (int)GPU_NAME(MemcpyAsync)(to, from, n_bytes, GPU_NAME(MemcpyDeviceToDevice), 0); });
    const double fp64 = seconds_of([&] { return GPU_LAUNCH(k_fp64, N_BLOCKS, 1, THREADS, 0, nullptr, args); });
    const double int32 = seconds_of([&] { return GPU_LAUNCH(k_int32, N_BLOCKS, 1, THREADS, 0, nullptr, args); });
    const double int16 = seconds_of([&] { return GPU_LAUNCH(k_int16, N_BLOCKS, 1, THREADS, 0, nullptr, args); });
    const double steps = (double)N_BLOCKS * THREADS * N_STEPS, per_step = (double)CEILING_CHAINS * CEILING_STEP_OPS;
    /* A pair's two registers give four codes from two operations of two lanes each. */
    std::printf("{\"bytes_per_second\": %.6g, \"operations_per_second\": {\"fp64\": %.6g, \"int32\": %.6g, \"int16\": "
                "%.6g}}\n",
                2.0 * (double)n_bytes / copy, steps * per_step / fp64, steps * per_step / int32,
                steps * CEILING_CHAINS * 2.0 / int16);
    return 0;
}
