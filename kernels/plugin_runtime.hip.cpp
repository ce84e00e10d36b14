/* The runtime's part of the table, for HIP and CUDA; under a plain C++ compiler this file is empty. */
#include "gpu_rt.h"
#include "gpu_runtime.h"

#if !defined(SST_GPU_EMULATED)

#if defined(GPU_IS_CUDA)
extern "C" const char gpu_runtime_kind[] = "cuda";
typedef cudaDeviceProp gpu_properties;
#define GPU_CLOCK_ATTRIBUTE cudaDevAttrClockRate
#else
extern "C" const char gpu_runtime_kind[] = "hip";
typedef hipDeviceProp_t gpu_properties;
#define GPU_CLOCK_ATTRIBUTE hipDeviceAttributeClockRate
#endif

static void put_text(char out[SST_GPU_TEXT_SIZE], const char *text)
{
    size_t n = 0;
    for (; text[n] && n + 1 < SST_GPU_TEXT_SIZE; ++n)
        out[n] = text[n];
    out[n] = '\0';
}

/* ------------------------------------------------------------------------------------------------------ devices --- */

extern "C" int gpu_n_devices(int *n)
{
    *n = 0;
    return gpu_told(GPU_NAME(GetDeviceCount)(n));
}

extern "C" int gpu_select(int device) { return gpu_told(GPU_NAME(SetDevice)(device)); }

extern "C" const char *gpu_error_text(int code)
{
    const char *text = GPU_NAME(GetErrorString)(static_cast<GPU_NAME(Error_t)>(code));
    return text ? text : "unknown error";
}

#if defined(GPU_IS_CUDA)
static void put_architecture(const gpu_properties *properties, struct gpu_device_info *out)
{
    const int number = properties->major * 10 + properties->minor;
    char text[] = "sm_000";
    size_t at = sizeof "sm_" - 1;
    if (number >= 100)
        text[at++] = static_cast<char>('0' + number / 100 % 10);
    text[at++] = static_cast<char>('0' + number / 10 % 10);
    text[at++] = static_cast<char>('0' + number % 10);
    text[at] = '\0';
    put_text(out->arch, text);
    out->fast_bytes = properties->sharedMemPerBlockOptin;
}
#else
static void put_architecture(const gpu_properties *properties, struct gpu_device_info *out)
{
    put_text(out->arch, properties->gcnArchName); /* "gfx906:sramecc+:xnack-" */
    out->fast_bytes = properties->sharedMemPerBlock;
}
#endif

/* Free memory is told of the selected device. */
static int put_memory(int device, struct gpu_device_info *out)
{
    size_t n_free = 0, n_total = 0;
    int before = 0, code = gpu_told(GPU_NAME(GetDevice)(&before));
    if (code == 0)
        code = gpu_select(device);
    if (code != 0)
        return code;
    code = gpu_told(GPU_NAME(MemGetInfo)(&n_free, &n_total));
    const int back = gpu_select(before);
    out->memory_bytes = n_total;
    out->free_bytes = n_free;
    return code != 0 ? code : back;
}

extern "C" int gpu_info(int device, struct gpu_device_info *out)
{
    gpu_properties properties;
    *out = gpu_device_info();
    int code = gpu_told(GPU_NAME(GetDeviceProperties)(&properties, device));
    if (code != 0)
        return code;
    put_text(out->name, properties.name);
    put_architecture(&properties, out);
    out->n_units = properties.multiProcessorCount;
    out->wavefront = properties.warpSize;
    if (gpu_told(GPU_NAME(DeviceGetAttribute)(&out->clock_khz, GPU_CLOCK_ATTRIBUTE, device)) != 0)
        out->clock_khz = 0;
    code = gpu_told(GPU_NAME(RuntimeGetVersion)(&out->runtime_version));
    if (code == 0)
        code = gpu_told(GPU_NAME(DriverGetVersion)(&out->driver_version));
    return code != 0 ? code : put_memory(device, out);
}

/* ------------------------------------------------------------------------------------------------------- memory --- */

extern "C" int gpu_alloc(size_t n_bytes, void **out) { return gpu_told(GPU_NAME(Malloc)(out, n_bytes)); }
extern "C" int gpu_release(void *memory) { return gpu_told(GPU_NAME(Free)(memory)); }

