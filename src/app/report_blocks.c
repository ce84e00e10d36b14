/* Findings of the validation as JSON. */
#include "app/report_blocks.h"

#include <jansson.h>
#include <math.h>

#include "app/json_values.h"
#include "write/clim_nc.h"

static void put(json_t *object, const char *key, json_t *value) { (void)json_object_set_new(object, key, value); }

static void put_rounded(json_t *object, const char *key, double value) { put(object, key, sst_json_rounded(value)); }

static void put_count(json_t *object, const char *key, size_t value) { put(object, key, sst_json_integer(value)); }

static json_t *text_or_null(const char *text) { return text ? sst_json_text(text) : json_null(); }

static json_t *rounded_list(const double *values, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; ++i)
        (void)json_array_append_new(out, sst_json_rounded(values[i]));
    return out;
}

typedef json_t *number_form(double value);

static void put_interval(json_t *object, struct sst_share share, number_form *number)
{
    put(object, "share", number(share.value));
    put(object, "low", number(share.low));
    put(object, "high", number(share.high));
}

static json_t *share_block(struct sst_share share, number_form *number)
{
    json_t *out = json_object();
    put_interval(out, share, number);
    put_count(out, "clusters", share.n_clusters);
    return out;
}

json_t *sst_block_share(struct sst_share share) { return share_block(share, sst_json_rounded); }

static json_t *error_row(const struct sst_error_row *row, number_form *number)
{
    json_t *out = json_object();
    put_count(out, "cells", row->n_cells);
    put_count(out, "cell_days", row->n_cell_days);
    put(out, "bias", number(row->bias));
    put(out, "rmse", number(row->rmse));
    put(out, "median_abs", number(row->median));
    put(out, "p95_abs", number(row->p95));
    put(out, "p99_abs", number(row->p99));
    put(out, "max_abs", number(row->max));
    put(out, "beyond_tolerance", share_block(row->beyond, number));
    return out;
}

json_t *sst_block_error_row(const struct sst_error_row *row) { return error_row(row, sst_json_real); }

static json_t *table(const struct sst_breakdown_table *table)
{
    json_t *out = json_array();
    for (size_t i = 0; i < table->n_rows; ++i) {
        const struct sst_breakdown_row *row = &table->rows[i];
        json_t *item = error_row(&row->errors, sst_json_rounded);
        put(item, "name", sst_json_text(row->name));
        put_rounded(item, "low", row->low);
        put_rounded(item, "high", row->high);
        (void)json_array_append_new(out, item);
    }
    return out;
}

json_t *sst_block_breakdown(const struct sst_breakdown *breakdown)
{
    const struct sst_error_distribution *distribution = &breakdown->distribution;
    json_t *histogram = json_object(), *cumulative = json_object(), *out = json_object();
    put_rounded(histogram, "first_edge_degc", distribution->first_edge);
    put_rounded(histogram, "width_degc", distribution->width);
    put(histogram, "share", rounded_list(distribution->share, distribution->n_bins));
    put(cumulative, "abs_error_degc", rounded_list(distribution->abs_error, distribution->n_points));
    put(cumulative, "share", rounded_list(distribution->cumulated, distribution->n_points));
    put(out, "histogram", histogram);
    put(out, "cumulative", cumulative);
    put(out, "by_slot", table(&breakdown->by_slot));
    put(out, "by_latitude", table(&breakdown->by_latitude));
    put(out, "by_region", table(&breakdown->by_region));
    put(out, "by_skewness", table(&breakdown->by_skewness));
    put(out, "by_kurtosis", table(&breakdown->by_kurtosis));
    return out;
}

static json_t *coverage(const struct sst_level_findings *level)
{
    static const char *const strata[] = {[SST_STRATUM_ALL] = "all",
                                         [SST_STRATUM_ICE] = "ice",
                                         [SST_STRATUM_SEASON] = "season",
                                         [SST_STRATUM_REGION] = "region"};
    json_t *out = json_array();
    for (size_t i = 0; i < level->n_rows; ++i) {
        const struct sst_coverage_row *row = &level->rows[i];
        json_t *item = json_object();
        put(item, "stratum", sst_json_text(strata[row->stratum]));
        put(item, "name", sst_json_text(row->name));
        put_count(item, "cells", row->n_cells);
        put_count(item, "cell_days", row->n_cell_days);
        put_interval(item, row->share, sst_json_rounded);
        (void)json_array_append_new(out, item);
    }
    return out;
}

static json_t *level_block(const struct sst_level_findings *level, double percentile)
{
    char name[SST_CLIM_NAME_SIZE];
    json_t *out = json_object();
    put_rounded(out, "level", level->level);
    put(out, "variable", sst_json_text(sst_clim_bound_name(percentile, level->level, name)));
    put(out, "available", json_boolean(level->is_available));
    put_rounded(out, "attainable", level->attainable);
    put_rounded(out, "median_degc", level->median_bound);
    put_rounded(out, "mean_degc", level->mean_bound);
    put_rounded(out, "cells_below_90", level->share_of_cells_below_90);
    put(out, "coverage", coverage(level));
    return out;
}

json_t *sst_block_bounds(const struct sst_error_findings *findings, double percentile)
{
    json_t *levels = json_array(), *correction = json_object(), *likely = json_object(), *out = json_object();
    for (size_t i = 0; i < findings->n_levels; ++i)
        (void)json_array_append_new(levels, level_block(&findings->levels[i], percentile));
    put(correction, "applied", json_boolean(findings->is_corrected));
    put_rounded(correction, "rmse_before_degc", findings->rmse_before);
    put_rounded(correction, "rmse_after_degc", findings->rmse_after);
    put(likely, "available", json_boolean(findings->likely.is_available));
    put_rounded(likely, "threshold", findings->likely.threshold);
    put_rounded(likely, "base_rate", findings->likely.base_rate);
    put_rounded(likely, "flagged", findings->likely.flagged);
    put_rounded(likely, "precision", findings->likely.precision);
    put_rounded(likely, "recall", findings->likely.recall);
    put_count(out, "cells", findings->n_cells);
    put(out, "levels", levels);
    put(out, "correction", correction);
    put(out, "likely", likely);
    return out;
}

