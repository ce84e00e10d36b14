/* Life of a slot, what is in it, and copies of it over other cells. */
#include "state/slot_state.h"

#include <stddef.h>
#include <string.h>

#include "core/mem.h"
#include "state/slot_state_private.h"

/* As in a run: no list is longer than the days of its class. */
static void init_lists(struct sst_slot_state *slot)
{
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot->slot, (int16_t)year_class};
        const int days = sst_pool_term_days(&slot->policy->pools, term);
        struct sst_tail_k k = slot->policy->tail;
        k.top = k.top < days ? k.top : days;
        k.bottom = k.bottom < days ? k.bottom : days;
        sst_tail_estimator_init(&slot->lists[year_class], k);
        if (!sst_bin_is_empty(&slot->tail[year_class]))
            slot->tail[year_class].estimator = &slot->lists[year_class].estimator;
    }
}

enum sst_status sst_slot_state_create(const struct sst_state_policy *policy, int slot, struct sst_slot_state **out,
                                      struct sst_error *err)
{
    struct sst_slot_state *made = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(1, sizeof *made, "a slot of a state", &made, err));
    made->slot = slot;
    made->policy = policy;
    SST_TRY_GOTO(
        sst_alloc(sst_slot_n_words(policy->n_cells), sizeof *made->cells, "the cells of a slot", &made->cells, err));
    init_lists(made);
    *out = made;
    made = NULL;
done:
    sst_slot_state_destroy(&made);
    return rc;
}

void sst_slot_clear_entry(struct sst_ledger_entry *entry)
{
    sst_free(entry->source);
    sst_free(entry->probes);
    sst_free(entry->kept);
    sst_free(entry->marks);
    sst_free(entry->packed);
    *entry = (struct sst_ledger_entry){0};
}

void sst_slot_state_destroy(struct sst_slot_state **slot)
{
    struct sst_slot_state *old = *slot;
    if (!old)
        return;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        sst_bin_clear(&old->moments[year_class]);
        sst_bin_clear(&old->tail[year_class]);
        sst_bin_clear(&old->ice[year_class]);
    }
    for (size_t i = 0; i < old->n_ledger; ++i)
        sst_slot_clear_entry(&old->ledger[i]);
    sst_free(old->ledger);
    sst_free(old->stored);
    sst_free(old->cells);
    sst_free(old);
    *slot = NULL;
}

size_t sst_slot_place_of_year(const struct sst_slot_state *slot, int year)
{
    size_t place = 0;
    while (place < slot->n_ledger && slot->ledger[place].year < year)
        ++place;
    return place;
}

const struct sst_ledger_entry *sst_slot_state_entry(const struct sst_slot_state *slot, int year)
{
    const size_t place = sst_slot_place_of_year(slot, year);
    return place < slot->n_ledger && slot->ledger[place].year == year ? &slot->ledger[place] : NULL;
}

const struct sst_bin *sst_slot_bin_read(const struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class)
{
    const struct sst_bin *bins[] = {slot->moments, slot->tail, slot->ice};
    return &bins[kind][year_class];
}

struct sst_bin *sst_slot_bin(struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class)
{
    struct sst_bin *bins[] = {slot->moments, slot->tail, slot->ice};
    return &bins[kind][year_class];
}

const struct sst_estimator *sst_slot_estimator(const struct sst_slot_state *slot, enum sst_slot_kind kind,
                                               int year_class)
{
    if (kind == SST_SLOT_MOMENTS)
        return slot->policy->has_moments ? sst_estimator_moments() : NULL;
    if (kind == SST_SLOT_TAIL)
        return sst_slot_has_lists(slot) ? &slot->lists[year_class].estimator : NULL;
    return sst_estimator_ice();
}

bool sst_slot_wants_bin(const struct sst_slot_state *slot, enum sst_slot_kind kind, int year_class)
{
    bool wants = false;
    for (size_t i = 0; i < slot->n_ledger; ++i)
        wants |= slot->ledger[i].year_class == year_class && (kind != SST_SLOT_ICE || slot->ledger[i].ice_digest != 0);
    return wants && sst_slot_estimator(slot, kind, year_class);
}

size_t sst_slot_count_cells(const uint64_t *cells, size_t n_cells)
{
    size_t n = 0;
    for (size_t word = 0; word < sst_slot_n_words(n_cells); ++word)
        n += (size_t)__builtin_popcountll(cells[word]);
    return n;
}

