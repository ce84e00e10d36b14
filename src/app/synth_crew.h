/*
 * Shares days out among worker processes.
 *
 * Processes, not threads: netCDF and HDF5 may be used by one thread at a time, and making a small file is nearly all
 * their work. A worker that HDF5 takes down with it (a full disk can) is a reported failure and not the end of the run.
 */
#ifndef SST_APP_SYNTH_CREW_H
#define SST_APP_SYNTH_CREW_H

#include <stddef.h>

#include "app/synth.h"
#include "core/status.h"

struct sst_synth_crew_job {
    size_t n_items;
    int n_workers; /* 0: one a CPU that this process may use */
    enum sst_status (*work)(void *user, size_t item, struct sst_error *err); /* in a child: its memory is a copy */
    void *user;
    const struct sst_synth_watch *watch; /* called in the parent only; may be NULL */
};

/*
 * Does items 0 .. n_items - 1, each once, in no promised order; returns when all workers have ended.
 *
 * Errors   the first failure of any worker, after which no item is begun; SST_ERR_INTERNAL where a worker died;
 *          SST_ERR_INTERRUPTED; SST_ERR_NOMEM where no worker can be started.
 */
SST_MUST_CHECK enum sst_status sst_synth_crew_run(const struct sst_synth_crew_job *job, struct sst_error *err);

#endif
