/* Makes a synthetic archive: checks the options, prepares the folder and writes one file a day. */
#include "app/synth.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/synth_crew.h"
#include "app/synth_maps.h"
#include "app/synth_nc.h"
#include "app/synth_ocean.h"
#include "core/mem.h"

static const enum sst_calendar_kind CALENDAR = SST_CALENDAR_STANDARD;

enum { LEAST_LON = 4 }; /* a globe of fewer columns is no grid to interpolate on */

const char *sst_synth_layout_name(enum sst_synth_layout layout)
{
    static const char *const names[SST_SYNTH_N_LAYOUTS] = {
#define X(code, text) text,
        SST_SYNTH_LAYOUT_LIST(X)
#undef X
    };
    return layout >= 0 && layout < SST_SYNTH_N_LAYOUTS ? names[layout] : "unknown";
}

void sst_synth_defaults(struct sst_synth_options *options)
{
    const struct sst_synth_options defaults = {.first_year = 1991,
                                               .last_year = 2020,
                                               .n_lon = 180,
                                               .n_lat = 90,
                                               .south = -90.0,
                                               .north = 90.0,
                                               .seed = 1,
                                               .layout = SST_SYNTH_OISST};
    *options = defaults;
}

static enum sst_status validate_years(const struct sst_synth_options *options, struct sst_error *err)
{
    if (options->first_year > options->last_year)
        return sst_fail(err, SST_ERR_USAGE, "years: %d-%d runs backwards. Put the earlier year first",
                        options->first_year, options->last_year);
    if (options->first_year < SST_SYNTH_FIRST_YEAR || options->last_year > SST_SYNTH_LAST_YEAR)
        return sst_fail(err, SST_ERR_USAGE, "years: %d-%d is outside what synth makes. Choose years from %d to %d",
                        options->first_year, options->last_year, SST_SYNTH_FIRST_YEAR, SST_SYNTH_LAST_YEAR);
    return SST_OK;
}

static enum sst_status validate_grid(const struct sst_synth_options *options, struct sst_error *err)
{
    if (options->n_lon < LEAST_LON || options->n_lat < 1)
        return sst_fail(err, SST_ERR_USAGE, "grid: %dx%d has too few cells. Give LONxLAT from %dx1 on, such as 180x90",
                        options->n_lon, options->n_lat, LEAST_LON);
    if (options->n_lon > SST_SYNTH_MAX_LON || options->n_lat > SST_SYNTH_MAX_LAT)
        return sst_fail(err, SST_ERR_USAGE, "grid: %dx%d is too large. Give at most %dx%d", options->n_lon,
                        options->n_lat, SST_SYNTH_MAX_LON, SST_SYNTH_MAX_LAT);
    if (!(options->south >= -90.0 && options->north <= 90.0 && options->south < options->north))
        return sst_fail(err, SST_ERR_USAGE,
                        "extent: %g..%g degrees north is no band of latitudes. Give south < north within -90..90",
                        options->south, options->north);
    return SST_OK;
}

enum sst_status sst_synth_validate(const struct sst_synth_options *options, struct sst_error *err)
{
    const int n_slots = sst_calendar_n_slots(CALENDAR);
    SST_TRY(validate_years(options, err));
    SST_TRY(validate_grid(options, err));
    if (!(options->gaps_percent >= 0.0 && options->gaps_percent < 100.0))
        return sst_fail(err, SST_ERR_USAGE, "gaps: %g %% of the days cannot be left out. Give 0 to below 100",
                        options->gaps_percent);
    const bool is_all = options->first_slot == 0 && options->last_slot == 0;
    if (!is_all && (options->first_slot < 1 || options->first_slot > n_slots || options->last_slot < 1 ||
                    options->last_slot > n_slots))
        return sst_fail(err, SST_ERR_USAGE, "part of the year: %d-%d is not within 1-%d", options->first_slot,
                        options->last_slot, n_slots);
    if (options->workers < 0)
        return sst_fail(err, SST_ERR_USAGE, "workers: %d is no number of processes. Give 1 or more, or 0 for one a CPU",
                        options->workers);
    if (options->layout < 0 || options->layout >= SST_SYNTH_N_LAYOUTS)
        return sst_fail(err, SST_ERR_USAGE, "layout: number %d is unknown", (int)options->layout);
    if (!options->out_dir || !options->out_dir[0])
        return sst_fail(err, SST_ERR_USAGE, "output: no folder is named. Give one with -o");
    if (sst_synth_n_days(options) == 0)
        return sst_fail(err, SST_ERR_USAGE, "%s: no day is left to write. Widen the years or lower the gaps",
                        options->out_dir);
    return SST_OK;
}

