/*
 * Whole runs, from the command line to the finished files, in which one thing goes wrong: the n-th allocation, a full
 * disk, the n-th file that changed since it was scanned. The linker sends the allocator's calls through here (--wrap).
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/options.h"
#include "archive.h"
#include "crash_scale.h"
#include "stream/reader.h"
#include "test_main.h"
#include "write/clim_nc.h"

/* HDF5 1.10 itself loses 264 bytes with each file that it could not close. What the run loses is counted below. */
const char *__lsan_default_suppressions(void);
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void) { return "leak:libhdf5"; }

/* --- the allocator ------------------------------------------------------------------------------------------------ */

enum { MAX_LIVE = 4096 };

static long n_calls, failing_call; /* from 1; 0 = none fails */
static void *live[MAX_LIVE]; /* blocks of the run; those that a library gave away and the run frees are not in it */
static int n_live;
static bool is_counting;

static bool must_fail(void) { return is_counting && ++n_calls == failing_call; }

static void *counted(void *memory)
{
    if (is_counting && memory && n_live < MAX_LIVE)
        live[n_live++] = memory;
    return memory;
}

static void forget(const void *memory)
{
    for (int i = n_live - 1; i >= 0; --i) {
        if (live[i] == memory) {
            live[i] = live[--n_live];
            return;
        }
    }
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **out, size_t alignment, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **out, size_t alignment, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *memory);

