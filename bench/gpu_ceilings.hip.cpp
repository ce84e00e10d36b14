/*
 * What a device can do at most, as JSON: copying memory, and arithmetic on what lies in registers.
 *
 *   cmake --build --preset release --target gpu_ceilings_cuda     (or _hip)
 *   build/release/gpu/cuda/gpu_ceilings [--small]
 *
 * --small is for gpu_ceilings_emulated, a processor that plays device: it shows that the program works, and its figures mean
 * nothing.
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "ceilings.h"
#include "kernels/gpu_rt.h"
#include "kernels/gpu_runtime.h"

enum { N_ROUNDS = 7, THREADS = 256 };

struct size {
    unsigned n_blocks;
    int n_steps;
    size_t n_bytes; /* of a copy */
};
static const struct size whole = {132 * 16, 2000, static_cast<size_t>(4) << 30}, small = {2, 20, 4 << 20};

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
#else
static unsigned pair_of(int high, int low)
{
    return static_cast<unsigned>(static_cast<uint16_t>(high)) << 16 | static_cast<uint16_t>(low);
}
static int high_of(unsigned pair) { return static_cast<int16_t>(pair >> 16); }
static int low_of(unsigned pair) { return static_cast<int16_t>(pair); }
static unsigned pair_max(unsigned a, unsigned b)
{
    return pair_of(std::max(high_of(a), high_of(b)), std::max(low_of(a), low_of(b)));
}
static unsigned pair_min(unsigned a, unsigned b)
{
    return pair_of(std::min(high_of(a), high_of(b)), std::min(low_of(a), low_of(b)));
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
    std::fprintf(stderr, "gpu_ceilings: %s: %s (code %d)\n", what, gpu_error_text(code), code);
    std::exit(1);
}

static void *stream, *begin, *end;

/* Seconds of a launch or copy, median of the rounds. */
template <typename Work> static double seconds_of(Work work)
{
    double seconds[N_ROUNDS];
    need(work(), "warming up");
    for (double &time : seconds) {
        need(gpu_event_record(begin, stream), "event");
        need(work(), "launch");
        need(gpu_event_record(end, stream), "event");
        need(gpu_event_sync(end), "run");
        need(gpu_event_elapsed(begin, end, &time), "event");
    }
    std::sort(seconds, seconds + N_ROUNDS);
    return seconds[N_ROUNDS / 2];
}

int main(int argc, char **argv)
{
    const struct size size = argc > 1 && std::strcmp(argv[1], "--small") == 0 ? small : whole;
    void *from = nullptr, *to = nullptr;
    need(gpu_select(0), "device");
    need(gpu_stream_open(&stream), "stream");
    need(gpu_event_open(&begin), "event");
    need(gpu_event_open(&end), "event");
    need(gpu_alloc(size.n_bytes, &from), "memory");
    need(gpu_alloc(size.n_bytes, &to), "memory");
    need(gpu_zero(from, size.n_bytes, stream), "memory");
    const struct chain_args args = {to, size.n_steps};
    const double copy = seconds_of([&] { return gpu_copy_within(to, from, size.n_bytes, stream); });
    const double fp64 = seconds_of([&] { return GPU_LAUNCH(k_fp64, size.n_blocks, 1, THREADS, 0, stream, args); });
    const double int32 = seconds_of([&] { return GPU_LAUNCH(k_int32, size.n_blocks, 1, THREADS, 0, stream, args); });
    const double int16 = seconds_of([&] { return GPU_LAUNCH(k_int16, size.n_blocks, 1, THREADS, 0, stream, args); });
    const double steps = static_cast<double>(size.n_blocks) * THREADS * size.n_steps;
    const double per_step = CEILING_CHAINS * CEILING_STEP_OPS;
    /* A pair's two registers give four codes from two operations of two lanes each. */
    std::printf("{\"bytes_per_second\": %.6g, \"operations_per_second\": {\"fp64\": %.6g, \"int32\": %.6g, \"int16\": "
                "%.6g}}\n",
                2.0 * static_cast<double>(size.n_bytes) / copy, steps * per_step / fp64, steps * per_step / int32,
                steps * CEILING_CHAINS * 2.0 / int16);
    need(gpu_release(from), "memory");
    need(gpu_release(to), "memory");
    need(gpu_event_close(begin), "event");
    need(gpu_event_close(end), "event");
    return gpu_stream_close(stream);
}
