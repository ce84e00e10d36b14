/* Reading: no length and no place is used before it has been compared with the bytes that are there. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "core/digest.h"
#include "core/mem.h"
#include "state/block_file.h"
#include "state/block_file_layout.h"
#include "state/packed_codes.h"

/* Memory of a block: NULL where it lies in the image, where it is stored as it is. */
struct owned {
    void *stored, *unpacked;
};

struct entry {
    uint32_t tag, number;
    uint64_t offset, length, raw_length, checksum;
};

struct sst_block_file {
    unsigned char *image; /* of a file that was read whole, else NULL */
    const struct sst_os *os;
    int fd; /* of a file with blocks that are left in it, else -1 */
    size_t n_bytes;
    uint32_t kind;
    struct sst_identity identity;
    size_t n_blocks; /* that were read */
    struct sst_block *blocks;
    struct entry *entries; /* n_blocks, as `owned` */
    struct owned *owned;
};

/* What is done with the blocks of the tags that a caller names. */
enum use { USE_ALL /* and with all others: no tag is named */, USE_NAMED_ONLY, LEAVE_NAMED };

/* What is read, and how messages call it. */
struct source {
    const struct sst_os *os;
    int fd;
    const char *where, *name; /* NULL: the caller puts them before the message */
    enum use use;
    const uint32_t *tags;
    size_t n_tags;
};

static bool has_tag(const struct source *source, uint32_t tag)
{
    bool has = false;
    for (size_t i = 0; i < source->n_tags; ++i)
        has |= source->tags[i] == tag;
    return has;
}

static enum sst_status prefixed(const struct source *source, enum sst_status rc, struct sst_error *err)
{
    if (source->where)
        sst_error_prefix(err, "%s/%s", source->where, source->name);
    return rc;
}

static enum sst_status damaged(const struct source *source, struct sst_error *err, const char *format, ...)
    SST_PRINTF(3, 4);

static enum sst_status damaged(const struct source *source, struct sst_error *err, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(what, sizeof what, format, args);
    va_end(args);
    const enum sst_status rc = sst_fail(err, SST_ERR_STATE, "damaged: %s. Put back a copy of this file", what);
    return prefixed(source, rc, err);
}

static enum sst_status unreadable(const struct source *source, const char *what, struct sst_error *err)
{
    const int reason = errno;
    const enum sst_status rc =
        sst_fail(err, SST_ERR_INPUT, "cannot be %s: %s. Nothing was changed", what, strerror(reason));
    return prefixed(source, rc, err);
}

/* --- header ------------------------------------------------------------------------------------------------------- */

/* Four letters as text. */
static const char *tag_text(uint32_t tag, char text[5])
{
    for (int i = 0; i < 4; ++i) {
        const unsigned char letter = (unsigned char)(tag >> (8 * i));
        text[i] = letter >= ' ' && letter < 127 ? (char)letter : '?';
    }
    text[4] = '\0';
    return text;
}

/* All formats there will be have this header, so that a newer one can be refused by name. */
static enum sst_status check_header(const struct source *source, const unsigned char *at, struct sst_block_file *file,
                                    struct sst_error *err)
{
    if (memcmp(at, SST_BLOCKS_MAGIC, SST_BLOCKS_MAGIC_BYTES) != 0)
        return damaged(source, err, "it does not begin as a file of a state does");
    if (sst_blocks_get(at + SST_BLOCKS_HASHED_HEADER, 8) != XXH3_64bits(at, SST_BLOCKS_HASHED_HEADER))
        return damaged(source, err, "the header does not have its checksum");
    const unsigned major = (unsigned)sst_blocks_get(at + 8, 2), minor = (unsigned)sst_blocks_get(at + 10, 2);
    if (major > SST_BLOCKS_MAJOR)
        return sst_fail(err, SST_ERR_STATE,
                        "%s/%s: is of format %u.%u, and this program reads up to %d. Use a newer sststream",
                        source->where, source->name, major, minor, SST_BLOCKS_MAJOR);
    if (major == 0)
        return damaged(source, err, "there is no format 0");
    file->kind = (uint32_t)sst_blocks_get(at + 12, 4);
    file->identity = (struct sst_identity){sst_blocks_get(at + 16, 8), sst_blocks_get(at + 24, 8)};
    return SST_OK;
}

