/* The first blocks of a slot's file, which tell what is in it: the head, and the list of days. slot_state_blocks.c draws them. */
#ifndef SST_STATE_SLOT_STATE_HEAD_H
#define SST_STATE_SLOT_STATE_HEAD_H

#include "core/digest.h"
#include "core/text.h"
#include "state/slot_state_private.h"

#define SST_SLOT_TAG_HEAD SST_BLOCKS_TAG('H', 'E', 'A', 'D')
#define SST_SLOT_TAG_CELLS SST_BLOCKS_TAG('C', 'E', 'L', 'L')
#define SST_SLOT_TAG_DAYS SST_BLOCKS_TAG('D', 'A', 'Y', 'S')
#define SST_SLOT_TAG_PROBES SST_BLOCKS_TAG('P', 'R', 'O', 'B')
#define SST_SLOT_TAG_KEPT SST_BLOCKS_TAG('K', 'E', 'P', 'T')
#define SST_SLOT_TAG_MARKS SST_BLOCKS_TAG('M', 'A', 'R', 'K')

struct sst_slot_head {
    int slot;
    uint64_t n_cells, n_items;
    uint32_t n_days;
    uint32_t versions[SST_N_SLOT_KINDS]; /* of the estimators */
    struct sst_identity digest; /* of the slot */
    struct sst_digest_chain days; /* of the list of days */
};

struct sst_digest_chain sst_slot_days_digest(const void *bytes, size_t n_bytes);

void sst_slot_put_head(struct sst_text *text, const struct sst_slot_head *head);
void sst_slot_put_days(struct sst_text *text, const struct sst_ledger_entry *entries, size_t n_entries);

/*
 * Out of the blocks of a file. The days are appended to an array for sst_grow, without what is kept of them; what is there is
 * the caller's also after a failure.
 *
 * Errors   SST_ERR_STATE: no such block, of another slot or grid, not what the head knows; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_slot_take_head(const struct sst_state_policy *policy, int slot,
                                                  const struct sst_block_file *file, struct sst_slot_head *out,
                                                  struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_slot_take_days(const struct sst_state_policy *policy,
                                                  const struct sst_slot_head *head, const struct sst_block_file *file,
                                                  struct sst_ledger_entry **entries, size_t *n_entries,
                                                  size_t *capacity, struct sst_error *err);

/* A block that has to be there. */
SST_MUST_CHECK enum sst_status sst_slot_find_block(const struct sst_block_file *file, int slot, uint32_t tag,
                                                   uint32_t number, struct sst_block *out, struct sst_error *err);

#endif
