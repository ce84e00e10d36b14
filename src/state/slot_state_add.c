/* A day comes and goes. */
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_private.h"

void sst_slot_add_field(struct sst_slot_state *slot, int year_class, const struct sst_cells *places,
                        const struct sst_field *field)
{
    const struct sst_backend *backend = sst_backend_cpu();
    const int16_t *const hundredths[] = {field->hundredths};
    const uint8_t *const marks[] = {field->ice};
    if (!sst_bin_is_empty(&slot->moments[year_class]))
        backend->moments_add_fields(sst_bin_moments(&slot->moments[year_class]), places, hundredths, 1);
    if (!sst_bin_is_empty(&slot->tail[year_class]))
        backend->tail_add_fields(sst_bin_tail(&slot->tail[year_class]), places, &field, 1);
    if (!sst_bin_is_empty(&slot->ice[year_class]) && field->has_ice)
        backend->count_add_fields(slot->ice[year_class].planes[0], places, marks, 1);
}

/* --- adding -------------------------------------------------------------------------------------------------------- */

/* What an addition needs, made before anything is changed. */
struct addition {
    uint64_t *cells; /* those of the slot and of the day */
    size_t n_items;
    struct sst_cells places;
    struct sst_bin bins[SST_N_SLOT_KINDS]; /* of the class, where it has none yet */
    struct sst_ledger_entry entry;
};

static void clear_addition(struct addition *addition)
{
    sst_free(addition->cells);
    sst_cells_clear(&addition->places);
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        sst_bin_clear(&addition->bins[kind]);
    sst_slot_clear_entry(&addition->entry);
}

static enum sst_status check_addition(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                      const struct sst_field *field, struct sst_error *err)
{
    const struct sst_day day = {entry->year, slot->slot};
    if (sst_slot_state_entry(slot, entry->year))
        return sst_fail(err, SST_ERR_INTERNAL, "slot %d has year %d already", slot->slot, entry->year);
    if (!sst_calendar_has_day(slot->policy->pools.kind, day) || entry->year_class == SST_NO_CLASS ||
        entry->year_class != sst_pool_class(&slot->policy->pools, day))
        return sst_fail(err, SST_ERR_INTERNAL, "slot %d, year %d: class %d is not that of the pools", slot->slot,
                        entry->year, entry->year_class);
    if (field->n_cells != slot->policy->n_cells)
        return sst_fail(err, SST_ERR_INTERNAL, "a field of %zu cells for a state of %zu", field->n_cells,
                        slot->policy->n_cells);
    if (field->has_ice != (entry->ice_digest != 0))
        return sst_fail(err, SST_ERR_INTERNAL, "slot %d, year %d: ice information and its digest do not go together",
                        slot->slot, entry->year);
    return SST_OK;
}

static uint64_t cells_of_word(const struct sst_field *field, size_t word)
{
    const size_t first = 64 * word, left = field->n_cells - first, n = left < 64 ? left : 64;
    uint64_t bits = 0;
    for (size_t i = 0; i < n; ++i)
        bits |= (uint64_t)(field->codes[first + i] != SST_CODE_MISSING) << i;
    for (size_t i = 0; i < n && field->has_ice; ++i)
        bits |= (uint64_t)(field->ice[first + i] != 0) << i;
    return bits;
}

static enum sst_status join_cells(const struct sst_slot_state *slot, const struct sst_field *field,
                                  struct addition *addition, struct sst_error *err)
{
    const size_t n_words = sst_slot_n_words(slot->policy->n_cells);
    SST_TRY(sst_alloc(n_words, sizeof *addition->cells, "the cells of a slot", &addition->cells, err));
    for (size_t word = 0; word < n_words; ++word)
        addition->cells[word] = slot->cells[word] | cells_of_word(field, word);
    addition->n_items = sst_slot_count_cells(addition->cells, slot->policy->n_cells);
    return sst_slot_grid_places(slot, addition->cells, addition->n_items, &addition->places, err);
}

