/* app/progress: what is written, how often, and how wide. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "app/log.h"
#include "app/progress.h"
#include "test_main.h"

static double clock_seconds;
static bool is_status_wanted;
static char *written;
static size_t n_written;
static FILE *stream;
static struct sst_log sink;

static double fake_clock(void) { return clock_seconds; }

static bool take_request(void)
{
    const bool wanted = is_status_wanted;
    is_status_wanted = false;
    return wanted;
}

static void open_sink(void)
{
    clock_seconds = 1000.0;
    is_status_wanted = false;
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

static size_t count(const char *needle)
{
    size_t n = 0;
    for (const char *at = text(); (at = strstr(at, needle)) != NULL; at += strlen(needle))
        ++n;
    return n;
}

static struct sst_progress start(enum sst_progress_mode mode, bool is_terminal, int columns)
{
    const struct sst_terminal terminal = {is_terminal, false, columns};
    struct sst_progress progress;
    sst_progress_init(&progress, mode, &terminal, &sink);
    progress.now = fake_clock;
    progress.status_wanted = take_request;
    return progress;
}

START_TEST(plain_says_one_line_every_30_seconds_and_no_carriage_return)
{
    struct sst_progress progress = start(SST_PROGRESS_AUTO, false, 80);
    ck_assert_int_eq(progress.mode, SST_PROGRESS_PLAIN);
    sst_progress_begin(&progress, "read", "days", 1000000000);
    for (int tenth = 1; tenth < 300; ++tenth) {
        clock_seconds = 1000.0 + 0.1 * tenth;
        sst_progress_update(&progress, (size_t)tenth, 1000, (uint64_t)tenth * 1000000);
    }
    ck_assert_str_eq(text(), "");
    clock_seconds = 1030.0;
    sst_progress_update(&progress, 300, 1000, 250000000);
    ck_assert_uint_eq(count("\n"), 1);
    /* 250 MB in 30 s; a quarter done, so three times as long to go. */
    ck_assert_ptr_nonnull(
        strstr(text(), "sststream: read: 25 %, 300 of 1000 days, 250 MB of 1.0 GB, 8.3 MB/s, 1:30 left"));
    clock_seconds = 1059.9;
    sst_progress_update(&progress, 500, 1000, 500000000);
    ck_assert_uint_eq(count("\n"), 1);
    clock_seconds = 1060.0;
    sst_progress_update(&progress, 500, 1000, 500000000);
    ck_assert_uint_eq(count("\n"), 2);
    ck_assert_ptr_nonnull(strstr(text(), "50 %, 500 of 1000 days, 500 MB of 1.0 GB, 8.3 MB/s, 1:00 left"));
    clock_seconds = 1061.0;
    sst_progress_update(&progress, 1000, 1000, 1000000000);
    sst_progress_end(&progress);
    ck_assert_uint_eq(count("\n"), 3);
    ck_assert_ptr_nonnull(strstr(text(), "100 %, 1000 of 1000 days, 1.0 GB of 1.0 GB, 16.4 MB/s, 1:01 taken"));
    ck_assert_ptr_null(strchr(text(), '\r'));
    ck_assert_ptr_null(strchr(text(), '\033'));
}
END_TEST

START_TEST(a_short_stage_says_nothing_in_a_log)
{
    struct sst_progress progress = start(SST_PROGRESS_PLAIN, false, 80);
    sst_progress_begin(&progress, "scan", "files", 0);
    clock_seconds += 29.0;
    sst_progress_update(&progress, 10, 10, 0);
    sst_progress_end(&progress);
    ck_assert_str_eq(text(), "");
}
END_TEST

START_TEST(a_bar_asked_for_without_a_terminal_is_plain)
{
    struct sst_progress progress = start(SST_PROGRESS_BAR, false, 80);
    ck_assert_int_eq(progress.mode, SST_PROGRESS_PLAIN);
    sst_progress_begin(&progress, "scan", "files", 0);
    clock_seconds += 30.0;
    sst_progress_update(&progress, 300, 1200, 0);
    sst_progress_end(&progress);
    ck_assert_ptr_null(strchr(text(), '\r'));
    ck_assert_ptr_nonnull(strstr(text(), "scan: 25 %, 300 of 1200 files, 10 files/s, 1:30 left"));
}
END_TEST

