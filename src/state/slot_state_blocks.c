/*
 * A slot as blocks of a file, and its digest.
 *
 *   HEAD         layout u32, slot u32, cells of the grid u64, items u64, days u32, then version of the estimators by kind: u32 x 3;
 *                digest of the slot u64 x 2, digest of block DAYS u64 x 2
 *   CELL         the bitmap, u64 each
 *   DAYS         per day: year i32, class i32, digest u64, digest of the ice u64, cells with values u32, median i32,
 *                length of the name u32, the name
 *   MOMT, TAIL,  one plane each (a list: all of its planes); number = 16 class + plane
 *   ICEC
 *   PROB, KEPT   codes of one day each; number = year
 *   MARK         ice of a kept day as bits, u64 each; number = year
 *
 * Codes and ice are packed as packed_codes.h says.
 */
#include <string.h>

#include "core/mem.h"
#include "state/packed_codes.h"
#include "state/slot_state_head.h"

enum { PLANES_OF_CLASS = 16 };

enum tag {
    TAG_CELLS = SST_BLOCKS_TAG('C', 'E', 'L', 'L'),
    TAG_MOMENTS = SST_BLOCKS_TAG('M', 'O', 'M', 'T'),
    TAG_TAIL = SST_BLOCKS_TAG('T', 'A', 'I', 'L'),
    TAG_ICE = SST_BLOCKS_TAG('I', 'C', 'E', 'C')
};

static const uint32_t plane_tags[SST_N_SLOT_KINDS] = {TAG_MOMENTS, TAG_TAIL, TAG_ICE};

const uint32_t sst_slot_large_tags[SST_SLOT_N_LARGE_TAGS] = {
    TAG_MOMENTS, TAG_TAIL, TAG_ICE, SST_SLOT_TAG_KEPT, SST_SLOT_TAG_PROBES, SST_SLOT_TAG_MARKS};

static size_t plane_bytes(const struct sst_bin *bin, size_t plane)
{
    const struct sst_plane *of = &bin->estimator->planes[plane];
    return bin->n_cells * of->count * sst_plane_type_size(of->type);
}

/* Small numbers of days deflate to next to nothing; sums and lists cost far more time than they save room. */
static bool is_count(const struct sst_plane *plane) { return plane->type == SST_PLANE_U16; }

/* --- digest -------------------------------------------------------------------------------------------------------- */

static void fold_numbers(struct sst_digest_chain *chain, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t numbers[] = {a, b, c};
    sst_digest_fold(chain, numbers, sizeof numbers);
}

static void fold_bins(struct sst_digest_chain *chain, const struct sst_slot_state *slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
            const struct sst_bin *bin = sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class);
            if (sst_bin_is_empty(bin))
                continue;
            fold_numbers(chain, plane_tags[kind], (uint64_t)year_class, bin->estimator->n_planes);
            for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane)
                sst_digest_fold(chain, bin->planes[plane], plane_bytes(bin, plane));
        }
}

struct sst_identity sst_slot_state_digest(const struct sst_slot_state *slot)
{
    struct sst_digest_chain chain = {0, 0};
    fold_numbers(&chain, (uint64_t)slot->slot, slot->n_items, slot->n_ledger);
    sst_digest_fold(&chain, slot->cells, sst_slot_n_words(slot->policy->n_cells) * sizeof *slot->cells);
    fold_bins(&chain, slot);
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        const struct sst_ledger_entry *entry = &slot->ledger[i];
        fold_numbers(&chain, (uint64_t)entry->year << 32 | (uint32_t)entry->year_class, entry->digest,
                     entry->ice_digest);
        if (entry->probes)
            sst_digest_fold(&chain, entry->probes, slot->policy->n_probes * sizeof *entry->probes);
        for (int part = SST_PACKED_KEPT; part < SST_N_PACKED_PARTS && sst_slot_is_shut(entry); ++part)
            if (entry->packed->n_bytes[part] > 0)
                sst_digest_fold_link(&chain, &entry->packed->links[part]);
        if (entry->kept)
            sst_digest_fold(&chain, entry->kept, slot->n_items * sizeof *entry->kept);
        if (entry->marks)
            sst_digest_fold(&chain, entry->marks, slot->n_items);
    }
    return (struct sst_identity){chain.low, chain.high};
}

/* --- writing ------------------------------------------------------------------------------------------------------- */

static enum sst_status add_text(struct sst_block_writer *writer, uint32_t tag, const struct sst_text *text,
                                struct sst_error *err)
{
    SST_TRY(sst_text_check(text, err));
    return sst_block_writer_add(writer, tag, 0, text->size > 0 ? text->data : "", text->size, false, err);
}

