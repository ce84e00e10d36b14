/* The engine: walks the schedule, and holds what methods remember and estimates for as long as they are needed. */
#include "stream/climatology.h"

#include <math.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "stream/bins.h"
#include "stream/estimate.h"
#include "stream/method.h"
#include "stream/schedule.h"

/* A method at work: over all cells, or the exact one over the probes. */
struct worker {
    const struct sst_method *method;
    void *state;
};

enum { MAX_WORKERS = 2 };

struct engine {
    const struct sst_climatology_job *job;
    const struct sst_policy *policy;
    const struct sst_slot_sink *sink;
    struct sst_schedule schedule;

    struct worker workers[MAX_WORKERS]; /* the estimator's; then that of the probes, where there are any */
    size_t n_workers;
    struct sst_bin_set ice; /* not open until a field has ice */
    struct sst_term terms[SST_MAX_TERMS]; /* of the windows as they stand */
    int n_terms;

    struct sst_estimate_shape shape;
    struct sst_estimate estimates[SST_MAX_STEPS];
    struct sst_estimate smoothed;
    uint8_t *guarded; /* scratch */
    uint16_t *written_flags; /* scratch: those of the pool, of the written values and of the sink */

    size_t days_done, days_total;
};

/* An estimate takes over the arrays of one that has had its last use, if there is one. */
static enum sst_status estimate_open(struct engine *engine, int index, struct sst_error *err)
{
    for (int old = 0; old < index; ++old) {
        struct sst_estimate *spare = &engine->estimates[old];
        if (!spare->is_live && spare->n_obs) {
            engine->estimates[index] = *spare;
            memset(spare, 0, sizeof *spare);
            engine->estimates[index].is_live = true;
            return SST_OK;
        }
    }
    return sst_estimate_init(&engine->estimates[index], engine->shape, err);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static enum sst_status add_field(struct engine *engine, struct sst_term term, const struct sst_field *field,
                                 struct sst_error *err)
{
    for (size_t w = 0; w < engine->n_workers; ++w)
        SST_TRY(engine->workers[w].method->add_field(engine->workers[w].state, term, field, err));
    if (field->has_ice) {
        struct sst_bin *bin = NULL;
        if (!sst_bin_set_is_open(&engine->ice)) /* the first file may know no ice, and a later one may */
            SST_TRY(sst_bin_set_open(&engine->ice, sst_estimator_ice(), engine->job->n_cells, err));
        SST_TRY(sst_bin_set_at(&engine->ice, term, sst_estimator_ice(), &bin, err));
        engine->job->backend->count_add_field(bin->planes[0], field->ice, engine->job->n_cells);
    }
    return SST_OK;
}

static enum sst_status read_slot(struct engine *engine, int slot, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &engine->policy->pools;
    for (int year = pools->first_year - 1; year <= pools->last_year + 1; ++year) {
        const struct sst_day day = {year, slot};
        const int year_class = sst_pool_class(pools, day);
        if (year_class == SST_NO_CLASS || !sst_catalog_has_day(engine->job->catalog, day))
            continue;
        if (engine->sink->cancelled && engine->sink->cancelled(engine->sink->user))
            return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted after %zu of %zu days", engine->days_done,
                            engine->days_total);
        const struct sst_field *field = NULL;
        SST_TRY(sst_reader_get(engine->job->reader, day, &field, err));
        if (field) {
            const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
            if (engine->sink->field)
                engine->sink->field(engine->sink->user, day, field);
            SST_TRY(add_field(engine, term, field, err));
        }
        ++engine->days_done;
        if (engine->sink->progress)
            engine->sink->progress(engine->sink->user, engine->days_done, engine->days_total,
                                   sst_reader_totals(engine->job->reader)->bytes_read);
    }
    return SST_OK;
}

/* --- the window -------------------------------------------------------------------------------------------------- */

