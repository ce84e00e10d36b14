/* The schedule follows from pools and smoothing alone; see the drawing in the header. */
#include "stream/schedule.h"

#include <string.h>

/* Slot `offset` days further on in the ring, which has n slots. */
static int ring_slot(int slot, int offset, int n) { return (slot - 1 + offset + n) % n + 1; }

static void append(struct sst_schedule *schedule, int slot, bool is_derived)
{
    schedule->is_derived[schedule->n_estimates] = is_derived;
    schedule->estimate_index[slot] = (int16_t)schedule->n_estimates;
    schedule->estimate_slot[schedule->n_estimates++] = (int16_t)slot;
}

/* A derived slot comes to be as soon as both its neighbours are there. */
static void append_derived(struct sst_schedule *schedule, const bool *wanted)
{
    if (wanted[SST_SLOT_FEB29] && schedule->estimate_index[SST_SLOT_FEB29] < 0 &&
        schedule->estimate_index[SST_SLOT_FEB29 - 1] >= 0 && schedule->estimate_index[SST_SLOT_FEB29 + 1] >= 0)
        append(schedule, SST_SLOT_FEB29, true);
}

/* The slots that must be estimated: the outputs, the smoother's reach, and the neighbours of a derived slot. */
static void list_estimates(const struct sst_policy *policy, struct sst_schedule *schedule)
{
    const int ring = sst_calendar_n_slots(policy->pools.kind);
    const int reach = policy->smooth_days / 2;
    bool wanted[SST_N_SLOTS + 1] = {false};
    int outputs[SST_N_SLOTS];
    const int n_outputs = sst_policy_output_slots(policy, outputs);
    for (int o = 0; o < n_outputs; ++o)
        for (int offset = -reach; offset <= reach; ++offset)
            wanted[ring_slot(outputs[o], offset + ring, ring)] = true;
    const bool has_derived = wanted[SST_SLOT_FEB29] && sst_pool_is_derived(&policy->pools, SST_SLOT_FEB29);
    if (has_derived)
        wanted[SST_SLOT_FEB29 - 1] = wanted[SST_SLOT_FEB29 + 1] = true;

    int start = outputs[0];
    for (int back = 0; back < ring && wanted[ring_slot(start, ring - 1, ring)] && n_outputs < ring; ++back)
        start = ring_slot(start, ring - 1, ring);
    for (int i = 0; i < ring; ++i) {
        const int slot = ring_slot(start, i, ring);
        if (!wanted[slot] || (has_derived && slot == SST_SLOT_FEB29))
            continue;
        append(schedule, slot, false);
        if (has_derived)
            append_derived(schedule, wanted);
    }
}

static void list_reads(const struct sst_policy *policy, struct sst_schedule *schedule)
{
    bool is_read[SST_N_SLOTS + 1] = {false};
    for (int e = 0; e < schedule->n_estimates; ++e) {
        struct sst_term terms[SST_MAX_TERMS];
        const int n_terms =
            schedule->is_derived[e] ? 0 : sst_pool_terms(&policy->pools, schedule->estimate_slot[e], terms);
        schedule->read_first[e] = (int16_t)schedule->n_reads;
        for (int t = 0; t < n_terms; ++t) {
            schedule->slot_last_use[terms[t].slot] = (int16_t)e;
            if (!is_read[terms[t].slot]) {
                is_read[terms[t].slot] = true;
                schedule->read_slot[schedule->n_reads++] = terms[t].slot;
            }
        }
    }
    schedule->read_first[schedule->n_estimates] = (int16_t)schedule->n_reads;
}

int sst_schedule_members(const struct sst_schedule *schedule, const struct sst_policy *policy, int slot, int *members)
{
    const int ring = sst_calendar_n_slots(policy->pools.kind);
    const int reach = policy->smooth_days / 2;
    int n = 0;
    for (int offset = -reach; offset <= reach; ++offset)
        members[n++] = schedule->estimate_index[ring_slot(slot, offset + ring, ring)];
    return n;
}

void sst_schedule_parents(const struct sst_schedule *schedule, int *before, int *after)
{
    *before = schedule->estimate_index[SST_SLOT_FEB29 - 1];
    *after = schedule->estimate_index[SST_SLOT_FEB29 + 1];
}

/* Index of the estimate that completes an output. */
static int ready_at(const struct sst_schedule *schedule, const struct sst_policy *policy, int slot)
{
    int members[SST_N_SLOTS];
    const int n_members = sst_schedule_members(schedule, policy, slot, members);
    int ready = 0;
    for (int m = 0; m < n_members; ++m)
        ready = members[m] > ready ? members[m] : ready;
    return ready;
}

static void use_until(struct sst_schedule *schedule, int estimate, int until)
{
    if (schedule->estimate_last_use[estimate] < until)
        schedule->estimate_last_use[estimate] = (int16_t)until;
}

