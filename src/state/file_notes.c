/*
 * Files that were taken, as hashes in a table, and those that are held, in full; and both as one file of blocks.
 *
 *   block SEEN 0   n u64 | n x (hash of the path u64, size i64, time i64)                        ascending hashes
 *   block HELD 0   n u64 | n x (size i64, time i64, since i64, day: year i32, slot u32 (0: none), reason u32, bytes of the
 *                  path u32, bytes of the text u32, path, text)                                  ascending paths
 *   block SENS 0   n u64 | n x (bytes u32, text)
 */
#include "state/file_notes.h"

#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "state/file_notes_private.h"
#include "state/state_private.h"
#include "state/state_wire.h"

#define NAME "files"
#define TAG_SEEN SST_BLOCKS_TAG('S', 'E', 'E', 'N')
#define TAG_HELD SST_BLOCKS_TAG('H', 'E', 'L', 'D')
#define TAG_SENSORS SST_BLOCKS_TAG('S', 'E', 'N', 'S')

struct sst_file_notes {
    struct sst_seen_files seen;
    struct sst_held_file *held; /* ascending paths */
    size_t n_held, held_capacity;
    char *sensors[SST_NOTES_MAX_SENSORS]; /* in the order in which they came */
    size_t n_sensors;
    bool has_changed;
};

const char *sst_held_reason_name(enum sst_held_reason reason)
{
    static const char *const names[SST_HELD_N_REASONS] = {"unreadable", "foreign", "product",
                                                          "stale",      "jump",    "conflict"};
    return names[reason];
}

void sst_file_notes_close(struct sst_file_notes **notes)
{
    struct sst_file_notes *old = *notes;
    if (!old)
        return;
    for (size_t i = 0; i < old->n_held; ++i) {
        sst_free(old->held[i].path);
        sst_free(old->held[i].text);
    }
    for (size_t i = 0; i < old->n_sensors; ++i)
        sst_free(old->sensors[i]);
    sst_free(old->held);
    sst_seen_files_clear(&old->seen);
    sst_free(old);
    *notes = NULL;
}

/* --- held files --------------------------------------------------------------------------------------------------- */

