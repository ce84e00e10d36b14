/* From options, headers and one field to a settled job; what cannot be done is refused here, before the run reads. */
#include "app/job.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/environment.h"
#include "app/job_device.h"
#include "app/job_memory.h"
#include "app/log.h"
#include "backend/gpu_selftest.h"
#include "core/cells.h"
#include "core/mem.h"
#include "core/text.h"
#include "stream/steps.h"
#include "validate/probes.h"

struct sst_decode_options sst_job_decode_options(const struct sst_options *options)
{
    const struct sst_decode_options decode = {.variable = options->variable,
                                              .units = options->units,
                                              .ice_variable = options->ice_variable,
                                              .status_from = options->status_from};
    return decode;
}

const struct sst_reader_crew *sst_job_crew(const struct sst_options *options)
{
    return options->crew.crew ? &options->crew : NULL;
}

int sst_job_writer_threads(const struct sst_options *options)
{
    return options->n_threads > 2 ? options->n_threads - 1 : 1;
}

static void scan_progress(void *user, size_t done, size_t total) { sst_progress_update(user, done, total, 0); }

enum sst_status sst_job_scan(const struct sst_options *options, char *const *inputs, size_t n_inputs,
                             struct sst_progress *progress, struct sst_sources *sources, struct sst_catalog **catalog,
                             struct sst_error *err)
{
    const struct sst_catalog_options catalog_options = {
        .decode = sst_job_decode_options(options),
        .crew = sst_job_crew(options),
        .stop_on_bad = options->stop_on_bad,
        .notes = sst_log_note,
        .notes_user = options->log,
        .progress = scan_progress,
        .progress_user = progress,
    };
    SST_TRY(sst_sources_find((const char *const *)inputs, n_inputs, sources, err));
    sst_progress_begin(progress, "scan", "files", 0);
    const enum sst_status rc =
        sst_catalog_scan((const char *const *)sources->paths, sources->n_paths, &catalog_options, catalog, err);
    sst_progress_end(progress);
    return rc;
}

static enum sst_status cut_box(struct sst_job *job, struct sst_error *err)
{
    const struct sst_bbox *box = &job->options->bbox;
    const enum sst_status rc =
        sst_domain_box(job->catalog->grid, box->west, box->south, box->east, box->north, &job->domain, err);
    if (rc != SST_OK)
        sst_error_prefix(err, "--bbox");
    return rc;
}

static enum sst_status settle_domain(struct sst_job *job, struct sst_error *err)
{
    const struct sst_options *options = job->options;
    sst_domain_all(job->catalog->grid, &job->domain);
    if (options->has_bbox)
        SST_TRY(cut_box(job, err));
    if (!options->mask_path)
        return SST_OK;
    SST_TRY(sst_alloc(job->domain.n_cells, sizeof *job->keep, "the mask", &job->keep, err));
    return sst_file_read_mask(options->mask_path, options->mask_variable, &job->domain, job->keep, err);
}

/* --- the baseline ------------------------------------------------------------------------------------------------- */

static enum sst_status year_is_full(const struct sst_job *job, int year, bool *is_full, struct sst_error *err)
{
    struct sst_coverage coverage = {0};
    const enum sst_status rc = sst_catalog_coverage(job->catalog, year, year, job->wanted, &coverage, err);
    *is_full = rc == SST_OK && coverage.n_missing == 0;
    sst_coverage_clear(&coverage);
    return rc;
}

static enum sst_status append_years(char **text, int first, int last, struct sst_error *err)
{
    char *longer = NULL;
    const char *before = *text ? *text : "", *comma = *text && **text ? ", " : "";
    if (first == last)
        SST_TRY(sst_asprintf(&longer, err, "%s%s%d", before, comma, first));
    else
        SST_TRY(sst_asprintf(&longer, err, "%s%s%d-%d", before, comma, first, last));
    sst_free(*text);
    *text = longer;
    return SST_OK;
}

enum sst_status sst_job_full_years(const struct sst_job *job, char **text, struct sst_error *err)
{
    char *list = NULL;
    enum sst_status rc = SST_OK;
    const int last_year = job->catalog->last_day.year;
    int run_start = 0;
    bool in_run = false;
    SST_TRY(sst_strdup("", &list, err));
    for (int year = job->catalog->first_day.year; year <= last_year + 1; ++year) {
        bool is_full = false;
        if (year <= last_year)
            SST_TRY_GOTO(year_is_full(job, year, &is_full, err));
        if (is_full && !in_run)
            run_start = year;
        else if (!is_full && in_run)
            SST_TRY_GOTO(append_years(&list, run_start, year - 1, err));
        in_run = is_full;
    }
    *text = list;
    list = NULL;
done:
    sst_free(list);
    return rc;
}

