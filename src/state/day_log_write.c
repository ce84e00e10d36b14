/* Records behind those that are there. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

#include "core/mem.h"
#include "state/day_log_layout.h"
#include "state/day_log_private.h"
#include "state/packed_codes.h"
#include "state/state_private.h"

/* A log that is being written, and memory for one record. */
struct appending {
    const struct sst_state *state;
    int fd;
    struct sst_log_extent *extent;
    unsigned char *bytes; /* the record */
    size_t n_bytes, capacity;
    unsigned char *raw; /* values before they are deflated */
    struct sst_packer *packer;
};

static enum sst_status fail_errno(const struct sst_state *state, const char *what, struct sst_error *err)
{
    const int reason = errno;
    return sst_fail(err, SST_ERR_OUTPUT, "%s/days: cannot be %s: %s. What was there stands as it was. %s", state->path,
                    what, strerror(reason), sst_block_remedy(reason));
}

/* --- the end of the log ------------------------------------------------------------------------------------------- */

static enum sst_status cut_tail(const struct sst_state *state, int fd, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    const uint64_t n_bytes = state->log.extent.n_bytes;
    const int64_t size = os->size(os->user, fd);
    if (size < 0)
        return fail_errno(state, "measured", err);
    if ((uint64_t)size < n_bytes)
        return sst_fail(err, SST_ERR_STATE,
                        "%s/days: damaged: it has %" PRId64 " bytes, and %" PRIu64
                        " were written. Put back a copy of this file and of contents",
                        state->path, size, n_bytes);
    int result = 0;
    while ((uint64_t)size > n_bytes && (result = os->truncate(os->user, fd, n_bytes)) != 0 && errno == EINTR)
        ;
    return result == 0 ? SST_OK : fail_errno(state, "cut to what is known of it (ftruncate)", err);
}

