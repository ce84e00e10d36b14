/* argv to struct sst_options: popt finds the options, the setters read them. */
#include "app/options.h"

#include <popt.h>
#include <stdlib.h>
#include <string.h>

#include "app/option_checks.h"
#include "app/option_values.h"
#include "app/suggest.h"
#include "core/mem.h"
#include "kernels/cell_event.h"
#include "monitor/event_ring.h"
#include "state/state_policy.h"

/* popt reports a plain argument as option 0, so options count from 1 there. */
enum { FIRST_POPT_VALUE = 1 };

static void set_defaults(struct sst_options *options)
{
    memset(options, 0, sizeof *options);
    options->command = SST_COMMAND_RUN;
    options->approx = SST_APPROX_NONE;
    options->percentiles[0] = 90.0;
    options->n_percentiles = 1;
    options->quantile_type = 7;
    options->first_year = SST_DEFAULT_FIRST_YEAR;
    options->last_year = SST_DEFAULT_LAST_YEAR;
    options->window_days = 11;
    options->leap = SST_LEAP_HOBDAY;
    options->smooth_days = 31;
    options->tolerance = 0.1;
    options->coverages[0] = 0.95;
    options->n_coverages = 1;
    options->max_share = 0.05;
    options->seed = 1;
    options->keep = SST_KEEP_PROBES;
    options->min_duration = CELL_EVENT_MIN_DAYS;
    options->max_gap = CELL_EVENT_MAX_GAP;
    options->ring_days = SST_EVENT_RING_DAYS;
    options->notify_days = 3;
    options->min_area = 10000;
    options->deflate_level = SST_CLIM_DEFLATE_LEVEL;
    options->read_timeout = 60.0;
    options->poll_seconds = options->hook_seconds = 30.0;
    options->memory_share = 0.5;
}

static void fill_popt_table(struct poptOption *table)
{
    memset(table, 0, (SST_N_OPTIONS + 1) * sizeof *table);
    for (int id = 0; id < SST_N_OPTIONS; ++id) {
        table[id].longName = sst_option_rows[id].name;
        table[id].shortName = sst_option_rows[id].letter;
        table[id].argInfo = sst_option_rows[id].kind == SST_OPTION_FLAG ? POPT_ARG_NONE : POPT_ARG_STRING;
        table[id].val = id + FIRST_POPT_VALUE;
    }
}

/* The option that "--name", "--name=value", "-n" or "-nvalue" speaks of, or SST_N_OPTIONS. */
static enum sst_option_id find_option(const char *text)
{
    const bool is_long = strncmp(text, "--", 2) == 0;
    const char *name = text + (is_long ? 2 : 1);
    const size_t length = strcspn(name, "=");
    int id = 0;
    for (; id < SST_N_OPTIONS; ++id) {
        const struct sst_option_row *row = &sst_option_rows[id];
        if (is_long ? strlen(row->name) == length && strncmp(row->name, name, length) == 0
                    : row->letter != '\0' && row->letter == name[0])
            break;
    }
    return (enum sst_option_id)id;
}

/* Whether an argument is itself an option, as in "-o --split", where the argument was forgotten. */
static bool is_option(const char *text)
{
    if (text[0] != '-' || !text[1] || strchr(text, '='))
        return false;
    return (text[1] == '-' || !text[2]) && find_option(text) != SST_N_OPTIONS;
}

static enum sst_status missing_argument(enum sst_option_id id, const char *found, struct sst_error *err)
{
    const struct sst_option_row *row = &sst_option_rows[id];
    if (found)
        return sst_fail(err, SST_ERR_USAGE, "--%s: its argument is missing, for '%s' is an option. Give --%s %s",
                        row->name, found, row->name, row->argument);
    return sst_fail(err, SST_ERR_USAGE, "--%s: its argument is missing. Give --%s %s", row->name, row->name,
                    row->argument);
}

