/* What a slot's file tells of it first. */
#include "state/slot_state_head.h"

#include <string.h>

#include "core/mem.h"
#include "state/state_wire.h"

enum { LAYOUT = 1 };

static enum sst_status wrong(int slot, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "slot %d: %s", slot, what);
}

enum sst_status sst_slot_find_block(const struct sst_block_file *file, int slot, uint32_t tag, uint32_t number,
                                    struct sst_block *out, struct sst_error *err)
{
    *out = sst_block_file_find(file, tag, number);
    if (out->index < sst_block_file_n_blocks(file))
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE, "slot %d: block %c%c%c%c %d is not there", slot, (char)(tag & 0xFF),
                    (char)(tag >> 8 & 0xFF), (char)(tag >> 16 & 0xFF), (char)(tag >> 24), (int)number);
}

/* --- head ---------------------------------------------------------------------------------------------------------- */

void sst_slot_put_head(struct sst_text *text, const struct sst_slot_head *head)
{
    sst_put_u32(text, LAYOUT);
    sst_put_u32(text, (uint32_t)head->slot);
    sst_put_u64(text, head->n_cells);
    sst_put_u64(text, head->n_items);
    sst_put_u32(text, head->n_days);
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        sst_put_u32(text, head->versions[kind]);
    sst_put_u64(text, head->digest.low);
    sst_put_u64(text, head->digest.high);
    sst_put_u64(text, head->days.low);
    sst_put_u64(text, head->days.high);
}

enum sst_status sst_slot_take_head(const struct sst_state_policy *policy, int slot, const struct sst_block_file *file,
                                   struct sst_slot_head *out, struct sst_error *err)
{
    struct sst_block block;
    SST_TRY(sst_slot_find_block(file, slot, SST_SLOT_TAG_HEAD, 0, &block, err));
    struct sst_taken from = {block.bytes, block.n_bytes, false};
    const uint32_t layout = sst_take_u32(&from);
    if (layout > LAYOUT)
        return wrong(slot, "written by a newer version of this program", err);
    out->slot = (int)sst_take_u32(&from);
    out->n_cells = sst_take_u64(&from);
    out->n_items = sst_take_u64(&from);
    out->n_days = sst_take_u32(&from);
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        out->versions[kind] = sst_take_u32(&from);
    out->digest.low = sst_take_u64(&from);
    out->digest.high = sst_take_u64(&from);
    out->days.low = sst_take_u64(&from);
    out->days.high = sst_take_u64(&from);
    if (!sst_took_all(&from))
        return wrong(slot, "the head has not the size that it should have", err);
    if (out->slot != slot || out->n_cells != policy->n_cells)
        return wrong(slot, "the file is of another slot or grid", err);
    return layout == LAYOUT ? SST_OK : wrong(slot, "its sums or lists are of another kind than the state's", err);
}

/* --- days ---------------------------------------------------------------------------------------------------------- */

struct sst_digest_chain sst_slot_days_digest(const void *bytes, size_t n_bytes)
{
    struct sst_digest_chain chain = {0, 0};
    sst_digest_fold(&chain, bytes, n_bytes);
    return chain;
}

void sst_slot_put_days(struct sst_text *text, const struct sst_ledger_entry *entries, size_t n_entries)
{
    for (size_t i = 0; i < n_entries; ++i) {
        const struct sst_ledger_entry *entry = &entries[i];
        const size_t length = strlen(entry->source);
        sst_put_u32(text, (uint32_t)entry->year);
        sst_put_u32(text, (uint32_t)entry->year_class);
        sst_put_u64(text, entry->digest);
        sst_put_u64(text, entry->ice_digest);
        sst_put_u32(text, entry->n_valid);
        sst_put_u32(text, (uint32_t)entry->median);
        sst_put_u32(text, (uint32_t)length);
        sst_text_add_bytes(text, entry->source, length);
    }
}

/* The entry behind those that are there, `before` being the last of them or NULL. */
static enum sst_status take_day(const struct sst_state_policy *policy, int slot, const struct sst_ledger_entry *before,
                                struct sst_taken *from, struct sst_ledger_entry *entry, struct sst_error *err)
{
    *entry = (struct sst_ledger_entry){.year = (int32_t)sst_take_u32(from),
                                       .year_class = (int32_t)sst_take_u32(from),
                                       .digest = sst_take_u64(from),
                                       .ice_digest = sst_take_u64(from),
                                       .n_valid = sst_take_u32(from),
                                       .median = (int32_t)sst_take_u32(from)};
    const size_t length = sst_take_u32(from);
    const char *name = sst_take_bytes(from, length);
    const struct sst_day day = {entry->year, slot};
    if (!name || memchr(name, 0, length))
        return wrong(slot, "the list of days is damaged", err);
    if (before && entry->year <= before->year)
        return wrong(slot, "the days are not in the order of their years", err);
    if (entry->year_class == SST_NO_CLASS || !sst_calendar_has_day(policy->pools.kind, day) ||
        entry->year_class != sst_pool_class(&policy->pools, day))
        return sst_fail(err, SST_ERR_STATE, "slot %d: no pool of the state has year %d so", slot, entry->year);
    SST_TRY(sst_alloc(length + 1, 1, "the name of a file", &entry->source, err));
    memcpy(entry->source, name, length);
    return SST_OK;
}

enum sst_status sst_slot_take_days(const struct sst_state_policy *policy, const struct sst_slot_head *head,
                                   const struct sst_block_file *file, struct sst_ledger_entry **entries,
                                   size_t *n_entries, size_t *capacity, struct sst_error *err)
{
    struct sst_block block;
    SST_TRY(sst_slot_find_block(file, head->slot, SST_SLOT_TAG_DAYS, 0, &block, err));
    const struct sst_digest_chain found = sst_slot_days_digest(block.bytes, block.n_bytes);
    if (found.low != head->days.low || found.high != head->days.high)
        return wrong(head->slot, "the list of days is not the one that the head knows", err);
    struct sst_taken from = {block.bytes, block.n_bytes, false};
    while (from.left > 0) {
        SST_TRY(sst_grow(entries, capacity, *n_entries + 1, sizeof **entries, "the ledger of a slot", err));
        struct sst_ledger_entry *next = *entries + *n_entries;
        SST_TRY(take_day(policy, head->slot, *n_entries > 0 ? next - 1 : NULL, &from, next, err));
        ++*n_entries;
    }
    if (*n_entries != head->n_days)
        return wrong(head->slot, "the days are not as many as the head says", err);
    return SST_OK;
}
