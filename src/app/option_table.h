/* The rows of options.def as data, for whoever parses, shows or documents them. */
#ifndef SST_APP_OPTION_TABLE_H
#define SST_APP_OPTION_TABLE_H

#include "app/commands.h"

enum sst_option_kind { SST_OPTION_FLAG, SST_OPTION_CHOICE, SST_OPTION_NUMBER, SST_OPTION_TEXT, SST_OPTION_PATH };

/* symbol, heading; in the order in which help shows them */
#define SST_OPTION_GROUP_LIST(X)                                                                                       \
    X(ESTIMATE, "What is computed")                                                                                    \
    X(CALENDAR, "Years and days")                                                                                      \
    X(CHECKS, "How it is checked")                                                                                     \
    X(INPUT, "What is read")                                                                                           \
    X(COMPARISON, "The two climatologies (compare)")                                                                   \
    X(EVENTS, "Events (detect, feeds)")                                                                                \
    X(OUTPUT, "What is written")                                                                                       \
    X(SYNTHETIC, "The synthetic archive (synth)")                                                                      \
    X(STATE, "The state")                                                                                              \
    X(SERVICE, "The service (watch, status)")                                                                          \
    X(FEED, "The feed (watch, feed)")                                                                                  \
    X(RUNNING, "How it runs")                                                                                          \
    X(ALIASES, "Other names")

enum sst_option_group {
#define X(symbol, heading) SST_GROUP_##symbol,
    SST_OPTION_GROUP_LIST(X)
#undef X
        SST_N_GROUPS
};

enum sst_option_id {
#define SST_OPTION(symbol, name, letter, kind, argument, shown_default, commands, group, help) SST_OPTION_ID_##symbol,
#include "app/options.def"
    SST_N_OPTIONS
};

struct sst_option_row {
    const char *name;
    char letter; /* 0 = none */
    enum sst_option_kind kind;
    const char *argument; /* "" for a FLAG; the words, with | between them, for a CHOICE */
    const char *shown_default; /* "" = none */
    unsigned commands; /* bit 1 << enum sst_command_id of each command that takes it */
    enum sst_option_group group;
    const char *help;
};

extern const struct sst_option_row sst_option_rows[SST_N_OPTIONS];
extern const char *const sst_option_group_headings[SST_N_GROUPS];

#endif
