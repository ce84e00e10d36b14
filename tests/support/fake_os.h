/*
 * Operating systems for tests of a state: a disk in memory that loses its power, and a face on any table that counts calls
 * and makes the n-th go wrong.
 *
 *   state ──▶ fake_faults ──▶ fake_disk, or the system
 *
 * The disk logs what is done to it. Cut after the n-th entry, it gives back a disk of what was synchronised and, of all else,
 * whatever a file system may have written by then: nothing, all, any of it in any order, sectors of it.
 */
#ifndef SST_FAKE_OS_H
#define SST_FAKE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "state/state_os.h"

/* --- a disk in memory --------------------------------------------------------------------------------------------- */

struct fake_disk;

/* An empty disk; paths without a folder start at its only root. Owner: the caller; fake_disk_free. */
struct fake_disk *fake_disk_new(void);
void fake_disk_free(struct fake_disk *disk);

/* Its table; borrowed. */
const struct sst_os *fake_disk_os(struct fake_disk *disk);

/* Entries of its log. */
size_t fake_disk_n_entries(const struct fake_disk *disk);

/* What of the log's unsynchronised entries is there after the power came back. */
enum fake_cut {
    FAKE_CUT_SYNCED, /* nothing */
    FAKE_CUT_ALL,
    FAKE_CUT_NAMES_FIRST, /* changes of folders, but no bytes */
    FAKE_CUT_BYTES_FIRST,
    FAKE_CUT_TORN_512, /* any subset, of written bytes in sectors of this size */
    FAKE_CUT_TORN_4096
};

/* The disk as it is when power is cut after n_entries of the log. Owner: the caller. */
struct fake_disk *fake_disk_after_cut(const struct fake_disk *disk, size_t n_entries, enum fake_cut how, uint64_t seed);

/* As fake_disk_after_cut of all entries, for the process alone: nothing is lost, descriptors and locks are let go. */
void fake_disk_kill(struct fake_disk *disk);

/* What a failed fsync does on real systems: what was not synchronised yet is still seen, but will never be. */
void fake_disk_drop_unsynced(struct fake_disk *disk, int fd);

/* Bytes of a file by its path, NULL if there is none; borrowed until the next change. */
unsigned char *fake_disk_bytes(struct fake_disk *disk, const char *path, size_t *n_bytes);
/* Makes or replaces a file, without an entry in the log. */
void fake_disk_put(struct fake_disk *disk, const char *path, const void *bytes, size_t n_bytes);
/* A disk of the same content, with an empty log. Owner: the caller. */
struct fake_disk *fake_disk_copy(const struct fake_disk *disk);
/* Whether both show the same folders and files, to the byte. */
bool fake_disk_is_same(const struct fake_disk *a, const struct fake_disk *b);
size_t fake_disk_n_open(const struct fake_disk *disk);

/* --- faults ------------------------------------------------------------------------------------------------------- */

enum fake_fault {
    FAKE_NO_FAULT,
    FAKE_EIO,
    FAKE_ENOSPC,
    FAKE_EDQUOT,
    FAKE_EINTR,
    FAKE_EMFILE,
    FAKE_ENOLCK,
    FAKE_SHORT_WRITE, /* half of what was asked for; other calls do well */
    FAKE_SHORT_READ,
    FAKE_SYNC_LOSES, /* fsync fails with EIO, and what was not synchronised is lost; other calls do well */
    FAKE_EXIT /* the process is gone in front of the call */
};

/* Calls that are left out and said to have succeeded: each is a fault that tests have to see. */
enum fake_omission {
    FAKE_OMIT_NOTHING = 0,
    FAKE_OMIT_FILE_SYNC = 1,
    FAKE_OMIT_FOLDER_SYNC = 2,
    FAKE_OMIT_RENAME = 4, /* files are written where they are to be */
    FAKE_OMIT_LOCK = 8,
    FAKE_OMIT_TRUNCATE = 16,
    FAKE_OMIT_LOG_SYNC = 32, /* of files that are appended to */
    FAKE_OMIT_CONTENTS_RENAME = 64, /* of the file of that name alone */
    FAKE_OMIT_STATE_RENAME = 128, /* new states are made where they are to be */
    FAKE_OMIT_REST = 256, /* of a write that was cut short */
    FAKE_OMIT_FAILURE = 512 /* an fsync that failed is asked again, which does well */
};

enum { FAKE_MOST_FILES = 4096, FAKE_EXIT_CODE = 99 };

struct fake_faults {
    const struct sst_os *inner;
    struct fake_disk *disk; /* that is behind it, or NULL */
    long n_calls;
    long at; /* the call that goes wrong, from 1; 0: none */
    enum fake_fault fault;
    bool is_sticky; /* and all after it */
    bool has_room_limit;
    int64_t room; /* bytes that can still be written */
    unsigned omissions;
    long n_hit; /* calls that went wrong */
    bool is_folder[FAKE_MOST_FILES], is_log[FAKE_MOST_FILES]; /* by descriptor */
    char
        folder_name[64]; /* that was made as a part: FAKE_OMIT_RENAME is of files, FAKE_OMIT_STATE_RENAME of this one */
    struct sst_os table; /* to be used; made by fake_faults_start */
};

/* `disk` may be NULL: the system. */
void fake_faults_start(struct fake_faults *faults, struct fake_disk *disk);

#endif
