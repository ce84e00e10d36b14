/* What a state knows of days already, from ledgers and the log alone, and what is odd about a new one beside them. */
#include <stdio.h>

#include "state/ingest_private.h"

enum sst_status sst_ingest_ledger(struct sst_ingest *ingest, int slot, const struct sst_ledger **out,
                                  struct sst_error *err)
{
    struct sst_ingest_ledgers *ledgers = &ingest->ledgers;
    if (!ledgers->is_known[slot]) {
        SST_TRY(sst_state_load_ledger(ingest->state, slot, &ledgers->of[slot], err));
        ledgers->is_known[slot] = true;
    }
    *out = &ledgers->of[slot];
    return SST_OK;
}

void sst_ingest_forget_ledger(struct sst_ingest *ingest, int slot)
{
    if (ingest->ledgers.is_known[slot])
        sst_ledger_clear(&ingest->ledgers.of[slot]);
    ingest->ledgers.is_known[slot] = false;
}

/* A day comes once in a call, so what the ledger on disk has of it still holds while its slot is being added to. */
enum sst_status sst_ingest_known(struct sst_ingest *ingest, struct sst_day day, struct sst_ingest_case *at,
                                 struct sst_error *err)
{
    const struct sst_ledger *ledger = NULL;
    at->is_pooled = sst_pool_class(&ingest->policy->pools, day) != SST_NO_CLASS;
    at->counted = NULL;
    if (at->is_pooled) {
        SST_TRY(sst_ingest_ledger(ingest, day.slot, &ledger, err));
        at->counted = sst_ledger_entry(ledger, day.year);
    }
    at->logged = sst_ingest_batch_day(&ingest->batch, day);
    if (!at->logged)
        at->logged = sst_state_logged(ingest->state, day);
    return SST_OK;
}

/* --- guards ------------------------------------------------------------------------------------------------------- */

/* A field that stands under the date of a neighbour too was not made anew. */
static enum sst_status guard_stale(struct sst_ingest *ingest, struct sst_day day, const struct sst_ingest_look *look,
                                   bool *is_odd, char *text, struct sst_error *err)
{
    const enum sst_calendar_kind kind = ingest->policy->pools.kind;
    const struct sst_day neighbours[] = {sst_calendar_previous_day(kind, day), sst_calendar_next_day(kind, day)};
    char name[SST_DAY_TEXT_SIZE];
    for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0] && !*is_odd; ++i) {
        struct sst_ingest_case known = {0};
        SST_TRY(sst_ingest_known(ingest, neighbours[i], &known, err));
        *is_odd = known.counted  ? known.counted->digest == look->digest
                  : known.logged ? known.logged->digest == look->digest
                                 : false;
        if (*is_odd)
            (void)snprintf(text, SST_INGEST_TEXT_SIZE,
                           "all values are those of %s, which is %s: one of the two is stale. Look at the files; "
                           "--accept-stale takes it as it is",
                           sst_day_text(kind, neighbours[i], name), known.counted ? "counted" : "logged");
    }
    return SST_OK;
}

/* Beside the other years of its slot, those included that are being added to it. */
static enum sst_status guard_jump(struct sst_ingest *ingest, struct sst_day day, const struct sst_ingest_look *look,
                                  bool *is_odd, char *text, struct sst_error *err)
{
    const enum sst_lattice_kind lattice = ingest->policy->lattice;
    const struct sst_ledger *ledger = NULL;
    if (ingest->slot) {
        *is_odd = sst_ingest_jumps(ingest->slot->ledger, ingest->slot->n_ledger, day.year, look, lattice, text);
        return SST_OK;
    }
    SST_TRY(sst_ingest_ledger(ingest, day.slot, &ledger, err));
    *is_odd = sst_ingest_jumps(ledger->entries, ledger->n_entries, day.year, look, lattice, text);
    return SST_OK;
}

enum sst_status sst_ingest_guard(struct sst_ingest *ingest, struct sst_day day, const struct sst_ingest_look *look,
                                 bool *is_odd, enum sst_held_reason *held, char *text, struct sst_error *err)
{
    *is_odd = look->n_valid == 0;
    *held = SST_HELD_UNREADABLE;
    if (*is_odd) {
        (void)snprintf(text, SST_INGEST_TEXT_SIZE, "no cell has a value");
        return SST_OK;
    }
    if (!ingest->options->accept_stale) {
        *held = SST_HELD_STALE;
        SST_TRY(guard_stale(ingest, day, look, is_odd, text, err));
    }
    if (!*is_odd && !ingest->options->accept_jump) {
        *held = SST_HELD_JUMP;
        SST_TRY(guard_jump(ingest, day, look, is_odd, text, err));
    }
    return SST_OK;
}
