/*
 * What state_retire*.c share: what becomes of days, and slots made new.
 *
 *   counted   stays | moves to another class | leaves: outside the new baseline, into the log | is retired
 *   logged    final and in the new baseline: is counted, where its values are at hand | stays in the log | is retired
 */
#ifndef SST_STATE_STATE_RETIRE_PRIVATE_H
#define SST_STATE_STATE_RETIRE_PRIVATE_H

#include "state/ingest_files.h"
#include "state/state_join.h"
#include "state/state_join_parts.h"

struct sst_retire {
    const struct sst_state *state;
    const struct sst_state_policy *policy; /* of it */
    const struct sst_retire_options *options;
    struct sst_retire_totals *totals;
    struct sst_pool_rule pools; /* of the new state */
    struct sst_state_ledgers *ledgers;
    struct sst_ingest_files old; /* zeroed: none */
    struct sst_field field; /* of one day */
    struct sst_state *target;
    struct sst_log_batch batch; /* into its log */
};

enum sst_fate { SST_FATE_STAYS, SST_FATE_MOVES, SST_FATE_LEAVES, SST_FATE_RETIRES };

enum sst_fate sst_retire_fate(const struct sst_retire *retire, int slot, const struct sst_ledger_entry *entry);

static inline bool sst_retire_is_retired(const struct sst_retire *retire, int year)
{
    const struct sst_retire_options *options = retire->options;
    return options->last_year != 0 && year >= options->first_year && year <= options->last_year;
}

/* Whether a day of the log is to be counted. What the log has of a day that is counted already does not matter. */
bool sst_retire_joins(const struct sst_retire *retire, const struct sst_logged_day *at);

/* What has to be done with a slot. */
enum sst_retire_way {
    SST_RETIRE_KEEP, /* no day goes, comes or moves */
    SST_RETIRE_CHANGE, /* days are subtracted and added */
    SST_RETIRE_ANEW /* all its days are added to a slot of no day */
};
enum sst_retire_way sst_retire_way(const struct sst_retire *retire, int slot);

/* Whether a file is needed for a counted day of a slot that goes this way. */
bool sst_retire_wants_file(const struct sst_retire *retire, enum sst_retire_way way, enum sst_fate fate);

/*
 * Makes and commits a slot, logs what leaves it, and counts in totals.
 *
 * Errors   SST_ERR_STATE where a file of `old` has not the values that were counted; those of reading and committing.
 */
SST_MUST_CHECK enum sst_status sst_retire_slot(struct sst_retire *retire, int slot, struct sst_error *err);

#endif
