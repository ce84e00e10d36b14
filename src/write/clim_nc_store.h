/* Where the chunks of a climatology file go: its data sets, opened through HDF5, which takes chunks as they stand in the file. */
#ifndef SST_WRITE_CLIM_NC_STORE_H
#define SST_WRITE_CLIM_NC_STORE_H

#include <hdf5.h>

#include "core/status.h"
#include "write/clim_nc_chunks.h"
#include "write/clim_nc_layout.h"

struct sst_clim_dataset {
    hid_t id;
    char name[SST_CLIM_NAME_SIZE];
};

/* Netcdf-C holds the same file only before and after, never meanwhile. */
struct sst_clim_store {
    const char *path; /* borrowed, for messages */
    hid_t file; /* -1: none is open */
    int descriptor; /* of the same file, for what is written past HDF5; -1 */
    size_t n_datasets;
    struct sst_clim_dataset *datasets; /* in the order of the layout's variables: sst, n_obs, flags */
};

#define SST_CLIM_NO_STORE ((struct sst_clim_store){.file = -1, .descriptor = -1})

/*
 * Closes the file of a layout that was just created, and opens it for chunks.
 *
 * Owner    *out is the caller's, sst_clim_store_close or sst_clim_store_discard, also after a failure.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_clim_store_open(struct sst_clim_layout *layout, struct sst_clim_store *out,
                                                   struct sst_error *err);

/*
 * Writes the n_bytes of a chunk that all filters of the file have gone over.
 *
 * first_slot  of its row of chunks, on the file's time axis
 * Errors      SST_ERR_OUTPUT; the file can then only be discarded.
 */
SST_MUST_CHECK enum sst_status sst_clim_store_put(const struct sst_clim_store *store,
                                                  const struct sst_clim_chunk *chunk, size_t first_slot, size_t n_bytes,
                                                  struct sst_error *err);

/* Where in the file a chunk begins that was put. Errors: as above. */
SST_MUST_CHECK enum sst_status sst_clim_store_find(const struct sst_clim_store *store,
                                                   const struct sst_clim_chunk *chunk, size_t first_slot, uint64_t *at,
                                                   struct sst_error *err);

/* Writes n_bytes of a chunk's values at a place within what sst_clim_store_find found. Errors: as above. */
SST_MUST_CHECK enum sst_status sst_clim_store_put_at(const struct sst_clim_store *store,
                                                     const struct sst_clim_chunk *chunk, uint64_t at, size_t n_bytes,
                                                     struct sst_error *err);

/* Closes; what was buffered is written only now. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_clim_store_close(struct sst_clim_store *store, struct sst_error *err);

/* Closes whatever is open, come what may. */
void sst_clim_store_discard(struct sst_clim_store *store);

#endif
