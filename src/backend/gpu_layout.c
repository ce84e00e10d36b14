/* How the memory of a device is laid out, and which places of a run it has. */
#include "backend/gpu_private.h"

/* Staging of a batch is no larger, unless one field is. [bytes] */
#define MOST_STAGED_BYTES ((size_t)64 << 20)

/* --- places ------------------------------------------------------------------------------------------------------- */

size_t sst_gpu_share_places(const struct sst_gpu_share *share, size_t n)
{
    const size_t n_whole = n / SST_GPU_STRIPE, n_rounds = n_whole / share->n_shares;
    const size_t n_last = n_whole % share->n_shares, rest = n % SST_GPU_STRIPE;
    return (n_rounds + (share->index < n_last)) * SST_GPU_STRIPE + (share->index == n_last ? rest : 0);
}

size_t sst_gpu_share_block(const struct sst_gpu_share *share, size_t local)
{
    const size_t stripe = local / SST_GPU_STRIPE_BLOCKS * share->n_shares + share->index;
    return stripe * SST_GPU_STRIPE_BLOCKS + local % SST_GPU_STRIPE_BLOCKS;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Memory that is dealt out from its beginning; where there is none, it is counted. */
struct deal {
    unsigned char *memory;
    size_t n_bytes;
};

static void *deal_out(struct deal *deal, size_t count, size_t size)
{
    void *at = deal->memory && count > 0 ? deal->memory + deal->n_bytes : NULL;
    deal->n_bytes += sst_gpu_round_up(count * size, SST_GPU_ALIGNMENT);
    return at;
}

size_t sst_gpu_chunk_pools(const struct sst_gpu_setup *setup)
{
    return setup->n_results < SST_GPU_CHUNK ? setup->n_results : SST_GPU_CHUNK;
}

size_t sst_gpu_most_chunks(const struct sst_gpu_setup *setup)
{
    return (setup->n_results + SST_GPU_CHUNK - 1) / SST_GPU_CHUNK;
}

size_t sst_gpu_n_percentiles(const struct sst_gpu_setup *setup)
{
    return setup->store == SST_GPU_MOMENTS ? setup->fit->n_percentiles : setup->args->n_percentiles;
}

static void lay_store(struct deal *deal, struct sst_gpu_share *share, const struct sst_gpu_setup *setup)
{
    const size_t n_items = setup->n_bins * share->places.pitch;
    if (setup->store == SST_GPU_MOMENTS) {
        share->moments.n = deal_out(deal, n_items, sizeof *share->moments.n);
        share->moments.s1 = deal_out(deal, n_items, sizeof *share->moments.s1);
        share->moments.s2 = deal_out(deal, n_items, sizeof *share->moments.s2);
        share->moments.s3 = deal_out(deal, n_items, sizeof *share->moments.s3);
        share->moments.s4 = deal_out(deal, n_items, sizeof *share->moments.s4);
    } else if (setup->store == SST_GPU_TAIL) {
        share->tail.k_top = (uint32_t)setup->k_top;
        share->tail.k_bottom = (uint32_t)setup->k_bottom;
        share->tail.n = deal_out(deal, n_items, sizeof *share->tail.n);
        share->tail.s1 = deal_out(deal, n_items, sizeof *share->tail.s1);
        share->tail.top = deal_out(deal, n_items * setup->k_top, sizeof *share->tail.top);
        share->tail.bottom = deal_out(deal, n_items * setup->k_bottom, sizeof *share->tail.bottom);
    } else {
        share->planes = deal_out(deal, setup->n_kept * share->places.pitch, sizeof *share->planes);
    }
}

/* On the CENTI lattice codes are hundredths. */
static bool is_centi(struct sst_lattice lattice)
{
    const struct sst_lattice centi = sst_lattice_of(SST_LATTICE_CENTI);
    return lattice.steps_per_degree == centi.steps_per_degree && lattice.reference_steps == centi.reference_steps;
}

static void lay_batches(struct deal *arena, struct deal *locked, struct sst_gpu_share *share,
                        const struct sst_gpu_setup *setup)
{
    const size_t n_codes = share->n_staged * share->stride;
    const bool has_both = setup->store == SST_GPU_TAIL && !is_centi(setup->args->lattice);
    for (size_t stream = 0; stream < SST_GPU_ADD_STREAMS; ++stream)
        for (size_t i = 0; i < SST_GPU_BATCHES; ++i) {
            struct sst_gpu_batch *batch = &share->batches[stream][i];
            batch->codes = deal_out(arena, n_codes, sizeof *batch->codes);
            batch->hundredths = has_both ? deal_out(arena, n_codes, sizeof *batch->hundredths) : batch->codes;
            batch->tasks = deal_out(arena, SST_MAX_BATCH, sizeof(struct gpu_add_task));
            batch->host_tasks = deal_out(locked, SST_MAX_BATCH, sizeof(struct gpu_add_task));
        }
}

static void lay_results(struct deal *deal, struct gpu_results *out, const struct sst_gpu_setup *setup, size_t n_items)
{
    const bool is_moments = setup->store == SST_GPU_MOMENTS, is_tail = setup->store == SST_GPU_TAIL;
    const size_t n_shape = is_moments && setup->wants_shape ? n_items : 0;
    *out = (struct gpu_results){.mean = deal_out(deal, n_items, sizeof *out->mean)};
    for (size_t q = 0; q < sst_gpu_n_percentiles(setup); ++q) {
        out->quantile[q] = deal_out(deal, n_items, sizeof *out->quantile[q]);
        out->bound[q] = deal_out(deal, is_tail ? n_items : 0, sizeof *out->bound[q]);
    }
    out->n_obs = deal_out(deal, n_items, sizeof *out->n_obs);
    out->mark = deal_out(deal, is_tail || (is_moments && setup->wants_marks) ? n_items : 0, sizeof *out->mark);
    out->sd = deal_out(deal, n_shape, sizeof *out->sd);
    out->skew = deal_out(deal, n_shape, sizeof *out->skew);
    out->kurt = deal_out(deal, n_shape, sizeof *out->kurt);
}

static void lay_tables(struct deal *deal, struct sst_gpu_share *share, const struct sst_gpu_setup *setup)
{
    const size_t n = sst_gpu_n_percentiles(setup);
    if (setup->store == SST_GPU_MOMENTS && setup->fit->kind == SST_FIT_MAXENT)
        share->tables = deal_out(deal, SST_GPU_TABLE_ITEMS * n + CELL_MAXENT_N_SKEW, sizeof *share->tables);
}

struct sst_gpu_bytes sst_gpu_share_lay(struct sst_gpu_share *share, const struct sst_gpu_setup *setup)
{
    struct deal arena = {share->arena, 0}, locked = {share->locked, 0};
    const size_t n_cells = sst_gpu_round_up(sst_gpu_share_places(share, setup->n_most_places), GPU_PITCH_CELLS);
    const size_t n_blocks = n_cells / GPU_BLOCK_CELLS, n_chunk = sst_gpu_chunk_pools(setup);
    share->places.pitch = (uint32_t)n_cells;
    share->stride = sst_gpu_round_up(setup->cells->n_domain, GPU_PITCH_CELLS);
    share->n_staged = MOST_STAGED_BYTES / (share->stride * sizeof(int16_t) + 1);
    share->n_staged = share->n_staged < 1 ? 1 : share->n_staged < SST_MAX_BATCH ? share->n_staged : SST_MAX_BATCH;
    share->block_at = deal_out(&arena, n_blocks, sizeof *share->block_at);
    share->host_block_at = deal_out(&locked, n_blocks, sizeof *share->host_block_at);
    share->places.block_at = share->block_at;
    lay_store(&arena, share, setup);
    lay_batches(&arena, &locked, share, setup);
    lay_tables(&arena, share, setup);
    share->program = deal_out(&arena, sst_gpu_most_program(setup), 1);
    share->host_program = deal_out(&locked, sst_gpu_most_program(setup), 1);
    for (size_t i = 0; i < SST_GPU_CHUNK_BUFFERS; ++i)
        lay_results(&arena, &share->results[i], setup, n_chunk * n_cells);
    lay_results(&locked, &share->host_results, setup, setup->n_results * n_cells);
    share->n_scratch_bytes = sst_gpu_most_scratch(setup, n_cells);
    share->scratch = deal_out(&arena, share->n_scratch_bytes, 1);
    return (struct sst_gpu_bytes){arena.n_bytes, locked.n_bytes};
}

struct sst_gpu_bytes sst_gpu_bytes(const struct sst_gpu_setup *setup, size_t n_devices)
{
    struct sst_gpu_bytes bytes = {0, 0};
    if (setup->n_most_places > INT32_MAX) /* indices have 32 bits: see sst_gpu_open */
        return (struct sst_gpu_bytes){UINT64_MAX, 0};
    for (size_t i = 0; i < n_devices; ++i) {
        struct sst_gpu_share share = {.index = i, .n_shares = n_devices};
        const struct sst_gpu_bytes own = sst_gpu_share_lay(&share, setup);
        bytes.device = own.device > bytes.device ? own.device : bytes.device;
        bytes.host += own.host;
    }
    return bytes;
}
