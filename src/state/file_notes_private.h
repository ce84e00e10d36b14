/* Files that were taken: a table of hashes, so that tens of thousands are looked up at once. Part of file_notes. */
#ifndef SST_STATE_FILE_NOTES_PRIVATE_H
#define SST_STATE_FILE_NOTES_PRIVATE_H

#include "core/text.h"
#include "state/file_notes.h"

struct sst_seen_file {
    uint64_t hash; /* of the path; 0: no file */
    struct sst_file_stamp stamp; /* size_bytes -1: removed, its place stays taken */
    bool is_wanted; /* while others are being removed */
};

/* Open addressing, linear probing. All zero at first. */
struct sst_seen_files {
    struct sst_seen_file *table;
    size_t room, n_taken; /* room is a power of two, or 0; removed ones are taken too */
};

void sst_seen_files_clear(struct sst_seen_files *files);
bool sst_seen_files_has(const struct sst_seen_files *files, const char *path, struct sst_file_stamp stamp);
SST_MUST_CHECK enum sst_status sst_seen_files_put(struct sst_seen_files *files, const char *path,
                                                  struct sst_file_stamp stamp, struct sst_error *err);
/* Both: whether there was anything to remove. */
bool sst_seen_files_remove(struct sst_seen_files *files, const char *path);
bool sst_seen_files_keep_only(struct sst_seen_files *files, const char *const *paths, size_t n_paths);

/* To and from a block. Errors: SST_ERR_NOMEM; SST_ERR_STATE, without a text, where it is no such block. */
SST_MUST_CHECK enum sst_status sst_seen_files_encode(const struct sst_seen_files *files, struct sst_text *out,
                                                     struct sst_error *err);
SST_MUST_CHECK enum sst_status sst_seen_files_decode(struct sst_block block, struct sst_seen_files *files,
                                                     struct sst_error *err);

#endif
