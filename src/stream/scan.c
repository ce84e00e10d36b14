/*
 * Makes a catalog: reads each file's header, decides which files are of one series, and rejects the others.
 *
 *   pass 1   path ▸ header ▸ family (grid, calendar, kind) + entries        one file open at a time, no grid kept twice
 *   pass 2   the families that agree and hold the most days are the run's; sample floating-point values for the lattice
 */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "stream/scan_private.h"

static void clear_scan(struct sst_scan *scan)
{
    for (size_t i = 0; i < scan->n_shapes; ++i)
        sst_grid_destroy(&scan->shapes[i]);
    for (size_t i = 0; i < scan->n_storages; ++i) {
        sst_free(scan->storages[i].variable);
        sst_free(scan->storages[i].units);
    }
    for (size_t i = 0; i < scan->n_notes; ++i)
        sst_free(scan->notes[i].text);
    for (size_t i = 0; i < scan->n_products; ++i) {
        sst_free(scan->products[i].name);
        sst_free(scan->products[i].bare);
    }
    sst_free(scan->notes);
    sst_free(scan->products);
    sst_free(scan->records);
    sst_free(scan->shapes);
    sst_free(scan->families);
    sst_free(scan->storages);
    sst_catalog_destroy(&scan->catalog);
}

static enum sst_status find_shape(struct sst_scan *scan, const struct sst_grid *grid, size_t *shape,
                                  struct sst_grid_map *map, struct sst_error *err)
{
    for (*shape = 0; *shape < scan->n_shapes; ++*shape) {
        if (sst_grid_match(scan->shapes[*shape], grid, map, NULL) == SST_OK)
            return SST_OK;
    }
    *map = (struct sst_grid_map){0};
    SST_TRY(sst_grow(&scan->shapes, &scan->shapes_capacity, scan->n_shapes + 1, sizeof *scan->shapes,
                     "the list of grids", err));
    scan->shapes[scan->n_shapes] = NULL;
    SST_TRY(sst_grid_copy(grid, &scan->shapes[scan->n_shapes], err));
    ++scan->n_shapes;
    return SST_OK;
}

static enum sst_status find_storage(struct sst_scan *scan, const struct sst_file_info *info, size_t *found,
                                    struct sst_error *err)
{
    size_t at = 0;
    for (; at < scan->n_storages; ++at) {
        const struct sst_scan_storage *storage = &scan->storages[at];
        if (strcmp(storage->variable, info->variable) == 0 && strcmp(storage->units, info->units) == 0 &&
            storage->is_packed == info->is_packed && storage->is_exact == info->lattice_is_exact &&
            storage->lattice == info->lattice)
            break;
    }
    if (at == scan->n_storages) {
        SST_TRY(sst_grow(&scan->storages, &scan->storages_capacity, at + 1, sizeof *scan->storages,
                         "the list of packings", err));
        scan->storages[scan->n_storages++] = (struct sst_scan_storage){
            .is_packed = info->is_packed, .is_exact = info->lattice_is_exact, .lattice = info->lattice};
        SST_TRY(sst_strdup(info->variable, &scan->storages[at].variable, err));
        SST_TRY(sst_strdup(info->units, &scan->storages[at].units, err));
    }
    *found = at;
    return SST_OK;
}

static enum sst_status add_entries(struct sst_catalog *catalog, const struct sst_file_info *info, struct sst_error *err)
{
    SST_TRY(sst_grow(&catalog->entries, &catalog->entries_capacity, catalog->n_entries + info->n_steps,
                     sizeof *catalog->entries, "the list of days", err));
    for (size_t step = 0; step < info->n_steps; ++step)
        catalog->entries[catalog->n_entries + step] =
            (struct sst_catalog_entry){info->steps[step].at, (uint32_t)catalog->n_files, (uint32_t)step};
    catalog->n_entries += info->n_steps;
    return SST_OK;
}

/* Grid and texts of a file become the catalog's. */
static enum sst_status take_identity(struct sst_catalog *catalog, const struct sst_file_info *info,
                                     struct sst_error *err)
{
    const struct {
        const char *from;
        char **to;
    } texts[] = {{info->variable, &catalog->variable},
                 {info->standard_name, &catalog->standard_name},
                 {info->title, &catalog->title},
                 {info->ice_source, &catalog->ice_source},
                 {info->mask_source, &catalog->mask_source}};
    const struct sst_grid *grid = info->grid;
    sst_grid_destroy(&catalog->grid);
    SST_TRY(sst_grid_copy(grid, &catalog->grid, err));
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i) {
        sst_free(*texts[i].to);
        *texts[i].to = NULL;
        SST_TRY(sst_strdup(texts[i].from, texts[i].to, err));
    }
    return SST_OK;
}

