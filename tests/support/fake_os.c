/* The disk in memory. */
#include "fake_os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

enum { ROOT = 0, MOST_OPEN = 64, FIRST_FD = 1000, NAME_ROOM = 64, NOBODY = -1 };

struct name {
    char text[NAME_ROOM];
    size_t inode;
};

/* A file or a folder. */
struct inode {
    bool is_folder;
    unsigned char *bytes;
    size_t n_bytes;
    struct name *names;
    size_t n_names;
    int locked_by; /* descriptor, or NOBODY */
};

enum entry_kind { ENTRY_LINK, ENTRY_UNLINK, ENTRY_WRITE, ENTRY_CUT, ENTRY_SYNC };

struct entry {
    enum entry_kind kind;
    size_t object; /* whose fsync makes it last: the file of bytes, the folder of names */
    size_t inode; /* that is linked */
    char name[NAME_ROOM];
    unsigned char *bytes;
    size_t offset, n_bytes;
    bool is_dropped; /* by an fsync that failed */
    bool is_pair; /* half of a rename: the next entry is the other */
};

struct descriptor {
    bool is_open;
    size_t inode, offset;
};

struct fake_disk {
    struct inode *now, *base; /* as it is seen; as it was when the log began */
    size_t n_now, n_base;
    struct entry *log;
    size_t n_log;
    struct descriptor open[MOST_OPEN];
    struct sst_os table;
};

/* A test without memory is over. */
static void *grown(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, count ? count * size : 1);
    if (!memory)
        abort();
    return memory;
}

/* --- inodes ------------------------------------------------------------------------------------------------------- */

static size_t add_inode(struct fake_disk *disk, bool is_folder)
{
    disk->now = grown(disk->now, disk->n_now + 1, sizeof *disk->now);
    disk->now[disk->n_now] = (struct inode){.is_folder = is_folder, .locked_by = NOBODY};
    return disk->n_now++;
}

static struct name *find_name(const struct inode *folder, const char *text)
{
    for (size_t i = 0; i < folder->n_names; ++i)
        if (strcmp(folder->names[i].text, text) == 0)
            return &folder->names[i];
    return NULL;
}

static void link_name(struct inode *folder, const char *text, size_t inode)
{
    struct name *name = find_name(folder, text);
    if (!name) {
        folder->names = grown(folder->names, folder->n_names + 1, sizeof *folder->names);
        name = &folder->names[folder->n_names++];
        (void)snprintf(name->text, sizeof name->text, "%s", text);
    }
    name->inode = inode;
}

static void unlink_name(struct inode *folder, const char *text)
{
    struct name *name = find_name(folder, text);
    if (name)
        *name = folder->names[--folder->n_names];
}

static void need_bytes(struct inode *file, size_t n_bytes)
{
    if (n_bytes <= file->n_bytes)
        return;
    file->bytes = grown(file->bytes, n_bytes, 1);
    memset(file->bytes + file->n_bytes, 0, n_bytes - file->n_bytes);
    file->n_bytes = n_bytes;
}

static struct inode *copy_inodes(const struct inode *inodes, size_t n)
{
    struct inode *copies = grown(NULL, n, sizeof *copies);
    for (size_t i = 0; i < n; ++i) {
        copies[i] = inodes[i];
        copies[i].locked_by = NOBODY;
        copies[i].bytes = grown(NULL, inodes[i].n_bytes, 1);
        copies[i].names = grown(NULL, inodes[i].n_names, sizeof *inodes[i].names);
        if (inodes[i].n_bytes)
            memcpy(copies[i].bytes, inodes[i].bytes, inodes[i].n_bytes);
        if (inodes[i].n_names)
            memcpy(copies[i].names, inodes[i].names, inodes[i].n_names * sizeof *inodes[i].names);
    }
    return copies;
}

static void free_inodes(struct inode *inodes, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        free(inodes[i].bytes);
        free(inodes[i].names);
    }
    free(inodes);
}

/* --- the log ------------------------------------------------------------------------------------------------------ */

static struct entry *log_entry(struct fake_disk *disk, enum entry_kind kind, size_t object)
{
    disk->log = grown(disk->log, disk->n_log + 1, sizeof *disk->log);
    struct entry *entry = &disk->log[disk->n_log++];
    *entry = (struct entry){.kind = kind, .object = object};
    return entry;
}

