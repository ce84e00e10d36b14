/*
 * Deflated planes of the last days, found by what they were made of. A day is written anew for a week, as later days settle its
 * labels, and most of what it says stays: temperatures, limits, anomalies. Those are deflated once.
 *
 *   codes ──digest──▶ known? its stream
 *                 └─▶ deflate ──▶ kept
 *
 * For the use of several threads, but for create, destroy and age.
 */
#ifndef SST_MONITOR_FEED_MEMO_H
#define SST_MONITOR_FEED_MEMO_H

#include "core/digest.h"
#include "core/text.h"

struct sst_feed_memo;

/* Owner: the caller; sst_feed_memo_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_feed_memo_create(struct sst_feed_memo **out, struct sst_error *err);
void sst_feed_memo_destroy(struct sst_feed_memo **memo);

/* Appends the bytes that were kept under that digest; false where there are none. */
bool sst_feed_memo_find(struct sst_feed_memo *memo, const struct sst_digest_link *key, struct sst_text *out);

/* Keeps a copy of bytes; without memory for it nothing is kept, which only costs time. */
void sst_feed_memo_keep(struct sst_feed_memo *memo, const struct sst_digest_link *key, const char *bytes,
                        size_t n_bytes);

/* Forgets what was not asked for since so many calls of this; called after each day that was written. */
void sst_feed_memo_age(struct sst_feed_memo *memo, uint64_t most_calls);

/* [B] that are kept now. */
size_t sst_feed_memo_bytes(const struct sst_feed_memo *memo);

#endif
