/*
 * The memos of an archive's files, kept as what differs from one of a few: files of one make differ in their places and days.
 *
 *   record:  base · n runs · ( offset · length · bytes ) ...
 */
#ifndef SST_STREAM_MEMO_LIST_H
#define SST_STREAM_MEMO_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "stream/decode_memo.h"

/* A memo that is none: the file has to be opened. */
#define SST_NO_MEMO SIZE_MAX

/* All zero at first. */
struct sst_memo_list {
    unsigned char **bases; /* base_bytes[i] each */
    size_t *base_bytes;
    size_t n_bases, bases_capacity, sizes_capacity;
    unsigned char *records;
    size_t n_bytes, capacity;
};

/* Keeps a memo; `*where` finds it again, SST_NO_MEMO where n_bytes is 0. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_memo_list_put(struct sst_memo_list *list, const void *memo, size_t n_bytes,
                                                 size_t *where, struct sst_error *err);

/* Brings a memo back into room for SST_FILE_MEMO_MAX; returns its size, 0 for SST_NO_MEMO. */
size_t sst_memo_list_get(const struct sst_memo_list *list, size_t where, void *memo);

void sst_memo_list_clear(struct sst_memo_list *list);

#endif
