/* What becomes of a day, and what is odd about it: rules that know no files. */
#include <stdio.h>
#include <string.h>

#include "state/ingest.h"

static bool is_same(const struct sst_ingest_case *at, uint64_t digest, uint64_t ice_digest)
{
    return at->digest == digest && at->ice_digest == ice_digest;
}

/* Against what the slot counts, which is final. */
static enum sst_ingest_outcome decide_counted(const struct sst_ingest_case *at)
{
    if (at->is_preliminary)
        return SST_INGEST_PRELIMINARY_LATE;
    if (is_same(at, at->counted->digest, at->counted->ice_digest))
        return SST_INGEST_DUPLICATE;
    return at->replaces ? SST_INGEST_REPLACE : SST_INGEST_CONFLICT;
}

/* Against what the log has. Of two preliminary files only the user knows which is the later one, so neither gives way. */
static enum sst_ingest_outcome decide_logged(const struct sst_ingest_case *at)
{
    const bool known_is_final = at->logged->status == SST_DAY_FINAL;
    if (at->is_preliminary && known_is_final)
        return SST_INGEST_PRELIMINARY_LATE;
    if (!at->is_preliminary && !known_is_final)
        return SST_INGEST_LOGGED_REPLACE;
    if (is_same(at, at->logged->digest, at->logged->ice_digest))
        return SST_INGEST_DUPLICATE;
    return at->replaces ? SST_INGEST_LOGGED_REPLACE : SST_INGEST_CONFLICT;
}

enum sst_ingest_outcome sst_ingest_decide(const struct sst_ingest_case *at)
{
    if (at->counted)
        return decide_counted(at);
    if (at->is_pooled && !at->is_preliminary)
        return SST_INGEST_ADD;
    return at->logged ? decide_logged(at) : SST_INGEST_LOGGED;
}

void sst_ingest_median(const int16_t *codes, size_t n_cells, uint32_t *counts, struct sst_ingest_look *look)
{
    size_t n = 0, below = 0;
    int lowest = INT16_MAX, highest = INT16_MIN;
    look->median = SST_CODE_MISSING;
    for (size_t i = 0; i < n_cells; ++i) {
        const int code = codes[i];
        if (code == SST_CODE_MISSING)
            continue;
        ++counts[code - INT16_MIN];
        lowest = code < lowest ? code : lowest;
        highest = code > highest ? code : highest;
        ++n;
    }
    look->n_valid = n;
    for (int code = lowest; code <= highest; ++code) {
        const size_t here = counts[code - INT16_MIN];
        if (below < (n + 1) / 2 && below + here >= (n + 1) / 2)
            look->median = code;
        below += here;
        counts[code - INT16_MIN] = 0;
    }
}

bool sst_ingest_jumps(const struct sst_ledger_entry *ledger, size_t n_ledger, int year,
                      const struct sst_ingest_look *look, enum sst_lattice_kind kind, char *text)
{
    const struct sst_lattice lattice = sst_lattice_of(kind);
    const double step = SST_INGEST_MAX_MEDIAN_STEP * lattice.steps_per_degree;
    int low = INT16_MAX, high = INT16_MIN;
    uint32_t least = UINT32_MAX, most = 0;
    size_t n_others = 0;
    for (size_t i = 0; i < n_ledger; ++i) {
        const struct sst_ledger_entry *entry = &ledger[i];
        if (entry->year == year)
            continue;
        low = entry->median < low ? entry->median : low;
        high = entry->median > high ? entry->median : high;
        least = entry->n_valid < least ? entry->n_valid : least;
        most = entry->n_valid > most ? entry->n_valid : most;
        ++n_others;
    }
    if (n_others < SST_INGEST_MIN_YEARS)
        return false;
    if ((double)look->median < (double)low - step || (double)look->median > (double)high + step) {
        (void)snprintf(
            text, SST_INGEST_TEXT_SIZE,
            "its median is %.2f degC, more than %g degC beyond the %.2f to %.2f degC of the other %zu years of "
            "this calendar day. Look at the file; --accept-jump takes it as it is",
            sst_lattice_degc(lattice, look->median), SST_INGEST_MAX_MEDIAN_STEP, sst_lattice_degc(lattice, low),
            sst_lattice_degc(lattice, high), n_others);
        return true;
    }
    if ((double)look->n_valid < (1.0 - SST_INGEST_MAX_VALID_SHARE) * (double)least ||
        (double)look->n_valid > (1.0 + SST_INGEST_MAX_VALID_SHARE) * (double)most) {
        (void)snprintf(text, SST_INGEST_TEXT_SIZE,
                       "%zu cells have a value, more than %g %% beyond the %u to %u of the other %zu years of this "
                       "calendar day. Look at the file; --accept-jump takes it as it is",
                       look->n_valid, 100.0 * SST_INGEST_MAX_VALID_SHARE, least, most, n_others);
        return true;
    }
    return false;
}

