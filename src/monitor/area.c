/* Components of a day, and which of them were there the day before. */
#include "monitor/area.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/text.h"
#include "monitor/area_private.h"

#define RADIANS_PER_DEGREE 0.017453292519943295

const char *sst_area_status_name(enum sst_area_status status)
{
    static const char *const names[] = {"ongoing", "ended", "merged"};
    return names[status];
}

enum sst_status sst_area_tracker_create(const struct sst_domain *domain, enum sst_calendar_kind calendar,
                                        struct sst_area_tracker **out, struct sst_error *err)
{
    struct sst_area_tracker *tracker = NULL;
    const size_t n = domain->n_cells;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *tracker, "the areas of heatwaves", &tracker, err));
    tracker->domain = domain;
    tracker->calendar = calendar;
    tracker->wraps = domain->grid->wraps && domain->n_cols == domain->grid->n_lon;
    SST_TRY_GOTO(sst_alloc(domain->n_rows, sizeof *tracker->row_km2, "the areas of cells", &tracker->row_km2, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *tracker->labels, "the areas of heatwaves", &tracker->labels, err));
    SST_TRY_GOTO(sst_alloc_large(n, sizeof *tracker->next, "the areas of heatwaves", &tracker->next, err));
    sst_region_row_areas(domain, tracker->row_km2);
    *out = tracker;
    tracker = NULL;
done:
    sst_area_tracker_destroy(&tracker);
    return rc;
}

void sst_area_tracker_destroy(struct sst_area_tracker **tracker)
{
    struct sst_area_tracker *old = *tracker;
    if (!old)
        return;
    sst_free(old->row_km2);
    sst_free(old->labels);
    sst_free(old->next);
    sst_free(old->areas);
    sst_free(old->rows);
    sst_free(old);
    *tracker = NULL;
}

const struct sst_area *sst_area_all(const struct sst_area_tracker *tracker) { return tracker->areas; }
size_t sst_area_n_present(const struct sst_area_tracker *tracker) { return tracker->n_present; }
size_t sst_area_n_gone(const struct sst_area_tracker *tracker) { return tracker->n_gone; }
const uint32_t *sst_area_labels(const struct sst_area_tracker *tracker) { return tracker->labels; }

/* --- components --------------------------------------------------------------------------------------------------- */

/* While components are found, next[cell] is the parent's cell plus 1, 0 for cells that do not count. A root is its own parent. */
static uint32_t root_of(uint32_t *parent, uint32_t cell)
{
    while (parent[cell] != cell + 1) {
        parent[cell] = parent[parent[cell] - 1]; /* halves the way of the next one */
        cell = parent[cell] - 1;
    }
    return cell;
}

/* The lesser cell stays the root, so that a component's root is its first cell. */
static void unite(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b)
        parent[b] = a + 1;
    else
        parent[a] = b + 1;
}

static void unite_row(const struct sst_area_tracker *tracker, uint32_t *parent, size_t row)
{
    const size_t n_cols = tracker->domain->n_cols;
    const bool wraps = tracker->wraps && n_cols > 2;
    for (size_t col = 0; col < n_cols; ++col) {
        const size_t cell = row * n_cols + col;
        if (!parent[cell])
            continue;
        const size_t west = col > 0 ? col - 1 : n_cols - 1, east = col + 1 < n_cols ? col + 1 : 0;
        const bool has_west = col > 0 || wraps, has_east = col + 1 < n_cols || wraps;
        const size_t above = row > 0 ? (row - 1) * n_cols : 0;
        if (has_west && parent[row * n_cols + west])
            unite(parent, (uint32_t)cell, (uint32_t)(row * n_cols + west));
        if (row == 0)
            continue;
        if (parent[above + col])
            unite(parent, (uint32_t)cell, (uint32_t)(above + col));
        if (has_west && parent[above + west])
            unite(parent, (uint32_t)cell, (uint32_t)(above + west));
        if (has_east && parent[above + east])
            unite(parent, (uint32_t)cell, (uint32_t)(above + east));
    }
}

