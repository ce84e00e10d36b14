/* Fields on their way into bins: places that grow, staging, planes of kept values. */
#include "backend/gpu.h"

#include <assert.h>

#include "backend/gpu_private.h"

/* --- places ------------------------------------------------------------------------------------------------------- */

enum sst_status sst_gpu_share_grow(struct sst_gpu_share *share, const struct sst_cells *cells, struct sst_error *err)
{
    const char *what = "copying the places of cells";
    const size_t n_cells = sst_gpu_share_places(share, cells->n_places);
    const size_t n_given = sst_gpu_share_places(share, cells->n_given * GPU_BLOCK_CELLS) / GPU_BLOCK_CELLS;
    const size_t first = share->n_given;
    if (n_cells > share->places.pitch || cells->width != GPU_BLOCK_CELLS)
        return sst_fail(err, SST_ERR_INTERNAL, "a device has %zu places and no room for %zu",
                        (size_t)share->places.pitch, n_cells);
    share->places.n_cells = (uint32_t)n_cells;
    if (n_given == first)
        return SST_OK;
    for (size_t i = first; i < n_given; ++i)
        share->host_block_at[i] = cells->block_at[sst_gpu_share_block(share, i)];
    for (size_t i = 0; i < SST_GPU_ADD_STREAMS; ++i)
        if (share->last_added[i]) /* kernels that take these places for free ones */
            SST_GPU_TRY(share, what, stream_wait(share->copy_in, share->last_added[i]));
    SST_GPU_TRY(share, what,
                copy_in(share->block_at + first, share->host_block_at + first,
                        (n_given - first) * sizeof *share->block_at, share->copy_in));
    share->n_given = n_given;
    return SST_OK;
}

/* --- batches ------------------------------------------------------------------------------------------------------ */

/* Fields that are added at a time, and how. */
struct addition {
    size_t bin;
    const struct sst_field *const *fields;
    size_t n_fields;
    bool is_new; /* the bin is empty */
    const uint32_t *planes; /* SST_GPU_EXACT: by field */
    size_t reader; /* chunk of the group that is to be done first, from 1; 0: none */
    bool waits_for_other; /* add stream: one of the planes was written there */
};

static enum sst_status add_elapsed(const struct sst_gpu_share *share, void *begin, void *end, double *seconds,
                                   struct sst_error *err)
{
    double elapsed = 0;
    SST_GPU_TRY(share, "taking the time", event_elapsed(begin, end, &elapsed));
    *seconds += elapsed;
    return SST_OK;
}

/* Waits until a batch is added, and books its times. */
static enum sst_status wait_for_batch(struct sst_gpu_share *share, struct sst_gpu_batch *batch, struct sst_error *err)
{
    if (!batch->is_used)
        return SST_OK;
    SST_GPU_TRY(share, "adding fields", event_sync(batch->added));
    batch->is_used = false;
    SST_TRY(add_elapsed(share, batch->copy_begin, batch->copied, &share->times.copy_in, err));
    return add_elapsed(share, batch->add_begin, batch->added, &share->times.add, err);
}

static size_t put_tasks(struct sst_gpu_batch *batch, enum sst_gpu_store store, const struct addition *addition)
{
    if (store != SST_GPU_EXACT) {
        struct gpu_add_task *task = batch->host_tasks;
        *task = (struct gpu_add_task){(uint32_t)addition->bin, 0, (uint32_t)addition->n_fields, addition->is_new};
        return sizeof *task;
    }
    struct gpu_keep_task *tasks = batch->host_tasks;
    for (size_t i = 0; i < addition->n_fields; ++i)
        tasks[i] = (struct gpu_keep_task){(uint32_t)i, addition->planes[i]};
    return addition->n_fields * sizeof *tasks;
}

/* Codes and hundredths are copied where both are wanted; on the CENTI lattice they are one array, here as there. */
static enum sst_status copy_batch(struct sst_gpu_share *share, struct sst_gpu_batch *batch, enum sst_gpu_store store,
                                  const struct addition *addition, struct sst_error *err)
{
    const size_t n_task_bytes = put_tasks(batch, store, addition);
    const char *what = "copying a field";
    SST_GPU_TRY(share, what, event_record(batch->copy_begin, share->copy_in));
    for (size_t i = 0; i < addition->n_fields; ++i) {
        const struct sst_field *field = addition->fields[i];
        const size_t at = i * share->stride, n_bytes = field->n_cells * sizeof *field->codes;
        const int16_t *codes = store == SST_GPU_MOMENTS ? field->hundredths : field->codes;
        SST_GPU_TRY(share, what, copy_in(batch->codes + at, codes, n_bytes, share->copy_in));
        if (batch->hundredths != batch->codes)
            SST_GPU_TRY(share, what, copy_in(batch->hundredths + at, field->hundredths, n_bytes, share->copy_in));
    }
    SST_GPU_TRY(share, what, copy_in(batch->tasks, batch->host_tasks, n_task_bytes, share->copy_in));
    SST_GPU_TRY(share, what, event_record(batch->copied, share->copy_in));
    share->last_copied = batch->copied;
    return SST_OK;
}

static int launch_add(const struct sst_gpu_share *share, const struct sst_gpu_batch *batch, enum sst_gpu_store store,
                      size_t n_fields, void *stream)
{
    const struct gpu_fields codes = {batch->codes, share->stride}, hundredths = {batch->hundredths, share->stride};
    if (share->places.n_cells == 0)
        return 0;
    if (store == SST_GPU_MOMENTS) {
        const struct gpu_moments_add args = {share->places, share->moments, hundredths, batch->tasks, 1};
        return share->api->moments_add(&args, stream);
    }
    if (store == SST_GPU_TAIL) {
        const struct gpu_tail_add args = {share->places, share->tail, codes, hundredths, batch->tasks, 1};
        return share->api->tail_add(&args, stream);
    }
    const struct gpu_keep args = {share->places, share->planes, codes, batch->tasks, (uint32_t)n_fields};
    return share->api->keep(&args, stream);
}

