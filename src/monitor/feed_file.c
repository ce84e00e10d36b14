/* Files of a feed, put whole, and the list of them. */
#include "monitor/feed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"
#include "write/place.h"

/* --- the list ----------------------------------------------------------------------------------------------------- */

void sst_feed_files_clear(struct sst_feed_files *files)
{
    for (size_t i = 0; i < files->n; ++i)
        sst_free(files->files[i].path);
    sst_free(files->files);
    *files = (struct sst_feed_files){0};
}

/* Index of the first file whose path is not before `path`. */
static size_t place_of(const struct sst_feed_files *files, const char *path)
{
    size_t low = 0, high = files->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(files->files[middle].path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct sst_feed_file *find(const struct sst_feed_files *files, const char *path)
{
    const size_t i = place_of(files, path);
    return i < files->n && strcmp(files->files[i].path, path) == 0 ? &files->files[i] : NULL;
}

const struct sst_feed_file *sst_feed_find(const struct sst_feed_files *files, const char *path)
{
    return find(files, path);
}

/* Room for more files, so that listing those that were just put cannot fail. */
static enum sst_status make_room(struct sst_feed_files *files, size_t n, struct sst_error *err)
{
    return sst_grow(&files->files, &files->capacity, files->n + n, sizeof *files->files, "the list of a feed's files",
                    err);
}

/* Takes over file->path. */
static void list_file(struct sst_feed_files *files, const struct sst_feed_file *file)
{
    const size_t i = place_of(files, file->path);
    if (i < files->n && strcmp(files->files[i].path, file->path) == 0) {
        sst_free(files->files[i].path);
    } else {
        memmove(files->files + i + 1, files->files + i, (files->n - i) * sizeof *files->files);
        ++files->n;
    }
    files->files[i] = *file;
}

void sst_feed_forget(struct sst_feed_files *files, const char *path)
{
    const size_t length = strlen(path), first = place_of(files, path);
    const bool is_folder = length > 0 && path[length - 1] == '/';
    size_t end = first;
    while (end < files->n &&
           (is_folder ? strncmp(files->files[end].path, path, length) == 0 : strcmp(files->files[end].path, path) == 0))
        sst_free(files->files[end++].path);
    if (end == first)
        return;
    memmove(files->files + first, files->files + end, (files->n - end) * sizeof *files->files);
    files->n -= end - first;
}

/* --- the files ---------------------------------------------------------------------------------------------------- */

static enum sst_status make_folders(const char *folder, const char *path, struct sst_error *err)
{
    enum { FOLDER_MODE = 0777 }; /* less the user's umask */
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        char *name = NULL;
        enum sst_status rc = SST_OK;
        SST_TRY(sst_asprintf(&name, err, "%s/%.*s", folder, (int)(slash - path), path));
        if (mkdir(name, FOLDER_MODE) == 0)
            rc = sst_place_sync_parent(name, err);
        else if (errno != EEXIST)
            rc = sst_fail(err, SST_ERR_OUTPUT, "%s: this folder cannot be made: %s", name, strerror(errno));
        sst_free(name);
        SST_TRY(rc);
    }
    return SST_OK;
}

static enum sst_status fail_to_write(const char *path, int reason, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_OUTPUT, "%s: cannot be written: %s%s", path, strerror(reason),
                    reason == ENOSPC || reason == EDQUOT ? ". Free some space; the file that was there stays" : "");
}

static enum sst_status write_bytes(const char *path, const char *bytes, size_t n_bytes, struct sst_error *err)
{
    const int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_to_write(path, errno, err);
    size_t n_done = 0;
    int reason = 0;
    while (n_done < n_bytes && reason == 0) {
        const ssize_t n = write(fd, bytes + n_done, n_bytes - n_done);
        if (n > 0)
            n_done += (size_t)n;
        else if (n == 0 || errno != EINTR)
            reason = n == 0 ? ENOSPC : errno;
    }
    /* The disk may begin; where it cannot be told to, it begins when the file is synchronised. */
    (void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    if (close(fd) != 0 && reason == 0)
        reason = errno;
    return reason == 0 ? SST_OK : fail_to_write(path, reason, err);
}

static bool is_there(const char *path, uint64_t n_bytes)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISREG(status.st_mode) && (uint64_t)status.st_size == n_bytes;
}

static bool is_same(const struct sst_feed_file *a, const struct sst_feed_file *b)
{
    return a && a->n_bytes == b->n_bytes && strcmp(a->sha256, b->sha256) == 0;
}

/* --- several together --------------------------------------------------------------------------------------------- */

/* A file on its way. */
struct put {
    const struct sst_feed_piece *piece;
    struct sst_feed_file file; /* as it is to be listed; the path is NULL where it is not, or is by now */
    char *whole, *temporary; /* NULL: there is no such file */
};

/* Sets `whole` where the file has to be written. */
static enum sst_status look_at(struct sst_feed_files *files, const char *folder, struct put *put, struct sst_error *err)
{
    const struct sst_feed_piece *piece = put->piece;
    char *whole = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_asprintf(&whole, err, "%s/%s", folder, piece->path));
    put->file.n_bytes = piece->n_bytes;
    if (files) {
        (void)sst_sha256_of_bytes(piece->bytes, piece->n_bytes, put->file.sha256);
        if (is_same(find(files, piece->path), &put->file) && is_there(whole, piece->n_bytes))
            goto done;
        SST_TRY_GOTO(sst_strdup(piece->path, &put->file.path, err));
    }
    SST_TRY_GOTO(make_folders(folder, piece->path, err));
    put->whole = whole;
    whole = NULL;
done:
    sst_free(whole);
    return rc;
}