START_TEST(a_bar_is_drawn_at_most_ten_times_a_second)
{
    struct sst_progress progress = start(SST_PROGRESS_AUTO, true, 80);
    ck_assert_int_eq(progress.mode, SST_PROGRESS_BAR);
    sst_progress_begin(&progress, "read", "days", 1000);
    for (int milli = 1; milli <= 1000; ++milli) {
        clock_seconds = 1000.0 + 1e-3 * milli;
        sst_progress_update(&progress, (size_t)milli, 1000, (uint64_t)milli);
    }
    ck_assert_uint_ge(count("\r"), 9);
    ck_assert_uint_le(count("\r"), 10);
    ck_assert_uint_eq(count("\n"), 0);
    sst_progress_end(&progress);
    ck_assert_uint_eq(count("\n"), 1);
    ck_assert_int_eq(text()[strlen(text()) - 1], '\n');
}
END_TEST

/* Terminals as wide as these. */
static const int widths[] = {40, 41, 60, 80, 100};

START_TEST(a_bar_never_reaches_the_last_column)
{
    struct sst_progress progress = start(SST_PROGRESS_BAR, true, widths[_i]);
    sst_progress_begin(&progress, "read", "days", UINT64_C(123456789012345));
    for (size_t done = 0; done <= 10958; done += 313) {
        clock_seconds += 977.0;
        sst_progress_update(&progress, done, 10958, UINT64_C(11266354170) * done);
    }
    sst_progress_end(&progress);
    size_t n_lines = 0;
    for (const char *at = text(); *at; ++n_lines) {
        at += strspn(at, "\r\n");
        const size_t length = strcspn(at, "\033");
        ck_assert_uint_le(length, (size_t)widths[_i] - 1);
        at += length;
        at += strcspn(at, "\r");
    }
    ck_assert_uint_eq(n_lines, 37);
}
END_TEST

START_TEST(the_bar_fills_with_the_share)
{
    struct sst_progress progress = start(SST_PROGRESS_BAR, true, 80);
    sst_progress_begin(&progress, "read", "days", 1000);
    clock_seconds += 10.0;
    sst_progress_update(&progress, 50, 100, 500);
    const char *open = strchr(text(), '[');
    ck_assert_ptr_nonnull(open);
    const size_t n_filled = strspn(open + 1, "=");
    const size_t n_empty = strspn(open + 1 + n_filled, " ");
    ck_assert_int_eq(open[1 + n_filled + n_empty], ']');
    ck_assert_uint_ge(n_filled, 4);
    ck_assert_uint_le(n_empty - n_filled, 1);
    ck_assert_ptr_nonnull(strstr(text(), " 50 %  50/100 days  50 B/s  0:10 left"));
}
END_TEST

START_TEST(the_share_is_the_smaller_of_bytes_and_items)
{
    /* One file of all days counts whole once it is opened. */
    struct sst_progress progress = start(SST_PROGRESS_PLAIN, false, 80);
    sst_progress_begin(&progress, "read", "days", 1000);
    clock_seconds += 30.0;
    sst_progress_update(&progress, 1, 10, 1000);
    ck_assert_ptr_nonnull(strstr(text(), "read: 10 %, "));
    ck_assert_ptr_nonnull(strstr(text(), "4:30 left"));
}
END_TEST

START_TEST(nothing_is_known_at_the_start)
{
    struct sst_progress progress = start(SST_PROGRESS_BAR, true, 80);
    sst_progress_begin(&progress, "read", "days", 1000);
    clock_seconds += 0.5;
    sst_progress_update(&progress, 0, 0, 0);
    ck_assert_ptr_nonnull(strstr(text(), "  0 %  0/0 days  -  --:-- left"));
}
END_TEST

