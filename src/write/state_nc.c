/* See the header. */
#include "write/state_nc.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/clim_nc_parts.h"
#include "write/place.h"

enum { N_DIMS = 3, HEX_SIZE = 17 };

/* A chunk of a map has at most so many cells: 4 MB of float32. */
enum { MOST_CHUNK_CELLS = 1 << 20 };

struct sst_state_nc {
    struct sst_state_nc_spec spec;
    char *temporary;
    struct sst_clim_layout layout; /* its file and its path; the variables are ours */
    int n_obs, *fields;
    int day, day_class, day_status, digest, ice_digest, n_valid, source; /* of the table */
    float *map; /* scratch: one field with its fill */
};

static enum sst_status check(const struct sst_state_nc *file, int status, const char *object, struct sst_error *err)
{
    return sst_clim_nc_check(&file->layout, status, object, err);
}

/* --- definitions -------------------------------------------------------------------------------------------------- */

static enum sst_status define_field(struct sst_state_nc *file, const struct sst_clim_dims *dims, const char *name,
                                    int type, int *variable, struct sst_error *err)
{
    const struct sst_domain *domain = file->spec.domain;
    const size_t most_rows = (MOST_CHUNK_CELLS - 1) / domain->n_cols + 1;
    const size_t shape[N_DIMS] = {1, most_rows < domain->n_rows ? most_rows : domain->n_rows, domain->n_cols};
    SST_TRY(sst_clim_nc_define(&file->layout, name, type, N_DIMS, dims->data, variable, err));
    SST_TRY(check(file, nc_def_var_chunking(file->layout.ncid, *variable, NC_CHUNKED, shape), name, err));
    if (file->spec.deflate_level == 0)
        return SST_OK;
    return check(file, nc_def_var_deflate(file->layout.ncid, *variable, 1, 1, file->spec.deflate_level), name, err);
}

static enum sst_status define_fields(struct sst_state_nc *file, const struct sst_clim_dims *dims, struct sst_error *err)
{
    const float fill = SST_CLIM_FILL;
    const struct sst_clim_text n_obs_texts[] = {{"standard_name", "number_of_observations"},
                                                {"long_name", "number of daily values counted"},
                                                {"units", "1"},
                                                {"cell_methods", "time: sum within years time: sum over years"},
                                                {"coverage_content_type", "auxiliaryInformation"}};
    SST_TRY(define_field(file, dims, "n_obs", NC_SHORT, &file->n_obs, err));
    SST_TRY(SST_CLIM_NC_TEXTS(&file->layout, file->n_obs, n_obs_texts, err));
    for (size_t i = 0; i < file->spec.n_fields; ++i) {
        const struct sst_state_nc_field *field = &file->spec.fields[i];
        const struct sst_clim_text texts[] = {{"standard_name", field->standard_name},
                                              {"long_name", field->long_name},
                                              {"units", field->units},
                                              {"units_metadata", field->units_metadata},
                                              {"cell_methods", field->cell_methods},
                                              {"ancillary_variables", "n_obs"},
                                              {"coverage_content_type", "physicalMeasurement"},
                                              {"comment", field->comment}};
        SST_TRY(define_field(file, dims, field->name, NC_FLOAT, &file->fields[i], err));
        SST_TRY(check(file, nc_def_var_fill(file->layout.ncid, file->fields[i], NC_FILL, &fill), field->name, err));
        SST_TRY(SST_CLIM_NC_TEXTS(&file->layout, file->fields[i], texts, err));
    }
    return SST_OK;
}

