/* Heatwave days, events and their agreement, on series short enough to be counted by hand. */
#include <math.h>

#include "core/mem.h"
#include "probe_fixture.h"
#include "random.h"
#include "test_main.h"
#include "validate/consequences.h"

#define TOLERANCE 1e-12

enum { N_YEARS = 3, N_DAYS = 1095, SLOT_JAN_10 = 10, SLOT_FEB_26 = 57, SLOT_JUN_1 = 153, SLOT_DEC_29 = 364 };

static const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2001, 2003, 5};

/* A fixture with a second column of thresholds; all days 19.00 degC, all thresholds 20 degC. */
struct scene {
    struct probe_fixture f;
    float *approx;
};

static void set_scene(struct scene *scene, struct probe_fixture_spec spec)
{
    struct sst_error err = {0};
    probe_fixture_make(&scene->f, &spec);
    const struct sst_sample *sample = scene->f.sample;
    ck_assert_int_eq(sst_alloc(sample->n_places * sample->n_cells, sizeof(float), "approx", &scene->approx, &err),
                     SST_OK);
    for (size_t cell = 0; cell < sample->n_cells; ++cell) {
        probe_fixture_fill(&scene->f, cell, 1900);
        probe_fixture_thresholds(&scene->f, cell, 20.0F, sample->exact[0]);
        probe_fixture_thresholds(&scene->f, cell, 20.0F, scene->approx);
    }
}

static void set_plain_scene(struct scene *scene, size_t n_lat)
{
    set_scene(scene, (struct probe_fixture_spec){.n_lat = n_lat, .n_lon = 1, .pools = pools});
}

static struct sst_consequences count(const struct scene *scene, double percentile)
{
    struct sst_consequences result;
    struct sst_error err = {0};
    ck_assert_int_eq(
        sst_consequences_count(scene->f.series, scene->f.sample, 0, percentile, scene->approx, &result, &err), SST_OK);
    return result;
}

static void clear_scene(struct scene *scene)
{
    sst_free(scene->approx);
    probe_fixture_clear(&scene->f);
}

static void is(double got, double expected) { ck_assert_double_eq_tol(got, expected, TOLERANCE); }

/* Six warm days in January, six over New Year, five that only the lower threshold sees, five over a February of 28 days. */
static void play_events(const struct probe_fixture *f)
{
    probe_fixture_run(f, 0, (struct sst_day){2001, SLOT_JAN_10}, 6, 2100);
    probe_fixture_run(f, 0, (struct sst_day){2001, SLOT_DEC_29}, 6, 2100);
    probe_fixture_run(f, 0, (struct sst_day){2002, SLOT_JUN_1}, 5, 2030);
    probe_fixture_run(f, 0, (struct sst_day){2003, SLOT_FEB_26}, 5, 2100);
    probe_fixture_run(f, 0, (struct sst_day){2003, SLOT_JUN_1}, 4, 2100);
}

START_TEST(days_and_events_are_those_counted_by_hand)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    play_events(&scene.f);
    probe_fixture_thresholds(&scene.f, 0, 20.5F, scene.approx);
    const struct sst_consequences got = count(&scene, 90.0);
    ck_assert_uint_eq(got.n_cells, 1);
    ck_assert_int_eq(got.n_years, N_YEARS);
    ck_assert(!got.is_cold);
    is(got.exact.days_per_year, 22.0 / N_YEARS);
    is(got.exact.events_per_year, 4.0 / N_YEARS);
    is(got.exact.mean_days, 22.0 / 4.0);
    is(got.approx.days_per_year, 17.0 / N_YEARS);
    is(got.approx.events_per_year, 3.0 / N_YEARS);
    is(got.approx.mean_days, 17.0 / 3.0);
    is(got.missed, 5.0 / 22.0);
    is(got.added, 0.0);
    is(got.jaccard, 17.0 / 22.0);
    is(got.jaccard_median, 17.0 / 22.0);
    is(got.jaccard_p05, 17.0 / 22.0);
    is(got.exact_exceedance.mean, 26.0 / N_DAYS);
    is(got.exact_exceedance.p05, 26.0 / N_DAYS);
    is(got.approx_exceedance.mean, 21.0 / N_DAYS);
    is(got.approx_exceedance.p95, 21.0 / N_DAYS);
    clear_scene(&scene);
}
END_TEST

