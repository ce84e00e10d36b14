/* Files of a feed are put whole or not at all, summed, and listed as they are. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/feed_file.h"
#include "test_main.h"

static const char *fresh_folder(const char *name)
{
    const char *folder = test_path("%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(mkdir(folder, 0777), 0);
    return folder;
}

static void read_all(const char *folder, const char *path, char *text, size_t room)
{
    FILE *file = fopen(test_path("%s/%s", folder, path), "rb");
    ck_assert_ptr_nonnull(file);
    text[fread(text, 1, room - 1, file)] = '\0';
    (void)fclose(file);
}

static void put(struct sst_feed_files *files, const char *folder, const char *path, const char *text)
{
    struct sst_error err = {0};
    ck_assert_msg(sst_feed_put(files, folder, path, text, strlen(text), &err) == SST_OK, "%s", err.text);
}

static ino_t inode(const char *folder, const char *path)
{
    struct stat status;
    ck_assert_int_eq(stat(test_path("%s/%s", folder, path), &status), 0);
    return status.st_ino;
}

START_TEST(sums_are_those_of_fips_180)
{
    char text[SST_SHA256_TEXT_SIZE];
    ck_assert_str_eq(sst_sha256_of_bytes("abc", 3, text),
                     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_str_eq(sst_sha256_of_bytes("", 0, text),
                     "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
END_TEST

START_TEST(files_are_put_and_listed_in_order)
{
    char text[64];
    struct sst_feed_files files = {0};
    const char *folder = fresh_folder("order");
    put(&files, folder, "events.geojson", "two");
    put(&files, folder, "days/2026/20261130/mhw.nc", "abc");
    put(&files, folder, "areas.csv", "three");
    ck_assert_uint_eq(files.n, 3);
    ck_assert_str_eq(files.files[0].path, "areas.csv");
    ck_assert_str_eq(files.files[1].path, "days/2026/20261130/mhw.nc");
    ck_assert_str_eq(files.files[1].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_uint_eq(files.files[1].n_bytes, 3);
    read_all(folder, "days/2026/20261130/mhw.nc", text, sizeof text);
    ck_assert_str_eq(text, "abc");
    put(&files, folder, "areas.csv", "another");
    ck_assert_uint_eq(files.n, 3);
    ck_assert_uint_eq(sst_feed_find(&files, "areas.csv")->n_bytes, 7);
    ck_assert_ptr_null(sst_feed_find(&files, "area"));
    sst_feed_files_clear(&files);
}
END_TEST

START_TEST(what_did_not_change_is_not_written_again)
{
    struct sst_feed_files files = {0};
    const char *folder = fresh_folder("same");
    put(&files, folder, "a", "text");
    const ino_t first = inode(folder, "a");
    put(&files, folder, "a", "text");
    ck_assert_uint_eq(inode(folder, "a"), first);
    put(&files, folder, "a", "TEXT");
    ck_assert_uint_ne(inode(folder, "a"), first);
    /* Nor is it taken to be there where it is gone. */
    ck_assert_int_eq(unlink(test_path("%s/a", folder)), 0);
    put(&files, folder, "a", "TEXT");
    (void)inode(folder, "a");
    sst_feed_files_clear(&files);
}
END_TEST

START_TEST(folders_are_forgotten_with_all_that_is_in_them)
{
    struct sst_feed_files files = {0};
    const char *folder = fresh_folder("forget");
    const char *const paths[] = {"days/2026/20261129/mhw.nc", "days/2026/20261130/map.js", "days/2026/20261130/mhw.nc",
                                 "days/2026/202611301"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; ++i)
        put(&files, folder, paths[i], "x");
    sst_feed_forget(&files, "days/2026/20261130/");
    ck_assert_uint_eq(files.n, 2);
    ck_assert_str_eq(files.files[0].path, paths[0]);
    ck_assert_str_eq(files.files[1].path, paths[3]);
    sst_feed_forget(&files, "days/2026/20261129");
    ck_assert_uint_eq(files.n, 2);
    sst_feed_forget(&files, paths[0]);
    ck_assert_uint_eq(files.n, 1);
    sst_feed_files_clear(&files);
}
END_TEST

