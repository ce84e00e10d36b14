/*
 * app/job_memory: what a run needs beside what it may take, and what is said where that is too little.
 * ctest-labels: figures
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/job_memory.h"
#include "job_fixture.h"
#include "test_main.h"

static struct job_fixture made;

/* A job of "sststream in.nc LINE" on a machine of 4 cores, on a global grid of n_lat x 2 n_lat cells. */
static enum sst_status settle(const char *line, size_t n_lat, uint64_t usable_bytes)
{
    job_fixture_make(&made, line, usable_bytes, n_lat);
    if (made.job.n_probes > 0)
        made.job.probe_share = 0.01;
    return sst_job_settle_memory(&made.job, &made.err);
}

static void forget(void) { job_fixture_forget(&made); }

#define GIB (UINT64_C(1) << 30)

START_TEST(a_run_that_fits_is_one_pass_of_all_rows)
{
    ck_assert_int_eq(settle("--memory 16G", 720, 32 * GIB), SST_OK);
    ck_assert_uint_eq(made.job.memory_limit_bytes, 16 * GIB);
    ck_assert_uint_eq(made.job.n_passes, 1);
    ck_assert_uint_eq(made.job.pass_rows, 720);
    /* The design's figures, of a sea of 7/10: codes of the window and of the wrap-around, estimates to be smoothed. */
    ck_assert_uint_gt(made.job.peak_bytes, UINT64_C(1500000000));
    ck_assert_uint_lt(made.job.peak_bytes, UINT64_C(3000000000));
    ck_assert_int_eq(settle("", 720, 32 * GIB), SST_OK);
    ck_assert_uint_eq(made.job.memory_limit_bytes, 16 * GIB);
    forget();
}
END_TEST

/* "--memory N OPTIONS" in bytes. */
static enum sst_status settle_in(uint64_t bytes, const char *options_text, size_t n_lat)
{
    char line[256];
    (void)snprintf(line, sizeof line, "--memory %llu %s", (unsigned long long)bytes, options_text);
    return settle(line, n_lat, 64 * GIB);
}

static const char *const kinds[] = {"",
                                    "--smooth 0",
                                    "--approx cf",
                                    "--approx tail --readers 3",
                                    "--approx cf --days 0601-0630",
                                    "--approx maxent --smooth 0 --readers 0 --compress none",
                                    "--split --readers 0"};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

START_TEST(less_memory_is_more_passes_down_to_one_row)
{
    enum { N_LAT = 60 };
    ck_assert_int_eq(settle_in(32 * GIB, kinds[_i], N_LAT), SST_OK);
    ck_assert_uint_eq(made.job.n_passes, 1);
    if (made.job.keeps_slots) { /* at first they wait on the disk instead */
        ck_assert_uint_eq(made.job.scratch_bytes, 0);
        ck_assert_int_eq(settle_in(made.job.peak_bytes, kinds[_i], N_LAT), SST_OK);
        ck_assert(made.job.keeps_slots);
        ck_assert_int_eq(settle_in(made.job.peak_bytes - 1, kinds[_i], N_LAT), SST_OK);
        ck_assert(!made.job.keeps_slots);
        ck_assert_uint_gt(made.job.scratch_bytes, 0);
    }
    const uint64_t whole = made.job.peak_bytes, scratch = made.job.scratch_bytes;
    ck_assert_uint_eq(made.job.n_passes, 1);
    ck_assert_int_eq(settle_in(whole, kinds[_i], N_LAT), SST_OK);
    ck_assert_uint_eq(made.job.n_passes, 1);
    size_t n_passes = 1;
    uint64_t limit = whole - 1;
    while (settle_in(limit, kinds[_i], N_LAT) == SST_OK) {
        ck_assert_uint_gt(made.job.n_passes, 1);
        ck_assert_uint_ge(made.job.n_passes, n_passes);
        ck_assert_uint_eq((N_LAT + made.job.pass_rows - 1) / made.job.pass_rows, made.job.n_passes);
        ck_assert_uint_le(made.job.peak_bytes, limit);
        ck_assert_uint_gt(made.job.scratch_bytes, scratch);
        n_passes = made.job.n_passes;
        limit -= limit / 5;
    }
    ck_assert_uint_gt(n_passes, 1);
    ck_assert_uint_eq(made.job.n_passes, N_LAT);
    ck_assert_uint_eq(made.job.pass_rows, 1);
    forget();
}
END_TEST

/* The number behind a text of the message; 0 where there is none. */
static double number_behind(const char *text)
{
    const char *at = strstr(made.err.text, text);
    return at ? strtod(at + strlen(text), NULL) : 0.0;
}

START_TEST(the_figure_of_a_refusal_is_the_least_that_does)
{
    ck_assert_int_eq(settle_in(UINT64_C(17000000), kinds[_i], 90), SST_ERR_USAGE);
    const double least = 1e6 * number_behind("the run needs at least ");
    ck_assert_msg(least > 17e6 && strstr(made.err.text, " MB, and this is 17 MB.") != NULL, "%s", made.err.text);
    ck_assert_int_eq(settle_in((uint64_t)least, kinds[_i], 90), SST_OK);
    ck_assert_uint_gt(made.job.n_passes, 1);
    ck_assert_int_eq(settle_in((uint64_t)(0.97 * least), kinds[_i], 90), SST_ERR_USAGE);
    forget();
}
END_TEST

