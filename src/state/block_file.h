/*
 * A file of blocks: made whole, replaced whole, and not believed where a byte of it is not as it was written.
 *
 *   header   magic "SSTSTATE" | format major u16, minor u16 | kind u32 | identity u64 x 2 | XXH3-64 of the above
 *   blocks   bytes of block 0 | padding to 8 | bytes of block 1 | ...
 *   index    per block: tag u32, number u32, offset u64, length u64, raw length u64, XXH3-64 of its bytes
 *   trailer  offset of the index u64 | blocks u64 | whole length u64 | XXH3-64 of index and trailer | magic once more
 *
 * All numbers are little-endian, padding is zeros, nothing lies between the parts. A block whose raw length is not its length is
 * deflated (zlib). The trailer is last, so a file that was cut is known by its end; a file of a newer major format is refused by
 * name, an older one is read. Bytes: docs/state-format.md.
 */
#ifndef SST_STATE_BLOCK_FILE_H
#define SST_STATE_BLOCK_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/status.h"
#include "state/state_os.h"

enum { SST_BLOCKS_MAJOR = 1, SST_BLOCKS_MINOR = 0 };

/* What a file is, as four letters. */
#define SST_BLOCKS_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

/* 128 bits that tell what a file belongs to. */
struct sst_identity {
    uint64_t low, high;
};

/* XXH3-128 of some bytes. */
struct sst_identity sst_identity_of(const void *bytes, size_t n_bytes);

static inline bool sst_identity_is(struct sst_identity a, struct sst_identity b)
{
    return a.low == b.low && a.high == b.high;
}

/* --- writing ------------------------------------------------------------------------------------------------------ */

struct sst_block_writer;

/* Owner: the caller; sst_block_writer_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_block_writer_create(uint32_t kind, struct sst_identity identity,
                                                       struct sst_block_writer **out, struct sst_error *err);
void sst_block_writer_destroy(struct sst_block_writer **writer);

/* Makes room for so many bytes of copies at once, so that what is there is not moved for each of them. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_block_writer_reserve(struct sst_block_writer *writer, size_t n_bytes,
                                                        struct sst_error *err);

/* Adds a copy of a block; with `deflate` packed where that makes it smaller. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_block_writer_add(struct sst_block_writer *writer, uint32_t tag, uint32_t number,
                                                    const void *bytes, size_t n_bytes, bool deflate,
                                                    struct sst_error *err);

/* A block as the file is to have it. */
struct sst_stored_block {
    uint32_t tag, number;
    const void *stored; /* n_stored bytes, which unpack to n_bytes, or are those where the two are the same */
    size_t n_stored, n_bytes;
    uint64_t checksum; /* sst_digest_checksum of them; a wrong one makes a damaged file */
};

/*
 * Adds a block that is written from where it is. For large blocks, and those that another file stored.
 *
 * block    its bytes are borrowed: they stay as they are until the writer has been committed or destroyed. A short one is copied.
 * Errors   SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_block_writer_lend(struct sst_block_writer *writer,
                                                     const struct sst_stored_block *block, struct sst_error *err);

/* The same, but the bytes are copied. */
SST_MUST_CHECK enum sst_status sst_block_writer_copy(struct sst_block_writer *writer,
                                                     const struct sst_stored_block *block, struct sst_error *err);

/*
 * Puts the file in the place of `name`, whole or not at all: writes "name.part", synchronises it, renames it, synchronises the
 * folder. When it returns SST_OK the file is durable. Else the old one stands as it was and the part is removed if it can be; but
 * where only the folder could not be synchronised, the new file stands, and may not outlive a power cut.
 *
 * where    names the folder in messages.
 * Errors   SST_ERR_OUTPUT with file, call and reason: nothing is tried twice but interrupted calls and short writes.
 */
SST_MUST_CHECK enum sst_status sst_block_writer_commit(struct sst_block_writer *writer, const struct sst_os *os,
                                                       int folder, const char *where, const char *name,
                                                       struct sst_error *err);

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct sst_block_file;

