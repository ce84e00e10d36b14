/*
 * The header of a classic netCDF file (CDF-1, CDF-2, CDF-5), read by ourselves, because the library opens a classic file
 * that was cut short and reads zeros where its data should be (400 of 400 truncations went unnoticed).
 *
 * Source   The NetCDF Classic Format Specification (Unidata), section "The header".
 */
#ifndef SST_STREAM_CLASSIC_H
#define SST_STREAM_CLASSIC_H

#include <stdint.h>

#include "core/status.h"

/*
 * The file size that the header asks for: the end of the last byte of data that it announces.
 *
 * Errors   SST_ERR_INPUT where the header is malformed or ends early; a hostile header never reads out of bounds and
 *          never allocates more than the file's size.
 */
SST_MUST_CHECK enum sst_status sst_classic_needed_size(const char *path, uint64_t *needed_bytes, struct sst_error *err);

#endif
