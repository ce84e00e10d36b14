/* Which variable is the sea-surface temperature, which tells ice, which is the mask; and what kind of SST it is. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "stream/decode_private.h"

/* How sure a variable is to be the SST; the surest one is taken, if it is alone on its level. */
enum rank {
    RANK_STANDARD_NAME, /* sea_surface_..._temperature */
    RANK_NAME, /* sst, analysed_sst, tos ... */
    RANK_WATER, /* sea water temperature at a single level */
    RANK_UNITS, /* a temperature that nothing says to be of something else */
    N_RANKS,
    RANK_NONE = N_RANKS
};

static const char *const surface_standard_names[] = {"sea_surface_temperature", "sea_surface_foundation_temperature",
                                                     "sea_surface_skin_temperature", "sea_surface_subskin_temperature"};
static const char *const water_standard_names[] = {"sea_water_temperature", "sea_water_potential_temperature",
                                                   "sea_water_conservative_temperature"};
static const char *const sst_names[] = {"sst",
                                        "analysed_sst",
                                        "analyzed_sst",
                                        "sea_surface_temperature",
                                        "sea_surface_foundation_temperature",
                                        "sea_surface_skin_temperature",
                                        "sea_surface_subskin_temperature",
                                        "tos",
                                        "CRW_SST"};
static const char *const water_names[] = {"thetao", "water_temp", "sea_water_temperature"};
static const char *const ice_names[] = {
    "sea_ice_fraction", "ice", "icec", "siconc", "aice", "sic", "ice_conc", "ci", "sea_ice_area_fraction"};

/* Words that make a temperature no SST, whatever else is said: what is known about an SST, not the SST. */
static const char *const about_words[] = {
    "anom",    "error",      "uncert", "stdev", "stddev", "standard deviation", "standard_deviation",
    "bias of", "difference", "_err",   "err_"};
/* Words of temperatures that are not of the sea's surface; asked only where nothing else is known. */
static const char *const elsewhere_words[] = {"air",  "metre",    "meter", "2m",       "dew",   "brightness", "soil",
                                              "land", "snow",     "atmos", "wet",      "cloud", "instrument", "sensor",
                                              "bias", "clim",     "trend", "gradient", "ice",   "radiat",     "2t",
                                              "std",  "variance", "t2m",   "d2m",      "front", "lake",       "skt"};

#define IN(list, text) is_in(list, sizeof list / sizeof *list, text)
#define HAS_ANY(list, text) has_any(list, sizeof list / sizeof *list, text)

static bool is_in(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; ++i)
        if (strcasecmp(list[i], text) == 0)
            return true;
    return false;
}

static bool has_any(const char *const *words, size_t n, const char *text)
{
    for (size_t i = 0; i < n; ++i)
        if (strcasestr(text, words[i]))
            return true;
    return false;
}

/* What a variable says about itself. */
struct labels {
    char name[NC_MAX_NAME + 1];
    char standard_name[SST_DECODE_TEXT_SIZE], long_name[SST_DECODE_TEXT_SIZE], units[SST_DECODE_TEXT_SIZE];
};

static bool read_labels(const struct sst_file *file, int varid, struct labels *out)
{
    nc_type type = NC_NAT;
    if (nc_inq_var(file->ncid, varid, out->name, &type, NULL, NULL, NULL) != NC_NOERR || type == NC_CHAR ||
        type == NC_STRING || type > NC_MAX_ATOMIC_TYPE)
        return false;
    sst_decode_attr_text(file->ncid, varid, "standard_name", out->standard_name, sizeof out->standard_name);
    sst_decode_attr_text(file->ncid, varid, "long_name", out->long_name, sizeof out->long_name);
    sst_decode_attr_text(file->ncid, varid, "units", out->units, sizeof out->units);
    return true;
}

static bool is_about_sst(const struct labels *labels)
{
    return strcasecmp(labels->name, "err") == 0 || strcasestr(labels->name, "adjust") ||
           HAS_ANY(about_words, labels->name) || HAS_ANY(about_words, labels->long_name) ||
           HAS_ANY(about_words, labels->standard_name);
}

