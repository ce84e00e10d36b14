/* Days into the ring and out of it. */
#include "monitor/event_ring.h"

#include <math.h>
#include <string.h>

#include "core/mem.h"
#include "monitor/event_ring_private.h"

int32_t sst_event_ring_least_days(const struct sst_event_rule *rule)
{
    return rule->min_duration + rule->max_gap + rule->max_pad;
}

uint64_t sst_event_ring_bytes(size_t n_cells, int32_t n_days)
{
    const uint64_t states = 1 + 2 * (sizeof(struct sst_event_cell) + 2 * sizeof(struct sst_event_sums));
    const uint64_t day = 3 * sizeof(float) + 2 + sizeof(int32_t) + sizeof(uint16_t);
    return n_cells * (states + (uint64_t)n_days * day);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

enum { MOST_RULE_DAYS = 10000 }; /* far from where days of the ring could overflow */

static enum sst_status check_spec(const struct sst_event_ring_spec *spec, struct sst_error *err)
{
    const struct sst_event_rule *rule = &spec->rule;
    const int32_t days[] = {rule->min_duration - 1, rule->max_gap, rule->max_pad, rule->hold_missing};
    for (size_t i = 0; i < sizeof days / sizeof *days; ++i)
        if (days[i] < 0 || days[i] > MOST_RULE_DAYS)
            return sst_fail(
                err, SST_ERR_USAGE,
                "events: a rule of %d days of duration, %d of gap, %d of padding and %d of holding is out of "
                "range. Give numbers of days from 0 (duration: 1) to %d",
                rule->min_duration, rule->max_gap, rule->max_pad, rule->hold_missing, MOST_RULE_DAYS);
    if (spec->n_days < sst_event_ring_least_days(rule))
        return sst_fail(err, SST_ERR_USAGE,
                        "events: a ring of %d days is too short: what a day is, is certain only %d days later. Give at "
                        "least %d",
                        spec->n_days, sst_event_ring_least_days(rule) - 1, sst_event_ring_least_days(rule));
    return SST_OK;
}

static enum sst_status alloc_cells(size_t n_cells, struct sst_event_cells *cells, struct sst_error *err)
{
    SST_TRY(sst_alloc(n_cells, sizeof *cells->cells, "the cells' event states", &cells->cells, err));
    SST_TRY(sst_alloc(2 * n_cells, sizeof *cells->spans, "the cells' event sums", &cells->spans, err));
    for (size_t cell = 0; cell < n_cells; ++cell)
        cells->cells[cell] = sst_event_cell_start();
    return SST_OK;
}

static enum sst_status alloc_place(size_t n_cells, struct sst_event_place_of_day *place, struct sst_error *err)
{
    const char *what = "a day of the ring";
    SST_TRY(sst_alloc(n_cells, sizeof *place->sst, what, &place->sst, err));
    SST_TRY(sst_alloc(n_cells, sizeof *place->mean, what, &place->mean, err));
    SST_TRY(sst_alloc(n_cells, sizeof *place->threshold, what, &place->threshold, err));
    SST_TRY(sst_alloc(n_cells, sizeof *place->flags, what, &place->flags, err));
    SST_TRY(sst_alloc(n_cells, sizeof *place->labels, what, &place->labels, err));
    SST_TRY(sst_alloc(n_cells, sizeof *place->starts, what, &place->starts, err));
    return sst_alloc(n_cells, sizeof *place->runs, what, &place->runs, err);
}

enum sst_status sst_event_ring_create(const struct sst_event_ring_spec *spec, struct sst_event_ring **out,
                                      struct sst_error *err)
{
    struct sst_event_ring *ring = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(check_spec(spec, err));
    SST_TRY(sst_alloc(1, sizeof *ring, "the ring of days", &ring, err));
    ring->spec = *spec;
    SST_TRY_GOTO(alloc_cells(spec->n_cells, &ring->base, err));
    SST_TRY_GOTO(alloc_cells(spec->n_cells, &ring->head, err));
    SST_TRY_GOTO(sst_alloc(spec->n_cells, 1, "marks of cells", &ring->is_over, err));
    SST_TRY_GOTO(sst_alloc((size_t)spec->n_days, sizeof *ring->places, "the ring of days", &ring->places, err));
    for (int32_t i = 0; i < spec->n_days; ++i)
        SST_TRY_GOTO(alloc_place(spec->n_cells, &ring->places[i], err));
    *out = ring;
    ring = NULL;
done:
    sst_event_ring_destroy(&ring);
    return rc;
}

void sst_event_ring_destroy(struct sst_event_ring **handle)
{
    struct sst_event_ring *ring = *handle;
    if (!ring)
        return;
    for (int32_t i = 0; ring->places && i < ring->spec.n_days; ++i) {
        const struct sst_event_place_of_day *place = &ring->places[i];
        void *const arrays[] = {place->sst,    place->mean,   place->threshold, place->flags,
                                place->labels, place->starts, place->runs};
        for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k)
            sst_free(arrays[k]);
    }
    sst_free(ring->places);
    sst_free(ring->is_over);
    sst_free(ring->base.cells);
    sst_free(ring->base.spans);
    sst_free(ring->head.cells);
    sst_free(ring->head.spans);
    sst_free(ring);
    *handle = NULL;
}

