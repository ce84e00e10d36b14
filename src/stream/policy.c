/* Checks of a policy and what follows from it directly. */
#include "stream/policy.h"

#include <string.h>

#include "moments/maxent.h"
#include "stream/schedule.h"

const char *sst_approx_name(enum sst_approx approx)
{
    switch (approx) {
    case SST_APPROX_CF:
        return "cf";
    case SST_APPROX_MAXENT:
        return "maxent";
    case SST_APPROX_NONE:
        break;
    }
    return "none";
}

bool sst_approx_has_moments(enum sst_approx approx) { return approx != SST_APPROX_NONE; }

enum sst_status sst_approx_check(enum sst_approx approx, const double *percentiles, size_t n_percentiles,
                                 struct sst_error *err)
{
    for (size_t q = 0; q < n_percentiles && approx == SST_APPROX_MAXENT; ++q) {
        if (!sst_maxent_table(percentiles[q]))
            return sst_fail(err, SST_ERR_USAGE,
                            "--percentile %g: --approx maxent has tables for %s only. Use --approx cf, or --approx "
                            "none for exact values",
                            percentiles[q], sst_maxent_percentiles());
    }
    return SST_OK;
}

enum sst_status sst_policy_check(const struct sst_policy *policy, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &policy->pools;
    const int ring = sst_calendar_n_slots(pools->kind);
    const int years = pools->last_year - pools->first_year + 1;
    if (years < 1)
        return sst_fail(err, SST_ERR_USAGE, "--baseline %d-%d: the last year comes before the first", pools->first_year,
                        pools->last_year);
    if (pools->half_window_days < 0 || pools->half_window_days > SST_MAX_HALF_WINDOW)
        return sst_fail(err, SST_ERR_USAGE, "--window %d: must be odd, from 1 to %d days",
                        2 * pools->half_window_days + 1, 2 * SST_MAX_HALF_WINDOW + 1);
    if (years * (2 * pools->half_window_days + 1) > SST_MAX_POOL)
        return sst_fail(
            err, SST_ERR_USAGE,
            "%d years x %d days: at most %d values a pool keep the sums exact. Shorten --baseline or --window", years,
            2 * pools->half_window_days + 1, SST_MAX_POOL);
    if (policy->smooth_days < 1 || policy->smooth_days % 2 == 0 || policy->smooth_days > ring)
        return sst_fail(err, SST_ERR_USAGE, "--smooth %d: must be 0 (off) or odd, up to %d days", policy->smooth_days,
                        ring - 1 + ring % 2);
    if (policy->first_slot < 1 || policy->first_slot > ring || policy->last_slot < 1 || policy->last_slot > ring)
        return sst_fail(err, SST_ERR_USAGE, "days %d to %d: the calendar %s has days 1 to %d", policy->first_slot,
                        policy->last_slot, sst_calendar_name(pools->kind), ring);
    if (policy->n_percentiles < 1 || policy->n_percentiles > SST_MAX_PERCENTILES)
        return sst_fail(err, SST_ERR_USAGE, "--percentile: from 1 to %d percentiles a run", SST_MAX_PERCENTILES);
    return sst_approx_check(policy->approx, policy->percentiles, policy->n_percentiles, err);
}

int sst_policy_output_slots(const struct sst_policy *policy, int *slots)
{
    const int ring = sst_calendar_n_slots(policy->pools.kind);
    int n = 0;
    for (int slot = policy->first_slot;; slot = slot % ring + 1) {
        slots[n++] = slot;
        if (slot == policy->last_slot)
            return n;
    }
}

void sst_policy_read_slots(const struct sst_policy *policy, bool *wanted)
{
    struct sst_schedule schedule;
    sst_schedule_make(policy, &schedule);
    memset(wanted, 0, (SST_N_SLOTS + 1) * sizeof *wanted);
    for (int r = 0; r < schedule.n_reads; ++r)
        wanted[schedule.read_slot[r]] = true;
}

int sst_policy_min_samples(const struct sst_policy *policy, int slot)
{
    if (policy->min_samples > 0)
        return policy->min_samples;
    return (sst_pool_days(&policy->pools, slot) + 2) / 3;
}
