/*
 * Folders that files arrive in: what is in them, and which files are there whole.
 *
 *   scan ─▶ every file that other commands would take ─▶ known? ──yes──▶ left alone
 *                                                          └─no─▶ stood still, or was renamed into place ──▶ ready
 *
 * A file stood still when size, time and inode were the same in scans that lie `settle_seconds` or more apart on a clock that
 * nobody sets: an mtime in the future, and a clock that is moved, stall and hurry nothing. A file that was renamed into place
 * is whole at once; only the system's events tell that. They are a hint: network file systems give none for what other
 * machines do, events get lost, and then files settle as all others do.
 */
#ifndef SST_MONITOR_INBOX_H
#define SST_MONITOR_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"
#include "state/file_notes.h"

/* Folders within an inbox are walked to this depth; deeper ones are told of as trouble. */
enum { SST_INBOX_MAX_DEPTH = 16 };

struct sst_inbox_options {
    const char *const *folders; /* as the user named them; borrowed while it is opened */
    size_t n_folders;
    double settle_seconds;
    double (*now)(void *user); /* [s] of a clock that is never set */
    /* [s] of 1970, for a single pass: a file whose mtime lies settle_seconds back stood still. NULL: mtimes tell nothing. */
    double (*wall)(void *user);
    bool (*knows)(void *user, const char *path, struct sst_file_stamp stamp); /* was dealt with, as it is now */
    void *user; /* of these three */
};

struct sst_inbox_file {
    char *path; /* absolute where the inbox's folder could be resolved */
    struct sst_file_stamp stamp;
    uint64_t inode;
    double still_since; /* [s] of `now`, when this stamp was first seen */
    bool was_renamed; /* into place, since it was last looked at */
    bool is_known, is_ready;
};

struct sst_inbox;

/*
 * Opens folders, which have to be there.
 *
 * Owner    the caller; sst_inbox_close, which accepts NULL inside.
 * Errors   SST_ERR_INPUT: not a folder, or cannot be read; SST_ERR_NOMEM. Without inotify it works all the same.
 */
SST_MUST_CHECK enum sst_status sst_inbox_open(const struct sst_inbox_options *options, struct sst_inbox **out,
                                              struct sst_error *err);
void sst_inbox_close(struct sst_inbox **inbox);

/*
 * Looks through all folders. Memory is that of the paths now in them: nothing is kept of files that are gone.
 *
 * Links    to files are followed, those to folders are not, but for the inboxes themselves.
 * Errors   SST_ERR_NOMEM. A folder that cannot be read is no error but trouble: see below.
 */
SST_MUST_CHECK enum sst_status sst_inbox_scan(struct sst_inbox *inbox, struct sst_error *err);

/* The files of the last scan, by path. Borrowed until the next. */
size_t sst_inbox_n_files(const struct sst_inbox *inbox);
const struct sst_inbox_file *sst_inbox_files(const struct sst_inbox *inbox);
size_t sst_inbox_n_ready(const struct sst_inbox *inbox);
/* Neither known nor ready: they have to stand still first. */
size_t sst_inbox_n_waiting(const struct sst_inbox *inbox);

/* What the last scan could not look at, the first of it in words; NULL where it saw all. Borrowed until the next scan. */
const char *sst_inbox_trouble(const struct sst_inbox *inbox);

/* Whether a path lies below one of the folders. */
bool sst_inbox_covers(const struct sst_inbox *inbox, const char *path);

/*
 * Waits until something arrives, `fd` can be read (-1: none), or the time is over. Returns whether something arrived.
 */
bool sst_inbox_wait(struct sst_inbox *inbox, double seconds, int fd);

/* Whether the system tells of arrivals at all. */
bool sst_inbox_has_hints(const struct sst_inbox *inbox);

#endif
