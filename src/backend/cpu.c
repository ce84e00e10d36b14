/* The CPU backend: OpenMP over blocks of cells, inner loops written so that a plain -O3 vectorises them. */
#include <math.h>
#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu_exact.h"
#include "backend/cpu_tail.h"
#include "kernels/body_moments.h"
#include "kernels/cell_maxent.h"

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
        .exact_add_fields = sst_cpu_exact_add_fields,
        .exact_finish = sst_cpu_exact_finish,
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