static uint32_t version_of(enum sst_slot_kind kind, const struct sst_slot_state *slot)
{
    const struct sst_estimator *estimator = sst_slot_estimator(slot, kind, SST_CLASS_COMMON);
    return estimator ? (uint32_t)estimator->id << 16 | estimator->version : 0;
}

static enum sst_status add_front(const struct sst_slot_state *slot, struct sst_block_writer *writer,
                                 struct sst_error *err)
{
    struct sst_text head = {0}, days = {0};
    enum sst_status rc = SST_OK;
    sst_slot_put_days(&days, slot->ledger, slot->n_ledger);
    SST_TRY_GOTO(sst_text_check(&days, err));
    struct sst_slot_head numbers = {.slot = slot->slot,
                                    .n_cells = slot->policy->n_cells,
                                    .n_items = slot->n_items,
                                    .n_days = (uint32_t)slot->n_ledger,
                                    .digest = sst_slot_state_digest(slot),
                                    .days = sst_slot_days_digest(days.data, days.size)};
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        numbers.versions[kind] = version_of((enum sst_slot_kind)kind, slot);
    sst_slot_put_head(&head, &numbers);
    SST_TRY_GOTO(add_text(writer, SST_SLOT_TAG_HEAD, &head, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_CELLS, 0, slot->cells,
                                      sst_slot_n_words(slot->policy->n_cells) * sizeof *slot->cells, true, err));
    SST_TRY_GOTO(add_text(writer, SST_SLOT_TAG_DAYS, &days, err));
done:
    sst_text_clear(&head);
    sst_text_clear(&days);
    return rc;
}

static enum sst_status add_bin(const struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class,
                               struct sst_block_writer *writer, struct sst_error *err)
{
    const struct sst_bin *bin = sst_slot_bin_read(slot, kind, year_class);
    for (size_t plane = 0; !sst_bin_is_empty(bin) && plane < bin->estimator->n_planes; ++plane) {
        const uint32_t number = (uint32_t)(PLANES_OF_CLASS * year_class) + (uint32_t)plane;
        const void *bytes = bin->planes[plane];
        const size_t n_bytes = plane_bytes(bin, plane);
        if (is_count(&bin->estimator->planes[plane]))
            SST_TRY(sst_block_writer_add(writer, plane_tags[kind], number, bytes, n_bytes, true, err));
        else
            SST_TRY(sst_block_writer_lend(writer, plane_tags[kind], number, bytes, n_bytes, n_bytes, err));
    }
    return SST_OK;
}

/* The most that blocks take which are not lent: counts, and days that no file had. */
static size_t copied_bytes(const struct sst_slot_state *slot)
{
    size_t n_bytes = sst_slot_n_words(slot->policy->n_cells) * sizeof *slot->cells;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
            const struct sst_bin *bin = sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class);
            for (size_t plane = 0; !sst_bin_is_empty(bin) && plane < bin->estimator->n_planes; ++plane)
                n_bytes += is_count(&bin->estimator->planes[plane]) ? plane_bytes(bin, plane) : 0;
        }
    for (size_t i = 0; i < slot->n_ledger; ++i)
        for (int part = 0; part < SST_N_PACKED_PARTS && !slot->ledger[i].packed; ++part)
            if (sst_slot_has_part(&slot->ledger[i], (enum sst_packed_part)part))
                n_bytes += sst_slot_part_bytes(slot, (enum sst_packed_part)part);
    return n_bytes;
}

enum sst_status sst_slot_state_encode(const struct sst_slot_state *slot, struct sst_block_writer *writer,
                                      struct sst_error *err)
{
    unsigned char *scratch = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc_large(sst_slot_scratch_bytes(slot), 1, "a packed day", &scratch, err));
    SST_TRY_GOTO(sst_block_writer_reserve(writer, copied_bytes(slot), err));
    SST_TRY_GOTO(add_front(slot, writer, err));
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY_GOTO(add_bin(slot, (enum sst_slot_kind)kind, year_class, writer, err));
    for (size_t i = 0; i < slot->n_ledger; ++i)
        SST_TRY_GOTO(sst_slot_add_day(slot, &slot->ledger[i], scratch, writer, err));
done:
    sst_free(scratch);
    return rc;
}

/* --- reading ------------------------------------------------------------------------------------------------------- */

/* A slot that is being read from a file. */
struct reading {
    struct sst_slot_state *slot;
    const struct sst_block_file *file;
    size_t n_blocks; /* that were used */
    struct sst_slot_head head;
    unsigned char *scratch; /* scratch_bytes */
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
        if (reading->head.versions[kind] != version_of((enum sst_slot_kind)kind, slot))
            return wrong(reading, "its sums or lists are of another kind than the state's", err);
    return SST_OK;
}

