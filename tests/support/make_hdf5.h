/* Variables of netCDF-4 files stored anew by HDF5 itself, in ways in which netCDF-C does not write. */
#ifndef SST_MAKE_HDF5_H
#define SST_MAKE_HDF5_H

enum make_hdf5_way {
    HDF5_CHECKSUM_LAST, /* shuffle, deflate, then fletcher32 */
    HDF5_SHUFFLE_AFTER_DEFLATE,
    HDF5_EDGES_UNFILTERED, /* chunks at the edges are stored without filters */
    HDF5_SKIPPED_FILTERS, /* chunks say that shuffle was not applied, or nothing was */
    HDF5_NO_FILL /* the last: half of the chunks never written, and no fill value */
};

/* Stores a 3-D variable of shorts anew, with the same values and attributes; the test fails where HDF5 does. */
void make_hdf5_again(const char *path, const char *variable, enum make_hdf5_way way);

#endif