static enum sst_status define_flags(struct sst_state_nc *file, int dim, struct sst_error *err)
{
    const signed char classes[] = {SST_NO_CLASS, SST_CLASS_COMMON, SST_CLASS_LEAP, SST_CLASS_FIRST, SST_CLASS_LAST};
    const signed char statuses[] = {0, 1};
    const int ncid = file->layout.ncid;
    const struct sst_clim_text class_texts[] = {
        {"long_name", "in which sums of its calendar day a day is counted"},
        {"flag_meanings", "not_counted common leap first last"},
        {"comment",
         "common: with most; leap: of a leap year near 29 February; first, last: at the ends of the baseline, "
         "where not all windows reach; not_counted: outside the baseline, or preliminary"}};
    const struct sst_clim_text status_texts[] = {{"long_name", "whether the day's values are final"},
                                                 {"flag_meanings", "preliminary final"}};
    SST_TRY(sst_clim_nc_define(&file->layout, "day_class", NC_BYTE, 1, &dim, &file->day_class, err));
    SST_TRY(SST_CLIM_NC_TEXTS(&file->layout, file->day_class, class_texts, err));
    SST_TRY(check(
        file,
        nc_put_att_schar(ncid, file->day_class, "flag_values", NC_BYTE, sizeof classes / sizeof classes[0], classes),
        "day_class", err));
    SST_TRY(sst_clim_nc_define(&file->layout, "day_status", NC_BYTE, 1, &dim, &file->day_status, err));
    SST_TRY(SST_CLIM_NC_TEXTS(&file->layout, file->day_status, status_texts, err));
    return check(file,
                 nc_put_att_schar(ncid, file->day_status, "flag_values", NC_BYTE, sizeof statuses / sizeof statuses[0],
                                  statuses),
                 "day_status", err);
}

static enum sst_status define_table(struct sst_state_nc *file, struct sst_error *err)
{
    const enum sst_calendar_kind kind = file->spec.pools->kind;
    const struct sst_clim_text day_texts[] = {{"standard_name", "time"},
                                              {"long_name", "day"},
                                              {"units", "days since 1970-01-01"},
                                              {"calendar", sst_calendar_name(kind)}};
    const struct sst_clim_text digest_texts[] = {
        {"long_name", "digest of the day's values, XXH3-64 in hexadecimal, cells from south to north"}};
    const struct sst_clim_text ice_texts[] = {
        {"long_name", "digest of the day's sea ice, as that of its values; empty without ice information"}};
    const struct sst_clim_text n_texts[] = {{"long_name", "number of cells with values"}, {"units", "1"}};
    const struct sst_clim_text source_texts[] = {{"long_name", "name of the file that the day came by"}};
    const struct sst_clim_layout *layout = &file->layout;
    int dim = 0;
    SST_TRY(check(file, nc_def_dim(layout->ncid, "day", file->spec.n_days, &dim), "day", err));
    SST_TRY(sst_clim_nc_define(layout, "day", NC_INT, 1, &dim, &file->day, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, file->day, day_texts, err));
    SST_TRY(define_flags(file, dim, err));
    SST_TRY(sst_clim_nc_define(layout, "digest", NC_STRING, 1, &dim, &file->digest, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, file->digest, digest_texts, err));
    SST_TRY(sst_clim_nc_define(layout, "ice_digest", NC_STRING, 1, &dim, &file->ice_digest, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, file->ice_digest, ice_texts, err));
    SST_TRY(sst_clim_nc_define(layout, "n_valid", NC_INT, 1, &dim, &file->n_valid, err));
    SST_TRY(SST_CLIM_NC_TEXTS(layout, file->n_valid, n_texts, err));
    SST_TRY(sst_clim_nc_define(layout, "source", NC_STRING, 1, &dim, &file->source, err));
    return SST_CLIM_NC_TEXTS(layout, file->source, source_texts, err);
}

