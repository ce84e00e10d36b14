/* monitor/inbox: a file is ready when it stood still or was renamed into place, by a clock that nobody sets. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "monitor/inbox.h"
#include "test_main.h"

/* Times that the test sets. */
struct clocks {
    double now, wall;
    const char *known; /* the one path that was dealt with, of known_size */
    int64_t known_size;
};

static double now(void *user) { return ((struct clocks *)user)->now; }
static double wall(void *user) { return ((struct clocks *)user)->wall; }

static bool knows(void *user, const char *path, struct sst_file_stamp stamp)
{
    const struct clocks *clocks = user;
    return clocks->known && strcmp(path, clocks->known) == 0 && stamp.size_bytes == clocks->known_size;
}

static const char *folder(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    return path;
}

static void put(const char *path, const char *text, const char *mode)
{
    FILE *file = fopen(path, mode);
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* mtime [s of 1970] */
static void set_mtime(const char *path, time_t seconds)
{
    const struct timeval times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};
    ck_assert_int_eq(utimes(path, times), 0);
}

static struct sst_inbox *open_inbox(const char *path, struct clocks *clocks, bool once)
{
    const struct sst_inbox_options options = {.folders = &path,
                                              .n_folders = 1,
                                              .settle_seconds = 10.0,
                                              .now = now,
                                              .wall = once ? wall : NULL,
                                              .knows = knows,
                                              .user = clocks};
    struct sst_inbox *inbox = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_inbox_open(&options, &inbox, &err) == SST_OK, "%s", err.text);
    return inbox;
}

static void scan(struct sst_inbox *inbox)
{
    struct sst_error err = {SST_OK, ""};
    ck_assert_msg(sst_inbox_scan(inbox, &err) == SST_OK, "%s", err.text);
}

/* Scans at a time, and asserts how many are ready and how many are waited for. */
static void expect_at(struct sst_inbox *inbox, struct clocks *clocks, double at, size_t n_ready, size_t n_waiting)
{
    clocks->now = at;
    scan(inbox);
    ck_assert_msg(sst_inbox_n_ready(inbox) == n_ready && sst_inbox_n_waiting(inbox) == n_waiting,
                  "at %g: %zu ready, %zu waited for", at, sst_inbox_n_ready(inbox), sst_inbox_n_waiting(inbox));
}

START_TEST(a_file_is_ready_when_it_stood_still)
{
    struct clocks clocks = {0};
    const char *root = folder("still");
    const char *path = test_path("%s/a.nc", root);
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 100.0, 0, 0);
    put(path, "one", "w");
    expect_at(inbox, &clocks, 110.0, 0, 1);
    expect_at(inbox, &clocks, 119.0, 0, 1);
    put(path, "two", "a"); /* it grows: from now on again */
    expect_at(inbox, &clocks, 120.0, 0, 1);
    expect_at(inbox, &clocks, 129.0, 0, 1);
    set_mtime(path, 1000); /* the same size, another time */
    expect_at(inbox, &clocks, 130.0, 0, 1);
    expect_at(inbox, &clocks, 139.9, 0, 1);
    expect_at(inbox, &clocks, 140.0, 1, 0);
    ck_assert_int_eq(sst_inbox_files(inbox)[0].stamp.size_bytes, 6);
    ck_assert_int_eq(sst_inbox_files(inbox)[0].stamp.mtime_ns, INT64_C(1000000000000));
    sst_inbox_close(&inbox);
    ck_assert_ptr_null(inbox);
}
END_TEST

