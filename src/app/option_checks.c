/* Combinations of options, and the inputs of each command. */
#include "app/option_checks.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/option_service.h"
#include "app/suggest.h"
#include "core/mem.h"

static bool is_run_or_plan(const struct sst_options *options)
{
    return options->command == SST_COMMAND_RUN || options->command == SST_COMMAND_PLAN;
}

void sst_option_warn(struct sst_options *options, const char *text)
{
    if (options->n_warnings < SST_MAX_OPTION_WARNINGS)
        options->warnings[options->n_warnings++] = text;
}

/* "'run', 'plan'" */
static const char *list_commands(unsigned commands, char *buffer, size_t size)
{
    size_t length = 0;
    buffer[0] = '\0';
    for (int id = 0; id < SST_N_COMMANDS; ++id) {
        if (!(commands >> id & 1U) || length >= size)
            continue;
        const int n = snprintf(buffer + length, size - length, "%s'%s'", length ? ", " : "", sst_command_rows[id].name);
        length += n > 0 ? (size_t)n : 0;
    }
    return buffer;
}

static enum sst_status check_command_takes_options(const struct sst_options *options, struct sst_error *err)
{
    char others[256];
    for (int id = 0; id < SST_N_OPTIONS; ++id) {
        const struct sst_option_row *row = &sst_option_rows[id];
        if (options->is_given[id] && !(row->commands >> options->command & 1U))
            return sst_fail(err, SST_ERR_USAGE, "--%s: not an option of '%s', but of %s. Leave it out", row->name,
                            sst_command_rows[options->command].name,
                            list_commands(row->commands, others, sizeof others));
    }
    return SST_OK;
}

/* A single word, as a command is and a path to data seldom. */
static bool is_word(const char *text)
{
    for (const char *at = text; *at; ++at) {
        if (!isalpha((unsigned char)*at) && *at != '-')
            return false;
    }
    return *text && text[0] != '-';
}

static enum sst_status unknown_command(const char *word, struct sst_error *err)
{
    char all[320];
    const char *names[SST_N_COMMANDS];
    for (int id = 0; id < SST_N_COMMANDS; ++id)
        names[id] = sst_command_rows[id].name;
    const char *meant = sst_suggest(word, names, SST_N_COMMANDS);
    if (meant)
        return sst_fail(err, SST_ERR_USAGE, "%.60s: neither a command nor a file. Did you mean '%s'?", word, meant);
    return sst_fail(err, SST_ERR_USAGE, "%.60s: neither a command nor a file. Commands: %s", word,
                    list_commands((1U << SST_N_COMMANDS) - 1, all, sizeof all));
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n_text = strlen(text);
    const size_t n_end = strlen(end);
    return n_text >= n_end && strcmp(text + n_text - n_end, end) == 0;
}

/* One report makes one page, which stands beside it unless -o says where. */
static enum sst_status check_report(struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream report out.json -o out.html";
    if (options->n_inputs == 0)
        return sst_fail(err, SST_ERR_USAGE, "report: no file. Name the JSON that --report wrote, %s", example);
    if (options->n_inputs > 1)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: 'report' takes one file. Draw one page at a time, %s",
                        options->inputs[1], example);
    const char *input = options->inputs[0];
    const size_t n = strlen(input), n_stem = ends_with(input, ".json") && n > strlen(".json") ? n - strlen(".json") : n;
    if (options->output)
        return SST_OK;
    return sst_asprintf(&options->output, err, "%.*s.html", (int)n_stem, input);
}

static enum sst_status check_inputs(const struct sst_options *options, struct sst_error *err)
{
    const char *name = sst_command_rows[options->command].name;
    const bool wants_inputs = is_run_or_plan(options), is_report = options->command == SST_COMMAND_REPORT;
    const bool is_checked_later = options->command == SST_COMMAND_INGEST || options->command == SST_COMMAND_DETECT ||
                                  options->command == SST_COMMAND_INSPECT || options->command == SST_COMMAND_VERIFY ||
                                  options->command == SST_COMMAND_MERGE || options->command == SST_COMMAND_FEED ||
                                  sst_option_is_of_service(options->command);
    const size_t most = options->command == SST_COMMAND_HELP ? 1 : options->command == SST_COMMAND_COMPARE ? 2 : 0;
    if (wants_inputs && options->n_inputs == 0)
        return sst_fail(err, SST_ERR_USAGE,
                        "no files. Name files or directories of daily SST, as in: sststream%s --baseline 1991-2020 %s"
                        "oisst/ (no data at hand? sststream synth -o DIR makes some; sststream --help tells the rest)",
                        options->command == SST_COMMAND_PLAN ? " plan" : "",
                        options->command == SST_COMMAND_PLAN ? "" : "-o clim.nc ");
    if (!wants_inputs && !is_report && !is_checked_later && options->n_inputs > most)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: '%s' takes %s. Leave it out", options->inputs[most], name,
                        most == 2   ? "two climatologies; daily files come behind --detect"
                        : most == 1 ? "one command's name"
                                    : "no files");
    for (size_t i = 0; i < options->n_inputs; ++i) {
        if (!options->inputs[i][0])
            return sst_fail(err, SST_ERR_USAGE, "'': an empty file name. Is a shell variable unset?");
    }
    if (options->n_inputs > 0 && !options->is_command_named && is_word(options->inputs[0]) &&
        access(options->inputs[0], F_OK) != 0)
        return unknown_command(options->inputs[0], err);
    if (options->command == SST_COMMAND_HELP && options->n_inputs > 0 &&
        sst_command_find(options->inputs[0]) == SST_N_COMMANDS)
        return unknown_command(options->inputs[0], err);
    return SST_OK;
}

