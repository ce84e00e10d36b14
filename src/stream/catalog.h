/*
 * What the files hold, day by day, from their headers alone: the ground on which a run is planned.
 *
 *   paths ──▶ scan headers ──▶ files (grid, product, packing) + entries (day ▸ file, step), sorted by slot, then year
 *                          └─▶ rejects (path, reason)
 */
#ifndef SST_STREAM_CATALOG_H
#define SST_STREAM_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "core/timings.h"
#include "stream/decode.h"
#include "stream/memo_list.h"
#include "stream/reader_crew.h"

/* The product of a file that names none, or is preliminary; the sensor of one that names none. */
#define SST_NO_PRODUCT SIZE_MAX
#define SST_NO_SENSOR SIZE_MAX
enum { SST_MAX_SENSORS = 64 };

struct sst_catalog_file {
    char *path;
    uint64_t size_bytes;
    struct sst_grid_map map; /* from the run's grid to this file's */
    size_t n_steps;
    size_t steps_per_chunk;
    bool is_preliminary;
    size_t product; /* of the catalog's products; SST_NO_PRODUCT */
    size_t sensor; /* of the catalog's sensors; SST_NO_SENSOR */
    size_t memo; /* of the catalog's memos; SST_NO_MEMO */
};

/* One step of one file. Several entries of one day stand together; the reader decides what they are. */
struct sst_catalog_entry {
    struct sst_instant at;
    uint32_t file; /* index into files */
    uint32_t step;
};

enum sst_reject_kind {
    SST_REJECT_UNUSABLE, /* cannot be read, or is not what it should be */
    SST_REJECT_OTHER_SERIES, /* of another grid, calendar or kind of temperature than most */
    SST_REJECT_CONTRADICTS /* another file has other values of the same day */
};

/* A file that is not used, and why. */
struct sst_reject {
    char *path;
    char *reason; /* without the path */
    enum sst_reject_kind kind;
};

struct sst_catalog {
    struct sst_catalog_file *files;
    size_t n_files, files_capacity;
    struct sst_catalog_entry *entries; /* sorted by slot, year, second, path */
    size_t n_entries, entries_capacity;
    struct sst_reject *rejects;
    size_t n_rejects, rejects_capacity;
    char **
        products; /* what products of files call themselves, without dates; none where names change from file to file */
    size_t n_products;
    char **sensors; /* what files say of platform, sensor and instrument: the first SST_MAX_SENSORS that are unlike */
    size_t n_sensors;
    size_t n_scanned; /* files looked at */
    struct sst_memo_list memos; /* what reading need not ask the files again */
    struct sst_timings timings; /* of the scan, summed over the processes */
    size_t n_reader_deaths; /* in the scan */
    /* What all used files share: */
    struct sst_grid *grid; /* of the file with the earliest day */
    enum sst_calendar_kind calendar;
    enum sst_lattice_kind lattice;
    bool lattice_is_exact; /* no packed file leaves the lattice, no sampled value of a floating-point file does */
    enum sst_sst_kind kind;
    char *variable, *standard_name, *title, *ice_source,
        *mask_source; /* of the file with the earliest day; never NULL */
    struct sst_day first_day, last_day;
};

struct sst_catalog_options {
    struct sst_decode_options decode;
    const struct sst_reader_crew *crew; /* NULL: files are opened in this process */
    bool stop_on_bad; /* --on-bad stop: the first unusable file is the error */
    bool accepts_none; /* that no file is usable is no error: the catalog has rejects alone, and no grid */
    sst_note_fn *notes; /* may be NULL; told once of what many files have, then of how many */
    void *notes_user;
    void (*progress)(void *user, size_t done, size_t total); /* may be NULL; called after each file */
    void *progress_user;
};

/*
 * Opens every path and reads its header; a file of another grid, calendar or kind of temperature than those with the most
 * days is a reject, and so is one that sst_file_open refuses.
 *
 * Joined   the standard and the proleptic Gregorian calendar after 1582; unknown and surface kinds; unlike variable
 *          names, units and packings (noted; the lattice is the finest). Floating-point files are sampled on three days:
 *          off the hundredths they get the finer lattice.
 * Cost     one file open at a time; about 150 bytes a file beside its path, 20 a day.
 * Owner    the caller; sst_catalog_destroy.
 * Errors   SST_ERR_INPUT, SST_ERR_GRID, SST_ERR_TIME with stop_on_bad; SST_ERR_INPUT where no file is usable (the first
 *          reject's reason is named) and that is not accepted.
 */
SST_MUST_CHECK enum sst_status sst_catalog_scan(const char *const *paths, size_t n_paths,
                                                const struct sst_catalog_options *options, struct sst_catalog **out,
                                                struct sst_error *err);
void sst_catalog_destroy(struct sst_catalog **catalog);

/* The text after "path: ", with which messages about a file begin; all of it where it begins otherwise. */
const char *sst_catalog_without_path(const char *path, const char *text);

/* Adds a reject found later (when data were read); a leading "path: " of the reason is dropped. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_catalog_reject(struct sst_catalog *catalog, const char *path, const char *reason,
                                                  enum sst_reject_kind kind, struct sst_error *err);

/* The entries of one slot as a range [first, first + count); count 0 where there is none. */
void sst_catalog_slot(const struct sst_catalog *catalog, int slot, size_t *first, size_t *count);

/* The entries of one day, in order of second and path, likewise. */
void sst_catalog_day(const struct sst_catalog *catalog, struct sst_day day, size_t *first, size_t *count);

/* Whether any entry is of the day. */
bool sst_catalog_has_day(const struct sst_catalog *catalog, struct sst_day day);

/* How the days at hand cover a range of years and slots. */
struct sst_coverage {
    size_t n_expected, n_present, n_doubled; /* days */
    struct sst_day *missing; /* in order of time; owned by the coverage */
    size_t n_missing, missing_capacity;
};

/*
 * Counts the days of first_year..last_year that fall on wanted slots.
 *
 * wanted   SST_N_SLOTS + 1 flags by slot; NULL means all.
 * Owner    the caller; sst_coverage_clear.
 */
SST_MUST_CHECK enum sst_status sst_catalog_coverage(const struct sst_catalog *catalog, int first_year, int last_year,
                                                    const bool *wanted, struct sst_coverage *out,
                                                    struct sst_error *err);
void sst_coverage_clear(struct sst_coverage *coverage);

#endif
