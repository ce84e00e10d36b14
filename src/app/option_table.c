/* The lists of options.def and commands.h made into tables. */
#include "app/option_table.h"

#include <string.h>

/* The words of options.def's `commands` column. */
enum {
    BOTH = 1 << SST_COMMAND_RUN | 1 << SST_COMMAND_PLAN,
    REPORT = 1 << SST_COMMAND_REPORT,
    COMPARE = 1 << SST_COMMAND_COMPARE,
    SYNTH = 1 << SST_COMMAND_SYNTH,
    DEVICES = 1 << SST_COMMAND_DEVICES,
    INGEST = 1 << SST_COMMAND_INGEST,
    CLIM = 1 << SST_COMMAND_CLIMATOLOGY,
    DETECT = 1 << SST_COMMAND_DETECT,
    INSPECT = 1 << SST_COMMAND_INSPECT,
    WATCH = 1 << SST_COMMAND_WATCH,
    STATUS = 1 << SST_COMMAND_STATUS,
    QUARANTINE = 1 << SST_COMMAND_QUARANTINE,
    FEED = 1 << SST_COMMAND_FEED,
    FEEDS = WATCH | FEED,
    INTO = INGEST | WATCH | QUARANTINE, /* that count days */
    MERGE = 1 << SST_COMMAND_MERGE,
    RETIRE = 1 << SST_COMMAND_RETIRE,
    EXPORT = 1 << SST_COMMAND_EXPORT,
    JOIN = MERGE | RETIRE | EXPORT,
    VERSION = 1 << SST_COMMAND_VERSION,
    ANY = (1 << SST_N_COMMANDS) - 1
};

const struct sst_option_row sst_option_rows[SST_N_OPTIONS] = {
#define SST_OPTION(symbol, name, letter, kind, argument, shown_default, commands, group, help)                         \
    {name, letter, SST_OPTION_##kind, argument, shown_default, commands, SST_GROUP_##group, help},
#include "app/options.def"
};

const char *const sst_option_group_headings[SST_N_GROUPS] = {
#define X(symbol, heading) heading,
    SST_OPTION_GROUP_LIST(X)
#undef X
};

const struct sst_command sst_command_rows[SST_N_COMMANDS] = {
#define X(symbol, name, usage, purpose, function) {name, usage, purpose},
    SST_COMMAND_LIST(X)
#undef X
};

enum sst_command_id sst_command_find(const char *name)
{
    int id = 0;
    while (id < SST_N_COMMANDS && strcmp(sst_command_rows[id].name, name) != 0)
        ++id;
    return (enum sst_command_id)id;
}
