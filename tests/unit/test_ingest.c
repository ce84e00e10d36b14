/* Days into states on disk: in whatever order and form, and however often they come. */
#include <errno.h>
#include <string.h>

#include "ingest_fixture.h"
#include "test_main.h"

START_TEST(files_given_again_change_nothing)
{
    const struct archive archive = ingest_years_of("again", 6);
    struct ingest_fixture fixture = ingest_make("again.state", SST_KEEP_PROBES, &archive);
    ingest_files(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 24);
    ck_assert_uint_eq(fixture.totals.n_commits, 6); /* each slot once */
    const struct sst_identity before = ingest_digest(&fixture);
    ingest_files(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], 24);
    ck_assert_uint_eq(fixture.totals.n_commits, 0);
    ingest_expect_equal(before, ingest_digest(&fixture));
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(the_same_values_count_once_whatever_file_they_come_in)
{
    struct archive archive = ingest_one("forms", "a.nc", (struct day_file){.n_lat = 0}, 100);
    struct ingest_fixture fixture = ingest_make("forms.state", SST_KEEP_PROBES, &archive);
    ingest_files(&fixture, &archive);
    const struct sst_identity before = ingest_digest(&fixture);
    const struct day_file forms[] = {{.south_last = true},
                                     {.first_lon = 210},
                                     {.storage = STORED_FLOAT},
                                     {.deflated = true},
                                     {.variable = "other", .standard_name = "sea_surface_temperature"},
                                     {.second = -1}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        const struct archive other = ingest_one(test_path("form%zu", i), "b.nc", forms[i], 100);
        ingest_files(&fixture, &other);
        ck_assert_str_eq(fixture.told, "2000-04-10 same\n");
        struct ingest_fixture own = ingest_make(test_path("form%zu.state", i), SST_KEEP_PROBES, &archive);
        ingest_files(&own, &other);
        ck_assert_str_eq(own.told, "2000-04-10 add\n");
        ingest_expect_equal(before, ingest_digest(&own));
        sst_state_close(&own.state);
    }
    ingest_expect_equal(before, ingest_digest(&fixture));
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(the_order_of_arrival_leaves_no_trace)
{
    const struct archive archive = ingest_years_of("order", 5);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep) {
        struct ingest_fixture at_once = ingest_make(test_path("order%d", keep), (enum sst_keep)keep, &archive);
        struct ingest_fixture one_by_one = ingest_make(test_path("order%d.r", keep), (enum sst_keep)keep, &archive);
        ingest_files(&at_once, &archive);
        for (size_t i = archive.n; i-- > 0;) {
            struct archive single = {.n = 1};
            memcpy(single.paths[0], archive.paths[i], sizeof single.paths[0]);
            ingest_files(&one_by_one, &single);
            ck_assert_uint_eq(one_by_one.totals.n[SST_INGEST_ADD], 1);
        }
        ingest_expect_equal(ingest_digest(&at_once), ingest_digest(&one_by_one));
        sst_state_close(&at_once.state);
        sst_state_close(&one_by_one.state);
    }
}
END_TEST

