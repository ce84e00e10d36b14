/* What the sources of a slot share: its cells as places, its bins by kind, and copies of it over other cells. */
#ifndef SST_STATE_SLOT_STATE_PRIVATE_H
#define SST_STATE_SLOT_STATE_PRIVATE_H

#include "core/cells.h"
#include "core/digest.h"
#include "state/packed_codes.h"
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
 * holds while codes, ice and the cells they are of stay as they are.
 */
enum sst_packed_part { SST_PACKED_PROBES, SST_PACKED_KEPT, SST_PACKED_MARKS, SST_N_PACKED_PARTS };

struct sst_packed_day {
    size_t n_bytes[SST_N_PACKED_PARTS]; /* 0: not there */
    uint64_t checksums[SST_N_PACKED_PARTS]; /* sst_digest_checksum of them */
    bool is_shut; /* kept values and ice are here alone, and NULL in the entry */
    struct sst_digest_link links[SST_N_PACKED_PARTS]; /* of what they unpack to, where it is shut */
    const unsigned char *bytes; /* one part after the other: `own`, or in `stored` of the entry's slot */
    unsigned char own[];
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

/* Packs a part that an entry has open: sst_slot_part_bytes of them. */
void sst_slot_pack_part(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                        enum sst_packed_part part, unsigned char *bytes);

/* What a thread needs to look into days. Owner: the caller; sst_slot_looker_clear, also after a failure and zeroed. */
struct sst_slot_looker {
    unsigned char *bytes; /* of the longest part */
    int16_t *values; /* n_items */
    struct sst_unpacker *unpacker;
};

SST_MUST_CHECK enum sst_status sst_slot_looker_init(const struct sst_slot_state *slot, struct sst_slot_looker *looker,
                                                    struct sst_error *err);
void sst_slot_looker_clear(struct sst_slot_looker *looker);

/* Makes room for a part in the entry, which must not have it open. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_slot_make_room(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                                  enum sst_packed_part part, struct sst_error *err);

/*
 * Unpacks a part that the entry holds packed: into the room that was made, or with none only to be checked and to know its
 * link; then the entry is to be shut. Several threads may do this for parts of one slot, each with a looker of its own.
 *
 * Errors   SST_ERR_STATE where it does not unpack.
 */
SST_MUST_CHECK enum sst_status sst_slot_unpack_part(const struct sst_slot_state *slot, struct sst_ledger_entry *entry,
                                                    enum sst_packed_part part, struct sst_slot_looker *looker,
                                                    struct sst_error *err);

/* Threads for what is done beside reading and writing a slot: one where the slot is small. */
int sst_slot_n_threads(const struct sst_slot_state *slot);

/* What a chain needs of the planes of a slot's bins, by kind, class and plane. */
enum { SST_SLOT_PLANES_OF_CLASS = 16 };
struct sst_slot_links {
    struct sst_digest_link of[SST_N_SLOT_KINDS][SST_N_CLASSES][SST_SLOT_PLANES_OF_CLASS];
};

/* Bytes of a plane of a bin; its block's tag, and number. */
size_t sst_slot_plane_bytes(const struct sst_bin *bin, size_t plane);
extern const uint32_t sst_slot_plane_tags[SST_N_SLOT_KINDS];
static inline uint32_t sst_slot_plane_number(int year_class, size_t plane)
{
    return (uint32_t)(SST_SLOT_PLANES_OF_CLASS * year_class) + (uint32_t)plane;
}

/* sst_slot_state_digest where the links of all planes are known. */
struct sst_identity sst_slot_digest(const struct sst_slot_state *slot, const struct sst_slot_links *links);

/* Estimator and version of a kind, as a file's head has them; 0 where the policy keeps none. */
uint32_t sst_slot_version_of(enum sst_slot_kind kind, const struct sst_slot_state *slot);

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