void *__wrap_malloc(size_t size) { return must_fail() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t count, size_t size) { return must_fail() ? NULL : counted(__real_calloc(count, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return must_fail() ? NULL : counted(__real_aligned_alloc(alignment, size));
}

int __wrap_posix_memalign(void **out, size_t alignment, size_t size)
{
    if (must_fail())
        return ENOMEM;
    const int code = __real_posix_memalign(out, alignment, size);
    if (code == 0)
        (void)counted(*out);
    return code;
}

char *__wrap_strdup(const char *text) { return must_fail() ? NULL : counted(__real_strdup(text)); }

void *__wrap_realloc(void *old, size_t size)
{
    if (must_fail())
        return NULL;
    void *memory = __real_realloc(old, size);
    if (memory)
        forget(old);
    return counted(memory);
}

void __wrap_free(void *memory)
{
    forget(memory);
    __real_free(memory);
}

/* --- a run -------------------------------------------------------------------------------------------------------- */

enum { EXIT_DONE = 0, EXIT_NOMEM = 1, EXIT_OUTPUT = 4, EXIT_INCOMPLETE = 6, MAX_ARGUMENTS = 32, MAX_TEXT = 16384 };
enum { DAYS_OF_2000 = 366 };

/* What a run came to. */
struct outcome {
    int exit_code;
    char text[MAX_TEXT]; /* what it said */
};

static struct archive inputs;
static const char *out_folder, *clim_path;

/* A command line (texts separated by blanks, OUT standing for the folder of outputs, CLIM for a climatology) as main() does it. */
static struct outcome run_program(const char *command_line)
{
    char program[] = "sststream";
    struct outcome outcome = {0};
    struct sst_options options;
    struct sst_error err = {0};
    struct sst_log log;
    char *said = NULL, *arguments[MAX_ARGUMENTS] = {program}, words[4096], *rest = NULL;
    char paths[MAX_ARGUMENTS][512];
    int n = 1;
    size_t n_said = 0;
    FILE *stream = open_memstream(&said, &n_said);
    (void)snprintf(words, sizeof words, "%s", command_line);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const bool is_out = strncmp(word, "OUT/", 4) == 0, is_clim = strcmp(word, "CLIM") == 0;
        (void)snprintf(paths[n], sizeof paths[n], "%s%s", is_out ? out_folder : "",
                       is_out    ? word + 3
                       : is_clim ? clim_path
                                 : word);
        arguments[n] = paths[n];
        ++n;
    }
    arguments[n++] = inputs.folder;
    sst_log_init(&log, stream);
    is_counting = true;
    enum sst_status rc = sst_options_parse(n, arguments, &options, &err);
    if (rc == SST_OK) {
        options.log = &log;
        outcome.exit_code = options.command == SST_COMMAND_DETECT ? cmd_detect(&options) : cmd_run(&options);
    } else {
        sst_log_failure(&log, &err);
        outcome.exit_code = sst_status_exit_code(rc);
    }
    sst_options_clear(&options);
    is_counting = false;
    (void)fclose(stream);
    (void)snprintf(outcome.text, sizeof outcome.text, "%s", said);
    __real_free(said);
    return outcome;
}

/* Entries of the folder of outputs, which it empties; none may be a temporary one. */
static int clean_outputs(void)
{
    int n_entries = 0;
    DIR *folder = opendir(out_folder);
    ck_assert_ptr_nonnull(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        ck_assert_msg(strstr(entry->d_name, ".tmp.") == NULL, "left behind: %s", entry->d_name);
        n_entries += entry->d_name[0] != '.';
    }
    (void)closedir(folder);
    ck_assert_int_eq(system(test_path("rm -rf '%s' && mkdir '%s'", out_folder, out_folder)), 0);
    return n_entries;
}

#define COMMON "--baseline 2000-2001 --window 3 --threads 1 --leap hobday "

/* Seven days of January 2000 and 2001 in a file each year, one of them doubled by a third file. */
static void make_inputs(void)
{
    inputs = archive_new("inputs");
    archive_add(&inputs, "a.nc", (struct day_file){.has_ice = true, .title = "small"}, 10, 7);
    archive_add(&inputs, "b.nc", (struct day_file){.has_ice = true, .steps_per_chunk = 4}, DAYS_OF_2000 + 10, 7);
    archive_add(&inputs, "c.nc", (struct day_file){.has_ice = true, .south_last = true}, 12, 1);
    day_file_write_text(archive_add_path(&inputs, "d.nc"), "no netCDF");
    out_folder = strdup(test_path("%s/out", test_scratch_dir()));
    ck_assert_int_eq(system(test_path("mkdir '%s'", out_folder)), 0);
    clim_path = strdup(test_path("%s/clim.nc", test_scratch_dir()));
    const struct outcome outcome = run_program(COMMON "--doy 12-16 --smooth 0 --percentile 90 -o OUT/clim.nc");
    ck_assert_msg(outcome.exit_code == EXIT_DONE, "%s", outcome.text);
    ck_assert_int_eq(rename(test_path("%s/clim.nc", out_folder), clim_path), 0);
}

static void remove_inputs(void)
{
    ck_assert_int_eq(system(test_path("rm -rf '%s' '%s' '%s'", inputs.folder, out_folder, clim_path)), 0);
    __real_free((void *)(uintptr_t)out_folder);
    __real_free((void *)(uintptr_t)clim_path);
}

struct kind_of_run {
    const char *command_line;
    int n_outputs;
    long stride; /* every allocation, or every many where the way is much the same */
};

static const struct kind_of_run kinds[] = {
    {COMMON "--doy 13-15 --smooth 3 --approx cf --validate 100% --percentile 90,10 -o OUT/clim.nc", 1, 1},
    {COMMON
     "--doy 13-14 --smooth 3 --approx maxent --validate 100% --correct --repair -o OUT/clim.nc --report OUT/r.html",
     3, 41},
    {COMMON "--doy 12-16 --smooth 0 --approx none -o OUT/clim.nc --bbox 0,-90,180,90", 1, 3},
    {COMMON "--doy 13-14 --smooth 0 --approx none -o OUT/split --split", 1, 3},
    {"detect --clim CLIM --threads 1 --min-duration 1 --max-gap 0 -o OUT/mhw.nc --events OUT/events.csv", 2, 3},
};
enum {
    N_KINDS = sizeof kinds / sizeof kinds[0],
    MAX_CALLS = 20000,
    LEAST_CALLS = 200,
    MAX_DONE_WITHOUT = 16,
    ID_LENGTH = 32
};

/* The line of the summary that names the climatology: inputs, policy and values are the same where it is. */
static void expect_same_id(const struct outcome *outcome, const struct outcome *good)
{
    const char *id = strstr(outcome->text, "\nid "), *good_id = strstr(good->text, "\nid ");
    if (!id && !good_id)
        return; /* of detect, which makes none */
    ck_assert(id && good_id && strncmp(id, good_id, strlen("\nid         ") + ID_LENGTH) == 0);
}

START_TEST(whichever_allocation_fails_the_run_ends_cleanly_and_leaves_nothing)
{
    const struct kind_of_run *kind = &kinds[_i];
    const long stride = kind->stride * (crash_is_least() ? 5 : 1);
    int n_outputs = 0, n_done_without = 0;
    failing_call = 0;
    const struct outcome good = run_program(kind->command_line);
    ck_assert_msg(good.exit_code == EXIT_DONE, "%s", good.text);
    ck_assert_int_eq(clean_outputs(), kind->n_outputs);
    for (failing_call = 1; failing_call < MAX_CALLS; failing_call += stride) {
        n_calls = n_live = 0;
        const struct outcome outcome = run_program(kind->command_line);
        n_outputs = clean_outputs();
        ck_assert_msg(n_live == 0, "allocation %ld: %d blocks leaked: %s", failing_call, n_live, outcome.text);
        if (n_calls < failing_call)
            break;
        if (outcome.exit_code == EXIT_DONE) { /* memory that is only kept to be used again may be wanting */
            expect_same_id(&outcome, &good);
            ck_assert_int_eq(n_outputs, kind->n_outputs);
            ++n_done_without;
            continue;
        }
        ck_assert_msg(outcome.exit_code == EXIT_NOMEM, "allocation %ld: exit code %d: %s", failing_call,
                      outcome.exit_code, outcome.text);
        ck_assert_msg(strstr(outcome.text, "memory") != NULL, "allocation %ld: %s", failing_call, outcome.text);
        /* The summary is said once the climatology is in its place; after that only the report may be wanting. */
        ck_assert_msg(n_outputs == (strstr(outcome.text, "\nid ") != NULL), "allocation %ld: %d outputs: %s",
                      failing_call, n_outputs, outcome.text);
    }
    ck_assert_int_gt(failing_call, LEAST_CALLS);
    ck_assert_int_lt(failing_call, MAX_CALLS);
    ck_assert_int_le(n_done_without, MAX_DONE_WITHOUT);
    ck_assert_int_eq(n_outputs, kind->n_outputs);
    failing_call = 0;
}
END_TEST

/* --- the disk ----------------------------------------------------------------------------------------------------- */

static struct outcome run_with_file_limit(const char *command_line, rlim_t limit)
{
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit tight = {limit, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &tight), 0);
    const struct outcome outcome = run_program(command_line);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    return outcome;
}