static enum sst_status places_of(size_t n_domain, size_t n_items, struct sst_cells *out, struct sst_error *err)
{
    *out = (struct sst_cells){.n_domain = n_domain, .width = 1, .n_places = n_items, .n_given = n_items};
    return sst_alloc_large(n_items, sizeof *out->block_at, "the places of a slot", &out->block_at, err);
}

enum sst_status sst_slot_grid_places(const struct sst_slot_state *slot, const uint64_t *cells, size_t n_items,
                                     struct sst_cells *out, struct sst_error *err)
{
    SST_TRY(places_of(slot->policy->n_cells, n_items, out, err));
    size_t item = 0;
    for (size_t word = 0; word < sst_slot_n_words(slot->policy->n_cells); ++word)
        for (uint64_t bits = cells[word]; bits; bits &= bits - 1)
            out->block_at[item++] = (uint32_t)(64 * word + (size_t)__builtin_ctzll(bits));
    return SST_OK;
}

enum sst_status sst_slot_item_places(const struct sst_slot_state *slot, struct sst_cells *out, struct sst_error *err)
{
    SST_TRY(places_of(slot->n_items, slot->n_items, out, err));
    for (size_t item = 0; item < slot->n_items; ++item)
        out->block_at[item] = (uint32_t)item;
    return SST_OK;
}

static void add_used(const uint16_t *count, size_t n_items, uint8_t *used)
{
    for (size_t item = 0; item < n_items; ++item)
        used[item] |= count[item] != 0;
}

void sst_slot_find_used(const struct sst_slot_state *slot, uint8_t *used)
{
    memset(used, 0, slot->n_items);
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind) { /* the first plane of each counts days */
            const struct sst_bin *bin = sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class);
            if (!sst_bin_is_empty(bin))
                add_used(bin->planes[0], slot->n_items, used);
        }
    if (memchr(used, 0, slot->n_items) == NULL) /* as always where a policy has sums */
        return;
    for (size_t i = 0; i < slot->n_ledger && sst_slot_keeps_all(slot); ++i)
        for (size_t item = 0; item < slot->n_items && slot->ledger[i].kept; ++item)
            used[item] |= slot->ledger[i].kept[item] != SST_CODE_MISSING;
}

/* --- copies -------------------------------------------------------------------------------------------------------- */

/* Neighbouring items that stay neighbours. */
struct run {
    size_t from, to, n;
};

struct runs {
    struct run *runs;
    size_t n, capacity;
    size_t n_from, n_to; /* items of the source and of the copy */
};

static enum sst_status add_run(struct runs *runs, struct run run, struct sst_error *err)
{
    struct run *last = runs->n > 0 ? &runs->runs[runs->n - 1] : NULL;
    if (last && last->from + last->n == run.from && last->to + last->n == run.to) {
        last->n += run.n;
        return SST_OK;
    }
    SST_TRY(sst_grow(&runs->runs, &runs->capacity, runs->n + 1, sizeof *runs->runs, "the cells of a slot", err));
    runs->runs[runs->n++] = run;
    return SST_OK;
}

static enum sst_status find_runs(struct runs *runs, const uint64_t *from, const uint64_t *to, size_t n_words,
                                 struct sst_error *err)
{
    struct run next = {0, 0, 0};
    for (size_t word = 0; word < n_words; ++word) {
        uint64_t bits = from[word] | to[word];
        if (from[word] == to[word] && bits) {
            next.n = (size_t)__builtin_popcountll(bits);
            SST_TRY(add_run(runs, next, err));
            next.from += next.n;
            next.to += next.n;
            continue;
        }
        for (next.n = 1; bits; bits &= bits - 1) {
            const uint64_t bit = bits & -bits;
            if (from[word] & to[word] & bit)
                SST_TRY(add_run(runs, next, err));
            next.from += (from[word] & bit) != 0;
            next.to += (to[word] & bit) != 0;
        }
    }
    return SST_OK;
}

static void copy_items(const struct runs *runs, const void *from, void *to, size_t size)
{
    for (size_t i = 0; i < runs->n; ++i)
        memcpy((unsigned char *)to + runs->runs[i].to * size, (const unsigned char *)from + runs->runs[i].from * size,
               runs->runs[i].n * size);
}

static enum sst_status copy_bin(const struct runs *runs, const struct sst_bin *from,
                                const struct sst_estimator *estimator, struct sst_bin *to, struct sst_error *err)
{
    if (sst_bin_is_empty(from))
        return SST_OK;
    SST_TRY(sst_bin_init(to, estimator, runs->n_to, err));
    for (size_t i = 0; i < estimator->n_planes; ++i) {
        const size_t size = sst_plane_type_size(estimator->planes[i].type);
        for (size_t rank = 0; rank < estimator->planes[i].count; ++rank)
            copy_items(runs, (const unsigned char *)from->planes[i] + rank * runs->n_from * size,
                       (unsigned char *)to->planes[i] + rank * runs->n_to * size, size);
    }
    return SST_OK;
}

