/*
 * What the device's benches share: a plugin's device, its memory, times between two events, and rows for bench/portability.
 * What fails ends the program with exit 2 and a line that names it.
 */
#ifndef SST_BENCH_GPU_DEVICE_H
#define SST_BENCH_GPU_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/gpu_api.h"

enum { BENCH_MAX_RUNS = 99 };

struct bench_device {
    const struct gpu_api *api;
    struct gpu_device_info info;
    void *stream, *begin, *end;
};

/* Prints what the device is, and what its kernels take. */
void bench_device_open(struct bench_device *device, const char *plugin, int index);
void bench_device_check(const struct bench_device *device, int code, const char *what);

/* Device memory, never NULL; one that holds a copy of host memory; and back to the host. Owner: the caller; release. */
void *bench_device_take(const struct bench_device *device, size_t n_bytes);
void *bench_device_put(const struct bench_device *device, const void *host, size_t n_bytes);
void bench_device_release(const struct bench_device *device, const void *memory);
void bench_device_fetch(const struct bench_device *device, void *host, const void *memory, size_t n_bytes);

/* Median of n_runs between two events, after one that is not counted where there are several. [s] */
typedef void bench_work(const void *context);
double bench_device_seconds(const struct bench_device *device, bench_work *work, const void *context, int n_runs);

/* Rate of a copy of n_bytes, which counts reading and writing. [B/s] */
double bench_device_copy_rate(const struct bench_device *device, size_t n_bytes, int n_runs);

/* Items whose bits differ. */
size_t bench_differing(const void *a, const void *b, size_t n, size_t size);

/* A line of JSON as bench/portability reads it; an item is a cell and day. The program takes one form of a kernel. */
void bench_device_row(const struct bench_device *device, const char *kernel, const char *form, double seconds_per_item,
                      bool is_taken);

#endif
