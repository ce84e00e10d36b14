/* The face that counts and fails. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fake_os.h"

enum call_kind { CALL_OTHER, CALL_READ, CALL_WRITE, CALL_SYNC };

static int errno_of(enum fake_fault fault)
{
    switch (fault) {
    case FAKE_ENOSPC:
        return ENOSPC;
    case FAKE_EDQUOT:
        return EDQUOT;
    case FAKE_EINTR:
        return EINTR;
    case FAKE_EMFILE:
        return EMFILE;
    case FAKE_ENOLCK:
        return ENOLCK;
    default:
        return EIO;
    }
}

/* Counts a call; whether it is one that goes wrong. */
static bool is_due(struct fake_faults *faults)
{
    ++faults->n_calls;
    return faults->at && (faults->n_calls == faults->at || (faults->is_sticky && faults->n_calls > faults->at));
}

/* Whether the call fails, with errno; *n_bytes is made less where it is cut short. */
static bool fails(struct fake_faults *faults, enum call_kind kind, size_t *n_bytes)
{
    if (!is_due(faults))
        return false;
    switch (faults->fault) {
    case FAKE_NO_FAULT:
        return false;
    case FAKE_EXIT:
        _exit(FAKE_EXIT_CODE);
    case FAKE_SHORT_WRITE:
    case FAKE_SHORT_READ:
        if (kind == (faults->fault == FAKE_SHORT_WRITE ? CALL_WRITE : CALL_READ) && *n_bytes > 1) {
            *n_bytes /= 2;
            ++faults->n_hit;
        }
        return false;
    case FAKE_SYNC_LOSES:
        if (kind != CALL_SYNC)
            return false;
        break;
    default:
        break;
    }
    ++faults->n_hit;
    errno = errno_of(faults->fault);
    return true;
}

static bool fails_plainly(struct fake_faults *faults)
{
    size_t none = 0;
    return fails(faults, CALL_OTHER, &none);
}

static bool is_renamed(const struct fake_faults *faults, const char *part)
{
    if (faults->omissions & FAKE_OMIT_CONTENTS_RENAME)
        return strcmp(part, "contents.part") != 0;
    return !(faults->omissions & FAKE_OMIT_RENAME);
}

/* Where renames are left out "a.part" is "a". */
static const char *target_name(const struct fake_faults *faults, const char *name, char *room)
{
    const size_t length = strlen(name);
    const bool is_state = strcmp(name, faults->folder_name) == 0;
    const bool is_left_out = is_state ? (faults->omissions & FAKE_OMIT_STATE_RENAME) != 0 : !is_renamed(faults, name);
    if (!is_left_out || length < 6 || length > 200 || strcmp(name + length - 5, ".part") != 0)
        return name;
    memcpy(room, name, length - 5);
    room[length - 5] = '\0';
    return room;
}

/* Whether that is the place of a state that is being made there, which must not be seen by who makes it. */
static bool is_hidden(const struct fake_faults *faults, const char *name, int flags)
{
    const size_t length = strlen(faults->folder_name);
    return faults->omissions & FAKE_OMIT_STATE_RENAME && flags & O_NONBLOCK && length > 5 &&
           strlen(name) == length - 5 && strncmp(name, faults->folder_name, length - 5) == 0;
}

static int faults_open(void *user, int folder, const char *name, int flags, unsigned mode)
{
    struct fake_faults *faults = user;
    char room[256];
    if (fails_plainly(faults))
        return -1;
    if (is_hidden(faults, name, flags)) {
        errno = ENOENT;
        return -1;
    }
    const char *target = target_name(faults, name, room);
    if (target != name && (flags & O_CREAT))
        flags = (flags & ~O_EXCL) | O_TRUNC;
    const int fd = faults->inner->open(faults->inner->user, folder, target, flags, mode);
    if (fd >= 0 && fd < FAKE_MOST_FILES) {
        faults->is_folder[fd] = flags & O_DIRECTORY;
        faults->is_log[fd] = flags & O_APPEND;
    }
    return fd;
}

static ssize_t faults_read(void *user, int fd, void *bytes, size_t n_bytes)
{
    struct fake_faults *faults = user;
    return fails(faults, CALL_READ, &n_bytes) ? -1 : faults->inner->read(faults->inner->user, fd, bytes, n_bytes);
}

static ssize_t faults_read_at(void *user, int fd, void *bytes, size_t n_bytes, uint64_t offset)
{
    struct fake_faults *faults = user;
    if (fails(faults, CALL_READ, &n_bytes))
        return -1;
    return faults->inner->read_at(faults->inner->user, fd, bytes, n_bytes, offset);
}

static int faults_truncate(void *user, int fd, uint64_t n_bytes)
{
    struct fake_faults *faults = user;
    if (fails_plainly(faults))
        return -1;
    return faults->omissions & FAKE_OMIT_TRUNCATE ? 0 : faults->inner->truncate(faults->inner->user, fd, n_bytes);
}

