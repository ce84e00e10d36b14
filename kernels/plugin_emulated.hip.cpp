/*
 * The runtime's part of the table where the processor plays device: two devices of 1 GiB each, so that work can be split and
 * refused. Under a device compiler this file is empty.
 *
 *   memory of a device   [ struct header ... 256 bytes | what the caller gets, poisoned ]
 *
 * All is done when a call returns. What would fail on a device fails here: memory of another kind or given back twice, an
 * event that is recorded in another device's stream.
 */
#include "gpu_rt.h"
#include "gpu_runtime.h"

#if defined(SST_GPU_EMULATED)

extern "C" const char gpu_runtime_kind[] = "emulated";

enum { N_DEVICES = 2, DEVICE_BYTES = 1 << 30, ALIGNMENT = 256, MAX_LOCKED = 64 };

/* As much is poisoned; the rest is what the system gives, so that a device's whole memory can be taken at no cost. */
enum { POISONED_BYTES = 64 << 20, POISON = 0xA5 };

/* As CUDA and HIP number them. */
enum {
    INVALID_VALUE = GPU_EMULATED_INVALID,
    OUT_OF_MEMORY = GPU_EMULATED_OUT_OF_MEMORY,
    INVALID_DEVICE = 101,
    INVALID_HANDLE = 400,
    ALREADY_LOCKED = 712,
    NOT_LOCKED = 713,
    LAUNCH_FAILED = GPU_EMULATED_FAILED
};

enum memory_kind : uint32_t { OF_DEVICE = 0x5EED0001U, OF_HOST = 0x5EED0002U, GIVEN_BACK = 0x5EED0003U };

struct header {
    size_t n_bytes;
    uint32_t kind;
    int device;
};
static_assert(sizeof(struct header) <= ALIGNMENT, "the caller's memory follows the header");

struct emulated_stream {
    int device;
};

struct emulated_event {
    int device;
    bool is_recorded;
    struct timespec at;
};

static const char names[N_DEVICES][sizeof "emulated 0"] = {"emulated 0", "emulated 1"};

static int selected;
static size_t used_bytes[N_DEVICES];
static void *locked[MAX_LOCKED];

/* ------------------------------------------------------------------------------------------------------ devices --- */

extern "C" int gpu_n_devices(int *n)
{
    *n = N_DEVICES;
    return 0;
}

extern "C" int gpu_select(int device)
{
    if (device < 0 || device >= N_DEVICES)
        return INVALID_DEVICE;
    selected = device;
    return 0;
}

extern "C" int gpu_info(int device, struct gpu_device_info *out)
{
    *out = gpu_device_info();
    if (device < 0 || device >= N_DEVICES)
        return INVALID_DEVICE;
    std::memcpy(out->name, names[device], sizeof names[device]);
    std::memcpy(out->arch, "cpu", sizeof "cpu");
    out->memory_bytes = DEVICE_BYTES;
    out->free_bytes = DEVICE_BYTES - used_bytes[device];
    out->n_units = 1;
    out->wavefront = 1;
    out->fast_bytes = GPU_EMULATED_FAST_BYTES;
    return 0;
}

extern "C" const char *gpu_error_text(int code)
{
    switch (code) {
    case 0:
        return "no error";
    case INVALID_VALUE:
        return "invalid argument";
    case OUT_OF_MEMORY:
        return "out of memory";
    case INVALID_DEVICE:
        return "invalid device ordinal";
    case INVALID_HANDLE:
        return "invalid resource handle";
    case ALREADY_LOCKED:
        return "memory is page-locked already";
    case NOT_LOCKED:
        return "memory is not page-locked";
    case LAUNCH_FAILED:
        return "threads of a kernel share memory with no barrier between";
    default:
        return "unknown error";
    }
}

/* ------------------------------------------------------------------------------------------------------- memory --- */

static int take(size_t n_bytes, enum memory_kind kind, void **out)
{
    void *memory = nullptr;
    if (posix_memalign(&memory, ALIGNMENT, ALIGNMENT + n_bytes) != 0)
        return OUT_OF_MEMORY;
    unsigned char *given = static_cast<unsigned char *>(memory) + ALIGNMENT;
    *static_cast<struct header *>(memory) = {n_bytes, kind, selected};
    std::memset(given, POISON, n_bytes < POISONED_BYTES ? n_bytes : static_cast<size_t>(POISONED_BYTES));
    *out = given;
    return 0;
}

static int give_back(void *memory, enum memory_kind kind)
{
    if (!memory)
        return 0;
    struct header *header = reinterpret_cast<struct header *>(static_cast<unsigned char *>(memory) - ALIGNMENT);
    if (header->kind != kind)
        return INVALID_VALUE;
    if (kind == OF_DEVICE)
        used_bytes[header->device] -= header->n_bytes;
    header->kind = GIVEN_BACK;
    std::free(header);
    return 0;
}

