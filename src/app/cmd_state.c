/* `sststream inspect` and `verify`: what a state holds, and whether it is whole. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "app/commands.h"
#include "app/json_values.h"
#include "app/options.h"
#include "app/state_facts.h"

enum { MAX_RANGES = 10, IDENTITY_TEXT_SIZE = 33 };

static const char *identity_text(struct sst_identity identity, char text[IDENTITY_TEXT_SIZE])
{
    (void)snprintf(text, IDENTITY_TEXT_SIZE, "%016" PRIx64 "%016" PRIx64, identity.high, identity.low);
    return text;
}

/* --- as text ------------------------------------------------------------------------------------------------------ */

static const char *lattice_text(enum sst_lattice_kind lattice)
{
    return lattice == SST_LATTICE_CENTI ? "0.01 degC" : "0.001 degC";
}

static void print_policy(const struct sst_state *state, FILE *out)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    char text[IDENTITY_TEXT_SIZE];
    (void)fprintf(out, "state      ");
    sst_log_put_text(sst_state_path(state), out);
    (void)fprintf(out, "\nproduct    ");
    sst_log_put_text(policy->product[0] ? policy->product : "not named", out);
    (void)fprintf(out, "\ngrid       %zu x %zu cells, %s temperature in steps of %s\n", policy->grid->n_lon,
                  policy->grid->n_lat, sst_sst_kind_name(policy->kind), lattice_text(policy->lattice));
    (void)fprintf(out, "baseline   %d-%d, calendar %s, leap rule %s, windows up to %d days\n", policy->pools.first_year,
                  policy->pools.last_year, sst_calendar_name(policy->pools.kind),
                  sst_leap_rule_name(policy->pools.leap), 2 * policy->pools.half_window_days + 1);
    (void)fprintf(out, "lists      the %d highest and %d lowest values of each calendar day and cell\n",
                  policy->tail.top, policy->tail.bottom);
    (void)fprintf(out, "keeps      %s (%zu probes: %g %% of the cells, seed %" PRIu64 ")\n",
                  sst_keep_name(policy->keep), policy->n_probes, 100.0 * policy->probe_share, policy->seed);
    (void)fprintf(out, "identity   %s\n", identity_text(policy->identity, text));
}

/* The end of the run of days that begins at `first`: the index behind it. */
static size_t end_of_run(const struct sst_state_facts *facts, const struct sst_pool_rule *pools, size_t first)
{
    size_t next = first + 1;
    while (next < facts->n_missing) {
        struct sst_day day = facts->missing[next - 1];
        do /* days of no pool are no gap */
            day = sst_calendar_next_day(pools->kind, day);
        while (sst_pool_class(pools, day) == SST_NO_CLASS && day.year <= pools->last_year);
        if (sst_day_compare(day, facts->missing[next]) != 0)
            break;
        ++next;
    }
    return next;
}

static void print_missing(const struct sst_state_facts *facts, const struct sst_pool_rule *pools, FILE *out)
{
    char from[SST_DAY_TEXT_SIZE], to[SST_DAY_TEXT_SIZE];
    int n_ranges = 0;
    for (size_t first = 0, next = 0; first < facts->n_missing; first = next, ++n_ranges) {
        next = end_of_run(facts, pools, first);
        if (n_ranges == MAX_RANGES) {
            (void)fprintf(out, "           ... and %zu days more (all are in --json)\n", facts->n_missing - first);
            return;
        }
        (void)fprintf(out, "%s%s", n_ranges == 0 ? "missing    " : "           ",
                      sst_day_text(pools->kind, facts->missing[first], from));
        if (next - first > 1)
            (void)fprintf(out, " to %s (%zu days)", sst_day_text(pools->kind, facts->missing[next - 1], to),
                          next - first);
        (void)fputc('\n', out);
    }
}

static void print_facts(const struct sst_state *state, const struct sst_state_facts *facts, FILE *out)
{
    const struct sst_pool_rule *pools = &sst_state_policy(state)->pools;
    char text[IDENTITY_TEXT_SIZE];
    print_policy(state, out);
    (void)fprintf(out, "days       %zu of %zu of the baseline are counted\n", facts->n_counted, facts->n_expected);
    for (size_t i = 0; i < facts->n_years; ++i) {
        const struct sst_state_year *year = &facts->years[i];
        if (year->n_expected > 0)
            (void)fprintf(out, "           %04d  %3zu of %3zu%s\n", year->year, year->n_counted, year->n_expected,
                          year->is_edge ? "  (beside the baseline)" : "");
    }
    print_missing(facts, pools, out);
    (void)fprintf(out, "logged     %zu final and %zu preliminary days beside those\n", facts->n_logged[SST_DAY_FINAL],
                  facts->n_logged[SST_DAY_PRELIMINARY]);
    (void)fprintf(out, "size       %" PRIu64 " bytes in %zu files\n", facts->n_bytes, facts->n_files);
    (void)fprintf(out, "digest     %s\n", identity_text(facts->digest, text));
}

