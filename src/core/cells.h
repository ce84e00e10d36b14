/*
 * Which cells of a domain are computed, and in which order, so that land costs neither time nor memory.
 *
 *   domain   [ block 0 | block 1 | block 2 | block 3 | ... ]     as fields come; a block is `width` neighbours
 *                 land      sea       sea       land
 *   places   [ block 1 | block 2 | ...   given   ... | free ]    as bins, kept values and estimates are
 *
 * A block gets a place when one of its cells first has a value or sea ice, in whatever field that is, and keeps it: ice of
 * days before a cell's first value counts, whatever its neighbours have. Places that are not given yet, and cells behind the
 * domain's end, never have a value.
 */
#ifndef SST_CORE_CELLS_H
#define SST_CORE_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/field.h"
#include "core/status.h"

/* Cells of a block: 16 bytes of codes. Coasts waste half a block each. */
enum { SST_CELLS_WIDTH = 8 };

struct sst_cells {
    size_t n_domain;
    size_t width; /* SST_CELLS_WIDTH, or 1 for a list */
    size_t n_places; /* cells: given and free; a multiple of width */
    size_t n_given; /* blocks */
    uint32_t *block_at; /* by place, in blocks: the domain's block; only the first n_given */
    uint32_t *waiting; /* the domain's blocks without a place, ascending */
    size_t n_waiting;
};

/* No block has a place. Owner: the caller; sst_cells_clear. Errors: SST_ERR_NOMEM. */
SST_MUST_CHECK enum sst_status sst_cells_init(struct sst_cells *cells, size_t n_domain, struct sst_error *err);

/* The cells of a list, each with its place, in its order; none waits. Owner, errors: as above. */
SST_MUST_CHECK enum sst_status sst_cells_init_list(struct sst_cells *cells, size_t n_domain, const size_t *list,
                                                   size_t n, struct sst_error *err);
void sst_cells_clear(struct sst_cells *cells);

/* Gives places to the blocks that wait and have a value or ice in this field; n_places may grow, to more than is given. */
void sst_cells_take(struct sst_cells *cells, const struct sst_field *field);

/*
 * The same for each of many fields in turn, with the same places. Where most have nothing new, as after the first, threads
 * look at them together; the cells must not be in use elsewhere meanwhile.
 */
void sst_cells_take_all(struct sst_cells *cells, const struct sst_field *const *fields, size_t n_fields);

/* The same for the blocks of marked cells: n_domain items, not 0 where a cell is to have a place. */
void sst_cells_take_marked(struct sst_cells *cells, const uint8_t *marks);

/* The most places that a domain can have. */
size_t sst_cells_most(size_t n_domain);

/* Places that so many cells with values need, and the spare ones with them. */
size_t sst_cells_expected(size_t n_domain, size_t n_valid);

/*
 * Items of places begin .. end - 1 (multiples of width) from a field in domain order; `fill` where a place has no cell.
 */
void sst_cells_gather(const struct sst_cells *cells, const int16_t *field, int16_t fill, size_t begin, size_t end,
                      int16_t *out);
void sst_cells_gather_marks(const struct sst_cells *cells, const uint8_t *field, size_t begin, size_t end,
                            uint8_t *out);
void sst_cells_gather_indices(const struct sst_cells *cells, const uint32_t *field, uint32_t fill, size_t begin,
                              size_t end, uint32_t *out);

/* All places' items of `size` bytes to their cells; cells without a place are left as they are. */
void sst_cells_scatter(const struct sst_cells *cells, const void *places, size_t size, void *field);

/* Only places begin .. end - 1 (multiples of width); parts that share no place write to no cell in common. */
void sst_cells_scatter_part(const struct sst_cells *cells, const void *places, size_t size, size_t begin, size_t end,
                            void *field);

#endif