/* Orders outputs by the estimate that completes them, and notes for how long each estimate is needed. */
static void list_outputs(const struct sst_policy *policy, struct sst_schedule *schedule)
{
    int outputs[SST_N_SLOTS], ready[SST_N_SLOTS], members[SST_N_SLOTS];
    const int n_outputs = sst_policy_output_slots(policy, outputs);
    for (int o = 0; o < n_outputs; ++o) {
        ready[o] = ready_at(schedule, policy, outputs[o]);
        const int n_members = sst_schedule_members(schedule, policy, outputs[o], members);
        for (int m = 0; m < n_members; ++m)
            use_until(schedule, members[m], ready[o]);
    }
    for (int e = 0; e < schedule->n_estimates; ++e) {
        for (int o = 0; o < n_outputs; ++o) {
            if (ready[o] != e)
                continue;
            schedule->output_ready[schedule->n_outputs] = (int16_t)e;
            schedule->output_slot[schedule->n_outputs++] = (int16_t)outputs[o];
        }
        if (schedule->is_derived[e]) {
            int before = 0, after = 0;
            sst_schedule_parents(schedule, &before, &after);
            use_until(schedule, before, e);
            use_until(schedule, after, e);
        }
    }
}

void sst_schedule_make(const struct sst_policy *policy, struct sst_schedule *schedule)
{
    memset(schedule, 0, sizeof *schedule);
    for (int slot = 0; slot <= SST_N_SLOTS; ++slot)
        schedule->estimate_index[slot] = schedule->slot_last_use[slot] = -1;
    list_estimates(policy, schedule);
    list_reads(policy, schedule);
    list_outputs(policy, schedule);
}

/* --- groups ------------------------------------------------------------------------------------------------------- */

int sst_schedule_group_end(const struct sst_schedule *schedule, int first, size_t n_ahead)
{
    const size_t most = n_ahead > 0 ? n_ahead : 1;
    size_t n_pools = 0;
    int end = first;
    for (; end < schedule->n_estimates; ++end) {
        n_pools += !schedule->is_derived[end];
        if (n_pools > most)
            break;
    }
    return end;
}

int sst_schedule_last_pool(const struct sst_schedule *schedule, int first, int end)
{
    int last = end - 1;
    while (last > first && schedule->is_derived[last])
        --last;
    return last;
}

int sst_schedule_read_ahead(const struct sst_schedule *schedule, int first, int end, size_t n_ahead, int e)
{
    const int next_end = sst_schedule_group_end(schedule, end, n_ahead);
    const int from = schedule->read_first[end], to = schedule->read_first[next_end];
    return from + (to - from) * (e - first + 1) / (end - first);
}

/* Whether a term is of a year beside the baseline: only the first and the last year of an edge are terms of their own. */
static bool is_beside(const struct sst_pool_rule *pools, struct sst_term term)
{
    if (term.year_class == SST_CLASS_FIRST)
        return sst_pool_class(pools, (struct sst_day){pools->first_year - 1, term.slot}) == SST_CLASS_FIRST;
    return term.year_class == SST_CLASS_LAST &&
           sst_pool_class(pools, (struct sst_day){pools->last_year + 1, term.slot}) == SST_CLASS_LAST;
}

size_t sst_schedule_term_days(const struct sst_policy *policy, struct sst_term term, bool lacks_days_beside)
{
    return lacks_days_beside && is_beside(&policy->pools, term) ? 0 : (size_t)sst_pool_term_days(&policy->pools, term);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

/* Terms and days of a slot. */
static struct sst_schedule_counts count_slot(const struct sst_policy *policy, int slot, bool lacks_days_beside)
{
    struct sst_schedule_counts counts = {0};
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        const size_t n_days = sst_schedule_term_days(policy, term, lacks_days_beside);
        counts.n_terms += n_days > 0;
        counts.n_days += n_days;
        counts.n_term_days = larger(counts.n_term_days, n_days);
    }
    return counts;
}

/* Pools of a group, and the most terms that one of them has. */
static void count_pools(const struct sst_policy *policy, const struct sst_schedule *schedule, int first, int end,
                        struct sst_schedule_counts *most)
{
    size_t n_pools = 0;
    for (int e = first; e < end; ++e) {
        struct sst_term terms[SST_MAX_TERMS];
        if (schedule->is_derived[e])
            continue;
        const int n_terms = sst_pool_terms(&policy->pools, schedule->estimate_slot[e], terms);
        most->n_pool_terms = larger(most->n_pool_terms, (size_t)n_terms);
        ++n_pools;
    }
    most->n_pools = larger(most->n_pools, n_pools);
}

struct sst_schedule_counts sst_schedule_count(const struct sst_policy *policy, size_t n_ahead, bool lacks_days_beside)
{
    struct sst_schedule schedule;
    struct sst_schedule_counts most = {0}, slots[SST_N_SLOTS + 1] = {{0}};
    size_t n_terms = 0, n_days = 0;
    sst_schedule_make(policy, &schedule);
    for (int first = 0, end = 0; first < schedule.n_estimates; first = end) {
        end = sst_schedule_group_end(&schedule, first, n_ahead);
        for (int r = schedule.read_first[first]; r < schedule.read_first[end]; ++r) {
            struct sst_schedule_counts *slot = &slots[schedule.read_slot[r]];
            *slot = count_slot(policy, schedule.read_slot[r], lacks_days_beside);
            n_terms += slot->n_terms;
            n_days += slot->n_days;
            most.n_term_days = larger(most.n_term_days, slot->n_term_days);
        }
        most.n_terms = larger(most.n_terms, n_terms);
        most.n_days = larger(most.n_days, n_days);
        count_pools(policy, &schedule, first, end, &most);
        for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
            if (schedule.slot_last_use[slot] > sst_schedule_last_pool(&schedule, first, end))
                continue;
            n_terms -= slots[slot].n_terms;
            n_days -= slots[slot].n_days;
            slots[slot] = (struct sst_schedule_counts){0};
        }
    }
    return most;
}
