/*
 * Finished slots that wait for what is known only when all of them are there: the error model of a run. In memory, or in a file
 * without a name in the folder of the output, which takes no memory and goes when the run ends, however it ends.
 *
 *   record of a place:  which cells are told       1 bit a cell
 *                       flags of all others        uint16, padded
 *                       exact percentiles          float32, n_probes each
 *                       blocks of cells, each:     mean · percentiles · [sd · skewness · kurtosis]   float32  ┐ of those
 *                                                  n_obs · flags                                     uint16   ┘ told
 *
 * Cells without any value, land above all, are told by the flags that they share.
 */
#ifndef SST_WRITE_SPOOL_H
#define SST_WRITE_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/shape.h"
#include "core/status.h"

struct sst_spool_spec {
    const char *beside; /* a path in the folder that takes the file; borrowed, for messages too */
    size_t n_cells, n_probes, n_percentiles, n_places;
    bool has_shape;
    bool is_in_memory;
    size_t n_expected; /* cells with values, as far as is known: for the figure of memory */
};

/* What is put: as the engine gives it. */
struct sst_spool_in {
    const double *mean, *const *quantile, *const *probe_quantile; /* [degC] rounded to float32 */
    struct sst_shape shape;
    const uint16_t *n_obs, *flags;
};

/* Where that which is got goes: arrays of the caller. Of cells without a value the shape is NaN. */
struct sst_spool_out {
    double *mean, *const *quantile, *const *probe_quantile; /* [degC] */
    struct sst_shape shape; /* not looked at where none is kept */
    uint16_t *n_obs, *flags;
};

struct sst_spool;

/* Owner: the caller; sst_spool_destroy. Errors: SST_ERR_OUTPUT, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_spool_create(const struct sst_spool_spec *spec, struct sst_spool **out,
                                                struct sst_error *err);
void sst_spool_destroy(struct sst_spool **spool);

/* Errors: SST_ERR_OUTPUT (disk full), SST_ERR_NOMEM, SST_ERR_INTERNAL where there is no such place. */
SST_MUST_CHECK enum sst_status sst_spool_put(struct sst_spool *spool, size_t place, const struct sst_spool_in *values,
                                             struct sst_error *err);

/* Errors: SST_ERR_OUTPUT where the file cannot be read back, SST_ERR_INTERNAL where the place was never put. */
SST_MUST_CHECK enum sst_status sst_spool_get(struct sst_spool *spool, size_t place, const struct sst_spool_out *values,
                                             struct sst_error *err);

/*
 * Bytes when all places are put: the most on the disk, where every cell has values; in memory as many as are expected to have
 * some.
 */
uint64_t sst_spool_disk_bytes(const struct sst_spool_spec *spec);
uint64_t sst_spool_memory_bytes(const struct sst_spool_spec *spec);

#endif
