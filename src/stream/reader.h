/*
 * Day fields in whatever order the engine asks for, each read and decoded once.
 *
 * Keeps at most SST_MAX_OPEN_FILES files open, over all its processes. Where a chunk of a file spans many steps, the steps that will still be
 * asked for are decoded with it and kept until they are, within a fixed budget.
 *
 *   get(day) ──▶ entries of the day ──▶ cache, or file ▸ chunk ▸ steps ──▶ final before preliminary, doubles compared ──▶ field
 */
#ifndef SST_STREAM_READER_H
#define SST_STREAM_READER_H

#include "core/field.h"
#include "core/grid.h"
#include "core/timings.h"
#include "stream/catalog.h"
#include "stream/field_source.h"
#include "stream/reader_crew.h"

enum { SST_MAX_OPEN_FILES = 8, SST_MAX_HELD_FIELDS = 8 };

/* Decoded steps that wait for their turn take no more than this. [bytes] */
#define SST_STEP_CACHE_BYTES ((size_t)512 << 20)

struct sst_reader;
struct sst_gpu_devices; /* backend/gpu_devices.h */

/* Slots of the ring for so many readers, for files that hold one step a chunk. */
size_t sst_reader_n_slots(int n_readers);

/* What reading has met so far, summed over fields. */
struct sst_reader_totals {
    size_t n_days_read; /* day fields that went into the run */
    size_t n_days_doubled; /* of these, days that another file repeated with the same values */
    size_t n_preliminary_replaced; /* preliminary fields passed over for a final one */
    size_t n_days_bad; /* days that have a file and no usable field */
    size_t n_steps_decoded; /* fields decoded from files, doubles included */
    size_t n_cells_implausible, n_cells_off_lattice, n_cells_land, n_cells_lake; /* of the fields that went in */
    uint64_t bytes_read; /* size of the files read, a file of many steps by its share of steps read */
    struct sst_timings timings; /* of reading, summed over the processes */
    size_t n_reader_deaths;
};

/* One day that went in: for the manifest. */
struct sst_reader_day {
    struct sst_day day;
    uint32_t file, step;
    uint64_t digest; /* sst_domain_digest of its codes, after the mask */
};

struct sst_reader_options {
    struct sst_decode_options decode;
    bool stop_on_bad;
    bool wants_degc; /* fields have `degc`; where files repeat a day, it is that of the first of them */
    const uint8_t *keep; /* --mask flags of the domain, or NULL */
    /* What will be asked for, so that nothing else is decoded ahead; NULL means every day. */
    const struct sst_pool_rule *pools;
    const bool *wanted_slots; /* SST_N_SLOTS + 1 flags by slot */
    size_t cache_bytes; /* for decoded steps; 0 means SST_STEP_CACHE_BYTES */
    const struct sst_reader_crew *crew; /* NULL: files are read in this process */
    const struct sst_gpu_devices *devices; /* for which the readers' memory is page-locked; NULL: for none */
    sst_note_fn *notes;
    void *notes_user;
    sst_note_fn *details; /* for -v: how files of each make are read, once each; NULL for silence */
    void *details_user;
};

/*
 * catalog, domain and options are borrowed until the reader is destroyed; the catalog takes the rejects.
 */
SST_MUST_CHECK enum sst_status sst_reader_create(struct sst_catalog *catalog, const struct sst_domain *domain,
                                                 const struct sst_reader_options *options, struct sst_reader **out,
                                                 struct sst_error *err);
void sst_reader_destroy(struct sst_reader **reader);

/*
 * The field of one day.
 *
 * out      a view into the reader, valid until the next call; `*out` is NULL where the day has no usable field.
 * Doubles  entries of one day with one time stamp: a final field stands before a preliminary one, which is taken where
 *          no final one can be read; equal values count once, with sea ice where either file has it; unlike values make
 *          the day bad. Entries with different time stamps make it bad: several steps in one UTC day want a daily mean
 *          first.
 * Errors   with stop_on_bad the first unusable file or day; SST_ERR_NOMEM. Without it a file that is found bad becomes a
 *          reject, once, whose reason names the day, and is no error.
 */
SST_MUST_CHECK enum sst_status sst_reader_get(struct sst_reader *reader, struct sst_day day,
                                              const struct sst_field **out, struct sst_error *err);

/* As sst_reader_get, but the fields taken before stay valid too: at most SST_MAX_HELD_FIELDS at a time. */
SST_MUST_CHECK enum sst_status sst_reader_take(struct sst_reader *reader, struct sst_day day,
                                               const struct sst_field **out, struct sst_error *err);
void sst_reader_give_back(struct sst_reader *reader);

/* The reader as the engine sees it. Borrowed until the reader is destroyed. */
const struct sst_field_source *sst_reader_source(struct sst_reader *reader);

const struct sst_reader_totals *sst_reader_totals(const struct sst_reader *reader);

/* The days that went in so far, in the order in which they were read. Borrowed. */
const struct sst_reader_day *sst_reader_days(const struct sst_reader *reader, size_t *n_days);

/* The days that had a file and no usable field, in the order in which they were asked for. Borrowed. */
const struct sst_day *sst_reader_bad_days(const struct sst_reader *reader, size_t *n_days);

#endif
