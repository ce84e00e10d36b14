/* Days that are known without being counted: preliminary ones, and those beside the baseline. */
#include <errno.h>
#include <string.h>

#include "ingest_fixture.h"
#include "test_main.h"

static const struct day_file plain = {.n_lat = 0};

static void expect_logged(const struct ingest_fixture *fixture, struct sst_day day, enum sst_day_status status)
{
    const struct sst_logged_day *logged = sst_state_logged(fixture->state, day);
    ck_assert_ptr_nonnull(logged);
    ck_assert_int_eq(logged->status, status);
}

START_TEST(a_final_day_takes_the_place_of_a_preliminary_one_and_leaves_no_trace_of_it)
{
    const struct archive final = ingest_one("final", "x.nc", (struct day_file){.added = 5}, 50);
    const struct archive preliminary = ingest_one("prelim", "x_preliminary.nc", plain, 50);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; ++keep) {
        struct ingest_fixture fixture = ingest_make(test_path("prelim%d", keep), (enum sst_keep)keep, &final);
        struct ingest_fixture pure = ingest_make(test_path("final%d", keep), (enum sst_keep)keep, &final);
        const struct sst_identity empty = ingest_digest(&fixture);
        ingest_files(&fixture, &preliminary);
        ck_assert_str_eq(fixture.told, "2000-02-20 preliminary logged\n");
        ck_assert_uint_eq(fixture.totals.n_commits, 0);
        ck_assert_uint_eq(fixture.totals.n_log_commits, 1);
        expect_logged(&fixture, (struct sst_day){2000, 51}, SST_DAY_PRELIMINARY);
        ingest_expect_unlike(empty, ingest_digest(&fixture));
        ingest_files(&fixture, &preliminary);
        ck_assert_str_eq(fixture.told, "2000-02-20 preliminary same\n");
        ingest_files(&fixture, &final);
        ck_assert_str_eq(fixture.told, "2000-02-20 add\n");
        ingest_files(&fixture, &preliminary);
        ck_assert_str_eq(fixture.told, "2000-02-20 preliminary late\n");
        ingest_files(&pure, &final);
        ingest_expect_equal(ingest_digest(&pure), ingest_digest(&fixture));
        sst_state_close(&fixture.state);
        sst_state_close(&pure.state);
    }
}
END_TEST

/* Which of two preliminary files is the later one is not seen from the files: the user says so. */
START_TEST(a_preliminary_day_is_revised_by_replace_alone)
{
    const struct archive first = ingest_one("first", "a_preliminary.nc", plain, 50);
    const struct archive second = ingest_one("second", "b_preliminary.nc", (struct day_file){.added = 7}, 50);
    struct ingest_fixture fixture = ingest_make("revised", SST_KEEP_ALL, &first);
    struct ingest_fixture pure = ingest_make("revised.r", SST_KEEP_ALL, &first);
    ingest_files(&fixture, &first);
    const struct sst_identity before = ingest_digest(&fixture);
    ingest_files(&fixture, &second);
    ck_assert_str_eq(fixture.told, "2000-02-20 preliminary conflict: logged as preliminary already, with other values. "
                                   "--replace takes these in their place\n");
    ingest_expect_equal(before, ingest_digest(&fixture));
    ingest_files_with(&fixture, &second, (struct sst_ingest_options){.accept_jump = true, .replaces = true});
    ck_assert_str_eq(fixture.told, "2000-02-20 preliminary logged anew\n");
    ingest_files(&pure, &second);
    ingest_expect_equal(ingest_digest(&pure), ingest_digest(&fixture));
    sst_state_close(&fixture.state);
    sst_state_close(&pure.state);
}
END_TEST

/* 100 degC in a cell of 24: the file is refused when it is read. */
START_TEST(a_preliminary_file_stands_in_for_a_broken_final_one_in_the_log_alone)
{
    const struct archive good = ingest_one("good", "x.nc", plain, 49);
    struct archive pair = archive_new("pair");
    archive_add(&pair, "x.nc", (struct day_file){.added = 9000}, 50, 1);
    archive_add(&pair, "x_preliminary.nc", plain, 50, 1);
    struct ingest_fixture fixture = ingest_make("pair.state", SST_KEEP_PROBES, &good);
    ingest_files(&fixture, &pair);
    ck_assert_str_eq(fixture.told, "2000-02-20 preliminary logged\n");
    ck_assert_uint_eq(fixture.totals.n_commits, 0);
    sst_state_close(&fixture.state);
}
END_TEST

START_TEST(days_beside_the_baseline_are_logged_but_for_its_edges)
{
    struct archive archive = archive_new("beside");
    archive_add(&archive, "before.nc", plain, -2, 4); /* 1999-12-30 to 2000-01-02 */
    archive_add(&archive, "after.nc", plain, INGEST_LAST_DAY, 3);
    const struct archive other = ingest_one("beside-other", "o.nc", (struct day_file){.added = 9}, INGEST_LAST_DAY + 2);
    struct ingest_fixture fixture = ingest_make("beside.state", SST_KEEP_PROBES, &archive);
    ingest_files(&fixture, &archive);
    ck_assert_str_eq(fixture.told, "2000-01-01 add\n2004-01-01 add\n2000-01-02 add\n1999-12-31 add\n2003-12-31 add\n"
                                   "2004-01-02 logged\n1999-12-30 logged\n"); /* the log at last, once */
    ck_assert_uint_eq(fixture.totals.n_log_commits, 1);
    expect_logged(&fixture, (struct sst_day){2004, 2}, SST_DAY_FINAL);
    ingest_files(&fixture, &archive);
    ck_assert_uint_eq(fixture.totals.n[SST_INGEST_DUPLICATE], 7);
    ingest_files(&fixture, &other);
    ck_assert_str_eq(fixture.told, "2004-01-02 conflict: logged already, with other values. --replace takes these in "
                                   "their place\n");
    ingest_files_with(&fixture, &other, (struct sst_ingest_options){.accept_jump = true, .replaces = true});
    ck_assert_str_eq(fixture.told, "2004-01-02 logged anew\n");
    sst_state_close(&fixture.state);
}
END_TEST

