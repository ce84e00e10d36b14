/*
 * Percentiles near one end of pools that slide over days, two cells a thread: sorted lists of the greatest values, with no
 * branch on data. Days come in blocks of n_window; each value is read once (body_sorted_ahead.h).
 *
 *   days        | 0 1 2 3 4 5 6 7 8 9 10 | 11 12 13 ...
 *   a window            [ suffix 3 .. 10 |  prefix 13 ]       greatest of both lists: max of one and the other turned round
 *   a slot      suffix j of the last block until day j of this one comes, then that day, from which suffixes are made
 *
 * The prefix grows day by day and stays in registers; suffixes are made from the last day backwards when a block is full. A
 * window that is a whole block is a prefix. Sums and counts of the window are kept as those of its days, in a ring.
 *
 *   slot j, items SORTED_STRIDE words apart    [ sums of day j, by cell | suffix j + 1, and then day j + 1 ]
 *
 * Lists are DEPTH long. Where fewer values are wanted the prefix begins with as many greatest codes as are too many, which
 * come out first and push the wanted ones to the end, where the two least are found without sorting.
 */
#ifndef SST_KERNELS_BODY_SORTED_H
#define SST_KERNELS_BODY_SORTED_H

#include "body_sorted_ahead.h"
#include "gpu_network.h"
#include "gpu_rt.h"

/*
 * Slots in fast memory; the others lie in scratch, which stays in the L2 cache where it is read and written in turn. Of CUDA
 * they and a day on its way leave room for two warps a scheduler. The LDS of AMD holds no wave's lists. An emulated device
 * does a bit of each.
 */
#if defined(GPU_IS_CUDA)
template <int DEPTH> static constexpr uint32_t sorted_fast_slots = DEPTH > 34 ? 3 : 5;
#elif defined(GPU_IS_HIP)
template <int DEPTH> static constexpr uint32_t sorted_fast_slots = 0;
#else
template <int DEPTH> static constexpr uint32_t sorted_fast_slots = DEPTH > 40 ? 0 : 6;
#endif

/* Count and sum of a day's values of a cell in one word: count in the low bits. */
enum { SORTED_COUNT_BITS = 6, SORTED_COUNT_MASK = (1 << SORTED_COUNT_BITS) - 1 };

/* Where a cell's two order statistics stand in the list: the deeper one, and whether the other is the one before it. */
struct sorted_place {
    int32_t deep;
    bool is_deep_value, is_deep_next; /* the deeper one is x[k], is x[k + 1] */
    double g;
};

/* What follows from a count, which seldom changes: of the first percentile. */
struct sorted_known {
    int32_t n;
    struct sorted_place place;
    double per_n;
};

template <int MEMBERS, int DEPTH> struct body_sorted {
    static_assert(MEMBERS <= SORTED_COUNT_MASK, "a day's count has its bits");
    static_assert(MEMBERS <= DEPTH, "a day is a list");

    uint32_t day[MEMBERS], prefix[DEPTH];
    uint32_t *fast, *slow; /* lists of the first slots, in fast memory, and of the others */
    uint32_t pair;
    uint32_t last_sums[2]; /* of the block's last day, which has no slot */
    int32_t n[2], sum[2]; /* of the window */
    struct sorted_known known;

    static constexpr uint32_t SLOT_WORDS = DEPTH + 2;
    /* Of lists from slot `first` to before `end`; the last slot of all holds one day at most. There are words to read
     * even where nothing is kept. */
    static constexpr uint32_t words(uint32_t n_window, uint32_t first, uint32_t end)
    {
        const uint32_t n_slots = n_window - 1, to = end < n_slots ? end : n_slots;
        return to <= first ? 2 : (to - first) * SLOT_WORDS - (to == n_slots ? DEPTH - MEMBERS : 0);
    }
};

#define SORTED_FORM template <int MEMBERS, int DEPTH>
#define SORTED_STATE body_sorted<MEMBERS, DEPTH>

