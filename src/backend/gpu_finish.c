/* Pools of a group on their way out: what is launched, copied to the host, and joined from the devices. */
#include "backend/gpu.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "backend/gpu_private.h"

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static size_t n_chunks_of(const struct sst_gpu *gpu)
{
    return gpu->n_pools > 0 ? (gpu->n_pools + gpu->n_chunk - 1) / gpu->n_chunk : 0;
}

static size_t chunk_end(const struct sst_gpu *gpu, size_t chunk)
{
    const size_t end = (chunk + 1) * gpu->n_chunk;
    return end < gpu->n_pools ? end : gpu->n_pools;
}

/* Seconds of a group that is done. */
static enum sst_status add_times(const struct sst_gpu *gpu, const struct sst_gpu_share *share,
                                 struct sst_gpu_times *times, struct sst_error *err)
{
    for (size_t i = 0; i < n_chunks_of(gpu); ++i) {
        const struct sst_gpu_chunk *chunk = &share->chunks[i];
        double finish = 0, copy_out = 0;
        SST_GPU_TRY(share, "taking the time", event_elapsed(chunk->begin, chunk->computed, &finish));
        SST_GPU_TRY(share, "taking the time",
                    event_elapsed(chunk->copy_begin, share->pool_copied[chunk_end(gpu, i) - 1], &copy_out));
        times->finish += finish;
        times->copy_out += copy_out;
    }
    return SST_OK;
}

/* Waits until a share has computed and copied all pools of the group, and books their times. */
static enum sst_status wait_for_group(const struct sst_gpu *gpu, struct sst_gpu_share *share, struct sst_error *err)
{
    if (gpu->n_pools == 0)
        return SST_OK;
    SST_GPU_TRY(share, "computing pools", event_sync(share->pool_copied[gpu->n_pools - 1]));
    return add_times(gpu, share, &share->times, err);
}

/* --- copying out -------------------------------------------------------------------------------------------------- */

/* An array of results: where its pointer stands in struct gpu_results, and the size of its items. */
struct array {
    size_t at, size;
};

static const struct array mean_array = {offsetof(struct gpu_results, mean), sizeof(double)};
static const struct array n_obs_array = {offsetof(struct gpu_results, n_obs), sizeof(uint16_t)};
static const struct array mark_array = {offsetof(struct gpu_results, mark), sizeof(uint8_t)};
static const struct array sd_array = {offsetof(struct gpu_results, sd), sizeof(float)};
static const struct array skew_array = {offsetof(struct gpu_results, skew), sizeof(float)};
static const struct array kurt_array = {offsetof(struct gpu_results, kurt), sizeof(float)};

static struct array quantile_array(size_t q)
{
    return (struct array){offsetof(struct gpu_results, quantile) + q * sizeof(double *), sizeof(double)};
}

static struct array bound_array(size_t q)
{
    return (struct array){offsetof(struct gpu_results, bound) + q * sizeof(double *), sizeof(double)};
}

/* Item `first` of an array; NULL where there is no such array. */
static unsigned char *array_item(const struct gpu_results *results, struct array array, size_t first)
{
    unsigned char *begin = NULL;
    memcpy(&begin, (const unsigned char *)results + array.at, sizeof begin);
    return begin ? begin + first * array.size : NULL;
}

/* A pool's place among the results of a chunk and of the group. */
struct copied {
    size_t in_chunk, in_group;
};

static enum sst_status copy_array(struct sst_gpu_share *share, const struct gpu_results *from, struct array array,
                                  struct copied pool, struct sst_error *err)
{
    const size_t pitch = share->places.pitch, n_bytes = share->places.n_cells * array.size;
    unsigned char *to = array_item(&share->host_results, array, pool.in_group * pitch);
    if (to && n_bytes > 0)
        SST_GPU_TRY(share, "copying results",
                    copy_out(to, array_item(from, array, pool.in_chunk * pitch), n_bytes, share->copy_out));
    return SST_OK;
}

