/* Counting selection over tiles; inner loops over lanes have no branch, so a plain -O3 vectorises them. */
#include "backend/cpu_tile.h"

#include <string.h>

void sst_tile_load(struct sst_tile *tile, int16_t (*scratch)[SST_TILE_LANES], const int16_t *const *members,
                   size_t n_members, size_t first_cell, size_t n_lanes)
{
    for (size_t member = 0; member < n_members; ++member) {
        memcpy(scratch[member], members[member] + first_cell, n_lanes * sizeof(int16_t));
        for (size_t lane = n_lanes; lane < SST_TILE_LANES; ++lane)
            scratch[member][lane] = SST_CODE_MISSING;
    }
    tile->pool = (const int16_t(*)[SST_TILE_LANES])scratch;
    tile->n_members = n_members;
}

void sst_tile_scan(struct sst_tile *tile)
{
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        tile->n_missing[lane] = 0;
        tile->sum[lane] = 0;
        tile->least[lane] = INT16_MAX;
        tile->most[lane] = SST_CODE_MISSING;
    }
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
            const int16_t is_missing = x[lane] == SST_CODE_MISSING;
            const int16_t for_least = is_missing ? INT16_MAX : x[lane];
            tile->n_missing[lane] = (int16_t)(tile->n_missing[lane] + is_missing);
            tile->least[lane] = for_least < tile->least[lane] ? for_least : tile->least[lane];
            tile->most[lane] = x[lane] > tile->most[lane] ? x[lane] : tile->most[lane];
            tile->sum[lane] += is_missing ? 0 : x[lane];
        }
    }
}

/* How many values of each lane are at most `bound`; missing ones are, since they are the least code. */
static void tile_count(const struct sst_tile *tile, const int16_t bound[SST_TILE_LANES], int16_t count[SST_TILE_LANES])
{
    int16_t n[SST_TILE_LANES] = {0};
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane)
            n[lane] = (int16_t)(n[lane] + (x[lane] <= bound[lane]));
    }
    memcpy(count, n, sizeof n);
}

/* Halves the bracket of every lane once; returns whether some lane is still open. */
static int tile_bisect(const struct sst_tile *tile, const int16_t wanted[SST_TILE_LANES], int16_t low[SST_TILE_LANES],
                       int16_t high[SST_TILE_LANES])
{
    int16_t middle[SST_TILE_LANES], count[SST_TILE_LANES];
    int is_open = 0;
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        middle[lane] = (int16_t)((low[lane] & high[lane]) + ((low[lane] ^ high[lane]) >> 1));
    tile_count(tile, middle, count);
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int is_done = high[lane] - low[lane] <= 1;
        const int is_enough = count[lane] >= wanted[lane];
        high[lane] = is_enough && !is_done ? middle[lane] : high[lane];
        low[lane] = is_enough || is_done ? low[lane] : middle[lane];
        is_open |= high[lane] - low[lane] > 1;
    }
    return is_open;
}

/* The least value of each lane above its bound; INT16_MAX where there is none. */
static void tile_next_above(const struct sst_tile *tile, const int16_t bound[SST_TILE_LANES],
                            int16_t above[SST_TILE_LANES])
{
    int16_t least[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        least[lane] = INT16_MAX;
    for (size_t member = 0; member < tile->n_members; ++member) {
        const int16_t *x = tile->pool[member];
        for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
            const int16_t candidate = x[lane] > bound[lane] ? x[lane] : INT16_MAX;
            least[lane] = candidate < least[lane] ? candidate : least[lane];
        }
    }
    memcpy(above, least, sizeof least);
}

void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], int16_t value[SST_TILE_LANES],
                     int16_t next[SST_TILE_LANES])
{
    int16_t low[SST_TILE_LANES], count[SST_TILE_LANES], wanted[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int is_empty = tile->least[lane] > tile->most[lane];
        wanted[lane] = (int16_t)(k[lane] + 1 + tile->n_missing[lane]);
        value[lane] = tile->most[lane];
        low[lane] = (int16_t)(is_empty ? tile->most[lane] : tile->least[lane] - 1);
    }
    while (tile_bisect(tile, wanted, low, value))
        ;
    tile_count(tile, value, count);
    tile_next_above(tile, value, next);
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int is_repeated = count[lane] > wanted[lane], is_last = wanted[lane] >= (int16_t)tile->n_members;
        next[lane] = is_repeated || is_last ? value[lane] : next[lane];
    }
}
