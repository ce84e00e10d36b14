/*
 * What the error of a threshold does to heatwaves: the baseline's years of the series against the exact and against the
 * approximate threshold. Heatwaves are runs of at least 5 days strictly beyond the threshold, joined over gaps of at most 2
 * (kernels/cell_event.h); for percentiles below 50 cold spells below it.
 */
#ifndef SST_VALIDATE_CONSEQUENCES_H
#define SST_VALIDATE_CONSEQUENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"
#include "validate/sample.h"
#include "validate/series.h"

/* Means over cells by area. Days that join two events count. */
struct sst_spells {
    double days_per_year, events_per_year;
    double mean_days; /* length of an event: all days / all events; NaN without any */
};

/*
 * Share of days beyond the threshold among those with a value and a threshold, per cell: 0.1 is expected of P90. Mean by
 * area; p05 and p95 across cells, each counting once. 0..1
 */
struct sst_exceedance {
    double mean, p05, p95;
};

/* Shares of heatwave days are NaN where there is no such day. */
struct sst_consequences {
    size_t n_cells; /* with a value and both thresholds on some day; the others count nowhere */
    int n_years;
    bool is_cold;
    struct sst_spells exact, approx;
    double missed; /* heatwave days under the exact threshold alone, as share of all under it */
    double added; /* those under the approximate threshold alone, as share of the same */
    double jaccard; /* days under both / days under either, of all cells together by area */
    double jaccard_p05, jaccard_median; /* across cells with such a day, each counting once */
    struct sst_exceedance exact_exceedance, approx_exceedance;
};

/*
 * approx   a column as in the sample: its own, or the corrected one.
 *
 * Values   float32(T) > float32(threshold), as everywhere. A day or a threshold that is missing is not beyond; a day that
 *          the rule never reads is none, and those beside it follow each other.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_consequences_count(const struct sst_series *series, const struct sst_sample *sample,
                                                      size_t percentile_index, double percentile, const float *approx,
                                                      struct sst_consequences *out, struct sst_error *err);

#endif
