/* What the kernels of a group are told: made once on the host, copied to each device, launched chunk by chunk. */
#include <assert.h>
#include <string.h>

#include "backend/gpu_private.h"
#include "core/mem.h"

static size_t rounded(size_t n_bytes) { return sst_gpu_round_up(n_bytes, SST_GPU_ALIGNMENT); }

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* Values of a pool, at most. */
static size_t most_values(const struct sst_gpu_setup *setup)
{
    const size_t n_terms = setup->n_kept_bin * setup->n_terms;
    if (setup->store != SST_GPU_EXACT)
        return SST_MAX_POOL;
    return n_terms < setup->n_kept ? n_terms : setup->n_kept;
}

size_t sst_gpu_most_program(const struct sst_gpu_setup *setup)
{
    const size_t n_chunks = sst_gpu_most_chunks(setup), n_pools = sst_gpu_chunk_pools(setup);
    const size_t n_steps = sst_gpu_window_steps_most(n_pools, setup->n_terms);
    /* Of a pool's planes as lists and as days of a run; see gpu_program.h. */
    const size_t n_members = n_pools * (setup->store == SST_GPU_EXACT ? 2 * most_values(setup) : setup->n_terms);
    if (setup->store == SST_GPU_MOMENTS)
        return n_chunks * rounded(n_steps * sizeof(struct gpu_window_step));
    return rounded(setup->args->n_percentiles * (most_values(setup) + 1) * sizeof(struct cell_rank)) +
           n_chunks * (rounded(n_members * sizeof(uint32_t)) + rounded(n_pools * sizeof(struct gpu_pool)) +
                       rounded(n_pools * sizeof(int32_t)));
}

size_t sst_gpu_most_scratch(const struct sst_gpu_setup *setup, size_t n_places)
{
    size_t n_most = 0;
    if (setup->store != SST_GPU_EXACT || !setup->devices || setup->devices->n == 0)
        return 0;
    for (size_t q = 0; q < setup->args->n_percentiles; ++q) {
        const uint32_t depth =
            sst_gpu_depth_needed(setup->args->p[q], setup->args->type, setup->n_kept_bin * setup->n_window);
        int is_built = 0;
        size_t n_bytes = 0;
        const int code = setup->devices->list[0].api->sorted_form(
            (uint32_t)setup->n_kept_bin, (uint32_t)setup->n_window, depth, (uint32_t)n_places, &is_built, &n_bytes);
        if (code == 0 && is_built && n_bytes > n_most)
            n_most = n_bytes;
    }
    return n_most;
}

/* --- making ------------------------------------------------------------------------------------------------------- */

/* Appends n items of a list to the program. */
static struct sst_gpu_list put(struct sst_gpu *gpu, const void *items, size_t n, size_t size)
{
    const struct sst_gpu_list list = {gpu->n_program_bytes, n};
    assert(gpu->n_program_bytes + n * size <= sst_gpu_most_program(&gpu->setup));
    if (n > 0)
        memcpy(gpu->program + gpu->n_program_bytes, items, n * size);
    gpu->n_program_bytes += rounded(n * size);
    return list;
}

/* Pools without the bins that are empty: what a device holds for these is of a former term. */
static void list_live(struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools)
{
    size_t n = 0;
    for (size_t pool = 0; pool < n_pools; ++pool) {
        const size_t first = n;
        for (size_t i = 0; i < pools[pool].n_bins; ++i)
            if (gpu->bins[pools[pool].bins[i]].n_fields > 0)
                gpu->live_bins[n++] = pools[pool].bins[i];
        gpu->live_pools[pool] = (struct sst_gpu_pool){gpu->live_bins + first, n - first, pools[pool].min_samples};
    }
}

/* As short as the largest pool of the group allows: kernels keep as many values at a time. */
static enum sst_status put_ranks(struct sst_gpu *gpu, size_t n_pools, struct sst_error *err)
{
    const struct sst_quantile_args *args = gpu->setup.args;
    struct cell_rank *ranks = (void *)(gpu->program + gpu->n_program_bytes);
    size_t n_most = 1;
    for (size_t pool = 0; pool < n_pools; ++pool) {
        size_t n = 0;
        for (size_t i = 0; i < gpu->live_pools[pool].n_bins; ++i)
            n += gpu->bins[gpu->live_pools[pool].bins[i]].n_fields;
        n_most = n > n_most ? n : n_most;
    }
    if (n_most > most_values(&gpu->setup))
        return sst_fail(err, SST_ERR_INTERNAL, "a pool of %zu fields for a device that was told of %zu", n_most,
                        most_values(&gpu->setup));
    for (size_t q = 0; q < args->n_percentiles; ++q)
        for (size_t n = 0; n <= n_most; ++n)
            ranks[q * (n_most + 1) + n] = cell_rank_of((int32_t)(n > 0 ? n : 1), args->p[q], args->type);
    gpu->ranks = (struct sst_gpu_list){gpu->n_program_bytes, n_most};
    gpu->n_program_bytes += rounded(args->n_percentiles * (n_most + 1) * sizeof *ranks);
    return SST_OK;
}

