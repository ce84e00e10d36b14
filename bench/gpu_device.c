#include "gpu_device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(2);
}

void bench_device_check(const struct bench_device *device, int code, const char *what)
{
    if (code == 0)
        return;
    (void)fprintf(stderr, "%s failed: %s (code %d)\n", what, device->api->error_text(code), code);
    exit(2);
}

#define CHECK(call) bench_device_check(device, device->api->call, #call)

static const struct gpu_api *api_of(const char *plugin)
{
    void *library = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    void *symbol = library ? dlsym(library, SST_GPU_API_SYMBOL) : NULL;
    const struct gpu_api *(*get)(void) = NULL;
    if (!symbol)
        stop(plugin, dlerror());
    memcpy(&get, &symbol, sizeof get);
    const struct gpu_api *api = get();
    if (!api || api->version != SST_GPU_API_VERSION)
        stop(plugin, "a plugin of another version");
    return api;
}

void bench_device_open(struct bench_device *device, const char *plugin, int index)
{
    const struct gpu_kernel_info *kernel = NULL;
    device->api = api_of(plugin);
    CHECK(select(index));
    CHECK(info(index, &device->info));
    CHECK(stream_open(&device->stream));
    CHECK(event_open(&device->begin));
    CHECK(event_open(&device->end));
    (void)printf("%s (%s), driver %d, runtime %d, %d kHz\n", device->info.name, device->info.arch,
                 device->info.driver_version, device->info.runtime_version, device->info.clock_khz);
    CHECK(kernels(&kernel));
    for (; kernel && kernel->name; ++kernel)
        (void)printf("  %-24s %3d registers, %4d B of scratch, %5d B of shared memory, blocks of %d\n", kernel->name,
                     kernel->n_registers, kernel->scratch_bytes, kernel->static_fast_bytes, kernel->threads);
}

void *bench_device_take(const struct bench_device *device, size_t n_bytes)
{
    void *memory = NULL;
    CHECK(alloc(n_bytes > 0 ? n_bytes : 1, &memory));
    return memory;
}

void *bench_device_put(const struct bench_device *device, const void *host, size_t n_bytes)
{
    void *memory = bench_device_take(device, n_bytes);
    CHECK(copy_in(memory, host, n_bytes, device->stream));
    CHECK(stream_sync(device->stream));
    return memory;
}

void bench_device_release(const struct bench_device *device, const void *memory)
{
    void *given = NULL;
    memcpy(&given, &memory, sizeof given);
    CHECK(release(given));
}

void bench_device_fetch(const struct bench_device *device, void *host, const void *memory, size_t n_bytes)
{
    CHECK(copy_out(host, memory, n_bytes, device->stream));
    CHECK(stream_sync(device->stream));
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_device_seconds(const struct bench_device *device, bench_work *work, const void *context, int n_runs)
{
    double seconds[BENCH_MAX_RUNS];
    if (n_runs > 1)
        work(context);
    for (int run = 0; run < n_runs; ++run) {
        CHECK(event_record(device->begin, device->stream));
        work(context);
        CHECK(event_record(device->end, device->stream));
        CHECK(event_sync(device->end));
        CHECK(event_elapsed(device->begin, device->end, &seconds[run]));
    }
    qsort(seconds, (size_t)n_runs, sizeof *seconds, by_size);
    return seconds[n_runs / 2];
}

struct copying {
    const struct bench_device *device;
    void *to, *from;
    size_t n_bytes;
};

static void copy(const void *context)
{
    const struct copying *args = context;
    const struct bench_device *device = args->device;
    CHECK(copy_within(args->to, args->from, args->n_bytes, device->stream));
}

double bench_device_copy_rate(const struct bench_device *device, size_t n_bytes, int n_runs)
{
    const struct copying args = {device, bench_device_take(device, n_bytes), bench_device_take(device, n_bytes),
                                 n_bytes};
    CHECK(zero(args.from, n_bytes, device->stream));
    const double seconds = bench_device_seconds(device, copy, &args, n_runs);
    bench_device_release(device, args.to);
    bench_device_release(device, args.from);
    return 2.0 * (double)n_bytes / seconds;
}

size_t bench_differing(const void *a, const void *b, size_t n, size_t size)
{
    const unsigned char *x = a, *y = b;
    size_t n_differing = 0;
    if (memcmp(a, b, n * size) == 0)
        return 0;
    for (size_t i = 0; i < n; ++i)
        n_differing += memcmp(x + i * size, y + i * size, size) != 0;
    return n_differing;
}

void bench_device_row(const struct bench_device *device, const char *kernel, const char *form, double seconds_per_item,
                      bool is_taken)
{
    (void)printf(
        "{\"kernel\": \"%s\", \"form\": \"%s\", \"seconds_per_item\": %.9g, \"is_taken\": %s, \"device\": \"%s "
        "(%s)\"}\n",
        kernel, form, seconds_per_item, is_taken ? "true" : "false", device->info.name, device->info.arch);
    (void)fflush(stdout);
}
