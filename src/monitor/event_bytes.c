/* A ring as bytes, and back. Fields are written one by one, so that neither padding nor byte order is part of the format. */
#include "monitor/event_bytes.h"

#include <endian.h>
#include <string.h>

#include "core/digest.h"
#include "core/mem.h"
#include "monitor/event_ring_private.h"

enum { VERSION = 1, MAGIC_SIZE = 8, CHECKSUM_SIZE = 16 };
static const char magic[MAGIC_SIZE + 1] = "SSTEVENT";

/* --- one way and the other ---------------------------------------------------------------------------------------- */

/*
 * One description of the format serves both ways: fields pass through here, out of memory into bytes or back. Sizes are
 * found by a pass without bytes.
 */
struct tape {
    uint8_t *bytes; /* NULL: only counted */
    const uint8_t *read; /* not NULL: fields are set from here */
    size_t at, n_bytes;
    bool is_short; /* more was asked for than there is */
};

static uint64_t take(struct tape *tape, size_t size)
{
    const size_t at = tape->at;
    uint64_t value = 0;
    tape->at += size;
    if (tape->is_short || tape->n_bytes < size || at > tape->n_bytes - size) {
        tape->is_short = true;
        return 0;
    }
    for (size_t i = 0; i < size; ++i)
        value |= (uint64_t)tape->read[at + i] << (8 * i);
    return value;
}

/* In line, so that a size that is known there makes one store. */
static inline uint64_t pass(struct tape *tape, uint64_t value, size_t size)
{
    if (tape->read)
        return take(tape, size);
    if (tape->bytes) {
        const uint64_t stored = htole64(value);
        memcpy(tape->bytes + tape->at, &stored, size);
    }
    tape->at += size;
    return value;
}

/* A pass outwards changes no field: others may read them meanwhile. */
static void pass_u8(struct tape *tape, uint8_t *field)
{
    const uint8_t value = (uint8_t)pass(tape, *field, 1);
    if (tape->read)
        *field = value;
}

static void pass_i16(struct tape *tape, int16_t *field)
{
    const int16_t value = (int16_t)pass(tape, (uint16_t)*field, 2);
    if (tape->read)
        *field = value;
}

static void pass_i32(struct tape *tape, int32_t *field)
{
    const int32_t value = (int32_t)pass(tape, (uint32_t)*field, 4);
    if (tape->read)
        *field = value;
}

static void pass_u64(struct tape *tape, uint64_t *field)
{
    const uint64_t value = pass(tape, *field, 8);
    if (tape->read)
        *field = value;
}

static void pass_float(struct tape *tape, float *field)
{
    uint32_t bits = 0;
    memcpy(&bits, field, sizeof bits);
    bits = (uint32_t)pass(tape, bits, 4);
    if (tape->read)
        memcpy(field, &bits, sizeof bits);
}

static void pass_double(struct tape *tape, double *field)
{
    uint64_t bits = 0;
    memcpy(&bits, field, sizeof bits);
    bits = pass(tape, bits, 8);
    if (tape->read)
        memcpy(field, &bits, sizeof bits);
}

/* --- the format --------------------------------------------------------------------------------------------------- */

/* What a checkpoint has to share with the ring that takes it. */
struct head {
    uint64_t magic, version;
    int32_t rule[6]; /* direction, min_duration, max_gap, max_pad, hold_missing, days of the ring */
    uint64_t calendar, n_cells, limits_id;
    struct sst_digest_chain cells;
};

static struct head head_of(const struct sst_event_ring_spec *spec)
{
    struct head head = {
        .version = VERSION,
        .rule = {(int32_t)spec->rule.direction, spec->rule.min_duration, spec->rule.max_gap, spec->rule.max_pad,
                 spec->rule.hold_missing, spec->n_days},
        .calendar = (uint64_t)spec->calendar,
        .n_cells = spec->n_cells,
        .limits_id = spec->limits_id,
    };
    for (int i = 0; i < MAGIC_SIZE; ++i)
        head.magic |= (uint64_t)(unsigned char)magic[i] << (8 * i);
    sst_digest_fold(&head.cells, spec->canonical_cells, spec->n_cells * sizeof *spec->canonical_cells);
    return head;
}

static void pass_head(struct tape *tape, struct head *head)
{
    pass_u64(tape, &head->magic);
    pass_u64(tape, &head->version);
    for (size_t i = 0; i < sizeof head->rule / sizeof *head->rule; ++i)
        pass_i32(tape, &head->rule[i]);
    pass_u64(tape, &head->calendar);
    pass_u64(tape, &head->n_cells);
    pass_u64(tape, &head->limits_id);
    pass_u64(tape, &head->cells.low);
    pass_u64(tape, &head->cells.high);
}

