/* The climatology reader: files of one folder or a single one, which variables are read, and slots found in them. */
#include "write/clim_nc_read.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "stream/decode_private.h"
#include "write/clim_nc_read_private.h"

/* [degC] What a sea's climatology may hold; beyond it are kelvins that nobody declared, packed numbers, or damage. */
#define COLDEST (-10.0)
#define WARMEST 60.0

/* Files of a folder: one for each day, with some to spare for what else lies there. */
enum { MAX_FILES = 1000 };

static const char flag_variable[] = "quality_flag";

struct place {
    size_t file, step;
};

struct sst_clim_reader {
    struct sst_clim_read_info info;
    char *path, title[SST_CLIM_READ_TEXT_SIZE], id[SST_CLIM_READ_TEXT_SIZE];
    char method[SST_CLIM_READ_TEXT_SIZE], period[SST_CLIM_READ_TEXT_SIZE];
    char **files;
    size_t n_files, files_capacity;
    struct place places[SST_N_SLOTS + 1]; /* where info.has_slot */
    struct sst_grid *grid;
    struct sst_clim_nc nc; /* the file that is open */
    size_t open_file;
    char *units; /* of the choice, or NULL */
    const char *units_option; /* borrowed from it, or NULL */
    char names[SST_N_CLIM_FIELDS][NC_MAX_NAME + 1];
    char shown_units[SST_N_CLIM_FIELDS][SST_CLIM_READ_TEXT_SIZE];
    struct sst_clim_variable variables[SST_N_CLIM_FIELDS], flags;
};

/* --- files -------------------------------------------------------------------------------------------------------- */

static enum sst_status open_nc(const char *path, struct sst_clim_nc *nc, struct sst_error *err)
{
    uint64_t size_bytes = 0;
    /* The library crashes on some damaged headers, reads zeros behind the end of a file, and takes network addresses. */
    SST_TRY(sst_decode_check_magic(path, &size_bytes, err));
    const int status = nc_open(path, NC_NOWRITE, &nc->ncid);
    if (status != NC_NOERR) {
        nc->ncid = -1;
        return sst_fail(err, SST_ERR_INPUT, "cannot be read as netCDF: %s. Fetch the file again", nc_strerror(status));
    }
    return sst_clim_nc_find_dims(nc, err);
}

static void close_nc(struct sst_clim_nc *nc)
{
    if (nc->ncid >= 0)
        (void)nc_close(nc->ncid);
    nc->ncid = -1;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static enum sst_status add_file(struct sst_clim_reader *reader, const char *folder, const char *name,
                                struct sst_error *err)
{
    if (reader->n_files >= MAX_FILES)
        return sst_fail(err, SST_ERR_INPUT, "has more than %d netCDF files: no climatology. Name its files' own folder",
                        MAX_FILES);
    SST_TRY(
        sst_grow(&reader->files, &reader->files_capacity, reader->n_files + 1, sizeof *reader->files, "files", err));
    if (folder)
        SST_TRY(sst_asprintf(&reader->files[reader->n_files], err, "%s/%s", folder, name));
    else
        SST_TRY(sst_strdup(name, &reader->files[reader->n_files], err));
    ++reader->n_files;
    return SST_OK;
}

static enum sst_status list_folder(struct sst_clim_reader *reader, const char *path, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    DIR *folder = opendir(path);
    if (!folder)
        return sst_fail(err, SST_ERR_INPUT, "the folder cannot be read: %s. Check its name", strerror(errno));
    for (const struct dirent *entry; rc == SST_OK && (entry = readdir(folder)) != NULL;) {
        const size_t length = strlen(entry->d_name);
        if (length > 3 && entry->d_name[0] != '.' && strcmp(entry->d_name + length - 3, ".nc") == 0)
            rc = add_file(reader, path, entry->d_name, err);
    }
    (void)closedir(folder);
    SST_TRY(rc);
    if (reader->n_files == 0)
        return sst_fail(err, SST_ERR_INPUT, "the folder has no netCDF file (*.nc). Name another");
    qsort(reader->files, reader->n_files, sizeof *reader->files, by_name);
    return SST_OK;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum sst_status take_days(struct sst_clim_reader *reader, size_t file, struct sst_error *err)
{
    struct sst_clim_days days = {0};
    struct sst_clim_read_info *info = &reader->info;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_clim_nc_read_days(&reader->nc, &days, err));
    if (file > 0 && (days.axis != info->axis || days.calendar != info->calendar)) {
        rc = sst_fail(err, SST_ERR_TIME, "counts days otherwise than the other files of the folder. Take it out");
        goto done;
    }
    info->axis = days.axis;
    info->calendar = days.calendar;
    for (size_t step = 0; step < reader->nc.n_days; ++step) {
        const int slot = days.slots[step];
        int month = 0, day = 0;
        if (info->has_slot[slot]) {
            sst_calendar_month_day(info->calendar, slot, &month, &day);
            rc = sst_fail(
                err, SST_ERR_TIME,
                "the calendar day %02d-%02d stands there twice (step %zu is the second). Give a climatology, each "
                "day once",
                month, day, step);
            goto done;
        }
        info->has_slot[slot] = true;
        reader->places[slot] = (struct place){file, step};
        ++info->n_slots;
    }
done:
    sst_free(days.slots);
    return rc;
}

static enum sst_status check_same_grid(const struct sst_clim_reader *reader, struct sst_error *err)
{
    struct sst_grid *grid = NULL;
    struct sst_grid_map map = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_clim_nc_read_grid(&reader->nc, &grid, err));
    SST_TRY_GOTO(sst_grid_match(reader->grid, grid, &map, err));
    if (map.flip_lat || map.shift_lon)
        rc =
            sst_fail(err, SST_ERR_GRID, "is stored the other way round than the first file of its folder. Take it out");
done:
    sst_grid_destroy(&grid);
    return rc;
}