/* --- days --------------------------------------------------------------------------------------------------------- */

static int32_t day_number(const struct sst_event_ring *ring, struct sst_day day)
{
    return (int32_t)sst_calendar_days_since_1970(ring->spec.calendar, day);
}

enum sst_status sst_event_ring_clear_day(struct sst_event_ring *ring, int32_t day, struct sst_error *err)
{
    const struct sst_event_links *links = &ring->spec.links;
    struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    place->source = SST_EVENT_SOURCE_ABSENT;
    for (size_t cell = 0; cell < ring->spec.n_cells; ++cell)
        place->sst[cell] = NAN;
    return links->limits(links->user, sst_calendar_day_at(ring->spec.calendar, day), place->mean, place->threshold,
                         place->flags, err);
}

/* Whether a field has other values than are known. */
static bool has_changes(const struct sst_event_ring *ring, const struct sst_event_place_of_day *place, const float *sst,
                        const uint8_t *ice)
{
    for (size_t cell = 0; cell < ring->spec.n_cells; ++cell) {
        const bool is_ice = (place->flags[cell] & SST_EVENT_DAY_ICE) != 0;
        const bool is_same = place->sst[cell] == sst[cell] || (isnan(place->sst[cell]) && isnan(sst[cell]));
        if (!is_same || is_ice != (ice && ice[cell]))
            return true;
    }
    return false;
}

static void set_cell(struct sst_event_place_of_day *place, size_t cell, float sst, bool is_ice)
{
    place->sst[cell] = sst;
    place->flags[cell] =
        (uint8_t)((place->flags[cell] & SST_EVENT_DAY_ICY_CLIMATOLOGY) | (is_ice ? SST_EVENT_DAY_ICE : 0));
}

static void set_values(const struct sst_event_ring *ring, struct sst_event_place_of_day *place, const float *sst,
                       const uint8_t *ice)
{
    for (size_t cell = 0; cell < ring->spec.n_cells; ++cell)
        set_cell(place, cell, sst[cell], ice && ice[cell]);
}

/* The oldest day goes into base. */
static enum sst_status drop_oldest(struct sst_event_ring *ring, struct sst_error *err)
{
    const struct sst_event_links *links = &ring->spec.links;
    if (ring->oldest >= ring->first) {
        SST_TRY(sst_event_ring_step_base(ring, err));
        const struct sst_event_day view = sst_event_ring_day(ring, ring->oldest);
        if (links->day)
            SST_TRY(links->day(links->user, &view, err));
    }
    ++ring->oldest;
    return SST_OK;
}

