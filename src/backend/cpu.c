/* The CPU backend: OpenMP over blocks of cells, inner loops written so that a plain -O3 vectorises them. */
#include <math.h>
#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu_tail.h"
#include "backend/cpu_tile.h"
#include "core/mem.h"
#include "kernels/body_moments.h"
#include "kernels/cell_maxent.h"
#include "kernels/cell_quantile.h"

/* Cells of one task: the five planes of a block stay in a core's second-level cache. */
enum { BLOCK = 4096 };

/* Below this many cells a light loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 32768 };

static size_t block_end(size_t begin, size_t n_cells) { return n_cells - begin < BLOCK ? n_cells : begin + BLOCK; }

static void moments_add_fields(struct sst_moments_view bin, const struct sst_cells *cells,
                               const int16_t *const *hundredths, size_t n_fields)
{
    const size_t n_cells = cells->n_places;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK) {
        const size_t end = block_end(begin, n_cells);
        const struct body_moments_planes planes = {bin.n + begin, bin.s1 + begin, bin.s2 + begin, bin.s3 + begin,
                                                   bin.s4 + begin};
        int16_t values[BLOCK];
        for (size_t field = 0; field < n_fields; ++field) {
            sst_cells_gather(cells, hundredths[field], SST_CODE_MISSING, begin, end, values);
            for (size_t cell = 0; cell < end - begin; ++cell)
                body_moments_add(planes, values, SST_CODE_MISSING, cell);
        }
    }
}

static void count_add_fields(uint16_t *count, const struct sst_cells *cells, const uint8_t *const *marks,
                             size_t n_fields)
{
    const size_t n_cells = cells->n_places;
    for (size_t begin = 0; begin < n_cells; begin += BLOCK) {
        const size_t end = block_end(begin, n_cells);
        uint8_t values[BLOCK];
        for (size_t field = 0; field < n_fields; ++field) {
            sst_cells_gather_marks(cells, marks[field], begin, end, values);
            for (size_t cell = 0; cell < end - begin; ++cell)
                count[begin + cell] = (uint16_t)(count[begin + cell] + values[cell]);
        }
    }
}

/* Adds or takes away a plane, one function per width; unsigned, so that a window may pass through wrapped values. */
#define PLANE_FUNCTION(name, type, sign)                                                                               \
    static void name(type *restrict to, const type *restrict from, size_t n_cells)                                     \
    {                                                                                                                  \
        PLANE_PRAGMA                                                                                                   \
        for (size_t cell = 0; cell < n_cells; ++cell)                                                                  \
            to[cell] = (type)(to[cell] sign from[cell]);                                                               \
    }
#define PLANE_PRAGMA _Pragma("omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)")

PLANE_FUNCTION(add_16, uint16_t, +)
PLANE_FUNCTION(add_32, uint32_t, +)
PLANE_FUNCTION(add_64, uint64_t, +)
PLANE_FUNCTION(subtract_16, uint16_t, -)
PLANE_FUNCTION(subtract_32, uint32_t, -)
PLANE_FUNCTION(subtract_64, uint64_t, -)

static void plane_add(void *target, const void *source, enum sst_plane_type type, size_t n_cells)
{
    switch (sst_plane_type_size(type)) {
    case sizeof(uint16_t):
        add_16(target, source, n_cells);
        break;
    case sizeof(uint32_t):
        add_32(target, source, n_cells);
        break;
    default:
        add_64(target, source, n_cells);
        break;
    }
}

static void plane_subtract(void *target, const void *source, enum sst_plane_type type, size_t n_cells)
{
    switch (sst_plane_type_size(type)) {
    case sizeof(uint16_t):
        subtract_16(target, source, n_cells);
        break;
    case sizeof(uint32_t):
        subtract_32(target, source, n_cells);
        break;
    default:
        subtract_64(target, source, n_cells);
        break;
    }
}

/* Sums are of hundredths on every lattice. */
static const double HUNDREDTHS_PER_DEGREE = 100.0;

/* Percentiles of one cell; returns whether the shape is guarded. */
static int fit_cell(const struct sst_moments_fit *fit, struct cell_shape shape, double *const *quantile, size_t cell)
{
    if (fit->kind == SST_FIT_CF) {
        for (size_t q = 0; q < fit->n_percentiles; ++q)
            quantile[q][cell] = cell_cf_quantile(shape, fit->z[q]) / HUNDREDTHS_PER_DEGREE;
        return cell_cf_is_guarded(shape);
    }
    const struct cell_maxent_place place = cell_maxent_place_of(shape, fit->v_limit);
    for (size_t q = 0; q < fit->n_percentiles; ++q)
        quantile[q][cell] = cell_maxent_quantile(shape, place, fit->table[q]) / HUNDREDTHS_PER_DEGREE;
    return shape.sd > 0.0 && place.is_guarded;
}

/* Shape of one cell in degC; a NaN stays one. */
static void put_shape(const struct sst_shape *out, struct cell_shape shape, size_t cell)
{
    out->sd[cell] = (float)(shape.sd / HUNDREDTHS_PER_DEGREE);
    out->skew[cell] = (float)shape.skew;
    out->kurt[cell] = (float)shape.kurt;
}

static void moments_finish(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                           const struct sst_finish_out *out, size_t n_cells)
{
    const struct body_moments_planes planes = {window.n, window.s1, window.s2, window.s3, window.s4};
    const struct cell_shape no_shape = {NAN, NAN, NAN, NAN};
    const bool wants_shape = out->shape.sd != NULL;
#pragma omp parallel for schedule(dynamic, BLOCK) if (n_cells > BLOCK)
    for (size_t cell = 0; cell < n_cells; ++cell) {
        const struct cell_moments sums = body_moments_load(planes, cell);
        if (sums.n == 0 || (int)sums.n < min_samples) {
            out->mean[cell] = NAN;
            for (size_t q = 0; q < fit->n_percentiles; ++q)
                out->quantile[q][cell] = NAN;
            out->guarded[cell] = 0;
            if (wants_shape)
                put_shape(&out->shape, no_shape, cell);
            continue;
        }
        const struct cell_shape shape = cell_moments_shape(sums);
        out->mean[cell] = shape.mean / HUNDREDTHS_PER_DEGREE;
        out->guarded[cell] = (uint8_t)fit_cell(fit, shape, out->quantile, cell);
        if (wants_shape)
            put_shape(&out->shape, shape, cell);
    }
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
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += BLOCK) {
        const size_t end = block_end(begin, n_cells);
        int32_t n_valid[BLOCK] = {0};
        for (size_t cell = begin; cell < end; ++cell)
            out[cell] = 0.0;
        for (size_t member = 0; member < n_members; ++member) {
            const double *restrict value = members[member];
            for (size_t cell = begin; cell < end; ++cell) {
                const int is_valid = value[cell] == value[cell];
                out[cell] += is_valid ? value[cell] : 0.0;
                n_valid[cell - begin] += is_valid;
            }
        }
        for (size_t cell = begin; cell < end; ++cell) {
            const int32_t n = n_valid[cell - begin];
            out[cell] = 2 * (size_t)n >= n_members && n > 0 ? out[cell] / (double)n : NAN;
        }
    }
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
