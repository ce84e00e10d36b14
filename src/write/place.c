/* Temporary names, syncing and renaming of outputs. */
#include "write/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/mem.h"

enum {
    FILE_MODE = 0666, /* less the user's umask, as any program's outputs */
    FOLDER_MODE = 0777,
    MAX_LEFTOVERS = 100 /* temporary files of dead runs with our process number (containers use the same few) */
};

static enum sst_status fail_errno(struct sst_error *err, const char *path, const char *what)
{
    return sst_fail(err, SST_ERR_OUTPUT, "%s: %s: %s", path, what, strerror(errno));
}

/* Length of the name of the folder that holds `path`, whose trailing slashes do not count; 0: the current one. */
static size_t parent_length(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        --length;
    while (length > 0 && path[length - 1] != '/')
        --length;
    while (length > 1 && path[length - 1] == '/')
        --length;
    return length;
}

static enum sst_status parent_of(const char *path, char **parent, struct sst_error *err)
{
    const size_t length = parent_length(path);
    return length ? sst_asprintf(parent, err, "%.*s", (int)length, path) : sst_strdup(".", parent, err);
}

static enum sst_status check_parent(const char *path, struct sst_error *err)
{
    char *parent = NULL;
    enum sst_status rc = SST_OK;
    struct stat status;
    SST_TRY_GOTO(parent_of(path, &parent, err));
    if (stat(parent, &status) != 0)
        rc = errno == ENOENT
                 ? sst_fail(err, SST_ERR_OUTPUT, "%s: the folder %s does not exist. Make it first", path, parent)
                 : fail_errno(err, path, "the folder cannot be reached");
    else if (!S_ISDIR(status.st_mode))
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: %s is not a folder. Choose another place", path, parent);
    else if (access(parent, W_OK | X_OK) != 0)
        rc = sst_fail(err, SST_ERR_OUTPUT, "%s: no file can be made in the folder %s: %s. Choose another place", path,
                      parent, strerror(errno));
done:
    sst_free(parent);
    return rc;
}

static enum sst_status check_target(const char *path, bool overwrite, struct sst_error *err)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT ? SST_OK : fail_errno(err, path, "the place cannot be looked at");
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return sst_fail(err, SST_ERR_OUTPUT, "%s: this is a folder. Give the name of a file", path);
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return sst_fail(err, SST_ERR_OUTPUT, "%s: this is not an ordinary file, so it is not replaced", path);
    if (!overwrite)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: exists already. Give another name, or --overwrite to replace it",
                        path);
    return SST_OK;
}

enum sst_status sst_place_check(const char *path, bool overwrite, struct sst_error *err)
{
    const size_t length = strlen(path);
    if (length == 0 || path[length - 1] == '/')
        return sst_fail(err, SST_ERR_OUTPUT, "'%s': this does not name a file. Give the name of a file", path);
    SST_TRY(check_parent(path, err));
    return check_target(path, overwrite, err);
}

enum sst_status sst_place_check_folder(const char *path, bool *is_new, struct sst_error *err)
{
    struct stat status;
    if (!*path)
        return sst_fail(err, SST_ERR_OUTPUT, "'': this does not name a folder. Give the name of a folder");
    *is_new = lstat(path, &status) != 0 && errno == ENOENT;
    if (*is_new)
        return check_parent(path, err);
    if (stat(path, &status) != 0)
        return fail_errno(err, path, "the folder cannot be reached");
    if (!S_ISDIR(status.st_mode))
        return sst_fail(err, SST_ERR_OUTPUT, "%s: this is not a folder. Give the name of a folder", path);
    if (access(path, W_OK | X_OK) != 0)
        return fail_errno(err, path, "no file can be made in this folder");
    return SST_OK;
}

/* 0, or -1 and errno. */
static int make_new(const char *path, bool folder)
{
    if (folder)
        return mkdir(path, FOLDER_MODE);
    const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    return fd < 0 ? -1 : close(fd);
}

static enum sst_status reserve(const char *path, bool folder, char **temporary, struct sst_error *err)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        --length;
    for (int leftover = 0; leftover < MAX_LEFTOVERS; ++leftover) {
        char *name = NULL, number[16] = "";
        if (leftover)
            (void)snprintf(number, sizeof number, ".%d", leftover);
        SST_TRY(sst_asprintf(&name, err, "%.*s.tmp.%ld%s", (int)length, path, (long)getpid(), number));
        if (make_new(name, folder) == 0) {
            *temporary = name;
            return SST_OK;
        }
        const int reason = errno;
        sst_free(name);
        errno = reason;
        if (reason != EEXIST)
            break;
    }
    return fail_errno(err, path, "no temporary file can be made beside it");
}

enum sst_status sst_place_reserve(const char *path, char **temporary, struct sst_error *err)
{
    return reserve(path, false, temporary, err);
}

enum sst_status sst_place_reserve_folder(const char *path, char **temporary, struct sst_error *err)
{
    return reserve(path, true, temporary, err);
}

enum sst_status sst_place_sync(const char *path, struct sst_error *err)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_errno(err, path, "cannot be opened to be synced");
    /* EINVAL: the file system has no such thing for this kind of file, which is no fault of the file. */
    const bool failed = fsync(fd) != 0 && errno != EINVAL;
    const int reason = errno;
    (void)close(fd);
    errno = reason;
    return failed ? fail_errno(err, path, "cannot be synced to the disk") : SST_OK;
}

/* After the rename only the disk may still fail, not memory: so the folder's name is made on the stack. */
enum sst_status sst_place_sync_parent(const char *path, struct sst_error *err)
{
    char parent[PATH_MAX];
    const size_t length = parent_length(path);
    if (length >= sizeof parent)
        return sst_fail(err, SST_ERR_OUTPUT, "%s: this name is too long. Choose a shorter one", path);
    (void)snprintf(parent, sizeof parent, "%.*s", (int)(length ? length : 1), length ? path : ".");
    return sst_place_sync(parent, err);
}

/* rename() that fails with EEXIST rather than replace. 0, or -1 and errno. */
static int rename_to_free_name(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    /* Some network file systems cannot do that: take the name first, which only one of two can, then rename over it. */
    struct stat status;
    const bool folder = stat(from, &status) == 0 && S_ISDIR(status.st_mode);
    if (make_new(to, folder) != 0)
        return -1;
    if (rename(from, to) == 0)
        return 0;
    const int reason = errno;
    (void)(folder ? rmdir(to) : unlink(to));
    errno = reason;
    return -1;
}

static enum sst_status renamed(int result, const char *path, struct sst_error *err)
{
    if (result == 0)
        return SST_OK;
    if (errno == EEXIST)
        return sst_fail(err, SST_ERR_OUTPUT,
                        "%s: something of this name appeared during the run and is not replaced. Give another name, or "
                        "--overwrite",
                        path);
    return fail_errno(err, path, "the finished file cannot be given its name");
}

enum sst_status sst_place_commit(const char *temporary, const char *path, bool overwrite, struct sst_error *err)
{
    if (!overwrite)
        return renamed(rename_to_free_name(temporary, path), path, err);
    SST_TRY(check_target(path, overwrite, err));
    return renamed(rename(temporary, path), path, err);
}

enum sst_status sst_place_commit_folder(const char *temporary, const char *path, struct sst_error *err)
{
    return renamed(rename_to_free_name(temporary, path), path, err);
}
