/* The way of a window through the pools of a group. */
#include "backend/gpu_program.h"

#include "backend/gpu_stays.h"
#include "core/mem.h"

enum { NO_PLACE = -1 };

size_t sst_gpu_window_steps_most(size_t n_pools, size_t n_most_bins) { return n_pools * (2 * n_most_bins + 1); }

/* Places that remember bins, and the steps so far. */
struct way {
    const struct sst_gpu_stays *stays;
    int32_t *free_places; /* n_free of them, the next to be given last */
    size_t n_free;
    int32_t *place_of; /* by bin */
    struct gpu_window_step *steps;
    size_t n_steps;
};

static void put(struct way *way, struct gpu_window_step step) { way->steps[way->n_steps++] = step; }

static void leave(struct way *way, size_t bin)
{
    const int32_t place = way->place_of[bin];
    put(way, (struct gpu_window_step){.kind = GPU_WINDOW_LEAVE, .bin = (int32_t)bin, .ring = place});
    if (place != NO_PLACE)
        way->free_places[way->n_free++] = place;
}

static void enter(struct way *way, const struct sst_gpu_stay *stay)
{
    const bool will_leave = stay->leave < way->stays->n_pools;
    const int32_t place = will_leave && way->n_free > 0 ? way->free_places[--way->n_free] : NO_PLACE;
    way->place_of[stay->bin] = place;
    put(way, (struct gpu_window_step){.kind = GPU_WINDOW_ENTER, .bin = (int32_t)stay->bin, .ring = place});
}

static void go(struct way *way, const struct sst_gpu_pool *pools)
{
    const struct sst_gpu_stays *stays = way->stays;
    for (size_t p = 0; p < stays->n_pools; ++p) {
        for (size_t i = p > 0 ? stays->first[p - 1] : 0; i < stays->first[p]; ++i)
            if (stays->items[i].leave == p)
                leave(way, stays->items[i].bin);
        for (size_t i = stays->first[p]; i < stays->first[p + 1]; ++i)
            if (stays->items[i].enter == p)
                enter(way, &stays->items[i]);
        put(way, (struct gpu_window_step){.kind = GPU_WINDOW_FINISH,
                                          .ring = NO_PLACE,
                                          .result = (int32_t)p,
                                          .min_samples = pools[p].min_samples});
    }
}

enum sst_status sst_gpu_window_program(const struct sst_gpu_pool *pools, size_t n_pools, uint32_t n_ring,
                                       struct gpu_window_step *steps, size_t *n_steps, struct sst_error *err)
{
    struct sst_gpu_stays stays = {0};
    struct way way = {.stays = &stays, .steps = steps};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_gpu_stays_make(&stays, pools, n_pools, err));
    SST_TRY_GOTO(sst_alloc(n_ring, sizeof *way.free_places, "the places of a window", &way.free_places, err));
    SST_TRY_GOTO(sst_alloc(stays.n_bins, sizeof *way.place_of, "the places of a window", &way.place_of, err));
    for (uint32_t place = n_ring; place-- > 0;)
        way.free_places[way.n_free++] = (int32_t)place;
    go(&way, pools);
    *n_steps = way.n_steps;
done:
    sst_free(way.free_places);
    sst_free(way.place_of);
    sst_gpu_stays_clear(&stays);
    return rc;
}
