/*
 * A region on one day: how much of its sea is in a heatwave, how strong, and of what that is a share.
 *
 *   all cells of the region
 *     ├─ land, or sea for which the climatology has no threshold      no part of anything
 *     ├─ ice, or sea whose threshold is too near to its mean          beside the denominator, told as its own area
 *     └─ sea that is judged  =  known (has a value today)  +  unknown (has none)
 *
 * Shares are of what is known; what is unknown is told beside them, so that nobody takes a gap for calm water.
 */
#ifndef SST_MONITOR_REGION_DAY_H
#define SST_MONITOR_REGION_DAY_H

#include <stdint.h>

#include "monitor/region.h"

/* Hobday et al. 2018: moderate, strong, severe, extreme. */
enum { SST_N_CATEGORIES = 4 };

/* What a day says of each cell of the domain. All arrays have n_cells items and are borrowed. */
struct sst_region_cells {
    /* enum sst_region_cell */
    const uint8_t *kind;
    const uint8_t *category; /* 0 none, 1..SST_N_CATEGORIES */
    const uint8_t *is_event; /* 1: a day of an event, a bridged one too */
    const uint8_t *is_candidate; /* 1: beyond the threshold, in a run that is too short so far */
    const float *anomaly; /* [K] from the mean; NaN: none */
    const float *severity; /* [1] anomaly over (threshold - mean); NaN: none */
};

enum sst_region_cell { SST_REGION_NO_SEA, SST_REGION_BESIDE, SST_REGION_UNKNOWN, SST_REGION_KNOWN };

struct sst_region_day {
    double known_km2, unknown_km2, beside_km2;
    double category_km2[SST_N_CATEGORIES + 1]; /* of what is known; 0: bridged days of events */
    double candidate_km2;
    double mean_anomaly; /* [K] of what is known, by area; NaN where nothing is */
    double mean_intensity, max_intensity; /* [K] anomaly of cells with a category, by area; NaN where there is none */
    uint32_t max_cell; /* of max_intensity, the first one; of the domain */
    double p90_severity; /* [1] a tenth of the known area has more; NaN where nothing is known */
};

/* Scratch for days of one set of regions. */
struct sst_region_scratch;

/*
 * Owner    the caller; sst_region_scratch_destroy, which accepts NULL inside. The set and the domain are borrowed.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_region_scratch_create(const struct sst_region_set *set,
                                                         const struct sst_domain *domain,
                                                         struct sst_region_scratch **out, struct sst_error *err);
void sst_region_scratch_destroy(struct sst_region_scratch **scratch);

/* Sums up one day of one region: cells in ascending order, so the same bits whatever else is done. */
void sst_region_sum_day(struct sst_region_scratch *scratch, const struct sst_region *region,
                        const struct sst_region_cells *cells, struct sst_region_day *out);

#endif
