/* Files into a state as a service does it: none is left out for what came with it, and what became of each is noted. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <netcdf.h>

#include "app/ingest_job.h"
#include "core/mem.h"
#include "ingest_fixture.h"
#include "test_main.h"

enum { LOG_ROOM = 8192 };

struct bench {
    struct ingest_fixture state;
    struct sst_options options;
    struct sst_log log;
    FILE *stream;
    struct sst_ingest_job job;
    size_t n_told;
};

static void count_told(void *user, const struct sst_ingest_news *news)
{
    struct bench *bench = user;
    (void)news;
    ++bench->n_told;
}

static void reopen_notes(struct bench *bench)
{
    struct sst_error err = {SST_OK, ""};
    sst_file_notes_close(&bench->job.notes);
    ck_assert_msg(sst_file_notes_open(bench->state.state, &bench->job.notes, &err) == SST_OK, "%s", err.text);
}

/* A state made from an archive, of which it has no day yet. */
static void setup(struct bench *bench, const char *name, const struct archive *archive)
{
    struct sst_error err = {SST_OK, ""};
    char line[] = "sststream ingest --state st --progress none --readers 0 files";
    char *words[16], *rest = NULL;
    int n_words = 0;
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        words[n_words++] = word;
    memset(bench, 0, sizeof *bench);
    bench->state = ingest_make(name, SST_KEEP_PROBES, archive);
    ck_assert_msg(sst_options_parse(n_words, words, &bench->options, &err) == SST_OK, "%s", err.text);
    bench->stream = tmpfile();
    ck_assert_ptr_nonnull(bench->stream);
    sst_log_init(&bench->log, bench->stream);
    bench->options.log = &bench->log;
    bench->job = (struct sst_ingest_job){
        .options = &bench->options, .state = bench->state.state, .tell = count_told, .user = bench};
    reopen_notes(bench);
}

static void teardown(struct bench *bench)
{
    sst_file_notes_close(&bench->job.notes);
    sst_options_clear(&bench->options);
    sst_state_close(&bench->state.state);
    (void)fclose(bench->stream);
}

static void run(struct bench *bench, const struct archive *archive)
{
    struct sst_error err = {SST_OK, ""};
    const char *paths[ARCHIVE_MAX_PATHS];
    for (size_t i = 0; i < archive->n; ++i)
        paths[i] = archive->paths[i];
    ck_assert_msg(sst_ingest_job_run(&bench->job, paths, archive->n, &err) == SST_OK, "%s", err.text);
    reopen_notes(bench); /* what is asked below was durable */
}

static const struct sst_held_file *held(const struct bench *bench, const char *path)
{
    for (size_t i = 0; i < sst_file_notes_n_held(bench->job.notes); ++i)
        if (strcmp(sst_file_notes_held(bench->job.notes)[i].path, path) == 0)
            return &sst_file_notes_held(bench->job.notes)[i];
    return NULL;
}

static void expect_held(const struct bench *bench, const char *path, enum sst_held_reason reason, const char *part)
{
    const struct sst_held_file *file = held(bench, path);
    ck_assert_msg(file != NULL, "%s is not held", path);
    ck_assert_str_eq(sst_held_reason_name(file->reason), sst_held_reason_name(reason));
    ck_assert_msg(strstr(file->text, part) != NULL, "%s", file->text);
    ck_assert(sst_file_notes_knows(bench->job.notes, path, file->stamp));
}

static bool is_taken(const struct bench *bench, const char *path)
{
    struct stat status;
    ck_assert_int_eq(stat(path, &status), 0);
    const struct sst_file_stamp stamp = {(int64_t)status.st_size,
                                         (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec};
    return !held(bench, path) && sst_file_notes_knows(bench->job.notes, path, stamp);
}

static const char *log_text(struct bench *bench)
{
    static char text[LOG_ROOM];
    (void)fflush(bench->stream);
    rewind(bench->stream);
    text[fread(text, 1, sizeof text - 1, bench->stream)] = '\0';
    return text;
}

START_TEST(files_are_taken_or_held_with_their_reason)
{
    const struct archive ours = ingest_one("job-ours", "a.nc", (struct day_file){.id = "OISST 2.1"}, 100);
    struct archive files = archive_new("job");
    struct bench bench;
    archive_add(&files, "a.nc", (struct day_file){.id = "OISST 2.1"}, 100, 1);
    archive_add(&files, "b_preliminary.nc", (struct day_file){.n_lat = 0}, 110, 1);
    archive_add(&files, "c.nc", (struct day_file){.storage = STORED_FLOAT, .added_degc = -0.07}, 101, 1);
    archive_add(&files, "d.nc", (struct day_file){.id = "OTHER 1.0"}, 120, 1);
    day_file_write_text(archive_add_path(&files, "e.nc"), "no file of numbers at all");
    archive_add(&files, "f.nc", (struct day_file){.id = "OISST 2.1"}, 130, 1);
    archive_add(&files, "g.nc", (struct day_file){.id = "OISST 2.1", .added = 3}, 130, 1);
    archive_add(&files, "h.nc", (struct day_file){.n_lat = 8, .n_lon = 6}, 140, 1);
    const char *const path[] = {files.paths[0], files.paths[1], files.paths[2], files.paths[3],
                                files.paths[4], files.paths[5], files.paths[6], files.paths[7]};
    setup(&bench, "job.state", &ours);
    run(&bench, &files);
    ck_assert(is_taken(&bench, path[0]) && is_taken(&bench, path[1]));
    expect_held(&bench, path[2], SST_HELD_STALE, "all values are those of 2000-04-10");
    ck_assert(held(&bench, path[2])->has_day && held(&bench, path[2])->day.slot == 102);
    expect_held(&bench, path[3], SST_HELD_PRODUCT, "--accept-product takes it");
    expect_held(&bench, path[4], SST_HELD_UNREADABLE, "");
    expect_held(&bench, path[5], SST_HELD_CONFLICT, "another file of the same day");
    expect_held(&bench, path[6], SST_HELD_CONFLICT, "values differ from those of");
    expect_held(&bench, path[7], SST_HELD_FOREIGN, "not the grid of the state");
    ck_assert_uint_eq(sst_file_notes_n_held(bench.job.notes), 6);
    ck_assert_uint_eq(bench.job.n_rejects, 2);
    ck_assert_uint_eq(bench.n_told, 6);
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_ingest_job_outcome(&bench.job, &err), SST_ERR_INCOMPLETE);
    ck_assert_str_eq(err.text, "done, but 4 days were left out, and 2 files could not be used");
    teardown(&bench);
}
END_TEST

