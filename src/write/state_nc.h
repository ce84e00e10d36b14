/*
 * What a state knows, as CF netCDF-4 for other programs: statistics of each calendar day, and the days that were counted.
 *
 *   time(time) ──climatology──▶ climatology_bounds(time, nv)      calendar_day(time)  month * 100 + day
 *   n_obs (time, lat, lon) int16, never missing                   sst_mean, ... (time, lat, lon) float32
 *   day(day)  with day_class, day_status, digest, ice_digest, n_valid, source (day)
 *
 * Slots are written as they come, one at a time; chunks span one slot. The file is written beside its place under a temporary
 * name and renamed when it is whole.
 */
#ifndef SST_WRITE_STATE_NC_H
#define SST_WRITE_STATE_NC_H

#include "write/clim_nc.h"

/* A field of float32, by calendar day. */
struct sst_state_nc_field {
    const char *name, *standard_name, *long_name, *units, *units_metadata, *cell_methods, *comment; /* "": none */
};

/* Borrowed until the file is finished. */
struct sst_state_nc_spec {
    const char *path;
    bool overwrite;
    const struct sst_domain *domain;
    const struct sst_pool_rule *pools;
    const int *slots; /* in the order of the time axis */
    int n_slots;
    const struct sst_state_nc_field *fields;
    size_t n_fields;
    size_t n_days; /* rows of the table, at least 1 */
    int deflate_level; /* 0..9 */
};

/* A row of the table of days. */
struct sst_state_nc_day {
    struct sst_day day;
    int year_class; /* enum sst_class; SST_NO_CLASS: known, but not counted */
    bool is_preliminary;
    uint64_t digest, ice_digest;
    uint32_t n_valid;
    const char *source;
};

struct sst_state_nc;

/*
 * Creates the temporary file, with all but values.
 *
 * Owner    the caller; sst_state_nc_finish or sst_state_nc_abandon.
 * Errors   SST_ERR_OUTPUT: it is there and may not be replaced, or cannot be written; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_state_nc_create(const struct sst_state_nc_spec *spec, struct sst_state_nc **out,
                                                   struct sst_error *err);

/*
 * Writes one slot, each once.
 *
 * place    on the time axis.
 * fields   in the order of the spec, n_cells each in domain order; NaN = missing.
 * Errors   SST_ERR_OUTPUT; the file can then only be abandoned.
 */
SST_MUST_CHECK enum sst_status sst_state_nc_put(struct sst_state_nc *file, size_t place, const int16_t *n_obs,
                                                float *const *fields, struct sst_error *err);

enum { SST_STATE_NC_MOST_DAYS = 256 };

/* Writes rows of the table, n (at most SST_STATE_NC_MOST_DAYS) from `first` on, ascending days. Errors: as above; SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_state_nc_put_days(struct sst_state_nc *file, size_t first,
                                                     const struct sst_state_nc_day *days, size_t n,
                                                     struct sst_error *err);

/* Adds global attributes, closes, syncs, renames into place. Frees the handle in any case. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_state_nc_finish(struct sst_state_nc **file, const struct sst_attribute *attributes,
                                                   size_t n_attributes, struct sst_error *err);

/* Removes the temporary file; NULL is accepted. */
void sst_state_nc_abandon(struct sst_state_nc **file);

#endif
