/* The CPU backend: OpenMP over blocks of cells, in each the loops of the best instruction set. */
#include <math.h>
#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu_loops.h"
#include "backend/cpu_tail.h"
#include "backend/cpu_tile.h"
#include "core/mem.h"
#include "kernels/cell_quantile.h"

/* Cells of one task: the five planes of a block stay in a core's second-level cache. */
enum { BLOCK = 4096 };

/* Below this many cells a light loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 32768 };

static size_t block_end(size_t begin, size_t n_cells) { return n_cells - begin < BLOCK ? n_cells : begin + BLOCK; }

static void moments_add_fields(struct sst_moments_view bin, const struct sst_cells *cells,
                               const int16_t *const *hundredths, size_t n_fields)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
    const size_t n_cells = cells->n_places;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->moments_add(bin, cells, hundredths, n_fields, begin, block_end(begin, n_cells));
}

static void count_add_fields(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks,
                             size_t n_fields)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
    const size_t n_cells = cells->n_places;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->count_add(count, cells, marks, n_fields, begin, block_end(begin, n_cells));
}

static void plane_add(void *target, const void *source, enum sst_plane_type type, size_t n_cells)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->plane_add(target, source, type, begin, block_end(begin, n_cells));
}

static void plane_subtract(void *target, const void *source, enum sst_plane_type type, size_t n_cells)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->plane_subtract(target, source, type, begin, block_end(begin, n_cells));
}

static void moments_finish(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                           const struct sst_finish_out *out, size_t n_cells)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
#pragma omp parallel for schedule(dynamic) if (n_cells > BLOCK)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->moments_finish(window, fit, min_samples, out, begin, block_end(begin, n_cells));
}

struct exact_target {
    const struct sst_quantile_args *args;
    const struct sst_finish_out *out;
};

/* One tile with the cells that it is of. */
struct exact_tile {
    struct sst_tile values;
    size_t first_cell, n_lanes;
};

static bool has_enough(const struct exact_target *target, int n) { return n > 0 && n >= target->args->min_samples; }

static void finish_mean(const struct exact_target *target, const struct exact_tile *tile)
{
    const struct sst_lattice lattice = target->args->lattice;
    int32_t sum[SST_TILE_LANES];
    sst_tile_sum(&tile->values, sum);
    for (size_t lane = 0; lane < tile->n_lanes; ++lane) {
        const int n = tile->values.n_valid[lane];
        target->out->mean[tile->first_cell + lane] =
            has_enough(target, n) ? ((double)sum[lane] / (double)n + lattice.reference_steps) / lattice.steps_per_degree
                                  : NAN;
    }
}

static void finish_percentile(const struct exact_target *target, const struct exact_tile *tile, size_t q)
{
    const struct sst_lattice lattice = target->args->lattice;
    int16_t *found = target->out->found ? target->out->found[q] + tile->first_cell : NULL;
    double *quantile = target->out->quantile[q] + tile->first_cell;
    struct cell_rank rank[SST_TILE_LANES];
    int16_t k[SST_TILE_LANES] = {0}, hint[SST_TILE_LANES], value[SST_TILE_LANES], next[SST_TILE_LANES];
    for (size_t lane = 0; lane < SST_TILE_LANES; ++lane) {
        const int n = tile->values.n_valid[lane];
        hint[lane] = found && lane < tile->n_lanes ? found[lane] : SST_CODE_MISSING;
        if (n == 0)
            continue;
        rank[lane] = cell_rank_of(n, target->args->p[q], target->args->type);
        k[lane] = (int16_t)rank[lane].k;
    }
    sst_tile_select(&tile->values, k, hint, value, next);
    for (size_t lane = 0; lane < tile->n_lanes; ++lane) {
        const int n = tile->values.n_valid[lane];
        quantile[lane] = has_enough(target, n) ? cell_quantile_mix(sst_lattice_degc(lattice, value[lane]),
                                                                   sst_lattice_degc(lattice, next[lane]), rank[lane].g)
                                               : NAN;
        if (found && n > 0)
            found[lane] = value[lane];
    }
}

static void finish_tile(const struct exact_target *target, const struct exact_tile *tile)
{
    if (target->out->mean)
        finish_mean(target, tile);
    for (size_t lane = 0; lane < tile->n_lanes && target->out->n_obs; ++lane)
        target->out->n_obs[tile->first_cell + lane] = (uint16_t)tile->values.n_valid[lane];
    for (size_t q = 0; q < target->args->n_percentiles; ++q)
        finish_percentile(target, tile, q);
}

static enum sst_status exact_finish(const int16_t *const *members, size_t n_members,
                                    const struct sst_quantile_args *args, const struct sst_finish_out *out,
                                    size_t n_cells, struct sst_error *err)
{
    const struct exact_target target = {args, out};
    const size_t n_threads = (size_t)omp_get_max_threads();
    int16_t(*scratch)[SST_TILE_LANES] = NULL;
    SST_TRY(sst_alloc(n_threads * (n_members ? n_members : 1), sizeof *scratch, "scratch of the exact path", &scratch,
                      err));
#pragma omp parallel for schedule(dynamic)
    for (size_t first_cell = 0; first_cell < n_cells; first_cell += SST_TILE_LANES) {
        const size_t left = n_cells - first_cell;
        struct exact_tile tile = {.first_cell = first_cell, .n_lanes = left < SST_TILE_LANES ? left : SST_TILE_LANES};
        sst_tile_load(&tile.values, scratch + (size_t)omp_get_thread_num() * n_members, members, n_members, first_cell,
                      tile.n_lanes);
        finish_tile(&target, &tile);
    }
    sst_free(scratch);
    return SST_OK;
}

static void mean_of(const double *const *members, size_t n_members, double *out, size_t n_cells)
{
    const struct sst_cpu_loops *loops = sst_cpu_loops_chosen();
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK)
        loops->mean_of(members, n_members, out, begin, block_end(begin, n_cells));
}

const struct sst_backend *sst_backend_cpu(void)
{
    static const struct sst_backend cpu = {
        .name = "cpu",
        .moments_add_fields = moments_add_fields,
        .count_add_fields = count_add_fields,
        .plane_add = plane_add,
        .plane_subtract = plane_subtract,
        .moments_finish = moments_finish,
        .exact_finish = exact_finish,
        .tail_add_fields = sst_cpu_tail_add_fields,
        .tail_merge = sst_cpu_tail_merge,
        .tail_finish = sst_cpu_tail_finish,
        .mean_of = mean_of,
    };
    return &cpu;
}

void sst_backend_cpu_set_threads(int n_threads)
{
    if (n_threads > 0)
        omp_set_num_threads(n_threads);
}
