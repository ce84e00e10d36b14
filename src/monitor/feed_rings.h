/* Rings as GeoJSON has them (RFC 7946): of regions, cut at 180 degrees, and the boxes round them. */
#ifndef SST_MONITOR_FEED_RINGS_H
#define SST_MONITOR_FEED_RINGS_H

#include "monitor/area.h"

/*
 * The rings of a region: cut at 180 degrees, closed, outer ones anticlockwise, each followed by its holes, clockwise. Where a
 * ring crosses 180 degrees more than twice, its parts on a side may stay joined along that meridian.
 *
 * out      cleared first. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_feed_region_outline(const struct sst_region *region, struct sst_outline *out,
                                                       struct sst_error *err);

/* What outlines span. Start from zeros. */
struct sst_feed_spans {
    struct sst_feed_span {
        double west, east; /* of an outer ring; -180..180 */
    } * spans;
    size_t n, capacity;
    double south, north;
};

/* Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_spans_add(struct sst_feed_spans *spans, const struct sst_outline *outline,
                                                  struct sst_error *err);
void sst_feed_spans_clear(struct sst_feed_spans *spans);

/*
 * The least box round all of them: west, south, east, north; west > east where it crosses 180 degrees (RFC 7946, 5.2).
 *
 * Returns  false where there are none.
 */
bool sst_feed_spans_box(struct sst_feed_spans *spans, double box[4]);

#endif
