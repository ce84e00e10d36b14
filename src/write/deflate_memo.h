/*
 * Deflated planes, found by what they were made of. A day of a feed is written anew for a week, as later days settle its labels,
 * and most of what it says stays: temperatures, limits, anomalies. Those are deflated once.
 *
 *   values ──digest──▶ known? its stream
 *                  └─▶ deflate ──▶ kept
 *
 * For the use of several threads, but for create, destroy and age.
 */
#ifndef SST_WRITE_DEFLATE_MEMO_H
#define SST_WRITE_DEFLATE_MEMO_H

#include <stdbool.h>

#include "core/digest.h"

struct sst_deflate_memo;

/* Owner: the caller; sst_deflate_memo_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_deflate_memo_create(struct sst_deflate_memo **out, struct sst_error *err);
void sst_deflate_memo_destroy(struct sst_deflate_memo **memo);

/* Bytes of the memo, borrowed until it ages. */
struct sst_deflate_known {
    const char *bytes;
    size_t n_bytes;
};

/* What was kept under that key: a digest of all that the bytes follow from. False where there is nothing. */
bool sst_deflate_memo_find(struct sst_deflate_memo *memo, const struct sst_digest_chain *key,
                           struct sst_deflate_known *out);

/* Keeps a copy of bytes; without memory for it nothing is kept, which only costs time. */
void sst_deflate_memo_keep(struct sst_deflate_memo *memo, const struct sst_digest_chain *key, const void *bytes,
                           size_t n_bytes);

/* Forgets what was not asked for since so many calls of this; called after each day that was written. */
void sst_deflate_memo_age(struct sst_deflate_memo *memo, uint64_t most_calls);

/* [B] that are kept now. */
size_t sst_deflate_memo_bytes(const struct sst_deflate_memo *memo);

#endif
