/*
 * A run in tiles at work, for the files of tiles alone:
 *
 *   tiles.c           the passes, and the joining of slots
 *   tiles_plan.c      what all of it needs, before the run
 *   scratch_fields.c  the fields of tiles 2.., on the scratch disk
 *   scratch_slots.c   the slots of all tiles, on the scratch disk
 */
#ifndef SST_STREAM_TILES_PRIVATE_H
#define SST_STREAM_TILES_PRIVATE_H

#include "stream/tiles.h"

/* Where the cells of a domain are cut. */
struct sst_tile_cuts {
    size_t n_tiles, n_cells;
    size_t tile_cells; /* but for the last */
};

struct sst_tile_span {
    size_t begin, n_cells; /* domain cells */
};

static inline struct sst_tile_cuts sst_tile_cuts_of(struct sst_tiles tiles, const struct sst_domain *domain)
{
    return (struct sst_tile_cuts){tiles.n_tiles, domain->n_cells, tiles.rows_per_tile * domain->n_cols};
}

/* Tiles from 0. */
static inline struct sst_tile_span sst_tile_span_of(const struct sst_tile_cuts *cuts, size_t tile)
{
    const size_t begin = tile * cuts->tile_cells, left = cuts->n_cells - begin;
    return (struct sst_tile_span){begin, left < cuts->tile_cells ? left : cuts->tile_cells};
}

/* How messages name the scratch files, and what can be done. */
#define SST_TILES_REMEDY "Make room there, put the output into another folder (-o), or allow more memory (--memory)"

#endif
