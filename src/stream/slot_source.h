/*
 * Where the engine takes calendar days from whose sums somebody has already made, in place of fields: a state.
 *
 * What has been summed over other classes than a run's own comes as several bins: a term is the sum of them.
 */
#ifndef SST_STREAM_SLOT_SOURCE_H
#define SST_STREAM_SLOT_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/field.h"
#include "core/status.h"
#include "stream/bins.h"

/* A term, all of whose days are there. Borrowed from the source. */
struct sst_term_sums {
    /* Of the items of the slot: the estimator's sums and lists, which may be longer than the engine's; days with sea ice. */
    const struct sst_bin *bins[SST_N_CLASSES], *ice[SST_N_CLASSES];
    size_t n_bins, n_ice;

    /* By day, in any order: codes at the job's probes, as a field that has no other cells. */
    const struct sst_field *probes;
    size_t n_probe_days;
};

struct sst_slot_sums {
    const uint32_t *item; /* by domain cell; SST_NO_ITEM where no day has a value or ice */
    struct sst_term_sums terms[SST_N_CLASSES];
};

struct sst_slot_source {
    void *user;
    const size_t *probe_at; /* by probe of the job: its cell in the fields of the probes */

    /* A slot of the engine's pools, each once, in the order of the schedule; valid until the next. Errors: those of the source. */
    enum sst_status (*get)(void *user, int slot, const struct sst_slot_sums **out, struct sst_error *err);
};

#endif
