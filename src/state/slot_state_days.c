/* What a slot keeps of its days, packed as a file has it and unpacked. */
#include "core/mem.h"
#include "state/packed_codes.h"
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

static void pack_part(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
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

size_t sst_slot_scratch_bytes(const struct sst_slot_state *slot)
{
    size_t most = 0;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part) {
        const size_t n_bytes = sst_slot_part_bytes(slot, (enum sst_packed_part)part);
        most = n_bytes > most ? n_bytes : most;
    }
    return most;
}

enum sst_status sst_slot_add_day(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                 unsigned char *scratch, struct sst_block_writer *writer, struct sst_error *err)
{
    const struct sst_packed_day *packed = entry->packed;
    const unsigned char *stored = packed ? packed->bytes : NULL;
    for (int i = 0; i < SST_N_PACKED_PARTS; ++i) {
        const enum sst_packed_part part = (enum sst_packed_part)i;
        const size_t n_bytes = sst_slot_part_bytes(slot, part);
        if (!sst_slot_has_part(entry, part))
            continue;
        if (stored) {
            SST_TRY(sst_block_writer_lend(writer, sst_slot_part_tags[part], (uint32_t)entry->year, stored,
                                          packed->n_bytes[part], n_bytes, err));
            stored += packed->n_bytes[part];
        } else {
            pack_part(slot, entry, part, scratch);
            SST_TRY(sst_block_writer_add(writer, sst_slot_part_tags[part], (uint32_t)entry->year, scratch, n_bytes,
                                         true, err));
        }
    }
    return SST_OK;
}

/* --- unpacking ----------------------------------------------------------------------------------------------------- */

/* The bytes of a part, into the scratch. */
static enum sst_status inflate(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                               enum sst_packed_part part, const unsigned char *stored, unsigned char *scratch,
                               struct sst_error *err)
{
    const struct sst_block block = {.tag = sst_slot_part_tags[part],
                                    .number = (uint32_t)entry->year,
                                    .n_bytes = sst_slot_part_bytes(slot, part),
                                    .n_stored = entry->packed->n_bytes[part]};
    return sst_block_unpack(&block, stored, scratch, err);
}

static enum sst_status unpack_codes(const unsigned char *bytes, size_t n, int16_t **codes, struct sst_error *err)
{
    SST_TRY(sst_alloc_large(n, sizeof **codes, "the values of a day", codes, err));
    sst_unpack_codes(bytes, n, *codes);
    return SST_OK;
}

static enum sst_status beyond(const struct sst_slot_state *slot, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "slot %d: there is ice beyond its cells", slot->slot);
}

/* A part into memory of its own. */
static enum sst_status open_part(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                 enum sst_packed_part part, const unsigned char *bytes, struct sst_error *err)
{
    if (part == SST_PACKED_PROBES)
        return unpack_codes(bytes, slot->policy->n_probes, &entry->probes, err);
    if (part == SST_PACKED_KEPT)
        return unpack_codes(bytes, slot->n_items, &entry->kept, err);
    SST_TRY(sst_alloc_large(slot->n_items, sizeof *entry->marks, "the ice of a day", &entry->marks, err));
    return sst_unpack_marks(bytes, slot->n_items, entry->marks) ? SST_OK : beyond(slot, err);
}

/* A part that stays packed: unpacked for its link only. */
static enum sst_status look_at_part(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                    enum sst_packed_part part, const unsigned char *bytes, int16_t *values,
                                    struct sst_error *err)
{
    uint8_t *marks = (uint8_t *)(void *)values;
    if (part == SST_PACKED_KEPT)
        sst_unpack_codes(bytes, slot->n_items, values);
    else if (!sst_unpack_marks(bytes, slot->n_items, marks))
        return beyond(slot, err);
    const size_t size = part == SST_PACKED_KEPT ? sizeof *values : sizeof *marks;
    entry->packed->links[part] = sst_digest_link_of(values, slot->n_items * size);
    entry->packed->is_shut = true;
    return SST_OK;
}

enum sst_status sst_slot_unpack_day(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                    unsigned char *scratch, int16_t *shuts, struct sst_error *err)
{
    const unsigned char *stored = entry->packed->bytes;
    for (int i = 0; i < SST_N_PACKED_PARTS; ++i) {
        const enum sst_packed_part part = (enum sst_packed_part)i;
        const unsigned char *from = stored;
        stored += entry->packed->n_bytes[part];
        if (!sst_slot_wants_part(slot, entry, part) || (part == SST_PACKED_PROBES && entry->probes))
            continue;
        SST_TRY(inflate(slot, entry, part, from, scratch, err));
        if (shuts && part != SST_PACKED_PROBES)
            SST_TRY(look_at_part(slot, entry, part, scratch, shuts, err));
        else
            SST_TRY(open_part(slot, entry, part, scratch, err));
    }
    return SST_OK;
}

static enum sst_status open_day(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                unsigned char *scratch, struct sst_error *err)
{
    const enum sst_status rc = sst_slot_unpack_day(slot, entry, scratch, NULL, err);
    if (rc == SST_OK) {
        entry->packed->is_shut = false;
        return SST_OK;
    }
    sst_free(entry->kept);
    sst_free(entry->marks);
    entry->kept = NULL;
    entry->marks = NULL;
    return rc;
}

enum sst_status sst_slot_state_open(struct sst_slot_state *slot, struct sst_error *err)
{
    unsigned char *scratch = NULL;
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        if (!sst_slot_is_shut(&slot->ledger[i]))
            continue;
        if (!scratch)
            SST_TRY_GOTO(sst_alloc_large(sst_slot_scratch_bytes(slot), 1, "a packed day", &scratch, err));
        SST_TRY_GOTO(open_day(slot, &slot->ledger[i], scratch, err));
    }
done:
    sst_free(scratch);
    return rc;
}
