/* A made-up feed: a planet of regular steps with heatwaves that come, grow, pause and go, and a day that never came. */
#ifndef SST_TEST_MADE_UP_FEED_H
#define SST_TEST_MADE_UP_FEED_H

#include "monitor/event_ring.h"
#include "monitor/feed_day.h"
#include "monitor/feed_page.h"

enum { FEED_MOST_DAYS = 64, FEED_MOST_AREAS = 4096 };

struct made_up_feed {
    struct sst_grid *grid;
    struct sst_domain domain;
    struct sst_region_set regions;
    struct sst_feed_about about;
    struct sst_feed_state state;
    struct sst_feed_listed listed[FEED_MOST_DAYS];
    struct sst_event_ring *ring; /* has stepped all days */
    struct sst_area_tracker *tracker;
    struct sst_region_scratch *scratch;
    int n_days;
    struct sst_feed_day day; /* of the last call of made_up_feed_day; its arrays are the fixture's */
    float *bound, *anomaly, *severity;
    uint8_t *surface, *label, *robust, *kind, *is_event, *is_candidate, *counted;
    int8_t *category;
    uint64_t *event_id;
    struct sst_region_day *sums; /* n_days * regions.n */
    struct sst_feed_page_row rows[FEED_MOST_DAYS];
    size_t n_rows;
    struct sst_area *areas; /* gone so far, then those present; FEED_MOST_AREAS */
    size_t n_gone, n_areas;
};

/* Cells of `step` degrees. The last ten days are preliminary, the eighth from the end never came. */
void made_up_feed_open(struct made_up_feed *fixture, double step, int n_days, bool is_cold);
void made_up_feed_close(struct made_up_feed *fixture);

/* The next day, from 0 on, each once, in order. */
void made_up_feed_day(struct made_up_feed *fixture, int index);

/* What index.js takes after the last day. */
struct sst_feed_page_index made_up_feed_index(const struct made_up_feed *fixture);

/* The cell that holds a place. */
size_t made_up_feed_cell(const struct made_up_feed *fixture, double lat, double lon);

#endif
