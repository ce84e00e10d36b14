/* app/job_memory: what a run needs beside what it may take, and what is said where that is too little. */
#include <stdio.h>
#include <string.h>

#include "app/environment.h"
#include "app/job_memory.h"
#include "regular_grid.h"
#include "test_main.h"

enum { MAX_WORDS = 16 };

static struct sst_options options;
static struct sst_catalog catalog;
static struct sst_job job;
static struct sst_error err;
static char no_ice[] = "";

/* A job of "sststream in.nc LINE" on a machine of 4 cores, on a global grid of n_lat x 2 n_lat cells. */
static enum sst_status settle(const char *line, size_t n_lat, uint64_t usable_bytes)
{
    const struct sst_machine machine = {.n_cores = 4, .memory_bytes = usable_bytes};
    const double step = 180.0 / (double)n_lat;
    char text[512], program[] = "sststream", input[] = "in.nc";
    char *words[MAX_WORDS] = {program, input};
    char *state = NULL;
    int n = 2;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &state); word && n < MAX_WORDS; word = strtok_r(NULL, " ", &state))
        words[n++] = word;
    sst_error_clear(&err);
    sst_options_clear(&options);
    ck_assert_msg(sst_options_parse(n, words, &options, &err) == SST_OK, "%s", err.text);
    ck_assert_int_eq(sst_options_settle(&options, &machine, &err), SST_OK);
    sst_grid_destroy(&catalog.grid);
    catalog.ice_source = no_ice;
    catalog.grid = regular_grid((struct even_axis){-90.0 + step / 2.0, step, n_lat},
                                (struct even_axis){step / 2.0, step, 2 * n_lat});
    memset(&job, 0, sizeof job);
    job.options = &options;
    job.catalog = &catalog;
    sst_domain_all(catalog.grid, &job.domain);
    ck_assert_int_eq(sst_options_policy(&options, SST_CALENDAR_STANDARD, SST_LATTICE_CENTI, &job.policy, &err), SST_OK);
    if (job.policy.approx != SST_APPROX_NONE) {
        job.n_probes = job.domain.n_cells / 100;
        job.probe_share = 0.01;
    }
    return sst_job_settle_memory(&job, &err);
}

static void forget(void)
{
    sst_options_clear(&options);
    sst_grid_destroy(&catalog.grid);
}

#define GIB (UINT64_C(1) << 30)

START_TEST(a_run_that_fits_is_one_pass_of_all_rows)
{
    ck_assert_int_eq(settle("--memory 16G", 720, 32 * GIB), SST_OK);
    ck_assert_uint_eq(job.memory_limit_bytes, 16 * GIB);
    ck_assert_uint_eq(job.n_passes, 1);
    ck_assert_uint_eq(job.pass_rows, 720);
    /* The design's figures: codes of the window and of the wrap-around, estimates to be smoothed. */
    ck_assert_uint_gt(job.peak_bytes, UINT64_C(2000000000));
    ck_assert_uint_lt(job.peak_bytes, UINT64_C(3500000000));
    ck_assert_int_eq(settle("", 720, 32 * GIB), SST_OK);
    ck_assert_uint_eq(job.memory_limit_bytes, 16 * GIB);
    forget();
}
END_TEST

START_TEST(the_limit_itself_is_allowed)
{
    char line[64];
    ck_assert_int_eq(settle("--memory 16G", 90, 32 * GIB), SST_OK);
    const uint64_t peak = job.peak_bytes;
    (void)snprintf(line, sizeof line, "--memory %llu", (unsigned long long)peak);
    ck_assert_int_eq(settle(line, 90, 32 * GIB), SST_OK);
    (void)snprintf(line, sizeof line, "--memory %llu", (unsigned long long)(peak - 1));
    ck_assert_int_eq(settle(line, 90, 32 * GIB), SST_ERR_USAGE);
    forget();
}
END_TEST

