/* The netCDF side of maps of events. */
#include "write/mhw_nc.h"

#include <errno.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/clim_nc_layout.h"
#include "write/clim_time.h"
#include "write/place.h"

enum { N_DIMS = 3, NAME_SIZE = 64 };

/*
 * A chunk is a day's map, as it is looked at, but no larger than 16 MB of the widest variable; of small maps several days, for
 * a chunk of a few cells costs as much as one of many.
 */
enum { MOST_CHUNK_ROWS = 1024, MOST_CHUNK_COLS = 2048, LEAST_CHUNK_CELLS = 32768 };

/* Variables by cell and day, in the order of struct sst_mhw_day. */
enum map { CATEGORY, STATUS, SURFACE, ANOMALY, SEVERITY, DAYS_ABOVE, EVENT, PACKED_ANOMALY, ROBUST, N_MAPS };

struct sst_mhw_file {
    struct sst_mhw_spec spec;
    char *temporary;
    int ncid; /* -1: closed */
    int maps[N_MAPS], input, time; /* maps: -1 where the file has none */
    size_t n_put;
};

struct text {
    const char *name, *value;
};

struct map_kind {
    const char *name; /* with mhw_ or mcs_ before it where is_prefixed */
    bool is_prefixed;
    nc_type type;
    struct text texts[6];
};

static const struct map_kind kinds[N_MAPS] = {
    [CATEGORY] = {"category",
                  true,
                  NC_BYTE,
                  {{"long_name", "category after Hobday et al. 2018"},
                   {"comment",
                    "How many times as far from the mean as the threshold is, whole numbers, at most 4; on days of "
                    "an event that are beyond the threshold. 0 on all others: candidates and bridged days too. "
                    "Missing where surface_type is not water: such cells belong in no share's denominator."}}},
    [STATUS] = {"status", true, NC_BYTE, {{"long_name", "what the day is"}}},
    [SURFACE] = {"surface_type", false, NC_BYTE, {{"long_name", "whether the day can have a category"}}},
    [ANOMALY] = {"sst_anomaly",
                 false,
                 NC_FLOAT,
                 {{"long_name", "sea surface temperature less its climatological mean"},
                  {"units", "degree_Celsius"},
                  {"units_metadata", "temperature: difference"}}},
    [SEVERITY] = {"severity",
                  false,
                  NC_FLOAT,
                  {{"long_name", "anomaly as a multiple of the threshold's distance from the mean"}, {"units", "1"}}},
    [DAYS_ABOVE] = {"days_above",
                    false,
                    NC_SHORT,
                    {{"long_name", "days beyond the threshold in a row, this one included"}, {"units", "1"}}},
    [EVENT] = {"event_id",
               true,
               NC_INT64,
               {{"long_name", "event that the day belongs to, or may come to belong to"},
                {"comment", "cell * 2^23 + (first day + 2^21) * 2 + cold; the cell counts from the south-west of the "
                            "whole grid, the day from 1970-01-01. The same as in the table of events."}}},
    [PACKED_ANOMALY] = {"sst_anomaly",
                        false,
                        NC_SHORT,
                        {{"long_name", "sea surface temperature less its climatological mean"},
                         {"units", "degree_Celsius"},
                         {"units_metadata", "temperature: difference"}}},
    [ROBUST] = {"category_robust_to_approximation",
                false,
                NC_BYTE,
                {{"long_name", "whether the category holds in view of the error of the threshold"}}},
};

static bool is_kept(const struct sst_mhw_spec *spec, enum map map)
{
    switch (map) {
    case ANOMALY:
        return !spec->packs_anomaly;
    case PACKED_ANOMALY:
        return spec->packs_anomaly;
    case ROBUST:
        return spec->robust.meanings != NULL;
    default:
        return true;
    }
}

static enum sst_status done_with(const struct sst_mhw_file *file, int status, const char *object, struct sst_error *err)
{
    return status == NC_NOERR ? SST_OK : sst_clim_write_failed(file->spec.path, object, nc_strerror(status), err);
}

static enum sst_status put_text(const struct sst_mhw_file *file, int variable, const char *name, const char *value,
                                struct sst_error *err)
{
    if (!name || !value || !*value)
        return SST_OK;
    return done_with(file, nc_put_att_text(file->ncid, variable, name, strlen(value), value), name, err);
}