static void take_percentiles(struct sst_clim_reader *reader)
{
    int n_vars = 0;
    struct sst_clim_read_info *info = &reader->info;
    if (nc_inq_nvars(reader->nc.ncid, &n_vars) != NC_NOERR)
        return;
    for (int varid = 0; varid < n_vars && info->n_percentiles < SST_CLIM_MAX_PERCENTILES; ++varid) {
        char name[NC_MAX_NAME + 1];
        if (nc_inq_varname(reader->nc.ncid, varid, name) != NC_NOERR || !sst_clim_nc_is_field(&reader->nc, varid))
            continue;
        const double percentile = sst_clim_name_percentile(name);
        if (!isnan(percentile))
            info->percentiles[info->n_percentiles++] = percentile;
    }
}

/* Flags are believed where they are ours by their meanings. */
static bool has_our_flags(const struct sst_clim_nc *nc)
{
    char meanings[SST_CLIM_READ_TEXT_SIZE * 2];
    int varid = -1;
    return nc_inq_varid(nc->ncid, flag_variable, &varid) == NC_NOERR && sst_clim_nc_is_field(nc, varid) &&
           strstr(sst_clim_nc_text(nc->ncid, varid, "flag_meanings", meanings, sizeof meanings), "ice_or_no_variance");
}

/* Goes from one file of the folder to another; variables are then of the new one. */
static enum sst_status switch_to(struct sst_clim_reader *reader, size_t file, struct sst_error *err)
{
    close_nc(&reader->nc);
    sst_clim_variable_clear(&reader->flags);
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field)
        sst_clim_variable_clear(&reader->variables[field]);
    reader->open_file = file;
    const enum sst_status rc = open_nc(reader->files[file], &reader->nc, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", reader->files[file]);
    return rc;
}

static void take_texts(struct sst_clim_reader *reader)
{
    const int ncid = reader->nc.ncid;
    (void)sst_clim_nc_text(ncid, NC_GLOBAL, "title", reader->title, sizeof reader->title);
    (void)sst_clim_nc_text(ncid, NC_GLOBAL, "climatology_id", reader->id, sizeof reader->id);
    (void)sst_clim_nc_text(ncid, NC_GLOBAL, "percentile_method", reader->method, sizeof reader->method);
    (void)sst_clim_nc_text(ncid, NC_GLOBAL, "baseline_period", reader->period, sizeof reader->period);
}

