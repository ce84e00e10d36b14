/*
 * The header of a classic netCDF file (CDF-1, CDF-2, CDF-5), read by ourselves, because the library opens a classic file
 * that was cut short and reads zeros where its data should be (400 of 400 truncations went unnoticed).
 *
 * Source   The NetCDF Classic Format Specification (Unidata), section "The header".
 */
#ifndef SST_STREAM_CLASSIC_H
#define SST_STREAM_CLASSIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

/*
 * The file size that the header asks for: the end of the last byte of data that it announces.
 *
 * Errors   SST_ERR_INPUT where the header is malformed or ends early; a hostile header never reads out of bounds and
 *          never allocates more than the file's size.
 */
SST_MUST_CHECK enum sst_status sst_classic_needed_size(const char *path, uint64_t *needed_bytes, struct sst_error *err);

enum { SST_CLASSIC_MAX_RANK = 8 };

/* Where the numbers of a variable are; they are stored big end first. */
struct sst_classic_variable {
    uint64_t begin; /* [B] from the file's start to the first number */
    size_t item_bytes;
    size_t rank; /* may be more than there is room for below */
    uint64_t lengths[SST_CLASSIC_MAX_RANK]; /* of the dimensions, slowest first; of a record variable the first is the
                                               number of records */
    bool is_record;
    uint64_t record_stride; /* [B] from a record to the next; 0 where there are none */
};

/*
 * The variable that stands at `index` in the header, which is its netCDF id.
 *
 * fd       an open file, borrowed; its position is moved.
 * Errors   as above, and SST_ERR_INPUT where there is no such variable, or it has records whose number was never written;
 *          `*out` is untouched then.
 */
SST_MUST_CHECK enum sst_status sst_classic_find(int fd, size_t index, struct sst_classic_variable *out,
                                                struct sst_error *err);

#endif
