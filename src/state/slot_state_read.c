/*
 * A slot out of its file. Blocks are read one after the other; whether each is what was written, and what is in it, is looked at
 * beside that, by several threads where the slot is large:
 *
 *   plan: what is to be where ─▶ piece 0 | piece 1 | ... ─▶ fetch (in order) ▸ checksum ▸ inflate, unpack ▸ link ─▶ digest compared
 */
#include <stddef.h>
#include <string.h>

#include "core/mem.h"
#include "state/side_work.h"
#include "state/slot_state_head.h"

/* A block of a plane, or of a part of a day, on its way. */
struct piece {
    struct sst_block block;
    unsigned char *stored; /* where its bytes go as they are in the file */
    void *plane; /* where a plane goes: the same where it is not deflated; NULL for a part of a day */
    struct sst_digest_link *link; /* of a plane */
    struct sst_ledger_entry *entry; /* of a day */
    enum sst_packed_part part;
    enum sst_status settled;
};

/* A slot that is being read from a file. */
struct reading {
    struct sst_slot_state *slot;
    const struct sst_block_file *file;
    size_t n_blocks; /* that were used */
    struct sst_slot_head head;
    struct sst_slot_links links;
    struct piece *pieces;
    size_t n_pieces, pieces_capacity;
    unsigned char *deflated; /* the planes that are stored so */
    struct sst_slot_looker lookers[SST_SIDE_MOST_THREADS];
    size_t n_fetched;
    enum sst_status fetched; /* the last of them */
    struct sst_error *err; /* for it */
};

static enum sst_status wrong(const struct reading *reading, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "slot %d: %s", reading->slot->slot, what);
}

/* A block of known size, borrowed. */
static enum sst_status find_sized(struct reading *reading, uint32_t tag, uint32_t number, size_t n_bytes,
                                  struct sst_block *block, struct sst_error *err)
{
    SST_TRY(sst_slot_find_block(reading->file, reading->slot->slot, tag, number, block, err));
    ++reading->n_blocks;
    if (block->n_bytes == n_bytes)
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE, "slot %d: block %c%c%c%c %d has %zu bytes, not %zu", reading->slot->slot,
                    (char)(tag & 0xFF), (char)(tag >> 8 & 0xFF), (char)(tag >> 16 & 0xFF), (char)(tag >> 24),
                    (int)number, block->n_bytes, n_bytes);
}

static enum sst_status read_head(struct reading *reading, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    SST_TRY(sst_slot_take_head(slot->policy, slot->slot, reading->file, &reading->head, err));
    ++reading->n_blocks;
    slot->n_items = reading->head.n_items;
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        if (reading->head.versions[kind] != sst_slot_version_of((enum sst_slot_kind)kind, slot))
            return wrong(reading, "its sums or lists are of another kind than the state's", err);
    return SST_OK;
}

static enum sst_status read_cells(struct reading *reading, struct sst_error *err)
{
    const size_t n_cells = reading->slot->policy->n_cells, n_words = sst_slot_n_words(n_cells);
    struct sst_block block;
    SST_TRY(find_sized(reading, SST_SLOT_TAG_CELLS, 0, n_words * sizeof(uint64_t), &block, err));
    memcpy(reading->slot->cells, block.bytes, n_words * sizeof(uint64_t));
    const bool is_beyond = n_cells % 64 != 0 && reading->slot->cells[n_words - 1] >> n_cells % 64 != 0;
    if (is_beyond || sst_slot_count_cells(reading->slot->cells, n_cells) != reading->slot->n_items)
        return wrong(reading, "the cells are not as many as the head says", err);
    return SST_OK;
}

static enum sst_status read_days(struct reading *reading, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    SST_TRY(sst_slot_take_days(slot->policy, &reading->head, reading->file, &slot->ledger, &slot->n_ledger,
                               &slot->ledger_capacity, err));
    ++reading->n_blocks;
    return SST_OK;
}

/* --- the plan ------------------------------------------------------------------------------------------------------ */

static enum sst_status add_piece(struct reading *reading, const struct piece *piece, struct sst_error *err)
{
    SST_TRY(sst_grow(&reading->pieces, &reading->pieces_capacity, reading->n_pieces + 1, sizeof *reading->pieces,
                     "the blocks of a slot", err));
    reading->pieces[reading->n_pieces++] = *piece;
    return SST_OK;
}

