/* The engine: walks the schedule, holds bins, kept values and estimates for as long as they are needed. */
#include "stream/climatology.h"

#include <math.h>
#include <string.h>

#include "core/flags.h"
#include "core/mem.h"
#include "exact/raw.h"
#include "moments/fit.h"
#include "moments/maxent.h"
#include "stream/bins.h"
#include "stream/schedule.h"

/* Finished but not yet smoothed values of one slot. */
struct estimate {
    double *mean;
    double *quantile[SST_MAX_PERCENTILES];
    double *probe_quantile[SST_MAX_PERCENTILES];
    uint16_t *n_obs;
    uint16_t *flags;
    bool is_live;
};

struct engine {
    const struct sst_climatology_job *job;
    const struct sst_policy *policy;
    const struct sst_slot_sink *sink;
    struct sst_schedule schedule;
    bool has_moments;

    struct sst_bin_set moments, ice;
    struct sst_term terms[SST_MAX_TERMS]; /* of the windows as they stand */
    int n_terms;

    struct sst_raw *raw; /* all cells in exact mode, else the probes; NULL where there is none */
    size_t n_raw_cells;

    struct estimate estimates[SST_MAX_STEPS];
    struct estimate smoothed;
    double *probe_mean; /* scratch of the probes' exact path */
    uint8_t *guarded; /* scratch */
    uint16_t *written_flags; /* scratch: those of the pool, of the written values and of the sink */
    double z[SST_MAX_PERCENTILES], p[SST_MAX_PERCENTILES];
    const float *tables[SST_MAX_PERCENTILES];
    struct sst_moments_fit fit;

    size_t days_done, days_total;
};

/* --- memory of estimates ----------------------------------------------------------------------------------------- */

static void estimate_clear(struct estimate *estimate)
{
    sst_free(estimate->mean);
    sst_free(estimate->n_obs);
    sst_free(estimate->flags);
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q) {
        sst_free(estimate->quantile[q]);
        sst_free(estimate->probe_quantile[q]);
    }
    memset(estimate, 0, sizeof *estimate);
}

static enum sst_status estimate_init(const struct engine *engine, struct estimate *estimate, struct sst_error *err)
{
    const size_t n_cells = engine->job->n_cells;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *estimate->mean, "an estimate", &estimate->mean, err));
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *estimate->n_obs, "an estimate", &estimate->n_obs, err));
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *estimate->flags, "an estimate", &estimate->flags, err));
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        SST_TRY_GOTO(sst_alloc(n_cells, sizeof(double), "an estimate", &estimate->quantile[q], err));
        SST_TRY_GOTO(sst_alloc(engine->job->n_probes, sizeof(double), "probes", &estimate->probe_quantile[q], err));
    }
    estimate->is_live = true;
done:
    if (rc != SST_OK)
        estimate_clear(estimate);
    return rc;
}

/* An estimate takes over the arrays of one that has had its last use, if there is one. */
static enum sst_status estimate_open(struct engine *engine, int index, struct sst_error *err)
{
    for (int old = 0; old < index; ++old) {
        struct estimate *spare = &engine->estimates[old];
        if (!spare->is_live && spare->mean) {
            engine->estimates[index] = *spare;
            memset(spare, 0, sizeof *spare);
            engine->estimates[index].is_live = true;
            return SST_OK;
        }
    }
    return estimate_init(engine, &engine->estimates[index], err);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

static enum sst_status add_field(struct engine *engine, struct sst_term term, const struct sst_field *field,
                                 struct sst_error *err)
{
    const struct sst_backend *backend = engine->job->backend;
    const size_t n_cells = engine->job->n_cells;
    if (engine->has_moments) {
        struct sst_bin *bin = NULL;
        SST_TRY(sst_bin_set_at(&engine->moments, term, &bin, err));
        backend->moments_add_field(sst_bin_moments(bin), field->hundredths, n_cells);
    }
    if (field->has_ice) {
        struct sst_bin *bin = NULL;
        if (!engine->ice.estimator) /* the first file may know no ice, and a later one may */
            SST_TRY(sst_bin_set_open(&engine->ice, sst_estimator_ice(), n_cells, err));
        SST_TRY(sst_bin_set_at(&engine->ice, term, &bin, err));
        backend->count_add_field(bin->planes[0], field->ice, n_cells);
    }
    return engine->raw ? sst_raw_add(engine->raw, term, field, err) : SST_OK;
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

static void window_enter(struct engine *engine, struct sst_term term)
{
    sst_bin_set_enter(engine->job->backend, &engine->moments, term);
    sst_bin_set_enter(engine->job->backend, &engine->ice, term);
}

static void window_leave(struct engine *engine, struct sst_term term)
{
    sst_bin_set_leave(engine->job->backend, &engine->moments, term);
    sst_bin_set_leave(engine->job->backend, &engine->ice, term);
}

/* Applies the difference of two lists of terms; the only place where a window moves. */
static void window_move(struct engine *engine, int centre)
{
    struct sst_term terms[SST_MAX_TERMS];
    const int n_terms = sst_pool_terms(&engine->policy->pools, centre, terms);
    for (int t = 0; t < engine->n_terms; ++t)
        if (!term_is_in(engine->terms[t], terms, n_terms))
            window_leave(engine, engine->terms[t]);
    for (int t = 0; t < n_terms; ++t)
        if (!term_is_in(terms[t], engine->terms, engine->n_terms))
            window_enter(engine, terms[t]);
    memcpy(engine->terms, terms, (size_t)n_terms * sizeof terms[0]);
    engine->n_terms = n_terms;
}

static void drop_used_slots(struct engine *engine, int estimate)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot) {
        if (engine->schedule.slot_last_use[slot] >= estimate)
            continue;
        sst_bin_set_drop_slot(&engine->moments, slot);
        sst_bin_set_drop_slot(&engine->ice, slot);
        if (engine->raw)
            sst_raw_drop_slot(engine->raw, slot);
    }
}

