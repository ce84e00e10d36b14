/* A synthetic day as a netCDF-4 file in the layout of NOAA OISST v2.1. */
#ifndef SST_APP_SYNTH_NC_H
#define SST_APP_SYNTH_NC_H

#include <stddef.h>
#include <stdint.h>

#include "app/synth_ocean.h"
#include "core/status.h"

/* What stands in every file of an archive. */
struct sst_synth_file_facts {
    const struct sst_synth_grid *grid;
    uint64_t seed;
};

/*
 * Writes one day (days since 1970-01-01) under a temporary name and renames it, so that `path` is whole or as before.
 *
 * Errors   SST_ERR_OUTPUT, with the path and the system's or netCDF's reason; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_synth_nc_write(const char *path, const struct sst_synth_file_facts *facts,
                                                  int64_t day, const struct sst_synth_fields *fields,
                                                  struct sst_error *err);

#endif
