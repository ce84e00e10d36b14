/* The findings of a comparison as JSON, and the page that is drawn from it. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/compare_json.h"
#include "app/json_values.h"
#include "app/report.h"
#include "app/report_blocks.h"
#include "core/mem.h"

/* [degC] What maps tell: differences to a hundredth of the usual tolerance. */
#define MAP_STEP_DEGC 0.001

static const char *const axis_names[] = {"time", "month_day", "day_of_year", "place"};
static const char *const field_names[SST_N_CLIM_FIELDS] = {"percentile", "mean"};

/* --- what is compared --------------------------------------------------------------------------------------------- */

static json_t *climatology_json(const struct sst_compare *compare, int which)
{
    char digest[32];
    const struct sst_clim_read_info *info = sst_clim_read_info(compare->readers[which]);
    (void)snprintf(digest, sizeof digest, "%016llx", (unsigned long long)sst_grid_digest(info->grid));
    json_t *out = json_object(), *variables = json_object();
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
        if (!info->variables[field][0])
            continue;
        json_t *variable = json_object();
        (void)json_object_set_new(variable, "name", sst_json_text(info->variables[field]));
        (void)json_object_set_new(variable, "units", sst_json_text(info->units[field]));
        (void)json_object_set_new(variables, field_names[field], variable);
    }
    (void)json_object_set_new(out, "path", sst_json_text(info->path));
    (void)json_object_set_new(out, "title", sst_json_text(info->title));
    (void)json_object_set_new(out, "climatology_id", sst_json_text(info->climatology_id));
    (void)json_object_set_new(out, "variables", variables);
    (void)json_object_set_new(out, "percentile", sst_json_real(info->percentile));
    (void)json_object_set_new(out, "days", json_integer(info->n_slots));
    (void)json_object_set_new(out, "day_axis", sst_json_text(axis_names[info->axis]));
    (void)json_object_set_new(out, "grid_digest", sst_json_text(digest));
    return out;
}

static json_t *grid_json(const struct sst_domain *domain)
{
    json_t *out = json_object();
    (void)json_object_set_new(out, "n_lat", sst_json_integer(domain->n_rows));
    (void)json_object_set_new(out, "n_lon", sst_json_integer(domain->n_cols));
    (void)json_object_set_new(out, "first_lat", sst_json_real(sst_domain_lat(domain, 0)));
    (void)json_object_set_new(out, "last_lat", sst_json_real(sst_domain_lat(domain, domain->n_rows - 1)));
    (void)json_object_set_new(out, "first_lon", sst_json_real(sst_domain_lon(domain, 0)));
    (void)json_object_set_new(out, "last_lon", sst_json_real(sst_domain_lon(domain, domain->n_cols - 1)));
    return out;
}

static json_t *common_json(const struct sst_compare *compare)
{
    json_t *out = json_object(), *lone = json_object();
    for (size_t i = 0; i < compare->n_fields; ++i) {
        json_t *counts = json_object();
        (void)json_object_set_new(counts, "only_a", sst_json_integer(compare->fields[i].n_only_a));
        (void)json_object_set_new(counts, "only_b", sst_json_integer(compare->fields[i].n_only_b));
        (void)json_object_set_new(lone, compare->fields[i].name, counts);
    }
    (void)json_object_set_new(out, "calendar", sst_json_text(sst_calendar_name(compare->calendar)));
    (void)json_object_set_new(out, "days", sst_json_integer(compare->n_slots));
    (void)json_object_set_new(out, "cells", sst_json_integer(compare->n_cells));
    (void)json_object_set_new(out, "lone_cell_days", lone);
    return out;
}

/* --- differences -------------------------------------------------------------------------------------------------- */

/* "clim.nc: sst_p90, sst_mean" */
static json_t *subject_json(const struct sst_compare *compare, int which)
{
    const struct sst_clim_read_info *info = sst_clim_read_info(compare->readers[which]);
    char *text = NULL;
    const char *percentile = info->variables[SST_CLIM_PERCENTILE], *mean = info->variables[SST_CLIM_MEAN];
    if (sst_asprintf(&text, NULL, "%s: %s%s%s", info->path, percentile, *percentile && *mean ? ", " : "", mean) !=
        SST_OK)
        return NULL;
    json_t *out = sst_json_text(text);
    sst_free(text);
    return out;
}

