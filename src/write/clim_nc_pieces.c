/* See the header. */
#include "write/clim_nc_pieces.h"

#include "core/mem.h"

/* The shape of a row that is one chunk of each type. */
static struct sst_clim_chunks one_chunk(const struct sst_clim_chunks *chunks)
{
    struct sst_clim_chunks one = *chunks;
    one.n_down = one.n_across = one.n_sst = 1;
    return one;
}

static struct sst_clim_chunks one_slot(const struct sst_clim_chunks *chunks)
{
    struct sst_clim_chunks one = *chunks;
    one.n_slots = 1;
    return one;
}

bool sst_clim_has_pieces(const struct sst_clim_spec *spec)
{
    return spec->deflate_level == 0 && sst_clim_chunk_slots(spec) > 1;
}

enum sst_status sst_clim_pieces_init(const struct sst_clim_spec *spec, struct sst_clim_pieces *out,
                                     struct sst_error *err)
{
    *out = (struct sst_clim_pieces){0};
    sst_clim_chunks_of(spec, &out->chunks);
    out->slot = one_slot(&out->chunks);
    const struct sst_clim_chunks one = one_chunk(&out->chunks);
    SST_TRY(sst_clim_row_alloc(&out->slot, &out->values, err));
    SST_TRY(sst_clim_row_alloc(&one, &out->fill, err));
    sst_clim_row_clear(&out->slot, 1, SST_CLIM_FILL, &out->values); /* what is beside the map stays so */
    sst_clim_row_clear(&one, 0, SST_CLIM_FILL, &out->fill);
    return SST_OK;
}

void sst_clim_pieces_clear(struct sst_clim_pieces *pieces)
{
    sst_clim_row_free(&pieces->values);
    sst_clim_row_free(&pieces->fill);
}

enum sst_status sst_clim_pieces_begin(const struct sst_clim_pieces *pieces, const struct sst_clim_store *store,
                                      size_t first_slot, uint64_t **at, struct sst_error *err)
{
    const size_t n_chunks = sst_clim_chunks_per_row(&pieces->chunks);
    uint64_t *places = NULL;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_chunks, sizeof *places, "places of chunks", &places, err));
    for (size_t i = 0; i < n_chunks; ++i) {
        struct sst_clim_chunk chunk = sst_clim_row_chunk(&pieces->slot, &pieces->values, i);
        const size_t n_bytes = pieces->chunks.n_slots * chunk.n_values * chunk.value_bytes;
        chunk.values = chunk.variable < pieces->chunks.n_sst ? (void *)pieces->fill.sst : (void *)pieces->fill.counts;
        SST_TRY_GOTO(sst_clim_store_put(store, &chunk, first_slot, n_bytes, err));
        SST_TRY_GOTO(sst_clim_store_find(store, &chunk, first_slot, &places[i], err));
    }
    *at = places;
    places = NULL;
done:
    sst_free(places);
    return rc;
}

enum sst_status sst_clim_pieces_put(const struct sst_clim_pieces *pieces, const struct sst_clim_store *store,
                                    const uint64_t *at, size_t place, struct sst_error *err)
{
    const size_t n_chunks = sst_clim_chunks_per_row(&pieces->chunks);
    for (size_t i = 0; i < n_chunks; ++i) {
        const struct sst_clim_chunk piece = sst_clim_row_chunk(&pieces->slot, &pieces->values, i);
        const size_t n_bytes = piece.n_values * piece.value_bytes;
        SST_TRY(sst_clim_store_put_at(store, &piece, at[i] + place * n_bytes, n_bytes, err));
    }
    return SST_OK;
}

uint64_t sst_clim_pieces_bytes(const struct sst_clim_spec *spec)
{
    struct sst_clim_chunks chunks;
    sst_clim_chunks_of(spec, &chunks);
    const struct sst_clim_chunks slot = one_slot(&chunks), one = one_chunk(&chunks);
    const uint64_t n_rows = ((uint64_t)spec->n_slots + chunks.n_slots - 1) / chunks.n_slots;
    return sst_clim_row_bytes(&slot) + sst_clim_row_bytes(&one) +
           n_rows * sst_clim_chunks_per_row(&chunks) * sizeof(uint64_t);
}