bool sst_synth_is_gap(const struct sst_synth_options *options, struct sst_day day)
{
    const uint64_t key = sst_synth_key(options->seed, SST_SYNTH_STREAM_GAPS);
    const uint64_t days = (uint64_t)sst_calendar_days_since_1970(CALENDAR, day);
    return (double)sst_synth_unit(sst_synth_hash(key, days)) * 100.0 < options->gaps_percent;
}

static bool in_part_of_year(const struct sst_synth_options *options, int slot)
{
    const int first = options->first_slot, last = options->last_slot;
    if (first == 0)
        return true;
    return first <= last ? slot >= first && slot <= last : slot >= first || slot <= last;
}

size_t sst_synth_n_days(const struct sst_synth_options *options)
{
    size_t n_days = 0;
    struct sst_day day = {options->first_year, 1};
    for (; day.year <= options->last_year; day = sst_calendar_next_day(CALENDAR, day))
        n_days += in_part_of_year(options, day.slot) && !sst_synth_is_gap(options, day);
    return n_days;
}

static enum sst_status make_folder(const char *path, struct sst_error *err)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
        return SST_OK;
    const int reason = errno;
    if (reason == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return SST_OK;
    return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be made a folder: %s%s", path, strerror(reason),
                    reason == ENOENT ? ". Make the folder above it first" : "");
}

/* What stands in the folder already. */
static enum sst_status look_into(const char *path, bool *is_empty, bool *has_marker, struct sst_error *err)
{
    DIR *folder = opendir(path);
    if (!folder)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be read: %s", path, strerror(errno));
    *is_empty = true;
    *has_marker = false;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        *is_empty = false;
        if (strcmp(entry->d_name, SST_SYNTH_MARKER) == 0)
            *has_marker = true;
    }
    (void)closedir(folder);
    return SST_OK;
}

static enum sst_status write_marker(const struct sst_synth_options *options, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *path = NULL;
    FILE *file = NULL;
    SST_TRY_GOTO(sst_asprintf(&path, err, "%s/" SST_SYNTH_MARKER, options->out_dir));
    file = fopen(path, "w");
    bool is_whole = file != NULL;
    if (file) {
        is_whole = fprintf(file,
                           "Synthetic SST made by sststream synth " SST_VERSION "; not observations.\n"
                           "years %d-%d grid %dx%d south %g north %g seed %llu gaps %g%% slots %d-%d layout %s\n",
                           options->first_year, options->last_year, options->n_lon, options->n_lat, options->south,
                           options->north, (unsigned long long)options->seed, options->gaps_percent,
                           options->first_slot, options->last_slot, sst_synth_layout_name(options->layout)) > 0;
        is_whole = fclose(file) == 0 && is_whole;
    }
    if (!is_whole)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s. Choose a folder that you may write to", path,
                      strerror(errno));
done:
    sst_free(path);
    return rc;
}

static enum sst_status prepare_folder(const struct sst_synth_options *options, struct sst_error *err)
{
    bool is_empty = false, has_marker = false;
    SST_TRY(make_folder(options->out_dir, err));
    SST_TRY(look_into(options->out_dir, &is_empty, &has_marker, err));
    if (!is_empty && !options->overwrite)
        return sst_fail(err, SST_ERR_USAGE, "%s: is not empty. Choose another folder%s", options->out_dir,
                        has_marker ? ", or give -O to replace this synthetic archive" : "");
    if (!is_empty && !has_marker)
        return sst_fail(err, SST_ERR_USAGE,
                        "%s: holds files that synth did not make, which it never replaces. Choose another folder",
                        options->out_dir);
    return write_marker(options, err);
}

