/* Days of a catalog into a state, slot by slot. */
#include "state/ingest.h"

#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "state/ingest_private.h"

void sst_ingest_tell(struct sst_ingest *ingest, const struct sst_ingest_news *news)
{
    ++ingest->totals->n[news->outcome];
    if (ingest->options->tell)
        ingest->options->tell(ingest->options->user, news);
}

enum sst_status sst_ingest_may_write(const struct sst_ingest *ingest, struct sst_error *err)
{
    if (!ingest->options->may_write || ingest->options->may_write(ingest->options->user))
        return SST_OK;
    return sst_fail(err, SST_ERR_INTERRUPTED, "stopped before a commit; what was told as committed is");
}

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* What need not be read: preliminary files of days that are final already. */
static void pass_over(struct sst_ingest *ingest, struct sst_day day)
{
    struct sst_ingest_news news = {.day = day,
                                   .outcome = SST_INGEST_PRELIMINARY_LATE,
                                   .status = SST_DAY_PRELIMINARY,
                                   .is_beside = sst_pool_class(&ingest->policy->pools, day) == SST_NO_CLASS};
    size_t first = 0, count = 0;
    sst_catalog_day(ingest->catalog, day, &first, &count);
    news.file = ingest->catalog->entries[first].file;
    news.path = ingest->catalog->files[news.file].path;
    sst_ingest_tell(ingest, &news);
}

static enum sst_status commit(struct sst_ingest *ingest, struct sst_error *err)
{
    if (ingest->n_counted == 0)
        return SST_OK;
    SST_TRY(sst_ingest_may_write(ingest, err));
    SST_TRY(sst_state_commit(ingest->state, ingest->slot, err));
    ++ingest->totals->n_commits;
    sst_ingest_forget_ledger(ingest, ingest->slot->slot);
    for (size_t i = 0; i < ingest->n_counted; ++i)
        sst_ingest_tell(ingest, &ingest->counted[i]);
    return SST_OK;
}

static bool is_cancelled(const struct sst_ingest *ingest)
{
    return ingest->options->cancelled && ingest->options->cancelled(ingest->options->user);
}

static void show_progress(struct sst_ingest *ingest)
{
    ++ingest->n_days_done;
    if (ingest->options->progress)
        ingest->options->progress(ingest->options->user, ingest->n_days_done, ingest->n_days,
                                  sst_reader_totals(ingest->files.reader)->bytes_read);
}

/* The days of one slot, of one commit. A request to stop is heard between days; what the slot has by then is committed. */
static enum sst_status take_slot(struct sst_ingest *ingest, const struct sst_day *days, size_t n_days, bool *stops,
                                 struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < n_days && !*stops; ++i) {
        bool is_wanted = false;
        SST_TRY_GOTO(sst_ingest_wants(ingest, days[i], &is_wanted, err));
        if (is_wanted)
            SST_TRY_GOTO(sst_ingest_take_day(ingest, days[i], err));
        else
            pass_over(ingest, days[i]);
        show_progress(ingest);
        *stops = is_cancelled(ingest);
    }
    SST_TRY_GOTO(commit(ingest, err));
done:
    ingest->n_counted = 0;
    sst_slot_state_destroy(&ingest->slot);
    return rc;
}

/* --- the catalog -------------------------------------------------------------------------------------------------- */

static void leave_out(struct sst_ingest *ingest, const struct sst_catalog_entry *entry, enum sst_held_reason held,
                      const char *reason)
{
    const struct sst_catalog_file *file = &ingest->catalog->files[entry->file];
    const struct sst_ingest_news news = {.day = entry->at.day,
                                         .outcome = SST_INGEST_LEFT_OUT,
                                         .status = file->is_preliminary ? SST_DAY_PRELIMINARY : SST_DAY_FINAL,
                                         .file = entry->file,
                                         .path = file->path,
                                         .reason = reason,
                                         .held = held};
    sst_ingest_tell(ingest, &news);
}

/* Days of other products are told of, and their entries taken out, so that they neither count nor contradict. */
static void drop_products(struct sst_ingest *ingest)
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
        leave_out(ingest, &entry, SST_HELD_PRODUCT, text);
    }
    catalog->n_entries = n_kept;
}

