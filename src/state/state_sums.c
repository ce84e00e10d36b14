/* Bins are lent as they are; only where their items are in the domain, and which of them make a term, is worked out. */
#include "state/state_sums.h"

#include <limits.h>
#include <stdio.h>

#include "core/cells.h"
#include "core/mem.h"
#include "state/state_source.h"

enum { CELLS_A_WORD = 64 };

struct sst_state_sums {
    const struct sst_state *state;
    const struct sst_policy *policy;
    size_t n_cells;
    size_t *place; /* domain cell by canonical cell */
    size_t *probe_at; /* of the state's probes, by probe of the domain */
    struct sst_slot_state *slot; /* that was asked for last */
    uint32_t *item; /* its items, by domain cell */
    struct sst_field *probes; /* its days, class by class */
    size_t probes_capacity;
    struct sst_slot_sums given;
    size_t n_probes, n_days, n_absent;
    struct sst_slot_source slots;
};

/* --- what a state is enough for ----------------------------------------------------------------------------------- */

struct sst_term_split sst_state_split_term(const struct sst_pool_rule *known, const struct sst_pool_rule *wanted,
                                           struct sst_term term)
{
    unsigned in = 0, beside = 0;
    for (int year = known->first_year - 1; year <= known->last_year + 1; ++year) {
        const struct sst_day day = {year, term.slot};
        const int year_class = sst_pool_class(known, day);
        if (year_class == SST_NO_CLASS)
            continue;
        if (sst_pool_class(wanted, day) == term.year_class)
            in |= 1U << year_class;
        else
            beside |= 1U << year_class;
    }
    return (struct sst_term_split){in, (in & beside) == 0};
}

static enum sst_status check_classes(const struct sst_state *state, const struct sst_pool_rule *wanted,
                                     struct sst_error *err)
{
    const struct sst_pool_rule *known = &sst_state_policy(state)->pools;
    char text[SST_DAY_TEXT_SIZE];
    for (int slot = 1; slot <= sst_calendar_n_slots(wanted->kind); ++slot)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
            if (!sst_state_split_term(known, wanted, term).is_clean)
                return sst_fail(
                    err, SST_ERR_STATE,
                    "%s: of the years of a day as %s it knows one sum, and --leap %s would pool some of them "
                    "alone. Give --leap %s, or make a state with --keep all",
                    sst_state_path(state), sst_day_text(wanted->kind, (struct sst_day){wanted->last_year, slot}, text),
                    sst_leap_rule_name(wanted->leap), sst_leap_rule_name(known->leap));
        }
    return SST_OK;
}

/* Lists are as good as a run's where they are not shorter. */
static enum sst_status check_lists(const struct sst_state *state, const struct sst_policy *policy,
                                   struct sst_error *err)
{
    const struct sst_tail_k has = sst_state_policy(state)->tail, wants = sst_policy_tail_k(policy);
    char remedy[96] = "Give";
    if (has.top >= wants.top && has.bottom >= wants.bottom)
        return SST_OK;
    struct sst_policy shorter = *policy;
    shorter.tail_k = wants.top == 0      ? has.bottom
                     : wants.bottom == 0 ? has.top
                                         : (has.top < has.bottom ? has.top : has.bottom);
    if (shorter.tail_k > 0 && sst_policy_check_tail(&shorter, NULL) == SST_OK)
        (void)snprintf(remedy, sizeof remedy, "Give --tail-k %d, which leaves more uncertified,", shorter.tail_k);
    return sst_fail(
        err, SST_ERR_STATE,
        "%s: its lists have the %d greatest and %d least values of a calendar day, and these percentiles of "
        "%d days take %d and %d. %s --approx cf, or make a state with --tail-k %d and these percentiles",
        sst_state_path(state), has.top, has.bottom, 2 * policy->pools.half_window_days + 1, wants.top, wants.bottom,
        remedy, wants.top > wants.bottom ? wants.top : wants.bottom);
}

enum sst_status sst_state_sums_check(const struct sst_state *state, const struct sst_policy *policy,
                                     struct sst_error *err)
{
    const struct sst_state_policy *kept = sst_state_policy(state);
    if (policy->approx == SST_APPROX_NONE)
        return sst_fail(
            err, SST_ERR_STATE,
            "%s: it keeps %s, and exact percentiles (--approx none) are made from all values. Give --approx "
            "tail, cf or maxent, or make a state with --keep all",
            sst_state_path(state), sst_keep_name(kept->keep));
    if (sst_approx_has_moments(policy->approx) && !kept->has_moments)
        return sst_fail(
            err, SST_ERR_STATE,
            "%s: it has no sums of powers, from which --approx %s makes percentiles. Give --approx tail, or "
            "make another state",
            sst_state_path(state), sst_approx_name(policy->approx));
    if (policy->approx == SST_APPROX_TAIL)
        SST_TRY(check_lists(state, policy, err));
    return check_classes(state, &policy->pools, err);
}

