/* app/option_machine, app/environment: threads, readers and memory that follow from the machine where none are given. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/environment.h"
#include "app/options.h"
#include "test_main.h"

enum { MAX_WORDS = 12 };

#define GIB (UINT64_C(1) << 30)

static struct sst_options options;
static struct sst_error err;
static const struct sst_machine machine = {.n_cores = 4, .memory_bytes = 8 * GIB};

/* Parses "sststream " + line and settles it on a machine. */
static enum sst_status settle(const char *line, const struct sst_machine *on)
{
    char text[512];
    char program[] = "sststream";
    char *words[MAX_WORDS + 1] = {program};
    char *state = NULL;
    int n = 1;
    (void)snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok_r(text, " ", &state); word && n < MAX_WORDS; word = strtok_r(NULL, " ", &state))
        words[n++] = word;
    sst_error_clear(&err);
    sst_options_clear(&options);
    ck_assert_msg(sst_options_parse(n, words, &options, &err) == SST_OK, "%s", err.text);
    return sst_options_settle(&options, on, &err);
}

struct settled_case {
    const char *line;
    struct sst_machine on;
    int n_threads, n_readers;
    uint64_t memory_bytes;
    size_t n_warnings;
};

static const struct settled_case settled_cases[] = {
    {"in.nc", {4, 0, 8 * GIB, false}, 4, 4, 4 * GIB, 0},
    {"plan in.nc", {64, 0, 8 * GIB, false}, 64, 8, 4 * GIB, 0},
    {"in.nc", {1, 0, 8 * GIB, false}, 1, 1, 4 * GIB, 0},
    {"in.nc", {5000, 0, 8 * GIB, false}, SST_MAX_THREADS, 8, 4 * GIB, 0},
    {"in.nc -P 2", {64, 3, 8 * GIB, false}, 2, 8, 4 * GIB, 0},
    {"in.nc --readers 0", {64, 0, 8 * GIB, false}, 64, 0, 4 * GIB, 0},
    {"in.nc --readers 8", {2, 0, 8 * GIB, false}, 2, 8, 4 * GIB, 0},
    /* OMP_NUM_THREADS says what the user wants of threads, and nothing of processes. */
    {"in.nc", {4, 2, 8 * GIB, false}, 2, 4, 4 * GIB, 0},
    {"in.nc", {4, 16, 8 * GIB, false}, 16, 4, 4 * GIB, 0},
    {"synth -o d", {4, 2, 8 * GIB, false}, 4, 4, 4 * GIB, 0},
    /* memory */
    {"in.nc --memory 25%", {4, 0, 8 * GIB, false}, 4, 4, 2 * GIB, 0},
    {"in.nc --memory 100%", {4, 0, 8 * GIB, false}, 4, 4, 8 * GIB, 0},
    {"in.nc --memory 3G", {4, 0, 8 * GIB, false}, 4, 4, 3 * GIB, 0},
    {"in.nc --memory 8G", {4, 0, 8 * GIB, false}, 4, 4, 8 * GIB, 0},
    {"in.nc --memory 9G", {4, 0, 8 * GIB, false}, 4, 4, 9 * GIB, 1},
    {"in.nc --memory 9G", {4, 0, UINT64_MAX, false}, 4, 4, 9 * GIB, 0},
    {"in.nc", {4, 0, 1 << 20, false}, 4, 4, 1 << 19, 0},
    /* an odd SLURM_CPUS_PER_TASK matters where it would have been heeded */
    {"in.nc", {4, 0, 8 * GIB, true}, 4, 4, 4 * GIB, 1},
    {"in.nc -P 2", {4, 0, 8 * GIB, true}, 2, 4, 4 * GIB, 1},
    {"in.nc -P 2 --readers 1", {4, 0, 8 * GIB, true}, 2, 1, 4 * GIB, 0},
};

START_TEST(what_is_not_given_follows_from_the_machine)
{
    const struct settled_case *expected = &settled_cases[_i];
    ck_assert_msg(settle(expected->line, &expected->on) == SST_OK, "%s: %s", expected->line, err.text);
    ck_assert_int_eq(options.n_threads, expected->n_threads);
    ck_assert_int_eq(options.n_readers, expected->n_readers);
    ck_assert_uint_eq(options.memory_bytes, expected->memory_bytes);
    ck_assert_uint_eq(options.usable_bytes, expected->on.memory_bytes);
    ck_assert_uint_eq(options.n_warnings, expected->n_warnings);
    sst_options_clear(&options);
}
END_TEST

