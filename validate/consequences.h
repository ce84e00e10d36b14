/*
 * What the error of a threshold does to heatwaves: the baseline's years of the series against the exact and against the
 * approximate threshold. Heatwaves are runs of at least 5 days strictly beyond the threshold, joined over gaps of at most 2
 * (kernels/cell_event.h); for percentiles below 50 cold spells below it.
 */
#ifndef SST_VALIDATE_CONSEQUENCES_H
#define SST_VALIDATE_CONSEQUENCES_H

#include <stdbool.h>

#include "core/status.h"
#include "validate/sample.h"
#include "validate/series.h"

/* Means over cells by area. */
struct sst_spells {
    double days_per_year, events_per_year;
    double mean_days; /* length of an event */
};

/* Share of days beyond the threshold, per cell: 0.1 is expected of P90. Mean by area, and across cells. 0..1 */
struct sst_exceedance {
    double mean, p05, p95;
};

struct sst_consequences {
    size_t n_cells;
    int n_years;
    bool is_cold;
    struct sst_spells exact, approx;
    double missed,
        added; /* heatwave days of the exact threshold that are lost; days that are not among them: as shares of the exact ones */
    double jaccard; /* days in both / days in either, of all cells together by area; median, p05 across cells below */
    double jaccard_p05, jaccard_median;
    struct sst_exceedance exact_exceedance, approx_exceedance;
};

/*
 * approx   a column as in the sample: its own, or the corrected one.
 *
 * Values   float32(T) > float32(threshold), as everywhere. A day or a threshold that is missing is not beyond.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_consequences_count(const struct sst_series *series, const struct sst_sample *sample,
                                                      size_t percentile_index, double percentile, const float *approx,
                                                      struct sst_consequences *out, struct sst_error *err);

#endif
