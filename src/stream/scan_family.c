/* Tells the files of one series from others: grid, calendar and kind of temperature. */
#include "stream/scan_private.h"

#include "core/mem.h"

/* The first year in which the standard calendar is Gregorian throughout. */
enum { FIRST_GREGORIAN_YEAR = 1583 };

int sst_scan_compare_instants(struct sst_instant a, struct sst_instant b)
{
    const int days = sst_day_compare(a.day, b.day);
    return days ? days : (a.second > b.second) - (a.second < b.second);
}

static struct sst_instant earliest(const struct sst_file_info *info)
{
    struct sst_instant first = info->steps[0].at;
    for (size_t step = 1; step < info->n_steps; ++step) {
        if (sst_scan_compare_instants(info->steps[step].at, first) < 0)
            first = info->steps[step].at;
    }
    return first;
}

enum sst_status sst_scan_find_family(struct sst_scan *scan, const struct sst_file_info *info, size_t shape,
                                     size_t *found, struct sst_error *err)
{
    const size_t file = scan->catalog->n_files;
    const struct sst_instant first = earliest(info);
    size_t at = 0;
    while (at < scan->n_families &&
           (scan->families[at].shape != shape || scan->families[at].calendar != info->calendar ||
            scan->families[at].kind != info->kind))
        ++at;
    if (at == scan->n_families) {
        SST_TRY(sst_grow(&scan->families, &scan->families_capacity, at + 1, sizeof *scan->families,
                         "the list of file families", err));
        scan->families[scan->n_families++] =
            (struct sst_scan_family){shape, info->calendar, info->kind, 0, 0, file, first};
    }
    struct sst_scan_family *family = &scan->families[at];
    ++family->n_files;
    family->n_days += info->n_steps;
    if (sst_scan_compare_instants(first, family->first) < 0) {
        family->first = first;
        family->first_file = file;
    }
    *found = at;
    return SST_OK;
}

static bool is_gregorian(const struct sst_scan_family *family)
{
    return (family->calendar == SST_CALENDAR_STANDARD || family->calendar == SST_CALENDAR_PROLEPTIC_GREGORIAN) &&
           family->first.day.year >= FIRST_GREGORIAN_YEAR;
}

static bool calendars_agree(const struct sst_scan_family *a, const struct sst_scan_family *b)
{
    return a->calendar == b->calendar || (is_gregorian(a) && is_gregorian(b));
}

/* Surface says no more than unknown does; all other kinds are temperatures of different water. */
static bool is_plain(enum sst_sst_kind kind) { return kind == SST_KIND_UNKNOWN || kind == SST_KIND_SURFACE; }

static bool kinds_agree(const struct sst_scan_family *a, const struct sst_scan_family *b)
{
    return a->kind == b->kind || (is_plain(a->kind) && is_plain(b->kind));
}

static bool families_agree(const struct sst_scan_family *a, const struct sst_scan_family *b)
{
    return a->shape == b->shape && calendars_agree(a, b) && kinds_agree(a, b);
}

/* The families that agree with one, as one. */
static struct sst_scan_family join(const struct sst_scan *scan, const struct sst_scan_family *one)
{
    struct sst_scan_family joined = *one;
    joined.n_files = joined.n_days = 0;
    for (size_t i = 0; i < scan->n_families; ++i) {
        const struct sst_scan_family *other = &scan->families[i];
        if (!families_agree(one, other))
            continue;
        joined.n_files += other->n_files;
        joined.n_days += other->n_days;
        const int order = sst_scan_compare_instants(other->first, joined.first);
        if (order < 0 || (order == 0 && other->first_file < joined.first_file)) {
            joined.first = other->first;
            joined.first_file = other->first_file;
            joined.calendar = other->calendar;
        }
        if (other->kind == SST_KIND_SURFACE)
            joined.kind = SST_KIND_SURFACE;
    }
    return joined;
}

struct sst_scan_family sst_scan_choose_family(const struct sst_scan *scan)
{
    struct sst_scan_family best = join(scan, &scan->families[0]);
    for (size_t i = 1; i < scan->n_families; ++i) {
        const struct sst_scan_family joined = join(scan, &scan->families[i]);
        if (joined.n_days > best.n_days || (joined.n_days == best.n_days && joined.n_files > best.n_files))
            best = joined;
    }
    return best;
}