static enum sst_status check_belongs(const struct source *source, const struct sst_block_file *file, uint32_t kind,
                                     const struct sst_identity *identity, struct sst_error *err)
{
    char has[5], wanted[5];
    if (file->kind != kind)
        return sst_fail(err, SST_ERR_STATE, "%s/%s: is a file of kind %s where one of kind %s belongs. Put it back",
                        source->where, source->name, tag_text(file->kind, has), tag_text(kind, wanted));
    if (identity && !sst_identity_is(file->identity, *identity))
        return sst_fail(err, SST_ERR_STATE, "%s/%s: belongs to another state. Put back the file of this one",
                        source->where, source->name);
    return SST_OK;
}

/* --- index and blocks --------------------------------------------------------------------------------------------- */

/* Where the index is, by the trailer. n_bytes holds a header and a trailer at least. */
static enum sst_status find_index(const struct source *source, const unsigned char *trailer,
                                  const struct sst_block_file *file, size_t *index, struct sst_error *err)
{
    const size_t end = file->n_bytes - SST_BLOCKS_TRAILER_BYTES;
    if (memcmp(trailer + SST_BLOCKS_TRAILER_BYTES - SST_BLOCKS_MAGIC_BYTES, SST_BLOCKS_MAGIC, SST_BLOCKS_MAGIC_BYTES) !=
        0)
        return damaged(source, err, "its end is not there; it was cut short at %zu bytes", file->n_bytes);
    const uint64_t at = sst_blocks_get(trailer, 8), n_blocks = sst_blocks_get(trailer + 8, 8);
    if (sst_blocks_get(trailer + 16, 8) != file->n_bytes)
        return damaged(source, err, "it has %zu bytes and says %" PRIu64, file->n_bytes,
                       sst_blocks_get(trailer + 16, 8));
    if (at < SST_BLOCKS_HEADER_BYTES || at > end || n_blocks != (end - at) / SST_BLOCKS_ENTRY_BYTES ||
        (end - at) % SST_BLOCKS_ENTRY_BYTES != 0)
        return damaged(source, err, "an index of %" PRIu64 " blocks does not fit at byte %" PRIu64, n_blocks, at);
    *index = at;
    return SST_OK;
}

/* `bytes` are those from the index to the end of the file. */
static enum sst_status check_index(const struct source *source, const unsigned char *bytes,
                                   const struct sst_block_file *file, size_t index, struct sst_error *err)
{
    const size_t end = file->n_bytes - SST_BLOCKS_TRAILER_BYTES;
    if (sst_blocks_get(bytes + (end - index) + SST_BLOCKS_HASHED_TRAILER, 8) ==
        XXH3_64bits(bytes, end - index + SST_BLOCKS_HASHED_TRAILER))
        return SST_OK;
    return damaged(source, err, "the index at byte %zu does not have its checksum", index);
}

static struct entry entry_at(const unsigned char *at)
{
    return (struct entry){.tag = (uint32_t)sst_blocks_get(at, 4),
                          .number = (uint32_t)sst_blocks_get(at + 4, 4),
                          .offset = sst_blocks_get(at + 8, 8),
                          .length = sst_blocks_get(at + 16, 8),
                          .raw_length = sst_blocks_get(at + 24, 8),
                          .checksum = sst_blocks_get(at + 32, 8)};
}

/* Blocks follow one another from the header to the index: `from` is where this one has to be. */
static enum sst_status check_place(const struct source *source, const struct entry *entry, size_t from, size_t index,
                                   struct sst_error *err)
{
    char tag[5];
    if (entry->offset == from && entry->length <= index - from && sst_blocks_padded(entry->length) <= index - from)
        return SST_OK;
    return damaged(source, err, "block %s %" PRIu32 " does not lie where it should, at byte %zu",
                   tag_text(entry->tag, tag), entry->number, from);
}

static enum sst_status check_checksum(const struct source *source, const struct entry *entry, uint64_t checksum,
                                      struct sst_error *err)
{
    char tag[5];
    (void)tag_text(entry->tag, tag);
    if (checksum != entry->checksum)
        return damaged(source, err,
                       "block %s %" PRIu32 " of %" PRIu64 " bytes at byte %" PRIu64 " does not have its checksum", tag,
                       entry->number, entry->length, entry->offset);
    if (!sst_packed_may_be(entry->length, entry->raw_length))
        return damaged(source, err, "block %s %" PRIu32 " of %" PRIu64 " bytes cannot hold %" PRIu64, tag,
                       entry->number, entry->length, entry->raw_length);
    return SST_OK;
}

