/* Made-up series of a few cells, for tests of events: values that stay beyond their thresholds for days, gaps, ice. */
#ifndef SST_TEST_EVENT_FIXTURE_H
#define SST_TEST_EVENT_FIXTURE_H

#include "monitor/event_ring.h"

enum { EVENT_MOST_CELLS = 12, EVENT_MOST_DAYS = 512, EVENT_MOST_EVENTS = 4096 };

/* Days are counted from 1 January 1999. */
struct event_series {
    int n_cells, n_days;
    float sst[EVENT_MOST_DAYS][EVENT_MOST_CELLS]; /* NaN: unknown */
    uint8_t ice[EVENT_MOST_DAYS][EVENT_MOST_CELLS];
    bool is_absent[EVENT_MOST_DAYS]; /* no field at all; its values are NaN */
};

/* What a ring hands on. */
struct event_findings {
    struct sst_event events[EVENT_MOST_EVENTS];
    int n_events;
    int32_t n_days; /* that left */
    uint8_t labels[EVENT_MOST_DAYS][EVENT_MOST_CELLS];
    int32_t starts[EVENT_MOST_DAYS][EVENT_MOST_CELLS];
    int n_withdrawn;
    uint64_t withdrawn, into; /* the last of them */
};

/* Fields from a seed: slow wanderings about the mean, of which a good tenth is beyond the threshold, on hundredths. */
void event_series_make(struct event_series *series, int n_cells, int n_days, uint64_t seed);

struct sst_day event_day(int index);
int32_t event_day_number(int index);

/* Mean and threshold of a day of the series. Cell 1 has no variance, cell 2 no threshold, the climatology of cell 3 ice. */
float event_mean(int index, int cell);
float event_threshold(enum sst_event_direction direction, int index, int cell);

/* A spec whose links go to `findings` (NULL: nowhere). */
struct sst_event_ring_spec event_spec(const struct sst_event_rule *rule, int n_cells, int32_t n_days,
                                      struct event_findings *findings);

struct sst_event_ring *event_ring_new(const struct sst_event_ring_spec *spec);
enum sst_event_outcome event_put(struct sst_event_ring *ring, int index, const float *sst, const uint8_t *ice,
                                 bool is_preliminary);

/* The days first .. last - 1 in order, absent ones left out. */
void event_put_days(struct sst_event_ring *ring, const struct event_series *series, int first, int last);
void event_finish(struct sst_event_ring **ring);

/* All of it: what each day in order and once gives. */
void event_batch(const struct event_series *series, const struct sst_event_rule *rule, int32_t n_days,
                 struct event_findings *out);

/* Whether both have the same events, to the bit; they are sorted by cell and first day. */
bool event_same(struct event_findings *a, struct event_findings *b);

#endif