/* --- as a source of slots ----------------------------------------------------------------------------------------- */

static void find_items(struct sst_state_sums *sums)
{
    const size_t n_words = (sums->n_cells + CELLS_A_WORD - 1) / CELLS_A_WORD;
    uint32_t item = 0;
    for (size_t cell = 0; cell < sums->n_cells; ++cell)
        sums->item[cell] = SST_NO_ITEM;
    for (size_t word = 0; word < n_words; ++word)
        for (uint64_t bits = sums->slot->cells[word]; bits; bits &= bits - 1)
            sums->item[sums->place[CELLS_A_WORD * word + (size_t)__builtin_ctzll(bits)]] = item++;
}

static void lend_bins(const struct sst_state_sums *sums, struct sst_term term, struct sst_term_sums *out)
{
    const struct sst_slot_state *slot = sums->slot;
    const unsigned classes = sst_state_split_term(&slot->policy->pools, &sums->policy->pools, term).classes;
    const struct sst_bin *bins = sst_approx_has_moments(sums->policy->approx) ? slot->moments : slot->tail;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        if (!(classes >> year_class & 1U))
            continue;
        if (!sst_bin_is_empty(&bins[year_class]))
            out->bins[out->n_bins++] = &bins[year_class];
        if (!sst_bin_is_empty(&slot->ice[year_class]))
            out->ice[out->n_ice++] = &slot->ice[year_class];
    }
}

/* The days of a term, which are counted too. */
static size_t lend_days(struct sst_state_sums *sums, struct sst_term term, struct sst_field *fields)
{
    const struct sst_slot_state *slot = sums->slot;
    size_t n = 0;
    for (size_t i = 0; i < slot->n_ledger; ++i) {
        const struct sst_ledger_entry *entry = &slot->ledger[i];
        if (sst_pool_class(&sums->policy->pools, (struct sst_day){entry->year, term.slot}) == term.year_class)
            fields[n++] = (struct sst_field){.n_cells = slot->policy->n_probes, .codes = entry->probes};
    }
    sums->n_days += n;
    return n;
}

static size_t count_absent(const struct sst_state_sums *sums, int slot)
{
    const struct sst_pool_rule *pools = &sums->policy->pools;
    size_t n = 0;
    for (int year = pools->first_year; year <= pools->last_year; ++year)
        n += sst_pool_class(pools, (struct sst_day){year, slot}) != SST_NO_CLASS &&
             !sst_slot_state_entry(sums->slot, year);
    return n;
}

static enum sst_status get(void *user, int slot, const struct sst_slot_sums **out, struct sst_error *err)
{
    struct sst_state_sums *sums = user;
    size_t n_lent = 0;
    sst_slot_state_destroy(&sums->slot);
    SST_TRY(sst_state_load(sums->state, slot, &sums->slot, err));
    SST_TRY(sst_grow(&sums->probes, &sums->probes_capacity, sums->slot->n_ledger + 1, sizeof *sums->probes,
                     "the days of a slot", err));
    find_items(sums);
    sums->given = (struct sst_slot_sums){.item = sums->item};
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        struct sst_term_sums *given = &sums->given.terms[year_class];
        lend_bins(sums, term, given);
        given->probes = sums->probes + n_lent;
        const size_t n_days = lend_days(sums, term, sums->probes + n_lent);
        given->n_probe_days = sums->n_probes > 0 ? n_days : 0;
        n_lent += n_days;
    }
    sums->n_absent += count_absent(sums, slot);
    *out = &sums->given;
    return SST_OK;
}

/* --- life --------------------------------------------------------------------------------------------------------- */

/* The index of a canonical cell among the state's probes, which are ascending; their number where it is none of them. */
static size_t find_probe(const struct sst_state_policy *policy, uint64_t cell)
{
    size_t low = 0, high = policy->n_probes;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (policy->probes[middle] < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return low < policy->n_probes && policy->probes[low] == cell ? low : policy->n_probes;
}

static enum sst_status find_probes(struct sst_state_sums *sums, const struct sst_domain *domain, const size_t *probes,
                                   size_t n_probes, struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(sums->state);
    SST_TRY(sst_alloc(n_probes, sizeof *sums->probe_at, "the order of probes", &sums->probe_at, err));
    sums->n_probes = n_probes;
    for (size_t i = 0; i < n_probes; ++i) {
        sums->probe_at[i] = find_probe(policy, sst_domain_canonical(domain, probes[i]));
        if (policy->keep == SST_KEEP_NONE || sums->probe_at[i] == policy->n_probes)
            return sst_fail(err, SST_ERR_INTERNAL, "%s: cell %zu is no probe of the state", sst_state_path(sums->state),
                            probes[i]);
    }
    return SST_OK;
}

enum sst_status sst_state_sums_create(const struct sst_state *state, const struct sst_policy *policy,
                                      const struct sst_domain *domain, const size_t *probes, size_t n_probes,
                                      struct sst_state_sums **out, struct sst_error *err)
{
    struct sst_state_sums *sums = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *sums, "the state's sums", &sums, err));
    sums->state = state;
    sums->policy = policy;
    sums->n_cells = domain->n_cells;
    SST_TRY_GOTO(sst_state_places(domain, &sums->place, err));
    SST_TRY_GOTO(sst_alloc_large(domain->n_cells, sizeof *sums->item, "the cells of a slot", &sums->item, err));
    SST_TRY_GOTO(find_probes(sums, domain, probes, n_probes, err));
    sums->slots = (struct sst_slot_source){.user = sums, .probe_at = sums->probe_at, .get = get};
    *out = sums;
    sums = NULL;