/* The file that is about to be added tells grid and texts, as long as no file before or after it has an earlier day. */
static enum sst_status identify_early(struct sst_scan *scan, const struct sst_file_info *info, size_t family,
                                      struct sst_error *err)
{
    const size_t file = scan->catalog->n_files;
    const struct sst_instant first = scan->families[family].first;
    if (scan->families[family].first_file != file ||
        (file > 0 && sst_scan_compare_instants(first, scan->identified_first) >= 0))
        return SST_OK;
    scan->identified_first = first;
    scan->identified_file = file;
    return take_identity(scan->catalog, info, err);
}

static enum sst_status add_file(struct sst_scan *scan, const struct sst_scan_facts *facts, const char *path,
                                struct sst_error *err)
{
    const struct sst_file_info *info = &facts->info;
    struct sst_catalog *catalog = scan->catalog;
    struct sst_scan_record record = {0};
    struct sst_grid_map map = {0};
    size_t shape = 0;
    SST_TRY(find_shape(scan, info->grid, &shape, &map, err));
    SST_TRY(sst_scan_find_family(scan, info, shape, &record.family, err));
    SST_TRY(identify_early(scan, info, record.family, err));
    SST_TRY(find_storage(scan, info, &record.storage, err));
    SST_TRY(sst_scan_find_product(scan, info, &record.product, err));
    SST_TRY(sst_grow(&scan->records, &scan->records_capacity, catalog->n_files + 1, sizeof *scan->records,
                     "the list of files", err));
    SST_TRY(sst_grow(&catalog->files, &catalog->files_capacity, catalog->n_files + 1, sizeof *catalog->files,
                     "the list of files", err));
    SST_TRY(add_entries(catalog, info, err));
    scan->records[catalog->n_files] = record;
    struct sst_catalog_file *file = &catalog->files[catalog->n_files];
    *file = (struct sst_catalog_file){.size_bytes = info->size_bytes,
                                      .map = map,
                                      .n_steps = info->n_steps,
                                      .steps_per_chunk = info->steps_per_chunk,
                                      .is_preliminary = info->is_preliminary};
    SST_TRY(sst_scan_find_sensor(catalog, info, &file->sensor, err));
    SST_TRY(sst_memo_list_put(&catalog->memos, facts->memo, facts->memo_bytes, &file->memo, err));
    SST_TRY(sst_strdup(path, &file->path, err));
    ++catalog->n_files;
    return SST_OK;
}

