/* The memory of a run, from sizes and what was measured; what to do where it is too much. */
#include "app/job_memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/accuracy.h"
#include "app/environment.h"
#include "core/mem.h"
#include "core/text.h"
#include "stream/reader.h"
#include "stream/schedule.h"
#include "stream/scratch_slots.h"
#include "stream/tiles.h"
#include "validate/probes.h"
#include "write/clim_nc.h"

/*
 * What a cell of the domain takes in none of the parts that tell themselves, [bytes]. Measured, as all here and
 * SST_PROGRAM_BYTES: bench/memory_table.sh.
 */
enum { CELL_BYTES = 8 };

/*
 * Reading: pages of a process that it does not share, and the library's caches, [bytes]; a field as it is stored, packed and
 * inflated, [bytes a cell of the grid]; a step of a chunk that a reader keeps unpacked, likewise, and how many such chunks it
 * keeps; a step that waits decoded, beside its values, [bytes].
 */
enum { READER_BYTES = 900000, STORED_BYTES = 8, KEPT_BYTES = 2, MOST_KEPT_CHUNKS = 6, STEP_BYTES = 200 };

static size_t n_days(const struct sst_job *job) { return job->coverage.n_present + job->n_days_beside; }

/* A decoded field, as one slot of the ring and one that is held have it. */
static uint64_t field_bytes(const struct sst_job *job)
{
    const bool has_both = job->policy.lattice != SST_LATTICE_CENTI;
    return job->domain.n_cells * (sizeof(int16_t) + sizeof(uint8_t) + (has_both ? sizeof(int16_t) : 0));
}

/* The most steps that a chunk of a file has, as far as a reader takes them together. */
static uint64_t steps_per_chunk(const struct sst_job *job)
{
    uint64_t most = 1;
    for (size_t i = 0; i < job->catalog->n_files; ++i)
        if (job->catalog->files[i].steps_per_chunk > most)
            most = job->catalog->files[i].steps_per_chunk;
    return most < n_days(job) || n_days(job) == 0 ? most : n_days(job);
}

/* The most steps that wait decoded because their chunk had to be opened, where chunks hold many. */
static uint64_t waiting_bytes(const struct sst_job *job)
{
    const uint64_t n_chunk_steps = steps_per_chunk(job);
    const struct sst_pool_rule *pools = &job->policy.pools;
    const uint64_t n_years = (uint64_t)pools->last_year - (uint64_t)pools->first_year + 3;
    const uint64_t all = n_chunk_steps > 1 ? n_years * n_chunk_steps : 0, most = all < n_days(job) ? all : n_days(job);
    const uint64_t bytes = most * field_bytes(job);
    return most * STEP_BYTES + (bytes < SST_STEP_CACHE_BYTES ? bytes : SST_STEP_CACHE_BYTES);
}

static uint64_t reading_bytes(const struct sst_job *job)
{
    const struct sst_grid *grid = job->catalog->grid;
    const uint64_t n_chunk_steps = steps_per_chunk(job);
    const uint64_t n_chunks = n_chunk_steps > 1 ? n_days(job) / n_chunk_steps : 0;
    const uint64_t n_kept = n_chunks < MOST_KEPT_CHUNKS ? n_chunks : MOST_KEPT_CHUNKS;
    const uint64_t own =
        READER_BYTES + (STORED_BYTES + KEPT_BYTES * n_kept) * grid->n_lat * grid->n_lon * n_chunk_steps;
    const uint64_t n_readers = (uint64_t)job->options->n_readers;
    const uint64_t fields = n_readers == 0       ? SST_MAX_HELD_FIELDS
                            : n_chunk_steps == 1 ? sst_reader_n_slots(job->options->n_readers)
                                                 : (2 * n_readers + 1) * n_chunk_steps;
    return (n_readers > 0 ? n_readers : 1) * own + fields * field_bytes(job);
}

/* What does not become less with fewer cells. */
static uint64_t fixed_bytes(const struct sst_job *job)
{
    struct sst_job nothing = *job;
    nothing.domain.n_cells = 0;
    return SST_PROGRAM_BYTES + reading_bytes(&nothing) + waiting_bytes(&nothing);
}

struct sst_climatology_size sst_job_size(const struct sst_job *job)
{
    return (struct sst_climatology_size){.n_cells = job->n_places,
                                         .n_domain = job->domain.n_cells,
                                         .n_probes = job->n_probes,
                                         .has_ice = job->catalog->ice_source[0] != '\0',
                                         .wants_shape = job->n_probes > 0,
                                         .lacks_days_beside = job->n_days_beside == 0,
                                         .devices = job->device.devices.n > 0 ? &job->device.devices : NULL,
                                         .n_ahead = job->device.n_ahead,
                                         .is_resident = job->device.is_resident};
}