static enum sst_status check_compare(struct sst_options *options, struct sst_error *err)
{
    const bool *is_given = options->is_given;
    static const enum sst_option_id of_detect[] = {SST_OPTION_ID_baseline, SST_OPTION_ID_var, SST_OPTION_ID_units,
                                                   SST_OPTION_ID_on_bad};
    static const char *const idle[] = {"--baseline: of no effect without --detect. Give both, or leave it out",
                                       "--var: of no effect without --detect. Did you mean --var-a or --var-b?",
                                       "--units: of no effect without --detect. Did you mean --units-a or --units-b?",
                                       "--on-bad: of no effect without --detect. Give both, or leave it out"};
    if (options->n_inputs < 2)
        return sst_fail(err, SST_ERR_USAGE,
                        "compare: %s. Name two, as in: sststream compare clim.nc other.nc --detect oisst/",
                        options->n_inputs ? "only one climatology" : "no climatologies");
    if (options->n_percentiles > 1)
        return sst_fail(err, SST_ERR_USAGE, "--percentile: 'compare' takes one. Compare them one by one");
    for (size_t i = 0; i < sizeof of_detect / sizeof *of_detect; ++i)
        if (is_given[of_detect[i]] && options->n_detect == 0)
            sst_option_warn(options, idle[i]);
    if (is_given[SST_OPTION_ID_max_share] && !options->strict)
        sst_option_warn(options, "--max-share: of no effect without --strict. Give both, or leave it out");
    return SST_OK;
}

static enum sst_status check_pool(const struct sst_options *options, struct sst_error *err)
{
    const int n_years = options->last_year - options->first_year + 1;
    const int n_pool = n_years * options->window_days;
    if (n_pool > SST_MAX_POOL_DAYS)
        return sst_fail(
            err, SST_ERR_USAGE,
            "--window %d: with %d years of --baseline it pools %d values, more than the %d whose power sums "
            "are exact. Accepted for these years: at most %d days",
            options->window_days, n_years, n_pool, SST_MAX_POOL_DAYS, (SST_MAX_POOL_DAYS / n_years - 1) / 2 * 2 + 1);
    if (options->min_samples > n_pool)
        return sst_fail(
            err, SST_ERR_USAGE,
            "--min-samples %d: a full pool (%d years, a window of %d days) has %d values, so that every cell "
            "would be empty. Accepted: at most %d",
            options->min_samples, n_years, options->window_days, n_pool, n_pool);
    return SST_OK;
}

/* What the policy would refuse of lists is refused before files are looked at; the calendar plays no part in it. */
static enum sst_status check_tail(const struct sst_options *options, struct sst_error *err)
{
    struct sst_options anywhere = *options;
    struct sst_policy policy;
    anywhere.part.kind = SST_PART_WHOLE_YEAR;
    SST_TRY(sst_options_policy(&anywhere, SST_CALENDAR_STANDARD, SST_LATTICE_CENTI, &policy, err));
    return sst_policy_check_tail(&policy, err);
}

/* The pool of one year is a week and a half of one weather: its moments say nothing of a climate. */
enum { MIN_APPROX_YEARS = 2 };

