/* A file's fields as they are read directly, and once more by the file's memo, against the same as netCDF-C reads them. */
#ifndef SST_PARITY_H
#define SST_PARITY_H

#include "stream/decode.h"

/* Cells of the files that parity_expect takes: latitudes -60..60, either way up; longitudes 10..350, round the globe. */
enum { PARITY_N_LAT = 13, PARITY_N_LON = 18 };

/*
 * Fails the test unless all steps of a file give the same codes, values in degC, ice and counts, or the same message, in all ways: of its own
 * cells, the other way up from another meridian, and of a box across the seam.
 *
 * reading   what the direct way must say of itself; NULL: anything
 * scratch   may be NULL
 * Returns   whether the file gave a memo.
 */
bool parity_expect(const char *path, struct sst_decode_scratch *scratch, const char *reading);

/* The same for the own cells of a file of any grid, which may be one that cannot be opened. True where all was decoded. */
bool parity_expect_own(const char *path, const char *reading);

#endif
