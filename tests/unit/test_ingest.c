/* Days into states on disk: in whatever order and form, and however often they come. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "archive.h"
#include "core/mem.h"
#include "state/ingest.h"
#include "test_main.h"
#include "validate/probes.h"

enum { FIRST_YEAR = 2000, LAST_YEAR = 2003, TOLD_ROOM = 8192, LAST_DAY = 1460 /* 2003-12-31 */ };

static enum sst_status choose_probes(const struct sst_domain *domain, uint64_t seed, double share, size_t **cells,
                                     size_t *n_cells, struct sst_error *err)
{
    return sst_probes_choose(domain, NULL, seed, share, cells, n_cells, err);
}

struct fixture {
    struct sst_state *state;
    struct sst_ingest_totals totals;
    char told[TOLD_ROOM]; /* by the last ingest: a line a day */
};

static struct fixture make_with(const char *name, enum sst_keep keep, int list_length, const struct archive *archive)
{
    struct fixture fixture = {NULL, {{0}, 0}, ""};
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(archive);
    struct sst_state_policy policy = {
        .pools = {catalog->calendar, SST_LEAP_HOBDAY, FIRST_YEAR, LAST_YEAR, 1},
        .lattice = catalog->lattice,
        .kind = catalog->kind,
        .has_moments = true,
        .tail = {list_length, 0},
        .keep = keep,
        .probe_share = 0.5,
        .seed = 1,
    };
    const char *path = test_path("%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(sst_strdup(sst_ingest_product(catalog), &policy.product, &err), SST_OK);
    ck_assert_int_eq(sst_grid_create(catalog->grid->lat, catalog->grid->n_lat, catalog->grid->lon, catalog->grid->n_lon,
                                     &policy.grid, &err),
                     SST_OK);
    ck_assert_msg(sst_state_policy_complete(&policy, choose_probes, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_make(sst_os_system(), path, &policy, &err) == SST_OK, "%s", err.text);
    ck_assert_msg(sst_state_open(sst_os_system(), path, SST_STATE_WRITE, &fixture.state, &err) == SST_OK, "%s",
                  err.text);
    sst_state_policy_clear(&policy);
    sst_catalog_destroy(&catalog);
    return fixture;
}

static struct fixture make(const char *name, enum sst_keep keep, const struct archive *archive)
{
    return make_with(name, keep, 2, archive);
}

static void tell(void *user, const struct sst_ingest_news *news)
{
    static const char *const names[SST_INGEST_N_OUTCOMES] = {"add",     "replace",  "same",     "waits", "late",
                                                             "outside", "conflict", "left out", "bad"};
    struct fixture *fixture = user;
    const size_t length = strlen(fixture->told);
    char day[SST_DAY_TEXT_SIZE];
    (void)snprintf(fixture->told + length, TOLD_ROOM - length, "%s %s%s%s\n",
                   sst_day_text(SST_CALENDAR_STANDARD, news->day, day), names[news->outcome], news->reason ? ": " : "",
                   news->reason ? news->reason : "");
}

/* Takes an archive in; made-up values jump, so that guard is off unless a test is about it. */
static void ingest_with(struct fixture *fixture, const struct archive *archive, struct sst_ingest_options options)
{
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    fixture->told[0] = '\0';
    options.tell = tell;
    options.user = fixture;
    const enum sst_status rc = sst_ingest(fixture->state, catalog, &reader, &options, &fixture->totals, &err);
    ck_assert_msg(rc == SST_OK, "%s", err.text);
    sst_catalog_destroy(&catalog);
}

static void ingest(struct fixture *fixture, const struct archive *archive)
{
    ingest_with(fixture, archive, (struct sst_ingest_options){.accept_jump = true});
}

static struct sst_identity digest(const struct fixture *fixture)
{
    struct sst_identity out = {0, 0};
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_state_digest(fixture->state, &out, &err) == SST_OK, "%s", err.text);
    return out;
}

static void expect_equal(struct sst_identity a, struct sst_identity b)
{
    ck_assert(a.low == b.low && a.high == b.high);
}

static void expect_unlike(struct sst_identity a, struct sst_identity b)
{
    ck_assert(a.low != b.low || a.high != b.high);
}

/* One file a day of the first days of each year. */
static struct archive years_of(const char *name, int n_days)
{
    struct archive archive = archive_new(name);
    const int first_days[] = {0, 366, 731, 1096};
    for (int year = 0; year < 4; ++year)
        for (int day = 0; day < n_days; ++day)
            archive_add(&archive, test_path("%d-%02d.nc", FIRST_YEAR + year, day),
                        (struct day_file){.has_ice = day == 1}, first_days[year] + day, 1);
    return archive;
}

/* An archive of one file of one day. */
static struct archive one(const char *name, const char *file_name, struct day_file file, int day)
{
    struct archive archive = archive_new(name);
    archive_add(&archive, file_name, file, day, 1);
    return archive;
}

START_TEST(files_given_again_change_nothing)
{
    const struct archive archive = years_of("again", 6);
    struct fixture fixture = make("again.state", SST_KEEP_PROBES, &archive);
    ingest(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 24);
    ck_assert_uint_eq(fixture.totals.n_commits, 6); /* each slot once */
    const struct sst_identity before = digest(&fixture);
    ingest(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], 24);
    ck_assert_uint_eq(fixture.totals.n_commits, 0);
    expect_equal(before, digest(&fixture));
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(the_same_values_count_once_whatever_file_they_come_in)
{
    struct archive archive = one("forms", "a.nc", (struct day_file){.n_lat = 0}, 100);
    struct fixture fixture = make("forms.state", SST_KEEP_PROBES, &archive);
    ingest(&fixture, &archive);
    const struct sst_identity before = digest(&fixture);
    const struct day_file forms[] = {{.south_last = true},
                                     {.first_lon = 210},
                                     {.storage = STORED_FLOAT},
                                     {.deflated = true},
                                     {.variable = "other", .standard_name = "sea_surface_temperature"},
                                     {.second = -1}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; ++i) {
        const struct archive other = one(test_path("form%zu", i), "b.nc", forms[i], 100);
        ingest(&fixture, &other);
        ck_assert_str_eq(fixture.told, "2000-04-10 same\n");
        struct fixture own = make(test_path("form%zu.state", i), SST_KEEP_PROBES, &archive);
        ingest(&own, &other);
        ck_assert_str_eq(own.told, "2000-04-10 add\n");
        expect_equal(before, digest(&own));
        sst_state_close(&own.state);
    }
    expect_equal(before, digest(&fixture));
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(the_order_of_arrival_leaves_no_trace)
{
    const struct archive archive = years_of("order", 5);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep) {
        struct fixture at_once = make(test_path("order%d", keep), (enum sst_keep)keep, &archive);
        struct fixture one_by_one = make(test_path("order%d.r", keep), (enum sst_keep)keep, &archive);
        ingest(&at_once, &archive);
        for (size_t i = archive.n; i-- > 0;) {
            struct archive single = {.n = 1};
            memcpy(single.paths[0], archive.paths[i], sizeof single.paths[0]);
            ingest(&one_by_one, &single);
            ck_assert_uint_eq(one_by_one.totals.n[SST_INGEST_ADD], 1);
        }
        expect_equal(digest(&at_once), digest(&one_by_one));
        sst_state_close(&at_once.state);
        sst_state_close(&one_by_one.state);
    }
}
END_TEST

START_TEST(preliminary_days_wait_and_come_late)
{
    const struct archive final = one("final", "x.nc", (struct day_file){.added = 5}, 50);
    const struct archive preliminary = one("prelim", "x_preliminary.nc", (struct day_file){.n_lat = 0}, 50);
    struct fixture fixture = make("prelim.state", SST_KEEP_PROBES, &final);
    struct fixture plain = make("final.state", SST_KEEP_PROBES, &final);
    const struct sst_identity empty = digest(&fixture);
    ingest(&fixture, &preliminary);
    ck_assert_str_eq(fixture.told, "2000-02-20 waits\n");
    expect_equal(empty, digest(&fixture));
    ingest(&fixture, &final);
    ck_assert_str_eq(fixture.told, "2000-02-20 add\n");
    ingest(&fixture, &preliminary);
    ck_assert_str_eq(fixture.told, "2000-02-20 late\n");
    ingest(&plain, &final);
    expect_equal(digest(&plain), digest(&fixture));
    sst_state_close(&fixture.state);
    sst_state_close(&plain.state);
}
END_TEST

/* 100 degC in a cell of 24: the file is refused when it is read, and the preliminary one is no substitute. */
START_TEST(a_preliminary_file_does_not_stand_in_for_a_broken_final_one)
{
    const struct archive good = one("good", "x.nc", (struct day_file){.n_lat = 0}, 49);
    struct archive pair = archive_new("pair");
    archive_add(&pair, "x.nc", (struct day_file){.added = 9000}, 50, 1);
    archive_add(&pair, "x_preliminary.nc", (struct day_file){.n_lat = 0}, 50, 1);
    struct fixture fixture = make("pair.state", SST_KEEP_PROBES, &good);
    const struct sst_identity empty = digest(&fixture);
    ingest(&fixture, &pair);
    ck_assert_str_eq(fixture.told, "2000-02-20 waits\n");
    expect_equal(empty, digest(&fixture));
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(days_beside_the_baseline_stay_out_but_for_its_edges)
{
    struct archive archive = archive_new("beside");
    archive_add(&archive, "before.nc", (struct day_file){.n_lat = 0}, -2, 4); /* 1999-12-30 to 2000-01-02 */
    archive_add(&archive, "after.nc", (struct day_file){.n_lat = 0}, LAST_DAY, 3);
    struct fixture fixture = make("beside.state", SST_KEEP_PROBES, &archive);
    ingest(&fixture, &archive);
    ck_assert_str_eq(fixture.told, "2000-01-01 add\n2004-01-01 add\n2004-01-02 outside\n2000-01-02 add\n"
                                   "1999-12-30 outside\n1999-12-31 add\n2003-12-31 add\n");
    sst_state_close(&fixture.state);
}
END_TEST

/* Values that replace others leave what a state has that only saw them. */
START_TEST(a_replaced_day_leaves_no_trace)
{
    const struct archive archive = years_of("replaced", 3);
    struct archive right = years_of("right", 3);
    archive_add(&right, "2001-01.nc", (struct day_file){.has_ice = true, .added = 321}, 367, 1);
    --right.n; /* written over the file that was there */
    struct archive wrong = archive_new("wrong");
    const int second_days[] = {1, 367, 732, 1097};
    for (size_t i = 0; i < 4; ++i)
        archive_add(&wrong, test_path("%zu.nc", i), (struct day_file){.has_ice = true, .added = 77}, second_days[i], 1);
    const struct archive single = one("new", "new.nc", (struct day_file){.has_ice = true, .added = 321}, 367);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep) {
        struct fixture fixture = make(test_path("replaced%d", keep), (enum sst_keep)keep, &archive);
        struct fixture plain = make(test_path("replaced%d.r", keep), (enum sst_keep)keep, &archive);
        struct sst_ingest_options options = {.accept_jump = true, .replaces = true};
        ingest(&fixture, &archive);
        const struct sst_identity before = digest(&fixture);
        ingest(&fixture, &single);
        ck_assert_str_eq(
            fixture.told,
            "2001-01-02 conflict: counted already, with other values. --replace takes these in their place\n");
        expect_equal(before, digest(&fixture));
        if (keep != SST_KEEP_ALL) {
            ingest_with(&fixture, &single, options);
            ck_assert_msg(strstr(fixture.told, "conflict") &&
                              strstr(fixture.told, "2000-01.nc of 2000 is not among them"),
                          "%s", fixture.told);
            expect_equal(before, digest(&fixture));
            options.old = archive_scan(&wrong); /* of the right days, but not what was counted */
            ingest_with(&fixture, &single, options);
            ck_assert_msg(strstr(fixture.told, "conflict") != NULL, "%s", fixture.told);
            expect_equal(before, digest(&fixture));
            sst_catalog_destroy(&options.old);
            options.old = archive_scan(&archive);
        }
        ingest_with(&fixture, &single, options);
        ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
        ingest(&plain, &right);
        expect_unlike(before, digest(&fixture));
        expect_equal(digest(&plain), digest(&fixture));
        sst_catalog_destroy(&options.old);
        sst_state_close(&fixture.state);
        sst_state_close(&plain.state);
    }
}
END_TEST

START_TEST(without_lists_the_old_file_of_the_day_is_enough)
{
    const struct archive archive = years_of("sums", 2);
    const struct archive old = one("old", "old.nc", (struct day_file){.has_ice = true}, 367);
    const struct archive new = one("newer", "new.nc", (struct day_file){.has_ice = true, .added = -40}, 367);
    struct fixture fixture = make_with("sums.state", SST_KEEP_PROBES, 0, &archive);
    struct sst_ingest_options options = {.accept_jump = true, .replaces = true};
    ingest(&fixture, &archive);
    const struct sst_identity before = digest(&fixture);
    ingest_with(&fixture, &new, options);
    ck_assert_msg(strstr(fixture.told, "conflict") && strstr(fixture.told, "2001-01.nc, with --old"), "%s",
                  fixture.told);
    options.old = archive_scan(&old);
    ingest_with(&fixture, &new, options);
    ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
    expect_unlike(before, digest(&fixture));
    sst_catalog_destroy(&options.old);
    options.old = archive_scan(&new); /* and back again */
    ingest_with(&fixture, &old, options);
    ck_assert_str_eq(fixture.told, "2001-01-02 replace\n");
    expect_equal(before, digest(&fixture));
    sst_catalog_destroy(&options.old);
    sst_state_close(&fixture.state);
}
END_TEST

/* Day 101 with the values of day 100: made-up values rise by 0.07 degC a day. */
static const struct day_file stale_file = {.storage = STORED_FLOAT, .added_degc = -0.07};

START_TEST(a_field_under_a_second_date_is_left_out)
{
    const struct archive first = one("stale0", "a.nc", (struct day_file){.n_lat = 0}, 100);
    const struct archive stale = one("stale1", "b.nc", stale_file, 101);
    struct fixture fixture = make("stale.state", SST_KEEP_PROBES, &first);
    struct fixture turned = make("stale.turned", SST_KEEP_PROBES, &first);
    ingest(&fixture, &first);
    ingest(&fixture, &stale);
    ck_assert_msg(strncmp(fixture.told, "2000-04-11 left out: all values are those of 2000-04-10", 55) == 0, "%s",
                  fixture.told);
    ingest(&turned, &stale);
    ingest(&turned, &first);
    ck_assert_msg(strncmp(turned.told, "2000-04-10 left out: all values are those of 2000-04-11", 55) == 0, "%s",
                  turned.told);
    struct fixture together = make("stale.together", SST_KEEP_PROBES, &first);
    struct archive both = {.n = 2};
    memcpy(both.paths[0], first.paths[0], sizeof both.paths[0]);
    memcpy(both.paths[1], stale.paths[0], sizeof both.paths[1]);
    ingest(&together, &both);
    ck_assert_msg(strncmp(together.told, "2000-04-10 add\n2000-04-11 left out", 34) == 0, "%s", together.told);
    sst_state_close(&together.state);
    sst_state_close(&turned.state);
    ingest_with(&fixture, &stale, (struct sst_ingest_options){.accept_stale = true});
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
        one("high", "d.nc", (struct day_file){.storage = STORED_FLOAT, .added_degc = 15.0}, 1096);
    struct fixture fixture = make("jump.state", SST_KEEP_PROBES, &others);
    ingest_with(&fixture, &others, (struct sst_ingest_options){.replaces = false});
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 3);
    ingest_with(&fixture, &high, (struct sst_ingest_options){.replaces = false});
    ck_assert_msg(strstr(fixture.told, "2003-01-01 left out: its median is ") != NULL, "%s", fixture.told);
    ingest(&fixture, &high);
    ck_assert_str_eq(fixture.told, "2003-01-01 add\n");
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(files_of_another_series_are_left_out)
{
    const struct archive ours = one("ours", "a.nc", (struct day_file){.id = "OISST 2.1"}, 10);
    const struct archive theirs = one("theirs", "b.nc", (struct day_file){.id = "OTHER 1.0"}, 11);
    const struct archive fine = one("fine", "c.nc", (struct day_file){.id = "OISST 2.1", .storage = STORED_MILLI}, 12);
    const struct archive wide = one("wide", "d.nc", (struct day_file){.id = "OISST 2.1", .n_lat = 8, .n_lon = 6}, 13);
    const struct archive noleap = one("noleap", "e.nc", (struct day_file){.calendar = "noleap"}, 14);
    const struct archive skin =
        one("skin", "f.nc", (struct day_file){.standard_name = "sea_surface_skin_temperature"}, 15);
    struct fixture fixture = make("series.state", SST_KEEP_PROBES, &ours);
    ingest(&fixture, &ours);
    const struct sst_identity before = digest(&fixture);
    static const char *const reasons[] = {"its product is 'OTHER 1.0', that of the state 'OISST 2.1'",
                                          "finer than 0.01 degC", "not the grid of the state", "calendar noleap",
                                          "skin temperature; the state is of"};
    const struct archive *const others[] = {&theirs, &fine, &wide, &noleap, &skin};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        ingest(&fixture, others[i]);
        ck_assert_uint_eq(fixture.totals.n[SST_INGEST_LEFT_OUT], 1);
        ck_assert_msg(strstr(fixture.told, reasons[i]) != NULL, "%s", fixture.told);
    }
    expect_equal(before, digest(&fixture));
    const struct sst_ingest_options accept = {.accept_product = true, .accept_jump = true};
    ingest_with(&fixture, &theirs, accept);
    ck_assert_str_eq(fixture.told, "2000-01-12 add\n");
    ingest_with(&fixture, &skin, accept);
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
    const struct archive archive = years_of("durable", 1);
    struct fixture fixture = make("durable.state", SST_KEEP_PROBES, &archive);
    const struct sst_identity before = digest(&fixture);
    const char *path = test_path("%s", sst_state_path(fixture.state));
    struct sst_os os = *sst_os_system();
    os.rename = cannot_rename;
    struct sst_error err = {SST_OK, ""};
    sst_state_close(&fixture.state);
    ck_assert_msg(sst_state_open(&os, path, SST_STATE_WRITE, &fixture.state, &err) == SST_OK, "%s", err.text);
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.accept_jump = true, .tell = tell, .user = &fixture};
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(fixture.told, "");
    expect_equal(before, digest(&fixture));
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
    const struct archive archive = years_of("stop", 3);
    struct fixture fixture = make("stop.state", SST_KEEP_PROBES, &archive);
    struct sst_error err = {SST_OK, ""};
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.tell = tell, .user = &fixture, .cancelled = stops_at_once};
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_INTERRUPTED);
    ck_assert_str_eq(fixture.told, "2000-01-01 add\n");
    sst_catalog_destroy(&catalog);
    ingest(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_ADD], 11);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], 1);
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
    tcase_add_test(tc, preliminary_days_wait_and_come_late);
    tcase_add_test(tc, a_preliminary_file_does_not_stand_in_for_a_broken_final_one);
    tcase_add_test(tc, days_beside_the_baseline_stay_out_but_for_its_edges);
    tcase_add_test(tc, a_replaced_day_leaves_no_trace);
    tcase_add_test(tc, without_lists_the_old_file_of_the_day_is_enough);
    tcase_add_test(tc, a_field_under_a_second_date_is_left_out);
    tcase_add_test(tc, a_field_that_jumps_is_left_out);
    tcase_add_test(tc, files_of_another_series_are_left_out);
    tcase_add_test(tc, what_is_not_durable_is_not_told);
    tcase_add_test(tc, a_request_to_stop_is_heard_between_days);
    suite_add_tcase(suite, tc);
    return suite;
}