/* One more day at the end, whose field may be known. */
static enum sst_status append_day(struct sst_event_ring *ring, int32_t day, const float *sst, const uint8_t *ice,
                                  enum sst_event_source source, struct sst_error *err)
{
    if (day - ring->oldest == ring->spec.n_days)
        SST_TRY(drop_oldest(ring, err));
    SST_TRY(sst_event_ring_clear_day(ring, day, err));
    struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    place->source = source;
    if (sst)
        set_values(ring, place, sst, ice);
    ring->newest = day;
    sst_event_ring_step_head(ring);
    return SST_OK;
}

static enum sst_status append_absent(struct sst_event_ring *ring, int32_t until, struct sst_error *err)
{
    for (int32_t day = ring->newest + 1; day < until; ++day)
        SST_TRY(append_day(ring, day, NULL, NULL, SST_EVENT_SOURCE_ABSENT, err));
    return SST_OK;
}

/* The series began earlier than was known. */
static enum sst_status begin_earlier(struct sst_event_ring *ring, int32_t day, struct sst_error *err)
{
    for (int32_t absent = day; absent < ring->first; ++absent)
        SST_TRY(sst_event_ring_clear_day(ring, absent, err));
    ring->first = day;
    return SST_OK;
}

/* A day that is in the ring already, or before its first. */
static enum sst_status revise(struct sst_event_ring *ring, int32_t day, const float *sst, const uint8_t *ice,
                              enum sst_event_source source, enum sst_event_outcome *outcome, struct sst_error *err)
{
    const bool is_earlier = day < ring->first;
    if (is_earlier)
        SST_TRY(begin_earlier(ring, day, err));
    struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    if (place->source > source) {
        *outcome = SST_EVENT_DAY_PRELIMINARY_LATE;
        return SST_OK;
    }
    const bool is_new = place->source == SST_EVENT_SOURCE_ABSENT;
    *outcome = is_new                               ? SST_EVENT_DAY_ADDED
               : has_changes(ring, place, sst, ice) ? SST_EVENT_DAY_REVISED
                                                    : SST_EVENT_DAY_SAME;
    place->source = source;
    for (size_t cell = 0; cell < ring->spec.n_cells; ++cell) {
        const bool is_ice = ice && ice[cell], was_ice = (place->flags[cell] & SST_EVENT_DAY_ICE) != 0;
        const bool is_same = place->sst[cell] == sst[cell] || (isnan(place->sst[cell]) && isnan(sst[cell]));
        set_cell(place, cell, sst[cell], is_ice);
        if (is_earlier || !is_same || is_ice != was_ice)
            sst_event_ring_replay(ring, cell);
    }
    return SST_OK;
}

static void begin(struct sst_event_ring *ring, int32_t day)
{
    ring->has_days = true;
    ring->first = day;
    ring->oldest = day - ring->spec.n_days + 1;
    ring->newest = day - 1;
}

/* The earliest day that is taken in: days that left may have been filled from the first max_pad of the ring. */
static int32_t earliest(const struct sst_event_ring *ring)
{
    return ring->oldest > ring->first ? ring->oldest + ring->spec.rule.max_pad : ring->oldest;
}

static enum sst_status refuse_late(const struct sst_event_ring *ring, struct sst_day day, struct sst_error *err)
{
    const enum sst_calendar_kind calendar = ring->spec.calendar;
    char late[SST_DAY_TEXT_SIZE], first[SST_DAY_TEXT_SIZE];
    return sst_fail(
        err, SST_ERR_STATE,
        "events: %s is before %s, the earliest day that can still be taken in. Replay the log of days, or run: "
        "sststream feed rebuild",
        sst_day_text(calendar, day, late),
        sst_day_text(calendar, sst_calendar_day_at(calendar, earliest(ring)), first));
}

enum sst_status sst_event_ring_put(struct sst_event_ring *ring, struct sst_day at, const float *sst, const uint8_t *ice,
                                   bool is_preliminary, enum sst_event_outcome *outcome, struct sst_error *err)
{
    const enum sst_event_source source = is_preliminary ? SST_EVENT_SOURCE_PRELIMINARY : SST_EVENT_SOURCE_FINAL;
    const int32_t day = day_number(ring, at);
    if (!ring->has_days)
        begin(ring, day);
    if (day < earliest(ring))
        return refuse_late(ring, at, err);
    if (day <= ring->newest)
        return revise(ring, day, sst, ice, source, outcome, err);
    SST_TRY(append_absent(ring, day, err));
    *outcome = SST_EVENT_DAY_ADDED;
    return append_day(ring, day, sst, ice, source, err);
}

