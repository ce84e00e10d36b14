/*
 * What a device is told to do for a group of pools, which follow one another as the calendar does. Nothing here needs one.
 *
 *   pools of bins ──▶ bins that leave and enter ──┬─▶ steps of a window (moments)
 *                                                 └─▶ runs of pools that slide ──▶ launches over planes (exact)
 */
#ifndef SST_BACKEND_GPU_PROGRAM_H
#define SST_BACKEND_GPU_PROGRAM_H

#include "backend/gpu.h"

/* --- moments ------------------------------------------------------------------------------------------------------ */

/* Steps of so many pools of so many bins, at most. */
size_t sst_gpu_window_steps_most(size_t n_pools, size_t n_most_bins);

/*
 * The way of a window through pools, none of which has a bin twice: from each to the next what leaves, then what enters,
 * then the end of the pool; the first is entered from nothing. Pool p has result p.
 *
 * n_ring   places to remember bins; one is given to a bin that will leave within the group, as long as there are any.
 * steps    room for sst_gpu_window_steps_most.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_window_program(const struct sst_gpu_pool *pools, size_t n_pools, uint32_t n_ring,
                                                      struct gpu_window_step *steps, size_t *n_steps,
                                                      struct sst_error *err);

/* --- exact -------------------------------------------------------------------------------------------------------- */

/*
 * Values from the nearer end of a pool (below for p < 0.5) that hold a percentile's order statistics, for any number of
 * values from 1 to n_most.
 */
uint32_t sst_gpu_depth_needed(double p, int type, size_t n_most);

/* The planes of kept values that a bin has. */
struct sst_gpu_planes {
    const uint32_t *list;
    size_t n;
};

struct sst_gpu_exact_ask {
    const struct sst_gpu_planes *planes; /* by bin */
    const struct sst_quantile_args *args; /* at most GPU_MAX_PERCENTILES; min_samples is the pools' own */
    uint32_t n_window; /* pools in a row that have a bin where nothing is out of the ordinary: 2 H + 1 */
    /* As in struct gpu_api; a form of more members serves fewer. NULL: there is none. */
    int (*sorted_form)(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                       size_t *scratch_bytes);
    uint32_t n_cells;
    size_t scratch_bytes; /* that there are; forms which take more are not used */
};

/* One launch: some percentiles of pools in a row. */
struct sst_gpu_exact_launch {
    uint32_t first_pool, n_pools; /* blocked: of program->pools; sorted: results, and program->min_samples */
    int32_t first_percentile, n_percentiles;
    bool has_sums; /* gives mean and n_obs too: one launch for each pool does */
    bool is_sorted;

    /* Sorted alone; see struct gpu_sorted. */
    bool from_below;
    uint32_t n_days, n_members, depth;
    size_t first_member; /* of program->members: n_days times n_members */
    size_t scratch_bytes;
};

/* Owner: the caller, zeroed at first; sst_gpu_exact_program_clear. May be made again for another group. */
struct sst_gpu_exact_program {
    struct sst_gpu_exact_launch *launches;
    size_t n_launches;
    uint32_t *members; /* at most twice n_pools times the planes of the largest pool */
    size_t n_members;
    struct gpu_pool *pools; /* n_pools: those of no blocked launch have no members */
    int32_t *min_samples; /* n_pools */
    size_t n_pools;
    size_t launches_capacity, members_capacity, pools_capacity, min_samples_capacity;
};

/*
 * Splits pools into runs that slide, for which a sorted form is built, and the rest, which is blocked.
 *
 *   bins of pool 3   a a b b c c        what leaves together has entered together, n_window pools before: a day of the
 *   bins of pool 4       b b c c d d    run. Which bins make a day is found from that alone, so it does not matter that
 *                    ▲ day 0    ▲ day 3 classes of a slot come and go on their own near 29 February.
 *
 * A run is as long as bins move like this and the same percentiles have a form. High percentiles are taken from above, low
 * ones from below; those whose form is not built are blocked, over the same pools. Pool p has result p.
 *
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_exact_program_make(struct sst_gpu_exact_program *program,
                                                          const struct sst_gpu_pool *pools, size_t n_pools,
                                                          const struct sst_gpu_exact_ask *ask, struct sst_error *err);
void sst_gpu_exact_program_clear(struct sst_gpu_exact_program *program);

#endif
