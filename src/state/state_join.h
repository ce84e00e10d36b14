/*
 * New states out of old ones: merged, with years taken out, with a baseline that moved. What is made is begun as "PATH.part" and
 * gets its name when it is complete; the states it is made of are only read, and do not change.
 */
#ifndef SST_STATE_STATE_JOIN_H
#define SST_STATE_STATE_JOIN_H

#include "state/ingest.h"

/* How whoever waits follows the work, slot by slot, and ends it. All zero: nobody does. */
struct sst_join_watch {
    void (*progress)(void *user, size_t slots_done, size_t slots_total); /* may be NULL */
    bool (*cancelled)(void *user); /* may be NULL */
    void *user;
};

/*
 * Merges two or more states of one policy: slot by slot by the rule of sst_slot_state_merge, days of the logs by that of
 * ingest (the same day once; final over preliminary; what a slot counts over both).
 *
 * All ledgers and logs are compared before anything is made.
 *
 * Errors   SST_ERR_STATE with the differing item of the policies, or with the list of days that are in the way (up to ten, and
 *          how many more); those of sst_state_begin, sst_state_load and sst_state_commit; SST_ERR_INTERRUPTED.
 */
SST_MUST_CHECK enum sst_status sst_state_merge(const struct sst_os *os, const struct sst_state *const *states,
                                               size_t n_states, const char *path, const struct sst_join_watch *watch,
                                               struct sst_error *err);

struct sst_retire_options {
    int first_year, last_year; /* years that are no longer counted; 0, 0: none */
    int first_baseline_year, last_baseline_year; /* 0, 0: the baseline stays */
    sst_choose_probes_fn *choose_probes; /* as sst_state_policy_complete */
    struct sst_catalog *old; /* files that were counted, for states that do not keep all; NULL: none */
    const struct sst_reader_options *reader; /* how `old` is read */
    struct sst_join_watch watch;
};

/* What became of days. */
struct sst_retire_totals {
    size_t n_kept, n_retired; /* counted before: still, and no longer */
    size_t n_logged; /* counted before, outside the new baseline: in the log now */
    size_t n_counted; /* of the log, in the new baseline: counted now */
    size_t n_wanting; /* of the log, in the new baseline, without values: to be ingested anew */
};

/*
 * Makes a state like `state` without the days of some years, or with another baseline, or both.
 *
 * The new state is, bit for bit, the one that would have come of ingesting the days that it counts. With keep all it is made
 * of its own values. Else sums are subtracted and added exactly, with the values of the files of `old`, which are known by the
 * digests of the ledger; and slots with lists that lose a day are made anew from the files of all their other days.
 *
 * Errors   SST_ERR_STATE where values are wanted that are not at hand: the days, up to ten, and how many more, before
 *          anything is made; those of reading, making and committing; SST_ERR_INTERRUPTED.
 */
SST_MUST_CHECK enum sst_status sst_state_retire(const struct sst_os *os, const struct sst_state *state,
                                                const struct sst_retire_options *options, const char *path,
                                                struct sst_retire_totals *totals, struct sst_error *err);

#endif
