/* Cutting rings at 180 degrees, telling outer ones from holes, and boxes that may cross that meridian. */
#include "monitor/feed_rings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"

/* --- rings of a region -------------------------------------------------------------------------------------------- */

struct corner {
    double lon, lat;
};

/* A part of a ring between -180 and 180 degrees; not closed. */
struct part {
    struct corner *corners;
    size_t n, capacity;
    double area; /* [degrees^2] anticlockwise positive */
    size_t depth, holder; /* parts that hold it; the innermost of them */
};

struct parts {
    struct part *parts;
    size_t n, capacity;
};

static enum sst_status add_corner(struct part *part, double lon, double lat, struct sst_error *err)
{
    if (part->n > 0 && part->corners[part->n - 1].lon == lon && part->corners[part->n - 1].lat == lat)
        return SST_OK;
    SST_TRY(sst_grow(&part->corners, &part->capacity, part->n + 1, sizeof *part->corners, "a ring of a region", err));
    part->corners[part->n++] = (struct corner){lon, lat};
    return SST_OK;
}

/* Keeps what lies on one side of a meridian (Sutherland and Hodgman 1974): side 1 east of it, -1 west. */
static enum sst_status cut(const struct part *part, double meridian, int side, struct part *out, struct sst_error *err)
{
    out->n = 0;
    for (size_t i = 0; i < part->n; ++i) {
        const struct corner a = part->corners[i], b = part->corners[(i + 1) % part->n];
        const bool has_a = side * (a.lon - meridian) >= 0, has_b = side * (b.lon - meridian) >= 0;
        if (has_a)
            SST_TRY(add_corner(out, a.lon, a.lat, err));
        if (has_a != has_b)
            SST_TRY(add_corner(out, meridian, a.lat + (b.lat - a.lat) * (meridian - a.lon) / (b.lon - a.lon), err));
    }
    return SST_OK;
}

static double area_of(const struct part *part)
{
    double twice = 0;
    for (size_t i = 0; i < part->n; ++i) {
        const struct corner a = part->corners[i], b = part->corners[(i + 1) % part->n];
        twice += a.lon * b.lat - b.lon * a.lat;
    }
    return 0.5 * twice;
}

/* Adds the part of a ring that lies within 180 degrees of `middle`, moved to the map's longitudes. */
static enum sst_status add_part(struct parts *parts, const struct part *ring, double middle, struct sst_error *err)
{
    struct part east = {0}, part = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(cut(ring, middle - 180, 1, &east, err));
    SST_TRY_GOTO(cut(&east, middle + 180, -1, &part, err));
    for (size_t i = 0; i < part.n; ++i)
        part.corners[i].lon -= middle;
    if (part.n > 1 && memcmp(&part.corners[0], &part.corners[part.n - 1], sizeof *part.corners) == 0)
        --part.n;
    part.area = area_of(&part);
    if (part.area != 0) {
        SST_TRY_GOTO(
            sst_grow(&parts->parts, &parts->capacity, parts->n + 1, sizeof *parts->parts, "a ring of a region", err));
        parts->parts[parts->n++] = part;
        part.corners = NULL;
    }
done:
    sst_free(east.corners);
    sst_free(part.corners);
    return rc;
}

static enum sst_status add_parts(struct parts *parts, const struct sst_region_ring *ring, struct sst_error *err)
{
    struct part whole = {0};
    double west = INFINITY, east = -INFINITY;
    enum sst_status rc = SST_OK;
    for (size_t i = 0; i < ring->n; ++i) {
        SST_TRY_GOTO(add_corner(&whole, ring->lon[i], ring->lat[i], err));
        west = fmin(west, ring->lon[i]);
        east = fmax(east, ring->lon[i]);
    }
    for (double middle = 360 * floor((west + 180) / 360); middle - 180 < east; middle += 360)
        SST_TRY_GOTO(add_part(parts, &whole, middle, err));
done:
    sst_free(whole.corners);
    return rc;
}

/* By the edges that a line to the west crosses. */
static bool holds(const struct part *part, struct corner place)
{
    bool is_inside = false;
    for (size_t i = 0; i < part->n; ++i) {
        const struct corner a = part->corners[i], b = part->corners[(i + 1) % part->n];
        if ((a.lat > place.lat) != (b.lat > place.lat) &&
            a.lon + (b.lon - a.lon) * (place.lat - a.lat) / (b.lat - a.lat) < place.lon)
            is_inside = !is_inside;
    }
    return is_inside;
}

/* A region's places lie inside an odd number of rings, so a ring inside an odd number of others is a hole. */
static void find_holders(struct parts *parts)
{
    for (size_t i = 0; i < parts->n; ++i) {
        struct part *part = &parts->parts[i];
        struct corner place = part->corners[0]; /* the corner farthest from the cut, along which rings may touch */
        double least = INFINITY;
        for (size_t k = 1; k < part->n; ++k)
            if (fabs(part->corners[k].lon) < fabs(place.lon))
                place = part->corners[k];
        for (size_t k = 0; k < parts->n; ++k) {
            if (k == i || fabs(parts->parts[k].area) <= fabs(part->area) || !holds(&parts->parts[k], place))
                continue;
            ++part->depth;
            if (fabs(parts->parts[k].area) < least) {
                least = fabs(parts->parts[k].area);
                part->holder = k;
            }
        }
    }
}