static enum sst_status put_window(struct sst_gpu *gpu, struct sst_gpu_told *told, const struct sst_gpu_pool *pools,
                                  size_t n_pools, struct sst_error *err)
{
    struct gpu_window_step *steps = (void *)(gpu->program + gpu->n_program_bytes);
    size_t n_steps = 0;
    SST_TRY(sst_gpu_window_program(pools, n_pools, gpu->n_ring, steps, &n_steps, err));
    told->steps = (struct sst_gpu_list){gpu->n_program_bytes, n_steps};
    gpu->n_program_bytes += rounded(n_steps * sizeof *steps);
    return SST_OK;
}

static enum sst_status put_exact(struct sst_gpu *gpu, struct sst_gpu_told *told, const struct sst_gpu_pool *pools,
                                 size_t n_pools, struct sst_error *err)
{
    const struct sst_gpu_share *largest = &gpu->shares[0];
    struct sst_gpu_exact_program *exact = &told->exact;
    const struct sst_gpu_exact_ask ask = {.planes = gpu->kept_planes,
                                          .args = gpu->setup.args,
                                          .n_window = (uint32_t)gpu->setup.n_window,
                                          .sorted_form = largest->api->sorted_form,
                                          .n_cells = largest->places.pitch,
                                          .scratch_bytes = largest->n_scratch_bytes};
    SST_TRY(sst_gpu_exact_program_make(exact, pools, n_pools, &ask, err));
    told->members = put(gpu, exact->members, exact->n_members, sizeof *exact->members);
    told->pools = put(gpu, exact->pools, exact->n_pools, sizeof *exact->pools);
    told->min_samples = put(gpu, exact->min_samples, exact->n_pools, sizeof *exact->min_samples);
    return SST_OK;
}

static void put_tail(struct sst_gpu *gpu, struct sst_gpu_told *told, const struct sst_gpu_pool *pools, size_t n_pools)
{
    struct gpu_pool list[SST_GPU_CHUNK];
    const size_t first = gpu->n_program_bytes;
    uint32_t *members = (void *)(gpu->program + first);
    uint32_t n = 0;
    told->n_most_members = 0;
    for (size_t pool = 0; pool < n_pools; ++pool) {
        const uint32_t n_bins = (uint32_t)pools[pool].n_bins;
        list[pool] = (struct gpu_pool){n, n_bins, pools[pool].min_samples, (int32_t)pool};
        told->n_most_members = n_bins > told->n_most_members ? n_bins : told->n_most_members;
        for (size_t i = 0; i < n_bins; ++i)
            members[n++] = (uint32_t)pools[pool].bins[i];
    }
    told->members = (struct sst_gpu_list){first, n};
    gpu->n_program_bytes += rounded(n * sizeof *members);
    told->pools = put(gpu, list, n_pools, sizeof *list);
}

enum sst_status sst_gpu_make_program(struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools,
                                     struct sst_error *err)
{
    gpu->n_program_bytes = 0;
    list_live(gpu, pools, n_pools);
    for (size_t bin = 0; bin < gpu->setup.n_bins && gpu->setup.store == SST_GPU_EXACT; ++bin)
        gpu->kept_planes[bin] = (struct sst_gpu_planes){gpu->bins[bin].planes, gpu->bins[bin].n_fields};
    if (gpu->setup.store != SST_GPU_MOMENTS)
        SST_TRY(put_ranks(gpu, n_pools, err));
    for (size_t chunk = 0, first = 0; first < n_pools; ++chunk, first += gpu->n_chunk) {
        const size_t n = n_pools - first < gpu->n_chunk ? n_pools - first : gpu->n_chunk;
        if (gpu->setup.store == SST_GPU_MOMENTS)
            SST_TRY(put_window(gpu, &gpu->told[chunk], gpu->live_pools + first, n, err));
        else if (gpu->setup.store == SST_GPU_EXACT)
            SST_TRY(put_exact(gpu, &gpu->told[chunk], gpu->live_pools + first, n, err));
        else
            put_tail(gpu, &gpu->told[chunk], gpu->live_pools + first, n);
    }
    return SST_OK;
}

/* --- launching ---------------------------------------------------------------------------------------------------- */

static const void *list_at(const struct sst_gpu_share *share, struct sst_gpu_list list)
{
    return share->program + list.at;
}

static struct gpu_lattice lattice_of(const struct sst_gpu *gpu)
{
    const struct sst_lattice lattice = gpu->setup.args->lattice;
    return (struct gpu_lattice){lattice.steps_per_degree, lattice.reference_steps};
}

/* Those of percentiles first .. first + n - 1. */
static struct gpu_ranks ranks_of(const struct sst_gpu *gpu, const struct sst_gpu_share *share, int32_t first, int32_t n)
{
    const struct cell_rank *ranks = list_at(share, gpu->ranks);
    return (struct gpu_ranks){ranks + (size_t)first * (gpu->ranks.n + 1), (uint32_t)gpu->ranks.n, n};
}

