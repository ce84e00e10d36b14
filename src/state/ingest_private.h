/* What ingest*.c share: one call of sst_ingest at work. */
#ifndef SST_STATE_INGEST_PRIVATE_H
#define SST_STATE_INGEST_PRIVATE_H

#include <string.h>

#include "state/ingest.h"
#include "state/ingest_files.h"
#include "state/ingest_replace.h"

/* Days that are to be logged by one commit, and are told then. */
struct sst_ingest_batch {
    struct sst_log_entry entries[SST_INGEST_BATCH_DAYS]; /* `field` points into fields */
    struct sst_ingest_news news[SST_INGEST_BATCH_DAYS];
    struct sst_field fields[SST_INGEST_BATCH_DAYS]; /* copies, of a state that keeps all */
    size_t n;
    size_t n_bytes; /* of fields */
};

/* Ledgers of slots as they stand on disk, read when they are first asked for. */
struct sst_ingest_ledgers {
    bool is_known[SST_N_SLOTS + 1]; /* by slot */
    struct sst_ledger of[SST_N_SLOTS + 1];
};

struct sst_ingest {
    struct sst_state *state;
    const struct sst_state_policy *policy;
    struct sst_catalog *catalog;
    const struct sst_ingest_options *options;
    struct sst_ingest_totals *totals;
    struct sst_ingest_files files, old[SST_INGEST_N_OLD];
    struct sst_ingest_ledgers ledgers;
    struct sst_ingest_batch batch;
    struct sst_slot_state *slot; /* that days are counted into; NULL until the first of it */
    struct sst_ingest_news *counted; /* days in it that are not durable yet */
    size_t n_counted, counted_capacity;
    size_t n_days_done, n_days;
};

/* A file's name without its folder: what a state keeps of it. */
static inline const char *sst_ingest_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ingest.c: counts a day's outcome, and tells of it. */
void sst_ingest_tell(struct sst_ingest *ingest, const struct sst_ingest_news *news);

/* ingest_day.c: what becomes of one day. */
SST_MUST_CHECK enum sst_status sst_ingest_take_day(struct sst_ingest *ingest, struct sst_day day,
                                                   struct sst_error *err);

/* Whether files of a day have to be read; else its outcome is known without, and *outcome. */
SST_MUST_CHECK enum sst_status sst_ingest_wants(struct sst_ingest *ingest, struct sst_day day, bool *is_wanted,
                                                struct sst_error *err);

/* --- what is known: ingest_known.c -------------------------------------------------------------------------------- */

/* The ledger of a slot on disk. Borrowed until sst_ingest_forget_ledger. Errors: of sst_state_load_ledger. */
SST_MUST_CHECK enum sst_status sst_ingest_ledger(struct sst_ingest *ingest, int slot, const struct sst_ledger **out,
                                                 struct sst_error *err);
void sst_ingest_forget_ledger(struct sst_ingest *ingest, int slot);

/* What is known of a day: at->counted and at->logged. Borrowed until the next commit of either kind. */
SST_MUST_CHECK enum sst_status sst_ingest_known(struct sst_ingest *ingest, struct sst_day day,
                                                struct sst_ingest_case *at, struct sst_error *err);

/*
 * Whether something is odd about a day.
 *
 * held  where it is: which guard says so; text (SST_INGEST_TEXT_SIZE) says why. Errors: as sst_ingest_known.
 */
SST_MUST_CHECK enum sst_status sst_ingest_guard(struct sst_ingest *ingest, struct sst_day day,
                                                const struct sst_ingest_look *look, bool *is_odd,
                                                enum sst_held_reason *held, char *text, struct sst_error *err);

/* --- days to be logged: ingest_batch.c ---------------------------------------------------------------------------- */

/* Adds the day that was read last, and logs the batch where it is full. Errors: SST_ERR_NOMEM; of sst_state_log. */
SST_MUST_CHECK enum sst_status sst_ingest_batch_add(struct sst_ingest *ingest, const struct sst_ingest_look *look,
                                                    const struct sst_ingest_news *news, struct sst_error *err);

/* Whether the caller lets a commit be. Errors: SST_ERR_INTERRUPTED. */
SST_MUST_CHECK enum sst_status sst_ingest_may_write(const struct sst_ingest *ingest, struct sst_error *err);

/* Logs what waits, and tells of it. Errors: of sst_ingest_may_write and sst_state_log. */
SST_MUST_CHECK enum sst_status sst_ingest_batch_commit(struct sst_ingest *ingest, struct sst_error *err);
void sst_ingest_batch_clear(struct sst_ingest_batch *batch);

/* A day that waits, or NULL. */
const struct sst_logged_day *sst_ingest_batch_day(const struct sst_ingest_batch *batch, struct sst_day day);

#endif