static enum sst_status copy_pool(struct sst_gpu_share *share, const struct gpu_results *from, struct copied pool,
                                 struct sst_error *err)
{
    const struct array single[] = {mean_array, n_obs_array, mark_array, sd_array, skew_array, kurt_array};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; ++i)
        SST_TRY(copy_array(share, from, single[i], pool, err));
    for (size_t q = 0; q < GPU_MAX_PERCENTILES; ++q) {
        SST_TRY(copy_array(share, from, quantile_array(q), pool, err));
        SST_TRY(copy_array(share, from, bound_array(q), pool, err));
    }
    SST_GPU_TRY(share, "copying results", event_record(share->pool_copied[pool.in_group], share->copy_out));
    return SST_OK;
}

static enum sst_status start_chunk(struct sst_gpu *gpu, struct sst_gpu_share *share, size_t index,
                                   struct sst_error *err)
{
    const struct gpu_results *results = &share->results[index % SST_GPU_CHUNK_BUFFERS];
    const struct sst_gpu_chunk *chunk = &share->chunks[index];
    const size_t first = index * gpu->n_chunk, end = chunk_end(gpu, index);
    const char *what = "computing pools";
    if (index >= SST_GPU_CHUNK_BUFFERS) { /* the results that lie in this buffer must be out */
        void *copied = share->pool_copied[(index + 1 - SST_GPU_CHUNK_BUFFERS) * gpu->n_chunk - 1];
        SST_GPU_TRY(share, what, stream_wait(share->compute, copied));
    }
    SST_GPU_TRY(share, what, event_record(chunk->begin, share->compute));
    if (share->places.n_cells > 0)
        SST_TRY(sst_gpu_launch(gpu, share, index, results, err));
    SST_GPU_TRY(share, what, event_record(chunk->computed, share->compute));
    SST_GPU_TRY(share, what, stream_wait(share->copy_out, chunk->computed));
    SST_GPU_TRY(share, what, event_record(chunk->copy_begin, share->copy_out));
    for (size_t pool = first; pool < end; ++pool)
        SST_TRY(copy_pool(share, results, (struct copied){pool - first, pool}, err));
    return SST_OK;
}

/* --- starting ----------------------------------------------------------------------------------------------------- */

static enum sst_status check_group(const struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools,
                                   struct sst_error *err)
{
    if (n_pools > gpu->setup.n_results)
        return sst_fail(err, SST_ERR_INTERNAL, "%zu pools for a device that has room for %zu", n_pools,
                        gpu->setup.n_results);
    for (size_t pool = 0; pool < n_pools; ++pool) {
        if (pools[pool].n_bins > gpu->setup.n_terms)
            return sst_fail(err, SST_ERR_INTERNAL, "a pool of %zu bins for a device that was told of %zu",
                            pools[pool].n_bins, gpu->setup.n_terms);
        for (size_t i = 0; i < pools[pool].n_bins; ++i)
            if (pools[pool].bins[i] >= gpu->setup.n_bins)
                return sst_fail(err, SST_ERR_INTERNAL, "no bin %zu on a device", pools[pool].bins[i]);
    }
    return SST_OK;
}

/* Notes for each bin and plane the last chunk that reads it, so that what is written there later waits for it. */
static void note_readers(struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools)
{
    const bool is_exact = gpu->setup.store == SST_GPU_EXACT;
    for (size_t bin = 0; bin < gpu->setup.n_bins; ++bin)
        gpu->bins[bin].reader = 0;
    for (size_t plane = 0; plane < gpu->setup.n_kept && is_exact; ++plane)
        gpu->plane_reader[plane] = 0;
    for (size_t pool = 0; pool < n_pools; ++pool)
        for (size_t i = 0; i < pools[pool].n_bins; ++i) {
            struct sst_gpu_bin *bin = &gpu->bins[pools[pool].bins[i]];
            bin->reader = pool / gpu->n_chunk + 1;
            for (size_t k = 0; k < bin->n_fields && is_exact; ++k) {
                gpu->plane_reader[bin->planes[k]] = bin->reader;
                gpu->plane_writer[bin->planes[k]] = 0; /* the chunk waits for it */
            }
        }
}