/* What depends on an estimator that is modelled: from power sums. */
static enum sst_status check_model(const struct sst_options *options, struct sst_error *err)
{
    static const enum sst_option_id modelled[] = {SST_OPTION_ID_coverage, SST_OPTION_ID_correct};
    const int n_years = options->last_year - options->first_year + 1;
    const bool has_moments = sst_approx_has_moments(options->approx);
    for (size_t i = 0; i < sizeof modelled / sizeof modelled[0]; ++i)
        if (options->is_given[modelled[i]] && !has_moments)
            return sst_fail(
                err, SST_ERR_USAGE,
                "--%s: only estimates from power sums have an error that is modelled, and --approx %s is none "
                "of them. Give --approx cf or maxent, or leave it out",
                sst_option_rows[modelled[i]].name, sst_approx_name(options->approx));
    if (options->repair && options->approx == SST_APPROX_NONE)
        return sst_fail(
            err, SST_ERR_USAGE,
            "--repair: all values are exact with --approx none, so there is nothing to repair. Leave it out");
    if (has_moments && n_years < MIN_APPROX_YEARS)
        return sst_fail(
            err, SST_ERR_USAGE,
            "--approx %s: the baseline is one year, too little for an estimate from power sums. Accepted: at "
            "least %d years; or use --exact",
            sst_approx_name(options->approx), MIN_APPROX_YEARS);
    return SST_OK;
}

enum sst_status sst_options_check_estimator(const struct sst_options *options, struct sst_error *err)
{
    SST_TRY(sst_approx_check(options->approx, options->percentiles, options->n_percentiles, err));
    SST_TRY(check_tail(options, err));
    return check_model(options, err);
}

/* Readers, and what the end of the run is to show. */
static enum sst_status check_running(struct sst_options *options, struct sst_error *err)
{
    const bool *is_given = options->is_given;
    const bool reads_itself = is_given[SST_OPTION_ID_readers] && options->n_readers == 0;
    if (reads_itself && options->readers_are_short)
        return sst_fail(err, SST_ERR_USAGE,
                        "--readers-short: with --readers 0 no process reads for the program. Give --readers 1 to %d, "
                        "or leave one of the two out",
                        SST_MAX_READERS);
    if (reads_itself && is_given[SST_OPTION_ID_read_timeout])
        sst_option_warn(options, "--read-timeout: of no effect with --readers 0, since the program cannot give itself "
                                 "up. Leave one of the two out");
    if (options->wants_timings && options->verbosity < 0)
        sst_option_warn(options, "--timings: of no effect with --quiet, which shows no summary. Leave one of the two "
                                 "out");
    return SST_OK;
}

static enum sst_status settle_output(struct sst_options *options, struct sst_error *err)
{
    if (options->output && options->split && ends_with(options->output, ".nc"))
        return sst_fail(err, SST_ERR_USAGE,
                        "--output %.200s: --split writes a directory of files, and this is a file's name. Give a "
                        "directory, or leave --split out",
                        options->output);
    if (!options->output)
        SST_TRY(sst_asprintf(&options->output, err, "sst_clim_%04d-%04d%s", options->first_year, options->last_year,
                             options->split ? "" : ".nc"));
    if (options->report && strcmp(options->report, options->output) == 0)
        return sst_fail(err, SST_ERR_USAGE, "--report %.200s: the climatology is written there. Give another name",
                        options->report);
    return SST_OK;
}

static enum sst_status check_run(struct sst_options *options, struct sst_error *err)
{
    const bool *is_given = options->is_given;
    SST_TRY(check_pool(options, err));
    SST_TRY(sst_options_check_estimator(options, err));
    SST_TRY(settle_output(options, err));
    SST_TRY(check_running(options, err));
    if (is_given[SST_OPTION_ID_tail_k] && options->approx != SST_APPROX_TAIL)
        sst_option_warn(options, "--tail-k: of no effect without --approx tail. Give both, or leave it out");
    if (is_given[SST_OPTION_ID_validate] && options->approx == SST_APPROX_NONE)
        sst_option_warn(options,
                        "--validate: nothing to validate, since all values are exact with --approx none. Did you mean "
                        "--approx cf?");
    if (is_given[SST_OPTION_ID_max_share] && !options->strict)
        sst_option_warn(options, "--max-share: of no effect without --strict. Give both, or leave it out");
    return SST_OK;
}

static enum sst_status check_ingest(struct sst_options *options, struct sst_error *err)
{
    if (!options->state)
        return sst_fail(
            err, SST_ERR_USAGE,
            "ingest: no state. Name its folder, as in: sststream ingest --state sea --baseline 1991-2020 oisst/");
    if (options->n_inputs == 0)
        return sst_fail(
            err, SST_ERR_USAGE,
            "ingest: no files. Name files or directories of daily SST, as in: sststream ingest --state %.100s "
            "oisst/",
            options->state);
    if (options->n_old > 0 && !options->replaces)
        return sst_fail(err, SST_ERR_USAGE, "--old: of no use without --replace. Give both, or leave it out");
    if (options->is_given[SST_OPTION_ID_baseline])
        SST_TRY(check_pool(options, err));
    return check_running(options, err);
}

