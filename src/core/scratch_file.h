/*
 * Files without a name: what does not fit into memory waits in one, and it goes with the process, however that ends.
 */
#ifndef SST_CORE_SCRATCH_FILE_H
#define SST_CORE_SCRATCH_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/* All zero is one that is not open. */
struct sst_scratch_file {
    bool is_open;
    int fd;
    char *about; /* how messages name it; its own */
    const char *remedy; /* borrowed */
};

/*
 * Makes a file in a folder. Messages are "ABOUT cannot be written: REASON. REMEDY".
 *
 * about    copied; names the folder and the bytes needed.
 * remedy   what the user can do, without a full stop; borrowed until the file is closed.
 * Owner    the caller; sst_scratch_file_close.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_scratch_file_open(const char *folder, const char *about, const char *remedy,
                                                     struct sst_scratch_file *out, struct sst_error *err);
void sst_scratch_file_close(struct sst_scratch_file *file);

/* All bytes, at a place of the file. Errors: SST_ERR_OUTPUT (disk full). */
SST_MUST_CHECK enum sst_status sst_scratch_file_write(const struct sst_scratch_file *file, uint64_t offset,
                                                      const void *data, size_t n_bytes, struct sst_error *err);

/* All bytes, from a place of the file. Errors: SST_ERR_OUTPUT where they cannot be had back. */
SST_MUST_CHECK enum sst_status sst_scratch_file_read(const struct sst_scratch_file *file, uint64_t offset, void *data,
                                                     size_t n_bytes, struct sst_error *err);

#endif
