/* Which lattice the values of a series lie on: packings tell it, floating-point values are looked at. */
#include "stream/scan_private.h"

#include <stdlib.h>

#include "core/mem.h"
#include "stream/steps.h"

/* Days whose floating-point values are looked at, and the cells of each at most: a band round the middle row. */
enum { N_SAMPLES = 3, MAX_SAMPLE_CELLS = 1 << 25 };

static void choose_domain(const struct sst_grid *grid, struct sst_domain *domain)
{
    sst_domain_all(grid, domain);
    const size_t room = grid->n_lon < MAX_SAMPLE_CELLS ? MAX_SAMPLE_CELLS / grid->n_lon : 1;
    if (domain->n_rows <= room)
        return;
    domain->row0 = (grid->n_lat - room) / 2;
    domain->n_rows = room;
    domain->n_cells = room * domain->n_cols;
}

struct look {
    size_t n_valid, n_off_lattice;
};

/* Decodes samples; a file that cannot be read tells nothing here and is told of when its day is read. */
static enum sst_status look_at_all(const struct sst_scan *scan, const struct sst_domain *domain, const size_t *entries,
                                   struct look *seen, struct sst_error *err)
{
    const struct sst_reader_options options = {
        .decode = scan->options->decode, .crew = scan->options->crew, .cache_bytes = 1};
    struct sst_steps *steps = NULL;
    *seen = (struct look){0};
    SST_TRY(sst_steps_create(scan->catalog, domain, &options, &steps, err));
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < N_SAMPLES && rc == SST_OK; ++i) {
        struct sst_error problem = {0};
        struct sst_step *step = NULL;
        rc = sst_steps_take(steps, entries[i], &step, &problem);
        if (rc == SST_OK) {
            seen->n_valid += step->outcome.stats.n_valid;
            seen->n_off_lattice += step->outcome.stats.n_off_lattice;
            sst_steps_give_back(steps, &step);
        }
        rc = sst_status_is_of_the_run(rc) ? sst_fail(err, rc, "%s", problem.text) : SST_OK;
    }
    scan->catalog->n_reader_deaths += sst_steps_totals(steps)->n_deaths;
    sst_steps_destroy(&steps);
    return rc;
}

/* A day whose values may be looked at. */
struct candidate {
    struct sst_instant at;
    uint32_t file;
    size_t entry;
};

static int compare_times(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    const int order = sst_scan_compare_instants(x->at, y->at);
    return order ? order : (x->file > y->file) - (x->file < y->file);
}

/* The first, middle and last floating-point day of the run; `*has_any` is false where all files are packed. */
static enum sst_status find_samples(const struct sst_scan *scan, size_t *samples, bool *has_any, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const struct sst_catalog *catalog = scan->catalog;
    struct candidate *real = NULL;
    size_t n = 0, capacity = 0;
    for (size_t i = 0; i < catalog->n_entries; ++i) {
        const struct sst_catalog_entry *entry = &catalog->entries[i];
        if (scan->storages[scan->records[entry->file].storage].is_packed)
            continue;
        SST_TRY_GOTO(sst_grow(&real, &capacity, n + 1, sizeof *real, "the days to sample", err));
        real[n++] = (struct candidate){entry->at, entry->file, i};
    }
    *has_any = n > 0;
    if (n > 0) {
        qsort(real, n, sizeof *real, compare_times);
        samples[0] = real[0].entry;
        samples[1] = real[n / 2].entry;
        samples[2] = real[n - 1].entry;
    }
done:
    sst_free(real);
    return rc;
}

/* Three whole fields do not lie on hundredths by chance; without a value to go by, the finer lattice loses less. */
static enum sst_status sample_values(struct sst_scan *scan, const size_t *entries, struct sst_error *err)
{
    struct sst_catalog *catalog = scan->catalog;
    struct sst_domain domain;
    struct look seen = {0};
    choose_domain(catalog->grid, &domain);
    SST_TRY(look_at_all(scan, &domain, entries, &seen, err));
    if (catalog->lattice == SST_LATTICE_CENTI && (seen.n_off_lattice > 0 || seen.n_valid == 0)) {
        catalog->lattice = SST_LATTICE_MILLI;
        SST_TRY(look_at_all(scan, &domain, entries, &seen, err));
    }
    if (seen.n_off_lattice > 0 || seen.n_valid == 0)
        catalog->lattice_is_exact = false;
    return SST_OK;
}

enum sst_status sst_scan_choose_lattice(struct sst_scan *scan, struct sst_error *err)
{
    struct sst_catalog *catalog = scan->catalog;
    catalog->lattice = SST_LATTICE_CENTI;
    catalog->lattice_is_exact = true;
    for (size_t file = 0; file < catalog->n_files; ++file) {
        const struct sst_scan_storage *storage = &scan->storages[scan->records[file].storage];
        if (!storage->is_packed)
            continue;
        if (storage->lattice == SST_LATTICE_MILLI)
            catalog->lattice = SST_LATTICE_MILLI;
        if (!storage->is_exact)
            catalog->lattice_is_exact = false;
    }
    size_t samples[N_SAMPLES];
    bool has_any = false;
    SST_TRY(find_samples(scan, samples, &has_any, err));
    return has_any ? sample_values(scan, samples, err) : SST_OK;
}

static const char *storage_text(const struct sst_scan_storage *storage)
{
    if (!storage->is_packed)
        return "floating point";
    if (!storage->is_exact)
        return "packed off the lattice";
    return storage->lattice == SST_LATTICE_CENTI ? "packed to 0.01 degC" : "packed to 0.001 degC";
}

static enum sst_status note_storage(const struct sst_scan *scan, size_t at, size_t most,
                                    const struct sst_scan_use *uses, struct sst_error *err)
{
    const struct sst_scan_storage *storage = &scan->storages[at], *usual = &scan->storages[most];
    char *text = NULL;
    SST_TRY(sst_asprintf(&text, err,
                         "%s: %s [%s], %s, in %zu %s; most others have %s [%s], %s. Each is read by its own attributes",
                         scan->catalog->files[uses[at].first_file].path, storage->variable, storage->units,
                         storage_text(storage), uses[at].n_files, uses[at].n_files == 1 ? "file" : "files",
                         usual->variable, usual->units, storage_text(usual)));
    scan->options->notes(scan->options->notes_user, text);
    sst_free(text);
    return SST_OK;
}

static size_t storage_of(const struct sst_scan_record *record) { return record->storage; }

enum sst_status sst_scan_note_storages(const struct sst_scan *scan, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_scan_use *uses = NULL;
    if (!scan->options->notes)
        return SST_OK;
    SST_TRY_GOTO(sst_alloc(scan->n_storages, sizeof *uses, "the list of packings", &uses, err));
    sst_scan_count_uses(scan, storage_of, uses);
    const size_t most = sst_scan_most_used(uses, scan->n_storages);
    for (size_t at = 0; at < scan->n_storages; ++at) {
        if (at != most && uses[at].n_files > 0)
            SST_TRY_GOTO(note_storage(scan, at, most, uses, err));
    }
done:
    sst_free(uses);
    return rc;
}
