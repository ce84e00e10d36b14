/* Opening and closing a run on devices: arenas, streams, events, and the tables that do not change. */
#include "backend/gpu.h"

#include <assert.h>
#include <string.h>

#include "backend/gpu_private.h"
#include "core/mem.h"
#include "core/text.h"

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum sst_status check_free(struct sst_gpu_share *share, struct sst_gpu_bytes needed, struct sst_error *err)
{
    char wanted[SST_SIZE_TEXT], unused[SST_SIZE_TEXT], whole[SST_SIZE_TEXT];
    struct gpu_device_info info;
    SST_GPU_TRY(share, "asking for its memory", info(share->device->index, &info));
    if (needed.device <= info.free_bytes)
        return SST_OK;
    return sst_fail(err, SST_ERR_DEVICE, "device %d (%s): %s of its memory are needed, %s of %s are free",
                    share->device->number, share->device->info.name, sst_size_text(needed.device, true, wanted),
                    sst_size_text(info.free_bytes, false, unused), sst_size_text(info.memory_bytes, false, whole));
}

static enum sst_status take_memory(struct sst_gpu_share *share, const struct sst_gpu_setup *setup,
                                   struct sst_error *err)
{
    const struct sst_gpu_bytes needed = sst_gpu_share_lay(share, setup);
    SST_TRY(check_free(share, needed, err));
    SST_GPU_TRY(share, "taking its memory", alloc(needed.device, &share->arena));
    SST_GPU_TRY(share, "page-locking memory of the host", host_alloc(needed.host, &share->locked));
    (void)sst_gpu_share_lay(share, setup);
    return SST_OK;
}

static enum sst_status open_event(const struct sst_gpu_share *share, void **event, struct sst_error *err)
{
    return sst_gpu_check(share->device, share->api->event_open(event), "making an event", err);
}

static enum sst_status open_stream(const struct sst_gpu_share *share, void **stream, struct sst_error *err)
{
    return sst_gpu_check(share->device, share->api->stream_open(stream), "making a stream", err);
}

static enum sst_status open_streams(struct sst_gpu_share *share, const struct sst_gpu_setup *setup,
                                    struct sst_error *err)
{
    SST_TRY(open_stream(share, &share->copy_in, err));
    SST_TRY(open_stream(share, &share->compute, err));
    SST_TRY(open_stream(share, &share->copy_out, err));
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS; ++i) {
        SST_TRY(open_stream(share, &share->add[i], err));
        for (size_t k = 0; k < SST_GPU_BATCHES; ++k) {
            struct sst_gpu_batch *batch = &share->batches[i][k];
            SST_TRY(open_event(share, &batch->copy_begin, err));
            SST_TRY(open_event(share, &batch->copied, err));
            SST_TRY(open_event(share, &batch->add_begin, err));
            SST_TRY(open_event(share, &batch->added, err));
        }
    }
    for (size_t i = 0; i < sst_gpu_most_chunks(setup); ++i) {
        SST_TRY(open_event(share, &share->chunks[i].begin, err));
        SST_TRY(open_event(share, &share->chunks[i].computed, err));
        SST_TRY(open_event(share, &share->chunks[i].copy_begin, err));
    }
    for (size_t i = 0; i < setup->n_results; ++i)
        SST_TRY(open_event(share, &share->pool_copied[i], err));
    return SST_OK;
}

