/* A slot without some of its days, and with others. */
#include "core/mem.h"
#include "state/slot_state_private.h"
#include "state/state_retire_private.h"

/* --- what is to be done ------------------------------------------------------------------------------------------- */

enum sst_fate sst_retire_fate(const struct sst_retire *retire, int slot, const struct sst_ledger_entry *entry)
{
    const int year_class = sst_pool_class(&retire->pools, (struct sst_day){entry->year, slot});
    if (sst_retire_is_retired(retire, entry->year))
        return SST_FATE_RETIRES;
    if (year_class == SST_NO_CLASS)
        return SST_FATE_LEAVES;
    return year_class == entry->year_class ? SST_FATE_STAYS : SST_FATE_MOVES;
}

bool sst_retire_joins(const struct sst_retire *retire, const struct sst_logged_day *at)
{
    return at->status == SST_DAY_FINAL && !sst_retire_is_retired(retire, at->day.year) &&
           sst_pool_class(&retire->pools, at->day) != SST_NO_CLASS &&
           !sst_ledger_entry(&retire->ledgers->of[at->day.slot], at->day.year);
}

/* The next day of the log, from *next on, that a slot is to count; NULL at the end. */
static const struct sst_logged_day *next_joining(const struct sst_retire *retire, int slot, size_t *next)
{
    const struct sst_logged_day *days = sst_state_logged_days(retire->state);
    const size_t n_days = sst_state_n_logged(retire->state);
    while (*next < n_days) {
        const struct sst_logged_day *at = &days[(*next)++];
        if (at->day.slot == slot && sst_retire_joins(retire, at))
            return at;
    }
    return NULL;
}

static bool keeps_all(const struct sst_retire *retire) { return retire->policy->keep == SST_KEEP_ALL; }

static bool has_lists(const struct sst_retire *retire)
{
    return retire->policy->tail.top > 0 || retire->policy->tail.bottom > 0;
}

enum sst_retire_way sst_retire_way(const struct sst_retire *retire, int slot)
{
    const struct sst_ledger *ledger = &retire->ledgers->of[slot];
    size_t n_gone = 0, next = 0;
    for (size_t i = 0; i < ledger->n_entries; ++i)
        n_gone += sst_retire_fate(retire, slot, &ledger->entries[i]) != SST_FATE_STAYS;
    if (n_gone > 0)
        return keeps_all(retire) || has_lists(retire) ? SST_RETIRE_ANEW : SST_RETIRE_CHANGE;
    return next_joining(retire, slot, &next) ? SST_RETIRE_CHANGE : SST_RETIRE_KEEP;
}

bool sst_retire_wants_file(const struct sst_retire *retire, enum sst_retire_way way, enum sst_fate fate)
{
    if (keeps_all(retire) || way == SST_RETIRE_KEEP)
        return false;
    if (way == SST_RETIRE_CHANGE)
        return fate != SST_FATE_STAYS;
    return fate == SST_FATE_STAYS || fate == SST_FATE_MOVES;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* From the files: NULL where none has these values. */
static enum sst_status find_old(struct sst_retire *retire, struct sst_day day, uint64_t digest, uint64_t ice_digest,
                                const struct sst_field **field, struct sst_error *err)
{
    bool is_found = false;
    if (retire->old.catalog)
        SST_TRY(sst_ingest_files_find(&retire->old, day, digest, ice_digest, &is_found, err));
    *field = is_found ? &retire->old.field : NULL;
    return SST_OK;
}

/* Of a counted day: from the slot where it keeps them, else from its file. Borrowed until the next. */
static enum sst_status values_of(struct sst_retire *retire, const struct sst_slot_state *slot,
                                 const struct sst_ledger_entry *entry, const struct sst_field **field,
                                 struct sst_error *err)
{
    const struct sst_day day = {entry->year, slot->slot};
    char name[SST_DAY_TEXT_SIZE];
    if (keeps_all(retire)) {
        *field = &retire->field;
        return sst_slot_unpack(slot, sst_slot_state_entry(slot, entry->year), &retire->field, err);
    }
    SST_TRY(find_old(retire, day, entry->digest, entry->ice_digest, field, err));
    if (*field)
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE,
                    "%.200s: nothing was made: no file of --old has the values of %s that were counted. Give the file "
                    "that they came in, %.150s",
                    sst_state_path(retire->state), sst_day_text(retire->policy->pools.kind, day, name), entry->source);
}

