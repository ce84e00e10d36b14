/* Paths on a command line become a sorted list of files, each once, whatever the directories hold. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stream/source.h"
#include "test_main.h"

enum { NOBODY = 65534 };

static void make_directory(const char *path) { ck_assert_int_eq(mkdir(path, 0755), 0); }

static void make_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    (void)fputs(text, file);
    ck_assert_int_eq(fclose(file), 0);
}

/* A fresh folder of the test program's own; the text outlives the ring of test_path. */
static const char *folder(const char *name)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", test_scratch_dir(), name);
    make_directory(path);
    return path;
}

static struct sst_sources find(size_t n, const char *const *arguments)
{
    struct sst_sources sources = {0};
    struct sst_error err = {0};
    ck_assert_msg(sst_sources_find(arguments, n, &sources, &err) == SST_OK, "%s", err.text);
    return sources;
}

/* Asserts that a search fails with a text that holds `part`. */
static void refuse(const char *argument, const char *part)
{
    struct sst_sources sources = {0};
    struct sst_error err = {0};
    ck_assert_int_eq(sst_sources_find(&argument, 1, &sources, &err), SST_ERR_INPUT);
    ck_assert_msg(strstr(err.text, part) != NULL, "\"%s\" is not in \"%s\"", part, err.text);
    ck_assert_ptr_null(sources.paths);
}

/* Asserts that the sources are exactly these names below `root`, and clears them. */
static void expect(struct sst_sources *sources, const char *root, size_t n, const char *const *names)
{
    ck_assert_uint_eq(sources->n_paths, n);
    for (size_t i = 0; i < n; ++i)
        ck_assert_str_eq(sources->paths[i], test_path("%s/%s", root, names[i]));
    sst_sources_clear(sources);
    ck_assert_ptr_null(sources->paths);
}

START_TEST(a_directory_gives_the_data_files_in_order_of_bytes)
{
    const char *root = folder("plain");
    static const char *const made[] = {"b.nc",  "a.nc",     "B.NC",      "c.nc4",   "d.cdf",
                                       "e.nc3", "f.netcdf", "notes.txt", ".hid.nc", "g.nc.tmp123",
                                       "nc",    "h.tmp.nc", "i.nc.gz",   ".nc",     "j.nc.part"};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; ++i)
        make_file(test_path("%s/%s", root, made[i]), "");
    make_directory(test_path("%s/1999", root));
    make_file(test_path("%s/1999/z.nc", root), "");
    make_directory(test_path("%s/.snapshot", root));
    make_file(test_path("%s/.snapshot/a.nc", root), "");
    make_directory(test_path("%s/x.nc", root));
    make_file(test_path("%s/x.nc/inner.nc", root), "");
    struct sst_sources sources = find(1, &root);
    static const char *const names[] = {"1999/z.nc", "B.NC",  "a.nc",     "b.nc",         "c.nc4",
                                        "d.cdf",     "e.nc3", "f.netcdf", "x.nc/inner.nc"};
    expect(&sources, root, sizeof names / sizeof names[0], names);
}
END_TEST

START_TEST(a_file_is_taken_whatever_its_name_and_each_path_once)
{
    const char *root = folder("named");
    const char *odd = test_path("%s/.odd name", root), *plain = test_path("%s/a.nc", root);
    make_file(odd, "");
    make_file(plain, "");
    const char *arguments[] = {plain, root, odd, test_path("%s/", root), plain};
    struct sst_sources sources = find(5, arguments);
    static const char *const names[] = {".odd name", "a.nc"};
    expect(&sources, root, 2, names);
}
END_TEST

START_TEST(loops_and_dangling_links_end_well)
{
    const char *root = folder("links");
    make_directory(test_path("%s/a", root));
    make_directory(test_path("%s/b", root));
    make_file(test_path("%s/a/1.nc", root), "");
    make_file(test_path("%s/b/2.nc", root), "");
    ck_assert_int_eq(symlink("..", test_path("%s/a/up", root)), 0);
    ck_assert_int_eq(symlink("../a", test_path("%s/b/a", root)), 0);
    ck_assert_int_eq(symlink("../b", test_path("%s/a/zb", root)), 0);
    ck_assert_int_eq(symlink("self.nc", test_path("%s/self.nc", root)), 0);
    ck_assert_int_eq(symlink("absent", test_path("%s/gone.nc", root)), 0);
    ck_assert_int_eq(symlink("absent", test_path("%s/gone.txt", root)), 0);
    ck_assert_int_eq(mkfifo(test_path("%s/pipe.nc", root), 0600), 0);
    struct sst_sources sources = find(1, &root);
    static const char *const names[] = {"a/1.nc", "a/zb/2.nc", "gone.nc", "self.nc"};
    expect(&sources, root, 4, names);
}
END_TEST

