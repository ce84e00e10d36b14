/* What a climatology file holds: dimensions, variables and attributes of one netCDF file, its coordinates, its closing. */
#ifndef SST_WRITE_CLIM_NC_LAYOUT_H
#define SST_WRITE_CLIM_NC_LAYOUT_H

#include "core/status.h"
#include "write/clim_nc.h"
#include "write/clim_time.h"

/* Fill of sst variables: netCDF's own in the single file, that of the original system in files of one day each. */
#define SST_CLIM_FILL 9.969209968386869e36f
#define SST_CLIM_FILL_SPLIT (-9999.0f)

/* An open netCDF file and its variables. */
struct sst_clim_layout {
    const char *path; /* borrowed, for messages */
    int ncid; /* -1: none is open */
    size_t n_sst;
    int *sst; /* the mean, the percentiles, their lower and their upper bounds */
    int n_obs, flags;
};

/* "PATH: OBJECT: cannot be written: REASON ...": what errno, cleared before the call, or else the library knows of it. */
enum sst_status sst_clim_write_failed(const char *path, const char *object, const char *library_reason,
                                      struct sst_error *err);

/*
 * Creates (over what is there) a netCDF file for the slots first .. first + n_slots - 1 of the time axis and writes its
 * coordinates. Values come later, through sst_clim_store_open.
 *
 * Owner    *out is the caller's, sst_clim_layout_close or sst_clim_layout_discard, also after a failure.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_clim_layout_create(const struct sst_clim_spec *spec, const char *path,
                                                      const struct sst_clim_time *time, int first, int n_slots,
                                                      struct sst_clim_layout *out, struct sst_error *err);

/* Opens a file again to add attributes; owner as for create. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_clim_layout_reopen(const char *path, struct sst_clim_layout *out,
                                                      struct sst_error *err);

/* Global attributes, replacing those of the same name; empty ones are left out. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_clim_layout_attributes(const struct sst_clim_layout *layout,
                                                          const struct sst_attribute *attributes, size_t n_attributes,
                                                          struct sst_error *err);

/* Closes; what was buffered is written only now. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_clim_layout_close(struct sst_clim_layout *layout, struct sst_error *err);

/* Closes whatever is open, come what may. */
void sst_clim_layout_discard(struct sst_clim_layout *layout);

#endif