/* Where a path is, or would be. */
static size_t place_of(const struct sst_file_notes *notes, const char *path, bool *is_there)
{
    size_t low = 0, high = notes->n_held;
    *is_there = false;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(notes->held[middle].path, path);
        if (order == 0)
            *is_there = true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool release(struct sst_file_notes *notes, const char *path)
{
    bool is_there = false;
    const size_t at = place_of(notes, path, &is_there);
    if (!is_there)
        return false;
    sst_free(notes->held[at].path);
    sst_free(notes->held[at].text);
    memmove(notes->held + at, notes->held + at + 1, (notes->n_held - at - 1) * sizeof *notes->held);
    --notes->n_held;
    notes->has_changed = true;
    return true;
}

static bool is_same_stamp(struct sst_file_stamp a, struct sst_file_stamp b)
{
    return a.size_bytes == b.size_bytes && a.mtime_ns == b.mtime_ns;
}

/* When it was held first is of interest as long as the file is the same one. */
static bool is_noted(const struct sst_held_file *known, const struct sst_held_file *file)
{
    return is_same_stamp(known->stamp, file->stamp) && known->reason == file->reason &&
           known->has_day == file->has_day && (!known->has_day || sst_day_compare(known->day, file->day) == 0) &&
           strcmp(known->text, file->text) == 0;
}

enum sst_status sst_file_notes_hold(struct sst_file_notes *notes, const struct sst_held_file *file,
                                    struct sst_error *err)
{
    struct sst_held_file copy = *file;
    bool is_there = false;
    const size_t at = place_of(notes, file->path, &is_there);
    if (is_there && is_noted(&notes->held[at], file))
        return SST_OK;
    copy.path = copy.text = NULL;
    enum sst_status rc = sst_strdup(file->path, &copy.path, err);
    if (rc == SST_OK)
        rc = sst_strdup(file->text, &copy.text, err);
    if (rc == SST_OK)
        rc = sst_grow(&notes->held, &notes->held_capacity, notes->n_held + 1, sizeof *notes->held,
                      "the list of held files", err);
    if (rc != SST_OK) {
        sst_free(copy.path);
        sst_free(copy.text);
        return rc;
    }
    (void)release(notes, file->path);
    memmove(notes->held + at + 1, notes->held + at, (notes->n_held - at) * sizeof *notes->held);
    notes->held[at] = copy;
    ++notes->n_held;
    (void)sst_seen_files_remove(&notes->seen, file->path);
    notes->has_changed = true;
    return SST_OK;
}

size_t sst_file_notes_n_held(const struct sst_file_notes *notes) { return notes->n_held; }

const struct sst_held_file *sst_file_notes_held(const struct sst_file_notes *notes) { return notes->held; }

/* --- all files ---------------------------------------------------------------------------------------------------- */

bool sst_file_notes_knows(const struct sst_file_notes *notes, const char *path, struct sst_file_stamp stamp)
{
    bool is_held = false;
    const size_t at = place_of(notes, path, &is_held);
    return is_held ? is_same_stamp(notes->held[at].stamp, stamp) : sst_seen_files_has(&notes->seen, path, stamp);
}

enum sst_status sst_file_notes_take(struct sst_file_notes *notes, const char *path, struct sst_file_stamp stamp,
                                    struct sst_error *err)
{
    bool is_held = false;
    (void)place_of(notes, path, &is_held);
    if (!is_held && sst_seen_files_has(&notes->seen, path, stamp))
        return SST_OK;
    SST_TRY(sst_seen_files_put(&notes->seen, path, stamp, err));
    (void)release(notes, path);
    notes->has_changed = true;
    return SST_OK;
}

bool sst_file_notes_forget(struct sst_file_notes *notes, const char *path)
{
    const bool was_held = release(notes, path), was_seen = sst_seen_files_remove(&notes->seen, path);
    notes->has_changed = notes->has_changed || was_seen;
    return was_held || was_seen;
}

void sst_file_notes_keep_only(struct sst_file_notes *notes, const char *const *paths, size_t n_paths)
{
    if (sst_seen_files_keep_only(&notes->seen, paths, n_paths))
        notes->has_changed = true;
}

enum sst_status sst_file_notes_meet_sensor(struct sst_file_notes *notes, const char *sensor, bool *is_new,
                                           struct sst_error *err)
{
    *is_new = false;
    for (size_t i = 0; i < notes->n_sensors; ++i)
        if (strcmp(notes->sensors[i], sensor) == 0)
            return SST_OK;
    if (notes->n_sensors == SST_NOTES_MAX_SENSORS)
        return SST_OK;
    SST_TRY(sst_strdup(sensor, &notes->sensors[notes->n_sensors], err));
    *is_new = notes->n_sensors > 0;
    ++notes->n_sensors;
    notes->has_changed = true;
    return SST_OK;
}

/* --- to and from the file ----------------------------------------------------------------------------------------- */

static void put_held(const struct sst_file_notes *notes, struct sst_text *out)
{
    sst_put_u64(out, notes->n_held);
    for (size_t i = 0; i < notes->n_held; ++i) {
        const struct sst_held_file *file = &notes->held[i];
        sst_put_u64(out, (uint64_t)file->stamp.size_bytes);
        sst_put_u64(out, (uint64_t)file->stamp.mtime_ns);
        sst_put_u64(out, (uint64_t)file->since);
        sst_put_u32(out, file->has_day ? (uint32_t)file->day.year : 0);
        sst_put_u32(out, file->has_day ? (uint32_t)file->day.slot : 0);
        sst_put_u32(out, (uint32_t)file->reason);
        sst_put_u32(out, (uint32_t)strlen(file->path));
        sst_put_u32(out, (uint32_t)strlen(file->text));
        sst_text_add(out, file->path);
        sst_text_add(out, file->text);
    }
}

static void put_sensors(const struct sst_file_notes *notes, struct sst_text *out)
{
    sst_put_u64(out, notes->n_sensors);
    for (size_t i = 0; i < notes->n_sensors; ++i) {
        sst_put_u32(out, (uint32_t)strlen(notes->sensors[i]));
        sst_text_add(out, notes->sensors[i]);
    }
}

static enum sst_status encode(const struct sst_file_notes *notes, struct sst_block_writer *writer,
                              struct sst_error *err)
{
    struct sst_text seen = {0}, held = {0}, sensors = {0};
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_seen_files_encode(&notes->seen, &seen, err));
    put_held(notes, &held);
    put_sensors(notes, &sensors);
    SST_TRY_GOTO(sst_text_check(&held, err));
    SST_TRY_GOTO(sst_text_check(&sensors, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_SEEN, 0, seen.data, seen.size, true, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_HELD, 0, held.data, held.size, true, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_SENSORS, 0, sensors.data, sensors.size, true, err));
done:
    sst_text_clear(&seen);
    sst_text_clear(&sensors);
    sst_text_clear(&held);
    return rc;
}

enum sst_status sst_file_notes_commit(struct sst_file_notes *notes, struct sst_state *state, struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    enum sst_status rc = SST_OK;
    if (!notes->has_changed)
        return SST_OK;
    if (state->use != SST_STATE_WRITE)
        return sst_fail(err, SST_ERR_INTERNAL, "%s: notes of files for a state only to read", state->path);
    SST_TRY_GOTO(sst_block_writer_create(SST_STATE_KIND_NOTES, state->policy.identity, &writer, err));
    SST_TRY_GOTO(encode(notes, writer, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, state->os, state->folder, state->path, NAME, err));
    notes->has_changed = false;
done:
    sst_block_writer_destroy(&writer);
    return rc;
}