/* Planes hold nothing, staging holds missing values, no place is given. */
static enum sst_status clear_memory(struct sst_gpu_share *share, const struct sst_gpu_setup *setup,
                                    struct sst_error *err)
{
    const size_t n_items = setup->n_bins * share->places.pitch, n_staged = share->n_staged * share->stride;
    const size_t n_blocks = share->places.pitch / GPU_BLOCK_CELLS;
    const char *what = "clearing its memory";
    if (share->places.pitch == 0)
        return SST_OK; /* more devices than stripes: this one will have no places */
    const size_t n_sums = setup->store == SST_GPU_EXACT ? 0 : n_items; /* see lay_store: arrays of sums come first */
    unsigned char *first = setup->store == SST_GPU_TAIL ? (void *)share->tail.n : (void *)share->moments.n;
    const unsigned char *end =
        setup->store == SST_GPU_TAIL ? (void *)(share->tail.s1 + n_sums) : (void *)(share->moments.s4 + n_sums);
    if (n_sums > 0)
        SST_GPU_TRY(share, what, zero(first, (size_t)(end - first), share->copy_in));
    if (setup->store == SST_GPU_EXACT && setup->n_kept > 0)
        SST_GPU_TRY(share, what, fill_missing(share->planes, setup->n_kept * share->places.pitch, share->copy_in));
    if (setup->store == SST_GPU_TAIL && setup->k_top > 0)
        SST_GPU_TRY(share, what, fill_missing(share->tail.top, n_items * setup->k_top, share->copy_in));
    if (setup->store == SST_GPU_TAIL && setup->k_bottom > 0)
        SST_GPU_TRY(share, what, fill_missing(share->tail.bottom, n_items * setup->k_bottom, share->copy_in));
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS * SST_GPU_BATCHES; ++i) {
        struct sst_gpu_batch *batch = &share->batches[i / SST_GPU_BATCHES][i % SST_GPU_BATCHES];
        SST_GPU_TRY(share, what, fill_missing(batch->codes, n_staged, share->copy_in));
        if (batch->hundredths != batch->codes)
            SST_GPU_TRY(share, what, fill_missing(batch->hundredths, n_staged, share->copy_in));
    }
    memset(share->host_block_at, 0xFF, n_blocks * sizeof *share->host_block_at); /* GPU_NO_BLOCK */
    SST_GPU_TRY(share, what,
                copy_in(share->block_at, share->host_block_at, n_blocks * sizeof *share->block_at, share->copy_in));
    SST_GPU_TRY(share, what, stream_sync(share->copy_in));
    return SST_OK;
}

static enum sst_status send_fit(struct sst_gpu_share *share, const struct sst_moments_fit *fit, struct sst_error *err)
{
    const char *what = "copying the tables of maxent";
    const size_t table_bytes = SST_GPU_TABLE_ITEMS * sizeof *share->tables;
    float *to = share->tables;
    share->fit = (struct gpu_fit){.kind = fit->kind == SST_FIT_CF ? GPU_FIT_CF : GPU_FIT_MAXENT,
                                  .n_percentiles = (int32_t)fit->n_percentiles};
    for (size_t q = 0; q < fit->n_percentiles && fit->kind == SST_FIT_CF; ++q)
        share->fit.z[q] = fit->z[q];
    if (fit->kind == SST_FIT_CF)
        return SST_OK;
    for (size_t q = 0; q < fit->n_percentiles; ++q, to += SST_GPU_TABLE_ITEMS) {
        SST_GPU_TRY(share, what, copy_in(to, fit->table[q], table_bytes, share->copy_in));
        share->fit.table[q] = to;
    }
    SST_GPU_TRY(share, what, copy_in(to, fit->v_limit, CELL_MAXENT_N_SKEW * sizeof *to, share->copy_in));
    share->fit.v_limit = to;
    SST_GPU_TRY(share, what, stream_sync(share->copy_in));
    return SST_OK;
}

static enum sst_status open_share(struct sst_gpu_share *share, const struct sst_gpu_setup *setup, struct sst_error *err)
{
    SST_TRY(sst_alloc(sst_gpu_most_chunks(setup), sizeof *share->chunks, "events of a run", &share->chunks, err));
    SST_TRY(sst_alloc(setup->n_results, sizeof *share->pool_copied, "events of a run", &share->pool_copied, err));
    SST_GPU_TRY(share, "selecting it", select(share->device->index));
    SST_TRY(take_memory(share, setup, err));
    SST_TRY(open_streams(share, setup, err));
    SST_TRY(clear_memory(share, setup, err));
    if (setup->store == SST_GPU_MOMENTS)
        SST_TRY(send_fit(share, setup->fit, err));
    return sst_gpu_share_grow(share, setup->cells, err);
}

