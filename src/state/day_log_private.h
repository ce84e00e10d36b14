/* What day_log*.c and an open state share: how much of the log is there, and what it says of each day. */
#ifndef SST_STATE_DAY_LOG_PRIVATE_H
#define SST_STATE_DAY_LOG_PRIVATE_H

#include "core/digest.h"
#include "state/day_log.h"

#define SST_STATE_KIND_LOG SST_BLOCKS_TAG('D', 'L', 'O', 'G')

/* What the contents say of the log: all zeros where there is none. */
struct sst_log_extent {
    uint64_t n_bytes, n_records;
    struct sst_digest_chain chain; /* over the header and all records */
};

/* The last record of each day, ascending: 56 bytes a day, and an eighth of room. */
struct sst_day_log {
    struct sst_log_extent extent;
    struct sst_logged_day *days;
    uint64_t *places; /* of the records in the file */
    size_t n_days, capacity;
};

_Static_assert(sizeof(struct sst_logged_day) + sizeof(uint64_t) <= 64, "years of days are held in memory");

/* Reads the heads of all records, not their values; the extent is set. Errors: SST_ERR_STATE, SST_ERR_INPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_day_log_read(struct sst_state *state, struct sst_error *err);
void sst_day_log_clear(struct sst_day_log *log);

/* Cuts off what a dead writer left behind the extent. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_day_log_cut(const struct sst_state *state, struct sst_error *err);

/* Checks every byte of the log up to an extent. Errors: as sst_day_log_read. */
SST_MUST_CHECK enum sst_status sst_day_log_verify(const struct sst_state *state, const struct sst_log_extent *extent,
                                                  struct sst_error *err);

/*
 * Folds the days that no slot counts into a digest, ascending. With none of them it stays as it is.
 *
 * is_counted   one for each day of the log.
 */
void sst_day_log_fold(const struct sst_day_log *log, const bool *is_counted, struct sst_identity *digest);

/* The place of a day among those of the log, or where it would be. */
size_t sst_day_log_place(const struct sst_day_log *log, struct sst_day day);

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* A record as it lies in the file, without its values. */
struct sst_log_record {
    struct sst_logged_day at;
    bool has_ice;
    uint64_t place; /* of the record */
    uint64_t values; /* place of its values */
    uint64_t codes_bytes, ice_bytes; /* as they are stored */
    uint64_t checksum; /* of the values with their padding */
    uint64_t end; /* place of the next record */
    char *source;
};

/* Goes through records. */
struct sst_log_reader {
    const struct sst_state *state;
    int fd;
    struct sst_log_extent extent; /* that is to be read */
    struct sst_log_extent done; /* that was read */
    unsigned char *head; /* of the last record, with its name */
    size_t head_capacity;
    struct sst_log_record record; /* its source lies in head */
};

/*
 * Opens the log, whose extent is not empty, and checks its header.
 *
 * Owner    the caller; sst_log_reader_close, also after a failure. Errors: SST_ERR_STATE: missing, shorter than the extent, of
 *          another state; SST_ERR_INPUT; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_log_reader_open(const struct sst_state *state, const struct sst_log_extent *extent,
                                                   struct sst_log_reader *out, struct sst_error *err);
void sst_log_reader_close(struct sst_log_reader *reader);

/* The next record into reader->record, while done.n_bytes < extent.n_bytes; its chain is checked. */
SST_MUST_CHECK enum sst_status sst_log_reader_next(struct sst_log_reader *reader, struct sst_error *err);

/* Whether the records that were read are all that the extent tells of. Errors: SST_ERR_STATE. */
SST_MUST_CHECK enum sst_status sst_log_reader_end(const struct sst_log_reader *reader, struct sst_error *err);

/* The record at a place, whatever lies before it. */
SST_MUST_CHECK enum sst_status sst_log_reader_at(struct sst_log_reader *reader, uint64_t place, struct sst_error *err);

/* The values of reader->record: codes and ice of policy->n_cells cells; NULL, NULL: they are checked only. */
SST_MUST_CHECK enum sst_status sst_log_reader_values(struct sst_log_reader *reader, int16_t *codes, uint8_t *ice,
                                                     struct sst_error *err);

/*
 * Appends records behind the extent, and synchronises them: they are there when the contents have the new extent.
 *
 * places   n_entries: where each record is. *extent becomes the new one.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM; SST_ERR_STATE where the file is shorter than the extent.
 */
SST_MUST_CHECK enum sst_status sst_log_append(const struct sst_state *state, const struct sst_log_entry *entries,
                                              size_t n_entries, uint64_t *places, struct sst_log_extent *extent,
                                              struct sst_error *err);

#endif
