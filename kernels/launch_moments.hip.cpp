/*
 * Moments on a device: fields are added to bins, and a window passes over bins. One thread is one place.
 *
 * What a window waits for is memory, so the next two bins that it needs are on their way while percentiles of the one
 * before are worked out. Its bins are remembered until they leave, by one of three forms:
 *
 *   fast        in shared memory, where there are 200 KB of it: as many as fit beside enough threads
 *   registers   where there are 64 KB of LDS, and 256 registers a thread
 *   reread      nowhere: a bin is read again when it leaves
 */
#include "body_bins.h"
#include "cell_shape.h"
#include "gpu_arch.h"
#include "gpu_host.h"
#include "gpu_launch.h"
#include "gpu_ring.h"

/* --- add ---------------------------------------------------------------------------------------------------------- */

constexpr int UNROLL = 10; /* loads on their way at a time. Measured: see gpu_arch.h */

/*
 * 16 blocks with rings of 6 bins take 196 KiB, which leaves a multiprocessor 60 of cache. Measured: 1.80 ms, where 1024 threads
 * with 7 bins take 1.92, 896 with 8 1.94, 704 with 10 2.13, and reading all bins again 1.99. What is beyond is read again.
 */
constexpr size_t MOST_FAST_RING = 6;

/* 64 KB of LDS hold three waves of 11 bins: too few to hide anything. */
#if defined(GPU_IS_HIP)
constexpr bool PREFERS_REGISTERS = true;
#else
constexpr bool PREFERS_REGISTERS = false;
#endif

/* Adds N fields or, of the last ones, as many as there are; all loads come before the first use. */
template <int N> GPU_FN void take_fields(struct cell_moments *sums, const int16_t *codes, size_t stride, uint32_t n)
{
    int32_t values[N];
    uint32_t squares = 0;
    GPU_UNROLL
    for (int i = 0; i < N; ++i)
        values[i] = static_cast<uint32_t>(i) < n ? codes[static_cast<size_t>(i) * stride] : GPU_MISSING;
    GPU_UNROLL
    for (int i = 0; i < N; ++i)
        body_bin_take(sums, &squares, values[i]);
    sums->s2 += squares;
}

GPU_FN struct cell_moments sum_of_fields(const struct gpu_fields &fields, const struct gpu_add_task &task, size_t cell)
{
    struct cell_moments sums = {};
    const int16_t *codes = fields.codes + task.first * fields.stride + cell;
    uint32_t left = task.n;
    for (; left >= UNROLL; left -= UNROLL, codes += UNROLL * fields.stride)
        take_fields<UNROLL>(&sums, codes, fields.stride, UNROLL);
    if (left == 1)
        take_fields<1>(&sums, codes, fields.stride, 1);
    else if (left > 0)
        take_fields<UNROLL>(&sums, codes, fields.stride, left);
    return sums;
}

GPU_FN void add_place(const struct gpu_moments_add &a, const struct gpu_add_task &task, uint32_t place)
{
    const uint32_t block = a.places.block_at[place / GPU_BLOCK_CELLS];
    const size_t at = static_cast<size_t>(task.bin) * a.places.pitch + place;
    struct cell_moments sums = {};
    if (block != GPU_NO_BLOCK)
        sums = sum_of_fields(a.fields, task, body_cell_of(block, place));
    if (!task.is_new)
        sums = body_bin_sum(body_bin_load(a.store, at), sums);
    body_bin_store(a.store, at, sums);
}

GPU_KERNEL(k_moments_add_threads, k_moments_add_blocks) k_moments_add(struct gpu_moments_add a)
{
    const struct gpu_add_task task = a.tasks[GPU_BLOCK_Y()];
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() * k_moments_add_threads + t;
        if (place < a.places.n_cells)
            add_place(a, task, place);
    }
}

/* --- window ------------------------------------------------------------------------------------------------------- */

/* The fit, and whether results are those that are mostly wanted: mean, number, mark and one percentile, and no more. */
template <bool MAXENT, bool PLAIN> struct wanted {
    static constexpr bool IS_MAXENT = MAXENT, IS_PLAIN = PLAIN;
};

