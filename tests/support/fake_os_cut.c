/* The log of the disk in memory, and what is left of it when power is cut. */
#include <stdio.h>
#include <string.h>

#include "fake_os_disk.h"
#include "random.h"

struct entry *fake_log_entry(struct fake_disk *disk, enum entry_kind kind, size_t object)
{
    disk->log = fake_grown(disk->log, disk->n_log + 1, sizeof *disk->log);
    struct entry *entry = &disk->log[disk->n_log++];
    *entry = (struct entry){.kind = kind, .object = object};
    return entry;
}

void fake_log_name(struct fake_disk *disk, enum entry_kind kind, size_t folder, const char *name, size_t inode,
                   bool is_pair)
{
    struct entry *entry = fake_log_entry(disk, kind, folder);
    entry->inode = inode;
    entry->is_pair = is_pair;
    (void)snprintf(entry->name, sizeof entry->name, "%s", name);
}

void fake_log_write(struct fake_disk *disk, size_t file, size_t offset, const void *bytes, size_t n_bytes)
{
    struct entry *entry = fake_log_entry(disk, ENTRY_WRITE, file);
    entry->offset = offset;
    entry->n_bytes = n_bytes;
    entry->bytes = fake_grown(NULL, n_bytes, 1);
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
            fake_need_bytes(file, entry->offset + next);
            memcpy(file->bytes + entry->offset + at, entry->bytes + at, next - at);
        }
        at = next;
    }
    if (any(random))
        fake_need_bytes(file, entry->offset + entry->n_bytes);
}

static void apply(struct inode *inodes, const struct entry *entry)
{
    struct inode *object = &inodes[entry->object];
    switch (entry->kind) {
    case ENTRY_LINK:
        fake_link_name(object, entry->name, entry->inode);
        break;
    case ENTRY_UNLINK:
        fake_unlink_name(object, entry->name);
        break;
    case ENTRY_WRITE:
        fake_need_bytes(object, entry->offset + entry->n_bytes);
        memcpy(object->bytes + entry->offset, entry->bytes, entry->n_bytes);
        break;
    case ENTRY_CUT:
        if (entry->n_bytes < object->n_bytes)
            object->n_bytes = entry->n_bytes;
        break;
    case ENTRY_SYNC:
        break;
    }
}

/* Whether all before the cut made this entry last. */
bool fake_is_synced(const struct fake_disk *disk, size_t entry, size_t n_entries)
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
    struct inode *inodes = fake_copy_inodes(disk->base, disk->n_base);
    inodes = fake_grown(inodes, disk->n_now, sizeof *inodes);
    for (size_t i = disk->n_base; i < disk->n_now; ++i)
        inodes[i] = (struct inode){.is_folder = disk->now[i].is_folder, .locked_by = NOBODY};
    return inodes;
}

static struct fake_disk *disk_of(struct inode *inodes, size_t n)
{
    struct fake_disk *disk = fake_disk_new();
    fake_free_inodes(disk->now, disk->n_now);
    fake_free_inodes(disk->base, disk->n_base);
    disk->now = inodes;
    disk->base = fake_copy_inodes(inodes, n);
    disk->n_now = disk->n_base = n;
    return disk;
}

struct fake_disk *fake_disk_after_cut(const struct fake_disk *disk, size_t n_entries, enum fake_cut how, uint64_t seed)
{
    struct test_random random = {seed};
    struct inode *inodes = base_for_all(disk);
    for (size_t i = 0; i < n_entries; ++i) {
        const struct entry *entry = &disk->log[i];
        if (fake_is_synced(disk, i, n_entries)) {
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
    return disk_of(fake_copy_inodes(disk->now, disk->n_now), disk->n_now);
}