/* --- days --------------------------------------------------------------------------------------------------------- */

/* Adds a day of the old slot under its new class. `entry` is of the ledgers, so without what the old slot keeps. */
static enum sst_status add_again(struct sst_retire *retire, const struct sst_slot_state *from,
                                 const struct sst_ledger_entry *entry, struct sst_slot_state *to, struct sst_error *err)
{
    struct sst_ledger_entry again = *entry;
    const struct sst_field *field = NULL;
    again.year_class = sst_pool_class(&retire->pools, (struct sst_day){entry->year, from->slot});
    SST_TRY(values_of(retire, from, entry, &field, err));
    return sst_slot_state_add(to, &again, field, err);
}

static enum sst_status add_joining(struct sst_retire *retire, const struct sst_logged_day *at,
                                   struct sst_slot_state *slot, struct sst_error *err)
{
    const struct sst_field *field = &retire->field;
    char *source = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_state_load_logged(retire->state, at->day, &source, at->has_values ? &retire->field : NULL, err));
    if (!at->has_values)
        SST_TRY_GOTO(find_old(retire, at->day, at->digest, at->ice_digest, &field, err));
    ++*(field ? &retire->totals->n_counted : &retire->totals->n_wanting);
    if (!field)
        goto done;
    const struct sst_ledger_entry entry = {.year = at->day.year,
                                           .year_class = sst_pool_class(&retire->pools, at->day),
                                           .digest = at->digest,
                                           .ice_digest = at->ice_digest,
                                           .n_valid = at->n_valid,
                                           .median = at->median,
                                           .source = source};
    rc = sst_slot_state_add(slot, &entry, field, err);
done:
    sst_free(source);
    return rc;
}

/* Puts a day that is counted no more into the log. */
static enum sst_status log_day(struct sst_retire *retire, const struct sst_slot_state *from,
                               const struct sst_ledger_entry *entry, struct sst_error *err)
{
    const struct sst_logged_day at = {.day = {entry->year, from->slot},
                                      .status = SST_DAY_FINAL,
                                      .digest = entry->digest,
                                      .ice_digest = entry->ice_digest,
                                      .n_valid = entry->n_valid,
                                      .median = entry->median};
    struct sst_field *field = sst_log_batch_field(&retire->batch);
    if (field)
        SST_TRY(sst_slot_unpack(from, sst_slot_state_entry(from, entry->year), field, err));
    return sst_log_batch_add(&retire->batch, &at, entry->source, err);
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* Without the days that go or move, of another policy, then with those that move. */
static enum sst_status change(struct sst_retire *retire, struct sst_slot_state *slot, struct sst_error *err)
{
    const struct sst_ledger *ledger = &retire->ledgers->of[slot->slot];
    for (size_t i = 0; i < ledger->n_entries; ++i) {
        const struct sst_field *field = NULL;
        if (sst_retire_fate(retire, slot->slot, &ledger->entries[i]) == SST_FATE_STAYS)
            continue;
        SST_TRY(values_of(retire, slot, &ledger->entries[i], &field, err));
        SST_TRY(sst_slot_state_remove(slot, ledger->entries[i].year, field, err));
    }
    SST_TRY(sst_slot_set_policy(slot, sst_state_policy(retire->target), err));
    for (size_t i = 0; i < ledger->n_entries; ++i)
        if (sst_retire_fate(retire, slot->slot, &ledger->entries[i]) == SST_FATE_MOVES)
            SST_TRY(add_again(retire, slot, &ledger->entries[i], slot, err));
    return SST_OK;
}

/* All days that go on being counted, added to a slot of no day. */
static enum sst_status make_anew(struct sst_retire *retire, struct sst_slot_state **slot, struct sst_error *err)
{
    const struct sst_ledger *ledger = &retire->ledgers->of[(*slot)->slot];
    struct sst_slot_state *fresh = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_slot_state_create(sst_state_policy(retire->target), (*slot)->slot, &fresh, err));
    for (size_t i = 0; i < ledger->n_entries; ++i) {
        const enum sst_fate fate = sst_retire_fate(retire, (*slot)->slot, &ledger->entries[i]);
        if (fate == SST_FATE_STAYS || fate == SST_FATE_MOVES)
            SST_TRY_GOTO(add_again(retire, *slot, &ledger->entries[i], fresh, err));
    }
    sst_slot_state_destroy(slot);
    *slot = fresh;
    fresh = NULL;
done:
    sst_slot_state_destroy(&fresh);
    return rc;
}