START_TEST(a_full_disk_ends_the_run_and_leaves_nothing)
{
    static const rlim_t limits[] = {0, 100, 4096, 12000};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; ++i) {
        n_live = 0;
        const struct outcome outcome = run_with_file_limit(kinds[_i].command_line, limits[i]);
        ck_assert_msg(outcome.exit_code == EXIT_OUTPUT, "limit %zu: exit code %d: %s", (size_t)limits[i],
                      outcome.exit_code, outcome.text);
        ck_assert_msg(strstr(outcome.text, out_folder) != NULL, "the file is not named: %s", outcome.text);
        ck_assert_int_eq(n_live, 0);
        ck_assert_int_eq(clean_outputs(), 0);
    }
}
END_TEST

START_TEST(places_that_are_no_files_are_refused)
{
    struct outcome outcome = run_program(COMMON "--doy 13-14 --smooth 0 -O -o /dev/full");
    ck_assert_int_eq(outcome.exit_code, EXIT_OUTPUT);
    ck_assert_msg(strstr(outcome.text, "/dev/full: this is not an ordinary file") != NULL, "%s", outcome.text);
    outcome = run_program(COMMON "--doy 13-14 --smooth 0 -O -o OUT/clim.nc --report /dev/full");
    ck_assert_int_eq(outcome.exit_code, EXIT_OUTPUT);
    ck_assert_msg(strstr(outcome.text, "/dev/full: this is not an ordinary file") != NULL, "%s", outcome.text);
    ck_assert_int_eq(clean_outputs(), 0);
}
END_TEST

/* --- files that change between the scan and the reading ----------------------------------------------------------- */

enum { N_FILES = 6, N_WAYS = 4 };

/* What can happen to a file meanwhile. */
static void spoil(const char *path, int way)
{
    const struct day_file other_grid = {.days = (const int[]){0}, .n_days = 1, .n_lat = 5};
    if (way == 0)
        ck_assert_int_eq(unlink(path), 0);
    else if (way == 1)
        ck_assert_int_eq(truncate(path, 200), 0);
    else if (way == 2)
        day_file_write_text(path, "<html>gone</html>");
    else
        day_file_write(path, &other_grid);
}

