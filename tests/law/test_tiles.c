/*
 * A run in tiles gives, to the bit and in the same order, what a run in one piece gives, asks its source for each day once, and
 * takes no more of memory and disk than was said.
 */
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/cells.h"
#include "counted_memory.h"
#include "engine_setup.h"
#include "stream/tiles.h"
#include "test_main.h"

static const size_t rows_of_tiles[] = {1, 2, 3, 4, 6};
enum { N_TILINGS = sizeof rows_of_tiles / sizeof rows_of_tiles[0] };

/* --- what a run gives --------------------------------------------------------------------------------------------- */

struct witness {
    struct given results, fields; /* all, one after the other */
    size_t n_slots, days_done, days_total;
    long cancel_at; /* the call that cancels; 0 = none */
    long n_cancel_calls;
    uint64_t most_disk_bytes;
    bool watches_disk;
};

/* Bytes of the files of this process that have no name in the scratch folder. */
static uint64_t scratch_bytes(void)
{
    uint64_t bytes = 0;
    DIR *dir = opendir("/proc/self/fd");
    for (const struct dirent *entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir)) {
        char target[4096];
        struct stat status;
        const ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        if (n > 0 && strncmp(target, test_scratch_dir(), strlen(test_scratch_dir())) == 0 &&
            strstr(target, " (deleted)") && fstatat(dirfd(dir), entry->d_name, &status, 0) == 0)
            bytes += (uint64_t)status.st_size;
    }
    if (dir)
        (void)closedir(dir);
    return bytes;
}

static size_t files_in_scratch(void)
{
    size_t n = 0;
    DIR *dir = opendir(test_scratch_dir());
    ck_assert_ptr_nonnull(dir);
    for (const struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    (void)closedir(dir);
    return n;
}

static void watch_disk(struct witness *witness)
{
    if (!witness->watches_disk)
        return;
    const uint64_t bytes = scratch_bytes();
    witness->most_disk_bytes = bytes > witness->most_disk_bytes ? bytes : witness->most_disk_bytes;
}

enum { N_PERCENTILES = 2 };

static enum sst_status put(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    struct witness *witness = user;
    ++witness->n_slots;
    watch_disk(witness);
    given_append_result(&witness->results, result, N_PERCENTILES);
    return SST_OK;
}

static void see_field(void *user, struct sst_day day, const struct sst_field *field)
{
    struct witness *witness = user;
    given_append(&witness->fields, &day, sizeof day);
    given_append(&witness->fields, &field->has_ice, sizeof field->has_ice);
    given_append(&witness->fields, field->codes, field->n_cells * sizeof *field->codes);
    given_append(&witness->fields, field->ice, field->n_cells);
}

static void progress(void *user, size_t days_done, size_t days_total, uint64_t bytes_done)
{
    (void)bytes_done;
    struct witness *witness = user;
    ck_assert_uint_eq(days_done, witness->days_done + 1);
    witness->days_done = days_done;
    witness->days_total = days_total;
    watch_disk(witness);
}

static bool cancelled(void *user)
{
    struct witness *witness = user;
    return ++witness->n_cancel_calls == witness->cancel_at;
}

static void witness_clear(struct witness *witness)
{
    free(witness->results.bytes);
    free(witness->fields.bytes);
    *witness = (struct witness){0};
}

/* Runs a setup over seas in tiles of so many rows. */
static enum sst_status run(const struct engine_setup *setup, struct made_up *seas, size_t rows, const char *folder,
                           struct witness *witness, struct sst_error *err)
{
    const struct sst_domain domain = made_up_domain(seas);
    const struct sst_policy policy = engine_policy(setup);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas->source,
                                            .n_cells = domain.n_cells,
                                            .probes = engine_probes(),
                                            .n_probes = setup->has_probes ? ENGINE_N_PROBES : 0,
                                            .wants_shape = setup->wants_shape};
    const struct sst_slot_sink sink = {
        .user = witness, .put = put, .field = see_field, .progress = progress, .cancelled = cancelled};
    const struct sst_tiles tiles = {(domain.n_rows + rows - 1) / rows, rows};
    return sst_tiles_run(&job, &domain, tiles, folder, &sink, err);
}

static void run_well(const struct engine_setup *setup, const struct made_up *like, size_t rows, struct witness *witness,
                     size_t *n_gets)
{
    struct sst_error err = {0};
    struct made_up seas = *like;
    seas.is_milli = setup->is_milli;
    seas.has_ice = !setup->no_ice;
    made_up_open(&seas);
    ck_assert_msg(run(setup, &seas, rows, test_scratch_dir(), witness, &err) == SST_OK, "%s", err.text);
    *n_gets = seas.n_gets;
    made_up_close(&seas);
}

