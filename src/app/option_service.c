/* What options of the service accept, and what they say where they do not. */
#include "app/option_service.h"

#include <stdio.h>
#include <string.h>

#include "app/option_setters.h"
#include "core/mem.h"

/* [s] */
#define SHORTEST 0.1
#define LONGEST 86400.0

SST_DEFINE_FLAG_SETTER(once, once)
SST_DEFINE_TEXT_SETTER(on_alert, on_alert)

/* "30", "30s", "5m", "1.5h" */
static enum sst_status read_seconds(enum sst_option_id id, const char *text, double *seconds, struct sst_error *err)
{
    static const char units[] = "smh";
    static const double unit_seconds[] = {1.0, 60.0, 3600.0};
    const size_t n = strlen(text);
    const char *unit = n > 0 ? strchr(units, text[n - 1]) : NULL;
    char number[32];
    double value = 0.0;
    const size_t n_number = n - (unit ? 1 : 0);
    const bool fits = n_number < sizeof number;
    (void)snprintf(number, sizeof number, "%.*s", (int)(fits ? n_number : 0), text);
    if (sst_number_real(number, &value))
        value *= unit ? unit_seconds[unit - units] : 1.0;
    if (!(value >= SHORTEST && value <= LONGEST))
        return sst_option_refuse(err, id, text, "not a time. Accepted: %g s to a day, as 30s, 5m or 1h", SHORTEST);
    *seconds = value;
    return SST_OK;
}

enum sst_status sst_set_poll(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_seconds(SST_OPTION_ID_poll, text, &options->poll_seconds, err);
}

enum sst_status sst_set_settle(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_seconds(SST_OPTION_ID_settle, text, &options->settle_seconds, err);
}

enum sst_status sst_set_hook_timeout(struct sst_options *options, const char *text, struct sst_error *err)
{
    return read_seconds(SST_OPTION_ID_hook_timeout, text, &options->hook_seconds, err);
}

enum sst_status sst_set_inbox(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!*text)
        return sst_option_refuse(err, SST_OPTION_ID_inbox, text, "empty. Give the folder that files arrive in");
    SST_TRY(sst_grow(&options->inboxes, &options->inboxes_capacity, options->n_inboxes + 1, sizeof *options->inboxes,
                     "the list of inboxes", err));
    SST_TRY(sst_strdup(text, &options->inboxes[options->n_inboxes], err));
    ++options->n_inboxes;
    return SST_OK;
}

enum sst_status sst_set_min_free(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!sst_number_size(text, &options->min_free_bytes))
        return sst_option_refuse(err, SST_OPTION_ID_min_free, text,
                                 "not a size. Accepted: bytes, as 4G, 1.5GiB (powers of 1024) or 500MB (of 1000); 0 "
                                 "for none");
    return SST_OK;
}

enum sst_status sst_set_expect_by(struct sst_options *options, const char *text, struct sst_error *err)
{
    if (!sst_expectation_parse(text, &options->expectation))
        return sst_option_refuse(err, SST_OPTION_ID_expect_by, text,
                                 "not a time of a day in UTC and a number of days. Accepted: HH:MMZ+Nd with 0 to %d "
                                 "days, as 09:00Z+1d",
                                 SST_MAX_EXPECTED_DAYS);
    return SST_OK;
}

/* --- together ----------------------------------------------------------------------------------------------------- */

bool sst_option_is_of_service(enum sst_command_id command)
{
    return command == SST_COMMAND_WATCH || command == SST_COMMAND_STATUS || command == SST_COMMAND_QUARANTINE;
}

static enum sst_status check_watch(struct sst_options *options, struct sst_error *err)
{
    if (options->n_inputs > 0)
        return sst_fail(err, SST_ERR_USAGE,
                        "%.200s: 'watch' takes no files but folders that they arrive in. Give it with --inbox, or the "
                        "files to 'ingest'",
                        options->inputs[0]);
    if (options->n_inboxes == 0)
        return sst_fail(err, SST_ERR_USAGE,
                        "watch: no inbox. Name the folder that files arrive in, as in: sststream watch --state %.100s "
                        "--inbox incoming",
                        options->state);
    if (!options->is_given[SST_OPTION_ID_settle])
        options->settle_seconds = options->poll_seconds;
    if (options->is_given[SST_OPTION_ID_hook_timeout] && !options->on_alert && !options->on_event)
        return sst_fail(
            err, SST_ERR_USAGE,
            "--hook-timeout: of no use without --on-alert or --on-event. Give one of these too, or leave it out");
    return sst_option_check_feeds(options, err);
}

static enum sst_status check_status(const struct sst_options *options, struct sst_error *err)
{
    if (options->n_inputs > 0)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: 'status' takes no files. Leave it out", options->inputs[0]);
    if (options->n_feeds > 1)
        return sst_fail(err, SST_ERR_USAGE, "--feed: 'status' takes one. Look at one after the other");
    return SST_OK;
}

static enum sst_status check_quarantine(const struct sst_options *options, struct sst_error *err)
{
    static const char *const actions[] = {"list", "retry", "accept"};
    const char *action = options->n_inputs > 0 ? options->inputs[0] : "";
    size_t i = 0;
    while (i < sizeof actions / sizeof *actions && strcmp(actions[i], action) != 0)
        ++i;
    if (i == sizeof actions / sizeof *actions)
        return sst_fail(err, SST_ERR_USAGE,
                        "quarantine: '%.60s' is nothing that can be done. Accepted: list, retry [FILES], accept FILES",
                        action);
    if (i == 0 && options->n_inputs > 1)
        return sst_fail(err, SST_ERR_USAGE, "%.200s: 'quarantine list' takes no files. Leave it out",
                        options->inputs[1]);
    if (i > 0 && options->json)
        return sst_fail(err, SST_ERR_USAGE, "--json: only of 'quarantine list'. Leave it out");
    if (strcmp(action, "accept") == 0 && options->n_inputs == 1)
        return sst_fail(err, SST_ERR_USAGE,
                        "quarantine accept: no files. Name those to take, as 'quarantine list' shows them");
    return SST_OK;
}

enum sst_status sst_option_check_service(struct sst_options *options, struct sst_error *err)
{
    const char *name = sst_command_rows[options->command].name;
    const bool is_of_feed = options->command == SST_COMMAND_STATUS && options->n_feeds > 0;
    if (!options->state && !is_of_feed)
        return sst_fail(err, SST_ERR_USAGE, "%s: no state. Name its folder, as in: sststream %s --state sea%s", name,
                        name,
                        options->command == SST_COMMAND_WATCH        ? " --inbox incoming"
                        : options->command == SST_COMMAND_QUARANTINE ? " list"
                                                                     : "");
    if (options->command == SST_COMMAND_WATCH)
        return check_watch(options, err);
    return options->command == SST_COMMAND_STATUS ? check_status(options, err) : check_quarantine(options, err);
}
