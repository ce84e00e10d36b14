/* Keeping values in tiles, and the percentiles of pools of them, counted where they lie. */
#include "backend/cpu_exact.h"

#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "backend/cpu_tile.h"
#include "core/mem.h"
#include "kernels/cell_quantile.h"

enum { LANES = SST_TILE_LANES, TILE_BLOCKS = LANES / SST_CELLS_WIDTH };

/* Tiles that a thread takes at a time: neighbours, which the processor fetches ahead. */
enum { TASK_TILES = 32 };

/* Below this many tiles a light loop is done sooner than a second thread is woken. */
enum { PARALLEL_TILES = 1024 };

/* Likewise for finishing, which costs some 16 ns a row of a tile: half a millisecond. */
enum { PARALLEL_ROWS = 1 << 15 };

/* --- keeping ----------------------------------------------------------------------------------------------------- */

/* Whether all cells of a tile are whole blocks of the domain: then a row of it is four vectors. */
static bool is_whole(const struct sst_cells *cells, size_t tile)
{
    const size_t end = (tile + 1) * TILE_BLOCKS, last_whole = cells->n_domain / SST_CELLS_WIDTH;
    if (cells->width != SST_CELLS_WIDTH || end > cells->n_given)
        return false;
    bool is_so = true;
    for (size_t place = end - TILE_BLOCKS; place < end; ++place)
        is_so &= cells->block_at[place] < last_whole;
    return is_so;
}

static void gather_row(const struct sst_cells *cells, const int16_t *codes, size_t tile, int16_t row[LANES])
{
    const size_t begin = tile * LANES, left = cells->n_places - begin, n = left < LANES ? left : LANES;
    sst_cells_gather(cells, codes, SST_CODE_MISSING, begin, begin + n, row);
    for (size_t lane = n; lane < LANES; ++lane)
        row[lane] = SST_CODE_MISSING;
}

/* Writes a row past the caches, where it is not wanted before the other years of the pool have come. */
static void stream_row(int16_t to[LANES], const int16_t from[LANES])
{
#if defined(__SSE2__)
    for (size_t i = 0; i < LANES * sizeof *to / sizeof(__m128i); ++i)
        _mm_stream_si128((__m128i *)(void *)to + i, _mm_load_si128((const __m128i *)(const void *)from + i));
#else
    memcpy(to, from, LANES * sizeof *to);
#endif
}

static void add_tile(const struct sst_kept *kept, const struct sst_cells *cells, const struct sst_field *const *fields,
                     size_t n_fields, size_t tile)
{
    _Alignas(SST_ALIGNMENT) int16_t rows[SST_MAX_BATCH][LANES];
    struct sst_kept_sums sums = {{0}, {0}};
    int16_t(*to)[LANES] = sst_kept_members(kept, tile) + (kept->n_members - n_fields);
    const uint32_t *block = cells->block_at + tile * TILE_BLOCKS;
    const bool whole = is_whole(cells, tile);
    if (kept->n_members > n_fields)
        memcpy(&sums, sst_kept_head(kept, tile), sizeof sums);
    for (size_t field = 0; field < n_fields; ++field) {
        if (!whole)
            gather_row(cells, fields[field]->codes, tile, rows[field]);
        for (size_t i = 0; i < TILE_BLOCKS && whole; ++i)
            memcpy(rows[field] + i * SST_CELLS_WIDTH, fields[field]->codes + (size_t)block[i] * SST_CELLS_WIDTH,
                   SST_CELLS_WIDTH * sizeof rows[0][0]);
        stream_row(to[field], rows[field]);
    }
    sst_loop_sums(&sums, (const int16_t(*)[LANES])rows, n_fields);
    memcpy(sst_kept_head(kept, tile), &sums, sizeof sums);
#if defined(__SSE2__)
    _mm_sfence(); /* by the thread that stored: others see the rows behind the barrier */
#endif
}

void sst_cpu_exact_add_fields(const struct sst_kept *kept, const struct sst_cells *cells,
                              const struct sst_field *const *fields, size_t n_fields)
{
    const size_t n_tiles = sst_kept_tiles(cells->n_places);
#pragma omp parallel for schedule(static) if (n_tiles >= PARALLEL_TILES)
    for (size_t tile = 0; tile < n_tiles; ++tile)
        add_tile(kept, cells, fields, n_fields, tile);
}

/* --- finishing --------------------------------------------------------------------------------------------------- */

struct target {
    const struct sst_quantile_args *args;
    const struct sst_finish_out *out;
    const struct cell_rank *ranks; /* by percentile, then by number of values: 1 + n_most of them */
    size_t n_most;
};

/* One tile with the cells that it is of. */
struct exact_tile {
    struct sst_tile values;
    int32_t sum[LANES];
    size_t first_cell, n_lanes;
};

static bool has_enough(const struct target *target, int n) { return n > 0 && n >= target->args->min_samples; }

static void finish_mean(const struct target *target, const struct exact_tile *tile)
{
    const struct sst_lattice lattice = target->args->lattice;
    double mean[LANES];
    for (size_t lane = 0; lane < LANES; ++lane) {
        const int n = tile->values.n_valid[lane];
        const double m =
            ((double)tile->sum[lane] / (double)(n > 0 ? n : 1) + lattice.reference_steps) / lattice.steps_per_degree;
        mean[lane] = has_enough(target, n) ? m : NAN;
    }
    memcpy(target->out->mean + tile->first_cell, mean, tile->n_lanes * sizeof *mean);
}

