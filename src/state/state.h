/*
 * A state: a directory that knows, for every calendar day, which days were counted and what they left; never half a day.
 *
 *   STATE/policy     written once                        STATE/slots/001 .. 366   one immutable file each, replaced by renaming
 *   STATE/contents   which slots have a file, how long   STATE/lock               of the one writer
 *                    the log of days is
 *   STATE/days       days outside the bins, appended: day_log.h
 *   STATE/files      what became of files: file_notes.h
 *
 * One day changes one slot file, so that a day is counted once or not at all, whatever happens and when. A slot gets into the
 * contents after its file is there, so that a file which is gone later is missed.
 */
#ifndef SST_STATE_STATE_H
#define SST_STATE_STATE_H

#include "state/slot_state.h"
#include "state/state_os.h"

struct sst_state;

enum sst_state_use { SST_STATE_READ, SST_STATE_WRITE };

/*
 * Begins a state in a folder that is not there yet: as "PATH.part", open to write, which sst_state_finish gives its name.
 * Closed unfinished, it is removed; what a crash left of one is removed by the next.
 *
 * Owner    the caller; sst_state_close.
 * Errors   SST_ERR_OUTPUT: there is something at PATH, or it cannot be written; SST_ERR_LOCKED: somebody is making it;
 *          SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_begin(const struct sst_os *os, const char *path,
                                               const struct sst_state_policy *policy, struct sst_state **out,
                                               struct sst_error *err);

/* Renames what was begun into place; it stays open, and is durable on return. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_state_finish(struct sst_state *state, struct sst_error *err);

/* Begins, finishes and closes a state of no day: it is there whole, or not at all. Errors: as sst_state_begin. */
SST_MUST_CHECK enum sst_status sst_state_make(const struct sst_os *os, const char *path,
                                              const struct sst_state_policy *policy, struct sst_error *err);

/*
 * Opens a state; to write, as its one writer, whose death frees it. What a crash left half done is removed by a writer.
 *
 * Owner    the caller; sst_state_close.
 * Errors   SST_ERR_STATE: no state there, of a newer version, damaged; SST_ERR_LOCKED: another writer; SST_ERR_OUTPUT: it
 *          cannot be written; SST_ERR_INPUT: it cannot be read; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_open(const struct sst_os *os, const char *path, enum sst_state_use use,
                                              struct sst_state **out, struct sst_error *err);
void sst_state_close(struct sst_state **state);

const struct sst_state_policy *sst_state_policy(const struct sst_state *state);
const char *sst_state_path(const struct sst_state *state);

/*
 * The slot as it stands; of no day where there never was a file.
 *
 * Owner    the caller; sst_slot_state_destroy.
 * Errors   SST_ERR_STATE: damaged, missing, of another slot or state; SST_ERR_INPUT: cannot be read; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_load(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                              struct sst_error *err);

/* As sst_state_load, for a slot to which days are added: what is kept of others stays packed. See sst_slot_state_open. */
SST_MUST_CHECK enum sst_status sst_state_load_shut(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                                   struct sst_error *err);

/* The ledger of a slot alone: entries without what is kept of the days. */
struct sst_ledger {
    struct sst_ledger_entry *entries; /* ascending years */
    size_t n_entries;
};

/*
 * The ledger as it stands, of no day where there never was a file. Reads and checks the header, the index and the ledger's
 * block of the slot's file, a few kilobytes, and not the rest.
 *
 * Owner    the caller; sst_ledger_clear. Errors: as sst_state_load.
 */
SST_MUST_CHECK enum sst_status sst_state_load_ledger(const struct sst_state *state, int slot, struct sst_ledger *out,
                                                     struct sst_error *err);
void sst_ledger_clear(struct sst_ledger *ledger);
const struct sst_ledger_entry *sst_ledger_entry(const struct sst_ledger *ledger, int year); /* or NULL */

/*
 * Puts a slot in the place of the old one; durable on return.
 *
 * Errors   SST_ERR_OUTPUT: the old one stands, or the new one does but may not outlive a power cut; SST_ERR_NOMEM. After the
 *          first the state takes no more until it is opened again: what the system did not write it may not write later.
 */
SST_MUST_CHECK enum sst_status sst_state_commit(struct sst_state *state, const struct sst_slot_state *slot,
                                                struct sst_error *err);

/* 128 bits over all slots and the days beside them: equal for states that counted the same days. Reads every file whole. */
SST_MUST_CHECK enum sst_status sst_state_digest(const struct sst_state *state, struct sst_identity *out,
                                                struct sst_error *err);

/*
 * Checks every byte of every file, telling each that is damaged, strange or missing.
 *
 * Returns  SST_OK where all is whole; SST_ERR_STATE with the number of faults.
 */
SST_MUST_CHECK enum sst_status sst_state_verify(const struct sst_state *state,
                                                void (*tell)(void *user, const char *text), void *user,
                                                struct sst_error *err);

#endif
