/*
 * Lists of greatest values in device memory: a list is k planes, its values `stride` items apart, the greatest first.
 *
 *   store   bin b   [ value 0 of all places | value 1 of all places | ... k ]      stride = pitch
 *   fast    bin j   [ value 0 of a block's threads | value 1 | ...        k ]      stride = threads; j as in the pool
 *
 * All bins have lists of one length, which is no less than any of them needs: what is behind a bin's values is
 * CELL_TAIL_NONE, and proves nothing.
 */
#ifndef SST_KERNELS_BODY_TAIL_H
#define SST_KERNELS_BODY_TAIL_H

#include "cell_tail.h"
#include "gpu_args.h"

/* Fields that are inserted at a time where lists are too long for registers. */
enum { BODY_TAIL_ROWS = 4 };

/* --- adding ------------------------------------------------------------------------------------------------------- */

/* Where the values of a place are in each field. */
struct body_tail_source {
    size_t cell;
    int32_t is_given; /* else all its values are missing */
};

SST_FN struct body_tail_source body_tail_source_of(struct gpu_places places, uint32_t place)
{
    const uint32_t block = places.block_at[place / GPU_BLOCK_CELLS];
    struct body_tail_source source;
    source.is_given = block != GPU_NO_BLOCK;
    source.cell = (size_t)block * GPU_BLOCK_CELLS + place % GPU_BLOCK_CELLS;
    return source;
}

SST_FN int16_t body_tail_value(struct gpu_fields fields, uint32_t field, struct body_tail_source source)
{
    return source.is_given ? fields.codes[field * fields.stride + source.cell] : (int16_t)GPU_MISSING;
}

/* A code as the lists of an end keep it. */
SST_FN int16_t body_tail_code(struct gpu_fields fields, uint32_t field, struct body_tail_source source, int is_low)
{
    const int16_t code = body_tail_value(fields, field, source);
    return is_low ? cell_tail_negated(code) : code;
}

SST_FN void body_tail_add_sums(const struct gpu_tail_add *add, struct gpu_add_task task, uint32_t place)
{
    const struct body_tail_source source = body_tail_source_of(add->places, place);
    const size_t item = (size_t)task.bin * add->places.pitch + place;
    uint16_t n = task.is_new ? (uint16_t)0 : add->store.n[item];
    int32_t s1 = task.is_new ? 0 : add->store.s1[item];
    for (uint32_t field = task.first; field < task.first + task.n; ++field) {
        const int16_t x = body_tail_value(add->hundredths, field, source);
        n = (uint16_t)(n + (x != GPU_MISSING));
        s1 += x != GPU_MISSING ? x : 0;
    }
    add->store.n[item] = n;
    add->store.s1[item] = s1;
}

/* Inserts values into a list where it lies, until none has anything left to carry on. */
SST_FN void body_tail_insert(int16_t *list, uint32_t k, size_t stride, int16_t carried[BODY_TAIL_ROWS])
{
    for (uint32_t r = 0; r < k; ++r) {
        int16_t kept = list[r * stride], most = CELL_TAIL_NONE;
        for (int row = 0; row < BODY_TAIL_ROWS; ++row) {
            cell_tail_exchange(&kept, &carried[row]);
            most = carried[row] > most ? carried[row] : most;
        }
        list[r * stride] = kept;
        if (most == CELL_TAIL_NONE)
            return;
    }
}

/* The first of a cell's k values in the list of a bin. */
SST_FN size_t body_tail_item(struct gpu_places places, uint32_t k, uint32_t bin, uint32_t place)
{
    return (size_t)bin * k * places.pitch + place;
}

/* Adds the fields of a task to the list of one end, four at a time. */
SST_FN void body_tail_add_in_place(const struct gpu_tail_add *add, struct gpu_add_task task, int is_low, uint32_t place)
{
    const struct body_tail_source source = body_tail_source_of(add->places, place);
    const uint32_t k = is_low ? add->store.k_bottom : add->store.k_top, end = task.first + task.n;
    const size_t stride = add->places.pitch;
    int16_t *list = (is_low ? add->store.bottom : add->store.top) + body_tail_item(add->places, k, task.bin, place);
    for (uint32_t r = 0; r < k && task.is_new; ++r)
        list[r * stride] = CELL_TAIL_NONE;
    for (uint32_t field = task.first; field < end; field += BODY_TAIL_ROWS) {
        int16_t carried[BODY_TAIL_ROWS];
        for (uint32_t row = 0; row < BODY_TAIL_ROWS; ++row)
            carried[row] = field + row < end ? body_tail_code(add->codes, field + row, source, is_low) : CELL_TAIL_NONE;
        body_tail_insert(list, k, stride, carried);
    }
}