static struct sst_tiles tiles_of(const struct sst_job *job)
{
    return (struct sst_tiles){job->n_passes, job->pass_rows};
}

uint64_t sst_job_writer_bytes(const struct sst_job *job, bool is_staged)
{
    const struct sst_policy *policy = &job->policy;
    struct sst_schedule schedule;
    int slots[SST_N_SLOTS], order[SST_N_SLOTS];
    sst_schedule_make(policy, &schedule);
    for (int i = 0; i < schedule.n_outputs; ++i)
        order[i] = schedule.output_slot[i];
    const struct sst_clim_spec sizes = {.split = job->options->split,
                                        .domain = &job->domain,
                                        .slots = slots,
                                        .n_slots = sst_policy_output_slots(policy, slots),
                                        .n_percentiles = policy->n_percentiles,
                                        .has_bounds = sst_climatology_has_bounds(policy),
                                        .n_coverages =
                                            sst_approx_has_moments(policy->approx) ? job->options->n_coverages : 0,
                                        .deflate_level = job->options->deflate_level,
                                        .n_threads = sst_job_writer_threads(job->options)};
    return sst_clim_buffer_bytes(&sizes, is_staged ? NULL : order);
}

static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

/*
 * Fills in peak_bytes and scratch_bytes for a number of passes; returns what is not the engine's while it is at work.
 *
 *   one pass        engine and writer together, or (staged) the writer when the engine is gone
 *   several passes  engines; then a record of the joined slots, and the writer; or (staged) the writer after that
 */
static uint64_t estimate(struct sst_job *job)
{
    const struct sst_climatology_size size = sst_job_size(job);
    int slots[SST_N_SLOTS];
    const struct sst_accuracy_needs needs = sst_accuracy_needs_of(
        job, (size_t)sst_policy_output_slots(&job->policy, slots), job->options->report || job->options->json);
    const uint64_t writer = sst_job_writer_bytes(job, needs.is_staged);
    const uint64_t held = needs.memory_bytes + reading_bytes(job) + SST_PROGRAM_BYTES + job->device.runtime_bytes +
                          (uint64_t)CELL_BYTES * job->domain.n_cells;
    const uint64_t waiting = waiting_bytes(job); /* none are left when the last has been read */
    const bool is_divided = job->n_passes > 1;
    struct sst_tiles_needs engine = {sst_climatology_peak_bytes(&job->policy, &size), 0};
    uint64_t joined = 0;
    if (is_divided) {
        const struct sst_slot_layout layout = sst_slot_layout_of(&job->policy, &size);
        engine = sst_tiles_needs_of(&job->policy, &size, &job->domain, n_days(job), tiles_of(job));
        joined = sst_scratch_slots_record_bytes(&layout);
    }
    const uint64_t beside = held + waiting + (needs.is_staged || is_divided ? 0 : writer);
    const uint64_t later = needs.later_bytes + (needs.is_staged ? writer : 0);
    job->scratch_bytes = needs.disk_bytes + engine.disk_bytes;
    job->peak_bytes = larger(beside + engine.memory_bytes, held + later);
    if (is_divided && !needs.is_staged)
        job->peak_bytes = larger(job->peak_bytes, held + joined + writer);
    return beside;
}

static void in_one_pass(struct sst_job *job)
{
    job->n_passes = 1;
    job->pass_rows = job->domain.n_rows;
}

/*
 * Divides a job that is too large into the fewest passes that are not, of at most so many rows; false where none is small
 * enough.
 */
static bool divide(struct sst_job *job, size_t most_rows)
{
    const size_t n_rows = job->domain.n_rows;
    const struct sst_climatology_size size = sst_job_size(job);
    job->n_passes = 2;
    job->pass_rows = (n_rows + 1) / 2;
    const uint64_t beside = estimate(job);
    if (beside >= job->memory_limit_bytes)
        return false;
    /* Beside the writer the engine may have been too large as a whole; without it, it would not be. */
    const uint64_t whole = sst_climatology_peak_bytes(&job->policy, &size), room = job->memory_limit_bytes - beside;
    const struct sst_tiles tiles =
        sst_tiles_plan(&job->policy, &size, &job->domain, n_days(job), room < whole ? room : whole - 1);
    if (tiles.n_tiles == 0)
        return false;
    job->n_passes = tiles.rows_per_tile <= most_rows ? tiles.n_tiles : (n_rows + most_rows - 1) / most_rows;
    job->pass_rows = (n_rows + job->n_passes - 1) / job->n_passes;
    job->n_passes = (n_rows + job->pass_rows - 1) / job->pass_rows;
    (void)estimate(job);
    return job->peak_bytes <= job->memory_limit_bytes;
}

