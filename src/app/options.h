/*
 * What the user asked for: argv read, checked and whole, so that a command has nothing left to check but the files.
 *
 *   argv ──popt──▶ (option, text) one by one ──set_*()──▶ struct sst_options ──checks of combinations──▶ defaults
 */
#ifndef SST_APP_OPTIONS_H
#define SST_APP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "app/lateness.h"
#include "app/log.h"
#include "app/number.h"
#include "app/option_table.h"
#include "app/progress.h"
#include "stream/climatology.h"
#include "stream/reader_crew.h"
#include "validate/error_model.h"
#include "write/clim_nc.h"
#include "write/clim_nc_read.h"

struct sst_machine; /* app/environment.h */

enum {
    SST_DEFAULT_FIRST_YEAR = 1991,
    SST_DEFAULT_LAST_YEAR = 2020,
    SST_MAX_BASELINE_YEARS = 66, /* 31-day windows of 66 years: the most that SST_MAX_POOL_DAYS allows for them */
    SST_MAX_POOL_DAYS = 2048, /* sums of fourth powers of more values could pass 2^63 */
    SST_MAX_SMOOTH_DAYS = 365,
    SST_MAX_THREADS = 1024,
    SST_MAX_READERS = 8, /* files that are open at once */
    SST_MAX_OPTION_WARNINGS = 8
};

/* No run works in less. [B] */
#define SST_MIN_MEMORY (UINT64_C(16) << 20)

/* How a part of the year was given; it becomes slots once the calendar of the files is known. */
enum sst_part_kind { SST_PART_WHOLE_YEAR, SST_PART_DOY, SST_PART_MONTH_DAYS };

struct sst_part_of_year {
    enum sst_part_kind kind;
    int first_doy, last_doy; /* 1..365 of a year without 29 February; first > last crosses New Year */
    struct sst_month_day first_day, last_day;
};

/* A box in degrees; west > east crosses the date line. */
struct sst_bbox {
    double west, south, east, north;
};

/* What synth is to make; only what is_given was said by the user, the rest is left to sst_synth_defaults. */
struct sst_archive_options {
    int first_year, last_year; /* --years; of RETIRE those that are no longer counted */
    int n_lon, n_lat;
    double south, north; /* [degrees_north] */
    double gaps_percent; /* [percent] of the days */
    int layout; /* index into the words of --layout */
};

/* Texts are owned by the options. NULL means not given, unless it says otherwise. */
struct sst_options {
    enum sst_command_id command;
    bool is_command_named, wants_help, wants_version;
    bool is_given[SST_N_OPTIONS];
    bool has_bbox, stop_on_bad, split, overwrite, json, strict;
    struct sst_log *log; /* borrowed: where commands speak; NULL until main() sets it */

    char **inputs; /* files, directories, "@list", "-"; for HELP the topic */
    size_t n_inputs, inputs_capacity;
    char *arguments; /* the options as typed, quoted for a shell, without inputs; never NULL */

    enum sst_approx approx;
    double percentiles[SST_MAX_PERCENTILES]; /* [percent] in the order given */
    size_t n_percentiles;
    int quantile_type;
    int min_samples; /* 0 = a third of the expected pool */
    int tail_k; /* 0 = by the rule of sst_tail_default_k */

    int first_year, last_year; /* is_given[SST_OPTION_ID_baseline] tells whether the user chose them */
    int window_days;
    struct sst_part_of_year part;
    enum sst_leap_rule leap;
    int smooth_days; /* 1 = none, as in struct sst_policy */

    double validate_share; /* 0..1; 0 = sst_probes_default_share */
    double tolerance; /* [degC] */
    double coverages[SST_MAX_COVERAGES]; /* 0..1 in the order given */
    size_t n_coverages;
    bool correct, repair;
    double max_share; /* 0..1 */
    uint64_t seed;

    char *variable, *units, *ice_variable;
    struct sst_bbox bbox; /* where has_bbox */
    char *mask_path, *mask_variable;

    char *clim_variables[2][SST_N_CLIM_FIELDS], *clim_units[2]; /* --var-a, --mean-b, ...; by climatology A, B */
    char **detect; /* --detect: files, directories, "@list" */
    size_t n_detect, detect_capacity;

