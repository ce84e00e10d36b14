/* FEED/.engine/: what a feed needs to go on, as two files of blocks, each replaced whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/digest.h"
#include "core/mem.h"
#include "monitor/event_bytes.h"
#include "monitor/feed_private.h"
#include "state/block_file.h"
#include "state/state_wire.h"

#define KIND_RING SST_BLOCKS_TAG('F', 'R', 'N', 'G')
#define KIND_RECORD SST_BLOCKS_TAG('F', 'R', 'E', 'C')
#define TAG_RING SST_BLOCKS_TAG('R', 'I', 'N', 'G')
#define TAG_BASE SST_BLOCKS_TAG('B', 'A', 'S', 'E')
#define TAG_PAST SST_BLOCKS_TAG('P', 'A', 'S', 'T')
#define TAG_SOURCES SST_BLOCKS_TAG('S', 'R', 'C', 'S')
#define TAG_RECORD SST_BLOCKS_TAG('R', 'C', 'R', 'D')

static const char engine_name[] = ".engine", lock_name[] = "lock", ring_name[] = "ring", record_name[] = "record";

enum { FOLDER_MODE = 0777, FILE_MODE = 0666 };

/* --- the folder --------------------------------------------------------------------------------------------------- */

static enum sst_status cannot(const struct sst_feed *feed, const char *what, const char *name, struct sst_error *err)
{
    return sst_fail(err, errno == ENOMEM ? SST_ERR_NOMEM : SST_ERR_OUTPUT, "%s: cannot %s%s%s: %s", feed->spec.folder,
                    what, *name ? " " : "", name, strerror(errno));
}

static enum sst_status open_folder(const struct sst_feed *feed, int parent, const char *name, int *fd,
                                   struct sst_error *err)
{
    const struct sst_os *os = feed->spec.os;
    if (os->make_folder(os->user, parent, name, FOLDER_MODE) != 0 && errno != EEXIST)
        return cannot(feed, "make the folder", name == engine_name ? name : "", err);
    *fd = os->open(os->user, parent, name, O_RDONLY | O_DIRECTORY, 0);
    return *fd < 0 ? cannot(feed, "open the folder", name == engine_name ? name : "", err) : SST_OK;
}

enum sst_status sst_feed_folder_open(struct sst_feed *feed, struct sst_error *err)
{
    const struct sst_os *os = feed->spec.os;
    int parent = -1;
    SST_TRY(open_folder(feed, AT_FDCWD, feed->spec.folder, &parent, err));
    const enum sst_status rc = open_folder(feed, parent, engine_name, &feed->folder, err);
    (void)os->close(os->user, parent);
    SST_TRY(rc);
    feed->lock = os->open(os->user, feed->folder, lock_name, O_RDWR | O_CREAT, FILE_MODE);
    if (feed->lock < 0)
        return cannot(feed, "open", lock_name, err);
    if (os->lock(os->user, feed->lock) == 0)
        return SST_OK;
    if (errno != EWOULDBLOCK)
        return cannot(feed, "lock", lock_name, err);
    return sst_fail(err, SST_ERR_LOCKED, "%s: another program writes this feed. Wait until it ends, or end it",
                    feed->spec.folder);
}

void sst_feed_folder_close(struct sst_feed *feed)
{
    const struct sst_os *os = feed->spec.os;
    if (feed->lock >= 0)
        (void)os->close(os->user, feed->lock);
    if (feed->folder >= 0)
        (void)os->close(os->user, feed->folder);
    feed->lock = feed->folder = -1;
}

/* --- saving ------------------------------------------------------------------------------------------------------- */

static struct sst_identity identity_of(const struct sst_feed *feed)
{
    return (struct sst_identity){feed->identity, feed->spec.n_cells};
}

static enum sst_status add_text(struct sst_block_writer *writer, uint32_t tag, struct sst_text *text,
                                struct sst_error *err)
{
    enum sst_status rc = sst_text_check(text, err);
    if (rc == SST_OK)
        rc = sst_block_writer_add(writer, tag, 0, text->data, text->size, true, err);
    sst_text_clear(text);
    return rc;
}

