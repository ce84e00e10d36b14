/* Counting selection over tiles. */
#include "backend/cpu_tile.h"

#include <stdbool.h>
#include <string.h>

#include "core/field.h"

/* What a value too many means for where to look next, when nothing but the hint is known. [codes] */
enum { FIRST_STEP = 2 };

/* From this pass on every other one halves the bracket, so that no pool, however uneven, takes more than 8 and twice 16 of them. */
enum { FIRST_HALVING = 8 };

void sst_tile_load(struct sst_tile *tile, struct sst_run *run, int16_t (*scratch)[SST_TILE_LANES],
                   const int16_t *const *members, size_t n_members, size_t first_cell, size_t n_lanes)
{
    int16_t missing[SST_TILE_LANES];
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        missing[lane] = SST_CODE_MISSING;
    for (size_t member = 0; member < n_members; ++member) {
        const int16_t *codes = members[member] + first_cell;
        if (n_lanes == SST_TILE_LANES) {
            memcpy(scratch[member], codes, sizeof scratch[member]);
            continue;
        }
        memcpy(scratch[member], missing, sizeof missing);
        memcpy(scratch[member], codes, n_lanes * sizeof *codes);
    }
    *run = (struct sst_run){(const int16_t(*)[SST_TILE_LANES])scratch, n_members};
    tile->runs = run;
    tile->n_runs = 1;
    sst_loop_above(run, 1, missing, tile->n_valid);
}

/* Lanes with a hint start there and know nothing else; the others start between their least and greatest value. */
static void search_begin(struct sst_search *search, const struct sst_tile *tile, const int16_t k[SST_TILE_LANES],
                         const int16_t hint[SST_TILE_LANES])
{
    int16_t least[SST_TILE_LANES], most[SST_TILE_LANES];
    int n_cold = 0;
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        n_cold += tile->n_valid[lane] > 0 && hint[lane] == SST_CODE_MISSING;
    if (n_cold > 0)
        sst_loop_extremes(tile->runs, tile->n_runs, least, most);
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const bool is_empty = tile->n_valid[lane] == 0, is_cold = hint[lane] == SST_CODE_MISSING && !is_empty;
        search->allowed[lane] = tile->n_valid[lane] - k[lane] - 1;
        search->low[lane] = is_cold ? least[lane] - 1 : SST_CODE_MISSING;
        search->high[lane] = is_empty ? SST_CODE_MISSING : is_cold ? most[lane] : INT16_MAX;
        search->n_above_low[lane] = is_empty ? 1 : tile->n_valid[lane];
        search->n_above_high[lane] = 0;
        search->step[lane] = FIRST_STEP;
        const int middle = search->low[lane] + (search->high[lane] - search->low[lane]) / 2;
        search->probe[lane] = (int16_t)(is_cold ? middle : hint[lane]);
    }
}

void sst_tile_select(const struct sst_tile *tile, const int16_t k[SST_TILE_LANES], const int16_t hint[SST_TILE_LANES],
                     int16_t value[SST_TILE_LANES], int16_t next[SST_TILE_LANES])
{
    struct sst_search search;
    int16_t above[SST_TILE_LANES], bound[SST_TILE_LANES], below[SST_TILE_LANES];
    search_begin(&search, tile, k, hint);
    for (int pass = 0;; ++pass) {
        sst_loop_above(tile->runs, tile->n_runs, search.probe, above);
        if (!sst_loop_narrow(&search, above, pass >= FIRST_HALVING && pass % 2 == 0))
            break;
    }
    for (int lane = 0; lane < SST_TILE_LANES; ++lane)
        bound[lane] = (int16_t)search.high[lane];
    sst_loop_around(tile->runs, tile->n_runs, bound, below, next);
    for (int lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int n = tile->n_valid[lane], allowed = n - k[lane] - 1;
        value[lane] = n > 0 ? below[lane] : SST_CODE_MISSING;
        /* The last value, or repeated. */
        if (allowed <= 0 || search.n_above_high[lane] != allowed)
            next[lane] = value[lane];
    }
}