static enum sst_status check_padding(const struct source *source, const struct entry *entry,
                                     const unsigned char *padding, struct sst_error *err)
{
    for (uint64_t i = 0; i < sst_blocks_padded(entry->length) - entry->length; ++i)
        if (padding[i] != 0)
            return damaged(source, err, "byte %" PRIu64 " is not part of a block and not zero",
                           entry->offset + entry->length + i);
    return SST_OK;
}

static enum sst_status check_block(const struct source *source, const struct entry *entry, const unsigned char *bytes,
                                   struct sst_error *err)
{
    SST_TRY(check_checksum(source, entry, sst_digest_checksum(bytes, entry->length), err));
    return check_padding(source, entry, bytes + entry->length, err);
}

static enum sst_status unpack(const struct source *source, const struct entry *entry, const unsigned char *bytes,
                              struct sst_unpacker *unpacker, void **out, struct sst_error *err)
{
    char tag[5];
    SST_TRY(sst_alloc_large(entry->raw_length, 1, "a block of a state", out, err));
    if (sst_unpack_bytes(unpacker, bytes, entry->length, *out, entry->raw_length))
        return SST_OK;
    return damaged(source, err, "block %s %" PRIu32 " at byte %" PRIu64 " does not unpack", tag_text(entry->tag, tag),
                   entry->number, entry->offset);
}

static enum sst_status read_span(const struct source *source, void *bytes, size_t n_bytes, uint64_t offset,
                                 struct sst_error *err);

/* The next block of the file, out of its image or read for itself. */
static enum sst_status take_block(const struct source *source, struct sst_block_file *file, const struct entry *entry,
                                  struct sst_unpacker *unpacker, struct sst_error *err)
{
    struct owned *owned = &file->owned[file->n_blocks];
    struct sst_block *block = &file->blocks[file->n_blocks];
    unsigned char *stored = file->image ? file->image + entry->offset : NULL;
    *block = (struct sst_block){.index = file->n_blocks,
                                .tag = entry->tag,
                                .number = entry->number,
                                .n_bytes = entry->raw_length,
                                .n_stored = entry->length};
    file->entries[file->n_blocks++] = *entry;
    if (source->use == LEAVE_NAMED && has_tag(source, entry->tag))
        return SST_OK;
    if (!stored) {
        SST_TRY(sst_alloc_large(sst_blocks_padded(entry->length), 1, "a block of a state", &owned->stored, err));
        stored = owned->stored;
        SST_TRY(read_span(source, stored, sst_blocks_padded(entry->length), entry->offset, err));
    }
    SST_TRY(check_block(source, entry, stored, err));
    const bool is_packed = entry->raw_length != entry->length;
    if (is_packed)
        SST_TRY(unpack(source, entry, stored, unpacker, &owned->unpacked, err));
    block->bytes = is_packed ? owned->unpacked : stored;
    block->stored = stored;
    return SST_OK;
}