/* Values that replace others leave what a state has that only saw them. */
START_TEST(a_replaced_day_leaves_no_trace)
{
    const struct archive archive = ingest_years_of("replaced", 3);
    struct archive right = ingest_years_of("right", 3);
    archive_add(&right, "2001-01.nc", (struct day_file){.has_ice = true, .added = 321}, 367, 1);
    --right.n; /* written over the file that was there */
    struct archive wrong = archive_new("wrong");
    const int second_days[] = {1, 367, 732, 1097};
    for (size_t i = 0; i < 4; ++i)
        archive_add(&wrong, test_path("%zu.nc", i), (struct day_file){.has_ice = true, .added = 77}, second_days[i], 1);
    const struct archive single = ingest_one("new", "new.nc", (struct day_file){.has_ice = true, .added = 321}, 367);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep) {
        struct ingest_fixture fixture = ingest_make(test_path("replaced%d", keep), (enum sst_keep)keep, &archive);
        struct ingest_fixture plain = ingest_make(test_path("replaced%d.r", keep), (enum sst_keep)keep, &archive);
        struct sst_ingest_options options = {.accept_jump = true, .replaces = true};
        ingest_files(&fixture, &archive);
        const struct sst_identity before = ingest_digest(&fixture);
        ingest_files(&fixture, &single);
        ck_assert_str_eq(
            fixture.told,
            "2001-01-02 conflict: counted already, with other values. --replace takes these in their place\n");
        ingest_expect_equal(before, ingest_digest(&fixture));
        if (keep != SST_KEEP_ALL) {
            ingest_files_with(&fixture, &single, options);
            ck_assert_msg(strstr(fixture.told, "conflict") &&
                              strstr(fixture.told, "2000-01.nc of 2000 is not among them"),
                          "%s", fixture.told);
            ingest_expect_equal(before, ingest_digest(&fixture));
            options.old = archive_scan(&wrong); /* of the right days, but not what was counted */
            ingest_files_with(&fixture, &single, options);
            ck_assert_msg(strstr(fixture.told, "conflict") != NULL, "%s", fixture.told);
            ingest_expect_equal(before, ingest_digest(&fixture));
            sst_catalog_destroy(&options.old);
            options.old = archive_scan(&archive);
        }
        ingest_files_with(&fixture, &single, options);
        ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
        ingest_files(&plain, &right);
        ingest_expect_unlike(before, ingest_digest(&fixture));
        ingest_expect_equal(ingest_digest(&plain), ingest_digest(&fixture));
        sst_catalog_destroy(&options.old);
        sst_state_close(&fixture.state);
        sst_state_close(&plain.state);
    }
}
END_TEST

START_TEST(without_lists_the_old_file_of_the_day_is_enough)
{
    const struct archive archive = ingest_years_of("sums", 2);
    const struct archive old = ingest_one("old", "old.nc", (struct day_file){.has_ice = true}, 367);
    const struct archive new = ingest_one("newer", "new.nc", (struct day_file){.has_ice = true, .added = -40}, 367);
    struct ingest_fixture fixture =
        ingest_make_with(sst_os_system(), test_path("%s/sums.state", test_scratch_dir()), SST_KEEP_PROBES, 0, &archive);
    struct sst_ingest_options options = {.accept_jump = true, .replaces = true};
    ingest_files(&fixture, &archive);
    const struct sst_identity before = ingest_digest(&fixture);
    ingest_files_with(&fixture, &new, options);
    ck_assert_msg(strstr(fixture.told, "conflict") && strstr(fixture.told, "2001-01.nc, with --old"), "%s",
                  fixture.told);
    options.old = archive_scan(&old);
    ingest_files_with(&fixture, &new, options);
    ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
    ingest_expect_unlike(before, ingest_digest(&fixture));
    sst_catalog_destroy(&options.old);
    options.old = archive_scan(&new); /* and back again */
    ingest_files_with(&fixture, &old, options);
    ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
    ingest_expect_equal(before, ingest_digest(&fixture));
    sst_catalog_destroy(&options.old);
    sst_state_close(&fixture.state);
}
END_TEST

/* Day 101 with the values of day 100: made-up values rise by 0.07 degC a day. */
static const struct day_file stale_file = {.storage = STORED_FLOAT, .added_degc = -0.07};