static enum sst_status put_ring(const struct part *part, struct sst_outline *out, struct sst_error *err)
{
    const bool is_hole = part->depth % 2 == 1, is_turned = (part->area < 0) != is_hole;
    size_t capacity = out->positions_capacity;
    SST_TRY(sst_grow(&out->lon, &capacity, out->n_positions + part->n + 1, sizeof *out->lon, "an outline", err));
    SST_TRY(sst_grow(&out->lat, &out->positions_capacity, out->n_positions + part->n + 1, sizeof *out->lat,
                     "an outline", err));
    SST_TRY(sst_grow(&out->rings, &out->rings_capacity, out->n_rings + 1, sizeof *out->rings, "an outline", err));
    out->rings[out->n_rings++] = (struct sst_outline_ring){out->n_positions, part->n + 1, is_hole};
    for (size_t i = 0; i <= part->n; ++i) {
        const struct corner corner = part->corners[(is_turned ? part->n - i : i) % part->n];
        out->lon[out->n_positions] = corner.lon;
        out->lat[out->n_positions++] = fmax(-90, fmin(90, corner.lat)); /* boxes reach beyond, to hold the pole */
    }
    return SST_OK;
}

enum sst_status sst_feed_region_outline(const struct sst_region *region, struct sst_outline *out, struct sst_error *err)
{
    struct parts parts = {0};
    enum sst_status rc = SST_OK;
    out->n_positions = out->n_rings = 0;
    for (size_t i = 0; i < region->n_rings; ++i)
        SST_TRY_GOTO(add_parts(&parts, &region->rings[i], err));
    find_holders(&parts);
    for (size_t i = 0; i < parts.n; ++i) {
        if (parts.parts[i].depth % 2 == 1)
            continue;
        SST_TRY_GOTO(put_ring(&parts.parts[i], out, err));
        for (size_t k = 0; k < parts.n; ++k)
            if (parts.parts[k].depth % 2 == 1 && parts.parts[k].holder == i)
                SST_TRY_GOTO(put_ring(&parts.parts[k], out, err));
    }
done:
    for (size_t i = 0; i < parts.n; ++i)
        sst_free(parts.parts[i].corners);
    sst_free(parts.parts);
    return rc;
}

/* --- boxes -------------------------------------------------------------------------------------------------------- */

enum sst_status sst_feed_spans_add(struct sst_feed_spans *spans, const struct sst_outline *outline,
                                   struct sst_error *err)
{
    for (size_t r = 0; r < outline->n_rings; ++r) {
        const struct sst_outline_ring *ring = &outline->rings[r];
        if (ring->is_hole)
            continue;
        struct sst_feed_span span = {outline->lon[ring->first], outline->lon[ring->first]};
        SST_TRY(sst_grow(&spans->spans, &spans->capacity, spans->n + 1, sizeof *spans->spans, "a box", err));
        for (size_t i = ring->first; i < ring->first + ring->n; ++i) {
            const bool is_first = spans->n == 0 && i == ring->first;
            span.west = fmin(span.west, outline->lon[i]);
            span.east = fmax(span.east, outline->lon[i]);
            spans->south = is_first ? outline->lat[i] : fmin(spans->south, outline->lat[i]);
            spans->north = is_first ? outline->lat[i] : fmax(spans->north, outline->lat[i]);
        }
        spans->spans[spans->n++] = span;
    }
    return SST_OK;
}

void sst_feed_spans_clear(struct sst_feed_spans *spans)
{
    sst_free(spans->spans);
    *spans = (struct sst_feed_spans){0};
}

static int compare_spans(const void *a, const void *b)
{
    const struct sst_feed_span *x = a, *y = b;
    return (x->west > y->west) - (x->west < y->west);
}

/* The box is what the widest gap between spans leaves of the circle. */
bool sst_feed_spans_box(struct sst_feed_spans *spans, double box[4])
{
    if (spans->n == 0)
        return false;
    qsort(spans->spans, spans->n, sizeof *spans->spans, compare_spans);
    double reach = spans->spans[0].east, widest = 0, west = spans->spans[0].west, east = 0;
    for (size_t i = 1; i < spans->n; ++i) {
        const double gap = spans->spans[i].west - reach;
        if (gap > widest) {
            widest = gap;
            west = spans->spans[i].west;
            east = reach;
        }
        reach = fmax(reach, spans->spans[i].east);
    }
    if (spans->spans[0].west + 360 - reach >= widest) {
        west = spans->spans[0].west;
        east = reach;
    }
    box[0] = west;
    box[1] = spans->south;
    box[2] = east;
    box[3] = spans->north;
    return true;
}
