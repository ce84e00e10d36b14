/* What a run in tiles takes of memory and disk, and how many tiles a limit asks for. */
#include <math.h>

#include "backend/backend.h"
#include "core/cells.h"
#include "stream/schedule.h"
#include "stream/scratch_fields.h"
#include "stream/scratch_slots.h"
#include "stream/tiles_private.h"

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Probes are a random sample: a tile hardly ever has four standard deviations more than its share. */
static size_t probes_of(const struct sst_climatology_size *size, size_t n_tile_cells)
{
    const double expected = size->n_cells ? (double)size->n_probes * (double)n_tile_cells / (double)size->n_cells : 0.0;
    return least(least(size->n_probes, n_tile_cells), (size_t)ceil(expected + 4.0 * sqrt(expected)));
}

/* Fields of a tile as they are read back. */
static uint64_t views_bytes(const struct sst_policy *policy, size_t n_cells)
{
    const size_t cell = (policy->lattice == SST_LATTICE_CENTI ? 1 : 2) * sizeof(int16_t) + sizeof(uint8_t);
    return (uint64_t)SST_MAX_BATCH * n_cells * cell;
}

/* While a tile's engine is at work. */
static uint64_t pass_bytes(const struct sst_policy *policy, const struct sst_climatology_size *size,
                           const struct sst_tile_cuts *cuts)
{
    const size_t n_places = least(sst_cells_most(cuts->tile_cells), size->n_cells);
    const struct sst_climatology_size tile = {.n_cells = n_places,
                                              .n_domain = cuts->tile_cells,
                                              .n_probes = probes_of(size, cuts->tile_cells),
                                              .has_ice = size->has_ice,
                                              .wants_shape = size->wants_shape,
                                              .lacks_days_beside = size->lacks_days_beside,
                                              .devices = size->devices,
                                              .n_ahead = size->n_ahead,
                                              .is_resident = size->is_resident};
    return sst_climatology_peak_bytes(policy, &tile) + views_bytes(policy, cuts->tile_cells) +
           sst_scratch_fields_memory_bytes(cuts, &policy->pools) + tile.n_probes * sizeof(size_t);
}

struct sst_tiles_needs sst_tiles_needs_of(const struct sst_policy *policy, const struct sst_climatology_size *size,
                                          const struct sst_domain *domain, size_t n_days, struct sst_tiles tiles)
{
    if (tiles.n_tiles <= 1)
        return (struct sst_tiles_needs){.memory_bytes = sst_climatology_peak_bytes(policy, size)};
    int slots[SST_N_SLOTS];
    const struct sst_tile_cuts cuts = sst_tile_cuts_of(tiles, domain);
    const struct sst_slot_layout layout = sst_slot_layout_of(policy, size);
    const uint64_t record_bytes = sst_scratch_slots_record_bytes(&layout);
    const uint64_t n_slots = (uint64_t)sst_policy_output_slots(policy, slots);
    const uint64_t pass = pass_bytes(policy, size, &cuts);
    const size_t n_valid = least(size->n_cells, cuts.n_cells - cuts.tile_cells);
    return (struct sst_tiles_needs){
        .memory_bytes = pass > record_bytes ? pass : record_bytes,
        .disk_bytes = n_slots * record_bytes + sst_scratch_fields_disk_bytes(&cuts, n_days, n_valid, size->has_ice),
    };
}

static struct sst_tiles tiles_of_rows(const struct sst_domain *domain, size_t n_rows)
{
    return (struct sst_tiles){(domain->n_rows + n_rows - 1) / n_rows, n_rows};
}

struct sst_tiles sst_tiles_plan(const struct sst_policy *policy, const struct sst_climatology_size *size,
                                const struct sst_domain *domain, size_t n_days, uint64_t limit_bytes)
{
    const struct sst_tiles whole = {1, domain->n_rows};
    if (sst_tiles_needs_of(policy, size, domain, n_days, whole).memory_bytes <= limit_bytes)
        return whole;
    size_t fits = 0, too_many = (domain->n_rows + 1) / 2 + 1; /* rows; more rows never need less */
    while (too_many - fits > 1 && domain->n_rows > 1) {
        const size_t rows = fits + (too_many - fits) / 2;
        const struct sst_tiles tiles = tiles_of_rows(domain, rows);
        if (sst_tiles_needs_of(policy, size, domain, n_days, tiles).memory_bytes <= limit_bytes)
            fits = rows;
        else
            too_many = rows;
    }
    if (fits == 0)
        return (struct sst_tiles){0};
    const size_t n_tiles = tiles_of_rows(domain, fits).n_tiles;
    return tiles_of_rows(domain, (domain->n_rows + n_tiles - 1) / n_tiles);
}