/* Without names that are known: a field that is anything but a map of unnamed temperatures is left alone. */
static bool may_be_sst(const struct labels *labels)
{
    return labels->standard_name[0] == '\0' && !HAS_ANY(elsewhere_words, labels->name) &&
           !HAS_ANY(elsewhere_words, labels->long_name) && sst_decode_is_temperature(labels->units);
}

/* A field, not an axis: it has at least two dimensions, of which two may be those of a map with 2-D coordinates. */
static bool is_field(const struct sst_file *file, int varid)
{
    int n_dims = 0;
    if (nc_inq_varndims(file->ncid, varid, &n_dims) != NC_NOERR || n_dims < 2 || sst_decode_is_coordinate(file, varid))
        return false;
    return sst_decode_is_on_grid(file, varid) || file->has_2d_coordinates;
}

/* Units are asked for only where no name is known anywhere in the file: UDUNITS is slow to start. */
static enum rank rank_of(const struct sst_file *file, int varid, bool asks_units)
{
    struct labels labels;
    if (!is_field(file, varid) || !read_labels(file, varid, &labels) || is_about_sst(&labels))
        return RANK_NONE;
    if (IN(surface_standard_names, labels.standard_name))
        return RANK_STANDARD_NAME;
    if (IN(sst_names, labels.name))
        return RANK_NAME;
    if (IN(water_standard_names, labels.standard_name) || IN(water_names, labels.name))
        return RANK_WATER;
    return asks_units && may_be_sst(&labels) ? RANK_UNITS : RANK_NONE;
}

/* A list of names for a message, cut where the buffer ends. */
struct name_list {
    char text[SST_ERROR_TEXT_SIZE / 2];
    size_t length;
    int n_names;
    char first[NC_MAX_NAME + 1];
};

static void list_add(struct name_list *list, const char *name)
{
    if (list->n_names++ == 0)
        (void)snprintf(list->first, sizeof list->first, "%s", name);
    const int written =
        snprintf(list->text + list->length, sizeof list->text - list->length, "%s%s", list->length ? ", " : "", name);
    if (written > 0 && (size_t)written < sizeof list->text - list->length)
        list->length += (size_t)written;
    else
        list->text[list->length] = '\0';
}

static enum sst_status refuse_no_sst(const struct sst_file *file, struct sst_error *err)
{
    struct name_list temperatures = {0}, fields = {0};
    for (int varid = 0; varid < file->n_vars; ++varid) {
        struct labels labels;
        if (!is_field(file, varid) || !read_labels(file, varid, &labels))
            continue;
        list_add(&fields, labels.name);
        if (!is_about_sst(&labels) && sst_decode_is_temperature(labels.units))
            list_add(&temperatures, labels.name);
    }
    if (temperatures.n_names)
        return sst_fail(err, SST_ERR_INPUT, "no SST variable; candidates: %s. If one is meant, use --var %s",
                        temperatures.text, temperatures.first);
    if (fields.n_names)
        return sst_fail(err, SST_ERR_INPUT,
                        "no SST variable; the variables on its grid are %s. If one is meant, use --var NAME",
                        fields.text);
    int n_groups = 0;
    if (nc_inq_grps(file->ncid, &n_groups, NULL) == NC_NOERR && n_groups > 0)
        return sst_fail(err, SST_ERR_INPUT,
                        "no SST variable: its variables are in groups, which are not read. Flatten it first: "
                        "ncks -G : FILE OUT.nc");
    return sst_fail(
        err, SST_ERR_INPUT,
        "no SST variable: it has no variable with latitude and longitude dimensions. Is it the right file?");
}

static enum sst_status find_named(const struct sst_file *file, const char *named, const char *option, int *varid,
                                  struct sst_error *err)
{
    if (nc_inq_varid(file->ncid, named, varid) == NC_NOERR)
        return SST_OK;
    struct name_list fields = {0};
    for (int id = 0; id < file->n_vars; ++id) {
        struct labels labels;
        if (is_field(file, id) && read_labels(file, id, &labels))
            list_add(&fields, labels.name);
    }
    return sst_fail(err, SST_ERR_INPUT, "no variable '%s'. Name one that is there with %s: %s", named, option,
                    fields.n_names ? fields.text : "it has none on a grid");
}