static enum sst_status add_batch(struct sst_gpu_share *share, enum sst_gpu_store store, const struct addition *addition,
                                 struct sst_error *err)
{
    const size_t i = addition->bin % SST_GPU_ADD_STREAMS;
    struct sst_gpu_batch *batch = &share->batches[i][share->next_batch[i]];
    void *stream = share->add[i];
    const char *what = "adding fields";
    share->next_batch[i] = (share->next_batch[i] + 1) % SST_GPU_BATCHES;
    SST_TRY(wait_for_batch(share, batch, err));
    SST_TRY(copy_batch(share, batch, store, addition, err));
    SST_GPU_TRY(share, what, stream_wait(stream, batch->copied));
    if (addition->reader > 0)
        SST_GPU_TRY(share, what, stream_wait(stream, share->chunks[addition->reader - 1].computed));
    if (addition->waits_for_other)
        SST_GPU_TRY(share, what, stream_wait(stream, share->last_added[!i]));
    SST_GPU_TRY(share, what, event_record(batch->add_begin, stream));
    SST_TRY(sst_gpu_check(share->device, launch_add(share, batch, store, addition->n_fields, stream), what, err));
    SST_GPU_TRY(share, what, event_record(batch->added, stream));
    share->last_added[i] = batch->added;
    batch->is_used = true;
    return SST_OK;
}

/* --- bins --------------------------------------------------------------------------------------------------------- */

/* Planes for the fields of an addition, and the last chunk that reads what lay in them. */
static enum sst_status give_planes(struct sst_gpu *gpu, struct sst_gpu_bin *bin, struct addition *addition,
                                   struct sst_error *err)
{
    if (addition->n_fields > gpu->n_free_planes || bin->n_fields + addition->n_fields > gpu->setup.n_kept_bin)
        return sst_fail(err, SST_ERR_INTERNAL, "bin %zu on a device has %zu fields and no room for %zu more",
                        addition->bin, bin->n_fields, addition->n_fields);
    const uint8_t writer = (uint8_t)(addition->bin % SST_GPU_ADD_STREAMS + 1);
    static_assert(SST_GPU_ADD_STREAMS == 2, "there is one other stream");
    addition->planes = bin->planes + bin->n_fields;
    for (size_t i = 0; i < addition->n_fields; ++i) {
        const uint32_t plane = gpu->free_planes[--gpu->n_free_planes];
        if (gpu->plane_reader[plane] > addition->reader)
            addition->reader = gpu->plane_reader[plane];
        addition->waits_for_other |= gpu->plane_writer[plane] > 0 && gpu->plane_writer[plane] != writer;
        gpu->plane_writer[plane] = writer;
        bin->planes[bin->n_fields + i] = plane;
    }
    return SST_OK;
}

static enum sst_status add_everywhere(struct sst_gpu *gpu, struct addition addition, struct sst_error *err)
{
    struct sst_gpu_bin *bin = &gpu->bins[addition.bin];
    addition.is_new = bin->n_fields == 0;
    if (gpu->setup.store == SST_GPU_EXACT)
        SST_TRY(give_planes(gpu, bin, &addition, err));
    else
        addition.reader = bin->reader;
    for (size_t i = 0; i < gpu->n_shares; ++i) {
        struct sst_gpu_share *share = &gpu->shares[i];
        if (share->places.pitch == 0)
            continue; /* it will have no places */
        SST_GPU_TRY(share, "selecting it", select(share->device->index));
        SST_TRY(sst_gpu_share_grow(share, gpu->setup.cells, err));
        SST_TRY(add_batch(share, gpu->setup.store, &addition, err));
    }
    bin->n_fields += addition.n_fields;
    return SST_OK;
}

enum sst_status sst_gpu_add_fields(struct sst_gpu *gpu, size_t bin, const struct sst_field *const *fields,
                                   size_t n_fields, struct sst_error *err)
{
    const size_t n_most = gpu->shares[0].n_staged;
    if (bin >= gpu->setup.n_bins)
        return sst_fail(err, SST_ERR_INTERNAL, "no bin %zu on a device", bin);
    for (size_t first = 0; first < n_fields; first += n_most) {
        const size_t n = n_fields - first < n_most ? n_fields - first : n_most;
        const struct addition addition = {.bin = bin, .fields = fields + first, .n_fields = n};
        SST_TRY(add_everywhere(gpu, addition, err));
    }
    for (size_t i = 0; i < gpu->n_shares && n_fields > 0; ++i) {
        struct sst_gpu_share *share = &gpu->shares[i];
        if (!share->last_copied)
            continue;
        SST_GPU_TRY(share, "selecting it", select(share->device->index));
        SST_GPU_TRY(share, "copying a field", event_sync(share->last_copied));
    }
    return SST_OK;
}

void sst_gpu_empty_bin(struct sst_gpu *gpu, size_t bin)
{
    struct sst_gpu_bin *emptied = &gpu->bins[bin];
    for (size_t i = 0; i < emptied->n_fields && gpu->setup.store == SST_GPU_EXACT; ++i)
        gpu->free_planes[gpu->n_free_planes++] = emptied->planes[i];
    emptied->n_fields = 0;
}
