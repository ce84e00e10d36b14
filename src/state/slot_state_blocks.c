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
    TAG_ICE = SST_BLOCKS_TAG('I', 'C', 'E', 'C'),
    TAG_PROBES = SST_BLOCKS_TAG('P', 'R', 'O', 'B'),
    TAG_KEPT = SST_BLOCKS_TAG('K', 'E', 'P', 'T'),
    TAG_MARKS = SST_BLOCKS_TAG('M', 'A', 'R', 'K')
};

static const uint32_t plane_tags[SST_N_SLOT_KINDS] = {TAG_MOMENTS, TAG_TAIL, TAG_ICE};

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
    for (size_t plane = 0; !sst_bin_is_empty(bin) && plane < bin->estimator->n_planes; ++plane)
        SST_TRY(sst_block_writer_add(writer, plane_tags[kind],
                                     (uint32_t)(PLANES_OF_CLASS * year_class) + (uint32_t)plane, bin->planes[plane],
                                     plane_bytes(bin, plane), is_count(&bin->estimator->planes[plane]), err));
    return SST_OK;
}

/* Scratch: room for the packed codes of a day. */
static enum sst_status add_day(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                               unsigned char *scratch, struct sst_block_writer *writer, struct sst_error *err)
{
    const size_t n_probes = slot->policy->n_probes, n = slot->n_items;
    const uint32_t number = (uint32_t)entry->year;
    if (entry->probes) {
        sst_pack_codes(entry->probes, n_probes, scratch);
        SST_TRY(sst_block_writer_add(writer, TAG_PROBES, number, scratch, n_probes * sizeof(int16_t), true, err));
    }
    if (entry->kept) {
        sst_pack_codes(entry->kept, n, scratch);
        SST_TRY(sst_block_writer_add(writer, TAG_KEPT, number, scratch, n * sizeof(int16_t), true, err));
    }
    if (entry->marks) {
        sst_pack_marks(entry->marks, n, scratch);
        SST_TRY(sst_block_writer_add(writer, TAG_MARKS, number, scratch, sst_slot_n_words(n) * sizeof(uint64_t), true,
                                     err));
    }
    return SST_OK;
}

enum sst_status sst_slot_state_encode(const struct sst_slot_state *slot, struct sst_block_writer *writer,
                                      struct sst_error *err)
{
    const size_t n_probes = slot->policy->n_probes;
    const size_t room = (n_probes > slot->n_items ? n_probes : slot->n_items) * sizeof(int16_t) + sizeof(uint64_t);
    unsigned char *scratch = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc_large(room, 1, "a packed day", &scratch, err));
    SST_TRY_GOTO(add_front(slot, writer, err));
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY_GOTO(add_bin(slot, (enum sst_slot_kind)kind, year_class, writer, err));
    for (size_t i = 0; i < slot->n_ledger; ++i)
        SST_TRY_GOTO(add_day(slot, &slot->ledger[i], scratch, writer, err));
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
};

static enum sst_status wrong(const struct reading *reading, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "slot %d: %s", reading->slot->slot, what);
}

/* A block of known size, borrowed. */
static enum sst_status find_sized(struct reading *reading, uint32_t tag, uint32_t number, size_t n_bytes,
                                  const void **bytes, struct sst_error *err)
{
    struct sst_block block;
    SST_TRY(sst_slot_find_block(reading->file, reading->slot->slot, tag, number, &block, err));
    ++reading->n_blocks;
    if (block.n_bytes != n_bytes)
        return sst_fail(err, SST_ERR_STATE, "slot %d: block %c%c%c%c %d has %zu bytes, not %zu", reading->slot->slot,
                        (char)(tag & 0xFF), (char)(tag >> 8 & 0xFF), (char)(tag >> 16 & 0xFF), (char)(tag >> 24),
                        (int)number, block.n_bytes, n_bytes);
    *bytes = block.bytes;
    return SST_OK;
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
    const void *bytes = NULL;
    SST_TRY(find_sized(reading, TAG_CELLS, 0, n_words * sizeof(uint64_t), &bytes, err));
    memcpy(reading->slot->cells, bytes, n_words * sizeof(uint64_t));
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
    SST_TRY(sst_bin_init(bin, sst_slot_estimator(slot, kind, year_class), slot->n_items, err));
    for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane) {
        const void *bytes = NULL;
        const uint32_t number = (uint32_t)(PLANES_OF_CLASS * year_class) + (uint32_t)plane;
        SST_TRY(find_sized(reading, plane_tags[kind], number, plane_bytes(bin, plane), &bytes, err));
        memcpy(bin->planes[plane], bytes, plane_bytes(bin, plane));
    }
    const uint16_t *n = bin->planes[0];
    for (size_t item = 0; item < slot->n_items; ++item)
        if (n[item] > slot->n_ledger)
            return wrong(reading, "a cell has more values than there are days", err);
    return SST_OK;
}

static enum sst_status read_codes(struct reading *reading, uint32_t tag, const struct sst_ledger_entry *entry, size_t n,
                                  int16_t **codes, struct sst_error *err)
{
    const void *bytes = NULL;
    SST_TRY(find_sized(reading, tag, (uint32_t)entry->year, n * sizeof **codes, &bytes, err));
    SST_TRY(sst_alloc_large(n, sizeof **codes, "the values of a day", codes, err));
    sst_unpack_codes(bytes, n, *codes);
    return SST_OK;
}

static enum sst_status read_day(struct reading *reading, struct sst_ledger_entry *entry, struct sst_error *err)
{
    const struct sst_slot_state *slot = reading->slot;
    const void *bytes = NULL;
    if (slot->policy->keep != SST_KEEP_NONE)
        SST_TRY(read_codes(reading, TAG_PROBES, entry, slot->policy->n_probes, &entry->probes, err));
    if (!sst_slot_keeps_all(slot))
        return SST_OK;
    SST_TRY(read_codes(reading, TAG_KEPT, entry, slot->n_items, &entry->kept, err));
    if (entry->ice_digest == 0)
        return SST_OK;
    SST_TRY(find_sized(reading, TAG_MARKS, (uint32_t)entry->year, sst_slot_n_words(slot->n_items) * sizeof(uint64_t),
                       &bytes, err));
    SST_TRY(sst_alloc_large(slot->n_items, sizeof *entry->marks, "the ice of a day", &entry->marks, err));
    return sst_unpack_marks(bytes, slot->n_items, entry->marks) ? SST_OK
                                                                : wrong(reading, "there is ice beyond its cells", err);
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
                                      const struct sst_block_file *file, struct sst_slot_state **out,
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
    for (size_t i = 0; i < reading.slot->n_ledger; ++i)
        SST_TRY_GOTO(read_day(&reading, &reading.slot->ledger[i], err));
    SST_TRY_GOTO(check_whole(&reading, err));
    *out = reading.slot;
    reading.slot = NULL;
done:
    sst_slot_state_destroy(&reading.slot);
    return rc;
}