static enum sst_status read_cells(struct reading *reading, struct sst_error *err)
{
    const size_t n_cells = reading->slot->policy->n_cells, n_words = sst_slot_n_words(n_cells);
    struct sst_block block;
    SST_TRY(find_sized(reading, TAG_CELLS, 0, n_words * sizeof(uint64_t), &block, err));
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

static enum sst_status read_bin(struct reading *reading, enum sst_slot_kind kind, int year_class, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    struct sst_bin *bin = sst_slot_bin(slot, kind, year_class);
    if (!sst_slot_wants_bin(slot, kind, year_class))
        return SST_OK;
    SST_TRY(sst_bin_make_room(bin, sst_slot_estimator(slot, kind, year_class), slot->n_items, err));
    for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane) {
        struct sst_block block;
        const uint32_t number = (uint32_t)(PLANES_OF_CLASS * year_class) + (uint32_t)plane;
        SST_TRY(find_sized(reading, plane_tags[kind], number, plane_bytes(bin, plane), &block, err));
        SST_TRY(sst_block_file_unpacked(reading->file, &block, bin->planes[plane], err));
    }
    const uint16_t *n = bin->planes[0];
    for (size_t item = 0; item < slot->n_items; ++item)
        if (n[item] > slot->n_ledger)
            return wrong(reading, "a cell has more values than there are days", err);
    return SST_OK;
}

/* The stored parts of a day side by side, whether or not they are deflated. */
static enum sst_status hold_packed(const struct reading *reading, const struct sst_block *blocks,
                                   struct sst_ledger_entry *entry, struct sst_error *err)
{
    size_t n_bytes = sizeof *entry->packed;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part)
        n_bytes += blocks[part].n_stored;
    SST_TRY(sst_alloc_large(n_bytes, 1, "the packed values of a day", &entry->packed, err));
    unsigned char *to = entry->packed->bytes;
    entry->packed->is_shut = false;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part) {
        entry->packed->n_bytes[part] = blocks[part].n_stored;
        if (sst_slot_wants_part(reading->slot, entry, (enum sst_packed_part)part))
            SST_TRY(sst_block_file_stored(reading->file, &blocks[part], to, err));
        to += blocks[part].n_stored;
    }
    return SST_OK;
}

static enum sst_status read_day(struct reading *reading, struct sst_ledger_entry *entry, int16_t *shuts,
                                struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    struct sst_block blocks[SST_N_PACKED_PARTS] = {0};
    if (slot->policy->keep == SST_KEEP_NONE)
        return SST_OK;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part)
        if (sst_slot_wants_part(slot, entry, (enum sst_packed_part)part))
            SST_TRY(find_sized(reading, sst_slot_part_tags[part], (uint32_t)entry->year,
                               sst_slot_part_bytes(slot, (enum sst_packed_part)part), &blocks[part], err));
    SST_TRY(hold_packed(reading, blocks, entry, err));
    return sst_slot_unpack_day(slot, entry, reading->scratch, shuts, err);
}

/* Nothing of no cell is shut, nor what alone tells which cells have a value. */
static enum sst_status read_kept(struct reading *reading, bool keeps_shut, struct sst_error *err)
{
    struct sst_slot_state *slot = reading->slot;
    enum sst_status rc = SST_OK;
    int16_t *shuts = NULL;
    SST_TRY_GOTO(sst_alloc_large(sst_slot_scratch_bytes(slot), 1, "a packed day", &reading->scratch, err));
    if (keeps_shut && sst_slot_keeps_all(slot) && slot->n_items > 0 &&
        (slot->policy->has_moments || sst_slot_has_lists(slot)))
        SST_TRY_GOTO(sst_alloc_large(slot->n_items, sizeof *shuts, "the values of a day", &shuts, err));
    for (size_t i = 0; i < slot->n_ledger; ++i)
        SST_TRY_GOTO(read_day(reading, &slot->ledger[i], shuts, err));
done:
    sst_free(shuts);
    return rc;
}

/* Whether what was read belongs together: no block too many, no cell of nothing, and the digest that the head knows. */
static enum sst_status check_whole(const struct reading *reading, struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    uint8_t *used = NULL;
    if (reading->n_blocks != sst_block_file_n_blocks(reading->file))
        return wrong(reading, "there are blocks that do not belong here", err);
    const struct sst_identity found = sst_slot_state_digest(slot);
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
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY_GOTO(read_bin(&reading, (enum sst_slot_kind)kind, year_class, err));
    SST_TRY_GOTO(read_kept(&reading, keeps_shut, err));
    SST_TRY_GOTO(check_whole(&reading, err));
    *out = reading.slot;
    reading.slot = NULL;
done:
    sst_free(reading.scratch);
    sst_slot_state_destroy(&reading.slot);
    return rc;
}