static void pass_span(struct tape *tape, struct sst_event_ring *ring)
{
    uint8_t has_days = ring->has_days;
    pass_u8(tape, &has_days);
    ring->has_days = has_days != 0;
    pass_i32(tape, &ring->oldest);
    pass_i32(tape, &ring->first);
    pass_i32(tape, &ring->newest);
}

static void pass_moments(struct tape *tape, struct sst_event_moments *moments)
{
    pass_double(tape, &moments->mean);
    pass_double(tape, &moments->m2);
}

static void pass_sums(struct tape *tape, struct sst_event_sums *sums)
{
    pass_i32(tape, &sums->n_days);
    if (sums->n_days == 0)
        return;
    pass_i32(tape, &sums->first);
    pass_i32(tape, &sums->peak);
    pass_i32(tape, &sums->n_unknown);
    pass_i32(tape, &sums->n_filled);
    pass_i32(tape, &sums->n_no_category);
    for (int i = 0; i < SST_EVENT_N_CATEGORIES; ++i)
        pass_i32(tape, &sums->n_category[i]);
    pass_moments(tape, &sums->from_mean);
    pass_moments(tape, &sums->from_threshold);
    pass_moments(tape, &sums->absolute);
    pass_double(tape, &sums->before);
    pass_double(tape, &sums->at_first);
    pass_double(tape, &sums->at_last);
    pass_double(tape, &sums->after);
    pass_double(tape, &sums->severity);
    pass_float(tape, &sums->peak_sst);
    pass_float(tape, &sums->peak_mean);
    pass_float(tape, &sums->peak_threshold);
    pass_u8(tape, &sums->flags);
}

/* Sums that mean nothing any more are not kept. */
static void pass_cell(struct tape *tape, struct sst_event_cell *cell, struct sst_event_sums *spans)
{
    pass_i32(tape, &cell->automaton.run);
    pass_i32(tape, &cell->automaton.length);
    pass_i32(tape, &cell->automaton.since);
    pass_i16(tape, &cell->n_unknown);
    pass_i16(tape, &cell->n_held);
    pass_float(tape, &cell->known_sst);
    pass_double(tape, &cell->previous);
    if (cell->automaton.length > 0)
        pass_sums(tape, &spans[0]);
    if (sst_event_cell_is_open(cell))
        pass_sums(tape, &spans[1]);
}

static void pass_cells(struct tape *tape, const struct sst_event_ring *ring)
{
    for (size_t cell = 0; cell < ring->spec.n_cells && !tape->is_short; ++cell)
        pass_cell(tape, &ring->base.cells[cell], &ring->base.spans[2 * cell]);
}

/* A day's values, out of memory: by far the most of a checkpoint. Each cell takes as much. */
static void put_values(struct tape *tape, const struct sst_event_place_of_day *place, size_t n_cells)
{
    enum { CELL_BYTES = 5 };
    uint8_t *to = tape->bytes ? tape->bytes + tape->at : NULL;
    tape->at += n_cells * CELL_BYTES;
    for (size_t cell = 0; to && cell < n_cells; ++cell, to += CELL_BYTES) {
        uint32_t bits = 0;
        memcpy(&bits, &place->sst[cell], sizeof bits);
        bits = htole32(bits);
        memcpy(to, &bits, sizeof bits);
        to[sizeof bits] = place->flags[cell] & SST_EVENT_DAY_ICE;
    }
}

static void take_values(struct tape *tape, struct sst_event_place_of_day *place, size_t n_cells)
{
    for (size_t cell = 0; cell < n_cells && !tape->is_short; ++cell) {
        uint8_t ice = 0;
        pass_float(tape, &place->sst[cell]);
        pass_u8(tape, &ice);
        place->flags[cell] = (uint8_t)((place->flags[cell] & SST_EVENT_DAY_ICY_CLIMATOLOGY) | ice);
    }
}

/* The day's limits come from the links. */
static void pass_day(struct tape *tape, const struct sst_event_ring *ring, int32_t day)
{
    struct sst_event_place_of_day *place = sst_event_place_at(ring, day);
    uint8_t source = (uint8_t)place->source;
    pass_u8(tape, &source);
    if (tape->read)
        place->source = (enum sst_event_source)source;
    if (source == SST_EVENT_SOURCE_ABSENT)
        return;
    if (tape->read)
        take_values(tape, place, ring->spec.n_cells);
    else
        put_values(tape, place, ring->spec.n_cells);
}

/* --- out ---------------------------------------------------------------------------------------------------------- */

static void write_all(struct tape *tape, const struct sst_event_ring *ring)
{
    struct head head = head_of(&ring->spec);
    struct sst_event_ring copy = *ring; /* borrows its arrays, which a pass outwards only reads */
    pass_head(tape, &head);
    pass_span(tape, &copy);
    pass_cells(tape, &copy);
    if (ring->has_days)
        for (int32_t day = sst_event_ring_begin(ring); day <= ring->newest; ++day)
            pass_day(tape, ring, day);
}

