/* app/help, app/suggest and app/environment: texts that fit their width, and names that were meant. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/environment.h"
#include "app/help.h"
#include "app/option_table.h"
#include "app/suggest.h"
#include "test_main.h"

/* The help text; free() it. */
static char *help(int columns, enum sst_command_id command)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    ck_assert_ptr_nonnull(stream);
    sst_help_print(stream, columns, command);
    ck_assert_int_eq(fclose(stream), 0);
    return text;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    while (*text) {
        const size_t length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
        text += length + (text[length] == '\n');
    }
    return longest;
}

static const int widths[] = {44, 60, 64, 80, 100};

START_TEST(help_fits_its_width)
{
    for (int command = 0; command <= SST_N_COMMANDS; ++command) {
        char *text = help(widths[_i], (enum sst_command_id)command);
        ck_assert_uint_le(longest_line(text), (size_t)widths[_i]);
        ck_assert_uint_ge(longest_line(text), 30);
        free(text);
    }
}
END_TEST

START_TEST(every_option_is_in_the_whole_help_once)
{
    char *text = help(80, SST_N_COMMANDS);
    for (int id = 0; id < SST_N_OPTIONS; ++id) {
        char needle[64];
        (void)snprintf(needle, sizeof needle, "--%s%s%s", sst_option_rows[id].name,
                       *sst_option_rows[id].argument ? " " : "", sst_option_rows[id].argument);
        ck_assert_msg(strstr(text, needle) != NULL, "no %s", needle);
    }
    for (int id = 0; id < SST_N_COMMANDS; ++id)
        ck_assert_ptr_nonnull(strstr(text, sst_command_rows[id].name));
    ck_assert_ptr_nonnull(strstr(text, "(default: hobday)"));
    free(text);
}
END_TEST

START_TEST(a_command_shows_its_own_options_only)
{
    char *text = help(80, SST_COMMAND_SYNTH);
    ck_assert_ptr_nonnull(strstr(text, "Usage: sststream synth [OPTIONS] -o DIRECTORY"));
    ck_assert_ptr_nonnull(strstr(text, "--grid NLONxNLAT"));
    ck_assert_ptr_null(strstr(text, "--bbox"));
    free(text);
    text = help(80, SST_COMMAND_PLAN);
    ck_assert_ptr_nonnull(strstr(text, "--bbox W,S,E,N"));
    ck_assert_ptr_null(strstr(text, "--grid"));
    free(text);
}
END_TEST

START_TEST(columns_are_kept_sane)
{
    ck_assert_int_eq(sst_terminal_columns(NULL, 0), 80);
    ck_assert_int_eq(sst_terminal_columns("64511", 0), 100);
    ck_assert_int_eq(sst_terminal_columns("99999999999999999999", 0), 80);
    ck_assert_int_eq(sst_terminal_columns("0", 120), 100);
    ck_assert_int_eq(sst_terminal_columns("-5", 0), 80);
    ck_assert_int_eq(sst_terminal_columns("", 72), 72);
    ck_assert_int_eq(sst_terminal_columns("60", 100), 60);
    ck_assert_int_eq(sst_terminal_columns("3", 0), 40);
}
END_TEST

START_TEST(the_nearest_name_is_suggested)
{
    static const char *const names[] = {"window", "window-half-width", "percentile", "progress", "plan", "run"};
    const size_t n = sizeof names / sizeof *names;
    ck_assert_str_eq(sst_suggest("windwo", names, n), "window");
    ck_assert_str_eq(sst_suggest("window", names, n), "window");
    ck_assert_str_eq(sst_suggest("percent", names, n), "percentile");
    ck_assert_str_eq(sst_suggest("paln", names, n), "plan");
    ck_assert_ptr_null(sst_suggest("ocean", names, n));
    ck_assert_ptr_null(sst_suggest("", names, n));
    ck_assert_ptr_null(sst_suggest("x", names, n));
    ck_assert_ptr_null(sst_suggest("wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", names, n));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("help");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, help_fits_its_width, 0, (int)(sizeof widths / sizeof *widths));
    tcase_add_test(tc, every_option_is_in_the_whole_help_once);
    tcase_add_test(tc, a_command_shows_its_own_options_only);
    tcase_add_test(tc, columns_are_kept_sane);
    tcase_add_test(tc, the_nearest_name_is_suggested);
    suite_add_tcase(suite, tc);
    return suite;
}
