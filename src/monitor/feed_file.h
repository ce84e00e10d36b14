/*
 * Puts the files of a feed into its folder, and keeps the list of them that index.json is made of.
 *
 *   bytes in memory ──sum──▶ same as in the list? nothing to do
 *                        └─▶ FEED/PATH.tmp.PID ──fsync──rename──▶ FEED/PATH ──▶ list
 *
 * Files that are put together are all synchronised before the first of them is renamed; the disk takes them at once. A reader
 * sees the old file or the new one, whole; where anything fails the list names no file that is not as it says.
 */
#ifndef SST_MONITOR_FEED_FILE_H
#define SST_MONITOR_FEED_FILE_H

#include "core/sha256.h"

struct sst_feed_file {
    char *path; /* within the feed, with '/' */
    uint64_t n_bytes;
    char sha256[SST_SHA256_TEXT_SIZE];
};

/* Ascending by path. Start from zeros; the caller keeps it from day to day, so that only files that change are summed. */
struct sst_feed_files {
    struct sst_feed_file *files;
    size_t n, capacity;
};

void sst_feed_files_clear(struct sst_feed_files *files);

/* NULL where the path is not listed; valid until the list changes. */
const struct sst_feed_file *sst_feed_find(const struct sst_feed_files *files, const char *path);

/*
 * Puts bytes at FOLDER/PATH; folders within PATH are made. What is listed with the same sum, and is there, is not written again.
 *
 * files    NULL: the file is to be in no list, and is always written.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM; file and list are as they were.
 */
SST_MUST_CHECK enum sst_status sst_feed_put(struct sst_feed_files *files, const char *folder, const char *path,
                                            const void *bytes, size_t n_bytes, struct sst_error *err);

/* A file to put. Borrowed. */
struct sst_feed_piece {
    const char *path; /* within the feed, with '/' */
    const void *bytes;
    size_t n_bytes;
};

/*
 * Puts several files as one call for each would, in their order; no two of one path.
 *
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM. Files and list are as they were; or, where it failed after the files were written and
 *          synchronised, those that have their new content are off the list, and will be put anew.
 */
SST_MUST_CHECK enum sst_status sst_feed_put_all(struct sst_feed_files *files, const char *folder,
                                                const struct sst_feed_piece *pieces, size_t n, struct sst_error *err);

/* Lists a file that is there already, whoever made it. Errors: SST_ERR_INPUT where it cannot be read, SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_note(struct sst_feed_files *files, const char *folder, const char *path,
                                             struct sst_error *err);

/* Takes a path, or all that lie in a folder ("days/2026/20261130/"), off the list; the files are for the caller to remove. */
void sst_feed_forget(struct sst_feed_files *files, const char *path);

#endif
