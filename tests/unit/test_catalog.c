/* The catalog holds what the files hold, in order, and keeps files of other series out with a reason. */
#include <string.h>
#include <sys/resource.h>

#include "archive.h"
#include "stream/catalog.h"
#include "test_main.h"

static const struct day_file plain;

START_TEST(days_stand_in_order_of_slot_and_year_whatever_the_names)
{
    struct archive archive = archive_new("order");
    /* 2 Jan 2001, 1 Jan 2000, 31 Dec 2000, 1 Jan 2001, 2 Jan 2000 */
    static const int days[] = {367, 0, 365, 366, 1};
    static const char *const names[] = {"a.nc", "x.nc", "m.nc", "b.nc", "c.nc"};
    for (size_t i = 0; i < 5; ++i)
        archive_add(&archive, names[i], plain, days[i], 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    static const struct sst_day expected[] = {{2000, 1}, {2001, 1}, {2000, 2}, {2001, 2}, {2000, 366}};
    static const char *const expected_names[] = {"x.nc", "b.nc", "c.nc", "a.nc", "m.nc"};
    ck_assert_uint_eq(catalog->n_entries, 5);
    for (size_t i = 0; i < 5; ++i) {
        ck_assert_int_eq(sst_day_compare(catalog->entries[i].at.day, expected[i]), 0);
        ck_assert_int_eq(catalog->entries[i].at.second, 12 * 3600);
        ck_assert_str_eq(strrchr(catalog->files[catalog->entries[i].file].path, '/') + 1, expected_names[i]);
    }
    ck_assert_int_eq(sst_day_compare(catalog->first_day, expected[0]), 0);
    ck_assert_int_eq(sst_day_compare(catalog->last_day, expected[3]), 0);
    ck_assert_uint_eq(catalog->n_rejects, 0);
    ck_assert_uint_eq(catalog->n_scanned, 5);

    size_t first = 9, count = 9;
    sst_catalog_slot(catalog, 2, &first, &count);
    ck_assert(first == 2 && count == 2);
    sst_catalog_slot(catalog, 1, &first, &count);
    ck_assert(first == 0 && count == 2);
    sst_catalog_slot(catalog, 3, &first, &count);
    ck_assert_uint_eq(count, 0);
    sst_catalog_slot(catalog, 366, &first, &count);
    ck_assert(first == 4 && count == 1);
    ck_assert(sst_catalog_has_day(catalog, expected[3]));
    ck_assert(!sst_catalog_has_day(catalog, (struct sst_day){2002, 1}));
    ck_assert(!sst_catalog_has_day(catalog, (struct sst_day){2001, 366}));
    sst_catalog_destroy(&catalog);
    ck_assert_ptr_null(catalog);
}
END_TEST

START_TEST(gaps_and_doubles_are_counted)
{
    struct archive archive = archive_new("gaps");
    archive_add(&archive, "early.nc", plain, 0, 3);
    archive_add(&archive, "late.nc", plain, 5, 5);
    archive_add(&archive, "again.nc", plain, 2, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    bool wanted[SST_N_SLOTS + 1] = {false};
    for (int slot = 1; slot <= 12; ++slot)
        wanted[slot] = true;
    struct sst_coverage coverage = {0};
    struct sst_error err = {0};
    ck_assert_int_eq(sst_catalog_coverage(catalog, 2000, 2000, wanted, &coverage, &err), SST_OK);
    ck_assert_uint_eq(coverage.n_expected, 12);
    ck_assert_uint_eq(coverage.n_present, 8);
    ck_assert_uint_eq(coverage.n_doubled, 1);
    ck_assert_uint_eq(coverage.n_missing, 4);
    static const int missing[] = {4, 5, 11, 12};
    for (size_t i = 0; i < 4; ++i)
        ck_assert(coverage.missing[i].slot == missing[i] && coverage.missing[i].year == 2000);
    sst_coverage_clear(&coverage);

    ck_assert_int_eq(sst_catalog_coverage(catalog, 1999, 2000, NULL, &coverage, &err), SST_OK);
    ck_assert_uint_eq(coverage.n_expected, 365 + 366);
    ck_assert_uint_eq(coverage.n_missing, 365 + 366 - 8);
    ck_assert_int_eq(coverage.missing[0].year, 1999);
    sst_coverage_clear(&coverage);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(another_grid_is_a_reject_that_names_both)
{
    struct archive archive = archive_new("grids");
    for (int day = 0; day < 4; ++day)
        archive_add(&archive, test_path("d%d.nc", day), plain, day, 1);
    archive_add(&archive, "a_fine.nc", (struct day_file){.n_lat = 6, .n_lon = 12}, 4, 1);
    const size_t fine = archive.n - 1;
    archive_add(&archive, "b_off.nc", (struct day_file){.first_lon = 30.75}, 5, 1);
    const size_t off = archive.n - 1;
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 4);
    ck_assert_uint_eq(catalog->n_entries, 4);
    ck_assert_uint_eq(catalog->n_rejects, 2);
    ck_assert_uint_eq(catalog->n_scanned, 6);
    archive_expect_reject(catalog, 0, archive.paths[fine], "grid 6x12 differs from that of 4 other files (first: ");
    archive_expect_reject(catalog, 0, archive.paths[fine], "d0.nc): ");
    archive_expect_reject(catalog, 1, archive.paths[off], "30.75");
    ck_assert_uint_eq(catalog->grid->n_lon, 6);
    for (size_t i = 0; i < catalog->n_entries; ++i)
        ck_assert_str_eq(catalog->files[catalog->entries[i].file].path, archive.paths[i]);
    sst_catalog_destroy(&catalog);

    struct sst_error err = {0};
    ck_assert_int_eq(archive_try_scan(&archive, true, NULL, &catalog, &err), SST_ERR_GRID);
    ck_assert_msg(strncmp(err.text, archive.paths[fine], strlen(archive.paths[fine])) == 0, "%s", err.text);
    ck_assert_ptr_null(catalog);
}
END_TEST

START_TEST(the_most_days_win_not_the_most_files)
{
    struct archive archive = archive_new("days");
    archive_add(&archive, "years.nc", plain, 0, 50);
    for (int day = 0; day < 3; ++day)
        archive_add(&archive, test_path("d%d.nc", day), (struct day_file){.n_lat = 6, .n_lon = 12}, day, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 1);
    ck_assert_uint_eq(catalog->n_entries, 50);
    archive_expect_reject(catalog, 0, archive.paths[1], "of 1 other file (first: ");
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(grids_that_differ_in_orientation_join_and_the_earliest_day_gives_the_runs)
{
    struct archive archive = archive_new("flip");
    archive_add(&archive, "a.nc", plain, 9, 1);
    archive_add(&archive, "b.nc", (struct day_file){.south_last = true, .first_lon = -150, .title = "first"}, 3, 1);
    archive_add(&archive, "c.nc", (struct day_file){.first_lon = -150}, 6, 1);
    archive_add(&archive, "d.nc", (struct day_file){.south_last = true, .first_lon = -90}, 7, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 4);
    ck_assert_double_eq(catalog->grid->lat[0], 67.5);
    ck_assert_double_eq(catalog->grid->lon[0], -150);
    ck_assert_str_eq(catalog->title, "first");
    static const struct sst_grid_map expected[] = {{true, 3}, {false, 0}, {true, 0}, {false, 5}};
    for (size_t i = 0; i < 4; ++i) {
        ck_assert_int_eq(catalog->files[i].map.flip_lat, expected[i].flip_lat);
        ck_assert_uint_eq(catalog->files[i].map.shift_lon, expected[i].shift_lon);
    }
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(the_earliest_day_may_stand_anywhere_in_a_file)
{
    struct archive archive = archive_new("unsorted");
    static const int days[] = {9, 1, 4};
    const struct day_file unsorted = {.days = days, .n_days = 3, .title = "earliest"};
    day_file_write(archive_add_path(&archive, "b.nc"), &unsorted);
    archive_add(&archive, "a.nc", (struct day_file){.south_last = true, .title = "later"}, 2, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_entries, 4);
    ck_assert_str_eq(catalog->title, "earliest");
    ck_assert_double_eq(catalog->grid->lat[0], -67.5);
    ck_assert_int_eq(catalog->first_day.slot, 2);
    ck_assert_int_eq(catalog->last_day.slot, 10);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(other_calendars_are_rejects_but_the_gregorian_ones_join)
{
    struct archive archive = archive_new("calendars");
    archive_add(&archive, "a.nc", (struct day_file){.calendar = "gregorian"}, 0, 2);
    archive_add(&archive, "b.nc", (struct day_file){.calendar = "proleptic_gregorian"}, 2, 1);
    archive_add(&archive, "c.nc", (struct day_file){.calendar = "noleap"}, 3, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 2);
    ck_assert_int_eq(catalog->calendar, SST_CALENDAR_STANDARD);
    archive_expect_reject(catalog, 0, archive.paths[2],
                          "calendar noleap, unlike the standard of 2 other files (first: ");
    sst_catalog_destroy(&catalog);
    struct sst_error err = {0};
    ck_assert_int_eq(archive_try_scan(&archive, true, NULL, &catalog, &err), SST_ERR_TIME);
}
END_TEST

START_TEST(kinds_of_temperature_are_not_mixed_but_surface_and_unknown_join)
{
    struct archive archive = archive_new("kinds");
    archive_add(&archive, "a.nc", (struct day_file){.standard_name = "sea_surface_foundation_temperature"}, 0, 3);
    archive_add(&archive, "b.nc", (struct day_file){.standard_name = "sea_surface_skin_temperature"}, 3, 1);
    archive_add(&archive, "c.nc", plain, 4, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 1);
    ck_assert_int_eq(catalog->kind, SST_KIND_FOUNDATION);
    archive_expect_reject(catalog, 0, archive.paths[1], "skin SST, unlike the foundation SST of 1 other file (first: ");
    archive_expect_reject(catalog, 1, archive.paths[2], "surface SST, unlike the foundation SST");
    sst_catalog_destroy(&catalog);

    struct archive joined = archive_new("plain_kinds");
    archive_add(&joined, "a.nc", (struct day_file){.variable = "field"}, 0, 3);
    archive_add(&joined, "b.nc", (struct day_file){.standard_name = "sea_surface_temperature"}, 3, 1);
    catalog = archive_scan(&joined);
    ck_assert_uint_eq(catalog->n_files, 2);
    ck_assert_int_eq(catalog->kind, SST_KIND_SURFACE);
    ck_assert_str_eq(catalog->standard_name, "");
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(files_that_are_no_sst_are_rejects_or_stop_the_scan)
{
    struct archive archive = archive_new("bad");
    archive_add(&archive, "good.nc", plain, 0, 1);
    day_file_write_text(archive_add_path(&archive, "empty.nc"), "");
    day_file_write_text(archive_add_path(&archive, "error.nc"), "<html><body>404</body></html>");
    (void)archive_add_path(&archive, "gone.nc");
    archive_add(&archive, "wind.nc", (struct day_file){.variable = "anom"}, 1, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 1);
    ck_assert_uint_eq(catalog->n_rejects, 4);
    for (size_t i = 0; i < 4; ++i)
        archive_expect_reject(catalog, i, archive.paths[i + 1], "");
    sst_catalog_destroy(&catalog);

    struct sst_error err = {0};
    ck_assert_int_eq(archive_try_scan(&archive, true, NULL, &catalog, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "empty.nc: "));
    ck_assert_ptr_null(catalog);
}
END_TEST

START_TEST(without_a_usable_file_the_first_reason_is_named)
{
    struct archive archive = archive_new("all_bad");
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_int_eq(archive_try_scan(&archive, false, NULL, &catalog, &err), SST_ERR_INPUT);
    day_file_write_text(archive_add_path(&archive, "b.nc"), "");
    day_file_write_text(archive_add_path(&archive, "a.nc"), "");
    sst_error_clear(&err);
    ck_assert_int_eq(archive_try_scan(&archive, false, NULL, &catalog, &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "none of 2 files can be used, the first: "));
    ck_assert_ptr_nonnull(strstr(err.text, "a.nc: "));
    ck_assert_ptr_null(catalog);
}
END_TEST

static const struct {
    const char *name;
    struct day_file files[2]; /* the second holds the last of three days */
    enum sst_lattice_kind lattice;
    bool is_exact;
} lattices[] = {
    {"centi", {{.storage = STORED_CENTI}, {.storage = STORED_CENTI}}, SST_LATTICE_CENTI, true},
    {"milli", {{.storage = STORED_CENTI}, {.storage = STORED_MILLI}}, SST_LATTICE_MILLI, true},
    {"real_centi", {{.storage = STORED_FLOAT}, {.storage = STORED_FLOAT}}, SST_LATTICE_CENTI, true},
    {"real_milli",
     {{.storage = STORED_FLOAT}, {.storage = STORED_FLOAT, .added_degc = 0.003}},
     SST_LATTICE_MILLI,
     true},
    {"real_free",
     {{.storage = STORED_CENTI}, {.storage = STORED_FLOAT, .added_degc = 0.00337}},
     SST_LATTICE_MILLI,
     false},
};

START_TEST(the_lattice_is_the_finest_that_the_values_need)
{
    struct archive archive = archive_new(lattices[_i].name);
    archive_add(&archive, "a.nc", lattices[_i].files[0], 0, 2);
    archive_add(&archive, "b.nc", lattices[_i].files[1], 2, 1);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 2);
    ck_assert_int_eq(catalog->lattice, lattices[_i].lattice);
    ck_assert_int_eq(catalog->lattice_is_exact, lattices[_i].is_exact);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(a_change_of_name_or_packing_is_noted_and_no_reject)
{
    struct archive archive = archive_new("packing");
    archive_add(&archive, "a.nc", plain, 0, 1);
    archive_add(&archive, "b.nc", plain, 1, 1);
    archive_add(&archive, "c.nc", (struct day_file){.variable = "analysed_sst", .storage = STORED_MILLI}, 2, 1);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_msg(archive_try_scan(&archive, false, notes, &catalog, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(catalog->n_rejects, 0);
    ck_assert_msg(strstr(notes, "c.nc: analysed_sst [") && strstr(notes, "packed to 0.001 degC, in 1 file;") &&
                      strstr(notes, "most others have sst ["),
                  "%s", notes);
    ck_assert_str_eq(catalog->variable, "sst");
    sst_catalog_destroy(&catalog);
}
END_TEST

static const struct {
    const char *name;
    struct day_file files[3]; /* of one day each */
    const char *parts[2]; /* of the one note; NULL: no note */
} products[] = {
    {"two_ids",
     {{.id = "UKMO-OSTIA"}, {.id = "MUR25-v04.2", .title = "a"}, {.id = "UKMO-OSTIA", .title = "b"}},
     {"1.nc: its product is 'MUR25-v04.2' (1 file), that of ", "0.nc is 'UKMO-OSTIA' (2)"}},
    {"titles", {{.title = "OSTIA"}, {.title = "OSTIA"}, {.title = "MUR"}}, {"'MUR' (1 file)", "'OSTIA' (2)"}},
    {"versions",
     {{.id = "cci-v2.1"}, {.id = "cci-v3.0"}, {.id = "cci-v3.0"}},
     {"'cci-v2.1' (1 file)", "'cci-v3.0' (2)"}},
    {"dates", {{.id = "oisst-v02r01.20000101.nc"}, {.id = "oisst-v02r01.20000102.nc"}, {0}}, {NULL, NULL}},
    {"iso", {{.title = "SST of 2000-01-01"}, {.title = "SST of 2000-01-02T12:00:00Z"}, {0}}, {NULL, NULL}},
    {"preliminary", {{.title = "OISST, Final"}, {.title = "OISST - Interim"}, {.title = "OISST, Final"}}, {NULL, NULL}},
};

START_TEST(unlike_products_are_joined_and_told_once)
{
    struct archive archive = archive_new(products[_i].name);
    for (int day = 0; day < 3; ++day)
        archive_add(&archive, test_path("%d.nc", day), products[_i].files[day], day, 1);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_msg(archive_try_scan(&archive, false, notes, &catalog, &err) == SST_OK, "%s", err.text);
    ck_assert_uint_eq(catalog->n_files, 3);
    ck_assert_uint_eq(catalog->n_rejects, 0);
    if (!products[_i].parts[0])
        ck_assert_str_eq(notes, "");
    for (int part = 0; part < 2 && products[_i].parts[0]; ++part)
        ck_assert_msg(strstr(notes, products[_i].parts[part]) != NULL, "%s", notes);
    if (products[_i].parts[0])
        ck_assert_ptr_eq(strchr(notes, '\n'), notes + strlen(notes) - 1);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(names_that_change_in_every_file_tell_nothing)
{
    struct archive archive = archive_new("uuids");
    for (int day = 0; day < 20; ++day)
        archive_add(&archive, test_path("%d.nc", day), (struct day_file){.id = test_path("uuid-%c", 'a' + day)}, day,
                    1);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_msg(archive_try_scan(&archive, false, notes, &catalog, &err) == SST_OK, "%s", err.text);
    ck_assert_str_eq(notes, "");
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(what_many_files_have_is_noted_once_and_counted)
{
    struct archive archive = archive_new("notes");
    for (int day = 0; day < 5; ++day)
        archive_add(&archive, test_path("d%d.nc", day), (struct day_file){.units = "degrees C"}, day, 1);
    char notes[ARCHIVE_NOTES_ROOM] = "";
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_msg(archive_try_scan(&archive, false, notes, &catalog, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(strstr(notes, "d0.nc: ") && strstr(notes, "\n5 files: ") && strstr(notes, "degrees C"), "%s", notes);
    ck_assert_ptr_null(strstr(notes, "d1.nc"));
    size_t n_lines = 0;
    for (const char *at = notes; (at = strchr(at, '\n')) != NULL; ++at)
        ++n_lines;
    ck_assert_uint_eq(n_lines, 2);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(a_path_given_twice_is_one_file)
{
    struct archive archive = archive_new("twice");
    archive_add(&archive, "a.nc", plain, 0, 1);
    (void)archive_add_path(&archive, "a.nc");
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_uint_eq(catalog->n_files, 1);
    ck_assert_uint_eq(catalog->n_entries, 1);
    sst_catalog_destroy(&catalog);
}
END_TEST

START_TEST(a_hundred_files_need_few_descriptors)
{
    struct archive archive = archive_new("many");
    for (int day = 0; day < 100; ++day)
        archive_add(&archive, test_path("d%02d.nc", day), (struct day_file){.deflated = day % 2}, day, 1);
    struct rlimit before;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit few = {32, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &few), 0);
    struct sst_catalog *catalog = archive_scan(&archive);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_uint_eq(catalog->n_files, 100);
    ck_assert_uint_eq(catalog->n_rejects, 0);
    sst_catalog_destroy(&catalog);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("catalog");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, days_stand_in_order_of_slot_and_year_whatever_the_names);
    tcase_add_test(tc, gaps_and_doubles_are_counted);
    tcase_add_test(tc, another_grid_is_a_reject_that_names_both);
    tcase_add_test(tc, the_most_days_win_not_the_most_files);
    tcase_add_test(tc, grids_that_differ_in_orientation_join_and_the_earliest_day_gives_the_runs);
    tcase_add_test(tc, the_earliest_day_may_stand_anywhere_in_a_file);
    tcase_add_test(tc, other_calendars_are_rejects_but_the_gregorian_ones_join);
    tcase_add_test(tc, kinds_of_temperature_are_not_mixed_but_surface_and_unknown_join);
    tcase_add_test(tc, files_that_are_no_sst_are_rejects_or_stop_the_scan);
    tcase_add_test(tc, without_a_usable_file_the_first_reason_is_named);
    tcase_add_loop_test(tc, the_lattice_is_the_finest_that_the_values_need, 0,
                        (int)(sizeof lattices / sizeof lattices[0]));
    tcase_add_test(tc, a_change_of_name_or_packing_is_noted_and_no_reject);
    tcase_add_loop_test(tc, unlike_products_are_joined_and_told_once, 0, (int)(sizeof products / sizeof products[0]));
    tcase_add_test(tc, names_that_change_in_every_file_tell_nothing);
    tcase_add_test(tc, what_many_files_have_is_noted_once_and_counted);
    tcase_add_test(tc, a_path_given_twice_is_one_file);
    tcase_add_test(tc, a_hundred_files_need_few_descriptors);
    suite_add_tcase(suite, tc);
    return suite;
}