/* Logs days that leave a slot, and counts what became of all. */
static enum sst_status part_with(struct sst_retire *retire, const struct sst_slot_state *slot, struct sst_error *err)
{
    const struct sst_ledger *ledger = &retire->ledgers->of[slot->slot];
    for (size_t i = 0; i < ledger->n_entries; ++i)
        switch (sst_retire_fate(retire, slot->slot, &ledger->entries[i])) {
        case SST_FATE_STAYS:
        case SST_FATE_MOVES:
            ++retire->totals->n_kept;
            break;
        case SST_FATE_LEAVES:
            ++retire->totals->n_logged;
            SST_TRY(log_day(retire, slot, &ledger->entries[i], err));
            break;
        case SST_FATE_RETIRES:
            ++retire->totals->n_retired;
            break;
        }
    return SST_OK;
}

/* Whether the slot is as it was when the ledgers were read: somebody may write into the state. */
static enum sst_status check_same(const struct sst_retire *retire, const struct sst_slot_state *slot,
                                  struct sst_error *err)
{
    const struct sst_ledger *ledger = &retire->ledgers->of[slot->slot];
    bool is_same = ledger->n_entries == slot->n_ledger;
    for (size_t i = 0; is_same && i < slot->n_ledger; ++i)
        is_same = ledger->entries[i].year == slot->ledger[i].year &&
                  ledger->entries[i].digest == slot->ledger[i].digest &&
                  ledger->entries[i].ice_digest == slot->ledger[i].ice_digest;
    return is_same ? SST_OK
                   : sst_fail(err, SST_ERR_STATE, "%.300s: slot %d changed meanwhile, nothing was made. Do it again",
                              sst_state_path(retire->state), slot->slot);
}

enum sst_status sst_retire_slot(struct sst_retire *retire, int slot, struct sst_error *err)
{
    const enum sst_retire_way way = sst_retire_way(retire, slot);
    const struct sst_logged_day *joining = NULL;
    struct sst_slot_state *made = NULL;
    enum sst_status rc = SST_OK;
    size_t next = 0;
    if (retire->ledgers->of[slot].n_entries == 0 && way == SST_RETIRE_KEEP)
        return SST_OK;
    SST_TRY(sst_state_load(retire->state, slot, &made, err));
    SST_TRY_GOTO(check_same(retire, made, err));
    SST_TRY_GOTO(part_with(retire, made, err));
    if (way == SST_RETIRE_ANEW)
        SST_TRY_GOTO(make_anew(retire, &made, err));
    else
        SST_TRY_GOTO(change(retire, made, err));
    while ((joining = next_joining(retire, slot, &next)))
        SST_TRY_GOTO(add_joining(retire, joining, made, err));
    if (made->n_ledger > 0)
        SST_TRY_GOTO(sst_state_commit(retire->target, made, err));
done:
    sst_slot_state_destroy(&made);
    return rc;
}
