/* The rule by which numbers are made: who knows it and the inputs can repeat them. */
#ifndef SST_STREAM_POLICY_H
#define SST_STREAM_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/calendar.h"
#include "core/field.h"
#include "core/status.h"
#include "exact/tail.h"

enum { SST_MAX_PERCENTILES = 8 };

enum sst_approx { SST_APPROX_NONE, SST_APPROX_CF, SST_APPROX_MAXENT, SST_APPROX_TAIL };

/* "none", "cf", "maxent", "tail". */
const char *sst_approx_name(enum sst_approx approx);

/* Whether it is made from power sums, not from values. */
bool sst_approx_has_moments(enum sst_approx approx);

/* Whether it can give these percentiles. Errors: SST_ERR_USAGE with the first that it cannot. */
SST_MUST_CHECK enum sst_status sst_approx_check(enum sst_approx approx, const double *percentiles, size_t n_percentiles,
                                                struct sst_error *err);

struct sst_policy {
    struct sst_pool_rule pools;
    enum sst_approx approx;
    double percentiles[SST_MAX_PERCENTILES]; /* [percent] */
    size_t n_percentiles;
    int quantile_type; /* Hyndman-Fan 1..9 */
    int smooth_days; /* odd width of the circular mean; 1 = none */
    int min_samples; /* fewer: fill; 0 = a third of the expected pool */
    int first_slot, last_slot; /* part of the year that is written; first > last crosses New Year */
    int tail_k; /* length of the lists of SST_APPROX_TAIL; 0 = by the rule of sst_tail_default_k */
    enum sst_lattice_kind lattice;
};

/* Errors: SST_ERR_USAGE with the member that is out of its range. */
SST_MUST_CHECK enum sst_status sst_policy_check(const struct sst_policy *policy, struct sst_error *err);

/*
 * What sst_policy_check says of percentiles and lists; looks at nothing that depends on files. Does nothing for other
 * estimators.
 *
 * Errors: SST_ERR_USAGE for percentiles between 25 and 75, and for lists that cannot reach a percentile.
 */
SST_MUST_CHECK enum sst_status sst_policy_check_tail(const struct sst_policy *policy, struct sst_error *err);

/* Order statistics that a full pool needs from each end for the policy's percentiles, and the lengths of the lists. */
struct sst_tail_k sst_policy_tail_depth(const struct sst_policy *policy);
struct sst_tail_k sst_policy_tail_k(const struct sst_policy *policy);

/* Slots written, in order from first_slot; `slots` has room for SST_N_SLOTS. Returns their number. */
int sst_policy_output_slots(const struct sst_policy *policy, int *slots);

/* Flags by slot (SST_N_SLOTS + 1) of those whose files the policy reads. */
void sst_policy_read_slots(const struct sst_policy *policy, bool *wanted);

/* Fewest observations that give a value at a slot. */
int sst_policy_min_samples(const struct sst_policy *policy, int slot);

#endif
