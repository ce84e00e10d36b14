/* Records of the log, each compared with its checksum and with all that lies before it. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/mem.h"
#include "state/day_log_layout.h"
#include "state/day_log_private.h"
#include "state/packed_codes.h"
#include "state/state_private.h"

static enum sst_status damaged(const struct sst_log_reader *reader, struct sst_error *err, const char *format, ...)
    SST_PRINTF(3, 4);

static enum sst_status damaged(const struct sst_log_reader *reader, struct sst_error *err, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return sst_fail(err, SST_ERR_STATE, "%s/days: damaged: %s. Put back a copy of this file and of contents",
                    reader->state->path, what);
}

static enum sst_status unreadable(const struct sst_log_reader *reader, const char *what, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_INPUT, "%s/days: cannot be %s: %s. Nothing was changed", reader->state->path, what,
                    strerror(errno));
}

static enum sst_status read_span(const struct sst_log_reader *reader, void *bytes, size_t n_bytes, uint64_t offset,
                                 struct sst_error *err)
{
    const int64_t n = sst_os_read_all_at(reader->state->os, reader->fd, bytes, n_bytes, offset);
    if (n < 0)
        return unreadable(reader, "read", err);
    return (size_t)n == n_bytes ? SST_OK
                                : damaged(reader, err, "it ends at byte %" PRIu64 ", in a record", offset + (size_t)n);
}

/* --- header ------------------------------------------------------------------------------------------------------- */

static enum sst_status check_header(struct sst_log_reader *reader, struct sst_error *err)
{
    unsigned char bytes[SST_BLOCKS_HEADER_BYTES];
    const struct sst_identity *identity = &reader->state->policy.identity;
    SST_TRY(read_span(reader, bytes, sizeof bytes, 0, err));
    if (memcmp(bytes, SST_BLOCKS_MAGIC, SST_BLOCKS_MAGIC_BYTES) != 0)
        return damaged(reader, err, "it does not begin as a file of a state does");
    if (sst_blocks_get(bytes + SST_BLOCKS_HASHED_HEADER, 8) != XXH3_64bits(bytes, SST_BLOCKS_HASHED_HEADER))
        return damaged(reader, err, "the header does not have its checksum");
    if (sst_blocks_get(bytes + 8, 2) > SST_BLOCKS_MAJOR)
        return sst_fail(err, SST_ERR_STATE,
                        "%s/days: is of format %u.%u, and this program reads up to %d. Use a newer sststream",
                        reader->state->path, (unsigned)sst_blocks_get(bytes + 8, 2),
                        (unsigned)sst_blocks_get(bytes + 10, 2), SST_BLOCKS_MAJOR);
    if (sst_blocks_get(bytes + 12, 4) != SST_STATE_KIND_LOG)
        return damaged(reader, err, "it is a file of another kind");
    if (sst_blocks_get(bytes + 16, 8) != identity->low || sst_blocks_get(bytes + 24, 8) != identity->high)
        return sst_fail(err, SST_ERR_STATE, "%s/days: belongs to another state. Put back the file of this one",
                        reader->state->path);
    reader->done.n_bytes = sizeof bytes;
    sst_digest_fold(&reader->done.chain, bytes, sizeof bytes);
    return SST_OK;
}