/* Bins that windows may remember, if a device with fewer of them has not been asked before. */
static enum sst_status ask_ring(const struct sst_gpu_share *share, uint32_t *n_ring, struct sst_error *err)
{
    uint32_t n = 0;
    SST_GPU_TRY(share, "asking what windows may remember", window_ring(&n));
    *n_ring = n < *n_ring ? n : *n_ring;
    return SST_OK;
}

static enum sst_status open_bins(struct sst_gpu *gpu, struct sst_error *err)
{
    const struct sst_gpu_setup *setup = &gpu->setup;
    const size_t n_planes = setup->store == SST_GPU_EXACT ? setup->n_kept : 0;
    const size_t n_bin = n_planes > 0 ? setup->n_kept_bin : 0;
    SST_TRY(sst_alloc(setup->n_bins, sizeof *gpu->bins, "bins of a run", &gpu->bins, err));
    SST_TRY(sst_alloc(setup->n_bins * n_bin, sizeof *gpu->bin_planes, "bins of a run", &gpu->bin_planes, err));
    SST_TRY(sst_alloc(n_planes, sizeof *gpu->free_planes, "bins of a run", &gpu->free_planes, err));
    SST_TRY(sst_alloc(n_planes, sizeof *gpu->plane_reader, "bins of a run", &gpu->plane_reader, err));
    SST_TRY(sst_alloc(n_planes, sizeof *gpu->plane_writer, "bins of a run", &gpu->plane_writer, err));
    for (size_t bin = 0; bin < setup->n_bins; ++bin)
        gpu->bins[bin].planes = gpu->bin_planes + bin * n_bin;
    for (gpu->n_free_planes = 0; gpu->n_free_planes < n_planes; ++gpu->n_free_planes)
        gpu->free_planes[gpu->n_free_planes] = (uint32_t)(n_planes - 1 - gpu->n_free_planes);
    return SST_OK;
}

static enum sst_status open_group(struct sst_gpu *gpu, struct sst_error *err)
{
    const struct sst_gpu_setup *setup = &gpu->setup;
    const size_t n_live = setup->n_results * setup->n_terms;
    SST_TRY(sst_alloc(sst_gpu_most_chunks(setup), sizeof *gpu->told, "pools of a run", &gpu->told, err));
    SST_TRY(sst_alloc(sst_gpu_most_program(setup), 1, "pools of a run", &gpu->program, err));
    SST_TRY(sst_alloc(setup->n_bins, sizeof *gpu->kept_planes, "pools of a run", &gpu->kept_planes, err));
    SST_TRY(sst_alloc(n_live, sizeof *gpu->live_bins, "pools of a run", &gpu->live_bins, err));
    return sst_alloc(setup->n_results, sizeof *gpu->live_pools, "pools of a run", &gpu->live_pools, err);
}

/* What indices of 32 bits and the plugins' fixed arrays allow. */
static enum sst_status check_setup(const struct sst_gpu_setup *setup, struct sst_error *err)
{
    const size_t n = setup->store == SST_GPU_MOMENTS ? setup->fit->n_percentiles : setup->args->n_percentiles;
    if (setup->store == SST_GPU_EXACT && setup->n_window == 0)
        return sst_fail(err, SST_ERR_INTERNAL, "a device was not told the days of a window");
    if (n > GPU_MAX_PERCENTILES)
        return sst_fail(err, SST_ERR_DEVICE, "%zu percentiles; devices compute %d at most", n, GPU_MAX_PERCENTILES);
    if (setup->n_kept > INT32_MAX || setup->n_bins > INT32_MAX)
        return sst_fail(err, SST_ERR_DEVICE, "%zu terms with %zu fields are too many for a device", setup->n_bins,
                        setup->n_kept);
    if (setup->n_most_places > INT32_MAX)
        return sst_fail(err, SST_ERR_DEVICE, "%zu cells are too many for a device. Use --bbox", setup->n_most_places);
    return SST_OK;
}

