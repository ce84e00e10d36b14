/* Files of a feed, put whole, and the list of them. */
#include "monitor/feed_file.h"

#include <errno.h>
#include <fcntl.h>
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

/* Room for one more file, so that listing one that was just put cannot fail. */
static enum sst_status make_room(struct sst_feed_files *files, struct sst_error *err)
{
    return sst_grow(&files->files, &files->capacity, files->n + 1, sizeof *files->files, "the list of a feed's files",
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
    if (close(fd) != 0 && reason == 0)
        reason = errno;
    return reason == 0 ? SST_OK : fail_to_write(path, reason, err);
}

static enum sst_status replace(const char *path, const void *bytes, size_t n_bytes, struct sst_error *err)
{
    char *temporary = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_place_check(path, true, err));
    SST_TRY(sst_place_reserve(path, &temporary, err));
    SST_TRY_GOTO(write_bytes(temporary, bytes, n_bytes, err));
    SST_TRY_GOTO(sst_place_sync(temporary, err));
    SST_TRY_GOTO(sst_place_commit(temporary, path, true, err));
    sst_free(temporary);
    return sst_place_sync_parent(path, err);
done:
    (void)unlink(temporary);
    sst_free(temporary);
    return rc;
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

enum sst_status sst_feed_put(struct sst_feed_files *files, const char *folder, const char *path, const void *bytes,
                             size_t n_bytes, struct sst_error *err)
{
    struct sst_feed_file file = {.n_bytes = n_bytes};
    char *whole = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_asprintf(&whole, err, "%s/%s", folder, path));
    if (files) {
        (void)sst_sha256_of_bytes(bytes, n_bytes, file.sha256);
        if (is_same(find(files, path), &file) && is_there(whole, n_bytes))
            goto done;
        SST_TRY_GOTO(make_room(files, err));
        SST_TRY_GOTO(sst_strdup(path, &file.path, err));
    }
    SST_TRY_GOTO(make_folders(folder, path, err));
    SST_TRY_GOTO(replace(whole, bytes, n_bytes, err));
    if (files) {
        list_file(files, &file);
        file.path = NULL;
    }
done:
    sst_free(file.path);
    sst_free(whole);
    return rc;
}

enum sst_status sst_feed_note(struct sst_feed_files *files, const char *folder, const char *path, struct sst_error *err)
{
    struct sst_feed_file file = {0};
    char *whole = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(make_room(files, err));
    SST_TRY_GOTO(sst_asprintf(&whole, err, "%s/%s", folder, path));
    SST_TRY_GOTO(sst_sha256_of_file(whole, &file.n_bytes, file.sha256, err));
    SST_TRY_GOTO(sst_strdup(path, &file.path, err));
    list_file(files, &file);
done:
    sst_free(whole);
    return rc;
}
