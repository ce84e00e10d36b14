/* The engine: walks the schedule, and holds what methods remember and estimates for as long as they are needed. */
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "core/timings.h"
#include "stream/climatology_private.h"

/* An estimate takes over the arrays of one that has had its last use, if there is one. */
static enum sst_status estimate_open(struct sst_engine *engine, int index, struct sst_error *err)
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

enum sst_status sst_engine_grow(struct sst_engine *engine, struct sst_error *err)
{
    const size_t old_count = engine->shape.n_cells, n_cells = engine->cells.n_places;
    SST_TRY(engine->workers[0].method->grow(engine->workers[0].state, err));
    if (sst_bin_set_is_open(&engine->ice))
        SST_TRY(sst_bin_set_grow(&engine->ice, n_cells, err));
    for (int e = 0; e < engine->schedule.n_estimates; ++e) {
        struct sst_estimate *estimate = &engine->estimates[e];
        if (!estimate->is_live) {
            sst_estimate_clear(estimate);
            continue;
        }
        SST_TRY(sst_estimate_grow(estimate, n_cells, err));
        for (size_t cell = old_count; engine->schedule.is_derived[e] && cell < n_cells; ++cell)
            estimate->flags[cell] |= SST_FLAG_DERIVED_LEAP_DAY;
    }
    if (engine->smoothed.n_obs)
        SST_TRY(sst_estimate_grow(&engine->smoothed, n_cells, err));
    SST_TRY(sst_extend(&engine->guarded, old_count, n_cells, sizeof *engine->guarded, "marks", err));
    SST_TRY(sst_extend(&engine->written_flags, old_count, n_cells, sizeof *engine->written_flags, "flags", err));
    engine->shape.n_cells = n_cells;
    return SST_OK;
}

static enum sst_status add_ice(struct sst_engine *engine, struct sst_error *err)
{
    const struct sst_batch *batch = &engine->batch;
    const uint8_t *marks[SST_MAX_BATCH];
    size_t n = 0;
    struct sst_bin *bin = NULL;
    for (size_t i = 0; i < batch->n; ++i)
        if (batch->fields[i]->has_ice)
            marks[n++] = batch->fields[i]->ice;
    if (n == 0)
        return SST_OK;
    if (!sst_bin_set_is_open(&engine->ice)) /* the first file may know no ice, and a later one may */
        SST_TRY(sst_bin_set_open(&engine->ice, sst_estimator_ice(), engine->cells.n_places, err));
    SST_TRY(sst_bin_set_at(&engine->ice, batch->term, sst_estimator_ice(), &bin, err));
    engine->job->backend->count_add_fields(bin->planes[0], &engine->cells, marks, n);
    return SST_OK;
}

/* Gives the fields that are held to the methods. */
static enum sst_status flush(struct sst_engine *engine, struct sst_error *err)
{
    struct sst_batch *batch = &engine->batch;
    const double start = sst_timings_now();
    if (batch->n == 0)
        return SST_OK;
    sst_cells_take_all(&engine->cells, batch->fields, batch->n);
    if (engine->cells.n_places != engine->shape.n_cells)
        SST_TRY(sst_engine_grow(engine, err));
    for (size_t w = 0; w < engine->n_workers; ++w)
        SST_TRY(
            engine->workers[w].method->add_fields(engine->workers[w].state, batch->term, batch->fields, batch->n, err));
    SST_TRY(add_ice(engine, err));
    batch->n = 0;
    engine->job->source->give_back(engine->job->source->user);
    (void)sst_timings_book(engine->job->timings, SST_PHASE_ACCUMULATE, start);
    return SST_OK;
}

static enum sst_status hold(struct sst_engine *engine, struct sst_term term, const struct sst_field *field,
                            struct sst_error *err)
{
    struct sst_batch *batch = &engine->batch;
    const size_t most = engine->job->source->n_most_held;
    batch->term = term;
    batch->fields[batch->n++] = field;
    return batch->n == SST_MAX_BATCH || batch->n >= most ? flush(engine, err) : SST_OK;
}

