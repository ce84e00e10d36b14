/*
 * Outlines of areas: the edges between cells that belong and cells that do not, linked to rings with the area on the left.
 *
 *   corner (x, y)    y: rows from the south, 0..n_rows     x: 2 j is the western side of the map's column j, 2 j + 1 its eastern side
 *                                                         where no column follows on it; else that is 2 (j + 1)
 *   map column j     columns by longitude from -180 on, so a ring never crosses 180 degrees
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/area_private.h"

struct corner {
    uint32_t x, y;
};

struct edge {
    struct corner from, to;
    bool is_used;
};

/* A ring in corners, before it is known what it is. */
struct ring {
    size_t first, n; /* in the list of corners */
    double area; /* in steps of corners; negative: a hole */
    struct corner inside; /* twice a place of the area beside the first edge: odd, so on no edge */
    size_t outer; /* of a hole: which ring it lies in */
};

/* The corners of a ring that is being followed. */
struct way {
    struct corner *corners;
    size_t n, capacity;
};

struct tracing {
    const struct sst_area_tracker *tracker;
    uint32_t label;
    size_t n_rows, n_cols, start; /* start: the domain's column that is the first of the map */
    bool is_up; /* rows go north */
    struct edge *edges;
    size_t n_edges, edges_capacity;
    struct corner *corners;
    size_t n_corners, corners_capacity;
    struct ring *rings;
    size_t n_rings, rings_capacity;
};

/* --- the map ------------------------------------------------------------------------------------------------------ */

static size_t column_of(const struct tracing *tracing, size_t j) { return (tracing->start + j) % tracing->n_cols; }

static double centre_lon(const struct tracing *tracing, size_t j)
{
    const double lon = remainder(sst_domain_lon(tracing->tracker->domain, column_of(tracing, j)), 360.0);
    return lon >= 180.0 ? lon - 360.0 : lon;
}

/* Whether map column j + 1 lies on the eastern side of column j. */
static bool is_followed(const struct tracing *tracing, size_t j)
{
    return j + 1 < tracing->n_cols && (column_of(tracing, j) + 1 < tracing->n_cols || tracing->tracker->wraps);
}

static bool belongs(const struct tracing *tracing, size_t y, size_t j)
{
    const size_t row = tracing->is_up ? y : tracing->n_rows - 1 - y;
    return tracing->tracker->labels[row * tracing->n_cols + column_of(tracing, j)] == tracing->label;
}

static void set_map(struct tracing *tracing, const struct sst_area_tracker *tracker, size_t area)
{
    const struct sst_domain *domain = tracker->domain;
    *tracing = (struct tracing){.tracker = tracker,
                                .label = (uint32_t)area + 1,
                                .n_rows = domain->n_rows,
                                .n_cols = domain->n_cols,
                                .is_up = domain->n_rows < 2 || sst_domain_lat(domain, 1) > sst_domain_lat(domain, 0)};
    size_t least = 0;
    for (size_t j = 1; j < tracing->n_cols; ++j)
        if (centre_lon(tracing, j) < centre_lon(tracing, least))
            least = j;
    tracing->start = least;
}

/* --- edges -------------------------------------------------------------------------------------------------------- */

static enum sst_status add_edge(struct tracing *tracing, uint32_t x0, uint32_t y0, uint32_t x1, uint32_t y1,
                                struct sst_error *err)
{
    SST_TRY(sst_grow(&tracing->edges, &tracing->edges_capacity, tracing->n_edges + 1, sizeof *tracing->edges,
                     "the outline of an area", err));
    tracing->edges[tracing->n_edges++] = (struct edge){{x0, y0}, {x1, y1}, false};
    return SST_OK;
}

static enum sst_status add_cell(struct tracing *tracing, size_t row, size_t j, struct sst_error *err)
{
    const uint32_t y = (uint32_t)row, west = (uint32_t)(2 * j);
    const uint32_t east = is_followed(tracing, j) ? west + 2 : west + 1;
    const bool has_west = j > 0 && is_followed(tracing, j - 1);
    if (row == 0 || !belongs(tracing, row - 1, j))
        SST_TRY(add_edge(tracing, west, y, east, y, err));
    if (east == west + 1 || !belongs(tracing, row, j + 1))
        SST_TRY(add_edge(tracing, east, y, east, y + 1, err));
    if (row + 1 == tracing->n_rows || !belongs(tracing, row + 1, j))
        SST_TRY(add_edge(tracing, east, y + 1, west, y + 1, err));
    if (!has_west || !belongs(tracing, row, j - 1))
        SST_TRY(add_edge(tracing, west, y + 1, west, y, err));
    return SST_OK;
}

static int compare_corners(struct corner a, struct corner b)
{
    return a.y != b.y ? (a.y > b.y) - (a.y < b.y) : (a.x > b.x) - (a.x < b.x);
}

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    const int by_from = compare_corners(x->from, y->from);
    return by_from != 0 ? by_from : compare_corners(x->to, y->to);
}