/* The variables of each rank: their names, and the last one's id. */
struct ranking {
    int found[N_RANKS];
    struct name_list names[N_RANKS];
};

static bool rank_variables(const struct sst_file *file, bool asks_units, struct ranking *out)
{
    bool is_any = false;
    for (int id = 0; id < file->n_vars; ++id) {
        struct labels labels;
        const enum rank rank = rank_of(file, id, asks_units);
        if (rank == RANK_NONE || !read_labels(file, id, &labels))
            continue;
        out->found[rank] = id;
        list_add(&out->names[rank], labels.name);
        is_any = true;
    }
    return is_any;
}

static enum sst_status find_sst(struct sst_file *file, int *varid, struct sst_error *err)
{
    struct ranking ranking = {0};
    if (!rank_variables(file, false, &ranking) && !rank_variables(file, true, &ranking))
        return refuse_no_sst(file, err);
    int rank = 0;
    while (ranking.names[rank].n_names == 0)
        ++rank;
    const struct name_list *names = &ranking.names[rank];
    if (names->n_names > 1)
        return sst_fail(err, SST_ERR_INPUT, "several SST variables: %s. Choose one: --var %s", names->text,
                        names->first);
    *varid = ranking.found[rank];
    if (rank == RANK_UNITS)
        sst_decode_note(file, "variable '%s' is taken as the SST: it is the only temperature", names->first);
    return SST_OK;
}

enum sst_status sst_decode_choose_sst(struct sst_file *file, const char *named, struct sst_error *err)
{
    int varid = -1;
    if (named)
        SST_TRY(find_named(file, named, "--var", &varid, err));
    else
        SST_TRY(find_sst(file, &varid, err));
    return sst_decode_lay_out(file, varid, &file->sst, err);
}

/* Whether a field lies on the SST's own two axes, with no dimension longer than one beside them and time. */
static bool shares_axes(const struct sst_file *file, const struct sst_decode_variable *other)
{
    const struct sst_decode_variable *sst = &file->sst;
    return other->dim_ids[other->lat_at] == sst->dim_ids[sst->lat_at] &&
           other->dim_ids[other->lon_at] == sst->dim_ids[sst->lon_at] &&
           (other->time_at < 0 || (sst->time_at >= 0 && other->dim_ids[other->time_at] == sst->dim_ids[sst->time_at]));
}

/* Lays a companion of the SST out; id -1 where it does not fit the SST. */
static void lay_out_companion(struct sst_file *file, int varid, struct sst_decode_variable *out)
{
    struct sst_error ignored = {0};
    char name[NC_MAX_NAME + 1] = "";
    out->id = -1;
    if (varid < 0 || varid == file->sst.id)
        return;
    (void)nc_inq_varname(file->ncid, varid, name);
    struct sst_decode_variable found;
    if (sst_decode_lay_out(file, varid, &found, &ignored) == SST_OK && shares_axes(file, &found))
        *out = found;
    else
        sst_decode_note(file, "variable '%s' is not on the grid of '%s' and is not used", name, file->sst.name);
}

/* Standard names appear with blanks in some products (GHRSST tiles). */
static bool is_ice_standard_name(const char *text)
{
    static const char wanted[] = "sea_ice_area_fraction";
    size_t i = 0;
    for (; text[i] && wanted[i]; ++i)
        if (tolower((unsigned char)text[i]) != wanted[i] && !(text[i] == ' ' && wanted[i] == '_'))
            return false;
    return text[i] == wanted[i];
}

static int find_ice(const struct sst_file *file)
{
    int by_name = -1;
    for (int varid = 0; varid < file->n_vars; ++varid) {
        struct labels labels;
        if (!is_field(file, varid) || !read_labels(file, varid, &labels) || is_about_sst(&labels))
            continue;
        if (is_ice_standard_name(labels.standard_name))
            return varid;
        if (by_name < 0 && IN(ice_names, labels.name) && labels.standard_name[0] == '\0')
            by_name = varid;
    }
    return by_name;
}

