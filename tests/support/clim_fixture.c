/* See the header. */
#include "clim_fixture.h"

#include <math.h>
#include <stdlib.h>

#include "core/flags.h"
#include "test_main.h"

static const double percentiles[] = {90, 10, 97.5};
enum { N_PERCENTILES = sizeof percentiles / sizeof percentiles[0] };

void clim_fixture_make(struct clim_fixture *fixture, const char *path)
{
    double lat[CLIM_FIXTURE_ROWS], lon[CLIM_FIXTURE_COLS];
    struct sst_error err = {0};
    *fixture = (struct clim_fixture){0};
    for (int row = 0; row < CLIM_FIXTURE_ROWS; ++row)
        lat[row] = -40.125 + 0.25 * row;
    for (int col = 0; col < CLIM_FIXTURE_COLS; ++col)
        lon[col] = 150.125 + 0.25 * col;
    if (sst_grid_create(lat, CLIM_FIXTURE_ROWS, lon, CLIM_FIXTURE_COLS, &fixture->grid, &err) != SST_OK)
        ck_abort_msg("%s", err.text);
    sst_domain_all(fixture->grid, &fixture->domain);
    fixture->pools = (struct sst_pool_rule){SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 1991, 2020, 5};
    for (int i = 0; i < SST_N_SLOTS; ++i)
        fixture->slots[i] = i + 1;
    fixture->spec = (struct sst_clim_spec){.path = path,
                                           .domain = &fixture->domain,
                                           .pools = &fixture->pools,
                                           .slots = fixture->slots,
                                           .n_slots = SST_N_SLOTS,
                                           .percentiles = percentiles,
                                           .n_percentiles = N_PERCENTILES,
                                           .smooth_days = 31,
                                           .estimator = "Cornish-Fisher expansion of four moments.",
                                           .standard_name = "",
                                           .sst_long_name_prefix = "sea surface temperature",
                                           .deflate_level = SST_CLIM_DEFLATE_LEVEL};
}

void clim_fixture_clear(struct clim_fixture *fixture) { sst_grid_destroy(&fixture->grid); }

double clim_fixture_mean(int slot, size_t cell)
{
    return cell == CLIM_FIXTURE_LAND ? (double)NAN : 10 + slot / 64.0 + (double)cell / 1000.0;
}

double clim_fixture_percentile(double percentile, int slot, size_t cell)
{
    return clim_fixture_mean(slot, cell) + (percentile > 95 ? 2 : percentile > 50 ? 1.25 : -1.25);
}

unsigned clim_fixture_n_obs(int slot, size_t cell)
{
    return cell == CLIM_FIXTURE_LAND || slot == SST_SLOT_FEB29 ? 0 : (unsigned)slot + (unsigned)cell;
}

unsigned clim_fixture_flags(int slot, size_t cell)
{
    if (cell == CLIM_FIXTURE_LAND)
        return SST_FLAG_MISSING;
    return slot == SST_SLOT_FEB29 ? SST_FLAG_DERIVED_LEAP_DAY : cell == 0 ? SST_FLAG_GUARDED_ESTIMATE : 0;
}

double clim_fixture_approx_bound(size_t index, int slot, size_t cell)
{
    return cell == CLIM_FIXTURE_LAND ? NAN : 0.125 * (double)(1 + index) + (double)slot / 1024.0;
}

enum sst_status clim_fixture_put(const struct clim_fixture *fixture, struct sst_clim_file *file, int slot,
                                 struct sst_error *err)
{
    const size_t n_cells = fixture->domain.n_cells;
    double *mean = calloc(n_cells, sizeof *mean), *quantile[3 * N_PERCENTILES];
    uint16_t *n_obs = calloc(n_cells, sizeof *n_obs), *flags = calloc(n_cells, sizeof *flags);
    for (size_t p = 0; p < 3 * N_PERCENTILES; ++p)
        quantile[p] = calloc(n_cells, sizeof *quantile[p]);
    for (size_t cell = 0; cell < n_cells; ++cell) {
        mean[cell] = clim_fixture_mean(slot, cell);
        n_obs[cell] = (uint16_t)clim_fixture_n_obs(slot, cell);
        flags[cell] = (uint16_t)clim_fixture_flags(slot, cell);
        for (size_t p = 0; p < N_PERCENTILES; ++p) {
            const double value = clim_fixture_percentile(percentiles[p], slot, cell);
            quantile[p][cell] = value;
            quantile[N_PERCENTILES + p][cell] = value - CLIM_FIXTURE_BOUND;
            quantile[2 * N_PERCENTILES + p][cell] = value + CLIM_FIXTURE_BOUND;
        }
    }
    const size_t n_bounds = N_PERCENTILES * fixture->spec.n_coverages;
    float *bounds = calloc(n_bounds * n_cells + 1, sizeof *bounds);
    const float *bound[N_PERCENTILES * CLIM_FIXTURE_MAX_COVERAGES] = {0};
    for (size_t b = 0; b < n_bounds; ++b) {
        bound[b] = bounds + b * n_cells;
        for (size_t cell = 0; cell < n_cells; ++cell)
            bounds[b * n_cells + cell] = (float)clim_fixture_approx_bound(b, slot, cell);
    }
    const struct sst_clim_values values = {
        .slot = slot,
        .mean = mean,
        .quantile = (const double *const *)quantile,
        .approx_bound = bound,
        .n_obs = n_obs,
        .flags = flags,
    };
    const enum sst_status rc = sst_clim_put(file, &values, err);
    free(bounds);
    for (size_t p = 0; p < 3 * N_PERCENTILES; ++p)
        free(quantile[p]);
    free(mean);
    free(n_obs);
    free(flags);
    return rc;
}

enum sst_status clim_fixture_put_all(const struct clim_fixture *fixture, struct sst_clim_file *file,
                                     struct sst_error *err)
{
    const int n_slots = fixture->spec.n_slots;
    const int begin = n_slots < CLIM_FIXTURE_FIRST_PUT ? 0 : CLIM_FIXTURE_FIRST_PUT - 1;
    for (int i = 0; i < n_slots; ++i)
        SST_TRY(clim_fixture_put(fixture, file, fixture->spec.slots[(begin + i) % n_slots], err));
    return SST_OK;
}

enum sst_status clim_fixture_write(const struct clim_fixture *fixture, struct sst_error *err)
{
    static const struct sst_attribute attributes[] = {
        {"title", "Daily climatology of sea surface temperature, a test"},
        {"summary", "Mean and percentiles per calendar day of generated values."},
        {"keywords", "EARTH SCIENCE > OCEANS > OCEAN TEMPERATURE > SEA SURFACE TEMPERATURE"},
        {"institution", "none"},
        {"source", "generated values"},
        {"references", "Hobday et al. 2016, doi:10.1016/j.pocean.2015.12.014"},
        {"comment", "for tests"},
        {"history", "2026-01-01T00:00:00Z sststream: test"},
        {"sststream_parameters", "--approx cf --baseline 1991-2020"},
        {"baseline_type", "fixed"},
        {"license", ""}};
    struct sst_clim_file *file = NULL;
    SST_TRY(sst_clim_create(&fixture->spec, &file, err));
    const enum sst_status rc = clim_fixture_put_all(fixture, file, err);
    if (rc != SST_OK) {
        sst_clim_abandon(&file);
        return rc;
    }
    return sst_clim_finish(&file, attributes, sizeof attributes / sizeof attributes[0], err);
}
