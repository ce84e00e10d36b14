/*
 * Mean and percentiles of a window of moments. Cornish-Fisher is worked out for a chunk of cells at a time, step by step, so
 * that the compiler makes vectors of divisions and roots: the steps are the functions that the cell's own are made of.
 * Compiled per level; the plain loop goes cell by cell.
 */
#include "backend/cpu_loops_level.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/body_moments.h"
#include "kernels/cell_maxent.h"

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

static void finish_cells(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                         const struct sst_finish_out *out, size_t begin, size_t end)
{
    const struct body_moments_planes planes = {window.n, window.s1, window.s2, window.s3, window.s4};
    const struct cell_shape no_shape = {NAN, NAN, NAN, NAN};
    const bool wants_shape = out->shape.sd != NULL;
    for (size_t cell = begin; cell < end; ++cell) {
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

#ifdef __AVX2__
/* Cells of a chunk: their steps stay in a first-level cache. */
enum { CHUNK = 128 };

/* One double from the halves of a whole number: each is exact, so their sum is rounded once, as a conversion is. */
static inline double join_halves(uint64_t high, uint64_t low, double offset)
{
    const uint64_t high_bits = high | UINT64_C(0x4530000000000000); /* 2^84 + 2^32 high */
    const uint64_t low_bits = low | UINT64_C(0x4330000000000000); /* 2^52 + low */
    double high_part, low_part;
    memcpy(&high_part, &high_bits, sizeof high_part);
    memcpy(&low_part, &low_bits, sizeof low_part);
    return high_part - offset + low_part;
}

/* (double)x, for units that convert 32 bits at most. */
static inline double double_of_unsigned(uint64_t x)
{
    return join_halves(x >> 32, x & UINT32_MAX, 0x1.00000001p84); /* 2^84 + 2^52 */
}

static inline double double_of_signed(int64_t x)
{
    const uint64_t raised = (uint64_t)x ^ (UINT64_C(1) << 63); /* x + 2^63 */
    return join_halves(raised >> 32, raised & UINT32_MAX, 0x1.00000801p84); /* 2^84 + 2^63 + 2^52 */
}

/* What is known of the cells of a chunk; doubles, so that all steps are of one width. */
struct chunk {
    size_t n_cells;
    int32_t count[CHUNK]; /* 1 where there are too few values */
    int32_t centre[CHUNK];
    double is_enough[CHUNK], is_constant[CHUNK]; /* 0 or 1 */
    double n[CHUNK], s1[CHUNK], t1[CHUNK], t2[CHUNK], t3[CHUNK], t4[CHUNK];
    double mean[CHUNK], sd[CHUNK], skew[CHUNK], kurt[CHUNK]; /* in hundredths; NaN where there are too few values */
};

static void chunk_count(struct chunk *restrict chunk, const uint16_t *restrict n, const int32_t *restrict s1,
                        int min_samples)
{
    const int32_t least = min_samples > 1 ? min_samples : 1;
    for (size_t i = 0; i < chunk->n_cells; ++i) {
        const int32_t count = n[i];
        chunk->is_enough[i] = count >= least ? 1.0 : 0.0;
        chunk->count[i] = count > 0 ? count : 1;
        chunk->n[i] = (double)chunk->count[i];
        chunk->s1[i] = (double)s1[i];
        chunk->centre[i] = cell_moments_centre(chunk->count[i], s1[i]);
    }
}

static void chunk_centre(struct chunk *restrict chunk, const int32_t *restrict s1, const int64_t *restrict s2,
                         const int64_t *restrict s3, const int64_t *restrict s4)
{
    for (size_t i = 0; i < chunk->n_cells; ++i) {
        const struct cell_moments sums = {(uint32_t)chunk->count[i], s1[i], s2[i], s3[i], s4[i]};
        const struct cell_central central = cell_moments_central(sums, chunk->centre[i]);
        chunk->is_constant[i] = central.is_constant ? 1.0 : 0.0;
        chunk->t1[i] = double_of_signed(central.t1);
        chunk->t2[i] = double_of_unsigned(central.t2);
        chunk->t3[i] = double_of_signed(central.t3);
        chunk->t4[i] = double_of_unsigned(central.t4);
    }
}

static void chunk_shape(struct chunk *restrict chunk)
{
    for (size_t i = 0; i < chunk->n_cells; ++i) {
        const struct cell_shape shape =
            cell_central_shape(chunk->n[i], chunk->s1[i], chunk->t1[i], chunk->t2[i], chunk->t3[i], chunk->t4[i]);
        const bool is_enough = chunk->is_enough[i] != 0.0, is_constant = chunk->is_constant[i] != 0.0;
        const double sd = is_constant ? 0.0 : shape.sd, skew = is_constant ? 0.0 : shape.skew;
        const double kurt = is_constant ? 0.0 : shape.kurt;
        chunk->mean[i] = is_enough ? shape.mean : (double)NAN;
        chunk->sd[i] = is_enough ? sd : (double)NAN;
        chunk->skew[i] = is_enough ? skew : (double)NAN;
        chunk->kurt[i] = is_enough ? kurt : (double)NAN;
    }
}

static inline struct cell_shape shape_at(const struct chunk *chunk, size_t i)
{
    const struct cell_shape shape = {chunk->mean[i], chunk->sd[i], chunk->skew[i], chunk->kurt[i]};
    return shape;
}

static void chunk_quantile(const struct chunk *restrict chunk, double z, double *restrict quantile)
{
    for (size_t i = 0; i < chunk->n_cells; ++i) {
        const double value = cell_cf_quantile(shape_at(chunk, i), z) / HUNDREDTHS_PER_DEGREE;
        quantile[i] = chunk->is_enough[i] != 0.0 ? value : (double)NAN;
    }
}

static void finish_chunk(struct sst_moments_view window, const struct sst_moments_fit *fit, int min_samples,
                         const struct sst_finish_out *out, size_t first, size_t n_cells)
{
    struct chunk chunk;
    chunk.n_cells = n_cells;
    chunk_count(&chunk, window.n + first, window.s1 + first, min_samples);
    chunk_centre(&chunk, window.s1 + first, window.s2 + first, window.s3 + first, window.s4 + first);
    chunk_shape(&chunk);
    for (size_t q = 0; q < fit->n_percentiles; ++q)
        chunk_quantile(&chunk, fit->z[q], out->quantile[q] + first);
    for (size_t i = 0; i < n_cells; ++i) {
        out->mean[first + i] = chunk.mean[i] / HUNDREDTHS_PER_DEGREE;
        out->guarded[first + i] = (uint8_t)cell_cf_is_guarded(shape_at(&chunk, i));
    }
    for (size_t i = 0; i < n_cells && out->shape.sd; ++i)
        put_shape(&out->shape, shape_at(&chunk, i), first + i);
}
#endif

void SST_CPU_NAME(sst_cpu_moments_finish)(struct sst_moments_view window, const struct sst_moments_fit *fit,
                                          int min_samples, const struct sst_finish_out *out, size_t begin, size_t end)
{
#ifdef __AVX2__
    for (; begin < end && fit->kind == SST_FIT_CF; begin += CHUNK)
        finish_chunk(window, fit, min_samples, out, begin, end - begin < CHUNK ? end - begin : CHUNK);
#endif
    if (begin < end)
        finish_cells(window, fit, min_samples, out, begin, end);
}