/* --- finishing ---------------------------------------------------------------------------------------------------- */

/* The lists of one end of a pool, for one cell. */
struct body_tail_lists {
    const int16_t *kept;
    const uint32_t *bins; /* n_bins: the pool's */
    int32_t is_packed; /* list j stands at j, not at bins[j] */
    size_t list_items, stride; /* from a list to the next, from a value to the next */
    const uint16_t *n; /* of the cell; of bin b at b * pitch */
    size_t pitch;
    int32_t k;
    uint32_t n_bins;
};

/* What is known of the lists before anything is searched. */
struct body_tail_side {
    int32_t n_kept;
    int16_t most, least; /* of the kept values */
    int16_t cut;
};

SST_FN const int16_t *body_tail_list(const struct body_tail_lists *lists, uint32_t j)
{
    return lists->kept + (size_t)(lists->is_packed ? j : lists->bins[j]) * lists->list_items;
}

/* Kept values of a list that are at least `bound`; it is sorted, so halving finds them. */
SST_FN int32_t body_tail_above(const int16_t *list, size_t stride, int32_t k, int32_t bound)
{
    int32_t low = 0, high = k; /* values before `low` are, values from `high` on are not */
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (list[(size_t)middle * stride] >= bound)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Values of all lists that are at least `bound`: kept ones, or also dropped ones as in cell_tail_count(). */
SST_FN int32_t body_tail_count(const struct body_tail_lists *lists, int32_t bound, int has_dropped)
{
    int32_t count = 0;
    for (uint32_t j = 0; j < lists->n_bins; ++j) {
        const int32_t n_above = body_tail_above(body_tail_list(lists, j), lists->stride, lists->k, bound);
        count += has_dropped ? cell_tail_weight(n_above, lists->k, lists->n[lists->bins[j] * lists->pitch]) : n_above;
    }
    return count;
}

SST_FN struct body_tail_side body_tail_side_of(const struct body_tail_lists *lists)
{
    struct body_tail_side side = {0, CELL_TAIL_NONE, INT16_MAX, CELL_TAIL_NONE};
    for (uint32_t j = 0; j < lists->n_bins; ++j) {
        const int16_t *list = body_tail_list(lists, j);
        const int32_t n_kept = body_tail_above(list, lists->stride, lists->k, CELL_TAIL_NONE + 1);
        const int16_t last = list[(size_t)(lists->k - 1) * lists->stride];
        side.cut = cell_tail_cut(side.cut, lists->n[lists->bins[j] * lists->pitch], lists->k, last);
        if (n_kept == 0)
            continue;
        const int16_t least = list[(size_t)(n_kept - 1) * lists->stride];
        side.most = list[0] > side.most ? list[0] : side.most;
        side.least = least < side.least ? least : side.least;
        side.n_kept += n_kept;
    }
    return side;
}

/* The greatest bound that more than `depth` values reach; `low` is one, or below all of them. */
SST_FN int16_t body_tail_search(const struct body_tail_lists *lists, int32_t low, int32_t high, int32_t depth,
                                int has_dropped)
{
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (body_tail_count(lists, middle, has_dropped) > depth)
            low = middle;
        else
            high = middle;
    }
    return (int16_t)low;
}

/* The value before that at `depth`, which is `deep`: the least one above, unless it is repeated. */
SST_FN int16_t body_tail_shallow(const struct body_tail_lists *lists, int16_t deep, int32_t depth)
{
    int32_t n_above = 0;
    int16_t least = INT16_MAX;
    for (uint32_t j = 0; j < lists->n_bins; ++j) {
        const int16_t *list = body_tail_list(lists, j);
        const int32_t n = body_tail_above(list, lists->stride, lists->k, deep + 1);
        if (n > 0 && list[(size_t)(n - 1) * lists->stride] < least)
            least = list[(size_t)(n - 1) * lists->stride];
        n_above += n;
    }
    return depth > 0 && n_above == depth ? least : deep;
}

/* As cell_tail_most(). */
SST_FN int16_t body_tail_most(const struct body_tail_lists *lists, const struct body_tail_side *side, int32_t depth)
{
    return body_tail_search(lists, CELL_TAIL_NONE, side->most + 1, depth, 1);
}

