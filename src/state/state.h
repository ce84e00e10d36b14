/*
 * A state: a directory that knows, for every calendar day, which days were counted and what they left; never half a day.
 *
 *   STATE/policy         written once            STATE/slots/001 .. 366   one immutable file each, replaced by renaming
 *   STATE/lock           of the one writer       STATE/days               days outside the bins: appended, checksummed
 *
 * One day changes one slot file, so that a day is counted once or not at all, whatever happens and when.
 */
#ifndef SST_STATE_STATE_H
#define SST_STATE_STATE_H

#include "state/slot_state.h"
#include "state/state_os.h"

struct sst_state;

enum sst_state_use { SST_STATE_READ, SST_STATE_WRITE };

/*
 * Makes a state in a folder that is not there yet: whole, by renaming, or not at all. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_make(const struct sst_os *os, const char *path,
                                              const struct sst_state_policy *policy, struct sst_error *err);

/*
 * Opens a state; to write, as its one writer, whose death frees it. What a crash left half done is removed by a writer.
 *
 * Owner    the caller; sst_state_close.
 * Errors   SST_ERR_STATE: no state there, of a newer version, damaged; SST_ERR_LOCKED: another writer; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_open(const struct sst_os *os, const char *path, enum sst_state_use use,
                                              struct sst_state **out, struct sst_error *err);
void sst_state_close(struct sst_state **state);

const struct sst_state_policy *sst_state_policy(const struct sst_state *state);
const char *sst_state_path(const struct sst_state *state);

/* The slot as it stands; of no day where there is no file. Owner: the caller. Errors: SST_ERR_STATE, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_state_load(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                              struct sst_error *err);

/* Puts a slot in the place of the old one; durable on return, else nothing has changed. Errors: SST_ERR_OUTPUT, ... */
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
