/* A slot on its way out: smoothed, flagged, and spread from places over the domain. */
#include <math.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "core/timings.h"
#include "stream/climatology_private.h"

static enum sst_status new_doubles(double **out, size_t n, struct sst_error *err)
{
    SST_TRY(sst_alloc(n, sizeof **out, "a slot", out, err));
    for (size_t cell = 0; cell < n; ++cell)
        (*out)[cell] = NAN;
    return SST_OK;
}

static enum sst_status new_floats(float **out, size_t n, struct sst_error *err)
{
    SST_TRY(sst_alloc(n, sizeof **out, "a slot", out, err));
    for (size_t cell = 0; cell < n; ++cell)
        (*out)[cell] = NAN;
    return SST_OK;
}

enum sst_status sst_slot_values_init(struct sst_slot_values *values, const struct sst_engine *engine,
                                     struct sst_error *err)
{
    const size_t n = engine->job->n_cells;
    const size_t n_fields = sst_slot_n_quantiles(engine->policy->n_percentiles, engine->shape.has_bounds);
    SST_TRY(new_doubles(&values->mean, n, err));
    for (size_t q = 0; q < n_fields; ++q)
        SST_TRY(new_doubles(&values->quantile[q], n, err));
    SST_TRY(sst_alloc(n, sizeof *values->n_obs, "a slot", &values->n_obs, err));
    SST_TRY(sst_alloc(n, sizeof *values->flags, "a slot", &values->flags, err));
    if (!engine->shape.has_pool)
        return SST_OK;
    SST_TRY(new_floats(&values->shape.sd, n, err));
    SST_TRY(new_floats(&values->shape.skew, n, err));
    return new_floats(&values->shape.kurt, n, err);
}

void sst_slot_values_clear(struct sst_slot_values *values)
{
    sst_free(values->mean);
    for (size_t q = 0; q < SST_MAX_PERCENTILES_AND_BOUNDS; ++q)
        sst_free(values->quantile[q]);
    sst_free(values->n_obs);
    sst_free(values->flags);
    sst_free(values->shape.sd);
    sst_free(values->shape.skew);
    sst_free(values->shape.kurt);
    *values = (struct sst_slot_values){0};
}

/* An infinite bound says that nothing is proven on that side: no value. Its mean with others is infinite too. */
static void drop_unproven(const struct sst_estimate *values, size_t begin, size_t end)
{
    for (size_t field = 1; field < sst_estimate_n_fields(values->shape); ++field)
        for (size_t cell = begin; cell < end; ++cell)
            if (isinf(values->fields[field][cell]))
                values->fields[field][cell] = NAN;
}

/* A percentile is itself the bound on the side of the centre, and the estimate's bound is that on the side of the end. */
static void show_bounds(const struct sst_engine *engine, const struct sst_estimate *values, const double **quantile)
{
    const size_t n = engine->policy->n_percentiles;
    for (size_t q = 0; q < n; ++q) {
        const bool is_low = sst_tail_is_low(engine->policy->percentiles[q]);
        quantile[n + q] = values->fields[is_low ? 1 + n + q : 1 + q];
        quantile[2 * n + q] = values->fields[is_low ? 1 + q : 1 + n + q];
    }
}

static bool has_a_bound(const double *const *quantile, struct sst_estimate_shape shape, size_t cell)
{
    for (size_t bound = shape.n_percentiles; bound < 3 * shape.n_percentiles; ++bound)
        if (!isnan(quantile[bound][cell]))
            return true;
    return false;
}

/*
 * Whether a percentile says that next to nothing varies: outer ones only, by how far they are beyond the mean. One near the
 * middle is near the mean whatever varies.
 */
static bool tells_no_variance(double percentile, double value, double mean)
{
    if (percentile >= SST_LOWEST_UPPER_PERCENTILE)
        return value - mean < SST_NO_VARIANCE_DEGC;
    return percentile <= SST_HIGHEST_LOWER_PERCENTILE && mean - value < SST_NO_VARIANCE_DEGC;
}

/* What is written of a slot, by place. */
struct written {
    const struct sst_estimate *values, *own; /* smoothed; of the slot's pool */
    const double *quantile[SST_MAX_PERCENTILES_AND_BOUNDS];
    bool is_derived;
};

/* Flags that depend on the values as they are written. */
static void set_value_flags(const struct sst_engine *engine, const struct written *written, size_t begin, size_t end,
                            uint16_t *all_flags)
{
    const double *mean = written->values->fields[0];
    const uint8_t *uncertified = written->values->uncertified;
    for (size_t cell = begin; cell < end; ++cell) {
        unsigned flags = all_flags[cell];
        bool is_missing = isnan(mean[cell]);
        for (size_t q = 0; q < engine->policy->n_percentiles && !is_missing; ++q) {
            const double value = written->quantile[q][cell];
            is_missing = isnan(value);
            if (tells_no_variance(engine->policy->percentiles[q], value, mean[cell]))
                flags |= SST_FLAG_ICE_OR_NO_VARIANCE;
        }
        /* What has no value needs no other reason for care, but the leap day stays named, and a bound without a value. */
        if (is_missing)
            flags = SST_FLAG_MISSING | (flags & SST_FLAG_DERIVED_LEAP_DAY);
        if (uncertified && uncertified[cell] && (!is_missing || has_a_bound(written->quantile, engine->shape, cell)))
            flags |= SST_FLAG_UNCERTIFIED;
        all_flags[cell] = (uint16_t)flags;
    }
}

