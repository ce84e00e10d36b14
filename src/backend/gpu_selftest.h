/*
 * The start-up self-test: a known pattern through every kernel, from both kinds of host memory, on each device alone. What
 * comes out must be the CPU backend's to the bit.
 */
#ifndef SST_BACKEND_GPU_SELFTEST_H
#define SST_BACKEND_GPU_SELFTEST_H

#include "backend/gpu_devices.h"

/* What it takes of each device. [bytes] */
uint64_t sst_gpu_selftest_bytes(const struct sst_gpu_devices *devices);

/*
 * Takes far less than a second. Messages begin with "self-test: ".
 *
 * Errors   SST_ERR_DEVICE: a device gave other bits, which the message tells with its name and the kernel, or it failed;
 *          SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_selftest(const struct sst_gpu_devices *devices, struct sst_error *err);

#endif