/* Whether the cells of a copy are those of the slot. */
static bool is_same(const struct runs *runs)
{
    return runs->n_from == runs->n_to && (runs->n == 0 || (runs->n == 1 && runs->runs[0].n == runs->n_from));
}

static enum sst_status copy_packed(const struct sst_packed_day *from, struct sst_packed_day **to, struct sst_error *err)
{
    size_t n_bytes = sizeof *from;
    for (int part = 0; part < SST_N_PACKED_PARTS; ++part)
        n_bytes += from->n_bytes[part];
    SST_TRY(sst_alloc_large(n_bytes, 1, "the packed values of a day", to, err));
    memcpy((*to)->own, from->bytes, n_bytes - sizeof *from);
    memcpy(*to, from, offsetof(struct sst_packed_day, own));
    (*to)->bytes = (*to)->own;
    return SST_OK;
}

static enum sst_status copy_entry(const struct runs *runs, const struct sst_ledger_entry *from, size_t n_probes,
                                  struct sst_ledger_entry *to, struct sst_error *err)
{
    struct sst_ledger_entry made = *from;
    enum sst_status rc = SST_OK;
    made.source = NULL;
    made.probes = made.kept = NULL;
    made.marks = NULL;
    made.packed = NULL;
    SST_TRY_GOTO(sst_strdup(from->source, &made.source, err));
    if (from->probes) {
        SST_TRY_GOTO(sst_alloc(n_probes, sizeof *made.probes, "the probes of a day", &made.probes, err));
        memcpy(made.probes, from->probes, n_probes * sizeof *made.probes);
    }
    if (from->kept) {
        SST_TRY_GOTO(sst_alloc(runs->n_to, sizeof *made.kept, "the values of a day", &made.kept, err));
        for (size_t item = 0; item < runs->n_to; ++item)
            made.kept[item] = SST_CODE_MISSING;
        copy_items(runs, from->kept, made.kept, sizeof *made.kept);
    }
    if (from->marks) {
        SST_TRY_GOTO(sst_alloc(runs->n_to, sizeof *made.marks, "the ice of a day", &made.marks, err));
        copy_items(runs, from->marks, made.marks, sizeof *made.marks);
    }
    if (from->packed && is_same(runs))
        SST_TRY_GOTO(copy_packed(from->packed, &made.packed, err));
    *to = made;
done:
    if (rc != SST_OK)
        sst_slot_clear_entry(&made);
    return rc;
}

enum sst_status sst_slot_copy(const struct sst_slot_state *slot, const uint64_t *cells, size_t n_items, size_t room,
                              struct sst_slot_state **out, struct sst_error *err)
{
    const size_t n_words = sst_slot_n_words(slot->policy->n_cells);
    struct runs runs = {.n_from = slot->n_items, .n_to = n_items};
    struct sst_slot_state *made = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(find_runs(&runs, slot->cells, cells, n_words, err));
    SST_TRY_GOTO(sst_slot_state_create(slot->policy, slot->slot, &made, err));
    memcpy(made->cells, cells, n_words * sizeof *cells);
    made->n_items = n_items;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
        for (int kind = 0; kind < SST_N_SLOT_KINDS; ++kind)
            SST_TRY_GOTO(copy_bin(&runs, sst_slot_bin_read(slot, (enum sst_slot_kind)kind, year_class),
                                  sst_slot_estimator(made, (enum sst_slot_kind)kind, year_class),
                                  sst_slot_bin(made, (enum sst_slot_kind)kind, year_class), err));
    SST_TRY_GOTO(sst_grow(&made->ledger, &made->ledger_capacity, slot->n_ledger + room, sizeof *made->ledger,
                          "the ledger of a slot", err));
    for (size_t i = 0; i < slot->n_ledger; ++i, ++made->n_ledger)
        SST_TRY_GOTO(copy_entry(&runs, &slot->ledger[i], slot->policy->n_probes, &made->ledger[i], err));
    *out = made;
    made = NULL;
done:
    sst_free(runs.runs);
    sst_slot_state_destroy(&made);
    return rc;
}

void sst_slot_replace(struct sst_slot_state *slot, struct sst_slot_state **copy)
{
    const struct sst_slot_state old = *slot;
    *slot = **copy;
    **copy = old;
    init_lists(slot); /* the bins' estimators go where the bins go */
    sst_slot_state_destroy(copy);
}
