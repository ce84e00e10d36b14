/* An open state: one slot file is read or replaced at a time. */
#include "state/state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_head.h"
#include "state/state_private.h"

/* --- opening ------------------------------------------------------------------------------------------------------ */

enum sst_status sst_state_create(const struct sst_os *os, enum sst_state_use use, const char *path,
                                 struct sst_state **out, struct sst_error *err)
{
    struct sst_state *state = NULL;
    SST_TRY(sst_alloc(1, sizeof *state, "a state", &state, err));
    state->os = os;
    state->use = use;
    state->folder = state->slots = state->lock = state->parent = -1;
    const enum sst_status rc = sst_state_set_path(state, path, err);
    if (rc == SST_OK)
        *out = state;
    else
        sst_state_close(&state);
    return rc;
}

enum sst_status sst_state_set_path(struct sst_state *state, const char *path, struct sst_error *err)
{
    char *copy = NULL, *slots = NULL;
    SST_TRY(sst_strdup(path, &copy, err));
    const enum sst_status rc = sst_asprintf(&slots, err, "%s/slots", path);
    if (rc != SST_OK) {
        sst_free(copy);
        return rc;
    }
    sst_free(state->path);
    sst_free(state->slots_path);
    state->path = copy;
    state->slots_path = slots;
    return SST_OK;
}

static enum sst_status open_folders(struct sst_state *state, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    state->folder = sst_state_open_file(os, AT_FDCWD, state->path, O_RDONLY | O_DIRECTORY);
    if (state->folder < 0 && errno == ENOENT)
        return sst_fail(err, SST_ERR_STATE, "%s: there is no state. Give the folder of one, or make it first",
                        state->path);
    if (state->folder < 0)
        return sst_fail(err, SST_ERR_STATE, "%s: cannot be opened: %s. Give the folder of a state", state->path,
                        strerror(errno));
    SST_TRY(sst_state_read_policy(state, &state->policy, err));
    state->slots = sst_state_open_file(os, state->folder, "slots", O_RDONLY | O_DIRECTORY);
    if (state->slots < 0)
        return sst_fail(err, errno == ENOENT ? SST_ERR_STATE : SST_ERR_INPUT,
                        "%s: the folder cannot be opened: %s. Put back a copy of it", state->slots_path,
                        strerror(errno));
    return SST_OK;
}

/* --- what a crash left -------------------------------------------------------------------------------------------- */

static enum sst_status remove_part(const struct sst_state *state, int folder, const char *where, const char *name,
                                   struct sst_error *err)
{
    if (state->os->unlink(state->os->user, folder, name) == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s/%s: left by a crash, cannot be removed: %s. Make the state writable",
                    where, name, strerror(errno));
}

static enum sst_status recover_top(void *user, const char *name, struct sst_error *err)
{
    const struct sst_state *state = user;
    return sst_state_name_at_top(name) == SST_STATE_NAME_PART
               ? remove_part(state, state->folder, state->path, name, err)
               : SST_OK;
}

struct recovery {
    struct sst_state *state;
    bool has_new; /* slots that the contents do not have yet */
};

static enum sst_status recover_slot(void *user, const char *name, struct sst_error *err)
{
    struct recovery *recovery = user;
    struct sst_state *state = recovery->state;
    int slot = 0;
    switch (sst_state_name_in_slots(name, &slot)) {
    case SST_STATE_NAME_PART:
        return remove_part(state, state->slots, state->slots_path, name, err);
    case SST_STATE_NAME_FILE:
        recovery->has_new = recovery->has_new || !sst_state_knows(state, slot);
        sst_state_set_known(state, slot);
        return SST_OK;
    case SST_STATE_NAME_STRANGE:
        break;
    }
    return SST_OK;
}

static enum sst_status sync_folder(const struct sst_state *state, int folder, const char *where, struct sst_error *err)
{
    if (state->os->sync(state->os->user, folder) == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: the folder cannot be synchronised (fsync): %s. Check the disk", where,
                    strerror(errno));
}

/*
 * A process may have died between a rename and the synchronising of its folder: what is seen here is made durable before
 * anybody is told that it was counted.
 */
static enum sst_status recover(struct sst_state *state, struct sst_error *err)
{
    struct recovery recovery = {.state = state};
    SST_TRY(sst_state_each_name(state->os, state->folder, state->path, recover_top, state, err));
    SST_TRY(sst_state_each_name(state->os, state->slots, state->slots_path, recover_slot, &recovery, err));
    SST_TRY(sst_day_log_cut(state, err));
    SST_TRY(sync_folder(state, state->slots, state->slots_path, err));
    return recovery.has_new ? sst_state_write_contents(state, err)
                            : sync_folder(state, state->folder, state->path, err);
}

