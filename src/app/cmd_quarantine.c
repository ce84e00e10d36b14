/* `sststream quarantine`: files that were held back, and what a person makes of them. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/ingest_job.h"
#include "app/json_values.h"
#include "app/lateness.h"
#include "core/mem.h"

struct quarantine {
    const struct sst_options *options;
    struct sst_state *state;
    struct sst_file_notes *notes;
    char **paths; /* those that are meant; copies, since the notes change */
    enum sst_held_reason *reasons; /* of each */
    size_t n_paths;
};

/* --- list --------------------------------------------------------------------------------------------------------- */

static const char *day_text(const struct quarantine *quarantine, const struct sst_held_file *file, char *text)
{
    return file->has_day ? sst_day_text(sst_state_policy(quarantine->state)->pools.kind, file->day, text) : "no day";
}

static void print_list(const struct quarantine *quarantine, FILE *out)
{
    const struct sst_held_file *files = sst_file_notes_held(quarantine->notes);
    char day[SST_DAY_TEXT_SIZE], since[SST_UTC_TEXT_SIZE];
    for (size_t i = 0; i < sst_file_notes_n_held(quarantine->notes); ++i) {
        sst_log_put_text(files[i].path, out);
        (void)fprintf(out, "\n    %s, %s, since %s\n    ", sst_held_reason_name(files[i].reason),
                      day_text(quarantine, &files[i], day), sst_utc_text(files[i].since, since));
        sst_log_put_text(files[i].text, out);
        (void)fputc('\n', out);
    }
}

static json_t *file_json(const struct quarantine *quarantine, const struct sst_held_file *file)
{
    char day[SST_DAY_TEXT_SIZE], since[SST_UTC_TEXT_SIZE];
    return json_pack("{s:o, s:s, s:o, s:o, s:s, s:o}", "path", sst_json_text(file->path), "reason",
                     sst_held_reason_name(file->reason), "text", sst_json_text(file->text), "day",
                     file->has_day ? json_string(day_text(quarantine, file, day)) : json_null(), "since",
                     sst_utc_text(file->since, since), "size_bytes",
                     sst_json_integer((uint64_t)file->stamp.size_bytes));
}

static enum sst_status write_json(const struct quarantine *quarantine, FILE *out, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    sst_json_watch();
    json_t *list = json_array();
    for (size_t i = 0; i < sst_file_notes_n_held(quarantine->notes); ++i)
        (void)json_array_append_new(list, file_json(quarantine, &sst_file_notes_held(quarantine->notes)[i]));
    json_t *root = json_pack("{s:s, s:o, s:o}", "schema", "sststream-quarantine/1", "state",
                             sst_json_text(quarantine->options->state), "files", list);
    if (!sst_json_is_whole() || !root)
        rc = sst_fail(err, SST_ERR_NOMEM, "the files that are held back: out of memory");
    else
        (void)(json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out)); /* main() looks whether it arrived */
    json_decref(root);
    return rc;
}

static enum sst_status list(struct quarantine *quarantine, struct sst_error *err)
{
    const struct sst_options *options = quarantine->options;
    SST_TRY(sst_state_open(sst_os_system(), options->state, SST_STATE_READ, &quarantine->state, err));
    SST_TRY(sst_file_notes_open(quarantine->state, &quarantine->notes, err));
    if (options->json)
        return write_json(quarantine, stdout, err);
    print_list(quarantine, stdout);
    return SST_OK;
}

/* --- the files that are meant ------------------------------------------------------------------------------------- */

static const struct sst_held_file *find(const struct quarantine *quarantine, const char *path)
{
    const struct sst_held_file *files = sst_file_notes_held(quarantine->notes);
    for (size_t i = 0; i < sst_file_notes_n_held(quarantine->notes); ++i)
        if (strcmp(files[i].path, path) == 0)
            return &files[i];
    return NULL;
}

static enum sst_status add(struct quarantine *quarantine, const struct sst_held_file *file, struct sst_error *err)
{
    SST_TRY(sst_strdup(file->path, &quarantine->paths[quarantine->n_paths], err));
    quarantine->reasons[quarantine->n_paths++] = file->reason;
    return SST_OK;
}

/* As the list shows it, or as the shell sees it from here. */
static enum sst_status add_named(struct quarantine *quarantine, const char *name, struct sst_error *err)
{
    char *absolute = realpath(name, NULL);
    const struct sst_held_file *file = find(quarantine, name);
    if (!file && absolute)
        file = find(quarantine, absolute);
    free(absolute);
    if (file)
        return add(quarantine, file, err);
    return sst_fail(err, SST_ERR_USAGE,
                    "%.200s: is not held back. 'sststream quarantine --state %.100s list' shows what is", name,
                    quarantine->options->state);
}

/* Those that are named; where none is, all. */
static enum sst_status choose(struct quarantine *quarantine, struct sst_error *err)
{
    const struct sst_options *options = quarantine->options;
    const size_t n_named = options->n_inputs - 1, n_held = sst_file_notes_n_held(quarantine->notes);
    const size_t most = n_named > n_held ? n_named : n_held;
    SST_TRY(sst_alloc(most, sizeof *quarantine->paths, "the list of files", &quarantine->paths, err));
    SST_TRY(sst_alloc(most, sizeof *quarantine->reasons, "the list of files", &quarantine->reasons, err));
    for (size_t i = 0; i < n_named; ++i)
        SST_TRY(add_named(quarantine, options->inputs[i + 1], err));
    for (size_t i = 0; n_named == 0 && i < n_held; ++i)
        SST_TRY(add(quarantine, &sst_file_notes_held(quarantine->notes)[i], err));
    return SST_OK;
}