/* `index_bytes` is the index, of as many entries as fit before the trailer. */
static enum sst_status take_blocks(const struct source *source, struct sst_block_file *file,
                                   const unsigned char *index_bytes, size_t index, struct sst_error *err)
{
    const size_t n = (file->n_bytes - SST_BLOCKS_TRAILER_BYTES - index) / SST_BLOCKS_ENTRY_BYTES;
    enum sst_status rc = SST_OK;
    size_t from = SST_BLOCKS_HEADER_BYTES;
    struct sst_unpacker *unpacker = NULL;
    SST_TRY_GOTO(sst_unpacker_create(&unpacker, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *file->blocks, "the blocks of a state", &file->blocks, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *file->entries, "the blocks of a state", &file->entries, err));
    SST_TRY_GOTO(sst_alloc(n, sizeof *file->owned, "the blocks of a state", &file->owned, err));
    for (size_t i = 0; i < n; ++i) {
        const struct entry entry = entry_at(index_bytes + i * SST_BLOCKS_ENTRY_BYTES);
        SST_TRY_GOTO(check_place(source, &entry, from, index, err));
        if (source->use != USE_NAMED_ONLY || has_tag(source, entry.tag))
            SST_TRY_GOTO(take_block(source, file, &entry, unpacker, err));
        from += sst_blocks_padded(entry.length);
    }
    if (from != index)
        rc = damaged(source, err, "%zu bytes before its index are in no block", index - from);
done:
    sst_unpacker_destroy(&unpacker);
    return rc;
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static enum sst_status read_on(const struct source *source, void *bytes, size_t n_bytes, struct sst_error *err)
{
    const int64_t n = sst_os_read_all(source->os, source->fd, bytes, n_bytes);
    if (n < 0)
        return unreadable(source, "read", err);
    return (size_t)n == n_bytes ? SST_OK
                                : damaged(source, err, "it ends %zu bytes before its end", n_bytes - (size_t)n);
}

static enum sst_status read_span(const struct source *source, void *bytes, size_t n_bytes, uint64_t offset,
                                 struct sst_error *err)
{
    const int64_t n = sst_os_read_all_at(source->os, source->fd, bytes, n_bytes, offset);
    if (n < 0)
        return unreadable(source, "read", err);
    return (size_t)n == n_bytes ? SST_OK
                                : damaged(source, err, "it ends %zu bytes before its end", n_bytes - (size_t)n);
}

static enum sst_status read_whole(const struct source *source, const unsigned char *header, struct sst_block_file *file,
                                  struct sst_error *err)
{
    size_t index = 0;
    SST_TRY(sst_alloc_large(file->n_bytes, 1, "a file of a state", &file->image, err));
    memcpy(file->image, header, SST_BLOCKS_HEADER_BYTES);
    SST_TRY(read_on(source, file->image + SST_BLOCKS_HEADER_BYTES, file->n_bytes - SST_BLOCKS_HEADER_BYTES, err));
    SST_TRY(find_index(source, file->image + file->n_bytes - SST_BLOCKS_TRAILER_BYTES, file, &index, err));
    SST_TRY(check_index(source, file->image + index, file, index, err));
    return take_blocks(source, file, file->image + index, index, err);
}

static enum sst_status read_parts(const struct source *source, struct sst_block_file *file, struct sst_error *err)
{
    unsigned char trailer[SST_BLOCKS_TRAILER_BYTES], *bytes = NULL;
    enum sst_status rc = SST_OK;
    size_t index = 0;
    SST_TRY(read_span(source, trailer, sizeof trailer, file->n_bytes - sizeof trailer, err));
    SST_TRY(find_index(source, trailer, file, &index, err));
    SST_TRY(sst_alloc_large(file->n_bytes - index, 1, "the index of a file of a state", &bytes, err));
    SST_TRY_GOTO(read_span(source, bytes, file->n_bytes - index, index, err));
    SST_TRY_GOTO(check_index(source, bytes, file, index, err));
    SST_TRY_GOTO(take_blocks(source, file, bytes, index, err));
done:
    sst_free(bytes);
    return rc;
}

/* The header is looked at before memory for all is asked for: other files may be of any size. */
static enum sst_status read_file(const struct source *source, uint32_t kind, const struct sst_identity *identity,
                                 struct sst_block_file *file, struct sst_error *err)
{
    unsigned char header[SST_BLOCKS_HEADER_BYTES];
    const int64_t size = source->os->size(source->os->user, source->fd);
    if (size < 0)
        return unreadable(source, "read", err);
    if (size < SST_BLOCKS_HEADER_BYTES + SST_BLOCKS_TRAILER_BYTES)
        return damaged(source, err, "%" PRId64 " bytes are too few for any file of a state", size);
    SST_TRY(read_on(source, header, sizeof header, err));
    SST_TRY(check_header(source, header, file, err));
    SST_TRY(check_belongs(source, file, kind, identity, err));
    file->n_bytes = (size_t)size;
    return source->use == USE_ALL ? read_whole(source, header, file, err) : read_parts(source, file, err);
}

static enum sst_status open_and_read(struct source *source, int folder, uint32_t kind,
                                     const struct sst_identity *identity, struct sst_block_file **out,
                                     struct sst_error *err)
{
    const struct sst_os *os = source->os;
    struct sst_block_file *file = NULL;
    *out = NULL;
    do { /* a pipe of this name must not make us wait */
        source->fd = os->open(os->user, folder, source->name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
    } while (source->fd < 0 && errno == EINTR);
    if (source->fd < 0)
        return errno == ENOENT ? SST_OK : unreadable(source, "opened", err);
    enum sst_status rc = sst_alloc(1, sizeof *file, "a file of a state", &file, err);
    if (rc == SST_OK) {
        file->os = os;
        file->fd = -1;
        rc = read_file(source, kind, identity, file, err);
    }
    if (rc == SST_OK && source->use == LEAVE_NAMED)
        file->fd = source->fd;
    else
        (void)os->close(os->user, source->fd);
    if (rc == SST_OK)
        *out = file;
    else
        sst_block_file_destroy(&file);
    return rc;
}

enum sst_status sst_block_file_read(const struct sst_os *os, int folder, const char *where, const char *name,
                                    uint32_t kind, const struct sst_identity *identity, struct sst_block_file **out,
                                    struct sst_error *err)
{
    struct source source = {.os = os, .where = where, .name = name, .use = USE_ALL};
    return open_and_read(&source, folder, kind, identity, out, err);
}

static enum sst_status read_tagged(const struct sst_block_place *place, enum use use, const uint32_t *tags,
                                   size_t n_tags, struct sst_block_file **out, struct sst_error *err)
{
    struct source source = {
        .os = place->os, .where = place->where, .name = place->name, .use = use, .tags = tags, .n_tags = n_tags};
    return open_and_read(&source, place->folder, place->kind, place->identity, out, err);
}

enum sst_status sst_block_file_read_but(const struct sst_block_place *place, const uint32_t *tags, size_t n_tags,
                                        struct sst_block_file **out, struct sst_error *err)
{
    return read_tagged(place, LEAVE_NAMED, tags, n_tags, out, err);
}

enum sst_status sst_block_file_read_some(const struct sst_block_place *place, const uint32_t *tags, size_t n_tags,
                                         struct sst_block_file **out, struct sst_error *err)
{
    return read_tagged(place, USE_NAMED_ONLY, tags, n_tags, out, err);
}

void sst_block_file_destroy(struct sst_block_file **handle)
{
    struct sst_block_file *file = *handle;
    if (!file)
        return;
    for (size_t i = 0; file->owned && i < file->n_blocks; ++i) {
        sst_free(file->owned[i].stored);
        sst_free(file->owned[i].unpacked);
    }
    if (file->fd >= 0)
        (void)file->os->close(file->os->user, file->fd);
    sst_free(file->owned);
    sst_free(file->entries);
    sst_free(file->blocks);
    sst_free(file->image);
    sst_free(file);
    *handle = NULL;
}

struct sst_identity sst_block_file_identity(const struct sst_block_file *file) { return file->identity; }

size_t sst_block_file_n_blocks(const struct sst_block_file *file) { return file->n_blocks; }

struct sst_block sst_block_file_at(const struct sst_block_file *file, size_t index) { return file->blocks[index]; }

struct sst_block sst_block_file_find(const struct sst_block_file *file, uint32_t tag, uint32_t number)
{
    for (size_t i = 0; i < file->n_blocks; ++i)
        if (file->blocks[i].tag == tag && file->blocks[i].number == number)
            return file->blocks[i];
    return (struct sst_block){.index = file->n_blocks, .tag = tag, .number = number};
}

/* --- blocks that were left in the file ----------------------------------------------------------------------------- */

enum sst_status sst_block_file_fetch(const struct sst_block_file *file, const struct sst_block *block, void *to,
                                     struct sst_error *err)
{
    const struct source source = {.os = file->os, .fd = file->fd};
    const struct entry *entry = &file->entries[block->index];
    unsigned char padding[SST_BLOCKS_ALIGNMENT];
    if (block->stored) {
        memcpy(to, block->stored, block->n_stored);
        return SST_OK;
    }
    const size_t n_padding = sst_blocks_padded(entry->length) - entry->length;
    SST_TRY(read_span(&source, to, entry->length, entry->offset, err));
    SST_TRY(read_span(&source, padding, n_padding, entry->offset + entry->length, err));
    return check_padding(&source, entry, padding, err);
}

enum sst_status sst_block_file_check(const struct sst_block_file *file, const struct sst_block *block,
                                     uint64_t checksum, struct sst_error *err)
{
    const struct source source = {0};
    return check_checksum(&source, &file->entries[block->index], checksum, err);
}

enum sst_status sst_block_unpack(const struct sst_block *block, struct sst_unpacker *unpacker, const void *stored,
                                 void *to, struct sst_error *err)
{
    char tag[5];
    if (sst_unpack_bytes(unpacker, stored, block->n_stored, to, block->n_bytes))
        return SST_OK;
    return sst_fail(err, SST_ERR_STATE, "damaged: block %s %" PRIu32 " does not unpack. Put back a copy of this file",
                    tag_text(block->tag, tag), block->number);
}