/* flag_values 0, 1, 2 ... as many as there are meanings. */
static enum sst_status put_flags(const struct sst_mhw_file *file, int variable, const char *meanings,
                                 const char *comment, struct sst_error *err)
{
    enum { MOST_VALUES = 16 };
    signed char values[MOST_VALUES];
    size_t n = 0;
    for (const char *at = meanings; at && n < MOST_VALUES; at = strchr(at + 1, ' ')) {
        values[n] = (signed char)n;
        ++n;
    }
    SST_TRY(put_text(file, variable, "flag_meanings", meanings, err));
    SST_TRY(put_text(file, variable, "comment", comment, err));
    return done_with(file, nc_put_att_schar(file->ncid, variable, "flag_values", NC_BYTE, n, values), "flag_values",
                     err);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void choose_chunk(const struct sst_mhw_spec *spec, size_t *chunk)
{
    chunk[1] = least(spec->domain->n_rows, MOST_CHUNK_ROWS);
    chunk[2] = least(spec->domain->n_cols, MOST_CHUNK_COLS);
    const size_t n_cells = chunk[1] * chunk[2];
    chunk[0] = least(spec->n_days, n_cells > 0 ? 1 + LEAST_CHUNK_CELLS / n_cells : 1);
}

/* What only one of the variables has. */
static enum sst_status put_particulars(const struct sst_mhw_file *file, enum map map, struct sst_error *err)
{
    const struct sst_mhw_spec *spec = &file->spec;
    const int variable = file->maps[map];
    const double step = SST_MHW_PACKED_STEP;
    switch (map) {
    case CATEGORY:
        return put_flags(file, variable, "none moderate strong severe extreme", NULL, err);
    case STATUS:
        return put_flags(file, variable, spec->status.meanings, spec->status.comment, err);
    case SURFACE:
        return put_flags(file, variable, spec->surface.meanings, spec->surface.comment, err);
    case ROBUST:
        return put_flags(file, variable, spec->robust.meanings, spec->robust.comment, err);
    case SEVERITY:
        return put_text(file, variable, "comment",
                        spec->severity_comment
                            ? spec->severity_comment
                            : "Of days beyond the threshold, candidates too, where surface_type is water.",
                        err);
    case PACKED_ANOMALY:
        return done_with(file, nc_put_att_double(file->ncid, variable, "scale_factor", NC_DOUBLE, 1, &step),
                         "scale_factor", err);
    default:
        return SST_OK;
    }
}

static enum sst_status put_fill(const struct sst_mhw_file *file, enum map map, struct sst_error *err)
{
    const signed char byte = SST_MHW_FILL_BYTE;
    const short days = map == PACKED_ANOMALY ? SST_MHW_FILL_PACKED : SST_MHW_FILL_DAYS;
    const long long event = SST_MHW_FILL_EVENT;
    const float value = SST_MHW_FILL;
    const nc_type type = kinds[map].type;
    const void *fill = type == NC_BYTE    ? (const void *)&byte
                       : type == NC_SHORT ? (const void *)&days
                       : type == NC_INT64 ? (const void *)&event
                                          : (const void *)&value;
    return done_with(file, nc_def_var_fill(file->ncid, file->maps[map], NC_FILL, fill), kinds[map].name, err);
}

static enum sst_status define_map(struct sst_mhw_file *file, enum map map, const int *dims, struct sst_error *err)
{
    const struct map_kind *kind = &kinds[map];
    const struct sst_mhw_spec *spec = &file->spec;
    size_t chunk[N_DIMS];
    choose_chunk(spec, chunk);
    const char *prefix = !kind->is_prefixed ? "" : spec->is_cold ? "mcs_" : "mhw_";
    char name[NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s%s", prefix, kind->name);
    int *variable = &file->maps[map];
    SST_TRY(done_with(file, nc_def_var(file->ncid, name, kind->type, N_DIMS, dims, variable), name, err));
    SST_TRY(done_with(file, nc_def_var_chunking(file->ncid, *variable, NC_CHUNKED, chunk), name, err));
    if (spec->deflate_level > 0)
        SST_TRY(done_with(file, nc_def_var_deflate(file->ncid, *variable, 1, 1, spec->deflate_level), name, err));
    SST_TRY(put_fill(file, map, err));
    for (size_t i = 0; i < sizeof kind->texts / sizeof *kind->texts; ++i)
        SST_TRY(put_text(file, *variable, kind->texts[i].name, kind->texts[i].value, err));
    return put_particulars(file, map, err);
}

/* --- coordinates -------------------------------------------------------------------------------------------------- */

static enum sst_status put_axis(const struct sst_mhw_file *file, bool is_lat, int dim, struct sst_error *err)
{
    const struct sst_domain *domain = file->spec.domain;
    const char *name = is_lat ? "lat" : "lon";
    const size_t n = is_lat ? domain->n_rows : domain->n_cols;
    const struct text texts[] = {{"standard_name", is_lat ? "latitude" : "longitude"},
                                 {"units", is_lat ? "degrees_north" : "degrees_east"},
                                 {"axis", is_lat ? "Y" : "X"}};
    int variable = 0;
    SST_TRY(done_with(file, nc_def_var(file->ncid, name, NC_DOUBLE, 1, &dim, &variable), name, err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        SST_TRY(put_text(file, variable, texts[i].name, texts[i].value, err));
    for (size_t i = 0; i < n; ++i) {
        const double value = is_lat ? sst_domain_lat(domain, i) : sst_domain_lon(domain, i);
        SST_TRY(done_with(file, nc_put_var1_double(file->ncid, variable, &i, &value), name, err));
    }
    return SST_OK;
}

static enum sst_status define_time(struct sst_mhw_file *file, int dim, struct sst_error *err)
{
    const struct text texts[] = {{"standard_name", "time"},
                                 {"units", SST_CLIM_TIME_UNITS},
                                 {"calendar", sst_calendar_name(file->spec.calendar)},
                                 {"axis", "T"}};
    SST_TRY(done_with(file, nc_def_var(file->ncid, "time", NC_DOUBLE, 1, &dim, &file->time), "time", err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        SST_TRY(put_text(file, file->time, texts[i].name, texts[i].value, err));
    SST_TRY(
        done_with(file, nc_def_var(file->ncid, "input_status", NC_BYTE, 1, &dim, &file->input), "input_status", err));
    SST_TRY(put_text(file, file->input, "long_name", "what the day's values were made from", err));
    return put_flags(file, file->input, "final preliminary missing", NULL, err);
}

static enum sst_status define_all(struct sst_mhw_file *file, struct sst_error *err)
{
    const struct sst_mhw_spec *spec = &file->spec;
    int dims[N_DIMS];
    SST_TRY(done_with(file, nc_def_dim(file->ncid, "time", spec->n_days, &dims[0]), "time", err));
    SST_TRY(done_with(file, nc_def_dim(file->ncid, "lat", spec->domain->n_rows, &dims[1]), "lat", err));
    SST_TRY(done_with(file, nc_def_dim(file->ncid, "lon", spec->domain->n_cols, &dims[2]), "lon", err));
    SST_TRY(put_text(file, NC_GLOBAL, "Conventions", "CF-1.11, ACDD-1.3", err));
    SST_TRY(put_text(file, NC_GLOBAL, "event_definition", spec->definition, err));
    SST_TRY(define_time(file, dims[0], err));
    SST_TRY(put_axis(file, true, dims[1], err));
    SST_TRY(put_axis(file, false, dims[2], err));
    for (int map = 0; map < N_MAPS; ++map) {
        file->maps[map] = -1;
        if (is_kept(spec, (enum map)map))
            SST_TRY(define_map(file, (enum map)map, dims, err));
    }
    if (spec->revision > 0)
        SST_TRY(done_with(file, nc_put_att_int(file->ncid, NC_GLOBAL, "revision", NC_INT, 1, &spec->revision),
                          "revision", err));
    return done_with(file, nc_enddef(file->ncid), "the header", err);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

/* Room that a file in memory starts with; it grows. */
enum { MEMORY_START = 1 << 20 };

static enum sst_status create_file(struct sst_mhw_file *file, struct sst_error *err)
{
    const struct sst_mhw_spec *spec = &file->spec;
    int ncid = -1;
    errno = 0;
    if (spec->in_memory) {
        SST_TRY(
            done_with(file, nc_create_mem("memory", NC_NETCDF4 | NC_CLOBBER, MEMORY_START, &ncid), "the file", err));
    } else {
        SST_TRY(sst_place_reserve(spec->path, &file->temporary, err));
        errno = 0;
        SST_TRY(done_with(file, nc_create(file->temporary, NC_NETCDF4 | NC_CLOBBER, &ncid), "the file", err));
    }
    file->ncid = ncid;
    return SST_OK;
}

enum sst_status sst_mhw_create(const struct sst_mhw_spec *spec, struct sst_mhw_file **out, struct sst_error *err)
{
    struct sst_mhw_file *file = NULL;
    enum sst_status rc = SST_OK;
    if (!spec->in_memory)
        SST_TRY(sst_place_check(spec->path, spec->overwrite, err));
    SST_TRY(sst_alloc(1, sizeof *file, "the output's state", &file, err));
    file->spec = *spec;
    file->ncid = -1;
    SST_TRY_GOTO(create_file(file, err));
    SST_TRY_GOTO(define_all(file, err));
    *out = file;
    file = NULL;
done:
    sst_mhw_abandon(&file);
    return rc;
}

enum sst_status sst_mhw_put(struct sst_mhw_file *file, const struct sst_mhw_day *day, struct sst_error *err)
{
    const struct sst_mhw_spec *spec = &file->spec;
    const size_t from[N_DIMS] = {file->n_put, 0, 0}, count[N_DIMS] = {1, spec->domain->n_rows, spec->domain->n_cols};
    const void *maps[N_MAPS] = {day->category,   day->status, day->surface,        day->anomaly, day->severity,
                                day->days_above, day->event,  day->packed_anomaly, day->robust};
    const double noon = (double)(spec->first_day + (int64_t)file->n_put) + 0.5;
    const signed char input = (signed char)day->input;
    if (file->n_put == spec->n_days)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: more days than the file was made for", spec->path);
    errno = 0;
    for (int map = 0; map < N_MAPS; ++map)
        if (file->maps[map] >= 0)
            SST_TRY(done_with(file, nc_put_vara(file->ncid, file->maps[map], from, count, maps[map]), kinds[map].name,
                              err));
    SST_TRY(done_with(file, nc_put_var1_double(file->ncid, file->time, from, &noon), "time", err));
    SST_TRY(done_with(file, nc_put_var1_schar(file->ncid, file->input, from, &input), "input_status", err));
    ++file->n_put;
    return SST_OK;
}

static enum sst_status close_file(struct sst_mhw_file *file, struct sst_error *err)
{
    const int status = nc_close(file->ncid);
    file->ncid = -1;
    return done_with(file, status, "the file", err);
}

enum sst_status sst_mhw_finish(struct sst_mhw_file **handle, const struct sst_attribute *attributes,
                               size_t n_attributes, struct sst_error *err)
{
    struct sst_mhw_file *file = *handle;
    const struct sst_mhw_spec *spec = &file->spec;
    enum sst_status rc = SST_OK;
    errno = 0;
    for (size_t i = 0; i < n_attributes; ++i)
        SST_TRY_GOTO(put_text(file, NC_GLOBAL, attributes[i].name, attributes[i].value, err));
    SST_TRY_GOTO(close_file(file, err));
    SST_TRY_GOTO(sst_place_sync(file->temporary, err));
    SST_TRY_GOTO(sst_place_commit(file->temporary, spec->path, spec->overwrite, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    rc = sst_place_sync_parent(spec->path, err);
done:
    sst_mhw_abandon(handle);
    return rc;
}

enum sst_status sst_mhw_finish_bytes(struct sst_mhw_file **handle, const struct sst_attribute *attributes,
                                     size_t n_attributes, void **bytes, size_t *n_bytes, struct sst_error *err)
{
    struct sst_mhw_file *file = *handle;
    NC_memio memory = {0};
    enum sst_status rc = SST_OK;
    errno = 0;
    for (size_t i = 0; i < n_attributes; ++i)
        SST_TRY_GOTO(put_text(file, NC_GLOBAL, attributes[i].name, attributes[i].value, err));
    SST_TRY_GOTO(done_with(file, nc_close_memio(file->ncid, &memory), "the file", err));
    file->ncid = -1;
    *bytes = memory.memory;
    *n_bytes = memory.size;
done:
    sst_mhw_abandon(handle);
    return rc;
}

void sst_mhw_abandon(struct sst_mhw_file **handle)
{
    struct sst_mhw_file *file = *handle;
    if (!file)
        return;
    if (file->ncid != -1)
        (void)nc_close(file->ncid);
    if (file->temporary)
        (void)unlink(file->temporary);
    sst_free(file->temporary);
    sst_free(file);
    *handle = NULL;
}