START_TEST(a_field_under_a_second_date_is_left_out)
{
    const struct archive first = ingest_one("stale0", "a.nc", (struct day_file){.n_lat = 0}, 100);
    const struct archive stale = ingest_one("stale1", "b.nc", stale_file, 101);
    struct ingest_fixture fixture = ingest_make("stale.state", SST_KEEP_PROBES, &first);
    struct ingest_fixture turned = ingest_make("stale.turned", SST_KEEP_PROBES, &first);
    ingest_files(&fixture, &first);
    ingest_files(&fixture, &stale);
    ck_assert_msg(strncmp(fixture.told, "2000-04-11 left out: all values are those of 2000-04-10", 55) == 0, "%s",
                  fixture.told);
    ingest_files(&turned, &stale);
    ingest_files(&turned, &first);
    ck_assert_msg(strncmp(turned.told, "2000-04-10 left out: all values are those of 2000-04-11", 55) == 0, "%s",
                  turned.told);
    struct ingest_fixture together = ingest_make("stale.together", SST_KEEP_PROBES, &first);
    struct archive both = {.n = 2};
    memcpy(both.paths[0], first.paths[0], sizeof both.paths[0]);
    memcpy(both.paths[1], stale.paths[0], sizeof both.paths[1]);
    ingest_files(&together, &both);
    ck_assert_msg(strncmp(together.told, "2000-04-10 add\n2000-04-11 left out", 34) == 0, "%s", together.told);
    sst_state_close(&together.state);
    sst_state_close(&turned.state);
    ingest_files_with(&fixture, &stale, (struct sst_ingest_options){.accept_stale = true});
    ck_assert_str_eq(fixture.told, "2000-04-11 add\n");
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(a_field_that_jumps_is_left_out)
{
    struct archive others = archive_new("jump");
    const int days[] = {0, 366, 731}; /* 1 January of three years: values of 10 to 13 degC */
    for (size_t i = 0; i < 3; ++i)
        archive_add(&others, test_path("%zu.nc", i), (struct day_file){.n_lat = 0}, days[i], 1);
    const struct archive high =
        ingest_one("high", "d.nc", (struct day_file){.storage = STORED_FLOAT, .added_degc = 15.0}, 1096);
    struct ingest_fixture fixture = ingest_make("jump.state", SST_KEEP_PROBES, &others);
    ingest_files_with(&fixture, &others, (struct sst_ingest_options){.replaces = false});
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 3);
    ingest_files_with(&fixture, &high, (struct sst_ingest_options){.replaces = false});
    ck_assert_msg(strstr(fixture.told, "2003-01-01 left out: its median is ") != NULL, "%s", fixture.told);
    ingest_files(&fixture, &high);
    ck_assert_str_eq(fixture.told, "2003-01-01 add\n");
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(files_of_another_series_are_left_out)
{
    const struct archive ours = ingest_one("ours", "a.nc", (struct day_file){.id = "OISST 2.1"}, 10);
    const struct archive theirs = ingest_one("theirs", "b.nc", (struct day_file){.id = "OTHER 1.0"}, 11);
    const struct archive fine =
        ingest_one("fine", "c.nc", (struct day_file){.id = "OISST 2.1", .storage = STORED_MILLI}, 12);
    const struct archive wide =
        ingest_one("wide", "d.nc", (struct day_file){.id = "OISST 2.1", .n_lat = 8, .n_lon = 6}, 13);
    const struct archive noleap = ingest_one("noleap", "e.nc", (struct day_file){.calendar = "noleap"}, 14);
    const struct archive skin =
        ingest_one("skin", "f.nc", (struct day_file){.standard_name = "sea_surface_skin_temperature"}, 15);
    struct ingest_fixture fixture = ingest_make("series.state", SST_KEEP_PROBES, &ours);
    ingest_files(&fixture, &ours);
    const struct sst_identity before = ingest_digest(&fixture);
    static const char *const reasons[] = {"its product is 'OTHER 1.0', that of the state 'OISST 2.1'",
                                          "finer than 0.01 degC", "not the grid of the state", "calendar noleap",
                                          "skin temperature; the state is of"};
    const struct archive *const others[] = {&theirs, &fine, &wide, &noleap, &skin};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        ingest_files(&fixture, others[i]);
        ck_assert_uint_eq(fixture.totals.n[SST_INGEST_LEFT_OUT], 1);
        ck_assert_msg(strstr(fixture.told, reasons[i]) != NULL, "%s", fixture.told);
    }
    ingest_expect_equal(before, ingest_digest(&fixture));
    const struct sst_ingest_options accept = {.accept_product = true, .accept_jump = true};
    ingest_files_with(&fixture, &theirs, accept);
    ck_assert_str_eq(fixture.told, "2000-01-12 add\n");
    ingest_files_with(&fixture, &skin, accept);
    ck_assert_str_eq(fixture.told, "2000-01-16 add\n");
    sst_state_close(&fixture.state);
}
END_TEST

/* The system, but for renaming. */
static int cannot_rename(void *user, int folder, const char *from, const char *to)
{
    (void)user, (void)folder, (void)from, (void)to;
    errno = EIO;
    return -1;
}

START_TEST(what_is_not_durable_is_not_told)
{
    const struct archive archive = ingest_years_of("durable", 1);
    struct ingest_fixture fixture = ingest_make("durable.state", SST_KEEP_PROBES, &archive);
    const struct sst_identity before = ingest_digest(&fixture);
    const char *path = test_path("%s", sst_state_path(fixture.state));
    struct sst_os os = *sst_os_system();
    os.rename = cannot_rename;
    struct sst_error err = {SST_OK, ""};
    sst_state_close(&fixture.state);
    ck_assert_msg(sst_state_open(&os, path, SST_STATE_WRITE, &fixture.state, &err) == SST_OK, "%s", err.text);
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.accept_jump = true, .tell = ingest_tell, .user = &fixture};
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(fixture.told, "");
    ingest_expect_equal(before, ingest_digest(&fixture));
    sst_catalog_destroy(&catalog);
    sst_state_close(&fixture.state);
}
END_TEST

