/* Opens a file of daily SST and finds out what it holds; the steps of that stand in the decode_*.c files. */
#include "stream/decode.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "stream/decode_direct.h"
#include "stream/decode_private.h"

enum { NOTE_SIZE = 1024 };

/* [K] An offset above this can only be of Kelvin: no sea is that warm in Celsius. */
#define LEAST_KELVIN_OFFSET 200.0

/* [1] Concentrations whose largest allowed value is beyond this are percent. */
#define LARGEST_FRACTION 1.5

/* [1] Packing step of concentrations of OISST, which are fractions although their units say percent. */
#define FRACTION_STEP 0.01
#define FRACTION_STEP_TOLERANCE 1e-6

const char *sst_sst_kind_name(enum sst_sst_kind kind)
{
    static const char *const names[] = {"unknown", "surface", "foundation", "skin", "subskin", "depth"};
    return names[kind];
}

void sst_decode_note(struct sst_file *file, const char *format, ...)
{
    char text[NOTE_SIZE];
    struct sst_decode_notes *told = file->told;
    if (!file->notes && !told)
        return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (file->notes)
        file->notes(file->notes_user, text);
    const size_t n_bytes = strlen(text) + 1;
    if (told && n_bytes <= sizeof told->texts - told->length) {
        memcpy(told->texts + told->length, text, n_bytes);
        told->length += n_bytes;
    } else if (told) {
        told->is_cut = true;
    }
}

void sst_decode_set_format(struct sst_file *file, int format)
{
    file->format = format;
    file->is_netcdf4 = format == NC_FORMAT_NETCDF4 || format == NC_FORMAT_NETCDF4_CLASSIC;
    file->info.format = file->is_netcdf4                   ? "netCDF-4"
                        : format == NC_FORMAT_64BIT_OFFSET ? "netCDF-3 (CDF-2)"
                        : format == NC_FORMAT_CDF5         ? "netCDF-3 (CDF-5)"
                                                           : "netCDF-3 (CDF-1)";
}

static enum sst_status open_netcdf(struct sst_file *file, struct sst_error *err)
{
    int ncid = -1, format = 0, mode = 0;
    const int status = nc_open(file->path, NC_NOWRITE, &ncid);
    if (status != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "cannot be opened: %s. The file is cut short or damaged; fetch it again",
                        nc_strerror(status));
    file->ncid = ncid;
    if (nc_inq_format_extended(ncid, &format, &mode) != NC_NOERR || nc_inq_format(ncid, &format) != NC_NOERR)
        return sst_fail(err, SST_ERR_INPUT, "its format cannot be told. Fetch the file again");
    sst_decode_set_format(file, format);
    return SST_OK;
}

enum sst_status sst_decode_need_library(struct sst_file *file, struct sst_error *err)
{
    struct sst_decode_variable *const variables[] = {&file->sst, &file->ice, &file->mask};
    if (file->ncid >= 0)
        return SST_OK;
    SST_TRY(open_netcdf(file, err));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i)
        if (variables[i]->id >= 0)
            (void)nc_inq_vardimid(file->ncid, variables[i]->id, variables[i]->dim_ids);
    return sst_decode_prepare_reading(file, err);
}

static enum sst_status find_conversion(struct sst_file *file, const char *named, struct sst_error *err)
{
    char units[SST_DECODE_TEXT_SIZE];
    bool was_alias = false;
    sst_decode_attr_text(file->ncid, file->sst.id, "units", units, sizeof units);
    if (named)
        (void)snprintf(units, sizeof units, "%s", named);
    if (units[0] == '\0')
        return sst_fail(err, SST_ERR_INPUT, "variable '%s': no units. %s", file->sst.name,
                        file->sst.offset > LEAST_KELVIN_OFFSET
                            ? "Its add_offset is that of kelvin: use --units kelvin"
                            : "If its values are Celsius, use --units degree_Celsius (or --units kelvin)");
    const enum sst_status rc =
        sst_decode_units(units, &file->to_degc, file->units, sizeof file->units, &was_alias, err);
    if (rc != SST_OK) {
        sst_error_prefix(err, "variable '%s'", file->sst.name);
        return rc;
    }
    if (was_alias && !named)
        sst_decode_note(file, "variable '%s': units '%s' taken as %s", file->sst.name, units, file->units);
    return SST_OK;
}