/* Numbers the components by their first cells; next[cell] becomes 1 + number. Returns how many there are. */
static size_t find_components(struct sst_area_tracker *tracker, const struct sst_region_cells *cells)
{
    const struct sst_domain *domain = tracker->domain;
    uint32_t *next = tracker->next;
    size_t n = 0;
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        next[cell] = cells->kind[cell] == SST_REGION_KNOWN && cells->is_event[cell] ? (uint32_t)cell + 1 : 0;
    for (size_t row = 0; row < domain->n_rows; ++row)
        unite_row(tracker, next, row);
    for (size_t cell = 0; cell < domain->n_cells; ++cell) /* parents are flat and lie before their cells */
        if (next[cell] && next[cell] != cell + 1)
            next[cell] = root_of(next, (uint32_t)cell) + 1;
    for (size_t cell = 0; cell < domain->n_cells; ++cell)
        if (next[cell])
            next[cell] = next[cell] == cell + 1 ? (uint32_t)++n : next[next[cell] - 1];
    return n;
}

/* --- what a component is ------------------------------------------------------------------------------------------ */

struct measure {
    double km2, x, y, z; /* the middle as a vector */
    double intensity;
    uint64_t least; /* canonical cell */
};

static double wrapped(double lon) { return remainder(lon, 360.0); }

static void measure_cell(const struct sst_area_tracker *tracker, const struct sst_region_cells *cells, size_t cell,
                         struct measure *measure, struct sst_area *area)
{
    const struct sst_domain *domain = tracker->domain;
    const size_t row = cell / domain->n_cols;
    const double km2 = tracker->row_km2[row], lat = sst_domain_lat(domain, row) * RADIANS_PER_DEGREE;
    const double lon = sst_domain_lon(domain, cell % domain->n_cols) * RADIANS_PER_DEGREE;
    const double anomaly = isnan(cells->anomaly[cell]) ? 0 : cells->anomaly[cell];
    const uint64_t canonical = sst_domain_canonical(domain, cell);
    measure->x += km2 * cos(lat) * cos(lon);
    measure->y += km2 * cos(lat) * sin(lon);
    measure->z += km2 * sin(lat);
    measure->intensity += km2 * anomaly;
    if (measure->km2 == 0 || canonical < measure->least)
        measure->least = canonical;
    if (measure->km2 == 0 || fabs(anomaly) > fabs(area->max_intensity)) {
        area->max_intensity = anomaly;
        area->max_cell = (uint32_t)cell;
    }
    measure->km2 += km2;
    if (cells->category[cell] > area->category)
        area->category = cells->category[cell];
}

static uint64_t id_of(enum sst_calendar_kind calendar, struct sst_day day, uint64_t canonical)
{
    int month = 0, of_month = 0;
    sst_calendar_month_day(calendar, day.slot, &month, &of_month);
    return ((uint64_t)((day.year * 100 + month) * 100 + of_month) << 32) + canonical;
}

/* A new area from what was measured. */
static void settle(const struct sst_area_tracker *tracker, struct sst_day day, const struct measure *measure,
                   struct sst_area *area)
{
    area->id = id_of(tracker->calendar, day, measure->least);
    area->status = SST_AREA_ONGOING;
    area->first = area->last = area->peak = day;
    area->n_days = 1;
    area->km2 = area->most_km2 = measure->km2;
    area->lat = atan2(measure->z, hypot(measure->x, measure->y)) / RADIANS_PER_DEGREE;
    area->lon = wrapped(atan2(measure->y, measure->x) / RADIANS_PER_DEGREE);
    area->mean_intensity = measure->intensity / measure->km2;
    area->peak_intensity = area->max_intensity;
    area->highest_category = area->category;
}

static enum sst_status measure_all(const struct sst_area_tracker *tracker, struct sst_day day,
                                   const struct sst_region_cells *cells, struct sst_area *areas, size_t n,
                                   struct sst_error *err)
{
    struct measure *measures = NULL;
    SST_TRY(sst_alloc(n, sizeof *measures, "the areas of heatwaves", &measures, err));
    for (size_t cell = 0; cell < tracker->domain->n_cells; ++cell)
        if (tracker->next[cell])
            measure_cell(tracker, cells, cell, &measures[tracker->next[cell] - 1], &areas[tracker->next[cell] - 1]);
    for (size_t i = 0; i < n; ++i)
        settle(tracker, day, &measures[i], &areas[i]);
    sst_free(measures);
    return SST_OK;
}