/* What the launcher adds: what percentiles have in common for all cells. */
struct window_work : gpu_window {
    struct cell_cf_terms terms[GPU_MAX_PERCENTILES];
};

/* Whether a step's bin is read from memory. */
template <typename Ring> GPU_FN bool reads_memory(int32_t kind, int32_t index)
{
    return kind == GPU_WINDOW_ENTER || (kind == GPU_WINDOW_LEAVE && (!Ring::REMEMBERS || index < 0));
}

/* A bin on its way from memory, and what it is for. */
struct coming {
    struct cell_moments bin;
    int32_t kind, ring;
};

/* What a place goes through: its steps, and how far ahead bins have been sent for. */
struct passage {
    uint32_t place, step, ahead;
    struct cell_moments sums;
};

/*
 * Begins to read the next bin that is not on its way yet; behind the last any bin, so that there is no branch after which
 * registers that wait for memory would have to be joined with others.
 */
template <typename Ring> GPU_FN void fetch(const struct window_work &a, struct passage &way, struct coming &next)
{
    uint32_t index = 0;
    for (bool is_found = false; way.ahead < a.n_steps && !is_found; ++way.ahead) {
        const struct gpu_window_step *step = a.steps + way.ahead;
        next.kind = GPU_READ(&step->kind);
        next.ring = GPU_READ(&step->ring);
        is_found = reads_memory<Ring>(next.kind, next.ring);
        if (is_found)
            index = static_cast<uint32_t>(GPU_READ(&step->bin));
    }
    next.bin = load_bin(a.store, static_cast<size_t>(index) * a.places.pitch + way.place,
                        next.kind == GPU_WINDOW_ENTER && (!Ring::REMEMBERS || next.ring < 0));
}

template <typename Wanted>
GPU_FN void finish(const struct window_work &a, size_t at, int32_t min_samples, struct cell_moments sums)
{
    const int32_t n = Wanted::IS_PLAIN ? 1 : a.fit.n_percentiles;
    if (Wanted::IS_PLAIN)
        GPU_ASSUME(a.results.n_obs && a.results.mean && a.results.mark && !a.results.sd);
    sums.n = static_cast<uint16_t>(sums.n);
    if (a.results.n_obs)
        BODY_PUT(a.results.n_obs + at, static_cast<uint16_t>(sums.n));
    if (sums.n == 0 || static_cast<int32_t>(sums.n) < min_samples) {
        body_window_nothing(n, &a.results, at);
        return;
    }
    const struct cell_shape shape = cell_shape_of(sums);
    const int is_guarded = Wanted::IS_MAXENT ? body_window_maxent(n, &a.fit, &a.results, at, shape)
                                             : body_window_cf(n, a.terms, &a.results, at, shape);
    body_window_shape(&a.results, at, shape, is_guarded);
}

/* Steps up to the next that reads memory. */
template <typename Wanted, typename Ring>
GPU_FN void pass_quietly(const struct window_work &a, struct passage &way, const Ring &ring)
{
    for (; way.step < a.n_steps; ++way.step) {
        const struct gpu_window_step *step = a.steps + way.step;
        const int32_t kind = GPU_READ(&step->kind), index = GPU_READ(&step->ring);
        if (reads_memory<Ring>(kind, index))
            return;
        if (kind == GPU_WINDOW_FINISH) {
            const size_t result = static_cast<uint32_t>(GPU_READ(&step->result));
            finish<Wanted>(a, result * a.places.pitch + way.place, GPU_READ(&step->min_samples), way.sums);
        } else {
            way.sums = body_bin_difference(way.sums, ring_get(ring, index));
        }
    }
}

/* A step whose bin is on its way: it enters or leaves, and the next but one is sent for before what comes next is done. */
template <typename Wanted, typename Ring>
GPU_FN void pass_turn(const struct window_work &a, struct passage &way, Ring &ring, struct coming &next)
{
    ++way.step;
    if (next.kind == GPU_WINDOW_ENTER) {
        way.sums = body_bin_sum(way.sums, next.bin);
        if (Ring::REMEMBERS && next.ring >= 0)
            ring_put(ring, next.ring, next.bin);
    } else {
        way.sums = body_bin_difference(way.sums, next.bin);
    }
    fetch<Ring>(a, way, next);
    pass_quietly<Wanted>(a, way, ring);
}

