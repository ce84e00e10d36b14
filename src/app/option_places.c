/* What options of files, of boxes and of synthetic archives accept, and what they say where they do not. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "app/option_setters.h"
#include "core/mem.h"

SST_DEFINE_TEXT_SETTER(var, variable)
SST_DEFINE_TEXT_SETTER(units, units)
SST_DEFINE_TEXT_SETTER(ice_var, ice_variable)
SST_DEFINE_TEXT_SETTER(var_a, clim_variables[0][SST_CLIM_PERCENTILE])
SST_DEFINE_TEXT_SETTER(var_b, clim_variables[1][SST_CLIM_PERCENTILE])
SST_DEFINE_TEXT_SETTER(mean_a, clim_variables[0][SST_CLIM_MEAN])
SST_DEFINE_TEXT_SETTER(mean_b, clim_variables[1][SST_CLIM_MEAN])
SST_DEFINE_TEXT_SETTER(units_a, clim_units[0])
SST_DEFINE_TEXT_SETTER(units_b, clim_units[1])

SST_DEFINE_FLAG_SETTER(split, split)
SST_DEFINE_FLAG_SETTER(overwrite, overwrite)
SST_DEFINE_FLAG_SETTER(json, json)

enum sst_status sst_set_detect(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!*text)
        return sst_option_refuse(err, SST_OPTION_ID_detect, text,
                                 "empty. Give daily SST: a file, a directory or @list");
    SST_TRY(sst_grow(&options->detect, &options->detect_capacity, options->n_detect + 1, sizeof *options->detect,
                     "the list of files", err));
    SST_TRY(sst_strdup(text, &options->detect[options->n_detect], err));
    ++options->n_detect;
    return SST_OK;
}

enum sst_status sst_set_bbox(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_bbox;
    double v[5];
    size_t n = 0;
    if (!sst_number_list(text, false, 5, v, &n) || n != 4)
        return sst_option_refuse(
            err, id, text,
            "not four numbers. Accepted: WEST,SOUTH,EAST,NORTH in degrees with commas and no blanks, as "
            "-10,30,5,40");
    if (fabs(v[0]) > 360.0 || fabs(v[2]) > 360.0 || fabs(v[2] - v[0]) > 360.0)
        return sst_option_refuse(err, id, text, "no longitudes. Accepted: -180 to 180 or 0 to 360, west first");
    if (fabs(v[1]) > 90.0 || fabs(v[3]) > 90.0)
        return sst_option_refuse(err, id, text,
                                 "no latitudes. Accepted: -90 to 90; the order is WEST,SOUTH,EAST,NORTH");
    if (v[1] > v[3])
        return sst_option_refuse(err, id, text, "its south is north of its north. Did you mean %g,%g,%g,%g?", v[0],
                                 v[3], v[2], v[1]);
    options->has_bbox = true;
    options->bbox = (struct sst_bbox){v[0], v[1], v[2], v[3]};
    return SST_OK;
}

/* FILE:VAR is cut at its last colon, unless a file bears the whole name (times of day in names have colons). */
enum sst_status sst_set_mask(struct sst_options *options, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = SST_OPTION_ID_mask;
    const char *colon = strrchr(text, ':');
    SST_TRY(sst_option_text(id, text, &options->mask_path, err));
    sst_free(options->mask_variable);
    options->mask_variable = NULL;
    if (!colon || strchr(colon, '/') || access(text, F_OK) == 0)
        return SST_OK;
    if (colon == text || !colon[1])
        return sst_option_refuse(err, id, text, "half of it is empty. Accepted: FILE or FILE:VARIABLE");
    options->mask_path[colon - text] = '\0';
    return sst_option_text(id, colon + 1, &options->mask_variable, err);
}

enum sst_status sst_set_on_bad(struct sst_options *options, const char *text, struct sst_error *err)
{
    int choice = 0;
    SST_TRY(sst_option_choice(SST_OPTION_ID_on_bad, text, &choice, err));
    options->stop_on_bad = choice == 1;
    return SST_OK;
}

enum sst_status sst_set_output(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_output_path(SST_OPTION_ID_output, text, &options->output, err);
}

enum sst_status sst_set_report(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_output_path(SST_OPTION_ID_report, text, &options->report, err);
}

enum sst_status sst_set_compress(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_choice(SST_OPTION_ID_compress, text, &options->deflate_level, err); /* words in order of level */
}

enum sst_status sst_set_years(struct sst_options *options, const char *text, struct sst_error *err)
{
    int first = 0;
    int last = 0;
    if (!sst_number_years(text, &first, &last) || first > last)
        return sst_option_refuse(err, SST_OPTION_ID_years, text,
                                 "not a range of whole years. Accepted: Y1-Y2, as 1991-2020");
    options->archive.first_year = first;
    options->archive.last_year = last;
    return SST_OK;
}

/* Two counts with an x between them; synth knows how large they may be. */
enum sst_status sst_set_grid(struct sst_options *options, const char *text, struct sst_error *err)
{
    int n_lon = 0;
    int n_lat = 0;
    if (!sst_number_pair(text, 'x', &n_lon, &n_lat) || n_lon < 1 || n_lat < 1)
        return sst_option_refuse(err, SST_OPTION_ID_grid, text, "not a grid. Accepted: NLONxNLAT, as 180x90");
    options->archive.n_lon = n_lon;
    options->archive.n_lat = n_lat;
    return SST_OK;
}

enum sst_status sst_set_lat(struct sst_options *options, const char *text, struct sst_error *err)
{
    double v[2];
    size_t n = 0;
    if (!sst_number_list(text, false, 2, v, &n) || n != 2 || !(v[0] >= -90.0 && v[0] < v[1] && v[1] <= 90.0))
        return sst_option_refuse(err, SST_OPTION_ID_lat, text,
                                 "no two latitudes. Accepted: SOUTH,NORTH from -90 to 90, as -60,60");
    options->archive.south = v[0];
    options->archive.north = v[1];
    return SST_OK;
}

enum sst_status sst_set_gaps(struct sst_options *options, const char *text, struct sst_error *err)
{
    double percent = 0.0;
    if (!sst_number_percent(text, &percent) || !(percent >= 0.0 && percent < 100.0))
        return sst_option_refuse(err, SST_OPTION_ID_gaps, text,
                                 "not a percentage. Accepted: 0 to less than 100, as 2%%");
    options->archive.gaps_percent = percent;
    return SST_OK;
}

enum sst_status sst_set_layout(struct sst_options *options, const char *text, struct sst_error *err)
{
    return sst_option_choice(SST_OPTION_ID_layout, text, &options->archive.layout, err);
}
