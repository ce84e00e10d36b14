/* A feed's day for tests of its files: a sea of which cells are heated, its regions and areas. */
#ifndef SST_FEED_FIXTURE_H
#define SST_FEED_FIXTURE_H

#include "monitor/feed_areas.h"
#include "monitor/feed_day.h"
#include "regular_grid.h"

enum { FEED_FIXTURE_DAYS = 3 };

struct feed_fixture {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_area_tracker *tracker;
    struct sst_region_scratch *scratch;
    struct sst_feed_about about;
    struct sst_feed_day day;
    struct sst_feed_state state;
    struct sst_feed_listed listed[FEED_FIXTURE_DAYS]; /* the newest is the day, the one before it is absent */
    uint8_t *kind, *hot, *is_event, *is_candidate;
    uint8_t *surface, *label, *robust;
    int8_t *category;
    float *sst, *mean, *threshold, *bound, *anomaly, *severity;
    uint16_t *days_above;
    int32_t *start;
    uint64_t *event_id;
    struct sst_region_day *region_days;
};

/* Threshold less mean of every cell. [K] */
#define FEED_FIXTURE_STEP 1.5

/* All water, nobody in a heatwave; no region; 30 November 2026. Ends the program where it cannot. */
void feed_fixture_open(struct feed_fixture *fixture, struct even_axis lat, struct even_axis lon);
void feed_fixture_close(struct feed_fixture *fixture);

/* Adds the regions of a GeoJSON text; before the first step. */
void feed_fixture_add_regions(struct feed_fixture *fixture, const char *geojson);

/* Puts a cell into an event of a category 0 (bridged), 1..4; takes its value or its water away. */
void feed_fixture_heat(struct feed_fixture *fixture, size_t cell, int category);
void feed_fixture_hide(struct feed_fixture *fixture, size_t cell);
void feed_fixture_make_land(struct feed_fixture *fixture, size_t cell);

/* Puts all cells that are not land back to calm. */
void feed_fixture_calm(struct feed_fixture *fixture);

/* Steps the tracker by the cells as they are, which makes the next day's areas and regions. */
void feed_fixture_step(struct feed_fixture *fixture);

/* The areas' list of the day: nothing left out, nothing past. */
struct sst_feed_areas feed_fixture_areas(const struct feed_fixture *fixture);

#endif
