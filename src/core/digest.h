/* Digests of what identifies a run: 128-bit XXH3 over texts and numbers fed one after another. */
#ifndef SST_CORE_DIGEST_H
#define SST_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

struct sst_digest;

enum { SST_DIGEST_TEXT_SIZE = 33 };

/* Owner: the caller; sst_digest_destroy. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_digest_create(struct sst_digest **out, struct sst_error *err);
void sst_digest_destroy(struct sst_digest **digest);

/* Adds a text with its end, so that "ab", "c" and "a", "bc" differ. */
void sst_digest_text(struct sst_digest *digest, const char *text);

/* Adds a number as 8 little-endian bytes. */
void sst_digest_number(struct sst_digest *digest, uint64_t number);

/* 32 hexadecimal digits into a buffer of SST_DIGEST_TEXT_SIZE; returns it. */
const char *sst_digest_hex(const struct sst_digest *digest, char *buffer);

/* 128 bits that follow from all that was folded into them, in order. Needs no memory, so it cannot fail. Start from zeros. */
struct sst_digest_chain {
    uint64_t low, high;
};

/* Folds XXH3-128 of the bytes, and their number, into the chain. */
void sst_digest_fold(struct sst_digest_chain *chain, const void *bytes, size_t n_bytes);

/* What a chain needs of some bytes, for those that are gone when it is their turn. */
struct sst_digest_link {
    uint64_t n_bytes, low, high; /* and XXH3-128 of them */
};

struct sst_digest_link sst_digest_link_of(const void *bytes, size_t n_bytes);
void sst_digest_fold_link(struct sst_digest_chain *chain, const struct sst_digest_link *link);

/* XXH3-64 of some bytes; and of those that a link is of, without a second look at more than 240 of them. */
uint64_t sst_digest_checksum(const void *bytes, size_t n_bytes);
uint64_t sst_digest_link_checksum(const struct sst_digest_link *link, const void *bytes);

#endif