/* All that is page-locked is so for every device. */
extern "C" int gpu_host_alloc(size_t n_bytes, void **out)
{
#if defined(GPU_IS_CUDA)
    return gpu_told(cudaHostAlloc(out, n_bytes, cudaHostAllocPortable));
#else
    return gpu_told(hipHostMalloc(out, n_bytes, hipHostMallocPortable));
#endif
}

extern "C" int gpu_host_release(void *memory)
{
#if defined(GPU_IS_CUDA)
    return gpu_told(cudaFreeHost(memory));
#else
    return gpu_told(hipHostFree(memory));
#endif
}

extern "C" int gpu_host_lock(void *memory, size_t n_bytes)
{
    return gpu_told(GPU_NAME(HostRegister)(memory, n_bytes, GPU_NAME(HostRegisterPortable)));
}

extern "C" int gpu_host_unlock(void *memory) { return gpu_told(GPU_NAME(HostUnregister)(memory)); }

/* ------------------------------------------------------------------------------------------- streams and events --- */

static gpu_stream stream_of(void *stream) { return static_cast<gpu_stream>(stream); }
static gpu_event event_of(void *event) { return static_cast<gpu_event>(event); }

extern "C" int gpu_stream_open(void **stream)
{
    gpu_stream made = nullptr;
    const int code = gpu_told(GPU_NAME(StreamCreateWithFlags)(&made, GPU_NAME(StreamNonBlocking)));
    *stream = made;
    return code;
}

extern "C" int gpu_stream_close(void *stream) { return gpu_told(GPU_NAME(StreamDestroy)(stream_of(stream))); }

extern "C" int gpu_stream_wait(void *stream, void *event)
{
    return gpu_told(GPU_NAME(StreamWaitEvent)(stream_of(stream), event_of(event), 0));
}

extern "C" int gpu_stream_sync(void *stream) { return gpu_told(GPU_NAME(StreamSynchronize)(stream_of(stream))); }

/* Who waits for an event sleeps: the cores are the readers'. */
extern "C" int gpu_event_open(void **event)
{
    gpu_event made = nullptr;
    const int code = gpu_told(GPU_NAME(EventCreateWithFlags)(&made, GPU_NAME(EventBlockingSync)));
    *event = made;
    return code;
}

extern "C" int gpu_event_close(void *event) { return gpu_told(GPU_NAME(EventDestroy)(event_of(event))); }

extern "C" int gpu_event_record(void *event, void *stream)
{
    return gpu_told(GPU_NAME(EventRecord)(event_of(event), stream_of(stream)));
}

extern "C" int gpu_event_sync(void *event) { return gpu_told(GPU_NAME(EventSynchronize)(event_of(event))); }

extern "C" int gpu_event_elapsed(void *begin, void *end, double *seconds)
{
    float milliseconds = 0.0F;
    const int code = gpu_told(GPU_NAME(EventElapsedTime)(&milliseconds, event_of(begin), event_of(end)));
    *seconds = 1e-3 * static_cast<double>(milliseconds);
    return code;
}

/* ------------------------------------------------------------------------------------------------------- copies --- */

extern "C" int gpu_copy_in(void *device, const void *host, size_t n_bytes, void *stream)
{
    return gpu_told(GPU_NAME(MemcpyAsync)(device, host, n_bytes, GPU_NAME(MemcpyHostToDevice), stream_of(stream)));
}

extern "C" int gpu_copy_out(void *host, const void *device, size_t n_bytes, void *stream)
{
    return gpu_told(GPU_NAME(MemcpyAsync)(host, device, n_bytes, GPU_NAME(MemcpyDeviceToHost), stream_of(stream)));
}

extern "C" int gpu_copy_within(void *to, const void *from, size_t n_bytes, void *stream)
{
    return gpu_told(GPU_NAME(MemcpyAsync)(to, from, n_bytes, GPU_NAME(MemcpyDeviceToDevice), stream_of(stream)));
}

extern "C" int gpu_zero(void *memory, size_t n_bytes, void *stream)
{
    return gpu_told(GPU_NAME(MemsetAsync)(memory, 0, n_bytes, stream_of(stream)));
}

#endif
