/*
 * Whether a plugin has kernels for a device, by the names of architectures: what it was built for, what the device is.
 *
 *   hip    "gfx906,gfx90a"   the same one, features behind a colon aside
 *   cuda   "sm_80,sm_90"     one of the same generation and no newer; or, by its PTX, at least the last
 */
#ifndef SST_BACKEND_GPU_SERVED_H
#define SST_BACKEND_GPU_SERVED_H

#include <stdbool.h>

#include "kernels/gpu_api.h"

/* Where the kernel driver of AMD describes what it has, a folder for each. */
#define SST_GPU_TOPOLOGY "/sys/class/kfd/kfd/topology/nodes"

bool sst_gpu_serves(const struct gpu_api *api, const char *arch);

/*
 * Whether api->n_devices may be called. HIP 5.2 ends the process in it where any device that it sees is of an architecture
 * that the plugin was not built for. Where the topology (SST_GPU_TOPOLOGY; none: true) has such a one, a child calls it first:
 * the device may be hidden from the runtime (ROCR_VISIBLE_DEVICES). A child that does not come back makes this false.
 */
bool sst_gpu_may_count(const struct gpu_api *api, const char *topology);

#endif
