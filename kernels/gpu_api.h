/*
 * What a device plugin gives the program: one table of functions, found by the name of the one symbol that it exports.
 * A plugin is launch_*.hip.cpp, compiled by hipcc for AMD and DCU, by nvcc for NVIDIA, or by a plain C++ compiler,
 * where a kernel is a loop over blocks and a device is the processor: so that the very launchers run
 * under sanitizers, and the whole program can be tested where there is no device.
 *
 *   program ──dlopen──▶ sststream_gpu_<kind>.so ──▶ sst_gpu_api() ──▶ struct gpu_api
 *
 * Every function returns 0 or the runtime's code, of which `error_text` tells; none prints. Calls are of one thread of
 * the host at a time; `select` says of which device the calls after it are.
 */
#ifndef SST_KERNELS_GPU_API_H
#define SST_KERNELS_GPU_API_H

#include "gpu_args.h"

enum { SST_GPU_API_VERSION = 1, SST_GPU_TEXT_SIZE = 128 };
#define SST_GPU_API_SYMBOL "sst_gpu_api"

struct gpu_device_info {
    char name[SST_GPU_TEXT_SIZE];
    char arch[SST_GPU_TEXT_SIZE]; /* "sm_90", "gfx906" */
    uint64_t memory_bytes, free_bytes;
    int32_t runtime_version, driver_version; /* as the runtime counts them */
    int32_t n_units; /* multiprocessors or compute units */
    int32_t wavefront; /* threads */
    uint64_t fast_bytes; /* shared memory or LDS that a block may have */
    int32_t clock_khz; /* 0: not told */
};

/* What a kernel takes, of the device that is selected; for benches and docs. */
struct gpu_kernel_info {
    const char *name; /* NULL behind the last */
    int32_t n_registers, scratch_bytes, static_fast_bytes, threads; /* scratch: local memory a thread */
};

struct gpu_api {
    uint32_t version; /* SST_GPU_API_VERSION, or the plugin is refused */
    const char *kind; /* "cuda", "hip", "emulated" */
    const char *architectures; /* that it was built for, as told to the compiler */

    int (*n_devices)(int *n);
    int (*info)(int device, struct gpu_device_info *out);
    int (*select)(int device);
    const char *(*error_text)(int code); /* never NULL */

    /* Memory of the device, of the host (page-locked), and the host's own that is page-locked after the fact. */
    int (*alloc)(size_t n_bytes, void **out);
    int (*release)(void *memory);
    int (*host_alloc)(size_t n_bytes, void **out);
    int (*host_release)(void *memory);
    int (*host_lock)(void *memory, size_t n_bytes);
    int (*host_unlock)(void *memory);

    /* Streams and events belong to the device that was selected when they were made. */
    int (*stream_open)(void **stream);
    int (*stream_close)(void *stream);
    int (*stream_wait)(void *stream, void *event); /* what the stream is given from now on waits for the event */
    int (*stream_sync)(void *stream);
    int (*event_open)(void **event); /* with a time */
    int (*event_close)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_sync)(void *event);
    int (*event_elapsed)(void *begin, void *end, double *seconds);

    /* In the order of the stream; host memory that is not page-locked makes a copy wait. */
    int (*copy_in)(void *device, const void *host, size_t n_bytes, void *stream);
    int (*copy_out)(void *host, const void *device, size_t n_bytes, void *stream);
    int (*copy_within)(void *to, const void *from, size_t n_bytes, void *stream);
    int (*zero)(void *memory, size_t n_bytes, void *stream);
    int (*fill_missing)(int16_t *codes, size_t n, void *stream);

    /* Launches; arguments are copied, what they point to must live until the stream has done it. */
    int (*moments_add)(const struct gpu_moments_add *args, void *stream);
    int (*window)(const struct gpu_window *args, void *stream);
    int (*keep)(const struct gpu_keep *args, void *stream);
    int (*exact_blocked)(const struct gpu_exact *args, void *stream);
    int (*exact_naive)(const struct gpu_exact *args, void *stream); /* a reference; n_most <= 512 */
    int (*exact_sorted)(const struct gpu_sorted *args, void *stream);
    int (*tail_add)(const struct gpu_tail_add *args, void *stream);
    int (*tail)(const struct gpu_tail *args, void *stream);

    /* Bins that `window` can remember, in fast memory or (HIP) in registers; 0: none, all are read twice. */
    int (*window_ring)(uint32_t *n_ring);
    /* Whether a sorted form was built for these, and the scratch that it takes for n_cells (0: none). */
    int (*sorted_form)(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                       size_t *scratch_bytes);
    /* The forms of exact_sorted that are built, as "30x11:34 ..." (members a day, days, depth). */
    const char *sorted_forms;

    int (*kernels)(const struct gpu_kernel_info **out);
};

#ifdef __cplusplus
extern "C"
#endif
    const struct gpu_api *
    sst_gpu_api(void);

#endif
