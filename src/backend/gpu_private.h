/*
 * What a run on devices is made of, for the files gpu_*.c alone.
 *
 *   struct sst_gpu ──▶ bins: what the host knows of them; group: the pools that are computed
 *                  └─▶ shares, one a device: arena, staging, streams, results
 *
 *   stream copy_in      [ fields of batch 0 ][ fields of batch 1 ] ...
 *   streams add[bin % 2]        [ batch 0 ▶ bin ][ batch 1 ▶ bin ] ...              waits for the copy of its own batch
 *   stream compute                    [ chunk 0 of pools ][ chunk 1 ] ...           waits for what was added before
 *   stream copy_out                              [ pool 0 ][ pool 1 ] ...           waits for its chunk
 */
#ifndef SST_BACKEND_GPU_PRIVATE_H
#define SST_BACKEND_GPU_PRIVATE_H

#include "backend/gpu.h"
#include "backend/gpu_program.h"
#include "kernels/cell_maxent.h"

enum {
    SST_GPU_ADD_STREAMS = 2, /* two, so that a kernel begins while another ends; all copies go by copy_in */
    SST_GPU_BATCHES = 2, /* staging areas of an add stream: one is filled while the other is added */
    /*
     * Places of a stripe: so few that each device has its share of a small sea, and whole pages of every plane.
     * A multiple of GPU_PITCH_CELLS.
     */
    SST_GPU_STRIPE = 4096,
    SST_GPU_STRIPE_BLOCKS = SST_GPU_STRIPE / GPU_BLOCK_CELLS,
    /*
     * Pools of a chunk, which is a launch. Each launch enters its window anew, so that of 20 pools of an 11-day window 30
     * days are read and not 20: less than a tenth of the time that copying their results to the host takes.
     */
    SST_GPU_CHUNK = 20,
    SST_GPU_CHUNK_BUFFERS = 2, /* results of a chunk are copied out while the next one is computed */
    SST_GPU_TABLE_ITEMS = CELL_MAXENT_N_SKEW * CELL_MAXENT_N_U
};

/* A staging area and what last went through it. */
struct sst_gpu_batch {
    int16_t *codes, *hundredths; /* fields of the device: both where both are wanted and differ */
    void *tasks; /* of the device: SST_MAX_BATCH of any kind */
    void *host_tasks; /* page-locked */
    void *copy_begin, *copied, *add_begin, *added; /* events */
    bool is_used;
};

struct sst_gpu_chunk {
    void *begin, *computed, *copy_begin; /* events */
};

/* What one device has of a run. Pointers are of its memory unless they are named host_. */
struct sst_gpu_share {
    const struct sst_gpu_device *device;
    const struct gpu_api *api;
    size_t index, n_shares;

    void *arena, *locked; /* all memory of the device, and all page-locked memory of the host */
    uint32_t *block_at, *host_block_at;
    size_t n_given; /* blocks that block_at has */
    struct gpu_places places;
    struct gpu_moments_store moments;
    struct gpu_tail_store tail;
    int16_t *planes; /* SST_GPU_EXACT */

    size_t n_staged, stride; /* fields of a batch at most, and from one to the next */
    struct sst_gpu_batch batches[SST_GPU_ADD_STREAMS][SST_GPU_BATCHES];
    size_t next_batch[SST_GPU_ADD_STREAMS];
    void *last_added[SST_GPU_ADD_STREAMS]; /* event of the last batch; NULL: none yet */
    void *last_copied; /* event; NULL: none yet */

    struct gpu_fit fit; /* SST_GPU_MOMENTS */
    float *tables; /* GPU_FIT_MAXENT: of each percentile, then v_limit */
    unsigned char *program, *host_program;
    void *scratch; /* of sorted forms */
    size_t n_scratch_bytes;
    struct gpu_results results[SST_GPU_CHUNK_BUFFERS], host_results; /* of a chunk, of the group */
    void **pool_copied; /* events: by pool */
    struct sst_gpu_chunk *chunks;

    void *copy_in, *add[SST_GPU_ADD_STREAMS], *compute, *copy_out; /* streams */
    struct sst_gpu_times times; /* of what is known to be done */
};

struct sst_gpu_bin {
    size_t n_fields; /* 0: empty, whatever the device holds */
    size_t reader; /* chunk of the group that computes with it, from 1; 0: none */
    uint32_t *planes; /* SST_GPU_EXACT: n_kept_bin, of which n_fields are in use */
};

