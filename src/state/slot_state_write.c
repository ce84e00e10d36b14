/*
 * A slot into its file. All blocks are made, by several threads where the slot is large, before the first is given to the writer:
 * the head, which comes first, tells the digest of all.
 *
 *   draft 0 | draft 1 | ... ─▶ pack, deflate ▸ checksum, link ─▶ digest ─▶ HEAD, CELL, DAYS, draft 0, draft 1, ...
 */
#include <string.h>

#include "core/mem.h"
#include "state/side_work.h"
#include "state/slot_state_head.h"

/* A block of a plane, or of a part of a day. */
struct draft {
    struct sst_stored_block block;
    const void *plane; /* NULL for a part of a day */
    struct sst_digest_link *link; /* of a plane */
    const struct sst_ledger_entry *entry; /* of a day that has to be packed */
    enum sst_packed_part part;
    unsigned char *deflated; /* room for block.n_bytes where the block is to be deflated, else NULL */
};

/* What a thread needs. */
struct packing {
    struct sst_packer *packer;
    unsigned char *bytes; /* of the longest part of a day that has to be packed */
};

struct writing {
    const struct sst_slot_state *slot;
    struct sst_slot_links links;
    struct draft *drafts;
    size_t n_drafts, drafts_capacity;
    size_t longest; /* part that has to be packed, [bytes] */
    struct packing packings[SST_SIDE_MOST_THREADS];
};

/* --- drafts -------------------------------------------------------------------------------------------------------- */

/* Small numbers of days deflate to next to nothing; sums and lists cost far more time than they save room. */
static bool is_count(const struct sst_plane *plane) { return plane->type == SST_PLANE_U16; }

static enum sst_status add_draft(struct writing *writing, const struct draft *draft, bool deflates,
                                 struct sst_error *err)
{
    SST_TRY(sst_grow(&writing->drafts, &writing->drafts_capacity, writing->n_drafts + 1, sizeof *writing->drafts,
                     "the blocks of a slot", err));
    struct draft *added = &writing->drafts[writing->n_drafts];
    *added = *draft;
    if (deflates)
        SST_TRY(sst_alloc_large(draft->block.n_bytes, 1, "a block of a state", &added->deflated, err));
    ++writing->n_drafts;
    return SST_OK;
}

static enum sst_status draft_bin(struct writing *writing, enum sst_slot_kind kind, int year_class,
                                 struct sst_error *err)
{
    const struct sst_bin *bin = sst_slot_bin_read(writing->slot, kind, year_class);
    for (size_t plane = 0; !sst_bin_is_empty(bin) && plane < bin->estimator->n_planes; ++plane) {
        const size_t n_bytes = sst_slot_plane_bytes(bin, plane);
        const struct draft draft = {.block = {.tag = sst_slot_plane_tags[kind],
                                              .number = sst_slot_plane_number(year_class, plane),
                                              .stored = bin->planes[plane],
                                              .n_stored = n_bytes,
                                              .n_bytes = n_bytes},
                                    .plane = bin->planes[plane],
                                    .link = &writing->links.of[kind][year_class][plane]};
        SST_TRY(add_draft(writing, &draft, is_count(&bin->estimator->planes[plane]), err));
    }
    return SST_OK;
}

/* The parts of a day: as they lay in a file, where they were in one. */
static enum sst_status draft_day(struct writing *writing, const struct sst_ledger_entry *entry, struct sst_error *err)
{
    const struct sst_packed_day *packed = entry->packed;
    const unsigned char *stored = packed ? packed->bytes : NULL;
    for (int i = 0; i < SST_N_PACKED_PARTS; ++i) {
        const enum sst_packed_part part = (enum sst_packed_part)i;
        const size_t n_bytes = sst_slot_part_bytes(writing->slot, part);
        if (!sst_slot_has_part(entry, part))
            continue;
        struct draft draft = {
            .block = {.tag = sst_slot_part_tags[part], .number = (uint32_t)entry->year, .n_bytes = n_bytes},
            .entry = packed ? NULL : entry,
            .part = part};
        if (packed) {
            draft.block.stored = stored;
            draft.block.n_stored = packed->n_bytes[part];
            draft.block.checksum = packed->checksums[part];
            stored += packed->n_bytes[part];
        } else if (n_bytes > writing->longest) {
            writing->longest = n_bytes;
        }
        SST_TRY(add_draft(writing, &draft, !packed, err));
    }
    return SST_OK;
}

static enum sst_status draft_all(struct writing *writing, struct sst_error *err)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY(draft_bin(writing, (enum sst_slot_kind)kind, year_class, err));
    for (size_t i = 0; i < writing->slot->n_ledger; ++i)
        SST_TRY(draft_day(writing, &writing->slot->ledger[i], err));
    return SST_OK;
}

/* --- what is in them ----------------------------------------------------------------------------------------------- */