START_TEST(what_is_accepted_is_held_no_more)
{
    struct archive first = ingest_one("accept0", "a.nc", (struct day_file){.n_lat = 0}, 100);
    const struct archive stale =
        ingest_one("accept1", "b.nc", (struct day_file){.storage = STORED_FLOAT, .added_degc = -0.07}, 101);
    struct bench bench;
    setup(&bench, "accept.state", &first);
    run(&bench, &first);
    run(&bench, &stale);
    ck_assert_ptr_nonnull(held(&bench, stale.paths[0]));
    bench.options.accept_stale = true;
    run(&bench, &stale);
    ck_assert(is_taken(&bench, stale.paths[0]));
    ck_assert_uint_eq(bench.job.totals.n[SST_INGEST_ADD], 2); /* of all calls */
    ck_assert_uint_eq(bench.job.totals.n_commits, 2);
    teardown(&bench);
}
END_TEST

/* Two files of another grid and one of another calendar are more than the one that is right. */
START_TEST(no_file_is_left_out_for_what_came_with_it)
{
    const struct archive ours = ingest_one("series0", "a.nc", (struct day_file){.n_lat = 0}, 100);
    struct archive files = archive_new("series");
    struct bench bench;
    archive_add(&files, "a.nc", (struct day_file){.n_lat = 8, .n_lon = 6}, 101, 3);
    archive_add(&files, "b.nc", (struct day_file){.calendar = "noleap"}, 100, 2);
    archive_add(&files, "c.nc", (struct day_file){.n_lat = 0}, 100, 1);
    setup(&bench, "series.state", &ours);
    run(&bench, &files);
    ck_assert_uint_eq(bench.job.totals.n[SST_INGEST_ADD], 1);
    ck_assert(is_taken(&bench, files.paths[2]));
    expect_held(&bench, files.paths[0], SST_HELD_FOREIGN, "not the grid");
    expect_held(&bench, files.paths[1], SST_HELD_FOREIGN, "calendar noleap");
    struct archive none = archive_new("series-none");
    day_file_write_text(archive_add_path(&none, "x.nc"), "nothing");
    (void)archive_add_path(&none, "gone.nc"); /* taken away since it was listed */
    run(&bench, &none);
    expect_held(&bench, none.paths[0], SST_HELD_UNREADABLE, "");
    ck_assert_ptr_null(held(&bench, none.paths[1]));
    teardown(&bench);
}
END_TEST

static void say_platform(const char *path, const char *platform)
{
    int ncid = -1;
    ck_assert_int_eq(nc_open(path, NC_WRITE, &ncid), NC_NOERR);
    ck_assert_int_eq(nc_redef(ncid), NC_NOERR);
    ck_assert_int_eq(nc_put_att_text(ncid, NC_GLOBAL, "platform", strlen(platform), platform), NC_NOERR);
    ck_assert_int_eq(nc_close(ncid), NC_NOERR);
}

START_TEST(a_change_of_sensor_is_told_once_and_refuses_nothing)
{
    static const char *const platforms[] = {"MetOp-A", "MetOp-A", "MetOp-B", "MetOp-B"};
    struct bench bench;
    for (int day = 0; day < 4; ++day) {
        const struct archive file =
            ingest_one(test_path("sensor%d", day), "a.nc", (struct day_file){.n_lat = 0}, 100 + day);
        say_platform(file.paths[0], platforms[day]);
        if (day == 0)
            setup(&bench, "sensor.state", &file);
        run(&bench, &file);
        const char *found = strstr(log_text(&bench), "its sensor is 'MetOp-B', which no file before had");
        ck_assert_int_eq(found != NULL, day >= 2);
        ck_assert(!found || !strstr(found + 1, "its sensor is"));
    }
    ck_assert_uint_eq(bench.job.totals.n[SST_INGEST_ADD], 4);
    teardown(&bench);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("ingest job");
    TCase *tc = tcase_create("all");
    tcase_set_timeout(tc, 120);
    tcase_add_test(tc, files_are_taken_or_held_with_their_reason);
    tcase_add_test(tc, what_is_accepted_is_held_no_more);
    tcase_add_test(tc, no_file_is_left_out_for_what_came_with_it);
    tcase_add_test(tc, a_change_of_sensor_is_told_once_and_refuses_nothing);
    suite_add_tcase(suite, tc);
    return suite;
}