static enum sst_status read_day(struct sst_engine *engine, struct sst_day day, struct sst_error *err)
{
    const struct sst_field_source *source = engine->job->source;
    const struct sst_field *field = NULL;
    const struct sst_term term = {(int16_t)day.slot, (int16_t)sst_pool_class(&engine->policy->pools, day)};
    if (engine->sink->cancelled && engine->sink->cancelled(engine->sink->user))
        return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted after %zu of %zu days", engine->days_done,
                        engine->n_days);
    if (engine->batch.n > 0 && engine->batch.term.year_class != term.year_class)
        SST_TRY(flush(engine, err));
    const double start = sst_timings_now();
    SST_TRY(source->get(source->user, day, &field, err));
    (void)sst_timings_book(engine->job->timings, SST_PHASE_WAIT, start);
    if (field) {
        if (engine->sink->field)
            engine->sink->field(engine->sink->user, day, field);
        SST_TRY(hold(engine, term, field, err));
    }
    ++engine->days_done;
    if (engine->sink->progress)
        engine->sink->progress(engine->sink->user, engine->days_done, engine->n_days, source->bytes_read(source->user));
    return SST_OK;
}

static enum sst_status read_slot(struct sst_engine *engine, int slot, struct sst_error *err)
{
    if (engine->job->sums)
        return sst_engine_take_slot(engine, slot, err);
    while (engine->days_done < engine->n_days && engine->days[engine->days_done].slot == slot)
        SST_TRY(read_day(engine, engine->days[engine->days_done], err));
    return flush(engine, err);
}

/* Reads slots of the schedule, in its order, up to one of them. */
static enum sst_status read_until(struct sst_engine *engine, int end, struct sst_error *err)
{
    while (engine->reads_done < end)
        SST_TRY(read_slot(engine, engine->schedule.read_slot[engine->reads_done++], err));
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

static void window_apply(struct sst_engine *engine, struct sst_term term, enum sst_window_step step)
{
    for (size_t w = 0; w < engine->n_workers; ++w)
        if (engine->workers[w].method->move)
            engine->workers[w].method->move(engine->workers[w].state, term, step);
    sst_bin_set_step(&engine->ice, engine->job->backend, term, step);
}

/* Applies the difference of two lists of terms; the only place where a window moves. */
static void window_move(struct sst_engine *engine, int centre)
{
    const double start = sst_timings_now();
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
    (void)sst_timings_book(engine->job->timings, SST_PHASE_WINDOW, start);
}

/* A window that moves takes the terms of its last pool out before the next; a method without one needs them no longer. */
static void drop_used_slots(struct sst_engine *engine, int estimate)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        const int last_use = engine->schedule.slot_last_use[slot];
        for (size_t w = 0; w < engine->n_workers && last_use <= estimate; ++w)
            if (last_use < estimate || !engine->workers[w].method->move)
                engine->workers[w].method->drop_slot(engine->workers[w].state, slot);
        if (last_use < estimate)
            sst_bin_set_drop_slot(&engine->ice, slot);
    }
}

/* --- finishing --------------------------------------------------------------------------------------------------- */

