/* What a catalog answers once it is made: slots, days, gaps, rejects. Scanning is in scan.c. */
#include "stream/catalog.h"

#include <string.h>

#include "core/mem.h"

void sst_catalog_destroy(struct sst_catalog **catalog)
{
    struct sst_catalog *old = *catalog;
    if (!old)
        return;
    for (size_t i = 0; i < old->n_files; ++i)
        sst_free(old->files[i].path);
    for (size_t i = 0; i < old->n_rejects; ++i) {
        sst_free(old->rejects[i].path);
        sst_free(old->rejects[i].reason);
    }
    sst_free(old->files);
    sst_memo_list_clear(&old->memos);
    sst_free(old->entries);
    sst_free(old->rejects);
    for (size_t i = 0; i < old->n_products; ++i)
        sst_free(old->products[i]);
    sst_free(old->products);
    for (size_t i = 0; i < old->n_sensors; ++i)
        sst_free(old->sensors[i]);
    sst_free(old->sensors);
    sst_grid_destroy(&old->grid);
    sst_free(old->variable);
    sst_free(old->standard_name);
    sst_free(old->title);
    sst_free(old->ice_source);
    sst_free(old->mask_source);
    sst_free(old);
    *catalog = NULL;
}

const char *sst_catalog_without_path(const char *path, const char *reason)
{
    const size_t length = strlen(path);
    return strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0 ? reason + length + 2 : reason;
}

enum sst_status sst_catalog_reject(struct sst_catalog *catalog, const char *path, const char *reason,
                                   enum sst_reject_kind kind, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_reject reject = {.kind = kind};
    SST_TRY_GOTO(sst_grow(&catalog->rejects, &catalog->rejects_capacity, catalog->n_rejects + 1,
                          sizeof *catalog->rejects, "the list of unusable files", err));
    SST_TRY_GOTO(sst_strdup(path, &reject.path, err));
    SST_TRY_GOTO(sst_strdup(sst_catalog_without_path(path, reason), &reject.reason, err));
    catalog->rejects[catalog->n_rejects++] = reject;
    reject = (struct sst_reject){0};
done:
    sst_free(reject.path);
    sst_free(reject.reason);
    return rc;
}

/* Index of the first entry that is not before (slot, year). */
static size_t lower_bound(const struct sst_catalog *catalog, int slot, int32_t year)
{
    size_t low = 0, high = catalog->n_entries;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const struct sst_day day = catalog->entries[middle].at.day;
        if (day.slot < slot || (day.slot == slot && day.year < year))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void sst_catalog_slot(const struct sst_catalog *catalog, int slot, size_t *first, size_t *count)
{
    *first = lower_bound(catalog, slot, INT32_MIN);
    *count = lower_bound(catalog, slot + 1, INT32_MIN) - *first;
}

void sst_catalog_day(const struct sst_catalog *catalog, struct sst_day day, size_t *first, size_t *count)
{
    *first = lower_bound(catalog, day.slot, day.year);
    size_t end = *first;
    while (end < catalog->n_entries && sst_day_compare(catalog->entries[end].at.day, day) == 0)
        ++end;
    *count = end - *first;
}

bool sst_catalog_has_day(const struct sst_catalog *catalog, struct sst_day day)
{
    size_t first = 0, count = 0;
    sst_catalog_day(catalog, day, &first, &count);
    return count > 0;
}

static enum sst_status count_day(const struct sst_catalog *catalog, struct sst_day day, struct sst_coverage *coverage,
                                 struct sst_error *err)
{
    size_t first = 0, count = 0;
    sst_catalog_day(catalog, day, &first, &count);
    ++coverage->n_expected;
    coverage->n_present += count > 0;
    coverage->n_doubled += count > 1;
    if (count > 0)
        return SST_OK;
    SST_TRY(sst_grow(&coverage->missing, &coverage->missing_capacity, coverage->n_missing + 1,
                     sizeof *coverage->missing, "the list of missing days", err));
    coverage->missing[coverage->n_missing++] = day;
    return SST_OK;
}

enum sst_status sst_catalog_coverage(const struct sst_catalog *catalog, int first_year, int last_year,
                                     const bool *wanted, struct sst_coverage *out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_coverage coverage = {0};
    const int n_slots = sst_calendar_n_slots(catalog->calendar);
    for (int32_t year = first_year; year <= last_year; ++year) {
        for (int32_t slot = 1; slot <= n_slots; ++slot) {
            const struct sst_day day = {year, slot};
            if ((!wanted || wanted[slot]) && sst_calendar_has_day(catalog->calendar, day))
                SST_TRY_GOTO(count_day(catalog, day, &coverage, err));
        }
    }
    *out = coverage;
    coverage = (struct sst_coverage){0};
done:
    sst_coverage_clear(&coverage);
    return rc;
}

void sst_coverage_clear(struct sst_coverage *coverage)
{
    sst_free(coverage->missing);
    *coverage = (struct sst_coverage){0};
}
