/* Checks of a policy and what follows from it directly. */
#include "stream/policy.h"

#include <string.h>

#include "moments/maxent.h"
#include "stream/schedule.h"

const char *sst_approx_name(enum sst_approx approx)
{
    static const char *const names[] = {
        [SST_APPROX_NONE] = "none",
        [SST_APPROX_CF] = "cf",
        [SST_APPROX_MAXENT] = "maxent",
        [SST_APPROX_TAIL] = "tail",
    };
    return names[approx];
}

bool sst_approx_has_moments(enum sst_approx approx) { return approx == SST_APPROX_CF || approx == SST_APPROX_MAXENT; }

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

static int n_years_of(const struct sst_policy *policy)
{
    return policy->pools.last_year - policy->pools.first_year + 1;
}

static int window_of(const struct sst_policy *policy) { return 2 * policy->pools.half_window_days + 1; }

struct sst_tail_k sst_policy_tail_depth(const struct sst_policy *policy)
{
    const int n = n_years_of(policy) * window_of(policy);
    struct sst_tail_k depth = {0, 0};
    for (size_t q = 0; q < policy->n_percentiles; ++q) {
        const double percentile = policy->percentiles[q];
        int *side = sst_tail_is_low(percentile) ? &depth.bottom : &depth.top;
        const int needed = sst_tail_depth_needed(n, percentile, policy->quantile_type);
        *side = needed > *side ? needed : *side;
    }
    return depth;
}

static int list_length(const struct sst_policy *policy, int depth)
{
    const int n_years = n_years_of(policy);
    if (depth == 0)
        return 0;
    if (policy->tail_k > 0)
        return policy->tail_k < n_years ? policy->tail_k : n_years;
    return sst_tail_default_k(n_years, window_of(policy), depth);
}

struct sst_tail_k sst_policy_tail_k(const struct sst_policy *policy)
{
    const struct sst_tail_k depth = sst_policy_tail_depth(policy);
    return (struct sst_tail_k){list_length(policy, depth.top), list_length(policy, depth.bottom)};
}

enum sst_status sst_policy_check_tail(const struct sst_policy *policy, struct sst_error *err)
{
    if (policy->approx != SST_APPROX_TAIL)
        return SST_OK;
    for (size_t q = 0; q < policy->n_percentiles; ++q) {
        if (!sst_tail_can(policy->percentiles[q]))
            return sst_fail(err, SST_ERR_USAGE,
                            "--percentile %g: --approx tail keeps the ends of the distribution, and this needs nearly "
                            "all of it. Accepted: at most %g or at least %g; use --exact for others",
                            policy->percentiles[q], SST_TAIL_HIGHEST_LOW, SST_TAIL_LOWEST_HIGH);
    }
    const struct sst_tail_k depth = sst_policy_tail_depth(policy), k = sst_policy_tail_k(policy);
    const int window = window_of(policy), needed = depth.top > depth.bottom ? depth.top : depth.bottom;
    if (k.top * window < depth.top || k.bottom * window < depth.bottom)
        return sst_fail(err, SST_ERR_USAGE,
                        "--tail-k %d: keeps %d values of a window of %d days, and the percentile is number %d from its "
                        "end. Accepted: at least %d; the default is chosen so that nearly all values are certified",
                        policy->tail_k, policy->tail_k * window, window, needed, (needed + window - 1) / window);
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
    SST_TRY(sst_approx_check(policy->approx, policy->percentiles, policy->n_percentiles, err));
    return sst_policy_check_tail(policy, err);
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
