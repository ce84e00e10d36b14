/*
 * What became of the files that a state was given: those that need not be looked at again, and those that wait for a person.
 *
 *   STATE/files    block SEEN: (hash of the path, size, time) of each file that was taken
 *                  block HELD: (path, size, time, day, reason, text, since) of each file that was left out
 *                  block SENS: what files said of platform and sensor, each text once
 *
 * A memory of the service, not a part of what was counted: it may be removed at any time, is in no digest, and is not merged.
 * A file that changes its size or time is a new one.
 */
#ifndef SST_STATE_FILE_NOTES_H
#define SST_STATE_FILE_NOTES_H

#include "core/calendar.h"
#include "state/state.h"

/* Why a file is held back, so what takes it nevertheless. */
enum sst_held_reason {
    SST_HELD_UNREADABLE, /* cannot be read, or is not what it should be: only another file helps */
    SST_HELD_FOREIGN, /* of another grid, calendar, lattice: never */
    SST_HELD_PRODUCT, /* --accept-product */
    SST_HELD_STALE, /* --accept-stale */
    SST_HELD_JUMP, /* --accept-jump */
    SST_HELD_CONFLICT, /* --replace */
    SST_HELD_N_REASONS
};
const char *sst_held_reason_name(enum sst_held_reason reason); /* "unreadable", "foreign", "product", ... */

/* What tells a file from one that was changed. */
struct sst_file_stamp {
    int64_t size_bytes, mtime_ns;
};

struct sst_held_file {
    char *path;
    struct sst_file_stamp stamp;
    bool has_day;
    struct sst_day day; /* the first that it was held for */
    enum sst_held_reason reason;
    char *text; /* in words, without the path */
    int64_t since; /* [s] of 1970, UTC */
};

struct sst_file_notes;

/*
 * Reads the notes of a state; none where there is no file.
 *
 * Owner    the caller; sst_file_notes_close, which accepts NULL inside.
 * Errors   SST_ERR_STATE: damaged (remove the file: nothing but the list is lost); SST_ERR_INPUT; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_file_notes_open(const struct sst_state *state, struct sst_file_notes **out,
                                                   struct sst_error *err);
void sst_file_notes_close(struct sst_file_notes **notes);

/* Whether a file was taken or is held, as it is now. */
bool sst_file_notes_knows(const struct sst_file_notes *notes, const char *path, struct sst_file_stamp stamp);

/* Notes a file as taken, and not held any more. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_file_notes_take(struct sst_file_notes *notes, const char *path,
                                                   struct sst_file_stamp stamp, struct sst_error *err);

/* Notes a file as held; copies what `file` points to. A file of the same path is replaced. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_file_notes_hold(struct sst_file_notes *notes, const struct sst_held_file *file,
                                                   struct sst_error *err);

/* Forgets a file, so that it is looked at as if it had never been; false where it is not known. */
bool sst_file_notes_forget(struct sst_file_notes *notes, const char *path);

/* Held files by path. Borrowed until the notes change. */
size_t sst_file_notes_n_held(const struct sst_file_notes *notes);
const struct sst_held_file *sst_file_notes_held(const struct sst_file_notes *notes);

/* More unlike sensors than this tell nothing, and are not noted. */
enum { SST_NOTES_MAX_SENSORS = 64 };

/*
 * Notes what a file says of its platform and sensor.
 *
 * is_new   whether files before said other things, and none of them this. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_file_notes_meet_sensor(struct sst_file_notes *notes, const char *sensor,
                                                          bool *is_new, struct sst_error *err);

/* Drops what is noted of files as taken whose paths are not among those given (hashes ascending are not needed): bounded memory. */
void sst_file_notes_keep_only(struct sst_file_notes *notes, const char *const *paths, size_t n_paths);

/*
 * Puts the notes into the state's file, durable; nothing is written where nothing changed.
 *
 * state    open to write, the one they were read from. Errors: SST_ERR_OUTPUT; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_file_notes_commit(struct sst_file_notes *notes, struct sst_state *state,
                                                     struct sst_error *err);

#endif
