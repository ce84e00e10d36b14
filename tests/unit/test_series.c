/* The series keep the right cells' codes at the right days and nothing else. */
#include "probe_fixture.h"
#include "test_main.h"
#include "validate/probes.h"

static const struct sst_pool_rule pools = {SST_CALENDAR_STANDARD, SST_LEAP_HOBDAY, 2001, 2003, 5};

START_TEST(a_day_is_kept_where_its_year_and_slot_say)
{
    struct probe_fixture f;
    probe_fixture_make(&f, &(struct probe_fixture_spec){.n_lat = 2, .n_lon = 3, .pools = pools});
    ck_assert_uint_eq(f.series->n_cells, 6);
    ck_assert_int_eq(f.series->first_year, 2000);
    ck_assert_int_eq(f.series->last_year, 2004);
    int16_t codes[6] = {10, 11, 12, SST_CODE_MISSING, 14, 15};
    const struct sst_field field = {.n_cells = 6, .codes = codes};
    sst_series_put(f.series, (struct sst_day){2000, 1}, &field);
    sst_series_put(f.series, (struct sst_day){2002, 60}, &field);
    sst_series_put(f.series, (struct sst_day){2004, 366}, &field);
    size_t n_kept = 0;
    for (size_t i = 0; i < (size_t)5 * SST_N_SLOTS * 6; ++i)
        n_kept += f.series->codes[i] != SST_CODE_MISSING;
    ck_assert_uint_eq(n_kept, 15);
    ck_assert_mem_eq(f.series->codes, codes, sizeof codes);
    ck_assert_mem_eq(f.series->codes + ((size_t)2 * SST_N_SLOTS + 59) * 6, codes, sizeof codes);
    ck_assert_mem_eq(f.series->codes + ((size_t)5 * SST_N_SLOTS - 1) * 6, codes, sizeof codes);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(a_day_of_other_years_or_of_no_slot_is_ignored)
{
    struct probe_fixture f;
    probe_fixture_make(&f, &(struct probe_fixture_spec){.n_lat = 1, .n_lon = 2, .pools = pools});
    int16_t codes[2] = {1, 2};
    const struct sst_field field = {.n_cells = 2, .codes = codes};
    static const struct sst_day days[] = {{1999, 366}, {2005, 1}, {2001, 0}, {2001, 367}, {-5, 3}};
    for (size_t i = 0; i < sizeof days / sizeof *days; ++i)
        sst_series_put(f.series, days[i], &field);
    for (size_t i = 0; i < (size_t)5 * SST_N_SLOTS * 2; ++i)
        ck_assert_int_eq(f.series->codes[i], SST_CODE_MISSING);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(of_many_cells_those_of_a_smaller_share_are_kept)
{
    struct probe_fixture f;
    probe_fixture_make(
        &f, &(struct probe_fixture_spec){.n_lat = 1, .n_lon = 1500, .pools = pools, .n_slots = 1, .first_slot = 1});
    ck_assert_uint_eq(f.series->n_cells, SST_SERIES_MAX_CELLS);
    int16_t codes[1500];
    for (int i = 0; i < 1500; ++i)
        codes[i] = (int16_t)i;
    const struct sst_field field = {.n_cells = 1500, .codes = codes};
    sst_series_put(f.series, (struct sst_day){2001, 1}, &field);
    /* The kept ones are the probes of some share: none left out may have a smaller hash than one kept. */
    double share = 0.0;
    for (size_t i = 0; i < f.series->n_cells; ++i) {
        const size_t cell = f.series->domain_cell[i];
        ck_assert_uint_eq(f.sample->cells[f.series->sample_cell[i]].domain_cell, cell);
        ck_assert_int_eq(f.series->codes[(size_t)SST_N_SLOTS * f.series->n_cells + i], (int)cell);
        while (share < 1.0 && !sst_probes_has(1, sst_domain_canonical(&f.domain, cell), share))
            share += 1.0 / 4096;
    }
    size_t n_in_share = 0;
    for (size_t cell = 0; cell < 1500; ++cell)
        n_in_share += sst_probes_has(1, sst_domain_canonical(&f.domain, cell), share);
    ck_assert_uint_ge(n_in_share, SST_SERIES_MAX_CELLS);
    ck_assert_uint_le(n_in_share, SST_SERIES_MAX_CELLS + 3);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(no_cell_at_all_is_no_error)
{
    struct probe_fixture f;
    probe_fixture_make(&f, &(struct probe_fixture_spec){.n_lat = 1, .n_lon = 1, .pools = pools});
    struct sst_sample empty = *f.sample;
    empty.n_cells = 0;
    struct sst_series *series = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(sst_series_create(&empty, &f.domain, 1, &pools, SST_LATTICE_MILLI, &series, &err), SST_OK);
    ck_assert_uint_eq(series->n_cells, 0);
    ck_assert_int_eq(series->lattice.reference_steps, 15000);
    sst_series_put(series, (struct sst_day){2001, 1}, &(struct sst_field){0});
    sst_series_destroy(&series);
    ck_assert_ptr_null(series);
    sst_series_destroy(&series);
    probe_fixture_clear(&f);
}
END_TEST

START_TEST(the_bytes_are_those_of_the_cells_kept)
{
    ck_assert_uint_eq(sst_series_bytes(2, &pools), 2 * (2 * sizeof(size_t) + 5 * 366 * 2));
    ck_assert_uint_eq(sst_series_bytes(1000000, &pools), 1000 * (2 * sizeof(size_t) + 5 * 366 * 2));
    ck_assert_uint_eq(sst_series_bytes(0, &pools), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("series");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_day_is_kept_where_its_year_and_slot_say);
    tcase_add_test(tc, a_day_of_other_years_or_of_no_slot_is_ignored);
    tcase_add_test(tc, of_many_cells_those_of_a_smaller_share_are_kept);
    tcase_add_test(tc, no_cell_at_all_is_no_error);
    tcase_add_test(tc, the_bytes_are_those_of_the_cells_kept);
    suite_add_tcase(suite, tc);
    return suite;
}
