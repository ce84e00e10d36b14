/* `sststream help [COMMAND]`, `--help`, `version` and `--version`: what the program says of itself, on standard output. */
#include <jansson.h>
#include <stdio.h>

#include "app/commands.h"
#include "app/environment.h"
#include "app/help.h"
#include "app/options.h"

/* Everything, unless one command was named: by "help plan", or by "plan --help". */
static enum sst_command_id topic_of(const struct sst_options *options)
{
    if (options->command == SST_COMMAND_HELP)
        return options->n_inputs > 0 ? sst_command_find(options->inputs[0]) : SST_N_COMMANDS;
    return options->is_command_named ? options->command : SST_N_COMMANDS;
}

int cmd_help(const struct sst_options *options)
{
    sst_help_print(stdout, sst_terminal_of(stdout).columns, topic_of(options));
    return sst_status_exit_code(SST_OK);
}

int cmd_version(const struct sst_options *options)
{
    if (!options->json) {
        (void)printf("sststream %s\n"
                     "License GPL-3.0-or-later: free software, with no warranty, to the extent permitted by law\n",
                     sst_version());
        return sst_status_exit_code(SST_OK);
    }
    enum sst_status rc = SST_OK;
    json_t *facts =
        json_pack("{s:s, s:s, s:s}", "name", "sststream", "version", sst_version(), "license", "GPL-3.0-or-later");
    if (!facts || json_dumpf(facts, stdout, JSON_INDENT(2)) != 0 || putchar('\n') == EOF)
        rc = SST_ERR_OUTPUT;
    json_decref(facts);
    return sst_status_exit_code(rc);
}