static enum sst_status make_bins(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                 struct addition *addition, struct sst_error *err)
{
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
        const enum sst_slot_kind which = (enum sst_slot_kind)kind;
        const struct sst_estimator *estimator = sst_slot_estimator(slot, which, entry->year_class);
        if (!estimator || (which == SST_SLOT_ICE && entry->ice_digest == 0) ||
            !sst_bin_is_empty(sst_slot_bin_read(slot, which, entry->year_class)))
            continue;
        SST_TRY(sst_bin_init(&addition->bins[kind], estimator, addition->n_items, err));
    }
    return SST_OK;
}

static enum sst_status make_entry(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                  const struct sst_field *field, struct addition *addition, struct sst_error *err)
{
    const struct sst_state_policy *policy = slot->policy;
    const size_t n = addition->n_items;
    struct sst_ledger_entry *made = &addition->entry;
    *made = *entry;
    made->source = NULL;
    made->probes = made->kept = NULL;
    made->marks = NULL;
    made->packed = NULL;
    SST_TRY(sst_strdup(entry->source, &made->source, err));
    if (policy->keep != SST_KEEP_NONE) {
        SST_TRY(sst_alloc(policy->n_probes, sizeof *made->probes, "the probes of a day", &made->probes, err));
        for (size_t i = 0; i < policy->n_probes; ++i)
            made->probes[i] = field->codes[policy->probes[i]];
    }
    if (!sst_slot_keeps_all(slot))
        return SST_OK;
    SST_TRY(sst_alloc_large(n, sizeof *made->kept, "the values of a day", &made->kept, err));
    sst_cells_gather(&addition->places, field->codes, SST_CODE_MISSING, 0, n, made->kept);
    if (!field->has_ice)
        return SST_OK;
    SST_TRY(sst_alloc_large(n, sizeof *made->marks, "the ice of a day", &made->marks, err));
    sst_cells_gather_marks(&addition->places, field->ice, 0, n, made->marks);
    for (size_t item = 0; item < n; ++item)
        made->marks[item] = made->marks[item] != 0;
    return SST_OK;
}

/* Cannot fail: the ledger has room. */
static void put_day(struct sst_slot_state *slot, struct addition *addition, const struct sst_field *field)
{
    const int year_class = addition->entry.year_class;
    const size_t place = sst_slot_place_of_year(slot, addition->entry.year);
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
        if (sst_bin_is_empty(&addition->bins[kind]))
            continue;
        *sst_slot_bin(slot, (enum sst_slot_kind)kind, year_class) = addition->bins[kind];
        addition->bins[kind] = (struct sst_bin){0};
    }
    sst_slot_add_field(slot, year_class, &addition->places, field);
    memmove(slot->ledger + place + 1, slot->ledger + place, (slot->n_ledger - place) * sizeof *slot->ledger);
    slot->ledger[place] = addition->entry;
    addition->entry = (struct sst_ledger_entry){0};
    ++slot->n_ledger;
}

enum sst_status sst_slot_state_add(struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                   const struct sst_field *field, struct sst_error *err)
{
    struct addition addition = {0};
    struct sst_slot_state *wider = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(check_addition(slot, entry, field, err));
    SST_TRY_GOTO(join_cells(slot, field, &addition, err));
    SST_TRY_GOTO(make_bins(slot, entry, &addition, err));
    SST_TRY_GOTO(make_entry(slot, entry, field, &addition, err));
    SST_TRY_GOTO(sst_grow(&slot->ledger, &slot->ledger_capacity, slot->n_ledger + 1, sizeof *slot->ledger,
                          "the ledger of a slot", err));
    if (addition.n_items != slot->n_items) {
        SST_TRY_GOTO(sst_slot_state_open(slot, err));
        SST_TRY_GOTO(sst_slot_copy(slot, addition.cells, addition.n_items, 1, &wider, err));
        sst_slot_replace(slot, &wider);
    }
    put_day(slot, &addition, field);
done:
    clear_addition(&addition);
    return rc;
}

