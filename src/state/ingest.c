/* Days of a catalog into a state, slot by slot. */
#include "state/ingest.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/ingest_files.h"
#include "state/ingest_replace.h"

/* What is remembered of a slot's ledger, so that neighbours need not be loaded again. */
struct ledger_key {
    int year;
    uint64_t digest;
};

struct slot_keys {
    bool is_known;
    struct ledger_key *keys;
    size_t n, capacity;
};

/* A day that goes into the slot at hand, to be told when it is durable. */
struct counted {
    struct sst_day day;
    enum sst_ingest_outcome outcome;
    const char *path; /* borrowed from the catalog */
};

struct ingest {
    struct sst_state *state;
    const struct sst_state_policy *policy;
    struct sst_catalog *catalog;
    const struct sst_ingest_options *options;
    struct sst_ingest_totals *totals;
    struct sst_ingest_files files, old[SST_INGEST_N_OLD];
    struct slot_keys keys[SST_N_SLOTS + 1]; /* by slot */
    struct sst_slot_state *ahead; /* a neighbour that was loaded and will be written too; NULL: none */
    struct sst_slot_state *slot; /* at hand */
    struct counted *counted; /* into it, not durable yet */
    size_t n_counted, counted_capacity;
    size_t n_days_done, n_days;
};

/* --- what is told ------------------------------------------------------------------------------------------------- */

static void tell(struct ingest *ingest, struct sst_day day, enum sst_ingest_outcome outcome, const char *path,
                 const char *reason)
{
    const struct sst_ingest_news news = {day, outcome, path, reason};
    ++ingest->totals->n[outcome];
    if (ingest->options->tell)
        ingest->options->tell(ingest->options->user, &news);
}