static enum sst_status refuse_baseline(const struct sst_job *job, struct sst_error *err)
{
    char *full = NULL;
    SST_TRY(sst_job_full_years(job, &full, err));
    const enum sst_status rc = sst_fail(
        err, SST_ERR_TIME,
        "the default baseline %d-%d is not whole: %zu of its days have no file. Years with every day: %s. "
        "Name the years that you want with --baseline Y1-Y2",
        job->policy.pools.first_year, job->policy.pools.last_year, job->coverage.n_missing, *full ? full : "none");
    sst_free(full);
    return rc;
}

/* Slots that are read only so that the smoother can reach over the ends of a part of the year must have files. */
static enum sst_status check_smoother_reach(const struct sst_job *job, struct sst_error *err)
{
    struct sst_policy plain = job->policy;
    bool wanted_plain[SST_N_SLOTS + 1];
    plain.smooth_days = 1;
    sst_policy_read_slots(&plain, wanted_plain);
    for (int slot = 1; slot <= sst_calendar_n_slots(job->policy.pools.kind); ++slot) {
        size_t first = 0, count = 0;
        sst_catalog_slot(job->catalog, slot, &first, &count);
        if (count > 0 || !job->wanted[slot] || wanted_plain[slot] ||
            sst_pool_term_days(&job->policy.pools, (struct sst_term){(int16_t)slot, SST_CLASS_COMMON}) == 0)
            continue;
        int month = 0, day = 0;
        sst_calendar_month_day(job->policy.pools.kind, slot, &month, &day);
        return sst_fail(
            err, SST_ERR_TIME,
            "--smooth %d averages over days beside the part of the year that is asked for, and no file is of "
            "%02d-%02d. Give those files too, or use --smooth 0",
            job->policy.smooth_days, month, day);
    }
    return SST_OK;
}

static void count_days_beside(struct sst_job *job)
{
    for (size_t i = 0; i < job->catalog->n_entries; ++i) {
        const struct sst_day day = job->catalog->entries[i].at.day;
        job->n_days_beside += job->wanted[day.slot] && sst_pool_class(&job->policy.pools, day) != SST_NO_CLASS &&
                              !sst_pool_in_baseline(&job->policy.pools, day);
    }
}

/* A baseline may be long and its files of one year only: that year's weather is no climate either. */
static enum sst_status check_years(const struct sst_job *job, struct sst_error *err)
{
    const struct sst_catalog *catalog = job->catalog;
    const struct sst_pool_rule *pools = &job->policy.pools;
    int year = 0;
    if (!sst_approx_has_moments(job->policy.approx))
        return SST_OK;
    for (size_t i = 0; i < catalog->n_entries; ++i) {
        const struct sst_day day = catalog->entries[i].at.day;
        if (!job->wanted[day.slot] || !sst_pool_in_baseline(pools, day))
            continue;
        if (year != 0 && day.year != year)
            return SST_OK;
        year = day.year;
    }
    return sst_fail(
        err, SST_ERR_TIME,
        "--baseline %d-%d: all days that have a file are of %d, and one year is too little for --approx %s. "
        "Name files of more years, or use --exact",
        pools->first_year, pools->last_year, year, sst_approx_name(job->policy.approx));
}

static enum sst_status settle_baseline(struct sst_job *job, struct sst_error *err)
{
    const struct sst_options *options = job->options;
    SST_TRY(sst_options_policy(options, job->catalog->calendar, job->catalog->lattice, &job->policy, err));
    SST_TRY(sst_policy_check(&job->policy, err));
    sst_policy_read_slots(&job->policy, job->wanted);
    const struct sst_pool_rule *pools = &job->policy.pools;
    SST_TRY(sst_catalog_coverage(job->catalog, pools->first_year, pools->last_year, job->wanted, &job->coverage, err));
    if (!options->is_given[SST_OPTION_ID_baseline] && job->coverage.n_missing > 0)
        return refuse_baseline(job, err);
    if (job->coverage.n_present == 0)
        return sst_fail(err, SST_ERR_TIME, "--baseline %d-%d: no file is of these years; the files hold %d to %d",
                        pools->first_year, pools->last_year, job->catalog->first_day.year, job->catalog->last_day.year);
    SST_TRY(check_years(job, err));
    SST_TRY(check_smoother_reach(job, err));
    count_days_beside(job);
    return SST_OK;
}

