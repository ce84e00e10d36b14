/* Writing: what is not lent is put together in memory; then all is written in its order, synchronised and renamed. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/digest.h"
#include "core/mem.h"
#include "state/block_file.h"
#include "state/block_file_layout.h"
#include "state/packed_codes.h"

enum {
    FILE_MODE = 0666, /* less the user's umask */
    LEAST_LENT = 4096 /* to copy fewer bytes costs less than to write them by a call of their own */
};

/* Bytes of the caller, in the file between those of the image. */
struct lent {
    size_t at; /* bytes of the image that come before */
    const void *bytes;
    size_t n_bytes;
};

struct sst_block_writer {
    unsigned char *image; /* header and blocks so far, but those that are lent */
    size_t n_image, capacity;
    struct lent *lent;
    size_t n_lent, lent_capacity;
    size_t n_bytes; /* of the file so far */
    unsigned char *index;
    size_t n_index, index_capacity; /* [bytes] */
    struct sst_packer *packer; /* made with the first block that wants it */
};

struct sst_identity sst_identity_of(const void *bytes, size_t n_bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(bytes, n_bytes);
    return (struct sst_identity){hash.low64, hash.high64};
}

void sst_blocks_put_header(unsigned char *at, uint32_t kind, struct sst_identity identity)
{
    unsigned char *end = at;
    memcpy(end, SST_BLOCKS_MAGIC, SST_BLOCKS_MAGIC_BYTES);
    end = sst_blocks_put(end + SST_BLOCKS_MAGIC_BYTES, SST_BLOCKS_MAJOR, 2);
    end = sst_blocks_put(end, SST_BLOCKS_MINOR, 2);
    end = sst_blocks_put(end, kind, 4);
    end = sst_blocks_put(end, identity.low, 8);
    end = sst_blocks_put(end, identity.high, 8);
    (void)sst_blocks_put(end, XXH3_64bits(at, SST_BLOCKS_HASHED_HEADER), 8);
}

/* --- the image ---------------------------------------------------------------------------------------------------- */

/* In large pages and without zeros: tens of megabytes in small ones cost more time than all that is put there. */
static enum sst_status grow_image(struct sst_block_writer *writer, size_t needed, struct sst_error *err)
{
    unsigned char *image = NULL;
    const size_t doubled = writer->capacity <= SIZE_MAX / 2 ? 2 * writer->capacity : needed;
    const size_t capacity = doubled > needed ? doubled : needed;
    SST_TRY(sst_alloc_large(capacity, 1, "a file of a state", &image, err));
    if (writer->n_image > 0)
        memcpy(image, writer->image, writer->n_image);
    sst_free(writer->image);
    writer->image = image;
    writer->capacity = capacity;
    return SST_OK;
}

/* So many bytes and the padding behind them. */
static enum sst_status reserve(struct sst_block_writer *writer, size_t more, struct sst_error *err)
{
    size_t needed = 0;
    if (__builtin_add_overflow(writer->n_image, more, &needed) || needed > SIZE_MAX - SST_BLOCKS_ALIGNMENT)
        return sst_fail(err, SST_ERR_NOMEM, "a file of a state: its size overflows the address space");
    needed += SST_BLOCKS_ALIGNMENT;
    return needed <= writer->capacity ? SST_OK : grow_image(writer, needed, err);
}

enum sst_status sst_block_writer_reserve(struct sst_block_writer *writer, size_t n_bytes, struct sst_error *err)
{
    return reserve(writer, n_bytes, err);
}

enum sst_status sst_block_writer_create(uint32_t kind, struct sst_identity identity, struct sst_block_writer **out,
                                        struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_alloc(1, sizeof *writer, "a file of a state", &writer, err));
    SST_TRY_GOTO(reserve(writer, SST_BLOCKS_HEADER_BYTES, err));
    sst_blocks_put_header(writer->image, kind, identity);
    writer->n_bytes = writer->n_image = SST_BLOCKS_HEADER_BYTES;
    *out = writer;
    writer = NULL;
done:
    sst_block_writer_destroy(&writer);
    return rc;
}

void sst_block_writer_destroy(struct sst_block_writer **handle)
{
    struct sst_block_writer *writer = *handle;
    if (!writer)
        return;
    sst_packer_destroy(&writer->packer);
    sst_free(writer->image);
    sst_free(writer->lent);
    sst_free(writer->index);
    sst_free(writer);
    *handle = NULL;
}

