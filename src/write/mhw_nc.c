/* The netCDF side of maps of events. */
#include "write/mhw_nc.h"

#include <errno.h>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/clim_nc_layout.h"
#include "write/clim_time.h"
#include "write/mhw_nc_chunks.h"
#include "write/mhw_nc_store.h"
#include "write/place.h"

enum { N_DIMS = SST_MHW_N_DIMS };

/* Variables by cell and day, in the order of struct sst_mhw_day. */
enum map { CATEGORY, STATUS, SURFACE, ANOMALY, SEVERITY, DAYS_ABOVE, EVENT, PACKED_ANOMALY, ROBUST, N_MAPS };

struct sst_mhw_file {
    struct sst_mhw_spec spec;
    char *temporary;
    int ncid; /* -1: closed */
    int maps[N_MAPS], input; /* maps: -1 where the file has none */
    struct sst_mhw_chunks chunks;
    struct sst_mhw_chunker *chunker;
    struct sst_mhw_store store; /* data sets: the maps that there are, then the input status */
    unsigned char *held[N_MAPS]; /* where chunks have several days: maps of those put since the last chunk was full */
    signed char *inputs; /* by day */
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

static const void *fill_of(enum map map)
{
    static const signed char byte = SST_MHW_FILL_BYTE;
    static const short days = SST_MHW_FILL_DAYS, packed = SST_MHW_FILL_PACKED;
    static const long long event = SST_MHW_FILL_EVENT;
    static const float value = SST_MHW_FILL;
    switch (kinds[map].type) {
    case NC_BYTE:
        return &byte;
    case NC_SHORT:
        return map == PACKED_ANOMALY ? &packed : &days;
    case NC_INT64:
        return &event;
    default:
        return &value;
    }
}

static size_t bytes_of(enum map map)
{
    switch (kinds[map].type) {
    case NC_BYTE:
        return sizeof(signed char);
    case NC_SHORT:
        return sizeof(short);
    case NC_INT64:
        return sizeof(long long);
    default:
        return sizeof(float);
    }
}

static void name_map(const struct sst_mhw_file *file, enum map map, char name[SST_MHW_NAME_SIZE])
{
    const char *prefix = !kinds[map].is_prefixed ? "" : file->spec.is_cold ? "mcs_" : "mhw_";
    (void)snprintf(name, SST_MHW_NAME_SIZE, "%s%s", prefix, kinds[map].name);
}

static enum sst_status define_map(struct sst_mhw_file *file, enum map map, const int *dims, struct sst_error *err)
{
    const struct map_kind *kind = &kinds[map];
    const struct sst_mhw_spec *spec = &file->spec;
    const size_t chunk[N_DIMS] = {file->chunks.n_days, file->chunks.n_rows, file->chunks.n_cols};
    char name[SST_MHW_NAME_SIZE];
    name_map(file, map, name);
    int *variable = &file->maps[map];
    SST_TRY(done_with(file, nc_def_var(file->ncid, name, kind->type, N_DIMS, dims, variable), name, err));
    SST_TRY(done_with(file, nc_def_var_chunking(file->ncid, *variable, NC_CHUNKED, chunk), name, err));
    if (spec->deflate_level > 0)
        SST_TRY(done_with(file, nc_def_var_deflate(file->ncid, *variable, 1, 1, spec->deflate_level), name, err));
    SST_TRY(done_with(file, nc_def_var_fill(file->ncid, *variable, NC_FILL, fill_of(map)), name, err));
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
    double *values = NULL;
    SST_TRY(sst_alloc(n, sizeof *values, name, &values, err));
    for (size_t i = 0; i < n; ++i)
        values[i] = is_lat ? sst_domain_lat(domain, i) : sst_domain_lon(domain, i);
    const enum sst_status rc = done_with(file, nc_put_var_double(file->ncid, variable, values), name, err);
    sst_free(values);
    return rc;
}

static enum sst_status define_time(struct sst_mhw_file *file, int dim, struct sst_error *err)
{
    const struct text texts[] = {{"standard_name", "time"},
                                 {"units", SST_CLIM_TIME_UNITS},
                                 {"calendar", sst_calendar_name(file->spec.calendar)},
                                 {"axis", "T"}};
    int time = 0;
    SST_TRY(done_with(file, nc_def_var(file->ncid, "time", NC_DOUBLE, 1, &dim, &time), "time", err));
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        SST_TRY(put_text(file, time, texts[i].name, texts[i].value, err));
    for (size_t i = 0; i < file->spec.n_days; ++i) {
        const double noon = (double)(file->spec.first_day + (int64_t)i) + 0.5;
        SST_TRY(done_with(file, nc_put_var1_double(file->ncid, time, &i, &noon), "time", err));
    }
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
    for (size_t i = 0; i < spec->n_attributes; ++i)
        SST_TRY(put_text(file, NC_GLOBAL, spec->attributes[i].name, spec->attributes[i].value, err));
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

static enum sst_status alloc_scratch(struct sst_mhw_file *file, struct sst_error *err)
{
    const struct sst_mhw_spec *spec = &file->spec;
    const size_t n_held = file->chunks.n_days > 1 ? file->chunks.n_days * spec->domain->n_cells : 0;
    SST_TRY(sst_alloc(spec->n_days, sizeof *file->inputs, "an event file's days", &file->inputs, err));
    memset(file->inputs, NC_FILL_BYTE, spec->n_days);
    for (int map = 0; map < N_MAPS && n_held > 0; ++map)
        if (is_kept(spec, (enum map)map))
            SST_TRY(sst_alloc_large(n_held, bytes_of((enum map)map), "maps of some days", &file->held[map], err));
    return sst_mhw_chunker_create(&file->chunks, spec->deflate_level, spec->memo, &file->chunker, err);
}

/* Netcdf-C has said what the file holds, and lets go of it. */
static enum sst_status open_store(struct sst_mhw_file *file, struct sst_error *err)
{
    NC_memio memory = {0};
    errno = 0;
    const int status = file->spec.in_memory ? nc_close_memio(file->ncid, &memory) : nc_close(file->ncid);
    file->ncid = -1;
    SST_TRY(done_with(file, status, "the header", err));
    const enum sst_status rc =
        file->spec.in_memory ? sst_mhw_store_open_bytes(memory.memory, memory.size, file->spec.path, &file->store, err)
                             : sst_mhw_store_open(file->temporary, file->spec.path, &file->store, err);
    free(memory.memory);
    SST_TRY(rc);
    for (int map = 0; map < N_MAPS; ++map) {
        char name[SST_MHW_NAME_SIZE];
        name_map(file, (enum map)map, name);
        if (file->maps[map] >= 0)
            SST_TRY(sst_mhw_store_add(&file->store, name, err));
    }
    return sst_mhw_store_add(&file->store, "input_status", err);
}

enum sst_status sst_mhw_create(const struct sst_mhw_spec *spec, struct sst_mhw_file **out, struct sst_error *err)
{
    struct sst_mhw_file *file = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(1, sizeof *file, "a file of event maps", &file, err));
    file->spec = *spec;
    file->ncid = -1;
    file->store = SST_MHW_NO_STORE;
    file->chunks = sst_mhw_chunks_of(spec->domain, spec->n_days);
    SST_TRY_GOTO(alloc_scratch(file, err));
    SST_TRY_GOTO(create_file(file, err));
    SST_TRY_GOTO(define_all(file, err));
    SST_TRY_GOTO(open_store(file, err));
    file->spec.attributes = NULL;
    file->spec.n_attributes = 0;
    *out = file;
    file = NULL;
done:
    sst_mhw_abandon(&file);
    return rc;
}

/* --- days --------------------------------------------------------------------------------------------------------- */

/* Writes the chunks of one variable for the days from `first` on. */
static enum sst_status put_chunks(struct sst_mhw_file *file, size_t dataset, const struct sst_mhw_maps *maps,
                                  size_t first, struct sst_error *err)
{
    const struct sst_mhw_chunks *chunks = &file->chunks;
    for (size_t row = 0; row < chunks->map_rows; row += chunks->n_rows) {
        for (size_t col = 0; col < chunks->map_cols; col += chunks->n_cols) {
            const size_t offset[N_DIMS] = {first, row, col};
            const struct sst_deflate_known made = sst_mhw_chunker_make(file->chunker, maps, row, col);
            SST_TRY(sst_mhw_store_put(&file->store, dataset, offset, made.bytes, made.n_bytes, err));
        }
    }
    return SST_OK;
}

/* Writes the chunks of all variables for n days from `first` on. */
static enum sst_status put_days(struct sst_mhw_file *file, const void *const values[N_MAPS], size_t first, size_t n,
                                struct sst_error *err)
{
    size_t dataset = 0;
    for (int map = 0; map < N_MAPS; ++map) {
        const struct sst_mhw_maps maps = {values[map], n, bytes_of((enum map)map), fill_of((enum map)map)};
        if (file->maps[map] >= 0)
            SST_TRY(put_chunks(file, dataset++, &maps, first, err));
    }
    return SST_OK;
}

static enum sst_status put_held(struct sst_mhw_file *file, size_t n, struct sst_error *err)
{
    const void *values[N_MAPS];
    for (int map = 0; map < N_MAPS; ++map)
        values[map] = file->held[map];
    return put_days(file, values, file->n_put - n, n, err);
}

enum sst_status sst_mhw_put(struct sst_mhw_file *file, const struct sst_mhw_day *day, struct sst_error *err)
{
    const size_t n_held = file->n_put % file->chunks.n_days, n_cells = file->spec.domain->n_cells;
    const void *const maps[N_MAPS] = {day->category,   day->status, day->surface,        day->anomaly, day->severity,
                                      day->days_above, day->event,  day->packed_anomaly, day->robust};
    if (file->n_put == file->spec.n_days)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: more days than the file was made for", file->spec.path);
    file->inputs[file->n_put++] = (signed char)day->input;
    if (file->chunks.n_days == 1)
        return put_days(file, maps, file->n_put - 1, 1, err);
    for (int map = 0; map < N_MAPS; ++map) {
        const size_t n_bytes = n_cells * bytes_of((enum map)map);
        if (file->maps[map] >= 0)
            memcpy(file->held[map] + n_held * n_bytes, maps[map], n_bytes);
    }
    return n_held + 1 == file->chunks.n_days ? put_held(file, n_held + 1, err) : SST_OK;
}

/* What is put at the end. */
static enum sst_status put_rest(struct sst_mhw_file *file, struct sst_error *err)
{
    const size_t n_held = file->n_put % file->chunks.n_days;
    if (n_held > 0)
        SST_TRY(put_held(file, n_held, err));
    return sst_mhw_store_put_all(&file->store, file->store.n_datasets - 1, file->inputs, err);
}

enum sst_status sst_mhw_finish(struct sst_mhw_file **handle, struct sst_error *err)
{
    struct sst_mhw_file *file = *handle;
    const struct sst_mhw_spec *spec = &file->spec;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(put_rest(file, err));
    SST_TRY_GOTO(sst_mhw_store_close(&file->store, err));
    SST_TRY_GOTO(sst_place_sync(file->temporary, err));
    SST_TRY_GOTO(sst_place_commit(file->temporary, spec->path, spec->overwrite, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    rc = sst_place_sync_parent(spec->path, err);
done:
    sst_mhw_abandon(handle);
    return rc;
}

enum sst_status sst_mhw_finish_bytes(struct sst_mhw_file **handle, void **bytes, size_t *n_bytes, struct sst_error *err)
{
    struct sst_mhw_file *file = *handle;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(put_rest(file, err));
    rc = sst_mhw_store_take(&file->store, bytes, n_bytes, err);
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
    sst_mhw_store_discard(&file->store);
    sst_mhw_chunker_destroy(&file->chunker);
    if (file->temporary)
        (void)unlink(file->temporary);
    sst_free(file->temporary);
    for (int map = 0; map < N_MAPS; ++map)
        sst_free(file->held[map]);
    sst_free(file->inputs);
    sst_free(file);
    *handle = NULL;
}