static enum sst_status start_share(struct sst_gpu *gpu, struct sst_gpu_share *share, struct sst_error *err)
{
    const char *what = "computing pools";
    SST_TRY(sst_gpu_share_grow(share, gpu->setup.cells, err));
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS; ++i)
        if (share->last_added[i])
            SST_GPU_TRY(share, what, stream_wait(share->compute, share->last_added[i]));
    memcpy(share->host_program, gpu->program, gpu->n_program_bytes);
    SST_GPU_TRY(share, what, copy_in(share->program, share->host_program, gpu->n_program_bytes, share->compute));
    for (size_t chunk = 0; chunk < n_chunks_of(gpu); ++chunk)
        SST_TRY(start_chunk(gpu, share, chunk, err));
    return SST_OK;
}

enum sst_status sst_gpu_start(struct sst_gpu *gpu, const struct sst_gpu_pool *pools, size_t n_pools,
                              struct sst_error *err)
{
    SST_TRY(check_group(gpu, pools, n_pools, err));
    for (size_t i = 0; i < gpu->n_shares; ++i) {
        SST_GPU_TRY(&gpu->shares[i], "selecting it", select(gpu->shares[i].device->index));
        SST_TRY(wait_for_group(gpu, &gpu->shares[i], err));
    }
    const size_t n_chunks = (n_pools + SST_GPU_CHUNK - 1) / SST_GPU_CHUNK;
    gpu->n_chunk = n_chunks > 0 ? (n_pools + n_chunks - 1) / n_chunks : 1; /* alike: short runs are not sorted */
    gpu->n_pools = 0; /* none whose times are to be booked, should what follows fail */
    SST_TRY(sst_gpu_make_program(gpu, pools, n_pools, err));
    note_readers(gpu, pools, n_pools);
    gpu->group_places = gpu->setup.cells->n_places;
    gpu->n_pools = n_pools;
    for (size_t i = 0; i < gpu->n_shares; ++i) {
        SST_GPU_TRY(&gpu->shares[i], "selecting it", select(gpu->shares[i].device->index));
        SST_TRY(start_share(gpu, &gpu->shares[i], err));
    }
    return SST_OK;
}

/* --- joining ------------------------------------------------------------------------------------------------------ */

/* An array of a pool on its way to the caller. */
struct joined {
    struct array array;
    const void *no_value; /* an item */
    unsigned char *to; /* NULL: not wanted */
};

/* A mean, counts, marks, the shape. */
enum { N_SINGLE = 6, MAX_JOINED = N_SINGLE + 2 * GPU_MAX_PERCENTILES };

/* Below this many places they are joined sooner than a second thread is woken. */
enum { PARALLEL_PLACES = 32768 };

/* All arrays' places of one stripe, which lie with one device; the only device has them all, in the same order. */
static void join_stripe(const struct sst_gpu *gpu, size_t pool, const struct joined *joined, size_t n_joined,
                        size_t stripe)
{
    const struct sst_gpu_share *share = &gpu->shares[stripe % gpu->n_shares];
    const size_t first = stripe * SST_GPU_STRIPE, left = gpu->group_places - first;
    const size_t n = left < SST_GPU_STRIPE ? left : SST_GPU_STRIPE;
    const size_t place = stripe / gpu->n_shares * SST_GPU_STRIPE;
    for (size_t i = 0; i < n_joined; ++i) {
        const struct array array = joined[i].array;
        const unsigned char *from = array_item(&share->host_results, array, pool * share->places.pitch + place);
        if (from && joined[i].to)
            memcpy(joined[i].to + first * array.size, from, n * array.size);
    }
}

/* Stripe by stripe; places that came after the start of the group have no value. */
static void join(const struct sst_gpu *gpu, size_t pool, const struct joined *joined, size_t n_joined)
{
    const size_t n_stripes = (gpu->group_places + SST_GPU_STRIPE - 1) / SST_GPU_STRIPE;
    assert(gpu->n_shares > 0);
#pragma omp parallel for schedule(static) if (gpu->group_places >= PARALLEL_PLACES)
    for (size_t stripe = 0; stripe < n_stripes; ++stripe)
        join_stripe(gpu, pool, joined, n_joined, stripe);
    for (size_t i = 0; i < n_joined; ++i)
        for (size_t place = gpu->group_places; place < gpu->setup.cells->n_places && joined[i].to; ++place)
            memcpy(joined[i].to + place * joined[i].array.size, joined[i].no_value, joined[i].array.size);
}

