/* Probes by hash: which cells are in the sample depends on the seed and the cell alone. */
#include "validate/probes.h"

#include <stdlib.h>
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

/* A cell's place in the order in which a growing share takes cells up. */
static uint64_t rank_of(uint64_t seed, uint64_t canonical_cell)
{
    unsigned char bytes[sizeof canonical_cell];
    for (unsigned byte = 0; byte < sizeof bytes; ++byte)
        bytes[byte] = (unsigned char)(canonical_cell >> (8 * byte));
    return XXH64(bytes, sizeof bytes, seed) >> HASH_BITS_DROPPED;
}

bool sst_probes_has(uint64_t seed, uint64_t canonical_cell, double share)
{
    return (double)rank_of(seed, canonical_cell) < share * HASH_RANGE;
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

static int by_rank(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

enum sst_status sst_probes_nested(const struct sst_domain *domain, const size_t *cells, size_t n_cells, uint64_t seed,
                                  size_t most, size_t **chosen, size_t *n_chosen, struct sst_error *err)
{
    uint64_t *ranks = NULL;
    size_t *indices = NULL, n = 0;
    enum sst_status rc = SST_OK;
    SST_TRY_GOTO(sst_alloc(n_cells, sizeof *ranks, "the probes", &ranks, err));
    SST_TRY_GOTO(sst_alloc(n_cells < most ? n_cells : most, sizeof *indices, "the probes", &indices, err));
    for (size_t i = 0; i < n_cells; ++i)
        ranks[i] = rank_of(seed, sst_domain_canonical(domain, cells[i]));
    uint64_t limit = UINT64_MAX; /* ranks below it are taken */
    if (n_cells > most) {
        qsort(ranks, n_cells, sizeof *ranks, by_rank);
        limit = ranks[most];
    }
    for (size_t i = 0; i < n_cells && n < most; ++i)
        if (rank_of(seed, sst_domain_canonical(domain, cells[i])) < limit)
            indices[n++] = i;
    *chosen = indices;
    *n_chosen = n;
    indices = NULL;
done:
    sst_free(ranks);
    sst_free(indices);
    return rc;
}
