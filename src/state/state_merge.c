/*
 * States of one policy become one.
 *
 * All is compared before anything is made. Of each slot a ledger that another one contains is left out, so that what is joined
 * does not depend on the order in which the states are named.
 */
#include <string.h>

#include "core/mem.h"
#include "state/state_join.h"
#include "state/state_join_parts.h"

/* What is known of a day that no slot counts, and whose log it is in. */
struct found_day {
    const struct sst_logged_day *at; /* borrowed from the state */
    size_t state;
};

struct merge {
    const struct sst_state *const *states;
    size_t n_states;
    const struct sst_join_watch *watch;
    bool keeps_all;
    enum sst_calendar_kind calendar;
    struct sst_state_ledgers **ledgers; /* by state */
    struct found_day *logged;
    size_t n_logged, logged_capacity;
    struct sst_day_names unlike; /* with different values in two states */
    struct sst_day_names crossing; /* in two slots that have other days too, and cannot be taken apart */
    struct sst_state *target;
};

static const struct sst_ledger *ledger_of(const struct merge *merge, size_t state, int slot)
{
    return &merge->ledgers[state]->of[slot];
}

/* --- what is in the way ------------------------------------------------------------------------------------------- */

static enum sst_status compare_policies(const struct merge *merge, struct sst_error *err)
{
    char text[256];
    for (size_t i = 1; i < merge->n_states; ++i)
        if (sst_state_policy_differs(sst_state_policy(merge->states[0]), sst_state_policy(merge->states[i]), text))
            return sst_fail(err, SST_ERR_STATE, "%.150s and %.150s do not merge: %s", sst_state_path(merge->states[0]),
                            sst_state_path(merge->states[i]), text);
    return SST_OK;
}

static size_t count_common(const struct sst_ledger *a, const struct sst_ledger *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->n_entries; ++i)
        n += sst_ledger_entry(b, a->entries[i].year) != NULL;
    return n;
}

static bool contains(const struct sst_ledger *all, const struct sst_ledger *some)
{
    return count_common(some, all) == some->n_entries;
}

/* Whether both have days in common, and each has others. */
static bool cross(const struct sst_ledger *a, const struct sst_ledger *b)
{
    const size_t n = count_common(a, b);
    return n > 0 && n < a->n_entries && n < b->n_entries;
}

/* A day that two states count, held against each other. */
static void compare_day(struct merge *merge, struct sst_day day)
{
    bool is_unlike = false, is_crossing = false;
    for (size_t a = 0; a < merge->n_states; ++a)
        for (size_t b = a + 1; b < merge->n_states; ++b) {
            const struct sst_ledger *ledger = ledger_of(merge, a, day.slot), *beside = ledger_of(merge, b, day.slot);
            const struct sst_ledger_entry *one = sst_ledger_entry(ledger, day.year);
            const struct sst_ledger_entry *other = sst_ledger_entry(beside, day.year);
            if (!one || !other)
                continue;
            is_unlike = is_unlike || one->digest != other->digest || one->ice_digest != other->ice_digest;
            is_crossing = is_crossing || (!merge->keeps_all && cross(ledger, beside));
        }
    if (is_unlike)
        sst_day_names_add(&merge->unlike, day);
    if (is_crossing)
        sst_day_names_add(&merge->crossing, day);
}

/* Whether a state before this one has the day too, so that it was looked at already. */
static bool was_compared(const struct merge *merge, size_t state, struct sst_day day)
{
    for (size_t before = 0; before < state; ++before)
        if (sst_ledger_entry(ledger_of(merge, before, day.slot), day.year))
            return true;
    return false;
}

static void compare_slot(struct merge *merge, int slot)
{
    for (size_t state = 0; state + 1 < merge->n_states; ++state) {
        const struct sst_ledger *ledger = ledger_of(merge, state, slot);
        for (size_t i = 0; i < ledger->n_entries; ++i) {
            const struct sst_day day = {ledger->entries[i].year, slot};
            if (!was_compared(merge, state, day))
                compare_day(merge, day);
        }
    }
}

/* --- logs --------------------------------------------------------------------------------------------------------- */

static bool is_counted(const struct merge *merge, struct sst_day day)
{
    for (size_t state = 0; state < merge->n_states; ++state)
        if (sst_ledger_entry(ledger_of(merge, state, day.slot), day.year))
            return true;
    return false;
}

/* Of what the logs have of a day: the final one, if there is one; of several that should be alike the first. */
static enum sst_status choose_logged(struct merge *merge, struct sst_day day, struct sst_error *err)
{
    struct found_day best = {NULL, 0};
    bool is_unlike = false;
    for (size_t state = 0; state < merge->n_states; ++state) {
        const struct sst_logged_day *at = sst_state_logged(merge->states[state], day);
        if (!at || (best.at && at->status < best.at->status))
            continue;
        if (!best.at || at->status > best.at->status) {
            best = (struct found_day){at, state};
            is_unlike = false;
        }
        is_unlike = is_unlike || at->digest != best.at->digest || at->ice_digest != best.at->ice_digest;
    }
    if (is_unlike)
        sst_day_names_add(&merge->unlike, day);
    SST_TRY(sst_grow(&merge->logged, &merge->logged_capacity, merge->n_logged + 1, sizeof *merge->logged,
                     "the days of logs", err));
    merge->logged[merge->n_logged++] = best;
    return SST_OK;
}