START_TEST(tiles_give_the_bits_of_one_piece)
{
    const struct made_up sea = engine_small_sea();
    const struct engine_setup *setup = engine_setup(_i);
    struct witness whole = {0};
    size_t n_days = 0;
    run_well(setup, &sea, sea.n_rows, &whole, &n_days);
    ck_assert_uint_gt(whole.n_slots, 0);
    for (int t = 0; t < N_TILINGS; ++t) {
        const size_t rows = rows_of_tiles[t], n_tiles = (sea.n_rows + rows - 1) / rows;
        struct witness tiled = {0};
        size_t n_gets = 0;
        run_well(setup, &sea, rows, &tiled, &n_gets);
        ck_assert_uint_eq(n_gets, n_days);
        ck_assert_uint_eq(tiled.n_slots, whole.n_slots);
        ck_assert_uint_eq(tiled.days_done, n_tiles * n_days);
        ck_assert_uint_eq(tiled.days_total, n_tiles * n_days);
        given_check_same(&tiled.results, &whole.results, "results");
        given_check_same(&tiled.fields, &whole.fields, "fields");
        witness_clear(&tiled);
    }
    witness_clear(&whole);
}
END_TEST

START_TEST(the_seas_have_what_the_law_is_about)
{
    struct made_up seas = engine_small_sea();
    size_t n_there = 0, n_bad = 0, n_ice_without_value = 0;
    made_up_open(&seas);
    for (int32_t slot = 1; slot <= SST_N_SLOTS; ++slot) {
        const struct sst_day day = {2001, slot};
        const struct sst_field *field = NULL;
        if (!seas.source.has_day(&seas, day))
            continue;
        ck_assert_int_eq(seas.source.get(&seas, day, &field, NULL), SST_OK);
        n_there += field != NULL;
        n_bad += field == NULL;
        for (size_t cell = 0; field && cell < field->n_cells; ++cell)
            n_ice_without_value += field->ice[cell] && field->codes[cell] == SST_CODE_MISSING;
        seas.source.give_back(&seas);
    }
    made_up_close(&seas);
    ck_assert_uint_gt(n_there, 250);
    ck_assert_uint_gt(n_bad, 10);
    ck_assert_uint_gt(n_ice_without_value, 100);
}
END_TEST

/* --- what it takes ------------------------------------------------------------------------------------------------ */

static const struct made_up wide_seas = {.n_rows = 60,
                                         .n_cols = 120,
                                         .first_land_row = 50,
                                         .n_land_rows = 6,
                                         .first_year = 2001,
                                         .last_year = 2003,
                                         .has_ice = true,
                                         .n_most_held = 8,
                                         .seed = 2};

static struct sst_climatology_size wide_size(const struct engine_setup *setup)
{
    const size_t n_domain = wide_seas.n_rows * wide_seas.n_cols;
    return (struct sst_climatology_size){
        .n_cells = sst_cells_expected(n_domain, (wide_seas.n_rows - wide_seas.n_land_rows) * wide_seas.n_cols),
        .n_domain = n_domain,
        .n_probes = setup->has_probes ? ENGINE_N_PROBES : 0,
        .has_ice = true,
        .wants_shape = setup->wants_shape};
}

static const struct engine_setup wide_setups[] = {
    {SST_APPROX_NONE, SST_LEAP_SKIP, 5, 1, 100, 115, false, false, false, false, false},
    {SST_APPROX_CF, SST_LEAP_SKIP, 5, 31, 100, 115, true, true, true, false, false},
    {SST_APPROX_MAXENT, SST_LEAP_SKIP, 2, 1, 100, 115, true, false, false, false, false},
    {SST_APPROX_TAIL, SST_LEAP_SKIP, 5, 5, 100, 115, false, false, false, false, false},
};
enum { N_WIDE_SETUPS = sizeof wide_setups / sizeof wide_setups[0] };

/* What does not depend on cells: tables of slots, the days, the tiles of threads. [bytes] */
enum { FIXED_BYTES = 1500000 };

/* What a run of the wide seas takes: without results, whose collecting would count too. */
static enum sst_status take_nothing(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)result;
    (void)err;
    watch_disk(user);
    return SST_OK;
}

