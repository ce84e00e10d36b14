/* The table of the system itself, and calls that go on until all is done. */
#include "state/state_os.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int os_open(void *user, int folder, const char *name, int flags, unsigned mode)
{
    (void)user;
    return openat(folder, name, flags | O_CLOEXEC, mode);
}

static ssize_t os_read(void *user, int fd, void *bytes, size_t n_bytes)
{
    (void)user;
    return read(fd, bytes, n_bytes);
}

static ssize_t os_read_at(void *user, int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
    (void)user;
    return pread(fd, bytes, n_bytes, (off_t)offset);
}

static ssize_t os_write(void *user, int fd, const void *bytes, size_t n_bytes)
{
    (void)user;
    return write(fd, bytes, n_bytes);
}

static int os_truncate(void *user, int fd, uint64_t n_bytes)
{
    (void)user;
    return ftruncate(fd, (off_t)n_bytes);
}

static int os_sync(void *user, int fd)
{
    (void)user;
    return fsync(fd);
}

static int os_close(void *user, int fd)
{
    (void)user;
    return close(fd);
}

static int64_t os_size(void *user, int fd)
{
    (void)user;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return -1;
    if (!S_ISREG(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
        return -1;
    }
    return status.st_size;
}

static int os_rename(void *user, int folder, const char *from, const char *to)
{
    (void)user;
    return renameat(folder, from, folder, to);
}

static int os_unlink(void *user, int folder, const char *name)
{
    (void)user;
    return unlinkat(folder, name, 0);
}

static int os_make_folder(void *user, int folder, const char *name, unsigned mode)
{
    (void)user;
    return mkdirat(folder, name, mode);
}

static int os_remove_folder(void *user, int folder, const char *name)
{
    (void)user;
    return unlinkat(folder, name, AT_REMOVEDIR);
}

static int os_lock(void *user, int fd)
{
    (void)user;
    return flock(fd, LOCK_EX | LOCK_NB);
}

/* The listing has a descriptor of its own: its place in the folder is nobody else's. */
static DIR *open_listing(int folder)
{
    const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *listing = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !listing) {
        const int reason = errno;
        (void)close(fd);
        errno = reason;
    }
    return listing;
}

static int os_next_name(void *user, int folder, void **state, char *name, size_t room)
{
    (void)user;
    if (!*state)
        *state = open_listing(folder);
    if (!*state)
        return -1;
    const struct dirent *entry = NULL;
    do {
        errno = 0;
        entry = readdir(*state);
    } while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    int reason = errno;
    if (entry && (size_t)snprintf(name, room, "%s", entry->d_name) < room)
        return 1;
    if (entry)
        reason = ENAMETOOLONG;
    (void)closedir(*state);
    *state = NULL;
    errno = reason;
    return reason ? -1 : 0;
}

static int64_t os_free_bytes(void *user, int folder)
{
    (void)user;
    struct statvfs status;
    if (fstatvfs(folder, &status) != 0)
        return -1;
    int64_t bytes = 0;
    return __builtin_mul_overflow(status.f_bavail, status.f_frsize, &bytes) ? INT64_MAX : bytes;
}

const struct sst_os *sst_os_system(void)
{
    static const struct sst_os table = {
        .open = os_open,
        .read = os_read,
        .read_at = os_read_at,
        .write = os_write,
        .truncate = os_truncate,
        .sync = os_sync,
        .close = os_close,
        .size = os_size,
        .rename = os_rename,
        .unlink = os_unlink,
        .make_folder = os_make_folder,
        .remove_folder = os_remove_folder,
        .lock = os_lock,
        .next_name = os_next_name,
        .free_bytes = os_free_bytes,
    };
    return &table;
}

int sst_os_write_all(const struct sst_os *os, int fd, const void *bytes, size_t n_bytes)
{
    for (size_t done = 0; done < n_bytes;) {
        const ssize_t n = os->write(os->user, fd, (const unsigned char *)bytes + done, n_bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0)
            errno = ENOSPC;
        if (n <= 0)
            return -1;
        done += (size_t)n;
    }
    return 0;
}

int64_t sst_os_read_all(const struct sst_os *os, int fd, void *bytes, size_t n_bytes)
{
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = os->read(os->user, fd, (unsigned char *)bytes + done, n_bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (int64_t)done;
}

int64_t sst_os_read_all_at(const struct sst_os *os, int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
    size_t done = 0;
    while (done < n_bytes) {
        const ssize_t n = os->read_at(os->user, fd, (unsigned char *)bytes + done, n_bytes - done, offset + done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        done += (size_t)n;
    }
    return (int64_t)done;
}