static void log_name(struct fake_disk *disk, enum entry_kind kind, size_t folder, const char *name, size_t inode,
                     bool is_pair)
{
    struct entry *entry = log_entry(disk, kind, folder);
    entry->inode = inode;
    entry->is_pair = is_pair;
    (void)snprintf(entry->name, sizeof entry->name, "%s", name);
}

static void log_write(struct fake_disk *disk, size_t file, size_t offset, const void *bytes, size_t n_bytes)
{
    struct entry *entry = log_entry(disk, ENTRY_WRITE, file);
    entry->offset = offset;
    entry->n_bytes = n_bytes;
    entry->bytes = grown(NULL, n_bytes, 1);
    memcpy(entry->bytes, bytes, n_bytes);
}

static bool any(struct test_random *random) { return test_random_below(random, 2); }

/* Sectors of a write, each there or not; the length of the file may be that of all of them. */
static void apply_torn(struct inode *file, const struct entry *entry, size_t sector, struct test_random *random)
{
    for (size_t at = 0; at < entry->n_bytes;) {
        const size_t end = (entry->offset + at) / sector * sector + sector - entry->offset;
        const size_t next = end < entry->n_bytes ? end : entry->n_bytes;
        if (any(random)) {
            need_bytes(file, entry->offset + next);
            memcpy(file->bytes + entry->offset + at, entry->bytes + at, next - at);
        }
        at = next;
    }
    if (any(random))
        need_bytes(file, entry->offset + entry->n_bytes);
}

static void apply(struct inode *inodes, const struct entry *entry)
{
    struct inode *object = &inodes[entry->object];
    switch (entry->kind) {
    case ENTRY_LINK:
        link_name(object, entry->name, entry->inode);
        break;
    case ENTRY_UNLINK:
        unlink_name(object, entry->name);
        break;
    case ENTRY_WRITE:
        need_bytes(object, entry->offset + entry->n_bytes);
        memcpy(object->bytes + entry->offset, entry->bytes, entry->n_bytes);
        break;
    case ENTRY_CUT:
        object->n_bytes = 0;
        break;
    case ENTRY_SYNC:
        break;
    }
}

/* Whether all before the cut made this entry last. */
static bool is_synced(const struct fake_disk *disk, size_t entry, size_t n_entries)
{
    if (disk->log[entry].is_dropped)
        return false;
    for (size_t i = entry + 1; i < n_entries; ++i)
        if (disk->log[i].kind == ENTRY_SYNC && disk->log[i].object == disk->log[entry].object)
            return true;
    return false;
}

static void apply_unsynced(struct inode *inodes, const struct entry *entry, enum fake_cut how,
                           struct test_random *random)
{
    const bool is_name = entry->kind == ENTRY_LINK || entry->kind == ENTRY_UNLINK;
    switch (how) {
    case FAKE_CUT_SYNCED:
        break;
    case FAKE_CUT_ALL:
        apply(inodes, entry);
        break;
    case FAKE_CUT_NAMES_FIRST:
    case FAKE_CUT_BYTES_FIRST:
        if (is_name == (how == FAKE_CUT_NAMES_FIRST))
            apply(inodes, entry);
        break;
    case FAKE_CUT_TORN_512:
    case FAKE_CUT_TORN_4096:
        if (entry->kind == ENTRY_WRITE)
            apply_torn(&inodes[entry->object], entry, how == FAKE_CUT_TORN_512 ? 512 : 4096, random);
        else if (any(random))
            apply(inodes, entry);
        break;
    }
}

size_t fake_disk_n_entries(const struct fake_disk *disk) { return disk->n_log; }

/* New inodes of the log are there, empty, from the start: what has no name is not seen. */
static struct inode *base_for_all(const struct fake_disk *disk)
{
    struct inode *inodes = copy_inodes(disk->base, disk->n_base);
    inodes = grown(inodes, disk->n_now, sizeof *inodes);
    for (size_t i = disk->n_base; i < disk->n_now; ++i)
        inodes[i] = (struct inode){.is_folder = disk->now[i].is_folder, .locked_by = NOBODY};
    return inodes;
}

static struct fake_disk *disk_of(struct inode *inodes, size_t n)
{
    struct fake_disk *disk = fake_disk_new();
    free_inodes(disk->now, disk->n_now);
    free_inodes(disk->base, disk->n_base);
    disk->now = inodes;
    disk->base = copy_inodes(inodes, n);
    disk->n_now = disk->n_base = n;
    return disk;
}

