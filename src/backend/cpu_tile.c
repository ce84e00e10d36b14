/* Counting selection over tiles; inner loops over lanes have no branch, so a plain -O3 vectorises them. */
#include "backend/cpu_tile.h"

#include <stdbool.h>
#include <string.h>

#include "backend/cpu_clones.h"

/* How far from its hint a lane looks next; about what a percentile moves in a day. [codes] */
enum { FIRST_STEP = 3 };

/* Every bit of a where the mask is all ones, of b where it is 0: a choice that compilers do not turn into a branch. */
static inline uint16_t choose(uint16_t mask, uint16_t a, uint16_t b) { return (uint16_t)(b ^ ((a ^ b) & mask)); }

static inline uint16_t mask_of(int condition) { return (uint16_t)-condition; }

CPU_CLONES
static void count_above(const struct sst_tile *tile, const int16_t bound[SST_TILE_LANES],
                        int16_t above[restrict SST_TILE_LANES])
{
    int16_t n[SST_TILE_LANES] = {0};
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane)
            n[lane] = (int16_t)(n[lane] + (x[lane] > bound[lane]));
    }
    memcpy(above, n, sizeof n);
}

/* The least value of each lane above its bound; INT16_MAX where there is none. */
CPU_CLONES
static void least_above(const struct sst_tile *tile, const int16_t bound[SST_TILE_LANES],
                        int16_t least[restrict SST_TILE_LANES])
{
    int16_t m[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        m[lane] = INT16_MAX;
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
            const int16_t candidate = x[lane] > bound[lane] ? x[lane] : INT16_MAX;
            m[lane] = candidate < m[lane] ? candidate : m[lane];
        }
    }
    memcpy(least, m, sizeof m);
}

/* The greatest value of each lane; SST_CODE_MISSING where there is none. */
CPU_CLONES
static void greatest(const struct sst_tile *tile, int16_t most[restrict SST_TILE_LANES])
{
    int16_t m[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        m[lane] = SST_CODE_MISSING;
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane)
            m[lane] = x[lane] > m[lane] ? x[lane] : m[lane];
    }
    memcpy(most, m, sizeof m);
}

CPU_CLONES
void sst_tile_sum(const struct sst_tile *tile, int32_t sum[restrict SST_TILE_LANES])
{
    int32_t s[SST_TILE_LANES] = {0};
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane)
            s[lane] += (int16_t)choose(mask_of(x[lane] != SST_CODE_MISSING), (uint16_t)x[lane], 0);
    }
    memcpy(sum, s, sizeof s);
}

