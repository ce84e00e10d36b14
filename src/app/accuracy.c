/* Slots on their way from the engine to the writer: compared, kept, modelled, flagged. */
#include "app/accuracy.h"

#include <math.h>
#include <string.h>

#include "app/accuracy_findings.h"
#include "core/flags.h"
#include "core/mem.h"
#include "moments/fit.h"
#include "moments/maxent.h"
#include "write/spool.h"

/* Below this many cells a loop is done sooner than a second thread is woken. */
enum { PARALLEL_CELLS = 1 << 16 };

enum { MAX_BOUNDS = SST_MAX_PERCENTILES * SST_MAX_COVERAGES };

/* Cells that are copied at a time. */
enum { COPIED_CELLS = 4096 };

/* A slot as it will be written, in arrays of our own. */
struct work {
    double *mean, *quantile[SST_MAX_PERCENTILES_AND_BOUNDS];
    double *exact[SST_MAX_PERCENTILES]; /* at the probes */
    float *bound[MAX_BOUNDS]; /* first percentile by coverage, then the next */
    uint16_t *flags;
    struct sst_shape shape; /* of a slot that waited, as n_obs */
    uint16_t *n_obs;
};

struct sst_accuracy {
    const struct sst_job *job;
    size_t n_percentiles, n_values; /* n_values: percentiles with their proven bounds */
    size_t n_coverages; /* 0 where nothing is modelled */
    size_t n_places;
    int slots[SST_N_SLOTS];
    bool is_staged, has_model;

    struct sst_sample *sample; /* NULL where nothing is validated */
    struct sst_series *series; /* NULL without a report */
    struct sst_spool *spool; /* NULL unless staged */
    struct sst_tally *tally;
    struct work work;
    uint8_t *is_probe; /* by domain cell */
    uint8_t *is_likely; /* scratch */
    uint16_t *probe_flags; /* scratch */
    double *at_probes; /* scratch */
    struct sst_accuracy_findings findings;
};