/* --- probes and inputs -------------------------------------------------------------------------------------------- */

static enum sst_status settle_probes(struct sst_job *job, struct sst_error *err)
{
    const struct sst_grid *grid = job->catalog->grid;
    if (job->policy.approx == SST_APPROX_NONE)
        return SST_OK;
    job->probe_share = job->options->validate_share > 0.0 ? job->options->validate_share
                                                          : sst_probes_default_share(grid->n_lat * grid->n_lon);
    return sst_probes_choose(&job->domain, job->keep, job->options->seed, job->probe_share, &job->probes,
                             &job->n_probes, err);
}

/* Whether an entry is of a day that the run reads. */
static bool is_read(const struct sst_job *job, const struct sst_catalog_entry *entry)
{
    return job->wanted[entry->at.day.slot] && sst_pool_class(&job->policy.pools, entry->at.day) != SST_NO_CLASS;
}

static enum sst_status count_inputs(struct sst_job *job, struct sst_error *err)
{
    uint8_t *is_used = NULL;
    SST_TRY(sst_alloc(job->catalog->n_files, sizeof *is_used, "marks of files", &is_used, err));
    for (size_t i = 0; i < job->catalog->n_entries; ++i) {
        const struct sst_catalog_entry *entry = &job->catalog->entries[i];
        if (!is_read(job, entry) || is_used[entry->file])
            continue;
        is_used[entry->file] = 1;
        ++job->n_inputs_used;
        job->bytes_to_read += job->catalog->files[entry->file].size_bytes;
    }
    sst_free(is_used);
    return SST_OK;
}

/* Entries that are tried for a field that tells where the sea is. */
enum { MAX_SAMPLES = 3 };

/* Looks at one field: places for the cells that have a value in it. A file that cannot be read is told of when its day is. */
static enum sst_status look_for_sea(struct sst_job *job, struct sst_steps *steps, size_t entry, struct sst_cells *cells,
                                    struct sst_error *err)
{
    struct sst_step *step = NULL;
    struct sst_error problem = {0};
    const enum sst_status rc = sst_steps_take(steps, entry, &step, &problem);
    if (sst_status_is_of_the_run(rc))
        return sst_fail(err, rc, "%s", problem.text);
    if (rc != SST_OK)
        return SST_OK;
    const struct sst_field field = {.n_cells = job->domain.n_cells,
                                    .codes = step->codes,
                                    .hundredths = step->codes,
                                    .ice = step->ice,
                                    .has_ice = step->outcome.has_ice};
    sst_cells_take(cells, &field);
    for (size_t cell = 0; cell < field.n_cells; ++cell)
        job->n_sea += field.codes[cell] != SST_CODE_MISSING;
    sst_steps_give_back(steps, &step);
    return SST_OK;
}

/* Memory is planned for the cells that have a value in a first field, and the few that turn valid later. */
static enum sst_status find_sea(struct sst_job *job, struct sst_error *err)
{
    const struct sst_reader_options reader_options = {.decode = sst_job_decode_options(job->options),
                                                      .keep = job->keep,
                                                      .crew = sst_job_crew(job->options),
                                                      .cache_bytes = 1};
    enum sst_status rc = SST_OK;
    struct sst_steps *steps = NULL;
    struct sst_cells cells = {0};
    int n_tried = 0;
    SST_TRY_GOTO(sst_steps_create(job->catalog, &job->domain, &reader_options, &steps, err));
    SST_TRY_GOTO(sst_cells_init(&cells, job->domain.n_cells, err));
    for (size_t i = 0; i < job->catalog->n_entries && n_tried < MAX_SAMPLES && cells.n_places == 0; ++i) {
        if (!is_read(job, &job->catalog->entries[i]))
            continue;
        SST_TRY_GOTO(look_for_sea(job, steps, i, &cells, err));
        ++n_tried;
    }
    job->n_sea = job->n_sea > 0 ? job->n_sea : job->domain.n_cells;
    job->n_places = cells.n_places > 0 ? cells.n_places : sst_cells_most(job->domain.n_cells);
done:
    if (steps) {
        job->catalog->n_reader_deaths += sst_steps_totals(steps)->n_deaths;
        sst_timings_add(&job->catalog->timings, &sst_steps_totals(steps)->timings);
    }
    sst_cells_clear(&cells);
    sst_steps_destroy(&steps);
    return rc;
}

/* What a runtime takes differs by a few pages each time; a plan is to say the same each time. [bytes] */
#define RUNTIME_UNIT (UINT64_C(32) << 20)