START_TEST(days_that_only_the_approximation_sees_are_added)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    play_events(&scene.f);
    probe_fixture_thresholds(&scene.f, 0, 20.5F, scene.f.sample->exact[0]);
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.missed, 0.0);
    is(got.added, 5.0 / 17.0);
    is(got.jaccard, 17.0 / 22.0);
    clear_scene(&scene);
}
END_TEST

START_TEST(equal_thresholds_miss_and_add_nothing)
{
    struct scene scene;
    struct test_random random = {3};
    set_plain_scene(&scene, 9);
    for (size_t cell = 0; cell < 9; ++cell)
        for (struct sst_day day = {2001, 1}; day.year < 2004; day = sst_calendar_next_day(SST_CALENDAR_STANDARD, day))
            *probe_fixture_code(&scene.f, cell, day) = (int16_t)(1900 + test_random_below(&random, 10) * 12);
    for (size_t cell = 0; cell < 9; ++cell)
        for (int i = 0; i < 20; ++i)
            probe_fixture_run(&scene.f, cell, (struct sst_day){2001 + i % 3, 1 + test_random_below(&random, 300)}, 7,
                              2100);
    const struct sst_consequences got = count(&scene, 90.0);
    ck_assert_double_gt(got.exact.events_per_year, 3.0);
    ck_assert_double_eq(got.exact.days_per_year, got.approx.days_per_year);
    ck_assert_double_eq(got.jaccard, 1.0);
    ck_assert_double_eq(got.jaccard_p05, 1.0);
    ck_assert_double_eq(got.jaccard_median, 1.0);
    ck_assert_double_eq(got.missed, 0.0);
    ck_assert_double_eq(got.added, 0.0);
    clear_scene(&scene);
}
END_TEST

START_TEST(cold_spells_are_the_mirror_image)
{
    struct scene warm, cold;
    set_plain_scene(&warm, 1);
    set_plain_scene(&cold, 1);
    play_events(&warm.f);
    probe_fixture_thresholds(&warm.f, 0, 20.5F, warm.approx);
    const size_t n_codes = (size_t)(N_YEARS + 2) * SST_N_SLOTS;
    for (size_t i = 0; i < n_codes; ++i)
        if (warm.f.series->codes[i] != SST_CODE_MISSING)
            cold.f.series->codes[i] = (int16_t)-warm.f.series->codes[i];
    probe_fixture_thresholds(&cold.f, 0, -20.0F, cold.f.sample->exact[0]);
    probe_fixture_thresholds(&cold.f, 0, -20.5F, cold.approx);
    struct sst_consequences mirrored = count(&cold, 10.0);
    const struct sst_consequences expected = count(&warm, 90.0);
    ck_assert(mirrored.is_cold);
    mirrored.is_cold = false;
    is(mirrored.exact.days_per_year, 22.0 / N_YEARS);
    ck_assert_double_eq(mirrored.exact.events_per_year, expected.exact.events_per_year);
    ck_assert_double_eq(mirrored.approx.days_per_year, expected.approx.days_per_year);
    ck_assert_double_eq(mirrored.missed, expected.missed);
    ck_assert_double_eq(mirrored.jaccard, expected.jaccard);
    ck_assert_double_eq(mirrored.exact_exceedance.mean, expected.exact_exceedance.mean);
    clear_scene(&warm);
    clear_scene(&cold);
}
END_TEST

START_TEST(a_value_that_equals_its_threshold_as_float32_is_not_beyond)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    size_t n_above = 0, n_below = 0;
    for (int code = 2000; code < 2020; ++code) {
        const float threshold = (float)(code / 100.0);
        n_above += code / 100.0 > (double)threshold;
        n_below += code / 100.0 < (double)threshold;
        probe_fixture_run(&scene.f, 0, (struct sst_day){2002, SLOT_JUN_1}, 10, code);
        probe_fixture_thresholds(&scene.f, 0, threshold, scene.f.sample->exact[0]);
        ck_assert_double_eq(count(&scene, 90.0).exact.days_per_year, 0.0);
        probe_fixture_thresholds(&scene.f, 0, nextafterf(threshold, 0.0F), scene.f.sample->exact[0]);
        is(count(&scene, 90.0).exact.days_per_year, 10.0 / N_YEARS);
        /* The other days, at 19 degC, are a cold spell of two parts. */
        probe_fixture_thresholds(&scene.f, 0, threshold, scene.f.sample->exact[0]);
        is(count(&scene, 10.0).exact.days_per_year, (N_DAYS - 10.0) / N_YEARS);
        probe_fixture_thresholds(&scene.f, 0, nextafterf(threshold, 99.0F), scene.f.sample->exact[0]);
        is(count(&scene, 10.0).exact.days_per_year, N_DAYS / (double)N_YEARS);
    }
    /* Both roundings occur, so comparing float32 with double would have failed. */
    ck_assert_uint_gt(n_above, 0);
    ck_assert_uint_gt(n_below, 0);
    clear_scene(&scene);
}
END_TEST

