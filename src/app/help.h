/* The text of --help, made from options.def and the list of commands. */
#ifndef SST_APP_HELP_H
#define SST_APP_HELP_H

#include <stdio.h>

#include "app/commands.h"

/*
 * Prints the options of one command, or everything where `command` is SST_N_COMMANDS.
 *
 * columns  no line is longer, but for single words that are.
 */
void sst_help_print(FILE *stream, int columns, enum sst_command_id command);

#endif