struct sums {
    size_t n_slots;
    unsigned n_obs[N_FILES + 1]; /* by slot, of the first cell */
};

static enum sst_status take_slot(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct sums *sums = user;
    ++sums->n_slots;
    sums->n_obs[result->slot] = result->n_obs[0];
    return SST_OK;
}

/* Scans six days of a year, spoils the n-th file, then runs the engine over them, each day a pool of its own. */
static enum sst_status run_spoiled(int nth, int way, bool stop, struct sums *sums, struct sst_error *err)
{
    static int n_archives;
    struct archive archive = archive_new(test_path("changing%d", n_archives++));
    struct sst_reader *reader = NULL;
    struct sst_domain domain;
    for (int day = 0; day < N_FILES; ++day)
        archive_add(&archive, test_path("%d.nc", day), (struct day_file){.n_days = 1}, day, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    sst_domain_all(catalog->grid, &domain);
    const struct sst_policy policy = {
        .pools = {.kind = catalog->calendar, .leap = SST_LEAP_OWN, .first_year = 2000, .last_year = 2000},
        .percentiles = {90.0},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = 1,
        .min_samples = 1,
        .first_slot = 1,
        .last_slot = N_FILES};
    const struct sst_reader_options options = {.stop_on_bad = stop, .wants_degc = true};
    const struct sst_slot_sink sink = {.user = sums, .put = take_slot};
    spoil(archive.paths[nth], way);
    ck_assert_int_eq(sst_reader_create(catalog, &domain, &options, &reader, err), SST_OK);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = sst_reader_source(reader),
                                            .n_cells = domain.n_cells};
    const enum sst_status rc = sst_climatology_run(&job, &sink, err);
    if (rc == SST_OK) {
        size_t n_bad = 0;
        const struct sst_day *bad = sst_reader_bad_days(reader, &n_bad);
        ck_assert_uint_eq(n_bad, 1);
        ck_assert_int_eq(bad[0].slot, nth + 1);
        ck_assert_uint_eq(sst_reader_totals(reader)->n_days_read, N_FILES - 1);
        ck_assert_uint_eq(catalog->n_rejects, 1);
        archive_expect_reject(catalog, 0, archive.paths[nth], test_path("2000-01-%02d", nth + 1));
    } else {
        ck_assert_msg(strncmp(err->text, archive.paths[nth], strlen(archive.paths[nth])) == 0, "%s", err->text);
    }
    sst_reader_destroy(&reader);
    sst_catalog_destroy(&catalog);
    return rc;
}

START_TEST(a_file_that_changes_after_the_scan_costs_its_own_day_only)
{
    for (int nth = 0; nth < N_FILES; ++nth) {
        struct sums sums = {0};
        struct sst_error err = {0};
        ck_assert_msg(run_spoiled(nth, _i, false, &sums, &err) == SST_OK, "%s", err.text);
        ck_assert_uint_eq(sums.n_slots, N_FILES);
        for (int slot = 1; slot <= N_FILES; ++slot)
            ck_assert_uint_eq(sums.n_obs[slot], slot != nth + 1);
    }
}
END_TEST

START_TEST(or_it_stops_the_run_where_that_is_asked_for)
{
    struct sums sums = {0};
    struct sst_error err = {0};
    ck_assert_int_ne(run_spoiled(2, _i, true, &sums, &err), SST_OK);
}
END_TEST

Suite *test_suite(void)
{
    sst_clim_prepare_process();
    Suite *suite = suite_create("nth_failure");
    TCase *whole = tcase_create("whole runs");
    tcase_set_timeout(whole, 300);
    tcase_add_checked_fixture(whole, make_inputs, remove_inputs);
    tcase_add_loop_test(whole, whichever_allocation_fails_the_run_ends_cleanly_and_leaves_nothing, 0, N_KINDS);
    tcase_add_loop_test(whole, a_full_disk_ends_the_run_and_leaves_nothing, 0, N_KINDS);
    tcase_add_test(whole, places_that_are_no_files_are_refused);
    suite_add_tcase(suite, whole);
    TCase *reads = tcase_create("reads");
    tcase_add_loop_test(reads, a_file_that_changes_after_the_scan_costs_its_own_day_only, 0, N_WAYS);
    tcase_add_loop_test(reads, or_it_stops_the_run_where_that_is_asked_for, 0, N_WAYS);
    suite_add_tcase(suite, reads);
    return suite;
}
