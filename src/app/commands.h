/*
 * The sub-commands, once: names for the parser, one line each for `--help`, functions for main().
 *
 * A command gets its options checked and whole, says what it has to say through options->log, and returns the exit code
 * of the program.
 */
#ifndef SST_APP_COMMANDS_H
#define SST_APP_COMMANDS_H

struct sst_options;

/* symbol, name, what follows it, what it does, function */
#define SST_COMMAND_LIST(X)                                                                                            \
    X(RUN, "run", "[OPTIONS] FILES-OR-DIRECTORIES",                                                                    \
      "read daily SST files once, write their climatology (what happens where no command is named)", cmd_run)          \
    X(PLAN, "plan", "[OPTIONS] FILES-OR-DIRECTORIES",                                                                  \
      "show what run would read and need: days, gaps, doubles, odd files, memory", cmd_plan)                           \
    X(REPORT, "report", "[OPTIONS] REPORT.json", "draw the accuracy report of a run as a page, from its JSON",         \
      cmd_report)                                                                                                      \
    X(COMPARE, "compare", "[OPTIONS] A.nc B.nc [--detect FILES]",                                                      \
      "hold two climatologies against each other: ours, an old one, or another tool's", cmd_compare)                   \
    X(SYNTH, "synth", "[OPTIONS] -o DIRECTORY", "write a synthetic archive of daily files to try the program on",      \
      cmd_synth)                                                                                                       \
    X(DEVICES, "devices", "[--json]", "show the devices that run can compute on, or why there is none", cmd_devices)   \
    X(INGEST, "ingest", "--state DIR [OPTIONS] FILES-OR-DIRECTORIES",                                                  \
      "count days into a state as their files arrive, each once", cmd_ingest)                                          \
    X(CLIMATOLOGY, "climatology", "--state DIR -o FILE [OPTIONS]",                                                     \
      "make the climatology of the days that a state counted, without their files", cmd_climatology)                   \
    X(DETECT, "detect", "--clim CLIM.nc [OPTIONS] FILES-OR-DIRECTORIES",                                               \
      "find marine heatwaves, or cold spells, in daily files by a climatology's mean and percentile", cmd_detect)      \
    X(INSPECT, "inspect", "[--json] DIR", "show what a state holds: its rules, days, gaps, size, digest", cmd_inspect) \
    X(VERIFY, "verify", "DIR", "check every byte of a state", cmd_verify)                                              \
    X(WATCH, "watch", "--state DIR --inbox DIR [OPTIONS]",                                                             \
      "a service: count days into a state as their files arrive in folders, and feed what they say to readers",        \
      cmd_watch)                                                                                                       \
    X(STATUS, "status", "[--state DIR] [--feed DIR] [--expect-by HH:MMZ+Nd] [--json]",                                 \
      "show whether days arrive in a state or a feed: exit code 0 ok, 1 warning, 2 late or damaged, 3 unknown",        \
      cmd_status)                                                                                                      \
    X(FEED, "feed", "rebuild --clim CLIM.nc --feed DIR [OPTIONS] FILES-OR-DIRECTORIES | --state DIR",                  \
      "make a feed anew, of daily files or of a state that keeps all values; its revisions go on", cmd_feed)           \
    X(QUARANTINE, "quarantine", "--state DIR list|retry|accept [FILES]",                                               \
      "files that were held back: list them with reasons, try them again, take them nevertheless", cmd_quarantine)     \
    X(MERGE, "merge", "[OPTIONS] DIR DIR ... -o DIR", "make one state of several that counted different days",         \
      cmd_merge)                                                                                                       \
    X(RETIRE, "retire", "--state DIR [--years Y1-Y2] [--baseline Y1-Y2] -o DIR",                                       \
      "make a state without some years of another, or with another baseline", cmd_retire)                              \
    X(EXPORT, "export", "--state DIR -o FILE [OPTIONS]", "write what a state knows as netCDF, for other programs",     \
      cmd_export)                                                                                                      \
    X(HELP, "help", "[COMMAND]", "show all options, or those of one command", cmd_help)                                \
    X(VERSION, "version", "[--json]", "show the version", cmd_version)

enum sst_command_id {
#define X(symbol, name, usage, purpose, function) SST_COMMAND_##symbol,
    SST_COMMAND_LIST(X)
#undef X
        SST_N_COMMANDS
};

#define X(symbol, name, usage, purpose, function) int function(const struct sst_options *options);
SST_COMMAND_LIST(X)
#undef X

struct sst_command {
    const char *name, *usage, *purpose;
};

/* Names and texts, in the order of the list. */
extern const struct sst_command sst_command_rows[SST_N_COMMANDS];

/* The command of that name, or SST_N_COMMANDS. */
enum sst_command_id sst_command_find(const char *name);

#endif