/* Asked to stop, it commits what it has of the slot at hand and takes no further day. */
static bool stops_at_once(void *user)
{
    (void)user;
    return true;
}

START_TEST(a_request_to_stop_is_heard_between_days)
{
    const struct archive archive = ingest_years_of("stop", 3);
    struct ingest_fixture fixture = ingest_make("stop.state", SST_KEEP_PROBES, &archive);
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.tell = ingest_tell, .user = &fixture, .cancelled = stops_at_once};
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_INTERRUPTED);
    ck_assert_str_eq(fixture.told, "2000-01-01 add\n");
    sst_catalog_destroy(&catalog);
    ingest_files(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 11);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], 1);
    sst_state_close(&fixture.state);
}
END_TEST

static size_t n_writes_left;

static bool has_room(void *user)
{
    (void)user;
    return n_writes_left > 0 && n_writes_left--;
}

/* One slot at a time has room: its four years are taken, and the others wait. */
START_TEST(room_is_asked_for_before_each_commit)
{
    const struct archive archive = ingest_years_of("room", 3);
    struct ingest_fixture fixture = ingest_make("room.state", SST_KEEP_PROBES, &archive);
    struct ingest_fixture whole = ingest_make("room.whole", SST_KEEP_PROBES, &archive);
    struct sst_error err = {SST_OK, ""};
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {
        .tell = ingest_tell, .user = &fixture, .accept_jump = true, .may_write = has_room};
    ingest_files(&whole, &archive);
    for (size_t n_days = 0; n_days < archive.n; n_days += fixture.totals.n[SST_INGEST_ADD]) {
        struct sst_catalog *catalog = archive_scan(&archive);
        n_writes_left = 1;
        const enum sst_status rc = sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err);
        sst_catalog_destroy(&catalog);
        ck_assert_uint_eq(fixture.totals.n_commits, 1);
        ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 4);
        ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], n_days);
        ck_assert_int_eq(rc, n_days + 4 < archive.n ? SST_ERR_INTERRUPTED : SST_OK);
    }
    ck_assert_str_eq(err.text, "stopped before a commit; what was told as committed is");
    ingest_expect_equal(ingest_digest(&whole), ingest_digest(&fixture));
    sst_state_close(&whole.state);
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(room_is_asked_for_before_days_are_logged)
{
    const struct archive archive = ingest_one("roomlog", "later.nc", (struct day_file){.n_lat = 0}, 2000);
    struct ingest_fixture fixture = ingest_make("roomlog.state", SST_KEEP_PROBES, &archive);
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.tell = ingest_tell, .user = &fixture, .may_write = has_room};
    fixture.told[0] = '\0';
    n_writes_left = 0;
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_INTERRUPTED);
    ck_assert_str_eq(fixture.told, "");
    ck_assert_uint_eq(sst_state_n_logged(fixture.state), 0);
    sst_catalog_destroy(&catalog);
    sst_state_close(&fixture.state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ingest");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, files_given_again_change_nothing);
    tcase_add_test(tc, the_same_values_count_once_whatever_file_they_come_in);
    tcase_add_test(tc, the_order_of_arrival_leaves_no_trace);
    tcase_add_test(tc, a_replaced_day_leaves_no_trace);
    tcase_add_test(tc, without_lists_the_old_file_of_the_day_is_enough);
    tcase_add_test(tc, a_field_under_a_second_date_is_left_out);
    tcase_add_test(tc, a_field_that_jumps_is_left_out);
    tcase_add_test(tc, files_of_another_series_are_left_out);
    tcase_add_test(tc, what_is_not_durable_is_not_told);
    tcase_add_test(tc, a_request_to_stop_is_heard_between_days);
    tcase_add_test(tc, room_is_asked_for_before_each_commit);
    tcase_add_test(tc, room_is_asked_for_before_days_are_logged);
    suite_add_tcase(suite, tc);
    return suite;
}