enum sst_status sst_event_ring_encode(const struct sst_event_ring *ring, uint8_t **bytes, size_t *n_bytes,
                                      struct sst_error *err)
{
    struct tape tape = {0};
    struct sst_digest_chain checksum = {0, 0};
    uint8_t *out = NULL;
    write_all(&tape, ring);
    const size_t n_content = tape.at;
    SST_TRY(sst_alloc_large(n_content + CHECKSUM_SIZE, 1, "a checkpoint of events", &out, err));
    tape = (struct tape){.bytes = out};
    write_all(&tape, ring);
    sst_digest_fold(&checksum, out, n_content);
    pass_u64(&tape, &checksum.low);
    pass_u64(&tape, &checksum.high);
    *bytes = out;
    *n_bytes = tape.at;
    return SST_OK;
}

/* --- back --------------------------------------------------------------------------------------------------------- */

static enum sst_status check_head(struct tape *tape, const struct sst_event_ring_spec *spec, struct sst_error *err)
{
    const struct head want = head_of(spec);
    struct head got = {0};
    pass_head(tape, &got);
    if (tape->is_short || got.magic != want.magic)
        return sst_fail(err, SST_ERR_STATE, "events: this is no checkpoint of events. Run: sststream feed rebuild");
    if (got.version != want.version)
        return sst_fail(err, SST_ERR_STATE,
                        "events: a checkpoint of version %llu, and this program reads %d. Run: sststream feed rebuild",
                        (unsigned long long)got.version, VERSION);
    const char *other =
        memcmp(got.rule, want.rule, sizeof got.rule) != 0 ? "rule"
        : got.calendar != want.calendar                   ? "calendar"
        : got.n_cells != want.n_cells || got.cells.low != want.cells.low || got.cells.high != want.cells.high
            ? "set of cells"
        : got.limits_id != want.limits_id ? "climatology"
                                          : NULL;
    if (other)
        return sst_fail(
            err, SST_ERR_STATE,
            "events: a checkpoint of another %s than is asked for. Ask for the same, or run: sststream feed "
            "rebuild",
            other);
    return SST_OK;
}

static enum sst_status check_sum(const uint8_t *bytes, size_t n_bytes, struct sst_error *err)
{
    struct sst_digest_chain want = {0, 0}, got = {0, 0};
    const size_t n_content = n_bytes < CHECKSUM_SIZE ? 0 : n_bytes - CHECKSUM_SIZE;
    struct tape tape = {.read = bytes + n_content, .n_bytes = n_bytes - n_content};
    sst_digest_fold(&want, bytes, n_content);
    pass_u64(&tape, &got.low);
    pass_u64(&tape, &got.high);
    if (tape.is_short || got.low != want.low || got.high != want.high)
        return sst_fail(err, SST_ERR_STATE,
                        "events: a damaged checkpoint: its checksum is wrong. Run: sststream feed rebuild");
    return SST_OK;
}

static enum sst_status not_whole(struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE, "events: a checkpoint that is not whole. Run: sststream feed rebuild");
}

static bool is_span_sane(const struct sst_event_ring *ring)
{
    return !ring->has_days || (ring->first <= ring->newest && ring->oldest <= ring->newest &&
                               (int64_t)ring->newest - ring->oldest < ring->spec.n_days);
}

static enum sst_status read_all(struct tape *tape, struct sst_event_ring *ring, struct sst_error *err)
{
    pass_span(tape, ring);
    if (tape->is_short || !is_span_sane(ring))
        return not_whole(err);
    pass_cells(tape, ring);
    if (ring->has_days)
        for (int32_t day = sst_event_ring_begin(ring); day <= ring->newest && !tape->is_short; ++day) {
            SST_TRY(sst_event_ring_clear_day(ring, day, err));
            pass_day(tape, ring, day);
        }
    if (tape->is_short || tape->at != tape->n_bytes)
        return not_whole(err);
    for (size_t cell = 0; ring->has_days && cell < ring->spec.n_cells; ++cell)
        sst_event_ring_replay(ring, cell);
    return SST_OK;
}

enum sst_status sst_event_ring_decode(const struct sst_event_ring_spec *spec, const uint8_t *bytes, size_t n_bytes,
                                      struct sst_event_ring **out, struct sst_error *err)
{
    struct sst_event_ring *ring = NULL;
    struct tape tape = {.read = bytes, .n_bytes = n_bytes < CHECKSUM_SIZE ? 0 : n_bytes - CHECKSUM_SIZE};
    enum sst_status rc = SST_OK;
    SST_TRY(check_sum(bytes, n_bytes, err));
    SST_TRY(check_head(&tape, spec, err));
    SST_TRY(sst_event_ring_create(spec, &ring, err));
    SST_TRY_GOTO(read_all(&tape, ring, err));
    *out = ring;
    ring = NULL;
done:
    sst_event_ring_destroy(&ring);
    return rc;
}
