/* What devices have room for. */
#include "app/device_plan.h"

#include <stdio.h>
#include <string.h>

#include "app/job_memory.h"
#include "backend/gpu_selftest.h"
#include "core/text.h"
#include "stream/climatology.h"

/* One part in so many of a device's free memory is left to its runtime, for what kernels take themselves. */
enum { RESERVE = 32 };

uint64_t sst_device_plan_bytes(const struct sst_job *job, size_t n_rows, size_t n_ahead, bool is_resident)
{
    struct sst_climatology_size size = sst_job_size(job);
    size.n_domain = n_rows * job->domain.n_cols;
    size.n_ahead = n_ahead;
    size.is_resident = is_resident;
    const uint64_t run = sst_climatology_device_bytes(&job->policy, &size);
    const uint64_t selftest = sst_gpu_selftest_bytes(&job->device.devices);
    return run > selftest ? run : selftest;
}

uint64_t sst_device_plan_usable(const struct sst_gpu_devices *devices)
{
    uint64_t least = devices->n > 0 ? UINT64_MAX : 0;
    for (size_t i = 0; i < devices->n; ++i)
        if (devices->list[i].info.free_bytes < least)
            least = devices->list[i].info.free_bytes;
    return least - least / RESERVE;
}

size_t sst_device_plan_rows(const struct sst_job *job)
{
    const uint64_t usable = sst_device_plan_usable(&job->device.devices);
    const size_t n_rows = job->domain.n_rows;
    if (job->device.devices.n == 0 || sst_device_plan_bytes(job, n_rows, 1, false) <= usable)
        return n_rows;
    size_t fits = 0, too_many = n_rows; /* more rows never need less */
    while (too_many - fits > 1) {
        const size_t rows = fits + (too_many - fits) / 2;
        if (sst_device_plan_bytes(job, rows, 1, false) <= usable)
            fits = rows;
        else
            too_many = rows;
    }
    return fits;
}

void sst_device_plan_note(struct sst_job *job)
{
    struct sst_device_plan *plan = &job->device;
    char whole[SST_SIZE_TEXT], usable[SST_SIZE_TEXT];
    plan->n_pools = sst_climatology_n_pools(&job->policy);
    plan->usable_bytes = sst_device_plan_usable(&plan->devices);
    plan->bytes = sst_device_plan_bytes(job, job->pass_rows, plan->n_ahead, plan->is_resident);
    const size_t most = plan->n_pools < SST_DEVICE_MOST_AHEAD ? plan->n_pools : SST_DEVICE_MOST_AHEAD;
    plan->whole_bytes = sst_device_plan_bytes(job, job->domain.n_rows, most, true);
    plan->why[0] = '\0';
    if (plan->whole_bytes > plan->usable_bytes)
        (void)snprintf(plan->why, sizeof plan->why, "the whole run would take %s of %s",
                       sst_size_text(plan->whole_bytes, true, whole), sst_size_text(plan->usable_bytes, false, usable));
    else if (job->n_passes > 1 || plan->n_ahead < most || !plan->is_resident)
        (void)snprintf(plan->why, sizeof plan->why, "more at a time would pass --memory on the host");
}

void sst_device_plan_drop(struct sst_device_plan *plan, const char *why)
{
    const struct sst_device_plan was = *plan;
    *plan = (struct sst_device_plan){.is_named = was.is_named, .runtime_bytes = was.runtime_bytes};
    (void)snprintf(plan->why, sizeof plan->why, "%s", why);
}

enum sst_status sst_device_plan_refuse(const struct sst_job *job, struct sst_error *err)
{
    const struct sst_device_plan *plan = &job->device;
    const uint64_t usable = sst_device_plan_usable(&plan->devices), needed = sst_device_plan_bytes(job, 1, 1, false);
    char needed_text[SST_SIZE_TEXT], usable_text[SST_SIZE_TEXT];
    return sst_fail(err, SST_ERR_USAGE,
                    "--device: even one row of cells at a time needs %s of memory on %s%s, and %s are free. Use %s%s, "
                    "or --device cpu",
                    sst_size_text(needed, true, needed_text), plan->devices.n > 1 ? "each of " : "",
                    plan->devices.n > 1 ? "the devices" : plan->devices.list[0].info.name,
                    sst_size_text(usable, false, usable_text), job->domain.n_cols > 1 ? "a smaller --bbox, " : "",
                    "a device with more memory");
}

void sst_device_add_remedy(struct sst_error *err)
{
    const size_t length = strlen(err->text);
    if (!strstr(err->text, "--device cpu"))
        (void)snprintf(err->text + length, sizeof err->text - length, ". Use --device cpu");
}
