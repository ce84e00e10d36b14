/* A slot moves to another state, whose baseline has other years. */
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_private.h"

/*
 * Lists are no longer than their class has days, so their lengths follow the years of the baseline. A list that gets longer
 * held all values, one that gets shorter keeps the foremost: both are as if they had been made so.
 */
static enum sst_status resize_lists(const struct sst_bin *from, const struct sst_estimator *estimator,
                                    struct sst_bin *to, struct sst_error *err)
{
    const size_t n = from->n_cells;
    SST_TRY(sst_bin_init(to, estimator, n, err));
    for (size_t plane = 0; plane < estimator->n_planes; ++plane) {
        const size_t n_from = from->estimator->planes[plane].count, n_to = estimator->planes[plane].count;
        memcpy(to->planes[plane], from->planes[plane],
               n * (n_from < n_to ? n_from : n_to) * sst_plane_type_size(estimator->planes[plane].type));
    }
    return SST_OK;
}

/* Cannot fail: gives over all but the lists. */
static void hand_over(struct sst_slot_state *from, struct sst_slot_state *to)
{
    uint64_t *none = to->cells;
    to->cells = from->cells;
    from->cells = none;
    to->n_items = from->n_items;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        to->moments[year_class] = from->moments[year_class];
        to->ice[year_class] = from->ice[year_class];
        from->moments[year_class] = from->ice[year_class] = (struct sst_bin){0};
    }
    to->stored = from->stored;
    from->stored = NULL;
    to->ledger = from->ledger;
    to->n_ledger = from->n_ledger;
    to->ledger_capacity = from->ledger_capacity;
    from->ledger = NULL;
    from->n_ledger = from->ledger_capacity = 0;
}

enum sst_status sst_slot_set_policy(struct sst_slot_state *slot, const struct sst_state_policy *policy,
                                    struct sst_error *err)
{
    struct sst_slot_state *made = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_slot_state_create(policy, slot->slot, &made, err));
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        if (!sst_bin_is_empty(&slot->tail[year_class]))
            SST_TRY_GOTO(resize_lists(&slot->tail[year_class], &made->lists[year_class].estimator,
                                      &made->tail[year_class], err));
    hand_over(slot, made);
    sst_slot_replace(slot, &made);
done:
    sst_slot_state_destroy(&made);
    return rc;
}

enum sst_status sst_slot_unpack(const struct sst_slot_state *slot, const struct sst_ledger_entry *entry,
                                struct sst_field *field, struct sst_error *err)
{
    struct sst_cells places = {0};
    SST_TRY(sst_slot_grid_places(slot, slot->cells, slot->n_items, &places, err));
    for (size_t cell = 0; cell < field->n_cells; ++cell)
        field->codes[cell] = SST_CODE_MISSING;
    memset(field->ice, 0, field->n_cells);
    sst_cells_scatter(&places, entry->kept, sizeof *entry->kept, field->codes);
    field->has_ice = entry->marks != NULL;
    if (field->has_ice)
        sst_cells_scatter(&places, entry->marks, sizeof *entry->marks, field->ice);
    if (field->hundredths != field->codes)
        sst_field_hundredths(field->codes, field->n_cells, field->hundredths);
    sst_cells_clear(&places);
    return SST_OK;
}