json_t *sst_block_repair(size_t n_cell_days, const double *levels, const struct sst_share *rest, size_t n_levels)
{
    json_t *rows = json_array(), *out = json_object();
    for (size_t i = 0; i < n_levels; ++i) {
        json_t *row = sst_block_share(rest[i]);
        put_rounded(row, "level", levels[i]);
        (void)json_array_append_new(rows, row);
    }
    put_count(out, "cell_days", n_cell_days);
    put(out, "coverage_of_rest", rows);
    return out;
}

static json_t *spells(const struct sst_spells *spells, const struct sst_exceedance *exceedance)
{
    json_t *share = json_object(), *out = json_object();
    put_rounded(share, "mean", exceedance->mean);
    put_rounded(share, "p05", exceedance->p05);
    put_rounded(share, "p95", exceedance->p95);
    put_rounded(out, "days_per_year", spells->days_per_year);
    put_rounded(out, "events_per_year", spells->events_per_year);
    put_rounded(out, "mean_days", spells->mean_days);
    put(out, "exceedance", share);
    return out;
}

json_t *sst_block_consequences(const struct sst_consequences *consequences)
{
    json_t *out = json_object();
    put_count(out, "cells", consequences->n_cells);
    put(out, "years", json_integer(consequences->n_years));
    put(out, "is_cold", json_boolean(consequences->is_cold));
    put(out, "exact", spells(&consequences->exact, &consequences->exact_exceedance));
    put(out, "approx", spells(&consequences->approx, &consequences->approx_exceedance));
    put_rounded(out, "missed", consequences->missed);
    put_rounded(out, "added", consequences->added);
    put_rounded(out, "jaccard", consequences->jaccard);
    put_rounded(out, "jaccard_p05", consequences->jaccard_p05);
    put_rounded(out, "jaccard_median", consequences->jaccard_median);
    return out;
}

json_t *sst_block_sampling(const struct sst_sampling_error *sampling)
{
    json_t *out = json_object();
    put_count(out, "cells", sampling->n_cells);
    put_count(out, "cell_days", sampling->n_cell_days);
    put_count(out, "resamples", sampling->n_resamples);
    put_rounded(out, "se_median_degc", sampling->se_median);
    put_rounded(out, "se_p05_degc", sampling->se_p05);
    put_rounded(out, "se_p95_degc", sampling->se_p95);
    put_rounded(out, "approx_rmse_degc", sampling->approx_rmse);
    put_rounded(out, "share_within_one_se", sampling->share_within_one_se);
    return out;
}

json_t *sst_block_error_budget(const struct sst_budget_item *items, size_t n_items)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n_items; ++i) {
        json_t *item = json_object();
        put(item, "name", sst_json_text(items[i].name));
        put_rounded(item, "size_degc", items[i].size_degc);
        put(item, "text", sst_json_text(items[i].text));
        (void)json_array_append_new(out, item);
    }
    return out;
}

json_t *sst_block_verdict(const struct sst_verdict_block *verdict)
{
    json_t *out = json_object();
    put(out, "pass", json_boolean(verdict->passes));
    put_rounded(out, "worst_share", verdict->worst_share);
    put(out, "variable", text_or_null(verdict->variable));
    put_rounded(out, "max_share", verdict->max_share);
    put_rounded(out, "tolerance_degc", verdict->tolerance);
    put(out, "text", sst_json_text(verdict->text));
    return out;
}

/* Whole numbers of steps; those that no integer holds are none. */
static json_t *map_values(const struct sst_map *map, double step)
{
    static const double largest = 1e15;
    json_t *out = json_array();
    for (size_t row = 0; row < map->n_rows; ++row) {
        for (size_t col = 0; col < map->n_cols; ++col) {
            const double steps = round(sst_map_value(map, row, col) / step);
            (void)json_array_append_new(out, fabs(steps) < largest ? json_integer((json_int_t)steps) : json_null());
        }
    }
    return out;
}

static json_t *map_sea(const struct sst_map *sea)
{
    json_t *out = json_array();
    char cells[SST_MAP_MAX_COLS];
    for (size_t row = 0; row < sea->n_rows; ++row) {
        for (size_t col = 0; col < sea->n_cols; ++col)
            cells[col] = sst_map_value(sea, row, col) >= 0.5 ? '1' : '0';
        (void)json_array_append_new(out, json_stringn(cells, sea->n_cols));
    }
    return out;
}

json_t *sst_block_map(const struct sst_map *map, const struct sst_map_labels *labels, const struct sst_map *sea)
{
    json_t *out = json_object();
    put(out, "key", sst_json_text(labels->key));
    put(out, "title", sst_json_text(labels->title));
    put(out, "variable", text_or_null(labels->variable));
    put(out, "unit", sst_json_text(labels->unit));
    put(out, "is_signed", json_boolean(labels->is_signed));
    put(out, "is_sparse", json_boolean(labels->is_sparse));
    put_count(out, "rows", map->n_rows);
    put_count(out, "cols", map->n_cols);
    put_rounded(out, "north", map->north);
    put_rounded(out, "south", map->south);
    put_rounded(out, "west", map->west);
    put_rounded(out, "east", map->east);
    put_rounded(out, "step", labels->step);
    put(out, "values", map_values(map, labels->step));
    put(out, "sea", sea ? map_sea(sea) : json_null());
    return out;
}
