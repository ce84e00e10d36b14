/* What the files of the disk in memory share: fake_os.c what is on it, fake_os_cut.c its log, fake_os_calls.c its table. */
#ifndef SST_FAKE_OS_DISK_H
#define SST_FAKE_OS_DISK_H

#include "fake_os.h"

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
    size_t offset, n_bytes; /* that were written; the length that is left */
    bool is_dropped; /* by an fsync that failed */
    bool is_pair; /* half of a rename: the next entry is the other */
};

struct descriptor {
    bool is_open, is_appending;
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

/* Memory, or the end of the test. */
void *fake_grown(void *old, size_t count, size_t size);

size_t fake_add_inode(struct fake_disk *disk, bool is_folder);
struct name *fake_find_name(const struct inode *folder, const char *text);
void fake_link_name(struct inode *folder, const char *text, size_t inode);
void fake_unlink_name(struct inode *folder, const char *text);
void fake_need_bytes(struct inode *file, size_t n_bytes);
struct inode *fake_copy_inodes(const struct inode *inodes, size_t n);
void fake_free_inodes(struct inode *inodes, size_t n);

struct entry *fake_log_entry(struct fake_disk *disk, enum entry_kind kind, size_t object);
void fake_log_name(struct fake_disk *disk, enum entry_kind kind, size_t folder, const char *name, size_t inode,
                   bool is_pair);
void fake_log_write(struct fake_disk *disk, size_t file, size_t offset, const void *bytes, size_t n_bytes);
/* Whether all before the cut made this entry last. */
bool fake_is_synced(const struct fake_disk *disk, size_t entry, size_t n_entries);

/* NULL and errno where there is none. */
struct descriptor *fake_descriptor_of(struct fake_disk *disk, int fd);
/* The folder in which the last part of `path` is, whose text is left in *last; NULL and errno. */
struct inode *fake_folder_of(struct fake_disk *disk, int folder, const char *path, const char **last);
extern const struct sst_os fake_disk_table;

#endif