/* The slot's own estimate, or the mean of those that the smoother joins. */
static const struct sst_estimate *smooth(struct sst_engine *engine, int slot)
{
    int indices[SST_N_SLOTS];
    const struct sst_estimate *members[SST_N_SLOTS];
    const int n_members = sst_schedule_members(&engine->schedule, engine->policy, slot, indices);
    if (n_members <= 1)
        return &engine->estimates[engine->schedule.estimate_index[slot]];
    for (int m = 0; m < n_members; ++m)
        members[m] = &engine->estimates[indices[m]];
    sst_estimate_smooth(&engine->smoothed, members, n_members, engine->job->backend);
    return &engine->smoothed;
}

static size_t n_quantiles(const struct sst_engine *engine)
{
    return sst_slot_n_quantiles(engine->policy->n_percentiles, engine->shape.has_bounds);
}

/* Places begin .. end - 1 to the domain. */
static void scatter(struct sst_engine *engine, const struct written *written, size_t begin, size_t end)
{
    const struct sst_cells *cells = &engine->cells;
    const struct sst_shape *pool = &written->own->pool;
    struct sst_slot_values *to = &engine->values;
    sst_cells_scatter_part(cells, engine->written_flags, sizeof *to->flags, begin, end, to->flags);
    sst_cells_scatter_part(cells, written->own->n_obs, sizeof *to->n_obs, begin, end, to->n_obs);
    sst_cells_scatter_part(cells, written->values->fields[0], sizeof *to->mean, begin, end, to->mean);
    for (size_t q = 0; q < n_quantiles(engine); ++q)
        sst_cells_scatter_part(cells, written->quantile[q], sizeof(double), begin, end, to->quantile[q]);
    if (!to->shape.sd)
        return;
    sst_cells_scatter_part(cells, pool->sd, sizeof(float), begin, end, to->shape.sd);
    sst_cells_scatter_part(cells, pool->skew, sizeof(float), begin, end, to->shape.skew);
    sst_cells_scatter_part(cells, pool->kurt, sizeof(float), begin, end, to->shape.kurt);
}

/* All that is done with a place, while its values are near. The flags are a copy: a derived slot inherits the pools'. */
static void write_places(struct sst_engine *engine, const struct written *written, size_t begin, size_t end)
{
    if (engine->shape.has_bounds)
        drop_unproven(written->values, begin, end);
    memcpy(engine->written_flags + begin, written->own->flags + begin, (end - begin) * sizeof *written->own->flags);
    set_value_flags(engine, written, begin, end, engine->written_flags);
    scatter(engine, written, begin, end);
}

/* From places to the domain. Cells without a place have no value. */
static void write_domain(struct sst_engine *engine, const struct written *written)
{
    const size_t n_places = engine->cells.n_places, n_domain = engine->cells.n_domain;
    const uint16_t no_value = SST_FLAG_MISSING | (written->is_derived ? SST_FLAG_DERIVED_LEAP_DAY : 0);
    uint16_t *flags = engine->values.flags;
#pragma omp parallel if (n_domain >= SST_PARALLEL_PLACES)
    {
#pragma omp for schedule(static)
        for (size_t cell = 0; cell < n_domain; ++cell)
            flags[cell] = no_value;
#pragma omp for schedule(static)
        for (size_t begin = 0; begin < n_places; begin += SST_PLACES_BLOCK)
            write_places(engine, written, begin,
                         n_places - begin < SST_PLACES_BLOCK ? n_places : begin + SST_PLACES_BLOCK);
    }
}

enum sst_status sst_engine_put_slot(struct sst_engine *engine, int slot, struct sst_error *err)
{
    const int estimate = engine->schedule.estimate_index[slot];
    const double start = sst_timings_now();
    struct written written = {.values = smooth(engine, slot),
                              .own = &engine->estimates[estimate],
                              .is_derived = engine->schedule.is_derived[estimate]};
    struct sst_slot_result result = {
        .slot = slot,
        .n_cells = engine->job->n_cells,
        .mean = engine->values.mean,
        .has_bounds = engine->shape.has_bounds,
        .n_obs = engine->values.n_obs,
        .flags = engine->values.flags,
        .shape = engine->values.shape,
        .n_probes = engine->job->n_probes,
    };
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        written.quantile[q] = written.values->fields[1 + q];
        result.probe_quantile[q] = written.values->probe_quantile[q];
    }
    if (result.has_bounds)
        show_bounds(engine, written.values, written.quantile);
    for (size_t q = 0; q < n_quantiles(engine); ++q)
        result.quantile[q] = engine->values.quantile[q];
    write_domain(engine, &written);
    (void)sst_timings_book(engine->job->timings, SST_PHASE_FINISH, start);
    return engine->sink->put(engine->sink->user, &result, err);
}