/* Path of a day's file; makes its folder if `make` and the layout has one. Owner: the caller, sst_free. */
static enum sst_status day_path(const struct sst_synth_options *options, struct sst_day day, bool make, char **path,
                                struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *folder = NULL;
    int month, day_of_month;
    sst_calendar_month_day(CALENDAR, day.slot, &month, &day_of_month);
    if (options->layout == SST_SYNTH_OISST_MONTHS) {
        SST_TRY_GOTO(sst_asprintf(&folder, err, "%s/%04d%02d", options->out_dir, day.year, month));
        if (make)
            SST_TRY_GOTO(make_folder(folder, err));
    }
    SST_TRY_GOTO(sst_asprintf(path, err, "%s/oisst-avhrr-v02r01.%04d%02d%02d.nc", folder ? folder : options->out_dir,
                              day.year, month, day_of_month));
done:
    sst_free(folder);
    return rc;
}

static enum sst_status write_day(const struct sst_synth_options *options, struct sst_synth_ocean *ocean,
                                 struct sst_day day, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *path = NULL;
    const struct sst_synth_file_facts facts = {sst_synth_ocean_grid(ocean), options->seed};
    const int64_t days = sst_calendar_days_since_1970(CALENDAR, day);
    SST_TRY_GOTO(day_path(options, day, true, &path, err));
    SST_TRY_GOTO(sst_synth_nc_write(path, &facts, days, sst_synth_ocean_day(ocean, days), err));
done:
    sst_free(path);
    return rc;
}

/* A gap must be one even where an earlier archive had a file. */
static enum sst_status remove_day(const struct sst_synth_options *options, struct sst_day day, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    char *path = NULL;
    SST_TRY_GOTO(day_path(options, day, false, &path, err));
    if (unlink(path) != 0 && errno != ENOENT)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be removed: %s", path, strerror(errno));
done:
    sst_free(path);
    return rc;
}

/* What the workers share, each as its own copy. */
struct archive {
    const struct sst_synth_options *options;
    struct sst_synth_ocean *ocean;
    struct sst_day *days;
};

static enum sst_status write_item(void *user, size_t item, struct sst_error *err)
{
    const struct archive *archive = user;
    return write_day(archive->options, archive->ocean, archive->days[item], err);
}

/* Lists the days that get a file, and removes files of days that must have none. */
static enum sst_status list_days(const struct sst_synth_options *options, struct sst_day *days, struct sst_error *err)
{
    size_t n_days = 0;
    struct sst_day day = {options->first_year, 1};
    for (; day.year <= options->last_year; day = sst_calendar_next_day(CALENDAR, day)) {
        if (!in_part_of_year(options, day.slot))
            continue;
        if (sst_synth_is_gap(options, day))
            SST_TRY(remove_day(options, day, err));
        else
            days[n_days++] = day;
    }
    return SST_OK;
}

enum sst_status sst_synth_run(const struct sst_synth_options *options, const struct sst_synth_watch *watch,
                              struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct archive archive = {.options = options};
    SST_TRY_GOTO(sst_synth_validate(options, err));
    const struct sst_synth_grid grid = {(size_t)options->n_lon, (size_t)options->n_lat, options->south, options->north};
    const size_t n_days = sst_synth_n_days(options);
    SST_TRY_GOTO(sst_synth_ocean_create(&grid, options->seed, &archive.ocean, err));
    SST_TRY_GOTO(sst_alloc(n_days, sizeof *archive.days, "the list of days", &archive.days, err));
    SST_TRY_GOTO(prepare_folder(options, err));
    SST_TRY_GOTO(list_days(options, archive.days, err));
    const struct sst_synth_crew_job job = {n_days, options->workers, write_item, &archive, watch};
    SST_TRY_GOTO(sst_synth_crew_run(&job, err));
done:
    sst_free(archive.days);
    sst_synth_ocean_destroy(&archive.ocean);
    return rc;
}
