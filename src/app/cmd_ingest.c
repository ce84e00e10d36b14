/* `sststream ingest`: files into a state, which is made where there is none. */
#include <unistd.h>

#include "app/commands.h"
#include "app/ingest_job.h"
#include "app/ingest_policy.h"
#include "app/job.h"
#include "app/options.h"
#include "stream/source.h"
#include "stream/steps.h"

struct command {
    const struct sst_options *options;
    struct sst_state *state;
    struct sst_file_notes *notes;
    struct sst_catalog *old;
};

/* --- a new state -------------------------------------------------------------------------------------------------- */

/* Cells with values in the first field that can be read; all of the grid where there is none. */
static enum sst_status count_sea(const struct command *command, struct sst_catalog *catalog, size_t *n_items,
                                 struct sst_error *err)
{
    const struct sst_reader_options options = {
        .decode = sst_job_decode_options(command->options), .crew = sst_job_crew(command->options), .cache_bytes = 1};
    struct sst_error problem = {SST_OK, ""};
    struct sst_steps *steps = NULL;
    struct sst_step *step = NULL;
    struct sst_domain domain;
    sst_domain_all(catalog->grid, &domain);
    *n_items = domain.n_cells;
    SST_TRY(sst_steps_create(catalog, &domain, &options, &steps, err));
    enum sst_status rc = sst_steps_take(steps, 0, &step, &problem);
    if (rc == SST_OK) {
        *n_items = 0;
        for (size_t cell = 0; cell < domain.n_cells; ++cell)
            *n_items += step->codes[cell] != SST_CODE_MISSING;
        sst_steps_give_back(steps, &step);
    }
    sst_steps_destroy(&steps);
    return sst_status_is_of_the_run(rc) ? sst_fail(err, rc, "%s", problem.text) : SST_OK;
}

static enum sst_status tell_size(const struct command *command, struct sst_catalog *catalog,
                                 const struct sst_state_policy *policy, struct sst_error *err)
{
    char slot[SST_KEEP_ALL + 1][SST_SIZE_TEXT], all[SST_KEEP_ALL + 1][SST_SIZE_TEXT];
    size_t n_items = 0;
    if (!sst_log_shows(command->options->log, SST_LOG_INFO))
        return SST_OK;
    SST_TRY(count_sea(command, catalog, &n_items, err));
    for (int keep = 0; keep <= SST_KEEP_ALL; ++keep) {
        const struct sst_state_bytes bytes = sst_state_bytes(policy, (enum sst_keep)keep, n_items);
        (void)sst_size_text((uint64_t)bytes.slot, true, slot[keep]);
        (void)sst_size_text((uint64_t)bytes.all, true, all[keep]);
    }
    sst_log_info(
        command->options->log,
        "%s: a new state, which keeps %s. With every day counted and before compression a calendar day takes %s, all "
        "of them %s with --keep none; %s and %s with probes; %s and %s with all",
        command->options->state, sst_keep_name(policy->keep), slot[SST_KEEP_NONE], all[SST_KEEP_NONE],
        slot[SST_KEEP_PROBES], all[SST_KEEP_PROBES], slot[SST_KEEP_ALL], all[SST_KEEP_ALL]);
    return SST_OK;
}

static enum sst_status make_state(struct command *command, struct sst_catalog *catalog, struct sst_error *err)
{
    struct sst_state_policy policy;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_ingest_policy(command->options, catalog, &policy, err));
    SST_TRY_GOTO(tell_size(command, catalog, &policy, err));
    SST_TRY_GOTO(sst_state_begin(sst_os_system(), command->options->state, &policy, &command->state, err));
    SST_TRY_GOTO(sst_state_finish(command->state, err));
done:
    sst_state_policy_clear(&policy);
    return rc;
}

/* The state is opened before files are looked at: where another writer has it, that is said at once. */
static enum sst_status open_state(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    if (access(options->state, F_OK) == 0) {
        SST_TRY(sst_state_open(sst_os_system(), options->state, SST_STATE_WRITE, &command->state, err));
        return sst_ingest_policy_agrees(options, sst_state_policy(command->state), err);
    }
    if (options->is_given[SST_OPTION_ID_baseline])
        return SST_OK;
    return sst_fail(err, SST_ERR_USAGE,
                    "--state %.200s: there is none yet, and to make one its years have to be said: nothing else can be "
                    "counted into it later. Give --baseline Y1-Y2",
                    options->state);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static enum sst_status scan_old(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    struct sst_sources sources = {0};
    enum sst_status rc = SST_OK;
    if (options->n_old == 0)
        return SST_OK;
    SST_TRY_GOTO(sst_sources_find((const char *const *)options->old, options->n_old, &sources, err));
    SST_TRY_GOTO(
        sst_ingest_job_scan(options, (const char *const *)sources.paths, sources.n_paths, false, &command->old, err));
done:
    sst_sources_clear(&sources);
    return rc;
}

static enum sst_status take(struct command *command, struct sst_catalog *catalog, const struct sst_sources *sources,
                            struct sst_error *err)
{
    SST_TRY(sst_file_notes_open(command->state, &command->notes, err));
    struct sst_ingest_job job = {
        .options = command->options, .state = command->state, .notes = command->notes, .old = command->old};
    const enum sst_status rc =
        catalog ? sst_ingest_job_take(&job, catalog, err)
                : sst_ingest_job_run(&job, (const char *const *)sources->paths, sources->n_paths, err);
    sst_ingest_job_sum_up(&job);
    SST_TRY(rc);
    return sst_ingest_job_outcome(&job, err);
}

static enum sst_status ingest(struct command *command, struct sst_error *err)
{
    const struct sst_options *options = command->options;
    struct sst_sources sources = {0};
    struct sst_catalog *catalog = NULL; /* where the state is made from what it says */
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(open_state(command, err));
    SST_TRY_GOTO(sst_sources_find((const char *const *)options->inputs, options->n_inputs, &sources, err));
    SST_TRY_GOTO(scan_old(command, err));
    if (!command->state) {
        SST_TRY_GOTO(
            sst_ingest_job_scan(options, (const char *const *)sources.paths, sources.n_paths, false, &catalog, err));
        SST_TRY_GOTO(make_state(command, catalog, err));
    }
    SST_TRY_GOTO(take(command, catalog, &sources, err));
done:
    sst_catalog_destroy(&catalog);
    sst_sources_clear(&sources);
    return rc;
}

int cmd_ingest(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct command command = {.options = options};
    const enum sst_status rc = ingest(&command, &err);
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_file_notes_close(&command.notes);
    sst_state_close(&command.state);
    sst_catalog_destroy(&command.old);
    return sst_status_exit_code(rc);
}
