/* `sststream export`: a state's statistics and days, handed slot by slot to the netCDF writer. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/environment.h"
#include "app/options.h"
#include "app/run_attributes.h"
#include "app/signals.h"
#include "core/mem.h"
#include "state/day_log.h"
#include "state/slot_summary.h"
#include "write/state_nc.h"

enum { NUMBER_TEXT_SIZE = 64, HISTORY_TEXT_SIZE = 2048 };

/* A day of the table. */
struct row {
    struct sst_state_nc_day day;
    char *source; /* owned */
};

struct exporting {
    const struct sst_options *options;
    struct sst_state *state;
    const struct sst_state_policy *policy;
    struct sst_domain domain;
    struct row *rows;
    size_t n_rows, capacity;
    int slots[SST_N_SLOTS];
    struct sst_state_nc_field fields[SST_SUMMARY_N_PLANES];
    enum sst_summary_plane planes[SST_SUMMARY_N_PLANES]; /* of the fields */
    size_t n_fields;
    struct sst_slot_summary summary;
    struct sst_state_nc *file;
    struct sst_progress progress;
};

/* --- days --------------------------------------------------------------------------------------------------------- */

static enum sst_status add_row(struct exporting *exporting, struct sst_state_nc_day day, const char *source,
                               struct sst_error *err)
{
    struct row row = {day, NULL};
    SST_TRY(sst_grow(&exporting->rows, &exporting->capacity, exporting->n_rows + 1, sizeof *exporting->rows,
                     "the days of a state", err));
    SST_TRY(sst_strdup(source, &row.source, err));
    row.day.source = row.source;
    exporting->rows[exporting->n_rows++] = row;
    return SST_OK;
}

static enum sst_status add_counted(struct exporting *exporting, int slot, struct sst_error *err)
{
    struct sst_ledger ledger = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_state_load_ledger(exporting->state, slot, &ledger, err));
    for (size_t i = 0; i < ledger.n_entries && rc == SST_OK; ++i) {
        const struct sst_ledger_entry *entry = &ledger.entries[i];
        const struct sst_state_nc_day day = {.day = {entry->year, slot},
                                             .year_class = entry->year_class,
                                             .digest = entry->digest,
                                             .ice_digest = entry->ice_digest,
                                             .n_valid = entry->n_valid};
        rc = add_row(exporting, day, entry->source, err);
    }
    sst_ledger_clear(&ledger);
    return rc;
}

static int by_day(const void *a, const void *b)
{
    const struct row *one = a, *other = b;
    return sst_day_compare(one->day.day, other->day.day);
}

/* The log's days that no slot counts. `n_counted` rows are sorted. */
static enum sst_status add_logged(struct exporting *exporting, size_t n_counted, struct sst_error *err)
{
    const struct sst_logged_day *days = sst_state_logged_days(exporting->state);
    const size_t n_days = sst_state_n_logged(exporting->state);
    for (size_t i = 0; i < n_days; ++i) {
        const struct row key = {.day = {.day = days[i].day}};
        char *source = NULL;
        if (n_counted > 0 && bsearch(&key, exporting->rows, n_counted, sizeof key, by_day))
            continue;
        SST_TRY(sst_state_load_logged(exporting->state, days[i].day, &source, NULL, err));
        const struct sst_state_nc_day day = {.day = days[i].day,
                                             .year_class = SST_NO_CLASS,
                                             .is_preliminary = days[i].status == SST_DAY_PRELIMINARY,
                                             .digest = days[i].digest,
                                             .ice_digest = days[i].ice_digest,
                                             .n_valid = days[i].n_valid};
        const enum sst_status rc = add_row(exporting, day, source, err);
        sst_free(source);
        SST_TRY(rc);
    }
    return SST_OK;
}