/* Whether a state before this one has the day in its log, so that it was looked at already. */
static bool was_seen(const struct merge *merge, size_t state, struct sst_day day)
{
    for (size_t before = 0; before < state; ++before)
        if (sst_state_logged(merge->states[before], day))
            return true;
    return false;
}

static enum sst_status compare_logs(struct merge *merge, struct sst_error *err)
{
    for (size_t state = 0; state < merge->n_states; ++state) {
        const struct sst_logged_day *days = sst_state_logged_days(merge->states[state]);
        const size_t n_days = sst_state_n_logged(merge->states[state]);
        for (size_t i = 0; i < n_days; ++i)
            if (!is_counted(merge, days[i].day) && !was_seen(merge, state, days[i].day))
                SST_TRY(choose_logged(merge, days[i].day, err));
    }
    return SST_OK;
}

static enum sst_status compare(struct merge *merge, struct sst_error *err)
{
    char text[SST_DAY_NAMES_TEXT];
    for (size_t state = 0; state < merge->n_states; ++state)
        SST_TRY(sst_state_ledgers_load(merge->states[state], &merge->ledgers[state], err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        compare_slot(merge, slot);
    SST_TRY(compare_logs(merge, err));
    if (merge->unlike.n > 0)
        return sst_fail(
            err, SST_ERR_STATE,
            "the states do not merge: two of them have different values of %s. Replace these days in one of "
            "the states (ingest --replace), or leave that state out",
            sst_day_names_text(&merge->unlike, merge->calendar, text));
    if (merge->crossing.n > 0)
        return sst_fail(err, SST_ERR_STATE,
                        "the states do not merge: two of them count %s, each counts other years of the calendar day "
                        "too, and only states that keep all (--keep all) can be told apart. Ingest what one of them "
                        "lacks from its files instead",
                        sst_day_names_text(&merge->crossing, merge->calendar, text));
    return SST_OK;
}

/* --- what is made ------------------------------------------------------------------------------------------------- */

/* Whether the days of a state's slot come with those of another one; of two alike the first counts. */
static bool is_left_out(const struct merge *merge, size_t state, int slot)
{
    const struct sst_ledger *ledger = ledger_of(merge, state, slot);
    if (ledger->n_entries == 0)
        return true;
    for (size_t other = 0; other < merge->n_states; ++other) {
        const struct sst_ledger *beside = ledger_of(merge, other, slot);
        if (other != state && contains(beside, ledger) && (other < state || beside->n_entries > ledger->n_entries))
            return true;
    }
    return false;
}

static enum sst_status merge_slot(struct merge *merge, int slot, struct sst_error *err)
{
    struct sst_slot_state *all = NULL, *next = NULL;
    enum sst_status rc = SST_OK;
    for (size_t state = 0; state < merge->n_states; ++state) {
        if (is_left_out(merge, state, slot))
            continue;
        SST_TRY_GOTO(sst_state_load(merge->states[state], slot, all ? &next : &all, err));
        if (!next)
            continue;
        rc = sst_slot_state_merge(all, next, err);
        if (rc != SST_OK) /* it was not so when the ledgers were compared */
            sst_error_prefix(err, "%s", sst_state_path(merge->states[state]));
        sst_slot_state_destroy(&next);
        SST_TRY_GOTO(rc);
    }
    if (all)
        SST_TRY_GOTO(sst_state_commit(merge->target, all, err));
done:
    sst_slot_state_destroy(&all);
    sst_slot_state_destroy(&next);
    return rc;
}

static enum sst_status merge_slots(struct merge *merge, struct sst_error *err)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        SST_TRY(merge_slot(merge, slot, err));
        SST_TRY(sst_join_watch_slot(merge->watch, slot, err));
    }
    return SST_OK;
}

static enum sst_status merge_logs(struct merge *merge, struct sst_error *err)
{
    struct sst_log_batch batch;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_log_batch_open(&batch, merge->target, err));
    for (size_t i = 0; i < merge->n_logged; ++i)
        SST_TRY_GOTO(sst_log_batch_copy(&batch, merge->states[merge->logged[i].state], merge->logged[i].at, err));
    SST_TRY_GOTO(sst_log_batch_flush(&batch, err));
done:
    sst_log_batch_close(&batch);
    return rc;
}

enum sst_status sst_state_merge(const struct sst_os *os, const struct sst_state *const *states, size_t n_states,
                                const char *path, const struct sst_join_watch *watch, struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(states[0]);
    struct merge merge = {.states = states,
                          .n_states = n_states,
                          .watch = watch,
                          .keeps_all = policy->keep == SST_KEEP_ALL,
                          .calendar = policy->pools.kind};
    enum sst_status rc = SST_OK;
    SST_TRY(compare_policies(&merge, err));
    SST_TRY_GOTO(sst_alloc(n_states, sizeof(struct sst_state_ledgers *), "ledgers", &merge.ledgers, err));
    SST_TRY_GOTO(compare(&merge, err));
    SST_TRY_GOTO(sst_state_begin(os, path, policy, &merge.target, err));
    SST_TRY_GOTO(merge_slots(&merge, err));
    SST_TRY_GOTO(merge_logs(&merge, err));
    SST_TRY_GOTO(sst_state_finish(merge.target, err));
done:
    sst_state_close(&merge.target);
    for (size_t state = 0; state < n_states && merge.ledgers; ++state)
        sst_state_ledgers_destroy(&merge.ledgers[state]);
    sst_free(merge.ledgers);
    sst_free(merge.logged);
    return rc;
}