/* Whether devices and host have room for groups of so many pools, in the passes that are settled. */
static bool group_fits(struct sst_job *job, size_t n_ahead, bool is_resident)
{
    job->device.n_ahead = n_ahead;
    job->device.is_resident = is_resident;
    (void)estimate(job);
    return job->peak_bytes <= job->memory_limit_bytes &&
           sst_device_plan_bytes(job, job->pass_rows, n_ahead, is_resident) <=
               sst_device_plan_usable(&job->device.devices);
}

/* The largest groups for which there is room, and for the days of the whole run where there is room for those too. */
static void settle_groups(struct sst_job *job)
{
    const size_t n_pools = sst_climatology_n_pools(&job->policy);
    size_t fits = 1, too_many = (n_pools < SST_DEVICE_MOST_AHEAD ? n_pools : SST_DEVICE_MOST_AHEAD) + 1;
    while (too_many - fits > 1) {
        const size_t n = fits + (too_many - fits) / 2;
        if (group_fits(job, n, false))
            fits = n;
        else
            too_many = n;
    }
    if (!group_fits(job, fits, true))
        (void)group_fits(job, fits, false);
    sst_device_plan_note(job);
}

/* Settles passes, and groups of pools; false where a pass of one row is still too much. */
static bool fits(struct sst_job *job)
{
    job->device.n_ahead = job->device.devices.n > 0;
    job->device.is_resident = false;
    const size_t most_rows = sst_device_plan_rows(job);
    if (most_rows == 0)
        return false;
    in_one_pass(job);
    (void)estimate(job);
    if ((most_rows < job->domain.n_rows || job->peak_bytes > job->memory_limit_bytes) && !divide(job, most_rows))
        return false;
    if (job->device.devices.n > 0)
        settle_groups(job);
    return true;
}

/* Slots that wait do so in memory where there is room for them beside all else. */
static void settle_waiting(struct sst_job *job)
{
    const uint64_t scratch_bytes = job->scratch_bytes;
    job->keeps_slots = true;
    (void)estimate(job);
    if (job->peak_bytes <= job->memory_limit_bytes && job->scratch_bytes < scratch_bytes)
        return;
    job->keeps_slots = false;
    (void)estimate(job);
}

static bool settles(struct sst_job *job)
{
    job->keeps_slots = false;
    if (!fits(job))
        return false;
    if (job->options->memory_bytes > 0)
        settle_waiting(job);
    return true;
}

/* --- too much ----------------------------------------------------------------------------------------------------- */

enum { REMEDY_TEXT = 128, MAX_REMEDIES = 5 };

struct remedies {
    char texts[MAX_REMEDIES][REMEDY_TEXT];
    int n;
};

static void add_remedy(struct remedies *remedies, const char *option, const char *value, uint64_t bytes)
{
    char size[SST_SIZE_TEXT];
    (void)snprintf(remedies->texts[remedies->n++], REMEDY_TEXT, "%s %s (%s)", option, value,
                   sst_size_text(bytes, true, size));
}

/* The most readers, fewer than asked for, with which the job keeps to its limit. */
static void add_readers(const struct sst_job *job, struct remedies *remedies)
{
    struct sst_options options = *job->options;
    struct sst_job fewer = *job;
    fewer.options = &options;
    while (options.n_readers > (options.readers_are_short ? 1 : 0)) {
        --options.n_readers;
        if (!fits(&fewer))
            continue;
        char number[SST_SIZE_TEXT];
        (void)snprintf(number, sizeof number, "%d", options.n_readers);
        add_remedy(remedies, "--readers", number, fewer.peak_bytes);
        return;
    }
}

/* The first estimator, the best one first, that suits the options and keeps to the limit. */
static void add_estimator(const struct sst_job *job, struct remedies *remedies)
{
    static const enum sst_approx best_first[] = {SST_APPROX_NONE, SST_APPROX_TAIL, SST_APPROX_MAXENT, SST_APPROX_CF};
    const struct sst_grid *grid = job->catalog->grid;
    const double share = job->options->validate_share > 0.0 ? job->options->validate_share
                                                            : sst_probes_default_share(grid->n_lat * grid->n_lon);
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; ++i) {
        struct sst_options options = *job->options;
        struct sst_job other = *job;
        options.approx = best_first[i];
        other.options = &options;
        other.policy.approx = best_first[i];
        other.n_probes = best_first[i] == SST_APPROX_NONE ? 0 : (size_t)ceil(share * (double)job->domain.n_cells);
        if (best_first[i] == job->policy.approx || sst_options_check_estimator(&options, NULL) != SST_OK)
            continue;
        if (!fits(&other))
            continue;
        add_remedy(remedies, "--approx", sst_approx_name(best_first[i]), other.peak_bytes);
        return;
    }
}

