/*
 * Devices: plugins that are found, what they can use, and which of it a run takes.
 *
 * A plugin is sststream_gpu_<kind>.so in the folder that the caller names; each is loaded once and stays.
 */
#ifndef SST_BACKEND_GPU_DEVICES_H
#define SST_BACKEND_GPU_DEVICES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"
#include "core/text.h"
#include "kernels/gpu_api.h"

enum { SST_MAX_DEVICES = 16 };

struct sst_gpu_device {
    const struct gpu_api *api; /* of its plugin, which stays loaded */
    int index; /* as the runtime counts */
    int number; /* as 'sststream devices' counts, those that cannot be used too, over all plugins; messages name it */
    struct gpu_device_info info;
};

/* The devices of a run, all of one plugin. A plain value. */
struct sst_gpu_devices {
    struct sst_gpu_device list[SST_MAX_DEVICES];
    size_t n;
};

/* What looking for devices found: all that can be used, and in words why a plugin has none. */
struct sst_gpu_found {
    struct sst_gpu_devices devices; /* of all plugins, one after the other; emulated ones last */
    char *reasons; /* a line each: "cuda: no device (no CUDA-capable device is detected, code 100)"; never NULL */
    int n_numbers; /* that were given */
};

/* Whether a folder (NULL: no) has files that are named as plugins are. */
bool sst_gpu_has_plugins(const char *folder);

/*
 * Looks for plugins in a folder (NULL or none there: a reason, no error) and asks each for its devices.
 *
 * Owner    the caller; sst_gpu_found_clear.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_find(const char *folder, struct sst_gpu_found *out, struct sst_error *err);
void sst_gpu_found_clear(struct sst_gpu_found *found);

/* Reasons on one line: "cuda: no device; hip: no driver". */
void sst_gpu_add_reasons(const struct sst_gpu_found *found, struct sst_text *text);

/*
 * The devices that "gpu" (all of the first plugin that has any) or "gpu:0,1" (by their numbers, all of one plugin) names; the
 * option has seen to it that it is one of the two.
 *
 * Errors   SST_ERR_USAGE: there is none, or none of that number; the message tells what was found and why not.
 */
SST_MUST_CHECK enum sst_status sst_gpu_choose(const struct sst_gpu_found *found, const char *wish,
                                              struct sst_gpu_devices *out, struct sst_error *err);

/*
 * Page-locks host memory for all devices of a run, so that copies from it are asynchronous; it must be unlocked before it is
 * unmapped. Errors: SST_ERR_DEVICE.
 */
SST_MUST_CHECK enum sst_status sst_gpu_lock_host(const struct sst_gpu_devices *devices, void *memory, size_t n_bytes,
                                                 struct sst_error *err);
void sst_gpu_unlock_host(const struct sst_gpu_devices *devices, void *memory);

/* SST_OK where code is 0, else SST_ERR_DEVICE: "device 0 (NVIDIA H200): WHAT failed: TEXT (code 2)". */
SST_MUST_CHECK enum sst_status sst_gpu_check(const struct sst_gpu_device *device, int code, const char *what,
                                             struct sst_error *err);

#endif