struct fake_disk *fake_disk_after_cut(const struct fake_disk *disk, size_t n_entries, enum fake_cut how, uint64_t seed)
{
    struct test_random random = {seed};
    struct inode *inodes = base_for_all(disk);
    for (size_t i = 0; i < n_entries; ++i) {
        const struct entry *entry = &disk->log[i];
        if (is_synced(disk, i, n_entries)) {
            apply(inodes, entry);
        } else if (entry->is_pair && i + 1 < n_entries && any(&random)) { /* a rename that is one */
            if (how == FAKE_CUT_ALL || how == FAKE_CUT_NAMES_FIRST || (how >= FAKE_CUT_TORN_512 && any(&random))) {
                apply(inodes, entry);
                apply(inodes, entry + 1);
            }
            ++i;
        } else {
            apply_unsynced(inodes, entry, how, &random);
        }
    }
    return disk_of(inodes, disk->n_now);
}

struct fake_disk *fake_disk_copy(const struct fake_disk *disk)
{
    return disk_of(copy_inodes(disk->now, disk->n_now), disk->n_now);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static struct descriptor *descriptor_of(struct fake_disk *disk, int fd)
{
    if (fd < FIRST_FD || fd >= FIRST_FD + MOST_OPEN || !disk->open[fd - FIRST_FD].is_open) {
        errno = EBADF;
        return NULL;
    }
    return &disk->open[fd - FIRST_FD];
}

/* The folder in which the last part of `path` is, whose text is left in *last; NULL and errno. */
static struct inode *folder_of(struct fake_disk *disk, int folder, const char *path, const char **last)
{
    size_t at = ROOT;
    if (folder != AT_FDCWD) {
        const struct descriptor *descriptor = descriptor_of(disk, folder);
        if (!descriptor)
            return NULL;
        at = descriptor->inode;
    }
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(path, '/')) {
        char part[NAME_ROOM];
        (void)snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        const struct name *name = find_name(&disk->now[at], part);
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

static int open_inode(struct fake_disk *disk, size_t inode, int flags)
{
    if ((flags & O_DIRECTORY) && !disk->now[inode].is_folder) {
        errno = ENOTDIR;
        return -1;
    }
    for (int i = 0; i < MOST_OPEN; ++i) {
        if (disk->open[i].is_open)
            continue;
        disk->open[i] = (struct descriptor){true, inode, 0};
        if (flags & O_TRUNC) {
            disk->now[inode].n_bytes = 0;
            (void)log_entry(disk, ENTRY_CUT, inode);
        }
        if (flags & O_APPEND)
            disk->open[i].offset = disk->now[inode].n_bytes;
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
    const struct inode *in = folder_of(disk, folder, path, &last);
    if (!in)
        return -1;
    if (strcmp(last, ".") == 0)
        return open_inode(disk, index_of(disk, in), flags);
    const struct name *name = find_name(in, last);
    if (name ? (flags & O_CREAT) && (flags & O_EXCL) : !(flags & O_CREAT)) {
        errno = name ? EEXIST : ENOENT;
        return -1;
    }
    if (name)
        return open_inode(disk, name->inode, flags);
    const size_t at = index_of(disk, in), inode = add_inode(disk, false);
    link_name(&disk->now[at], last, inode);
    log_name(disk, ENTRY_LINK, at, last, inode, false);
    return open_inode(disk, inode, flags);
}

static ssize_t disk_read(void *user, int fd, void *bytes, size_t n_bytes)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = descriptor_of(disk, fd);
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

static ssize_t disk_write(void *user, int fd, const void *bytes, size_t n_bytes)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    struct inode *file = &disk->now[descriptor->inode];
    need_bytes(file, descriptor->offset + n_bytes);
    memcpy(file->bytes + descriptor->offset, bytes, n_bytes);
    log_write(disk, descriptor->inode, descriptor->offset, bytes, n_bytes);
    descriptor->offset += n_bytes;
    return (ssize_t)n_bytes;
}

static int disk_sync(void *user, int fd)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = descriptor_of(disk, fd);
    if (!descriptor)
        return -1;
    (void)log_entry(disk, ENTRY_SYNC, descriptor->inode);
    return 0;
}

static int disk_close(void *user, int fd)
{
    struct fake_disk *disk = user;
    struct descriptor *descriptor = descriptor_of(disk, fd);
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
    const struct descriptor *descriptor = descriptor_of(disk, fd);
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
    struct inode *in = folder_of(disk, folder, from, &last);
    const struct name *name = in ? find_name(in, from) : NULL;
    const struct name *over = in ? find_name(in, to) : NULL;
    if (!name || (over && disk->now[over->inode].is_folder)) {
        errno = name ? ENOTEMPTY : ENOENT;
        return -1;
    }
    const size_t inode = name->inode, at = index_of(disk, in);
    link_name(in, to, inode);
    unlink_name(in, from);
    log_name(disk, ENTRY_LINK, at, to, inode, true);
    log_name(disk, ENTRY_UNLINK, at, from, inode, false);
    return 0;
}

static int remove_name(struct fake_disk *disk, int folder, const char *text, bool is_folder)
{
    const char *last = NULL;
    struct inode *in = folder_of(disk, folder, text, &last);
    const struct name *name = in ? find_name(in, last) : NULL;
    if (!name || disk->now[name->inode].is_folder != is_folder || (is_folder && disk->now[name->inode].n_names > 0)) {
        errno = !name ? ENOENT : is_folder ? ENOTEMPTY : EISDIR;
        return -1;
    }
    log_name(disk, ENTRY_UNLINK, index_of(disk, in), last, name->inode, false);
    unlink_name(in, last);
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
    const struct inode *in = folder_of(disk, folder, path, &last);
    if (!in || find_name(in, last)) {
        errno = in ? EEXIST : ENOENT;
        return -1;
    }
    const size_t at = index_of(disk, in), inode = add_inode(disk, true);
    link_name(&disk->now[at], last, inode);
    log_name(disk, ENTRY_LINK, at, last, inode, false);
    return 0;
}

static int disk_lock(void *user, int fd)
{
    struct fake_disk *disk = user;
    const struct descriptor *descriptor = descriptor_of(disk, fd);
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
    const struct descriptor *descriptor = descriptor_of(disk, folder);
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

/* --- life --------------------------------------------------------------------------------------------------------- */

struct fake_disk *fake_disk_new(void)
{
    struct fake_disk *disk = grown(NULL, 1, sizeof *disk);
    *disk = (struct fake_disk){
        .table =
            {
                .user = disk,
                .open = disk_open,
                .read = disk_read,
                .write = disk_write,
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
            },
    };
    (void)add_inode(disk, true);
    disk->base = copy_inodes(disk->now, disk->n_now);
    disk->n_base = disk->n_now;
    return disk;
}

void fake_disk_free(struct fake_disk *disk)
{
    if (!disk)
        return;
    free_inodes(disk->now, disk->n_now);
    free_inodes(disk->base, disk->n_base);
    for (size_t i = 0; i < disk->n_log; ++i)
        free(disk->log[i].bytes);
    free(disk->log);
    free(disk);
}

const struct sst_os *fake_disk_os(struct fake_disk *disk) { return &disk->table; }

void fake_disk_kill(struct fake_disk *disk)
{
    for (size_t i = 0; i < disk->n_now; ++i)
        disk->now[i].locked_by = NOBODY;
    memset(disk->open, 0, sizeof disk->open);
}

size_t fake_disk_n_open(const struct fake_disk *disk)
{
    size_t n = 0;
    for (int i = 0; i < MOST_OPEN; ++i)
        n += disk->open[i].is_open;
    return n;
}

void fake_disk_drop_unsynced(struct fake_disk *disk, int fd)
{
    const struct descriptor *descriptor = descriptor_of(disk, fd);
    for (size_t i = 0; descriptor && i < disk->n_log; ++i)
        if (disk->log[i].object == descriptor->inode && disk->log[i].kind != ENTRY_SYNC &&
            !is_synced(disk, i, disk->n_log))
            disk->log[i].is_dropped = true;
}

unsigned char *fake_disk_bytes(struct fake_disk *disk, const char *path, size_t *n_bytes)
{
    const char *last = NULL;
    const struct inode *in = folder_of(disk, AT_FDCWD, path, &last);
    const struct name *name = in ? find_name(in, last) : NULL;
    if (!name)
        return NULL;
    *n_bytes = disk->now[name->inode].n_bytes;
    return disk->now[name->inode].bytes;
}

void fake_disk_put(struct fake_disk *disk, const char *path, const void *bytes, size_t n_bytes)
{
    const int fd = disk_open(disk, AT_FDCWD, path, O_WRONLY | O_CREAT, 0);
    const struct descriptor *descriptor = descriptor_of(disk, fd);
    if (!descriptor)
        abort();
    struct inode *file = &disk->now[descriptor->inode];
    file->n_bytes = 0;
    need_bytes(file, n_bytes);
    if (n_bytes)
        memcpy(file->bytes, bytes, n_bytes);
    (void)disk_close(disk, fd);
}