void sst_tile_load(struct sst_tile *tile, int16_t (*scratch)[SST_TILE_LANES], const int16_t *const *members,
                   size_t n_members, size_t first_cell, size_t n_lanes)
{
    for (size_t member = 0; member < n_members; ++member) {
        const int16_t *codes = members[member] + first_cell;
        if (n_lanes == SST_TILE_LANES) {
            memcpy(scratch[member], codes, sizeof scratch[member]);
            continue;
        }
        memcpy(scratch[member], codes, n_lanes * sizeof *codes);
        for (size_t lane = n_lanes; lane < SST_TILE_LANES; ++lane)
            scratch[member][lane] = SST_CODE_MISSING;
    }
    int16_t missing[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        missing[lane] = SST_CODE_MISSING;
    tile->pool = (const int16_t(*)[SST_TILE_LANES])scratch;
    tile->n_members = n_members;
    count_above(tile, missing, tile->n_valid);
}

/* The answer of each lane is above `low` and at most `high`. */
struct search {
    int16_t allowed[SST_TILE_LANES]; /* values above the answer, at most */
    int16_t low[SST_TILE_LANES], high[SST_TILE_LANES];
    int16_t above_high[SST_TILE_LANES]; /* values above `high` */
    int16_t probe[SST_TILE_LANES]; /* where to count next, within the bracket */
    uint16_t step[SST_TILE_LANES]; /* how far to go from the end of the bracket that has just moved */
};

/* Lanes with a hint start there and know nothing else; the others start between their least and greatest value. */
static void search_begin(struct search *search, const struct sst_tile *tile, const int16_t *k, const int16_t *hint)
{
    int16_t least[SST_TILE_LANES], most[SST_TILE_LANES], missing[SST_TILE_LANES];
    int n_cold = 0;
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        missing[lane] = SST_CODE_MISSING;
        n_cold += hint[lane] == SST_CODE_MISSING && tile->n_valid[lane] > 0;
    }
    if (n_cold > 0) {
        least_above(tile, missing, least);
        greatest(tile, most);
    }
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const bool is_empty = tile->n_valid[lane] == 0, is_cold = hint[lane] == SST_CODE_MISSING;
        search->allowed[lane] = (int16_t)(tile->n_valid[lane] - k[lane] - 1);
        search->above_high[lane] = 0;
        search->low[lane] = SST_CODE_MISSING;
        search->high[lane] = INT16_MAX;
        search->probe[lane] = hint[lane];
        search->step[lane] = FIRST_STEP;
        if (is_empty) {
            search->high[lane] = SST_CODE_MISSING;
        } else if (is_cold) {
            search->low[lane] = (int16_t)(least[lane] - 1);
            search->high[lane] = most[lane];
            search->probe[lane] = (int16_t)(search->low[lane] + (most[lane] - search->low[lane]) / 2);
            search->step[lane] = UINT16_MAX;
        }
    }
}

CPU_CLONES
static bool search_is_open(const struct search *search)
{
    uint16_t widest = 0;
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const uint16_t width = (uint16_t)((uint16_t)search->high[lane] - (uint16_t)search->low[lane]);
        widest = width > widest ? width : widest;
    }
    return widest > 1;
}

/* Narrows every bracket by what was counted: away from the end that has just moved in growing steps, at most to the middle. */
CPU_CLONES
static void search_narrow(struct search *restrict search, const int16_t above[restrict SST_TILE_LANES])
{
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const uint16_t high = (uint16_t)search->high[lane], low = (uint16_t)search->low[lane];
        const uint16_t probe = (uint16_t)search->probe[lane], step = search->step[lane];
        const uint16_t open = mask_of((uint16_t)(high - low) > 1);
        const uint16_t down = mask_of(above[lane] <= search->allowed[lane]);
        const uint16_t new_high = choose(open & down, probe, high),
                       new_low = choose(open & (uint16_t)~down, probe, low);
        const uint16_t half = (uint16_t)((uint16_t)(new_high - new_low) >> 1);
        const uint16_t move = half < step ? half : step;
        search->above_high[lane] =
            (int16_t)choose(open & down, (uint16_t)above[lane], (uint16_t)search->above_high[lane]);
        search->high[lane] = (int16_t)new_high;
        search->low[lane] = (int16_t)new_low;
        search->probe[lane] = (int16_t)choose(down, (uint16_t)(new_high - move), (uint16_t)(new_low + move));
        search->step[lane] = (uint16_t)(step << 1 | 1);
    }
}

void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], const int16_t hint[SST_TILE_LANES],
                     int16_t value[SST_TILE_LANES], int16_t next[SST_TILE_LANES])
{
    struct search search;
    int16_t above[SST_TILE_LANES];
    search_begin(&search, tile, k, hint);
    while (search_is_open(&search)) {
        count_above(tile, search.probe, above);
        search_narrow(&search, above);
    }
    least_above(tile, search.high, next);
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int n_up_to = tile->n_valid[lane] - search.above_high[lane];
        value[lane] = search.high[lane];
        if (n_up_to > k[lane] + 1 || k[lane] + 1 >= tile->n_valid[lane]) /* repeated, or the last */
            next[lane] = value[lane];
    }
}
