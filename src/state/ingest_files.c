/* Fields of files, put in canonical order. */
#include "state/ingest_files.h"

#include <string.h>

#include "core/mem.h"

/* Codes of int16. */
enum { N_CODES = 1 << 16 };

static enum sst_status allocate(struct sst_ingest_files *files, bool is_centi, struct sst_error *err)
{
    const size_t n = files->domain.n_cells;
    struct sst_field *field = &files->field;
    field->n_cells = n;
    SST_TRY(sst_alloc_large(n, sizeof *field->codes, "a day", &field->codes, err));
    SST_TRY(sst_alloc_large(n, sizeof *field->ice, "a day's sea ice", &field->ice, err));
    SST_TRY(sst_alloc_large(n, sizeof *files->marks, "a day's sea ice", &files->marks, err));
    SST_TRY(sst_alloc(N_CODES, sizeof *files->counts, "the counts of codes", &files->counts, err));
    field->hundredths = field->codes;
    if (is_centi)
        return SST_OK;
    field->hundredths = NULL;
    return sst_alloc_large(n, sizeof *field->hundredths, "a day of hundredths", &field->hundredths, err);
}

enum sst_status sst_ingest_files_open(struct sst_ingest_files *files, enum sst_ingest_use use,
                                      const struct sst_state_policy *policy, struct sst_catalog *catalog,
                                      const struct sst_reader_options *options, struct sst_error *err)
{
    memset(files, 0, sizeof *files);
    files->catalog = catalog;
    files->options = *options;
    files->options.pools = NULL; /* days of no pool are read too */
    catalog->lattice = policy->lattice;
    sst_domain_all(catalog->grid, &files->domain);
    SST_TRY(allocate(files, policy->lattice == SST_LATTICE_CENTI, err));
    if (use == SST_INGEST_DAYS)
        return sst_reader_create(catalog, &files->domain, &files->options, &files->reader, err);
    return SST_OK;
}

void sst_ingest_files_rest(struct sst_ingest_files *files)
{
    if (files->options.crew)
        sst_steps_destroy(&files->steps);
}

void sst_ingest_files_close(struct sst_ingest_files *files)
{
    sst_reader_destroy(&files->reader);
    sst_steps_destroy(&files->steps);
    if (files->field.hundredths != files->field.codes)
        sst_free(files->field.hundredths);
    sst_free(files->field.codes);
    sst_free(files->field.ice);
    sst_free(files->marks);
    sst_free(files->counts);
    memset(files, 0, sizeof *files);
}

static void look_at(struct sst_ingest_files *files, const struct sst_field *field, struct sst_ingest_look *look)
{
    sst_ingest_median(field->codes, field->n_cells, files->counts, look);
    look->digest = sst_domain_digest(&files->domain, field->codes);
    look->ice_digest = 0;
    if (!field->has_ice)
        return;
    for (size_t cell = 0; cell < field->n_cells; ++cell)
        files->marks[cell] = field->ice[cell];
    look->ice_digest = sst_domain_digest(&files->domain, files->marks);
}

/* A row of the whole grid goes to a row of it, turned so that it begins at the first canonical column. */
static void put_in_order(struct sst_ingest_files *files, const struct sst_field *field)
{
    const size_t n_cols = files->domain.n_cols;
    struct sst_field *out = &files->field;
    for (size_t cell = 0; cell < field->n_cells; cell += n_cols) {
        const size_t at = (size_t)sst_domain_canonical(&files->domain, cell), turned = at % n_cols;
        const size_t n = n_cols - turned, from = cell + n, row = at - turned;
        memcpy(out->codes + at, field->codes + cell, n * sizeof *field->codes);
        memcpy(out->codes + row, field->codes + from, turned * sizeof *field->codes);
        memcpy(out->ice + at, field->ice + cell, n * sizeof *field->ice);
        memcpy(out->ice + row, field->ice + from, turned * sizeof *field->ice);
    }
    if (out->hundredths != out->codes)
        sst_field_hundredths(out->codes, out->n_cells, out->hundredths);
    out->has_ice = field->has_ice;
}

enum sst_status sst_ingest_files_read(struct sst_ingest_files *files, struct sst_day day, size_t *file,
                                      struct sst_ingest_look *look, struct sst_error *err)
{
    const struct sst_field *field = NULL;
    size_t n_days = 0;
    *file = SST_NO_FILE;
    SST_TRY(sst_reader_get(files->reader, day, &field, err));
    if (!field)
        return SST_OK;
    const struct sst_reader_day *days = sst_reader_days(files->reader, &n_days);
    for (size_t i = n_days; i-- > 0 && *file == SST_NO_FILE;) /* the last, unless the day was read before */
        if (sst_day_compare(days[i].day, day) == 0)
            *file = days[i].file;
    look_at(files, field, look);
    put_in_order(files, field);
    sst_reader_give_back(files->reader);
    return SST_OK;
}

enum sst_status sst_ingest_files_find(struct sst_ingest_files *files, struct sst_day day, uint64_t digest,
                                      uint64_t ice_digest, bool *is_found, struct sst_error *err)
{
    size_t first = 0, count = 0;
    *is_found = false;
    if (!files->steps)
        SST_TRY(sst_steps_create(files->catalog, &files->domain, &files->options, &files->steps, err));
    sst_catalog_day(files->catalog, day, &first, &count);
    for (size_t entry = first; entry < first + count && !*is_found; ++entry) {
        struct sst_step *step = NULL;
        struct sst_error problem = {SST_OK, ""};
        struct sst_ingest_look look = {0};
        const enum sst_status rc = sst_steps_take(files->steps, entry, &step, &problem);
        if (sst_status_is_of_the_run(rc))
            return sst_fail(err, rc, "%s", problem.text);
        if (rc != SST_OK)
            continue;
        const struct sst_field field = {.n_cells = files->domain.n_cells,
                                        .codes = step->codes,
                                        .hundredths = step->codes,
                                        .ice = step->ice,
                                        .has_ice = step->outcome.has_ice};
        look_at(files, &field, &look);
        *is_found = look.digest == digest && look.ice_digest == ice_digest;
        if (*is_found)
            put_in_order(files, &field);
        sst_steps_give_back(files->steps, &step);
    }
    return SST_OK;
}