/* Room in the image for a block of n_bytes at most, and for its entry. */
static enum sst_status reserve_block(struct sst_block_writer *writer, size_t n_bytes, struct sst_error *err)
{
    SST_TRY(reserve(writer, n_bytes, err));
    return sst_grow(&writer->index, &writer->index_capacity, writer->n_index + SST_BLOCKS_ENTRY_BYTES, 1,
                    "the index of a file of a state", err);
}

/* A block that is the last of the image or lent: puts its padding behind it, and its entry into the index. */
static void end_block(struct sst_block_writer *writer, const struct sst_stored_block *block)
{
    const size_t n_padding = sst_blocks_padded(block->n_stored) - block->n_stored;
    unsigned char *entry = writer->index + writer->n_index;
    entry = sst_blocks_put(entry, block->tag, 4);
    entry = sst_blocks_put(entry, block->number, 4);
    entry = sst_blocks_put(entry, writer->n_bytes, 8);
    entry = sst_blocks_put(entry, block->n_stored, 8);
    entry = sst_blocks_put(entry, block->n_bytes, 8);
    (void)sst_blocks_put(entry, block->checksum, 8);
    memset(writer->image + writer->n_image, 0, n_padding);
    writer->n_index += SST_BLOCKS_ENTRY_BYTES;
    writer->n_image += n_padding;
    writer->n_bytes += block->n_stored + n_padding;
}

enum sst_status sst_block_writer_copy(struct sst_block_writer *writer, const struct sst_stored_block *block,
                                      struct sst_error *err)
{
    SST_TRY(reserve_block(writer, block->n_stored, err));
    if (block->n_stored > 0)
        memcpy(writer->image + writer->n_image, block->stored, block->n_stored);
    writer->n_image += block->n_stored;
    end_block(writer, block);
    return SST_OK;
}

enum sst_status sst_block_writer_add(struct sst_block_writer *writer, uint32_t tag, uint32_t number, const void *bytes,
                                     size_t n_bytes, bool deflate, struct sst_error *err)
{
    struct sst_stored_block block = {tag, number, bytes, n_bytes, n_bytes, 0};
    if (!deflate) {
        block.checksum = sst_digest_checksum(bytes, n_bytes);
        return sst_block_writer_copy(writer, &block, err);
    }
    SST_TRY(reserve_block(writer, n_bytes, err));
    if (!writer->packer)
        SST_TRY(sst_packer_create(&writer->packer, err));
    block.stored = writer->image + writer->n_image;
    block.n_stored = sst_pack_bytes(writer->packer, bytes, n_bytes, writer->image + writer->n_image);
    block.checksum = sst_digest_checksum(block.stored, block.n_stored);
    writer->n_image += block.n_stored;
    end_block(writer, &block);
    return SST_OK;
}

enum sst_status sst_block_writer_lend(struct sst_block_writer *writer, const struct sst_stored_block *block,
                                      struct sst_error *err)
{
    if (block->n_stored < LEAST_LENT)
        return sst_block_writer_copy(writer, block, err);
    SST_TRY(reserve_block(writer, 0, err));
    SST_TRY(sst_grow(&writer->lent, &writer->lent_capacity, writer->n_lent + 1, sizeof *writer->lent,
                     "the blocks of a file of a state", err));
    writer->lent[writer->n_lent++] = (struct lent){writer->n_image, block->stored, block->n_stored};
    end_block(writer, block);
    return SST_OK;
}