static enum sst_status find_edges(struct tracing *tracing, struct sst_error *err)
{
    const struct sst_area_rows rows = tracing->tracker->rows[tracing->label - 1];
    const size_t south = tracing->is_up ? rows.first : tracing->n_rows - 1 - rows.last;
    const size_t north = tracing->is_up ? rows.last : tracing->n_rows - 1 - rows.first;
    for (size_t row = south; row <= north; ++row)
        for (size_t j = 0; j < tracing->n_cols; ++j)
            if (belongs(tracing, row, j))
                SST_TRY(add_cell(tracing, row, j, err));
    if (tracing->n_edges > 0)
        qsort(tracing->edges, tracing->n_edges, sizeof *tracing->edges, compare_edges);
    return SST_OK;
}

/* --- rings -------------------------------------------------------------------------------------------------------- */

static double turn_of(const struct edge *from, const struct edge *to)
{
    const double ax = (double)from->to.x - from->from.x, ay = (double)from->to.y - from->from.y;
    const double bx = (double)to->to.x - to->from.x, by = (double)to->to.y - to->from.y;
    return ax * by - ay * bx;
}

/* The edge that goes on; where two do, the one to the left, which stays with the same cell. */
static struct edge *next_edge(const struct tracing *tracing, const struct edge *edge, bool *is_fork)
{
    size_t low = 0, high = tracing->n_edges;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_corners(tracing->edges[middle].from, edge->to) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct edge *best = &tracing->edges[low];
    *is_fork = low + 1 < tracing->n_edges && compare_corners(best[1].from, edge->to) == 0;
    return *is_fork && turn_of(edge, &best[1]) > turn_of(edge, best) ? &best[1] : best;
}

/* A ring of the last n corners. */
static enum sst_status add_ring(struct tracing *tracing, size_t n, struct sst_error *err)
{
    struct ring ring = {.first = tracing->n_corners - n, .n = n};
    const struct corner *at = tracing->corners + ring.first;
    for (size_t i = 0; i < n; ++i) {
        const struct corner a = at[i], b = at[(i + 1) % n];
        ring.area += 0.5 * ((double)a.x * b.y - (double)b.x * a.y);
    }
    /* A little to the left of its first edge. */
    const struct corner a = at[0], b = at[1];
    if (a.y == b.y)
        ring.inside = (struct corner){b.x > a.x ? 2 * a.x + 1 : 2 * a.x - 1, b.x > a.x ? 2 * a.y + 1 : 2 * a.y - 1};
    else
        ring.inside = (struct corner){b.y > a.y ? 2 * a.x - 1 : 2 * a.x + 1, b.y > a.y ? 2 * a.y + 1 : 2 * a.y - 1};
    SST_TRY(sst_grow(&tracing->rings, &tracing->rings_capacity, tracing->n_rings + 1, sizeof *tracing->rings,
                     "the outline of an area", err));
    tracing->rings[tracing->n_rings++] = ring;
    return SST_OK;
}

/* Where the way comes back to a corner, what lies between is a ring of its own, moved to the list of those that are done. */
static enum sst_status add_corner(struct tracing *tracing, struct way *way, struct corner corner, bool is_fork,
                                  struct sst_error *err)
{
    size_t i = is_fork ? 0 : way->n;
    while (i < way->n && compare_corners(way->corners[i], corner) != 0)
        ++i;
    if (i < way->n) {
        const size_t n = way->n - i;
        SST_TRY(sst_grow(&tracing->corners, &tracing->corners_capacity, tracing->n_corners + n,
                         sizeof *tracing->corners, "the outline of an area", err));
        memcpy(tracing->corners + tracing->n_corners, way->corners + i, n * sizeof *way->corners);
        tracing->n_corners += n;
        way->n = i;
        SST_TRY(add_ring(tracing, n, err));
    }
    SST_TRY(sst_grow(&way->corners, &way->capacity, way->n + 1, sizeof *way->corners, "the outline of an area", err));
    way->corners[way->n++] = corner;
    return SST_OK;
}

static enum sst_status follow(struct tracing *tracing, struct edge *start, struct way *way, struct sst_error *err)
{
    struct edge *edge = start;
    way->n = 0;
    do {
        bool is_fork = false;
        struct edge *next = next_edge(tracing, edge, &is_fork);
        edge->is_used = true;
        if (turn_of(edge, next) != 0) /* corners alone */
            SST_TRY(add_corner(tracing, way, edge->to, is_fork, err));
        edge = next;
    } while (edge != start);
    const size_t n = way->n;
    SST_TRY(sst_grow(&tracing->corners, &tracing->corners_capacity, tracing->n_corners + n, sizeof *tracing->corners,
                     "the outline of an area", err));
    if (n > 0) /* always: a closed way has corners */
        memcpy(tracing->corners + tracing->n_corners, way->corners, n * sizeof *way->corners);
    tracing->n_corners += n;
    return add_ring(tracing, n, err);
}

/* By edges north and south that lie west of the place; both are doubled, so none lies on it. */
static bool holds(const struct tracing *tracing, const struct ring *ring, struct corner place)
{
    bool inside = false;
    for (size_t i = 0; i < ring->n; ++i) {
        const struct corner a = tracing->corners[ring->first + i];
        const struct corner b = tracing->corners[ring->first + (i + 1) % ring->n];
        const bool is_between = (2 * a.y > place.y) != (2 * b.y > place.y);
        if (a.x == b.x && is_between && 2 * a.x < place.x)
            inside = !inside;
    }
    return inside;
}