START_TEST(files_of_others_are_summed_where_they_lie)
{
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    const char *folder = fresh_folder("note");
    put(NULL, folder, "map.png", "abc");
    ck_assert_int_eq(sst_feed_note(&files, folder, "map.png", &err), SST_OK);
    ck_assert_str_eq(files.files[0].sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    ck_assert_uint_eq(files.files[0].n_bytes, 3);
    /* One that is read in several pieces, against its sum in one. */
    enum { LONG = 200000 };
    char *bytes = calloc(LONG, 1), sum[SST_SHA256_TEXT_SIZE];
    ck_assert_ptr_nonnull(bytes);
    bytes[LONG - 1] = 'x';
    ck_assert_int_eq(sst_feed_put(NULL, folder, "long", bytes, LONG, &err), SST_OK);
    ck_assert_int_eq(sst_feed_note(&files, folder, "long", &err), SST_OK);
    ck_assert_uint_eq(sst_feed_find(&files, "long")->n_bytes, LONG);
    ck_assert_str_eq(sst_feed_find(&files, "long")->sha256, sst_sha256_of_bytes(bytes, LONG, sum));
    free(bytes);
    sst_feed_forget(&files, "long");
    ck_assert_int_eq(sst_feed_note(&files, folder, "none.png", &err), SST_ERR_INPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "none.png: cannot be opened for its sum: No such file"));
    ck_assert_uint_eq(files.n, 1);
    sst_feed_files_clear(&files);
}
END_TEST

/* A disk that is full in the midst of a file, played by a limit on the size of files. */
START_TEST(a_full_disk_leaves_the_old_file_whole)
{
    enum { LIMIT = 1000, LONG = 5000 };
    char text[64], big[LONG + 1];
    struct rlimit before, limit;
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    const char *folder = fresh_folder("full");
    put(&files, folder, "latest.json", "old and whole");
    memset(big, 'x', LONG);
    big[LONG] = '\0';
    (void)signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = LIMIT;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const enum sst_status rc = sst_feed_put(&files, folder, "latest.json", big, LONG, &err);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(rc, SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "cannot be written: File too large"));
    read_all(folder, "latest.json", text, sizeof text);
    ck_assert_str_eq(text, "old and whole");
    ck_assert_uint_eq(sst_feed_find(&files, "latest.json")->n_bytes, strlen("old and whole"));
    /* And nothing beside it. */
    ck_assert_int_eq(unlink(test_path("%s/latest.json", folder)), 0);
    ck_assert_int_eq(rmdir(folder), 0);
    sst_feed_files_clear(&files);
}
END_TEST

/* One of several that cannot be put: none is. */
START_TEST(files_are_put_together_or_not_at_all)
{
    char text[64];
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    const char *folder = fresh_folder("together");
    const struct sst_feed_piece pieces[] = {
        {"a/1", "one", 3}, {"a/2", "two", 3}, {"b/1", "three", 5}, {"c", "four", 4}};
    ck_assert_int_eq(sst_feed_put_all(&files, folder, pieces, 4, &err), SST_OK);
    ck_assert_uint_eq(files.n, 4);
    for (size_t i = 0; i < 4; ++i) {
        read_all(folder, pieces[i].path, text, sizeof text);
        ck_assert_str_eq(text, pieces[i].bytes);
        ck_assert_str_eq(files.files[i].path, pieces[i].path);
    }
    ck_assert_int_eq(unlink(test_path("%s/b/1", folder)), 0);
    ck_assert_int_eq(mkdir(test_path("%s/b/1", folder), 0777), 0);
    const struct sst_feed_piece later[] = {{"a/1", "ONE", 3}, {"b/1", "THREE", 5}};
    ck_assert_int_eq(sst_feed_put_all(&files, folder, later, 2, &err), SST_ERR_OUTPUT);
    read_all(folder, "a/1", text, sizeof text);
    ck_assert_str_eq(text, "one");
    ck_assert_uint_eq(files.n, 4);
    sst_feed_files_clear(&files);
}
END_TEST

START_TEST(a_file_in_the_way_of_a_folder_is_told)
{
    char text[64];
    struct sst_feed_files files = {0};
    struct sst_error err = {0};
    const char *folder = fresh_folder("way");
    put(&files, folder, "days", "a file");
    ck_assert_int_eq(sst_feed_put(&files, folder, "days/2026/a", "x", 1, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "way/days/2026: this folder cannot be made: Not a directory"));
    ck_assert_uint_eq(files.n, 1);
    read_all(folder, "days", text, sizeof text);
    ck_assert_str_eq(text, "a file");
    sst_error_clear(&err);
    ck_assert_int_eq(sst_feed_put(&files, test_path("%s/none", folder), "a", "x", 1, &err), SST_ERR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "way/none does not exist"));
    sst_feed_files_clear(&files);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("feed_file");
    TCase *tc = tcase_create("feed_file");
    tcase_add_test(tc, sums_are_those_of_fips_180);
    tcase_add_test(tc, files_are_put_and_listed_in_order);
    tcase_add_test(tc, what_did_not_change_is_not_written_again);
    tcase_add_test(tc, folders_are_forgotten_with_all_that_is_in_them);
    tcase_add_test(tc, files_of_others_are_summed_where_they_lie);
    tcase_add_test(tc, a_full_disk_leaves_the_old_file_whole);
    tcase_add_test(tc, files_are_put_together_or_not_at_all);
    tcase_add_test(tc, a_file_in_the_way_of_a_folder_is_told);
    suite_add_tcase(suite, tc);
    return suite;
}
