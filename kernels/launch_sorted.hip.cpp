/* Percentiles near one end of sliding pools: the forms that are built, and their launches. */
#include "body_sorted.h"
#include "gpu_arch.h"
#include "gpu_host.h"
#include "gpu_launch.h"

enum { THREADS = k_sorted_threads };

/* Lists that are not in fast memory lie in scratch, a part for each block; a block goes on from pairs to pairs. There are
 * more blocks than the units of any device that is known can hold at a time; of long runs few are left over at the end. */
#if defined(GPU_IS_CUDA)
enum { SCRATCH_BLOCKS = 8 * 132 };
#elif defined(SST_GPU_EMULATED)
enum { SCRATCH_BLOCKS = 2 }; /* so few that small tests go on from pairs to pairs too */
#else
enum { SCRATCH_BLOCKS = 1024 };
#endif

#if defined(GPU_IS_CUDA)
/* Words before the order of blocks: units that are taken, blocks with a value. */
enum { TAKEN, N_BLOCKS, HEAD_WORDS = 64 };
enum { WARP = 32, BLOCK_PAIRS = GPU_BLOCK_CELLS / 2 };
static constexpr unsigned ALL_LANES = 0xFFFFFFFFU;
static_assert((int)THREADS == (int)WARP, "a block is a warp");

/* Whether a pair has a value on days first .. end - 1. */
GPU_FN bool has_value(const struct body_sorted_args &args, uint32_t pair, uint32_t first, uint32_t end)
{
    const uint32_t n_members = args.sorted.n_members;
    const uint32_t *members = args.sorted.members;
    bool has = false;
    for (uint32_t day = first; day < end && !has; ++day) {
        GPU_UNROLL_BY_10
        for (uint32_t i = 0; i < n_members; ++i) {
            const uint32_t plane = members[(size_t)day * n_members + i];
            const uint32_t word = body_sorted_word(args, plane == GPU_NO_BLOCK ? 0 : plane, pair);
            has |= plane != GPU_NO_BLOCK && word != PAIR_MISSING;
        }
    }
    return has;
}