START_TEST(another_file_in_its_place_starts_anew)
{
    struct clocks clocks = {0};
    const char *root = folder("inode");
    const char *path = test_path("%s/a.nc", root), *other = test_path("%s/other", root);
    put(path, "one", "w");
    put(other, "two", "w");
    set_mtime(path, 1000);
    set_mtime(other, 1000);
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 1.0, 0, 1);
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(link(other, path), 0); /* no rename: nothing tells of it but the inode */
    expect_at(inbox, &clocks, 11.0, 0, 1);
    expect_at(inbox, &clocks, 21.0, 1, 0);
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(a_file_renamed_into_place_is_ready_at_once)
{
    struct clocks clocks = {0};
    const char *root = folder("renamed");
    const char *part = test_path("%s/a.nc.part", root), *path = test_path("%s/a.nc", root);
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    if (!sst_inbox_has_hints(inbox)) {
        sst_inbox_close(&inbox);
        return;
    }
    expect_at(inbox, &clocks, 1.0, 0, 0);
    put(part, "one", "w");
    ck_assert(sst_inbox_wait(inbox, 5.0, -1));
    expect_at(inbox, &clocks, 1.0, 0, 0);
    ck_assert_int_eq(rename(part, path), 0);
    ck_assert(sst_inbox_wait(inbox, 5.0, -1));
    expect_at(inbox, &clocks, 1.0, 1, 0);
    expect_at(inbox, &clocks, 1.0, 1, 0); /* and stays so until it is taken */
    put(path, "two", "a"); /* now somebody writes into it */
    expect_at(inbox, &clocks, 1.0, 0, 1);
    ck_assert(!sst_inbox_wait(inbox, 0.0, -1));
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(a_folder_that_came_later_is_watched_too)
{
    struct clocks clocks = {0};
    const char *root = folder("later");
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 1.0, 0, 0);
    ck_assert_int_eq(mkdir(test_path("%s/2001", root), 0755), 0);
    expect_at(inbox, &clocks, 1.0, 0, 0);
    put(test_path("%s/2001/b.nc.part", root), "b", "w");
    ck_assert_int_eq(rename(test_path("%s/2001/b.nc.part", root), test_path("%s/2001/b.nc", root)), 0);
    expect_at(inbox, &clocks, 1.0, sst_inbox_has_hints(inbox) ? 1 : 0, sst_inbox_has_hints(inbox) ? 0 : 1);
    ck_assert_int_eq(unlink(test_path("%s/2001/b.nc", root)), 0);
    ck_assert_int_eq(rmdir(test_path("%s/2001", root)), 0);
    expect_at(inbox, &clocks, 1.0, 0, 0);
    ck_assert_uint_eq(sst_inbox_n_files(inbox), 0); /* nothing is kept of what is gone */
    ck_assert_ptr_null(sst_inbox_trouble(inbox));
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(no_clock_that_is_set_stalls_or_hurries)
{
    struct clocks clocks = {.wall = 5000.0};
    const char *root = folder("clocks");
    const char *future = test_path("%s/future.nc", root), *past = test_path("%s/past.nc", root);
    put(future, "f", "w");
    put(past, "p", "w");
    set_mtime(future, 4000000000);
    set_mtime(past, 1);
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 1.0, 0, 2); /* an old mtime hurries nothing */
    clocks.wall = 10.0; /* set back */
    expect_at(inbox, &clocks, 11.0, 2, 0); /* and one to come stalls nothing */
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(a_single_pass_goes_by_the_time_of_the_file)
{
    struct clocks clocks = {.wall = 5000.0};
    const char *root = folder("once");
    const char *old = test_path("%s/old.nc", root), *fresh = test_path("%s/fresh.nc", root);
    put(old, "o", "w");
    put(fresh, "f", "w");
    put(test_path("%s/future.nc", root), "x", "w");
    set_mtime(old, 4990);
    set_mtime(fresh, 4991);
    set_mtime(test_path("%s/future.nc", root), 4000000000);
    struct sst_inbox *inbox = open_inbox(root, &clocks, true);
    expect_at(inbox, &clocks, 1.0, 1, 2);
    expect_at(inbox, &clocks, 11.0, 3, 0);
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(what_is_known_is_left_alone)
{
    struct clocks clocks = {.known_size = 3};
    const char *root = folder("known");
    const char *path = test_path("%s/a.nc", root);
    char *absolute = realpath(root, NULL);
    char known[4096];
    (void)snprintf(known, sizeof known, "%s/a.nc", absolute);
    free(absolute);
    clocks.known = known;
    put(path, "one", "w");
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 1.0, 0, 0);
    ck_assert_uint_eq(sst_inbox_n_files(inbox), 1);
    ck_assert(sst_inbox_files(inbox)[0].is_known);
    put(path, "more", "a"); /* it changed, so it is another file */
    expect_at(inbox, &clocks, 2.0, 0, 1);
    ck_assert(sst_inbox_covers(inbox, known));
    known[strlen(known) - strlen("/a.nc")] = '\0';
    ck_assert(!sst_inbox_covers(inbox, known)); /* the folder itself */
    ck_assert(!sst_inbox_covers(inbox, test_path("%s-2/a.nc", known)));
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(only_what_other_commands_take_is_looked_at)
{
    static const char *const names[] = {"a.nc",  "b.NC4",  "c.nc.part", "d.tmp.nc",       ".e.nc",
                                        "f.txt", "s/g.nc", ".h/i.nc",   "lost+found/j.nc"};
    struct clocks clocks = {0};
    const char *root = folder("names");
    char outside[4096];
    (void)snprintf(outside, sizeof outside, "%s/outside", test_scratch_dir());
    ck_assert_int_eq(mkdir(outside, 0755), 0);
    put(test_path("%s/k.nc", outside), "k", "w");
    ck_assert_int_eq(mkdir(test_path("%s/s", root), 0755), 0);
    ck_assert_int_eq(mkdir(test_path("%s/.h", root), 0755), 0);
    ck_assert_int_eq(mkdir(test_path("%s/lost+found", root), 0755), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        put(test_path("%s/%s", root, names[i]), "x", "w");
    ck_assert_int_eq(symlink(outside, test_path("%s/folder", root)), 0); /* links to folders are not followed */
    ck_assert_int_eq(symlink(test_path("%s/k.nc", outside), test_path("%s/z.nc", root)), 0); /* those to files are */
    ck_assert_int_eq(symlink("nowhere", test_path("%s/dangling.nc", root)), 0);
    ck_assert_int_eq(symlink(".", test_path("%s/s/loop", root)), 0);
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    scan(inbox);
    ck_assert_uint_eq(sst_inbox_n_files(inbox), 4);
    static const char *const found[] = {"/a.nc", "/b.NC4", "/s/g.nc", "/z.nc"};
    for (size_t i = 0; i < 4; ++i) {
        const char *path = sst_inbox_files(inbox)[i].path;
        ck_assert_str_eq(path + strlen(path) - strlen(found[i]), found[i]);
    }
    ck_assert_int_eq(sst_inbox_files(inbox)[3].stamp.size_bytes, 1);
    sst_inbox_close(&inbox);
}
END_TEST

START_TEST(a_folder_that_cannot_be_read_is_trouble_and_no_end)
{
    struct clocks clocks = {0};
    const char *root = folder("trouble");
    const char *path = test_path("%s/a.nc", root);
    put(path, "a", "w");
    struct sst_inbox *inbox = open_inbox(root, &clocks, false);
    expect_at(inbox, &clocks, 1.0, 0, 1);
    const char *away = test_path("%s-away", root);
    ck_assert_int_eq(rename(root, away), 0);
    expect_at(inbox, &clocks, 2.0, 0, 0);
    ck_assert_ptr_nonnull(sst_inbox_trouble(inbox));
    ck_assert_ptr_nonnull(strstr(sst_inbox_trouble(inbox), "trouble: No such file"));
    ck_assert_int_eq(rename(away, root), 0);
    expect_at(inbox, &clocks, 3.0, 0, 1);
    ck_assert_ptr_null(sst_inbox_trouble(inbox));
    char deep[4096];
    (void)snprintf(deep, sizeof deep, "%s", root);
    for (int i = 0; i <= SST_INBOX_MAX_DEPTH; ++i) {
        (void)snprintf(deep + strlen(deep), sizeof deep - strlen(deep), "/d");
        ck_assert_int_eq(mkdir(deep, 0755), 0);
    }
    expect_at(inbox, &clocks, 4.0, 0, 1);
    ck_assert_ptr_nonnull(strstr(sst_inbox_trouble(inbox), "too many folders in each other"));
    sst_inbox_close(&inbox);
}
END_TEST

static void refuse(const char *path, const char *part)
{
    const struct sst_inbox_options options = {.folders = &path, .n_folders = 1, .now = now};
    struct sst_inbox *inbox = NULL;
    struct sst_error err = {SST_OK, ""};
    ck_assert_int_eq(sst_inbox_open(&options, &inbox, &err), SST_ERR_INPUT);
    ck_assert_msg(strstr(err.text, part) != NULL, "%s", err.text);
    ck_assert_ptr_null(inbox);
}

START_TEST(an_inbox_is_a_folder_that_is_there)
{
    const char *root = folder("refused");
    put(test_path("%s/a.nc", root), "a", "w");
    refuse(test_path("%s/a.nc", root), "is no folder. An inbox is a folder that files arrive in");
    refuse(test_path("%s/none", root), "the inbox cannot be opened: No such file");
}
END_TEST

START_TEST(a_wait_ends_by_what_can_be_read)
{
    struct clocks clocks = {0};
    int ends[2];
    struct sst_inbox *inbox = open_inbox(folder("wait"), &clocks, false);
    scan(inbox);
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert(!sst_inbox_wait(inbox, 0.01, ends[0]));
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    ck_assert(!sst_inbox_wait(inbox, 600.0, ends[0])); /* at once: the test's own time limit tells */
    (void)close(ends[0]);
    (void)close(ends[1]);
    sst_inbox_close(&inbox);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("inbox");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_file_is_ready_when_it_stood_still);
    tcase_add_test(tc, another_file_in_its_place_starts_anew);
    tcase_add_test(tc, a_file_renamed_into_place_is_ready_at_once);
    tcase_add_test(tc, a_folder_that_came_later_is_watched_too);
    tcase_add_test(tc, no_clock_that_is_set_stalls_or_hurries);
    tcase_add_test(tc, a_single_pass_goes_by_the_time_of_the_file);
    tcase_add_test(tc, what_is_known_is_left_alone);
    tcase_add_test(tc, only_what_other_commands_take_is_looked_at);
    tcase_add_test(tc, a_folder_that_cannot_be_read_is_trouble_and_no_end);
    tcase_add_test(tc, an_inbox_is_a_folder_that_is_there);
    tcase_add_test(tc, a_wait_ends_by_what_can_be_read);
    suite_add_tcase(suite, tc);
    return suite;
}
