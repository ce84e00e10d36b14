/* `sststream climatology`: wires a state, engine, validation and writer, as `run` does files. */
#include <stdio.h>
#include <string.h>

#include "app/accuracy.h"
#include "app/climatology_memory.h"
#include "app/commands.h"
#include "app/option_table.h"
#include "app/options.h"
#include "app/run_attributes.h"
#include "app/signals.h"
#include "core/digest.h"
#include "core/mem.h"
#include "state/state_source.h"
#include "state/state_sums.h"
#include "validate/probes.h"
#include "write/clim_nc.h"

enum { NUMBER_TEXT_SIZE = 64, N_ATTRIBUTES = 13, SOURCE_TEXT_SIZE = 512, HISTORY_TEXT_SIZE = 2048 };

struct making {
    struct sst_options options; /* borrows those of the command line; years, seed and share are the state's */
    struct sst_state *state;
    struct sst_job job; /* no more of it than validation needs */
    struct sst_state_sums *sums; /* one of the two is there: what the engine is fed from */
    struct sst_state_source *source;
    bool is_of_sums; /* the first; the second takes more time, and a state that keeps all */
    struct sst_accuracy *accuracy;
    struct sst_clim_file *file;
    struct sst_progress progress;
    int slots[SST_N_SLOTS];
    int n_slots;
    char created[SST_ISO_TIME_SIZE];
};

/* --- what the engine gives ---------------------------------------------------------------------------------------- */

static enum sst_status write_slot(void *user, const struct sst_clim_values *values, struct sst_error *err)
{
    struct making *making = user;
    return sst_clim_put(making->file, values, err);
}

static enum sst_status put_slot(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    struct making *making = user;
    const struct sst_slot_writer writer = {making, write_slot};
    return sst_accuracy_put(making->accuracy, result, &writer, err);
}

static void see_day(void *user, struct sst_day day, const struct sst_field *field)
{
    const struct making *making = user;
    sst_accuracy_day(making->accuracy, day, field);
}

static void show_progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    struct making *making = user;
    (void)bytes_done;
    sst_progress_update(&making->progress, days_done, days_total, 0);
}

/* --- the stages --------------------------------------------------------------------------------------------------- */

/* From sums where they are enough, else from all values where those are kept. */
static enum sst_status settle_feed(struct making *making, struct sst_error *err)
{
    struct sst_error lacks = {SST_OK, ""};
    SST_TRY(sst_state_check_days(making->state, &making->job.policy.pools, err));
    const enum sst_status rc = sst_state_sums_check(making->state, &making->job.policy, &lacks);
    making->is_of_sums = rc == SST_OK;
    if (making->is_of_sums || sst_state_policy(making->state)->keep == SST_KEEP_ALL)
        return SST_OK;
    return sst_fail(err, rc, "%s", lacks.text);
}

/* What is validated is known at the state's probes alone; without any, nothing is. */
static enum sst_status settle_probes(struct making *making, struct sst_error *err)
{
    static const enum sst_option_id of_probes[] = {SST_OPTION_ID_tolerance, SST_OPTION_ID_coverage,
                                                   SST_OPTION_ID_correct, SST_OPTION_ID_repair};
    const struct sst_state_policy *policy = sst_state_policy(making->state);
    struct sst_options *options = &making->options;
    struct sst_job *job = &making->job;
    if (job->policy.approx == SST_APPROX_NONE)
        return SST_OK;
    if (policy->keep != SST_KEEP_NONE) {
        job->probe_share = policy->probe_share;
        return sst_probes_choose(&job->domain, NULL, policy->seed, policy->probe_share, &job->probes, &job->n_probes,
                                 err);
    }
    for (size_t i = 0; i < sizeof of_probes / sizeof of_probes[0]; ++i)
        if (options->is_given[of_probes[i]])
            return sst_fail(err, SST_ERR_USAGE,
                            "--%s: %s keeps none of the values, so no error can be measured. Leave it out, or make a "
                            "state with --keep probes",
                            sst_option_rows[of_probes[i]].name, options->state);
    options->n_coverages = 0;
    return SST_OK;
}

