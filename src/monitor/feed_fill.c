/* A day of the ring as a feed tells it. */
#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/event_day.h"
#include "monitor/feed_private.h"

/* --- arrays ------------------------------------------------------------------------------------------------------- */

static enum sst_status alloc_all(size_t n, struct sst_feed_cells *cells, struct sst_error *err)
{
    const char *what = "a feed's day";
    uint8_t **const bytes[] = {&cells->surface,           &cells->label,    &cells->robust,      &cells->kind,
                               &cells->category_of_event, &cells->is_event, &cells->is_candidate};
    float **const reals[] = {&cells->sst,   &cells->mean,    &cells->threshold,
                             &cells->bound, &cells->anomaly, &cells->severity};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i)
        SST_TRY(sst_alloc(n, 1, what, bytes[i], err));
    for (size_t i = 0; i < sizeof reals / sizeof *reals; ++i)
        SST_TRY(sst_alloc(n, sizeof(float), what, reals[i], err));
    SST_TRY(sst_alloc(n, 1, what, &cells->category, err));
    SST_TRY(sst_alloc(n, sizeof *cells->days_above, what, &cells->days_above, err));
    SST_TRY(sst_alloc(n, sizeof *cells->start, what, &cells->start, err));
    return sst_alloc(n, sizeof *cells->event_id, what, &cells->event_id, err);
}

enum sst_status sst_feed_cells_create(const struct sst_domain *domain, struct sst_feed_cells *cells,
                                      struct sst_error *err)
{
    SST_TRY(alloc_all(domain->n_cells, cells, err));
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        cells->surface[cell] = SST_EVENT_SURFACE_LAND;
        cells->kind[cell] = SST_REGION_NO_SEA;
        cells->robust[cell] = SST_FEED_NO_BOUND;
        cells->category[cell] = SST_EVENT_CATEGORY_FILL;
        cells->sst[cell] = cells->mean[cell] = cells->threshold[cell] = NAN;
        cells->bound[cell] = cells->anomaly[cell] = cells->severity[cell] = NAN;
        cells->start[cell] = INT32_MIN;
    }
    return SST_OK;
}

void sst_feed_cells_clear(struct sst_feed_cells *cells)
{
    void *const arrays[] = {
        cells->surface,   cells->label,    cells->robust,       cells->kind,     cells->category_of_event,
        cells->is_event,  cells->category, cells->is_candidate, cells->sst,      cells->mean,
        cells->threshold, cells->bound,    cells->anomaly,      cells->severity, cells->days_above,
        cells->start,     cells->event_id};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        sst_free(arrays[i]);
    *cells = (struct sst_feed_cells){0};
}

/* --- a day -------------------------------------------------------------------------------------------------------- */

static enum sst_region_cell kind_of(enum sst_event_surface surface, enum sst_event_label label)
{
    switch (surface) {
    case SST_EVENT_SURFACE_LAND:
        return SST_REGION_NO_SEA;
    case SST_EVENT_SURFACE_ICE:
    case SST_EVENT_SURFACE_NO_VARIANCE:
        return SST_REGION_BESIDE;
    case SST_EVENT_SURFACE_WATER:
        return label == SST_EVENT_LABEL_AWAITING || label == SST_EVENT_LABEL_UNKNOWN ? SST_REGION_UNKNOWN
                                                                                     : SST_REGION_KNOWN;
    default:
        return SST_REGION_UNKNOWN;
    }
}

/* The same category wherever the threshold lies within its error. */
static enum sst_feed_robustness robustness_of(float sst, float mean, float threshold, float bound, int category)
{
    if (isnan(bound) || category < 1)
        return SST_FEED_NO_BOUND;
    for (int side = -1; side <= 1; side += 2) {
        const double step = (double)threshold + (double)side * (double)bound - (double)mean;
        const double severity = ((double)sst - (double)mean) / step;
        const bool is_turned = (step > 0) != (threshold > mean); /* the mean itself lies within the error */
        if (is_turned || sst_event_category(severity) != category)
            return SST_FEED_NOT_ROBUST;
    }
    return SST_FEED_ROBUST;
}