START_TEST(memory_and_disk_are_what_was_said)
{
    const struct engine_setup *setup = &wide_setups[_i];
    const struct sst_policy policy = engine_policy(setup);
    const struct sst_climatology_size size = wide_size(setup);
    const struct sst_domain domain = made_up_domain(&wide_seas);
    struct made_up seas = wide_seas;
    struct sst_error err = {0};
    struct witness witness = {.watches_disk = true};
    size_t still_held = 0;
    seas.is_milli = setup->is_milli;
    made_up_open(&seas);
    const struct sst_tiles tiles = {4, 15};
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = &seas.source,
                                            .n_cells = domain.n_cells,
                                            .probes = engine_probes(),
                                            .n_probes = size.n_probes,
                                            .wants_shape = setup->wants_shape};
    const struct sst_slot_sink sink = {.user = &witness, .put = take_nothing, .progress = progress};
    counted_memory_begin();
    const enum sst_status rc = sst_tiles_run(&job, &domain, tiles, test_scratch_dir(), &sink, &err);
    const size_t peak = counted_memory_end(&still_held);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    ck_assert_uint_eq(still_held, 0);
    const struct sst_tiles_needs needs = sst_tiles_needs_of(&policy, &size, &domain, seas.n_gets, tiles);
    ck_assert_uint_le(peak, needs.memory_bytes + FIXED_BYTES);
    ck_assert_uint_ge(peak + needs.memory_bytes / 5, needs.memory_bytes);
    ck_assert_uint_le(witness.most_disk_bytes, needs.disk_bytes);
    ck_assert_uint_ge(witness.most_disk_bytes, needs.disk_bytes / 10 * 9);
    ck_assert_uint_eq(files_in_scratch(), 0);
    ck_assert_uint_eq(scratch_bytes(), 0);
    made_up_close(&seas);
}
END_TEST

START_TEST(the_fewest_tiles_that_fit_are_planned)
{
    const struct engine_setup *setup = &wide_setups[_i];
    const struct sst_policy policy = engine_policy(setup);
    const struct sst_climatology_size size = wide_size(setup);
    const struct sst_domain domain = made_up_domain(&wide_seas);
    const uint64_t whole_bytes = sst_climatology_peak_bytes(&policy, &size);
    const struct sst_tiles one = sst_tiles_plan(&policy, &size, &domain, 100, whole_bytes);
    ck_assert_uint_eq(one.n_tiles, 1);
    ck_assert_uint_eq(sst_tiles_needs_of(&policy, &size, &domain, 100, one).memory_bytes, whole_bytes);
    ck_assert_uint_eq(sst_tiles_needs_of(&policy, &size, &domain, 100, one).disk_bytes, 0);
    for (int share = 2; share <= 10; ++share) {
        const uint64_t limit = whole_bytes / (uint64_t)share;
        const struct sst_tiles tiles = sst_tiles_plan(&policy, &size, &domain, 100, limit);
        size_t fewest = 0; /* by trying all */
        for (size_t n = 2; n <= domain.n_rows && fewest == 0; ++n) {
            const struct sst_tiles tried = {n, (domain.n_rows + n - 1) / n};
            if ((domain.n_rows + tried.rows_per_tile - 1) / tried.rows_per_tile == n &&
                sst_tiles_needs_of(&policy, &size, &domain, 100, tried).memory_bytes <= limit)
                fewest = n;
        }
        ck_assert_uint_eq(tiles.n_tiles, fewest);
        if (fewest > 0)
            ck_assert_uint_le(sst_tiles_needs_of(&policy, &size, &domain, 100, tiles).memory_bytes, limit);
    }
    ck_assert_uint_eq(sst_tiles_plan(&policy, &size, &domain, 100, 1000).n_tiles, 0);
}
END_TEST

/* --- ends before the end ------------------------------------------------------------------------------------------ */

START_TEST(it_can_be_cancelled_in_every_pass_and_while_slots_are_joined)
{
    const struct made_up sea = engine_small_sea();
    static const char *const said[] = {"pass 1 of 3: interrupted after", "pass 2 of 3: interrupted after",
                                       "pass 3 of 3: interrupted after", "slots were joined"};
    const struct engine_setup *setup = engine_setup(4);
    struct witness whole = {0};
    size_t n_days = 0;
    run_well(setup, &sea, 3, &whole, &n_days);
    struct made_up seas = sea;
    struct witness witness = {.cancel_at = (long)(n_days * (size_t)_i + n_days / 2)};
    struct sst_error err = {0};
    if (_i == 3)
        witness.cancel_at = (long)(3 * n_days + 2);
    seas.has_ice = false;
    made_up_open(&seas);
    ck_assert_int_eq(run(setup, &seas, 3, test_scratch_dir(), &witness, &err), SST_ERR_INTERRUPTED);
    ck_assert_msg(strstr(err.text, said[_i]) != NULL, "%s", err.text);
    ck_assert_uint_eq(witness.n_slots, _i == 3);
    ck_assert_uint_eq(files_in_scratch(), 0);
    ck_assert_uint_eq(scratch_bytes(), 0);
    made_up_close(&seas);
    witness_clear(&whole);
    witness_clear(&witness);
}
END_TEST