/* A remedy that names an option, taken at its word. */
static void try_remedy(const char *option, const char *line, size_t n_lat, uint64_t usable_bytes)
{
    char better[256], message[sizeof made.err.text];
    const char *at = strstr(made.err.text, option);
    if (!at)
        return;
    (void)snprintf(message, sizeof message, "%s", made.err.text);
    (void)snprintf(better, sizeof better, "%s %.*s", line, (int)strcspn(at, "("), at);
    ck_assert_msg(settle(better, n_lat, usable_bytes) == SST_OK, "%s: %s: %s", message, better, made.err.text);
}

START_TEST(readers_take_memory)
{
    ck_assert_int_eq(settle("--memory 16G --readers 1", 720, 32 * GIB), SST_OK);
    const uint64_t one = made.job.peak_bytes;
    ck_assert_int_eq(settle("--memory 16G --readers 3", 720, 32 * GIB), SST_OK);
    const uint64_t three = made.job.peak_bytes;
    ck_assert_int_eq(settle("--memory 16G --readers 0", 720, 32 * GIB), SST_OK);
    const uint64_t none = made.job.peak_bytes;
    ck_assert_uint_gt(one, none);
    ck_assert_uint_gt((three - one) / 2, 2 * 2 * 1440 * 720);
    ck_assert_uint_lt((three - one) / 2, 64000000);
    forget();
}
END_TEST

struct refusal_case {
    const char *line;
    uint64_t usable_bytes;
    size_t n_lat;
    const char *words[3];
    const char *absent; /* NULL = nothing */
};

static const struct refusal_case refusal_cases[] = {
    {"--approx cf --memory 280MB",
     32 * GIB,
     720,
     {"--memory 280MB: the run needs at least 711 MB, and this is 280 MB. Use a smaller --bbox or a larger --memory",
      "", ""},
     NULL},
    {"--memory 38MB --readers 8",
     32 * GIB,
     90,
     {"this is 38 MB. Use a smaller --bbox, a larger --memory", "--readers ", ""},
     NULL},
    {"--memory 40MB --readers 0 --approx tail", 32 * GIB, 90, {"or --approx none (", "", ""}, "--readers"},
    {"--memory 30MB --readers 0 --approx cf --coverage 90",
     32 * GIB,
     90,
     {"Use a smaller --bbox or a larger --memory", "", ""},
     "--approx"},
    {"",
     GIB / 4,
     720,
     {"--memory 50% (the default): the run needs", "this is 134 MB of the 268 MB that it may use. Use a smaller --bbox",
      ""},
     "a larger --memory"},
    {"--memory 50%",
     GIB,
     720,
     {"--memory 50%: the run needs",
      "this is 536 MB of the 1.0 GB that it may use. Use a smaller --bbox or a larger --memory", ""},
     NULL},
    {"--memory 100%",
     GIB / 4,
     720,
     {"this is 268 MB of the 268 MB that it may use. Use a smaller --bbox", "", ""},
     "a larger --memory"},
    {"--memory 25M --readers 8",
     32 * GIB,
     6,
     {"--memory 25M: the run needs at least ", " MB, and this is 26 MB. Use a larger --memory", " or --readers "},
     "--bbox"},
    {"--memory 16M --readers 0", 32 * GIB, 6, {"this is 16 MB. Use a larger --memory", "", ""}, "--readers 0 ("},
    {"--memory 100% --readers 0",
     20 << 20,
     6,
     {"this is 20 MB of the 20 MB that it may use. Use a machine with more memory", "", ""},
     "larger"},
};

START_TEST(a_refusal_says_what_would_do)
{
    const struct refusal_case *expected = &refusal_cases[_i];
    ck_assert_msg(settle(expected->line, expected->n_lat, expected->usable_bytes) == SST_ERR_USAGE,
                  "'%s' was taken: %.0f MB", expected->line, (double)made.job.peak_bytes / 1e6);
    for (int i = 0; i < 3; ++i)
        ck_assert_msg(strstr(made.err.text, expected->words[i]) != NULL, "'%s' gave '%s', not '%s'", expected->line,
                      made.err.text, expected->words[i]);
    ck_assert_msg(!expected->absent || strstr(made.err.text, expected->absent) == NULL, "'%s' gave '%s'",
                  expected->line, made.err.text);
    struct sst_error first = made.err;
    try_remedy("--readers ", expected->line, expected->n_lat, expected->usable_bytes);
    made.err = first;
    try_remedy("--approx ", expected->line, expected->n_lat, expected->usable_bytes);
    forget();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_memory");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_run_that_fits_is_one_pass_of_all_rows);
    tcase_add_loop_test(tc, less_memory_is_more_passes_down_to_one_row, 0, N_KINDS);
    tcase_add_loop_test(tc, the_figure_of_a_refusal_is_the_least_that_does, 0, N_KINDS);
    tcase_add_test(tc, readers_take_memory);
    tcase_add_loop_test(tc, a_refusal_says_what_would_do, 0, (int)(sizeof refusal_cases / sizeof *refusal_cases));
    suite_add_tcase(suite, tc);
    return suite;
}