/* Lanes of blocks of cells in which a lane's bit is set. */
GPU_FN uint32_t blocks_with(uint32_t lanes)
{
    constexpr uint32_t first = 0x11111111U;
    static_assert(BLOCK_PAIRS == 4, "a block is four lanes");
    const uint32_t blocks = (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & first;
    return blocks * 0xFU;
}

/*
 * Blocks of cells (GPU_BLOCK_CELLS) that have a value are listed; the others are finished here, where many threads wait for
 * memory at a time. A thread looks at a pair: on the first day and the middle one, and on all days where there is none.
 */
GPU_KERNEL(k_sorted_order_threads, k_sorted_order_blocks) k_sorted_order(struct body_sorted_args args)
{
    const struct gpu_sorted &sorted = args.sorted;
    const uint32_t n_pairs = sorted.places.n_cells / 2, pair = GPU_BLOCK_X() * GPU_THREADS() + threadIdx.x;
    const uint32_t lane = threadIdx.x % WARP, middle = sorted.n_days / 2;
    const bool is_pair = pair < n_pairs;
    uint32_t sea = blocks_with(__ballot_sync(
        ALL_LANES, is_pair && (has_value(args, pair, 0, 1) || has_value(args, pair, middle, middle + 1))));
    const bool is_open = is_pair && (sea >> lane & 1) == 0;
    sea |= blocks_with(__ballot_sync(ALL_LANES, is_open && has_value(args, pair, 0, sorted.n_days)));
    const uint32_t firsts = sea & 0x11111111U;
    uint32_t at = 0;
    if (lane == 0 && firsts != 0)
        at = atomicAdd(args.counter + N_BLOCKS, __popc(firsts));
    at = __shfl_sync(ALL_LANES, at, 0) + __popc(firsts & ((1U << lane) - 1));
    if (firsts >> lane & 1)
        args.order[at] = pair;
    if (!is_pair || (sea >> lane & 1) != 0)
        return;
    for (uint32_t pool = 0; pool + sorted.n_window <= sorted.n_days; ++pool)
        body_sorted_put_nothing(sorted, body_sorted_at(sorted, pool, pair));
}

/* Units of 32 pairs are taken by who is free. All lanes work, so that they may ask each other: on the last block several times. */
SORTED_FORM GPU_KERNEL(k_sorted_threads, k_sorted_blocks) k_sorted(struct body_sorted_args args)
{
    const uint32_t n_blocks = args.sorted.places.n_cells / GPU_BLOCK_CELLS, t = threadIdx.x;
    const uint32_t n_pairs = args.counter[N_BLOCKS] * BLOCK_PAIRS;
    GPU_FAST(uint32_t, fast);
    uint32_t *slow = args.order + n_blocks + (size_t)GPU_BLOCK_X() * THREADS * args.n_slow_words;
    struct sorted_ahead<MEMBERS> ahead;
    ahead.rows = fast;
    fast += MEMBERS * THREADS;
    asm("" : "+l"(fast)); /* one pointer for lists wherever they are: not made anew at each use */
    GPU_NO_UNROLL
    for (;;) {
        uint32_t unit = 0;
        if (t == 0)
            unit = atomicAdd(args.counter + TAKEN, 1);
        unit = __shfl_sync(ALL_LANES, unit, 0);
        if (unit * THREADS >= n_pairs)
            break;
        const uint32_t at = unit * THREADS + t;
        const uint32_t pair = args.order[(at < n_pairs ? at : n_pairs - 1) / BLOCK_PAIRS] + at % BLOCK_PAIRS;
        ahead.chunk = __shfl_sync(ALL_LANES, pair, t % SORTED_CHUNKS * BLOCK_PAIRS);
        body_sorted_run<MEMBERS, DEPTH>(args, pair, ahead, fast + t, slow + t);
        __syncwarp();
    }
}

static int put_in_order(struct body_sorted_args &args, void *stream)
{
    const uint32_t n_pairs = args.sorted.places.n_cells / 2;
    args.counter = static_cast<uint32_t *>(args.sorted.scratch);
    args.order = args.counter + HEAD_WORDS;
    const int code = gpu_told(
        GPU_NAME(MemsetAsync)(args.counter, 0, HEAD_WORDS * sizeof(uint32_t), static_cast<gpu_stream>(stream)));
    if (code != 0)
        return code;
    return GPU_LAUNCH(k_sorted_order, (n_pairs + k_sorted_order_threads - 1) / k_sorted_order_threads, 1,
                      k_sorted_order_threads, 0, stream, args);
}
#else
enum { HEAD_WORDS = 0 };

SORTED_FORM GPU_KERNEL(k_sorted_threads, k_sorted_blocks) k_sorted(struct body_sorted_args args)
{
    const uint32_t n_pairs = args.sorted.places.n_cells / 2;
    GPU_FAST(uint32_t, fast);
    uint32_t *slow = static_cast<uint32_t *>(args.sorted.scratch) + (size_t)GPU_BLOCK_X() * THREADS * args.n_slow_words;
    GPU_EACH_THREAD(t)
    {
        struct sorted_ahead<MEMBERS> ahead;
        GPU_NO_UNROLL
        for (uint32_t pair = GPU_BLOCK_X() * THREADS + t; pair < n_pairs; pair += args.n_blocks * THREADS)
            body_sorted_run<MEMBERS, DEPTH>(args, pair, ahead, fast + t, slow + t);
    }
}

static int put_in_order(struct body_sorted_args &, void *) { return 0; }
#endif

struct sorted_form {
    uint32_t n_members, depth, n_fast, n_ahead; /* n_ahead: words a thread of what is fetched, in fast memory */
    uint32_t (*words)(uint32_t n_window, uint32_t first, uint32_t end);
    int (*launch)(const struct body_sorted_args &args, uint32_t n_blocks, size_t fast_bytes, void *stream);
};

SORTED_FORM static int launch(const struct body_sorted_args &args, uint32_t n_blocks, size_t fast_bytes, void *stream)
{
    void (*const kernel)(struct body_sorted_args) = k_sorted<MEMBERS, DEPTH>;
    const int code = gpu_allow_fast(kernel, fast_bytes);
    return code != 0 ? code : GPU_LAUNCH(kernel, n_blocks, 1, THREADS, fast_bytes, stream, args);
}

/* Members a day and depth: 30 and 40 years, and what of 11 days of them the 90th percentile needs. The first that does is taken. */
#define SORTED_MOST_DAYS 11
#define SORTED_FORMS(X) X(30, 34) X(40, 45)

static const struct sorted_form forms[] = {
#define X(members, depth)                                                                                              \
    {members,                                                                                                          \
     depth,                                                                                                            \
     sorted_fast_slots<depth>,                                                                                         \
     sorted_ahead<members>::FAST_WORDS,                                                                                \
     body_sorted<members, depth>::words,                                                                               \
     launch<members, depth>},
    SORTED_FORMS(X)
#undef X
};

#define SORTED_TEXT_OF(...) #__VA_ARGS__
#define SORTED_TEXT(...) SORTED_TEXT_OF(__VA_ARGS__)

const char *gpu_sorted_forms(void)
{
#define X(members, depth) " " #members "x" SORTED_TEXT(SORTED_MOST_DAYS) ":" #depth
    return &SORTED_FORMS(X)[1]; /* less the first blank */
#undef X
}

static const struct sorted_form *find_form(uint32_t n_members, uint32_t n_window, uint32_t depth)
{
    if (n_window < 1 || n_window > SORTED_MOST_DAYS || n_members < 1 || depth < 1)
        return nullptr;
    for (const struct sorted_form &form : forms)
        if (n_members <= form.n_members && depth <= form.depth)
            return &form;
    return nullptr;
}

static uint32_t blocks_of(uint32_t n_cells)
{
    const uint32_t n_blocks = gpu_blocks_of(n_cells / 2, THREADS);
    return n_blocks > SCRATCH_BLOCKS ? static_cast<uint32_t>(SCRATCH_BLOCKS) : n_blocks;
}

static size_t fast_bytes_of(const struct sorted_form *form, uint32_t n_window)
{
    const size_t n_words = form->n_ahead + (form->n_fast > 0 ? form->words(n_window, 0, form->n_fast) : 0);
    return n_words * THREADS * sizeof(uint32_t);
}

int gpu_sorted_form(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                    size_t *scratch_bytes)
{
    const struct sorted_form *form = find_form(n_members, n_window, depth);
    *is_built = form != nullptr;
    *scratch_bytes = 0;
    if (!form)
        return 0;
    const size_t slow_words = form->words(n_window, form->n_fast, SORTED_MOST_DAYS);
    const size_t order_words = HEAD_WORDS > 0 ? HEAD_WORDS + n_cells / GPU_BLOCK_CELLS : 0;
    *scratch_bytes = (order_words + slow_words * THREADS * blocks_of(n_cells)) * sizeof(uint32_t);
    return 0;
}

int gpu_launch_exact_sorted(const struct gpu_sorted *sorted, void *stream)
{
    const struct sorted_form *form = find_form(sorted->n_members, sorted->n_window, sorted->depth);
    if (!form || !sorted->scratch)
        return GPU_BAD_ARGUMENT;
    const uint32_t n_blocks = blocks_of(sorted->places.n_cells);
    if (n_blocks == 0 || sorted->n_days < sorted->n_window)
        return 0;
    struct body_sorted_args args;
    args.sorted = *sorted;
    args.lattice = cell_exact_lattice_of(sorted->lattice.steps_per_degree, sorted->lattice.reference_steps);
    args.factors.one = 1;
    args.factors.minus_one = UINT32_MAX;
    args.n_blocks = n_blocks;
    args.n_slow_words = form->words(sorted->n_window, form->n_fast, SORTED_MOST_DAYS);
    args.counter = args.order = nullptr;
    const int code = put_in_order(args, stream);
    return code != 0 ? code : form->launch(args, n_blocks, fast_bytes_of(form, sorted->n_window), stream);
}

int gpu_kernels_sorted(const struct gpu_kernel_info **out)
{
    static struct gpu_kernel_info list[sizeof forms / sizeof forms[0] + 2];
    int code = 0, n = 0;
#define X(members, depth)                                                                                              \
    if (code == 0)                                                                                                     \
        code = gpu_tell(&list[n++], "k_sorted<" #members ", " #depth ">", k_sorted<members, depth>, THREADS);
    SORTED_FORMS(X)
#undef X
#if defined(GPU_IS_CUDA)
    if (code == 0)
        code = gpu_tell(&list[n++], "k_sorted_order", k_sorted_order, k_sorted_order_threads);
#endif
    *out = list;
    return code;
}