static enum sst_status read_sst(struct sst_file *file, const struct sst_decode_options *options, struct sst_error *err)
{
    struct sst_decode_variable *sst = &file->sst;
    SST_TRY(sst_decode_choose_sst(file, options->variable, err));
    sst_decode_attr_text(file->ncid, sst->id, "standard_name", file->standard_name, sizeof file->standard_name);
    SST_TRY(sst_decode_read_packing(file, sst, err));
    SST_TRY(find_conversion(file, options->units, err));
    SST_TRY(sst_decode_read_grid(file, sst, err));
    sst_decode_check_valid_range(file);
    file->info.is_packed = sst_decode_is_integer(sst->type);
    if (!file->info.is_packed && sst->has_scaling && (sst->scale != 1.0 || sst->offset != 0.0))
        sst_decode_note(file,
                        "variable '%s': scale_factor %g and add_offset %g stand on floating-point values and are "
                        "applied",
                        sst->name, sst->scale, sst->offset);
    file->info.lattice = sst_decode_lattice_of(sst, &file->to_degc, &file->info.lattice_is_exact);
    return SST_OK;
}

/* Fraction of one stored unit: concentrations come as fractions, as percent, and as fractions that say percent. */
static double ice_scale_of(const struct sst_file *file)
{
    const struct sst_decode_variable *ice = &file->ice;
    char units[SST_DECODE_TEXT_SIZE];
    sst_decode_attr_text(file->ncid, ice->id, "units", units, sizeof units);
    const double largest = ice->valid_max * ice->scale + ice->offset;
    const bool has_largest = ice->valid_max < (double)NC_MAX_UINT;
    const bool says_percent = strcmp(units, "%") == 0 || strncasecmp(units, "percent", strlen("percent")) == 0;
    const bool is_integer = sst_decode_is_integer(ice->type);
    const bool steps_are_hundredths = is_integer && fabs(ice->scale - FRACTION_STEP) < FRACTION_STEP_TOLERANCE;
    bool is_percent = says_percent && !steps_are_hundredths;
    if (has_largest)
        is_percent = largest > LARGEST_FRACTION;
    else if (is_integer && ice->scale == 1.0)
        is_percent = true;
    return is_percent ? 0.01 : 1.0;
}

static enum sst_status read_companions(struct sst_file *file, const struct sst_decode_options *options,
                                       struct sst_error *err)
{
    SST_TRY(sst_decode_choose_ice(file, options->ice_variable, err));
    if (file->ice.id >= 0) {
        SST_TRY(sst_decode_read_packing(file, &file->ice, err));
        file->ice_scale = ice_scale_of(file);
    }
    SST_TRY(sst_decode_choose_mask(file, err));
    return file->mask.id < 0 ? SST_OK : sst_decode_read_packing(file, &file->mask, err);
}

void sst_decode_name_sources(struct sst_file *file)
{
    uint8_t meanings = 0;
    for (size_t i = 0; i < file->n_flags && file->mask.id >= 0; ++i)
        meanings |= file->flags[i].meaning;
    file->info.mask_source = (meanings & (SST_MASK_LAND | SST_MASK_LAKE)) ? file->mask.name : "";
    file->info.ice_source = file->ice.id >= 0             ? file->ice.name
                            : (meanings & SST_MASK_ICE)   ? file->mask.name
                            : !isnan(file->ice_code_degc) ? file->sst.name
                                                          : "";
}

