/*
 * Lists of greatest values on a device: fields into lists, and percentiles of pools of lists. A thread is a place.
 *
 * Lists of up to 32 values are held in registers while fields come, longer ones are inserted where they lie. A pool's lists
 * are copied to fast memory where they fit, each thread its own. Blocks of the same places and different pools come one
 * after the other, so that lists which neighbouring pools share are in a cache.
 */
#include "body_tail.h"
#include "gpu_arch.h"
#include "gpu_host.h"
#include "gpu_launch.h"

/* What a block may have on every device without asking for more. [bytes] */
enum { FAST_BYTES = 49152 };

/* --- adding ------------------------------------------------------------------------------------------------------- */

/* One end's list; the sums go with the first. */
struct tail_end {
    struct gpu_tail_add add;
    int16_t *list;
    uint32_t k;
    int32_t is_low, has_sums;
};

template <int K> SST_FN void add_in_registers(const struct tail_end *end, struct gpu_add_task task, uint32_t place)
{
    const struct body_tail_source source = body_tail_source_of(end->add.places, place);
    const size_t stride = end->add.places.pitch;
    int16_t *stored = end->list + body_tail_item(end->add.places, end->k, task.bin, place);
    int16_t list[K];
    GPU_UNROLL
    for (uint32_t r = 0; r < K; ++r)
        list[r] = !task.is_new && r < end->k ? stored[r * stride] : (int16_t)CELL_TAIL_NONE;
    for (uint32_t field = task.first; field < task.first + task.n; ++field) {
        int16_t carried = body_tail_code(end->add.codes, field, source, end->is_low);
        GPU_UNROLL
        for (uint32_t r = 0; r < K; ++r)
            cell_tail_exchange(&list[r], &carried);
    }
    GPU_UNROLL
    for (uint32_t r = 0; r < K; ++r)
        if (r < end->k)
            stored[r * stride] = list[r];
}

template <int K> GPU_KERNEL(k_tail_add_threads, k_tail_add_blocks) k_tail_add(struct tail_end end)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() * k_tail_add_threads + t;
        if (place < end.add.places.n_cells) {
            const struct gpu_add_task task = end.add.tasks[GPU_BLOCK_Y()];
            add_in_registers<K>(&end, task, place);
            if (end.has_sums)
                body_tail_add_sums(&end.add, task, place);
        }
    }
}

GPU_KERNEL(k_tail_add_long_threads, k_tail_add_long_blocks) k_tail_add_long(struct tail_end end)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() * k_tail_add_long_threads + t;
        if (place < end.add.places.n_cells) {
            const struct gpu_add_task task = end.add.tasks[GPU_BLOCK_Y()];
            if (end.list)
                body_tail_add_in_place(&end.add, task, end.is_low, place);
            if (end.has_sums)
                body_tail_add_sums(&end.add, task, place);
        }
    }
}

static int launch_tasks(void (*kernel)(struct tail_end), uint32_t threads, const struct tail_end &end, void *stream)
{
    return gpu_in_rows(end.add.n_tasks, [&](uint32_t first, uint32_t n) {
        struct tail_end part = end;
        part.add.tasks += first;
        return GPU_LAUNCH(kernel, gpu_blocks_of(end.add.places.n_cells, threads), n, threads, 0, stream, part);
    });
}

static int launch_end(const struct tail_end &end, void *stream)
{
    if (end.k > 32 || !end.list)
        return launch_tasks(k_tail_add_long, k_tail_add_long_threads, end, stream);
    if (end.k > 16)
        return launch_tasks(k_tail_add<32>, k_tail_add_threads, end, stream);
    if (end.k > 8)
        return launch_tasks(k_tail_add<16>, k_tail_add_threads, end, stream);
    return launch_tasks(k_tail_add<8>, k_tail_add_threads, end, stream);
}

int gpu_launch_tail_add(const struct gpu_tail_add *args, void *stream)
{
    const struct tail_end top = {*args, args->store.top, args->store.k_top, 0, 1};
    const struct tail_end bottom = {*args, args->store.bottom, args->store.k_bottom, 1, args->store.k_top == 0};
    const struct tail_end neither = {*args, nullptr, 0, 0, 1};
    if (args->n_tasks == 0 || args->places.n_cells == 0)
        return 0;
    if (args->store.k_top == 0 && args->store.k_bottom == 0)
        return launch_end(neither, stream);
    const int code = args->store.k_top > 0 ? launch_end(top, stream) : 0;
    return code == 0 && args->store.k_bottom > 0 ? launch_end(bottom, stream) : code;
}

/* --- finishing ---------------------------------------------------------------------------------------------------- */

SST_FN uint32_t longest(const struct gpu_tail *tail)
{
    return tail->store.k_top > tail->store.k_bottom ? tail->store.k_top : tail->store.k_bottom;
}

/* The lists of an end where they lie in the store. */
SST_FN struct body_tail_lists lists_in_place(const struct gpu_tail *tail, struct gpu_pool pool, int is_low,
                                             uint32_t place)
{
    struct body_tail_lists lists;
    const uint32_t k = is_low ? tail->store.k_bottom : tail->store.k_top;
    lists.kept = (is_low ? tail->store.bottom : tail->store.top) + place;
    lists.bins = tail->members + pool.first;
    lists.is_packed = 0;
    lists.list_items = (size_t)k * tail->places.pitch;
    lists.stride = tail->places.pitch;
    lists.n = tail->store.n + place;
    lists.pitch = tail->places.pitch;
    lists.k = (int32_t)k;
    lists.n_bins = pool.n;
    return lists;
}

