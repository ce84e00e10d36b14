/* A new state is whole before it has its name. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "core/mem.h"
#include "state/state_private.h"

enum { FOLDER_MODE = 0777 /* less the user's umask */ };

static enum sst_status fail_errno(const struct sst_state *state, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_OUTPUT, "%s: %s: %s. Choose another place, or make this one writable", state->path,
                    what, strerror(errno));
}

/* --- where it goes ------------------------------------------------------------------------------------------------ */

/* Opens the folder that holds `path`, and names what is to be made in it. */
static enum sst_status open_parent(struct sst_state *state, const char *path, struct sst_error *err)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        --end;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        --start;
    char *parent = NULL;
    SST_TRY(sst_asprintf(&state->name, err, "%.*s", (int)(end - start), path + start));
    SST_TRY(sst_asprintf(&state->part, err, "%s.part", state->name));
    if (!*state->name || strcmp(state->name, ".") == 0 || strcmp(state->name, "..") == 0)
        return sst_fail(err, SST_ERR_OUTPUT, "'%s': does not name a new folder. Give the name of one", path);
    SST_TRY(sst_asprintf(&parent, err, "%.*s", start ? (int)start : 1, start ? path : "."));
    state->parent = sst_state_open_file(state->os, AT_FDCWD, parent, O_RDONLY | O_DIRECTORY);
    sst_free(parent);
    return state->parent < 0 ? fail_errno(state, "the folder it goes into cannot be opened", err) : SST_OK;
}

/* Nothing may be at the place. */
static enum sst_status check_place(const struct sst_state *state, struct sst_error *err)
{
    int fd = sst_state_open_file(state->os, state->parent, state->name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT)
        return SST_OK;
    if (fd < 0)
        return fail_errno(state, "the place cannot be looked at", err);
    sst_state_close_file(state->os, &fd);
    return sst_fail(err, SST_ERR_OUTPUT, "%s: is there already. Give another name, or remove it", state->path);
}

/* --- what a crash left, and what is not wanted any more ----------------------------------------------------------- */

static enum sst_status refuse_strange(void *user, const char *name, struct sst_error *err)
{
    const struct sst_state *state = user;
    if (sst_state_name_at_top(name) != SST_STATE_NAME_STRANGE)
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s.part: holds %s, so it was not left by us. Remove it, or give another name",
                    state->path, name);
}

static enum sst_status remove_top(void *user, const char *name, struct sst_error *err)
{
    const struct sst_state *state = user;
    if (strcmp(name, "slots") == 0 || strcmp(name, "lock") == 0)
        return SST_OK;
    return state->os->unlink(state->os->user, state->folder, name) == 0
               ? SST_OK
               : fail_errno(state, "what was left of one half made cannot be removed", err);
}

static enum sst_status remove_slot(void *user, const char *name, struct sst_error *err)
{
    const struct sst_state *state = user;
    return state->os->unlink(state->os->user, state->slots, name) == 0
               ? SST_OK
               : fail_errno(state, "what was left of one half made cannot be removed", err);
}

static enum sst_status empty(struct sst_state *state, struct sst_error *err)
{
    SST_TRY(sst_state_each_name(state->os, state->folder, state->path, remove_top, state, err));
    return state->slots < 0 ? SST_OK
                            : sst_state_each_name(state->os, state->slots, state->slots_path, remove_slot, state, err);
}

/* Where anything fails, the next one that is made here goes on with it. */
static void remove_unfinished(struct sst_state *state)
{
    const struct sst_os *os = state->os;
    if (state->lock < 0 || empty(state, NULL) != SST_OK || os->remove_folder(os->user, state->folder, "slots") != 0)
        return;
    (void)os->unlink(os->user, state->folder, "lock");
    (void)os->remove_folder(os->user, state->parent, state->part);
}

/* --- making ------------------------------------------------------------------------------------------------------- */

static enum sst_status make_folder(const struct sst_state *state, int folder, const char *name, struct sst_error *err)
{
    if (state->os->make_folder(state->os->user, folder, name, FOLDER_MODE) == 0 || errno == EEXIST)
        return SST_OK;
    return fail_errno(state, "the folder cannot be made", err);
}