/* A hole lies in the smallest outer ring that holds the cell beside it. */
static void find_outer(struct tracing *tracing)
{
    for (size_t i = 0; i < tracing->n_rings; ++i) {
        struct ring *hole = &tracing->rings[i];
        double least = INFINITY;
        for (size_t k = 0; k < tracing->n_rings && hole->area < 0; ++k) {
            const struct ring *outer = &tracing->rings[k];
            if (outer->area <= 0 || outer->area >= least || !holds(tracing, outer, hole->inside))
                continue;
            least = outer->area;
            hole->outer = k;
        }
    }
}

/* --- degrees ------------------------------------------------------------------------------------------------------ */

static double lon_at(const struct tracing *tracing, uint32_t x)
{
    const size_t j = x / 2;
    const struct sst_domain *domain = tracing->tracker->domain;
    const double step =
        tracing->n_cols > 1
            ? (sst_domain_lon(domain, tracing->n_cols - 1) - sst_domain_lon(domain, 0)) / (double)(tracing->n_cols - 1)
            : 1.0;
    const double lon = centre_lon(tracing, j) + (x % 2 ? 0.5 : -0.5) * step;
    return fmax(-180.0, fmin(180.0, lon));
}

static double lat_at(const struct tracing *tracing, uint32_t y)
{
    const struct sst_domain *domain = tracing->tracker->domain;
    const size_t n = tracing->n_rows, south = y > 0 ? y - 1 : 0, north = y < n ? y : n - 1;
    const double a = sst_domain_lat(domain, tracing->is_up ? south : n - 1 - south);
    const double b = sst_domain_lat(domain, tracing->is_up ? north : n - 1 - north);
    double lat = 0.5 * (a + b);
    if (south == north) { /* beyond the last row: as far as on its other side */
        const size_t beside = y == 0 ? (n > 1 ? 1 : 0) : (n > 1 ? n - 2 : 0);
        const double step = n > 1 ? fabs(sst_domain_lat(domain, tracing->is_up ? beside : n - 1 - beside) - a) : 1.0;
        lat = a + (y == 0 ? -0.5 : 0.5) * step;
    }
    return fmax(-90.0, fmin(90.0, lat));
}

static enum sst_status put_ring(const struct tracing *tracing, const struct ring *ring, struct sst_outline *out,
                                struct sst_error *err)
{
    size_t capacity = out->positions_capacity;
    SST_TRY(sst_grow(&out->lon, &capacity, out->n_positions + ring->n + 1, sizeof *out->lon, "an outline", err));
    SST_TRY(sst_grow(&out->lat, &out->positions_capacity, out->n_positions + ring->n + 1, sizeof *out->lat,
                     "an outline", err));
    SST_TRY(sst_grow(&out->rings, &out->rings_capacity, out->n_rings + 1, sizeof *out->rings, "an outline", err));
    out->rings[out->n_rings++] = (struct sst_outline_ring){out->n_positions, ring->n + 1, ring->area < 0};
    for (size_t i = 0; i <= ring->n; ++i) {
        const struct corner corner = tracing->corners[ring->first + i % ring->n];
        out->lon[out->n_positions] = lon_at(tracing, corner.x);
        out->lat[out->n_positions++] = lat_at(tracing, corner.y);
    }
    return SST_OK;
}

static enum sst_status put_rings(const struct tracing *tracing, struct sst_outline *out, struct sst_error *err)
{
    for (size_t i = 0; i < tracing->n_rings; ++i) {
        if (tracing->rings[i].area < 0)
            continue;
        SST_TRY(put_ring(tracing, &tracing->rings[i], out, err));
        for (size_t k = 0; k < tracing->n_rings; ++k)
            if (tracing->rings[k].area < 0 && tracing->rings[k].outer == i)
                SST_TRY(put_ring(tracing, &tracing->rings[k], out, err));
    }
    return SST_OK;
}

enum sst_status sst_area_outline(const struct sst_area_tracker *tracker, size_t area, struct sst_outline *out,
                                 struct sst_error *err)
{
    struct tracing tracing;
    struct way way = {0};
    enum sst_status rc = SST_OK;
    out->n_positions = out->n_rings = 0;
    set_map(&tracing, tracker, area);
    SST_TRY_GOTO(find_edges(&tracing, err));
    for (size_t i = 0; i < tracing.n_edges; ++i)
        if (!tracing.edges[i].is_used)
            SST_TRY_GOTO(follow(&tracing, &tracing.edges[i], &way, err));
    find_outer(&tracing);
    rc = put_rings(&tracing, out, err);
done:
    sst_free(tracing.edges);
    sst_free(tracing.corners);
    sst_free(tracing.rings);
    sst_free(way.corners);
    return rc;
}

void sst_outline_clear(struct sst_outline *outline)
{
    sst_free(outline->lon);
    sst_free(outline->lat);
    sst_free(outline->rings);
    *outline = (struct sst_outline){0};
}
