/* regions.geojson and regions/NAME.csv: what the days say of each region. */
#ifndef SST_MONITOR_FEED_REGIONS_H
#define SST_MONITOR_FEED_REGIONS_H

#include "core/text.h"
#include "monitor/feed_day.h"

/*
 * Regions as Polygons or MultiPolygons, cut at 180 degrees, with the numbers of the day.
 *
 * now      [s] of 1970, UTC
 * Errors   SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_feed_regions_geojson(const struct sst_feed_about *about,
                                                        const struct sst_feed_day *day, int64_t now,
                                                        struct sst_text *out, struct sst_error *err);

/* A line of a region's file. */
struct sst_feed_region_line {
    struct sst_day day;
    int revision;
    bool is_absent, is_preliminary;
    const struct sst_region_day *numbers; /* of an absent day too: it says what is unknown */
};

/* A region's file as it is. */
struct sst_feed_old_csv {
    const char *text; /* NULL: there is none yet */
    size_t n_bytes;
    const char *what; /* names the file in messages */
};

/*
 * Puts lines into the text of a region's file, each in place of the line of the same day or where its day belongs. So the file
 * itself is what is known of days gone by, and a revised day changes its line alone.
 *
 * region   index into about->regions
 * lines    ascending by day, none twice
 * Errors   SST_ERR_INPUT where `old` is no such file; SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_feed_region_csv(const struct sst_feed_about *about, size_t region,
                                                   const struct sst_feed_region_line *lines, size_t n_lines,
                                                   const struct sst_feed_old_csv *old, struct sst_text *out,
                                                   struct sst_error *err);

#endif