static json_t *rows_json(const struct sst_compared_field *field)
{
    json_t *out = json_object();
    for (int i = 0; i < SST_N_REPORT_ROWS; ++i) {
        const struct sst_error_row row =
            sst_comparison_row(field->comparison, sst_report_rows[i].which, sst_report_rows[i].weight);
        (void)json_object_set_new(out, sst_report_rows[i].key, sst_block_error_row(&row));
    }
    return out;
}

static json_t *validation_json(const struct sst_compare *compare)
{
    json_t *out = json_object(), *errors = json_object(), *breakdown = json_object();
    for (size_t i = 0; i < compare->n_fields; ++i) {
        const struct sst_compared_field *field = &compare->fields[i];
        (void)json_object_set_new(errors, field->name, rows_json(field));
        (void)json_object_set_new(breakdown, field->name, sst_block_breakdown(&field->breakdown));
    }
    (void)json_object_set_new(out, "a", subject_json(compare, SST_COMPARE_A));
    (void)json_object_set_new(out, "b", subject_json(compare, SST_COMPARE_B));
    (void)json_object_set_new(out, "seed", sst_json_integer(compare->options->seed));
    (void)json_object_set_new(out, "sample_cells", sst_json_integer(compare->sample->n_cells));
    (void)json_object_set_new(out, "tolerance_degc", sst_json_real(compare->options->tolerance));
    (void)json_object_set_new(out, "interval", sst_json_text("95 %, cells as clusters (Korn and Graubard 1998)"));
    (void)json_object_set_new(out, "errors_degc", errors);
    (void)json_object_set_new(out, "breakdown", breakdown);
    return out;
}

static json_t *largest_json(const struct sst_compare *compare, const struct sst_compared_field *field)
{
    const struct sst_domain *domain = &compare->domain;
    json_t *out = json_array();
    for (size_t i = 0; i < field->n_largest; ++i) {
        const struct sst_difference *found = &field->largest[i];
        char text[8];
        int month = 0, day = 0;
        sst_calendar_month_day(compare->calendar, found->slot, &month, &day);
        (void)snprintf(text, sizeof text, "%02d-%02d", (unsigned char)month, (unsigned char)day);
        json_t *one = json_object();
        (void)json_object_set_new(one, "day", sst_json_text(text));
        (void)json_object_set_new(one, "lat", sst_json_rounded(sst_domain_lat(domain, found->cell / domain->n_cols)));
        (void)json_object_set_new(one, "lon", sst_json_rounded(sst_domain_lon(domain, found->cell % domain->n_cols)));
        (void)json_object_set_new(one, "difference_degc", sst_json_rounded(found->a - found->b));
        (void)json_object_set_new(one, "a_degc", sst_json_rounded(found->a));
        (void)json_object_set_new(one, "b_degc", sst_json_rounded(found->b));
        (void)json_array_append_new(out, one);
    }
    return out;
}

static json_t *maps_json(const struct sst_compare *compare)
{
    json_t *out = json_array();
    for (size_t i = 0; i < compare->n_fields; ++i) {
        const struct sst_compared_field *field = &compare->fields[i];
        const struct sst_map_labels difference = {.key = "difference",
                                                  .title = "Mean over days of A - B",
                                                  .variable = field->name,
                                                  .unit = "degC",
                                                  .is_signed = true,
                                                  .step = MAP_STEP_DEGC},
                                    rmse = {.key = "rmse",
                                            .title = "Root-mean-square over days of A - B",
                                            .variable = field->name,
                                            .unit = "degC",
                                            .step = MAP_STEP_DEGC};
        (void)json_array_append_new(out, sst_block_map(field->difference, &difference, compare->common));
        (void)json_array_append_new(out, sst_block_map(field->rmse, &rmse, compare->common));
    }
    return out;
}

