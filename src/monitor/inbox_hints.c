/* inotify: each folder of the inboxes is watched; which path a watch is of is looked up anew in each scan. */
#include "monitor/inbox_hints.h"

#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/mem.h"

enum { EVENT_ROOM = 64 * (sizeof(struct inotify_event) + 256) };

void sst_inbox_hints_open(struct sst_inbox_hints *hints)
{
    *hints = (struct sst_inbox_hints){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
}

static void forget_renamed(struct sst_inbox_hints *hints)
{
    for (size_t i = 0; i < hints->n_renamed; ++i)
        sst_free(hints->renamed[i]);
    hints->n_renamed = 0;
}

void sst_inbox_hints_close(struct sst_inbox_hints *hints)
{
    if (hints->fd >= 0)
        (void)close(hints->fd);
    for (size_t i = 0; i < hints->n_watches; ++i)
        sst_free(hints->watches[i].folder);
    forget_renamed(hints);
    sst_free(hints->watches);
    sst_free(hints->renamed);
    *hints = (struct sst_inbox_hints){.fd = -1};
}

static struct sst_inbox_watch *find_watch(const struct sst_inbox_hints *hints, int number)
{
    for (size_t i = 0; i < hints->n_watches; ++i)
        if (hints->watches[i].number == number)
            return &hints->watches[i];
    return NULL;
}

/* A hint that there is no memory for is one that was not given. */
static void note_renamed(struct sst_inbox_hints *hints, const struct inotify_event *event)
{
    const struct sst_inbox_watch *watch = find_watch(hints, event->wd);
    char *path = NULL;
    if (!watch || hints->n_renamed == SST_INBOX_MAX_HINTS ||
        sst_asprintf(&path, NULL, "%s/%s", watch->folder, event->name) != SST_OK)
        return;
    if (sst_grow(&hints->renamed, &hints->renamed_capacity, hints->n_renamed + 1, sizeof *hints->renamed, "hints",
                 NULL) == SST_OK)
        hints->renamed[hints->n_renamed++] = path;
    else
        sst_free(path);
}

/* Lost events may have been of names that were replaced again since: then none of those told is sure. */
static void read_events(struct sst_inbox_hints *hints)
{
    _Alignas(struct inotify_event) char buffer[EVENT_ROOM];
    bool has_lost = false;
    ssize_t n_bytes = 0;
    while ((n_bytes = read(hints->fd, buffer, sizeof buffer)) > 0) {
        for (const char *at = buffer; at < buffer + n_bytes;) {
            const struct inotify_event *event = (const void *)at;
            if (event->mask & IN_Q_OVERFLOW)
                has_lost = true;
            else if ((event->mask & IN_MOVED_TO) && !(event->mask & IN_ISDIR) && event->len > 0)
                note_renamed(hints, event);
            at += sizeof *event + event->len;
        }
    }
    if (has_lost)
        forget_renamed(hints);
}

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

void sst_inbox_hints_begin(struct sst_inbox_hints *hints)
{
    if (hints->fd < 0)
        return;
    read_events(hints);
    if (hints->n_renamed > 0)
        qsort(hints->renamed, hints->n_renamed, sizeof *hints->renamed, compare_texts);
    for (size_t i = 0; i < hints->n_watches; ++i)
        hints->watches[i].is_seen = false;
}

/* Asked again for a folder that is watched, the system gives the same number: so a folder that moved gets its new path. */
enum sst_status sst_inbox_hints_watch(struct sst_inbox_hints *hints, const char *folder, struct sst_error *err)
{
    if (hints->fd < 0)
        return SST_OK;
    const int number =
        inotify_add_watch(hints->fd, folder, IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_ONLYDIR | IN_EXCL_UNLINK);
    struct sst_inbox_watch *watch = number < 0 ? NULL : find_watch(hints, number);
    char *copy = NULL;
    if (number < 0)
        return SST_OK;
    if (watch && strcmp(watch->folder, folder) == 0) {
        watch->is_seen = true;
        return SST_OK;
    }
    SST_TRY(sst_grow(&hints->watches, &hints->watches_capacity, hints->n_watches + 1, sizeof *hints->watches,
                     "the list of watched folders", err));
    SST_TRY(sst_strdup(folder, &copy, err));
    watch = find_watch(hints, number);
    if (watch)
        sst_free(watch->folder);
    else
        watch = &hints->watches[hints->n_watches++];
    *watch = (struct sst_inbox_watch){number, copy, true};
    return SST_OK;
}

bool sst_inbox_hints_was_renamed(const struct sst_inbox_hints *hints, const char *path)
{
    return hints->n_renamed > 0 &&
           bsearch(&path, hints->renamed, hints->n_renamed, sizeof *hints->renamed, compare_texts) != NULL;
}

void sst_inbox_hints_end(struct sst_inbox_hints *hints)
{
    size_t n_kept = 0;
    for (size_t i = 0; i < hints->n_watches; ++i) {
        if (hints->watches[i].is_seen) {
            hints->watches[n_kept++] = hints->watches[i];
            continue;
        }
        (void)inotify_rm_watch(hints->fd, hints->watches[i].number);
        sst_free(hints->watches[i].folder);
    }
    hints->n_watches = n_kept;
    forget_renamed(hints);
}