/* The same in fast memory, which is the thread's own: no barrier is needed. */
SST_FN struct body_tail_lists lists_in_fast(const struct body_tail_lists *stored, int16_t *fast, uint32_t threads)
{
    struct body_tail_lists lists = *stored;
    lists.kept = fast;
    lists.is_packed = 1;
    lists.list_items = (size_t)lists.k * threads;
    lists.stride = threads;
    for (uint32_t j = 0; j < stored->n_bins; ++j) {
        const int16_t *list = body_tail_list(stored, j);
        for (uint32_t r = 0; r < (uint32_t)stored->k; ++r)
            fast[(j * (uint32_t)stored->k + r) * threads] = list[r * stored->stride];
    }
    return lists;
}

SST_FN int wants(const struct gpu_tail *tail, int is_low)
{
    int n = 0;
    for (int32_t q = 0; q < tail->ranks.n_percentiles; ++q)
        n += (tail->is_low[q] != 0) == is_low;
    return n > 0;
}

/* fast: the thread's first item; known to the compiler not to be any other memory. */
template <bool IS_FAST>
SST_FN void finish(const struct gpu_tail *tail, struct gpu_pool pool, uint32_t place, int16_t *fast, uint32_t threads)
{
    const size_t item = (size_t)pool.result * tail->places.pitch + place;
    const struct body_tail_sums sums = body_tail_sums_of(tail, pool, place);
    const int has_enough = body_tail_has_enough(pool, sums);
    const struct body_tail_answer none = {(double)NAN, (double)NAN};
    int is_uncertain = 0;
    body_tail_put_sums(&tail->results, sums, has_enough, item);
    for (int32_t q = 0; q < tail->ranks.n_percentiles && !has_enough; ++q)
        body_tail_put(&tail->results, q, none, item);
    for (int is_low = 0; is_low <= 1 && has_enough; ++is_low) {
        if (!wants(tail, is_low))
            continue;
        const struct body_tail_lists stored = lists_in_place(tail, pool, is_low, place);
        const struct body_tail_lists lists = IS_FAST ? lists_in_fast(&stored, fast, threads) : stored;
        is_uncertain |= body_tail_finish_side(tail, &lists, is_low, sums.n, item);
    }
    if (tail->results.mark)
        tail->results.mark[item] = (uint8_t)is_uncertain;
}

GPU_KERNEL(k_tail_threads, k_tail_blocks) k_tail(struct gpu_tail tail)
{
    GPU_FAST(int16_t, fast);
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() / tail.n_pools * k_tail_threads + t;
        if (place < tail.places.n_cells)
            finish<true>(&tail, tail.pools[GPU_BLOCK_X() % tail.n_pools], place, fast + t, k_tail_threads);
    }
}

GPU_KERNEL(k_tail_in_place_threads, k_tail_in_place_blocks) k_tail_in_place(struct gpu_tail tail)
{
    GPU_EACH_THREAD(t)
    {
        const uint32_t place = GPU_BLOCK_X() / tail.n_pools * k_tail_in_place_threads + t;
        if (place < tail.places.n_cells)
            finish<false>(&tail, tail.pools[GPU_BLOCK_X() % tail.n_pools], place, nullptr, 0);
    }
}

int gpu_launch_tail(const struct gpu_tail *args, void *stream)
{
    const size_t bytes = (size_t)args->n_most_members * longest(args) * k_tail_threads * sizeof(int16_t);
    if (args->n_pools == 0 || args->places.n_cells == 0)
        return 0;
    if (bytes == 0 || bytes > FAST_BYTES) {
        const unsigned grid = gpu_blocks_of(args->places.n_cells, k_tail_in_place_threads) * args->n_pools;
        return GPU_LAUNCH(k_tail_in_place, grid, 1, k_tail_in_place_threads, 0, stream, *args);
    }
    const unsigned grid = gpu_blocks_of(args->places.n_cells, k_tail_threads) * args->n_pools;
    return GPU_LAUNCH(k_tail, grid, 1, k_tail_threads, bytes, stream, *args);
}

/* --- what they take ----------------------------------------------------------------------------------------------- */

int gpu_kernels_tail(const struct gpu_kernel_info **out)
{
    static const struct {
        const char *name;
        void (*kernel)(struct tail_end);
        int32_t threads;
    } adding[] = {
        {"k_tail_add<8>", k_tail_add<8>, k_tail_add_threads},
        {"k_tail_add<16>", k_tail_add<16>, k_tail_add_threads},
        {"k_tail_add<32>", k_tail_add<32>, k_tail_add_threads},
        {"k_tail_add_long", k_tail_add_long, k_tail_add_long_threads},
    };
    constexpr int N_ADDING = sizeof adding / sizeof adding[0];
    static struct gpu_kernel_info told[N_ADDING + 2 + 1];
    int code = 0, n = 0;
    for (const auto &one : adding)
        if (code == 0)
            code = gpu_tell(&told[n++], one.name, one.kernel, one.threads);
    if (code == 0)
        code = gpu_tell(&told[n++], "k_tail", k_tail, k_tail_threads);
    if (code == 0)
        code = gpu_tell(&told[n++], "k_tail_in_place", k_tail_in_place, k_tail_in_place_threads);
    *out = told;
    return code;
}