static enum sst_status check_detect(struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream detect --clim clim.nc oisst/ -o mhw.nc --events events.csv";
    if (!options->clim)
        return sst_fail(err, SST_ERR_USAGE, "detect: no climatology. Name one with --clim, %s", example);
    if (options->n_clims > 1)
        return sst_fail(err, SST_ERR_USAGE, "--clim: 'detect' takes one. Detect by one after the other");
    if (options->n_inputs == 0)
        return sst_fail(err, SST_ERR_USAGE, "detect: no files. Name files or directories of daily SST, %s", example);
    if (!options->output && !options->events)
        return sst_fail(err, SST_ERR_USAGE,
                        "detect: nothing to write. Give -o for maps of days, --events for a table, %s", example);
    if (options->output && options->events && strcmp(options->output, options->events) == 0)
        return sst_fail(err, SST_ERR_USAGE, "--events %.200s: -o is written there. Give another name", options->events);
    if (options->n_percentiles > 1)
        return sst_fail(err, SST_ERR_USAGE, "--percentile: 'detect' takes one. Detect by one after the other");
    if (options->is_given[SST_OPTION_ID_compress] && !options->output)
        sst_option_warn(options, "--compress: of no effect without -o. Give both, or leave it out");
    return check_running(options, err);
}

static enum sst_status check_climatology(struct sst_options *options, struct sst_error *err)
{
    static const char example[] = "as in: sststream climatology --state sea -o clim.nc";
    if (!options->state)
        return sst_fail(err, SST_ERR_USAGE, "climatology: no state. Name its folder, %s", example);
    if (!options->output)
        return sst_fail(err, SST_ERR_USAGE, "climatology: no file to write to. Name one, %s", example);
    return settle_output(options, err);
}

static enum sst_status check_state_named(const struct sst_options *options, struct sst_error *err)
{
    const char *name = sst_command_rows[options->command].name;
    if (options->n_inputs == 0)
        return sst_fail(err, SST_ERR_USAGE, "%s: no state. Name its folder, as in: sststream %s sea", name, name);
    if (options->n_inputs > 1)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: '%s' takes one state. Leave it out", options->inputs[1], name);
    return SST_OK;
}

/* The first input is the command where it is the name of one. */
static void find_command(struct sst_options *options)
{
    const enum sst_command_id named = options->n_inputs > 0 ? sst_command_find(options->inputs[0]) : SST_N_COMMANDS;
    if (named == SST_N_COMMANDS)
        return;
    options->command = named;
    options->is_command_named = true;
    sst_free(options->inputs[0]);
    --options->n_inputs;
    memmove(options->inputs, options->inputs + 1, options->n_inputs * sizeof *options->inputs);
}

enum sst_status sst_option_check_all(struct sst_options *options, struct sst_error *err)
{
    const bool *is_given = options->is_given;
    find_command(options);
    if (options->wants_help || options->wants_version)
        return SST_OK;
    SST_TRY(check_command_takes_options(options, err));
    SST_TRY(check_inputs(options, err));
    if (is_given[SST_OPTION_ID_doy] && is_given[SST_OPTION_ID_days])
        return sst_fail(err, SST_ERR_USAGE, "--doy: --days says the same in another way. Give one of the two");
    if (options->command == SST_COMMAND_SYNTH && !options->output)
        return sst_fail(err, SST_ERR_USAGE,
                        "synth: no directory to write to. Name one, as in: sststream synth -o oisst");
    if (options->command == SST_COMMAND_REPORT)
        return check_report(options, err);
    if (options->command == SST_COMMAND_COMPARE)
        return check_compare(options, err);
    if (options->command == SST_COMMAND_INGEST)
        return check_ingest(options, err);
    if (options->command == SST_COMMAND_DETECT)
        return check_detect(options, err);
    if (options->command == SST_COMMAND_CLIMATOLOGY)
        return check_climatology(options, err);
    if (options->command == SST_COMMAND_FEED) {
        SST_TRY(sst_option_check_rebuild(options, err));
        return check_running(options, err);
    }
    if (sst_option_is_of_service(options->command)) {
        SST_TRY(sst_option_check_service(options, err));
        return check_running(options, err);
    }
    if (options->command == SST_COMMAND_INSPECT || options->command == SST_COMMAND_VERIFY)
        return check_state_named(options, err);
    if (options->command == SST_COMMAND_MERGE || options->command == SST_COMMAND_RETIRE ||
        options->command == SST_COMMAND_EXPORT)
        return sst_option_check_joins(options, err);
    return is_run_or_plan(options) ? check_run(options, err) : SST_OK;
}