/* Why a file of one family does not go with the run's; returns the code that fits. */
static enum sst_status describe_difference(const struct sst_scan *scan, const struct sst_scan_family *run,
                                           const struct sst_scan_family *other, struct sst_error *out)
{
    const char *first = scan->catalog->files[run->first_file].path;
    const char *noun = run->n_files == 1 ? "file" : "files";
    const struct sst_grid *grid = scan->shapes[other->shape];
    struct sst_error difference = {0};
    struct sst_grid_map map;
    if (other->shape != run->shape && sst_grid_match(scan->shapes[run->shape], grid, &map, &difference) != SST_OK)
        return sst_fail(out, SST_ERR_GRID, "grid %zux%zu differs from that of %zu other %s (first: %s): %s",
                        grid->n_lat, grid->n_lon, run->n_files, noun, first, difference.text);
    if (!calendars_agree(run, other))
        return sst_fail(
            out, SST_ERR_TIME, "calendar %s, unlike the %s of %zu other %s (first: %s). Run them apart, or convert one",
            sst_calendar_name(other->calendar), sst_calendar_name(run->calendar), run->n_files, noun, first);
    return sst_fail(out, SST_ERR_INPUT,
                    "%s SST, unlike the %s SST of %zu other %s (first: %s): these are not mixed. Run them apart",
                    sst_sst_kind_name(other->kind), sst_sst_kind_name(run->kind), run->n_files, noun, first);
}

/* The map from the run's grid, when the maps of the run's first file and of another are from the same third grid. */
static struct sst_grid_map map_from_run(struct sst_grid_map run, struct sst_grid_map file, size_t n_lon)
{
    const struct sst_grid_map map = {run.flip_lat != file.flip_lat, (file.shift_lon + n_lon - run.shift_lon) % n_lon};
    return map;
}

/* Tells of a file that is left out: a reject, or the error of the run. */
static enum sst_status leave_out(struct sst_scan *scan, size_t file, const struct sst_scan_family *run,
                                 struct sst_error *err)
{
    const char *path = scan->catalog->files[file].path;
    struct sst_error reason = {0};
    const enum sst_status code = describe_difference(scan, run, &scan->families[scan->records[file].family], &reason);
    if (scan->options->stop_on_bad)
        return sst_fail(err, code, "%s: %s", path, reason.text);
    return sst_catalog_reject(scan->catalog, path, reason.text, SST_REJECT_OTHER_SERIES, err);
}

/* Keeps the files and entries of the run's families; `new_index` of the others is n_files. */
static void compact(struct sst_scan *scan, const size_t *new_index)
{
    struct sst_catalog *catalog = scan->catalog;
    const size_t n_files = catalog->n_files;
    size_t n_kept = 0, n_entries = 0;
    for (size_t file = 0; file < n_files; ++file) {
        if (new_index[file] == n_files) {
            sst_free(catalog->files[file].path);
            continue;
        }
        catalog->files[n_kept] = catalog->files[file];
        scan->records[n_kept++] = scan->records[file];
    }
    catalog->n_files = n_kept;
    for (size_t i = 0; i < catalog->n_entries; ++i) {
        struct sst_catalog_entry entry = catalog->entries[i];
        if (new_index[entry.file] == n_files)
            continue;
        entry.file = (uint32_t)new_index[entry.file];
        catalog->entries[n_entries++] = entry;
    }
    catalog->n_entries = n_entries;
}

enum sst_status sst_scan_keep_family(struct sst_scan *scan, struct sst_scan_family *run, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_catalog *catalog = scan->catalog;
    size_t *new_index = NULL, n_kept = 0;
    const size_t n_lon = scan->shapes[run->shape]->n_lon;
    const struct sst_grid_map run_map = catalog->files[run->first_file].map;
    SST_TRY_GOTO(sst_alloc(catalog->n_files, sizeof *new_index, "the list of files", &new_index, err));
    for (size_t file = 0; file < catalog->n_files; ++file) {
        new_index[file] = catalog->n_files;
        if (families_agree(run, &scan->families[scan->records[file].family])) {
            catalog->files[file].map = map_from_run(run_map, catalog->files[file].map, n_lon);
            new_index[file] = n_kept++;
        } else {
            SST_TRY_GOTO(leave_out(scan, file, run, err));
        }
    }
    compact(scan, new_index);
    run->first_file = new_index[run->first_file];
done:
    sst_free(new_index);
    return rc;
}