/* --- as JSON ------------------------------------------------------------------------------------------------------ */

static json_t *policy_json(const struct sst_state_policy *policy)
{
    char text[IDENTITY_TEXT_SIZE];
    return json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:o, s:o, s:o, s:s}", "product",
                     sst_json_text(policy->product), "n_lon", sst_json_integer(policy->grid->n_lon), "n_lat",
                     sst_json_integer(policy->grid->n_lat), "temperature", sst_sst_kind_name(policy->kind), "lattice",
                     policy->lattice == SST_LATTICE_CENTI ? "centi" : "milli", "calendar",
                     sst_calendar_name(policy->pools.kind), "leap", sst_leap_rule_name(policy->pools.leap),
                     "first_year", policy->pools.first_year, "last_year", policy->pools.last_year, "most_window_days",
                     2 * policy->pools.half_window_days + 1, "list_top", policy->tail.top, "list_bottom",
                     policy->tail.bottom, "keep", sst_keep_name(policy->keep), "n_probes",
                     sst_json_integer(policy->n_probes), "probe_share", sst_json_real(policy->probe_share), "seed",
                     sst_json_integer(policy->seed), "identity", identity_text(policy->identity, text));
}

static json_t *years_json(const struct sst_state_facts *facts)
{
    json_t *list = json_array();
    for (size_t i = 0; i < facts->n_years; ++i) {
        const struct sst_state_year *year = &facts->years[i];
        if (year->n_expected > 0)
            (void)json_array_append_new(
                list, json_pack("{s:i, s:b, s:o, s:o}", "year", year->year, "is_edge", (int)year->is_edge, "counted",
                                sst_json_integer(year->n_counted), "expected", sst_json_integer(year->n_expected)));
    }
    return list;
}

static json_t *logged_json(const struct sst_state_facts *facts)
{
    json_t *out = json_object();
    for (int status = 0; status <= SST_DAY_FINAL; ++status)
        (void)json_object_set_new(out, sst_day_status_name((enum sst_day_status)status),
                                  sst_json_integer(facts->n_logged[status]));
    return out;
}

static json_t *missing_json(const struct sst_state_facts *facts, enum sst_calendar_kind kind)
{
    char text[SST_DAY_TEXT_SIZE];
    json_t *list = json_array();
    for (size_t i = 0; i < facts->n_missing; ++i)
        (void)json_array_append_new(list, json_string(sst_day_text(kind, facts->missing[i], text)));
    return list;
}

static enum sst_status write_json(const struct sst_state *state, const struct sst_state_facts *facts, FILE *out,
                                  struct sst_error *err)
{
    const struct sst_state_policy *policy = sst_state_policy(state);
    char text[IDENTITY_TEXT_SIZE];
    enum sst_status rc = SST_OK;
    sst_json_watch();
    json_t *root =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "schema", "sststream-state/1", "state",
                  sst_json_text(sst_state_path(state)), "policy", policy_json(policy), "days_counted",
                  sst_json_integer(facts->n_counted), "days_expected", sst_json_integer(facts->n_expected),
                  "days_logged", logged_json(facts), "years", years_json(facts), "missing",
                  missing_json(facts, policy->pools.kind), "bytes", sst_json_integer(facts->n_bytes), "files",
                  sst_json_integer(facts->n_files), "digest", identity_text(facts->digest, text));
    if (!sst_json_is_whole() || !root)
        rc = sst_fail(err, SST_ERR_NOMEM, "what the state holds: out of memory");
    else
        (void)(json_dumpf(root, out, JSON_INDENT(2)) == 0 && fputc('\n', out)); /* main() looks whether it arrived */
    json_decref(root);
    return rc;
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

int cmd_inspect(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state *state = NULL;
    struct sst_state_facts facts = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_state_open(sst_os_system(), options->inputs[0], SST_STATE_READ, &state, &err));
    SST_TRY_GOTO(sst_state_facts(state, &facts, &err));
    if (options->json)
        SST_TRY_GOTO(write_json(state, &facts, stdout, &err));
    else
        print_facts(state, &facts, stdout);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_state_facts_clear(&facts);
    sst_state_close(&state);
    return sst_status_exit_code(rc);
}

static void print_fault(void *user, const char *text)
{
    sst_log_put_text(text, user);
    (void)fputc('\n', user);
}

int cmd_verify(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_state *state = NULL;
    enum sst_status rc = sst_state_open(sst_os_system(), options->inputs[0], SST_STATE_READ, &state, &err);
    if (rc == SST_OK)
        rc = sst_state_verify(state, print_fault, stdout, &err);
    if (rc == SST_OK)
        print_fault(stdout, "whole: every byte is as it was written");
    else
        sst_log_failure(options->log, &err);
    sst_state_close(&state);
    return sst_status_exit_code(rc);
}
