/* The memory of a climatology of a state: what it takes, and whether it may. */
#ifndef SST_APP_CLIMATOLOGY_MEMORY_H
#define SST_APP_CLIMATOLOGY_MEMORY_H

#include "app/job.h"
#include "state/state.h"

/*
 * Fills in what a job has of memory and scratch: peak_bytes, scratch_bytes, memory_limit_bytes, keeps_slots, n_places. It has one
 * pass: what does not fit is refused.
 *
 * job      options, policy, domain and probes are settled; it has no catalog.
 * of_sums  it is made of the state's sums, not of kept values.
 * Errors   SST_ERR_USAGE with what would do; SST_ERR_OUTPUT where scratch has no room; as sst_state_load.
 */
SST_MUST_CHECK enum sst_status sst_climatology_settle_memory(const struct sst_state *state, bool of_sums,
                                                             struct sst_job *job, struct sst_error *err);

#endif