static enum sst_status unknown_option(const char *text, struct sst_error *err)
{
    const char *names[SST_N_OPTIONS];
    char name[32];
    const int length = (int)strcspn(text, "=");
    for (int id = 0; id < SST_N_OPTIONS; ++id)
        names[id] = sst_option_rows[id].name;
    const char *bare = text + strspn(text, "-");
    const size_t n_bare = strcspn(bare, "=");
    if (n_bare > 1 && n_bare < sizeof name) {
        memcpy(name, bare, n_bare);
        name[n_bare] = '\0';
        const char *meant = sst_suggest(name, names, SST_N_OPTIONS);
        if (meant)
            return sst_fail(err, SST_ERR_USAGE, "%.*s: no such option. Did you mean --%s?", length, text, meant);
    }
    return sst_fail(err, SST_ERR_USAGE,
                    "%.*s: no such option. 'sststream --help' lists all; a file of that name is ./%.*s",
                    length > 60 ? 60 : length, text, length > 60 ? 60 : length, text);
}

static enum sst_status popt_failure(int code, const char *text, struct sst_error *err)
{
    const enum sst_option_id id = find_option(text);
    if (code == POPT_ERROR_NOARG && id != SST_N_OPTIONS)
        return missing_argument(id, NULL, err);
    if (code == POPT_ERROR_UNWANTEDARG && id != SST_N_OPTIONS)
        return sst_fail(err, SST_ERR_USAGE, "%.60s: --%s takes no argument. Leave it out", text,
                        sst_option_rows[id].name);
    if (code == POPT_ERROR_BADOPT)
        return unknown_option(text, err);
    if (code == POPT_ERROR_MALLOC)
        return sst_fail(err, SST_ERR_NOMEM, "the command line: out of memory");
    return sst_fail(err, SST_ERR_USAGE, "%.60s: %s. 'sststream --help' lists all options", text, poptStrerror(code));
}

/* Whether a shell takes the text as one word, as it is. */
static bool is_plain_word(const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
    return *text && text[strspn(text, plain)] == '\0';
}

/* Puts a text behind others, between quotes if need be. */
static enum sst_status append_word(char **words, const char *text, struct sst_error *err)
{
    char *longer = NULL;
    char *quoted = NULL;
    size_t n = 0;
    enum sst_status rc = SST_OK;
    const char *before = *words ? *words : "";
    const char *blank = *before ? " " : "";
    if (is_plain_word(text)) {
        SST_TRY_GOTO(sst_asprintf(&longer, err, "%s%s%s", before, blank, text));
    } else {
        SST_TRY_GOTO(sst_alloc(4 * strlen(text) + 3, 1, "the command line", &quoted, err));
        quoted[n++] = '\'';
        for (const char *at = text; *at; ++at) {
            if (*at == '\'') {
                quoted[n++] = '\'';
                quoted[n++] = '\\';
                quoted[n++] = '\'';
            }
            quoted[n++] = *at;
        }
        quoted[n] = '\'';
        SST_TRY_GOTO(sst_asprintf(&longer, err, "%s%s%s", before, blank, quoted));
    }
    sst_free(*words);
    *words = longer;
done:
    sst_free(quoted);
    return rc;
}

static enum sst_status take_option(struct sst_options *options, enum sst_option_id id, const char *text,
                                   struct sst_error *err)
{
    char spelled[40];
    if (text && is_option(text))
        return missing_argument(id, text, err);
    SST_TRY(sst_option_set(options, id, text, err));
    options->is_given[id] = true;
    (void)snprintf(spelled, sizeof spelled, "--%s", sst_option_rows[id].name);
    SST_TRY(append_word(&options->arguments, spelled, err));
    return text ? append_word(&options->arguments, text, err) : SST_OK;
}

static enum sst_status take_input(struct sst_options *options, const char *text, struct sst_error *err)
{
    SST_TRY(sst_grow(&options->inputs, &options->inputs_capacity, options->n_inputs + 1, sizeof *options->inputs,
                     "the list of files", err));
    SST_TRY(sst_strdup(text, &options->inputs[options->n_inputs], err));
    ++options->n_inputs;
    return SST_OK;
}