/* Writes the file beside its place, so that it is on the disk when this returns; nothing, where it is there already. */
static enum sst_status prepare(struct sst_feed_files *files, const char *folder, struct put *put, struct sst_error *err)
{
    SST_TRY(look_at(files, folder, put, err));
    if (!put->whole)
        return SST_OK;
    SST_TRY(sst_place_check(put->whole, true, err));
    SST_TRY(sst_place_reserve(put->whole, &put->temporary, err));
    SST_TRY(write_bytes(put->temporary, put->piece->bytes, put->piece->n_bytes, err));
    return sst_place_sync(put->temporary, err);
}

/* What threads share that prepare files. */
struct crew {
    struct sst_feed_files *files; /* only looked at */
    const char *folder;
    struct put *puts;
    size_t n, n_begun; /* n_begun and below: under the lock */
    pthread_mutex_t lock;
    enum sst_status rc;
    struct sst_error err;
};

static void *prepare_some(void *user)
{
    struct crew *crew = user;
    struct sst_error own = {SST_OK, ""};
    (void)pthread_mutex_lock(&crew->lock);
    while (crew->n_begun < crew->n && crew->rc == SST_OK) {
        struct put *put = &crew->puts[crew->n_begun++];
        (void)pthread_mutex_unlock(&crew->lock);
        const enum sst_status rc = prepare(crew->files, crew->folder, put, &own);
        (void)pthread_mutex_lock(&crew->lock);
        if (rc != SST_OK && crew->rc == SST_OK) {
            crew->rc = rc;
            crew->err = own;
        }
    }
    (void)pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/*
 * A disk takes many files in the time of a few, so threads sum and write them and wait for it, more of them than there are
 * processors. Signals are the program's own thread's; where the system gives no threads, that one does all.
 */
static enum sst_status prepare_all(struct sst_feed_files *files, const char *folder, struct put *puts, size_t n,
                                   struct sst_error *err)
{
    enum { MOST_THREADS = 7 };
    struct crew crew = {.files = files, .folder = folder, .puts = puts, .n = n};
    pthread_t threads[MOST_THREADS];
    size_t n_threads = 0;
    sigset_t all, before;
    (void)pthread_mutex_init(&crew.lock, NULL); /* cannot fail on the systems that there are */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (n_threads < MOST_THREADS && n_threads + 1 < n &&
           pthread_create(&threads[n_threads], NULL, prepare_some, &crew) == 0)
        ++n_threads;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)prepare_some(&crew);
    for (size_t i = 0; i < n_threads; ++i)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&crew.lock);
    if (crew.rc != SST_OK)
        *err = crew.err;
    return crew.rc;
}

static bool are_neighbours(const char *a, const char *b)
{
    const size_t length = (size_t)(strrchr(a, '/') - a);
    return strncmp(a, b, length + 1) == 0 && !strchr(b + length + 1, '/');
}

/* A file that has a new content, but perhaps not for ever, is in no list. */
static enum sst_status commit_all(struct sst_feed_files *files, struct put *puts, size_t n, struct sst_error *err)
{
    const char *before = NULL;
    for (size_t i = 0; i < n; ++i) {
        struct put *put = &puts[i];
        if (!put->temporary)
            continue;
        SST_TRY(sst_place_commit(put->temporary, put->whole, true, err));
        sst_free(put->temporary);
        put->temporary = NULL;
        if (files)
            sst_feed_forget(files, put->piece->path);
    }
    for (size_t i = 0; i < n; ++i) {
        if (!puts[i].whole || (before && are_neighbours(before, puts[i].whole)))
            continue;
        SST_TRY(sst_place_sync_parent(puts[i].whole, err));
        before = puts[i].whole;
    }
    for (size_t i = 0; files && i < n; ++i) {
        if (puts[i].file.path)
            list_file(files, &puts[i].file);
        puts[i].file.path = NULL;
    }
    return SST_OK;
}

enum sst_status sst_feed_put_all(struct sst_feed_files *files, const char *folder, const struct sst_feed_piece *pieces,
                                 size_t n, struct sst_error *err)
{
    struct put *puts = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(n, sizeof *puts, "files to put", &puts, err));
    if (files)
        SST_TRY_GOTO(make_room(files, n, err));
    for (size_t i = 0; i < n; ++i)
        puts[i].piece = &pieces[i];
    SST_TRY_GOTO(prepare_all(files, folder, puts, n, err));
    SST_TRY_GOTO(commit_all(files, puts, n, err));
done:
    for (size_t i = 0; i < n; ++i) {
        if (puts[i].temporary)
            (void)unlink(puts[i].temporary);
        sst_free(puts[i].temporary);
        sst_free(puts[i].whole);
        sst_free(puts[i].file.path);
    }
    sst_free(puts);
    return rc;
}

enum sst_status sst_feed_put(struct sst_feed_files *files, const char *folder, const char *path, const void *bytes,
                             size_t n_bytes, struct sst_error *err)
{
    const struct sst_feed_piece piece = {path, bytes, n_bytes};
    return sst_feed_put_all(files, folder, &piece, 1, err);
}

enum sst_status sst_feed_note(struct sst_feed_files *files, const char *folder, const char *path, struct sst_error *err)
{
    struct sst_feed_file file = {0};
    char *whole = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(make_room(files, 1, err));
    SST_TRY_GOTO(sst_asprintf(&whole, err, "%s/%s", folder, path));
    SST_TRY_GOTO(sst_sha256_of_file(whole, &file.n_bytes, file.sha256, err));
    SST_TRY_GOTO(sst_strdup(path, &file.path, err));
    list_file(files, &file);
done:
    sst_free(whole);
    return rc;
}