START_TEST(folders_that_all_link_to_each_other_are_walked_once)
{
    enum { N_FOLDERS = 12 }; /* 12! ways through them */
    const char *root = folder("mesh");
    for (int from = 0; from < N_FOLDERS; ++from) {
        make_directory(test_path("%s/%02d", root, from));
        make_file(test_path("%s/%02d/%02d.nc", root, from, from), "");
        for (int to = 0; to < N_FOLDERS; ++to)
            ck_assert_int_eq(symlink(test_path("../%02d", to), test_path("%s/%02d/l%02d", root, from, to)), 0);
    }
    struct sst_sources sources = find(1, &root);
    ck_assert_uint_eq(sources.n_paths, N_FOLDERS);
    sst_sources_clear(&sources);
}
END_TEST

START_TEST(a_list_names_files_and_directories)
{
    const char *root = folder("listed");
    make_directory(test_path("%s/sub", root));
    make_file(test_path("%s/sub/b.nc", root), "");
    make_file(test_path("%s/a.dat", root), "");
    const char *list = test_path("%s/list.txt", root);
    make_file(list, test_path("%s/sub\r\n\n%s/a.dat", root, root));
    const char *argument = test_path("@%s", list);
    struct sst_sources sources = find(1, &argument);
    static const char *const names[] = {"a.dat", "sub/b.nc"};
    expect(&sources, root, 2, names);
}
END_TEST

START_TEST(a_dash_reads_standard_input)
{
    const char *root = folder("stdin");
    make_file(test_path("%s/a.nc", root), "");
    make_file(test_path("%s/list", root), test_path("%s/a.nc\n", root));
    ck_assert_ptr_nonnull(freopen(test_path("%s/list", root), "r", stdin));
    const char *dash = "-";
    struct sst_sources sources = find(1, &dash);
    static const char *const names[] = {"a.nc"};
    expect(&sources, root, 1, names);
}
END_TEST

START_TEST(what_is_no_file_is_refused_by_name)
{
    const char *root = folder("refused");
    refuse(test_path("%s/absent.nc", root), "absent.nc: No such file");
    refuse("", "No such file");
    refuse("@/nonexistent.txt", "/nonexistent.txt: the list of files cannot be opened");
    refuse(root, "no file is named *.nc");
    ck_assert_int_eq(mkfifo(test_path("%s/pipe", root), 0600), 0);
    refuse(test_path("%s/pipe", root), "neither a file nor a directory");

    make_file(test_path("%s/list", root), test_path("%s\n%s/absent.nc\n", root, root));
    refuse(test_path("@%s/list", root), "list: line 2: ");
    FILE *binary = fopen(test_path("%s/binary", root), "w");
    ck_assert_ptr_nonnull(binary);
    (void)fwrite("CDF\1\0\0\0\1\nmore\n", 1, 14, binary);
    (void)fclose(binary);
    refuse(test_path("@%s/binary", root), "line 1: not a path");
    FILE *endless = fopen(test_path("%s/endless", root), "w");
    ck_assert_ptr_nonnull(endless);
    for (int i = 0; i < 100000; ++i)
        (void)fputc('x', endless);
    (void)fclose(endless);
    refuse(test_path("@%s/endless", root), "line 1: not a path");

    struct sst_sources sources = {0};
    struct sst_error err = {0};
    ck_assert_int_eq(sst_sources_find(NULL, 0, &sources, &err), SST_ERR_INPUT);
}
END_TEST

START_TEST(a_directory_without_rights_is_refused_but_lost_and_found_is_passed_over)
{
    const char *root = folder("rights");
    make_file(test_path("%s/a.nc", root), "");
    make_directory(test_path("%s/lost+found", root));
    ck_assert_int_eq(chmod(test_path("%s/lost+found", root), 0), 0);
    ck_assert_int_eq(chmod(test_scratch_dir(), 0755), 0);
    const bool is_root = geteuid() == 0;
    if (is_root)
        ck_assert_int_eq(seteuid(NOBODY), 0);
    struct sst_sources sources = find(1, &root);
    if (is_root)
        ck_assert_int_eq(seteuid(0), 0);
    static const char *const names[] = {"a.nc"};
    expect(&sources, root, 1, names);

    make_directory(test_path("%s/shut", root));
    ck_assert_int_eq(chmod(test_path("%s/shut", root), 0), 0);
    if (is_root)
        ck_assert_int_eq(seteuid(NOBODY), 0);
    refuse(root, "shut: the directory cannot be read");
    if (is_root)
        ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chmod(test_path("%s/shut", root), 0700), 0);
}
END_TEST

Suite *test_suite(void)
{
    Suite *suite = suite_create("source");
    TCase *tc = tcase_create("all");
    tcase_add_test(tc, a_directory_gives_the_data_files_in_order_of_bytes);
    tcase_add_test(tc, a_file_is_taken_whatever_its_name_and_each_path_once);
    tcase_add_test(tc, loops_and_dangling_links_end_well);
    tcase_add_test(tc, folders_that_all_link_to_each_other_are_walked_once);
    tcase_add_test(tc, a_list_names_files_and_directories);
    tcase_add_test(tc, a_dash_reads_standard_input);
    tcase_add_test(tc, what_is_no_file_is_refused_by_name);
    tcase_add_test(tc, a_directory_without_rights_is_refused_but_lost_and_found_is_passed_over);
    suite_add_tcase(suite, tc);
    return suite;
}
