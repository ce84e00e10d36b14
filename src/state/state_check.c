/* What a state holds as one number, and whether every byte of it is as it was written. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/state_private.h"

/* --- digest ------------------------------------------------------------------------------------------------------- */

enum { NUMBERS_A_SLOT = 3, NUMBER_BYTES = 8 };

static unsigned char *put_number(unsigned char *at, uint64_t number)
{
    for (int i = 0; i < NUMBER_BYTES; ++i)
        *at++ = (unsigned char)(number >> (8 * i));
    return at;
}

/* Which days of the log a slot counts. */
static void mark_counted(const struct sst_state *state, const struct sst_slot_state *slot, bool *is_counted)
{
    const struct sst_day_log *log = &state->log;
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        const struct sst_day day = {slot->ledger[i].year, slot->slot};
        const size_t at = sst_day_log_place(log, day);
        if (at < log->n_days && sst_day_compare(log->days[at].day, day) == 0)
            is_counted[at] = true;
    }
}

static enum sst_status digest_slots(const struct sst_state *state, bool *is_counted, struct sst_identity *out,
                                    struct sst_error *err)
{
    unsigned char bytes[(2 + NUMBERS_A_SLOT * SST_N_SLOTS) * NUMBER_BYTES], *end = bytes;
    end = put_number(end, state->policy.identity.low);
    end = put_number(end, state->policy.identity.high);
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        struct sst_slot_state *loaded = NULL;
        SST_TRY(sst_state_load_file(state, slot, &loaded, err));
        if (loaded && loaded->n_ledger > 0) {
            const struct sst_identity digest = sst_slot_state_digest(loaded);
            end = put_number(end, (uint64_t)slot);
            end = put_number(end, digest.low);
            end = put_number(end, digest.high);
            mark_counted(state, loaded, is_counted);
        }
        sst_slot_state_destroy(&loaded);
    }
    *out = sst_identity_of(bytes, (size_t)(end - bytes));
    return SST_OK;
}

enum sst_status sst_state_digest(const struct sst_state *state, struct sst_identity *out, struct sst_error *err)
{
    bool *is_counted = NULL;
    SST_TRY(sst_alloc(state->log.n_days, sizeof *is_counted, "the log of days", &is_counted, err));
    const enum sst_status rc = digest_slots(state, is_counted, out, err);
    if (rc == SST_OK)
        sst_day_log_fold(&state->log, is_counted, out);
    sst_free(is_counted);
    return rc;
}

/* --- verify ------------------------------------------------------------------------------------------------------- */

struct check {
    const struct sst_state *state;
    void (*tell)(void *user, const char *text);
    void *user;
    size_t n_faults;
    bool has_lock;
};

static void tell_fault(struct check *check, const char *text)
{
    ++check->n_faults;
    if (check->tell)
        check->tell(check->user, text);
}

static void tell_strange(struct check *check, const char *where, const char *name)
{
    struct sst_error fault = {0};
    (void)sst_fail(&fault, SST_ERR_STATE, "%s/%s: is no part of a state. Move it elsewhere", where, name);
    tell_fault(check, fault.text);
}

static enum sst_status check_top_name(void *user, const char *name, struct sst_error *err)
{
    struct check *check = user;
    (void)err;
    check->has_lock = check->has_lock || strcmp(name, "lock") == 0;
    if (sst_state_name_at_top(name) == SST_STATE_NAME_STRANGE)
        tell_strange(check, check->state->path, name);
    return SST_OK;
}

static enum sst_status check_slots_name(void *user, const char *name, struct sst_error *err)
{
    struct check *check = user;
    int slot = 0;
    (void)err;
    if (sst_state_name_in_slots(name, &slot) == SST_STATE_NAME_STRANGE)
        tell_strange(check, check->state->slots_path, name);
    return SST_OK;
}

/* Faults of files are told; others, such as no memory, end the check. */
static enum sst_status told(struct check *check, enum sst_status rc, const struct sst_error *fault,
                            struct sst_error *err)
{
    if (rc == SST_ERR_STATE || rc == SST_ERR_INPUT) {
        tell_fault(check, fault->text);
        return SST_OK;
    }
    return rc == SST_OK ? SST_OK : sst_fail(err, rc, "%s", fault->text);
}

/* What became of files, for which it does not matter here: it is of blocks, all of them whole. */
static enum sst_status check_notes(const struct sst_state *state, struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    const enum sst_status rc = sst_block_file_read(state->os, state->folder, state->path, "files", SST_STATE_KIND_NOTES,
                                                   &state->policy.identity, &file, err);
    sst_block_file_destroy(&file);
    return rc;
}

static enum sst_status check_small_files(struct check *check, struct sst_error *err)
{
    const struct sst_state *state = check->state;
    struct sst_state again = *state; /* read anew, and thrown away */
    struct sst_error fault = {0};
    enum sst_status rc = sst_state_read_policy(state, &again.policy, &fault);
    if (rc == SST_OK)
        sst_state_policy_clear(&again.policy);
    SST_TRY(told(check, rc, &fault, err));
    again.policy = state->policy;
    sst_error_clear(&fault);
    rc = sst_state_read_contents(&again, &fault);
    SST_TRY(told(check, rc, &fault, err));
    if (rc == SST_OK) {
        sst_error_clear(&fault);
        rc = sst_day_log_verify(&again, &again.log.extent, &fault);
        SST_TRY(told(check, rc, &fault, err));
    }
    sst_error_clear(&fault);
    rc = check_notes(state, &fault);
    SST_TRY(told(check, rc, &fault, err));
    check->has_lock = false;
    SST_TRY(sst_state_each_name(state->os, state->folder, state->path, check_top_name, check, err));
    if (!check->has_lock) {
        (void)sst_fail(&fault, SST_ERR_STATE, "%s/lock: missing. A writer makes it again", state->path);
        tell_fault(check, fault.text);
    }
    return sst_state_each_name(state->os, state->slots, state->slots_path, check_slots_name, check, err);
}

enum sst_status sst_state_verify(const struct sst_state *state, void (*tell)(void *user, const char *text), void *user,
                                 struct sst_error *err)
{
    struct check check = {.state = state, .tell = tell, .user = user};
    SST_TRY(check_small_files(&check, err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        struct sst_slot_state *loaded = NULL;
        struct sst_error fault = {0};
        const enum sst_status rc = sst_state_load_file(state, slot, &loaded, &fault);
        sst_slot_state_destroy(&loaded);
        SST_TRY(told(&check, rc, &fault, err));
    }
    if (check.n_faults == 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE, "%s: %zu faults", state->path, check.n_faults);
}