enum sst_status sst_log_reader_open(const struct sst_state *state, const struct sst_log_extent *extent,
                                    struct sst_log_reader *out, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    *out = (struct sst_log_reader){.state = state, .extent = *extent};
    out->fd = sst_state_open_file(os, state->folder, "days", O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (out->fd < 0 && errno == ENOENT)
        return sst_fail(err, SST_ERR_STATE, "%s/days: missing. Put back a copy of this file", state->path);
    if (out->fd < 0)
        return unreadable(out, "opened", err);
    const int64_t size = os->size(os->user, out->fd);
    if (size < 0)
        return unreadable(out, "read", err);
    if ((uint64_t)size < extent->n_bytes)
        return damaged(out, err, "it has %" PRId64 " bytes, and %" PRIu64 " were written", size, extent->n_bytes);
    return check_header(out, err);
}

void sst_log_reader_close(struct sst_log_reader *reader)
{
    sst_state_close_file(reader->state->os, &reader->fd);
    sst_free(reader->head);
    reader->head = NULL;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static uint64_t padded(uint64_t n_bytes)
{
    return (n_bytes + SST_BLOCKS_ALIGNMENT - 1) & ~(uint64_t)(SST_BLOCKS_ALIGNMENT - 1);
}

/* The head at a place and its name, as they lie in the file, compared with their checksum. */
static enum sst_status read_head(struct sst_log_reader *reader, uint64_t place, size_t *n_bytes, struct sst_error *err)
{
    const uint64_t left = reader->extent.n_bytes - place;
    if (left < SST_LOG_HEAD_BYTES)
        return damaged(reader, err, "%" PRIu64 " bytes at byte %" PRIu64 " are too few for a day", left, place);
    SST_TRY(sst_grow(&reader->head, &reader->head_capacity, SST_LOG_HEAD_BYTES, 1, "a record of the log", err));
    SST_TRY(read_span(reader, reader->head, SST_LOG_HEAD_BYTES, place, err));
    const size_t name = (size_t)padded(sst_blocks_get(reader->head + SST_LOG_FIELDS_AT, 4));
    if (name > left - SST_LOG_HEAD_BYTES)
        return damaged(reader, err, "the record at byte %" PRIu64 " does not end in it", place);
    *n_bytes = SST_LOG_HEAD_BYTES + name;
    SST_TRY(sst_grow(&reader->head, &reader->head_capacity, *n_bytes + 1, 1, "a record of the log", err));
    SST_TRY(read_span(reader, reader->head + SST_LOG_HEAD_BYTES, name, place + SST_LOG_HEAD_BYTES, err));
    if (sst_blocks_get(reader->head, 8) == XXH3_64bits(reader->head + SST_LOG_CHAIN_AT, *n_bytes - SST_LOG_CHAIN_AT))
        return SST_OK;
    return damaged(reader, err, "the record at byte %" PRIu64 " does not have its checksum", place);
}

/* Its fields, which say what was written: a fault of them is one of the program, or a forgery. */
static enum sst_status take_fields(struct sst_log_reader *reader, uint64_t place, size_t n_bytes, struct sst_error *err)
{
    const struct sst_state_policy *policy = &reader->state->policy;
    const unsigned char *at = reader->head + SST_LOG_FIELDS_AT;
    const uint64_t left = reader->extent.n_bytes - place - n_bytes;
    struct sst_log_record *record = &reader->record;
    const uint64_t n_name = sst_blocks_get(at, 4), has = sst_blocks_get(at + 24, 4);
    *record =
        (struct sst_log_record){.at = {.day = {(int32_t)sst_blocks_get(at + 4, 4), (int32_t)sst_blocks_get(at + 8, 4)},
                                       .status = sst_blocks_get(at + 12, 4) == 1 ? SST_DAY_FINAL : SST_DAY_PRELIMINARY,
                                       .n_valid = (uint32_t)sst_blocks_get(at + 16, 4),
                                       .median = (int32_t)sst_blocks_get(at + 20, 4),
                                       .has_values = (has & SST_LOG_HAS_VALUES) != 0,
                                       .digest = sst_blocks_get(at + 32, 8),
                                       .ice_digest = sst_blocks_get(at + 40, 8)},
                                .has_ice = (has & SST_LOG_HAS_ICE) != 0,
                                .place = place,
                                .values = place + n_bytes,
                                .codes_bytes = sst_blocks_get(at + 48, 8),
                                .ice_bytes = sst_blocks_get(at + 56, 8),
                                .checksum = sst_blocks_get(at + 64, 8),
                                .source = (char *)reader->head + SST_LOG_HEAD_BYTES};
    record->source[n_name] = '\0'; /* there is room for one more byte */
    if (!sst_calendar_has_day(policy->pools.kind, record->at.day) || sst_blocks_get(at + 12, 4) > 1 ||
        strlen(record->source) != n_name)
        return damaged(reader, err, "the record at byte %" PRIu64 " is of no day", place);
    if (record->codes_bytes > left || record->ice_bytes > left - record->codes_bytes ||
        padded(record->codes_bytes + record->ice_bytes) > left)
        return damaged(reader, err, "the values of the record at byte %" PRIu64 " do not end in it", place);
    record->end = record->values + padded(record->codes_bytes + record->ice_bytes);
    return SST_OK;
}

enum sst_status sst_log_reader_at(struct sst_log_reader *reader, uint64_t place, struct sst_error *err)
{
    size_t n_bytes = 0;
    SST_TRY(read_head(reader, place, &n_bytes, err));
    return take_fields(reader, place, n_bytes, err);
}

enum sst_status sst_log_reader_next(struct sst_log_reader *reader, struct sst_error *err)
{
    const uint64_t place = reader->done.n_bytes;
    struct sst_digest_chain *chain = &reader->done.chain;
    size_t n_bytes = 0;
    SST_TRY(read_head(reader, place, &n_bytes, err));
    sst_digest_fold(chain, reader->head + SST_LOG_FIELDS_AT, n_bytes - SST_LOG_FIELDS_AT);
    if (sst_blocks_get(reader->head + SST_LOG_CHAIN_AT, 8) != chain->low ||
        sst_blocks_get(reader->head + SST_LOG_CHAIN_AT + 8, 8) != chain->high)
        return damaged(reader, err, "the record at byte %" PRIu64 " does not belong behind the one before it", place);
    SST_TRY(take_fields(reader, place, n_bytes, err));
    reader->done.n_bytes = reader->record.end;
    ++reader->done.n_records;
    return SST_OK;
}

enum sst_status sst_log_reader_end(const struct sst_log_reader *reader, struct sst_error *err)
{
    const struct sst_log_extent *is = &reader->done, *told = &reader->extent;
    if (is->n_records == told->n_records && is->chain.low == told->chain.low && is->chain.high == told->chain.high)
        return SST_OK;
    return damaged(reader, err, "its %" PRIu64 " records are not the %" PRIu64 " that contents tells of", is->n_records,
                   told->n_records);
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Stored bytes as they were before they were deflated. */
static enum sst_status inflate(const struct sst_log_reader *reader, const unsigned char *stored, size_t length,
                               unsigned char *raw, size_t raw_length, struct sst_error *err)
{
    struct sst_unpacker *unpacker = NULL;
    if (length == raw_length) {
        memcpy(raw, stored, length);
        return SST_OK;
    }
    SST_TRY(sst_unpacker_create(&unpacker, err));
    const bool is_whole = sst_unpack_bytes(unpacker, stored, length, raw, raw_length);
    sst_unpacker_destroy(&unpacker);
    return is_whole ? SST_OK
                    : damaged(reader, err, "the values at byte %" PRIu64 " do not unpack", reader->record.values);
}

static enum sst_status unpack(const struct sst_log_reader *reader, const unsigned char *stored, int16_t *codes,
                              uint8_t *ice, struct sst_error *err)
{
    const struct sst_log_record *record = &reader->record;
    const size_t n = reader->state->policy.n_cells;
    unsigned char *raw = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(
        sst_alloc_large(sst_packed_codes_bytes(n) + sst_packed_marks_bytes(1), 1, "the values of a day", &raw, err));
    SST_TRY_GOTO(inflate(reader, stored, record->codes_bytes, raw, sst_packed_codes_bytes(n), err));
    sst_unpack_codes(raw, n, codes);
    memset(ice, 0, n);
    if (!record->has_ice)
        goto done;
    SST_TRY_GOTO(inflate(reader, stored + record->codes_bytes, record->ice_bytes, raw, sst_packed_marks_bytes(n), err));
    if (!sst_unpack_marks(raw, n, ice))
        rc = damaged(reader, err, "the values at byte %" PRIu64 " have ice beyond the grid", record->values);
done:
    sst_free(raw);
    return rc;
}

/* Whether the lengths can be those of the grid; before memory is asked for. */
static bool values_fit(const struct sst_log_reader *reader)
{
    const struct sst_log_record *record = &reader->record;
    const size_t n = reader->state->policy.n_cells;
    if (!record->at.has_values)
        return record->codes_bytes == 0 && record->ice_bytes == 0;
    return sst_packed_may_be(record->codes_bytes, sst_packed_codes_bytes(n)) &&
           (record->has_ice ? sst_packed_may_be(record->ice_bytes, sst_packed_marks_bytes(n)) : record->ice_bytes == 0);
}

enum sst_status sst_log_reader_values(struct sst_log_reader *reader, int16_t *codes, uint8_t *ice,
                                      struct sst_error *err)
{
    const struct sst_log_record *record = &reader->record;
    const uint64_t n_bytes = record->end - record->values;
    unsigned char *stored = NULL;
    enum sst_status rc = SST_OK;
    if (!values_fit(reader))
        return damaged(reader, err, "the values at byte %" PRIu64 " are not of its grid", record->values);
    SST_TRY(sst_alloc_large(n_bytes, 1, "the values of a day", &stored, err));
    SST_TRY_GOTO(read_span(reader, stored, n_bytes, record->values, err));
    if (XXH3_64bits(stored, n_bytes) != record->checksum)
        rc = damaged(reader, err, "the values at byte %" PRIu64 " do not have their checksum", record->values);
    else if (codes)
        rc = unpack(reader, stored, codes, ice, err);
done:
    sst_free(stored);
    return rc;
}
