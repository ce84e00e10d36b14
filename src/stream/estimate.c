/* Estimates: their memory and their means. */
#include "stream/estimate.h"

#include <math.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"

/* Planes of a struct sst_shape. */
enum { SHAPE_PLANES = 3 };

size_t sst_estimate_n_fields(struct sst_estimate_shape shape)
{
    return 1 + shape.n_percentiles * (shape.has_bounds ? 2 : 1);
}

uint64_t sst_estimate_bytes(struct sst_estimate_shape shape)
{
    const uint64_t cell_bytes = sizeof(double) * sst_estimate_n_fields(shape) + 2 * sizeof(uint16_t) +
                                (shape.has_bounds ? sizeof(uint8_t) : 0) +
                                (shape.has_pool ? SHAPE_PLANES * sizeof(float) : 0);
    return shape.n_cells * cell_bytes + shape.n_probes * sizeof(double) * shape.n_percentiles;
}

void sst_estimate_clear(struct sst_estimate *estimate)
{
    for (size_t field = 0; field < SST_MAX_ESTIMATE_FIELDS; ++field)
        sst_free(estimate->fields[field]);
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q)
        sst_free(estimate->probe_quantile[q]);
    sst_free(estimate->n_obs);
    sst_free(estimate->flags);
    sst_free(estimate->uncertified);
    sst_free(estimate->pool.sd);
    sst_free(estimate->pool.skew);
    sst_free(estimate->pool.kurt);
    memset(estimate, 0, sizeof *estimate);
}

enum sst_status sst_estimate_init(struct sst_estimate *estimate, struct sst_estimate_shape shape, struct sst_error *err)
{
    const size_t n_cells = shape.n_cells;
    enum sst_status rc = SST_OK;
    estimate->shape = shape;
    for (size_t field = 0; field < sst_estimate_n_fields(shape); ++field)
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(double), "an estimate", &estimate->fields[field], err));
    for (size_t q = 0; q < shape.n_percentiles; ++q)
        SST_TRY_GOTO(sst_alloc(shape.n_probes, sizeof(double), "probes", &estimate->probe_quantile[q], err));
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *estimate->n_obs, "an estimate", &estimate->n_obs, err));
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *estimate->flags, "an estimate", &estimate->flags, err));
    if (shape.has_bounds)
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(uint8_t), "an estimate", &estimate->uncertified, err));
    if (shape.has_pool) {
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(float), "an estimate", &estimate->pool.sd, err));
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(float), "an estimate", &estimate->pool.skew, err));
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(float), "an estimate", &estimate->pool.kurt, err));
    }
    estimate->is_live = true;
done:
    if (rc != SST_OK)
        sst_estimate_clear(estimate);
    return rc;
}

static enum sst_status extend_values(double **values, size_t old_count, size_t new_count, struct sst_error *err)
{
    SST_TRY(sst_extend(values, old_count, new_count, sizeof **values, "an estimate", err));
    for (size_t cell = old_count; cell < new_count; ++cell)
        (*values)[cell] = NAN;
    return SST_OK;
}

static enum sst_status extend_shape(float **values, size_t old_count, size_t new_count, struct sst_error *err)
{
    SST_TRY(sst_extend(values, old_count, new_count, sizeof **values, "an estimate", err));
    for (size_t cell = old_count; cell < new_count; ++cell)
        (*values)[cell] = NAN;
    return SST_OK;
}

enum sst_status sst_estimate_grow(struct sst_estimate *estimate, size_t n_cells, struct sst_error *err)
{
    const struct sst_estimate_shape shape = estimate->shape;
    const size_t old_count = shape.n_cells;
    for (size_t field = 0; field < sst_estimate_n_fields(shape); ++field)
        SST_TRY(extend_values(&estimate->fields[field], old_count, n_cells, err));
    SST_TRY(sst_extend(&estimate->n_obs, old_count, n_cells, sizeof *estimate->n_obs, "an estimate", err));
    SST_TRY(sst_extend(&estimate->flags, old_count, n_cells, sizeof *estimate->flags, "an estimate", err));
    for (size_t cell = old_count; cell < n_cells; ++cell)
        estimate->flags[cell] = SST_FLAG_FEW_SAMPLES;
    if (shape.has_bounds)
        SST_TRY(sst_extend(&estimate->uncertified, old_count, n_cells, sizeof(uint8_t), "an estimate", err));
    if (shape.has_pool) {
        SST_TRY(extend_shape(&estimate->pool.sd, old_count, n_cells, err));
        SST_TRY(extend_shape(&estimate->pool.skew, old_count, n_cells, err));
        SST_TRY(extend_shape(&estimate->pool.kurt, old_count, n_cells, err));
    }
    estimate->shape.n_cells = n_cells;
    return SST_OK;
}

