/* See the header. */
#include "write/mhw_nc_chunks.h"

#include <string.h>

#include "core/mem.h"
#include "write/deflate.h"

enum { MOST_CHUNK_ROWS = 1024, MOST_CHUNK_COLS = 2048, LEAST_CHUNK_CELLS = 32768, WIDEST = 8 };

struct sst_mhw_chunker {
    struct sst_mhw_chunks chunks;
    int level;
    struct sst_deflate_memo *memo;
    struct sst_deflater *deflater;
    unsigned char *gathered; /* a chunk's values, where they do not follow each other in the maps */
    unsigned char *stream;
    size_t room; /* of the stream */
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

struct sst_mhw_chunks sst_mhw_chunks_of(const struct sst_domain *domain, size_t n_days)
{
    struct sst_mhw_chunks chunks = {.n_rows = least(domain->n_rows, MOST_CHUNK_ROWS),
                                    .n_cols = least(domain->n_cols, MOST_CHUNK_COLS),
                                    .map_rows = domain->n_rows,
                                    .map_cols = domain->n_cols};
    const size_t n_cells = chunks.n_rows * chunks.n_cols;
    chunks.n_days = least(n_days, n_cells > 0 ? 1 + LEAST_CHUNK_CELLS / n_cells : 1);
    return chunks;
}

static size_t values_of(const struct sst_mhw_chunks *chunks)
{
    return chunks->n_days * chunks->n_rows * chunks->n_cols;
}

enum sst_status sst_mhw_chunker_create(const struct sst_mhw_chunks *chunks, int level, struct sst_deflate_memo *memo,
                                       struct sst_mhw_chunker **out, struct sst_error *err)
{
    struct sst_mhw_chunker *chunker = NULL;
    const size_t most_bytes = values_of(chunks) * WIDEST;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(1, sizeof *chunker, "chunks of event maps", &chunker, err));
    chunker->chunks = *chunks;
    chunker->level = level;
    chunker->memo = memo;
    SST_TRY_GOTO(sst_alloc_large(most_bytes, 1, "a chunk of event maps", &chunker->gathered, err));
    if (level > 0) {
        chunker->room = sst_deflate_room(most_bytes);
        SST_TRY_GOTO(sst_deflater_create(level, most_bytes, &chunker->deflater, err));
        SST_TRY_GOTO(sst_alloc_large(chunker->room, 1, "a deflated chunk", &chunker->stream, err));
    }
    *out = chunker;
    chunker = NULL;
done:
    sst_mhw_chunker_destroy(&chunker);
    return rc;
}

void sst_mhw_chunker_destroy(struct sst_mhw_chunker **chunker)
{
    if (!*chunker)
        return;
    sst_deflater_destroy(&(*chunker)->deflater);
    sst_free((*chunker)->gathered);
    sst_free((*chunker)->stream);
    sst_free(*chunker);
    *chunker = NULL;
}

/* --- values ------------------------------------------------------------------------------------------------------- */

/* Whether all values of a chunk follow each other in the maps. */
static bool is_together(const struct sst_mhw_chunks *chunks, const struct sst_mhw_maps *maps, size_t first_row)
{
    return maps->n_days == chunks->n_days && chunks->n_cols == chunks->map_cols &&
           (chunks->n_days == 1 || chunks->n_rows == chunks->map_rows) &&
           first_row + chunks->n_rows <= chunks->map_rows;
}

static void fill(unsigned char *to, size_t n_values, const struct sst_mhw_maps *maps)
{
    for (size_t i = 0; i < n_values; ++i)
        memcpy(to + i * maps->value_bytes, maps->fill, maps->value_bytes);
}

static void gather(const struct sst_mhw_chunks *chunks, const struct sst_mhw_maps *maps, size_t first_row,
                   size_t first_col, unsigned char *to)
{
    const unsigned char *values = maps->values;
    const size_t n_rows = least(chunks->n_rows, chunks->map_rows - first_row);
    const size_t n_cols = least(chunks->n_cols, chunks->map_cols - first_col);
    if (maps->n_days < chunks->n_days || n_rows < chunks->n_rows || n_cols < chunks->n_cols)
        fill(to, values_of(chunks), maps);
    for (size_t day = 0; day < maps->n_days; ++day) {
        for (size_t row = 0; row < n_rows; ++row) {
            const size_t from = (day * chunks->map_rows + first_row + row) * chunks->map_cols + first_col;
            memcpy(to + (day * chunks->n_rows + row) * chunks->n_cols * maps->value_bytes,
                   values + from * maps->value_bytes, n_cols * maps->value_bytes);
        }
    }
}

/* --- chunks ------------------------------------------------------------------------------------------------------- */

/* Of all that the stream follows from. */
static struct sst_digest_chain key_of(const struct sst_mhw_chunker *chunker, const void *values, size_t n_values,
                                      size_t value_bytes)
{
    const uint64_t way[] = {value_bytes, (uint64_t)chunker->level};
    struct sst_digest_chain key = {0};
    sst_digest_fold(&key, way, sizeof way);
    sst_digest_fold(&key, values, n_values * value_bytes);
    return key;
}

struct sst_deflate_known sst_mhw_chunker_make(struct sst_mhw_chunker *chunker, const struct sst_mhw_maps *maps,
                                              size_t first_row, size_t first_col)
{
    const struct sst_mhw_chunks *chunks = &chunker->chunks;
    const size_t n_values = values_of(chunks), value_bytes = maps->value_bytes;
    const unsigned char *values = (const unsigned char *)maps->values + first_row * chunks->map_cols * value_bytes;
    struct sst_deflate_known made = {0};
    struct sst_digest_chain key = {0};
    if (!is_together(chunks, maps, first_row)) {
        gather(chunks, maps, first_row, first_col, chunker->gathered);
        values = chunker->gathered;
    }
    if (chunker->level == 0)
        return (struct sst_deflate_known){(const char *)values, n_values * value_bytes};
    if (chunker->memo) {
        key = key_of(chunker, values, n_values, value_bytes);
        if (sst_deflate_memo_find(chunker->memo, &key, &made))
            return made;
    }
    made.bytes = (const char *)chunker->stream;
    made.n_bytes = sst_deflate_to(chunker->deflater, values, n_values, value_bytes, chunker->stream, chunker->room);
    if (chunker->memo)
        sst_deflate_memo_keep(chunker->memo, &key, made.bytes, made.n_bytes);
    return made;
}
