/*
 * What the parts of a scan share: scan.c makes the catalog, scan_look.c reads headers, scan_family.c tells series apart, scan_lattice.c looks at values,
 * scan_product.c at what products call themselves, scan_notes.c keeps 15,000 files from saying the same thing 15,000
 * times.
 */
#ifndef SST_STREAM_SCAN_PRIVATE_H
#define SST_STREAM_SCAN_PRIVATE_H

#include <stdint.h>

#include "stream/catalog.h"
#include "stream/scan_wire.h"

/* Files that can be joined without a further look. */
struct sst_scan_family {
    size_t shape; /* index into the shapes */
    enum sst_calendar_kind calendar;
    enum sst_sst_kind kind;
    size_t n_files, n_days;
    size_t first_file; /* of the earliest day */
    struct sst_instant first;
};

/* How a file stores its values; notes tell where it changes. */
struct sst_scan_storage {
    char *variable, *units;
    bool is_packed, is_exact;
    enum sst_lattice_kind lattice;
};

/* What pass 2 needs of a file beside its catalog entry; same index as the file. */
struct sst_scan_record {
    size_t family, storage, product;
};

/* What a product calls itself. */
struct sst_scan_product {
    char *name, *bare; /* as its first file has it; without dates */
};

/* What is told of one storage or product: how many files of the run are of it, and the first. */
struct sst_scan_use {
    size_t n_files, first_file;
};

/* One thing that files were noted for, and how many. */
struct sst_scan_note {
    char *text; /* without the path */
    size_t n_files;
};

struct sst_scan {
    const struct sst_catalog_options *options;
    struct sst_catalog *catalog;
    struct sst_scan_record *records;
    size_t records_capacity;
    struct sst_grid **shapes; /* unlike grids, each as the first file had it */
    size_t n_shapes, shapes_capacity;
    struct sst_scan_family *families;
    size_t n_families, families_capacity;
    struct sst_scan_storage *storages;
    size_t n_storages, storages_capacity;
    struct sst_scan_product *products;
    size_t n_products, products_capacity;
    bool products_tell_nothing; /* their names change from file to file */
    struct sst_scan_note *notes;
    size_t n_notes, notes_capacity, n_notes_dropped;
    size_t identified_file; /* of the earliest day so far: the catalog has its grid and texts; where there is a file */
    struct sst_instant identified_first;
    const char *path; /* of the file at hand */
    bool is_quiet; /* nothing is noted or counted any more: files are looked at again */
    enum sst_status notes_status; /* a note cannot fail, so its failure waits here */
};

/* What is done with a file that was looked at; `problem` says why there are no facts, or has the code SST_OK. */
typedef enum sst_status sst_scan_take_fn(struct sst_scan *scan, const char *path, const struct sst_scan_facts *facts,
                                         const struct sst_error *problem, struct sst_error *err);

/*
 * scan_look.c: reads the headers of files, by reader processes where there are any, and hands them over in order of the list.
 *
 * Errors   those of `take`, whose first ends it; of the run.
 */
SST_MUST_CHECK enum sst_status sst_scan_look_at(struct sst_scan *scan, const char *const *paths, size_t n_paths,
                                                sst_scan_take_fn *take, struct sst_error *err);

/* By day, then second: < 0, 0, > 0. */
int sst_scan_compare_instants(struct sst_instant a, struct sst_instant b);

/* Counts the file that is about to be added in its family, which may be new. */
SST_MUST_CHECK enum sst_status sst_scan_find_family(struct sst_scan *scan, const struct sst_file_info *info,
                                                    size_t shape, size_t *found, struct sst_error *err);

/* The families that agree and hold the most days, as one; then the most files, then the first path. There is a family. */
struct sst_scan_family sst_scan_choose_family(const struct sst_scan *scan);

/*
 * Leaves out the files of all other families and makes the maps of the rest start at the grid of `run`'s first file,
 * whose index is brought up to date.
 *
 * Errors   with stop_on_bad the first file that is left out.
 */
SST_MUST_CHECK enum sst_status sst_scan_keep_family(struct sst_scan *scan, struct sst_scan_family *run,
                                                    struct sst_error *err);

/* Fills the catalog's lattice from the packings, and from a few days of floating-point values. */
SST_MUST_CHECK enum sst_status sst_scan_choose_lattice(struct sst_scan *scan, struct sst_error *err);

/* The index of a file's product, which may be new, or SST_NO_PRODUCT. Names are compared without dates. */
SST_MUST_CHECK enum sst_status sst_scan_find_product(struct sst_scan *scan, const struct sst_file_info *info,
                                                     size_t *found, struct sst_error *err);

/* The index of a file's sensor in the catalog, which may be new, or SST_NO_SENSOR. */
SST_MUST_CHECK enum sst_status sst_scan_find_sensor(struct sst_catalog *catalog, const struct sst_file_info *info,
                                                    size_t *found, struct sst_error *err);

/* Notes, once, that files of the run are of products with unlike names; preliminary files are not looked at. */
SST_MUST_CHECK enum sst_status sst_scan_note_products(const struct sst_scan *scan, struct sst_error *err);

/* Moves the names of products into the catalog, and the files' indices with them. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_scan_keep_products(struct sst_scan *scan, struct sst_error *err);

/* Adds the run's files to their kinds' uses; `kind_of` tells a record's, SIZE_MAX for none. */
void sst_scan_count_uses(const struct sst_scan *scan, size_t (*kind_of)(const struct sst_scan_record *),
                         struct sst_scan_use *uses);

/* The kind of most files, the first of equals. */
size_t sst_scan_most_used(const struct sst_scan_use *uses, size_t n_kinds);

/* A sst_note_fn whose user is the scan: passes on what is new, counts what was said of another file. */
void sst_scan_note(void *user, const char *text);

/* Says of how many files each note holds. Errors: SST_ERR_NOMEM, also of earlier notes. */
SST_MUST_CHECK enum sst_status sst_scan_sum_up_notes(const struct sst_scan *scan, struct sst_error *err);

/* Notes where files of the run store their values otherwise than most. */
SST_MUST_CHECK enum sst_status sst_scan_note_storages(const struct sst_scan *scan, struct sst_error *err);

#endif