static bool term_is_in(struct sst_term term, const struct sst_term *terms, int n_terms)
{
    for (int t = 0; t < n_terms; ++t)
        if (terms[t].slot == term.slot && terms[t].year_class == term.year_class)
            return true;
    return false;
}

static void window_apply(struct engine *engine, struct sst_term term, enum sst_window_step step)
{
    for (size_t w = 0; w < engine->n_workers; ++w)
        if (engine->workers[w].method->move)
            engine->workers[w].method->move(engine->workers[w].state, term, step);
    sst_bin_set_step(&engine->ice, engine->job->backend, term, step);
}

/* Applies the difference of two lists of terms; the only place where a window moves. */
static void window_move(struct engine *engine, int centre)
{
    struct sst_term terms[SST_MAX_TERMS];
    const int n_terms = sst_pool_terms(&engine->policy->pools, centre, terms);
    for (int t = 0; t < engine->n_terms; ++t)
        if (!term_is_in(engine->terms[t], terms, n_terms))
            window_apply(engine, engine->terms[t], SST_WINDOW_LEAVE);
    for (int t = 0; t < n_terms; ++t)
        if (!term_is_in(terms[t], engine->terms, engine->n_terms))
            window_apply(engine, terms[t], SST_WINDOW_ENTER);
    memcpy(engine->terms, terms, (size_t)n_terms * sizeof terms[0]);
    engine->n_terms = n_terms;
}

static void drop_used_slots(struct engine *engine, int estimate)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (engine->schedule.slot_last_use[slot] >= estimate)
            continue;
        for (size_t w = 0; w < engine->n_workers; ++w)
            engine->workers[w].method->drop_slot(engine->workers[w].state, slot);
        sst_bin_set_drop_slot(&engine->ice, slot);
    }
}

/* --- finishing --------------------------------------------------------------------------------------------------- */

/* Flags that the pool itself tells. */
static void set_pool_flags(const struct engine *engine, struct sst_estimate *estimate, int slot)
{
    const double few = SST_FEW_SAMPLES_SHARE * sst_pool_days(&engine->policy->pools, slot);
    const uint16_t *n_ice = sst_bin_set_is_open(&engine->ice) ? engine->ice.window.planes[0] : NULL;
    for (size_t cell = 0; cell < engine->job->n_cells; ++cell) {
        unsigned flags = 0;
        if ((double)estimate->n_obs[cell] < few)
            flags |= SST_FLAG_FEW_SAMPLES;
        if (n_ice && n_ice[cell] > 0)
            flags |= SST_FLAG_ICE_OR_NO_VARIANCE;
        if (engine->guarded[cell])
            flags |= SST_FLAG_GUARDED_ESTIMATE;
        estimate->flags[cell] = (uint16_t)flags;
    }
}

static enum sst_status finish_pool(struct engine *engine, struct sst_estimate *estimate, int slot,
                                   struct sst_error *err)
{
    const struct sst_pool pool = {engine->terms, engine->n_terms, sst_policy_min_samples(engine->policy, slot)};
    const struct sst_method_out out = sst_estimate_out(estimate, engine->guarded);
    const struct sst_method_out probes = {.quantile = estimate->probe_quantile};
    for (size_t w = 0; w < engine->n_workers; ++w)
        SST_TRY(engine->workers[w].method->finish(engine->workers[w].state, &pool, w == 0 ? &out : &probes, err));
    set_pool_flags(engine, estimate, slot);
    return SST_OK;
}

