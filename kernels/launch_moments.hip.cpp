/*
 * Moments on a device: fields are added to bins, and a window passes over bins. One thread is one place.
 *
 * What a window waits for is memory, so the next two bins that it needs are on their way while percentiles of the one
 * before are worked out. Its bins are remembered until they leave, by one of three forms:
 *
 *   fast        in shared memory, where there are 200 KB of it: each bin is read once
 *   registers   where there are 64 KB of LDS, and 256 registers a thread
 *   reread      nowhere: a bin is read again when it leaves
 */
#include "body_bins.h"
#include "gpu_arch.h"
#include "gpu_launch.h"
#include "gpu_rt.h"

/* --- add ---------------------------------------------------------------------------------------------------------- */

constexpr int UNROLL = 10; /* loads on their way at a time. Measured: see gpu_arch.h */
constexpr uint32_t MOST_GRID_Y = 65535;

/* Bins that registers hold: gfx906 has no more of them. */
constexpr uint32_t REGISTER_RING = 11;

/* With more bins fewer threads fit than it takes to keep memory busy; what is beyond is read again when it leaves. */
constexpr size_t MOST_FAST_RING = 11;

/* 64 KB of LDS hold three waves of 11 bins: too few to hide anything. */
#if defined(GPU_IS_HIP)
constexpr bool PREFERS_REGISTERS = true;
#else
constexpr bool PREFERS_REGISTERS = false;
#endif