enum sst_status sst_gpu_open(const struct sst_gpu_setup *setup, struct sst_gpu **out, struct sst_error *err)
{
    struct sst_gpu *gpu = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(check_setup(setup, err));
    SST_TRY(sst_alloc(1, sizeof *gpu, "a run on devices", &gpu, err));
    gpu->setup = *setup;
    gpu->n_ring = UINT32_MAX;
    SST_TRY_GOTO(open_bins(gpu, err));
    SST_TRY_GOTO(open_group(gpu, err));
    for (size_t i = 0; i < setup->devices->n; ++i) {
        struct sst_gpu_share *share = &gpu->shares[gpu->n_shares++];
        share->device = &setup->devices->list[i];
        share->api = share->device->api;
        share->index = i;
        share->n_shares = setup->devices->n;
        SST_TRY_GOTO(open_share(share, setup, err));
        SST_TRY_GOTO(ask_ring(share, &gpu->n_ring, err));
    }
done:
    if (rc != SST_OK)
        sst_gpu_close(&gpu);
    else
        *out = gpu;
    return rc;
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

/* What a device does is waited for before what it works on is taken away. Nothing can be done about failures here. */
static void close_stream(const struct sst_gpu_share *share, void *stream)
{
    if (stream)
        (void)share->api->stream_close(stream);
}

static void close_event(const struct sst_gpu_share *share, void *event)
{
    if (event)
        (void)share->api->event_close(event);
}

static void close_events(struct sst_gpu_share *share, const struct sst_gpu_setup *setup)
{
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS * SST_GPU_BATCHES; ++i) {
        const struct sst_gpu_batch *batch = &share->batches[i / SST_GPU_BATCHES][i % SST_GPU_BATCHES];
        close_event(share, batch->copy_begin);
        close_event(share, batch->copied);
        close_event(share, batch->add_begin);
        close_event(share, batch->added);
    }
    for (size_t i = 0; i < sst_gpu_most_chunks(setup) && share->chunks; ++i) {
        close_event(share, share->chunks[i].begin);
        close_event(share, share->chunks[i].computed);
        close_event(share, share->chunks[i].copy_begin);
    }
    for (size_t i = 0; i < setup->n_results && share->pool_copied; ++i)
        close_event(share, share->pool_copied[i]);
}

static void close_share(struct sst_gpu_share *share, const struct sst_gpu_setup *setup)
{
    void *const streams[] = {share->copy_in, share->add[0], share->add[1], share->compute, share->copy_out};
    static_assert(SST_GPU_ADD_STREAMS == 2, "all streams are closed");
    (void)share->api->select(share->device->index);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; ++i)
        if (streams[i])
            (void)share->api->stream_sync(streams[i]);
    close_events(share, setup);
    for (size_t i = 0; i < sizeof streams / sizeof streams[0]; ++i)
        close_stream(share, streams[i]);
    if (share->arena)
        (void)share->api->release(share->arena);
    if (share->locked)
        (void)share->api->host_release(share->locked);
    sst_free(share->chunks);
    sst_free(share->pool_copied);
}

void sst_gpu_close(struct sst_gpu **gpu)
{
    if (!*gpu)
        return;
    for (size_t i = 0; i < (*gpu)->n_shares; ++i)
        close_share(&(*gpu)->shares[i], &(*gpu)->setup);
    sst_free((*gpu)->bins);
    sst_free((*gpu)->bin_planes);
    sst_free((*gpu)->free_planes);
    sst_free((*gpu)->plane_reader);
    sst_free((*gpu)->plane_writer);
    for (size_t i = 0; i < sst_gpu_most_chunks(&(*gpu)->setup) && (*gpu)->told; ++i)
        sst_gpu_exact_program_clear(&(*gpu)->told[i].exact);
    sst_free((*gpu)->told);
    sst_free((*gpu)->kept_planes);
    sst_free((*gpu)->live_bins);
    sst_free((*gpu)->live_pools);
    sst_free((*gpu)->program);
    sst_free(*gpu);
    *gpu = NULL;
}