/* What areas and regions ask for. */
static void fill_cell(const struct sst_feed *feed, const struct sst_event_day *day, size_t i)
{
    const struct sst_feed_cells *cells = &feed->cells;
    const size_t cell = feed->spec.cells[i];
    const struct sst_event_cell_day told = sst_event_cell_day(day, feed->spec.rule.direction, i);
    const enum sst_event_label label = sst_event_ring_label(feed->ring, day->day, i);
    const bool is_water = told.surface == SST_EVENT_SURFACE_WATER;
    cells->surface[cell] = (uint8_t)told.surface;
    cells->label[cell] = (uint8_t)label;
    cells->kind[cell] = (uint8_t)kind_of(told.surface, label);
    cells->category[cell] = (int8_t)told.category;
    cells->category_of_event[cell] = (uint8_t)(told.category > 0 ? told.category : 0);
    cells->is_event[cell] = label == SST_EVENT_LABEL_EVENT || label == SST_EVENT_LABEL_BRIDGED;
    cells->is_candidate[cell] = label == SST_EVENT_LABEL_CANDIDATE;
    cells->anomaly[cell] = told.anomaly;
    cells->severity[cell] =
        is_water
            ? (float)(((double)day->sst[i] - (double)day->mean[i]) / ((double)day->threshold[i] - (double)day->mean[i]))
            : NAN;
}

/* What else the day's files tell; after fill_cell. */
static void fill_rest(const struct sst_feed *feed, const struct sst_event_day *day, size_t i, float bound)
{
    const struct sst_feed_cells *cells = &feed->cells;
    const size_t cell = feed->spec.cells[i];
    const bool has_start = cells->is_event[cell] || cells->is_candidate[cell];
    cells->sst[cell] = day->sst[i];
    cells->mean[cell] = day->mean[i];
    cells->threshold[cell] = day->threshold[i];
    cells->bound[cell] = bound;
    cells->robust[cell] =
        (uint8_t)robustness_of(day->sst[i], day->mean[i], day->threshold[i], bound, cells->category[cell]);
    cells->days_above[cell] = day->runs[i];
    cells->start[cell] = has_start ? day->starts[i] : INT32_MIN;
    cells->event_id[cell] =
        has_start ? sst_event_id(feed->spec.canonical[i], day->starts[i], feed->spec.rule.direction) : 0;
}

void sst_feed_fill(struct sst_feed *feed, const struct sst_event_day *day)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < feed->spec.n_cells; ++i)
        fill_cell(feed, day, i);
}

enum sst_status sst_feed_fill_all(struct sst_feed *feed, const struct sst_event_day *day, struct sst_error *err)
{
    const bool has_bounds = feed->spec.bounds != NULL;
    const size_t n = feed->spec.n_cells;
    if (has_bounds)
        SST_TRY(feed->spec.bounds(feed->spec.user, sst_feed_day_at(feed, day->day), feed->bound_scratch, err));
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; ++i) {
        fill_cell(feed, day, i);
        fill_rest(feed, day, i, has_bounds ? feed->bound_scratch[i] : NAN);
    }
    return SST_OK;
}

struct sst_region_cells sst_feed_region_cells(const struct sst_feed *feed)
{
    const struct sst_feed_cells *cells = &feed->cells;
    return (struct sst_region_cells){
        .kind = cells->kind,
        .category = cells->category_of_event,
        .is_event = cells->is_event,
        .is_candidate = cells->is_candidate,
        .anomaly = cells->anomaly,
        .severity = cells->severity,
    };
}

/* Means and thresholds are those of the climatology, which the feed's identity names. */
struct sst_digest_chain sst_feed_input_digest(struct sst_feed *feed, const struct sst_event_day *day)
{
    const size_t n = feed->spec.n_cells;
    struct sst_digest_chain chain = {0};
    const uint8_t about[] = {day->is_absent, day->is_preliminary};
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < n; ++i) {
        const enum sst_event_label label = sst_event_ring_label(feed->ring, day->day, i);
        const bool has_start =
            label == SST_EVENT_LABEL_EVENT || label == SST_EVENT_LABEL_BRIDGED || label == SST_EVENT_LABEL_CANDIDATE;
        feed->label_scratch[i] = (uint8_t)label;
        feed->start_scratch[i] = has_start ? day->starts[i] : INT32_MIN;
    }
    sst_digest_fold(&chain, about, sizeof about);
    sst_digest_fold(&chain, day->sst, n * sizeof *day->sst);
    sst_digest_fold(&chain, day->flags, n);
    sst_digest_fold(&chain, day->runs, n * sizeof *day->runs);
    sst_digest_fold(&chain, feed->label_scratch, n);
    sst_digest_fold(&chain, feed->start_scratch, n * sizeof *feed->start_scratch);
    return chain;
}
