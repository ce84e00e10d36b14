/*
 * Heatwaves as areas: cells that are in an event on one day and touch each other, also by a corner, are one area; areas of
 * following days that overlap are the same one.
 *
 *   day before       today              what it is called
 *   A                A'  overlaps A     A goes on: of all pairs that overlap the largest ones are matched first
 *   A, B             C   overlaps both  the one with the larger overlap goes on, the other has MERGED into it
 *   A                C, D overlap A     the larger overlap goes on as A, the other is a new area, split from A
 *   A                -                  A has ENDED
 *   -                C                  C is new
 *
 * Days are stepped in order. The answer after a day follows from that of the day before and the day's cells alone, so a copy
 * of a tracker is a checkpoint, and days that were revised are replayed from one.
 */
#ifndef SST_MONITOR_AREA_H
#define SST_MONITOR_AREA_H

#include <stdbool.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "monitor/region_day.h"

enum sst_area_status { SST_AREA_ONGOING, SST_AREA_ENDED, SST_AREA_MERGED };
const char *sst_area_status_name(enum sst_area_status status); /* "ongoing", "ended", "merged" */

struct sst_area {
    uint64_t id; /* first day as YYYYMMDD, times 2^32, plus the canonical cell that is the least of its first day */
    enum sst_area_status status;
    struct sst_day first, last; /* days on which it was there */
    uint64_t merged_into, split_from; /* ids; 0: none */
    /* Of its last day. */
    double km2;
    double lat, lon; /* [degrees] of the middle of its cells by area; lon in -180..180 */
    double mean_intensity, max_intensity; /* [K] from the mean, by area; of cold spells negative */
    uint32_t max_cell; /* of the domain */
    int category; /* the highest of its cells */
    /* Of all its days. */
    int32_t n_days;
    double most_km2;
    double peak_intensity; /* [K] the one farthest from 0 */
    struct sst_day peak; /* its first day */
    int highest_category;
};

struct sst_area_tracker;

/* domain is borrowed. Owner: the caller; sst_area_tracker_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_area_tracker_create(const struct sst_domain *domain, enum sst_calendar_kind calendar,
                                                       struct sst_area_tracker **out, struct sst_error *err);
void sst_area_tracker_destroy(struct sst_area_tracker **tracker);

/*
 * Steps one day. Of `cells` those count that are known and in an event.
 *
 * Errors   SST_ERR_NOMEM: the tracker is as it was; SST_ERR_INTERNAL where the day is not later than the last one.
 */
SST_MUST_CHECK enum sst_status sst_area_step(struct sst_area_tracker *tracker, struct sst_day day,
                                             const struct sst_region_cells *cells, struct sst_error *err);

/*
 * Areas after the last step: those that are there, by the least domain cell of each; then those that this step ended or merged, by
 * id. Borrowed until the next step.
 */
const struct sst_area *sst_area_all(const struct sst_area_tracker *tracker);
size_t sst_area_n_present(const struct sst_area_tracker *tracker);
size_t sst_area_n_gone(const struct sst_area_tracker *tracker);

/* For each cell of the domain 1 + index of its area among those present, 0 in none. Borrowed as above. */
const uint32_t *sst_area_labels(const struct sst_area_tracker *tracker);

enum { SST_AREA_ID_TEXT_SIZE = 48 };

/* "20261130-35.1S-155.4E": the first day and the place of the cell; returns the buffer of SST_AREA_ID_TEXT_SIZE. */
const char *sst_area_id_text(uint64_t id, const struct sst_grid *grid, char *text);

/*
 * To bytes and back: the areas present and their cells.
 *
 * out      grows; from zeros. Errors: SST_ERR_NOMEM.
 * bytes    refused with SST_ERR_STATE where they are not of this domain's size or do not fit together.
 */
struct sst_text;
SST_MUST_CHECK enum sst_status sst_area_encode(const struct sst_area_tracker *tracker, struct sst_text *out,
                                               struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_area_decode(struct sst_area_tracker *tracker, const void *bytes, size_t n_bytes,
                                               struct sst_error *err);

/* --- outlines ----------------------------------------------------------------------------------------------------- */

/* Rings of an area as GeoJSON has them: closed, outer ones anticlockwise, each followed by its holes, clockwise. */
struct sst_outline {
    double *lon, *lat; /* [degrees] n_positions; a ring's first position is repeated at its end */
    size_t n_positions, positions_capacity;
    struct sst_outline_ring {
        size_t first, n; /* positions */
        bool is_hole; /* of the last outer ring before */
    } * rings;
    size_t n_rings, rings_capacity;
};

/*
 * The edges of the cells of one area; cut at 180 degrees, where a cell that lies across it loses the part beyond. Corners at
 * which two cells touch are taken apart, so that each ring is a simple one.
 *
 * area     index among those present. out: cleared first. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_area_outline(const struct sst_area_tracker *tracker, size_t area,
                                                struct sst_outline *out, struct sst_error *err);
void sst_outline_clear(struct sst_outline *outline);

#endif
