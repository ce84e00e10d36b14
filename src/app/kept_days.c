/* Kept values are by canonical cell already; those that are not kept had neither a value nor ice. */
#include "app/kept_days.h"

#include <string.h>

#include "core/mem.h"
#include "state/day_log.h"

enum { CELLS_A_WORD = 64 };

enum sst_status sst_kept_days_open(const struct sst_state *state, struct sst_kept_days *out, struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    *out = (struct sst_kept_days){.state = state, .field = {.n_cells = policy->n_cells}};
    if (policy->keep != SST_KEEP_ALL)
        return sst_fail(err, SST_ERR_STATE,
                        "%s: this state does not keep all values of its days (--keep all when it was made). Give their "
                        "files, as in: sststream feed rebuild --clim clim.nc --feed feed oisst/",
                        sst_state_path(state));
    SST_TRY(sst_alloc_large(policy->n_cells, sizeof *out->field.codes, "a day", &out->field.codes, err));
    return sst_alloc_large(policy->n_cells, sizeof *out->field.ice, "a day's sea ice", &out->field.ice, err);
}

void sst_kept_days_close(struct sst_kept_days *days)
{
    sst_slot_state_destroy(&days->slot);
    sst_free(days->field.codes);
    sst_free(days->field.ice);
    *days = (struct sst_kept_days){0};
}

static void unpack(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry, struct sst_field *out)
{
    size_t item = 0;
    memset(out->ice, 0, out->n_cells);
    for (size_t cell = 0; cell < out->n_cells; ++cell) {
        const bool is_kept = slot->cells[cell / CELLS_A_WORD] >> cell % CELLS_A_WORD & 1U;
        out->codes[cell] = is_kept ? entry->kept[item] : SST_CODE_MISSING;
        if (is_kept && entry->marks)
            out->ice[cell] = entry->marks[item];
        item += is_kept;
    }
    out->has_ice = entry->marks != NULL;
}

enum sst_status sst_kept_days_read(struct sst_kept_days *days, struct sst_day day, struct sst_feed_source *source,
                                   const struct sst_field **field, struct sst_error *err)
{
    *field = &days->field;
    if (!days->slot || days->slot->slot != day.slot) {
        sst_slot_state_destroy(&days->slot);
        SST_TRY(sst_state_load(days->state, day.slot, &days->slot, err));
    }
    const struct sst_ledger_entry *counted = sst_slot_state_entry(days->slot, day.year);
    if (counted) {
        *source = (struct sst_feed_source){counted->digest, counted->ice_digest, false};
        unpack(days->slot, counted, &days->field);
        return SST_OK;
    }
    const struct sst_logged_day *logged = sst_state_logged(days->state, day);
    if (!logged)
        return sst_fail(err, SST_ERR_STATE, "%s: a day is neither counted nor logged", sst_state_path(days->state));
    *source = (struct sst_feed_source){logged->digest, logged->ice_digest, logged->status == SST_DAY_PRELIMINARY};
    return sst_state_load_logged(days->state, day, NULL, &days->field, err);
}