START_TEST(cells_count_by_their_area)
{
    struct scene scene;
    set_plain_scene(&scene, 13); /* 0 to 60 degrees north: weights 1 .. 0.5 */
    for (size_t cell = 1; cell < 12; ++cell)
        probe_fixture_thresholds(&scene.f, cell, NAN, scene.f.sample->exact[0]);
    probe_fixture_run(&scene.f, 0, (struct sst_day){2001, SLOT_JUN_1}, 6, 2100);
    probe_fixture_run(&scene.f, 12, (struct sst_day){2002, SLOT_JUN_1}, 12, 2100);
    probe_fixture_run(&scene.f, 12, (struct sst_day){2003, SLOT_JUN_1}, 8, 2100);
    probe_fixture_thresholds(&scene.f, 12, 22.0F, scene.approx);
    const struct sst_consequences got = count(&scene, 90.0);
    ck_assert_uint_eq(got.n_cells, 2);
    is(got.exact.days_per_year, (6.0 + 0.5 * 20.0) / 1.5 / N_YEARS);
    is(got.exact.events_per_year, (1.0 + 0.5 * 2.0) / 1.5 / N_YEARS);
    is(got.exact.mean_days, (6.0 + 0.5 * 20.0) / (1.0 + 0.5 * 2.0));
    is(got.missed, 0.5 * 20.0 / (6.0 + 0.5 * 20.0));
    is(got.jaccard, 6.0 / (6.0 + 0.5 * 20.0));
    is(got.jaccard_median, 0.5); /* of 1 and 0, each cell counting once */
    is(got.jaccard_p05, 0.05);
    is(got.exact_exceedance.mean, (6.0 + 0.5 * 20.0) / 1.5 / N_DAYS);
    is(got.exact_exceedance.p05, (6.0 + 0.05 * 14.0) / N_DAYS);
    is(got.exact_exceedance.p95, (6.0 + 0.95 * 14.0) / N_DAYS);
    clear_scene(&scene);
}
END_TEST

START_TEST(a_missing_day_breaks_a_run_and_is_no_day_of_the_share)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    probe_fixture_run(&scene.f, 0, (struct sst_day){2001, SLOT_JUN_1}, 9, 2100);
    probe_fixture_run(&scene.f, 0, (struct sst_day){2001, SLOT_JUN_1 + 4}, 1, SST_CODE_MISSING); /* 4, 1, 4: nothing */
    probe_fixture_run(&scene.f, 0, (struct sst_day){2002, SLOT_JUN_1}, 12, 2100);
    probe_fixture_run(&scene.f, 0, (struct sst_day){2002, SLOT_JUN_1 + 5}, 2, SST_CODE_MISSING); /* 5, 2, 5: 12 */
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.exact.days_per_year, 12.0 / N_YEARS);
    is(got.exact.events_per_year, 1.0 / N_YEARS);
    is(got.exact_exceedance.mean, 18.0 / (N_DAYS - 3));
    clear_scene(&scene);
}
END_TEST

START_TEST(a_29_february_that_the_rule_leaves_out_breaks_no_run)
{
    struct scene scene;
    const struct sst_pool_rule skipping = {SST_CALENDAR_STANDARD, SST_LEAP_SKIP, 2003, 2005, 5};
    set_scene(&scene, (struct probe_fixture_spec){.n_lat = 1, .n_lon = 1, .pools = skipping});
    probe_fixture_run(&scene.f, 0, (struct sst_day){2004, SLOT_FEB_26}, 6, 2100); /* 3 days, 29 February, 2 days */
    probe_fixture_run(&scene.f, 0, (struct sst_day){2004, SST_SLOT_FEB29}, 1, SST_CODE_MISSING); /* never read */
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.exact.days_per_year, 5.0 / N_YEARS);
    is(got.exact.events_per_year, 1.0 / N_YEARS);
    is(got.exact_exceedance.mean, 5.0 / N_DAYS);
    clear_scene(&scene);
}
END_TEST

