/*
 * events.geojson and areas.csv: areas that are in a heatwave on a feed's newest day, and those that ended or merged while their
 * days are kept.
 */
#ifndef SST_MONITOR_FEED_AREAS_H
#define SST_MONITOR_FEED_AREAS_H

#include "core/text.h"
#include "monitor/feed_day.h"

/* All is borrowed. */
struct sst_feed_areas {
    const struct sst_feed_about *about;
    const struct sst_feed_day *day; /* its areas present are listed first */
    const struct sst_area_tracker *tracker; /* stepped to that day: its outlines. Not asked where there is no area */
    /* Areas that are gone, those that went on this day too, in the order in which they are to be listed. */
    const struct sst_feed_past_area {
        struct sst_area area;
        int revision; /* of the day area.last */
    } * past;
    size_t n_past;
    double min_km2; /* areas that never had so much are left out; events.geojson says how many */
    int64_t now; /* [s] of 1970, UTC */
};

/*
 * RFC 7946, with `metadata` beside the features. An area that is there has its outline as a Polygon or MultiPolygon, cut at
 * 180 degrees, and a bbox; one that is gone has no geometry, its last place stands in its properties.
 *
 * Errors   SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_feed_areas_geojson(const struct sst_feed_areas *areas, struct sst_text *out,
                                                      struct sst_error *err);

/* RFC 4180, with heatwaveR's names for what it has too; what is not known is empty. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_areas_csv(const struct sst_feed_areas *areas, struct sst_text *out,
                                                  struct sst_error *err);

#endif
