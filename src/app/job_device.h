/*
 * Devices of a run: where their plugins are looked for, and which of them --device means. Loads plugins, which start threads: so
 * only after readers are launched, and only in commands that need devices.
 */
#ifndef SST_APP_JOB_DEVICE_H
#define SST_APP_JOB_DEVICE_H

#include "app/device_plan.h"
#include "app/options.h"
#include "backend/gpu_devices.h"

/*
 * All devices that are there: of plugins in the folder that SST_DEVICE_PLUGINS names, else beside the program, else where it
 * is installed.
 *
 * may_play  set where SST_DEVICE_PLUGINS named the folder: only then emulated devices are taken unasked.
 * Owner     the caller; sst_gpu_found_clear, also after a failure.
 * Errors    SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_job_find_devices(struct sst_gpu_found *found, bool *may_play, struct sst_error *err);

/*
 * The devices among those found that --device means; none for the CPU. Why auto takes none is told in `why`,
 * which is empty else, and a detail of options->log (NULL: unsaid).
 *
 * Errors   SST_ERR_USAGE where devices are asked for that are not there, with those that are and the reasons of the others.
 */
SST_MUST_CHECK enum sst_status sst_job_choose_devices(const struct sst_options *options,
                                                      const struct sst_gpu_found *found, bool may_play,
                                                      struct sst_gpu_devices *devices, char why[SST_DEVICE_WHY_SIZE],
                                                      struct sst_error *err);

/*
 * The devices that --device means, of those that are there; looks for none where it is the CPU.
 *
 * Errors   as those of the two above.
 */
SST_MUST_CHECK enum sst_status sst_job_devices(const struct sst_options *options, struct sst_gpu_devices *devices,
                                               char why[SST_DEVICE_WHY_SIZE], struct sst_error *err);

#endif
