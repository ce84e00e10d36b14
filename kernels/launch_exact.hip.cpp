/* Keeping fields, and percentiles of any pools of them. */
#include "body_blocked.h"
#include "body_keep.h"
#include "body_naive.h"
#include "gpu_arch.h"
#include "gpu_host.h"
#include "gpu_launch.h"

/* --- keeping ------------------------------------------------------------------------------------------------------ */

GPU_KERNEL(k_keep_threads, k_keep_blocks) k_keep(struct gpu_keep args)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t block = GPU_BLOCK_X() * k_keep_threads + t;
        if (block < args.places.n_cells / GPU_BLOCK_CELLS)
            body_keep(args, args.tasks[GPU_BLOCK_Y()], block);
    }
}

int gpu_launch_keep(const struct gpu_keep *args, void *stream)
{
    const uint32_t n_blocks = gpu_blocks_of(args->places.n_cells / GPU_BLOCK_CELLS, k_keep_threads);
    if (n_blocks == 0)
        return 0;
    return gpu_in_rows(args->n_tasks, [&](uint32_t first, uint32_t n) {
        struct gpu_keep part = *args;
        part.tasks += first;
        return GPU_LAUNCH(k_keep, n_blocks, n, k_keep_threads, 0, stream, part);
    });
}

struct fill_args {
    int16_t *codes;
    size_t n;
};

/* Codes that a thread fills, its block's threads side by side. */
enum { FILL_CODES = 64 };

GPU_KERNEL(k_fill_missing_threads, k_fill_missing_blocks) k_fill_missing(struct fill_args args)
{
    GPU_EACH_THREAD(t)
    {
        const size_t first = static_cast<size_t>(GPU_BLOCK_X()) * k_fill_missing_threads * FILL_CODES + t;
        for (size_t i = 0; i < FILL_CODES; ++i)
            if (first + i * k_fill_missing_threads < args.n)
                args.codes[first + i * k_fill_missing_threads] = GPU_MISSING;
    }
}

int gpu_launch_fill_missing(int16_t *codes, size_t n, void *stream)
{
    const struct fill_args args = {codes, n};
    const uint32_t n_blocks = gpu_blocks_of(n, k_fill_missing_threads * FILL_CODES);
    return n_blocks == 0 ? 0 : GPU_LAUNCH(k_fill_missing, n_blocks, 1, k_fill_missing_threads, 0, stream, args);
}

/* --- percentiles -------------------------------------------------------------------------------------------------- */

/* Takes as many of n pools as share the rows that fit; gives their number, and the rows. 0: the first one does not fit. */
GPU_FN uint32_t plan_pools(const struct body_blocked_args &args, struct body_blocked_fast fast,
                           const struct gpu_pool *pools, uint32_t n, uint32_t *n_rows)
{
    uint32_t n_taken = 1;
    if (pools[0].n > args.n_rows_most)
        return 0;
    GPU_EACH_THREAD(t) { body_blocked_open(fast, args.exact, pools[0], t); }
    GPU_BARRIER();
    for (*n_rows = pools[0].n; n_taken < n; ++n_taken) {
        const struct gpu_pool pool = pools[n_taken];
        GPU_EACH_THREAD(t) { body_blocked_find(fast, args.exact, pool, n_taken, *n_rows, t); }
        GPU_BARRIER();
        const uint32_t found = fast.head->found[n_taken], start = found < *n_rows ? found : *n_rows;
        if (start + pool.n > args.n_rows_most)
            break;
        GPU_EACH_THREAD(t) { body_blocked_append(fast, args.exact, pool, n_taken, start, *n_rows, t); }
        GPU_BARRIER();
        if (fast.head->differs[n_taken])
            break;
        *n_rows = start + pool.n > *n_rows ? start + pool.n : *n_rows;
    }
    return n_taken;
}

GPU_FN void finish_pools(const struct body_blocked_args &args, struct body_blocked_fast fast,
                         const struct gpu_pool *pools, uint32_t n_taken, uint32_t n_rows)
{
    GPU_EACH_THREAD(t) { body_blocked_load(fast, args.exact, n_rows, GPU_BLOCK_X(), t); }
    GPU_BARRIER();
    GPU_EACH_THREAD(t)
    {
        const uint32_t index = t / BLOCKED_CELLS, lane = t % BLOCKED_CELLS;
        const uint32_t place = GPU_BLOCK_X() * BLOCKED_CELLS + lane;
        if (index < n_taken && place < args.exact.places.n_cells) {
            const uint32_t start = fast.head->start[index];
            const uint32_t row = start < n_rows ? start : 0; /* an empty pool has none */
            const struct body_blocked_rows values = {fast.values + row * BLOCKED_CELLS + lane};
            body_blocked_finish(args, pools[index], values, place);
        }
    }
    GPU_BARRIER();
}

/* Pools that do not fit are read from their planes. */
GPU_FN void finish_planes(const struct body_blocked_args &args, const struct gpu_pool *pools, uint32_t n)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t index = t / BLOCKED_CELLS, place = GPU_BLOCK_X() * BLOCKED_CELLS + t % BLOCKED_CELLS;
        if (index < n && place < args.exact.places.n_cells) {
            const struct body_blocked_planes values = {
                args.exact.planes + place, args.exact.members + pools[index].first, args.exact.places.pitch};
            body_blocked_finish(args, pools[index], values, place);
        }
    }
}