/*
 * A place's way through the steps. Bins that are read come in turn in `even` and `odd`, two ahead. Each has code of its own:
 * were it one piece, registers that wait for memory would be moved, and so waited for.
 */
template <typename Wanted, typename Ring> GPU_FN void pass(const struct window_work &a, uint32_t place, Ring ring)
{
    struct passage way = {place, 0, 0, {}};
    struct coming even = {}, odd = {};
    fetch<Ring>(a, way, even);
    fetch<Ring>(a, way, odd);
    pass_quietly<Wanted>(a, way, ring);
    while (way.step < a.n_steps) {
        pass_turn<Wanted>(a, way, ring, even);
        if (way.step >= a.n_steps)
            break;
        pass_turn<Wanted>(a, way, ring, odd);
    }
}

template <typename Wanted> GPU_FN void pass_fast(const struct window_work &a, int64_t *memory, uint32_t thread)
{
    const uint32_t place = GPU_BLOCK_X() * k_window_fast_threads + thread;
    const fast_ring ring = {body_ring_of(memory, a.n_ring, k_window_fast_threads, thread)};
    if (place < a.places.n_cells)
        pass<Wanted>(a, place, ring);
}

template <typename Wanted, typename Ring> GPU_FN void pass_alone(const struct window_work &a, uint32_t place)
{
    if (place < a.places.n_cells)
        pass<Wanted>(a, place, Ring{});
}

template <typename Wanted>
GPU_KERNEL(k_window_fast_threads, k_window_fast_blocks)
k_window_fast(GPU_ARGS(struct window_work) a)
{
    GPU_FAST(int64_t, memory);
    GPU_EACH_THREAD(t) { pass_fast<Wanted>(a, memory, t); }
}

template <typename Wanted>
GPU_KERNEL(k_window_registers_threads, k_window_registers_blocks)
k_window_registers(GPU_ARGS(struct window_work) a)
{
    GPU_EACH_THREAD(t) { pass_alone<Wanted, register_ring>(a, GPU_BLOCK_X() * k_window_registers_threads + t); }
}

