/* What A in place of B does to heatwaves: daily files at sampled cells against the thresholds of both. */
#include <math.h>
#include <string.h>

#include "app/compare_findings.h"
#include "app/job.h"
#include "app/signals.h"
#include "stream/catalog.h"
#include "stream/reader.h"
#include "stream/source.h"
#include "validate/series.h"

struct detection {
    struct sst_compare *compare;
    struct sst_sources sources;
    struct sst_catalog *catalog;
    struct sst_domain domain; /* of the daily files, the cells of the climatologies */
    struct sst_grid *cut; /* its axes as a grid */
    struct sst_grid_map map; /* from the climatologies' grid to `cut` */
    struct sst_pool_rule pools;
    struct sst_series *series;
    struct sst_reader *reader;
};

static void detection_clear(struct detection *detection)
{
    sst_reader_destroy(&detection->reader);
    sst_series_destroy(&detection->series);
    sst_grid_destroy(&detection->cut);
    sst_catalog_destroy(&detection->catalog);
    sst_sources_clear(&detection->sources);
}

/* --- cells -------------------------------------------------------------------------------------------------------- */

/* The box of the daily files' grid that holds the climatologies' cells, which may be the whole or a part of it. */
static enum sst_status cut_box(struct detection *detection, struct sst_error *err)
{
    const struct sst_grid *own = detection->compare->domain.grid;
    struct sst_domain all;
    if (own->wraps) {
        sst_domain_all(detection->catalog->grid, &detection->domain);
        return SST_OK;
    }
    sst_domain_all(own, &all);
    const double first = sst_domain_lat(&all, 0), last = sst_domain_lat(&all, all.n_rows - 1);
    return sst_domain_box(detection->catalog->grid, sst_domain_lon(&all, 0), fmin(first, last),
                          sst_domain_lon(&all, all.n_cols - 1), fmax(first, last), &detection->domain, err);
}

static enum sst_status match_cells(struct detection *detection, struct sst_error *err)
{
    struct sst_error found = {SST_OK, ""};
    const struct sst_compare *compare = detection->compare;
    enum sst_status rc = cut_box(detection, &found);
    if (rc == SST_OK)
        rc = sst_domain_grid(&detection->domain, &detection->cut, &found);
    if (rc == SST_OK)
        rc = sst_grid_match(compare->domain.grid, detection->cut, &detection->map, &found);
    if (rc != SST_OK)
        return sst_fail(err, SST_ERR_GRID,
                        "--detect %s: the daily files lack the cells of the climatologies: %s. Give daily "
                        "files of that grid",
                        compare->options->detect[0], found.text);
    return SST_OK;
}

/* The daily files' cell that a cell of the climatologies' domain is. */
static size_t daily_cell(const struct detection *detection, size_t cell)
{
    const struct sst_domain *own = &detection->compare->domain;
    const size_t n_lat = own->grid->n_lat, n_lon = own->grid->n_lon;
    const size_t row = own->row0 + cell / own->n_cols, col = own->col0 + cell % own->n_cols;
    return (detection->map.flip_lat ? n_lat - 1 - row : row) * n_lon + (col + detection->map.shift_lon) % n_lon;
}

/* --- years -------------------------------------------------------------------------------------------------------- */

static enum sst_status year_is_whole(const struct detection *detection, int year, bool *is_whole, struct sst_error *err)
{
    struct sst_coverage coverage = {0};
    const enum sst_status rc = sst_catalog_coverage(detection->catalog, year, year, NULL, &coverage, err);
    *is_whole = rc == SST_OK && coverage.n_missing == 0;
    sst_coverage_clear(&coverage);
    return rc;
}

/* --baseline, else from the first whole year to the last. */
static enum sst_status settle_years(struct detection *detection, struct sst_error *err)
{
    const struct sst_options *options = detection->compare->options;
    const struct sst_catalog *catalog = detection->catalog;
    struct sst_pool_rule *pools = &detection->pools;
    *pools = (struct sst_pool_rule){.kind = catalog->calendar, .leap = SST_LEAP_OWN};
    if ((catalog->calendar == SST_CALENDAR_360_DAY) != (detection->compare->calendar == SST_CALENDAR_360_DAY))
        return sst_fail(err, SST_ERR_TIME,
                        "--detect %s: the daily files' calendar is %s, the climatologies' is %s. Give files "
                        "of that calendar",
                        options->detect[0], sst_calendar_name(catalog->calendar),
                        sst_calendar_name(detection->compare->calendar));
    if (options->is_given[SST_OPTION_ID_baseline]) {
        pools->first_year = options->first_year;
        pools->last_year = options->last_year;
        return SST_OK;
    }
    for (int year = catalog->first_day.year; year <= catalog->last_day.year; ++year) {
        bool is_whole = false;
        SST_TRY(year_is_whole(detection, year, &is_whole, err));
        if (!is_whole)
            continue;
        if (pools->first_year == 0)
            pools->first_year = year;
        pools->last_year = year;
    }
    if (pools->first_year == 0)
        return sst_fail(err, SST_ERR_TIME,
                        "--detect %s: no year has a file for each day. Name years with --baseline Y1-Y2",
                        options->detect[0]);
    return SST_OK;
}