    char **clims; /* --clim */
    size_t n_clims, clims_capacity;
    char *clim; /* the first of these, not owned */
    char *clim_mean, *clim_threshold, *detect_units; /* --clim-mean, --clim-thresh, --clim-units */
    char *events; /* --events */
    bool is_cold;
    int min_duration, max_gap, max_pad, hold_missing; /* [days] */

    char *state; /* --state; of MERGE the states and of INSPECT and VERIFY the one are in `inputs` */
    int keep; /* enum sst_keep */
    bool replaces, accept_product, accept_stale, accept_jump;
    char *status_from; /* --status-from; NULL: auto */
    char **old; /* --old: files, directories, "@list" */
    size_t n_old, old_capacity;

    char **inboxes; /* --inbox */
    size_t n_inboxes, inboxes_capacity;
    double poll_seconds, settle_seconds, hook_seconds; /* [s]; settle_seconds is that of poll unless given */
    bool once;
    uint64_t min_free_bytes; /* where is_given */
    struct sst_expectation expectation; /* where --expect-by is given */
    char *on_alert;

    char **feeds; /* --feed, each by the climatology of its place */
    size_t n_feeds, feeds_capacity;
    char *regions, *feed_title, *feed_url, *on_event;
    int ring_days, keep_days, notify_days; /* [days] keep_days 0: all */
    int min_area; /* [km2] */
    int from_year, from_month, from_day; /* --from, where it is given */

    char *output; /* never NULL for RUN and PLAN */
    char *report;
    int deflate_level; /* 0 = none, 1..9 */

    struct sst_archive_options archive;

    char *device; /* --device: "auto", "cpu", "gpu" or "gpu:0,1"; NULL where not given, as auto */
    int n_threads; /* >= 1 once settled; before that 0 = not given */
    int n_readers; /* once settled 0..SST_MAX_READERS; 0 = the program itself reads */
    bool readers_are_short; /* a process for each file */
    double read_timeout; /* [s] */
    char *memory_text; /* --memory as typed */
    double memory_share; /* 0..1 of what the process may use; 0 where memory was given in bytes */
    uint64_t memory_bytes; /* most that the run may take; once settled > 0, before that 0 = no limit unless given */
    uint64_t usable_bytes; /* what the process may use, once settled; UINT64_MAX where the system does not tell */
    struct sst_reader_crew old_crew; /* of commands that take counted days away: who reads the files of those */
    struct sst_reader_crew crew; /* the readers, once launched; crew NULL: the program itself reads */
    bool wants_timings;
    enum sst_progress_mode progress;
    int verbosity; /* for sst_log_level_of */

    const char *warnings[SST_MAX_OPTION_WARNINGS]; /* combinations that are allowed but surely not meant */
    size_t n_warnings;
};

/*
 * Reads a command line. argv[0] is skipped; the first argument that is no option names the command if it is the name of
 * one, else the command is RUN and the argument an input.
 *
 * Owner    the caller; sst_options_clear, also after a failure.
 * Errors   SST_ERR_USAGE with the option, its value, the reason and what is accepted; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_options_parse(int argc, char *const *argv, struct sst_options *options,
                                                 struct sst_error *err);
void sst_options_clear(struct sst_options *options);

/*
 * Settles what depends on the machine where the user did not say: threads, readers, memory. For commands that take --threads or --readers.
 *
 * Errors   SST_ERR_USAGE where a share of memory cannot be told or is too small for any run.
 */
SST_MUST_CHECK enum sst_status sst_options_settle(struct sst_options *options, const struct sst_machine *machine,
                                                  struct sst_error *err);

/* Whether the estimator suits the percentiles, the years and the checks that are asked for. Errors: SST_ERR_USAGE. */
SST_MUST_CHECK enum sst_status sst_options_check_estimator(const struct sst_options *options, struct sst_error *err);

/*
 * The slots of --doy or --days in a calendar; all of it without either. first > last crosses New Year.
 *
 * Errors   SST_ERR_USAGE where the calendar lacks a day that is named.
 */
SST_MUST_CHECK enum sst_status sst_options_slots(const struct sst_options *options, enum sst_calendar_kind calendar,
                                                 int *first, int *last, struct sst_error *err);

/*
 * The rule by which numbers are made, for files of this calendar and lattice.
 *
 * Errors   as sst_options_slots.
 */
SST_MUST_CHECK enum sst_status sst_options_policy(const struct sst_options *options, enum sst_calendar_kind calendar,
                                                  enum sst_lattice_kind lattice, struct sst_policy *out,
                                                  struct sst_error *err);

#endif