/* 40 days in one file: the log is written once for 32 of them and once for the rest. */
START_TEST(the_log_is_written_in_batches)
{
    struct archive archive = archive_new("batches");
    archive_add(&archive, "after.nc", plain, INGEST_LAST_DAY + 10, 40);
    for (int keep = SST_KEEP_NONE; keep <= SST_KEEP_ALL; keep += SST_KEEP_ALL) {
        struct ingest_fixture fixture = ingest_make(test_path("batches%d", keep), (enum sst_keep)keep, &archive);
        ingest_files(&fixture, &archive);
        ck_assert_uint_eq(fixture.totals.n[SST_INGEST_LOGGED], 40);
        ck_assert_uint_eq(fixture.totals.n_log_commits, 2);
        ck_assert_uint_eq(sst_state_n_logged(fixture.state), 40);
        ck_assert_int_eq(sst_state_logged_days(fixture.state)[17].has_values, keep == SST_KEEP_ALL);
        sst_state_close(&fixture.state);
    }
}
END_TEST

/* Day 101 with the values of day 100: made-up values rise by 0.07 degC a day. */
START_TEST(guards_look_at_the_log_and_at_days_for_it)
{
    static const struct day_file stale = {.storage = STORED_FLOAT, .added_degc = -0.07};
    const int at = INGEST_LAST_DAY + 100; /* 2004-04-09 */
    const struct archive first = ingest_one("log0", "a_preliminary.nc", plain, at);
    const struct archive second = ingest_one("log1", "b_preliminary.nc", stale, at + 1);
    struct archive years = archive_new("log2");
    const int days[] = {100, 465, 830};
    for (size_t i = 0; i < 3; ++i)
        archive_add(&years, test_path("%zu.nc", i), plain, days[i], 1);
    struct ingest_fixture fixture = ingest_make("log.state", SST_KEEP_PROBES, &years);
    ingest_files(&fixture, &first);
    ingest_files(&fixture, &second);
    ck_assert_msg(strstr(fixture.told, "2004-04-10 preliminary left out: all values are those of 2004-04-09, which is "
                                       "logged") != NULL,
                  "%s", fixture.told);
    struct archive both = {.n = 2}; /* the first waits for the log when the second is looked at */
    memcpy(both.paths[0], first.paths[0], sizeof both.paths[0]);
    memcpy(both.paths[1], second.paths[0], sizeof both.paths[1]);
    struct ingest_fixture together = ingest_make("log.both", SST_KEEP_PROBES, &years);
    ingest_files(&together, &both);
    ck_assert_msg(strstr(together.told, "2004-04-10 preliminary left out") != NULL, "%s", together.told);
    sst_state_close(&together.state);
    ingest_files(&fixture, &years);
    const struct archive high = ingest_one("log3", "h_preliminary.nc",
                                           (struct day_file){.storage = STORED_FLOAT, .added_degc = 15.0}, at + 366);
    ingest_files_with(&fixture, &high, (struct sst_ingest_options){.replaces = false});
    ck_assert_msg(strstr(fixture.told, "preliminary left out: its median is ") != NULL, "%s", fixture.told);
    sst_state_close(&fixture.state);
}
END_TEST

static int cannot_sync(void *user, int fd)
{
    (void)user, (void)fd;
    errno = EIO;
    return -1;
}

START_TEST(what_is_not_durable_in_the_log_is_not_told)
{
    const struct archive archive = ingest_one("durable", "x_preliminary.nc", plain, 50);
    struct ingest_fixture fixture = ingest_make("durable.state", SST_KEEP_PROBES, &archive);
    const char *path = test_path("%s", sst_state_path(fixture.state));
    struct sst_os os = *sst_os_system();
    struct sst_error err = {SST_OK, ""};
    sst_state_close(&fixture.state);
    ck_assert_msg(sst_state_open(&os, path, SST_STATE_WRITE, &fixture.state, &err) == SST_OK, "%s", err.text);
    os.sync = cannot_sync;
    struct sst_catalog *catalog = archive_scan(&archive);
    const struct sst_reader_options reader = {.cache_bytes = 0};
    const struct sst_ingest_options options = {.accept_jump = true, .tell = ingest_tell, .user = &fixture};
    ck_assert_int_eq(sst_ingest(fixture.state, catalog, &reader, &options, &fixture.totals, &err), SST_ERR_OUTPUT);
    ck_assert_str_eq(fixture.told, "");
    ck_assert_ptr_null(sst_state_logged(fixture.state, (struct sst_day){2000, 51}));
    sst_catalog_destroy(&catalog);
    sst_state_close(&fixture.state);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ingest into the log");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, a_final_day_takes_the_place_of_a_preliminary_one_and_leaves_no_trace_of_it);
    tcase_add_test(tc, a_preliminary_day_is_revised_by_replace_alone);
    tcase_add_test(tc, a_preliminary_file_stands_in_for_a_broken_final_one_in_the_log_alone);
    tcase_add_test(tc, days_beside_the_baseline_are_logged_but_for_its_edges);
    tcase_add_test(tc, the_log_is_written_in_batches);
    tcase_add_test(tc, guards_look_at_the_log_and_at_days_for_it);
    tcase_add_test(tc, what_is_not_durable_in_the_log_is_not_told);
    suite_add_tcase(suite, tc);
    return suite;
}