START_TEST(json_lines_are_json)
{
    struct sst_progress progress = start(SST_PROGRESS_JSON, true, 80);
    sst_progress_begin(&progress, "read", "days", 4000);
    clock_seconds += 0.5;
    sst_progress_update(&progress, 5, 100, 200);
    ck_assert_str_eq(text(), "");
    clock_seconds += 1.5;
    sst_progress_update(&progress, 10, 100, 400);
    sst_progress_end(&progress);
    ck_assert_uint_eq(count("\n"), 2);
    json_error_t failure;
    json_t *line = json_loads(text(), JSON_DISABLE_EOF_CHECK, &failure);
    ck_assert_msg(line != NULL, "%s", failure.text);
    ck_assert_str_eq(json_string_value(json_object_get(line, "stage")), "read");
    ck_assert_int_eq(json_integer_value(json_object_get(line, "done")), 10);
    ck_assert_int_eq(json_integer_value(json_object_get(line, "bytes_total")), 4000);
    ck_assert(json_number_value(json_object_get(line, "rate_per_s")) == 200.0);
    ck_assert(json_number_value(json_object_get(line, "left_s")) == 18.0);
    ck_assert(json_is_false(json_object_get(line, "is_end")));
    json_decref(line);
    line = json_loads(strchr(text(), '\n'), JSON_DISABLE_EOF_CHECK, &failure);
    ck_assert_msg(line != NULL, "%s", failure.text);
    ck_assert(json_is_true(json_object_get(line, "is_end")));
    json_decref(line);
}
END_TEST

START_TEST(a_request_gives_one_status_line_in_every_mode)
{
    struct sst_progress progress = start(SST_PROGRESS_NONE, true, 80);
    sst_progress_begin(&progress, "read", "days", 1000);
    clock_seconds += 100.0;
    sst_progress_update(&progress, 1, 10, 100);
    ck_assert_str_eq(text(), "");
    is_status_wanted = true;
    sst_progress_update(&progress, 2, 10, 200);
    sst_progress_update(&progress, 3, 10, 300);
    sst_progress_end(&progress);
    ck_assert_uint_eq(count("\n"), 1);
    ck_assert_ptr_nonnull(strstr(text(), "read: 20 %, 2 of 10 days"));
}
END_TEST

START_TEST(quiet_means_no_progress_unless_it_is_asked_for)
{
    sink.level = SST_LOG_WARN;
    ck_assert_int_eq(start(SST_PROGRESS_AUTO, true, 80).mode, SST_PROGRESS_NONE);
    ck_assert_int_eq(start(SST_PROGRESS_PLAIN, true, 80).mode, SST_PROGRESS_PLAIN);
}
END_TEST

START_TEST(a_log_line_wipes_the_bar_first)
{
    struct sst_progress progress = start(SST_PROGRESS_BAR, true, 80);
    sst_progress_begin(&progress, "read", "days", 1000);
    clock_seconds += 1.0;
    sst_progress_update(&progress, 5, 10, 500);
    ck_assert(sink.bar_is_drawn);
    sst_log_warn(&sink, "a.nc: %s: odd", "sst");
    ck_assert(!sink.bar_is_drawn);
    ck_assert_ptr_nonnull(strstr(text(), "left\033[K\r\033[Ksststream: warning: a.nc: sst: odd\n"));
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("progress");
    TCase *tc = tcase_create("all");
    tcase_add_checked_fixture(tc, open_sink, close_sink);
    tcase_add_test(tc, plain_says_one_line_every_30_seconds_and_no_carriage_return);
    tcase_add_test(tc, a_short_stage_says_nothing_in_a_log);
    tcase_add_test(tc, a_bar_asked_for_without_a_terminal_is_plain);
    tcase_add_test(tc, a_bar_is_drawn_at_most_ten_times_a_second);
    tcase_add_loop_test(tc, a_bar_never_reaches_the_last_column, 0, (int)(sizeof widths / sizeof *widths));
    tcase_add_test(tc, the_bar_fills_with_the_share);
    tcase_add_test(tc, the_share_is_the_smaller_of_bytes_and_items);
    tcase_add_test(tc, nothing_is_known_at_the_start);
    tcase_add_test(tc, json_lines_are_json);
    tcase_add_test(tc, a_request_gives_one_status_line_in_every_mode);
    tcase_add_test(tc, quiet_means_no_progress_unless_it_is_asked_for);
    tcase_add_test(tc, a_log_line_wipes_the_bar_first);
    suite_add_tcase(suite, tc);
    return suite;
}
