/*
 * All that a state knows of one calendar day: which days it counted, and what they left.
 *
 *   ledger   (year, class) ▸ digest of the decoded field, cells with values, name of the source
 *   bins     by class: planes of moments, of tail lists, of sea ice      canonical order of the whole grid, but packed:
 *   probes   by year: codes at the probes' cells                        only cells with a value or ice on a day that counts
 *   kept     by year: codes and ice of all those cells (keep all)
 *
 *   cells    [ bitmap of the grid ] ─▶ item 0 | item 1 | ...  n_items, ascending canonical cell
 *
 * Adding a day and taking it away again leaves the very same bits, as if it had never been: sums by subtraction, lists and
 * cells by counting anew from what is kept.
 */
#ifndef SST_STATE_SLOT_STATE_H
#define SST_STATE_SLOT_STATE_H

#include "core/calendar.h"
#include "core/field.h"
#include "state/block_file.h"
#include "state/state_policy.h"
#include "stream/bins.h"

struct sst_ledger_entry {
    int32_t year;
    int32_t year_class; /* enum sst_class: which bin it is in */
    uint64_t digest; /* of the decoded field in canonical order: sst_domain_digest */
    uint64_t ice_digest; /* of the marks, 0 where there was no ice information */
    uint32_t n_valid; /* cells with values */
    int32_t median; /* [code] of them */
    char *source; /* name of the file, without its folder */
    /* What is kept of the day, NULL where nothing is; an entry that is given to be added need not have them. */
    int16_t *probes; /* policy->n_probes codes, unless keep none */
    int16_t *kept; /* n_items codes; keep all */
    uint8_t *marks; /* n_items, 1 where there was sea ice; keep all, where there was ice information */
    struct sst_packed_day *packed; /* of slot_state*.c: the same as a file stored it, or NULL */
};

struct sst_slot_state {
    int slot;
    const struct sst_state_policy *policy; /* borrowed */
    uint64_t *cells; /* bitmap of the grid, canonical order, (n + 63) / 64 words */
    size_t n_items;
    /* n_items cells; empty where the policy keeps none or the class has no day, no day with ice information for `ice` */
    struct sst_bin moments[SST_N_CLASSES], tail[SST_N_CLASSES], ice[SST_N_CLASSES];
    struct sst_tail_estimator
        lists[SST_N_CLASSES]; /* of the bins of lists, which are no longer than the class has days */
    struct sst_ledger_entry *ledger; /* ascending years */
    size_t n_ledger, ledger_capacity;
    void *stored; /* where packed days lie as a file had them; NULL where none came from one */
};

/* A slot of no day. Owner: the caller; sst_slot_state_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_slot_state_create(const struct sst_state_policy *policy, int slot,
                                                     struct sst_slot_state **out, struct sst_error *err);
void sst_slot_state_destroy(struct sst_slot_state **slot);

/* The entry of a year, or NULL. */
const struct sst_ledger_entry *sst_slot_state_entry(const struct sst_slot_state *slot, int year);

/*
 * Adds a day of the whole grid in canonical order; its year must not be there.
 *
 * field    codes, hundredths (those of the codes) and ice of policy->n_cells cells.
 * entry    digest, ice_digest, n_valid, median and source are taken over as copies; class and year too.
 * Errors   SST_ERR_NOMEM; SST_ERR_INTERNAL where the year is there, no pool has the day in that class, or ice information
 *          and ice_digest do not go together. The slot is as it was.
 */
SST_MUST_CHECK enum sst_status sst_slot_state_add(struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                                  const struct sst_field *field, struct sst_error *err);

/*
 * Takes a day away. `field` is what was added (its digest has been compared), or NULL where the slot keeps all.
 *
 * Errors   SST_ERR_STATE where the slot cannot: the year is not there, the slot has lists and does not keep all, or the field
 *          is not what was added; SST_ERR_NOMEM. The slot is as it was.
 */
SST_MUST_CHECK enum sst_status sst_slot_state_remove(struct sst_slot_state *slot, int year,
                                                     const struct sst_field *field, struct sst_error *err);

/*
 * Adds all days of a source of an equal policy and slot. A day that both have counts once, where it is the same day.
 *
 * Errors   SST_ERR_STATE with the years: those whose values differ; or those that both have, where neither contains the other
 *          and the slots do not keep all. SST_ERR_NOMEM. The target is as it was.
 */
SST_MUST_CHECK enum sst_status sst_slot_state_merge(struct sst_slot_state *target, const struct sst_slot_state *source,
                                                    struct sst_error *err);

/* 128 bits over slot, cells, planes, probes, kept values and (year, class, digests): not names. */
struct sst_identity sst_slot_state_digest(const struct sst_slot_state *slot);

/*
 * To and from a file's blocks. The slot's sums and lists are lent to the writer: it stays as it is until that is committed or
 * destroyed. Errors: SST_ERR_NOMEM; SST_ERR_STATE where blocks that are whole do not fit together, SST_ERR_INPUT where one
 * that was left in the file cannot be read.
 */
SST_MUST_CHECK enum sst_status sst_slot_state_encode(const struct sst_slot_state *slot, struct sst_block_writer *writer,
                                                     struct sst_error *err);
/* With `keeps_shut`, what is kept of days stays packed, `kept` and `marks` NULL, as in a slot that only gets more days. */
SST_MUST_CHECK enum sst_status sst_slot_state_decode(const struct sst_state_policy *policy, int slot,
                                                     const struct sst_block_file *file, bool keeps_shut,
                                                     struct sst_slot_state **out, struct sst_error *err);

/*
 * Unpacks what is kept of the days of a slot that was decoded shut. sst_slot_state_add, _remove, _merge (of its target), _digest
 * and _encode take such a slot; all else wants it open.
 *
 * Errors   SST_ERR_NOMEM; the slot is as it was.
 */
SST_MUST_CHECK enum sst_status sst_slot_state_open(struct sst_slot_state *slot, struct sst_error *err);

/* Tags of the blocks that a slot reads to where they stay, best left in the file: sst_block_file_read_but. */
enum { SST_SLOT_N_LARGE_TAGS = 6 };
extern const uint32_t sst_slot_large_tags[SST_SLOT_N_LARGE_TAGS];

#endif