static bool is_validated(const struct sst_job *job)
{
    return job->policy.approx != SST_APPROX_NONE && job->n_probes > 0;
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static struct sst_spool_spec spool_spec(const struct sst_job *job, size_t n_slots)
{
    return (struct sst_spool_spec){
        .beside = job->options->output,
        .n_cells = job->domain.n_cells,
        .n_probes = job->n_probes,
        .n_percentiles = job->policy.n_percentiles,
        .n_places = n_slots,
        .has_shape = true,
        .is_in_memory = job->keeps_slots,
        .n_expected = job->n_places,
    };
}

static enum sst_status alloc_work(struct sst_accuracy *accuracy, struct sst_error *err)
{
    const size_t n_cells = accuracy->job->domain.n_cells, n_probes = accuracy->job->n_probes;
    struct work *work = &accuracy->work;
    SST_TRY(sst_alloc(n_cells, sizeof *work->mean, "a slot", &work->mean, err));
    for (size_t i = 0; i < accuracy->n_values; ++i)
        SST_TRY(sst_alloc(n_cells, sizeof(double), "a slot", &work->quantile[i], err));
    for (size_t q = 0; q < accuracy->n_percentiles; ++q)
        SST_TRY(sst_alloc(n_probes, sizeof(double), "a slot", &work->exact[q], err));
    for (size_t i = 0; i < accuracy->n_percentiles * accuracy->n_coverages; ++i) {
        SST_TRY(sst_alloc(n_cells, sizeof(float), "a slot", &work->bound[i], err));
        for (size_t cell = 0; cell < n_cells; ++cell)
            work->bound[i][cell] = NAN;
    }
    SST_TRY(sst_alloc(n_cells, sizeof *work->flags, "a slot", &work->flags, err));
    SST_TRY(sst_alloc(n_cells, 1, "marks", &accuracy->is_likely, err));
    return SST_OK;
}

static enum sst_status open_spool(struct sst_accuracy *accuracy, struct sst_error *err)
{
    const struct sst_spool_spec spec = spool_spec(accuracy->job, accuracy->n_places);
    struct work *work = &accuracy->work;
    accuracy->is_staged = true;
    SST_TRY(sst_alloc(spec.n_cells, sizeof *work->shape.sd, "a slot", &work->shape.sd, err));
    SST_TRY(sst_alloc(spec.n_cells, sizeof *work->shape.skew, "a slot", &work->shape.skew, err));
    SST_TRY(sst_alloc(spec.n_cells, sizeof *work->shape.kurt, "a slot", &work->shape.kurt, err));
    SST_TRY(sst_alloc(spec.n_cells, sizeof *work->n_obs, "a slot", &work->n_obs, err));
    return sst_spool_create(&spec, &accuracy->spool, err);
}

/* What only a validated run has. */
static enum sst_status open_validation(struct sst_accuracy *accuracy, struct sst_error *err)
{
    const struct sst_job *job = accuracy->job;
    const struct sst_sample_spec spec = {
        .domain = &job->domain,
        .calendar = job->policy.pools.kind,
        .probes = job->probes,
        .n_probes = job->n_probes,
        .seed = job->options->seed,
        .slots = accuracy->slots,
        .n_slots = accuracy->n_places,
        .n_percentiles = accuracy->n_percentiles,
        .has_shape = accuracy->has_model,
    };
    SST_TRY(sst_sample_create(&spec, &accuracy->sample, err));
    SST_TRY(sst_alloc(job->n_probes, sizeof *accuracy->at_probes, "probes", &accuracy->at_probes, err));
    SST_TRY(sst_alloc(job->n_probes, sizeof *accuracy->probe_flags, "probes", &accuracy->probe_flags, err));
    for (size_t i = 0; i < job->n_probes; ++i)
        accuracy->is_probe[job->probes[i]] = 1;
    accuracy->findings.n_sample_cells = accuracy->sample->n_cells;
    if (accuracy->findings.is_for_report)
        SST_TRY(sst_series_create(accuracy->sample, &job->domain, job->options->seed, &job->policy.pools,
                                  job->policy.lattice, &accuracy->series, err));
    if (accuracy->has_model)
        SST_TRY(open_spool(accuracy, err));
    return sst_findings_open(&accuracy->findings, job, err);
}

static bool is_all_validated(const struct sst_job *job)
{
    size_t n_computed = 0;
    for (size_t cell = 0; cell < job->domain.n_cells; ++cell)
        n_computed += !job->keep || job->keep[cell];
    return is_validated(job) && job->n_probes == n_computed;
}

enum sst_status sst_accuracy_create(const struct sst_job *job, const int *slots, size_t n_slots, bool is_for_report,
                                    struct sst_accuracy **out, struct sst_error *err)
{
    struct sst_accuracy *accuracy = NULL;
    enum sst_status rc = SST_OK;
    const struct sst_policy *policy = &job->policy;
    SST_TRY(sst_alloc(1, sizeof *accuracy, "the validation", &accuracy, err));
    accuracy->job = job;
    accuracy->n_percentiles = policy->n_percentiles;
    accuracy->n_values = policy->n_percentiles * (sst_climatology_has_bounds(policy) ? 3 : 1);
    accuracy->has_model = sst_approx_has_moments(policy->approx);
    accuracy->n_coverages = accuracy->has_model ? job->options->n_coverages : 0;
    accuracy->n_places = n_slots;
    memcpy(accuracy->slots, slots, n_slots * sizeof *slots);
    accuracy->findings.is_for_report = is_for_report;
    accuracy->findings.all_validated = is_all_validated(job);
    SST_TRY_GOTO(sst_tally_create(&job->domain, &accuracy->tally, err));
    SST_TRY_GOTO(sst_alloc(job->domain.n_cells, 1, "marks", &accuracy->is_probe, err));
    if (policy->approx != SST_APPROX_NONE)
        SST_TRY_GOTO(alloc_work(accuracy, err));
    if (is_validated(job))
        SST_TRY_GOTO(open_validation(accuracy, err));
    *out = accuracy;
    accuracy = NULL;
done:
    sst_accuracy_destroy(&accuracy);
    return rc;
}

void sst_accuracy_destroy(struct sst_accuracy **handle)
{
    struct sst_accuracy *accuracy = *handle;
    if (!accuracy)
        return;
    struct work *work = &accuracy->work;
    sst_free(work->mean);
    for (size_t i = 0; i < SST_MAX_PERCENTILES_AND_BOUNDS; ++i)
        sst_free(work->quantile[i]);
    for (size_t q = 0; q < SST_MAX_PERCENTILES; ++q)
        sst_free(work->exact[q]);
    for (size_t i = 0; i < MAX_BOUNDS; ++i)
        sst_free(work->bound[i]);
    sst_free(work->flags);
    sst_free(work->shape.sd);
    sst_free(work->shape.skew);
    sst_free(work->shape.kurt);
    sst_free(work->n_obs);
    sst_free(accuracy->is_probe);
    sst_free(accuracy->is_likely);
    sst_free(accuracy->probe_flags);
    sst_free(accuracy->at_probes);
    sst_sample_destroy(&accuracy->sample);
    sst_series_destroy(&accuracy->series);
    sst_spool_destroy(&accuracy->spool);
    sst_tally_destroy(&accuracy->tally);
    sst_findings_clear(&accuracy->findings);
    sst_free(accuracy);
    *handle = NULL;
}

bool sst_accuracy_wants_shape(const struct sst_accuracy *accuracy) { return accuracy->is_staged; }

void sst_accuracy_day(struct sst_accuracy *accuracy, struct sst_day day, const struct sst_field *field)
{
    if (accuracy->series)
        sst_series_put(accuracy->series, day, field);
}

/* --- a slot is written -------------------------------------------------------------------------------------------- */

/* Whether every percentile of a cell is what its two bounds say; where there are none nothing is marked uncertified. */
static bool is_settled(const struct sst_accuracy *accuracy, size_t cell)
{
    const size_t n = accuracy->n_percentiles;
    const struct work *work = &accuracy->work;
    for (size_t q = 0; accuracy->n_values > n && q < n; ++q)
        if (work->quantile[n + q][cell] != work->quantile[2 * n + q][cell])
            return false;
    return true;
}

/* The exact value takes the place of one that is off, and nothing is uncertain of it any more. */
static void repair(struct sst_accuracy *accuracy, size_t q, size_t cell, double exact)
{
    const size_t n = accuracy->n_percentiles;
    struct work *work = &accuracy->work;
    for (size_t i = q; i < accuracy->n_values; i += n)
        work->quantile[i][cell] = exact;
    for (size_t c = 0; c < accuracy->n_coverages; ++c)
        work->bound[q * accuracy->n_coverages + c][cell] = 0;
    work->flags[cell] |= SST_FLAG_REPAIRED;
    if (is_settled(accuracy, cell))
        work->flags[cell] = (uint16_t)(work->flags[cell] & ~SST_FLAG_UNCERTIFIED);
    ++accuracy->findings.by_percentile[q].n_repaired;
}

/* Where the exact percentile is known: what the written one is worth. */
static void judge_probes(struct sst_accuracy *accuracy, size_t q)
{
    const struct sst_job *job = accuracy->job;
    struct work *work = &accuracy->work;
    for (size_t i = 0; i < job->n_probes; ++i) {
        const size_t cell = job->probes[i];
        /* Both as they are written, in float32: their difference is what a reader of the file would find. */
        const double error = (double)(float)work->quantile[q][cell] - (double)(float)work->exact[q][i];
        if (!(fabs(error) > job->options->tolerance))
            continue;
        if (job->options->repair)
            repair(accuracy, q, cell, work->exact[q][i]);
        else
            work->flags[cell] |= SST_FLAG_MEASURED_BEYOND_TOLERANCE;
    }
}

static void apply_model(struct sst_accuracy *accuracy, size_t q, const struct sst_model_cells *cells)
{
    const struct sst_percentile_findings *findings = &accuracy->findings.by_percentile[q];
    struct work *work = &accuracy->work;
    struct sst_model_values values = {.estimate = work->quantile[q], .is_likely = accuracy->is_likely};
    for (size_t c = 0; c < accuracy->n_coverages; ++c)
        values.bound[c] = work->bound[q * accuracy->n_coverages + c];
    sst_error_model_apply(findings->model, cells, &values);
#pragma omp parallel for schedule(static) if (cells->n_cells >= PARALLEL_CELLS)
    for (size_t cell = 0; cell < cells->n_cells; ++cell)
        if (accuracy->is_likely[cell] && !accuracy->is_probe[cell])
            work->flags[cell] |= SST_FLAG_LIKELY_BEYOND_TOLERANCE;
}

static enum sst_status write_work(struct sst_accuracy *accuracy, int slot, const uint16_t *n_obs,
                                  const struct sst_slot_writer *writer, struct sst_error *err)
{
    struct work *work = &accuracy->work;
    if (accuracy->sample)
        for (size_t q = 0; q < accuracy->n_percentiles; ++q)
            judge_probes(accuracy, q);
    for (size_t q = 0; q < accuracy->n_percentiles; ++q)
        sst_findings_see_bound(&accuracy->findings, q, work->bound[q * accuracy->n_coverages],
                               accuracy->n_coverages > 0 ? accuracy->job->domain.n_cells : 0);
    sst_tally_add(accuracy->tally, n_obs, work->flags);
    const struct sst_clim_values values = {
        .slot = slot,
        .mean = work->mean,
        .quantile = (const double *const *)work->quantile,
        .approx_bound = (const float *const *)work->bound,
        .n_obs = n_obs,
        .flags = work->flags,
    };
    return writer->write(writer->user, &values, err);
}

/* --- a slot comes from the engine --------------------------------------------------------------------------------- */

static void compare(struct sst_accuracy *accuracy, const struct sst_slot_result *result)
{
    const size_t *probes = accuracy->job->probes;
    for (size_t i = 0; i < result->n_probes; ++i)
        accuracy->probe_flags[i] = result->flags[probes[i]];
    for (size_t q = 0; q < accuracy->n_percentiles; ++q) {
        for (size_t i = 0; i < result->n_probes; ++i)
            accuracy->at_probes[i] = result->quantile[q][probes[i]];
        sst_comparison_add(accuracy->findings.by_percentile[q].errors, accuracy->at_probes, result->probe_quantile[q],
                           accuracy->probe_flags, NULL);
    }
}

static void put_sample(struct sst_accuracy *accuracy, const struct sst_slot_result *result)
{
    const struct sst_sample_slot values = {
        .slot = result->slot,
        .approx = result->quantile,
        .exact = result->probe_quantile,
        .shape = result->shape.sd ? &result->shape : NULL,
        .n_obs = result->n_obs,
        .flags = result->flags,
    };
    sst_sample_put(accuracy->sample, &values);
}

static enum sst_status keep(struct sst_accuracy *accuracy, const struct sst_slot_result *result, struct sst_error *err)
{
    size_t place = 0;
    while (place < accuracy->n_places && accuracy->slots[place] != result->slot)
        ++place;
    const struct sst_spool_in values = {
        .mean = result->mean,
        .quantile = result->quantile,
        .probe_quantile = result->probe_quantile,
        .shape = result->shape,
        .n_obs = result->n_obs,
        .flags = result->flags,
    };
    return sst_spool_put(accuracy->spool, place, &values, err);
}

/* Nothing is approximate: the engine's arrays are written as they are. */
static enum sst_status write_exact(struct sst_accuracy *accuracy, const struct sst_slot_result *result,
                                   const struct sst_slot_writer *writer, struct sst_error *err)
{
    sst_tally_add(accuracy->tally, result->n_obs, result->flags);
    const struct sst_clim_values values = {
        .slot = result->slot,
        .mean = result->mean,
        .quantile = result->quantile,
        .n_obs = result->n_obs,
        .flags = result->flags,
    };
    return writer->write(writer->user, &values, err);
}

/* What is flagged and repaired is a copy: the values of the engine may go into other slots. */
static void copy_values(struct sst_accuracy *accuracy, const struct sst_slot_result *result)
{
    struct work *work = &accuracy->work;
    const size_t n_cells = result->n_cells;
#pragma omp parallel for schedule(static) if (n_cells >= PARALLEL_CELLS)
    for (size_t begin = 0; begin < n_cells; begin += COPIED_CELLS) {
        const size_t n = n_cells - begin < COPIED_CELLS ? n_cells - begin : COPIED_CELLS;
        memcpy(work->mean + begin, result->mean + begin, n * sizeof *work->mean);
        for (size_t i = 0; i < accuracy->n_values; ++i)
            memcpy(work->quantile[i] + begin, result->quantile[i] + begin, n * sizeof(double));
        memcpy(work->flags + begin, result->flags + begin, n * sizeof *work->flags);
    }
}

enum sst_status sst_accuracy_put(struct sst_accuracy *accuracy, const struct sst_slot_result *result,
                                 const struct sst_slot_writer *writer, struct sst_error *err)
{
    struct work *work = &accuracy->work;
    if (accuracy->job->policy.approx == SST_APPROX_NONE)
        return write_exact(accuracy, result, writer, err);
    if (accuracy->sample) {
        put_sample(accuracy, result);
        if (!accuracy->job->options->correct) /* else what the correction gives at cells held out is compared, later */
            compare(accuracy, result);
    }
    if (accuracy->is_staged)
        return keep(accuracy, result, err);
    copy_values(accuracy, result);
    for (size_t q = 0; accuracy->sample && q < accuracy->n_percentiles; ++q)
        memcpy(work->exact[q], result->probe_quantile[q], result->n_probes * sizeof(double));
    return write_work(accuracy, result->slot, result->n_obs, writer, err);
}

/* --- all slots are there ------------------------------------------------------------------------------------------ */

static enum sst_status fit(struct sst_accuracy *accuracy, struct sst_error *err)
{
    const struct sst_job *job = accuracy->job;
    for (size_t q = 0; q < accuracy->n_percentiles; ++q) {
        const double percentile = job->policy.percentiles[q];
        struct sst_error_model_options options = {
            .percentile = percentile,
            .index = q,
            .n_coverages = accuracy->n_coverages,
            .tolerance = job->options->tolerance,
            .wants_correction = job->options->correct,
            .seed = job->options->seed,
            .regions = sst_regions_boxes(&job->domain),
            .z = sst_fit_normal_quantile(percentile / 100.0),
            .maxent_table = sst_maxent_table(percentile),
        };
        memcpy(options.coverages, job->options->coverages, sizeof options.coverages);
        SST_TRY(sst_error_model_fit(accuracy->sample, &options, &accuracy->findings.by_percentile[q].model, err));
    }
    return SST_OK;
}

static enum sst_status write_kept(struct sst_accuracy *accuracy, size_t place, const struct sst_slot_writer *writer,
                                  struct sst_error *err)
{
    struct work *work = &accuracy->work;
    const struct sst_spool_out kept = {
        .mean = work->mean,
        .quantile = work->quantile,
        .probe_quantile = work->exact,
        .shape = work->shape,
        .n_obs = work->n_obs,
        .flags = work->flags,
    };
    SST_TRY(sst_spool_get(accuracy->spool, place, &kept, err));
    const struct sst_model_cells cells = {accuracy->job->domain.n_cells, work->shape, work->n_obs};
    for (size_t q = 0; q < accuracy->n_percentiles; ++q)
        apply_model(accuracy, q, &cells);
    return write_work(accuracy, accuracy->slots[place], work->n_obs, writer, err);
}

enum sst_status sst_accuracy_finish(struct sst_accuracy *accuracy, const struct sst_slot_writer *writer,
                                    struct sst_error *err)
{
    if (!accuracy->is_staged)
        return SST_OK;
    SST_TRY(fit(accuracy, err));
    for (size_t place = 0; place < accuracy->n_places; ++place)
        SST_TRY(write_kept(accuracy, place, writer, err));
    return SST_OK;
}

enum sst_status sst_accuracy_conclude(struct sst_accuracy *accuracy, const struct sst_accuracy_findings **out,
                                      struct sst_error *err)
{
    accuracy->findings.tally = sst_tally_result(accuracy->tally);
    const struct sst_evidence evidence = {accuracy->job, accuracy->sample, accuracy->series, accuracy->tally};
    SST_TRY(sst_findings_conclude(&accuracy->findings, &evidence, err));
    *out = &accuracy->findings;
    return SST_OK;
}

/* Page and JSON. [bytes] */
enum { REPORT_BYTES = 2000000, SHAPE_FLOATS = 3 };

/* What is worked out of the sample when the pass is over, so that it can take the place of pools. */
static uint64_t later_bytes(const struct sst_job *job, size_t n_slots, bool is_for_report)
{
    uint64_t bytes = is_for_report ? REPORT_BYTES + sst_breakdown_scratch_bytes(job->n_probes, n_slots) : 0;
    if (sst_approx_has_moments(job->policy.approx))
        bytes += sst_error_model_bytes(job->n_probes, n_slots, job->policy.n_percentiles, job->options->correct);
    return bytes;
}

struct sst_accuracy_needs sst_accuracy_needs_of(const struct sst_job *job, size_t n_slots, bool is_for_report)
{
    const struct sst_policy *policy = &job->policy;
    const bool has_model = sst_approx_has_moments(policy->approx);
    struct sst_accuracy_needs needs = {0};
    if (policy->approx == SST_APPROX_NONE)
        return needs;
    const size_t n_doubles = 1 + policy->n_percentiles * (sst_climatology_has_bounds(policy) ? 3 : 1);
    const size_t n_floats = has_model ? policy->n_percentiles * job->options->n_coverages : 0;
    needs.memory_bytes =
        job->domain.n_cells * (n_doubles * sizeof(double) + n_floats * sizeof(float) + sizeof(uint32_t));
    if (!is_validated(job))
        return needs;
    /* By probe: its place, its weight and exact values, its flags, and its part of the error table. */
    needs.memory_bytes +=
        sst_sample_bytes(job->n_probes, n_slots, policy->n_percentiles, has_model) +
        policy->n_percentiles * sst_comparison_bytes(job->n_probes) +
        job->n_probes * (sizeof(size_t) + (1 + policy->n_percentiles) * sizeof(double) + sizeof(uint16_t));
    if (is_for_report)
        needs.memory_bytes += sst_series_bytes(job->n_probes, &policy->pools);
    needs.later_bytes = later_bytes(job, n_slots, is_for_report);
    if (has_model) {
        const struct sst_spool_spec spool = spool_spec(job, n_slots);
        needs.memory_bytes +=
            sst_spool_memory_bytes(&spool) + job->domain.n_cells * (SHAPE_FLOATS * sizeof(float) + sizeof(uint16_t));
        needs.disk_bytes = sst_spool_disk_bytes(&spool);
        needs.is_staged = true;
    }
    return needs;
}