static int launch_sorted(const struct sst_gpu *gpu, struct sst_gpu_share *share, const struct sst_gpu_told *told,
                         const struct sst_gpu_exact_launch *launch, const struct gpu_results *results)
{
    const uint32_t *members = list_at(share, told->members);
    const int32_t *min_samples = list_at(share, told->min_samples);
    const struct gpu_sorted args = {.places = share->places,
                                    .planes = share->planes,
                                    .members = members + launch->first_member,
                                    .n_days = launch->n_days,
                                    .n_members = launch->n_members,
                                    .n_window = (uint32_t)gpu->setup.n_window,
                                    .depth = launch->depth,
                                    .from_below = launch->from_below,
                                    .first_result = (int32_t)launch->first_pool,
                                    .min_samples = min_samples + launch->first_pool,
                                    .lattice = lattice_of(gpu),
                                    .ranks = ranks_of(gpu, share, launch->first_percentile, launch->n_percentiles),
                                    .results = *results,
                                    .first_percentile = (uint32_t)launch->first_percentile,
                                    .scratch = launch->scratch_bytes > 0 ? share->scratch : NULL};
    return share->api->exact_sorted(&args, share->compute);
}

static int launch_blocked(const struct sst_gpu *gpu, struct sst_gpu_share *share, const struct sst_gpu_told *told,
                          const struct sst_gpu_exact_launch *launch, const struct gpu_results *results)
{
    const struct gpu_pool *pools = list_at(share, told->pools);
    struct gpu_exact args = {.places = share->places,
                             .planes = share->planes,
                             .members = list_at(share, told->members),
                             .pools = pools + launch->first_pool,
                             .n_pools = launch->n_pools,
                             .lattice = lattice_of(gpu),
                             .ranks = ranks_of(gpu, share, launch->first_percentile, launch->n_percentiles),
                             .results = *results};
    for (int32_t q = 0; q < launch->n_percentiles; ++q)
        args.results.quantile[q] = results->quantile[launch->first_percentile + q];
    return share->api->exact_blocked(&args, share->compute);
}

static enum sst_status launch_exact(const struct sst_gpu *gpu, struct sst_gpu_share *share,
                                    const struct sst_gpu_told *told, const struct gpu_results *results,
                                    struct sst_error *err)
{
    for (size_t i = 0; i < told->exact.n_launches; ++i) {
        const struct sst_gpu_exact_launch *launch = &told->exact.launches[i];
        struct gpu_results wanted = *results;
        wanted.mean = launch->has_sums ? results->mean : NULL;
        wanted.n_obs = launch->has_sums ? results->n_obs : NULL;
        const int code = launch->is_sorted ? launch_sorted(gpu, share, told, launch, &wanted)
                                           : launch_blocked(gpu, share, told, launch, &wanted);
        SST_TRY(sst_gpu_check(share->device, code, launch->is_sorted ? "computing pools (sorted)" : "computing pools",
                              err));
    }
    return SST_OK;
}

static int launch_window(struct sst_gpu *gpu, struct sst_gpu_share *share, const struct sst_gpu_told *told,
                         const struct gpu_results *results)
{
    const struct gpu_window args = {.places = share->places,
                                    .store = share->moments,
                                    .steps = list_at(share, told->steps),
                                    .n_steps = (uint32_t)told->steps.n,
                                    .n_ring = gpu->n_ring,
                                    .fit = share->fit,
                                    .results = *results};
    return share->api->window(&args, share->compute);
}

static int launch_tail(struct sst_gpu *gpu, struct sst_gpu_share *share, const struct sst_gpu_told *told,
                       const struct gpu_results *results)
{
    const int32_t n_percentiles = (int32_t)gpu->setup.args->n_percentiles;
    struct gpu_tail args = {.places = share->places,
                            .store = share->tail,
                            .members = list_at(share, told->members),
                            .pools = list_at(share, told->pools),
                            .n_pools = (uint32_t)told->pools.n,
                            .n_most_members = told->n_most_members,
                            .lattice = lattice_of(gpu),
                            .ranks = ranks_of(gpu, share, 0, n_percentiles),
                            .results = *results};
    memcpy(args.is_low, gpu->setup.is_low, (size_t)n_percentiles * sizeof *args.is_low);
    return share->api->tail(&args, share->compute);
}

enum sst_status sst_gpu_launch(struct sst_gpu *gpu, struct sst_gpu_share *share, size_t chunk,
                               const struct gpu_results *results, struct sst_error *err)
{
    const struct sst_gpu_told *told = &gpu->told[chunk];
    if (gpu->setup.store == SST_GPU_EXACT)
        return launch_exact(gpu, share, told, results, err);
    const int code = gpu->setup.store == SST_GPU_MOMENTS ? launch_window(gpu, share, told, results)
                                                         : launch_tail(gpu, share, told, results);
    return sst_gpu_check(share->device, code, "computing pools", err);
}
