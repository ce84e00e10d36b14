/*
 * Methods whose terms lie on devices: the same numbers as those of the CPU, to the bit.
 *
 *   term (slot, class) ──▶ bin 0 .. n_bins - 1 of backend/gpu.h; a dropped slot's bins are used again
 */
#ifndef SST_STREAM_METHOD_GPU_H
#define SST_STREAM_METHOD_GPU_H

#include "backend/gpu.h"
#include "stream/method.h"

/* The method of an estimator on setup->devices. Never NULL. */
const struct sst_method *sst_method_gpu(enum sst_approx approx);

/* What each of setup->devices must have, and what is page-locked on the host for all of them. */
struct sst_gpu_bytes sst_method_gpu_bytes(const struct sst_method_setup *setup);

#endif