static void finish_percentile(const struct target *target, const struct exact_tile *tile, size_t q)
{
    const struct sst_lattice lattice = target->args->lattice;
    const struct cell_rank *ranks = target->ranks + q * (target->n_most + 1);
    int16_t *found = target->out->found ? target->out->found[q] + tile->first_cell : NULL;
    int16_t k[LANES], hint[LANES], value[LANES], next[LANES];
    double g[LANES], quantile[LANES];
    bool is_enough[LANES];
    for (size_t lane = 0; lane < LANES; ++lane) {
        const int n = tile->values.n_valid[lane];
        hint[lane] = SST_CODE_MISSING;
        k[lane] = (int16_t)ranks[n].k;
        g[lane] = ranks[n].g;
        is_enough[lane] = has_enough(target, n);
    }
    if (found)
        memcpy(hint, found, tile->n_lanes * sizeof *hint);
    sst_tile_select(&tile->values, k, hint, value, next);
    sst_loop_mix(value, next, g, is_enough, lattice.reference_steps, lattice.steps_per_degree, quantile);
    memcpy(target->out->quantile[q] + tile->first_cell, quantile, tile->n_lanes * sizeof *quantile);
    for (size_t lane = 0; lane < tile->n_lanes && found; ++lane)
        if (tile->values.n_valid[lane] > 0)
            found[lane] = value[lane];
}

static void finish_tile(const struct target *target, const struct exact_tile *tile)
{
    if (target->out->mean)
        finish_mean(target, tile);
    for (size_t lane = 0; lane < tile->n_lanes && target->out->n_obs; ++lane)
        target->out->n_obs[tile->first_cell + lane] = (uint16_t)tile->values.n_valid[lane];
    for (size_t q = 0; q < target->args->n_percentiles; ++q)
        finish_percentile(target, tile, q);
}

/* The runs of a tile, where they lie, and its sums. */
static void take_tile(struct exact_tile *tile, struct sst_run *runs, const struct sst_kept *kept, size_t n_kept,
                      size_t index)
{
    memset(tile->sum, 0, sizeof tile->sum);
    memset(tile->values.n_valid, 0, sizeof tile->values.n_valid);
    for (size_t i = 0; i < n_kept; ++i) {
        struct sst_kept_sums sums;
        memcpy(&sums, sst_kept_head(&kept[i], index), sizeof sums);
        for (int lane = 0; lane < LANES; ++lane) {
            tile->sum[lane] += sums.sum[lane];
            tile->values.n_valid[lane] = (int16_t)(tile->values.n_valid[lane] + sums.n_valid[lane]);
        }
        runs[i] = (struct sst_run){(const int16_t(*)[LANES])sst_kept_members(&kept[i], index), kept[i].n_members};
    }
    tile->values.runs = runs;
    tile->values.n_runs = n_kept;
}

static enum sst_status make_ranks(struct target *target, const struct sst_kept *kept, size_t n_kept,
                                  struct cell_rank **ranks, struct sst_error *err)
{
    for (size_t i = 0; i < n_kept; ++i)
        target->n_most += kept[i].n_members;
    SST_TRY(sst_alloc(target->args->n_percentiles * (target->n_most + 1), sizeof **ranks, "ranks of percentiles", ranks,
                      err));
    for (size_t q = 0; q < target->args->n_percentiles; ++q)
        for (size_t n = 1; n <= target->n_most; ++n)
            (*ranks)[q * (target->n_most + 1) + n] = cell_rank_of((int32_t)n, target->args->p[q], target->args->type);
    target->ranks = *ranks;
    return SST_OK;
}

enum sst_status sst_cpu_exact_finish(const struct sst_kept *kept, size_t n_kept, const struct sst_quantile_args *args,
                                     const struct sst_finish_out *out, size_t n_cells, struct sst_error *err)
{
    struct target target = {.args = args, .out = out};
    const size_t n_threads = (size_t)omp_get_max_threads(), n_tiles = sst_kept_tiles(n_cells);
    struct cell_rank *ranks = NULL;
    struct sst_run *runs = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(make_ranks(&target, kept, n_kept, &ranks, err));
    SST_TRY_GOTO(sst_alloc(n_threads * (n_kept + 1), sizeof *runs, "scratch of the exact path", &runs, err));
#pragma omp parallel for schedule(dynamic) if (n_tiles * target.n_most >= PARALLEL_ROWS)
    for (size_t first = 0; first < n_tiles; first += TASK_TILES) {
        const size_t end = n_tiles - first < TASK_TILES ? n_tiles : first + TASK_TILES;
        for (size_t index = first; index < end; ++index) {
            const size_t first_cell = index * LANES, left = n_cells - first_cell;
            struct exact_tile tile = {.first_cell = first_cell, .n_lanes = left < LANES ? left : LANES};
            take_tile(&tile, runs + (size_t)omp_get_thread_num() * (n_kept + 1), kept, n_kept, index);
            finish_tile(&target, &tile);
        }
    }
done:
    sst_free(ranks);
    sst_free(runs);
    return rc;
}