static enum sst_status list_days(struct exporting *exporting, struct sst_error *err)
{
    for (int slot = 1; slot <= SST_N_SLOTS; ++slot)
        SST_TRY(add_counted(exporting, slot, err));
    const size_t n_counted = exporting->n_rows;
    if (n_counted > 0)
        qsort(exporting->rows, n_counted, sizeof *exporting->rows, by_day);
    SST_TRY(add_logged(exporting, n_counted, err));
    if (exporting->n_rows == 0)
        return sst_fail(err, SST_ERR_STATE, "%s: no day is counted. Ingest files first", exporting->options->state);
    qsort(exporting->rows, exporting->n_rows, sizeof *exporting->rows, by_day);
    return SST_OK;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

#define WITHIN_YEARS "time: mean within years time: "

static void list_fields(struct exporting *exporting)
{
    const bool is_foundation = exporting->policy->kind == SST_KIND_FOUNDATION;
    const char *standard = is_foundation ? "sea_surface_foundation_temperature" : "sea_surface_temperature";
    const struct sst_state_nc_field all[SST_SUMMARY_N_PLANES] = {
        [SST_SUMMARY_MEAN] = {"sst_mean", standard, "mean of the calendar day's sea surface temperature",
                              "degree_Celsius", "temperature: on_scale", WITHIN_YEARS "mean over years", ""},
        [SST_SUMMARY_SD] = {"sst_sd", standard, "standard deviation of the calendar day's sea surface temperature",
                            "degree_Celsius", "temperature: difference", WITHIN_YEARS "standard_deviation over years",
                            "Of the population: divided by n_obs."},
        [SST_SUMMARY_SKEWNESS] = {"sst_skewness", "", "skewness of the calendar day's sea surface temperature", "1", "",
                                  "",
                                  "Third central moment over the standard deviation cubed, of the population; 0 where "
                                  "all values are equal."},
        [SST_SUMMARY_KURTOSIS] = {"sst_kurtosis", "", "excess kurtosis of the calendar day's sea surface temperature",
                                  "1", "", "",
                                  "Fourth central moment over the standard deviation to the fourth, less 3, of the "
                                  "population; 0 where all values are equal."},
        [SST_SUMMARY_ICE] =
            {"sea_ice_day_fraction", "", "share of the calendar day's years with sea ice", "1", "", "",
             "Of the years whose files have ice information; sea ice: a concentration of 15 % or more, or "
             "a mask."},
        [SST_SUMMARY_LOWEST] = {"sst_min", standard, "lowest sea surface temperature of the calendar day",
                                "degree_Celsius", "temperature: on_scale", WITHIN_YEARS "minimum over years", ""},
        [SST_SUMMARY_HIGHEST] = {"sst_max", standard, "highest sea surface temperature of the calendar day",
                                 "degree_Celsius", "temperature: on_scale", WITHIN_YEARS "maximum over years", ""},
    };
    for (int plane = 0; plane < SST_SUMMARY_N_PLANES; ++plane) {
        if (!sst_summary_has(exporting->policy, (enum sst_summary_plane)plane))
            continue;
        exporting->planes[exporting->n_fields] = (enum sst_summary_plane)plane;
        exporting->fields[exporting->n_fields++] = all[plane];
    }
}

static enum sst_status write_slots(struct exporting *exporting, int n_slots, struct sst_error *err)
{
    float *maps[SST_SUMMARY_N_PLANES];
    SST_TRY(sst_slot_summary_init(exporting->policy, &exporting->summary, err));
    for (size_t i = 0; i < exporting->n_fields; ++i)
        maps[i] = exporting->summary.planes[exporting->planes[i]];
    for (int place = 0; place < n_slots; ++place) {
        struct sst_slot_state *slot = NULL;
        SST_TRY(sst_state_load(exporting->state, exporting->slots[place], &slot, err));
        const enum sst_status rc = sst_slot_summary_fill(slot, &exporting->domain, &exporting->summary, err);
        sst_slot_state_destroy(&slot);
        SST_TRY(rc);
        SST_TRY(sst_state_nc_put(exporting->file, (size_t)place, exporting->summary.n_values, maps, err));
        sst_progress_update(&exporting->progress, (size_t)place + 1, (size_t)n_slots, 0);
        if (sst_signals_cancelled(NULL))
            return sst_fail(err, SST_ERR_INTERRUPTED, "interrupted; nothing was written");
    }
    return SST_OK;
}

static enum sst_status write_days(struct exporting *exporting, struct sst_error *err)
{
    struct sst_state_nc_day batch[SST_STATE_NC_MOST_DAYS];
    for (size_t first = 0, n = 0; first < exporting->n_rows; first += n) {
        for (n = 0; n < SST_STATE_NC_MOST_DAYS && first + n < exporting->n_rows; ++n)
            batch[n] = exporting->rows[first + n].day;
        SST_TRY(sst_state_nc_put_days(exporting->file, first, batch, n, err));
    }
    return SST_OK;
}

/* --- attributes --------------------------------------------------------------------------------------------------- */

static enum sst_status finish(struct exporting *exporting, struct sst_error *err)
{
    const struct sst_state_policy *policy = exporting->policy;
    const struct sst_pool_rule *pools = &policy->pools;
    char years[NUMBER_TEXT_SIZE], half[NUMBER_TEXT_SIZE], top[NUMBER_TEXT_SIZE], bottom[NUMBER_TEXT_SIZE];
    char share[NUMBER_TEXT_SIZE], seed[NUMBER_TEXT_SIZE], identity[NUMBER_TEXT_SIZE], created[SST_ISO_TIME_SIZE];
    char history[HISTORY_TEXT_SIZE];
    int64_t now = 0;
    SST_TRY(sst_output_time(&now, err));
    (void)sst_iso_time(now, created);
    (void)snprintf(years, sizeof years, "%d-%d", pools->first_year, pools->last_year);
    (void)snprintf(half, sizeof half, "%d", pools->half_window_days);
    (void)snprintf(top, sizeof top, "%d", policy->tail.top);
    (void)snprintf(bottom, sizeof bottom, "%d", policy->tail.bottom);
    (void)snprintf(share, sizeof share, "%.10g", policy->probe_share);
    (void)snprintf(seed, sizeof seed, "%" PRIu64, policy->seed);
    (void)snprintf(identity, sizeof identity, "%016" PRIx64 "%016" PRIx64, policy->identity.high, policy->identity.low);
    (void)snprintf(history, sizeof history, "%s sststream %s: sststream export %.1800s", created, sst_version(),
                   exporting->options->arguments);
    const struct sst_attribute attributes[] = {
        {"title", "What a state counted of each calendar day of sea surface temperature"},
        {"summary", "Statistics of the daily values of each calendar day over the years of the baseline, without a "
                    "window round the day, from exact sums; and a table of the days."},
        {"source", policy->product},
        {"history", history},
        {"date_created", created},
        {"sststream_version", sst_version()},
        {"baseline_period", years},
        {"baseline_type", "fixed"},
        {"leap_day_rule", sst_leap_rule_name(pools->leap)},
        {"state_identity", identity},
        {"state_largest_window_half_width_days", half},
        {"state_lattice", policy->lattice == SST_LATTICE_CENTI ? "0.01 degC" : "0.001 degC about 15 degC"},
        {"state_temperature", sst_sst_kind_name(policy->kind)},
        {"state_list_greatest", top},
        {"state_list_smallest", bottom},
        {"state_keeps", sst_keep_name(policy->keep)},
        {"state_probe_share", share},
        {"state_seed", seed},
    };
    return sst_state_nc_finish(&exporting->file, attributes, sizeof attributes / sizeof attributes[0], err);
}

/* --- the command -------------------------------------------------------------------------------------------------- */

static enum sst_status export_state(struct exporting *exporting, struct sst_error *err)
{
    const struct sst_options *options = exporting->options;
    const int n_slots = sst_calendar_n_slots(exporting->policy->pools.kind);
    for (int place = 0; place < n_slots; ++place)
        exporting->slots[place] = place + 1;
    sst_domain_all(exporting->policy->grid, &exporting->domain);
    list_fields(exporting);
    SST_TRY(list_days(exporting, err));
    const struct sst_state_nc_spec spec = {
        .path = options->output,
        .overwrite = options->overwrite,
        .domain = &exporting->domain,
        .pools = &exporting->policy->pools,
        .slots = exporting->slots,
        .n_slots = n_slots,
        .fields = exporting->fields,
        .n_fields = exporting->n_fields,
        .n_days = exporting->n_rows,
        .deflate_level = options->deflate_level,
    };
    SST_TRY(sst_state_nc_create(&spec, &exporting->file, err));
    sst_progress_begin(&exporting->progress, "export", "slots", 0);
    const enum sst_status rc = write_slots(exporting, n_slots, err);
    sst_progress_end(&exporting->progress);
    SST_TRY(rc);
    SST_TRY(write_days(exporting, err));
    return finish(exporting, err);
}

int cmd_export(const struct sst_options *options)
{
    struct sst_error err = {SST_OK, ""};
    struct exporting exporting = {.options = options};
    const struct sst_terminal terminal = sst_terminal_of(options->log->stream);
    enum sst_status rc = SST_OK;
    sst_progress_init(&exporting.progress, options->progress, &terminal, options->log);
    SST_TRY_GOTO(sst_state_open(sst_os_system(), options->state, SST_STATE_READ, &exporting.state, &err));
    exporting.policy = sst_state_policy(exporting.state);
    SST_TRY_GOTO(export_state(&exporting, &err));
    sst_log_info(options->log, "%s: %zu days of %s", options->output, exporting.n_rows, options->state);
done:
    if (rc != SST_OK)
        sst_log_failure(options->log, &err);
    sst_state_nc_abandon(&exporting.file);
    sst_slot_summary_clear(&exporting.summary);
    for (size_t i = 0; i < exporting.n_rows; ++i)
        sst_free(exporting.rows[i].source);
    sst_free(exporting.rows);
    sst_state_close(&exporting.state);
    return sst_status_exit_code(rc);
}
