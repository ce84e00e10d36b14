/* Which libraries write the files. */
#include <hdf5.h>
#include <netcdf.h>
#include <stdio.h>
#include <string.h>

#include "write/clim_nc.h"

void sst_clim_library_versions(struct sst_library_versions *out)
{
    *out = (struct sst_library_versions){0};
    /* "4.9.0 of Aug 21 2022 18:05:31 $": the number alone. */
    const char *netcdf = nc_inq_libvers();
    (void)snprintf(out->netcdf, sizeof out->netcdf, "%.*s", (int)strcspn(netcdf, " "), netcdf);
    unsigned major = 0, minor = 0, release = 0;
    if (H5get_libversion(&major, &minor, &release) >= 0)
        (void)snprintf(out->hdf5, sizeof out->hdf5, "%u.%u.%u", major, minor, release);
}