SORTED_FORM GPU_FN uint32_t *body_sorted_slot(const SORTED_STATE &state, uint32_t slot)
{
    constexpr uint32_t step = SORTED_STATE::SLOT_WORDS * SORTED_STRIDE, n_fast = sorted_fast_slots<DEPTH>;
    if constexpr (n_fast == 0)
        return state.slow + slot * step;
    return slot < n_fast ? state.fast + slot * step : state.slow + (slot - n_fast) * step;
}

/* Results are not read again: they do not take the place of what is. */
GPU_FN void body_sorted_put(double *plane, size_t at, double low, double high)
{
#if defined(GPU_IS_CUDA)
    __stcs(reinterpret_cast<double2 *>(plane + at), make_double2(low, high));
#else
    const struct pair_of_doubles out = {low, high};
    *reinterpret_cast<struct pair_of_doubles *>(plane + at) = out;
#endif
}

/* How many of a sorted day are missing, by cell: by so much does it rise where the least code gives way to the next. */
SORTED_FORM GPU_FN uint32_t body_sorted_missing(const SORTED_STATE &state)
{
    uint32_t rise = 0;
    if (pair_min(state.day[MEMBERS - 1], PAIR_LEAST) == PAIR_LEAST)
        return 0;
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        rise += pair_max(state.day[i], PAIR_LEAST) - state.day[i];
    return rise;
}

/* The sums of the codes of the day that came, missing ones as GPU_MISSING; they are turned about where the least are wanted. */
SORTED_FORM GPU_FN void body_sorted_sum(SORTED_STATE &state, const struct body_sorted_args &args, int32_t sum[2])
{
    sum[0] = sum[1] = 0;
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        pair_add(state.day[i], sum);
    if (!args.sorted.from_below)
        return;
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        state.day[i] = pair_negate(state.day[i]);
}

/* Sorts the day, if it has a value; gives its sums and counts. */
SORTED_FORM GPU_FN void body_sorted_take(SORTED_STATE &state, const struct body_sorted_args &args, const int32_t sum[2],
                                         uint32_t sums[2])
{
    sums[0] = sums[1] = 0;
    if (sum[0] == MEMBERS * GPU_MISSING && sum[1] == MEMBERS * GPU_MISSING)
        return;
    network_sort_pairs(state.day, args.factors);
    const uint32_t missing = body_sorted_missing(state);
    GPU_UNROLL
    for (int cell = 0; cell < 2; ++cell) {
        const int32_t n_missing = (int32_t)(cell == 0 ? missing & 0xFFFFU : missing >> 16);
        const int32_t of_values = sum[cell] - n_missing * GPU_MISSING;
        sums[cell] = (uint32_t)of_values << SORTED_COUNT_BITS | (uint32_t)(MEMBERS - n_missing);
    }
}

/* The day enters the window and, where one does, the day that had its place leaves. */
SORTED_FORM GPU_FN void body_sorted_count(SORTED_STATE &state, const struct body_sorted_args &args, uint32_t day,
                                          uint32_t place, const uint32_t sums[2], const uint32_t ring[2])
{
    const uint32_t n_window = args.sorted.n_window;
    const bool is_last = place == n_window - 1;
    const uint32_t of_last = is_last ? UINT32_MAX : 0; /* a choice between pointers would put the sums into memory */
    const uint32_t has_left = day >= n_window ? UINT32_MAX : 0;
    uint32_t *slot = body_sorted_slot(state, is_last ? 0 : place);
    GPU_UNROLL
    for (uint32_t cell = 0; cell < 2; ++cell) {
        const uint32_t leaving = ((state.last_sums[cell] & of_last) | (ring[cell] & ~of_last)) & has_left;
        state.n[cell] += (int32_t)(sums[cell] & SORTED_COUNT_MASK) - (int32_t)(leaving & SORTED_COUNT_MASK);
        state.sum[cell] += ((int32_t)sums[cell] >> SORTED_COUNT_BITS) - ((int32_t)leaving >> SORTED_COUNT_BITS);
        state.last_sums[cell] = (sums[cell] & of_last) | (state.last_sums[cell] & ~of_last);
        if (!is_last)
            slot[cell * SORTED_STRIDE] = sums[cell];
    }
}

