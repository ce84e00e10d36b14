/* A slot's list of days, without the rest of its file. */
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_head.h"
#include "state/state_private.h"

void sst_ledger_clear(struct sst_ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; ++i)
        sst_slot_clear_entry(&ledger->entries[i]);
    sst_free(ledger->entries);
    *ledger = (struct sst_ledger){0};
}

const struct sst_ledger_entry *sst_ledger_entry(const struct sst_ledger *ledger, int year)
{
    for (size_t i = 0; i < ledger->n_entries; ++i)
        if (ledger->entries[i].year == year)
            return &ledger->entries[i];
    return NULL;
}

enum sst_status sst_state_load_ledger(const struct sst_state *state, int slot, struct sst_ledger *out,
                                      struct sst_error *err)
{
    static const uint32_t tags[] = {SST_SLOT_TAG_HEAD, SST_SLOT_TAG_DAYS};
    const struct sst_state_policy *policy = &state->policy;
    char name[SST_STATE_NAME_ROOM];
    struct sst_block_file *file = NULL;
    struct sst_slot_head head;
    size_t capacity = 0;
    *out = (struct sst_ledger){0};
    SST_TRY(sst_state_check_slot(state, slot, err));
    const struct sst_block_place place = sst_state_slot_place(state, slot, name);
    SST_TRY(sst_block_file_read_some(&place, tags, sizeof tags / sizeof tags[0], &file, err));
    if (!file)
        return sst_state_check_absent(state, slot, err);
    enum sst_status rc = sst_slot_take_head(policy, slot, file, &head, err);
    if (rc == SST_OK)
        rc = sst_slot_take_days(policy, &head, file, &out->entries, &out->n_entries, &capacity, err);
    sst_block_file_destroy(&file);
    if (rc == SST_OK)
        return SST_OK;
    sst_error_prefix(err, "%s/%s", state->slots_path, name);
    sst_ledger_clear(out);
    return rc;
}