/* What a header tells goes into the catalog; a file that gave none is a reject. */
static enum sst_status take_facts(struct sst_scan *scan, const char *path, const struct sst_scan_facts *facts,
                                  const struct sst_error *problem, struct sst_error *err)
{
    struct sst_error reason = *problem;
    enum sst_status rc = reason.code;
    if (rc == SST_OK && facts->info.n_steps == 0)
        rc = sst_fail(&reason, SST_ERR_TIME, "%s: time: no step. There is no day in it", path);
    if (rc == SST_OK)
        return add_file(scan, facts, path, err);
    if (scan->options->stop_on_bad || sst_status_is_of_the_run(rc))
        return sst_fail(err, rc, "%s", reason.text);
    return sst_catalog_reject(scan->catalog, path, reason.text, SST_REJECT_UNUSABLE, err);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Pass 1, in order of paths: the index of a file is then its rank among entries of one time. */
static enum sst_status scan_files(struct sst_scan *scan, const char *const *paths, size_t n_paths,
                                  struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    const char **sorted = NULL;
    size_t n = 0;
    SST_TRY_GOTO(sst_alloc(n_paths, sizeof *sorted, "the list of paths", &sorted, err));
    for (size_t i = 0; i < n_paths; ++i)
        sorted[i] = paths[i];
    if (n_paths > 0)
        qsort(sorted, n_paths, sizeof *sorted, compare_paths);
    for (size_t i = 0; i < n_paths; ++i)
        if (i == 0 || strcmp(sorted[i], sorted[n - 1]) != 0)
            sorted[n++] = sorted[i];
    SST_TRY_GOTO(sst_scan_look_at(scan, sorted, n, take_facts, err));
done:
    sst_free(sorted);
    return rc;
}

/* By slot, year, second, path, step. */
static int compare_entries(const void *a, const void *b)
{
    const struct sst_catalog_entry *x = a, *y = b;
    if (x->at.day.slot != y->at.day.slot)
        return x->at.day.slot < y->at.day.slot ? -1 : 1;
    const int order = sst_scan_compare_instants(x->at, y->at);
    if (order)
        return order;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static void find_span(struct sst_catalog *catalog)
{
    catalog->first_day = catalog->last_day = catalog->entries[0].at.day;
    for (size_t i = 1; i < catalog->n_entries; ++i) {
        const struct sst_day day = catalog->entries[i].at.day;
        if (sst_day_compare(day, catalog->first_day) < 0)
            catalog->first_day = day;
        if (sst_day_compare(day, catalog->last_day) > 0)
            catalog->last_day = day;
    }
}

static enum sst_status identify_late(struct sst_scan *scan, const char *path, const struct sst_scan_facts *facts,
                                     const struct sst_error *problem, struct sst_error *err)
{
    (void)path;
    if (problem->code != SST_OK)
        return sst_fail(err, problem->code, "%s", problem->text);
    return take_identity(scan->catalog, &facts->info, err);
}

/* Where the earliest file of all is of another family, the run's is looked at once more: no file's texts are kept for that. */
static enum sst_status identify(struct sst_scan *scan, const struct sst_scan_family *run, bool is_identified,
                                struct sst_error *err)
{
    struct sst_catalog *catalog = scan->catalog;
    const char *path = catalog->files[run->first_file].path;
    scan->is_quiet = true;
    if (!is_identified)
        SST_TRY(sst_scan_look_at(scan, &path, 1, identify_late, err));
    catalog->calendar = run->calendar;
    catalog->kind = run->kind;
    return SST_OK;
}

static enum sst_status finish_catalog(struct sst_scan *scan, struct sst_error *err)
{
    struct sst_catalog *catalog = scan->catalog;
    struct sst_scan_family run = sst_scan_choose_family(scan);
    const bool is_identified = run.first_file == scan->identified_file; /* asked before files get other numbers */
    SST_TRY(sst_scan_keep_family(scan, &run, err));
    SST_TRY(identify(scan, &run, is_identified, err));
    qsort(catalog->entries, catalog->n_entries, sizeof *catalog->entries, compare_entries);
    find_span(catalog);
    SST_TRY(sst_scan_choose_lattice(scan, err));
    SST_TRY(sst_scan_note_products(scan, err));
    SST_TRY(sst_scan_keep_products(scan, err));
    return sst_scan_note_storages(scan, err);
}

static enum sst_status fail_without_files(const struct sst_catalog *catalog, struct sst_error *err)
{
    if (catalog->n_rejects == 0)
        return sst_fail(err, SST_ERR_INPUT, "no file to read. Name files or directories");
    const struct sst_reject *first = &catalog->rejects[0];
    if (catalog->n_rejects == 1)
        return sst_fail(err, SST_ERR_INPUT, "%s: %s", first->path, first->reason);
    return sst_fail(err, SST_ERR_INPUT, "none of %zu files can be used, the first: %s: %s", catalog->n_rejects,
                    first->path, first->reason);
}

enum sst_status sst_catalog_scan(const char *const *paths, size_t n_paths, const struct sst_catalog_options *options,
                                 struct sst_catalog **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_scan scan = {.options = options};
    SST_TRY_GOTO(sst_alloc(1, sizeof *scan.catalog, "the catalog", &scan.catalog, err));
    SST_TRY_GOTO(scan_files(&scan, paths, n_paths, err));
    SST_TRY_GOTO(sst_scan_sum_up_notes(&scan, err));
    if (scan.catalog->n_files > 0)
        SST_TRY_GOTO(finish_catalog(&scan, err));
    else if (!options->accepts_none)
        SST_TRY_GOTO(fail_without_files(scan.catalog, err));
    *out = scan.catalog;
    scan.catalog = NULL;
done:
    clear_scan(&scan);
    return rc;
}