/* A climatology's steps are days of no year; its mean would pass for daily values. CF conventions 1.11, section 7.4. */
static enum sst_status refuse_climatology(const struct sst_file *file, struct sst_error *err)
{
    for (int varid = 0; varid < file->n_vars; ++varid) {
        char bounds[SST_DECODE_TEXT_SIZE];
        sst_decode_attr_text(file->ncid, varid, "climatology", bounds, sizeof bounds);
        if (bounds[0] && sst_decode_role_of(file, varid) == SST_ROLE_TIME)
            return sst_fail(err, SST_ERR_INPUT,
                            "is a climatology (its time has climatology bounds), not daily values. "
                            "Leave it out");
    }
    return SST_OK;
}

static enum sst_status read_header(struct sst_file *file, const struct sst_decode_options *options,
                                   struct sst_error *err)
{
    struct sst_decode_own own;
    struct stat status;
    if (stat(file->path, &status) == 0)
        sst_decode_identify(&status, &file->identity);
    SST_TRY(sst_decode_check_magic(file->path, &file->info.size_bytes, err));
    SST_TRY(open_netcdf(file, err));
    sst_decode_read_own(file, &own);
    SST_TRY(sst_decode_take_own(file, &own, err));
    SST_TRY(sst_decode_read_expver(file, err));
    SST_TRY(sst_decode_find_axes(file, err));
    SST_TRY(refuse_climatology(file, err));
    SST_TRY(read_sst(file, options, err));
    SST_TRY(sst_decode_read_steps(file, err));
    SST_TRY(read_companions(file, options, err));
    sst_decode_name_sources(file);
    SST_TRY(sst_decode_prepare_reading(file, err));
    file->info.variable = file->sst.name;
    file->info.kind = sst_decode_kind_of(file);
    return SST_OK;
}

enum sst_status sst_decode_create_file(const char *path, const struct sst_decode_options *options,
                                       struct sst_file **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_file *file = NULL;
    SST_TRY_GOTO(sst_alloc(1, sizeof *file, "file", &file, err));
    file->ncid = -1;
    file->sst.id = file->ice.id = file->mask.id = -1;
    file->is_library_only = options->library_only;
    file->scratch = options->scratch;
    SST_TRY_GOTO(sst_strdup(path, &file->path, err));
    if (!file->scratch)
        SST_TRY_GOTO(sst_decode_scratch_create(&file->own_scratch, err));
    if (!file->scratch)
        file->scratch = file->own_scratch;
    const char *slash = strrchr(file->path, '/');
    file->base_name = slash ? slash + 1 : file->path;
    file->info.path = file->path;
    file->info.standard_name = file->standard_name;
    file->info.units = file->units;
    file->info.variable = file->info.format = file->info.ice_source = file->info.mask_source = "";
    file->info.title = file->info.product = file->info.sensor = file->info.reading = "";
    file->info.steps_per_chunk = 1;
    if (!sst_status_rule_read(options->status_from, &file->status_rule))
        SST_TRY_GOTO(sst_fail(err, SST_ERR_INTERNAL, "there is no such rule for the status of files"));
    *out = file;
    file = NULL;
done:
    sst_file_close(&file);
    return rc;
}

static enum sst_status open_by_library(const char *path, const struct sst_decode_options *options, sst_note_fn *notes,
                                       void *notes_user, struct sst_file **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    struct sst_file *file = NULL;
    struct sst_decode_notes told = {.length = 0};
    SST_TRY_GOTO(sst_decode_create_file(path, options, &file, err));
    file->notes = notes;
    file->notes_user = notes_user;
    file->told = &told;
    rc = read_header(file, options, err);
    file->told = NULL;
    if (rc != SST_OK) {
        sst_error_prefix(err, "%s", path);
        goto done;
    }
    if (options->scratch && !options->library_only)
        SST_TRY_GOTO(sst_decode_keep_model(file, options, &told, err));
    *out = file;
    file = NULL;
done:
    sst_file_close(&file);
    return rc;
}