/* The ring is lent: *bytes stay until the writer is done. Owner: the caller, sst_free. */
static enum sst_status add_ring(const struct sst_feed *feed, struct sst_block_writer *writer, uint8_t **bytes,
                                struct sst_error *err)
{
    size_t n_bytes = 0;
    SST_TRY(sst_event_ring_encode(feed->ring, bytes, &n_bytes, err));
    const struct sst_stored_block block = {.tag = TAG_RING,
                                           .stored = *bytes,
                                           .n_stored = n_bytes,
                                           .n_bytes = n_bytes,
                                           .checksum = sst_digest_checksum(*bytes, n_bytes)};
    return sst_block_writer_lend(writer, &block, err);
}

static enum sst_status add_base(const struct sst_feed *feed, struct sst_block_writer *writer, struct sst_error *err)
{
    struct sst_text text = {0};
    const enum sst_status rc = sst_area_encode(feed->base, &text, err);
    if (rc == SST_OK)
        return add_text(writer, TAG_BASE, &text, err);
    sst_text_clear(&text);
    return rc;
}

static enum sst_status add_past(const struct sst_feed *feed, struct sst_block_writer *writer, struct sst_error *err)
{
    struct sst_text text = {0};
    sst_put_u64(&text, feed->n_past);
    for (size_t i = 0; i < feed->n_past; ++i)
        sst_feed_put_area(&text, &feed->past[i].area);
    return add_text(writer, TAG_PAST, &text, err);
}

static enum sst_status add_sources(const struct sst_feed *feed, struct sst_block_writer *writer, struct sst_error *err)
{
    struct sst_text text = {0};
    for (int32_t i = 0; i < feed->n_days; ++i) {
        const struct sst_feed_memo *memo = &feed->memos[i];
        sst_put_u32(&text, (memo->has_source ? 1u : 0u) | (memo->source.is_preliminary ? 2u : 0u));
        sst_put_u64(&text, memo->source.digest);
        sst_put_u64(&text, memo->source.ice_digest);
    }
    return add_text(writer, TAG_SOURCES, &text, err);
}

enum sst_status sst_feed_save_ring(struct sst_feed *feed, struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    uint8_t *ring = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(sst_block_writer_create(KIND_RING, identity_of(feed), &writer, err));
    SST_TRY_GOTO(add_ring(feed, writer, &ring, err));
    SST_TRY_GOTO(add_base(feed, writer, err));
    SST_TRY_GOTO(add_past(feed, writer, err));
    SST_TRY_GOTO(add_sources(feed, writer, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, feed->spec.os, feed->folder, feed->spec.folder, ring_name, err));
    feed->is_ring_saved = true;
done:
    sst_block_writer_destroy(&writer);
    sst_free(ring);
    return rc;
}