START_TEST(readers_take_memory)
{
    ck_assert_int_eq(settle("--memory 16G --readers 1", 720, 32 * GIB), SST_OK);
    const uint64_t one = job.peak_bytes;
    ck_assert_int_eq(settle("--memory 16G --readers 3", 720, 32 * GIB), SST_OK);
    const uint64_t three = job.peak_bytes;
    ck_assert_int_eq(settle("--memory 16G --readers 0", 720, 32 * GIB), SST_OK);
    const uint64_t none = job.peak_bytes;
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
    {"--approx cf --memory 4500MB",
     32 * GIB,
     720,
     {"--memory 4500MB: the run needs at least 4.6 GB, and this is 4.5 GB. Use a smaller --bbox, a larger --memory, "
      "--readers ",
      " (4.5 GB), or --approx none (3.4 GB)", ""},
     NULL},
    {"--approx cf --memory 4G --readers 0",
     32 * GIB,
     720,
     {"and this is 4.2 GB. Use a smaller --bbox, a larger --memory, or --approx none (3.2 GB)", "", ""},
     "readers"},
    {"--approx cf --repair --memory 4G --readers 0", 32 * GIB, 720, {", or --approx tail (4.0 GB)", "", ""}, NULL},
    {"--approx cf --coverage 90 --memory 4G --readers 0",
     32 * GIB,
     720,
     {"Use a smaller --bbox or a larger --memory", "", ""},
     "--approx"},
    {"--memory 4550MB --baseline 1960-2020 --readers 0",
     32 * GIB,
     720,
     {", or --approx maxent (4.5 GB)", "", ""},
     NULL},
    {"--memory 4550MB --baseline 1960-2020 --readers 0 --percentile 50",
     32 * GIB,
     720,
     {", or --approx cf (4.5 GB)", "", ""},
     NULL},
    {"",
     4 * GIB,
     720,
     {"--memory 50% (the default): the run needs", "this is 2.1 GB of the 4.2 GB that it may use. Use",
      "larger --memory"},
     NULL},
    {"--memory 90%",
     2 * GIB,
     720,
     {"--memory 90%: the run needs", "this is 1.9 GB of the 2.1 GB that it may use. Use a smaller --bbox", ""},
     NULL},
    {"--memory 100%",
     1 * GIB,
     720,
     {"this is 1.0 GB of the 1.0 GB that it may use. Use a smaller --bbox", "", ""},
     "a larger --memory"},
    {"--memory 100M --readers 8",
     32 * GIB,
     6,
     {"--memory 100M: the run needs at least 155 MB, and this is 104 MB. Use a larger --memory or --readers 3 (95 MB)",
      "", ""},
     "--bbox"},
    {"--memory 16M --readers 0", 32 * GIB, 6, {"this is 16 MB. Use a larger --memory", "", ""}, "--readers 0 ("},
    {"--memory 100% --readers 0",
     30 << 20,
     6,
     {"this is 31 MB of the 31 MB that it may use. Use a machine with more memory", "", ""},
     "larger"},
};

START_TEST(a_refusal_says_what_would_do)
{
    const struct refusal_case *expected = &refusal_cases[_i];
    ck_assert_msg(settle(expected->line, expected->n_lat, expected->usable_bytes) == SST_ERR_USAGE,
                  "'%s' was taken: %.0f MB", expected->line, (double)job.peak_bytes / 1e6);
    for (int i = 0; i < 3; ++i)
        ck_assert_msg(strstr(err.text, expected->words[i]) != NULL, "'%s' gave '%s', not '%s'", expected->line,
                      err.text, expected->words[i]);
    ck_assert_msg(!expected->absent || strstr(err.text, expected->absent) == NULL, "'%s' gave '%s'", expected->line,
                  err.text);
    forget();
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("job_memory");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_run_that_fits_is_one_pass_of_all_rows);
    tcase_add_test(tc, the_limit_itself_is_allowed);
    tcase_add_test(tc, readers_take_memory);
    tcase_add_loop_test(tc, a_refusal_says_what_would_do, 0, (int)(sizeof refusal_cases / sizeof *refusal_cases));
    suite_add_tcase(suite, tc);
    return suite;
}