/* --- finishing --------------------------------------------------------------------------------------------------- */

static enum sst_status finish_exact(struct engine *engine, const struct sst_finish_out *out, uint16_t *n_obs,
                                    int min_samples, struct sst_error *err)
{
    const struct sst_quantile_args args = {
        .p = engine->p,
        .n_percentiles = engine->policy->n_percentiles,
        .type = engine->policy->quantile_type,
        .lattice = sst_lattice_of(engine->policy->lattice),
        .min_samples = min_samples,
    };
    const int16_t *const *members = NULL;
    size_t n_members = 0;
    SST_TRY(sst_raw_pool(engine->raw, engine->terms, engine->n_terms, &members, &n_members, err));
    return engine->job->backend->exact_finish(members, n_members, &args, out, n_obs, engine->n_raw_cells, err);
}

/* Flags that the pool itself tells. */
static void set_pool_flags(const struct engine *engine, struct estimate *estimate, int slot)
{
    const double few = SST_FEW_SAMPLES_SHARE * sst_pool_days(&engine->policy->pools, slot);
    const uint16_t *n_ice = engine->ice.estimator ? engine->ice.window.planes[0] : NULL;
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

static enum sst_status finish_pool(struct engine *engine, struct estimate *estimate, int slot, struct sst_error *err)
{
    const int min_samples = sst_policy_min_samples(engine->policy, slot);
    const struct sst_finish_out out = {estimate->mean, estimate->quantile, engine->guarded};
    if (!engine->has_moments) {
        SST_TRY(finish_exact(engine, &out, estimate->n_obs, min_samples, err));
    } else {
        const struct sst_moments_view window = sst_bin_moments(&engine->moments.window);
        engine->job->backend->moments_finish(window, &engine->fit, min_samples, &out, engine->job->n_cells);
        memcpy(estimate->n_obs, window.n, engine->job->n_cells * sizeof *estimate->n_obs);
        if (engine->raw) {
            const struct sst_finish_out probes = {engine->probe_mean, estimate->probe_quantile, NULL};
            SST_TRY(finish_exact(engine, &probes, NULL, min_samples, err));
        }
    }
    set_pool_flags(engine, estimate, slot);
    return SST_OK;
}

/* A derived slot: the mean of its neighbours, fill only where one of them is. */
static void finish_derived(struct engine *engine, struct estimate *estimate)
{
    int before_index = 0, after_index = 0;
    sst_schedule_parents(&engine->schedule, &before_index, &after_index);
    const struct estimate *before = &engine->estimates[before_index], *after = &engine->estimates[after_index];
    const unsigned inherited = SST_FLAG_FEW_SAMPLES | SST_FLAG_ICE_OR_NO_VARIANCE | SST_FLAG_GUARDED_ESTIMATE;
    for (size_t cell = 0; cell < engine->job->n_cells; ++cell) {
        estimate->mean[cell] = (before->mean[cell] + after->mean[cell]) / 2.0;
        estimate->n_obs[cell] = 0;
        estimate->flags[cell] =
            (uint16_t)(SST_FLAG_DERIVED_LEAP_DAY | ((before->flags[cell] | after->flags[cell]) & inherited));
    }
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        for (size_t cell = 0; cell < engine->job->n_cells; ++cell)
            estimate->quantile[q][cell] = (before->quantile[q][cell] + after->quantile[q][cell]) / 2.0;
        for (size_t probe = 0; probe < engine->job->n_probes; ++probe)
            estimate->probe_quantile[q][probe] =
                (before->probe_quantile[q][probe] + after->probe_quantile[q][probe]) / 2.0;
    }
}

