/*
 * Puts a finished file in its place: it is written under a temporary name beside it, synced and renamed, and it never goes
 * over another file unless told to.
 *
 *   clim.nc.tmp.4711  ──fsync──rename──▶  clim.nc
 *
 * A folder of files (`sst_place_reserve_folder`) is treated alike where it is new; it then appears whole or not at all.
 */
#ifndef SST_WRITE_PLACE_H
#define SST_WRITE_PLACE_H

#include <stdbool.h>

#include "core/status.h"

/*
 * Whether a file may be put at `path`.
 *
 * Errors   SST_ERR_OUTPUT where its folder is absent or not writable, where it exists without `overwrite`, or is anything
 *          but an ordinary file (a device or a folder is never replaced).
 */
SST_MUST_CHECK enum sst_status sst_place_check(const char *path, bool overwrite, struct sst_error *err);

/*
 * Whether files may be put into the folder `path`, or it be made.
 *
 * is_new   set to whether the folder has still to be made.
 * Errors   SST_ERR_OUTPUT
 */
SST_MUST_CHECK enum sst_status sst_place_check_folder(const char *path, bool *is_new, struct sst_error *err);

/*
 * Makes an empty file (a folder) named `path`.tmp.PID, or with a further number where a dead run left that one behind.
 *
 * Owner    *temporary is the caller's, sst_free.
 * Errors   SST_ERR_OUTPUT, SST_ERR_NOMEM
 */
SST_MUST_CHECK enum sst_status sst_place_reserve(const char *path, char **temporary, struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_place_reserve_folder(const char *path, char **temporary, struct sst_error *err);

/* Waits until a file's or folder's content is on the disk. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_place_sync(const char *path, struct sst_error *err);

/* Waits until the names in the folder that holds `path` are on the disk. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_place_sync_parent(const char *path, struct sst_error *err);

/*
 * Renames, after a new check, a synced file; it is an error if one of that name has appeared since, unless `overwrite`.
 *
 * Errors   SST_ERR_OUTPUT; the temporary file is then as it was.
 */
SST_MUST_CHECK enum sst_status sst_place_commit(const char *temporary, const char *path, bool overwrite,
                                                struct sst_error *err);

/* Renames a folder to a name that is still free. Errors: SST_ERR_OUTPUT. */
SST_MUST_CHECK enum sst_status sst_place_commit_folder(const char *temporary, const char *path, struct sst_error *err);

#endif
