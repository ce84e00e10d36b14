/*
 * What lies on a device, and what its kernels are told: plain structs, the same for the host's C and for device compilers.
 * Pointers are of device memory unless a comment says otherwise.
 *
 *   field    [ cell 0 | cell 1 | ...           | padding of missing ]     domain order, as the host gives it: `stride` codes
 *   places   [ block | block | ...             | not given yet      ]     8 cells a block, taken from the domain's block_at[]
 *   plane    [ place 0 | place 1 | ... n_cells | nothing            ]     `pitch` items: rows begin at multiples of 256 bytes
 *   store    [ plane of bin 0 | plane of bin 1 | ...                ]     item i of bin b stands at b * pitch + i
 *
 * Beyond n_cells every plane holds "nothing" at all times (sums 0, codes missing), from the start of the arena on: kernels
 * write n_cells places only, and n_cells only grows. So a plane needs no touch when cells turn valid later.
 */
#ifndef SST_KERNELS_GPU_ARGS_H
#define SST_KERNELS_GPU_ARGS_H

#include "cell_quantile.h"
#include "portable.h"

enum {
    GPU_BLOCK_CELLS = 8, /* as SST_CELLS_WIDTH */
    GPU_PITCH_CELLS = 128, /* pitch is a multiple: 256 bytes of the narrowest plane */
    GPU_MAX_PERCENTILES = 8
};
#define GPU_NO_BLOCK UINT32_MAX /* a place that is not given yet: its values are missing */
#define GPU_MISSING INT16_MIN

/* The places that one device computes. */
struct gpu_places {
    const uint32_t *block_at; /* n_cells / GPU_BLOCK_CELLS: the domain's block, or GPU_NO_BLOCK */
    uint32_t n_cells; /* in use, a multiple of GPU_BLOCK_CELLS */
    uint32_t pitch; /* >= n_cells, a multiple of GPU_PITCH_CELLS */
};

/* Fields in device memory, n of `stride` codes: whole blocks, missing behind the domain's end. */
struct gpu_fields {
    const int16_t *codes;
    size_t stride; /* a multiple of GPU_PITCH_CELLS */
};

/* Fields first .. first + n - 1 are added to a bin; a new bin's former content does not count. */
struct gpu_add_task {
    uint32_t bin, first, n, is_new;
};

/* --- moments ------------------------------------------------------------------------------------------------------ */

struct gpu_moments_store {
    uint16_t *n;
    int32_t *s1; /* [0.01 degC] */
    int64_t *s2, *s3, *s4;
};

/* One task is the single-field or batched update; many tasks are many bins in one launch, each bin in one of them. */
struct gpu_moments_add {
    struct gpu_places places;
    struct gpu_moments_store store;
    struct gpu_fields fields; /* hundredths */
    const struct gpu_add_task *tasks;
    uint32_t n_tasks;
};

/*
 * A window's way through pools, the same for every cell: bins enter and leave, and what is in the window is finished.
 *
 * ring   where an entering bin's values are remembered in fast memory until it leaves; -1: read once more when it leaves.
 */
enum gpu_window_kind { GPU_WINDOW_ENTER, GPU_WINDOW_LEAVE, GPU_WINDOW_FINISH };

struct gpu_window_step {
    int32_t kind;
    int32_t bin; /* ENTER, LEAVE */
    int32_t ring; /* ENTER, LEAVE: 0 .. n_ring - 1, or -1 */
    int32_t result; /* FINISH: index of the result */
    int32_t min_samples; /* FINISH: fewer values give NaN */
};

enum gpu_fit_kind { GPU_FIT_CF, GPU_FIT_MAXENT };

struct gpu_fit {
    int32_t kind, n_percentiles;
    double z[GPU_MAX_PERCENTILES]; /* GPU_FIT_CF */
    const float *table[GPU_MAX_PERCENTILES]; /* GPU_FIT_MAXENT: see cell_maxent.h */
    const float *v_limit; /* GPU_FIT_MAXENT */
};

/* Results, in places: item i of result r stands at r * pitch + i. NULL where not wanted. NaN: too few values. */
struct gpu_results {
    double *mean; /* [degC] */
    double *quantile[GPU_MAX_PERCENTILES]; /* [degC] */
    double *bound[GPU_MAX_PERCENTILES]; /* [degC] of tail */
    uint16_t *n_obs;
    uint8_t *mark; /* moments: 1 where the estimate is near the moment boundary; tail: 1 where one is not certified */
    float *sd, *skew, *kurt; /* moments */
};

