/* The calls of the disk in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_os_disk.h"

struct descriptor *fake_descriptor_of(struct fake_disk *disk, int fd)
{
    if (fd < FIRST_FD || fd >= FIRST_FD + MOST_OPEN || !disk->open[fd - FIRST_FD].is_open) {
        errno = EBADF;
        return NULL;
    }
    return &disk->open[fd - FIRST_FD];
}

/* The folder in which the last part of `path` is, whose text is left in *last; NULL and errno. */
struct inode *fake_folder_of(struct fake_disk *disk, int folder, const char *path, const char **last)
{
    size_t at = ROOT;
    if (folder != AT_FDCWD) {
        const struct descriptor *descriptor = fake_descriptor_of(disk, folder);
        if (!descriptor)
            return NULL;
        at = descriptor->inode;
    }
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(path, '/')) {
        char part[NAME_ROOM];
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        const struct name *name = fake_find_name(&disk->now[at], part);
        if (!name) {
            errno = ENOENT;
            return NULL;
        }
        at = name->inode;
        path = slash + 1;
    }
    *last = path;
    return &disk->now[at];
}

static size_t index_of(const struct fake_disk *disk, const struct inode *inode) { return (size_t)(inode - disk->now); }

static void cut(struct fake_disk *disk, size_t inode, size_t n_bytes)
{
    disk->now[inode].n_bytes = n_bytes;
    fake_log_entry(disk, ENTRY_CUT, inode)->n_bytes = n_bytes;
}

static int open_inode(struct fake_disk *disk, size_t inode, int flags)
{
    if ((flags & O_DIRECTORY) && !disk->now[inode].is_folder) {
        errno = ENOTDIR;
        return -1;
    }
    for (int i = 0; i < MOST_OPEN; ++i) {
        if (disk->open[i].is_open)
            continue;
        disk->open[i] = (struct descriptor){true, (flags & O_APPEND) != 0, inode, 0};
        if (flags & O_TRUNC)
            cut(disk, inode, 0);
        return FIRST_FD + i;
    }
    errno = EMFILE;
    return -1;
}

static int disk_open(void *user, int folder, const char *path, int flags, unsigned mode)
{
    struct fake_disk *disk = user;
    const char *last = NULL;
    (void)mode;
    const struct inode *in = fake_folder_of(disk, folder, path, &last);
    if (!in)
        return -1;
    if (strcmp(last, ".") == 0)
        return open_inode(disk, index_of(disk, in), flags);
    const struct name *name = fake_find_name(in, last);
    if (name ? (flags & O_CREAT) && (flags & O_EXCL) : !(flags & O_CREAT)) {
        errno = name ? EEXIST : ENOENT;
        return -1;
    }
    if (name)
        return open_inode(disk, name->inode, flags);
    const size_t at = index_of(disk, in), inode = fake_add_inode(disk, false);
    fake_link_name(&disk->now[at], last, inode);
    fake_log_name(disk, ENTRY_LINK, at, last, inode, false);
    return open_inode(disk, inode, flags);
}

static ssize_t disk_read(void *user, int fd, void *bytes, size_t n_bytes)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    const struct inode *file = &disk->now[descriptor->inode];
    const size_t left = file->n_bytes > descriptor->offset ? file->n_bytes - descriptor->offset : 0;
    const size_t n = n_bytes < left ? n_bytes : left;
    if (n > 0)
        memcpy(bytes, file->bytes + descriptor->offset, n);
    descriptor->offset += n;
    return (ssize_t)n;
}

static ssize_t disk_read_at(void *user, int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    const size_t before = descriptor->offset;
    descriptor->offset = offset;
    const ssize_t n = disk_read(user, fd, bytes, n_bytes);
    descriptor->offset = before;
    return n;
}

static ssize_t disk_write(void *user, int fd, const void *bytes, size_t n_bytes)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    struct inode *file = &disk->now[descriptor->inode];
    if (descriptor->is_appending)
        descriptor->offset = file->n_bytes;
    fake_need_bytes(file, descriptor->offset + n_bytes);
    memcpy(file->bytes + descriptor->offset, bytes, n_bytes);
    fake_log_write(disk, descriptor->inode, descriptor->offset, bytes, n_bytes);
    descriptor->offset += n_bytes;
    return (ssize_t)n_bytes;
}

/* Only to what is there: nobody makes a file longer so. */
static int disk_truncate(void *user, int fd, uint64_t n_bytes)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    if (n_bytes > disk->now[descriptor->inode].n_bytes) {
        errno = EINVAL;
        return -1;
    }
    cut(disk, descriptor->inode, n_bytes);
    return 0;
}

