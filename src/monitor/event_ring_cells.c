/* Cells of the ring: stepped by a day, replayed, labelled. */
#include <math.h>

#include "core/mem.h"
#include "monitor/event_ring_private.h"

struct sst_event sst_event_ring_event(const struct sst_event_ring *ring, size_t cell, const struct sst_event_sums *sums,
                                      enum sst_event_status status)
{
    const struct sst_event_place place = {cell, ring->spec.canonical_cells[cell], ring->spec.rule.direction, status};
    return sst_event_of(&place, sums);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/*
 * Between the last known value and the next one, where no more than max_pad days lie between them. `state` is the cell's
 * before the day.
 */
static bool fill(const struct sst_event_ring *ring, size_t cell, int32_t day, const struct sst_event_cell *state,
                 float *sst)
{
    const int32_t last = day - 1 - state->n_unknown, latest = last + ring->spec.rule.max_pad + 1;
    if (isnan(state->known_sst))
        return false;
    for (int32_t next = day + 1; next <= latest && next <= ring->newest; ++next) {
        const double known = (double)state->known_sst, then = (double)sst_event_place_at(ring, next)->sst[cell];
        if (isnan(then))
            continue;
        *sst = (float)(known + (then - known) * (day - last) / (next - last));
        return true;
    }
    return false;
}

static struct sst_event_value value_at(const struct sst_event_ring *ring, size_t cell, int32_t day,
                                       const struct sst_event_cell *state)
{
    const struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    struct sst_event_value value = {
        .sst = place->sst[cell],
        .mean = place->mean[cell],
        .threshold = place->threshold[cell],
        .flags = place->flags[cell] ? SST_EVENT_ICE : 0,
    };
    if (isnan(value.sst) && ring->spec.rule.max_pad > 0)
        value.is_filled = fill(ring, cell, day, state, &value.sst);
    return value;
}

/* --- labels ------------------------------------------------------------------------------------------------------- */

static void set_label(const struct sst_event_ring *ring, size_t cell, int32_t day, enum sst_event_label label,
                      int32_t start)
{
    if (day < ring->oldest)
        return;
    struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    place->labels[cell] = (uint8_t)label;
    place->starts[cell] = start;
}

/* What a step says of its day, and of those before it. */
static void label(const struct sst_event_ring *ring, size_t cell, int32_t day, const struct sst_event_value *value,
                  const struct sst_event_step *step, const struct sst_event_cell *state,
                  const struct sst_event_sums *event)
{
    const struct cell_event_change *change = &step->change;
    const bool is_unknown = isnan(value->sst) || isnan(value->mean) || isnan(value->threshold);
    const int32_t run = state->automaton.run;
    sst_event_place_at(ring, day)->runs[cell] = (uint16_t)(run < UINT16_MAX ? run : UINT16_MAX);
    if (change->kind == CELL_EVENT_IS_CANDIDATE)
        set_label(ring, cell, day, SST_EVENT_LABEL_CANDIDATE, day - run + 1);
    else
        set_label(ring, cell, day, is_unknown ? SST_EVENT_LABEL_UNKNOWN : SST_EVENT_LABEL_NONE, 0);
    for (int32_t back = 0; back < change->n_days; ++back)
        set_label(ring, cell, day - back,
                  back < change->n_days - change->n_gap ? SST_EVENT_LABEL_EVENT : SST_EVENT_LABEL_BRIDGED,
                  event->first);
    for (int32_t back = 1; back <= step->n_failed; ++back)
        set_label(ring, cell, day - back, SST_EVENT_LABEL_NONE, 0);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

static void step_head_cell(struct sst_event_ring *ring, size_t cell, int32_t day)
{
    struct sst_event_cell *state = &ring->head.cells[cell];
    struct sst_event_sums *spans = &ring->head.spans[2 * cell];
    const struct sst_event_value value = value_at(ring, cell, day, state);
    const struct sst_event_step step = sst_event_cell_step(&ring->spec.rule, day, &value, state, &spans[0], &spans[1]);
    label(ring, cell, day, &value, &step, state, &spans[0]);
}

/* Fewer cells are stepped before threads have met. */
enum { PARALLEL_CELLS = 32768 };

/* Whether a value that came fills unknown days before it. */
static bool fills(const struct sst_event_ring *ring, size_t cell)
{
    const struct sst_event_cell *state = &ring->head.cells[cell];
    return state->n_unknown > 0 && state->n_unknown <= ring->spec.rule.max_pad &&
           !isnan(sst_event_place_at(ring, ring->newest)->sst[cell]);
}

void sst_event_ring_step_head(struct sst_event_ring *ring)
{
    const size_t n_cells = ring->spec.n_cells;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t cell = 0; cell < n_cells; ++cell)
        if (!fills(ring, cell))
            step_head_cell(ring, cell, ring->newest);
    /* What is left are cells that fill; they tell what they take away, in order. */
    for (size_t cell = 0; ring->spec.rule.max_pad > 0 && cell < n_cells; ++cell)
        if (fills(ring, cell))
            sst_event_ring_replay(ring, cell);
}

/* Whether the cell has an event from `start` on: before the ring, which nothing takes away, or in it. */
static bool has_event(const struct sst_event_ring *ring, size_t cell, int32_t start)
{
    if (ring->base.cells[cell].automaton.length > 0 && ring->base.spans[2 * cell].first == start)
        return true;
    for (int32_t day = sst_event_ring_begin(ring); day <= ring->newest; ++day) {
        const struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
        if (place->labels[cell] == SST_EVENT_LABEL_EVENT && place->starts[cell] == start)
            return true;
    }
    return false;
}

/* Tells of an event that is no more. `seen` is one of its days. */
static void tell_withdrawn(const struct sst_event_ring *ring, size_t cell, int32_t start, int32_t seen)
{
    const struct sst_event_links *links = &ring->spec.links;
    const struct sst_event_place_of_day *place = sst_event_place_at(ring, seen);
    const uint64_t canonical = ring->spec.canonical_cells[cell];
    const enum sst_event_direction direction = ring->spec.rule.direction;
    const bool is_in_other =
        place->labels[cell] == SST_EVENT_LABEL_EVENT || place->labels[cell] == SST_EVENT_LABEL_BRIDGED;
    links->withdrawn(links->user, cell, sst_event_id(canonical, start, direction),
                     is_in_other ? sst_event_id(canonical, place->starts[cell], direction) : 0);
}

/* Events of the cell's labels before a replay. An event has a day at least min_duration days after that of the last. */
struct told {
    int32_t start, seen;
};

static size_t list_events(const struct sst_event_ring *ring, size_t cell, struct told *told, size_t room)
{
    size_t n = 0;
    for (int32_t day = sst_event_ring_begin(ring); day <= ring->newest; ++day) {
        const struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
        const bool is_event = place->labels[cell] == SST_EVENT_LABEL_EVENT;
        if (is_event && n < room && (n == 0 || told[n - 1].start != place->starts[cell]))
            told[n++] = (struct told){place->starts[cell], day};
    }
    return n;
}

void sst_event_ring_replay(struct sst_event_ring *ring, size_t cell)
{
    enum { MOST_TOLD = 64 }; /* a ring that holds more events is longer than any that is used */
    struct told told[MOST_TOLD];
    const size_t n_told = ring->spec.links.withdrawn ? list_events(ring, cell, told, MOST_TOLD) : 0;
    ring->head.cells[cell] = ring->base.cells[cell];
    ring->head.spans[2 * cell] = ring->base.spans[2 * cell];
    ring->head.spans[2 * cell + 1] = ring->base.spans[2 * cell + 1];
    for (int32_t day = sst_event_ring_begin(ring); day <= ring->newest; ++day)
        step_head_cell(ring, cell, day);
    for (size_t i = 0; i < n_told; ++i)
        if (!has_event(ring, cell, told[i].start))
            tell_withdrawn(ring, cell, told[i].start, told[i].seen);
}

/* Steps a cell of base by the oldest day; returns whether that ends its event for good. */
static bool step_base_cell(struct sst_event_ring *ring, size_t cell)
{
    struct sst_event_cell *state = &ring->base.cells[cell];
    struct sst_event_sums *spans = &ring->base.spans[2 * cell];
    const struct sst_event_value value = value_at(ring, cell, ring->oldest, state);
    return sst_event_cell_step(&ring->spec.rule, ring->oldest, &value, state, &spans[0], &spans[1]).is_over;
}

enum sst_status sst_event_ring_step_base(struct sst_event_ring *ring, struct sst_error *err)
{
    const struct sst_event_links *links = &ring->spec.links;
    const size_t n_cells = ring->spec.n_cells;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t cell = 0; cell < n_cells; ++cell)
        ring->is_over[cell] = step_base_cell(ring, cell);
    for (size_t cell = 0; links->event && cell < n_cells; ++cell) {
        if (!ring->is_over[cell])
            continue;
        const struct sst_event event = sst_event_ring_event(ring, cell, &ring->base.spans[2 * cell], SST_EVENT_ENDED);
        SST_TRY(links->event(links->user, &event, err));
    }
    return SST_OK;
}