static ssize_t faults_write(void *user, int fd, const void *bytes, size_t n_bytes)
{
    struct fake_faults *faults = user;
    const size_t n_wanted = n_bytes;
    if (fails(faults, CALL_WRITE, &n_bytes))
        return -1;
    if (faults->has_room_limit && (int64_t)n_bytes > faults->room) {
        n_bytes = (size_t)faults->room;
        ++faults->n_hit;
        if (n_bytes == 0) {
            errno = ENOSPC;
            return -1;
        }
    }
    const ssize_t n = faults->inner->write(faults->inner->user, fd, bytes, n_bytes);
    if (n > 0)
        faults->room -= n;
    return n > 0 && faults->omissions & FAKE_OMIT_REST ? (ssize_t)n_wanted : n;
}

static int faults_sync(void *user, int fd)
{
    struct fake_faults *faults = user;
    size_t none = 0;
    if (fails(faults, CALL_SYNC, &none)) {
        if (faults->fault == FAKE_SYNC_LOSES && faults->disk)
            fake_disk_drop_unsynced(faults->disk, fd);
        return faults->omissions & FAKE_OMIT_FAILURE ? 0 : -1;
    }
    const bool is_folder = fd < FAKE_MOST_FILES && faults->is_folder[fd];
    if (faults->omissions & FAKE_OMIT_LOG_SYNC && fd < FAKE_MOST_FILES && faults->is_log[fd])
        return 0;
    if (faults->omissions & (is_folder ? FAKE_OMIT_FOLDER_SYNC : FAKE_OMIT_FILE_SYNC))
        return 0;
    return faults->inner->sync(faults->inner->user, fd);
}

/* A close that fails has closed. */
static int faults_close(void *user, int fd)
{
    struct fake_faults *faults = user;
    const bool is_failing = fails_plainly(faults);
    const int reason = errno, result = faults->inner->close(faults->inner->user, fd);
    if (!is_failing)
        return result;
    errno = reason;
    return -1;
}

static int64_t faults_size(void *user, int fd)
{
    struct fake_faults *faults = user;
    return fails_plainly(faults) ? -1 : faults->inner->size(faults->inner->user, fd);
}

static int faults_rename(void *user, int folder, const char *from, const char *to)
{
    struct fake_faults *faults = user;
    char room[256];
    if (fails_plainly(faults))
        return -1;
    if (target_name(faults, from, room) != from)
        return 0;
    return faults->inner->rename(faults->inner->user, folder, from, to);
}

static int faults_unlink(void *user, int folder, const char *name)
{
    struct fake_faults *faults = user;
    return fails_plainly(faults) ? -1 : faults->inner->unlink(faults->inner->user, folder, name);
}

static int faults_make_folder(void *user, int folder, const char *name, unsigned mode)
{
    struct fake_faults *faults = user;
    char room[256];
    if (strstr(name, ".part"))
        (void)snprintf(faults->folder_name, sizeof faults->folder_name, "%s", name);
    if (fails_plainly(faults))
        return -1;
    return faults->inner->make_folder(faults->inner->user, folder, target_name(faults, name, room), mode);
}

static int faults_remove_folder(void *user, int folder, const char *name)
{
    struct fake_faults *faults = user;
    return fails_plainly(faults) ? -1 : faults->inner->remove_folder(faults->inner->user, folder, name);
}

static int faults_lock(void *user, int fd)
{
    struct fake_faults *faults = user;
    if (fails_plainly(faults))
        return -1;
    return faults->omissions & FAKE_OMIT_LOCK ? 0 : faults->inner->lock(faults->inner->user, fd);
}

static int faults_next_name(void *user, int folder, void **state, char *name, size_t room)
{
    struct fake_faults *faults = user;
    if (!fails_plainly(faults))
        return faults->inner->next_name(faults->inner->user, folder, state, name, room);
    const int reason = errno;
    while (*state && faults->inner->next_name(faults->inner->user, folder, state, name, room) > 0)
        ;
    errno = reason;
    return -1;
}

static int64_t faults_free_bytes(void *user, int folder)
{
    struct fake_faults *faults = user;
    return fails_plainly(faults) ? -1 : faults->inner->free_bytes(faults->inner->user, folder);
}

void fake_faults_start(struct fake_faults *faults, struct fake_disk *disk)
{
    *faults = (struct fake_faults){
        .inner = disk ? fake_disk_os(disk) : sst_os_system(),
        .disk = disk,
        .table =
            {
                .user = faults,
                .open = faults_open,
                .read = faults_read,
                .read_at = faults_read_at,
                .write = faults_write,
                .truncate = faults_truncate,
                .sync = faults_sync,
                .close = faults_close,
                .size = faults_size,
                .rename = faults_rename,
                .unlink = faults_unlink,
                .make_folder = faults_make_folder,
                .remove_folder = faults_remove_folder,
                .lock = faults_lock,
                .next_name = faults_next_name,
                .free_bytes = faults_free_bytes,
            },
    };
}
