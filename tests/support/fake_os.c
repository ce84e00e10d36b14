/* What is on the disk in memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_os_disk.h"

/* A test without memory is over. */
void *fake_grown(void *old, size_t count, size_t size)
{
    void *memory = realloc(old, count ? count * size : 1);
    if (!memory)
        abort();
    return memory;
}

/* --- inodes ------------------------------------------------------------------------------------------------------- */

size_t fake_add_inode(struct fake_disk *disk, bool is_folder)
{
    disk->now = fake_grown(disk->now, disk->n_now + 1, sizeof *disk->now);
    disk->now[disk->n_now] = (struct inode){.is_folder = is_folder, .locked_by = NOBODY};
    return disk->n_now++;
}

struct name *fake_find_name(const struct inode *folder, const char *text)
{
    for (size_t i = 0; i < folder->n_names; ++i)
        if (strcmp(folder->names[i].text, text) == 0)
            return &folder->names[i];
    return NULL;
}

void fake_link_name(struct inode *folder, const char *text, size_t inode)
{
    struct name *name = fake_find_name(folder, text);
    if (!name) {
        folder->names = fake_grown(folder->names, folder->n_names + 1, sizeof *folder->names);
        name = &folder->names[folder->n_names++];
        (void)snprintf(name->text, sizeof name->text, "%s", text);
    }
    name->inode = inode;
}

void fake_unlink_name(struct inode *folder, const char *text)
{
    struct name *name = fake_find_name(folder, text);
    if (name)
        *name = folder->names[--folder->n_names];
}

void fake_need_bytes(struct inode *file, size_t n_bytes)
{
    if (n_bytes <= file->n_bytes)
        return;
    file->bytes = fake_grown(file->bytes, n_bytes, 1);
    memset(file->bytes + file->n_bytes, 0, n_bytes - file->n_bytes);
    file->n_bytes = n_bytes;
}

struct inode *fake_copy_inodes(const struct inode *inodes, size_t n)
{
    struct inode *copies = fake_grown(NULL, n, sizeof *copies);
    for (size_t i = 0; i < n; ++i) {
        copies[i] = inodes[i];
        copies[i].locked_by = NOBODY;
        copies[i].bytes = fake_grown(NULL, inodes[i].n_bytes, 1);
        copies[i].names = fake_grown(NULL, inodes[i].n_names, sizeof *inodes[i].names);
        if (inodes[i].n_bytes)
            memcpy(copies[i].bytes, inodes[i].bytes, inodes[i].n_bytes);
        if (inodes[i].n_names)
            memcpy(copies[i].names, inodes[i].names, inodes[i].n_names * sizeof *inodes[i].names);
    }
    return copies;
}

void fake_free_inodes(struct inode *inodes, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        free(inodes[i].bytes);
        free(inodes[i].names);
    }
    free(inodes);
}

/* --- life --------------------------------------------------------------------------------------------------------- */

struct fake_disk *fake_disk_new(void)
{
    struct fake_disk *disk = fake_grown(NULL, 1, sizeof *disk);
    *disk = (struct fake_disk){.table = fake_disk_table};
    disk->table.user = disk;
    (void)fake_add_inode(disk, true);
    disk->base = fake_copy_inodes(disk->now, disk->n_now);
    disk->n_base = disk->n_now;
    return disk;
}

void fake_disk_free(struct fake_disk *disk)
{
    if (!disk)
        return;
    fake_free_inodes(disk->now, disk->n_now);
    fake_free_inodes(disk->base, disk->n_base);
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

static bool is_same_tree(const struct fake_disk *a, size_t in_a, const struct fake_disk *b, size_t in_b)
{
    const struct inode *one = &a->now[in_a], *other = &b->now[in_b];
    if (one->is_folder != other->is_folder || one->n_bytes != other->n_bytes || one->n_names != other->n_names ||
        (one->n_bytes > 0 && memcmp(one->bytes, other->bytes, one->n_bytes) != 0))
        return false;
    for (size_t i = 0; i < one->n_names; ++i) {
        const struct name *name = fake_find_name(other, one->names[i].text);
        if (!name || !is_same_tree(a, one->names[i].inode, b, name->inode))
            return false;
    }
    return true;
}

bool fake_disk_is_same(const struct fake_disk *a, const struct fake_disk *b) { return is_same_tree(a, ROOT, b, ROOT); }

void fake_disk_drop_unsynced(struct fake_disk *disk, int fd)
{
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    for (size_t i = 0; descriptor && i < disk->n_log; ++i)
        if (disk->log[i].object == descriptor->inode && disk->log[i].kind != ENTRY_SYNC &&
            !fake_is_synced(disk, i, disk->n_log))
            disk->log[i].is_dropped = true;
}

unsigned char *fake_disk_bytes(struct fake_disk *disk, const char *path, size_t *n_bytes)
{
    const char *last = NULL;
    const struct inode *in = fake_folder_of(disk, AT_FDCWD, path, &last);
    const struct name *name = in ? fake_find_name(in, last) : NULL;
    if (!name)
        return NULL;
    *n_bytes = disk->now[name->inode].n_bytes;
    return disk->now[name->inode].bytes;
}

void fake_disk_put(struct fake_disk *disk, const char *path, const void *bytes, size_t n_bytes)
{
    const int fd = disk->table.open(disk, AT_FDCWD, path, O_WRONLY | O_CREAT, 0);
    const struct descriptor *descriptor = fake_descriptor_of(disk, fd);
    if (!descriptor)
        abort();
    struct inode *file = &disk->now[descriptor->inode];
    file->n_bytes = 0;
    fake_need_bytes(file, n_bytes);
    if (n_bytes)
        memcpy(file->bytes, bytes, n_bytes);
    (void)disk->table.close(disk, fd);
}
