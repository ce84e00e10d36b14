/* The small files of a state: policy, contents, lock. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "state/block_file_layout.h"
#include "state/state_private.h"

enum { FILE_MODE = 0666, CONTENTS_BYTES = SST_N_SLOTS / 8 + 1, EXTENT_BYTES = 32 };

int sst_state_open_file(const struct sst_os *os, int folder, const char *name, int flags)
{
    for (;;) {
        const int fd = os->open(os->user, folder, name, flags, FILE_MODE);
        if (fd >= 0 || errno != EINTR)
            return fd;
    }
}

void sst_state_close_file(const struct sst_os *os, int *fd)
{
    if (*fd >= 0)
        (void)os->close(os->user, *fd);
    *fd = -1;
}

enum sst_status sst_state_take_lock(struct sst_state *state, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    state->lock = sst_state_open_file(os, state->folder, "lock", O_RDWR | O_CREAT);
    if (state->lock < 0)
        return sst_fail(err, SST_ERR_OUTPUT, "%s/lock: cannot be opened to write: %s. Make the state writable",
                        state->path, strerror(errno));
    int result = -1;
    do {
        result = os->lock(os->user, state->lock);
    } while (result != 0 && errno == EINTR);
    if (result == 0)
        return SST_OK;
    const int reason = errno;
    sst_state_close_file(os, &state->lock); /* an open one is ours */
    if (reason == EWOULDBLOCK)
        return sst_fail(err, SST_ERR_LOCKED, "%s: another process writes into it. Wait for it to end, or stop it",
                        state->path);
    return sst_fail(err, SST_ERR_OUTPUT, "%s/lock: cannot be locked: %s. Put the state where files can be locked",
                    state->path, strerror(reason));
}

/* --- contents ----------------------------------------------------------------------------------------------------- */

static enum sst_status add_extent(const struct sst_log_extent *extent, struct sst_block_writer *writer,
                                  struct sst_error *err)
{
    unsigned char bytes[EXTENT_BYTES], *at = bytes;
    if (extent->n_bytes == 0)
        return SST_OK;
    at = sst_blocks_put(at, extent->n_bytes, 8);
    at = sst_blocks_put(at, extent->n_records, 8);
    at = sst_blocks_put(at, extent->chain.low, 8);
    (void)sst_blocks_put(at, extent->chain.high, 8);
    return sst_block_writer_add(writer, SST_STATE_TAG_LOG, 0, bytes, sizeof bytes, false, err);
}

/* False where the block is not as it should be. */
static bool take_extent(const struct sst_block_file *file, struct sst_log_extent *extent)
{
    const struct sst_block block = sst_block_file_find(file, SST_STATE_TAG_LOG, 0);
    const unsigned char *at = block.bytes;
    *extent = (struct sst_log_extent){0};
    if (!at)
        return true;
    if (block.n_bytes != EXTENT_BYTES)
        return false;
    *extent = (struct sst_log_extent){
        sst_blocks_get(at, 8), sst_blocks_get(at + 8, 8), {sst_blocks_get(at + 16, 8), sst_blocks_get(at + 24, 8)}};
    return extent->n_bytes >= SST_BLOCKS_HEADER_BYTES;
}

enum sst_status sst_state_write_contents(struct sst_state *state, struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    unsigned char bytes[CONTENTS_BYTES] = {0};
    enum sst_status rc = SST_OK;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        if (sst_state_knows(state, slot))
            bytes[slot / 8] |= (unsigned char)(1 << (slot % 8));
    SST_TRY_GOTO(sst_block_writer_create(SST_STATE_KIND_CONTENTS, state->policy.identity, &writer, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, SST_STATE_TAG_CONTENTS, 0, bytes, sizeof bytes, false, err));
    SST_TRY_GOTO(add_extent(&state->log.extent, writer, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, state->os, state->folder, state->path, "contents", err));
done:
    sst_block_writer_destroy(&writer);
    return rc;
}

enum sst_status sst_state_read_contents(struct sst_state *state, struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    SST_TRY(sst_block_file_read(state->os, state->folder, state->path, "contents", SST_STATE_KIND_CONTENTS,
                                &state->policy.identity, &file, err));
    if (!file)
        return sst_fail(err, SST_ERR_STATE, "%s/contents: missing. Put back a copy of this file", state->path);
    const struct sst_block block = sst_block_file_find(file, SST_STATE_TAG_CONTENTS, 0);
    const unsigned char *bytes = block.bytes;
    const bool fits = bytes && block.n_bytes == CONTENTS_BYTES;
    memset(state->known, 0, sizeof state->known);
    for (int slot = 1; fits && slot <= SST_N_SLOTS; ++slot)
        if (bytes[slot / 8] >> (slot % 8) & 1)
            sst_state_set_known(state, slot);
    const bool has_extent = take_extent(file, &state->log.extent);
    sst_block_file_destroy(&file);
    if (!has_extent)
        return sst_fail(err, SST_ERR_STATE, "%s/contents: damaged: the length of the log of days is not one",
                        state->path);
    return fits ? SST_OK : sst_fail(err, SST_ERR_STATE, "%s/contents: damaged: no list of slots", state->path);
}

/* --- policy ------------------------------------------------------------------------------------------------------- */

enum sst_status sst_state_write_policy(const struct sst_state *state, const struct sst_state_policy *policy,
                                       struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_block_writer_create(SST_STATE_KIND_POLICY, policy->identity, &writer, err));
    SST_TRY_GOTO(sst_state_policy_encode(policy, writer, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, state->os, state->folder, state->path, "policy", err));
done:
    sst_block_writer_destroy(&writer);
    return rc;
}

enum sst_status sst_state_read_policy(const struct sst_state *state, struct sst_state_policy *out,
                                      struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    SST_TRY(
        sst_block_file_read(state->os, state->folder, state->path, "policy", SST_STATE_KIND_POLICY, NULL, &file, err));
    if (!file)
        return sst_fail(err, SST_ERR_STATE,
                        "%s: this is no state: it has no file \"policy\". Give the folder of a state", state->path);
    const struct sst_identity identity = sst_block_file_identity(file);
    const enum sst_status rc = sst_state_policy_decode(file, out, err);
    sst_block_file_destroy(&file);
    if (rc != SST_OK) {
        sst_error_prefix(err, "%s/policy", state->path);
        return rc;
    }
    if (sst_identity_is(identity, out->identity))
        return SST_OK;
    sst_state_policy_clear(out);
    return sst_fail(err, SST_ERR_STATE, "%s/policy: damaged: what it holds is not what it was made from", state->path);
}