START_TEST(memory_that_is_unknown_is_no_limit)
{
    const struct sst_machine unknown = {.n_cores = 4, .memory_bytes = UINT64_MAX};
    ck_assert_int_eq(settle("in.nc", &unknown), SST_OK);
    ck_assert_uint_eq(options.memory_bytes, 0);
    ck_assert_int_eq(settle("in.nc --memory 50%", &unknown), SST_ERR_USAGE);
    ck_assert_str_eq(err.text,
                     "--memory 50%: the system does not tell how much this process may use. Give bytes, as 4G");
    sst_options_clear(&options);
}
END_TEST

START_TEST(refusals_and_warnings_name_what_to_do)
{
    const struct sst_machine odd = {.n_cores = 4, .memory_bytes = 8 * GIB, .schedule_is_odd = true};
    ck_assert_int_eq(settle("in.nc --memory 0.1%", &machine), SST_ERR_USAGE);
    ck_assert_str_eq(err.text,
                     "--memory 0.1%: is 8.6 MB of the 8589.9 MB that this process may use, too little for any "
                     "run. Accepted: at least 16M");
    ck_assert_int_eq(settle("in.nc --memory 16G", &machine), SST_OK);
    ck_assert_str_eq(options.warnings[0], "--memory: more than this process may use, so the system may end the run. "
                                          "Give less, or leave it out for half of that");
    ck_assert_int_eq(settle("in.nc", &odd), SST_OK);
    ck_assert_str_eq(options.warnings[0], "SLURM_CPUS_PER_TASK: not a number of processors, so it is not heeded. Unset "
                                          "it, or give --threads and --readers");
    sst_options_clear(&options);
}
END_TEST

struct count_case {
    const char *text; /* NULL = not set */
    int n;
    bool is_odd; /* as SLURM_CPUS_PER_TASK */
};

static const struct count_case scheduled_cases[] = {
    {NULL, 0, false}, {"", 0, false},    {"8", 8, false},          {"0", 0, true},
    {"-1", 0, true},  {"8x", 0, true},   {" 8", 0, true},          {"8,4", 0, true},
    {"4.5", 0, true}, {"many", 0, true}, {"99999999999", 0, true}, {"0016", 16, false},
};

static const struct count_case openmp_cases[] = {
    {NULL, 0, false}, {"", 0, false},   {"8", 8, false},   {"4,2", 4, false},
    {" 3", 3, false}, {"-1", 0, false}, {"all", 0, false}, {"8x", 0, false},
};

static void set_variable(const char *name, const char *text)
{
    ck_assert_int_eq(text ? setenv(name, text, 1) : unsetenv(name), 0);
}

START_TEST(a_schedule_is_digits_or_not_heeded)
{
    static const char name[] = "SLURM_CPUS_PER_TASK";
    bool is_odd = false;
    set_variable(name, scheduled_cases[_i].text);
    ck_assert_int_eq(sst_environment_scheduled_cpus(&is_odd), scheduled_cases[_i].n);
    ck_assert(is_odd == scheduled_cases[_i].is_odd);
    set_variable(name, "1");
    ck_assert_int_eq(sst_environment_machine().n_cores, 1);
    set_variable(name, "?");
    ck_assert(sst_environment_machine().schedule_is_odd);
    set_variable(name, NULL);
    ck_assert(!sst_environment_machine().schedule_is_odd);
}
END_TEST

START_TEST(openmp_counts_by_its_first_number)
{
    static const char name[] = "OMP_NUM_THREADS";
    set_variable(name, openmp_cases[_i].text);
    ck_assert_int_eq(sst_environment_openmp_threads(), openmp_cases[_i].n);
    ck_assert_int_eq(sst_environment_machine().n_openmp_threads, openmp_cases[_i].n);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("option_machine");
    TCase *tc = tcase_create("all");
    tcase_add_loop_test(tc, what_is_not_given_follows_from_the_machine, 0,
                        (int)(sizeof settled_cases / sizeof *settled_cases));
    tcase_add_test(tc, memory_that_is_unknown_is_no_limit);
    tcase_add_test(tc, refusals_and_warnings_name_what_to_do);
    tcase_add_loop_test(tc, a_schedule_is_digits_or_not_heeded, 0,
                        (int)(sizeof scheduled_cases / sizeof *scheduled_cases));
    tcase_add_loop_test(tc, openmp_counts_by_its_first_number, 0, (int)(sizeof openmp_cases / sizeof *openmp_cases));
    suite_add_tcase(suite, tc);
    return suite;
}