/* The first day of a block is its prefix; `spare` greatest codes stand before what is wanted. */
SORTED_FORM GPU_FN void body_sorted_begin(SORTED_STATE &state, const struct body_sorted_args &args)
{
    const uint32_t spare = DEPTH - args.sorted.depth;
    GPU_UNROLL
    for (uint32_t i = 0; i < DEPTH; ++i) {
        const uint32_t value = i < MEMBERS ? state.day[i < MEMBERS ? i : 0] : PAIR_MISSING;
        const uint32_t filling = i < spare ? PAIR_GREATEST : PAIR_MISSING;
        state.prefix[i] = spare == 0 ? value : filling;
    }
    if (spare > 0)
        network_join_pairs(state.prefix, state.day, args.factors);
}

/* A list in which a value is missing from the first item on has none. */
SORTED_FORM GPU_FN void body_sorted_join(SORTED_STATE &state, const struct body_sorted_args &args)
{
    if (state.day[0] != PAIR_MISSING)
        network_join_pairs(state.prefix, state.day, args.factors);
}

SORTED_FORM GPU_FN void body_sorted_put_day(SORTED_STATE &state, uint32_t slot)
{
    uint32_t *list = body_sorted_slot(state, (uint32_t)slot) + 2 * SORTED_STRIDE;
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        list[i * SORTED_STRIDE] = state.day[i];
}

SORTED_FORM GPU_FN void body_sorted_get_day(SORTED_STATE &state, uint32_t slot)
{
    const uint32_t *list = body_sorted_slot(state, slot) + 2 * SORTED_STRIDE;
    GPU_UNROLL
    for (int i = 0; i < MEMBERS; ++i)
        state.day[i] = list[i * SORTED_STRIDE];
}

/*
 * A block is full: its days become suffixes, the last one first; the day before is on its way while lists are put in order.
 * The prefix begins anew with the next day.
 */
SORTED_FORM GPU_FN void body_sorted_turn(SORTED_STATE &state, const struct body_sorted_args &args)
{
    GPU_UNROLL
    for (int i = 0; i < DEPTH; ++i)
        state.prefix[i] = i < MEMBERS ? state.day[i < MEMBERS ? i : 0] : PAIR_MISSING;
    int32_t slot = (int32_t)args.sorted.n_window - 3;
    if (slot >= 0)
        body_sorted_get_day(state, (uint32_t)slot);
    GPU_NO_UNROLL
    for (; slot >= 0; --slot) {
        const bool has_value = state.day[0] != PAIR_MISSING;
        network_fold_pairs(state.prefix, state.day);
        if (slot > 0)
            body_sorted_get_day(state, (uint32_t)slot - 1);
        if (has_value)
            network_tidy_pairs(state.prefix, args.factors);
        uint32_t *list = body_sorted_slot(state, (uint32_t)slot) + 2 * SORTED_STRIDE;
        GPU_UNROLL
        for (int i = 0; i < DEPTH; ++i)
            list[i * SORTED_STRIDE] = state.prefix[i];
    }
}

/* The suffix that a window begins with, well before it is needed; a window that is a whole block has none. */
SORTED_FORM GPU_FN void body_sorted_suffix(const SORTED_STATE &state, const struct body_sorted_args &args,
                                           uint32_t place, uint32_t (&window)[DEPTH])
{
    const uint32_t n_window = args.sorted.n_window;
    if (place + 1 == n_window)
        return;
    const uint32_t *list = body_sorted_slot(state, place) + 2 * SORTED_STRIDE;
    const bool is_whole = place + 2 < n_window;
    GPU_UNROLL
    for (int i = 0; i < DEPTH; ++i)
        window[i] = i < MEMBERS || is_whole ? list[i * SORTED_STRIDE] : PAIR_MISSING;
}

