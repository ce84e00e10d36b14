/* Goes through the slots of a state and counts. */
#include "app/state_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "app/known_days.h"
#include "core/mem.h"

static int compare_days(const void *a, const void *b)
{
    return sst_day_compare(*(const struct sst_day *)a, *(const struct sst_day *)b);
}

static enum sst_status count_day(struct sst_state_facts *facts, struct sst_day day, bool is_counted,
                                 struct sst_state_year *year, struct sst_error *err)
{
    ++year->n_expected;
    year->n_counted += is_counted;
    if (year->is_edge)
        return SST_OK;
    ++facts->n_expected;
    facts->n_counted += is_counted;
    if (is_counted)
        return SST_OK;
    SST_TRY(sst_grow(&facts->missing, &facts->missing_capacity, facts->n_missing + 1, sizeof *facts->missing,
                     "the list of missing days", err));
    facts->missing[facts->n_missing++] = day;
    return SST_OK;
}

static enum sst_status count_slot(const struct sst_state *state, int number, struct sst_state_facts *facts,
                                  struct sst_error *err)
{
    const struct sst_pool_rule *pools = &sst_state_policy(state)->pools;
    struct sst_ledger ledger;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_state_load_ledger(state, number, &ledger, err));
    for (size_t i = 0; i < facts->n_years && rc == SST_OK; ++i) {
        const struct sst_day day = {facts->years[i].year, number};
        if (sst_calendar_has_day(pools->kind, day) && sst_pool_class(pools, day) != SST_NO_CLASS)
            rc = count_day(facts, day, sst_ledger_entry(&ledger, day.year) != NULL, &facts->years[i], err);
    }
    sst_ledger_clear(&ledger);
    return rc;
}

static enum sst_status add_file(struct sst_state_facts *facts, const char *folder, const char *name,
                                struct sst_error *err)
{
    struct stat found;
    char *path = NULL;
    SST_TRY(sst_asprintf(&path, err, "%s/%s", folder, name));
    if (stat(path, &found) == 0 && S_ISREG(found.st_mode)) {
        facts->n_bytes += (uint64_t)found.st_size;
        ++facts->n_files;
    }
    sst_free(path);
    return SST_OK;
}

static enum sst_status measure(const struct sst_state *state, struct sst_state_facts *facts, struct sst_error *err)
{
    char name[32];
    SST_TRY(add_file(facts, sst_state_path(state), "policy", err));
    SST_TRY(add_file(facts, sst_state_path(state), "contents", err));
    SST_TRY(add_file(facts, sst_state_path(state), "days", err));
    SST_TRY(add_file(facts, sst_state_path(state), "files", err));
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        (void)snprintf(name, sizeof name, "slots/%03d", slot);
        SST_TRY(add_file(facts, sst_state_path(state), name, err));
    }
    return SST_OK;
}

static enum sst_status count_logged(const struct sst_state *state, struct sst_state_facts *facts, struct sst_error *err)
{
    struct sst_known_days known = {0};
    const enum sst_status rc = sst_known_days_read(state, &known, err);
    facts->n_logged[SST_DAY_PRELIMINARY] = known.n_preliminary;
    facts->n_logged[SST_DAY_FINAL] = known.n - known.n_counted - known.n_preliminary;
    sst_known_days_clear(&known);
    return rc;
}

enum sst_status sst_state_facts(const struct sst_state *state, struct sst_state_facts *out, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &sst_state_policy(state)->pools;
    const int first = pools->first_year - 1, last = pools->last_year + 1;
    memset(out, 0, sizeof *out);
    SST_TRY(sst_alloc((size_t)(last - first) + 1, sizeof *out->years, "the list of years", &out->years, err));
    for (int year = first; year <= last; ++year)
        out->years[out->n_years++] = (struct sst_state_year){.year = year, .is_edge = year == first || year == last};
    for (int slot = 1; slot <= sst_calendar_n_slots(pools->kind); ++slot)
        SST_TRY(count_slot(state, slot, out, err));
    if (out->n_missing > 0)
        qsort(out->missing, out->n_missing, sizeof *out->missing, compare_days);
    SST_TRY(count_logged(state, out, err));
    SST_TRY(measure(state, out, err));
    return sst_state_digest(state, &out->digest, err);
}

void sst_state_facts_clear(struct sst_state_facts *facts)
{
    sst_free(facts->years);
    sst_free(facts->missing);
    memset(facts, 0, sizeof *facts);
}
