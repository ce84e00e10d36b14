/*
 * How a job uses devices: which share of its days lies there at a time, and how many pools are finished together.
 *
 *   resident    the days of the whole run (of a pass) fit: each stays where it was put
 *   streaming   days make room for later ones when the last pool that needs them is finished
 *
 * Either way a field goes to the devices once, and pools are finished in groups, so that the first slots are written while the
 * files of later ones are read.
 */
#ifndef SST_APP_DEVICE_PLAN_H
#define SST_APP_DEVICE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "backend/gpu_devices.h"
#include "core/status.h"

struct sst_job;

enum { SST_DEVICE_WHY_SIZE = 512 };

/* With no devices the CPU computes, and all but is_named, runtime_bytes and `why` is zero. */
struct sst_device_plan {
    struct sst_gpu_devices devices;
    bool is_named; /* asked for by name: the CPU does not take over */
    bool is_resident;
    size_t n_ahead; /* pools of a group, at most */
    size_t n_pools; /* of the run */
    uint64_t bytes; /* of each device */
    uint64_t usable_bytes; /* of the device that has least free, with a reserve */
    uint64_t whole_bytes; /* of each device, were the run in one pass and resident */
    uint64_t runtime_bytes; /* of the host, by the runtime itself */
    char why[SST_DEVICE_WHY_SIZE]; /* the CPU computes though devices were looked for, or a run is not resident: why */
};

/* Pools of a group, as far as there is room: more would page-lock memory for their results and gain nothing. */
enum { SST_DEVICE_MOST_AHEAD = 40 };

/* Bytes of each device for passes of so many rows. */
uint64_t sst_device_plan_bytes(const struct sst_job *job, size_t n_rows, size_t n_ahead, bool is_resident);

/* What each device may be asked for. */
uint64_t sst_device_plan_usable(const struct sst_gpu_devices *devices);

/* The most rows of a pass for which the devices have room, one pool at a time; all of them without devices, 0: not even one. */
size_t sst_device_plan_rows(const struct sst_job *job);

/* Notes what the settled passes and groups take, and why the run is not resident. */
void sst_device_plan_note(struct sst_job *job);

/* Leaves the work to the CPU, for a reason. */
void sst_device_plan_drop(struct sst_device_plan *plan, const char *why);

/* Errors: SST_ERR_USAGE, with what a pass of one row needs, what is free and what would do. */
SST_MUST_CHECK enum sst_status sst_device_plan_refuse(const struct sst_job *job, struct sst_error *err);

/* Puts what does without devices behind a failure of one, unless it is there. */
void sst_device_add_remedy(struct sst_error *err);

#endif