/* --- files and the state's series --------------------------------------------------------------------------------- */

/* The year in which the standard calendar became the Gregorian one. */
enum { GREGORIAN_YEAR = 1582 };

/* Days of the two calendars are the same ones as long as neither is before the reform. */
static bool calendars_join(enum sst_calendar_kind a, enum sst_calendar_kind b, int first_year)
{
    const bool both_real = (a == SST_CALENDAR_STANDARD || a == SST_CALENDAR_PROLEPTIC_GREGORIAN) &&
                           (b == SST_CALENDAR_STANDARD || b == SST_CALENDAR_PROLEPTIC_GREGORIAN);
    return a == b || (both_real && first_year > GREGORIAN_YEAR);
}

/* A file that does not say of what its temperature is may be of the surface. */
static bool kinds_join(enum sst_sst_kind a, enum sst_sst_kind b)
{
    const bool a_is_plain = a == SST_KIND_UNKNOWN || a == SST_KIND_SURFACE;
    const bool b_is_plain = b == SST_KIND_UNKNOWN || b == SST_KIND_SURFACE;
    return a == b || (a_is_plain && b_is_plain);
}

bool sst_ingest_fits(const struct sst_state_policy *policy, const struct sst_catalog *catalog, bool accept_product,
                     char *text)
{
    const int first_year =
        catalog->first_day.year < policy->pools.first_year ? catalog->first_day.year : policy->pools.first_year;
    struct sst_grid_map map;
    struct sst_error why = {SST_OK, ""};
    if (sst_grid_match(policy->grid, catalog->grid, &map, &why) != SST_OK) {
        (void)snprintf(text, SST_INGEST_TEXT_SIZE, "not the grid of the state: %.400s", why.text);
        return false;
    }
    if (!calendars_join(policy->pools.kind, catalog->calendar, first_year)) {
        (void)snprintf(text, SST_INGEST_TEXT_SIZE, "calendar %s; the state is of %s",
                       sst_calendar_name(catalog->calendar), sst_calendar_name(policy->pools.kind));
        return false;
    }
    if (policy->lattice == SST_LATTICE_CENTI && catalog->lattice != SST_LATTICE_CENTI) {
        (void)snprintf(
            text, SST_INGEST_TEXT_SIZE,
            "values finer than 0.01 degC; the state counts hundredths, as the files had that it was made from");
        return false;
    }
    if (!accept_product && !kinds_join(policy->kind, catalog->kind)) {
        (void)snprintf(text, SST_INGEST_TEXT_SIZE,
                       "%s temperature; the state is of %s temperature. --accept-product takes it as it is",
                       sst_sst_kind_name(catalog->kind), sst_sst_kind_name(policy->kind));
        return false;
    }
    return true;
}

bool sst_ingest_fits_product(const struct sst_state_policy *policy, const struct sst_catalog *catalog, size_t file)
{
    const size_t product = catalog->files[file].product;
    return product == SST_NO_PRODUCT || !policy->product[0] || strcmp(policy->product, catalog->products[product]) == 0;
}

const char *sst_ingest_product(const struct sst_catalog *catalog)
{
    size_t most = 0;
    const char *found = NULL;
    for (size_t i = 0; i < catalog->n_entries && !found; ++i)
        if (!catalog->files[catalog->entries[i].file].is_preliminary)
            found = "";
    for (size_t product = 0; product < catalog->n_products; ++product) {
        size_t n = 0;
        for (size_t i = 0; i < catalog->n_entries; ++i)
            n += catalog->files[catalog->entries[i].file].product == product;
        found = n > most ? catalog->products[product] : found;
        most = n > most ? n : most;
    }
    return found;
}