static void join_pool(const struct sst_gpu *gpu, size_t pool, const struct sst_gpu_result *out)
{
    static const double no_value = NAN;
    static const float no_shape = NAN;
    static const uint16_t none = 0;
    const size_t n = sst_gpu_n_percentiles(&gpu->setup);
    struct joined joined[MAX_JOINED] = {
        {mean_array, &no_value, (unsigned char *)out->mean},
        {n_obs_array, &none, (unsigned char *)out->n_obs},
        {mark_array, &none, out->marks},
        {sd_array, &no_shape, (unsigned char *)out->shape.sd},
        {skew_array, &no_shape, (unsigned char *)out->shape.skew},
        {kurt_array, &no_shape, (unsigned char *)out->shape.kurt},
    };
    size_t n_joined = N_SINGLE;
    for (size_t q = 0; q < n && out->quantile; ++q)
        joined[n_joined++] = (struct joined){quantile_array(q), &no_value, (unsigned char *)out->quantile[q]};
    for (size_t q = 0; q < n && out->bound && gpu->setup.store == SST_GPU_TAIL; ++q)
        joined[n_joined++] = (struct joined){bound_array(q), &no_value, (unsigned char *)out->bound[q]};
    join(gpu, pool, joined, n_joined);
}

enum sst_status sst_gpu_result(struct sst_gpu *gpu, size_t pool, const struct sst_gpu_result *out,
                               struct sst_error *err)
{
    if (pool >= gpu->n_pools)
        return sst_fail(err, SST_ERR_INTERNAL, "result %zu of a group of %zu pools", pool, gpu->n_pools);
    for (size_t i = 0; i < gpu->n_shares; ++i) {
        SST_GPU_TRY(&gpu->shares[i], "selecting it", select(gpu->shares[i].device->index));
        SST_GPU_TRY(&gpu->shares[i], "computing pools", event_sync(gpu->shares[i].pool_copied[pool]));
    }
    join_pool(gpu, pool, out);
    return SST_OK;
}

/* --- times -------------------------------------------------------------------------------------------------------- */

static double most(double a, double b) { return a > b ? a : b; }

/* What is booked, and what is done or under way. */
static struct sst_gpu_times share_times(const struct sst_gpu *gpu, const struct sst_gpu_share *share)
{
    struct sst_gpu_times times = share->times;
    double copy_in = 0, add = 0;
    (void)share->api->select(share->device->index);
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS * SST_GPU_BATCHES; ++i) {
        const struct sst_gpu_batch *batch = &share->batches[i / SST_GPU_BATCHES][i % SST_GPU_BATCHES];
        if (!batch->is_used || share->api->event_sync(batch->added) != 0 ||
            share->api->event_elapsed(batch->copy_begin, batch->copied, &copy_in) != 0 ||
            share->api->event_elapsed(batch->add_begin, batch->added, &add) != 0)
            continue;
        times.copy_in += copy_in;
        times.add += add;
    }
    if (gpu->n_pools > 0 && share->api->event_sync(share->pool_copied[gpu->n_pools - 1]) == 0)
        (void)add_times(gpu, share, &times, NULL); /* times are for reports: what is not told is left out */
    return times;
}

struct sst_gpu_times sst_gpu_times(const struct sst_gpu *gpu)
{
    struct sst_gpu_times times = {0};
    for (size_t i = 0; i < gpu->n_shares; ++i) {
        const struct sst_gpu_times its = share_times(gpu, &gpu->shares[i]);
        times.copy_in = most(times.copy_in, its.copy_in);
        times.add = most(times.add, its.add);
        times.finish = most(times.finish, its.finish);
        times.copy_out = most(times.copy_out, its.copy_out);
    }
    return times;
}
