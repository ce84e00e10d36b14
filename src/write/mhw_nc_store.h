/*
 * Where the chunks of a file of event maps go: its data sets, opened through HDF5, which takes chunks as they stand in the file.
 *
 *   netCDF: dimensions, variables, attributes ─▶ closed ─▶ HDF5: open ─▶ ( put ... ) ─▶ close, or take
 *
 * Netcdf-C holds the same file only before, never meanwhile.
 */
#ifndef SST_WRITE_MHW_NC_STORE_H
#define SST_WRITE_MHW_NC_STORE_H

#include <hdf5.h>

#include "core/status.h"

enum { SST_MHW_MOST_DATASETS = 10, SST_MHW_NAME_SIZE = 64, SST_MHW_N_DIMS = 3 };

struct sst_mhw_store {
    const char *path; /* borrowed, for messages */
    hid_t file; /* -1: none is open */
    size_t n_datasets;
    struct sst_mhw_dataset {
        hid_t id;
        char name[SST_MHW_NAME_SIZE];
    } datasets[SST_MHW_MOST_DATASETS]; /* in the order in which they were added */
};

#define SST_MHW_NO_STORE ((struct sst_mhw_store){.file = -1})

/*
 * Opens a file that netCDF has closed: one on the disk, or a copy of its bytes in memory.
 *
 * path     for messages
 * Owner    *out is the caller's, sst_mhw_store_close, _take or _discard, also after a failure. Errors: SST_ERR_OUTPUT.
 */
SST_MUST_CHECK enum sst_status sst_mhw_store_open(const char *file, const char *path, struct sst_mhw_store *out,
                                                  struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_mhw_store_open_bytes(const void *bytes, size_t n_bytes, const char *path,
                                                        struct sst_mhw_store *out, struct sst_error *err);

/* Opens the next data set. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_mhw_store_add(struct sst_mhw_store *store, const char *name, struct sst_error *err);

/*
 * Writes a chunk that all filters of the file have gone over.
 *
 * offset   of its first value, along each dimension
 * Errors   SST_ERR_OUTPUT; the file can then only be discarded.
 */
SST_MUST_CHECK enum sst_status sst_mhw_store_put(const struct sst_mhw_store *store, size_t dataset,
                                                 const size_t offset[SST_MHW_N_DIMS], const void *bytes, size_t n_bytes,
                                                 struct sst_error *err);

/* Writes all values of a data set of bytes that has no chunks. Errors: as above. */
SST_MUST_CHECK enum sst_status sst_mhw_store_put_all(const struct sst_mhw_store *store, size_t dataset,
                                                     const signed char *values, struct sst_error *err);

/* Closes; what was buffered is written only now. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_mhw_store_close(struct sst_mhw_store *store, struct sst_error *err);

/* Closes a file in memory. Owner: *bytes is the caller's, sst_free. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_mhw_store_take(struct sst_mhw_store *store, void **bytes, size_t *n_bytes,
                                                  struct sst_error *err);

/* Closes whatever is open, come what may. */
void sst_mhw_store_discard(struct sst_mhw_store *store);

#endif