/*
 * Reads a file whole and checks all of it.
 *
 * Owner    the caller; sst_block_file_destroy, which accepts NULL inside. *out is NULL where there is no such file.
 * Errors   SST_ERR_STATE: another kind or identity, a newer format, or damage with its place; SST_ERR_INPUT where it cannot be
 *          read; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_block_file_read(const struct sst_os *os, int folder, const char *where,
                                                   const char *name, uint32_t kind, const struct sst_identity *identity,
                                                   struct sst_block_file **out, struct sst_error *err);

/* A file, and what it has to be. Borrowed. */
struct sst_block_place {
    const struct sst_os *os;
    int folder; /* open */
    const char *where, *name; /* of the folder in messages, of the file */
    uint32_t kind;
    const struct sst_identity *identity; /* NULL: any */
};

/*
 * As sst_block_file_read, but blocks of some tags are left in the file, which stays open: their `bytes` and `stored` are NULL,
 * and only their place has been checked. sst_block_file_fetch reads them to where they are wanted, with no copy of the file between. For
 * large blocks.
 *
 * place    its os is borrowed until *out is destroyed.
 */
SST_MUST_CHECK enum sst_status sst_block_file_read_but(const struct sst_block_place *place, const uint32_t *tags,
                                                       size_t n_tags, struct sst_block_file **out,
                                                       struct sst_error *err);

/*
 * Reads only the blocks of some tags: header, trailer, index and those blocks are checked as sst_block_file_read does, and
 * faults of them told in the same words; of other blocks, that they lie where they should. Costs what is read: use it for small
 * blocks of large files.
 *
 * tags     n_tags of them; not NULL. What is not among them is not in *out.
 * Owner    and errors as sst_block_file_read.
 */
SST_MUST_CHECK enum sst_status sst_block_file_read_some(const struct sst_block_place *place, const uint32_t *tags,
                                                        size_t n_tags, struct sst_block_file **out,
                                                        struct sst_error *err);
void sst_block_file_destroy(struct sst_block_file **file);

struct sst_block {
    size_t index; /* which of the file's */
    uint32_t tag, number;
    const void
        *bytes; /* unpacked; borrowed from the file, as `stored` is; both NULL where they were left in the file */
    size_t n_bytes; /* of them */
    const void *stored; /* as it lies in the file */
    size_t n_stored;
};

/*
 * The bytes of a block as it is stored, into room for n_stored; one that was left in the file is read now. They have yet to be
 * checked. Errors: as sst_block_file_read, but the message does not say which file.
 */
SST_MUST_CHECK enum sst_status sst_block_file_fetch(const struct sst_block_file *file, const struct sst_block *block,
                                                    void *to, struct sst_error *err);

/* Whether bytes with this sst_digest_checksum are the block's. Several threads may ask. Errors: SST_ERR_STATE. */
SST_MUST_CHECK enum sst_status sst_block_file_check(const struct sst_block_file *file, const struct sst_block *block,
                                                    uint64_t checksum, struct sst_error *err);

/*
 * What is in a deflated block whose n_stored bytes the caller has, into room for n_bytes. Several threads may ask, each with an
 * unpacker of its own. Errors: SST_ERR_STATE.
 */
struct sst_unpacker; /* state/packed_codes.h */
SST_MUST_CHECK enum sst_status sst_block_unpack(const struct sst_block *block, struct sst_unpacker *unpacker,
                                                const void *stored, void *to, struct sst_error *err);

struct sst_identity sst_block_file_identity(const struct sst_block_file *file);
size_t sst_block_file_n_blocks(const struct sst_block_file *file);
struct sst_block sst_block_file_at(const struct sst_block_file *file, size_t index);

/* The block of a tag and number. Where there is none: `index` is the number of blocks, bytes and stored are NULL. */
struct sst_block sst_block_file_find(const struct sst_block_file *file, uint32_t tag, uint32_t number);

#endif
