/*
 * The plugin's table: the runtime's own calls, each of whose codes is handed on, beside the launchers of launch_*.hip.cpp.
 * The same of an emulated device stands in plugin_emulated.hip.cpp.
 */
#include "gpu_launch.h"
#include "gpu_runtime.h"

#if !defined(SST_GPU_ARCHITECTURES)
#define SST_GPU_ARCHITECTURES cpu
#endif
/* As the build names them, with commas between. */
#define GPU_TEXT_OF(...) #__VA_ARGS__
#define GPU_TEXT(...) GPU_TEXT_OF(__VA_ARGS__)

enum { MAX_KERNELS = 128 };

/* The kernels of all launchers, one list behind the other. */
static int kernels(const struct gpu_kernel_info **out)
{
    static struct gpu_kernel_info all[MAX_KERNELS + 1];
    int (*const lists[])(const struct gpu_kernel_info **) = {gpu_kernels_moments, gpu_kernels_exact, gpu_kernels_sorted,
                                                             gpu_kernels_tail};
    int n = 0;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; ++i) {
        const struct gpu_kernel_info *list = nullptr;
        const int code = lists[i](&list);
        if (code != 0)
            return code;
        for (; list && list->name && n < MAX_KERNELS; ++list)
            all[n++] = *list;
    }
    all[n] = gpu_kernel_info();
    *out = all;
    return 0;
}

static void put_runtime(struct gpu_api *api)
{
    api->n_devices = gpu_n_devices;
    api->info = gpu_info;
    api->select = gpu_select;
    api->error_text = gpu_error_text;
    api->alloc = gpu_alloc;
    api->release = gpu_release;
    api->host_alloc = gpu_host_alloc;
    api->host_release = gpu_host_release;
    api->host_lock = gpu_host_lock;
    api->host_unlock = gpu_host_unlock;
    api->stream_open = gpu_stream_open;
    api->stream_close = gpu_stream_close;
    api->stream_wait = gpu_stream_wait;
    api->stream_sync = gpu_stream_sync;
    api->event_open = gpu_event_open;
    api->event_close = gpu_event_close;
    api->event_record = gpu_event_record;
    api->event_sync = gpu_event_sync;
    api->event_elapsed = gpu_event_elapsed;
    api->copy_in = gpu_copy_in;
    api->copy_out = gpu_copy_out;
    api->copy_within = gpu_copy_within;
    api->zero = gpu_zero;
}

static void put_launchers(struct gpu_api *api)
{
    api->fill_missing = gpu_launch_fill_missing;
    api->moments_add = gpu_launch_moments_add;
    api->window = gpu_launch_window;
    api->window_ring = gpu_window_ring;
    api->keep = gpu_launch_keep;
    api->exact_blocked = gpu_launch_exact_blocked;
    api->exact_naive = gpu_launch_exact_naive;
    api->exact_sorted = gpu_launch_exact_sorted;
    api->sorted_form = gpu_sorted_form;
    api->sorted_forms = gpu_sorted_forms();
    api->tail_add = gpu_launch_tail_add;
    api->tail = gpu_launch_tail;
    api->kernels = kernels;
}

extern "C" __attribute__((visibility("default"))) const struct gpu_api *sst_gpu_api(void)
{
    static struct gpu_api api;
    api.version = SST_GPU_API_VERSION;
    api.kind = gpu_runtime_kind;
    api.architectures = GPU_TEXT(SST_GPU_ARCHITECTURES);
    put_runtime(&api);
    put_launchers(&api);
    return &api;
}