/* --- days --------------------------------------------------------------------------------------------------------- */

static enum sst_status open_days(struct detection *detection, struct sst_error *err)
{
    const struct sst_compare *compare = detection->compare;
    const struct sst_reader_options reader_options = {
        .decode = sst_job_decode_options(compare->options),
        .stop_on_bad = compare->options->stop_on_bad,
        .notes = sst_log_note,
        .notes_user = compare->options->log,
    };
    SST_TRY(sst_series_create(compare->sample, &compare->domain, compare->options->seed, &detection->pools,
                              detection->catalog->lattice, &detection->series, err));
    for (size_t i = 0; i < detection->series->n_cells; ++i)
        detection->series->domain_cell[i] = daily_cell(detection, detection->series->domain_cell[i]);
    return sst_reader_create(detection->catalog, &detection->domain, &reader_options, &detection->reader, err);
}

/* Days in the order of time, so that files of many days are gone through once. */
static enum sst_status read_days(struct detection *detection, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &detection->pools;
    struct sst_coverage coverage = {0};
    size_t n_done = 0;
    struct sst_compare_daily *daily = &detection->compare->daily;
    SST_TRY(sst_catalog_coverage(detection->catalog, pools->first_year, pools->last_year, NULL, &coverage, err));
    const size_t n_present = coverage.n_present;
    daily->n_days_missing = coverage.n_missing;
    sst_coverage_clear(&coverage);
    if (n_present == 0)
        return sst_fail(
            err, SST_ERR_TIME, "--baseline %d-%d: no file of --detect is of these years; they hold %d to %d",
            pools->first_year, pools->last_year, detection->catalog->first_day.year, detection->catalog->last_day.year);
    for (int year = pools->first_year; year <= pools->last_year; ++year) {
        for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
            const struct sst_day day = {year, slot};
            const struct sst_field *field = NULL;
            if (!sst_catalog_has_day(detection->catalog, day))
                continue;
            if (sst_signals_cancelled(NULL))
                return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted");
            SST_TRY(sst_reader_get(detection->reader, day, &field, err));
            if (field)
                sst_series_put(detection->series, day, field);
            sst_progress_update(detection->compare->progress, ++n_done, n_present, 0);
        }
    }
    daily->n_days_read = sst_reader_totals(detection->reader)->n_days_read;
    daily->n_days_bad = sst_reader_totals(detection->reader)->n_days_bad;
    return SST_OK;
}

static enum sst_status count(struct detection *detection, struct sst_error *err)
{
    struct sst_compare *compare = detection->compare;
    const double percentile = isnan(compare->percentile) ? 90.0 : compare->percentile;
    compare->daily.first_year = detection->pools.first_year;
    compare->daily.last_year = detection->pools.last_year;
    compare->daily.is_there = true;
    return sst_consequences_count(detection->series, compare->sample, 0, percentile, compare->sample->approx[0],
                                  &compare->daily.consequences, err);
}

enum sst_status sst_compare_detect(struct sst_compare *compare, struct sst_error *err)
{
    struct detection detection = {.compare = compare};
    enum sst_status rc = SST_OK;
    if (compare->fields[0].field != SST_CLIM_PERCENTILE)
        return sst_fail(err, SST_ERR_INPUT,
                        "--detect: the climatologies have no percentile in common, so no threshold. Name it "
                        "with --var-a and --var-b");
    SST_TRY_GOTO(sst_job_scan(compare->options, compare->options->detect, compare->options->n_detect, compare->progress,
                              &detection.sources, &detection.catalog, err));
    SST_TRY_GOTO(match_cells(&detection, err));
    SST_TRY_GOTO(settle_years(&detection, err));
    SST_TRY_GOTO(open_days(&detection, err));
    sst_progress_begin(compare->progress, "read", "days", 0);
    rc = read_days(&detection, err);
    sst_progress_end(compare->progress);
    SST_TRY_GOTO(rc);
    SST_TRY_GOTO(count(&detection, err));
done:
    detection_clear(&detection);
    return rc;
}
