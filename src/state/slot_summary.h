/* What a slot's sums say of its days, cell by cell: for those who look at a state with other programs. */
#ifndef SST_STATE_SLOT_SUMMARY_H
#define SST_STATE_SLOT_SUMMARY_H

#include "state/slot_state.h"

enum sst_summary_plane {
    SST_SUMMARY_MEAN, /* [degC] */
    SST_SUMMARY_SD, /* [degC] population standard deviation */
    SST_SUMMARY_SKEWNESS, /* population; 0 where nothing varies */
    SST_SUMMARY_KURTOSIS, /* excess, population; 0 where nothing varies */
    SST_SUMMARY_ICE, /* 0..1 share of the days with ice information that had sea ice */
    SST_SUMMARY_LOWEST,
    SST_SUMMARY_HIGHEST, /* [degC] */
    SST_SUMMARY_N_PLANES
};

/* Of the baseline's own days: not those that only windows of its ends reach. All arrays have n_cells items, domain order. */
struct sst_slot_summary {
    size_t n_cells;
    size_t n_days; /* that were counted */
    int16_t *n_values; /* 0 where there is none */
    float *planes[SST_SUMMARY_N_PLANES]; /* NaN = missing; NULL where slots of the policy do not know it */
};

/* Whether slots of a policy know a plane. */
bool sst_summary_has(const struct sst_state_policy *policy, enum sst_summary_plane plane);

/*
 * Room for the slots of a policy.
 *
 * Owner    the caller; sst_slot_summary_clear, also after a failure.
 * Errors   SST_ERR_STATE where the policy keeps no sums; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_slot_summary_init(const struct sst_state_policy *policy,
                                                     struct sst_slot_summary *summary, struct sst_error *err);
void sst_slot_summary_clear(struct sst_slot_summary *summary);

/* Fills the planes from a slot. `domain` is the whole of the policy's grid. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_slot_summary_fill(const struct sst_slot_state *slot, const struct sst_domain *domain,
                                                     struct sst_slot_summary *summary, struct sst_error *err);

#endif
