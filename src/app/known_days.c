/* Ledgers of all slots, then the log, sorted. */
#include "app/known_days.h"

#include <stdlib.h>

#include "core/mem.h"
#include "state/day_log.h"

static enum sst_status add(struct sst_known_days *known, struct sst_day day, struct sst_error *err)
{
    SST_TRY(sst_grow(&known->days, &known->capacity, known->n + 1, sizeof *known->days, "the list of days", err));
    known->days[known->n++] = day;
    return SST_OK;
}

static int compare_days(const void *a, const void *b)
{
    return sst_day_compare(*(const struct sst_day *)a, *(const struct sst_day *)b);
}

static void sort(struct sst_known_days *known)
{
    if (known->n > 0)
        qsort(known->days, known->n, sizeof *known->days, compare_days);
}

static enum sst_status add_slot(const struct sst_state *state, int slot, struct sst_known_days *known,
                                struct sst_error *err)
{
    struct sst_ledger ledger = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_state_load_ledger(state, slot, &ledger, err));
    for (size_t i = 0; i < ledger.n_entries && rc == SST_OK; ++i)
        rc = add(known, (struct sst_day){ledger.entries[i].year, slot}, err);
    sst_ledger_clear(&ledger);
    return rc;
}

enum sst_status sst_known_days_read(const struct sst_state *state, struct sst_known_days *out, struct sst_error *err)
{
    *out = (struct sst_known_days){.kind = sst_state_policy(state)->pools.kind};
    for (int slot = 1; slot <= sst_calendar_n_slots(out->kind); ++slot)
        SST_TRY(add_slot(state, slot, out, err));
    sort(out);
    out->n_counted = out->n;
    const struct sst_logged_day *logged = sst_state_logged_days(state);
    for (size_t i = 0; i < sst_state_n_logged(state); ++i) {
        const struct sst_known_days counted = {.days = out->days, .n = out->n_counted}; /* those added stand behind */
        if (sst_known_days_has(&counted, logged[i].day))
            continue;
        out->n_preliminary += logged[i].status == SST_DAY_PRELIMINARY;
        SST_TRY(add(out, logged[i].day, err));
    }
    sort(out);
    return SST_OK;
}

void sst_known_days_clear(struct sst_known_days *known)
{
    sst_free(known->days);
    *known = (struct sst_known_days){0};
}

struct sst_day sst_known_days_newest(const struct sst_known_days *known)
{
    return known->n > 0 ? known->days[known->n - 1] : (struct sst_day){0};
}

bool sst_known_days_has(const struct sst_known_days *known, struct sst_day day)
{
    return known->n > 0 && bsearch(&day, known->days, known->n, sizeof *known->days, compare_days) != NULL;
}

size_t sst_known_days_missing(const struct sst_known_days *known, struct sst_day last, size_t n_days,
                              struct sst_day *missing)
{
    size_t n = 0;
    if (known->n == 0)
        return 0;
    for (size_t i = 0; i < n_days && sst_day_compare(last, known->days[0]) > 0; ++i) {
        if (!sst_known_days_has(known, last))
            missing[n++] = last;
        last = sst_calendar_previous_day(known->kind, last);
    }
    for (size_t i = 0; i < n / 2; ++i) {
        const struct sst_day day = missing[i];
        missing[i] = missing[n - 1 - i];
        missing[n - 1 - i] = day;
    }
    return n;
}
