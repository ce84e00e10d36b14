/* A thin face on XXH3's streaming state. */
#include "core/digest.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/mem.h"

struct sst_digest {
    XXH3_state_t *state;
};

enum sst_status sst_digest_create(struct sst_digest **out, struct sst_error *err)
{
    struct sst_digest *digest = NULL;
    SST_TRY(sst_alloc(1, sizeof *digest, "a digest", &digest, err));
    digest->state = XXH3_createState();
    if (!digest->state || XXH3_128bits_reset(digest->state) != XXH_OK) {
        sst_digest_destroy(&digest);
        return sst_fail(err, SST_ERR_NOMEM, "no memory for a digest");
    }
    *out = digest;
    return SST_OK;
}

void sst_digest_destroy(struct sst_digest **digest)
{
    if (!*digest)
        return;
    (void)XXH3_freeState((*digest)->state);
    sst_free(*digest);
    *digest = NULL;
}

void sst_digest_text(struct sst_digest *digest, const char *text)
{
    (void)XXH3_128bits_update(digest->state, text, strlen(text) + 1);
}

/* 8 little-endian bytes. */
static void store(unsigned char *bytes, uint64_t number)
{
    for (int i = 0; i < 8; ++i)
        bytes[i] = (unsigned char)(number >> (8 * i));
}

void sst_digest_number(struct sst_digest *digest, uint64_t number)
{
    unsigned char bytes[8];
    store(bytes, number);
    (void)XXH3_128bits_update(digest->state, bytes, sizeof bytes);
}

const char *sst_digest_hex(const struct sst_digest *digest, char *buffer)
{
    const XXH128_hash_t hash = XXH3_128bits_digest(digest->state);
    (void)snprintf(buffer, SST_DIGEST_TEXT_SIZE, "%016llx%016llx", (unsigned long long)hash.high64,
                   (unsigned long long)hash.low64);
    return buffer;
}

struct sst_digest_link sst_digest_link_of(const void *bytes, size_t n_bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, n_bytes);
    return (struct sst_digest_link){n_bytes, hash.low64, hash.high64};
}

void sst_digest_fold_link(struct sst_digest_chain *chain, const struct sst_digest_link *link)
{
    const uint64_t links[] = {chain->low, chain->high, link->n_bytes, link->low, link->high};
    unsigned char stored[sizeof links];
    for (size_t i = 0; i < sizeof links / sizeof links[0]; ++i)
        store(stored + 8 * i, links[i]);
    const XXH128_hash_t next = XXH3_128bits(stored, sizeof stored);
    *chain = (struct sst_digest_chain){next.low64, next.high64};
}

uint64_t sst_digest_checksum(const void *bytes, size_t n_bytes) { return XXH3_64bits(bytes, n_bytes); }

/* Both are one sum over long inputs; that of 64 bits is then the low half of that of 128. */
uint64_t sst_digest_link_checksum(const struct sst_digest_link *link, const void *bytes)
{
    enum { MOST_SHORT_BYTES = 240 };
    return link->n_bytes > MOST_SHORT_BYTES ? link->low : sst_digest_checksum(bytes, (size_t)link->n_bytes);
}

void sst_digest_fold(struct sst_digest_chain *chain, const void *bytes, size_t n_bytes)
{
    const struct sst_digest_link link = sst_digest_link_of(bytes, n_bytes);
    sst_digest_fold_link(chain, &link);
}
