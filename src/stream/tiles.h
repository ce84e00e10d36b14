/*
 * A run whose window does not fit into memory: the domain in tiles of whole rows, one after the other, each by an engine of
 * its own, and every file opened and inflated once.
 *
 *   pass 1    files ──▶ whole field ──┬─▶ rows of tile 1 ──▶ engine ──▶ slots of tile 1 ──▶ ┐
 *                                     └─▶ rows of tiles 2.. ──▶ fields on the scratch disk  │ slots on the scratch disk
 *   pass t    fields on the scratch disk ──▶ rows of tile t ──▶ engine ──▶ slots of tile t ─┤
 *   end       slot by slot, all tiles joined ◀───────────────────────────────────────────── ┘ ──▶ sink
 *
 * Values, flags and counts are those of a run in one piece, to the bit: an engine works cell by cell. Fields are kept as codes
 * without land, so tiles need no alignment with the chunks of the files.
 */
#ifndef SST_STREAM_TILES_H
#define SST_STREAM_TILES_H

#include "core/grid.h"
#include "stream/climatology.h"

struct sst_tiles {
    size_t n_tiles; /* 1: the run is in one piece and needs no scratch */
    size_t rows_per_tile; /* but for the last, which has what is left */
};

/* What a run in tiles needs. */
struct sst_tiles_needs {
    uint64_t memory_bytes; /* the most at a time, but for the fields that the source itself holds */
    uint64_t disk_bytes; /* of scratch, at most */
};

/*
 * The needs of a run in tiles: a tile may be all sea, and the disk holds as many cells as there are places.
 *
 * size     of the whole domain.
 * n_days   fields that will be read.
 */
struct sst_tiles_needs sst_tiles_needs_of(const struct sst_policy *policy, const struct sst_climatology_size *size,
                                          const struct sst_domain *domain, size_t n_days, struct sst_tiles tiles);

/*
 * The fewest tiles whose memory stays within a limit, all of nearly as many rows.
 *
 * Returns  n_tiles 0 where one row a tile is still too much.
 */
struct sst_tiles sst_tiles_plan(const struct sst_policy *policy, const struct sst_climatology_size *size,
                                const struct sst_domain *domain, size_t n_days, uint64_t limit_bytes);

/*
 * As sst_climatology_run, in tiles. The sink sees each field once and whole, in pass 1, and each slot once and whole, at the
 * end, in the order of a run in one piece; its progress goes on over all passes, and it may cancel in all of them. In pass 1
 * the source is asked for each day once, later not at all.
 *
 * folder   where scratch files are made; they have no name there and vanish with the process.
 * Errors   those of sst_climatology_run; SST_ERR_OUTPUT where the scratch cannot be written, with its folder, the most bytes
 *          that it takes, and what can be done.
 */
SST_MUST_CHECK enum sst_status sst_tiles_run(const struct sst_climatology_job *job, const struct sst_domain *domain,
                                             struct sst_tiles tiles, const char *folder,
                                             const struct sst_slot_sink *sink, struct sst_error *err);

#endif
