/*
 * The sums, lists and probes of a state as the engine takes them in place of days: a climatology of a state that keeps no
 * values is that of its files, bit for bit, for any rule and estimator that they are enough for.
 *
 *   class of the rule   =   classes of the state that it joins        hobday, 11 days     COMMON  LEAP  FIRST  LAST
 *                                                                     skip                [  a term of a slot   ]  less y1+1
 *
 * A state knows the days of a slot by class alone, so a term of another rule can be had where no class has days both in the
 * term and beside it. From hobday that is so for skip, for own, and for hobday with fewer days; from own for skip.
 */
#ifndef SST_STATE_STATE_SUMS_H
#define SST_STATE_STATE_SUMS_H

#include "state/state.h"
#include "stream/policy.h"
#include "stream/slot_source.h"

struct sst_state_sums;

/* Classes of a state's rule. Bit c: it joins enum sst_class c. */
struct sst_term_split {
    unsigned classes;
    bool is_clean; /* none of them has a day that is not in the term */
};

/* Which days of a slot that one rule knows by class are in a term of another. */
struct sst_term_split sst_state_split_term(const struct sst_pool_rule *known, const struct sst_pool_rule *wanted,
                                           struct sst_term term);

/*
 * Whether what a state keeps is enough for a policy, without any value.
 *
 * Errors   SST_ERR_STATE with what it lacks and what would help: exact percentiles, sums of powers, lists as long as a run's,
 *          days that it does not know apart.
 */
SST_MUST_CHECK enum sst_status sst_state_sums_check(const struct sst_state *state, const struct sst_policy *policy,
                                                    struct sst_error *err);

/*
 * state, policy, which sst_state_sums_check accepts, and domain, which is the whole grid of the state, are borrowed.
 *
 * probes   domain cells, ascending: those of the state, or none.
 * Owner    the caller; sst_state_sums_destroy. Errors: SST_ERR_NOMEM; SST_ERR_INTERNAL for probes that are not the state's.
 */
SST_MUST_CHECK enum sst_status sst_state_sums_create(const struct sst_state *state, const struct sst_policy *policy,
                                                     const struct sst_domain *domain, const size_t *probes,
                                                     size_t n_probes, struct sst_state_sums **out,
                                                     struct sst_error *err);
void sst_state_sums_destroy(struct sst_state_sums **sums);

/* Borrowed until the sums are destroyed. Its get fails as sst_state_load does. */
const struct sst_slot_source *sst_state_sums_slots(const struct sst_state_sums *sums);

/* Days of the slots that were asked for so far: those that are counted, and those of the baseline that are not. */
size_t sst_state_sums_n_days(const struct sst_state_sums *sums);
size_t sst_state_sums_n_absent(const struct sst_state_sums *sums);

/*
 * The most bytes that this takes beside the engine, where so many cells have values: the largest of some slots as it is read,
 * and the order of cells. The same holds for the days of a source, but for the fields that it gives.
 *
 * slots    flags by slot (SST_N_SLOTS + 1).
 */
uint64_t sst_state_sums_bytes(const struct sst_state_policy *policy, const bool *slots, size_t n_items);

/*
 * Where the sea is, as far as one of some slots tells: the first that has a day. n_items 0: none has.
 *
 * slots    as above. Errors: as sst_state_load.
 */
struct sst_state_sea {
    size_t n_items; /* cells with values or ice */
    size_t n_places; /* that the engine gives to them: core/cells.h */
};
SST_MUST_CHECK enum sst_status sst_state_find_sea(const struct sst_state *state, const struct sst_domain *domain,
                                                  const bool *slots, struct sst_state_sea *out, struct sst_error *err);

#endif