done:
    sst_state_sums_destroy(&sums);
    return rc;
}

void sst_state_sums_destroy(struct sst_state_sums **sums)
{
    struct sst_state_sums *old = *sums;
    if (!old)
        return;
    sst_slot_state_destroy(&old->slot);
    sst_free(old->place);
    sst_free(old->probe_at);
    sst_free(old->item);
    sst_free(old->probes);
    sst_free(old);
    *sums = NULL;
}

const struct sst_slot_source *sst_state_sums_slots(const struct sst_state_sums *sums) { return &sums->slots; }

size_t sst_state_sums_n_days(const struct sst_state_sums *sums) { return sums->n_days; }

size_t sst_state_sums_n_absent(const struct sst_state_sums *sums) { return sums->n_absent; }

/* --- before it ---------------------------------------------------------------------------------------------------- */

/* Of a cell: all bins of a class, and what is kept of a day. */
static uint64_t class_cell_bytes(const struct sst_state_policy *policy)
{
    struct sst_tail_estimator tail;
    const bool has_lists = policy->tail.top > 0 || policy->tail.bottom > 0;
    sst_tail_estimator_init(&tail, policy->tail);
    return (policy->has_moments ? sst_estimator_cell_size(sst_estimator_moments()) : 0) +
           (has_lists ? sst_estimator_cell_size(&tail.estimator) : 0) + sst_estimator_cell_size(sst_estimator_ice());
}

uint64_t sst_state_sums_bytes(const struct sst_state_policy *policy, const bool *slots, size_t n_items)
{
    /* Blocks of a file as they are stored, inflated, and as a slot has them. */
    enum { COPIES = 3 };
    const uint64_t bins = class_cell_bytes(policy) * n_items,
                   kept = policy->keep == SST_KEEP_ALL ? (sizeof(int16_t) + sizeof(uint8_t)) * n_items : 0,
                   probes = policy->n_probes * sizeof(int16_t);
    uint64_t most = 0;
    for (int slot = 1; slot <= sst_calendar_n_slots(policy->pools.kind); ++slot) {
        uint64_t bytes = policy->n_cells / CHAR_BIT;
        if (!slots[slot])
            continue;
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
            const int n_days =
                sst_pool_term_days(&policy->pools, (struct sst_term){(int16_t)slot, (int16_t)year_class});
            bytes += n_days > 0 ? bins + (uint64_t)n_days * (kept + probes) : 0;
        }
        most = bytes > most ? bytes : most;
    }
    return COPIES * most + policy->n_cells * (sizeof(size_t) + sizeof(uint32_t));
}

static enum sst_status count_places(const struct sst_slot_state *slot, const struct sst_domain *domain,
                                    size_t *n_places, struct sst_error *err)
{
    struct sst_cells cells = {0};
    size_t *place = NULL;
    uint8_t *marks = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_state_places(domain, &place, err));
    SST_TRY_GOTO(sst_alloc(domain->n_cells, sizeof *marks, "the cells of a slot", &marks, err));
    SST_TRY_GOTO(sst_cells_init(&cells, domain->n_cells, err));
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        marks[place[cell]] = slot->cells[cell / CELLS_A_WORD] >> cell % CELLS_A_WORD & 1U;
    sst_cells_take_marked(&cells, marks);
    *n_places = cells.n_places;
done:
    sst_cells_clear(&cells);
    sst_free(marks);
    sst_free(place);
    return rc;
}

enum sst_status sst_state_find_sea(const struct sst_state *state, const struct sst_domain *domain, const bool *slots,
                                   struct sst_state_sea *out, struct sst_error *err)
{
    *out = (struct sst_state_sea){0, 0};
    for (int number = 1; number <= SST_N_SLOTS && out->n_items == 0; ++number) {
        struct sst_slot_state *slot = NULL;
        if (!slots[number])
            continue;
        SST_TRY(sst_state_load(state, number, &slot, err));
        out->n_items = slot->n_items;
        const enum sst_status rc = slot->n_items > 0 ? count_places(slot, domain, &out->n_places, err) : SST_OK;
        sst_slot_state_destroy(&slot);
        SST_TRY(rc);
    }
    return SST_OK;
}