enum sst_status sst_area_find_rows(const struct sst_area_tracker *tracker, const uint32_t *labels, size_t n,
                                   struct sst_area_rows **out, struct sst_error *err)
{
    const struct sst_domain *domain = tracker->domain;
    struct sst_area_rows *rows = NULL;
    SST_TRY(sst_alloc(n, sizeof *rows, "the areas of heatwaves", &rows, err));
    for (size_t i = 0; i < n; ++i)
        rows[i] = (struct sst_area_rows){domain->n_rows, 0};
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        if (!labels[cell])
            continue;
        struct sst_area_rows *of = &rows[labels[cell] - 1];
        const size_t row = cell / domain->n_cols;
        of->first = row < of->first ? row : of->first;
        of->last = row;
    }
    *out = rows;
    return SST_OK;
}

/* --- from day to day ---------------------------------------------------------------------------------------------- */

/* An old area and a new one that have cells in common. */
struct overlap {
    uint32_t before, now;
    double km2;
};

struct overlaps {
    struct overlap *pairs;
    size_t n;
};

static int compare_places(const void *a, const void *b)
{
    const struct overlap *x = a, *y = b;
    return x->before != y->before ? (x->before > y->before) - (x->before < y->before)
                                  : (x->now > y->now) - (x->now < y->now);
}

/* The largest first; of equal ones the one that lies first. */
static int compare_sizes(const void *a, const void *b)
{
    const struct overlap *x = a, *y = b;
    return x->km2 != y->km2 ? (x->km2 < y->km2) - (x->km2 > y->km2) : compare_places(a, b);
}

/* Sums of each pair, by size. Cells are visited in order, so sums of one pair are always added alike. */
static enum sst_status find_overlaps(const struct sst_area_tracker *tracker, struct overlaps *out,
                                     struct sst_error *err)
{
    const struct sst_domain *domain = tracker->domain;
    size_t capacity = 0, n = 0;
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        const uint32_t before = tracker->labels[cell], now = tracker->next[cell];
        if (!before || !now)
            continue;
        const double km2 = tracker->row_km2[cell / domain->n_cols];
        if (out->n > 0 && out->pairs[out->n - 1].before == before - 1 && out->pairs[out->n - 1].now == now - 1) {
            out->pairs[out->n - 1].km2 += km2; /* of one run of a row */
            continue;
        }
        SST_TRY(sst_grow(&out->pairs, &capacity, out->n + 1, sizeof *out->pairs, "the overlaps of areas", err));
        out->pairs[out->n++] = (struct overlap){before - 1, now - 1, km2};
    }
    if (out->n == 0)
        return SST_OK;
    qsort(out->pairs, out->n, sizeof *out->pairs, compare_places);
    for (size_t i = 1; i < out->n; ++i) {
        if (compare_places(&out->pairs[n], &out->pairs[i]) == 0)
            out->pairs[n].km2 += out->pairs[i].km2;
        else
            out->pairs[++n] = out->pairs[i];
    }
    out->n = n + 1;
    qsort(out->pairs, out->n, sizeof *out->pairs, compare_sizes);
    return SST_OK;
}

/* The area goes on as what it is today. */
static void go_on(struct sst_area *now, const struct sst_area *before)
{
    now->id = before->id;
    now->first = before->first;
    now->split_from = before->split_from;
    now->n_days = before->n_days + 1;
    now->most_km2 = fmax(now->most_km2, before->most_km2);
    if (fabs(before->peak_intensity) >= fabs(now->peak_intensity)) {
        now->peak_intensity = before->peak_intensity;
        now->peak = before->peak;
    }
    if (before->highest_category > now->highest_category)
        now->highest_category = before->highest_category;
}

