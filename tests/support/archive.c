/* Makes folders of small daily files and scans them. */
#include "archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "test_main.h"

struct archive archive_new(const char *name)
{
    struct archive archive = {.n = 0};
    (void)snprintf(archive.folder, sizeof archive.folder, "%s/%s", test_scratch_dir(), name);
    ck_assert_int_eq(mkdir(archive.folder, 0755), 0);
    return archive;
}

const char *archive_add_path(struct archive *archive, const char *name)
{
    ck_assert_uint_lt(archive->n, ARCHIVE_MAX_PATHS);
    const char *path = test_path("%s/%s", archive->folder, name);
    const size_t size = strlen(path) + 1;
    ck_assert_uint_le(size, ARCHIVE_PATH_ROOM);
    return memcpy(archive->paths[archive->n++], path, size);
}

void archive_add(struct archive *archive, const char *name, struct day_file file, int first, int n_days)
{
    int *days = calloc((size_t)n_days, sizeof *days);
    ck_assert_ptr_nonnull(days);
    for (int i = 0; i < n_days; ++i)
        days[i] = first + i;
    file.days = days;
    file.n_days = (size_t)n_days;
    day_file_write(archive_add_path(archive, name), &file);
    free(days);
}

void archive_collect_note(void *user, const char *text)
{
    char *notes = user;
    const size_t length = strlen(notes);
    (void)snprintf(notes + length, ARCHIVE_NOTES_ROOM - length, "%s\n", text);
}

enum sst_status archive_try_scan(const struct archive *archive, bool stop_on_bad, char *notes, struct sst_catalog **out,
                                 struct sst_error *err)
{
    const char *paths[ARCHIVE_MAX_PATHS];
    for (size_t i = 0; i < archive->n; ++i)
        paths[i] = archive->paths[i];
    const struct sst_catalog_options options = {
        .stop_on_bad = stop_on_bad, .notes = notes ? archive_collect_note : NULL, .notes_user = notes};
    return sst_catalog_scan(paths, archive->n, &options, out, err);
}

struct sst_catalog *archive_scan(const struct archive *archive)
{
    struct sst_catalog *catalog = NULL;
    struct sst_error err = {0};
    ck_assert_msg(archive_try_scan(archive, false, NULL, &catalog, &err) == SST_OK, "%s", err.text);
    return catalog;
}

void archive_expect_reject(const struct sst_catalog *catalog, size_t at, const char *path, const char *part)
{
    ck_assert_uint_gt(catalog->n_rejects, at);
    ck_assert_str_eq(catalog->rejects[at].path, path);
    const char *reason = catalog->rejects[at].reason;
    ck_assert_msg(strstr(reason, part) != NULL, "\"%s\" is not in \"%s\"", part, reason);
    ck_assert_ptr_null(strstr(reason, path));
}