enum sst_status sst_file_open(const char *path, const struct sst_decode_options *options, sst_note_fn *notes,
                              void *notes_user, struct sst_file **out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    static const struct sst_decode_options no_options = {0};
    struct sst_file *file = NULL;
    bool was_opened = false;
    if (!options)
        options = &no_options;
    for (int way = 0; options->scratch && !options->library_only && way < SST_N_MODEL_WAYS && !was_opened; ++way) {
        SST_TRY_GOTO(sst_decode_create_file(path, options, &file, err));
        file->notes = notes;
        file->notes_user = notes_user;
        SST_TRY_GOTO(sst_decode_open_by_model(file, options, (enum sst_decode_model_way)way, &was_opened, err));
        if (!was_opened)
            sst_file_close(&file);
    }
    if (!was_opened)
        SST_TRY_GOTO(open_by_library(path, options, notes, notes_user, &file, err));
    file->notes = NULL;
    *out = file;
    file = NULL;
done:
    sst_file_close(&file);
    return rc;
}

void sst_file_close(struct sst_file **file)
{
    struct sst_file *f = *file;
    if (!f)
        return;
    sst_direct_close(&f->direct);
    sst_decode_scratch_destroy(&f->own_scratch);
    if (f->ncid >= 0)
        (void)nc_close(f->ncid);
    sst_grid_destroy(&f->grid);
    sst_free(f->path);
    sst_free(f->title);
    sst_free(f->product);
    sst_free(f->sensor);
    sst_free(f->dim_roles);
    sst_free(f->dim_coordinates);
    sst_free(f->is_bounds);
    sst_free(f->steps);
    sst_free(f->row);
    sst_free(f->classes);
    sst_free(f);
    *file = NULL;
}

const struct sst_file_info *sst_file_info(const struct sst_file *file) { return &file->info; }

/* Where the rows of a mask file go. */
struct mask_target {
    uint8_t *keep;
    size_t n_cols;
};

static void take_keep(void *user, size_t row, size_t col, size_t n, const double *values)
{
    const struct mask_target *target = user;
    uint8_t *keep = target->keep + row * target->n_cols + col;
    for (size_t i = 0; i < n; ++i)
        keep[i] = !isnan(values[i]) && values[i] != 0.0;
}

static enum sst_status read_mask(struct sst_file *file, const char *variable, const struct sst_domain *domain,
                                 uint8_t *keep, struct sst_error *err)
{
    struct sst_grid_map map;
    struct sst_decode_variable mask;
    struct mask_target target = {.keep = keep, .n_cols = domain->n_cols};
    SST_TRY(sst_decode_check_magic(file->path, &file->info.size_bytes, err));
    SST_TRY(open_netcdf(file, err));
    SST_TRY(sst_decode_find_axes(file, err));
    SST_TRY(refuse_climatology(file, err));
    SST_TRY(sst_decode_choose_only(file, variable, &mask, err));
    SST_TRY(sst_decode_read_packing(file, &mask, err));
    SST_TRY(sst_decode_read_grid(file, &mask, err));
    SST_TRY(sst_grid_match(domain->grid, file->grid, &map, err));
    const struct sst_decode_box box = {.domain = domain, .map = &map, .step = 0};
    return sst_decode_read_rows(file, &mask, &box, take_keep, &target, err);
}

enum sst_status sst_file_read_mask(const char *path, const char *variable, const struct sst_domain *domain,
                                   uint8_t *keep, struct sst_error *err)
{
    static const struct sst_decode_options no_options = {0};
    struct sst_file *file = NULL;
    SST_TRY(sst_decode_create_file(path, &no_options, &file, err));
    const enum sst_status rc = read_mask(file, variable, domain, keep, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "%s", path);
    sst_file_close(&file);
    return rc;
}