template <typename Wanted>
GPU_KERNEL(k_window_reread_threads, k_window_reread_blocks)
k_window_reread(GPU_ARGS(struct window_work) a)
{
    GPU_EACH_THREAD(t) { pass_alone<Wanted, no_ring>(a, GPU_BLOCK_X() * k_window_reread_threads + t); }
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static size_t fast_bytes_of(uint32_t n_ring)
{
    return static_cast<size_t>(n_ring) * k_window_fast_threads * BODY_BIN_BYTES;
}

typedef void (*window_kernel)(struct window_work);

/* The form that is asked for, or the device's own; one that cannot hold the ring gives way. */
static int form_of(const struct gpu_window *args, size_t most_fast_bytes)
{
    const bool is_free = args->form == GPU_WINDOW_CHOOSE;
    const bool wants_registers = args->form == GPU_WINDOW_REGISTERS || (is_free && PREFERS_REGISTERS);
    if (args->n_ring == 0 || args->form == GPU_WINDOW_REREAD)
        return GPU_WINDOW_REREAD;
    if (wants_registers && args->n_ring <= REGISTER_RING)
        return GPU_WINDOW_REGISTERS;
    const bool is_out_of_place = is_free && PREFERS_REGISTERS;
    return fast_bytes_of(args->n_ring) <= most_fast_bytes && !is_out_of_place ? GPU_WINDOW_FAST : GPU_WINDOW_REREAD;
}

int gpu_launch_moments_add(const struct gpu_moments_add *args, void *stream)
{
    const uint32_t n_blocks = gpu_blocks_of(args->places.n_cells, k_moments_add_threads);
    if (n_blocks == 0)
        return 0;
    return gpu_in_rows(args->n_tasks, [&](uint32_t first, uint32_t n) {
        struct gpu_moments_add part = *args;
        part.tasks += first;
        return GPU_LAUNCH(k_moments_add, n_blocks, n, k_moments_add_threads, 0, stream, part);
    });
}

static bool is_plain_work(const struct gpu_window &args)
{
    const struct gpu_results &r = args.results;
    return r.mean && r.n_obs && r.mark && !r.sd && args.fit.n_percentiles == 1;
}

#define KERNEL_OF(kernel, is_maxent, is_plain)                                                                         \
    ((is_maxent) ? ((is_plain) ? kernel<wanted<true, true>> : kernel<wanted<true, false>>)                             \
                 : ((is_plain) ? kernel<wanted<false, true>> : kernel<wanted<false, false>>))

static struct window_work work_of(const struct gpu_window &args)
{
    struct window_work work = {args, {}};
    for (int32_t q = 0; args.fit.kind == GPU_FIT_CF && q < args.fit.n_percentiles; ++q)
        work.terms[q] = cell_cf_terms_of(args.fit.z[q]);
    return work;
}

static int launch_window(window_kernel kernel, uint32_t threads, size_t fast_bytes, const struct gpu_window &args,
                         void *stream)
{
    const int code = fast_bytes > 0 ? gpu_allow_fast(kernel, fast_bytes) : 0;
    return code != 0 ? code
                     : GPU_LAUNCH(kernel, gpu_blocks_of(args.places.n_cells, threads), 1, threads, fast_bytes, stream,
                                  work_of(args));
}

int gpu_launch_window(const struct gpu_window *args, void *stream)
{
    const bool is_maxent = args->fit.kind == GPU_FIT_MAXENT, is_plain = is_plain_work(*args);
    size_t most_fast_bytes = 0;
    if (args->places.n_cells == 0 || args->n_steps == 0)
        return 0;
    const int code = gpu_most_fast_bytes(&most_fast_bytes);
    if (code != 0)
        return code;
    switch (form_of(args, most_fast_bytes)) {
    case GPU_WINDOW_REREAD:
        return launch_window(KERNEL_OF(k_window_reread, is_maxent, is_plain), k_window_reread_threads, 0, *args,
                             stream);
    case GPU_WINDOW_REGISTERS:
        return launch_window(KERNEL_OF(k_window_registers, is_maxent, is_plain), k_window_registers_threads, 0, *args,
                             stream);
    default:
        return launch_window(KERNEL_OF(k_window_fast, is_maxent, is_plain), k_window_fast_threads,
                             fast_bytes_of(args->n_ring), *args, stream);
    }
}

/* As many as pay, within what the device has. */
int gpu_window_ring(uint32_t *n_ring)
{
    size_t n_bytes = 0;
    const int code = gpu_most_fast_bytes(&n_bytes);
    const size_t fits = n_bytes / fast_bytes_of(1);
    if (PREFERS_REGISTERS)
        *n_ring = REGISTER_RING;
    else
        *n_ring = static_cast<uint32_t>(fits < MOST_FAST_RING ? fits : MOST_FAST_RING);
    return code;
}

/* --- what kernels take -------------------------------------------------------------------------------------------- */

int gpu_kernels_moments(const struct gpu_kernel_info **out)
{
    static const struct {
        const char *name;
        window_kernel kernel;
        int32_t threads;
    } windows[] = {
        {"k_window_fast_cf", k_window_fast<wanted<false, false>>, k_window_fast_threads},
        {"k_window_fast_maxent", k_window_fast<wanted<true, false>>, k_window_fast_threads},
        {"k_window_registers_cf", k_window_registers<wanted<false, false>>, k_window_registers_threads},
        {"k_window_registers_maxent", k_window_registers<wanted<true, false>>, k_window_registers_threads},
        {"k_window_reread_cf", k_window_reread<wanted<false, false>>, k_window_reread_threads},
        {"k_window_reread_maxent", k_window_reread<wanted<true, false>>, k_window_reread_threads},
    };
    constexpr int N_WINDOWS = sizeof windows / sizeof windows[0];
    static struct gpu_kernel_info kernels[1 + N_WINDOWS + 1];
    int code = gpu_tell(&kernels[0], "k_moments_add", k_moments_add, k_moments_add_threads);
    for (int i = 0; i < N_WINDOWS && code == 0; ++i)
        code = gpu_tell(&kernels[1 + i], windows[i].name, windows[i].kernel, windows[i].threads);
    *out = kernels;
    return code;
}