static enum sst_status take_file(struct sst_clim_reader *reader, size_t file, struct sst_error *err)
{
    SST_TRY(switch_to(reader, file, err));
    enum sst_status rc = SST_OK;
    if (file == 0) {
        rc = sst_clim_nc_read_grid(&reader->nc, &reader->grid, err);
        reader->info.grid = reader->grid;
        take_percentiles(reader);
        reader->info.has_flags = has_our_flags(&reader->nc);
        take_texts(reader);
    } else {
        rc = check_same_grid(reader, err);
    }
    if (rc == SST_OK)
        rc = take_days(reader, file, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", reader->files[file]);
    return rc;
}

static enum sst_status find_files(struct sst_clim_reader *reader, const char *path, struct sst_error *err)
{
    struct stat facts;
    if (stat(path, &facts) != 0 || !S_ISDIR(facts.st_mode))
        return add_file(reader, NULL, path, err);
    const enum sst_status rc = list_folder(reader, path, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", path);
    return rc;
}

enum sst_status sst_clim_read_open(const char *path, struct sst_clim_reader **out, struct sst_error *err)
{
    struct sst_clim_reader *reader = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *reader, "a climatology", &reader, err));
    reader->nc.ncid = -1;
    SST_TRY_GOTO(sst_strdup(path, &reader->path, err));
    reader->info.path = reader->path;
    reader->info.title = reader->title;
    reader->info.climatology_id = reader->id;
    reader->info.percentile_method = reader->method;
    reader->info.baseline_period = reader->period;
    reader->info.percentile = NAN;
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
        reader->info.variables[field] = reader->names[field];
        reader->info.units[field] = reader->shown_units[field];
    }
    SST_TRY_GOTO(find_files(reader, path, err));
    for (size_t file = 0; file < reader->n_files; ++file)
        SST_TRY_GOTO(take_file(reader, file, err));
    *out = reader;
    reader = NULL;
done:
    sst_clim_read_close(&reader);
    return rc;
}

void sst_clim_read_close(struct sst_clim_reader **handle)
{
    struct sst_clim_reader *reader = *handle;
    if (!reader)
        return;
    close_nc(&reader->nc);
    sst_clim_variable_clear(&reader->flags);
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field)
        sst_clim_variable_clear(&reader->variables[field]);
    for (size_t file = 0; file < reader->n_files; ++file)
        sst_free(reader->files[file]);
    sst_free(reader->files);
    sst_free(reader->path);
    sst_free(reader->units);
    sst_grid_destroy(&reader->grid);
    sst_free(reader);
    *handle = NULL;
}

const struct sst_clim_read_info *sst_clim_read_info(const struct sst_clim_reader *reader) { return &reader->info; }

/* --- variables ---------------------------------------------------------------------------------------------------- */