static enum sst_status settle(struct making *making, struct sst_error *err)
{
    struct sst_options *options = &making->options;
    struct sst_job *job = &making->job;
    SST_TRY(sst_state_open(sst_os_system(), options->state, SST_STATE_READ, &making->state, err));
    const struct sst_state_policy *policy = sst_state_policy(making->state);
    options->first_year = policy->pools.first_year;
    options->last_year = policy->pools.last_year;
    options->seed = policy->seed;
    if (!options->is_given[SST_OPTION_ID_leap])
        options->leap = policy->pools.leap;
    if (!options->is_given[SST_OPTION_ID_window] && !options->is_given[SST_OPTION_ID_window_half_width] &&
        policy->pools.half_window_days < (options->window_days - 1) / 2)
        options->window_days = 2 * policy->pools.half_window_days + 1;
    SST_TRY(sst_options_check_estimator(options, err));
    job->options = options;
    SST_TRY(sst_options_policy(options, policy->pools.kind, policy->lattice, &job->policy, err));
    SST_TRY(sst_policy_check(&job->policy, err));
    SST_TRY(settle_feed(making, err));
    sst_domain_all(policy->grid, &job->domain);
    making->n_slots = sst_policy_output_slots(&job->policy, making->slots);
    SST_TRY(settle_probes(making, err));
    return sst_climatology_settle_memory(making->state, making->is_of_sums, job, err);
}

static struct sst_clim_spec clim_spec(const struct making *making)
{
    const struct sst_options *options = &making->options;
    const struct sst_policy *policy = &making->job.policy;
    const bool is_foundation = sst_state_policy(making->state)->kind == SST_KIND_FOUNDATION;
    const struct sst_clim_spec spec = {
        .path = options->output,
        .overwrite = options->overwrite,
        .split = options->split,
        .domain = &making->job.domain,
        .pools = &policy->pools,
        .slots = making->slots,
        .n_slots = making->n_slots,
        .percentiles = policy->percentiles,
        .n_percentiles = policy->n_percentiles,
        .has_bounds = sst_climatology_has_bounds(policy),
        .coverages = options->coverages,
        .n_coverages = sst_approx_has_moments(policy->approx) ? options->n_coverages : 0,
        .smooth_days = policy->smooth_days,
        .estimator = sst_run_estimator_text(policy),
        .standard_name = is_foundation ? "sea_surface_foundation_temperature" : "",
        .sst_long_name_prefix = is_foundation ? "sea surface foundation temperature" : "sea surface temperature",
        .deflate_level = options->deflate_level,
        .n_threads = sst_job_writer_threads(options),
    };
    return spec;
}

static enum sst_status open_feed(struct making *making, struct sst_error *err)
{
    const struct sst_job *job = &making->job;
    if (making->is_of_sums)
        return sst_state_sums_create(making->state, &job->policy, &job->domain, job->probes, job->n_probes,
                                     &making->sums, err);
    return sst_state_source_create(making->state, &job->domain, &job->policy.pools, &making->source, err);
}

static size_t n_days(const struct making *making)
{
    return making->is_of_sums ? sst_state_sums_n_days(making->sums) : sst_state_source_n_days(making->source);
}

static size_t n_absent(const struct making *making)
{
    return making->is_of_sums ? sst_state_sums_n_absent(making->sums) : sst_state_source_n_absent(making->source);
}

static enum sst_status compute(struct making *making, struct sst_error *err)
{
    struct sst_job *job = &making->job;
    const struct sst_clim_spec spec = clim_spec(making);
    const struct sst_slot_writer writer = {making, write_slot};
    SST_TRY(sst_clim_check(&spec, err));
    SST_TRY(sst_accuracy_create(job, making->slots, (size_t)making->n_slots, false, &making->accuracy, err));
    SST_TRY(open_feed(making, err));
    SST_TRY(sst_clim_create(&spec, &making->file, err));
    const struct sst_climatology_job engine_job = {
        .policy = &job->policy,
        .backend = sst_backend_cpu(),
        .source = making->is_of_sums ? NULL : sst_state_source_fields(making->source),
        .sums = making->is_of_sums ? sst_state_sums_slots(making->sums) : NULL,
        .n_cells = job->domain.n_cells,
        .probes = job->probes,
        .n_probes = job->n_probes,
        .wants_shape = sst_accuracy_wants_shape(making->accuracy),
    };
    const struct sst_slot_sink sink = {making, put_slot, see_day, show_progress, sst_signals_cancelled};
    sst_progress_begin(&making->progress, "read", making->is_of_sums ? "calendar days" : "days", 0);
    const enum sst_status rc = sst_climatology_run(&engine_job, &sink, err);
    sst_progress_end(&making->progress);
    SST_TRY(rc);
    return sst_accuracy_finish(making->accuracy, &writer, err);
}