static enum sst_status take_all(struct sst_options *options, poptContext context, struct sst_error *err)
{
    int code = 0;
    while ((code = poptGetNextOpt(context)) >= 0) {
        char *text = poptGetOptArg(context);
        const enum sst_status rc = code < FIRST_POPT_VALUE
                                       ? take_input(options, text ? text : "", err)
                                       : take_option(options, (enum sst_option_id)(code - FIRST_POPT_VALUE), text, err);
        free(text);
        SST_TRY(rc);
    }
    return code == -1 ? SST_OK : popt_failure(code, poptBadOption(context, POPT_BADOPTION_NOALIAS), err);
}

enum sst_status sst_options_parse(int argc, char *const *argv, struct sst_options *options, struct sst_error *err)
{
    struct poptOption table[SST_N_OPTIONS + 1];
    const char **arguments = NULL;
    poptContext context = NULL;
    enum sst_status rc = SST_OK;
    set_defaults(options);
    fill_popt_table(table);
    SST_TRY_GOTO(sst_alloc((size_t)(argc > 0 ? argc : 0) + 2, sizeof *arguments, "the command line", &arguments, err));
    arguments[0] = "sststream";
    for (int i = 1; i < argc; ++i)
        arguments[i] = argv[i];
    context = poptGetContext(arguments[0], argc > 0 ? argc : 1, arguments, table, POPT_CONTEXT_ARG_OPTS);
    if (!context) {
        rc = sst_fail(err, SST_ERR_NOMEM, "the command line: out of memory");
        goto done;
    }
    SST_TRY_GOTO(take_all(options, context, err));
    if (!options->arguments)
        SST_TRY_GOTO(sst_strdup("", &options->arguments, err));
    SST_TRY_GOTO(sst_option_check_all(options, err));
done:
    if (context)
        (void)poptFreeContext(context);
    sst_free(arguments);
    return rc;
}

void sst_options_clear(struct sst_options *options)
{
    for (size_t i = 0; i < options->n_inputs; ++i)
        sst_free(options->inputs[i]);
    sst_free(options->inputs);
    sst_free(options->arguments);
    sst_free(options->variable);
    sst_free(options->units);
    sst_free(options->ice_variable);
    sst_free(options->mask_path);
    sst_free(options->mask_variable);
    for (int i = 0; i < 2; ++i) {
        for (int field = 0; field < SST_N_CLIM_FIELDS; ++field)
            sst_free(options->clim_variables[i][field]);
        sst_free(options->clim_units[i]);
    }
    for (size_t i = 0; i < options->n_detect; ++i)
        sst_free(options->detect[i]);
    sst_free(options->detect);
    for (size_t i = 0; i < options->n_old; ++i)
        sst_free(options->old[i]);
    sst_free(options->old);
    for (size_t i = 0; i < options->n_inboxes; ++i)
        sst_free(options->inboxes[i]);
    sst_free(options->inboxes);
    sst_free(options->on_alert);
    for (size_t i = 0; i < options->n_clims; ++i)
        sst_free(options->clims[i]);
    sst_free(options->clims);
    for (size_t i = 0; i < options->n_feeds; ++i)
        sst_free(options->feeds[i]);
    sst_free(options->feeds);
    char *const of_detect[] = {options->clim_mean,  options->clim_threshold, options->detect_units, options->regions,
                               options->feed_title, options->feed_url,       options->on_event,     options->events};
    for (size_t i = 0; i < sizeof of_detect / sizeof *of_detect; ++i)
        sst_free(of_detect[i]);
    sst_free(options->state);
    sst_free(options->status_from);
    sst_free(options->output);
    sst_free(options->report);
    sst_free(options->memory_text);
    sst_free(options->device);
    memset(options, 0, sizeof *options);
}
