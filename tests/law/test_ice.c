/* Sea ice counts from whichever files tell of it, in whatever order they come. */
#include "archive.h"
#include "core/flags.h"
#include "stream/climatology.h"
#include "stream/reader.h"
#include "test_main.h"

enum { N_DAYS = 20, FIRST_HALF = 10, ICE_CELL = 1 }; /* cells from the south-west */

static unsigned flags[SST_N_SLOTS + 1][DAY_FILE_N_CELLS];

static enum sst_status collect(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)user;
    (void)err;
    ck_assert_uint_eq(result->n_cells, DAY_FILE_N_CELLS);
    for (size_t cell = 0; cell < result->n_cells; ++cell)
        flags[result->slot][cell] = result->flags[cell];
    return SST_OK;
}

static void run_engine(struct sst_catalog *catalog)
{
    struct sst_error err = {0};
    struct sst_reader *reader = NULL;
    struct sst_domain domain;
    const struct sst_reader_options reader_options = {.stop_on_bad = true};
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2000, 2000, 1},
        .percentiles = {90.0},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = 1,
        .min_samples = 1,
        .first_slot = 2,
        .last_slot = N_DAYS - 1,
        .lattice = SST_LATTICE_CENTI,
    };
    sst_domain_all(catalog->grid, &domain);
    ck_assert_msg(sst_reader_create(catalog, &domain, &reader_options, &reader, &err) == SST_OK, "%s", err.text);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = sst_reader_source(reader),
                                            .n_cells = domain.n_cells};
    const struct sst_slot_sink sink = {.put = collect};
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    sst_reader_destroy(&reader);
}

/* Which half of the days has ice in its files. */
START_TEST(ice_of_later_files_counts_as_that_of_the_first)
{
    const bool is_second = _i == 1;
    struct archive archive = archive_new(is_second ? "second" : "first");
    archive_add(&archive, "a.nc", (struct day_file){.has_ice = !is_second}, 0, FIRST_HALF);
    archive_add(&archive, "b.nc", (struct day_file){.has_ice = is_second}, FIRST_HALF, N_DAYS - FIRST_HALF);
    struct sst_catalog *catalog = archive_scan(&archive);
    run_engine(catalog);
    for (int slot = 2; slot < N_DAYS; ++slot) {
        const bool pools_ice = is_second ? slot + 1 > FIRST_HALF : slot - 1 <= FIRST_HALF;
        const unsigned ice = SST_FLAG_ICE_OR_NO_VARIANCE;
        ck_assert_msg(((flags[slot][ICE_CELL] & ice) != 0) == pools_ice, "slot %d", slot);
        ck_assert_msg((flags[slot][0] & ice) == 0, "slot %d", slot);
    }
    sst_catalog_destroy(&catalog);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ice");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, ice_of_later_files_counts_as_that_of_the_first, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
