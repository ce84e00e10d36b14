/* What a state holds, counted from its ledgers: for `inspect`. */
#ifndef SST_APP_STATE_FACTS_H
#define SST_APP_STATE_FACTS_H

#include "state/day_log.h"
#include "state/state.h"

struct sst_state_year {
    int year;
    bool is_edge; /* beside the baseline: only the days that windows of its ends reach */
    size_t n_counted, n_expected; /* days */
};

struct sst_state_facts {
    struct sst_state_year *years; /* ascending, edges included where they have days */
    size_t n_years;
    size_t n_counted, n_expected; /* days of the baseline */
    size_t n_logged[SST_DAY_FINAL + 1]; /* days known by the log alone, by enum sst_day_status */
    struct sst_day *missing; /* days of the baseline, in order of time */
    size_t n_missing, missing_capacity;
    uint64_t n_bytes; /* of all files */
    size_t n_files;
    struct sst_identity digest;
};

/* Reads all of a state. Owner: the caller; sst_state_facts_clear, also after a failure. Errors: SST_ERR_STATE, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_state_facts(const struct sst_state *state, struct sst_state_facts *out,
                                               struct sst_error *err);
void sst_state_facts_clear(struct sst_state_facts *facts);

#endif
