/* The table of files that were taken. */
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "state/file_notes_private.h"
#include "state/state_wire.h"

enum { LEAST_ROOM = 64, REMOVED = -1 };

void sst_seen_files_clear(struct sst_seen_files *files)
{
    sst_free(files->table);
    *files = (struct sst_seen_files){0};
}

/* 0 is kept for "no file". */
static uint64_t hash_of(const char *path)
{
    const uint64_t hash = sst_identity_of(path, strlen(path)).low;
    return hash ? hash : 1;
}

static bool is_live(const struct sst_seen_file *file) { return file->hash != 0 && file->stamp.size_bytes != REMOVED; }

/* The place of a hash, or the free one where it belongs; there is a free one. */
static struct sst_seen_file *place_of(const struct sst_seen_files *files, uint64_t hash)
{
    size_t at = (size_t)hash & (files->room - 1);
    while (files->table[at].hash != 0 && files->table[at].hash != hash)
        at = (at + 1) & (files->room - 1);
    return &files->table[at];
}

bool sst_seen_files_has(const struct sst_seen_files *files, const char *path, struct sst_file_stamp stamp)
{
    if (files->room == 0)
        return false;
    const struct sst_seen_file *file = place_of(files, hash_of(path));
    return is_live(file) && file->stamp.size_bytes == stamp.size_bytes && file->stamp.mtime_ns == stamp.mtime_ns;
}

/* A table of at least twice as many places as there are files, without those that were removed. */
static enum sst_status make_room(struct sst_seen_files *files, struct sst_error *err)
{
    struct sst_seen_files larger = {.room = LEAST_ROOM};
    if (2 * (files->n_taken + 1) <= files->room)
        return SST_OK;
    size_t n_live = 0;
    for (size_t i = 0; i < files->room; ++i)
        n_live += is_live(&files->table[i]);
    while (larger.room < 4 * (n_live + 1))
        larger.room *= 2;
    SST_TRY(sst_alloc(larger.room, sizeof *larger.table, "the list of files", &larger.table, err));
    for (size_t i = 0; i < files->room; ++i)
        if (is_live(&files->table[i]))
            *place_of(&larger, files->table[i].hash) = files->table[i];
    larger.n_taken = n_live;
    sst_seen_files_clear(files);
    *files = larger;
    return SST_OK;
}

static enum sst_status put(struct sst_seen_files *files, struct sst_seen_file new, struct sst_error *err)
{
    SST_TRY(make_room(files, err));
    struct sst_seen_file *file = place_of(files, new.hash);
    files->n_taken += file->hash == 0;
    *file = new;
    return SST_OK;
}

enum sst_status sst_seen_files_put(struct sst_seen_files *files, const char *path, struct sst_file_stamp stamp,
                                   struct sst_error *err)
{
    return put(files, (struct sst_seen_file){.hash = hash_of(path), .stamp = stamp}, err);
}

bool sst_seen_files_remove(struct sst_seen_files *files, const char *path)
{
    if (files->room == 0)
        return false;
    struct sst_seen_file *file = place_of(files, hash_of(path));
    const bool was_there = is_live(file);
    file->stamp.size_bytes = was_there ? REMOVED : file->stamp.size_bytes;
    return was_there;
}

bool sst_seen_files_keep_only(struct sst_seen_files *files, const char *const *paths, size_t n_paths)
{
    bool has_removed = false;
    for (size_t i = 0; i < n_paths && files->room > 0; ++i) {
        struct sst_seen_file *file = place_of(files, hash_of(paths[i]));
        file->is_wanted = is_live(file);
    }
    for (size_t i = 0; i < files->room; ++i) {
        struct sst_seen_file *file = &files->table[i];
        if (is_live(file) && !file->is_wanted) {
            file->stamp.size_bytes = REMOVED;
            has_removed = true;
        }
        file->is_wanted = false;
    }
    return has_removed;
}

/* --- to and from a block ------------------------------------------------------------------------------------------ */

static int compare_hashes(const void *a, const void *b)
{
    const struct sst_seen_file *x = a, *y = b;
    return (x->hash > y->hash) - (x->hash < y->hash);
}

enum sst_status sst_seen_files_encode(const struct sst_seen_files *files, struct sst_text *out, struct sst_error *err)
{
    struct sst_seen_file *sorted = NULL;
    size_t n = 0;
    SST_TRY(sst_alloc(files->n_taken, sizeof *sorted, "the list of files", &sorted, err));
    for (size_t i = 0; i < files->room; ++i)
        if (is_live(&files->table[i]))
            sorted[n++] = files->table[i];
    if (n > 0)
        qsort(sorted, n, sizeof *sorted, compare_hashes);
    sst_put_u64(out, n);
    for (size_t i = 0; i < n; ++i) {
        sst_put_u64(out, sorted[i].hash);
        sst_put_u64(out, (uint64_t)sorted[i].stamp.size_bytes);
        sst_put_u64(out, (uint64_t)sorted[i].stamp.mtime_ns);
    }
    sst_free(sorted);
    return sst_text_check(out, err);
}

enum sst_status sst_seen_files_decode(struct sst_block block, struct sst_seen_files *files, struct sst_error *err)
{
    struct sst_taken from = {block.bytes, block.n_bytes, block.bytes == NULL};
    const uint64_t n = sst_take_u64(&from);
    uint64_t before = 0;
    for (uint64_t i = 0; i < n; ++i) {
        struct sst_seen_file file = {.hash = sst_take_u64(&from)};
        file.stamp.size_bytes = (int64_t)sst_take_u64(&from);
        file.stamp.mtime_ns = (int64_t)sst_take_u64(&from);
        if (from.failed || file.hash <= before || file.stamp.size_bytes < 0)
            return SST_ERR_STATE;
        before = file.hash;
        SST_TRY(put(files, file, err));
    }
    return sst_took_all(&from) ? SST_OK : SST_ERR_STATE;
}
