/* What the sources of a slot share: its cells as places, its bins by kind, and copies of it over other cells. */
#ifndef SST_STATE_SLOT_STATE_PRIVATE_H
#define SST_STATE_SLOT_STATE_PRIVATE_H

#include "core/cells.h"
#include "core/digest.h"
#include "state/slot_state.h"

enum sst_slot_kind { SST_SLOT_MOMENTS, SST_SLOT_TAIL, SST_SLOT_ICE, SST_N_SLOT_KINDS };

static inline size_t sst_slot_n_words(size_t n_cells) { return (n_cells + 63) / 64; }

/* The bin of a kind and class, which may be empty. */
struct sst_bin *sst_slot_bin(struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class);
const struct sst_bin *sst_slot_bin_read(const struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class);

/* The estimator of its bins; NULL where the policy keeps none. */
const struct sst_estimator *sst_slot_estimator(const struct sst_slot_state *slot, enum sst_slot_kind kind,
                                               int year_class);

/* Whether the days of the ledger make a bin of this kind and class. */
bool sst_slot_wants_bin(const struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class);

static inline bool sst_slot_keeps_all(const struct sst_slot_state *slot) { return slot->policy->keep == SST_KEEP_ALL; }
static inline bool sst_slot_has_lists(const struct sst_slot_state *slot)
{
    return slot->policy->tail.top > 0 || slot->policy->tail.bottom > 0;
}

size_t sst_slot_count_cells(const uint64_t *cells, size_t n_cells);

/* Places of the items in fields of the grid, in fields of the items. Owner: the caller; sst_cells_clear. */
SST_MUST_CHECK enum sst_status sst_slot_grid_places(const struct sst_slot_state *slot, const uint64_t *cells,
                                                    size_t n_items, struct sst_cells *out, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_slot_item_places(const struct sst_slot_state *slot, struct sst_cells *out,
                                                    struct sst_error *err);

/* Adds a field to the bins of a class. `places` are those of the items in the field. */
void sst_slot_add_field(struct sst_slot_state *slot, int year_class, const struct sst_cells *places,
                        const struct sst_field *field);

/* Which items have a value or ice in some bin: n_items of 0 or 1. */
void sst_slot_find_used(const struct sst_slot_state *slot, uint8_t *used);

/* The place of a year in the ledger, or where it would be. */
size_t sst_slot_place_of_year(const struct sst_slot_state *slot, int year);

/*
 * A copy over other cells of the grid: items that are new have no value, those that are no cell any more are left out. Its
 * ledger has room for `room` more.
 *
 * Owner    the caller; sst_slot_state_destroy.
 */
SST_MUST_CHECK enum sst_status sst_slot_copy(const struct sst_slot_state *slot, const uint64_t *cells, size_t n_items,
                                             size_t room, struct sst_slot_state **out, struct sst_error *err);

/* Gives the slot what a copy holds, and destroys the copy. */
void sst_slot_replace(struct sst_slot_state *slot, struct sst_slot_state **copy);

/*
 * What is kept of a day as it lay in the file that it was read from, so that it need not be packed anew for the next one. It
 * holds while codes, ice and the cells they are of stay as they are. One piece of memory.
 */
enum sst_packed_part { SST_PACKED_PROBES, SST_PACKED_KEPT, SST_PACKED_MARKS, SST_N_PACKED_PARTS };

struct sst_packed_day {
    size_t n_bytes[SST_N_PACKED_PARTS]; /* 0: not there */
    bool is_shut; /* kept values and ice are here alone, and NULL in the entry */
    struct sst_digest_link links[SST_N_PACKED_PARTS]; /* of what they unpack to, where it is shut */
    unsigned char bytes[]; /* one part after the other */
};

static inline bool sst_slot_is_shut(const struct sst_ledger_entry *entry)
{
    return entry->packed && entry->packed->is_shut;
}

/* Whether a day has a part, whether the policy and its ice ask for it, its bytes before they are deflated, its block's tag. */
bool sst_slot_has_part(const struct sst_ledger_entry *entry, enum sst_packed_part part);
bool sst_slot_wants_part(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                         enum sst_packed_part part);
size_t sst_slot_part_bytes(const struct sst_slot_state *slot, enum sst_packed_part part);
extern const uint32_t sst_slot_part_tags[SST_N_PACKED_PARTS];

/* The bytes of the longest part: the scratch of the functions below. */
size_t sst_slot_scratch_bytes(const struct sst_slot_state *slot);

/* Adds the parts of a day to a file: as they lay in one, where one had them; what it lends is the entry's. */
SST_MUST_CHECK enum sst_status sst_slot_add_day(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                                unsigned char *scratch, struct sst_block_writer *writer,
                                                struct sst_error *err);

/*
 * Unpacks what the entry holds packed. Where `shuts` is not NULL, kept values and ice are unpacked there, n_items codes, only
 * to be checked and to know their links, and the entry stays shut.
 *
 * Errors   SST_ERR_STATE where it does not unpack; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_slot_unpack_day(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                                   unsigned char *scratch, int16_t *shuts, struct sst_error *err);

/*
 * Makes a slot one of another policy, that differs in the years of the baseline alone and has all days of the slot in the
 * classes that they are in. Errors: SST_ERR_NOMEM; the slot is as it was.
 */
SST_MUST_CHECK enum sst_status sst_slot_set_policy(struct sst_slot_state *slot, const struct sst_state_policy *policy,
                                                   struct sst_error *err);

/* The values of a day that a slot keeps, into a field of the whole grid. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_slot_unpack(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                               struct sst_field *field, struct sst_error *err);

/* Frees what an entry owns. */
void sst_slot_clear_entry(struct sst_ledger_entry *entry);

#endif
