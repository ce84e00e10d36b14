/* Chunks of maps as an event file holds them: a day's map, of small maps several days; shuffled and deflated. */
#ifndef SST_WRITE_MHW_NC_CHUNKS_H
#define SST_WRITE_MHW_NC_CHUNKS_H

#include "core/grid.h"
#include "write/deflate_memo.h"

/* How maps of so many rows and columns fall into chunks. */
struct sst_mhw_chunks {
    size_t n_days, n_rows, n_cols; /* of each chunk, those at the edges too */
    size_t map_rows, map_cols;
};

/*
 * A chunk is a day's map, as it is looked at, but no larger than 16 MB of the widest variable; of small maps several days, for
 * a chunk of a few cells costs as much as one of many.
 */
struct sst_mhw_chunks sst_mhw_chunks_of(const struct sst_domain *domain, size_t n_days);

/* Maps of one variable, for the n_days of a chunk, or fewer at the end of the file. Borrowed. */
struct sst_mhw_maps {
    const void *values; /* n_days * map_rows * map_cols */
    size_t n_days, value_bytes;
    const void *fill; /* a value for what no cell and no day is behind */
};

struct sst_mhw_chunker;

/*
 * level    of deflate, 0: chunks stay as they are
 * memo     where chunks are looked up that were deflated before; borrowed; NULL: none
 * Owner    the caller; sst_mhw_chunker_destroy, which accepts NULL inside. Errors: SST_ERR_NOMEM.
 */
SST_MUST_CHECK enum sst_status sst_mhw_chunker_create(const struct sst_mhw_chunks *chunks, int level,
                                                      struct sst_deflate_memo *memo, struct sst_mhw_chunker **out,
                                                      struct sst_error *err);
void sst_mhw_chunker_destroy(struct sst_mhw_chunker **chunker);

/* The bytes of the chunk whose first cell is that one; borrowed until the next call, or the memo ages. */
struct sst_deflate_known sst_mhw_chunker_make(struct sst_mhw_chunker *chunker, const struct sst_mhw_maps *maps,
                                              size_t first_row, size_t first_col);

#endif