enum sst_status sst_decode_choose_ice(struct sst_file *file, const char *named, struct sst_error *err)
{
    int varid = -1;
    if (named)
        SST_TRY(find_named(file, named, "--ice-var", &varid, err));
    else
        varid = find_ice(file);
    lay_out_companion(file, varid, &file->ice);
    if (named && file->ice.id < 0)
        return sst_fail(err, SST_ERR_INPUT, "variable '%s' is not on the grid of '%s'. Name another with --ice-var",
                        named, file->sst.name);
    return SST_OK;
}

enum sst_status sst_decode_choose_mask(struct sst_file *file, struct sst_error *err)
{
    int varid = -1;
    file->mask.id = -1;
    if (nc_inq_varid(file->ncid, "mask", &varid) != NC_NOERR || !is_field(file, varid))
        return SST_OK;
    lay_out_companion(file, varid, &file->mask);
    return file->mask.id < 0 ? SST_OK : sst_decode_read_flags(file, err);
}

enum sst_status sst_decode_choose_only(struct sst_file *file, const char *named, struct sst_decode_variable *out,
                                       struct sst_error *err)
{
    int varid = -1;
    struct name_list fields = {0};
    for (int id = 0; id < file->n_vars && !named; ++id) {
        struct labels labels;
        if (!is_field(file, id) || !read_labels(file, id, &labels))
            continue;
        varid = id;
        list_add(&fields, labels.name);
    }
    if (named)
        SST_TRY(find_named(file, named, "--mask FILE:VAR", &varid, err));
    else if (fields.n_names == 0)
        return sst_fail(err, SST_ERR_INPUT, "it has no variable with latitude and longitude dimensions");
    else if (fields.n_names > 1)
        return sst_fail(err, SST_ERR_INPUT, "several variables: %s. Choose one: --mask FILE:%s", fields.text,
                        fields.first);
    return sst_decode_lay_out(file, varid, out, err);
}

static enum sst_sst_kind kind_in_text(const char *text)
{
    if (strcasestr(text, "subskin") || strcasestr(text, "sub-skin"))
        return SST_KIND_SUBSKIN;
    if (strcasestr(text, "skin"))
        return SST_KIND_SKIN;
    if (strcasestr(text, "foundation"))
        return SST_KIND_FOUNDATION;
    if (strcasestr(text, "depth") || strcasestr(text, "sea_water") || strcasestr(text, "bulk"))
        return SST_KIND_DEPTH;
    return SST_KIND_UNKNOWN;
}

/* GHRSST names end in the kind: SSTfnd, SSTskin, SSTsubskin, SSTdepth, SSTblend. */
enum sst_sst_kind sst_decode_kind_in_file_name(const char *name)
{
    static const struct {
        const char *word;
        enum sst_sst_kind kind;
    } words[] = {{"SSTfnd", SST_KIND_FOUNDATION},
                 {"SSTsubskin", SST_KIND_SUBSKIN},
                 {"SSTskin", SST_KIND_SKIN},
                 {"SSTdepth", SST_KIND_DEPTH},
                 {"SSTblend", SST_KIND_SURFACE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strstr(name, words[i].word))
            return words[i].kind;
    return SST_KIND_UNKNOWN;
}

enum sst_sst_kind sst_decode_kind_of(const struct sst_file *file)
{
    struct labels labels;
    if (!read_labels(file, file->sst.id, &labels))
        return SST_KIND_UNKNOWN;
    if (strcasecmp(labels.standard_name, "sea_surface_temperature") == 0)
        return SST_KIND_SURFACE;
    enum sst_sst_kind kind = kind_in_text(labels.standard_name);
    if (kind == SST_KIND_UNKNOWN)
        kind = kind_in_text(labels.long_name);
    if (kind == SST_KIND_UNKNOWN)
        kind = sst_decode_kind_in_file_name(file->base_name);
    if (kind == SST_KIND_UNKNOWN && (strcasestr(labels.long_name, "surface temperature") || IN(sst_names, labels.name)))
        kind = SST_KIND_SURFACE;
    return kind;
}