static int compare_ids(const void *a, const void *b)
{
    const struct sst_area *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

enum { UNMATCHED = 0 };

/* match: for each old and new area 1 + its other half. */
static void match(const struct overlaps *overlaps, uint32_t *of_before, uint32_t *of_now)
{
    for (size_t i = 0; i < overlaps->n; ++i) {
        const struct overlap *pair = &overlaps->pairs[i];
        if (of_before[pair->before] != UNMATCHED || of_now[pair->now] != UNMATCHED)
            continue;
        of_before[pair->before] = pair->now + 1;
        of_now[pair->now] = pair->before + 1;
    }
}

/* Names today's areas after those of the day before; appends those that are gone. `areas` has room for all of both. */
static void carry_over(struct sst_area_tracker *tracker, const struct overlaps *overlaps, const uint32_t *of_before,
                       const uint32_t *of_now, struct sst_area *areas, size_t n_now)
{
    const struct sst_area *before = tracker->areas;
    size_t n_gone = 0;
    for (size_t i = 0; i < n_now; ++i)
        if (of_now[i] != UNMATCHED)
            go_on(&areas[i], &before[of_now[i] - 1]);
    for (size_t i = overlaps->n; i-- > 0;) /* the largest comes last and stays */
        if (of_now[overlaps->pairs[i].now] == UNMATCHED)
            areas[overlaps->pairs[i].now].split_from = before[overlaps->pairs[i].before].id;
    for (size_t i = 0; i < tracker->n_present; ++i) {
        if (of_before[i] != UNMATCHED)
            continue;
        struct sst_area *gone = &areas[n_now + n_gone++];
        *gone = before[i];
        gone->status = SST_AREA_ENDED;
        for (size_t pair = 0; pair < overlaps->n && gone->status == SST_AREA_ENDED; ++pair)
            if (overlaps->pairs[pair].before == i) {
                gone->status = SST_AREA_MERGED;
                gone->merged_into = areas[overlaps->pairs[pair].now].id;
            }
    }
    if (n_gone > 0)
        qsort(areas + n_now, n_gone, sizeof *areas, compare_ids);
    sst_free(tracker->areas);
    tracker->areas = areas;
    tracker->n_present = n_now;
    tracker->n_gone = n_gone;
    uint32_t *const labels = tracker->labels;
    tracker->labels = tracker->next;
    tracker->next = labels;
}

enum sst_status sst_area_step(struct sst_area_tracker *tracker, struct sst_day day,
                              const struct sst_region_cells *cells, struct sst_error *err)
{
    struct sst_area *areas = NULL;
    struct overlaps overlaps = {0};
    uint32_t *of_before = NULL, *of_now = NULL;
    struct sst_area_rows *rows = NULL;
    enum sst_status rc = SST_OK;
    if (sst_day_compare(day, tracker->day) <= 0)
        return sst_fail(err, SST_ERR_INTERNAL, "areas: a day that is not later than the last one");
    const size_t n_now = find_components(tracker, cells);
    SST_TRY_GOTO(sst_alloc(n_now + tracker->n_present, sizeof *areas, "the areas of heatwaves", &areas, err));
    SST_TRY_GOTO(sst_alloc(tracker->n_present, sizeof *of_before, "the areas of heatwaves", &of_before, err));
    SST_TRY_GOTO(sst_alloc(n_now, sizeof *of_now, "the areas of heatwaves", &of_now, err));
    SST_TRY_GOTO(measure_all(tracker, day, cells, areas, n_now, err));
    SST_TRY_GOTO(find_overlaps(tracker, &overlaps, err));
    SST_TRY_GOTO(sst_area_find_rows(tracker, tracker->next, n_now, &rows, err));
    match(&overlaps, of_before, of_now);
    carry_over(tracker, &overlaps, of_before, of_now, areas, n_now);
    sst_free(tracker->rows);
    tracker->rows = rows;
    tracker->day = day;
    areas = NULL;
done:
    sst_free(areas);
    sst_free(overlaps.pairs);
    sst_free(of_before);
    sst_free(of_now);
    return rc;
}

const char *sst_area_id_text(uint64_t id, const struct sst_grid *grid, char *text)
{
    const uint64_t canonical = id & UINT32_MAX;
    const size_t row = (size_t)(canonical / grid->n_lon), col = (size_t)(canonical % grid->n_lon);
    const bool is_up = grid->n_lat < 2 || grid->lat[1] > grid->lat[0];
    const double lat = grid->lat[is_up ? row : grid->n_lat - 1 - row];
    const double lon = wrapped(grid->lon[(grid->canonical_col + col) % grid->n_lon]);
    (void)snprintf(text, SST_AREA_ID_TEXT_SIZE, "%u-%.2f%c-%.2f%c", (unsigned)(id >> 32), fabs(lat),
                   lat < 0 ? 'S' : 'N', fabs(lon), lon < 0 ? 'W' : 'E');
    return text;
}
