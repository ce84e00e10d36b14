/* What percentiles say of a pool in which next to nothing varies: outer ones only, each in its own direction. */
#include "archive.h"
#include "core/flags.h"
#include "stream/climatology.h"
#include "stream/reader.h"
#include "test_main.h"

enum { CENTRE = 10, N_DAYS = 20, CELL = 0 };

static enum sst_status collect(void *user, const struct sst_slot_result *result, struct sst_error *err)
{
    (void)err;
    ck_assert_int_eq(result->slot, CENTRE);
    *(unsigned *)user = result->flags[CELL];
    return SST_OK;
}

static unsigned flags_of(struct sst_catalog *catalog, double percentile, int half_window_days)
{
    struct sst_error err = {0};
    struct sst_reader *reader = NULL;
    struct sst_domain domain;
    unsigned flags = 0;
    const struct sst_reader_options reader_options = {.stop_on_bad = true};
    const struct sst_policy policy = {
        .pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2000, 2000, half_window_days},
        .percentiles = {percentile},
        .n_percentiles = 1,
        .quantile_type = 7,
        .smooth_days = 1,
        .min_samples = 1,
        .first_slot = CENTRE,
        .last_slot = CENTRE,
        .lattice = SST_LATTICE_CENTI,
    };
    sst_domain_all(catalog->grid, &domain);
    ck_assert_msg(sst_reader_create(catalog, &domain, &reader_options, &reader, &err) == SST_OK, "%s", err.text);
    const struct sst_climatology_job job = {.policy = &policy,
                                            .backend = sst_backend_cpu(),
                                            .source = sst_reader_source(reader),
                                            .n_cells = domain.n_cells};
    const struct sst_slot_sink sink = {.user = &flags, .put = collect};
    ck_assert_msg(sst_climatology_run(&job, &sink, &err) == SST_OK, "%s", err.text);
    sst_reader_destroy(&reader);
    return flags;
}

/*
 * Days rise by 0.07 degC. Of three the quartiles are 0.035 degC from the mean, the deciles 0.056. Of eleven, of which one
 * is far off, the mean is drawn beyond the decile on its side.
 */
static const struct {
    double percentile;
    int half_window_days;
    int added; /* [0.01 degC] to the middle day */
    unsigned flags;
} cases[] = {
    {50.0, 1, 0, 0},
    {74.9, 1, 0, 0},
    {25.1, 1, 0, 0},
    {75.0, 1, 0, SST_FLAG_ICE_OR_NO_VARIANCE},
    {25.0, 1, 0, SST_FLAG_ICE_OR_NO_VARIANCE},
    {90.0, 1, 0, 0},
    {10.0, 1, 0, 0},
    {50.0, 5, 2000, 0},
    {90.0, 5, 2000, SST_FLAG_ICE_OR_NO_VARIANCE},
    {10.0, 5, 2000, 0},
    {90.0, 5, -900, 0},
    {10.0, 5, -900, SST_FLAG_ICE_OR_NO_VARIANCE},
};

START_TEST(only_outer_percentiles_tell_of_no_variance_and_in_their_own_direction)
{
    struct archive archive = archive_new(test_path("case%d", _i));
    archive_add(&archive, "before.nc", (struct day_file){0}, 0, CENTRE - 1);
    archive_add(&archive, "middle.nc", (struct day_file){.added = cases[_i].added}, CENTRE - 1, 1);
    archive_add(&archive, "after.nc", (struct day_file){0}, CENTRE, N_DAYS - CENTRE);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(flags_of(catalog, cases[_i].percentile, cases[_i].half_window_days), cases[_i].flags);
    sst_catalog_destroy(&catalog);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("no variance");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, only_outer_percentiles_tell_of_no_variance_and_in_their_own_direction, 0,
                        (int)(sizeof cases / sizeof cases[0]));
    suite_add_tcase(suite, tc);
    return suite;
}
