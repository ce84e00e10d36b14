/* See the header. */
#include "write/clim_nc_queue.h"

#include "core/mem.h"

/* One thread beside the caller's keeps up where the caller computes on two cores. */
enum { DEFAULT_THREADS = 1 };

static size_t threads_of(const struct sst_clim_spec *spec)
{
    return spec->n_threads > 0 ? (size_t)spec->n_threads : DEFAULT_THREADS;
}

static size_t largest_chunk(const struct sst_clim_chunks *chunks)
{
    return chunks->n_slots * chunks->n_rows * chunks->n_cols * sizeof(float);
}

enum sst_status sst_clim_queue_init(const struct sst_clim_spec *spec, struct sst_clim_queue *out, struct sst_error *err)
{
    *out = (struct sst_clim_queue){0};
    sst_clim_chunks_of(spec, &out->chunks);
    if (spec->deflate_level == 0)
        return SST_OK;
    SST_TRY(sst_alloc(sst_clim_chunks_per_row(&out->chunks), sizeof *out->batch, "a list of chunks", &out->batch, err));
    return sst_deflate_team_create(spec->deflate_level, largest_chunk(&out->chunks), threads_of(spec), &out->team, err);
}

void sst_clim_queue_clear(struct sst_clim_queue *queue)
{
    sst_deflate_team_destroy(&queue->team);
    sst_clim_row_free(&queue->row);
    sst_clim_row_free(&queue->spare);
    sst_free(queue->batch);
    queue->batch = NULL;
}

enum sst_status sst_clim_queue_take(struct sst_clim_queue *queue, struct sst_clim_row *out, struct sst_error *err)
{
    if (!queue->spare.sst)
        return sst_clim_row_alloc(&queue->chunks, out, err);
    *out = queue->spare;
    queue->spare = (struct sst_clim_row){0};
    return SST_OK;
}

bool sst_clim_queue_is_empty(const struct sst_clim_queue *queue) { return !queue->row.sst; }

void sst_clim_queue_put(struct sst_clim_queue *queue, struct sst_clim_row *row, size_t first_slot)
{
    const size_t n_chunks = sst_clim_chunks_per_row(&queue->chunks);
    queue->row = *row;
    queue->first_slot = first_slot;
    queue->n_written = 0;
    *row = (struct sst_clim_row){0};
    if (!queue->team)
        return;
    for (size_t i = 0; i < n_chunks; ++i) {
        const struct sst_clim_chunk chunk = sst_clim_row_chunk(&queue->chunks, &queue->row, i);
        queue->batch[i] = (struct sst_deflate_chunk){chunk.values, chunk.n_values, chunk.value_bytes, 0};
    }
    sst_deflate_team_start(queue->team, queue->batch, n_chunks);
}

enum sst_status sst_clim_queue_advance(struct sst_clim_queue *queue, const struct sst_clim_store *store, bool wait,
                                       struct sst_error *err)
{
    if (sst_clim_queue_is_empty(queue))
        return SST_OK;
    for (; queue->n_written < sst_clim_chunks_per_row(&queue->chunks); ++queue->n_written) {
        const struct sst_clim_chunk chunk = sst_clim_row_chunk(&queue->chunks, &queue->row, queue->n_written);
        const size_t n_bytes = queue->team ? sst_deflate_team_take(queue->team, queue->n_written, wait)
                                           : chunk.n_values * chunk.value_bytes;
        if (n_bytes == 0)
            return SST_OK;
        SST_TRY(sst_clim_store_put(store, &chunk, queue->first_slot, n_bytes, err));
    }
    sst_clim_row_free(&queue->spare); /* none, unless rows were filled side by side */
    queue->spare = queue->row;
    queue->row = (struct sst_clim_row){0};
    return SST_OK;
}

/* Where the n-th slot that is put stands in the file. */
static size_t place_of(const struct sst_clim_spec *spec, const int *order, size_t n)
{
    size_t place = 0;
    if (!order)
        return n;
    while (place + 1 < (size_t)spec->n_slots && spec->slots[place] != order[n])
        ++place;
    return place;
}

/* The most rows at a time: those that wait for slots, and one on its way to the file while the next is filled. */
static size_t most_rows(const struct sst_clim_spec *spec, const int *order, size_t n_chunk_slots)
{
    size_t n_filled[SST_N_SLOTS] = {0}, n_open = 0, n_sent = 0, most = 0;
    const size_t n_slots = (size_t)spec->n_slots;
    for (size_t n = 0; n < n_slots; ++n) {
        const size_t row = place_of(spec, order, n) / n_chunk_slots, left = n_slots - row * n_chunk_slots;
        n_open += n_filled[row] == 0;
        const size_t n_rows = n_open + (n_sent > 0 && spec->deflate_level > 0);
        most = n_rows > most ? n_rows : most;
        if (++n_filled[row] < (left < n_chunk_slots ? left : n_chunk_slots))
            continue;
        --n_open;
        ++n_sent;
    }
    return most;
}

uint64_t sst_clim_queue_bytes(const struct sst_clim_spec *spec, const int *order)
{
    struct sst_clim_chunks chunks;
    sst_clim_chunks_of(spec, &chunks);
    const uint64_t rows = most_rows(spec, order, chunks.n_slots) * sst_clim_row_bytes(&chunks);
    return spec->deflate_level > 0 ? rows + sst_deflate_team_bytes(largest_chunk(&chunks), threads_of(spec)) : rows;
}