static enum sst_status write_head(struct sst_state_nc *file, struct sst_error *err)
{
    const struct sst_state_nc_spec *spec = &file->spec;
    const struct sst_clim_text texts[] = {{"Conventions", "CF-1.11, ACDD-1.3"},
                                          {"standard_name_vocabulary", "CF Standard Name Table v93"},
                                          {"cdm_data_type", "Grid"}};
    const struct sst_pool_rule single = {spec->pools->kind, spec->pools->leap, spec->pools->first_year,
                                         spec->pools->last_year, 0};
    struct sst_clim_time *time = NULL;
    struct sst_clim_dims dims;
    const int ncid = file->layout.ncid;
    SST_TRY(SST_CLIM_NC_TEXTS(&file->layout, NC_GLOBAL, texts, err));
    SST_TRY(check(file, nc_def_dim(ncid, "time", (size_t)spec->n_slots, &dims.data[0]), "time", err));
    SST_TRY(check(file, nc_def_dim(ncid, "lat", spec->domain->n_rows, &dims.data[1]), "lat", err));
    SST_TRY(check(file, nc_def_dim(ncid, "lon", spec->domain->n_cols, &dims.data[2]), "lon", err));
    SST_TRY(check(file, nc_def_dim(ncid, "nv", 2, &dims.ends), "nv", err));
    SST_TRY(sst_alloc(1, sizeof *time, "the dates of calendar days", &time, err));
    enum sst_status rc = sst_clim_time_fill(&single, spec->slots, spec->n_slots, time, err);
    if (rc == SST_OK)
        rc = sst_clim_nc_times(&file->layout, time, 0, &dims, err);
    sst_free(time);
    SST_TRY(rc);
    SST_TRY(sst_clim_nc_place(&file->layout, spec->domain, &dims, err));
    SST_TRY(define_fields(file, &dims, err));
    return define_table(file, err);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

static enum sst_status create(struct sst_state_nc *file, struct sst_error *err)
{
    const struct sst_state_nc_spec *spec = &file->spec;
    SST_TRY(sst_alloc(spec->n_fields, sizeof *file->fields, "variables", &file->fields, err));
    SST_TRY(sst_alloc_large(spec->domain->n_cells, sizeof *file->map, "a field to write", &file->map, err));
    SST_TRY(sst_place_check(spec->path, spec->overwrite, err));
    SST_TRY(sst_place_reserve(spec->path, &file->temporary, err));
    file->layout.path = file->temporary;
    errno = 0;
    int ncid = -1;
    SST_TRY(check(file, nc_create(file->temporary, NC_NETCDF4 | NC_CLOBBER, &ncid), "the file", err));
    file->layout.ncid = ncid;
    SST_TRY(write_head(file, err));
    return check(file, nc_enddef(ncid), "the header", err);
}

enum sst_status sst_state_nc_create(const struct sst_state_nc_spec *spec, struct sst_state_nc **out,
                                    struct sst_error *err)
{
    struct sst_state_nc *file = NULL;
    SST_TRY(sst_alloc(1, sizeof *file, "the output", &file, err));
    file->spec = *spec;
    file->layout.ncid = -1;
    const enum sst_status rc = create(file, err);
    if (rc == SST_OK)
        *out = file;
    else
        sst_state_nc_abandon(&file);
    return rc;
}

void sst_state_nc_abandon(struct sst_state_nc **handle)
{
    struct sst_state_nc *file = *handle;
    if (!file)
        return;
    sst_clim_layout_discard(&file->layout);
    if (file->temporary)
        (void)unlink(file->temporary);
    sst_free(file->temporary);
    sst_free(file->fields);
    sst_free(file->map);
    sst_free(file);
    *handle = NULL;
}

static enum sst_status finish(struct sst_state_nc *file, const struct sst_attribute *attributes, size_t n_attributes,
                              struct sst_error *err)
{
    errno = 0;
    SST_TRY(check(file, nc_redef(file->layout.ncid), "the header", err));
    SST_TRY(sst_clim_layout_attributes(&file->layout, attributes, n_attributes, err));
    SST_TRY(sst_clim_layout_close(&file->layout, err));
    SST_TRY(sst_place_sync(file->temporary, err));
    SST_TRY(sst_place_commit(file->temporary, file->spec.path, file->spec.overwrite, err));
    sst_free(file->temporary);
    file->temporary = NULL;
    return sst_place_sync_parent(file->spec.path, err);
}

enum sst_status sst_state_nc_finish(struct sst_state_nc **file, const struct sst_attribute *attributes,
                                    size_t n_attributes, struct sst_error *err)
{
    const enum sst_status rc = finish(*file, attributes, n_attributes, err);
    sst_state_nc_abandon(file);
    return rc;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

enum sst_status sst_state_nc_put(struct sst_state_nc *file, size_t place, const int16_t *n_obs, float *const *fields,
                                 struct sst_error *err)
{
    const struct sst_domain *domain = file->spec.domain;
    const size_t start[N_DIMS] = {place, 0, 0}, count[N_DIMS] = {1, domain->n_rows, domain->n_cols};
    const int ncid = file->layout.ncid;
    errno = 0;
    SST_TRY(check(file, nc_put_vara_short(ncid, file->n_obs, start, count, n_obs), "n_obs", err));
    for (size_t i = 0; i < file->spec.n_fields; ++i) {
        for (size_t cell = 0; cell < domain->n_cells; ++cell)
            file->map[cell] = isnan(fields[i][cell]) ? SST_CLIM_FILL : fields[i][cell];
        SST_TRY(check(file, nc_put_vara_float(ncid, file->fields[i], start, count, file->map),
                      file->spec.fields[i].name, err));
    }
    return SST_OK;
}

/* Rows of the table as columns. */
struct columns {
    int date[SST_STATE_NC_MOST_DAYS], n_valid[SST_STATE_NC_MOST_DAYS];
    signed char year_class[SST_STATE_NC_MOST_DAYS], status[SST_STATE_NC_MOST_DAYS];
    char digest_text[SST_STATE_NC_MOST_DAYS][HEX_SIZE], ice_text[SST_STATE_NC_MOST_DAYS][HEX_SIZE];
    const char *digest[SST_STATE_NC_MOST_DAYS], *ice_digest[SST_STATE_NC_MOST_DAYS], *source[SST_STATE_NC_MOST_DAYS];
};

static void fill_columns(enum sst_calendar_kind kind, const struct sst_state_nc_day *days, size_t n,
                         struct columns *out)
{
    for (size_t i = 0; i < n; ++i) {
        const struct sst_state_nc_day *day = &days[i];
        out->date[i] = (int)sst_calendar_days_since_1970(kind, day->day);
        out->n_valid[i] = (int)day->n_valid;
        out->year_class[i] = (signed char)day->year_class;
        out->status[i] = day->is_preliminary ? 0 : 1;
        out->ice_text[i][0] = '\0';
        (void)snprintf(out->digest_text[i], HEX_SIZE, "%016" PRIx64, day->digest);
        if (day->ice_digest != 0)
            (void)snprintf(out->ice_text[i], HEX_SIZE, "%016" PRIx64, day->ice_digest);
        out->digest[i] = out->digest_text[i];
        out->ice_digest[i] = out->ice_text[i];
        out->source[i] = day->source;
    }
}

enum sst_status sst_state_nc_put_days(struct sst_state_nc *file, size_t first, const struct sst_state_nc_day *days,
                                      size_t n, struct sst_error *err)
{
    const int ncid = file->layout.ncid;
    struct columns *columns = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *columns, "the table of days", &columns, err));
    fill_columns(file->spec.pools->kind, days, n, columns);
    errno = 0;
    SST_TRY_GOTO(check(file, nc_put_vara_int(ncid, file->day, &first, &n, columns->date), "day", err));
    SST_TRY_GOTO(
        check(file, nc_put_vara_schar(ncid, file->day_class, &first, &n, columns->year_class), "day_class", err));
    SST_TRY_GOTO(
        check(file, nc_put_vara_schar(ncid, file->day_status, &first, &n, columns->status), "day_status", err));
    SST_TRY_GOTO(check(file, nc_put_vara_string(ncid, file->digest, &first, &n, columns->digest), "digest", err));
    SST_TRY_GOTO(
        check(file, nc_put_vara_string(ncid, file->ice_digest, &first, &n, columns->ice_digest), "ice_digest", err));
    SST_TRY_GOTO(check(file, nc_put_vara_int(ncid, file->n_valid, &first, &n, columns->n_valid), "n_valid", err));
    rc = check(file, nc_put_vara_string(ncid, file->source, &first, &n, columns->source), "source", err);
done:
    sst_free(columns);
    return rc;
}
