/* A folder of small daily files and its catalog, for the tests of catalog and reader. */
#ifndef SST_TEST_ARCHIVE_H
#define SST_TEST_ARCHIVE_H

#include "day_files.h"
#include "stream/catalog.h"

enum { ARCHIVE_MAX_PATHS = 128, ARCHIVE_PATH_ROOM = 256, ARCHIVE_NOTES_ROOM = 4096 };

struct archive {
    char folder[ARCHIVE_PATH_ROOM];
    char paths[ARCHIVE_MAX_PATHS][ARCHIVE_PATH_ROOM];
    size_t n;
};

/* Makes the folder; there is one of each name in a test program. */
struct archive archive_new(const char *name);

/* Names a file of the archive, which need not exist. Returns its path. */
const char *archive_add_path(struct archive *archive, const char *name);

/* Writes a file of n_days days from `first` on, counted from 2000-01-01. */
void archive_add(struct archive *archive, const char *name, struct day_file file, int first, int n_days);

/* Scans all paths. notes: room for ARCHIVE_NOTES_ROOM bytes, appended to line by line, or NULL. */
enum sst_status archive_try_scan(const struct archive *archive, bool stop_on_bad, char *notes, struct sst_catalog **out,
                                 struct sst_error *err);

/* The same, where it must go well. */
struct sst_catalog *archive_scan(const struct archive *archive);

/* A sst_note_fn that appends a line to a buffer of ARCHIVE_NOTES_ROOM bytes. */
void archive_collect_note(void *user, const char *text);

/* Asserts that reject `at` is of the path and that its reason holds `part`, but not the path. */
void archive_expect_reject(const struct sst_catalog *catalog, size_t at, const char *path, const char *part);

#endif