static enum sst_status plan_bin(struct reading *reading, enum sst_slot_kind kind, int year_class, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    struct sst_bin *bin = sst_slot_bin(slot, kind, year_class);
    if (!sst_slot_wants_bin(slot, kind, year_class))
        return SST_OK;
    SST_TRY(sst_bin_make_room(bin, sst_slot_estimator(slot, kind, year_class), slot->n_items, err));
    for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane) {
        struct piece piece = {.plane = bin->planes[plane], .link = &reading->links.of[kind][year_class][plane]};
        SST_TRY(find_sized(reading, sst_slot_plane_tags[kind], sst_slot_plane_number(year_class, plane),
                           sst_slot_plane_bytes(bin, plane), &piece.block, err));
        SST_TRY(add_piece(reading, &piece, err));
    }
    return SST_OK;
}

/* Where the planes' bytes go: a deflated one beside the others, the rest to where they stay. */
static enum sst_status place_planes(struct reading *reading, struct sst_error *err)
{
    size_t n_bytes = 0;
    for (size_t i = 0; i < reading->n_pieces; ++i)
        if (reading->pieces[i].block.n_stored != reading->pieces[i].block.n_bytes)
            n_bytes += reading->pieces[i].block.n_stored;
    SST_TRY(sst_alloc_large(n_bytes, 1, "the blocks of a slot", &reading->deflated, err));
    unsigned char *next = reading->deflated;
    for (size_t i = 0; i < reading->n_pieces; ++i) {
        struct piece *piece = &reading->pieces[i];
        const bool is_deflated = piece->block.n_stored != piece->block.n_bytes;
        piece->stored = is_deflated ? next : piece->plane;
        next += is_deflated ? piece->block.n_stored : 0;
    }
    return SST_OK;
}

static enum sst_status plan_day(struct reading *reading, struct sst_ledger_entry *entry, bool keeps_shut,
                                struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    SST_TRY(sst_alloc(1, sizeof *entry->packed, "the packed values of a day", &entry->packed, err));
    entry->packed->is_shut = keeps_shut;
    for (int i = 0; i < SST_N_PACKED_PARTS; ++i) {
        struct piece piece = {.entry = entry, .part = (enum sst_packed_part)i};
        if (!sst_slot_wants_part(slot, entry, piece.part))
            continue;
        SST_TRY(find_sized(reading, sst_slot_part_tags[i], (uint32_t)entry->year, sst_slot_part_bytes(slot, piece.part),
                           &piece.block, err));
        entry->packed->n_bytes[i] = piece.block.n_stored;
        if (piece.part == SST_PACKED_PROBES || !keeps_shut)
            SST_TRY(sst_slot_make_room(slot, entry, piece.part, err));
        SST_TRY(add_piece(reading, &piece, err));
    }
    return SST_OK;
}

/* What is stored of all days, side by side; `first` is their first piece. */
static enum sst_status place_days(struct reading *reading, size_t first, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    size_t n_bytes = 0;
    for (size_t i = first; i < reading->n_pieces; ++i)
        n_bytes += reading->pieces[i].block.n_stored;
    SST_TRY(sst_alloc_large(n_bytes, 1, "the packed values of days", &slot->stored, err));
    unsigned char *next = slot->stored;
    for (size_t i = first; i < reading->n_pieces; ++i) {
        struct piece *piece = &reading->pieces[i];
        if (!piece->entry->packed->bytes)
            piece->entry->packed->bytes = next;
        piece->stored = next;
        next += piece->block.n_stored;
    }
    return SST_OK;
}

/* Nothing of no cell is shut, nor what alone tells which cells have a value. */
static enum sst_status plan(struct reading *reading, bool keeps_shut, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    const bool shuts = keeps_shut && sst_slot_keeps_all(slot) && slot->n_items > 0 &&
                       (slot->policy->has_moments || sst_slot_has_lists(slot));
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY(plan_bin(reading, (enum sst_slot_kind)kind, year_class, err));
    SST_TRY(place_planes(reading, err));
    if (slot->policy->keep == SST_KEEP_NONE)
        return SST_OK;
    const size_t n_planes = reading->n_pieces;
    for (size_t i = 0; i < slot->n_ledger; ++i)
        SST_TRY(plan_day(reading, &slot->ledger[i], shuts, err));
    return place_days(reading, n_planes, err);
}

/* --- the pieces ---------------------------------------------------------------------------------------------------- */

static enum sst_status settle_plane(const struct reading *reading, const struct piece *piece,
                                    struct sst_slot_looker *looker, struct sst_error *err)
{
    const struct sst_block *block = &piece->block;
    if (piece->stored == piece->plane) {
        *piece->link = sst_digest_link_of(piece->plane, block->n_bytes);
        return sst_block_file_check(reading->file, block, sst_digest_link_checksum(piece->link, piece->plane), err);
    }
    SST_TRY(sst_block_file_check(reading->file, block, sst_digest_checksum(piece->stored, block->n_stored), err));
    SST_TRY(sst_block_unpack(block, looker->unpacker, piece->stored, piece->plane, err));
    *piece->link = sst_digest_link_of(piece->plane, block->n_bytes);
    return SST_OK;
}

