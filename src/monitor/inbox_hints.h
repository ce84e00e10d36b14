/* What the system tells of names that were renamed into folders, as a hint: any of it may be missing. */
#ifndef SST_MONITOR_INBOX_HINTS_H
#define SST_MONITOR_INBOX_HINTS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/status.h"

/* More renames than these between two scans are not kept: those files settle as if nothing had been told. */
enum { SST_INBOX_MAX_HINTS = 65536 };

struct sst_inbox_watch {
    int number; /* the system's */
    char *folder;
    bool is_seen; /* by the scan that is going on */
};

struct sst_inbox_hints {
    int fd; /* inotify, or -1 */
    struct sst_inbox_watch *watches;
    size_t n_watches, watches_capacity;
    char **renamed; /* paths, ascending once sorted */
    size_t n_renamed, renamed_capacity;
};

/* fd is -1 where the system has no events to give. Clear with sst_inbox_hints_close. */
void sst_inbox_hints_open(struct sst_inbox_hints *hints);
void sst_inbox_hints_close(struct sst_inbox_hints *hints);

/* In front of a scan: takes what was told since the last, and begins to look which folders are still there. */
void sst_inbox_hints_begin(struct sst_inbox_hints *hints);

/* A folder that the scan came by. Errors: SST_ERR_NOMEM; a folder that cannot be watched is none. */
SST_MUST_CHECK enum sst_status sst_inbox_hints_watch(struct sst_inbox_hints *hints, const char *folder,
                                                     struct sst_error *err);

/* Whether a path was renamed into place before this scan began, and after the one before it. */
bool sst_inbox_hints_was_renamed(const struct sst_inbox_hints *hints, const char *path);

/* Behind a scan: folders that it did not come by are watched no more, and what was told is forgotten. */
void sst_inbox_hints_end(struct sst_inbox_hints *hints);

#endif