/* Flags that the pool itself tells. */
static void set_pool_flags(const struct sst_engine *engine, struct sst_estimate *estimate, int slot)
{
    const double few = SST_FEW_SAMPLES_SHARE * sst_pool_days(&engine->policy->pools, slot);
    const uint16_t *n_ice = sst_bin_set_is_open(&engine->ice) ? engine->ice.window.planes[0] : NULL;
    const size_t n_places = engine->cells.n_places;
#pragma omp parallel for schedule(static) if (n_places >= SST_PARALLEL_PLACES)
    for (size_t cell = 0; cell < n_places; ++cell) {
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

static enum sst_status finish_pool(struct sst_engine *engine, struct sst_estimate *estimate, int slot,
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

static void finish_derived(struct sst_engine *engine, struct sst_estimate *estimate)
{
    int before = 0, after = 0;
    sst_schedule_parents(&engine->schedule, &before, &after);
    sst_estimate_derive(estimate, &engine->estimates[before], &engine->estimates[after]);
}

static enum sst_status finish_estimate(struct sst_engine *engine, int index, struct sst_error *err)
{
    const struct sst_schedule *schedule = &engine->schedule;
    SST_TRY(estimate_open(engine, index, err));
    if (!schedule->is_derived[index])
        window_move(engine, schedule->estimate_slot[index]);
    const double start = sst_timings_now();
    if (schedule->is_derived[index])
        finish_derived(engine, &engine->estimates[index]);
    else
        SST_TRY(finish_pool(engine, &engine->estimates[index], schedule->estimate_slot[index], err));
    (void)sst_timings_book(engine->job->timings, SST_PHASE_FINISH, start);
    return SST_OK;
}

/* Tells the method of the pools of a group, all of whose slots have been read. */
static enum sst_status prepare(struct sst_engine *engine, int first, int end, struct sst_error *err)
{
    const struct sst_worker *worker = &engine->workers[0];
    struct sst_term *terms = engine->pool_terms;
    size_t n_pools = 0;
    if (!worker->method->prepare)
        return SST_OK;
    const double start = sst_timings_now();
    for (int e = first; e < end; ++e) {
        const int slot = engine->schedule.estimate_slot[e];
        struct sst_term all[SST_MAX_TERMS];
        if (engine->schedule.is_derived[e])
            continue;
        const int n_terms = sst_pool_terms(&engine->policy->pools, slot, all);
        memcpy(terms, all, (size_t)n_terms * sizeof *terms);
        engine->pools[n_pools++] = (struct sst_pool){terms, n_terms, sst_policy_min_samples(engine->policy, slot)};
        terms += n_terms;
    }
    SST_TRY(worker->method->prepare(worker->state, engine->pools, n_pools, err));
    (void)sst_timings_book(engine->job->timings, SST_PHASE_FINISH, start);
    return SST_OK;
}

static enum sst_status put_ready(struct sst_engine *engine, int estimate, int *next_output, struct sst_error *err)
{
    const struct sst_schedule *schedule = &engine->schedule;
    while (*next_output < schedule->n_outputs && schedule->output_ready[*next_output] <= estimate)
        SST_TRY(sst_engine_put_slot(engine, schedule->output_slot[(*next_output)++], err));
    for (int e = 0; e <= estimate; ++e)
        if (schedule->estimate_last_use[e] <= estimate)
            engine->estimates[e].is_live = false;
    return SST_OK;
}

/* --- the run ----------------------------------------------------------------------------------------------------- */

/* The days of a slot that are of one class; they are added together, many at a time. */
static void list_class(struct sst_engine *engine, int slot, int year_class)
{
    const struct sst_pool_rule *pools = &engine->policy->pools;
    const struct sst_field_source *source = engine->job->source;
    for (int year = pools->first_year - 1; year <= pools->last_year + 1; ++year) {
        const struct sst_day day = {year, slot};
        if (sst_pool_class(pools, day) == year_class && source->has_day(source->user, day))
            engine->days[engine->n_days++] = day;
    }
}

/* Slot by slot as the schedule has them, class by class, all years of each. */
static enum sst_status list_days(struct sst_engine *engine, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &engine->policy->pools;
    const int n_years = pools->last_year - pools->first_year + 3; /* with the years beside the baseline */
    SST_TRY(sst_alloc((size_t)engine->schedule.n_reads * (size_t)n_years, sizeof *engine->days, "the list of days",
                      &engine->days, err));
    for (int r = 0; r < engine->schedule.n_reads; ++r)
        for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class)
            list_class(engine, engine->schedule.read_slot[r], year_class);
    return SST_OK;
}

static enum sst_status worker_open(struct sst_engine *engine, const struct sst_method *method,
                                   const struct sst_method_setup *setup, struct sst_error *err)
{
    struct sst_worker *worker = &engine->workers[engine->n_workers];
    worker->method = method;
    SST_TRY(method->open(setup, &worker->state, err));
    ++engine->n_workers;
    return SST_OK;
}

/* Room for the pools of a group, where the method is to know them. */
static enum sst_status pools_open(struct sst_engine *engine, struct sst_error *err)
{
    if (!engine->workers[0].method->prepare)
        return SST_OK;
    const struct sst_schedule_counts counts = sst_schedule_count(engine->policy, engine->job->n_ahead, false);
    SST_TRY(sst_alloc(counts.n_pools, sizeof *engine->pools, "the pools of a group", &engine->pools, err));
    return sst_alloc(counts.n_pools * counts.n_pool_terms, sizeof *engine->pool_terms, "the pools of a group",
                     &engine->pool_terms, err);
}

static bool lacks_days_beside(const struct sst_engine *engine)
{
    for (size_t i = 0; i < engine->n_days; ++i)
        if (!sst_pool_in_baseline(&engine->policy->pools, engine->days[i]))
            return false;
    return true;
}

static enum sst_status cells_open(struct sst_engine *engine, const struct sst_climatology_size *size,
                                  struct sst_error *err)
{
    const struct sst_climatology_job *job = engine->job;
    struct sst_method_setup setup = sst_engine_method_setup(engine->policy, size);
    SST_TRY(sst_cells_init(&engine->cells, job->n_cells, err));
    setup.backend = job->backend;
    setup.cells = &engine->cells;
    setup.times = job->device_times;
    const struct sst_method *method = sst_engine_method(engine->policy, job->devices);
    if (job->sums && !method->add_sums)
        return sst_fail(err, SST_ERR_INTERNAL, "sums are given to a method that remembers values");
    SST_TRY(worker_open(engine, method, &setup, err));
    return pools_open(engine, err);
}

static enum sst_status probes_open(struct sst_engine *engine, struct sst_error *err)
{
    const struct sst_climatology_job *job = engine->job;
    struct sst_cells *cells = &engine->workers[engine->n_workers].cells;
    SST_TRY(job->sums ? sst_cells_init_list(cells, job->n_probes, job->sums->probe_at, job->n_probes, err)
                      : sst_cells_init_list(cells, job->n_cells, job->probes, job->n_probes, err));
    const struct sst_method_setup setup = {
        .policy = engine->policy, .backend = job->backend, .n_cells = cells->n_places, .cells = cells};
    return worker_open(engine, sst_method_exact(), &setup, err);
}

static enum sst_status engine_open(struct sst_engine *engine, struct sst_error *err)
{
    const struct sst_climatology_job *job = engine->job;
    struct sst_climatology_size size = {.n_cells = 0,
                                        .n_domain = job->n_cells,
                                        .n_probes = job->n_probes,
                                        .wants_shape = job->wants_shape,
                                        .devices = job->devices,
                                        .n_ahead = job->n_ahead,
                                        .is_resident = job->is_resident};
    engine->shape = sst_engine_shape(engine->policy, &size);
    sst_schedule_make(engine->policy, &engine->schedule);
    if (!job->sums)
        SST_TRY(list_days(engine, err));
    size.lacks_days_beside = lacks_days_beside(engine);
    SST_TRY(cells_open(engine, &size, err));
    if (job->n_probes > 0)
        SST_TRY(probes_open(engine, err));
    SST_TRY(sst_slot_values_init(&engine->values, engine, err));
    return engine->policy->smooth_days > 1
               ? sst_estimate_init(&engine->smoothed, sst_engine_smoothed_shape(engine->shape), err)
               : SST_OK;
}

static void engine_close(struct sst_engine *engine)
{
    for (size_t w = 0; w < engine->n_workers; ++w)
        engine->workers[w].method->close(engine->workers[w].state);
    for (size_t w = 0; w < SST_MAX_WORKERS; ++w)
        sst_cells_clear(&engine->workers[w].cells);
    sst_cells_clear(&engine->cells);
    sst_slot_values_clear(&engine->values);
    sst_bin_set_clear(&engine->ice);
    for (int e = 0; e < SST_MAX_STEPS; ++e)
        sst_estimate_clear(&engine->estimates[e]);
    sst_estimate_clear(&engine->smoothed);
    sst_free(engine->guarded);
    sst_free(engine->written_flags);
    sst_free(engine->days);
    sst_free(engine->marks);
    sst_free(engine->item);
    sst_free(engine->pools);
    sst_free(engine->pool_terms);
}

static enum sst_status run(struct sst_engine *engine, struct sst_error *err)
{
    const struct sst_schedule *schedule = &engine->schedule;
    const size_t n_ahead = engine->job->n_ahead;
    const bool reads_ahead = sst_engine_reads_ahead(engine->workers[0].method, engine->job->is_resident);
    int next_output = 0;
    if (!engine->job->sums && engine->job->source->expect)
        SST_TRY(engine->job->source->expect(engine->job->source->user, engine->days, engine->n_days, err));
    for (int first = 0, end = 0; first < schedule->n_estimates; first = end) {
        end = sst_schedule_group_end(schedule, first, n_ahead);
        SST_TRY(read_until(engine, schedule->read_first[end], err));
        SST_TRY(prepare(engine, first, end, err));
        for (int e = first; e < end; ++e) {
            SST_TRY(finish_estimate(engine, e, err));
            if (e == sst_schedule_last_pool(schedule, first, end))
                drop_used_slots(engine, e);
            SST_TRY(put_ready(engine, e, &next_output, err));
            if (reads_ahead)
                SST_TRY(read_until(engine, sst_schedule_read_ahead(schedule, first, end, n_ahead, e), err));
        }
    }
    return SST_OK;
}

enum sst_status sst_climatology_run(const struct sst_climatology_job *job, const struct sst_slot_sink *sink,
                                    struct sst_error *err)
{
    struct sst_engine *engine = NULL;
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
