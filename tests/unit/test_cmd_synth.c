/* app/cmd_synth: options reach the maker of archives, and what it says reaches the user. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/options.h"
#include "app/synth.h"
#include "test_main.h"

enum { MAX_WORDS = 16 };

static char *written;
static size_t n_written;

/* Runs "sststream synth WORDS..."; leaves what it said in `written` and returns the exit code. */
static int synth(char *const *words, int n_words)
{
    char program[] = "sststream";
    char command[] = "synth";
    char *argv[MAX_WORDS + 2] = {program, command};
    struct sst_options options;
    struct sst_error err = {SST_OK, ""};
    struct sst_log log;
    memcpy(argv + 2, words, (size_t)n_words * sizeof *argv);
    free(written);
    written = NULL;
    FILE *stream = open_memstream(&written, &n_written);
    ck_assert_ptr_nonnull(stream);
    sst_log_init(&log, stream);
    ck_assert_msg(sst_options_parse(n_words + 2, argv, &options, &err) == SST_OK, "%s", err.text);
    options.log = &log;
    const int exit_code = cmd_synth(&options);
    sst_options_clear(&options);
    ck_assert_int_eq(fclose(stream), 0);
    return exit_code;
}

START_TEST(an_archive_is_made_once_and_replaced_when_told)
{
    char output[] = "-o";
    char years[] = "--years=2001-2001";
    char days[] = "--days=1231-0102";
    char grid[] = "--grid=24x12";
    char threads[] = "-P2";
    char overwrite[] = "-O";
    char *folder = strdup(test_path("%s/archive", test_scratch_dir()));
    char *words[] = {output, folder, years, days, grid, threads, overwrite};
    ck_assert_int_eq(synth(words, 6), 0);
    ck_assert_msg(strstr(written, "/archive: 3 daily files of 2001-2001 on a grid of 24 x 12\n") != NULL, "%s",
                  written);
    ck_assert_int_eq(access(test_path("%s/oisst-avhrr-v02r01.20011231.nc", folder), R_OK), 0);
    ck_assert_int_eq(access(test_path("%s/oisst-avhrr-v02r01.20010102.nc", folder), R_OK), 0);
    ck_assert_int_ne(access(test_path("%s/oisst-avhrr-v02r01.20010103.nc", folder), R_OK), 0);
    ck_assert_int_eq(synth(words, 6), 2);
    ck_assert_ptr_nonnull(strstr(written, "/archive: is not empty"));
    ck_assert_int_eq(synth(words, 7), 0);
    free(folder);
}
END_TEST

START_TEST(what_cannot_be_made_is_said_with_its_exit_code)
{
    char output[] = "-o";
    char years[] = "--years=1800-1801";
    char *folder = strdup(test_path("%s/absent/archive", test_scratch_dir()));
    char *words[] = {output, folder, years};
    ck_assert_int_eq(synth(words, 2), 4);
    ck_assert_ptr_nonnull(strstr(written, "/absent/archive: cannot be made a folder"));
    ck_assert_int_eq(synth(words, 3), 2);
    ck_assert_ptr_nonnull(strstr(written, "years: 1800-1801"));
    free(folder);
}
END_TEST

START_TEST(shown_defaults_are_those_of_synth)
{
    struct sst_options options;
    struct sst_error err = {SST_OK, ""};
    struct sst_synth_options defaults;
    char text[5][64];
    static const enum sst_option_id ids[] = {SST_OPTION_ID_years, SST_OPTION_ID_grid, SST_OPTION_ID_lat,
                                             SST_OPTION_ID_gaps, SST_OPTION_ID_layout};
    char program[] = "sststream";
    char command[] = "synth";
    char output[] = "-od";
    char *argv[] = {program, command, output, text[0], text[1], text[2], text[3], text[4]};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; ++i)
        (void)snprintf(text[i], sizeof text[i], "--%s=%s", sst_option_rows[ids[i]].name,
                       sst_option_rows[ids[i]].shown_default);
    ck_assert_msg(sst_options_parse(8, argv, &options, &err) == SST_OK, "%s", err.text);
    sst_synth_defaults(&defaults);
    ck_assert_int_eq(options.archive.first_year, defaults.first_year);
    ck_assert_int_eq(options.archive.last_year, defaults.last_year);
    ck_assert_int_eq(options.archive.n_lon, defaults.n_lon);
    ck_assert_int_eq(options.archive.n_lat, defaults.n_lat);
    ck_assert(options.archive.south == defaults.south && options.archive.north == defaults.north);
    ck_assert(options.archive.gaps_percent == defaults.gaps_percent);
    ck_assert_int_eq(options.archive.layout, (int)defaults.layout);
    ck_assert_uint_eq(options.seed, defaults.seed);
    sst_options_clear(&options);
}
END_TEST

START_TEST(words_of_layout_are_those_of_synth)
{
    char words[128] = "";
    for (int layout = 0; layout < SST_SYNTH_N_LAYOUTS; ++layout) {
        (void)strncat(words, layout ? "|" : "", sizeof words - strlen(words) - 1);
        (void)strncat(words, sst_synth_layout_name((enum sst_synth_layout)layout), sizeof words - strlen(words) - 1);
    }
    ck_assert_str_eq(sst_option_rows[SST_OPTION_ID_layout].argument, words);
}
END_TEST

static void forget(void)
{
    free(written);
    written = NULL;
}

Suite *test_suite(void)
{
    Suite *suite = suite_create("cmd_synth");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, NULL, forget);
    tcase_add_test(tc, an_archive_is_made_once_and_replaced_when_told);
    tcase_add_test(tc, what_cannot_be_made_is_said_with_its_exit_code);
    tcase_add_test(tc, shown_defaults_are_those_of_synth);
    tcase_add_test(tc, words_of_layout_are_those_of_synth);
    suite_add_tcase(suite, tc);
    return suite;
}
