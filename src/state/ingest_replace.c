/* Old values of counted days: from the slot itself, or from files that the ledger knows. */
#include "state/ingest_replace.h"

#include <stdio.h>

static bool has_lists(const struct sst_slot_state *slot)
{
    return slot->policy->tail.top > 0 || slot->policy->tail.bottom > 0;
}

/* Reads the values of an entry from the first files that have them; NULL where none has. */
static enum sst_status read_old(struct sst_ingest_files *old, int slot, const struct sst_ledger_entry *entry,
                                const struct sst_field **field, struct sst_error *err)
{
    const struct sst_day day = {entry->year, slot};
    *field = NULL;
    for (size_t i = 0; i < SST_INGEST_N_OLD && !*field; ++i) {
        bool is_found = false;
        if (!old[i].catalog)
            continue;
        sst_ingest_files_rest(&old[SST_INGEST_N_OLD - 1 - i]);
        SST_TRY(sst_ingest_files_find(&old[i], day, entry->digest, entry->ice_digest, &is_found, err));
        *field = is_found ? &old[i].field : NULL;
    }
    return SST_OK;
}

static enum sst_status subtract(struct sst_slot_state *slot, int year, struct sst_ingest_files *old, bool *is_done,
                                char *text, struct sst_error *err)
{
    const struct sst_field *field = NULL;
    SST_TRY(read_old(old, slot->slot, sst_slot_state_entry(slot, year), &field, err));
    *is_done = field != NULL;
    if (*is_done)
        return sst_slot_state_remove(slot, year, field, err);
    (void)snprintf(
        text, SST_INGEST_TEXT_SIZE,
        "counted already, with other values, which the state does not keep. Give the file that was counted, %.150s, "
        "with --old",
        sst_slot_state_entry(slot, year)->source);
    return SST_OK;
}

/* All other years, added to a slot of no day. */
static enum sst_status make_anew(struct sst_slot_state **slot, int year, struct sst_ingest_files *old, bool *is_done,
                                 char *text, struct sst_error *err)
{
    struct sst_slot_state *fresh = NULL;
    enum sst_status rc = SST_OK;
    *is_done = true;
    SST_TRY(sst_slot_state_create((*slot)->policy, (*slot)->slot, &fresh, err));
    for (size_t i = 0; i < (*slot)->n_ledger && *is_done; ++i) {
        const struct sst_ledger_entry *entry = &(*slot)->ledger[i];
        if (entry->year == year)
            continue;
        const struct sst_field *field = NULL;
        SST_TRY_GOTO(read_old(old, (*slot)->slot, entry, &field, err));
        *is_done = field != NULL;
        if (*is_done)
            SST_TRY_GOTO(sst_slot_state_add(fresh, entry, field, err));
        else
            (void)snprintf(
                text, SST_INGEST_TEXT_SIZE,
                "counted already, with other values. The state does not keep values, and its lists of extremes "
                "can only be made anew from the files of the other years: give them with --old; %.150s of %d is "
                "not among them",
                entry->source, (int)entry->year);
    }
    if (*is_done) {
        struct sst_slot_state *before = *slot;
        *slot = fresh;
        fresh = before;
    }
done:
    sst_slot_state_destroy(&fresh);
    return rc;
}

enum sst_status sst_ingest_take_away(struct sst_slot_state **slot, struct sst_day day, struct sst_ingest_files *old,
                                     bool *is_done, char *text, struct sst_error *err)
{
    *is_done = true;
    if ((*slot)->policy->keep == SST_KEEP_ALL)
        return sst_slot_state_remove(*slot, day.year, NULL, err);
    if (!has_lists(*slot))
        return subtract(*slot, day.year, old, is_done, text, err);
    return make_anew(slot, day.year, old, is_done, text, err);
}
