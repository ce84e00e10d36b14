/*
 * A run's memory and work on one device or several: bins (or kept values) of terms stay there, fields go in, results of
 * pools come out. Calendar and methods are not known here: bins are numbers.
 *
 *   field of the readers' ring ──copy──▶ staging ──kernel──▶ bins          two streams a device, chosen by the bin
 *   pools of a group           ──▶ program ──kernel──▶ results ──copy──▶ page-locked host memory ──▶ the caller's arrays
 *
 * Cells are dealt to the devices in stripes of places, round and round, so that each has its share of the sea from the first
 * field on, and any number of devices gives the same bits:
 *
 *   places   [ stripe 0 | stripe 1 | stripe 2 | stripe 3 | ... ]       stripe s is of device s % n_devices
 *
 * Errors of the runtime are SST_ERR_DEVICE and name the device, the call and the code.
 */
#ifndef SST_BACKEND_GPU_H
#define SST_BACKEND_GPU_H

#include "backend/backend.h"
#include "backend/gpu_devices.h"

/* What bins hold. */
enum sst_gpu_store { SST_GPU_MOMENTS, SST_GPU_EXACT, SST_GPU_TAIL };

/* Borrowed until the run is closed. */
struct sst_gpu_setup {
    const struct sst_gpu_devices *devices; /* opened; see backend/gpu_devices.h */
    enum sst_gpu_store store;
    const struct sst_cells *cells; /* width SST_CELLS_WIDTH */
    size_t n_most_places; /* sst_cells_most of the domain: places may grow to it */
    size_t n_bins; /* terms that are held at a time, at most */
    size_t n_kept; /* SST_GPU_EXACT: fields that are held at a time, in all terms together */
    size_t n_kept_bin; /* SST_GPU_EXACT: fields of a term, at most */
    size_t n_terms; /* bins of a pool, at most */
    size_t n_window; /* SST_GPU_EXACT: days of a window, 2 H + 1; only how soon results are there depends on it */
    size_t k_top, k_bottom; /* SST_GPU_TAIL */
    size_t n_results; /* pools of a group, at most */
    const struct sst_moments_fit *fit; /* SST_GPU_MOMENTS */
    const struct sst_quantile_args *args; /* SST_GPU_EXACT, SST_GPU_TAIL; min_samples is the pools' own */
    const uint8_t *is_low; /* SST_GPU_TAIL: by percentile, whether the bottom list tells it */
    bool wants_shape, wants_marks; /* of SST_GPU_MOMENTS; SST_GPU_TAIL always marks */
};

/*
 * What each of n_devices devices must have, and what the host page-locks for all of them together; nothing is touched. Where
 * setup->devices is not NULL, the first of them is asked for the scratch that its sorted forms take.
 * More places than devices can number take all memory that there could be.
 */
struct sst_gpu_bytes {
    uint64_t device, host;
};
struct sst_gpu_bytes sst_gpu_bytes(const struct sst_gpu_setup *setup, size_t n_devices);

struct sst_gpu;

/*
 * Takes one arena on each device; all bins are empty.
 *
 * Owner    the caller; sst_gpu_close, which accepts NULL inside.
 * Errors   SST_ERR_NOMEM (host); SST_ERR_DEVICE with what was asked for and what is free.
 */
SST_MUST_CHECK enum sst_status sst_gpu_open(const struct sst_gpu_setup *setup, struct sst_gpu **out,
                                            struct sst_error *err);
void sst_gpu_close(struct sst_gpu **gpu);

/*
 * Adds fields, which are in domain order, to bin 0 .. n_bins - 1. The fields may be given back on return: they have been
 * copied, though not yet added. cells->n_places may have grown since the last call, within n_most_places.
 *
 * Errors   SST_ERR_DEVICE.
 */
SST_MUST_CHECK enum sst_status sst_gpu_add_fields(struct sst_gpu *gpu, size_t bin,
                                                  const struct sst_field *const *fields, size_t n_fields,
                                                  struct sst_error *err);

/* Empties a bin, for another term. What is computed from it already is not changed. */
void sst_gpu_empty_bin(struct sst_gpu *gpu, size_t bin);

struct sst_gpu_pool {
    const size_t *bins;
    size_t n_bins;
    int min_samples; /* fewer values: NaN */
};

/*
 * Begins to compute the pools of a group, which follow one another as the calendar does, on all devices; returns at once.
 * Results are numbered as the pools, and are the group's until the next start.
 *
 * Errors   SST_ERR_DEVICE, SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_start(struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools,
                                             struct sst_error *err);

/* cells->n_places items each; NULL where not wanted. */
struct sst_gpu_result {
    double *mean; /* [degC] */
    double *const *quantile, *const *bound; /* [degC] by percentile; bounds of SST_GPU_TAIL alone */
    uint16_t *n_obs;
    uint8_t *marks; /* guarded (SST_GPU_MOMENTS) or uncertified (SST_GPU_TAIL) */
    struct sst_shape shape; /* SST_GPU_MOMENTS */
};

/* Waits for the result of a pool and joins it from the devices. Later pools go on meanwhile. Errors: SST_ERR_DEVICE. */
SST_MUST_CHECK enum sst_status sst_gpu_result(struct sst_gpu *gpu, size_t pool, const struct sst_gpu_result *out,
                                              struct sst_error *err);

/* Time by what devices did, the most of any device. [s] */
struct sst_gpu_times {
    double copy_in, add, finish, copy_out;
};
struct sst_gpu_times sst_gpu_times(const struct sst_gpu *gpu);

#endif