static int disk_sync(void *user, int fd)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    (void)fake_log_entry(disk, ENTRY_SYNC, descriptor->inode);
    return 0;
}

static int disk_close(void *user, int fd)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    struct inode *inode = &disk->now[descriptor->inode];
    if (inode->locked_by == fd)
        inode->locked_by = NOBODY;
    descriptor->is_open = false;
    return 0;
}

static int64_t disk_size(void *user, int fd)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    if (!disk->now[descriptor->inode].is_folder)
        return (int64_t)disk->now[descriptor->inode].n_bytes;
    errno = EISDIR;
    return -1;
}

static int disk_rename(void *user, int folder, const char *from, const char *to)
{
    struct fake_disk *disk = user;
    const char *last = NULL;
    struct inode *in = fake_folder_of(disk, folder, from, &last);
    const struct name *name = in ? fake_find_name(in, from) : NULL;
    const struct name *over = in ? fake_find_name(in, to) : NULL;
    if (!name || (over && disk->now[over->inode].is_folder)) {
        errno = name ? ENOTEMPTY : ENOENT;
        return -1;
    }
    const size_t inode = name->inode, at = index_of(disk, in);
    fake_link_name(in, to, inode);
    fake_unlink_name(in, from);
    fake_log_name(disk, ENTRY_LINK, at, to, inode, true);
    fake_log_name(disk, ENTRY_UNLINK, at, from, inode, false);
    return 0;
}

static int remove_name(struct fake_disk *disk, int folder, const char *text, bool is_folder)
{
    const char *last = NULL;
    struct inode *in = fake_folder_of(disk, folder, text, &last);
    const struct name *name = in ? fake_find_name(in, last) : NULL;
    if (!name || disk->now[name->inode].is_folder != is_folder || (is_folder && disk->now[name->inode].n_names > 0)) {
        errno = !name ? ENOENT : is_folder ? ENOTEMPTY : EISDIR;
        return -1;
    }
    fake_log_name(disk, ENTRY_UNLINK, index_of(disk, in), last, name->inode, false);
    fake_unlink_name(in, last);
    return 0;
}

static int disk_unlink(void *user, int folder, const char *name) { return remove_name(user, folder, name, false); }

static int disk_remove_folder(void *user, int folder, const char *name)
{
    return remove_name(user, folder, name, true);
}

static int disk_make_folder(void *user, int folder, const char *path, unsigned mode)
{
    struct fake_disk *disk = user;
    const char *last = NULL;
    (void)mode;
    const struct inode *in = fake_folder_of(disk, folder, path, &last);
    if (!in || fake_find_name(in, last)) {
        errno = in ? EEXIST : ENOENT;
        return -1;
    }
    const size_t at = index_of(disk, in), inode = fake_add_inode(disk, true);
    fake_link_name(&disk->now[at], last, inode);
    fake_log_name(disk, ENTRY_LINK, at, last, inode, false);
    return 0;
}

static int disk_lock(void *user, int fd)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    struct inode *inode = &disk->now[descriptor->inode];
    if (inode->locked_by != NOBODY && inode->locked_by != fd) {
        errno = EWOULDBLOCK;
        return -1;
    }
    inode->locked_by = fd;
    return 0;
}

/* The place in the listing is kept in the pointer itself, one more than the names given. */
static int disk_next_name(void *user, int folder, void **state, char *name, size_t room)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = fake_descriptor_of(disk, folder);
    if (!descriptor)
        return -1;
    const struct inode *in = &disk->now[descriptor->inode];
    const size_t next = (size_t)(uintptr_t)*state;
    if (next >= in->n_names) {
        *state = NULL;
        return 0;
    }
    (void)snprintf(name, room, "%s", in->names[next].text);
    *state = (void *)(uintptr_t)(next + 1);
    return 1;
}

static int64_t disk_free_bytes(void *user, int folder)
{
    (void)user;
    (void)folder;
    return INT64_MAX;
}

const struct sst_os fake_disk_table = {
    .open = disk_open,
    .read = disk_read,
    .read_at = disk_read_at,
    .write = disk_write,
    .truncate = disk_truncate,
    .sync = disk_sync,
    .close = disk_close,
    .size = disk_size,
    .rename = disk_rename,
    .unlink = disk_unlink,
    .make_folder = disk_make_folder,
    .remove_folder = disk_remove_folder,
    .lock = disk_lock,
    .next_name = disk_next_name,
    .free_bytes = disk_free_bytes,
};
