/*
 * Parts of the sea for tables: boxes and latitude bands whose width is the smallest of 1, 2, 5, 10, 15, 30, 45 degrees that
 * gives at most SST_MAX_REGIONS of them; seasons by months. Edges lie on multiples of the width.
 */
#ifndef SST_VALIDATE_REGIONS_H
#define SST_VALIDATE_REGIONS_H

#include <stddef.h>

#include "core/calendar.h"
#include "core/grid.h"

enum { SST_MAX_REGIONS = 48, SST_REGION_NAME_SIZE = 64, SST_N_SEASONS = 4 };

struct sst_regions {
    double south, west; /* [degrees] of the first box */
    double width; /* [degrees] */
    size_t n_lat, n_lon; /* boxes; n_lon 1 and whole_circle for bands */
    bool whole_circle; /* latitude bands: longitude does not matter */
};

struct sst_regions sst_regions_boxes(const struct sst_domain *domain);
struct sst_regions sst_regions_bands(const struct sst_domain *domain);

static inline size_t sst_regions_count(struct sst_regions regions) { return regions.n_lat * regions.n_lon; }

/* Which one holds a place of the domain, in any convention of longitude. */
size_t sst_regions_at(struct sst_regions regions, double lat, double lon);

/* "60S-30S 120E-150E", "10S-0", "0-5N 175E-180" into a buffer of SST_REGION_NAME_SIZE; returns it. */
const char *sst_regions_name(struct sst_regions regions, size_t region, char *buffer);

/* 0..3 and "Dec-Feb", "Mar-May", "Jun-Aug", "Sep-Nov". */
size_t sst_season_of(enum sst_calendar_kind calendar, int slot);
const char *sst_season_name(size_t season);

#endif
