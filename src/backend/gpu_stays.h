/*
 * How long each bin is in the pools of a group, one after the other:
 *
 *   pool     0   1   2   3   4
 *   bin 7    x   x   x              enter 0, leave 3
 *   bin 9        x   x   x   x      enter 1, leave 5: the end of the group
 */
#ifndef SST_BACKEND_GPU_STAYS_H
#define SST_BACKEND_GPU_STAYS_H

#include "backend/gpu.h"

struct sst_gpu_stay {
    size_t bin;
    uint32_t enter, leave; /* its first pool, and the first one without it again */
};

struct sst_gpu_stays {
    struct sst_gpu_stay *items; /* one for each bin of each pool, in the pools' order */
    size_t *first; /* n_pools + 1: the items of pool p are first[p] .. first[p + 1] - 1 */
    size_t n_pools;
    size_t n_bins; /* bins are less than this */
};

/*
 * Follows the bins through pools, none of which has a bin twice.
 *
 * Owner    the caller; sst_gpu_stays_clear.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_gpu_stays_make(struct sst_gpu_stays *stays, const struct sst_gpu_pool *pools,
                                                  size_t n_pools, struct sst_error *err);
void sst_gpu_stays_clear(struct sst_gpu_stays *stays);

#endif
