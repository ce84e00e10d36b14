/* From the sizes of engine, state, validation and writer: all of it at once. */
#include "app/climatology_memory.h"

#include <stdio.h>

#include "app/accuracy.h"
#include "app/job_memory.h"
#include "state/state_sums.h"

/* A bin on its way to another. */
static uint64_t joining_bytes(const struct sst_job *job)
{
    struct sst_tail_estimator tail;
    sst_tail_estimator_init(&tail, sst_policy_tail_k(&job->policy));
    return job->n_places * (sst_approx_has_moments(job->policy.approx)
                                ? sst_estimator_cell_size(sst_estimator_moments())
                                : sst_estimator_cell_size(&tail.estimator));
}

/* The fields of a batch. */
static uint64_t fields_bytes(const struct sst_job *job)
{
    const bool has_both = job->policy.lattice != SST_LATTICE_CENTI;
    return SST_MAX_BATCH * job->domain.n_cells * (sizeof(int16_t) + sizeof(uint8_t) + (has_both ? sizeof(int16_t) : 0));
}

static void estimate(const struct sst_state *state, size_t n_items, bool of_sums, struct sst_job *job)
{
    int slots[SST_N_SLOTS];
    const size_t n_slots = (size_t)sst_policy_output_slots(&job->policy, slots);
    const struct sst_accuracy_needs needs = sst_accuracy_needs_of(job, n_slots, false);
    const struct sst_climatology_size size = {.n_cells = job->n_places,
                                              .n_domain = job->domain.n_cells,
                                              .n_probes = job->n_probes,
                                              .has_ice = true,
                                              .wants_shape = job->n_probes > 0};
    const uint64_t held = SST_PROGRAM_BYTES + needs.memory_bytes;
    const uint64_t engine =
        sst_climatology_peak_bytes(&job->policy, &size) +
        sst_state_sums_bytes(sst_state_policy(state), job->wanted, n_items) +
        (of_sums ? joining_bytes(job) + job->domain.n_cells + job->n_places * sizeof(uint32_t) : fields_bytes(job));
    const uint64_t writer = sst_job_writer_bytes(job, needs.is_staged);
    const uint64_t first = held + engine + (needs.is_staged ? 0 : writer),
                   later = held + needs.later_bytes + (needs.is_staged ? writer : 0);
    job->peak_bytes = first > later ? first : later;
    job->scratch_bytes = needs.disk_bytes;
}

static enum sst_status refuse(const struct sst_job *job, struct sst_error *err)
{
    const struct sst_options *options = job->options;
    char needed[SST_SIZE_TEXT], allowed[SST_SIZE_TEXT];
    return sst_fail(err, SST_ERR_USAGE, "--memory %.60s%s: the climatology needs %s, and this is %s. Use %s%s",
                    options->memory_text ? options->memory_text : "50%", options->memory_text ? "" : " (the default)",
                    sst_size_text(job->peak_bytes, true, needed),
                    sst_size_text(job->memory_limit_bytes, false, allowed),
                    job->peak_bytes <= options->usable_bytes ? "a larger --memory" : "a machine with more memory",
                    sst_approx_has_moments(job->policy.approx) ? "" : ", or --approx cf");
}

enum sst_status sst_climatology_settle_memory(const struct sst_state *state, bool of_sums, struct sst_job *job,
                                              struct sst_error *err)
{
    struct sst_state_sea sea;
    sst_policy_read_slots(&job->policy, job->wanted);
    SST_TRY(sst_state_find_sea(state, &job->domain, job->wanted, &sea, err));
    job->n_places = sea.n_places;
    job->n_passes = 1;
    job->memory_limit_bytes = job->options->memory_bytes > 0 ? job->options->memory_bytes : UINT64_MAX;
    job->keeps_slots = job->options->memory_bytes > 0;
    estimate(state, sea.n_items, of_sums, job);
    if (job->keeps_slots && job->peak_bytes > job->memory_limit_bytes) {
        job->keeps_slots = false; /* slots that wait for the error model do so on the disk */
        estimate(state, sea.n_items, of_sums, job);
    }
    if (job->peak_bytes > job->memory_limit_bytes)
        return refuse(job, err);
    return sst_job_check_disk(job, err);
}
