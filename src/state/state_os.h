/*
 * Every call of the operating system that a state makes, in one table, so that tests can fail it, cut it short, lose what
 * was not synchronised, or stop the process in front of it.
 *
 * Functions are those of POSIX by the same name: -1 and errno on failure, short reads and writes, EINTR.
 */
#ifndef SST_STATE_STATE_OS_H
#define SST_STATE_STATE_OS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct sst_os {
    void *user; /* of the table; given to every call */
    /* openat, O_CLOEXEC added. `folder` is an open one or AT_FDCWD, here and below. */
    int (*open)(void *user, int folder, const char *name, int flags, unsigned mode);
    ssize_t (*read)(void *user, int fd, void *bytes, size_t n_bytes);
    ssize_t (*read_at)(void *user, int fd, void *bytes, size_t n_bytes, uint64_t offset); /* pread */
    ssize_t (*write)(void *user, int fd, const void *bytes, size_t n_bytes);
    int (*truncate)(void *user, int fd, uint64_t n_bytes); /* ftruncate */
    int (*sync)(void *user, int fd); /* fsync, of files and folders */
    int (*close)(void *user, int fd);
    int64_t (*size)(void *user, int fd); /* st_size of a regular file */
    int (*rename)(void *user, int folder, const char *from, const char *to); /* renameat within the folder */
    int (*unlink)(void *user, int folder, const char *name);
    int (*make_folder)(void *user, int folder, const char *name, unsigned mode); /* mkdirat */
    int (*remove_folder)(void *user, int folder, const char *name); /* rmdir */
    int (*lock)(void *user, int fd); /* flock, exclusive, at once or EWOULDBLOCK */
    /*
     * The names in a folder, one a call, in any order, without "." and "..": 1, or 0 at the end, or -1. *state starts as
     * NULL; it is asked until it gives 0 or -1, which frees what it holds.
     */
    int (*next_name)(void *user, int folder, void **state, char *name, size_t room);
    int64_t (*free_bytes)(void *user, int folder); /* that an ordinary user may still write */
};

/* The system itself. Never NULL. */
const struct sst_os *sst_os_system(void);

/* All of the bytes, however the system splits and interrupts it: 0, or -1 and errno. */
int sst_os_write_all(const struct sst_os *os, int fd, const void *bytes, size_t n_bytes);

/* How many bytes were read: fewer than n_bytes only where the file ends. -1 and errno. */
int64_t sst_os_read_all(const struct sst_os *os, int fd, void *bytes, size_t n_bytes);
int64_t sst_os_read_all_at(const struct sst_os *os, int fd, void *bytes, size_t n_bytes, uint64_t offset);

#endif
