/* A sample and its series, made for tests. */
#include "probe_fixture.h"

#include <check.h>

enum { MOST_AXIS = 2048, SEED = 1 };

void probe_fixture_make(struct probe_fixture *fixture, const struct probe_fixture_spec *spec)
{
    static double lat[MOST_AXIS], lon[MOST_AXIS];
    static size_t probes[MOST_AXIS];
    static int slots[SST_N_SLOTS];
    struct sst_error err = {0};
    *fixture = (struct probe_fixture){0};
    for (size_t row = 0; row < spec->n_lat; ++row)
        lat[row] = 5.0 * (double)row;
    for (size_t col = 0; col < spec->n_lon; ++col)
        lon[col] = 100.0 + 0.125 * (double)col;
    ck_assert_int_eq(sst_grid_create(lat, spec->n_lat, lon, spec->n_lon, &fixture->grid, &err), SST_OK);
    sst_domain_all(fixture->grid, &fixture->domain);
    ck_assert_uint_le(fixture->domain.n_cells, MOST_AXIS);
    for (size_t cell = 0; cell < fixture->domain.n_cells; ++cell)
        probes[cell] = cell;
    const int n_slots = spec->n_slots ? spec->n_slots : sst_calendar_n_slots(spec->pools.kind);
    for (int i = 0; i < n_slots; ++i)
        slots[i] = (spec->n_slots ? spec->first_slot : 1) + i;
    const struct sst_sample_spec sample = {.domain = &fixture->domain,
                                           .calendar = spec->pools.kind,
                                           .probes = probes,
                                           .n_probes = fixture->domain.n_cells,
                                           .seed = SEED,
                                           .slots = slots,
                                           .n_slots = (size_t)n_slots,
                                           .n_percentiles = 1};
    ck_assert_int_eq(sst_sample_create(&sample, &fixture->sample, &err), SST_OK);
    ck_assert_int_eq(sst_series_create(fixture->sample, &fixture->domain, SEED, &spec->pools, SST_LATTICE_CENTI,
                                       &fixture->series, &err),
                     SST_OK);
}

void probe_fixture_clear(struct probe_fixture *fixture)
{
    sst_series_destroy(&fixture->series);
    sst_sample_destroy(&fixture->sample);
    sst_grid_destroy(&fixture->grid);
}

int16_t *probe_fixture_code(const struct probe_fixture *fixture, size_t cell, struct sst_day day)
{
    const struct sst_series *series = fixture->series;
    /* A passed ck_assert costs a write to Check's log; this is called for every day. */
    if (day.year < series->first_year || day.year > series->last_year)
        ck_abort_msg("the series have no year %d", day.year);
    const size_t row = (size_t)(day.year - series->first_year) * SST_N_SLOTS + (size_t)day.slot - 1;
    return series->codes + row * series->n_cells + cell;
}

void probe_fixture_fill(const struct probe_fixture *fixture, size_t cell, int code)
{
    const struct sst_series *series = fixture->series;
    for (struct sst_day day = {series->first_year, 1}; day.year <= series->last_year;
         day = sst_calendar_next_day(series->pools.kind, day))
        *probe_fixture_code(fixture, cell, day) = (int16_t)code;
}

void probe_fixture_run(const struct probe_fixture *fixture, size_t cell, struct sst_day first, int n, int code)
{
    struct sst_day day = first;
    for (int i = 0; i < n; ++i) {
        *probe_fixture_code(fixture, cell, day) = (int16_t)code;
        day = sst_calendar_next_day(fixture->series->pools.kind, day);
    }
}

void probe_fixture_thresholds(const struct probe_fixture *fixture, size_t cell, float threshold, float *column)
{
    const struct sst_sample *sample = fixture->sample;
    for (size_t place = 0; place < sample->n_places; ++place)
        column[place * sample->n_cells + cell] = threshold;
}
