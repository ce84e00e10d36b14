/* The CPU backend: OpenMP over blocks of cells, in each the loops of the best instruction set. */
#include <math.h>
#include <omp.h>

#include "backend/backend.h"
#include "backend/cpu_exact.h"
#include "backend/cpu_loops.h"
#include "backend/cpu_tail.h"

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
