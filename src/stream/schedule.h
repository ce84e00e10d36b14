/*
 * In which order slots are read, finished and written, and when each thing in memory has seen its last use.
 *
 *   read slots ──▶ centre 1 ──▶ read slots ──▶ centre 2 ──▶ ...        each slot is read once, before the first centre
 *                    │ estimate               │ estimate               that pools it; its bins go after the last
 *                    └──────── smoother ──────┴──▶ output slots        an estimate goes after the last output that
 *                                                                      averages it
 *
 * For the whole year the first centre is 1 January, so the last days of December are read first and kept for the end;
 * the first outputs (1..15 for 31 days) come last. Nothing of that is written here: it follows from the last uses.
 *
 * Pools that are finished together are a group: all its slots are read before the first of them is finished, and used slots
 * go after the last. Where there is room, the slots of the next group are read between the estimates of this one.
 */
#ifndef SST_STREAM_SCHEDULE_H
#define SST_STREAM_SCHEDULE_H

#include "core/calendar.h"
#include "stream/policy.h"

/* Room for every slot once. */
enum { SST_MAX_STEPS = SST_N_SLOTS };

struct sst_schedule {
    /* Estimates in the order in which they come to be; a derived slot 60 comes after 59 and 61. */
    int n_estimates;
    int16_t estimate_slot[SST_MAX_STEPS];
    bool is_derived[SST_MAX_STEPS];
    int16_t estimate_index[SST_N_SLOTS + 1]; /* by slot; -1 where it is not estimated */
    int16_t estimate_last_use[SST_MAX_STEPS]; /* when this estimate is there, and what it completes, this one may go */

    /* Slots in the order in which they are read; those of estimate e are read_first[e] .. read_first[e + 1] - 1. */
    int n_reads;
    int16_t read_slot[SST_MAX_STEPS];
    int16_t read_first[SST_MAX_STEPS + 1];
    int16_t slot_last_use[SST_N_SLOTS + 1]; /* index of the last estimate that pools the slot; -1 for none */

    /* Outputs in the order in which they can be written; output o is ready when estimate output_ready[o] is there. */
    int n_outputs;
    int16_t output_slot[SST_MAX_STEPS];
    int16_t output_ready[SST_MAX_STEPS];
};

/* Works the schedule out; cannot fail for a policy that sst_policy_check accepts. */
void sst_schedule_make(const struct sst_policy *policy, struct sst_schedule *schedule);

/*
 * Indices of the estimates that the output of `slot` averages, in order of the ring; one without smoothing.
 * `members` has room for SST_N_SLOTS. Returns their number.
 */
int sst_schedule_members(const struct sst_schedule *schedule, const struct sst_policy *policy, int slot, int *members);

/*
 * One behind the last estimate of the group that begins with `first`: at most n_ahead pools (0: one), and the derived
 * slot behind them.
 */
int sst_schedule_group_end(const struct sst_schedule *schedule, int first, size_t n_ahead);

/* The last estimate of first .. end - 1 that has a pool of its own. */
int sst_schedule_last_pool(const struct sst_schedule *schedule, int first, int end);

/*
 * Reads that are done, one behind the last, when estimate e of the group first .. end - 1 is finished and slots of the next
 * group are read between its estimates: in even shares.
 */
int sst_schedule_read_ahead(const struct sst_schedule *schedule, int first, int end, size_t n_ahead, int e);

/* The two estimates whose mean a derived slot is. */
void sst_schedule_parents(const struct sst_schedule *schedule, int *before, int *after);

/* Days of a term, at most; with lacks_days_beside, those beside the baseline are none. */
size_t sst_schedule_term_days(const struct sst_policy *policy, struct sst_term term, bool lacks_days_beside);

/* The most that there is at a time, for a store whose size is settled at the start. */
struct sst_schedule_counts {
    size_t n_terms, n_days; /* that are held, and the days of all of them together */
    size_t n_term_days; /* of a term */
    size_t n_pool_terms; /* of a pool */
    size_t n_pools; /* of a group */
};
struct sst_schedule_counts sst_schedule_count(const struct sst_policy *policy, size_t n_ahead, bool lacks_days_beside);

#endif