/* Which devices compute, as far as that does not depend on memory, and what their runtime takes of the host's. */
static enum sst_status find_devices(struct sst_job *job, struct sst_error *err)
{
    const int self = (int)getpid();
    const uint64_t before = sst_environment_private_bytes(&self, 1);
    const double start = sst_timings_now();
    SST_TRY(sst_job_devices(job->options, &job->device.devices, job->device.why, err));
    const uint64_t after = sst_environment_private_bytes(&self, 1);
    job->device.is_named = job->options->device && strcmp(job->options->device, "auto") != 0;
    if (job->device.devices.n > 0 && after > before)
        job->device.runtime_bytes = (after - before + RUNTIME_UNIT / 2) / RUNTIME_UNIT * RUNTIME_UNIT;
    const bool is_tested = job->device.is_named && job->device.devices.n > 0;
    const enum sst_status rc = is_tested ? sst_gpu_selftest(&job->device.devices, err) : SST_OK;
    (void)sst_timings_book(&job->timings, SST_PHASE_START, start);
    if (rc == SST_ERR_DEVICE)
        sst_device_add_remedy(err);
    return rc;
}

static enum sst_status settle_room(struct sst_job *job, struct sst_error *err)
{
    SST_TRY(sst_job_settle_memory(job, err));
    return sst_job_check_disk(job, err);
}

/* Devices that do not do leave the work to the CPU. */
static enum sst_status leave_to_cpu(struct sst_job *job, const char *why, struct sst_error *err)
{
    sst_log_warn(job->options->log, "%s. No device is used, the CPU computes", why);
    sst_device_plan_drop(&job->device, why);
    return settle_room(job, err);
}

/* Others may have taken memory since the run was planned: then it is planned for what is left. */
static enum sst_status look_again(struct sst_job *job, struct sst_error *err)
{
    struct sst_gpu_devices *devices = &job->device.devices;
    char planned[SST_SIZE_TEXT], left[SST_SIZE_TEXT], why[SST_DEVICE_WHY_SIZE];
    for (size_t i = 0; i < devices->n; ++i) {
        struct sst_gpu_device *device = &devices->list[i];
        SST_TRY(sst_gpu_check(device, device->api->info(device->index, &device->info), "asking for its memory", err));
    }
    const uint64_t bytes = job->device.bytes, usable = sst_device_plan_usable(devices);
    if (devices->n == 0 || bytes <= usable)
        return SST_OK;
    (void)snprintf(why, sizeof why, "%s of a device's memory were planned for, and %s are left",
                   sst_size_text(bytes, true, planned), sst_size_text(usable, false, left));
    SST_TRY(settle_room(job, err));
    sst_log_warn(job->options->log, "%s. %s", why,
                 devices->n > 0 ? "Less is done at a time" : "No device is used, the CPU computes");
    return SST_OK;
}

enum sst_status sst_job_test_devices(struct sst_job *job, struct sst_error *err)
{
    struct sst_error why = {0};
    enum sst_status rc = SST_OK;
    const double start = sst_timings_now();
    if (job->device.devices.n == 0)
        return SST_OK;
    if (!job->device.is_named)
        rc = sst_gpu_selftest(&job->device.devices, &why);
    if (rc == SST_OK)
        rc = look_again(job, &why);
    (void)sst_timings_book(&job->timings, SST_PHASE_START, start);
    if (rc == SST_ERR_DEVICE && !job->device.is_named)
        return leave_to_cpu(job, why.text, err);
    return rc == SST_OK ? SST_OK : sst_fail(err, rc, "%s", why.text);
}

enum sst_status sst_job_prepare(const struct sst_options *options, struct sst_progress *progress, struct sst_job *job,
                                struct sst_error *err)
{
    memset(job, 0, sizeof *job);
    job->options = options;
    SST_TRY(
        find_devices(job, err)); /* what is asked for by name and cannot be had is refused before files are opened */
    SST_TRY(sst_job_scan(job->options, job->options->inputs, job->options->n_inputs, progress, &job->sources,
                         &job->catalog, err));
    SST_TRY(settle_domain(job, err));
    SST_TRY(settle_baseline(job, err));
    SST_TRY(settle_probes(job, err));
    SST_TRY(count_inputs(job, err));
    SST_TRY(find_sea(job, err));
    return settle_room(job, err);
}

void sst_job_clear(struct sst_job *job)
{
    sst_sources_clear(&job->sources);
    sst_catalog_destroy(&job->catalog);
    sst_coverage_clear(&job->coverage);
    sst_free(job->keep);
    sst_free(job->probes);
    memset(job, 0, sizeof *job);
}
