/*
 * Files of days that are to be taken away again are read by processes of their own: the same days come of it, and a file that
 * kills or holds up its reader is as one that is not there.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest_fixture.h"
#include "stream/crew.h"
#include "stream/serve.h"
#include "test_main.h"

static enum sst_status die(void *state, struct sst_crew_task *task, struct sst_error *err)
{
    (void)state, (void)task, (void)err;
    abort();
}

static enum sst_status hang(void *state, struct sst_crew_task *task, struct sst_error *err)
{
    (void)state, (void)task, (void)err;
    while (pause() != 0)
        continue;
    return SST_OK;
}

/* A state of one day with other values than its file has now, whose old file is given; told what becomes of it. */
struct correction {
    struct ingest_fixture state;
    struct archive now;
    struct sst_catalog *old;
};

/* name: of its folders. */
static void correction_open(struct correction *correction, const char *name)
{
    const struct archive old = ingest_one(test_path("%s_old", name), "old.nc", (struct day_file){.has_ice = true}, 367);
    const struct archive other = ingest_one(test_path("%s_other", name), "other.nc", (struct day_file){.added = 9}, 1);
    correction->now =
        ingest_one(test_path("%s_now", name), "now.nc", (struct day_file){.has_ice = true, .added = 25}, 367);
    correction->state =
        ingest_make_with(sst_os_system(), test_path("%s/%s", test_scratch_dir(), name), SST_KEEP_NONE, 0, &old);
    ingest_files(&correction->state, &old);
    ingest_files(&correction->state, &other);
    correction->old = archive_scan(&old);
}

static void correction_close(struct correction *correction)
{
    sst_catalog_destroy(&correction->old);
    sst_state_close(&correction->state.state);
}

static void correct(struct correction *correction, const struct sst_reader_crew *crew)
{
    ingest_files_with(
        &correction->state, &correction->now,
        (struct sst_ingest_options){.accept_jump = true, .replaces = true, .old = correction->old, .old_crew = crew});
}

static struct sst_reader_crew launch(const struct sst_crew_service *service)
{
    struct sst_reader_crew crew = {.n_readers = 1, .task_seconds = 0.2};
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_crew_launch(service, &crew.crew, &err) == SST_OK, "%s", err.text);
    return crew;
}

START_TEST(readers_read_old_files)
{
    struct sst_reader_crew crew = launch(&sst_serve);
    struct correction correction, alone;
    crew.task_seconds = 60;
    correction_open(&correction, "read");
    correct(&correction, &crew);
    ck_assert_str_eq(correction.state.told, "2001-01-02 replace\n");
    alone.state =
        ingest_make_with(sst_os_system(), test_path("%s/ALONE", test_scratch_dir()), SST_KEEP_NONE, 0, &correction.now);
    const struct archive other = ingest_one("other2", "other.nc", (struct day_file){.added = 9}, 1);
    ingest_files(&alone.state, &correction.now);
    ingest_files(&alone.state, &other);
    ingest_expect_equal(ingest_digest(&correction.state), ingest_digest(&alone.state));
    sst_state_close(&alone.state.state);
    correction_close(&correction);
    sst_crew_destroy(&crew.crew);
}
END_TEST

START_TEST(an_old_file_that_kills_or_holds_up_its_reader_harms_nothing)
{
    static struct sst_crew_service bad;
    struct correction correction;
    bad = sst_serve;
    bad.serve = _i == 0 ? die : hang;
    struct sst_reader_crew crew = launch(&bad);
    correction_open(&correction, bad.serve == die ? "dies" : "hangs");
    const struct sst_identity before = ingest_digest(&correction.state);
    correct(&correction, &crew);
    ck_assert_msg(strstr(correction.state.told, "2001-01-02 conflict: counted already, with other values") &&
                      strstr(correction.state.told, "Give the file that was counted, old.nc, with --old"),
                  "%s", correction.state.told);
    ingest_expect_equal(ingest_digest(&correction.state), before);
    correction_close(&correction);
    sst_crew_destroy(&crew.crew);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("old files of ingest");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, readers_read_old_files);
    tcase_add_loop_test(tc, an_old_file_that_kills_or_holds_up_its_reader_harms_nothing, 0, 2);
    suite_add_tcase(suite, tc);
    return suite;
}
