/* Each scan makes a new list of files, and takes over from the last one since when a file stands still. */
#include "monitor/inbox.h"

#include <errno.h>
#include <fts.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/mem.h"
#include "monitor/inbox_hints.h"
#include "stream/source.h"

/* What arrives together is looked at together: after the first word of it this long is waited for the rest. [ms] */
enum { GATHER_MS = 200 };

enum { MS_PER_S = 1000, MAX_WAIT_S = 86400 };
#define NS_PER_S INT64_C(1000000000)

struct files {
    struct sst_inbox_file *items;
    size_t n, capacity;
};

struct sst_inbox {
    struct sst_inbox_options options; /* `folders` is not looked at */
    char **roots; /* absolute */
    size_t n_roots;
    struct files files; /* of the last scan, by path */
    size_t n_ready, n_waiting;
    char *trouble;
    struct sst_inbox_hints hints;
};

/* --- opening ------------------------------------------------------------------------------------------------------ */

static enum sst_status open_root(struct sst_inbox *inbox, const char *folder, struct sst_error *err)
{
    struct stat found;
    char *path = realpath(folder, NULL);
    enum sst_status rc = SST_OK;
    if (!path)
        return sst_fail(err, SST_ERR_INPUT,
                        "%s: the inbox cannot be opened: %s. Make the folder, or check the spelling", folder,
                        strerror(errno));
    if (stat(path, &found) != 0 || !S_ISDIR(found.st_mode))
        rc = sst_fail(err, SST_ERR_INPUT, "%s: is no folder. An inbox is a folder that files arrive in", folder);
    else
        rc = sst_strdup(path, &inbox->roots[inbox->n_roots], err);
    free(path);
    inbox->n_roots += rc == SST_OK;
    return rc;
}

enum sst_status sst_inbox_open(const struct sst_inbox_options *options, struct sst_inbox **out, struct sst_error *err)
{
    struct sst_inbox *inbox = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *inbox, "the inbox", &inbox, err));
    inbox->options = *options;
    sst_inbox_hints_open(&inbox->hints);
    SST_TRY_GOTO(sst_alloc(options->n_folders, sizeof *inbox->roots, "the list of inboxes", &inbox->roots, err));
    for (size_t i = 0; i < options->n_folders; ++i)
        SST_TRY_GOTO(open_root(inbox, options->folders[i], err));
    *out = inbox;
    inbox = NULL;
done:
    sst_inbox_close(&inbox);
    return rc;
}

static void clear_files(struct files *files)
{
    for (size_t i = 0; i < files->n; ++i)
        sst_free(files->items[i].path);
    sst_free(files->items);
    *files = (struct files){0};
}

void sst_inbox_close(struct sst_inbox **inbox)
{
    struct sst_inbox *gone = *inbox;
    if (!gone)
        return;
    for (size_t i = 0; i < gone->n_roots; ++i)
        sst_free(gone->roots[i]);
    sst_free(gone->roots);
    clear_files(&gone->files);
    sst_free(gone->trouble);
    sst_inbox_hints_close(&gone->hints);
    sst_free(gone);
    *inbox = NULL;
}

/* --- scanning ----------------------------------------------------------------------------------------------------- */

/* Only the first is kept; a text that there is no memory for ends the scan. */
static enum sst_status note_trouble(struct sst_inbox *inbox, const char *path, const char *reason,
                                    struct sst_error *err)
{
    return inbox->trouble ? SST_OK : sst_asprintf(&inbox->trouble, err, "%s: %s", path, reason);
}

static enum sst_status add_file(struct files *files, const char *path, const struct stat *found, struct sst_error *err)
{
    SST_TRY(sst_grow(&files->items, &files->capacity, files->n + 1, sizeof *files->items, "the list of files", err));
    struct sst_inbox_file *file = &files->items[files->n];
    *file = (struct sst_inbox_file){
        .stamp = {found->st_size, found->st_mtim.tv_sec * NS_PER_S + found->st_mtim.tv_nsec}, .inode = found->st_ino};
    SST_TRY(sst_strdup(path, &file->path, err));
    ++files->n;
    return SST_OK;
}