/* --- writing ----------------------------------------------------------------------------------------------------- */

static void smooth(const struct engine *engine, const int *members, int n_members)
{
    const struct sst_backend *backend = engine->job->backend;
    const struct estimate *out = &engine->smoothed;
    const double *series[SST_N_SLOTS];
    for (int m = 0; m < n_members; ++m)
        series[m] = engine->estimates[members[m]].mean;
    backend->mean_of(series, (size_t)n_members, out->mean, engine->job->n_cells);
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        for (int m = 0; m < n_members; ++m)
            series[m] = engine->estimates[members[m]].quantile[q];
        backend->mean_of(series, (size_t)n_members, out->quantile[q], engine->job->n_cells);
        for (int m = 0; m < n_members; ++m)
            series[m] = engine->estimates[members[m]].probe_quantile[q];
        backend->mean_of(series, (size_t)n_members, out->probe_quantile[q], engine->job->n_probes);
    }
}

/* Flags that depend on the values as they are written. */
static void set_value_flags(const struct engine *engine, const struct sst_slot_result *result)
{
    for (size_t cell = 0; cell < result->n_cells; ++cell) {
        unsigned flags = result->flags[cell];
        bool is_missing = isnan(result->mean[cell]);
        for (size_t q = 0; q < engine->policy->n_percentiles && !is_missing; ++q) {
            const double distance = fabs(result->quantile[q][cell] - result->mean[cell]);
            is_missing = isnan(distance);
            if (distance < SST_NO_VARIANCE_DEGC)
                flags |= SST_FLAG_ICE_OR_NO_VARIANCE;
        }
        /* What has no value needs no other reason for care, but the leap day stays named. */
        if (is_missing)
            flags = SST_FLAG_MISSING | (flags & SST_FLAG_DERIVED_LEAP_DAY);
        result->flags[cell] = (uint16_t)flags;
    }
}

static enum sst_status put_slot(struct engine *engine, int slot, struct sst_error *err)
{
    int members[SST_N_SLOTS];
    const int n_members = sst_schedule_members(&engine->schedule, engine->policy, slot, members);
    const struct estimate *own = &engine->estimates[engine->schedule.estimate_index[slot]];
    const struct estimate *values = own;
    if (n_members > 1) {
        smooth(engine, members, n_members);
        values = &engine->smoothed;
    }
    struct sst_slot_result result = {
        .slot = slot,
        .n_cells = engine->job->n_cells,
        .mean = values->mean,
        .n_obs = own->n_obs,
        .flags = engine->written_flags, /* a copy: a derived slot inherits what its neighbours' pools say */
        .n_probes = engine->job->n_probes,
    };
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        result.quantile[q] = values->quantile[q];
        result.probe_quantile[q] = values->probe_quantile[q];
    }
    memcpy(engine->written_flags, own->flags, engine->job->n_cells * sizeof *own->flags);
    set_value_flags(engine, &result);
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

/* What turns sums into percentiles; the policy has been checked, so that every percentile has its table. */
static void fit_open(struct engine *engine)
{
    const bool is_maxent = engine->policy->approx == SST_APPROX_MAXENT;
    engine->fit = (struct sst_moments_fit){
        .kind = is_maxent ? SST_FIT_MAXENT : SST_FIT_CF,
        .n_percentiles = engine->policy->n_percentiles,
        .z = engine->z,
        .table = engine->tables,
        .v_limit = sst_maxent_v_limit(),
    };
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q) {
        engine->z[q] = sst_fit_normal_quantile(engine->p[q]);
        engine->tables[q] = sst_maxent_table(engine->policy->percentiles[q]);
    }
}

