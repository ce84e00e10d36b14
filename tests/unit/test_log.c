/* app/log says what it is told, at the level it is told, and sends no control characters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/log.h"
#include "test_main.h"

static char *written;
static size_t n_written;
static FILE *stream;
static struct sst_log sink;

static void open_sink(void)
{
    stream = open_memstream(&written, &n_written);
    ck_assert_ptr_nonnull(stream);
    sst_log_init(&sink, stream);
}

static void close_sink(void)
{
    ck_assert_int_eq(fclose(stream), 0);
    free(written);
    written = NULL;
}

/* What was written so far. */
static const char *text(void)
{
    ck_assert_int_eq(fflush(stream), 0);
    return written;
}

START_TEST(log_levels_show_what_they_should)
{
    static const struct {
        int verbosity;
        const char *shown;
    } cases[] = {
        {-2, "sststream: e\n"},
        {-1, "sststream: e\nsststream: warning: w\n"},
        {0, "sststream: e\nsststream: warning: w\nsststream: i\n"},
        {1, "sststream: e\nsststream: warning: w\nsststream: i\nsststream: debug: d\n"},
    };
    sink.level = sst_log_level_of(cases[_i].verbosity);
    sst_log_error(&sink, "%c", 'e');
    sst_log_warn(&sink, "%c", 'w');
    sst_log_info(&sink, "%c", 'i');
    sst_log_debug(&sink, "%c", 'd');
    ck_assert_str_eq(text(), cases[_i].shown);
    ck_assert_uint_eq(sink.n_warnings, 1);
    ck_assert_uint_eq(sink.n_errors, 1);
}
END_TEST

START_TEST(strict_shows_warnings_and_fails_the_check)
{
    struct sst_error err = {SST_OK, ""};
    sink.level = SST_LOG_ERROR;
    sink.is_strict = true;
    ck_assert_int_eq(sst_log_check(&sink, SST_ERR_INPUT, &err), SST_OK);
    sst_log_note(&sink, "a.nc: units: odd");
    sst_log_note(&sink, "b.nc: units: odd");
    ck_assert_str_eq(text(), "sststream: warning: a.nc: units: odd\nsststream: warning: b.nc: units: odd\n");
    ck_assert_int_eq(sst_log_check(&sink, SST_ERR_INPUT, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "--strict: 2 warnings above end the run"));
    sink.is_strict = false;
    ck_assert_int_eq(sst_log_check(&sink, SST_ERR_INPUT, NULL), SST_OK);
}
END_TEST

START_TEST(control_characters_are_shown_not_sent)
{
    sst_log_error(&sink, "%s: no such file", "evil\033[2J\n\x7f.nc");
    ck_assert_str_eq(text(), "sststream: evil\\x1b[2J\\x0a\\x7f.nc: no such file\n");
}
END_TEST

START_TEST(a_long_message_is_cut_not_spilt)
{
    char name[8000];
    memset(name, '\n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    sst_log_error(&sink, "%s", name);
    ck_assert_uint_lt(strlen(text()), 2 * SST_ERROR_TEXT_SIZE + 64);
    ck_assert_int_eq(text()[strlen(text()) - 1], '\n');
    ck_assert_uint_eq(strcspn(text(), "\n"), strlen(text()) - 1);
}
END_TEST

START_TEST(colour_marks_the_beginning_of_errors_and_warnings)
{
    sink.has_colour = true;
    sst_log_error(&sink, "e");
    sst_log_info(&sink, "i");
    ck_assert_str_eq(text(), "\033[31msststream: \033[0me\nsststream: i\n");
}
END_TEST

START_TEST(a_text_from_outside_cannot_steer_the_terminal)
{
    sst_log_put_text("S\xc3\xa9\nb\x1b[31m\x7f", stream);
    ck_assert_str_eq(text(), "S\xc3\xa9\\x0ab\\x1b[31m\\x7f");
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("log");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, open_sink, close_sink);
    tcase_add_loop_test(tc, log_levels_show_what_they_should, 0, 4);
    tcase_add_test(tc, strict_shows_warnings_and_fails_the_check);
    tcase_add_test(tc, control_characters_are_shown_not_sent);
    tcase_add_test(tc, a_text_from_outside_cannot_steer_the_terminal);
    tcase_add_test(tc, a_long_message_is_cut_not_spilt);
    tcase_add_test(tc, colour_marks_the_beginning_of_errors_and_warnings);
    suite_add_tcase(suite, tc);
    return suite;
}
