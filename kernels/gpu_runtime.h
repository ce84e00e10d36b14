/*
 * The runtime's part of a plugin's table (gpu_api.h says what each does): of HIP and CUDA in plugin_runtime.hip.cpp, of the
 * processor that plays device in plugin_emulated.hip.cpp.
 */
#ifndef SST_KERNELS_GPU_RUNTIME_H
#define SST_KERNELS_GPU_RUNTIME_H

#include "gpu_api.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char gpu_runtime_kind[]; /* "cuda", "hip", "emulated" */

int gpu_n_devices(int *n);
int gpu_info(int device, struct gpu_device_info *out);
int gpu_select(int device);
const char *gpu_error_text(int code);

int gpu_alloc(size_t n_bytes, void **out);
int gpu_release(void *memory);
int gpu_host_alloc(size_t n_bytes, void **out);
int gpu_host_release(void *memory);
int gpu_host_lock(void *memory, size_t n_bytes);
int gpu_host_unlock(void *memory);

int gpu_stream_open(void **stream);
int gpu_stream_close(void *stream);
int gpu_stream_wait(void *stream, void *event);
int gpu_stream_sync(void *stream);
int gpu_event_open(void **event);
int gpu_event_close(void *event);
int gpu_event_record(void *event, void *stream);
int gpu_event_sync(void *event);
int gpu_event_elapsed(void *begin, void *end, double *seconds);

int gpu_copy_in(void *device, const void *host, size_t n_bytes, void *stream);
int gpu_copy_out(void *host, const void *device, size_t n_bytes, void *stream);
int gpu_copy_within(void *to, const void *from, size_t n_bytes, void *stream);
int gpu_zero(void *memory, size_t n_bytes, void *stream);

#ifdef __cplusplus
}
#endif

#endif