GPU_KERNEL(k_blocked_threads, k_blocked_blocks) k_blocked(struct body_blocked_args args)
{
    GPU_FAST(unsigned char, fast_memory);
    const struct body_blocked_fast fast = body_blocked_fast_of(fast_memory, args.n_rows_most);
    const uint32_t begin = GPU_BLOCK_Y() * BLOCKED_POOLS, left = args.exact.n_pools - begin;
    const uint32_t end = begin + (left < BLOCKED_POOLS ? left : static_cast<uint32_t>(BLOCKED_POOLS));
    for (uint32_t first = begin; first < end;) {
        const struct gpu_pool *pools = args.exact.pools + first;
        uint32_t n_rows = 0;
        const uint32_t n_taken = plan_pools(args, fast, pools, end - first, &n_rows);
        if (n_taken == 0) {
            finish_planes(args, pools, end - first);
            return;
        }
        finish_pools(args, fast, pools, n_taken, n_rows);
        first += n_taken;
    }
}

/*
 * Rows that fast memory is to hold: 10 pools of 11 days take 20 days, those of fewer days a few more for each pool. More room
 * than that only keeps other blocks out.
 */
static uint32_t rows_of(uint32_t n_most, size_t most_fast_bytes)
{
    const uint32_t wanted = (n_most + (n_most * 10 / 11 > 300 ? n_most * 10 / 11 : 300) + 3) / 4 * 4;
    const size_t head_bytes = body_blocked_bytes(0), row_bytes = body_blocked_bytes(1) - head_bytes;
    const uint32_t most =
        most_fast_bytes > head_bytes ? static_cast<uint32_t>((most_fast_bytes - head_bytes) / row_bytes) : 0;
    return wanted < most ? wanted : most / 4 * 4;
}

int gpu_launch_exact_blocked(const struct gpu_exact *exact, void *stream)
{
    struct body_blocked_args args;
    size_t most_fast_bytes = 0;
    const uint32_t n_tiles = gpu_blocks_of(exact->places.n_cells, BLOCKED_CELLS);
    if (n_tiles == 0 || exact->n_pools == 0)
        return 0;
    int code = gpu_most_fast_bytes(&most_fast_bytes);
    args.exact = *exact;
    args.lattice = cell_exact_lattice_of(exact->lattice.steps_per_degree, exact->lattice.reference_steps);
    args.n_rows_most = rows_of(exact->ranks.n_most, most_fast_bytes);
    const size_t fast_bytes = body_blocked_bytes(args.n_rows_most);
    if (code == 0)
        code = gpu_allow_fast(k_blocked, fast_bytes);
    if (code != 0)
        return code;
    return gpu_in_rows(gpu_blocks_of(exact->n_pools, BLOCKED_POOLS), [&](uint32_t first, uint32_t n) {
        args.exact.pools = exact->pools + static_cast<size_t>(first) * BLOCKED_POOLS;
        args.exact.n_pools = exact->n_pools - first * BLOCKED_POOLS;
        return GPU_LAUNCH(k_blocked, n_tiles, n, k_blocked_threads, fast_bytes, stream, args);
    });
}

GPU_KERNEL(k_naive_threads, k_naive_blocks) k_naive(struct body_blocked_args args)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() * k_naive_threads + t;
        if (place < args.exact.places.n_cells)
            body_naive_pool(&args.exact, args.lattice, args.exact.pools[GPU_BLOCK_Y()], place);
    }
}

int gpu_launch_exact_naive(const struct gpu_exact *exact, void *stream)
{
    struct body_blocked_args args;
    const uint32_t n_blocks = gpu_blocks_of(exact->places.n_cells, k_naive_threads);
    if (exact->ranks.n_most > BODY_NAIVE_MOST)
        return GPU_BAD_ARGUMENT;
    if (n_blocks == 0)
        return 0;
    args.exact = *exact;
    args.lattice = cell_exact_lattice_of(exact->lattice.steps_per_degree, exact->lattice.reference_steps);
    args.n_rows_most = 0;
    return gpu_in_rows(exact->n_pools, [&](uint32_t first, uint32_t n) {
        args.exact.pools = exact->pools + first;
        return GPU_LAUNCH(k_naive, n_blocks, n, k_naive_threads, 0, stream, args);
    });
}

int gpu_kernels_exact(const struct gpu_kernel_info **out)
{
    static struct gpu_kernel_info list[5];
    int code = gpu_tell(&list[0], "k_keep", k_keep, k_keep_threads);
    if (code == 0)
        code = gpu_tell(&list[1], "k_fill_missing", k_fill_missing, k_fill_missing_threads);
    if (code == 0)
        code = gpu_tell(&list[2], "k_blocked", k_blocked, k_blocked_threads);
    if (code == 0)
        code = gpu_tell(&list[3], "k_naive", k_naive, k_naive_threads);
    *out = list;
    return code;
}