/* Where the ring is. A form that cannot hold n_ring bins gives way, to reread in the end; to choose is what programs do. */
enum gpu_window_form { GPU_WINDOW_CHOOSE, GPU_WINDOW_FAST, GPU_WINDOW_REGISTERS, GPU_WINDOW_REREAD };

struct gpu_window {
    struct gpu_places places;
    struct gpu_moments_store store;
    const struct gpu_window_step *steps;
    uint32_t n_steps, n_ring;
    int32_t form; /* enum gpu_window_form; for benches and tests */
    struct gpu_fit fit;
    struct gpu_results results;
};

/* --- exact -------------------------------------------------------------------------------------------------------- */

/* Field `field` is written to plane `plane` of the kept codes, in places. */
struct gpu_keep_task {
    uint32_t field, plane;
};

struct gpu_keep {
    struct gpu_places places;
    int16_t *planes;
    struct gpu_fields fields; /* codes */
    const struct gpu_keep_task *tasks;
    uint32_t n_tasks;
};

struct gpu_lattice {
    double steps_per_degree, reference_steps;
};

/* Ranks by percentile and number of values: ranks[q * (n_most + 1) + n], n = 0 unused. Made by cell_rank_of. */
struct gpu_ranks {
    const struct cell_rank *ranks;
    uint32_t n_most;
    int32_t n_percentiles;
};

/* A pool: members first .. first + n - 1 of a list of planes (exact) or bins (tail). */
struct gpu_pool {
    uint32_t first, n;
    int32_t min_samples; /* fewer values: NaN */
    int32_t result;
};

/* Any pools. Neighbours in the list share most of their members, in the same order: that is what makes it fast. */
struct gpu_exact {
    struct gpu_places places;
    const int16_t *planes;
    const uint32_t *members;
    const struct gpu_pool *pools;
    uint32_t n_pools;
    struct gpu_lattice lattice;
    struct gpu_ranks ranks;
    struct gpu_results results;
};

/*
 * Pools that slide: day d has planes members[d * n_members] .. + n_members - 1 (GPU_NO_BLOCK: no such plane), and pool i is
 * days i .. i + n_window - 1, for i = 0 .. n_days - n_window; its result is first_result + i. Percentiles are of one end:
 * `depth` greatest (or with from_below least) values hold every order statistic that is asked for, whatever is missing.
 */
struct gpu_sorted {
    struct gpu_places places;
    const int16_t *planes;
    const uint32_t *members;
    uint32_t n_days, n_members, n_window, depth, from_below;
    int32_t first_result;
    const int32_t *min_samples; /* by pool */
    struct gpu_lattice lattice;
    struct gpu_ranks ranks;
    struct gpu_results results; /* mean and n_obs by one launch of several are enough; NULL in the others */
    uint32_t first_percentile; /* results.quantile[] to be written: from here on, ranks.n_percentiles of them */
    void *scratch; /* where lists do not fit in fast memory; see launch table; else NULL */
};

/* --- tail --------------------------------------------------------------------------------------------------------- */

/* A list of length k is k planes, the greatest first: item (list position j, place i) of bin b at (b * k + j) * pitch + i. */
struct gpu_tail_store {
    uint16_t *n;
    int32_t *s1; /* [0.01 degC] */
    int16_t *top; /* codes */
    int16_t *bottom; /* negated codes */
    uint32_t k_top, k_bottom; /* 0: no such list */
};

struct gpu_tail_add {
    struct gpu_places places;
    struct gpu_tail_store store;
    struct gpu_fields codes, hundredths; /* may be the same */
    const struct gpu_add_task *tasks;
    uint32_t n_tasks;
};

struct gpu_tail {
    struct gpu_places places;
    struct gpu_tail_store store;
    const uint32_t *members;
    const struct gpu_pool *pools;
    uint32_t n_pools;
    uint32_t
        n_most_members; /* bins of the longest pool, so that lists may lie in fast memory; 0: not told, they do not */
    struct gpu_lattice lattice;
    struct gpu_ranks ranks;
    uint8_t is_low[GPU_MAX_PERCENTILES]; /* percentiles that the bottom list tells */
    struct gpu_results results;
};

#endif
