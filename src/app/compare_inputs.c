/* Which variables, days and cells two climatologies have in common. */
#include <math.h>
#include <string.h>

#include "app/compare_findings.h"
#include "core/mem.h"
#include "write/clim_nc.h"

/* [percent] Taken where both have several: the one that makes a heatwave. */
#define USUAL_PERCENTILE 90.0

static const char *const variable_options[SST_N_COMPARED][SST_N_CLIM_FIELDS] = {{"--var-a", "--mean-a"},
                                                                                {"--var-b", "--mean-b"}};
static const char *const units_options[SST_N_COMPARED] = {"--units-a", "--units-b"};

static const struct sst_clim_read_info *info_of(const struct sst_compare *compare, int which)
{
    return sst_clim_read_info(compare->readers[which]);
}

static bool has_percentile(const struct sst_clim_read_info *info, double percentile)
{
    for (size_t i = 0; i < info->n_percentiles; ++i)
        if (info->percentiles[i] == percentile)
            return true;
    return false;
}

/* The percentile that both names tell of; NaN where one of them tells of none, or of none that the other has. */
static double common_percentile(const struct sst_compare *compare)
{
    const struct sst_clim_read_info *a = info_of(compare, SST_COMPARE_A), *b = info_of(compare, SST_COMPARE_B);
    double found = NAN;
    size_t n = 0;
    if (compare->options->is_given[SST_OPTION_ID_percentile])
        return compare->options->percentiles[0];
    for (size_t i = 0; i < a->n_percentiles; ++i) {
        if (b->n_percentiles > 0 && !has_percentile(b, a->percentiles[i]))
            continue;
        found = a->percentiles[i];
        ++n;
        if (found == USUAL_PERCENTILE)
            return found;
    }
    if (a->n_percentiles == 0 && has_percentile(b, USUAL_PERCENTILE))
        return USUAL_PERCENTILE;
    return n == 1 ? found : (double)NAN;
}

static enum sst_status choose(struct sst_compare *compare, struct sst_error *err)
{
    const struct sst_options *options = compare->options;
    const double wanted = common_percentile(compare);
    for (int which = 0; which < SST_N_COMPARED; ++which) {
        struct sst_clim_choice choice = {.units = options->clim_units[which],
                                         .units_option = units_options[which],
                                         .percentile = info_of(compare, which)->n_percentiles ? wanted : (double)NAN};
        for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
            choice.variables[field] = options->clim_variables[which][field];
            choice.variable_options[field] = variable_options[which][field];
        }
        SST_TRY(sst_clim_read_choose(compare->readers[which], &choice, err));
    }
    const double a = info_of(compare, SST_COMPARE_A)->percentile, b = info_of(compare, SST_COMPARE_B)->percentile;
    compare->percentile = !isnan(b) ? b : !isnan(a) ? a : wanted;
    if (a > b || a < b)
        sst_log_warn(options->log,
                     "percentile %g is compared with percentile %g. Are --var-a and --var-b as you want them?", a, b);
    return SST_OK;
}

static void name_field(const struct sst_compare *compare, struct sst_compared_field *field)
{
    if (field->field == SST_CLIM_MEAN)
        (void)snprintf(field->name, sizeof field->name, "sst_mean");
    else if (isnan(compare->percentile))
        (void)snprintf(field->name, sizeof field->name, "percentile");
    else
        (void)sst_clim_percentile_name(compare->percentile, field->name);
}

