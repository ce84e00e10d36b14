/*
 * A slot as blocks of a file: what reading and writing have in common, and its digest.
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
#include "state/side_work.h"
#include "state/slot_state_head.h"

enum { LARGE_ITEMS = 32768 };

enum tag {
    TAG_MOMENTS = SST_BLOCKS_TAG('M', 'O', 'M', 'T'),
    TAG_TAIL = SST_BLOCKS_TAG('T', 'A', 'I', 'L'),
    TAG_ICE = SST_BLOCKS_TAG('I', 'C', 'E', 'C')
};

const uint32_t sst_slot_plane_tags[SST_N_SLOT_KINDS] = {TAG_MOMENTS, TAG_TAIL, TAG_ICE};

const uint32_t sst_slot_large_tags[SST_SLOT_N_LARGE_TAGS] = {
    TAG_MOMENTS, TAG_TAIL, TAG_ICE, SST_SLOT_TAG_KEPT, SST_SLOT_TAG_PROBES, SST_SLOT_TAG_MARKS};

size_t sst_slot_plane_bytes(const struct sst_bin *bin, size_t plane)
{
    const struct sst_plane *of = &bin->estimator->planes[plane];
    return bin->n_cells * of->count * sst_plane_type_size(of->type);
}

uint32_t sst_slot_version_of(enum sst_slot_kind kind, const struct sst_slot_state *slot)
{
    const struct sst_estimator *estimator = sst_slot_estimator(slot, kind, SST_CLASS_COMMON);
    return estimator ? (uint32_t)estimator->id << 16 | estimator->version : 0;
}

int sst_slot_n_threads(const struct sst_slot_state *slot)
{
    return slot->n_items < LARGE_ITEMS ? 1 : sst_side_threads();
}

/* --- digest -------------------------------------------------------------------------------------------------------- */

static void fold_numbers(struct sst_digest_chain *chain, uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t numbers[] = {a, b, c};
    sst_digest_fold(chain, numbers, sizeof numbers);
}

static void fold_bins(struct sst_digest_chain *chain, const struct sst_slot_state *slot,
                      const struct sst_slot_links *links)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
            const struct sst_bin *bin = sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class);
            if (sst_bin_is_empty(bin))
                continue;
            fold_numbers(chain, sst_slot_plane_tags[kind], (uint64_t)year_class, bin->estimator->n_planes);
            for (size_t plane = 0; plane < bin->estimator->n_planes; ++plane)
                sst_digest_fold_link(chain, &links->of[kind][year_class][plane]);
        }
}

struct sst_identity sst_slot_digest(const struct sst_slot_state *slot, const struct sst_slot_links *links)
{
    struct sst_digest_chain chain = {0, 0};
    fold_numbers(&chain, (uint64_t)slot->slot, slot->n_items, slot->n_ledger);
    sst_digest_fold(&chain, slot->cells, sst_slot_n_words(slot->policy->n_cells) * sizeof *slot->cells);
    fold_bins(&chain, slot, links);
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

static void link_bin(const struct sst_bin *bin, struct sst_digest_link *links)
{
    for (size_t plane = 0; !sst_bin_is_empty(bin) && plane < bin->estimator->n_planes; ++plane)
        links[plane] = sst_digest_link_of(bin->planes[plane], sst_slot_plane_bytes(bin, plane));
}

struct sst_identity sst_slot_state_digest(const struct sst_slot_state *slot)
{
    struct sst_slot_links links;
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            link_bin(sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class), links.of[kind][year_class]);
    return sst_slot_digest(slot, &links);
}
