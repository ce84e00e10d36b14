/*
 * The steps of a window over pools that follow one another, as a device is told them: what is new enters, what is no longer
 * pooled leaves, and the pool is finished. Bins are remembered in the ring while there is room.
 */
#ifndef SST_TEST_WINDOW_STEPS_H
#define SST_TEST_WINDOW_STEPS_H

#include "core/calendar.h"
#include "kernels/gpu_args.h"

struct window_steps {
    struct gpu_window_step *steps;
    size_t n_steps, n_bins, n_pools;
    size_t most_bins; /* of a pool */
    uint32_t n_ring; /* that is used */
};

/*
 * Pools of the centres first .. first + n - 1 of the ring of 366 slots, derived ones apart. Bins are numbered as they
 * enter; pool i's result is i. With `n_ring` 0 nothing is remembered.
 *
 * Owner    the caller; free(steps).
 */
struct window_steps window_steps_make(const struct sst_pool_rule *rule, int first, int n, uint32_t n_ring,
                                      int min_samples);

#endif
