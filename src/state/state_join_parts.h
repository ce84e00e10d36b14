/* What merging and retiring share: ledgers of all slots, lists of days for messages, days on their way into a log. */
#ifndef SST_STATE_STATE_JOIN_PARTS_H
#define SST_STATE_STATE_JOIN_PARTS_H

#include "state/day_log.h"
#include "state/state.h"
#include "state/state_join.h"

/* Tells that a slot is done. Errors: SST_ERR_INTERRUPTED. */
SST_MUST_CHECK enum sst_status sst_join_watch_slot(const struct sst_join_watch *watch, int slot, struct sst_error *err);

/* --- ledgers ------------------------------------------------------------------------------------------------------ */

/* Which days a state counts. */
struct sst_state_ledgers {
    struct sst_ledger of[SST_N_SLOTS + 1]; /* by slot */
};

/* Owner: the caller; sst_state_ledgers_destroy, which accepts NULL inside. Errors: as sst_state_load_ledger. */
SST_MUST_CHECK enum sst_status sst_state_ledgers_load(const struct sst_state *state, struct sst_state_ledgers **out,
                                                      struct sst_error *err);
void sst_state_ledgers_destroy(struct sst_state_ledgers **ledgers);

/* --- days for a message ------------------------------------------------------------------------------------------- */

enum { SST_DAY_NAMES_SHOWN = 10, SST_DAY_NAMES_TEXT = 192 };

/* The first days that were added, and how many. All zero is an empty list. */
struct sst_day_names {
    struct sst_day first[SST_DAY_NAMES_SHOWN];
    size_t n;
};

void sst_day_names_add(struct sst_day_names *names, struct sst_day day);

/* "1982-01-03, 1982-01-04, 1982-01-05 and 7 more" into a buffer of SST_DAY_NAMES_TEXT; returns it. */
const char *sst_day_names_text(const struct sst_day_names *names, enum sst_calendar_kind kind, char *text);

/* --- fields and logs ---------------------------------------------------------------------------------------------- */

/* A field with room for the cells of a policy's grid. Owner: the caller; sst_state_field_clear, also after a failure. */
SST_MUST_CHECK enum sst_status sst_state_field_init(const struct sst_state_policy *policy, struct sst_field *field,
                                                    struct sst_error *err);
void sst_state_field_clear(struct sst_field *field);

/* Days that are logged together, since each call waits for the disk. */
enum { SST_LOG_BATCH = 8 };

struct sst_log_batch {
    struct sst_state *target; /* borrowed */
    struct sst_log_entry entries[SST_LOG_BATCH];
    char *sources[SST_LOG_BATCH];
    struct sst_field fields[SST_LOG_BATCH]; /* of a target that keeps all */
    size_t n;
};

/* Owner: the caller; sst_log_batch_close, also after a failure. What was not flushed is dropped. */
SST_MUST_CHECK enum sst_status sst_log_batch_open(struct sst_log_batch *batch, struct sst_state *target,
                                                  struct sst_error *err);
void sst_log_batch_close(struct sst_log_batch *batch);

/* The field that the next day is to fill; NULL where the target keeps no values. */
struct sst_field *sst_log_batch_field(struct sst_log_batch *batch);

/* Adds a day, whose field stands in sst_log_batch_field, with a copy of `source`. Errors: as sst_state_log. */
SST_MUST_CHECK enum sst_status sst_log_batch_add(struct sst_log_batch *batch, const struct sst_logged_day *at,
                                                 const char *source, struct sst_error *err);

/* Adds a day from the log of another state. Errors: as sst_state_log and sst_state_load_logged. */
SST_MUST_CHECK enum sst_status sst_log_batch_copy(struct sst_log_batch *batch, const struct sst_state *from,
                                                  const struct sst_logged_day *at, struct sst_error *err);

/* Logs what was added. */
SST_MUST_CHECK enum sst_status sst_log_batch_flush(struct sst_log_batch *batch, struct sst_error *err);

#endif