/* The CPU, where what devices need on the host is too much. */
static void add_cpu(const struct sst_job *job, struct remedies *remedies)
{
    struct sst_job other = *job;
    if (job->device.devices.n == 0)
        return;
    sst_device_plan_drop(&other.device, "");
    if (fits(&other))
        add_remedy(remedies, "--device", "cpu", other.peak_bytes);
}

static enum sst_status refuse(const struct sst_job *job, struct sst_error *err)
{
    const struct sst_options *options = job->options;
    struct remedies remedies = {.n = 0};
    char needed[SST_SIZE_TEXT], allowed[SST_SIZE_TEXT], usable[SST_SIZE_TEXT],
        use[MAX_REMEDIES * REMEDY_TEXT + SST_SIZE_TEXT] = "";
    if (job->domain.n_rows * job->domain.n_cols > 1 && fixed_bytes(job) < job->memory_limit_bytes)
        (void)snprintf(remedies.texts[remedies.n++], REMEDY_TEXT, "a smaller --bbox");
    if (job->peak_bytes <= options->usable_bytes)
        (void)snprintf(remedies.texts[remedies.n++], REMEDY_TEXT, "a larger --memory");
    add_readers(job, &remedies);
    add_estimator(job, &remedies);
    add_cpu(job, &remedies);
    if (remedies.n == 0)
        (void)snprintf(remedies.texts[remedies.n++], REMEDY_TEXT, "a machine with more memory");
    size_t length = 0;
    for (int i = 0; i < remedies.n; ++i)
        length += (size_t)snprintf(use + length, sizeof use - length, "%s%s",
                                   i == 0               ? ""
                                   : i < remedies.n - 1 ? ", "
                                   : remedies.n == 2    ? " or "
                                                        : ", or ",
                                   remedies.texts[i]);
    return sst_fail(err, SST_ERR_USAGE, "--memory %.60s%s: the run needs at least %s, and this is %s%s%s%s. Use %s",
                    options->memory_text ? options->memory_text : "50%", options->memory_text ? "" : " (the default)",
                    sst_size_text(job->peak_bytes, true, needed),
                    sst_size_text(job->memory_limit_bytes, false, allowed),
                    options->memory_share > 0.0 ? " of the " : "",
                    options->memory_share > 0.0 ? sst_size_text(options->usable_bytes, false, usable) : "",
                    options->memory_share > 0.0 ? " that it may use" : "", use);
}

enum sst_status sst_job_scratch_folder(const struct sst_job *job, char **folder, struct sst_error *err)
{
    const char *output = job->options->output;
    size_t length = strlen(output);
    while (length > 1 && output[length - 1] == '/')
        --length;
    while (length > 0 && output[length - 1] != '/')
        --length;
    while (length > 1 && output[length - 1] == '/')
        --length;
    return sst_asprintf(folder, err, "%.*s", length ? (int)length : 1, length ? output : ".");
}

enum sst_status sst_job_check_disk(const struct sst_job *job, struct sst_error *err)
{
    char *folder = NULL, needed[SST_SIZE_TEXT], free_text[SST_SIZE_TEXT];
    enum sst_status rc = SST_OK;
    if (job->scratch_bytes == 0)
        return SST_OK;
    SST_TRY(sst_job_scratch_folder(job, &folder, err));
    const uint64_t free_bytes = sst_environment_free_bytes(folder);
    if (job->scratch_bytes > free_bytes)
        rc = sst_fail(
            err, SST_ERR_OUTPUT,
            "%s: the scratch of the run takes %s there, and %s are free. Free some room, %sor write the "
            "output to another folder",
            folder, sst_size_text(job->scratch_bytes, true, needed), sst_size_text(free_bytes, false, free_text),
            job->n_passes > 1 && job->memory_limit_bytes < job->options->usable_bytes ? "use a larger --memory, " : "");
    sst_free(folder);
    return rc;
}

enum sst_status sst_job_settle_memory(struct sst_job *job, struct sst_error *err)
{
    job->memory_limit_bytes = job->options->memory_bytes > 0 ? job->options->memory_bytes : UINT64_MAX;
    if (settles(job))
        return SST_OK;
    const bool is_of_devices = sst_device_plan_rows(job) == 0;
    if (job->device.devices.n > 0 && !job->device.is_named) {
        sst_device_plan_drop(&job->device, is_of_devices
                                               ? "no device has enough memory"
                                               : "the host has not the memory that devices ask for beside their own");
        if (settles(job))
            return SST_OK;
    } else if (is_of_devices) {
        return sst_device_plan_refuse(job, err);
    }
    job->n_passes = job->domain.n_rows; /* the least that it can be */
    job->pass_rows = 1;
    (void)estimate(job);
    return refuse(job, err);
}