/* --- heatwaves ---------------------------------------------------------------------------------------------------- */

static json_t *daily_json(const struct sst_compare_daily *daily)
{
    if (!daily->is_there)
        return json_null();
    json_t *out = json_object();
    (void)json_object_set_new(out, "first_year", json_integer(daily->first_year));
    (void)json_object_set_new(out, "last_year", json_integer(daily->last_year));
    (void)json_object_set_new(out, "days_read", sst_json_integer(daily->n_days_read));
    (void)json_object_set_new(out, "days_missing", sst_json_integer(daily->n_days_missing));
    (void)json_object_set_new(out, "days_unusable", sst_json_integer(daily->n_days_bad));
    return out;
}

static json_t *consequences_json(const struct sst_compare *compare)
{
    if (!compare->daily.is_there)
        return json_null();
    json_t *out = json_object();
    (void)json_object_set_new(out, compare->fields[0].name, sst_block_consequences(&compare->daily.consequences));
    return out;
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static json_t *verdict_json(const struct sst_compare *compare)
{
    char text[SST_COMPARE_VERDICT_SIZE];
    const struct sst_compared_field *field = NULL;
    const double worst = sst_compare_worst_share(compare, &field);
    const struct sst_verdict_block verdict = {.passes = !(worst > compare->options->max_share),
                                              .worst_share = worst,
                                              .max_share = compare->options->max_share,
                                              .tolerance = compare->options->tolerance,
                                              .variable = field->name,
                                              .text = sst_compare_verdict(compare, text)};
    return sst_block_verdict(&verdict);
}

static json_t *reproduce_json(const struct sst_compare *compare)
{
    const struct sst_options *options = compare->options;
    char *command = NULL;
    if (sst_asprintf(&command, NULL, "sststream compare %s%s%s %s", options->arguments, *options->arguments ? " " : "",
                     options->inputs[SST_COMPARE_A], options->inputs[SST_COMPARE_B]) != SST_OK)
        return NULL;
    json_t *out = sst_block_reproduce(command, 1);
    sst_free(command);
    return out;
}

static json_t *whole_json(const struct sst_compare *compare)
{
    json_t *out = json_object(), *largest = json_object();
    for (size_t i = 0; i < compare->n_fields; ++i)
        (void)json_object_set_new(largest, compare->fields[i].name, largest_json(compare, &compare->fields[i]));
    (void)json_object_set_new(out, "schema", sst_json_text(SST_COMPARE_SCHEMA));
    (void)json_object_set_new(out, "sststream_version", sst_json_text(sst_version()));
    (void)json_object_set_new(out, "created", sst_json_text(compare->created));
    (void)json_object_set_new(out, "parameters", sst_json_text(compare->options->arguments));
    (void)json_object_set_new(out, "a", climatology_json(compare, SST_COMPARE_A));
    (void)json_object_set_new(out, "b", climatology_json(compare, SST_COMPARE_B));
    (void)json_object_set_new(out, "grid", grid_json(&compare->domain));
    (void)json_object_set_new(out, "common", common_json(compare));
    (void)json_object_set_new(out, "verdict", verdict_json(compare));
    (void)json_object_set_new(out, "validation", validation_json(compare));
    (void)json_object_set_new(out, "largest", largest);
    (void)json_object_set_new(out, "daily", daily_json(&compare->daily));
    (void)json_object_set_new(out, "consequences", consequences_json(compare));
    (void)json_object_set_new(out, "maps", maps_json(compare));
    (void)json_object_set_new(out, "reproduce", reproduce_json(compare));
    (void)json_object_set_new(out, "seconds", sst_json_real(compare->seconds));
    return out;
}

enum sst_status sst_compare_make_json(const struct sst_compare *compare, json_t **out, struct sst_error *err)
{
    sst_json_watch();
    json_t *whole = whole_json(compare);
    if (!sst_json_is_whole()) {
        json_decref(whole);
        return sst_fail(err, SST_ERR_NOMEM, "no memory for the JSON report");
    }
    *out = whole;
    return SST_OK;
}
