/*
 * Readers that are killed, at whatever moment, change no field and cost no file.
 * ctest-labels: threads
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "archive.h"
#include "random.h"
#include "stream/crew.h"
#include "stream/reader.h"
#include "stream/serve.h"
#include "stream/steps_private.h"
#include "test_main.h"

enum { N_SINGLE = 100, N_CHUNKED = 150, N_DAYS = N_SINGLE + N_CHUNKED, N_KILLS = 100, N_READERS = 4 };

/* All fields of an archive, by entry. */
struct fields {
    int16_t codes[N_DAYS][DAY_FILE_N_CELLS];
    uint8_t ice[N_DAYS][DAY_FILE_N_CELLS];
    struct sst_step_outcome outcomes[N_DAYS];
};

/* Days of one file each, deflated or not, and of one whose chunks span many. */
static struct archive make_archive(void)
{
    static int n_made;
    struct archive archive = archive_new(test_path("deaths%d", n_made++));
    for (int day = 0; day < N_SINGLE; ++day)
        archive_add(&archive, test_path("d%03d.nc", day), (struct day_file){.deflated = day % 2 != 0, .has_ice = true},
                    day, 1);
    archive_add(&archive, "years.nc", (struct day_file){.steps_per_chunk = 6, .has_ice = true}, N_SINGLE, N_CHUNKED);
    return archive;
}

struct bench {
    struct sst_catalog *catalog;
    struct sst_domain domain;
    struct sst_reader_options options;
    struct sst_steps *steps;
};

static void open_bench(struct bench *bench, const struct archive *archive, const struct sst_reader_crew *crew)
{
    struct sst_error err = {SST_OK, ""};
    bench->catalog = archive_scan(archive);
    bench->options = (struct sst_reader_options){.crew = crew};
    ck_assert_uint_eq(bench->catalog->n_entries, N_DAYS);
    sst_domain_all(bench->catalog->grid, &bench->domain);
    ck_assert_int_eq(sst_steps_create(bench->catalog, &bench->domain, &bench->options, &bench->steps, &err), SST_OK);
}

static void close_bench(struct bench *bench)
{
    sst_steps_destroy(&bench->steps);
    sst_catalog_destroy(&bench->catalog);
}

/* What was in hand when a reader was killed last: a task whose reader dies twice is a bad file, so all of it comes first. */
struct killer {
    struct test_random random;
    uint8_t was_in_hand[N_DAYS];
    int n_killed;
};

static bool may_kill(struct killer *killer, const struct sst_steps *steps)
{
    bool may = true;
    for (size_t entry = 0; entry < N_DAYS; ++entry) {
        killer->was_in_hand[entry] = killer->was_in_hand[entry] && steps->is_in_hand[entry];
        may = may && !killer->was_in_hand[entry];
    }
    return may && test_random_below(&killer->random, 2) == 0;
}

static void kill_one(struct killer *killer, const struct sst_crew *crew, const struct sst_steps *steps)
{
    int pids[N_READERS];
    const int n = sst_crew_pids(crew, pids, N_READERS);
    if (n == 0 || !may_kill(killer, steps))
        return;
    killer->n_killed += kill(pids[test_random_below(&killer->random, n)], SIGKILL) == 0;
    memcpy(killer->was_in_hand, steps->is_in_hand, N_DAYS);
}

static void copy_field(struct bench *bench, size_t entry, struct fields *out)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_step *step = NULL;
    ck_assert_msg(sst_steps_take(bench->steps, entry, &step, &err) == SST_OK, "%s", err.text);
    memcpy(out->codes[entry], step->codes, sizeof out->codes[0]);
    memcpy(out->ice[entry], step->ice, sizeof out->ice[0]);
    memcpy(&out->outcomes[entry], &step->outcome, sizeof step->outcome);
    sst_steps_give_back(bench->steps, &step);
}

static void expect_fields(const struct fields *got, const struct fields *want)
{
    ck_assert_mem_eq(got->codes, want->codes, sizeof want->codes);
    ck_assert_mem_eq(got->ice, want->ice, sizeof want->ice);
    for (size_t entry = 0; entry < N_DAYS; ++entry) {
        ck_assert_uint_eq(got->outcomes[entry].digest, want->outcomes[entry].digest);
        ck_assert_uint_eq(got->outcomes[entry].stats.n_valid, want->outcomes[entry].stats.n_valid);
        ck_assert_int_eq(got->outcomes[entry].has_ice, want->outcomes[entry].has_ice);
    }
}

/* Reads all fields while readers die, in the expected order or against it. */
static void read_among_deaths(struct bench *bench, const struct sst_crew *crew, struct killer *killer,
                              struct fields *out)
{
    const bool is_backwards = test_random_below(&killer->random, 2) == 1;
    memset(killer->was_in_hand, 0, sizeof killer->was_in_hand);
    for (size_t i = 0; i < N_DAYS; ++i) {
        kill_one(killer, crew, bench->steps);
        copy_field(bench, is_backwards ? N_DAYS - 1 - i : i, out);
    }
}

START_TEST(readers_killed_at_random_change_no_field)
{
    struct archive archive = make_archive();
    struct fields *want = calloc(1, sizeof *want), *got = calloc(1, sizeof *got);
    struct sst_reader_crew crew = {.n_readers = N_READERS, .is_short = _i == 1, .task_seconds = 60.0};
    struct sst_error err = {SST_OK, ""};
    struct killer killer = {.random = {2026}};
    struct bench bench;
    uint32_t expected[N_DAYS];
    size_t n_deaths = 0;
    ck_assert(want && got);
    ck_assert_int_eq(sst_crew_launch(&sst_serve, &crew.crew, &err), SST_OK);
    open_bench(&bench, &archive, NULL);
    for (uint32_t entry = 0; entry < N_DAYS; ++entry) {
        copy_field(&bench, entry, want);
        expected[entry] = entry;
    }
    close_bench(&bench);
    while (killer.n_killed < N_KILLS) {
        memset(got, 0, sizeof *got);
        open_bench(&bench, &archive, &crew);
        ck_assert_int_eq(sst_steps_expect(bench.steps, expected, N_DAYS, &err), SST_OK);
        read_among_deaths(&bench, crew.crew, &killer, got);
        expect_fields(got, want);
        n_deaths += sst_steps_totals(bench.steps)->n_deaths;
        close_bench(&bench);
    }
    /* Of readers at work; those that were idle, or short ones that had replied, cost nothing. */
    ck_assert(crew.is_short || n_deaths > 0);
    ck_assert_uint_le(n_deaths, (size_t)killer.n_killed);
    sst_crew_destroy(&crew.crew);
    free(want);
    free(got);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("steps_deaths");
    TCase *tests = tcase_create("deaths");
    tcase_set_timeout(tests, 300);
    tcase_add_loop_test(tests, readers_killed_at_random_change_no_field, 0, 2);
    suite_add_tcase(suite, tests);
    return suite;
}