static void finish_derived(struct engine *engine, struct sst_estimate *estimate)
{
    int before = 0, after = 0;
    sst_schedule_parents(&engine->schedule, &before, &after);
    sst_estimate_derive(estimate, &engine->estimates[before], &engine->estimates[after]);
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

/* An infinite bound says that nothing is proven on that side: no value. Its mean with others is infinite too. */
static void drop_unproven(const struct sst_estimate *values)
{
    for (size_t field = 1; field < sst_estimate_n_fields(values->shape); ++field)
        for (size_t cell = 0; cell < values->shape.n_cells; ++cell)
            if (isinf(values->fields[field][cell]))
                values->fields[field][cell] = NAN;
}

/* A percentile is itself the bound on the side of the centre, and the estimate's bound is that on the side of the end. */
static void show_bounds(const struct engine *engine, const struct sst_estimate *values, struct sst_slot_result *result)
{
    const size_t n = engine->policy->n_percentiles;
    for (size_t q = 0; q < n; ++q) {
        const bool is_low = sst_tail_is_low(engine->policy->percentiles[q]);
        result->quantile[n + q] = values->fields[is_low ? 1 + n + q : 1 + q];
        result->quantile[2 * n + q] = values->fields[is_low ? 1 + q : 1 + n + q];
    }
}

static bool has_a_bound(const struct sst_slot_result *result, struct sst_estimate_shape shape, size_t cell)
{
    for (size_t bound = shape.n_percentiles; bound < 3 * shape.n_percentiles; ++bound)
        if (!isnan(result->quantile[bound][cell]))
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

/* Flags that depend on the values as they are written. */
static void set_value_flags(const struct engine *engine, const struct sst_slot_result *result,
                            const uint8_t *uncertified)
{
    for (size_t cell = 0; cell < result->n_cells; ++cell) {
        unsigned flags = result->flags[cell];
        bool is_missing = isnan(result->mean[cell]);
        for (size_t q = 0; q < engine->policy->n_percentiles && !is_missing; ++q) {
            const double value = result->quantile[q][cell];
            is_missing = isnan(value);
            if (tells_no_variance(engine->policy->percentiles[q], value, result->mean[cell]))
                flags |= SST_FLAG_ICE_OR_NO_VARIANCE;
        }
        /* What has no value needs no other reason for care, but the leap day stays named, and a bound without a value. */
        if (is_missing)
            flags = SST_FLAG_MISSING | (flags & SST_FLAG_DERIVED_LEAP_DAY);
        if (uncertified && uncertified[cell] && (!is_missing || has_a_bound(result, engine->shape, cell)))
            flags |= SST_FLAG_UNCERTIFIED;
        result->flags[cell] = (uint16_t)flags;
    }
}

static enum sst_status put_slot(struct engine *engine, int slot, struct sst_error *err)
{
    int indices[SST_N_SLOTS];
    const int n_members = sst_schedule_members(&engine->schedule, engine->policy, slot, indices);
    const struct sst_estimate *own = &engine->estimates[engine->schedule.estimate_index[slot]];
    const struct sst_estimate *values = own;
    if (n_members > 1) {
        const struct sst_estimate *members[SST_N_SLOTS];
        for (int m = 0; m < n_members; ++m)
            members[m] = &engine->estimates[indices[m]];
        sst_estimate_smooth(&engine->smoothed, members, n_members, engine->job->backend);
        values = &engine->smoothed;
    }
    struct sst_slot_result result = {
        .slot = slot,
        .n_cells = engine->job->n_cells,
        .mean = values->fields[0],
        .has_bounds = engine->shape.has_bounds,
        .n_obs = own->n_obs,
        .flags = engine->written_flags, /* a copy: a derived slot inherits what its neighbours' pools say */
        .shape = own->pool,
        .n_probes = engine->job->n_probes,
    };
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        result.quantile[q] = values->fields[1 + q];
        result.probe_quantile[q] = values->probe_quantile[q];
    }
    if (result.has_bounds) {
        drop_unproven(values);
        show_bounds(engine, values, &result);
    }
    memcpy(engine->written_flags, own->flags, engine->job->n_cells * sizeof *own->flags);
    set_value_flags(engine, &result, values->uncertified);
    return engine->sink->put(engine->sink->user, &result, err);
}

static enum sst_status put_ready(struct engine *engine, int estimate, int *next_output, struct sst_error *err)
{
    const struct sst_schedule *schedule = &engine->schedule;
    while (*next_output < schedule->n_outputs && schedule->output_ready[*next_output] <= estimate)
        SST_TRY(put_slot(engine, schedule->output_slot[(*next_output)++], err));
    for (int e = 0; e <= estimate; ++e)
        if (schedule->estimate_last_use[e] <= estimate)
            engine->estimates[e].is_live = false;
    return SST_OK;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

static size_t count_days(const struct engine *engine)
{
    const struct sst_pool_rule *pools = &engine->policy->pools;
    size_t n = 0;
    for (int r = 0; r < engine->schedule.n_reads; ++r) {
        for (int year = pools->first_year - 1; year <= pools->last_year + 1; ++year) {
            const struct sst_day day = {year, engine->schedule.read_slot[r]};
            n += sst_pool_class(pools, day) != SST_NO_CLASS && sst_catalog_has_day(engine->job->catalog, day);
        }
    }
    return n;
}

static enum sst_status worker_open(struct engine *engine, const struct sst_method *method, const size_t *cells,
                                   size_t n_cells, struct sst_error *err)
{
    const struct sst_method_setup setup = {engine->policy, engine->job->backend, n_cells, cells};
    struct worker *worker = &engine->workers[engine->n_workers];
    worker->method = method;
    SST_TRY(method->open(&setup, &worker->state, err));
    ++engine->n_workers;
    return SST_OK;
}

static struct sst_estimate_shape estimate_shape(const struct sst_policy *policy,
                                                const struct sst_climatology_size *size)
{
    const struct sst_method *method = sst_method_of(policy->approx);
    return (struct sst_estimate_shape){
        .n_cells = size->n_cells,
        .n_probes = size->n_probes,
        .n_percentiles = policy->n_percentiles,
        .has_bounds = method->has_bounds,
        .has_pool = size->wants_shape && method->has_shape,
    };
}

/* Values are smoothed, pools are not. */
static struct sst_estimate_shape smoothed_shape(struct sst_estimate_shape shape)
{
    shape.has_pool = false;
    return shape;
}

static enum sst_status engine_open(struct engine *engine, struct sst_error *err)
{
    const struct sst_climatology_job *job = engine->job;
    const struct sst_method *method = sst_method_of(engine->policy->approx);
    const struct sst_climatology_size size = {
        .n_cells = job->n_cells, .n_probes = job->n_probes, .wants_shape = job->wants_shape};
    engine->shape = estimate_shape(engine->policy, &size);
    sst_schedule_make(engine->policy, &engine->schedule);
    engine->days_total = count_days(engine);
    SST_TRY(worker_open(engine, method, NULL, job->n_cells, err));
    if (job->n_probes > 0) {
        const bool is_all = job->n_probes == job->n_cells; /* they ascend, so they are the cells themselves */
        SST_TRY(worker_open(engine, sst_method_exact(), is_all ? NULL : job->probes, job->n_probes, err));
    }
    SST_TRY(sst_alloc(job->n_cells, sizeof *engine->guarded, "marks", &engine->guarded, err));
    SST_TRY(sst_alloc(job->n_cells, sizeof *engine->written_flags, "flags", &engine->written_flags, err));
    return engine->policy->smooth_days > 1 ? sst_estimate_init(&engine->smoothed, smoothed_shape(engine->shape), err)
                                           : SST_OK;
}

static void engine_close(struct engine *engine)
{
    for (size_t w = 0; w < engine->n_workers; ++w)
        engine->workers[w].method->close(engine->workers[w].state);
    sst_bin_set_clear(&engine->ice);
    for (int e = 0; e < SST_MAX_STEPS; ++e)
        sst_estimate_clear(&engine->estimates[e]);
    sst_estimate_clear(&engine->smoothed);
    sst_free(engine->guarded);
    sst_free(engine->written_flags);
}

static enum sst_status run(struct engine *engine, struct sst_error *err)
{
    const struct sst_schedule *schedule = &engine->schedule;
    int next_output = 0;
    for (int e = 0; e < schedule->n_estimates; ++e) {
        for (int r = schedule->read_first[e]; r < schedule->read_first[e + 1]; ++r)
            SST_TRY(read_slot(engine, schedule->read_slot[r], err));
        SST_TRY(estimate_open(engine, e, err));
        if (schedule->is_derived[e]) {
            finish_derived(engine, &engine->estimates[e]);
        } else {
            window_move(engine, schedule->estimate_slot[e]);
            SST_TRY(finish_pool(engine, &engine->estimates[e], schedule->estimate_slot[e], err));
            drop_used_slots(engine, e);
        }
        SST_TRY(put_ready(engine, e, &next_output, err));
    }
    return SST_OK;
}

enum sst_status sst_climatology_run(const struct sst_climatology_job *job, const struct sst_slot_sink *sink,
                                    struct sst_error *err)
{
    struct engine *engine = NULL;
    SST_TRY(sst_policy_check(job->policy, err));
    SST_TRY(sst_alloc(1, sizeof *engine, "the engine", &engine, err));
    engine->job = job;
    engine->policy = job->policy;
    engine->sink = sink;
    enum sst_status rc = engine_open(engine, err);
    if (rc == SST_OK)
        rc = run(engine, err);
    engine_close(engine);
    sst_free(engine);
    return rc;
}

bool sst_climatology_has_bounds(const struct sst_policy *policy) { return sst_method_of(policy->approx)->has_bounds; }

/* --- memory, before the run ------------------------------------------------------------------------------------- */

/* What is held by whom, for the sum below. */
struct holders {
    struct sst_method_setup all, probes;
    const struct sst_method *method;
    uint64_t ice_bytes; /* of a bin */
};

/* Bytes that a slot's terms hold while they are live. */
static uint64_t slot_bytes(const struct holders *holders, int slot)
{
    uint64_t bytes = 0;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        bytes += holders->method->term_bytes(&holders->all, term);
        bytes += sst_method_exact()->term_bytes(&holders->probes, term);
        bytes += sst_pool_term_days(&holders->all.policy->pools, term) > 0 ? holders->ice_bytes : 0;
    }
    return bytes;
}

uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size)
{
    const size_t n_cells = size->n_cells;
    struct sst_schedule schedule;
    sst_schedule_make(policy, &schedule);
    const struct holders holders = {
        .all = {.policy = policy, .n_cells = n_cells},
        .probes = {.policy = policy, .n_cells = size->n_probes},
        .method = sst_method_of(policy->approx),
        .ice_bytes = size->has_ice ? n_cells * sst_estimator_cell_size(sst_estimator_ice()) : 0,
    };
    const struct sst_estimate_shape shape = estimate_shape(policy, size);
    const uint64_t estimate_bytes = sst_estimate_bytes(shape);
    const uint64_t smoothed_bytes = policy->smooth_days > 1 ? sst_estimate_bytes(smoothed_shape(shape)) : 0;
    uint64_t live = holders.method->window_bytes(&holders.all) + sst_method_exact()->window_bytes(&holders.probes) +
                    holders.ice_bytes + n_cells * (sizeof(uint8_t) + sizeof(uint16_t)) + smoothed_bytes;
    uint64_t peak = live;
    bool is_live[SST_N_SLOTS + 1] = {false};
    for (int e = 0; e < schedule.n_estimates; ++e) {
        for (int r = schedule.read_first[e]; r < schedule.read_first[e + 1]; ++r) {
            is_live[schedule.read_slot[r]] = true;
            live += slot_bytes(&holders, schedule.read_slot[r]);
        }
        live += estimate_bytes;
        peak = live > peak ? live : peak;
        for (int slot = 1; slot <= SST_N_SLOTS && !schedule.is_derived[e]; ++slot) {
            if (!is_live[slot] || schedule.slot_last_use[slot] >= e)
                continue;
            is_live[slot] = false;
            live -= slot_bytes(&holders, slot);
        }
        for (int old = 0; old <= e; ++old)
            live -= schedule.estimate_last_use[old] == e ? estimate_bytes : 0;
    }
    return peak;
}