static enum sst_status open_to_write(struct quarantine *quarantine, struct sst_error *err)
{
    SST_TRY(sst_state_open(sst_os_system(), quarantine->options->state, SST_STATE_WRITE, &quarantine->state, err));
    SST_TRY(sst_file_notes_open(quarantine->state, &quarantine->notes, err));
    return choose(quarantine, err);
}

/* --- retry and accept --------------------------------------------------------------------------------------------- */

static void add_totals(struct sst_ingest_job *sum, const struct sst_ingest_job *job)
{
    for (int i = 0; i < SST_INGEST_N_OUTCOMES; ++i)
        sum->totals.n[i] += job->totals.n[i];
    sum->n_rejects += job->n_rejects;
}

/* Looks at files anew; those that are gone are no longer held. `outcome` gathers what became of them. */
static enum sst_status take(struct quarantine *quarantine, const struct sst_options *options, const char *const *paths,
                            size_t n_paths, struct sst_ingest_job *outcome, struct sst_error *err)
{
    const char **there = NULL;
    size_t n_there = 0;
    struct sst_ingest_job job = {.options = options, .state = quarantine->state, .notes = quarantine->notes};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(n_paths, sizeof *there, "the list of files", &there, err));
    for (size_t i = 0; i < n_paths; ++i) {
        (void)sst_file_notes_forget(quarantine->notes, paths[i]);
        if (access(paths[i], F_OK) == 0)
            there[n_there++] = paths[i];
        else
            sst_log_info(options->log, "%s: is gone, and held back no longer", paths[i]);
    }
    if (n_there > 0)
        SST_TRY_GOTO(sst_ingest_job_run(&job, there, n_there, err));
    add_totals(outcome, &job);
    SST_TRY_GOTO(sst_file_notes_commit(quarantine->notes, quarantine->state, err));
done:
    sst_free(there);
    return rc;
}

static enum sst_status retry(struct quarantine *quarantine, struct sst_error *err)
{
    struct sst_ingest_job outcome = {.options = quarantine->options};
    SST_TRY(open_to_write(quarantine, err));
    if (quarantine->n_paths == 0) {
        sst_log_info(quarantine->options->log, "%s: no file is held back", quarantine->options->state);
        return SST_OK;
    }
    SST_TRY(take(quarantine, quarantine->options, (const char *const *)quarantine->paths, quarantine->n_paths, &outcome,
                 err));
    return sst_ingest_job_outcome(&outcome, err);
}

/* The option that takes a file in spite of a reason; NULL where none does. */
static const char *option_for(enum sst_held_reason reason)
{
    static const char *const options[SST_HELD_N_REASONS] = {
        [SST_HELD_PRODUCT] = "--accept-product",
        [SST_HELD_STALE] = "--accept-stale",
        [SST_HELD_JUMP] = "--accept-jump",
        [SST_HELD_CONFLICT] = "--replace",
    };
    return options[reason];
}

static enum sst_status check_acceptable(const struct quarantine *quarantine, struct sst_error *err)
{
    for (size_t i = 0; i < quarantine->n_paths; ++i) {
        const enum sst_held_reason reason = quarantine->reasons[i];
        if (!option_for(reason))
            return sst_fail(err, SST_ERR_USAGE, "%.200s: is %s, which nothing makes right. %s", quarantine->paths[i],
                            sst_held_reason_name(reason),
                            reason == SST_HELD_FOREIGN ? "It belongs to another state; remove it from the inbox"
                                                       : "Get the file anew, and put it in its place");
    }
    return SST_OK;
}

static enum sst_status accept_reason(struct quarantine *quarantine, enum sst_held_reason reason,
                                     struct sst_ingest_job *outcome, struct sst_error *err)
{
    struct sst_options options = *quarantine->options; /* what it points to stays the command's */
    const char **paths = NULL;
    size_t n_paths = 0;
    options.accept_product = reason == SST_HELD_PRODUCT;
    options.accept_stale = reason == SST_HELD_STALE;
    options.accept_jump = reason == SST_HELD_JUMP;
    options.replaces = reason == SST_HELD_CONFLICT;
    SST_TRY(sst_alloc(quarantine->n_paths, sizeof *paths, "the list of files", &paths, err));
    for (size_t i = 0; i < quarantine->n_paths; ++i) {
        if (quarantine->reasons[i] != reason)
            continue;
        paths[n_paths++] = quarantine->paths[i];
        sst_log_info(options.log, "%s: taken with %s", quarantine->paths[i], option_for(reason));
    }
    const enum sst_status rc = n_paths > 0 ? take(quarantine, &options, paths, n_paths, outcome, err) : SST_OK;
    sst_free(paths);
    return rc;
}

static enum sst_status accept_files(struct quarantine *quarantine, struct sst_error *err)
{
    struct sst_ingest_job outcome = {.options = quarantine->options};
    SST_TRY(open_to_write(quarantine, err));
    SST_TRY(check_acceptable(quarantine, err));
    for (int reason = 0; reason < SST_HELD_N_REASONS; ++reason)
        SST_TRY(accept_reason(quarantine, (enum sst_held_reason)reason, &outcome, err));
    return sst_ingest_job_outcome(&outcome, err);
}

int cmd_quarantine(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct quarantine quarantine = {.options = options};
    const char *action = options->inputs[0];
    const enum sst_status rc = strcmp(action, "list") == 0    ? list(&quarantine, &err)
                               : strcmp(action, "retry") == 0 ? retry(&quarantine, &err)
                                                              : accept_files(&quarantine, &err);
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    for (size_t i = 0; i < quarantine.n_paths; ++i)
        sst_free(quarantine.paths[i]);
    sst_free(quarantine.paths);
    sst_free(quarantine.reasons);
    sst_file_notes_close(&quarantine.notes);
    sst_state_close(&quarantine.state);
    return sst_status_exit_code(rc);
}