/* --- taking away --------------------------------------------------------------------------------------------------- */

static enum sst_status not_the_day(const struct sst_slot_state *slot, int year, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "slot %d, year %d: the values to take away are not those that were added",
                    slot->slot, year);
}

/* A bin of the one day, subtracted. */
static enum sst_status subtract_day(struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class,
                                    const struct sst_cells *places, const struct sst_field *field, int year,
                                    struct sst_error *err)
{
    const struct sst_backend *backend = sst_backend_cpu();
    struct sst_bin *bin = sst_slot_bin(slot, kind, year_class), day = {0};
    const int16_t *const hundredths[] = {field->hundredths};
    const uint8_t *const marks[] = {field->ice};
    enum sst_status rc = SST_OK;
    if (sst_bin_is_empty(bin) || (kind == SST_SLOT_ICE && !field->has_ice))
        return SST_OK;
    SST_TRY(sst_bin_init(&day, bin->estimator, slot->n_items, err));
    if (kind == SST_SLOT_ICE)
        backend->count_add_fields(day.planes[0], places, marks, 1);
    else
        backend->moments_add_fields(sst_bin_moments(&day), places, hundredths, 1);
    const uint16_t *n_all = bin->planes[0], *n_day = day.planes[0];
    for (size_t item = 0; item < slot->n_items && rc == SST_OK; ++item)
        if (n_day[item] > n_all[item])
            rc = not_the_day(slot, year, err);
    if (rc == SST_OK)
        sst_bin_subtract(backend, bin, &day);
    sst_bin_clear(&day);
    return rc;
}

/* A kept day as a field of the items. Scratch: hundredths of n_items, for lattices of which they are not the codes. */
static struct sst_field kept_field(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                   int16_t *hundredths)
{
    struct sst_field field = {.n_cells = slot->n_items,
                              .codes = entry->kept,
                              .hundredths = entry->kept,
                              .ice = entry->marks,
                              .has_ice = entry->marks != NULL};
    if (slot->policy->lattice == SST_LATTICE_CENTI)
        return field;
    sst_field_hundredths(entry->kept, slot->n_items, hundredths);
    field.hundredths = hundredths;
    return field;
}

/* Counts the lists of a class anew from what is kept. */
static enum sst_status recount_lists(struct sst_slot_state *slot, int year_class, const struct sst_cells *places,
                                     int16_t *hundredths, struct sst_error *err)
{
    struct sst_bin *bin = &slot->tail[year_class];
    if (sst_bin_is_empty(bin))
        return SST_OK;
    sst_bin_clear(bin);
    SST_TRY(sst_bin_init(bin, &slot->lists[year_class].estimator, slot->n_items, err));
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        if (slot->ledger[i].year_class != year_class)
            continue;
        const struct sst_field field = kept_field(slot, &slot->ledger[i], hundredths), *const fields[] = {&field};
        sst_backend_cpu()->tail_add_fields(sst_bin_tail(bin), places, fields, 1);
    }
    return SST_OK;
}

static void drop_unwanted_bins(struct sst_slot_state *slot, int year_class)
{
    for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
        if (!sst_slot_wants_bin(slot, (enum sst_slot_kind)kind, year_class))
            sst_bin_clear(sst_slot_bin(slot, (enum sst_slot_kind)kind, year_class));
}