static enum sst_status enter_folder(struct sst_inbox *inbox, FTS *walk, FTSENT *item, struct sst_error *err)
{
    if (item->fts_level > FTS_ROOTLEVEL && !sst_source_wants_folder(item->fts_name)) {
        (void)fts_set(walk, item, FTS_SKIP);
        return SST_OK;
    }
    if (item->fts_level <= SST_INBOX_MAX_DEPTH)
        return sst_inbox_hints_watch(&inbox->hints, item->fts_path, err);
    (void)fts_set(walk, item, FTS_SKIP);
    return note_trouble(inbox, item->fts_path, "too many folders in each other, so it is not looked into", err);
}

static enum sst_status take_item(struct sst_inbox *inbox, struct files *files, FTS *walk, FTSENT *item,
                                 struct sst_error *err)
{
    struct stat found;
    switch (item->fts_info) {
    case FTS_D:
        return enter_folder(inbox, walk, item, err);
    case FTS_DNR:
    case FTS_ERR:
        return item->fts_level > FTS_ROOTLEVEL && !sst_source_wants_folder(item->fts_name)
                   ? SST_OK
                   : note_trouble(inbox, item->fts_path, strerror(item->fts_errno), err);
    case FTS_NS: /* a file that was removed meanwhile is no trouble, an inbox is */
        return item->fts_level == FTS_ROOTLEVEL || item->fts_errno != ENOENT
                   ? note_trouble(inbox, item->fts_path, strerror(item->fts_errno), err)
                   : SST_OK;
    case FTS_F:
        return sst_source_wants_file(item->fts_name) ? add_file(files, item->fts_path, item->fts_statp, err) : SST_OK;
    case FTS_SL:
    case FTS_SLNONE:
        return sst_source_wants_file(item->fts_name) && stat(item->fts_accpath, &found) == 0 && S_ISREG(found.st_mode)
                   ? add_file(files, item->fts_path, &found, err)
                   : SST_OK;
    default:
        return SST_OK;
    }
}

static enum sst_status walk_root(struct sst_inbox *inbox, char *root, struct files *files, struct sst_error *err)
{
    char *roots[] = {root, NULL};
    enum sst_status rc = SST_OK;
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    FTSENT *item = NULL;
    if (!walk)
        return note_trouble(inbox, root, strerror(errno), err);
    while (rc == SST_OK && (errno = 0, item = fts_read(walk)) != NULL)
        rc = take_item(inbox, files, walk, item, err);
    if (rc == SST_OK && errno != 0)
        rc = note_trouble(inbox, root, strerror(errno), err);
    (void)fts_close(walk);
    return rc;
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct sst_inbox_file *)a)->path, ((const struct sst_inbox_file *)b)->path);
}

/* By path, each once: an inbox may lie within another. */
static void sort(struct files *files)
{
    size_t n_kept = 0;
    if (files->n > 0)
        qsort(files->items, files->n, sizeof *files->items, compare_files);
    for (size_t i = 0; i < files->n; ++i) {
        if (n_kept > 0 && compare_files(&files->items[n_kept - 1], &files->items[i]) == 0)
            sst_free(files->items[i].path);
        else
            files->items[n_kept++] = files->items[i];
    }
    files->n = n_kept;
}

static bool is_same(const struct sst_inbox_file *a, const struct sst_inbox_file *b)
{
    return a->stamp.size_bytes == b->stamp.size_bytes && a->stamp.mtime_ns == b->stamp.mtime_ns && a->inode == b->inode;
}