/* The greatest values of the window, falling and then rising: of its suffix and the prefix. */
SORTED_FORM GPU_FN void body_sorted_window(const SORTED_STATE &state, const struct body_sorted_args &args,
                                           uint32_t place, uint32_t (&window)[DEPTH])
{
    const bool is_block = place == args.sorted.n_window - 1;
    if (is_block) {
        GPU_UNROLL
        for (int i = 0; i < DEPTH; ++i)
            window[i] = state.prefix[i];
        return;
    }
    GPU_UNROLL
    for (int i = 0; i < DEPTH; ++i)
        window[i] = pair_max(window[i], state.prefix[DEPTH - 1 - i]);
}

GPU_FN struct sorted_place body_sorted_place(const struct gpu_sorted &sorted, uint32_t percentile, int32_t n,
                                             int32_t spare)
{
    const struct cell_rank *ranks = sorted.ranks.ranks + (size_t)percentile * (sorted.ranks.n_most + 1);
    const struct cell_rank rank = ranks[n > 0 ? n : 1];
    const int32_t last = (n > 0 ? n : 1) - 1;
    struct sorted_place place;
    place.g = rank.g;
    const bool is_mixed = rank.k < last && rank.g > 0.0; /* else x[k + 1] may be deeper than the list goes */
    place.deep = spare + (!sorted.from_below ? last - rank.k : rank.k + (is_mixed ? 1 : 0));
    place.is_deep_value = !sorted.from_below || !is_mixed;
    place.is_deep_next = sorted.from_below || rank.k == last;
    return place;
}

GPU_FN double body_sorted_quantile(const struct body_sorted_args &args, struct sorted_place place, int32_t deep,
                                   int32_t shallow)
{
    const int32_t sign = args.sorted.from_below ? -1 : 1;
    return cell_exact_quantile(args.lattice, sign * (place.is_deep_value ? deep : shallow),
                               sign * (place.is_deep_next ? deep : shallow), place.g);
}

/* Items deep and deep - 1 of each cell, of a list in order. */
template <int DEPTH>
GPU_FN struct network_two body_sorted_pick(const uint32_t (&window)[DEPTH], const struct sorted_place (&place)[2])
{
    uint32_t d[2] = {window[0], window[0]}, s[2] = {window[0], window[0]};
    GPU_UNROLL
    for (int i = 1; i < DEPTH; ++i) {
        GPU_UNROLL
        for (int cell = 0; cell < 2; ++cell) {
            d[cell] = i == place[cell].deep ? window[i] : d[cell];
            s[cell] = i == place[cell].deep ? window[i - 1] : s[cell];
        }
    }
    const struct network_two two = {pair_of(pair_low(d[0]), pair_high(d[1])), pair_of(pair_low(s[0]), pair_high(s[1]))};
    return two;
}

SORTED_FORM GPU_FN void body_sorted_percentiles(SORTED_STATE &state, const struct body_sorted_args &args,
                                                uint32_t (&window)[DEPTH], const bool has_enough[2], size_t at)
{
    const struct gpu_sorted &sorted = args.sorted;
    const int32_t spare = DEPTH - (int32_t)sorted.depth;
    bool is_tidy = false;
    GPU_NO_UNROLL
    for (uint32_t q = 0; q < (uint32_t)sorted.ranks.n_percentiles; ++q) {
        const struct sorted_place place[2] = {body_sorted_place(sorted, q, state.n[0], spare),
                                              body_sorted_place(sorted, q, state.n[1], spare)};
        struct network_two two;
        if ((place[0].deep == DEPTH - 1 || state.n[0] == 0) && (place[1].deep == DEPTH - 1 || state.n[1] == 0)) {
            two = network_least_pairs(window);
        } else {
            if (!is_tidy)
                network_tidy_pairs(window, args.factors);
            is_tidy = true;
            two = body_sorted_pick(window, place);
        }
        const double low = body_sorted_quantile(args, place[0], pair_low(two.deep), pair_low(two.shallow));
        const double high = body_sorted_quantile(args, place[1], pair_high(two.deep), pair_high(two.shallow));
        body_sorted_put(sorted.results.quantile[sorted.first_percentile + q], at, has_enough[0] ? low : (double)NAN,
                        has_enough[1] ? high : (double)NAN);
    }
}