SST_FN double body_tail_degc(struct gpu_lattice lattice, int32_t code)
{
    return ((double)code + lattice.reference_steps) / lattice.steps_per_degree;
}

SST_FN double body_tail_mix(struct gpu_lattice lattice, struct cell_tail_pair pair, double g)
{
    return cell_quantile_mix(body_tail_degc(lattice, pair.a), body_tail_degc(lattice, pair.b), g);
}

struct body_tail_answer {
    double value, bound; /* [degC] */
};

/* The percentile of a rank, and the bound on the side of the end; both are the value where it is certified. */
SST_FN struct body_tail_answer body_tail_answer_of(const struct body_tail_lists *lists,
                                                   const struct body_tail_side *side, struct cell_tail_rank rank,
                                                   struct gpu_lattice lattice)
{
    const int reaches = cell_tail_reaches(rank.depth, side->n_kept);
    struct body_tail_answer answer;
    int16_t deep = CELL_TAIL_NONE;
    if (reaches) {
        deep = body_tail_search(lists, side->least, side->most + 1, rank.depth, 0);
        const int16_t shallow = body_tail_shallow(lists, deep, rank.depth);
        answer.value = body_tail_mix(lattice, cell_tail_pair_of(rank, deep, shallow), rank.g);
    } else {
        answer.value = rank.is_low ? (double)INFINITY : -(double)INFINITY;
    }
    answer.bound = answer.value;
    if (!cell_tail_is_certified(rank.depth, side->n_kept, deep, side->cut)) {
        const int16_t most = body_tail_most(lists, side, rank.depth);
        const int16_t before = rank.depth > 0 ? body_tail_most(lists, side, rank.depth - 1) : most;
        answer.bound = body_tail_mix(lattice, cell_tail_pair_of(rank, most, before), rank.g);
    }
    return answer;
}

/* Sums over the bins of a pool. */
struct body_tail_sums {
    uint16_t n; /* as wide as on the CPU */
    int32_t s1; /* [0.01 degC] */
};

SST_FN struct body_tail_sums body_tail_sums_of(const struct gpu_tail *tail, struct gpu_pool pool, uint32_t place)
{
    struct body_tail_sums sums = {0, 0};
    for (uint32_t j = 0; j < pool.n; ++j) {
        const size_t item = (size_t)tail->members[pool.first + j] * tail->places.pitch + place;
        sums.n = (uint16_t)(sums.n + tail->store.n[item]);
        sums.s1 += tail->store.s1[item];
    }
    return sums;
}

SST_FN int body_tail_has_enough(struct gpu_pool pool, struct body_tail_sums sums)
{
    return sums.n > 0 && sums.n >= pool.min_samples;
}

/* Sums are of hundredths on every lattice. */
#define BODY_TAIL_HUNDREDTHS_PER_DEGREE 100.0

SST_FN void body_tail_put_sums(const struct gpu_results *results, struct body_tail_sums sums, int has_enough,
                               size_t item)
{
    const double mean = (double)sums.s1 / (double)sums.n / BODY_TAIL_HUNDREDTHS_PER_DEGREE;
    if (results->mean)
        results->mean[item] = has_enough ? mean : (double)NAN;
    if (results->n_obs)
        results->n_obs[item] = sums.n;
}

SST_FN void body_tail_put(const struct gpu_results *results, int32_t q, struct body_tail_answer answer, size_t item)
{
    if (results->quantile[q])
        results->quantile[q][item] = answer.value;
    if (results->bound[q])
        results->bound[q][item] = answer.bound;
}

/* All percentiles that one end tells; whether some of them is not certified. */
SST_FN int body_tail_finish_side(const struct gpu_tail *tail, const struct body_tail_lists *lists, int is_low,
                                 int32_t n, size_t item)
{
    const struct body_tail_side side = body_tail_side_of(lists);
    int is_uncertain = 0;
    for (int32_t q = 0; q < tail->ranks.n_percentiles; ++q) {
        if ((tail->is_low[q] != 0) != is_low)
            continue;
        const struct cell_rank rank = tail->ranks.ranks[(size_t)q * (tail->ranks.n_most + 1) + (size_t)n];
        const struct body_tail_answer answer =
            body_tail_answer_of(lists, &side, cell_tail_rank_from(rank, n, is_low), tail->lattice);
        body_tail_put(&tail->results, q, answer, item);
        is_uncertain |= answer.bound != answer.value; /* bounds that meet, as ties can, are a proof too */
    }
    return is_uncertain;
}

#endif
