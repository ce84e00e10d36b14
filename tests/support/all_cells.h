/* A domain of which every cell has its place, in its own order. */
#ifndef TESTS_ALL_CELLS_H
#define TESTS_ALL_CELLS_H

#include <check.h>
#include <stdlib.h>

#include "core/cells.h"

/* Owner: the caller; sst_cells_clear. */
static inline struct sst_cells all_cells(size_t n_cells)
{
    struct sst_cells cells;
    size_t *list = malloc(n_cells * sizeof *list);
    for (size_t cell = 0; cell < n_cells; ++cell)
        list[cell] = cell;
    ck_assert_int_eq(sst_cells_init_list(&cells, n_cells, list, n_cells, NULL), SST_OK);
    free(list);
    return cells;
}

#endif