/* Of the rule and of all that the state counted. */
static enum sst_status make_id(const struct making *making, char *id, struct sst_error *err)
{
    const struct sst_policy *policy = &making->job.policy;
    const struct sst_options *options = &making->options;
    struct sst_identity counted;
    struct sst_digest *digest = NULL;
    SST_TRY(sst_state_digest(making->state, &counted, err));
    SST_TRY(sst_digest_create(&digest, err));
    sst_digest_text(digest, "sststream climatology of a state 1");
    sst_digest_number(digest, counted.low);
    sst_digest_number(digest, counted.high);
    sst_digest_text(digest, sst_approx_name(policy->approx));
    sst_digest_text(digest, sst_leap_rule_name(policy->pools.leap));
    const int numbers[] = {policy->pools.half_window_days,
                           policy->quantile_type,
                           policy->smooth_days,
                           policy->min_samples,
                           policy->first_slot,
                           policy->last_slot,
                           policy->tail_k,
                           options->correct,
                           options->repair};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
        sst_digest_number(digest, (uint64_t)numbers[i]);
    for (size_t i = 0; i < policy->n_percentiles; ++i)
        sst_digest_number(digest, (uint64_t)(policy->percentiles[i] * 1000.0 + 0.5)); /* they have steps of 0.001 */
    (void)sst_digest_hex(digest, id);
    sst_digest_destroy(&digest);
    return SST_OK;
}

static enum sst_status finish_file(struct making *making, struct sst_error *err)
{
    const struct sst_pool_rule *pools = &making->job.policy.pools;
    char id[SST_DIGEST_TEXT_SIZE], years[NUMBER_TEXT_SIZE], half[NUMBER_TEXT_SIZE], smooth[NUMBER_TEXT_SIZE] = "none";
    char source[SOURCE_TEXT_SIZE], history[HISTORY_TEXT_SIZE];
    SST_TRY(make_id(making, id, err));
    (void)snprintf(years, sizeof years, "%d-%d", pools->first_year, pools->last_year);
    (void)snprintf(half, sizeof half, "%d", pools->half_window_days);
    if (making->job.policy.smooth_days > 1)
        (void)snprintf(smooth, sizeof smooth, "%d-day circular moving mean", making->job.policy.smooth_days);
    (void)snprintf(source, sizeof source, "%.300s, %zu days of a state", sst_state_policy(making->state)->product,
                   n_days(making));
    (void)snprintf(history, sizeof history, "%s sststream %s: sststream climatology %.1800s", making->created,
                   sst_version(), making->options.arguments);
    const struct sst_attribute attributes[N_ATTRIBUTES] = {
        {"title", "Daily climatology of sea surface temperature"},
        {"id", id},
        {"climatology_id", id},
        {"source", source},
        {"history", history},
        {"baseline_period", years},
        {"baseline_type", "fixed"},
        {"leap_day_rule", sst_leap_rule_name(pools->leap)},
        {"window_half_width_days", half},
        {"smoothing", smooth},
        {"percentile_method", sst_run_estimator_text(&making->job.policy)},
        {"date_created", making->created},
        {"sststream_version", sst_version()},
    };
    return sst_clim_finish(&making->file, attributes, N_ATTRIBUTES, err);
}

static enum sst_status conclude(struct making *making, struct sst_error *err)
{
    const size_t n_counted = n_days(making), n_missing = n_absent(making);
    if (n_counted == 0)
        return sst_fail(err, SST_ERR_STATE, "%s: no day is counted. Ingest files first", making->options.state);
    SST_TRY(sst_log_check(making->options.log, SST_ERR_INPUT, err));
    SST_TRY(finish_file(making, err));
    sst_log_info(making->options.log, "%s: climatology of %zu days of %s", making->options.output, n_counted,
                 making->options.state);
    if (n_missing > 0)
        return sst_fail(err, SST_ERR_INCOMPLETE, "done, but %zu day%s of the baseline %s not counted", n_missing,
                        n_missing == 1 ? "" : "s", n_missing == 1 ? "is" : "are");
    return SST_OK;
}

int cmd_climatology(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct making making = {.options = *options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    int64_t now = 0;
    enum sst_status rc = SST_OK;
    sst_progress_init(&making.progress, options->progress, &terminal, options->log);
    sst_backend_cpu_set_threads(options->n_threads);
    SST_TRY_GOTO(sst_output_time(&now, &err));
    (void)sst_iso_time(now, making.created);
    SST_TRY_GOTO(settle(&making, &err));
    SST_TRY_GOTO(compute(&making, &err));
    rc = conclude(&making, &err);
done:
    if (rc == SST_ERR_INCOMPLETE)
        sst_log_warn(options->log, "%s", err.text);
    else if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_clim_abandon(&making.file);
    sst_state_sums_destroy(&making.sums);
    sst_state_source_destroy(&making.source);
    sst_accuracy_destroy(&making.accuracy);
    sst_free(making.job.probes);
    sst_state_close(&making.state);
    return sst_status_exit_code(rc);
}
