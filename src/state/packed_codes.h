/*
 * A day's values as bytes that deflate well, and back.
 *
 * Codes are stored as differences to the code before (0 before the first), as 16 bits that wrap, the sign in the lowest bit; the
 * low bytes of all of them, then the high ones: neighbours are alike. Marks are stored as bits, in whole words.
 */
#ifndef SST_STATE_PACKED_CODES_H
#define SST_STATE_PACKED_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"

static inline size_t sst_packed_codes_bytes(size_t n) { return n * sizeof(int16_t); }
static inline size_t sst_packed_marks_bytes(size_t n) { return (n + 63) / 64 * sizeof(uint64_t); }

/* bytes: sst_packed_codes_bytes, sst_packed_marks_bytes of them. marks: n of 0 or 1. */
void sst_pack_codes(const int16_t *codes, size_t n, unsigned char *bytes);
void sst_unpack_codes(const unsigned char *bytes, size_t n, int16_t *codes);
void sst_pack_marks(const uint8_t *marks, size_t n, unsigned char *bytes);
bool sst_unpack_marks(const unsigned char *bytes, size_t n, uint8_t *marks); /* false: there are bits beyond the last */

/* --- deflating ---------------------------------------------------------------------------------------------------- */

struct sst_packer;

/* Owner: the caller; sst_packer_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_packer_create(struct sst_packer **out, struct sst_error *err);
void sst_packer_destroy(struct sst_packer **packer);

/* n_bytes as a zlib stream where that is shorter, else as they are: the length. to: room for n_bytes. */
size_t sst_pack_bytes(struct sst_packer *packer, const void *bytes, size_t n_bytes, unsigned char *to);

/*
 * Whether a stored block of `length` bytes can be of raw_length: no deflated stream grows more than 258 bytes for two bits. Ask
 * before memory is.
 */
bool sst_packed_may_be(uint64_t length, uint64_t raw_length);

/* Back, where the lengths differ: false where they are not a stream of just that length. */
struct sst_unpacker;
SST_MUST_CHECK enum sst_status sst_unpacker_create(struct sst_unpacker **out, struct sst_error *err);
void sst_unpacker_destroy(struct sst_unpacker **unpacker);
bool sst_unpack_bytes(struct sst_unpacker *unpacker, const void *bytes, size_t length, void *to, size_t raw_length);

#endif
