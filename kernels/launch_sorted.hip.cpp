/* Percentiles near one end of sliding pools: the forms that are built, and their launches. */
#include "body_sorted.h"
#include "gpu_arch.h"
#include "gpu_host.h"
#include "gpu_launch.h"

enum { THREADS = k_sorted_threads };

/*
 * Where lists lie: shared memory, if a wave's fit. The LDS of AMD holds none, so each block has its own part of `scratch`
 * and goes on from pairs to pairs. An emulated device does the one for short lists, the other for long ones.
 */
#if defined(GPU_IS_CUDA)
template <int DEPTH> static constexpr bool is_in_scratch = false;
#elif defined(GPU_IS_HIP)
template <int DEPTH> static constexpr bool is_in_scratch = true;
#else
template <int DEPTH> static constexpr bool is_in_scratch = DEPTH > 40;
#endif

/*
 * More blocks than the units of any device that is known can hold at a time; of long runs few are left over at the end. On an
 * emulated device so few that small tests go on from pairs to pairs too.
 */
#if defined(SST_GPU_EMULATED)
enum { SCRATCH_BLOCKS = 2 };
#else
enum { SCRATCH_BLOCKS = 1024 };
#endif

SORTED_FORM GPU_KERNEL(k_sorted_threads, k_sorted_blocks) k_sorted(struct body_sorted_args args)
{
    const uint32_t n_pairs = args.sorted.places.n_cells / 2;
    GPU_FAST(uint32_t, fast);
    uint32_t *lists = fast;
    if constexpr (is_in_scratch<DEPTH>)
        lists =
            static_cast<uint32_t *>(args.sorted.scratch) + static_cast<size_t>(GPU_BLOCK_X()) * THREADS * args.n_words;
    GPU_EACH_THREAD(t)
    {
        GPU_NO_UNROLL
        for (uint32_t pair = GPU_BLOCK_X() * THREADS + t; pair < n_pairs; pair += args.n_blocks * THREADS)
            body_sorted_run<MEMBERS, DEPTH>(args, pair, lists + t);
    }
}

struct sorted_form {
    uint32_t n_members, depth;
    bool is_in_scratch;
    uint32_t (*list_words)(uint32_t n_window);
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
    {members, depth, is_in_scratch<depth>, body_sorted<members, depth>::list_words, launch<members, depth>},
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

static uint32_t blocks_of(const struct sorted_form *form, uint32_t n_cells)
{
    const uint32_t n_blocks = gpu_blocks_of(n_cells / 2, THREADS);
    return form->is_in_scratch && n_blocks > SCRATCH_BLOCKS ? static_cast<uint32_t>(SCRATCH_BLOCKS) : n_blocks;
}

static size_t bytes_of_block(const struct sorted_form *form, uint32_t n_window)
{
    return static_cast<size_t>(form->list_words(n_window)) * THREADS * sizeof(uint32_t);
}

int gpu_sorted_form(uint32_t n_members, uint32_t n_window, uint32_t depth, uint32_t n_cells, int *is_built,
                    size_t *scratch_bytes)
{
    const struct sorted_form *form = find_form(n_members, n_window, depth);
    *is_built = form != nullptr;
    *scratch_bytes = 0;
    if (form && form->is_in_scratch)
        *scratch_bytes = bytes_of_block(form, n_window) * blocks_of(form, n_cells);
    return 0;
}

int gpu_launch_exact_sorted(const struct gpu_sorted *sorted, void *stream)
{
    const struct sorted_form *form = find_form(sorted->n_members, sorted->n_window, sorted->depth);
    if (!form || (form->is_in_scratch && !sorted->scratch))
        return GPU_BAD_ARGUMENT;
    const uint32_t n_blocks = blocks_of(form, sorted->places.n_cells);
    if (n_blocks == 0 || sorted->n_days < sorted->n_window)
        return 0;
    struct body_sorted_args args;
    args.sorted = *sorted;
    args.lattice = cell_exact_lattice_of(sorted->lattice.steps_per_degree, sorted->lattice.reference_steps);
    args.factors.one = 1;
    args.factors.minus_one = UINT32_MAX;
    args.n_blocks = n_blocks;
    args.n_words = form->list_words(sorted->n_window);
    return form->launch(args, n_blocks, form->is_in_scratch ? 0 : bytes_of_block(form, sorted->n_window), stream);
}

int gpu_kernels_sorted(const struct gpu_kernel_info **out)
{
    static struct gpu_kernel_info list[sizeof forms / sizeof forms[0] + 1];
    int code = 0, n = 0;
#define X(members, depth)                                                                                              \
    if (code == 0)                                                                                                     \
        code = gpu_tell(&list[n++], "k_sorted<" #members ", " #depth ">", k_sorted<members, depth>, THREADS);
    SORTED_FORMS(X)
#undef X
    *out = list;
    return code;
}