/* Cannot fail: all memory is there. */
static void make_block(const struct writing *writing, struct draft *draft, const struct packing *packing)
{
    struct sst_stored_block *block = &draft->block;
    const void *bytes = draft->plane;
    if (draft->plane) {
        *draft->link = sst_digest_link_of(draft->plane, block->n_bytes);
        block->checksum = sst_digest_link_checksum(draft->link, draft->plane);
    }
    if (draft->entry) {
        sst_slot_pack_part(writing->slot, draft->entry, draft->part, packing->bytes);
        bytes = packing->bytes;
    }
    if (!draft->deflated)
        return;
    block->n_stored = sst_pack_bytes(packing->packer, bytes, block->n_bytes, draft->deflated);
    block->stored = draft->deflated;
    block->checksum = sst_digest_checksum(draft->deflated, block->n_stored);
}

/* Days, which take longest, first. */
static void finish_draft(void *user, size_t i, int thread)
{
    struct writing *writing = user;
    make_block(writing, &writing->drafts[writing->n_drafts - 1 - i], &writing->packings[thread]);
}

static enum sst_status make_blocks(struct writing *writing, struct sst_error *err)
{
    const struct sst_side_work work = {writing->n_drafts, NULL, finish_draft, writing};
    const int n_threads = sst_slot_n_threads(writing->slot);
    for (int i = 0; i < n_threads; ++i) {
        SST_TRY(sst_packer_create(&writing->packings[i].packer, err));
        SST_TRY(sst_alloc_large(writing->longest, 1, "a packed day", &writing->packings[i].bytes, err));
    }
    sst_side_work_do(&work, n_threads);
    return SST_OK;
}

/* --- to the writer ------------------------------------------------------------------------------------------------- */

static enum sst_status add_text(struct sst_block_writer *writer, uint32_t tag, const struct sst_text *text,
                                struct sst_error *err)
{
    SST_TRY(sst_text_check(text, err));
    return sst_block_writer_add(writer, tag, 0, text->size > 0 ? text->data : "", text->size, false, err);
}

static enum sst_status add_front(const struct writing *writing, struct sst_block_writer *writer, struct sst_error *err)
{
    const struct sst_slot_state *slot = writing->slot;
    struct sst_text head = {0}, days = {0};
    enum sst_status rc = SST_OK;
    sst_slot_put_days(&days, slot->ledger, slot->n_ledger);
    SST_TRY_GOTO(sst_text_check(&days, err));
    struct sst_slot_head numbers = {.slot = slot->slot,
                                    .n_cells = slot->policy->n_cells,
                                    .n_items = slot->n_items,
                                    .n_days = (uint32_t)slot->n_ledger,
                                    .digest = sst_slot_digest(slot, &writing->links),
                                    .days = sst_slot_days_digest(days.data, days.size)};
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        numbers.versions[kind] = sst_slot_version_of((enum sst_slot_kind)kind, slot);
    sst_slot_put_head(&head, &numbers);
    SST_TRY_GOTO(add_text(writer, SST_SLOT_TAG_HEAD, &head, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, SST_SLOT_TAG_CELLS, 0, slot->cells,
                                      sst_slot_n_words(slot->policy->n_cells) * sizeof *slot->cells, true, err));
    SST_TRY_GOTO(add_text(writer, SST_SLOT_TAG_DAYS, &days, err));
done:
    sst_text_clear(&head);
    sst_text_clear(&days);
    return rc;
}

/* Deflated blocks are copied, so that all that is lent is the slot's. */
static enum sst_status give_blocks(const struct writing *writing, struct sst_block_writer *writer,
                                   struct sst_error *err)
{
    size_t n_copied = sst_slot_n_words(writing->slot->policy->n_cells) * sizeof *writing->slot->cells;
    for (size_t i = 0; i < writing->n_drafts; ++i)
        n_copied += writing->drafts[i].deflated ? writing->drafts[i].block.n_stored : 0;
    SST_TRY(sst_block_writer_reserve(writer, n_copied, err));
    SST_TRY(add_front(writing, writer, err));
    for (size_t i = 0; i < writing->n_drafts; ++i) {
        const struct draft *draft = &writing->drafts[i];
        if (draft->deflated)
            SST_TRY(sst_block_writer_copy(writer, &draft->block, err));
        else
            SST_TRY(sst_block_writer_lend(writer, &draft->block, err));
    }
    return SST_OK;
}

enum sst_status sst_slot_state_encode(const struct sst_slot_state *slot, struct sst_block_writer *writer,
                                      struct sst_error *err)
{
    struct writing writing = {.slot = slot};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(draft_all(&writing, err));
    SST_TRY_GOTO(make_blocks(&writing, err));
    SST_TRY_GOTO(give_blocks(&writing, writer, err));
done:
    for (size_t i = 0; i < writing.n_drafts; ++i)
        sst_free(writing.drafts[i].deflated);
    for (int i = 0; i < SST_SIDE_MOST_THREADS; ++i) {
        sst_packer_destroy(&writing.packings[i].packer);
        sst_free(writing.packings[i].bytes);
    }
    sst_free(writing.drafts);
    return rc;
}
