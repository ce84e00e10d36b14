/* Probes by hash: which cells are in the sample depends on the seed and the cell alone. */
#include "validate/probes.h"

#include <xxhash.h>

#include "core/mem.h"

/* Fewer probes than this leave the shares of large grids with wide intervals; 1 % of them is enough otherwise. */
#define MIN_PROBES 600.0
#define MIN_SHARE 0.01

/* A double holds 53 bits exactly, so that many bits of the hash are compared. */
enum { HASH_BITS_DROPPED = 64 - 53 };
#define HASH_RANGE 0x1p53

double sst_probes_default_share(uint64_t n_grid_cells)
{
    const double share = n_grid_cells > 0 ? MIN_PROBES / (double)n_grid_cells : 1.0;
    return share > 1.0 ? 1.0 : share > MIN_SHARE ? share : MIN_SHARE;
}

bool sst_probes_has(uint64_t seed, uint64_t canonical_cell, double share)
{
    unsigned char bytes[sizeof canonical_cell];
    for (unsigned byte = 0; byte < sizeof bytes; ++byte)
        bytes[byte] = (unsigned char)(canonical_cell >> (8 * byte));
    const uint64_t hash = XXH64(bytes, sizeof bytes, seed);
    return (double)(hash >> HASH_BITS_DROPPED) < share * HASH_RANGE;
}

enum sst_status sst_probes_choose(const struct sst_domain *domain, const uint8_t *keep, uint64_t seed, double share,
                                  size_t **cells, size_t *n_cells, struct sst_error *err)
{
    enum sst_status rc = SST_OK;
    size_t *chosen = NULL, n_chosen = 0, capacity = 0;
    for (size_t cell = 0; cell < domain->n_cells; ++cell) {
        if ((keep && !keep[cell]) || !sst_probes_has(seed, sst_domain_canonical(domain, cell), share))
            continue;
        SST_TRY_GOTO(sst_grow(&chosen, &capacity, n_chosen + 1, sizeof *chosen, "the probes", err));
        chosen[n_chosen++] = cell;
    }
    *cells = chosen;
    *n_cells = n_chosen;
    chosen = NULL;
done:
    sst_free(chosen);
    return rc;
}
