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
#include "kernels/gpu_pair.h"
#include "kernels/gpu_rt.h"
#include "kernels/gpu_runtime.h"

enum { N_ROUNDS = 7, THREADS = 256 };

struct size {
    unsigned n_blocks; /* of a multiprocessor or compute unit */
    int n_steps; /* even */
    size_t n_bytes; /* of a copy */
};
static const struct size whole = {16, 2000, static_cast<size_t>(4) << 30}, small = {2, 20, 4 << 20};

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

/*
 * Two codes a register: the greater and the smaller of neighbours, then of neighbours one further, so that no step can be left
 * out and nothing else is computed.
 */
GPU_KERNEL(THREADS, 1) k_int16(struct chain_args args)
{
    GPU_EACH_THREAD(t)
    {
        uint32_t x[CEILING_CHAINS];
        GPU_UNROLL
        for (int i = 0; i < CEILING_CHAINS; ++i)
            x[i] = t * 2654435761U + static_cast<uint32_t>(i) * 40503U;
        for (int step = 0; step < args.n_steps; step += 2) {
            GPU_UNROLL
            for (int i = 0; i < 2 * CEILING_CHAINS; i += 2) {
                const int first = (i + i / CEILING_CHAINS) % CEILING_CHAINS, second = (first + 1) % CEILING_CHAINS;
                const uint32_t greater = pair_max(x[first], x[second]);
                x[first] = pair_min(x[first], x[second]);
                x[second] = greater;
            }
        }
        GPU_UNROLL
        for (int i = 1; i < CEILING_CHAINS; ++i)
            x[0] += x[i];
        static_cast<uint32_t *>(args.out)[GPU_BLOCK_X() * THREADS + t] = x[0];
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
    struct gpu_device_info info;
    need(gpu_select(0), "device");
    need(gpu_info(0, &info), "device");
    const unsigned n_blocks = size.n_blocks * static_cast<unsigned>(info.n_units);
    need(gpu_stream_open(&stream), "stream");
    need(gpu_event_open(&begin), "event");
    need(gpu_event_open(&end), "event");
    need(gpu_alloc(size.n_bytes, &from), "memory");
    need(gpu_alloc(size.n_bytes, &to), "memory");
    need(gpu_zero(from, size.n_bytes, stream), "memory");
    const struct chain_args args = {to, size.n_steps};
    const double copy = seconds_of([&] { return gpu_copy_within(to, from, size.n_bytes, stream); });
    const double fp64 = seconds_of([&] { return GPU_LAUNCH(k_fp64, n_blocks, 1, THREADS, 0, stream, args); });
    const double int32 = seconds_of([&] { return GPU_LAUNCH(k_int32, n_blocks, 1, THREADS, 0, stream, args); });
    const double int16 = seconds_of([&] { return GPU_LAUNCH(k_int16, n_blocks, 1, THREADS, 0, stream, args); });
    const double steps = static_cast<double>(n_blocks) * static_cast<double>(THREADS) * size.n_steps;
    const double per_step = CEILING_CHAINS * CEILING_STEP_OPS;
    /* A pair's two registers give four codes from two operations of two lanes each. */
    std::printf("{\"bytes_per_second\": %.6g, \"operations_per_second\": {\"fp64\": %.6g, \"int32\": %.6g, \"int16\": "
                "%.6g}}\n",
                2.0 * static_cast<double>(size.n_bytes) / copy, steps * per_step / fp64, steps * per_step / int32,
                steps * static_cast<double>(CEILING_CHAINS) * 2.0 / int16);
    need(gpu_release(from), "memory");
    need(gpu_release(to), "memory");
    need(gpu_event_close(begin), "event");
    need(gpu_event_close(end), "event");
    return gpu_stream_close(stream);
}