/* The same of one percentile, of what is known of the count: the two least values are wanted. */
SORTED_FORM GPU_FN void body_sorted_percentile(const SORTED_STATE &state, const struct body_sorted_args &args,
                                               const uint32_t (&window)[DEPTH], const bool has_enough[2], size_t at)
{
    const struct network_two two = network_least_pairs(window);
    const struct sorted_place &place = state.known.place;
    const double low = body_sorted_quantile(args, place, pair_low(two.deep), pair_low(two.shallow));
    const double high = body_sorted_quantile(args, place, pair_high(two.deep), pair_high(two.shallow));
    body_sorted_put(args.sorted.results.quantile[args.sorted.first_percentile], at, has_enough[0] ? low : (double)NAN,
                    has_enough[1] ? high : (double)NAN);
}

/* Means [degC] of the window; is_known: counts are the known one or 0. */
SORTED_FORM GPU_FN void body_sorted_means(const SORTED_STATE &state, const struct body_sorted_args &args, bool is_known,
                                          const bool has_enough[2], size_t at)
{
    double mean[2];
    GPU_UNROLL
    for (int cell = 0; cell < 2; ++cell) {
        const int32_t n = is_known ? state.known.n : state.n[cell] > 0 ? state.n[cell] : 1;
        double per_n = state.known.per_n;
        if (!is_known)
            per_n = 1.0 / (double)n;
        mean[cell] = cell_exact_mean(args.lattice, state.sum[cell], n, per_n);
    }
    body_sorted_put(args.sorted.results.mean, at, has_enough[0] ? mean[0] : (double)NAN,
                    has_enough[1] ? mean[1] : (double)NAN);
}

/* Whether both cells have the same count, or none; what follows from it is known then. */
SORTED_FORM GPU_FN bool body_sorted_know(SORTED_STATE &state, const struct body_sorted_args &args)
{
    const int32_t n = state.n[0] > state.n[1] ? state.n[0] : state.n[1];
    if ((state.n[0] != n && state.n[0] != 0) || (state.n[1] != n && state.n[1] != 0))
        return false;
    if (n != state.known.n && n > 0) {
        state.known.n = n;
        state.known.place = body_sorted_place(args.sorted, 0, n, DEPTH - (int32_t)args.sorted.depth);
        state.known.per_n = 1.0 / (double)n;
    }
    return true;
}

/* A pool without values. */
GPU_FN void body_sorted_put_nothing(const struct gpu_sorted &sorted, size_t at)
{
    for (uint32_t q = 0; q < (uint32_t)sorted.ranks.n_percentiles; ++q)
        body_sorted_put(sorted.results.quantile[sorted.first_percentile + q], at, (double)NAN, (double)NAN);
    if (sorted.results.mean)
        body_sorted_put(sorted.results.mean, at, (double)NAN, (double)NAN);
    if (sorted.results.n_obs)
        *reinterpret_cast<pair_word *>(sorted.results.n_obs + at) = 0;
}

GPU_FN size_t body_sorted_at(const struct gpu_sorted &sorted, uint32_t pool, uint32_t pair)
{
    return (size_t)(sorted.first_result + (int32_t)pool) * sorted.places.pitch + 2 * (size_t)pair;
}