static const char *path_of_day(const struct ingest *ingest, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(ingest->catalog, day, &first, &count);
    return count > 0 ? ingest->catalog->files[ingest->catalog->entries[first].file].path : NULL;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* --- ledgers of neighbours ---------------------------------------------------------------------------------------- */

static enum sst_status remember(struct ingest *ingest, const struct sst_slot_state *slot, struct sst_error *err)
{
    struct slot_keys *keys = &ingest->keys[slot->slot];
    SST_TRY(sst_grow(&keys->keys, &keys->capacity, slot->n_ledger, sizeof *keys->keys, "the ledger of a day", err));
    for (size_t i = 0; i < slot->n_ledger; ++i)
        keys->keys[i] = (struct ledger_key){slot->ledger[i].year, slot->ledger[i].digest};
    keys->n = slot->n_ledger;
    keys->is_known = true;
    return SST_OK;
}

static enum sst_status load(struct ingest *ingest, int slot, struct sst_slot_state **out, struct sst_error *err)
{
    if (ingest->ahead && ingest->ahead->slot == slot) {
        *out = ingest->ahead;
        ingest->ahead = NULL;
        return SST_OK;
    }
    SST_TRY(sst_state_load(ingest->state, slot, out, err));
    return remember(ingest, *out, err);
}

/* Whether a day is counted with just these values. */
static enum sst_status is_counted_as(struct ingest *ingest, struct sst_day day, uint64_t digest, bool *answer,
                                     struct sst_error *err)
{
    struct slot_keys *keys = &ingest->keys[day.slot];
    *answer = false;
    if (sst_pool_class(&ingest->policy->pools, day) == SST_NO_CLASS)
        return SST_OK;
    if (!keys->is_known) {
        struct sst_slot_state *slot = NULL;
        SST_TRY(sst_state_load(ingest->state, day.slot, &slot, err));
        const enum sst_status rc = remember(ingest, slot, err);
        size_t first = 0, count = 0;
        sst_catalog_slot(ingest->catalog, day.slot, &first, &count);
        if (rc == SST_OK && count > 0 && !ingest->ahead && day.slot > ingest->slot->slot)
            ingest->ahead = slot;
        else
            sst_slot_state_destroy(&slot);
        SST_TRY(rc);
    }
    for (size_t i = 0; i < keys->n; ++i)
        *answer = *answer || (keys->keys[i].year == day.year && keys->keys[i].digest == digest);
    return SST_OK;
}

/* --- guards ------------------------------------------------------------------------------------------------------- */

/* A field that stands under the date of a neighbour too was not made anew. */
static enum sst_status guard_stale(struct ingest *ingest, struct sst_day day, const struct sst_ingest_look *look,
                                   bool *is_odd, char *text, struct sst_error *err)
{
    const enum sst_calendar_kind kind = ingest->policy->pools.kind;
    const struct sst_day neighbours[] = {sst_calendar_previous_day(kind, day), sst_calendar_next_day(kind, day)};
    char name[SST_DAY_TEXT_SIZE];
    for (size_t i = 0; i < sizeof neighbours / sizeof neighbours[0] && !*is_odd; ++i) {
        SST_TRY(is_counted_as(ingest, neighbours[i], look->digest, is_odd, err));
        if (*is_odd)
            (void)snprintf(text, SST_INGEST_TEXT_SIZE,
                           "all values are those of %s, which is counted: one of the two is stale. Look at the files; "
                           "--accept-stale takes it as it is",
                           sst_day_text(kind, neighbours[i], name));
    }
    return SST_OK;
}

static enum sst_status guard(struct ingest *ingest, struct sst_day day, const struct sst_ingest_look *look,
                             bool *is_odd, char *text, struct sst_error *err)
{
    const struct sst_slot_state *slot = ingest->slot;
    *is_odd = false;
    if (look->n_valid == 0) {
        *is_odd = true;
        (void)snprintf(text, SST_INGEST_TEXT_SIZE, "no cell has a value");
        return SST_OK;
    }
    if (!ingest->options->accept_stale)
        SST_TRY(guard_stale(ingest, day, look, is_odd, text, err));
    if (!*is_odd && !ingest->options->accept_jump)
        *is_odd = sst_ingest_jumps(slot->ledger, slot->n_ledger, day.year, look, ingest->policy->lattice, text);
    return SST_OK;
}

/* --- one day ------------------------------------------------------------------------------------------------------ */

static enum sst_status count_in(struct ingest *ingest, struct sst_day day, enum sst_ingest_outcome outcome,
                                const char *path, const struct sst_ingest_look *look, struct sst_error *err)
{
    char *source = NULL;
    SST_TRY(sst_grow(&ingest->counted, &ingest->counted_capacity, ingest->n_counted + 1, sizeof *ingest->counted,
                     "the days of a slot", err));
    SST_TRY(sst_strdup(name_of(path), &source, err));
    const struct sst_ledger_entry entry = {
        .year = day.year,
        .year_class = sst_pool_class(&ingest->policy->pools, day),
        .digest = look->digest,
        .ice_digest = look->ice_digest,
        .n_valid = (uint32_t)look->n_valid,
        .median = look->median,
        .source = source,
    };
    const enum sst_status rc = sst_slot_state_add(ingest->slot, &entry, &ingest->files.field, err);
    sst_free(source);
    SST_TRY(rc);
    ingest->counted[ingest->n_counted++] = (struct counted){day, outcome, path};
    return SST_OK;
}

static enum sst_status take_day(struct ingest *ingest, struct sst_day day, struct sst_error *err)
{
    char text[SST_INGEST_TEXT_SIZE] = "counted already, with other values. --replace takes these in their place";
    struct sst_ingest_look look = {0};
    size_t file = SST_NO_FILE;
    bool is_odd = false, is_away = true;
    SST_TRY(sst_ingest_files_read(&ingest->files, day, &file, &look, err));
    if (file == SST_NO_FILE) {
        tell(ingest, day, SST_INGEST_UNUSABLE, NULL, NULL);
        return SST_OK;
    }
    const char *path = ingest->catalog->files[file].path;
    const struct sst_ingest_case at = {.counted = sst_slot_state_entry(ingest->slot, day.year),
                                       .digest = look.digest,
                                       .ice_digest = look.ice_digest,
                                       .is_pooled = true,
                                       .is_preliminary = ingest->catalog->files[file].is_preliminary,
                                       .replaces = ingest->options->replaces};
    enum sst_ingest_outcome outcome = sst_ingest_decide(&at);
    if (outcome == SST_INGEST_ADD || outcome == SST_INGEST_REPLACE) {
        SST_TRY(guard(ingest, day, &look, &is_odd, text, err));
        if (is_odd)
            outcome = SST_INGEST_LEFT_OUT;
    }
    if (outcome == SST_INGEST_REPLACE) {
        SST_TRY(sst_ingest_take_away(&ingest->slot, day, ingest->old, &is_away, text, err));
        if (!is_away)
            outcome = SST_INGEST_CONFLICT;
    }
    if (outcome == SST_INGEST_ADD || outcome == SST_INGEST_REPLACE)
        return count_in(ingest, day, outcome, path, &look, err);
    tell(ingest, day, outcome, path, outcome == SST_INGEST_CONFLICT || outcome == SST_INGEST_LEFT_OUT ? text : NULL);
    return SST_OK;
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* Whether a day has a file that is not preliminary. */
static bool has_final(const struct ingest *ingest, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(ingest->catalog, day, &first, &count);
    for (size_t entry = first; entry < first + count; ++entry)
        if (!ingest->catalog->files[ingest->catalog->entries[entry].file].is_preliminary)
            return true;
    return false;
}

static bool is_pooled(const struct ingest *ingest, struct sst_day day)
{
    return sst_pool_class(&ingest->policy->pools, day) != SST_NO_CLASS;
}

/* What need not be read: days of no pool, and those that have preliminary files alone. */
static void pass_over(struct ingest *ingest, struct sst_day day)
{
    const struct sst_ingest_case at = {.counted = ingest->slot ? sst_slot_state_entry(ingest->slot, day.year) : NULL,
                                       .is_pooled = is_pooled(ingest, day),
                                       .is_preliminary = true};
    tell(ingest, day, sst_ingest_decide(&at), path_of_day(ingest, day), NULL);
}

static enum sst_status commit(struct ingest *ingest, struct sst_error *err)
{
    if (ingest->n_counted == 0)
        return SST_OK;
    SST_TRY(sst_state_commit(ingest->state, ingest->slot, err));
    ++ingest->totals->n_commits;
    for (size_t i = 0; i < ingest->n_counted; ++i)
        tell(ingest, ingest->counted[i].day, ingest->counted[i].outcome, ingest->counted[i].path, NULL);
    ingest->n_counted = 0;
    return remember(ingest, ingest->slot, err);
}

static bool is_cancelled(const struct ingest *ingest)
{
    return ingest->options->cancelled && ingest->options->cancelled(ingest->options->user);
}

static void show_progress(struct ingest *ingest)
{
    ++ingest->n_days_done;
    if (ingest->options->progress)
        ingest->options->progress(ingest->options->user, ingest->n_days_done, ingest->n_days,
                                  sst_reader_totals(ingest->files.reader)->bytes_read);
}

/* The days of one slot, of one commit. A request to stop is heard between days; what the slot has by then is committed. */
static enum sst_status take_slot(struct ingest *ingest, const struct sst_day *days, size_t n_days,
                                 struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    bool wants_slot = false, stops = false;
    for (size_t i = 0; i < n_days; ++i)
        wants_slot = wants_slot || is_pooled(ingest, days[i]);
    if (wants_slot)
        SST_TRY(load(ingest, days[0].slot, &ingest->slot, err));
    for (size_t i = 0; i < n_days && !stops; ++i) {
        if (is_pooled(ingest, days[i]) && has_final(ingest, days[i]))
            SST_TRY_GOTO(take_day(ingest, days[i], err));
        else
            pass_over(ingest, days[i]);
        show_progress(ingest);
        stops = is_cancelled(ingest);
    }
    SST_TRY_GOTO(commit(ingest, err));
    if (stops)
        rc = sst_fail(err, SST_ERR_INTERRUPTED, "interrupted; what was told as committed is");
done:
    ingest->n_counted = 0;
    sst_slot_state_destroy(&ingest->slot);
    return rc;
}

/* --- the catalog -------------------------------------------------------------------------------------------------- */

/* Days of other products are told of, and their entries taken out, so that they neither count nor contradict. */
static void drop_products(struct ingest *ingest)
{
    struct sst_catalog *catalog = ingest->catalog;
    char text[SST_INGEST_TEXT_SIZE];
    size_t n_kept = 0;
    for (size_t i = 0; i < catalog->n_entries; ++i) {
        const struct sst_catalog_entry entry = catalog->entries[i];
        if (ingest->options->accept_product || sst_ingest_fits_product(ingest->policy, catalog, entry.file)) {
            catalog->entries[n_kept++] = entry;
            continue;
        }
        (void)snprintf(text, sizeof text,
                       "its product is '%.150s', that of the state '%.150s'. --accept-product takes it",
                       catalog->products[catalog->files[entry.file].product], ingest->policy->product);
        tell(ingest, entry.at.day, SST_INGEST_LEFT_OUT, catalog->files[entry.file].path, text);
    }
    catalog->n_entries = n_kept;
}

static void leave_all_out(struct ingest *ingest, const char *reason)
{
    const struct sst_catalog *catalog = ingest->catalog;
    for (size_t i = 0; i < catalog->n_entries; ++i)
        tell(ingest, catalog->entries[i].at.day, SST_INGEST_LEFT_OUT, catalog->files[catalog->entries[i].file].path,
             reason);
}

/* The days of the catalog, each once, by slot and year; and to the reader those that will be asked for. */
static enum sst_status list_days(struct ingest *ingest, struct sst_day **out, struct sst_error *err)
{
    const struct sst_catalog *catalog = ingest->catalog;
    const struct sst_field_source *source = sst_reader_source(ingest->files.reader);
    struct sst_day *days = NULL, *wanted = NULL;
    size_t n_wanted = 0;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(catalog->n_entries, sizeof *days, "the list of days", &days, err));
    SST_TRY_GOTO(sst_alloc(catalog->n_entries, sizeof *wanted, "the list of days", &wanted, err));
    for (size_t i = 0; i < catalog->n_entries; ++i) {
        const struct sst_day day = catalog->entries[i].at.day;
        if (ingest->n_days > 0 && sst_day_compare(days[ingest->n_days - 1], day) == 0)
            continue;
        days[ingest->n_days++] = day;
        if (is_pooled(ingest, day) && has_final(ingest, day))
            wanted[n_wanted++] = day;
    }
    SST_TRY_GOTO(source->expect(source->user, wanted, n_wanted, err));
    *out = days;
    days = NULL;
done:
    sst_free(days);
    sst_free(wanted);
    return rc;
}

static enum sst_status take_all(struct ingest *ingest, struct sst_error *err)
{
    struct sst_day *days = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(list_days(ingest, &days, err));
    for (size_t first = 0, next = 0; first < ingest->n_days; first = next) {
        while (next < ingest->n_days && days[next].slot == days[first].slot)
            ++next;
        SST_TRY_GOTO(take_slot(ingest, days + first, next - first, err));
    }
done:
    sst_free(days);
    return rc;
}

/* Where old values may be found, if they will be asked for. */
static enum sst_status open_old(struct ingest *ingest, const struct sst_reader_options *reader, struct sst_error *err)
{
    struct sst_catalog *const places[SST_INGEST_N_OLD] = {ingest->options->old, ingest->catalog};
    char text[SST_INGEST_TEXT_SIZE];
    if (!ingest->options->replaces || ingest->policy->keep == SST_KEEP_ALL)
        return SST_OK;
    for (size_t i = 0; i < SST_INGEST_N_OLD; ++i) {
        if (places[i] && !sst_ingest_fits(ingest->policy, places[i], true, text))
            return sst_fail(err, SST_ERR_INPUT, "--old: %s", text);
        if (places[i])
            SST_TRY(sst_ingest_files_open(&ingest->old[i], SST_INGEST_SINGLE, ingest->policy, places[i], reader, err));
    }
    return SST_OK;
}

enum sst_status sst_ingest(struct sst_state *state, struct sst_catalog *catalog,
                           const struct sst_reader_options *reader, const struct sst_ingest_options *options,
                           struct sst_ingest_totals *totals, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char text[SST_INGEST_TEXT_SIZE];
    struct ingest *ingest = NULL;
    memset(totals, 0, sizeof *totals);
    SST_TRY(sst_alloc(1, sizeof *ingest, "the ledgers", &ingest, err));
    ingest->state = state;
    ingest->policy = sst_state_policy(state);
    ingest->catalog = catalog;
    ingest->options = options;
    ingest->totals = totals;
    if (!sst_ingest_fits(ingest->policy, catalog, options->accept_product, text)) {
        leave_all_out(ingest, text);
        goto done;
    }
    drop_products(ingest);
    if (catalog->n_entries == 0)
        goto done;
    SST_TRY_GOTO(open_old(ingest, reader, err));
    SST_TRY_GOTO(sst_ingest_files_open(&ingest->files, SST_INGEST_DAYS, ingest->policy, catalog, reader, err));
    SST_TRY_GOTO(take_all(ingest, err));
done:
    sst_ingest_files_close(&ingest->files);
    for (size_t i = 0; i < SST_INGEST_N_OLD; ++i)
        sst_ingest_files_close(&ingest->old[i]);
    for (size_t slot = 0; slot <= SST_N_SLOTS; ++slot)
        sst_free(ingest->keys[slot].keys);
    sst_slot_state_destroy(&ingest->ahead);
    sst_free(ingest->counted);
    sst_free(ingest);
    return rc;
}
