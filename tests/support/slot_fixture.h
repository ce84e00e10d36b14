/* Days of one slot of a state, made up, and slots as files in memory. */
#ifndef SST_SLOT_FIXTURE_H
#define SST_SLOT_FIXTURE_H

#include "core/field.h"
#include "state/block_file.h"
#include "state/slot_state.h"

/* Policies that tests go through: what is kept, on which lattice. */
enum { SLOT_N_POLICIES = 5, SLOT_FIRST_YEAR = 1991, SLOT_LAST_YEAR = 2010, SLOT_MAX_DAYS = 24 };

/* A complete policy on a grid of 7 x 29 cells, and whether its slots can take days away. Owner: the caller. */
struct sst_state_policy slot_policy(int which);
struct sst_state_policy slot_policy_of_size(int which, size_t n_rows, size_t n_cols);
bool slot_policy_can_remove(const struct sst_state_policy *policy);

struct slot_day {
    struct sst_ledger_entry entry;
    struct sst_field field;
};

/* All the days of a slot that some pool has, ascending years. Each has cells that no other has. Owner: the caller. */
struct slot_days {
    size_t n;
    struct slot_day days[SLOT_MAX_DAYS];
};
void slot_days_make(const struct sst_state_policy *policy, int slot, struct slot_days *out);
void slot_days_clear(struct slot_days *days);

/* A slot of no day; adds a day; takes one away with its field where that is needed. All fail the test where they fail. */
struct sst_slot_state *slot_new(const struct sst_state_policy *policy, int slot);
void slot_add(struct sst_slot_state *slot, const struct slot_day *day);
void slot_take(struct sst_slot_state *slot, const struct slot_day *day);

/* What would be on the disk. Owner: the caller; free, sst_block_file_destroy. */
struct slot_bytes {
    unsigned char *bytes;
    size_t n;
};
struct sst_block_file *slot_file_of(struct sst_block_writer *writer);
struct sst_block_file *slot_file(const struct sst_slot_state *slot);
struct slot_bytes slot_bytes(const struct sst_slot_state *slot);

/* Whether two slots have the same bytes on the disk and the same digest. */
bool slots_equal(const struct sst_slot_state *a, const struct sst_slot_state *b);

/*
 * Calls `use` with a file of which something is altered, once for each way: a block left out, doubled, shorter, longer, empty;
 * a bit of a byte changed, every byte of the first blocks and some of the others; the block of `other` in its place, where that
 * has other bytes.
 */
void slot_alterations(const struct sst_block_file *file, const struct sst_block_file *other,
                      void (*use)(void *user, const struct sst_block_file *altered, const char *what), void *user);

#endif