extern "C" int gpu_alloc(size_t n_bytes, void **out)
{
    *out = nullptr;
    if (n_bytes > DEVICE_BYTES - used_bytes[selected])
        return OUT_OF_MEMORY;
    const int code = take(n_bytes, OF_DEVICE, out);
    if (code == 0)
        used_bytes[selected] += n_bytes;
    return code;
}

extern "C" int gpu_release(void *memory) { return give_back(memory, OF_DEVICE); }
extern "C" int gpu_host_alloc(size_t n_bytes, void **out) { return take(n_bytes, OF_HOST, out); }
extern "C" int gpu_host_release(void *memory) { return give_back(memory, OF_HOST); }

static int find_locked(const void *memory)
{
    int i = 0;
    while (i < MAX_LOCKED && locked[i] != memory)
        ++i;
    return i;
}

extern "C" int gpu_host_lock(void *memory, size_t n_bytes)
{
    if (!memory || n_bytes == 0)
        return INVALID_VALUE;
    if (find_locked(memory) < MAX_LOCKED)
        return ALREADY_LOCKED;
    const int i = find_locked(nullptr);
    if (i == MAX_LOCKED)
        return OUT_OF_MEMORY;
    locked[i] = memory;
    return 0;
}

extern "C" int gpu_host_unlock(void *memory)
{
    const int i = memory ? find_locked(memory) : static_cast<int>(MAX_LOCKED);
    if (i == MAX_LOCKED)
        return NOT_LOCKED;
    locked[i] = nullptr;
    return 0;
}

/* ------------------------------------------------------------------------------------------- streams and events --- */

extern "C" int gpu_stream_open(void **stream)
{
    struct emulated_stream *made = static_cast<struct emulated_stream *>(std::malloc(sizeof *made));
    *stream = made;
    if (!made)
        return OUT_OF_MEMORY;
    made->device = selected;
    return 0;
}

extern "C" int gpu_stream_close(void *stream)
{
    if (!stream)
        return INVALID_HANDLE;
    std::free(stream);
    return 0;
}

extern "C" int gpu_stream_wait(void *stream, void *event) { return stream && event ? 0 : INVALID_HANDLE; }
extern "C" int gpu_stream_sync(void *stream) { return stream ? 0 : INVALID_HANDLE; }

extern "C" int gpu_event_open(void **event)
{
    struct emulated_event *made = static_cast<struct emulated_event *>(std::calloc(1, sizeof *made));
    *event = made;
    if (!made)
        return OUT_OF_MEMORY;
    made->device = selected;
    return 0;
}

extern "C" int gpu_event_close(void *event)
{
    if (!event)
        return INVALID_HANDLE;
    std::free(event);
    return 0;
}

extern "C" int gpu_event_record(void *event, void *stream)
{
    struct emulated_event *of = static_cast<struct emulated_event *>(event);
    if (!of || !stream || static_cast<struct emulated_stream *>(stream)->device != of->device)
        return INVALID_HANDLE;
    of->is_recorded = true;
    return clock_gettime(CLOCK_MONOTONIC, &of->at) == 0 ? 0 : INVALID_VALUE;
}

extern "C" int gpu_event_sync(void *event) { return event ? 0 : INVALID_HANDLE; }

extern "C" int gpu_event_elapsed(void *begin, void *end, double *seconds)
{
    const struct emulated_event *from = static_cast<struct emulated_event *>(begin);
    const struct emulated_event *to = static_cast<struct emulated_event *>(end);
    if (!from || !to || !from->is_recorded || !to->is_recorded || from->device != to->device)
        return INVALID_HANDLE;
    *seconds = static_cast<double>(to->at.tv_sec - from->at.tv_sec) +
               1e-9 * static_cast<double>(to->at.tv_nsec - from->at.tv_nsec);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- copies --- */

static int copy(void *to, const void *from, size_t n_bytes, const void *stream)
{
    if (!stream)
        return INVALID_HANDLE;
    if (n_bytes > 0)
        std::memcpy(to, from, n_bytes);
    return 0;
}

extern "C" int gpu_copy_in(void *device, const void *host, size_t n_bytes, void *stream)
{
    return copy(device, host, n_bytes, stream);
}

extern "C" int gpu_copy_out(void *host, const void *device, size_t n_bytes, void *stream)
{
    return copy(host, device, n_bytes, stream);
}

extern "C" int gpu_copy_within(void *to, const void *from, size_t n_bytes, void *stream)
{
    return copy(to, from, n_bytes, stream);
}

extern "C" int gpu_zero(void *memory, size_t n_bytes, void *stream)
{
    if (!stream)
        return INVALID_HANDLE;
    std::memset(memory, 0, n_bytes);
    return 0;
}

#endif