/* Checks what was fetched, and puts what is in it where it belongs. */
static enum sst_status settle(const struct reading *reading, const struct piece *piece, struct sst_slot_looker *looker,
                              struct sst_error *err)
{
    if (!piece->entry)
        return settle_plane(reading, piece, looker, err);
    uint64_t *checksum = &piece->entry->packed->checksums[piece->part];
    *checksum = sst_digest_checksum(piece->stored, piece->block.n_stored);
    SST_TRY(sst_block_file_check(reading->file, &piece->block, *checksum, err));
    return sst_slot_unpack_part(reading->slot, piece->entry, piece->part, looker, err);
}

static bool begin_piece(void *user, size_t i)
{
    struct reading *reading = user;
    struct piece *piece = &reading->pieces[i];
    reading->fetched = sst_block_file_fetch(reading->file, &piece->block, piece->stored, reading->err);
    if (reading->fetched == SST_OK)
        ++reading->n_fetched;
    return reading->fetched == SST_OK;
}

static void finish_piece(void *user, size_t i, int thread)
{
    struct reading *reading = user;
    reading->pieces[i].settled = settle(reading, &reading->pieces[i], &reading->lookers[thread], NULL);
}

/*
 * Fetches and settles all pieces, and tells the first fault in the order of the file, whichever thread met which first: what did
 * not settle is done once more, for its message.
 */
static enum sst_status take_pieces(struct reading *reading, struct sst_error *err)
{
    const struct sst_side_work work = {reading->n_pieces, begin_piece, finish_piece, reading};
    const int n_threads = sst_slot_n_threads(reading->slot);
    for (int i = 0; i < n_threads; ++i)
        SST_TRY(sst_slot_looker_init(reading->slot, &reading->lookers[i], err));
    reading->err = err;
    sst_side_work_do(&work, n_threads);
    for (size_t i = 0; i < reading->n_fetched; ++i)
        if (reading->pieces[i].settled != SST_OK)
            return settle(reading, &reading->pieces[i], &reading->lookers[0], err);
    return reading->fetched;
}

/* --- the whole ----------------------------------------------------------------------------------------------------- */

static enum sst_status check_counts(const struct reading *reading, struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            const struct sst_bin *bin = sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class);
            const uint16_t *n = sst_bin_is_empty(bin) ? NULL : bin->planes[0];
            for (size_t item = 0; n && item < slot->n_items; ++item)
                if (n[item] > slot->n_ledger)
                    return wrong(reading, "a cell has more values than there are days", err);
        }
    return SST_OK;
}

/* Whether what was read belongs together: no block too many, no cell of nothing, and the digest that the head knows. */
static enum sst_status check_whole(const struct reading *reading, struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    uint8_t *used = NULL;
    if (reading->n_blocks != sst_block_file_n_blocks(reading->file))
        return wrong(reading, "there are blocks that do not belong here", err);
    const struct sst_identity found = sst_slot_digest(slot, &reading->links);
    if (!sst_identity_is(found, reading->head.digest))
        return wrong(reading, "its blocks are not of one and the same state of the slot", err);
    SST_TRY(sst_alloc(slot->n_items, sizeof *used, "the cells of a slot", &used, err));
    sst_slot_find_used(slot, used);
    const bool all = memchr(used, 0, slot->n_items) == NULL;
    sst_free(used);
    return all ? SST_OK : wrong(reading, "there are cells without any value", err);
}

enum sst_status sst_slot_state_decode(const struct sst_state_policy *policy, int slot,
                                      const struct sst_block_file *file, bool keeps_shut, struct sst_slot_state **out,
                                      struct sst_error *err)
{
    struct reading reading = {.file = file};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_slot_state_create(policy, slot, &reading.slot, err));
    SST_TRY_GOTO(read_head(&reading, err));
    SST_TRY_GOTO(read_cells(&reading, err));
    SST_TRY_GOTO(read_days(&reading, err));
    SST_TRY_GOTO(plan(&reading, keeps_shut, err));
    SST_TRY_GOTO(take_pieces(&reading, err));
    SST_TRY_GOTO(check_counts(&reading, err));
    SST_TRY_GOTO(check_whole(&reading, err));
    *out = reading.slot;
    reading.slot = NULL;
done:
    sst_free(reading.pieces);
    sst_free(reading.deflated);
    for (int i = 0; i < SST_SIDE_MOST_THREADS; ++i)
        sst_slot_looker_clear(&reading.lookers[i]);
    sst_slot_state_destroy(&reading.slot);
    return rc;
}