/*
 * The part, locked. Who waited here while another finished holds the folder that now has the final name: so the place is
 * looked at once more, behind the lock.
 */
static enum sst_status take_part(struct sst_state *state, struct sst_error *err)
{
    SST_TRY(check_place(state, err));
    SST_TRY(make_folder(state, state->parent, state->part, err));
    state->folder = sst_state_open_file(state->os, state->parent, state->part, O_RDONLY | O_DIRECTORY);
    if (state->folder < 0)
        return fail_errno(state, "the folder that was made for it cannot be opened", err);
    SST_TRY(sst_state_each_name(state->os, state->folder, state->path, refuse_strange, state, err));
    SST_TRY(sst_state_take_lock(state, err));
    const enum sst_status rc = check_place(state, err);
    if (rc != SST_OK) /* not ours to remove */
        sst_state_close_file(state->os, &state->lock);
    return rc;
}

static enum sst_status fill_part(struct sst_state *state, const struct sst_state_policy *policy, struct sst_error *err)
{
    SST_TRY(make_folder(state, state->folder, "slots", err));
    state->slots = sst_state_open_file(state->os, state->folder, "slots", O_RDONLY | O_DIRECTORY);
    if (state->slots < 0)
        return fail_errno(state, "the folder of the slots cannot be opened", err);
    SST_TRY(empty(state, err));
    if (state->os->sync(state->os->user, state->slots) != 0)
        return fail_errno(state, "the folder of the slots cannot be synchronised (fsync)", err);
    SST_TRY(sst_state_write_policy(state, policy, err));
    /* Read back, so that a state that was begun is like one that was opened, to the bit. */
    SST_TRY(sst_state_read_policy(state, &state->policy, err));
    return sst_state_write_contents(state, err);
}

enum sst_status sst_state_begin(const struct sst_os *os, const char *path, const struct sst_state_policy *policy,
                                struct sst_state **out, struct sst_error *err)
{
    struct sst_state *state = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_state_create(os, SST_STATE_WRITE, path, &state, err));
    SST_TRY_GOTO(open_parent(state, path, err));
    SST_TRY_GOTO(take_part(state, err));
    SST_TRY_GOTO(fill_part(state, policy, err));
    *out = state;
    state = NULL;
done:
    sst_state_close(&state);
    return rc;
}

enum sst_status sst_state_finish(struct sst_state *state, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    if (state->parent < 0 || state->is_stopped)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be finished after a write that failed. Make it again",
                        state->path);
    if (os->rename(os->user, state->parent, state->part, state->name) != 0)
        return fail_errno(state, "the finished state cannot be given its name (rename)", err);
    int parent = state->parent;
    state->parent = -1; /* from here on it is no part */
    enum sst_status rc = SST_OK;
    if (os->sync(os->user, parent) != 0) {
        rc = fail_errno(state, "the folder it is in cannot be synchronised (fsync), so it may not outlive a power cut",
                        err);
        state->is_stopped = true;
    }
    sst_state_close_file(os, &parent);
    return rc;
}

enum sst_status sst_state_make(const struct sst_os *os, const char *path, const struct sst_state_policy *policy,
                               struct sst_error *err)
{
    struct sst_state *state = NULL;
    SST_TRY(sst_state_begin(os, path, policy, &state, err));
    const enum sst_status rc = sst_state_finish(state, err);
    sst_state_close(&state);
    return rc;
}

void sst_state_close(struct sst_state **handle)
{
    struct sst_state *state = *handle;
    if (!state)
        return;
    if (state->parent >= 0)
        remove_unfinished(state);
    sst_state_close_file(state->os, &state->slots);
    sst_state_close_file(state->os, &state->folder);
    sst_state_close_file(state->os, &state->parent);
    sst_state_close_file(state->os, &state->lock); /* last: all else is let go before another writer comes */
    sst_day_log_clear(&state->log);
    sst_state_policy_clear(&state->policy);
    sst_free(state->path);
    sst_free(state->slots_path);
    sst_free(state->name);
    sst_free(state->part);
    sst_free(state);
    *handle = NULL;
}
