/* Two slots become one. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_private.h"

static bool is_same_day(const struct sst_ledger_entry *a, const struct sst_ledger_entry *b)
{
    return a->year_class == b->year_class && a->digest == b->digest && a->ice_digest == b->ice_digest;
}

/* Years that both have: alike, and not alike. */
struct common {
    size_t n_same, n_other;
};

static struct common find_common(const struct sst_slot_state *a, const struct sst_slot_state *b)
{
    struct common common = {0, 0};
    for (size_t i = 0; i < a->n_ledger; ++i) {
        const struct sst_ledger_entry *other = sst_slot_state_entry(b, a->ledger[i].year);
        if (other)
            ++*(is_same_day(&a->ledger[i], other) ? &common.n_same : &common.n_other);
    }
    return common;
}

/* "1982 1983 1990": years that both have, alike or not. */
static enum sst_status refuse(const struct sst_slot_state *a, const struct sst_slot_state *b, bool same,
                              const char *why, struct sst_error *err)
{
    char years[SST_ERROR_TEXT_SIZE / 2] = "";
    size_t length = 0;
    for (size_t i = 0; i < a->n_ledger; ++i) {
        const struct sst_ledger_entry *other = sst_slot_state_entry(b, a->ledger[i].year);
        if (!other || is_same_day(&a->ledger[i], other) != same || length + sizeof " -2147483648" > sizeof years)
            continue;
        length += (size_t)snprintf(years + length, sizeof years - length, " %d", a->ledger[i].year);
    }
    return sst_fail(err, SST_ERR_STATE, "slot %d:%s: %s", a->slot, years, why);
}

/* Moves what the source has to the target; both have the same cells, and the ledger has room. */
static void move_all(struct sst_slot_state *target, struct sst_slot_state *source)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) {
            const enum sst_slot_kind which = (enum sst_slot_kind)kind;
            struct sst_bin *to = sst_slot_bin(target, which, year_class);
            struct sst_bin *from = sst_slot_bin(source, which, year_class);
            if (sst_bin_is_empty(from))
                continue;
            if (sst_bin_is_empty(to)) {
                *to = *from;
                to->estimator = sst_slot_estimator(target, which, year_class);
                *from = (struct sst_bin){0};
            } else {
                sst_bin_add(sst_backend_cpu(), to, from);
            }
        }
    for (size_t i = 0; i < source->n_ledger; ++i) {
        const size_t place = sst_slot_place_of_year(target, source->ledger[i].year);
        memmove(target->ledger + place + 1, target->ledger + place,
                (target->n_ledger - place) * sizeof *target->ledger);
        target->ledger[place] = source->ledger[i];
        ++target->n_ledger;
    }
    source->n_ledger = 0;
}

/* Of slots that have no year in common. */
static enum sst_status join(struct sst_slot_state *target, const struct sst_slot_state *source, struct sst_error *err)
{
    const size_t n_words = sst_slot_n_words(target->policy->n_cells);
    struct sst_slot_state *all = NULL, *added = NULL;
    uint64_t *cells = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_words, sizeof *cells, "the cells of a slot", &cells, err));
    for (size_t word = 0; word < n_words; ++word)
        cells[word] = target->cells[word] | source->cells[word];
    const size_t n_items = sst_slot_count_cells(cells, target->policy->n_cells);
    SST_TRY_GOTO(sst_slot_copy(target, cells, n_items, source->n_ledger, &all, err));
    SST_TRY_GOTO(sst_slot_copy(source, cells, n_items, 0, &added, err));
    move_all(all, added);
    sst_slot_replace(target, &all);
done:
    sst_free(cells);
    sst_slot_state_destroy(&all);
    sst_slot_state_destroy(&added);
    return rc;
}

/* The source without the days that the target has. */
static enum sst_status join_rest(struct sst_slot_state *target, const struct sst_slot_state *source,
                                 struct sst_error *err)
{
    struct sst_slot_state *rest = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_slot_copy(source, source->cells, source->n_items, 0, &rest, err));
    for (size_t i = 0; i < target->n_ledger; ++i)
        if (sst_slot_state_entry(rest, target->ledger[i].year))
            SST_TRY_GOTO(sst_slot_state_remove(rest, target->ledger[i].year, NULL, err));
    SST_TRY_GOTO(join(target, rest, err));
done:
    sst_slot_state_destroy(&rest);
    return rc;
}

/* The source's content for the target's. */
static enum sst_status take_whole(struct sst_slot_state *target, const struct sst_slot_state *source,
                                  struct sst_error *err)
{
    const struct sst_state_policy *policy = target->policy;
    struct sst_slot_state *copy = NULL;
    SST_TRY(sst_slot_copy(source, source->cells, source->n_items, 0, &copy, err));
    sst_slot_replace(target, &copy);
    target->policy = policy;
    return SST_OK;
}

enum sst_status sst_slot_state_merge(struct sst_slot_state *target, const struct sst_slot_state *source,
                                     struct sst_error *err)
{
    const struct sst_identity a = target->policy->identity, b = source->policy->identity;
    if (target->slot != source->slot || !sst_identity_is(a, b))
        return sst_fail(err, SST_ERR_INTERNAL, "slots %d and %d are not of one kind", target->slot, source->slot);
    const struct common common = find_common(target, source);
    if (common.n_other > 0)
        return refuse(target, source, false, "the two states have other values for these years", err);
    if (common.n_same == source->n_ledger)
        return SST_OK;
    SST_TRY(sst_slot_state_open(target, err));
    if (common.n_same == 0)
        return join(target, source, err);
    if (common.n_same == target->n_ledger)
        return take_whole(target, source, err);
    if (sst_slot_keeps_all(target))
        return join_rest(target, source, err);
    return refuse(target, source, true,
                  "both states have these years, each has others too, and they do not keep all (--keep all)", err);
}
