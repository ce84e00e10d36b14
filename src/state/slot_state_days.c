/* What a slot keeps of its days, packed as a file has it and unpacked. */
#include "core/mem.h"
#include "state/slot_state_head.h"

const uint32_t sst_slot_part_tags[SST_N_PACKED_PARTS] = {SST_SLOT_TAG_PROBES, SST_SLOT_TAG_KEPT, SST_SLOT_TAG_MARKS};

bool sst_slot_has_part(const struct sst_ledger_entry *entry, enum sst_packed_part part)
{
    if (part == SST_PACKED_PROBES)
        return entry->probes != NULL;
    if (sst_slot_is_shut(entry))
        return entry->packed->n_bytes[part] > 0;
    return part == SST_PACKED_KEPT ? entry->kept != NULL : entry->marks != NULL;
}

bool sst_slot_wants_part(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                         enum sst_packed_part part)
{
    return part == SST_PACKED_PROBES ? slot->policy->keep != SST_KEEP_NONE
                                     : sst_slot_keeps_all(slot) && (part == SST_PACKED_KEPT || entry->ice_digest != 0);
}

size_t sst_slot_part_bytes(const struct sst_slot_state *slot, enum sst_packed_part part)
{
    return part == SST_PACKED_PROBES ? sst_packed_codes_bytes(slot->policy->n_probes)
           : part == SST_PACKED_KEPT ? sst_packed_codes_bytes(slot->n_items)
                                     : sst_packed_marks_bytes(slot->n_items);
}

void sst_slot_pack_part(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                        enum sst_packed_part part, unsigned char *bytes)
{
    switch (part) {
    case SST_PACKED_PROBES:
        sst_pack_codes(entry->probes, slot->policy->n_probes, bytes);
        break;
    case SST_PACKED_KEPT:
        sst_pack_codes(entry->kept, slot->n_items, bytes);
        break;
    default:
        sst_pack_marks(entry->marks, slot->n_items, bytes);
    }
}

/* --- unpacking ----------------------------------------------------------------------------------------------------- */

static size_t longest_part(const struct sst_slot_state *slot)
{
    size_t most = 0;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part) {
        const size_t n_bytes = sst_slot_part_bytes(slot, (enum sst_packed_part)part);
        most = n_bytes > most ? n_bytes : most;
    }
    return most;
}

enum sst_status sst_slot_looker_init(const struct sst_slot_state *slot, struct sst_slot_looker *looker,
                                     struct sst_error *err)
{
    *looker = (struct sst_slot_looker){0};
    SST_TRY(sst_unpacker_create(&looker->unpacker, err));
    if (slot->policy->keep == SST_KEEP_NONE)
        return SST_OK;
    SST_TRY(sst_alloc_large(longest_part(slot), 1, "a packed day", &looker->bytes, err));
    return sst_alloc_large(slot->n_items, sizeof *looker->values, "the values of a day", &looker->values, err);
}

void sst_slot_looker_clear(struct sst_slot_looker *looker)
{
    sst_unpacker_destroy(&looker->unpacker);
    sst_free(looker->bytes);
    sst_free(looker->values);
    *looker = (struct sst_slot_looker){0};
}

enum sst_status sst_slot_make_room(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                   enum sst_packed_part part, struct sst_error *err)
{
    const size_t n = slot->n_items;
    if (part == SST_PACKED_PROBES)
        return sst_alloc_large(slot->policy->n_probes, sizeof *entry->probes, "the probes of a day", &entry->probes,
                               err);
    if (part == SST_PACKED_KEPT)
        return sst_alloc_large(n, sizeof *entry->kept, "the values of a day", &entry->kept, err);
    return sst_alloc_large(n, sizeof *entry->marks, "the ice of a day", &entry->marks, err);
}

static const unsigned char *part_bytes(const struct sst_packed_day *packed, enum sst_packed_part part)
{
    const unsigned char *bytes = packed->bytes;
    for (int before = 0; before < (int)part; ++before)
        bytes += packed->n_bytes[before];
    return bytes;
}

static enum sst_status inflate(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                               enum sst_packed_part part, struct sst_slot_looker *looker, const unsigned char **out,
                               struct sst_error *err)
{
    const struct sst_block block = {.tag = sst_slot_part_tags[part],
                                    .number = (uint32_t)entry->year,
                                    .n_bytes = sst_slot_part_bytes(slot, part),
                                    .n_stored = entry->packed->n_bytes[part]};
    const unsigned char *stored = part_bytes(entry->packed, part);
    *out = block.n_stored == block.n_bytes ? stored : looker->bytes;
    return block.n_stored == block.n_bytes ? SST_OK
                                           : sst_block_unpack(&block, looker->unpacker, stored, looker->bytes, err);
}

enum sst_status sst_slot_unpack_part(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                     enum sst_packed_part part, struct sst_slot_looker *looker, struct sst_error *err)
{
    const size_t n = slot->n_items;
    const unsigned char *bytes = NULL;
    SST_TRY(inflate(slot, entry, part, looker, &bytes, err));
    if (part == SST_PACKED_PROBES) {
        sst_unpack_codes(bytes, slot->policy->n_probes, entry->probes);
        return SST_OK;
    }
    int16_t *const values = entry->kept ? entry->kept : looker->values;
    uint8_t *const marks = entry->marks ? entry->marks : (uint8_t *)(void *)looker->values;
    if (part == SST_PACKED_KEPT)
        sst_unpack_codes(bytes, n, values);
    else if (!sst_unpack_marks(bytes, n, marks))
        return sst_fail(err, SST_ERR_STATE, "slot %d: there is ice beyond its cells", slot->slot);
    if (part == SST_PACKED_KEPT ? !entry->kept : !entry->marks)
        entry->packed->links[part] = part == SST_PACKED_KEPT ? sst_digest_link_of(values, n * sizeof *values)
                                                             : sst_digest_link_of(marks, n * sizeof *marks);
    return SST_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------- */

static enum sst_status open_day(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                struct sst_slot_looker *looker, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    for (int part = SST_PACKED_KEPT; part < SST_N_PACKED_PARTS; ++part)
        if (sst_slot_wants_part(slot, entry, (enum sst_packed_part)part)) {
            SST_TRY_GOTO(sst_slot_make_room(slot, entry, (enum sst_packed_part)part, err));
            SST_TRY_GOTO(sst_slot_unpack_part(slot, entry, (enum sst_packed_part)part, looker, err));
        }
    entry->packed->is_shut = false;
done:
    if (rc != SST_OK) {
        sst_free(entry->kept);
        sst_free(entry->marks);
        entry->kept = NULL;
        entry->marks = NULL;
    }
    return rc;
}

enum sst_status sst_slot_state_open(struct sst_slot_state *slot, struct sst_error *err)
{
    struct sst_slot_looker looker = {0};
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        if (!sst_slot_is_shut(&slot->ledger[i]))
            continue;
        if (!looker.unpacker)
            SST_TRY_GOTO(sst_slot_looker_init(slot, &looker, err));
        SST_TRY_GOTO(open_day(slot, &slot->ledger[i], &looker, err));
    }
done:
    sst_slot_looker_clear(&looker);
    return rc;
}
