/* How long each bin is in the pools of a group. */
#include "backend/gpu_stays.h"

#include "core/mem.h"

static enum sst_status take_bins(struct sst_gpu_stays *stays, const struct sst_gpu_pool *pools, struct sst_error *err)
{
    size_t n_items = 0;
    SST_TRY(sst_alloc(stays->n_pools + 1, sizeof *stays->first, "the pools of a group", &stays->first, err));
    for (size_t p = 0; p < stays->n_pools; ++p) {
        stays->first[p] = n_items;
        n_items += pools[p].n_bins;
    }
    stays->first[stays->n_pools] = n_items;
    SST_TRY(sst_alloc(n_items, sizeof *stays->items, "the bins of a group", &stays->items, err));
    for (size_t p = 0; p < stays->n_pools; ++p)
        for (size_t j = 0; j < pools[p].n_bins; ++j) {
            const size_t bin = pools[p].bins[j];
            stays->items[stays->first[p] + j].bin = bin;
            stays->n_bins = bin < stays->n_bins ? stays->n_bins : bin + 1;
        }
    return SST_OK;
}

/* What the walk through the pools has last seen of a bin. */
struct last_seen {
    uint32_t pool; /* + 1; 0: never */
    uint32_t edge; /* of the stay */
};

/* Forwards for `enter`, then backwards for `leave`. */
static void find_edges(struct sst_gpu_stays *stays, struct last_seen *seen)
{
    const uint32_t n_pools = (uint32_t)stays->n_pools;
    for (uint32_t p = 0; p < n_pools; ++p)
        for (size_t i = stays->first[p]; i < stays->first[p + 1]; ++i) {
            struct last_seen *last = &seen[stays->items[i].bin];
            const bool is_in = p > 0 && last->pool == p;
            *last = (struct last_seen){p + 1, is_in ? last->edge : p};
            stays->items[i].enter = last->edge;
        }
    for (size_t bin = 0; bin < stays->n_bins; ++bin)
        seen[bin] = (struct last_seen){0, 0};
    for (uint32_t p = n_pools; p-- > 0;)
        for (size_t i = stays->first[p]; i < stays->first[p + 1]; ++i) {
            struct last_seen *last = &seen[stays->items[i].bin];
            const bool is_in = last->pool == p + 2;
            *last = (struct last_seen){p + 1, is_in ? last->edge : p + 1};
            stays->items[i].leave = last->edge;
        }
}

enum sst_status sst_gpu_stays_make(struct sst_gpu_stays *stays, const struct sst_gpu_pool *pools, size_t n_pools,
                                   struct sst_error *err)
{
    struct last_seen *seen = NULL;
    enum sst_status rc = SST_OK;
    *stays = (struct sst_gpu_stays){.n_pools = n_pools};
    SST_TRY_GOTO(take_bins(stays, pools, err));
    SST_TRY_GOTO(sst_alloc(stays->n_bins, sizeof *seen, "the bins of a group", &seen, err));
    find_edges(stays, seen);
done:
    sst_free(seen);
    if (rc != SST_OK)
        sst_gpu_stays_clear(stays);
    return rc;
}

void sst_gpu_stays_clear(struct sst_gpu_stays *stays)
{
    sst_free(stays->items);
    sst_free(stays->first);
    *stays = (struct sst_gpu_stays){0};
}