/* A text of the block, with a NUL behind it. */
static enum sst_status take_text(struct sst_taken *from, uint32_t n_bytes, char **out, struct sst_error *err)
{
    const char *bytes = sst_take_bytes(from, n_bytes);
    if (!bytes || memchr(bytes, '\0', n_bytes))
        return SST_ERR_STATE;
    SST_TRY(sst_alloc((size_t)n_bytes + 1, 1, "a held file", out, err));
    memcpy(*out, bytes, n_bytes);
    return SST_OK;
}

/* SST_ERR_STATE without a text where the bytes are not what encode() makes. */
static enum sst_status take_held(struct sst_taken *from, struct sst_held_file *out, struct sst_error *err)
{
    out->stamp.size_bytes = (int64_t)sst_take_u64(from);
    out->stamp.mtime_ns = (int64_t)sst_take_u64(from);
    out->since = (int64_t)sst_take_u64(from);
    out->day.year = (int32_t)sst_take_u32(from);
    out->day.slot = (int32_t)sst_take_u32(from);
    out->has_day = out->day.slot != 0;
    const uint32_t reason = sst_take_u32(from), path_bytes = sst_take_u32(from), text_bytes = sst_take_u32(from);
    if (out->day.slot < 0 || out->day.slot > SST_N_SLOTS || reason >= SST_HELD_N_REASONS || path_bytes == 0)
        return SST_ERR_STATE;
    out->reason = (enum sst_held_reason)reason;
    SST_TRY(take_text(from, path_bytes, &out->path, err));
    return take_text(from, text_bytes, &out->text, err);
}

static enum sst_status decode_held(struct sst_block block, struct sst_file_notes *notes, struct sst_error *err)
{
    struct sst_taken from = {block.bytes, block.n_bytes, block.bytes == NULL};
    const uint64_t n = sst_take_u64(&from);
    for (uint64_t i = 0; i < n; ++i) {
        SST_TRY(sst_grow(&notes->held, &notes->held_capacity, notes->n_held + 1, sizeof *notes->held,
                         "the list of held files", err));
        struct sst_held_file *file = &notes->held[notes->n_held];
        *file = (struct sst_held_file){0};
        const enum sst_status rc = take_held(&from, file, err);
        if (rc != SST_OK) {
            sst_free(file->path);
            return rc;
        }
        ++notes->n_held;
        if (i > 0 && strcmp(notes->held[i - 1].path, file->path) >= 0)
            return SST_ERR_STATE;
    }
    return sst_took_all(&from) ? SST_OK : SST_ERR_STATE;
}

static enum sst_status decode_sensors(struct sst_block block, struct sst_file_notes *notes, struct sst_error *err)
{
    struct sst_taken from = {block.bytes, block.n_bytes, block.bytes == NULL};
    const uint64_t n = sst_take_u64(&from);
    if (n > SST_NOTES_MAX_SENSORS)
        return SST_ERR_STATE;
    for (uint64_t i = 0; i < n; ++i) {
        SST_TRY(take_text(&from, sst_take_u32(&from), &notes->sensors[i], err));
        ++notes->n_sensors;
    }
    return sst_took_all(&from) ? SST_OK : SST_ERR_STATE;
}

static enum sst_status decode(const struct sst_block_file *file, struct sst_file_notes *notes, struct sst_error *err)
{
    SST_TRY(sst_seen_files_decode(sst_block_file_find(file, TAG_SEEN, 0), &notes->seen, err));
    SST_TRY(decode_held(sst_block_file_find(file, TAG_HELD, 0), notes, err));
    return decode_sensors(sst_block_file_find(file, TAG_SENSORS, 0), notes, err);
}

enum sst_status sst_file_notes_open(const struct sst_state *state, struct sst_file_notes **out, struct sst_error *err)
{
    struct sst_error problem = {SST_OK, ""};
    struct sst_block_file *file = NULL;
    struct sst_file_notes *notes = NULL;
    enum sst_status rc = sst_block_file_read(state->os, state->folder, state->path, NAME, SST_STATE_KIND_NOTES,
                                             &state->policy.identity, &file, &problem);
    if (rc == SST_OK)
        rc = sst_alloc(1, sizeof *notes, "notes of files", &notes, &problem);
    if (rc == SST_OK && file)
        rc = decode(file, notes, &problem);
    sst_block_file_destroy(&file);
    if (rc == SST_OK) {
        *out = notes;
        return SST_OK;
    }
    sst_file_notes_close(&notes);
    if (rc == SST_ERR_STATE && problem.code == SST_OK)
        (void)sst_fail(&problem, rc, "%s/%s: damaged: no list of files. Put back a copy of this file", state->path,
                       NAME);
    return sst_fail(err, rc, "%s%s", problem.text,
                    rc == SST_ERR_STATE
                        ? ", or remove it: what became of files is forgotten then, and nothing that was "
                          "counted"
                        : "");
}
