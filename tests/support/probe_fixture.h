/* A sample and its series without a run: every cell of a small grid is a probe, values and thresholds are set by hand. */
#ifndef SST_TEST_PROBE_FIXTURE_H
#define SST_TEST_PROBE_FIXTURE_H

#include "validate/series.h"

struct probe_fixture_spec {
    size_t n_lat, n_lon; /* rows from the equator northwards, 5 degrees apart; columns an eighth of a degree apart */
    struct sst_pool_rule pools;
    int first_slot, n_slots; /* of the outputs; n_slots 0 means the whole ring */
};

struct probe_fixture {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_sample *sample; /* one percentile, no shape */
    struct sst_series *series;
};

void probe_fixture_make(struct probe_fixture *fixture, const struct probe_fixture_spec *spec);
void probe_fixture_clear(struct probe_fixture *fixture);

/* Where the code of a day stands; the day must be of the series' years. */
int16_t *probe_fixture_code(const struct probe_fixture *fixture, size_t cell, struct sst_day day);

/* Gives every day of the series' calendar one code. */
void probe_fixture_fill(const struct probe_fixture *fixture, size_t cell, int code);

/* Gives `n` days from one on, as the calendar has them, one code. */
void probe_fixture_run(const struct probe_fixture *fixture, size_t cell, struct sst_day first, int n, int code);

/* Gives all slots of a cell one threshold in a column of the sample's form. */
void probe_fixture_thresholds(const struct probe_fixture *fixture, size_t cell, float threshold, float *column);

#endif