static enum sst_status settle_fields(struct sst_compare *compare, struct sst_error *err)
{
    static const char *const words[SST_N_CLIM_FIELDS] = {"percentile", "mean"};
    const struct sst_clim_read_info *a = info_of(compare, SST_COMPARE_A), *b = info_of(compare, SST_COMPARE_B);
    for (int field = 0; field < SST_N_CLIM_FIELDS; ++field) {
        const bool in_a = a->variables[field][0], in_b = b->variables[field][0];
        if (in_a && in_b) {
            compare->fields[compare->n_fields].field = (enum sst_clim_field)field;
            name_field(compare, &compare->fields[compare->n_fields++]);
        } else if (in_a || in_b) {
            sst_log_info(compare->options->log,
                         "%s: no %s is found, so that of the other is not compared. Name it with %s",
                         in_a ? b->path : a->path, words[field], variable_options[in_a][field]);
        }
    }
    if (compare->n_fields > 0)
        return SST_OK;
    return sst_fail(err, SST_ERR_INPUT,
                    "%s: nothing that %s has too: one has a percentile, the other a mean. Name variables with --var-a, "
                    "--var-b, --mean-a, --mean-b",
                    a->path, b->path);
}

static enum sst_status settle_slots(struct sst_compare *compare, struct sst_error *err)
{
    const struct sst_clim_read_info *a = info_of(compare, SST_COMPARE_A), *b = info_of(compare, SST_COMPARE_B);
    if (a->calendar != b->calendar)
        return sst_fail(err, SST_ERR_TIME, "%s: its calendar is %s, that of %s is %s. Give two of one calendar",
                        b->path, sst_calendar_name(b->calendar), a->path, sst_calendar_name(a->calendar));
    compare->calendar = a->calendar;
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        if (a->has_slot[slot] && b->has_slot[slot])
            compare->slots[compare->n_slots++] = slot;
    if (compare->n_slots == 0)
        return sst_fail(err, SST_ERR_TIME, "%s: no calendar day that %s has too. Give two of the same part of the year",
                        b->path, a->path);
    return SST_OK;
}

static enum sst_status settle_domain(struct sst_compare *compare, struct sst_error *err)
{
    const struct sst_clim_read_info *a = info_of(compare, SST_COMPARE_A), *b = info_of(compare, SST_COMPARE_B);
    struct sst_error difference = {SST_OK, ""};
    const struct sst_bbox *box = &compare->options->bbox;
    if (sst_grid_match(a->grid, b->grid, &compare->maps[SST_COMPARE_B], &difference) != SST_OK)
        return sst_fail(err, SST_ERR_GRID, "%s: %s (%s). Put both on one grid first: cdo remapbil,%s %s OUT.nc",
                        b->path, difference.text, a->path, a->path, b->path);
    sst_domain_all(a->grid, &compare->domain);
    if (!compare->options->has_bbox)
        return SST_OK;
    const enum sst_status rc =
        sst_domain_box(a->grid, box->west, box->south, box->east, box->north, &compare->domain, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "--bbox");
    return rc;
}

enum sst_status sst_compare_open(const struct sst_options *options, struct sst_progress *progress,
                                 struct sst_compare *out, struct sst_error *err)
{
    memset(out, 0, sizeof *out);
    out->options = options;
    out->progress = progress;
    for (int which = 0; which < SST_N_COMPARED; ++which)
        SST_TRY(sst_clim_read_open(options->inputs[which], &out->readers[which], err));
    SST_TRY(settle_domain(out, err));
    SST_TRY(settle_slots(out, err));
    SST_TRY(choose(out, err));
    return settle_fields(out, err);
}

void sst_compare_clear(struct sst_compare *compare)
{
    for (int which = 0; which < SST_N_COMPARED; ++which)
        sst_clim_read_close(&compare->readers[which]);
    for (size_t i = 0; i < SST_N_CLIM_FIELDS; ++i) {
        struct sst_compared_field *field = &compare->fields[i];
        sst_comparison_destroy(&field->comparison);
        sst_map_destroy(&field->difference);
        sst_map_destroy(&field->rmse);
        sst_breakdown_clear(&field->breakdown);
    }
    sst_map_destroy(&compare->common);
    sst_sample_destroy(&compare->sample);
    sst_free(compare->cells);
    memset(compare, 0, sizeof *compare);
}