static enum sst_status engine_open(struct engine *engine, struct sst_error *err)
{
    const struct sst_climatology_job *job = engine->job;
    engine->has_moments = sst_approx_has_moments(engine->policy->approx);
    for (size_t q = 0; q < engine->policy->n_percentiles; ++q)
        engine->p[q] = engine->policy->percentiles[q] / 100.0;
    fit_open(engine);
    sst_schedule_make(engine->policy, &engine->schedule);
    engine->days_total = count_days(engine);
    if (engine->has_moments) {
        SST_TRY(sst_bin_set_open(&engine->moments, sst_estimator_moments(), job->n_cells, err));
        engine->n_raw_cells = job->n_probes;
        if (job->n_probes > 0)
            SST_TRY(sst_raw_create(job->probes, job->n_probes, &engine->raw, err));
    } else {
        engine->n_raw_cells = job->n_cells;
        SST_TRY(sst_raw_create(NULL, job->n_cells, &engine->raw, err));
    }
    SST_TRY(sst_alloc(job->n_probes, sizeof *engine->probe_mean, "probes", &engine->probe_mean, err));
    SST_TRY(sst_alloc(job->n_cells, sizeof *engine->guarded, "marks", &engine->guarded, err));
    SST_TRY(sst_alloc(job->n_cells, sizeof *engine->written_flags, "flags", &engine->written_flags, err));
    return engine->policy->smooth_days > 1 ? estimate_init(engine, &engine->smoothed, err) : SST_OK;
}

static void engine_close(struct engine *engine)
{
    sst_bin_set_clear(&engine->moments);
    sst_bin_set_clear(&engine->ice);
    sst_raw_destroy(&engine->raw);
    for (int e = 0; e < SST_MAX_STEPS; ++e)
        estimate_clear(&engine->estimates[e]);
    estimate_clear(&engine->smoothed);
    sst_free(engine->probe_mean);
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

/* --- memory, before the run ------------------------------------------------------------------------------------- */

/* Bytes that a slot's terms hold while they are live. */
static uint64_t slot_bytes(const struct sst_policy *policy, int slot, uint64_t bin_bytes, uint64_t day_bytes)
{
    uint64_t bytes = 0;
    for (int year_class = 0; year_class < SST_N_CLASSES; ++year_class) {
        const struct sst_term term = {(int16_t)slot, (int16_t)year_class};
        const int days = sst_pool_term_days(&policy->pools, term);
        bytes += (days > 0 ? bin_bytes : 0) + (uint64_t)days * day_bytes;
    }
    return bytes;
}

uint64_t sst_climatology_peak_bytes(const struct sst_policy *policy, bool has_ice, size_t n_cells, size_t n_probes)
{
    struct sst_schedule schedule;
    sst_schedule_make(policy, &schedule);
    const bool has_moments = sst_approx_has_moments(policy->approx);
    const uint64_t cell_bytes = (has_moments ? sst_estimator_cell_size(sst_estimator_moments()) : 0) +
                                (has_ice ? sst_estimator_cell_size(sst_estimator_ice()) : 0);
    const uint64_t bin_bytes = cell_bytes * n_cells;
    const uint64_t day_bytes = sizeof(int16_t) * (has_moments ? n_probes : n_cells);
    const uint64_t estimate_bytes = n_cells * (sizeof(double) * (1 + policy->n_percentiles) + 2 * sizeof(uint16_t)) +
                                    n_probes * sizeof(double) * policy->n_percentiles;
    uint64_t live = bin_bytes + n_cells * (sizeof(uint8_t) + sizeof(uint16_t)) +
                    (policy->smooth_days > 1 ? estimate_bytes : 0),
             peak = live;
    bool is_live[SST_N_SLOTS + 1] = {false};
    for (int e = 0; e < schedule.n_estimates; ++e) {
        for (int r = schedule.read_first[e]; r < schedule.read_first[e + 1]; ++r) {
            is_live[schedule.read_slot[r]] = true;
            live += slot_bytes(policy, schedule.read_slot[r], bin_bytes, day_bytes);
        }
        live += estimate_bytes;
        peak = live > peak ? live : peak;
        for (int slot = 1; slot <= SST_N_SLOTS && !schedule.is_derived[e]; ++slot) {
            if (!is_live[slot] || schedule.slot_last_use[slot] >= e)
                continue;
            is_live[slot] = false;
            live -= slot_bytes(policy, slot, bin_bytes, day_bytes);
        }
        for (int old = 0; old <= e; ++old)
            live -= schedule.estimate_last_use[old] == e ? estimate_bytes : 0;
    }
    return peak;
}