enum sst_status sst_feed_save_record(struct sst_feed *feed, struct sst_error *err)
{
    struct sst_block_writer *writer = NULL;
    struct sst_text text = {0};
    enum sst_status rc = SST_OK;
    SST_TRY(sst_block_writer_create(KIND_RECORD, identity_of(feed), &writer, err));
    SST_TRY_GOTO(sst_feed_record_encode(&feed->record, &text, err));
    SST_TRY_GOTO(sst_block_writer_add(writer, TAG_RECORD, 0, text.data, text.size, true, err));
    SST_TRY_GOTO(sst_block_writer_commit(writer, feed->spec.os, feed->folder, feed->spec.folder, record_name, err));
done:
    sst_text_clear(&text);
    sst_block_writer_destroy(&writer);
    return rc;
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

static enum sst_status damaged(const struct sst_feed *feed, const char *name, struct sst_error *err)
{
    return sst_fail(err, SST_ERR_STATE,
                    "%s/.engine/%s: its parts do not fit together. Make the feed anew: sststream feed rebuild",
                    feed->spec.folder, name);
}

static enum sst_status take_past(struct sst_feed *feed, const struct sst_block *block, struct sst_error *err)
{
    struct sst_taken from = {.at = block->bytes, .left = block->n_bytes};
    const uint64_t n = sst_take_u64(&from);
    if (!block->bytes || n > from.left)
        return damaged(feed, ring_name, err);
    SST_TRY(sst_grow(&feed->past, &feed->past_capacity, (size_t)n, sizeof *feed->past, "areas that are gone", err));
    for (size_t i = 0; i < n; ++i)
        sst_feed_take_area(&from, &feed->past[i].area);
    feed->n_past = (size_t)n;
    return sst_took_all(&from) ? SST_OK : damaged(feed, ring_name, err);
}

static enum sst_status take_sources(struct sst_feed *feed, const struct sst_block *block, struct sst_error *err)
{
    struct sst_taken from = {.at = block->bytes, .left = block->n_bytes};
    for (int32_t i = 0; block->bytes && i < feed->n_days; ++i) {
        struct sst_feed_memo *memo = &feed->memos[i];
        const uint32_t flags = sst_take_u32(&from);
        memo->has_source = flags & 1u;
        memo->source.is_preliminary = flags & 2u;
        memo->source.digest = sst_take_u64(&from);
        memo->source.ice_digest = sst_take_u64(&from);
    }
    return block->bytes && sst_took_all(&from) ? SST_OK : damaged(feed, ring_name, err);
}

static enum sst_status take_ring(struct sst_feed *feed, const struct sst_block_file *file,
                                 const struct sst_event_ring_spec *spec, struct sst_error *err)
{
    const struct sst_block ring = sst_block_file_find(file, TAG_RING, 0), base = sst_block_file_find(file, TAG_BASE, 0),
                           past = sst_block_file_find(file, TAG_PAST, 0),
                           sources = sst_block_file_find(file, TAG_SOURCES, 0);
    if (!ring.bytes || !base.bytes)
        return damaged(feed, ring_name, err);
    SST_TRY(sst_event_ring_decode(spec, ring.bytes, ring.n_bytes, &feed->ring, err));
    SST_TRY(sst_area_decode(feed->base, base.bytes, base.n_bytes, err));
    SST_TRY(take_past(feed, &past, err));
    return take_sources(feed, &sources, err);
}

/* Whatever it was made for: the caller looks at its identity. */
static enum sst_status read_file(const struct sst_feed *feed, const char *name, uint32_t kind,
                                 struct sst_block_file **out, struct sst_error *err)
{
    struct sst_error found = {SST_OK, ""};
    const enum sst_status rc =
        sst_block_file_read(feed->spec.os, feed->folder, feed->spec.folder, name, kind, NULL, out, &found);
    if (rc == SST_ERR_STATE)
        return sst_fail(err, rc, "%s. Make the feed anew: sststream feed rebuild", found.text);
    return rc == SST_OK ? SST_OK : sst_fail(err, rc, "%s", found.text);
}

static enum sst_status load_record(struct sst_feed *feed, struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    SST_TRY(read_file(feed, record_name, KIND_RECORD, &file, err));
    if (!file)
        return SST_OK;
    const struct sst_block block = sst_block_file_find(file, TAG_RECORD, 0);
    const enum sst_status rc = block.bytes ? sst_feed_record_decode(&feed->record, block.bytes, block.n_bytes, err)
                                           : damaged(feed, record_name, err);
    sst_block_file_destroy(&file);
    return rc;
}

static enum sst_status load_ring(struct sst_feed *feed, const struct sst_event_ring_spec *spec, struct sst_error *err)
{
    struct sst_block_file *file = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY(read_file(feed, ring_name, KIND_RING, &file, err));
    if (!file)
        return SST_OK;
    if (!sst_identity_is(sst_block_file_identity(file), identity_of(feed)))
        rc = sst_fail(err, SST_ERR_STATE,
                      "%s: this feed was made with another climatology, grid, rule of events or --ring-days. Give it "
                      "another --feed folder, or make it anew: sststream feed rebuild",
                      feed->spec.folder);
    else
        rc = take_ring(feed, file, spec, err);
    sst_block_file_destroy(&file);
    return rc;
}

enum sst_status sst_feed_load(struct sst_feed *feed, enum sst_feed_use use, const struct sst_event_ring_spec *ring_spec,
                              struct sst_error *err)
{
    SST_TRY(load_record(feed, err));
    feed->is_ring_saved = true;
    return use == SST_FEED_GO_ON ? load_ring(feed, ring_spec, err) : SST_OK;
}