/* The limit of a file's size, in bytes: less than a field, and between all fields and all slots. */
START_TEST(a_full_disk_is_told_with_folder_figure_and_remedy)
{
    static const rlim_t limits[] = {64, 60000};
    struct made_up seas = engine_small_sea();
    struct sst_error err = {0};
    struct witness witness = {0};
    struct rlimit before;
    seas.first_year = seas.last_year = 2001;
    seas.has_ice = false;
    made_up_open(&seas);
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {limits[_i], before.rlim_max};
    (void)setrlimit(RLIMIT_FSIZE, &limit);
    const enum sst_status rc = run(engine_setup(0), &seas, 6, test_scratch_dir(), &witness, &err);
    (void)setrlimit(RLIMIT_FSIZE, &before); /* Check writes files of its own */
    ck_assert_int_eq(rc, SST_ERR_OUTPUT);
    ck_assert_msg(strncmp(err.text, test_scratch_dir(), strlen(test_scratch_dir())) == 0, "%s", err.text);
    ck_assert_msg(strstr(err.text, ": the scratch of a run in 2 tiles, up to 0.9 MB, cannot be written: ") != NULL,
                  "%s", err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "Make room there, put the output into another folder (-o), or allow more"));
    ck_assert_uint_eq(scratch_bytes(), 0);
    ck_assert_uint_eq(witness.n_slots, 0);
    made_up_close(&seas);
    witness_clear(&witness);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_told_before_anything_is_read)
{
    const char *folder = test_path("%s/absent", test_scratch_dir());
    struct made_up seas = engine_small_sea();
    struct sst_error err = {0};
    struct witness witness = {0};
    made_up_open(&seas);
    ck_assert_int_eq(run(engine_setup(0), &seas, 2, folder, &witness, &err), SST_ERR_OUTPUT);
    ck_assert_msg(strncmp(err.text, folder, strlen(folder)) == 0, "%s", err.text);
    ck_assert_ptr_nonnull(strstr(err.text, "cannot be made: No such file or directory"));
    ck_assert_uint_eq(seas.n_gets, 0);
    made_up_close(&seas);
}
END_TEST

START_TEST(tiles_that_are_not_the_domain_are_refused)
{
    struct made_up seas = engine_small_sea();
    struct sst_error err = {0};
    const struct sst_policy policy = engine_policy(engine_setup(0));
    const struct sst_domain domain = made_up_domain(&seas);
    const struct sst_climatology_job job = {
        .policy = &policy, .backend = sst_backend_cpu(), .source = &seas.source, .n_cells = domain.n_cells};
    const struct sst_slot_sink sink = {.put = take_nothing};
    const struct sst_tiles tiles = {2, 3};
    ck_assert_int_eq(sst_tiles_run(&job, &domain, tiles, test_scratch_dir(), &sink, &err), SST_ERR_INTERNAL);
    ck_assert_ptr_nonnull(strstr(err.text, "2 tiles of 3 rows are not the 7 rows"));
}
END_TEST

Suite *test_suite(void)
{
    sst_backend_cpu_set_threads(1); /* so few cells are not worth the waiting for each other */
    Suite *suite = suite_create("tiles");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, the_seas_have_what_the_law_is_about);
    tcase_add_loop_test(tc, tiles_give_the_bits_of_one_piece, 0, ENGINE_N_SETUPS);
    tcase_add_loop_test(tc, memory_and_disk_are_what_was_said, 0, N_WIDE_SETUPS);
    tcase_add_loop_test(tc, the_fewest_tiles_that_fit_are_planned, 0, N_WIDE_SETUPS);
    tcase_add_loop_test(tc, it_can_be_cancelled_in_every_pass_and_while_slots_are_joined, 0, 4);
    tcase_add_loop_test(tc, a_full_disk_is_told_with_folder_figure_and_remedy, 0, 2);
    tcase_add_test(tc, a_folder_that_is_not_there_is_told_before_anything_is_read);
    tcase_add_test(tc, tiles_that_are_not_the_domain_are_refused);
    suite_add_tcase(suite, tc);
    return suite;
}
