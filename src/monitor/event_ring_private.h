/* What the parts of the ring share: event_ring.c takes days, event_ring_cells.c steps cells, event_bytes.c makes checkpoints. */
#ifndef SST_MONITOR_EVENT_RING_PRIVATE_H
#define SST_MONITOR_EVENT_RING_PRIVATE_H

#include "monitor/event_ring.h"

enum sst_event_source { SST_EVENT_SOURCE_ABSENT, SST_EVENT_SOURCE_PRELIMINARY, SST_EVENT_SOURCE_FINAL };

/* A place of the ring: the day `day` is in place day mod n_days. */
struct sst_event_place_of_day {
    enum sst_event_source source;
    float *sst, *mean, *threshold;
    uint8_t *flags, *labels;
    int32_t *starts;
    uint16_t *runs;
};

/* All cells at one point of time. */
struct sst_event_cells {
    struct sst_event_cell *cells;
    struct sst_event_sums *spans; /* of each cell two: event, pending */
};

struct sst_event_ring {
    struct sst_event_ring_spec spec;
    struct sst_event_cells base, head;
    struct sst_event_place_of_day *places;
    uint8_t *is_over; /* by cell: the day that left ended its event */
    bool has_days;
    /* [days since 1970-01-01] The ring's days are oldest .. newest, the series' days first .. newest; first may be later than
       oldest where the series is young, and is long gone where it is not. */
    int32_t oldest, first, newest;
};

static inline struct sst_event_place_of_day *sst_event_place_at(const struct sst_event_ring *ring, int32_t day)
{
    const int32_t n = ring->spec.n_days;
    return &ring->places[((day % n) + n) % n];
}

/* The first day that is in the ring and in the series. */
static inline int32_t sst_event_ring_begin(const struct sst_event_ring *ring)
{
    return ring->first > ring->oldest ? ring->first : ring->oldest;
}

/* The event of a cell as it stands, to be told. */
struct sst_event sst_event_ring_event(const struct sst_event_ring *ring, size_t cell, const struct sst_event_sums *sums,
                                      enum sst_event_status status);

/* Steps all cells of head by the newest day, whose place is filled. */
void sst_event_ring_step_head(struct sst_event_ring *ring);

/* Puts a cell of head back to base and steps it through the ring; what it takes away is told. */
void sst_event_ring_replay(struct sst_event_ring *ring, size_t cell);

/* Steps all cells of base by the oldest day; events that are over are handed on. Errors: those of the links. */
SST_MUST_CHECK enum sst_status sst_event_ring_step_base(struct sst_event_ring *ring, struct sst_error *err);

/* Fills the place of a day: no values, and the limits of its calendar day. Errors: those of the links. */
SST_MUST_CHECK enum sst_status sst_event_ring_clear_day(struct sst_event_ring *ring, int32_t day,
                                                        struct sst_error *err);

#endif