/* Whether files can be of the state's series at all; else all of them are left out. */
static bool fits(struct sst_ingest *ingest)
{
    const struct sst_catalog *catalog = ingest->catalog;
    char text[SST_INGEST_TEXT_SIZE];
    if (sst_ingest_fits(ingest->policy, catalog, ingest->options->accept_product, text))
        return true;
    char foreign[SST_INGEST_TEXT_SIZE];
    const enum sst_held_reason held =
        sst_ingest_fits(ingest->policy, catalog, true, foreign) ? SST_HELD_PRODUCT : SST_HELD_FOREIGN;
    for (size_t i = 0; i < catalog->n_entries; ++i)
        leave_out(ingest, &catalog->entries[i], held, text);
    return false;
}

/* The days of the catalog, each once, by slot and year; and to the reader those that will be asked for. */
static enum sst_status list_days(struct sst_ingest *ingest, struct sst_day **out, struct sst_error *err)
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
        bool is_wanted = false;
        if (ingest->n_days > 0 && sst_day_compare(days[ingest->n_days - 1], day) == 0)
            continue;
        days[ingest->n_days++] = day;
        SST_TRY_GOTO(sst_ingest_wants(ingest, day, &is_wanted, err));
        if (is_wanted)
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

static enum sst_status take_all(struct sst_ingest *ingest, struct sst_error *err)
{
    struct sst_day *days = NULL;
    enum sst_status rc = SST_OK;
    bool stops = false;
    SST_TRY(list_days(ingest, &days, err));
    for (size_t first = 0, next = 0; first < ingest->n_days && !stops; first = next) {
        while (next < ingest->n_days && days[next].slot == days[first].slot)
            ++next;
        SST_TRY_GOTO(take_slot(ingest, days + first, next - first, &stops, err));
    }
    SST_TRY_GOTO(sst_ingest_batch_commit(ingest, err));
    if (stops)
        rc = sst_fail(err, SST_ERR_INTERRUPTED, "interrupted; what was told as committed is");
done:
    sst_free(days);
    return rc;
}

/* Where old values may be found, if they will be asked for: while the readers are busy with days, others read them. */
static enum sst_status open_old(struct sst_ingest *ingest, const struct sst_reader_options *reader,
                                struct sst_error *err)
{
    struct sst_catalog *const places[SST_INGEST_N_OLD] = {ingest->options->old, ingest->catalog};
    struct sst_reader_options options = *reader;
    char text[SST_INGEST_TEXT_SIZE];
    options.crew = ingest->options->old_crew;
    if (!ingest->options->replaces || ingest->policy->keep == SST_KEEP_ALL)
        return SST_OK;
    for (size_t i = 0; i < SST_INGEST_N_OLD; ++i) {
        if (places[i] && !sst_ingest_fits(ingest->policy, places[i], true, text))
            return sst_fail(err, SST_ERR_INPUT, "--old: %s", text);
        if (places[i])
            SST_TRY(
                sst_ingest_files_open(&ingest->old[i], SST_INGEST_SINGLE, ingest->policy, places[i], &options, err));
    }
    return SST_OK;
}

enum sst_status sst_ingest(struct sst_state *state, struct sst_catalog *catalog,
                           const struct sst_reader_options *reader, const struct sst_ingest_options *options,
                           struct sst_ingest_totals *totals, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_ingest *ingest = NULL;
    memset(totals, 0, sizeof *totals);
    if (catalog->n_entries == 0)
        return SST_OK;
    SST_TRY(sst_alloc(1, sizeof *ingest, "the ledgers", &ingest, err));
    ingest->state = state;
    ingest->policy = sst_state_policy(state);
    ingest->catalog = catalog;
    ingest->options = options;
    ingest->totals = totals;
    if (!fits(ingest))
        goto done;
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
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        sst_ingest_forget_ledger(ingest, slot);
    sst_ingest_batch_clear(&ingest->batch);
    sst_free(ingest->counted);
    sst_free(ingest);
    return rc;
}