/* Results of the window; `window` has its suffix. */
SORTED_FORM GPU_FN void body_sorted_finish(SORTED_STATE &state, const struct body_sorted_args &args, uint32_t pool,
                                           int32_t min_samples, uint32_t place, uint32_t (&window)[DEPTH])
{
    const struct gpu_sorted &sorted = args.sorted;
    const size_t at = body_sorted_at(sorted, pool, state.pair);
    if (state.n[0] == 0 && state.n[1] == 0) {
        body_sorted_put_nothing(sorted, at);
        return;
    }
    const bool has_enough[2] = {state.n[0] > 0 && state.n[0] >= min_samples,
                                state.n[1] > 0 && state.n[1] >= min_samples};
    if (sorted.results.n_obs)
        *reinterpret_cast<pair_word *>(sorted.results.n_obs + at) = pair_of(state.n[0], state.n[1]);
    const bool is_known = body_sorted_know(state, args);
    body_sorted_window(state, args, place, window);
    if (is_known && state.known.place.deep == DEPTH - 1 && sorted.ranks.n_percentiles == 1)
        body_sorted_percentile(state, args, window, has_enough, at);
    else
        body_sorted_percentiles(state, args, window, has_enough, at);
    if (sorted.results.mean)
        body_sorted_means(state, args, is_known, has_enough, at);
}

/* What a day needs of memory that lists and days on their way do not have: asked for before either. */
struct sorted_notes {
    uint32_t ring[2]; /* sums in the day's place */
    int32_t min_samples; /* of the window that it ends */
};

SORTED_FORM GPU_FN struct sorted_notes body_sorted_note(const SORTED_STATE &state, const struct body_sorted_args &args,
                                                        uint32_t day, uint32_t place)
{
    const uint32_t n_window = args.sorted.n_window;
    const uint32_t *slot = body_sorted_slot(state, place == n_window - 1 ? 0 : place);
    return {{slot[0], slot[SORTED_STRIDE]}, day + 1 >= n_window ? args.sorted.min_samples[day + 1 - n_window] : 0};
}

/* A day enters: its list joins the prefix, and the window that it ends is finished. */
SORTED_FORM GPU_FN void body_sorted_day(SORTED_STATE &state, const struct body_sorted_args &args, uint32_t day,
                                        uint32_t place, const int32_t sum[2], const struct sorted_notes &notes)
{
    const uint32_t n_window = args.sorted.n_window;
    const bool is_window = day + 1 >= n_window;
    uint32_t sums[2], window[DEPTH];
    body_sorted_take(state, args, sum, sums);
    body_sorted_count(state, args, day, place, sums, notes.ring);
    if (is_window && (state.n[0] > 0 || state.n[1] > 0))
        body_sorted_suffix(state, args, place, window);
    if (place == 0)
        body_sorted_begin(state, args);
    else
        body_sorted_join(state, args);
    if (place > 0)
        body_sorted_put_day(state, place - 1);
    if (is_window)
        body_sorted_finish(state, args, day + 1 - n_window, notes.min_samples, place, window);
}

/* All days of one pair of cells; `ahead` is of its own but for what lanes share. */
SORTED_FORM GPU_FN void body_sorted_run(const struct body_sorted_args &args, uint32_t pair,
                                        struct sorted_ahead<MEMBERS> &ahead, uint32_t *fast, uint32_t *slow)
{
    SORTED_STATE state;
    state.fast = fast;
    state.slow = slow;
    state.pair = pair;
    state.last_sums[0] = state.last_sums[1] = 0;
    state.n[0] = state.n[1] = state.sum[0] = state.sum[1] = state.known.n = 0;
    struct sorted_planes<MEMBERS> next;
    body_sorted_look<MEMBERS>(args, 0, ahead.planes);
    body_sorted_look<MEMBERS>(args, 1, next);
    body_sorted_fetch(args, pair, ahead);
    uint32_t place = 0;
    GPU_NO_UNROLL
    for (uint32_t day = 0; day < args.sorted.n_days; ++day) {
        int32_t sum[2];
        body_sorted_arrive(ahead, state.day);
        ahead.planes = next;
        body_sorted_look<MEMBERS>(args, day + 2, next);
        const struct sorted_notes notes = body_sorted_note(state, args, day, place);
        body_sorted_sum(state, args, sum);
        if (day + 1 < args.sorted.n_days)
            body_sorted_fetch(args, pair, ahead);
        body_sorted_day(state, args, day, place, sum, notes);
        if (++place < args.sorted.n_window)
            continue;
        body_sorted_turn(state, args);
        place = 0;
    }
}

#endif