enum sst_status sst_day_log_cut(const struct sst_state *state, struct sst_error *err)
{
    int fd = sst_state_open_file(state->os, state->folder, "days", O_WRONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT)
        return SST_OK;
    if (fd < 0)
        return fail_errno(state, "opened to write", err);
    const enum sst_status rc = cut_tail(state, fd, err);
    sst_state_close_file(state->os, &fd);
    return rc;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static enum sst_status write_bytes(struct appending *to, const unsigned char *bytes, size_t n_bytes,
                                   struct sst_error *err)
{
    if (sst_os_write_all(to->state->os, to->fd, bytes, n_bytes) != 0)
        return fail_errno(to->state, "written", err);
    to->extent->n_bytes += n_bytes;
    return SST_OK;
}

static enum sst_status write_header(struct appending *to, struct sst_error *err)
{
    unsigned char bytes[SST_BLOCKS_HEADER_BYTES];
    sst_blocks_put_header(bytes, SST_STATE_KIND_LOG, to->state->policy.identity);
    sst_digest_fold(&to->extent->chain, bytes, sizeof bytes);
    return write_bytes(to, bytes, sizeof bytes, err);
}

static size_t deflate(struct appending *to, size_t n_raw)
{
    const size_t length = sst_pack_bytes(to->packer, to->raw, n_raw, to->bytes + to->n_bytes);
    to->n_bytes += length;
    return length;
}

/* The values behind head and name, whose lengths and checksum they give. */
static void put_values(struct appending *to, const struct sst_field *field, uint64_t *codes_bytes, uint64_t *ice_bytes,
                       uint64_t *checksum)
{
    const size_t start = to->n_bytes;
    if (field) {
        sst_pack_codes(field->codes, field->n_cells, to->raw);
        *codes_bytes = deflate(to, sst_packed_codes_bytes(field->n_cells));
    }
    if (field && field->has_ice) {
        sst_pack_marks(field->ice, field->n_cells, to->raw);
        *ice_bytes = deflate(to, sst_packed_marks_bytes(field->n_cells));
    }
    const size_t end = sst_blocks_padded(to->n_bytes);
    memset(to->bytes + to->n_bytes, 0, end - to->n_bytes);
    to->n_bytes = end;
    *checksum = XXH3_64bits(to->bytes + start, end - start);
}

/* `field` is NULL where no values are kept. */
static void put_record(struct appending *to, const struct sst_log_entry *entry, const struct sst_field *field)
{
    const struct sst_logged_day *day = &entry->at;
    const size_t n_name = strlen(entry->source), n_head = SST_LOG_HEAD_BYTES + sst_blocks_padded(n_name);
    uint64_t codes_bytes = 0, ice_bytes = 0, checksum = 0;
    memset(to->bytes, 0, n_head);
    memcpy(to->bytes + SST_LOG_HEAD_BYTES, entry->source, n_name);
    to->n_bytes = n_head;
    put_values(to, field, &codes_bytes, &ice_bytes, &checksum);
    const unsigned has = (field ? SST_LOG_HAS_VALUES : 0U) | (field && field->has_ice ? (unsigned)SST_LOG_HAS_ICE : 0U);
    unsigned char *at = to->bytes + SST_LOG_FIELDS_AT;
    at = sst_blocks_put(at, n_name, 4);
    at = sst_blocks_put(at, (uint32_t)day->day.year, 4);
    at = sst_blocks_put(at, (uint32_t)day->day.slot, 4);
    at = sst_blocks_put(at, day->status == SST_DAY_FINAL, 4);
    at = sst_blocks_put(at, day->n_valid, 4);
    at = sst_blocks_put(at, (uint32_t)day->median, 4);
    at = sst_blocks_put(at, has, 4);
    at = sst_blocks_put(at, 0, 4);
    at = sst_blocks_put(at, day->digest, 8);
    at = sst_blocks_put(at, day->ice_digest, 8);
    at = sst_blocks_put(at, codes_bytes, 8);
    at = sst_blocks_put(at, ice_bytes, 8);
    (void)sst_blocks_put(at, checksum, 8);

    struct sst_digest_chain *chain = &to->extent->chain;
    sst_digest_fold(chain, to->bytes + SST_LOG_FIELDS_AT, n_head - SST_LOG_FIELDS_AT);
    at = sst_blocks_put(to->bytes + SST_LOG_CHAIN_AT, chain->low, 8);
    (void)sst_blocks_put(at, chain->high, 8);
    (void)sst_blocks_put(to->bytes, XXH3_64bits(to->bytes + SST_LOG_CHAIN_AT, n_head - SST_LOG_CHAIN_AT), 8);
}

/* All memory there will be need of: once bytes are written only the system can fail. */
static enum sst_status reserve(struct appending *to, const struct sst_log_entry *entries, size_t n_entries,
                               struct sst_error *err)
{
    const size_t n = to->state->policy.keep == SST_KEEP_ALL ? to->state->policy.n_cells : 0;
    size_t longest = 0;
    for (size_t i = 0; i < n_entries; ++i)
        longest = strlen(entries[i].source) > longest ? strlen(entries[i].source) : longest;
    const size_t values = sst_packed_codes_bytes(n) + sst_packed_marks_bytes(n);
    SST_TRY(sst_grow(&to->bytes, &to->capacity,
                     SST_LOG_HEAD_BYTES + sst_blocks_padded(longest) + sst_blocks_padded(values), 1,
                     "a record of the log", err));
    SST_TRY(sst_alloc_large(values, 1, "the values of a day", &to->raw, err));
    return n > 0 ? sst_packer_create(&to->packer, err) : SST_OK;
}

static enum sst_status write_records(struct appending *to, const struct sst_log_entry *entries, size_t n_entries,
                                     uint64_t *places, struct sst_error *err)
{
    SST_TRY(cut_tail(to->state, to->fd, err)); /* of a batch that failed */
    if (to->extent->n_bytes == 0)
        SST_TRY(write_header(to, err));
    for (size_t i = 0; i < n_entries; ++i) {
        places[i] = to->extent->n_bytes;
        put_record(to, &entries[i], to->state->policy.keep == SST_KEEP_ALL ? entries[i].field : NULL);
        SST_TRY(write_bytes(to, to->bytes, to->n_bytes, err));
        ++to->extent->n_records;
    }
    return to->state->os->sync(to->state->os->user, to->fd) == 0 ? SST_OK
                                                                 : fail_errno(to->state, "synchronised (fsync)", err);
}

enum sst_status sst_log_append(const struct sst_state *state, const struct sst_log_entry *entries, size_t n_entries,
                               uint64_t *places, struct sst_log_extent *extent, struct sst_error *err)
{
    const struct sst_os *os = state->os;
    const bool is_new = extent->n_bytes == 0;
    struct appending to = {.state = state, .fd = -1, .extent = extent};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(reserve(&to, entries, n_entries, err));
    to.fd = sst_state_open_file(os, state->folder, "days", O_WRONLY | O_APPEND | (is_new ? O_CREAT : 0));
    if (to.fd < 0) {
        rc = fail_errno(state, "opened to write", err);
        goto done;
    }
    rc = write_records(&to, entries, n_entries, places, err);
    /* An interrupted close has closed, and all was synchronised before it. */
    if (os->close(os->user, to.fd) != 0 && errno != EINTR && rc == SST_OK)
        rc = fail_errno(state, "closed", err);
    if (rc == SST_OK && is_new && os->sync(os->user, state->folder) != 0)
        rc = fail_errno(state, "given its place for good (fsync of the folder)", err);
done:
    sst_packer_destroy(&to.packer);
    sst_free(to.bytes);
    sst_free(to.raw);
    return rc;
}