START_TEST(years_beside_the_baseline_do_not_count)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    probe_fixture_run(&scene.f, 0, (struct sst_day){2000, SLOT_DEC_29 - 10}, 17, 2100); /* 4 of them in 2001 */
    probe_fixture_run(&scene.f, 0, (struct sst_day){2004, SLOT_JUN_1}, 30, 2100);
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.exact.days_per_year, 0.0);
    is(got.exact_exceedance.mean, 4.0 / N_DAYS);
    ck_assert_double_nan(got.missed);
    ck_assert_double_nan(got.jaccard);
    ck_assert_double_nan(got.jaccard_median);
    ck_assert_double_nan(got.exact.mean_days);
    clear_scene(&scene);
}
END_TEST

START_TEST(slots_without_a_threshold_are_not_beyond)
{
    struct scene scene;
    set_scene(&scene,
              (struct probe_fixture_spec){.n_lat = 1, .n_lon = 1, .pools = pools, .first_slot = 1, .n_slots = 31});
    probe_fixture_run(&scene.f, 0, (struct sst_day){2001, 28}, 8, 2100); /* 4 of them in January */
    probe_fixture_run(&scene.f, 0, (struct sst_day){2002, 27}, 8, 2100); /* 5 of them */
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.exact.days_per_year, 5.0 / N_YEARS);
    is(got.exact_exceedance.mean, 9.0 / (31 * N_YEARS));
    clear_scene(&scene);
}
END_TEST

START_TEST(a_calendar_of_360_days_has_no_gap_in_february)
{
    struct scene scene;
    const struct sst_pool_rule days_360 = {SST_CALENDAR_360_DAY, SST_LEAP_OWN, 2001, 2003, 5};
    set_scene(&scene, (struct probe_fixture_spec){.n_lat = 1, .n_lon = 1, .pools = days_360});
    probe_fixture_run(&scene.f, 0, (struct sst_day){2001, 358}, 6, 2100); /* 3 and 3 round New Year */
    probe_fixture_run(&scene.f, 0, (struct sst_day){2002, 58}, 5, 2100);
    const struct sst_consequences got = count(&scene, 90.0);
    is(got.exact.days_per_year, 11.0 / N_YEARS);
    is(got.exact.events_per_year, 2.0 / N_YEARS);
    is(got.exact_exceedance.mean, 11.0 / (360 * N_YEARS));
    clear_scene(&scene);
}
END_TEST

START_TEST(land_alone_gives_no_number)
{
    struct scene scene;
    set_plain_scene(&scene, 1);
    probe_fixture_fill(&scene.f, 0, SST_CODE_MISSING);
    const struct sst_consequences got = count(&scene, 90.0);
    ck_assert_uint_eq(got.n_cells, 0);
    ck_assert_double_nan(got.exact.days_per_year);
    ck_assert_double_nan(got.exact_exceedance.mean);
    ck_assert_double_nan(got.exact_exceedance.p95);
    clear_scene(&scene);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("consequences");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, days_and_events_are_those_counted_by_hand);
    tcase_add_test(tc, days_that_only_the_approximation_sees_are_added);
    tcase_add_test(tc, equal_thresholds_miss_and_add_nothing);
    tcase_add_test(tc, cold_spells_are_the_mirror_image);
    tcase_add_test(tc, a_value_that_equals_its_threshold_as_float32_is_not_beyond);
    tcase_add_test(tc, cells_count_by_their_area);
    tcase_add_test(tc, a_missing_day_breaks_a_run_and_is_no_day_of_the_share);
    tcase_add_test(tc, a_29_february_that_the_rule_leaves_out_breaks_no_run);
    tcase_add_test(tc, years_beside_the_baseline_do_not_count);
    tcase_add_test(tc, slots_without_a_threshold_are_not_beyond);
    tcase_add_test(tc, a_calendar_of_360_days_has_no_gap_in_february);
    tcase_add_test(tc, land_alone_gives_no_number);
    suite_add_tcase(suite, tc);
    return suite;
}