enum sst_status sst_state_open(const struct sst_os *os, const char *path, enum sst_state_use use,
                               struct sst_state **out, struct sst_error *err)
{
    struct sst_state *state = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_state_create(os, use, path, &state, err));
    SST_TRY_GOTO(open_folders(state, err));
    if (use == SST_STATE_WRITE)
        SST_TRY_GOTO(sst_state_take_lock(state, err));
    SST_TRY_GOTO(sst_state_read_contents(state, err));
    SST_TRY_GOTO(sst_day_log_read(state, err));
    if (use == SST_STATE_WRITE)
        SST_TRY_GOTO(recover(state, err));
    *out = state;
    state = NULL;
done:
    sst_state_close(&state);
    return rc;
}

const struct sst_state_policy *sst_state_policy(const struct sst_state *state) { return &state->policy; }

const char *sst_state_path(const struct sst_state *state) { return state->path; }

/* --- slots -------------------------------------------------------------------------------------------------------- */

enum sst_status sst_state_check_slot(const struct sst_state *state, int slot, struct sst_error *err)
{
    if (slot >= 1 && slot <= SST_N_SLOTS)
        return SST_OK;
    return sst_fail(err, SST_ERR_INTERNAL, "%s: there is no slot %d", state->path, slot);
}

enum sst_status sst_state_check_absent(const struct sst_state *state, int slot, struct sst_error *err)
{
    char name[SST_STATE_NAME_ROOM];
    if (!sst_state_knows(state, slot))
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE, "%s/%s: missing. Put back a copy of this file", state->slots_path,
                    sst_state_slot_name(slot, name));
}

static enum sst_status decode(const struct sst_state *state, int slot, const struct sst_block_file *file,
                              bool keeps_shut, struct sst_slot_state **out, struct sst_error *err)
{
    char name[SST_STATE_NAME_ROOM];
    const enum sst_status rc = sst_slot_state_decode(&state->policy, slot, file, keeps_shut, out, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s/%s", state->slots_path, sst_state_slot_name(slot, name));
    return rc;
}

static enum sst_status load(const struct sst_state *state, int slot, bool keeps_shut, struct sst_slot_state **out,
                            struct sst_error *err)
{
    char name[SST_STATE_NAME_ROOM];
    struct sst_block_file *file = NULL;
    *out = NULL;
    SST_TRY(sst_state_check_slot(state, slot, err));
    const struct sst_block_place place = sst_state_slot_place(state, slot, name);
    SST_TRY(sst_block_file_read_but(&place, sst_slot_large_tags, SST_SLOT_N_LARGE_TAGS, &file, err));
    if (!file)
        return sst_state_check_absent(state, slot, err);
    const enum sst_status rc = decode(state, slot, file, keeps_shut, out, err);
    sst_block_file_destroy(&file);
    return rc;
}

enum sst_status sst_state_load_file(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                    struct sst_error *err)
{
    return load(state, slot, false, out, err);
}

enum sst_status sst_state_load(const struct sst_state *state, int slot, struct sst_slot_state **out,
                               struct sst_error *err)
{
    SST_TRY(load(state, slot, false, out, err));
    return *out ? SST_OK : sst_slot_state_create(&state->policy, slot, out, err);
}

enum sst_status sst_state_load_shut(const struct sst_state *state, int slot, struct sst_slot_state **out,
                                    struct sst_error *err)
{
    SST_TRY(load(state, slot, true, out, err));
    return *out ? SST_OK : sst_slot_state_create(&state->policy, slot, out, err);
}

static enum sst_status write_slot(const struct sst_state *state, const struct sst_slot_state *slot,
                                  struct sst_error *err)
{
    char name[SST_STATE_NAME_ROOM];
    struct sst_block_writer *writer = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_block_writer_create(SST_STATE_KIND_SLOT, state->policy.identity, &writer, err));
    SST_TRY_GOTO(sst_slot_state_encode(slot, writer, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, state->os, state->slots, state->slots_path,
                                         sst_state_slot_name(slot->slot, name), err));
done:
    sst_block_writer_destroy(&writer);
    return rc;
}

enum sst_status sst_state_check_takes(const struct sst_state *state, struct sst_error *err)
{
    if (!state->is_stopped)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: takes no more days after a write that failed. Open it again",
                    state->path);
}

enum sst_status sst_state_commit(struct sst_state *state, const struct sst_slot_state *slot, struct sst_error *err)
{
    SST_TRY(sst_state_check_slot(state, slot->slot, err));
    if (state->use != SST_STATE_WRITE || !sst_identity_is(slot->policy->identity, state->policy.identity))
        return sst_fail(err, SST_ERR_INTERNAL, "%s: a slot that is not for this state, or a state only to read",
                        state->path);
    SST_TRY(sst_state_check_takes(state, err));
    enum sst_status rc = write_slot(state, slot, err);
    if (rc == SST_OK && !sst_state_knows(state, slot->slot)) {
        sst_state_set_known(state, slot->slot);
        rc = sst_state_write_contents(state, err);
        if (rc != SST_OK)
            sst_state_forget(state, slot->slot);
    }
    state->is_stopped = rc == SST_ERR_OUTPUT;
    return rc;
}