/* Adds N fields or, of the last ones, as many as there are; all loads come before the first use. */
template <int N> GPU_FN void take_fields(struct cell_moments *sums, const int16_t *codes, size_t stride, uint32_t n)
{
    int16_t values[N];
    GPU_UNROLL
    for (int i = 0; i < N; ++i)
        values[i] = static_cast<uint32_t>(i) < n ? codes[static_cast<size_t>(i) * stride] : GPU_MISSING;
    GPU_UNROLL
    for (int i = 0; i < N; ++i)
        body_bin_take(sums, values[i]);
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

/* Where bins are remembered: in fast memory, in registers, nowhere. */
struct fast_ring {
    static constexpr bool REMEMBERS = true;
    struct gpu_moments_store items; /* of one thread */
};

struct register_ring {
    static constexpr bool REMEMBERS = true;
    struct cell_moments items[REGISTER_RING];
};

struct no_ring {
    static constexpr bool REMEMBERS = false;
};

GPU_FN void ring_put(fast_ring &ring, int32_t index, const struct cell_moments &bin)
{
    body_bin_store(ring.items, static_cast<size_t>(index) * k_window_fast_threads, bin);
}

GPU_FN struct cell_moments ring_get(const fast_ring &ring, int32_t index)
{
    return body_bin_load(ring.items, static_cast<size_t>(index) * k_window_fast_threads);
}

/*
 * Registers have no index: a case for each bin, and all threads take the same. What follows in each is no instruction, but
 * differs: else a compiler joins the cases to one access at a computed place, and the ring becomes memory.
 */
#define RING_CASES(CASE) CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10)
#define KEEP_APART(i) asm volatile("" ::"n"(i))

GPU_FN void ring_put(register_ring &ring, int32_t index, const struct cell_moments &bin)
{
    switch (index) {
#define CASE(i)                                                                                                        \
    case i:                                                                                                            \
        ring.items[i] = bin;                                                                                           \
        KEEP_APART(i);                                                                                                 \
        break;
        RING_CASES(CASE)
#undef CASE
    }
}

GPU_FN struct cell_moments ring_get(const register_ring &ring, int32_t index)
{
    struct cell_moments bin = {};
    switch (index) {
#define CASE(i)                                                                                                        \
    case i:                                                                                                            \
        bin = ring.items[i];                                                                                           \
        KEEP_APART(i);                                                                                                 \
        break;
        RING_CASES(CASE)
#undef CASE
    }
    return bin;
}

GPU_FN void ring_put(no_ring &, int32_t, const struct cell_moments &) {}
GPU_FN struct cell_moments ring_get(const no_ring &, int32_t) { return {}; }

/* Whether a step's bin is read from memory. */
template <typename Ring> GPU_FN bool reads_memory(int32_t kind, int32_t index)
{
    return kind == GPU_WINDOW_ENTER || (kind == GPU_WINDOW_LEAVE && (!Ring::REMEMBERS || index < 0));
}

/* What a place goes through: its steps, and how far ahead bins have been sent for. */
struct passage {
    uint32_t place, step, ahead;
    struct cell_moments sums;
};

/*
 * Begins to read the next bin that is not on its way yet; behind the last any bin, so that there is no branch after which
 * registers that wait for memory would have to be joined with others.
 */
template <typename Ring> GPU_FN void fetch(const struct gpu_window &a, struct passage &way, struct cell_moments &bin)
{
    uint32_t index = 0;
    for (bool is_found = false; way.ahead < a.n_steps && !is_found; ++way.ahead) {
        const struct gpu_window_step *step = a.steps + way.ahead;
        is_found = reads_memory<Ring>(GPU_READ(&step->kind), GPU_READ(&step->ring));
        if (is_found)
            index = static_cast<uint32_t>(GPU_READ(&step->bin));
    }
    bin = body_bin_load(a.store, static_cast<size_t>(index) * a.places.pitch + way.place);
}

template <bool IS_MAXENT>
GPU_FN void finish(const struct gpu_window &a, size_t at, int32_t min_samples, struct cell_moments sums)
{
    sums.n = static_cast<uint16_t>(sums.n);
    if (a.results.n_obs)
        a.results.n_obs[at] = static_cast<uint16_t>(sums.n);
    if (sums.n == 0 || static_cast<int32_t>(sums.n) < min_samples) {
        body_window_nothing(a.fit.n_percentiles, &a.results, at);
        return;
    }
    const struct cell_shape shape = cell_moments_shape(sums);
    const int is_guarded =
        IS_MAXENT ? body_window_maxent(&a.fit, &a.results, at, shape) : body_window_cf(&a.fit, &a.results, at, shape);
    body_window_shape(&a.results, at, shape, is_guarded);
}

/* Steps up to the next that reads memory. */
template <bool IS_MAXENT, typename Ring>
GPU_FN void pass_quietly(const struct gpu_window &a, struct passage &way, const Ring &ring)
{
    for (; way.step < a.n_steps; ++way.step) {
        const struct gpu_window_step *step = a.steps + way.step;
        const int32_t kind = GPU_READ(&step->kind), index = GPU_READ(&step->ring);
        if (reads_memory<Ring>(kind, index))
            return;
        if (kind == GPU_WINDOW_FINISH) {
            const size_t result = static_cast<uint32_t>(GPU_READ(&step->result));
            finish<IS_MAXENT>(a, result * a.places.pitch + way.place, GPU_READ(&step->min_samples), way.sums);
        } else {
            way.sums = body_bin_difference(way.sums, ring_get(ring, index));
        }
    }
}

/* A step whose bin is on its way: it enters or leaves, and the next but one is sent for before what comes next is done. */
template <bool IS_MAXENT, typename Ring>
GPU_FN void pass_turn(const struct gpu_window &a, struct passage &way, Ring &ring, struct cell_moments &bin)
{
    const struct gpu_window_step *step = a.steps + way.step++;
    const int32_t index = GPU_READ(&step->ring);
    if (GPU_READ(&step->kind) == GPU_WINDOW_ENTER) {
        way.sums = body_bin_sum(way.sums, bin);
        if (Ring::REMEMBERS && index >= 0)
            ring_put(ring, index, bin);
    } else {
        way.sums = body_bin_difference(way.sums, bin);
    }
    fetch<Ring>(a, way, bin);
    pass_quietly<IS_MAXENT>(a, way, ring);
}

/*
 * A place's way through the steps. Bins that are read come in turn in `even` and `odd`, two ahead. Each has code of its own:
 * were it one piece, registers that wait for memory would be moved, and so waited for.
 */
template <bool IS_MAXENT, typename Ring> GPU_FN void pass(const struct gpu_window &a, uint32_t place, Ring ring)
{
    struct passage way = {place, 0, 0, {}};
    struct cell_moments even, odd;
    fetch<Ring>(a, way, even);
    fetch<Ring>(a, way, odd);
    pass_quietly<IS_MAXENT>(a, way, ring);
    while (way.step < a.n_steps) {
        pass_turn<IS_MAXENT>(a, way, ring, even);
        if (way.step >= a.n_steps)
            break;
        pass_turn<IS_MAXENT>(a, way, ring, odd);
    }
}

template <bool IS_MAXENT> GPU_FN void pass_fast(const struct gpu_window &a, int64_t *memory, uint32_t thread)
{
    const uint32_t place = GPU_BLOCK_X() * k_window_fast_threads + thread;
    const fast_ring ring = {body_ring_of(memory, a.n_ring, k_window_fast_threads, thread)};
    if (place < a.places.n_cells)
        pass<IS_MAXENT>(a, place, ring);
}

template <bool IS_MAXENT, typename Ring> GPU_FN void pass_alone(const struct gpu_window &a, uint32_t place)
{
    if (place < a.places.n_cells)
        pass<IS_MAXENT>(a, place, Ring{});
}

template <bool IS_MAXENT>
GPU_KERNEL(k_window_fast_threads, k_window_fast_blocks)
k_window_fast(GPU_ARGS(struct gpu_window) a)
{
    GPU_FAST(int64_t, memory);
    GPU_EACH_THREAD(t) { pass_fast<IS_MAXENT>(a, memory, t); }
}

template <bool IS_MAXENT>
GPU_KERNEL(k_window_registers_threads, k_window_registers_blocks)
k_window_registers(GPU_ARGS(struct gpu_window) a)
{
    GPU_EACH_THREAD(t) { pass_alone<IS_MAXENT, register_ring>(a, GPU_BLOCK_X() * k_window_registers_threads + t); }
}

template <bool IS_MAXENT>
GPU_KERNEL(k_window_reread_threads, k_window_reread_blocks)
k_window_reread(GPU_ARGS(struct gpu_window) a)
{
    GPU_EACH_THREAD(t) { pass_alone<IS_MAXENT, no_ring>(a, GPU_BLOCK_X() * k_window_reread_threads + t); }
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint32_t n_blocks(uint32_t n_cells, uint32_t threads) { return (n_cells + threads - 1) / threads; }

static size_t fast_bytes_of(uint32_t n_ring)
{
    return static_cast<size_t>(n_ring) * k_window_fast_threads * BODY_BIN_BYTES;
}

/* Fast memory that a block may have on the selected device. */
static int most_fast_bytes(size_t *n_bytes)
{
#if defined(SST_GPU_EMULATED)
    *n_bytes = 65536;
    return 0;
#else
    int device = 0, most = 0;
    int code = static_cast<int>(GPU_NAME(GetDevice)(&device));
    if (code == 0) {
#if defined(GPU_IS_CUDA)
        code = static_cast<int>(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
#else
        code = static_cast<int>(hipDeviceGetAttribute(&most, hipDeviceAttributeMaxSharedMemoryPerBlock, device));
#endif
    }
    *n_bytes = static_cast<size_t>(most);
    return code;
#endif
}

typedef void (*window_kernel)(struct gpu_window);

/* CUDA gives a block more than 48 KB when asked to. */
static int allow_fast(window_kernel kernel, size_t n_bytes)
{
#if defined(GPU_IS_CUDA)
    return static_cast<int>(cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                                 cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                 static_cast<int>(n_bytes)));
#else
    (void)kernel;
    (void)n_bytes;
    return 0;
#endif
}

/* The form that is asked for, or the device's own, as long as it can hold the ring. */
static int form_of(const struct gpu_window *args)
{
    if (args->n_ring == 0 || args->form == GPU_WINDOW_REREAD)
        return GPU_WINDOW_REREAD;
    const bool wants_registers =
        args->form == GPU_WINDOW_REGISTERS || (args->form == GPU_WINDOW_CHOOSE && PREFERS_REGISTERS);
    if (wants_registers && args->n_ring <= REGISTER_RING)
        return GPU_WINDOW_REGISTERS;
    return GPU_WINDOW_FAST;
}

int gpu_launch_moments_add(const struct gpu_moments_add *args, void *stream)
{
    struct gpu_moments_add part = *args;
    int code = 0;
    if (args->places.n_cells == 0)
        return 0;
    for (uint32_t left = args->n_tasks; left > 0 && code == 0; left -= part.n_tasks, part.tasks += part.n_tasks) {
        part.n_tasks = left < MOST_GRID_Y ? left : MOST_GRID_Y;
        code = GPU_LAUNCH(k_moments_add, n_blocks(args->places.n_cells, k_moments_add_threads), part.n_tasks,
                          k_moments_add_threads, 0, stream, part);
    }
    return code;
}

int gpu_launch_window(const struct gpu_window *args, void *stream)
{
    const bool is_maxent = args->fit.kind == GPU_FIT_MAXENT;
    const uint32_t n_cells = args->places.n_cells;
    if (n_cells == 0 || args->n_steps == 0)
        return 0;
    if (form_of(args) == GPU_WINDOW_REREAD) {
        const window_kernel kernel = is_maxent ? k_window_reread<true> : k_window_reread<false>;
        return GPU_LAUNCH(kernel, n_blocks(n_cells, k_window_reread_threads), 1, k_window_reread_threads, 0, stream,
                          *args);
    }
    if (form_of(args) == GPU_WINDOW_REGISTERS) {
        const window_kernel kernel = is_maxent ? k_window_registers<true> : k_window_registers<false>;
        return GPU_LAUNCH(kernel, n_blocks(n_cells, k_window_registers_threads), 1, k_window_registers_threads, 0,
                          stream, *args);
    }
    const window_kernel kernel = is_maxent ? k_window_fast<true> : k_window_fast<false>;
    const size_t n_bytes = fast_bytes_of(args->n_ring);
    const int code = allow_fast(kernel, n_bytes);
    return code != 0 ? code
                     : GPU_LAUNCH(kernel, n_blocks(n_cells, k_window_fast_threads), 1, k_window_fast_threads, n_bytes,
                                  stream, *args);
}

/* As many as pay, within what the device has. */
int gpu_window_ring(uint32_t *n_ring)
{
    size_t n_bytes = 0;
    const int code = most_fast_bytes(&n_bytes);
    const size_t fits = n_bytes / fast_bytes_of(1);
    if (PREFERS_REGISTERS)
        *n_ring = REGISTER_RING;
    else
        *n_ring = static_cast<uint32_t>(fits < MOST_FAST_RING ? fits : MOST_FAST_RING);
    return code;
}

/* --- what kernels take -------------------------------------------------------------------------------------------- */

template <typename Args>
static int tell(struct gpu_kernel_info *info, const char *name, void (*kernel)(Args), int32_t threads)
{
    *info = {name, 0, 0, 0, threads};
#if defined(SST_GPU_EMULATED)
    (void)kernel;
    return 0;
#else
    GPU_NAME(FuncAttributes) attributes = {};
    const int code = static_cast<int>(GPU_NAME(FuncGetAttributes)(&attributes, reinterpret_cast<const void *>(kernel)));
    info->n_registers = attributes.numRegs;
    info->scratch_bytes = static_cast<int32_t>(attributes.localSizeBytes);
    info->static_fast_bytes = static_cast<int32_t>(attributes.sharedSizeBytes);
    return code;
#endif
}

int gpu_kernels_moments(const struct gpu_kernel_info **out)
{
    static const struct {
        const char *name;
        window_kernel kernel;
        int32_t threads;
    } windows[] = {
        {"window_fast_cf", k_window_fast<false>, k_window_fast_threads},
        {"window_fast_maxent", k_window_fast<true>, k_window_fast_threads},
        {"window_registers_cf", k_window_registers<false>, k_window_registers_threads},
        {"window_registers_maxent", k_window_registers<true>, k_window_registers_threads},
        {"window_reread_cf", k_window_reread<false>, k_window_reread_threads},
        {"window_reread_maxent", k_window_reread<true>, k_window_reread_threads},
    };
    constexpr int N_WINDOWS = sizeof windows / sizeof windows[0];
    static struct gpu_kernel_info kernels[1 + N_WINDOWS + 1];
    int code = tell(&kernels[0], "moments_add", k_moments_add, k_moments_add_threads);
    for (int i = 0; i < N_WINDOWS && code == 0; ++i)
        code = tell(&kernels[1 + i], windows[i].name, windows[i].kernel, windows[i].threads);
    *out = kernels;
    return code;
}