static enum sst_status open_variable(struct sst_clim_reader *reader, enum sst_clim_field field, struct sst_error *err)
{
    const struct sst_clim_request request = {reader->names[field], true, reader->units, reader->units_option};
    const enum sst_status rc = sst_clim_variable_open(&reader->nc, &request, &reader->variables[field], err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", reader->files[reader->open_file]);
    return rc;
}

static enum sst_status choose_field(struct sst_clim_reader *reader, enum sst_clim_field field,
                                    const struct sst_clim_choice *choice, struct sst_error *err)
{
    const enum sst_status rc = sst_clim_nc_choose(&reader->nc, field, choice, reader->names[field], err);
    if (rc != SST_OK) {
        sst_error_prefix(err, "%s", reader->files[reader->open_file]);
        return rc;
    }
    if (!reader->names[field][0])
        return SST_OK;
    SST_TRY(open_variable(reader, field, err));
    memcpy(reader->shown_units[field], reader->variables[field].units, sizeof reader->shown_units[field]);
    return SST_OK;
}

enum sst_status sst_clim_read_choose(struct sst_clim_reader *reader, const struct sst_clim_choice *choice,
                                     struct sst_error *err)
{
    sst_free(reader->units);
    reader->units = NULL;
    reader->units_option = choice->units_option;
    if (choice->units)
        SST_TRY(sst_strdup(choice->units, &reader->units, err));
    SST_TRY(choose_field(reader, SST_CLIM_PERCENTILE, choice, err));
    SST_TRY(choose_field(reader, SST_CLIM_MEAN, choice, err));
    reader->info.percentile = sst_clim_name_percentile(reader->names[SST_CLIM_PERCENTILE]);
    return SST_OK;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

static enum sst_status check_values(const struct sst_clim_reader *reader, const char *name,
                                    const struct sst_domain *domain, const double *values, struct sst_error *err)
{
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        if (!(values[cell] < COLDEST || values[cell] > WARMEST))
            continue;
        return sst_fail(err, SST_ERR_INPUT,
                        "variable '%s': %g degC at %g N, %g E is no sea's temperature. Say %s K if it is in kelvin, or "
                        "name another "
                        "variable",
                        name, values[cell], sst_domain_lat(domain, cell / domain->n_cols),
                        sst_domain_lon(domain, cell % domain->n_cols),
                        reader->units_option ? reader->units_option : "by option");
    }
    return SST_OK;
}

/* Has the file of a place open; one that was exchanged meanwhile is noticed by its sizes. */
static enum sst_status go_to(struct sst_clim_reader *reader, struct place place, struct sst_error *err)
{
    if (place.file != reader->open_file || reader->nc.ncid < 0)
        SST_TRY(switch_to(reader, place.file, err));
    const struct sst_clim_nc *nc = &reader->nc;
    if (nc->n_lat != reader->grid->n_lat || nc->n_lon != reader->grid->n_lon || place.step >= nc->n_days)
        return sst_fail(err, SST_ERR_INPUT, "%s: is another file than before. Run again", reader->files[place.file]);
    return SST_OK;
}

static enum sst_status get(struct sst_clim_reader *reader, enum sst_clim_field field, int slot,
                           const struct sst_domain *domain, const struct sst_grid_map *map, double *out,
                           struct sst_error *err)
{
    struct sst_clim_variable *variable = &reader->variables[field];
    const struct place place = reader->places[slot];
    SST_TRY(go_to(reader, place, err));
    if (!variable->name[0])
        SST_TRY(open_variable(reader, field, err));
    enum sst_status rc = sst_clim_variable_get(&reader->nc, variable, place.step, domain, map, out, err);
    if (rc == SST_OK)
        rc = check_values(reader, variable->name, domain, out, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", reader->files[place.file]);
    return rc;
}

static bool is_slot_of(const struct sst_clim_reader *reader, int slot)
{
    return slot >= 1 && slot <= SST_N_SLOTS && reader->info.has_slot[slot];
}

enum sst_status sst_clim_read_get(struct sst_clim_reader *reader, enum sst_clim_field field, int slot,
                                  const struct sst_domain *domain, const struct sst_grid_map *map, double *out,
                                  struct sst_error *err)
{
    if (is_slot_of(reader, slot) && reader->names[field][0])
        return get(reader, field, slot, domain, map, out, err);
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        out[cell] = NAN;
    return SST_OK;
}

enum sst_status sst_clim_read_flags(struct sst_clim_reader *reader, int slot, const struct sst_domain *domain,
                                    const struct sst_grid_map *map, uint16_t *out, struct sst_error *err)
{
    const struct sst_clim_request request = {.name = flag_variable};
    double *values = NULL;
    enum sst_status rc = SST_OK;
    memset(out, 0, domain->n_cells * sizeof *out);
    if (!is_slot_of(reader, slot) || !reader->info.has_flags)
        return SST_OK;
    const struct place place = reader->places[slot];
    SST_TRY(go_to(reader, place, err));
    SST_TRY(sst_alloc(domain->n_cells, sizeof *values, "flags", &values, err));
    if (!reader->flags.name[0])
        SST_TRY_GOTO(sst_clim_variable_open(&reader->nc, &request, &reader->flags, err));
    SST_TRY_GOTO(sst_clim_variable_get(&reader->nc, &reader->flags, place.step, domain, map, values, err));
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        out[cell] = values[cell] >= 0.0 && values[cell] <= INT16_MAX ? (uint16_t)values[cell] : 0;
done:
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", reader->files[place.file]);
    sst_free(values);
    return rc;
}
