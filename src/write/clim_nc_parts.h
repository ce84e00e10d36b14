/* Parts that files on a grid and a calendar have in common: variables and their texts, the axes of time and place. */
#ifndef SST_WRITE_CLIM_NC_PARTS_H
#define SST_WRITE_CLIM_NC_PARTS_H

#include "write/clim_nc_layout.h"

/* A text attribute; an empty one is left out. */
struct sst_clim_text {
    const char *name, *value;
};

/* Ids of dimensions: time, lat, lon of fields, and the two ends of a span of time. */
struct sst_clim_dims {
    int data[3];
    int ends;
};

/* SST_OK where a call of netcdf-C was, else SST_ERR_OUTPUT as sst_clim_write_failed. errno has to be cleared before the call. */
SST_MUST_CHECK enum sst_status sst_clim_nc_check(const struct sst_clim_layout *layout, int status, const char *object,
                                                 struct sst_error *err);

/* Puts texts to a variable. Errors: SST_ERR_OUTPUT, as below. */
SST_MUST_CHECK enum sst_status sst_clim_nc_texts(const struct sst_clim_layout *layout, int variable,
                                                 const struct sst_clim_text *texts, size_t n_texts,
                                                 struct sst_error *err);
#define SST_CLIM_NC_TEXTS(layout, variable, texts, err)                                                                \
    sst_clim_nc_texts((layout), (variable), (texts), sizeof(texts) / sizeof((texts)[0]), (err))

/* `type` is an nc_type. */
SST_MUST_CHECK enum sst_status sst_clim_nc_define(const struct sst_clim_layout *layout, const char *name, int type,
                                                  int n_dims, const int *dims, int *variable, struct sst_error *err);

/* The axis of calendar days, with bounds and the days' numbers, from `first` on. */
SST_MUST_CHECK enum sst_status sst_clim_nc_times(const struct sst_clim_layout *layout, const struct sst_clim_time *time,
                                                 int first, const struct sst_clim_dims *dims, struct sst_error *err);

/* The axes of latitude and longitude, and global attributes of their extent. Errors: SST_ERR_NOMEM too. */
SST_MUST_CHECK enum sst_status sst_clim_nc_place(const struct sst_clim_layout *layout, const struct sst_domain *domain,
                                                 const struct sst_clim_dims *dims, struct sst_error *err);

#endif