static bool stood_still(const struct sst_inbox *inbox, const struct sst_inbox_file *file, double now)
{
    if (file->was_renamed)
        return true;
    if (now > file->still_since && now - file->still_since >= inbox->options.settle_seconds)
        return true;
    return inbox->options.wall && inbox->options.wall(inbox->options.user) - (double)file->stamp.mtime_ns / NS_PER_S >=
                                      inbox->options.settle_seconds;
}

/* What the last scan knew of a file that is as it was goes over to this one. */
static void judge(struct sst_inbox *inbox, struct files *files)
{
    const struct sst_inbox_options *options = &inbox->options;
    const double now = options->now(options->user);
    inbox->n_ready = inbox->n_waiting = 0;
    for (size_t i = 0; i < files->n; ++i) {
        struct sst_inbox_file *file = &files->items[i];
        const struct sst_inbox_file *before = inbox->files.n > 0 ? bsearch(file, inbox->files.items, inbox->files.n,
                                                                           sizeof *inbox->files.items, compare_files)
                                                                 : NULL;
        const bool is_as_before = before && is_same(before, file);
        file->still_since = is_as_before ? before->still_since : now;
        file->was_renamed =
            (is_as_before && before->was_renamed) || sst_inbox_hints_was_renamed(&inbox->hints, file->path);
        file->is_known = options->knows && options->knows(options->user, file->path, file->stamp);
        file->is_ready = !file->is_known && stood_still(inbox, file, now);
        inbox->n_ready += file->is_ready;
        inbox->n_waiting += !file->is_known && !file->is_ready;
    }
}

enum sst_status sst_inbox_scan(struct sst_inbox *inbox, struct sst_error *err)
{
    struct files files = {0};
    enum sst_status rc = SST_OK;
    sst_free(inbox->trouble);
    inbox->trouble = NULL;
    sst_inbox_hints_begin(&inbox->hints);
    for (size_t i = 0; i < inbox->n_roots; ++i)
        SST_TRY_GOTO(walk_root(inbox, inbox->roots[i], &files, err));
    sort(&files);
    judge(inbox, &files);
    sst_inbox_hints_end(&inbox->hints);
    clear_files(&inbox->files);
    inbox->files = files;
    return SST_OK;
done:
    clear_files(&files);
    return rc;
}

/* --- asking ------------------------------------------------------------------------------------------------------- */

size_t sst_inbox_n_files(const struct sst_inbox *inbox) { return inbox->files.n; }
const struct sst_inbox_file *sst_inbox_files(const struct sst_inbox *inbox) { return inbox->files.items; }
size_t sst_inbox_n_ready(const struct sst_inbox *inbox) { return inbox->n_ready; }
size_t sst_inbox_n_waiting(const struct sst_inbox *inbox) { return inbox->n_waiting; }
const char *sst_inbox_trouble(const struct sst_inbox *inbox) { return inbox->trouble; }
bool sst_inbox_has_hints(const struct sst_inbox *inbox) { return inbox->hints.fd >= 0; }

bool sst_inbox_covers(const struct sst_inbox *inbox, const char *path)
{
    for (size_t i = 0; i < inbox->n_roots; ++i) {
        const size_t n = strlen(inbox->roots[i]);
        if (strncmp(path, inbox->roots[i], n) == 0 && (path[n] == '/' || (n > 0 && inbox->roots[i][n - 1] == '/')))
            return true;
    }
    return false;
}

bool sst_inbox_wait(struct sst_inbox *inbox, double seconds, int fd)
{
    struct pollfd sources[] = {{.fd = inbox->hints.fd, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
    const double bounded = seconds < 0.0 ? 0.0 : seconds > MAX_WAIT_S ? MAX_WAIT_S : seconds;
    const int n = poll(sources, sizeof sources / sizeof *sources, (int)(bounded * MS_PER_S + 0.5));
    const bool has_arrived = n > 0 && (sources[0].revents & POLLIN) != 0;
    if (has_arrived)
        (void)poll(&sources[1], 1, GATHER_MS);
    return has_arrived;
}
