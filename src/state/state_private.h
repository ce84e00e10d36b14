/* What state*.c share: an open state, its files and their names. */
#ifndef SST_STATE_STATE_PRIVATE_H
#define SST_STATE_STATE_PRIVATE_H

#include <stdbool.h>
#include <stdint.h>

#include "state/day_log_private.h"
#include "state/state.h"

enum { SST_STATE_KNOWN_WORDS = (SST_N_SLOTS + 64) / 64, SST_STATE_NAME_ROOM = 256 };

#define SST_STATE_KIND_POLICY SST_BLOCKS_TAG('P', 'L', 'C', 'Y')
#define SST_STATE_KIND_SLOT SST_BLOCKS_TAG('S', 'L', 'O', 'T')
#define SST_STATE_KIND_CONTENTS SST_BLOCKS_TAG('C', 'O', 'N', 'T')
#define SST_STATE_KIND_NOTES SST_BLOCKS_TAG('N', 'O', 'T', 'E')

/* The bitmap of slots that have a file: bit slot % 8 of byte slot / 8. */
#define SST_STATE_TAG_CONTENTS SST_BLOCKS_TAG('K', 'N', 'W', 'N')

/* Length of the log u64, records u64, chain u64 x 2; no block where there is no log. */
#define SST_STATE_TAG_LOG SST_BLOCKS_TAG('D', 'L', 'O', 'G')

struct sst_state {
    const struct sst_os *os;
    enum sst_state_use use;
    char *path, *slots_path;
    struct sst_state_policy policy;
    int folder, slots, lock; /* open, or -1 */
    uint64_t known[SST_STATE_KNOWN_WORDS]; /* bit slot: it has a file, or had one */
    struct sst_day_log log;
    bool is_stopped; /* a write failed */
    /* Of one that was begun and not finished. */
    int parent; /* open, or -1 */
    char *name, *part; /* in the parent */
};

static inline bool sst_state_knows(const struct sst_state *state, int slot)
{
    return state->known[slot / 64] >> (slot % 64) & 1;
}

static inline void sst_state_set_known(struct sst_state *state, int slot)
{
    state->known[slot / 64] |= UINT64_C(1) << (slot % 64);
}

static inline void sst_state_forget(struct sst_state *state, int slot)
{
    state->known[slot / 64] &= ~(UINT64_C(1) << (slot % 64));
}

/* A state without files, all descriptors -1. Owner: the caller; sst_state_close. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_state_create(const struct sst_os *os, enum sst_state_use use, const char *path,
                                                struct sst_state **out, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_set_path(struct sst_state *state, const char *path, struct sst_error *err);

/* Open, and tried again where that is interrupted. -1 and errno. */
int sst_state_open_file(const struct sst_os *os, int folder, const char *name, int flags);
void sst_state_close_file(const struct sst_os *os, int *fd);

/* Takes the lock of the writer, whose file is made where it is not there. Errors: SST_ERR_LOCKED, SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_state_take_lock(struct sst_state *state, struct sst_error *err);

SST_MUST_CHECK enum sst_status sst_state_write_contents(struct sst_state *state, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_read_contents(struct sst_state *state, struct sst_error *err);

/* A policy from the file of a folder. Owner: sst_state_policy_clear. Errors: SST_ERR_STATE also where there is none. */
SST_MUST_CHECK enum sst_status sst_state_read_policy(const struct sst_state *state, struct sst_state_policy *out,
                                                     struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_write_policy(const struct sst_state *state,
                                                      const struct sst_state_policy *policy, struct sst_error *err);

/* Whether the state takes more. Errors: SST_ERR_OUTPUT after a write that failed. */
SST_MUST_CHECK enum sst_status sst_state_check_takes(const struct sst_state *state, struct sst_error *err);

/* Whether there can be such a slot; and whether its file may be absent. Errors: SST_ERR_INTERNAL; SST_ERR_STATE. */
SST_MUST_CHECK enum sst_status sst_state_check_slot(const struct sst_state *state, int slot, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_check_absent(const struct sst_state *state, int slot, struct sst_error *err);

/* As sst_state_load, but NULL where there never was a file. */
SST_MUST_CHECK enum sst_status sst_state_load_file(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                                   struct sst_error *err);

/* --- names -------------------------------------------------------------------------------------------------------- */

enum sst_state_name { SST_STATE_NAME_STRANGE, SST_STATE_NAME_FILE, SST_STATE_NAME_PART };

/* What a name is in the folder itself, and in that of the slots, where *slot is set to its number. */
enum sst_state_name sst_state_name_at_top(const char *name);
enum sst_state_name sst_state_name_in_slots(const char *name, int *slot);

/* The name of a slot's file, "017". text has room for SST_STATE_NAME_ROOM. */
const char *sst_state_slot_name(int slot, char *text);

/* A slot's file; `name` as text above. */
static inline struct sst_block_place sst_state_slot_place(const struct sst_state *state, int slot, char *name)
{
    return (struct sst_block_place){.os = state->os,
                                    .folder = state->slots,
                                    .where = state->slots_path,
                                    .name = sst_state_slot_name(slot, name),
                                    .kind = SST_STATE_KIND_SLOT,
                                    .identity = &state->policy.identity};
}

/* Calls back for each name of a folder, that may be removed meanwhile; `where` is its path. Errors: SST_ERR_INPUT; the callback's. */
typedef enum sst_status sst_state_name_fn(void *user, const char *name, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_state_each_name(const struct sst_os *os, int folder, const char *where,
                                                   sst_state_name_fn *call, void *user, struct sst_error *err);

#endif