struct sst_method_out sst_estimate_out(const struct sst_estimate *estimate, uint8_t *guarded)
{
    const size_t n = estimate->shape.n_percentiles;
    double *const *quantile = estimate->fields + 1;
    struct sst_method_out out = {
        .mean = estimate->fields[0],
        .quantile = quantile,
        .n_obs = estimate->n_obs,
        .guarded = guarded,
        .uncertified = estimate->uncertified,
        .shape = estimate->pool,
    };
    if (estimate->shape.has_bounds)
        out.bound = quantile + n;
    return out;
}

static void mean_of_two(double *out, const double *before, const double *after, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i)
        out[i] = (before[i] + after[i]) / 2.0;
}

static void mean_shape_of_two(const struct sst_shape *out, const struct sst_shape *before,
                              const struct sst_shape *after, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; ++i) {
        out->sd[i] = (before->sd[i] + after->sd[i]) / 2.0f;
        out->skew[i] = (before->skew[i] + after->skew[i]) / 2.0f;
        out->kurt[i] = (before->kurt[i] + after->kurt[i]) / 2.0f;
    }
}

static void derive_places(const struct sst_estimate *estimate, const struct sst_estimate *before,
                          const struct sst_estimate *after, size_t begin, size_t end)
{
    const struct sst_estimate_shape shape = estimate->shape;
    const unsigned inherited = SST_FLAG_FEW_SAMPLES | SST_FLAG_ICE_OR_NO_VARIANCE | SST_FLAG_GUARDED_ESTIMATE;
    for (size_t field = 0; field < sst_estimate_n_fields(shape); ++field)
        mean_of_two(estimate->fields[field], before->fields[field], after->fields[field], begin, end);
    if (shape.has_pool)
        mean_shape_of_two(&estimate->pool, &before->pool, &after->pool, begin, end);
    for (size_t cell = begin; cell < end; ++cell) {
        estimate->n_obs[cell] = 0;
        estimate->flags[cell] =
            (uint16_t)(SST_FLAG_DERIVED_LEAP_DAY | ((before->flags[cell] | after->flags[cell]) & inherited));
    }
    for (size_t cell = begin; shape.has_bounds && cell < end; ++cell)
        estimate->uncertified[cell] = before->uncertified[cell] | after->uncertified[cell];
}

static size_t block_end(size_t begin, size_t n_cells)
{
    return n_cells - begin < SST_PLACES_BLOCK ? n_cells : begin + SST_PLACES_BLOCK;
}

void sst_estimate_derive(struct sst_estimate *estimate, const struct sst_estimate *before,
                         const struct sst_estimate *after)
{
    const struct sst_estimate_shape shape = estimate->shape;
#pragma omp parallel for schedule(static) if (shape.n_cells >= SST_PARALLEL_PLACES)
    for (size_t begin = 0; begin < shape.n_cells; begin += SST_PLACES_BLOCK)
        derive_places(estimate, before, after, begin, block_end(begin, shape.n_cells));
    for (size_t q = 0; q < shape.n_percentiles; ++q)
        mean_of_two(estimate->probe_quantile[q], before->probe_quantile[q], after->probe_quantile[q], 0,
                    shape.n_probes);
}

/* Uncertified where one of those is that are joined. */
static void join_uncertified(const struct sst_estimate *estimate, const struct sst_estimate *const *members,
                             int n_members, size_t begin, size_t end)
{
    memset(estimate->uncertified + begin, 0, end - begin);
    for (int m = 0; m < n_members; ++m)
        for (size_t cell = begin; cell < end; ++cell)
            estimate->uncertified[cell] |= members[m]->uncertified[cell];
}

void sst_estimate_smooth(struct sst_estimate *estimate, const struct sst_estimate *const *members, int n_members,
                         const struct sst_backend *backend)
{
    const struct sst_estimate_shape shape = estimate->shape;
    const double *series[SST_N_SLOTS];
    for (size_t field = 0; field < sst_estimate_n_fields(shape); ++field) {
        for (int m = 0; m < n_members; ++m)
            series[m] = members[m]->fields[field];
        backend->mean_of(series, (size_t)n_members, estimate->fields[field], shape.n_cells);
    }
    for (size_t q = 0; q < shape.n_percentiles; ++q) {
        for (int m = 0; m < n_members; ++m)
            series[m] = members[m]->probe_quantile[q];
        backend->mean_of(series, (size_t)n_members, estimate->probe_quantile[q], shape.n_probes);
    }
    if (!shape.has_bounds)
        return;
#pragma omp parallel for schedule(static) if (shape.n_cells >= SST_PARALLEL_PLACES)
    for (size_t begin = 0; begin < shape.n_cells; begin += SST_PLACES_BLOCK)
        join_uncertified(estimate, members, n_members, begin, block_end(begin, shape.n_cells));
}
