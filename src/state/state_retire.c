/* A state without some years, or with another baseline: what is wanted for it, then slot by slot. */
#include <string.h>

#include "core/mem.h"
#include "state/state_retire_private.h"

/* --- the new policy ----------------------------------------------------------------------------------------------- */

static enum sst_status make_policy(const struct sst_retire *retire, struct sst_state_policy *out, struct sst_error *err)
{
    const struct sst_state_policy *from = retire->policy;
    const struct sst_grid *grid = from->grid;
    *out = *from;
    out->pools = retire->pools;
    out->grid = NULL;
    out->product = NULL;
    out->probes = NULL;
    out->n_probes = 0;
    SST_TRY(sst_strdup(from->product, &out->product, err));
    SST_TRY(sst_grid_copy(grid, &out->grid, err));
    return sst_state_policy_complete(out, retire->options->choose_probes, err);
}

/* --- what is wanted ----------------------------------------------------------------------------------------------- */

static bool has_file(const struct sst_retire *retire, struct sst_day day)
{
    size_t first = 0, count = 0;
    if (retire->options->old)
        sst_catalog_day(retire->options->old, day, &first, &count);
    return count > 0;
}

/* Days whose files are needed, and are not there. */
static void find_absent(const struct sst_retire *retire, struct sst_day_names *absent)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        const struct sst_ledger *ledger = &retire->ledgers->of[slot];
        const enum sst_retire_way way = sst_retire_way(retire, slot);
        for (size_t i = 0; i < ledger->n_entries; ++i) {
            const struct sst_day day = {ledger->entries[i].year, slot};
            const enum sst_fate fate = sst_retire_fate(retire, slot, &ledger->entries[i]);
            if (sst_retire_wants_file(retire, way, fate) && !has_file(retire, day))
                sst_day_names_add(absent, day);
        }
    }
}

static enum sst_status check_files(const struct sst_retire *retire, struct sst_error *err)
{
    const bool has_lists = retire->policy->tail.top > 0 || retire->policy->tail.bottom > 0;
    struct sst_day_names absent = {.n = 0};
    char text[SST_DAY_NAMES_TEXT];
    find_absent(retire, &absent);
    if (absent.n == 0)
        return SST_OK;
    return sst_fail(
        err, SST_ERR_STATE,
        "%.150s: keeps %s, so files that were counted are needed%s; none is at hand of %s. Give them with --old",
        sst_state_path(retire->state), sst_keep_name(retire->policy->keep),
        has_lists ? ", of all days that stay in a calendar day which loses one, since its lists of extremes "
                    "are made anew"
                  : ", of all days that go, since they are subtracted",
        sst_day_names_text(&absent, retire->policy->pools.kind, text));
}

static enum sst_status open_old(struct sst_retire *retire, struct sst_error *err)
{
    struct sst_catalog *old = retire->options->old;
    char text[SST_INGEST_TEXT_SIZE];
    if (!old)
        return SST_OK;
    if (!sst_ingest_fits(retire->policy, old, true, text))
        return sst_fail(err, SST_ERR_INPUT, "--old: %s", text);
    return sst_ingest_files_open(&retire->old, SST_INGEST_SINGLE, retire->policy, old, retire->options->reader, err);
}

/* --- the work ----------------------------------------------------------------------------------------------------- */

static enum sst_status make_slots(struct sst_retire *retire, struct sst_error *err)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        SST_TRY(sst_retire_slot(retire, slot, err));
        SST_TRY(sst_join_watch_slot(&retire->options->watch, slot, err));
    }
    return SST_OK;
}

/* Days of the log that stay in it: not those that are counted, come to be, or are retired. */
static enum sst_status copy_log(struct sst_retire *retire, struct sst_error *err)
{
    const struct sst_logged_day *days = sst_state_logged_days(retire->state);
    const size_t n_days = sst_state_n_logged(retire->state);
    for (size_t i = 0; i < n_days; ++i) {
        const struct sst_day day = days[i].day;
        if (sst_ledger_entry(&retire->ledgers->of[day.slot], day.year) || sst_retire_is_retired(retire, day.year) ||
            sst_retire_joins(retire, &days[i]))
            continue;
        SST_TRY(sst_log_batch_copy(&retire->batch, retire->state, &days[i], err));
    }
    return sst_log_batch_flush(&retire->batch, err);
}

static enum sst_status make(struct sst_retire *retire, const struct sst_os *os, const char *path,
                            const struct sst_state_policy *policy, struct sst_error *err)
{
    SST_TRY(sst_state_ledgers_load(retire->state, &retire->ledgers, err));
    SST_TRY(check_files(retire, err));
    SST_TRY(open_old(retire, err));
    SST_TRY(sst_state_field_init(retire->policy, &retire->field, err));
    SST_TRY(sst_state_begin(os, path, policy, &retire->target, err));
    SST_TRY(sst_log_batch_open(&retire->batch, retire->target, err));
    SST_TRY(make_slots(retire, err));
    SST_TRY(copy_log(retire, err));
    return sst_state_finish(retire->target, err);
}

enum sst_status sst_state_retire(const struct sst_os *os, const struct sst_state *state,
                                 const struct sst_retire_options *options, const char *path,
                                 struct sst_retire_totals *totals, struct sst_error *err)
{
    struct sst_state_policy policy = {0};
    struct sst_retire *retire = NULL;
    enum sst_status rc = SST_OK;
    memset(totals, 0, sizeof *totals);
    SST_TRY(sst_alloc(1, sizeof *retire, "what becomes of days", &retire, err));
    retire->state = state;
    retire->policy = sst_state_policy(state);
    retire->options = options;
    retire->totals = totals;
    retire->pools = retire->policy->pools;
    if (options->first_baseline_year != 0) {
        retire->pools.first_year = options->first_baseline_year;
        retire->pools.last_year = options->last_baseline_year;
    }
    SST_TRY_GOTO(make_policy(retire, &policy, err));
    SST_TRY_GOTO(make(retire, os, path, &policy, err));
done:
    sst_log_batch_close(&retire->batch);
    sst_state_close(&retire->target);
    sst_ingest_files_close(&retire->old);
    sst_state_field_clear(&retire->field);
    sst_state_ledgers_destroy(&retire->ledgers);
    sst_state_policy_clear(&policy);
    sst_free(retire);
    return rc;
}