/* Puts index and trailer behind the blocks, where the next block would go; *n_image: the bytes of the image with them. */
static enum sst_status seal(struct sst_block_writer *writer, size_t *n_image, struct sst_error *err)
{
    const size_t n_end = writer->n_index + SST_BLOCKS_TRAILER_BYTES;
    SST_TRY(reserve(writer, n_end, err));
    unsigned char *index = writer->image + writer->n_image, *end = index + writer->n_index;
    if (writer->n_index > 0)
        memcpy(index, writer->index, writer->n_index);
    end = sst_blocks_put(end, writer->n_bytes, 8);
    end = sst_blocks_put(end, writer->n_index / SST_BLOCKS_ENTRY_BYTES, 8);
    end = sst_blocks_put(end, writer->n_bytes + n_end, 8);
    end = sst_blocks_put(end, XXH3_64bits(index, writer->n_index + SST_BLOCKS_HASHED_TRAILER), 8);
    memcpy(end, SST_BLOCKS_MAGIC, SST_BLOCKS_MAGIC_BYTES);
    *n_image = writer->n_image + n_end;
    return SST_OK;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

/* Where a file goes, and how messages call it. */
struct target {
    const struct sst_os *os;
    int folder;
    const char *where, *name;
    char part[NAME_MAX + 1];
};

const char *sst_block_remedy(int reason)
{
    switch (reason) {
    case ENOSPC:
    case EDQUOT:
        return "Free some space and run again";
    case EMFILE:
    case ENFILE:
        return "Raise the limit of open files and run again";
    case EROFS:
    case EACCES:
    case EPERM:
        return "Make it writable, or write from an account that may";
    default:
        return "Check the disk, then run again";
    }
}

static enum sst_status fail_errno(const struct target *target, const char *what, struct sst_error *err)
{
    const int reason = errno;
    return sst_fail(err, SST_ERR_OUTPUT, "%s/%s: its new content cannot be %s: %s. What was there stands as it was. %s",
                    target->where, target->name, what, strerror(reason), sst_block_remedy(reason));
}

/* A new file, never what somebody left of an old one. */
static int open_part(const struct target *target)
{
    const struct sst_os *os = target->os;
    for (bool is_cleared = false;;) {
        const int fd = os->open(os->user, target->folder, target->part, O_WRONLY | O_CREAT | O_EXCL, FILE_MODE);
        if (fd >= 0 || (errno != EINTR && errno != EEXIST))
            return fd;
        if (errno == EINTR)
            continue;
        if (is_cleared || os->unlink(os->user, target->folder, target->part) != 0)
            return -1;
        is_cleared = true;
    }
}

/* The image and what is lent, each in its place: 0, or -1 and errno. */
static int write_all(const struct sst_block_writer *writer, size_t n_image, const struct sst_os *os, int fd)
{
    size_t done = 0;
    for (size_t i = 0; i < writer->n_lent; ++i) {
        const struct lent *lent = &writer->lent[i];
        if (sst_os_write_all(os, fd, writer->image + done, lent->at - done) != 0 ||
            sst_os_write_all(os, fd, lent->bytes, lent->n_bytes) != 0)
            return -1;
        done = lent->at;
    }
    return sst_os_write_all(os, fd, writer->image + done, n_image - done);
}

static enum sst_status write_part(const struct target *target, const struct sst_block_writer *writer, size_t n_image,
                                  struct sst_error *err)
{
    const struct sst_os *os = target->os;
    const int fd = open_part(target);
    if (fd < 0)
        return fail_errno(target, "put beside it", err);
    enum sst_status rc = SST_OK;
    if (write_all(writer, n_image, os, fd) != 0)
        rc = fail_errno(target, "written", err);
    if (rc == SST_OK && os->sync(os->user, fd) != 0)
        rc = fail_errno(target, "synchronised (fsync)", err);
    /* An interrupted close has closed, and all was synchronised before it. */
    if (os->close(os->user, fd) != 0 && errno != EINTR && rc == SST_OK)
        rc = fail_errno(target, "closed", err);
    return rc;
}

static enum sst_status replace(const struct target *target, const struct sst_block_writer *writer, size_t n_image,
                               struct sst_error *err)
{
    const struct sst_os *os = target->os;
    enum sst_status rc = write_part(target, writer, n_image, err);
    if (rc == SST_OK && os->rename(os->user, target->folder, target->part, target->name) != 0)
        rc = fail_errno(target, "given its name (rename)", err);
    if (rc != SST_OK) {
        (void)os->unlink(os->user, target->folder, target->part);
        return rc;
    }
    if (os->sync(os->user, target->folder) == 0)
        return SST_OK;
    const int reason = errno;
    return sst_fail(err, SST_ERR_OUTPUT,
                    "%s: the folder cannot be synchronised (fsync) after %s was renamed: %s. The new file may not "
                    "outlive a power cut. Check the disk, then run again",
                    target->where, target->name, strerror(reason));
}

enum sst_status sst_block_writer_commit(struct sst_block_writer *writer, const struct sst_os *os, int folder,
                                        const char *where, const char *name, struct sst_error *err)
{
    struct target target = {.os = os, .folder = folder, .where = where, .name = name};
    const int length = snprintf(target.part, sizeof target.part, "%s.part", name);
    if (length < 0 || (size_t)length >= sizeof target.part)
        return sst_fail(err, SST_ERR_INTERNAL, "%s/%s: the name is too long", where, name);
    size_t n_image = 0;
    SST_TRY(seal(writer, &n_image, err));
    return replace(&target, writer, n_image, err);
}
