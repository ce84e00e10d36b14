/* Kept values, cell by cell back to where they were. */
#include "state/state_source.h"

#include <string.h>

#include "backend/backend.h"
#include "core/mem.h"

enum { CELLS_A_WORD = 64 };

struct sst_state_source {
    const struct sst_state *state;
    const struct sst_pool_rule *pools;
    size_t n_cells;
    size_t *place; /* domain cell by canonical cell */
    struct sst_slot_state *slot; /* of the day asked for last */
    struct sst_field held[SST_MAX_BATCH];
    size_t n_held;
    size_t n_days, n_absent;
    uint64_t n_bytes;
    struct sst_field_source fields;
};

enum sst_status sst_state_check_days(const struct sst_state *state, const struct sst_pool_rule *pools,
                                     struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    char text[SST_DAY_TEXT_SIZE];
    for (int year = pools->first_year - 1; year <= pools->last_year + 1; ++year)
        for (int slot = 1; slot <= sst_calendar_n_slots(pools->kind); ++slot) {
            const struct sst_day day = {year, slot};
            if (sst_calendar_has_day(pools->kind, day) && sst_pool_class(pools, day) != SST_NO_CLASS &&
                sst_pool_class(&policy->pools, day) == SST_NO_CLASS)
                return sst_fail(
                    err, SST_ERR_STATE,
                    "%s: %s would be pooled, and the state does not count it: it was made for leap rule %s and "
                    "windows of at most %d days",
                    sst_state_path(state), sst_day_text(pools->kind, day, text), sst_leap_rule_name(policy->pools.leap),
                    2 * policy->pools.half_window_days + 1);
        }
    return SST_OK;
}

enum sst_status sst_state_places(const struct sst_domain *domain, size_t **place, struct sst_error *err)
{
    size_t *made = NULL;
    SST_TRY(sst_alloc_large(domain->n_cells, sizeof *made, "the order of cells", &made, err));
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        made[sst_domain_canonical(domain, cell)] = cell;
    *place = made;
    return SST_OK;
}

/* --- as a source of fields ---------------------------------------------------------------------------------------- */

static bool has_day(void *user, struct sst_day day)
{
    const struct sst_state_source *source = user;
    return sst_pool_class(source->pools, day) != SST_NO_CLASS; /* whether it was counted is told by get */
}

static void give_back(void *user)
{
    struct sst_state_source *source = user;
    source->n_held = 0;
}

static uint64_t bytes_read(void *user)
{
    const struct sst_state_source *source = user;
    return source->n_bytes;
}

static enum sst_status ensure_field(struct sst_state_source *source, struct sst_field *field, struct sst_error *err)
{
    const bool is_centi = sst_state_policy(source->state)->lattice == SST_LATTICE_CENTI;
    field->n_cells = source->n_cells;
    if (!field->codes)
        SST_TRY(sst_alloc_large(source->n_cells, sizeof *field->codes, "a day", &field->codes, err));
    if (!field->ice)
        SST_TRY(sst_alloc_large(source->n_cells, sizeof *field->ice, "a day's sea ice", &field->ice, err));
    if (is_centi)
        field->hundredths = field->codes;
    else if (!field->hundredths)
        SST_TRY(sst_alloc_large(source->n_cells, sizeof *field->hundredths, "a day of hundredths", &field->hundredths,
                                err));
    return SST_OK;
}

static void unpack(const struct sst_state_source *source, const struct sst_ledger_entry *entry, struct sst_field *out)
{
    const struct sst_slot_state *slot = source->slot;
    size_t item = 0;
    for (size_t cell = 0; cell < source->n_cells; ++cell)
        out->codes[cell] = SST_CODE_MISSING;
    memset(out->ice, 0, source->n_cells);
    for (size_t cell = 0; cell < source->n_cells; ++cell) {
        if (!(slot->cells[cell / CELLS_A_WORD] >> cell % CELLS_A_WORD & 1U))
            continue;
        out->codes[source->place[cell]] = entry->kept[item];
        if (entry->marks)
            out->ice[source->place[cell]] = entry->marks[item];
        ++item;
    }
    out->has_ice = entry->marks != NULL;
    if (out->hundredths != out->codes)
        sst_field_hundredths(out->codes, source->n_cells, out->hundredths);
}

static enum sst_status get(void *user, struct sst_day day, const struct sst_field **out, struct sst_error *err)
{
    struct sst_state_source *source = user;
    *out = NULL;
    if (!source->slot || source->slot->slot != day.slot) {
        sst_slot_state_destroy(&source->slot);
        SST_TRY(sst_state_load(source->state, day.slot, &source->slot, err));
    }
    const struct sst_ledger_entry *entry = sst_slot_state_entry(source->slot, day.year);
    if (!entry) {
        source->n_absent += sst_pool_in_baseline(source->pools, day);
        return SST_OK;
    }
    if (source->n_held == SST_MAX_BATCH)
        return sst_fail(err, SST_ERR_INTERNAL, "more than %d fields are held", (int)SST_MAX_BATCH);
    struct sst_field *field = &source->held[source->n_held];
    SST_TRY(ensure_field(source, field, err));
    unpack(source, entry, field);
    ++source->n_held;
    ++source->n_days;
    source->n_bytes += source->slot->n_items * sizeof *entry->kept;
    *out = field;
    return SST_OK;
}

enum sst_status sst_state_source_create(const struct sst_state *state, const struct sst_domain *domain,
                                        const struct sst_pool_rule *pools, struct sst_state_source **out,
                                        struct sst_error *err)
{
    struct sst_state_source *source = NULL;
    SST_TRY(sst_alloc(1, sizeof *source, "the state's days", &source, err));
    source->state = state;
    source->pools = pools;
    source->n_cells = domain->n_cells;
    source->fields = (struct sst_field_source){.user = source,
                                               .n_most_held = SST_MAX_BATCH,
                                               .has_day = has_day,
                                               .get = get,
                                               .give_back = give_back,
                                               .bytes_read = bytes_read};
    const enum sst_status rc = sst_state_places(domain, &source->place, err);
    if (rc != SST_OK) {
        sst_state_source_destroy(&source);
        return rc;
    }
    *out = source;
    return SST_OK;
}

void sst_state_source_destroy(struct sst_state_source **source)
{
    struct sst_state_source *old = *source;
    if (!old)
        return;
    for (size_t i = 0; i < SST_MAX_BATCH; ++i) {
        if (old->held[i].hundredths != old->held[i].codes)
            sst_free(old->held[i].hundredths);
        sst_free(old->held[i].codes);
        sst_free(old->held[i].ice);
    }
    sst_slot_state_destroy(&old->slot);
    sst_free(old->place);
    sst_free(old);
    *source = NULL;
}

const struct sst_field_source *sst_state_source_fields(struct sst_state_source *source) { return &source->fields; }

size_t sst_state_source_n_days(const struct sst_state_source *source) { return source->n_days; }

size_t sst_state_source_n_absent(const struct sst_state_source *source) { return source->n_absent; }
