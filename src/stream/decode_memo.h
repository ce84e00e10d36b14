/*
 * What a scan learnt of a file, so that its steps can be read without opening it by a library a second time: reading is then
 * open, fetch, inflate. A memo is plain bytes that may go to another process of the same program, and no further.
 */
#ifndef SST_STREAM_DECODE_MEMO_H
#define SST_STREAM_DECODE_MEMO_H

#include "stream/decode.h"

enum { SST_FILE_MEMO_MAX = 4096 /* [B] */ };

/*
 * Makes the memo of an open file: how its numbers are packed, and where the chunks of its SST, ice and mask are.
 *
 * memo     room for SST_FILE_MEMO_MAX bytes.
 * Returns  its size; 0 where the file is not of a kind that is read without the library, or has too many steps or chunks:
 *          it is then opened again as if for the first time.
 */
size_t sst_file_memo(struct sst_file *file, void *memo);

/*
 * Opens a file by its memo. What sst_file_decode gives, and its messages, are those of sst_file_open's file; its info has
 * what reading needs (path, format, steps, size, reading), no grid and no texts.
 *
 * is_same  false where the file is no longer the one of the memo (size, times, inode) or cannot be opened so; `*out` is then
 *          untouched and sst_file_open the way to go on.
 * Owner    the caller; sst_file_close. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_file_open_memo(const char *path, const void *memo, size_t n_bytes,
                                                  const struct sst_decode_options *options, struct sst_file **out,
                                                  bool *is_same, struct sst_error *err);

#endif