enum sst_status sst_event_ring_advance(struct sst_event_ring *ring, struct sst_day at, struct sst_error *err)
{
    const int32_t day = day_number(ring, at);
    if (!ring->has_days)
        begin(ring, day);
    return append_absent(ring, day + 1, err);
}

enum sst_status sst_event_ring_finish(struct sst_event_ring *ring, struct sst_error *err)
{
    const struct sst_event_links *links = &ring->spec.links;
    while (ring->has_days && ring->oldest <= ring->newest)
        SST_TRY(drop_oldest(ring, err));
    for (size_t cell = 0; links->event && cell < ring->spec.n_cells; ++cell) {
        const struct cell_event *automaton = &ring->base.cells[cell].automaton;
        if (automaton->length == 0)
            continue;
        const struct sst_event event = sst_event_ring_event(
            ring, cell, &ring->base.spans[2 * cell], automaton->since == 0 ? SST_EVENT_CONFIRMED : SST_EVENT_BRIDGED);
        SST_TRY(links->event(links->user, &event, err));
    }
    return SST_OK;
}

/* --- what is known ------------------------------------------------------------------------------------------------ */

bool sst_event_ring_span(const struct sst_event_ring *ring, int32_t *oldest, int32_t *newest)
{
    *oldest = sst_event_ring_begin(ring);
    *newest = ring->newest;
    return ring->has_days;
}

struct sst_event_day sst_event_ring_day(const struct sst_event_ring *ring, int32_t day)
{
    const struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    return (struct sst_event_day){
        .day = day,
        .is_absent = place->source == SST_EVENT_SOURCE_ABSENT,
        .is_preliminary = place->source == SST_EVENT_SOURCE_PRELIMINARY,
        .sst = place->sst,
        .mean = place->mean,
        .threshold = place->threshold,
        .flags = place->flags,
        .labels = place->labels,
        .starts = place->starts,
        .runs = place->runs,
    };
}

enum sst_event_label sst_event_ring_label(const struct sst_event_ring *ring, int32_t day, size_t cell)
{
    const enum sst_event_label label = (enum sst_event_label)sst_event_place_at(ring, day)->labels[cell];
    const int32_t n_held = ring->head.cells[cell].n_held;
    const int32_t unknown = ring->newest - ring->spec.rule.hold_missing + n_held; /* the day that is waited for */
    if (n_held == 0 || day < unknown || label == SST_EVENT_LABEL_EVENT || label == SST_EVENT_LABEL_BRIDGED)
        return label;
    return SST_EVENT_LABEL_AWAITING;
}

bool sst_event_ring_current(const struct sst_event_ring *ring, size_t cell, struct sst_event *out)
{
    const struct sst_event_cell *state = &ring->head.cells[cell];
    const struct sst_event_sums *event = &ring->head.spans[2 * cell], *pending = event + 1;
    const struct cell_event *automaton = &state->automaton;
    const bool is_open = automaton->length > 0;
    if (!ring->has_days)
        return false;
    if (!is_open && automaton->run > 0) {
        *out = sst_event_ring_event(ring, cell, pending, SST_EVENT_CANDIDATE);
        return true;
    }
    if (event->n_days == 0 || event->first + event->n_days - 1 < sst_event_ring_begin(ring))
        return false;
    enum sst_event_status status = SST_EVENT_ENDED;
    if (is_open && automaton->since == 0)
        status = SST_EVENT_CONFIRMED;
    else if (state->n_held > 0)
        status = SST_EVENT_AWAITING;
    else if (is_open)
        status = SST_EVENT_BRIDGED;
    *out = sst_event_ring_event(ring, cell, event, status);
    return true;
}
