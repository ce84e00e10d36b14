/*
 * How kept values lie in memory, so that the pool of a few cells is a few runs of neighbouring bytes.
 *
 *   kept (slot, class) ──▶ tile 0 [sums | member 0 | member 1 | ... | room]   a row is SST_KEPT_LANES codes: a cache line
 *                          tile 1 [sums | member 0 | ...                  ]   sums take SST_KEPT_HEAD_ROWS rows
 *
 * A tile is SST_KEPT_LANES neighbouring places. Lanes beyond the last place are SST_CODE_MISSING.
 */
#ifndef SST_CORE_KEPT_H
#define SST_CORE_KEPT_H

#include <stddef.h>
#include <stdint.h>

/* Cells of a tile: a pool of 330 days takes 21 KB, so it stays in a first-level cache. */
enum { SST_KEPT_LANES = 32 };

/* Over the members of a tile. At most SST_MAX_POOL members: the sum has room. */
struct sst_kept_sums {
    int32_t sum[SST_KEPT_LANES]; /* of the codes that are not missing */
    int16_t n_valid[SST_KEPT_LANES];
};

enum { SST_KEPT_HEAD_ROWS = sizeof(struct sst_kept_sums) / (SST_KEPT_LANES * sizeof(int16_t)) };

/* The kept fields of one term; borrowed from whoever keeps them. */
struct sst_kept {
    int16_t (*rows)[SST_KEPT_LANES]; /* n_tiles x tile_rows */
    size_t tile_rows; /* from a tile to the next: the head, members, room for more */
    size_t n_members;
};

static inline size_t sst_kept_tiles(size_t n_places) { return (n_places + SST_KEPT_LANES - 1) / SST_KEPT_LANES; }

/* The head of a tile, as a row. */
static inline int16_t *sst_kept_head(const struct sst_kept *kept, size_t tile)
{
    return kept->rows[tile * kept->tile_rows];
}

/* The first member of a tile; the others follow. */
static inline int16_t (*sst_kept_members(const struct sst_kept *kept, size_t tile))[SST_KEPT_LANES]
{
    return kept->rows + tile * kept->tile_rows + SST_KEPT_HEAD_ROWS;
}

#endif
