/* What is known of days without counting them. */
#include <string.h>

#include "core/mem.h"
#include "state/day_log_private.h"
#include "state/state_private.h"

const char *sst_day_status_name(enum sst_day_status status)
{
    return status == SST_DAY_FINAL ? "final" : "preliminary";
}

/* --- the list ----------------------------------------------------------------------------------------------------- */

size_t sst_day_log_place(const struct sst_day_log *log, struct sst_day day)
{
    size_t low = 0, high = log->n_days;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sst_day_compare(log->days[middle].day, day) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Room for more days, an eighth of what is there at least: doubling would take more memory than is promised. */
static enum sst_status reserve(struct sst_day_log *log, size_t more, struct sst_error *err)
{
    if (more <= log->capacity - log->n_days)
        return SST_OK;
    const size_t least = log->n_days + log->n_days / 8, needed = log->n_days + more;
    const size_t capacity = needed > least ? needed : least;
    SST_TRY(sst_extend(&log->days, log->n_days, capacity, sizeof *log->days, "the log of days", err));
    SST_TRY(sst_extend(&log->places, log->n_days, capacity, sizeof *log->places, "the log of days", err));
    log->capacity = capacity;
    return SST_OK;
}

/* Cannot fail: there is room. A later record of a day takes the place of the earlier one. */
static void put(struct sst_day_log *log, const struct sst_logged_day *day, uint64_t place_in_file)
{
    const size_t at = sst_day_log_place(log, day->day);
    const bool is_there = at < log->n_days && sst_day_compare(log->days[at].day, day->day) == 0;
    if (!is_there) {
        memmove(log->days + at + 1, log->days + at, (log->n_days - at) * sizeof *log->days);
        memmove(log->places + at + 1, log->places + at, (log->n_days - at) * sizeof *log->places);
        ++log->n_days;
    }
    log->days[at] = *day;
    log->places[at] = place_in_file;
}

void sst_day_log_clear(struct sst_day_log *log)
{
    sst_free(log->days);
    sst_free(log->places);
    *log = (struct sst_day_log){0};
}

const struct sst_logged_day *sst_state_logged_days(const struct sst_state *state) { return state->log.days; }

size_t sst_state_n_logged(const struct sst_state *state) { return state->log.n_days; }

const struct sst_logged_day *sst_state_logged(const struct sst_state *state, struct sst_day day)
{
    const struct sst_day_log *log = &state->log;
    const size_t at = sst_day_log_place(log, day);
    return at < log->n_days && sst_day_compare(log->days[at].day, day) == 0 ? &log->days[at] : NULL;
}

void sst_day_log_fold(const struct sst_day_log *log, const bool *is_counted, struct sst_identity *digest)
{
    struct sst_digest_chain chain = {digest->low, digest->high};
    for (size_t i = 0; i < log->n_days; ++i) {
        const struct sst_logged_day *at = &log->days[i];
        const uint64_t numbers[] = {(uint64_t)at->day.year << 32 | (uint32_t)at->day.slot, at->digest, at->ice_digest,
                                    (uint64_t)at->status};
        if (!is_counted[i])
            sst_digest_fold(&chain, numbers, sizeof numbers);
    }
    *digest = (struct sst_identity){chain.low, chain.high};
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

enum sst_status sst_day_log_read(struct sst_state *state, struct sst_error *err)
{
    struct sst_day_log *log = &state->log;
    struct sst_log_reader reader;
    enum sst_status rc = SST_OK;
    if (log->extent.n_bytes == 0)
        return SST_OK;
    SST_TRY_GOTO(sst_log_reader_open(state, &log->extent, &reader, err));
    while (reader.done.n_bytes < log->extent.n_bytes) {
        SST_TRY_GOTO(sst_log_reader_next(&reader, err));
        SST_TRY_GOTO(reserve(log, 1, err));
        put(log, &reader.record.at, reader.record.place);
    }
    SST_TRY_GOTO(sst_log_reader_end(&reader, err));
done:
    sst_log_reader_close(&reader);
    return rc;
}

enum sst_status sst_day_log_verify(const struct sst_state *state, const struct sst_log_extent *extent,
                                   struct sst_error *err)
{
    struct sst_log_reader reader;
    enum sst_status rc = SST_OK;
    if (extent->n_bytes == 0)
        return SST_OK;
    SST_TRY_GOTO(sst_log_reader_open(state, extent, &reader, err));
    while (reader.done.n_bytes < extent->n_bytes) {
        SST_TRY_GOTO(sst_log_reader_next(&reader, err));
        SST_TRY_GOTO(sst_log_reader_values(&reader, NULL, NULL, err));
    }
    SST_TRY_GOTO(sst_log_reader_end(&reader, err));
done:
    sst_log_reader_close(&reader);
    return rc;
}

static enum sst_status take_values(struct sst_log_reader *reader, struct sst_field *field, struct sst_error *err)
{
    const struct sst_state_policy *policy = &reader->state->policy;
    char day[SST_DAY_TEXT_SIZE];
    if (!reader->record.at.has_values)
        return sst_fail(err, SST_ERR_STATE,
                        "%s/days: the values of %s are not kept. Give the file of the day, or make a state with "
                        "--keep all",
                        reader->state->path, sst_day_text(policy->pools.kind, reader->record.at.day, day));
    if (field->n_cells != policy->n_cells)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: a field that is not of its grid", reader->state->path);
    SST_TRY(sst_log_reader_values(reader, field->codes, field->ice, err));
    field->has_ice = reader->record.has_ice;
    if (field->hundredths && field->hundredths != field->codes) {
        if (policy->lattice == SST_LATTICE_CENTI)
            memcpy(field->hundredths, field->codes, field->n_cells * sizeof *field->codes);
        else
            sst_field_hundredths(field->codes, field->n_cells, field->hundredths);
    }
    return SST_OK;
}

enum sst_status sst_state_load_logged(const struct sst_state *state, struct sst_day day, char **source,
                                      struct sst_field *field, struct sst_error *err)
{
    const struct sst_day_log *log = &state->log;
    const size_t at = sst_day_log_place(log, day);
    struct sst_log_reader reader;
    char text[SST_DAY_TEXT_SIZE], *name = NULL;
    enum sst_status rc = SST_OK;
    if (!sst_state_logged(state, day))
        return sst_fail(err, SST_ERR_INTERNAL, "%s: its log has no %s", state->path,
                        sst_day_text(state->policy.pools.kind, day, text));
    SST_TRY_GOTO(sst_log_reader_open(state, &log->extent, &reader, err));
    SST_TRY_GOTO(sst_log_reader_at(&reader, log->places[at], err));
    if (sst_day_compare(reader.record.at.day, day) != 0 || reader.record.at.digest != log->days[at].digest) {
        rc = sst_fail(err, SST_ERR_STATE, "%s/days: was changed while it was open. Open the state again", state->path);
        goto done;
    }
    if (source)
        SST_TRY_GOTO(sst_strdup(reader.record.source, &name, err));
    if (field)
        SST_TRY_GOTO(take_values(&reader, field, err));
    if (source)
        *source = name;
    name = NULL;
done:
    sst_free(name);
    sst_log_reader_close(&reader);
    return rc;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

static enum sst_status check_entries(const struct sst_state *state, const struct sst_log_entry *entries,
                                     size_t n_entries, struct sst_error *err)
{
    const struct sst_state_policy *policy = &state->policy;
    bool fits = state->use == SST_STATE_WRITE;
    for (size_t i = 0; i < n_entries; ++i) {
        const struct sst_field *field = entries[i].field;
        fits &= sst_calendar_has_day(policy->pools.kind, entries[i].at.day);
        fits &= field ? field->n_cells == policy->n_cells : policy->keep != SST_KEEP_ALL;
        fits &= !field || field->has_ice == (entries[i].at.ice_digest != 0);
    }
    return fits ? SST_OK
                : sst_fail(err, SST_ERR_INTERNAL, "%s: days that are not for this state, or a state only to read",
                           state->path);
}

/* The days count as known once the contents have the length of the log with them. */
static enum sst_status append(struct sst_state *state, const struct sst_log_entry *entries, size_t n_entries,
                              uint64_t *places, struct sst_error *err)
{
    const struct sst_log_extent before = state->log.extent;
    struct sst_log_extent extent = before;
    SST_TRY(sst_log_append(state, entries, n_entries, places, &extent, err));
    state->log.extent = extent;
    const enum sst_status rc = sst_state_write_contents(state, err);
    if (rc != SST_OK)
        state->log.extent = before;
    return rc;
}

enum sst_status sst_state_log(struct sst_state *state, const struct sst_log_entry *entries, size_t n_entries,
                              struct sst_error *err)
{
    uint64_t *places = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(check_entries(state, entries, n_entries, err));
    SST_TRY(sst_state_check_takes(state, err));
    if (n_entries == 0)
        return SST_OK;
    SST_TRY_GOTO(sst_alloc(n_entries, sizeof *places, "the log of days", &places, err));
    SST_TRY_GOTO(reserve(&state->log, n_entries, err));
    rc = append(state, entries, n_entries, places, err);
    state->is_stopped = rc == SST_ERR_OUTPUT;
    for (size_t i = 0; i < n_entries && rc == SST_OK; ++i) {
        struct sst_logged_day day = entries[i].at;
        day.has_values = state->policy.keep == SST_KEEP_ALL;
        put(&state->log, &day, places[i]);
    }
done:
    sst_free(places);
    return rc;
}
