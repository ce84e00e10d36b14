/*
 * The climatology file: CF netCDF-4, one time step per calendar day of a leap year near the middle of the baseline.
 *
 *   time(time) ──climatology──▶ climatology_bounds(time, nv)
 *   calendar_day(time)  month*100 + day
 *   sst_mean, sst_pNN (time, lat, lon) float32     n_obs, quality_flag (time, lat, lon) int16, never missing
 *   sst_pNN_lower, sst_pNN_upper   where the estimator proves bounds
 *   sst_pNN_approx_boundCC         half-widths that cover the error of CC % of the cell-days, where they were measured
 *   percentile_NN  scalar coordinate of each sst_pNN
 *
 * Slots arrive in any order and are gathered into rows of chunks. A full row is deflated by threads while the next one is
 * filled, and written by the caller's thread, chunk by chunk in one order: the same values give the same bytes. Chunks that are
 * not deflated are written slot by slot instead. The file is written beside its place under a temporary name and renamed when
 * it is whole.
 */
#ifndef SST_WRITE_CLIM_NC_H
#define SST_WRITE_CLIM_NC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/calendar.h"
#include "core/grid.h"
#include "core/status.h"
#include "core/timings.h"

/* One global attribute. */
struct sst_attribute {
    const char *name, *value;
};

/* All that the file says of itself. Borrowed until the file is finished. */
struct sst_clim_spec {
    const char *path; /* the file, or with `split` the directory (made if absent) for sst_clim_MMDD.nc */
    bool overwrite;
    bool split; /* one file per calendar day, same variables, land -9999: the layout of the original system */
    const struct sst_domain *domain;
    const struct sst_pool_rule *pools;
    const int *slots; /* in the order of the time axis */
    int n_slots;
    const double *percentiles; /* [percent] */
    size_t n_percentiles;
    bool has_bounds; /* each percentile has a lower and an upper bound beside it */
    const double *coverages; /* 0..1 each percentile has a bound of its approximation error for each of these */
    size_t n_coverages;
    int smooth_days; /* 1 = none */
    const char *estimator; /* how percentiles were made, a sentence with its full stop, for their `comment` */
    const char *standard_name; /* of the input; "" gives sea_surface_temperature */
    const char *sst_long_name_prefix; /* "sea surface temperature", "foundation sea surface temperature" */
    int deflate_level; /* 1..9: shuffled and deflated; 0: chunks as they are */
    int n_threads; /* that deflate beside the caller's; 0: one */
    struct sst_timings
        *timings; /* NULL, or where SST_PHASE_WRITE gets the time that the caller's thread spends in here */
};

/* The fastest: levels 2 to 7 make files 2 to 6 % smaller in 1.3 to 2 times the time. Measured. */
enum { SST_CLIM_DEFLATE_LEVEL = 1 };

struct sst_clim_file;

/*
 * To be called once, by a program before it touches any netCDF file: a full disk or a limit on file sizes is then an error
 * that can be told. Ignores SIGXFSZ, and keeps HDF5 from working at exit, where its version 1.10 crashes on a file
 * that could not be closed; all files must therefore be closed by then.
 */
void sst_clim_prepare_process(void);

/* Room for the name of a variable. */
enum { SST_CLIM_NAME_SIZE = 72 };

/* Numbers of the libraries that are in use, such as "4.9.0"; "" where one does not tell. */
struct sst_library_versions {
    char netcdf[32], hdf5[32];
};
void sst_clim_library_versions(struct sst_library_versions *out);

/* "sst_p90", "sst_p97p5" into a buffer of 32; returns it. */
const char *sst_clim_percentile_name(double percentile, char *buffer);

/* "sst_p90_approx_bound95" into a buffer of SST_CLIM_NAME_SIZE; returns it. coverage: 0..1. */
const char *sst_clim_bound_name(double percentile, double coverage, char *buffer);

/*
 * The most bytes of finished slots that wait for their chunks to be full or written, and of the threads that deflate; of the
 * spec only sizes, slots, level and threads are looked at.
 *
 * order    the slots as they will be put; NULL: as they stand in the file.
 */
uint64_t sst_clim_buffer_bytes(const struct sst_clim_spec *spec, const int *order);

/*
 * Checks that the place can be written, before any field is read.
 *
 * Errors   SST_ERR_OUTPUT if it exists without `overwrite`, is no ordinary file, or its folder is absent or not writable.
 */
SST_MUST_CHECK enum sst_status sst_clim_check(const struct sst_clim_spec *spec, struct sst_error *err);

/* Creates the temporary file(s). Owner: the caller; sst_clim_finish or sst_clim_abandon. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_clim_create(const struct sst_clim_spec *spec, struct sst_clim_file **out,
                                               struct sst_error *err);

/* Values of one slot, n_cells each, in domain order. */
struct sst_clim_values {
    int slot;
    const double *mean; /* [degC] NaN = missing; rounded to float32 in the writer and nowhere else */
    const double *const
        *quantile; /* the percentiles; behind them, with has_bounds, as many lower and then upper bounds */
    const float *const
        *approx_bound; /* [degC] those of the first percentile by coverage, then those of the next; NaN = missing */
    const uint16_t *n_obs, *flags; /* at most SST_MAX_POOL and 15 flags */
};

/*
 * Writes one slot.
 *
 * Errors   SST_ERR_OUTPUT (disk full, ...), SST_ERR_NOMEM, SST_ERR_INTERNAL (not a slot of the file, or put twice);
 *          the file can then only be abandoned.
 */
SST_MUST_CHECK enum sst_status sst_clim_put(struct sst_clim_file *file, const struct sst_clim_values *values,
                                            struct sst_error *err);

/*
 * Writes the global attributes (some are known only now; they replace the writer's own of the same name, empty ones are left
 * out), closes, syncs, renames into place. Frees the handle in any case; after a failure nothing is left behind.
 *
 * Errors   SST_ERR_OUTPUT, also if the name was taken meanwhile; SST_ERR_INTERNAL where a slot was never put.
 */
SST_MUST_CHECK enum sst_status sst_clim_finish(struct sst_clim_file **file, const struct sst_attribute *attributes,
                                               size_t n_attributes, struct sst_error *err);

/* Removes the temporary files; NULL is accepted. */
void sst_clim_abandon(struct sst_clim_file **file);

#endif
