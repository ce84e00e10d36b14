/* Lays the option table out in two columns, or in one where the terminal is narrow. */
#include "app/help.h"

#include <stdbool.h>
#include <string.h>

#include "app/option_table.h"

/* Where the right column begins; below NARROW columns it goes under the left one. */
enum { RIGHT_COLUMN = 28, NARROW = 64, NARROW_INDENT = 8, MAX_TEXT = 512 };

struct layout {
    FILE *stream;
    int columns;
    int indent; /* of the right column */
};

/* Prints words from column `at` on, later lines from `indent` on, and ends the line. */
static void print_wrapped(const struct layout *layout, const char *text, int at, int indent)
{
    bool is_first = true;
    while (*text) {
        const int length = (int)strcspn(text, " ");
        if (!is_first && at + 1 + length > layout->columns) {
            (void)fprintf(layout->stream, "\n%*s", indent, "");
            at = indent;
            is_first = true;
        }
        at += fprintf(layout->stream, "%s%.*s", is_first ? "" : " ", length, text);
        is_first = false;
        text += length;
        text += strspn(text, " ");
    }
    (void)fputc('\n', layout->stream);
}

/* A name, and what it is, beside it if there is room and else below. */
static void print_entry(const struct layout *layout, const char *label, const char *text)
{
    int at = fprintf(layout->stream, "%s", label);
    if (at + 2 > layout->indent) {
        (void)fputc('\n', layout->stream);
        at = 0;
    }
    (void)fprintf(layout->stream, "%*s", layout->indent - at, "");
    print_wrapped(layout, text, layout->indent, layout->indent);
}

static void print_option(const struct layout *layout, const struct sst_option_row *row)
{
    char label[MAX_TEXT];
    char text[MAX_TEXT];
    char letter[] = "    ";
    if (row->letter) {
        letter[0] = '-';
        letter[1] = row->letter;
        letter[2] = ',';
    }
    (void)snprintf(label, sizeof label, "  %s--%s%s%s", letter, row->name, *row->argument ? " " : "", row->argument);
    if (*row->shown_default)
        (void)snprintf(text, sizeof text, "%s (default: %s)", row->help, row->shown_default);
    else
        (void)snprintf(text, sizeof text, "%s", row->help);
    print_entry(layout, label, text);
}

static void print_group(const struct layout *layout, enum sst_option_group group, unsigned commands)
{
    bool has_heading = false;
    for (int id = 0; id < SST_N_OPTIONS; ++id) {
        const struct sst_option_row *row = &sst_option_rows[id];
        if (row->group != group || !(row->commands & commands))
            continue;
        if (!has_heading)
            (void)fprintf(layout->stream, "\n%s\n", sst_option_group_headings[group]);
        has_heading = true;
        print_option(layout, row);
    }
}

static void print_commands(const struct layout *layout)
{
    char label[MAX_TEXT];
    (void)fprintf(layout->stream, "\nCommands\n");
    for (int id = 0; id < SST_N_COMMANDS; ++id) {
        (void)snprintf(label, sizeof label, "  %s", sst_command_rows[id].name);
        print_entry(layout, label, sst_command_rows[id].purpose);
    }
}

static void print_example(const struct layout *layout, const char *text)
{
    (void)fputs("  ", layout->stream);
    print_wrapped(layout, text, 2, 6);
}

void sst_help_print(FILE *stream, int columns, enum sst_command_id command)
{
    const bool is_all = command == SST_N_COMMANDS;
    const struct layout layout = {stream, columns, columns < NARROW ? NARROW_INDENT : RIGHT_COLUMN};
    char text[MAX_TEXT];
    if (is_all) {
        print_wrapped(&layout, "Usage: sststream [COMMAND] [OPTIONS] FILES-OR-DIRECTORIES", 0, 7);
        (void)fputc('\n', stream);
        print_wrapped(
            &layout,
            "Reads daily sea-surface-temperature netCDF files once and writes, for each calendar day and cell, "
            "the mean and the 90th percentile over a baseline of years.",
            0, 0);
        print_commands(&layout);
    } else {
        const struct sst_command *row = &sst_command_rows[command];
        (void)snprintf(text, sizeof text, "Usage: sststream %s %s", row->name, row->usage);
        print_wrapped(&layout, text, 0, 7);
        (void)snprintf(text, sizeof text, "%s: %s.", row->name, row->purpose);
        (void)fputc('\n', stream);
        print_wrapped(&layout, text, 0, 0);
    }
    for (int group = 0; group < SST_N_GROUPS; ++group)
        print_group(&layout, (enum sst_option_group)group, is_all ? ~0U : 1U << command);
    if (is_all) {
        (void)fprintf(stream, "\nExamples\n");
        print_example(&layout, "sststream --approx cf --validate 1% --baseline 1991-2020 -o clim.nc oisst/");
        print_example(&layout, "sststream plan --bbox 110,-45,160,-10 oisst/");
        print_example(&layout, "sststream ingest --state sea --baseline 1991-2020 oisst/");
        print_example(&layout, "sststream synth -o synthetic");
    }
}
