/*
 * The way of slots into chunks that hold several of them and are not deflated. A slot's part of a chunk lies in one piece there,
 * so that it is written when the slot comes: no row of chunks waits in memory.
 *
 *   first slot of a row ──begin──▶ its chunks in the file, of fill      each slot ──put──▶ its piece of each chunk
 *
 * The file has the bytes that whole chunks would have given, in the same places.
 */
#ifndef SST_WRITE_CLIM_NC_PIECES_H
#define SST_WRITE_CLIM_NC_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/status.h"
#include "write/clim_nc_chunks.h"
#include "write/clim_nc_store.h"

struct sst_clim_pieces {
    struct sst_clim_chunks chunks;
    struct sst_clim_chunks slot; /* the same, of one slot: its pieces */
    struct sst_clim_row values; /* of the slot that is put: the caller fills in its maps, as slot 0 of `slot` */
    struct sst_clim_row fill; /* one chunk of each type */
};

/* Whether a file of this spec is written by pieces. */
bool sst_clim_has_pieces(const struct sst_clim_spec *spec);

/* Owner: the caller, sst_clim_pieces_clear, also after a failure. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_clim_pieces_init(const struct sst_clim_spec *spec, struct sst_clim_pieces *out,
                                                    struct sst_error *err);
void sst_clim_pieces_clear(struct sst_clim_pieces *pieces);

/*
 * Makes room in the file for the row of chunks whose first slot stands at first_slot of the time axis.
 *
 * at       where each chunk, in the order of sst_clim_row_chunk, begins in the file. Owner: the caller, sst_free.
 * Errors   SST_ERR_OUTPUT, and the file can then only be discarded; SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_clim_pieces_begin(const struct sst_clim_pieces *pieces,
                                                     const struct sst_clim_store *store, size_t first_slot,
                                                     uint64_t **at, struct sst_error *err);

/* Writes pieces->values as the slot of that place in a row that was begun. Errors: as above. */
SST_MUST_CHECK enum sst_status sst_clim_pieces_put(const struct sst_clim_pieces *pieces,
                                                   const struct sst_clim_store *store, const uint64_t *at, size_t place,
                                                   struct sst_error *err);

/* The most bytes that are held. */
uint64_t sst_clim_pieces_bytes(const struct sst_clim_spec *spec);

#endif