/* A list in what a group's kernels are told. */
struct sst_gpu_list {
    size_t at, n; /* [bytes] from the beginning, items */
};

/* What the kernels of a chunk are told. */
struct sst_gpu_told {
    struct sst_gpu_list steps; /* SST_GPU_MOMENTS */
    struct sst_gpu_list members, pools, min_samples; /* the others */
    struct sst_gpu_exact_program exact; /* SST_GPU_EXACT: the host's own lists, and launches */
    uint32_t n_most_members; /* SST_GPU_TAIL */
};

struct sst_gpu {
    struct sst_gpu_setup setup;
    struct sst_gpu_share shares[SST_MAX_DEVICES];
    size_t n_shares;

    struct sst_gpu_bin *bins;
    uint32_t *bin_planes; /* of all bins */
    uint32_t *free_planes; /* SST_GPU_EXACT */
    size_t n_free_planes;
    size_t *plane_reader; /* as a bin's */
    uint8_t *plane_writer; /* add stream, from 1, that wrote to it and that no chunk has waited for; 0: none */

    size_t n_pools, group_places; /* of the group */
    size_t n_chunk; /* pools of a chunk of the group; the last may have fewer */
    uint32_t n_ring; /* bins that every device can remember */
    struct sst_gpu_planes *kept_planes; /* SST_GPU_EXACT: by bin */
    size_t *live_bins; /* bins of the group's pools that are not empty */
    struct sst_gpu_pool *live_pools;
    unsigned char *program; /* what the group's kernels are told, as it is copied to each device */
    size_t n_program_bytes;
    struct sst_gpu_list ranks; /* n: of 0 .. n values, by percentile */
    struct sst_gpu_told *told; /* by chunk */
};

/* Arrays and lists begin at multiples of this, as whole rows of memory do. [bytes] */
enum { SST_GPU_ALIGNMENT = 256 };

static inline size_t sst_gpu_round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

/* --- gpu_layout.c ------------------------------------------------------------------------------------------------- */

/* The first places 0 .. n - 1 of a run: how many of them are of a share. n is a multiple of GPU_BLOCK_CELLS. */
size_t sst_gpu_share_places(const struct sst_gpu_share *share, size_t n);

/* The block of the run that is block `local` of a share. */
size_t sst_gpu_share_block(const struct sst_gpu_share *share, size_t local);

/* Points a share's arrays into its arena and its page-locked memory, which may both be NULL: then bytes are counted. */
struct sst_gpu_bytes sst_gpu_share_lay(struct sst_gpu_share *share, const struct sst_gpu_setup *setup);

size_t sst_gpu_n_percentiles(const struct sst_gpu_setup *setup);

/* Pools of a chunk, and chunks of a group, at most. */
size_t sst_gpu_chunk_pools(const struct sst_gpu_setup *setup);
size_t sst_gpu_most_chunks(const struct sst_gpu_setup *setup);

/* --- gpu_add.c ---------------------------------------------------------------------------------------------------- */

/* Sees to it that a share knows all places that there are. Errors: SST_ERR_DEVICE, SST_ERR_INTERNAL: more than were told. */
SST_MUST_CHECK enum sst_status sst_gpu_share_grow(struct sst_gpu_share *share, const struct sst_cells *cells,
                                                  struct sst_error *err);

/* --- gpu_group.c -------------------------------------------------------------------------------------------------- */

/* Bytes that what a group's kernels are told takes, at most. */
size_t sst_gpu_most_program(const struct sst_gpu_setup *setup);

/* Scratch that the sorted forms take which such a run may use. [bytes] */
size_t sst_gpu_most_scratch(const struct sst_gpu_setup *setup, size_t n_places);

/* Makes what the kernels of all chunks of a group are told. Errors: SST_ERR_NOMEM, SST_ERR_INTERNAL: a pool too large. */
SST_MUST_CHECK enum sst_status sst_gpu_make_program(struct sst_gpu *gpu, const struct sst_gpu_pool *pools,
                                                    size_t n_pools, struct sst_error *err);

/* Launches the kernels of a chunk, whose results are numbered from 0. Errors: SST_ERR_DEVICE. */
SST_MUST_CHECK enum sst_status sst_gpu_launch(struct sst_gpu *gpu, struct sst_gpu_share *share, size_t chunk,
                                              const struct gpu_results *results, struct sst_error *err);

/* A call of the runtime, returning from the function where it failed. `what` says what was done. */
#define SST_GPU_TRY(share, what, call) SST_TRY(sst_gpu_check((share)->device, (share)->api->call, what, err))

#endif