/* From a copy, which may be left half done. */
static enum sst_status take_away(struct sst_slot_state *copy, size_t place, const struct sst_field *given,
                                 struct sst_error *err)
{
    struct sst_ledger_entry entry = copy->ledger[place];
    struct sst_cells places = {0};
    int16_t *hundredths = NULL;
    enum sst_status rc = SST_OK;
    memmove(copy->ledger + place, copy->ledger + place + 1, (--copy->n_ledger - place) * sizeof *copy->ledger);
    SST_TRY_GOTO(sst_alloc_large(copy->n_items, sizeof *hundredths, "hundredths", &hundredths, err));
    if (sst_slot_keeps_all(copy))
        SST_TRY_GOTO(sst_slot_item_places(copy, &places, err));
    else
        SST_TRY_GOTO(sst_slot_grid_places(copy, copy->cells, copy->n_items, &places, err));
    const struct sst_field day = sst_slot_keeps_all(copy) ? kept_field(copy, &entry, hundredths) : *given;
    SST_TRY_GOTO(subtract_day(copy, SST_SLOT_MOMENTS, entry.year_class, &places, &day, entry.year, err));
    SST_TRY_GOTO(subtract_day(copy, SST_SLOT_ICE, entry.year_class, &places, &day, entry.year, err));
    SST_TRY_GOTO(recount_lists(copy, entry.year_class, &places, hundredths, err));
    drop_unwanted_bins(copy, entry.year_class);
done:
    sst_slot_clear_entry(&entry);
    sst_cells_clear(&places);
    sst_free(hundredths);
    return rc;
}

/* Leaves out cells that have nothing any more. */
static enum sst_status drop_unused_cells(struct sst_slot_state **slot, struct sst_error *err)
{
    const struct sst_slot_state *from = *slot;
    const size_t n_words = sst_slot_n_words(from->policy->n_cells);
    struct sst_slot_state *narrower = NULL;
    uint64_t *cells = NULL;
    uint8_t *used = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_words, sizeof *cells, "the cells of a slot", &cells, err));
    SST_TRY_GOTO(sst_alloc(from->n_items, sizeof *used, "the cells of a slot", &used, err));
    sst_slot_find_used(from, used);
    size_t item = 0;
    for (size_t word = 0; word < n_words; ++word)
        for (uint64_t bits = from->cells[word]; bits; bits &= bits - 1)
            cells[word] |= used[item++] ? bits & -bits : 0;
    const size_t n_items = sst_slot_count_cells(cells, from->policy->n_cells);
    if (n_items != from->n_items) {
        SST_TRY_GOTO(sst_slot_copy(from, cells, n_items, 0, &narrower, err));
        sst_slot_replace(*slot, &narrower);
    }
done:
    sst_free(cells);
    sst_free(used);
    return rc;
}

static enum sst_status check_removal(const struct sst_slot_state *slot, int year, const struct sst_field *field,
                                     struct sst_error *err)
{
    if (!sst_slot_state_entry(slot, year))
        return sst_fail(err, SST_ERR_STATE, "slot %d has no year %d", slot->slot, year);
    if (sst_slot_keeps_all(slot))
        return SST_OK;
    if (sst_slot_has_lists(slot))
        return sst_fail(
            err, SST_ERR_STATE,
            "slot %d, year %d: a day cannot be taken out of lists of greatest values. A state that keeps all "
            "(--keep all) can count them anew",
            slot->slot, year);
    if (!field)
        return sst_fail(err, SST_ERR_STATE, "slot %d, year %d: the state does not keep the values; give the day's file",
                        slot->slot, year);
    const struct sst_ledger_entry *entry = sst_slot_state_entry(slot, year);
    if (field->n_cells != slot->policy->n_cells || field->has_ice != (entry->ice_digest != 0))
        return not_the_day(slot, year, err);
    return SST_OK;
}

enum sst_status sst_slot_state_remove(struct sst_slot_state *slot, int year, const struct sst_field *field,
                                      struct sst_error *err)
{
    struct sst_slot_state *copy = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(check_removal(slot, year, field, err));
    SST_TRY(sst_slot_state_open(slot, err));
    SST_TRY(sst_slot_copy(slot, slot->cells, slot->n_items, 0, &copy, err));
    SST_TRY_GOTO(take_away(copy, sst_slot_place_of_year(copy, year), field, err));
    SST_TRY_GOTO(drop_unused_cells(&copy, err));
    sst_slot_replace(slot, &copy);
done:
    sst_slot_state_destroy(&copy);
    return rc;
}
